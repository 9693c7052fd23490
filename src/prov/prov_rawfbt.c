/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * prov_rawfbt.c - the probes of fbt, whose arguments are plain numbers, also
 * where the kernel's types cannot say what they are.  All of it is fbt.c's.
 */
#include "prov/fbt.h"

int
prov_rawfbt_init(struct prov *pv, struct err *e)
{
	return fbt_init(pv, e);
}

const struct prov_ops prov_rawfbt_ops = {
	.name = "rawfbt",
	.attr = { .prov = "Evolving/Evolving/Common",
		  .mod = "Private/Private/Unknown",
		  .func = "Private/Private/ISA",
		  .name = "Evolving/Evolving/Common",
		  .args = "Private/Private/ISA" },
	.many = true,
	.modules = true,
	.provide = fbt_provide,
	.sites = fbt_sites,
	.fini = fbt_fini,
};
