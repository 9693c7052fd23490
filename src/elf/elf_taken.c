/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * elf_taken.c - addresses in the middle of functions that code makes.
 *
 * Code may be entered where no branch leads: somebody takes the address of an
 * instruction and puts it where a return, a jump or a signal handler finds it.
 * Cancellation points are compared with such addresses, hand-made coroutines
 * begin there.  Within one function its analysis sees that; this file finds
 * where one function does it to another:
 *
 *	lea  inside(%rip),%r		and, where objects are not relocated,
 *	mov  $inside,%r			push, or a store of an immediate
 *
 *	lea  start(%rip),%r		the address of a function that is
 *	inc  %r				counted up by one: behind a nop
 *
 * As with jumps between functions every byte is tried as the beginning of such
 * an instruction.  Too many addresses only make us more careful.
 *
 * An address that is read from memory and then counted up is not found.
 */
#include "elf/elf_impl.h"

#include <string.h>

#define NEAR 12 /* bytes after a lea in which its register is counted up */

struct take_scan {
	struct elf_file *f;
	struct elf_addrs *out;
	const uint8_t *p; /* a segment's bytes */
	uint64_t addr, n;
};

bool
elf_is_inside(struct elf_file *f, uint64_t addr)
{
	const struct elf_fde *d = elf_fde_at(f, addr);
	const struct elf_sym *s;

	if (d != NULL)
		return d->addr != addr;
	if (!elf_is_code(f, addr))
		return false;
	s = elf_sym_at(f, addr);
	return s != NULL && s->is_func && s->addr != addr;
}

static uint32_t
word_at(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* What is added to register r by the bytes at p; 0: nothing. */
static uint64_t
counted_up(const uint8_t *p, unsigned r)
{
	if (p[0] != (r < 8 ? 0x48 : 0x49))
		return 0;
	if (p[1] == 0xff && p[2] == (0xc0 | (r & 7)))
		return 1;
	return p[1] == 0x83 && p[2] == (0xc0 | (r & 7)) && p[3] == 1;
}

/* True if the bytes at p might write register r anew: a load, a lea, a call. */
static bool
written_anew(const uint8_t *p, unsigned r)
{
	return ((p[0] == 0x8b || p[0] == 0x8d) && (p[1] >> 3 & 7) == (r & 7)) ||
	       p[0] == 0xe8;
}

/* A lea at offset i: rex.w, 8d, modrm of a rip-relative operand. */
static void
take_lea(struct take_scan *s, uint64_t i)
{
	const uint8_t *p = s->p + i;
	unsigned r = (p[0] & 4u) << 1 | p[2] >> 3;
	uint64_t to =
		s->addr + i + 7 + (uint64_t)(int64_t)(int32_t)word_at(p + 3);

	if (!elf_is_code(s->f, to))
		return;
	if (elf_is_inside(s->f, to))
		elf_addrs_add(s->out, to);
	for (uint64_t k = 7; k < 7 + NEAR && i + k + 4 <= s->n; k++) {
		uint64_t by = counted_up(p + k, r);

		if (written_anew(p + k, r))
			break;
		if (by != 0 && elf_is_inside(s->f, to + by))
			elf_addrs_add(s->out, to + by);
	}
}

/* True if the bytes before an immediate at offset i look like the
   instruction. */
static bool
takes_imm(const uint8_t *p, uint64_t i)
{
	static const uint8_t back[] = { 2, 3, 4, 6 }; /* modrm, sib, disp */

	if ((p[i - 1] & 0xf8) == 0xb8 || p[i - 1] == 0x68)
		return true;
	for (size_t k = 0; k < sizeof(back); k++)
		if (i >= back[k] && p[i - back[k]] == 0xc7)
			return true;
	return false;
}

static void
take_imm(struct take_scan *s, uint64_t i)
{
	uint64_t to = word_at(s->p + i);

	if (elf_is_code(s->f, to) && takes_imm(s->p, i) &&
	    elf_is_inside(s->f, to))
		elf_addrs_add(s->out, to);
}

static void
take_all(struct take_scan *s, bool imm, uint64_t lo, uint64_t hi)
{
	for (uint64_t i = 1; i + 8 <= s->n; i++) {
		uint64_t v = word_at(s->p + i);

		if ((s->p[i] & 0xfb) == 0x48 && s->p[i + 1] == 0x8d &&
		    (s->p[i + 2] & 0xc7) == 0x05)
			take_lea(s, i);
		if (imm && v >= lo && v < hi)
			take_imm(s, i);
	}
}

/* Of a segment what is there: a hole in the file has no code. */
static void
take_segment(struct elf_file *f, struct elf_addrs *a, const struct elf_seg *g,
	     uint64_t lo, uint64_t hi)
{
	uint64_t end = g->off + g->filesz, budget = ELF_TABLE_MAX;
	struct elf_span at;

	for (uint64_t off = g->off; elf_data_next(f, off, end, &at);
	     off = at.hi) {
		struct take_scan s = { f, a, f->map + at.lo,
				       g->addr + (at.lo - g->off),
				       at.hi - at.lo };

		a->failed |= s.n > budget;
		if (a->failed)
			return;
		budget -= s.n;
		take_all(&s, !elf_is_pie(f), lo, hi);
	}
}

void
elf_entries_taken(struct elf_file *f, struct elf_addrs *a)
{
	uint64_t lo = UINT64_MAX, hi = 0;

	for (size_t i = 0; i < f->nsegs; i++) {
		if (!f->segs[i].exec)
			continue;
		if (f->segs[i].addr < lo)
			lo = f->segs[i].addr;
		if (f->segs[i].addr + f->segs[i].filesz > hi)
			hi = f->segs[i].addr + f->segs[i].filesz;
	}
	for (size_t i = 0; i < f->nsegs && !a->failed; i++)
		if (f->segs[i].exec)
			take_segment(f, a, &f->segs[i], lo, hi);
}
