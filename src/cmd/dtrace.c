/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dtrace.c - dtrace(1): processes, programs, the loop.
 *
 * The arguments have been read (cmd_args.c) before anything is done.  Then the
 * processes of -c and -p are started, since $target is one of them, and
 * programs are compiled in the order given.
 *
 * Exit status: 0, or exit()'s; 1 for an error; 2 for bad usage.
 */
#include "cmd.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

volatile sig_atomic_t cmd_interrupted;

/* Who ends a group of processes may signal us twice: timeout(1) does. */
#define SIGNALS_APART_NS 300000000

void
cmd_interrupt(void)
{
	static const char end[] = ": interrupted again: what is left is not "
				  "printed\n";
	static struct timespec first;
	struct timespec now;
	const int sys = errno;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (cmd_interrupted == 0)
		first = now;
	else if ((now.tv_sec - first.tv_sec) * 1000000000LL + now.tv_nsec -
			 first.tv_nsec >
		 SIGNALS_APART_NS) {
		/* Descriptors close: all is detached. */
		(void)!write(STDERR_FILENO, cmd_name, strlen(cmd_name));
		(void)!write(STDERR_FILENO, end, sizeof(end) - 1);
		_exit(1);
	}
	cmd_interrupted = 1;
	errno = sys;
}

static volatile sig_atomic_t to_trace; /* that is what it was started for */
static volatile sig_atomic_t going; /* tracing has begun */
static dtrace_hdl_t *volatile starting; /* what dtrace_go() is at work for */

/* ---- processes ----------------------------------------------------------- */

/* Words are separated by white space; quotes group, as users expect.  *open is
   set to a quote that does not end. */
static char **
split_words(char *s, char *open)
{
	size_t n = 0, cap = strlen(s) / 2 + 2;
	char **v = calloc(cap, sizeof(*v));

	if (v == NULL)
		return NULL;
	for (char *p = s; *p != '\0';) {
		while (isspace((unsigned char)*p))
			p++;
		if (*p == '\0')
			break;
		char *q = p;
		v[n++] = q;
		char quote = '\0';
		for (; *p != '\0' && (quote || !isspace((unsigned char)*p));
		     p++) {
			if (quote == '\0' && (*p == '"' || *p == '\''))
				quote = *p;
			else if (quote != '\0' && *p == quote)
				quote = '\0';
			else
				*q++ = *p;
		}
		bool more = *p != '\0';
		*q = '\0';
		*open = quote;
		if (more)
			p++;
	}
	return v;
}

/* A program that is traced from its start is not given privileges by its file
   (execve(2)): it fails then where it would not by itself. */
static void
tell_of_privileges(const struct cmd *c, const char *name,
		   struct ps_prochandle *p)
{
	char path[32];
	struct stat st;

	if (p == NULL || geteuid() == 0)
		return;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)dtrace_proc_pid(p));
	if (stat(path, &st) == 0 &&
	    ((st.st_mode & (S_ISUID | S_ISGID)) != 0 ||
	     getxattr(path, "security.capability", NULL, 0) > 0))
		cmd_notice(c,
			   "%s runs without the privileges that its file "
			   "gives, as it is traced (as root, -p traces one "
			   "that has them)",
			   name);
}

static struct ps_prochandle *
start_command(struct cmd *c, char *command)
{
	char open = '\0';
	char **words = split_words(command, &open);

	if (words == NULL || words[0] == NULL)
		cmd_fatal(c, "-c: no command was given");
	if (open != '\0')
		cmd_fatal(c, "-c: a quote (%c) in the command has no end",
			  open);
	struct ps_prochandle *p = dtrace_proc_create(c->dtp, words[0], words,
						     NULL, NULL);
	tell_of_privileges(c, words[0], p);
	free(words);
	return p;
}

static struct ps_prochandle *
grab_process(struct cmd *c, const char *arg)
{
	char *end;

	errno = 0;
	long pid = strtol(arg, &end, 10);
	if (errno != 0 || end == arg || *end != '\0' || pid <= 0)
		cmd_fatal(c, "invalid pid: %s%s", arg,
			  isalpha((unsigned char)*arg) ?
				  " (pgrep tells the number of a name: "
				  "-p $(pgrep -n NAME))" : "");
	return dtrace_proc_grab(c->dtp, (pid_t)pid, 0);
}

