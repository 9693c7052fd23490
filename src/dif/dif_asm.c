/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dif_asm.c - DIF from text, for tests.
 *
 * One instruction a line, as dif_disasm() prints it; the index and word in
 * front ("00: 25000001") and a comment behind ("! ...") may stay.  `name:`
 * alone on a line is a label that branches may name instead of an index.
 * Besides the printed forms, what one writes by hand is understood:
 *
 *   setx 42, %r1          the number is put into the integer table
 *   sets "abc", %r1       the string is put into the string table
 *   ldgs arg0, %r1        a built-in variable, or one of .var, by name
 *   call strlen, %r1      a subroutine by name
 *
 * Directives:
 *   .int N                         the next integer
 *   .str "text"                    the next string
 *   .var NAME ID KIND SCOPE TYPE   KIND scl, arr; SCOPE glb, tls, loc
 *   .ret TYPE                      the object's type; int 8 if not given
 *
 * TYPE is `void`, `int N`, `uint N`, `string N` (0: strsize) or `ref N`.
 * The result is not validated.
 */
#include "dif/dif.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct asm_label {
	const char *name;
	uint32_t at; /* of the label, or of the branch that wants it */
};

typedef VEC(struct asm_label) asm_labels;

struct asm_cx {
	struct arena *a;
	struct err *e;
	const char *p; /* in the present line */
	int line;
	VEC(dif_instr_t) text;
	VEC(uint64_t) ints;
	VEC(struct dif_var) vars;
	asm_labels labels, uses;
	struct buf strs;
	struct dif_type rtype;
};

static int
asm_bad(struct asm_cx *c, const char *what)
{
	return err_set(c->e, &ERR_GENERIC, 0, "line %d: %s at \"%s\"", c->line,
		       what, c->p);
}

/* ---- words --------------------------------------------------------------- */

static void
skip_blanks(struct asm_cx *c)
{
	while (*c->p == ' ' || *c->p == '\t')
		c->p++;
}

static bool
eat(struct asm_cx *c, const char *s)
{
	size_t n = strlen(s);

	skip_blanks(c);
	if (strncmp(c->p, s, n) != 0)
		return false;
	c->p += n;
	return true;
}

static int
asm_need(struct asm_cx *c, const char *s)
{
	char what[32];

	if (eat(c, s))
		return 0;
	snprintf(what, sizeof(what), "expected %s", s);
	return asm_bad(c, what);
}

static int
number(struct asm_cx *c, uint64_t *out)
{
	char *end;

	skip_blanks(c);
	if (*c->p == '-')
		*out = (uint64_t)strtoll(c->p, &end, 0);
	else
		*out = strtoull(c->p, &end, 0);
	if (end == c->p)
		return asm_bad(c, "expected a number");
	c->p = end;
	return 0;
}

static int
number_to(struct asm_cx *c, uint64_t most, unsigned *out)
{
	uint64_t v;

	if (number(c, &v) != 0)
		return -1;
	if (v > most)
		return asm_bad(c, "number is too large");
	*out = (unsigned)v;
	return 0;
}

/* An identifier in the arena, or NULL without an error. */
static const char *
word(struct asm_cx *c)
{
	const char *s;

	skip_blanks(c);
	s = c->p;
	while (isalnum((unsigned char)*c->p) || *c->p == '_')
		c->p++;
	return c->p == s ? NULL : arena_strndup(c->a, s, (size_t)(c->p - s));
}

static int
reg(struct asm_cx *c, unsigned *r)
{
	return asm_need(c, "%r") != 0 ? -1 : number_to(c, 255, r);
}

/* ", %rN" */
static int
next_reg(struct asm_cx *c, unsigned *r)
{
	return asm_need(c, ",") != 0 ? -1 : reg(c, r);
}

/* prefix N suffix, as in DT_VAR(262) */
static int
indexed(struct asm_cx *c, const char *suffix, uint64_t most, unsigned *out)
{
	return number_to(c, most, out) != 0 ? -1 : asm_need(c, suffix);
}

static char
asm_escape(struct asm_cx *c)
{
	int v = 0;

	switch (*c->p) {
	case 'n': c->p++; return '\n';
	case 't': c->p++; return '\t';
	default:
		if (*c->p < '0' || *c->p > '7')
			return *c->p == '\0' ? '\0' : *c->p++;
	}
	for (int i = 0; i < 3 && *c->p >= '0' && *c->p <= '7'; i++)
		v = v * 8 + (*c->p++ - '0');
	return (char)v;
}

