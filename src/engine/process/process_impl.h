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
 *   extend  the same as load and attach, for code that was mapped since
 *           (process_later.c)
 *   stop    activity DRAINING; timers end; wait for firings; undo patches
 *   end     END clauses in the consumer
 */
#ifndef ENGINE_PROCESS_PROCESS_IMPL_H
#define ENGINE_PROCESS_PROCESS_IMPL_H

#include <pthread.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "engine/process/follow.h"
#include "engine/process/inject.h"
#include "engine/process/patch.h"
#include "engine/process/process_beside.h"
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
	struct rt_conf conf;   /* sh's, which the target could change */
	uint8_t *globals;
	struct rt_assoc *assoc;
	struct rt_assoc_lay assoc_lay;
	uint64_t bufsize, aggsize;
	const uint32_t *agg_fixed;
	pid_t pid;	       /* the target */
	int mem;	       /* its /proc/PID/mem, for user reads */
	struct rt_unw_area *unw; /* tables of its stacks; NULL: none */
	/* self-> of a thread of the target by tid; NULL: it has no slot. */
	uint8_t *(*thread_of)(void *arg, uint32_t tid);
	void *arg;
	bool no_perf;	       /* as if perf events were refused */
};
struct host;
struct host *host_new(const struct host_in *in, struct err *e);
void host_free(struct host *h);
struct host_slot *host_slot(struct host *h, unsigned i);
/* Fire all BEGIN (END) clauses, now, in this thread. */
void host_begin(struct host *h);
void host_end(struct host *h);
/* Something has become known of a process of the tree: fire the probes with
   such a site, of that number, as of the first thread of process pid.  comm: 16
   bytes, its name if it has ended. */
void host_tree(struct host *h, enum dif_site_kind kind, uint64_t num,
	       pid_t pid, const char *comm);
/*
 * Start (end) the timer thread: tick sites once a period; profile sites on
 * each running thread of the target, by perf cpu-clock events on its tasks, or
 * where those are not to be had, by sampling its running threads.  *how, for
 * -v, says which.  Threads that come later are sampled too.
 */
int host_start(struct host *h, const char **how, struct err *e);
/* The last samples are fired if ctl.activity is ACTIVE still: call it before
   that changes, and before anybody else stops threads of the target. */
void host_stop(struct host *h);

/* ---- the clock (process_clock.c) ----------------------------------------- */

/*
 * Raw time to CLOCK_MONOTONIC: a line of some segments, each begun where the
 * one before had come to, so that time never jumps and never runs backwards.
 */
struct clock {
	struct rtn_shared *sh;
	uint64_t from[RTN_NCLOCKS]; /* first raw value of each segment */
	uint64_t first_tsc, first_ns;
	uint64_t span_ns, next_ns;  /* when to look again */
	unsigned n;		    /* segments ever begun */
};

/* CLOCK_MONOTONIC. */
uint64_t clock_mono_ns(void);
/* True if rdtsc is a good clock on this machine: constant, nonstop, and the one
   that the kernel goes by. */
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
	/* True if some of n bytes at addr are part of a window.  Or NULL. */
	bool (*taken)(void *arg, uint64_t addr, uint64_t n);
	void *taken_arg;
	/* It stands still, and has one thread: nobody is put aside yet.  (Go's
	   runtime has others from early on, who take threads off goroutines.)
	 */
	bool fresh;
};
/* beside: another one, which has read files already, and stays; or NULL. */
int world_open(struct world *w, pid_t pid, const struct world *beside,
	       struct err *e);
void world_close(struct world *w);
/* What is mapped by now.  Objects stay known when they are mapped no more; one
   that comes back as it was is the same again. */
int world_refresh(struct world *w, struct err *e);
bool world_obj_mapped(const struct world_obj *o);
/* Its file, which is the same in worlds beside each other; where its addresses
   have been moved to. */
const void *world_obj_file(const struct world_obj *o, uint64_t *base);
/* True if it is what a provider has seen: mapped from there, so far from its
   addresses.  path NULL: the provider does not say. */
bool world_obj_is(const struct world_obj *o, const char *path, uint64_t bias);
struct inject_span world_obj_span(const struct world_obj *o);
/* What others learn of it. */
struct engine_fresh world_obj_fresh(const struct world_obj *o);
/* What process_later.c notes of an object. */
struct later_note {
	bool planned; /* patches at its addresses are its own */
	bool there;  /* mapped, when it was last looked at */
	bool served; /* it has got what probes it can have */
	bool scanned; /* and its system calls their points */
	bool due;    /* its patches are to be written */
	/* In order of address; they live as long as the engine. */
	struct patch *p;
	size_t np;
	struct patch *rooms; /* what goes with them, elsewhere */
	size_t nrooms;
	struct patch_move *m;
	size_t nm;
};
struct later_note *world_obj_note(struct world_obj *o);
/* The object that has code at an address; NULL: none has. */
struct world_obj *world_at(struct world *w, uint64_t addr);
/* True if it is, or has in it, the C library. */
bool world_obj_is_libc(const struct world_obj *o);
/* True if the object's functions may be copied as a whole and run elsewhere
   (x86_copy()).  False for programs in Go: when a thread faults, or runs for
   too long, the runtime of Go looks up its function by the PC. */
