/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_x86_reloc.c - a moved instruction does what the original did: both are
 * run in this process on random registers, flags and memory.
 *
 * The page "here" at HERE holds an instruction at offset 0, then
 *
 *   jmp out                             where it goes on
 *   +0x20  mov r15d, 2; jmp out         a branch's target
 *   +0x40  mov r14, [rsp]; add rax, 3; ret   a function: it sees where it
 *                                            returns to
 *   +0x60  out: ret
 *   +0x100 data, one word of which is the function's address
 *
 * The copy begins with the moved instruction and goes on to its successor.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "engine/x86/test/x86_run.h"
#include "engine/x86/x86_emit.h"

#define HERE 0x200010000000ull
#define NEAR 0x200030000000ull	/* 512 MB away */
#define FAR 0x200210000000ull	/* 8 GB */
#define SIZE 4096u
#define TARGET 0x20u
#define FUNC 0x40u
#define OUT 0x60u
#define DATA 0x100u
#define NDATA 64u
#define ROUNDS 50

static uint8_t *here, *near_, *far_;

static const struct {
	const char *what, *bytes;
	uint8_t len;
	bool far_too; /* can be moved anywhere */
} cases[] = {
	{ "push rbp; as it is", "\x55\x5d", 1, true },
	{ "adc rax, rbx", "\x48\x11\xd8", 3, true },
	{ "lea rcx, [rip + data]", "\x48\x8d\x0d\xf9\0\0\0", 7, false },
	{ "mov rax, [rip + data]", "\x48\x8b\x05\xf9\0\0\0", 7, false },
	{ "add [rip + data], rdx", "\x48\x01\x15\xf9\0\0\0", 7, false },
	{ "mov byte [rip + data], 9", "\xc6\x05\xf9\0\0\0\x09", 7, false },
	{ "cmp dword [rip + data], imm32",
	  "\x81\x3d\xf6\0\0\0\x78\x56\x34\x12", 10, false },
	{ "movdqu xmm0, [rip + data]", "\xf3\x0f\x6f\x05\xf8\0\0\0", 8, false },
	{ "jmp short", "\xeb\x1e", 2, false },
	{ "jmp near", "\xe9\x1b\0\0\0", 5, false },
	{ "jmp [rip + data + 8]", "\xff\x25\x02\x01\0\0", 6, false },
	{ "jo", "\x70\x1e", 2, false },
	{ "jnc", "\x73\x1e", 2, false },
	{ "je", "\x74\x1e", 2, false },
	{ "ja", "\x77\x1e", 2, false },
	{ "js, long", "\x0f\x88\x1a\0\0\0", 6, false },
	{ "jle, long", "\x0f\x8e\x1a\0\0\0", 6, false },
	{ "loop", "\xe2\x1e", 2, false },
	{ "loope", "\xe1\x1e", 2, false },
	{ "loopne", "\xe0\x1e", 2, false },
	{ "jrcxz", "\xe3\x1e", 2, false },
	{ "jecxz", "\x67\xe3\x1d", 3, false },
	{ "call", "\xe8\x3b\0\0\0", 5, false },
	{ "call rbx", "\xff\xd3", 2, true },
	{ "call r13", "\x41\xff\xd5", 3, true },
	{ "call [rip + data]", "\xff\x15\xfa\0\0\0", 6, false },
	{ "call [rsi]", "\xff\x16", 2, true },
	{ "call [rsi + rdi * 8 + 8]", "\xff\x54\xfe\x08", 4, true },
	{ "call [r12]", "\x41\xff\x14\x24", 4, true },
	{ "call [rsp + 8]", "\xff\x54\x24\x08", 4, true },
	{ "call [rsp]", "\xff\x14\x24", 3, true },
	{ "call [rsp + 0x7c]", "\xff\x54\x24\x7c", 4, true },
	{ "call [rsp + 0x100]", "\xff\x94\x24\0\x01\0\0", 7, true },
	{ "call [abs]", "\xff\x14\x25\x10\x20\x30\x10", 7, true },
};
#define NCASES (sizeof(cases) / sizeof(cases[0]))

/* The page as the essay draws it, without the instruction. */
static void
page(uint64_t *seed)
{
	struct x86_buf b = { here, 0, SIZE, HERE, false };
	uint64_t func = HERE + FUNC;

	for (unsigned i = 0; i < SIZE; i++)
		here[i] = 0xcc;
	b.n = TARGET;
	x86_mov_ri(&b, X86_R15, 2);
	x86_jmp_to(&b, HERE + OUT);
	b.n = FUNC;
	x86_load(&b, 8, false, X86_R14, x86_m(X86_RSP, 0));
	x86_lea(&b, X86_RAX, x86_m(X86_RAX, 3));
	x86_ret(&b);
	b.n = OUT;
	x86_ret(&b);
	for (unsigned i = 0; i < NDATA; i++)
		here[DATA + i] = (uint8_t)run_random(seed);
	memcpy(here + DATA, &func, 8);
	func = HERE + TARGET;
	memcpy(here + DATA + 8, &func, 8);
}

