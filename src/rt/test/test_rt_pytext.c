/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_rt_pytext.c - names and lines of Python's frames from what a probe has
 * copied; and from anything at all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rt/engine.h"

static struct rt_py_area *area;

static int
setup(void **state)
{
	area = calloc(1, sizeof(*area));
	return area == NULL;
}

static int
teardown(void **state)
{
	free(area);
	return 0;
}

static uint64_t
frame(uint32_t code, uint32_t unit)
{
	return RT_PY_TAG | (uint64_t)code << RT_PY_AT_BITS | (unit + 1);
}

/* def f at line 10:
 *   units 0-1 on it (no column), 2-9 one line on (short of one line), 10 two
 *   lines back (long), 11 nowhere, 12-13 70 lines on (a delta of two bytes) */
static const uint8_t lines[] = {
	0x80 | 13 << 3 | 1, 0,
	0x80 | 11 << 3 | 7, 4, 9,
	0x80 | 14 << 3 | 0, 2 << 1 | 1, 0, 1, 2,
	0x80 | 15 << 3 | 0,
	0x80 | 13 << 3 | 1, 0x40 | (70 << 1 & 0x3f), 70 << 1 >> 6,
};

static void
code_set(uint32_t n, const char *name, uint32_t nname, uint32_t kind,
	 const char *file)
{
	struct rt_py_code *c = &area->code[n];
	uint32_t at = 1000 * n, nfile = (uint32_t)strlen(file);

	*c = (struct rt_py_code){ .state = RT_PY_DONE, .text = at, .line = 10,
				  .nname = (uint16_t)nname,
				  .nfile = (uint16_t)nfile,
				  .nlines = sizeof(lines),
				  .name_kind = (uint8_t)kind, .file_kind = 1 };
	memcpy(area->text + at, name, nname);
	memcpy(area->text + at + nname, file, nfile);
	memcpy(area->text + at + nname + nfile, lines, sizeof(lines));
}

static void
expect(uint64_t pc, const char *name, const char *file, uint32_t line)
{
	struct buf n = BUF_INIT, f = BUF_INIT;
	uint32_t got;

	assert_true(rt_py_text(area, pc, &n, &f, &got));
	assert_string_equal(buf_str(&n), name);
	assert_string_equal(buf_str(&f), file);
	assert_int_equal(got, line);
	buf_fini(&n);
	buf_fini(&f);
}

static void
test_lines(void **state)
{
	static const struct {
		uint32_t unit, line;
	} v[] = { { 0, 10 }, { 1, 10 }, { 2, 11 },  { 9, 11 },
		  { 10, 9 }, { 11, 9 }, { 12, 79 }, { 13, 79 }, { 14, 0 } };

	code_set(3, "A.f", 3, 1, "/srv/a.py");
	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++)
		expect(frame(3, v[i].unit), "A.f", "/srv/a.py", v[i].line);
	expect(frame(3, (uint32_t)-1), "A.f", "/srv/a.py", 10);
	expect(frame(3, RT_PY_AT_MAX - 1), "A.f", "/srv/a.py", 0);
}

/* Places of a line are one key, which has the same text. */
static void
test_keys(void **state)
{
	uint64_t a = rt_py_by_line(area, frame(3, 2));

	assert_int_equal(a, rt_py_by_line(area, frame(3, 9)));
	assert_true(a != rt_py_by_line(area, frame(3, 12)));
	assert_int_equal(a, rt_py_by_line(area, a));
	assert_true(rt_py_is(a) && rt_py_is(a | RT_PY_PROCESS));
	expect(a, "A.f", "/srv/a.py", 11);
	assert_int_equal(rt_py_by_line(area, 0x7f0000001234), 0x7f0000001234);
	/* The kernel's page of system calls of old is an address. */
	assert_false(rt_py_is(0xffffffffff600000));
	assert_int_equal(rt_py_by_line(area, frame(77, 2)), frame(77, 2));
}

static void
test_characters(void **state)
{
	static const uint16_t two[] = { 'x', 0x03b1, 0xd800, 0x2028, 0x9b };
	static const uint32_t four[] = { 0x1f40d, 0x110000, 0x1b, 'y' };

	code_set(4, "gr\xfcn\x1b[`", 7, 1, "a\nb");
	expect(frame(4, 0), "gr\xc3\xbcn?[?", "a?b", 10);
	code_set(5, (const char *)two, sizeof(two), 2, "");
	expect(frame(5, 0), "x\xce\xb1?\xe2\x80\xa8?", "", 10);
	code_set(6, (const char *)four, sizeof(four), 4, "");
	expect(frame(6, 0), "\xf0\x9f\x90\x8d??y", "", 10);
	/* Bytes of UTF-8; what is none is Latin-1, also at the end. */
	code_set(7, "\xce\xb1::\xf0\x9f\x90\x8d\xfc!\x9b`\xc3\xbc\xe2\x80", 16,
		 RT_PY_UTF8, "f");
	expect(frame(7, 0), "\xce\xb1::\xf0\x9f\x90\x8d\xc3\xbc!??\xc3\xbc\xc3\xa2?",
	       "f", 10);
}

/* What a process could write there: nothing is read outside, nothing that a
   terminal obeys comes out. */
static void
test_anything(void **state)
{
	uint8_t *p = (uint8_t *)area;

	srandom(1);
	for (size_t i = 0; i < sizeof(*area); i++)
		p[i] = (uint8_t)random();
	for (uint32_t i = 0; i < RT_PY_CODES; i++) {
		struct buf n = BUF_INIT, f = BUF_INIT;
		uint32_t line;

		area->code[i].state = RT_PY_DONE;
		area->code[i].name_kind = (uint8_t)(1 << i % 4);
		if (i % 2)
			area->code[i].text %= RT_PY_TEXT + 2;
		if (rt_py_text(area, frame(i, (uint32_t)random() % 4000), &n,
			       &f, &line))
			for (size_t k = 0; k < n.n; k++)
				assert_true((uint8_t)n.p[k] >= 0x20 &&
					    n.p[k] != 0x7f);
		buf_fini(&n);
		buf_fini(&f);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_characters),
		cmocka_unit_test(test_anything),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
