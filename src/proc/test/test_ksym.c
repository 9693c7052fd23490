/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_ksym.c - symbols of the kernel, of a /proc/kallsyms that is made here:
 * open() gives it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/test/fds.h"
#include "proc/proc.h"
#include "proc/proc_impl.h"

static int kallsyms = -1; /* a file; -1: it cannot be read */

int __wrap_open(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);

/* Nothing here makes files: there is no third argument. */
int
__wrap_open(const char *path, int flags, ...)
{
	if (strcmp(path, "/proc/kallsyms") != 0)
		return openat(AT_FDCWD, path, flags);
	if (kallsyms < 0) {
		errno = EACCES;
		return -1;
	}
	assert_int_equal(lseek(kallsyms, 0, SEEK_SET), 0);
	return fcntl(kallsyms, F_DUPFD_CLOEXEC, 0);
}

/* The kernel's list of functions that have no probes; NULL: there is none. */
static const char *blacklist;

FILE *__wrap_proc_debugfs_open(const char *path, struct err *e);

FILE *
__wrap_proc_debugfs_open(const char *path, struct err *e)
{
	assert_string_equal(path, "kprobes/blacklist");
	return blacklist != NULL ? fmemopen((void *)(uintptr_t)blacklist,
					    strlen(blacklist), "r")
				 : NULL;
}

/* What open() is called where files may be large. */
int
__wrap_open64(const char *path, int flags, ...)
{
	return __wrap_open(path, flags);
}

static void
kallsyms_is(const char *text, size_t n)
{
	if (kallsyms >= 0)
		close(kallsyms);
	kallsyms = -1;
	if (text == NULL)
		return;
	kallsyms = memfd_create("kallsyms", MFD_CLOEXEC);
	assert_true(kallsyms >= 0);
	assert_int_equal(write(kallsyms, text, n), n);
}

static struct proc_set *
new_set(const char *text)
{
	struct err e = { 0 };
	struct proc_set *ps = proc_set_new(&e);

	assert_non_null(ps);
	kallsyms_is(text, text != NULL ? strlen(text) : 0);
	return ps;
}

/* Out of order, as modules' are; with what is no place and no line. */
static const char table[] = "0000000000000000 A fixed_percpu_data\n"
			    "0000000000000010 a offset\n"
			    "ffffffff81000000 T _stext\n"
			    "ffffffff81000100 t twin\n"
			    "ffffffff81000100 T the_twin\n"
			    "ffffffff81000200 t local_one\n"
			    "ffffffff81000200 t local\n"
			    "ffffffff81000200 t lokal\n"
			    "ffffffff81000300 t many\n"
			    "ffffffff81000400 W many\n"
			    "ffffffff81000500 d many\n"
			    "FFFFFFFF81000600 T _etext\n"
			    "ffffffff82000000 D init_task\n"
			    "nonsense\n"
			    "\n"
			    "ffffffff82000100\n"
			    "ffffffff82000100 D\n"
			    "ffffffff82000100  D x\n"
			    "ffffffff82000200 b x\n"
			    "ffffffffc0001000 t many\t[zmod]\n"
			    "ffffffffc0000100 t in_amod\t[amod]\n"
			    "ffffffffc0000000 T twin\t[amod]\n"
			    "ffffffffc0000200 t odd\tname]\n"
			    "ffffffffc0000300 t cut"; /* no end */

/* All, in the order of addresses: the preferred one of several first. */
static void
test_each(void **state)
{
	struct proc_set *ps = new_set(table);
	struct ksym_info s;
	struct buf b = BUF_INIT;

	for (size_t i = 0; ksym_each(ps, &i, &s);)
		buf_printf(&b, "%llx %c %s`%s\n", (unsigned long long)s.addr,
			   s.kind, s.module, s.name);
	assert_string_equal(buf_str(&b),
			    "ffffffff81000000 T vmlinux`_stext\n"
			    "ffffffff81000100 T vmlinux`the_twin\n"
			    "ffffffff81000100 t vmlinux`twin\n"
			    "ffffffff81000200 t vmlinux`local\n"
			    "ffffffff81000200 t vmlinux`lokal\n"
			    "ffffffff81000200 t vmlinux`local_one\n"
			    "ffffffff81000300 t vmlinux`many\n"
			    "ffffffff81000400 W vmlinux`many\n"
			    "ffffffff81000500 d vmlinux`many\n"
			    "ffffffff81000600 T vmlinux`_etext\n"
			    "ffffffff82000000 D vmlinux`init_task\n"
			    "ffffffff82000200 b vmlinux`x\n"
			    "ffffffffc0000000 T amod`twin\n"
			    "ffffffffc0000100 t amod`in_amod\n"
			    "ffffffffc0000200 t vmlinux`odd\n"
			    "ffffffffc0001000 t zmod`many\n");
	buf_fini(&b);
	proc_set_free(ps);
}

