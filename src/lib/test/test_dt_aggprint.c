/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* printa() and the output at the end, to the column. */
#include "dt_test.h"

static struct cap c;
static struct agg a, b;
static struct dif_aggvar *vars[] = { &a.v, &b.v };
static struct dif_tab tab = { .aggs = vars, .naggs = 2 };
static struct dt_aggs *as;
static const uint32_t ids[] = { 0, 1 };

static int
setup(void **state)
{
	cap_init(&c);
	as = dt_aggs_new(&tab, &c.o.syms, &c.e);
	assert_non_null(as);
	agg_init(&a, DIF_AGG_count, 0);
	agg_init(&b, DIF_AGG_sum, 0);
	return 0;
}

static int
teardown(void **state)
{
	dt_aggs_free(as);
	cap_fini(&c);
	return 0;
}

static void
add(uint32_t agg, const void *key, uint64_t n)
{
	uint64_t cell[127] = { n };

	if (dt_agg_info(vars[agg])->hist) {
		cell[0] = 0;
		cell[dif_quantize_bucket((int64_t)n)] = 1;
	}
	assert_int_equal(dt_aggs_add(as, agg, key, cell, &c.e), 0);
}

static void
printa(uint32_t naggs, const char *fmt, const char *want)
{
	assert_int_equal(dt_aggs_printa(&c.o, as, ids, naggs, fmt, &c.e), 0);
	cap_expect(&c, want);
}

static void
test_no_keys(void **state)
{
	add(0, "", 5);
	add(1, "", 123456);
	printa(1, NULL, "\n                5\n");
	printa(2, NULL, "\n                5           123456\n");
	printa(1, "total %@d.\n", "total 5.\n");
	printa(1, "%@d %@x %@08d|", "5 5 00000005|");
	printa(2, "%-6@d %@'d\n", "5      123,456\n");
}

static void
test_default_keys(void **state)
{
	agg_key_str(&a, 16);
	agg_key_int(&a, 4);
	add(0, "bash\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0", 2);
	add(0, "sh\0\0\0\0\0\0\0\0\0\0\0\0\0\0\377\377\377\377\377\377\377\377",
	    1);
	printa(1, NULL,
	       "\n"
	       "  sh                                                       -1"
	       "                1\n"
	       "  bash                                                      1"
	       "                2\n");
	c.o.sort.rev = true;
	printa(1, "%-8s %4d %@d\n", "bash        1 2\nsh         -1 1\n");
	printa(1, "%s\n", "bash\nsh\n"); /* keys may be left over */
	cap_expect_err(&c,
		       dt_aggs_printa(&c.o, as, ids, 1, "%s %d %d", &c.e),
		       "than the aggregation has keys");
	cap_expect_err(&c, dt_aggs_printa(&c.o, as, ids, 1, "%d", &c.e),
		       "cannot print a string");
}

static void
test_stack_key(void **state)
{
	const uint64_t pcs[] = { 0xff00, 0xff03, 0, 0 };

	agg_key(&a, DIF_SRC_STACK, 4, (struct dif_type){ 0 }, 32);
	add(0, pcs, 49);
	printa(1, NULL, "\n\n              vmlinux`start\n"
			"              vmlinux`start+0x3\n"
			"               49\n");
	printa(1, "%k%@d\n", "\n              vmlinux`start\n"
			     "              vmlinux`start+0x3\n49\n");
}

static void
test_symbol_key(void **state)
{
	const uint64_t addr = 0xff03;

	agg_key(&a, DIF_SRC_SYM, DIF_ACT_SYM, (struct dif_type){ 0 }, 8);
	add(0, &addr, 1);
	printa(1, NULL,
	       "\n  vmlinux`start                                    "
	       "                 1\n");
	printa(1, "%s|%@d\n", "vmlinux`start|1\n");
	printa(1, "%20a|%@d\n", "       vmlinux`start|1\n");
}

#define HIST(v, w)                                                            \
	"\n           value  ------------- Distribution ------------- count" \
	"    \n"                                                              \
	"               " v " |                                         "     \
	"0        \n"                                                         \
	"               " w " |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ "     \
	"1        \n"                                                         \
	"               "

static void
test_histogram_key(void **state)
{
	agg_init(&a, DIF_AGG_quantize, 0);
	agg_key_str(&a, 8);
	add(0, "sshd\0\0\0", 2);
	printa(1, NULL,
	       "\n  sshd                                              "
	       HIST("1", "2")
	       "4 |                                         0        \n\n");
	printa(1, "%s:%@d\n",
	       "sshd:" HIST("1", "2")
	       "4 |                                         0        \n\n");
}

