/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * elf_rseq.c - restartable sequences: code that must stay where it is.
 *
 * The kernel sends a thread that was preempted between start and end of such a
 * sequence to its abort handler, by address, and checks the 4 bytes in front
 * of that.  Instructions run elsewhere are not restarted.  Libraries that have
 * sequences (allocators, librseq) describe them in a section, __rseq_cs, as
 * linux/rseq.h says:
 *
 *	struct rseq_cs { u32 version, flags; u64 start, length, abort; }
 */
#include "elf/elf_impl.h"

#include <elf.h>
#include <string.h>

#define RSEQ_SIZE  32 /* of a struct rseq_cs */
#define RSEQ_START 8
#define RSEQ_LEN   16
#define RSEQ_ABORT 24
#define RSEQ_SIG   4     /* bytes in front of the handler */
#define RSEQ_MAX   65536 /* bytes of all; tcmalloc has 20 sequences */

/* Give the words of the section that are relocated their values. */
static void
rseq_relocate(struct elf_file *f, const struct elf_sec *cs, uint8_t *copy)
{
	Elf64_Rela r;

	for (size_t i = 1; i < f->nsecs; i++) {
		const struct elf_sec *s = &f->secs[i];
		const uint8_t *p = elf_at(f, s->off, s->size);

		if (s->type != SHT_RELA || (s->flags & SHF_ALLOC) == 0 ||
		    p == NULL)
			continue;
		uint64_t off = s->off, end = s->off + s->size;
		struct elf_span at;

		for (; elf_data_next_of(f, off, end, s->off, sizeof(r), &at);
		     off = at.lo) {
			memcpy(&r, f->map + at.lo, sizeof(r));
			at.lo += sizeof(r);
			if (ELF64_R_TYPE(r.r_info) == R_X86_64_RELATIVE &&
			    r.r_offset >= cs->addr && cs->size >= 8 &&
			    r.r_offset - cs->addr <= cs->size - 8)
				memcpy(copy + (r.r_offset - cs->addr),
				       &r.r_addend, 8);
		}
	}
}

/* The section's content as it will be in memory; false: there is none, or no
   memory for it. */
static bool
rseq_load(struct elf_file *f)
{
	const struct elf_sec *cs = elf_sec_find(f, "__rseq_cs");
	const uint8_t *p = cs != NULL && cs->type != SHT_NOBITS
				   ? elf_at(f, cs->off, cs->size)
				   : NULL;
	uint8_t *copy;

	if (p == NULL || (cs->flags & SHF_ALLOC) == 0)
		return false;
	f->rseq_failed = cs->size > RSEQ_MAX;
	if (f->rseq_failed)
		return false;
	copy = arena_memdup(f->arena, p, cs->size);
	if (copy == NULL)
		return false;
	rseq_relocate(f, cs, copy);
	f->rseq = copy;
	f->nrseq = cs->size / RSEQ_SIZE;
	return true;
}

static uint64_t
rseq_word(const uint8_t *cs, size_t off)
{
	uint64_t v;

	memcpy(&v, cs + off, sizeof(v));
	return v;
}

bool
elf_in_rseq(struct elf_file *f, uint64_t lo, uint64_t hi)
{
	if (!f->rseq_loaded) {
		f->rseq_loaded = true;
		rseq_load(f);
	}
	if (f->rseq_failed)
		return true;
	for (size_t i = 0; i < f->nrseq; i++) {
		const uint8_t *cs = f->rseq + i * RSEQ_SIZE;
		uint64_t start = rseq_word(cs, RSEQ_START);
		uint64_t abort = rseq_word(cs, RSEQ_ABORT);

		if (lo < start + rseq_word(cs, RSEQ_LEN) && hi > start)
			return true;
		/* The handler's own first byte may be a window's start. */
		if (lo < abort && hi > abort - RSEQ_SIG)
			return true;
	}
	return false;
}
