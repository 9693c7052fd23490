/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * gen.c - DIF for checked expressions: values, operators, conversions,
 * conditions.  Variables, memory and calls are in gen_mem.c; what the objects
 * are made of is in gen_obj.c.
 *
 * Operators work on all 64 bits of a register (check_conv.c says what D makes
 * of that), so values are cut to their type only where they are kept.  What is
 * known of the bits above the type's width is the value's form (gen_impl.h).
 *
 * Registers are few.  Of two operands the one that needs more is evaluated
 * first, unless both have side effects.  Where that is not enough, the code is
 * made again, and what waits for another operand does so in a hidden
 * clause-local variable: greg_hold().
 */
#include "lang/gen/gen_impl.h"

/* ---- types -------------------------------------------------------------- */

/* Bits of an integer or pointer value. */
static unsigned
width(struct type *t)
{
	t = type_resolve(t);
	if (!type_is_integer(t) || type_size(t) >= 8 || type_size(t) == 0)
		return 64;
	return (unsigned)type_size(t) * 8;
}

static int gen_operand(struct gen *g, struct node *n, enum gen_form *f);

/* ---- how many registers ------------------------------------------------- */

static bool
has_effects(const struct node *n)
{
	if (n == NULL || n->is_const)
		return false;
	if (n->kind == NODE_ASSIGN || n->kind == NODE_CALL ||
	    n->kind == NODE_XLATE ||
	    (n->kind == NODE_UNARY &&
	     (n->op == TOK_POSTINC || n->op == TOK_POSTDEC)))
		return true;
	for (uint32_t i = 0; i < n->nargs; i++)
		if (has_effects(n->args[i]))
			return true;
	return has_effects(n->left) || has_effects(n->right) ||
	       has_effects(n->cond);
}

