/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * lockstat.c - lockstat(1): who waits for which lock of the kernel, who holds
 * it for how long, and where the kernel spends its time, while a command runs.
 *
 * A consumer of libdtrace: clauses on the probes of the lockstat and profile
 * providers (lockstat_prog.c) add up; what they have is printed as tables
 * (lockstat_print.c).
 */
#include "lockstat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define USAGE 1 /* status */
#define FAIL 2

static _Noreturn void
lockstat_usage(void)
{
	fputs("usage: lockstat [options] command [argument...]\n\n"
	      "What is measured:\n"
	      "  -C            contention events (unless others are asked for)\n"
	      "  -H            hold events\n"
	      "  -E            error events\n"
	      "  -A            -C and -H\n"
	      "  -I            profiling interrupts\n"
	      "  -e list       events by number: 1,4-7\n"
	      "  -i rate       profiling interrupts a second (97)\n"
	      "How:\n"
	      "  -b            how often\n"
	      "  -t            and how long on average (so without options)\n"
	      "  -h            and how long, as a distribution\n"
	      "  -s depth      and stacks of so many frames\n"
	      "  -n n          keep so many records (10000)\n"
	      "  -l lock[,size]  only this lock, by name or address\n"
	      "  -f func[,size]  only callers in this function\n"
	      "  -d ns         only what takes so long\n"
	      "  -T            each event by itself, in order of time\n"
	      "  -x opt[=val]  set an option of DTrace\n"
	      "What is printed:\n"
	      "  -c            locks of an array as one\n"
	      "  -k            callers in a function as one\n"
	      "  -g            events that each function has caused\n"
	      "  -w            whoever the caller is\n"
	      "  -W            whichever the lock is\n"
	      "  -R            rates, not counts\n"
	      "  -p            for programs: fields with tabs between\n"
	      "  -P            most time first, not most events\n"
	      "  -D n          only the first n of each kind\n"
	      "  -o file       write there\n"
	      "  -V            print the D program, too\n",
	      stderr);
	exit(USAGE);
}

static _Noreturn void
invalid(char option, const char *s, const char *why)
{
	fprintf(stderr, "lockstat: -%c %s: %s\n", option, s, why);
	exit(USAGE);
}

/* ---- options ------------------------------------------------------------- */

static uint64_t
lockstat_number(char option, const char *s, uint64_t least, uint64_t most)
{
	char *end;
	unsigned long long v;

	errno = 0;
	v = strtoull(s, &end, 10);
	if (errno != 0 || end == s || *end != '\0' || s[0] == '-' ||
	    v < least || v > most) {
		char why[80];
		snprintf(why, sizeof(why), "not a number from %llu to %llu",
			 (unsigned long long)least, (unsigned long long)most);
		invalid(option, s, why);
	}
	return v;
}

static void
add_events(struct lockstat *l, unsigned from, unsigned to)
{
	for (unsigned i = from; i <= to; i++)
		l->event[i] = lock_events[i].title != NULL;
}

/* "1,4-7" */
static void
read_events(struct lockstat *l, const char *list)
{
	const char *s = list;

	for (;;) {
		char *end;
		unsigned long from = strtoul(s, &end, 10), to = from;

		if (end != s && *end == '-') {
			s = end + 1;
			to = strtoul(s, &end, 10);
		}
		if (end == s || (*end != ',' && *end != '\0') || from > to ||
		    to >= LOCK_EVENTS)
			invalid('e', list, "not a list of events, as 0,4-7");
		add_events(l, (unsigned)from, (unsigned)to);
		if (*end == '\0')
			return;
		s = end + 1;
	}
}

/* An event that was asked for by its number alone must be there. */
static void
check_events(struct lockstat *l, const char *list)
{
	bool any = false;

	for (unsigned i = 0; i < LOCK_EVENTS; i++)
		any |= l->event[i] && lock_events[i].probe != NULL;
	if (!any)
		invalid('e', list, "cannot be measured on Linux");
}

struct args {
	const char *events, *output;
	char **xs, **locks, **callers;
	int nxs, nlocks, ncallers;
	char mode; /* of -b -t -h -s: the last one; 0: none */
};

