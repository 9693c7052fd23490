/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* test_elf_file.c - object files: the test's own executable, and damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <elf.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>

#include "base/test/capable.h"
#include "base/test/fds.h"
#include "elf/test/elf_self.h"

/* Something to find. */
int elf_test_victim(int x);
__attribute__((noinline, used)) int
elf_test_victim(int x)
{
	return 3 * x + 1;
}
extern int elf_test_alias(int x) __attribute__((alias("elf_test_victim")));

/* And what has more names. */
int elf_test_b2(int x);
__attribute__((noinline, used)) int
elf_test_b2(int x)
{
	return 5 * x + 2;
}
extern int elf_test_a33(int x) __attribute__((alias("elf_test_b2")));
extern int elf_test_1(int x) __attribute__((weak, alias("elf_test_b2")));
extern int _elf_test(int x) __attribute__((alias("elf_test_b2")));

static void
test_self(void **state)
{
	struct elf_file *f = open_self();
	const struct elf_sym *s = elf_sym_find(f, "elf_test_victim");
	uint64_t off, text, size;
	const uint8_t *b;

	assert_non_null(s);
	assert_true(s->is_func && s->is_global && s->size > 4);
	b = elf_bytes(f, s->addr, s->size);
	assert_non_null(b);
	assert_memory_equal(b, (void *)(uintptr_t)elf_test_victim, s->size);
	assert_true(elf_addr_to_off(f, s->addr, &off));
	assert_true(elf_text(f, &text, &size));
	assert_true(s->addr >= text && s->addr < text + size);
	assert_non_null(elf_interp(f));
	assert_null(elf_soname(f));
	assert_null(elf_sym_find(f, "no such symbol"));
	elf_close(f);
}

/* Both names are found; the first in the alphabet is the canonical one. */
static void
test_alias(void **state)
{
	struct elf_file *f = open_self();
	const struct elf_sym *v = elf_sym_find(f, "elf_test_victim");
	const struct elf_sym *a = elf_sym_find(f, "elf_test_alias");

	assert_non_null(v);
	assert_non_null(a);
	assert_int_equal(v->addr, a->addr);
	assert_ptr_equal(elf_sym_at(f, v->addr + 1), a);
	elf_close(f);
}

/* The shorter is the canonical one, whatever the alphabet says; but neither a
   weak one nor one with an underscore is. */
static void
test_aliases(void **state)
{
	struct elf_file *f = open_self();
	const struct elf_sym *s = elf_sym_find(f, "elf_test_b2");

	assert_non_null(s);
	assert_ptr_equal(elf_sym_at(f, s->addr), s);
	assert_string_equal(s[1].name, "elf_test_a33");
	assert_string_equal(s[2].name, "elf_test_1");
	assert_string_equal(s[3].name, "_elf_test");
	elf_close(f);
}

static void
test_order(void **state)
{
	struct elf_file *f = open_self();
	size_t n;
	const struct elf_sym *s = elf_syms(f, &n);

	assert_true(n > 10);
	assert_in_range(elf_syms_most(f), n, SIZE_MAX);
	for (size_t i = 1; i < n; i++)
		assert_true(s[i - 1].addr <= s[i].addr);
	for (size_t i = 0; i < n; i++) {
		const struct elf_sym *at;

		if (!s[i].is_func || s[i].size == 0)
			continue;
		at = elf_sym_at(f, s[i].addr);
		assert_non_null(at);
		assert_int_equal(at->addr, s[i].addr);
	}
	assert_null(elf_sym_at(f, UINT64_MAX));
	elf_close(f);
}

static void
test_section(void **state)
{
	struct elf_file *f = open_self();
	size_t size;
	uint64_t addr;

	assert_non_null(elf_section(f, ".dynstr", &size, &addr));
	assert_true(size > 1 && addr != 0);
	assert_null(elf_section(f, ".bss", &size, &addr));
	assert_null(elf_section(f, ".nothing", &size, &addr));
	assert_null(elf_bytes(f, UINT64_MAX - 4, 16));
	assert_null(elf_bytes(f, elf_entry(f), SIZE_MAX));
	elf_close(f);
}

static void
refused(const void *p, size_t n, const char *why)
{
	struct err e = { 0 };

	assert_null(elf_open_mem(p, n, "X", &e));
	assert_string_equal(e.msg, why);
}

static void
test_damage(void **state)
{
	static unsigned char buf[1 << 16];
	FILE *fp = fopen("/proc/self/exe", "r");
	size_t n = fread(buf, 1, sizeof(buf), fp);
	Elf64_Ehdr eh;

	fclose(fp);
	assert_true(n > sizeof(eh));
	memcpy(&eh, buf, sizeof(eh));
	refused("hello, world", 12, "X: not an ELF file");
	refused("", 0, "X: not an ELF file");
	refused(buf, 20, "X: damaged ELF header");
	refused(buf, sizeof(eh), "X: truncated program header table");
	eh.e_phnum = 0;
	eh.e_shoff = UINT64_MAX - 10;
	memcpy(buf, &eh, sizeof(eh));
	refused(buf, n, "X: truncated section table");
}

