/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * follow.c - what becomes of the target: it forks, it executes another
 * program, it ends.
 *
 * A FORKED CHILD has our patches and our code, but its table of threads is
 * empty (rt_native.h), so nothing fires in it; a probe costs it a call that
 * finds that out.  Putting its text back takes that away as well.  It keeps our
 * mappings: one of its threads may be inside.  A child that has ended, or runs
 * something else by now, needs nothing.  Where children are followed
 * (rtn_shared.follow) all this comes at the end, for all of them: who has our
 * memory mapped is one of them, whoever made it and whoever has ended since.
 *
 * PID NAMESPACES.  A process there knows itself by another number than we do;
 * /proc/PID/status has all of them (NSpid), its own last.
 *
 * AN EXEC gives the process another address space.  The memory file that was
 * opened before stays with the old one, of which nothing can be read once its
 * last user is gone; the pid alone would not say so.
 */
#include "engine/process/process_impl.h"
#include "proc/proc_fs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* ---- all children -------------------------------------------------------- */

/* Put back the text of one of them; false: there was nothing to put back.  One
   that cannot be stopped now may be in the next round. */
static bool
tree_clean_one(const struct patch_journal *j, pid_t pid)
{
	struct err why = { 0 };
	struct inject in;
	int n = 0;

	if (inject_open(&in, pid, false, &why) != 0)
		return false;
	if (inject_stop(&in, true, &why) == 0) {
		n = patch_undo_in(j, &in);
		inject_resume(&in);
	} else {
		n = !is_gone(&why, pid);
	}
	inject_close(&in);
	return n != 0;
}

#define TREE_ROUNDS 8

/* By the journal of the program that it runs. */
static bool
tree_clean_pid(const struct follow_image *v, size_t n, uint64_t ino, pid_t pid)
{
	uint64_t head = pid != getpid() ? follow_head(pid, ino) : 0;
	bool any = false;

	for (size_t i = 0; head != 0 && i < n; i++)
		if (v[i].head == head && v[i].j != NULL)
			any |= tree_clean_one(v[i].j, pid);
	return any;
}

void
follow_clean_tree(const struct follow_image *v, size_t n, uint64_t ino)
{
	bool any = true;

	/* One that is not clean yet may fork while we look. */
	for (int i = 0; any && i < TREE_ROUNDS; i++) {
		struct proc_dir it;
		long pid;

		any = false;
		if (!proc_dir_open(&it, 0, "task"))
			return;
		while ((pid = proc_dir_next(&it)) >= 0)
			any |= tree_clean_pid(v, n, ino, (pid_t)pid);
		proc_dir_close(&it);
	}
}

uint64_t
follow_ino(int fd, size_t least)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (uint64_t)st.st_size >= least
		       ? (uint64_t)st.st_ino
		       : 0;
}

/* ---- numbers ------------------------------------------------------------- */

/* Of a process, or its thread tid, in its own namespace; 0: there is none. */
static uint32_t
own_number(pid_t pid, pid_t tid)
{
	struct proc_status st;
	uint64_t v, last;

	if (!proc_status_read(pid, tid, &st))
		return 0;
	(void)proc_status_numbers(&st, "NSpid", &v, 1, &last);
	return (uint32_t)last;
}

static bool
has_our_memory(pid_t pid)
{
	struct proc_maps it;
	struct proc_map m;
	bool has = false;

	if (!proc_maps_open(&it, pid))
		return false;
	while (!has && proc_maps_next(&it, &m))
		has = strncmp(m.path, "/memfd:dtrace", 13) == 0;
	proc_maps_close(&it);
	return has;
}

/*
 * The common part of struct rtn_shared is mapped with what follows it in the
 * file, or with the own part of a program, which is elsewhere.
 */
uint64_t
follow_head(pid_t pid, uint64_t ino)
{
	uint64_t head = 0, next = 0;
	struct proc_maps it;
	struct proc_map m;

	if (ino == 0 || !proc_maps_open(&it, pid))
		return 0;
	while (head == 0 && proc_maps_next(&it, &m)) {
		if (m.ino != ino || !m.w ||
		    strncmp(m.path, "/memfd:dtrace", 13) != 0)
			continue;
		if (next != 0 && m.lo == next)
			head = m.off;
		else if (m.off == 0 && m.hi - m.lo > RTN_OWN)
			head = RTN_OWN;
		else if (m.off == 0 && m.hi - m.lo == RTN_OWN)
			next = m.hi;
	}
	proc_maps_close(&it);
	return head;
}

/* The first thread of pid, or process if that is 0, that is that number. */
static pid_t
number_find(pid_t pid, uint32_t number, bool ours)
{
	struct proc_dir it;
	pid_t found = 0;
	long n;

	if (!proc_dir_open(&it, pid, "task"))
		return 0;
	while (found == 0 && (n = proc_dir_next(&it)) >= 0)
		if ((pid != 0 ? own_number(pid, (pid_t)n) :
				own_number((pid_t)n, 0)) == number &&
		    (!ours || has_our_memory((pid_t)n)))
			found = (pid_t)n;
	proc_dir_close(&it);
	return found;
}

pid_t
follow_child(uint32_t told, bool far)
{
	if (own_number((pid_t)told, 0) == told && has_our_memory((pid_t)told))
		return (pid_t)told;
	return far ? number_find(0, told, true) : 0;
}

uint32_t
follow_threads(pid_t pid)
{
	struct proc_dir it;
	uint32_t n = 0;

	if (!proc_dir_open(&it, pid, "task"))
		return 0;
	while (proc_dir_next(&it) >= 0)
		n++;
	proc_dir_close(&it);
	return n;
}

uint32_t
follow_thread_number(pid_t pid, pid_t tid)
{
	return own_number(pid, tid);
}

pid_t
follow_find_thread(pid_t pid, uint32_t own)
{
	return number_find(pid, own, false);
}

/* ---- exec ---------------------------------------------------------------- */

/* No such process, or one that ends: its memory goes first, and what is left
   only waits to be reaped. */
static bool
has_ended(pid_t pid)
{
	struct proc_stat st;

	if (!proc_stat_read(pid, 0, &st))
		return !err_short(errno);
	return proc_stat_ended(&st) || proc_stat_exiting(&st);
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
