/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * export_main.c - dtrace-export(1): options, the program, the loop.
 *
 * SIGTERM, SIGINT: tracing ends, a last snapshot goes to the endpoint of OTLP,
 * status 0.  SIGHUP: certificate, key and token are read anew; the program is
 * not, for a new one begins to count at zero, as a restart does.
 *
 * Exit status: 0, or exit()'s; 1 for an error; 2 for bad usage.
 */
#include "export/export.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_ADDRESS "127.0.0.1:9466"
#define DEFAULT_LIMIT 1000
#define PROGRAM_MAX_BYTES (16u << 20)

struct program {
	const char *text, *file; /* one of them */
};

struct exporter {
	dtrace_hdl_t *dtp;
	struct export_spec spec;
	struct export_stats stats;
	struct export_http_opts http_opts;
	struct export_otlp_opts otlp_opts;
	struct export_http *http; /* NULL: -l none */
	struct export_otlp *otlp; /* NULL: no -o */
	VEC(struct program) progs;
	VEC(char *) xs;
	VEC(const char *) pids;
	const char *command;
	char **args; /* $0, $1 ... */
	int nargs;
	unsigned cflags;
	double every;
	size_t limit;
	int live; /* processes of -c and -p that run */
	int nprocs;
	bool told_drop[EXPORT_DROPS], told_error, told_output;
};

static volatile sig_atomic_t end_asked, reload_asked;

/* A line of the library's, and the end. */
static _Noreturn void
dfatal(struct exporter *e, const char *what)
{
	export_say("%s%s%s", what, *what != '\0' ? ": " : "",
		   dtrace_errmsg(e->dtp, dtrace_errno(e->dtp)));
	dtrace_close(e->dtp);
	_exit(1);
}

static void
export_print_usage(FILE *fp)
{
	fputs("usage: dtrace-export [-Z] [-l address] [-C cert -K key] "
	      "[-T token] [-o url]\n"
	      "\t[-A ca] [-H headers] [-I seconds] [-i seconds] [-m sets]\n"
	      "\t[-c command] [-p pid] [-x opt[=val]] -s script | -n program "
	      "[args ...]\n", fp);
}

static _Noreturn void
export_usage(const char *fmt, const char *what)
{
	if (fmt != NULL)
		export_say(fmt, what);
	export_print_usage(stderr);
	exit(2);
}

/* ---- options ------------------------------------------------------------ */

static double
number_of(const char *text, double least, double most, const char *wrong)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || *end != '\0' || !(v >= least && v <= most))
		export_usage(wrong, text);
	return v;
}

#define PUSH(vec, x)                                                   \
	do {                                                           \
		if (!vec_push(vec, x))                                 \
			export_fatal("memory allocation failure");     \
	} while (0)

static void
export_option(struct exporter *e, int c, char *arg)
{
	switch (c) {
	case 's': PUSH(&e->progs, ((struct program){ .file = arg })); break;
	case 'n': PUSH(&e->progs, ((struct program){ .text = arg })); break;
	case 'x': PUSH(&e->xs, arg); break;
	case 'p': PUSH(&e->pids, arg); break;
	case 'c': e->command = arg; break;
	case 'Z': e->cflags |= DTRACE_C_ZDEFS; break;
	case 'l': e->http_opts.listen = arg; break;
	case 'C': e->http_opts.cert = arg; break;
	case 'K': e->http_opts.key = arg; break;
	case 'T': e->http_opts.token = arg; break;
	case 'o': e->otlp_opts.url = arg; break;
	case 'A': e->otlp_opts.ca = arg; break;
	case 'H': e->otlp_opts.headers = arg; break;
	case 'I':
		e->otlp_opts.every = number_of(arg, 0.1, 86400, "-I %s: not "
			"a number of seconds from 0.1 to 86400");
		break;
	case 'i':
		e->every = number_of(arg, 0.1, 3600, "-i %s: not a number of "
				     "seconds from 0.1 to 3600");
		break;
	case 'm':
		e->limit = (size_t)number_of(arg, 1, 1e6, "-m %s: not a "
					     "number from 1 to 1000000");
		break;
	default: export_usage(NULL, NULL);
	}
}

