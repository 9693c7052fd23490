/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_test.h - what the tests of printing share: a stream that collects its
 * text, symbols that are made up, records and cells made by hand.
 */
#ifndef LIB_TEST_DT_TEST_H
#define LIB_TEST_DT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/dt_out.h"

struct cap {
	struct dt_out o;
	struct buf got;
	struct err e;
};

static inline int
cap_write(void *arg, const char *s, size_t n)
{
	buf_write(&((struct cap *)arg)->got, s, n);
	return 0;
}

/* Kernel symbols: 0xff00..0xff0f is vmlinux`start, nothing else. */
static inline void
cap_kaddr(void *arg, uint64_t addr, enum dt_sym_what what, struct buf *out)
{
	if (addr < 0xff00 || addr > 0xff0f)
		return;
	buf_puts(out, "vmlinux");
	if (what != DT_SYM_MOD)
		buf_puts(out, "`start");
	if ((what == DT_SYM_OFF || what == DT_SYM_CALL) && addr > 0xff00)
		buf_printf(out, "+0x%x", (unsigned)(addr - 0xff00));
}

/* User symbols: process 7 has a.out`main at 0x100..0x10f. */
static inline void
cap_uaddr(void *arg, pid_t pid, uint64_t addr, enum dt_sym_what what,
	  struct buf *out)
{
	if (pid != 7 || addr < 0x100 || addr > 0x10f)
		return;
	buf_puts(out, "a.out");
	if (what != DT_SYM_MOD)
		buf_puts(out, "`main");
	if ((what == DT_SYM_OFF || what == DT_SYM_CALL) && addr > 0x100)
		buf_printf(out, "+0x%x", (unsigned)(addr - 0x100));
}

/* Probes 1 and 2 are both read:entry, 3 is write:entry. */
static inline const char *
cap_probe_name(void *arg, uint32_t id, uint32_t part)
{
	if (id < 1 || id > 3)
		return NULL;
	if (part == DIF_VAR_probefunc)
		return id == 3 ? "write" : "read";
	return part == DIF_VAR_probename ? "entry" : "syscall";
}

static inline void
cap_init(struct cap *c)
{
	memset(c, 0, sizeof(*c));
	assert_int_equal(dt_out_init(&c->o, &c->e), 0);
	c->o.write = cap_write;
	c->o.write_arg = c;
	c->o.syms = (struct dt_syms){ .kaddr = cap_kaddr,
				      .uaddr = cap_uaddr,
				      .probe_name = cap_probe_name };
}

static inline void
cap_fini(struct cap *c)
{
	dt_out_fini(&c->o);
	buf_fini(&c->got);
}

/* What came out since the last time is exactly this. */
static inline void
cap_expect(struct cap *c, const char *want)
{
	if (err_is_set(&c->e))
		fail_msg("error: %s", c->e.msg);
	assert_int_equal(dt_out_flush(&c->o, &c->e), 0);
	assert_string_equal(buf_str(&c->got), want);
	buf_reset(&c->got);
}

/* And here it is an error with this text in it. */
static inline void
cap_expect_err(struct cap *c, int rc, const char *want)
{
	assert_int_equal(rc, -1);
	assert_non_null(c->e.tag);
	if (strstr(c->e.msg, want) == NULL)
		fail_msg("'%s' is not in '%s'", want, c->e.msg);
	err_clear(&c->e);
	buf_reset(&c->got);
	buf_reset(&c->o.text);
}

/* ---- records ----------------------------------------------------------- */

#define T_INT(n)                                                      \
	{                                                             \
		.ckind = DIF_CK_INT, .flags = DIF_TF_SIGNED, .size = (n) \
	}
#define T_UINT(n)                              \
	{                                      \
		.ckind = DIF_CK_INT, .size = (n) \
	}

/* A record under construction: up to 8 fields after the 16 bytes of head. */
struct rec {
	_Alignas(8) uint8_t bytes[1024];
	struct dif_expr x[8];
	uint32_t n, off;
};

