/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * gen_obj.c - a DIF object in the making: text, tables, labels, registers.
 *
 * Knows nothing of D.  A finished object has passed dif_validate(): what fails
 * there is an error of ours, and is reported as such.
 */
#include "lang/gen/gen_impl.h"

#include <string.h>

#define UNPLACED  UINT32_MAX
#define INDEX_MAX 0xffffu /* setx and sets have 16 bits */

/* Room for one more element; the old array is left to the arena. */
static void *
grown(struct gen *g, void *v, uint32_t n, uint32_t *cap, uint32_t need,
      size_t size)
{
	uint32_t c = *cap == 0 ? 16 : *cap;
	void *p;

	if (n + need <= *cap)
		return v;
	while (c < n + need)
		c *= 2;
	p = arena_calloc(g->cx->arena, c, size);
	if (n != 0)
		memcpy(p, v, n * size);
	*cap = c;
	return p;
}

static _Noreturn void
too_big(struct gen *g, const char *what)
{
	lang_fail(g->cx, &D_UNKNOWN, g->loc, "expression has too many %s",
		  what);
}

struct gen *
gobj_new(struct compile *cx, struct src_loc loc)
{
	struct gen *g = arena_alloc(cx->arena, sizeof(*g));

	g->cx = cx;
	g->loc = loc;
	g->busy = 1; /* %r0 */
	gobj_str(g, "", 0);
	return g;
}

void
gobj_emit(struct gen *g, dif_instr_t i)
{
	if (g->ntext >= DIF_TEXT_MAX)
		too_big(g, "instructions");
	g->text = grown(g, g->text, g->ntext, &g->captext, 1, sizeof(i));
	g->text[g->ntext++] = i;
}

uint32_t
gobj_int(struct gen *g, uint64_t val)
{
	for (uint32_t i = 0; i < g->nints; i++)
		if (g->ints[i] == val)
			return i;
	if (g->nints > INDEX_MAX)
		too_big(g, "integer constants");
	g->ints = grown(g, g->ints, g->nints, &g->capints, 1, sizeof(val));
	g->ints[g->nints] = val;
	return g->nints++;
}

/* Bytes up to the first NUL: DIF strings end there. */
uint32_t
gobj_str(struct gen *g, const char *s, size_t len)
{
	uint32_t n = (uint32_t)strnlen(s, len), off = 0;

	while (off < g->nstrs) {
		const char *had = g->strs + off;
		if (strlen(had) == n && memcmp(had, s, n) == 0)
			return off;
		off += (uint32_t)strlen(had) + 1;
	}
	if (g->nstrs > INDEX_MAX || n > INDEX_MAX)
		too_big(g, "string constants");
	g->strs = grown(g, g->strs, g->nstrs, &g->capstrs, n + 1, 1);
	memcpy(g->strs + g->nstrs, s, n);
	g->strs[g->nstrs + n] = '\0';
	g->nstrs += n + 1;
	return off;
}

/* ---- variables ---------------------------------------------------------- */

static void
note_var(struct gen *g, const struct dif_var *v, const char *name)
{
	for (uint32_t i = 0; i < g->nvars; i++) {
		struct dif_var *had = &g->vars[i];
		if (had->id == v->id && had->scope == v->scope) {
			had->flags |= v->flags;
			return;
		}
	}
	g->vars = grown(g, g->vars, g->nvars, &g->capvars, 1, sizeof(*v));
	g->vars[g->nvars] = *v;
	g->vars[g->nvars++].name = gobj_str(g, name, strlen(name));
}

void
gobj_builtin(struct gen *g, const struct dif_builtin_info *b, struct type *type)
{
	struct dif_var v = { .id = b->id,
			     .flags = DIF_VF_REF,
			     .kind = b->kind == DIF_BK_SCALAR ? DIF_VK_SCALAR
							      : DIF_VK_ARRAY,
			     .scope = DIF_SCOPE_GLOBAL };

	/* args[0] and args[1] differ in type: the array has none. */
	if (b->kind != DIF_BK_ARGS)
		v.type = dtype_dif(type);
	note_var(g, &v, b->name);
}

void
gobj_uvar(struct gen *g, const struct dif_uvar *u, uint16_t flags)
{
	struct dif_var v = { .id = u->id,
			     .flags = flags,
			     .kind = u->kind,
			     .scope = u->scope,
			     .type = u->type };

	note_var(g, &v, u->name);
}

/* ---- labels ------------------------------------------------------------- */

uint32_t
gobj_label(struct gen *g)
{
	g->labels = grown(g, g->labels, g->nlabels, &g->caplabels, 1,
			  sizeof(*g->labels));
	g->labels[g->nlabels] = UNPLACED;
	return g->nlabels++;
}

/* The label's number stands in the instruction until the object is done. */
void
gobj_branch(struct gen *g, enum dif_op op, uint32_t label)
{
	gobj_emit(g, DIF_INSTR_B(op, label));
}

void
gobj_place(struct gen *g, uint32_t label)
{
	g->labels[label] = g->ntext;
}

static void
resolve_labels(struct gen *g)
{
	for (uint32_t i = 0; i < g->ntext; i++) {
		dif_instr_t in = g->text[i];
		if (dif_op_info[DIF_OP(in)].fmt == DIF_FMT_BR)
			g->text[i] = DIF_INSTR_B(DIF_OP(in),
						 g->labels[DIF_LABEL(in)]);
	}
}

/* ---- registers ---------------------------------------------------------- */

int
greg_alloc(struct gen *g)
{
	const struct lang_limits *lim = g->cx->src->limits;
	int n = lim != NULL && lim->iregs != 0 ? (int)lim->iregs : DIF_NREGS;

	for (int r = 1; r < n; r++)
		if ((g->busy & (1u << r)) == 0) {
			g->busy |= 1u << r;
			return r;
		}
	if (g->spill)
		lang_fail(g->cx, &D_NOREG, g->loc,
			  "insufficient registers to generate code");
	g->overflow = true;
	return n - 1;
}

void
greg_free(struct gen *g, int r)
{
	if (r > 0)
		g->busy &= ~(1u << r);
}

/* ---- the result --------------------------------------------------------- */

struct dif_obj *
gobj_finish(struct gen *g, struct dif_type rtype)
{
	struct arena *a = g->cx->out;
	struct dif_obj *o = arena_alloc(a, sizeof(*o));
	struct err e = { 0 };

	resolve_labels(g);
	o->text = arena_memdup(a, g->text, g->ntext * sizeof(*g->text));
	o->ntext = g->ntext;
	o->inttab = arena_calloc(a, g->nints, sizeof(*g->ints));
	if (g->nints != 0)
		memcpy(o->inttab, g->ints, g->nints * sizeof(*g->ints));
	o->nint = g->nints;
	o->strtab = arena_memdup(a, g->strs, g->nstrs);
	o->strlen = g->nstrs;
	o->vartab = arena_calloc(a, g->nvars, sizeof(*g->vars));
	if (g->nvars != 0)
		memcpy(o->vartab, g->vars, g->nvars * sizeof(*g->vars));
	o->nvar = g->nvars;
	o->rtype = rtype;
	o->destructive = g->destructive;
	o->kernel = g->kernel;
	if (dif_validate(o, &e) != 0)
		lang_fail(g->cx, &D_UNKNOWN, g->loc,
			  "internal error: generated invalid DIF: %s", e.msg);
	return o;
}