/* Flip bytes of the headers and tables: anything but a crash. */
/* What we write we can read, and so can a linker (test/sys/usdt). */
static void
test_words(void **state)
{
	static const char *const names[] = { "one", "other" };
	char path[] = "/tmp/test_elf_file.XXXXXX";
	int fd = mkstemp(path);
	struct err e = { 0 };
	uint64_t addr;
	size_t n;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(elf_write_words(path, names, 2, &e), 0);
	struct elf_file *f = elf_open(path, &e);
	assert_non_null(f);
	assert_non_null(elf_section(f, ".probes", &n, &addr));
	assert_int_equal(n, 4);
	const struct elf_sym *s = elf_sym_find(f, "other");
	assert_non_null(s);
	assert_int_equal(s->addr, 2);
	assert_int_equal(s->size, 2);
	assert_true(s->is_weak);
	assert_null(elf_undef(f, "o"));
	elf_close(f);
	close(fd);
	unlink(path);
	assert_int_equal(elf_write_words("/nonexistent/x", names, 2, &e), -1);
	assert_non_null(strstr(e.msg, "/nonexistent/x"));
	err_clear(&e);
}

static void
test_undef(void **state)
{
	struct elf_file *f = open_self();

	(void)state;
	assert_non_null(elf_undef(f, "_cmocka_run_group_tests"));
	assert_null(elf_undef(f, "elf_test_victim"));
	elf_close(f);
}

static void
test_flips(void **state)
{
	FILE *fp = fopen("/proc/self/exe", "r");
	static unsigned char buf[1 << 20];
	size_t n = fread(buf, 1, sizeof(buf), fp), nsyms;
	uint32_t seed = 1;

	fclose(fp);
	for (int i = 0; i < 300; i++) {
		struct err e = { 0 };
		struct elf_file *f;
		size_t at;
		unsigned char was;

		seed = seed * 1103515245u + 12345u;
		at = (seed >> 8) % (i < 150 ? 1200 : n);
		was = buf[at];
		buf[at] = (unsigned char)(seed >> 3);
		f = elf_open_mem(buf, n, "X", &e);
		if (f != NULL) {
			elf_syms(f, &nsyms);
			elf_sym_at(f, elf_entry(f));
			elf_bytes(f, elf_entry(f), 64);
		} else {
			assert_true(err_is_set(&e));
		}
		elf_close(f);
		buf[at] = was;
	}
}

/* A breakpoint of the kernel in every process that has the file mapped. */
static int
uprobe_at(const char *path, uint64_t off)
{
	struct perf_event_attr a = { .size = sizeof(a),
				     .sample_period = 1,
				     .uprobe_path = (uintptr_t)path,
				     .probe_offset = off };
	FILE *fp = fopen("/sys/bus/event_source/devices/uprobe/type", "r");

	assert_non_null(fp);
	assert_int_equal(fscanf(fp, "%u", &a.type), 1);
	fclose(fp);
	return (int)syscall(SYS_perf_event_open, &a, -1, 0, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

/* What the file has, not what runs: also of pages that are looked at before a
   breakpoint comes, or after. */
static void
test_uprobe(void **state)
{
	uint8_t was[2], now[2];
	const struct elf_sym *s;
	struct elf_file *f;
	const uint8_t *b;
	uint64_t off;
	int fd;

	if (!CAPABLE("uprobe"))
		return;
	f = open_self();
	s = elf_sym_find(f, "elf_test_b2");
	assert_non_null(s);
	b = elf_bytes(f, s->addr, sizeof(was));
	assert_non_null(b);
	memcpy(was, b, sizeof(was));
	assert_true(elf_addr_to_off(f, s->addr, &off));
	fd = uprobe_at("/proc/self/exe", off);
	assert_true(fd >= 0);
	memcpy(now, (void *)(uintptr_t)elf_test_b2, sizeof(now));
	assert_int_equal(now[0], 0xcc);
	assert_memory_equal(b, was, sizeof(was));
	close(fd);
	elf_close(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_self),    cmocka_unit_test(test_alias),
		cmocka_unit_test(test_aliases), cmocka_unit_test(test_order),
		cmocka_unit_test(test_section), cmocka_unit_test(test_damage),
		cmocka_unit_test(test_flips),   cmocka_unit_test(test_words),
		cmocka_unit_test(test_undef),   cmocka_unit_test(test_uprobe),
	};
	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