static void
export_options(struct exporter *e, int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "+s:n:x:p:c:Zl:C:K:T:o:A:H:I:i:m:")) !=
	       -1)
		export_option(e, c, optarg);
	if (e->progs.n == 0)
		export_usage("a program is missing: -s %s or -n program",
			     "script");
	if ((e->http_opts.cert == NULL) != (e->http_opts.key == NULL))
		export_usage("TLS needs a certificate and a key: -%s",
			     e->http_opts.cert == NULL ? "C" : "K");
	if (strcmp(e->http_opts.listen, "none") == 0)
		e->http_opts.listen = NULL;
	if (e->http_opts.listen == NULL && e->otlp_opts.url == NULL)
		export_usage("nobody would see it: -l none needs %s", "-o url");
	if (e->otlp_opts.url == NULL &&
	    (e->otlp_opts.ca != NULL || e->otlp_opts.headers != NULL))
		export_usage("-A and -H are of use with %s only", "-o url");
	e->args = argv + optind - 1; /* $0 is the program's */
	e->nargs = argc - optind + 1;
}

/* ---- the program -------------------------------------------------------- */

/* A file whole, and back at its beginning; for free(3). */
static char *
read_program(const char *file, FILE *fp)
{
	struct buf b = BUF_INIT;
	char part[4096];
	size_t n;

	while ((n = fread(part, 1, sizeof(part), fp)) > 0 &&
	       b.n < PROGRAM_MAX_BYTES)
		buf_write(&b, part, n);
	if (ferror(fp))
		export_fatal("%s: %s", file, strerror(errno));
	if (b.n >= PROGRAM_MAX_BYTES || fseek(fp, 0, SEEK_SET) != 0)
		export_fatal("%s: a file that can be read twice is expected, "
			     "with less than 16 MB", file);
	if (b.n == 0)
		buf_puts(&b, "");
	if (b.failed)
		export_fatal("memory allocation failure");
	return buf_detach(&b);
}

static void
read_comments(struct exporter *e, const char *file, const char *text)
{
	char err[512];

	if (export_spec_read(&e->spec, file, text, err, sizeof(err)) != 0)
		export_fatal("%s", err);
}

static void
compile(struct exporter *e, const struct program *p)
{
	dtrace_prog_t *prog;
	FILE *fp = NULL;

	e->args[0] = (char *)(uintptr_t)(p->file != NULL ? p->file :
							   "dtrace-export");
	if (p->file != NULL) {
		fp = fopen(p->file, "re");
		if (fp == NULL)
			export_fatal("%s: %s", p->file, strerror(errno));
		char *text = read_program(p->file, fp);
		read_comments(e, p->file, text);
		free(text);
		prog = dtrace_program_fcompile(e->dtp, fp, e->cflags, e->nargs,
					       e->args);
		fclose(fp);
	} else {
		read_comments(e, "-n", p->text);
		prog = dtrace_program_strcompile(e->dtp, p->text,
			DTRACE_PROBESPEC_NAME, e->cflags, e->nargs, e->args);
	}
	if (prog == NULL || dtrace_program_exec(e->dtp, prog, NULL) != 0)
		dfatal(e, p->file != NULL ? p->file : "-n");
}

/* ---- what tracing tells ------------------------------------------------- */

static int
export_on_drop(const dtrace_dropdata_t *d, void *arg)
{
	struct exporter *e = arg;
	unsigned kind = (unsigned)d->dtdda_kind;

	if (kind >= EXPORT_DROPS)
		return DTRACE_HANDLE_OK;
	atomic_fetch_add(&e->stats.drops[kind], d->dtdda_drops);
	if (!e->told_drop[kind])
		export_say("%.*s; later ones are counted in "
			   "dtrace_export_drops_total",
			   (int)strcspn(d->dtdda_msg, "\n"), d->dtdda_msg);
	e->told_drop[kind] = true;
	return DTRACE_HANDLE_OK;
}

static int
export_on_error(const dtrace_errdata_t *d, void *arg)
{
	struct exporter *e = arg;

	atomic_fetch_add(&e->stats.errors, 1);
	if (!e->told_error)
		export_say("%.*s; later ones are counted in "
			   "dtrace_export_probe_errors_total",
			   (int)strcspn(d->dteda_msg, "\n"), d->dteda_msg);
	e->told_error = true;
	return DTRACE_HANDLE_OK;
}