/* By name: of several the core kernel's, and there the global one. */
static void
test_by_name(void **state)
{
	static const struct {
		const char *module, *name;
		uint64_t addr; /* 0: none */
	} cases[] = {
		{ NULL, "_stext", 0xffffffff81000000 },
		{ "", "_stext", 0xffffffff81000000 },
		{ "vmlinux", "_stext", 0xffffffff81000000 },
		{ "amod", "_stext", 0 },
		{ NULL, "twin", 0xffffffff81000100 },
		{ "amod", "twin", 0xffffffffc0000000 },
		{ NULL, "many", 0xffffffff81000400 },
		{ "zmod", "many", 0xffffffffc0001000 },
		{ NULL, "in_amod", 0xffffffffc0000100 },
		{ "vmlinux", "in_amod", 0 },
		{ NULL, "offset", 0 },
		{ NULL, "cut", 0 },
		{ NULL, "x", 0xffffffff82000200 },
		{ NULL, "", 0 },
	};
	struct proc_set *ps = new_set(table);
	struct err e = { 0 };

	assert_int_equal(ksym_load(ps, &e), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t addr = 0;
		int rc =
			ksym_by_name(ps, cases[i].module, cases[i].name, &addr);

		assert_int_equal(rc, cases[i].addr != 0 ? 0 : -1);
		assert_int_equal(addr, cases[i].addr);
	}
	assert_null(ksym_why(ps));
	proc_set_free(ps);
}

static void
test_functions(void **state)
{
	struct proc_set *ps = new_set(table);
	uint64_t at[4] = { 0 };

	assert_int_equal(ksym_functions(ps, NULL, "many", at, 4), 3);
	assert_int_equal(at[0], 0xffffffff81000300);
	assert_int_equal(at[1], 0xffffffff81000400);
	assert_int_equal(at[2], 0xffffffffc0001000);
	assert_int_equal(at[3], 0);
	at[1] = 1;
	assert_int_equal(ksym_functions(ps, NULL, "many", at, 1), 3);
	assert_int_equal(at[1], 1);
	assert_int_equal(ksym_functions(ps, "zmod", "many", at, 4), 1);
	assert_int_equal(at[0], 0xffffffffc0001000);
	assert_int_equal(ksym_functions(ps, NULL, "init_task", at, 4), 0);
	assert_int_equal(ksym_functions(ps, NULL, "none", at, 4), 0);
	proc_set_free(ps);
}

static void
at_is(struct proc_set *ps, uint64_t addr, const char *want)
{
	const char *module = "", *name = "";
	uint64_t off = 0;
	char is[128] = "";

	if (ksym_by_addr(ps, addr, &module, &name, &off))
		snprintf(is, sizeof(is), "%s`%s+%llx", module, name,
			 (unsigned long long)off);
	assert_string_equal(is, want);
	assert_int_equal(ksym_by_addr(ps, addr, NULL, NULL, NULL),
			 want[0] != '\0');
}

static void
test_by_addr(void **state)
{
	struct proc_set *ps = new_set(table);
	uint64_t size;
	char kind;

	at_is(ps, 0xffffffff80ffffff, "");
	at_is(ps, 0xffffffff81000000, "vmlinux`_stext+0");
	at_is(ps, 0xffffffff810000ff, "vmlinux`_stext+ff");
	at_is(ps, 0xffffffff81000100, "vmlinux`the_twin+0");
	at_is(ps, 0xffffffff810001ff, "vmlinux`the_twin+ff");
	at_is(ps, 0xffffffff810002ff, "vmlinux`local+ff");
	at_is(ps, 0xffffffff82000001, "vmlinux`init_task+1");
	at_is(ps, UINT64_MAX, "zmod`many+3fffefff");
	assert_true(ksym_at(ps, 0xffffffff81000100, &kind, &size));
	assert_int_equal(kind, 'T');
	assert_int_equal(size, 0x100);
	assert_true(ksym_at(ps, 0xffffffffc0001000, &kind, &size));
	assert_int_equal(kind, 't');
	assert_int_equal(size, 0);
	assert_false(ksym_at(ps, 0xffffffff81000101, &kind, &size));
	assert_false(ksym_at(ps, 1, &kind, &size));
	proc_set_free(ps);
}

/* Without symbols of variables, only what is in code has the name before it. */
static void
test_functions_only(void **state)
{
	struct proc_set *ps = new_set("ffffffff81000000 T _stext\n"
				      "ffffffff81000080 W weak\n"
				      "ffffffff81000100 T _etext\n"
				      "ffffffff82000000 D some_data\n"
				      "ffffffffc0000000 t in\t[amod]\n"
				      "ffffffffc0000100 T _etext\t[amod]\n");

	at_is(ps, 0xffffffff81000001, "vmlinux`_stext+1");
	at_is(ps, 0xffffffff81000081, "vmlinux`weak+1");
	at_is(ps, 0xffffffff81000100, "vmlinux`_etext+0");
	at_is(ps, 0xffffffff81000101, "");
	at_is(ps, 0xffffffff82000000, "vmlinux`some_data+0");
	at_is(ps, 0xffffffff82000001, "");
	at_is(ps, 0xffffffffc0000001, "amod`in+1");
	at_is(ps, 0xffffffffc0000101, "amod`_etext+1");
	assert_string_equal(ksym_why(ps),
			    "this kernel keeps symbols of its functions only, "
			    "none of variables (CONFIG_KALLSYMS_ALL is not "
			    "set)");
	proc_set_free(ps);
}

