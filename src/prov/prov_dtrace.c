/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * prov_dtrace.c - BEGIN, END and ERROR: the probes of the trace itself.
 * Module and function are empty; no engine needs anything from the system to
 * fire them.  ERROR's arguments (arg1 .. arg5) are made by the engine that
 * met the fault.  (Dynamic Tracing Guide, "dtrace Provider".)
 */
#include <string.h>

#include "prov/prov.h"

static const struct {
	const char *name;
	enum dif_site_kind site;
} dtrace_probes[] = {
	{ "BEGIN", DIF_SITE_BEGIN },
	{ "END", DIF_SITE_END },
	{ "ERROR", DIF_SITE_ERROR },
};

#define NPROBES (sizeof(dtrace_probes) / sizeof(*dtrace_probes))

static int
dtrace_provide(struct prov *pv, const struct dif_pdesc *pd, struct err *e)
{
	for (size_t i = 0; i < NPROBES; i++) {
		const char *name = dtrace_probes[i].name;
		struct probe *p;

		if (!probe_desc_match(pd, "dtrace", "", "", name))
			continue;
		p = probe_add(pv, "dtrace", "", "", name);
		if (p == NULL)
			return err_nomem(e);
		p->num = i;
	}
	return 0;
}

static int
dtrace_sites(struct prov *pv, const struct probe *p, struct site_list *out,
	     struct err *e)
{
	const struct dif_recipes none = { 0 };
	struct dif_site s = { .kind = dtrace_probes[p->num].site,
			      .args = probe_recipes(pv->set, &none) };

	return s.args != NULL ? site_add(out, &s, e) : err_nomem(e);
}

int
prov_dtrace_init(struct prov *pv, struct err *e)
{
	return 0;
}

const struct prov_ops prov_dtrace_ops = {
	.name = "dtrace",
	.attr = { .prov = "Stable/Stable/Common",
		  .mod = "Private/Private/Unknown",
		  .func = "Private/Private/Unknown",
		  .name = "Stable/Stable/Common",
		  .args = "Stable/Stable/Common" },
	.provide = dtrace_provide,
	.sites = dtrace_sites,
};
