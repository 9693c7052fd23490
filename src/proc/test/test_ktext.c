/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_ktext.c - the text of a kernel whose /proc/kcore is made here: many
 * machines have none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/test/fds.h"
#include "proc/proc.h"

#define TEXT 0xffffffff81000000ull

static int kcore; /* a file; or -1: an errno */

int __wrap_open(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);

/* Nothing here makes files: there is no third argument. */
int
__wrap_open(const char *path, int flags, ...)
{
	if (strcmp(path, "/proc/kcore") != 0)
		return openat(AT_FDCWD, path, flags);
	if (kcore < 0)
		errno = -kcore;
	return kcore < 0 ? -1 : fcntl(kcore, F_DUPFD_CLOEXEC, 0);
}

/* What open() is called where files may be large. */
int
__wrap_open64(const char *path, int flags, ...)
{
	return __wrap_open(path, flags);
}

/* Notes, and eight bytes of text. */
static void
kcore_make(size_t phentsize)
{
	const Elf64_Phdr ph[] = {
		{ .p_type = PT_NOTE, .p_vaddr = TEXT, .p_memsz = 8 },
		{ .p_type = PT_LOAD, .p_vaddr = TEXT, .p_memsz = 8,
		  .p_offset = 512 },
	};
	const Elf64_Ehdr eh = {
		.e_ident = ELFMAG, .e_machine = EM_S390,
		.e_phoff = sizeof(eh), .e_phnum = 2,
		.e_phentsize = (uint16_t)phentsize
	};

	kcore = memfd_create("kcore", MFD_CLOEXEC);
	assert_true(kcore >= 0);
	assert_int_equal(pwrite(kcore, &eh, sizeof(eh), 0), sizeof(eh));
	assert_int_equal(pwrite(kcore, ph, sizeof(ph), sizeof(eh)), sizeof(ph));
	assert_int_equal(pwrite(kcore, "the text", 8, 512), 8);
}

static struct proc_set *
new_set(void)
{
	struct err e = { 0 };
	struct proc_set *ps = proc_set_new(&e);

	assert_non_null(ps);
	return ps;
}

static void
refused(struct proc_set *ps, uint64_t addr, size_t n, const char *words)
{
	struct err e = { 0 };
	char is[16];

	assert_int_equal(ktext_read(ps, addr, is, n, &e), -1);
	if (strstr(e.msg, words) == NULL)
		fail_msg("%s", e.msg);
}

static void
test_text(void **state)
{
	struct proc_set *ps = new_set();
	struct err e = { 0 };
	char is[9] = "";

	kcore_make(sizeof(Elf64_Phdr));
	assert_int_equal(ktext_machine(ps), EM_S390);
	assert_int_equal(ktext_read(ps, TEXT, is, 8, &e), 0);
	assert_string_equal(is, "the text");
	assert_int_equal(ktext_read(ps, TEXT + 4, is, 4, &e), 0);
	assert_memory_equal(is, "text", 4);
	refused(ps, TEXT + 4, 5, "has nothing at");
	refused(ps, TEXT - 1, 1, "has nothing at");
	refused(ps, TEXT + 8, 1, "has nothing at");
	close(kcore);
	proc_set_free(ps);
}

static void
test_none(void **state)
{
	struct proc_set *ps = new_set();

	kcore = -EACCES;
	refused(ps, TEXT, 1, "/proc/kcore is root's");
	assert_int_equal(ktext_machine(ps), EM_NONE);
	proc_set_free(ps);
	ps = new_set();
	kcore_make(1);
	refused(ps, TEXT, 1, "/proc/kcore cannot be read");
	close(kcore);
	proc_set_free(ps);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
