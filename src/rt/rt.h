/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt.h - what exists while a probe fires, and the memory an engine shares
 * with the consumer.  Included by the kernel engine's BPF bodies (compiled
 * with -target bpf), by the interpreter and by the consumer: the layouts below
 * are the same everywhere, and only fixed-width types are used.
 *
 * A SLOT is (cpu, level).  A probe that fires takes a free level of its CPU
 * (RT_LEVELS of them: a probe may preempt or interrupt another one) and owns
 * that slot until its clauses are done; each slot has its own machine state
 * (struct rt), principal buffer and aggregation buffer, so nothing on the hot
 * path is shared or locked.  No free level: the firing is lost and counted.
 *
 *   struct rt_ctl            one per trace: activity, exit status, errors
 *   struct rt     [nslots]   machine state, drop counters, buffer positions
 *   buf           [nslots]   bufsize bytes: records in a ring
 *   agg           [nslots]   aggsize bytes: two halves of aggregation cells
 *
 * PRINCIPAL BUFFER.  head and tail in struct rt are byte counts that only
 * grow; position = count % bufsize (bufsize is a power of two).  The probe
 * writes at head and then publishes it; the consumer reads up to head and then
 * publishes tail.  A record never wraps: when it does not fit before the end,
 * the rest is skipped with a filler, a struct rt_rec with epid 0 (or less than
 * 16 bytes of anything).  A record that does not fit between tail and head is
 * dropped and counted (policy switch), or ends the trace (policy fill, where
 * the consumer reads when tracing has ended).
 *
 * Policy ring: records are written from the top of the buffer down, so that
 * from the youngest one on each next is older, and the oldest ones are
 * overwritten without being looked at: head counts bytes, the youngest record
 * begins at -head % bufsize, and there is no tail.  What is below the youngest
 * and too small for the next one is a filler: EPID 0 and its size, 32 bits
 * each.  A reservation may have been given up after it had overwritten
 * something: reach is the largest head that was ever reserved for, and only
 * what is above reach - bufsize is whole.  When tracing has ended the consumer
 * turns each buffer into an ordinary one (rt_drain_turn()).
 *
 * AGGREGATION BUFFER.  Two equal halves; rt_ctl.agg_half says which one probes
 * write.  To take a snapshot the consumer flips agg_half, waits until every
 * probe that could have seen the old value is done (a kernel grace period),
 * reads the old half and zeroes its used part.  A half:
 *
 *   struct rt_agg_half       used, nkeys ...
 *   u64 fixed[...]           cells of the aggregations without keys, at
 *                            rt_agg_fixed[agg] (computed by rt_agg_layout())
 *   u32 bucket[nbuckets]     heads of chains: offset in the half, 0 none
 *   entries                  struct rt_agg_entry, key bytes, cell
 *
 * Fixed cells hold, before their words, one u64 that is non-zero once the cell
 * has been used.
 *
 * SPECULATIONS.  Speculative records go into the principal buffers like all
 * others, marked with the number of their speculation, and the consumer holds
 * them back.  A speculation is a struct rt_spec in rt_ctl; a probe takes one
 * that is INACTIVE, and ends it, by compare and swap.  Whoever ends it reads
 * the clock after that: no record of the speculation is of a later time.  So
 * the consumer, which reads records in order of time, has met all of them when
 * it is there; it prints or forgets them and sets INACTIVE.
 */
#ifndef RT_RT_H
#define RT_RT_H

#ifdef __bpf__
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
#else
#include <stdint.h>
#endif

#include "rt/rt_unwind.h"

#define RT_LEVELS 2
#define RT_NARGS 12 /* DIF_NARGS */
#define RT_NTUPLE 8

/*
 * The areas of a slot come in two sizes, all powers of two: scratch (strings,
 * copyin, alloca), the largest strsize, the largest key of an aggregation or an
 * array, and the most bytes of this-> variables.  In the kernel each CPU's
 * slots are there from the start, so there rt_bpf.c is compiled for both, and
 * the kernel engine takes the small one for all programs that it does for
 * (rt_areas.h).  In a process memory costs nothing until it is touched: what is
 * compiled for the host and for traced processes has the large one.
 */
#define RT_SCRATCH_SMALL 16384u
#define RT_STR_SMALL     4096u
#define RT_KEY_SMALL     8192u
#define RT_LOCALS_SMALL  16384u
#define RT_SCRATCH_LARGE 262144u
#define RT_STR_LARGE     65536u
#define RT_KEY_LARGE     131072u
#define RT_LOCALS_LARGE  262144u
#ifdef RT_SMALL
#define RT_SCRATCH RT_SCRATCH_SMALL
#define RT_STR_MAX RT_STR_SMALL
#define RT_KEY_MAX RT_KEY_SMALL
#define RT_LOCALS  RT_LOCALS_SMALL
#else
#define RT_SCRATCH RT_SCRATCH_LARGE
#define RT_STR_MAX RT_STR_LARGE
#define RT_KEY_MAX RT_KEY_LARGE
#define RT_LOCALS  RT_LOCALS_LARGE
#endif

