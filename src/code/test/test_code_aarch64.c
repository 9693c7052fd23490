/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_code_aarch64.c - code of aarch64, read on any machine: kinds and targets
 * of instructions, where uprobes can be placed, where functions return.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "code/code.h"

#define ADDR  0x10000
#define FUNC  0x11000 /* another function */
#define RET   0xd65f03c0
#define NOP   0xd503201f
#define WORDS(...) ((const uint32_t[]){ __VA_ARGS__ })
#define BODY(...)                                                          \
	((struct code_body){ .p = (const uint8_t *)WORDS(__VA_ARGS__),     \
			     .n = sizeof(WORDS(__VA_ARGS__)),              \
			     .addr = ADDR,                                 \
			     .next = SIZE_MAX })

static void
is(uint32_t w, enum code_kind kind, int64_t to, bool allowed)
{
	struct code_insn in;

	code_insn_decode((const uint8_t *)&w, 4, ADDR, &in);
	assert_int_equal(in.len, 4);
	assert_int_equal(in.kind, kind);
	assert_int_equal(in.target, to != 0 ? ADDR + to : 0);
	assert_int_equal(in.allowed, allowed);
}

static void
test_kinds(void **state)
{
	is(0x54000040, CODE_I_JCC, 8, true);	    /* b.eq .+8 */
	is(0xb4ffffe0, CODE_I_JCC, -4, true);	    /* cbz x0,.-4 */
	is(0x37180081, CODE_I_JCC, 16, true);	    /* tbnz w1,#3,.+16 */
	is(0x14000400, CODE_I_JMP, 0x1000, true);   /* b .+0x1000 */
	is(0x97fffffe, CODE_I_CALL, -8, true);	    /* bl .-8 */
	is(0xd61f0200, CODE_I_JMP_IND, 0, true);    /* br x16 */
	is(0xd61f081f, CODE_I_JMP_IND, 0, false);   /* braaz x0 */
	is(0xd63f0060, CODE_I_CALL_IND, 0, true);   /* blr x3 */
	is(RET, CODE_I_RET, 0, true);
	is(0xd65f0bff, CODE_I_RET, 0, false);	    /* retaa */
	is(0xd4000001, CODE_I_SYSCALL, 0, false);   /* svc #0 */
	is(0xd4200020, CODE_I_TRAP, 0, false);	    /* brk #1 */
	is(0, CODE_I_BAD, 0, false);		    /* udf #0 */
}

static void
test_allowed(void **state)
{
	is(NOP, CODE_I_PLAIN, 0, true);
	is(0xd503233f, CODE_I_PLAIN, 0, true);	/* paciasp */
	is(0xd50323bf, CODE_I_PLAIN, 0, false); /* autiasp */
	is(0xc85f7c20, CODE_I_PLAIN, 0, false); /* ldxr x0,[x1] */
	is(0x58000040, CODE_I_PLAIN, 8, true);	/* ldr x0,.+8 */
	is(0x9c000080, CODE_I_PLAIN, 0, false); /* ldr q0,.+16 */
	is(0x10000081, CODE_I_PLAIN, 16, true); /* adr x1,.+16 */
	is(0xb0000001, CODE_I_PLAIN, 0x1000, true);  /* adrp x1, next page */
	is(0xd51bd040, CODE_I_PLAIN, 0, false);	     /* msr tpidr_el0,x0 */
	is(0xa9bf7bfd, CODE_I_PLAIN, 0, true);	     /* stp
							x29,x30,[sp,#-16]! */
}

static void
test_body(void **state)
{
	struct code_body b = BODY(NOP, RET, RET);

	assert_int_equal(code_insn_count(&b), 3);
	assert_true(code_insn_begins(&b, 8));
	assert_false(code_insn_begins(&b, 6));
	assert_int_equal(code_slide(&b), 0);
	b.n = 10; /* cut */
	assert_int_equal(code_insn_count(&b), 2);
	b = BODY(0xd4000001, RET);
	assert_int_equal(code_slide(&b), CODE_NOWHERE);
}

