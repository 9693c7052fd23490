/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * regs.d of aarch64 - other names for user registers, as uregs[] takes them.
 * The names of the registers themselves (R_X0, R_SP, R_PC ...) are the
 * compiler's.
 */
inline int R_PS = R_PSTATE;
/* The number of the system call that the thread is in; and futex(2)'s. */
inline int R_SYSNR = R_X8;
inline int __NR_futex = 98;
inline int R_R0 = R_X0;
inline int R_R1 = R_X1;
