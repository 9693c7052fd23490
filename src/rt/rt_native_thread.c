/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_native_thread.c - which thread has which slot (struct rtn_table), and
 * the slow ways into a firing.
 *
 * Many threads may be here at once, and each may be interrupted anywhere by a
 * signal handler that comes here too.  So a slot and a home are each claimed
 * by one compare-and-swap, and a home gets its key, which makes it valid, when
 * all else is done:
 *
 *   home  FREE ──▶ CLAIM ──▶ key ──▶ TOMB ──▶ CLAIM ...
 *   slot  owner 0 ──▶ tid ──▶ 0 ...
 *
 * SHARED BASES.  Threads made by clone(2) without CLONE_SETTLS have the %fs
 * base of their maker.  Bases that are known to be shared stand in
 * rtn_shared.shared; no home has one for its key, so that all firings of such
 * threads come here, where the kernel is asked which thread this is.
 *
 * NO SYSTEM CALLS where a filter might not expect them (rtn_shared.seccomp):
 * the number of a thread is then what the C library has noted, or what the
 * consumer has found when it attached.  A thread of which neither is known does
 * not fire, and its firings are counted as lost.
 *
 * NUMBERS are those of the thread's own pid namespace in here: what the kernel
 * and the C library tell, and what slots are owned by.  Only rt.tid, which is
 * shown, is the consumer's number (thread_outer()).
 *
 * A home never becomes FREE again: the chains of others go over it.  A handler
 * that interrupts the claim of its own thread takes a second slot; lookups
 * find the one home or the other, always the same, and both are given back
 * when the thread ends.
 *
 * ABANDONED FIRINGS.  A handler may leave by siglongjmp(3), over the firing
 * that it has interrupted.  Its level stays busy, but the stack pointer in busy
 * (RTN_BUSY()) then is below that of later firings, sooner or later; that of a
 * firing which is only interrupted never is, as long as both are on the same
 * stack.  A thread that runs handlers on an alternate stack is asked where it
 * is.  A program that switches stacks of its own in handlers, in the middle of
 * a firing, may lose that one.
 */
#include "rt/rt_assoc.h"
#include "rt/rt_native_impl.h"
#include "rt/rt_native_sys.h"

/* enum rt_activity, read anew. */
static uint32_t
activity(const struct rtn_shared *sh)
{
	return *(const volatile uint32_t *)&sh->ctl.activity;
}

