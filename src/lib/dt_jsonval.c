/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_jsonval.c - JSON tokens, and values made of them.
 *
 * Strings of D are bytes; JSON's are Unicode.  A byte that is no part of valid
 * UTF-8 is written as the four characters \xNN, so that any output can be
 * read.  64-bit integers are written as they are: readers that keep numbers as
 * doubles lose digits of large ones, as with any JSON.
 */
#include "lib/dt_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_gen.h>

#include "base/utf8.h"
#include "rt/rt_python.h"

/* ---- tokens ------------------------------------------------------------ */

static void
token(struct dt_json *j, yajl_gen_status st)
{
	if (st != yajl_gen_status_ok)
		j->failed = true;
}

void
dt_json_map(struct dt_json *j)
{
	token(j, yajl_gen_map_open(j->gen));
}

void
dt_json_map_end(struct dt_json *j)
{
	token(j, yajl_gen_map_close(j->gen));
}

void
dt_json_array(struct dt_json *j)
{
	token(j, yajl_gen_array_open(j->gen));
}

void
dt_json_array_end(struct dt_json *j)
{
	token(j, yajl_gen_array_close(j->gen));
}

static void
token_str(struct dt_json *j, const void *p, size_t n)
{
	token(j, yajl_gen_string(j->gen, p, n));
}

void
dt_json_key(struct dt_json *j, const char *key)
{
	token_str(j, key, strlen(key));
}

void
dt_json_int(struct dt_json *j, int64_t v)
{
	token(j, yajl_gen_integer(j->gen, v));
}

void
dt_json_uint(struct dt_json *j, uint64_t v)
{
	char s[24];
	int n = snprintf(s, sizeof(s), "%" PRIu64, v);

	token(j, yajl_gen_number(j->gen, s, (size_t)n));
}

/* ---- strings ----------------------------------------------------------- */

void
dt_json_str(struct dt_json *j, const void *s, size_t n)
{
	const uint8_t *p = s;
	struct buf b = BUF_INIT;
	size_t good = utf8_span(p, n);

	if (good == n) {
		token_str(j, p, n);
		return;
	}
	while (n > 0) {
		buf_write(&b, p, good);
		p += good;
		n -= good;
		if (n > 0) {
			buf_printf(&b, "\\x%02x", *p++);
			n--;
		}
		good = utf8_span(p, n);
	}
	j->failed |= b.failed;
	token_str(j, buf_str(&b), b.n);
	buf_fini(&b);
}

void
dt_json_int_member(struct dt_json *j, const char *key, int64_t v)
{
	dt_json_key(j, key);
	dt_json_int(j, v);
}

void
dt_json_uint_member(struct dt_json *j, const char *key, uint64_t v)
{
	dt_json_key(j, key);
	dt_json_uint(j, v);
}

void
dt_json_str_member(struct dt_json *j, const char *key, const char *s)
{
	dt_json_key(j, key);
	dt_json_str(j, s, strlen(s));
}

/* ---- symbols and stacks ------------------------------------------------ */

/* The text of an address, module`name+0xoff, taken apart. */
struct place {
	const char *mod, *name;
	size_t nmod, nname;
	uint64_t off;
};

static int
hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' :
	       c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Where the "+0xoff" begins that ends the text; n: there is none. */
static size_t
place_offset(const char *s, size_t n, uint64_t *off)
{
	size_t i = n;

	*off = 0;
	while (i > 0 && hex_digit(s[i - 1]) >= 0)
		i--;
	if (i == n || i < 3 || memcmp(s + i - 3, "+0x", 3) != 0)
		return n;
	for (size_t k = i; k < n; k++)
		*off = *off << 4 | (uint64_t)hex_digit(s[k]);
	return i - 3;
}

static struct place
place_parse(const char *s, size_t n)
{
	const char *tick = memchr(s, '`', n);
	struct place p = { .mod = s, .name = s };
	size_t end = place_offset(s, n, &p.off);

	if (tick != NULL) {
		p.nmod = (size_t)(tick - s);
		p.name = tick + 1;
	}
	p.nname = (size_t)(s + end - p.name);
	/* An address that has no name is none. */
	if (p.nname >= 2 && memcmp(p.name, "0x", 2) == 0)
		p.nname = 0;
	return p;
}

static void
place_members(struct dt_json *j, const struct place *p, const char *module)
{
	if (p->nmod > 0) {
		dt_json_key(j, module);
		dt_json_str(j, p->mod, p->nmod);
	}
	if (p->nname > 0) {
		dt_json_key(j, "name");
		dt_json_str(j, p->name, p->nname);
		dt_json_uint_member(j, "offset", p->off);
	}
}

/* Of a frame of a language, whose text ends with its line. */
static void
json_lang_frame(struct dt_json *j, pid_t pid, uint64_t pc, const char *text)
{
	const char *colon = strrchr(text, ':');
	struct buf b = BUF_INIT;

	dt_sym_uaddr(&j->out->syms, pid, pc, DT_SYM_NAME, &b);
	struct place p = place_parse(buf_str(&b), b.n);
	j->failed |= b.failed;
	if (p.nmod > 0) {
		dt_json_key(j, "module");
		dt_json_str(j, p.mod, p.nmod);
		dt_json_key(j, "name");
		dt_json_str(j, p.name, p.nname);
	}
	if (p.nmod > 0 && colon != NULL)
		dt_json_uint_member(j, "line", strtoull(colon + 1, NULL, 10));
	buf_fini(&b);
}

