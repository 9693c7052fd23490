/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * prov_rawtp.c - rawtp: the probes of sdt under the name by which other
 * programs know raw arguments of tracepoints.
 */
#include "prov/prov_sdt.h"

int
prov_rawtp_init(struct prov *pv, struct err *e)
{
	return sdt_init(pv, e);
}

const struct prov_ops prov_rawtp_ops = {
	.name = "rawtp",
	.attr = { .prov = "Evolving/Evolving/ISA",
		  .mod = "Private/Private/Unknown",
		  .func = "Private/Private/Unknown",
		  .name = "Private/Private/ISA",
		  .args = "Private/Private/ISA" },
	.many = true,
	.modules = true,
	.provide = sdt_provide,
	.args = sdt_args,
	.sites = sdt_sites,
	.fini = sdt_fini,
};
