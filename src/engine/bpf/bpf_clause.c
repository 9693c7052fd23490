/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_clause.c - a clause as a BPF function:
 *
 *	u64 clause(ctx, struct rt *rt, struct bpf_site *site)
 *
 * Predicate; room for the whole record; the statements; publish.  It returns 0
 * or, after a fault, 1: then the record has not been published, and the caller
 * reports (bpf_prog.c).  The order of effects is the one of interp_fire.c.
 */
#include "engine/bpf/bpf_impl.h"

#include <signal.h>
#include <stdlib.h>

void
bg_effect(struct bg *g)
{
	if (g->c->class->runs == BPF_RUNS_SLEEPS)
		em_sti(g->em, BPF_W, R6, RT_OFF(effects), 1);
}

/* ---- values -------------------------------------------------------------- */

static unsigned
clause_width(uint32_t size)
{
	return size == 1   ? BPF_B
	       : size == 2 ? BPF_H
	       : size == 4 ? BPF_W
			   : BPF_DW;
}

/* R0, a scalar of the expression's type, to its place. */
static void
put_scalar(struct bg *g, const struct dif_expr *x, unsigned base, int32_t off,
	   uint32_t size)
{
	struct em *em = g->em;
	unsigned drop = x->type.size > 0 && x->type.size < 8
				? 64 - x->type.size * 8
				: 0;

	if (drop != 0 && size > x->type.size) {
		em_alui(em, BPF_LSH, R0, (int32_t)drop);
		em_alui(em,
			(x->type.flags & DIF_TF_SIGNED) ? BPF_ARSH : BPF_RSH,
			R0, (int32_t)drop);
	}
	em_st(em, clause_width(size), base, off, R0);
}

/* R0 is the address of `size` bytes or of a string. */
static void
put_bytes(struct bg *g, const struct dif_expr *x, unsigned base, int32_t off)
{
	struct em *em = g->em;
	bool str = x->type.kind == DIF_TYPE_STRING,
	     user = (x->type.flags & DIF_TF_USER) != 0;

	em_st(em, BPF_DW, FP, FR_TMP, R0);
	em_mov(em, R3, R0);
	em_lea(em, R1, base, off);
	bg_copy(g, x->size, str, user);
	if (user)
		bg_copy_absent(g, x->size, str, -2, base, off);
	em_ji(em, BPF_JSLT, R0, 0, bg_fault(g, DIF_FAULT_BADADDR, -2));
}

/* True if the value is `ldgs execname; ret`. */
static bool
is_execname(const struct dif_expr *x)
{
	const struct dif_obj *o = x->obj;

	return x->type.kind == DIF_TYPE_STRING && o->ntext == 2 &&
	       DIF_OP(o->text[0]) == DIF_OP_LDGS &&
	       DIF_IDX(o->text[0]) == DIF_VAR_execname &&
	       DIF_OP(o->text[1]) == DIF_OP_RET &&
	       DIF_RD(o->text[0]) == DIF_RD(o->text[1]) && x->size >= 16;
}

static int
put_obj(struct bg *g, const struct dif_expr *x, unsigned base, int32_t off,
	uint32_t size)
{
	struct em *em = g->em;

	if (!is_byref(&x->type)) {
		if (bg_obj(g, x->obj) != 0)
			return -1;
		put_scalar(g, x, base, off, size);
		return 0;
	}
	if (is_execname(x)) {
		if (size > 16)
			bg_zero(g, base, off + 16, size - 16);
		bg_comm(g, base, off);
		return 0;
	}
	if (bg_obj(g, x->obj) != 0)
		return -1;
	if (x->type.kind == DIF_TYPE_STRING || size > x->size) {
		em_st(em, BPF_DW, FP, FR_TMP, R0);
		bg_zero(g, base, off, size);
		em_ld(em, BPF_DW, R0, FP, FR_TMP);
	}
	put_bytes(g, x, base, off);
	return 0;
}

static void
put_tgid(struct bg *g, unsigned base, int32_t off)
{
	bg_number_of(g, true);
	em_st(g->em, BPF_DW, base, off, R0);
}

static void
put_stack(struct bg *g, const struct dif_expr *x, unsigned base, int32_t off,
	  uint32_t size)
{
	bool user = x->src == DIF_SRC_USTACK;
	uint32_t room = (size - (user ? 8 : 0)) / 8;
	uint32_t frames = x->arg < room ? x->arg : room;

	bg_zero(g, base, off, size);
	if (user) {
		put_tgid(g, base, off);
		off += 8;
	}
	if (frames == 0)
		return;
	em_lea(g->em, R1, base, off);
	bg_stack(g, frames, user, true);
}

