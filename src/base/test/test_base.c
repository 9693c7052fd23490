/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_base.c - arenas, growing strings, tables, errors: what everything else
 * stands on, and with no memory too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <cmocka.h>

#include "base/test/nomem.h"

#include "base/arena.h"
#include "base/fence.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/vec.h"

/* ---- arenas -------------------------------------------------------------- */

static bool
all_zero(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != 0)
			return false;
	return true;
}

/* Pieces of many sizes are zeroed, aligned, and apart from each other. */
static void
test_arena_pieces(void **state)
{
	static const size_t sizes[] = { 0,    1,    15,   16,    17,    100,
					4095, 4096, 4097, 16383, 16384, 70000 };
	enum { N = 400 };
	struct arena *a = arena_new();
	unsigned char *p[N];

	(void)state;
	for (size_t i = 0; i < N; i++) {
		size_t n = sizes[i % 12];

		p[i] = arena_alloc(a, n);
		assert_non_null(p[i]);
		assert_int_equal((uintptr_t)p[i] % 16, 0);
		assert_true(all_zero((char *)p[i], n));
		memset(p[i], (int)(i & 0xff), n);
	}
	for (size_t i = 0; i < N; i++)
		for (size_t k = 0; k < sizes[i % 12]; k++)
			assert_int_equal(p[i][k], i & 0xff);
	arena_free(a);
	arena_free(NULL);
}

/* A large piece does not end the chunk that small ones are taken from. */
static void
test_arena_large_keeps_chunk(void **state)
{
	struct arena *a = arena_new();
	char *first = arena_alloc(a, 16), *second;

	(void)state;
	assert_non_null(arena_alloc(a, 100000));
	second = arena_alloc(a, 16);
	assert_ptr_equal(second, first + 16 + FENCE_BYTES);
	arena_free(a);
}

/* In a sanitized build what lies behind a piece is nobody's. */
static void
test_arena_fences(void **state)
{
	static const size_t sizes[] = { 0, 1, 7, 8, 15, 16, 17, 16384, 70000 };
	const bool fences = FENCE_BYTES != 0;
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(sizes) / sizeof(*sizes); i++) {
		size_t n = sizes[i % (sizeof(sizes) / sizeof(*sizes))];
		char *p = arena_alloc(a, n);

		assert_non_null(p);
		assert_false(n > 0 && fence_is_at(p));
		assert_false(n > 0 && fence_is_at(p + n - 1));
		assert_int_equal(fence_is_at(p + n), fences);
	}
	arena_free(a);
}

static void
test_arena_copies(void **state)
{
	struct arena *a = arena_new();
	char text[] = "abc";
	char *s = arena_strdup(a, text), *n = arena_strndup(a, text, 2);
	char *m = arena_memdup(a, text, 3), *f = arena_printf(a, "%s-%d", s, 7);

	(void)state;
	text[0] = 'x';
	assert_string_equal(s, "abc");
	assert_string_equal(n, "ab");
	assert_string_equal(arena_strndup(a, "abc", 10), "abc");
	assert_memory_equal(m, "abc", 3);
	assert_string_equal(f, "abc-7");
	assert_non_null(arena_memdup(a, NULL, 0));
	arena_free(a);
}

static void
count_call(void *arg)
{
	(*(int *)arg)++;
}

/* What is too large to be counted in bytes, and no memory: the handler is
   called once each time, and NULL comes back; without a handler, NULL. */
