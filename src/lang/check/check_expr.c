/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * check_expr.c - typing of expressions: literals, operators, casts, sizeof.
 * Names and members are in check_name.c, calls in check_call.c, assignment in
 * check_assign.c, the conversions in check_conv.c.
 *
 * The call of an action has type void, an aggregation the dynamic type; who
 * wants a value refuses them as it does any other type that it cannot use, so
 * that errors have the tags that other systems give them.
 *
 * check_expr() may rewrite the node it is given into another (an inline into
 * its expression, a constant operation into its value); children are replaced
 * by pointer.  An expression is checked once.
 */
#include "lang/check/check_impl.h"

#include <inttypes.h>

static void
check_literal(struct compile *cx, struct node *n)
{
	if (n->is_const) /* an enumerator by its type */
		return;
	if (n->kind == NODE_STR) {
		n->type = dtype_basic(cx, TYPE_B_STRING);
		return;
	}
	if (n->type == NULL)
		n->type = dtype_basic(cx, TYPE_B_INT);
	n->ival = dtype_normal(n->type, n->ival);
	n->is_const = true;
}

bool
is_incomplete(struct type *t)
{
	size_t n = 0;

	if (t->kind == TYPE_FWD)
		return true;
	return type_is_sou(t) && type_size(t) == 0 &&
	       (type_members(t, &n) == NULL || n == 0);
}

/* The type completed, or an error naming the operator. */
static struct type *
complete(struct compile *cx, struct type *t, struct src_loc loc, int op)
{
	struct type *r = type_complete(cx->types, type_resolve(t));

	if (is_incomplete(r) ||
	    (r->kind == TYPE_ARRAY && type_size(r) == 0 && r->nelems == 0))
		lang_fail(cx, &D_OP_INCOMPLETE, loc,
			  "operator %s cannot be applied to %s: its size is "
			  "not known",
			  op_name(op), lang_type_name(cx, t));
	return r;
}

/* n becomes the value of r: not a place any more. */
static void
replace(struct node *n, const struct node *r)
{
	*n = *r;
	n->lvalue = false;
}

/* ---- unary -------------------------------------------------------------- */

/* The type and place of *p, whose p has been checked. */
void
deref_pointer(struct compile *cx, struct node *n)
{
	struct type *to = type_resolve(n->left->type)->ref;
	struct type *t = type_resolve(to);

	if (t->kind == TYPE_VOID)
		lang_fail(cx, &D_DEREF_VOID, n->loc,
			  "cannot dereference a pointer to void");
	if (t->kind == TYPE_FUNC)
		lang_fail(cx, &D_DEREF_FUNC, n->loc,
			  "cannot dereference a pointer to a function");
	n->type = to;
	if (t->kind == TYPE_FWD || type_is_sou(t))
		n->type = complete(cx, to, n->loc, n->op);
	n->lvalue = true;
	n->user = type_is_user_ptr(t) || (n->left->user && !type_is_integer(t));
}

static void
check_deref(struct compile *cx, struct node *n)
{
	n->left = check_rvalue(cx, n->left);
	if (!type_is_ptr(n->left->type))
		lang_fail(cx, &D_DEREF_NONPTR, n->loc,
			  "cannot dereference %s: not a pointer",
			  lang_type_name(cx, n->left->type));
	if (n->left->kind == NODE_XLATE) { /* the struct itself */
		struct type *t = type_resolve(n->left->type)->ref;

		replace(n, n->left);
		n->type = t;
		return;
	}
	deref_pointer(cx, n);
}

/* True if the object belongs to D, not to the traced system. */
static bool
is_d_object(const struct node *n)
{
	while (n->kind == NODE_MEMBER)
		n = n->left;
	return n->ref != REF_NONE || !n->lvalue;
}

