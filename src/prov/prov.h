/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* prov.h - the door of the providers' room: all of them, registered. */
#ifndef PROV_PROV_H
#define PROV_PROV_H

#include "probe/probe.h"

#define PROV(name)                                \
	extern const struct prov_ops prov_##name##_ops; \
	int prov_##name##_init(struct prov *pv, struct err *e);
#include "prov/prov.def"
#undef PROV

/* Register every provider of prov.def. 0 / -1. */
int prov_register_all(struct probe_set *ps, struct err *e);

/* For a message: why a name that begins as those of the profile provider do is
   none of its probes'; NULL if it begins as no such name, or is one. */
const char *prov_profile_why_not(const char *name);

#endif
