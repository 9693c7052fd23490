/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * signals.c - a process that lives on signals: an interval timer, faults that
 * a handler on an alternate stack mends, siglongjmp out of handlers.  Signals
 * arrive anywhere, also inside probes.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

static volatile uint64_t ticks, faults;
static uint8_t *page;
static long page_size;
static sigjmp_buf out;

__attribute__((noinline)) uint64_t
step(uint64_t x)
{
	return x * 6364136223846793005ull + 1442695040888963407ull;
}

__attribute__((noinline)) void
on_alarm(int sig)
{
	ticks = ticks + (uint64_t)(step((uint64_t)sig) != 0);
}

/* The page is made readable, and the load that faulted is done again. */
__attribute__((noinline)) void
on_segv(int sig, siginfo_t *si, void *uc)
{
	(void)sig;
	(void)uc;
	if ((uint8_t *)si->si_addr < page ||
	    (uint8_t *)si->si_addr >= page + page_size)
		abort();
	faults = faults + 1;
	mprotect(page, (size_t)page_size, PROT_READ | PROT_WRITE);
}

__attribute__((noinline)) void
on_usr1(int sig)
{
	siglongjmp(out, sig);
}

__attribute__((noinline)) uint64_t
touch(uint64_t x)
{
	mprotect(page, (size_t)page_size, PROT_NONE);
	return step(x) + page[x % 64];
}

__attribute__((noinline)) int
leap(void)
{
	int sig = sigsetjmp(out, 1);

	if (sig == 0)
		raise(SIGUSR1);
	return sig;
}

int
main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 0) : 100000;
	struct sigaction sa = { .sa_handler = on_alarm,
				.sa_flags = SA_RESTART };
	struct itimerval it = { { 0, 200 }, { 0, 200 } };
	stack_t ss = { .ss_size = 65536 };
	uint64_t sum = 0;

	page_size = sysconf(_SC_PAGESIZE);
	page = mmap(NULL, (size_t)page_size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ss.ss_sp = malloc(ss.ss_size);
	if (page == MAP_FAILED || ss.ss_sp == NULL ||
	    sigaltstack(&ss, NULL) != 0)
		return 2;
	memset(page, 1, (size_t)page_size);
	sigaction(SIGALRM, &sa, NULL);
	sa = (struct sigaction){ .sa_handler = on_usr1 };
	sigaction(SIGUSR1, &sa, NULL);
	sa = (struct sigaction){ .sa_sigaction = on_segv,
				 .sa_flags = SA_SIGINFO | SA_ONSTACK };
	sigaction(SIGSEGV, &sa, NULL);
	setitimer(ITIMER_REAL, &it, NULL);
	for (uint64_t i = 0; i < n; i++) {
		sum += touch(i);
		for (uint64_t k = 0; k < 50; k++)
			sum = step(sum);
		if (i % 64 == 0)
			sum += (uint64_t)leap();
	}
	printf("%llx %llu %d\n", (unsigned long long)sum,
	       (unsigned long long)faults, ticks != 0);
	return 5;
}