static void
check_addrof(struct compile *cx, struct node *n)
{
	struct node *l = n->left;

	if (l->kind == NODE_SYM)
		check_symbol(cx, l, true);
	else
		check_expr(cx, l);
	if (l->ref != REF_NONE || l->kind == NODE_AGG)
		lang_fail(cx, &D_ADDROF_VAR, n->loc,
			  "cannot take the address of a D variable or value");
	if (!l->lvalue)
		lang_fail(cx, &D_ADDROF_LVAL, n->loc,
			  "operator & needs an object in memory");
	if (l->bits != 0)
		lang_fail(cx, &D_ADDROF_BITFIELD, n->loc,
			  "cannot take the address of a bit-field");
	if (is_d_object(l))
		lang_fail(cx, &D_ADDROF_VAR, n->loc,
			  "cannot take the address of part of a D variable");
	n->user = node_in_user(l);
	if (l->type == NULL) { /* a symbol without a type */
		uint64_t addr = l->ival;
		*n = *node_int(cx, n->loc, addr, dtype_named(cx, "uintptr_t"));
		return;
	}
	n->type = type_ptr(cx->types, l->type);
}

static void
check_arith_unary(struct compile *cx, struct node *n)
{
	struct node *l = n->left = check_rvalue(cx, n->left);

	if (n->op == '~' && !type_is_integer(l->type))
		lang_fail(cx, &D_OP_INT, n->loc,
			  "operator ~ needs an integer, not %s",
			  lang_type_name(cx, l->type));
	if (!type_is_integer(l->type))
		lang_fail(cx, &D_OP_ARITH, n->loc,
			  "operator %s needs an integer, not %s",
			  op_name(n->op), lang_type_name(cx, l->type));
	n->type = type_operand(cx, l);
	fold_unary(cx, n);
}

static void
check_unary(struct compile *cx, struct node *n)
{
	switch (n->op) {
	case TOK_DEREF:
		check_deref(cx, n);
		break;
	case TOK_ADDROF:
		check_addrof(cx, n);
		break;
	case '!':
		n->left = check_scalar(cx, n->left, &D_OP_SCALAR, "operator !");
		n->type = dtype_basic(cx, TYPE_B_INT);
		fold_unary(cx, n);
		break;
	case TOK_INC:
	case TOK_DEC:
	case TOK_POSTINC:
	case TOK_POSTDEC:
		check_incdec(cx, n);
		break;
	default:
		check_arith_unary(cx, n);
		break;
	}
}

/* ---- binary ------------------------------------------------------------- */

static _Noreturn void
incompatible(struct compile *cx, struct node *n)
{
	bool joins = n->op == '+' && type_is_string(n->left->type) &&
		     type_is_string(n->right->type);

	lang_fail(cx, &D_OP_INCOMPAT, n->loc,
		  "operands of %s have incompatible types: %s and %s%s",
		  op_name(n->op), lang_type_name(cx, n->left->type),
		  lang_type_name(cx, n->right->type),
		  joins ? " (in D: strjoin(a, b))"
			: conv_chars_hint(n->left->chars ? n->left : n->right));
}

static void
need_integers(struct compile *cx, struct node *n, const struct err_tag *tag)
{
	if (!type_is_integer(n->left->type) || !type_is_integer(n->right->type))
		lang_fail(cx, tag, n->loc,
			  "operator %s needs integers, not %s and %s",
			  op_name(n->op), lang_type_name(cx, n->left->type),
			  lang_type_name(cx, n->right->type));
}

static void
check_arith(struct compile *cx, struct node *n)
{
	n->type = type_usual(cx, n->left, n->right);
	if ((n->op == '/' || n->op == '%') && node_is_null(n->right))
		lang_fail(cx, &D_DIV_ZERO, n->loc, "division by constant zero");
	fold_binary(cx, n);
}

static void
check_shift(struct compile *cx, struct node *n)
{
	n->type = type_operand(cx, n->left);
	fold_binary(cx, n);
}

/* Bytes that adding 1 to a pointer adds; an index of a void * counts bytes. */
static uint64_t
pointer_step(struct compile *cx, struct node *p, struct src_loc loc, int op)
{
	struct type *t = complete(cx, type_resolve(p->type)->ref, loc, op);

	return t->kind == TYPE_VOID ? 1 : type_size(t);
}

