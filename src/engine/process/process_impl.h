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

#include <pthread.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "engine/process/inject.h"
#include "engine/process/patch.h"
#include "engine/process/process.h"
#include "engine/x86/x86.h"
#include "proc/proc.h"

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

/*
 * Raw time to CLOCK_MONOTONIC: a line of some segments, each begun where the
 * one before had come to, so that time never jumps and never runs backwards.
 */
struct clock {
	struct rtn_shared *sh;
	uint64_t from[RTN_NCLOCKS]; /* first raw value of each segment */
	uint64_t next_ns;	    /* when to look again */
	unsigned n;		    /* segments ever begun */
};

/* Is rdtsc a good clock on this machine (constant, nonstop, the kernel's)? */
bool clock_tsc_good(void);
/* Fill sh->clock[0] from a first measurement (takes some milliseconds). */
void clock_start(struct clock *c, struct rtn_shared *sh);
/* Now and then, from poll: measure again, begin a better segment. */
void clock_adjust(struct clock *c);
/* rt_view.ns; c is a struct clock. */
uint64_t clock_ns(void *c, uint64_t raw);

/* ---- what is known of the target's objects (process_world.c) ------------- */

struct world_obj;
struct world {
	struct arena *arena;
	struct proc_set *procs;
	struct proc *proc;
	VEC(struct world_obj *) objs;
};
int world_open(struct world *w, pid_t pid, struct err *e);
void world_close(struct world *w);
/* The object that has code at an address; NULL: none has. */
struct world_obj *world_at(struct world *w, uint64_t addr);
const char *world_obj_name(const struct world_obj *o);
/* What the analysis of one of its functions asks. */
const struct x86_world *world_x86(struct world_obj *o);
/* The parts of the function at addr (size bytes; 0: as the object says):
   itself, then its cold parts.  Their number; 0: it is not known. */
uint32_t world_parts(struct world_obj *o, uint64_t addr, uint64_t size,
		     struct x86_part part[8]);
/* Addresses of the bytes of `syscall` in its code; they may be others'. */
int world_syscalls(struct world_obj *o, struct err *e, uint64_t **at,
		   size_t *n);
/* The start of the function around an address; 0: not known. */
uint64_t world_fn_of(struct world_obj *o, uint64_t addr);

/* ---- the plan (process_plan.c, process_site.c) --------------------------- */

#define PLAN_NONE UINT32_MAX

/* A function that is probed. */
struct plan_fn {
	uint64_t addr;
	struct world_obj *obj;
	struct x86_fn fn;
	const char *why; /* not NULL: it cannot be */
};
/* Sites that run the same clauses on the same arguments: one handler. */
struct plan_class {
	struct x86_handler_in in;
	bool sys; /* of system calls */
};
/* One site of one probe: all of its points are placed, or none. */
struct plan_group {
	uint32_t probe, cls;
	const struct dif_site *site;
	const char *why;   /* refused */
	const char *where; /* what stands in the way of what: "offset 0x1c" */
};
/* A probe at an instruction. */
struct plan_point {
	uint64_t addr;
	uint32_t fn, group; /* PLAN_NONE: system calls, by number */
	uint32_t window;    /* PLAN_NONE: not placed */
	uint32_t site;	    /* index of its rtn_site */
	enum x86_at at;
	bool after;
	uint64_t cookie;
};
struct plan_window {
	struct x86_window w;
	uint32_t fn;
	uint32_t point0, npoints; /* in plan.points, by address */
	uint32_t region;
	bool dead; /* none of its points is wanted any more */
	bool lost; /* the text was not as its file says */
};
struct plan {
	VEC(struct plan_fn) fns;
	struct hash *fn_by_addr;
	VEC(struct plan_class) classes;
	struct hash *class_by_key;
	VEC(struct plan_group) groups;
	VEC(struct plan_point) points;
	VEC(struct plan_window) windows;
	VEC(struct rtn_site) sites;
	struct rtn_sys sys[RTN_NSYS];	 /* sites; handlers come later */
	uint32_t sys_class[RTN_NSYS][2]; /* PLAN_NONE */
	bool sys_entry, sys_return;
	uint32_t nsys, nsys_refused;	/* syscall instructions */
	uint32_t *cells;	 /* [nprobes] of rtn_site.cells, relative */
	uint32_t cells_size;	 /* bytes of all */
	struct rt_static_cell *statics;
	uint32_t nstatics;
	uint32_t nrefused;
};

struct engine;
/* All that can be known without touching the process. */
int plan_make(struct engine *eng, struct err *e);
void plan_fini(struct plan *p);
/* The analysis of the function at addr; made when first asked. */
int plan_fn_get(struct engine *eng, struct world_obj *o, uint64_t addr,
		uint64_t size, uint32_t *idx, struct err *e);
