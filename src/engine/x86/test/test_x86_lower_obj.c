/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_x86_lower_obj.c - single constructs: objects that compilers would not
 * write, and the cells of aggregations at the edges of their functions.
 */
#include "engine/x86/test/x86_clauses.h"

/* The value of an object of arg0 and arg1. */
static uint64_t
value(const char *text, uint64_t a0, uint64_t a1)
{
	struct trace *t = trace_new();
	uint64_t v;

	t->args.arg[0] = (struct dif_recipe){ DIF_RCP_UREG, DIF_R_RDI };
	t->args.arg[1] = (struct dif_recipe){ DIF_RCP_UREG, DIF_R_RSI };
	trace_print(t, text);
	trace_lower(t, X86_AT_ENTRY);
	trace_fn(t)(a0, a1, 0, 0, 0, 0, 0);
	v = trace_word(t, 0, 0);
	trace_free(t);
	return v;
}

/* ---- condition codes ----------------------------------------------------- */

/* True if the branch is taken after a compare of arg0, arg1 and `between`. */
static bool
taken(const char *compare, const char *between, const char *branch,
      uint64_t a0, uint64_t a1)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "ldgs arg0, %%r5\nldgs arg1, %%r6\n%s\n%s%s yes\nret %%r0\n"
		 "yes:\nsetx 1, %%r1\nret %%r1\n",
		 compare, between, branch);
	return value(text, a0, a1) != 0;
}

static void
compares(void **state)
{
	static const struct {
		const char *branch;
		bool less, equal, greater; /* -1, 1: above, though less */
	} all[] = {
		{ "be", 0, 1, 0 },  { "bne", 1, 0, 1 },
		{ "bl", 1, 0, 0 },  { "ble", 1, 1, 0 },
		{ "bg", 0, 0, 1 },  { "bge", 0, 1, 1 },
		{ "blu", 0, 0, 1 }, { "bleu", 0, 1, 1 },
		{ "bgu", 1, 0, 0 }, { "bgeu", 1, 1, 0 },
	};
	static const char *const between[] = { "", "add %r5, %r5, %r4\n" };
	const uint64_t m1 = UINT64_MAX;

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(all) / sizeof(*all); i++) {
		const char *b = between[i % 2], *br = all[i / 2].branch;
		const char *cmp = "cmp %r5, %r6";
		assert_int_equal(taken(cmp, b, br, 9, 9), all[i / 2].equal);
		assert_int_equal(taken(cmp, b, br, m1, 1), all[i / 2].less);
		assert_int_equal(taken(cmp, b, br, 1, m1), all[i / 2].greater);
	}
}

/* After tst nothing is negative or below. */
static void
tests(void **state)
{
	static const struct {
		const char *branch;
		bool zero, other;
	} all[] = {
		{ "be", 1, 0 },	  { "bne", 0, 1 },  { "bl", 0, 0 },
		{ "ble", 1, 0 },  { "bg", 0, 1 },   { "bge", 1, 1 },
		{ "blu", 0, 0 },  { "bleu", 1, 0 }, { "bgu", 0, 1 },
		{ "bgeu", 1, 1 },
	};
	static const char *const between[] = { "", "mov %r5, %r4\n" };

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		for (int k = 0; k < 2; k++) {
			assert_int_equal(taken("tst %r5", between[k],
					       all[i].branch, 0, 0),
					 all[i].zero);
			assert_int_equal(taken("tst %r5", between[k],
					       all[i].branch, (uint64_t)-7, 0),
					 all[i].other);
		}
}

/* Codes that come by two ways, and codes that nothing has set. */
static void
merges_codes(void **state)
{
	static const char two[] = "ldgs arg0, %r1\nldgs arg1, %r2\n"
				  "tst %r1\nbne other\ncmp %r2, %r0\nba on\n"
				  "other:\ncmp %r0, %r2\non:\nbl yes\nret %r0\n"
				  "yes:\nsetx 1, %r3\nret %r3\n";
	static const char none[] = "bge yes\nret %r0\nyes:\nsetx 1, %r3\n"
				   "ret %r3\n";

	(void)state;
	assert_int_equal(value(two, 0, 5), 0);
	assert_int_equal(value(two, 1, 5), 1);
	assert_int_equal(value(two, 0, (uint64_t)-5), 1);
	assert_int_equal(value(two, 1, (uint64_t)-5), 0);
	assert_int_equal(value(none, 0, 0), 1);
}

