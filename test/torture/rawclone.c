/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rawclone.c - threads made by clone(2) without the C library: they have no
 * thread pointer of their own (CLONE_SETTLS is not given), and stacks that
 * nobody but this program knows of.
 */
#include <linux/futex.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NTHREADS  8
#define STACKSIZE 65536

static volatile uint32_t alive[NTHREADS]; /* tid; the kernel writes 0 */
static uint64_t result[NTHREADS], rounds;

uint64_t step(uint64_t a);

__attribute__((noinline)) uint64_t
step(uint64_t a)
{
	return (a ^ a >> 7) * 0x9e3779b97f4a7c15u + 1;
}

/* Nothing of the C library: its thread pointer is the main thread's. */
__attribute__((noinline)) int
thread(void *arg)
{
	uint64_t i = (uint64_t)(uintptr_t)arg, a = i + 1;

	for (uint64_t k = 0; k < rounds; k++)
		a = step(a);
	result[i] = a;
	return 0;
}

int
main(int argc, char **argv)
{
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
			  CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID |
			  CLONE_PARENT_SETTID;
	uint64_t sum = 0;

	rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000000;
	for (uintptr_t i = 0; i < NTHREADS; i++) {
		char *stack = mmap(NULL, STACKSIZE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (stack == MAP_FAILED ||
		    clone(thread, stack + STACKSIZE, flags, (void *)i,
			  &alive[i], NULL, &alive[i]) < 0)
			return 2;
	}
	for (int i = 0; i < NTHREADS; i++) {
		uint32_t tid;

		while ((tid = alive[i]) != 0)
			syscall(SYS_futex, &alive[i], FUTEX_WAIT, tid, NULL);
		sum ^= result[i];
	}
	printf("%llx\n", (unsigned long long)sum);
	return 6;
}
