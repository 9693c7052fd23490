/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_rec.c - room for a record in a principal buffer, and its publication:
 * code for what rt/rt_rec.h says.  The verifier must see that a record lies in
 * its element of the map, so each way to it ends in a comparison.
 *
 * Registers: r6 the machine; r9 becomes the record.  Others are used up.
 */
#include "engine/bpf/bpf_impl.h"

/* ---- poking the consumer ------------------------------------------------- */

void
bpf_rec_wake(struct engine *eng, struct em *em)
{
	em_mapval(em, R1, eng->ctl.fd, offsetof(struct rt_ctl, wanted));
	em_sti(em, BPF_W, R1, 0, 1);
	em_sti(em, BPF_DW, FP, FR_TMP2, 1);
	em_map(em, R1, eng->wake.fd);
	em_lea(em, R2, FP, FR_TMP2);
	em_imm(em, R3, 8);
	em_imm(em, R4, BPF_RB_FORCE_WAKEUP);
	em_call(em, BPF_FUNC_ringbuf_output);
}

/*
 * Something was dropped.  Poke the consumer unless it has a poke to answer
 * already: it may have read up to what was there when it began, which was full
 * again at once, and no record can pass the mark that pokes it else.
 */
void
bpf_rec_wake_once(struct engine *eng, struct em *em)
{
	uint32_t no = em_label(em);

	em_mapval(em, R1, eng->ctl.fd, offsetof(struct rt_ctl, wanted));
	em_ld(em, BPF_W, R1, R1, 0);
	em_ji(em, BPF_JNE, R1, 0, no);
	bpf_rec_wake(eng, em);
	em_place(em, no);
}

/* ---- room ---------------------------------------------------------------- */

/* r3 is the offset, r4 becomes the bytes skipped before n bytes fit. */
static void
up_skip(struct em *em, uint32_t bufsize, uint32_t n)
{
	uint32_t fits = em_label(em);

	em_imm(em, R4, 0);
	em_ji(em, BPF_JLE, R3, (int32_t)(bufsize - n), fits);
	em_imm(em, R4, bufsize);
	em_alu(em, BPF_SUB, R4, R3);
	em_place(em, fits);
}

/* r0 the buffer: r3 becomes the offset of n bytes, FR_HEAD the head after
   them; or it goes to `full`. */
static void
room_up(struct em *em, uint32_t size, uint32_t n, uint32_t full)
{
	uint32_t whole = em_label(em), start = em_label(em);

	em_ld(em, BPF_DW, R1, R6, RT_OFF(head));
	em_ld(em, BPF_DW, R2, R6, RT_OFF(tail));
	em_mov(em, R3, R1);
	em_alui(em, BPF_AND, R3, (int32_t)(size - 1));
	up_skip(em, size, n);
	em_mov(em, R5, R1);
	em_alu(em, BPF_SUB, R5, R2);
	em_alu(em, BPF_ADD, R5, R4);
	em_ji(em, BPF_JGT, R5, (int32_t)(size - n), full);
	em_alu(em, BPF_ADD, R1, R4);
	em_alui(em, BPF_ADD, R1, (int32_t)n);
	em_st(em, BPF_DW, FP, FR_HEAD, R1);
	em_ji(em, BPF_JEQ, R4, 0, whole);
	em_ji(em, BPF_JGT, R3, (int32_t)(size - sizeof(struct rt_rec)), start);
	em_mov(em, R5, R0);
	em_alu(em, BPF_ADD, R5, R3);
	em_sti(em, BPF_DW, R5, 0, 0);
	em_place(em, start);
	em_imm(em, R3, 0);
	em_place(em, whole);
}