static void
starts_with_zeroes(void **state)
{
	(void)state;
	assert_int_equal(value("add %r3, %r7, %r1\nret %r1\n", 0, 0), 0);
	assert_int_equal(value("ldgs arg0, %r1\ntst %r1\nbe out\n"
			       "setx 9, %r6\nout:\nret %r6\n", 0, 0), 0);
	assert_int_equal(value("not %r0, %r1\nret %r1\n", 0, 0), UINT64_MAX);
}

static void
divides(void **state)
{
	static const char text[] = "ldgs arg0, %%r1\nldgs arg1, %%r2\n"
				   "%s %%r1, %%r2, %%r2\nret %%r2\n";
	const uint64_t min = (uint64_t)INT64_MIN, m1 = UINT64_MAX;
	static const struct {
		const char *op;
		int64_t a, b, want;
	} all[] = {
		{ "sdiv", -7, 2, -3 },	{ "srem", -7, 2, -1 },
		{ "sdiv", 7, -1, -7 },	{ "srem", 7, -1, 0 },
		{ "udiv", -1, 2, INT64_MAX }, { "urem", -1, 10, 5 },
	};
	char t[128];

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		snprintf(t, sizeof(t), text, all[i].op);
		assert_int_equal(value(t, (uint64_t)all[i].a,
				       (uint64_t)all[i].b),
				 all[i].want);
	}
	snprintf(t, sizeof(t), text, "sdiv");
	assert_int_equal(value(t, min, m1), min);
	snprintf(t, sizeof(t), text, "srem");
	assert_int_equal(value(t, min, m1), 0);
}

/* ---- aggregations -------------------------------------------------------- */

static const uint64_t edges[] = {
	0, 1, 2, 3, 7, 8, 99, 100, 101, 1000, INT64_MAX, INT64_MAX - 1,
	(uint64_t)-1, (uint64_t)-2, (uint64_t)-3, (uint64_t)-100,
	(uint64_t)INT64_MIN, (uint64_t)INT64_MIN + 1, 1ull << 62,
	(uint64_t)(-(1ll << 62)), (uint64_t)(-(1ll << 62) - 1)
};
#define NEDGES (sizeof(edges) / sizeof(*edges))

static void
fire_edges(struct trace *t)
{
	world_fn *fn;

	t->args.arg[0] = (struct dif_recipe){ DIF_RCP_UREG, DIF_R_RDI };
	trace_lower(t, X86_AT_ENTRY);
	fn = trace_fn(t);
	for (size_t i = 0; i < NEDGES; i++)
		fn(edges[i], 0, 0, 0, 0, 0, 0);
}

static void
finds_buckets(struct trace *t, uint32_t func, uint64_t arg,
	      uint32_t (*bucket)(uint64_t, int64_t))
{
	struct dif_aggvar *v = trace_agg(t, trace_clause(t), func, arg, NULL,
					 ARG(0));
	uint64_t want[512] = { 0 };

	fire_edges(t);
	assert_true(v->words < 512);
	for (size_t i = 0; i < NEDGES; i++)
		want[bucket(arg, (int64_t)edges[i])]++;
	assert_memory_equal(trace_cell(t), want, v->words * 8);
}

static uint32_t
quantize_bucket(uint64_t arg, int64_t v)
{
	(void)arg;
	return dif_quantize_bucket(v);
}

static void
quantizes(void **state)
{
	finds_buckets(*state, DIF_AGG_quantize, 0, quantize_bucket);
}

static void
lquantizes(void **state)
{
	finds_buckets(*state, DIF_AGG_lquantize,
		      7ull << 48 | 20ull << 32 | (uint32_t)-50,
		      dif_lquantize_bucket);
}

static void
lquantizes_by_one(void **state)
{
	finds_buckets(*state, DIF_AGG_lquantize, 1ull << 48 | 100ull << 32,
		      dif_lquantize_bucket);
}

static void
llquantizes(void **state)
{
	finds_buckets(*state, DIF_AGG_llquantize,
		      10ull << 48 | 1ull << 32 | 5u << 16 | 20,
		      dif_llquantize_bucket);
}

static void
finds_extremes(void **state)
{
	struct trace *t = *state;
	struct dif_clause *cl = trace_clause(t);

	trace_agg(t, cl, DIF_AGG_min, 0, NULL, ARG(0));
	trace_agg(t, cl, DIF_AGG_max, 0, NULL, ARG(0));
	fire_edges(t);
	assert_int_equal(trace_cell(t)[0], INT64_MIN);
	assert_int_equal(trace_cell(t)[2], INT64_MAX);
}

