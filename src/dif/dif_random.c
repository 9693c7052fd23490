/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dif_random.c - random valid objects whose outcome does not depend on who
 * runs them, for differential tests: interpreter, kernel, native code must
 * give the same number or string, or the same fault at the same instruction.
 *
 * The generator follows what each register holds and emits only steps that
 * are meaningful with that:
 *
 *   NUM    a number that is the same everywhere
 *   STR    the address of a string, or null
 *   MEM    the address of `size` bytes that may be read (and, if `own`,
 *          written: scratch)
 *   JUNK   an address nobody may look at any more, or different things on
 *          the two ways that lead here
 *
 * Addresses differ between engines, so they never become numbers: they are
 * not computed with, not compared, not stored as numbers, not returned (null
 * tests are allowed).  Bytes that are loaded are bytes that the program has
 * put there, or a string's first one.
 *
 * The last register is set apart: every number that a step makes goes into it,
 * and it is what most objects return, so that one wrong bit anywhere is seen.
 *
 * Faults are wanted: division by what may be zero, loads from null and from
 * addresses that are bad in every address space, full tuple stacks, too much
 * scratch.  Registers that hold the address of a variable's bytes become JUNK
 * when variables are stored, since the bytes may move or go.
 */
#include "dif/dif.h"

#include <string.h>

#define TEXT_CAP 1024u
#define INT_CAP 512u
#define STR_CAP 8192u
#define VAR_CAP 64u
#define STEP_TEXT 32u /* most instructions and integers of one step */
#define SUM (DIF_NREGS - 1u) /* the register set apart */

enum rnd_kind { RND_JUNK, RND_NUM, RND_STR, RND_MEM };

struct rnd_reg {
	enum rnd_kind kind;
	uint32_t size; /* MEM: bytes; STR: bytes known to be there, or 0 */
	bool own;      /* MEM: scratch */
	bool var;      /* the address is that of a variable's bytes */
};

struct rnd {
	uint64_t state;
	const struct dif_tab *tab;
	unsigned engines;
	unsigned steps; /* still to be made */
	struct rnd_reg r[DIF_NREGS];
	uint32_t ntext, nint, nstr, nvar;
	dif_instr_t text[TEXT_CAP];
	uint64_t ints[INT_CAP];
	char strs[STR_CAP];
	struct dif_var vars[VAR_CAP];
};

/* ---- chance -------------------------------------------------------------- */

