/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cmd_anon.c - dtrace -A: have something traced from early boot.
 *
 * What BPF programs have recorded can be read only by who knows their tables,
 * so a trace does not outlive the process that holds it.  Anonymous tracing is
 * therefore a process, `dtrace --hold` (cmd_hold.c), which a unit of systemd
 * starts before file systems, devices and modules.  -A compiles the programs,
 * so that errors are reported now, and writes the unit with the same arguments;
 * scripts are copied, since theirs may be file systems that are not there so
 * early.  -A without programs takes all of that away.
 */
#include "cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCRIPTS	 "/etc/dtrace/anonymous"
#define SYSTEM	 "/etc/systemd/system"
#define UNIT	 "dtrace-anonymous.service"
#define UNITFILE SYSTEM "/" UNIT
#define WANTED	 SYSTEM "/sysinit.target.wants"

static const char unit_head[] =
"# Written by dtrace -A; dtrace -A without programs removes it.\n"
"[Unit]\n"
"Description=Anonymous tracing\n"
"Documentation=man:dtrace(1)\n"
"DefaultDependencies=no\n"
"IgnoreOnIsolate=yes\n"
"Before=sysinit.target local-fs-pre.target systemd-modules-load.service"
" systemd-udevd.service shutdown.target\n"
"Conflicts=shutdown.target\n"
"\n"
"[Service]\n"
"Type=forking\n"
"TimeoutStartSec=60\n";

static const char unit_tail[] =
"\n"
"[Install]\n"
"WantedBy=sysinit.target\n";

/* ---- the arguments of the unit ------------------------------------------- */

/* An argument as systemd.service(5) quotes it. */
static void
put_arg(FILE *fp, const char *s)
{
	fputs(" \"", fp);
	for (; *s != '\0'; s++) {
		if (*s == '\n') {
			fputs("\\n", fp);
			continue;
		}
		if (*s == '"' || *s == '\\')
			fputc('\\', fp);
		else if (*s == '%' || *s == '$')
			fputc(*s, fp); /* doubled */
		fputc(*s, fp);
	}
	fputc('"', fp);
}

static void
put_option(FILE *fp, int opt, const char *arg)
{
	const char s[] = { '-', (char)opt, '\0' };

	put_arg(fp, s);
	if (arg != NULL)
		put_arg(fp, arg);
}

/* A directory is looked for from / when the system boots. */
static void
put_dir(FILE *fp, int opt, const char *dir)
{
	char *path = realpath(dir, NULL);

	put_option(fp, opt, path != NULL ? path : dir);
	free(path);
}

/* What has no meaning for a trace that nobody watches yet; NULL: it has. */
static const char *
refusal(int opt)
{
	switch (opt) {
	case 'a':
	case 'B':
	case 'e':
	case 'G':
	case 'h':
	case 'l':
	case 'V':
		return "it does something else than to save what is to be "
		       "traced";
	case 'c':
	case 'p':
		return "there are no processes yet when tracing begins";
	case 'o':
		return "the file is for dtrace -a, which prints what has been "
		       "traced";
	default:
		return NULL;
	}
}

static void
check_option(struct cmd *c, int opt, const char *arg)
{
	if (refusal(opt) != NULL)
		cmd_fatal(c, "-%c has no meaning with -A: %s", opt,
			  refusal(opt));
	if (opt == 's' && strcmp(arg, "-") == 0)
		cmd_fatal(c, "-A: a script from standard input cannot be "
			     "saved: name a file");
	if ((opt == 'I' || opt == 'L') && access(arg, F_OK) != 0)
		cmd_fatal(c, "-%c %s: %s", opt, arg, strerror(errno));
	if (opt == 'O' && strncmp(arg, "json", 4) != 0)
		cmd_fatal(c, "-O %s has no meaning with -A: pictures are made "
			     "of what dtrace -a prints with -O jsonl", arg);
}

static void
save_option(FILE *fp, int opt, const char *arg, int *nscripts)
{
	char path[64];

	switch (opt) {
	case 'A':
		break;
	case '3':
	case '6':
		put_arg(fp, opt == '3' ? "-32" : "-64");
		break;
	case 's':
		snprintf(path, sizeof(path), SCRIPTS "/%d.d", ++*nscripts);
		put_option(fp, opt, path);
		break;
	case 'I':
	case 'L':
		put_dir(fp, opt, arg);
		break;
	default:
		put_option(fp, opt, arg);
	}
}