/* The sum of squares has 128 bits. */
static void
adds_squares(void **state)
{
	struct trace *t = *state;
	unsigned __int128 want = 0;
	uint64_t sum = 0;

	trace_agg(t, trace_clause(t), DIF_AGG_stddev, 0, NULL, ARG(0));
	fire_edges(t);
	for (size_t i = 0; i < NEDGES; i++) {
		sum += edges[i];
		want += (unsigned __int128)((__int128)(int64_t)edges[i] *
					    (int64_t)edges[i]);
	}
	assert_int_equal(trace_cell(t)[0], NEDGES);
	assert_int_equal(trace_cell(t)[1], sum);
	assert_int_equal(trace_cell(t)[2], (uint64_t)want);
	assert_int_equal(trace_cell(t)[3], (uint64_t)(want >> 64));
}

/* A key of a word: many cells, chains included. */
static void
finds_cells_by_word(void **state)
{
	enum { KEYS = 1000, TIMES = 3 };
	struct trace *t = *state;
	const struct rt_agg_half *half;
	struct dif_aggvar *v;
	world_fn *fn;

	v = trace_agg(t, trace_clause(t), DIF_AGG_count, 0, ARG(0), NULL);
	t->args.arg[0] = (struct dif_recipe){ DIF_RCP_UREG, DIF_R_RDI };
	trace_lower(t, X86_AT_ENTRY);
	fn = trace_fn(t);
	for (uint64_t i = 0; i < KEYS * TIMES; i++)
		fn(i % KEYS * 0x10001, 0, 0, 0, 0, 0, 0);
	half = (const void *)t->w->agg[0];
	assert_int_equal(half->nentries < KEYS, 1); /* not all have room */
	assert_true(t->w->rt[0]->drops[RT_DROP_AGG] > 0);
	for (uint32_t n = 0, at = t->w->lay.entries_off; n < half->nentries;
	     n++, at += sizeof(struct rt_agg_entry) + v->keysize + 8) {
		const struct rt_agg_entry *en =
			(const void *)(t->w->agg[0] + at);
		const uint64_t *p = (const void *)(en + 1);
		assert_int_equal(p[0], (uint64_t)n * 0x10001);
		assert_int_equal(p[1], TIMES);
	}
}

/* Cells of a probe's name lie where its site says. */
static void
finds_cells_by_name(void **state)
{
	struct trace *t = *state;
	struct dif_clause *cl = trace_clause(t);
	const uint64_t *cell;
	struct dif_aggvar *v;

	v = trace_agg(t, cl, DIF_AGG_count, 0, NULL, NULL);
	trace_key_name(t, v);
	v = trace_agg(t, cl, DIF_AGG_max, 0, NULL, ARG(0));
	trace_key_name(t, v);
	fire_edges(t);
	cell = (const void *)(t->w->agg[0] + t->w->lay.fixed_end);
	assert_int_equal(cell[0], 0); /* count leaves it alone */
	assert_int_equal(cell[1], NEDGES);
	assert_int_equal(cell[2], 1);
	assert_int_equal(cell[3], INT64_MAX);
}

static void
writes_the_present_half(void **state)
{
	struct trace *t = *state;

	trace_agg(t, trace_clause(t), DIF_AGG_count, 0, NULL, NULL);
	trace_lower(t, X86_AT_ENTRY);
	t->w->sh->ctl.agg_half = 1;
	trace_fn(t)(0, 0, 0, 0, 0, 0, 0);
	assert_int_equal(trace_cell(t)[0], 0);
	assert_int_equal(trace_cell(t)[t->w->v.aggsize / 2 / 8], 1);
}

int
main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, trace_setup, trace_teardown)
	const struct CMUnitTest all[] = {
		TEST(compares),
		TEST(tests),
		TEST(merges_codes),
		TEST(starts_with_zeroes),
		TEST(divides),
		TEST(quantizes),
		TEST(lquantizes),
		TEST(lquantizes_by_one),
		TEST(llquantizes),
		TEST(finds_extremes),
		TEST(adds_squares),
		TEST(finds_cells_by_word),
		TEST(finds_cells_by_name),
		TEST(writes_the_present_half),
	};
	return cmocka_run_group_tests(all, NULL, NULL);
}