static void
read_mode(struct lockstat *l, struct args *a, int c, const char *arg)
{
	a->mode = (char)c;
	switch (c) {
	case 'b': l->gather = LOCK_COUNT; break;
	case 't': l->gather = LOCK_TIME; break;
	case 'h': l->gather = LOCK_HIST; break;
	default:
		l->gather = LOCK_STACKS;
		l->depth = (int)lockstat_number('s', arg, 1, 100);
	}
}

static void
read_option(struct lockstat *l, struct args *a, int c, char *arg)
{
	switch (c) {
	case 'A': add_events(l, 0, 55); break;
	case 'C': add_events(l, 0, 31); break;
	case 'H': add_events(l, 32, 55); break;
	case 'E': add_events(l, LOCK_ERROR, LOCK_LOST); break;
	case 'I': add_events(l, LOCK_PROFILE, LOCK_PROFILE); break;
	case 'e': read_events(l, a->events = arg); break;
	case 'i': l->rate = (int)lockstat_number('i', arg, 1, 5000); break;
	case 'b': case 't': case 'h': case 's':
		read_mode(l, a, c, arg);
		break;
	case 'n': l->records = lockstat_number('n', arg, 1, 1000000); break;
	case 'l': a->locks[a->nlocks++] = arg; break;
	case 'f': a->callers[a->ncallers++] = arg; break;
	case 'd': l->least = lockstat_number('d', arg, 0, INT64_MAX); break;
	case 'T': l->trace = true; break;
	case 'c': l->coalesce = true; break;
	case 'k': l->functions = true; break;
	case 'g': l->generated = true; break;
	case 'w': l->wherever = true; break;
	case 'W': l->whichever = true; break;
	case 'R': l->rates = true; break;
	case 'p': l->parsable = true; break;
	case 'P': l->by_time = true; break;
	case 'D': l->top = lockstat_number('D', arg, 1, 1000000); break;
	case 'o': a->output = arg; break;
	case 'V': l->c.show = true; break;
	case 'x': a->xs[a->nxs++] = arg; break;
	default: lockstat_usage();
	}
}

static void
lockstat_read_options(struct lockstat *l, struct args *a, int argc, char **argv)
{
	bool any = false;
	int c;

	a->xs = calloc((size_t)argc, sizeof(char *));
	a->locks = calloc((size_t)argc, sizeof(char *));
	a->callers = calloc((size_t)argc, sizeof(char *));
	if (a->xs == NULL || a->locks == NULL || a->callers == NULL)
		lock_cmd_fatal(&l->c, "no memory");
	while ((c = getopt(argc, argv, "+ACEHIe:i:bths:n:l:f:d:TckgwWRpPD:o:Vx:")) !=
	       -1)
		read_option(l, a, c, optarg);
	if (optind == argc)
		lockstat_usage();
	for (unsigned i = 0; i < LOCK_EVENTS; i++)
		any |= l->event[i];
	if (!any && a->events == NULL)
		add_events(l, 0, 31);
	check_events(l, a->events != NULL ? a->events : "");
	/* Functions of the whole stack. */
	if (l->generated && a->mode != 's')
		l->depth = 50;
	if (l->generated)
		l->functions = true;
}

/* ---- names --------------------------------------------------------------- */

/* Nothing has this name.  Of a function it is no reason that the kernel keeps
   no names of variables. */
static _Noreturn void
no_symbol(struct lockstat *l, char option, const char *text)
{
	if (option != 'f')
		lock_cmd_fatal(&l->c, "-%c %s", option, text);
	fprintf(stderr, "lockstat: -f %s: the kernel has no such function\n",
		text);
	dtrace_close(l->c.dtp);
	exit(l->c.status);
}

/* NAME[,SIZE] or ADDRESS[,SIZE]; without a size the symbol's, or one byte. */
static void
find_range(struct lockstat *l, char option, char *text, struct lock_range *out)
{
	char *comma = strchr(text, ','), *end;
	uint64_t size = 0;
	Elf64_Sym sym;

	out->text = text;
	if (comma != NULL) {
		*comma = '\0';
		size = strtoull(comma + 1, &end, 0);
		if (end == comma + 1 || *end != '\0' || size == 0)
			invalid(option, comma + 1, "not a size");
	}
	out->from = strtoull(text, &end, 16);
	if (end == text || *end != '\0') {
		if (dtrace_lookup_by_name(l->c.dtp, DTRACE_OBJ_KMODS, text,
					  &sym, NULL) != 0)
			no_symbol(l, option, text);
		out->from = sym.st_value;
		size = size != 0 ? size : sym.st_size;
	}
	out->to = out->from + (size != 0 ? size : 1);
}

