/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_impl.h - what the files of the process engine share.
 *
 * An instance works in one process.  Steps of its life (process_engine.c), each
 * undone in reverse by free:
 *
 *   load    read maps; sites -> functions -> windows (process_plan.c); decide
 *           where regions go (process_map.c); nothing is touched
 *   attach  guardian; stop one thread: memory file, mappings; resume; fill
 *           shared memory and regions (process_shared.c, process_code.c);
 *           stop all threads: patch, move PCs; resume
 *   begin   BEGIN clauses in the consumer (host.c), then activity ACTIVE,
 *           timers start
 *   stop    activity DRAINING; timers end; wait for firings; undo patches
 *   end     END clauses in the consumer
 */
#ifndef ENGINE_PROCESS_PROCESS_IMPL_H
#define ENGINE_PROCESS_PROCESS_IMPL_H

#include "base/arena.h"
#include "base/vec.h"
#include "engine/process/inject.h"
#include "engine/process/patch.h"
#include "engine/process/process.h"
#include "engine/x86/x86.h"

/* ---- host.c: what fires in the consumer ---------------------------------- */

/*
 * BEGIN, END, tick and profile clauses run in the consumer, by the reference
 * interpreter, on slots of their own, sharing globals, associative arrays,
 * aggregation ids and ctl with the native code.  Slot 0 is the consumer's
 * thread (BEGIN, END), slot 1 the timer thread's.
 */
#define HOST_SLOTS 2

struct host_slot {
	struct rt *rt;
	uint8_t *buf, *agg; /* bufsize, aggsize bytes */
};
struct host_in {
	const struct dif_enabling *en;
	struct rtn_shared *sh; /* the consumer's mapping */
	uint8_t *globals;
	struct rt_assoc *assoc;
	uint64_t bufsize, aggsize;
	const uint32_t *agg_fixed;
	pid_t pid;	       /* the target */
	int mem;	       /* its /proc/PID/mem, for user reads */
	/* self-> of a thread of the target by tid; NULL: it has no slot. */
	uint8_t *(*thread_of)(void *arg, uint32_t tid);
	void *arg;
};
struct host;
struct host *host_new(const struct host_in *in, struct err *e);
void host_free(struct host *h);
struct host_slot *host_slot(struct host *h, unsigned i);
/* Fire all BEGIN (END) clauses, now, in this thread. */
void host_begin(struct host *h);
void host_end(struct host *h);
/*
 * Start (end) the timer thread: tick sites once a period; profile sites on
 * each running thread of the target, by perf cpu-clock events on its tasks, or
 * where those are not to be had, by sampling its running threads.  *how, for
 * -v, says which.  Threads that come later are sampled too.
 */
int host_start(struct host *h, const char **how, struct err *e);
void host_stop(struct host *h);

/* ---- follow.c: what becomes of the target -------------------------------- */

/*
 * Processes that the target has forked inherit its patched text, but nothing
 * fires there (rt_native.h).  Those that announce themselves are stopped, their
 * text is put back, and they go on: from then on they are as if never traced.
 */
int follow_clean_child(const struct patch_journal *j, pid_t child,
		       struct err *e);

/* ---- the clock (process_clock.c) ----------------------------------------- */

/* Is rdtsc a good clock on this machine (constant, nonstop, the kernel's)? */
bool clock_tsc_good(void);
/* Fill sh->clock[0] from a first measurement; then now and then, from poll,
   a better one. */
void clock_start(struct rtn_shared *sh);
void clock_adjust(struct rtn_shared *sh);
/* rt_view.ns */
uint64_t clock_ns(void *sh, uint64_t raw);

#endif
