/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * signal.d - the numbers of signals and the reasons (si_code) that come with
 * them, as <signal.h> has them.  CLD_EXITED, CLD_KILLED and CLD_DUMPED are
 * also what proc:::exit has as its argument.
 */
inline int SIGHUP = 1;
inline int SIGINT = 2;
inline int SIGQUIT = 3;
inline int SIGILL = 4;
inline int SIGTRAP = 5;
inline int SIGABRT = 6;
inline int SIGIOT = 6;
inline int SIGBUS = 7;
inline int SIGFPE = 8;
inline int SIGKILL = 9;
inline int SIGUSR1 = 10;
inline int SIGSEGV = 11;
inline int SIGUSR2 = 12;
inline int SIGPIPE = 13;
inline int SIGALRM = 14;
inline int SIGTERM = 15;
inline int SIGSTKFLT = 16;
inline int SIGCHLD = 17;
inline int SIGCLD = 17;
inline int SIGCONT = 18;
inline int SIGSTOP = 19;
inline int SIGTSTP = 20;
inline int SIGTTIN = 21;
inline int SIGTTOU = 22;
inline int SIGURG = 23;
inline int SIGXCPU = 24;
inline int SIGXFSZ = 25;
inline int SIGVTALRM = 26;
inline int SIGPROF = 27;
inline int SIGWINCH = 28;
inline int SIGIO = 29;
inline int SIGPOLL = 29;
inline int SIGPWR = 30;
inline int SIGSYS = 31;

/* si_code: of any signal. */
inline int SI_ASYNCNL = -60;
inline int SI_DETHREAD = -7;
inline int SI_TKILL = -6;
inline int SI_SIGIO = -5;
inline int SI_ASYNCIO = -4;
inline int SI_MESGQ = -3;
inline int SI_TIMER = -2;
inline int SI_QUEUE = -1;
inline int SI_USER = 0;
inline int SI_KERNEL = 128;

/* si_code: SIGCHLD. */
inline int CLD_EXITED = 1;
inline int CLD_KILLED = 2;
inline int CLD_DUMPED = 3;
inline int CLD_TRAPPED = 4;
inline int CLD_STOPPED = 5;
inline int CLD_CONTINUED = 6;

/* si_code: SIGILL. */
inline int ILL_ILLOPC = 1;
inline int ILL_ILLOPN = 2;
inline int ILL_ILLADR = 3;
inline int ILL_ILLTRP = 4;
inline int ILL_PRVOPC = 5;
inline int ILL_PRVREG = 6;
inline int ILL_COPROC = 7;
inline int ILL_BADSTK = 8;
inline int ILL_BADIADDR = 9;

/* si_code: SIGFPE. */
inline int FPE_INTDIV = 1;
inline int FPE_INTOVF = 2;
inline int FPE_FLTDIV = 3;
inline int FPE_FLTOVF = 4;
inline int FPE_FLTUND = 5;
inline int FPE_FLTRES = 6;
inline int FPE_FLTINV = 7;
inline int FPE_FLTSUB = 8;
inline int FPE_FLTUNK = 14;
inline int FPE_CONDTRAP = 15;

/* si_code: SIGSEGV. */
inline int SEGV_MAPERR = 1;
inline int SEGV_ACCERR = 2;
inline int SEGV_BNDERR = 3;
inline int SEGV_PKUERR = 4;
inline int SEGV_ACCADI = 5;
inline int SEGV_ADIDERR = 6;
inline int SEGV_ADIPERR = 7;
inline int SEGV_MTEAERR = 8;
inline int SEGV_MTESERR = 9;

/* si_code: SIGBUS. */
inline int BUS_ADRALN = 1;
inline int BUS_ADRERR = 2;
inline int BUS_OBJERR = 3;
inline int BUS_MCEERR_AR = 4;
inline int BUS_MCEERR_AO = 5;

/* si_code: SIGTRAP. */
inline int TRAP_BRKPT = 1;
inline int TRAP_TRACE = 2;
inline int TRAP_BRANCH = 3;
inline int TRAP_HWBKPT = 4;
inline int TRAP_UNK = 5;