/* "text" to the string table; its offset. */
static int
string(struct asm_cx *c, unsigned *off)
{
	*off = (unsigned)c->strs.n;
	if (asm_need(c, "\"") != 0)
		return -1;
	while (*c->p != '"') {
		if (*c->p == '\0')
			return asm_bad(c, "string without end");
		char ch = *c->p++;
		buf_putc(&c->strs, ch == '\\' ? asm_escape(c) : ch);
	}
	c->p++;
	buf_putc(&c->strs, '\0');
	return 0;
}

/* ---- operands ------------------------------------------------------------ */

static int
setx_index(struct asm_cx *c, unsigned *idx)
{
	uint64_t v;

	if (eat(c, "DT_INTEGER["))
		return indexed(c, "]", 0xffff, idx);
	if (number(c, &v) != 0)
		return -1;
	*idx = (unsigned)c->ints.n;
	return vec_push(&c->ints, v) ? 0 : err_nomem(c->e);
}

static int
sets_index(struct asm_cx *c, unsigned *idx)
{
	if (eat(c, "DT_STRING["))
		return indexed(c, "]", 0xffff, idx);
	return string(c, idx);
}

static int
var_index(struct asm_cx *c, uint64_t most, unsigned *id)
{
	const struct dif_builtin_info *b;
	const char *name;

	if (eat(c, "DT_VAR("))
		return indexed(c, ")", most, id);
	name = word(c);
	if (name == NULL)
		return asm_bad(c, "expected a variable");
	for (size_t i = 0; i < c->vars.n; i++)
		if (strcmp(c->strs.p + c->vars.v[i].name, name) == 0) {
			*id = c->vars.v[i].id;
			return 0;
		}
	b = dif_builtin_by_name(name);
	if (b == NULL || b->id > most)
		return asm_bad(c, "no such variable");
	*id = b->id;
	return 0;
}

static int
subr_index(struct asm_cx *c, unsigned *id)
{
	const struct dif_subr_info *s;
	const char *name;

	if (eat(c, "DIF_SUBR("))
		return indexed(c, ")", 0xffff, id);
	name = word(c);
	s = name == NULL ? NULL : dif_subr_by_name(name);
	if (s == NULL)
		return asm_bad(c, "no such subroutine");
	*id = s->id;
	return 0;
}

/* A label gets its place when all lines are read. */
static int
target(struct asm_cx *c, unsigned *label)
{
	struct asm_label use = { .at = (uint32_t)c->text.n };

	skip_blanks(c);
	if (isdigit((unsigned char)*c->p))
		return number_to(c, 0xffffff, label);
	use.name = word(c);
	if (use.name == NULL)
		return asm_bad(c, "expected a label");
	*label = 0;
	return vec_push(&c->uses, use) ? 0 : err_nomem(c->e);
}

/* The operands of one instruction; *i is the whole word then. */
static int
operands(struct asm_cx *c, unsigned op, dif_instr_t *i)
{
	unsigned a = 0, b = 0, d = 0;

	switch (dif_op_info[op].fmt) {
	case DIF_FMT_NONE:
		break;
	case DIF_FMT_R3:
		if (reg(c, &a) || next_reg(c, &b) || next_reg(c, &d))
			return -1;
		break;
	case DIF_FMT_R2:
		if (reg(c, &a) || next_reg(c, &d))
			return -1;
		break;
	case DIF_FMT_CMP:
		if (reg(c, &a) || next_reg(c, &b))
			return -1;
		break;
	case DIF_FMT_TST:
		if (reg(c, &a))
			return -1;
		break;
	case DIF_FMT_LD:
		if (asm_need(c, "[") || reg(c, &a) || asm_need(c, "]") ||
		    next_reg(c, &d))
			return -1;
		break;
	case DIF_FMT_ST:
		if (reg(c, &a) || asm_need(c, ",") || asm_need(c, "[") ||
		    reg(c, &d) || asm_need(c, "]"))
			return -1;
		break;
	case DIF_FMT_RET:
		if (reg(c, &d))
			return -1;
		break;
	case DIF_FMT_BR:
		if (target(c, &a))
			return -1;
		*i = DIF_INSTR_B(op, a);
		return 0;
	case DIF_FMT_LDA:
		if (var_index(c, 0xff, &a) || next_reg(c, &b) ||
		    next_reg(c, &d))
			return -1;
		break;
	case DIF_FMT_PUSH:
		if (asm_need(c, "DT_TYPE(") || indexed(c, ")", 255, &a) ||
		    next_reg(c, &b) || next_reg(c, &d))
			return -1;
		break;
	case DIF_FMT_SETX: case DIF_FMT_SETS: case DIF_FMT_LDV:
	case DIF_FMT_STV: case DIF_FMT_CALL: case DIF_FMT_XL:
		switch (dif_op_info[op].fmt) {
		case DIF_FMT_SETX: a = (unsigned)setx_index(c, &b); break;
		case DIF_FMT_SETS: a = (unsigned)sets_index(c, &b); break;
		case DIF_FMT_CALL: a = (unsigned)subr_index(c, &b); break;
		case DIF_FMT_XL:
			a = (unsigned)(asm_need(c, "DT_XLREF[") ||
				       indexed(c, "]", 0xffff, &b));
			break;
		default: a = (unsigned)var_index(c, 0xffff, &b); break;
		}
		if (a != 0 || next_reg(c, &d))
			return -1;
		if (b > 0xffff)
			return asm_bad(c, "index is too large");
		*i = DIF_INSTR_W(op, b, d);
		return 0;
	case DIF_FMT_BAD:
		return asm_bad(c, "no such instruction");
	}
	*i = DIF_INSTR_R(op, a, b, d);
	return 0;
}