bool world_obj_copies(const struct world_obj *o);
/* True if code may run there on stacks that are short: those of goroutines. */
bool world_short_stacks(const struct world *w);
/* clock_gettime() of the process's vdso; 0: it has none. */
uint64_t world_vdso_time(const struct world *w);
/* The run-time address of a symbol in any object. */
bool world_symbol(const struct world *w, const char *name, uint64_t *addr);
/* And how far its object has been moved. */
bool world_symbol_of(const struct world *w, const char *name, uint64_t *addr,
		     uint64_t *base);
/* What the analysis of one of its functions asks. */
const struct code_world *world_x86(struct world_obj *o);
/* The parts of the function at addr (size bytes; 0: as the object says):
   itself, then its cold parts.  Their number; 0: nothing is known there. */
uint32_t world_parts(struct world_obj *o, uint64_t addr, uint64_t size,
		     struct code_part part[8]);
/* The size of the first of them (the same size given); 0: nothing is known.
   Costs little: where the object's code is entered is not asked. */
uint64_t world_extent(struct world_obj *o, uint64_t addr, uint64_t size);
/* The next place at or after addr where the code has the bytes of `syscall`,
   which may be part of other instructions; 0: no more. */
uint64_t world_syscall(struct world_obj *o, uint64_t addr);
/* They are, there, in every process that has the file. */
void world_syscall_drop(struct world_obj *o, uint64_t addr);
/* `syscall` instructions of the code that the kernel maps (vdso). */
uint32_t world_vdso_syscalls(const struct world *w);
/* True if an instruction may begin at an address in a function.  False: it is
   amid one, of which nothing but the code before it need be read. */
bool world_insn_at(struct world_obj *o, uint64_t fn, uint64_t addr);
/* True if one may begin at an address of which no function is known. */
bool world_may_begin(struct world_obj *o, uint64_t addr);
/* The start of the function around an address; 0: not known. */
uint64_t world_fn_of(struct world_obj *o, uint64_t addr);

/* ---- the plan (process_plan.c, process_site.c) --------------------------- */

#define PLAN_NONE UINT32_MAX
/* plan_group.why: its object has gone; the process has executed something. */
extern const char plan_gone[], plan_other[];

/* A function that is probed. */
struct plan_fn {
	uint64_t addr;
	struct world_obj *obj;
	struct code_fn fn;
	const char *why; /* not NULL: it cannot be */
	uint8_t beside; /* beside_denies(): 0 it has not looked; 1 no; 2 yes */
};
/* Sites that run the same clauses on the same arguments: one handler. */
struct plan_class {
	struct x86_handler_in in;
	bool sys; /* of system calls */
};
/* One site of one probe: all of its points are placed, or none. */
struct plan_group {
	uint32_t probe, cls;
	uint32_t ecb0; /* the probe's first, an index */
	const struct dif_site *site;
	const char *why; /* refused */
	uint32_t next;	 /* of the same system call; PLAN_NONE: none */
	uint32_t sys_site; /* of a system call: index of its rtn_site */
};
/* A probe at an instruction. */
struct plan_point {
	uint64_t addr;
	uint32_t fn, group; /* PLAN_NONE: system calls, by number */
	uint32_t seq;	    /* in order of the enabling */
	uint32_t window;    /* PLAN_NONE: not placed */
	uint32_t site;	    /* index of its rtn_site */
	uint32_t direct;    /* the group of the one system call that is made
			       here (plan_direct()), or PLAN_NONE */
	enum x86_at at;
	enum x86_stack stack;
	bool after;
	uint64_t cookie;
};
struct plan_window {
	struct code_window w;
	uint64_t end; /* points before it are served: that of the window, or of
			 the function */
	bool copy;    /* the whole function is copied, w is over its entry */
	uint32_t fn;
	uint32_t point0, npoints; /* in plan.points, by address */
	uint32_t region;
	uint64_t land;	/* its jump leads to a landing there; 0: straight to
			   the trampoline */
	uint64_t trap;	/* a landing for when somebody puts a breakpoint behind
			   it; 0: none */
	uint8_t pad;	/* prefixes before that jump */
	bool needed;	/* the jump of another window, or one below that, has
			   bytes of this one's */
	bool dead; /* cannot be, after all */
	const char *why; /* that; NULL: another one has its bytes */
	/* Not 0: over another consumer's jump, which leads to `over`; ours goes
	   on to `next`, as jmp does. */
	uint64_t over, next;
	uint64_t over_land; /* by way of a landing, which we write; 0: it does
			       not */
	uint8_t over_room; /* that has so many bytes */
	uint8_t jmp[5];
	uint8_t over_jump; /* bytes that the other jump is made of */
	uint8_t rooms; /* of the lowest one's that we use, a bit for each */
	uint8_t over_len; /* of the window that is under it, and its copy */
	bool over_copy;
};
/* An instruction that no window fits over. */
struct plan_alone {
	uint64_t addr;
	uint32_t fn;
	const char *why;
};
/* `syscall` instructions that have no points, for one reason. */
struct plan_left {
	const char *why;
	uint32_t n;
};
struct plan {
	VEC(struct plan_fn) fns;
	struct hash *fn_by_addr;
	VEC(struct plan_class) classes;
	struct hash *class_by_key;
	VEC(struct plan_group) groups;
	VEC(struct plan_point) points;
	VEC(struct plan_window) windows;
	VEC(uint64_t) hops; /* where short jumps of windows lead to */
	VEC(struct plan_alone) alone; /* plan_puns() */
	struct land *land; /* NULL: there are no punned jumps */
	bool windows_only; /* there are to be none, to compare */
	VEC(struct rtn_site) sites;
	struct rtn_sys sys[RTN_NSYS];	 /* sites; handlers come later */
	uint32_t sys_group[RTN_NSYS][2]; /* entry, return: the first of its
					    groups; PLAN_NONE */
	bool sys_entry, sys_return;
	bool bare; /* threads may end without a block of their own at %fs */
	bool tree; /* the consumer fires what becomes of processes (TREE) */
	uint32_t nsys, nsys_refused;	/* syscall instructions */
	VEC(struct plan_left) left;	/* why those were refused */
	const char *sys_missed; /* not NULL: some are another consumer's */
	uint32_t *cells;    /* [nprobes]: rtn_site.cells; 0: none */
	uint32_t cells_size; /* bytes of all */
	VEC(struct rt_static_cell) statics;
	VEC(struct rt_static_cell) solos; /* rt_view.solos */
	uint32_t *solo_fixed; /* [naggs]: struct x86_target */
	uint32_t cells_next, cells_max; /* offsets in a half: the next cell,
					   the end of their room */
	uint32_t solos_max;
	uint32_t nleft_out; /* of the first nleft_seen; plan_left_out()'s */
	size_t nleft_seen;
	/* What is forgotten for code that comes later was so much. */
	uint32_t ngroups, nplaces, ncopies, npuns;
	uint64_t maps_brk; /* rtn_maps() is called from there; 0: nowhere */
	bool again;	   /* made anew for another program (plan_follow()) */
};