/*
 * Before the instruction at `at` comes what makes a stack with the function's
 * address wherever it may look, and after it what takes it down; the runner's
 * call arrives at the result.
 */
static size_t
entry(uint8_t *p, uint64_t base, uint64_t to)
{
	struct x86_buf b = { p, 0, 64, base, false };

	x86_lea(&b, X86_RSP, x86_m(X86_RSP, -0x200));
	x86_mov_ri(&b, X86_R8, HERE + FUNC);
	for (int i = 0; i < 2; i++)
		x86_store(&b, 8, x86_m(X86_RSP, i * 8), X86_R8);
	x86_store(&b, 8, x86_m(X86_RSP, 0x7c), X86_R8);
	x86_store(&b, 8, x86_m(X86_RSP, 0x100), X86_R8);
	x86_jmp_to(&b, to);
	assert_false(b.full);
	return b.n;
}

static void
leave(void)
{
	struct x86_buf b = { here, OUT, SIZE, HERE, false };

	x86_lea(&b, X86_RSP, x86_m(X86_RSP, 0x200));
	x86_ret(&b);
}

/* Registers that make the branch go either way, and calls arrive. */
static void
registers(struct run_regs *r, uint64_t *seed)
{
	run_fill(r, seed);
	r->r[X86_RBX] = r->r[X86_R13] = HERE + FUNC;
	r->r[X86_RSI] = r->r[X86_R12] = HERE + DATA;
	r->r[X86_RDI] = (uint64_t)-1;
	r->r[X86_RCX] = run_random(seed) % 3;
	if (run_random(seed) % 4 == 0)
		r->r[X86_RCX] |= 1ull << 32;
}

static void
run_both(size_t c, uint8_t *to, uint64_t seed)
{
	struct run_regs r, s;
	uint8_t data[NDATA], before[NDATA];

	registers(&r, &seed);
	s = r;
	memcpy(before, here + DATA, NDATA);
	run_code(here + 0x200, &r);
	memcpy(data, here + DATA, NDATA);
	memcpy(here + DATA, before, NDATA);
	run_code(to + 0x200, &s);
	if (memcmp(&r, &s, sizeof(r)) != 0)
		fail_msg("%s: registers or flags differ", cases[c].what);
	if (memcmp(data, here + DATA, NDATA) != 0)
		fail_msg("%s: memory differs", cases[c].what);
}

/* Case c moved to `to`; false: refused. */
static bool
move(size_t c, uint8_t *to, uint64_t to_addr)
{
	struct x86_buf b = { to, 0, 0x100, to_addr, false };
	uint8_t jmp[14] = { 0xff, 0x25 };
	uint64_t next = HERE + cases[c].len;
	struct err e = { 0 };

	if (x86_reloc_insn(&b, (const uint8_t *)cases[c].bytes, cases[c].len,
			   HERE, &e) != 0) {
		assert_true(err_is_set(&e));
		return false;
	}
	assert_false(b.full);
	memcpy(jmp + 6, &next, 8);
	x86_bytes(&b, jmp, sizeof(jmp));
	return true;
}

static void
place(size_t c)
{
	struct x86_buf b = { here, 0, TARGET, HERE, false };

	x86_bytes(&b, cases[c].bytes, cases[c].len);
	if (cases[c].bytes[0] == 0x55) /* what it pushed */
		x86_pop(&b, X86_RBP);
	x86_jmp_to(&b, HERE + OUT);
}

static void
test_moved(void **state)
{
	uint64_t seed = 42;

	for (size_t c = 0; c < NCASES; c++) {
		if (strcmp(cases[c].what, "call [abs]") == 0)
			continue; /* see test_bytes */
		page(&seed);
		leave();
		place(c);
		entry(here + 0x200, HERE + 0x200, HERE);
		entry(near_ + 0x200, NEAR + 0x200, NEAR);
		entry(far_ + 0x200, FAR + 0x200, FAR);
		if (!move(c, near_, NEAR))
			fail_msg("%s: refused", cases[c].what);
		if (move(c, far_, FAR) != cases[c].far_too)
			fail_msg("%s: far away", cases[c].what);
		for (unsigned i = 0; i < ROUNDS; i++) {
			run_both(c, near_, seed + i);
			if (cases[c].far_too)
				run_both(c, far_, seed + i);
		}
	}
}

