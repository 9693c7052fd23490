/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_rec.c - room for a record in a principal buffer, and its publication:
 * code for what rt/rt_rec.h says.  The verifier must see that a record lies in
 * its element of the map, so each way to it ends in a comparison.
 *
 * What is seldom needed (no room where the last record ends; a full buffer;
 * poking the consumer) is in functions that a program's clauses share.
 *
 * Registers: r6 the machine; r9 becomes the record.  Others are used up.
 */
#include "engine/bpf/bpf_impl.h"

/* ---- poking the consumer ------------------------------------------------- */

/* wake() */
static void
wake_code(struct engine *eng, struct em *em)
{
	em_mapval(em, R1, eng->ctl.fd, offsetof(struct rt_ctl, wanted));
	em_sti(em, BPF_W, R1, 0, 1);
	em_sti(em, BPF_DW, FP, FR_TMP2, 1);
	em_map(em, R1, eng->wake.fd);
	em_lea(em, R2, FP, FR_TMP2);
	em_imm(em, R3, 8);
	em_imm(em, R4, BPF_RB_FORCE_WAKEUP);
	em_call(em, BPF_FUNC_ringbuf_output);
	em_imm(em, R0, 0);
	em_exit(em);
}

void
bpf_rec_wake(struct engine *eng, struct bpf_unit *u, struct em *em)
{
	struct bpf_fn *fn = bpf_link_shared(u, em, "wake", 0);

	if (fn == NULL)
		return;
	wake_code(eng, &fn->em);
	bpf_link_done(fn, em);
}

/*
 * Something was dropped.  Poke the consumer unless it has a poke to answer
 * already: it may have read up to what was there when it began, which was full
 * again at once, and no record can pass the mark that pokes it else.
 */
void
bpf_rec_wake_once(struct engine *eng, struct bpf_unit *u, struct em *em)
{
	uint32_t no = em_label(em);

	em_mapval(em, R1, eng->ctl.fd, offsetof(struct rt_ctl, wanted));
	em_ld(em, BPF_W, R1, R1, 0);
	em_ji(em, BPF_JNE, R1, 0, no);
	bpf_rec_wake(eng, u, em);
	em_place(em, no);
}

/* ---- room ---------------------------------------------------------------- */

void
bpf_rec_slot(struct engine *eng, struct em *em, bool buf, uint32_t none)
{
	em_mov(em, R2, R1);
	if (buf)
		em_st(em, BPF_DW, FP, FR_TMP, R1);
	bpf_maps_elem(em, &eng->rt, FR_TMP, none);
	em_mov(em, R6, R0);
	if (!buf)
		return;
	em_ld(em, BPF_DW, R2, FP, FR_TMP);
	bpf_maps_elem(em, &eng->buf, FR_TMP, none);
	em_mov(em, R9, R0);
}

/* r1 the head, r3 the offset there, r8 a length: r4 becomes the bytes skipped
   before so many fit, r5 the largest offset where they do. */
static void
up_skip(struct em *em, uint32_t size)
{
	uint32_t fits = em_label(em);

	em_imm(em, R5, size);
	em_alu(em, BPF_SUB, R5, R8);
	em_imm(em, R4, 0);
	em_jr(em, BPF_JLE, R3, R5, fits);
	em_imm(em, R4, size);
	em_alu(em, BPF_SUB, R4, R3);
	em_place(em, fits);
}

/* r8 bytes in the buffer r9: r7 becomes the head after them, or to `full`. */
static void
room_up(struct em *em, uint32_t size, uint32_t full)
{
	uint32_t whole = em_label(em);

	em_ld(em, BPF_DW, R1, R6, RT_OFF(head));
	em_ld(em, BPF_DW, R2, R6, RT_OFF(tail));
	em_mov(em, R3, R1);
	em_alui(em, BPF_AND, R3, (int32_t)(size - 1));
	up_skip(em, size);
	em_mov(em, R0, R1);
	em_alu(em, BPF_SUB, R0, R2);
	em_alu(em, BPF_ADD, R0, R4);
	em_jr(em, BPF_JGT, R0, R5, full);
	em_mov(em, R7, R1);
	em_alu(em, BPF_ADD, R7, R4);
	em_alu(em, BPF_ADD, R7, R8);
	em_ji(em, BPF_JEQ, R4, 0, whole);
	em_ji(em, BPF_JGT, R3, (int32_t)(size - sizeof(struct rt_rec)), whole);
	em_alu(em, BPF_ADD, R9, R3);
	em_sti(em, BPF_DW, R9, 0, 0);
	em_place(em, whole);
}

/* r1, the head after the youngest record of a ring: so far it reaches. */
static void
ring_reach(struct em *em)
{
	uint32_t reached = em_label(em);

	em_ld(em, BPF_DW, R2, R6, RT_OFF(reach));
	em_jr(em, BPF_JGE, R2, R1, reached);
	em_st(em, BPF_DW, R6, RT_OFF(reach), R1);
	em_place(em, reached);
}

/* r1 = the head of a ring; r3 = bytes below the youngest record. */
static void
ring_below(struct em *em, uint32_t size)
{
	em_ld(em, BPF_DW, R1, R6, RT_OFF(head));
	em_imm(em, R3, 0);
	em_alu(em, BPF_SUB, R3, R1);
	em_alui(em, BPF_AND, R3, (int32_t)(size - 1));
}

