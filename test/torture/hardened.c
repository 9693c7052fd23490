/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * hardened.c - a service as service managers confine it: no new privileges,
 * memory that is locked (MCL_FUTURE) and limited, and a seccomp filter that
 * kills for every call that is not on a short list.
 *
 *	hardened ROUNDS [MB of RLIMIT_AS]
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* What work() needs, and the return from a signal.  Not restart_syscall(2), by
   which a sleep that a stop has interrupted goes on: we see to that. */
static const unsigned allowed[] = { SYS_write, SYS_exit_group,
				    SYS_clock_nanosleep, SYS_rt_sigreturn,
				    SYS_getppid };
#define NALLOWED (sizeof(allowed) / sizeof(allowed[0]))

static void
confine(void)
{
	struct sock_filter f[NALLOWED + 3];
	size_t n = 0;

	f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					      offsetof(struct seccomp_data,
						       nr));
	for (size_t i = 0; i < NALLOWED; i++)
		f[n++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, allowed[i],
			(unsigned char)(NALLOWED - i), 0);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
					      SECCOMP_RET_KILL_PROCESS);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
					      SECCOMP_RET_ALLOW);
	const struct sock_fprog p = { (unsigned short)n, f };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p) != 0)
		_exit(3);
}

uint64_t work(uint64_t a);
uint64_t serve(uint64_t a);

__attribute__((noinline)) uint64_t
work(uint64_t a)
{
	return (a ^ a >> 11) * 0x9e3779b97f4a7c15u + 1;
}

/* A request: some work, a call, a little rest. */
__attribute__((noinline)) uint64_t
serve(uint64_t a)
{
	const struct timespec rest = { .tv_nsec = 20000 };

	for (int i = 0; i < 20000; i++)
		a = work(a);
	a += syscall(SYS_getppid) < 0;
	a += (uint64_t)clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, NULL);
	return a;
}

int
main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000, a = 1;
	rlim_t mb = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
	const struct rlimit as = { mb << 20, mb << 20 };
	char out[32];

	if (mb != 0 && setrlimit(RLIMIT_AS, &as) != 0)
		return 2;
	if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
		return 2;
	confine();
	for (uint64_t i = 0; i < n; i++)
		a = serve(a);
	int len = snprintf(out, sizeof(out), "%llx\n", (unsigned long long)a);
	return write(1, out, (size_t)len) == len ? 8 : 9;
}
