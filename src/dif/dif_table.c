/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dif_table.c - the .def files as tables, and the look-ups in them.
 *
 * A fact about the language is one row of one .def file; here the rows become
 * arrays in the order of the file.  The tables are short, and nothing looks
 * things up by name while probes fire, so a look-up is a plain walk.
 */
#include "dif/dif.h"

#include <string.h>

#define NITEMS(t) (sizeof(t) / sizeof((t)[0]))

const struct dif_op_info dif_op_info[256] = {
#define OP(num, NAME, mnem, fmt, scope, faults) \
	[num] = { mnem, DIF_FMT_##fmt, DIF_SCOPE_##scope, DIF_FAULTS_##faults },
#include "dif/op.def"
#undef OP
};

bool
dif_op_writes_rd(unsigned op)
{
	switch (dif_op_info[op].fmt) {
	case DIF_FMT_R3:
	case DIF_FMT_R2:
	case DIF_FMT_LD:
	case DIF_FMT_SETX:
	case DIF_FMT_SETS:
	case DIF_FMT_LDV:
	case DIF_FMT_LDA:
	case DIF_FMT_CALL:
		return op != DIF_OP_COPYS;
	default:
		return false;
	}
}

/* An engine serves a variable unless its column says NO. */
#define HOW_RT(eng)   DIF_ENG_##eng
#define HOW_OWN(eng)  DIF_ENG_##eng
#define HOW_HOST(eng) DIF_ENG_##eng
#define HOW_ZERO(eng) DIF_ENG_##eng
#define HOW_NO(eng)   DIF_ENG_NONE

/* "VAR" of the .def file says ARRAY, SCALAR or ARGS. */
const struct dif_builtin_info dif_builtins[] = {
#define VAR(id, name, type, kind, bound, i, k, p, needs, stab, what)       \
	{ id,	 #name,                                                     \
	  type,	 DIF_BK_##kind,                                             \
	  bound, (unsigned)HOW_##i(I) | (unsigned)HOW_##k(K) | HOW_##p(P), \
	  DIF_NEED_##needs, stab, what },
#include "dif/var.def"
#undef VAR
};
const size_t dif_nbuiltins = NITEMS(dif_builtins);

/* Lets a row of subr.def say 0 where others name a flag. */
#define DIF_SUBR_F_0 0u
const struct dif_subr_info dif_subrs[] = {
#define SUBR(id, name, proto, eng, flags, needs) \
	{ id, #name, proto, DIF_ENG_##eng, DIF_SUBR_F_##flags, \
	  DIF_NEED_##needs },
#include "dif/subr.def"
#undef SUBR
};
const size_t dif_nsubrs = NITEMS(dif_subrs);

const struct dif_act_info dif_acts[] = {
#define ACT(code, NAME, name, class, proto, eng) \
	{ code, name, DIF_AC_##class, proto, DIF_ENG_##eng },
#include "dif/act.def"
#undef ACT
};
const size_t dif_nacts = NITEMS(dif_acts);

static const struct dif_absent {
	const char *name, *why;
} dif_absents[] = {
#define ACT(code, NAME, name, class, proto, eng)
#define NOACT(name, why) { name, why },
#include "dif/act.def"
#undef ACT
};

const struct dif_aggword_info dif_aggwords[DIF_NAGGWORDS] = {
#define AGGWORD(NAME, words, start, what) \
	[DIF_AW_##NAME] = { words, (uint64_t)(start) },
#include "dif/aggword.def"
#undef AGGWORD
};

#define W1(a)	    { DIF_AW_##a }
#define W2(a, b)    { DIF_AW_##a, DIF_AW_##b }
#define W3(a, b, c) { DIF_AW_##a, DIF_AW_##b, DIF_AW_##c }
#define HIST_FIRST  false
#define HIST_OWN    false
#define HIST_HIST   true
#define BOUNDS_NO   false
#define BOUNDS_OWN  true
const struct dif_agg_info dif_aggfuncs[] = {
#define AGG(code, name, words, map, shown, bounds, min, max, proto)     \
	{ code,		   #name,   words,   DIF_MAP_##map, HIST_##shown, \
	  BOUNDS_##bounds, min > 0, min,     max,	    proto },
#include "dif/agg.def"
#undef AGG
};
#undef W1
#undef W2
#undef W3
const size_t dif_naggfuncs = NITEMS(dif_aggfuncs);

#define FROM(what) DIF_FROM_##what
const struct dif_site_info dif_sites[DIF_NSITES] = {
#define SITE(NAME, where_, key_, gives_, eng, text_)                      \
	[DIF_SITE_##NAME] = { .name = #NAME,                              \
			      .text = text_,                              \
			      .where = DIF_AT_##where_,                   \
			      .key = DIF_KEY_##key_,                      \
			      .gives = gives_,                            \
			      .engines = DIF_ENG_##eng },
#include "dif/site.def"
#undef SITE
};

const struct dif_recipe_info dif_recipe_info[DIF_NRECIPES] = {
#define RCP(NAME, from, eng, text) \
	[DIF_RCP_##NAME] = { text, FROM(from), DIF_ENG_##eng },
#include "dif/recipe.def"
#undef RCP
};

static const struct dif_fault_row {
	uint32_t num;
	const char *text;
	enum dif_fault_value value;
} dif_faults[] = {
#define FAULT(num, NAME, text, value) { num, text, value },
#include "dif/fault.def"
#undef FAULT
};

/* One walk for all the tables: the first row whose field matches. */
#define FIND(table, n, cond)                      \
	do {                                      \
		for (size_t i = 0; i < (n); i++)  \
			if (cond)                 \
				return &table[i]; \
		return NULL;                      \
	} while (0)

const struct dif_builtin_info *
dif_builtin_by_id(uint32_t id)
{
	FIND(dif_builtins, dif_nbuiltins, dif_builtins[i].id == id);
}

const struct dif_builtin_info *
dif_builtin_by_name(const char *name)
{
	FIND(dif_builtins, dif_nbuiltins,
	     strcmp(dif_builtins[i].name, name) == 0);
}

const struct dif_subr_info *
dif_subr_by_id(uint32_t id)
{
	FIND(dif_subrs, dif_nsubrs, dif_subrs[i].id == id);
}

const struct dif_subr_info *
dif_subr_by_name(const char *name)
{
	FIND(dif_subrs, dif_nsubrs, strcmp(dif_subrs[i].name, name) == 0);
}

unsigned
dif_instr_needs(dif_instr_t i)
{
	/* The scans of engines ask for every instruction. */
	static const uint32_t var[DIF_VAR_USER_MIN] = {
#define VAR(id, name, type, kind, bound, i, k, p, needs, stab, what) \
	[id] = DIF_NEED_##needs,
#include "dif/var.def"
#undef VAR
	};
	static const uint32_t subr[DIF_SUBR_MAX] = {
#define SUBR(id, name, proto, eng, flags, needs) [id] = DIF_NEED_##needs,
#include "dif/subr.def"
#undef SUBR
	};
	uint32_t id = DIF_OP(i) == DIF_OP_LDGA ? DIF_R1(i) : DIF_IDX(i);

	switch (DIF_OP(i)) {
	case DIF_OP_LDGS:
	case DIF_OP_LDGA:
		return id < DIF_VAR_USER_MIN ? var[id] : 0;
	case DIF_OP_CALL:
		return id < DIF_SUBR_MAX ? subr[id] : 0;
	default:
		return 0;
	}
}

const char *
dif_subr_missing(const char *name)
{
	static const struct {
		const char *name, *why;
	} missing[] = {
#define SUBR(id, name, proto, eng, flags, needs)
#define NOSUBR(name, why) { #name, why },
#include "dif/subr.def"
#undef SUBR
	};

	for (size_t i = 0; i < NITEMS(missing); i++)
		if (strcmp(missing[i].name, name) == 0)
			return missing[i].why;
	return NULL;
}

const struct dif_act_info *
dif_act_by_code(uint32_t code)
{
	FIND(dif_acts, dif_nacts, dif_acts[i].code == code);
}

bool
dif_act_shows(uint32_t kind)
{
	const struct dif_act_info *a = dif_act_by_code(kind);

	return kind == DIF_ACT_TRACE || (a != NULL && a->cls == DIF_AC_KEY);
}

const struct dif_act_info *
dif_act_by_name(const char *name)
{
	FIND(dif_acts, dif_nacts, strcmp(dif_acts[i].name, name) == 0);
}

const char *
dif_act_absent(const char *name)
{
	for (size_t i = 0; i < NITEMS(dif_absents); i++)
		if (strcmp(dif_absents[i].name, name) == 0)
			return dif_absents[i].why;
	return NULL;
}

const struct dif_agg_info *
dif_agg_by_code(uint32_t code)
{
	/* In order, and asked for at firings of the consumer. */
	size_t at = code - dif_aggfuncs[0].code;

	return at < dif_naggfuncs ? &dif_aggfuncs[at] : NULL;
}

bool
dif_agg_starts(uint32_t func)
{
	const struct dif_agg_info *f = dif_agg_by_code(func);

	for (unsigned i = 0; f != NULL && i < DIF_AGG_NWORDS; i++)
		if (dif_aggwords[f->word[i]].start != 0)
			return true;
	return false;
}

bool
dif_stmt_counts(const struct dif_tab *tab, const struct dif_stmt *st)
{
	return DIF_ACT_IS_AGG(st->kind) && st->nexprs == st->nkeys &&
	       tab->aggs[st->agg]->func == DIF_AGG_count;
}

const struct dif_agg_info *
dif_agg_by_name(const char *name)
{
	FIND(dif_aggfuncs, dif_naggfuncs,
	     strcmp(dif_aggfuncs[i].name, name) == 0);
}

static const struct dif_fault_row *
dif_fault_row(uint32_t fault)
{
	FIND(dif_faults, NITEMS(dif_faults), dif_faults[i].num == fault);
}

const char *
dif_fault_text(uint32_t fault)
{
	const struct dif_fault_row *r = dif_fault_row(fault);

	return r == NULL ? "unknown fault" : r->text;
}

enum dif_fault_value
dif_fault_value(uint32_t fault)
{
	const struct dif_fault_row *r = dif_fault_row(fault);

	return r != NULL ? r->value : DIF_FV_NONE;
}
