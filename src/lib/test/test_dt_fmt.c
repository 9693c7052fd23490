/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Conversions of printf(), to the column. */
#include "dt_test.h"

#include <stdlib.h>
#include <time.h>

static struct cap c;
static struct rec r;

static int
setup(void **state)
{
	setenv("TZ", "UTC0", 1);
	tzset();
	cap_init(&c);
	memset(&r, 0, sizeof(r));
	return 0;
}

static int
teardown(void **state)
{
	cap_fini(&c);
	return 0;
}

static void
one_int(const char *fmt, int64_t v, uint32_t size, const char *want)
{
	rec_int(&r, v, size);
	assert_int_equal(rec_stmt(&c, &r, DIF_ACT_PRINTF, fmt), 0);
	cap_expect(&c, want);
}

static void
one_uint(const char *fmt, uint64_t v, uint32_t size, const char *want)
{
	rec_uint(&r, v, size);
	assert_int_equal(rec_stmt(&c, &r, DIF_ACT_PRINTF, fmt), 0);
	cap_expect(&c, want);
}

static void
one_str(const char *fmt, const char *s, const char *want)
{
	rec_str(&r, s);
	assert_int_equal(rec_stmt(&c, &r, DIF_ACT_PRINTF, fmt), 0);
	cap_expect(&c, want);
}

static void
test_integers(void **state)
{
	one_int("%d", -5, 4, "-5");
	one_int("%i|", INT64_MIN, 8, "-9223372036854775808|");
	one_uint("%d", UINT64_MAX, 8, "18446744073709551615");
	one_uint("%d", 0xffffffff, 4, "4294967295");
	one_int("%u", -1, 4, "4294967295");
	one_int("%x", -1, 4, "ffffffff");
	one_int("%X", -1, 1, "FF");
	one_int("%llx", -1, 2, "ffff");
	one_int("%o", 8, 4, "10");
	one_int("%#o %%", 8, 4, "010 %");
	one_int("%#o", 0, 4, "0");
	one_int("%#x", 255, 4, "0xff");
	one_int("%#X", 255, 4, "0XFF");
	one_int("%#x", 0, 4, "0");
	one_int("%hd", 70000, 4, "70000"); /* sizes mean nothing */
}

static void
test_flags_and_widths(void **state)
{
	one_int("[%6d]", 42, 4, "[    42]");
	one_int("[%-6d]", 42, 4, "[42    ]");
	one_int("[%06d]", -42, 4, "[-00042]");
	one_int("[%-06d]", 42, 4, "[42    ]");
	one_int("[%+d]", 42, 4, "[+42]");
	one_int("[% d]", 42, 4, "[ 42]");
	one_int("[%8.4d]", 42, 4, "[    0042]");
	one_int("[%08.4d]", 42, 4, "[    0042]");
	one_int("[%.0d]", 0, 4, "[]");
	one_int("[%5.0d]", 0, 4, "[     ]");
	one_int("[%#06x]", 255, 4, "[0x00ff]");
	one_int("[%2d]", 12345, 4, "[12345]");
	one_int("[%?d]", 1, 4, "[               1]");
}

static void
test_thousands(void **state)
{
	one_int("%'d", 0, 4, "0");
	one_int("%'d", 999, 4, "999");
	one_int("%'d", 1000, 4, "1,000");
	one_int("%'d", -1234567, 4, "-1,234,567");
	one_int("[%'12d]", 1234567, 4, "[   1,234,567]");
	one_int("[%'-12d]", 1234567, 4, "[1,234,567   ]");
	one_uint("%'u", UINT64_MAX, 8, "18,446,744,073,709,551,615");
}

