/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * prov_kinst.c - instructions of the kernel by their offset:
 *
 *	kinst:module:function:OFFSET		in decimal
 *
 * All of it is kinsn.c's.
 */
#include "prov/kinsn.h"

int
prov_kinst_init(struct prov *pv, struct err *e)
{
	return kinsn_init(pv, e);
}

const struct prov_ops prov_kinst_ops = {
	.name = "kinst",
	.attr = { .prov = "Evolving/Evolving/ISA",
		  .mod = "Private/Private/Unknown",
		  .func = "Private/Private/ISA",
		  .name = "Private/Private/ISA",
		  .args = "Private/Private/Unknown" },
	.many = true,
	.provide = kinsn_provide,
	.sites = kinsn_sites,
	.fini = kinsn_fini,
};
