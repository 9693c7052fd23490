/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_cases.h - calls of string subroutines and what they must give, for a
 * strsize of 64; run on the host (test_rt_str) and in the kernel
 * (test_rt_verify).
 */
#ifndef RT_TEST_RT_CASES_H
#define RT_TEST_RT_CASES_H

#include "rt/test/rt_fixture.h"

#define CASE_STRSIZE 64

struct rt_case_arg {
	const char *s; /* NULL: the number */
	int64_t n;     /* of a string, its bytes with the NUL */
};

struct rt_case {
	const char *fn;
	struct rt_case_arg arg[3];
	int nargs;
	const char *str; /* the string that is the result; NULL: num is */
	int64_t num;
};

#define S(text) { .s = text, .n = sizeof(text) }
#define N(num) { .n = num }
#define GIVES_STR(name, n, text, ...) { name, { __VA_ARGS__ }, n, text, 0 }
#define GIVES_NUM(name, n, val, ...) { name, { __VA_ARGS__ }, n, NULL, val }

#define T10 "0123456789"
#define T60 T10 T10 T10 T10 T10 T10
#define NOT_FOUND -1

static const struct rt_case rt_cases[] = {
	GIVES_NUM("strlen", 1, 0, S("")),
	GIVES_NUM("strlen", 1, 5, S("hello")),
	GIVES_NUM("strlen", 1, 63, S(T60 "abc")),
	GIVES_NUM("strlen", 1, 63, S(T60 "abcd")),
	GIVES_NUM("strlen", 1, 63, S(T60 T60)),

	GIVES_STR("strjoin", 2, "foobar", S("foo"), S("bar")),
	GIVES_STR("strjoin", 2, "bar", S(""), S("bar")),
	GIVES_STR("strjoin", 2, "foo", S("foo"), S("")),
	GIVES_STR("strjoin", 2, "", S(""), S("")),
	GIVES_STR("strjoin", 2, T60 "abc", S(T60), S("abc")),
	GIVES_STR("strjoin", 2, T60 "abc", S(T60), S("abcdef")),
	GIVES_STR("strjoin", 2, T60 "abc", S(T60 "abcdef"), S("xyz")),

	GIVES_STR("strchr", 2, "llo", S("hello"), N('l')),
	GIVES_STR("strchr", 2, "hello", S("hello"), N('h')),
	GIVES_NUM("strchr", 2, 0, S("hello"), N('x')),
	GIVES_NUM("strchr", 2, 0, S(""), N('x')),
	GIVES_STR("strchr", 2, "", S("hello"), N(0)),
	GIVES_STR("strchr", 2, "\xe9t\xe9", S("\xe9t\xe9"), N(-23)),
	GIVES_NUM("strchr", 2, 0, S(T60 "abcX"), N('X')),
	GIVES_STR("strrchr", 2, "lo", S("hello"), N('l')),
	GIVES_STR("strrchr", 2, "hello", S("hello"), N('h')),
	GIVES_NUM("strrchr", 2, 0, S("hello"), N('x')),
	GIVES_STR("strrchr", 2, "", S("hello"), N(0)),

	GIVES_STR("strstr", 2, "llo", S("hello"), S("ll")),
	GIVES_STR("strstr", 2, "hello", S("hello"), S("")),
	GIVES_STR("strstr", 2, "hello", S("hello"), S("hello")),
	GIVES_NUM("strstr", 2, 0, S("hello"), S("hellos")),
	GIVES_NUM("strstr", 2, 0, S("hello"), S("lll")),
	GIVES_STR("strstr", 2, "", S(""), S("")),
	GIVES_NUM("strstr", 2, 0, S(""), S("a")),
	GIVES_STR("strstr", 2, "aab", S("aaaaaab"), S("aab")),

	GIVES_NUM("index", 2, 4, S("hello world"), S("o")),
	GIVES_NUM("index", 3, 4, S("hello world"), S("o"), N(4)),
	GIVES_NUM("index", 3, 7, S("hello world"), S("o"), N(5)),
	GIVES_NUM("index", 3, NOT_FOUND, S("hello world"), S("o"), N(8)),
	GIVES_NUM("index", 3, NOT_FOUND, S("hello"), S("o"), N(5)),
	GIVES_NUM("index", 3, NOT_FOUND, S("hello"), S("o"), N(500)),
	GIVES_NUM("index", 3, 4, S("hello"), S("o"), N(-3)),
	GIVES_NUM("index", 2, 0, S("hello"), S("")),
	GIVES_NUM("index", 3, 3, S("hello"), S(""), N(3)),
	GIVES_NUM("index", 3, 5, S("hello"), S(""), N(5)),
	GIVES_NUM("index", 3, 5, S("hello"), S(""), N(9)),
	GIVES_NUM("index", 3, 0, S("hello"), S(""), N(-9)),
	GIVES_NUM("index", 2, 0, S(""), S("")),
	GIVES_NUM("index", 2, NOT_FOUND, S(""), S("a")),

	GIVES_NUM("rindex", 2, 7, S("hello world"), S("o")),
	GIVES_NUM("rindex", 3, 7, S("hello world"), S("o"), N(7)),
	GIVES_NUM("rindex", 3, 4, S("hello world"), S("o"), N(6)),
	GIVES_NUM("rindex", 3, NOT_FOUND, S("hello world"), S("o"), N(3)),
	GIVES_NUM("rindex", 3, 7, S("hello world"), S("o"), N(100)),
	GIVES_NUM("rindex", 3, NOT_FOUND, S("hello"), S("h"), N(-1)),
	GIVES_NUM("rindex", 3, 0, S("hello"), S("hello"), N(0)),
	GIVES_NUM("rindex", 2, 5, S("hello"), S("")),
	GIVES_NUM("rindex", 3, 2, S("hello"), S(""), N(2)),
	GIVES_NUM("rindex", 3, 0, S("hello"), S(""), N(-2)),
	GIVES_NUM("rindex", 2, 0, S(""), S("")),
	GIVES_NUM("rindex", 2, NOT_FOUND, S(""), S("a")),

	GIVES_STR("substr", 2, "llo", S("hello"), N(2)),
	GIVES_STR("substr", 2, "hello", S("hello"), N(0)),
	GIVES_STR("substr", 2, "", S("hello"), N(5)),
	GIVES_STR("substr", 2, "", S("hello"), N(50)),
	GIVES_STR("substr", 2, "lo", S("hello"), N(-2)),
	GIVES_STR("substr", 2, "hello", S("hello"), N(-9)),
	GIVES_STR("substr", 3, "el", S("hello"), N(1), N(2)),
	GIVES_STR("substr", 3, "", S("hello"), N(-9), N(3)),
	GIVES_STR("substr", 3, "h", S("hello"), N(-7), N(3)),
	GIVES_STR("substr", 3, "ello", S("hello"), N(1), N(99)),
	GIVES_STR("substr", 3, "", S("hello"), N(1), N(0)),
	GIVES_STR("substr", 3, "el", S("hello"), N(1), N(-2)),
	GIVES_STR("substr", 3, "", S("hello"), N(1), N(-9)),
	GIVES_STR("substr", 3, "l", S("hello"), N(-2), N(1)),
	GIVES_STR("substr", 3, "h", S("hello"), N(-7), N(3)),
	GIVES_STR("substr", 3, "", S("hello"), N(-7), N(2)),
	GIVES_STR("substr", 3, "", S(""), N(0), N(1)),

	GIVES_STR("basename", 1, "baz", S("/foo/bar/baz")),
	GIVES_STR("basename", 1, "baz", S("/foo/bar/baz///")),
	GIVES_STR("basename", 1, "baz", S("baz")),
	GIVES_STR("basename", 1, ".", S("/foo/.")),
	GIVES_STR("basename", 1, "/", S("/")),
	GIVES_STR("basename", 1, "/", S("///")),
	GIVES_STR("basename", 1, ".", S("")),
	GIVES_STR("dirname", 1, "/foo/bar", S("/foo/bar/baz")),
	GIVES_STR("dirname", 1, "/foo/bar", S("/foo/bar///baz///")),
	GIVES_STR("dirname", 1, ".", S("baz")),
	GIVES_STR("dirname", 1, ".", S("baz/")),
	GIVES_STR("dirname", 1, "/", S("/baz")),
	GIVES_STR("dirname", 1, "/", S("//baz/")),
	GIVES_STR("dirname", 1, "/", S("///")),
	GIVES_STR("dirname", 1, ".", S("")),

	GIVES_STR("toupper", 1, "HELLO, [WORLD] @`{}~ \xe9 ZA",
		  S("hello, [World] @`{}~ \xe9 zA")),
	GIVES_STR("tolower", 1, "hello, [world] @`{}~ \xc9 za",
		  S("Hello, [WORLD] @`{}~ \xc9 Za")),
	GIVES_STR("toupper", 1, "", S("")),
	GIVES_STR("toupper", 1, T60 "ABC", S(T60 "abcdef")),

	GIVES_STR("lltostr", 1, "0", N(0)),
	GIVES_STR("lltostr", 1, "-1", N(-1)),
	GIVES_STR("lltostr", 1, "-9223372036854775808", N(INT64_MIN)),
	GIVES_STR("lltostr", 1, "9223372036854775807", N(INT64_MAX)),
	GIVES_STR("lltostr", 2, "0xffffffffffffffff", N(-1), N(16)),
	GIVES_STR("lltostr", 2, "0x0", N(0), N(16)),
	GIVES_STR("lltostr", 2, "0777", N(511), N(8)),
	GIVES_STR("lltostr", 2, "0", N(0), N(8)),
	GIVES_STR("lltostr", 2, "zz", N(1295), N(36)),
	/* 64 digits and strsize 64: the last one is cut */
	GIVES_STR("lltostr", 2,
		  "111111111111111111111111111111111111111111111111111111111"
		  "111111", N(-1), N(2)),
	GIVES_NUM("strtoll", 1, 123, S("123")),
	GIVES_NUM("strtoll", 1, -123, S(" \t\n-123xyz")),
	GIVES_NUM("strtoll", 1, 7, S("+007")),
	GIVES_NUM("strtoll", 1, 12, S("00000000000000000000000000000000000"
				      "0000000000000000000000000012")),
	GIVES_NUM("strtoll", 1, 0, S("")),
	GIVES_NUM("strtoll", 1, 0, S("x")),
	GIVES_NUM("strtoll", 1, 0, S("0x10")),
	GIVES_NUM("strtoll", 2, 16, S("0x10"), N(16)),
	GIVES_NUM("strtoll", 2, -0xabcdef, S("-ABCdef"), N(16)),
	GIVES_NUM("strtoll", 2, 1295, S("Zz"), N(36)),
	GIVES_NUM("strtoll", 2, 5, S("1012"), N(2)),
	GIVES_NUM("strtoll", 1, INT64_MAX, S("9223372036854775807")),
	GIVES_NUM("strtoll", 1, INT64_MAX, S("9223372036854775808")),
	GIVES_NUM("strtoll", 1, INT64_MAX, S("99999999999999999999999999")),
	GIVES_NUM("strtoll", 1, INT64_MIN, S("-9223372036854775808")),
	GIVES_NUM("strtoll", 1, INT64_MIN, S("-9999999999999999999")),

	GIVES_STR("cleanpath", 1, "/a/b/c", S("/a/b/c")),
	GIVES_STR("cleanpath", 1, "/a/b/c", S("//a/./b//c///")),
	GIVES_STR("cleanpath", 1, "/a/c", S("/a/b/../c")),
	GIVES_STR("cleanpath", 1, "/c", S("/a/../../../c")),
	GIVES_STR("cleanpath", 1, "/", S("/..")),
	GIVES_STR("cleanpath", 1, "/", S("/a/..")),
	GIVES_STR("cleanpath", 1, "a", S("a/b/..")),
	GIVES_STR("cleanpath", 1, ".", S("a/..")),
	GIVES_STR("cleanpath", 1, "", S("")),
	GIVES_STR("cleanpath", 1, "../../b", S(".././../a/../b")),
	GIVES_STR("cleanpath", 1, "/.../..a/.b", S("/.../..a/.b/")),

	/* one byte less than strsize, strsize, more */
	GIVES_STR("strjoin", 2, T60 "abc", S(T60), S("abc")),
	GIVES_STR("strjoin", 2, T60 "abc", S(T60 "a"), S("bcd")),
	GIVES_STR("strjoin", 2, T60 "abc", S(T60 "abc"), S("")),
	GIVES_STR("substr", 2, T60 "abc", S(T60 "abcdef"), N(0)),
	GIVES_STR("substr", 2, "c", S(T60 "abcdef"), N(-1)),
	GIVES_STR("substr", 3, "c", S(T60 "abcdef"), N(62), N(5)),
	GIVES_NUM("index", 2, 62, S(T60 "abcdef"), S("c")),
	GIVES_NUM("index", 2, NOT_FOUND, S(T60 "abcdef"), S("d")),
	GIVES_NUM("rindex", 2, 62, S(T60 "abcdef"), S("c")),
	GIVES_STR("basename", 1, "c", S(T60 "a/cdef")),
	GIVES_STR("dirname", 1, T60 "a", S(T60 "a/cdef")),
	GIVES_STR("cleanpath", 1, T60 "a/c", S(T60 "a/cdef")),
	GIVES_STR("cleanpath", 1, "..", S("a/../..")),
	GIVES_STR("cleanpath", 1, "/...", S("/.../")),
	GIVES_NUM("strlen", 1, 3, S("\xff\x80\x01")),
	GIVES_STR("toupper", 1, "\xc3\xa9\xff", S("\xc3\xa9\xff")),

	GIVES_NUM("strtoll", 2, 0, S("0x"), N(16)),
	GIVES_NUM("strtoll", 2, 0, S("-"), N(10)),
	GIVES_NUM("strtoll", 2, 0, S("--1"), N(10)),
	GIVES_NUM("strtoll", 2, 7, S("078"), N(8)),
	GIVES_NUM("strtoll", 2, -1, S("-1z"), N(2)),
	GIVES_NUM("strtoll", 2, INT64_MAX, S("7fffffffffffffff"), N(16)),
	GIVES_NUM("strtoll", 2, INT64_MAX, S("ffffffffffffffff"), N(16)),
	GIVES_NUM("strtoll", 2, INT64_MIN, S("-8000000000000000"), N(16)),
	GIVES_STR("lltostr", 2, "1y2p0ij32e8e7", N(INT64_MAX), N(36)),
	GIVES_STR("lltostr", 2, "1y2p0ij32e8e8", N(INT64_MIN), N(36)),
	GIVES_STR("lltostr", 2, "0x8000000000000000", N(INT64_MIN), N(16)),
	GIVES_STR("lltostr", 2, "01777777777777777777777", N(-1), N(8)),

	GIVES_STR("json", 2, "1", S("{\"a\":1}"), S("a")),
	GIVES_STR("json", 2, "1", S(" {\n\"a\" : 1 }"), S("a")),
	GIVES_STR("json", 2, "x", S("{\"a\":{\"b\":[1,{\"c\":\"x\"}]}}"),
		  S("a.b[1].c")),
	GIVES_STR("json", 2, "[1,{\"c\":\"x\"}]",
		  S("{\"a\":{\"b\":[1,{\"c\":\"x\"}]}}"), S("a.b")),
	GIVES_STR("json", 2, "4", S("[[1,2],[3,4]]"), S("[1][1]")),
	GIVES_STR("json", 2, "4", S("[[1,2],[3,4]]"), S("[1].[1]")),
	GIVES_STR("json", 2, "{}", S("[[],{}]"), S("[1]")),
	GIVES_STR("json", 2, "true", S("{\"a\":true,\"b\":null}"), S("a")),
	GIVES_STR("json", 2, "null", S("{\"a\":true,\"b\":null}"), S("b")),
	GIVES_STR("json", 2, "-1.5e3", S("{\"a\":-1.5e3}"), S("a")),
	GIVES_STR("json", 2, "", S("{\"a\":\"\"}"), S("a")),
	GIVES_STR("json", 2, "2", S("{\"\":2}"), S("")),
	GIVES_STR("json", 2, "2", S("{\"a\":{\"\":2}}"), S("a.")),
	GIVES_STR("json", 2, "2", S("{\"ab\":1,\"a\":2,\"a\":3}"), S("a")),
	GIVES_STR("json", 2, "3", S("{\"b\":\"}],\\\"\",\"a\":3}"), S("a")),
	GIVES_STR("json", 2, "3", S("{\"\\u0061\\/\":3}"), S("a/")),
	GIVES_STR("json", 2, "\"\\/\b\f\n\r\t",
		  S("{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}"), S("a")),
	GIVES_STR("json", 2, "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
		  S("{\"a\":\"\\u0041\\u00E9\\u20ac\\ud83d\\ude00\"}"),
		  S("a")),
	/* halves of pairs, and the NUL that no string holds */
	GIVES_STR("json", 2, "\xef\xbf\xbdx\xef\xbf\xbd\xef\xbf\xbd",
		  S("{\"a\":\"\\ud83dx\\ude00\\u0000\"}"), S("a")),
	GIVES_STR("json", 2, "\xef\xbf\xbd\xf0\x9f\x98\x80\xef\xbf\xbd",
		  S("[\"\\ud83d\\ud83d\\ude00\\ud83d\"]"), S("[0]")),
	GIVES_NUM("json", 2, 0, S("{\"a\":1}"), S("b")),
	GIVES_NUM("json", 2, 0, S("{\"a\":1}"), S("a.b")),
	GIVES_NUM("json", 2, 0, S("{\"a\":1}"), S("[0]")),
	GIVES_NUM("json", 2, 0, S("{\"ab\":1}"), S("a")),
	GIVES_NUM("json", 2, 0, S("{\"a\":1}"), S("ab")),
	GIVES_NUM("json", 2, 0, S("{\"a.b\":1}"), S("a.b")),
	GIVES_NUM("json", 2, 0, S("[1,2]"), S("[2]")),
	GIVES_NUM("json", 2, 0, S("[1,2]"), S("a")),
	GIVES_NUM("json", 2, 0, S("[]"), S("[0]")),
	GIVES_NUM("json", 2, 0, S("[1]"), S("[-1]")),
	GIVES_NUM("json", 2, 0, S("[1]"), S("[]")),
	GIVES_NUM("json", 2, 0, S("[1]"), S("[0")),
	GIVES_NUM("json", 2, 0, S("[1]"), S("[0]x")),
	GIVES_NUM("json", 2, 0, S("[1]"), S("[000000000]")),
	GIVES_NUM("json", 2, 0, S(""), S("a")),
	GIVES_NUM("json", 2, 0, S("1"), S("")),
	GIVES_NUM("json", 2, 0, S("{\"a\" 1}"), S("a")),
	GIVES_NUM("json", 2, 0, S("{\"a\":}"), S("a")),
	GIVES_NUM("json", 2, 0, S("{\"a\":\"\\u00g0\"}"), S("a")),
	/* documents that end too early */
	GIVES_NUM("json", 2, 0, S("{\"a\":12"), S("a")),
	GIVES_NUM("json", 2, 0, S("{\"a\":\"12"), S("a")),
	GIVES_NUM("json", 2, 0, S("{\"a\":{\"b\":1}"), S("a.c")),
	GIVES_NUM("json", 2, 0, S("[[1]"), S("[1]")),
	/* 63 bytes, and one more */
	GIVES_STR("json", 2, T10 T10 T10 T10 T10 "12345",
		  S("{\"a\":" T10 T10 T10 T10 T10 "12345 }"), S("a")),
	GIVES_NUM("json", 2, 0, S("{\"a\":" T10 T10 T10 T10 T10 "123456789}"),
		  S("a")),

	GIVES_STR("memstr", 3, "hell", S("hello"), N(' '), N(5)),
	GIVES_STR("memstr", 3, "hello", S("hello"), N(' '), N(6)),
	GIVES_STR("memstr", 3, "ab.cd.", S("ab\0cd\0"), N('.'), N(7)),
	GIVES_STR("memstr", 3, "ab", S("ab\0cd\0"), N(0), N(7)),
	GIVES_STR("memstr", 3, "ab\xff" "c", S("ab\0cd\0"), N(-1), N(5)),
	GIVES_STR("memstr", 3, "", S("x"), N('.'), N(1)),
	GIVES_STR("memstr", 3, "", S("x"), N('.'), N(0)),
	GIVES_STR("memstr", 3, T60 "abc", S(T60 "abcdef"), N('.'), N(64)),
	GIVES_STR("memstr", 3, T60 "abc", S(T60 "abcdef"), N('.'), N(65)),
	GIVES_STR("memstr", 3, T60 "abc", S(T60 "abcdef"), N('.'), N(-1)),

	GIVES_STR("link_ntop", 2, "00:1b:ff:0a:7f:80", N(1),
		  S("\x00\x1b\xff\x0a\x7f\x80")),
	GIVES_STR("link_ntop", 2,
		  "30:31:32:33:34:35:36:37:38:39:30:31:32:33:34:35:36:37:38:39",
		  N(32), S(T10 T10)),
	GIVES_STR("uuidtostr", 1, "30313233-3435-3637-3839-303132333435",
		  S(T10 T10)),
	GIVES_STR("uuidtostr", 1, "00ff0000-0000-0000-0000-000000000000",
		  S("\x00\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0")),
	GIVES_STR("inet_ntoa6", 2, "3031:3233:3435:3637:3839:3031:3233:3435",
		  S(T10 T10), N(0)),
	GIVES_STR("inet_ntoa6", 2, "127.0.0.1",
		  S("\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f\0\0\1"), N(0)),
	GIVES_STR("inet_ntoa6", 2, "127.0.0.1",
		  S("\0\0\0\0\0\0\0\0\0\0\0\0\x7f\0\0\1"), N(0)),
	GIVES_STR("inet_ntoa6", 2, "::ffff:127.0.0.1",
		  S("\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f\0\0\1"), N(1)),
	GIVES_STR("inet_ntoa6", 1, "::ffff:127.0.0.1",
		  S("\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f\0\0\1")),
	GIVES_STR("inet_ntoa6", 2, "::1",
		  S("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1"), N(0)),

	GIVES_NUM("getmajor", 1, 8, N(8 << 20 | 1)),
	GIVES_NUM("getminor", 1, 1, N(8 << 20 | 1)),
};
#define NCASES (sizeof(rt_cases) / sizeof(rt_cases[0]))

