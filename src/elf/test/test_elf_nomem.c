/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_elf_nomem.c - the nth allocation of the readers of objects fails,
 * n = 1, 2, 3 ...: each table of this program is what it is with memory, or
 * there is none of it.  A table with something left out would be worse than
 * none: where code may be entered is concluded from them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "base/test/nomem.h"
#include "elf/dw.h"
#include "elf/elf.h"

#define EACH 100 /* allocations that fail one by one */

/* What is known of this program. */
struct known {
	size_t syms, fdes, ptrs, entries, rows, lines;
	bool sym, stub, dw, func;
};

/* The stub by which this program calls strverscmp(). */
static uint64_t
stub_of_call(void)
{
	uint64_t p;

	__asm__("leaq strverscmp@PLT(%%rip), %0" : "=r"(p));
	return p;
}

static bool
row_counted(void *arg, const struct elf_cfi *row)
{
	(void)row;
	++*(size_t *)arg;
	return true;
}

/* What its DWARF has of a function. */
static void
ask_dw(struct elf_file *f, uint64_t addr, struct known *k)
{
	struct err e = { 0 };
	struct dw *d = dw_open(f, &e);
	struct dw_line v[4];
	Dwarf_Die die;

	k->dw = d != NULL;
	assert_true(k->dw != err_is_set(&e));
	if (d == NULL)
		return;
	k->func = dw_func(d, addr, &die);
	k->lines = dw_lines(d, addr, v, 4);
	dw_close(d);
}

/* Ask for everything; an object that cannot be opened says so. */
static struct known
ask(void)
{
	struct known k = { 0 };
	struct err e = { 0 };
	struct elf_file *f = elf_open("/proc/self/exe", &e);
	uint64_t base, fn;

	assert_true((f != NULL) != err_is_set(&e));
	if (f == NULL)
		return k;
	base = getauxval(AT_ENTRY) - elf_entry(f);
	fn = (uint64_t)(uintptr_t)row_counted - base;
	if (elf_entries(f, &k.entries) == NULL)
		k.entries = 0;
	elf_syms(f, &k.syms);
	elf_fdes(f, &k.fdes);
	elf_code_ptrs(f, &k.ptrs);
	elf_cfi_rows(f, false, row_counted, &k.rows);
	k.sym = elf_sym_find(f, "row_counted") != NULL;
	k.stub = elf_stub_at(f, stub_of_call() - base) != NULL;
	ask_dw(f, fn, &k);
	elf_close(f);
	return k;
}

#define ALL_OR_NONE(what)                                                    \
	if (got.what != full.what && got.what != 0)                          \
	fail_msg("allocation %ld: " #what " %zu, not %zu", n,                \
		 (size_t)got.what, (size_t)full.what)

static void
all_or_none(void **state)
{
	struct known full = ask(), got;
	bool more = true;
	long n;

	(void)state;
	assert_true(full.syms > 100 && full.fdes > 50 && full.entries > 100 &&
		    full.rows > 100 && full.ptrs > 0 && full.sym && full.stub &&
		    full.dw && full.func && full.lines > 0);
	for (n = 1; more; n = nomem_next(n, EACH)) {
		nomem_arm(n);
		got = ask();
		more = nomem_disarm();
		ALL_OR_NONE(syms);
		ALL_OR_NONE(fdes);
		ALL_OR_NONE(ptrs);
		ALL_OR_NONE(entries);
		ALL_OR_NONE(rows);
		ALL_OR_NONE(lines);
		assert_true(more || (got.entries == full.entries && got.sym &&
				     got.stub && got.dw && got.func));
	}
	print_message("# about %ld allocations\n", n);
	assert_true(n > 20);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_or_none),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
