/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * proc_turn.c - whose turn it is to change the text of programs.
 *
 * A jump and a breakpoint of the kernel must not come into the same bytes: who
 * places the second one would not see the first if both looked before either
 * had written.  So between the look and the last write there is a lock:
 *
 *	jumps	      shared: which of them comes first in a process is between
 *		      them (flock(2) of its maps)
 *	breakpoints   alone: they come into every process that maps a file, and
 *		      nobody can say which those will be
 *
 * It is flock(2) of the time namespace that we are in.  The kernel has one file
 * for it, whichever /proc it is opened by; anybody may open it, and nothing can
 * be written there or is left behind; containers are seldom given another.
 *
 * So anybody may hold it for ever as well.  It is waited for a few seconds;
 * then the caller goes on without, and says so.
 */
#include "proc/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define NAP_NS	1000000
#define WAIT_MS 5000u

bool
proc_turn_take(struct proc_turn *t, bool alone)
{
	const int how = (alone ? LOCK_EX : LOCK_SH) | LOCK_NB;
	unsigned ms = 0;

	t->fd = open("/proc/self/ns/time", O_RDONLY | O_CLOEXEC);
	if (t->fd < 0) /* CONFIG_TIME_NS */
		t->fd = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
	while (t->fd >= 0 && flock(t->fd, how) != 0) {
		if ((errno != EWOULDBLOCK && errno != EINTR) ||
		    ms++ >= WAIT_MS) {
			close(t->fd);
			t->fd = -1;
			break;
		}
		nanosleep(&(struct timespec){ 0, NAP_NS }, NULL);
	}
	return t->fd >= 0;
}

void
proc_turn_give(struct proc_turn *t)
{
	if (t->fd < 0)
		return;
	/* A child may have got the descriptor, too. */
	flock(t->fd, LOCK_UN);
	close(t->fd);
	t->fd = -1;
}

const char proc_turn_missed[] =
	"somebody has held the lock of those who place probes (flock(2) of "
	"/proc/self/ns/time) for 5 seconds: ours were placed without it, and may "
	"harm processes where another dtrace places some at the same moment";
