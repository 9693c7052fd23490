/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * gen.c - DIF for checked expressions: values, operators, conversions,
 * conditions.  Variables, memory and calls are in gen_mem.c; what the objects
 * are made of is in gen_obj.c.
 *
 * A register holds the normal form of its value: sign- or zero-extended from
 * the type's width.  Sums and products of narrow types leave it for a while
 * ("dirty") and are brought back only where the upper bits matter: in
 * comparisons, divisions, right shifts, widening, stores and results.
 *
 * Registers are few and there is no spilling.  Of two operands the one that
 * needs more registers is evaluated first, unless both have side effects.
 */
#include "lang/gen_impl.h"

/* ---- types -------------------------------------------------------------- */

/* Is a value of this type represented by its address? */
bool
type_by_address(struct type *t)
{
	t = type_resolve(t);
	return type_is_sou(t) || t->kind == TYPE_ARRAY ||
	       t->kind == TYPE_FUNC || type_is_string(t) ||
	       (t->kind == TYPE_FLOAT && type_size(t) > 8);
}

static enum dif_ckind
ckind_of(const struct type *t)
{
	switch (t->kind) {
	case TYPE_VOID:
		return DIF_CK_VOID;
	case TYPE_FLOAT:
		return DIF_CK_FLOAT;
	case TYPE_ENUM:
		return DIF_CK_ENUM;
	case TYPE_PTR:
		return DIF_CK_PTR;
	case TYPE_ARRAY:
		return DIF_CK_ARRAY;
	case TYPE_FUNC:
		return DIF_CK_FUNC;
	case TYPE_STRUCT:
		return DIF_CK_STRUCT;
	case TYPE_UNION:
		return DIF_CK_UNION;
	default:
		return DIF_CK_INT;
	}
}

struct dif_type
gen_type(struct type *t)
{
	struct dif_type d = { .kind = DIF_TYPE_CTF };

	t = type_resolve(t);
	if (type_is_string(t))
		return (struct dif_type){ .kind = DIF_TYPE_STRING,
					  .ckind = DIF_CK_STRING,
					  .flags = DIF_TF_BYREF };
	d.ckind = (uint8_t)ckind_of(t);
	d.size = t->kind == TYPE_PTR ? 8 : (uint32_t)type_size(t);
	if (t->kind == TYPE_FUNC)
		d.size = 8;
	else if (type_by_address(t))
		d.flags |= DIF_TF_BYREF;
	if (type_is_integer(t) && type_is_signed(t))
		d.flags |= DIF_TF_SIGNED;
	return d;
}

/* Bits of an integer or pointer value. */
static unsigned
width(struct type *t)
{
	t = type_resolve(t);
	if (!type_is_integer(t) || type_size(t) >= 8 || type_size(t) == 0)
		return 64;
	return (unsigned)type_size(t) * 8;
}

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
	for (uint32_t i = 0; i < n->nargs; i++)
		k = max2(k, need(n->args[i]) + (i > 0));
	n->nregs = (uint8_t)(k > 200 ? 200 : k);
	return n->nregs;
}

