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
 * AN EXEC gives the process another address space.  The memory file that was
 * opened before stays with the old one, of which nothing can be read once its
 * last user is gone; the pid alone would not tell.
 */
#include "engine/process/process_impl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Is it about a process that is no more? */
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
