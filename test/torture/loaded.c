/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* loaded.c - the library that loader.c opens. */
#include <stdint.h>

__attribute__((visibility("default"))) uint64_t loaded(uint64_t x);

__attribute__((noinline)) static uint64_t
inner(uint64_t x)
{
	return x % 2 == 0 ? x / 2 : x * 3 + 1;
}

uint64_t
loaded(uint64_t x)
{
	for (int i = 0; i < 20; i++)
		x = inner(x);
	return x;
}
