/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_filter.c - what filters are found to do, beside what they do: each is
 * installed in a child too, which makes the call.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/process/filter.h"

#define N(v)	  (sizeof(v) / sizeof(*(v)))
#define LD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS,                           \
			   offsetof(struct seccomp_data, field))
#define JEQ(k, t, f) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, t, f)
#define RET(what) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_##what)
#define ALU(op, k) BPF_STMT(BPF_ALU | BPF_##op | BPF_K, k)

/* A call that does nothing, and takes any arguments. */
#define CALL SYS_getppid

static volatile int *called; /* shared with the child */

/* 1 if a child comes through that call under that filter; -1: the kernel does
   not take it. */
static int
comes_through(const struct sock_filter *v, size_t n,
	      const struct filter_call *c)
{
	struct sock_fprog p = { (unsigned short)n,
				(struct sock_filter *)(uintptr_t)v };
	pid_t pid, ended = 0;
	int st = 0;

	*called = 0;
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p) != 0)
			_exit(1);
		syscall(c->nr, c->arg[0], c->arg[1], c->arg[2], c->arg[3],
			c->arg[4], c->arg[5]);
		*called = 1;
		for (;;) /* to end is a call as well */
			;
	}
	while (*called == 0 && ended == 0)
		ended = sched_yield() == 0 ? waitpid(pid, &st, WNOHANG) : 0;
	if (ended == 0) {
		kill(pid, SIGKILL);
		waitpid(pid, &st, 0);
		return 1;
	}
	return WIFEXITED(st) ? -1 : 0;
}

static void
both_say(const struct sock_filter *v, size_t n, const struct filter_call *c,
	 bool spares)
{
	assert_int_equal(filter_spares(v, n, c), spares);
	assert_int_equal(comes_through(v, n, c), spares);
}

/* ---- by hand ------------------------------------------------------------- */

static const struct sock_filter allow_list[] = {
	LD(arch),
	JEQ(AUDIT_ARCH_X86_64, 1, 0),
	RET(KILL_PROCESS),
	LD(nr),
	JEQ(SYS_mmap, 2, 0),
	JEQ(SYS_getppid, 3, 0),
	RET(KILL_PROCESS),
	/* mmap: never code. */
	LD(args[2]),
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 4, 1, 0),
	RET(ALLOW),
	RET(KILL_THREAD),
};

static void
allows(void **state)
{
	const struct filter_call ok = { CALL, 0x3f, { 0 } };
	const struct filter_call other = { SYS_getuid, 0x3f, { 0 } };
	const struct filter_call data = { SYS_mmap, 4, { 0, 0, 3 } };
	const struct filter_call code = { SYS_mmap, 4, { 0, 0, 5 } };
	const struct filter_call some = { SYS_mmap, 3, { 0, 0, 3 } };

	both_say(allow_list, N(allow_list), &ok, true);
	both_say(allow_list, N(allow_list), &other, false);
	both_say(allow_list, N(allow_list), &data, true);
	both_say(allow_list, N(allow_list), &code, false);
	/* What it is called with is not known: it may be code. */
	assert_false(filter_spares(allow_list, N(allow_list), &some));
}

/* What may come of each answer. */
static void
answers(void **state)
{
	static const struct {
		uint32_t ret;
		bool spares;
	} v[] = {
		{ SECCOMP_RET_ALLOW, true },
		{ SECCOMP_RET_LOG, true },
		{ SECCOMP_RET_ERRNO | 13, true },
		{ SECCOMP_RET_TRACE | 7, true },
		{ SECCOMP_RET_TRAP, false },
		{ SECCOMP_RET_KILL_THREAD, false },
		{ SECCOMP_RET_KILL_PROCESS, false },
		{ 0x12340000, false },
	};
	const struct filter_call c = { CALL, 0x3f, { 0 } };

	for (size_t i = 0; i < N(v); i++) {
		const struct sock_filter f[] = { BPF_STMT(BPF_RET | BPF_K,
							  v[i].ret) };

		both_say(f, 1, &c, v[i].spares);
	}
	/* Somebody else decides. */
	assert_false(filter_spares(
		(const struct sock_filter[]){ RET(USER_NOTIF) }, 1, &c));
}

/* Paths that meet and do not agree; both ways of what is not known. */
static void
not_known(void **state)
{
	static const struct sock_filter meet[] = {
		LD(args[0]), JEQ(1, 0, 1), BPF_STMT(BPF_LDX | BPF_IMM, 5),
		BPF_STMT(BPF_MISC | BPF_TXA, 0), JEQ(5, 0, 1),
		RET(KILL_PROCESS), RET(ALLOW),
	};
	static const struct sock_filter ip[] = {
		LD(instruction_pointer),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 0x1000, 0, 1),
		RET(ALLOW), RET(KILL_PROCESS),
	};
	static const struct sock_filter value[] = {
		LD(args[0]), BPF_STMT(BPF_RET | BPF_A, 0)
	};
	const struct filter_call one = { CALL, 1, { 1 } };
	const struct filter_call two = { CALL, 1, { 2 } };
	const struct filter_call any = { CALL, 0, { 0 } };
	const struct filter_call yes = { CALL, 1, { SECCOMP_RET_ALLOW } };

	both_say(meet, N(meet), &one, false);
	both_say(meet, N(meet), &two, true);
	assert_false(filter_spares(meet, N(meet), &any));
	assert_false(filter_spares(ip, N(ip), &any));
	both_say(value, N(value), &yes, true);
	assert_false(filter_spares(value, N(value), &any));
}

