/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pid_abi_x86_64.c - which raw argument a parameter is.
 *
 * C: System V ABI for x86-64, section 3.2.3.  What is no larger than two words
 * and in general registers takes the next of them; numbers of floating point
 * have registers of their own; the rest is on the stack, in the order of the
 * parameters.  A result in memory comes with its address as a first argument
 * that the source does not have.
 *
 * Go: "Go internal ABI specification" (cmd/compile, abi-internal).  A
 * parameter is taken apart into words, which go to nine registers, all or none;
 * functions in assembly have all on the stack.
 */
#include <string.h>

#include "prov/pid_fn.h"

#define C_REGS  6 /* FNARG rows of conv_x86_64.def */
#define C_VECS  8
#define GO_REGS 9
#define GO_VECS 15
#define DEPTH   16

const struct dif_recipes pid_abi_go = {
	.arg = { { DIF_RCP_UREG, DIF_R_RAX },
		 { DIF_RCP_UREG, DIF_R_RBX },
		 { DIF_RCP_UREG, DIF_R_RCX },
		 { DIF_RCP_UREG, DIF_R_RDI },
		 { DIF_RCP_UREG, DIF_R_RSI },
		 { DIF_RCP_UREG, DIF_R_R8 },
		 { DIF_RCP_UREG, DIF_R_R9 },
		 { DIF_RCP_UREG, DIF_R_R10 },
		 { DIF_RCP_UREG, DIF_R_R11 },
		 DIF_USTACK(8),
		 DIF_USTACK(16),
		 DIF_USTACK(24) },
};
const struct dif_recipes pid_abi_go_stack = {
	.arg = { DIF_USTACK(8), DIF_USTACK(16), DIF_USTACK(24), DIF_USTACK(32),
		 DIF_USTACK(40), DIF_USTACK(48), DIF_USTACK(56), DIF_USTACK(64),
		 DIF_USTACK(72), DIF_USTACK(80), DIF_USTACK(88),
		 DIF_USTACK(96) },
};

/* How a value is given: so many registers of each kind, or in memory. */
struct shape {
	bool memory;
	unsigned regs, vecs;
};

/* ---- C ------------------------------------------------------------------- */

enum word { WORD_NONE, WORD_VEC, WORD_REG };

/* The kinds of the two words of a small object; false: it is in memory. */
static bool
c_words(struct type *t, uint64_t off, enum word w[2], int depth)
{
	uint64_t size = type_size(t);
	const struct type_member *m;
	size_t n;

	t = type_resolve(t);
	if (depth > DEPTH || off + size > 16)
		return false;
	switch (t->kind) {
	case TYPE_STRUCT:
	case TYPE_UNION:
		m = type_members(t, &n);
		for (size_t i = 0; i < n; i++)
			if (!c_words(m[i].type,
				     m[i].bits != 0
					     ? off + m[i].bit_off / 64 * 8
					     : off + m[i].bit_off / 8,
				     w, depth + 1))
				return false;
		return true;
	case TYPE_ARRAY:
		for (uint64_t i = 0; i < t->nelems; i++)
			if (!c_words(t->ref, off + i * type_size(t->ref), w,
				     depth + 1))
				return false;
		return true;
	case TYPE_FLOAT:
		if (size > 8 || off % size != 0)
			return false;
		if (w[off / 8] == WORD_NONE)
			w[off / 8] = WORD_VEC;
		return true;
	default:
		if (size == 0 || (size <= 8 && off % size != 0))
			return false;
		w[off / 8] = WORD_REG;
		if (size > 8)
			w[1] = WORD_REG;
		return true;
	}
}

static struct shape
c_shape(struct type *t)
{
	enum word w[2] = { WORD_NONE, WORD_NONE };
	struct shape s = { 0 };

	if (type_prog_by_ref(t))
		return (struct shape){ .regs = 1 };
	if (!c_words(t, 0, w, 0))
		return (struct shape){ .memory = true };
	for (int i = 0; i < 2; i++) {
		s.regs += w[i] == WORD_REG;
		s.vecs += w[i] == WORD_VEC;
	}
	return s;
}

bool
pid_abi_result(struct type *fn)
{
	struct shape s = c_shape(fn->ref);

	return !s.memory && s.regs == 1 && s.vecs == 0;
}

/* ---- Go ------------------------------------------------------------------ */

static bool
go_words(struct type *t, struct shape *s, int depth)
{
	const struct type_member *m;
	size_t n;

	t = type_resolve(t);
	if (depth > DEPTH)
		return false;
	switch (t->kind) {
	case TYPE_STRUCT:
	case TYPE_UNION:
		m = type_members(t, &n);
		for (size_t i = 0; i < n; i++)
			if (!go_words(m[i].type, s, depth + 1))
				return false;
		return true;
	case TYPE_ARRAY:
		if (t->nelems > 1)
			return false;
		return t->nelems == 0 || go_words(t->ref, s, depth + 1);
	case TYPE_FLOAT:
		s->vecs++;
		return true;
	default:
		s->regs++;
		return true;
	}
}

static struct shape
go_shape(struct type *t, enum pid_lang lang)
{
	struct shape s = { 0 };

	s.memory = lang == PID_LANG_GO_STACK || !go_words(t, &s, 0);
	return s;
}

/* ---- parameters ---------------------------------------------------------- */

/* How many of each are taken. */
struct taken {
	uint64_t regs, vecs, stack; /* bytes of the stack */
};

static bool
take_regs(struct taken *k, const struct shape *s, bool go)
{
	if (s->memory || k->regs + s->regs > (go ? GO_REGS : C_REGS) ||
	    k->vecs + s->vecs > (go ? GO_VECS : C_VECS))
		return false;
	k->regs += s->regs;
	k->vecs += s->vecs;
	return true;
}

/* The raw argument at which the parameter is on the stack, or none. */
static uint64_t
abi_take_stack(struct taken *k, struct type *t, enum pid_lang lang)
{
	uint64_t align = type_align(t), at;

	/* Go packs what is small; in C each has words of its own. */
	if (lang == PID_LANG_C)
		align = align > 8 ? 16 : 8;
	at = (k->stack + align - 1) / align * align;
	k->stack = at + type_size(t);
	if (at % 8 != 0)
		return DIF_NARGS;
	return at / 8 + (lang == PID_LANG_C    ? C_REGS
			 : lang == PID_LANG_GO ? GO_REGS
					       : 0);
}

uint32_t
pid_abi_args(struct type *fn, enum pid_lang lang, uint8_t map[DIF_NARGS],
	     uint32_t *unread)
{
	struct taken k = { 0 };
	size_t n;
	const struct type_param *v = type_params(fn, &n);
	uint32_t i;

	if (lang == PID_LANG_C && !type_is_void(fn->ref) &&
	    (type_prog_by_ref(fn->ref) || c_shape(fn->ref).memory) &&
	    type_is_sou(fn->ref))
		k.regs = 1;
	for (i = 0; i < n && i < DIF_NARGS; i++) {
		struct type *t = v[i].type;
		struct shape s;
		uint64_t raw = k.regs;

		if (type_is_void(t) || type_size(t) > UINT32_MAX)
			return i;
		s = lang == PID_LANG_C ? c_shape(t) : go_shape(t, lang);
		if (!take_regs(&k, &s, lang != PID_LANG_C))
			raw = abi_take_stack(&k, t, lang);
		if (raw >= DIF_NARGS || (!s.memory && s.regs == 0))
			*unread |= 1u << i;
		else
			map[i] = (uint8_t)raw;
	}
	return i;
}
