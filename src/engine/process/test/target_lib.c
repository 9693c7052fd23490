/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * target_lib.c - a library that the target of process_world.h opens and closes;
 * there are two of them.
 */
#include <stdint.h>

__attribute__((visibility("default"))) uint64_t target_lib_fn(uint64_t a);

/* a * 5 + 3, in no fewer bytes than a jump has. */
__attribute__((noinline)) uint64_t
target_lib_fn(uint64_t a)
{
	uint64_t sum = 3;

	for (int i = 0; i < 5; i++) {
		__asm__ volatile("" : "+r"(sum));
		sum += a;
	}
	return sum;
}
