/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * gen_mem.c - DIF for what is kept somewhere: variables, memory behind
 * addresses, bit-fields; and for what goes over the tuple stack: keys of
 * associative arrays and arguments of subroutines.
 *
 * The tuple stack is one, so a tuple must be pushed without anything between
 * that pushes another.  Elements that use the stack themselves (or branch, to
 * keep the depth plain to see for engines) are evaluated into registers before
 * the first push; the others one by one.
 *
 * D's own structs and arrays are values, and engines let programs write to
 * scratch memory only.  So `this->s.m = x` takes a copy of the variable in
 * scratch, changes it there, and stores the whole.
 */
#include "lang/gen/gen_impl.h"

/* ---- tuples ------------------------------------------------------------- */

/* A struct or union: a key by its bytes. */
static bool
is_struct_key(const struct node *n)
{
	return n->type != NULL && type_is_sou(type_resolve(n->type));
}

static bool
uses_tuple(const struct node *n)
{
	if (n == NULL || n->is_const)
		return false;
	if (n->kind == NODE_CALL || n->kind == NODE_COND ||
	    n->kind == NODE_XLATE || (n->ref == REF_VAR && n->nargs != 0))
		return true;
	if (n->kind == NODE_BINARY && (n->ctype != NULL || n->op == TOK_LAND ||
				       n->op == TOK_LOR || n->op == TOK_LXOR))
		return true;
	if (n->kind == NODE_UNARY && n->op == '!')
		return true;
	if (is_struct_key(n) && n->ref == REF_VAR)
		return true; /* branches if it has no value */
	for (uint32_t i = 0; i < n->nargs; i++)
		if (uses_tuple(n->args[i]))
			return true;
	return uses_tuple(n->left) || uses_tuple(n->right);
}

static void
push(struct gen *g, const struct node *n, int r)
{
	int size;

	/* Size 0: the value's own, or the string size option. */
	if (type_is_string(n->type)) {
		gobj_emit(g, DIF_INSTR_R(DIF_OP_PUSHTR, DIF_TYPE_STRING, 0, r));
	} else if (is_struct_key(n)) {
		size = gen_int(g, type_size(n->type));
		gobj_emit(g, DIF_INSTR_R(DIF_OP_PUSHTR, DIF_TYPE_CTF, size, r));
		greg_free(g, size);
	} else {
		gobj_emit(g, DIF_INSTR_R(DIF_OP_PUSHTV, 0, 0, r));
	}
}

/* A key as its type keeps it, or (NULL) an argument. */
static int
gen_member(struct gen *g, struct node *n, struct type *t)
{
	int r = t != NULL ? gen_kept(g, n, t) : gen_value(g, n);

	if (is_struct_key(n) && n->ref == REF_VAR)
		gen_not_null(g, r, n->type);
	return r;
}

/* Push a tuple; t: the types that keys are kept in, or NULL for arguments. */
static void
gen_tuple(struct gen *g, struct node **args, uint32_t n, struct type **t)
{
	struct held held[DIF_NTUPLE];
	uint32_t early = 0;

	for (uint32_t i = 0; i < n; i++)
		if (uses_tuple(args[i]))
			early = i + 1;
	for (uint32_t i = 0; i < early; i++) {
		int r = gen_member(g, args[i], t != NULL ? t[i] : NULL);
		if (i + 1 < early)
			greg_hold(g, r, NULL, &held[i]);
		else
			held[i] = (struct held){ .reg = r };
	}
	for (uint32_t i = 0; i < n; i++) {
		int r = i < early ? greg_resume(g, &held[i])
				  : gen_member(g, args[i],
					       t != NULL ? t[i] : NULL);
		push(g, args[i], r);
		greg_free(g, r);
	}
}

static void
gen_flush(struct gen *g)
{
	gobj_emit(g, DIF_INSTR_R(DIF_OP_FLUSHTS, 0, 0, 0));
}

