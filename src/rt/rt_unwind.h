/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_unwind.h - the tables by which users' stacks are walked, as the consumer
 * writes them (room unwind) and as a probe that fires reads them (rt_unwind.c).
 *
 *   pool     rules, then a table for each file of code: words of 32 bits
 *   lists    the executable mappings of a process, sorted by address
 *
 *   mapping ──tab──▶ page[0] page[1] ... page[npages]   words of the pool:
 * where │       │                        the rows of 64 KB of the ▼       ▼
 * file begin; the last is rows    rows ...                  where they end row
 * low half of the offset in the file << 16 | number of its rule.  The first row
 * of a page is at 0: what holds there. rule   how to find the caller's frame
 * (struct rt_unw_rule); a handful of hundreds serve all rows of all files
 *
 * Tables go by offsets in the file, so they are the same in whatever process
 * and wherever the file is mapped.
 *
 * Who reads believes nothing: each index is masked to the pool or the list, so
 * tables that change while they are read, or that are damaged, make a wrong
 * stack at most.
 */
#ifndef RT_RT_UNWIND_H
#define RT_RT_UNWIND_H

#ifndef __bpf__ /* there rt.h has the types */
#include <stdint.h>
#endif

#include "rt/rt_python.h"

#define RT_UNW_RULES	 8192u /* at the beginning of the pool, 8 bytes each */
#define RT_UNW_ROWS_MAX	 8191u /* of a page: 13 steps of a search */
#define RT_UNW_MAPS_MAX	 1023u /* mappings of a process: 10 steps */
#define RT_UNW_PAGE_BITS 16
#define RT_UNW_LISTS	 65536u /* mappings of all processes (kernel engine) */

/* How the canonical frame address is computed: the caller's rsp.  The return
   address lies at CFA - 8. */
enum rt_unw_kind {
	RT_UNW_NONE,	 /* no table says: by the frame pointer, if it leads
			    to a call */
	RT_UNW_UNKNOWN,	 /* in a way that is not followed: the walk ends */
	RT_UNW_END,	 /* there is no caller */
	RT_UNW_OUT,	 /* (not in tables) no code is there */
	RT_UNW_RSP,	 /* rsp + off */
	RT_UNW_RBP,	 /* rbp + off */
	RT_UNW_STUB,	 /* rsp + off, + 8 if (pc & 15) >= add */
	RT_UNW_RSP_WORD, /* the word at rsp + off, + add */
	RT_UNW_RBP_WORD,
	RT_UNW_SIGNAL,	 /* the kernel's signal frame lies at rsp */
};
#define RT_UNW_KIND   0x3fu
#define RT_UNW_GUESS  0x40u /* if that leads to no call: by the frame pointer */
#define RT_UNW_BY_RBP 0x80u /* the caller's rbp lies at rbp + rbp */
#define RT_UNW_LOST   1     /* rt_unw_rule.rbp: nobody knows */

struct rt_unw_rule {
	int32_t off;
	int16_t rbp; /* the caller's rbp lies at CFA + rbp; 0: it is as here */
	uint8_t kind, add;
};

/* An executable mapping, [lo, hi). */
struct rt_unw_map {
	uint64_t lo, hi;
	uint64_t off; /* address + off = offset behind its table's first page */
	uint32_t tab, npages; /* npages 0: it has no table */
};

/* Kernel engine: what is known of a process, by its number. */
struct rt_unw_proc {
	uint64_t mm;	  /* its struct mm_struct; 0: that of the first look */
	uint64_t exec_vm; /* pages of code it had when the list was made */
	uint32_t first, n; /* in the lists */
	uint32_t id;	  /* of this list, in keys of caches */
	uint32_t pad;
	struct rt_py py;
};
/* What could not be found: wanted from the consumer. */
struct rt_unw_want {
	uint64_t mm, exec_vm;
	uint64_t owed; /* stacks of it that are, since it was wanted */
};

/*
 * Kernel engine: stacks that are owed.  Where the list of a process is not
 * there yet, or not of all its code, a probe keeps what a walk needs, and gives
 * two words for the frames: the first pc, and a tag with a number.  Who reads
 * the record has the walk made when the list is there (bpf_owed.c).
 *
 *   FREE ──probe──▶ TAKEN ──probe──▶ FULL ──consumer──▶ FREE
 */
