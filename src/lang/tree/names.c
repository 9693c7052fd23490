/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * names.c - what names mean: variables, inlines, externals, aggregations.
 *
 * The tables hang from struct lang and are shared by all programs of a trace.
 * A compile enters names at once, so that it sees its own, and keeps a log of
 * what it entered; a roll-back takes them out again in reverse order.  The
 * objects themselves live in the lang's arena: those of failed compiles stay
 * there unused until the lang is freed.
 *
 * Numbers of variables are dense per scope from DIF_VAR_USER_MIN; numbers of
 * aggregations count from 1 in order of first use.
 */
#include "lang/tree/names.h"

#include "lang/tree/dtype.h"

#include <string.h>

struct undo {
	struct undo *next;
	struct hash *table; /* name was had; NULL: something else changed */
	const char *name;
	void *had;
	uint32_t *version, old_version;
};

/* Made when the compile declares its first name. */
struct names {
	struct undo *undo;
	uint32_t nvars, naggs, nid[3];
	struct xlator *xlators;
	size_t nproviders;
};

void
names_begin(struct compile *cx)
{
	cx->names = NULL;
}

void
names_commit(struct compile *cx)
{
	/* Inlines keep their trees, names their places: the arena stays. */
	if (cx->names != NULL)
		cx->keep_arena = true;
	cx->names = NULL;
}

void
names_rollback(struct compile *cx)
{
	struct names *nm = cx->names;
	struct lang *l = cx->lang;

	if (nm == NULL)
		return;
	for (struct undo *u = nm->undo; u != NULL; u = u->next) {
		if (u->table != NULL)
			hash_set_str(u->table, u->name, u->had);
		else if (u->version != NULL)
			*u->version = u->old_version;
	}
	l->tab.nvars = nm->nvars;
	l->tab.naggs = nm->naggs;
	memcpy(l->nid, nm->nid, sizeof(l->nid));
	l->xlators = nm->xlators;
	l->providers.n = nm->nproviders;
	cx->names = NULL;
}

static struct undo *
names_log(struct compile *cx)
{
	struct names *nm = cx->names;
	struct undo *u;

	if (nm == NULL) {
		nm = arena_alloc(cx->arena, sizeof(*nm));
		nm->nvars = cx->lang->tab.nvars;
		nm->naggs = cx->lang->tab.naggs;
		memcpy(nm->nid, cx->lang->nid, sizeof(nm->nid));
		nm->xlators = cx->lang->xlators;
		nm->nproviders = cx->lang->providers.n;
		cx->names = nm;
	}
	u = arena_alloc(cx->arena, sizeof(*u));
	u->next = nm->undo;
	nm->undo = u;
	return u;
}

/* Memory of the lang's arena, zeroed. */
static void *
lang_alloc(struct compile *cx, size_t n, size_t size)
{
	void *p = arena_calloc(cx->lang->arena, n, size);

	if (p == NULL)
		lang_nomem(cx);
	return p;
}

static const char *
lang_strdup(struct compile *cx, const char *s)
{
	char *p = lang_alloc(cx, strlen(s) + 1, 1);

	return strcpy(p, s);
}

/* Append a pointer to an array that grows in the lang's arena by doubling. */
static void *
append(struct compile *cx, void *v, uint32_t *n, void *entry)
{
	void **a = v;

	if ((*n & (*n - 1)) == 0) { /* 0 or a power of two: full */
		a = lang_alloc(cx, *n == 0 ? 1 : (size_t)*n * 2, sizeof(*a));
		if (*n != 0)
			memcpy(a, v, *n * sizeof(*a));
	}
	a[(*n)++] = entry;
	return a;
}

static struct hash *
scope_table(struct compile *cx, enum dif_scope scope)
{
	switch (scope) {
	case DIF_SCOPE_THREAD:
		return cx->lang->selfs;
	case DIF_SCOPE_LOCAL:
		return cx->lang->thiss;
	default:
		return cx->lang->globals;
	}
}

