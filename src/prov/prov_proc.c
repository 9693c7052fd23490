/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * prov_proc.c - processes, threads and signals: the tables of proc.def, on the
 * machinery of tp_table.c.
 *
 * The Dynamic Tracing Guide's chapter "proc Provider" says what each probe
 * means; decision 0023 where Linux tells it, and where the two differ.
 */
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>

#include "prov/prov.h"
#include "prov/tp_table.h"

/* The kernel's word for a signal that nobody wants (trace/events/signal.h). */
#define SIGNAL_IGNORED 1

/* Of the machine's faults, as proc(4) of Solaris numbers them. */
enum proc_fault {
	FLTILL = 1,
	FLTBPT = 3,
	FLTTRACE = 4,
	FLTACCESS = 5,
	FLTBOUNDS = 6,
	FLTIOVF = 7,
	FLTIZDIV = 8,
	FLTFPE = 9,
	FLTWATCH = 12
};

enum proc_probe {
#define PROBE(id, func, name, ...) PROC_##id,
#define SITE(id, at, args, when)
#include "prov/proc.def"
#undef PROBE
#undef SITE
	PROC_N
};

static const struct tp_probe proc_probes[PROC_N] = {
#define PROBE(id, f, n, ...) [PROC_##id] = { f, n, { __VA_ARGS__ } },
#define SITE(id, at, args, when)
#include "prov/proc.def"
#undef PROBE
#undef SITE
};

static const struct tp_site proc_sites[] = {
#define PROBE(id, func, name, ...)
#define SITE(id, at, args, when) { .probe = PROC_##id, at, args, when },
#include "prov/proc.def"
#undef PROBE
#undef SITE
};

static const struct tp_table proc_table = {
	.prov = "proc",
	.probes = proc_probes,
	.nprobes = PROC_N,
	.sites = proc_sites,
	.nsites = sizeof(proc_sites) / sizeof(*proc_sites),
};

int
prov_proc_init(struct prov *pv, struct err *e)
{
	pv->data = (void *)(uintptr_t)&proc_table;
	return 0;
}

const struct prov_ops prov_proc_ops = {
	.name = "proc",
	.attr = { .prov = "Evolving/Evolving/ISA",
		  .mod = "Private/Private/Unknown",
		  .func = "Private/Private/Unknown",
		  .name = "Evolving/Evolving/ISA",
		  .args = "Evolving/Evolving/ISA" },
	.provide = tp_table_provide,
	.args = tp_table_args,
	.sites = tp_table_sites,
};
