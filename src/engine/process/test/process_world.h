/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_world.h - enablings made by hand and a process to try them on, for
 * the tests of the process engine.
 */
#ifndef ENGINE_PROCESS_TEST_PROCESS_WORLD_H
#define ENGINE_PROCESS_TEST_PROCESS_WORLD_H

#include <sys/types.h>

#include "rt/test/world.h"

/* ---- the target ---------------------------------------------------------- */

/* What the target does when told, n times. */
enum target_cmd {
	T_WORK,	   /* target_work(i, i + 1) for i = 0 .. n - 1 */
	T_LEAF,	   /* target_leaf(i) */
	T_SCAN,	   /* target_scan(i) */
	T_TINY,    /* target_tiny(i) + target_tiny2(i) */
	T_HOP,	   /* target_hop(i) */
	T_GETPPID, /* the system call by syscall(2) */
	T_THREADS, /* n threads at once, each calls target_work() 1000 times */
	T_SERIAL,  /* n threads, one after the other: one target_work() each */
	T_FORK,	   /* n children, each calls target_work() and ends */
	T_VFORK,   /* n children of vfork(2): getppid, and they end */
	T_EXEC,	   /* becomes sleep(1) */
	T_AGAIN,   /* becomes this program anew, as if it was told nothing yet:
		      target_again() */
	T_SPIN,	   /* calls target_work() without end; never answers */
	T_SCANS,   /* the same with target_scan(); a wrong result kills it */
	T_CHECK,   /* its answer: a sum of the first bytes of target_work() */
	T_OPEN,	   /* the n-th of target_libs[]; its answer: where
		      target_lib_fn() is */
	T_CLOSE,   /* it is closed again */
	T_CALL,	   /* target_lib_fn() of the n-th, which is open, of 7 */
	T_SPOIL	   /* the first byte of that becomes a NOP */
};

/* Paths of libraries, before target_start(). */
extern const char *target_libs[2];

uint64_t target_work(uint64_t a, uint64_t b);
uint64_t target_leaf(uint64_t a);
/* a % 64 or, if a is odd, -1; from ways out alone between targets of jumps.
   The loop's head: target_scan_head.  It has more than a page of code, which
   only a negative number comes to. */
uint64_t target_scan(uint64_t a);
extern const char target_scan_head[];
/* a, by a loop whose head is its second instruction, which takes a % 4 + 1
   turns (4 for 0): no window fits over its entry, nor over its return, behind
   which target_tiny2() begins: a + 1.  target_tiny_ret: the last
   instruction. */
uint64_t target_tiny(uint64_t a);
uint64_t target_tiny2(uint64_t a);
extern const char target_tiny_ret[];
/* a, by such a loop; its entry has room for a short jump, to unused bytes that
   are behind its end. */
uint64_t target_hop(uint64_t a);

struct target {
	pid_t pid;
	int to, from;
};
void target_start(struct target *t);
/* Tell it, and wait for its answer: a sum over what the calls returned. */
uint64_t target_do(struct target *t, enum target_cmd cmd, uint32_t n);
void target_tell(struct target *t, enum target_cmd cmd, uint32_t n);
void target_end(struct target *t);
/* First thing in main(): obeys, and does not return, if it is T_AGAIN's. */
void target_again(int argc, char **argv);

/* ---- an enabling in it --------------------------------------------------- */

extern const struct dif_recipes entry_args, return_args;

/* An enabling for the process engine, and its target, w->t. */
struct test_world *traced_new(void);
void traced_free(struct test_world *w);
/* A probe in a function of this program. */
struct dif_site *fn_probe(struct test_world *w, enum dif_site_kind kind,
			  const void *fn, unsigned mask);

#endif
