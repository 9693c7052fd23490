/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fuzz_filter.c - any bytes as a seccomp filter; what spares a call of which
 * nothing is known spares it whatever its arguments are.
 */
#include <linux/filter.h>
#include <stdlib.h>
#include <string.h>

#include "engine/process/filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct filter_call c = { 0 };
	struct sock_filter *v;
	size_t n;

	if (size < sizeof(c.arg))
		return 0;
	memcpy(c.arg, data, sizeof(c.arg));
	c.nr = data[0];
	n = (size - sizeof(c.arg)) / sizeof(*v);
	v = malloc(n * sizeof(*v) + 1);
	if (v == NULL)
		return 0;
	memcpy(v, data + sizeof(c.arg), n * sizeof(*v));
	if (filter_spares(v, n, &c)) {
		c.known = 0x3f;
		if (!filter_spares(v, n, &c))
			abort();
	}
	free(v);
	return 0;
}
