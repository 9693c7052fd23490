/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fuzz_desc.c - any bytes as a probe description and as a name: parsed by each
 * number of fields, matched against itself and against the rest of the input.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "probe/probe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
describe(const char *text, const char *other)
{
	struct arena *a = arena_new();
	struct dif_pdesc pd;

	for (int spec = 0; spec < 4; spec++) {
		struct err e = { 0 };
		if (probe_parse_desc(a, text, spec, &pd, &e) != 0) {
			if (!err_is_set(&e))
				abort();
			continue;
		}
		if (strlen(pd.prov) + strlen(pd.mod) + strlen(pd.func) +
			    strlen(pd.name) >
		    strlen(text))
			abort();
		probe_desc_match(&pd, other, pd.mod, text, pd.name);
	}
	arena_free(a);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *other;

	if (text == NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	other = strlen(text) < size ? text + strlen(text) + 1 : text;
	probe_glob(text, other);
	probe_glob(other, text);
	/* Without special characters a pattern matches itself only. */
	if (!probe_is_glob(text) && text[0] != '\0' &&
	    probe_glob(text, other) != (strcmp(text, other) == 0))
		abort();
	describe(text, other);
	free(text);
	return 0;
}
