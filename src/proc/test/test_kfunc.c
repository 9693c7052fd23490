/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_kfunc.c - the list of functions that can be traced, on a kernel that is
 * made here: which share a name, and where each begins by the bytes before
 * ftrace's place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "proc/proc_impl.h"

static char names[] = "alpha\n"
		      "twin\n"
		      "twin\n"
		      "__ftrace_invalid_address___16\n"
		      "twin [ext4]\n"
		      "odd [ext4\n" /* not a module's name */
		      "twin [ext4]\n"
		      "beta\n";
static char addrs[] = "ffffffff81000014 alpha\n"
		      "ffffffff81000020 twin\n"
		      "ffffffff81000034 twin\n"
		      "ffffffff81000038 __ftrace_invalid_address___16\n"
		      "ffffffffc0000044 twin [ext4]\n"
		      "ffffffff81000056 odd\n"
		      "ffffffffc0000060 twin [ext4]\n"
		      "ffffffff81000074 gamma\n";
/* The names when another module has been loaded. */
static char more[] = "alpha\n"
		     "late [fresh]\n"
		     "twin [ext4]\n"
		     "new [ext4]\n" /* ext4 was there before */
		     "twin [fresh]\n"
		     "beta\n";
static uint64_t modules; /* kmod_seen() */
static bool told;	 /* this kernel tells addresses */
static bool locked;	 /* nobody may read its text */
static unsigned machine, symbols, read_with;

FILE *__wrap_proc_tracefs_open(const char *name, struct err *e);
int __wrap_ktext_read(struct proc_set *ps, uint64_t addr, void *buf, size_t n,
		      struct err *e);
unsigned __wrap_ktext_machine(struct proc_set *ps);
size_t __wrap_ksym_functions(struct proc_set *ps, const char *module,
			     const char *name, uint64_t *at, size_t cap);
uint64_t __wrap_kmod_seen(void);

uint64_t
__wrap_kmod_seen(void)
{
	return modules;
}

FILE *
__wrap_proc_tracefs_open(const char *name, struct err *e)
{
	if (modules != 0 && strcmp(name, "available_filter_functions") == 0)
		return fmemopen(more, sizeof(more) - 1, "r");
	if (strcmp(name, "available_filter_functions") == 0)
		return fmemopen(names, sizeof(names) - 1, "r");
	if (!told) {
		err_set(e, &ERR_GENERIC, ENOENT, "there is none");
		return NULL;
	}
	read_with++;
	return fmemopen(addrs, sizeof(addrs) - 1, "r");
}

/* endbr at 0x10, its stand-in at 0x40; 0x1000 bytes that end at 0x80. */
int
__wrap_ktext_read(struct proc_set *ps, uint64_t addr, void *buf, size_t n,
		  struct err *e)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa },
			     sealed[] = { 0x66, 0x0f, 0x1f, 0x00 };
	uint8_t text[0x80] = { 0 };
	size_t at = addr & 0xfff;

	memcpy(text + 0x10, endbr, sizeof(endbr));
	memcpy(text + 0x40, sealed, sizeof(sealed));
	if (locked || at + n > sizeof(text))
		return err_set(e, &ERR_GENERIC, EFAULT, "nothing there");
	memcpy(buf, text + at, n);
	return 0;
}

unsigned
__wrap_ktext_machine(struct proc_set *ps)
{
	return machine;
}

size_t
__wrap_ksym_functions(struct proc_set *ps, const char *module,
		      const char *name, uint64_t *at, size_t cap)
{
	symbols++;
	if (strcmp(name, "twin") != 0 || strcmp(module, "vmlinux") != 0)
		return 0;
	at[0] = 0xffffffff81000020;
	at[1] = 0xffffffff81000030;
	return 2;
}

static struct proc_set *
kernel(bool addresses, bool no_text, const struct kfunc **v)
{
	struct err e = { 0 };
	struct proc_set *ps = proc_set_new(&e);
	size_t n;

	assert_non_null(ps);
	told = addresses;
	locked = no_text;
	machine = EM_X86_64;
	symbols = read_with = 0;
	*v = kfunc_list(ps, &n, &e);
	assert_non_null(*v);
	assert_int_equal(n, 7);
	return ps;
}

static void
test_twins(void **state)
{
	static const struct {
		bool twins;
		uint32_t nth, of;
	} want[] = {
		{ false, 0, 1 }, { true, 0, 2 }, { true, 1, 2 },
		{ true, 0, 2 },	 { false, 0, 1 }, { true, 1, 2 },
		{ false, 0, 1 },
	};
	const struct kfunc *v;
	struct proc_set *ps = kernel(false, false, &v);

	for (size_t i = 0; i < 7; i++) {
		assert_int_equal(v[i].twins, want[i].twins);
		assert_int_equal(v[i].nth, want[i].nth);
		assert_int_equal(v[i].of, want[i].of);
	}
	assert_string_equal(v[3].module, "ext4");
	assert_string_equal(v[4].name, "odd");
	assert_string_equal(v[4].module, v[0].module);
	proc_set_free(ps);
}

