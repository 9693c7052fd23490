/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_place.c - each component of a trace to the engine that is to run it.
 *
 * Left to itself (-x engine=auto), placement goes by what a component's probes
 * are:
 *
 *   in a process alone           the process engine, which is much cheaper
 *   system calls, profile        the kernel engine, where they are the whole
 *                                system's; without privilege the process
 *                                engine, where they are the target's
 *   BEGIN, END, tick alone       the engine that runs anyway; without another
 *                                the kernel engine, or without privilege the
 *                                process engine, in the consumer itself: they
 *                                fire there, so nothing is put into a process
 *
 * and the other engine when the first cannot: as the rows of what it does tell,
 * or as turns out when it is loaded (dt_world.denied).  But what looks at the
 * whole system never becomes what looks at one process because the kernel has
 * refused a program.  Both engines never write into
 * the text of one process: a breakpoint of the one inside a patch of the other
 * would leave broken instructions.  So if any component must have its user
 * probes placed by the kernel, all of that process are.
 */
#include "lib/dt_place.h"

#include <string.h>

struct place_cx {
	struct arena *a;
	const struct dt_comps *comps;
	const struct dt_world *w;
	struct dt_placed *out; /* engine 0: not placed yet */
};

/* ---- who could ----------------------------------------------------------- */

static const char *
not_kernel(const struct place_cx *cx, const struct dt_comp *c)
{
	const uint32_t i = (uint32_t)(c - cx->comps->v);

	if (cx->w->force == DIF_ENG_P)
		return "not wanted (-x engine=process)";
	if ((c->engines & DIF_ENG_K) == 0)
		return arena_printf(cx->a, "has no %s", c->only_p);
	for (size_t d = 0; d < cx->w->ndenied; d++)
		if (cx->w->denied[d].pid == 0 &&
		    cx->comps->of[cx->w->denied[d].clause] == i)
			return cx->w->denied[d].why;
	return cx->w->no_kernel;
}

/* Why the process engine cannot have a process, or, rather, should not; of
   several the first that is so. */
static const char *
denied_why(const struct place_cx *cx, int32_t pid, bool rather)
{
	for (size_t i = 0; i < cx->w->ndenied; i++) {
		const struct dt_denied *d = &cx->w->denied[i];

		if (d->pid != 0 && d->rather == rather &&
		    (d->pid == pid || pid == DT_PID_SEVERAL))
			return d->why;
	}
	return NULL;
}

/*
 * True if it can run in each of several processes, as it were in each alone:
 * aggregations are merged, self-> variables are threads'.  BEGIN and ticks
 * would fire in each.
 */
static bool
place_splits(const struct dt_comp *c)
{
	return !c->shared && c->pid == 0 && (c->where & ~DT_AT_WIDE) == 0;
}

/* True if it can run in all of them with one set of variables.  Samples are
   taken of the first alone. */
static bool
place_joins(const struct dt_comp *c)
{
	return (c->where & DT_AT(CPUS)) == 0;
}

static const char *
not_target(const struct place_cx *cx, const struct dt_comp *c, int32_t pid)
{
	if (pid == 0)
		return "no process was given (-c or -p)";
	if (pid == DT_PID_SEVERAL && !place_splits(c) && !place_joins(c))
		return "takes samples of one process at a time, and these "
		       "clauses share variables of several";
	return denied_why(cx, pid, false);
}

/* Where a component's process probes, or all of it, would be: the process of
   its sites, else the trace's. */
static int32_t
place_pid(const struct place_cx *cx, const struct dt_comp *c)
{
	return c->pid != 0 ? c->pid : cx->w->target;
}

/* True if it looks at what happens all over the system, in all processes. */
static bool
place_wide(const struct dt_comp *c, int32_t pid)
{
	return (c->where & DT_AT_WIDE) != 0 &&
	       (pid <= 0 || c->bound != pid);
}