int
gen_call(struct gen *g, struct node *n)
{
	const struct dif_subr_info *s = n->ident;
	int r;

	if (n->ref != REF_SUBR)
		lang_fail(g->cx, &D_OP_ACT, n->loc,
			  "action %s() may not be used in an expression",
			  n->name);
	gen_tuple(g, n->args, n->nargs, NULL);
	r = greg_alloc(g);
	gobj_emit(g, DIF_INSTR_W(DIF_OP_CALL, s->id, r));
	gen_flush(g);
	if ((s->flags & DIF_SUBR_F_DESTRUCTIVE) != 0)
		g->destructive = true;
	return r; /* subroutines return what their type holds */
}

/* ---- built-in variables ------------------------------------------------- */

int
gen_builtin(struct gen *g, struct node *n, enum gen_form *f)
{
	const struct dif_builtin_info *b = n->ident;
	int r, idx;

	gobj_builtin(g, b, n->type);
	if (b->kind == DIF_BK_SCALAR) {
		r = greg_alloc(g);
		gobj_emit(g, DIF_INSTR_W(DIF_OP_LDGS, b->id, r));
		return r;
	}
	idx = gen_value(g, n->args[0]);
	r = idx != 0 ? idx : greg_alloc(g);
	gobj_emit(g, DIF_INSTR_R(DIF_OP_LDGA, b->id, idx, r));
	/* Arguments are raw 64-bit values, whatever their type says. */
	if (type_is_integer(n->type) && type_size(n->type) < 8)
		*f = FORM_JUNK;
	return r;
}

/* ---- D's variables ------------------------------------------------------ */

static const struct dif_uvar *
var_of(const struct node *n)
{
	return ((const struct ident *)n->ident)->var;
}

/* ldgs, stgs and their like: [scope][array][store] */
static const enum dif_op var_ops[3][2][2] = {
	[DIF_SCOPE_GLOBAL] = { { DIF_OP_LDGS, DIF_OP_STGS },
			       { DIF_OP_LDGAA, DIF_OP_STGAA } },
	[DIF_SCOPE_THREAD] = { { DIF_OP_LDTS, DIF_OP_STTS },
			       { DIF_OP_LDTAA, DIF_OP_STTAA } },
	[DIF_SCOPE_LOCAL] = { { DIF_OP_LDLS, DIF_OP_STLS },
			      { DIF_OP_NOP, DIF_OP_NOP } },
};

static void
var_op(struct gen *g, const struct node *n, bool store, int r)
{
	const struct dif_uvar *v = var_of(n);

	gobj_uvar(g, v, store ? DIF_VF_MOD : DIF_VF_REF);
	gobj_emit(g,
		  DIF_INSTR_W(var_ops[v->scope][v->kind == DIF_VK_ARRAY][store],
			      v->id, r));
}

static bool
is_element(const struct node *n)
{
	return var_of(n)->kind == DIF_VK_ARRAY;
}

/* Push the keys of an element. */
static void
gen_keys(struct gen *g, const struct node *n)
{
	gen_tuple(g, n->args, n->nargs, ((const struct ident *)n->ident)->keys);
}

int
gen_var(struct gen *g, struct node *n)
{
	int r;

	if (n == g->base)
		return 0;
	if (is_element(n))
		gen_keys(g, n);
	r = greg_alloc(g);
	var_op(g, n, false, r);
	if (is_element(n))
		gen_flush(g);
	return r;
}

/* ---- memory ------------------------------------------------------------- */

static int
add_offset(struct gen *g, int r, uint64_t off)
{
	int t;

	if (off == 0)
		return r;
	t = gen_int(g, off);
	if (r == 0)
		return t;
	gen_r3(g, DIF_OP_ADD, r, t, r);
	greg_free(g, t);
	return r;
}

