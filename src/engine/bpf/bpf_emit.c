/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_emit.c - the emitter; see bpf_emit.h.
 *
 * Instruction set: Documentation/bpf/standardization/instruction-set.rst.
 */
#include "engine/bpf/bpf_emit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KILLED 0xff /* in `code`: no such opcode */

void
em_fini(struct em *em)
{
	vec_fini(&em->code);
	vec_fini(&em->label);
	vec_fini(&em->fix);
	vec_fini(&em->ref);
}

/*
 * A load or a store farther from its base than an instruction can say: the base
 * goes there and comes back.
 */
static uint32_t
far_raw(struct em *em, uint8_t code, unsigned dst, unsigned src, int off,
	int32_t imm)
{
	bool load = BPF_CLASS(code) == BPF_LDX;
	unsigned base = load ? src : dst;
	int near = off % 4096;
	uint32_t at;

	if (base == FP || BPF_CLASS(code) > BPF_STX ||
	    BPF_CLASS(code) == BPF_LD) {
		em->failed = true;
		return 0;
	}
	em_alui(em, BPF_ADD, base, off - near);
	at = em_raw(em, code, dst, src, near, imm);
	if (!load || dst != base)
		em_alui(em, BPF_ADD, base, near - off);
	return at;
}

uint32_t
em_raw(struct em *em, uint8_t code, unsigned dst, unsigned src, int off,
       int32_t imm)
{
	struct bpf_insn in = {
		.code = code,
		.dst_reg = dst & 0xf,
		.src_reg = src & 0xf,
		.off = (int16_t)off,
		.imm = imm,
	};

	if (off != (int16_t)off)
		return far_raw(em, code, dst, src, off, imm);
	if (!vec_push(&em->code, in)) {
		em->nomem = true;
		return 0;
	}
	return (uint32_t)em->code.n - 1;
}

void
em_kill(struct em *em, uint32_t at)
{
	if (at < em->code.n)
		em->code.v[at].code = KILLED;
}

uint32_t
em_label(struct em *em)
{
	if (!vec_push(&em->label, -1)) {
		em->nomem = true;
		return 0;
	}
	return (uint32_t)em->label.n;
}

void
em_place(struct em *em, uint32_t label)
{
	if (label == 0 || label > em->label.n)
		em->wrong = "a label that is none has a place";
	else if (em->label.v[label - 1] >= 0)
		em->wrong = "a label has two places";
	else
		em->label.v[label - 1] = (int64_t)em->code.n;
}

static void
em_wide(struct em *em, unsigned dst, unsigned src, uint32_t lo, uint32_t hi)
{
	em_raw(em, BPF_LD | BPF_DW | BPF_IMM, dst, src, 0, (int32_t)lo);
	em_raw(em, 0, 0, 0, 0, (int32_t)hi);
}

void
em_imm(struct em *em, unsigned dst, uint64_t imm)
{
	if (em_fits(imm))
		em_raw(em, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0,
		       (int32_t)imm);
	else if (imm <= UINT32_MAX)
		em_raw(em, BPF_ALU | BPF_MOV | BPF_K, dst, 0, 0, (int32_t)imm);
	else
		em_wide(em, dst, 0, (uint32_t)imm, (uint32_t)(imm >> 32));
}

void
em_map(struct em *em, unsigned dst, int fd)
{
	em_wide(em, dst, BPF_PSEUDO_MAP_FD, (uint32_t)fd, 0);
}

void
em_mapval(struct em *em, unsigned dst, int fd, uint32_t off)
{
	em_wide(em, dst, BPF_PSEUDO_MAP_VALUE, (uint32_t)fd, off);
}

void
em_kvar(struct em *em, unsigned dst, uint32_t btf_id)
{
	em_wide(em, dst, BPF_PSEUDO_BTF_ID, btf_id, 0);
}

void
em_fn(struct em *em, const char *name)
{
	struct em_ref r = { .fn = name };

	r.at = em_raw(em, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 0);
	if (!vec_push(&em->ref, r))
		em->nomem = true;
}

static void
em_jump(struct em *em, uint8_t code, unsigned dst, unsigned src, int32_t imm,
	uint32_t label)
{
	struct em_fix f = { .label = label };

	f.at = em_raw(em, code, dst, src, 0, imm);
	if (!vec_push(&em->fix, f))
		em->nomem = true;
}

void
em_jr(struct em *em, unsigned op, unsigned dst, unsigned src, uint32_t label)
{
	em_jump(em, (uint8_t)(BPF_JMP | op | BPF_X), dst, src, 0, label);
}

