/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_fmt_conv.c - the conversions of printf() and printa().
 *
 * Widths count bytes, as in C.  Integers are converted here and not by C's
 * printf(), because their size is that of the recorded value and not what the
 * format says (h, l and ll are accepted and mean nothing), and because `'`
 * groups by thousands in every locale.
 */
#include "lib/dt_demangle.h"
#include "lib/dt_out.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <locale.h>
#include <netdb.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

/* Beyond this a width is an accident, and would only eat memory. */
#define WIDTH_MAX (1 << 26)

static int
conv_mismatch(const struct dif_conv *c, const char *what, struct err *e)
{
	return err_set(e, &ERR_GENERIC, 0,
		       "format conversion %%%s cannot print %s", c->conv, what);
}

static const char *
kind_name(const struct dt_val *v)
{
	switch (v->kind) {
	case DT_VAL_INT:
		return "an integer";
	case DT_VAL_FLOAT:
		return "a floating-point number";
	case DT_VAL_STR:
		return "a string";
	case DT_VAL_BYTES:
		return "a structure or array";
	case DT_VAL_KSTACK:
	case DT_VAL_USTACK:
		return "a stack";
	case DT_VAL_SYM:
		return "a symbol";
	}
	return "this value";
}

/* ---- padding ----------------------------------------------------------- */

static void
put_blanks(struct buf *b, int n)
{
	if (n > 0)
		buf_printf(b, "%*s", n, "");
}

/* n bytes of text, cut to the precision and padded to the width. */
static void
put_text(struct buf *b, const struct dif_conv *c, int width, int prec,
	 const void *p, size_t n)
{
	int fill;

	if (prec >= 0 && (size_t)prec < n)
		n = (size_t)prec;
	fill = width > 0 && n < (size_t)width ? width - (int)n : 0;
	if (!c->f_left)
		put_blanks(b, fill);
	buf_write(b, p, n);
	if (c->f_left)
		put_blanks(b, fill);
}

/* ---- integers ---------------------------------------------------------- */

/* Digits of v, last first; returns how many.  None for 0. */
static size_t
digits(uint64_t v, unsigned base, bool upper, char *out)
{
	const char *set = upper ? "0123456789ABCDEF" : "0123456789abcdef";
	size_t n = 0;

	for (; v != 0; v /= base)
		out[n++] = set[v % base];
	return n;
}

/* What stands between thousands: the locale's, or a comma. */
static const char *
thousands_sep(void)
{
	const char *s = localeconv()->thousands_sep;

	return s != NULL && *s != '\0' ? s : ",";
}

/* An integer to be printed: v is its absolute value. */
struct number {
	uint64_t v;
	bool neg, is_signed, upper;
	unsigned base;
};

/* What stands before the digits: a sign, or the base. */
static const char *
number_lead(const struct dif_conv *c, const struct number *num)
{
	if (num->neg)
		return "-";
	if (num->is_signed && c->f_plus)
		return "+";
	if (num->is_signed && c->f_space)
		return " ";
	if (c->f_alt && num->base == 16 && num->v != 0)
		return num->upper ? "0X" : "0x";
	return "";
}

/* n digits from rev, after zeros; sep (or "") between groups of three. */
static void
put_digits(struct buf *b, const char *rev, size_t n, size_t zeros,
	   const char *sep)
{
	for (size_t i = n + zeros; i-- > 0;) {
		buf_putc(b, i < n ? rev[i] : '0');
		if (i > 0 && i % 3 == 0)
			buf_puts(b, sep);
	}
}

