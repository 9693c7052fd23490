/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * code_x86_near.c - short branches from the code before and after a part of a
 * function: hand-written assembly shares tails and skips its neighbour's first
 * instruction.  Longer ones the world knows.  Where the instructions of the
 * code before begin is not known: decoding finds into step by itself, and must
 * meet the part's start.
 */
#include "code/code_x86_impl.h"

#define SHORT_REACH 130
#define SHORT_LEAD  62 /* to find into step */

/* True if one of these bytes might be a short branch into the part's inside. */
static bool
near_hint(const uint8_t *p, size_t n, uint64_t addr,
	  const struct code_part *part)
{
	for (size_t i = 0; i + 2 <= n; i++) {
		uint64_t to =
			addr + i + 2 + (uint64_t)(int64_t)(int8_t)p[i + 1];

		if ((p[i] == 0xeb || (p[i] & 0xf0) == 0x70 ||
		     (p[i] & 0xfc) == 0xe0) &&
		    to > part->addr && to - part->addr < part->size)
			return true;
	}
	return false;
}

/* Decode up to p + n; fn, unless it is NULL, is told of targets in the part.
   true: it ended there. */
static bool
near_sweep(const uint8_t *p, size_t n, uint64_t addr,
	   const struct code_part *part, code_near_f *fn, void *arg)
{
	size_t at = 0;

	while (at < n) {
		struct code_insn in;

		code_insn_decode(p + at, n - at, addr + at, &in);
		if (in.kind == CODE_I_BAD)
			return false;
		if (fn != NULL &&
		    (in.kind == CODE_I_JMP || in.kind == CODE_I_JCC) &&
		    in.target - part->addr < part->size)
			fn(arg, in.target);
		at += in.len;
	}
	return at == n;
}

void
code_x86_near_each(const struct code_world *w, const struct code_part *part,
		   code_near_f *fn, void *arg)
{
	const size_t n = SHORT_REACH + SHORT_LEAD;
	uint64_t end = part->addr + part->size;
	const uint8_t *p = w->bytes(w->arg, part->addr - n, n);

	if (p != NULL && near_hint(p + SHORT_LEAD, SHORT_REACH,
				   part->addr - SHORT_REACH, part)) {
		size_t k = 0;

		while (k < 16 && !near_sweep(p + k, n - k, part->addr - n + k,
					     part, NULL, NULL))
			k++;
		if (k < 16)
			near_sweep(p + k, n - k, part->addr - n + k, part, fn,
				   arg);
	}
	p = w->bytes(w->arg, end, SHORT_REACH);
	if (p != NULL && near_hint(p, SHORT_REACH, end, part))
		near_sweep(p, SHORT_REACH, end, part, fn, arg);
}

static void
near_target(void *arg, uint64_t to)
{
	code_scan_target(arg, to);
}

void
code_x86_near(struct code_scan *s, const struct code_part *part)
{
	code_x86_near_each(s->w, part, near_target, s);
}
