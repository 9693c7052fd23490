/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dif_left.c - what becomes of a probe that has no place: what the kernel, or a
 * process, does not have is left out of a pattern that has matched it, unless
 * nothing of the pattern is left.  Whoever asks for places (the library) and
 * whoever finds them (the engines) know it from here.
 */
#include "dif/dif.h"

bool
dif_probe_named(const struct dif_enabling *en, uint32_t probe)
{
	uint32_t end;

	for (uint32_t i = dif_probe_ecbs(en, probe, &end); i < end; i++)
		if (dif_clause_names(en->clauses[en->ecbs[i].clause]))
			return true;
	return false;
}

uint32_t
dif_not_left_out(const struct dif_enabling *en, const uint8_t *placed,
		 uint8_t *served)
{
	for (uint32_t i = 0; i < en->necbs; i++)
		if (placed[en->ecbs[i].probe] == DIF_PLACED)
			served[en->ecbs[i].clause] = 1;
	for (uint32_t i = 0; i < en->necbs; i++) {
		uint32_t c = en->ecbs[i].clause;
		if (placed[en->ecbs[i].probe] == DIF_PLACE_REFUSED &&
		    (dif_clause_names(en->clauses[c]) ||
		     (served[c] == 0 && !en->clauses[c]->maker)))
			return en->ecbs[i].probe;
	}
	return UINT32_MAX;
}
