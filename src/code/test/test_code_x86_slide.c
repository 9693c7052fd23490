/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_code_x86_slide.c - where entry probes slide to and where functions
 * return, on functions of a few bytes.  Each lists its assembly.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/test/nomem.h"
#include "code/code.h"

#define ADDR 0x1000
#define BODY(...)                                                              \
	((struct code_body){ .p = (const uint8_t[]){ __VA_ARGS__ },            \
			     .n = sizeof((const uint8_t[]){ __VA_ARGS__ }),    \
			     .addr = ADDR,                                     \
			     .next = SIZE_MAX })

#define ENDBR       0xf3, 0x0f, 0x1e, 0xfa
#define NOP5        0x0f, 0x1f, 0x44, 0x00, 0x00
#define LEA_R11     0x4c, 0x8d, 0x1d, 0, 1, 0, 0 /* lea 0x100(%rip),%r11 */
#define MOV_RDI_RAX 0x48, 0x89, 0xf8             /* mov %rdi,%rax */
#define MOV_R10_RDI 0x49, 0x89, 0xfa             /* mov %rdi,%r10 */
#define LOAD_R10    0x4c, 0x8b, 0x17             /* mov (%rdi),%r10 */
#define SUB_RSP     0x48, 0x83, 0xec, 0x08       /* sub $8,%rsp */
#define PUSH_RBP    0x55
#define PUSH_R12    0x41, 0x54
#define POP_RBP     0x5d
#define RET         0xc3

static void
slides(struct code_body b, size_t to)
{
	assert_int_equal(code_slide(&b), to);
}

static void
test_slide(void **state)
{
	slides(BODY(PUSH_RBP, POP_RBP, RET), 0);
	slides(BODY(ENDBR, PUSH_RBP, POP_RBP, RET), 4);
	slides(BODY(ENDBR, LEA_R11, PUSH_R12, RET), 11);
	slides(BODY(MOV_R10_RDI, PUSH_RBP, RET), 3);
	slides(BODY(MOV_RDI_RAX, PUSH_RBP, RET), 3);
	slides(BODY(ENDBR, NOP5, PUSH_RBP, RET), 9);
	slides(BODY(ENDBR, NOP5, MOV_RDI_RAX, RET), 4);
	/* xor %r11d,%r11d; jmp +0 */
	slides(BODY(0x45, 0x31, 0xdb, 0xeb, 0x00, RET), 3);
}

static void
test_no_slide(void **state)
{
	/* Writes an argument register, rsp, or may fault. */
	slides(BODY(0x31, 0xff, PUSH_RBP, RET), 0);
	slides(BODY(SUB_RSP, PUSH_RBP, RET), 0);
	slides(BODY(LOAD_R10, PUSH_RBP, RET), 0);
	/* mov %r10,-8(%rsp): memory */
	slides(BODY(0x4c, 0x89, 0x54, 0x24, 0xf8, PUSH_RBP, RET), 0);
	/* Nothing emulated comes. */
	slides(BODY(ENDBR, RET), 0);
	slides(BODY(ENDBR), 0);
	slides((struct code_body){ .p = (const uint8_t *)"", .n = 0 },
	       CODE_NOWHERE);
	/* push %rax with a 16-bit prefix is single-stepped. */
	slides(BODY(ENDBR, 0x66, 0x50, RET), 0);
	/* pause is no nop; xchg %rax,%r8 neither */
	slides(BODY(ENDBR, 0xf3, 0x90, RET), 0);
	slides(BODY(ENDBR, 0x49, 0x90, RET), 0);
}

static void
test_refused(void **state)
{
	/* vpxor %xmm0,%xmm0,%xmm0 is refused: on to the push, or the ret. */
	slides(BODY(0xc5, 0xf9, 0xef, 0xc0, PUSH_RBP, RET), 4);
	slides(BODY(0xc5, 0xf9, 0xef, 0xc0, RET), 4);
	/* ... but not over what writes an argument. */
	slides(BODY(0xc5, 0xf9, 0xef, 0xc0, MOV_RDI_RAX, RET), 4);
	/* lock decl (%rdi); notrack jmp *%rax; hlt */
	slides(BODY(0xf0, 0xff, 0x0f, RET), CODE_NOWHERE);
	slides(BODY(0x3e, 0xff, 0xe0), CODE_NOWHERE);
	slides(BODY(0xf4, RET), CODE_NOWHERE);
	/* syscall; vpbroadcastb %esi,%ymm17, which the kernel takes for jp */
	slides(BODY(0x0f, 0x05, RET), CODE_NOWHERE);
	slides(BODY(0x62, 0xe2, 0x7d, 0x28, 0x7a, 0xce, RET), 6);
	/* vmovd %esi,%xmm0 in a loop that does not enclose the first byte */
	slides(BODY(0xc5, 0xf9, 0x6e, 0xc6, MOV_RDI_RAX, 0x74, 0xfb, RET),
	       CODE_NOWHERE);
}

