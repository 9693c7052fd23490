/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * prov_uinstr.c - instructions of programs by their kind:
 *
 *	instr<PID>:object:function:KIND-OFFSET
 *	instr*:object:function:KIND-OFFSET	of every process
 *
 * They are the pid provider's offsets by other names; all of it is
 * prov_pid.c's. (Without a number it is the kernel's: prov_instr.c.)
 */
#include "prov/instr.h"
#include "prov/pid_fn.h"
#include "prov/prov.h"

int
prov_uinstr_init(struct prov *pv, struct err *e)
{
	return pid_init(pv, e);
}

const struct prov_ops prov_uinstr_ops = {
	.name = "instr",
	.attr = { .prov = "Evolving/Evolving/ISA",
		  .mod = "Private/Private/Unknown",
		  .func = "Private/Private/Unknown",
		  .name = "Private/Private/ISA",
		  .args = "Private/Private/Unknown" },
	.provide = pid_provide,
	.sites = pid_sites,
	.fini = pid_fini,
	.canon = pid_canon,
	.pid = pid_of,
	.every = pid_every,
	.file = pid_file,
};
