/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Import from BTF: a small kernel and module made here with libbpf, written to
 * a directory like /sys/kernel/btf; and, where it can be read, the running
 * kernel's own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <cmocka.h>

#include "elf/btf.h"
#include "type/test/made_kernel.h"
#include "type/test/type_test.h"

static struct type_space *
space(const char *path)
{
	static struct err e;
	struct type_space *ts = type_space_base(&e);

	assert_non_null(ts);
	type_space_use_kernel(ts, path);
	return ts;
}

static void
test_struct(void **state)
{
	struct type_space *ts = space(made_dir);
	struct type *t = type_lookup(ts, NULL, "struct task");
	const struct type_member *m;
	uint64_t off;

	type_is(t, "struct task");
	assert_int_equal(type_size(t), 32);
	assert_int_equal(type_align(t), 8);
	m = type_member(t, "comm", &off);
	type_is(m->type, "char [16]");
	assert_true(type_is_strcompat(m->type));
	assert_int_equal(off, 32);
	assert_ptr_equal(type_member(t, "pid", &off)->type,
			 type_basic(ts, TYPE_B_INT));
	m = type_member(t, "b", &off);
	assert_int_equal(m->bits, 5);
	assert_int_equal(off, 163);
	m = type_member(t, "next", &off);
	assert_int_equal(off, 192);
	assert_ptr_equal(type_resolve(m->type)->ref, t);
	assert_ptr_equal(type_resolve(type_lookup(ts, "vmlinux", "task_t")), t);
	assert_null(type_lookup(ts, NULL, "struct nothing"));
	assert_null(type_lookup(ts, NULL, "loop"));
	type_space_free(ts);
}

/* Integers that are none of D's are as the kernel says. */
static void
test_integers(void **state)
{
	static const struct {
		const char *name;
		uint64_t size;
		bool is_signed, is_char, is_bool;
	} want[] = {
		{ "wide", 16, true, false, false },
		{ "uwide", 16, false, false, false },
		{ "byte", 1, false, true, false },
		{ "truth", 1, false, false, true },
	};
	struct type_space *ts = space(made_dir);

	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		struct type *t =
			type_resolve(type_lookup(ts, NULL, want[i].name));

		assert_int_equal(t->kind, TYPE_INT);
		assert_int_equal(type_size(t), want[i].size);
		assert_int_equal(type_align(t), want[i].size);
		assert_int_equal(t->is_signed, want[i].is_signed);
		assert_int_equal(t->is_char, want[i].is_char);
		assert_int_equal(t->is_bool, want[i].is_bool);
	}
	type_space_free(ts);
}

static void
test_symbols(void **state)
{
	struct type_space *ts = space(made_dir);
	struct type *f = type_kernel_func(ts, NULL, "wake"), *et;
	const struct type_param *p;
	int64_t val;
	size_t n;

	type_is(f, "int (struct task *, const char *, ...)");
	p = type_params(f, &n);
	assert_int_equal(n, 2);
	assert_string_equal(p[1].name, "name");
	assert_true(p[1].type->user);
	assert_false(p[0].type->user);
	type_is(type_kernel_var(ts, "vmlinux", "init"), "struct task *");
	assert_null(type_kernel_func(ts, NULL, "init"));
	assert_true(type_lookup_enumerator(ts, "STOP", true, &val, &et));
	assert_int_equal(val, 5);
	type_is(et, "enum state");
	assert_false(type_lookup_enumerator(ts, "STOP", false, &val, &et));
	assert_true(type_lookup_enumerator(ts, "RUN", true, &val, &et));
	type_is(et, "enum state"); /* the same number everywhere */
	assert_true(type_lookup_enumerator(ts, "TWO", true, &val, &et));
	assert_null(et);
	type_space_free(ts);
}

static void
test_modules(void **state)
{
	struct type_space *ts = space(made_dir);
	struct type *t;
	uint64_t off;

	assert_null(type_lookup(ts, "vmlinux", "struct ext"));
	t = type_lookup(ts, "ext", "struct ext");
	type_is(t, "struct ext");
	type_is(type_member(t, "t", &off)->type, "union (anonymous)");
	type_is(type_kernel_func(ts, "ext", "ext_do"),
	   "int (struct task *, const char *, ...)");
	assert_null(type_lookup(ts, "other", "struct ext"));
	assert_non_null(strstr(type_space_kernel_error(ts), "/other"));
	assert_null(type_lookup(ts, "../vmlinux", "struct ext"));
	type_space_free(ts);

	ts = space(made_dir);
	assert_non_null(type_kernel_func(ts, NULL, "ext_do"));
	/* What is only declared in the kernel is found in the module. */
	t = type_lookup(ts, NULL, "ext_t");
	type_is(type_resolve(t), "struct ext");
	assert_int_equal(type_size(t), 0);
	assert_int_equal(type_size(type_complete(ts, t)), 8);
	assert_non_null(type_member(t, "t", &off));
	assert_null(type_space_kernel_error(ts));
	type_space_free(ts);
}

static void
test_absent(void **state)
{
	struct type_space *ts = space("/nonexistent");

	assert_non_null(type_lookup(ts, NULL, "pid_t"));
	assert_null(type_space_kernel_error(ts)); /* not opened for that */
	assert_null(type_lookup(ts, NULL, "struct task"));
	assert_non_null(type_space_kernel_error(ts));
	assert_null(type_kernel_func(ts, "ext", "wake"));
	type_space_free(ts);
}

static void
test_index(void **state)
{
	static struct err e;
	struct btf_index *k = btf_index_kernel(made_dir, &e);
	struct btf_index *m = btf_index_module(k, made_dir, "ext", &e);

	assert_non_null(m);
	assert_int_equal(btf_index_find(k, "int", BTF_KIND_INT), 1);
	assert_int_equal(btf_index_find(k, "int", BTF_KIND_STRUCT), 0);
	assert_int_equal(btf_index_find(m, "int", BTF_KIND_INT), 1);
	assert_true(btf_index_find(m, "ext", BTF_KIND_STRUCT) > 1);
	assert_int_equal(btf_index_find(k, "ext", BTF_KIND_STRUCT), 0);
	btf_index_free(m);
	btf_index_free(k);
}

static double
ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void
test_running(void **state)
{
	double t0 = ms(), t1, t2;
	struct type_space *ts = space(NULL);
	struct type *t;
	uint64_t off;

	if (access("/sys/kernel/btf/vmlinux", R_OK) != 0) {
		printf("# skip: this kernel has no BTF\n");
		type_space_free(ts);
		return;
	}
	t1 = ms();
	t = type_lookup(ts, NULL, "struct task_struct");
	t2 = ms();
	assert_non_null(t);
	type_is(type_member(t, "comm", &off)->type, "char [16]");
	type_is(type_member(t, "real_parent", &off)->type,
		"struct task_struct *");
	assert_int_equal(type_align(t) & (type_align(t) - 1), 0);
	assert_non_null(type_kernel_func(ts, NULL, "vfs_read"));
	print_message("# base space %.2f ms, kernel types %.2f ms\n", t1 - t0,
		      t2 - t1);
	type_space_free(ts);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_struct),  cmocka_unit_test(test_integers),
		cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_modules), cmocka_unit_test(test_absent),
		cmocka_unit_test(test_index),   cmocka_unit_test(test_running),
	};

	return cmocka_run_group_tests(tests, made_setup, made_teardown);
}
