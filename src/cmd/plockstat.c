/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * plockstat.c - plockstat(1): who waits for which lock of a process, and who
 * holds it for how long.
 *
 * A consumer of libdtrace: clauses on the probes of the plockstat provider
 * measure times by lock and stack; what they add up is printed as tables, by
 * the first caller outside the functions of the C library, or by stack.
 */
#include <ctype.h>
#include <dtrace/dtrace.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lock_cmd.h"
#include "lock_rows.h"

#define CALLER_DEPTH 5 /* frames in which the caller is looked for */
#define BAR 24

/* ---- what is measured ---------------------------------------------------- */

enum when { HOLD, CONTENTION };

/*
 * A table: its times begin at one probe and end at another, of the same thread
 * and lock; COND is D that must hold at the end.  title NULL: more rows of the
 * one before.  The variables are those of a
 * lock that is held, or of the one that is waited for.
 */
struct table {
	const char *title;
	enum when when;
	const char *begin, *begin_cond, *end, *end_cond, *time;
	struct lock_rows rows;
};

static struct table tables[] = {
	{ "Mutex hold", HOLD, "mutex-acquire", "arg1 == 0", "mutex-release",
	  "arg1 == 0", NULL, { 0 } },
	{ "R/W reader hold", HOLD, "rw-acquire", "arg1 == 0", "rw-release",
	  "arg1 == 0", NULL, { 0 } },
	{ "R/W writer hold", HOLD, "rw-acquire", "arg1 != 0", "rw-release",
	  "arg1 != 0", NULL, { 0 } },
	{ "Mutex block", CONTENTION, "mutex-block", "1", "mutex-blocked", "1",
	  NULL, { 0 } },
	{ "Mutex spin", CONTENTION, "mutex-spin", "1", "mutex-spun", "arg1 != 0",
	  NULL, { 0 } },
	/* Those of spin locks are rows of the table before. */
	{ NULL, CONTENTION, NULL, NULL, "spin-acquire", "arg2 != 0", "arg1",
	  { 0 } },
	{ "Mutex unsuccessful spin", CONTENTION, "mutex-spin", "1", "mutex-spun",
	  "arg1 == 0", NULL, { 0 } },
	{ "R/W reader block", CONTENTION, "rw-block", "arg1 == 0", "rw-blocked",
	  "arg1 == 0", NULL, { 0 } },
	{ "R/W writer block", CONTENTION, "rw-block", "arg1 != 0", "rw-blocked",
	  "arg1 != 0", NULL, { 0 } },
};
#define NTABLES (sizeof(tables) / sizeof(*tables))

struct plockstat {
	struct lock_cmd c;
	bool hold, contention, verbose;
	bool all; /* -a: every process */
	char *from; /* callers are taken in this object; "": in all; NULL:
		       stacks are enough */
	int count;  /* rows a table; 0: all */
	int depth;  /* -s; 0: callers */
	double secs; /* -e; 0: until the end */
	uint64_t hidden; /* calls that took a lock perhaps: see put_hidden() */
	bool nomem;
};

static void
plock_usage(void)
{
	fprintf(stderr,
		"usage: plockstat [-vACHV] [-n count] [-s depth] [-e secs] "
		"[-x opt[=val]] command [arg...]\n"
		"       plockstat [-vACHV] [-n count] [-s depth] [-e secs] "
		"[-x opt[=val]] -p pid | -a\n");
	exit(2);
}

/* ---- the program --------------------------------------------------------- */

/* The table that has the rows of table i. */
static unsigned
table_shown(unsigned i)
{
	return tables[i].title != NULL ? i : i - 1;
}

/* The table whose times begin as those of table i do: they are of one
   variable. */
static unsigned
table_begins(unsigned i)
{
	const struct table *t = &tables[i];

	for (unsigned j = 0; j < i && t->begin != NULL; j++)
		if (tables[j].begin != NULL &&
		    strcmp(tables[j].begin, t->begin) == 0 &&
		    strcmp(tables[j].begin_cond, t->begin_cond) == 0)
			return j;
	return i;
}

/* A C library that has neither tables nor symbols for stacks: musl. */
static int
musl_seen(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pd, void *arg)
{
	struct plockstat *p = arg;

	if (p->from != NULL || (strncmp(pd->dtpd_mod, "ld-musl", 7) != 0 &&
				strcmp(pd->dtpd_mod, "libc.so") != 0))
		return 0;
	p->from = strdup(pd->dtpd_mod);
	p->nomem = p->from == NULL;
	return 0;
}

