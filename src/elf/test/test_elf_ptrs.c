/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_elf_ptrs.c - addresses of code that data holds: of ptrs.c, which is
 * linked in three ways.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "elf/elf.h"
#include "elf/test/ptrs.h"

static char **paths; /* RELA, RELR, program */

static uint64_t
addr_of(struct elf_file *f, const char *name)
{
	size_t n;
	const struct elf_sym *s = elf_syms(f, &n);

	for (size_t i = 0; i < n; i++)
		if (strcmp(s[i].name, name) == 0)
			return s[i].addr;
	fail_msg("no symbol %s", name);
	return 0;
}

static bool
is_held(struct elf_file *f, uint64_t addr)
{
	size_t n;
	const uint64_t *v = elf_code_ptrs(f, &n);

	for (size_t i = 0; i < n; i++) {
		assert_true(i == 0 || v[i] > v[i - 1]);
		if (v[i] == addr)
			return true;
	}
	return false;
}

/* Each word of ptr_data, and each byte of ptr_code that one may lead to. */
static void
words(struct elf_file *f)
{
	uint64_t data = addr_of(f, "ptr_data"), code = addr_of(f, "ptr_code");

	for (uint64_t i = 0; i < PTR_WORDS; i++) {
		uint64_t to = 0;

		assert_int_equal(elf_code_ptr(f, data + 8 * i, &to), PTR_IS(i));
		if (PTR_IS(i))
			assert_int_equal(to, code + i);
		assert_int_equal(is_held(f, code + i), PTR_IS(i));
		assert_false(elf_code_ptr(f, data + 8 * i + 4, &to));
	}
}

static void
others(struct elf_file *f, bool program)
{
	uint64_t more = addr_of(f, "ptr_more"), code = addr_of(f, "ptr_code");
	uint64_t sym = addr_of(f, "ptr_sym"), to = 0;

	assert_true(elf_code_ptr(f, more, &to));
	assert_int_equal(to, sym + 5);
	assert_true(is_held(f, sym + 5));
	if (!program) /* strlen() is elsewhere; a program may have a stub */
		assert_false(elf_code_ptr(f, more + 8, &to));
	assert_false(elf_code_ptr(f, more + 16, &to));
	assert_true(elf_code_ptr(f, more + 32, &to));
	assert_int_equal(to, code + PTR_BEHIND_FRAMES);
	assert_true(is_held(f, code + PTR_BEHIND_FRAMES));
	assert_false(is_held(f, code + PTR_IN_FRAMES));
	assert_false(is_held(f, code + PTR_IN_CODE));
	assert_true(is_held(f, code + PTR_INIT));
	assert_true(is_held(f, code + PTR_FINI));
	assert_int_equal(is_held(f, code + PTR_PREINIT), program);
	assert_false(is_held(f, code + PTR_NOT_LOADED));
	assert_false(elf_code_ptr(f, 0, &to));
	assert_false(elf_code_ptr(f, UINT64_MAX - 7, &to));
}

static void
held(const char *path, bool program)
{
	struct err e = { 0 };
	struct elf_file *f = elf_open(path, &e);

	assert_non_null(f);
	words(f);
	others(f, program);
	elf_close(f);
}

static void
test_rela(void **state)
{
	held(paths[0], false);
}

static void
test_relr(void **state)
{
	struct err e = { 0 };
	struct elf_file *f = elf_open(paths[1], &e);
	size_t n = 0;

	assert_non_null(f);
	if (elf_section(f, ".relr.dyn", &n, NULL) == NULL)
		printf("# this linker does not pack relocations\n");
	elf_close(f);
	held(paths[1], false);
}

static void
test_program(void **state)
{
	held(paths[2], true);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rela),
		cmocka_unit_test(test_relr),
		cmocka_unit_test(test_program),
	};

	if (argc != 4)
		return 2;
	paths = argv + 1;
	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
