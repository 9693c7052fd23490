/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * interp_var.c - variables as DIF sees them.
 *
 * Built-in ones come from the machine state where it has them, else from the
 * host's hook.  Scalars of the user live in the three areas that dif_layout()
 * has laid out; by-reference ones have a mark in front that tells null from a
 * value (dif_layout.c).  Elements of associative arrays live in a hash of the
 * host, each in its own piece of memory; storing 0 removes one.
 */
#include "engine/interp/interp_impl.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"

uint64_t
interp_now(struct rt *rt)
{
	if (rt->now == 0) {
		struct timespec ts;
		clock_gettime(CLOCK_MONOTONIC, &ts);
		rt->now = (uint64_t)ts.tv_sec * 1000000000u +
			  (uint64_t)ts.tv_nsec;
	}
	return rt->now;
}

/* ---- built-in ------------------------------------------------------------ */

static uint64_t
probe_part(struct rt *rt, uint32_t id)
{
	const struct dif_enabling *en = interp_host(rt)->en;
	const char *s = "";

	if (en != NULL && rt->probe < en->nprobes) {
		const struct dif_probe *p = &en->probes[rt->probe];
		s = id == DIF_VAR_probeprov   ? p->prov
		    : id == DIF_VAR_probemod  ? p->mod
		    : id == DIF_VAR_probefunc ? p->func
					      : p->name;
	}
	return (uintptr_t)s;
}

static uint64_t
builtin(struct rt *rt, uint32_t id)
{
	struct rt_host *h = interp_host(rt);

	if (id >= DIF_VAR_arg0 && id <= DIF_VAR_arg9)
		return rt->arg[id - DIF_VAR_arg0];
	switch (id) {
	case DIF_VAR_timestamp: return interp_now(rt);
	case DIF_VAR_walltimestamp:
		return interp_now(rt) + h->mem.conf->wall_offset;
	case DIF_VAR_epid: return rt->epid;
	case DIF_VAR_id: return rt->probe_id;
	case DIF_VAR_cpu: return rt->cpu;
	case DIF_VAR_curcpu: return rt->self + offsetof(struct rt, cpu_id);
	case DIF_VAR_probeprov: case DIF_VAR_probemod:
	case DIF_VAR_probefunc: case DIF_VAR_probename:
		return probe_part(rt, id);
	}
	return h->builtin == NULL ? 0 : h->builtin(h->mem.arg, id);
}

/* Beyond the end of an array lies 0. */
uint64_t
interp_array_load(struct rt *rt, uint32_t id, uint64_t idx)
{
	switch (id) {
	case DIF_VAR_args:
		return idx < RT_NARGS ? rt->arg[idx] : 0;
	case DIF_VAR_uregs:
		return idx < sizeof(rt->ureg) / sizeof(*rt->ureg)
			       ? rt->ureg[idx]
			       : 0;
	}
	return rt_fail(rt, DIF_FAULT_ILLOP, 0);
}

/* ---- the user's scalars -------------------------------------------------- */

static bool
is_ref(const struct dif_type *t)
{
	return t->kind == DIF_TYPE_STRING || (t->flags & DIF_TF_BYREF) != 0;
}

static struct dif_uvar *
var_find(struct rt *rt, unsigned scope, uint32_t id, enum dif_var_kind kind)
{
	const struct dif_tab *tab = interp_host(rt)->tab;
	struct dif_uvar *v =
		tab == NULL ? NULL : dif_uvar_find(tab, scope, id);

	if (v == NULL || v->kind != kind) {
		rt_fail(rt, DIF_FAULT_ILLOP, 0);
		return NULL;
	}
	return v;
}

static uint8_t *
var_area(struct rt *rt, unsigned scope)
{
	struct rt_host *h = interp_host(rt);

	return scope == DIF_SCOPE_GLOBAL   ? h->globals
	       : scope == DIF_SCOPE_THREAD ? h->thread
					   : rt->locals;
}

/* Copy a by-reference value; what follows a string's end is zeroed. */
static int
ref_copy(struct rt *rt, const struct dif_uvar *v, uint8_t *dst, uint64_t src)
{
	long n;

	if (v->type.kind != DIF_TYPE_STRING) {
		if (rt_read(rt, dst, v->type.size, src) == 0)
			return 0;
		rt_fail(rt, DIF_FAULT_BADADDR, src);
		return -1;
	}
	if (src == (uintptr_t)dst)
		return 0;
	n = rt_read_str(rt, dst, interp_host(rt)->sizes.strsize, src);
	if (n < 0) {
		rt_fail(rt, DIF_FAULT_BADADDR, src);
		return -1;
	}
	memset(dst + n, 0, v->size - (size_t)n);
	return 0;
}

