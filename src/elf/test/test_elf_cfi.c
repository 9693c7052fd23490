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
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
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

/* A function each, of two bytes: what holds at the second, behind instructions
   of the table.  Names of what they are stand in the DWARF standard, 7.24. */
#define INSNS(X)                                                               \
	X(0, "0x00", "rsp+8")                                                  \
	X(1, "0x86,2", "rsp+8 rbp@-16")                                        \
	X(2, "0x86,2,0xc6", "rsp+8")                                           \
	X(3, "0x05,6,2", "rsp+8 rbp@-16")                                      \
	X(4, "0x11,6,0x7e", "rsp+8 rbp@16")                                    \
	X(5, "0x2f,6,2", "rsp+8 rbp@16")                                       \
	X(6, "0x86,2,0x06,6", "rsp+8")                                         \
	X(7, "0x07,6", "rsp+8 lost")                                           \
	X(8, "0x07,16", "end")                                                 \
	X(9, "0x86,2,0x08,6", "rsp+8")                                         \
	X(10, "0x09,6,3", "rsp+8 lost")                                        \
	X(11, "0x14,6,1", "rsp+8 lost")                                        \
	X(12, "0x15,6,1", "rsp+8 lost")                                        \
	X(13, "0x10,6,2,0x76,0x70", "rsp+8 rbp@rbp-16")                        \
	X(14, "0x10,6,2,0x77,0x70", "rsp+8 lost")                              \
	X(15, "0x16,6,2,0x76,0x70", "rsp+8 lost")                              \
	X(16, "0x10,6,3,0x76,0x70,0x06", "rsp+8 lost")                         \
	X(17, "0x90,2", "none")                                                \
	X(18, "0x09,16,3", "none")                                             \
	X(19, "0x83,3", "rsp+8 saved@-24")                                     \
	X(20, "0x0c,6,16", "rbp+16")                                           \
	X(21, "0x12,6,0x7e", "rbp+16")                                         \
	X(22, "0x0d,6", "rbp+8")                                               \
	X(23, "0x0e,24", "rsp+24")                                             \
	X(24, "0x13,0x7d", "rsp+24")                                           \
	X(25, "0x0c,3,8", "none r3")                                           \
	X(26, "0x0f,3,0x77,8,6,0x0e,16", "none")                               \
	X(27, "0x0f,3,0x77,8,6,0x0d,7", "rsp+8")                               \
	X(28, "0x0a,0x0e,32,0x86,2,0x0b", "rsp+8")                             \
	X(29, "0x0b", "none")                                                  \
	X(30, "0x2e,9,0x0e,16", "rsp+16")                                      \
	X(31, "0x2d,0x0e,16", "none")                                          \
	X(32, "0x0f,11,0x77,8,0x80,0,0x3f,0x1a,0x3a,0x2a,0x33,0x24,0x22",      \
	  "stub+8,10")                                                         \
	X(33, "0x0f,11,0x77,8,0x80,0,0x3f,0x1a,0x30,0x2a,0x33,0x24,0x22",      \
	  "stub+8")                                                            \
	X(34, "0x0f,11,0x77,8,0x80,0,0x3f,0x1a,0x3f,0x2a,0x33,0x24,0x22",      \
	  "stub+8,15")                                                         \
	X(35, "0x0f,11,0x77,8,0x80,0,0x3f,0x1a,0x40,0x2a,0x33,0x24,0x22",      \
	  "none")                                                              \
	X(36, "0x0f,11,0x77,8,0x80,0,0x3f,0x1a,0x2f,0x2a,0x33,0x24,0x22",      \
	  "none")                                                              \
	X(37, "0x0f,11,0x77,8,0x80,0,0x3f,0x1a,0x3a,0x2a,0x33,0x24,0x23",      \
	  "none")                                                              \
	X(38, "0x0f,11,0x77,9,0x80,0,0x3f,0x1a,0x3a,0x2a,0x33,0x24,0x22",      \
	  "none")

#define INSN_ASM(n, bytes, want)                                               \
	".type cfi_insn_" #n ",@function\n.globl cfi_insn_" #n "\n"            \
	"cfi_insn_" #n ":\n.cfi_startproc\nnop\n.cfi_escape " bytes "\nnop\n"  \
	".cfi_endproc\n.size cfi_insn_" #n ",2\n"
__asm__(".text\n" INSNS(INSN_ASM)
	/* Advances of each length, the last of which is too far. */
	".type cfi_advance,@function\n.globl cfi_advance\ncfi_advance:\n"
	".cfi_startproc\n.cfi_escape 0x41,0x0e,16,0x02,2,0x0e,24,0x03,1,0,0x0e,"
	"32,0x04,2,0,0,0,0x0e,40,0x02,100,0x0e,48\n.fill 8,1,0x90\n"
	".cfi_endproc\n.size cfi_advance,8\n");

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

/* "rsp+8 rbp@-16 saved@-24": how the CFA is computed, where rbp is unless it is as
   it was, where another register is that was asked for. */
