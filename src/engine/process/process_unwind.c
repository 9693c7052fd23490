/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_unwind.c - tables of the target's stacks (rt/rt_unwind.h), in the
 * shared part.
 *
 * They are made before probes are live, and again when the dynamic linker says
 * that objects came or went, or some times a second.  The list that native code
 * reads is not touched: the other one is written, and then becomes the present
 * one; so who walks meanwhile sees the old one, or, if two changes come within
 * one walk, a stack that ends early.
 *
 * The memory is reserved in whole and used as tables are made: what a process
 * has mapped, at 4 bytes a row.  Where memory is counted to the target and
 * short (map.touch) there are none.
 */
#include "engine/process/process_impl.h"

#include <stdlib.h>
#include <string.h>

#include "unwind/unwind.h"

#define LOOK_NS 100000000u

uint64_t
process_unwind_size(const struct engine *eng)
{
	bool any = false;

	for (uint32_t i = 0; i < eng->en->nclauses; i++)
		any |= dif_clause_walks(eng->en->clauses[i]);
	if (!any || eng->map.touch)
		return 0;
	return sizeof(struct rt_unw_area) + 4ull * UNWIND_POOL_WORDS;
}

struct rt_unw_area *
process_unwind_area(const struct engine *eng)
{
	return eng->lay.unw != 0 && eng->map.mem != NULL
		       ? (void *)(eng->map.mem + eng->lay.unw)
		       : NULL;
}

static bool
same_list(const struct rt_unw_area *a, const struct unwind_maps *m)
{
	uint32_t now = a->id & 1;

	return a->id != 0 && a->n[now] == m->n &&
	       memcmp(&a->python, &m->py, sizeof(m->py)) == 0 &&
	       memcmp(a->maps[now], m->v, m->n * sizeof(*m->v)) == 0;
}

static void
list_publish(struct rt_unw_area *a, const struct unwind_maps *m)
{
	uint32_t id = a->id % 0xffff + 1;

	/* 0xffff and 1 are both odd. */
	if ((id & 1) == (a->id & 1))
		id++;
	memcpy(a->maps[id & 1], m->v, m->n * sizeof(*m->v));
	a->n[id & 1] = (uint32_t)m->n;
	a->python = m->py;
	a->stack_lo = m->stack_lo;
	a->stack_hi = m->stack_hi;
	__atomic_store_n(&a->id, id, __ATOMIC_RELEASE);
}

void
process_unwind_look(struct engine *eng, bool anew)
{
	struct rt_unw_area *a = process_unwind_area(eng);
	uint64_t now = clock_mono_ns();
	struct unwind_maps m;

	if (a == NULL || (!anew && now < eng->next_unwind_ns))
		return;
	eng->next_unwind_ns = now + LOOK_NS;
	if (eng->unwind == NULL)
		eng->unwind = unwind_new(a->pool, UNWIND_POOL_WORDS);
	if (eng->unwind == NULL ||
	    unwind_maps(eng->unwind, proc_face(eng->pid), &m) != 0)
		return;
	if (!same_list(a, &m))
		list_publish(a, &m);
	unwind_maps_fini(&m);
}

const struct rt_py_area *
process_unwind_python(const struct engine *eng)
{
	const struct rt_unw_area *a = process_unwind_area(eng);

	return a != NULL ? &a->py : NULL;
}
