/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_follow.c - what is not seen of the processes that the target makes and the
 * programs that it executes: somebody who asks for them is to know it.  What he
 * asks for by name or by an option is reported at once (dtrace_not_seen()), all
 * with -v.
 *
 * Called for each instance, from dtrace_engines(): when tracing begins and at
 * its end.
 */
#include "lib/dt_impl.h"

#include <string.h>

/* The option's words. */
enum { FOLLOW_NONE, FOLLOW_FORK, FOLLOW_ALL };

/* ---- what the clauses are ------------------------------------------------ */

static bool
follow_has_kind(const struct dif_enabling *en, enum dif_site_kind kind)
{
	for (uint32_t i = 0; i < en->nprobes; i++)
		for (uint32_t k = 0; k < en->probes[i].nsites; k++)
			if (en->probes[i].sites[k].kind == kind)
				return true;
	return false;
}

/* True if anything fires there but BEGIN, END and ticks. */
static bool
follow_fires(const struct dif_enabling *en)
{
	for (uint32_t i = 0; i < en->nprobes; i++)
		for (uint32_t k = 0; k < en->probes[i].nsites; k++)
			if (dif_sites[en->probes[i].sites[k].kind].where !=
			    DIF_AT_TRACE)
				return true;
	return false;
}

static bool
obj_asks_prov(const struct dif_obj *o)
{
	for (uint32_t i = 0; o != NULL && i < o->ntext; i++)
		if (DIF_OP(o->text[i]) == DIF_OP_LDGS &&
		    DIF_IDX(o->text[i]) == DIF_VAR_probeprov)
			return true;
	return false;
}

static bool
stmt_asks_prov(const struct dif_stmt *s)
{
	for (uint32_t i = 0; i < s->nexprs; i++)
		if ((s->exprs[i].src == DIF_SRC_NAME &&
		     s->exprs[i].arg == DIF_VAR_probeprov) ||
		    obj_asks_prov(s->exprs[i].obj))
			return true;
	return false;
}

/* True if a clause of a process's code asks for probeprov. */
static bool
follow_asks_prov(const struct dif_enabling *en)
{
	for (uint32_t c = 0; c < en->nclauses; c++) {
		const struct dif_clause *cl = en->clauses[c];

		if (cl->pid == 0)
			continue;
		if (obj_asks_prov(cl->pred))
			return true;
		for (uint32_t i = 0; i < cl->nstmts; i++)
			if (stmt_asks_prov(&cl->stmts[i]))
				return true;
	}
	return false;
}

/* ---- the process engine -------------------------------------------------- */

static bool
clause_matched(const dtrace_hdl_t *dtp, const struct dif_clause *cl)
{
	for (uint32_t i = 0; i < dtp->necbs; i++)
		if (dtp->ecbs[i].clause == cl)
			return true;
	return false;
}

/* Descriptions that match nothing in the target (-Z); programs that it executes
   are not asked. */
static void
follow_unmatched(const dtrace_hdl_t *dtp, const struct dt_engine *de,
		 struct buf *out)
{
	const int pid = (int)de->target.pid;

	for (uint32_t c = 0; c < dtp->clauses.n; c++) {
		const struct dif_clause *cl = dtp->clauses.v[c];
		const struct dif_pdesc *d = &cl->pdesc;

		if (de->clause_of[c] == DT_NO_CLAUSE || cl->pid != pid ||
		    clause_matched(dtp, cl))
			continue;
		buf_printf(out,
			   "process %d: %s:%s:%s:%s matches nothing there; "
			   "what only programs that it executes have mapped "
			   "has no probes (-x follow=all)\n",
			   pid, d->prov, d->mod, d->func, d->name);
	}
}

/* True if a clause names that call's return, rather than match it. */
static bool
follow_names_return(const struct dif_enabling *en, const char *call)
{
	for (uint32_t c = 0; c < en->nclauses; c++) {
		const struct dif_pdesc *d = &en->clauses[c]->pdesc;

		if (strcmp(d->func, call) == 0 && strcmp(d->name, "return") == 0)
			return true;
	}
	return false;
}

/* After the call another program is there: none of our code runs where it comes
   back. */
static void
follow_returns(const struct dt_engine *de, struct buf *out)
{
	static const char *const execs[] = { "execve", "execveat" };

	for (size_t i = 0; i < sizeof(execs) / sizeof(*execs); i++)
		if (follow_names_return(&de->en, execs[i]))
			buf_printf(out,
				   "process %d: syscall::%s:return fires there "
				   "only where the call fails: after a success "
				   "another program runs (proc:::exec-success "
				   "reports it)\n",
				   (int)de->target.pid, execs[i]);
}

