/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * elf_hole.c - what of a file need not be read.
 *
 * A file may be much larger than what somebody has written into it: the rest
 * are holes, which read as zeros and become memory when they are read.  In no
 * table that is looked at here, and in no code, do zeros say anything: a
 * symbol of zeros is undefined, a relocation of zeros none, an instruction of
 * zeros no jump.  So readers of long tables ask for the stretches of data and
 * leave out the holes.
 *
 * Pages that were read are given back when a pass over a long table is done:
 * they are the file's, and come again if they are asked for.
 *
 * See lseek(2), SEEK_DATA, and madvise(2), MADV_DONTNEED.
 */
#include "base/vec.h"
#include "elf/elf_impl.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FORGET_MIN (1u << 20) /* less is not worth a call */
#define PAGE_MASK  ((uintptr_t)4095)

/* The last stretch is as long as the file if there are more than we keep. */
void
elf_find_holes(struct elf_file *f, int fd)
{
	off_t lo = 0, hi = 0, end = (off_t)f->size;
	struct stat st;

	f->ndata = 0;
	if (fstat(fd, &st) != 0 || st.st_blocks >= st.st_size / 512)
		return;
	while (f->ndata < ELF_STRETCHES && hi < end) {
		lo = lseek(fd, hi, SEEK_DATA);
		if (lo < 0 || lo >= end)
			break; /* no more data */
		hi = lseek(fd, lo, SEEK_HOLE);
		if (hi <= lo || hi > end || f->ndata == ELF_STRETCHES - 1)
			hi = end;
		f->data[f->ndata++] =
			(struct elf_span){ (uint64_t)lo, (uint64_t)hi };
	}
}

bool
elf_data_next(const struct elf_file *f, uint64_t off, uint64_t end,
	      struct elf_span *s)
{
	if (end > f->size)
		end = f->size;
	*s = (struct elf_span){ off, end };
	for (size_t i = 0; i < f->ndata; i++) {
		if (f->data[i].hi <= off)
			continue;
		if (f->data[i].lo > off)
			s->lo = f->data[i].lo;
		if (f->data[i].hi < end)
			s->hi = f->data[i].hi;
		return s->lo < s->hi;
	}
	return f->ndata == 0 && s->lo < s->hi;
}

bool
elf_data_next_of(const struct elf_file *f, uint64_t off, uint64_t end,
		 uint64_t start, size_t size, struct elf_span *s)
{
	uint64_t last = start + (end - start) / size * size;

	if (!elf_data_next(f, off, last, s))
		return false;
	/* Whole entries; those that reach into a hole as well. */
	s->lo = start + (s->lo - start) / size * size;
	s->hi = start + (s->hi - start + size - 1) / size * size;
	if (s->lo < off)
		s->lo = off;
	return s->lo < s->hi;
}

uint64_t
elf_data_bytes(const struct elf_file *f, const uint8_t *p, uint64_t n)
{
	uint64_t off = (uint64_t)(p - f->map), end = off + n, sum = 0;
	struct elf_span s;

	for (; elf_data_next(f, off, end, &s); off = s.hi)
		sum += s.hi - s.lo;
	return sum;
}

void
elf_forget(const struct elf_file *f, uint64_t off, uint64_t n)
{
	uintptr_t lo, hi;

	if (!f->mapped || n < FORGET_MIN || elf_at(f, off, n) == NULL)
		return;
	lo = ((uintptr_t)(f->map + off) + PAGE_MASK) & ~PAGE_MASK;
	hi = (uintptr_t)(f->map + off + n) & ~PAGE_MASK;
	if (lo < hi)
		(void)madvise((void *)lo, hi - lo, MADV_DONTNEED);
}

/* In a segment, from addr on. */
static uint64_t
segment_find(const struct elf_file *f, const struct elf_seg *g, uint64_t addr,
	     const void *what, size_t n)
{
	uint64_t off = addr > g->addr ? g->off + (addr - g->addr) : g->off;
	uint64_t end = g->off + g->filesz;
	struct elf_span s;

	for (; off < end && elf_data_next(f, off, end, &s); off = s.hi) {
		const uint8_t *hit =
			memmem(f->map + s.lo, s.hi - s.lo, what, n);

		if (hit != NULL)
			return g->addr + ((uint64_t)(hit - f->map) - g->off);
	}
	return 0;
}

/* Without what has been found before. */
static uint64_t
code_search(const struct elf_file *f, uint64_t addr, const void *what, size_t n)
{
	uint64_t first = 0;

	for (size_t i = 0; i < f->nsegs; i++) {
		const struct elf_seg *g = &f->segs[i];
		uint64_t at;

		if (!g->exec || addr >= g->addr + g->filesz)
			continue;
		at = segment_find(f, g, addr, what, n);
		if (at != 0 && (first == 0 || at < first))
			first = at;
	}
	return first;
}

/* All places, once; false: no memory, or too many bytes. */
static bool
hits_load(struct elf_file *f, const void *what, size_t n)
{
	VEC(uint64_t) v = { 0 };
	uint64_t at = 0;

	if (f->nhit == n && memcmp(f->hit, what, n) == 0)
		return true;
	if (n > sizeof(f->hit))
		return false;
	while ((at = code_search(f, at, what, n)) != 0) {
		if (!vec_push(&v, at)) {
			vec_fini(&v);
			return false;
		}
		at++;
	}
	free(f->hits);
	f->hits = v.v;
	f->nhits = v.n;
	memcpy(f->hit, what, n);
	f->nhit = n;
	return true;
}

/* Index of the first of f->hits at or after an address. */
static size_t
hit_from(const struct elf_file *f, uint64_t addr)
{
	size_t lo = 0, hi;

	for (hi = f->nhits; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;
		if (f->hits[mid] < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The same is looked for in every process that maps the file. */
uint64_t
elf_code_find(struct elf_file *f, uint64_t addr, const void *what, size_t n)
{
	size_t i;

	if (!hits_load(f, what, n))
		return code_search(f, addr, what, n);
	i = hit_from(f, addr);
	return i < f->nhits ? f->hits[i] : 0;
}

void
elf_code_drop(struct elf_file *f, uint64_t addr)
{
	size_t i = hit_from(f, addr);

	if (i == f->nhits || f->hits[i] != addr)
		return;
	f->nhits--;
	memmove(f->hits + i, f->hits + i + 1,
		(f->nhits - i) * sizeof(*f->hits));
}
