/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dif_disasm.c - DIF as text, in the layout of `dtrace -S`: instructions with
 * their index and word, then the table of variables.  Which operands an
 * instruction has comes from its row in op.def.  Any bytes may be given:
 * nothing here relies on a validated object.  dif_asm() reads it back.
 */
#include "dif/dif.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

static const char *
str_at(const struct dif_obj *o, uint32_t off)
{
	if (o->strtab == NULL || off >= o->strlen ||
	    memchr(o->strtab + off, '\0', o->strlen - off) == NULL)
		return NULL;
	return o->strtab + off;
}

static void
put_string(struct buf *out, const char *s)
{
	buf_putc(out, '"');
	for (; *s != '\0'; s++) {
		if (*s == '\n')
			buf_puts(out, "\\n");
		else if (*s == '\t')
			buf_puts(out, "\\t");
		else if (*s == '"' || *s == '\\')
			buf_printf(out, "\\%c", *s);
		else if (isprint((unsigned char)*s))
			buf_putc(out, *s);
		else
			buf_printf(out, "\\%03o", (unsigned char)*s);
	}
	buf_putc(out, '"');
}

/* ---- names of variables -------------------------------------------------- */

static unsigned
var_scope(unsigned op)
{
	switch (op) {
	case DIF_OP_LDTA: case DIF_OP_LDTS: case DIF_OP_STTS:
	case DIF_OP_LDTAA: case DIF_OP_STTAA:
		return DIF_SCOPE_THREAD;
	case DIF_OP_LDLS: case DIF_OP_STLS:
		return DIF_SCOPE_LOCAL;
	default:
		return DIF_SCOPE_GLOBAL;
	}
}

static const char *
var_name(const struct dif_obj *o, unsigned scope, uint32_t id)
{
	for (uint32_t i = 0; i < o->nvar; i++)
		if (o->vartab[i].id == id && o->vartab[i].scope == scope)
			return str_at(o, o->vartab[i].name);
	const struct dif_builtin_info *b = dif_builtin_by_id(id);
	return b == NULL ? NULL : b->name;
}

static void
put_var(const struct dif_obj *o, unsigned op, uint32_t id, struct buf *out)
{
	static const char *const prefix[] = { "", "self->", "this->" };
	unsigned scope = var_scope(op);
	const char *name = var_name(o, scope, id);

	if (name != NULL)
		buf_printf(out, "\t\t! DT_VAR(%u) = \"%s%s\"", id,
			   prefix[scope], name);
}

/* ---- instructions -------------------------------------------------------- */

static void
put_tables(const struct dif_obj *o, dif_instr_t i, struct buf *out)
{
	uint32_t idx = DIF_IDX(i);

	if (DIF_OP(i) == DIF_OP_SETX) {
		buf_printf(out, "DT_INTEGER[%u], %%r%u", idx, DIF_RD(i));
		if (idx < o->nint)
			buf_printf(out, "\t\t! 0x%" PRIx64, o->inttab[idx]);
		return;
	}
	buf_printf(out, "DT_STRING[%u], %%r%u", idx, DIF_RD(i));
	const char *s = str_at(o, idx);
	if (s != NULL) {
		buf_puts(out, "\t\t! ");
		put_string(out, s);
	}
}