static const char *
not_process(const struct place_cx *cx, const struct dt_comp *c, int32_t pid)
{
	if (cx->w->force == DIF_ENG_K)
		return "not wanted (-x engine=kernel)";
	if (cx->w->no_process != NULL)
		return cx->w->no_process;
	if ((c->engines & DIF_ENG_P) == 0)
		return arena_printf(cx->a, "has no %s", c->only_k);
	if (c->tree && cx->w->no_tree)
		return "sees what becomes of processes where it follows them "
		       "(-x follow=all)";
	return not_target(cx, c, pid);
}

/* ---- errors -------------------------------------------------------------- */

/* The option that would have worked; or "". */
static const char *
place_cure(const struct place_cx *cx, const struct dt_comp *c)
{
	struct dt_world w = *cx->w;
	struct place_cx free_cx = *cx;

	if (w.force == 0)
		return "";
	w.force = 0;
	free_cx.w = &w;
	if (cx->w->force == DIF_ENG_P && not_kernel(&free_cx, c) == NULL)
		return " (-x engine=kernel can)";
	if (cx->w->force == DIF_ENG_K &&
	    not_process(&free_cx, c, place_pid(cx, c)) == NULL)
		return " (-x engine=process can)";
	return "";
}

/* True if the process engine has a place for it. */
static bool
place_served(const struct dif_probe *p)
{
	bool any = false;

	for (uint32_t i = 0; i < p->nsites; i++)
		any |= dif_site_for(&p->sites[i], DIF_ENG_P) &&
		       (dif_sites[p->sites[i].kind].engines & DIF_ENG_P) != 0;
	return any;
}

/* What says as much without privilege; or "". */
static const char *
place_instead(const struct dif_probe *p)
{
	if (strcmp(p->prov, "proc") == 0 && !place_served(p))
		return "; of a command and all that it runs (-c) proc:::start, "
		       "exec, exec-success, exec-failure and exit are had "
		       "without";
	return "";
}

/* How much of a provider's name stands before the process. */
static int
place_stem(const struct dif_probe *p)
{
	return (int)strcspn(p->prov, "*0123456789");
}

/* Probes of every process, which the kernel engine alone has: how those of one
   are had; or "". */
static const char *
place_of_one(const struct place_cx *cx, const struct dt_comp *c,
	     const struct dif_probe *p)
{
	const int32_t pid = place_pid(cx, c);

	if ((c->engines & DIF_ENG_P) != 0 || c->pid != 0 ||
	    (c->where & (DT_AT(USER) | DT_AT_WIDE)) != DT_AT(USER))
		return "";
	if (pid > 0 && c->bound == pid)
		return arena_printf(cx->a, "; process %d has none of these "
				    "probes", (int)pid);
	return arena_printf(cx->a,
			    "; of one process it has them: -p or -c, and "
			    "a predicate pid == $target in each clause, or "
			    "%.*s$target for %.*s*",
			    place_stem(p), p->prov, place_stem(p), p->prov);
}

static int
place_fail(const struct place_cx *cx, const struct dt_comp *c, const char *no_k,
	   const char *no_p, bool *priv, struct err *e)
{
	const struct dif_probe *p = c->probe_k != NULL ? c->probe_k :
				    c->probe_p != NULL ? c->probe_p : c->probe;

	*priv = no_k != NULL && no_k == cx->w->no_kernel;
	/* Nothing but privilege, or a process of one's own, is missing. */
	if (*priv && cx->w->force == 0 && c->only_k == NULL &&
	    place_pid(cx, c) == 0)
		return err_set(e, &ERR_GENERIC, 0,
			       "%s; compiling (-e, -S) and listing (-l) work "
			       "without, and so does tracing a process of "
			       "one's own (-c or -p)", no_k);
	if (p == NULL)
		return err_set(e, &ERR_GENERIC, 0,
			       "kernel engine: %s; process engine: %s%s", no_k,
			       no_p, place_cure(cx, c));
	return err_set(e, &ERR_GENERIC, 0,
		       "%s:%s:%s:%s: kernel engine: %s; process engine: "
		       "%s%s%s%s",
		       p->prov, p->mod, p->func, p->name, no_k, no_p,
		       place_cure(cx, c), *priv ? place_instead(p) : "",
		       cx->w->no_process == NULL && cx->w->force != DIF_ENG_K
			       ? place_of_one(cx, c, p)
			       : "");
}

