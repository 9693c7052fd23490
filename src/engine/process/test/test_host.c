/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What fires in the consumer, on a target that spins in two threads: whose
 * samples come, from where, how many ticks, and what clauses see of both
 * worlds.  All of it without privilege; the target is a child of the test.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "engine/process/process_impl.h"
#include "rt/rt_assoc.h"

#define NUM                                                                    \
	{                                                                      \
		.ckind = DIF_CK_INT, .flags = DIF_TF_SIGNED, .size = 8         \
	}
#define STR                                                                    \
	{                                                                      \
		.kind = DIF_TYPE_STRING, .ckind = DIF_CK_STRING,               \
		.flags = DIF_TF_BYREF                                          \
	}

/* ---- the target ---------------------------------------------------------- */

#define NSPIN 3

/* Between the target and us. */
static struct common {
	volatile uint32_t tid[NSPIN];
	volatile uint32_t want; /* threads that are to spin */
	volatile uint32_t signals;
	volatile uint64_t turns[NSPIN];
} * common;

static char message[32] = "ours";

/* All samples of the target must lie here. */
#define SPIN __attribute__((noinline, section("spin_text")))
extern char __start_spin_text[], __stop_spin_text[];

SPIN static void
spin(volatile uint64_t *turns)
{
	for (;;)
		++*turns;
}

SPIN static void *
spin_thread(void *arg)
{
	uintptr_t i = (uintptr_t)arg;

	common->tid[i] = (uint32_t)syscall(SYS_gettid);
	spin(&common->turns[i]);
	return NULL;
}

static void
on_signal(int sig)
{
	common->signals++;
}

static void
target_main(void)
{
	unsigned n = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "spinner");
	strcpy(message, "theirs");
	signal(SIGUSR1, on_signal);
	for (;;) {
		for (; n < common->want; n++) {
			pthread_t t;
			pthread_create(&t, NULL, spin_thread,
				       (void *)(uintptr_t)n);
		}
		usleep(1000);
	}
}

static pid_t
target_start(unsigned threads)
{
	memset(common, 0, sizeof(*common));
	common->want = threads;
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		target_main();
	for (unsigned i = 0; i < 2000; i++) {
		bool ready = true;
		for (unsigned k = 0; k < threads; k++)
			ready &= common->turns[k] != 0;
		if (ready && (threads != 0 || i > 10))
			return pid;
		usleep(1000);
	}
	fail_msg("the target does not come up");
	return pid;
}

static void
target_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static int
tid_index(uint32_t tid)
{
	for (int i = 0; i < NSPIN; i++)
		if (common->tid[i] == tid)
			return i;
	return -1;
}

/* ---- a trace ------------------------------------------------------------- */

enum { P_BEGIN, P_END, P_ERROR, P_TICK, P_PROFILE, NPROBES };

static const struct dif_recipes pcs = { { { DIF_RCP_KPC }, { DIF_RCP_UPC } } };
static const struct dif_site sites[NPROBES] = {
	{ .kind = DIF_SITE_BEGIN },
	{ .kind = DIF_SITE_END },
	{ .kind = DIF_SITE_ERROR },
	{ .kind = DIF_SITE_TICK, .num = 10000000, .args = &pcs },
	{ .kind = DIF_SITE_PROFILE, .num = 1000000000 / 997, .args = &pcs },
};
static const struct dif_probe probes[NPROBES] = {
	{ 1, "dtrace", "", "", "BEGIN", &sites[0], 1 },
	{ 2, "dtrace", "", "", "END", &sites[1], 1 },
	{ 3, "dtrace", "", "", "ERROR", &sites[2], 1 },
	{ 4, "profile", "", "", "tick-10ms", &sites[3], 1 },
	{ 5, "profile", "", "", "profile-997", &sites[4], 1 },
};

static struct dif_type keys[] = { NUM };
static struct dif_uvar uvars[] = {
	{ "g", 0x500, DIF_SCOPE_GLOBAL, DIF_VK_SCALAR, NUM },
	{ "s", 0x501, DIF_SCOPE_GLOBAL, DIF_VK_SCALAR, STR },
	{ "a", 0x502, DIF_SCOPE_GLOBAL, DIF_VK_ARRAY, STR, keys, 1 },
	{ "t", 0x500, DIF_SCOPE_THREAD, DIF_VK_SCALAR, NUM },
};
static struct dif_uvar *uvarp[] = { uvars, uvars + 1, uvars + 2, uvars + 3 };

