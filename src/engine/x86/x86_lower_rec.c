/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * x86_lower_rec.c - a clause: predicate, room for the record, statements,
 * publishing.  What it must do is clause_run() of interp_fire.c.
 *
 * The record is taken here where it fits without wrapping, else by a body.
 * Only those of its words are zeroed that no field covers, because fields are
 * written whole; a clause that faults leaves its record unpublished.
 */
#include "engine/x86/x86_lower_impl.h"

#include <string.h>

/* ---- values -------------------------------------------------------------- */

static void
value_ref(struct lower *l, const struct dif_expr *e, unsigned base,
	  int32_t disp, enum rtn_fn fn)
{
	uint64_t user = (e->type.flags & DIF_TF_USER) != 0 ? RTN_PUT_USER : 0;

	x86_mov_rr(l->b, 8, X86_RCX, X86_RAX);
	x86_lea(l->b, X86_RSI, x86_m(base, disp));
	x86_mov_ri(l->b, X86_RDX, e->size | user);
	lower_call(l, fn);
	lower_check_fault(l, UINT32_MAX);
}

/* rax, as a number of the type, to the place: 1, 2, 4 or 8 bytes. */
static void
value_scalar(struct lower *l, const struct dif_expr *e, unsigned base,
	     int32_t disp)
{
	bool sign = (e->type.flags & DIF_TF_SIGNED) != 0;
	uint32_t size = e->size < 8 ? e->size : 8, n = e->type.size;

	if ((n == 1 || n == 2 || n == 4) && n < size)
		x86_ext(l->b, n, sign, X86_RAX, X86_RAX);
	if (size != 0)
		x86_store(l->b, size, x86_m(base, disp), X86_RAX);
}

static void
value_obj(struct lower *l, const struct dif_expr *e, unsigned base,
	  int32_t disp)
{
	if (e->type.kind == DIF_TYPE_STRING)
		value_ref(l, e, base, disp, RTN_FN_put_string);
	else if ((e->type.flags & DIF_TF_BYREF) != 0)
		value_ref(l, e, base, disp, RTN_FN_put_bytes);
	else
		value_scalar(l, e, base, disp);
}

/* A key's place is 8 bytes, a record's 4. */
static void
value_name(struct lower *l, const struct dif_expr *e, unsigned base,
	   int32_t disp)
{
	if (l->error)
		x86_load(l->b, 4, false, X86_RAX, RT_M(probe_id));
	else
		lower_site(l, 4, X86_RAX, offsetof(struct rtn_site, probe_id));
	x86_store(l->b, e->size < 8 ? 4 : 8, x86_m(base, disp), X86_RAX);
}

static void
value_ustack(struct lower *l, const struct dif_expr *e, unsigned base,
	     int32_t disp)
{
	x86_lea(l->b, X86_RSI, x86_m(base, disp));
	x86_mov_ri(l->b, X86_RDX, e->arg);
	lower_call(l, RTN_FN_put_ustack);
}

void
lower_value(struct lower *l, const struct dif_expr *e, unsigned base,
	    int32_t disp)
{
	if (e->obj != NULL)
		lower_obj(l, e->obj);
	switch (e->src) {
	case DIF_SRC_OBJ: value_obj(l, e, base, disp); break;
	case DIF_SRC_NAME: value_name(l, e, base, disp); break;
	case DIF_SRC_STACK: break; /* of the kernel: none */
	case DIF_SRC_USTACK: value_ustack(l, e, base, disp); break;
	case DIF_SRC_SYM:
		x86_store(l->b, 8, x86_m(base, disp), X86_RAX);
		break;
	case DIF_SRC_USYM:
		x86_store(l->b, 8, x86_m(base, disp + 8), X86_RAX);
		x86_load(l->b, 4, false, X86_RAX, RT_M(pid));
		x86_store(l->b, 8, x86_m(base, disp), X86_RAX);
		break;
	}
}

/* ---- room for the record ------------------------------------------------- */

