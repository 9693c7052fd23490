/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Formats taken apart. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "dif/dif_fmt.h"

static struct arena *arena;

static int
setup(void **state)
{
	arena = arena_new();
	return arena == NULL;
}

static int
teardown(void **state)
{
	arena_free(arena);
	return 0;
}

static const struct dif_fmt *
parse(const char *fmt)
{
	struct err e = { 0 };
	const struct dif_fmt *f = dif_fmt_parse(arena, fmt, &e);

	assert_non_null(f);
	assert_false(err_is_set(&e));
	return f;
}

static void
refused(const char *fmt, const char *why)
{
	struct err e = { 0 };

	assert_null(dif_fmt_parse(arena, fmt, &e));
	assert_true(err_is_set(&e));
	assert_non_null(strstr(e.msg, why));
}

static void
text(void **state)
{
	const struct dif_fmt *f = parse("100%% of %d\n");

	assert_int_equal(f->nconv, 2);
	assert_int_equal(f->conv[0].text_len, 8);
	assert_memory_equal(f->conv[0].text, "100% of ", 8);
	assert_int_equal(f->conv[0].cls, DIF_CONV_INT);
	assert_string_equal(f->conv[0].conv, "d");
	assert_int_equal(f->conv[1].cls, DIF_CONV_LITERAL);
	assert_string_equal(f->conv[1].conv, "");
	assert_memory_equal(f->conv[1].text, "\n", 1);
	assert_int_equal(parse("")->nconv, 0);
	assert_int_equal(parse("%%")->nconv, 1);
}

static void
parts(void **state)
{
	const struct dif_conv *c = &parse("%-#08.3llx")->conv[0];

	assert_true(c->f_left && c->f_alt && c->f_zero);
	assert_int_equal(c->width, 8);
	assert_int_equal(c->prec, 3);
	assert_string_equal(c->size, "ll");
	assert_string_equal(c->conv, "x");
	c = &parse("%*.*s")->conv[0];
	assert_int_equal(c->width, DIF_FMT_STAR);
	assert_int_equal(c->prec, DIF_FMT_STAR);
	assert_int_equal(c->cls, DIF_CONV_STR);
	c = &parse("%?p")->conv[0];
	assert_int_equal(c->width, DIF_FMT_PTRWIDTH);
	assert_int_equal(c->prec, DIF_FMT_NONE_GIVEN);
	c = &parse("%'+ @10u")->conv[0];
	assert_true(c->agg && c->f_thousands && c->f_plus && c->f_space);
	assert_int_equal(c->width, 10);
	assert_int_equal(parse("%.f")->conv[0].prec, 0);
}

static void
classes(void **state)
{
	const struct dif_fmt *f =
		parse("%wc%ws%c%C%p%e%S%a%A%Y%T%k%I%P%ld%hd%LG%i%lls");
	static const enum dif_conv_class want[] = {
		DIF_CONV_INT,	DIF_CONV_STR,	DIF_CONV_INT,	DIF_CONV_INT,
		DIF_CONV_PTR,	DIF_CONV_FLOAT, DIF_CONV_STR,	DIF_CONV_KADDR,
		DIF_CONV_UADDR, DIF_CONV_TIME,	DIF_CONV_TIME,	DIF_CONV_STACK,
		DIF_CONV_INET,	DIF_CONV_INET,	DIF_CONV_INT,	DIF_CONV_INT,
		DIF_CONV_FLOAT, DIF_CONV_INT,	DIF_CONV_STR,
	};

	assert_int_equal(f->nconv, sizeof(want) / sizeof(*want));
	for (size_t i = 0; i < f->nconv; i++)
		assert_int_equal(f->conv[i].cls, want[i]);
	assert_string_equal(f->conv[0].conv, "wc");
}

static void
malformed(void **state)
{
	refused("abc %", "#1 (%) is not complete");
	refused("%d %-5", "#2 (%-5) is not complete");
	refused("%d %y", "#2 (%y) is not a conversion");
	refused("%n", "not a conversion");
	refused("%9999999999d", "too large");
	refused("%.9999999999d", "too large");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text),
		cmocka_unit_test(parts),
		cmocka_unit_test(classes),
		cmocka_unit_test(malformed),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
