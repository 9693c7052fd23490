/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * filter.h - what a seccomp filter would do to a call, found out without making
 * it.  Pure: a program of classic BPF in, an answer out.
 */
#ifndef ENGINE_PROCESS_FILTER_H
#define ENGINE_PROCESS_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sock_filter; /* <linux/filter.h> */

/* A system call of x86-64; of its arguments those are known whose bit is
   set. */
struct filter_call {
	int nr;
	unsigned known;
	uint64_t arg[6];
};

/*
 * True if the filter lets the call be made, or answers it with an error,
 * whatever the arguments that are not known.  False if it may end or stop the
 * thread or the process, or hand the call to somebody else; or if this is no
 * filter, or there is no memory.
 */
bool filter_spares(const struct sock_filter *v, size_t n,
		   const struct filter_call *c);

#endif
