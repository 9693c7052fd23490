/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cmd_run.c - the toolkit: dtrace run NAME.
 *
 * A tool is a script, NAME.d, whose second comment has a fixed form, which
 * doc/howto-tool.md says: a line "NAME - what it shows", then paragraphs, some
 * of which begin with a word and a colon (Usage, Needs ...).  Lists and help
 * are read from there, manual pages are made of it (tools/toolkit-man.py).
 *
 * Nothing else is special about a tool: `dtrace run NAME ...` is
 * `dtrace -s NAME.d ...`.
 */
#include "cmd.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/near.h"

/* Columns of a name and of what it needs, in the list. */
#define RUN_NAME_COLUMNS 16
#define RUN_NEED_COLUMNS 8

/* The directory of the variable, and that of this program or of the
   installation. */
#define RUN_DIRS_MAX 2

struct run_dirs {
	char path[RUN_DIRS_MAX][PATH_MAX];
	int n;
};

/* A tool; both are owned by this. */
struct run_tool {
	char *name;
	char *text; /* its header, without the marks of a comment */
};

struct run_list {
	struct run_tool *v;
	size_t n, cap;
};

static const char suffix[] = ".d";

/* ---- where tools are ----------------------------------------------------- */

static bool
is_dir(const char *path)
{
	DIR *d = opendir(path);

	if (d != NULL)
		closedir(d);
	return d != NULL;
}

static void
find_dirs(struct run_dirs *d)
{
	const char *own = getenv("DTRACE_TOOLKIT");

	d->n = 0;
	if (own != NULL && *own != '\0' && strlen(own) < PATH_MAX)
		strcpy(d->path[d->n++], own);
	/* The toolkit of the tree that this program was built in is found by a
	   link beside the program. */
	if (!cmd_beside("toolkit", d->path[d->n]) || !is_dir(d->path[d->n]))
		strcpy(d->path[d->n], CMD_TOOLKIT_DIR);
	d->n++;
}

/* Make the path of a tool; false if there is none of this name. */
static bool
find_tool(const struct run_dirs *d, const char *name, char path[PATH_MAX])
{
	if (*name == '\0' || strchr(name, '/') != NULL)
		return false;
	for (int i = 0; i < d->n; i++) {
		int n = snprintf(path, PATH_MAX, "%s/%s%s", d->path[i], name,
				 suffix);
		if (n < PATH_MAX && access(path, R_OK) == 0)
			return true;
	}
	return false;
}

/* ---- headers ------------------------------------------------------------- */

/* True if this line is the end of a comment. */
static bool
ends_comment(const char *line)
{
	return strncmp(line, " */", 3) == 0;
}

/* The comment that begins with a line of its own, without the marks: the
   caller's.  Empty if there is none; NULL if the file cannot be read. */
static char *
read_header(const char *path)
{
	FILE *fp = fopen(path, "r"), *out;
	char *text = NULL, *line = NULL;
	size_t size = 0, cap = 0;
	bool in = false;

	if (fp == NULL)
		return NULL;
	out = open_memstream(&text, &size);
	while (out != NULL && getline(&line, &cap, fp) > 0) {
		if (in && ends_comment(line))
			break;
		if (in)
			fputs(strncmp(line, " * ", 3) == 0   ? line + 3
			      : strncmp(line, " *", 2) == 0 ? line + 2
							    : line,
			      out);
		in = in || strcmp(line, "/*\n") == 0;
	}
	free(line);
	fclose(fp);
	if (out == NULL || fclose(out) != 0)
		return NULL;
	return text;
}

/* One word for what a tool needs: the first it asks for, or "user" where it
   serves anybody. */
static const char *
need_word(const char *text)
{
	const char *p = strstr(text, "\nNeeds:");

	if (p == NULL)
		return "?";
	size_t n = strcspn(p + 1, "\n");
	char line[PATH_MAX];
	snprintf(line, sizeof(line), "%.*s", (int)n, p + 1);
	if (strstr(line, "kprobes") != NULL)
		return "kprobes";
	return strstr(line, "any user") != NULL ? "user" : "root";
}

/* ---- dtrace run -l ------------------------------------------------------- */

static int
compare_tools(const void *a, const void *b)
{
	return strcmp(((const struct run_tool *)a)->name,
		      ((const struct run_tool *)b)->name);
}

/* True if the name is one of the first n. */
static bool
is_listed(const struct run_list *l, size_t n, const char *name, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(l->v[i].name) == len &&
		    memcmp(l->v[i].name, name, len) == 0)
			return true;
	return false;
}

static void
run_list_add(struct cmd *c, struct run_list *l, const char *file, size_t n,
	 char *text)
{
	char *name = strndup(file, n);

	if (l->n == l->cap) {
		l->cap = l->cap * 2 + 64;
		l->v = reallocarray(l->v, l->cap, sizeof(*l->v));
	}
	if (l->v == NULL || name == NULL)
		cmd_fatal(c, "memory allocation failure");
	l->v[l->n++] = (struct run_tool){ name, text };
}

/* The length of a tool's name in that of its file; 0: it is no tool. */
static size_t
tool_name(const char *file)
{
	size_t n = strlen(file), k = sizeof(suffix) - 1;

	return file[0] != '.' && n > k && strcmp(file + n - k, suffix) == 0
		       ? n - k : 0;
}