static void
rec_slow(struct lower *l, struct lower_cold *c)
{
	lower_shield(l);
	x86_mov_ri(l->b, X86_RSI, c->off);
	lower_call_cold(l, RTN_FN_reserve);
	lower_unshield(l);
	x86_mov_rr(l->b, 8, LOWER_REC, X86_RAX);
	x86_test_rr(l->b, 8, X86_RAX, X86_RAX);
	x86_jcc_label(l->b, X86_CC_NE, &c->back);
	/* A buffer that is full may have ended the trace. */
	if (l->t->sh->conf.bufpolicy == RT_BUF_FILL && !l->error)
		lower_if_active(l);
	x86_jmp_label(l->b, c->to);
}

static void
rec_head(struct lower *l)
{
	lower_now(l);
	x86_store(l->b, 8,
		  x86_m(LOWER_REC, offsetof(struct rt_rec, time)), X86_RAX);
	lower_cpu(l);
	x86_store(l->b, 4, x86_m(LOWER_REC, offsetof(struct rt_rec, cpu)),
		  X86_RAX);
	x86_load(l->b, 4, false, X86_RAX, RT_M(epid));
	x86_store(l->b, 4, x86_m(LOWER_REC, offsetof(struct rt_rec, epid)),
		  X86_RAX);
}

/* True if a field covers the n bytes at off and writes all of them. */
static bool
covered(const struct dif_clause *cl, uint32_t off)
{
	for (uint32_t s = 0; s < cl->nstmts; s++) {
		const struct dif_stmt *st = &cl->stmts[s];
		if (!dif_act_records(st->kind))
			continue;
		for (uint32_t i = 0; i < st->nexprs; i++) {
			const struct dif_expr *e = &st->exprs[i];
			if (e->src == DIF_SRC_STACK || e->src == DIF_SRC_USTACK)
				continue;
			if (off >= e->off && off - e->off < e->size)
				return true;
		}
	}
	return false;
}

static bool
word_covered(const struct dif_clause *cl, uint32_t off)
{
	for (uint32_t i = 0; i < 8; i++)
		if (!covered(cl, off + i))
			return false;
	return true;
}

static void
rec_zero(struct lower *l, const struct dif_clause *cl)
{
	uint32_t from = sizeof(struct rt_rec);

	for (uint32_t at = from; at <= cl->recsize; at += 8) {
		bool end = at == cl->recsize || word_covered(cl, at);
		if (end && at > from)
			lower_zero(l, LOWER_REC, (int32_t)from, at - from);
		if (end)
			from = at + 8;
	}
}

/*
 * The offset of n bytes that do not wrap to rbp, the head behind them to rax:
 * above the youngest record, if the oldest leaves them room.
 */
static void
rec_up(struct lower *l, uint32_t n, uint32_t size, struct lower_cold *slow)
{
	struct x86_buf *b = l->b;

	x86_load(b, 8, false, X86_RAX, RT_M(head));
	x86_mov_rr(b, 8, X86_RDX, X86_RAX);
	x86_alu_rm(b, X86_SUB, 8, X86_RDX, RT_M(tail));
	x86_alu_ri(b, X86_CMP, 8, X86_RDX, n > size ? -1 : (int32_t)(size - n));
	x86_jcc_label(b, n > size ? X86_CC_BE : X86_CC_A, &slow->at);
	x86_mov_rr(b, 4, LOWER_REC, X86_RAX);
	x86_alu_ri(b, X86_AND, 4, LOWER_REC, (int32_t)(size - 1));
	x86_alu_ri(b, X86_CMP, 4, LOWER_REC, (int32_t)(size - n));
	x86_jcc_label(b, X86_CC_A, &slow->at);
	x86_alu_ri(b, X86_ADD, 8, X86_RAX, (int32_t)n);
}

