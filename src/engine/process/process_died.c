/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_died.c - the process has died of a signal.  Was it us?
 *
 * A jump over bytes at which somebody arrives, or a handler that goes wrong,
 * ends in one of few signals: those of the processor, and that of a system call
 * that a filter forbids.  Where the thread stood when it died nobody can
 * say afterwards.  What is known is in the shared memory, which stays: whether
 * a thread was in the clauses of a probe, and where there was one thread only
 * which probe it fired last.  So this says what is known, and leaves the
 * judgement to who can run the program without us.
 *
 * abort(3) is a program's own decision, mostly a failed assertion, and nobody's
 * fault.  But a library ends a program by it whose state makes no sense to it,
 * which may be our doing: so the report has it (-v), and no more.
 *
 * The memory was the process's to write: nothing in it is believed.
 */
#include "engine/process/process_impl.h"

#include <signal.h>
#include <string.h>

static bool
is_fault(int sig)
{
	return sig == SIGSEGV || sig == SIGBUS || sig == SIGILL ||
	       sig == SIGTRAP || sig == SIGFPE || sig == SIGSYS;
}

/* The slot of a thread of the process that is firing, or else of the only one
   that has fired; NULL: there is none. */
static const struct rt *
slot_last(struct engine *eng, pid_t pid, bool *busy)
{
	const struct rt_view *v = shared_view_now(eng);
	const struct rt *last = NULL;
	unsigned fired = 0;

	*busy = false;
	for (unsigned s = RTN_HOST_SLOTS * RT_LEVELS; s < v->nslots; s++) {
		const struct rt *rt = v->rt[s];

		if (engine_several(eng) && (pid_t)rt->pid != pid)
			continue;
		if (rt->busy != 0) {
			*busy = true;
			return rt;
		}
		if (rt->firings == 0 || s % RT_LEVELS != 0)
			continue;
		last = rt;
		fired++;
	}
	return fired == 1 ? last : NULL;
}

static void
print_probe(struct engine *eng, pid_t pid, struct buf *out)
{
	const struct dif_enabling *en = eng->en;
	const struct dif_probe *pr;
	const struct rt *rt;
	bool busy;

	if (eng->sh == NULL || eng->view.rt == NULL)
		return;
	rt = slot_last(eng, pid, &busy);
	if (rt == NULL || rt->probe >= en->nprobes)
		return;
	pr = &en->probes[rt->probe];
	if (rt->probe_id != pr->id)
		return; /* clauses that are quick do not note it */
	buf_printf(out, ", %s %s:%s:%s:%s",
		   busy ? "in the clauses of" : "the last that was noted",
		   pr->prov, pr->mod, pr->func, pr->name);
}

/* Whose code had the probes: the root's, or another target's; NULL:
   nobody's. */
static const struct engine *
died_of(const struct engine *eng, pid_t pid)
{
	if (eng->pid == pid)
		return eng;
	for (size_t i = 0; i < eng->members.n; i++)
		if (eng->members.v[i]->joined && eng->members.v[i]->pid == pid)
			return eng->members.v[i];
	return NULL;
}

/* True if its D sends signals. */
static bool
died_raises(const struct dif_enabling *en)
{
	for (uint32_t i = 0; i < en->nclauses; i++)
		for (uint32_t s = 0; s < en->clauses[i]->nstmts; s++)
			if (en->clauses[i]->stmts[s].kind == DIF_ACT_RAISE)
				return true;
	return false;
}

bool
process_died(struct engine *eng, int32_t pid, int sig, struct buf *out)
{
	const struct engine *of = died_of(eng, pid);
	uint32_t places = of != NULL ? plan_places(of) : 0;
	const char *name = sigabbrev_np(sig);

	if (of != NULL && (of->plan.sys_entry || of->plan.sys_return))
		places += of->plan.nsys - of->plan.nsys_refused;
	if (sig == SIGABRT && places != 0)
		eng->aborted = pid;
	if (!is_fault(sig) || places == 0)
		return false;
	buf_printf(out,
		   "process %d died of SIG%s while it had probes at %u "
		   "place%s of its code",
		   (int)pid, name != NULL ? name : "?", places,
		   places == 1 ? "" : "s");
	print_probe(eng, pid, out);
	buf_printf(out,
		   "; if %s has sent it that, or put a uprobe (bpftrace, "
		   "perf) on one of them, and it lives without them, that is "
		   "dtrace's fault",
		   died_raises(eng->en) ? "neither raise() nor anybody else" :
					  "nobody");
	return true;
}

void
died_report(const struct engine *eng, struct buf *out)
{
	if (eng->aborted != 0)
		buf_printf(out,
			   "process %d: ended by abort(3) while its code had "
			   "probes; if it does not without them, that is "
			   "dtrace's fault\n",
			   (int)eng->aborted);
}
