/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_native.h - what native code inside a traced process shares with the
 * consumer (process engine).  Written for three readers: the generator of
 * that code (engine/x86, by offsetof), the bodies in C that it calls (the
 * blob, rt_native*.c), and the consumer (engine/process).
 *
 * In the traced process there are
 *
 *   table    PRIVATE, anonymous, MADV_WIPEONFORK: which thread has which slot.
 *            A forked child finds it zeroed, so nothing fires there, and what
 *            is shared stays the parent's; or, where children are followed, it
 *            begins a table of its own (below).
 *   shared   a memfd that the consumer maps too: struct rtn_shared, then
 *            sites, machines (struct rt), buffers, aggregations, variables.
 *   regions  code, each within 2 GB of the text it serves: a copy of the blob,
 *            handlers, trampolines.  Never written once it is live; unmapped
 *            when tracing has ended and no thread can come back to it.
 *
 * A THREAD is known by its %fs base (0 before the C library has set one up),
 * which is its own, but where threads were made without one: shared[] below.  A
 * thread SLOT belongs to one living thread at a time and has RT_LEVELS struct
 * rt: level 1 serves a signal handler that interrupts a firing at level 0.
 * Nothing in a slot is shared with other threads, so no firing needs a lock or
 * an atomic instruction.
 *
 * A FIRING: home = table->home[hash(fs base)]; if home->key is ours and
 * rt->busy is 0, then busy is set, run the clauses if ctl.activity is ACTIVE,
 * busy = 0.  Everything else (first firing of a thread, nested firing, forked
 * child) is rtn_enter()'s affair.  The activity is looked at last: so a thread
 * whose busy the consumer has seen at 0, after it ended the activity and made
 * all CPUs serialise, cannot begin any more.  The consumer flips ctl.agg_half,
 * makes all CPUs serialise (membarrier), then waits until busy was 0 once in
 * each slot.
 *
 * busy is RTN_BUSY() of the stack pointer: a signal handler may leave the
 * firing that it has interrupted by a long jump, and nobody would ever set it
 * to 0.  A later firing of the thread that finds it set, but itself as high on
 * the stack, knows that the other one is over.
 *
 * BORROWED MEMORY.  The child of vfork(2), and of clone(2) as posix_spawn(3)
 * makes it, has the parent's memory and %fs base until it executes or ends, and
 * the parent's thread waits.  It is another process and must not fire as its
 * parent.  So a thread that makes such a call marks its slot (rtn_fork()).  Who
 * comes back from it with 0, and is another process, lends the home: its key
 * leads nowhere until the parent comes back (rtn_forked()).  A thread that
 * is made has a %fs base of its own, finds no home, and fires; another process
 * that finds none gets none.
 *
 * STACKS.  Bodies run on the stack of the thread that fires.  Those of
 * goroutines may have a few hundred bytes left, and memory of others below.
 * Where the program is such a one, `stacks` is set, and machines have stacks of
 * their own, the last RTN_STACK bytes of their slot.  Signal handlers are not
 * in the way: such runtimes let them run on stacks of their own, too.  To find
 * or make the slot one of some that are everybody's is borrowed.
 *
 * FOLLOWING (rtn_shared.follow).  A forked child has all that its parent has:
 * the patched text, the code, the shared memory.  Where children are to fire,
 * the first one to come here makes the table the child's own (`alive`, `pid`),
 * and its threads take slots like all others; owners of slots are numbers of
 * threads, which differ in all processes.  A process that borrows memory takes
 * the place of the thread that has lent its home: a home with the same key and
 * a slot of its own, until it executes, or ends, and the parent's thread closes
 * it.
 *
 * A PROGRAM THAT IS EXECUTED (RTN_FOLLOW_ALL) has nothing of all that.  The
 * thread waits before (rtn_exec()), the consumer catches the process at the
 * first instruction of the program, and enters it: with the same memory file,
 * but for what is a program's own: the second part of rtn_shared, sites and
 * system calls, code.
 *
 * COUNTING.  Handlers that do nothing but count(), under constant keys, have
 * counters behind the machine of level 0.  Those only grow, and the consumer
 * remembers what it has seen: so they are of no half, and as one instruction
 * counts, a firing of this kind is never busy and has no level.
 *
 * TIME: rt.now of a native firing is a raw rdtsc value; record headers carry
 * raw values too (rt.raw_time is set in such slots) and the consumer converts
 * them when it drains.  `timestamp` is converted where it is read:
 * ns = c->ns0 + (((tsc - c->tsc0) * c->mult) >> 32), c = &clock[clock_idx].
 */