/* The same in a ring: below the youngest record. */
static void
rec_down(struct lower *l, uint32_t n, uint32_t size, struct lower_cold *slow)
{
	struct x86_label reached = { 0 };
	struct x86_buf *b = l->b;

	x86_load(b, 8, false, X86_RAX, RT_M(head));
	x86_alu_ri(b, X86_ADD, 8, X86_RAX, (int32_t)n);
	x86_mov_rr(b, 4, LOWER_REC, X86_RAX);
	x86_un_r(b, X86_NEG, 4, LOWER_REC);
	x86_alu_ri(b, X86_AND, 4, LOWER_REC, (int32_t)(size - 1));
	x86_alu_ri(b, X86_CMP, 4, LOWER_REC,
		   n > size ? -1 : (int32_t)(size - n));
	x86_jcc_label(b, n > size ? X86_CC_BE : X86_CC_A, &slow->at);
	x86_alu_rm(b, X86_CMP, 8, X86_RAX, RT_M(reach));
	x86_jcc_short(b, X86_CC_BE, &reached);
	x86_store(b, 8, RT_M(reach), X86_RAX);
	x86_bind(b, &reached);
}

/* The place of a record that does not wrap in rbp, its head and gaps set. */
static void
rec_take(struct lower *l, const struct dif_clause *cl)
{
	uint32_t n = cl->recsize, size = l->t->sh->conf.bufsize;
	struct lower_cold *slow = lower_cold(l, rec_slow);
	struct x86_buf *b = l->b;

	slow->off = n;
	slow->to = &l->clause->back;
	l->f.epid = l->f.now_zero = true;
	if (l->t->sh->conf.bufpolicy == RT_BUF_RING)
		rec_down(l, n, size, slow);
	else
		rec_up(l, n, size, slow);
	x86_alu_rm(b, X86_ADD, 8, LOWER_REC, RT_M(buf));
	x86_store(b, 8, RT_M(rec_end), X86_RAX);
	rec_head(l);
	rec_zero(l, cl);
	x86_bind(b, &slow->back); /* there the time has been read, too */
}

static void
rec_publish(struct lower *l)
{
	x86_load(l->b, 8, false, X86_RAX, RT_M(rec_end));
	x86_store(l->b, 8, RT_M(head), X86_RAX);
}

/* ---- statements ---------------------------------------------------------- */

/* Acts that happen when the probe fires; rax is the value where no record
   holds it. */
static void
stmt_act(struct lower *l, const struct dif_stmt *st, bool rec)
{
	enum rtn_fn fn = st->kind == DIF_ACT_EXIT    ? RTN_FN_exit
			 : st->kind == DIF_ACT_RAISE ? RTN_FN_raise
			 : st->kind == DIF_ACT_CHILL ? RTN_FN_chill
						     : RTN_FN_stop;
	uint32_t size = st->nexprs != 0 ? st->exprs[0].size : 0;

	if (fn == RTN_FN_exit && !rec)
		x86_mov_ri(l->b, X86_RAX, 0);
	else if (st->nexprs != 0 && rec)
		x86_load(l->b, size < 8 && size != 1 && size != 2 ? 4 : size,
			 false, X86_RAX,
			 x86_m(LOWER_REC, (int32_t)st->exprs[0].off));
	lower_shield(l);
	x86_mov_rr(l->b, 8, X86_RSI, X86_RAX);
	lower_call_cold(l, fn);
	lower_unshield(l);
	if (fn != RTN_FN_exit) /* not everywhere allowed */
		lower_check_fault(l, UINT32_MAX);
}

/* speculate() marks the record, or leaves the clause, as a predicate does. */
static void
stmt_speculate(struct lower *l, bool rec)
{
	lower_call(l, RTN_FN_spec_active);
	lower_check_fault(l, UINT32_MAX);
	x86_test_rr(l->b, 8, X86_RAX, X86_RAX);
	x86_jcc_label(l->b, X86_CC_E, &l->clause->back);
	if (l->skip_now != l->now)
		l->skip_now = NOW_MAYBE;
	if (rec)
		x86_store(l->b, 2,
			  x86_m(LOWER_REC, offsetof(struct rt_rec, spec)),
			  X86_RAX);
}