uint64_t
interp_var_load(struct rt *rt, unsigned scope, uint32_t id)
{
	if (scope == DIF_SCOPE_GLOBAL && id < DIF_VAR_USER_MIN)
		return builtin(rt, id);

	struct dif_uvar *v = var_find(rt, scope, id, DIF_VK_SCALAR);
	if (v == NULL)
		return 0;
	uint8_t *p = var_area(rt, scope) + v->off;
	if (!is_ref(&v->type))
		return *(uint64_t *)p;
	bool mark = *(uint64_t *)(p - DIF_VAR_MARK) != 0;
	bool null = scope == DIF_SCOPE_THREAD ? !mark : mark;
	return null ? 0 : (uintptr_t)p;
}

void
interp_var_store(struct rt *rt, unsigned scope, uint32_t id, uint64_t val)
{
	struct dif_uvar *v = var_find(rt, scope, id, DIF_VK_SCALAR);

	if (v == NULL)
		return;
	uint8_t *p = var_area(rt, scope) + v->off;
	if (!is_ref(&v->type)) {
		*(uint64_t *)p = val;
		return;
	}
	if (val != 0 && ref_copy(rt, v, p, val) != 0)
		return;
	*(uint64_t *)(p - DIF_VAR_MARK) =
		scope == DIF_SCOPE_THREAD ? val != 0 : val == 0;
}

/* ---- associative arrays -------------------------------------------------- */

/* In front of the tuple: the array, and the thread for self->. */
struct assoc_prefix {
	uint32_t scope, id;
	uint64_t thread;
};

/* Build the key in rt->key; its length, or 0 with a fault. */
static uint64_t
assoc_key(struct rt *rt, const struct dif_uvar *v)
{
	struct assoc_prefix p = { .scope = v->scope, .id = v->id };

	if (v->scope == DIF_SCOPE_THREAD)
		p.thread = builtin(rt, DIF_VAR_tid);
	memcpy(rt->key, &p, sizeof(p));
	uint64_t n = rt_tuple_key(rt, sizeof(p));
	return rt->fault == DIF_FAULT_NONE ? n : 0;
}

uint64_t
interp_assoc_load(struct rt *rt, unsigned scope, uint32_t id)
{
	struct rt_host *host = interp_host(rt);
	struct hash *h = host->assoc;
	struct dif_uvar *v = var_find(rt, scope, id, DIF_VK_ARRAY);

	if (v != NULL && host->assoc_load != NULL)
		return host->assoc_load(host->mem.arg, rt, v);
	uint64_t n = v == NULL ? 0 : assoc_key(rt, v);
	uint8_t *p = n == 0 || h == NULL ? NULL : hash_find(h, rt->key, n);
	if (p == NULL)
		return 0;
	return is_ref(&v->type) ? (uintptr_t)p : *(uint64_t *)p;
}

static void
assoc_remove(struct hash *h, const uint8_t *key, uint64_t n)
{
	void *p = hash_find(h, key, n);

	if (p == NULL)
		return;
	hash_set(h, key, n, NULL);
	free(p);
}

/* The element's memory, made if it is not there; NULL: no memory. */
static uint8_t *
assoc_element(struct hash *h, const uint8_t *key, uint64_t n, uint32_t size)
{
	uint8_t *p = hash_find(h, key, n);

	if (p != NULL)
		return p;
	p = calloc(1, size);
	if (p != NULL && hash_set(h, key, n, p) != 0) {
		free(p);
		p = NULL;
	}
	return p;
}

void
interp_assoc_store(struct rt *rt, unsigned scope, uint32_t id, uint64_t val)
{
	struct rt_host *host = interp_host(rt);
	struct dif_uvar *v = var_find(rt, scope, id, DIF_VK_ARRAY);
	uint8_t *p;

	if (v != NULL && host->assoc_store != NULL) {
		host->assoc_store(host->mem.arg, rt, v, val);
		return;
	}
	uint64_t n = v == NULL ? 0 : assoc_key(rt, v);
	if (n == 0)
		return;
	if (host->assoc == NULL)
		host->assoc = hash_new();
	if (host->assoc != NULL && val == 0) {
		assoc_remove(host->assoc, rt->key, n);
		return;
	}
	if (host->assoc == NULL ||
	    (p = assoc_element(host->assoc, rt->key, n, v->size)) == NULL) {
		rt->drops[RT_DROP_DYNVAR]++;
		return;
	}
	if (is_ref(&v->type))
		ref_copy(rt, v, p, val);
	else
		*(uint64_t *)p = val;
}

void
interp_assoc_free(struct rt_host *host)
{
	size_t pos = 0;
	void *p;

	if (host->assoc == NULL)
		return;
	while (hash_next(host->assoc, &pos, NULL, NULL, &p))
		free(p);
	hash_free(host->assoc);
	host->assoc = NULL;
}
