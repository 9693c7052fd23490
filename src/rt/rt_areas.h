/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_areas.h - the two sizes that a slot's areas have in the kernel (rt.h),
 * with where they lie, and the bodies that were compiled for them (rt_bpf.c).
 *
 *   key       key + str bytes, at offsetof(struct rt, key)
 *   locals    locals + str, at off_locals
 *   scratch   scratch + str, at off_scratch
 *   and what generated code does not touch; size bytes in all
 */
#ifndef RT_RT_AREAS_H
#define RT_RT_AREAS_H

#include <stddef.h>

#include "rt/rt.h"

struct rt_areas {
	uint32_t str, key, locals, scratch; /* the most, in bytes */
	uint32_t off_locals, off_scratch, size;
	const unsigned char *obj; /* an ELF relocatable, embedded in us */
	const size_t *obj_len;
};

/* The smallest that has room for these; NULL: none has. */
const struct rt_areas *rt_areas_for(uint32_t str, uint32_t key, uint32_t locals,
				    uint32_t scratch);

#endif
