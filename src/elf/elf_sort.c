/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * elf_sort.c - sorting tables by an address, in place and in linear time.
 *
 * The tables are as long as a foreign file wants them to be.  qsort(3) takes
 * as much memory again as the table has, and a time that depends on what is in
 * it; here both are bounded.  It is a radix sort: elements are dealt into 256
 * buckets by the highest byte in which keys may differ, by swapping, and each
 * bucket is then sorted by the next byte.  Equal keys end up in any order.
 * See McIlroy, Bostic, McIlroy: Engineering Radix Sort, 1993.
 */
#include "elf/elf_impl.h"

#include <string.h>

#define SORT_FEW  24 /* elements that are sorted by insertion */
#define SORT_SIZE 64 /* greatest size of an element */

struct sorter {
	uint8_t *v;
	size_t size, key; /* of an element; where its key is */
};

static uint64_t
sort_key(const struct sorter *s, size_t i)
{
	uint64_t k;

	memcpy(&k, s->v + i * s->size + s->key, sizeof(k));
	return k;
}

static void
sort_swap(const struct sorter *s, size_t i, size_t j)
{
	uint8_t *a = s->v + i * s->size, *b = s->v + j * s->size;
	uint8_t t[SORT_SIZE];

	memcpy(t, a, s->size);
	memcpy(a, b, s->size);
	memcpy(b, t, s->size);
}

static void
sort_few(const struct sorter *s, size_t lo, size_t hi)
{
	for (size_t i = lo + 1; i < hi; i++)
		for (size_t j = i;
		     j > lo && sort_key(s, j) < sort_key(s, j - 1); j--)
			sort_swap(s, j, j - 1);
}

static unsigned
sort_digit(const struct sorter *s, size_t i, unsigned shift)
{
	return (unsigned)(sort_key(s, i) >> shift) & 0xff;
}

/* Deal elements lo to hi - 1 into buckets; end[b] is where bucket b ends. */
static void
sort_deal(const struct sorter *s, size_t lo, size_t hi, unsigned shift,
	  size_t end[256])
{
	size_t next[256], at = lo;

	memset(end, 0, 256 * sizeof(*end));
	for (size_t i = lo; i < hi; i++)
		end[sort_digit(s, i, shift)]++;
	for (unsigned b = 0; b < 256; b++) {
		next[b] = at;
		at += end[b];
		end[b] = at;
	}
	for (unsigned b = 0; b < 256; b++) {
		while (next[b] < end[b]) {
			unsigned d = sort_digit(s, next[b], shift);

			if (d == b)
				next[b]++;
			else
				sort_swap(s, next[b], next[d]++);
		}
	}
}

/* Eight levels at most: one for each byte of a key. */
static void
sort_range(const struct sorter *s, size_t lo, size_t hi, unsigned shift)
{
	size_t end[256];

	if (hi - lo <= SORT_FEW) {
		sort_few(s, lo, hi);
		return;
	}
	sort_deal(s, lo, hi, shift, end);
	for (unsigned b = 0; shift != 0 && b < 256; b++) {
		if (end[b] - lo > 1)
			sort_range(s, lo, end[b], shift - 8);
		lo = end[b];
	}
}

void
elf_sort(void *v, size_t n, size_t size, size_t key)
{
	const struct sorter s = { v, size, key };
	bool sorted = true;
	uint64_t all = 0;
	unsigned shift = 0;

	for (size_t i = 0; i < n; i++) {
		all |= sort_key(&s, i);
		sorted &= i == 0 || sort_key(&s, i - 1) <= sort_key(&s, i);
	}
	while (shift < 56 && all >> (shift + 8) != 0)
		shift += 8;
	if (!sorted)
		sort_range(&s, 0, n, shift);
}