static void
row_text(char text[128], const struct elf_cfi *row)
{
	static const char *const cfas[] = {
		[ELF_CFA_UNKNOWN] = "none",  [ELF_CFA_END] = "end",
		[ELF_CFA_RSP] = "rsp",       [ELF_CFA_RBP] = "rbp",
		[ELF_CFA_STUB] = "stub",     [ELF_CFA_RSP_WORD] = "*rsp",
		[ELF_CFA_RBP_WORD] = "*rbp", [ELF_CFA_SIGNAL] = "signal",
	};
	size_t n = (size_t)snprintf(text, 128, "%s", cfas[row->cfa]);

	if (row->cfa == ELF_CFA_UNKNOWN && row->reg != 0)
		n += (size_t)snprintf(text + n, 128 - n, " r%d", row->reg);
	if (row->cfa != ELF_CFA_UNKNOWN && row->cfa != ELF_CFA_END)
		n += (size_t)snprintf(text + n, 128 - n, "%+d", (int)row->off);
	if (row->add != 0)
		n += (size_t)snprintf(text + n, 128 - n, ",%d", (int)row->add);
	if (row->rbp == ELF_RBP_LOST)
		n += (size_t)snprintf(text + n, 128 - n, " lost");
	else if (row->rbp != ELF_RBP_SAME)
		n += (size_t)snprintf(text + n, 128 - n, " rbp@%s%d",
				      row->rbp == ELF_RBP_AT_RBP ? "rbp" : "",
				      (int)row->rbp_off);
	if (row->saved != 0)
		snprintf(text + n, 128 - n, " saved@%d", (int)row->saved);
}

static const char *const insns_want[] = {
#define INSN_WANT(n, bytes, want) want,
	INSNS(INSN_WANT)
};

static void
test_instructions(void **state)
{
	struct elf_file *f = open_self();
	bool good = true;

	for (unsigned i = 0; i < sizeof(insns_want) / sizeof(*insns_want);
	     i++) {
		char name[32], text[128];
		struct looked l = { .n = 0 };
		const struct elf_sym *s;

		snprintf(name, sizeof(name), "cfi_insn_%u", i);
		s = elf_sym_find(f, name);
		assert_non_null(s);
		l.at = s->addr + 1;
		assert_true(elf_cfi_saved(f, s->addr, 3, row_at, &l));
		assert_int_equal(l.n, 1);
		row_text(text, &l.row);
		if (strcmp(text, insns_want[i]) != 0) {
			print_error("%u: \"%s\"\n", i, text);
			good = false;
		}
	}
	assert_true(good);
	elf_close(f);
}

/* The same object, with an expression that is longer than all there is: from
   there to the end of its function nothing is known. */
static void
test_cut(void **state)
{
	static const uint8_t expr[] = { 0x0f, 3, 0x77, 8, 6, 0x0e, 16 };
	char path[] = "/tmp/test_elf_cfi.XXXXXX", text[128];
	struct looked l = { .n = 0 };
	struct buf b = BUF_INIT;
	struct err e = { 0 };
	FILE *in = fopen("/proc/self/exe", "r");
	int c, fd = mkstemp(path);
	struct elf_file *f;
	const struct elf_sym *s;
	uint8_t *p;

	assert_non_null(in);
	while ((c = getc(in)) != EOF)
		buf_putc(&b, (char)c);
	fclose(in);
	f = open_self();
	size_t n;
	const void *table = elf_section(f, ".eh_frame", &n, NULL);
	const uint8_t *at = memmem(b.p, b.n, table, n);

	elf_close(f);
	assert_non_null(at);
	p = memmem(at, n, expr, sizeof(expr));
	assert_non_null(p);
	p[1] = 0x7f;
	assert_int_equal(write(fd, b.p, b.n), b.n);
	close(fd);
	buf_fini(&b);
	f = elf_open(path, &e);
	unlink(path);
	assert_non_null(f);
	s = elf_sym_find(f, "cfi_insn_26");
	assert_non_null(s);
	l.at = s->addr + 1;
	assert_true(elf_cfi_saved(f, s->addr, 3, row_at, &l));
	assert_int_equal(l.n, 1);
	row_text(text, &l.row);
	assert_string_equal(text, "none");
	elf_close(f);
}

struct advanced {
	uint64_t from;
	char text[256];
	unsigned most;
};

static bool
row_add(void *arg, const struct elf_cfi *row)
{
	struct advanced *a = arg;
	char text[128];

	row_text(text, row);
	snprintf(a->text + strlen(a->text), sizeof(a->text) - strlen(a->text),
		 "%d-%d %s;", (int)(row->addr - a->from),
		 (int)(row->end - a->from), text);
	return --a->most != 0;
}

/* Rows of one function, one behind the other, as many as are wanted. */
static void
test_advance(void **state)
{
	static const char want[] =
		"0-1 rsp+8;1-3 rsp+16;3-4 rsp+24;4-6 rsp+32;6-8 rsp+40;";
	struct elf_file *f = open_self();
	const struct elf_sym *s = elf_sym_find(f, "cfi_advance");

	assert_non_null(s);
	for (unsigned most = 1; most <= 6; most++) {
		struct advanced a = { .from = s->addr, .most = most };
		const char *end = want;

		assert_int_equal(elf_cfi_saved(f, s->addr, 3, row_add, &a),
				 most > 5);
		for (unsigned i = 0; i < most && *end != '\0'; i++)
			end = strchr(end, ';') + 1;
		assert_int_equal(strlen(a.text), end - want);
		assert_memory_equal(a.text, want, (size_t)(end - want));
	}
	/* None begins in its middle. */
	struct advanced none = { .most = 1 };

	assert_true(elf_cfi_saved(f, s->addr + 1, 3, row_add, &none));
	assert_string_equal(none.text, "");
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
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_advance),
	};

	return cmocka_run_group_tests_name("elf_cfi", tests, fds_note, fds_check);
}