#define VARS                                                                   \
	".var g 0x500 scl glb int 8\n"                                         \
	".var s 0x501 scl glb string 0\n"                                      \
	".var a 0x502 arr glb string 0\n"                                      \
	".var t 0x500 scl tls int 8\n"

#define MAXC      8
#define BUFSIZE   (1u << 20)
#define AGGSIZE   65536u
#define ASSOCSIZE 65536u

struct trace {
	struct arena *a;
	struct dif_clause cl[MAXC];
	struct dif_clause *clp[MAXC];
	struct dif_ecb ecbs[MAXC];
	uint32_t n;
	struct dif_tab tab;
	struct dif_enabling en;
	struct rtn_shared *sh;
	uint32_t fixed[4];
	struct host_in in;
	struct host *h;
	struct rt_view v;
	struct rt *rt[HOST_SLOTS];
	uint8_t *buf[HOST_SLOTS], *agg[HOST_SLOTS];
	uint8_t area[NSPIN][64]; /* self-> of the target's threads */
	bool no_areas;
};

static struct dif_obj *
dif(struct trace *t, const char *text)
{
	struct err e = { 0 };
	struct dif_obj *o = dif_asm(t->a, text, &e);

	if (o == NULL || dif_validate(o, &e) != 0)
		fail_msg("%s: %s", text, e.msg);
	return o;
}

static void
trace_init(struct trace *t, pid_t target)
{
	memset(t, 0, sizeof(*t));
	t->a = arena_new();
	t->tab = (struct dif_tab){ .vars = uvarp, .nvars = 4 };
	t->in.pid = target;
	t->in.mem = -1;
}

/* Clauses come in the order of probes. */
static struct dif_clause *
clause(struct trace *t, uint32_t probe, struct dif_stmt *st, uint32_t n)
{
	t->ecbs[t->n] = (struct dif_ecb){ t->n + 1, probe, t->n };
	t->clp[t->n] = &t->cl[t->n];
	t->cl[t->n] = (struct dif_clause){ .stmts = st,
					   .nstmts = n,
					   .records = true };
	return &t->cl[t->n++];
}

static uint8_t *
thread_of(void *arg, uint32_t tid)
{
	struct trace *t = arg;
	int i = tid_index(tid);

	return i < 0 || t->no_areas ? NULL : t->area[i];
}

static void
trace_shared(struct trace *t)
{
	struct rt_agg_layout lay;

	t->sh = calloc(1, sizeof(*t->sh));
	assert_non_null(t->sh);
	rt_agg_layout(&t->tab, AGGSIZE / 2, t->fixed, &lay);
	t->sh->conf = (struct rt_conf){
		.strsize = t->en.sizes.strsize,
		.aggsize = AGGSIZE,
		.agg_halfsize = AGGSIZE / 2,
		.agg_buckets_off = lay.buckets_off,
		.agg_nbuckets = lay.nbuckets,
		.agg_entries_off = lay.entries_off,
		.bufsize = BUFSIZE,
		.nslots = HOST_SLOTS,
	};
	t->sh->uid = getuid();
	memcpy(t->sh->comm, "spinner", 8);
}

static void
trace_view(struct trace *t)
{
	const struct rt_conf *c = &t->sh->conf;

	for (unsigned i = 0; i < HOST_SLOTS; i++) {
		t->rt[i] = host_slot(t->h, i)->rt;
		t->buf[i] = host_slot(t->h, i)->buf;
		t->agg[i] = host_slot(t->h, i)->agg;
	}
	t->v = (struct rt_view){
		.nslots = HOST_SLOTS,
		.ncpus = 1,
		.thread_slots = true,
		.rt = t->rt,
		.buf = t->buf,
		.agg = t->agg,
		.bufsize = BUFSIZE,
		.aggsize = AGGSIZE,
		.ctl = &t->sh->ctl,
		.agg_fixed = t->fixed,
		.agg_buckets_off = c->agg_buckets_off,
		.agg_nbuckets = c->agg_nbuckets,
		.agg_entries_off = c->agg_entries_off,
	};
}