/* True if the process has been named already.  Its clauses would be there
   twice. */
static bool
named_twice(struct ps_prochandle *const *procs, int n,
	    struct ps_prochandle *p)
{
	for (int i = 0; i < n; i++)
		if (dtrace_proc_pid(procs[i]) == dtrace_proc_pid(p))
			return true;
	return false;
}

static void
start_processes(struct cmd *c, const struct cmd_targets *t,
		struct ps_prochandle **procs)
{
	for (int i = 0; i < t->n; i++) {
		struct ps_prochandle *p =
			t->v[i].is_pid ? grab_process(c, t->v[i].arg)
				       : start_command(c, t->v[i].arg);
		if (p == NULL)
			cmd_fatal(c, "%s%s", cmd_error_tag(c),
				  dtrace_errmsg(c->dtp, dtrace_errno(c->dtp)));
		if (named_twice(procs, c->nprocs, p))
			dtrace_proc_release(c->dtp, p);
		else
			procs[c->nprocs++] = p;
	}
	c->live = c->nprocs;
}

/* ---- programs ------------------------------------------------------------ */

static void
compile_text(struct cmd *c, struct cmd_prog *p)
{
	p->prog = dtrace_program_strcompile(c->dtp, p->text, p->spec,
					    c->cflags, c->nargs, c->args);
	if (p->prog == NULL)
		cmd_program_fatal(c, p);
	/* For notices: the description without predicate and body. */
	size_t n = strcspn(p->text, "{/;");
	while (n > 0 && isspace((unsigned char)p->text[n - 1]))
		n--;
	p->name = strndup(p->text, n);
}

static void
compile_file(struct cmd *c, struct cmd_prog *p)
{
	bool in = strcmp(p->text, "-") == 0;
	FILE *fp = in ? stdin : fopen(p->text, "r");

	if (fp == NULL)
		cmd_fatal(c, "failed to open %s: %s", p->text,
			  strerror(errno));
	c->args[0] = (char *)(in ? "<stdin>" : p->text);
	p->prog = dtrace_program_fcompile(c->dtp, fp, c->cflags, c->nargs,
					  c->args);
	if (!in)
		fclose(fp);
	if (p->prog == NULL)
		cmd_program_fatal(c, p);
	p->name = strdup(p->text);
}

/* Lines of text, each with what they are before it. */
static void
print_lines(const char *what, const char *s)
{
	for (size_t n; *s != '\0'; s += n + (s[n] != '\0')) {
		n = strcspn(s, "\n");
		cmd_error("%s%.*s", what, (int)n, s);
	}
}

static void
enable_prog(struct cmd *c, struct cmd_prog *p)
{
	if (c->mode != MODE_RUN)
		dtrace_program_info(c->dtp, p->prog, &p->info);
	else if (dtrace_program_exec(c->dtp, p->prog, &p->info) != 0)
		cmd_dfatal(c, "failed to enable '%s'", p->name);
	print_lines("warning: ", dtrace_program_warnings(c->dtp, p->prog));
	if (c->verbose) {
		/* Where it means another thing than in C. */
		print_lines("note: ", dtrace_program_notes(c->dtp, p->prog));
		cmd_stability(c, p);
	}
	if (c->mode == MODE_RUN)
		cmd_notice(c, "%s '%s' matched %u probe%s", p->desc, p->name,
			   p->info.dpi_matches,
			   p->info.dpi_matches == 1 ? "" : "s");
}

/* True if text has that line, of n bytes. */
static bool
has_line(const char *text, const char *line, size_t n)
{
	while (text != NULL && *text != '\0') {
		size_t k = strcspn(text, "\n");
		if (k == n && memcmp(text, line, n) == 0)
			return true;
		text += k + (text[k] == '\n');
	}
	return false;
}

/* What runs where: a line of dtrace_engines() each.  before: not all, but what
   was not told then; how many probes an engine has by now is not of
   interest. */
