/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_elf_split.c - what is a part of another function, and what is one
 * itself, in the test's own executable; and tables of OCaml there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "elf/elf.h"

/* A label with an unwind entry of its own and without the name of a function,
   as a part has it in a stripped file. */
#define PART(name, text)                                                       \
	#name ":\n.cfi_startproc\n" text "\n.cfi_endproc\n"
#define FUNC(name, text)                                                       \
	".type " #name ", @function\n" PART(name, text)                        \
	".size " #name ", . - " #name "\n"

__asm__(".text\n"
	/* Into the middle of the one, and back into that of the other. */
	FUNC(hot_mid, "nop; je.d32 cold_mid+1; ret")
	PART(cold_mid, "nop; nop; jmp.d32 hot_mid+1")
	/* To its start alone, and back. */
	FUNC(hot_start, "nop; je.d32 cold_start; ret")
	PART(cold_start, "nop; jmp.d32 hot_start+1")
	/* As a function's last call of another. */
	FUNC(hot_tail, "nop; jmp.d32 tail")
	PART(tail, "nop; ret")
	/* Called by somebody else. */
	FUNC(hot_called, "je.d32 called+1; ret")
	PART(called, "nop; nop; ret")
	FUNC(caller, "call called; ret")
	/* Its address is taken. */
	FUNC(hot_taken, "je.d32 taken+1; ret")
	PART(taken, "nop; nop; ret")
	FUNC(taker, "lea taken(%rip), %rax; ret")
	/* Data has it. */
	FUNC(hot_held, "je.d32 held+1; ret")
	PART(held, "nop; nop; ret")
	/* Two jump to it. */
	FUNC(hot_both, "je.d32 both+1; ret")
	FUNC(hot_too, "je.d32 both+1; ret")
	PART(both, "nop; nop; ret")
	/* It has a name. */
	FUNC(hot_named, "je.d32 named+1; ret")
	FUNC(named, "nop; nop; ret")
	/* Neither has: the one that begins as functions do is none. */
	".balign 16\n"
	PART(one_of_two, "nop; je.d32 two_of_two+1; ret")
	PART(two_of_two, "nop; nop; jmp.d32 one_of_two+1")
	".section .data.rel.ro, \"aw\"\n"
	".balign 8\n"
	"holder: .quad held\n"
	".type camlT__frametable, @object\n"
	"camlT__frametable: .quad named+1, named+2\n"
	".size camlT__frametable, 16\n"
	".type camlT__table, @object\n"
	"camlT__table: .quad hot_named+1\n"
	".size camlT__table, 8\n"
	".text\n");

static uint64_t
where(struct elf_file *f, const char *name)
{
	const struct elf_sym *s = elf_sym_find(f, name);

	assert_non_null(s);
	return s->addr;
}

static struct elf_file *
own_file(void)
{
	struct err e = { 0 };
	struct elf_file *f = elf_open("/proc/self/exe", &e);
	size_t n;

	assert_non_null(f);
	assert_non_null(elf_entries(f, &n));
	return f;
}

static void
test_parts(void **state)
{
	struct elf_file *f = own_file();

	assert_false(elf_is_fn(f, where(f, "cold_mid")));
	assert_false(elf_is_fn(f, where(f, "cold_start")));
	assert_false(elf_is_fn(f, where(f, "two_of_two")));
	assert_true(elf_fde_at(f, where(f, "cold_mid"))->fragment);
	elf_close(f);
}

static void
test_functions(void **state)
{
	static const char *const v[] = {
		"hot_mid", "hot_start", "hot_tail",  "tail",  "called",
		"taken",   "held",	"both",	     "named", "hot_named",
		"caller",  "hot_both",	"one_of_two"
	};
	struct elf_file *f = own_file();

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++)
		if (!elf_is_fn(f, where(f, v[i])))
			fail_msg("%s is a part of another", v[i]);
	elf_close(f);
}

static bool
in_ptrs(struct elf_file *f, uint64_t addr)
{
	size_t n;
	const uint64_t *v = elf_code_ptrs(f, &n);

	for (size_t i = 0; i < n; i++)
		if (v[i] == addr)
			return true;
	return false;
}

static void
test_frametables(void **state)
{
	struct elf_file *f = own_file();

	assert_false(in_ptrs(f, where(f, "named") + 1));
	assert_false(in_ptrs(f, where(f, "named") + 2));
	assert_true(in_ptrs(f, where(f, "hot_named") + 1));
	assert_true(in_ptrs(f, where(f, "held")));
	elf_close(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_frametables),
	};

	return cmocka_run_group_tests_name("elf_split", tests, NULL, NULL);
}