/* Causes of lost data; one counter each in struct rt. */
enum rt_drop {
	RT_DROP_PRINCIPAL,
	RT_DROP_AGG,
	RT_DROP_DYNVAR,
	RT_DROP_SPEC, /* speculative data: the consumer holds too much */
	RT_DROP_NESTED, /* no free level on this CPU */
	RT_DROP_DBLERROR, /* fault in an ERROR clause */
	RT_DROP_SPECBUSY, /* speculation(): none is free, but one will be */
	RT_DROP_SPECUNAVAIL, /* speculation(): all are in use */
	RT_DROP_MISSED, /* the kernel did not run our program in its own */
	RT_NDROP
};

enum rt_activity {
	RT_ACT_INACTIVE, /* only BEGIN may run */
	RT_ACT_ACTIVE,
	RT_ACT_DRAINING, /* exit() or the consumer: only END may run */
	RT_ACT_STOPPED
};

/* What happens when a principal buffer is full; the option's words. */
enum rt_policy { RT_BUF_SWITCH, RT_BUF_FILL, RT_BUF_RING };

/* Head of every record, 16 bytes; epid 0 is a filler (see above). */
struct rt_rec {
	uint32_t epid;
	uint16_t cpu;  /* where slots are threads; else 0, the slot tells */
	uint16_t spec; /* the speculation it belongs to, from 1; 0: none */
	uint64_t time; /* ns, CLOCK_MONOTONIC; raw where rt.raw_time is set */
};

/*
 * The record of a fault, with RT_EPID_ERROR as epid, written besides running
 * the ERROR clauses, so that the consumer can print the notice.
 */
#define RT_EPID_ERROR 0xffffffffu
struct rt_error_rec {
	struct rt_rec rec;
	uint32_t epid;	 /* the ECB at fault */
	uint32_t action; /* 0: predicate; statements count from 1 */
	int32_t difoff;	 /* DIF instruction, or -1 */
	uint32_t fault;	 /* enum dif_fault */
	uint64_t val;	 /* address for the address faults */
};

#define RT_NSPEC_MAX 64
enum rt_spec_state {
	RT_SPEC_INACTIVE, /* free; set by the consumer */
	RT_SPEC_ACTIVE,
	RT_SPEC_ENDING, /* committed or discarded, its time is not there yet */
	RT_SPEC_COMMITTED,
	RT_SPEC_DISCARDED
};
struct rt_spec {
	volatile uint32_t state; /* enum rt_spec_state */
	volatile uint32_t raw;	 /* its time is raw, as in records */
	volatile uint64_t time;	 /* of its end */
};

struct rt_ctl {
	uint32_t activity; /* enum rt_activity */
	uint32_t agg_half; /* 0 or 1 */
	int32_t exit_status;
	uint32_t exited;   /* exit() was called */
	uint32_t wanted;   /* something wants the consumer's attention */
	uint32_t nspec;	   /* speculations there are: at most RT_NSPEC_MAX */
	volatile uint32_t filled; /* policy fill: a buffer was full */
	uint32_t sink;		  /* written to, never read */
	uint32_t pad[8];
	uint64_t globals_addr, strtab_addr; /* addresses probes see */
	struct rt_spec spec[RT_NSPEC_MAX];  /* speculation n is [n - 1] */
};

struct rt_tuple {
	uint64_t val;  /* value, or address of the bytes */
	uint64_t size; /* by reference, and no string: bytes */
	uint32_t isref, isstr;
};

/*
 * CPUs that a kernel can have: x86-64's NR_CPUS goes no higher, nor does what
 * is kept by CPU.  lib refuses to trace on a machine with more.
 */
#define RT_NCPUS_MAX 8192u

/* Of a CPU: its package and its NUMA node; see rt_cpu.c. */
struct rt_cpu_place {
	int32_t chip, lgrp;
};

/* User registers, as enum dif_reg; behind them rt_native.h's own. */
enum rt_reg {
#define REG(idx, NAME) RT_R_##NAME = idx,
#include "dif/reg.def"
#undef REG
	RT_NUREGS
};
#define RT_UREG_MORE 5