static void
print_engines(struct cmd *c, const char *before)
{
	for (const char *s = dtrace_engines(c->dtp); *s != '\0';) {
		size_t n = strcspn(s, "\n");
		if (before == NULL || (strncmp(s, "engine ", 7) != 0 &&
				       !has_line(before, s, n)))
			cmd_error("%.*s", (int)n, s);
		s += n + (s[n] == '\n');
	}
}

/* ---- running ------------------------------------------------------------- */

/*
 * Until something is traced there is nothing to be printed, and starting may
 * take its time: what has been changed is put right when we are gone, or else
 * by us when dtrace_go() returns.
 */
static void
on_signal(int sig)
{
	static const char early[] = ": ended before tracing began: nothing was "
				    "traced\n";

	if (!going && (starting == NULL || dtrace_guarded(starting))) {
		if (to_trace) {
			(void)!write(STDERR_FILENO, cmd_name, strlen(cmd_name));
			(void)!write(STDERR_FILENO, early, sizeof(early) - 1);
		}
		signal(sig, SIG_DFL);
		raise(sig); /* comes when we return */
		return;
	}
	cmd_interrupt();
}

static void
catch_signals(void)
{
	const int sigs[] = { SIGINT, SIGTERM, SIGHUP };
	/* A write of output goes on; waiting does not. */
	struct sigaction act = { .sa_handler = on_signal,
				 .sa_flags = SA_RESTART }, old;

	sigemptyset(&act.sa_mask);
	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++) {
		if (sigaction(sigs[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(sigs[i], &act, NULL);
	}
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* writes say so themselves */
}

/* Counts of what a pattern has matched and cannot be placed are missing from
   the output, as drops are: so it is said, also where quiet; and again when
   libraries that have been opened since have brought more. */
static void
tell_left_out(struct cmd *c, const char *whose)
{
	unsigned all = dtrace_left_out(c->dtp), n = all - c->left_out;

	c->left_out = all;
	if (n != 0 && !c->verbose)
		cmd_error("%u of the %s ha%s no place in the code, and do%s "
			  "not fire (-v says which, and why)",
			  n, whose, n == 1 ? "s" : "ve", n == 1 ? "es" : "");
}

/* What somebody asks for by name or by an option and will not see; with -v it
   is among the rest. */
static void
tell_not_seen(struct cmd *c)
{
	if (!c->verbose)
		print_lines("", dtrace_not_seen(c->dtp));
}

/* If it was the screen that nobody reads any more, what is left is printed on
   the terminal. */
static void
flush_output(struct cmd *c)
{
	if (fflush(c->out) == 0)
		return;
	if (c->screen == NULL || errno != EPIPE)
		cmd_output_failed(c, errno);
	clearerr(c->out);
	cmd_interrupted = 1;
}

/* What is printed from now on is for the terminal. */
static void
live_over(struct cmd *c)
{
	c->died |= !cmd_live_end(c);
}

/* Switch tracing on and let the processes go.  What is said of it meanwhile is
   said here. */
static void
trace_begin(struct cmd *c, struct ps_prochandle **procs)
{
	int64_t asked[CMD_NADJUSTED];

	cmd_handlers(c);
	cmd_asked(c, asked);
	struct cmd_patience *patience = cmd_patience_begin("placing probes", 2);
	starting = c->dtp;
	int rc = dtrace_go(c->dtp);
	cmd_patience_end(patience);
	if (rc != 0)
		cmd_dfatal(c, "could not enable tracing");
	going = 1;
	starting = NULL;
	cmd_adjusted(c, asked);
	tell_left_out(c, "matched probes");
	tell_not_seen(c);
	if (c->verbose)
		print_engines(c, NULL);
	for (int i = 0; i < c->nprocs; i++)
		dtrace_proc_continue(c->dtp, procs[i]);
}

/* True if tracing is to end: the user has said so, or no process is left. */
static bool
trace_is_over(const struct cmd *c)
{
	return cmd_interrupted || (c->nprocs > 0 && c->live == 0);
}

/* Consume what there is; true if that was the last. */
static bool
trace_work(struct cmd *c, FILE *fp)
{
	switch (dtrace_work(c->dtp, fp, cmd_chew, cmd_chewrec, c)) {
	case DTRACE_WORKSTATUS_DONE:
		return true;
	case DTRACE_WORKSTATUS_OKAY:
		return false;
	default:
		if (cmd_output_closed(c))
			cmd_quit(c, 0);
		cmd_dfatal(c, "processing aborted");
	}
}

/* To take thousands of probes back lasts as long as to place them. */
static void
trace_stop(struct cmd *c)
{
	struct cmd_patience *patience =
		cmd_patience_begin("taking the probes back", 1);
	int rc = dtrace_stop(c->dtp);

	cmd_patience_end(patience);
	if (rc != 0)
		cmd_dfatal(c, "could not stop tracing");
}

/* Until tracing is over.  newline: the line of ^C has been ended. */
static void
trace_consume(struct cmd *c, FILE *fp, bool newline)
{
	for (bool done = false; !done;) {
		if (cmd_output_closed(c) && c->screen == NULL)
			cmd_quit(c, 0);
		if (!trace_is_over(c))
			dtrace_sleep(c->dtp);
		if (trace_is_over(c))
			live_over(c);
		if (cmd_interrupted && !newline) {
			newline = true;
			if (!c->structured)
				cmd_out(c, "\n");
		}
		if (trace_is_over(c)) {
			done = true;
			trace_stop(c);
		}
		done |= trace_work(c, fp);
		tell_left_out(c, "probes in libraries opened since");
		cmd_show_look(c);
		flush_output(c);
		cmd_live_look(c);
		cmd_patience_look(c);
	}
}

static void
run(struct cmd *c, struct ps_prochandle **procs)
{
	bool newline = false;
	FILE *fp = c->buffered ? NULL : c->out;

	trace_begin(c, procs);
	char *engines = c->verbose ? strdup(dtrace_engines(c->dtp)) : NULL;
	if (c->hold) {
		cmd_hold_wait(c);
		newline = cmd_interrupted != 0; /* by -e, not by ^C */
	}
	trace_consume(c, fp, newline);
	live_over(c);
	if (engines != NULL) /* what was not so when it began */
		print_engines(c, engines);
	free(engines);
	if (!c->structured)
		cmd_out(c, "\n");
	if (dtrace_aggregate_print(c->dtp, fp, NULL) != 0)
		cmd_dfatal(c, "failed to print aggregations");
	if (dtrace_oformat_teardown(c->dtp, c->out) != 0)
		cmd_dfatal(c, "failed to end the output");
}

/* #!/usr/sbin/dtrace -qs script: the kernel gives "-qs" as one word, which
   getopt handles; here only memory is made. */
static void
make_room(struct cmd *c, int argc, struct cmd_targets *t)
{
	size_t n = (size_t)argc + 1;

	c->progs = calloc(n, sizeof(*c->progs));
	c->args = calloc(n, sizeof(*c->args));
	t->v = calloc(n, sizeof(*t->v));
	if (c->progs == NULL || c->args == NULL || t->v == NULL)
		cmd_fatal(c, "memory allocation failure");
}

static void
compile_all(struct cmd *c)
{
	for (int i = 0; i < c->nprogs; i++) {
		if (c->mode == MODE_LIST)
			cmd_list_before(c, &c->progs[i]);
		if (c->progs[i].is_file)
			compile_file(c, &c->progs[i]);
		else
			compile_text(c, &c->progs[i]);
	}
	/* Pragmas may have set these. */
	c->quiet = cmd_option_on(c, "quiet");
	c->flowindent = cmd_option_on(c, "flowindent");
	c->structured = dtrace_oformat(c->dtp) != 0;
	if (c->mode == MODE_LIST) {
		for (int i = 0; i < c->nprogs; i++)
			cmd_list_prog(c, &c->progs[i]);
		if (c->nprogs == 0 && c->nargs > 1)
			cmd_fatal(c, "-l: %s is no description: which probes "
				     "are listed say -P, -m, -f, -n, -i and "
				     "-s", c->args[1]);
		if (c->nprogs == 0)
			cmd_list_all(c);
		return;
	}
	if (c->mode == MODE_HEADER || c->mode == MODE_OBJECT) {
		(c->mode == MODE_HEADER ? cmd_header : cmd_object)(c);
		return;
	}
	/* -e alone: the options and the D libraries are looked at. */
	if (c->nprogs == 0 &&
	    dtrace_program_strcompile(c->dtp, "", DTRACE_PROBESPEC_NONE,
				      DTRACE_C_EMPTY, 0, NULL) == NULL)
		cmd_dfatal(c, "failed to read the D libraries");
	if (cmd_option_on(c, "destructive") && c->mode == MODE_RUN)
		cmd_notice(c, "allowing destructive actions");
	for (int i = 0; i < c->nprogs; i++)
		enable_prog(c, &c->progs[i]);
}

/* With -G, what is no option is an object, and no $1. */
static void
take_objects(struct cmd *c)
{
	c->objects = c->args + 1;
	c->nobjects = c->nargs - 1;
	c->nargs = 1;
}

/* On a terminal that has colours, unless another thing was asked for. */
static void
take_colours(struct cmd *c)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");
	int64_t v;

	if (dtrace_getopt(c->dtp, "color", &v) != 0 || v != DTRACEOPT_UNSET ||
	    term == NULL || strcmp(term, "dumb") == 0 ||
	    (no != NULL && *no != '\0'))
		return;
	cmd_set_option(c, "color", "auto");
}

void
cmd_open_output(struct cmd *c)
{
	c->out = stdout;
	if (c->outname == NULL)
		return;
	c->out = fopen(c->outname, "a");
	if (c->out == NULL) {
		c->out = stdout;
		cmd_fatal(c, "failed to open output file %s: %s", c->outname,
			  strerror(errno));
	}
}

/* -A, which comes first, or -a, or 0.  What stands where is not looked at. */
static int
anon_asked(struct cmd *c, int argc, char **argv)
{
	int opt, asked = 0, nargs = 0;

	optind = 0;
	while ((opt = cmd_getopt(argc, argv, c->args, &nargs)) != -1)
		if (opt == 'A' || (opt == 'a' && asked == 0))
			asked = opt;
	optind = 0;
	return asked;
}

/* What cannot be done by a process that nobody watches. */
static void
hold_options(struct cmd *c, const struct cmd_targets *t)
{
	if (c->mode != MODE_RUN || t->instead != '\0' || t->n > 0 ||
	    c->outname != NULL || c->npictures > 0 || c->buffered)
		cmd_fatal(c, "--hold: options -A, -B, -c, -e, -G, -h, -l, -o, "
			     "-p, -V and pictures have no meaning with it");
}

/* The options that are asked alone, without a trace: the status that the
   command ends with, or -1 where there is none of them. */
static int
answer_alone(int argc, char **argv)
{
	if (argc == 1) {
		cmd_print_usage(stderr);
		return 2;
	}
	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		cmd_print_usage(stdout);
		return cmd_written(stdout, 0);
	}
	if (argc <= 3 && strcmp(argv[1], "--explain") == 0)
		return cmd_explain(argc == 3 ? argv[2] : NULL);
	if (argc == 2 && strncmp(argv[1], "--explain=", 10) == 0)
		return cmd_explain(argv[1] + 10);
	return -1;
}

