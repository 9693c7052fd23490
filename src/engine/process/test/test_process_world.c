/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_process_world.c - what process_world.c knows of this very program: a
 * function of which a part is reached by exceptions alone (this file is
 * compiled with -fexceptions), bytes that must stay, and functions of which no
 * table tells, or not all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "engine/process/process_impl.h"

static volatile int cleaned, sink;

static void
clean(const int *v)
{
	cleaned += *v;
}

static void
keep(int v)
{
	sink = v;
}

/* For all that the compiler knows, it may throw. */
static void (*volatile world_throws)(int v) = keep;

/* Where it throws: the cleanup lies in a part of its own, with gcc. */
extern void world_pads(int v);
__attribute__((noinline)) void
world_pads(int v)
{
	__attribute__((cleanup(clean))) int x = v;

	world_throws(v);
	world_throws(x + 1);
}

/* A descriptor of a restartable sequence, over world_rseq's nops. */
extern void world_rseq(void);
__asm__(".text\n.globl world_rseq\n.type world_rseq,@function\nworld_rseq:\n"
	"1: nop\nnop\nnop\nnop\n2: ret\n"
	".long 0x53053053\n3: ret\n.size world_rseq,.-world_rseq\n"
	".pushsection __rseq_cs,\"aw\"\n.balign 32\n"
	".long 0,0\n.quad 1b,2b-1b,3b\n.popsection\n");

/* The unwind table ends before its system call. */
extern void world_rest(void);
/* Functions without a name: one is called, one's address is taken.  The first
   runs into the second, as far as one can see. */
__asm__(".text\n.p2align 4\n.globl world_rest\n.type world_rest,@function\n"
	"world_rest: .cfi_startproc\ntest %edi,%edi\njz 2f\nmov $39,%eax\n"
	".cfi_endproc\n1: syscall\nret\n2: xor %eax,%eax\nret\n"
	".size world_rest,.-world_rest\n"
	".globl world_caller\n.type world_caller,@function\n"
	"world_caller: call 3f\nlea 5f(%rip),%rax\nret\n"
	".size world_caller,.-world_caller\n"
	"3: mov $60,%eax\n4: syscall\nnop\n"
	"5: mov $39,%eax\n6: syscall\nret\n"
	"7: mov $0x050f,%eax\nret\n"
	".pushsection .rodata\n.globl world_offs\nworld_offs: "
	".long 1b-world_rest,2b-world_rest,3b-world_rest,4b-world_rest,"
	"5b-world_rest,6b-world_rest,7b-world_rest\n.popsection\n");
extern const uint32_t world_offs[7];

static struct world w;

static int
setup(void **state)
{
	struct err e = { 0 };

	return world_open(&w, getpid(), NULL, &e);
}

static int
teardown(void **state)
{
	world_close(&w);
	return 0;
}

static void
test_pads(void **state)
{
	uint64_t addr = (uint64_t)(uintptr_t)world_pads;
	struct world_obj *o = world_at(&w, addr);
	struct code_part part[8];
	struct code_fn fn;
	struct err e = { 0 };
	uint32_t n;

	world_pads(3);
	assert_non_null(o);
	n = world_parts(o, addr, 0, part);
	assert_true(n >= 1);
	assert_int_equal(part[0].addr, addr);
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
	assert_int_equal(n, 2);
#endif
	assert_int_equal(code_fn_analyse(world_x86(o), part, n, &fn, &e), 0);
	assert_true(fn.closed);
	code_fn_fini(&fn);
	assert_int_equal(world_parts(o, addr, 1, part), 1); /* as given */
	assert_int_equal(part[0].size, 1);
}

static void
test_pinned(void **state)
{
	uint64_t addr = (uint64_t)(uintptr_t)world_rseq;
	struct world_obj *o = world_at(&w, addr);
	const struct code_world *x;

	world_rseq();
	assert_non_null(o);
	x = world_x86(o);
	assert_true(x->pinned(x->arg, addr, 2));
	assert_true(x->pinned(x->arg, addr + 3, 5));
	assert_false(x->pinned(x->arg, addr + 9, 1));
	assert_true(x->end_before(x->arg, addr) <= addr);
}

