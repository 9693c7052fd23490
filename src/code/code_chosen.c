/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * code_chosen.c - the functions that one function chooses among.
 *
 * The symbol of an IFUNC is that of code which the loader calls once, and which
 * returns the address of the function that the name shall stand for: strlen()
 * of a C library is one of five, by what the processor can do.  Such code is
 * short, and takes the address of each of them.
 */
#include "code/code_impl.h"

#include <stdlib.h>

static bool
chosen_add(struct code_chosen *c, const struct code_body *b, uint64_t addr)
{
	if (addr == b->addr)
		return true;
	for (size_t i = 0; i < c->fns.n; i++)
		if (c->fns.v[i] == addr)
			return true;
	return vec_push(&c->fns, addr);
}

/* True if the address that is returned might come from what is called there.
   What it calls by name looks at the processor. */
static bool
chosen_elsewhere(const struct code_body *b, const struct code_insn *in)
{
	switch (in->kind) {
	case CODE_I_CALL_IND:
	case CODE_I_JMP_IND:
	case CODE_I_BAD:
		return true;
	case CODE_I_JMP:
	case CODE_I_JCC:
		return in->target - b->addr >= b->n;
	default:
		return false;
	}
}

int
code_chosen_find(const struct code_body *b,
		 bool (*is_fn)(void *arg, uint64_t addr), void *arg,
		 struct code_chosen *c)
{
	struct code_step before = { 0 }, t;
	uint64_t to;

	*c = (struct code_chosen){ .all = true };
	for (uint64_t at = 0; at < b->n; at += t.in.len) {
		t = (struct code_step){ .addr = b->addr + at, .p = b->p + at };
		code_insn_decode(t.p, b->n - at, t.addr, &t.in);
		c->all &= !chosen_elsewhere(b, &t.in);
		if (code_machine.takes != NULL &&
		    code_machine.takes(&t, at != 0 ? &before : NULL, &to) &&
		    is_fn(arg, to) && !chosen_add(c, b, to)) {
			code_chosen_fini(c);
			return -1;
		}
		before = t;
	}
	code_addrs_sort(c->fns.v, &c->fns.n);
	c->all &= c->fns.n != 0;
	return 0;
}

void
code_chosen_fini(struct code_chosen *c)
{
	vec_fini(&c->fns);
}
