/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_dt_json.c - values as JSON: strings of any bytes, numbers of any size,
 * symbols taken apart.  What whole traces give is tested by test/sys/json.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <yajl/yajl_gen.h>

#include "base/test/fds.h"
#include "lib/dt_json.h"

struct world {
	struct dt_out out;
	struct dt_json json;
};

static void
print(void *arg, const char *s, size_t n)
{
	buf_write(&((struct world *)arg)->out.text, s, n);
}

static int
setup(void **state)
{
	static struct world w;
	struct err e;

	err_clear(&e);
	memset(&w, 0, sizeof(w));
	if (dt_out_init(&w.out, &e) != 0 ||
	    (w.json.gen = yajl_gen_alloc(NULL)) == NULL)
		return -1;
	w.json.out = &w.out;
	yajl_gen_config(w.json.gen, yajl_gen_print_callback, print, &w);
	*state = &w;
	return 0;
}

static int
teardown(void **state)
{
	struct world *w = *state;

	yajl_gen_free(w->json.gen);
	dt_out_fini(&w->out);
	return 0;
}

/* What has been made since the last time. */
static void
expect(struct world *w, const char *want)
{
	assert_false(w->json.failed);
	assert_string_equal(buf_str(&w->out.text), want);
	buf_reset(&w->out.text);
	yajl_gen_reset(w->json.gen, NULL);
}

static void
string(struct world *w, const char *s, size_t n, const char *want)
{
	dt_json_str(&w->json, s, n);
	expect(w, want);
}

#define STRING(w, s, want) string(w, s, sizeof(s) - 1, want)