/* A name that an earlier directory has hides that of a later one. */
static void
list_dir(struct cmd *c, struct run_list *l, const char *dir)
{
	char path[PATH_MAX];
	struct dirent *e;
	DIR *d = opendir(dir);
	size_t had = l->n;

	if (d == NULL)
		return;
	while ((e = readdir(d)) != NULL) {
		size_t n = tool_name(e->d_name);
		if (n == 0 || is_listed(l, had, e->d_name, n) ||
		    snprintf(path, sizeof(path), "%s/%s", dir, e->d_name) >=
			    (int)sizeof(path))
			continue;
		char *text = read_header(path);
		if (text != NULL)
			run_list_add(c, l, e->d_name, n, text);
	}
	closedir(d);
}

static void
list_all(struct cmd *c, const struct run_dirs *d, struct run_list *l)
{
	*l = (struct run_list){ 0 };
	for (int i = 0; i < d->n; i++)
		list_dir(c, l, d->path[i]);
	if (l->n > 0)
		qsort(l->v, l->n, sizeof(*l->v), compare_tools);
}

static void
list_free(struct run_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].name);
		free(l->v[i].text);
	}
	free(l->v);
}

/* The toolkit is not installed. */
static _Noreturn void
no_tools(const struct run_dirs *d)
{
	cmd_error("no tools are in %s", d->path[d->n - 1]);
	exit(1);
}

static void
print_list(struct cmd *c, const struct run_dirs *d)
{
	struct run_list l;

	list_all(c, d, &l);
	for (size_t i = 0; i < l.n; i++) {
		const char *text = l.v[i].text;
		const char *what = strstr(text, " - ");
		size_t n = what != NULL ? strcspn(what + 3, "\n") : 0;

		cmd_out(c, "%-*s %-*s %.*s\n", RUN_NAME_COLUMNS, l.v[i].name,
			RUN_NEED_COLUMNS, need_word(text), (int)n,
			n > 0 ? what + 3 : "");
	}
	if (l.n == 0)
		no_tools(d);
	list_free(&l);
}

/* ---- the command --------------------------------------------------------- */

static _Noreturn void
run_usage(FILE *fp, int status)
{
	fprintf(fp, "Usage: %s run name [options] [args ...]\n"
		"       %s run -l\n"
		"       %s run -h name\n\n"
		"\t-l  list the tools, and what each needs: user, nothing, for\n"
		"\t    processes of one's own; root; kprobes, root and a kernel\n"
		"\t    whose functions can be traced\n"
		"\t-h  say what a tool shows, and how it is used\n",
		cmd_name, cmd_name, cmd_name);
	exit(cmd_written(fp, status));
}

static _Noreturn void
no_tool(struct cmd *c, const struct run_dirs *d, const char *name)
{
	char hint[NEAR_HINT_MAX];
	struct run_list l;
	struct near near;

	list_all(c, d, &l);
	if (l.n == 0)
		no_tools(d);
	near_init(&near, name);
	for (size_t i = 0; i < l.n; i++)
		near_try(&near, l.v[i].name);
	cmd_error("no tool is named %s%s; '%s run -l' lists them", name,
		  near_hint(&near, hint), cmd_name);
	list_free(&l);
	exit(1);
}

static void
print_help(struct cmd *c, const char *path)
{
	char *text = read_header(path);

	if (text == NULL)
		cmd_fatal(c, "failed to open %s: %s", path, strerror(errno));
	cmd_out(c, "%s", text);
	free(text);
}

/* True if -h or --help is all that stands behind the name of a tool. */
static bool
is_help(int argc, char **argv)
{
	return argc == 4 && (strcmp(argv[3], "-h") == 0 ||
			     strcmp(argv[3], "--help") == 0);
}

bool
cmd_run_is_tool(const char *name)
{
	struct run_dirs dirs;
	char path[PATH_MAX];

	find_dirs(&dirs);
	return find_tool(&dirs, name, path);
}

static const char *run_name; /* the tool that runs; NULL: none */
static char run_path[PATH_MAX];

void
cmd_run_check(const struct cmd_targets *t, char **args, int nargs)
{
	char *header = run_name != NULL ? read_header(run_path) : NULL;

	bool command = false;

	for (int i = 0; i < t->n; i++)
		command |= !t->v[i].is_pid;
	if (header != NULL)
		cmd_run_args(run_name, header, t->n > 0, command, args, nargs);
	free(header);
}

void
cmd_run(int argc, char **argv)
{
	static char option[] = "-s";
	struct cmd c = { .out = stdout };
	struct run_dirs dirs;

	if (argc < 3)
		run_usage(stderr, 2);
	bool list = strcmp(argv[2], "-l") == 0;
	bool help = strcmp(argv[2], "-h") == 0 ||
		    strcmp(argv[2], "--help") == 0;
	if (help && argc == 3)
		run_usage(stdout, 0);
	if (argv[2][0] == '-' && !(list && argc == 3) && !(help && argc == 4))
		run_usage(stderr, 2);
	find_dirs(&dirs);
	if (list) {
		print_list(&c, &dirs);
		exit(cmd_written(stdout, 0));
	}
	const char *name = argv[help ? 3 : 2];
	if (!find_tool(&dirs, name, run_path))
		no_tool(&c, &dirs, name);
	if (help || is_help(argc, argv)) {
		print_help(&c, run_path);
		exit(cmd_written(stdout, 0));
	}
	argv[1] = option;
	argv[2] = run_path;
	run_name = name;
}
