/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fuzz_fmt.c - any bytes as a format with its arguments: the format ends at
 * the first NUL, what follows is a record of fields of every kind.  They are
 * printed by the format and without it, as printf(), printa() and by the other
 * actions, as text and as JSON, which must parse.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <yajl/yajl_gen.h>

#include "check_json.h"
#include "lib/dt_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NFIELDS 12
#define FIELD	16
#define NKEYS	3
#define NWORDS	130 /* of a cell of quantize(), and more */

/* ---- what printing asks, and where it goes ------------------------------- */

static int
sink(void *arg, const char *s, size_t n)
{
	return 0;
}

static void
json_text(void *arg, const char *s, size_t n)
{
	buf_write(arg, s, n);
}

static void
some_name(void *arg, uint64_t addr, enum dt_sym_what what, struct buf *out)
{
	if (addr % 2 != 0)
		buf_printf(out, "m`f+0x%x", (unsigned)what);
}

static void
some_uname(void *arg, pid_t pid, uint64_t addr, enum dt_sym_what what,
	   struct buf *out)
{
	some_name(arg, addr, what, out);
}

static const char *
probe_name(void *arg, uint32_t id, uint32_t part)
{
	return id % 2 != 0 ? "name" : NULL;
}

/* ---- fields -------------------------------------------------------------- */

static const struct dif_print number = {
	.kind = DIF_CK_INT, .name = "int", .size = 4, .is_signed = true
};
static const struct dif_print letter = { .kind = DIF_CK_INT, .name = "char",
					 .size = 1, .is_char = true };
static const struct dif_print text = { .kind = DIF_CK_ARRAY, .size = 6,
				       .name = "char [6]", .elem = &letter,
				       .nelems = 6 };
static const struct dif_print real = { .kind = DIF_CK_FLOAT, .name = "float",
				       .size = 4 };
static const struct dif_print_value values[] = { { "ON", 1 }, { "OFF", -1 } };
static const struct dif_print choice = { .kind = DIF_CK_ENUM, .size = 2,
					 .name = "enum e", .values = values,
					 .n = 2 };
static const struct dif_print_member members[] = {
	{ "n", &number, 0, 0 },	   { "flag", &number, 32, 3 },
	{ "rest", &number, 35, 9 }, { "s", &text, 48, 0 },
	{ "f", &real, 96, 0 },	   { "", &choice, 112, 0 },
};
static const struct dif_print record = { .kind = DIF_CK_STRUCT, .size = FIELD,
					 .name = "struct s",
					 .members = members, .n = 6 };

static void
field_plain(struct dif_expr *x, size_t kind)
{
	static const uint8_t sizes[] = { 8, 1, 2, 4 };

	x->size = sizes[kind % 4];
	x->type.size = x->size;
	x->type.ckind = kind % 3 == 0 ? DIF_CK_PTR : DIF_CK_INT;
	x->type.flags = kind & 8 ? DIF_TF_SIGNED : 0;
}

static void
field_bytes(struct dif_expr *x, size_t kind)
{
	x->type.size = FIELD;
	x->type.flags = DIF_TF_BYREF;
	x->type.ckind = kind % 2 != 0 ? DIF_CK_STRUCT : DIF_CK_ARRAY;
	x->print = kind % 2 != 0 ? &record : NULL;
}

/* Field i: its kind goes by the format's length too, so that all meet all. */
static void
field(struct dif_expr *x, size_t i, size_t kind)
{
	static const uint8_t floats[] = { 4, 8, 16 };

	memset(x, 0, sizeof(*x));
	x->off = (uint32_t)(i * FIELD);
	x->size = FIELD;
	switch (kind % 9) {
	case 0:
		x->type.ckind = DIF_CK_FLOAT;
		x->size = x->type.size = floats[kind / 9 % 3];
		return;
	case 1:
		x->type.kind = DIF_TYPE_STRING;
		x->type.ckind = DIF_CK_STRING;
		x->type.size = FIELD;
		return;
	case 2:
		x->src = kind & 16 ? DIF_SRC_STACK : DIF_SRC_USTACK;
		return;
	case 3:
		x->src = DIF_SRC_USYM;
		x->arg = kind & 16 ? DIF_ACT_UMOD : DIF_ACT_USYM;
		return;
	case 4:
		x->src = kind & 16 ? DIF_SRC_SYM : DIF_SRC_NAME;
		x->arg = kind & 16 ? DIF_ACT_SYM : DIF_VAR_probefunc;
		x->size = kind & 16 ? 8 : 4;
		return;
	case 5:
	case 6:
		field_bytes(x, kind);
		return;
	default:
		field_plain(x, kind);
	}
}

/* ---- aggregations -------------------------------------------------------- */

struct aggs {
	struct dif_aggvar v[2], *list[2];
	struct dif_type keys[NKEYS];
	uint8_t src[NKEYS];
	uint32_t arg[NKEYS], off[NKEYS], len[NKEYS];
	struct dif_tab tab;
};

