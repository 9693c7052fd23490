/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_exec.c - the target executes another program, and system calls go on
 * to be traced there.
 *
 *	runs ──rtn_exec(), or it is seen──▶ another program ──▶ libc is there
 *	  ▲                                                         │
 *	  └───────── regions, patches, guardian anew ◀──────────────┘
 *
 * Nothing of ours outlives an exec but the memory file, which we hold: with all
 * that has been recorded, aggregated and assigned.  It is mapped into the new
 * program, which is entered as a process is with -p: so what it does before is
 * not seen, from its first instruction to a moment after its C library has been
 * mapped.  Probes of functions were the old program's, and are gone with it.
 *
 * Code of the old program's regions stays in the file: children that it has
 * forked may run it still.  New regions are put behind.
 *
 * The descriptor of the target's memory keeps its number, by which others know
 * it (host.c).
 */
#include "engine/process/process_impl.h"
#include "proc/proc_fs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXEC_NS 1000000000ull /* a program is loaded within that */

/* ---- the call itself ----------------------------------------------------- */

/* Nothing is to be done before: let it go, and look what becomes of it. */
void
exec_answer(struct engine *eng)
{
	uint32_t waits = 1;

	if (!__atomic_compare_exchange_n(&eng->sh->exec_wait, &waits, 2, false,
					 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		return;
	__atomic_store_n(&eng->exec_at, clock_mono_ns(), __ATOMIC_RELEASE);
	__atomic_store_n(&eng->exec_ns, clock_mono_ns() + EXEC_NS,
			 __ATOMIC_RELEASE);
	syscall(SYS_futex, &eng->sh->exec_wait, FUTEX_WAKE, INT_MAX, NULL,
		NULL, 0);
}

bool
exec_hurry(const struct engine *eng)
{
	return __atomic_load_n(&eng->follow_ns, __ATOMIC_ACQUIRE) != 0 ||
	       __atomic_load_n(&eng->exec_ns, __ATOMIC_ACQUIRE) >
		       clock_mono_ns();
}

/* ---- what is said of it -------------------------------------------------- */

/* Once: what is missing of a program that the target has executed. */
static void
exec_say(struct engine *eng, const char *missing)
{
	char comm[32];

	if (eng->exec_said != NULL || eng->root != NULL ||
	    eng->opts.follow == RTN_FOLLOW_ALL)
		return;
	proc_comm_plain(eng->pid, comm, sizeof(comm));
	eng->exec_said = arena_printf(
		eng->arena,
		"process %d has executed another program%s%s%s, %s; -x "
		"follow=all traces programs from their first instruction",
		(int)eng->pid, comm[0] != '\0' ? " (" : "", comm,
		comm[0] != '\0' ? ")" : "", missing);
}

const char *
exec_notice(struct engine *eng)
{
	if (eng->exec_said == NULL || eng->exec_told)
		return NULL;
	eng->exec_told = true;
	return eng->exec_said;
}

/* It is traced from now on. */
static void
exec_say_late(struct engine *eng)
{
	uint64_t at = __atomic_load_n(&eng->exec_at, __ATOMIC_ACQUIRE);
	char missing[80] = "whose beginning was not traced";

	if (at != 0)
		snprintf(missing, sizeof(missing),
			 "whose first %u ms were not traced",
			 (unsigned)((clock_mono_ns() - at) / 1000000u) + 1);
	exec_say(eng, missing);
}

/* True if a thread of the process still has its slot.  It gives it back when it
   ends, but not when it executes a program. */
static bool
exec_slot_left(const struct engine *eng)
{
	const unsigned first = RTN_HOST_SLOTS * RT_LEVELS;

	for (uint32_t t = 0;
	     t < eng->lay.nthreads && t < eng->sh->nthreads_used; t++)
		if (eng->sh->owner[t] != 0 &&
		    (pid_t)eng->view.rt[first + t * RT_LEVELS]->pid == eng->pid)
			return true;
	return false;
}

void
exec_ended(struct engine *eng)
{
	bool asked = __atomic_load_n(&eng->exec_ns, __ATOMIC_ACQUIRE) >
		     clock_mono_ns();

	if (eng->follow_ns != 0 ||
	    (asked && !eng->gone && exec_slot_left(eng)))
		exec_say(eng, "which ended before it was traced");
}

void
exec_functions_gone(struct engine *eng)
{
	if (!eng->opts.execs_told)
		exec_say(eng, "whose functions are not traced");
}

/* ---- following ----------------------------------------------------------- */

/* The guardian of the old program has nothing to guard. */
static void
old_forget(struct engine *eng)
{
	if (eng->guard != NULL)
		guard_free(eng->guard);
	if (eng->journal != NULL)
		patch_journal_free(eng->journal);
	eng->guard = NULL;
	eng->journal = NULL;
	eng->patched = false;
	inject_through(&eng->in, NULL);
}

/* The memory of the new program, by the descriptor that we have. */
static int
mem_open(struct engine *eng, struct err *e)
{
	struct inject in;
	int rc;

	if (inject_check(eng->pid, false, e) != 0 ||
	    inject_open(&in, eng->pid, false, e) != 0)
		return -1;
	rc = dup3(in.mem, eng->in.mem, O_CLOEXEC);
	if (rc < 0)
		err_set(e, &ERR_GENERIC, errno,
			"process %d: cannot open its memory", (int)eng->pid);
	inject_close(&in);
	return rc < 0 ? -1 : 0;
}

static int
follow(struct engine *eng, struct err *e)
{
	old_forget(eng);
	if (mem_open(eng, e) != 0 || plan_follow(eng, e) != 0)
		return -1;
	if (eng->plan.windows.n == 0)
		return err_set(e, &ERR_GENERIC, 0,
			       "it has no system call that can be probed");
	return map_follow(eng, e) == 0 ? engine_enter(eng, true, e) : -1;
}

/* True if the new program has got the library that makes its system calls. */
static bool
world_ready(struct engine *eng)
{
	struct err why = { 0 };

	world_close(&eng->world);
	if (world_open(&eng->world, eng->pid, NULL, &why) != 0)
		return false;
	for (size_t i = 0; i < eng->world.objs.n; i++)
		if (world_obj_is_libc(eng->world.objs.v[i]))
			return true;
	return false;
}

/* follow(), which fails while the program is being loaded, or when it is
   replaced by the next one meanwhile. */
static int
follow_try(struct engine *eng, struct err *e)
{
	uint64_t file_len = eng->map.file_len;

	if (follow(eng, e) == 0)
		return 0;
	if (!eng->patched)
		eng->map.file_len = file_len; /* nothing has run there */
	return -1;
}

static void
exec_over(struct engine *eng, const struct err *why)
{
	if (err_is_set(why) && !engine_target_ended(eng)) {
		eng->left = arena_strdup(eng->arena, why->msg);
		exec_say(eng, "which cannot be traced there (-v says why)");
	}
	__atomic_store_n(&eng->follow_ns, 0, __ATOMIC_RELEASE);
}

void
exec_poll(struct engine *eng, uint64_t now)
{
	bool late = now >= eng->follow_ns + EXEC_NS;
	struct err why = { 0 };

	/* A set-uid program will not become ours by waiting. */
	if (inject_check(eng->pid, false, &why) != 0) {
		exec_over(eng, &why);
		return;
	}
	if (!world_ready(eng) && !late)
		return;
	if (follow_try(eng, &why) == 0) {
		eng->gone = false;
		eng->nfollowed++;
		eng->left = NULL;
		exec_say_late(eng);
	} else if (!late ||
		   follow_look(eng->pid, eng->in.mem) == FOLLOW_EXEC) {
		if (late) /* and has done the next exec */
			__atomic_store_n(&eng->follow_ns, now,
					 __ATOMIC_RELEASE);
		return;
	}
	exec_over(eng, &why);
}
