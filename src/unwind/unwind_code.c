/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * unwind_code.c - rows of functions that no table describes, by their
 * instructions (code_cfi()).
 *
 * Some kilobytes without a table are in most files: what the linker and the
 * C library put in front.  It is worth reading symbols and code where there is
 * more, as in Node, whose V8 has a megabyte of its own making.  Nor is it where
 * symbols are so many that to sort them takes more memory than all else does.
 */
#include "unwind/unwind_impl.h"

#include "code/code.h"

#define CODE_GAP   2048u       /* bytes without a row that are worth it */
#define CODE_BYTES (4u << 20) /* of a file that are read */
#define CODE_SYMS  (1u << 19) /* of a file that are sorted for it */

/* The first row that ends behind an offset in the file. */
static size_t
code_row(const struct unwind_rows *r, uint64_t off)
{
	size_t lo = 0, hi = r->first;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (r->list.v[mid].hi <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Bytes from an offset to the next row. */
static uint64_t
code_bare(const struct unwind_rows *r, uint64_t off)
{
	size_t i = code_row(r, off);

	if (i == r->first)
		return UINT64_MAX;
	return r->list.v[i].lo > off ? r->list.v[i].lo - off : 0;
}

/* Between two rows, or between the rows and an end of the code: a C library
   that has no tables, linked statically, stands behind the few that the program
   has. */
static bool
code_has_gap(const struct unwind_rows *r)
{
	const struct unwind_row *v = r->list.v;
	uint64_t addr, size, off;

	if (r->first != 0 && elf_text(r->f, &addr, &size) &&
	    elf_addr_to_off(r->f, addr, &off) &&
	    (v[0].lo >= off + CODE_GAP ||
	     (v[r->first - 1].hi < off + size &&
	      off + size - v[r->first - 1].hi >= CODE_GAP)))
		return true;
	for (size_t i = 1; i < r->first; i++)
		if (v[i].lo > v[i - 1].hi && v[i].lo - v[i - 1].hi >= CODE_GAP)
			return true;
	return r->first == 0;
}

bool
unwind_code_fn(struct elf_file *f, uint64_t addr, uint64_t end, elf_cfi_fn *fn,
	       void *arg)
{
	struct code_body b = { .addr = addr,
			       .n = end - addr,
			       .next = SIZE_MAX };

	b.p = elf_bytes(f, addr, b.n);
	return b.p == NULL || code_cfi(&b, fn, arg);
}

void
unwind_code(const struct unwind_rows *r, elf_cfi_fn *fn, void *arg)
{
	uint64_t left = CODE_BYTES, off;
	const struct elf_sym *s;
	size_t n;

	if (!elf_is_x86_64(r->f) || !code_has_gap(r) ||
	    elf_syms_most(r->f) > CODE_SYMS)
		return;
	s = elf_syms(r->f, &n);
	for (size_t i = 0; i < n; i++) {
		uint64_t addr = s[i].addr, size;

		if (!elf_addr_to_off(r->f, addr, &off) ||
		    elf_code_left(r->f, addr) == 0)
			continue;
		size = code_bare(r, off);
		size = size < s[i].size ? size : s[i].size;
		if (size > left || (i != 0 && s[i - 1].addr == addr))
			continue;
		left -= size;
		if (!unwind_code_fn(r->f, addr, addr + size, fn, arg))
			return;
	}
}