void
dt_follow_tell(const dtrace_hdl_t *dtp, const struct dt_engine *de,
	       struct buf *out)
{
	if (!dt_is_process(de) || de->target.pid == 0)
		return;
	if (dtp->opt[DT_OPT_follow] != FOLLOW_NONE &&
	    follow_has_kind(&de->en, DIF_SITE_PROFILE))
		buf_printf(out,
			   "process %d: profile probes sample it alone, and "
			   "none of the processes that it makes (-x follow); "
			   "-x engine=kernel and /progenyof($target)/ sample "
			   "all\n",
			   (int)de->target.pid);
	follow_returns(de, out);
}

static void
follow_process(const dtrace_hdl_t *dtp, const struct dt_engine *de,
	       struct buf *out)
{
	if (follow_asks_prov(&de->en))
		buf_printf(out,
			   "process %d: probeprov is that of it in the "
			   "processes that it makes, too (-x follow); pid is "
			   "theirs\n",
			   (int)de->target.pid);
	if (dtp->opt[DT_OPT_follow] == FOLLOW_ALL)
		follow_unmatched(dtp, de, out);
}

/* ---- another program in a command ---------------------------------------- */

/* The instance that has a clause on the process's code; NULL: there is none.
   Of several the process engine's, whose probes are all gone. */
static const struct dt_engine *
follow_coder(const dtrace_hdl_t *dtp, pid_t pid)
{
	const struct dt_engine *found = NULL;

	for (uint32_t i = 0; i < dtp->nengines; i++)
		for (uint32_t c = 0; c < dtp->clauses.n; c++)
			if (dtp->engines[i].clause_of[c] != DT_NO_CLAUSE &&
			    dtp->clauses.v[c]->pid == pid &&
			    (found == NULL || dt_is_process(&dtp->engines[i])))
				found = &dtp->engines[i];
	return found;
}

/* True if functions of files that it had mapped go on in the new program, as
   was asked for. */
static bool
follow_goes_on(const dtrace_hdl_t *dtp, const struct dt_engine *de)
{
	return dt_is_process(de) && dtp->opt[DT_OPT_follow] == FOLLOW_ALL;
}

/* What there is of functions in the new program. */
static const char *
follow_left(const struct dt_target *t, const struct dt_engine *de)
{
	if (dt_is_process(de))
		return t->ended ? "whose functions were not traced" :
				  "whose functions are not traced";
	return t->ended ? "where functions were traced only in files that "
			  "were mapped before, or after its first 0.1 s" :
			  "whose functions were not traced in its first 0.1 s";
}

bool
dt_follow_tells_execs(const dtrace_hdl_t *dtp, pid_t pid)
{
	const struct dt_engine *de = follow_coder(dtp, pid);

	return de != NULL && dt_proc_target(dtp, pid).held &&
	       !follow_goes_on(dtp, de);
}

bool
dt_follow_executed(const dtrace_hdl_t *dtp, struct dt_target *t,
		   struct buf *out)
{
	const pid_t pid = proc_pid(t->proc);
	const struct dt_engine *de =
		t->execs_told ? NULL : follow_coder(dtp, pid);
	const char *name = de != NULL && !follow_goes_on(dtp, de) ?
				   proc_executed(t->proc) : NULL;

	if (name == NULL)
		return false;
	t->execs_told = true;
	buf_printf(out,
		   "process %d has executed another program (%s), %s; -x "
		   "program=%s begins there",
		   (int)pid, name, follow_left(t, de), name);
	return true;
}

/* ---- the door ------------------------------------------------------------ */

void
dt_follow_report(const dtrace_hdl_t *dtp, const struct dt_engine *de,
		 struct buf *out)
{
	dt_follow_tell(dtp, de, out);
	if (dtp->opt[DT_OPT_follow] == FOLLOW_NONE)
		return;
	if (dt_is_process(de)) {
		if (de->target.pid != 0)
			follow_process(dtp, de, out);
	} else if (follow_fires(&de->en)) {
		buf_printf(out,
			   "-x follow is the process engine's: probes of the "
			   "kernel engine fire in all processes, those of a "
			   "process's code in that alone; "
			   "/progenyof($target)/ is for what the target "
			   "makes\n");
	}
}
