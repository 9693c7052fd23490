/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * follow.c - what becomes of the target: it forks, it executes another
 * program, it ends.
 *
 * A FORKED CHILD has our patches and our code, but its table of threads is
 * empty (rt_native.h), so nothing fires in it; a probe costs it a call that
 * finds that out.  Putting its text back takes that away as well.  It keeps our
 * mappings: one of its threads may be inside.  A child that has ended, or runs
 * something else by now, needs nothing.
 *
 * PID NAMESPACES.  A process there knows itself by another number than we do;
 * /proc/PID/status has all of them (NSpid), its own last.
 *
 * AN EXEC gives the process another address space.  The memory file that was
 * opened before stays with the old one, of which nothing can be read once its
 * last user is gone; the pid alone would not tell.
 */
#include "engine/process/process_impl.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* True if the error is about a process that is no more. */
static bool
is_gone(const struct err *e, pid_t pid)
{
	return e->sys == ESRCH || e->sys == ENOENT ||
	       follow_look(pid, -1) == FOLLOW_ENDED;
}

int
follow_clean_child(const struct patch_journal *j, pid_t child, struct err *e)
{
	struct err why = { 0 };
	struct inject in;

	if (inject_open(&in, child, false, &why) != 0)
		return is_gone(&why, child)
			       ? 0
			       : err_set(e, why.tag, 0, "%s", why.msg);
	if (inject_stop(&in, true, &why) != 0) {
		inject_close(&in);
		return is_gone(&why, child)
			       ? 0
			       : err_set(e, why.tag, 0, "%s", why.msg);
	}
	patch_undo_in(j, &in);
	inject_resume(&in);
	inject_close(&in);
	return 0;
}

/* ---- numbers ------------------------------------------------------------- */

/* Of a process or thread, in its own namespace; 0: there is none. */
static uint32_t
own_number(const char *dir)
{
	char path[80], line[256];
	uint32_t last = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/status", dir);
	f = fopen(path, "re");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		char *p = line + 6, *end;

		if (strncmp(line, "NSpid:", 6) != 0)
			continue;
		for (unsigned long v; v = strtoul(p, &end, 10), end != p;
		     p = end)
			last = (uint32_t)v;
		break;
	}
	if (f != NULL)
		fclose(f);
	return last;
}

static bool
has_our_memory(pid_t pid)
{
	char path[40], line[4352];
	bool has = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f != NULL && !has && fgets(line, sizeof(line), f) != NULL)
		has = strstr(line, "/memfd:dtrace") != NULL;
	if (f != NULL)
		fclose(f);
	return has;
}

/* The first entry of a directory of numbers that is that process or thread. */
static pid_t
dir_find(const char *dir, uint32_t number, bool ours)
{
	DIR *d = opendir(dir);
	struct dirent *de;
	pid_t found = 0;

	while (d != NULL && found == 0 && (de = readdir(d)) != NULL) {
		pid_t pid = (pid_t)strtol(de->d_name, NULL, 10);
		char path[64];

		snprintf(path, sizeof(path), "%s/%d", dir, (int)pid);
		if (pid > 0 && own_number(path) == number &&
		    (!ours || has_our_memory(pid)))
			found = pid;
	}
	if (d != NULL)
		closedir(d);
	return found;
}

pid_t
follow_child(uint32_t told, bool far)
{
	char dir[32];

	snprintf(dir, sizeof(dir), "/proc/%u", told);
	if (own_number(dir) == told && has_our_memory((pid_t)told))
		return (pid_t)told;
	return far ? dir_find("/proc", told, true) : 0;
}

uint32_t
follow_threads(pid_t pid)
{
	char path[32];
	struct dirent *de;
	uint32_t n = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	d = opendir(path);
	while (d != NULL && (de = readdir(d)) != NULL)
		n += de->d_name[0] != '.';
	if (d != NULL)
		closedir(d);
	return n;
}

uint32_t
follow_thread_number(pid_t pid, pid_t tid)
{
	char dir[48];

	snprintf(dir, sizeof(dir), "/proc/%d/task/%d", (int)pid, (int)tid);
	return own_number(dir);
}

pid_t
follow_find_thread(pid_t pid, uint32_t own)
{
	char dir[40];

	snprintf(dir, sizeof(dir), "/proc/%d/task", (int)pid);
	return dir_find(dir, own, false);
}

/* ---- exec ---------------------------------------------------------------- */

/* No such process, or one that only waits to be reaped. */
static bool
has_ended(pid_t pid)
{
	char path[40], buf[1024];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (f == NULL)
		return true;
	size_t n = fread(buf, 1, sizeof(buf) - 1, f);
	fclose(f);
	buf[n] = '\0';
	const char *p = strrchr(buf, ')'); /* the name may have any bytes */
	return p == NULL || p[1] != ' ' || p[2] == 'Z' || p[2] == 'X';
}

enum follow_state
follow_look(pid_t pid, int mem)
{
	char byte;

	/* Nothing lies at 0: an error, but where there is no memory any more,
	   the end of the file. */
	if (mem >= 0 && pread(mem, &byte, 1, 0) != 0)
		return FOLLOW_SAME;
	if (has_ended(pid))
		return FOLLOW_ENDED;
	return mem >= 0 ? FOLLOW_EXEC : FOLLOW_SAME;
}