/* The address of n's object plus an offset. */
static int
addr_plus(struct gen *g, struct node *n, uint64_t off)
{
	if (n->kind == NODE_MEMBER)
		return addr_plus(g, n->left, off + n->ival);
	if (n->kind == NODE_SYM) {
		g->kernel = true;
		return gen_int(g, n->ival + off);
	}
	if (n->kind == NODE_UNARY && n->op == TOK_DEREF) {
		struct node *p = n->left;
		/* p + constant: one addition for both */
		if (p->kind == NODE_BINARY && p->op == '+' &&
		    p->right->is_const && !p->is_const)
			return add_offset(g, gen_value(g, p->left),
					  off + p->right->ival);
		return add_offset(g, gen_value(g, p), off);
	}
	/* A struct, array or string that is held by address. */
	return add_offset(g, gen_value(g, n), off);
}

int
gen_addr(struct gen *g, struct node *n)
{
	return addr_plus(g, n, 0);
}

static enum dif_op
load_op(uint64_t size, bool sign, bool user)
{
	enum dif_op op;

	switch (size) {
	case 1:
		op = sign ? DIF_OP_LDSB : DIF_OP_LDUB;
		break;
	case 2:
		op = sign ? DIF_OP_LDSH : DIF_OP_LDUH;
		break;
	case 4:
		op = sign ? DIF_OP_LDSW : DIF_OP_LDUW;
		break;
	default:
		op = DIF_OP_LDX;
		break;
	}
	return user ? op + (DIF_OP_ULDSB - DIF_OP_LDSB) : op;
}

static void
shift(struct gen *g, enum dif_op op, int r, unsigned bits)
{
	int t = gen_int(g, bits);

	if (bits != 0)
		gen_r3(g, op, r, t, r);
	greg_free(g, t);
}

/* An enum without negative values is unsigned to gcc, which counts here. */
static bool
is_signed_field(struct type *t)
{
	const struct type_enumerator *v;
	bool negative = false;
	size_t n;

	t = type_resolve(t);
	if (t->kind != TYPE_ENUM)
		return type_is_signed(t);
	v = type_enumerators(t, &n);
	for (size_t i = 0; i < n; i++)
		negative = negative || v[i].val < 0;
	return negative;
}

/* Take a bit-field out of its unit. */
static int
extract_bits(struct gen *g, const struct node *n, int r)
{
	bool sign = is_signed_field(n->type);
	unsigned left = 64 - n->bit_shift - n->bits, right = 64 - n->bits;

	shift(g, DIF_OP_SLL, r, left);
	shift(g, sign ? DIF_OP_SRA : DIF_OP_SRL, r, right);
	return r;
}

static int
load_at(struct gen *g, const struct node *n, int addr)
{
	bool user = node_in_user(n);
	struct type *t = type_resolve(n->type);
	int r = gen_own(g, addr);

	if (n->bits != 0) {
		gen_r2(g, load_op(n->unit, false, user), r, r);
		return extract_bits(g, n, r);
	}
	gen_r2(g,
	       load_op(t->kind == TYPE_PTR ? 8 : type_size(t),
		       type_is_signed(t), user),
	       r, r);
	return r;
}

/* Zeros of that size, in scratch, as the value in r. */
static void
gen_zeros(struct gen *g, int r, uint64_t size)
{
	int n = gen_int(g, size);

	gen_r2(g, DIF_OP_ALLOCS, n, r);
	greg_free(g, n);
}

void
gen_not_null(struct gen *g, int r, struct type *t)
{
	uint32_t some = gobj_label(g);

	gobj_emit(g, DIF_INSTR_R(DIF_OP_TST, r, 0, 0));
	gobj_branch(g, DIF_OP_BNE, some);
	gen_zeros(g, r, type_size(t));
	gobj_place(g, some);
}

