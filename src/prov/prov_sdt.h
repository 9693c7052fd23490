/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* prov_sdt.h - what the providers sdt and rawtp share (prov_sdt.c). */
#ifndef PROV_PROV_SDT_H
#define PROV_PROV_SDT_H

#include "prov/prov.h"

/* The hooks of struct prov_ops; probes are the provider's that pv->ops
   names. */
int sdt_init(struct prov *pv, struct err *e);
int sdt_provide(struct prov *pv, const struct dif_pdesc *pd, struct err *e);
int sdt_args(struct prov *pv, const struct probe *p, struct probe_args *out,
	     struct err *e);
int sdt_sites(struct prov *pv, const struct probe *p, struct site_list *out,
	      struct err *e);
void sdt_fini(struct prov *pv);

#endif
