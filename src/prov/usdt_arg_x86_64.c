/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * usdt_arg_x86_64.c - an operand in AT&T syntax:
 *
 *	$5  $sym+4			constant
 *	%rax %eax %ax %al %ah %xmm3	register, or a part of it
 *	-8(%rbp) (%rax,%rbx,4) (,%rax,8) 1234
 *	sym(%rip) 8+sym(%rip) sym(,%rax,8)	memory
 *	%fs:16 %fs:-8(%rax)	memory of the thread
 *
 * What is at a symbol is given relative to the probe's own address, so that it
 * holds wherever the object is mapped.  An absolute address is one only in
 * programs that are not moved.
 */
#include "prov/usdt_arg.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char not_one[] = "it is no operand of this processor's";

/* ---- registers ----------------------------------------------------------- */

struct part {
	const char *name;
	uint8_t reg, size, shift;
};

#define WORD(R, q, d, w)                            \
	{ q, DIF_R_##R, 8, 0 }, { d, DIF_R_##R, 4, 0 }, \
	{ w, DIF_R_##R, 2, 0 }
#define OLD(R, x)                                                    \
	WORD(R, "r" x "x", "e" x "x", x "x"), { x "l", DIF_R_##R, 1, 0 }, \
	{ x "h", DIF_R_##R, 1, 8 }
#define PTR(R, x) \
	WORD(R, "r" x, "e" x, x), { x "l", DIF_R_##R, 1, 0 }
#define NEW(n)                                                     \
	WORD(R##n, "r" #n, "r" #n "d", "r" #n "w"),                \
	{ "r" #n "b", DIF_R_R##n, 1, 0 }

static const struct part parts[] = {
	OLD(RAX, "a"), OLD(RBX, "b"), OLD(RCX, "c"), OLD(RDX, "d"),
	PTR(RSI, "si"), PTR(RDI, "di"), PTR(RBP, "bp"), PTR(RSP, "sp"),
	NEW(8), NEW(9), NEW(10), NEW(11), NEW(12), NEW(13), NEW(14), NEW(15),
	{ "rip", DIF_R_RIP, 8, 0 },
};

static const struct part *
part_find(const char *s, const char *end)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (usdt_is(parts[i].name, s, end))
			return &parts[i];
	return NULL;
}

/* %xmm0 to %xmm15, and what is longer of the same: the low half is meant. */
static bool
vector_number(const char *s, const char *end, int64_t *n)
{
	if (end - s < 4 || strchr("xyz", s[0]) == NULL ||
	    memcmp(s + 1, "mm", 2) != 0 || !isdigit((unsigned char)s[3]))
		return false;
	s += 3;
	return usdt_number(&s, end, n) && s == end && *n >= 0 && *n < 32;
}

static const char *
operand_register(const char *s, const char *end, struct dif_recipe *r)
{
	const struct part *p = part_find(s, end);
	int64_t n;

	if (p != NULL) {
		r->kind = DIF_RCP_UREG;
		r->val = p->reg;
		r->shift = p->shift;
		if (r->size > p->size)
			r->size = p->size;
		return NULL;
	}
	if (!vector_number(s, end, &n))
		return "there is no such register, or none that can be read";
	if (n > 15)
		return "of the vector registers only 0 to 15 can be read";
	r->kind = DIF_RCP_UVEC;
	r->val = n;
	return NULL;
}

/* ---- numbers and symbols ------------------------------------------------- */

/* What a displacement says. */
struct disp {
	int64_t num;
	bool symbol; /* num is, or is relative to, a link-time address */
};

static bool
is_symbol_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

static const char *
disp_symbol(const struct usdt_where *w, const char **s, const char *end,
	    struct disp *d)
{
	const struct elf_sym *sym;
	const char *from = *s;
	char name[256];

	while (*s < end && is_symbol_char(**s))
		(*s)++;
	if (*s == from || (size_t)(*s - from) >= sizeof(name))
		return not_one;
	if (d->symbol)
		return "it is made from two symbols";
	snprintf(name, sizeof(name), "%.*s", (int)(*s - from), from);
	sym = elf_sym_find(w->elf, name);
	if (sym == NULL)
		return "the file does not say where that symbol is (it is "
		       "stripped)";
	d->num = (int64_t)((uint64_t)d->num + sym->addr);
	d->symbol = true;
	return NULL;
}

/* "sym+8-4", "8+sym", "-8", "": numbers and at most one symbol. */
static const char *
disp_read(const struct usdt_where *w, const char *s, const char *end,
	  struct disp *d)
{
	while (s < end) {
		const char *why;
		int64_t v;

		if (usdt_number(&s, end, &v)) {
			d->num = (int64_t)((uint64_t)d->num + (uint64_t)v);
			continue;
		}
		if (*s == '+')
			s++;
		else if (*s == '-')
			return not_one; /* minus a symbol */
		why = disp_symbol(w, &s, end, d);
		if (why != NULL)
			return why;
		if (s < end && *s != '+' && *s != '-')
			return not_one;
	}
	return NULL;
}

static bool
is_moved(const struct usdt_where *w, const struct disp *d)
{
	return d->symbol && elf_is_pie(w->elf);
}

static const char *
operand_constant(const struct usdt_where *w, const char *s, const char *end,
		 struct dif_recipe *r)
{
	struct disp d = { 0 };
	const char *why = s < end ? disp_read(w, s, end, &d) : not_one;

	if (why != NULL)
		return why;
	if (is_moved(w, &d))
		return "it is an address, and the program may be anywhere";
	r->kind = DIF_RCP_CONST;
	r->val = (int64_t)dif_recipe_part(r, (uint64_t)d.num);
	r->size = 0;
	r->is_signed = false;
	return NULL;
}

/* ---- memory -------------------------------------------------------------- */

/* A base or index at *s, up to a comma or `end`; 0: there is none. */
static const char *
memory_register(const char **s, const char *end, uint8_t *out)
{
	const char *stop = memchr(*s, ',', (size_t)(end - *s));
	const struct part *p;

	if (stop == NULL)
		stop = end;
	*out = 0;
	if (stop != *s) {
		p = **s == '%' ? part_find(*s + 1, stop) : NULL;
		if (p == NULL || p->size != 8)
			return "its address is not in registers that can be "
			       "read";
		*out = (uint8_t)(p->reg + 1);
	}
	*s = stop < end ? stop + 1 : end;
	return NULL;
}

static const char *
memory_scale(const char *s, const char *end, uint8_t *scale)
{
	static const char *const text[] = { "1", "2", "4", "8" };

	*scale = 0;
	if (s == end)
		return NULL;
	for (; *scale < 4; (*scale)++)
		if (usdt_is(text[*scale], s, end))
			return NULL;
	return not_one;
}

/* The address: symbols by the probe's own, where a register has that. */
static const char *
memory_place(const struct usdt_where *w, const struct disp *d,
	     struct dif_recipe *r)
{
	r->val = d->num;
	if (r->fs && (d->symbol || r->base == DIF_BASE(RIP)))
		return not_one;
	if (r->base == DIF_BASE(RIP)) {
		if (!d->symbol || r->index != 0)
			return not_one;
		r->val = (int64_t)((uint64_t)d->num - w->addr);
	} else if (is_moved(w, d)) {
		return "it is at an address, and the program may be anywhere";
	}
	return r->index == DIF_BASE(RIP) || r->index == DIF_BASE(RSP)
		       ? not_one
		       : NULL;
}

static const char *
operand_memory(const struct usdt_where *w, const char *s, const char *end,
	       struct dif_recipe *r)
{
	const char *open = memchr(s, '(', (size_t)(end - s)), *why;
	struct disp d = { 0 };

	r->fs = usdt_begins("%fs:", s, end);
	if (r->fs)
		s += strlen("%fs:");
	if (s < end && *s == '%')
		return "it is relative to a segment register, which cannot be "
		       "read";
	if (s == end)
		return not_one;
	why = disp_read(w, s, open != NULL ? open : end, &d);
	r->kind = DIF_RCP_UMEM;
	if (why == NULL && open != NULL) {
		if (end[-1] != ')')
			return not_one;
		s = open + 1;
		end--;
		why = s == end ? not_one : memory_register(&s, end, &r->base);
		if (why == NULL)
			why = memory_register(&s, end, &r->index);
		if (why == NULL)
			why = memory_scale(s, end, &r->scale);
	}
	return why != NULL ? why : memory_place(w, &d, r);
}

const char *
usdt_operand(const struct usdt_where *w, const char *s, const char *end,
	     struct dif_recipe *r)
{
	if (s == end)
		return not_one;
	if (*s == '$')
		return operand_constant(w, s + 1, end, r);
	if (*s == '%' && memchr(s, ':', (size_t)(end - s)) == NULL)
		return operand_register(s + 1, end, r);
	return operand_memory(w, s, end, r);
}
