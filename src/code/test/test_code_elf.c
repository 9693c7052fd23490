/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_code_elf.c - the world of an object's file: this program's, with a
 * function that data has addresses in, and parts that a compiler splits off.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "code/code.h"
#include "elf/test/elf_self.h"

#define PIECE(name, size)                                                      \
	".type \"" name "\",@function\n\"" name "\": .fill " size ",1,0x90\n"  \
	".size \"" name "\"," size "\n"

__asm__(".text\n.globl world_fn\n" PIECE("world_fn", "64") PIECE(
	"world_fn.cold", "8") PIECE("world_fn.cold.12",
				    "16") PIECE("world_fn.coldest", "8")
		PIECE("world_fn.part.0",
		      "8") ".type world_data.cold,@object\nworld_data.cold: "
			   ".fill 8,1,0x90\n"
			   ".size world_data.cold,8\n"
			   ".section .data.rel,\"aw\",@progbits\n.balign 8\n"
			   ".globl world_ptrs\n.type world_ptrs,@object\n"
			   "world_ptrs: .quad world_fn + 9, world_fn + 33, "
			   "world_fn + 5, 7\n"
			   ".size world_ptrs,32\n.text\n");

static uint64_t
at_of(struct elf_file *f, const char *name)
{
	size_t n;
	const struct elf_sym *s = elf_syms(f, &n);

	for (size_t i = 0; i < n; i++)
		if (strcmp(s[i].name, name) == 0)
			return s[i].addr;
	fail_msg("no symbol %s", name);
	return 0;
}

/* In the order of addresses, within bounds, the first of which belongs. */
static void
test_held(void **state)
{
	struct elf_file *f = open_self();
	uint64_t fn = at_of(f, "world_fn"), at;
	struct code_world w;
	static const struct {
		unsigned lo, hi, n;
		int want[3];
	} cases[] = {
		{ 1, 64, 3, { 5, 9, 33 } }, { 5, 34, 3, { 5, 9, 33 } },
		{ 6, 33, 1, { 9 } },        { 9, 10, 1, { 9 } },
		{ 10, 33, 0, { 0 } },       { 34, 64, 0, { 0 } },
	};

	code_elf_world(f, &w);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (unsigned k = 0; k < cases[i].n; k++) {
			assert_true(w.held(w.arg, fn + cases[i].lo,
					   fn + cases[i].hi, k, &at));
			assert_int_equal(at - fn, cases[i].want[k]);
			assert_true(w.entered(w.arg, fn + cases[i].lo,
					      fn + cases[i].hi, k, &at));
			assert_int_equal(at - fn, cases[i].want[k]);
		}
		assert_false(w.held(w.arg, fn + cases[i].lo, fn + cases[i].hi,
				    cases[i].n, &at));
	}
	elf_close(f);
}

static void
test_bytes(void **state)
{
	struct elf_file *f = open_self();
	uint64_t fn = at_of(f, "world_fn"), ptrs = at_of(f, "world_ptrs"), to;
	struct code_world w;
	const uint8_t *p;

	code_elf_world(f, &w);
	p = w.bytes(w.arg, fn, 64);
	assert_non_null(p);
	for (int i = 0; i < 64; i++)
		assert_int_equal(p[i], 0x90);
	assert_null(w.bytes(w.arg, 0, SIZE_MAX));
	assert_null(w.bytes(w.arg, UINT64_MAX - 8, 8));
	assert_true(w.is_fn(w.arg, fn));
	assert_false(w.is_fn(w.arg, fn + 1));
	assert_true(w.pointer(w.arg, ptrs + 8, &to));
	assert_int_equal(to, fn + 33);
	assert_false(w.pointer(w.arg, ptrs + 24, &to));
	elf_close(f);
}

/* What is called so, and is code. */
static void
test_part(void **state)
{
	static const struct {
		const char *name;
		unsigned size; /* 0: it is none */
	} cases[] = {
		{ "world_fn", 0 },          { "world_fn.cold", 8 },
		{ "world_fn.cold.12", 16 }, { "world_fn.coldest", 0 },
		{ "world_fn.part.0", 0 },   { "world_data.cold", 0 },
	};
	struct elf_file *f = open_self();
	struct code_world w;

	code_elf_world(f, &w);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct code_part part = { 0 };
		uint64_t at = at_of(f, cases[i].name);

		assert_int_equal(w.part(w.arg, at + 3, &part),
				 cases[i].size != 0);
		assert_int_equal(part.size, cases[i].size);
		if (cases[i].size != 0)
			assert_int_equal(part.addr, at);
	}
	elf_close(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_held),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_part),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
