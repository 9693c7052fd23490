/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * inject_filter.c - whether the filters of a stopped process spare our calls.
 *
 * While we trace a thread its filters are suspended.  If its tracer is killed
 * in the midst of a call, they are not any more, and the call, or the end of
 * the stub that it is made in, may be the end of the process.  So they are read
 * (PTRACE_SECCOMP_GET_FILTER: CAP_SYS_ADMIN, and a kernel with
 * CONFIG_CHECKPOINT_RESTORE) and asked (filter.c).  What cannot be read spares
 * nothing.
 *
 * RESTARTS.  One call is made because of us though nobody is killed: a thread
 * that we have interrupted in nanosleep(2), poll(2) or a wait with a timeout
 * goes on by restart_syscall(2), as after any stop.  Where a filter would kill
 * for that, it makes the call that it had made itself once more instead, so
 * that its time begins anew.
 */
#include "engine/process/inject_impl.h"
#include "engine/process/filter.h"

#include <errno.h>
#include <linux/filter.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* Younger than the headers of some systems. */
#ifndef PTRACE_SECCOMP_GET_FILTER
#define PTRACE_SECCOMP_GET_FILTER 0x420c
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#define FILTER_MOST 4096 /* instructions: BPF_MAXINSNS, the kernel's limit */
#define FILTERS_KEPT 8

/* What is called in a process while we attach, extend and leave, and in a stub
   that its tracer has left. */
static const struct filter_call calls_of_ours[] = {
	{ SYS_mmap },
	{ SYS_munmap },
	{ SYS_mprotect },
	{ SYS_munlock },
	{ SYS_madvise },
	{ SYS_memfd_create },
	{ SYS_openat },
	{ SYS_close },
	{ SYS_socketpair, 7, { AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0 } },
	{ SYS_recvmsg },
	{ SYS_rt_sigprocmask },
	{ SYS_restart_syscall },
	{ SYS_prctl, 1, { PR_SET_PTRACER } },
};
/* What is called besides to have a thread of our own. */
static const struct filter_call calls_of_own[] = {
	{ SYS_clone },
	{ SYS_close_range },
	{ SYS_exit },
};
static const struct filter_call call_of_restart[] = {
	{ SYS_restart_syscall },
};

#define N(v) (sizeof(v) / sizeof(*(v)))

/* EINVAL also says that the kernel cannot show filters. */
static bool
has_none(pid_t tid)
{
	struct inject_status st;

	return inject_status_read(tid, &st) && st.seccomp == 0;
}

/*
 * Filters that were asked and spare.  As a rule all threads have the same ones,
 * and all threads stand still meanwhile: the second with a filter only has it
 * compared.  What does not fit here is asked again.
 */
struct filters_known {
	const struct filter_call *c; /* which calls they spare */
	size_t nc;
	struct known_filter {
		struct sock_filter *v;
		size_t len;
	} f[FILTERS_KEPT];
	size_t n;
};

static bool
filter_known(const struct filters_known *k, const struct sock_filter *v,
	     size_t len)
{
	for (size_t i = 0; i < k->n; i++)
		if (k->f[i].len == len &&
		    memcmp(k->f[i].v, v, len * sizeof(*v)) == 0)
			return true;
	return false;
}

static void
filter_note(struct filters_known *k, const struct sock_filter *v, size_t len)
{
	struct known_filter *f = &k->f[k->n];

	if (k->n == FILTERS_KEPT ||
	    (f->v = malloc(len * sizeof(*v))) == NULL)
		return;
	memcpy(f->v, v, len * sizeof(*v));
	f->len = len;
	k->n++;
}

static void
filters_forget(struct filters_known *k)
{
	while (k->n != 0)
		free(k->f[--k->n].v);
}

static bool
filter_spared(struct filters_known *k, const struct sock_filter *v, size_t len)
{
	if (filter_known(k, v, len))
		return true;
	for (size_t i = 0; i < k->nc; i++)
		if (!filter_spares(v, len, &k->c[i]))
			return false;
	filter_note(k, v, len);
	return true;
}

/* All filters of a thread spare all those calls. */
static bool
thread_spared(pid_t tid, struct filters_known *k)
{
	struct sock_filter v[FILTER_MOST];

	for (unsigned long i = 0;; i++) {
		long len = ptrace(PTRACE_SECCOMP_GET_FILTER, tid, i, v);

		if (len < 0)
			return errno == ENOENT /* there are no more */ ||
			       (i == 0 && errno == EINVAL && has_none(tid));
		if (!filter_spared(k, v, (size_t)len))
			return false;
	}
}

static bool
threads_spared(const struct inject *in, const struct filter_call *c, size_t n)
{
	struct filters_known k = { .c = c, .nc = n };
	bool all = true;

	for (size_t i = 0; all && i < in->n; i++)
		all = !in->threads[i].stopped ||
		      thread_spared(in->threads[i].tid, &k);
	filters_forget(&k);
	return all;
}

bool
inject_filters_spare(struct inject *in)
{
	if (inject_by_guard(in))
		return guard_filters(in->guard);
	return threads_spared(in, calls_of_ours, N(calls_of_ours));
}

bool
inject_filters_spare_own(const struct inject *in)
{
	return threads_spared(in, calls_of_own, N(calls_of_own));
}

bool
inject_may_restart(pid_t tid)
{
	struct filters_known k = { .c = call_of_restart,
				   .nc = N(call_of_restart) };
	bool spared = thread_spared(tid, &k);

	filters_forget(&k);
	return spared;
}