/* A part of a D variable: 0 if the variable has no value. */
static int
load_part(struct gen *g, struct node *n, struct node *var)
{
	uint32_t none = gobj_label(g), end = gobj_label(g);
	const struct node *outer = g->base;
	struct held h;
	int r, base;

	g->base = var;
	r = gen_own(g, gen_addr(g, n)); /* from the variable's start */
	g->base = outer;
	greg_hold(g, r, var, &h);
	base = gen_var(g, var);
	r = greg_resume(g, &h);
	gobj_emit(g, DIF_INSTR_R(DIF_OP_TST, base, 0, 0));
	gobj_branch(g, DIF_OP_BE, none);
	gen_r3(g, DIF_OP_ADD, base, r, r);
	if (!dtype_by_address(n->type))
		r = load_at(g, n, r);
	gobj_branch(g, DIF_OP_BA, end);
	gobj_place(g, none);
	if (dtype_by_address(n->type) && !type_is_string(n->type))
		gen_zeros(g, r, type_size(n->type));
	else
		gen_r2(g, DIF_OP_MOV, 0, r);
	gobj_place(g, end);
	greg_free(g, base);
	return r;
}

/* The value of a symbol, a member or what a pointer points to. */
int
gen_load(struct gen *g, struct node *n)
{
	struct node *var = node_part_of(n);
	int r;

	if (var != NULL && var != g->base)
		return load_part(g, n, var);
	r = gen_addr(g, n);
	if (dtype_by_address(n->type))
		return r;
	return load_at(g, n, r);
}

static enum dif_op
store_op(uint64_t size)
{
	switch (size) {
	case 1:
		return DIF_OP_STB;
	case 2:
		return DIF_OP_STH;
	case 4:
		return DIF_OP_STW;
	default:
		return DIF_OP_STX;
	}
}

static void
emit_store(struct gen *g, uint64_t size, int val, int addr)
{
	gobj_emit(g, DIF_INSTR_R(store_op(size), val, 0, addr));
}

/* ---- bytes -------------------------------------------------------------- */

/* Bytes of an array or of a string that is a member. */
static uint64_t
room(struct type *t)
{
	return type_is_string(t) ? TYPE_STRING_MEMBER : type_size(t);
}

/* Bytes of the string at s to copy, its NUL included if that fits. */
static int
string_bytes(struct gen *g, int s, uint64_t max)
{
	uint32_t fits = gobj_label(g);
	int len = greg_alloc(g), n;

	gobj_emit(g, DIF_INSTR_R(DIF_OP_PUSHTR, DIF_TYPE_STRING, 0, s));
	gobj_emit(g, DIF_INSTR_W(DIF_OP_CALL, DIF_SUBR_strlen, len));
	gen_flush(g);
	n = gen_int(g, 1);
	gen_r3(g, DIF_OP_ADD, len, n, len);
	greg_free(g, n);
	n = gen_int(g, max);
	gobj_emit(g, DIF_INSTR_R(DIF_OP_CMP, len, n, 0));
	gobj_branch(g, DIF_OP_BLEU, fits);
	gen_r2(g, DIF_OP_MOV, n, len);
	gobj_place(g, fits);
	greg_free(g, n);
	return len;
}

void
gen_store_array(struct gen *g, struct type *to, struct type *from, int val,
		int addr)
{
	/* A pointer leads to as much as there is room for. */
	uint64_t max = room(to), have = type_is_ptr(from) ? max : room(from);
	uint32_t end = gobj_label(g);
	int size, r;

	if (type_is_string(from)) {
		gobj_emit(g, DIF_INSTR_R(DIF_OP_TST, val, 0, 0));
		gobj_branch(g, DIF_OP_BE, end);
		size = string_bytes(g, val, max);
	} else {
		size = gen_int(g, have < max ? have : max);
	}
	gen_r3(g, DIF_OP_COPYS, val, size, addr);
	greg_free(g, size);
	if (type_is_string(from)) {
		/* The last byte of a string is its NUL, come what may. */
		r = gen_int(g, max - 1);
		gen_r3(g, DIF_OP_ADD, addr, r, r);
		emit_store(g, 1, 0, r);
		greg_free(g, r);
	}
	gobj_place(g, end);
}