static void
put_number(struct buf *b, const struct dif_conv *c, int width, int prec,
	   const struct number *num)
{
	char rev[72];
	const char *lead = number_lead(c, num), *sep = "";
	size_t n = digits(num->v, num->base, num->upper, rev);
	size_t zeros = prec >= 0 ? (size_t)prec : 1, total, fill;

	zeros = zeros > n ? zeros - n : 0;
	if (c->f_alt && num->base == 8 && zeros == 0)
		zeros = n == 0 || rev[n - 1] != '0';
	if (c->f_thousands && num->base == 10)
		sep = thousands_sep();
	total = strlen(lead) + zeros + n;
	if (n + zeros > 0)
		total += (n + zeros - 1) / 3 * strlen(sep);
	fill = width > 0 && total < (size_t)width ? (size_t)width - total : 0;

	if (!c->f_left && !(c->f_zero && prec < 0))
		put_blanks(b, (int)fill);
	buf_puts(b, lead);
	if (!c->f_left && c->f_zero && prec < 0)
		for (; fill > 0; fill--) /* these are not grouped */
			buf_putc(b, '0');
	put_digits(b, rev, n, zeros, sep);
	if (c->f_left)
		put_blanks(b, (int)fill);
}

/* An unsigned one. */
static void
put_unsigned(struct buf *b, const struct dif_conv *c, int width, int prec,
	     uint64_t v, unsigned base)
{
	const struct number num = { .v = v,
				    .base = base,
				    .upper = c->conv[0] == 'X' };

	put_number(b, c, width, prec, &num);
}

static void
put_decimal(struct buf *b, const struct dif_conv *c, int width, int prec,
	    const struct dt_val *v)
{
	bool neg = v->is_signed && (int64_t)v->num < 0;
	const struct number num = { .v = neg ? -v->num : v->num,
				    .neg = neg,
				    .is_signed = true,
				    .base = 10 };

	put_number(b, c, width, prec, &num);
}

/* The low `size` bytes, as an unsigned number. */
static uint64_t
narrow(const struct dt_val *v)
{
	return v->size >= 8 || v->size == 0
		       ? v->num
		       : v->num & ((UINT64_C(1) << (v->size * 8)) - 1);
}

size_t
dt_escape(unsigned char ch, char out[8])
{
	static const char from[] = "\a\b\f\n\r\t\v", to[] = "abfnrtv";
	const char *p;

	if (isprint(ch)) {
		out[0] = (char)ch;
		return 1;
	}
	if (ch == '\0')
		return (size_t)snprintf(out, 8, "\\0");
	p = strchr(from, ch);
	if (p != NULL)
		return (size_t)snprintf(out, 8, "\\%c", to[p - from]);
	return (size_t)snprintf(out, 8, "\\%03o", ch);
}