/* Where stacks of who waits end in the C library: in musl, and in programs that
   a process executes, which are walked by frame pointers. */
static void
find_from(struct plockstat *p, struct ps_prochandle *P)
{
	const int64_t all = 2; /* of none, fork, all */
	dtrace_probedesc_t pd = { .dtpd_name = "mutex-block" };
	int64_t follow = 0;

	if (P == NULL || !p->contention)
		return;
	(void)dtrace_getopt(p->c.dtp, "follow", &follow);
	if (follow == all) {
		p->from = strdup("");
		p->nomem = p->from == NULL;
		return;
	}
	snprintf(pd.dtpd_provider, sizeof(pd.dtpd_provider), "plockstat%d",
		 (int)dtrace_proc_pid(P));
	/* That there are none is said where the program has matched none. */
	(void)dtrace_probe_iter(p->c.dtp, &pd, musl_seen, p);
}

/* The caller is taken at the entry of what was called.  musl's call one another
   by jumps; trylock, by a call, is not here.  Patterns, so that one of them
   which has no place is left out. */
static void
put_from(FILE *fp, const struct plockstat *p)
{
	const char *m = p->from;

	if (m != NULL)
		fprintf(fp,
			"pid$target:%s:pthread_[mr]*_[lcrw]*ock:entry,\n"
			"pid$target:%s:pthread_[mr]*_ti*ock:entry\n"
			"{\n\tself->from = ucaller;\n}\n",
			m, m);
}

/* True if the rows of the table have that caller as a third key. */
static bool
has_from(const struct plockstat *p, const struct table *t)
{
	return p->from != NULL && t->when == CONTENTION;
}

/* The clauses of table i.  Waits are the thread's own: one variable; locks may
   be held many at once, and be let go by another thread. */
static void
put_clauses(FILE *fp, const struct plockstat *p, unsigned i)
{
	const struct table *t = &tables[i];
	const char *prov = p->all ? "plockstat*" : "plockstat$target";
	const unsigned shown = table_shown(i);
	int depth = p->depth != 0 ? p->depth : CALLER_DEPTH;
	const char *from_key;
	char from[64];

	snprintf(from, sizeof(from), "%s%u[arg0]",
		 t->when == HOLD ? "self->held" : "self->wait",
		 table_begins(i));
	if (t->begin != NULL && table_begins(i) == i)
		fprintf(fp, "%s:::%s\n/%s/\n{\n\t%s = timestamp;\n}\n", prov,
			t->begin, t->begin_cond, from);
	fprintf(fp, "%s:::%s\n/%s", prov, t->end, t->end_cond);
	if (t->begin != NULL)
		fprintf(fp, " && %s", from);
	fprintf(fp, "/\n{\n");
	if (t->begin != NULL)
		fprintf(fp, "\tthis->ns = timestamp - %s;\n\t%s = 0;\n", from,
			from);
	else
		fprintf(fp, "\tthis->ns = %s;\n", t->time);
	from_key = has_from(p, t) ? ", uaddr(self->from)" : "";
	fprintf(fp, "\t@t%u[usym(arg0), ustack(%d)%s] = avg(this->ns);\n",
		shown, depth, from_key);
	if (p->depth != 0)
		fprintf(fp,
			"\t@q%u[usym(arg0), ustack(%d)%s] = "
			"quantize(this->ns);\n",
			shown, depth, from_key);
	fprintf(fp, "}\n");
}

static bool
is_spin(const struct table *t)
{
	return strcmp(t->end, "spin-acquire") == 0;
}

/* The kernel steps no instruction with a lock prefix, which is all that a spin
   lock has: no probe of its can be there. */
static bool
spins_left_out(const struct plockstat *p)
{
	const int64_t kernel = 1; /* of auto, kernel, process */
	int64_t engine;

	if (!p->contention ||
	    dtrace_getopt(p->c.dtp, "engine", &engine) != 0 ||
	    (engine != kernel && !p->all))
		return false;
	fprintf(stderr, "plockstat: spin locks are left out: the kernel cannot "
			"place their probes%s\n",
		p->all ? "" : " (-x engine=process can)");
	return true;
}

