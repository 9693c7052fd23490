/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * proc_cgroup.c - the control group that a process is in, and the container that
 * its name tells of.
 *
 * /proc/PID/cgroup has a line for each hierarchy; that of version 2 is
 * "0::/path", as seen from the reader's cgroup namespace.  Those who run
 * containers put 64 hexadecimal digits into the path, with other words around
 * them: /docker/ID, docker-ID.scope, cri-containerd-ID.scope, libpod-ID ... The
 * last of these is the innermost container; its first twelve digits are what
 * `docker ps` shows.  The kernel engine finds the same in its own way
 * (rt/rt_cgroup.c).
 */
#include "proc/proc_fs.h"

#include <string.h>

#define DIGITS 64u

bool
proc_cgroup(pid_t pid, char *buf, size_t n)
{
	char text[8192];
	const char *line = text;

	buf[0] = '\0';
	if (proc_read(pid, 0, "cgroup", text, sizeof(text)) < 0)
		return false;
	while (strncmp(line, "0::", 3) != 0) {
		line = strchr(line, '\n');
		if (line == NULL || *++line == '\0')
			return false;
	}
	line += 3;
	size_t len = strcspn(line, "\n");
	if (len >= n)
		len = n - 1;
	memcpy(buf, line, len);
	buf[len] = '\0';
	return true;
}

void
proc_container(const char *cgroup, char *buf)
{
	buf[0] = '\0';
	for (const char *p = cgroup; *p != '\0';) {
		size_t n = strspn(p, "0123456789abcdef");

		if (n == DIGITS) {
			memcpy(buf, p, PROC_CONTAINER - 1);
			buf[PROC_CONTAINER - 1] = '\0';
		}
		p += n != 0 ? n : 1;
	}
}