static void
trace_start(struct trace *t)
{
	struct dif_prog p = { .clauses = t->cl, .nclauses = t->n };
	struct dif_prog *progs[] = { &p };
	struct err e = { 0 };

	t->en = (struct dif_enabling){
		.probes = probes,
		.nprobes = NPROBES,
		.clauses = t->clp,
		.nclauses = t->n,
		.ecbs = t->ecbs,
		.necbs = t->n,
		.tab = &t->tab,
		.sizes = { 32, 4, 4 },
	};
	dif_layout(progs, 1, &t->tab, &t->en.sizes, t->a);
	trace_shared(t);
	t->in.en = &t->en;
	t->in.sh = t->sh;
	t->in.conf = t->sh->conf;
	t->in.globals = calloc(1, t->tab.globals_size + 8);
	t->in.assoc = calloc(1, ASSOCSIZE);
	assert_int_equal(rt_assoc_init(t->in.assoc, ASSOCSIZE), 0);
	t->in.assoc_lay = t->in.assoc->lay;
	t->in.bufsize = BUFSIZE;
	t->in.aggsize = AGGSIZE;
	t->in.agg_fixed = t->fixed;
	t->in.thread_of = thread_of;
	t->in.arg = t;
	assert_in_range(t->tab.thread_size, 0, sizeof(t->area[0]));
	t->h = host_new(&t->in, &e);
	if (t->h == NULL)
		fail_msg("%s", e.msg);
	trace_view(t);
}

static uint64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* The machine may be busy: time tells nothing, so wait for what is to come. */
static void
await_firings(struct trace *t, uint64_t n)
{
	uint64_t end = now_ms() + 20000;

	while (t->rt[1]->firings < n && now_ms() < end)
		usleep(5000);
	if (t->rt[1]->firings < n)
		fail_msg("only %llu firings",
			 (unsigned long long)t->rt[1]->firings);
}

/* BEGIN, until the timer thread has fired n times, END. */
static void
trace_run(struct trace *t, uint64_t n, const char **how)
{
	struct err e = { 0 };

	host_begin(t->h);
	t->sh->ctl.activity = RT_ACT_ACTIVE;
	if (host_start(t->h, how, &e) != 0)
		fail_msg("%s", e.msg);
	await_firings(t, n);
	host_stop(t->h);
	t->sh->ctl.activity = RT_ACT_DRAINING;
	host_end(t->h);
}

static void
trace_fini(struct trace *t)
{
	host_free(t->h);
	free(t->sh);
	free(t->in.globals);
	free(t->in.assoc);
	arena_free(t->a);
}

static uint32_t
recsize(void *arg, uint32_t epid)
{
	struct trace *t = arg;

	return epid <= t->n ? t->cl[epid - 1].recsize : 0;
}

static const uint8_t *
next(struct trace *t, unsigned slot, uint64_t *pos)
{
	struct err e = { 0 };
	const struct rt_rec *r =
		rt_drain_next(&t->v, slot, pos, recsize, t, &e);

	if (err_is_set(&e))
		fail_msg("%s", e.msg);
	return (const uint8_t *)r;
}

static uint64_t
word(const uint8_t *rec, const struct dif_expr *e)
{
	uint64_t v;

	memcpy(&v, rec + e->off, 8);
	return v;
}

#define LOAD(name) "ldgs " name ", %r1\nret %r1\n"
#define SAY(name)  ".ret string 0\n" LOAD(name)

/* ---- the consumer's own firings ------------------------------------------ */

