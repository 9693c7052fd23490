/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * proc_end.c - how a process ended that is no child of ours.
 *
 * wait(2) informs its parent alone.  The kernel informs others too, but not all
 * kernels do, and not always:
 *
 *   PIDFD_GET_INFO (ioctl_pidfd(2), since Linux 6.15) once it has been waited
 *   for, as long as somebody has a pidfd of it
 *
 *   the last field of /proc/PID/stat (proc_pid_stat(5)) until then, to those
 *   who may trace it
 *
 * Where the kernel is older a moment may be missed; then it is not known how it
 * ended.
 */
#include "proc/proc_fs.h"
#include "proc/proc_impl.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The first version of what <linux/pidfd.h> has in newer kernels. */
struct pidfd_exit {
	uint64_t mask, cgroupid;
	uint32_t ids[11]; /* pid .. fsgid */
	int32_t exit_code;
};
#define PIDFD_EXIT_BIT (1u << 3)
static_assert(sizeof(struct pidfd_exit) == 64, "as the kernel has it");

static int
status_by_pidfd(int pidfd)
{
	struct pidfd_exit x = { .mask = PIDFD_EXIT_BIT };

	if (pidfd < 0 || ioctl(pidfd, _IOWR(0xff, 11, struct pidfd_exit), &x))
		return -1;
	return (x.mask & PIDFD_EXIT_BIT) != 0 ? x.exit_code : -1;
}

/* Of the line of a process that has ended. */
static int
status_by_stat(pid_t pid)
{
	struct proc_stat st;

	if (!proc_stat_read(pid, 0, &st) || st.state != 'Z')
		return -1;
	return (int)st.v[PROC_STAT_EXIT_CODE];
}

int
proc_end_status(int pidfd, pid_t pid)
{
	int status = status_by_pidfd(pidfd);

	if (status == -1)
		status = status_by_stat(pid);
	/* It may have been waited for in between. */
	return status != -1 ? status : status_by_pidfd(pidfd);
}
