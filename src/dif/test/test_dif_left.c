/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* test_dif_left.c - which probes without a place may be left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "dif/dif.h"

/* Clause 0 is a pattern of probes 0, 1 and 2; clause 1 names probe 1; clause 2,
   a provider's own, and clause 3, a pattern, are of probe 3. */
static struct dif_clause pattern = { .pdesc = { .func = "f*", .name = "x" } },
			 named = { .pdesc = { .func = "f", .name = "x" } },
			 maker = { .pdesc = { .func = "f", .name = "x" },
				   .maker = true },
			 other = { .pdesc = { .func = "f?", .name = "x" } };
static struct dif_clause *const clauses[] = { &pattern, &named, &maker,
					      &other };
static const struct dif_ecb ecbs[] = {
	{ 1, 0, 0 }, { 2, 1, 0 }, { 3, 1, 1 }, { 4, 2, 0 }, { 5, 3, 2 },
	{ 6, 3, 3 },
};

#define HAS  DIF_PLACED
#define NOT  DIF_PLACE_REFUSED
#define NONE DIF_PLACE_NONE

static uint32_t
bad(uint32_t necbs, uint8_t a, uint8_t b, uint8_t c, uint8_t d)
{
	const struct dif_enabling en = { .nprobes = 4,
					 .clauses = clauses,
					 .nclauses = 4,
					 .ecbs = ecbs,
					 .necbs = necbs };
	const uint8_t placed[] = { a, b, c, d };
	uint8_t served[4] = { 0 };

	return dif_not_left_out(&en, placed, served);
}

static void
test_left_out(void **state)
{
	(void)state;
	assert_int_equal(bad(6, HAS, HAS, HAS, HAS), UINT32_MAX);
	assert_int_equal(bad(6, NOT, HAS, NOT, HAS), UINT32_MAX);
	assert_int_equal(bad(6, NOT, NOT, HAS, HAS), 1); /* it is named */
	assert_int_equal(bad(2, NOT, NOT, HAS, HAS), 0); /* nothing is left */
	assert_int_equal(bad(2, NOT, NONE, HAS, HAS), 0);
	assert_int_equal(bad(2, NONE, NONE, HAS, HAS), UINT32_MAX);
	/* A provider's own clause may be left without probes, others not. */
	assert_int_equal(bad(5, HAS, HAS, HAS, NOT), UINT32_MAX);
	assert_int_equal(bad(6, HAS, HAS, HAS, NOT), 3);
}

static void
test_named(void **state)
{
	const struct dif_enabling en = { .nprobes = 4,
					 .clauses = clauses,
					 .nclauses = 4,
					 .ecbs = ecbs,
					 .necbs = 6 };

	(void)state;
	for (uint32_t p = 0; p < 6; p++)
		assert_int_equal(dif_probe_named(&en, p), p == 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