#ifndef RT_RT_NATIVE_H
#define RT_RT_NATIVE_H

#include <stddef.h>

#include "rt/rt_body.h"

#define RTN_HOME_BITS 11
#define RTN_NHOMES (1u << RTN_HOME_BITS)
#define RTN_HASH_MUL 0x9e3779b97f4a7c15ull
#define RTN_HOME_MUL 0x9e3779b1u
#define RTN_NTHREADS 512 /* slots: living threads that can fire at once */
#define RTN_NCLOCKS 8
#define RTN_NCHILDREN 256
#define RTN_NSYS 1024 /* system call numbers served: below this */
#define RTN_NREGIONS 8
#define RTN_NANCESTORS 16

/*
 * Slots 0 .. RTN_HOST_SLOTS - 1 are the consumer's own; thread slot t, level l
 * is slot (RTN_HOST_SLOTS + t) * RT_LEVELS + l of the view (rt.slot).
 */
#define RTN_HOST_SLOTS 2

/* Keys of a home that are no thread's. */
#define RTN_KEY_FREE 0u
#define RTN_KEY_TOMB 2u /* its thread has ended; may be taken again */
#define RTN_KEY_CLAIM 4u /* being taken */
/* Set in a key: a process that borrows our memory has the thread's %fs base. */
#define RTN_KEY_LENT (1ull << 63)

#define RTN_TID_ASKED UINT32_MAX
#define RTN_KEPT      (1u << 31)

/* In the place of the base of threads that share theirs; no address is like
   that. */
#define RTN_BASE_OF_TID(tid) (1ull << 62 | (uint64_t)(tid) << 6)
#define RTN_BASE_NONE        (1ull << 61)
/* Bases; if there are more, all are taken for shared. */
#define RTN_NSHARED          16

#define RTN_STACK     4096u /* bytes of a machine's own stack */
#define RTN_STACK_TOP 16    /* from its end: the thread's stack pointer */
#define RTN_NLOANS    32
#define RTN_LOAN      2048u /* bytes from one that can be borrowed to the
			       next */

/* Stacks for the end of a thread, which may have given its own away; there the
   whole of a firing takes place, and perhaps a signal handler. */
#define RTN_NLAST 4
#define RTN_LAST  16384u /* bytes from one that can be had to the next */
#define RTN_LAST_TOP 64u /* from its end: where rsp is; 0s from there on */

/* What busy is while a firing began with this stack pointer; 1: not known. */
#define RTN_BUSY(sp) ((uint32_t)(sp) + 1)

struct rtn_home {
	uint64_t key; /* fs base + 1 */
	uint64_t rt;  /* address of the slot's level 0 */
};

struct rtn_table {
	uint64_t alive; /* 1 where tracing goes on; 0 in a forked child */
	uint64_t told;	/* a forked child has put itself into children[] */
	uint64_t pid;	/* a forked child that fires: its number; else 0 */
	uint64_t pad[5];
	struct rtn_home home[RTN_NHOMES];
};

/* Index of a thread's home; further homes by linear probing. */
static inline uint32_t
rtn_home_index(uint64_t fsbase)
{
	return ((uint32_t)fsbase * RTN_HOME_MUL) >> (32 - RTN_HOME_BITS);
}

/* One place that fires; an array in shared, read only to the process. */
struct rtn_site {
	uint32_t probe_id; /* dif_probe.id */
	uint32_t probe;	   /* index in dif_enabling.probes */
	uint32_t epid0;	   /* of the probe's first ECB; the others follow */
	uint32_t cells;	   /* offset in an aggregation half of the probe's
			      static cells, in order of statements; 0 none.
			      Where handlers only count (below): offset from
			      the machine of its counters */
	uint64_t cookie;
	uint64_t pc;	   /* address of the probed instruction */
};

