/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_limit.c - options that change what this process may have: core files,
 * locked memory, memory set aside; and what the machine must have.
 */
#include "lib/dt_impl.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

void
dt_limit_core(bool on)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_CORE, &r) != 0)
		return;
	r.rlim_cur = on ? r.rlim_max : 0;
	(void)setrlimit(RLIMIT_CORE, &r);
	(void)prctl(PR_SET_DUMPABLE, on ? 1 : 0);
}

/* Up to the hard limit anybody may go; beyond it CAP_SYS_RESOURCE is needed. */
static int
limit_lockmem(dtrace_hdl_t *dtp, int64_t size)
{
	rlim_t want = size == INT64_MAX ? RLIM_INFINITY : (rlim_t)size;
	struct rlimit r;

	if (getrlimit(RLIMIT_MEMLOCK, &r) == 0) {
		r.rlim_cur = want;
		if (r.rlim_max < want)
			r.rlim_max = want;
		if (setrlimit(RLIMIT_MEMLOCK, &r) == 0)
			return 0;
	}
	return dt_set_err(dtp, EDT_PRIV, "cannot set the limit of locked "
			  "memory (-x lockmem): %s", strerror(errno));
}

#define MMAPS 65536 /* the allocator's own default */

/* The allocator takes that much from the system, touched, and keeps it. */
static int
limit_preallocate(dtrace_hdl_t *dtp, int64_t size)
{
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	mallopt(M_MMAP_MAX, 0); /* on the heap */
	void *p = malloc((size_t)size);
	mallopt(M_MMAP_MAX, MMAPS);
	if (p == NULL)
		return dt_set_err(dtp, EDT_NOMEM,
				  "cannot set aside %lld bytes "
				  "(-x preallocate)", (long long)size);
	memset(p, 0xff, (size_t)size);
	free(p);
	return 0;
}

int
dt_limit_cpus(dtrace_hdl_t *dtp, long ncpus)
{
	if (ncpus <= (long)RT_NCPUS_MAX)
		return 0;
	return dt_set_err(dtp, EDT_UNSUP,
			  "this machine has %ld CPUs: DTrace can serve %u",
			  ncpus, RT_NCPUS_MAX);
}

int
dt_limit_apply(dtrace_hdl_t *dtp)
{
	long ncpus = sysconf(_SC_NPROCESSORS_CONF);
	int64_t lock = dtp->opt[DT_OPT_lockmem];
	int64_t set = dtp->opt[DT_OPT_preallocate];
	int64_t cpu = dtp->opt[DT_OPT_cpu];

	if (dt_limit_cpus(dtp, ncpus) != 0)
		return -1;
	if (cpu >= ncpus)
		return dt_set_err(dtp, EDT_BADOPTVAL,
				  "this machine has no CPU %lld (-x cpu)",
				  (long long)cpu);
	if (lock != DTRACEOPT_UNSET && limit_lockmem(dtp, lock) != 0)
		return -1;
	return set != DTRACEOPT_UNSET ? limit_preallocate(dtp, set) : 0;
}