#define RT_UNW_OWED        (0xbfffull << 48) /* no address, no Python frame */
#define RT_UNW_OWED_SLOTS  128u
#define RT_UNW_OWED_EACH   16u	  /* of a process, before it is looked at */
#define RT_UNW_OWED_STACK  16384u /* bytes of the stack, and up to a page more \
				   */
#define RT_UNW_OWED_WITHIN 3u	  /* the tag is one of the first words */

enum rt_unw_owed_state {
	RT_UNW_FREE,
	RT_UNW_TAKEN,
	RT_UNW_FULL,
};

#define RT_UNW_OWED_BY_FP 64
struct rt_unw_owed {
	uint32_t state;
	uint32_t pid;
	uint64_t number;
	uint64_t pc, sp, fp;
	uint64_t max; /* frames at most, and RT_UNWIND_CALLER ... */
	uint64_t mm, arg_start; /* the memory of the program that it was */
	uint64_t n;   /* bytes of the stack, from sp on */
	uint64_t by_fp; /* callers that frame pointers lead to, each behind a
			   call, which nobody can see when it has ended */
	uint8_t stack[RT_UNW_OWED_STACK + 4096];
};

struct rt_unw_debts {
	uint64_t next;	 /* number */
	uint64_t closed; /* the consumer keeps no more of them */
	struct rt_unw_owed v[RT_UNW_OWED_SLOTS];
};

/* Not 0 if the word is the tag. */
static inline int
rt_unw_is_owed(uint64_t word)
{
	return word >> 48 == RT_UNW_OWED >> 48;
}

/*
 * Where lists are not in the kernel: those of one process, two of them, so that
 * one can be written while the other is read; then the pool.
 */
struct rt_unw_area {
	volatile uint32_t id; /* of the present list, which is maps[id & 1];
				 0: there is none */
	uint32_t pool_words;  /* a power of two */
	volatile uint32_t n[2];
	uint64_t stack_lo, stack_hi; /* of the main thread */
	struct rt_py python;
	struct rt_py_area py;
	struct rt_unw_map maps[2][RT_UNW_MAPS_MAX + 1];
	uint32_t pool[];
};

/* In struct rt: a walk, and rules that walks found, by where. */
#define RT_UNW_CACHE 256u
struct rt_unw {
	uint64_t pc, sp, fp;	/* of the present frame */
	uint64_t low;		/* sp of the last frame that was exact: nothing
				   is kept below */
	uint64_t win, nwin;	/* the piece of the stack in the work area W */
	uint32_t have, max;	/* frames */
	uint32_t exact;		/* pc is no return address */
	uint32_t id;		/* the list's */
	uint32_t first, n;	/* the list, as in struct rt_unw_proc */
	uint32_t want;		/* something was not found */
	uint32_t direct;	/* the piece is read where it is, not in W */
	uint32_t py_rest;	/* only frames of Python are left */
	uint32_t below;		/* below sp nothing is there any more */
	uint32_t placed;	/* the first pc has a probe's bytes */
	uint32_t lost;		/* it led to code that the list has not */
	uint64_t py_cframe;	/* the next; 0: there are no more */
	uint64_t py_next;	/* where there is no _PyCFrame: the frame that
				   comes first behind py_cframe's */
	uint64_t py_frame; /* that comes next in the stack; 0: none of Python */
	uint64_t pl_info, pl_cx, pl_cop; /* Perl's: the next context, and the
				   place in the source; pl_info 0: there are
				   none.  Then py_cframe is 1 */
	uint64_t pl_env; /* where docatch() would have its JMPENV; 0: not */
	uint32_t pl_n,
		pl_left; /* contexts of pl_info, and of all that are read */
	uint32_t pl_run;	/* the frame that was left runs Perl's code */
	uint32_t inner;		/* the frame that was left was exact */
	struct rt_py py;
	uint8_t buf[264];	/* what was read of Python's structures */
	struct {
		uint64_t at, rule; /* address | list's id << 48 */
	} cache[RT_UNW_CACHE];
};

#endif
