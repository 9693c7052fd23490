/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * diff_kernel.c - a random trace in the kernel engine.
 */
#include "diff.h"

#include "rt/engine.h"

static int
kernel_run(struct diff_trace *t, struct diff_out *out, struct err *e)
{
	static const struct engine_opts opts = {
		.bufsize = DIFF_BUFSIZE,
		.aggsize = DIFF_AGGSIZE,
		.dynvarsize = 4u << 20,
		.only_cpu = -1,
	};
	const struct engine_ops *ops = &bpf_engine_ops;
	struct engine *eng = ops->load(&t->en, &opts, e);
	int rc = -1;

	if (eng == NULL)
		return -1;
	ops->view(eng)->ctl->nspec = DIFF_NSPEC;
	if (ops->attach(eng, e) == 0 && ops->begin(eng, e) == 0 &&
	    ops->stop(eng, e) == 0)
		rc = diff_gather(t, ops->view(eng), out, e);
	ops->free(eng);
	return rc;
}

const struct diff_engine diff_engine = { "kernel", DIF_ENG_IK, "bpf",
					 kernel_run };
