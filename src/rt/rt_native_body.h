/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_native_body.h - the functions of rt_native.def, as C sees them.
 *
 * They run in the traced process, on the stack of the interrupted thread, with
 * general registers only; no libc, no locks of the host, no writable globals.
 * rt->host is the address of struct rtn_shared in the process.  A fault is
 * rt->fault; generated code looks at it after a call that can raise one.
 */
#ifndef RT_RT_NATIVE_BODY_H
#define RT_RT_NATIVE_BODY_H

#include "rt/rt_native.h"

/*
 * The slot level for a firing of the calling thread, with busy set and the
 * firing's fields reset (now, fault, in_error, scratch), or NULL: not active,
 * a forked child, no slot or level free (then counted).  The fast path in
 * generated code does the same for the ordinary case.  Takes a slot for a
 * thread that has none: zeroes its self-> area, sets rt.tid, .cpu.
 */
struct rt *rtn_enter(struct rtn_shared *sh, uint64_t fsbase);
/* The same on a stack that is borrowed; sp is the thread's.  0: NULL. */
uint64_t rtn_enter_at(struct rtn_shared *sh, uint64_t fsbase, uint64_t sp);
void rtn_leave(struct rt *rt);
/* For what only counts: where the calling thread's home is, in bytes from the
   first, + 1; it is made if there is none.  0: it may not fire, or no slot is
   left (then counted). */
uint64_t rtn_home(struct rtn_shared *sh, uint64_t fsbase);
/* The same of a thread that has one; 0: it has none. */
uint64_t rtn_home_look(struct rtn_shared *sh, uint64_t fsbase);
/* The calling thread is about to end: its slot may be taken again. */
void rtn_thread_exit(struct rtn_shared *sh, uint64_t fsbase);
/* The calling thread is about to make a system call after which other things
   hold: a seccomp filter comes, or a thread that shares the fs base. */
void rtn_look(struct rtn_shared *sh, uint64_t nr, uint64_t arg0, uint64_t arg1,
	      uint64_t fsbase);
/*
 * Around a system call of RTN_SYS_FORK at `at`: before it, with its number;
 * after it, by whoever comes back from it, or from any other one while
 * sh->nforks is not 0, with the result.  See rt_native.h, BORROWED MEMORY.
 */
void rtn_fork(struct rtn_shared *sh, uint64_t fsbase, uint64_t nr, uint64_t at);
void rtn_forked(struct rtn_shared *sh, uint64_t fsbase, uint64_t res,
		uint64_t at);
/* The calling thread is about to execve(2): give the consumer a moment. */
void rtn_exec(struct rtn_shared *sh);
/* The dynamic linker tells debuggers that its list of objects changes: once it
   is whole again, let the consumer put probes into what is new. */
void rtn_maps(struct rtn_shared *sh);

/* The firing's time, raw, read once; and in ns. */
uint64_t rtn_now(struct rt *rt);
uint64_t rtn_timestamp(struct rt *rt);

/*
 * Room for a record of recsize bytes, zeroed, its header written but not yet
 * published: address, or 0 after counting a drop.  rt->rec_end is the head to
 * publish.
 */
uint64_t rtn_reserve(struct rt *rt, uint64_t recsize);

/* Variables, built-in and user's, that generated code does not do itself. */
uint64_t rtn_var_load(struct rt *rt, uint64_t scope, uint64_t id);
uint64_t rtn_var_store(struct rt *rt, uint64_t scope, uint64_t id,
		       uint64_t val);
/* Associative arrays: key on the tuple stack. */
uint64_t rtn_assoc_load(struct rt *rt, uint64_t scope, uint64_t id);
uint64_t rtn_assoc_store(struct rt *rt, uint64_t scope, uint64_t id,
			 uint64_t val);

/* A load that may fault; size 1, 2, 4, 8 and flags. */
#define RTN_LD_SIGNED 0x100u
#define RTN_LD_USER 0x200u
uint64_t rtn_load(struct rt *rt, uint64_t addr, uint64_t size_flags);
/* The same, but what cannot be read is 0 and no fault. */
uint64_t rtn_peek(struct rt *rt, uint64_t addr, uint64_t size_flags);

/* Values by reference into a record or key (dst is an address). */
#define RTN_PUT_USER (1ull << 32)
uint64_t rtn_put_string(struct rt *rt, uint64_t dst, uint64_t size_flags,
			uint64_t addr);
uint64_t rtn_put_bytes(struct rt *rt, uint64_t dst, uint64_t size_flags,
		       uint64_t addr);
/* u64 pid, then nframes pcs by tables or frame pointers from rt->ureg[RIP, RSP,
   RBP, RTN_UREG_RET]; zeroes where the stack is shorter. */
uint64_t rtn_put_ustack(struct rt *rt, uint64_t dst, uint64_t nframes);

/* Address of a cell's words, ready for adding (start values of min, max
   included), or 0 after counting a drop.  func_words: func << 32 | words. */
uint64_t rtn_agg_fixed(struct rt *rt, uint64_t off, uint64_t func);
uint64_t rtn_agg_keyed(struct rt *rt, uint64_t id, uint64_t keysize,
		       uint64_t func_words);

uint64_t rtn_exit(struct rt *rt, uint64_t status);
uint64_t rtn_raise(struct rt *rt, uint64_t sig);
uint64_t rtn_stop(struct rt *rt);
/* rtn_leave(), and then the signals that the firing has asked for: a handler
   may leave for good, and what was recorded is there by then. */
void rtn_signals(struct rt *rt);
/*
 * A clause has faulted (rt->fault is set): count, write the error record, run
 * the ERROR clauses (shared->error_fire) as a firing within the firing, clear
 * rt->fault.  As interp_fire.c's fault_report().
 */
uint64_t rtn_fault(struct rt *rt);

#endif