static void
test_begin(void **state)
{
	const struct kfunc *v;
	struct proc_set *ps = kernel(true, false, &v);

	assert_true(kfunc_begin(ps, &v[0]) == 0xffffffff81000010);
	assert_true(kfunc_begin(ps, &v[1]) == 0xffffffff81000020);
	assert_true(kfunc_begin(ps, &v[2]) == 0); /* unknown bytes */
	assert_true(kfunc_begin(ps, &v[3]) == 0xffffffffc0000040);
	assert_true(kfunc_begin(ps, &v[4]) == 0);
	assert_true(kfunc_addr(ps, &v[1]) == 0xffffffff81000020);
	assert_int_equal(symbols, 0);
	assert_true(kfunc_addr(ps, &v[2]) == 0xffffffff81000030);
	assert_int_equal(symbols, 1);
	/* Another machine has other first instructions. */
	machine = EM_AARCH64;
	assert_true(kfunc_begin(ps, &v[1]) == 0);
	proc_set_free(ps);

	ps = kernel(true, true, &v);
	assert_true(kfunc_begin(ps, &v[0]) == 0);
	assert_true(kfunc_addr(ps, &v[2]) == 0xffffffff81000030);
	proc_set_free(ps);

	ps = kernel(false, false, &v);
	assert_true(kfunc_begin(ps, &v[0]) == 0);
	assert_true(kfunc_addr(ps, &v[1]) == 0xffffffff81000020);
	assert_true(kfunc_addr(ps, &v[3]) == 0); /* there are no two symbols */
	proc_set_free(ps);
}

/* For a listing addresses are not read, but are when they are asked for. */
static void
test_only_names(void **state)
{
	struct err e = { 0 };
	struct proc_set *ps = proc_set_new(&e);
	const struct kfunc *v;
	size_t n;

	told = true;
	locked = false;
	machine = EM_X86_64;
	read_with = 0;
	kfunc_only_names(ps);
	v = kfunc_list(ps, &n, &e);
	assert_int_equal(n, 7);
	assert_int_equal(read_with, 0);
	assert_true(kfunc_begin(ps, &v[0]) == 0xffffffff81000010);
	assert_true(kfunc_begin(ps, &v[1]) == 0xffffffff81000020);
	assert_int_equal(read_with, 1);
	assert_true(v[6].addr == 0); /* the lists are of two minds there */
	proc_set_free(ps);
}

/* ---- modules ------------------------------------------------------------- */

/* Functions of a module that comes stand behind those that are known, which
   keep their numbers; only what has come is looked for. */
static void
test_refresh(void **state)
{
	struct err e = { 0 };
	const struct kfunc *v;
	struct proc_set *ps = kernel(false, false, &v);
	size_t n;

	for (int i = 0; i < 3; i++) { /* nothing has come; two do; no more */
		modules = i != 0;
		assert_int_equal(kfunc_refresh(ps), 0);
		v = kfunc_list(ps, &n, &e);
		assert_int_equal(n, i == 0 ? 7 : 9);
		assert_string_equal(v[0].name, "alpha");
		assert_string_equal(v[6].name, "beta");
	}
	modules = 0;
	assert_string_equal(v[7].name, "late");
	assert_string_equal(v[7].module, "fresh");
	assert_string_equal(v[8].name, "twin");
	assert_string_equal(v[8].module, "fresh");
	assert_true(v[8].twins && v[8].of == 1);
	proc_set_free(ps);
}

static int
module_is_there(void *n, const char *name)
{
	assert_int_equal(kmod_state(name), KMOD_LOADED);
	++*(int *)n;
	return 0;
}

static int
module_ends(void *n, const char *name)
{
	return ++*(int *)n;
}

static void
test_modules(void **state)
{
	int n = 0;

	assert_int_equal(kmod_each(module_is_there, &n), 0);
	assert_int_equal(kmod_state("no_such_module"), KMOD_UNKNOWN);
	assert_int_equal(kmod_state(""), KMOD_UNKNOWN);
	if (n == 0)
		return; /* this kernel has loaded none */
	n = 0;
	assert_int_equal(kmod_each(module_ends, &n), 1);
	assert_int_equal(n, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_twins),
		cmocka_unit_test(test_begin),
		cmocka_unit_test(test_only_names),
		cmocka_unit_test(test_refresh),
		cmocka_unit_test(test_modules),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
