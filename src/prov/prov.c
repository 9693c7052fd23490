/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * prov.c - all providers, registered in the order of prov.def.  A provider is
 * a row there and a file prov_<name>.c; what is missing does not link.
 */
#include "prov/prov.h"

static const struct {
	const struct prov_ops *ops;
	int (*init)(struct prov *pv, struct err *e);
} provs[] = {
#define PROV(name) { &prov_##name##_ops, prov_##name##_init },
#include "prov/prov.def"
#undef PROV
};

int
prov_register_all(struct probe_set *ps, struct err *e)
{
	for (size_t i = 0; i < sizeof(provs) / sizeof(*provs); i++)
		if (probe_set_add_prov(ps, provs[i].ops, provs[i].init, e) != 0)
			return -1;
	return 0;
}