/* ---- returns ------------------------------------------------------------- */

static const uint8_t *
world_bytes(void *arg, uint64_t addr, size_t n)
{
	const struct code_body *b = arg;

	return addr - b->addr < b->n && addr - b->addr + n <= b->n
		       ? b->p + (addr - b->addr)
		       : NULL;
}

static bool
world_is_fn(void *arg, uint64_t addr)
{
	return addr == FUNC;
}

static bool
world_entered(void *arg, uint64_t lo, uint64_t hi, size_t i, uint64_t *addr)
{
	return false;
}

static void
returns(struct code_body b, size_t rets, size_t tails, bool exact)
{
	const struct code_world w = { .arg = &b,
				      .bytes = world_bytes,
				      .is_fn = world_is_fn,
				      .entered = world_entered };
	struct code_returns r;

	assert_int_equal(code_returns_find(&b, &w, &r), 0);
	assert_int_equal(r.rets.n, rets);
	assert_int_equal(r.tails.n, tails);
	assert_int_equal(r.exact, exact);
	code_returns_fini(&r);
}

static void
test_returns(void **state)
{
	returns(BODY(RET), 1, 0, true);
	returns(BODY(0xb4000040, RET, RET), 2, 0, true); /* cbz x0,.+8 */
	returns(BODY(0x14000400), 0, 1, true);		 /* b FUNC */
	returns(BODY(0x14000401), 0, 0, false); /* into the middle of it */
	returns(BODY(0x54008000, RET), 1, 0, false); /* b.eq FUNC */
	returns(BODY(0xd65f0bff), 0, 0, false);	     /* retaa */
	returns(BODY(RET, 0), 1, 0, false);	     /* not code */
	returns(BODY(0x8b22a821), 0, 0, false);   /* it runs on */
}

static void
test_indirect(void **state)
{
	/* ldr x16,[x0,#16]; br x16: a tail call */
	returns(BODY(0xf9400810, 0xd61f0200), 0, 1, true);
	/* mov x16,x0; br x16 */
	returns(BODY(0xaa0003f0, 0xd61f0200), 0, 1, true);
	/* add x1,x1,w2,sxth #2; br x1: a switch */
	returns(BODY(0x8b22a821, 0xd61f0020, RET), 1, 0, true);
	/* ldr x1,[x2,w3,sxtw #3]; br x1: a switch, too */
	returns(BODY(0xf863d841, 0xd61f0020, RET), 1, 0, true);
	/* The same with ldp x3,x4,[sp] before br x1, and with ldp x3,x1,[x0],
	   which has the address from memory. */
	returns(BODY(0x8b22a821, 0xa94013e3, 0xd61f0020, RET), 1, 0, true);
	returns(BODY(0x8b22a821, 0xa9400403, 0xd61f0020, RET), 1, 0, false);
	/* br x1: nobody knows */
	returns(BODY(0xd61f0020, RET), 1, 0, false);
	/* ldr x16,[x0,#16]; blr x3; br x1 */
	returns(BODY(0xf9400810, 0xd63f0060, 0xd61f0020), 0, 0, false);
}

/* Where functions begin, for adrp x0,page; add x0,x0,#16. */
static bool
is_chosen(void *arg, uint64_t addr)
{
	return addr == FUNC || addr == (ADDR & ~4095ull) + 16;
}

static void
test_chosen(void **state)
{
	struct code_body b = BODY(0x90000000, 0x91004000, RET);
	struct code_chosen c;

	assert_int_equal(code_chosen_find(&b, is_chosen, NULL, &c), 0);
	assert_true(c.all);
	assert_int_equal(c.fns.n, 1);
	assert_int_equal(c.fns.v[0], (b.addr & ~4095ull) + 16);
	code_chosen_fini(&c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),	cmocka_unit_test(test_allowed),
		cmocka_unit_test(test_body),	cmocka_unit_test(test_returns),
		cmocka_unit_test(test_indirect), cmocka_unit_test(test_chosen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