struct ident *
names_find(struct compile *cx, enum dif_scope scope, const char *name)
{
	struct ident *id = hash_find_str(scope_table(cx, scope), name);

	return id != NULL && id->version > cx->version ? NULL : id;
}

static void
names_enter(struct compile *cx, struct hash *table, const char *name, void *val)
{
	struct undo *u = names_log(cx);

	u->name = name;
	u->had = hash_find_str(table, name);
	if (hash_set_str(table, name, val) != 0)
		lang_nomem(cx);
	u->table = table;
}

struct ident *
names_add(struct compile *cx, enum dif_scope scope, enum ident_kind kind,
	  const char *name, struct type *type, struct src_loc loc)
{
	struct ident *id = lang_alloc(cx, 1, sizeof(*id));

	id->kind = kind;
	id->name = lang_strdup(cx, name);
	id->type = type;
	id->loc = loc;
	id->library = cx->src->library;
	names_enter(cx, scope_table(cx, scope), id->name, id);
	return id;
}

void
names_make_var(struct compile *cx, struct ident *id, enum dif_scope scope,
	       struct type **keys, uint32_t nkeys)
{
	struct lang *l = cx->lang;
	struct dif_uvar *v = lang_alloc(cx, 1, sizeof(*v));
	uint32_t num = DIF_VAR_USER_MIN + l->nid[scope];

	if (num > DIF_VAR_MAX)
		lang_fail(cx, &D_ID_OFLOW, id->loc,
			  "too many variables: cannot number %s", id->name);
	v->name = id->name;
	v->id = (uint16_t)num;
	v->scope = (uint8_t)scope;
	v->kind = keys != NULL ? DIF_VK_ARRAY : DIF_VK_SCALAR;
	v->type = dtype_dif(id->type);
	if (keys != NULL) {
		id->assoc = true;
		id->nkeys = v->nkeys = nkeys;
		id->keys = lang_alloc(cx, nkeys, sizeof(struct type *));
		v->keys = lang_alloc(cx, nkeys, sizeof(*v->keys));
		for (uint32_t i = 0; i < nkeys; i++) {
			id->keys[i] = keys[i];
			v->keys[i] = dtype_dif(keys[i]);
		}
	}
	id->var = v;
	l->tab.vars = append(cx, l->tab.vars, &l->tab.nvars, v);
	l->nid[scope]++;
}

void
names_bind(struct compile *cx, const char *name, uint32_t version)
{
	struct ident *id = hash_find_str(cx->lang->globals, name);
	struct undo *u;

	if (id == NULL)
		return;
	u = names_log(cx);
	u->version = &id->version;
	u->old_version = id->version;
	id->version = version;
}

/* ---- translators and providers ------------------------------------------ */

struct xlator *
names_add_xlator(struct compile *cx)
{
	struct xlator *x = lang_alloc(cx, 1, sizeof(*x));

	names_log(cx);
	x->next = cx->lang->xlators;
	cx->lang->xlators = x;
	return x;
}

void
names_add_provider(struct compile *cx, struct prov_decl *d)
{
	names_log(cx);
	if (!vec_push(&cx->lang->providers, d))
		lang_nomem(cx);
}

/* ---- aggregations ------------------------------------------------------- */

struct agg_ident *
names_find_agg(struct compile *cx, const char *name)
{
	return hash_find_str(cx->lang->aggs, name);
}

struct agg_ident *
names_add_agg(struct compile *cx, const char *name, uint32_t nkeys,
	      struct src_loc loc)
{
	struct lang *l = cx->lang;
	struct agg_ident *ai = lang_alloc(cx, 1, sizeof(*ai));
	struct dif_aggvar *v = lang_alloc(cx, 1, sizeof(*v));

