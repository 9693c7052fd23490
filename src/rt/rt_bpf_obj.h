/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_bpf_obj.h - the bodies of rt/ as compiled for BPF: an ELF relocatable
 * made of rt_bpf.c at build time and embedded (tools/embed.py).
 */
#ifndef RT_RT_BPF_OBJ_H
#define RT_RT_BPF_OBJ_H

#include <stddef.h>

extern const unsigned char rt_bpf_obj[];
extern const size_t rt_bpf_obj_len;

#endif
