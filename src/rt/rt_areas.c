/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_areas.c - what rt_areas.h says, computed: this file is compiled for the
 * host, whose struct rt is the large one, and rt_bpf.c asserts the small one's
 * size.
 */
#include "rt/rt_areas.h"

#include "rt/rt_bpf_obj.h"

#define AREAS(which, code)                                             \
	{                                                              \
		.str = RT_STR_##which, .key = RT_KEY_##which,          \
		.locals = RT_LOCALS_##which,                           \
		.scratch = RT_SCRATCH_##which,                         \
		.off_locals = RT_AT_LOCALS(which),                     \
		.off_scratch = RT_AT_SCRATCH(which),                   \
		.size = RT_SIZE(which), .obj = code, .obj_len = &code##_len, \
	}

_Static_assert(RT_AT_LOCALS(LARGE) == offsetof(struct rt, locals) &&
		       RT_AT_SCRATCH(LARGE) ==
			       offsetof(struct rt, scratch_mem) &&
		       RT_SIZE(LARGE) == sizeof(struct rt),
	       "the areas follow one another");

const struct rt_areas *
rt_areas_for(uint32_t str, uint32_t key, uint32_t locals, uint32_t scratch)
{
	static const struct rt_areas both[] = {
		AREAS(SMALL, rt_bpf_obj),
		AREAS(LARGE, rt_bpf_large),
	};

	for (size_t i = 0; i < sizeof(both) / sizeof(both[0]); i++)
		if (str <= both[i].str && key <= both[i].key &&
		    locals <= both[i].locals && scratch <= both[i].scratch)
			return &both[i];
	return NULL;
}