static void
put_operands(const struct dif_obj *o, dif_instr_t i, struct buf *out)
{
	unsigned op = DIF_OP(i), r1 = DIF_R1(i), r2 = DIF_R2(i);
	unsigned rd = DIF_RD(i), idx = DIF_IDX(i);
	const struct dif_subr_info *s;

	switch (dif_op_info[op].fmt) {
	case DIF_FMT_R3:
		buf_printf(out, "%%r%u, %%r%u, %%r%u", r1, r2, rd);
		break;
	case DIF_FMT_R2: buf_printf(out, "%%r%u, %%r%u", r1, rd); break;
	case DIF_FMT_CMP: buf_printf(out, "%%r%u, %%r%u", r1, r2); break;
	case DIF_FMT_TST: buf_printf(out, "%%r%u", r1); break;
	case DIF_FMT_BR: buf_printf(out, "%u", DIF_LABEL(i)); break;
	case DIF_FMT_LD: buf_printf(out, "[%%r%u], %%r%u", r1, rd); break;
	case DIF_FMT_ST: buf_printf(out, "%%r%u, [%%r%u]", r1, rd); break;
	case DIF_FMT_RET: buf_printf(out, "%%r%u", rd); break;
	case DIF_FMT_SETX: case DIF_FMT_SETS: put_tables(o, i, out); break;
	case DIF_FMT_LDV: case DIF_FMT_STV:
		buf_printf(out, "DT_VAR(%u), %%r%u", idx, rd);
		put_var(o, op, idx, out);
		break;
	case DIF_FMT_LDA:
		buf_printf(out, "DT_VAR(%u), %%r%u, %%r%u", r1, r2, rd);
		put_var(o, op, r1, out);
		break;
	case DIF_FMT_CALL:
		buf_printf(out, "DIF_SUBR(%u), %%r%u", idx, rd);
		s = dif_subr_by_id(idx);
		if (s != NULL)
			buf_printf(out, "\t\t! %s", s->name);
		break;
	case DIF_FMT_PUSH:
		buf_printf(out, "DT_TYPE(%u), %%r%u, %%r%u", r1, r2, rd);
		if (r1 == DIF_TYPE_STRING)
			buf_puts(out, "\t\t! DT_TYPE(1) = string");
		break;
	case DIF_FMT_XL:
		buf_printf(out, "DT_XLREF[%u], %%r%u", idx, rd);
		break;
	case DIF_FMT_NONE: case DIF_FMT_BAD: break;
	}
}

static void
put_instr(const struct dif_obj *o, uint32_t at, struct buf *out)
{
	dif_instr_t i = o->text[at];
	const char *mnem = dif_op_info[DIF_OP(i)].mnem;

	buf_printf(out, "%02u: %08x    ", at, i);
	if (mnem == NULL) {
		buf_puts(out, "???\n");
		return;
	}
	if (dif_op_info[DIF_OP(i)].fmt == DIF_FMT_NONE) {
		buf_printf(out, "%s\n", mnem);
		return;
	}
	buf_printf(out, "%-4s ", mnem);
	put_operands(o, i, out);
	buf_putc(out, '\n');
}

/* ---- variables ----------------------------------------------------------- */

void
dif_type_text(const struct dif_type *t, struct buf *out)
{
	static const char *const kinds[] = {
		[DIF_CK_VOID] = "void",	    [DIF_CK_INT] = "integer",
		[DIF_CK_FLOAT] = "float",   [DIF_CK_PTR] = "pointer",
		[DIF_CK_ARRAY] = "array",   [DIF_CK_FUNC] = "function",
		[DIF_CK_STRUCT] = "struct", [DIF_CK_UNION] = "union",
		[DIF_CK_ENUM] = "enum",	    [DIF_CK_STRING] = "unknown",
	};
	const char *kind = t->ckind < sizeof(kinds) / sizeof(*kinds)
				   ? kinds[t->ckind]
				   : "unknown";

	if (t->kind == DIF_TYPE_STRING)
		buf_puts(out, "string (unknown)");
	else
		buf_printf(out, "D type (%s)", kind);
	if ((t->flags & DIF_TF_BYREF) != 0)
		buf_puts(out, " by ref");
	else if ((t->flags & DIF_TF_USER) != 0)
		buf_puts(out, " by user ref");
	buf_printf(out, " (size %u)", t->size);
}

static void
put_varrec(const struct dif_obj *o, const struct dif_var *v, struct buf *out)
{
	static const char *const scopes[] = { "glb", "tls", "loc" };
	static const char *const flags[] = { "", "r", "w", "r/w" };
	const char *name = str_at(o, v->name);

	buf_printf(out, "%-16s %-4x %-3s %-3s %-4s ",
		   name == NULL ? "?" : name, v->id,
		   v->kind == DIF_VK_ARRAY ? "arr" : "scl",
		   v->scope <= DIF_SCOPE_LOCAL ? scopes[v->scope] : "?",
		   flags[v->flags & 3]);
	dif_type_text(&v->type, out);
	buf_putc(out, '\n');
}

void
dif_disasm(const struct dif_obj *o, struct buf *out)
{
	buf_puts(out, "OFF OPCODE      INSTRUCTION\n");
	for (uint32_t i = 0; i < o->ntext; i++)
		put_instr(o, i, out);
	if (o->nvar == 0)
		return;
	buf_puts(out, "\nNAME             ID   KND SCP FLAG TYPE\n");
	for (uint32_t i = 0; i < o->nvar; i++)
		put_varrec(o, &o->vartab[i], out);
}
