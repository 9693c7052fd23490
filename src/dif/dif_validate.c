/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dif_validate.c - everything about a DIF object that engines rely on, checked
 * once, whoever made the object.
 *
 * After it an engine may take for granted: register numbers are in range and
 * r0 is never written; branches go forward and stay inside; the last
 * instruction returns; indexes into the tables are good and strings end;
 * built-in variables and subroutines exist and can be served; every user
 * variable that is used is declared in the object's table with the kind and
 * scope that the instruction implies; unused fields are zero.
 *
 * What is not promised: that a register was written before it is read (it
 * reads as 0 then), that an address is good, that the tuple stack fits.
 */
#include "dif/dif.h"

#include <string.h>

/* By-reference values are copied through bounded buffers: as rt.h bounds. */
#define VALUE_MAX 16384u

struct dif_check {
	const struct dif_obj *o;
	struct err *e;
	uint32_t at; /* present instruction */
};

static int
bad(const struct dif_check *v, const char *rule)
{
	dif_instr_t i = v->o->text[v->at];
	const char *mnem = dif_op_info[DIF_OP(i)].mnem;

	return err_set(v->e, &ERR_GENERIC, 0,
		       "invalid DIF: offset %u (%08x %s): %s", v->at, i,
		       mnem == NULL ? "?" : mnem, rule);
}

static int
bad_obj(const struct dif_check *v, const char *rule)
{
	return err_set(v->e, &ERR_GENERIC, 0, "invalid DIF: %s", rule);
}

/* ---- fields ------------------------------------------------------------ */

static int
check_src(const struct dif_check *v, unsigned reg)
{
	return reg < DIF_NREGS ? 0 : bad(v, "no such register");
}

static int
check_dst(const struct dif_check *v, unsigned reg)
{
	if (reg == 0)
		return bad(v, "%r0 cannot be written");
	return check_src(v, reg);
}

static int
check_zero(const struct dif_check *v, unsigned field)
{
	return field == 0 ? 0 : bad(v, "an unused field is not zero");
}

static int
check_branch(const struct dif_check *v, dif_instr_t i)
{
	uint32_t label = DIF_LABEL(i);

	if (label >= v->o->ntext)
		return bad(v, "branch out of the text");
	if (label <= v->at)
		return bad(v, "backward branch");
	return 0;
}

/* ---- variables --------------------------------------------------------- */

static const struct dif_var *
check_find(const struct dif_obj *o, unsigned scope, uint32_t id)
{
	for (uint32_t i = 0; i < o->nvar; i++)
		if (o->vartab[i].id == id && o->vartab[i].scope == scope)
			return &o->vartab[i];
	return NULL;
}

/* What a variable instruction implies about its variable. */
struct var_use {
	enum dif_scope scope;
	enum dif_var_kind kind;
	bool store;
};

static struct var_use
var_use(unsigned op)
{
	switch (op) {
	case DIF_OP_LDTS:
		return (struct var_use){ DIF_SCOPE_THREAD, DIF_VK_SCALAR, 0 };
	case DIF_OP_STTS:
		return (struct var_use){ DIF_SCOPE_THREAD, DIF_VK_SCALAR, 1 };
	case DIF_OP_LDLS:
		return (struct var_use){ DIF_SCOPE_LOCAL, DIF_VK_SCALAR, 0 };
	case DIF_OP_STLS:
		return (struct var_use){ DIF_SCOPE_LOCAL, DIF_VK_SCALAR, 1 };
	case DIF_OP_LDGAA:
		return (struct var_use){ DIF_SCOPE_GLOBAL, DIF_VK_ARRAY, 0 };
	case DIF_OP_STGAA:
		return (struct var_use){ DIF_SCOPE_GLOBAL, DIF_VK_ARRAY, 1 };
	case DIF_OP_LDTAA:
		return (struct var_use){ DIF_SCOPE_THREAD, DIF_VK_ARRAY, 0 };
	case DIF_OP_STTAA:
		return (struct var_use){ DIF_SCOPE_THREAD, DIF_VK_ARRAY, 1 };
	case DIF_OP_STGS:
		return (struct var_use){ DIF_SCOPE_GLOBAL, DIF_VK_SCALAR, 1 };
	default:
		return (struct var_use){ DIF_SCOPE_GLOBAL, DIF_VK_SCALAR, 0 };
	}
}

