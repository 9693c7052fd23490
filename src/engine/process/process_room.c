/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_room.c - how much memory there is for buffers, when the target may
 * not have all that it asks for.
 *
 * MEMORY CGROUPS.  A page of a memory file is charged to the cgroup of whoever
 * touches it first.  Were that the target, our buffers could make the kernel
 * end it.  So where its cgroup, or one around it, has a limit, there are
 * buffers for the threads that are there and some more, within a budget, and
 * the consumer touches all of it before anything fires.  If it lives under a
 * limit too, its own or the same, the budget is a part of what that leaves.
 *
 *	limits of target:   none ──▶ no budget, pages as they are needed
 *	                    any  ──▶ BUDGET, at most a quarter of what is left
 *	                             in the consumer's cgroup; all of it touched
 *
 * Version 2 of cgroups has one tree (memory.max, memory.current), version 1 one
 * for memory (memory.limit_in_bytes, memory.usage_in_bytes); cgroups(7).  Where
 * they are mounted, /proc/self/mountinfo says.
 *
 * ADDRESS SPACE (RLIMIT_AS): a quarter of what is left.  LOCKED MEMORY: see
 * map_one() in process_map.c.
 */
#include "engine/process/process_impl.h"
#include "proc/proc_fs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* since 5.14 */
#endif

#define BUDGET (64ull << 20)
#define PAGE   4096ull
#define NONE   (1ull << 60) /* no limit, as version 1 writes it, or more */

/* ---- memory cgroups ------------------------------------------------------ */

/* A version of them: how its mount, its line in /proc/PID/cgroup and its files
   are known. */
struct cg_version {
	const char *fstype;
	const char *controller; /* in the mount's options and the line */
	const char *limit, *usage;
};
static const struct cg_version versions[] = {
	{ "cgroup", "memory", "memory.limit_in_bytes",
	  "memory.usage_in_bytes" },
	{ "cgroup2", "", "memory.max", "memory.current" },
};

/* True if the word is among those of a list with commas. */
static bool
list_has(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = list; *p != '\0'; p += *p == ',') {
		size_t len = strcspn(p, ",\n");

		if (len == n && memcmp(p, word, n) == 0)
			return true;
		p += len;
	}
	return n == 0 && *list == '\0';
}

/* Where that version is mounted: its root there, and the directory. */
static bool
cg_mount(const struct cg_version *v, char root[4096], char dir[4096])
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char line[12288];
	bool found = false;

	while (f != NULL && !found && fgets(line, sizeof(line), f) != NULL) {
		const char *sep = strstr(line, " - ");
		char type[32], opts[1024];

		found = sep != NULL &&
			sscanf(sep + 3, "%31s %*s %1023s", type, opts) == 2 &&
			strcmp(type, v->fstype) == 0 &&
			(v->controller[0] == '\0' ||
			 list_has(opts, v->controller)) &&
			sscanf(line, "%*s %*s %*s %4095s %4095s", root, dir) ==
				2;
	}
	if (f != NULL)
		fclose(f);
	return found;
}

/* The cgroup of a process in that version. */
static bool
cg_path(const struct cg_version *v, pid_t pid, char path[4096])
{
	char name[40], line[8192];
	bool found = false;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/cgroup", (int)pid);
	f = fopen(name, "re");
	while (f != NULL && !found && fgets(line, sizeof(line), f) != NULL) {
		char *list = strchr(line, ':');
		char *is = list != NULL ? strchr(list + 1, ':') : NULL;

		if (is == NULL)
			continue;
		*is++ = '\0';
		is[strcspn(is, "\n")] = '\0';
		found = list_has(list + 1, v->controller);
		if (found)
			snprintf(path, 4096, "%.4095s", is);
	}
	if (f != NULL)
		fclose(f);
	return found;
}

/* A number in a file there; NONE: "max", or there is none. */
static uint64_t
cg_number(const char *dir, const char *file)
{
	char path[8400];
	uint64_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	f = fopen(path, "re");
	if (f == NULL)
		return NONE;
	if (fscanf(f, "%" SCNu64, &n) != 1)
		n = NONE;
	fclose(f);
	return n;
}

/* What is left below the limits of a directory and those around it, up to the
   mount's; NONE: no limit. */
static uint64_t
cg_left(const struct cg_version *v, const char *mount, char *dir)
{
	size_t top = strlen(mount);
	uint64_t left = NONE;

	for (;;) {
		uint64_t limit = cg_number(dir, v->limit), used;
		char *slash = strrchr(dir, '/');

		if (limit < NONE) {
			used = cg_number(dir, v->usage);
			if (used > limit)
				used = limit;
			if (limit - used < left)
				left = limit - used;
		}
		if (strlen(dir) <= top || slash == NULL)
			return left;
		*slash = '\0';
	}
}

static uint64_t
cg_version_left(const struct cg_version *v, pid_t pid)
{
	char root[4096], mount[4096], path[4096], dir[8300];
	const char *below = path;
	size_t n;

	if (!cg_mount(v, root, mount) || !cg_path(v, pid, path))
		return NONE;
	/* A container may have a part of the tree only. */
	n = strcmp(root, "/") == 0 ? 0 : strlen(root);
	if (strncmp(path, root, n) == 0)
		below += n;
	if (strncmp(below, "/..", 3) == 0)
		below = ""; /* outside of what we see */
	snprintf(dir, sizeof(dir), "%s%s", mount, below);
	n = strlen(dir);
	if (n > strlen(mount) && dir[n - 1] == '/')
		dir[n - 1] = '\0';
	return cg_left(v, mount, dir);
}

uint64_t
room_in_cgroup(pid_t pid)
{
	uint64_t left = NONE;

	for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
		uint64_t n = cg_version_left(&versions[i], pid);

		left = n < left ? n : left;
	}
	return left < NONE ? left : ROOM_ENDLESS;
}

/* ---- limits of the process ----------------------------------------------- */

/* A line of /proc/PID/status in bytes; 0: it is not there. */
static uint64_t
status_kb(pid_t pid, const char *name)
{
	struct proc_status st;

	return proc_status_read(proc_face(pid), 0, &st) ?
		       proc_status_number(&st, name) << 10 : 0;
}

uint64_t
room_locked(pid_t pid)
{
	return status_kb(pid, "VmLck");
}

uint64_t
room_of_addresses(pid_t pid)
{
	uint64_t used = status_kb(pid, "VmSize");
	struct rlimit lim;

	if (prlimit(pid, RLIMIT_AS, NULL, &lim) != 0 ||
	    lim.rlim_cur == RLIM_INFINITY)
		return ROOM_ENDLESS;
	return lim.rlim_cur > used ? lim.rlim_cur - used : 0;
}

/* ---- what follows from them ---------------------------------------------- */

uint64_t
room_budget(pid_t pid)
{
	uint64_t ours = room_in_cgroup(getpid()) / 4;

	if (room_in_cgroup(pid) == ROOM_ENDLESS)
		return ROOM_ENDLESS;
	return ours < BUDGET ? ours : BUDGET;
}

/* Before 5.14 there is no call for it. */
int
room_touch(uint8_t *p, uint64_t n)
{
	if (n == 0 || madvise(p, n, MADV_POPULATE_WRITE) == 0)
		return 0;
	if (errno != EINVAL)
		return -1;
	for (uint64_t i = 0; i < n; i += PAGE)
		*(volatile uint8_t *)(p + i) = 0;
	return 0;
}
