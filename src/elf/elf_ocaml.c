/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * elf_ocaml.c - the tables that OCaml's compiler makes for its collector of
 * garbage: for each call of a module the address that it returns to, in
 * camlMODULE__frametable.
 *
 * So data has an address in the middle of nearly every function of OCaml, and
 * such a function ends by a jump through a register, as calls of closures do
 * that are the last: each would look as if it could jump to itself.  Nobody
 * jumps by these tables; and what follows a call is a place where control
 * arrives without them.
 */
#include "elf/elf_impl.h"

#include <string.h>

#include "base/vec.h"

static bool
is_frametable(const struct elf_sym *s)
{
	static const char head[] = "caml", tail[] = "__frametable";
	const size_t n = strlen(s->name), k = sizeof(tail) - 1;

	return !s->is_func && !s->guessed && n > k &&
	       strncmp(s->name, head, sizeof(head) - 1) == 0 &&
	       strcmp(s->name + n - k, tail) == 0;
}

void
elf_frames_find(struct elf_file *f, struct elf_frames *v)
{
	size_t n;
	const struct elf_sym *s = elf_syms(f, &n);

	for (size_t i = 0; i < n; i++)
		if (is_frametable(&s[i])) {
			if (!vec_grow((void **)&v->v, &v->cap, v->n + 1,
				      sizeof(*v->v)))
				return; /* more is taken for what it looks
					   like */
			v->v[v->n].lo = s[i].addr;
			v->v[v->n++].hi = s[i].addr + s[i].size;
		}
}

bool
elf_frames_has(const struct elf_frames *v, uint64_t at)
{
	size_t lo = 0, hi = v->n;

	while (lo < hi) { /* the last that begins at or before */
		size_t mid = lo + (hi - lo) / 2;

		if (v->v[mid].lo <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > 0 && at < v->v[lo - 1].hi;
}