/* The string in val as the bytes of a member: all of them, zeros after it. */
static int
string_block(struct gen *g, struct type *t, int val)
{
	int size = gen_int(g, TYPE_STRING_MEMBER), block = greg_alloc(g);

	gen_r2(g, DIF_OP_ALLOCS, size, block);
	greg_free(g, size);
	gen_store_array(g, t, t, val, block);
	greg_free(g, val);
	return block;
}

/* Put a value into its place in the unit at addr. */
static void
store_bits(struct gen *g, const struct node *n, int val, int addr)
{
	uint64_t mask = (n->bits == 64 ? 0 : 1ull << n->bits) - 1;
	int unit = greg_alloc(g), t, v = greg_alloc(g);

	gen_r2(g, load_op(n->unit, false, false), addr, unit);
	t = gen_int(g, ~(mask << n->bit_shift));
	gen_r3(g, DIF_OP_AND, unit, t, unit);
	greg_free(g, t);
	t = gen_int(g, mask);
	gen_r3(g, DIF_OP_AND, val, t, v);
	greg_free(g, t);
	shift(g, DIF_OP_SLL, v, n->bit_shift);
	gen_r3(g, DIF_OP_OR, unit, v, unit);
	greg_free(g, v);
	emit_store(g, n->unit, unit, addr);
	greg_free(g, unit);
}

/* Store the normal value to the object of n at addr. */
void
gen_store(struct gen *g, const struct node *n, int val, int addr)
{
	struct type *t = type_resolve(n->type);
	int size;

	if (n->bits != 0) {
		store_bits(g, n, val, addr);
		return;
	}
	if (!dtype_by_address(t)) {
		emit_store(g, t->kind == TYPE_PTR ? 8 : type_size(t), val,
			   addr);
		return;
	}
	size = gen_int(g, room(t));
	gen_r3(g, DIF_OP_COPYS, val, size, addr);
	greg_free(g, size);
}

/* ---- assignment --------------------------------------------------------- */

/* A bit-field keeps only its bits, which are also the assignment's value. */
static int
cut_bits(struct gen *g, const struct node *l, int r)
{
	struct node whole = *l;

	if (l->bits == 0 || l->bits == 64)
		return r;
	whole.bit_shift = 0;
	return extract_bits(g, &whole, gen_own(g, r));
}

/*
 * Where an assignment stores: a whole variable; memory at an address; or a
 * part of a variable, at an address in a copy of it.  Keys of elements are
 * pushed once and stay on the tuple stack from open to close.
 */
struct place {
	struct node *l;   /* the target */
	struct node *var; /* the variable that is stored, or NULL */
	int addr;         /* of the object, if it is not all of the variable */
	int copy;         /* of the variable, if it is not all that is stored */
};

static bool
is_whole(const struct place *p)
{
	return p->l == p->var;
}

/* True if it is a string in memory, whose room nobody knows. */
static bool
is_string_at(const struct node *l)
{
	return type_is_string(l->type) && l->ref != REF_VAR &&
	       l->kind != NODE_MEMBER;
}

/* *p = "text": the bytes of the text and its NUL, all of them. */
static int
assign_string_at(struct gen *g, struct node *l, int val)
{
	struct held h;
	int addr, size;

	greg_hold(g, val, l, &h);
	addr = gen_own(g, gen_addr(g, l));
	val = greg_resume(g, &h);
	size = string_bytes(g, val, UINT32_MAX);
	gen_r3(g, DIF_OP_COPYS, val, size, addr);
	greg_free(g, size);
	greg_free(g, addr);
	return val;
}

