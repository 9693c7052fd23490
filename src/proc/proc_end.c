/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * proc_end.c - how a process ended that is no child of ours.
 *
 * wait(2) tells its parent alone.  The kernel tells others too, but not all
 * kernels do, and not always:
 *
 *   PIDFD_GET_INFO (ioctl_pidfd(2), since Linux 6.15) once it has been waited
 *   for, as long as somebody has a pidfd of it
 *
 *   the last field of /proc/PID/stat (proc_pid_stat(5)) until then, to those
 *   who may trace it
 *
 * Between the two a moment may be missed; then it is not known how it ended.
 */
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

/* The state and the last field of the line of a process that has ended. */
static int
status_by_stat(pid_t pid)
{
	char name[64], line[2048], *at;
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/stat", (int)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, line, sizeof(line) - 1);
	close(fd);
	if (n <= 0)
		return -1;
	line[n] = '\0';
	at = strrchr(line, ')'); /* the end of its name */
	if (at == NULL || strncmp(at, ") Z", 3) != 0)
		return -1;
	at = strrchr(at, ' ');
	return at != NULL ? atoi(at + 1) : -1;
}

int
proc_end_status(const struct proc *p)
{
	int status = status_by_pidfd(p->pidfd);

	return status != -1 ? status : status_by_stat(p->pid);
}
