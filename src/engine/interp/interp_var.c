/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * interp_var.c - variables as DIF sees them.
 *
 * Built-in ones come from the machine state where it has them, else from the
 * host's hook.  Scalars of the user live in the three areas that dif_layout()
 * has laid out; by-reference ones have a mark in front that distinguishes null
 * from a value (dif_layout.c).  Elements of associative arrays live in a hash
 * of the host, each in its own piece of memory; storing 0 removes one.
 */
#include "engine/interp/interp_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* ---- built-in ------------------------------------------------------------ */

/* Of interp_var_<name>() and interp_array_<name>(): these are a line each. */
#define BUILTIN(name, value)                             \
	static uint64_t interp_var_##name(struct rt *rt) \
	{                                                \
		return value;                            \
	}
BUILTIN(timestamp, rt_timestamp(rt))
BUILTIN(epid, rt->epid)
BUILTIN(id, rt->probe_id)
BUILTIN(cpu, rt->cpu)
BUILTIN(curcpu, rt->self + offsetof(struct rt, cpu_id))
BUILTIN(arg0, rt->arg[0])
BUILTIN(arg1, rt->arg[1])
BUILTIN(arg2, rt->arg[2])
BUILTIN(arg3, rt->arg[3])
BUILTIN(arg4, rt->arg[4])
BUILTIN(arg5, rt->arg[5])
BUILTIN(arg6, rt->arg[6])
BUILTIN(arg7, rt->arg[7])
BUILTIN(arg8, rt->arg[8])
BUILTIN(arg9, rt->arg[9])

static const struct dif_probe *
current_probe(struct rt *rt)
{
	static const struct dif_probe none = { .prov = "", .mod = "",
					       .func = "", .name = "" };
	const struct dif_enabling *en = interp_host(rt)->en;

	return en != NULL && rt->probe < en->nprobes ? &en->probes[rt->probe]
						     : &none;
}
BUILTIN(probeprov, (uintptr_t)current_probe(rt)->prov)
BUILTIN(probemod, (uintptr_t)current_probe(rt)->mod)
BUILTIN(probefunc, (uintptr_t)current_probe(rt)->func)
BUILTIN(probename, (uintptr_t)current_probe(rt)->name)
#undef BUILTIN

static uint64_t
always_zero(struct rt *rt)
{
	(void)rt;
	return 0;
}

/* Beyond the end of an array lies 0. */
static uint64_t
interp_array_args(struct rt *rt, uint64_t idx)
{
	return idx < RT_NARGS ? rt->arg[idx] : 0;
}

static uint64_t
interp_array_uregs(struct rt *rt, uint64_t idx)
{
	return idx < sizeof(rt->ureg) / sizeof(*rt->ureg) ? rt->ureg[idx] : 0;
}

/* By the rows of var.def; what has no function the host is asked for. */
static const struct {
	uint64_t (*scalar)(struct rt *);
	uint64_t (*array)(struct rt *, uint64_t idx);
} rows[DIF_VAR_USER_MIN] = {
#define ROW_RT_SCALAR(id, name)	  [id].scalar = rt_var_##name,
#define ROW_OWN_SCALAR(id, name)  [id].scalar = interp_var_##name,
#define ROW_ZERO_SCALAR(id, name) [id].scalar = always_zero,
#define ROW_HOST_SCALAR(id, name)
#define ROW_NO_SCALAR(id, name)
#define ROW_OWN_ARRAY(id, name) [id].array = interp_array_##name,
#define ROW_OWN_ARGS(id, name)	ROW_OWN_ARRAY(id, name)
#define ROW_NO_ARRAY(id, name)
#define VAR(id, name, type, kind, bound, i, k, p, needs, stab, what) \
	ROW_##i##_##kind(id, name)
#include "dif/var.def"
#undef VAR
};

static uint64_t
interp_builtin(struct rt *rt, uint32_t id)
{
	struct rt_host *h = interp_host(rt);

	if (rows[id].scalar != NULL)
		return rows[id].scalar(rt);
	return h->builtin == NULL ? 0 : h->builtin(h->mem.arg, id);
}

uint64_t
interp_array_load(struct rt *rt, uint32_t id, uint64_t idx)
{
	return id < DIF_VAR_USER_MIN && rows[id].array != NULL
		       ? rows[id].array(rt, idx)
		       : rt_fail(rt, DIF_FAULT_ILLOP, 0);
}

/* ---- the user's scalars -------------------------------------------------- */

static bool
var_is_ref(const struct dif_type *t)
{
	return t->kind == DIF_TYPE_STRING || (t->flags & DIF_TF_BYREF) != 0;
}

static struct dif_uvar *
interp_var_find(struct rt *rt, unsigned scope, uint32_t id,
		enum dif_var_kind kind)
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
		return interp_builtin(rt, id);

	struct dif_uvar *v = interp_var_find(rt, scope, id, DIF_VK_SCALAR);
	if (v == NULL)
		return 0;
	uint8_t *p = var_area(rt, scope) + v->off;
	if (!var_is_ref(&v->type))
		return *(uint64_t *)p;
	bool mark = *(uint64_t *)(p - DIF_VAR_MARK) != 0;
	bool null = scope == DIF_SCOPE_THREAD ? !mark : mark;
	return null ? 0 : (uintptr_t)p;
}

void
interp_var_store(struct rt *rt, unsigned scope, uint32_t id, uint64_t val)
{
	struct dif_uvar *v = interp_var_find(rt, scope, id, DIF_VK_SCALAR);

	if (v == NULL)
		return;
	uint8_t *p = var_area(rt, scope) + v->off;
	if (!var_is_ref(&v->type)) {
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
interp_assoc_key(struct rt *rt, const struct dif_uvar *v)
{
	struct assoc_prefix p = { .scope = v->scope, .id = v->id };

	if (v->scope == DIF_SCOPE_THREAD)
		p.thread = interp_builtin(rt, DIF_VAR_tid);
	memcpy(rt->key, &p, sizeof(p));
	uint64_t n = rt_tuple_key(rt, sizeof(p));
	return rt->fault == DIF_FAULT_NONE ? n : 0;
}

uint64_t
interp_assoc_load(struct rt *rt, unsigned scope, uint32_t id)
{
	struct rt_host *host = interp_host(rt);
	struct hash *h = host->assoc;
	struct dif_uvar *v = interp_var_find(rt, scope, id, DIF_VK_ARRAY);

	if (v != NULL && host->assoc_load != NULL)
		return host->assoc_load(host->mem.arg, rt, v);
	uint64_t n = v == NULL ? 0 : interp_assoc_key(rt, v);
	uint8_t *p = n == 0 || h == NULL ? NULL : hash_find(h, rt->key, n);
	if (p == NULL)
		return 0;
	return var_is_ref(&v->type) ? (uintptr_t)p : *(uint64_t *)p;
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
	struct dif_uvar *v = interp_var_find(rt, scope, id, DIF_VK_ARRAY);
	uint8_t *p;

	if (v != NULL && host->assoc_store != NULL) {
		host->assoc_store(host->mem.arg, rt, v, val);
		return;
	}
	uint64_t n = v == NULL ? 0 : interp_assoc_key(rt, v);
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
	if (var_is_ref(&v->type))
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
