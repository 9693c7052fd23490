/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_elf_taken.c - addresses of code that code and data hold, in the test's
 * own executable.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "elf/elf.h"

/* Functions of one-byte instructions, and one that makes addresses in them. */
__asm__(".text\n"
	".type taken_label, @function\n"
	"taken_label:\n"
	".cfi_startproc\n"
	"nop; nop; nop; nop; nop; nop; ret\n"
	".cfi_endproc\n"
	".size taken_label, . - taken_label\n"
	".type taken_sum, @function\n"
	"taken_sum:\n"
	".cfi_startproc\n"
	"nop; nop; nop; nop; nop; nop; ret\n"
	".cfi_endproc\n"
	".size taken_sum, . - taken_sum\n"
	".type taken_by, @function\n"
	".globl taken_by\n"
	"taken_by:\n"
	".cfi_startproc\n"
	"lea taken_label+2(%rip), %rax\n"
	"lea taken_sum(%rip), %r9\n"
	"mov %rax, (%rdi)\n"
	"inc %r9\n"
	"lea taken_sum(%rip), %rdx\n"
	"mov %r9, (%rdi)\n"
	"add $1, %rdx\n"
	"add $5, %rcx\n"
	"ret\n"
	".cfi_endproc\n"
	".size taken_by, . - taken_by\n"
	".section .data.rel.ro, \"aw\"\n"
	".balign 8\n"
	".globl taken_table\n"
	"taken_table: .quad taken_label+3, 0\n"
	".text\n");

static bool
has(const uint64_t *v, size_t n, uint64_t addr)
{
	for (size_t i = 0; i < n; i++)
		if (v[i] == addr)
			return true;
	return false;
}

static uint64_t
symbol(struct elf_file *f, const char *name)
{
	const struct elf_sym *s = elf_sym_find(f, name);

	assert_non_null(s);
	return s->addr;
}

static void
test_made_by_code(void **state)
{
	struct err e = { 0 };
	struct elf_file *f = elf_open("/proc/self/exe", &e);
	uint64_t label, sum;
	const uint64_t *v;
	size_t n;

	assert_non_null(f);
	v = elf_entries(f, &n);
	assert_non_null(v);
	label = symbol(f, "taken_label");
	sum = symbol(f, "taken_sum");
	assert_true(has(v, n, label) && has(v, n, label + 2));
	assert_false(has(v, n, label + 1) || has(v, n, label + 4));
	assert_true(has(v, n, sum + 1));
	assert_false(has(v, n, sum + 2) || has(v, n, sum + 5));
	elf_close(f);
}

static void
test_held_by_data(void **state)
{
	struct err e = { 0 };
	struct elf_file *f = elf_open("/proc/self/exe", &e);
	uint64_t at, to = 0;
	const uint64_t *v;
	size_t n;

	assert_non_null(f);
	at = symbol(f, "taken_table");
	assert_true(elf_code_ptr(f, at, &to));
	assert_int_equal(to, symbol(f, "taken_label") + 3);
	assert_false(elf_code_ptr(f, at + 8, &to));
	v = elf_code_ptrs(f, &n);
	assert_true(has(v, n, symbol(f, "taken_label") + 3));
	assert_false(elf_is_go(f));
	elf_close(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_made_by_code),
		cmocka_unit_test(test_held_by_data),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