static void
strings(void **state)
{
	struct world *w = *state;

	STRING(w, "", "\"\"");
	STRING(w, "a\"b\\c/\n\x7f", "\"a\\\"b\\\\c/\\n\x7f\"");
	STRING(w, "a\0b\x1b", "\"a\\u0000b\\u001B\"");
	/* Characters of two, three and four bytes, the last of each too. */
	STRING(w, "\xc2\x80\xdf\xbf", "\"\xc2\x80\xdf\xbf\"");
	STRING(w, "\xe0\xa0\x80\xed\x9f\xbf\xef\xbf\xbf",
	       "\"\xe0\xa0\x80\xed\x9f\xbf\xef\xbf\xbf\"");
	STRING(w, "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
	       "\"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"");
	/* Alone, too long, surrogates, beyond the last, cut short. */
	STRING(w, "\x80", "\"\\\\x80\"");
	STRING(w, "\xc0\xaf", "\"\\\\xc0\\\\xaf\"");
	STRING(w, "\xe0\x9f\xbf", "\"\\\\xe0\\\\x9f\\\\xbf\"");
	STRING(w, "\xed\xa0\x80", "\"\\\\xed\\\\xa0\\\\x80\"");
	STRING(w, "\xf4\x90\x80\x80", "\"\\\\xf4\\\\x90\\\\x80\\\\x80\"");
	STRING(w, "\xf5", "\"\\\\xf5\"");
	STRING(w, "x\xe2\x82", "\"x\\\\xe2\\\\x82\"");
	STRING(w, "\xe2\x82z\xc3\xa4", "\"\\\\xe2\\\\x82z\xc3\xa4\"");
}

static void
value(struct world *w, const struct dt_val *v, const char *want)
{
	dt_json_element(&w->json, v);
	expect(w, want);
}

static void
numbers(void **state)
{
	struct world *w = *state;
	struct dt_val v = { .kind = DT_VAL_INT, .size = 8, .num = UINT64_MAX };
	double d = 0.1, nan = 0.0 / 0.0, inf = 1.0 / 0.0;
	float f = 0.5f;
	long double ld = 2;

	value(w, &v, "{\"value\":18446744073709551615}");
	v.is_signed = true;
	value(w, &v, "{\"value\":-1}");
	v.num = (uint64_t)INT64_MIN;
	value(w, &v, "{\"value\":-9223372036854775808}");
	v = (struct dt_val){ .kind = DT_VAL_FLOAT, .p = (void *)&d, .n = 8 };
	value(w, &v, "{\"value\":0.10000000000000001}");
	v.p = (void *)&inf;
	value(w, &v, "{\"value\":\"inf\"}");
	v.p = (void *)&nan;
	dt_json_element(&w->json, &v);
	assert_non_null(strstr(buf_str(&w->out.text), "nan\"}"));
	buf_reset(&w->out.text);
	yajl_gen_reset(w->json.gen, NULL);
	v.p = (void *)&f;
	v.n = 4;
	value(w, &v, "{\"value\":0.5}");
	v.p = (void *)&ld;
	v.n = sizeof(ld);
	value(w, &v, "{\"value\":2}");
	v.p = (void *)"\0\x3c"; /* of a size that C has not */
	v.n = 2;
	value(w, &v, "{\"value\":{\"bytes\":\"003c\"}}");
}

/* print(): what a value's type makes of its bytes. */
static void
printed(struct world *w, struct dif_expr *x, const void *rec, const char *want)
{
	dt_json_print(&w->json, x, rec);
	expect(w, want);
}

static const char *
probe_name(void *arg, uint32_t probe, uint32_t part)
{
	return probe == 3 ? "write" : "";
}

static void
prints(void **state)
{
	static const struct dif_print str = { .kind = DIF_CK_STRING,
					      .name = "string",
					      .size = 4 };
	static const struct dif_print byte = { .kind = DIF_CK_INT,
					       .name = "uint8_t",
					       .size = 1 };
	static const struct dif_print_member m[] = { { "s", &str, 0, 0 },
						     { "b", &byte, 32, 0 } };
	static const struct dif_print t = { .kind = DIF_CK_STRUCT,
					    .name = "struct r",
					    .size = 5,
					    .members = m,
					    .n = 2 };
	struct world *w = *state;
	struct dif_expr x = { .src = DIF_SRC_OBJ,
			      .size = 5,
			      .type = { .ckind = DIF_CK_STRUCT,
					.flags = DIF_TF_BYREF,
					.size = 5 },
			      .print = &t };
	const uint32_t probe = 3;

	/* A string member that has no NUL ends where the next begins. */
	printed(w, &x, "abcd\101",
		"{\"type\":\"struct r\",\"value\":{\"s\":\"abcd\",\"b\":65}}");
	printed(w, &x, "a\0cd\101",
		"{\"type\":\"struct r\",\"value\":{\"s\":\"a\",\"b\":65}}");
	/* What has not all been recorded is not there, and no part of it. */
	w->out.printsize = 4;
	printed(w, &x, "abcd\101",
		"{\"type\":\"struct r\",\"value\":{\"s\":\"abcd\"}}");
	w->out.printsize = 0;
	/* Names of probes are recorded by number, and may be longer. */
	w->out.syms.probe_name = probe_name;
	x = (struct dif_expr){ .src = DIF_SRC_NAME,
			       .arg = DIF_VAR_probefunc,
			       .size = 4,
			       .print = &str };
	printed(w, &x, &probe, "{\"type\":\"string\",\"value\":\"write\"}");
}

static void
bytes(void **state)
{
	struct dt_val v = { .kind = DT_VAL_BYTES, .p = (void *)"\1\xff",
			    .n = 2 };

	value(*state, &v, "{\"bytes\":\"01ff\"}");
	v.p = (void *)"ab\0\0";
	v.n = 4;
	value(*state, &v, "{\"value\":\"ab\"}");
}

/* The text is not followed by a NUL. */
static void
symbol(struct world *w, const char *text, const char *want)
{
	char *p = test_malloc(strlen(text));
	struct dt_val v = { .kind = DT_VAL_SYM, .p = (void *)p,
			    .n = strlen(text), .num = 7 };
	char all[200];

	memcpy(p, text, strlen(text));
	dt_json_value(&w->json, &v);
	test_free(p);
	snprintf(all, sizeof(all), "{\"sym\":\"%s\",%s\"address\":7}", text,
		 want);
	expect(w, all);
}

static void
symbols(void **state)
{
	symbol(*state, "m`f", "\"object\":\"m\",\"name\":\"f\",\"offset\":0,");
	symbol(*state, "m`f+0x1f",
	       "\"object\":\"m\",\"name\":\"f\",\"offset\":31,");
	symbol(*state, "m`operator+", "\"object\":\"m\",\"name\":"
				      "\"operator+\",\"offset\":0,");
	symbol(*state, "m`0x10", "\"object\":\"m\",");
	symbol(*state, "mod", "\"object\":\"mod\",");
	symbol(*state, "0x10", "");
	symbol(*state, "f", "\"object\":\"f\",");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(strings, setup, teardown),
		cmocka_unit_test_setup_teardown(numbers, setup, teardown),
		cmocka_unit_test_setup_teardown(prints, setup, teardown),
		cmocka_unit_test_setup_teardown(bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(symbols, setup, teardown),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
