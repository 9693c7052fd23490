/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * check_who.c - the option who: every record says whose it is.
 *
 * As the last statement of a clause that leaves a record comes trace() of pid,
 * tid and execname, in one statement whose arg is DIF_TRACE_WHO.  Consumers
 * that draw tracks of threads need it; a record itself has a CPU and a time
 * only.
 */
#include "lang/clause/clause_impl.h"
#include "lang/parse/parse.h"

void
check_who(struct compile *cx)
{
	static const char *const values[] = { "pid", "tid", "execname" };
	const uint32_t n = sizeof(values) / sizeof(values[0]);
	struct clause_cx *cl = clause_of(cx);
	struct dif_stmt *st;

	/* After commit() nothing may be recorded. */
	if (!(cx->cflags & LANG_C_WHO) || !cl->records || cl->committed)
		return;
	st = check_stmt_new(cx, DIF_ACT_TRACE, cl->loc);
	st->arg = DIF_TRACE_WHO;
	check_stmt_exprs(cx, st, n);
	for (uint32_t i = 0; i < n; i++) {
		struct node *e = parse_expr_text(cx, values[i], cl->loc);
		check_expr(cx, e);
		check_record(cx, e, &st->exprs[i]);
	}
}