static unsigned
max2(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

static unsigned
need(struct node *n)
{
	unsigned k = 1;

	if (n == NULL || n->is_const)
		return 1;
	if (n->nregs != 0)
		return n->nregs;
	if (n->kind == NODE_BINARY || n->kind == NODE_ASSIGN) {
		unsigned l = need(n->left), r = need(n->right);
		k = l == r ? l + 1 : max2(l, r);
	} else {
		k = max2(k, need(n->left));
		k = max2(k, need(n->right));
		k = max2(k, need(n->cond));
	}
	if (n->bound != 0)
		k = max2(k, 2);
	for (uint32_t i = 0; i < n->nargs; i++)
		k = max2(k, need(n->args[i]) + (i > 0));
	n->nregs = (uint8_t)(k > 200 ? 200 : k);
	return n->nregs;
}

/* Both operands, the hungrier first; *fl and *fr are their forms. */
static void
gen_both(struct gen *g, struct node *l, struct node *r, int *rl, int *rr,
	 enum gen_form *fl, enum gen_form *fr)
{
	struct held h;

	if (need(r) > need(l) && !(has_effects(l) || has_effects(r))) {
		greg_hold(g, gen_operand(g, r, fr), l, &h);
		*rl = gen_operand(g, l, fl);
		*rr = greg_resume(g, &h);
	} else {
		greg_hold(g, gen_operand(g, l, fl), r, &h);
		*rr = gen_operand(g, r, fr);
		*rl = greg_resume(g, &h);
	}
}

/* ---- small things ------------------------------------------------------- */

int
gen_int(struct gen *g, uint64_t val)
{
	int r;

	if (val == 0)
		return 0;
	r = greg_alloc(g);
	gobj_emit(g, DIF_INSTR_W(DIF_OP_SETX, gobj_int(g, val), r));
	return r;
}

int
gen_own(struct gen *g, int r)
{
	if (r == 0) {
		r = greg_alloc(g);
		gen_r2(g, DIF_OP_MOV, 0, r);
	}
	return r;
}

/* Truncate to bits, sign- or zero-extended. */
static int
gen_extend(struct gen *g, int r, unsigned bits, bool sign)
{
	int t;

	if (r == 0 || bits >= 64)
		return r;
	if (!sign) {
		t = gen_int(g, (1ull << bits) - 1);
		gen_r3(g, DIF_OP_AND, r, t, r);
	} else {
		t = gen_int(g, 64 - bits);
		gen_r3(g, DIF_OP_SLL, r, t, r);
		gen_r3(g, DIF_OP_SRA, r, t, r);
	}
	greg_free(g, t);
	return r;
}

int
gen_normal(struct gen *g, int r, struct type *t)
{
	return gen_extend(g, r, width(t), type_is_signed(t));
}

/* True if a type holds every value of another. */
static bool
includes(struct type *to, struct type *from)
{
	if (width(to) == 64)
		return true;
	if (type_is_signed(to) == type_is_signed(from))
		return width(to) >= width(from);
	return type_is_signed(to) && width(to) > width(from);
}

/* The form in one type of a value that has form f in another. */
static enum gen_form
form_in(struct type *to, struct type *from, enum gen_form f)
{
	return includes(to, from) && (f == FORM_NORMAL || width(to) == 64)
		       ? FORM_NORMAL
		       : FORM_WIDE;
}

/* A value to compute with: its upper bits mean something. */
static int
gen_operand(struct gen *g, struct node *n, enum gen_form *f)
{
	int r = gen_raw(g, n, f);

	if (*f != FORM_JUNK)
		return r;
	*f = FORM_NORMAL;
	return gen_normal(g, r, n->type);
}

int
gen_value(struct gen *g, struct node *n)
{
	enum gen_form f;

	return gen_operand(g, n, &f);
}

int
gen_kept(struct gen *g, struct node *n, struct type *t)
{
	enum gen_form f;
	int r;

	if (n->is_const)
		return gen_int(g, dtype_normal(t, n->ival));
	r = gen_raw(g, n, &f);
	if (f == FORM_JUNK && width(t) > width(n->type)) {
		r = gen_normal(g, r, n->type);
		f = FORM_NORMAL;
	}
	if (f == FORM_JUNK || form_in(t, n->type, f) != FORM_NORMAL)
		r = gen_normal(g, r, t);
	return r;
}

/* A register that is 1 where the branch was not taken: both meet at the end. */
static int
gen_truth(struct gen *g, uint32_t if_false)
{
	uint32_t end = gobj_label(g);
	int r = gen_int(g, 1);

	gobj_branch(g, DIF_OP_BA, end);
	gobj_place(g, if_false);
	gen_r2(g, DIF_OP_MOV, 0, r);
	gobj_place(g, end);
	return r;
}

/* ---- conversions -------------------------------------------------------- */

/* 1 unless the register is 0. */
static int
gen_to_bool(struct gen *g, int r)
{
	uint32_t f = gobj_label(g);

	gobj_emit(g, DIF_INSTR_R(DIF_OP_TST, r, 0, 0));
	greg_free(g, r);
	gobj_branch(g, DIF_OP_BE, f);
	return gen_truth(g, f);
}

int
gen_cut(struct gen *g, int r, struct type *t)
{
	return dtype_is_bool(t) ? gen_to_bool(g, r) : gen_normal(g, r, t);
}

/*
 * A cast between integers.  One to a wider type of the same signedness does
 * nothing.  One to a wider type of the other signedness takes the value that
 * the narrower type has.  Any other cuts to the new type; where nobody looks at
 * the upper bits, that needs no code, so they are junk.
 */
static int
gen_convert(struct gen *g, int r, struct type *from, struct type *to,
	    enum gen_form *f)
{
	bool sign = type_is_signed(from), same = sign == type_is_signed(to);
	unsigned wf = width(from), wt = width(to);

	if (dtype_is_bool(to) && !dtype_is_bool(from)) {
		if (*f == FORM_JUNK)
			r = gen_normal(g, r, from);
		*f = FORM_NORMAL;
		return gen_to_bool(g, r);
	}
	if (wt < wf || (wt == wf && !same)) {
		*f = *f == FORM_NORMAL && includes(to, from) ? FORM_NORMAL
							     : FORM_JUNK;
		return r;
	}
	if (same && *f != FORM_JUNK)
		return r;
	if (*f != FORM_NORMAL)
		r = gen_normal(g, r, from);
	*f = wt < 64 && sign && !same ? FORM_JUNK : FORM_NORMAL;
	return r;
}

static int
gen_cast(struct gen *g, struct node *n, enum gen_form *f)
{
	struct type *from = type_resolve(n->left->type);
	struct type *to = type_resolve(n->type);
	int r;

	if (type_is_void(n->type)) {
		gen_effect(g, n->left);
		return 0;
	}
	r = gen_raw(g, n->left, f);
	if (!type_is_integer(from) && !type_is_integer(to))
		return r; /* addresses */
	return width(from) == 64 && width(to) == 64 && !dtype_is_bool(to)
		       ? r
		       : gen_convert(g, r, from, to, f);
}

/* ---- conditions --------------------------------------------------------- */

/* The branch taken when `l op r` is true, or when it is false. */
static enum dif_op
branch_op(int op, bool sign, bool sense)
{
	static const struct {
		int op, inverse;
		enum dif_op s, u;
	} map[] = {
		{ TOK_EQ, TOK_NE, DIF_OP_BE, DIF_OP_BE },
		{ TOK_NE, TOK_EQ, DIF_OP_BNE, DIF_OP_BNE },
		{ '<', TOK_GE, DIF_OP_BL, DIF_OP_BLU },
		{ TOK_GE, '<', DIF_OP_BGE, DIF_OP_BGEU },
		{ '>', TOK_LE, DIF_OP_BG, DIF_OP_BGU },
		{ TOK_LE, '>', DIF_OP_BLE, DIF_OP_BLEU },
	};

	for (size_t i = 0; i < sizeof(map) / sizeof(*map); i++)
		if ((sense ? map[i].op : map[i].inverse) == op)
			return sign ? map[i].s : map[i].u;
	return DIF_OP_BA;
}

static void
gen_compare(struct gen *g, struct node *n, bool sense, uint32_t label)
{
	bool string = type_is_string(n->ctype);
	enum gen_form fl, fr;
	int l, r;

	gen_both(g, n->left, n->right, &l, &r, &fl, &fr);
	gobj_emit(g, DIF_INSTR_R(string ? DIF_OP_SCMP : DIF_OP_CMP, l, r, 0));
	greg_free(g, l);
	greg_free(g, r);
	gobj_branch(g,
		    branch_op(n->op, string || type_is_signed(n->ctype), sense),
		    label);
}

static bool
is_compare(int op)
{
	return op == TOK_EQ || op == TOK_NE || op == '<' || op == '>' ||
	       op == TOK_LE || op == TOK_GE;
}

/* Branch to label if the truth of n is sense; else go on. */
static void
gen_branch(struct gen *g, struct node *n, bool sense, uint32_t label)
{
	int r;

	if (n->is_const) {
		if ((n->ival != 0) == sense)
			gobj_branch(g, DIF_OP_BA, label);
	} else if (n->kind == NODE_UNARY && n->op == '!') {
		gen_branch(g, n->left, !sense, label);
	} else if (n->kind == NODE_BINARY && is_compare(n->op)) {
		gen_compare(g, n, sense, label);
	} else if (n->kind == NODE_BINARY &&
		   n->op == (sense ? TOK_LOR : TOK_LAND)) {
		/* either side decides */
		gen_branch(g, n->left, sense, label);
		gen_branch(g, n->right, sense, label);
	} else if (n->kind == NODE_BINARY &&
		   n->op == (sense ? TOK_LAND : TOK_LOR)) {
		/* both sides must agree */
		uint32_t over = gobj_label(g);
		gen_branch(g, n->left, !sense, over);
		gen_branch(g, n->right, sense, label);
		gobj_place(g, over);
	} else {
		r = gen_value(g, n);
		gobj_emit(g, DIF_INSTR_R(DIF_OP_TST, r, 0, 0));
		greg_free(g, r);
		gobj_branch(g, sense ? DIF_OP_BNE : DIF_OP_BE, label);
	}
}

static int
gen_logical(struct gen *g, struct node *n)
{
	uint32_t f = gobj_label(g);

	gen_branch(g, n, false, f);
	return gen_truth(g, f);
}

/* 0 or 1 */
static int
gen_bool(struct gen *g, struct node *n)
{
	if (n->is_const)
		return gen_int(g, n->ival != 0);
	return gen_logical(g, n);
}

static int
gen_xor(struct gen *g, struct node *n)
{
	struct held h;
	int l, r;

	greg_hold(g, gen_own(g, gen_bool(g, n->left)), n->right, &h);
	r = gen_bool(g, n->right);
	l = greg_resume(g, &h);
	gen_r3(g, DIF_OP_XOR, l, r, l);
	greg_free(g, r);
	return l;
}

/* Two paths to one register. */
static int
gen_cond(struct gen *g, struct node *n, enum gen_form *f)
{
	uint32_t no = gobj_label(g), end = gobj_label(g);
	bool value = !type_is_void(n->type);
	enum gen_form fa, fb;
	int a, b;

	gen_branch(g, n->cond, false, no);
	a = gen_operand(g, n->left, &fa);
	if (value)
		a = gen_own(g, a);
	greg_free(g, a);
	gobj_branch(g, DIF_OP_BA, end);
	gobj_place(g, no);
	b = gen_operand(g, n->right, &fb);
	if (!value) {
		greg_free(g, b);
	} else if (b != a) {
		gen_r2(g, DIF_OP_MOV, b, a);
		greg_free(g, b);
		g->busy |= 1u << a;
	}
	gobj_place(g, end);
	*f = FORM_WIDE;
	if (form_in(n->type, n->left->type, fa) == FORM_NORMAL &&
	    form_in(n->type, n->right->type, fb) == FORM_NORMAL)
		*f = FORM_NORMAL;
	return value ? a : 0;
}

/* ---- arithmetic --------------------------------------------------------- */

static enum dif_op
arith_op(int op, bool sign)
{
	switch (op) {
	case '+':
		return DIF_OP_ADD;
	case '-':
		return DIF_OP_SUB;
	case '*':
		return DIF_OP_MUL;
	case '/':
		return sign ? DIF_OP_SDIV : DIF_OP_UDIV;
	case '%':
		return sign ? DIF_OP_SREM : DIF_OP_UREM;
	case '&':
		return DIF_OP_AND;
	case '|':
		return DIF_OP_OR;
	case '^':
		return DIF_OP_XOR;
	case TOK_LSH:
		return DIF_OP_SLL;
	default:
		return sign ? DIF_OP_SRA : DIF_OP_SRL;
	}
}

/* The form of l op r in type t; fl and fr are those of the operands in it. */
static enum gen_form
arith_form(int op, struct type *t, enum gen_form fl, enum gen_form fr)
{
	bool both = fl == FORM_NORMAL && fr == FORM_NORMAL;

	if (width(t) == 64)
		return FORM_NORMAL;
	switch (op) {
	case '&':
		if (!type_is_signed(t))
			both = fl == FORM_NORMAL || fr == FORM_NORMAL;
		return both ? FORM_NORMAL : FORM_WIDE;
	case '|':
	case '^':
	case '%':
		return both ? FORM_NORMAL : FORM_WIDE;
	case '/': /* INT_MIN / -1 does not fit */
		return both && !type_is_signed(t) ? FORM_NORMAL : FORM_WIDE;
	case TOK_RSH:
		return fl;
	default:
		return FORM_WIDE;
	}
}

/* l op r in type t, in a register of its own; l and r are given up. */
int
gen_arith(struct gen *g, int op, int l, int r, struct type *t)
{
	int d = l != 0 ? l : r != 0 ? r : greg_alloc(g);

	gen_r3(g, arith_op(op, type_is_signed(t)), l, r, d);
	if (d != l)
		greg_free(g, l);
	if (d != r)
		greg_free(g, r);
	return d;
}

static int
gen_binary(struct gen *g, struct node *n, enum gen_form *f)
{
	enum gen_form fl, fr;
	int l, r;

	if (n->op == TOK_LXOR)
		return gen_xor(g, n);
	if (n->op == TOK_LAND || n->op == TOK_LOR || is_compare(n->op))
		return gen_logical(g, n);
	gen_both(g, n->left, n->right, &l, &r, &fl, &fr);
	*f = arith_form(n->op, n->type, form_in(n->type, n->left->type, fl),
			form_in(n->type, n->right->type, fr));
	return gen_arith(g, n->op, l, r, n->type);
}

static int
gen_unary(struct gen *g, struct node *n, enum gen_form *f)
{
	bool fits = width(n->type) == 64;
	int r;

	switch (n->op) {
	case TOK_DEREF:
		return gen_load(g, n);
	case TOK_ADDROF:
		return gen_addr(g, n->left);
	case '!':
		return gen_logical(g, n);
	case TOK_POSTINC:
	case TOK_POSTDEC:
		return gen_update(g, n, true);
	case TOK_NEG:
		r = gen_own(g, gen_operand(g, n->left, f));
		gen_r3(g, DIF_OP_SUB, 0, r, r);
		*f = fits ? FORM_NORMAL : FORM_WIDE;
		return r;
	case '~':
		r = gen_own(g, gen_operand(g, n->left, f));
		gen_r2(g, DIF_OP_NOT, r, r);
		if (!fits && !type_is_signed(n->type))
			*f = FORM_WIDE;
		return r;
	default: /* unary + */
		return gen_operand(g, n->left, f);
	}
}

/* ---- any expression ----------------------------------------------------- */

static int
gen_string(struct gen *g, struct node *n)
{
	int r = greg_alloc(g);

	gobj_emit(g, DIF_INSTR_W(DIF_OP_SETS, gobj_str(g, n->str, n->len), r));
	return r;
}

static int
gen_named(struct gen *g, struct node *n, enum gen_form *f)
{
	return n->ref == REF_BUILTIN ? gen_builtin(g, n, f) : gen_var(g, n);
}

/* An index that must be below a bound. */
static int
gen_bounded(struct gen *g, struct node *n, enum gen_form *f)
{
	uint64_t bound = n->bound;

	n->bound = 0;
	int r = gen_value(g, n), b = gen_int(g, bound);
	n->bound = bound;
	gobj_emit(g, DIF_INSTR_R(DIF_OP_BOUND, r, b, 0));
	greg_free(g, b);
	*f = FORM_NORMAL;
	return r;
}

int
gen_raw(struct gen *g, struct node *n, enum gen_form *f)
{
	if (n->bound != 0)
		return gen_bounded(g, n, f);
	*f = FORM_NORMAL;
	if (n->is_const) {
		if (dtype_normal(n->type, n->ival) != n->ival)
			*f = FORM_WIDE;
		return gen_int(g, n->ival);
	}
	switch (n->kind) {
	case NODE_STR:
		return gen_string(g, n);
	case NODE_IDENT:
	case NODE_SELF:
	case NODE_THIS:
	case NODE_SUB:
		return gen_named(g, n, f);
	case NODE_SYM:
	case NODE_MEMBER:
		return gen_load(g, n);
	case NODE_CALL:
		return gen_call(g, n);
	case NODE_UNARY:
		return gen_unary(g, n, f);
	case NODE_BINARY:
		return gen_binary(g, n, f);
	case NODE_ASSIGN:
		return n->op == '=' ? gen_assign(g, n)
				    : gen_update(g, n, false);
	case NODE_COND:
		return gen_cond(g, n, f);
	case NODE_COMMA:
		gen_effect(g, n->left);
		return gen_raw(g, n->right, f);
	case NODE_CAST:
		return gen_cast(g, n, f);
	case NODE_STRINGOF:
		return gen_value(g, n->left);
	case NODE_XLATE:
		return gen_xlate(g, n);
	default:
		lang_fail(g->cx, &D_CG_EXPR, n->loc,
			  "this kind of expression has no code");
	}
}

/* For what it does, not for its value. */
void
gen_effect(struct gen *g, struct node *n)
{
	n->unused = true;
	greg_free(g, gen_value(g, n));
}

/* ---- objects ------------------------------------------------------------ */

/*
 * What an object is for.  Whoever records a value keeps as many bytes as its
 * type has, so junk above them is no matter; aggregations, predicates and
 * actions take the whole register.
 */
static struct gen *
gen_text(struct compile *cx, struct node *n, enum gen_use use, bool spill)
{
	struct gen *g = gobj_new(cx, n->loc);
	enum gen_form f;
	int r = 0;

	g->spill = spill;
	if (use == GEN_EFFECT)
		gen_effect(g, n);
	else if (use == GEN_RECORD)
		r = gen_raw(g, n, &f);
	else
		r = gen_value(g, n);
	if (use != GEN_EFFECT && n->ref == REF_VAR && type_size(n->type) != 0 &&
	    dtype_by_address(n->type))
		gen_not_null(g, r, n->type);
	gobj_emit(g, DIF_INSTR_R(DIF_OP_RET, 0, 0, r));
	return g;
}

struct dif_obj *
gen_expr(struct compile *cx, struct node *n, enum gen_use use)
{
	struct gen *g;

	if (cx->src->show != NULL &&
	    (cx->src->show->stages & LANG_TREE_CHECKED) != 0)
		list_push(cx, cx->shown.checked, cx->shown.nchecked,
			  node_copy(cx, n));
	g = gen_text(cx, n, use, false);
	if (g->overflow)
		g = gen_text(cx, n, use, true);
	return gobj_finish(g, dtype_dif(n->type));
}