/* An address without a name is another one in each run: what stays the same. */
static void
json_place(struct dt_json *j, pid_t pid, uint64_t pc)
{
	struct buf b = BUF_INIT;

	dt_sym_uaddr(&j->out->syms, pid, pc, DT_SYM_PLACE, &b);
	const char *colon = strrchr(buf_str(&b), ':');
	j->failed |= b.failed;
	if (colon != NULL)
		dt_json_uint_member(j, "place", strtoull(colon + 1, NULL, 16));
	buf_fini(&b);
}

static void
json_frame(struct dt_json *j, bool user, pid_t pid, uint64_t pc,
	   enum dt_sym_what what)
{
	struct buf b = BUF_INIT;

	if (user)
		dt_sym_uaddr(&j->out->syms, pid, pc, what, &b);
	else
		dt_sym_kaddr(&j->out->syms, pc, what, &b);
	struct place p = place_parse(buf_str(&b), b.n);
	j->failed |= b.failed;
	dt_json_map(j);
	dt_json_str_member(j, "symbol", buf_str(&b));
	if (user && rt_py_is(pc))
		json_lang_frame(j, pid, pc, buf_str(&b));
	else
		place_members(j, &p, "module");
	if (user && p.nmod > 0 && p.nname == 0)
		json_place(j, pid, pc);
	dt_json_uint_member(j, "address", pc);
	dt_json_map_end(j);
	buf_fini(&b);
}

static void
json_stack(struct dt_json *j, const struct dt_val *v)
{
	const uint8_t *p = v->p, *end = v->p + v->n;
	bool user = v->kind == DT_VAL_USTACK;
	enum dt_sym_what what;
	pid_t pid = 0;
	uint64_t pc;

	dt_json_map(j);
	if (user && v->n >= 8) {
		pid = (pid_t)dt_val_u64(p);
		p += 8;
		dt_json_int_member(j, "pid", pid);
	}
	dt_json_key(j, user ? "ustack-frames" : "stack-frames");
	dt_json_array(j);
	for (what = DT_SYM_OFF; end - p >= 8 && (pc = dt_val_u64(p)) != 0;
	     p += 8, what = DT_SYM_CALL)
		json_frame(j, user, pid, pc, what);
	dt_json_array_end(j);
	dt_json_map_end(j);
}

/* sym(), usym() and their kin: v->num is the address. */
static void
json_sym(struct dt_json *j, const struct dt_val *v)
{
	const char *s = (const char *)v->p;
	struct place p = place_parse(s, v->n);

	/* mod() and umod() give a module's name alone. */
	if (p.nmod == 0 && p.nname > 0) {
		p.nmod = p.nname;
		p.nname = 0;
	}
	dt_json_map(j);
	dt_json_key(j, "sym");
	dt_json_str(j, s, v->n);
	place_members(j, &p, "object");
	dt_json_uint_member(j, "address", v->num);
	dt_json_map_end(j);
}

/* ---- values ------------------------------------------------------------ */

void
dt_json_bytes(struct dt_json *j, const uint8_t *p, size_t n)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%02x", p[i]);
	j->failed |= b.failed;
	dt_json_map(j);
	dt_json_str_member(j, "bytes", buf_str(&b));
	dt_json_map_end(j);
	buf_fini(&b);
}

/* Not all doubles are numbers in JSON. */
void
dt_json_float(struct dt_json *j, const uint8_t *p, size_t n)
{
	struct buf b = BUF_INIT;
	long double ld;

	if (!dt_val_float(p, n, &ld)) {
		dt_json_bytes(j, p, n);
		return;
	}
	buf_printf(&b, "%.17g", (double)ld);
	j->failed |= b.failed;
	if (isfinite((double)ld))
		token(j, yajl_gen_number(j->gen, buf_str(&b), b.n));
	else
		token_str(j, buf_str(&b), b.n);
	buf_fini(&b);
}

static bool
val_is_scalar(const struct dt_val *v)
{
	size_t len;

	return v->kind == DT_VAL_INT || v->kind == DT_VAL_FLOAT ||
	       v->kind == DT_VAL_STR ||
	       (v->kind == DT_VAL_BYTES &&
		dt_bytes_are_text(v->p, v->n, &len));
}

void
dt_json_value(struct dt_json *j, const struct dt_val *v)
{
	size_t len;

	switch (v->kind) {
	case DT_VAL_INT:
		if (v->is_signed)
			dt_json_int(j, (int64_t)v->num);
		else
			dt_json_uint(j, v->num);
		return;
	case DT_VAL_FLOAT:
		dt_json_float(j, v->p, v->n);
		return;
	case DT_VAL_STR:
		dt_json_str(j, v->p, v->n);
		return;
	case DT_VAL_BYTES:
		if (dt_bytes_are_text(v->p, v->n, &len))
			dt_json_str(j, v->p, len);
		else
			dt_json_bytes(j, v->p, v->n);
		return;
	case DT_VAL_KSTACK:
	case DT_VAL_USTACK:
		json_stack(j, v);
		return;
	case DT_VAL_SYM:
		json_sym(j, v);
		return;
	}
}

void
dt_json_element(struct dt_json *j, const struct dt_val *v)
{
	bool bare = val_is_scalar(v);

	if (bare) {
		dt_json_map(j);
		dt_json_key(j, "value");
	}
	dt_json_value(j, v);
	if (bare)
		dt_json_map_end(j);
}
