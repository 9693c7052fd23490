/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* test_usdt_arg.c - operands of notes as x86-64 assemblers write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "prov/usdt_arg.h"

/* A symbol that the file tells. */
uint64_t usdt_test_data[2];

static struct usdt_where where;
static struct dif_recipe got[DIF_NARGS];
static struct err err;

static int
setup(void **state)
{
	struct err e = { 0 };
	const struct elf_sym *s;

	where.elf = elf_open("/proc/self/exe", &e);
	assert_non_null(where.elf);
	s = elf_sym_find(where.elf, "usdt_test_data");
	assert_non_null(s);
	where.addr = s->addr - 0x1000;
	return 0;
}

static int
teardown(void **state)
{
	elf_close(where.elf);
	return 0;
}

static int
args(const char *text)
{
	memset(got, 0xff, sizeof(got));
	err_clear(&err);
	return usdt_args(&where, text, got, &err);
}

/* The one recipe of a text. */
static struct dif_recipe
one(const char *text)
{
	if (args(text) != 1)
		fail_msg("%s: %s", text, err.msg != NULL ? err.msg : "number");
	return got[0];
}

static void
is_reg(const char *text, unsigned reg, unsigned size, unsigned shift,
       bool is_signed)
{
	struct dif_recipe r = one(text);

	assert_int_equal(r.kind, DIF_RCP_UREG);
	assert_int_equal(r.val, reg);
	assert_int_equal(r.size, size);
	assert_int_equal(r.shift, shift);
	assert_int_equal(r.is_signed, is_signed);
}

static void
is_mem(const char *text, int64_t val, unsigned base, unsigned index,
       unsigned scale, unsigned size)
{
	struct dif_recipe r = one(text);

	assert_int_equal(r.kind, DIF_RCP_UMEM);
	assert_int_equal(r.val, val);
	assert_int_equal(r.base, base);
	assert_int_equal(r.index, index);
	assert_int_equal(r.scale, scale);
	assert_int_equal(r.size, size);
}

static void
is_const(const char *text, int64_t val)
{
	struct dif_recipe r = one(text);

	assert_int_equal(r.kind, DIF_RCP_CONST);
	assert_int_equal(r.val, val);
}

static void
test_registers(void **state)
{
	is_reg("8@%rax", DIF_R_RAX, 8, 0, false);
	is_reg("-4@%edx", DIF_R_RDX, 4, 0, true);
	is_reg("-2@%bp", DIF_R_RBP, 2, 0, true);
	is_reg("1@%dil", DIF_R_RDI, 1, 0, false);
	is_reg("-1@%ah", DIF_R_RAX, 1, 8, true);
	is_reg("4@%r8d", DIF_R_R8, 4, 0, false);
	is_reg("2@%r15w", DIF_R_R15, 2, 0, false);
	is_reg("1@%r10b", DIF_R_R10, 1, 0, false);
	is_reg("%rsi", DIF_R_RSI, 8, 0, false);
	is_reg("4@%rdi", DIF_R_RDI, 4, 0, false);
	/* No more than the register has. */
	is_reg("-8@%ecx", DIF_R_RCX, 4, 0, true);
}