/* A copy of the variable in scratch; zeros where it has no value. */
static int
copy_var(struct gen *g, struct node *var)
{
	int size = gen_int(g, type_size(var->type)), from, copy;
	uint32_t none = gobj_label(g);

	from = greg_alloc(g);
	var_op(g, var, false, from);
	copy = greg_alloc(g);
	gen_r2(g, DIF_OP_ALLOCS, size, copy);
	gobj_emit(g, DIF_INSTR_R(DIF_OP_TST, from, 0, 0));
	gobj_branch(g, DIF_OP_BE, none);
	gen_r3(g, DIF_OP_COPYS, from, size, copy);
	gobj_place(g, none);
	greg_free(g, from);
	greg_free(g, size);
	return copy;
}

static void
open_place(struct gen *g, struct place *p, struct node *l)
{
	struct held h;

	*p = (struct place){ .l = l };
	p->var = l->ref == REF_VAR ? l : node_part_of(l);
	/* First what may use the tuple stack: the place in the variable. */
	if (!is_whole(p)) {
		g->base = p->var;
		p->addr = gen_own(g, gen_addr(g, l));
		g->base = NULL;
	}
	if (p->var == NULL)
		return;
	greg_hold(g, p->addr, p->var, &h);
	if (is_element(p->var))
		gen_keys(g, p->var);
	p->addr = greg_resume(g, &h);
	if (is_whole(p))
		return;
	p->copy = copy_var(g, p->var);
	gen_r3(g, DIF_OP_ADD, p->addr, p->copy, p->addr);
}

static int
load_place(struct gen *g, const struct place *p)
{
	int r = greg_alloc(g);

	if (is_whole(p)) {
		var_op(g, p->l, false, r);
		return r;
	}
	gen_r2(g, DIF_OP_MOV, p->addr, r);
	return load_at(g, p->l, r);
}

static void
close_place(struct gen *g, struct place *p, int val)
{
	if (!is_whole(p))
		gen_store(g, p->l, val, p->addr);
	greg_free(g, p->addr);
	if (p->var == NULL)
		return;
	var_op(g, p->var, true, is_whole(p) ? val : p->copy);
	if (is_element(p->var))
		gen_flush(g);
	greg_free(g, p->copy);
}

/* The right side of an assignment: as its variable keeps it.  Memory keeps
   what it has bytes or bits for, so the cut is for who wants the value. */
static int
assigned(struct gen *g, struct node *n)
{
	struct node *l = n->left;

	if (l->ref != REF_VAR && n->unused)
		return gen_value(g, n->right);
	return cut_bits(g, l, gen_kept(g, n->right, l->type));
}

/* The right side comes first: it, too, may use the tuple stack. */
int
gen_assign(struct gen *g, struct node *n)
{
	int val = assigned(g, n);
	struct place p;
	struct held h;

	if (is_string_at(n->left))
		return assign_string_at(g, n->left, val);
	/* Before keys are pushed: it calls, and branches. */
	if (type_is_string(n->left->type) && n->left->ref != REF_VAR)
		val = string_block(g, n->left->type, val);
	greg_hold(g, val, n->left, &h);
	open_place(g, &p, n->left);
	val = greg_resume(g, &h);
	close_place(g, &p, val);
	return val;
}

/*
 * l op= r, where r changes nothing that l depends on (else the checker has made
 * it an assignment of l op r), so it may come first.
 */
int
gen_update(struct gen *g, struct node *n, bool old)
{
	struct type *lt = n->left->type;
	int r, v, keep = -1;
	struct place p;
	struct held h;

	greg_hold(g, gen_value(g, n->right), n->left, &h);
	open_place(g, &p, n->left);
	r = greg_resume(g, &h);
	v = gen_own(g, load_place(g, &p));
	if (old) {
		keep = greg_alloc(g);
		gen_r2(g, DIF_OP_MOV, v, keep);
	}
	v = gen_arith(g, op_of_assign(n->op), v, r, n->ctype);
	if (n->left->ref == REF_VAR || !n->unused || dtype_is_bool(lt))
		v = cut_bits(g, n->left, gen_cut(g, v, lt));
	close_place(g, &p, v);
	if (!old)
		return v;
	greg_free(g, v);
	return keep;
}
