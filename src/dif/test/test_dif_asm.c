/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Assembler and disassembler: the printed layout, the way back, and
 * disassemble . assemble = identity over random objects.
 */
#include <stdarg.h>
#include <stddef.h>
#include <inttypes.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "dif/dif.h"

static struct dif_obj *
assemble(struct arena *a, const char *text)
{
	struct err e = { 0 };
	struct dif_obj *o = dif_asm(a, text, &e);

	if (o == NULL)
		fail_msg("%s", e.msg);
	return o;
}

static void
layout(void **state)
{
	struct arena *a = arena_new();
	struct buf b = BUF_INIT;
	struct dif_obj *o = assemble(a, ".var x 0x500 scl tls int 4\n"
					"setx 5, %r1\n"
					"ldgs arg0, %r1\n"
					"sets \"a\\\"\\n\", %r2\n"
					"call copyinstr, %r3\n"
					"pushtr DT_TYPE(1), %r0, %r3\n"
					"tst %r1\n"
					"be 8\n"
					"stts x, %r1\n"
					"nop\n"
					"stx %r1, [%r2]\n"
					"ldub [%r2], %r1\n"
					"ldga uregs, %r1, %r2\n"
					"add %r1, %r2, %r3\n"
					"ret %r3\n");

	dif_disasm(o, &b);
	assert_string_equal(
		buf_str(&b),
		"OFF OPCODE      INSTRUCTION\n"
		"00: 25000001    setx DT_INTEGER[0], %r1\t\t! 0x5\n"
		"01: 29010601    ldgs DT_VAR(262), %r1\t\t"
		"! DT_VAR(262) = \"arg0\"\n"
		"02: 26000302    sets DT_STRING[3], %r2\t\t! \"a\\\"\\n\"\n"
		"03: 2f000903    call DIF_SUBR(9), %r3\t\t! copyinstr\n"
		"04: 30010003    pushtr DT_TYPE(1), %r0, %r3\t\t"
		"! DT_TYPE(1) = string\n"
		"05: 10010000    tst  %r1\n"
		"06: 12000008    be   8\n"
		"07: 2d050001    stts DT_VAR(1280), %r1\t\t"
		"! DT_VAR(1280) = \"self->x\"\n"
		"08: 24000000    nop\n"
		"09: 3f010002    stx  %r1, [%r2]\n"
		"10: 1f020001    ldub [%r2], %r1\n"
		"11: 28020102    ldga DT_VAR(2), %r1, %r2\t\t"
		"! DT_VAR(2) = \"uregs\"\n"
		"12: 07010203    add  %r1, %r2, %r3\n"
		"13: 23000003    ret  %r3\n"
		"\n"
		"NAME             ID   KND SCP FLAG TYPE\n"
		"x                500  scl tls r/w  "
		"D type (integer) (size 4)\n");
	buf_fini(&b);
	arena_free(a);
}

static void
labels(void **state)
{
	struct arena *a = arena_new();
	struct dif_obj *o = assemble(a, "  ba end ! skip\n nop\nend:\nret %r0");

	assert_int_equal(o->ntext, 3);
	assert_int_equal(o->text[0], DIF_INSTR_B(DIF_OP_BA, 2));
	arena_free(a);
}

static void
errors(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "frob %r1\n", "no such instruction" },
		{ "nop\nadd %r1, %r2\n", "line 2: expected ," },
		{ "add %r1, %r2, 3\n", "expected %r" },
		{ "ba nowhere\n", "no label nowhere" },
		{ "call nothing, %r1\n", "no such subroutine" },
		{ "ldgs nothing, %r1\n", "no such variable" },
		{ "sets \"abc, %r1\n", "string without end" },
		{ "ret %r1 %r2\n", "unexpected text" },
		{ ".frob\n", "unknown directive" },
		{ ".ret float 4\n", "expected a type" },
		{ "ldgs DT_VAR(70000), %r1\n", "too large" },
	};
	struct arena *a = arena_new();

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct err e = { 0 };
		assert_null(dif_asm(a, bad[i].text, &e));
		if (strstr(e.msg, bad[i].why) == NULL)
			fail_msg("\"%s\" does not say \"%s\"", e.msg,
				 bad[i].why);
	}
	arena_free(a);
}

static void
dump_string(const char *s, struct buf *b)
{
	buf_puts(b, ".str \"");
	for (; *s != '\0'; s++)
		buf_printf(b, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
	buf_puts(b, "\"\n");
}

/* The tables as directives, then what dif_disasm() prints. */
static void
dump(const struct dif_obj *o, struct buf *b)
{
	for (uint32_t i = 0; i < o->nint; i++)
		buf_printf(b, ".int 0x%" PRIx64 "\n", o->inttab[i]);
	for (uint32_t i = 1; i < o->strlen; i += strlen(o->strtab + i) + 1)
		dump_string(o->strtab + i, b);
	dif_disasm(o, b);
}

static void
round_trip(void **state)
{
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct arena *a = arena_new();
		struct buf b = BUF_INIT;
		struct dif_obj *o = dif_random(a, seed, NULL, DIF_ENG_IK);
		dump(o, &b);
		struct dif_obj *p = assemble(a, buf_str(&b));
		assert_int_equal(p->ntext, o->ntext);
		assert_memory_equal(p->text, o->text,
				    o->ntext * sizeof(*o->text));
		assert_int_equal(p->nint, o->nint);
		assert_memory_equal(p->inttab, o->inttab, o->nint * 8);
		assert_int_equal(p->strlen, o->strlen);
		assert_memory_equal(p->strtab, o->strtab, o->strlen);
		buf_fini(&b);
		arena_free(a);
	}
}

/* Every opcode, every field: what is printed says all. */
static void
all_words(void **state)
{
	struct arena *a = arena_new();
	struct dif_obj o = { 0 };
	dif_instr_t i;

	o.text = &i;
	o.ntext = 1;
	for (unsigned op = 0; op < 256; op++) {
		struct buf b = BUF_INIT;
		if (dif_op_info[op].mnem == NULL)
			continue;
		switch (dif_op_info[op].fmt) {
		case DIF_FMT_NONE: i = DIF_INSTR_R(op, 0, 0, 0); break;
		case DIF_FMT_R2: case DIF_FMT_LD: case DIF_FMT_ST:
			i = DIF_INSTR_R(op, 3, 0, 5);
			break;
		case DIF_FMT_CMP: i = DIF_INSTR_R(op, 3, 5, 0); break;
		case DIF_FMT_TST: i = DIF_INSTR_R(op, 3, 0, 0); break;
		case DIF_FMT_RET: i = DIF_INSTR_R(op, 0, 0, 3); break;
		default: i = DIF_INSTR_R(op, 3, 5, 7); break;
		}
		dif_disasm(&o, &b);
		assert_int_equal(assemble(a, buf_str(&b))->text[0], i);
		buf_fini(&b);
	}
	arena_free(a);
}

/* Bytes in octal: up to three digits. */
static void
escapes(void **state)
{
	static const char want[] = "A\002z\0019\n\t\\";
	struct arena *a = arena_new();
	struct dif_obj *o = assemble(
		a, "sets \"\\101\\2z\\0019\\n\\t\\\\\", %r1\nret %r1\n.ret string 16");

	assert_true(o->strlen >= sizeof(want));
	assert_memory_equal(o->strtab + DIF_IDX(o->text[0]), want,
			    sizeof(want));
	arena_free(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layout),     cmocka_unit_test(labels),
		cmocka_unit_test(errors),     cmocka_unit_test(round_trip),
		cmocka_unit_test(all_words),  cmocka_unit_test(escapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