/* ---- one component ------------------------------------------------------- */

static void
place_set(struct place_cx *cx, uint32_t i, unsigned engine, int32_t pid,
	  const char *why)
{
	if (pid == DT_PID_SEVERAL && !place_splits(&cx->comps->v[i]))
		pid = DT_PID_JOINED;
	cx->out[i] = (struct dt_placed){ .engine = engine, .why = why,
					 .pid = engine == DIF_ENG_P ? pid : 0 };
}

/* Why the kernel engine, for -v. */
static const char *
why_kernel(const struct place_cx *cx, const struct dt_comp *c, const char *no_p)
{
	if (cx->w->force == DIF_ENG_K)
		return "-x engine=kernel";
	if (c->bound > 0 && c->bound == place_pid(cx, c) &&
	    (no_p == NULL ||
	     ((c->where & DT_AT(USER)) != 0 && (c->where & DT_AT_WIDE) == 0)))
		return arena_printf(cx->a,
				    "its probes are %s, its predicates want "
				    "process %d alone: with -x engine=target "
				    "it runs there, and each probe costs a "
				    "tenth",
				    no_p == NULL ? "the whole system's" :
						   "every process's",
				    (int)c->bound);
	if (c->where & DT_AT_WIDE)
		return "its probes are the whole system's";
	return no_p != NULL ?
		       arena_printf(cx->a, "the process engine: %s", no_p) :
		       "nothing in it is one process's";
}

static const char *
why_process(const struct place_cx *cx, const struct dt_comp *c,
	    const char *no_k)
{
	if (cx->w->force == DIF_ENG_P)
		return "-x engine=process";
	if ((c->where & DT_AT(USER)) && !c->wide)
		return "the cheapest for probes in one process";
	if (cx->w->near && no_k == NULL && (c->where & DT_AT_WIDE) != 0)
		return "-x engine=target, and its predicates want this process "
		       "alone";
	return no_k != NULL ?
		       arena_printf(cx->a, "the kernel engine: %s", no_k) :
		       "it runs for other clauses";
}

static int
place_comp(struct place_cx *cx, uint32_t i, bool prefer_k, int32_t pid,
	   bool *priv, struct err *e)
{
	const struct dt_comp *c = &cx->comps->v[i];
	const char *no_k = not_kernel(cx, c);
	const char *no_p = not_process(cx, c, pid);

	if (no_k == NULL && no_p == NULL)
		no_p = denied_why(cx, pid, true);
	if (no_k != NULL && no_p != NULL)
		return place_fail(cx, c, no_k, no_p, priv, e);
	if (no_k == NULL && (prefer_k || no_p != NULL))
		place_set(cx, i, DIF_ENG_K, 0, why_kernel(cx, c, no_p));
	else
		place_set(cx, i, DIF_ENG_P, pid, why_process(cx, c, no_k));
	return 0;
}

/* ---- one process, one engine --------------------------------------------- */

/* True if these two write into the text of one process. */
static bool
place_clash(const struct place_cx *cx, uint32_t k, uint32_t p)
{
	const struct dt_comp *ck = &cx->comps->v[k], *cp = &cx->comps->v[p];

	if (cx->out[k].engine != DIF_ENG_K || cx->out[p].engine != DIF_ENG_P)
		return false;
	if (!(ck->where & DT_AT(USER)) ||
	    !(cp->where & (DT_AT(USER) | DT_AT(CALL))))
		return false;
	return ck->pid == DT_PID_SEVERAL || ck->pid == 0 ||
	       cx->out[p].pid < 0 ||
	       ck->pid == cx->out[p].pid;
}