/* A pointer to what has no size to step by. */
bool
type_is_voidptr(struct type *t)
{
	t = type_resolve(t);
	if (t->kind != TYPE_PTR)
		return false;
	t = type_resolve(t->ref);
	return t->kind == TYPE_VOID || t->kind == TYPE_FUNC;
}

/* i as the number of bytes that p + i adds to p. */
struct node *
check_scale(struct compile *cx, struct node *p, struct node *i,
	    struct src_loc loc, int op)
{
	struct type *t = dtype_named(cx, "int64_t");
	uint64_t step = pointer_step(cx, p, loc, op);
	struct node *m;

	if (step == 1)
		return i;
	m = node_new(cx, NODE_BINARY, i->loc);
	m->op = '*';
	m->left = i;
	m->right = node_int(cx, i->loc, step, t);
	m->type = t;
	fold_binary(cx, m);
	return m;
}

static void
check_pointer_diff(struct compile *cx, struct node *n)
{
	struct type *t = dtype_named(cx, "ptrdiff_t");
	uint64_t step = pointer_step(cx, n->left, n->loc, '-');
	struct node *d;

	if (!type_compat(type_resolve(n->left->type)->ref,
			 type_resolve(n->right->type)->ref))
		incompatible(cx, n);
	n->type = t;
	n->left = conv_to(cx, n->left, t);
	n->right = conv_to(cx, n->right, t);
	fold_binary(cx, n);
	if (step <= 1)
		return;
	d = node_new(cx, NODE_BINARY, n->loc);
	*d = *n;
	n->op = '/';
	n->is_const = false;
	n->left = d;
	n->right = node_int(cx, n->loc, step, t);
	fold_binary(cx, n);
}

/* s + i of a string: the string that begins i bytes later. */
static void
check_string_add(struct compile *cx, struct node *n)
{
	n->left = conv_string(cx, n->left);
	n->type = n->left->type;
	n->user = n->left->user;
}

/* + and -: integers, or a pointer and an integer. */
static void
check_add(struct compile *cx, struct node *n)
{
	bool lp = type_is_ptr(n->left->type), rp = type_is_ptr(n->right->type);

	if (type_is_voidptr(n->left->type) || type_is_voidptr(n->right->type))
		incompatible(cx, n);
	lp = lp || type_is_string(n->left->type);
	rp = rp || type_is_string(n->right->type);

	if (lp && rp && n->op == '-' && type_is_ptr(n->left->type) &&
	    type_is_ptr(n->right->type)) {
		check_pointer_diff(cx, n);
		return;
	}
	if (!lp && !rp) {
		need_integers(cx, n,
			      type_is_arith(n->left->type) ||
					      type_is_arith(n->right->type)
				      ? &D_OP_INCOMPAT
				      : &D_OP_ARITH);
		check_arith(cx, n);
		return;
	}
	if (rp && n->op == '+') { /* 1 + p */
		struct node *p = n->right;
		n->right = n->left;
		n->left = p;
	}
	if (!type_is_integer(n->right->type) || type_is_integer(n->left->type))
		incompatible(cx, n);
	if (type_is_string(n->left->type)) {
		check_string_add(cx, n);
		return;
	}
	n->type = n->left->type;
	n->user = n->left->user;
	n->right = check_scale(cx, n->left, n->right, n->loc, n->op);
	fold_binary(cx, n);
}

static bool
is_string_compare(const struct node *n)
{
	return type_is_strcompat(n->left->type) &&
	       type_is_strcompat(n->right->type) &&
	       (type_is_string(n->left->type) ||
		type_is_string(n->right->type));
}

static bool
is_pointer_compare(const struct node *n)
{
	const struct node *l = n->left, *r = n->right;
	bool lp = type_is_ptr(l->type) || type_is_string(l->type);
	bool rp = type_is_ptr(r->type) || type_is_string(r->type);

	if (type_is_ptr(l->type) && type_is_ptr(r->type))
		return true;
	return (lp && node_is_null(r)) || (rp && node_is_null(l));
}