static void
test_arena_fails(void **state)
{
	struct arena *a = arena_new();
	int calls = 0;

	(void)state;
	assert_null(arena_alloc(a, SIZE_MAX));
	assert_null(arena_alloc(a, SIZE_MAX - 40));
	arena_on_oom(a, count_call, &calls);
	assert_null(arena_alloc(a, SIZE_MAX));
	assert_int_equal(calls, 1);
	assert_null(arena_alloc(a, SIZE_MAX - 40));
	assert_int_equal(calls, 2);
	assert_null(arena_calloc(a, SIZE_MAX / 2, 3));
	assert_int_equal(calls, 3);
	nomem_arm(1);
	assert_null(arena_strdup(a, "abc"));
	assert_int_equal(calls, 4);
	nomem_arm(1);
	assert_null(arena_printf(a, "%d", 3));
	assert_int_equal(calls, 5);
	nomem_disarm();
	assert_string_equal(arena_strdup(a, "abc"), "abc");
	assert_non_null(arena_calloc(a, 3, 5));
	assert_int_equal(calls, 5);
	arena_free(a);
	nomem_arm(1);
	assert_null(arena_new());
	nomem_disarm();
}

/* ---- growing strings ----------------------------------------------------- */

static void
test_buf(void **state)
{
	struct buf b = BUF_INIT;
	char want[4000];
	char *s;

	(void)state;
	assert_string_equal(buf_str(&b), "");
	buf_write(&b, "x", 0);
	assert_string_equal(buf_str(&b), "");
	for (size_t i = 0; i < sizeof(want) - 1; i++) {
		want[i] = (char)('a' + i % 26);
		buf_putc(&b, want[i]);
		assert_int_equal(b.n, i + 1);
		assert_int_equal(b.p[i + 1], '\0');
		assert_true(b.cap > b.n);
	}
	want[sizeof(want) - 1] = '\0';
	assert_string_equal(buf_str(&b), want);
	buf_reset(&b);
	assert_string_equal(buf_str(&b), "");
	buf_puts(&b, "one");
	buf_printf(&b, " %s %d", "two", 3);
	assert_string_equal(buf_str(&b), "one two 3");
	assert_int_equal(b.n, 9);
	s = buf_detach(&b);
	assert_string_equal(s, "one two 3");
	assert_null(b.p);
	assert_int_equal(b.n, 0);
	free(s);
	s = buf_detach(&b); /* of an empty one too */
	assert_string_equal(s, "");
	free(s);
	buf_fini(&b);
}

/* Texts that just fit, and those that just do not. */
static void
test_buf_borders(void **state)
{
	char text[300];

	(void)state;
	memset(text, 'q', sizeof(text));
	for (size_t n = 0; n < sizeof(text); n++) {
		struct buf b = BUF_INIT;

		buf_printf(&b, "%.*s", (int)n, text);
		assert_int_equal(b.n, n);
		assert_int_equal(strlen(buf_str(&b)), n);
		assert_true(n == 0 || b.cap > b.n);
		buf_fini(&b);
	}
}

/* After a failure nothing is written, and nothing is had. */
static void
test_buf_fails(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	buf_puts(&b, "kept");
	nomem_arm(1);
	for (int i = 0; i < 100; i++)
		buf_puts(&b, "much");
	nomem_disarm();
	assert_true(b.failed);
	assert_string_equal(buf_str(&b), "");
	buf_puts(&b, "more");
	assert_string_equal(buf_str(&b), "");
	assert_null(buf_detach(&b));
	assert_false(b.failed); /* as new */
	nomem_arm(1);
	assert_null(buf_detach(&b));
	nomem_disarm();
	buf_fini(&b);
}

/* ---- tables -------------------------------------------------------------- */

