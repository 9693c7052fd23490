/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_rt_native_thread.c - the blob in this process: slots of threads, threads
 * that share a base, firings that are left by a long jump, numbers in other
 * namespaces.
 */
#include <cpuid.h>
#include <dlfcn.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "rt/test/rt_world.h"

/* ---- slots --------------------------------------------------------------- */

/* Further down the stack, as a signal handler is. */
static struct rt * __attribute__((noinline))
enter_below(struct world *w)
{
	char room[16384];
	struct rt *rt;

	__asm__ volatile("" ::"r"(room) : "memory");
	rt = world_enter(w);
	__asm__ volatile("" ::"r"(room) : "memory");
	return rt;
}

static struct rt * __attribute__((noinline))
enter_far_below(struct world *w)
{
	char room[16384];
	struct rt *rt;

	__asm__ volatile("" ::"r"(room) : "memory");
	rt = enter_below(w);
	__asm__ volatile("" ::"r"(room) : "memory");
	return rt;
}

static void
gives_levels(void **state)
{
	struct world *w = *state;
	struct rt *a = world_enter(w), *b = enter_below(w);

	assert_ptr_equal(a, &w->mem->rt[0]);
	assert_ptr_equal(b, &w->mem->rt[1]);
	assert_int_equal(a->slot, RTN_HOST_SLOTS * RT_LEVELS);
	assert_int_equal(b->slot, RTN_HOST_SLOTS * RT_LEVELS + 1);
	assert_int_equal(b->level, 1);
	assert_true(a->busy && b->busy);
	assert_int_equal(a->tid, gettid());
	assert_int_equal(a->self, (uintptr_t)a);
	assert_int_equal(b->buf, (uintptr_t)w->mem->buf[1]);
	assert_int_equal(b->agg, (uintptr_t)w->mem->agg[1]);
	assert_int_equal(b->thread, a->thread);
	assert_int_equal(a->fault, RT_FAULT_NONE);
	assert_null(enter_far_below(w));
	assert_int_equal(a->drops[RT_DROP_NESTED], 1);
	CALL(w, rtn_leave, b);
	assert_ptr_equal(enter_below(w), b);
	CALL(w, rtn_leave, b);
	CALL(w, rtn_leave, a);
	assert_ptr_equal(world_enter(w), a);
	assert_int_equal(w->sh->nthreads_used, 1);
	assert_int_equal(w->sh->owner[0], gettid());
}

/* What the fast path of generated code looks for. */
static void
makes_the_thread_known(void **state)
{
	struct world *w = *state;
	uint64_t fs = world_fsbase();
	struct rt *rt = world_enter(w);
	struct rtn_home *h = &w->table->home[rtn_home_index(fs)];

	assert_int_equal(h->key, fs + 1);
	assert_int_equal(h->rt, (uintptr_t)rt);
}

static void
fires_only_when_active(void **state)
{
	struct world *w = *state;

	w->sh->ctl.activity = RT_ACT_INACTIVE;
	assert_null(world_enter(w));
	w->sh->ctl.activity = RT_ACT_DRAINING;
	assert_null(world_enter(w));
	assert_int_equal(w->sh->nthreads_used, 0);
}

static void
gives_a_slot_back(void **state)
{
	struct world *w = *state;
	struct rt *rt = world_enter(w);

	memset((void *)(uintptr_t)rt->thread, 0xff, WORLD_SELF);
	rt->head = 5;
	CALL(w, rtn_thread_exit, w->sh, world_fsbase());
	assert_int_equal(w->sh->owner[0], 0);
	assert_int_equal(rt->busy, 0);
	assert_ptr_equal(CALL(w, rtn_enter, w->sh, 0x1000), rt);
	assert_int_equal(*(uint64_t *)(uintptr_t)rt->thread, 0);
	assert_int_equal(rt->head, 5); /* its buffer goes on */
	assert_ptr_not_equal(world_enter(w), rt);
}

static void
counts_threads_without_slot(void **state)
{
	struct world *w = *state;

	w->sh->nthreads = 2;
	assert_non_null(CALL(w, rtn_enter, w->sh, 0));
	assert_non_null(CALL(w, rtn_enter, w->sh, 0x2000));
	assert_null(CALL(w, rtn_enter, w->sh, 0x3000));
	assert_null(CALL(w, rtn_enter, w->sh, 0x3000));
	assert_int_equal(w->sh->no_slot, 2);
	CALL(w, rtn_thread_exit, w->sh, 0);
	assert_non_null(CALL(w, rtn_enter, w->sh, 0x3000));
}