/* Each name, of as many bytes as it has, and none that is nearly one. */
static void
test_names(void **state)
{
	static const struct {
		const char *name;
		unsigned reg, size, shift;
	} names[] = {
#define NAMED(R, q, d, w, b)                                                   \
	{ q, DIF_R_##R, 8, 0 }, { d, DIF_R_##R, 4, 0 },                        \
		{ w, DIF_R_##R, 2, 0 }, { b, DIF_R_##R, 1, 0 }
		NAMED(RAX, "rax", "eax", "ax", "al"),
		NAMED(RBX, "rbx", "ebx", "bx", "bl"),
		NAMED(RCX, "rcx", "ecx", "cx", "cl"),
		NAMED(RDX, "rdx", "edx", "dx", "dl"),
		NAMED(RSI, "rsi", "esi", "si", "sil"),
		NAMED(RDI, "rdi", "edi", "di", "dil"),
		NAMED(RBP, "rbp", "ebp", "bp", "bpl"),
		NAMED(RSP, "rsp", "esp", "sp", "spl"),
		NAMED(R8, "r8", "r8d", "r8w", "r8b"),
		NAMED(R9, "r9", "r9d", "r9w", "r9b"),
		NAMED(R10, "r10", "r10d", "r10w", "r10b"),
		NAMED(R11, "r11", "r11d", "r11w", "r11b"),
		NAMED(R12, "r12", "r12d", "r12w", "r12b"),
		NAMED(R13, "r13", "r13d", "r13w", "r13b"),
		NAMED(R14, "r14", "r14d", "r14w", "r14b"),
		NAMED(R15, "r15", "r15d", "r15w", "r15b"),
		{ "ah", DIF_R_RAX, 1, 8 },
		{ "bh", DIF_R_RBX, 1, 8 },
		{ "ch", DIF_R_RCX, 1, 8 },
		{ "dh", DIF_R_RDX, 1, 8 },
		{ "rip", DIF_R_RIP, 8, 0 },
	};
	char text[16];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		for (unsigned size = 1; size <= 8; size *= 2) {
			snprintf(text, sizeof(text), "%u@%%%s", size,
				 names[i].name);
			is_reg(text, names[i].reg,
			       size < names[i].size ? size : names[i].size,
			       names[i].shift, false);
		}
		snprintf(text, sizeof(text), "8@%%%sx", names[i].name);
		assert_int_equal(args(text),
				 strcmp(text, "8@%ax") == 0 ? 1 : -1);
		snprintf(text, sizeof(text), "8@%%x%s", names[i].name);
		assert_int_equal(args(text), -1);
	}
}

/* One more character than a symbol's name may have is no symbol. */
static void
test_long_symbol(void **state)
{
	char text[300] = "8@";

	memset(text + 2, 'a', 255);
	assert_int_equal(args(text), -1);
	assert_non_null(strstr(err.msg, "where that symbol is"));
	text[2 + 255] = 'a';
	assert_int_equal(args(text), -1);
	assert_null(strstr(err.msg, "where that symbol is"));
}

static void
test_vectors(void **state)
{
	struct dif_recipe r = one("8f@%xmm0");

	assert_int_equal(r.kind, DIF_RCP_UVEC);
	assert_int_equal(r.val, 0);
	r = one("4f@%xmm15");
	assert_int_equal(r.val, 15);
	assert_int_equal(r.size, 4);
	assert_int_equal(one("-8f@%ymm3").val, 3);
	assert_int_equal(args("8f@%xmm16"), -1);
	assert_int_equal(args("8f@%xmm32"), -1);
	assert_int_equal(args("8f@%st"), -1);
}

static void
test_constants(void **state)
{
	is_const("8@$123", 123);
	is_const("-4@$-4", -4);
	is_const("4@$-4", 0xfffffffc);
	is_const("1@$0x1ff", 0xff);
	is_const("8@$0xffffffffffffffff", -1);
	is_const("-2@$010", 8);
}

static void
test_memory(void **state)
{
	is_mem("8@8(%rbp)", 8, DIF_BASE(RBP), 0, 0, 8);
	is_mem("-4@-4(%rsp)", -4, DIF_BASE(RSP), 0, 0, 4);
	is_mem("2@(%rax)", 0, DIF_BASE(RAX), 0, 0, 2);
	is_mem("4@(%rax,%rbx,4)", 0, DIF_BASE(RAX), DIF_BASE(RBX), 2, 4);
	is_mem("8@0x10(%rax,%rcx,8)", 16, DIF_BASE(RAX), DIF_BASE(RCX), 3, 8);
	is_mem("8@(,%r9,4)", 0, 0, DIF_BASE(R9), 2, 8);
	is_mem("8@-1(%r12,%r13)", -1, DIF_BASE(R12), DIF_BASE(R13), 0, 8);
	is_mem("8@4096", 4096, 0, 0, 0, 8);
	is_mem("4@8+4(%rdi)", 12, DIF_BASE(RDI), 0, 0, 4);
}

/* By the probe's own address. */
static void
test_symbols(void **state)
{
	is_mem("8@usdt_test_data(%rip)", 0x1000, DIF_BASE(RIP), 0, 0, 8);
	is_mem("4@usdt_test_data+8(%rip)", 0x1008, DIF_BASE(RIP), 0, 0, 4);
	is_mem("4@8+usdt_test_data(%rip)", 0x1008, DIF_BASE(RIP), 0, 0, 4);
	is_mem("4@usdt_test_data-8(%rip)", 0xff8, DIF_BASE(RIP), 0, 0, 4);
	assert_int_equal(args("8@no_such_symbol(%rip)"), -1);
	assert_string_equal(err.msg, "operand 1 of its note, "
				     "8@no_such_symbol(%rip): the file does "
				     "not say where that symbol is (it is "
				     "stripped)");
	assert_int_equal(args("8@usdt_test_data+usdt_test_data(%rip)"), -1);
	assert_int_equal(args("8@4(%rip)"), -1);
	if (!elf_is_pie(where.elf))
		return;
	assert_int_equal(args("8@$usdt_test_data"), -1);
	assert_int_equal(args("8@usdt_test_data(,%rax,8)"), -1);
}

static void
test_lists(void **state)
{
	assert_int_equal(args(""), 0);
	assert_int_equal(args(" 8@%rdi  -4@(%rax,%rbx,4)\t1@$1 "), 3);
	assert_int_equal(got[1].kind, DIF_RCP_UMEM);
	assert_int_equal(got[2].kind, DIF_RCP_CONST);
	assert_int_equal(args("1@$0 1@$1 1@$2 1@$3 1@$4 1@$5 1@$6 1@$7 1@$8 "
			      "1@$9 1@$10 1@$11"), 12);
	assert_int_equal(got[11].val, 11);
}

static void
test_thousand(void **state)
{
	static char text[6 * 1000 + 1];

	for (int i = 0; i < 1000; i++)
		memcpy(text + 6 * i, "8@%r9 ", 6);
	assert_int_equal(args(text), -1);
	assert_string_equal(err.msg, "its note has 1000 operands; a probe has "
				     "12 at most");
}

static void
test_thread(void **state)
{
	is_mem("8@%fs:16", 16, 0, 0, 0, 8);
	assert_true(got[0].fs);
	is_mem("-4@%fs:-8(%rax,%rbx,4)", -8, DIF_BASE(RAX), DIF_BASE(RBX), 2,
	       4);
	assert_true(got[0].fs && got[0].is_signed);
	is_mem("8@16(%rax)", 16, DIF_BASE(RAX), 0, 0, 8);
	assert_false(got[0].fs);
}

/* What nobody writes, and what would show as more than it is. */
static void
test_bad(void **state)
{
	static const struct {
		const char *why, *operands; /* with blanks between */
	} bad[] = {
		{ "it is no operand of this processor's",
		  "8@ @ 8@( 8@) 8@() 8@(%rax 8@(%rax,%rbx,3) "
		  "8@(%rax,%rsp) 8@(%rax,%rip) 8@(%rip) 8@$ 8@$%rax 8@- "
		  "8@%fs: 8@%fs:8(%rip) 8@%fs:usdt_test_data 8@%fs:() "
		  "8@(%rax)x 8@, 8@(%rax,%rbx,0) 8@(%rax,%rbx,16) "
		  "8@(%rax,%rbx,4,1) 8@-usdt_test_data(%rip) "
		  "8@usdt_test_data*2(%rip) 8@+(%rip) "
		  "8@usdt_test_data(%rip,%rax,1)" },
		{ "there is no such register, or none that can be read",
		  "8@% 8@%zzz 8@%xmm32 8@%xmm 8@%xmm-1 8@%xmmx 8@%amm1 "
		  "8@%xnm1 8@%xmm1x 8@%fs" },
		{ "its address is not in registers that can be read",
		  "8@(%eax) 8@(%eip)" },
		{ "it is of no size that an argument can have",
		  "3@%rax 16@%xmm0 8x@%rax -@%rax --4@%rax 12345@%rax "
		  "9@%rax 0@%rax -16@%rax 8ff@%rax" },
		{ "it is relative to a segment register, which cannot be read",
		  "8@%gs:8 8@%gs:(%rax) 8@%fs:%rax 8@%cs:8" },
		{ "the file does not say where that symbol is (it is stripped)",
		  "8@a@b 8@5x(%rax) 4f%rax 8@ST(0) 8@$no_such" },
		{ "of the vector registers only 0 to 15 can be read",
		  "8@%xmm16" },
		{ "it is made from two symbols",
		  "8@usdt_test_data+usdt_test_data(%rip)" },
	};
	char text[1024], want[256], *one, *rest;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(text, sizeof(text), "%s", bad[i].operands);
		for (one = strtok_r(text, " ", &rest); one != NULL;
		     one = strtok_r(NULL, " ", &rest)) {
			if (args(one) != -1)
				fail_msg("%s is taken", one);
			snprintf(want, sizeof(want),
				 "operand 1 of its note, %s: %s", one,
				 bad[i].why);
			assert_string_equal(err.msg, want);
		}
	}
	assert_int_equal(args("8@%\x1b[31mred\x07"), -1);
	assert_null(strchr(err.msg, '\x1b'));
	assert_null(strchr(err.msg, '\x07'));
	assert_int_equal(args("8@%gs:-8"), -1);
	assert_string_equal(err.msg, "operand 1 of its note, 8@%gs:-8: it is "
				     "relative to a segment register, which "
				     "cannot be read");
}

/* Of an operand that is long a message has the beginning. */
static void
test_shown(void **state)
{
	char text[] = "8@%012345678901234567890123456789abcdefgh";

	assert_int_equal(args(text), -1);
	assert_non_null(strstr(err.msg, "789abcdefg...: "));
	text[40] = '\0';
	assert_int_equal(args(text), -1);
	assert_non_null(strstr(err.msg, "789abcdefg: "));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_long_symbol),
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_constants),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_thousand),
		cmocka_unit_test(test_thread),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_shown),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
