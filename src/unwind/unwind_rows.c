/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * unwind_rows.c - the rows of a file, from whatever tables it has.
 *
 * .eh_frame is what the program itself unwinds by, and comes first; then the
 * table of Go's compiler; .debug_frame only has what neither of them covers;
 * the linker's stubs are known without a table; and what is left is read from
 * the code.
 */
#include "unwind/unwind_impl.h"

#include <stdlib.h>

#include "code/code.h"

#define PADDING_MAX 64 /* bytes: functions begin at multiples of no more */

/* ---- rules --------------------------------------------------------------- */

static const uint8_t rule_kinds[] = {
	[ELF_CFA_UNKNOWN] = RT_UNW_UNKNOWN,
	[ELF_CFA_END] = RT_UNW_END,
	[ELF_CFA_RSP] = RT_UNW_RSP,
	[ELF_CFA_RBP] = RT_UNW_RBP,
	[ELF_CFA_STUB] = RT_UNW_STUB,
	[ELF_CFA_RSP_WORD] = RT_UNW_RSP_WORD,
	[ELF_CFA_RBP_WORD] = RT_UNW_RBP_WORD,
	[ELF_CFA_SIGNAL] = RT_UNW_SIGNAL,
};

static struct rt_unw_rule
rule_of(const struct elf_cfi *c)
{
	struct rt_unw_rule r = { .kind = rule_kinds[c->cfa] };

	if (c->cfa == ELF_CFA_UNKNOWN || c->cfa == ELF_CFA_END ||
	    c->cfa == ELF_CFA_SIGNAL)
		return r;
	if (c->off != (int32_t)c->off || c->add != (uint8_t)c->add)
		return (struct rt_unw_rule){ .kind = RT_UNW_UNKNOWN };
	r.off = (int32_t)c->off;
	r.add = (uint8_t)c->add;
	if (c->rbp == ELF_RBP_SAME)
		return r;
	r.rbp = (int16_t)c->rbp_off;
	if (c->rbp == ELF_RBP_AT_RBP)
		r.kind |= RT_UNW_BY_RBP;
	if (c->rbp == ELF_RBP_LOST || c->rbp_off != r.rbp || r.rbp % 8 != 0 ||
	    (c->rbp == ELF_RBP_AT_CFA && r.rbp == 0)) {
		r.kind = (uint8_t)(r.kind & ~RT_UNW_BY_RBP);
		r.rbp = RT_UNW_LOST;
	}
	return r;
}

/* ---- gathering ----------------------------------------------------------- */

/* True if the rows before r->first, which are in order, cover it. */
static bool
rows_cover(const struct unwind_rows *r, uint64_t at)
{
	size_t lo = 0, hi = r->first;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (r->list.v[mid].lo <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo != 0 && at < r->list.v[lo - 1].hi;
}

static bool
rows_push(struct unwind_rows *r, const struct elf_cfi *c)
{
	struct rt_unw_rule rule = rule_of(c);
	struct unwind_row row;

	if (!elf_addr_to_off(r->f, c->addr, &row.lo) || rows_cover(r, row.lo))
		return true;
	row.hi = row.lo + (c->end - c->addr);
	if (r->guess && rule.kind != RT_UNW_UNKNOWN)
		rule.kind |= RT_UNW_GUESS;
	row.rule = unwind_rule(r->u, &rule);
	if (r->list.n >= UNWIND_ROWS_MAX || !vec_push(&r->list, row)) {
		r->failed = true;
		return false;
	}
	return true;
}

static bool
rows_unknown(struct unwind_rows *r, uint64_t addr, uint64_t end)
{
	const struct elf_cfi c = { .addr = addr, .end = end };

	return addr >= end || rows_push(r, &c);
}

/* A row by a register that is not followed: its calls may say more. */
static bool
rows_add(void *arg, const struct elf_cfi *c)
{
	struct unwind_rows *r = arg;
	struct elf_cfi call;
	uint64_t at = c->addr;

	if (c->reg == 0)
		return rows_push(r, c);
	while (unwind_saved(r->f, c, at, &call)) {
		if (!rows_unknown(r, at, call.addr) || !rows_push(r, &call))
			return false;
		at = call.end;
	}
	return rows_unknown(r, at, c->end);
}

/* A function of which Go's table says that it goes to another stack: up to
   there it is like others. */
static bool
rows_go(void *arg, const struct elf_cfi *c)
{
	struct unwind_rows *r = arg;
	bool ok;

	if (c->cfa != ELF_CFA_UNKNOWN)
		return rows_add(r, c);
	r->guess = true;
	ok = unwind_code_fn(r->f, c->addr, c->end, rows_add, r);
	r->guess = false;
	return ok;
}

static int
rows_order(const void *a, const void *b)
{
	const struct unwind_row *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static void
unwind_sort(struct unwind_rows *r)
{
	struct unwind_row *v = r->list.v;
	size_t n = r->list.n, i = 1;

	while (i < n && v[i - 1].lo <= v[i].lo)
		i++;
	if (i < n)
		qsort(v, n, sizeof(*v), rows_order);
	r->first = n;
}

/* Bytes that nobody runs, from one function to the next. */
static bool
rows_padding(const struct elf_file *f, uint64_t lo, uint64_t hi)
{
	const uint8_t *p = NULL;

	if (lo < hi && hi - lo < PADDING_MAX)
		p = elf_bytes_at(f, lo, hi - lo);
	return p != NULL && code_insn_is_nop(p, hi - lo);
}

/* A row ends where the next begins, and lasts as far as that if there is only
   padding: one row less for most functions. */
static void
unwind_join(struct unwind_rows *r)
{
	struct unwind_row *v = r->list.v;
	size_t n = 0;

	for (size_t i = 0; i < r->list.n; i++) {
		struct unwind_row x = v[i];

		if (i + 1 < r->list.n && x.hi > v[i + 1].lo)
			x.hi = v[i + 1].lo;
		if (i + 1 < r->list.n && rows_padding(r->f, x.hi, v[i + 1].lo))
			x.hi = v[i + 1].lo;
		if (x.lo >= x.hi)
			continue;
		if (n != 0 && v[n - 1].hi == x.lo && v[n - 1].rule == x.rule)
			v[n - 1].hi = x.hi;
		else
			v[n++] = x;
	}
	r->list.n = n;
}

bool
unwind_rows(struct unwind_rows *r)
{
	(void)elf_cfi_rows(r->f, false, rows_add, r);
	unwind_sort(r);
	(void)elf_go_rows(r->f, rows_go, r);
	unwind_sort(r);
	(void)elf_cfi_rows(r->f, true, rows_add, r);
	unwind_sort(r);
	(void)elf_stub_rows(r->f, rows_add, r);
	unwind_sort(r);
	r->guess = true;
	unwind_code(r, rows_add, r);
	unwind_sort(r);
	unwind_join(r);
	return !r->failed;
}