struct engine;
/* All that can be known without touching the process. */
int plan_make(struct engine *eng, struct err *e);
void plan_fini(struct plan *p);
/* The process runs another program, which the world knows by now: only system
   calls have places there.  Sites and classes stay as they are. */
int plan_follow(struct engine *eng, struct err *e);
/* The number of the only call that the `syscall` at addr makes; RTN_NSYS: not
   known. */
uint32_t plan_sys_number(const struct plan_fn *f, uint64_t addr);
/* What a probe of that call has for a stack, before it or at its return. */
enum x86_stack plan_sys_stack(const struct plan_fn *f, uint64_t addr,
			      uint32_t nr, bool ret);
/* True if a thread that comes to the instruction at addr may have none. */
bool plan_no_stack(const struct plan_fn *f, uint64_t addr);
/* True if the place of a probe is in another target. */
bool plan_elsewhere(const struct engine *eng, const struct dif_site *s);
/* Make room for another program's functions, or for later ones. */
int plan_forget(struct engine *eng, struct err *e);
/* Of a member that is another target: its system calls, and the places in it
   that the enabling has. */
int plan_join(struct engine *eng, struct err *e);
/* Sites in objects that were mapped since, and what system calls those make:
   points and windows are those alone then, groups from `first` on. */
int plan_more(struct engine *eng, const struct engine_site *v, size_t n,
	      uint32_t *first, struct err *e);
/* It is done: forget groups that have their places. */
void plan_more_done(struct engine *eng, uint32_t first);
/* True if an instruction of the function begins at addr. */
bool plan_fn_insn(const struct plan_fn *f, uint64_t addr);
/*
 * Jumps made of other instructions' bytes, for what plan.alone tells of, as far
 * as they can be (process_pun.c).  Windows are in order, before and after.  -1
 * + *e: no memory.
 */
int plan_puns(struct engine *eng, struct err *e);
/* The bytes that a window with a landing writes: their number, out[PATCH_MAX].
   0: they are not known before its code is made. */
uint32_t plan_pun_bytes(const struct plan_window *pw, uint8_t *out);
/* How many bytes behind what is written are part of the window's jump. */
uint32_t plan_pun_reads(const struct plan_window *pw);
/* True if the code behind a punned jump will be what the jump is made of. */
bool plan_pun_holds(const struct plan *p, const struct plan_window *pw);
/* Which system calls can do without the dispatcher (plan_point.direct). */
void plan_direct(struct plan *p);
/* The analysis of the function at addr; made when first asked. */
int plan_fn_get(struct engine *eng, struct world_obj *o, uint64_t addr,
		uint64_t size, uint32_t *idx, struct err *e);
/* A `syscall` instruction is left alone; `why` lives as long as the plan.
   Without memory it is counted, and no reason given. */
void plan_left(struct plan *p, const char *why);
/* One of them is another consumer's: refuse the probes of the call that is made
   there; and when all points are placed, of all calls if none has a place. */
void plan_sys_missed(struct plan *p, const struct plan_point *pt,
		     const char *why);
void plan_sys_none(struct plan *p);
/* Points of all `syscall` instructions of all objects (process_sys.c). */
int plan_syscalls(struct engine *eng, struct err *e);
/* Points of those only where threads end, so that the next one at the same
   place in memory is not taken for the one that was there; where processes are
   made that borrow the memory; where filters are installed; and where threads
   may be made that share a thread pointer. */
int plan_special(struct engine *eng, struct err *e);
/* The point where the dynamic linker tells of new objects, if it can be had. */
int plan_maps(struct engine *eng, struct err *e);
/* The points of all sites of the enabling; of some; of an object's system
   calls. */
int plan_sites(struct engine *eng, struct err *e);
int plan_sites_of(struct engine *eng, const struct engine_site *v, size_t n,
		  struct err *e);
/* The system calls of an object: all, or if no probe is at one, those that we
   must see ourselves. */
