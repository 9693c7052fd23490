/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * engine.h - what every engine offers to libdtrace, and the view of the shared
 * memory that the consumer drains.
 *
 * Life of an engine instance, all calls from the consumer's thread:
 *
 *   load ──▶ attach ──▶ begin ──▶ (running) ──▶ stop ──▶ end ──▶ free
 *
 * load    builds the programs from a complete enabling; nothing fires yet
 * attach  puts them at their sites; they stay silent (RT_ACT_INACTIVE)
 * begin   runs the BEGIN clauses, then lets the others fire (RT_ACT_ACTIVE),
 *         unless BEGIN called exit()
 * stop    silences all probes (RT_ACT_DRAINING) and detaches; when it returns
 *         no clause runs any more and all buffers are complete
 * end     runs the END clauses
 * free    from any state; leaves nothing attached
 *
 * An engine that dies with its process leaves nothing attached either: the
 * kernel engine holds everything by file descriptors.
 */
#ifndef RT_ENGINE_H
#define RT_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "dif/dif.h"
#include "rt/rt.h"

_Static_assert(RT_NARGS == DIF_NARGS, "arguments of a firing");

struct engine; /* an instance; each engine defines its own */

/* The target of -c or -p that the process engine is to work in. */
struct engine_target {
	int32_t pid;
	bool held; /* stopped under ptrace by this very thread, at its start
		      (-c): the engine must not seize it, nor let it go.
		      False once it runs: look at it anew each time */
};

/*
 * What the consumer knows of processes and of files, which it has read already:
 * files may have a million symbols.  All stay open as long as the engine.
 */
struct elf_file;
struct engine_object {
	const char *name; /* base name */
	const char *path; /* one that open() takes */
};
struct engine_files {
	void *arg;
	/* The file of that path, which process pid (0: none is known) has
	   mapped.  NULL + *e: it cannot be read. */
	struct elf_file *(*open)(void *arg, int32_t pid, const char *path,
				 struct err *e);
	/* Object i of those that a process has mapped from files; false: there
	   are no more. */
	bool (*object)(void *arg, int32_t pid, size_t i,
		       struct engine_object *out);
	/* What a process that has ended had mapped to be executed, as lines of
	   /proc/PID/maps, appended to *out; false: nobody knows. */
	bool (*had)(void *arg, int32_t pid, struct buf *out);
};

struct engine_opts {
	uint64_t bufsize; /* bytes per slot; rounded up to a power of two */
	uint64_t aggsize; /* bytes per slot, both halves */
	uint64_t dynvarsize;
	enum rt_policy bufpolicy;
	bool bufresize_manual; /* fail instead of halving when memory is
				  short */
	int only_cpu;	  /* the cpu option; -1 all */
	bool destructive;
	bool debug;	  /* keep and print generated code on stderr */
	/* Process engine: the processes to work in; others: not looked at.
	   The array lives as long as the engine. */
	const struct engine_target *targets;
	uint32_t ntargets;
	/* Kernel engine: the process of $target, which is looked at before
	   tracing begins; 0: none. */
	int32_t target_pid;
	/* Process engine: RTN_FOLLOW_*, whether processes that the target
	   forks fire too, and programs that they execute. */
	uint32_t follow;
	/* Process engine: it is said elsewhere that functions are no longer
	   traced once the target has executed another program. */
	bool execs_told;
	/* Process engine: another engine could serve.  Where this one would
	   have to take a chance with the target, it is refused (ERR_RATHER). */
	bool cautious;
	bool kernel_may; /* the kernel engine can run here */
	/* So many probes may come with code that is mapped later, or with
	   modules of the kernel (engine_ops.extend); 0: none. */
	uint32_t spare_probes;
	/* Kernel engine: NULL if nothing is known; lives as long as the
	   engine. */
	const struct engine_files *files;
	/* Process engine: learns of processes of the tree, as soon as they are
	   known: what `pid` has mapped is to be looked at (again), or where it
	   has ended already, that it was forked from `like`, and had what that
	   has.  NULL: nobody wants to know; lives as long as the engine. */
	const struct engine_kin {
		void (*seen)(void *arg, int32_t pid, int32_t like);
		void *arg;
	} *kin;
	/* Kernel engine: the number of the cgroup that is the root for us, or
	   0; and only processes of this cgroup and of those in it, which is
	   between these levels below the first; id 0: all. */
	uint64_t cgroup_root;
	struct engine_cgroup {
		uint64_t id;
		uint32_t level, last;
	} cgroup;
};

