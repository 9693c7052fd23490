/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_native_fork.c - what the program is about to do to its threads and its
 * memory: forks, children that borrow the memory, bases that will be shared,
 * filters.
 *
 * A child of vfork(2) has the base of its parent, and so its home, which is
 * lent to it for that time.
 */
#include "rt/rt_native_impl.h"
#include "rt/rt_native_sys.h"

/* ---- processes that borrow the memory ------------------------------------ */

/*
 * They and their parents run at the same time if the program says nothing of
 * vfork.  So lending is tried by both, each looking at what the other has
 * written: the child lends, then looks whether the call is over; the parent
 * ends the call, then takes back what is lent.
 */
static void
home_lend(struct rtn_home *h, uint64_t base, const struct rt *rt)
{
	const uint64_t key = base + 1;

	if (swap64(&h->key, key, key | RTN_KEY_LENT)) {
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		if (rt->fork_at == 0)
			swap64(&h->key, key | RTN_KEY_LENT, key);
	}
}

/* The home that a thread has, or has lent; NULL: neither. */
static struct rtn_home *
home_any(struct rtn_table *t, uint64_t base)
{
	uint32_t n = 0, m = 0;
	struct rtn_home *h = home_next(t, base, &n);

	return h != NULL ? h : home_next(t, base | RTN_KEY_LENT, &m);
}

/*
 * Where guests fire, the home that the calling thread itself has lent; the
 * guest, who is over, loses its own.  NULL: it has lent none.  (A guest may
 * have lent its home in turn: so owners are looked at.)
 */
static struct rtn_home *
home_back(struct rtn_shared *sh, struct rtn_table *t, uint64_t base)
{
	const uint32_t tid = (uint32_t)rtn_syscall0(RTN_SYS_gettid);
	struct rtn_home *h, *mine = NULL;
	uint32_t n = 0;

	while (mine == NULL &&
	       (h = home_next(t, base | RTN_KEY_LENT, &n)) != NULL)
		if (sh->owner[slot_thread((struct rt *)h->rt)] == tid)
			mine = h;
	for (n = 0; mine != NULL && (h = home_next(t, base, &n)) != NULL;) {
		struct rt *rt = (struct rt *)h->rt;

		if (swap64(&h->key, base + 1, RTN_KEY_TOMB) && !rt->busy)
			slot_give(sh, rt);
	}
	return mine;
}

void
rtn_fork(struct rtn_shared *sh, uint64_t fsbase, uint64_t nr, uint64_t at)
{
	struct rtn_table *t = native_table(sh);
	struct rtn_home *home;
	struct rt *rt;

	if (nr != RTN_SYS_arch_prctl)
		thread_known(sh, fsbase);
#define FRESH(i, n)                            \
	if (nr == (n))                         \
		sh->fresh_at[i] = (uint32_t)at;
	RTN_FRESH(FRESH)
#undef FRESH
	if (nr == RTN_SYS_arch_prctl)
		maps_early(sh);
	if (nr == RTN_SYS_arch_prctl || !may_fire(sh, t, fsbase))
		return;
	home = thread_home(sh, t, fsbase);
	if (home == NULL)
		return;
	rt = (struct rt *)home->rt;
	if (rt->fork_at == 0)
		__atomic_fetch_add(&sh->nforks, 1, __ATOMIC_SEQ_CST);
	rt->fork_at = (uint32_t)at;
}

void
rtn_forked(struct rtn_shared *sh, uint64_t fsbase, uint64_t res, uint64_t at)
{
	struct rtn_table *t = native_table(sh);
	uint64_t base = t->alive ? base_of(sh, fsbase) : RTN_BASE_NONE;
	struct rtn_home *h = NULL;
	struct rt *rt;

	if (sh->follow && !sh->seccomp && base != RTN_BASE_NONE)
		h = home_back(sh, t, base);
	if (h == NULL)
		h = home_any(t, base);
	if (h == NULL)
		return; /* a thread that is new, or a process with a copy */
	rt = (struct rt *)h->rt;
	if (rt->fork_at != (uint32_t)at)
		return;
	/* Under a filter, who comes back with 0 is taken for the child. */
	if (sh->seccomp ? res == 0 : is_other(sh)) {
		if (res == 0)
			home_lend(h, base, rt);
		return;
	}
	fork_over(sh, rt);
	swap64(&h->key, (base | RTN_KEY_LENT) + 1, base + 1);
}

/* ---- what the program is about to change --------------------------------- */

/* <sched.h>, <linux/prctl.h>, <linux/seccomp.h> */
#define CLONE_VM        0x100ull
#define CLONE_VFORK     0x4000ull
#define CLONE_SETTLS    0x80000ull
#define PR_SET_SECCOMP  22
#define SET_MODE_FILTER 1 /* strict is 0 */

/*
 * From now on the base is shared.  Its home is closed, and the calling thread
 * keeps its slot under its number.
 */
static void
base_share(struct rtn_shared *sh, uint64_t fsbase)
{
	struct rtn_table *t = native_table(sh);
	struct rtn_home *home;
	uint32_t n = 0, at;

	/* A guest in the memory has no say about its host's base. */
	if (is_shared(sh, fsbase) || is_lent(t, fsbase))
		return;
	do
		at = sh->nshared;
	while (!swap32(&sh->nshared, at, at + 1));
	if (at < RTN_NSHARED)
		sh->shared[at] = fsbase;
	while ((home = home_next(t, fsbase, &n)) != NULL) {
		struct rt *rt = (struct rt *)home->rt;

		__atomic_store_n(&home->key, RTN_KEY_TOMB, __ATOMIC_RELEASE);
		if (!home_take(t,
			       RTN_BASE_OF_TID(sh->owner[slot_thread(rt)]), rt))
			slot_give(sh, rt);
	}
}

/*
 * A call that fails in the end has made us careful without need.  A child of
 * vfork(2) uses the memory while its parent waits.
 */
void
rtn_look(struct rtn_shared *sh, uint64_t nr, uint64_t arg0, uint64_t arg1,
	 uint64_t fsbase)
{
	if (!native_table(sh)->alive)
		return;
	if (nr == RTN_ITS_clone && (arg0 & CLONE_VM) != 0 &&
	    (arg0 & (CLONE_SETTLS | CLONE_VFORK)) == 0)
		base_share(sh, fsbase);
	if ((nr == RTN_ITS_seccomp && (uint32_t)arg0 <= SET_MODE_FILTER) ||
	    (nr == RTN_ITS_prctl && (uint32_t)arg0 == PR_SET_SECCOMP &&
	     arg1 != 0)) {
		/* Soon it is too late to ask for that. */
		if (sh->shut && slots_open(sh, 0, sh->nthreads))
			sh->shut = 0;
		sh->seccomp = 1;
	}
}
