/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * code_return.c - where a function returns, for uprobes.
 *
 * A function is left by ret, by a jump to another function (a tail call), or
 * through a part of it that the compiler has split off as unlikely
 * ("f.cold").  Such a part mostly ends in a call that does not return, or
 * jumps back; then it is no way out.  If every way out is one instruction of
 * the function itself that always leaves, the list is exact, and probes on
 * these instructions see every return.  A conditional jump to another function,
 * a jump nobody can follow, or one that no uprobe can be placed at (notrack
 * jmp), makes it inexact, and the return must be caught at the caller's side.
 */
#include <stdlib.h>

#include "code/code_impl.h"

/* Add the split-off part that addr is in; false: it is in none, or there are
   too many. */
static bool
part_add(const struct code_world *w, uint64_t addr, struct code_part *parts,
	 uint32_t *n)
{
	struct code_part p;

	if (w->part == NULL || !w->part(w->arg, addr, &p))
		return false;
	if (*n == CODE_PARTS_MAX)
		return false;
	parts[(*n)++] = p;
	return true;
}

static bool
parts_have(const struct code_part *parts, uint32_t n, uint64_t addr)
{
	for (uint32_t i = 0; i < n; i++)
		if (addr - parts[i].addr < parts[i].size)
			return true;
	return false;
}

/* The parts that jumps lead to from parts[0], a whole function, and from those
   found so. */
static uint32_t
parts_find(const struct code_world *w, struct code_part *parts)
{
	uint32_t n = 1;

	for (uint32_t i = 0; i < n; i++) {
		struct code_body b = { .n = parts[i].size,
				       .addr = parts[i].addr,
				       .next = SIZE_MAX };
		struct code_insn in;

		b.p = w->bytes(w->arg, b.addr, b.n);
		if (b.p == NULL)
			continue;
		for (size_t at = 0; code_insn_at(&b, at, &in); at += in.len)
			if ((in.kind == CODE_I_JMP || in.kind == CODE_I_JCC) &&
			    !parts_have(parts, n, in.target))
				part_add(w, in.target, parts, &n);
	}
	return n;
}

/* One way out of the function.  false: no memory. */
static bool
returns_add(const struct code_body *b, uint64_t addr, struct code_returns *r)
{
	size_t off = addr - b->addr;
	struct code_insn in;

	if (off >= b->n || !code_insn_at(b, off, &in) || !in.allowed ||
	    in.kind == CODE_I_JCC) {
		r->exact = false;
		return true;
	}
	return in.kind == CODE_I_RET ? vec_push(&r->rets, (uint32_t)off)
				     : vec_push(&r->tails, (uint32_t)off);
}

/*
 * Behind bytes that are no instruction nobody knows where instructions begin,
 * and a probe between them would change what they do.
 */
static uint64_t
code_end(const struct code_body *b)
{
	struct code_insn in;
	size_t at = 0;

	while (code_insn_at(b, at, &in))
		at += in.len;
	return b->addr + at;
}

int
code_returns_find(const struct code_body *b, const struct code_world *w,
		  struct code_returns *r)
{
	struct code_part parts[CODE_PARTS_MAX] = { { b->addr, b->n } };
	uint32_t n = parts_find(w, parts);
	uint64_t end = code_end(b);
	struct err e = { 0 };
	struct code_fn fn;
	bool ok = true;

	*r = (struct code_returns){ .exact = false };
	if (code_fn_analyse(w, parts, n, &fn, &e) != 0)
		return e.tag == &ERR_NOMEM ? -1 : 0;
	r->exact = fn.outs_all;
	for (size_t i = 0; ok && i < fn.outs.n; i++)
		if (fn.outs.v[i].addr - b->addr >= b->n ||
		    fn.outs.v[i].addr < end)
			ok = returns_add(b, fn.outs.v[i].addr, r);
	code_fn_fini(&fn);
	if (ok)
		return 0;
	code_returns_fini(r);
	return -1;
}

void
code_returns_fini(struct code_returns *r)
{
	vec_fini(&r->rets);
	vec_fini(&r->tails);
}