static int
check_builtin(const struct dif_check *v, uint32_t id, bool array)
{
	const struct dif_builtin_info *b = dif_builtin_by_id(id);

	if (b == NULL)
		return bad(v, "no such built-in variable");
	if (b->engines == DIF_ENG_NONE)
		return bad(v, "the built-in variable is not served");
	if ((b->kind != DIF_BK_SCALAR) != array)
		return bad(v, "built-in variable of the other kind");
	return 0;
}

static int
check_var(const struct dif_check *v, dif_instr_t i)
{
	struct var_use use = var_use(DIF_OP(i));
	uint32_t id = DIF_IDX(i);

	if (DIF_OP(i) == DIF_OP_LDGS && id < DIF_VAR_USER_MIN) {
		if (id <= DIF_VAR_ARRAY_MAX)
			return bad(v, "scalar load of an array");
		return check_builtin(v, id, false);
	}
	if (id < DIF_VAR_USER_MIN)
		return bad(v, "not a user variable");
	const struct dif_var *var = check_find(v->o, use.scope, id);
	if (var == NULL)
		return bad(v, "variable is not in the variable table");
	if (var->kind != use.kind)
		return bad(v, "variable of the other kind");
	return 0;
}

/* ---- instructions ------------------------------------------------------ */

static int
check_call(const struct dif_check *v, dif_instr_t i)
{
	const struct dif_subr_info *s = dif_subr_by_id(DIF_IDX(i));

	if (s == NULL)
		return bad(v, "no such subroutine");
	if (s->engines == DIF_ENG_NONE)
		return bad(v, "the subroutine is not served");
	if ((s->flags & DIF_SUBR_F_DESTRUCTIVE) != 0 && !v->o->destructive)
		return bad(v, "the object is not marked destructive");
	return check_dst(v, DIF_RD(i));
}

static int
check_push(const struct dif_check *v, dif_instr_t i)
{
	unsigned most = DIF_OP(i) == DIF_OP_PUSHTR ? DIF_TYPE_STRING
						   : DIF_TYPE_CTF;

	if (DIF_R1(i) > most)
		return bad(v, "no such type of tuple entry");
	return check_src(v, DIF_R2(i)) != 0 ? -1 : check_src(v, DIF_RD(i));
}

static int
check_tables(const struct dif_check *v, dif_instr_t i)
{
	if (DIF_OP(i) == DIF_OP_SETX && DIF_IDX(i) >= v->o->nint)
		return bad(v, "integer index out of the table");
	if (DIF_OP(i) == DIF_OP_SETS && DIF_IDX(i) >= v->o->strlen)
		return bad(v, "string offset out of the table");
	return check_dst(v, DIF_RD(i));
}

static int
check_instr(const struct dif_check *v, dif_instr_t i)
{
	unsigned r1 = DIF_R1(i), r2 = DIF_R2(i), rd = DIF_RD(i);

	switch (dif_op_info[DIF_OP(i)].fmt) {
	case DIF_FMT_NONE:
		return check_zero(v, DIF_LABEL(i));
	case DIF_FMT_R3:
		return check_src(v, r1) || check_src(v, r2) ||
		       check_dst(v, rd) ? -1 : 0;
	case DIF_FMT_R2:
	case DIF_FMT_LD:
		return check_src(v, r1) || check_zero(v, r2) ||
		       check_dst(v, rd) ? -1 : 0;
	case DIF_FMT_CMP:
		return check_src(v, r1) || check_src(v, r2) ||
		       check_zero(v, rd) ? -1 : 0;
	case DIF_FMT_TST:
		return check_src(v, r1) || check_zero(v, r2) ||
		       check_zero(v, rd) ? -1 : 0;
	case DIF_FMT_ST:
		/* r0 would be an address: 0 is never writable. */
		return check_src(v, r1) || check_zero(v, r2) ||
		       check_dst(v, rd) ? -1 : 0;
	case DIF_FMT_RET:
		return check_zero(v, r1) || check_zero(v, r2) ||
		       check_src(v, rd) ? -1 : 0;
	case DIF_FMT_BR:
		return check_branch(v, i);
	case DIF_FMT_SETX:
	case DIF_FMT_SETS:
		return check_tables(v, i);
	case DIF_FMT_LDV:
		return check_var(v, i) || check_dst(v, rd) ? -1 : 0;
	case DIF_FMT_STV:
		return check_var(v, i) || check_src(v, rd) ? -1 : 0;
	case DIF_FMT_LDA:
		if (DIF_OP(i) == DIF_OP_LDTA)
			return bad(v, "there are no thread-local arrays of "
				      "that kind");
		return check_builtin(v, r1, true) || check_src(v, r2) ||
		       check_dst(v, rd) ? -1 : 0;
	case DIF_FMT_CALL:
		return check_call(v, i);
	case DIF_FMT_PUSH:
		return check_push(v, i);
	case DIF_FMT_XL:
		return bad(v, "translator references must be resolved before");
	case DIF_FMT_BAD:
		break;
	}
	return bad(v, "no such opcode");
}