/* Two of any function, with the first fields as keys. */
static void
aggs_init(struct aggs *a, const struct dif_expr *x, size_t kind)
{
	memset(a, 0, sizeof(*a));
	for (size_t i = 0; i < NKEYS; i++) {
		a->keys[i] = x[i].type;
		a->src[i] = (uint8_t)x[i].src;
		a->arg[i] = x[i].arg;
		a->off[i] = x[i].off;
		a->len[i] = x[i].size < 8 ? 8 : x[i].size;
	}
	for (size_t i = 0; i < 2; i++) {
		const struct dif_agg_info *f =
			&dif_aggfuncs[(kind + i) % dif_naggfuncs];
		struct dif_aggvar *v = &a->v[i];
		*v = (struct dif_aggvar){ .name = "a", .id = (uint32_t)i + 1,
					  .func = f->code, .keys = a->keys,
					  .keysrc = a->src, .keyarg = a->arg,
					  .keyoff = a->off, .keylen = a->len,
					  .nkeys = NKEYS,
					  .keysize = NKEYS * FIELD };
		if (f->code == DIF_AGG_lquantize)
			v->arg = 3ull << 48 | 20ull << 32 | (uint32_t)-9;
		else if (f->code == DIF_AGG_llquantize)
			v->arg = 10ull << 48 | 0ull << 32 | 5ull << 16 | 20;
		v->words = dif_agg_words(v->func, v->arg);
		a->list[i] = v;
	}
	a->tab = (struct dif_tab){ .aggs = a->list, .naggs = 2 };
}

/* Keys are the record's first fields; the words begin with the others. */
static struct dt_aggs *
aggs_fill(struct aggs *a, const struct dt_syms *syms, const uint8_t *rec,
	  struct err *e)
{
	struct dt_aggs *as = dt_aggs_new(&a->tab, syms, e);
	uint64_t words[NWORDS] = { 0 };

	memcpy(words, rec + NKEYS * FIELD, (NFIELDS - NKEYS) * FIELD);
	for (uint32_t i = 0; as != NULL && i < 2; i++)
		if (a->v[i].words <= NWORDS)
			dt_aggs_add(as, i, rec, words, e);
	return as;
}

/* ---- all of it ----------------------------------------------------------- */

static const uint32_t kinds[] = {
	DIF_ACT_PRINTF, DIF_ACT_PRINTA,	  DIF_ACT_TRACE,
	DIF_ACT_PRINT,	DIF_ACT_TRACEMEM, DIF_ACT_USTACK
};
#define NKINDS (sizeof(kinds) / sizeof(*kinds))

static void
print_json(struct dt_out *o, struct dt_aggs *as, const struct dif_stmt *st,
	   const uint8_t *rec)
{
	struct buf out = BUF_INIT;
	struct dt_json j = { .out = o, .gen = yajl_gen_alloc(NULL) };
	struct err e = { 0 };

	if (j.gen == NULL)
		return;
	yajl_gen_config(j.gen, yajl_gen_print_callback, json_text, &out);
	dt_json_array(&j);
	dt_json_stmt(&j, as, st, rec, &e);
	dt_json_array_end(&j);
	if (j.failed)
		abort();
	check_json(buf_str(&out), out.n);
	buf_fini(&out);
	yajl_gen_free(j.gen);
}

static void
print_all(struct dt_out *o, struct aggs *a, struct dif_stmt *st,
	  const uint8_t *rec, size_t sw)
{
	static uint32_t both[] = { 0, 1 };
	struct err e = { 0 };
	struct dt_aggs *as = aggs_fill(a, &o->syms, rec, &e);

	if (as == NULL)
		return;
	o->printsize = sw & 1 ? 5 : 0;
	o->agghist = o->aggpack = sw & 2;
	o->aggzoom = sw & 4;
	st->aggs = both;
	st->naggs = sw & 8 ? 2 : 1;
	for (size_t i = 0; i < NKINDS; i++) {
		st->kind = kinds[i];
		err_clear(&e);
		dt_out_stmt(o, as, st, rec, &e);
		print_json(o, as, st, rec);
	}
	dt_aggs_free(as);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = memchr(data, '\0', size);
	uint8_t rec[NFIELDS * FIELD] = { 0 };
	struct dif_expr x[NFIELDS];
	struct dif_stmt st = { .exprs = x, .nexprs = NFIELDS };
	struct aggs a;
	struct dt_out o;
	struct err e = { 0 };
	size_t rest, len;

	if (nul == NULL || dt_out_init(&o, &e) != 0)
		return 0;
	len = (size_t)(nul - data);
	rest = size - len - 1;
	memcpy(rec, nul + 1, rest < sizeof(rec) ? rest : sizeof(rec));
	for (size_t i = 0; i < NFIELDS; i++)
		field(&x[i], i, len + i * 7);
	aggs_init(&a, x, len);
	st.fmt = (const char *)data;
	o.write = sink;
	o.syms = (struct dt_syms){ .kaddr = some_name, .uaddr = some_uname,
				   .probe_name = probe_name };
	print_all(&o, &a, &st, rec, size);
	dt_out_fini(&o);
	return 0;
}