/* More threads than there are homes, one after the other; some stay. */
static void
outlives_many_threads(void **state)
{
	enum { STAY = 30 };
	struct rt *stay[STAY + 1] = { NULL };
	struct world *w = *state;

	for (uint64_t i = 1; i < 3 * RTN_NHOMES; i++) {
		struct rt *rt = CALL(w, rtn_enter, w->sh, i * 0x740);

		assert_non_null(rt);
		CALL(w, rtn_leave, rt);
		if (i % 7 == 0 && i / 7 <= STAY)
			stay[i / 7] = rt;
		else
			CALL(w, rtn_thread_exit, w->sh, i * 0x740);
	}
	for (uint64_t i = 1; i <= STAY; i++)
		assert_ptr_equal(CALL(w, rtn_enter, w->sh, i * 7 * 0x740),
				 stay[i]);
	assert_int_equal(w->sh->no_slot, 0);
	assert_true(w->sh->nthreads_used <= STAY + 1);
}

/* ---- threads that share a base, or must not be asked ----------------------
 */

#define SHARED 0x5000

static void *
enter_shared(void *arg)
{
	struct world *w = arg;
	struct rt *rt;

	assert_int_equal(CALL(w, rtn_home_look, w->sh, SHARED), 0);
	rt = CALL(w, rtn_enter, w->sh, SHARED);
	assert_non_null(rt);
	assert_int_equal(rt->tid, gettid());
	assert_int_equal(CALL(w, rtn_home, w->sh, SHARED),
			 CALL(w, rtn_home_look, w->sh, SHARED));
	assert_int_equal(CALL(w, rtn_home, w->sh, SHARED),
			 CALL(w, rtn_home, w->sh, SHARED));
	CALL(w, rtn_leave, rt);
	return rt;
}

static void
tells_threads_of_a_shared_base(void **state)
{
	struct world *w = *state;
	void *other = NULL;
	pthread_t t;

	w->sh->shared[0] = SHARED;
	w->sh->nshared = 1;
	assert_int_equal(pthread_create(&t, NULL, enter_shared, w), 0);
	pthread_join(t, &other);
	assert_ptr_not_equal(enter_shared(w), other);
	assert_int_equal(w->sh->nthreads_used, 2);
	/* no way is short for them */
	assert_int_equal(w->table->home[rtn_home_index(SHARED)].key,
			 RTN_KEY_FREE);
	CALL(w, rtn_thread_exit, w->sh, SHARED);
	assert_int_equal(w->sh->owner[1], 0);
	/* more than can be listed: all are */
	w->sh->nshared = RTN_NSHARED + 1;
	assert_int_equal(((struct rt *)enter_shared(w))->slot,
			 (RTN_HOST_SLOTS + 1) * RT_LEVELS);
	w->sh->seccomp = 1;
	assert_null(CALL(w, rtn_enter, w->sh, SHARED));
	assert_int_equal(w->sh->no_slot, 1);
}

/* A thread that finds all stacks lent goes without, and is counted. */
static void
waits_for_no_stack(void **state)
{
	struct world *w = *state;

	w->sh->stacks = true;
	for (uint32_t i = 0; i < RTN_NLOANS; i++)
		w->sh->loan[i].lent = 1;
	assert_null(CALL(w, rtn_enter, w->sh, 0));
	assert_int_equal(w->sh->no_slot, 1);
	for (uint32_t i = 0; i < RTN_NLOANS; i++)
		assert_int_equal(w->sh->loan[i].lent, 1);
	w->sh->loan[RTN_NLOANS - 1].lent = 0;
	assert_non_null(CALL(w, rtn_enter, w->sh, 0));
	assert_int_equal(w->sh->loan[RTN_NLOANS - 1].lent, 0);
	assert_int_equal(w->sh->no_slot, 1);
}

/* The thread that makes such a thread keeps its slot. */
static void
learns_what_will_be_shared(void **state)
{
	const uint64_t vm = 0x100, vfork = 0x4000, settls = 0x80000;
	struct world *w = *state;
	struct rt *rt = world_enter(w);
	uint64_t fs = world_fsbase();

	CALL(w, rtn_leave, rt);
	CALL(w, rtn_look, w->sh, 56, 0, 0, fs);
	CALL(w, rtn_look, w->sh, 56, vm | vfork, 0, fs);
	CALL(w, rtn_look, w->sh, 56, vm | settls, 0, fs);
	CALL(w, rtn_look, w->sh, 57, vm, 0, fs);
	assert_int_equal(w->sh->nshared, 0);
	rt->tid = 1; /* as in another pid namespace */
	CALL(w, rtn_look, w->sh, 56, vm, 0, fs);
	CALL(w, rtn_look, w->sh, 56, vm, 0, fs);
	assert_int_equal(w->sh->nshared, 1);
	assert_int_equal(w->sh->shared[0], fs);
	assert_int_equal(w->table->home[rtn_home_index(fs)].key, RTN_KEY_TOMB);
	assert_ptr_equal(world_enter(w), rt);
	assert_int_equal(w->sh->nthreads_used, 1);
}