static int
export_on_proc(struct ps_prochandle *P, const char *msg, void *arg)
{
	struct exporter *e = arg;

	if (msg != NULL)
		export_say("%.*s", (int)strcspn(msg, "\n"), msg);
	(void)P; /* the handle's, until its end */
	e->live--;
	return DTRACE_HANDLE_OK;
}

/* ---- processes ---------------------------------------------------------- */

/* The words of -c, at blanks. */
static struct ps_prochandle *
export_command(struct exporter *e, char *text)
{
	VEC(char *) words = { 0 };
	struct ps_prochandle *P;
	char *save;

	for (char *w = strtok_r(text, " \t\n", &save); w != NULL;
	     w = strtok_r(NULL, " \t\n", &save))
		PUSH(&words, w);
	if (words.n == 0)
		export_usage("-c %s: a command is missing", text);
	PUSH(&words, NULL);
	P = dtrace_proc_create(e->dtp, words.v[0], words.v, NULL, NULL);
	vec_fini(&words);
	return P;
}

static struct ps_prochandle *
grab(struct exporter *e, const char *text)
{
	char *end;
	long pid = strtol(text, &end, 10);

	if (end == text || *end != '\0' || pid <= 0 || pid > 1 << 22)
		export_usage("-p %s: not a process", text);
	return dtrace_proc_grab(e->dtp, (pid_t)pid, 0);
}

static struct ps_prochandle **
get_processes(struct exporter *e)
{
	struct ps_prochandle **v = calloc(e->pids.n + 1, sizeof(*v));
	char *command = e->command != NULL ? strdup(e->command) : NULL;

	if (v == NULL || (e->command != NULL && command == NULL))
		export_fatal("memory allocation failure");
	if (command != NULL) {
		v[e->nprocs++] = export_command(e, command);
		if (v[0] == NULL)
			dfatal(e, e->command);
	}
	for (size_t i = 0; i < e->pids.n; i++) {
		v[e->nprocs] = grab(e, e->pids.v[i]);
		if (v[e->nprocs++] == NULL)
			dfatal(e, e->pids.v[i]);
	}
	e->live = e->nprocs;
	free(command);
	return v;
}

/* ---- setting up --------------------------------------------------------- */

static void
export_set(struct exporter *e, const char *name, const char *val)
{
	if (dtrace_setopt(e->dtp, name, val) == 0)
		return;
	export_say("-x %s%s%s: %s", name, val != NULL ? "=" : "",
		   val != NULL ? val : "",
		   dtrace_errmsg(e->dtp, dtrace_errno(e->dtp)));
	exit(2);
}

/* The library wakes up for the next snapshot. */
static void
set_rate(struct exporter *e)
{
	char text[32];

	snprintf(text, sizeof(text), "%lluns",
		 (unsigned long long)(e->every * 1e9));
	export_set(e, "aggrate", text);
	if (e->every < 1)
		export_set(e, "switchrate", text);
}

static void
open_dtrace(struct exporter *e)
{
	int err;

	e->dtp = dtrace_open(DTRACE_VERSION, 0, &err);
	if (e->dtp == NULL)
		export_fatal("failed to initialize dtrace: %s",
			     dtrace_errmsg(NULL, err));
	if (dtrace_handle_err(e->dtp, export_on_error, e) != 0 ||
	    dtrace_handle_drop(e->dtp, export_on_drop, e) != 0 ||
	    dtrace_handle_proc(e->dtp, export_on_proc, e) != 0)
		dfatal(e, "failed to establish handlers");
	export_set(e, "quiet", NULL);
	set_rate(e); /* -x may say otherwise */
	for (size_t i = 0; i < e->xs.n; i++) {
		char *val = strchr(e->xs.v[i], '=');
		if (val != NULL)
			*val++ = '\0';
		export_set(e, e->xs.v[i], val);
	}
}

static void
export_on_signal(int sig)
{
	if (sig == SIGHUP)
		reload_asked = 1;
	else
		end_asked = 1;
}

