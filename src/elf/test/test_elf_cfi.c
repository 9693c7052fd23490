/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_elf_cfi.c - where the canonical frame address is computed by an
 * expression: functions of this test that say so of themselves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "elf/test/elf_self.h"

/* DW_CFA_def_cfa_expression is 0x0f, breg6 (rbp) 0x76, breg7 (rsp) 0x77, deref
   0x06, plus_uconst 0x23; DW_CFA_expression is 0x10. */
__asm__(".text\n.globl cfi_test_fn\n.type cfi_test_fn,@function\n"
	"cfi_test_fn:\n.cfi_startproc\nnop\n"
	".cfi_escape 0x0f,3,0x77,0x08,0x06\nnop\n"
	".cfi_escape 0x0f,5,0x76,0x78,0x06,0x23,0x10\nnop\n"
	".cfi_escape 0x0f,3,0x73,0x08,0x06\nnop\n" /* by rbx */
	".cfi_escape 0x0f,2,0x76,0x78\nnop\n"	   /* what it points to */
	".cfi_escape 0x0f,5,0x77,0x08,0x06,0x24,0x10\nnop\n" /* shl */
	".cfi_escape 0x0f,4,0x77,0x08,0x06,0x06\nnop\n"
	".cfi_def_cfa rbp,16\nnop\n"
	".cfi_offset rbp,-16\nnop\n"
	".cfi_escape 0x10,6,2,0x76,0x78\nret\n" /* where rbp is */
	".cfi_endproc\n.size cfi_test_fn,.-cfi_test_fn\n");

/* The CFA by each register, 8 bytes behind its value and DWARF's number. */
__asm__(".text\n.globl cfi_test_regs\n.type cfi_test_regs,@function\n"
	"cfi_test_regs:\n.cfi_startproc\n.set r,0\n.rept 17\n"
	".cfi_def_cfa r,8+r\nnop\n.set r,r+1\n.endr\n.cfi_endproc\n"
	".size cfi_test_regs,.-cfi_test_regs\n");

static const struct elf_cfi rows[] = {
	{ .cfa = ELF_CFA_RSP, .off = 8 },
	{ .cfa = ELF_CFA_RSP_WORD, .off = 8 },
	{ .cfa = ELF_CFA_RBP_WORD, .off = -8, .add = 16 },
	{ .cfa = ELF_CFA_UNKNOWN },
	{ .cfa = ELF_CFA_UNKNOWN },
	{ .cfa = ELF_CFA_UNKNOWN },
	{ .cfa = ELF_CFA_UNKNOWN },
	{ .cfa = ELF_CFA_RBP, .off = 16 },
	{ .cfa = ELF_CFA_RBP,
	  .off = 16,
	  .rbp = ELF_RBP_AT_CFA,
	  .rbp_off = -16 },
	{ .cfa = ELF_CFA_RBP, .off = 16, .rbp = ELF_RBP_AT_RBP, .rbp_off = -8 },
};
#define ROWS (sizeof(rows) / sizeof(*rows))

struct looked {
	uint64_t at;
	struct elf_cfi row;
	unsigned n;
};

static bool
row_at(void *arg, const struct elf_cfi *row)
{
	struct looked *l = arg;

	if (l->at >= row->addr && l->at < row->end) {
		l->row = *row;
		l->n++;
	}
	return true;
}

static void
test_expressions(void **state)
{
	struct elf_file *f = open_self();
	const struct elf_sym *s = elf_sym_find(f, "cfi_test_fn");

	assert_non_null(s);
	assert_int_equal(s->size, ROWS);
	for (size_t i = 0; i < ROWS; i++) {
		struct looked l = { .at = s->addr + i };

		assert_true(elf_cfi_rows(f, false, row_at, &l));
		/* What is not followed may have no row. */
		if (l.n == 0 && rows[i].cfa == ELF_CFA_UNKNOWN)
			continue;
		assert_int_equal(l.n, 1);
		assert_int_equal(l.row.cfa, rows[i].cfa);
		if (rows[i].cfa == ELF_CFA_UNKNOWN)
			continue;
		assert_int_equal(l.row.off, rows[i].off);
		assert_int_equal(l.row.add, rows[i].add);
		assert_int_equal(l.row.rbp, rows[i].rbp);
		assert_int_equal(l.row.rbp_off, rows[i].rbp_off);
	}
	elf_close(f);
}

/* Those that functions save which are called are told, as the two that have
   names. */
static void
test_registers(void **state)
{
	struct elf_file *f = open_self();
	const struct elf_sym *s = elf_sym_find(f, "cfi_test_regs");

	assert_non_null(s);
	for (unsigned reg = 0; reg <= 16; reg++) {
		struct looked l = { .at = s->addr + reg };
		bool saved = reg == 3 || (reg >= 12 && reg <= 15);
		enum elf_cfa cfa = reg == 6   ? ELF_CFA_RBP
				   : reg == 7 ? ELF_CFA_RSP
					      : ELF_CFA_UNKNOWN;

		assert_true(elf_cfi_rows(f, false, row_at, &l));
		if (l.n == 0 && cfa == ELF_CFA_UNKNOWN && !saved)
			continue;
		assert_int_equal(l.n, 1);
		assert_int_equal(l.row.cfa, cfa);
		assert_int_equal(l.row.reg, saved ? reg : 0);
		if (saved || cfa != ELF_CFA_UNKNOWN)
			assert_int_equal(l.row.off, 8 + reg);
	}
	elf_close(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_registers),
	};

	return cmocka_run_group_tests_name("elf_cfi", tests, fds_note, fds_check);
}