/* Machine state of one slot. */
struct rt {
	/* -- shared with the consumer -- */
	volatile uint64_t head;	/* written by the probe */
	volatile uint64_t tail; /* written by the consumer */
	volatile uint64_t drops[RT_NDROP];
	volatile uint64_t firings; /* how often this slot was taken */
	volatile uint64_t errors;
	volatile uint32_t busy; /* not 0: it is firing (native code: since when,
				   rt_native.h) */
	uint32_t cpu, level, slot;
	/* Process engine (rt_native.h), where slots are threads; else 0. */
	uint32_t raw_time; /* times in records are raw: the consumer converts */
	uint32_t tid;
	uint64_t buf, agg; /* this slot's buffers, as this machine sees them */
	uint64_t thread;   /* the self-> scalars of its thread */
	uint64_t rec_end;  /* head once the reserved record is published */
	uint64_t reach;	   /* policy ring: the largest rec_end there was */

	/* -- the present firing -- */
	uint64_t self;	    /* address of this struct as DIF sees it */
	uint64_t task;	    /* kernel engine: the task that the firing is about,
			       where it is not the current one; else 0 */
	uint64_t now;	    /* timestamp of the firing; 0: not read yet */
	uint32_t fault;	    /* enum dif_fault, DIF_FAULT_NONE */
	uint32_t fault_action;
	int32_t fault_off;
	uint32_t in_error;  /* running ERROR clauses */
	uint64_t fault_val;
	/* Kernel engine, in programs that may wait: the address whose page was
	   not to be had (0: none), and whether anything that lasts was done. */
	uint64_t absent_at;
	uint32_t effects, pad_effects;
	uint32_t probe_id;
	uint32_t probe;	    /* index in dif_enabling.probes */
	uint32_t epid;	    /* of the clause that runs */
	uint32_t scratch;   /* bytes of scratch[] in use */
	uint64_t arg[RT_NARGS];
	uint64_t cookie;
	uint64_t ureg[RT_NUREGS + RT_UREG_MORE]; /* filled where a clause needs
						    it */
	uint32_t ntuple;
	uint32_t keylen;
	struct rt_tuple tuple[RT_NTUPLE];
	/* what curcpu points to: cpuinfo_t */
	int32_t cpu_id, cpu_pset, cpu_chip, cpu_lgrp;
	uint64_t host;	    /* interpreter: struct rt_host *; else 0 */
	uint64_t tmp[8];
	/* Process engine: the system call its thread is in, + 1, and the stack
	   pointer it was made with; kept in level 0 across firings. */
	uint64_t sysno, sys_sp;
	/* strtok(): the firing whose string is in tok_mem, and where the rest
	   of it begins */
	uint64_t tok_firing, tok_off;
	/* The bucket of an array, + 1, that it held last (rt_assoc.c) */
	volatile uint32_t bucket;
	uint32_t sys_at; /* with sysno: the low half of where it was made */
	/* Process engine: the same of the call that makes a process, while it
	   is being made; kept in level 0.  0: none. */
	volatile uint32_t fork_at;
	uint32_t pid; /* process engine: of its thread, as the consumer calls
			 it; with tid */
	/* Process engine: to be sent when the firing is over; bit n - 1 is
	   signal n. */
	uint64_t signals;
	/* chill(): when its second began (as rt_clock()), and ns of it used */
	uint64_t chill_from, chill_used;
	/* Kernel engine: the memory of the current process, and how much code
	   it has, for rt_unwind.c; where generated code reaches it. */
	uint64_t unw_mm, unw_exec_vm;

	/* -- areas; the tails let bounded writes start anywhere -- */
	uint8_t key[RT_KEY_MAX + RT_STR_MAX];
	uint8_t locals[RT_LOCALS + RT_STR_MAX];
	uint8_t scratch_mem[RT_SCRATCH + RT_STR_MAX];
	uint8_t tok_mem[RT_STR_MAX];
	uint8_t stage[RT_KEY_MAX]; /* native code: a key whose parts are being
				      evaluated, which may use key[] */
	struct rt_unw unw; /* a walk along the user's stack (rt_unwind.c) */
};

/* Where the areas of either size (SMALL, LARGE) begin, and the size of all. */
#define RT_AT_LOCALS(which)                                                    \
	(__builtin_offsetof(struct rt, key) + RT_KEY_##which + RT_STR_##which)
#define RT_AT_SCRATCH(which)                                                   \
	(RT_AT_LOCALS(which) + RT_LOCALS_##which + RT_STR_##which)
#define RT_SIZE(which)                                                         \
	(RT_AT_SCRATCH(which) + RT_SCRATCH_##which + 2 * RT_STR_##which +      \
	 RT_KEY_##which + sizeof(struct rt_unw))

struct rt_agg_half {
	uint32_t used;	   /* bytes in use, this header included */
	uint32_t nentries;
	uint32_t reserve[2];
};

struct rt_agg_entry {
	uint32_t next; /* offset of the next in the chain, 0 none */
	uint32_t hash;
	uint32_t agg;  /* id: from 1 */
	uint32_t keysize;
	/* uint8_t key[keysize]; uint64_t cell[words]; */
};

#endif