int plan_calls_of(struct engine *eng, struct world_obj *o, struct err *e);
int plan_point_add(struct plan *p, const struct plan_point *pt);
void plan_refuse(struct plan *p, uint32_t group, const char *why);
/* Static cells, or counters, of each probe. */
int plan_statics(struct engine *eng, struct err *e);
/* The same for groups from `first` on, as far as there is room. */
int plan_statics_of(struct engine *eng, uint32_t first, struct err *e);
/* Windows have died: forget what depends on them. */
void plan_again(struct plan *p);
/* Refused groups that the user asked for by name: -1 + *e. */
int plan_check(struct engine *eng, struct err *e);
/* engine_ops.left_out. */
uint32_t plan_left_out(struct engine *eng);
void plan_report(const struct engine *eng, struct buf *out);
/* The number of places that have probes of the user. */
uint32_t plan_places(const struct engine *eng);
/* The process has died of a signal: engine_ops.died. */
bool process_died(struct engine *eng, int32_t pid, int sig, struct buf *out);
void died_report(const struct engine *eng, struct buf *out);

/* ---- free addresses (process_gap.c) -------------------------------------- */

#define MAP_REACH (1900ull << 20) /* of a jump, with some to spare */

struct gap {
	uint64_t lo, hi;
	bool heap;  /* above the program: it grows there */
	bool stack; /* below a stack */
	bool under; /* below the heap, which grows upwards */
};
struct gaps {
	VEC(struct gap) g; /* vec_fini() it, whatever gaps_read() has said */
};
/* Those of the target now; -1 + *e: it has ended, or there is no memory. */
int gaps_read(const struct engine *eng, struct gaps *gs, struct err *e);
/* Take [lo, lo + n) out of its gap, with some room around it, or without.
   False: no memory. */
bool gaps_take(struct gaps *gs, uint64_t lo, uint64_t n);
bool gaps_cut(struct gaps *gs, uint64_t lo, uint64_t n);
/* A place for n bytes near text [lo, hi), all of it within MAP_REACH; below
   2 GB, as high as can be, for the heap of a program there comes from below;
   anywhere, in the widest gap, near its end.  0: there is none. */
uint64_t gaps_near(const struct gaps *gs, uint64_t n, uint64_t lo, uint64_t hi);
uint64_t gaps_low(const struct gaps *gs, uint64_t n);
uint64_t gaps_anywhere(const struct gaps *gs, uint64_t n);
/* True if [lo, lo + n) is free, with some room around it. */
bool gaps_has(const struct gaps *gs, uint64_t lo, uint64_t n);

/* ---- landings of punned jumps (process_land.c) --------------------------- */

#define LAND_LEN ((uint32_t)PATCH_LAND)
struct land;
struct land_counts {
	uint32_t pages, maps;
};
/* With what is free in the target now; NULL + *e. */
struct land *land_new(struct engine *eng, struct err *e);
void land_free(struct land *l); /* or NULL */
/* Look again what is free. */
int land_look(struct land *l, const struct engine *eng, struct err *e);
/* True if a landing can begin at an address. */
bool land_fits(const struct land *l, uint64_t addr);
/* True if one at an address would lie in one page. */
bool land_whole(uint64_t addr);
/* True if one can in [lo, hi]: at *at, if possible in one page, and in those
   that are there already. */
bool land_find(const struct land *l, uint64_t lo, uint64_t hi, uint64_t *at);
/* Have one there; false: no memory. */
bool land_take(struct land *l, uint64_t addr);
/* True if there is more room than is needed for what must be. */
bool land_spare(const struct land *l);
/* Put what has been taken into mappings. */
int land_plan(struct land *l, struct err *e);
/* True if there are any that are not made yet.  l may be NULL, here and
   below. */
bool land_wants(const struct land *l);
/* Take those out of what is free.  False: no memory. */
bool land_reserve(const struct land *l, struct gaps *gs);
/* Make them in the target, of which a thread is stopped; tfd is the file there.
   Landings in what cannot be mapped cannot be written. */
void land_map(struct land *l, struct engine *eng, int tfd);
/* Unmap it all there, a thread being stopped. */
void land_unmap(struct land *l, struct engine *eng);
/* Nobody has them mapped any more: their part of the file is nothing's. */
void land_punch(const struct land *l, int fd);
/* Their mappings, those that are made or all, the first `max` of them; how many
   there are. */
size_t land_spans(const struct land *l, bool made, struct inject_span *v,
		  size_t max);
/* Let the landing at `at` lead to `to`. */
int land_write(const struct land *l, struct engine *eng, uint64_t at,
	       uint64_t to, struct err *e);
void land_count(const struct land *l, struct land_counts *c);

/* ---- memory (process_map.c) ---------------------------------------------- */

/*
 * The file that consumer and target share:
 *
 *   shared   struct rtn_shared, then what struct shared_lay says
 *   regions  code; the consumer writes it, the target only runs it
 *
 * An enabling that fires in the consumer alone has no regions, and nothing is
 * mapped in the target.
 */