/* Why a function has no probes: whole names count, behind an address. */
static void
test_why_not(void **state)
{
	static const char listed[] =
		"it is in the kernel's blacklist of kprobes";
	static const char other[] =
		"the kernel keeps no place for ftrace in it (notrace, noinstr, "
		"its startup, or data)";
	static const struct {
		const char *name, *why;
	} cases[] = {
		{ "one", listed }, { "two", listed },  { "last", listed },
		{ "on", other },   { "alone", other }, { "three", other },
		{ "none", NULL },  { "fo", other },    { "word", other },
	};
	struct proc_set *ps = new_set("1000 T one\n1010 T two\n1020 T on\n"
				      "1030 T alone\n1040 T three\n"
				      "1050 T last\n1060 T fo\n"
				      "1070 T word\n");

	for (int i = 0; i < 2; i++) {
		blacklist = i == 0 ? "three\n"
				     "0x1000-0x1010\tone_more\n"
				     "0x1000-0x1010\tone\n"
				     "0x1010-0x1020 two\n"
				     "0x1030-0x1040\tnot_alone\n"
				     "0x1060-0x1060\tfofo\n"
				     "\twordword\n\tword_x word+\n"
				     "0x1050-0x1060\tlast"
				   : NULL;
		for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
			const char *why =
				kfunc_why_not(ps, NULL, cases[k].name);

			if (cases[k].why == NULL)
				assert_null(why);
			else
				assert_string_equal(why, i == 0 ? cases[k].why
								: other);
		}
	}
	proc_set_free(ps);
}

/* All addresses are 0 for who may not see them; or there is no such file. */
static void
test_hidden(void **state)
{
	for (int i = 0; i < 2; i++) {
		struct proc_set *ps =
			new_set(i == 0 ? "0000000000000000 T _stext\n" : NULL);
		struct ksym_info s;
		uint64_t addr;
		size_t k = 0;

		assert_int_equal(ksym_by_name(ps, NULL, "_stext", &addr), -1);
		assert_false(ksym_by_addr(ps, UINT64_MAX, NULL, NULL, NULL));
		assert_false(ksym_each(ps, &k, &s));
		assert_string_equal(ksym_why(ps),
				    "the kernel hides the addresses of its "
				    "symbols from this process "
				    "(kernel.kptr_restrict)");
		proc_set_free(ps);
	}
}

/* Read again, it is another's; names that were given stay. */
static void
test_refresh(void **state)
{
	struct proc_set *ps = new_set("ffffffff81000000 T first\n");
	const char *name;
	uint64_t addr;

	ksym_refresh(ps); /* nothing has been read */
	assert_true(ksym_by_addr(ps, 0xffffffff81000000, NULL, &name, NULL));
	kallsyms_is("ffffffff81000000 T second\n", 26);
	assert_int_equal(ksym_by_name(ps, NULL, "second", &addr), -1);
	ksym_refresh(ps);
	assert_int_equal(ksym_by_name(ps, NULL, "second", &addr), 0);
	assert_int_equal(ksym_by_name(ps, NULL, "first", &addr), -1);
	assert_string_equal(name, "first");
	proc_set_free(ps);
}

/* More than one read has, and more names than there is room for at first. */
static void
test_large(void **state)
{
	struct buf b = BUF_INIT;
	struct proc_set *ps;
	uint64_t addr;
	char name[32];

	for (unsigned i = 0; i < 200000; i++)
		buf_printf(&b, "ffffffff%08x t function_%u\n", i * 16, i);
	ps = new_set(NULL);
	kallsyms_is(b.p, b.n);
	for (unsigned i = 0; i < 200000; i += 199) {
		snprintf(name, sizeof(name), "function_%u", i);
		assert_int_equal(ksym_by_name(ps, NULL, name, &addr), 0);
		assert_int_equal(addr, 0xffffffff00000000 + i * 16);
	}
	assert_int_equal(ksym_by_name(ps, NULL, "function_200000", &addr), -1);
	buf_fini(&b);
	proc_set_free(ps);
}

static int
teardown(void **state)
{
	kallsyms_is(NULL, 0);
	return fds_check(state);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each),
		cmocka_unit_test(test_by_name),
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_by_addr),
		cmocka_unit_test(test_functions_only),
		cmocka_unit_test(test_why_not),
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_refresh),
		cmocka_unit_test(test_large),
	};

	return cmocka_run_group_tests(tests, fds_note, teardown);
}