/* Code of a process that an engine is going to write to. */
struct engine_place {
	uint32_t probe; /* index in dif_enabling.probes */
	int32_t pid;	/* 0: every process that maps the file */
	uint64_t addr, off; /* in the process (or as the file has it), in the
			       file */
	const char *path;
};

/* A place of a probe that comes while tracing. */
struct engine_site {
	uint32_t probe; /* index in dif_enabling.probes */
	struct dif_site site;
};
/*
 * An object that has been mapped.  Libraries may come and go while one looks:
 * who has looked as well says whether it saw the same one there.
 */
struct engine_fresh {
	uint64_t lo, hi; /* its addresses */
	uint64_t base, ino;
	bool agreed; /* set by the caller: so it is */
};

/*
 * The cell of an aggregation for one constant key (its keys are all names of
 * the probe): at a fixed place of every half, a used word and the words; a
 * count() leaves the used word alone.
 */
struct rt_static_cell {
	uint32_t agg; /* index in dif_tab.aggs */
	uint32_t off; /* in a half, of the used word; solos: see there */
	const uint8_t *key;
};

/*
 * What the consumer notes of a slot while it reads: kept apart from what the
 * probe writes, or each record would cost both of them a cache line's journey.
 */
struct rt_seen {
	uint64_t head; /* as it was last read */
	uint64_t conv; /* raw times of records before it are ns now */
};

/*
 * The shared memory. Owned by the engine; valid until free.  nslots may grow
 * (threads come) up to maxslots, but only in ops->view(): ask it anew before
 * each walk.
 */
struct rt_view {
	unsigned nslots, ncpus; /* slot = cpu * RT_LEVELS + level */
	unsigned maxslots;
	bool thread_slots; /* slots are threads: records carry their CPU */
	/* Times where rt.raw_time is set, to ns; NULL: there are none. */
	uint64_t (*ns)(void *arg, uint64_t raw);
	void *ns_arg;
	struct rt_seen *seen; /* [maxslots]; may be NULL where ns is */
	const struct rt_static_cell *statics;
	uint32_t nstatics;
	/*
	 * Counts that only grow: a word each, `off` bytes from the machine of
	 * level 0 (solo_levels) in slots from solo0 on; solo_seen bytes further
	 * is what the consumer has seen of it (it writes it, nobody else).
	 */
	const struct rt_static_cell *solos;
	uint32_t nsolos, solo_seen;
	unsigned solo0;
	bool solo_levels; /* those of all levels have them */
	/* Slots whose old aggregation half could not be closed by grace() (a
	   thread stands still in a probe): left for the next time.  NULL, or
	   [maxslots]. */
	const bool *stuck;
	struct rt **rt;		/* [nslots] */
	uint8_t **buf;		/* [nslots], bufsize each; NULL: no records */
	uint8_t **agg;		/* [nslots], aggsize each; NULL: none */
	uint64_t bufsize, aggsize; /* as allocated, after any lowering */
	enum rt_policy bufpolicy;
	/* Set when what is read there makes no sense: somebody else has written
	   it.  NULL where nobody could. */
	bool *damaged;
	struct rt_ctl *ctl;
	const uint32_t *agg_fixed; /* [naggs]: offset in a half of the fixed
				      cell's used word; 0: keyed */
	uint32_t agg_buckets_off, agg_nbuckets, agg_entries_off;
};

/* The CPU whose data is in a slot; where slots are threads: at present, and as
   far as the process that can write it is to be believed. */
static inline unsigned
rt_view_cpu(const struct rt_view *v, unsigned slot)
{
	uint32_t cpu = v->thread_slots ? *(volatile uint32_t *)&v->rt[slot]->cpu
				       : slot / RT_LEVELS;

	return cpu < RT_NCPUS_MAX ? cpu : 0;
}

/*
 * No counter grows by so much between two looks: at one in a nanosecond that
 * would take three days.
 */
#define RT_COUNT_MAX ((uint64_t)1 << 48)