/* R0 = what stands for a part of the probe's name: its id; the provider of one
   that is every process's is called after the process. */
static void
put_name(struct bg *g, uint32_t part)
{
	struct em *em = g->em;
	uint32_t done = em_label(em);

	em_ld(em, BPF_W, R0, R6, RT_OFF(probe_id));
	if (g->eng->every && part == DIF_VAR_probeprov && !g->error) {
		g->use_site = true;
		em_ld(em, BPF_DW, R1, FP, FR_SITE);
		em_ld(em, BPF_W, R1, R1, offsetof(struct bpf_site, every));
		em_ji(em, BPF_JEQ, R1, 0, done);
		bpf_pidns_current(g->eng, em, true, FR_TMP, FR_TMP2);
		em_ld(em, BPF_DW, R1, FP, FR_SITE);
		em_ld(em, BPF_W, R1, R1, offsetof(struct bpf_site, every));
		em_alu(em, BPF_OR, R0, R1);
	}
	em_place(em, done);
}

/* Evaluate x and put it at base + off, where `size` bytes are its own. */
int
bg_value(struct bg *g, const struct dif_expr *x, unsigned base, int32_t off,
	 uint32_t size, bool key)
{
	struct em *em = g->em;

	switch (x->src) {
	case DIF_SRC_OBJ:
		return put_obj(g, x, base, off, size);
	case DIF_SRC_NAME:
		put_name(g, x->arg);
		em_st(em, key ? BPF_DW : BPF_W, base, off, R0);
		return 0;
	case DIF_SRC_STACK:
	case DIF_SRC_USTACK:
		put_stack(g, x, base, off, size);
		return 0;
	case DIF_SRC_SYM:
	case DIF_SRC_USYM:
		if (bg_obj(g, x->obj) != 0)
			return -1;
		if (x->src == DIF_SRC_SYM) {
			em_st(em, BPF_DW, base, off, R0);
			return 0;
		}
		em_st(em, BPF_DW, base, off + 8, R0);
		put_tgid(g, base, off);
		return 0;
	}
	return bg_refuse(g, "a value of kind %d is not served", x->src);
}

/* ---- statements ---------------------------------------------------------- */

/*
 * exit(): the first one's status counts; all probes fall silent but END.  The
 * status is where it was recorded.
 */
static void
clause_exit(struct bg *g, const struct dif_expr *x)
{
	struct em *em = g->em;
	uint32_t late = em_label(em), drains = em_label(em);

	g->can_exit = true;
	em_ld(em, BPF_W, R1, R9, (int)x->off);
	em_mapval(em, R2, g->eng->ctl.fd, 0);
	em_imm(em, R3, 1);
	em_xchg32(em, R2, offsetof(struct rt_ctl, exited), R3);
	em_ji(em, BPF_JNE, R3, 0, late);
	em_st(em, BPF_W, R2, offsetof(struct rt_ctl, exit_status), R1);
	em_place(em, late);
	em_ld(em, BPF_W, R1, R2, offsetof(struct rt_ctl, activity));
	em_ji(em, BPF_JGE, R1, RT_ACT_DRAINING, drains);
	em_sti(em, BPF_W, R2, offsetof(struct rt_ctl, activity),
	       RT_ACT_DRAINING);
	em_place(em, drains);
	bpf_rec_wake(g->eng, g->u, em);
}

/* R0 = the value of an act, from the record if there is one. */
static void
clause_value(struct bg *g, const struct dif_expr *x)
{
	struct em *em = g->em;

	if (!g->rec)
		return; /* it is there */
	em_mov(em, R1, R9);
	em_alui(em, BPF_ADD, R1, (int32_t)x->off);
	em_ld(em, x->size < 8 ? BPF_W : BPF_DW, R0, R1, 0);
}

/*
 * stop() and raise(): a signal to the process in which the probe fires.  The
 * kernel's own threads, and whoever runs BEGIN and END, get none: illegal.
 */
static void
act_signal(struct bg *g, const struct dif_stmt *st)
{
	struct em *em = g->em;
	uint32_t bad = bg_fault(g, DIF_FAULT_ILLOP, -1);

	if (st->kind == DIF_ACT_STOP) {
		em_imm(em, R1, SIGSTOP);
	} else {
		clause_value(g, st->exprs);
		em_mov(em, R1, R0);
	}
	if (g->c->class->runs == BPF_RUNS_CONSUMER)
		em_imm(em, R0, -1);
	else
		em_call(em, BPF_FUNC_send_signal);
	em_ji(em, BPF_JSLT, R0, 0, bad);
}

static void
act_chill(struct bg *g, const struct dif_expr *x)
{
	clause_value(g, x);
	em_mov(g->em, R2, R0);
	em_mov(g->em, R1, R6);
	em_fn(g->em, "rt_chill");
	bg_check_body(g);
}