/* What a `syscall` instruction does with a call number. */
#define RTN_SYS_RETURNS 1u /* has a return probe: remember the number */
#define RTN_SYS_EXIT 2u    /* exit, exit_group: rtn_thread_exit() */
#define RTN_SYS_EXEC 4u    /* execve, execveat: rtn_exec() */
#define RTN_SYS_FORK 8u    /* those of RTN_FRESH: rtn_fork() */
#define RTN_SYS_LOOK 16u   /* a filter or a thread may come: rtn_look() */
/* Calls from which a thread may come back with another %fs base than the one it
   was made with, or as another process: clone3, clone, arch_prctl, vfork.
   X(place in fresh_at[], number) */
#define RTN_FRESH(X) X(0, 435) X(1, 56) X(2, 158) X(3, 58)
#define RTN_NFRESH 4
struct rtn_sys {
	uint32_t entry_site, return_site; /* + 1; 0: no probe */
	uint64_t entry, ret;		  /* thunks: address - that of the
					     region's blob; 0: no probe */
	uint32_t special;		  /* RTN_SYS_* */
	uint32_t pad;
};

struct rtn_clock {
	uint64_t tsc0, ns0, mult; /* mult: ns per tick, 32.32 */
};

/* A variable of the user, from its struct dif_uvar. */
struct rtn_var {
	uint32_t off;	/* in its scope's area; arrays: 0 */
	uint32_t size;	/* bytes it takes there, or as an array's element */
	uint32_t bytes; /* by reference, no string: type.size */
	uint32_t flags; /* RTN_VAR_*; 0: no such variable */
};
#define RTN_VAR_SCALAR 1u
#define RTN_VAR_ARRAY 2u
#define RTN_VAR_REF 4u /* strings too */
#define RTN_VAR_STR 8u
#define RTN_VAR_MIN 0x500u /* DIF_VAR_USER_MIN */

/*
 * What rt.ureg[] holds beyond the registers.  Generated code that fills ureg[]
 * for a stack, ucaller, ustackdepth or errno sets them too.
 */
/* Not 0: the return address lies at [rsp], as on entry to a function and before
   its ret. */
#define RTN_UREG_RET (RT_NUREGS + 0)
/* errno: that of the system call, or 0. */
#define RTN_UREG_ERRNO (RT_NUREGS + 1)

#define RTN_FOLLOW_NONE 0u
#define RTN_FOLLOW_FORK 1u
#define RTN_FOLLOW_ALL  2u
#define RTN_NEXECS      64u

/* Of rtn_shared.execs: nobody's; being filled; it waits; it may go on. */
enum rtn_exec_state {
	RTN_EXEC_FREE,
	RTN_EXEC_CLAIM,
	RTN_EXEC_ASKS,
	RTN_EXEC_GO
};

#define RTN_PAGE 4096u
#define RTN_CGROUP 512 /* bytes of a cgroup's path that are kept */
/* Bytes of what is before rtn_shared.pad. */
#define RTN_COMMON                                                          \
	(sizeof(struct rt_ctl) + 4 * 4 + RTN_NCLOCKS * 24u + 8 + 4 * 4 +    \
	 2 * 4 * RTN_NTHREADS + RT_NCPUS_MAX * sizeof(struct rt_cpu_place))

