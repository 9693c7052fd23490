/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_bpf_obj.h - the bodies of rt/ as compiled for BPF: ELF relocatables
 * made of rt_bpf.c at build time and embedded (tools/embed.py), with the small
 * areas and with the large ones (rt_areas.h).
 */
#ifndef RT_RT_BPF_OBJ_H
#define RT_RT_BPF_OBJ_H

#include <stddef.h>

extern const unsigned char rt_bpf_obj[];
extern const size_t rt_bpf_obj_len;
extern const unsigned char rt_bpf_large[];
extern const size_t rt_bpf_large_len;

#endif
