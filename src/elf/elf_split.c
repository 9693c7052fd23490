/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * elf_split.c - parts that the compiler has split off a function (.cold), where
 * no name says so and where they begin without a frame on the stack, so that
 * their unwind entry looks like a function's.
 *
 * Such a part is nobody's but its function's: only that one leads to it, by
 * jumps; and of the two one jumps into the middle of the other, which compilers
 * do between functions nowhere else.  A call, a name, an address in data or in
 * an instruction, or a jump from anywhere else: then it is a function.  So are
 * the linker's stubs, which have one entry together: who ends with a call of a
 * library jumps into its middle, perhaps as the only one.
 *
 * Jumps are those that elf_entry.c finds, at every byte: one that is there by
 * chance makes a part a function again, as it was taken for before.
 */
#include "elf/elf_impl.h"

#include <stdlib.h>
#include <string.h>

/* Another FDE, as its index and 1: who jumps to one, whose middle it jumps
   into. */
#define NOBODY	0u
#define MANY	UINT32_MAX
#define ALIGNED 16u /* functions begin so, parts need not */

struct elf_split {
	uint32_t by;   /* who jumps to it; MANY: or refers to it otherwise */
	uint32_t into; /* into whose middle it jumps */
	bool mid;      /* somebody jumps into its middle */
};

bool
elf_name_is_cold(const char *name)
{
	const char *s = strstr(name, ".cold");

	return s != NULL && (s[5] == '\0' || s[5] == '.');
}

struct elf_split *
elf_splits_new(struct elf_file *f)
{
	return calloc(f->nfdes + 1, sizeof(struct elf_split));
}

static void
split_note(uint32_t *who, uint32_t i)
{
	*who = *who == NOBODY || *who == i + 1 ? i + 1 : MANY;
}

void
elf_split_jump(struct elf_split *v, uint32_t from, uint32_t to, bool mid)
{
	if (v == NULL)
		return;
	if (from == ELF_NO_FDE)
		v[to].by = MANY;
	else
		split_note(&v[to].by, from);
	v[to].mid |= mid;
	if (mid && from != ELF_NO_FDE)
		split_note(&v[from].into, to);
}

void
elf_split_named(struct elf_split *v, uint32_t to)
{
	if (v != NULL)
		v[to].by = MANY;
}

/* Nobody but `by` leads to i, and one of the two jumps into the other. */
static bool
split_fits(const struct elf_split *v, uint32_t i)
{
	return v[i].by != NOBODY && v[i].by != MANY &&
	       (v[i].mid || v[i].into == v[i].by);
}

static bool
split_is(struct elf_file *f, const struct elf_split *v, uint32_t i)
{
	const struct elf_fde *d = &f->fdes[i];
	uint32_t k;

	if (d->fragment || d->signal || !split_fits(v, i) ||
	    elf_is_stubs(f, d->addr))
		return false;
	k = v[i].by - 1;
	/* Each of two is the other's alone: then it is known by where they
	   begin. */
	return v[k].by != i + 1 || !split_fits(v, k) ||
	       (d->addr % ALIGNED != 0 && f->fdes[k].addr % ALIGNED == 0);
}

/* What has a name, or is in data, is a function. */
static void
splits_named(struct elf_file *f, struct elf_split *v)
{
	size_t n;
	const struct elf_sym *s = elf_syms(f, &n);
	const uint64_t *p;
	const struct elf_fde *d;

	for (size_t i = 0; i < n; i++) {
		d = s[i].is_func ? elf_fde_at(f, s[i].addr) : NULL;
		if (d != NULL && d->addr == s[i].addr)
			elf_split_named(v, (uint32_t)(d - f->fdes));
	}
	p = elf_code_ptrs(f, &n);
	for (size_t i = 0; i < n; i++) {
		d = elf_fde_at(f, p[i]);
		if (d != NULL && d->addr == p[i])
			elf_split_named(v, (uint32_t)(d - f->fdes));
	}
	d = elf_fde_at(f, elf_entry(f));
	if (d != NULL)
		elf_split_named(v, (uint32_t)(d - f->fdes));
}

void
elf_splits_take(struct elf_file *f, struct elf_split *v)
{
	if (v == NULL)
		return;
	splits_named(f, v);
	for (uint32_t i = 0; i < f->nfdes; i++)
		f->fdes[i].fragment |= split_is(f, v, i);
	free(v);
}
