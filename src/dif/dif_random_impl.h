/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dif_random_impl.h - what the two files of the generator share: its state,
 * chance, and registers with what they hold (dif_random.c says what kinds).
 */
#ifndef DIF_DIF_RANDOM_IMPL_H
#define DIF_DIF_RANDOM_IMPL_H

#include "dif/dif.h"

#define TEXT_CAP 1024u
#define INT_CAP 512u
#define STR_CAP 8192u
#define VAR_CAP 64u
#define STEP_TEXT 32u /* most instructions and integers of one step */
#define SUM (DIF_NREGS - 1u) /* the register set apart */

enum rnd_kind { RND_JUNK, RND_NUM, RND_STR, RND_MEM };

struct rnd_reg {
	enum rnd_kind kind;
	uint32_t size; /* MEM: bytes; STR: bytes known to be there, or 0 */
	bool own;      /* MEM: scratch */
	bool var;      /* the address is that of a variable's bytes */
};

struct rnd {
	uint64_t state;
	const struct dif_tab *tab;
	unsigned engines;
	unsigned steps; /* still to be made */
	struct rnd_reg r[DIF_NREGS];
	uint32_t ntext, nint, nstr, nvar;
	dif_instr_t text[TEXT_CAP];
	uint64_t ints[INT_CAP];
	char strs[STR_CAP];
	struct dif_var vars[VAR_CAP];
};

/* ---- chance -------------------------------------------------------------- */

/* splitmix64 */
static inline uint64_t
rnd_next(struct rnd *g)
{
	uint64_t z = g->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static inline uint32_t
rnd_below(struct rnd *g, uint32_t n)
{
	return (uint32_t)(rnd_next(g) % n);
}

static inline bool
one_in(struct rnd *g, uint32_t n)
{
	return rnd_below(g, n) == 0;
}

/* Small numbers, bounds of types, and anything. */
static inline uint64_t
rnd_value(struct rnd *g)
{
	static const uint64_t edges[] = {
		0, 1, 2, 7, 8, 10, 63, 64, 100, 255, 256, 4096,
		0x7f, 0x80, 0x7fff, 0x8000, 0x7fffffff, 0x80000000,
		0xffffffff, 0x100000000, INT64_MAX, (uint64_t)INT64_MIN,
		(uint64_t)-1, (uint64_t)-2, (uint64_t)-128,
	};

	switch (rnd_below(g, 4)) {
	case 0: return rnd_next(g);
	case 1: return rnd_below(g, 20);
	case 2: return -(uint64_t)rnd_below(g, 20);
	default:
		return edges[rnd_below(g, sizeof(edges) / sizeof(*edges))];
	}
}

/* ---- emitting ------------------------------------------------------------ */

static inline void
emit(struct rnd *g, dif_instr_t i)
{
	g->text[g->ntext++] = i;
}

static inline void
emit_r(struct rnd *g, unsigned op, unsigned r1, unsigned r2, unsigned rd)
{
	emit(g, DIF_INSTR_R(op, r1, r2, rd));
}

static inline void
emit_setx(struct rnd *g, uint64_t v, unsigned rd)
{
	g->ints[g->nint] = v;
	emit(g, DIF_INSTR_W(DIF_OP_SETX, g->nint++, rd));
}

static inline bool
room(const struct rnd *g)
{
	return g->ntext + 2 * STEP_TEXT < TEXT_CAP &&
	       g->nint + STEP_TEXT < INT_CAP && g->nstr + 1024 < STR_CAP;
}

static inline void
set_kind(struct rnd *g, unsigned r, enum rnd_kind kind)
{
	g->r[r] = (struct rnd_reg){ .kind = kind };
}

/* A register of this kind, or 0 (which is also the NUM that always is). */
static inline unsigned
pick(struct rnd *g, enum rnd_kind kind)
{
	unsigned at = rnd_below(g, SUM);

	for (unsigned i = 0; i < SUM; i++) {
		unsigned r = (at + i) % SUM;
		if (r != 0 && g->r[r].kind == kind)
			return r;
	}
	return 0;
}

static inline unsigned
pick_dst(struct rnd *g)
{
	return 1 + rnd_below(g, SUM - 1);
}

/* Any register but this one. */
static inline unsigned
pick_other(struct rnd *g, unsigned not)
{
	unsigned r = pick_dst(g);

	return r != not ? r : r == SUM - 1 ? 1 : r + 1;
}

/* A step has made the number in d. */
static inline void
made_num(struct rnd *g, unsigned d)
{
	set_kind(g, d, RND_NUM);
	emit_r(g, DIF_OP_SUB, d, SUM, SUM);
}

/* A register that holds a number: mostly one that is there. */
static inline unsigned
want_num(struct rnd *g)
{
	unsigned r = pick(g, RND_NUM);

	if (r != 0 && !one_in(g, 4))
		return r;
	r = pick_dst(g);
	emit_setx(g, rnd_value(g), r);
	set_kind(g, r, RND_NUM);
	return r;
}

static inline void
literal(struct rnd *g, unsigned rd)
{
	static const char alphabet[] = "abAB/./_ z09:-x+\t\x80\xff@[`{";
	uint32_t len = one_in(g, 6) ? 40 + rnd_below(g, 60)
				    : rnd_below(g, 12);
	uint32_t off = g->nstr;

	for (uint32_t i = 0; i < len; i++)
		g->strs[g->nstr++] =
			alphabet[rnd_below(g, sizeof(alphabet) - 1)];
	g->strs[g->nstr++] = '\0';
	emit(g, DIF_INSTR_W(DIF_OP_SETS, off, rd));
	set_kind(g, rd, RND_STR);
	g->r[rd].size = len + 1;
}

static inline unsigned
want_str(struct rnd *g)
{
	unsigned r = pick(g, RND_STR);

	if (r != 0 && !one_in(g, 4))
		return r;
	r = pick_dst(g);
	literal(g, r);
	return r;
}

/* An address that is bad for kernel and user alike. */
static inline uint64_t
bad_address(struct rnd *g)
{
	static const uint64_t addrs[] = { 0, 8, 0x10, 0x800,
					  0x8000000000000000u,
					  0x0123456789abcd00u };

	return addrs[rnd_below(g, sizeof(addrs) / sizeof(*addrs))];
}

/* dif_random_call.c: the call of some subroutine, with its arguments. */
void dif_random_call(struct rnd *g);

#endif