static void
learns_of_filters(void **state)
{
	struct world *w = *state;

	CALL(w, rtn_look, w->sh, 317, 2, 0, 0); /* which actions there are */
	CALL(w, rtn_look, w->sh, 157, 21, 0, 0);
	CALL(w, rtn_look, w->sh, 157, 22, 0, 0);
	assert_int_equal(w->sh->seccomp, 0);
	CALL(w, rtn_look, w->sh, 317, 1, 0, 0);
	assert_int_equal(w->sh->seccomp, 1);
	w->sh->seccomp = 0;
	CALL(w, rtn_look, w->sh, 157, 22, 2, 0);
	assert_int_equal(w->sh->seccomp, 1);
}

/* What is not known is lost, and counted; a number is good for one thread. */
static void
takes_numbers_that_are_known(void **state)
{
	struct world *w = *state;
	struct rt *rt;

	w->sh->seccomp = 1;
	assert_null(CALL(w, rtn_enter, w->sh, 0x7000));
	assert_int_equal(CALL(w, rtn_home, w->sh, 0x7000), 0);
	assert_int_equal(w->sh->no_slot, 2);
	w->sh->known[0].fsbase = 0x7000;
	w->sh->known[0].own = 77;
	w->sh->nknown = 1;
	rt = CALL(w, rtn_enter, w->sh, 0x7000);
	assert_non_null(rt);
	assert_int_equal(rt->tid, 77);
	CALL(w, rtn_leave, rt);
	CALL(w, rtn_thread_exit, w->sh, 0x7000);
	assert_int_equal(w->sh->owner[0], 0);
	assert_null(CALL(w, rtn_enter, w->sh, 0x7000));
}

/* A program that began without a base: the first one is its thread's, if it has
   made no other; or that which makes another. */
static void
takes_the_first_base(void **state)
{
	struct world *w = *state;
	struct rt *rt;

	w->sh->seccomp = 1;
	w->sh->known[0].own = 77;
	w->sh->nknown = 1;
	w->sh->fresh_at[0] = 1;
	assert_null(CALL(w, rtn_enter, w->sh, 0x7000));
	w->sh->fresh_at[0] = 0;
	w->sh->fresh_at[2] = 1; /* arch_prctl, which sets the base */
	CALL(w, rtn_fork, w->sh, 0x7000, SYS_clone, 0x1234);
	assert_int_equal(w->sh->known[0].fsbase, 0x7000);
	assert_null(CALL(w, rtn_enter, w->sh, 0x8000));
	rt = CALL(w, rtn_enter, w->sh, 0x7000);
	assert_non_null(rt);
	assert_int_equal(rt->tid, 77);
	CALL(w, rtn_leave, rt);
	CALL(w, rtn_thread_exit, w->sh, 0x7000);
	w->sh->known[0].fsbase = 0;
	w->sh->known[0].own = 78;
	w->sh->fresh_at[1] = 0;
	rt = CALL(w, rtn_enter, w->sh, 0x9000);
	assert_non_null(rt);
	assert_int_equal(rt->tid, 78);
}

/* Where any call but these ends the process: as the main thread there is, as a
   forked child that finds an empty table, and as a thread that ends. */
static void __attribute__((noreturn)) live_strictly(struct world *w)
{
	struct rt *rt;

	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
		_exit(77);
	CALL(w, rtn_enter, w->sh, world_fsbase());
	w->table->alive = 1;
	rt = CALL(w, rtn_enter, w->sh, world_fsbase());
	if (rt == NULL || rt->tid != w->sh->children[0])
		syscall(SYS_exit, 1);
	CALL(w, rtn_leave, rt);
	CALL(w, rtn_thread_exit, w->sh, world_fsbase());
	syscall(SYS_exit, w->sh->owner[0] == 0 ? 0 : 2);
	__builtin_unreachable();
}

/* How the C library tells debuggers: bits, number, offset. */
static int32_t
tid_offset(void)
{
	const uint32_t *field = dlsym(RTLD_DEFAULT, "_thread_db_pthread_tid");

	return field != NULL ? (int32_t)field[2] : 0;
}