static void
begin_end(void **state)
{
	pid_t pid = target_start(0);
	const char *how = "x";
	struct trace t;
	uint64_t pos = 0;
	char comm[16];

	trace_init(&t, pid);
	struct dif_expr e[] = {
		{ .obj = dif(&t, LOAD("pid")), .type = NUM },
		{ .obj = dif(&t, LOAD("tid")), .type = NUM },
		{ .obj = dif(&t, SAY("execname")), .type = STR },
		{ .obj = dif(&t, SAY("probename")), .type = STR },
		{ .obj = dif(&t, LOAD("ppid")), .type = NUM },
		{ .obj = dif(&t, LOAD("uid")), .type = NUM },
		{ .obj = dif(&t, LOAD("vtimestamp")), .type = NUM },
		{ .src = DIF_SRC_USTACK, .arg = 2, .type = NUM },
	};
	struct dif_stmt st = { .kind = DIF_ACT_TRACE, .exprs = e, .nexprs = 8 };
	clause(&t, P_BEGIN, &st, 1);
	clause(&t, P_END, &st, 1);
	trace_start(&t);
	host_end(t.h); /* not yet */
	trace_run(&t, 0, &how);
	assert_null(how);
	host_begin(t.h); /* no more */

	prctl(PR_GET_NAME, comm);
	for (unsigned i = 1; i <= 2; i++) {
		const uint8_t *r = next(&t, 0, &pos);
		assert_non_null(r);
		assert_int_equal(((const struct rt_rec *)r)->epid, i);
		assert_int_equal(word(r, &e[0]), getpid());
		assert_int_equal(word(r, &e[1]), getpid());
		assert_string_equal((const char *)r + e[2].off, comm);
		assert_string_equal((const char *)r + e[3].off,
				    i == 1 ? "BEGIN" : "END");
		assert_int_equal(word(r, &e[4]), getppid());
		assert_int_equal(word(r, &e[5]), getuid());
		assert_true(word(r, &e[6]) != 0);
		assert_int_equal(word(r, &e[7]), getpid());
	}
	assert_null(next(&t, 0, &pos));
	trace_fini(&t);
	target_end(pid);
}

/* The number of ticks in the time, and no time that runs backwards. */
static void
ticks(void **state)
{
	pid_t pid = target_start(0);
	uint64_t pos = 0, last = 0, n = 0;
	struct trace t;
	const char *how;
	const uint8_t *r;

	trace_init(&t, pid);
	struct dif_expr e[] = {
		{ .obj = dif(&t, VARS "ldgs g, %r1\nsetx 1, %r2\n"
				      "add %r1, %r2, %r1\nstgs g, %r1\n"
				      "ret %r1\n"),
		  .type = NUM },
		{ .obj = dif(&t, LOAD("pid")), .type = NUM },
		{ .obj = dif(&t, LOAD("arg1")), .type = NUM },
	};
	struct dif_stmt st = { .kind = DIF_ACT_TRACE, .exprs = e, .nexprs = 3 };
	clause(&t, P_TICK, &st, 1);
	trace_start(&t);
	uint64_t start = now_ms();
	trace_run(&t, 20, &how);
	uint64_t end = now_ms();
	while ((r = next(&t, 1, &pos)) != NULL) {
		assert_int_equal(word(r, &e[0]), ++n);
		assert_int_equal(word(r, &e[1]), getpid());
		assert_int_equal(word(r, &e[2]), 0);
		uint64_t time = ((const struct rt_rec *)r)->time;
		assert_true(time > last);
		last = time;
	}
	/* Some can be missed, none be invented. */
	assert_in_range(n, 20, (end - start) / 10 + 1);
	assert_int_equal(t.rt[1]->busy, 0);
	trace_fini(&t);
	target_end(pid);
}

static void
exiting(void **state)
{
	pid_t pid = target_start(0);
	struct trace t;
	const char *how;

	trace_init(&t, pid);
	struct dif_expr e = { .obj = dif(&t, "setx 7, %r1\nret %r1\n"),
			      .type = { .ckind = DIF_CK_INT, .size = 4 } };
	struct dif_stmt st = { .kind = DIF_ACT_EXIT, .exprs = &e, .nexprs = 1 };
	clause(&t, P_TICK, &st, 1);
	trace_start(&t);
	trace_run(&t, 3, &how);
	assert_int_equal(t.sh->ctl.exited, 1);
	assert_int_equal(t.sh->ctl.exit_status, 7);
	assert_int_equal(t.sh->ctl.wanted, 1);
	assert_int_equal(t.rt[1]->head, t.cl[0].recsize); /* once */
	trace_fini(&t);
	target_end(pid);
}

/* ---- memory -------------------------------------------------------------- */