struct map_region {
	uint64_t addr, size; /* in the target */
	uint64_t off;	     /* in the file */
	uint64_t lo, hi;     /* text it serves */
	uint8_t *mem;	     /* the consumer's mapping of it */
	struct x86_handler *handlers; /* [classes] */
	bool *made;		      /* [classes]: there is code here */
	struct x86_handler maps;      /* x86_maps_stub() */
	struct x86_target target;
	struct x86_buf buf;
	uint64_t shown; /* so much of it is known to be in the target */
};
struct map {
	int fd; /* the consumer's; -1 */
	uint8_t *mem;
	uint64_t len;	/* mapped by the consumer at mem: the file at first */
	uint64_t file_len; /* it grows when a new program is followed; the
			      root's */
	uint64_t head;	   /* in the file: where a member has the own part of
			      struct rtn_shared, and tables; 0: the root */
	uint64_t shared, shared_len; /* in the target */
	uint64_t table;		     /* in the target */
	uint64_t ctl_low; /* there: rtn_shared.ctl_low */
	struct map_region region[RTN_NREGIONS];
	uint32_t nregions;
	bool locks; /* the target: what it maps is in memory at once */
	bool touch; /* we are to touch all of the shared part first */
	struct {
		uint64_t addr, n;
	} done[RTN_NREGIONS + 5]; /* mapped in the target */
	uint32_t ndone;
};

/* Who has the file: the engine, or the one that it is a member of. */
struct engine *map_root(struct engine *eng);
uint64_t map_page_up(uint64_t n);
/* n more bytes of the file; *off: where. */
int map_file_grow(struct engine *eng, uint64_t n, uint64_t *off,
		  struct err *e);
/* A thread is stopped: *tfd is a descriptor in the target, until
   map_file_done(), of the file that we have or, if ours is given, of a new one:
   *ours is ours.  rc: how what was done with it has ended; the same, or -1 + *e
   where the target has put another file in its place meanwhile. */
int map_file_there(struct engine *eng, int *ours, int *tfd, struct err *e);
int map_file_done(struct engine *eng, int tfd, int rc, struct err *e);
/* One mapping in the target, noted as done. */
int map_one(struct engine *eng, uint64_t addr, uint64_t n, int prot, int flags,
	    int tfd, uint64_t off, struct err *e);
/* Windows to regions, sizes, addresses. */
int map_plan(struct engine *eng, struct err *e);
/* Make it all; in the target too, of which a thread is stopped. */
int map_make(struct engine *eng, struct err *e);
/* All threads stand still: make ready for a seccomp filter that has come since
   memory was mapped, if one has.  0 / -1. */
int map_filters_came(struct engine *eng, struct err *e);
/* If the target's memory is limited, have all of it before the target does. */
int map_touch(struct engine *eng, struct err *e);
/* The same for another program in the process: regions anew, behind those that
   children of the old one may still run; map_follow() with nothing touched,
   then map_enter() with a thread stopped. */
int map_follow(struct engine *eng, struct err *e);
int map_enter(struct engine *eng, struct err *e);
/* Regions (process_region.c): windows, which come in order of address, to them;
   how large they are; r in the file and in our memory. */
int regions_plan(struct engine *eng, struct err *e);
int regions_measure(struct engine *eng, struct err *e);
int region_grow(struct engine *eng, struct map_region *r, struct err *e);
/* Regions for the windows of plan_more(): with room left in those that are
   there, or new ones, which are mapped there now. */
int map_more(struct engine *eng, struct err *e);
/* Map n bytes of code at addr in the target, from its descriptor tfd of the
   file; privately, as others may write there (patch_over.c). */
int map_code(struct engine *eng, uint64_t addr, uint64_t n, int tfd,
	     uint64_t off, struct err *e);
/* Unmap it there, a thread being stopped: nothing has run in it. */
void map_retract(struct engine *eng);
/* A member: its part of the root's file, and regions; nothing is touched. */
int map_member(struct engine *eng, struct err *e);
/* Room in the file for its head; map_member() has it made else. */
int map_head(struct engine *eng, struct err *e);
void map_member_free(struct engine *eng);
/* The text is put back, all threads are stopped: unmap it there if none of them
   can come back to it, else leave it. */
void map_leave(struct engine *eng);
/* The target is stopped: 0 if calls may be made there, so that whoever kills
   the guardian meanwhile harms nobody, or if engine_opts.cautious is not set;
   else -1 + *e. */
int map_may_call(struct engine *eng, struct err *e);
/* n bytes of the file, from off on, take no memory any more. */
void map_punch(int fd, uint64_t off, uint64_t n);
/* Give back the memory of buffers; what code needs stays. */
void map_free(struct engine *eng);

/* ---- code (process_code.c) ----------------------------------------------- */

/* Upper bounds of the code, by generating the handlers for nowhere. */
int code_measure(struct engine *eng, struct err *e);
/* Blob, handlers, trampolines into the regions; patches and moves. */
int code_make(struct engine *eng, struct err *e);
/* For what plan_more() has added: classes measured; the room that windows [i,
   end) need in a region that has no handlers yet, and with its common part; a
   new region begun; the code of all windows. */
int code_measure_more(struct engine *eng, struct err *e);
uint64_t code_need(struct engine *eng, size_t i, size_t end, struct err *e);
uint64_t code_common(const struct engine *eng);
int code_region(struct engine *eng, struct map_region *r, struct err *e);
int code_more(struct engine *eng, struct err *e);
/* r has the code of another region, which is as much lower: what else is known
   of it.  Its handlers are r's already, with the addresses of the other. */
void code_region_moved(struct engine *eng, struct map_region *r,
		       const struct map_region *from, uint64_t by);

/* The points of a window, on the heap, and how many; NULL: no memory. */
struct x86_point *code_points(const struct engine *eng,
			      const struct plan_window *pw,
			      const struct x86_handler *handlers,
			      const struct x86_handler *maps, size_t *n);
/* What stands in front of a trampoline. */
void code_front(struct x86_buf *b, const void *front, size_t n);
/* Code was made in pages that the target has mapped for a while: have it there
   as well.  code_shown(): it was mapped just now. */