/* No filters. */
static void
not_filters(void **state)
{
	const struct filter_call c = { CALL, 0x3f, { 0 } };
	static const struct sock_filter v[][2] = {
		{ LD(nr), LD(nr) },			       /* no end */
		{ BPF_STMT(BPF_JMP | BPF_JA, 5), RET(ALLOW) }, /* out */
		{ BPF_STMT(BPF_JMP | BPF_JA, ~0u), RET(ALLOW) },
		{ BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 64), RET(ALLOW) },
		{ BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 2), RET(ALLOW) },
		{ BPF_STMT(BPF_LD | BPF_W | BPF_IND, 0), RET(ALLOW) },
		{ BPF_STMT(BPF_LD | BPF_MEM, 16), RET(ALLOW) },
		{ BPF_STMT(BPF_ST, 16), RET(ALLOW) },
		{ ALU(DIV, 0), RET(ALLOW) },
		{ BPF_JUMP(BPF_JMP | 0xf0, 0, 0, 0), RET(ALLOW) },
	};

	assert_false(filter_spares(v[0], 0, &c));
	for (size_t i = 0; i < N(v); i++)
		assert_false(filter_spares(v[i], 2, &c));
}

/* ---- at random ----------------------------------------------------------- */

static uint32_t
rnd(uint64_t *x, uint32_t n)
{
	*x = *x * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*x >> 33) % n;
}

static struct sock_filter
random_insn(uint64_t *x, uint32_t left)
{
	static const uint16_t ops[] = {
		BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_AND,
		BPF_OR,	 BPF_XOR, BPF_LSH, BPF_RSH, BPF_NEG
	};
	static const uint16_t jumps[] = { BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET };
	uint16_t src = rnd(x, 2) ? BPF_X : BPF_K;
	uint32_t k = rnd(x, 3) ? rnd(x, 8) : rnd(x, 1u << 31);

	switch (rnd(x, 9)) {
	case 0: /* the arguments, no address */
		return (struct sock_filter)BPF_STMT(
			BPF_LD | BPF_W | BPF_ABS,
			(rnd(x, 6) ? 4 + rnd(x, 12) : rnd(x, 2)) * 4);
	case 1:
		return (struct sock_filter)BPF_STMT(
			(rnd(x, 2) ? BPF_LD : BPF_LDX) | BPF_IMM, k);
	case 2:
		return (struct sock_filter)BPF_STMT(
			(rnd(x, 2) ? BPF_LD : BPF_LDX) | BPF_MEM, rnd(x, 4));
	case 3:
		return (struct sock_filter)BPF_STMT(
			rnd(x, 2) ? BPF_ST : BPF_STX, rnd(x, 4));
	case 4:
		return (struct sock_filter)BPF_STMT(
			BPF_MISC | (rnd(x, 2) ? BPF_TAX : BPF_TXA), 0);
	case 5:
	case 6:
		return (struct sock_filter)BPF_STMT(
			BPF_ALU | ops[rnd(x, N(ops))] | src, k);
	case 7:
		return (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA,
						    rnd(x, left));
	}
	return (struct sock_filter)BPF_JUMP(
		BPF_JMP | jumps[rnd(x, N(jumps))] | src, k,
		(uint8_t)rnd(x, left), (uint8_t)rnd(x, left));
}

/* What is known wholly is found as the kernel has it; and what is not known
   spares only if it does with these arguments. */
static void
at_random(void **state)
{
	uint64_t seed = 1, x = seed;
	unsigned taken = 0, spared = 0;

	while (taken < 100) {
		struct sock_filter v[24];
		const uint32_t n = 4 + rnd(&x, 20);
		struct filter_call c = { CALL, 0x3f, { 0 } }, part;
		int real;

		for (uint32_t i = 0; i + 2 < n; i++)
			v[i] = random_insn(&x, n - 1 - i);
		v[n - 2] = (struct sock_filter)RET(ALLOW);
		v[n - 1] = (struct sock_filter)RET(KILL_PROCESS);
		for (int i = 0; i < 6; i++)
			c.arg[i] = rnd(&x, 2)
					   ? rnd(&x, 8)
					   : (uint64_t)rnd(&x, 1u << 31) << 9;
		real = comes_through(v, n, &c);
		if (real < 0)
			continue;
		taken++;
		part = c;
		part.known = rnd(&x, 64);
		if (filter_spares(v, n, &c) != real ||
		    (filter_spares(v, n, &part) && !real))
			fail_msg("seed %lu, filter %u: the kernel says %d",
				 (unsigned long)seed, taken, real);
		spared += (unsigned)real;
	}
	assert_in_range(spared, 5, 95);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allows),
		cmocka_unit_test(answers),
		cmocka_unit_test(not_known),
		cmocka_unit_test(not_filters),
		cmocka_unit_test(at_random),
	};

	called = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return (void *)called == MAP_FAILED ?
		       1 : cmocka_run_group_tests(tests, NULL, NULL);
}
