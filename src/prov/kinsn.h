/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* kinsn.h - the hooks of struct prov_ops that instr and kinst share:
   kinsn.c. */
#ifndef PROV_KINSN_H
#define PROV_KINSN_H

#include "prov/prov.h"

int kinsn_init(struct prov *pv, struct err *e);
int kinsn_provide(struct prov *pv, const struct dif_pdesc *pd, struct err *e);
int kinsn_sites(struct prov *pv, const struct probe *p, struct site_list *out,
		struct err *e);
void kinsn_fini(struct prov *pv);

#endif
