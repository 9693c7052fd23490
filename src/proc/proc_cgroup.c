/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * proc_cgroup.c - the control group that a process is in, and the container
 * that its name contains.
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

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define DIGITS 64u
/* The first cgroup namespace (PROC_CGROUP_INIT_INO of the kernel).  In another
   one nobody says how deep its root is. */
#define NS_FIRST 0xeffffffbu
#define DEPTH_MAX 16u

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

/* A line of mountinfo is "36 35 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw",
   with more words before the '-' maybe (proc(5)). */
static bool
root_line(const char *line, char *dir, size_t n)
{
	char root[512], at[512];

	if (strstr(line, " - cgroup2 ") == NULL ||
	    sscanf(line, "%*s %*s %*s %511s %511s", root, at) != 2 ||
	    strcmp(root, "/") != 0)
		return false;
	snprintf(dir, n, "%s", at);
	return true;
}

uint64_t
proc_cgroup_root(char *dir, size_t n)
{
	FILE *fp = fopen("/proc/self/mountinfo", "re");
	char line[2048], own[512];
	struct stat st;
	uint64_t id = 0;

	if (dir == NULL) {
		dir = own;
		n = sizeof(own);
	}
	*dir = '\0';
	while (fp != NULL && id == 0 && fgets(line, sizeof(line), fp) != NULL)
		if (root_line(line, dir, n) && stat(dir, &st) == 0)
			id = st.st_ino;
	if (fp != NULL)
		fclose(fp);
	return id;
}

static uint32_t
depth_of(const char *path)
{
	uint32_t n = 0;

	for (; *path != '\0'; path++)
		n += *path != '/' && (path[1] == '/' || path[1] == '\0');
	return n;
}

int
proc_cgroup_find(const char *path, struct proc_cgroup_place *p, struct err *e)
{
	char root[512], dir[4096 + 512];
	struct stat st;
	size_t n;

	if (path[0] == '\0')
		return err_set(e, &ERR_GENERIC, 0,
			       "cgroup: the path of a control group is "
			       "expected, as in cgroup=/user.slice");
	if (proc_cgroup_root(root, sizeof(root)) == 0)
		return err_set(e, &ERR_GENERIC, 0,
			       "cgroup: the control groups of version 2 are "
			       "not mounted");
	n = strlen(root);
	if (strncmp(path, root, n) == 0 &&
	    (path[n] == '/' || path[n] == '\0'))
		path += n;
	snprintf(dir, sizeof(dir), "%s/%s", root, path);
	errno = ENOTDIR;
	if (stat(dir, &st) != 0 || !S_ISDIR(st.st_mode))
		return err_set(e, &ERR_GENERIC, errno,
			       "cgroup: there is no control group %s in %s",
			       path, root);
	p->id = st.st_ino;
	p->level = p->last = depth_of(path);
	if (stat("/proc/self/ns/cgroup", &st) != 0 || st.st_ino != NS_FIRST)
		p->last = p->level + DEPTH_MAX;
	return 0;
}
