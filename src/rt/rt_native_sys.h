/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_native_sys.h - system calls made in the traced process, without a C
 * library: the numbers of x86-64, and the raw instruction.  A result in
 * [-4095, -1] is an error; errno is the program's and stays as it is.
 */
#ifndef RT_RT_NATIVE_SYS_H
#define RT_RT_NATIVE_SYS_H

#include <stdint.h>

/* Calls of the program that we must know of. */
enum rtn_sys_its {
	RTN_ITS_clone = 56,
	RTN_ITS_prctl = 157,
	RTN_ITS_seccomp = 317
};

enum rtn_sys_nr {
	RTN_SYS_mprotect = 10,
	RTN_SYS_sched_yield = 24,
	RTN_SYS_getpid = 39,
	RTN_SYS_kill = 62,
	RTN_SYS_getuid = 102,
	RTN_SYS_getgid = 104,
	RTN_SYS_getppid = 110,
	RTN_SYS_sigaltstack = 131,
	RTN_SYS_prctl = 157,
	RTN_SYS_arch_prctl = 158,
	RTN_SYS_gettid = 186,
	RTN_SYS_futex = 202,
	RTN_SYS_clock_gettime = 228,
	RTN_SYS_tgkill = 234,
	RTN_SYS_process_vm_readv = 310,
	RTN_SYS_process_vm_writev = 311
};

#define RTN_ESRCH	3
#define RTN_ARCH_GET_FS 0x1003

struct rtn_iovec {
	uint64_t base, len;
};
struct rtn_timespec {
	int64_t sec, nsec;
};
struct rtn_stack {
	uint64_t sp;
	int32_t flags;
	uint32_t pad;
	uint64_t size;
};

static inline int64_t
rtn_syscall6(enum rtn_sys_nr nr, uint64_t a, uint64_t b, uint64_t c,
	     uint64_t d, uint64_t e, uint64_t f)
{
	register uint64_t r10 __asm__("r10") = d;
	register uint64_t r8 __asm__("r8") = e;
	register uint64_t r9 __asm__("r9") = f;
	int64_t res;

	__asm__ volatile("syscall"
			 : "=a"(res)
			 : "0"((uint64_t)nr), "D"(a), "S"(b), "d"(c), "r"(r10),
			   "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return res;
}

static inline int64_t
rtn_syscall3(enum rtn_sys_nr nr, uint64_t a, uint64_t b, uint64_t c)
{
	return rtn_syscall6(nr, a, b, c, 0, 0, 0);
}

static inline int64_t
rtn_syscall0(enum rtn_sys_nr nr)
{
	return rtn_syscall6(nr, 0, 0, 0, 0, 0, 0);
}

#endif