/* The descriptor of the restartable sequence has pointers to it. */
static void
test_held(void **state)
{
	uint64_t addr = (uint64_t)(uintptr_t)world_rseq, got = 0;
	struct world_obj *o = world_at(&w, addr);
	const struct code_world *x;

	assert_non_null(o);
	x = world_x86(o);
	assert_true(x->held(x->arg, addr, addr + 16, 0, &got));
	assert_int_equal(got, addr);
	assert_true(x->held(x->arg, addr, addr + 16, 1, &got));
	assert_true(got > addr && got < addr + 16);
	assert_false(x->held(x->arg, addr, addr + 16, 2, &got));
	assert_false(x->held(x->arg, addr + 1, addr + 2, 0, &got));
}

static void
test_rest(void **state)
{
	uint64_t addr = (uint64_t)(uintptr_t)world_rest;
	uint64_t call = addr + world_offs[0], last = addr + world_offs[1];
	struct world_obj *o = world_at(&w, addr);
	struct code_part part[8];
	struct code_fn fn;
	struct err e = { 0 };

	assert_non_null(o);
	assert_int_equal(world_fn_of(o, call), addr);
	assert_int_equal(world_parts(o, addr, 0, part), 1);
	assert_true(part[0].addr + part[0].size > last);
	assert_int_equal(code_fn_analyse(world_x86(o), part, 1, &fn, &e), 0);
	assert_int_equal(fn.syscalls.n, 1);
	assert_int_equal(fn.syscalls.v[0], call);
	assert_int_equal(fn.outs.n, 2);
	code_fn_fini(&fn);
}

static bool
entered(struct world_obj *o, uint64_t addr)
{
	const struct code_world *x = world_x86(o);
	uint64_t a;

	return x->entered(x->arg, addr, addr + 1, 0, &a);
}

static void
test_nameless(void **state)
{
	uint64_t addr = (uint64_t)(uintptr_t)world_rest;
	struct world_obj *o = world_at(&w, addr);
	struct code_part part[8];
	uint64_t at[7];

	for (int i = 0; i < 7; i++)
		at[i] = addr + world_offs[i];
	assert_non_null(o);
	assert_true(entered(o, at[2]));
	assert_true(entered(o, at[4]));
	assert_false(entered(o, at[3]));
	assert_int_equal(world_fn_of(o, at[3]), at[2]);
	assert_int_equal(world_fn_of(o, at[5]), at[4]);
	assert_true(world_may_begin(o, at[5]));
	assert_false(world_may_begin(o, at[6] + 1));
	assert_int_equal(world_fn_of(o, at[6] + 1), 0);
	assert_true(world_insn_at(o, at[2], at[3]));
	assert_false(world_insn_at(o, at[2], at[3] + 1));
	assert_true(world_insn_at(o, at[2], at[3])); /* from the start again */
	assert_false(world_insn_at(o, at[4], at[6] + 1));
	/* What is no symbol's ends where another is entered; a symbol that has
	   begun before says nothing of it. */
	assert_int_equal(world_parts(o, at[2], 0, part), 1);
	assert_in_range(part[0].size, at[4] - at[2], 64);
	assert_int_equal(world_extent(o, at[2], 0), part[0].size);
}

/* Bytes that are no system call are not found again; the others are. */
static void
test_dropped(void **state)
{
	uint64_t addr = (uint64_t)(uintptr_t)world_rest;
	uint64_t chance = addr + world_offs[6] + 1, next;
	struct world_obj *o = world_at(&w, addr);

	assert_non_null(o);
	assert_int_equal(world_syscall(o, chance), chance);
	next = world_syscall(o, chance + 1);
	world_syscall_drop(o, chance + 1); /* nothing is there */
	assert_int_equal(world_syscall(o, chance), chance);
	world_syscall_drop(o, chance);
	assert_int_equal(world_syscall(o, chance), next);
	assert_int_equal(world_syscall(o, addr), addr + world_offs[0]);
	assert_int_equal(world_syscall(o, addr + world_offs[3]),
			 addr + world_offs[3]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pads),
		cmocka_unit_test(test_pinned),
		cmocka_unit_test(test_held),
		cmocka_unit_test(test_rest),
		cmocka_unit_test(test_nameless),
		cmocka_unit_test(test_dropped),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
