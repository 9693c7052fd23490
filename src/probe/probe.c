/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * probe.c - the set of probes: who provides them, what they are called.
 *
 * Probes are only added, so ids and pointers stay good as long as the set.
 * A system has some hundred thousand of them when all are listed; adding one
 * costs a few table entries, finding one by its four names costs one look-up.
 */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "probe/probe_impl.h"

struct probe_set *
probe_set_new(const struct prov_env *env, struct err *e)
{
	struct probe_set *ps = calloc(1, sizeof(*ps));

	if (ps == NULL) {
		err_nomem(e);
		return NULL;
	}
	ps->arena = arena_new();
	ps->names = hash_new();
	ps->recipes = hash_new();
	ps->env = env;
	if (ps->arena == NULL || ps->names == NULL || ps->recipes == NULL) {
		probe_set_free(ps);
		err_nomem(e);
		return NULL;
	}
	return ps;
}

void
probe_set_free(struct probe_set *ps)
{
	if (ps == NULL)
		return;
	for (size_t i = ps->provs.n; i-- > 0;)
		if (ps->provs.v[i]->ops->fini != NULL)
			ps->provs.v[i]->ops->fini(ps->provs.v[i]);
	for (size_t i = 0; i < ps->long_lists.n; i++)
		free(ps->long_lists.v[i]->many);
	vec_fini(&ps->long_lists);
	vec_fini(&ps->provs);
	vec_fini(&ps->probes);
	free(ps->tuples);
	hash_free(ps->names);
	hash_free(ps->recipes);
	arena_free(ps->arena);
	free(ps);
}

int
probe_set_add_prov(struct probe_set *ps, const struct prov_ops *ops,
		   int (*init)(struct prov *, struct err *), struct err *e)
{
	struct prov *pv = arena_alloc(ps->arena, sizeof(*pv));

	if (pv == NULL)
		return err_nomem(e);
	pv->ops = ops;
	pv->set = ps;
	pv->env = ps->env;
	if (init != NULL && init(pv, e) != 0)
		return -1;
	if (!vec_push(&ps->provs, pv)) {
		if (ops->fini != NULL)
			ops->fini(pv);
		return err_nomem(e);
	}
	return 0;
}

/* ---- strings ------------------------------------ */

struct probe_name *
probe_name_find(struct probe_set *ps, const char *s)
{
	return hash_find_str(ps->names, s);
}

static struct probe_name *
probe_name_new(struct probe_set *ps, const char *s)
{
	size_t len = strlen(s);
	struct probe_name *n = arena_alloc(ps->arena, sizeof(*n) + len + 1);

	if (n == NULL)
		return NULL;
	memcpy(n->text, s, len + 1);
	n->plain = n;
	return hash_set(ps->names, s, len, n) == 0 ? n : NULL;
}

/* Of a name with control characters, that which has '?' for them. */
static struct probe_name *
probe_name_plain(struct probe_set *ps, const char *s)
{
	char *text = arena_strdup(ps->arena, s);
	struct probe_name *n;

	if (text == NULL)
		return NULL;
	utf8_plain(text);
	n = probe_name_find(ps, text);
	return n != NULL ? n : probe_name_new(ps, text);
}

static struct probe_name *
probe_name_make(struct probe_set *ps, const char *s)
{
	const uintptr_t at = (uintptr_t)s;
	struct probe_name **last =
		&ps->lately[(at ^ at >> 3 ^ at >> 6) % PROBE_LATELY];
	struct probe_name *n = *last;

	if (n != NULL && strcmp(n->text, s) == 0)
		return n;
	n = probe_name_find(ps, s);
	if (n == NULL) {
		n = probe_name_new(ps, s);
		if (n != NULL && !utf8_is_plain(s))
			n->plain = probe_name_plain(ps, s);
	}
	if (n != NULL)
		*last = n;
	return n;
}

/* As it stands in probes: a file and a function may be called anything, and a
   probe is a line of a list. */
