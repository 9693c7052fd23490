/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * probe_exact.h - for tests: the probe of four names.
 */
#pragma once
#include "probe/probe.h"

static inline int
probe_exact_take(void *arg, struct probe *p)
{
	*(struct probe **)arg = p;
	return 0;
}

/* The one probe of those names, or NULL. */
static inline struct probe *
probe_exact(struct probe_set *ps, const char *prov, const char *mod,
	    const char *func, const char *name)
{
	const struct dif_pdesc pd = { .prov = prov, .mod = mod, .func = func,
				      .name = name };
	struct probe *p = NULL;
	struct err e = { 0 };

	assert_in_range(probe_match(ps, &pd, probe_exact_take, &p, &e), 0, 1);
	return p;
}
