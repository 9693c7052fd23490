/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_native_wait.c - where a thread waits for the consumer: when libraries
 * came or went, and before another program takes the place of this one.
 *
 * Each wait is bounded, and ends with the consumer or its guardian: nothing of
 * the program depends on them.  None is made where a filter might not expect
 * the calls (rtn_shared.seccomp).
 */
#include "rt/rt_native_impl.h"
#include "rt/rt_native_sys.h"

/* ---- objects that come and go -------------------------------------------- */

#define MAPS_LOOKS 50
#define TAKEN_LOOKS 1000 /* a large library on a slow machine */
#define EARLY_LOOKS 500 /* nobody depends on a program yet that begins */
#define MAPS_LOOK_NS 10000000
#define R_CONSISTENT 0 /* <link.h> */

/*
 * The words are counters, as two threads may be here (the linker has a lock,
 * but not every program has one linker).  A consumer that has died is seen by
 * the activity, which its guardian ends.  One that does not come, for it is
 * stopped, is waited for half a second, once: until it has answered that, it is
 * known, and nobody waits.  One that is at work on it may take longer: until it
 * is done it needs nothing of this process.
 */
static void
maps_await(struct rtn_shared *sh, int looks)
{
	struct rtn_timespec ts = { 0, MAPS_LOOK_NS };
	uint32_t mine, seen;

	mine = __atomic_add_fetch(&sh->maps_asked, 1, __ATOMIC_SEQ_CST);
	consumer_poke(sh);
	if ((int32_t)(sh->maps_vain - sh->maps_answered) > 0)
		return;
	for (int i = 0; i < looks; i++) {
		seen = sh->maps_answered;
		if ((int32_t)(seen - mine) >= 0 ||
		    activity(sh) != RT_ACT_ACTIVE)
			return;
		if ((int32_t)(sh->maps_taken - mine) >= 0)
			looks = TAKEN_LOOKS;
		rtn_syscall6(RTN_SYS_futex, (uint64_t)&sh->maps_answered,
			     FUTEX_WAIT, seen, (uint64_t)&ts, 0, 0);
	}
	sh->maps_vain = mine;
}

void
rtn_maps(struct rtn_shared *sh)
{
	const volatile uint32_t *state = (const void *)sh->maps_state;

	if ((state != NULL && *state != R_CONSISTENT) ||
	    !native_table(sh)->alive || native_table(sh)->pid != 0 ||
	    sh->seccomp || activity(sh) != RT_ACT_ACTIVE)
		return;
	if (swap32(&sh->early, 2, 0))
		return;
	maps_await(sh, MAPS_LOOKS);
}

/* The first thread of a program is about to get its base. */
static void
maps_early(struct rtn_shared *sh)
{
	if (sh->early == 1 && native_table(sh)->alive && !sh->seccomp &&
	    activity(sh) == RT_ACT_ACTIVE && swap32(&sh->early, 1, 2))
		maps_await(sh, EARLY_LOOKS);
}

/* ---- exec ---------------------------------------------------------------- */

#define EXEC_LOOKS 20
#define EXEC_LOOK_NS 1000000

#define EXEC_TURNS 1000
#define EXEC_TURN_NS 10000000

/* Wait until the consumer is ready to catch us.  One that does not come in ten
   seconds (it may be reading a large program), or has no room for us, will not
   trace the program. */
static void
exec_await(struct rtn_shared *sh)
{
	struct rtn_timespec ts = { 0, EXEC_TURN_NS };
	uint32_t n = 0;

	while (n < RTN_NEXECS &&
	       !swap32(&sh->execs[n].state, RTN_EXEC_FREE, RTN_EXEC_CLAIM))
		n++;
	if (n == RTN_NEXECS) {
		__atomic_fetch_add(&sh->nlost, 1, __ATOMIC_RELAXED);
		return;
	}
	sh->execs[n].tid = (uint32_t)rtn_syscall0(RTN_SYS_gettid);
	__atomic_store_n(&sh->execs[n].state, RTN_EXEC_ASKS, __ATOMIC_SEQ_CST);
	sh->ctl.wanted = 1;
	consumer_poke(sh);
	for (int i = 0; i < EXEC_TURNS && activity(sh) == RT_ACT_ACTIVE &&
			sh->execs[n].state == RTN_EXEC_ASKS &&
			rtn_syscall3(RTN_SYS_kill, sh->consumer, 0, 0) !=
				-RTN_ESRCH; i++)
		rtn_syscall6(RTN_SYS_futex, (uint64_t)&sh->execs[n].state,
			     FUTEX_WAIT, RTN_EXEC_ASKS, (uint64_t)&ts, 0, 0);
	if (swap32(&sh->execs[n].state, RTN_EXEC_ASKS, RTN_EXEC_FREE))
		__atomic_fetch_add(&sh->nlost, 1, __ATOMIC_RELAXED);
	else
		sh->execs[n].state = RTN_EXEC_FREE;
}

/* The consumer may set exec_wait with or without waking its waiters. */
void
rtn_exec(struct rtn_shared *sh)
{
	struct rtn_timespec ts = { 0, EXEC_LOOK_NS };
	struct rtn_table *t = native_table(sh);

	if (sh->follow == RTN_FOLLOW_ALL && activity(sh) == RT_ACT_ACTIVE) {
		if (sh->seccomp)
			__atomic_fetch_add(&sh->nlost, 1, __ATOMIC_RELAXED);
		else if (t->alive || child_join(sh, t))
			exec_await(sh);
		return;
	}
	if (!t->alive || sh->seccomp ||
	    activity(sh) != RT_ACT_ACTIVE ||
	    rtn_syscall0(RTN_SYS_getpid) != (int64_t)sh->own_pid)
		return; /* a forked child, or one that shares our memory */
	sh->exec_wait = 1;
	sh->ctl.wanted = 1;
	for (int i = 0; i < EXEC_LOOKS && sh->exec_wait == 1; i++)
		rtn_syscall6(RTN_SYS_futex, (uint64_t)&sh->exec_wait,
			     FUTEX_WAIT, 1, (uint64_t)&ts, 0, 0);
	sh->exec_wait = 0; /* it may fail, and come again */
}