/* First words that change what follows: --version is -V, run is -s of a tool,
   and what is behind --hold is read by the process that holds. */
static void
take_first_word(struct cmd *c, int *argc, char ***argv)
{
	static char version[] = "-V";
	char **v = *argv;

	if (*argc == 2 && strcmp(v[1], "--version") == 0)
		v[1] = version;
	if (strcmp(v[1], "run") == 0)
		cmd_run(*argc, v);
	if (strcmp(v[1], "--hold") != 0)
		return;
	c->hold = true;
	v[1] = v[0]; /* what follows is as without it */
	(*argv)++;
	(*argc)--;
	cmd_hold_start(c);
}

static _Noreturn void
print_version(struct cmd *c)
{
	cmd_out(c, "%s: %s\n", cmd_name, _dtrace_version);
	if (fflush(c->out) != 0)
		cmd_output_failed(c, errno);
	cmd_quit(c, 0);
}

/* What cannot be given together, and what needs a program.  Answers -V. */
static void
check_args(struct cmd *c, const struct cmd_targets *t)
{
	bool made = c->mode == MODE_OBJECT || c->mode == MODE_HEADER;

	cmd_run_check(t, c->args + 1, c->nargs - 1);
	if (c->hold)
		hold_options(c, t);
	if (t->instead_too != '\0')
		cmd_usage(c, "only one of the options -%c and -%c can be given",
			  t->instead, t->instead_too);
	if (t->instead == 'V')
		print_version(c);
	if (c->mode == MODE_LIST && c->npictures > 0)
		cmd_fatal(c, "-l: a picture (-O) is made of what is recorded, "
			     "and a list records nothing: -O json and jsonl "
			     "are for lists");
	if (c->nprogs == 0 && made)
		cmd_fatal(c, "-%c needs the program that declares the "
			     "provider, as in -s file.d", t->instead);
	/* -e alone is a way to look at options; arguments are a program's. */
	if (c->nprogs == 0 && (c->mode == MODE_RUN ||
			       (c->mode == MODE_CHECK && c->nargs > 1)))
		cmd_no_probes(c);
}

