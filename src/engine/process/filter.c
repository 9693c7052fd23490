/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * filter.c - seccomp filters, run on values of which some are not known.
 *
 * A filter is a program of classic BPF over struct seccomp_data (seccomp(2),
 * Documentation/userspace-api/seccomp_filter.rst).  Its jumps lead forward
 * only, so one pass in the order of instructions has seen all that leads to an
 * instruction when it comes to it.  Where two paths meet, what they do not
 * agree in is not known; where a condition is not known, both ways are taken.
 * So every answer that the filter could give is among those that are seen.
 *
 * The bytes are a stranger's: what the kernel would not have accepted spares
 * nobody.
 */
#include "engine/process/filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>

#define MOST	   4096 /* BPF_MAXINSNS */
#define DATA_WORDS (sizeof(struct seccomp_data) / 4)

struct filter_val {
	bool known;
	uint32_t v;
};

/* What is known before an instruction. */
struct filter_state {
	bool reached;
	struct filter_val a, x, m[BPF_MEMWORDS];
};

struct filter_run {
	const struct sock_filter *v;
	size_t n;
	struct filter_val data[DATA_WORDS];
	struct filter_state *at; /* [n] */
	bool spares;
};

static struct filter_val
val(uint32_t v)
{
	return (struct filter_val){ true, v };
}

static void
val_meet(struct filter_val *a, struct filter_val b)
{
	if (!b.known || a->v != b.v)
		a->known = false;
}

/* Control comes to instruction i with that. */
static void
filter_to(struct filter_run *r, uint64_t i, const struct filter_state *s)
{
	struct filter_state *to;

	if (i >= r->n) {
		r->spares = false;
		return;
	}
	to = &r->at[i];
	if (!to->reached) {
		*to = *s;
		return;
	}
	val_meet(&to->a, s->a);
	val_meet(&to->x, s->x);
	for (size_t k = 0; k < BPF_MEMWORDS; k++)
		val_meet(&to->m[k], s->m[k]);
}

/* ---- instructions -------------------------------------------------------- */

static struct filter_val
filter_alu(uint16_t op, struct filter_val a, struct filter_val b)
{
	if (!a.known || (!b.known && op != BPF_NEG))
		return (struct filter_val){ 0 };
	switch (op) {
	case BPF_ADD:
		return val(a.v + b.v);
	case BPF_SUB:
		return val(a.v - b.v);
	case BPF_MUL:
		return val(a.v * b.v);
	case BPF_DIV:
		/* By zero: the kernel returns 0, which kills. */
		return b.v != 0 ? val(a.v / b.v) : (struct filter_val){ 0 };
	case BPF_AND:
		return val(a.v & b.v);
	case BPF_OR:
		return val(a.v | b.v);
	case BPF_XOR:
		return val(a.v ^ b.v);
	case BPF_LSH:
		return val(b.v < 32 ? a.v << b.v : 0);
	case BPF_RSH:
		return val(b.v < 32 ? a.v >> b.v : 0);
	case BPF_NEG:
		return val(0 - a.v);
	}
	return (struct filter_val){ 0 };
}

/* Where a division may be one by zero the filter ends there. */
static bool
alu_ends(uint16_t op, struct filter_val b)
{
	return op == BPF_DIV && (!b.known || b.v == 0);
}

static void
run_jump(struct filter_run *r, size_t i, const struct filter_state *s)
{
	const struct sock_filter *f = &r->v[i];
	struct filter_val b = BPF_SRC(f->code) == BPF_X ? s->x : val(f->k);
	bool known = s->a.known && b.known, yes = false;

	switch (BPF_OP(f->code)) {
	case BPF_JA:
		filter_to(r, (uint64_t)i + 1 + f->k, s);
		return;
	case BPF_JEQ:
		yes = s->a.v == b.v;
		break;
	case BPF_JGT:
		yes = s->a.v > b.v;
		break;
	case BPF_JGE:
		yes = s->a.v >= b.v;
		break;
	case BPF_JSET:
		yes = (s->a.v & b.v) != 0;
		break;
	default:
		r->spares = false;
		return;
	}
	if (!known || yes)
		filter_to(r, i + 1 + f->jt, s);
	if (!known || !yes)
		filter_to(r, i + 1 + f->jf, s);
}

