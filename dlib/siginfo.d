/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * siginfo.d - siginfo_t: what comes with a signal.
 *
 *	proc:::fault { printf("%d at %p", args[1]->si_signo, args[1]->si_addr); }
 *
 * Which members have a meaning depends on the signal and its si_code, as
 * sigaction(2) says.  The layout is the C library's, so that what a program has
 * can be copied in.
 */
typedef struct siginfo {
	int si_signo;
	int si_errno;
	int si_code;		/* SI_USER, SEGV_MAPERR ... */
	union {
		struct {
			pid_t si_pid;	/* who sent it, or has changed */
			uid_t si_uid;
			union {
				int si_status;	/* SIGCHLD: status or signal */
				int si_int;	/* sigqueue(3): the value */
				uintptr_t si_ptr;
			};
		};
		struct {
			int si_timerid;		/* SI_TIMER */
			int si_overrun;
		};
		uintptr_t si_addr;		/* faults: the address */
		struct {
			long si_band;		/* SIGIO */
			int si_fd;
		};
		int __si_size[28];
	};
} siginfo_t;

translator siginfo_t < struct kernel_siginfo *S > {
	si_signo = S->si_signo;
	si_errno = S->si_errno;
	si_code = S->si_code;
	si_pid = S->_sifields._kill._pid;
	si_uid = S->_sifields._kill._uid;
	si_status = S->_sifields._sigchld._status;
	si_addr = (uintptr_t)S->_sifields._sigfault._addr;
	si_int = S->_sifields._rt._sigval.sival_int;
	si_ptr = (uintptr_t)S->_sifields._rt._sigval.sival_ptr;
	si_timerid = S->_sifields._timer._tid;
	si_overrun = S->_sifields._timer._overrun;
	si_band = S->_sifields._sigpoll._band;
	si_fd = S->_sifields._sigpoll._fd;
};