#define SPLIT_INSNS 16000u /* clauses that are longer are made in parts */
#define NEAR 30000u /* offsets that fit an instruction, with room to spare */

/* Record a value; r9 is moved for the fields of a very large record. */
static int
record_value(struct bg *g, const struct dif_expr *x)
{
	bool far = x->off + x->size > NEAR;
	int rc;

	if (far)
		em_alui(g->em, BPF_ADD, R9, (int32_t)x->off);
	rc = bg_value(g, x, R9, far ? 0 : (int32_t)x->off, x->size, false);
	if (far)
		em_alui(g->em, BPF_SUB, R9, (int32_t)x->off);
	return rc;
}

static int
clause_values(struct bg *g, const struct dif_stmt *st)
{
	for (uint32_t i = 0; i < st->nexprs; i++) {
		const struct dif_expr *x = &st->exprs[i];
		int rc = i > 0 ? bg_break(g) : 0;

		if (rc != 0)
			return -1;
		if (st->kind != DIF_ACT_NONE && g->rec)
			rc = record_value(g, x);
		else
			rc = x->obj != NULL ? bg_obj(g, x->obj) : 0;
		if (rc != 0)
			return -1;
	}
	return 0;
}

/* speculate() marks the record, or ends the clause; commit(), discard(). */
static int
clause_spec(struct bg *g, const struct dif_stmt *st)
{
	struct em *em = g->em;

	if (bg_obj(g, st->exprs[0].obj) != 0)
		return -1;
	em_mov(em, R2, R0);
	em_mov(em, R1, R6);
	if (st->kind != DIF_ACT_SPECULATE) {
		em_imm(em, R3, st->kind == DIF_ACT_COMMIT ? RT_SPEC_COMMITTED
							  : RT_SPEC_DISCARDED);
		em_fn(em, "rt_spec_end");
		bg_check_body(g);
		bg_effect(g);
		return 0;
	}
	em_fn(em, "rt_spec_active");
	bg_check_body(g);
	em_ji(em, BPF_JEQ, R0, 0, g->lb_out);
	if (g->rec)
		em_st(em, BPF_H, R9, offsetof(struct rt_rec, spec), R0);
	return 0;
}

static int
bg_stmt(struct bg *g, const struct dif_stmt *st)
{
	const struct dif_act_info *a;

	if (DIF_ACT_IS_AGG(st->kind)) {
		int rc = bg_agg(g, st);
		bg_effect(g);
		return rc;
	}
	if (DIF_ACT_IS_SPEC(st->kind))
		return clause_spec(g, st);
	a = dif_act_by_code(st->kind);
	if (st->kind != DIF_ACT_NONE &&
	    (a == NULL || (a->engines & DIF_ENG_K) == 0))
		return bg_refuse(g, "%s() is not served",
				 a ? a->name : "an unknown action");
	if (clause_values(g, st) != 0)
		return -1;
	if (dif_act_at_probe(st->kind) || st->kind == DIF_ACT_EXIT)
		bg_effect(g);
	if (st->kind == DIF_ACT_STOP || st->kind == DIF_ACT_RAISE)
		act_signal(g, st);
	else if (st->kind == DIF_ACT_CHILL)
		act_chill(g, st->exprs);
	if (st->kind != DIF_ACT_EXIT)
		return 0;
	if (st->nexprs == 0 || !g->rec || st->exprs[0].size < 4)
		return bg_refuse(g, "exit() without a status");
	clause_exit(g, st->exprs);
	return 0;
}

/* ---- the clause ---------------------------------------------------------- */

/* The number of times the object uses self-> variables. */
static unsigned
self_uses(const struct dif_obj *o)
{
	unsigned n = 0;

	for (uint32_t i = 0; o != NULL && i < o->ntext; i++) {
		unsigned op = DIF_OP(o->text[i]);
		n += op == DIF_OP_LDTS || op == DIF_OP_STTS;
	}
	return n;
}

static bool
self_often(const struct dif_clause *cl)
{
	unsigned n = self_uses(cl->pred);

	for (uint32_t s = 0; s < cl->nstmts; s++)
		for (uint32_t i = 0; i < cl->stmts[s].nexprs; i++)
			n += self_uses(cl->stmts[s].exprs[i].obj);
	return n > 1;
}

