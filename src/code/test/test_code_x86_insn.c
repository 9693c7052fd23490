/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_code_x86_insn.c - what is read in instructions: kinds, targets, flags,
 * what cannot be moved.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "code/code.h"

#define ADDR  0x1000u
#define READ  1u /* reads flags */
#define KILL  2u /* kills them */
#define RIP   4u /* rip-relative */
#define FIXED 8u /* not to be moved */

static const struct {
	const char *bytes;
	uint8_t len, kind;
	uint32_t what;
	uint64_t target;
} insns[] = {
	{ "\x90", 1, CODE_I_PLAIN, 0, 0 },
	{ "\xf3\x0f\x1e\xfa", 4, CODE_I_PLAIN, 0, 0 },    /* endbr64 */
	{ "\x55", 1, CODE_I_PLAIN, 0, 0 },                /* push rbp */
	{ "\x48\x83\xec\x08", 4, CODE_I_PLAIN, KILL, 0 }, /* sub rsp, 8 */
	{ "\x48\x8d\x05\x10\0\0\0", 7, CODE_I_PLAIN, RIP, 0x1017 },
	{ "\x83\x3d\xf0\xff\xff\xff\x01", 7, CODE_I_PLAIN, RIP | KILL, 0xff7 },
	{ "\x48\x11\xc0", 3, CODE_I_PLAIN, READ, 0 }, /* adc rax, rax */
	{ "\xff\xc0", 2, CODE_I_PLAIN, 0, 0 },        /* inc eax: not CF */
	{ "\xd3\xe0", 2, CODE_I_PLAIN, 0, 0 },        /* shl eax, cl */
	{ "\x0f\x94\xc0", 3, CODE_I_PLAIN, READ, 0 }, /* sete al */
	{ "\x0f\x44\xc1", 3, CODE_I_PLAIN, READ, 0 }, /* cmove eax, ecx */
	{ "\x31\xc0", 2, CODE_I_PLAIN, KILL, 0 },     /* xor eax, eax */
	{ "\x67\x8b\x05\x00\0\0\0", 7, CODE_I_PLAIN, FIXED | RIP, 0x1007 },
	{ "\xc3", 1, CODE_I_RET, 0, 0 },
	{ "\xc2\x08\x00", 3, CODE_I_RET, 0, 0 },
	{ "\xf3\xc3", 2, CODE_I_RET, 0, 0 },
	{ "\xcb", 1, CODE_I_RET, FIXED, 0 }, /* retf */
	{ "\xeb\xfe", 2, CODE_I_JMP, 0, 0x1000 },
	{ "\xe9\x00\x01\0\0", 5, CODE_I_JMP, 0, 0x1105 },
	{ "\x74\x10", 2, CODE_I_JCC, READ, 0x1012 },
	{ "\x0f\x85\x00\x10\0\0", 6, CODE_I_JCC, READ, 0x2006 },
	{ "\xe2\x10", 2, CODE_I_JCC, 0, 0x1012 }, /* loop */
	{ "\xe3\x10", 2, CODE_I_JCC, 0, 0x1012 }, /* jrcxz */
	{ "\xe8\x00\0\0\0", 5, CODE_I_CALL, 0, 0x1005 },
	{ "\xff\xe0", 2, CODE_I_JMP_IND, 0, 0 },
	{ "\xff\x25\x00\x10\0\0", 6, CODE_I_JMP_IND, RIP, 0x2006 },
	{ "\x3e\xff\xe0", 3, CODE_I_JMP_IND, 0, 0 }, /* notrack */
	{ "\xff\xd0", 2, CODE_I_CALL_IND, 0, 0 },
	{ "\xff\x15\x00\x10\0\0", 6, CODE_I_CALL_IND, RIP, 0x2006 },
	{ "\x0f\x05", 2, CODE_I_SYSCALL, 0, 0 },
	{ "\xcd\x80", 2, CODE_I_SYSCALL, 0, 0 },
	{ "\xcc", 1, CODE_I_TRAP, 0, 0 },
	{ "\x0f\x0b", 2, CODE_I_TRAP, 0, 0 },
	{ "\xf4", 1, CODE_I_TRAP, 0, 0 },
	{ "\xc7\xf8\x10\0\0\0", 6, CODE_I_JCC, FIXED, 0x1016 }, /* xbegin */
	{ "\x66\xe9\x00\x01\0\0", 6, CODE_I_JMP, FIXED, 0 },
	{ "\x06", 1, CODE_I_BAD, 0, 0 },
};