	v->name = lang_strdup(cx, name);
	v->nkeys = nkeys;
	v->keys = lang_alloc(cx, nkeys, sizeof(*v->keys));
	v->keysrc = lang_alloc(cx, nkeys, sizeof(*v->keysrc));
	v->keyarg = lang_alloc(cx, nkeys, sizeof(*v->keyarg));
	v->line = loc.line;
	ai->agg = v;
	ai->keys = lang_alloc(cx, nkeys, sizeof(*ai->keys));
	ai->loc = loc;
	names_enter(cx, l->aggs, v->name, ai);
	l->tab.aggs = append(cx, l->tab.aggs, &l->tab.naggs, v);
	v->id = l->tab.naggs;
	return ai;
}

/* ---- names every program knows ------------------------------------------ */

static const struct constant {
	const char *name;
	int64_t val;
} constants[] = {
#define CONST(name, val) { #name, val },
#include "lang/const.def"
#undef CONST
#define REG(idx, NAME)        { "R_" #NAME, idx },
#define NOREG(idx, NAME, why) REG(idx, NAME)
#include "dif/reg.def"
#undef REG
#define FAULT(num, NAME, text, addr) { "DTRACEFLT_" #NAME, num },
#include "dif/fault.def"
#undef FAULT
};

bool
names_constant(const char *name, int64_t *val)
{
	for (size_t i = 0; i < sizeof(constants) / sizeof(*constants); i++)
		if (strcmp(constants[i].name, name) == 0) {
			*val = constants[i].val;
			return true;
		}
	return false;
}

/* ---- what is built in, of the program's version of D ----------------------
 */

static const struct since {
	const char *name;
	uint32_t version;
} since[] = {
#define SINCE(name, major, minor) { #name, major << 24 | minor << 12 },
#include "lang/since.def"
#undef SINCE
};

/* The D library is of our own version, whatever the program's is; so is what
   an inline or a translator expands to. */
bool
names_hidden(const struct compile *cx, const char *name, uint32_t *version)
{
	if (cx->src->library || cx->expansion != NULL)
		return false;
	for (size_t i = 0; i < sizeof(since) / sizeof(*since); i++)
		if (strcmp(since[i].name, name) == 0) {
			*version = since[i].version;
			return since[i].version > cx->version;
		}
	return false;
}

const struct dif_builtin_info *
names_builtin(const struct compile *cx, const char *name)
{
	uint32_t v;

	return names_hidden(cx, name, &v) ? NULL : dif_builtin_by_name(name);
}

const struct dif_subr_info *
names_subr(const struct compile *cx, const char *name)
{
	uint32_t v;

	return names_hidden(cx, name, &v) ? NULL : dif_subr_by_name(name);
}

const struct dif_act_info *
names_act(const struct compile *cx, const char *name)
{
	uint32_t v;

	return names_hidden(cx, name, &v) ? NULL : dif_act_by_name(name);
}

const struct dif_agg_info *
names_aggfunc(const struct compile *cx, const char *name)
{
	uint32_t v;

	return names_hidden(cx, name, &v) ? NULL : dif_agg_by_name(name);
}

const char *
names_later(struct compile *cx, const char *name)
{
	uint32_t v;

	if (!names_hidden(cx, name, &v))
		return "";
	return arena_printf(cx->arena,
			    " (D has %s since version %u.%u, and "
			    "the program is for %u.%u)",
			    name, v >> 24, v >> 12 & 0xfff, cx->version >> 24,
			    cx->version >> 12 & 0xfff);
}

bool
names_exists(struct compile *cx, const char *name)
{
	return hash_find_str(cx->lang->globals, name) != NULL ||
	       names_is_variable(cx, name);
}

bool
names_is_variable(struct compile *cx, const char *name)
{
	const struct ident *id = names_find(cx, DIF_SCOPE_GLOBAL, name);
	int64_t val;

	return names_builtin(cx, name) != NULL ||
	       (id != NULL && (id->library || !cx->src->library)) ||
	       names_constant(name, &val);
}
