/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * usdt_arg_aarch64.c - an operand in the syntax of AArch64:
 *
 *	5  #5				constant
 *	x0 w1 sp			register, or its lower half
 *	d3 s3 v3 q3			vector register
 *	[x0] [sp, 16] [x19, x20]	memory
 */
#include "prov/usdt_arg.h"

#include <string.h>

static const char not_one[] = "it is no operand of this processor's";

/* A register's number and size, of letter `wide` or `narrow`; false: none. */
static bool
numbered(const char *s, const char *end, int64_t *n)
{
	s++;
	return s < end && *s >= '0' && *s <= '9' && usdt_number(&s, end, n) &&
	       s == end && *n < 32;
}

static bool
general(const char *s, const char *end, int64_t *reg, uint8_t *size)
{
	*size = s < end && *s == 'w' ? 4 : 8;
	if (usdt_is("sp", s, end))
		return *reg = DIF_R_SP, true;
	return s < end && (*s == 'x' || *s == 'w') && numbered(s, end, reg) &&
	       *reg != 31;
}

static const char *
operand_register(const char *s, const char *end, struct dif_recipe *r)
{
	uint8_t size;

	if (general(s, end, &r->val, &size)) {
		r->kind = DIF_RCP_UREG;
		if (r->size > size)
			r->size = size;
		return NULL;
	}
	if (strchr("dsvq", *s) == NULL || !numbered(s, end, &r->val))
		return not_one;
	r->kind = DIF_RCP_UVEC;
	return NULL;
}

static const char *
operand_memory(const char *s, const char *end, struct dif_recipe *r)
{
	const char *stop = memchr(s, ',', (size_t)(end - s));
	int64_t reg;
	uint8_t size;

	if (end[-1] != ']')
		return not_one;
	end--;
	r->kind = DIF_RCP_UMEM;
	if (!general(s, stop != NULL ? stop : end, &reg, &size) || size != 8)
		return not_one;
	r->base = (uint8_t)(reg + 1);
	if (stop == NULL)
		return NULL;
	for (s = stop + 1; s < end && (*s == ' ' || *s == '#'); s++)
		;
	if (general(s, end, &reg, &size) && size == 8) {
		r->index = (uint8_t)(reg + 1);
		return NULL;
	}
	return usdt_number(&s, end, &r->val) && s == end ? NULL : not_one;
}

const char *
usdt_operand(const struct usdt_where *w, const char *s, const char *end,
	     struct dif_recipe *r)
{
	const char *p = s < end && *s == '#' ? s + 1 : s;
	int64_t v;

	(void)w;
	if (s == end)
		return not_one;
	if (*s == '[')
		return s + 1 < end ? operand_memory(s + 1, end, r) : not_one;
	if (!usdt_number(&p, end, &v))
		return operand_register(s, end, r);
	if (p != end)
		return not_one;
	r->kind = DIF_RCP_CONST;
	r->val = (int64_t)dif_recipe_part(r, (uint64_t)v);
	r->size = 0;
	r->is_signed = false;
	return NULL;
}