static void
test_slide_entered(void **state)
{
	struct code_body b;

	/* A jump back to the push, to the first byte, into the way. */
	slides(BODY(ENDBR, PUSH_RBP, POP_RBP, 0xeb, 0xfc), 0);
	slides(BODY(ENDBR, PUSH_RBP, POP_RBP, 0xeb, 0xf8), 4);
	slides(BODY(MOV_R10_RDI, PUSH_RBP, 0x74, 0xfd), 0);
	/* je to itself is not on the way */
	slides(BODY(MOV_R10_RDI, PUSH_RBP, 0x74, 0xfe), 3);
	/* Another symbol at the push. */
	b = BODY(ENDBR, PUSH_RBP, POP_RBP, RET);
	b.next = 4;
	slides(b, 0);
	b.next = 5;
	slides(b, 4);
	/* jmp *%rax: may come back to a jcc (je), but not to a push */
	slides(BODY(ENDBR, 0x74, 0x00, 0xff, 0xe0), 0);
	slides(BODY(ENDBR, PUSH_RBP, 0xff, 0xe0), 4);
	/* Bytes that are no code. */
	slides(BODY(ENDBR, PUSH_RBP, 0x06, 0x06), 0);
}

/* A neighbour that begins at ADDR - 8, and branches over the first
   instruction. */
static const uint8_t *
beside_bytes(void *arg, uint64_t addr, size_t n)
{
	static uint8_t b[1024];

	memset(b, 0x90, sizeof(b));
	b[506] = 0xeb; /* jmp */
	b[507] = *(const uint8_t *)arg;
	return addr < ADDR - 508 || addr + n > ADDR + 500
		       ? NULL : b + (addr - (ADDR - 508));
}

static void
test_slide_shared(void **state)
{
	uint8_t to = 4; /* the push */
	const struct code_world w = { .arg = &to, .bytes = beside_bytes };
	struct code_body b = BODY(ENDBR, PUSH_RBP, POP_RBP, RET);

	b.w = &w;
	slides(b, 0);
	to = 5;
	slides(b, 4);
	to = 0;
	slides(b, 4);
}

/*
 * At 0x2000 there is a function, at 0x3000 a part that jumps back to ADDR, at
 * 0x4000 one that returns by itself.  At 0x5000 are two addresses of code, at
 * 0x5010 two distances from there: tables of a switch.
 */
static const uint8_t part_back[] = { 0xe9, 0xfb, 0xdf, 0xff, 0xff };
static const uint8_t part_ret[] = { RET };
static const uint8_t tables[] = { 0x07, 0x10, 0,    0,    0,    0, 0, 0,
				  0xff, 0,    0,    0,    0,    0, 0, 0,
				  0x00, 0xc0, 0xff, 0xff, 0xff, 0, 0, 0 };

static const uint8_t *
world_bytes(void *arg, uint64_t addr, size_t n)
{
	const struct code_body *b = arg;
	const struct code_body all[] = {
		*b,
		{ .p = part_back, .n = sizeof(part_back), .addr = 0x3000 },
		{ .p = part_ret, .n = sizeof(part_ret), .addr = 0x4000 },
		{ .p = tables, .n = sizeof(tables), .addr = 0x5000 },
	};

	for (int i = 0; i < 4; i++)
		if (addr - all[i].addr < all[i].n &&
		    addr - all[i].addr + n <= all[i].n)
			return all[i].p + (addr - all[i].addr);
	return NULL;
}

static bool
world_is_fn(void *arg, uint64_t addr)
{
	return addr == 0x2000;
}

static bool
world_entered(void *arg, uint64_t lo, uint64_t hi, size_t i, uint64_t *addr)
{
	return false;
}

static bool
world_part(void *arg, uint64_t addr, struct code_part *part)
{
	if (addr != 0x3000 && addr != 0x4000)
		return false;
	*part = (struct code_part){ addr, addr == 0x3000 ? sizeof(part_back)
							 : sizeof(part_ret) };
	return true;
}

static void
returns(struct code_body b, size_t rets, size_t tails, bool exact)
{
	const struct code_world w = { .arg = &b,
				      .bytes = world_bytes,
				      .is_fn = world_is_fn,
				      .entered = world_entered,
				      .part = world_part };
	struct code_returns r;
	bool failed = true;

	assert_int_equal(code_returns_find(&b, &w, &r), 0);
	assert_int_equal(r.rets.n, rets);
	assert_int_equal(r.tails.n, tails);
	assert_int_equal(r.exact, exact);
	code_returns_fini(&r);
	/* Where the nth allocation fails there are none of them. */
	for (long n = 1; failed; n++) {
		nomem_arm(n);
		int rc = code_returns_find(&b, &w, &r);
		failed = nomem_disarm();
		assert_int_equal(rc, failed ? -1 : 0);
		if (failed) {
			assert_null(r.rets.v);
			assert_null(r.tails.v);
		}
		code_returns_fini(&r);
	}
}

