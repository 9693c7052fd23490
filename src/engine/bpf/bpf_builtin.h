/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_builtin.h - the functions of those built-in variables that their rows in
 * var.def give to this engine: bg_builtin_<name>(), or bg_array_<name>(), which
 * is given the DIF register of the index.  R0 becomes the value; -1 with g->e.
 *
 * A header of its own, since one variable is called errno: whoever includes
 * <errno.h> cannot include this one.
 */
#ifndef ENGINE_BPF_BPF_BUILTIN_H
#define ENGINE_BPF_BPF_BUILTIN_H

#include "engine/bpf/bpf_impl.h"

#define FN_OWN_SCALAR(name) int bg_builtin_##name(struct bg *);
#define FN_OWN_ARRAY(name)  int bg_array_##name(struct bg *, unsigned ri);
#define FN_OWN_ARGS(name)   FN_OWN_ARRAY(name)
#define FN_RT_SCALAR(name)
#define FN_NO_SCALAR(name)
#define VAR(id, name, type, kind, bound, i, k, p, needs, stab, what) \
	FN_##k##_##kind(name)
#include "dif/var.def"
#undef VAR

#endif
