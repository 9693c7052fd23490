/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_fault.c - after a clause has faulted: the error's record for the
 * consumer, then the clauses of the ERROR probe, in line, as a firing within
 * the firing.  One function per program; its order is fault_report()'s of the
 * interpreter.  A fault in an ERROR clause is only counted.
 */
#include "engine/bpf/bpf_prog_impl.h"

/* Write the error's record. */
static void
bpf_fault_put(struct maker *m)
{
	struct em *em = m->em;
	struct bg g = { .eng = m->eng, .em = em };
	uint32_t drop = em_label(em);
	static const struct {
		uint8_t width;
		int to, from;
	} copy[] = {
		{ BPF_W, offsetof(struct rt_error_rec, epid), RT_OFF(epid) },
		{ BPF_W, offsetof(struct rt_error_rec, action),
		  RT_OFF(fault_action) },
		{ BPF_W, offsetof(struct rt_error_rec, difoff),
		  RT_OFF(fault_off) },
		{ BPF_W, offsetof(struct rt_error_rec, fault), RT_OFF(fault) },
		{ BPF_DW, offsetof(struct rt_error_rec, val),
		  RT_OFF(fault_val) },
	};

	if (m->eng->buf.fd < 0)
		return;
	bpf_rec_reserve(m->eng, m->u, em, sizeof(struct rt_error_rec), drop);
	bg_now(&g);
	em_st(em, BPF_DW, R9, offsetof(struct rt_rec, time), R0);
	em_sti(em, BPF_W, R9, 0, (int32_t)RT_EPID_ERROR);
	em_sti(em, BPF_W, R9, 4, 0);
	for (size_t i = 0; i < sizeof(copy) / sizeof(*copy); i++) {
		em_ld(em, copy[i].width, R1, R6, copy[i].from);
		em_st(em, copy[i].width, R9, copy[i].to, R1);
	}
	bpf_rec_publish(m->eng, m->u, em);
	em_place(em, drop);
}

/* arg1..arg5 of ERROR: epid, action, offset, fault, address. */
static void
fault_args(struct em *em)
{
	static const int from[] = { 0, RT_OFF(epid), RT_OFF(fault_action),
				    RT_OFF(fault_off), RT_OFF(fault) };

	em_sti(em, BPF_DW, R6, RT_ERR_ARG(0), 0);
	for (int i = 1; i < 5; i++) {
		em_ld(em, BPF_W, R1, R6, from[i]);
		if (i == 3) { /* -1: none */
			em_alui(em, BPF_LSH, R1, 32);
			em_alui(em, BPF_ARSH, R1, 32);
		}
		em_st(em, BPF_DW, R6, RT_ERR_ARG(i), R1);
	}
	em_ld(em, BPF_DW, R1, R6, RT_OFF(fault_val));
	em_st(em, BPF_DW, R6, RT_ERR_ARG(5), R1);
}

/* An ERROR clause, in line; FAULT_PROBE keeps what fired. */
#define FAULT_PROBE (FR_LAST - 8)
static int
call_error(struct maker *m, const struct dif_ecb *ecb)
{
	struct em *em = m->em, code = { 0 };
	uint32_t fine = em_label(em);
	int dbl = RT_OFF(drops) + 8 * RT_DROP_DBLERROR;
	struct bg g = { .eng = m->eng,
			.e = m->e,
			.c = m->c,
			.u = m->u,
			.em = &code,
			.inlined = true,
			.depth = m->form == IN_GROUPS ? 3 : 2,
			.error = true,
			.cl = m->eng->en->clauses[ecb->clause] };

	em_sti(em, BPF_W, R6, RT_OFF(fault), DIF_FAULT_NONE);
	em_sti(em, BPF_W, R6, RT_OFF(epid), (int32_t)ecb->epid);
	em_sti(em, BPF_W, R6, RT_OFF(probe), (int32_t)ecb->probe);
	em_sti(em, BPF_W, R6, RT_OFF(probe_id),
	       (int32_t)m->eng->en->probes[ecb->probe].id);
	if (bpf_clause_make(&g) != 0) {
		em_fini(&code);
		return -1;
	}
	em_append(em, &code);
	em_ji(em, BPF_JEQ, R0, 0, fine);
	em_ld(em, BPF_DW, R1, R6, dbl);
	em_alui(em, BPF_ADD, R1, 1);
	em_st(em, BPF_DW, R6, dbl, R1);
	em_place(em, fine);
	return 0;
}

/* fault(ctx, rt) */
int
bpf_fault_make(struct maker *m)
{
	struct bpf_fn *fn = bpf_link_fn(m->u, "fault");
	struct em *em;
	size_t n = m->eng->errors.n;

	if (fn == NULL)
		return err_nomem(m->e);
	if (n != 0)
		fn->loc = m->eng->en->clauses[m->eng->errors.v[0].clause]->loc;
	em = m->em = &fn->em;
	em_st(em, BPF_DW, FP, FR_CTX, R1);
	em_mov(em, R6, R2);
	em_ld(em, BPF_DW, R1, R6, RT_OFF(errors));
	em_alui(em, BPF_ADD, R1, 1);
	em_st(em, BPF_DW, R6, RT_OFF(errors), R1);
	bpf_fault_put(m);
	if (n != 0) {
		fault_args(em);
		em_ld(em, BPF_DW, R1, R6, RT_OFF(probe_id));
		em_st(em, BPF_DW, FP, FAULT_PROBE, R1);
		em_sti(em, BPF_W, R6, RT_OFF(in_error), 1);
	}
	for (size_t i = 0; i < n; i++)
		if (call_error(m, &m->eng->errors.v[i]) != 0)
			return -1;
	if (n != 0) {
		em_ld(em, BPF_DW, R1, FP, FAULT_PROBE);
		em_st(em, BPF_DW, R6, RT_OFF(probe_id), R1);
		em_sti(em, BPF_W, R6, RT_OFF(in_error), 0);
	}
	em_sti(em, BPF_W, R6, RT_OFF(fault), DIF_FAULT_NONE);
	em_imm(em, R0, 0);
	em_exit(em);
	return em_finish(em, fn->name, m->e);
}
