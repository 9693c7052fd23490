/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * sched.d - where a thread runs.  The built-in variables cpu and curcpu (a
 * cpuinfo_t *) say it of the current one; these are parts of the latter.
 */

/* The package (socket) of the current CPU, as the kernel numbers them. */
inline chipid_t chip = curcpu->cpu_chip;
/* Linux has no processor sets: always 0. */
inline psetid_t pset = curcpu->cpu_pset;
/* The NUMA node of the current CPU. */
inline lgrp_id_t lgrp = curcpu->cpu_lgrp;

/* What sched:::enqueue and dequeue have: the queue of a CPU. */
translator cpuinfo_t < struct rq *R > {
	cpu_id = R->cpu;
	cpu_pset = 0;
};