void
em_ji(struct em *em, unsigned op, unsigned dst, int32_t imm, uint32_t label)
{
	em_jump(em, (uint8_t)(BPF_JMP | op | BPF_K), dst, 0, imm, label);
}

void
em_ji32(struct em *em, unsigned op, unsigned dst, int32_t imm, uint32_t label)
{
	em_jump(em, (uint8_t)(BPF_JMP32 | op | BPF_K), dst, 0, imm, label);
}

void
em_ja(struct em *em, uint32_t label)
{
	em_jump(em, BPF_JMP | BPF_JA, 0, 0, 0, label);
}

void
em_append(struct em *em, struct em *from)
{
	uint32_t base = (uint32_t)em->code.n, lb = (uint32_t)em->label.n;
	bool ok = !from->nomem;

	for (size_t i = 0; ok && i < from->code.n; i++)
		ok = vec_push(&em->code, from->code.v[i]);
	for (size_t i = 0; ok && i < from->label.n; i++)
		ok = vec_push(&em->label, from->label.v[i] < 0
						  ? -1
						  : from->label.v[i] + base);
	for (size_t i = 0; ok && i < from->fix.n; i++) {
		struct em_fix f = from->fix.v[i];

		f.at += base;
		f.label += f.label != 0 ? lb : 0;
		ok = vec_push(&em->fix, f);
	}
	for (size_t i = 0; ok && i < from->ref.n; i++) {
		struct em_ref r = { from->ref.v[i].at + base,
				    from->ref.v[i].fn };
		ok = vec_push(&em->ref, r);
	}
	em->failed |= from->failed;
	em->wrong = em->wrong != NULL ? em->wrong : from->wrong;
	em->nomem |= !ok;
	em_fini(from);
	*from = (struct em){ 0 };
}

/* ---- finishing ---------------------------------------------------------- */

/* State of em_finish(): per instruction, where it jumps and whether it is
   reached, then where it goes. */
struct tidy {
	struct em *em;
	int64_t *target; /* -1: no jump */
	uint8_t *live;
	uint32_t *todo, *newpos;
	uint32_t ntodo;
};

static bool
is_wide(const struct bpf_insn *in)
{
	return in->code == (BPF_LD | BPF_DW | BPF_IMM);
}

static void
tidy_reach(struct tidy *t, int64_t at)
{
	if (at < 0 || at >= (int64_t)t->em->code.n || t->live[at])
		return;
	t->live[at] = 1;
	t->todo[t->ntodo++] = (uint32_t)at;
}

/* Mark all that can be reached from the first instruction. */
static void
tidy_mark(struct tidy *t)
{
	tidy_reach(t, 0);
	while (t->ntodo > 0) {
		uint32_t at = t->todo[--t->ntodo];
		const struct bpf_insn *in = &t->em->code.v[at];

		if (t->target[at] >= 0)
			tidy_reach(t, t->target[at]);
		if (in->code == (BPF_JMP | BPF_EXIT) ||
		    in->code == (BPF_JMP | BPF_JA))
			continue;
		if (is_wide(in))
			t->live[at + 1] = 1;
		tidy_reach(t, at + (is_wide(in) ? 2 : 1));
	}
}

/* A jump to the next instruction that stays is no jump. */
static void
tidy_jumps(struct tidy *t)
{
	struct em *em = t->em;

	for (uint32_t i = 0; i < em->code.n; i++) {
		if (!t->live[i] || em->code.v[i].code != (BPF_JMP | BPF_JA))
			continue;
		int64_t j = i + 1;
		while (j < t->target[i] &&
		       (!t->live[j] || em->code.v[j].code == KILLED))
			j++;
		if (j == t->target[i])
			em->code.v[i].code = KILLED;
	}
}

static int
tidy_move(struct tidy *t, const char *name, struct err *e)
{
	struct em *em = t->em;
	uint32_t n = 0, k = 0;

	for (uint32_t i = 0; i < em->code.n; i++) {
		t->newpos[i] = n;
		if (em->code.v[i].code == KILLED)
			t->live[i] = 0;
		n += t->live[i];
	}
	for (uint32_t i = 0; i < em->code.n; i++) {
		if (!t->live[i])
			continue;
		struct bpf_insn in = em->code.v[i];
		if (t->target[i] >= 0) {
			int64_t d = (int64_t)t->newpos[t->target[i]] -
				    t->newpos[i] - 1;
			if (d != (int16_t)d)
				return err_set(e, &ERR_GENERIC, 0,
					       "%s: too large for the kernel "
					       "(%u instructions)",
					       name, n);
			in.off = (int16_t)d;
		}
		em->code.v[t->newpos[i]] = in;
	}
	for (size_t i = 0; i < em->ref.n; i++) {
		struct em_ref r = em->ref.v[i];
		if (!t->live[r.at])
			continue;
		r.at = t->newpos[r.at];
		em->ref.v[k++] = r;
	}
	em->ref.n = k;
	em->code.n = n;
	return 0;
}

