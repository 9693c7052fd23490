/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* test_elf_note.c - notes of static probes in the test's own executable: good
   ones, and such that lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "elf/test/elf_self.h"

/* A note of <sys/sdt.h>: where, semaphore, provider, probe, operands. */
#define NOTE(at, sem, prov, probe, args)                              \
	".pushsection .note.stapsdt,\"\",\"note\"\n"                  \
	".balign 4\n"                                                 \
	".4byte 2f-1f, 4f-3f, 3\n"                                    \
	"1: .asciz \"stapsdt\"\n"                                     \
	"2: .balign 4\n"                                              \
	"3: .8byte " at ", 0, " sem "\n"                              \
	".asciz \"" prov "\"\n.asciz \"" probe "\"\n.asciz \"" args "\"\n" \
	"4: .balign 4\n"                                              \
	".popsection\n"

/* What `dtrace -h` adds: strings, as they are. */
#define DECL(text)                                   \
	".pushsection .note.dtrace,\"\",\"note\"\n"  \
	".balign 4\n.4byte 2f-1f, 4f-3f, 1\n"        \
	"1: .asciz \"DTrace\"\n2: .balign 4\n"       \
	"3: .ascii \"" text "\"\n4: .balign 4\n"     \
	".popsection\n"

#define ATTR "A/B/C D/E/F G/H/I J/K/L M/N/O\\000"

__asm__(".text\n"
	"note_test_place: nop\n"
	".data\n"
	"note_test_byte: .byte 0\n"
	".balign 2\n"
	"note_test_sem: .2byte 0\n"
	".text\n"
	NOTE("note_test_place", "note_test_sem", "web", "query__start",
	     "8@%rdi -4@16(%rsp)")
	NOTE("note_test_place", "0", "web", "none", "")
	NOTE("note_test_sem", "0", "web", "not_code", "")
	NOTE("0", "0", "web", "nowhere", "")
	NOTE("note_test_place", "note_test_place", "web", "sem_in_code", "")
	NOTE("note_test_place", "note_test_sem+1", "web", "sem_odd", "")
	NOTE("note_test_place", "0x7000000000000", "web", "sem_nowhere", "")
	NOTE("note_test_place", "0", "", "unnamed", "")
	/* Its strings do not end: the description is short. */
	".pushsection .note.stapsdt,\"\",\"note\"\n"
	".4byte 8, 27, 3\n.asciz \"stapsdt\"\n"
	".8byte note_test_place, 0, 0\n.ascii \"abc\"\n.byte 1\n"
	".popsection\n"
	/* Of another owner, and of another type. */
	".pushsection .note.stapsdt,\"\",\"note\"\n"
	".4byte 8, 8, 3\n.asciz \"stapsdx\"\n.8byte 0\n"
	".4byte 8, 8, 4\n.asciz \"stapsdt\"\n.8byte 0\n"
	".popsection\n"
	NOTE("note_test_place", "0", "web", "last", "1@$5")
	/* It claims more than there is: the end. */
	".pushsection .note.stapsdt,\"\",\"note\"\n"
	".4byte 8, 0xfffffff0, 3\n.asciz \"stapsdt\"\n"
	".popsection\n"
	DECL("web\\000query__start\\000" ATTR "2 1\\000char *\\000int\\000" "1 int\\000")
	DECL("web\\000bad_map\\000" ATTR "1 1\\000int\\000" "1 int\\000")
	DECL("web\\000many\\000" ATTR "13 0\\000")
	DECL("web\\000short\\000" ATTR "2 0\\000int\\000")
	DECL("web\\000none\\000" ATTR "0 0\\000"));

static void
test_places(void **state)
{
	static const char *const want[] = { "query__start", "none", "last" };
	struct elf_file *f = open_self();
	const struct elf_sym *place = elf_sym_find(f, "note_test_place");
	const struct elf_sym *sem = elf_sym_find(f, "note_test_sem");
	const struct elf_probe *p;
	size_t n;

	p = elf_probes(f, &n);
	assert_int_equal(n, 3);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(p[i].prov, "web");
		assert_string_equal(p[i].name, want[i]);
		assert_int_equal(p[i].addr, place->addr);
	}
	assert_int_equal(p[0].sem, sem->addr);
	assert_int_equal(p[1].sem, 0);
	assert_string_equal(p[0].args, "8@%rdi -4@16(%rsp)");
	assert_string_equal(p[1].args, "");
	assert_ptr_equal(elf_probes(f, &n), p);
	elf_close(f);
}

static void
test_decls(void **state)
{
	struct elf_file *f = open_self();
	const struct elf_probe_decl *d =
		elf_probe_decl(f, "web", "query__start");

	assert_non_null(d);
	assert_string_equal(d->attr, "A/B/C D/E/F G/H/I J/K/L M/N/O");
	assert_int_equal(d->nargs, 2);
	assert_string_equal(d->arg[0], "char *");
	assert_string_equal(d->arg[1], "int");
	assert_int_equal(d->nxargs, 1);
	assert_int_equal(d->map[0], 1);
	assert_string_equal(d->xarg[0], "int");
	assert_non_null(elf_probe_decl(f, "web", "none"));
	assert_null(elf_probe_decl(f, "web", "bad_map"));
	assert_null(elf_probe_decl(f, "web", "many"));
	assert_null(elf_probe_decl(f, "web", "short"));
	assert_null(elf_probe_decl(f, "other", "none"));
	elf_close(f);
}

/* Damage anywhere in the notes: nothing is read beyond them. */
static void
test_damage(void **state)
{
	struct elf_file *f = open_self();
	size_t n, size;
	const uint8_t *notes = elf_section(f, ".note.stapsdt", &n, NULL);
	static uint8_t copy[1 << 20];
	struct err e = { 0 };
	size_t at;
	FILE *in = fopen("/proc/self/exe", "re");

	assert_non_null(notes);
	size = fread(copy, 1, sizeof(copy), in);
	fclose(in);
	for (at = 0; at + n <= size && memcmp(copy + at, notes, n) != 0; at++)
		;
	elf_close(f);
	assert_true(at + n <= size);
	for (size_t i = 0; i < n; i++) {
		uint8_t was = copy[at + i];
		size_t got;

		copy[at + i] = (uint8_t)~was;
		f = elf_open_mem(copy, size, "damaged", &e);
		assert_non_null(f);
		elf_probes(f, &got);
		assert_true(got <= 5);
		elf_close(f);
		copy[at + i] = was;
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_decls),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