/* The same in a ring, below the youngest record. */
static void
room_down(struct em *em, uint32_t size, uint32_t n)
{
	uint32_t some = em_label(em), fits = em_label(em),
		 reached = em_label(em);

	em_ld(em, BPF_DW, R1, R6, RT_OFF(head));
	em_imm(em, R3, 0);
	em_alu(em, BPF_SUB, R3, R1);
	em_alui(em, BPF_AND, R3, (int32_t)(size - 1));
	em_ji(em, BPF_JNE, R3, 0, some);
	em_imm(em, R3, size);
	em_place(em, some);
	em_ji(em, BPF_JGE, R3, (int32_t)n, fits);
	em_sti(em, BPF_W, R0, 0, 0);
	em_st(em, BPF_W, R0, 4, R3);
	em_alu(em, BPF_ADD, R1, R3);
	em_imm(em, R3, size);
	em_place(em, fits);
	em_alui(em, BPF_SUB, R3, (int32_t)n);
	em_alui(em, BPF_ADD, R1, (int32_t)n);
	em_st(em, BPF_DW, FP, FR_HEAD, R1);
	em_ld(em, BPF_DW, R2, R6, RT_OFF(reach));
	em_jr(em, BPF_JGE, R2, R1, reached);
	em_st(em, BPF_DW, R6, RT_OFF(reach), R1);
	em_place(em, reached);
}

/* Policy fill: the trace is over, unless it was already; then to `drop`. */
static void
filled(struct engine *eng, struct em *em, uint32_t drop)
{
	uint32_t end = em_label(em), lost = em_label(em);

	em_mapval(em, R1, eng->ctl.fd, 0);
	em_ld(em, BPF_W, R2, R1, offsetof(struct rt_ctl, activity));
	em_ji(em, BPF_JLT, R2, RT_ACT_DRAINING, end);
	em_ld(em, BPF_W, R2, R1, offsetof(struct rt_ctl, filled));
	em_ji(em, BPF_JEQ, R2, 0, lost);
	em_ja(em, drop);
	em_place(em, end);
	em_sti(em, BPF_W, R1, offsetof(struct rt_ctl, filled), 1);
	em_sti(em, BPF_W, R1, offsetof(struct rt_ctl, activity),
	       RT_ACT_DRAINING);
	bpf_rec_wake(eng, em);
	em_ja(em, drop);
	em_place(em, lost);
}

void
bpf_rec_reserve(struct engine *eng, struct em *em, uint32_t n, uint32_t drop)
{
	uint32_t size = eng->buf.vsize;
	uint32_t full = em_label(em), ok = em_label(em);

	em_map(em, R1, eng->buf.fd);
	em_lea(em, R2, R6, RT_OFF(slot));
	em_call(em, BPF_FUNC_map_lookup_elem);
	em_ji(em, BPF_JEQ, R0, 0, full);
	if (eng->opts.bufpolicy == RT_BUF_RING)
		room_down(em, size, n);
	else
		room_up(em, size, n, full);
	em_ji(em, BPF_JLE, R3, (int32_t)(size - n), ok);
	em_place(em, full);
	if (eng->opts.bufpolicy == RT_BUF_FILL)
		filled(eng, em, drop);
	em_ld(em, BPF_DW, R1, R6, RT_OFF(drops) + 8 * RT_DROP_PRINCIPAL);
	em_alui(em, BPF_ADD, R1, 1);
	em_st(em, BPF_DW, R6, RT_OFF(drops) + 8 * RT_DROP_PRINCIPAL, R1);
	bpf_rec_wake_once(eng, em);
	em_ja(em, drop);
	em_place(em, ok);
	em_mov(em, R9, R0);
	em_alu(em, BPF_ADD, R9, R3);
}

/* ---- publication --------------------------------------------------------- */

/* Where the consumer reads meanwhile it is poked when half of the buffer is
   passed. */
void
bpf_rec_publish(struct engine *eng, struct em *em)
{
	uint32_t no = em_label(em);
	int32_t half = (int32_t)(eng->buf.vsize / 2);

	em_ld(em, BPF_DW, R1, FP, FR_HEAD);
	if (eng->opts.bufpolicy != RT_BUF_SWITCH) {
		em_st(em, BPF_DW, R6, RT_OFF(head), R1);
		return;
	}
	em_ld(em, BPF_DW, R2, R6, RT_OFF(head));
	em_ld(em, BPF_DW, R3, R6, RT_OFF(tail));
	em_st(em, BPF_DW, R6, RT_OFF(head), R1);
	em_alu(em, BPF_SUB, R1, R3);
	em_ji(em, BPF_JLT, R1, half, no);
	em_alu(em, BPF_SUB, R2, R3);
	em_ji(em, BPF_JGE, R2, half, no);
	bpf_rec_wake(eng, em);
	em_place(em, no);
}
