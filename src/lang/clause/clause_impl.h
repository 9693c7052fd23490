/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* clause_impl.h - what the files that compile statements share. */
#ifndef LANG_CLAUSE_CLAUSE_IMPL_H
#define LANG_CLAUSE_CLAUSE_IMPL_H

#include "lang/check/check.h"
#include "lang/clause/clause.h"
#include "lang/gen/gen.h"
#include "lang/tree/dtype.h"

/* ---- check_stmt.c -------------------------------------------------------- */

/* Append a statement of a kind, which fails the compile if it may not stand
   after the others; its members are the caller's. */
struct dif_stmt *check_stmt_new(struct compile *cx, uint32_t kind,
				struct src_loc loc);
/* Room for n expressions of a statement, in the program's arena. */
void check_stmt_exprs(struct compile *cx, struct dif_stmt *st, uint32_t n);

/* ---- check_who.c --------------------------------------------------------- */

/* The clause is complete: add what the option who wants in its record. */
void check_who(struct compile *cx);

/* ---- check_only.c -------------------------------------------------------- */

/* What the checked predicate (NULL: none) says of who can fire the clause, to
   its only_pid and only_self. */
void check_only(const struct node *pred, struct dif_clause *c);

/* ---- check_record.c ------------------------------------------------------ */

/* stack(), ustack(), jstack(), as opposed to symbols of an address. */
bool check_act_is_stack(const struct dif_act_info *act);
/* A value that such an action is, as key or argument: what is recorded. */
void check_key_expr(struct compile *cx, struct node *n,
		    const struct dif_act_info *act, struct dif_expr *out);
/* The recorded form of a checked value. */
void check_record(struct compile *cx, struct node *n, struct dif_expr *out);
/* A recorded scalar of a type. */
void check_record_as(struct compile *cx, struct node *n, struct type *t,
		     struct dif_expr *out);
/* Fails the compile if no engine of the host has the action. */
void check_served(struct compile *cx, const struct dif_act_info *act,
		  struct src_loc loc);

/* ---- check_spec.c ------------------------------------------------------- */

/* The argument of speculate(), commit() or discard(). */
void check_spec(struct compile *cx, struct node *call, struct dif_stmt *st);
/* A part of a clause begins: it goes on where an earlier part diverted its
   data to. */
void check_spec_again(struct compile *cx, struct src_loc loc);
/* A part ends that is not the last: its speculate() alone is no data. */
void check_spec_more(struct compile *cx);

/* ---- actions ------------------------------------------------------------ */

/* check_act.c: if the call is an action, check it and make a statement. */
bool check_action(struct compile *cx, struct node *call);
/* check_print.c: print(expr). */
void check_print(struct compile *cx, struct node *call, struct dif_stmt *st);
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