/* ---- lines --------------------------------------------------------------- */

static int
instruction(struct asm_cx *c, const char *mnem)
{
	dif_instr_t i = 0;

	for (unsigned op = 0; op < 256; op++) {
		if (dif_op_info[op].mnem == NULL ||
		    strcmp(dif_op_info[op].mnem, mnem) != 0)
			continue;
		if (operands(c, op, &i) != 0)
			return -1;
		return vec_push(&c->text, i) ? 0 : err_nomem(c->e);
	}
	return asm_bad(c, "no such instruction");
}

static int
type(struct asm_cx *c, struct dif_type *t)
{
	static const struct {
		const char *name;
		struct dif_type t;
	} types[] = {
		{ "void", { 0, DIF_CK_VOID, 0, 0, 0 } },
		{ "int", { 0, DIF_CK_INT, DIF_TF_SIGNED, 0, 0 } },
		{ "uint", { 0, DIF_CK_INT, 0, 0, 0 } },
		{ "string",
		  { DIF_TYPE_STRING, DIF_CK_STRING, DIF_TF_BYREF, 0, 0 } },
		{ "ref", { 0, DIF_CK_STRUCT, DIF_TF_BYREF, 0, 0 } },
	};
	const char *name = word(c);

	for (size_t i = 0; name != NULL && i < sizeof(types) / sizeof(*types);
	     i++) {
		if (strcmp(types[i].name, name) != 0)
			continue;
		*t = types[i].t;
		return i == 0 ? 0 : number_to(c, UINT32_MAX, &t->size);
	}
	return asm_bad(c, "expected a type");
}

/* One of the words of a list: its place there. */
static int
choice(struct asm_cx *c, const char *const *words, size_t n, uint8_t *out)
{
	const char *w = word(c);

	for (size_t i = 0; w != NULL && i < n; i++)
		if (strcmp(words[i], w) == 0) {
			*out = (uint8_t)i;
			return 0;
		}
	return asm_bad(c, "unknown word");
}

static int
variable(struct asm_cx *c)
{
	static const char *const kinds[] = { "arr", "scl" };
	static const char *const scopes[] = { "glb", "tls", "loc" };
	struct dif_var v = { .flags = DIF_VF_REF | DIF_VF_MOD };
	const char *name = word(c);

	if (name == NULL)
		return asm_bad(c, "expected a name");
	if (number_to(c, UINT32_MAX, &v.id) != 0 ||
	    choice(c, kinds, 2, &v.kind) != 0 ||
	    choice(c, scopes, 3, &v.scope) != 0 || type(c, &v.type) != 0)
		return -1;
	v.name = (uint32_t)c->strs.n;
	buf_write(&c->strs, name, strlen(name) + 1);
	return vec_push(&c->vars, v) ? 0 : err_nomem(c->e);
}