/* ---- the object -------------------------------------------------------- */

static bool
type_sound(const struct dif_type *t)
{
	if (t->kind != DIF_TYPE_CTF && t->kind != DIF_TYPE_STRING)
		return false;
	if (t->kind == DIF_TYPE_STRING || (t->flags & DIF_TF_BYREF) != 0)
		return t->size <= VALUE_MAX;
	return t->size == 0 || t->size == 1 || t->size == 2 || t->size == 4 ||
	       t->size == 8;
}

static int
check_strtab(const struct dif_check *v)
{
	const struct dif_obj *o = v->o;

	if (o->strlen == 0)
		return 0;
	if (o->strtab == NULL || o->strtab[0] != '\0')
		return bad_obj(v, "the string table does not start with \"\"");
	if (o->strtab[o->strlen - 1] != '\0')
		return bad_obj(v, "the string table does not end with NUL");
	return 0;
}

static int
check_varrec(const struct dif_check *v, const struct dif_var *var)
{
	if (var->kind > DIF_VK_SCALAR)
		return bad_obj(v, "variable record: unknown kind");
	if (var->scope > DIF_SCOPE_LOCAL)
		return bad_obj(v, "variable record: unknown scope");
	if (var->id > DIF_VAR_MAX)
		return bad_obj(v, "variable record: id is too large");
	if (var->name != 0 && var->name >= v->o->strlen)
		return bad_obj(v, "variable record: name out of the strings");
	if (!type_sound(&var->type))
		return bad_obj(v, "variable record: bad type");
	if (var->id < DIF_VAR_USER_MIN)
		return var->scope == DIF_SCOPE_GLOBAL
			       ? 0
			       : bad_obj(v, "variable record: a built-in "
					    "variable is not global");
	if (var->kind == DIF_VK_ARRAY && var->scope == DIF_SCOPE_LOCAL)
		return bad_obj(v, "variable record: clause-local array");
	if (var->type.kind == DIF_TYPE_CTF &&
	    (var->type.flags & DIF_TF_BYREF) != 0 && var->type.size == 0)
		return bad_obj(v, "variable record: by reference, size 0");
	return 0;
}

static int
check_vartab(const struct dif_check *v)
{
	for (uint32_t i = 0; i < v->o->nvar; i++) {
		const struct dif_var *var = &v->o->vartab[i];
		if (check_varrec(v, var) != 0)
			return -1;
		if (check_find(v->o, var->scope, var->id) != var)
			return bad_obj(v, "variable record: twice the same");
	}
	return 0;
}

int
dif_validate(const struct dif_obj *o, struct err *e)
{
	struct dif_check v = { .o = o, .e = e };

	if (o->ntext == 0)
		return bad_obj(&v, "no instructions");
	if (o->ntext > DIF_TEXT_MAX)
		return bad_obj(&v, "too many instructions");
	if (!type_sound(&o->rtype))
		return bad_obj(&v, "bad return type");
	if (check_strtab(&v) != 0 || check_vartab(&v) != 0)
		return -1;
	for (v.at = 0; v.at < o->ntext; v.at++)
		if (check_instr(&v, o->text[v.at]) != 0)
			return -1;
	v.at = o->ntext - 1;
	if (DIF_OP(o->text[v.at]) != DIF_OP_RET)
		return bad(&v, "the last instruction is not ret");
	return 0;
}