/* copyinstr() is of the target; strings, variables and arrays are D's. */
static void
memories(void **state)
{
	pid_t pid = target_start(0);
	uint64_t pos = 0;
	struct trace t;
	const char *how;
	char text[2][200];

	trace_init(&t, pid);
	snprintf(text[0], sizeof(text[0]),
		 ".ret string 0\nsetx %llu, %%r1\n"
		 "pushtv DT_TYPE(0), %%r0, %%r1\ncall copyinstr, %%r1\n"
		 "flushts\nret %%r1\n",
		 (unsigned long long)(uintptr_t)message);
	snprintf(text[1], sizeof(text[1]),
		 "setx %llu, %%r1\nldub [%%r1], %%r1\nret %%r1\n",
		 (unsigned long long)(uintptr_t)message);
	struct dif_expr e[] = {
		{ .obj = dif(&t, text[0]), .type = STR },
		{ .obj = dif(&t, text[1]), .type = NUM },
		{ .obj = dif(&t, VARS ".ret string 0\nsets \"kept\", %r1\n"
				      "stgs s, %r1\nsetx 5, %r6\n"
				      "pushtv DT_TYPE(0), %r0, %r6\n"
				      "stgaa a, %r1\nflushts\nldgs s, %r2\n"
				      "ret %r2\n"),
		  .type = STR },
		{ .obj = dif(&t, VARS ".ret string 0\nsetx 5, %r6\n"
				      "pushtv DT_TYPE(0), %r0, %r6\n"
				      "ldgaa a, %r1\nflushts\nret %r1\n"),
		  .type = STR },
		{ .obj = dif(&t, "setx 16, %r1\nldx [%r1], %r1\nret %r1\n"),
		  .type = NUM },
	};
	struct dif_stmt st[] = {
		{ .kind = DIF_ACT_TRACE, .exprs = e, .nexprs = 3 },
		{ .kind = DIF_ACT_TRACE, .exprs = e + 3, .nexprs = 1 },
		{ .kind = DIF_ACT_TRACE, .exprs = e + 4, .nexprs = 1 },
	};
	clause(&t, P_BEGIN, &st[0], 1);
	clause(&t, P_END, &st[1], 1);
	clause(&t, P_END, &st[2], 1);
	trace_start(&t);
	trace_run(&t, 0, &how);

	const uint8_t *r = next(&t, 0, &pos);
	assert_non_null(r);
	assert_string_equal((const char *)r + e[0].off, "theirs");
	assert_int_equal(word(r, &e[1]), 't');
	assert_string_equal((const char *)r + e[2].off, "kept");
	r = next(&t, 0, &pos);
	assert_non_null(r);
	assert_string_equal((const char *)r + e[3].off, "kept");
	const struct rt_error_rec *er = (const void *)next(&t, 0, &pos);
	assert_non_null(er);
	assert_int_equal(er->rec.epid, RT_EPID_ERROR);
	assert_int_equal(er->epid, 3);
	assert_int_equal(er->fault, DIF_FAULT_BADADDR);
	assert_int_equal(er->val, 16);
	trace_fini(&t);
	target_end(pid);
}

/* ---- aggregations -------------------------------------------------------- */

struct sum {
	uint64_t fixed, keyed;
};

static int
see(void *arg, uint32_t agg, unsigned cpu, const uint8_t *key,
    const uint64_t *cell)
{
	struct sum *s = arg;

	if (agg == 0)
		s->fixed += cell[0];
	else
		s->keyed += cell[0];
	return 0;
}