static void
asks_nobody_under_seccomp(void **state)
{
	struct world *w = *state;
	pid_t pid;
	int st;

	w->sh->tid_off = tid_offset();
	if (w->sh->tid_off == 0)
		skip();
	w->sh->seccomp = 1;
	pid = fork();
	if (pid == 0)
		live_strictly(w);
	assert_int_equal(waitpid(pid, &st, 0), pid);
	assert_int_equal(st, 0);
	assert_int_equal(w->sh->nchildren, 1);
	assert_int_equal(w->sh->children[0], pid);
}

struct enterer {
	struct world *w;
	struct rt *rt;
	pthread_t thread;
	pthread_barrier_t *bar;
	unsigned bad;
};

static void *
enter_often(void *arg)
{
	struct enterer *e = arg;

	pthread_barrier_wait(e->bar);
	e->rt = world_enter(e->w);
	e->bad += e->rt == NULL;
	for (int i = 0; i < 20000 && e->rt; i++) {
		CALL(e->w, rtn_leave, e->rt);
		e->bad += world_enter(e->w) != e->rt;
	}
	pthread_barrier_wait(e->bar);
	CALL(e->w, rtn_thread_exit, e->w->sh, world_fsbase());
	return NULL;
}

static void
keeps_threads_apart(void **state)
{
	enum { N = 8 };
	struct world *w = *state;
	struct enterer e[N];
	pthread_barrier_t bar;

	pthread_barrier_init(&bar, NULL, N);
	for (int i = 0; i < N; i++) {
		e[i] = (struct enterer){ .w = w, .bar = &bar };
		pthread_create(&e[i].thread, NULL, enter_often, &e[i]);
	}
	for (int i = 0; i < N; i++)
		pthread_join(e[i].thread, NULL);
	for (int i = 0; i < N; i++) {
		assert_int_equal(e[i].bad, 0);
		for (int k = 0; k < i; k++)
			assert_ptr_not_equal(e[i].rt, e[k].rt);
		assert_int_equal(w->sh->owner[i], 0);
	}
	pthread_barrier_destroy(&bar);
}

