/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_pidns.h - the PID namespace in which numbers of processes are shown: that
 * of the consumer, whose numbers ps(1) shows beside it.
 */
#ifndef ENGINE_BPF_BPF_PIDNS_H
#define ENGINE_BPF_BPF_PIDNS_H

#include <stdint.h>

/* The inode of the kernel's first namespace, where the kernel's own numbers
   hold (PROC_PID_INIT_INO of the kernel). */
#define BPF_PIDNS_FIRST 0xeffffffcu

/*
 * The inode of our own namespace, and in *level how many are around it: 0 for
 * the first one, and where it cannot be known, for want of privilege.
 */
uint32_t bpf_pidns_own(uint32_t *level);

#endif
