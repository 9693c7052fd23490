/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * host_impl.h - what the files of the consumer's side of firings share.
 *
 *   host.c        slots; a probe fires; BEGIN and END
 *   host_world.c  what clauses see then: memory, stacks, arrays
 *   host_var.c    and built-in variables; what is read for them of /proc
 *   host_timer.c  the timer thread: ticks, and when to look for samples
 *   host_perf.c   samples from perf events on the target's threads
 *   host_walk.c   samples by stopping its running threads for a moment
 *   host_stack.c  the user's stack of either, by tables
 *
 * WHO IS IT?  What fires is either the consumer itself (BEGIN, END, tick: pid,
 * execname and so on are ours, as in the kernel engine for BEGIN), or a thread
 * of the target that was sampled (profile), or a process of its tree of which
 * something has become known (TREE of site.def).  Memory that clauses read is
 * the target's, or that process's: there is nothing to look at in ours.
 */
#ifndef ENGINE_PROCESS_HOST_IMPL_H
#define ENGINE_PROCESS_HOST_IMPL_H

#include <pthread.h>

#include "base/hash.h"
#include "engine/interp/interp.h"
#include "engine/process/process_impl.h"
#include "rt/rt_native.h"

/* A thread of the target, caught in what it was doing. */
struct host_sample {
	uint64_t time; /* ns, CLOCK_MONOTONIC */
	pid_t pid;     /* 0: the target itself */
	const char *comm; /* when it has ended; NULL: as the target's */
	uint32_t tid, cpu;
	uint64_t kpc, upc; /* one of them, the other is 0 */
	uint64_t ureg[DIF_NUREGS];
	const uint64_t *kstack, *ustack; /* frames, the innermost first */
	uint32_t nkstack, nustack;
	uint64_t fs; /* its thread pointer; 0: not known */
	/* What was its stack from the stack pointer on; NULL: it stands still,
	   and is as it was. */
	const uint8_t *piece;
	uint64_t npiece;
};

#define HOST_LINE 256u /* bytes of the target read at once; divides a page */

/* A slot and the world that the interpreter finds there. */
struct host_ctx {
	struct host_slot slot;
	struct rt_host world;
	struct rt_view view; /* of this slot alone */
	struct host *h;
	uint8_t *agg_by_slot[RTN_HOST_SLOTS * RT_LEVELS]; /* for rt_agg.c */
	uint8_t *self;   /* self-> of our thread */
	uint8_t *nobody; /* and of threads that have no slot: always zero */
	const struct host_sample *sample; /* NULL: we ourselves */
	char execname[16];
	char execargs[RT_STR_MAX];
	char cgroup[RTN_CGROUP], container[16];
	/* The last bytes read from the target, in this firing. */
	bool line_ok;
	uint64_t line_addr;
	uint8_t line[HOST_LINE];
};

/* Addresses [lo, hi) that are ours; sorted. */
struct host_range {
	uint64_t lo, hi;
};

/* A place of a tick or profile probe. */
struct host_site {
	uint32_t probe;
	const struct dif_site *site;
	uint64_t period, next; /* ns; when it fires again */
};

/* What clauses of profile probes want to know of a sample. */
struct host_need {
	uint32_t uframes, kframes;
	bool uregs;
};

struct host_perf;
struct host_stack;

struct host {
	struct host_in in;
	struct host_ctx ctx[HOST_SLOTS];
	VEC(struct host_range) own;
	VEC(struct host_site) ticks, profiles;
	struct host_need need;
	struct host_perf *perf; /* NULL: walk */
	struct host_stack *stack; /* NULL: there are no tables, or no need */
	char how[256];

	/* The timer thread. */
	pthread_t thread;
	bool running;
	int timer_fd, stop_fd; /* timerfd; eventfd */
};

/* Now, CLOCK_MONOTONIC. */
uint64_t host_now(void);
/* Threads of the target: fn for each; -1: it is gone. */
int host_tasks(const struct host *h, void (*fn)(void *arg, uint32_t tid),
	       void *arg);
/* ---- host.c -------------------------------------------------------------- */

/* Fire a probe; s: NULL for what happens to the consumer. */
void host_fire(struct host_ctx *c, uint32_t probe, const struct dif_site *site,
	       const struct host_sample *s);

/* ---- host_world.c -------------------------------------------------------- */

int host_world_init(struct host *h, struct host_ctx *c, struct err *e);
void host_world_fini(struct host_ctx *c);
/* What is true of the firing that now begins, and when it has ended. */
void host_world_enter(struct host_ctx *c, const struct host_sample *s);
void host_world_leave(struct host_ctx *c);
/* The addresses that all slots may read in our memory. */
int host_world_own(struct host *h, struct err *e);
/* n bytes of the target: 0 or -1. */
int host_target_read(struct host_ctx *c, uint64_t addr, void *dst, uint64_t n);

/* ---- host_var.c ---------------------------------------------------------- */

/* rt_host.builtin: arg is the struct host_ctx. */
uint64_t host_var(void *arg, uint32_t id);
/* Who it is. */
uint64_t host_pid(const struct host_ctx *c);
/* Whose memory and files clauses look at. */
pid_t host_subject(const struct host_ctx *c);
uint32_t host_tid(const struct host_ctx *c);
/* The parent of a process; 0: not known. */
uint64_t host_parent_of(uint64_t pid);

/* ---- host_perf.c --------------------------------------------------------- */

/* -1 + *e: perf events are not to be had here.  *note says what is left out,
   "" if nothing is. */
int host_perf_open(struct host *h, const char **note, struct err *e);
void host_perf_close(struct host *h);
/* Look for threads that have come, or have ended. */
void host_perf_scan(struct host *h);
/* Fire what has been sampled since, in order of time. */
void host_perf_drain(struct host *h);
/* How long the rings may be left alone, ns. */
uint64_t host_perf_interval(const struct host *h);

/* ---- host_walk.c --------------------------------------------------------- */

/* Sample each running thread and fire: a period of a profile site is over. */
void host_walk(struct host *h, const struct host_site *site);

/* ---- host_stack.c -------------------------------------------------------- */

/* h->stack, if samples are to have stacks; 0, or -1: no memory. */
int host_stack_open(struct host *h, struct err *e);
void host_stack_close(struct host *h);
/* The frames of s by its registers, in place of those that it has, until the
   next walk.  Those that it has stay where nothing is known of its code. */
void host_stack_walk(struct host *h, struct host_sample *s);

#endif