static int
directive(struct asm_cx *c)
{
	unsigned off;
	uint64_t v;

	if (eat(c, ".int"))
		return number(c, &v) != 0	 ? -1
		       : vec_push(&c->ints, v) ? 0
					       : err_nomem(c->e);
	if (eat(c, ".str"))
		return string(c, &off);
	if (eat(c, ".var"))
		return variable(c);
	if (eat(c, ".ret"))
		return type(c, &c->rtype);
	return asm_bad(c, "unknown directive");
}

/* "00: 25000001    " in front of an instruction. */
static void
skip_prefix(struct asm_cx *c)
{
	const char *p = c->p;

	while (isdigit((unsigned char)*p))
		p++;
	if (p == c->p || *p != ':')
		return;
	c->p = p + 1;
	skip_blanks(c);
	c->p += strspn(c->p, "0123456789abcdef");
}

static int
asm_line(struct asm_cx *c)
{
	const char *w;
	int rc;

	skip_blanks(c);
	skip_prefix(c);
	skip_blanks(c);
	if (*c->p == '\0' || *c->p == '!' || strncmp(c->p, "OFF ", 4) == 0)
		return 0;
	if (*c->p == '.')
		rc = directive(c);
	else if ((w = word(c)) == NULL)
		return asm_bad(c, "expected an instruction");
	else if (*c->p == ':') {
		c->p++;
		rc = vec_push(&c->labels, ((struct asm_label){
						  w, (uint32_t)c->text.n }))
			     ? 0
			     : err_nomem(c->e);
	} else
		rc = instruction(c, w);
	skip_blanks(c);
	if (rc == 0 && *c->p != '\0' && *c->p != '!')
		return asm_bad(c, "unexpected text");
	return rc;
}

/* The lines up to the table of variables that dif_disasm() prints. */
static int
asm_lines(struct asm_cx *c, const char *text)
{
	while (*text != '\0') {
		size_t n = strcspn(text, "\n");

		c->line++;
		c->p = arena_strndup(c->a, text, n);
		if (c->p == NULL)
			return err_nomem(c->e);
		if (strncmp(c->p, "NAME ", 5) == 0)
			return 0;
		if (asm_line(c) != 0)
			return -1;
		text += n + (text[n] == '\n');
	}
	return 0;
}

static int
asm_resolve(struct asm_cx *c)
{
	for (size_t u = 0; u < c->uses.n; u++) {
		size_t l = 0;
		while (l < c->labels.n &&
		       strcmp(c->labels.v[l].name, c->uses.v[u].name) != 0)
			l++;
		if (l == c->labels.n)
			return err_set(c->e, &ERR_GENERIC, 0, "no label %s",
				       c->uses.v[u].name);
		c->text.v[c->uses.v[u].at] |= c->labels.v[l].at;
	}
	return 0;
}

static struct dif_obj *
asm_object(struct asm_cx *c)
{
	struct dif_obj *o = arena_alloc(c->a, sizeof(*o));

	if (o == NULL || c->strs.failed) {
		err_nomem(c->e);
		return NULL;
	}
	o->text = arena_memdup(c->a, c->text.v, c->text.n * sizeof(*o->text));
	o->ntext = (uint32_t)c->text.n;
	o->inttab = arena_memdup(c->a, c->ints.v, c->ints.n * 8);
	o->nint = (uint32_t)c->ints.n;
	o->vartab = arena_memdup(c->a, c->vars.v,
				 c->vars.n * sizeof(*o->vartab));
	o->nvar = (uint32_t)c->vars.n;
	o->strtab = arena_memdup(c->a, c->strs.p, c->strs.n);
	o->strlen = (uint32_t)c->strs.n;
	o->rtype = c->rtype;
	if (o->text != NULL && o->inttab != NULL && o->vartab != NULL &&
	    o->strtab != NULL)
		return o;
	err_nomem(c->e);
	return NULL;
}

struct dif_obj *
dif_asm(struct arena *a, const char *text, struct err *e)
{
	struct asm_cx c = {
		.a = a,
		.e = e,
		.strs = BUF_INIT,
		.rtype = { .ckind = DIF_CK_INT, .flags = DIF_TF_SIGNED,
			   .size = 8 },
	};
	struct dif_obj *o = NULL;

	buf_putc(&c.strs, '\0');
	if (asm_lines(&c, text) == 0 && asm_resolve(&c) == 0)
		o = asm_object(&c);
	vec_fini(&c.text);
	vec_fini(&c.ints);
	vec_fini(&c.vars);
	vec_fini(&c.labels);
	vec_fini(&c.uses);
	buf_fini(&c.strs);
	return o;
}