int code_show(struct engine *eng, struct err *e);
void code_shown(struct engine *eng);
/* process_text.c: what is written over the text for a window, whose trampoline
   is at `to`; 0, or -1 + *e. */
int text_patch(struct engine *eng, const struct plan_window *pw, uint64_t to,
	       struct err *e);
/* Check that what runs there is what the file has. */
int text_check(struct engine *eng, const uint8_t *bytes, uint64_t addr,
	       uint32_t len, struct err *e);
/* A page of the process's text, as it was when code began to be made: what is
   written is compared again, when it is written. */
#define TEXT_SEEN 4096u
struct text_seen {
	uint64_t addr; /* 0: none */
	uint8_t bytes[TEXT_SEEN];
};
/* Such pages are kept from the one to the other. */
void text_begin(struct engine *eng, struct text_seen *s);
void text_end(struct engine *eng);
extern const char text_unreadable[];

/* ---- rtn_shared and rt_view (process_shared.c, process_view.c) ----------- */

/* Where things are in the shared part: offsets from its start. */
/* process_unwind.c: tables of the target's stacks.  Bytes they take in the
   shared part; 0: no clause walks, or memory is short, and frame pointers must
   do. */
uint64_t process_unwind_size(const struct engine *eng);
/* The tables, as the consumer has them mapped; NULL: there are none. */
struct rt_unw_area *process_unwind_area(const struct engine *eng);
/* Look what the target has mapped, and make tables of what is new; anew: even
   if it has been looked a moment ago. */
void process_unwind_look(struct engine *eng, bool anew);
/* engine_ops.python */
const struct rt_py_area *process_unwind_python(const struct engine *eng);

struct shared_lay {
	uint32_t nthreads; /* slots for so many */
	uint64_t sites, sys, own_end, names, strtab, vars[3], globals, assoc,
		threads, slots, bufs, aggs, end;
	uint64_t unw; /* struct rt_unw_area; 0: none */
	uint64_t globals_size, assoc_size, thread_stride, slot_stride;
	uint64_t bufsize, aggsize;
	uint32_t nvars[3];
	/* Room for what comes later. */
	uint32_t nsites, nprobes;
	uint64_t strtab_size;
};
/* All sizes for lay.nthreads threads. */
int shared_layout(struct engine *eng, struct err *e);
/* What generated code takes for constants, if the shared part is at `at`;
   table and ctl_low are of struct map. */
void shared_constants(struct engine *eng, struct rtn_shared *sh, uint64_t at,
		      uint64_t table, uint64_t ctl_low);
/* Where counters begin, from the machine; and bytes of n, so that they share no
   line with others. */
#define SHARED_SOLO0 ((uint32_t)((sizeof(struct rt) + 63) & ~63ull))
uint32_t shared_solo_size(size_t n);
/* All but the table of system calls, which needs the code. */
int shared_fill(struct engine *eng, struct err *e);
void shared_fill_sys(struct engine *eng);
/* True if there is room in the tables for the enabling as it is now, and n more
   sites. */
bool shared_has_room(const struct engine *eng, size_t n);
/* Cells that have come are shown to the consumer. */
void shared_cells_seen(struct engine *eng);
/* Sites from `first` on, names and cells that have come. */
void shared_more(struct engine *eng, size_t first);
/* The process runs another program: no thread has a slot, addresses differ. */
void shared_follow(struct engine *eng);
int shared_view(struct engine *eng, struct err *e);
void shared_view_fini(struct engine *eng);
const struct rt_view *shared_view_now(struct engine *eng);
/* engine_ops.grace */
void shared_grace(struct engine *eng);
/* No thread of the target, all of which are stopped, is firing. */
bool shared_idle(struct engine *eng);
/* Wait until no probe is firing, at most ms milliseconds. */
void shared_quiet(struct engine *eng, unsigned ms);
/* Slots of threads that have ended are free again. */
void shared_reap(struct engine *eng);
/* Its cgroup may be another one now. */
void shared_place(struct engine *eng);
/* Numbers of threads that wait for them (rtn_shared.outer). */
void shared_answer_tids(struct engine *eng);
/* host_in.thread_of; arg is the engine. */
uint8_t *shared_thread_of(void *arg, uint32_t tid);

/* ---- limits that it lives under (process_room.c) ------------------------- */

#define ROOM_ENDLESS UINT64_MAX
/* Bytes that its memory cgroup, and those around it, leave a process. */
uint64_t room_in_cgroup(pid_t pid);
/* Bytes that RLIMIT_AS leaves it. */
uint64_t room_of_addresses(pid_t pid);
/* Bytes that it has locked (mlock(2)). */
uint64_t room_locked(pid_t pid);
/* What the shared memory may take for it; the consumer is to touch all of that
   before the target does.  ROOM_ENDLESS: nobody needs to care. */
uint64_t room_budget(pid_t pid);
/* Have all pages of our mapping of a new file; -1 with errno: no memory. */
int room_touch(uint8_t *p, uint64_t n);

/* ---- its threads (process_threads.c) ------------------------------------- */

/* All of them are stopped: who they are.  -1 + *e. */
int threads_look(struct engine *eng, struct err *e);
/* True if code may read the fs base by itself: rdfsbase. */
bool threads_have_fsgsbase(void);
/* eng->fs_self is known: 0 if threads can be told apart; else -1 + *e: the
   kernel would have to be asked, and a filter might kill for that. */
