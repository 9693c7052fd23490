/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * btf.h - BTF through libbpf's reader, with the look-ups made quick: one index
 * by name is built at the first look-up.
 */
#ifndef ELF_BTF_H
#define ELF_BTF_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct btf; /* libbpf's */
struct btf_index;

/* The kernel's own BTF, or a module's split BTF over it. dir NULL:
   /sys/kernel/btf.  NULL + *e naming what is missing. */
struct btf_index *btf_index_kernel(const char *dir, struct err *e);
struct btf_index *btf_index_module(struct btf_index *vmlinux,
				   const char *dir, const char *module,
				   struct err *e);
void btf_index_free(struct btf_index *bi);
struct btf *btf_index_btf(struct btf_index *bi);
/* First type of that name and BTF_KIND_*; 0: none, or, with errno ENOMEM, no
   memory to look for it. */
uint32_t btf_index_find(struct btf_index *bi, const char *name, uint32_t kind);

#endif