static void
test_kinds(void **state)
{
	struct code_insn in;

	for (size_t i = 0; i < sizeof(insns) / sizeof(insns[0]); i++) {
		code_insn_decode((const uint8_t *)insns[i].bytes, insns[i].len,
				 ADDR, &in);
		bool fixed = (insns[i].what & FIXED) != 0;
		if (in.kind != insns[i].kind || in.fixed != fixed ||
		    in.pc_rel != ((insns[i].what & RIP) != 0))
			fail_msg("%zu: kind %u", i, in.kind);
		if (in.kind == CODE_I_PLAIN &&
		    (in.flags_read != ((insns[i].what & READ) != 0) ||
		     in.flags_killed != ((insns[i].what & KILL) != 0)))
			fail_msg("%zu: flags", i);
		if (!fixed)
			assert_int_equal(in.len, insns[i].len);
		if (!fixed && in.target != insns[i].target)
			fail_msg("%zu: target %jx", i, (uintmax_t)in.target);
	}
}

static void
test_short(void **state)
{
	struct code_insn in;

	for (size_t n = 0; n < 7; n++) {
		code_insn_decode((const uint8_t *)"\x48\x8d\x05\x10\0\0\0", n,
				 ADDR, &in);
		assert_int_equal(in.kind, CODE_I_BAD);
		assert_int_equal(in.len, 1);
	}
}

#define DEAD(s) code_flags_dead((const uint8_t *)(s), sizeof(s) - 1, ADDR)

static void
test_flags_dead(void **state)
{
	assert_true(DEAD("\xc3"));
	assert_true(DEAD("\x90\x55\x48\x83\xec\x08")); /* push; sub */
	assert_true(DEAD("\x90\xe8\x00\0\0\0"));       /* call */
	assert_true(DEAD("\xff\xd0"));
	assert_false(DEAD("\x74\x10"));
	assert_false(DEAD("\x90\x0f\x94\xc0\x31\xc0")); /* sete; xor */
	assert_false(DEAD("\xff\xc0\x72\x10"));         /* inc; jc */
	assert_false(DEAD("\xeb\x10"));
	assert_false(DEAD("\x90\x90"));         /* who knows */
	assert_false(DEAD("\xd3\xe0\x72\x10")); /* shl cl; jc */
	assert_false(DEAD("\x0f\x0b"));
}

static void
test_nop(void **state)
{
	assert_true(code_insn_is_nop((const uint8_t *)"\x90", 1));
	assert_true(code_insn_is_nop((const uint8_t *)"\xcc", 1));
	assert_true(code_insn_is_nop(
		(const uint8_t *)"\x66\x2e\x0f\x1f\x84\0\0\0\0\0", 10));
	assert_false(code_insn_is_nop((const uint8_t *)"\xc3", 1));
	assert_false(code_insn_is_nop((const uint8_t *)"\xf3\x0f\x1e\xfa", 4));
	assert_false(code_insn_is_nop(NULL, 0));
}

static void
test_names(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *name;
	} names[] = {
		{ "\xf0\xff\x07", 3, "lock" },	/* lock incl (%rdi) */
		{ "\x87\x07", 2, "xchg" },	/* locks without the prefix */
		{ "\xe8\0\0\0\0", 5, "call" }, { "\xff\xd0", 2, "call" },
		{ "\xeb\0", 2, "jmp" },	{ "\xff\xe0", 2, "jmp" },
		{ "\x74\0", 2, "je" },	{ "\x0f\x8d\0\0\0\0", 6, "jge" },
		{ "\x0f\x87\0\0\0\0", 6, "ja" }, { "\xc3", 1, "ret" },
		{ "\x90", 1, "nop" },	{ "\x0f\x1f\0", 3, "nop" },
		{ "\x0f\x05", 2, "syscall" }, { "\xf3\xa4", 2, "rep" },
		{ "\xf2\xae", 2, "repnz" }, { "\xf3\xa6", 2, "repz" },
		{ "\xfa", 1, "cli" },	{ "\x06", 1, NULL },
		{ "\xe8", 1, NULL },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *name = code_insn_name(
			(const uint8_t *)names[i].bytes, names[i].n);
		struct code_insn in;

		code_insn_decode((const uint8_t *)names[i].bytes, names[i].n, 0,
				 &in);
		assert_int_equal(in.nop, names[i].name != NULL &&
						 strcmp(names[i].name, "nop") ==
							 0);
		if (names[i].name == NULL)
			assert_null(name);
		else
			assert_string_equal(name, names[i].name);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_flags_dead),
		cmocka_unit_test(test_nop),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
