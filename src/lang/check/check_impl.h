/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* check_impl.h - what the files of the checker share. */
#ifndef LANG_CHECK_CHECK_IMPL_H
#define LANG_CHECK_CHECK_IMPL_H

#include "lang/check/check.h"
#include "lang/tree/dtype.h"

/* ---- check_near.c: " (did you mean NAME?)", or "" ----------------------- */

/* A variable or inline of the scope. */
const char *check_near_var(struct compile *cx, enum dif_scope scope,
			   const char *name);
/* A member of a struct or union. */
const char *check_near_member(struct compile *cx, struct type *t,
			      const char *name);

/* ---- check_conv.c: conversions and constants ---------------------------- */

/* Without qualifiers at the top (typedefs stay). */
struct type *type_unqual(struct type *t);
/* The type an operator gives for one operand, and for two. */
struct type *type_operand(struct compile *cx, const struct node *n);
struct type *type_usual(struct compile *cx, const struct node *l,
			const struct node *r);
bool type_is_user_ptr(struct type *t);
bool type_is_voidptr(struct type *t); /* check_expr.c: to void, a function */
/* n converted as by assignment to type t; what names the place. */
struct node *conv_assign(struct compile *cx, struct type *t, struct node *n,
			 struct src_loc loc, const struct err_tag *tag,
			 const char *what);
bool node_is_null(const struct node *n); /* constant 0 */
void fold_unary(struct compile *cx, struct node *n);
void fold_binary(struct compile *cx, struct node *n);

/* ---- check_expr.c ------------------------------------------------------- */

/* A struct or union without members: declared, not defined. */
bool is_incomplete(struct type *t);
/* n is *p and p has been checked: give n its type. */
void deref_pointer(struct compile *cx, struct node *n);
/* i as the number of bytes that p + i adds to p. */
struct node *check_scale(struct compile *cx, struct node *p, struct node *i,
			 struct src_loc loc, int op);
/* check_name.c: identifiers, symbols, subscripts, members, variables. */
void check_ident(struct compile *cx, struct node *n);
/* n stands beside a value of that type: give it that type if it is one of its
   enumerators. */
void check_enumerator(struct compile *cx, struct node *n, struct type *type);
void check_symbol(struct compile *cx, struct node *n, bool address_only);
void check_thread_or_local(struct compile *cx, struct node *n);
void check_subscript(struct compile *cx, struct node *n);
void check_member(struct compile *cx, struct node *n);
/* Declare what an assignment of this type makes; false: it exists. */
bool check_implicit(struct compile *cx, struct node *n, struct type *type);
/* check_call.c */
void check_call(struct compile *cx, struct node *n);
/* check_assign.c */
void check_assign(struct compile *cx, struct node *n);
void check_incdec(struct compile *cx, struct node *n);

/* ---- check_decl.c -------------------------------------------- */

/* Find out whether it may be declared.  true: it is, and says the same; no new
   one is needed. */
bool check_declare(struct compile *cx, const struct decl *d,
		   enum ident_kind kind);
/* An object needs a type that has a size. */
void check_object_type(struct compile *cx, const struct decl *d);

/* ---- check_inline.c ----------------------------------------------------- */

/*
 * A checked copy of the tree of x->what, with x for its parameters; x is in
 * force, for errors too, until check_expanded().
 */
struct node *check_expand(struct compile *cx, struct expansion *x,
			  const struct node *expr);
void check_expanded(struct compile *cx, const struct expansion *x);
void check_param(struct compile *cx, struct node *n);
/* The assignment of *arg to a hidden variable, which *arg becomes. */
struct node *check_held(struct compile *cx, struct node **arg);
/* (first, then); then itself if first is NULL. */
struct node *check_after(struct compile *cx, struct node *first,
			 struct node *then);
void check_inline(struct compile *cx, const struct item *it);
/* n names the inline, its args are the arguments: n becomes the value. */
void check_inline_use(struct compile *cx, struct node *n,
		      const struct ident *id);

/* ---- check_xlate.c ------------------------------------------------------ */

void check_xlator(struct compile *cx, const struct item *it);
/* The translator from in to the struct out, or NULL. */
const struct xlator *check_xlator_find(struct compile *cx, struct type *out,
				       struct type *in);
/* xlate <ctype>(left); what: the beginning of the message if there is none. */
void check_xlate(struct compile *cx, struct node *n);
void check_xlate_value(struct compile *cx, struct node *n,
		       const struct err_tag *tag, const char *what);
/* n is a checked args[arg]: translate it to the type of that text. */
void check_xlate_args(struct compile *cx, struct node *n, uint64_t arg,
		      const char *text);
/* n's left has been checked: if it is translated, n becomes the member. */
bool check_xlate_member(struct compile *cx, struct node *n);

/* ---- check_prov.c ------------------------------------------------------- */

void check_provider(struct compile *cx, const struct item *it);

#endif
