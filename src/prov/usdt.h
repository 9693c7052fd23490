/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * usdt.h - inside the provider of static probes: what a probe points to.
 *
 *	probe python1234:libpython3.so:_PyEval_EvalFrameDefault:function-entry
 *	  ──▶ usdt_probe ──▶ usdt_place (object, note) ──▶ usdt_place ...
 *
 * A compiler may have inlined a probe into one function several times, and a
 * process may have several objects of one name, so a probe has a list of
 * places.
 */
#ifndef PROV_USDT_H
#define PROV_USDT_H

#include "base/arena.h"
#include "base/hash.h"
#include "probe/probe.h"
#include "proc/proc.h"
#include "prov/usdt_arg.h"

struct usdt_place {
	struct usdt_place *next;
	struct proc *proc;     /* NULL: every process that maps the file */
	struct proc_obj *obj;  /* the object in it, or in one that maps it */
	const char *path;      /* that can be opened; as long as the set */
	struct elf_file *elf;
	const struct elf_probe *note;
	const struct elf_sym *fn; /* that the place is in; NULL: not known */
};

/* probe.data */
struct usdt_probe {
	struct usdt_place *places;
	const struct elf_probe_decl *decl; /* NULL: nothing but the notes */
};

/* prov.data */
struct usdt_data {
	struct arena *arena;
	struct hash *served; /* description -> when, in ms; see desc_served() */
};

/* usdt_site.c: hooks of the provider. */
int usdt_args_types(struct prov *pv, const struct probe *p,
		    struct probe_args *out, struct err *e);
int usdt_sites(struct prov *pv, const struct probe *p, struct site_list *out,
	       struct err *e);
/* The stability that a declaration states, kept as long as the set; NULL: it
   states none, or there is no memory. */
const struct prov_attr *usdt_attr(struct prov *pv,
				  const struct elf_probe_decl *decl);

#endif
