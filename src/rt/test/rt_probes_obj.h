/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* rt_probes_obj.h - rt_probes.bpf.c as compiled and embedded. */
#ifndef RT_TEST_RT_PROBES_OBJ_H
#define RT_TEST_RT_PROBES_OBJ_H

#include <stddef.h>

extern const unsigned char rt_probes_obj[];
extern const size_t rt_probes_obj_len;

#endif