static void
test_joined(void **state)
{
	agg_key_int(&a, 8);
	agg_key_int(&b, 8);
	add(0, "\1\0\0\0\0\0\0", 3);
	add(1, "\1\0\0\0\0\0\0", 30);
	add(1, "\2\0\0\0\0\0\0", 20);
	printa(2, NULL,
	       "\n                2                0               20\n"
	       "                1                3               30\n");
	printa(2, "%d: %@d %@d\n", "2: 0 20\n1: 3 30\n");
	cap_expect_err(&c,
		       dt_aggs_printa(&c.o, as, ids, 2, "%@d%@d%@d", &c.e),
		       "more %@ conversions than aggregations");
}

static void
test_rest(void **state)
{
	add(0, "", 5);
	add(1, "", 7);
	assert_int_equal(dt_aggs_print_rest(&c.o, as, NULL, NULL,
					    &c.e), 0);
	cap_expect(&c, "                5\n                7\n");
	printa(1, "%@d\n", "5\n");
	assert_int_equal(dt_aggs_print_rest(&c.o, as, NULL, NULL,
					    &c.e), 0);
	cap_expect(&c, "                7\n");
}

static int
refuse(void *arg, const char *s, size_t n)
{
	return -1;
}

/* At the end, nowhere: that is no success. */
static void
test_rest_unwritten(void **state)
{
	add(0, "", 5);
	c.o.write = refuse;
	cap_expect_err(&c, dt_aggs_print_rest(&c.o, as, NULL, NULL, &c.e),
		       "cannot write the output");
}

static void
test_statements(void **state)
{
	uint32_t agg = 1;
	uint64_t rec[3] = { 0, 0, 10 };
	struct dif_expr x = { .type = T_UINT(8), .off = 16, .size = 8 };
	struct dif_stmt st = { .kind = DIF_ACT_NORMALIZE, .aggs = &agg,
			       .naggs = 1, .exprs = &x, .nexprs = 1 };

#define RUN(k, n)                                                          \
	(st.kind = (k), st.nexprs = (n),                                   \
	 assert_int_equal(dt_out_stmt(&c.o, as, &st, (uint8_t *)rec, &c.e), \
			  0))
	add(1, "", 50);
	RUN(DIF_ACT_NORMALIZE, 1);
	RUN(DIF_ACT_PRINTA, 0);
	cap_expect(&c, "\n                5\n");
	RUN(DIF_ACT_DENORMALIZE, 0);
	RUN(DIF_ACT_PRINTA, 0);
	cap_expect(&c, "\n               50\n");
	RUN(DIF_ACT_CLEAR, 0);
	RUN(DIF_ACT_PRINTA, 0);
	cap_expect(&c, "\n                0\n");
	RUN(DIF_ACT_TRUNC, 0);
	RUN(DIF_ACT_PRINTA, 0);
	cap_expect(&c, "\n");
}

#define AGGHIST_HEAD                                                  \
	"\n             key  ------------- Distribution -------------" \
	" count    \n"

/* agghist: half of the whole is half of forty columns. */
static void
test_agghist(void **state)
{
	agg_key_str(&a, 8);
	agg_key_int(&a, 4);
	c.o.agghist = true;
	printa(1, NULL, "\n"); /* of nothing there is no picture */
	add(0, "sh\0\0\0\0\0\0\1\0\0\0\0\0\0\0", 1);
	add(0, "bash\0\0\0\0\2\0\0\0\0\0\0\0", 3);
	printa(1, NULL,
	       "\n" AGGHIST_HEAD
	       "            sh 1 |@@@@@@@@@@                               1    "
	       "    \n"
	       "          bash 2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@           3    "
	       "    \n");
	c.o.aggzoom = true;
	printa(1, NULL,
	       "\n" AGGHIST_HEAD
	       "            sh 1 |@@@@@@@@@@@@@                            1    "
	       "    \n"
	       "          bash 2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 3    "
	       "    \n");
	printa(1, "%s %d %@d\n", "sh 1 1\nbash 2 3\n");
}

/* aggpack: buckets from the first that any key uses to the last. */
static void
test_aggpack(void **state)
{
	agg_init(&a, DIF_AGG_quantize, 0);
	agg_key_str(&a, 8);
	c.o.aggpack = true;
	add(0, "low\0\0\0\0\0", 4);
	add(0, "low\0\0\0\0\0", 8);
	add(0, "high\0\0\0\0", 32);
	printa(1, NULL,
	       "\n\n             key      min .----. max      | count\n"
	       "             low        4 :55  : 32       | 2\n"
	       "            high        4 :   9: 32       | 1\n");
	dt_aggs_clear(as, 0);
	printa(1, NULL,
	       "\n\n             key      min .-. max      | count\n"
	       "            high        0 : : 0        | 0\n"
	       "             low        0 : : 0        | 0\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(test_no_keys),   T(test_default_keys), T(test_stack_key),
		T(test_symbol_key), T(test_histogram_key), T(test_joined),
		T(test_rest),	   T(test_rest_unwritten),
		T(test_statements),
		T(test_agghist),   T(test_aggpack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
