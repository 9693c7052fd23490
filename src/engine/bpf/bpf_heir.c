/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_heir.c - who takes back what many probes of the kernel have changed when
 * the consumer is killed.
 *
 * Descriptors are closed when the last process that has them ends, and that
 * waits: a thousand breakpoints, each of some grace periods, take a minute.
 * So with many probes a child shares our table of descriptors, does nothing,
 * and outlives us: ^C or kill -9, also amid attaching, end us at once, and the
 * kernel takes the probes back when the child ends a moment later.  Who reads
 * our output sees its end first.
 */
#include "engine/bpf/bpf_impl.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#define HEIR_MANY 64
#define HEIR_SIG  SIGUSR1

static bool
heir_wanted(const struct engine *eng)
{
	size_t n = 0;

	for (size_t i = 0; i < eng->places.n && n < HEIR_MANY; i++)
		n += dif_sites[eng->places.v[i].site->kind].where !=
		     DIF_AT_USER;
	return n >= HEIR_MANY;
}

/* In the child, where all signals are blocked.  The signal comes also when a
   thread of the parent has ended. */
static void
heir_wait(pid_t parent)
{
	sigset_t gone;

	sigemptyset(&gone);
	sigaddset(&gone, HEIR_SIG);
	if (prctl(PR_SET_PDEATHSIG, HEIR_SIG) != 0)
		_exit(1);
	while (getppid() == parent)
		sigwaitinfo(&gone, NULL);
	close_range(0, 2, 0);
	_exit(0);
}

void
bpf_heir_make(struct engine *eng)
{
	const pid_t parent = getpid();

	if (eng->heir != 0 || !heir_wanted(eng))
		return;
	eng->heir = bpf_child_new(CLONE_FILES);
	if (eng->heir == 0)
		heir_wait(parent);
	if (eng->heir < 0) /* then the end takes longer */
		eng->heir = 0;
}

void
bpf_heir_end(struct engine *eng)
{
	if (eng->heir == 0)
		return;
	kill(eng->heir, SIGKILL);
	bpf_child_wait(eng->heir);
	eng->heir = 0;
}
