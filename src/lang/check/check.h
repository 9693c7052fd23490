/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * check.h - the door of the checker of expressions and declarations.
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
#ifndef LANG_CHECK_CHECK_H
#define LANG_CHECK_CHECK_H

#include "lang/parse/parse.h"
#include "lang/tree/names.h"

/* ---- the clause being checked (cx->clause) ------------------------------ */

struct clause_cx {
	const struct dif_pdesc *pdesc;
	struct lang_probe_info *info; /* NULL: outside a clause */
	struct src_loc loc;
	bool records, uses_locals;
	bool args_unknown; /* args[] of a probe that is not there are used */
	uint32_t args_used;
	const char *within; /* of struct dif_clause */
	uint32_t within_var;
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

/* ---- items -------------------------------------------------------------- */

/* Declare what the item does; it is no clause. */
void check_decl_item(struct compile *cx, const struct item *it);
/* What declared providers say of the arguments, if pi says nothing. */
void check_prov_types(struct compile *cx, const struct dif_pdesc *pd,
		      struct lang_probe_info *pi);

/* ---- check_c.c ---------------------------------------------------------- */

/* Who wants the value of an expression: nobody, a record or a key in the type's
   width, or somebody all 64 bits. */
enum check_c_use { CHECK_C_NONE, CHECK_C_KEPT, CHECK_C_ALL };
/* Note in cx->notes where a checked expression has another value than in C. */
void check_c(struct compile *cx, struct node *n, enum check_c_use use);

/* ---- expressions -------------------------------------------------------- */

/*
 * Type an expression tree; fold constants.  After it every node has its type.
 */
void check_expr(struct compile *cx, struct node *n);
/* check_expr() and decay. */
struct node *check_rvalue(struct compile *cx, struct node *n);
/* check_expr() of a condition: the tag unless scalar. */
struct node *check_scalar(struct compile *cx, struct node *n,
			  const struct err_tag *tag, const char *what);
/* check_expr(); fails with the tag unless it is an integer constant. */
int64_t check_const(struct compile *cx, struct node *n,
		    const struct err_tag *tag, const char *what);
/* What the parser asks of the checker. */
extern const struct parse_ask check_ask;
/* Most keys of an associative array. */
uint32_t check_keys_max(const struct compile *cx);
struct node *check_subr(struct compile *cx, struct src_loc loc,
			enum dif_subr id, struct node *a, struct node *b);
/* A member's place in its struct, bit_off from its start: ival, or the unit
   and bits of a bit-field. */
void check_place_bits(struct compile *cx, struct node *n,
		      const struct type_member *m, uint64_t bit_off);
/* The operator of a compound assignment: '+' of TOK_ADD_EQ. */
int op_of_assign(int op);
/* The action a value may be (stack(), usym(x)) as key or argument, or NULL. */
const struct dif_act_info *check_key_action(struct compile *cx,
					    struct node *n);
/* Of probes that are made of others: the condition that this one fires. */
struct node *check_made_fires(struct compile *cx, struct src_loc loc);
/* Fails if key k, the i-th from 0, is a translated value. */
void check_key_xlate(struct compile *cx, const struct node *k, uint32_t i);
/* An action, subroutine or aggregating function. */
const char *check_near_func(struct compile *cx, const char *name);
/* True if it assigns or, with `calls`, calls. */
bool check_has_effect(const struct node *n, bool calls);
/*
 * If the argument for that parameter of expr must be evaluated once and
 * first: the assignment that does so, and *arg becomes the variable.  expr
 * NULL: the argument is used any number of times.
 */
struct node *check_once(struct compile *cx, struct node **arg,
			const struct node *expr, uint32_t param);
/* The member xm of the translated struct xl, which is declared as m. */
struct node *check_xlated(struct compile *cx, const struct node *xl,
			  const struct xlator_member *xm,
			  const struct type_member *m, struct src_loc loc);

/* ---- check_conv.c: conversions ------------------------------------------ */

/* n as a value of this type: a cast, folded; n itself when it is one. */
struct node *conv_to(struct compile *cx, struct node *n, struct type *t);
/* Arrays and functions as pointers. */
struct node *conv_decay(struct compile *cx, struct node *n);
/* n as a D string; n must be string compatible, a pointer or an integer. */
struct node *conv_string(struct compile *cx, struct node *n);
/* A struct or array that lives in user memory: copied in. */
struct node *conv_copyin(struct compile *cx, struct node *n);
/* "", or what to tell of a character constant where a string is wanted. */
const char *conv_chars_hint(const struct node *n);
bool node_is_scalar(const struct node *n);
bool node_in_user(const struct node *n); /* lvalue in user memory */

#endif
