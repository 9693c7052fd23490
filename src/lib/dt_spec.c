/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_spec.c - speculations, as the consumer knows them: the records that are
 * held back until their speculation is committed or discarded (rt.h says how
 * probes mark records and end speculations).
 *
 * specsize bounds what is held of one speculation and one CPU: it is what a
 * speculative buffer was.  A traced process can write what probes share with
 * us: neither a number nor a CPU in a record is believed.
 */
#include "lib/dt_impl.h"

#include <stdlib.h>
#include <string.h>

struct dt_spec {
	struct dt_held *first, **last; /* last NULL: none are held */
	VEC(uint64_t) bytes;	       /* by CPU */
};

static unsigned
spec_count(const dtrace_hdl_t *dtp)
{
	int64_t n = dtp->opt[DT_OPT_nspec];

	return n > RT_NSPEC_MAX ? RT_NSPEC_MAX : (unsigned)n;
}

int
dt_specs_init(dtrace_hdl_t *dtp, struct dt_engine *de)
{
	de->specs = calloc(RT_NSPEC_MAX, sizeof(*de->specs));
	if (de->specs == NULL)
		return err_nomem(&dtp->err);
	dt_view(de)->ctl->nspec = spec_count(dtp);
	return 0;
}

void
dt_specs_free(struct dt_engine *de)
{
	for (unsigned i = 0; de->specs != NULL && i < RT_NSPEC_MAX; i++) {
		struct dt_spec *s = &de->specs[i];
		while (s->first != NULL) {
			struct dt_held *h = s->first;
			s->first = h->next;
			free(h);
		}
		vec_fini(&s->bytes);
	}
	free(de->specs);
	de->specs = NULL;
	vec_fini(&de->ended);
}

bool
dt_specs_wanted(const struct dif_enabling *en)
{
	for (uint32_t c = 0; c < en->nclauses; c++)
		for (uint32_t s = 0; s < en->clauses[c]->nstmts; s++)
			if (DIF_ACT_IS_SPEC(en->clauses[c]->stmts[s].kind))
				return true;
	return false;
}

/* ---- holding ------------------------------------------------------------ */

/* Take room for so many bytes more of that CPU; *room: there was enough.  -1
   without memory. */
static int
spec_room(dtrace_hdl_t *dtp, struct dt_spec *s, unsigned cpu, uint32_t size,
	  bool *room)
{
	while (s->bytes.n <= cpu)
		if (!vec_push(&s->bytes, 0))
			return dt_nomem(dtp);
	*room = s->bytes.v[cpu] + size <= (uint64_t)dtp->opt[DT_OPT_specsize];
	if (*room)
		s->bytes.v[cpu] += size;
	return 0;
}

int
dt_spec_hold(dtrace_hdl_t *dtp, const struct dt_engine *de, unsigned slot,
	     const struct rt_rec *rec, uint32_t size)
{
	const struct rt_view *v = dt_view(de);
	struct dt_spec *s = &de->specs[(rec->spec - 1u) % RT_NSPEC_MAX];
	unsigned cpu = v->thread_slots ? rec->cpu : slot / RT_LEVELS;
	bool room = false;

	if (spec_room(dtp, s, cpu % RT_NCPUS_MAX, size, &room) != 0)
		return -1;
	if (!room) {
		v->rt[slot]->drops[RT_DROP_SPEC]++; /* no probe counts these */
		return 0;
	}
	struct dt_held *h = malloc(offsetof(struct dt_held, rec) + size);
	if (h == NULL)
		return dt_nomem(dtp);
	h->next = NULL;
	h->slot = slot;
	h->size = size;
	memcpy(&h->rec, rec, size);
	*(s->last != NULL ? s->last : &s->first) = h;
	s->last = &h->next;
	return 0;
}

/* ---- ends --------------------------------------------------------------- */

static uint32_t
spec_state(const struct rt_view *v, unsigned i)
{
	return __atomic_load_n(&v->ctl->spec[i].state, __ATOMIC_ACQUIRE);
}

static bool
state_ended(uint32_t state)
{
	return state == RT_SPEC_COMMITTED || state == RT_SPEC_DISCARDED;
}

bool
dt_spec_ended(const dtrace_hdl_t *dtp)
{
	for (uint32_t e = 0; e < dtp->nengines; e++) {
		const struct rt_view *v = dt_view(&dtp->engines[e]);
		for (unsigned i = 0; i < spec_count(dtp); i++)
			if (state_ended(spec_state(v, i)))
				return true;
	}
	return false;
}

static int
end_order(const void *a, const void *b)
{
	const struct dt_spec_end *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* Speculation i, if it has ended. */
static bool
spec_end(const struct dt_engine *de, unsigned i, struct dt_spec_end *end)
{
	const struct rt_view *v = dt_view(de);
	const struct rt_spec *s = &v->ctl->spec[i];
	uint32_t state = spec_state(v, i);

	if (!state_ended(state))
		return false;
	*end = (struct dt_spec_end){ .de = de, .spec = i + 1, .time = s->time,
				     .commit = state == RT_SPEC_COMMITTED };
	if (s->raw != 0 && v->ns != NULL)
		end->time = v->ns(v->ns_arg, end->time);
	return true;
}

int
dt_spec_note(dtrace_hdl_t *dtp)
{
	for (uint32_t e = 0; e < dtp->nengines; e++) {
		struct dt_engine *de = &dtp->engines[e];
		struct rt_ctl *ctl = dt_view(de)->ctl;
		struct dt_spec_end end;
		for (unsigned i = 0; i < spec_count(dtp); i++) {
			if (!spec_end(de, i, &end))
				continue;
			if (!vec_push(&de->ended, end))
				return dt_nomem(dtp);
			__atomic_store_n(&ctl->spec[i].state, RT_SPEC_INACTIVE,
					 __ATOMIC_RELEASE);
		}
	}
	return 0;
}

int
dt_spec_ends(dtrace_hdl_t *dtp, uint64_t limit, struct dt_spec_end **ends,
	     size_t *n)
{
	VEC(struct dt_spec_end) found = { 0 };
	bool ok = true;

	for (uint32_t e = 0; e < dtp->nengines; e++) {
		struct dt_engine *de = &dtp->engines[e];
		struct dt_spec_end end;
		for (size_t i = 0; i < de->ended.n; i++)
			ok = ok && vec_push(&found, de->ended.v[i]);
		de->ended.n = 0;
		for (unsigned i = 0; i < spec_count(dtp); i++)
			if (spec_end(de, i, &end) && end.time <= limit)
				ok = ok && vec_push(&found, end);
	}
	if (!ok) {
		vec_fini(&found);
		return dt_nomem(dtp);
	}
	if (found.n > 1)
		qsort(found.v, found.n, sizeof(*found.v), end_order);
	*ends = found.v;
	*n = found.n;
	return 0;
}

struct dt_held *
dt_spec_take(const struct dt_spec_end *end)
{
	struct dt_spec *s = &end->de->specs[end->spec - 1];
	struct rt_spec *shared = &dt_view(end->de)->ctl->spec[end->spec - 1];
	struct dt_held *first = s->first;

	s->first = NULL;
	s->last = NULL;
	s->bytes.n = 0;
	__atomic_store_n(&shared->state, RT_SPEC_INACTIVE, __ATOMIC_RELEASE);
	return first;
}