static struct probe_name *
probe_name_field(struct probe_set *ps, const char *s)
{
	struct probe_name *n = probe_name_make(ps, s);

	return n != NULL ? n->plain : NULL;
}

const char *
probe_str(struct probe_set *ps, const char *s)
{
	struct probe_name *n = probe_name_make(ps, s);

	return n != NULL ? n->text : NULL;
}

bool
probe_has_prov(struct probe_set *ps, const char *name)
{
	struct probe_name *n = probe_name_find(ps, name);

	if (n != NULL && n->by[PROBE_PROV].n != 0)
		return true;
	for (size_t i = 0; i < ps->provs.n; i++)
		if (strcmp(ps->provs.v[i]->ops->name, name) == 0)
			return true;
	return false;
}

void
probe_translated(struct probe_set *ps, probe_translated_fn *fn, void *arg)
{
	for (size_t i = 0; i < ps->provs.n; i++)
		if (ps->provs.v[i]->ops->translated != NULL)
			ps->provs.v[i]->ops->translated(ps->provs.v[i], fn,
							arg);
}

bool
probe_prov_of_processes(struct probe_set *ps, const char *name)
{
	for (size_t i = 0; i < ps->provs.n; i++)
		if (strcmp(ps->provs.v[i]->ops->name, name) == 0)
			return ps->provs.v[i]->ops->pid != NULL;
	return false;
}

/* ---- the table of tuples ------------------------------------ */

