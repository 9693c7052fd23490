/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * regs.d - on x86-64: other names for user registers, as uregs[] takes them.  The names
 * of the registers themselves (R_RAX, R_RIP ...) are the compiler's.
 */
inline int R_PC = R_RIP;
inline int R_SP = R_RSP;
inline int R_FP = R_RBP;
inline int R_PS = R_RFL;
/* The number of the system call that the thread is in; and futex(2)'s. */
inline int R_SYSNR = R_ERR;
inline int __NR_futex = 202;
inline int R_R0 = R_RAX;
inline int R_R1 = R_RBX;

/* The 32-bit halves have the numbers of the whole. */
inline int R_EAX = R_RAX;
inline int R_EBX = R_RBX;
inline int R_ECX = R_RCX;
inline int R_EDX = R_RDX;
inline int R_ESI = R_RSI;
inline int R_EDI = R_RDI;
inline int R_EBP = R_RBP;
inline int R_ESP = R_RSP;
inline int R_EIP = R_RIP;
inline int R_EFL = R_RFL;