/* Before processes are started: what the options say of output and signals. */
static void
get_ready(struct cmd *c)
{
	if (c->mode == MODE_OBJECT)
		take_objects(c);
	else if (c->mode != MODE_HEADER)
		cmd_open_output(c);
	if (c->mode == MODE_RUN)
		cmd_show_options(c);
	take_colours(c);
	c->quiet = cmd_option_on(c, "quiet");
	to_trace = c->mode == MODE_RUN;
	catch_signals();
}

/* The programs are compiled: run them. */
static void
run_all(struct cmd *c, struct ps_prochandle **procs)
{
	for (int i = 0; i < c->nprogs; i++)
		c->matches += c->progs[i].info.dpi_matches;
	if (c->matches == 0 && !(c->cflags & DTRACE_C_ZDEFS))
		cmd_fatal(c, "no probes matched");
	cmd_show_start(c);
	cmd_live_start(c);
	run(c, procs);
}

int
main(int argc, char **argv)
{
	struct cmd c = { .mode = MODE_RUN, .out = stdout };
	struct cmd_targets t = { 0 };
	int err = 0;

	cmd_std_files();
	int alone = answer_alone(argc, argv);
	if (alone >= 0)
		return alone;
	take_first_word(&c, &argc, &argv);
	c.dtp = dtrace_open(DTRACE_VERSION, 0, &err);
	if (c.dtp == NULL) {
		cmd_error("failed to initialize dtrace: %s",
			  dtrace_errmsg(NULL, err));
		return 1;
	}
	make_room(&c, argc, &t);
	int anon = anon_asked(&c, argc, argv);
	if (anon == 'a')
		cmd_quit(&c, cmd_hold_claim(&c, argc, argv));
	char *saved = anon == 'A' ? cmd_anon_args(&c, argc, argv) : NULL;
	cmd_parse_args(&c, argc, argv, &t);
	check_args(&c, &t);
	get_ready(&c);
	/* Wherever this ends, it is not lost. */
	static struct ps_prochandle **procs;
	procs = calloc((size_t)t.n + 1, sizeof(*procs));
	if (procs == NULL)
		cmd_fatal(&c, "memory allocation failure");
	cmd_live_options(&c);
	cmd_live_hide(&c);
	start_processes(&c, &t, procs);
	cmd_live_unhide(&c);
	compile_all(&c);
	if (c.mode == MODE_SAVE)
		cmd_anon_save(&c, saved);
	free(saved);
	if (c.mode == MODE_RUN)
		run_all(&c, procs);
	free(procs);
	free(t.v);
	if (fflush(c.out) != 0)
		cmd_output_failed(&c, errno);
	cmd_quit(&c, c.status == 0 && c.died ? 1 : c.status);
}