/* A string or pointer as an address to compare. */
static struct node *
as_address(struct compile *cx, struct node *n)
{
	if (type_is_string(n->type)) {
		n = conv_string(cx, n);
		struct node *c = node_new(cx, NODE_CAST, n->loc);
		c->left = n;
		c->type = type_ptr(cx->types, dtype_basic(cx, TYPE_B_VOID));
		return c;
	}
	return conv_to(cx, n, dtype_named(cx, "uintptr_t"));
}

/* A translated pointer is NULL where what is translated is. */
static struct node *
null_of(struct node *n, const struct node *other)
{
	if (n->kind == NODE_XLATE && type_is_ptr(n->type) &&
	    node_is_null(other) && type_is_ptr(n->left->type))
		return n->left;
	return n;
}

/* n->ctype says how operands compare: string, or an integer type. */
static void
check_compare(struct compile *cx, struct node *n)
{
	if (n->op == TOK_EQ || n->op == TOK_NE) {
		n->left = null_of(n->left, n->right);
		n->right = null_of(n->right, n->left);
	}
	if (is_string_compare(n)) {
		n->left = conv_string(cx, n->left);
		n->right = conv_string(cx, n->right);
		n->ctype = dtype_basic(cx, TYPE_B_STRING);
	} else {
		n->left = conv_decay(cx, n->left);
		n->right = conv_decay(cx, n->right);
		if (type_is_integer(n->left->type) &&
		    type_is_integer(n->right->type)) {
			n->ctype = type_usual(cx, n->left, n->right);
		} else if (is_pointer_compare(n) ||
			   (node_is_null(n->right) &&
			    type_is_integer(n->left->type)) ||
			   (node_is_null(n->left) &&
			    type_is_integer(n->right->type))) {
			n->ctype = dtype_named(cx, "uintptr_t");
			n->left = as_address(cx, n->left);
			n->right = as_address(cx, n->right);
		} else {
			incompatible(cx, n);
		}
	}
	n->type = dtype_basic(cx, TYPE_B_INT);
	if (!type_is_string(n->ctype))
		fold_binary(cx, n);
}

static void
refuse_agg(struct compile *cx, const struct node *n)
{
	const struct node *a = n->kind == NODE_SUB ? n->left : n;

	if (a->kind == NODE_AGG)
		lang_fail(cx, &D_OP_INCOMPAT, n->loc,
			  "aggregation @%s has no value in an expression: each "
			  "CPU or thread has a part of it, and they are added "
			  "when it is printed (count in a variable, as in n++, "
			  "what is to be compared)",
			  a->name);
}

/* Both sides; one that is a name may be an enumerator of the other's type. */
static void
check_sides(struct compile *cx, struct node *n)
{
	struct node *first = n->left, *then = n->right;

	if (first->kind == NODE_IDENT &&
	    (then->kind != NODE_IDENT ||
	     (!names_is_variable(cx, first->name) &&
	      names_is_variable(cx, then->name)))) {
		first = n->right;
		then = n->left;
	}
	refuse_agg(cx, first);
	refuse_agg(cx, then);
	check_expr(cx, first);
	check_enumerator(cx, then, first->type);
	cx->beside = first->type;
	check_expr(cx, then);
	cx->beside = NULL;
}

static void
check_binary(struct compile *cx, struct node *n)
{
	check_sides(cx, n);
	switch (n->op) {
	case TOK_LAND:
	case TOK_LOR:
	case TOK_LXOR:
		if (!node_is_scalar(n->left) || !node_is_scalar(n->right))
			lang_fail(cx, &D_OP_SCALAR, n->loc,
				  "operator %s needs scalars, not %s and %s",
				  op_name(n->op),
				  lang_type_name(cx, n->left->type),
				  lang_type_name(cx, n->right->type));
		n->left = conv_decay(cx, n->left);
		n->right = conv_decay(cx, n->right);
		n->type = dtype_basic(cx, TYPE_B_INT);
		fold_binary(cx, n);
		return;
	case '<':
	case '>':
	case TOK_LE:
	case TOK_GE:
	case TOK_EQ:
	case TOK_NE:
		check_compare(cx, n);
		return;
	}
	n->left = conv_decay(cx, n->left);
	n->right = conv_decay(cx, n->right);
	switch (n->op) {
	case '+':
	case '-':
		check_add(cx, n);
		break;
	case TOK_LSH:
	case TOK_RSH:
		need_integers(cx, n, &D_OP_INT);
		check_shift(cx, n);
		break;
	case '*':
	case '/':
		need_integers(cx, n, &D_OP_ARITH);
		check_arith(cx, n);
		break;
	default:
		need_integers(cx, n, &D_OP_INT);
		check_arith(cx, n);
		break;
	}
}