/*
 * What a counter that only grows has grown by since it was `seen`; 0 where it
 * went backwards or leapt, as then it is not what probes have counted.
 */
static inline uint64_t
rt_view_grown(const struct rt_view *v, uint64_t seen, uint64_t now)
{
	if (now - seen <= RT_COUNT_MAX)
		return now - seen;
	if (v->damaged != NULL)
		*v->damaged = true;
	return 0;
}

/* The half of each aggregation buffer that probes write. */
static inline unsigned
rt_view_half(const struct rt_view *v)
{
	return __atomic_load_n(&v->ctl->agg_half, __ATOMIC_ACQUIRE) & 1;
}

struct engine_ops {
	const char *name; /* "kernel", "process" */
	/* 0 if this engine can run here; else -1, *e names what is missing. */
	int (*probe)(struct err *e);
	struct engine *(*load)(const struct dif_enabling *en,
			       const struct engine_opts *opts, struct err *e);
	/*
	 * After load: call fn for each place in the code of processes where
	 * attach() will have the kernel write.  Ends with what fn returned when
	 * not 0.  May be NULL: the engine looks for itself what it writes to.
	 */
	int (*places)(struct engine *eng,
		      int (*fn)(void *arg, const struct engine_place *p),
		      void *arg);
	int (*attach)(struct engine *eng, struct err *e);
	int (*begin)(struct engine *eng, struct err *e);
	int (*stop)(struct engine *eng, struct err *e);
	int (*end)(struct engine *eng, struct err *e);
	void (*free)(struct engine *eng);
	const struct rt_view *(*view)(struct engine *eng);
	/*
	 * A descriptor that polls readable when the consumer should look: a
	 * buffer is half full, exit() was called.  -1: none, poll by time.
	 */
	int (*wait_fd)(struct engine *eng);
	/* Make wait_fd quiet again. */
	void (*wait_clear)(struct engine *eng);
	/*
	 * Return only when every probe that was firing at the call is done.
	 * Used to flip aggregation halves.
	 */
	void (*grace)(struct engine *eng);
	/*
	 * A look at the world, called from the consumer's loop some times a
	 * second: processes that forked, executed or loaded something.  May be
	 * NULL.  0, or -1 + *e if tracing cannot go on.
	 */
	int (*poll)(struct engine *eng, struct err *e);
	/* True if there is something that poll() would look for.  NULL:
	   always. */
	bool (*polls)(const struct engine *eng);
	/*
	 * Look whether the process has mapped or unmapped objects since the
	 * last call.  False: there is nothing to do.  True: extend() is to be
	 * called at once, a thread of the process may wait for it; fresh[0, n),
	 * the engine's, are objects that were not there before.  May be NULL.
	 */
	bool (*mapped)(struct engine *eng, struct engine_fresh **fresh,
		       size_t *n);
	/*
	 * After mapped(): probes in fresh objects that were agreed upon; others
	 * will be fresh again.  The kernel engine, which has no mapped():
	 * probes of modules that have been loaded, each with all of its places,
	 * one behind the other.  The enabling that load() was
	 * given may have grown at the ends of its probes and ECBs.  What cannot
	 * be placed is left out, as report() says.  -1 + *e: tracing cannot go
	 * on.
	 */
	int (*extend)(struct engine *eng, const struct engine_site *v, size_t n,
		      struct err *e);
	/* After attach: probes that patterns have matched and that have no
	   place here, with those of what was mapped since.  NULL: there are
	   none. */
	uint32_t (*left_out)(struct engine *eng);
	/* For -v: what was placed where, and what not and why; lines of text
	   after attach.  May be NULL. */
	void (*report)(struct engine *eng, struct buf *out);
	/* May be NULL.  Something of which the consumer is to hear at once,
	   since events are missing that it may wait for, or come early: one
	   sentence, each said once; NULL: there is nothing more. */
	const char *(*notice)(struct engine *eng);
	/* May be NULL.  A process has died of a signal.  true: it was served,
	   and
	 * what was put into it may be the reason; *out says what is known of
	 * that, in one sentence without its end.
	 */
	bool (*died)(struct engine *eng, int32_t pid, int sig,
		     struct buf *out);
	/* May be NULL: always.  Would what we have changed be put right if we
	 * ended now?  From load() on; called in handlers of signals.
	 */
	bool (*guarded)(const struct engine *eng);
	/* May be NULL.  After stop: is something still in the process that is
	 * served, to be taken out as soon as that can be done?
	 */
	bool (*left)(const struct engine *eng);
	/* What names frames of Python in the engine's stacks, as long as it
	   lives; NULL: it walks no stacks. */
	const struct rt_py_area *(*python)(const struct engine *eng);
	/* The frames of a user's stack, as a record or a key has them, are
	   completed in place, if they are not all there; once, as they are
	   forgotten then.  May be NULL: they are. */
	void (*stack)(struct engine *eng, uint64_t *pcs, size_t n);
};

