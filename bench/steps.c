/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * steps.c - how many instructions a running process executes from one system
 * call to the next, counted by stepping through it.  Where nanoseconds are lost
 * in the noise of a machine, and it has no counters, this is exact.
 *
 * usage: steps PID [ROUNDS]
 *   prints the least of ROUNDS (32) rounds.  The process goes on afterwards.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

#define SYSCALL	  0x050f	/* 0f 05 */
#define STEPS_MAX 100000	/* of a round: it makes no system calls */

static _Noreturn void
fail(const char *what)
{
	fprintf(stderr, "steps: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void
await(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status))
		fail("the process has ended");
}

/* One instruction.  Is it a system call? */
static int
step(pid_t pid)
{
	struct user_regs_struct r;
	long word;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &r) != 0)
		fail("registers");
	errno = 0;
	word = ptrace(PTRACE_PEEKTEXT, pid, r.rip, NULL);
	if (errno != 0)
		fail("text");
	if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) != 0)
		fail("step");
	await(pid);
	return (word & 0xffff) == SYSCALL;
}

/* Instructions up to the next system call, which counts. */
static long
round_of(pid_t pid)
{
	for (long n = 1; n < STEPS_MAX; n++)
		if (step(pid))
			return n;
	errno = ERANGE;
	fail("no system call");
}

int
main(int argc, char **argv)
{
	pid_t pid = argc > 1 ? (pid_t)atoi(argv[1]) : 0;
	long rounds = argc > 2 ? atol(argv[2]) : 32, least = STEPS_MAX;

	if (pid <= 0 || rounds < 1)
		return 2;
	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) != 0 ||
	    ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) != 0)
		fail("attach");
	await(pid);
	round_of(pid);
	for (long i = 0; i < rounds; i++) {
		long n = round_of(pid);

		if (n < least)
			least = n;
	}
	if (ptrace(PTRACE_DETACH, pid, NULL, NULL) != 0)
		fail("detach");
	printf("%ld\n", least);
	return 0;
}