/* ---- ?: and the comma --------------------------------------------------- */

/* Pointers that are alike, or one to void. */
static bool
same_pointers(struct type *l, struct type *r)
{
	return type_is_void(type_resolve(l)->ref) ||
	       type_is_void(type_resolve(r)->ref) || type_compat(l, r);
}

/* The type both arms are converted to, or NULL. */
static struct type *
arms_type(struct compile *cx, struct node *l, struct node *r)
{
	struct type *lt = l->type, *rt = r->type;

	if (type_is_integer(lt) && type_is_integer(rt))
		return type_usual(cx, l, r);
	if (type_is_ptr(lt) && node_is_null(r))
		return lt;
	if (type_is_ptr(rt) && node_is_null(l))
		return rt;
	if (type_is_ptr(lt) && type_is_ptr(rt))
		return same_pointers(lt, rt) ? lt : NULL;
	if (type_is_sou(lt) && type_is_sou(rt) && type_compat(lt, rt))
		return lt;
	if (type_is_void(lt) && type_is_void(rt))
		return lt;
	return NULL;
}

static bool
is_string_choice(const struct node *l, const struct node *r)
{
	if (!type_is_string(l->type) && !type_is_string(r->type))
		return false;
	return (type_is_strcompat(l->type) || node_is_null(l)) &&
	       (type_is_strcompat(r->type) || node_is_null(r));
}

static void
check_cond(struct compile *cx, struct node *n)
{
	n->cond = check_scalar(cx, n->cond, &D_OP_SCALAR, "operator ?:");
	if (n->cond->is_const) { /* the other arm may be nonsense */
		struct node *arm = n->cond->ival != 0 ? n->left : n->right;

		check_expr(cx, arm);
		replace(n, arm);
		return;
	}
	check_expr(cx, n->left);
	check_expr(cx, n->right);
	if (is_string_choice(n->left, n->right)) {
		if (!node_is_null(n->left))
			n->left = conv_string(cx, n->left);
		if (!node_is_null(n->right))
			n->right = conv_string(cx, n->right);
		n->type = dtype_basic(cx, TYPE_B_STRING);
	} else {
		n->left = conv_copyin(cx, conv_decay(cx, n->left));
		n->right = conv_copyin(cx, conv_decay(cx, n->right));
		n->type = arms_type(cx, n->left, n->right);
		if (n->type == NULL)
			lang_fail(cx, &D_OP_INCOMPAT, n->loc,
				  "the arms of ?: have incompatible types: "
				  "%s and %s",
				  lang_type_name(cx, n->left->type),
				  lang_type_name(cx, n->right->type));
		if (type_is_ptr(n->type)) {
			n->left = conv_to(cx, n->left, n->type);
			n->right = conv_to(cx, n->right, n->type);
		}
		n->user = n->left->user || n->right->user;
	}
}

static void
check_comma(struct compile *cx, struct node *n)
{
	check_expr(cx, n->left);
	n->right = check_rvalue(cx, n->right);
	n->type = n->right->type;
	n->user = n->right->user;
}

/* ---- casts and questions about types ------------------------------------ */