static inline struct dif_expr *
rec_field(struct rec *r, const void *p, uint32_t size)
{
	struct dif_expr *x = &r->x[r->n++];

	if (r->off == 0)
		r->off = 16;
	memset(x, 0, sizeof(*x));
	x->off = r->off;
	x->size = size;
	memcpy(r->bytes + r->off, p, size);
	r->off += (size + 7) & ~7u;
	return x;
}

static inline void
rec_int(struct rec *r, int64_t v, uint32_t size)
{
	rec_field(r, &v, size)->type = (struct dif_type)T_INT(size);
}

static inline void
rec_uint(struct rec *r, uint64_t v, uint32_t size)
{
	rec_field(r, &v, size)->type = (struct dif_type)T_UINT(size);
}

static inline void
rec_str(struct rec *r, const char *s)
{
	char mem[64] = { 0 };

	strncpy(mem, s, sizeof(mem) - 1);
	rec_field(r, mem, sizeof(mem))->type =
		(struct dif_type){ .kind = DIF_TYPE_STRING,
				   .ckind = DIF_CK_STRING,
				   .flags = DIF_TF_BYREF };
}

static inline void
rec_bytes(struct rec *r, const void *p, uint32_t n)
{
	rec_field(r, p, n)->type = (struct dif_type){
		.ckind = DIF_CK_ARRAY, .flags = DIF_TF_BYREF, .size = n
	};
}

static inline void
rec_src(struct rec *r, enum dif_src src, uint32_t arg, const void *p,
	uint32_t n)
{
	struct dif_expr *x = rec_field(r, p, n);

	x->src = src;
	x->arg = arg;
}

/* Run one statement over the record and forget it. */
static inline int
rec_stmt(struct cap *c, struct rec *r, uint32_t kind, const char *fmt)
{
	struct dif_stmt st = { .kind = kind, .fmt = fmt, .exprs = r->x,
			       .nexprs = r->n };
	int rc = dt_out_stmt(&c->o, NULL, &st, r->bytes, &c->e);

	memset(r, 0, sizeof(*r));
	return rc;
}

/* ---- aggregations ------------------------------------------------------ */

#define AGG_KEYS 4

/* An aggregation with up to 4 keys of 8 bytes each or more. */
struct agg {
	struct dif_aggvar v;
	struct dif_type type[AGG_KEYS];
	uint8_t src[AGG_KEYS];
	uint32_t arg[AGG_KEYS], off[AGG_KEYS], len[AGG_KEYS];
};

static inline void
agg_init(struct agg *a, uint32_t func, uint64_t arg)
{
	memset(a, 0, sizeof(*a));
	a->v = (struct dif_aggvar){ .name = "a", .func = func, .arg = arg,
				    .keys = a->type, .keysrc = a->src,
				    .keyarg = a->arg, .keyoff = a->off,
				    .keylen = a->len };
	a->v.words = dif_agg_words(func, arg);
}

static inline void
agg_key(struct agg *a, enum dif_src src, uint32_t arg, struct dif_type t,
	uint32_t len)
{
	uint32_t i = a->v.nkeys++;

	a->type[i] = t;
	a->src[i] = (uint8_t)src;
	a->arg[i] = arg;
	a->off[i] = a->v.keysize;
	a->len[i] = len;
	a->v.keysize += (len + 7) & ~7u;
}

static inline void
agg_key_int(struct agg *a, uint32_t size)
{
	agg_key(a, DIF_SRC_OBJ, 0, (struct dif_type)T_INT(size), 8);
}

static inline void
agg_key_str(struct agg *a, uint32_t size)
{
	agg_key(a, DIF_SRC_OBJ, 0,
		(struct dif_type){ .kind = DIF_TYPE_STRING,
				   .ckind = DIF_CK_STRING,
				   .flags = DIF_TF_BYREF, .size = size },
		size);
}

#endif
