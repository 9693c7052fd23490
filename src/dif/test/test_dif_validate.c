/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The validator: each rule, broken once. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "dif/dif.h"

static struct arena *arena;

static int
setup(void **state)
{
	arena = arena_new();
	return arena == NULL;
}

static int
teardown(void **state)
{
	arena_free(arena);
	return 0;
}

static struct dif_obj *
object(const char *text)
{
	struct err e = { 0 };
	struct dif_obj *o = dif_asm(arena, text, &e);

	if (o == NULL)
		fail_msg("%s", e.msg);
	return o;
}

static void
check(const struct dif_obj *o, const char *why)
{
	struct err e = { 0 };
	int rc = dif_validate(o, &e);

	if (why == NULL) {
		if (rc != 0)
			fail_msg("%s", e.msg);
		return;
	}
	assert_int_equal(rc, -1);
	if (strstr(e.msg, why) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", e.msg, why);
}

/* An object of these words, `ret %r0` behind them. */
static void
word(dif_instr_t i, const char *why)
{
	struct dif_obj *o = object("nop\nret %r0\n");

	o->text[0] = i;
	check(o, why);
}

#define VARS                                  \
	".var g 0x500 scl glb int 8\n"        \
	".var a 0x501 arr glb int 8\n"        \
	".var t 0x500 scl tls string 0\n"     \
	".var l 0x500 scl loc int 4\n"

static void
good(void **state)
{
	check(object(VARS
		     "ldgs arg0, %r1\n"
		     "tst %r1\n"
		     "be end\n"
		     "sets \"abc\", %r2\n"
		     "pushtr DT_TYPE(1), %r0, %r2\n"
		     "ldgaa a, %r3\n"
		     "flushts\n"
		     "stts DT_VAR(0x500), %r2\n"
		     "stls DT_VAR(0x500), %r3\n"
		     "ldga uregs, %r0, %r4\n"
		     "end:\n"
		     "setx 5, %r1\n"
		     "ret %r1\n"),
	      NULL);
}

static void
fields(void **state)
{
	word(0x00000000, "no such opcode");
	word(0xc8000000, "no such opcode");
	word(DIF_INSTR_R(DIF_OP_ADD, 8, 1, 1), "no such register");
	word(DIF_INSTR_R(DIF_OP_ADD, 1, 8, 1), "no such register");
	word(DIF_INSTR_R(DIF_OP_ADD, 1, 1, 8), "no such register");
	word(DIF_INSTR_R(DIF_OP_ADD, 1, 1, 0), "%r0 cannot be written");
	word(DIF_INSTR_R(DIF_OP_MOV, 1, 1, 2), "unused field");
	word(DIF_INSTR_R(DIF_OP_CMP, 1, 1, 2), "unused field");
	word(DIF_INSTR_R(DIF_OP_TST, 1, 0, 2), "unused field");
	word(DIF_INSTR_R(DIF_OP_LDX, 1, 0, 0), "%r0 cannot be written");
	word(DIF_INSTR_R(DIF_OP_STX, 1, 0, 0), "%r0 cannot be written");
	word(DIF_INSTR_R(DIF_OP_STX, 1, 1, 2), "unused field");
	word(DIF_INSTR_R(DIF_OP_RET, 1, 0, 1), "unused field");
	word(DIF_INSTR_R(DIF_OP_NOP, 0, 0, 1), "unused field");
	word(DIF_INSTR_R(DIF_OP_COPYS, 1, 2, 0), "%r0 cannot be written");
	word(DIF_INSTR_W(DIF_OP_XLATE, 0, 1), "translator");
	word(DIF_INSTR_W(DIF_OP_XLARG, 0, 1), "translator");
}

static void
branches(void **state)
{
	word(DIF_INSTR_B(DIF_OP_BA, 1), NULL);
	word(DIF_INSTR_B(DIF_OP_BA, 2), "out of the text");
	word(DIF_INSTR_B(DIF_OP_BE, 0), "backward");
	check(object("ba 2\nnop\nba 1\nret %r0\n"), "backward");
	check(object("ret %r0\nnop\n"), "not ret");
	struct dif_obj *o = object("ret %r0\n");
	o->ntext = 0;
	check(o, "no instructions");
}

static void
tables(void **state)
{
	word(DIF_INSTR_W(DIF_OP_SETX, 0, 1), "integer index");
	word(DIF_INSTR_W(DIF_OP_SETS, 0, 1), NULL);
	word(DIF_INSTR_W(DIF_OP_SETS, 1, 1), "string offset");
	struct dif_obj *o = object(".str \"ab\"\nret %r0\n");
	o->strtab[o->strlen - 1] = 'c';
	check(o, "does not end");
	o = object(".str \"ab\"\nret %r0\n");
	o->strtab[0] = 'c';
	check(o, "does not start");
}

static void
variables(void **state)
{
	word(DIF_INSTR_W(DIF_OP_LDGS, 0x002, 1), "scalar load of an array");
	word(DIF_INSTR_W(DIF_OP_LDGS, 0x3ff, 1), "no such built-in");
	word(DIF_INSTR_W(DIF_OP_LDGS, DIF_VAR_zonename, 1), "not served");
	word(DIF_INSTR_W(DIF_OP_STGS, DIF_VAR_arg0, 1), "not a user variable");
	word(DIF_INSTR_W(DIF_OP_LDTS, DIF_VAR_arg0, 1), "not a user variable");
	word(DIF_INSTR_W(DIF_OP_LDGS, 0x500, 1), "not in the variable table");
	word(DIF_INSTR_R(DIF_OP_LDGA, 0x77, 0, 1), "no such built-in");
	word(DIF_INSTR_R(DIF_OP_LDTA, 2, 0, 1), "thread-local arrays");
	check(object(VARS "ldgs a, %r1\nret %r1\n"), "other kind");
	check(object(VARS "ldgaa g, %r1\nret %r1\n"), "other kind");
	check(object(VARS "stts DT_VAR(0x501), %r1\nret %r1\n"),
	      "not in the variable table");
}

static void
records(void **state)
{
	check(object(".var x 0x500 scl glb ref 0\nret %r0\n"), "size 0");
	check(object(".var x 0x500 scl glb int 3\nret %r0\n"), "bad type");
	check(object(".var x 0x500 scl glb ref 99999\nret %r0\n"), "bad type");
	check(object(".var x 0x10000 scl glb int 8\nret %r0\n"), "too large");
	check(object(".var x 0x500 arr loc int 8\nret %r0\n"), "clause-local");
	check(object(".var x 0x106 scl tls int 8\nret %r0\n"), "not global");
	check(object(".var x 0x500 scl glb int 8\n"
		     ".var y 0x500 scl glb int 8\nret %r0\n"),
	      "twice");
	struct dif_obj *o = object(".var x 0x500 scl glb int 8\nret %r0\n");
	o->vartab[0].scope = 3;
	check(o, "unknown scope");
	o->vartab[0].scope = 0;
	o->vartab[0].kind = 2;
	check(o, "unknown kind");
	o->vartab[0].kind = 1;
	o->vartab[0].name = 100;
	check(o, "name out of");
}

static void
calls(void **state)
{
	word(DIF_INSTR_W(DIF_OP_CALL, DIF_SUBR_strlen, 1), NULL);
	word(DIF_INSTR_W(DIF_OP_CALL, DIF_SUBR_strlen, 0), "%r0");
	word(DIF_INSTR_W(DIF_OP_CALL, 0xffff, 1), "no such subroutine");
	word(DIF_INSTR_W(DIF_OP_CALL, 5, 1), "no such subroutine");
	word(DIF_INSTR_R(DIF_OP_PUSHTR, 2, 0, 1), "no such type");
	word(DIF_INSTR_R(DIF_OP_PUSHTV, 1, 0, 1), "no such type");
	word(DIF_INSTR_R(DIF_OP_PUSHTV, 0, 8, 1), "no such register");
}

static void
rtypes(void **state)
{
	check(object(".ret int 8\nret %r0\n"), NULL);
	check(object(".ret string 0\nret %r0\n"), NULL);
	check(object(".ret ref 100\nret %r0\n"), NULL);
	check(object(".ret int 3\nret %r0\n"), "return type");
	check(object(".ret ref 99999\nret %r0\n"), "return type");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),	    cmocka_unit_test(fields),
		cmocka_unit_test(branches), cmocka_unit_test(tables),
		cmocka_unit_test(variables), cmocka_unit_test(records),
		cmocka_unit_test(calls),    cmocka_unit_test(rtypes),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
