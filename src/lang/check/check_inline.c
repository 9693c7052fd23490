/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * check_inline.c - inlines, and what they share with translators: a tree that
 * is kept, and copied and checked anew at each use.
 *
 * A parameter stands in the tree as a NODE_PARAM; at a use it becomes the
 * argument, which has been checked before and is a value of the parameter's
 * type.  So the code of an argument appears once per use of the parameter, but
 * an argument that assigns, or that calls a subroutine and is used more than
 * once, is evaluated first and once, into a hidden clause-local variable:
 *
 *   inline int twice[int a] = a + a;
 *   twice[x++]      (this->%1:int = x++, this->%1:int + this->%1:int)
 *
 * Texts of the D library are not checked where they declare: that would ask
 * for types of the kernel that no program may ever use.
 *
 * See doc/decisions/0021-translators.md.
 */
#include "lang/check/check_impl.h"

#include <string.h>

/* Inlines that use inlines grow fast: 30 doublings are a billion nodes. */
#define EXPAND_HEIGHT_MAX 1000
#define EXPAND_MAX        50000

/* ---- expansions --------------------------------------------------------- */

struct node *
check_expand(struct compile *cx, struct expansion *x, const struct node *expr)
{
	struct node *e;

	for (const struct expansion *u = cx->expansion; u != NULL; u = u->up)
		if (u->what == x->what)
			lang_fail(cx, &D_IDENT_BADREF, x->use,
				  "%s is defined by itself", x->name);
	if (cx->inline_height > EXPAND_HEIGHT_MAX || cx->ninlined >= EXPAND_MAX)
		lang_fail(cx, &D_SYNTAX, x->use,
			  "%s expands too far: inlines are nested too deeply "
			  "or too widely",
			  x->name);
	cx->ninlined++;
	cx->inline_height += expr->height;
	x->up = cx->expansion;
	cx->expansion = x;
	e = node_copy(cx, expr);
	check_expr(cx, e);
	cx->inline_height -= expr->height;
	return e;
}

void
check_expanded(struct compile *cx, const struct expansion *x)
{
	cx->expansion = x->up;
}

void
check_param(struct compile *cx, struct node *n)
{
	const struct expansion *x = cx->expansion;
	struct src_loc loc = n->loc;

	if (x->args != NULL) {
		*n = *x->args[n->ival];
		n->loc = loc;
		n->lvalue = false;
		return;
	}
	n->type = x->types[n->ival];
	n->user = type_is_user_ptr(n->type);
}

/* ---- arguments that are evaluated once ---------------------------------- */

static bool
is_effect(const struct node *n, bool calls)
{
	return n->kind == NODE_ASSIGN || (calls && n->kind == NODE_CALL) ||
	       (n->kind == NODE_UNARY &&
		(n->op == TOK_POSTINC || n->op == TOK_POSTDEC ||
		 n->op == TOK_INC || n->op == TOK_DEC));
}

bool
check_has_effect(const struct node *n, bool calls)
{
	if (n == NULL || n->is_const)
		return false;
	if (is_effect(n, calls))
		return true;
	for (uint32_t i = 0; i < n->nargs; i++)
		if (check_has_effect(n->args[i], calls))
			return true;
	return check_has_effect(n->left, calls) ||
	       check_has_effect(n->right, calls) ||
	       check_has_effect(n->cond, calls);
}

static unsigned
count_param(const struct node *n, uint32_t param)
{
	unsigned k;

	if (n == NULL)
		return 0;
	k = n->kind == NODE_PARAM && n->ival == param;
	for (uint32_t i = 0; i < n->nargs; i++)
		k += count_param(n->args[i], param);
	return k + count_param(n->left, param) + count_param(n->right, param) +
	       count_param(n->cond, param);
}

/* A variable of its own for this place in the clause, by number and type. */
static struct node *
temporary(struct compile *cx, struct src_loc loc, struct type *type)
{
	struct node *n = node_new(cx, NODE_THIS, loc);
	struct ident *id;

	n->name = arena_printf(cx->arena, "%%%u:%s", ++clause_of(cx)->ntemps,
			       lang_type_name(cx, type));
	id = names_find(cx, DIF_SCOPE_LOCAL, n->name);
	if (id == NULL) {
		id = names_add(cx, DIF_SCOPE_LOCAL, ID_VAR, n->name, type, loc);
		names_make_var(cx, id, DIF_SCOPE_LOCAL, NULL, 0);
	}
	check_expr(cx, n);
	return n;
}

