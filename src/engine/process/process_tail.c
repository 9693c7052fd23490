/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_tail.c - returns that are served at a tail call, a jump to another
 * function or to its own start, which then runs after the probe (decision 13).
 * Where the function is named, this is said once.  Patterns are only counted,
 * for -v.
 */
#include "engine/process/process_impl.h"

/* The places of a group where its function ends in a tail call. */
static uint32_t
tail_places(const struct plan *p, uint32_t group)
{
	uint32_t n = 0;

	for (size_t i = 0; i < p->points.n; i++) {
		const struct plan_point *pt = &p->points.v[i];

		n += pt->group == group && pt->window != PLAN_NONE &&
		     !pt->after && (pt->cookie & DIF_COOKIE_LEFT) != 0;
	}
	return n;
}

static bool
tail_return(const struct plan_group *g)
{
	return g->why == NULL && g->site != NULL &&
	       g->site->kind == DIF_SITE_URETURN;
}

const char *
tail_notice(struct engine *eng)
{
	const struct plan *p = &eng->plan;

	while (eng->tails_seen < p->groups.n) {
		const uint32_t i = eng->tails_seen++;
		const struct plan_group *g = &p->groups.v[i];
		uint32_t n;

		if (!tail_return(g) || !dif_probe_named(eng->en, g->probe) ||
		    (n = tail_places(p, i)) == 0)
			continue;
		return arena_printf(
			eng->arena,
			"%.200s ends in a tail call at %u place%s: its return "
			"probe fires there before what is called, so that "
			"times are too short%s",
			eng->en->probes[g->probe].func, n, BUF_S(n),
			eng->opts.kernel_may ?
				"; -x engine=kernel waits for the end, but "
				"for programs with exceptions" : "");
	}
	return NULL;
}

void
tail_report(const struct engine *eng, struct buf *out)
{
	uint32_t fns = 0;

	for (uint32_t i = 0; i < eng->plan.groups.n; i++)
		fns += tail_return(&eng->plan.groups.v[i]) &&
		       tail_places(&eng->plan, i) != 0;
	if (fns != 0)
		buf_printf(out,
			   "process %d: %u function%s with a return probe "
			   "before a tail call\n",
			   (int)eng->pid, fns, BUF_S(fns));
}