static void
clause_prologue(struct bg *g)
{
	struct em *em = g->em;

	g->keep_self = self_often(g->cl);
	if (g->keep_self)
		em_sti(em, BPF_DW, FP, FR_SELF, 0);
	if (g->inlined) {
		em_sti(em, BPF_W, R6, RT_OFF(scratch), 0);
		return;
	}
	em_mov(em, R6, R2);
	g->at_ctx = em_raw(em, BPF_STX | BPF_DW | BPF_MEM, FP, R1, FR_CTX, 0);
	g->at_site = em_raw(em, BPF_STX | BPF_DW | BPF_MEM, FP, R3, FR_SITE, 0);
	em_sti(em, BPF_W, R6, RT_OFF(scratch), 0);
}

/* Zero what no field of the record covers: nothing old may leave with it. */
static int
clear_padding(struct bg *g)
{
	const struct dif_clause *cl = g->cl;
	uint32_t n = cl->recsize, run = 0;
	bool *taken = calloc(n, sizeof(*taken));

	if (taken == NULL)
		return err_nomem(g->e);
	for (uint32_t s = 0; s < cl->nstmts; s++) {
		const struct dif_stmt *st = &cl->stmts[s];
		if (!dif_act_records(st->kind))
			continue;
		for (uint32_t i = 0; i < st->nexprs; i++)
			for (uint32_t k = 0;
			     k < st->exprs[i].size && st->exprs[i].off + k < n;
			     k++)
				taken[st->exprs[i].off + k] = true;
	}
	for (uint32_t i = sizeof(struct rt_rec); i <= n; i++) {
		if (i < n && !taken[i]) {
			run++;
			continue;
		}
		if (run != 0)
			bg_zero(g, R9, (int32_t)(i - run), run);
		run = 0;
	}
	free(taken);
	return 0;
}

static int
clause_head(struct bg *g)
{
	struct em *em = g->em;

	bpf_rec_reserve(g->eng, g->u, em, g->cl->recsize, g->lb_out);
	g->can_exit |= g->eng->opts.bufpolicy == RT_BUF_FILL;
	if (g->split)
		em_st(em, BPF_DW, FP, FR_REC, R3);
	bg_now(g);
	em_st(em, BPF_DW, R9, offsetof(struct rt_rec, time), R0);
	em_ld(em, BPF_W, R1, R6, RT_OFF(epid));
	em_st(em, BPF_DW, R9, 0, R1); /* and the padding */
	return clear_padding(g);
}

static int
clause_stmts(struct bg *g)
{
	for (uint32_t s = 0; s < g->cl->nstmts; s++) {
		g->action = s + 1;
		if (bg_break(g) != 0 || bg_stmt(g, &g->cl->stmts[s]) != 0)
			return -1;
	}
	return 0;
}

static int
clause_body(struct bg *g)
{
	struct em *em = g->em;
	const struct dif_clause *cl = g->cl;

	g->action = 0;
	if (cl->pred != NULL) {
		if (bg_obj(g, cl->pred) != 0)
			return -1;
		em_ji(em, BPF_JEQ, R0, 0, g->lb_out);
	}
	if (g->rec && clause_head(g) != 0)
		return -1;
	return g->split ? bg_parts(g, clause_stmts) : clause_stmts(g);
}

static void
clause_leave(struct bg *g, int result, uint32_t end)
{
	em_imm(g->em, R0, (uint64_t)result);
	if (g->inlined)
		em_ja(g->em, end);
	else
		em_exit(g->em);
}

static void
clause_epilogue(struct bg *g)
{
	struct em *em = g->em;
	uint32_t end = em_label(em);

	em_place(em, g->lb_done);
	if (g->rec) {
		bpf_rec_publish(g->eng, g->u, em);
		bg_effect(g);
	}
	em_place(em, g->lb_out);
	clause_leave(g, 0, end);
	bg_stubs(g);
	em_place(em, g->lb_fault);
	clause_leave(g, 1, end);
	em_place(em, end);
	if (!g->inlined && !g->use_ctx)
		em_kill(em, g->at_ctx);
	if (!g->inlined && !g->use_site)
		em_kill(em, g->at_site);
}

static int
clause_code(struct bg *g)
{
	int rc;

	g->lb_fault = em_label(g->em);
	g->lb_done = em_label(g->em);
	g->lb_out = em_label(g->em);
	clause_prologue(g);
	g->rec = g->cl->recsize != 0; /* r9 is kept for the record */
	rc = clause_body(g);
	if (rc == 0)
		clause_epilogue(g);
	vec_fini(&g->stubs);
	return rc;
}

int
bpf_clause_make(struct bg *g)
{
	const struct bg fresh = *g;

	if (clause_code(g) != 0)
		return -1;
	if (g->em->code.n <= SPLIT_INSNS)
		return 0;
	em_fini(g->em);
	*g->em = (struct em){ 0 };
	*g = fresh;
	g->split = true;
	return clause_code(g);
}