/* Signals come to this thread, which made the others while they were held. */
static void
set_signals(bool held)
{
	static const int sigs[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = export_on_signal };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(sigs) / sizeof(*sigs); i++) {
		sigaddset(&set, sigs[i]);
		sigaction(sigs[i], &sa, NULL);
	}
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* writes say so themselves */
	pthread_sigmask(held ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

/* Those who see what is published.  They begin before tracing does, so that an
   address that is taken is an error at once. */
static void
start_outlets(struct exporter *e)
{
	char err[512];

	set_signals(true);
	if (e->http_opts.listen != NULL) {
		e->http = export_http_start(&e->http_opts, &e->stats, err,
					    sizeof(err));
		if (e->http == NULL)
			export_fatal("%s", err);
	}
	if (e->otlp_opts.url != NULL) {
		e->otlp = export_otlp_start(&e->otlp_opts, &e->stats, err,
					    sizeof(err));
		if (e->otlp == NULL)
			export_fatal("%s", err);
	}
	set_signals(false);
}

/* ---- the loop ----------------------------------------------------------- */

static uint64_t
clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void
snapshot(struct exporter *e, uint64_t start_ns)
{
	struct export_snap *s = NULL;

	if (dtrace_aggregate_snap(e->dtp) == 0)
		s = export_snap_take(e->dtp, &e->spec, e->limit, &e->stats,
				     start_ns);
	if (s == NULL)
		dfatal(e, "failed to read aggregations");
	export_publish(s);
}

static void
reload(struct exporter *e)
{
	char err[512];

	reload_asked = 0;
	if (e->http == NULL)
		return;
	if (export_http_reload(e->http, err, sizeof(err)) != 0)
		export_say("%s: the old ones serve on", err);
	else
		export_say("certificate, key and token have been read anew");
}

/* Output of the program that cannot be written is lost, and no reason to
   end. */
static void
check_stdout(struct exporter *e)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return;
	atomic_fetch_add(&e->stats.unwritten, 1);
	if (!e->told_output)
		export_say("output of the program cannot be written: %s",
			   strerror(errno));
	e->told_output = true;
	clearerr(stdout);
}

static int
trace_loop(struct exporter *e)
{
	uint64_t start = clock_ns(CLOCK_REALTIME), next = 0;
	uint64_t every = (uint64_t)(e->every * 1e9);
	dtrace_workstatus_t st;

	do {
		bool ending = end_asked || (e->nprocs > 0 && e->live <= 0);

		if (!ending)
			dtrace_sleep(e->dtp);
		else if (dtrace_stop(e->dtp) != 0)
			dfatal(e, "failed to stop tracing");
		if (reload_asked)
			reload(e);
		st = dtrace_work(e->dtp, stdout, NULL, NULL, NULL);
		check_stdout(e);
		if (st == DTRACE_WORKSTATUS_ERROR)
			dfatal(e, "");
		if (clock_ns(CLOCK_MONOTONIC) >= next ||
		    st == DTRACE_WORKSTATUS_DONE) {
			snapshot(e, start);
			next = clock_ns(CLOCK_MONOTONIC) + every;
		}
	} while (st != DTRACE_WORKSTATUS_DONE);
	return dtrace_exit_status(e->dtp);
}

static int
export_run(struct exporter *e)
{
	struct ps_prochandle **procs;
	char err[512];
	int status;

	export_spec_init(&e->spec);
	open_dtrace(e);
	procs = get_processes(e);
	for (size_t i = 0; i < e->progs.n; i++)
		compile(e, &e->progs.v[i]);
	if (export_spec_check(&e->spec, err, sizeof(err)) != 0)
		export_fatal("%s", err);
	start_outlets(e);
	if (dtrace_go(e->dtp) != 0)
		dfatal(e, "failed to enable tracing");
	for (int i = 0; i < e->nprocs; i++)
		dtrace_proc_continue(e->dtp, procs[i]);
	free(procs);
	if (e->http != NULL)
		export_say("metrics are at %s", export_http_url(e->http));
	status = trace_loop(e);
	export_otlp_stop(e->otlp);
	export_http_stop(e->http);
	export_publish(NULL);
	dtrace_close(e->dtp);
	export_spec_fini(&e->spec);
	return status;
}

int
main(int argc, char **argv)
{
	struct exporter e = { .every = 1, .limit = DEFAULT_LIMIT,
			      .http_opts.listen = DEFAULT_ADDRESS,
			      .otlp_opts.every = 10 };
	int status;

	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		export_print_usage(stdout);
		return fflush(stdout) != 0;
	}
	export_options(&e, argc, argv);
	status = export_run(&e);
	vec_fini(&e.progs);
	vec_fini(&e.xs);
	vec_fini(&e.pids);
	return status;
}