static void
stmt_spec(struct lower *l, const struct dif_stmt *st, bool rec)
{
	lower_obj(l, st->exprs[0].obj);
	x86_mov_rr(l->b, 8, X86_RSI, X86_RAX);
	if (st->kind == DIF_ACT_SPECULATE) {
		stmt_speculate(l, rec);
		return;
	}
	x86_mov_ri(l->b, X86_RDX, st->kind == DIF_ACT_COMMIT ?
					  RT_SPEC_COMMITTED :
					  RT_SPEC_DISCARDED);
	lower_call(l, RTN_FN_spec_end);
	lower_check_fault(l, UINT32_MAX);
}

static void
stmt(struct lower *l, const struct dif_stmt *st, bool rec)
{
	if (DIF_ACT_IS_AGG(st->kind)) {
		lower_agg(l, st);
		return;
	}
	if (DIF_ACT_IS_SPEC(st->kind)) {
		stmt_spec(l, st, rec);
		return;
	}
	for (uint32_t i = 0; i < st->nexprs; i++) {
		const struct dif_expr *e = &st->exprs[i];
		if (rec && st->kind != DIF_ACT_NONE)
			lower_value(l, e, LOWER_REC, (int32_t)e->off);
		else if (e->obj != NULL)
			lower_obj(l, e->obj);
	}
	if (st->kind == DIF_ACT_EXIT || dif_act_at_probe(st->kind))
		stmt_act(l, st, rec);
}

/* ---- a clause ------------------------------------------------------------ */

/* The fields that bodies read and the clause starts with. */
static void
clause_start(struct lower *l)
{
	if (l->want.calls)
		x86_store_imm(l->b, 4, RT_M(scratch), 0);
	if (l->want.faults)
		x86_store_imm(l->b, 4, RT_M(fault), DIF_FAULT_NONE);
	if (!l->want.epid)
		return;
	if (l->error) {
		x86_store_imm(l->b, 4, RT_M(epid), (int32_t)l->epid);
		return;
	}
	lower_site(l, 4, X86_RAX, offsetof(struct rtn_site, epid0));
	if (l->epid != 0)
		x86_alu_ri(l->b, X86_ADD, 4, X86_RAX, (int32_t)l->epid);
	x86_store(l->b, 4, RT_M(epid), X86_RAX);
}

/* After a fault the ERROR clauses have run, and may have ended the trace. */
static void
clause_fault(struct lower *l, struct lower_cold *c)
{
	if (c->fault == 0)
		return;
	lower_shield(l);
	lower_call_cold(l, RTN_FN_fault);
	lower_unshield(l);
	if (!l->error)
		lower_if_active(l);
	x86_jmp_label(l->b, &c->back);
}

/* What is known of rt.now where all ways through the clause meet. */
static void
clause_now(struct lower *l, enum lower_now before)
{
	if (l->skip_now != l->now)
		l->now = NOW_MAYBE;
	if (l->clause->fault != 0)
		l->now = NOW_MAYBE;
	if (before == NOW_YES)
		l->now = NOW_YES;
}

void
lower_clause(struct lower *l, const struct dif_clause *cl)
{
	enum lower_now before = l->now;
	bool rec = cl->recsize != 0;

	l->clause = lower_cold(l, clause_fault);
	l->action = 0;
	clause_start(l);
	if (cl->pred != NULL) {
		lower_obj(l, cl->pred);
		x86_test_rr(l->b, 8, X86_RAX, X86_RAX);
		x86_jcc_label(l->b, X86_CC_E, &l->clause->back);
	}
	enum lower_now skipped = l->now;
	if (rec)
		rec_take(l, cl);
	l->skip_now = cl->pred != NULL ? skipped : l->now;
	for (uint32_t i = 0; i < cl->nstmts; i++) {
		l->action = i + 1;
		stmt(l, &cl->stmts[i], rec);
	}
	if (rec)
		rec_publish(l);
	x86_bind(l->b, &l->clause->back);
	clause_now(l, before);
}