/* glibc's timed mutexes end with a jump to another function, whose result
   nobody but the kernel's return probe sees.  So it is counted how often that
   is. */
static void
put_hidden(FILE *fp, const struct plockstat *p)
{
	if (p->hold && !p->all)
		fprintf(fp, "plockstat$target:::mutex-unseen\n"
			    "{\n\t@hidden = count();\n}\n");
}

static char *
program_text(struct plockstat *p, struct ps_prochandle *P)
{
	const bool without_spins = spins_left_out(p);
	char *text = NULL;
	size_t n;
	FILE *fp = open_memstream(&text, &n);

	if (fp == NULL)
		return NULL;
	find_from(p, P);
	put_from(fp, p);
	for (unsigned i = 0; i < NTABLES; i++)
		if ((tables[i].when == HOLD ? p->hold : p->contention) &&
		    !(without_spins && is_spin(&tables[i])))
			put_clauses(fp, p, i);
	put_hidden(fp, p);
	fclose(fp);
	return text;
}

/* ---- printing ------------------------------------------------------------ */

/* The length of the object's name of a frame, "libc.so.6`...". */
static size_t
frame_object(const char *s)
{
	return strcspn(s, "`\n");
}

static bool
in_library(const char *stack)
{
	return strncmp(stack, "lib", 3) == 0 || strncmp(stack, "ld-", 3) == 0;
}

/* One by which a C library waits, glibc's and musl's, without its underscores.
 */