static void
test_star(void **state)
{
	rec_int(&r, 6, 4);
	rec_str(&r, "abc");
	assert_int_equal(rec_stmt(&c, &r, DIF_ACT_PRINTF, "[%*s]"), 0);
	cap_expect(&c, "[   abc]");
	rec_int(&r, -6, 4);
	rec_int(&r, 2, 4);
	rec_str(&r, "abc");
	assert_int_equal(rec_stmt(&c, &r, DIF_ACT_PRINTF, "[%*.*s]"), 0);
	cap_expect(&c, "[ab    ]");
	rec_int(&r, -1, 4); /* a negative precision is none */
	rec_str(&r, "abc");
	assert_int_equal(rec_stmt(&c, &r, DIF_ACT_PRINTF, "[%.*s]"), 0);
	cap_expect(&c, "[abc]");
	rec_int(&r, INT32_MIN, 4);
	rec_str(&r, "abc");
	cap_expect_err(&c, rec_stmt(&c, &r, DIF_ACT_PRINTF, "[%*s]"),
		       "too large");
}

static void
test_pointers(void **state)
{
	one_uint("%p", 0xffffffff81000000, 8, "ffffffff81000000");
	one_uint("%#p", 0xbeef, 8, "0xbeef");
	one_uint("[%?p]", 0xbeef, 8, "[            beef]");
	one_uint("[%0?p]", 0xbeef, 8, "[000000000000beef]");
	one_uint("%a", 0xff00, 8, "vmlinux`start");
	one_uint("[%20a]", 0xff08, 8, "[   vmlinux`start+0x8]");
	one_uint("%a", 0x1234, 8, "0x1234");
	one_uint("%A", 0x104, 8, "0x104");
	c.o.target = 7;
	one_uint("%A", 0x104, 8, "a.out`main+0x4");
}

static void
test_strings(void **state)
{
	one_str("%s", "hello", "hello");
	one_str("[%8s]", "hello", "[   hello]");
	one_str("[%-8s]", "hello", "[hello   ]");
	one_str("[%.2s]", "hello", "[he]");
	one_str("%S", "a\tb\n\x01\\", "a\\tb\\n\\001\\");
	rec_bytes(&r, "abc\0junk", 8);
	assert_int_equal(rec_stmt(&c, &r, DIF_ACT_PRINTF, "[%s]"), 0);
	cap_expect(&c, "[abc]");
	rec_bytes(&r, "abcd", 4);
	assert_int_equal(rec_stmt(&c, &r, DIF_ACT_PRINTF, "[%s]"), 0);
	cap_expect(&c, "[abcd]");
	rec_bytes(&r, U"h\u00e9\u20ac", 16);
	assert_int_equal(rec_stmt(&c, &r, DIF_ACT_PRINTF, "[%ws]"), 0);
	cap_expect(&c, "[h\u00e9\u20ac]");
}

static void
test_characters(void **state)
{
	one_int("[%c]", 'x', 1, "[x]");
	one_int("[%3c]", 'x', 4, "[  x]");
	one_int("[%C]", '\n', 1, "[\\n]");
	one_int("[%C]", 0, 1, "[\\0]");
	one_int("[%C]", 'x', 1, "[x]");
	one_int("[%wc]", 0x20ac, 4, "[\u20ac]");
	one_int("[%wc]", 0x1f600, 4, "[\U0001f600]");
}

static void
test_times(void **state)
{
	const int64_t t = INT64_C(1090330100) * 1000000000 + 5;

	one_int("%Y", t, 8, "2004 Jul 20 13:28:20");
	one_int("[%-24Y]", t, 8, "[2004 Jul 20 13:28:20    ]");
	one_int("%Y", 0, 8, "1970 Jan  1 00:00:00");
	one_int("%Y", -1, 8, "1969 Dec 31 23:59:59");
	one_int("%T", t, 8, "Tue, 20 Jul 2004 13:28:20 UTC");
}