/* ---- the frame ----------------------------------------------------------- */

/*
 * Generators give a place in the frame to whatever they may need; a function
 * needs few of them.  The kernel adds up the frames of all functions on the
 * stack, rounded up (to 32 bytes before 6.8), and refuses 513 bytes.  So words
 * that no instruction names are taken out of the frame, and the others move up
 * in their order: what is next to each other remains so.
 */
#define FRAME_WORDS 64

/* True if the instruction names a word of the frame; *off is then its offset.
   An address is made by em_lea(): mov, then add. */
static bool
frame_use(const struct bpf_insn *in, size_t left, int32_t *off)
{
	unsigned cls = BPF_CLASS(in->code);
	bool mem = ((cls == BPF_ST || cls == BPF_STX) && in->dst_reg == FP) ||
		   (cls == BPF_LDX && in->src_reg == FP);

	if (mem)
		*off = in->off;
	else if (in->code == (BPF_ALU64 | BPF_MOV | BPF_X) &&
		 in->src_reg == FP && left > 1 &&
		 in[1].code == (BPF_ALU64 | BPF_ADD | BPF_K) &&
		 in[1].dst_reg == in->dst_reg)
		*off = in[1].imm;
	else
		return false;
	return *off < 0 && *off >= -8 * FRAME_WORDS;
}

static unsigned
frame_word(int32_t off)
{
	return (unsigned)(-off - 1) / 8;
}

static void
frame_pack(struct em *em)
{
	uint8_t used[FRAME_WORDS] = { 0 }, gone[FRAME_WORDS];
	uint8_t ngone = 0;
	int32_t off;

	for (size_t i = 0; i < em->code.n; i++)
		if (frame_use(&em->code.v[i], em->code.n - i, &off))
			used[frame_word(off)] = 1;
	for (unsigned w = 0; w < FRAME_WORDS; w++) {
		gone[w] = ngone;
		ngone = (uint8_t)(ngone + !used[w]);
	}
	for (size_t i = 0; i < em->code.n; i++) {
		struct bpf_insn *in = &em->code.v[i];
		if (!frame_use(in, em->code.n - i, &off))
			continue;
		off += 8 * gone[frame_word(off)];
		if (BPF_CLASS(in->code) == BPF_ALU64)
			in[1].imm = off;
		else
			in->off = (int16_t)off;
	}
}

/* ---- all of it ----------------------------------------------------------- */

static int
tidy_targets(struct tidy *t)
{
	for (uint32_t i = 0; i < t->em->code.n; i++)
		t->target[i] = -1;
	for (size_t i = 0; i < t->em->fix.n; i++) {
		struct em_fix *f = &t->em->fix.v[i];
		int64_t to = -1;

		if (f->label != 0 && f->label <= t->em->label.n)
			to = t->em->label.v[f->label - 1];
		if (to < 0 || to >= (int64_t)t->em->code.n)
			t->em->wrong = "a label has no place";
		t->target[f->at] = to;
	}
	return t->em->wrong == NULL ? 0 : -1;
}

int
em_finish(struct em *em, const char *name, struct err *e)
{
	size_t n = em->code.n + 1;
	struct tidy t = { .em = em };
	int rc = -1;

	if (em->nomem)
		return err_nomem(e);
	if (em->failed)
		return err_set(e, &ERR_GENERIC, 0, "%s: too large to translate",
			       name);
	t.target = calloc(n, sizeof(*t.target));
	t.live = calloc(n, 1);
	t.todo = calloc(n, sizeof(*t.todo));
	t.newpos = calloc(n, sizeof(*t.newpos));
	if (!t.target || !t.live || !t.todo || !t.newpos) {
		err_nomem(e);
	} else if (tidy_targets(&t) != 0) {
		err_set(e, &ERR_GENERIC, 0, "%s: %s", name, em->wrong);
	} else {
		tidy_mark(&t);
		tidy_jumps(&t);
		rc = tidy_move(&t, name, e);
		frame_pack(em);
	}
	free(t.target);
	free(t.live);
	free(t.todo);
	free(t.newpos);
	em->fix.n = em->label.n = 0;
	return rc;
}
