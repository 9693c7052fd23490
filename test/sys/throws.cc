// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// throws.cc - exceptions that are thrown by handlers of signals, and stacks
// that are looked at there: both go over the return from the signal.
#include <csignal>
#include <cstdio>
#include <execinfo.h>
#include <ucontext.h>

static int frames;

static void
look(int, siginfo_t *, void *context)
{
	void *pc[64];

	frames = backtrace(pc, 64);
	static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP] += 2;
}

static void
fault(int)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGSEGV);
	sigprocmask(SIG_UNBLOCK, &set, nullptr);
	throw 1;
}

static int
deep(int n)
{
	volatile int *nothing = nullptr;

	return n == 0 ? *nothing : deep(n - 1) + 1;
}

int
main()
{
	int caught = 0;

	signal(SIGSEGV, fault);
	for (int i = 0; i < 100; i++) {
		try {
			deep(5);
		} catch (int n) {
			caught += n;
		}
	}
	struct sigaction sa = {};

	sa.sa_sigaction = look;
	sa.sa_flags = SA_SIGINFO;
	sigaction(SIGILL, &sa, nullptr);
	__asm__ volatile("ud2");
	printf("caught %d, %d frames\n", caught, frames);
	return 0;
}
