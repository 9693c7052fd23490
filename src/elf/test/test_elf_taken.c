/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_elf_taken.c - addresses of code that code and data hold, in the test's
 * own executable.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "elf/elf.h"

/* Functions of one-byte instructions, and one that makes addresses in them. */
__asm__(".text\n"
	".type taken_label, @function\n"
	"taken_label:\n"
	".cfi_startproc\n"
	"nop; nop; nop; nop; nop; nop; ret\n"
	".cfi_endproc\n"
	".size taken_label, . - taken_label\n"
	".type taken_sum, @function\n"
	"taken_sum:\n"
	".cfi_startproc\n"
	"nop; nop; nop; nop; nop; nop; ret\n"
	".cfi_endproc\n"
	".size taken_sum, . - taken_sum\n"
	".type taken_by, @function\n"
	".globl taken_by\n"
	"taken_by:\n"
	".cfi_startproc\n"
	"lea taken_label+2(%rip), %rax\n"
	"lea taken_sum(%rip), %r9\n"
	"mov %rax, (%rdi)\n"
	"inc %r9\n"
	"lea taken_sum(%rip), %rdx\n"
	"mov %r9, (%rdi)\n"
	"add $1, %rdx\n"
	"add $5, %rcx\n"
	"ret\n"
	".cfi_endproc\n"
	".size taken_by, . - taken_by\n"
	".section .data.rel.ro, \"aw\"\n"
	".balign 8\n"
	".globl taken_table\n"
	"taken_table: .quad taken_label+3, 0\n"
	".text\n");

static bool
has(const uint64_t *v, size_t n, uint64_t addr)
{
	for (size_t i = 0; i < n; i++)
		if (v[i] == addr)
			return true;
	return false;
}

static uint64_t
symbol(struct elf_file *f, const char *name)
{
	const struct elf_sym *s = elf_sym_find(f, name);

	assert_non_null(s);
	return s->addr;
}

static void
test_made_by_code(void **state)
{
	struct err e = { 0 };
	struct elf_file *f = elf_open("/proc/self/exe", &e);
	uint64_t label, sum;
	const uint64_t *v;
	size_t n;

	assert_non_null(f);
	v = elf_entries(f, &n);
	assert_non_null(v);
	label = symbol(f, "taken_label");
	sum = symbol(f, "taken_sum");
	assert_true(has(v, n, label) && has(v, n, label + 2));
	assert_false(has(v, n, label + 1) || has(v, n, label + 4));
	assert_true(has(v, n, sum + 1));
	assert_false(has(v, n, sum + 2) || has(v, n, sum + 5));
	elf_close(f);
}

/* A copy of this program: the last bytes of its code are a jump's first ones,
   and the byte behind them in the file would make it one to `to`. */
static int
jump_at_end(uint64_t to)
{
	int own = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), fd;
	uint8_t jmp[5] = { 0xe9 };
	Elf64_Ehdr eh;
	Elf64_Phdr ph;
	uint64_t end, at;
	int32_t rel;
	struct stat st;

	assert_true(own >= 0);
	assert_int_equal(fstat(own, &st), 0);
	fd = memfd_create("taken", MFD_CLOEXEC);
	assert_true(fd >= 0);
	for (off_t n = 0; n < st.st_size;)
		assert_true(sendfile(fd, own, &n, 1u << 20) > 0);
	close(own);
	assert_int_equal(pread(fd, &eh, sizeof(eh), 0), sizeof(eh));
	at = eh.e_phoff;
	do {
		assert_int_equal(pread(fd, &ph, sizeof(ph), (off_t)at),
				 sizeof(ph));
		at += sizeof(ph);
	} while (ph.p_type != PT_LOAD || (ph.p_flags & PF_X) == 0);
	end = ph.p_offset + ph.p_filesz;
	rel = (int32_t)(to - (ph.p_vaddr + ph.p_filesz + 1));
	memcpy(jmp + 1, &rel, sizeof(rel));
	assert_int_equal(pwrite(fd, jmp, 5, (off_t)end - 4), 5);
	return fd;
}

static void
test_end_of_code(void **state)
{
	struct err e = { 0 };
	struct elf_file *f = elf_open("/proc/self/exe", &e);
	const uint64_t *v;
	uint64_t label;
	char name[40];
	size_t n;
	int fd;

	assert_non_null(f);
	label = symbol(f, "taken_label");
	elf_close(f);
	fd = jump_at_end(label + 4);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	f = elf_open(name, &e);
	assert_non_null(f);
	v = elf_entries(f, &n);
	assert_true(has(v, n, label + 2));
	assert_false(has(v, n, label + 4));
	elf_close(f);
	close(fd);
}

static void
test_held_by_data(void **state)
{
	struct err e = { 0 };
	struct elf_file *f = elf_open("/proc/self/exe", &e);
	uint64_t at, to = 0;
	const uint64_t *v;
	size_t n;

	assert_non_null(f);
	at = symbol(f, "taken_table");
	assert_true(elf_code_ptr(f, at, &to));
	assert_int_equal(to, symbol(f, "taken_label") + 3);
	assert_false(elf_code_ptr(f, at + 8, &to));
	v = elf_code_ptrs(f, &n);
	assert_true(has(v, n, symbol(f, "taken_label") + 3));
	assert_false(elf_is_go(f));
	elf_close(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_made_by_code),
		cmocka_unit_test(test_end_of_code),
		cmocka_unit_test(test_held_by_data),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
