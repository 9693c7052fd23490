/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * check_impl.h - what the files of the checker and the generator share.
 *
 * The checker turns the parser's tree into one that the generator can
 * translate without knowing C: it resolves names, inserts every conversion as
 * a cast, folds constants and rewrites
 *
 *   p->m        (*p).m                a[i]    *(a + i)
 *   p + i       p + i * size          ++x     x += 1
 *   p - q       (p - q) / size        user string    copyinstr(address)
 *
 * What an operator computes in is in its node: 64 bits, and its type says
 * whether they are signed (check_conv.c).
 */
#ifndef LANG_CHECK_IMPL_H
#define LANG_CHECK_IMPL_H

#include "lang/lang_impl.h"

/* ---- the clause being checked (cx->clause) ------------------------------ */

struct clause_cx {
	const struct dif_pdesc *pdesc;
	const struct lang_probe_info *info; /* NULL: outside a clause */
	struct src_loc loc;
	bool records, uses_locals;
	uint32_t args_used;
	struct dif_stmt *stmts; /* grows in cx->arena */
	uint32_t nstmts, cap;
	uint32_t nifs; /* if statements so far: numbers hidden variables */
	uint32_t ntemps; /* arguments kept in such: check_once() */
	/* check_spec.c: what there was so far; the first three anew in each
	   part of a clause with if statements. */
	bool speculated, committed, recorded;
	struct node *spec_id; /* of speculate(); NULL: none */
};

static inline struct clause_cx *
clause_of(struct compile *cx)
{
	return cx->clause;
}

/* check.c: append a statement of a kind; its members are the caller's. */
struct dif_stmt *check_stmt_new(struct compile *cx, uint32_t kind,
				struct src_loc loc);
/* Room for n expressions of a statement, in the program's arena. */
void check_stmt_exprs(struct compile *cx, struct dif_stmt *st, uint32_t n);

/* ---- check_who.c ---------------------------------------------------------- */

/* The clause is complete: add what the option who wants in its record. */
void check_who(struct compile *cx);

/* ---- check_spec.c ------------------------------------------------------- */

/* A statement of that kind is about to come: may it, after the others? */
void check_spec_order(struct compile *cx, uint32_t kind, struct src_loc loc);
/* The argument of speculate(), commit() or discard(). */
void check_spec(struct compile *cx, struct node *call, struct dif_stmt *st);
/* A part of a clause begins: it goes on where an earlier part diverted its
   data to. */
void check_spec_again(struct compile *cx, struct src_loc loc);
/* A part ends that is not the last: its speculate() alone is no data. */
void check_spec_more(struct compile *cx);

/* ---- names.c ------------------------------------------------------------ */

struct ident *names_find(struct compile *cx, enum dif_scope scope,
			 const char *name);
struct ident *names_add(struct compile *cx, enum dif_scope scope,
			enum ident_kind kind, const char *name,
			struct type *type, struct src_loc loc);
/* A translator of this compile, to be filled in. */
struct xlator *names_add_xlator(struct compile *cx);
void names_add_provider(struct compile *cx, struct prov_decl *d);
/* An identifier, if it is one, is not seen by versions before this. */
void names_bind(struct compile *cx, const char *name, uint32_t version);
/* Give a new ID_VAR ident its variable; keys: an associative array. */
void names_make_var(struct compile *cx, struct ident *id, enum dif_scope scope,
		    struct type **keys, uint32_t nkeys);
struct agg_ident *names_find_agg(struct compile *cx, const char *name);
struct agg_ident *names_add_agg(struct compile *cx, const char *name,
				uint32_t nkeys, struct src_loc loc);
/* Is there such a name, seen by this version or not? */
bool names_exists(struct compile *cx, const char *name);
/* Constants every program knows: R_RIP, DTRACEFLT_BADADDR, NULL. */
bool names_constant(const char *name, int64_t *val);

/*
 * What is built in and seen by the program's version of D (since.def); NULL if
 * there is no such name or it came later.
 */
const struct dif_builtin_info *names_builtin(const struct compile *cx,
					     const char *name);
