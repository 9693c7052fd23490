/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The arrows and the indentation of -F. */
#include "dt_test.h"

static struct cap c;

static int
setup(void **state)
{
	cap_init(&c);
	return 0;
}

static int
teardown(void **state)
{
	cap_fini(&c);
	return 0;
}

static void
step(unsigned cpu, const struct dt_flow_rec *r, const struct dt_flow_rec *next,
     const char *want)
{
	struct dt_flow_text t;

	assert_int_equal(dt_flow_next(&c.o.flow, cpu, r, next ? next->id : 0,
				      next ? next->epid : 0, &t, &c.e),
			 0);
	buf_printf(&c.o.text, "%3u %*s%s%s", cpu, t.indent, "", t.prefix,
		   r->func);
	if (t.kind == DT_FLOW_NONE)
		buf_printf(&c.o.text, ":%s", r->name);
	assert_int_equal(dt_out_flush(&c.o, &c.e), 0);
	cap_expect(&c, want);
}

static void
test_flow(void **state)
{
	const struct dt_flow_rec sys = { 10, 1, true, "read", "entry" };
	const struct dt_flow_rec sysr = { 11, 2, true, "read", "return" };
	const struct dt_flow_rec f = { 20, 3, false, "f", "entry" };
	const struct dt_flow_rec f2 = { 20, 4, false, "f", "entry" };
	const struct dt_flow_rec fr = { 21, 5, false, "f", "return" };
	const struct dt_flow_rec fr2 = { 21, 6, false, "f", "return" };
	const struct dt_flow_rec tick = { 30, 7, false, "", "tick-1s" };
	const struct dt_flow_rec usdt = { 40, 8, false, "q", "query-entry" };

	step(0, &sys, &f,
	     "  0  => read");
	step(0, &f, &f2,
	     "  0    -> f");
	step(0, &f2, &f,
	     "  0     | f:entry");
	step(0, &f, &f2, /* recursion: a new firing of the same probe */
	     "  0      -> f");
	step(0, &f2, &tick,
	     "  0       | f:entry");
	step(1, &tick, NULL,
	     "  1 | :tick-1s");
	step(0, &fr, &fr2,
	     "  0       | f:return");
	step(0, &fr2, &fr,
	     "  0      <- f");
	step(0, &fr, &fr2,
	     "  0     | f:return");
	step(0, &fr2, &sysr,
	     "  0    <- f");
	step(0, &sysr, NULL,
	     "  0  <= read");
	step(0, &sysr, NULL, /* not below zero */
	     "  0  <= read");
	step(0, &usdt, NULL,
	     "  0  -> q");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(test_flow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