/* Points of all `syscall` instructions of all objects (process_site.c). */
int plan_syscalls(struct engine *eng, struct err *e);
/* The points of all sites of the enabling. */
int plan_sites(struct engine *eng, struct err *e);
int plan_point_add(struct plan *p, const struct plan_point *pt);
void plan_refuse(struct plan *p, uint32_t group, const char *why);
/* Static cells of each probe. */
int plan_statics(struct engine *eng, struct err *e);
/* Refused groups that the user asked for by name: -1 + *e. */
int plan_check(struct engine *eng, struct err *e);
void plan_report(const struct engine *eng, struct buf *out);

/* ---- memory (process_map.c) ---------------------------------------------- */

/*
 * The file that consumer and target share:
 *
 *   shared   struct rtn_shared, sites, system calls, names, strings, variables,
 *            globals, associative arrays, self-> areas, machines, buffers
 *   regions  code
 */
struct map_region {
	uint64_t addr, size; /* in the target */
	uint64_t off;	     /* in the file */
	uint64_t lo, hi;     /* text it serves */
	struct x86_handler *handlers; /* [classes]; code 0: not made here */
	struct x86_buf buf;
};
struct map {
	int fd; /* the consumer's; -1 */
	uint8_t *mem;
	uint64_t len; /* of the file */
	uint64_t shared, shared_len; /* in the target */
	uint64_t table;
	bool made; /* in the target */
	struct map_region region[4];
	uint32_t nregions;
	uint32_t nthreads; /* slots for so many */
	/* Offsets in the shared part. */
	uint64_t sites, sys, names, strtab, vars, globals, assoc, threads,
		slots, bufs, aggs;
	uint64_t thread_stride, slot_stride;
	uint64_t bufsize, aggsize, assocsize, strsize;
};

/* Sizes of everything, windows to regions, addresses. */
int map_plan(struct engine *eng, struct err *e);
/* Make it in the target, of which a thread is stopped. */
int map_make(struct engine *eng, struct err *e);
/* Is it still there (no exec since)? */
bool map_alive(const struct engine *eng);
void map_free(struct engine *eng);

/* ---- code (process_code.c) ----------------------------------------------- */

/* Upper bounds of the code, by generating the handlers for nowhere. */
int code_measure(struct engine *eng, struct err *e);
/* Blob, handlers, trampolines into the regions; patches and moves. */
int code_make(struct engine *eng, struct err *e);

/* ---- rtn_shared and rt_view (process_shared.c) ---------------------------- */

int shared_layout(struct engine *eng, struct err *e);
int shared_fill(struct engine *eng, struct err *e);
int shared_view(struct engine *eng, struct err *e);
void shared_view_fini(struct engine *eng);
const struct rt_view *shared_view_now(struct engine *eng);
/* engine_ops.grace */
void shared_grace(struct engine *eng);
/* Wait until no probe is firing, at most ms milliseconds. */
void shared_quiet(struct engine *eng, unsigned ms);
/* Slots of threads that have ended are free again. */
void shared_reap(struct engine *eng);

/* ---- an instance (process_engine.c) -------------------------------------- */

struct engine {
	const struct dif_enabling *en;
	struct engine_opts opts;
	struct arena *arena;
	pid_t pid;
	bool held; /* under ptrace of this thread before us */
	int pidfd;
	struct world world;
	struct plan plan;
	struct map map;
	struct clock clock;

	/* code_measure() */
	uint32_t *class_size; /* bytes of each class's handler */
	struct x86_handler *class_proto;
	uint32_t error_size;
	/* code_make() */
	VEC(struct patch) patches;
	VEC(struct patch_move) moves;

	struct rtn_shared *sh; /* map.mem */
	struct inject in;
	bool opened;  /* in is */
	struct patch_journal *journal;
	struct guard *guard;
	bool patched; /* there is something to undo */
	bool gone;    /* ended, or another program since an exec */
	uint32_t nchildren_seen;
	uint64_t next_reap_ns;

	struct host *host;
	const char *how; /* profile samples are had */

	/* The memory as the consumer walks it. */
	struct rt_view view;
	uint32_t *agg_fixed;
	struct rt_agg_layout agg;
	bool *stuck;
	struct rt *none; /* of slots that are never taken */
	uint8_t *none_agg;
	uint64_t no_slot_seen;

	/* Watches ctl.wanted, which no one pokes us about. */
	pthread_t watch;
	bool watching;
	volatile bool watch_end;
	int wake; /* eventfd */
};

#endif