extern const struct engine_ops bpf_engine_ops;	   /* engine/bpf */
extern const struct engine_ops process_engine_ops; /* engine/process */

/*
 * rt_cpu.c: where CPUs 0 .. n - 1 are, into v; zeros unless a clause of the
 * enabling uses curcpu.
 */
void rt_cpu_places(const struct dif_enabling *en, struct rt_cpu_place *v,
		   unsigned n);

/* ---- frames of Python (rt_pytext.c) -------------------------------------- */

/*
 * Append a frame's name and its file, as UTF-8 without characters that control
 * anything; *line is 0 where it is not known.  False: pc is none of this
 * area's, and nothing is written.
 */
bool rt_py_text(const struct rt_py_area *a, uint64_t pc, struct buf *name,
		struct buf *file, uint32_t *line);
/* The same word for all places of a line, which have the same text; others
   as they are. */
uint64_t rt_py_by_line(const struct rt_py_area *a, uint64_t pc);

/* ---- draining (rt_drain.c) --------------------------------------------- */

/*
 * Walk the records of one slot: *pos starts as view->rt[slot]->tail; NULL at
 * the end.  recsize(epid) comes from `size`: bytes of a record, 0 if the epid
 * is unknown (then the walk ends and *e is set).  After handling a record, or
 * a batch, publish with rt_drain_done(view, slot, pos).
 */
typedef uint32_t rt_recsize_fn(void *arg, uint32_t epid);
const struct rt_rec *rt_drain_next(const struct rt_view *v, unsigned slot,
				   uint64_t *pos, rt_recsize_fn *size,
				   void *arg, struct err *e);
void rt_drain_done(const struct rt_view *v, unsigned slot, uint64_t pos);

/*
 * Policy ring, when nothing fires any more: turn what a slot holds into an
 * ordinary buffer, oldest record first.  After it has been read
 * rt_drain_reset() makes it a ring again, an empty one.  0, or -1 and *e.
 */
int rt_drain_turn(const struct rt_view *v, unsigned slot, rt_recsize_fn *size,
		  void *arg, struct err *e);
void rt_drain_reset(const struct rt_view *v, unsigned slot);

/* Bytes waiting in a slot's buffer. */
uint64_t rt_drain_pending(const struct rt_view *v, unsigned slot);

/*
 * Take every used cell of one half of every slot, and what solos have grown by:
 * fn gets the aggregation's
 * index in tab->aggs, the CPU, the key bytes (aggs[i]->keysize) and the cell
 * (aggs[i]->words).  Then the half is zeroed.  Call it for the half that
 * probes do not write (after a flip and grace(), or after stop).
 */
typedef int rt_cell_fn(void *arg, uint32_t agg, unsigned cpu,
		       const uint8_t *key, const uint64_t *cell);
int rt_drain_aggs(const struct rt_view *v, const struct dif_tab *tab,
		  unsigned half, rt_cell_fn *fn, void *arg);

/* Where things are in a half, from the table alone; fills fixed[naggs]. */
struct rt_agg_layout {
	uint32_t fixed_end;
	uint32_t buckets_off, nbuckets, entries_off;
};
void rt_agg_layout(const struct dif_tab *tab, uint64_t halfsize,
		   uint32_t *fixed, struct rt_agg_layout *out);
/* The same with room for `statics` bytes of cells of constant keys, a multiple
   of 8, at fixed_end (process engine). */
void rt_agg_layout_static(const struct dif_tab *tab, uint64_t halfsize,
			  uint32_t statics, uint32_t *fixed,
			  struct rt_agg_layout *out);

#endif