struct rtn_shared {
	/* -- of all processes of the trace: the pages before RTN_OWN -- */
	struct rt_ctl ctl; /* first: rt_host_mem.ctl points here */
	/* Somebody waits for the consumer, which waits for this to change. */
	volatile uint32_t poke;
	uint32_t follow; /* RTN_FOLLOW_*: processes that it makes fire too */
	uint32_t clock_idx, nclock; /* clock[clock_idx] holds at present */
	struct rtn_clock clock[RTN_NCLOCKS];
	volatile uint64_t no_slot;	 /* firings lost: all slots taken */
	volatile uint32_t nthreads_used; /* slots ever taken: [0, n) */
	volatile uint32_t nlost; /* programs executed that are not followed */
	uint32_t consumer; /* its pid */
	/* Another consumer's code goes on to ours, or did: it sets this
	   (patch_over.c). */
	volatile uint32_t led;
	/* own tid; 0 free; with RTN_KEPT: nobody's, but kept for that thread,
	   which has executed a program */
	volatile uint32_t owner[RTN_NTHREADS];
	/* Where `foreign`: the consumer's number of a slot's thread, which is
	   rt.tid; RTN_TID_ASKED: it is to find it; 0: there is none. */
	volatile uint32_t outer[RTN_NTHREADS];
	struct rt_cpu_place cpu_place[RT_NCPUS_MAX];
	uint8_t pad[RTN_PAGE - RTN_COMMON % RTN_PAGE];

	/* -- of a program: each that is followed has its own -- */
	struct rt_conf conf;

	/* Addresses in the traced process. */
	uint64_t self;	  /* of this struct */
	uint64_t ctl_low; /* of ctl once more, read only, below 2 GB; 0: none */
	uint64_t table, sites, sys, globals, assoc, strtab;
	uint64_t unw;	  /* struct rt_unw_area; 0: stacks are not wanted */
	uint64_t slots;	  /* of struct rt [2 * nthreads], slot_stride apart */
	uint64_t slot_stride;
	uint64_t threads; /* self-> areas, thread_stride apart */
	uint64_t thread_stride;
	uint64_t bufs, aggs; /* [2 * nthreads], conf.bufsize/.aggsize apart */
	uint64_t error_fire; /* code that runs the ERROR clauses; 0 none */
	uint64_t vdso_time;  /* not 0: clock_gettime of the vdso is the clock,
				rdtsc is not good here; then nothing is raw */
	uint64_t shared_size; /* bytes mapped at self: all of them readable */
	uint64_t names;	     /* u32 [4] for each probe by its index: offsets in
				strtab of provider, module, function, name */
	uint64_t vars[3];    /* struct rtn_var by enum dif_scope, indexed by
				id - RTN_VAR_MIN */
	uint32_t nvars[3];
	uint32_t nthreads;   /* thread slots: at most RTN_NTHREADS */
	/* The regions, where string constants are. */
	struct {
		uint64_t lo, hi;
	} region[RTN_NREGIONS];
	uint32_t nregions;

	/* Constants of the process, for built-ins. */
	uint32_t pid, ppid, uid, gid;
	/*
	 * It lives in another pid namespace than the consumer: getpid(2) is
	 * own_pid there and not pid, getppid(2) was own_ppid at first (0: its
	 * parent is outside), and its threads have other numbers too: see
	 * known[] and outer[].
	 */
	uint32_t foreign, own_pid, own_ppid;
	uint32_t ancestors[RTN_NANCESTORS]; /* parent, its parent ...; 0 ends */
	char comm[16];
	/* Where it is now; the consumer writes the other one and then says that
	   it is that. */
	struct {
		char cgroup[RTN_CGROUP], container[16];
	} place[2];
	volatile uint32_t place_now, place_pad;
	uint64_t args_at, args_len; /* its arguments, as execve(2) left them */
	uint64_t maps_state; /* address of the dynamic linker's
				r_debug.r_state; 0: not known */
	volatile uint32_t seccomp; /* no system calls of our own */
	/* Slots and their buffers may not be accessed before a thread takes
	   them: mlockall(2) would put a page everywhere where they may be. */
	volatile uint32_t shut;
	int32_t tid_off; /* where the C library keeps a thread's number, from
			    its fs base; 0: not known */
	uint32_t has_rdpid, has_fsgsbase;
	/* The word at fs:0 may not be the thread's base, and there is no
	   rdfsbase: the kernel has to be asked. */
	uint32_t fs_asked;
	uint32_t stacks; /* bodies run on the machines' own stacks */
	int64_t rseq_off;    /* of struct rseq from the fs base; 0: none */

