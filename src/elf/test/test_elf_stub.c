/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_elf_stub.c - names of the linker's stubs: those of this program, which
 * is linked with both kinds (.plt and .plt.sec), and of the C library, which
 * has some for functions that are chosen at run time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "elf/elf.h"

static struct elf_file *
open_file(const char *path)
{
	struct err e = { 0 };
	struct elf_file *f = elf_open(path, &e);

	if (f == NULL)
		fail_msg("%s", e.msg);
	return f;
}

/* The stub by which this program calls strverscmp(). */
static uint64_t
stub_of_call(void)
{
	uint64_t p;

	__asm__("leaq strverscmp@PLT(%%rip), %0" : "=r"(p));
	return p;
}

static void
names_a_call(void **state)
{
	struct elf_file *f = open_file("/proc/self/exe");
	uint64_t base = getauxval(AT_ENTRY) - elf_entry(f);
	uint64_t at = stub_of_call() - base;

	for (uint64_t i = 0; i < 16; i++) {
		const struct elf_sym *s = elf_stub_at(f, at + i);
		assert_non_null(s);
		assert_string_equal(s->name, "strverscmp@plt");
		assert_int_equal(s->addr, at);
		assert_true(s->is_func);
	}
	assert_null(elf_stub_at(f, (uint64_t)(uintptr_t)names_a_call - base));
	elf_close(f);
}

/* How many of a section's stubs have a name; the first's number in *first. */
static size_t
named(struct elf_file *f, const char *section, uint64_t step, size_t *total,
      size_t *first)
{
	uint64_t addr, n = 0;
	size_t size;

	*total = 0;
	*first = 0;
	if (elf_section(f, section, &size, &addr) == NULL)
		return 0;
	*total = size / step;
	for (size_t i = 0; i < *total; i++) {
		const struct elf_sym *s = elf_stub_at(f, addr + i * step);
		if (s == NULL)
			continue;
		assert_int_equal(s->addr, addr + i * step);
		assert_non_null(strstr(s->name, "@plt"));
		assert_true(strlen(s->name) > strlen("@plt"));
		if (n++ == 0)
			*first = i;
	}
	return n;
}

/* All but the first of .plt, which is nobody's; and of .plt.sec all, with the
   names of .plt in its order. */
static void
names_all(void **state)
{
	struct elf_file *f = open_file("/proc/self/exe");
	size_t plt, sec, first;
	uint64_t a, b;
	size_t n;

	n = named(f, ".plt", 16, &plt, &first);
	assert_int_equal(n, plt - 1);
	assert_int_equal(first, 1);
	n = named(f, ".plt.sec", 16, &sec, &first);
	assert_int_equal(n, sec);
	assert_int_equal(first, 0);
	assert_int_equal(sec, plt - 1);
	assert_true(sec > 5);
	assert_non_null(elf_section(f, ".plt", &n, &a));
	assert_non_null(elf_section(f, ".plt.sec", &n, &b));
	for (size_t i = 0; i < sec; i++)
		assert_string_equal(elf_stub_at(f, a + 16 * (i + 1))->name,
				    elf_stub_at(f, b + 16 * i)->name);
	/* With endbr64 they have 16 bytes here, too. */
	n = named(f, ".plt.got", 16, &plt, &first);
	assert_int_equal(n, plt);
	assert_true(plt > 0);
	assert_non_null(elf_section(f, ".plt.got", &n, &a));
	assert_ptr_equal(elf_stub_at(f, a + 15), elf_stub_at(f, a));
	elf_close(f);
}

/* Among them IRELATIVE ones: named after who chooses, where a table has it. */
static void
names_of_the_c_library(void **state)
{
	struct elf_file *f = open_file((const char *)*state);
	size_t total, first;
	size_t n = named(f, ".plt", 16, &total, &first);

	assert_true(total > 10);
	assert_in_range(n, 1, total - 1);
	elf_close(f);
}

/* Where a library of this process is. */
static char *
library(const char *name)
{
	static char path[512];
	FILE *fp = fopen("/proc/self/maps", "r");
	char line[1024];

	assert_non_null(fp);
	while (fgets(line, sizeof(line), fp) != NULL)
		if (strstr(line, name) != NULL &&
		    sscanf(line, "%*s %*s %*s %*s %*s %511s", path) == 1)
			break;
	fclose(fp);
	assert_int_not_equal(path[0], 0);
	return path;
}

static int
find_library(void **state)
{
	*state = library("/libc.so.6");
	return 0;
}

/* How far the CFA is above rsp at pc; 0: the row is of no such kind, or not of
   that place. */
static int64_t
cfa_at(const struct elf_cfi *c, uint64_t pc)
{
	if (pc < c->addr || pc >= c->end || c->rbp != ELF_RBP_SAME)
		return 0;
	if (c->cfa == ELF_CFA_STUB)
		return c->off + ((int64_t)(pc & 15) >= c->add ? 8 : 0);
	return c->cfa == ELF_CFA_RSP ? c->off : 0;
}

struct told {
	struct elf_cfi c;
	size_t same, other;
};

/* Count the bytes at which a row is what the file's own table says, and at
   which it is not. */
static bool
as_the_table(void *arg, const struct elf_cfi *row)
{
	struct told *t = arg;

	for (uint64_t pc = row->addr; pc < row->end; pc++) {
		int64_t mine = cfa_at(&t->c, pc), theirs = cfa_at(row, pc);

		t->same += mine != 0 && mine == theirs;
		t->other += mine != 0 && mine != theirs;
	}
	return true;
}

static bool
row_of_stub(void *arg, const struct elf_cfi *row)
{
	struct told *t = *(struct told **)arg;
	struct elf_file *f = ((struct elf_file **)arg)[1];

	t->c = *row;
	return elf_cfi_rows(f, false, as_the_table, t);
}

/* Where the linker has written rows for its stubs, ours say the same. */
static void
walks_as_the_linker(void **state)
{
	static const char *const paths[] = { "/proc/self/exe",
					     "/lib/x86_64-linux-gnu/libc.so.6" };
	struct told t = { 0 };

	for (size_t i = 0; i < 2; i++) {
		struct elf_file *f = open_file(paths[i]);
		void *arg[] = { &t, f };

		assert_true(elf_stub_rows(f, row_of_stub, arg));
		elf_close(f);
	}
	assert_true(t.same > 100);
	assert_int_equal(t.other, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_a_call),
		cmocka_unit_test(walks_as_the_linker),
		cmocka_unit_test(names_all),
		cmocka_unit_test_setup(names_of_the_c_library, find_library),
	};

	return cmocka_run_group_tests_name("elf_stub", tests, fds_note, fds_check);
}