static void
aggregations(void **state)
{
	struct dif_type kt[] = { NUM };
	uint8_t ksrc[] = { DIF_SRC_OBJ };
	uint32_t karg[1] = { 0 };
	struct dif_aggvar v[] = {
		{ .id = 1, .func = DIF_AGG_count },
		{ .id = 2,
		  .func = DIF_AGG_count,
		  .keys = kt,
		  .keysrc = ksrc,
		  .keyarg = karg,
		  .nkeys = 1 },
	};
	struct dif_aggvar *vp[] = { &v[0], &v[1] };
	pid_t pid = target_start(0);
	struct sum s = { 0 };
	struct trace t;
	const char *how;

	trace_init(&t, pid);
	struct dif_expr e = { .obj = dif(&t, LOAD("id")), .type = NUM };
	struct dif_stmt st[] = {
		{ .kind = DIF_AGG_count, .agg = 0 },
		{ .kind = DIF_AGG_count,
		  .agg = 1,
		  .exprs = &e,
		  .nexprs = 1,
		  .nkeys = 1 },
	};
	t.tab.aggs = vp;
	t.tab.naggs = 2;
	clause(&t, P_BEGIN, st, 2)->records = false;
	clause(&t, P_TICK, st, 2)->records = false;
	trace_start(&t);
	trace_run(&t, 3, &how);
	assert_int_equal(rt_drain_aggs(&t.v, &t.tab, 0, see, &s), 0);
	assert_int_equal(s.fixed, t.rt[0]->firings + t.rt[1]->firings);
	assert_int_equal(s.keyed, s.fixed);
	assert_true(s.fixed >= 3);
	trace_fini(&t);
	target_end(pid);
}

/* ---- samples ------------------------------------------------------------- */

struct counts {
	unsigned thread[NSPIN], strays, inside, outside, kernel;
};

static void
count_sample(struct counts *c, const uint8_t *r, const struct dif_expr *e,
	     pid_t pid)
{
	uint64_t upc = word(r, &e[2]);
	int i = tid_index((uint32_t)word(r, &e[0]));

	assert_int_equal(word(r, &e[1]), pid);
	if (i < 0)
		c->strays++; /* its first thread */
	else
		c->thread[i]++;
	if (upc == 0) {
		c->kernel++;
		return;
	}
	bool inside = upc >= (uintptr_t)__start_spin_text &&
		      upc < (uintptr_t)__stop_spin_text;
	c->inside += inside && i >= 0;
	c->outside += !inside && i >= 0;
	assert_int_equal(word(r, &e[3]), upc); /* uregs[R_RIP] */
	assert_int_equal(word(r, &e[4]), pid); /* ustack() */
	uint64_t pc[2];
	memcpy(pc, r + e[4].off + 8, sizeof(pc));
	assert_int_equal(pc[0], upc);
}

static void
profile(bool no_perf)
{
	pid_t pid = target_start(2);
	uint64_t pos = 0, last = 0;
	struct counts c = { { 0 } };
	struct trace t;
	const char *how = NULL;
	const uint8_t *r;

	trace_init(&t, pid);
	t.in.no_perf = no_perf;
	struct dif_expr e[] = {
		{ .obj = dif(&t, LOAD("tid")), .type = NUM },
		{ .obj = dif(&t, LOAD("pid")), .type = NUM },
		{ .obj = dif(&t, LOAD("arg1")), .type = NUM },
		{ .obj = dif(&t, "setx 16, %r1\nldga uregs, %r1, %r1\n"
				 "ret %r1\n"),
		  .type = NUM },
		{ .src = DIF_SRC_USTACK, .arg = 4, .type = NUM },
		{ .obj = dif(&t, SAY("execname")), .type = STR },
	};
	struct dif_stmt st = { .kind = DIF_ACT_TRACE, .exprs = e, .nexprs = 6 };
	clause(&t, P_PROFILE, &st, 1);
	trace_start(&t);
	uint64_t start = now_ms();
	trace_run(&t, 400, &how);
	uint64_t ms = now_ms() - start;
	assert_non_null(how);
	/* Events may not be permitted; what we ask for is never wrong. */
	assert_null(strstr(how, strerror(EINVAL)));
	while ((r = next(&t, 1, &pos)) != NULL) {
		count_sample(&c, r, e, pid);
		assert_string_equal((const char *)r + e[5].off, "spinner");
		uint64_t time = ((const struct rt_rec *)r)->time;
		assert_true(time >= last);
		last = time;
	}
	print_message("# %s: %u + %u samples in %u ms, %u elsewhere\n", how,
		      c.thread[0], c.thread[1], (unsigned)ms, c.outside);
	assert_int_equal(t.rt[1]->drops[RT_DROP_PRINCIPAL], 0);
	/* At most 997 a second from each. */
	for (unsigned i = 0; i < 2; i++)
		assert_in_range(c.thread[i], 10, ms + 10);
	assert_true(c.inside > 9 * c.outside);
	trace_fini(&t);
	/* What was looked at goes on. */
	for (unsigned i = 0; i < 2; i++) {
		uint64_t before = common->turns[i];
		while (common->turns[i] == before)
			usleep(1000);
	}
	target_end(pid);
}

