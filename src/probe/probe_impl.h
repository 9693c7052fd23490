/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * probe_impl.h - inside the room of probes: how the set keeps names.
 *
 * Every string of a name is interned, and an interned string knows the probes
 * that have it in each of the four fields:
 *
 *   "read" ──▶ by[FUNC]: 12 13 4711 ...    in order of id
 *          ──▶ by[NAME]: 90
 *
 * A description with an exact field is then a walk over the shortest such
 * list; equality of strings is equality of pointers.
 */
#ifndef PROBE_PROBE_IMPL_H
#define PROBE_PROBE_IMPL_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "probe/probe.h"

enum probe_field {
	PROBE_PROV,
	PROBE_MOD,
	PROBE_FUNC,
	PROBE_NAME,
	PROBE_NFIELD
};

/* Ids in order.  Most functions have one or two probes, and need no memory of
   their own for the list. */
#define PROBE_FEW 2
struct probe_ids {
	union {
		uint32_t few[PROBE_FEW];
		uint32_t *many; /* cap of them; on the heap */
	};
	uint32_t n, cap; /* cap 0: few */
};
static inline uint32_t *
probe_ids_v(struct probe_ids *l)
{
	return l->cap == 0 ? l->few : l->many;
}

/* An interned string; the text is what struct probe points to. */
struct probe_name {
	struct probe_ids by[PROBE_NFIELD];
	struct probe_name *plain; /* without control characters; it itself */
	char text[];
};

#define PROBE_LATELY 8 /* a power of two */

struct probe_set {
	struct arena *arena; /* strings, probes, providers, recipes */
	const struct prov_env *env;
	struct hash *names;   /* text -> struct probe_name */
	struct hash *recipes; /* content -> what sites share */
	VEC(struct prov *) provs;
	VEC(struct probe *) probes;         /* [id - 1] */
	VEC(struct probe_ids *) long_lists; /* those with memory to free */
	/* Names that were asked for lately, by where their text was: probes
	   come by the thousand with the same provider, module and name. */
	struct probe_name *lately[PROBE_LATELY];
	/* Open-addressed table of ids by (prov, mod, func, name). */
	uint32_t *tuples;
	size_t mask; /* slots - 1; tuples NULL: none yet */
	uint32_t round;
	uint64_t asks;
};

/* The interned string, or NULL if there is none. */
struct probe_name *probe_name_find(struct probe_set *ps, const char *s);

/* probe_site.c: these bytes, kept once for as long as the set; NULL: no
   memory. */
const void *probe_keep(struct probe_set *ps, const void *key, size_t len);

#endif