static void
test_hash(void **state)
{
	enum { N = 5000 };
	struct hash *h = hash_new();
	static int val[N];
	const void *key;
	size_t pos = 0, len;
	void *v;

	(void)state;
	assert_null(hash_find_str(h, "none"));
	assert_false(hash_next(h, &pos, &key, &len, &v));
	for (int i = 0; i < N; i++) {
		assert_int_equal(hash_count(h), i);
		assert_int_equal(hash_set(h, &i, sizeof(i), &val[i]), 0);
	}
	for (int i = 0; i < N; i++)
		assert_ptr_equal(hash_find(h, &i, sizeof(i)), &val[i]);
	for (int i = 0; i < N; i += 3)
		assert_int_equal(hash_set(h, &i, sizeof(i), NULL), 0);
	assert_int_equal(hash_count(h), N - (N + 2) / 3);
	for (int i = 0; i < N; i++)
		assert_ptr_equal(hash_find(h, &i, sizeof(i)),
				 i % 3 == 0 ? NULL : &val[i]);
	pos = 0;
	for (int i = 0; i < N; i++) {
		if (i % 3 == 0)
			continue;
		assert_true(hash_next(h, &pos, &key, &len, &v));
		assert_int_equal(len, sizeof(i));
		assert_memory_equal(key, &i, sizeof(i));
		assert_ptr_equal(v, &val[i]);
	}
	assert_false(hash_next(h, &pos, NULL, NULL, &v));
	hash_free(h);
	hash_free(NULL);
}

/* Keys are bytes: their length counts, and what only hashes alike is another
   key; a key that comes again has its value replaced, and counts once. */
static void
test_hash_keys(void **state)
{
	struct hash *h = hash_new();
	int a, b, c;

	(void)state;
	assert_int_equal(hash_set(h, "a\0b", 3, &a), 0);
	assert_int_equal(hash_set(h, "a\0c", 3, &b), 0);
	assert_int_equal(hash_set(h, "", 0, &c), 0);
	assert_ptr_equal(hash_find(h, "a\0b", 3), &a);
	assert_ptr_equal(hash_find(h, "a\0c", 3), &b);
	assert_ptr_equal(hash_find_str(h, ""), &c);
	assert_null(hash_find_str(h, "a"));
	assert_int_equal(hash_set(h, "a\0b", 3, &c), 0);
	assert_ptr_equal(hash_find(h, "a\0b", 3), &c);
	assert_int_equal(hash_count(h), 3);
	assert_int_equal(hash_set_str(h, "nobody", NULL), 0);
	assert_int_equal(hash_count(h), 3);
	assert_int_equal(hash_set(h, "a\0b", 3, NULL), 0);
	assert_int_equal(hash_set(h, "a\0b", 3, NULL), 0);
	assert_int_equal(hash_count(h), 2);
	assert_int_equal(hash_set(h, "a\0b", 3, &a), 0);
	assert_ptr_equal(hash_find(h, "a\0b", 3), &a);
	assert_int_equal(hash_count(h), 3);
	hash_free(h);
}

/* Keys that come and go for ever do not make the table grow. */
static void
test_hash_stays_small(void **state)
{
	struct hash *h = hash_new();
	size_t pos = 0, seen = 0;
	void *v;
	int x;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		assert_int_equal(hash_set(h, &i, sizeof(i), &x), 0);
		assert_int_equal(hash_set(h, &i, sizeof(i), NULL), 0);
	}
	assert_int_equal(hash_count(h), 0);
	while (hash_next(h, &pos, NULL, NULL, &v))
		seen++;
	assert_int_equal(seen, 0);
	assert_true(pos <= 16);
	hash_free(h);
}

/* Whatever allocation fails, the table is as it was before. */
static void
test_hash_fails(void **state)
{
	static int val[100];

	(void)state;
	for (long n = 1; n < 300; n++) {
		struct hash *h = hash_new();
		size_t held = 0;

		nomem_arm(n);
		for (int i = 0; i < 100; i++) {
			size_t was = hash_count(h);

			if (hash_set(h, &i, sizeof(i), &val[i]) == 0)
				held++;
			else
				assert_null(hash_find(h, &i, sizeof(i)));
			assert_int_equal(hash_count(h), held);
			assert_true(hash_count(h) - was <= 1);
		}
		nomem_disarm();
		assert_true(held >= 99);
		hash_free(h);
	}
}

/* ---- arrays, errors ------------------------------------------------------ */