static void
profile_perf(void **state)
{
	profile(false);
}

static void
profile_walk(void **state)
{
	profile(true);
}

/* A thread that comes later is found. */
static void
new_thread(void **state)
{
	pid_t pid = target_start(1);
	unsigned n[NSPIN] = { 0 };
	uint64_t pos = 0;
	struct err err = { 0 };
	struct trace t;
	const char *how;
	const uint8_t *r;

	trace_init(&t, pid);
	struct dif_expr e = { .obj = dif(&t, LOAD("tid")), .type = NUM };
	struct dif_stmt st = { .kind = DIF_ACT_TRACE,
			       .exprs = &e,
			       .nexprs = 1 };
	clause(&t, P_PROFILE, &st, 1);
	trace_start(&t);
	t.sh->ctl.activity = RT_ACT_ACTIVE;
	assert_int_equal(host_start(t.h, &how, &err), 0);
	await_firings(&t, 20);
	common->want = 2;
	while (common->turns[1] == 0)
		usleep(1000);
	usleep(100000); /* it will have been found */
	await_firings(&t, t.rt[1]->firings + 200);
	host_stop(t.h);
	while ((r = next(&t, 1, &pos)) != NULL) {
		int i = tid_index((uint32_t)word(r, &e));
		if (i >= 0)
			n[i]++;
	}
	assert_true(n[0] >= 20);
	assert_true(n[1] >= 10);
	trace_fini(&t);
	target_end(pid);
}

/* self-> is that of the sampled thread; without a slot it is lost. */
static void
thread_variables(void **state)
{
	pid_t pid = target_start(2);
	struct trace t;
	const char *how;

	for (unsigned lost = 0; lost < 2; lost++) {
		trace_init(&t, pid);
		t.no_areas = lost != 0;
		struct dif_expr e = {
			.obj = dif(&t,
				   VARS "ldts DT_VAR(0x500), %r1\n"
					"setx 1, %r2\nadd %r1, %r2, %r1\n"
					"stts DT_VAR(0x500), %r1\nret %r1\n"),
			.type = NUM
		};
		struct dif_stmt st = { .exprs = &e, .nexprs = 1 };
		clause(&t, P_PROFILE, &st, 1)->records = false;
		trace_start(&t);
		trace_run(&t, 100, &how);
		uint64_t a = *(uint64_t *)(t.area[0] + uvars[3].off);
		uint64_t b = *(uint64_t *)(t.area[1] + uvars[3].off);
		uint64_t strays = t.rt[1]->firings - a - b;
		assert_int_equal(t.rt[1]->drops[RT_DROP_DYNVAR], strays);
		if (lost)
			assert_int_equal(a + b, 0);
		else
			assert_true(a > 0 && b > 0);
		trace_fini(&t);
	}
	target_end(pid);
}

static void
raising(void **state)
{
	pid_t pid = target_start(1);
	char text[64];
	struct trace t;
	const char *how;

	trace_init(&t, pid);
	snprintf(text, sizeof(text), "setx %d, %%r1\nret %%r1\n", SIGUSR1);
	struct dif_expr e = { .obj = dif(&t, text), .type = NUM };
	struct dif_stmt st = { .kind = DIF_ACT_RAISE,
			       .exprs = &e,
			       .nexprs = 1 };
	clause(&t, P_BEGIN, &st, 1)->records = false; /* not at ourselves */
	clause(&t, P_PROFILE, &st, 1)->records = false;
	trace_start(&t);
	trace_run(&t, 20, &how);
	assert_in_range(common->signals, 1, t.rt[1]->firings);
	trace_fini(&t);
	target_end(pid);
}

