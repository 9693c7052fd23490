/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fuzz_fmt.c - any bytes as a format with its arguments: the format ends at
 * the first NUL, what follows is a record of fields of every kind.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/dt_out.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NFIELDS 8
#define FIELD 16

static int
sink(void *arg, const char *s, size_t n)
{
	return 0;
}

/* Field i: its kind is the format's length plus i, so that all meet all. */
static void
field(struct dif_expr *x, size_t i, size_t kind)
{
	memset(x, 0, sizeof(*x));
	x->off = (uint32_t)(i * FIELD);
	x->size = kind % 4 < 2 ? 8 : FIELD;
	x->type.size = x->size;
	switch (kind % 4) {
	case 0:
		x->type.ckind = DIF_CK_INT;
		x->type.flags = DIF_TF_SIGNED;
		break;
	case 1:
		x->type.ckind = DIF_CK_FLOAT;
		break;
	case 2:
		x->type.kind = DIF_TYPE_STRING;
		break;
	default:
		x->src = DIF_SRC_USTACK;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = memchr(data, '\0', size);
	uint8_t rec[NFIELDS * FIELD] = { 0 };
	struct dif_expr x[NFIELDS];
	struct dif_stmt st = { .kind = DIF_ACT_PRINTF, .exprs = x };
	struct dt_out o;
	struct err e = { 0 };
	size_t rest;

	if (nul == NULL || dt_out_init(&o, &e) != 0)
		return 0;
	rest = size - (size_t)(nul - data) - 1;
	memcpy(rec, nul + 1, rest < sizeof(rec) ? rest : sizeof(rec));
	for (size_t i = 0; i < NFIELDS; i++)
		field(&x[i], i, (size_t)(nul - data) + i * 3);
	st.nexprs = NFIELDS;
	st.fmt = (const char *)data;
	o.write = sink;
	dt_out_stmt(&o, NULL, &st, rec, &e);
	dt_out_fini(&o);
	return 0;
}