/* splitmix64 */
static uint64_t
rnd_next(struct rnd *g)
{
	uint64_t z = g->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static uint32_t
rnd_below(struct rnd *g, uint32_t n)
{
	return (uint32_t)(rnd_next(g) % n);
}

static bool
one_in(struct rnd *g, uint32_t n)
{
	return rnd_below(g, n) == 0;
}

/* Small numbers, bounds of types, and anything. */
static uint64_t
rnd_value(struct rnd *g)
{
	static const uint64_t edges[] = {
		0, 1, 2, 7, 8, 10, 63, 64, 100, 255, 256, 4096,
		0x7f, 0x80, 0x7fff, 0x8000, 0x7fffffff, 0x80000000,
		0xffffffff, 0x100000000, INT64_MAX, (uint64_t)INT64_MIN,
		(uint64_t)-1, (uint64_t)-2, (uint64_t)-128,
	};

	switch (rnd_below(g, 4)) {
	case 0: return rnd_next(g);
	case 1: return rnd_below(g, 20);
	case 2: return -(uint64_t)rnd_below(g, 20);
	default:
		return edges[rnd_below(g, sizeof(edges) / sizeof(*edges))];
	}
}

/* ---- emitting ------------------------------------------------------------ */

static void
emit(struct rnd *g, dif_instr_t i)
{
	g->text[g->ntext++] = i;
}

static void
emit_r(struct rnd *g, unsigned op, unsigned r1, unsigned r2, unsigned rd)
{
	emit(g, DIF_INSTR_R(op, r1, r2, rd));
}

static void
emit_setx(struct rnd *g, uint64_t v, unsigned rd)
{
	g->ints[g->nint] = v;
	emit(g, DIF_INSTR_W(DIF_OP_SETX, g->nint++, rd));
}

static bool
room(const struct rnd *g)
{
	return g->ntext + 2 * STEP_TEXT < TEXT_CAP &&
	       g->nint + STEP_TEXT < INT_CAP && g->nstr + 1024 < STR_CAP;
}

static void
set_kind(struct rnd *g, unsigned r, enum rnd_kind kind)
{
	g->r[r] = (struct rnd_reg){ .kind = kind };
}

/* A register of this kind, or 0 (which is also the NUM that always is). */
static unsigned
pick(struct rnd *g, enum rnd_kind kind)
{
	unsigned at = rnd_below(g, SUM);

	for (unsigned i = 0; i < SUM; i++) {
		unsigned r = (at + i) % SUM;
		if (r != 0 && g->r[r].kind == kind)
			return r;
	}
	return 0;
}

static unsigned
pick_dst(struct rnd *g)
{
	return 1 + rnd_below(g, SUM - 1);
}

/* Any register but this one. */
static unsigned
pick_other(struct rnd *g, unsigned not)
{
	unsigned r = pick_dst(g);

	return r != not ? r : r == SUM - 1 ? 1 : r + 1;
}

/* A step has made the number in d. */
static void
made_num(struct rnd *g, unsigned d)
{
	set_kind(g, d, RND_NUM);
	emit_r(g, DIF_OP_SUB, d, SUM, SUM);
}

/* A register that holds a number: mostly one that is there. */
static unsigned
want_num(struct rnd *g)
{
	unsigned r = pick(g, RND_NUM);

	if (r != 0 && !one_in(g, 4))
		return r;
	r = pick_dst(g);
	emit_setx(g, rnd_value(g), r);
	set_kind(g, r, RND_NUM);
	return r;
}

static void
literal(struct rnd *g, unsigned rd)
{
	static const char alphabet[] = "abAB/./_ z09:-x+\t\x80\xff@[`{";
	uint32_t len = one_in(g, 6) ? 40 + rnd_below(g, 60)
				    : rnd_below(g, 12);
	uint32_t off = g->nstr;

	for (uint32_t i = 0; i < len; i++)
		g->strs[g->nstr++] =
			alphabet[rnd_below(g, sizeof(alphabet) - 1)];
	g->strs[g->nstr++] = '\0';
	emit(g, DIF_INSTR_W(DIF_OP_SETS, off, rd));
	set_kind(g, rd, RND_STR);
	g->r[rd].size = len + 1;
}

static unsigned
want_str(struct rnd *g)
{
	unsigned r = pick(g, RND_STR);

	if (r != 0 && !one_in(g, 4))
		return r;
	r = pick_dst(g);
	literal(g, r);
	return r;
}

/* ---- arithmetic, comparison ---------------------------------------------- */

static void
step_alu(struct rnd *g)
{
	static const uint8_t ops[] = {
		DIF_OP_OR, DIF_OP_XOR, DIF_OP_AND, DIF_OP_SLL, DIF_OP_SRL,
		DIF_OP_SRA, DIF_OP_SUB, DIF_OP_ADD, DIF_OP_MUL,
	};
	unsigned op = ops[rnd_below(g, sizeof(ops))];
	unsigned a = want_num(g), b = pick(g, RND_NUM), d = pick_dst(g);

	emit_r(g, op, a, b, d);
	made_num(g, d);
}

static void
step_divide(struct rnd *g)
{
	unsigned op = DIF_OP_SDIV + rnd_below(g, 4);
	unsigned a = want_num(g), b, d = pick_dst(g);

	if (one_in(g, 8)) {
		b = pick(g, RND_NUM); /* r0 too */
	} else {
		b = pick_other(g, a);
		emit_setx(g, rnd_value(g) | one_in(g, 2), b);
		set_kind(g, b, RND_NUM);
	}
	emit_r(g, op, a, b, d);
	made_num(g, d);
}

static void
step_move(struct rnd *g)
{
	unsigned s = pick_dst(g), d = pick_dst(g);

	if (g->r[s].kind == RND_NUM && one_in(g, 2)) {
		emit_r(g, DIF_OP_NOT, s, 0, d);
		made_num(g, d);
		return;
	}
	emit_r(g, DIF_OP_MOV, s, 0, d);
	g->r[d] = g->r[s];
}

/* Set the flags by something that is the same everywhere. */
static void
emit_flags(struct rnd *g)
{
	unsigned r, s;

	switch (rnd_below(g, 4)) {
	case 0:
		r = want_str(g);
		s = pick(g, RND_STR);
		emit_r(g, DIF_OP_SCMP, r, s == 0 ? r : s, 0);
		break;
	case 1:
		r = pick_dst(g);
		emit_r(g, DIF_OP_TST, g->r[r].kind == RND_JUNK ? 0 : r, 0, 0);
		break;
	default:
		r = want_num(g);
		emit_r(g, DIF_OP_CMP, r, pick(g, RND_NUM), 0);
		break;
	}
}

static void steps(struct rnd *g, unsigned n, unsigned depth);

/* What is known after two ways meet: what both agree on. */
static void
meet(struct rnd *g, const struct rnd_reg *other)
{
	for (unsigned i = 1; i < DIF_NREGS; i++) {
		struct rnd_reg *a = &g->r[i];
		const struct rnd_reg *b = &other[i];
		if (a->kind != b->kind)
			a->kind = RND_JUNK;
		if (b->size < a->size)
			a->size = b->size;
		a->own = a->own && b->own;
		a->var = a->var || b->var;
	}
}

/* if, with or without else; both ways meet again. */
static void
step_branch(struct rnd *g, unsigned depth)
{
	struct rnd_reg before[DIF_NREGS], then[DIF_NREGS];
	unsigned op = DIF_OP_BE + rnd_below(g, DIF_OP_BLEU - DIF_OP_BE + 1);
	uint32_t cond, skip;

	emit_flags(g);
	memcpy(before, g->r, sizeof(before));
	cond = g->ntext;
	emit(g, 0);
	steps(g, 1 + rnd_below(g, 4), depth + 1);
	if (one_in(g, 2) || !room(g)) {
		g->text[cond] = DIF_INSTR_B(op, g->ntext);
		meet(g, before);
		emit_r(g, DIF_OP_NOP, 0, 0, 0);
		return;
	}
	skip = g->ntext;
	emit(g, 0);
	g->text[cond] = DIF_INSTR_B(op, g->ntext);
	memcpy(then, g->r, sizeof(then));
	memcpy(g->r, before, sizeof(before));
	steps(g, 1 + rnd_below(g, 4), depth + 1);
	g->text[skip] = DIF_INSTR_B(DIF_OP_BA, g->ntext);
	meet(g, then);
	emit_r(g, DIF_OP_NOP, 0, 0, 0);
}

/* ---- memory -------------------------------------------------------------- */

static void
step_alloc(struct rnd *g)
{
	unsigned n = pick_dst(g), d = pick_dst(g);
	uint32_t size = one_in(g, 40) ? 20000 : 1 + rnd_below(g, 48);

	emit_setx(g, size, n);
	set_kind(g, n, RND_NUM);
	emit_r(g, DIF_OP_ALLOCS, n, 0, d);
	g->r[d] = (struct rnd_reg){ .kind = RND_MEM, .size = size,
				    .own = true };
}

/* %t = %base + a multiple of size within the bytes; false: none fits. */
static bool
emit_place(struct rnd *g, unsigned base, uint32_t size, unsigned t)
{
	uint32_t n = g->r[base].size / size;

	if (n == 0)
		return false;
	emit_setx(g, (uint64_t)rnd_below(g, n) * size, t);
	emit_r(g, DIF_OP_ADD, base, t, t);
	set_kind(g, t, RND_JUNK);
	return true;
}

static const struct rnd_access {
	uint8_t op, size;
} rnd_loads[] = {
	{ DIF_OP_LDSB, 1 }, { DIF_OP_LDSH, 2 }, { DIF_OP_LDSW, 4 },
	{ DIF_OP_LDUB, 1 }, { DIF_OP_LDUH, 2 }, { DIF_OP_LDUW, 4 },
	{ DIF_OP_LDX, 8 },
}, rnd_stores[] = {
	{ DIF_OP_STB, 1 }, { DIF_OP_STH, 2 }, { DIF_OP_STW, 4 },
	{ DIF_OP_STX, 8 },
};

static void
step_load(struct rnd *g)
{
	const struct rnd_access *l = &rnd_loads[rnd_below(g, 7)];
	unsigned base = pick(g, RND_MEM), t;

	if (base == 0) {
		step_alloc(g);
		return;
	}
	t = pick_other(g, base);
	if (!emit_place(g, base, l->size, t))
		return;
	emit_r(g, l->op, t, 0, t);
	made_num(g, t);
}

static void
step_store(struct rnd *g)
{
	const struct rnd_access *s = &rnd_stores[rnd_below(g, 4)];
	unsigned val = want_num(g), base = pick(g, RND_MEM), t;

	if (base == 0 || !g->r[base].own) {
		step_alloc(g);
		return;
	}
	t = pick_other(g, base);
	if (t == val)
		val = 0;
	if (emit_place(g, base, s->size, t))
		emit_r(g, s->op, val, 0, t);
}

/* Between two pieces of memory, or from a literal. */
static void
step_copy(struct rnd *g)
{
	unsigned dst = pick(g, RND_MEM), n;
	unsigned src = pick(g, one_in(g, 2) ? RND_STR : RND_MEM);
	uint32_t most;

	if (dst == 0 || src == 0 || !g->r[dst].own || src == dst)
		return;
	most = g->r[src].size < g->r[dst].size ? g->r[src].size
					       : g->r[dst].size;
	if (most == 0)
		return;
	n = 1;
	while (n == src || n == dst)
		n++;
	emit_setx(g, 1 + rnd_below(g, most), n);
	set_kind(g, n, RND_NUM);
	emit_r(g, DIF_OP_COPYS, src, n, dst);
}

/* A string's first byte; null faults. */
static void
step_first(struct rnd *g)
{
	unsigned s = want_str(g), d = pick_dst(g);

	emit_r(g, one_in(g, 2) ? DIF_OP_LDUB : DIF_OP_LDSB, s, 0, d);
	made_num(g, d);
}

/* An address that is bad for kernel and user alike. */
static uint64_t
bad_address(struct rnd *g)
{
	static const uint64_t addrs[] = { 0, 8, 0x10, 0x800,
					  0x8000000000000000u,
					  0x0123456789abcd00u };

	return addrs[rnd_below(g, sizeof(addrs) / sizeof(*addrs))];
}

static void
step_bad(struct rnd *g)
{
	static const uint8_t ops[] = {
		DIF_OP_LDX, DIF_OP_LDUB, DIF_OP_LDSW, DIF_OP_ULDX,
		DIF_OP_ULDUB, DIF_OP_RLDX, DIF_OP_STX, DIF_OP_STB,
	};
	unsigned a = pick_dst(g), d = pick_other(g, a);
	unsigned op = ops[rnd_below(g, sizeof(ops))];

	emit_setx(g, bad_address(g), a);
	if (dif_op_info[op].fmt == DIF_FMT_ST) {
		emit_r(g, op, 0, 0, a);
	} else {
		emit_r(g, op, a, 0, d);
		set_kind(g, d, RND_NUM);
	}
	set_kind(g, a, RND_NUM);
}

/* ---- variables ----------------------------------------------------------- */

static void
step_arg(struct rnd *g)
{
	unsigned d = pick_dst(g);

	emit(g, DIF_INSTR_W(DIF_OP_LDGS,
			    DIF_VAR_arg0 + rnd_below(g, DIF_NARGS), d));
	set_kind(g, d, RND_NUM);
}

/* Put the variable into the object's table; its name is left out. */
static bool
use_var(struct rnd *g, const struct dif_uvar *v)
{
	for (uint32_t i = 0; i < g->nvar; i++)
		if (g->vars[i].id == v->id && g->vars[i].scope == v->scope)
			return true;
	if (g->nvar == VAR_CAP)
		return false;
	g->vars[g->nvar++] = (struct dif_var){
		.id = v->id, .kind = v->kind, .scope = v->scope,
		.flags = DIF_VF_REF | DIF_VF_MOD, .type = v->type,
	};
	return true;
}

/* The kind of register that the variable's value is. */
static enum rnd_kind
var_kind(const struct dif_type *t)
{
	if (t->kind == DIF_TYPE_STRING)
		return RND_STR;
	return (t->flags & DIF_TF_BYREF) != 0 ? RND_MEM : RND_NUM;
}

static void
set_loaded(struct rnd *g, unsigned d, const struct dif_type *t)
{
	enum rnd_kind kind = var_kind(t);

	g->r[d] = (struct rnd_reg){
		.kind = kind,
		.size = kind == RND_MEM ? t->size : 0,
		.var = kind != RND_NUM,
	};
	if (kind == RND_NUM)
		made_num(g, d);
}

/* A register with a value that may be stored to a variable of this type. */
static int
want_value(struct rnd *g, const struct dif_type *t)
{
	unsigned r;

	if (one_in(g, 8))
		return 0; /* zero, or null */
	switch (var_kind(t)) {
	case RND_NUM: return (int)want_num(g);
	case RND_STR: return (int)want_str(g);
	default:
		r = pick(g, RND_MEM);
		return r != 0 && g->r[r].size >= t->size ? (int)r : -1;
	}
}

/* Variables have been stored: addresses of their bytes are void. */
static void
forget_vars(struct rnd *g)
{
	for (unsigned i = 1; i < DIF_NREGS; i++)
		if (g->r[i].var)
			set_kind(g, i, RND_JUNK);
}

static void
scalar(struct rnd *g, const struct dif_uvar *v)
{
	static const uint8_t ld[] = { DIF_OP_LDGS, DIF_OP_LDTS, DIF_OP_LDLS };
	static const uint8_t st[] = { DIF_OP_STGS, DIF_OP_STTS, DIF_OP_STLS };
	int r;

	if (one_in(g, 2)) {
		unsigned d = pick_dst(g);
		emit(g, DIF_INSTR_W(ld[v->scope], v->id, d));
		set_loaded(g, d, &v->type);
		return;
	}
	r = want_value(g, &v->type);
	if (r < 0)
		return;
	emit(g, DIF_INSTR_W(st[v->scope], v->id, (unsigned)r));
	forget_vars(g);
}

/* Push a key of each type; false (and nothing left pushed): cannot. */
static bool
push_keys(struct rnd *g, const struct dif_uvar *v)
{
	for (uint32_t k = 0; k < v->nkeys; k++)
		if (var_kind(&v->keys[k]) == RND_MEM)
			return false;
	for (uint32_t k = 0; k < v->nkeys; k++) {
		if (var_kind(&v->keys[k]) == RND_STR) {
			emit_r(g, DIF_OP_PUSHTR, DIF_TYPE_STRING, 0,
			       want_str(g));
			continue;
		}
		/* Few different keys, so that elements are met again. */
		unsigned r = pick_dst(g);
		emit_setx(g, rnd_below(g, 4), r);
		set_kind(g, r, RND_NUM);
		emit_r(g, DIF_OP_PUSHTV, 0, 0, r);
	}
	return true;
}

static void
element(struct rnd *g, const struct dif_uvar *v)
{
	bool global = v->scope == DIF_SCOPE_GLOBAL;
	unsigned d;
	int r;

	if (v->nkeys == 0 || v->nkeys > DIF_NTUPLE || !push_keys(g, v))
		return;
	if (one_in(g, 2)) {
		d = pick_dst(g);
		emit(g, DIF_INSTR_W(global ? DIF_OP_LDGAA : DIF_OP_LDTAA,
				    v->id, d));
		set_loaded(g, d, &v->type);
	} else if ((r = want_value(g, &v->type)) >= 0) {
		emit(g, DIF_INSTR_W(global ? DIF_OP_STGAA : DIF_OP_STTAA,
				    v->id, (unsigned)r));
		forget_vars(g);
	}
	emit_r(g, DIF_OP_FLUSHTS, 0, 0, 0);
}

static void
step_var(struct rnd *g)
{
	const struct dif_uvar *v;

	if (g->tab == NULL || g->tab->nvars == 0) {
		step_arg(g);
		return;
	}
	v = g->tab->vars[rnd_below(g, g->tab->nvars)];
	if (!use_var(g, v))
		return;
	if (v->kind == DIF_VK_ARRAY)
		element(g, v);
	else
		scalar(g, v);
}

/* ---- subroutines --------------------------------------------------------- */

/*
 * Arguments: s string, n number, o optional number, c character, b optional
 * base, f family of addresses, m MEM_BYTES bytes, z how many of them, j JSON, p a path
 * in that; x a bad address, h any number.  Result: s string, n number, - what
 * is not looked at.
 */
struct rnd_subr {
	enum dif_subr id;
	const char *args;
	char result;
};
static const struct rnd_subr rnd_subrs[] = {
	{ DIF_SUBR_strlen, "s", 'n' },	   { DIF_SUBR_strjoin, "ss", 's' },
	{ DIF_SUBR_basename, "s", 's' },   { DIF_SUBR_dirname, "s", 's' },
	{ DIF_SUBR_strchr, "sc", 's' },	   { DIF_SUBR_strrchr, "sc", 's' },
	{ DIF_SUBR_strstr, "ss", 's' },	   { DIF_SUBR_substr, "sno", 's' },
	{ DIF_SUBR_index, "sso", 'n' },	   { DIF_SUBR_rindex, "sso", 'n' },
	{ DIF_SUBR_toupper, "s", 's' },	   { DIF_SUBR_tolower, "s", 's' },
	{ DIF_SUBR_htons, "n", 'n' },	   { DIF_SUBR_htonl, "n", 'n' },
	{ DIF_SUBR_htonll, "n", 'n' },	   { DIF_SUBR_ntohs, "n", 'n' },
	{ DIF_SUBR_ntohl, "n", 'n' },	   { DIF_SUBR_ntohll, "n", 'n' },
	{ DIF_SUBR_getmajor, "n", 'n' },   { DIF_SUBR_getminor, "n", 'n' },
	{ DIF_SUBR_lltostr, "nb", 's' },   { DIF_SUBR_strtoll, "sb", 'n' },
	{ DIF_SUBR_cleanpath, "s", 's' },  { DIF_SUBR_strtok, "ss", 's' },
	{ DIF_SUBR_inet_ntop, "fm", 's' }, { DIF_SUBR_inet_ntoa, "m", 's' },
	{ DIF_SUBR_inet_ntoa6, "mo", 's' }, { DIF_SUBR_speculation, "", 'n' },
	{ DIF_SUBR_json, "jp", 's' },	   { DIF_SUBR_json, "jp", 's' },
	{ DIF_SUBR_json, "sp", 's' },	   { DIF_SUBR_memstr, "mcz", 's' },
	{ DIF_SUBR_link_ntop, "fm", 's' }, { DIF_SUBR_uuidtostr, "m", 's' },
	{ DIF_SUBR_bcopy, "mmz", '-' },
};
/* Most of these fault. */
static const struct rnd_subr rnd_hostile[] = {
	{ DIF_SUBR_alloca, "h", '-' },	     { DIF_SUBR_bcopy, "xmz", '-' },
	{ DIF_SUBR_bcopy, "mxz", '-' },	     { DIF_SUBR_bcopy, "mxh", '-' },
	{ DIF_SUBR_copyin, "xz", '-' },	     { DIF_SUBR_copyin, "xh", '-' },
	{ DIF_SUBR_copyinstr, "xo", 's' },   { DIF_SUBR_copyinto, "xzm", '-' },
	{ DIF_SUBR_copyinto, "xhx", '-' },   { DIF_SUBR_memstr, "xch", 's' },
	{ DIF_SUBR_inet_ntop, "fx", 's' },   { DIF_SUBR_inet_ntoa, "x", 's' },
	{ DIF_SUBR_inet_ntoa6, "xo", 's' },  { DIF_SUBR_uuidtostr, "x", 's' },
	{ DIF_SUBR_link_ntop, "fx", 's' },   { DIF_SUBR_strlen, "x", 'n' },
	{ DIF_SUBR_strjoin, "sx", 's' },     { DIF_SUBR_strtok, "sx", 's' },
	{ DIF_SUBR_strstr, "sx", 's' },	     { DIF_SUBR_json, "jx", 's' },
	{ DIF_SUBR_cleanpath, "x", 's' },    { DIF_SUBR_lltostr, "hh", 's' },
	{ DIF_SUBR_strtoll, "sh", 'n' },     { DIF_SUBR_substr, "shh", 's' },
	{ DIF_SUBR_index, "ssh", 'n' },	     { DIF_SUBR_rindex, "ssh", 'n' },
};
#define FAMILY_INET 2
#define FAMILY_INET6 10

/* Numbers that are meant as places in strings are mostly small. */
static unsigned
want_small(struct rnd *g)
{
	unsigned r = pick_dst(g);

	if (one_in(g, 4))
		return want_num(g);
	emit_setx(g, (uint64_t)rnd_below(g, 16) - 4, r);
	set_kind(g, r, RND_NUM);
	return r;
}

/* At least so many bytes: no address is longer that is read as text. */
#define MEM_BYTES 24
static unsigned
want_mem(struct rnd *g)
{
	unsigned r = pick(g, RND_MEM), n;

	if (r != 0 && g->r[r].own && g->r[r].size >= MEM_BYTES)
		return r;
	r = pick_dst(g);
	n = pick_other(g, r);
	emit_setx(g, MEM_BYTES, n);
	set_kind(g, n, RND_NUM);
	emit_r(g, DIF_OP_ALLOCS, n, 0, r);
	g->r[r] = (struct rnd_reg){ .kind = RND_MEM, .size = MEM_BYTES,
				    .own = true };
	return r;
}

/* A register with one of these. */
static unsigned
want_one_of(struct rnd *g, const int8_t *v, uint32_t n)
{
	unsigned r = pick_dst(g);

	emit_setx(g, (uint64_t)(int64_t)v[rnd_below(g, n)], r);
	set_kind(g, r, RND_NUM);
	return r;
}

/* ---- JSON ---------------------------------------------------------------- */

#define JSON_LONGEST 400u

static void
put_text(struct rnd *g, const char *s)
{
	while (*s != '\0')
		g->strs[g->nstr++] = *s++;
}

static void
put_one_of(struct rnd *g, const char *const *v, uint32_t n)
{
	put_text(g, v[rnd_below(g, n)]);
}

/* A value; begun at `start`, and no longer than fits there. */
static void
put_json(struct rnd *g, uint32_t start, unsigned depth)
{
	static const char *const leaf[] = {
		"0", "-12.5e3", "true", "null", "\"\"", "\"text\"", "12345678901",
		"\"a\\\"b\\\\\"", "\"\\u00e9\\u20ac\\ud83d\\ude00\"",
		"\"\\ud800\\n\\u0000\\udc00\\ud800\"", "\"[,]{}\"", "{}", "[]",
		"\"\\u00g0\"", " 7 ",
	};
	static const char *const names[] = { "\"a\":", "\"b\" : ", "\"\":",
					     "\"\\u0061b\":", "\"abc\":" };
	bool array = one_in(g, 2);

	if (depth == 4 || one_in(g, 3) || g->nstr - start > JSON_LONGEST) {
		put_one_of(g, leaf, sizeof(leaf) / sizeof(*leaf));
		return;
	}
	put_text(g, array ? "[" : "{");
	for (unsigned i = 0, n = rnd_below(g, 4); i < n; i++) {
		put_text(g, i == 0 ? "" : one_in(g, 2) ? ", " : ",");
		if (!array)
			put_one_of(g, names, 5);
		put_json(g, start, depth + 1);
	}
	put_text(g, array ? "]" : "}");
}

/* A document, now and then with something wrong in it. */
static unsigned
want_json(struct rnd *g)
{
	static const char wrong[] = "{}[],:\"\\ a1";
	uint32_t start = g->nstr;
	unsigned r = pick_dst(g);

	put_json(g, start, 0);
	if (one_in(g, 4))
		g->strs[start + rnd_below(g, g->nstr - start)] =
			wrong[rnd_below(g, sizeof(wrong) - 1)];
	g->strs[g->nstr++] = '\0';
	emit(g, DIF_INSTR_W(DIF_OP_SETS, start, r));
	set_kind(g, r, RND_STR);
	g->r[r].size = g->nstr - start;
	return r;
}

static unsigned
want_path(struct rnd *g)
{
	static const char *const parts[] = { "a", "b", "", "ab", "abc", "[0]",
					     "[1]", "[2]", "[12", "[x]",
					     "[00000001]" };
	uint32_t start = g->nstr, n = 1 + rnd_below(g, 3);
	unsigned r = pick_dst(g);

	for (uint32_t i = 0; i < n; i++) {
		const char *p = parts[rnd_below(g, one_in(g, 6) ? 11 : 8)];
		if (i != 0 && (*p != '[' || one_in(g, 8)))
			put_text(g, ".");
		put_text(g, p);
	}
	g->strs[g->nstr++] = '\0';
	emit(g, DIF_INSTR_W(DIF_OP_SETS, start, r));
	set_kind(g, r, RND_STR);
	g->r[r].size = g->nstr - start;
	return r;
}

/* ---- calls --------------------------------------------------------------- */

static unsigned
want_value_of(struct rnd *g, uint64_t v)
{
	unsigned r = pick_dst(g);

	emit_setx(g, v, r);
	set_kind(g, r, RND_NUM);
	return r;
}

/* The register of an argument. */
static unsigned
want_arg(struct rnd *g, char what)
{
	static const int8_t chars[] = { 'a', 'b', '/', ' ', '.', 'z', -1, 0 };
	static const int8_t bases[] = { 0, 2, 8, 10, 16, 36, 1, 37, -1 };
	static const int8_t families[] = { FAMILY_INET, FAMILY_INET6, 7, 1,
					   32 };

	switch (what) {
	case 's': return want_str(g);
	case 'j': return want_json(g);
	case 'p': return want_path(g);
	case 'c': return want_one_of(g, chars, 8);
	case 'b': return want_one_of(g, bases, 9);
	case 'f': return want_one_of(g, families, 5);
	case 'm': return want_mem(g);
	case 'z': return want_value_of(g, rnd_below(g, MEM_BYTES + 1));
	case 'x': return want_value_of(g, bad_address(g));
	case 'h': return want_value_of(g, rnd_value(g));
	default: return want_small(g);
	}
}

static bool
is_text(char what)
{
	return what == 's' || what == 'j' || what == 'p';
}

static void
step_call(struct rnd *g)
{
	uint32_t n = sizeof(rnd_subrs) / sizeof(*rnd_subrs);
	uint32_t hostile = sizeof(rnd_hostile) / sizeof(*rnd_hostile);
	const struct rnd_subr *s = one_in(g, 12)
					   ? &rnd_hostile[rnd_below(g, hostile)]
					   : &rnd_subrs[rnd_below(g, n)];
	const struct dif_subr_info *info = dif_subr_by_id(s->id);
	unsigned d;

	if (info == NULL || (info->engines & g->engines) != g->engines)
		return;
	for (const char *a = s->args; *a != '\0'; a++) {
		if ((*a == 'o' || *a == 'b') && one_in(g, 2))
			break;
		unsigned r = want_arg(g, *a);
		if (is_text(*a))
			emit_r(g, DIF_OP_PUSHTR, DIF_TYPE_STRING, 0, r);
		else
			emit_r(g, DIF_OP_PUSHTV, 0, 0, r);
	}
	d = pick_dst(g);
	emit(g, DIF_INSTR_W(DIF_OP_CALL, s->id, d));
	emit_r(g, DIF_OP_FLUSHTS, 0, 0, 0);
	if (s->result == 's')
		set_kind(g, d, RND_STR);
	else if (s->result == 'n')
		made_num(g, d);
	else
		set_kind(g, d, RND_JUNK);
}

/* Push and pop for their own sake; nine at once overflow. */
static void
step_tuple(struct rnd *g)
{
	unsigned n = one_in(g, 10) ? DIF_NTUPLE + 1 : 1 + rnd_below(g, 4);

	for (unsigned i = 0; i < n; i++)
		emit_r(g, DIF_OP_PUSHTV, 0, 0, pick(g, RND_NUM));
	if (one_in(g, 2))
		emit_r(g, DIF_OP_POPTS, 0, 0, 0);
	emit_r(g, DIF_OP_FLUSHTS, 0, 0, 0);
}

/* ---- the object ---------------------------------------------------------- */

static void
step(struct rnd *g, unsigned depth)
{
	switch (rnd_below(g, 24)) {
	case 0: case 1: case 2: case 3: step_alu(g); break;
	case 4: step_divide(g); break;
	case 5: case 6: step_move(g); break;
	case 7: case 8: case 9:
		if (depth < 3)
			step_branch(g, depth);
		break;
	case 10: step_alloc(g); break;
	case 11: step_load(g); break;
	case 12: step_store(g); break;
	case 13: step_copy(g); break;
	case 14: step_arg(g); break;
	case 15: case 16: case 17: case 18: step_var(g); break;
	case 19: case 20: case 21: step_call(g); break;
	case 22: step_first(g); break;
	default:
		if (one_in(g, 6))
			step_bad(g);
		else if (one_in(g, 2))
			step_tuple(g);
		break;
	}
}

static void
steps(struct rnd *g, unsigned n, unsigned depth)
{
	for (; n > 0 && g->steps > 0 && room(g); n--) {
		g->steps--;
		step(g, depth);
	}
}

/* Return a number or a string. */
static struct dif_type
finish(struct rnd *g)
{
	unsigned s = one_in(g, 3) ? pick(g, RND_STR) : 0;

	if (s != 0) {
		emit_r(g, DIF_OP_RET, 0, 0, s);
		return (struct dif_type){ .kind = DIF_TYPE_STRING,
					  .ckind = DIF_CK_STRING,
					  .flags = DIF_TF_BYREF };
	}
	emit_r(g, DIF_OP_RET, 0, 0, one_in(g, 8) ? pick(g, RND_NUM) : SUM);
	return (struct dif_type){ .ckind = DIF_CK_INT, .flags = DIF_TF_SIGNED,
				  .size = 8 };
}

struct dif_obj *
dif_random(struct arena *a, uint64_t seed, const struct dif_tab *tab,
	   unsigned engines)
{
	struct rnd *g = arena_alloc(a, sizeof(*g));
	struct dif_obj *o = arena_alloc(a, sizeof(*o));

	if (g == NULL || o == NULL)
		return NULL;
	g->state = seed;
	g->tab = tab;
	g->engines = engines;
	g->nstr = 1; /* "" */
	g->steps = 4 + rnd_below(g, 40);
	/* Registers are zero at the start: numbers, all of them. */
	for (unsigned i = 0; i < DIF_NREGS; i++)
		set_kind(g, i, RND_NUM);
	steps(g, g->steps, 0);
	o->rtype = finish(g);
	/* The generator's arrays stay in the arena and serve the object. */
	o->text = g->text;
	o->ntext = g->ntext;
	o->inttab = g->ints;
	o->nint = g->nint;
	o->strtab = g->strs;
	o->strlen = g->nstr;
	o->vartab = g->vars;
	o->nvar = g->nvar;
	return o;
}