static inline void
case_push(struct rt *rt, const struct rt_case *c)
{
	for (int i = 0; i < c->nargs; i++) {
		if (c->arg[i].s)
			push_bytes(rt, c->arg[i].s, (size_t)c->arg[i].n);
		else
			push_val(rt, (uint64_t)c->arg[i].n);
	}
}

static inline void
case_check(const struct rt *rt, const struct rt_case *c, uint64_t res)
{
	const char *got;

	const char *first = c->arg[0].s ? c->arg[0].s : "number";

	if (rt->fault != RT_FAULT_NONE)
		fail_msg("%s(\"%s\"): fault %u", c->fn, first, rt->fault);
	if (!c->str) {
		if ((int64_t)res != c->num)
			fail_msg("%s(\"%s\"): %lld, not %lld", c->fn, first,
				 (long long)res,
				 (long long)c->num);
		return;
	}
	if (res < rt->self || res >= rt->self + sizeof(*rt))
		fail_msg("%s(\"%s\"): %#llx", c->fn, first,
			 (unsigned long long)res);
	got = (const char *)rt + (res - rt->self);
	if (strcmp(got, c->str) != 0)
		fail_msg("%s(\"%s\"): \"%s\", not \"%s\"", c->fn, first,
			 got, c->str);
	/* Exactly the result is taken. */
	assert_int_equal(rt->scratch, RT_ROUND8(strlen(c->str) + 1));
}

/* The bodies by name. */
typedef uint64_t subr_fn(struct rt *);

static inline subr_fn *
subr_by_name(const char *name)
{
	static const struct {
		const char *name;
		subr_fn *fn;
	} subrs[] = {
#define SUBR_IK(name) { #name, rt_subr_##name },
#define SUBR_IKP(name) SUBR_IK(name)
#define SUBR_I(name) SUBR_IK(name)
#define SUBR_NONE(name)
#define SUBR(id, name, proto, eng, flags, needs) SUBR_##eng(name)
#include "dif/subr.def"
#undef SUBR
	};

	for (size_t i = 0; i < sizeof(subrs) / sizeof(subrs[0]); i++)
		if (strcmp(subrs[i].name, name) == 0)
			return subrs[i].fn;
	return NULL;
}

#endif
