/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dif_fmt.c - formats of printf() and printa() taken apart.
 *
 * A format is a list of conversions, each with the literal text before it and
 * a last one (DIF_CONV_LITERAL) for the text at the end, if any.  "%%" is
 * text.  Nothing here knows types: the compiler checks arguments against the
 * class of each conversion, the consumer prints by the same list.
 */
#include "dif/dif_fmt.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

static const struct fmt_conv {
	const char *name;
	enum dif_conv_class cls;
} fmt_convs[] = {
	{ "wc", DIF_CONV_INT },	  { "ws", DIF_CONV_STR },
	{ "d", DIF_CONV_INT },	  { "i", DIF_CONV_INT },
	{ "o", DIF_CONV_INT },	  { "u", DIF_CONV_INT },
	{ "x", DIF_CONV_INT },	  { "X", DIF_CONV_INT },
	{ "c", DIF_CONV_INT },	  { "C", DIF_CONV_INT },
	{ "p", DIF_CONV_PTR },	  { "e", DIF_CONV_FLOAT },
	{ "E", DIF_CONV_FLOAT },  { "f", DIF_CONV_FLOAT },
	{ "g", DIF_CONV_FLOAT },  { "G", DIF_CONV_FLOAT },
	{ "s", DIF_CONV_STR },	  { "S", DIF_CONV_STR },
	{ "a", DIF_CONV_KADDR },  { "A", DIF_CONV_UADDR },
	{ "Y", DIF_CONV_TIME },	  { "T", DIF_CONV_TIME },
	{ "k", DIF_CONV_STACK },  { "I", DIF_CONV_INET },
	{ "P", DIF_CONV_INET },
};

/* The longest size modifier first. */
static const char *const fmt_sizes[] = { "ll", "l", "hh", "h", "L" };

struct fmt_scan {
	const char *p;
	size_t num; /* of the present conversion, from 1 */
	struct err *e;
};

/* Copy text up to the next conversion, "%%" made "%"; -1: no memory. */
static int
fmt_text(struct arena *a, struct fmt_scan *f, struct dif_conv *c)
{
	const char *p = f->p;
	size_t n = 0;
	char *text = arena_alloc(a, strlen(p) + 1);

	if (text == NULL)
		return err_nomem(f->e);
	while (*p != '\0' && (*p != '%' || p[1] == '%')) {
		p += *p == '%';
		text[n++] = *p++;
	}
	c->text = text;
	c->text_len = n;
	f->p = p;
	return 0;
}

static void
fmt_flags(struct fmt_scan *f, struct dif_conv *c)
{
	for (;; f->p++) {
		switch (*f->p) {
		case '\'': c->f_thousands = true; break;
		case '-': c->f_left = true; break;
		case '+': c->f_plus = true; break;
		case ' ': c->f_space = true; break;
		case '#': c->f_alt = true; break;
		case '0': c->f_zero = true; break;
		case '@': c->agg = true; break;
		default: return;
		}
	}
}

/* A number, "*", or nothing. */
static int
fmt_read_number(struct fmt_scan *f, int *out)
{
	int v = 0;

	if (*f->p == '*') {
		f->p++;
		*out = DIF_FMT_STAR;
		return 0;
	}
	for (; isdigit((unsigned char)*f->p); f->p++) {
		if (v > (INT_MAX - 9) / 10)
			return err_set(f->e, &ERR_GENERIC, 0,
				       "format conversion #%zu: width or "
				       "precision is too large", f->num);
		v = v * 10 + (*f->p - '0');
	}
	*out = v;
	return 0;
}

static int
fmt_width(struct fmt_scan *f, struct dif_conv *c)
{
	c->width = c->prec = DIF_FMT_NONE_GIVEN;
	if (*f->p == '?') {
		f->p++;
		c->width = DIF_FMT_PTRWIDTH;
	} else if (*f->p == '*' || isdigit((unsigned char)*f->p)) {
		if (fmt_read_number(f, &c->width) != 0)
			return -1;
	}
	if (*f->p != '.')
		return 0;
	f->p++;
	return fmt_read_number(f, &c->prec); /* "." alone is ".0", as in C */
}

static int
fmt_name(struct fmt_scan *f, struct dif_conv *c)
{
	for (size_t i = 0; i < sizeof(fmt_sizes) / sizeof(*fmt_sizes); i++) {
		size_t n = strlen(fmt_sizes[i]);
		if (strncmp(f->p, fmt_sizes[i], n) == 0) {
			memcpy(c->size, fmt_sizes[i], n);
			f->p += n;
			break;
		}
	}
	for (size_t i = 0; i < sizeof(fmt_convs) / sizeof(*fmt_convs); i++) {
		size_t n = strlen(fmt_convs[i].name);
		if (strncmp(f->p, fmt_convs[i].name, n) == 0) {
			memcpy(c->conv, fmt_convs[i].name, n);
			c->cls = fmt_convs[i].cls;
			f->p += n;
			return 0;
		}
	}
	return -1;
}

static int
fmt_conv(struct fmt_scan *f, struct dif_conv *c)
{
	const char *start = f->p++; /* the "%" */
	size_t room;

	fmt_flags(f, c);
	if (fmt_width(f, c) != 0)
		return -1;
	if (*f->p == '@') { /* "%15@d" is written as often as "%@15d" */
		c->agg = true;
		f->p++;
	}
	if (fmt_name(f, c) == 0)
		return 0;
	if (*f->p == '\0')
		return err_set(f->e, &ERR_GENERIC, 0,
			       "format conversion #%zu (%s) is not complete",
			       f->num, start);
	room = (size_t)(f->p - start) + 1;
	return err_set(f->e, &ERR_GENERIC, 0,
		       "format conversion #%zu (%.*s) is not a conversion of "
		       "printf() or printa()", f->num, (int)room, start);
}

static size_t
fmt_count(const char *p)
{
	size_t n = 1;

	for (; *p != '\0'; p++)
		n += *p == '%';
	return n;
}

struct dif_fmt *
dif_fmt_parse(struct arena *a, const char *fmt, struct err *e)
{
	struct fmt_scan f = { .p = fmt, .e = e };
	struct dif_fmt *r = arena_alloc(a, sizeof(*r));

	if (r == NULL ||
	    (r->conv = arena_calloc(a, fmt_count(fmt), sizeof(*r->conv))) ==
		    NULL) {
		err_nomem(e);
		return NULL;
	}
	while (*f.p != '\0') {
		struct dif_conv *c = &r->conv[r->nconv];
		c->width = c->prec = DIF_FMT_NONE_GIVEN;
		if (fmt_text(a, &f, c) != 0)
			return NULL;
		f.num = ++r->nconv;
		c->at = (size_t)(f.p - fmt);
		if (*f.p != '\0' && fmt_conv(&f, c) != 0) {
			e->loc.col = (int)c->at + 1;
			return NULL;
		}
	}
	return r;
}
