/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * code_elf.c - the world around a function of an object that is only a file,
 * at link-time addresses: for the kernel's probes, which are placed in files.
 *
 * `entered` tells of addresses that data holds, no more: that is enough to find
 * the ways out.  Whoever overwrites code must know of others
 * (process_world.c of the process engine).
 */
#include <string.h>

#include "code/code.h"
#include "elf/elf.h"

static const uint8_t *
world_bytes(void *arg, uint64_t addr, size_t n)
{
	return elf_bytes(arg, addr, n);
}

static bool
world_is_fn(void *arg, uint64_t addr)
{
	return elf_is_fn(arg, addr);
}

static bool
world_pointer(void *arg, uint64_t addr, uint64_t *to)
{
	return elf_code_ptr(arg, addr, to);
}

static bool
world_held(void *arg, uint64_t lo, uint64_t hi, size_t i, uint64_t *addr)
{
	size_t n, at;
	const uint64_t *v = elf_code_ptrs(arg, &n);

	at = code_fn_lower(v, n, lo) + i;
	if (at >= n || v[at] >= hi)
		return false;
	*addr = v[at];
	return true;
}

static bool
name_is_part(const char *name)
{
	const char *s = strstr(name, ".cold");

	return s != NULL && (s[5] == '\0' || s[5] == '.');
}

static bool
world_part(void *arg, uint64_t addr, struct code_part *part)
{
	const struct elf_sym *s = elf_sym_at(arg, addr);

	if (s == NULL || !s->is_func || !name_is_part(s->name))
		return false;
	*part = (struct code_part){ s->addr, s->size };
	return true;
}

void
code_elf_world(struct elf_file *f, struct code_world *w)
{
	*w = (struct code_world){ .arg = f,
				  .bytes = world_bytes,
				  .is_fn = world_is_fn,
				  .entered = world_held,
				  .pointer = world_pointer,
				  .held = world_held,
				  .part = world_part };
}