static struct lock_range *
find_ranges(struct lockstat *l, char option, char **texts, int n)
{
	struct lock_range *r = calloc((size_t)n + 1, sizeof(*r));

	if (r == NULL)
		lock_cmd_fatal(&l->c, "no memory");
	for (int i = 0; i < n; i++)
		find_range(l, option, texts[i], &r[i]);
	return r;
}

/* ---- running ------------------------------------------------------------- */

/* Room for the records of -n; the command's own options may say otherwise. */
static void
lockstat_set_options(struct lockstat *l, struct args *a)
{
	size_t row = 64 + 8 * (size_t)lock_frames(l) +
		     (l->gather >= LOCK_HIST ? 8 * LOCK_BUCKETS : 0);
	size_t size = 2 * l->records * row;
	char text[32];

	if (size > 64u << 20)
		size = 64u << 20;
	snprintf(text, sizeof(text), "%zuk", size / 1024 + 1);
	lock_cmd_set(&l->c, "aggsize", text);
	lock_cmd_set(&l->c, "bufsize", "64k");
	lock_cmd_set(&l->c, "quiet", NULL);
	if (l->event[32] || l->event[34] || l->event[35])
		lock_cmd_set(&l->c, "dynvarsize", "16m");
	for (int i = 0; i < a->nxs; i++)
		lock_cmd_set_x(&l->c, a->xs[i]);
}

static void
report(struct lockstat *l, const char *output)
{
	FILE *fp = output != NULL ? fopen(output, "w") : stdout;

	if (fp == NULL)
		lock_cmd_fatal(&l->c, "%s: %s", output, strerror(errno));
	if (dtrace_aggregate_snap(l->c.dtp) != 0 ||
	    dtrace_aggregate_walk(l->c.dtp, lock_collect, l) != 0 || l->nomem ||
	    lock_print(l, fp) != 0)
		lock_cmd_fatal(&l->c, "failed to read what was measured");
	if (l->lost != 0)
		fprintf(stderr, "lockstat: warning: %llu records were lost: "
			"-n keeps more\n", (unsigned long long)l->lost);
	if (fflush(fp) != 0 || ferror(fp) || (fp != stdout && fclose(fp) != 0))
		lock_cmd_fatal(&l->c, "%s: cannot be written",
		      output != NULL ? output : "standard output");
}

int
main(int argc, char **argv)
{
	/* An event of a lock that is taken while a probe runs is tracing's
	   own. */
	struct lockstat l = { .c = { .name = "lockstat", .status = FAIL,
				     .misses_own = true },
			      .gather = LOCK_TIME, .rate = 97,
			      .records = 10000 };
	struct args a = { 0 };
	struct ps_prochandle *P;

	lockstat_read_options(&l, &a, argc, argv);
	argv += optind;
	lock_cmd_must_watch(&l.c, "locks of the kernel are the whole system's");
	lock_cmd_open(&l.c);
	lockstat_set_options(&l, &a);
	l.locks = find_ranges(&l, 'l', a.locks, l.nlocks = a.nlocks);
	l.callers = find_ranges(&l, 'f', a.callers, l.ncallers = a.ncallers);
	if (lock_holds(&l))
		l.c.cure = " of holds (-C measures waits alone)";
	lock_cmd_program(&l.c, lock_program(&l), DTRACE_C_EMPTY);
	P = dtrace_proc_create(l.c.dtp, argv[0], argv, NULL, NULL);
	l.secs = lock_cmd_run(&l.c, P, false, 0, NULL);
	l.lost = l.c.lost;
	report(&l, a.output);
	for (unsigned i = 0; i < LOCK_EVENTS; i++)
		lock_rows_fini(&l.rows[i]);
	free(l.locks), free(l.callers);
	free(a.xs), free(a.locks), free(a.callers);
	dtrace_close(l.c.dtp);
	return l.c.harmed;
}
