/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * gen_impl.h - inside the generator: an object in the making (gen_obj.c), and
 * what the files that fill it share.
 */
#ifndef LANG_GEN_GEN_IMPL_H
#define LANG_GEN_GEN_IMPL_H

#include "lang/check/check.h"
#include "lang/gen/gen.h"
#include "lang/tree/dtype.h"

/* A DIF object in the making; all of it in cx->arena. */
struct gen {
	struct compile *cx;
	struct src_loc loc; /* of the expression, for errors */
	uint32_t busy;	    /* registers in use: bit n is %rn */

	dif_instr_t *text;
	uint32_t ntext, captext;
	uint64_t *ints;
	uint32_t nints, capints;
	char *strs;
	uint32_t nstrs, capstrs;
	struct dif_var *vars;
	uint32_t nvars, capvars;
	uint32_t *labels; /* text index, UINT32_MAX: not placed yet */
	uint32_t nlabels, caplabels;
	bool destructive, kernel; /* as in struct dif_obj */
	/* Registers: there were not enough (the text is of no use); values that
	   wait do so in memory; how many do at present. */
	bool overflow, spill;
	uint32_t nheld;
	/* A variable whose address is taken to be 0 for now: gen_mem.c. */
	const struct node *base;
};

/* ---- gen_obj.c ---------------------------------------------------------- */

struct gen *gobj_new(struct compile *cx, struct src_loc loc);
void gobj_emit(struct gen *g, dif_instr_t i);
/* Indexes in the tables of integers and strings, shared between equals. */
uint32_t gobj_int(struct gen *g, uint64_t val);
uint32_t gobj_str(struct gen *g, const char *s, size_t len);
/* Note the use of a variable; flags: DIF_VF_*. */
void gobj_builtin(struct gen *g, const struct dif_builtin_info *b,
		  struct type *type);
void gobj_uvar(struct gen *g, const struct dif_uvar *v, uint16_t flags);
/* Labels are branched to before they are placed: DIF has no loops. */
uint32_t gobj_label(struct gen *g);
void gobj_branch(struct gen *g, enum dif_op op, uint32_t label);
void gobj_place(struct gen *g, uint32_t label);
/*
 * Registers.  alloc sets g->overflow if there is none, and fails the compile
 * with D_NOREG if there is none although g->spill is set; free of %r0 is
 * nothing.
 */
int greg_alloc(struct gen *g);
void greg_free(struct gen *g, int r);
/*
 * Between hold and resume the code of next is made, and the value in r waits:
 * in its register, or, if g->spill is set, in a hidden clause-local variable.
 * resume returns the register that has the value.  Holds nest.
 */
struct held {
	int reg;
	const struct dif_uvar *var; /* NULL: the value is in reg */
};
void greg_hold(struct gen *g, int r, const struct node *next, struct held *h);
int greg_resume(struct gen *g, struct held *h);
/* Validated, in the program's arena. */
struct dif_obj *gobj_finish(struct gen *g, struct dif_type rtype);

static inline void
gen_r3(struct gen *g, enum dif_op op, int r1, int r2, int rd)
{
	gobj_emit(g, DIF_INSTR_R(op, r1, r2, rd));
}

static inline void
gen_r2(struct gen *g, enum dif_op op, int r1, int rd)
{
	gobj_emit(g, DIF_INSTR_R(op, r1, 0, rd));
}

/* ---- gen.c -------------------------------------------------------------- */

/* What a register has above the width of its value's type. */
enum gen_form {
	FORM_NORMAL, /* the type's sign or zeros */
	FORM_WIDE,   /* more of the value, as operators leave it */
	FORM_JUNK    /* nothing that means anything */
};
/*
 * The value of a node in a register that the caller frees.  It may be %r0,
 * which must not be written; gen_own() gives one that may.
 */
int gen_raw(struct gen *g, struct node *n, enum gen_form *f);
/* The same, never junk. */
int gen_value(struct gen *g, struct node *n);
/* The value as something of type t keeps it: cut to t. */
int gen_kept(struct gen *g, struct node *n, struct type *t);
/* The code of a node for its effect alone. */
void gen_effect(struct gen *g, struct node *n);
int gen_own(struct gen *g, int r);
int gen_int(struct gen *g, uint64_t val);
/* Make the register hold the normal form of type t. */
int gen_normal(struct gen *g, int r, struct type *t);
/* An operator's value as something of type t keeps it. */
int gen_cut(struct gen *g, int r, struct type *t);
int gen_arith(struct gen *g, int op, int l, int r, struct type *t);

/* ---- gen_mem.c: variables, memory, tuples ------------------------------- */

int gen_var(struct gen *g, struct node *n);
int gen_builtin(struct gen *g, struct node *n, enum gen_form *f);
int gen_call(struct gen *g, struct node *n);
int gen_load(struct gen *g, struct node *n);
int gen_addr(struct gen *g, struct node *n);
int gen_assign(struct gen *g, struct node *n);
/* A struct in r that is no variable's value is zeros from now on. */
void gen_not_null(struct gen *g, int r, struct type *t);
/* l op= r, giving the old value if old is true. */
int gen_update(struct gen *g, struct node *n, bool old);
/* Put the value of an object like n at addr: a scalar, bits, bytes. */
void gen_store(struct gen *g, const struct node *n, int val, int addr);
/* An array, what a pointer leads to or a string as an array or string member in
   memory that is zero. */
void gen_store_array(struct gen *g, struct type *to, struct type *from,
		     int val, int addr);
/* gen_xlate.c */
int gen_xlate(struct gen *g, struct node *n);

#endif
