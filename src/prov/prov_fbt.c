/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * prov_fbt.c - entry and return of functions of the kernel, with the types of
 * their arguments.  All of it is fbt.c's.
 */
#include "prov/fbt.h"

int
prov_fbt_init(struct prov *pv, struct err *e)
{
	return fbt_init(pv, e);
}

const struct prov_ops prov_fbt_ops = {
	.name = "fbt",
	.attr = { .prov = "Evolving/Evolving/Common",
		  .mod = "Private/Private/Unknown",
		  .func = "Private/Private/ISA",
		  .name = "Evolving/Evolving/Common",
		  .args = "Private/Private/ISA" },
	.many = true,
	.modules = true,
	.provide = fbt_provide,
	.args = fbt_args,
	.sites = fbt_sites,
	.fini = fbt_fini,
};