int threads_may_ask(struct engine *eng, struct err *e);
/* What code must know of them, into the shared memory. */
void threads_fill(struct engine *eng);

/* ---- functions in other programs of the tree (process_again.c) ----------- */

/* A place of a probe in the root's process: its file, and where that was. */
struct again {
	const void *file;
	uint64_t base;
	uint32_t probe;
	struct dif_site site;
};
struct again_list {
	struct engine_site *v;
	size_t n, cap;
};
/* Remember the places of the root's groups from `first` on. */
int again_note(struct engine *root, uint32_t first, struct err *e);
/* Those of a member's objects, added to *v: of all that are mapped, or of those
   that are there and not served yet. */
int again_sites(struct engine *m, bool fresh, struct again_list *v,
		struct err *e);

/* ---- an instance (process_engine.c) -------------------------------------- */

struct engine {
	const struct dif_enabling *en;
	struct engine *root; /* a member of its tree; NULL: the root itself */
	struct engine_target self; /* a member's opts.targets */
	struct engine_opts opts;
	struct arena *arena;
	pid_t pid;
	bool held; /* under ptrace of this thread before us */
	int pidfd;
	struct world world;
	struct plan plan;
	struct beside *beside; /* NULL: nobody has looked */
	struct shared_lay lay;
	struct map map;
	struct clock clock;

	/* code_measure() */
	uint32_t *class_size; /* bytes of each class's handler */
	struct x86_handler *class_proto;
	size_t nclasses; /* of these two */
	uint32_t error_size;
	/* code_make() */
	VEC(struct patch) patches;
	uint32_t forebears[RTN_NANCESTORS]; /* as they were looked up */
	struct text_seen *seen; /* process_code.c: while code is made, or
				   NULL */
	VEC(struct patch_move) moves;

	struct rtn_shared *sh; /* map.mem; NULL before attach */
	struct rt_conf conf;   /* what sh was given; the target can write it */
	struct rt_assoc_lay assoc_lay;
	struct inject in;
	bool opened;  /* in is */
	struct patch_journal *journal;
	struct guard *guard;
	bool patched; /* there is something to undo */
	struct inject_id *ids; /* [nids]: when we attached, by fs base */
	size_t nids;
	bool fs_self; /* of all threads: see struct x86_target */
	uint32_t nlost; /* patches that were not made: other text was there */
	bool gone;    /* ended, or another program since an exec */
	uint64_t exec_ns;    /* look whether it has done an exec, until then */
	uint64_t follow_ns;  /* not 0: it has; when it was seen */
	bool shared_told;    /* guard_shared(), together with others */
	uint64_t exec_at;    /* when it was about to; 0: that was not seen */
	const char *exec_said; /* exec_notice(); NULL: nothing yet */
	bool exec_told;
	bool turn_missed; /* proc_turn_take() */
	bool turn_told;
	uint32_t tails_seen; /* groups that tail_notice() has looked at */
	uint32_t nfollowed;
	const char *left;    /* why it was not followed; NULL */
	const char *undo_why; /* why the text was left to the guardian; NULL */
	uint32_t nchildren_seen;
	uint64_t next_reap_ns;
	bool damaged; /* the shared memory: rt_view.damaged */
	bool wants_place;  /* clauses ask for its cgroup */
	bool foreign_pids; /* it is in another pid namespace */

	struct unwind *unwind; /* writes tables of stacks */
	uint64_t next_unwind_ns;
	struct host *host;
	struct dif_enabling host_en; /* as it was at first: its thread reads
					it while en grows */
	const char *how; /* profile samples are had */
	pid_t aborted; /* a process with probes that ended itself so; or 0 */

	/* The memory as the consumer walks it. */
	struct rt_view view;
	uint32_t *agg_fixed;
	struct rt_agg_layout agg;
	bool *stuck;
	struct rt *none; /* [RTN_HOST_SLOTS], of slots that are never taken:
			    what is counted in one is seen once */
	uint8_t *none_agg;
	uint64_t no_slot_seen;

	/* Programs that the tree has executed (process_tree.c): the root's. */
	VEC(struct engine *) members;
	VEC(struct again) again;
	uint32_t exec_poke; /* `poke` when it was looked who asks */
	bool exec_looked;
	uint64_t next_gather_ns;
	uint32_t nprograms, nalike; /* of these made like others:
				       image_adopted() */
	struct hash *known; /* functions of files (process_known.c) */
	struct again_list *begun; /* a member's, when it began */
	/* A member: self-> variables of the thread that executes it; NULL:
	   none. */
	uint8_t *self_vars;
	bool joined; /* a member that is another target, not a program
			executed */
	/* Programs that are laid out alike (process_image.c). */
	VEC(struct image *) images; /* the root's */
	const struct image *image;  /* a member: what it has come to be like */
	struct image *adopts; /* and what it is being made like; or NULL */
	uint64_t moved;		    /* so much higher than that */
	bool off_images;	    /* it is like none any more */
	bool odd;		    /* a window could not be made: none is like
				       it */
	VEC(struct inject_span) texts; /* a member: what its windows stand
					  for */
	const char *lost_why; /* the first that was not followed */

	/* Code that comes and goes (process_later.c). */
	VEC(struct engine_fresh) fresh;
	uint32_t maps_asked;	/* as it was when we last looked */
	uint64_t next_maps_ns;
	uint32_t nlater;	/* objects that have got probes later */
	const char *later_why;	/* why some did not; NULL */