static void
test_vec(void **state)
{
	VEC(int) v = { 0 };

	(void)state;
	for (int i = 0; i < 1000; i++) {
		assert_true(vec_push(&v, i));
		assert_true(v.cap >= v.n);
	}
	for (int i = 0; i < 1000; i++)
		assert_int_equal(v.v[i], i);
	while (v.n < v.cap)
		assert_true(vec_push(&v, 7));
	v.n = 3; /* and what was there is not any more */
	assert_true(vec_push(&v, 8));
	assert_false(fence_is_at(&v.v[3]));
	assert_int_equal(fence_is_at(&v.v[4]), FENCE_BYTES != 0);
	assert_int_equal(fence_is_at(&v.v[v.cap - 1]), FENCE_BYTES != 0);
	while (v.n < v.cap)
		assert_true(vec_push(&v, 7));
	assert_false(fence_is_at(&v.v[v.cap - 1]));
	nomem_arm(1);
	assert_false(vec_push(&v, 8));
	nomem_disarm();
	assert_int_equal(v.n, v.cap);
	vec_fini(&v);
	assert_null(v.v);
	assert_int_equal(v.cap, 0);
}

static void
test_err(void **state)
{
	static const struct err_tag tag = { "D_TEST", 1 };
	const struct src_loc loc = { "f.d", 3, 9 };
	static struct err e;
	char longer[ERR_MSG_MAX * 2];

	(void)state;
	assert_false(err_is_set(&e));
	assert_int_equal(err_set(&e, &tag, ENOENT, "file %s", "x"), -1);
	assert_true(err_is_set(&e));
	assert_int_equal(e.sys, ENOENT);
	assert_string_equal(e.msg, "file x: No such file or directory");
	/* The first one stays. */
	assert_int_equal(err_set(&e, &ERR_GENERIC, 0, "other"), -1);
	assert_int_equal(err_set_loc(&e, &ERR_GENERIC, loc, "other"), -1);
	assert_int_equal(err_nomem(&e), -1);
	assert_ptr_equal(e.tag, &tag);
	assert_int_equal(e.loc.line, 0);
	assert_string_equal(e.msg, "file x: No such file or directory");
	err_clear(&e);
	assert_false(err_is_set(&e));
	assert_string_equal(e.msg, "");
	assert_int_equal(err_set_loc(&e, &tag, loc, "bad %d", 5), -1);
	assert_string_equal(e.msg, "bad 5");
	assert_int_equal(e.loc.col, 9);
	assert_int_equal(e.sys, 0);
	err_clear(&e);
	assert_int_equal(e.loc.line, 0);
	assert_int_equal(err_nomem(&e), -1);
	assert_ptr_equal(e.tag, &ERR_NOMEM);
	/* What is too long is cut, and never written past the end. */
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	err_clear(&e);
	err_set(&e, &tag, ENOENT, "%s", longer);
	assert_int_equal(strlen(e.msg), ERR_MSG_MAX - 1);
	err_clear(&e);
	err_set(&e, &tag, ENOENT, "%.*s", ERR_MSG_MAX - 5, longer);
	assert_int_equal(strlen(e.msg), ERR_MSG_MAX - 1);
	assert_string_equal(e.msg + ERR_MSG_MAX - 5, ": No");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arena_pieces),
		cmocka_unit_test(test_arena_large_keeps_chunk),
		cmocka_unit_test(test_arena_fences),
		cmocka_unit_test(test_arena_copies),
		cmocka_unit_test(test_arena_fails),
		cmocka_unit_test(test_buf),
		cmocka_unit_test(test_buf_borders),
		cmocka_unit_test(test_buf_fails),
		cmocka_unit_test(test_hash),
		cmocka_unit_test(test_hash_keys),
		cmocka_unit_test(test_hash_stays_small),
		cmocka_unit_test(test_hash_fails),
		cmocka_unit_test(test_vec),
		cmocka_unit_test(test_err),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