static void
check_cast(struct compile *cx, struct node *n)
{
	struct type *to = type_resolve(n->ctype);
	struct node *l, *v;

	check_enumerator(cx, n->left, n->ctype);
	check_expr(cx, n->left);
	if (type_is_void(to)) {
		n->type = n->ctype;
		return;
	}
	l = n->left;
	if (l->kind == NODE_XLATE && type_is_ptr(l->type) &&
	    type_is_integer(to))
		lang_fail(cx, &D_CAST_INVAL, n->loc,
			  "cannot cast a translated %s to %s: it points to "
			  "nothing in memory",
			  lang_type_name(cx, l->type),
			  lang_type_name(cx, n->ctype));
	if (type_is_string(to) &&
	    (type_is_strcompat(l->type) || node_is_scalar(l))) {
		replace(n, conv_string(cx, l));
		return;
	}
	if (type_is_string(l->type) && type_is_ptr(to)) {
		n->left = conv_string(cx, l);
		n->type = n->ctype;
		return;
	}
	if (type_is_sou(to) && type_is_sou(l->type) &&
	    type_compat(to, l->type)) {
		replace(n, l);
		return;
	}
	l = conv_decay(cx, l);
	if (!type_is_scalar(to) || !type_is_scalar(l->type))
		lang_fail(cx, &D_CAST_INVAL, n->loc, "cannot cast %s to %s",
			  lang_type_name(cx, l->type),
			  lang_type_name(cx, n->ctype));
	v = conv_to(cx, l, n->ctype);
	if (v == l) { /* no change of representation: not an lvalue any more */
		n->left = l;
		n->type = n->ctype;
		n->user = l->user;
		n->is_const = l->is_const;
		n->ival = l->ival;
		return;
	}
	*n = *v;
}

static void
check_sizeof(struct compile *cx, struct node *n)
{
	struct type *t;
	uint64_t size;

	if (n->kind == NODE_SIZEOF) {
		check_expr(cx, n->left);
		if (n->left->bits != 0)
			lang_fail(cx, &D_SIZEOF_BITFIELD, n->loc,
				  "cannot apply sizeof to a bit-field");
		n->ctype = n->left->declared != NULL ? n->left->declared
						     : n->left->type;
		if (n->left->kind == NODE_STR) {
			*n = *node_int(cx, n->loc, n->left->len + 1,
				       dtype_named(cx, "size_t"));
			return;
		}
	}
	t = type_complete(cx->types, type_resolve(n->ctype));
	size = type_is_string(t) && type_size(t) == 0 ? 256 : type_size(t);
	if ((size == 0 && !type_is_sou(t)) || is_incomplete(t))
		lang_fail(cx, &D_SIZEOF_TYPE, n->loc,
			  "cannot apply sizeof to %s: it has no size",
			  lang_type_name(cx, n->ctype));
	*n = *node_int(cx, n->loc, size, dtype_named(cx, "size_t"));
}

static void
check_offsetof(struct compile *cx, struct node *n)
{
	struct type *t = type_complete(cx->types, type_resolve(n->ctype));
	const struct type_member *m;
	uint64_t off;

	if (!type_is_sou(t) || is_incomplete(t))
		lang_fail(cx, &D_OFFSETOF_TYPE, n->loc,
			  "offsetof needs a struct or union that is defined, "
			  "not %s",
			  lang_type_name(cx, n->ctype));
	m = type_member(t, n->name, &off);
	if (m == NULL)
		lang_fail(cx, &D_UNKNOWN, n->loc, "%s is not a member of %s%s",
			  n->name, lang_type_name(cx, n->ctype),
			  check_near_member(cx, t, n->name));
	if (m->bits != 0)
		lang_fail(cx, &D_OFFSETOF_BITFIELD, n->loc,
			  "cannot take the offset of bit-field %s", n->name);
	*n = *node_int(cx, n->loc, off / 8, dtype_named(cx, "size_t"));
}

/* A type that nobody knows has no members: kernels differ in that, too. */
static void
check_has_member(struct compile *cx, struct node *n)
{
	struct type *t = type_complete(cx->types, type_resolve(n->ctype));
	uint64_t off;
	bool has = type_is_sou(t) && type_member(t, n->name, &off) != NULL;

	*n = *node_int(cx, n->loc, has, dtype_basic(cx, TYPE_B_INT));
}