static void
run_return(struct filter_run *r, const struct sock_filter *f,
	   const struct filter_state *s)
{
	struct filter_val v = BPF_RVAL(f->code) == BPF_A ? s->a : val(f->k);

	if (!v.known) {
		r->spares = false;
		return;
	}
	switch (v.v & SECCOMP_RET_ACTION_FULL) {
	case SECCOMP_RET_ALLOW:
	case SECCOMP_RET_LOG:
	case SECCOMP_RET_ERRNO:
	case SECCOMP_RET_TRACE: /* ENOSYS, if nobody traces for it */
		return;
	}
	r->spares = false;
}

/* What ld and ldx load; false: not in a filter. */
static bool
run_load(const struct filter_run *r, const struct sock_filter *f,
	 const struct filter_state *s, struct filter_val *out)
{
	switch (BPF_MODE(f->code)) {
	case BPF_IMM:
		*out = val(f->k);
		return true;
	case BPF_LEN:
		*out = val(sizeof(struct seccomp_data));
		return true;
	case BPF_MEM:
		if (f->k >= BPF_MEMWORDS)
			return false;
		*out = s->m[f->k];
		return true;
	case BPF_ABS:
		if (f->k % 4 != 0 || f->k / 4 >= DATA_WORDS)
			return false;
		*out = r->data[f->k / 4];
		return true;
	}
	return false;
}

/* All but jumps and returns; false: the filter may end here. */
static bool
run_plain(const struct filter_run *r, const struct sock_filter *f,
	  struct filter_state *s)
{
	struct filter_val b = BPF_SRC(f->code) == BPF_X ? s->x : val(f->k);

	switch (BPF_CLASS(f->code)) {
	case BPF_LD:
		return run_load(r, f, s, &s->a);
	case BPF_LDX:
		return run_load(r, f, s, &s->x);
	case BPF_ST:
	case BPF_STX:
		if (f->k >= BPF_MEMWORDS)
			return false;
		s->m[f->k] = BPF_CLASS(f->code) == BPF_ST ? s->a : s->x;
		return true;
	case BPF_ALU:
		if (alu_ends(BPF_OP(f->code), b))
			return false;
		s->a = filter_alu(BPF_OP(f->code), s->a, b);
		return true;
	case BPF_MISC:
		if (BPF_MISCOP(f->code) == BPF_TXA)
			s->a = s->x;
		else
			s->x = s->a;
		return true;
	}
	return false;
}

static void
run_one(struct filter_run *r, size_t i)
{
	const struct sock_filter *f = &r->v[i];
	struct filter_state s = r->at[i];

	if (BPF_CLASS(f->code) == BPF_JMP)
		run_jump(r, i, &s);
	else if (BPF_CLASS(f->code) == BPF_RET)
		run_return(r, f, &s);
	else if (run_plain(r, f, &s))
		filter_to(r, i + 1, &s);
	else
		r->spares = false;
}

/* ---- the door ------------------------------------------------------------ */

/* struct seccomp_data; where the call is made from is not known. */
static void
run_data(struct filter_run *r, const struct filter_call *c)
{
	r->data[0] = val((uint32_t)c->nr);
	r->data[1] = val(AUDIT_ARCH_X86_64);
	for (unsigned i = 0; i < 6; i++) {
		if ((c->known >> i & 1) == 0)
			continue;
		r->data[4 + 2 * i] = val((uint32_t)c->arg[i]);
		r->data[5 + 2 * i] = val((uint32_t)(c->arg[i] >> 32));
	}
}

bool
filter_spares(const struct sock_filter *v, size_t n,
	      const struct filter_call *c)
{
	struct filter_run r = { .v = v, .n = n, .spares = true };

	if (n == 0 || n > MOST)
		return false;
	r.at = calloc(n, sizeof(*r.at));
	if (r.at == NULL)
		return false;
	run_data(&r, c);
	/* The registers and the memory begin as 0. */
	r.at[0] = (struct filter_state){ .reached = true,
					 .a = val(0), .x = val(0) };
	for (size_t k = 0; k < BPF_MEMWORDS; k++)
		r.at[0].m[k] = val(0);
	for (size_t i = 0; i < n && r.spares; i++)
		if (r.at[i].reached)
			run_one(&r, i);
	free(r.at);
	return r.spares;
}