static int
place_apart(struct place_cx *cx, bool *priv, struct err *e)
{
	const uint32_t n = cx->comps->n;
	bool moved;

	do {
		moved = false;
		for (uint32_t k = 0; k < n; k++)
			for (uint32_t p = 0; p < n; p++) {
				const struct dt_comp *c = &cx->comps->v[p];
				if (!place_clash(cx, k, p))
					continue;
				const char *no_k = not_kernel(cx, c);
				const char *no_p =
					"other clauses have probes in this "
					"process that need the kernel engine";
				if (no_k != NULL)
					return place_fail(cx, c, no_k, no_p,
							  priv, e);
				place_set(cx, p, DIF_ENG_K, 0,
					  why_kernel(cx, c, no_p));
				moved = true;
			}
	} while (moved);
	return 0;
}

/* ---- all ----------------------------------------------------------------- */

/* True if the component has probes that tie it to an engine; else it goes with
   the others. */
static bool
place_tied(const struct dt_comp *c)
{
	return (c->where & (DT_AT(USER) | DT_AT_WIDE)) != 0;
}

static int
place_rest(struct place_cx *cx, bool *priv, struct err *e)
{
	const uint32_t n = cx->comps->n;
	bool kernel = false;
	int32_t pid = 0;

	for (uint32_t i = 0; i < n; i++) {
		kernel |= cx->out[i].engine == DIF_ENG_K;
		if (pid == 0 && cx->out[i].engine == DIF_ENG_P)
			pid = cx->out[i].pid;
	}
	/* Nothing to go with: the kernel engine, which needs no target; else in
	   ourselves, where they change nothing. */
	kernel |= pid == 0;
	pid = pid != 0 ? pid : cx->w->target;
	if (pid == 0 || pid == DT_PID_SEVERAL)
		pid = cx->w->self;
	for (uint32_t i = 0; i < n; i++)
		if (cx->out[i].engine == 0 &&
		    place_comp(cx, i, kernel, pid, priv, e) != 0)
			return -1;
	return 0;
}

/* One process has one instance: where some are joined, all that is in them
   is. */
static void
place_join(struct place_cx *cx)
{
	bool joined = false;

	for (uint32_t i = 0; i < cx->comps->n; i++)
		joined |= cx->out[i].pid == DT_PID_JOINED;
	for (uint32_t i = 0; joined && i < cx->comps->n; i++)
		if (cx->out[i].engine == DIF_ENG_P &&
		    cx->out[i].pid != cx->w->self)
			cx->out[i].pid = DT_PID_JOINED;
}

int
dt_place(struct arena *a, const struct dt_comps *comps,
	 const struct dt_world *w, struct dt_placed *out, bool *priv,
	 struct err *e)
{
	struct place_cx cx = { .a = a, .comps = comps, .w = w, .out = out };

	*priv = false;
	for (uint32_t i = 0; i < comps->n; i++)
		out[i] = (struct dt_placed){ 0 };
	for (uint32_t i = 0; i < comps->n; i++) {
		const struct dt_comp *c = &comps->v[i];
		int32_t pid = place_pid(&cx, c);
		bool prefer_k = w->near ? place_wide(c, pid) : c->wide;
		if (place_tied(c) &&
		    place_comp(&cx, i, prefer_k, pid, priv, e) != 0)
			return -1;
	}
	if (place_apart(&cx, priv, e) != 0 || place_rest(&cx, priv, e) != 0)
		return -1;
	place_join(&cx);
	return 0;
}

enum dt_other
dt_place_other(struct arena *a, const struct dt_comp *c,
	       const struct dt_world *w)
{
	struct dt_world any = *w;
	const struct place_cx cx = { .a = a, .w = &any };
	int32_t pid;

	any.force = 0;
	pid = place_pid(&cx, c);
	if (!place_tied(c) && (pid == 0 || pid == DT_PID_SEVERAL))
		pid = w->self;
	if (w->force == DIF_ENG_P || not_process(&cx, c, pid) != NULL)
		return DT_OTHER_NOT;
	if (place_wide(c, pid))
		return DT_OTHER_ALONE;
	return w->force == 0 ? DT_OTHER_RUNS : DT_OTHER_ASKED;
}