struct node *
check_held(struct compile *cx, struct node **arg)
{
	struct node *a = *arg, *set = node_new(cx, NODE_ASSIGN, a->loc);

	set->op = '=';
	set->left = temporary(cx, a->loc, type_unqual(a->type));
	set->right = a;
	set->type = set->left->type;
	*arg = arena_memdup(cx->arena, set->left, sizeof(*set->left));
	(*arg)->user = a->user;
	return set;
}

struct node *
check_once(struct compile *cx, struct node **arg, const struct node *expr,
	   uint32_t param)
{
	struct node *a = *arg;
	bool often = expr == NULL || count_param(expr, param) > 1;

	/* Outside of a clause nothing is evaluated. */
	if (clause_of(cx) == NULL || !(check_has_effect(a, false) ||
				       (check_has_effect(a, true) && often)))
		return NULL;
	/* It has no value to keep, but what is translated has one. */
	if (a->kind == NODE_XLATE) {
		*arg = arena_memdup(cx->arena, a, sizeof(*a));
		return check_once(cx, &(*arg)->left, expr, param);
	}
	return check_held(cx, arg);
}

struct node *
check_after(struct compile *cx, struct node *first, struct node *then)
{
	struct node *n;

	if (first == NULL)
		return then;
	n = node_new(cx, NODE_COMMA, then->loc);
	n->left = first;
	n->right = then;
	n->type = then->type;
	n->user = then->user;
	return n;
}

/* ---- inlines ------------------------------------------------------------ */

void
check_inline(struct compile *cx, const struct item *it)
{
	const struct decl *d = &it->decls[0];
	struct expansion x = { .what = it, .name = d->name, .types = d->keys };
	struct ident *id;

	check_declare(cx, d, ID_INLINE);
	if (!cx->src->library) {
		check_object_type(cx, d);
		conv_assign(cx, d->type, check_expand(cx, &x, it->expr),
			    it->loc, &D_OP_INCOMPAT,
			    "inline of incompatible type");
		check_expanded(cx, &x);
		/* The expression may have made a variable of this name. */
		check_declare(cx, d, ID_INLINE);
	}
	id = names_add(cx, DIF_SCOPE_GLOBAL, ID_INLINE, d->name, d->type,
		       d->loc);
	id->expr = it->expr;
	id->keys = d->keys;
	id->nkeys = d->nkeys;
}

static void
inline_args(struct compile *cx, const struct node *n, const struct ident *id,
	    struct node **args)
{
	if (n->nargs != id->nkeys)
		lang_fail(cx, &D_PROTO_LEN, n->loc,
			  "inline %s takes %u argument%s, not %u", id->name,
			  id->nkeys, id->nkeys == 1 ? "" : "s", n->nargs);
	for (uint32_t i = 0; i < n->nargs; i++) {
		check_expr(cx, n->args[i]);
		args[i] =
			conv_assign(cx, id->keys[i], n->args[i],
				    n->args[i]->loc, &D_PROTO_ARG,
				    arena_printf(cx->arena,
						 "argument #%u of inline %s is "
						 "incompatible",
						 i + 1, id->name));
	}
}

void
check_inline_use(struct compile *cx, struct node *n, const struct ident *id)
{
	struct node **args = arena_calloc(cx->arena, id->nkeys, sizeof(*args));
	struct expansion x = {
		.what = id, .name = id->name, .use = n->loc, .args = args,
		.nargs = id->nkeys
	};
	struct node *first = NULL, *e;

	inline_args(cx, n, id, args);
	for (uint32_t i = 0; i < id->nkeys; i++) {
		struct node *set = check_once(cx, &args[i], id->expr, i);
		if (set != NULL)
			first = check_after(cx, first, set);
	}
	e = check_expand(cx, &x, id->expr);
	e = conv_assign(cx, id->type, e, n->loc, &D_OP_INCOMPAT,
			"inline of incompatible type");
	check_expanded(cx, &x);
	e = check_after(cx, first, e);
	e->loc = n->loc;
	*n = *e;
	n->lvalue = false;
}