const struct dif_subr_info *names_subr(const struct compile *cx,
				       const char *name);
const struct dif_act_info *names_act(const struct compile *cx,
				     const char *name);
const struct dif_agg_info *names_aggfunc(const struct compile *cx,
					 const char *name);
/* Did the built-in name come with a later version than the program's?  Then
 *version is that one. */
bool names_hidden(const struct compile *cx, const char *name,
		  uint32_t *version);
/* " (D has NAME since ...)" for a name that is hidden, else "". */
const char *names_later(struct compile *cx, const char *name);

/* ---- check_near.c: " (did you mean NAME?)", or "" ----------------------- */

/* A variable or inline of the scope. */
const char *check_near_var(struct compile *cx, enum dif_scope scope,
			   const char *name);
/* An action, subroutine or aggregating function. */
const char *check_near_func(struct compile *cx, const char *name);
/* A member of a struct or union. */
const char *check_near_member(struct compile *cx, struct type *t,
			      const char *name);

/* ---- check_tree.c: making and copying trees ----------------------------- */

/* parse_expr.c */
struct node *node_new(struct compile *cx, enum node_kind kind,
		      struct src_loc loc);
struct node *node_int(struct compile *cx, struct src_loc loc, uint64_t val,
		      struct type *type);
struct node *node_copy(struct compile *cx, const struct node *n);
struct node **node_copy_list(struct compile *cx, struct node *const *v,
			     uint32_t n);
struct type *basic(struct compile *cx, enum type_basic b);
/* A type of the base space by its name ("size_t"). */
struct type *type_named(struct compile *cx, const char *name);
const char *op_name(int op);

/* ---- check_conv.c: conversions and constants ---------------------------- */

/* Without qualifiers at the top (typedefs stay). */
struct type *type_unqual(struct type *t);
/* The type an operator gives for one operand, and for two. */
struct type *type_operand(struct compile *cx, const struct node *n);
struct type *type_usual(struct compile *cx, const struct node *l,
			const struct node *r);
bool type_is_user_ptr(struct type *t);
bool type_is_bool(struct type *t);
bool type_is_voidptr(struct type *t); /* check_expr.c: to void, a function */
/* The normal form of a value in a type: cut to its width, then extended. */
uint64_t fold_to(struct type *t, uint64_t val);
/* n as a value of this type: a cast, folded; n itself when it is one. */
struct node *conv_to(struct compile *cx, struct node *n, struct type *t);
/* Arrays and functions as pointers. */
struct node *conv_decay(struct compile *cx, struct node *n);
/* n as a D string; n must be string compatible, a pointer or an integer. */
struct node *conv_string(struct compile *cx, struct node *n);
/* A struct or array that lives in user memory: copied in. */
struct node *conv_copyin(struct compile *cx, struct node *n);
/* n converted as by assignment to type t; what names the place. */
struct node *conv_assign(struct compile *cx, struct type *t, struct node *n,
			 struct src_loc loc, const struct err_tag *tag,
			 const char *what);
bool node_is_null(const struct node *n); /* constant 0 */
bool node_is_scalar(const struct node *n);
bool node_in_user(const struct node *n); /* lvalue in user memory */
void fold_unary(struct compile *cx, struct node *n);
void fold_binary(struct compile *cx, struct node *n);

/* ---- check_expr.c ------------------------------------------------------- */

/* A struct or union without members: declared, not defined. */
bool is_incomplete(struct type *t);
/* check_expr() and decay. */
struct node *check_rvalue(struct compile *cx, struct node *n);
/* check_expr() of a condition: the tag unless scalar. */
struct node *check_scalar(struct compile *cx, struct node *n,
			  const struct err_tag *tag, const char *what);
/* n is *p and p has been checked: give n its type. */
void deref_pointer(struct compile *cx, struct node *n);
/* i as the number of bytes that p + i adds to p. */
struct node *check_scale(struct compile *cx, struct node *p, struct node *i,
			 struct src_loc loc, int op);
