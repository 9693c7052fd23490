/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * diff_native.c - a random trace as native code, in this very process.
 *
 * The clauses of the first probe become the handler of a function's entry; its
 * call is the firing.  Half of the traces meet a thread that is known already,
 * so that both ways into a firing are gone.
 */
#include "diff.h"

#include <time.h>

#include "engine/x86/test/x86_world.h"

/* Let the thread have its slot. */
static void
native_known(struct world *w)
{
	struct rt *(*enter)(struct rtn_shared *, uint64_t) =
		(struct rt *(*)(struct rtn_shared *, uint64_t))(
			uintptr_t)(w->t.blob + rtn_image.off[RTN_FN_enter]);
	uint64_t fs;
	struct rt *rt;

	__asm__("movq %%fs:0, %0" : "=r"(fs));
	rt = enter(w->sh, fs);
	rt->firings = rt->busy = 0;
}

/* Processors and C libraries differ. */
static void
native_vary(struct world *w, uint64_t seed)
{
	w->t.fs_self = seed % 3 != 0;
	if (seed % 5 == 0)
		w->sh->rseq_off = 0;
	if (seed % 7 == 0)
		w->sh->vdso_time = (uintptr_t)clock_gettime;
}

static int
native_run(struct diff_trace *t, struct diff_out *out, struct err *e)
{
	static const struct dif_recipes none;
	struct world *w = world_new(&t->en, DIFF_BUFSIZE, DIFF_AGGSIZE, e);
	struct x86_handler_in in = { .en = &t->en, .args = &none,
				     .at = X86_AT_ENTRY };
	struct x86_handler h;
	int rc = -1;

	while (in.necbs < t->en.necbs && t->ecbs[in.necbs].probe == 0)
		in.necbs++;
	w->sh->ctl.nspec = DIFF_NSPEC;
	world_sites(w);
	native_vary(w, t->seed);
	if (t->seed % 2 == 0)
		native_known(w);
	if (!err_is_set(e) && x86_lower(&w->b, &w->t, &in, &h, e) == 0) {
		world_function(w, &h, 0, false)(0, 0, 0, 0, 0, 0, 0);
		rc = diff_gather(t, &w->v, out, e);
	}
	world_free(w);
	return rc;
}

const struct diff_engine diff_engine = { "native", DIF_ENG_P, NULL,
					 native_run };