static void
moves_to(const char *from, size_t n, const char *want, size_t nwant)
{
	uint8_t code[64];
	struct x86_buf b = { code, 0, sizeof(code), 0x2000, false };
	struct err e = { 0 };

	assert_int_equal(
		x86_reloc_insn(&b, (const uint8_t *)from, n, 0x1000, &e), 0);
	assert_int_equal(b.n, nwant);
	assert_memory_equal(code, want, nwant);
}
#define MOVES(from, want) \
	moves_to(from, sizeof(from) - 1, want, sizeof(want) - 1)

static void
test_bytes(void **state)
{
	MOVES("\x48\x8b\x05\x10\0\0\0", "\x48\x8b\x05\x10\xf0\xff\xff");
	MOVES("\x74\x10", "\x0f\x84\x0c\xf0\xff\xff");
	MOVES("\xe2\x10", "\xe2\x02\xeb\x05\xe9\x09\xf0\xff\xff");
	/* push [rip + 5]; jmp; 0x1005 */
	MOVES("\xe8\x10\0\0\0", "\xff\x35\x05\0\0\0\xe9\x0a\xf0\xff\xff"
				"\x05\x10\0\0\0\0\0\0");
	/* push [rip + 7]; jmp [abs] */
	MOVES("\xff\x14\x25\x10\x20\x30\x10",
	      "\xff\x35\x07\0\0\0\xff\x24\x25\x10\x20\x30\x10"
	      "\x07\x10\0\0\0\0\0\0");
	/* call fs:[0x10] */
	MOVES("\x64\xff\x14\x25\x10\0\0\0",
	      "\xff\x35\x08\0\0\0\x64\xff\x24\x25\x10\0\0\0"
	      "\x08\x10\0\0\0\0\0\0");
}

/* What refers to a place is moved no further than all that it becomes
   reaches. */
static void
test_reach(void **state)
{
	static const uint8_t lea[] = { 0x48, 0x8d, 0x05, 0, 0, 0, 0 };
	const uint64_t from = 1ull << 40, at = from + sizeof(lea);
	const struct {
		uint64_t to;
		bool moved;
	} v[] = {
		{ at + (1ull << 31) - 64, true },
		{ at + (1ull << 31) - 32, true },
		{ at + (1ull << 31) - 16, false },
		{ at + (1ull << 31) + 16, false },
		{ at - (1ull << 31) + 16, true },
		{ at - (1ull << 31) - 16, false },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		uint8_t code[64];
		struct x86_buf b = { code, 0, sizeof(code), v[i].to, false };
		struct err e = { 0 };
		bool moved =
			x86_reloc_insn(&b, lea, sizeof(lea), from, &e) == 0;

		if (moved != v[i].moved)
			fail_msg("place %zu: %s", i,
				 moved ? "moved" : "refused");
	}
}

static void
test_refused(void **state)
{
	static const struct {
		const char *bytes;
		uint8_t len;
	} no[] = {
		{ "\x06", 1 },				/* no instruction */
		{ "\x48\x8b\x05", 3 },			/* cut off */
		{ "\xc7\xf8\x10\0\0\0", 6 },		/* xbegin */
		{ "\x67\x8b\x05\x10\0\0\0", 7 },	/* [eip + 16] */
		{ "\xcc", 1 },				/* a debugger's */
		{ "\x65\xff\x10", 3 },			/* call gs:[rax] */
		{ "\xff\xd4", 2 },			/* call rsp */
		{ "\x67\xff\x10", 3 },			/* call [eax] */
		{ "\xff\x94\x24\xfc\xff\xff\x7f", 7 },	/* rsp + 2^31 - 4 */
		{ "\xcb", 1 },				/* retf */
	};
	uint8_t code[64];

	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
		struct x86_buf b = { code, 0, sizeof(code), 0x2000, false };
		struct err e = { 0 };
		if (x86_reloc_insn(&b, (const uint8_t *)no[i].bytes, no[i].len,
				   0x1000, &e) == 0)
			fail_msg("%zu is moved", i);
		assert_true(err_is_set(&e));
		assert_int_equal(b.n, 0);
	}
}

static int
setup(void **state)
{
	here = run_map(HERE, SIZE);
	near_ = run_map(NEAR, SIZE);
	far_ = run_map(FAR, SIZE);
	return here != NULL && near_ != NULL && far_ != NULL ? 0 : -1;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moved),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_reach),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