/* The target ends in the midst of it: nothing more comes, nothing breaks. */
static void
target_dies(bool no_perf)
{
	pid_t pid = target_start(2);
	struct err err = { 0 };
	struct trace t;
	const char *how;

	trace_init(&t, pid);
	t.in.no_perf = no_perf;
	struct dif_expr e = { .obj = dif(&t, LOAD("tid")), .type = NUM };
	struct dif_stmt st = { .kind = DIF_ACT_TRACE,
			       .exprs = &e,
			       .nexprs = 1 };
	clause(&t, P_PROFILE, &st, 1);
	trace_start(&t);
	t.sh->ctl.activity = RT_ACT_ACTIVE;
	assert_int_equal(host_start(t.h, &how, &err), 0);
	await_firings(&t, 10);
	target_end(pid);
	usleep(100000); /* what was sampled last has been fired */
	uint64_t n = t.rt[1]->firings;
	usleep(50000);
	assert_int_equal(t.rt[1]->firings, n);
	host_stop(t.h);
	trace_fini(&t);
}

/* Neither descriptor, the first of two, or both: nothing runs then, and nothing
   is left open. */
static void
no_descriptors(void **state)
{
	pid_t pid = target_start(1);
	struct rlimit had, few;
	struct err err = { 0 };
	struct trace t;
	const char *how;
	char want[128];
	int next = dup(0);

	trace_init(&t, pid);
	struct dif_expr e = { .obj = dif(&t, LOAD("tid")), .type = NUM };
	struct dif_stmt st = { .kind = DIF_ACT_TRACE,
			       .exprs = &e,
			       .nexprs = 1 };
	clause(&t, P_TICK, &st, 1);
	trace_start(&t);
	t.sh->ctl.activity = RT_ACT_ACTIVE;
	assert_true(next >= 0);
	close(next);
	getrlimit(RLIMIT_NOFILE, &had);
	for (int n = 0; n < 2; n++) {
		few = had;
		few.rlim_cur = (rlim_t)(next + n);
		setrlimit(RLIMIT_NOFILE, &few);
		int rc = host_start(t.h, &how, &err);
		setrlimit(RLIMIT_NOFILE, &had);
		assert_int_equal(rc, -1);
		snprintf(want, sizeof(want),
			 "cannot make a timer: Too many open files (no more "
			 "than %d; to have more: ulimit -n)",
			 next + n);
		assert_string_equal(err.msg, want);
		assert_null(how);
		err_clear(&err);
		assert_int_equal(dup(0), next);
		close(next);
	}
	assert_int_equal(host_start(t.h, &how, &err), 0);
	await_firings(&t, 2);
	host_stop(t.h);
	trace_fini(&t);
	target_end(pid);
}

/* Kilobytes of this process. */
static long
kilobytes(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long pages = 0;

	assert_int_equal(fscanf(f, "%ld", &pages), 1);
	fclose(f);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* What a trace has taken it gives back, buffers as well. */
static void
again_and_again(void **state)
{
	pid_t pid = target_start(1);
	long first __attribute__((unused)) = 0;

	for (int i = 0; i < 48; i++) {
		struct trace t;

		trace_init(&t, pid);
		struct dif_expr e = { .obj = dif(&t, LOAD("tid")),
				      .type = NUM };
		struct dif_stmt st = { .kind = DIF_ACT_TRACE,
				       .exprs = &e,
				       .nexprs = 1 };
		clause(&t, P_BEGIN, &st, 1);
		trace_start(&t);
		host_begin(t.h);
		trace_fini(&t);
		if (i == 16)
			first = kilobytes();
	}
#ifndef __SANITIZE_ADDRESS__ /* which keeps what is freed */
	assert_true(kilobytes() - first < 1024);
#endif
	target_end(pid);
}

static void
dying(void **state)
{
	target_dies(false);
	target_dies(true);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(begin_end),
		cmocka_unit_test(ticks),
		cmocka_unit_test(exiting),
		cmocka_unit_test(memories),
		cmocka_unit_test(aggregations),
		cmocka_unit_test(profile_perf),
		cmocka_unit_test(profile_walk),
		cmocka_unit_test(new_thread),
		cmocka_unit_test(thread_variables),
		cmocka_unit_test(raising),
		cmocka_unit_test(no_descriptors),
		cmocka_unit_test(again_and_again),
		cmocka_unit_test(dying),
	};

	common = mmap(NULL, sizeof(*common), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
