/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * prov_instr.c - instructions of the kernel by their kind:
 *
 *	instr:module:function:KIND-OFFSET	the offset in hexadecimal
 *
 * All of it is kinsn.c's.
 */
#include "prov/kinsn.h"

int
prov_instr_init(struct prov *pv, struct err *e)
{
	return kinsn_init(pv, e);
}

const struct prov_ops prov_instr_ops = {
	.name = "instr",
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