	/* Written by the process. */
	volatile uint32_t nfollowed; /* forked children that fire */
	volatile uint32_t nchildren; /* those that do not, or where all are
					followed, processes that do; may exceed
					RTN_NCHILDREN */
	volatile uint32_t children[RTN_NCHILDREN]; /* pids; written after
					    nchildren: 0 is not yet; of those
					    that fire the last ones */
	/* Threads that are in a call that makes a process; where those of
	   RTN_FRESH were made last, the low halves. */
	volatile uint32_t nforks;
	volatile uint32_t fresh_at[RTN_NFRESH];
	/* RTN_FOLLOW_ALL: threads that are about to execute a program wait
	   until the consumer is ready to catch it: enum rtn_exec_state. */
	struct {
		volatile uint32_t state, tid;
	} execs[RTN_NEXECS];
	volatile uint32_t exec_wait;	 /* see engine/process: 1 a thread is
					    about to exec, 2 it may go on */
	/* Objects have come or gone: how often threads have said so
	   (rtn_maps()), how many times of these the consumer has seen to, and
	   the last time of those that were waited for in vain.  All wrap. */
	/* A program that has only begun: its libraries are looked for when the
	   first thread gets its base (1), not when they are said to be there
	   (2), for they make system calls before. */
	volatile uint32_t early;
	volatile uint32_t maps_asked, maps_answered, maps_vain;
	volatile uint32_t maps_taken; /* up to here it is at work on them */

	/* fs bases that several threads have; the process adds those of
	   threads that it makes. */
	volatile uint32_t nshared;
	volatile uint64_t shared[RTN_NSHARED];
	/* Threads that were there when we attached: the thread's own number,
	   which is set to 0 when the thread ends, and the consumer's. */
	volatile uint32_t nknown;
	struct {
		uint64_t fsbase;
		volatile uint32_t own;
		uint32_t tid;
	} known[RTN_NTHREADS];

	/* Stacks to be borrowed, and whether each is; from there down. */
	struct {
		uint8_t room[RTN_LOAN - 16];
		volatile uint32_t lent, pad[3];
	} loan[RTN_NLOANS] __attribute__((aligned(16)));
	/* Stacks of threads that end: whether each is taken, and the rsp of
	   who has it. */
	struct {
		volatile uint32_t lent, pad;
		volatile uint64_t sp;
		uint8_t room[RTN_LAST - 16];
	} last[RTN_NLAST] __attribute__((aligned(16)));
};

#define RTN_OWN offsetof(struct rtn_shared, conf)
_Static_assert(RTN_OWN % RTN_PAGE == 0, "what each program has begins a page");

/*
 * The dynamic-variable store: associative arrays of global and thread scope,
 * for native code and for the consumer (rt_assoc.c, which documents it).
 * Lives in shared memory; knows positions only, no addresses.
 */
#define RT_ASSOC_NCLASSES 64
struct rt_assoc_lay {
	uint64_t size; /* bytes, the header included */
	uint32_t nbuckets, entries_off;
};
struct rt_assoc {
	struct rt_assoc_lay lay; /* never changes */
	volatile uint64_t used; /* bytes handed out, from the start */
	/* Freed entries by size: count of changes << 32 | offset. */
	volatile uint64_t freed[RT_ASSOC_NCLASSES];
	/* buckets: struct { u32 lock (slot + 1 of the holder), u32 head } */
};

/* Functions of the blob that generated code calls, in this order in its table
   of offsets; SysV ABI, general registers only. */
enum rtn_fn {
#define RTNFN(name, proto) RTN_FN_##name,
#include "rt/rt_native.def"
#undef RTNFN
	RTN_NFN
};

/* The blob, embedded; position independent. */
struct rtn_image {
	const uint8_t *code;
	size_t n;
	uint32_t off[RTN_NFN];	    /* of each function in code */
	uint32_t subr[64];	    /* of rt_subr_<name> by id; ~0: none */
};
extern const struct rtn_image rtn_image; /* generated (tools/blob.py) */

#endif