static void
check_stringof(struct compile *cx, struct node *n)
{
	struct src_loc loc = n->loc;

	check_expr(cx, n->left);
	if (!type_is_strcompat(n->left->type) && !node_is_scalar(n->left))
		lang_fail(cx, &D_STRINGOF_TYPE, n->loc,
			  "stringof needs a string, a pointer or an integer, "
			  "not %s",
			  lang_type_name(cx, n->left->type));
	replace(n, conv_string(cx, n->left));
	n->loc = loc; /* it is not the argument: check_c.c looks */
}

/* ---- the door ----------------------------------------------------------- */

void
check_expr(struct compile *cx, struct node *n)
{
	switch (n->kind) {
	case NODE_INT:
	case NODE_STR:
		check_literal(cx, n);
		break;
	case NODE_IDENT:
		check_ident(cx, n);
		break;
	case NODE_SYM:
		check_symbol(cx, n, false);
		break;
	case NODE_AGG:
		n->type = dtype_basic(cx, TYPE_B_DYN);
		break;
	case NODE_SELF:
	case NODE_THIS:
		check_thread_or_local(cx, n);
		break;
	case NODE_SUB:
		check_subscript(cx, n);
		break;
	case NODE_CALL:
		check_call(cx, n);
		break;
	case NODE_MEMBER:
	case NODE_ARROW:
		check_member(cx, n);
		break;
	case NODE_UNARY:
		check_unary(cx, n);
		break;
	case NODE_BINARY:
		check_binary(cx, n);
		break;
	case NODE_ASSIGN:
		check_assign(cx, n);
		break;
	case NODE_COND:
		check_cond(cx, n);
		break;
	case NODE_COMMA:
		check_comma(cx, n);
		break;
	case NODE_CAST:
		check_cast(cx, n);
		break;
	case NODE_SIZEOF_TYPE:
	case NODE_SIZEOF:
		check_sizeof(cx, n);
		break;
	case NODE_OFFSETOF:
		check_offsetof(cx, n);
		break;
	case NODE_HAS_MEMBER:
		check_has_member(cx, n);
		break;
	case NODE_STRINGOF:
		check_stringof(cx, n);
		break;
	case NODE_XLATE:
		check_xlate(cx, n);
		break;
	case NODE_PARAM:
		check_param(cx, n);
		break;
	case NODE_EXPR_STMT:
	case NODE_IF:
		lang_fail(cx, &D_SYNTAX, n->loc,
			  "a statement may not be used as an expression");
	}
}

struct node *
check_rvalue(struct compile *cx, struct node *n)
{
	check_expr(cx, n);
	return conv_decay(cx, n);
}

struct node *
check_scalar(struct compile *cx, struct node *n, const struct err_tag *tag,
	     const char *what)
{
	check_expr(cx, n);
	if (!node_is_scalar(n))
		lang_fail(cx, tag, n->loc,
			  "%s needs an integer or a pointer, not %s", what,
			  lang_type_name(cx, n->type));
	return conv_decay(cx, n);
}

int64_t
check_const(struct compile *cx, struct node *n, const struct err_tag *tag,
	    const char *what)
{
	check_expr(cx, n);
	if (!n->is_const || !type_is_integer(n->type))
		lang_fail(cx, tag, n->loc, "%s must be an integer constant",
			  what);
	return (int64_t)n->ival;
}

/* True if name is an inline that is the integer constant val. */
static bool
inline_equals(struct compile *cx, const char *name, struct src_loc loc,
	      int64_t val)
{
	const struct ident *id = names_find(cx, DIF_SCOPE_GLOBAL, name);
	struct node *n;

	if (id == NULL || id->kind != ID_INLINE || id->nkeys > 0)
		return false;
	n = node_new(cx, NODE_IDENT, loc);
	n->name = id->name;
	check_expr(cx, n);
	return n->is_const && type_is_integer(n->type) &&
	       (int64_t)n->ival == val;
}

const struct parse_ask check_ask = {
	.constant = check_const,
	.inline_equals = inline_equals,
};
