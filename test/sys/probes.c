/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * probes.c process|kernel TARGET - every function of <dtrace/probe.h>, rightly
 * and wrongly, on one of the engines; skipped (77) where that may not be had.
 *
 * The target (probe_target.c) does so many rounds as it is told, and answers.
 * Each test is a function with a target of its own; CHECK tells what did not
 * hold and goes on.
 */
#include <dtrace/dtrace.h>
#include <dtrace/probe.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/base/test/capable.h"

static int failures;
static const char *engine, *program;

#define CHECK(cond)                                                        \
	do {                                                               \
		if (!(cond)) {                                             \
			printf("# %s:%d: %s\n", __func__, __LINE__,       \
			       #cond);                                     \
			failures++;                                        \
		}                                                          \
	} while (0)

/* ---- the target ---------------------------------------------------------- */

struct target {
	pid_t pid;
	FILE *to, *from;
	uint64_t t_add; /* its address */
};

static bool
target_start(struct target *t)
{
	int in[2], out[2];
	char line[64];

	if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
		exit(1);
	t->pid = fork();
	if (t->pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execl(program, program, (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	t->to = fdopen(in[1], "w");
	t->from = fdopen(out[0], "r");
	if (t->pid < 0 || t->to == NULL || t->from == NULL ||
	    fgets(line, sizeof(line), t->from) == NULL) {
		printf("# %s does not start\n", program);
		exit(1);
	}
	t->t_add = strtoull(line, NULL, 16);
	return true;
}

static bool
target_run(struct target *t, long n)
{
	char line[64];

	fprintf(t->to, "%ld\n", n);
	fflush(t->to);
	return fgets(line, sizeof(line), t->from) != NULL && atol(line) == n;
}

/* Its wait status; it has lived well if it is 7. */
static int
target_end(struct target *t)
{
	int status = -1;

	fclose(t->to);
	while (waitpid(t->pid, &status, 0) < 0 && errno == EINTR)
		;
	fclose(t->from);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static bool
target_text(const struct target *t, uint8_t text[32])
{
	char path[40];
	int fd;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)t->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = pread(fd, text, 32, (off_t)t->t_add);
	close(fd);
	return n == 32;
}

/* ---- probes -------------------------------------------------------------- */

#define MOST 64

/* What a handler has seen. */
struct seen {
	unsigned n, stop_at;
	dtprobe_event_t ev[MOST];
};

static int
see(const dtprobe_event_t *ev, void *arg)
{
	struct seen *s = arg;

	if (s->n < MOST)
		s->ev[s->n] = *ev;
	return ++s->n == s->stop_at ? 42 : 0;
}

static dtprobe_t *
add(dtprobe_spec_t s)
{
	char err[400] = "";
	dtprobe_t *p;

	if (s.engine == NULL)
		s.engine = engine;
	p = dtprobe_add(&s, err, sizeof(err));
	if (p == NULL) {
		printf("# %s: %s\n",
		       s.function != NULL ? s.function : "address", err);
		failures++;
	}
	return p;
}

/* It is not to be had, and the reason has these words, in one line. */
static void
refused(dtprobe_spec_t s, const char *words)
{
	char err[400] = "";
	dtprobe_t *p;

	if (s.engine == NULL)
		s.engine = engine;
	p = dtprobe_add(&s, err, sizeof(err));
	if (p != NULL || strstr(err, words) == NULL || strchr(err, '\n')) {
		printf("# wanted \"%s\", got \"%s\"\n", words,
		       p != NULL ? "a probe" : err);
		failures++;
	}
	dtprobe_remove(p);
}

/* Poll until so many events are there, or half a minute is over. */
static void
poll_for(dtprobe_t *p, const struct seen *s, unsigned n)
{
	for (int i = 0; i < 300 && s->n < n; i++) {
		if (dtprobe_poll(p, 100) == 0)
			continue;
		printf("# poll: %s\n", dtprobe_error(p));
		failures++;
		return;
	}
	CHECK(s->n == n);
}

/* ---- tests --------------------------------------------------------------- */

static void
test_count(void)
{
	struct target t;
	dtprobe_t *p;

	target_start(&t);
	p = add((dtprobe_spec_t){ .pid = t.pid, .function = "t_add",
				  .want = DTPROBE_COUNT });
	if (p != NULL) {
		CHECK(dtprobe_pid(p) == t.pid && dtprobe_places(p) == 1);
		CHECK(dtprobe_count(p) == 0);
		CHECK(target_run(&t, 1000) && dtprobe_count(p) == 1000);
		CHECK(dtprobe_poll(p, 0) == 0);
		CHECK(target_run(&t, 10) && dtprobe_count(p) == 1010);
		CHECK(dtprobe_drops(p) == 0 && *dtprobe_error(p) == '\0');
		CHECK(dtprobe_status(p) == -1);
		CHECK(dtprobe_remove(p) == 0);
	}
	CHECK(target_end(&t) == 7);
}

static void
test_event(void)
{
	struct seen s = { 0 };
	struct target t;
	dtprobe_t *p;

	target_start(&t);
	p = add((dtprobe_spec_t){ .pid = t.pid, .function = "t_add",
				  .want = DTPROBE_ARGS | DTPROBE_REGS |
					  DTPROBE_STACK,
				  .handler = see, .arg = &s });
	if (p != NULL && target_run(&t, 3)) {
		poll_for(p, &s, 3);
		for (unsigned i = 0; i < 3; i++) {
			const dtprobe_event_t *ev = &s.ev[i];
			CHECK(ev->pid == t.pid && ev->tid == t.pid);
			CHECK(ev->args[0] == i && ev->args[1] == 20);
			CHECK(ev->args[4] == 50 && ev->args[5] == 60);
			CHECK(ev->regs[DTPROBE_RDI] == i);
			CHECK(ev->regs[DTPROBE_R9] == 60);
			CHECK(ev->regs[DTPROBE_RIP] == t.t_add);
			CHECK(ev->nframes >= 2 && ev->frames[0] == t.t_add);
			CHECK(i == 0 || ev->time_ns > s.ev[i - 1].time_ns);
		}
		CHECK(dtprobe_count(p) == 3);
		CHECK(dtprobe_drops(p) == 0);
	}
	if (p != NULL) {
		CHECK(strcmp(s.ev[0].function, "t_add") == 0);
		CHECK(strcmp(s.ev[0].object, "probe_target") == 0);
		CHECK(dtprobe_remove(p) == 0);
	}
	CHECK(target_end(&t) == 7);
}

/* Frames of callers, and nothing in the event that was not asked for. */
static void
test_stack(void)
{
	struct seen s = { 0 };
	struct target t;
	dtprobe_t *p;

	target_start(&t);
	p = add((dtprobe_spec_t){ .pid = t.pid, .function = "t_inner",
				  .want = DTPROBE_STACK,
				  .handler = see, .arg = &s });
	if (p != NULL && target_run(&t, 1)) {
		poll_for(p, &s, 1);
		CHECK(s.ev[0].nframes >= 3);
		CHECK(s.ev[0].args[0] == 0 && s.ev[0].regs[DTPROBE_RIP] == 0);
	}
	CHECK(dtprobe_remove(p) == 0);
	CHECK(target_end(&t) == 7);
}

static void
test_return(void)
{
	struct seen s = { 0 };
	struct target t;
	dtprobe_t *p;

	target_start(&t);
	p = add((dtprobe_spec_t){ .pid = t.pid, .function = "t_add",
				  .at = DTPROBE_RETURN, .want = DTPROBE_ARGS,
				  .handler = see, .arg = &s });
	if (p != NULL && target_run(&t, 2)) {
		poll_for(p, &s, 2);
		CHECK(s.ev[0].args[1] == 200 && s.ev[1].args[1] == 201);
		CHECK(s.ev[0].args[0] > 0 && s.ev[0].args[0] < 64);
		CHECK(s.ev[0].args[2] == 0);
	}
	CHECK(dtprobe_remove(p) == 0);
	CHECK(target_end(&t) == 7);
}

static void
test_address(void)
{
	struct seen s = { 0 };
	struct target t;
	dtprobe_t *p;

	target_start(&t);
	p = add((dtprobe_spec_t){ .pid = t.pid, .address = t.t_add,
				  .want = DTPROBE_REGS | DTPROBE_ARGS,
				  .handler = see, .arg = &s });
	if (p != NULL && target_run(&t, 2)) {
		poll_for(p, &s, 2);
		CHECK(s.ev[1].regs[DTPROBE_RDI] == 1);
		CHECK(s.ev[1].args[1] == 0 && s.ev[1].nframes == 0);
		CHECK(strcmp(s.ev[1].function, "-") == 0);
	}
	CHECK(dtprobe_remove(p) == 0);
	p = add((dtprobe_spec_t){ .pid = t.pid, .function = "t_add",
				  .at = DTPROBE_OFFSET, .offset = 0 });
	CHECK(p == NULL || (target_run(&t, 5) && dtprobe_count(p) == 5));
	CHECK(dtprobe_remove(p) == 0);
	CHECK(target_end(&t) == 7);
}

static void
test_argv(void)
{
	char *const argv[] = { (char *)(uintptr_t)program,
			       (char *)(uintptr_t)"7", NULL };
	struct seen s = { 0 };
	int rv = 0, status = 0;
	pid_t pid;
	dtprobe_t *p = add((dtprobe_spec_t){ .argv = argv, .function = "t_mul",
					     .want = DTPROBE_ARGS,
					     .handler = see, .arg = &s });

	if (p == NULL)
		return;
	CHECK(dtprobe_count(p) == 0 && dtprobe_status(p) == -1);
	for (int i = 0; i < 300 && rv == 0; i++)
		rv = dtprobe_poll(p, 100);
	CHECK(rv == 1 && dtprobe_poll(p, 100) == 1);
	CHECK(s.n == 7 && s.ev[6].args[0] == 6);
	CHECK(dtprobe_count(p) == 7);
	CHECK(WIFEXITED(dtprobe_status(p)));
	CHECK(WEXITSTATUS(dtprobe_status(p)) == 3);
	CHECK(dtprobe_remove(p) == 0);

	/* Removed before it has begun, it runs all the same. */
	p = add((dtprobe_spec_t){ .argv = argv, .function = "t_mul" });
	if (p == NULL)
		return;
	pid = dtprobe_pid(p);
	CHECK(dtprobe_remove(p) == 0);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

static void
test_pattern(void)
{
	struct seen s = { 0 };
	struct target t;
	dtprobe_t *p;

	target_start(&t);
	p = add((dtprobe_spec_t){ .pid = t.pid, .object = "probe_t*",
				  .function = "t_*", .handler = see,
				  .arg = &s });
	if (p != NULL && target_run(&t, 2)) {
		poll_for(p, &s, 8);
		CHECK(dtprobe_places(p) == 4 && dtprobe_count(p) == 8);
		CHECK(strcmp(s.ev[0].function, "t_add") == 0);
		CHECK(strcmp(s.ev[1].function, "t_mul") == 0);
		CHECK(strcmp(s.ev[2].function, "t_outer") == 0);
		CHECK(strcmp(s.ev[7].function, "t_inner") == 0);
	}
	CHECK(dtprobe_remove(p) == 0);
	CHECK(target_end(&t) == 7);
}

/* Each goes without the others. */
static void
test_several(void)
{
	const char *const other =
		strcmp(engine, "process") == 0 ? "kernel" : "process";
	struct target t, u;
	dtprobe_t *p[4];

	target_start(&t);
	target_start(&u);
	p[0] = add((dtprobe_spec_t){ .pid = t.pid, .function = "t_add" });
	p[1] = add((dtprobe_spec_t){ .pid = t.pid, .function = "t_mul",
				     .engine = "auto" });
	p[2] = add((dtprobe_spec_t){ .pid = t.pid, .function = "t_add",
				     .at = DTPROBE_RETURN });
	p[3] = add((dtprobe_spec_t){ .pid = u.pid, .function = "t_add" });
	if (p[0] && p[1] && p[2] && p[3]) {
		CHECK(target_run(&t, 4) && target_run(&u, 5));
		CHECK(dtprobe_count(p[0]) == 4 && dtprobe_count(p[1]) == 4);
		CHECK(dtprobe_count(p[2]) == 4 && dtprobe_count(p[3]) == 5);
		refused((dtprobe_spec_t){ .pid = t.pid, .function = "t_outer",
					  .engine = other },
			"cannot join it");
		CHECK(dtprobe_remove(p[0]) == 0);
		p[0] = NULL;
		CHECK(target_run(&t, 4));
		CHECK(dtprobe_count(p[1]) == 8 && dtprobe_count(p[2]) == 8);
	}
	for (int i = 0; i < 4; i++)
		CHECK(dtprobe_remove(p[i]) == 0);
	CHECK(target_run(&t, 4));
	CHECK(target_end(&t) == 7 && target_end(&u) == 7);
}

/* Two in one place. */
static void
test_overlap(void)
{
	dtprobe_spec_t spec = { .function = "t_add" };
	struct target t;
	dtprobe_t *p, *q;

	target_start(&t);
	spec.pid = t.pid;
	p = add(spec);
	q = add(spec);
	CHECK(target_run(&t, 3));
	CHECK(q == NULL || dtprobe_count(q) == 3);
	CHECK(p == NULL || dtprobe_count(p) == 3);
	CHECK(dtprobe_remove(q) == 0);
	CHECK(target_run(&t, 3));
	CHECK(p == NULL || dtprobe_count(p) == 6);
	CHECK(dtprobe_remove(p) == 0);
	p = add(spec);
	CHECK(p == NULL || (target_run(&t, 2) && dtprobe_count(p) == 2));
	CHECK(dtprobe_remove(p) == 0);
	CHECK(target_end(&t) == 7);
}

static void
test_stop(void)
{
	struct seen s = { .stop_at = 2 };
	struct target t;
	dtprobe_t *p;
	int rv = 0;

	target_start(&t);
	p = add((dtprobe_spec_t){ .pid = t.pid, .function = "t_mul",
				  .want = DTPROBE_ARGS, .handler = see,
				  .arg = &s });
	if (p != NULL && target_run(&t, 5)) {
		for (int i = 0; i < 300 && rv == 0; i++)
			rv = dtprobe_poll(p, 100);
		CHECK(rv == 42 && s.n == 2);
		poll_for(p, &s, 5); /* no event twice, and none is lost */
		CHECK(s.ev[2].args[0] == 2 && s.ev[4].args[0] == 4);
	}
	CHECK(dtprobe_remove(p) == 0);
	CHECK(target_end(&t) == 7);
}

static void
test_remove(void)
{
	uint8_t before[32], in[32], after[32];
	struct seen s = { 0 };
	struct target t;
	dtprobe_t *p;

	target_start(&t);
	CHECK(target_text(&t, before));
	p = add((dtprobe_spec_t){ .pid = t.pid, .function = "t_*",
				  .handler = see, .arg = &s });
	CHECK(target_text(&t, in));
	CHECK(p == NULL || memcmp(before, in, sizeof(in)) != 0);
	/* While it runs, with events that nobody asks for. */
	fprintf(t.to, "200000\n");
	fflush(t.to);
	CHECK(dtprobe_remove(p) == 0);
	CHECK(target_text(&t, after));
	CHECK(memcmp(before, after, sizeof(after)) == 0);
	CHECK(fgets((char *)in, sizeof(in), t.from) != NULL);
	CHECK(target_run(&t, 3) && target_end(&t) == 7);
	CHECK(dtprobe_remove(NULL) == 0);
}

/* It ends, and what it did last is not lost; or it is killed. */
static void
test_end(void)
{
	struct seen s = { 0 };
	struct target t;
	dtprobe_t *p;
	int rv = 0;

	target_start(&t);
	p = add((dtprobe_spec_t){ .pid = t.pid, .function = "t_mul",
				  .handler = see, .arg = &s });
	CHECK(target_run(&t, 20) && target_end(&t) == 7);
	for (int i = 0; p != NULL && i < 300 && rv == 0; i++)
		rv = dtprobe_poll(p, 100);
	CHECK(p == NULL || (rv == 1 && s.n == 20 && dtprobe_count(p) == 20));
	/* Not our child's: not every kernel tells. */
	CHECK(p == NULL || dtprobe_status(p) == -1 ||
	      dtprobe_status(p) == 7 << 8);
	CHECK(dtprobe_remove(p) == 0);

	target_start(&t);
	p = add((dtprobe_spec_t){ .pid = t.pid, .function = "t_mul" });
	kill(t.pid, SIGKILL);
	CHECK(target_end(&t) == -SIGKILL);
	CHECK(p == NULL || dtprobe_poll(p, -1) == 1);
	CHECK(dtprobe_remove(p) == 0);
}

/* More than there is room for: the count knows of all of them. */
static void
test_drops(void)
{
	struct seen s = { 0 };
	struct target t;
	dtprobe_t *p;

	target_start(&t);
	p = add((dtprobe_spec_t){ .pid = t.pid, .function = "t_mul",
				  .want = DTPROBE_ARGS, .bufsize = 4096,
				  .handler = see, .arg = &s });
	if (p != NULL && target_run(&t, 1000)) {
		for (int i = 0; i < 20; i++)
			CHECK(dtprobe_poll(p, 10) == 0);
		CHECK(dtprobe_drops(p) > 0);
		CHECK(s.n + dtprobe_drops(p) == 1000);
		CHECK(dtprobe_count(p) == 1000);
	}
	CHECK(dtprobe_remove(p) == 0);
	CHECK(target_end(&t) == 7);
}

/* What a clause prints, taken from where standard output goes. */
static void
test_clause(void)
{
	char text[600] = "";
	struct target t;
	dtprobe_t *p;
	FILE *tmp = tmpfile();
	int kept = dup(1);

	target_start(&t);
	p = add((dtprobe_spec_t){
		.pid = t.pid, .function = "t_mul",
		.clause = "/arg0 > 1/ { printf(\"<%d>\\n\", arg0); "
			  "@big = sum(arg0); }" });
	fflush(stdout);
	if (tmp == NULL || dup2(fileno(tmp), 1) < 0)
		exit(1);
	if (p != NULL && target_run(&t, 4)) {
		for (int i = 0; i < 10; i++)
			dtprobe_poll(p, 10);
		CHECK(dtprobe_count(p) == 4);
	}
	CHECK(dtprobe_remove(p) == 0);
	fflush(stdout);
	dup2(kept, 1);
	close(kept);
	rewind(tmp);
	text[fread(text, 1, sizeof(text) - 1, tmp)] = '\0';
	fclose(tmp);
	CHECK(strncmp(text, "<2>\n<3>\n", 8) == 0);
	CHECK(strstr(text, "5\n") != NULL && !strstr(text, "dtprobe"));
	CHECK(target_end(&t) == 7);
}

/* A debugger: it holds the target until its standard input ends. */
static pid_t
debugger_start(pid_t pid, int *hold)
{
	int gate[2], ready[2];
	char c = 0;
	pid_t child;

	if (pipe2(gate, O_CLOEXEC) != 0 || pipe2(ready, O_CLOEXEC) != 0)
		exit(1);
	child = fork();
	if (child == 0) {
		close(gate[1]);
		if (ptrace(PTRACE_ATTACH, pid, NULL, NULL) != 0 ||
		    waitpid(pid, NULL, __WALL) != pid ||
		    write(ready[1], &c, 1) != 1)
			_exit(1);
		_exit(read(gate[0], &c, 1) != 0);
	}
	close(gate[0]);
	close(ready[1]);
	CHECK(child > 0 && read(ready[0], &c, 1) == 1);
	close(ready[0]);
	*hold = gate[1];
	return child;
}

/* It cannot be taken out while somebody else holds the process, and is as soon
   as that ends. */
static void
test_held(void)
{
	uint8_t before[32], now[32];
	struct target t;
	dtprobe_t *p;
	pid_t debugger;
	int hold;

	if (strcmp(engine, "process") != 0)
		return; /* the kernel asks nobody */
	target_start(&t);
	CHECK(target_text(&t, before));
	p = add((dtprobe_spec_t){ .pid = t.pid, .function = "t_add" });
	if (p != NULL) {
		debugger = debugger_start(t.pid, &hold);
		CHECK(dtprobe_remove(p) == -1);
		CHECK(target_text(&t, now));
		CHECK(memcmp(before, now, sizeof(now)) != 0);
		close(hold);
		CHECK(waitpid(debugger, NULL, 0) == debugger);
		for (int i = 0; i < 100; i++) {
			if (target_text(&t, now) &&
			    memcmp(before, now, sizeof(now)) == 0)
				break;
			usleep(100000);
		}
		CHECK(memcmp(before, now, sizeof(now)) == 0);
	}
	CHECK(target_run(&t, 3) && target_end(&t) == 7);
}

static const struct {
	dtprobe_spec_t spec;
	const char *words;
} bad[] = {
	{ { .function = "t_add" }, "no process" },
	{ { .pid = -3, .function = "t_add" }, "not the number" },
	{ { .pid = 0x7ffffff, .function = "t_add" }, "134217727" },
};

static const struct {
	dtprobe_spec_t spec; /* its pid is the target's */
	const char *words;
} bad_place[] = {
	{ { .function = "t_add", .want = DTPROBE_ARGS, .bufsize = 1,
	    .handler = see },
	  "exceeds size of buffer" },
	{ { .function = NULL }, "no place" },
	{ { .function = "" }, "function is empty" },
	{ { .function = "t_add", .object = "" }, "object is empty" },
	{ { .function = "t:add" }, "colon" },
	{ { .function = "t_add", .object = "a:b" }, "colon" },
	{ { .function = "no_such" }, "no function named no_such" },
	{ { .function = "no_such*" }, "no_such*" },
	{ { .function = "t_add", .object = "libnone.so" },
	  "no object named libnone.so" },
	{ { .function = "t_add", .address = 4096 }, "exclude" },
	{ { .address = 4096 }, "0x1000" },
	{ { .address = 4096, .at = DTPROBE_RETURN }, "is the place" },
	{ { .function = "t_add", .at = (dtprobe_at_t)9 }, "at is none" },
	{ { .function = "t_add", .offset = 1 }, "DTPROBE_OFFSET" },
	{ { .function = "t_add", .at = DTPROBE_OFFSET, .offset = 99999 },
	  "outside" },
	{ { .function = "t_add", .want = 0x100 }, "unknown bits" },
	{ { .function = "t_add", .want = DTPROBE_COUNT | DTPROBE_ARGS },
	  "no events" },
	{ { .function = "t_add", .want = DTPROBE_COUNT, .handler = see },
	  "no events" },
	{ { .function = "t_add", .clause = "{ }", .handler = see },
	  "exclude" },
	{ { .function = "t_add", .clause = "{ nonsense( }" }, "syntax" },
	{ { .function = "t_add", .engine = "steam" }, "engine steam" },
};

static void
test_bad(void)
{
	char *const none[] = { NULL };
	char *const gone[] = { (char *)(uintptr_t)"/no/such/file", NULL };
	struct target t;

	target_start(&t);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refused(bad[i].spec, bad[i].words);
	for (size_t i = 0; i < sizeof(bad_place) / sizeof(bad_place[0]); i++) {
		dtprobe_spec_t s = bad_place[i].spec;
		s.pid = t.pid;
		refused(s, bad_place[i].words);
	}
	refused((dtprobe_spec_t){ .argv = none, .function = "t_add" },
		"no program");
	refused((dtprobe_spec_t){ .argv = gone, .function = "t_add" },
		"/no/such/file");
	refused((dtprobe_spec_t){ .argv = gone, .pid = 1 }, "exclude");
	refused((dtprobe_spec_t){ .pid = getpid(), .function = "main",
				  .engine = "process" }, "that uses it");
	CHECK(dtprobe_add(&(dtprobe_spec_t){ .pid = t.pid }, NULL, 0) == NULL);
	CHECK(target_run(&t, 3) && target_end(&t) == 7);
}

/* ---- all of it ----------------------------------------------------------- */

static const struct {
	const char *name;
	void (*func)(void);
} tests[] = {
	{ "count", test_count },
	{ "event", test_event },
	{ "stack", test_stack },
	{ "return", test_return },
	{ "address", test_address },
	{ "argv", test_argv },
	{ "pattern", test_pattern },
	{ "several", test_several },
	{ "overlap", test_overlap },
	{ "stop", test_stop },
	{ "remove", test_remove },
	{ "held", test_held },
	{ "end", test_end },
	{ "drops", test_drops },
	{ "clause", test_clause },
	{ "bad", test_bad },
};

int
main(int argc, char **argv)
{
	int failed;

	if (argc < 3)
		return 2;
	engine = argv[1];
	program = argv[2];
	setvbuf(stdout, NULL, _IOLBF, 0);
	failed = capable(strcmp(engine, "kernel") == 0 ? "bpf" : "ptrace");
	if (failed != 0)
		return failed;
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		if (argc > 3 && strcmp(argv[3], tests[i].name) != 0)
			continue;
		failures = 0;
		tests[i].func();
		printf("%s - %s\n", failures == 0 ? "ok" : "not ok",
		       tests[i].name);
		failed += failures != 0;
	}
	return failed != 0;
}