static bool
inner_function(const char *fn)
{
	static const char *const begins[] = {
		"pthread_",  "lll_", "futex_", "syscall_c", /* _cp, _cancel */
		"timedwait", "0x"
	};

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (strncmp(fn, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

/*
 * The first frame that is not in the object where the lock functions are, which
 * the first frame is in; a program that has them itself: the first that is not
 * one of them.
 */
static void
caller_of(const char *stack, char *out, size_t size)
{
	size_t n = frame_object(stack);
	const char *best = stack;

	for (const char *s = stack; *s != '\0'; s += strcspn(s, "\n"),
			s += *s == '\n') {
		const char *fn = s + frame_object(s);

		best = s;
		if (frame_object(s) != n || strncmp(s, stack, n) != 0)
			break;
		fn += *fn == '`';
		fn += strspn(fn, "_");
		if (!in_library(stack) && !inner_function(fn))
			break;
	}
	snprintf(out, size, "%.*s", (int)strcspn(best, "\n"), best);
}

/* Frames of a stack as text, one a line, without what stands before them. */
static void
plock_stack_text(const char *s, char *out, size_t size)
{
	size_t n = 0;

	while (*s != '\0' && n + 2 < size) {
		s += strspn(s, " \t\n");
		size_t len = strcspn(s, "\n");
		if (len == 0)
			break;
		if (n + len + 2 > size)
			break;
		memcpy(out + n, s, len);
		n += len;
		out[n++] = '\n';
		s += len;
	}
	out[n] = '\0';
}

/* The stack has not left the library: the caller stands behind it. */
static void
put_caller(char *stack, size_t size, const char *from)
{
	const size_t n = frame_object(stack);
	const char *s = stack;

	while (*s != '\0' && frame_object(s) == n &&
	       strncmp(s, stack, n) == 0) {
		s += strcspn(s, "\n");
		s += *s == '\n';
	}
	if (*s == '\0')
		plock_stack_text(from, stack + (s - stack),
				 size - (size_t)(s - stack));
}

/* A row of @tN or @qN goes to its table. */
static int
collect(const dtrace_aggdata_t *d, void *arg)
{
	struct plockstat *p = arg;
	const char *name = d->dtada_desc->dtagd_name;
	char stack[8192], caller[512];
	struct lock_row *row;
	unsigned i;

	if (strcmp(name, "hidden") == 0)
		p->hidden = (uint64_t)d->dtada_cell[0];
	if ((name[0] != 't' && name[0] != 'q') ||
	    !isdigit((unsigned char)name[1]))
		return DTRACE_AGGWALK_NEXT;
	i = (unsigned)atoi(name + 1);
	plock_stack_text(d->dtada_keys[1].dtak_str, stack, sizeof(stack));
	if (has_from(p, &tables[i]))
		put_caller(stack, sizeof(stack), d->dtada_keys[2].dtak_str);
	caller_of(stack, caller, sizeof(caller));
	row = lock_rows_get(&tables[i].rows, d->dtada_keys[0].dtak_str,
			    p->depth != 0 ? stack : caller);
	if (row == NULL) {
		p->nomem = true;
		return DTRACE_AGGWALK_ABORT;
	}
	if (name[0] == 't') {
		row->count += (uint64_t)d->dtada_cell[0];
		row->sum += d->dtada_cell[1];
	} else if (lock_row_hist(row, d->dtada_cell, d->dtada_nwords) != 0) {
		p->nomem = true;
	}
	return DTRACE_AGGWALK_NEXT;
}

static void
print_rule(void)
{
	for (int i = 0; i < 79; i++)
		putchar('-');
	putchar('\n');
}

static void
plock_print_heading(void)
{
	print_rule();
	printf("%5s %8s %-28s %s\n", "Count", "nsec", "Lock", "Caller");
}

static void
plock_print_row(const struct plockstat *p, const struct lock_row *r)
{
	char caller[512];

	caller_of(r->stack, caller, sizeof(caller));
	if (p->depth != 0)
		plock_print_heading();
	printf("%5" PRIu64 " %8" PRIu64 " %-28s %s\n", r->count,
	       r->count != 0 ? (uint64_t)r->sum / r->count : 0, r->lock,
	       p->depth != 0 ? caller : r->stack);
	if (p->depth == 0)
		return;
	printf("\n%10s ---- Time Distribution --- %5s %s\n", "nsec", "count",
	       "Stack");
	lock_row_print_hist(r, r->stack, BAR, "|", stdout);
}

/* Nothing was measured: what else there is to ask for. */
static void
tell_nothing(const struct plockstat *p)
{
	int64_t follow = 0;

	for (unsigned i = 0; i < NTABLES; i++)
		if (tables[i].rows.n != 0)
			return;
	if (p->c.matched == 0)
		return; /* that has been said */
	(void)dtrace_getopt(p->c.dtp, "follow", &follow);
	/* Waits and holds that go on are not measured: a deadlock has no
	   rows. */
	if (p->all)
		follow = 1;
	fprintf(stderr, "plockstat: no %s%s%s\n",
		p->hold ? "lock was released" : "wait for a lock ended",
		p->hold ? "" : " (those that go on are not shown)",
		follow > 0 ? ""
			   : "; -x follow=all looks at the processes that it "
			     "makes, too");
}

static void
tell_hidden(const struct plockstat *p)
{
	if (p->hidden != 0)
		fprintf(stderr,
			"plockstat: %" PRIu64
			" call%s of pthread_mutex_timedlock or "
			"pthread_mutex_clocklock: whether the mutex was had is "
			"not seen, and holds that begin so are not shown (-x "
			"engine=kernel shows them)\n",
			p->hidden, p->hidden == 1 ? "" : "s");
}

static void
print_tables(struct plockstat *p)
{
	tell_nothing(p);
	tell_hidden(p);
	for (unsigned i = 0; i < NTABLES; i++) {
		struct lock_rows *r = &tables[i].rows;
		size_t n = r->n;

		lock_rows_sort(r);
		if (p->count != 0 && n > (size_t)p->count)
			n = (size_t)p->count;
		if (n != 0)
			printf("\n%s\n\n", tables[i].title);
		if (n != 0 && p->depth == 0) {
			printf("%5s %8s %-28s %s\n", "Count", "nsec", "Lock",
			       "Caller");
			print_rule();
		}
		for (size_t k = 0; k < n; k++)
			plock_print_row(p, &r->v[k]);
		lock_rows_fini(r);
	}
}

/* ---- options and running ------------------------------------------------- */

static void
plock_set_options(struct plockstat *p)
{
	const char *const opts[][2] = {
		{ "strsize", "32" }, { "bufsize", "64k" },
		{ "aggsize", "256k" }, { "aggrate", "1sec" },
		{ "aggsortrev", NULL }, { "quiet", NULL },
		/* A lock is taken in nanoseconds: -x engine=kernel if need
		   be. */
		{ "engine", p->all ? "kernel" : "process" },
	};

	for (unsigned i = 0; i < sizeof(opts) / sizeof(*opts); i++)
		lock_cmd_set(&p->c, opts[i][0], opts[i][1]);
}

static double
plock_number(const char *what, const char *s, double least, double most)
{
	char *end;
	double v;

	errno = 0;
	v = strtod(s, &end);
	if (errno != 0 || end == s || *end != '\0' ||
	    !(v >= least && v <= most)) {
		fprintf(stderr, "plockstat: invalid argument of %s: %s\n", what,
			s);
		plock_usage();
	}
	return v;
}

/* The options but for -x, which want a handle first; the process, or 0. */
static pid_t
plock_read_options(struct plockstat *p, int argc, char **argv, char **xs,
		   int *nxs)
{
	pid_t pid = 0;
	int c;

	while ((c = getopt(argc, argv, "+avACHVn:s:e:x:p:")) != -1)
		switch (c) {
		case 'a': p->all = true; break;
		case 'v': p->verbose = true; break;
		case 'A': p->hold = p->contention = true; break;
		case 'C': p->contention = true; break;
		case 'H': p->hold = true; break;
		case 'V': p->c.show = true; break;
		case 'n': p->count = (int)plock_number("-n", optarg, 1, 1e9); break;
		case 's': p->depth = (int)plock_number("-s", optarg, 1, 100); break;
		case 'e': p->secs = plock_number("-e", optarg, 0.001, 1e9); break;
		case 'x': xs[(*nxs)++] = optarg; break;
		case 'p': pid = (pid_t)plock_number("-p", optarg, 1, 1 << 30); break;
		default: plock_usage();
		}
	if (!p->hold && !p->contention)
		p->contention = true;
	if ((pid != 0) + (optind < argc) + p->all != 1) {
		fprintf(stderr, "plockstat: what is to be watched: a command, "
				"-p pid or -a, one of them\n");
		plock_usage();
	}
	return pid;
}

/* Libraries that it opens later may have some. */
static void
tell_unmatched(const struct plockstat *p, struct ps_prochandle *P)
{
	if (p->c.matched == 0 && P == NULL)
		fprintf(stderr, "plockstat: no process has functions of locks "
				"that are known\n");
	else if (p->c.matched == 0)
		fprintf(stderr,
			"plockstat: no functions of locks are known in process "
			"%d: a program that is linked statically has them in "
			"its symbols, which strip(1) takes away\n",
			(int)dtrace_proc_pid(P));
}

static void
plock_tell(struct ps_prochandle *P)
{
	if (P == NULL)
		fprintf(stderr, "plockstat: tracing enabled for all processes\n");
	else
		fprintf(stderr, "plockstat: tracing enabled for pid %d\n",
			(int)dtrace_proc_pid(P));
}

int
main(int argc, char **argv)
{
	struct plockstat p = { .c = { .name = "plockstat", .status = 1 } };
	struct ps_prochandle *P;
	char **xs = calloc((size_t)argc, sizeof(*xs));
	int nxs = 0;
	pid_t pid;

	if (xs == NULL)
		lock_cmd_fatal(&p.c, "no memory");
	pid = plock_read_options(&p, argc, argv, xs, &nxs);
	if (p.all)
		lock_cmd_must_watch(&p.c, "-a is about the processes of all "
					  "users");
	lock_cmd_open(&p.c);
	plock_set_options(&p);
	for (int i = 0; i < nxs; i++)
		lock_cmd_set_x(&p.c, xs[i]);
	free(xs);
	P = p.all    ? NULL
	    : pid != 0 ? dtrace_proc_grab(p.c.dtp, pid, 0)
		       : dtrace_proc_create(p.c.dtp, argv[optind],
					    argv + optind, NULL, NULL);
	if (P != NULL || p.all) {
		lock_cmd_program(&p.c, program_text(&p, P), DTRACE_C_ZDEFS);
		tell_unmatched(&p, P);
	}
	lock_cmd_run(&p.c, P, p.all, p.secs, p.verbose ? plock_tell : NULL);
	if (dtrace_aggregate_snap(p.c.dtp) != 0 ||
	    dtrace_aggregate_walk(p.c.dtp, collect, &p) != 0 || p.nomem)
		lock_cmd_fatal(&p.c, "failed to read what was measured");
	print_tables(&p);
	free(p.from);
	dtrace_close(p.c.dtp);
	return fflush(stdout) == 0 && !ferror(stdout) && !p.c.harmed ? 0 : 1;
}
