/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dif_fmt.h - formats of printf() and printa(), parsed once: the compiler
 * checks arguments against the result, the consumer prints by it.
 * Grammar: %[flags][width][.precision][size]conversion, as d(5) has it.
 */
#ifndef DIF_DIF_FMT_H
#define DIF_DIF_FMT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

enum dif_conv_class { /* what argument a conversion takes */
	DIF_CONV_LITERAL, /* none: text only, or %% */
	DIF_CONV_INT,	  /* d i o u x X c C wc */
	DIF_CONV_PTR,	  /* p */
	DIF_CONV_FLOAT,	  /* e E f g G */
	DIF_CONV_STR,	  /* s S ws */
	DIF_CONV_KADDR,	  /* a */
	DIF_CONV_UADDR,	  /* A */
	DIF_CONV_TIME,	  /* Y T */
	DIF_CONV_STACK,	  /* k */
	DIF_CONV_INET,	  /* I P */
};

#define DIF_FMT_NONE_GIVEN (-1)
#define DIF_FMT_STAR (-2) /* width or precision given by an argument */
#define DIF_FMT_PTRWIDTH 16 /* width '?' */

struct dif_conv {
	const char *text; /* literal text before the conversion, unescaped % */
	size_t text_len;
	size_t at; /* where its % is in the format */
	enum dif_conv_class cls;
	char conv[3];	  /* "d", "wc" ...; "" for a trailing literal */
	bool f_thousands, f_left, f_plus, f_space, f_alt, f_zero;
	bool agg;	  /* %@: the aggregation's value (printa) */
	int width, prec;
	char size[3];	  /* "", "h", "l", "ll", "L" */
};

struct dif_fmt {
	struct dif_conv *conv;
	size_t nconv;
};

/* NULL with *e (generic tag; the caller knows the better one) if malformed;
   e->loc.col says which byte of it the conversion begins with, from 1. */
struct dif_fmt *dif_fmt_parse(struct arena *a, const char *fmt, struct err *e);

#endif