/* check_name.c: identifiers, symbols, subscripts, members, variables. */
/* Most keys of an associative array. */
uint32_t check_keys_max(const struct compile *cx);
void check_ident(struct compile *cx, struct node *n);
/* n stands beside a value of that type: is it one of its enumerators? */
void check_enumerator(struct compile *cx, struct node *n, struct type *type);
void check_symbol(struct compile *cx, struct node *n, bool address_only);
void check_thread_or_local(struct compile *cx, struct node *n);
void check_subscript(struct compile *cx, struct node *n);
void check_member(struct compile *cx, struct node *n);
/* Declare what an assignment of this type makes; false: it exists. */
bool check_implicit(struct compile *cx, struct node *n, struct type *type);
/* check_call.c */
void check_call(struct compile *cx, struct node *n);
struct node *check_subr(struct compile *cx, struct src_loc loc,
			enum dif_subr id, struct node *a, struct node *b);
/* A member's place in its struct, bit_off from its start: ival, or the unit
   and bits of a bit-field. */
void check_place_bits(struct compile *cx, struct node *n,
		      const struct type_member *m, uint64_t bit_off);
/* check_assign.c */
void check_assign(struct compile *cx, struct node *n);
void check_incdec(struct compile *cx, struct node *n);
/* The operator of a compound assignment: '+' of TOK_ADD_EQ. */
int op_of_assign(int op);

/* ---- check.c: declared names -------------------------------------------- */

/* May it be declared?  true: it is, and says the same; no new one is needed. */
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
/*
 * If the argument for that parameter of expr must be evaluated once and
 * first: the assignment that does so, and *arg becomes the variable.  expr
 * NULL: the argument is used any number of times.
 */
struct node *check_once(struct compile *cx, struct node **arg,
			const struct node *expr, uint32_t param);
/* The assignment of *arg to a hidden variable, which *arg becomes. */
struct node *check_held(struct compile *cx, struct node **arg);
/* Does it assign, or (calls) call? */
bool check_has_effect(const struct node *n, bool calls);
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
/* The member xm of the translated struct xl, which is declared as m. */
struct node *check_xlated(struct compile *cx, const struct node *xl,
			  const struct xlator_member *xm,
			  const struct type_member *m, struct src_loc loc);

/* ---- check_prov.c ------------------------------------------------------- */

void check_provider(struct compile *cx, const struct item *it);
/* What declared providers say of the arguments, if pi says nothing. */
void check_prov_types(struct compile *cx, const struct dif_pdesc *pd,
		      struct lang_probe_info *pi);

/* ---- statements --------------------------------------------------------- */

/* check_act.c: is the call an action? Then check it and make a statement. */
bool check_action(struct compile *cx, struct node *call);
/* Is n the call of an action as a value?  Then that is of type void. */
bool check_act_value(struct compile *cx, struct node *n);
/* stack(), ustack(), jstack(), as opposed to symbols of an address. */
bool check_act_is_stack(const struct dif_act_info *act);
/* check_print.c: print(expr). */
void check_print(struct compile *cx, struct node *call, struct dif_stmt *st);
/* The action a value may be (stack(), usym(x)) as key or argument, or NULL. */
const struct dif_act_info *check_key_action(struct compile *cx,
					    struct node *n);
void check_key_expr(struct compile *cx, struct node *n,
		    const struct dif_act_info *act, struct dif_expr *out);
/* The recorded form of a checked value. */
void check_record(struct compile *cx, struct node *n, struct dif_expr *out);
/* A recorded scalar of a type. */
void check_record_as(struct compile *cx, struct node *n, struct type *t,
		     struct dif_expr *out);
void check_served(struct compile *cx, const struct dif_act_info *act,
		  struct src_loc loc);
/* check_agg.c */
void check_aggregate(struct compile *cx, struct node *assign);
struct agg_ident *check_agg_arg(struct compile *cx, struct node *n,
				const char *func, const struct err_tag *arg,
				const struct err_tag *bad);
/* check_fmt.c */
void check_printf(struct compile *cx, const struct dif_act_info *act,
		  struct node *call);
void check_printa(struct compile *cx, const struct dif_act_info *act,
		  struct node *call);

#endif
