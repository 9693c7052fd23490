/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_part.c - a large clause in parts.
 *
 * A jump reaches 32767 instructions, and the verifier follows a function from
 * end to end with every branch that it has not taken yet on a stack of 8192.
 * So the statements of a large clause go into functions of their own, some
 * thousand instructions each, which the clause calls one after the other:
 *
 *	u64 part(u64 slot, u64 rec)
 *
 * rec is where the record lies in the slot's buffer.  A part finds the machine
 * and the record by itself, from two numbers, so that it can be a global
 * function: the verifier looks at those one by one, and the time that takes
 * grows with their number and not faster.  A part that needs the program's
 * context or the site cannot be given them by number.  It is a static function,
 * which is checked within its caller's:
 *
 *	u64 part(ctx, struct rt *rt, struct bpf_site *site, void *rec)
 *
 * Which of them a part is, is known when it is complete; until then it begins
 * with the code of both.
 */
#include "engine/bpf/bpf_impl.h"

#include <stdio.h>
#include <stdlib.h>

#define PART_INSNS 8000u /* a part that is longer is complete */

/* What a part returns. */
enum { PART_ON, PART_FAULT, PART_OUT };

static void
part_exit(struct em *em, int result)
{
	em_imm(em, R0, (uint64_t)result);
	em_exit(em);
}

/* ctx, rt, site, rec: to where a clause has them. */
static void
static_head(struct bg *p)
{
	struct em *em = p->em;

	p->head[0] = (uint32_t)em->code.n;
	p->at_ctx = em_raw(em, BPF_STX | BPF_DW | BPF_MEM, FP, R1, FR_CTX, 0);
	p->at_site = em_raw(em, BPF_STX | BPF_DW | BPF_MEM, FP, R3, FR_SITE, 0);
	em_mov(em, R6, R2);
	if (p->rec)
		em_mov(em, R9, R4);
}

/* slot, rec: the same. */
static void
global_head(struct bg *p)
{
	struct engine *eng = p->eng;
	struct em *em = p->em;

	p->head[1] = (uint32_t)em->code.n;
	em_mov(em, R8, R2);
	bpf_rec_slot(eng, em, p->rec, p->lb_done);
	if (p->rec) {
		em_ji(em, BPF_JGT, R8,
		      (int32_t)(eng->buf.vsize - p->cl->recsize), p->lb_done);
		em_alu(em, BPF_ADD, R9, R8);
	}
	p->head[2] = (uint32_t)em->code.n;
}

/* p, a copy of its clause's generator, begins a part. */
static int
part_open(struct bg *p)
{
	char name[24];

	snprintf(name, sizeof(name), "part_%zu", p->u->fns.n);
	p->part = bpf_link_fn(p->u, name);
	if (p->part == NULL)
		return err_nomem(p->e);
	p->part->loc = p->cl->loc;
	p->em = &p->part->em;
	p->lb_fault = em_label(p->em);
	p->lb_done = em_label(p->em);
	p->lb_out = em_label(p->em);
	p->agg_base = p->use_ctx = p->use_site = p->can_fault = false;
	static_head(p);
	global_head(p);
	if (p->keep_self)
		em_sti(p->em, BPF_DW, FP, FR_SELF, 0);
	return 0;
}

static void
part_call(struct bg *g, const struct bg *p)
{
	struct em *em = g->em;

	if (p->part->nargs >= 0) {
		em_ld(em, BPF_W, R1, R6, RT_OFF(slot));
		if (g->rec)
			em_ld(em, BPF_DW, R2, FP, FR_REC);
		else
			em_imm(em, R2, 0);
	} else {
		if (p->use_site) {
			g->use_site = true;
			em_ld(em, BPF_DW, R3, FP, FR_SITE);
		}
		if (p->use_ctx)
			bg_ctx(g);
		em_mov(em, R2, R6);
		if (g->rec)
			em_mov(em, R4, R9);
	}
	em_fn(em, p->part->name);
	if (p->can_fault)
		em_ji(em, BPF_JEQ, R0, PART_FAULT, g->lb_fault);
	em_ji(em, BPF_JEQ, R0, PART_OUT, g->lb_out);
}

/* The part is complete: its clause calls it. */
static int
part_close(struct bg *p)
{
	struct bg *g = p->outer;
	struct em *em = p->em;
	bool local = p->use_ctx || p->use_site;

	em_place(em, p->lb_done);
	part_exit(em, PART_ON);
	em_place(em, p->lb_out);
	part_exit(em, PART_OUT);
	bg_stubs(p);
	em_place(em, p->lb_fault);
	part_exit(em, PART_FAULT);
	for (uint32_t i = p->head[local]; i < p->head[local + 1]; i++)
		em_kill(em, i);
	if (!p->use_ctx)
		em_kill(em, p->at_ctx);
	if (!p->use_site)
		em_kill(em, p->at_site);
	p->part->nargs = local ? -1 : 2;
	g->can_fault |= p->can_fault;
	g->can_exit |= p->can_exit;
	part_call(g, p);
	if (em_finish(em, "a value of this clause", p->e) == 0)
		return 0;
	p->e->loc = p->cl->loc;
	return -1;
}

int
bg_break(struct bg *g)
{
	if (g->outer == NULL || g->em->code.n <= PART_INSNS)
		return 0;
	return part_close(g) != 0 ? -1 : part_open(g);
}

int
bg_parts(struct bg *g, int (*stmts)(struct bg *))
{
	struct bg p = *g;
	int rc;

	p.outer = g;
	p.inlined = false;
	p.depth++;
	p.stubs = (typeof(p.stubs)){ 0 };
	rc = part_open(&p);
	if (rc == 0)
		rc = stmts(&p);
	if (rc == 0)
		rc = part_close(&p);
	vec_fini(&p.stubs);
	return rc;
}