/* A wide character as UTF-8; what is no character as U+FFFD. */
static size_t
utf8(uint32_t w, char out[4])
{
	if (w > 0x10ffff || (w >= 0xd800 && w < 0xe000))
		w = 0xfffd;
	if (w < 0x80) {
		out[0] = (char)w;
		return 1;
	}
	if (w < 0x800) {
		out[0] = (char)(0xc0 | w >> 6);
		out[1] = (char)(0x80 | (w & 0x3f));
		return 2;
	}
	if (w < 0x10000) {
		out[0] = (char)(0xe0 | w >> 12);
		out[1] = (char)(0x80 | (w >> 6 & 0x3f));
		out[2] = (char)(0x80 | (w & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | w >> 18);
	out[1] = (char)(0x80 | (w >> 12 & 0x3f));
	out[2] = (char)(0x80 | (w >> 6 & 0x3f));
	out[3] = (char)(0x80 | (w & 0x3f));
	return 4;
}

static void
put_char(struct buf *b, const struct dif_conv *c, int width, uint64_t v)
{
	char text[8];
	size_t n = 1;

	if (c->conv[0] == 'w')
		n = utf8((uint32_t)v, text);
	else if (c->conv[0] == 'C')
		n = dt_escape((unsigned char)v, text);
	else
		text[0] = (char)v;
	put_text(b, c, width, DIF_FMT_NONE_GIVEN, text, n);
}

static int
conv_int(struct dt_out *o, const struct dif_conv *c, int width, int prec,
	 const struct dt_val *v, struct err *e)
{
	struct buf *b = &o->text;

	if (v->kind != DT_VAL_INT)
		return conv_mismatch(c, kind_name(v), e);
	switch (c->conv[0]) {
	case 'd':
	case 'i':
		put_decimal(b, c, width, prec, v);
		return 0;
	case 'o':
		put_unsigned(b, c, width, prec, narrow(v), 8);
		return 0;
	case 'u':
		put_unsigned(b, c, width, prec, narrow(v), 10);
		return 0;
	case 'x':
	case 'X':
		put_unsigned(b, c, width, prec, narrow(v), 16);
		return 0;
	default: /* c C wc */
		put_char(b, c, width, v->num);
		return 0;
	}
}

static int
conv_ptr(struct dt_out *o, const struct dif_conv *c, int width, int prec,
	 const struct dt_val *v, struct err *e)
{
	if (v->kind != DT_VAL_INT && v->kind != DT_VAL_SYM)
		return conv_mismatch(c, kind_name(v), e);
	put_unsigned(&o->text, c, width, prec, narrow(v), 16);
	return 0;
}

/* ---- floats ------------------------------------------------------------ */

static int
conv_float(struct dt_out *o, const struct dif_conv *c, int width, int prec,
	   const struct dt_val *v, struct err *e)
{
	char fmt[24];
	long double ld;

	if (v->kind != DT_VAL_FLOAT)
		return conv_mismatch(c, kind_name(v), e);
	if (!dt_val_float(v->p, v->n, &ld))
		return conv_mismatch(c, "a number of this size", e);
	snprintf(fmt, sizeof(fmt), "%%%s%s%s%s%s%s*.*L%c",
		 c->f_thousands ? "'" : "", c->f_left ? "-" : "",
		 c->f_plus ? "+" : "", c->f_space ? " " : "",
		 c->f_alt ? "#" : "", c->f_zero ? "0" : "", c->conv[0]);
	buf_printf(&o->text, fmt, width > 0 ? width : 0, prec, ld);
	return 0;
}

/* ---- strings ----------------------------------------------------------- */

static void
put_escaped(struct dt_out *o, const struct dif_conv *c, int width, int prec,
	    const uint8_t *p, size_t n)
{
	struct buf b = BUF_INIT;
	char text[8];

	for (size_t i = 0; i < n; i++)
		buf_write(&b, text, dt_escape(p[i], text));
	o->text.failed |= b.failed;
	put_text(&o->text, c, width, prec, buf_str(&b), b.n);
	buf_fini(&b);
}

static void
put_wide(struct dt_out *o, const struct dif_conv *c, int width, int prec,
	 const uint8_t *p, size_t n)
{
	struct buf b = BUF_INIT;
	char text[4];
	uint32_t w;

	for (; n >= sizeof(w); p += sizeof(w), n -= sizeof(w)) {
		memcpy(&w, p, sizeof(w));
		if (w == 0)
			break;
		buf_write(&b, text, utf8(w, text));
	}
	o->text.failed |= b.failed;
	put_text(&o->text, c, width, prec, buf_str(&b), b.n);
	buf_fini(&b);
}

static int
conv_str(struct dt_out *o, const struct dif_conv *c, int width, int prec,
	 const struct dt_val *v, struct err *e)
{
	size_t n = v->n;

	if (prec == 0) /* unlike C: as if none were given */
		prec = DIF_FMT_NONE_GIVEN;
	if (v->kind != DT_VAL_STR && v->kind != DT_VAL_SYM &&
	    v->kind != DT_VAL_BYTES)
		return conv_mismatch(c, kind_name(v), e);
	if (c->conv[0] == 'w' && v->kind == DT_VAL_BYTES) {
		put_wide(o, c, width, prec, v->p, n);
		return 0;
	}
	if (v->kind == DT_VAL_BYTES)
		n = strnlen((const char *)v->p, n);
	if (c->conv[0] == 'S')
		put_escaped(o, c, width, prec, v->p, n);
	else
		put_text(&o->text, c, width, prec, v->p, n);
	return 0;
}

/* %#s and %#S: names that type_info of C++ has, as the source writes them. */
static int
conv_type_name(struct dt_out *o, const struct dif_conv *c, int width, int prec,
	       const struct dt_val *v, struct err *e)
{
	struct dif_conv plain = *c;
	struct dt_val type = *v;
	struct buf b = BUF_INIT;
	int rc;

	plain.f_alt = false;
	if (v->kind == DT_VAL_STR) {
		dt_demangle_type((const char *)v->p, v->n, &b);
		type.p = (const uint8_t *)buf_str(&b);
		type.n = b.n;
	}
	o->text.failed |= b.failed;
	rc = conv_str(o, &plain, width, prec, &type, e);
	buf_fini(&b);
	return rc;
}

/* ---- addresses, times, the network ------------------------------------- */

/* %a and %A: an address, or what sym(), uaddr() and so on recorded. */
static int
conv_addr(struct dt_out *o, const struct dif_conv *c, int width, int prec,
	  const struct dt_val *v, struct err *e)
{
	struct buf b = BUF_INIT;

	if (v->kind == DT_VAL_SYM) {
		put_text(&o->text, c, width, prec, v->p, v->n);
		return 0;
	}
	if (v->kind != DT_VAL_INT)
		return conv_mismatch(c, kind_name(v), e);
	if (c->cls == DIF_CONV_KADDR)
		dt_sym_kaddr(&o->syms, narrow(v), DT_SYM_OFF, &b);
	else
		dt_sym_uaddr(&o->syms, o->target, narrow(v), DT_SYM_OFF, &b);
	o->text.failed |= b.failed;
	put_text(&o->text, c, width, prec, buf_str(&b), b.n);
	buf_fini(&b);
	return 0;
}

/*
 * %Y is "2004 Jul 20 13:26:30", %T "Tue, 20 Jul 2004 13:26:30 UTC".  Names are
 * English in every locale: scripts cut these columns.
 */
static int
conv_time(struct dt_out *o, const struct dif_conv *c, int width, int prec,
	  const struct dt_val *v, struct err *e)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	static const char days[] = "SunMonTueWedThuFriSat";
	int64_t ns = (int64_t)v->num;
	time_t t;
	struct tm tm;
	char text[96];
	int n;

	if (v->kind != DT_VAL_INT)
		return conv_mismatch(c, kind_name(v), e);
	t = (time_t)(ns / 1000000000 - (ns % 1000000000 < 0));
	if (localtime_r(&t, &tm) == NULL)
		return conv_mismatch(c, "a time so far away", e);
	if (c->conv[0] == 'Y')
		n = snprintf(text, sizeof(text), "%d %.3s %2d %02d:%02d:%02d",
			     tm.tm_year + 1900, months + 3 * tm.tm_mon,
			     tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
	else
		n = snprintf(text, sizeof(text),
			     "%.3s, %02d %.3s %d %02d:%02d:%02d %s",
			     days + 3 * tm.tm_wday, tm.tm_mday,
			     months + 3 * tm.tm_mon, tm.tm_year + 1900,
			     tm.tm_hour, tm.tm_min, tm.tm_sec, tm.tm_zone);
	put_text(&o->text, c, width, prec, text, (size_t)n);
	return 0;
}

/* %P: the service of a port in network order, or its number. */
static int
conv_port(struct dt_out *o, const struct dif_conv *c, int width, int prec,
	  const struct dt_val *v, struct err *e)
{
	struct servent se, *res = NULL;
	char mem[1024], num[8];
	uint16_t port = (uint16_t)v->num;
	const char *s = num;

	if (v->kind != DT_VAL_INT)
		return conv_mismatch(c, kind_name(v), e);
	snprintf(num, sizeof(num), "%u", ntohs(port));
	if (getservbyport_r(port, NULL, &se, mem, sizeof(mem), &res) == 0 &&
	    res != NULL)
		s = res->s_name;
	put_text(&o->text, c, width, prec, s, strlen(s));
	return 0;
}

/* The socket address in a value: text, or 4 or 16 bytes. */
static bool
inet_addr_of(const struct dt_val *v, struct sockaddr_storage *ss,
	     socklen_t *len)
{
	struct sockaddr_in *in = (struct sockaddr_in *)ss;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ss;
	char text[INET6_ADDRSTRLEN + 1] = "";
	bool is4 = false, is6 = false;

	memset(ss, 0, sizeof(*ss));
	if (v->kind == DT_VAL_STR && v->n < sizeof(text)) {
		memcpy(text, v->p, v->n);
		is4 = inet_pton(AF_INET, text, &in->sin_addr) == 1;
		is6 = !is4 && inet_pton(AF_INET6, text, &in6->sin6_addr) == 1;
	} else if (v->kind == DT_VAL_INT && v->size == 4) {
		/* ipaddr_t: the bytes in memory are in network order. */
		in->sin_addr.s_addr = (in_addr_t)v->num;
		is4 = true;
	} else if (v->kind == DT_VAL_BYTES && v->n == 4) {
		memcpy(&in->sin_addr, v->p, 4);
		is4 = true;
	} else if (v->kind == DT_VAL_BYTES && v->n == 16) {
		memcpy(&in6->sin6_addr, v->p, 16);
		is6 = true;
	}
	ss->ss_family = is6 ? AF_INET6 : AF_INET;
	*len = is6 ? sizeof(*in6) : sizeof(*in);
	return is4 || is6;
}

/* %I: the name of the host with this address, or the address. */
static int
conv_host(struct dt_out *o, const struct dif_conv *c, int width, int prec,
	  const struct dt_val *v, struct err *e)
{
	struct sockaddr_storage ss;
	socklen_t len;
	char host[NI_MAXHOST];

	if (!inet_addr_of(v, &ss, &len)) {
		if (v->kind != DT_VAL_STR)
			return conv_mismatch(c, kind_name(v), e);
		put_text(&o->text, c, width, prec, v->p, v->n);
		return 0;
	}
	if (getnameinfo((struct sockaddr *)&ss, len, host, sizeof(host), NULL,
			0, 0) != 0)
		return conv_mismatch(c, "this address", e);
	put_text(&o->text, c, width, prec, host, strlen(host));
	return 0;
}

/* %k: a stack; the width, if given, is its indentation. */
static int
conv_stack(struct dt_out *o, const struct dif_conv *c, int width,
	   const struct dt_val *v, struct err *e)
{
	if (v->kind != DT_VAL_KSTACK && v->kind != DT_VAL_USTACK)
		return conv_mismatch(c, kind_name(v), e);
	dt_print_stack(o, v, width > 0 ? width : o->stackindent);
	return 0;
}

int
dt_conv_print(struct dt_out *o, const struct dif_conv *c, int width, int prec,
	      const struct dt_val *v, struct err *e)
{
	if (width > WIDTH_MAX || prec > WIDTH_MAX)
		return err_set(e, &ERR_GENERIC, 0,
			       "width or precision %d of format conversion "
			       "%%%s is too large",
			       width > prec ? width : prec, c->conv);
	switch (c->cls) {
	case DIF_CONV_LITERAL:
		return 0;
	case DIF_CONV_INT:
		return conv_int(o, c, width, prec, v, e);
	case DIF_CONV_PTR:
		return conv_ptr(o, c, width, prec, v, e);
	case DIF_CONV_FLOAT:
		return conv_float(o, c, width, prec, v, e);
	case DIF_CONV_STR:
		return c->f_alt ? conv_type_name(o, c, width, prec, v, e) :
				  conv_str(o, c, width, prec, v, e);
	case DIF_CONV_KADDR:
	case DIF_CONV_UADDR:
		return conv_addr(o, c, width, prec, v, e);
	case DIF_CONV_TIME:
		return conv_time(o, c, width, prec, v, e);
	case DIF_CONV_STACK:
		return conv_stack(o, c, width, v, e);
	case DIF_CONV_INET:
		return c->conv[0] == 'P' ? conv_port(o, c, width, prec, v, e)
					 : conv_host(o, c, width, prec, v, e);
	}
	return conv_mismatch(c, kind_name(v), e);
}
