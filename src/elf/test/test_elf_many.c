/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_elf_many.c - objects with more symbols than are read, ELF_SYMS_MAX: the
 * build gives this test its own elf_sym.c, in which that is a number that a
 * file can be made for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "elf/elf_impl.h"

#define TABLES 3

/* An object with tables of symbols that are called s, each one byte behind the
   one before. */
struct object {
	Elf64_Ehdr eh;
	Elf64_Shdr sh[2 + TABLES];
	char strs[8];
	Elf64_Sym sym[TABLES][ELF_SYMS_MAX + 2];
};

/* The first symbol of a table is none. */
static void
table_fill(struct object *o, unsigned i, uint32_t type, size_t n)
{
	o->sh[2 + i] = (Elf64_Shdr){
		.sh_type = type,
		.sh_link = 1,
		.sh_offset = offsetof(struct object, sym) + i * sizeof(*o->sym),
		.sh_size = n * sizeof(Elf64_Sym),
		.sh_entsize = sizeof(Elf64_Sym),
	};
	for (size_t k = 1; k < n; k++)
		o->sym[i][k] = (Elf64_Sym){
			.st_name = 1,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = 1,
			.st_value = 0x10000 * (i + 1) + k,
			.st_size = 1,
		};
}

/* How many symbols are known of an object that has tables of so many entries.
 */
static size_t
known(uint32_t type, size_t n0, size_t n1, size_t n2)
{
	static struct object o;
	const size_t v[TABLES] = { n0, n1, n2 };
	const struct elf_sym *syms, *s;
	struct elf_file *f;
	struct err e = { 0 };
	size_t n;

	memset(&o, 0, sizeof(o));
	memcpy(o.eh.e_ident, ELFMAG, SELFMAG);
	o.eh.e_ident[EI_CLASS] = ELFCLASS64;
	o.eh.e_ident[EI_DATA] = ELFDATA2LSB;
	o.eh.e_ident[EI_VERSION] = EV_CURRENT;
	o.eh.e_type = ET_REL;
	o.eh.e_machine = EM_X86_64;
	o.eh.e_version = EV_CURRENT;
	o.eh.e_ehsize = sizeof(o.eh);
	o.eh.e_shoff = offsetof(struct object, sh);
	o.eh.e_shentsize = sizeof(*o.sh);
	o.eh.e_shnum = 2 + TABLES;
	o.eh.e_shstrndx = 1;
	memcpy(o.strs, "\0s", 3);
	o.sh[1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
				.sh_offset = offsetof(struct object, strs),
				.sh_size = sizeof(o.strs) };
	for (unsigned i = 0; i < TABLES; i++)
		table_fill(&o, i, type, v[i]);
	f = elf_open_mem(&o, sizeof(o), "many", &e);
	if (f == NULL)
		fail_msg("%s", e.msg);
	syms = elf_syms(f, &n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(syms[i].name, "s");
	s = elf_sym_find(f, "s");
	for (size_t i = 0; i < n; i++, s = elf_sym_next(f, s))
		assert_ptr_equal(s, &syms[i]);
	assert_null(s);
	elf_close(f);
	return n;
}

/* Entries count that are none: they are room as well. */
static void
test_one_table(void **state)
{
	assert_int_equal(known(SHT_SYMTAB, 0, 0, 0), 0);
	assert_int_equal(known(SHT_SYMTAB, 1, 0, 0), 0);
	assert_int_equal(known(SHT_SYMTAB, 2, 0, 0), 1);
	assert_int_equal(known(SHT_SYMTAB, ELF_SYMS_MAX, 0, 0),
			 ELF_SYMS_MAX - 1);
	assert_int_equal(known(SHT_SYMTAB, ELF_SYMS_MAX + 1, 0, 0), 0);
}

static void
test_tables(void **state)
{
	const size_t half = ELF_SYMS_MAX / 2;

	assert_int_equal(known(SHT_SYMTAB, half + 1, half, 0),
			 ELF_SYMS_MAX - 1);
	assert_int_equal(known(SHT_SYMTAB, half + 1, half + 1, 0), 0);
	assert_int_equal(known(SHT_DYNSYM, half + 1, half, 0),
			 ELF_SYMS_MAX - 1);
	assert_int_equal(known(SHT_DYNSYM, half + 1, half + 1, 0), 0);
	assert_int_equal(known(SHT_SYMTAB, half + 1, half - 1, 2),
			 ELF_SYMS_MAX - 1);
	assert_int_equal(known(SHT_SYMTAB, half + 1, half - 1, 3), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_table),
		cmocka_unit_test(test_tables),
	};

	return cmocka_run_group_tests_name("elf_many", tests, fds_note,
					   fds_check);
}
