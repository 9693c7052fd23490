/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * code_away.c - where a jump into other code leads in the end.
 *
 * Families of functions share their code: memmove() for one processor jumps
 * into the middle of memmove() for another, and others jump into the middle of
 * it.  So that something leads to its inside is no reason to fear that control
 * comes back: what can be reached from the jump is looked through, as far as it
 * is a little.
 */
#include "code/code_impl.h"

#define AWAY_INSNS  4096u /* that are looked at in all */
#define AWAY_BLOCKS 256u  /* beginnings of what is still to be looked at */
#define INSN_BYTES  15u

struct away {
	const struct code_scan *s;
	uint64_t begin[AWAY_BLOCKS];
	uint32_t n;
	uint32_t insns;
	bool back; /* or it may be, for all that is known */
};

/* Control may go to addr. */
static void
away_to(struct away *a, uint64_t addr)
{
	for (uint32_t i = 0; i < a->n; i++)
		if (a->begin[i] == addr)
			return;
	if (code_fn_has(a->s->fn, addr) || a->n == AWAY_BLOCKS)
		a->back = true;
	else
		a->begin[a->n++] = addr;
}

/* The bytes at addr, or as many as its object has there. */
static const uint8_t *
away_bytes(const struct code_world *w, uint64_t addr, size_t *n)
{
	const uint8_t *p = NULL;

	for (*n = INSN_BYTES; *n > 0; --*n)
		if ((p = w->bytes(w->arg, addr, *n)) != NULL)
			break;
	return p;
}

/* Go on from addr until control does not fall through. */
static void
away_block(struct away *a, uint64_t addr)
{
	for (; !a->back; a->insns++) {
		struct code_insn in;
		size_t n;
		const uint8_t *p = away_bytes(a->s->w, addr, &n);

		if (p == NULL || a->insns == AWAY_INSNS ||
		    code_fn_has(a->s->fn, addr)) {
			a->back = true;
			return;
		}
		code_insn_decode(p, n, addr, &in);
		switch (in.kind) {
		case CODE_I_RET:
		case CODE_I_TRAP:
			return;
		case CODE_I_JMP:
			away_to(a, in.target);
			return;
		case CODE_I_JCC:
			away_to(a, in.target);
			break;
		case CODE_I_JMP_IND:
		case CODE_I_BAD:
			a->back = true;
			return;
		default:
			break;
		}
		addr += in.len;
	}
}

bool
code_stays_away(const struct code_scan *s, uint64_t addr)
{
	struct away a = { .s = s };

	away_to(&a, addr);
	for (uint32_t i = 0; i < a.n && !a.back; i++)
		away_block(&a, a.begin[i]);
	return !a.back;
}