char *
cmd_anon_args(struct cmd *c, int argc, char **argv)
{
	char *text = NULL;
	size_t n;
	int opt, nscripts = 0, nargs = 0;

	while ((opt = cmd_getopt(argc, argv, c->args, &nargs)) != -1)
		if (opt != '?' && opt != ':') /* reported by the first pass */
			check_option(c, opt, optarg);
	FILE *fp = open_memstream(&text, &n);
	if (fp == NULL)
		cmd_fatal(c, "memory allocation failure");
	optind = nargs = 0;
	while ((opt = cmd_getopt(argc, argv, c->args, &nargs)) != -1)
		if (opt != '?' && opt != ':')
			save_option(fp, opt, optarg, &nscripts);
	if (nargs > 0)
		put_arg(fp, "--");
	for (int i = 0; i < nargs; i++)
		put_arg(fp, c->args[i]);
	if (fclose(fp) != 0)
		cmd_fatal(c, "memory allocation failure");
	return text;
}

/* ---- files --------------------------------------------------------------- */

/* Make a directory and those above it. */
static void
make_dirs(struct cmd *c, const char *dir)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s", dir);
	for (char *p = path + 1; p != NULL; p = *p != '\0' ? p + 1 : NULL) {
		p = strchrnul(p, '/');
		const char was = *p;
		*p = '\0';
		if (mkdir(path, 0755) != 0 && errno != EEXIST)
			cmd_fatal(c, "-A: failed to create %s: %s", path,
				  strerror(errno));
		*p = was;
	}
}

static FILE *
open_new(struct cmd *c, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	FILE *fp = fd >= 0 ? fdopen(fd, "w") : NULL;

	if (fp == NULL)
		cmd_fatal(c, "-A: failed to create %s: %s", path,
			  strerror(errno));
	return fp;
}

static void
close_new(struct cmd *c, FILE *fp, const char *path)
{
	bool bad = ferror(fp) != 0 || fflush(fp) != 0 || fsync(fileno(fp)) != 0;

	if (fclose(fp) != 0 || bad)
		cmd_fatal(c, "-A: failed to write %s: %s", path,
			  strerror(errno));
}

static void
copy_script(struct cmd *c, const char *from, int n)
{
	char path[64], buf[8192];
	size_t got;
	FILE *in = fopen(from, "r"), *out;

	if (in == NULL)
		cmd_fatal(c, "failed to open %s: %s", from, strerror(errno));
	snprintf(path, sizeof(path), SCRIPTS "/%d.d", n);
	out = open_new(c, path);
	while ((got = fread(buf, 1, sizeof(buf), in)) > 0)
		fwrite(buf, 1, got, out);
	fclose(in);
	close_new(c, out, path);
}

/* Remove a file; true if there was one. */
static bool
removed(struct cmd *c, const char *path)
{
	if (unlink(path) == 0)
		return true;
	if (errno != ENOENT && errno != ENOTDIR)
		cmd_fatal(c, "-A: failed to remove %s: %s", path,
			  strerror(errno));
	return false;
}

static void
remove_saved(struct cmd *c)
{
	char path[64];
	bool had = removed(c, UNITFILE);

	/* What is left half way is of no effect without the unit. */
	(void)removed(c, WANTED "/" UNIT);
	for (int i = 1; snprintf(path, sizeof(path), SCRIPTS "/%d.d", i) > 0 &&
			removed(c, path); i++)
		;
	(void)rmdir(SCRIPTS);
	if (had)
		cmd_error("cleaned up old anonymous enabling in %s", UNITFILE);
	else if (c->nprogs == 0)
		cmd_error("there is no anonymous enabling");
}

static void
write_unit(struct cmd *c, const char *args)
{
	char self[PATH_MAX];

	if (!cmd_self(self))
		cmd_fatal(c, "-A: /proc/self/exe: %s", strerror(errno));
	FILE *fp = open_new(c, UNITFILE);
	fputs(unit_head, fp);
	fputs("ExecStart=", fp);
	put_arg(fp, self);
	fprintf(fp, " --hold%s\n", args);
	fputs(unit_tail, fp);
	(void)fchmod(fileno(fp), 0644);
	close_new(c, fp, UNITFILE);
}

void
cmd_anon_save(struct cmd *c, const char *args)
{
	int nscripts = 0;

	remove_saved(c);
	if (c->nprogs == 0)
		return;
	make_dirs(c, SCRIPTS);
	make_dirs(c, WANTED);
	for (int i = 0; i < c->nprogs; i++)
		if (c->progs[i].is_file)
			copy_script(c, c->progs[i].text, ++nscripts);
	write_unit(c, args);
	if (symlink("../" UNIT, WANTED "/" UNIT) != 0)
		cmd_fatal(c, "-A: failed to create %s: %s", WANTED "/" UNIT,
			  strerror(errno));
	cmd_error("saved anonymous enabling in %s", UNITFILE);
	if (access("/run/systemd/system", F_OK) == 0)
		cmd_error("tracing begins when the system boots; to begin now: "
			  "systemctl daemon-reload && systemctl start "
			  "dtrace-anonymous");
	else
		cmd_error("systemd does not run here: have the command of "
			  "ExecStart run when the system boots");
}