static size_t
tuple_hash(const char *prov, const char *mod, const char *func,
	   const char *name)
{
	const uintptr_t v[] = { (uintptr_t)prov, (uintptr_t)mod,
				(uintptr_t)func, (uintptr_t)name };
	uint64_t h = 0;

	for (int i = 0; i < PROBE_NFIELD; i++) {
		h = (h ^ v[i]) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	return h;
}

/* The slot of a tuple of interned strings, or the empty one for it. */
static uint32_t *
tuple_slot(struct probe_set *ps, const char *prov, const char *mod,
	   const char *func, const char *name)
{
	size_t i = tuple_hash(prov, mod, func, name) & ps->mask;

	for (; ps->tuples[i] != 0; i = (i + 1) & ps->mask) {
		const struct probe *p = ps->probes.v[ps->tuples[i] - 1];

		if (p->func == func && p->name == name && p->mod == mod &&
		    p->prov == prov)
			break;
	}
	return &ps->tuples[i];
}

/* Room for one more, at most half full. */
static bool
tuple_room(struct probe_set *ps)
{
	size_t n = ps->tuples == NULL ? 256 : (ps->mask + 1) * 2;
	uint32_t *bigger;

	if (ps->tuples != NULL && ps->probes.n * 2 < ps->mask)
		return true;
	bigger = calloc(n, sizeof(*bigger));
	if (bigger == NULL)
		return false;
	free(ps->tuples);
	ps->tuples = bigger;
	ps->mask = n - 1;
	for (size_t i = 0; i < ps->probes.n; i++) {
		const struct probe *p = ps->probes.v[i];

		uint32_t *slot =
			tuple_slot(ps, p->prov, p->mod, p->func, p->name);

		if (*slot == 0) /* else it is a twin */
			*slot = p->id;
	}
	return true;
}

/* ---- probes ------------------------------------ */

/* From few ids to memory of the list's own; false: there is none. */
static bool
ids_lengthen(struct probe_set *ps, struct probe_ids *l)
{
	const uint32_t cap = 2 * PROBE_FEW;
	uint32_t *v = malloc(cap * sizeof(*v));

	if (v == NULL || !vec_push(&ps->long_lists, l)) {
		free(v);
		return false;
	}
	memcpy(v, l->few, sizeof(l->few));
	l->many = v;
	l->cap = cap;
	return true;
}

/* Room for one more; false: no memory. */
static bool
ids_room(struct probe_set *ps, struct probe_ids *l)
{
	uint32_t cap = l->cap * 2;
	uint32_t *v;

	if (l->n < (l->cap == 0 ? PROBE_FEW : l->cap))
		return true;
	if (l->cap == 0)
		return ids_lengthen(ps, l);
	v = realloc(l->many, cap * sizeof(*v));
	if (v == NULL)
		return false;
	l->many = v;
	l->cap = cap;
	return true;
}

/* twin: also where there is one already. */
static struct probe *
tuple_add(struct prov *pv, const char *prov, const char *mod, const char *func,
	  const char *name, bool twin)
{
	struct probe_set *ps = pv->set;
	struct probe_name *n[] = { probe_name_field(ps, prov),
				   probe_name_field(ps, mod),
				   probe_name_field(ps, func),
				   probe_name_field(ps, name) };
	struct probe *p;
	uint32_t *slot;

	for (int i = 0; i < PROBE_NFIELD; i++)
		if (n[i] == NULL || !ids_room(ps, &n[i]->by[i]))
			return NULL;
	if (!tuple_room(ps))
		return NULL;
	slot = tuple_slot(ps, n[0]->text, n[1]->text, n[2]->text, n[3]->text);
	if (*slot != 0 && !twin) {
		p = ps->probes.v[*slot - 1];
		p->round = ps->round;
		return p;
	}
	p = arena_alloc(ps->arena, sizeof(*p));
	if (p == NULL || !vec_push(&ps->probes, p))
		return NULL;
	*p = (struct probe){ .id = (uint32_t)ps->probes.n,
			     .prov = n[PROBE_PROV]->text,
			     .mod = n[PROBE_MOD]->text,
			     .func = n[PROBE_FUNC]->text,
			     .name = n[PROBE_NAME]->text,
			     .owner = pv,
			     .round = ps->round };
	if (*slot == 0)
		*slot = p->id;
	for (int i = 0; i < PROBE_NFIELD; i++)
		probe_ids_v(&n[i]->by[i])[n[i]->by[i].n++] = p->id;
	return p;
}

struct probe *
probe_add(struct prov *pv, const char *prov, const char *mod, const char *func,
	  const char *name)
{
	return tuple_add(pv, prov, mod, func, name, false);
}

struct probe *
probe_add_twin(struct prov *pv, const char *prov, const char *mod,
	       const char *func, const char *name)
{
	return tuple_add(pv, prov, mod, func, name, true);
}

/* Put an id into a list that is in order; there is room. */
static void
ids_insert(struct probe_ids *l, uint32_t id)
{
	uint32_t *v = probe_ids_v(l), i = l->n++;

	for (; i > 0 && v[i - 1] > id; i--)
		v[i] = v[i - 1];
	v[i] = id;
}

int
probe_add_alias(struct probe *p, const char *func)
{
	struct probe_set *ps = p->owner->set;
	struct probe_name *n = probe_name_field(ps, func);
	struct probe_alias *a;

	if (n == NULL)
		return -1;
	for (a = p->aliases; a != NULL; a = a->next)
		if (a->func == n->text)
			return 0;
	a = arena_alloc(ps->arena, sizeof(*a));
	if (a == NULL || !ids_room(ps, &n->by[PROBE_FUNC]))
		return -1;
	*a = (struct probe_alias){ .next = p->aliases, .func = n->text };
	p->aliases = a;
	ids_insert(&n->by[PROBE_FUNC], p->id);
	return 0;
}

const struct prov_attr *
probe_attr(const struct probe *p)
{
	return p->attr != NULL ? p->attr : &p->owner->ops->attr;
}

struct probe *
probe_by_id(struct probe_set *ps, uint32_t id)
{
	return id >= 1 && id <= ps->probes.n ? ps->probes.v[id - 1] : NULL;
}

uint64_t
probe_asks(const struct probe_set *ps)
{
	return ps->asks;
}

void
probe_asks_new(struct probe_set *ps)
{
	ps->asks++;
}

uint32_t
probe_round(struct probe_set *ps)
{
	return ++ps->round;
}
