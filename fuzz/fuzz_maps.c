/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fuzz_maps.c - any bytes as the text of /proc/PID/maps: what is found there
 * lies in the text, and the files' names end in it.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proc/proc_impl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
within(const char *text, size_t size, const char *p, size_t n)
{
	return p >= text && n <= size - (size_t)(p - text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	mruns runs = { 0 };

	if (text == NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (proc_maps_parse(text, &runs))
		for (size_t i = 0; i < runs.n; i++) {
			const struct mrun *r = &runs.v[i];
			if (!within(text, size, r->path, strlen(r->path)) ||
			    !within(text, size, r->dev, r->devlen) ||
			    r->path[0] == '\0')
				abort();
		}
	vec_fini(&runs);
	free(text);
	return 0;
}