static void
test_floats(void **state)
{
	double d = 1234.5678;
	float f = -0.5f;

	rec_field(&r, &d, 8)->type =
		(struct dif_type){ .ckind = DIF_CK_FLOAT, .size = 8 };
	assert_int_equal(rec_stmt(&c, &r, DIF_ACT_PRINTF, "[%10.2f]"), 0);
	cap_expect(&c, "[   1234.57]");
	rec_field(&r, &f, 4)->type =
		(struct dif_type){ .ckind = DIF_CK_FLOAT, .size = 4 };
	assert_int_equal(rec_stmt(&c, &r, DIF_ACT_PRINTF, "[%-8g]"), 0);
	cap_expect(&c, "[-0.5    ]");
}

static void
test_network(void **state)
{
	one_uint("%P", 0x0100, 2, "tcpmux"); /* port 1, network order */
	one_str("%I", "not an address", "not an address");
}

static void
test_sources(void **state)
{
	const uint64_t pcs[] = { 0xff02, 0x55, 0, 0x77 };
	const uint64_t upcs[] = { 7, 0x100, 0x10f, 0x999 };
	const uint32_t id = 3;

	rec_src(&r, DIF_SRC_STACK, 4, pcs, sizeof(pcs));
	assert_int_equal(rec_stmt(&c, &r, DIF_ACT_PRINTF, "<%k>"), 0);
	cap_expect(&c, "<\n              vmlinux`start+0x2\n"
		       "              0x55\n>");
	rec_src(&r, DIF_SRC_USTACK, 3, upcs, sizeof(upcs));
	assert_int_equal(rec_stmt(&c, &r, DIF_ACT_PRINTF, "<%4k>"), 0);
	cap_expect(&c, "<\n    a.out`main\n    a.out`main+0xf\n"
		       "    0x999\n>");
	rec_src(&r, DIF_SRC_NAME, DIF_VAR_probefunc, &id, 4);
	rec_src(&r, DIF_SRC_USYM, DIF_ACT_UADDR, upcs + 0, 16);
	assert_int_equal(rec_stmt(&c, &r, DIF_ACT_PRINTF, "%s %12A"), 0);
	cap_expect(&c, "write   a.out`main");
}

static void
test_text(void **state)
{
	struct buf b = BUF_INIT;
	struct dif_stmt st = { .kind = DIF_ACT_SYSTEM,
			       .fmt = "echo %d%%\n",
			       .exprs = r.x,
			       .nexprs = 1 };

	assert_int_equal(rec_stmt(&c, &r, DIF_ACT_PRINTF, "100%% sure\n"), 0);
	cap_expect(&c, "100% sure\n");
	rec_int(&r, 5, 4);
	assert_int_equal(dt_out_stmt(&c.o, NULL, &st, r.bytes, &c.e),
			 DT_OUT_OTHER);
	assert_int_equal(dt_out_format(&c.o, &st, r.bytes, &b, &c.e), 0);
	assert_string_equal(buf_str(&b), "echo 5%\n");
	buf_fini(&b);
	cap_expect(&c, "");
}

static void
test_errors(void **state)
{
	rec_int(&r, 1, 4);
	cap_expect_err(&c, rec_stmt(&c, &r, DIF_ACT_PRINTF, "%d %d"),
		       "more conversions than arguments");
	rec_str(&r, "x");
	cap_expect_err(&c, rec_stmt(&c, &r, DIF_ACT_PRINTF, "%d"),
		       "%d cannot print a string");
	rec_int(&r, 1, 4);
	cap_expect_err(&c, rec_stmt(&c, &r, DIF_ACT_PRINTF, "%s"),
		       "%s cannot print an integer");
	rec_int(&r, 1, 4);
	cap_expect_err(&c, rec_stmt(&c, &r, DIF_ACT_PRINTF, "%@d"),
		       "outside printa()");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(test_integers),   T(test_flags_and_widths),
		T(test_thousands),  T(test_star),
		T(test_pointers),   T(test_strings),
		T(test_characters), T(test_times),
		T(test_floats),     T(test_network),
		T(test_sources),    T(test_text),
		T(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