/* Both operands, the hungrier first. */
static void
gen_both(struct gen *g, struct node *l, struct node *r, int *rl, int *rr,
	 bool *dl, bool *dr)
{
	if (need(r) > need(l) && !(has_effects(l) || has_effects(r))) {
		*rr = gen_raw(g, r, dr);
		*rl = gen_raw(g, l, dl);
	} else {
		*rl = gen_raw(g, l, dl);
		*rr = gen_raw(g, r, dr);
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

int
gen_value(struct gen *g, struct node *n)
{
	bool dirty = false;
	int r = gen_raw(g, n, &dirty);

	return dirty ? gen_normal(g, r, n->type) : r;
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

int
gen_convert(struct gen *g, int r, struct type *from, struct type *to,
	    bool *dirty)
{
	struct type *rf = type_resolve(from), *rt = type_resolve(to);
	unsigned wf = width(rf), wt = width(rt);

	if (rt->kind == TYPE_INT && rt->is_bool &&
	    !(rf->kind == TYPE_INT && rf->is_bool)) {
		uint32_t f = gobj_label(g);
		if (*dirty)
			r = gen_normal(g, r, from);
		*dirty = false;
		gobj_emit(g, DIF_INSTR_R(DIF_OP_TST, r, 0, 0));
		greg_free(g, r);
		gobj_branch(g, DIF_OP_BE, f);
		return gen_truth(g, f);
	}
	if (wt > wf) {
		if (*dirty)
			r = gen_normal(g, r, from);
		/* A negative number in a wider, but not full, unsigned. */
		*dirty = type_is_signed(rf) && !type_is_signed(rt) && wt < 64;
	} else if (wt < wf || type_is_signed(rf) != type_is_signed(rt)) {
		*dirty = wt < 64;
	}
	return r;
}

static int
gen_cast(struct gen *g, struct node *n, bool *dirty)
{
	int r;

	if (type_is_void(n->type)) {
		greg_free(g, gen_value(g, n->left));
		return 0;
	}
	r = gen_raw(g, n->left, dirty);
	if (!type_is_integer(n->left->type) && !type_is_integer(n->type))
		return r; /* addresses */
	return gen_convert(g, r, n->left->type, n->type, dirty);
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
	bool string = type_is_string(n->ctype), dl = false, dr = false;
	int l, r;

	gen_both(g, n->left, n->right, &l, &r, &dl, &dr);
	if (dl)
		l = gen_normal(g, l, n->left->type);
	if (dr)
		r = gen_normal(g, r, n->right->type);
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
	int l = gen_own(g, gen_bool(g, n->left));
	int r = gen_bool(g, n->right);

	gen_r3(g, DIF_OP_XOR, l, r, l);
	greg_free(g, r);
	return l;
}

/* Two paths to one register. */
static int
gen_cond(struct gen *g, struct node *n)
{
	uint32_t no = gobj_label(g), end = gobj_label(g);
	bool value = !type_is_void(n->type);
	int a, b;

	gen_branch(g, n->cond, false, no);
	a = gen_value(g, n->left);
	if (value)
		a = gen_own(g, a);
	greg_free(g, a);
	gobj_branch(g, DIF_OP_BA, end);
	gobj_place(g, no);
	b = gen_value(g, n->right);
	if (!value) {
		greg_free(g, b);
	} else if (b != a) {
		gen_r2(g, DIF_OP_MOV, b, a);
		greg_free(g, b);
		g->busy |= 1u << a;
	}
	gobj_place(g, end);
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

/* Do the upper bits of the operands matter to this operator? */
static bool
needs_normal(int op)
{
	return op == '/' || op == '%' || op == TOK_RSH;
}

/*
 * l op r in type t into a register of its own; l and r are given up.  *dirty
 * says on entry whether an operand is dirty (never where it must not be).
 */
int
gen_arith(struct gen *g, int op, int l, int r, struct type *t, bool *dirty)
{
	int d = l != 0 ? l : r != 0 ? r : greg_alloc(g);

	gen_r3(g, arith_op(op, type_is_signed(t)), l, r, d);
	if (d != l)
		greg_free(g, l);
	if (d != r)
		greg_free(g, r);
	if (width(t) == 64)
		*dirty = false;
	else if (op == '+' || op == '-' || op == '*' || op == TOK_LSH)
		*dirty = true;
	/* INT_MIN / -1 does not fit */
	else if (op == '/' && type_is_signed(t))
		*dirty = true;
	return d;
}

static int
gen_binary(struct gen *g, struct node *n, bool *dirty)
{
	bool dl = false, dr = false;
	int l, r;

	if (n->op == TOK_LXOR)
		return gen_xor(g, n);
	if (n->op == TOK_LAND || n->op == TOK_LOR || is_compare(n->op))
		return gen_logical(g, n);
	gen_both(g, n->left, n->right, &l, &r, &dl, &dr);
	if (dl && needs_normal(n->op)) {
		l = gen_normal(g, l, n->left->type);
		dl = false;
	}
	/* Shift counts must be exact: 256 is not 0. */
	if (dr && (needs_normal(n->op) || n->op == TOK_LSH)) {
		r = gen_normal(g, r, n->right->type);
		dr = false;
	}
	*dirty = dl || dr;
	return gen_arith(g, n->op, l, r, n->type, dirty);
}

static int
gen_unary(struct gen *g, struct node *n, bool *dirty)
{
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
		r = gen_own(g, gen_raw(g, n->left, dirty));
		gen_r3(g, DIF_OP_SUB, 0, r, r);
		*dirty = width(n->type) < 64;
		return r;
	case '~':
		r = gen_own(g, gen_raw(g, n->left, dirty));
		gen_r2(g, DIF_OP_NOT, r, r);
		*dirty = *dirty ||
			 (width(n->type) < 64 && !type_is_signed(n->type));
		return r;
	default: /* unary + */
		return gen_raw(g, n->left, dirty);
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
gen_named(struct gen *g, struct node *n, bool *dirty)
{
	return n->ref == REF_BUILTIN ? gen_builtin(g, n, dirty) : gen_var(g, n);
}

int
gen_raw(struct gen *g, struct node *n, bool *dirty)
{
	*dirty = false;
	if (n->is_const)
		return gen_int(g, n->ival);
	switch (n->kind) {
	case NODE_STR:
		return gen_string(g, n);
	case NODE_IDENT:
	case NODE_SELF:
	case NODE_THIS:
	case NODE_SUB:
		return gen_named(g, n, dirty);
	case NODE_SYM:
	case NODE_MEMBER:
		return gen_load(g, n);
	case NODE_CALL:
		return gen_call(g, n, dirty);
	case NODE_UNARY:
		return gen_unary(g, n, dirty);
	case NODE_BINARY:
		return gen_binary(g, n, dirty);
	case NODE_ASSIGN:
		return n->op == '=' ? gen_assign(g, n)
				    : gen_update(g, n, false);
	case NODE_COND:
		return gen_cond(g, n);
	case NODE_COMMA:
		greg_free(g, gen_value(g, n->left));
		return gen_raw(g, n->right, dirty);
	case NODE_CAST:
		return gen_cast(g, n, dirty);
	case NODE_STRINGOF:
		return gen_value(g, n->left);
	case NODE_XLATE:
		return gen_xlate(g, n);
	default:
		lang_fail(g->cx, &D_CG_EXPR, n->loc,
			  "this kind of expression has no code");
	}
}

struct dif_obj *
gen_expr(struct compile *cx, struct node *n)
{
	show_tree_checked(cx, n);
	struct gen *g = gobj_new(cx, n->loc);
	int r = gen_value(g, n);

	if (n->ref == REF_VAR && type_size(n->type) != 0 &&
	    type_by_address(n->type))
		gen_not_null(g, r, n->type);
	gobj_emit(g, DIF_INSTR_R(DIF_OP_RET, 0, 0, r));
	return gobj_finish(g, gen_type(n->type));
}