static int
swap32(volatile uint32_t *p, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(p, &from, to, 0, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

static int
swap64(uint64_t *p, uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n(p, &from, to, 0, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

/* ---- the CPU ------------------------------------------------------------- */

/*
 * From the rseq area of the thread; else from the limit of the segment that
 * the kernel keeps for this (CPU in the low 12 bits, node above), which rdpid
 * gives faster.
 */
#define CPU_SEGMENT 0x7b

uint32_t
rtn_cpu(const struct rtn_shared *sh)
{
	uint32_t cpu = 0;
	uint64_t id;

	if (sh->rseq_off != 0) {
		__asm__ volatile("movl %%fs:4(%1), %0"
				 : "=r"(cpu)
				 : "r"(sh->rseq_off));
		/* negative: not registered (yet) */
		if ((int32_t)cpu >= 0)
			return cpu;
	}
	if (sh->has_rdpid) {
		__asm__ volatile("rdpid %0" : "=r"(id));
		return (uint32_t)id & 0xfff;
	}
	__asm__ volatile("lsl %1, %0" : "=r"(cpu) : "r"(CPU_SEGMENT) : "cc");
	return cpu & 0xfff;
}

/* ---- homes --------------------------------------------------------------- */

static struct rtn_table *
native_table(const struct rtn_shared *sh)
{
	return (struct rtn_table *)sh->table;
}

static uint64_t
home_key(const struct rtn_home *h)
{
	return *(const volatile uint64_t *)&h->key;
}

/* The n-th home from idx on whose key is `key`, or NULL; *n moves past it. */
static struct rtn_home *
home_next(struct rtn_table *t, uint64_t fsbase, uint32_t *n)
{
	uint32_t idx = rtn_home_index(fsbase);

	while (*n < RTN_NHOMES) {
		struct rtn_home *h = &t->home[(idx + (*n)++) % RTN_NHOMES];
		uint64_t key = home_key(h);

		if (key == fsbase + 1)
			return h;
		if (key == RTN_KEY_FREE)
			break;
	}
	return NULL;
}

/* Not 0 if the thread with this base has lent its home.  Then we are not it. */
static int
is_lent(struct rtn_table *t, uint64_t base)
{
	uint32_t n = 0;

	return home_next(t, base | RTN_KEY_LENT, &n) != NULL;
}

/* Make the thread known; NULL when all homes are taken. */
static struct rtn_home *
home_take(struct rtn_table *t, uint64_t fsbase, struct rt *rt)
{
	uint32_t idx = rtn_home_index(fsbase);

	for (uint32_t n = 0; n < RTN_NHOMES; n++) {
		struct rtn_home *h = &t->home[(idx + n) % RTN_NHOMES];
		uint64_t key = home_key(h);

		if ((key == RTN_KEY_FREE || key == RTN_KEY_TOMB) &&
		    swap64(&h->key, key, RTN_KEY_CLAIM)) {
			h->rt = (uint64_t)rt;
			__atomic_store_n(&h->key, fsbase + 1,
					 __ATOMIC_RELEASE);
			return h;
		}
	}
	return NULL;
}

/* ---- who is it ----------------------------------------------------------- */

/* True if the program has made a thread, or a process, that we know of. */
static int
has_made(const struct rtn_shared *sh)
{
#define MADE(i, n) ((n) != RTN_SYS_arch_prctl && sh->fresh_at[i] != 0) ||
	return RTN_FRESH(MADE) 0;
#undef MADE
}

/*
 * The number that the consumer has found for the thread; 0: it has not.  A
 * program that has only begun has one thread, without a base, which gets one
 * before it makes others: the first base that comes is its.
 */
static uint32_t
known_id(struct rtn_shared *sh, uint64_t fsbase)
{
	for (uint32_t i = 0; i < sh->nknown && i < RTN_NTHREADS; i++)
		if (sh->known[i].fsbase == fsbase)
			return sh->known[i].own;
	if (sh->nknown == 1 && !has_made(sh) &&
	    swap64(&sh->known[0].fsbase, 0, fsbase))
		return sh->known[0].own;
	return 0;
}

/* The number of the calling thread, which has the base for itself; 0: there is
   no knowing. */
static uint32_t
thread_id(struct rtn_shared *sh, uint64_t fsbase)
{
	uint32_t tid;

	if (!sh->seccomp)
		return (uint32_t)rtn_syscall0(RTN_SYS_gettid);
	if (sh->tid_off == 0 || fsbase == 0 || fsbase == RTN_BASE_NONE)
		return known_id(sh, fsbase);
	__asm__ volatile("movl %%fs:(%1), %0" : "=r"(tid) : "r"(sh->tid_off));
	return tid;
}

/* A thread is about to make another: by then it is known, or never. */
static void
thread_known(struct rtn_shared *sh, uint64_t fsbase)
{
	if (sh->seccomp && fsbase != 0 && fsbase != RTN_BASE_NONE)
		(void)known_id(sh, fsbase);
}

/* A thread ends: another may come to the same place in memory, or have its
   number. */
static void
known_forget(struct rtn_shared *sh, uint32_t own)
{
	for (uint32_t i = 0; i < sh->nknown && i < RTN_NTHREADS; i++)
		if (sh->known[i].own == own)
			sh->known[i].own = 0;
}

/* The number, in its own pid namespace, of the process whose table this is. */
static uint32_t
table_pid(const struct rtn_shared *sh)
{
	const struct rtn_table *t = native_table(sh);

	return t->pid != 0 ? (uint32_t)t->pid : sh->own_pid;
}

/* Not 0 if the caller is a process of its own.  Under a filter that is not
   asked. */
static int
is_other(const struct rtn_shared *sh)
{
	return !sh->seccomp &&
	       rtn_syscall0(RTN_SYS_getpid) != (int64_t)table_pid(sh);
}

static int
is_shared(const struct rtn_shared *sh, uint64_t fsbase)
{
	uint32_t n = sh->nshared;

	for (uint32_t i = 0; i < n && i < RTN_NSHARED; i++)
		if (sh->shared[i] == fsbase)
			return 1;
	return n > RTN_NSHARED;
}

/* What the home of the calling thread is found by: its base, or its number in
   the place of a base; RTN_BASE_NONE: that must not be asked. */
static uint64_t
base_of(const struct rtn_shared *sh, uint64_t fsbase)
{
	if (!is_shared(sh, fsbase))
		return fsbase;
	if (sh->seccomp)
		return RTN_BASE_NONE;
	return RTN_BASE_OF_TID((uint64_t)rtn_syscall0(RTN_SYS_gettid));
}

/* ---- slots --------------------------------------------------------------- */

static struct rt *
slot_rt(const struct rtn_shared *sh, uint32_t thread, uint32_t level)
{
	return (struct rt *)(sh->slots +
			     (thread * (uint64_t)RT_LEVELS + level) *
				     sh->slot_stride);
}

/* The thread is in no call that makes a process. */
static void
fork_over(struct rtn_shared *sh, struct rt *rt)
{
	if (rt->fork_at == 0)
		return;
	rt->fork_at = 0;
	__atomic_fetch_sub(&sh->nforks, 1, __ATOMIC_SEQ_CST);
}

static void
level_init(struct rtn_shared *sh, uint32_t thread, uint32_t level,
	   uint32_t tid, uint32_t pid)
{
	struct rt *rt = slot_rt(sh, thread, level);
	uint64_t n = thread * (uint64_t)RT_LEVELS + level;

	rt->self = (uint64_t)rt;
	rt->host = (uint64_t)sh;
	rt->level = level;
	rt->slot = RTN_HOST_SLOTS * RT_LEVELS + (uint32_t)n;
	rt->raw_time = sh->vdso_time == 0;
	rt->tid = tid;
	rt->pid = pid;
	rt->cpu = rtn_cpu(sh);
	rt->buf = sh->bufs ? sh->bufs + n * sh->conf.bufsize : 0;
	rt->agg = sh->aggs ? sh->aggs + n * sh->conf.aggsize : 0;
	rt->thread = sh->threads + thread * sh->thread_stride;
	rt->fault = RT_FAULT_NONE;
	fork_over(sh, rt);
	rt->busy = 0;
}

/* Slots [0, n) have been taken at some time. */
static void
note_used(struct rtn_shared *sh, uint32_t n)
{
	uint32_t used = sh->nthreads_used;

	while (used < n && !swap32(&sh->nthreads_used, used, n))
		used = sh->nthreads_used;
}

#define TID_LOOKS 100
#define TID_LOOK_NS 1000000
#define FUTEX_WAIT 0
#define FUTEX_WAKE 1

/* Somebody waits for the consumer. */
static void
consumer_poke(struct rtn_shared *sh)
{
	__atomic_fetch_add(&sh->poke, 1, __ATOMIC_SEQ_CST);
	rtn_syscall6(RTN_SYS_futex, (uint64_t)&sh->poke, FUTEX_WAKE, 1, 0, 0,
		     0);
}

/*
 * The thread that has slot t, as the consumer calls it.  Of one that is new
 * only the consumer can tell: it is waited for, or where no system call may be
 * made the thread's number is 0 until it has been written.
 */
static uint32_t
thread_outer(struct rtn_shared *sh, uint32_t t, uint32_t own)
{
	struct rtn_timespec ts = { 0, TID_LOOK_NS };

	for (uint32_t i = 0; i < sh->nknown && i < RTN_NTHREADS; i++)
		if (sh->known[i].own == own)
			return sh->outer[t] = sh->known[i].tid;
	__atomic_store_n(&sh->outer[t], RTN_TID_ASKED, __ATOMIC_SEQ_CST);
	for (int i = 0; i < TID_LOOKS && !sh->seccomp; i++) {
		if (sh->outer[t] != RTN_TID_ASKED)
			return sh->outer[t];
		consumer_poke(sh);
		rtn_syscall6(RTN_SYS_futex, (uint64_t)&sh->outer[t], FUTEX_WAIT,
			     RTN_TID_ASKED, (uint64_t)&ts, 0, 0);
	}
	return 0;
}

#define PROT_RW   3 /* PROT_READ | PROT_WRITE */
#define PAGE_MASK 4095ull

/* Let [at, at + n) be accessed. */
static int
span_open(uint64_t at, uint64_t n)
{
	uint64_t lo = at & ~PAGE_MASK, hi = (at + n + PAGE_MASK) & ~PAGE_MASK;

	return n == 0 ||
	       rtn_syscall3(RTN_SYS_mprotect, lo, hi - lo, PROT_RW) == 0;
}

/* The slots of threads [t, t + n) and their buffers.  0: that is not to be. */
static int
slots_open(const struct rtn_shared *sh, uint32_t t, uint32_t n)
{
	const uint64_t slots = sh->slot_stride * RT_LEVELS;
	const uint64_t bufs = (uint64_t)sh->conf.bufsize * RT_LEVELS;
	const uint64_t aggs = (uint64_t)sh->conf.aggsize * RT_LEVELS;

	return !sh->seccomp && span_open(sh->slots + t * slots, n * slots) &&
	       (sh->bufs == 0 || span_open(sh->bufs + t * bufs, n * bufs)) &&
	       (sh->aggs == 0 || span_open(sh->aggs + t * aggs, n * aggs));
}

/* The process of the calling thread, as the consumer calls it.  Children are
   followed only where all have the same numbers for it. */
static uint32_t
outer_pid(const struct rtn_shared *sh)
{
	return sh->follow && !sh->seccomp
		       ? (uint32_t)rtn_syscall0(RTN_SYS_getpid)
		       : sh->pid;
}

/* Who is of the tree, by the first firing of its first thread: the consumer may
   want to know what it has mapped. */
static void
process_note(struct rtn_shared *sh, uint32_t pid)
{
	uint32_t i = __atomic_fetch_add(&sh->nchildren, 1, __ATOMIC_RELAXED);

	sh->children[i % RTN_NCHILDREN] = pid;
}

/* That which was kept for the thread while it executed a program; or
   nthreads. */
static uint32_t
slot_kept(struct rtn_shared *sh, uint32_t tid)
{
	const uint32_t mark = RTN_KEPT | tid;

	for (uint32_t t = 0; t < sh->nthreads_used && t < sh->nthreads; t++)
		if (sh->owner[t] == mark && swap32(&sh->owner[t], mark, tid))
			return t;
	return sh->nthreads;
}

/* A slot for the calling thread, its self-> variables zeroed, but in one that
   was kept; NULL: none. */
static struct rt *
slot_take(struct rtn_shared *sh, uint64_t fsbase)
{
	uint32_t tid = thread_id(sh, fsbase), pid = outer_pid(sh), t;
	int kept;

	if (tid == 0)
		return NULL;
	t = sh->follow == RTN_FOLLOW_ALL ? slot_kept(sh, tid) : sh->nthreads;
	kept = t < sh->nthreads;
	for (t = kept ? t : 0; !kept && t < sh->nthreads; t++)
		if (sh->owner[t] == 0 && swap32(&sh->owner[t], 0, tid))
			break;
	if (t == sh->nthreads)
		return NULL;
	if (sh->shut && !slots_open(sh, t, 1)) {
		__atomic_store_n(&sh->owner[t], 0, __ATOMIC_RELEASE);
		return NULL;
	}
	if (sh->foreign)
		tid = thread_outer(sh, t, tid);
	if (!kept)
		memset((void *)(sh->threads + t * sh->thread_stride), 0,
		       sh->thread_stride);
	for (uint32_t level = 0; level < RT_LEVELS; level++)
		level_init(sh, t, level, tid, pid);
	if (sh->follow && tid == pid)
		process_note(sh, pid);
	/* It may have been answered meanwhile; else slots are looked at. */
	for (uint32_t level = 0; sh->foreign && level < RT_LEVELS; level++)
		if (sh->outer[t] != RTN_TID_ASKED)
			slot_rt(sh, t, level)->tid = sh->outer[t];
	note_used(sh, t + 1);
	return slot_rt(sh, t, 0);
}

static uint32_t
slot_thread(const struct rt *rt)
{
	return rt->slot / RT_LEVELS - RTN_HOST_SLOTS;
}

/* A firing at this level, if there is one, has been left by a long jump. */
static void
level_abandon(struct rtn_shared *sh, struct rt *rt)
{
	if (sh->assoc != 0)
		rt_assoc_abandon(rt, (struct rt_assoc *)sh->assoc, 0);
	__atomic_store_n(&rt->busy, 0, __ATOMIC_RELEASE);
}

static void
slot_give(struct rtn_shared *sh, struct rt *rt)
{
	for (uint32_t level = 0; level < RT_LEVELS; level++)
		level_abandon(sh, slot_rt(sh, slot_thread(rt), level));
	__atomic_store_n(&sh->owner[slot_thread(rt)], 0, __ATOMIC_RELEASE);
}

/* ---- forked children ----------------------------------------------------- */

/* In a child with one thread its number is the pid. */
static uint32_t
child_id(struct rtn_shared *sh, uint64_t fsbase)
{
	return sh->seccomp ? thread_id(sh, fsbase)
			   : (uint32_t)rtn_syscall0(RTN_SYS_getpid);
}

/*
 * The table is zero here: nothing fires.  Tell the consumer once that our text
 * is still patched.  Under a filter the child of a C library that notes no
 * numbers keeps our patches.
 */
static void
child_tell(struct rtn_shared *sh, struct rtn_table *t, uint64_t fsbase)
{
	uint32_t i, pid;

	if (__atomic_exchange_n(&t->told, 1, __ATOMIC_RELAXED))
		return;
	pid = child_id(sh, fsbase);
	if (pid == 0)
		return;
	i = __atomic_fetch_add(&sh->nchildren, 1, __ATOMIC_RELAXED);
	if (i < RTN_NCHILDREN)
		sh->children[i] = pid;
	sh->ctl.wanted = 1;
}

/*
 * A child that fires: the table is its own from now on.  There is one thread
 * yet, or several that write the same.  Under a filter nobody can be asked who
 * we are.  0: it stays silent.
 */
static int
child_join(struct rtn_shared *sh, struct rtn_table *t)
{
	if (!sh->follow || sh->seccomp)
		return 0;
	t->pid = (uint64_t)rtn_syscall0(RTN_SYS_getpid);
	__atomic_store_n(&t->alive, 1, __ATOMIC_RELEASE);
	__atomic_fetch_add(&sh->nfollowed, 1, __ATOMIC_RELAXED);
	return 1;
}

/* ---- the ways in and out ------------------------------------------------- */

/* A home for the calling thread, which has none; NULL: there can be none. */
static struct rtn_home *
home_make(struct rtn_shared *sh, struct rtn_table *t, uint64_t base,
	  uint64_t fsbase)
{
	struct rt *rt = base != RTN_BASE_NONE ? slot_take(sh, fsbase) : NULL;
	struct rtn_home *home = NULL;

	if (rt != NULL)
		home = home_take(t, base, rt);
	if (rt != NULL && home == NULL)
		slot_give(sh, rt);
	return home;
}

/* The home of the calling thread, made if there is none; NULL: it is a guest,
   or there can be none and the firing is counted as lost. */
static struct rtn_home *
thread_home(struct rtn_shared *sh, struct rtn_table *t, uint64_t fsbase)
{
	uint64_t base = base_of(sh, fsbase);
	struct rtn_home *home = NULL;
	uint32_t n = 0;

	if (base != RTN_BASE_NONE)
		home = home_next(t, base, &n);
	if (home != NULL)
		return home;
	/* A thread with the base of a home that is lent is a guest, or its
	   host. */
	if (is_lent(t, base) ? !sh->follow : is_other(sh))
		return NULL;
	home = home_make(sh, t, base, fsbase);
	if (home == NULL)
		__atomic_fetch_add(&sh->no_slot, 1, __ATOMIC_RELAXED);
	return home;
}

/* Not 0 if the calling thread may fire at all.  A forked child may not, unless
   children are followed. */
static int
may_fire(struct rtn_shared *sh, struct rtn_table *t, uint64_t fsbase)
{
	if (t->alive || (activity(sh) == RT_ACT_ACTIVE && child_join(sh, t)))
		return activity(sh) == RT_ACT_ACTIVE;
	child_tell(sh, t, fsbase);
	return 0;
}

/* ---- where the stack is short -------------------------------------------- */

/* What is done on a stack that is borrowed; sp is the thread's. */
typedef uint64_t loan_fn(struct rtn_shared *sh, uint64_t fsbase, uint64_t sp);

static uint64_t
call_on(uint64_t top, loan_fn *fn, struct rtn_shared *sh, uint64_t fsbase,
	uint64_t sp)
{
	uint64_t res;

	__asm__ volatile("mov %%rsp, %%rbx\n\t"
			 "mov %[top], %%rsp\n\t"
			 "call *%[fn]\n\t"
			 "mov %%rbx, %%rsp"
			 : "=a"(res), "+D"(sh), "+S"(fsbase), "+d"(sp)
			 : [top] "r"(top), [fn] "r"(fn)
			 : "rbx", "rcx", "r8", "r9", "r10", "r11", "memory",
			   "cc");
	return res;
}

/* Nobody waits for a stack: a signal handler might wait for the firing that it
   has interrupted.  If all are taken, which is as good as never, a firing is
   counted as lost. */
static uint64_t
call_elsewhere(struct rtn_shared *sh, uint64_t fsbase, uint64_t sp, loan_fn *fn)
{
	uint64_t res;

	for (uint32_t i = 0; i < RTN_NLOANS; i++) {
		if (!swap32(&sh->loan[i].lent, 0, 1))
			continue;
		res = call_on((uint64_t)&sh->loan[i].lent, fn, sh, fsbase, sp);
		__atomic_store_n(&sh->loan[i].lent, 0, __ATOMIC_RELEASE);
		return res;
	}
	__atomic_fetch_add(&sh->no_slot, 1, __ATOMIC_RELAXED);
	return 0;
}

static __attribute__((noinline)) uint64_t
home_find(struct rtn_shared *sh, uint64_t fsbase, uint64_t sp)
{
	struct rtn_table *t = native_table(sh);
	struct rtn_home *home =
		may_fire(sh, t, fsbase) ? thread_home(sh, t, fsbase) : NULL;

	(void)sp;
	return home != NULL ? (uint64_t)home - (uint64_t)t->home + 1 : 0;
}

uint64_t
rtn_home(struct rtn_shared *sh, uint64_t fsbase)
{
	return sh->stacks ? call_elsewhere(sh, fsbase, 0, home_find)
			  : home_find(sh, fsbase, 0);
}

static __attribute__((noinline)) uint64_t
home_look(struct rtn_shared *sh, uint64_t fsbase, uint64_t sp)
{
	struct rtn_table *t = native_table(sh);
	uint64_t base = t->alive ? base_of(sh, fsbase) : RTN_BASE_NONE;
	struct rtn_home *home = NULL;
	uint32_t n = 0;

	if (base != RTN_BASE_NONE)
		home = home_next(t, base, &n);
	(void)sp;
	return home != NULL ? (uint64_t)home - (uint64_t)t->home + 1 : 0;
}

uint64_t
rtn_home_look(struct rtn_shared *sh, uint64_t fsbase)
{
	return sh->stacks ? call_elsewhere(sh, fsbase, 0, home_look)
			  : home_look(sh, fsbase, 0);
}

/*
 * A handler's firing lies below the one it has interrupted by more than
 * FRAME_MIN: the red zone, what the kernel saves, the handler itself.  Two
 * firings at the same depth differ by less: by how they have come here.
 */
#define FRAME_MIN 768
#define STACK_MAX (8 << 20)

/* True if the firing at this level was left without an end, as the stack
   pointer sp of a later one shows. */
static int
is_abandoned(const struct rtn_shared *sh, const struct rt *rt, uint64_t sp)
{
	uint32_t busy = rt->busy, was = busy - RTN_BUSY(0);
	int32_t above = (int32_t)((uint32_t)sp - was);
	struct rtn_stack alt;

	if (busy == RTN_BUSY(0) || above < -FRAME_MIN || above > STACK_MAX ||
	    sh->seccomp ||
	    rtn_syscall3(RTN_SYS_sigaltstack, 0, (uint64_t)&alt, 0) != 0)
		return 0;
	/* Not by its flags: the kernel looks at the stack that we are on
	   now. */
	return sp - alt.sp >= alt.size ||
	       was - (uint32_t)alt.sp < alt.size;
}

static void
level_look(struct rtn_shared *sh, struct rt *rt, uint64_t sp)
{
	if (rt->busy && is_abandoned(sh, rt, sp))
		level_abandon(sh, rt);
}

/*
 * The first level of the slot that is not firing.  busy is set in one store
 * whatever it was before, as a handler in between may have changed it.
 */
static struct rt *
level_take(struct rtn_shared *sh, struct rt *rt, uint64_t sp)
{
	struct rt *nested = slot_rt(sh, slot_thread(rt), 1);

	if (rt->busy) {
		level_look(sh, nested, sp);
		level_look(sh, rt, sp);
	}
	if (rt->busy) {
		if (nested->busy) {
			RTN_COUNT(rt->drops[RT_DROP_NESTED]);
			return NULL;
		}
		rt = nested;
	}
	rt->busy = RTN_BUSY(sp);
	return rt;
}

uint64_t
rtn_enter_at(struct rtn_shared *sh, uint64_t fsbase, uint64_t sp)
{
	struct rtn_table *t = native_table(sh);
	struct rtn_home *home;
	struct rt *rt;

	home = may_fire(sh, t, fsbase) ? thread_home(sh, t, fsbase) : NULL;
	if (home == NULL)
		return 0;
	rt = level_take(sh, (struct rt *)home->rt, sp);
	if (rt == NULL)
		return 0;
	/* The consumer looks at busy after it has changed the activity: look
	   at that after busy is set. */
	if (activity(sh) != RT_ACT_ACTIVE) {
		rtn_leave(rt);
		return 0;
	}
	rt->firings++;
	rt->now = 0;
	rt->fault = RT_FAULT_NONE;
	rt->in_error = 0;
	rt->scratch = 0;
	rt->ntuple = 0;
	return (uint64_t)rt;
}

struct rt *
rtn_enter(struct rtn_shared *sh, uint64_t fsbase)
{
	uint64_t sp = (uint64_t)__builtin_frame_address(0);

	return (struct rt *)(sh->stacks ? call_elsewhere(sh, fsbase, sp,
							 rtn_enter_at)
					: rtn_enter_at(sh, fsbase, sp));
}

void
rtn_leave(struct rt *rt)
{
	__atomic_store_n(&rt->busy, 0, __ATOMIC_RELEASE);
}

void
rtn_thread_exit(struct rtn_shared *sh, uint64_t fsbase)
{
	struct rtn_table *t = native_table(sh);
	struct rtn_home *home;
	uint32_t n = 0, tid;
	uint64_t base;

	if (!t->alive)
		return;
	base = base_of(sh, fsbase);
	if (base == RTN_BASE_NONE || (is_lent(t, base) && !sh->follow))
		return;
	tid = thread_id(sh, fsbase);
	known_forget(sh, tid);
	while ((home = home_next(t, base, &n)) != NULL) {
		struct rt *rt = (struct rt *)home->rt;

		if (sh->owner[slot_thread(rt)] != tid)
			continue; /* a vfork child on its parent's stack */
		__atomic_store_n(&home->key, RTN_KEY_TOMB, __ATOMIC_RELEASE);
		slot_give(sh, rt);
	}
}
