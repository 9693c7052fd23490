/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * coroutine.c - many stacks and one thread: ucontext coroutines that switch
 * from inside probed functions, and longjmp over probed frames.
 */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#define N 64
#define STACK 32768

static ucontext_t home, co[N];
static uint64_t sum[N];
static int running;
static jmp_buf env;

__attribute__((noinline)) static void
yield(void)
{
	swapcontext(&co[running], &home);
}

__attribute__((noinline)) static uint64_t
grow(uint64_t x, int depth)
{
	if (depth == 0) {
		yield();
		return x * 2654435761u;
	}
	return grow(x + (uint64_t)depth, depth - 1) ^ x;
}

static void
body(void)
{
	int me = running;

	for (uint64_t i = 0;; i++)
		sum[me] += grow(i + (uint64_t)me, (int)(i % 9));
}

__attribute__((noinline)) static void
fall(int depth)
{
	if (depth == 0)
		longjmp(env, 1);
	if (depth > 0)
		fall(depth - 1);
	sum[0]++; /* never reached here; so the call is no jump either */
}

int
main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : 20000;
	static uint64_t total;

	for (int i = 0; i < N; i++) {
		getcontext(&co[i]);
		co[i].uc_stack.ss_sp = malloc(STACK);
		co[i].uc_stack.ss_size = STACK;
		co[i].uc_link = &home;
		makecontext(&co[i], body, 0);
	}
	for (volatile uint64_t r = 0; r < rounds; r++) {
		for (running = 0; running < N; running++)
			swapcontext(&home, &co[running]);
		if (setjmp(env) == 0)
			fall(12);
		else
			total++;
	}
	for (int i = 0; i < N; i++)
		total = total * 31 + sum[i];
	printf("%llx\n", (unsigned long long)total);
	return 9;
}