static void
is_silent_in_a_forked_child(void **state)
{
	struct world *w = *state;
	int status;
	pid_t pid;

	CALL(w, rtn_leave, world_enter(w));
	pid = fork();
	if (pid == 0) {
		int ok = world_enter(w) == NULL && world_enter(w) == NULL;

		CALL(w, rtn_thread_exit, w->sh, world_fsbase());
		CALL(w, rtn_exec, w->sh);
		_exit(ok ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(w->sh->nchildren, 1);
	assert_int_equal(w->sh->children[0], pid);
	assert_int_equal(w->sh->ctl.wanted, 1);
	assert_int_equal(w->sh->exec_wait, 0);
	assert_int_equal(w->sh->owner[0], gettid());
	assert_non_null(world_enter(w));
}

static bool
cpu_has_rdpid(void)
{
	unsigned a, b, c = 0, d;

	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (c >> 22 & 1);
}

static void
knows_its_cpu(void **state)
{
	struct world *w = *state;
	struct rt *rt = world_enter(w);
	cpu_set_t was, one;
	int cpu = sched_getcpu();

	sched_getaffinity(0, sizeof(was), &was);
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_return_code(sched_setaffinity(0, sizeof(one), &one), 0);
	for (int how = 0; how < 3; how++) {
		if (how > 0)
			w->sh->rseq_off = 0;
		w->sh->has_rdpid = how == 1 && cpu_has_rdpid();
		rt->cpu = 77;
		/* curcpu; cpu itself is made in place */
		assert_int_equal(CALL(w, rtn_var_load, rt, 0, 0x121),
				 (uintptr_t)&rt->cpu_id);
		assert_int_equal(rt->cpu, cpu);
		assert_int_equal(rt->cpu_id, cpu);
	}
	sched_setaffinity(0, sizeof(was), &was);
}

/* ---- signal handlers ----------------------------------------------------- */

static struct world *signal_world;
static struct rt *signal_rt;

static void
fires_in_a_handler(int sig)
{
	signal_rt = world_enter(signal_world);
	CALL(signal_world, rtn_leave, signal_rt);
}

static void
raises_signals_behind_the_firing(void **state)
{
	struct world *w = *state;
	struct rt *rt = world_enter(w);

	signal_world = w;
	signal_rt = NULL;
	signal(SIGUSR1, fires_in_a_handler);
	rt->tid = 1; /* as in another pid namespace */
	CALL(w, rtn_raise, rt, SIGUSR1);
	CALL(w, rtn_raise, rt, 65); /* no signal */
	assert_null(signal_rt);
	raise(SIGUSR1);
	assert_ptr_equal(signal_rt, rt + 1);
	assert_int_not_equal(rt->busy, 0);
	signal_rt = NULL;
	CALL(w, rtn_signals, rt);
	assert_ptr_equal(signal_rt, rt); /* the firing is over */
	assert_int_equal(rt->busy, 0);
	signal_rt = NULL;
	CALL(w, rtn_signals, rt);
	assert_null(signal_rt);
	signal(SIGUSR1, SIG_DFL);
}

/* ---- firings that are left by a long jump -------------------------------- */

static sigjmp_buf leap_to;
static struct rt *leap_rt; /* the handler's firing */

static void
leaps(int sig)
{
	leap_rt = world_enter(signal_world);
	siglongjmp(leap_to, 1);
}

static void
leap_handler(struct world *w, int flags)
{
	struct sigaction sa = { .sa_handler = leaps, .sa_flags = flags };

	signal_world = w;
	assert_return_code(sigaction(SIGUSR1, &sa, NULL), 0);
}

/* Fire; a handler leaves it, and its own firing.  Then a firing as high up, and
   one in between that may be a nested one. */
static void
leave_and_fire(struct world *w)
{
	struct rt *rt;

	if (sigsetjmp(leap_to, 1) == 0) {
		rt = world_enter(w);
		assert_ptr_equal(rt, &w->mem->rt[0]);
		raise(SIGUSR1);
		fail();
	}
	rt = &w->mem->rt[0];
	assert_ptr_equal(leap_rt, rt + 1);
	assert_true(rt[0].busy && rt[1].busy);
	assert_null(enter_far_below(w));
	assert_ptr_equal(world_enter(w), rt);
	assert_int_equal(rt[1].busy, 0);
	assert_ptr_equal(enter_below(w), rt + 1);
	CALL(w, rtn_leave, rt + 1);
	CALL(w, rtn_leave, rt);
	assert_int_equal(rt->drops[RT_DROP_NESTED], 1);
	rt->drops[RT_DROP_NESTED] = 0;
}

static void
takes_back_what_was_left(void **state)
{
	struct world *w = *state;

	leap_handler(w, 0);
	for (int i = 0; i < 3; i++)
		leave_and_fire(w);
	signal(SIGUSR1, SIG_DFL);
}

/* A handler on a stack far above the firing leaves it alone while it runs; one
   that was left on the alternate stack is over when the thread is not there. */
static void
fires_on_its_stack(int sig)
{
	signal_rt = world_enter(signal_world);
	CALL(signal_world, rtn_leave, signal_rt);
}

static void
knows_the_alternate_stack(void **state)
{
	struct sigaction sa = { .sa_handler = fires_on_its_stack,
				.sa_flags = SA_ONSTACK };
	const stack_t none = { .ss_flags = SS_DISABLE };
	char space[65536]; /* above enter_below()'s frame */
	stack_t alt = { .ss_sp = space, .ss_size = sizeof(space) };
	struct world *w = *state;
	struct rt *rt = enter_below(w);

	signal_world = w;
	assert_return_code(sigaltstack(&alt, NULL), 0);
	assert_return_code(sigaction(SIGUSR1, &sa, NULL), 0);
	raise(SIGUSR1);
	assert_ptr_equal(signal_rt, rt + 1);
	assert_int_not_equal(rt->busy, 0);
	CALL(w, rtn_leave, rt);

	leap_handler(w, SA_ONSTACK);
	if (sigsetjmp(leap_to, 1) == 0)
		raise(SIGUSR1);
	assert_ptr_equal(leap_rt, rt);
	rt->busy = RTN_BUSY((uintptr_t)space + 60000);
	signal(SIGUSR1, SIG_DFL);
	assert_ptr_equal(world_enter(w), rt + 1); /* cannot tell: it is below */
	assert_return_code(sigaltstack(&none, NULL), 0);
}

static void
asks_nothing_under_seccomp(void **state)
{
	struct world *w = *state;
	struct rt *rt = enter_below(w);

	w->sh->seccomp = 1;
	assert_ptr_equal(world_enter(w), rt + 1);
	assert_int_not_equal(rt->busy, 0);
}

static void
opens_the_array_it_held(void **state)
{
	struct world *w = *state;
	struct rt_assoc *a = (struct rt_assoc *)(void *)w->mem->assoc;
	volatile uint32_t *lock = (uint32_t *)(void *)(a + 1) + 2 * 3;
	struct rt *rt = enter_below(w);

	rt->bucket = 3 + 1;
	*lock = rt->slot + 1;
	assert_ptr_equal(world_enter(w), rt);
	assert_int_equal(*lock, 0);
	CALL(w, rtn_leave, rt);
	assert_ptr_equal(enter_below(w), rt);
	rt->bucket = 3 + 1;
	*lock = rt->slot + 2; /* another's */
	assert_ptr_equal(world_enter(w), rt);
	assert_int_equal(*lock, rt->slot + 2);
}

static struct world *fault_world;

/* Stands for the ERROR clauses. */
static void
error_clauses(struct rt *rt)
{
	assert_int_equal(rt->in_error, 1);
	assert_int_equal(rt->arg[1], 9);
	assert_int_equal(rt->arg[2], 2);
	assert_int_equal((int64_t)rt->arg[3], -1);
	assert_int_equal(rt->arg[4], RT_FAULT_BADADDR);
	assert_int_equal(rt->arg[5], 0x123);
	rt->epid = 10;
	rt->probe = 11;
	rt->fault = RT_FAULT_DIVZERO;
	CALL(fault_world, rtn_fault, rt);
}

static void
reports_faults(void **state)
{
	struct world *w = *state;
	struct rt *rt = world_enter(w);
	const struct rt_error_rec *r = (void *)(uintptr_t)rt->buf;

	fault_world = w;
	w->sh->error_fire = (uintptr_t)error_clauses;
	rt->epid = 9;
	rt->probe = 8;
	rt->arg[1] = 77;
	rt->fault = RT_FAULT_BADADDR;
	rt->fault_val = 0x123;
	rt->fault_action = 2;
	rt->fault_off = -1;
	CALL(w, rtn_fault, rt);
	assert_int_equal(rt->fault, RT_FAULT_NONE);
	assert_int_equal(rt->errors, 1);
	assert_int_equal(rt->drops[RT_DROP_DBLERROR], 1);
	assert_int_equal(rt->in_error, 0);
	assert_int_equal(rt->arg[1], 77);
	assert_int_equal(rt->epid, 9);
	assert_int_equal(rt->probe, 8);
	assert_int_equal(rt->head, sizeof(*r));
	assert_int_equal(r->rec.epid, RT_EPID_ERROR);
	assert_int_equal(r->rec.time, rt->now);
	assert_int_equal(r->epid, 9);
	assert_int_equal(r->action, 2);
	assert_int_equal(r->difoff, -1);
	assert_int_equal(r->fault, RT_FAULT_BADADDR);
	assert_int_equal(r->val, 0x123);
}

/* A child of vfork has our memory and %fs base. */
static void
lends_its_home(void **state)
{
	enum { AT = 0x1234, OTHER = 0x5678 };
	struct world *w = *state;
	const uint64_t fs = world_fsbase();
	struct rt *rt = world_enter(w);
	volatile int silent = 0;
	int status;
	pid_t pid;

	CALL(w, rtn_leave, rt);
	CALL(w, rtn_fork, w->sh, fs, 58, AT);
	assert_int_equal(w->sh->nforks, 1);
	CALL(w, rtn_forked, w->sh, fs, 0, OTHER); /* of a handler, say */
	CALL(w, rtn_forked, w->sh, fs, 0, AT);	  /* not by another process */
	assert_int_equal(w->sh->nforks, 0);
	CALL(w, rtn_fork, w->sh, fs, 58, AT);
	pid = vfork();
	if (pid == 0) {
		CALL(w, rtn_forked, w->sh, fs, 0, AT);
		silent = world_enter(w) == NULL;
		CALL(w, rtn_fork, w->sh, fs, 58, AT);
		CALL(w, rtn_forked, w->sh, fs, 7, AT);
		CALL(w, rtn_forked, w->sh, fs, 7, OTHER);
		silent += world_enter(w) == NULL;
		_exit(0);
	}
	assert_int_equal(world_enter(w), 0); /* until it is known who we are */
	CALL(w, rtn_forked, w->sh, fs, (uint64_t)pid, AT);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(silent, 2);
	assert_int_equal(w->sh->nforks, 0);
	assert_ptr_equal(world_enter(w), rt);
}

/* Before a program's first thread has its base its mappings are asked for, if
   that was wanted, once. */
static void
asks_early_for_mappings(void **state)
{
	struct world *w = *state;

	w->sh->maps_answered = 1; /* nobody is waited for */
	CALL(w, rtn_fork, w->sh, 0, 158, 0);
	assert_int_equal(w->sh->maps_asked, 0);
	w->sh->early = 1;
	w->sh->seccomp = 1;
	CALL(w, rtn_fork, w->sh, 0, 158, 0);
	assert_int_equal(w->sh->maps_asked, 0);
	w->sh->seccomp = 0;
	CALL(w, rtn_fork, w->sh, 0, 158, 0);
	assert_int_equal(w->sh->maps_asked, 1);
	assert_int_equal(w->sh->early, 2);
	CALL(w, rtn_fork, w->sh, 0, 158, 0);
	assert_int_equal(w->sh->maps_asked, 1);
}

/* Where nobody may be asked, and both have the number that is noted. */
static void
lends_its_home_under_seccomp(void **state)
{
	enum { AT = 0x1234 };
	struct world *w = *state;
	const uint64_t fs = world_fsbase();
	volatile int silent = 0;
	struct rt *rt;
	pid_t pid;

	w->sh->tid_off = tid_offset();
	if (w->sh->tid_off == 0)
		skip();
	w->sh->seccomp = 1;
	w->sh->known[0].own = (uint32_t)gettid();
	w->sh->nknown = 1;
	rt = world_enter(w);
	CALL(w, rtn_leave, rt);
	CALL(w, rtn_fork, w->sh, fs, 58, AT);
	pid = vfork();
	if (pid == 0) {
		CALL(w, rtn_forked, w->sh, fs, 0, AT);
		silent = world_enter(w) == NULL;
		CALL(w, rtn_look, w->sh, 56, 0x100, 0, fs);
		CALL(w, rtn_thread_exit, w->sh, fs);
		_exit(0);
	}
	CALL(w, rtn_forked, w->sh, fs, (uint64_t)pid, AT);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(silent, 1);
	assert_int_equal(w->sh->nforks, 0);
	assert_int_equal(w->sh->nshared, 0);
	assert_int_equal(w->sh->known[0].own, gettid());
	assert_int_equal(w->sh->owner[0], gettid());
	assert_ptr_equal(world_enter(w), rt);
	assert_int_equal(w->sh->no_slot, 0);
}

/* Another process in the memory takes no slot, by whatever base. */
static void
gives_guests_no_slot(void **state)
{
	struct world *w = *state;
	volatile int silent = 0;
	pid_t pid;

	w->sh->shared[0] = SHARED;
	w->sh->nshared = 1;
	pid = vfork();
	if (pid == 0) {
		silent = world_enter(w) == NULL;
		silent += CALL(w, rtn_enter, w->sh, SHARED) == NULL;
		silent += CALL(w, rtn_home, w->sh, 0x6000) == 0;
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(silent, 3);
	assert_int_equal(w->sh->nthreads_used, 0);
	assert_int_equal(w->sh->no_slot, 0);
	assert_non_null(world_enter(w));
}

/* What is shown is the consumer's number, what owns a slot the thread's. */
static void
shows_the_numbers_of_the_consumer(void **state)
{
	struct world *w = *state;
	struct rt *rt;

	w->sh->foreign = 1;
	w->sh->seccomp = 1;
	w->sh->known[0].fsbase = 0x7000;
	w->sh->known[0].own = 7;
	w->sh->known[0].tid = 1007;
	w->sh->nknown = 1;
	rt = CALL(w, rtn_enter, w->sh, 0x7000);
	assert_non_null(rt);
	assert_int_equal(rt->tid, 1007);
	assert_int_equal(w->sh->owner[0], 7);
	CALL(w, rtn_leave, rt);
	CALL(w, rtn_thread_exit, w->sh, 0x7000);
	assert_int_equal(w->sh->owner[0], 0);
}

/* Of one that is new nobody tells: it has no number until somebody does. */
static void
shows_no_number_that_is_not_told(void **state)
{
	struct world *w = *state;
	struct rt *rt;

	w->sh->foreign = 1;
	rt = world_enter(w);
	assert_non_null(rt);
	assert_int_equal(w->sh->outer[0], RTN_TID_ASKED);
	assert_int_equal(rt->tid, 0);
	CALL(w, rtn_leave, rt);
}

/* One that comes back when its parent has is no guest any more. */
static void
lends_nothing_too_late(void **state)
{
	struct world *w = *state;
	const uint64_t fs = world_fsbase();
	struct rt *rt = world_enter(w);
	pid_t pid;

	CALL(w, rtn_leave, rt);
	CALL(w, rtn_fork, w->sh, fs, 56, 1);
	assert_int_equal(w->sh->fresh_at[1], 1);
	CALL(w, rtn_forked, w->sh, fs, 100, 1);
	pid = vfork();
	if (pid == 0) {
		CALL(w, rtn_forked, w->sh, fs, 0, 1);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_ptr_equal(world_enter(w), rt);
	CALL(w, rtn_leave, rt);
	CALL(w, rtn_fork, w->sh, fs, 56, 1);
	CALL(w, rtn_thread_exit, w->sh, fs);
	CALL(w, rtn_leave, world_enter(w)); /* the slot's next owner */
	assert_int_equal(w->sh->nforks, 0);
}

static void *
let_it_exec(void *arg)
{
	struct rtn_shared *sh = arg;

	while (sh->exec_wait != 1)
		sched_yield();
	sh->exec_wait = 2;
	return NULL;
}

static void
waits_before_exec(void **state)
{
	struct world *w = *state;
	struct timespec a, b;
	pthread_t t;

	clock_gettime(CLOCK_MONOTONIC, &a);
	CALL(w, rtn_exec, w->sh);
	clock_gettime(CLOCK_MONOTONIC, &b);
	assert_true((b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec -
			    a.tv_nsec >= 15000000);
	assert_int_equal(w->sh->exec_wait, 0);
	assert_int_equal(w->sh->ctl.wanted, 1);
	pthread_create(&t, NULL, let_it_exec, w->sh);
	CALL(w, rtn_exec, w->sh);
	pthread_join(t, NULL);
	w->sh->ctl.activity = RT_ACT_INACTIVE;
	w->sh->ctl.wanted = 0;
	CALL(w, rtn_exec, w->sh);
	assert_int_equal(w->sh->ctl.wanted, 0);
}

static void *
let_it_map(void *arg)
{
	struct rtn_shared *sh = arg;

	while (sh->maps_asked != 2)
		sched_yield();
	sh->maps_answered = 2;
	return NULL;
}

static void
waits_for_new_objects(void **state)
{
	struct world *w = *state;
	uint32_t r_state = 1;
	pthread_t t;

	w->sh->maps_state = (uintptr_t)&r_state;
	CALL(w, rtn_maps, w->sh);
	assert_int_equal(w->sh->maps_asked, 0); /* the list is not whole */
	r_state = 0;
	w->sh->maps_answered = 1; /* the consumer was here already */
	CALL(w, rtn_maps, w->sh);
	assert_int_equal(w->sh->maps_asked, 1);
	pthread_create(&t, NULL, let_it_map, w->sh);
	CALL(w, rtn_maps, w->sh);
	pthread_join(t, NULL);
	assert_int_equal(w->sh->maps_answered, 2);
	/* Nobody comes, once; then nobody is waited for until he does. */
	CALL(w, rtn_maps, w->sh);
	assert_int_equal(w->sh->maps_vain, 3);
	CALL(w, rtn_maps, w->sh);
	assert_int_equal(w->sh->maps_asked, 4);
	assert_int_equal(w->sh->maps_vain, 3); /* it has not waited */
	w->sh->maps_answered = 4;
	CALL(w, rtn_maps, w->sh);
	assert_int_equal(w->sh->maps_vain, 5); /* it has */
	w->sh->ctl.activity = RT_ACT_INACTIVE;
	CALL(w, rtn_maps, w->sh);
	assert_int_equal(w->sh->maps_asked, 5);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		WORLD_TEST(gives_levels),
		WORLD_TEST(makes_the_thread_known),
		WORLD_TEST(fires_only_when_active),
		WORLD_TEST(gives_a_slot_back),
		WORLD_TEST(counts_threads_without_slot),
		WORLD_TEST(outlives_many_threads),
		WORLD_TEST(keeps_threads_apart),
		WORLD_TEST(is_silent_in_a_forked_child),
		WORLD_TEST(knows_its_cpu),
		WORLD_TEST(tells_threads_of_a_shared_base),
		WORLD_TEST(waits_for_no_stack),
		WORLD_TEST(asks_early_for_mappings),
		WORLD_TEST(learns_what_will_be_shared),
		WORLD_TEST(learns_of_filters),
		WORLD_TEST(takes_numbers_that_are_known),
		WORLD_TEST(takes_the_first_base),
		WORLD_TEST(asks_nobody_under_seccomp),
		WORLD_TEST(raises_signals_behind_the_firing),
		WORLD_TEST(takes_back_what_was_left),
		WORLD_TEST(knows_the_alternate_stack),
		WORLD_TEST(asks_nothing_under_seccomp),
		WORLD_TEST(opens_the_array_it_held),
		WORLD_TEST(reports_faults),
		WORLD_TEST(lends_its_home),
		WORLD_TEST(lends_its_home_under_seccomp),
		WORLD_TEST(gives_guests_no_slot),
		WORLD_TEST(shows_the_numbers_of_the_consumer),
		WORLD_TEST(shows_no_number_that_is_not_told),
		WORLD_TEST(lends_nothing_too_late),
		WORLD_TEST(waits_before_exec),
		WORLD_TEST(waits_for_new_objects),
	};

	return cmocka_run_group_tests_name("rt_native_thread", tests, NULL, NULL);
}