/* A 32-bit displacement from the end of an instruction at off of length len */
#define REL(to, end)                                                           \
	(uint8_t)((to)-ADDR - (end)), (uint8_t)(((to)-ADDR - (end)) >> 8), 0, 0

static void
test_returns(void **state)
{
	returns(BODY(RET), 1, 0, true);
	returns(BODY(0x74, 0x01, RET, 0xf3, RET), 2, 0, true);
	returns(BODY(0xc2, 0x08, 0x00), 1, 0, true); /* ret $8 */
	returns(BODY(0xe9, REL(0x2000, 5)), 0, 1, true);
	returns(BODY(0x74, 0x05, 0xe9, REL(0x2000, 7), RET), 1, 1, true);
	/* A tail call if: the return cannot be seen at the jump alone. */
	returns(BODY(0x0f, 0x84, REL(0x2000, 6), RET), 1, 0, false);
	/* Into the middle of something. */
	returns(BODY(0xe9, REL(0x2008, 5)), 0, 0, false);
	/* Split-off parts. */
	returns(BODY(0x0f, 0x84, REL(0x3000, 6), RET), 1, 0, true);
	returns(BODY(0x0f, 0x84, REL(0x4000, 6), RET), 1, 0, false);
	/* Not code. */
	returns(BODY(RET, 0x06), 1, 0, false);
}

static void
test_indirect(void **state)
{
	/* jmp *0x10(%rip); jmp *8(%rdi): tail calls */
	returns(BODY(0xff, 0x25, 0x10, 0, 0, 0), 0, 1, true);
	returns(BODY(0xff, 0x67, 0x08), 0, 1, true);
	/* jmp *0x5000(,%rax,8): a switch */
	returns(BODY(0xff, 0x24, 0xc5, 0, 0x50, 0, 0, RET), 1, 0, true);
	/* lea 0x5010,%rdx; movslq (%rdx,%rax,4),%rax; add %rdx,%rax; jmp *%rax:
	   a switch */
	returns(BODY(0x48, 0x8d, 0x15, 0x09, 0x40, 0, 0, 0x48, 0x63, 0x04, 0x82,
		     0x48, 0x01, 0xd0, 0xff, 0xe0, RET),
		1, 0, true);
	/* the same, of which the table is not known */
	returns(BODY(0x48, 0x63, 0x04, 0x82, 0x48, 0x01, 0xd0, 0xff, 0xe0, RET),
		1, 0, false);
	/* mov 16(%rdi),%rax; jmp *%rax: a tail call */
	returns(BODY(0x48, 0x8b, 0x47, 0x10, 0xff, 0xe0), 0, 1, true);
	/* jmp *%rdi: to what the caller passed */
	returns(BODY(0xff, 0xe7), 0, 1, true);
	/* push %rbx; jmp *%rdi: with a frame, so not out */
	returns(BODY(0x53, 0xff, 0xe7, 0x5b, RET), 1, 0, true);
	/* notrack jmp *%rax: a uprobe cannot be placed at it */
	returns(BODY(0x3e, 0xff, 0xe0, RET), 1, 0, false);
}

/* A five-byte nop: only as the first instruction. */
static void
test_nop5(void **state)
{
	struct code_body b = BODY(NOP5, PUSH_RBP, NOP5, POP_RBP, RET);
	struct code_insn in;

	assert_true(code_insn_at(&b, 0, &in) && in.allowed);
	assert_true(code_insn_at(&b, 5, &in) && in.allowed);
	assert_true(code_insn_at(&b, 6, &in) && !in.allowed);
}

static void
test_insns(void **state)
{
	struct code_body b =
		BODY(ENDBR, PUSH_RBP, SUB_RSP, 0xe8, 0, 0, 0, 0, RET);

	assert_int_equal(code_insn_count(&b), 5);
	for (size_t off = 0; off < 20; off++)
		assert_int_equal(code_insn_begins(&b, off),
				 off == 0 || off == 4 || off == 5 || off == 9 ||
					 off == 14);
	b.n = 12; /* cut in the call */
	assert_int_equal(code_insn_count(&b), 3);
	assert_false(code_insn_begins(&b, 9));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slide),
		cmocka_unit_test(test_no_slide),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_slide_entered),
		cmocka_unit_test(test_slide_shared),
		cmocka_unit_test(test_returns),
		cmocka_unit_test(test_indirect),
		cmocka_unit_test(test_nop5),
		cmocka_unit_test(test_insns),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