	/* Watches ctl.wanted, which no one pokes us about. */
	pthread_t watch;
	bool watching;
	volatile bool watch_end;
	int wake; /* eventfd */
};

/* ---- objects that come and go (process_later.c) -------------------------- */

/* True if anybody will want to know of new objects. */
bool later_wanted(const struct engine *eng);
/* Write all patches, while all threads stand still. */
int later_attach(struct engine *eng, struct err *e);
/* What could not be written then has no place; -1: a clause has none at all. */
int later_lost(struct engine *eng, struct err *e);
/*
 * The text is what it was, and all threads stand still.  Those that wait in a
 * system call of our code, or are about to run an instruction there, are put
 * where the program has it: nothing of theirs is saved at such places.
 */
void later_back(struct engine *eng);
bool engine_mapped(struct engine *eng, struct engine_fresh **fresh, size_t *n);
int engine_extend(struct engine *eng, const struct engine_site *v, size_t n,
		  struct err *e);

/* ---- another program (process_exec.c) ------------------------------------ */

/* From poll: has the process done an exec; go on there.  What cannot be is
   told by the report, and no error. */
void exec_poll(struct engine *eng, uint64_t now);
/* From the thread that watches: a thread of the target waits in rtn_exec(). */
void exec_answer(struct engine *eng);
/* The process has ended: if what it has executed was never traced, it is
   told. */
void exec_ended(struct engine *eng);
/* What it has executed has no probes of ours, and will not. */
void exec_functions_gone(struct engine *eng);
/* What is to be said of it, once; or NULL. */
const char *exec_notice(struct engine *eng);
/* True if the consumer is to look more often. */
bool exec_hurry(const struct engine *eng);

/* Returns at tail calls (process_tail.c): the next of which something is to be
   said; NULL: there is none.  And how many, for -v. */
const char *tail_notice(struct engine *eng);
void tail_report(const struct engine *eng, struct buf *out);

/* ---- functions that are known (process_known.c) -------------------------- */

/* The analysis of f, as it was in another program of the tree; false: there is
   none yet. */
bool known_find(struct engine *eng, struct plan_fn *f);
/* Remember it. */
void known_add(struct engine *eng, const struct plan_fn *f);
void known_free(struct engine *root);

/* ---- programs that are alike (process_image.c) --------------------------- */

/* If the member, which stands still, is laid out as one that was there before,
   so far, set m->adopts: what was made for that one is made of the image. */
void image_look(struct engine *m);
/* Instead of a plan: with it patches and moves. */
int image_plan(struct engine *m, struct err *e);
/* Instead of measuring and choosing addresses. */
void image_regions(struct engine *m);
/* The code of this stage, into regions that are there. */
int image_code(struct engine *m, struct err *e);
/* All has been done. */
void image_adopted(struct engine *m);
/* It was made by itself: the next ones may be like it. */
void image_learn(struct engine *m);
void images_free(struct engine *root);

/* ---- the tree (process_tree.c) ------------------------------------------- */

#define TREE_PATCHES 16384 /* of a member */
/* The targets behind the first: each is entered as a member of the root. */
int tree_join(struct engine *root, struct err *e);
/* From poll: threads that are about to execute programs, and what members
   need. */
void tree_poll(struct engine *root, uint64_t now);
/* Tell of children that have been forked since (engine_opts.kin). */
void tree_kin(struct engine *root);
/* A process of it has ended, m.gone is false still: probes of those that a
   signal has ended fire, if that is known. */
void tree_ended(struct engine *root, const struct engine *m);
/* Whose program a process of the tree runs; NULL: it is not of it. */
const struct engine *tree_of(const struct engine *root, pid_t pid);
/* Put back the text of the target, of all members, and of whoever runs their
   programs. */
int tree_undo(struct engine *root, struct err *e);
/* Only of children of the target's program. */
void tree_undo_children(struct engine *root);
void tree_free(struct engine *root);
void tree_report(const struct engine *root, struct buf *out);

/* What is needed of process_engine.c for these. */
/* Text put back, and memory unmapped where nobody needs it. */
int engine_undo(struct engine *eng, struct err *e);
/* The guardian goes; or, if the text has not been put back, it or a successor
   stays until it is. */
void engine_guard_end(struct engine *eng, bool undone);
/* Free what every instance has, and it; its guardian, maps and host before. */
void engine_release(struct engine *eng);
int engine_enter(struct engine *eng, bool follow, struct err *e);
int engine_target_stop(struct engine *eng, bool all, struct err *e);
/* All threads are stopped.  From then on one stands still, for calls in its
   name, and the others run, so that the program does.  0, or -1 + *e: none
   is stopped then. */
int engine_let_run(struct engine *eng, struct err *e);
bool engine_target_held(const struct engine *eng);
/* Look at a target before anything is planned: may it be traced, are other
   consumers there (until beside_end()), what has it mapped.  The consumer
   itself may always be. */
int engine_target_look(struct engine *eng, struct err *e);

/* True if forked children of the target fire. */
bool engine_follows(const struct engine *eng);
/* True if the process has ended, or another program runs there, without our
   patches. */
bool engine_changed(struct engine *eng);
/* True if processes other than the target may have its memory, and fire. */
bool engine_several(const struct engine *eng);
/* A program that is entered at its first instruction: nothing of it has run. */
bool engine_begun(const struct engine *eng);
/* True if the target has ended, also when it is not reaped yet. */
bool engine_target_ended(const struct engine *eng);

#endif