/* The same in a ring, below the youngest record. */
static void
room_down(struct em *em, uint32_t size)
{
	uint32_t some = em_label(em), fits = em_label(em);

	ring_below(em, size);
	em_ji(em, BPF_JNE, R3, 0, some);
	em_imm(em, R3, size);
	em_place(em, some);
	em_jr(em, BPF_JGE, R3, R8, fits);
	em_sti(em, BPF_W, R9, 0, 0);
	em_st(em, BPF_W, R9, 4, R3);
	em_alu(em, BPF_ADD, R1, R3);
	em_place(em, fits);
	em_alu(em, BPF_ADD, R1, R8);
	ring_reach(em);
	em_mov(em, R7, R1);
}

/* Policy fill: the trace is over, unless it was already; then to `drop`. */
static void
filled(struct engine *eng, struct bpf_unit *u, struct em *em, uint32_t drop)
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
	bpf_rec_wake(eng, u, em);
	em_ja(em, drop);
	em_place(em, lost);
}

/* room(slot, n): the head after n bytes; 0 if there is no room, which has been
   counted then, and the consumer knows. */
static void
room_code(struct engine *eng, struct bpf_unit *u, struct em *em)
{
	uint32_t size = eng->buf.vsize;
	uint32_t full = em_label(em), drop = em_label(em);

	em_mov(em, R8, R2);
	bpf_rec_slot(eng, em, true, drop);
	if (eng->opts.bufpolicy == RT_BUF_RING)
		room_down(em, size);
	else
		room_up(em, size, full);
	em_mov(em, R0, R7);
	em_exit(em);
	em_place(em, full); /* a ring never is */
	if (eng->opts.bufpolicy == RT_BUF_FILL)
		filled(eng, u, em, drop);
	em_ld(em, BPF_DW, R1, R6, RT_OFF(drops) + 8 * RT_DROP_PRINCIPAL);
	em_alui(em, BPF_ADD, R1, 1);
	em_st(em, BPF_DW, R6, RT_OFF(drops) + 8 * RT_DROP_PRINCIPAL, R1);
	bpf_rec_wake_once(eng, u, em);
	em_place(em, drop);
	em_imm(em, R0, 0);
	em_exit(em);
}

/* In line: the usual case, n bytes that lie behind the last record's; r3 is
   where, r1 the head after them. */
static void
fast_up(struct em *em, uint32_t size, uint32_t n, uint32_t slow)
{
	em_ld(em, BPF_DW, R1, R6, RT_OFF(head));
	em_ld(em, BPF_DW, R2, R6, RT_OFF(tail));
	em_mov(em, R3, R1);
	em_alui(em, BPF_AND, R3, (int32_t)(size - 1));
	em_ji(em, BPF_JGT, R3, (int32_t)(size - n), slow);
	em_mov(em, R4, R1);
	em_alu(em, BPF_SUB, R4, R2);
	em_ji(em, BPF_JGT, R4, (int32_t)(size - n), slow);
	em_alui(em, BPF_ADD, R1, (int32_t)n);
}

static void
fast_down(struct em *em, uint32_t size, uint32_t n, uint32_t slow)
{
	ring_below(em, size);
	em_ji(em, BPF_JLT, R3, (int32_t)n, slow);
	em_alui(em, BPF_SUB, R3, (int32_t)n);
	em_alui(em, BPF_ADD, R1, (int32_t)n);
	ring_reach(em);
}

/* Else: room(). */
static void
call_room(struct engine *eng, struct bpf_unit *u, struct em *em, uint32_t n,
	  uint32_t drop)
{
	struct bpf_fn *fn;

	em_ld(em, BPF_W, R1, R6, RT_OFF(slot));
	em_imm(em, R2, n);
	fn = bpf_link_shared(u, em, "room", 2);
	if (fn != NULL) {
		room_code(eng, u, &fn->em);
		bpf_link_done(fn, em);
	}
	em_ji(em, BPF_JEQ, R0, 0, drop);
	em_mov(em, R1, R0);
	em_mov(em, R3, R0);
	if (eng->opts.bufpolicy == RT_BUF_RING)
		em_raw(em, BPF_ALU64 | BPF_NEG, R3, 0, 0, 0);
	else
		em_alui(em, BPF_SUB, R3, (int32_t)n);
	em_alui(em, BPF_AND, R3, (int32_t)(eng->buf.vsize - 1));
}

void
bpf_rec_reserve(struct engine *eng, struct bpf_unit *u, struct em *em,
		uint32_t n, uint32_t drop)
{
	uint32_t size = eng->buf.vsize;
	uint32_t slow = em_label(em), have = em_label(em);

	em_map(em, R1, eng->buf.fd);
	em_lea(em, R2, R6, RT_OFF(slot));
	em_call(em, BPF_FUNC_map_lookup_elem);
	em_ji(em, BPF_JEQ, R0, 0, drop);
	em_mov(em, R9, R0);
	if (eng->opts.bufpolicy == RT_BUF_RING)
		fast_down(em, size, n, slow);
	else
		fast_up(em, size, n, slow);
	em_ja(em, have);
	em_place(em, slow);
	call_room(eng, u, em, n, drop);
	em_place(em, have);
	em_ji(em, BPF_JGT, R3, (int32_t)(size - n), drop);
	em_st(em, BPF_DW, FP, FR_HEAD, R1);
	em_alu(em, BPF_ADD, R9, R3);
}

/* ---- publication --------------------------------------------------------- */

/* Where the consumer reads meanwhile it is poked when half of the buffer is
   passed. */
void
bpf_rec_publish(struct engine *eng, struct bpf_unit *u, struct em *em)
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
	bpf_rec_wake(eng, u, em);
	em_place(em, no);
}
