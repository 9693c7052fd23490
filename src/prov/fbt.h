/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* fbt.h - the hooks of struct prov_ops that fbt and rawfbt share: fbt.c. */
#ifndef PROV_FBT_H
#define PROV_FBT_H

#include "prov/prov.h"

int fbt_init(struct prov *pv, struct err *e);
int fbt_provide(struct prov *pv, const struct dif_pdesc *pd, struct err *e);
int fbt_args(struct prov *pv, const struct probe *p, struct probe_args *out,
	     struct err *e);
int fbt_sites(struct prov *pv, const struct probe *p, struct site_list *out,
	      struct err *e);
void fbt_fini(struct prov *pv);

#endif
