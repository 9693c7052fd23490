/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * made_kernel.h - the BTF of a small kernel and of a module of it, "ext", made
 * with libbpf and written to a directory like /sys/kernel/btf.
 */
#ifndef TYPE_TEST_MADE_KERNEL_H
#define TYPE_TEST_MADE_KERNEL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <bpf/btf.h>
#include <cmocka.h>

static int made_union; /* the id of struct task's */
static char made_dir[] = "/tmp/dtrace-btf-XXXXXX";

static inline void
made_save(struct btf *btf, const char *name)
{
	char path[128];
	uint32_t n;
	const void *p = btf__raw_data(btf, &n);
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", made_dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(p, 1, n, f), n);
	fclose(f);
}

/*
 * struct task { int pid; char comm[16]; unsigned a:3; unsigned b:5;
 *               union { struct task *next; long raw; }; };
 * enum state { RUN, STOP = 5, TWO }; enum other { RUN, TWO = 2 };
 * typedef struct task task_t;
 * int wake(struct task *t, const char __user *name, ...);  struct task *init;
 */
static inline struct btf *
made_kernel(void)
{
	struct btf *b = btf__new_empty();
	int i, u, c, l, arr, ptr, un, task, proto, tag;

	i = btf__add_int(b, "int", 4, BTF_INT_SIGNED);
	u = btf__add_int(b, "unsigned int", 4, 0);
	c = btf__add_int(b, "char", 1, 0);
	l = btf__add_int(b, "long int", 8, BTF_INT_SIGNED);
	arr = btf__add_array(b, l, c, 16);
	task = arr + 3;
	ptr = btf__add_ptr(b, task);
	made_union = un = btf__add_union(b, NULL, 8);
	btf__add_field(b, "next", ptr, 0, 0);
	btf__add_field(b, "raw", l, 0, 0);
	assert_int_equal(btf__add_struct(b, "task", 32), task);
	btf__add_field(b, "pid", i, 0, 0);
	btf__add_field(b, "comm", arr, 32, 0);
	btf__add_field(b, "a", u, 160, 3);
	btf__add_field(b, "b", u, 163, 5);
	btf__add_field(b, NULL, un, 192, 0);
	btf__add_enum(b, "state", 4);
	btf__add_enum_value(b, "RUN", 0);
	btf__add_enum_value(b, "STOP", 5);
	btf__add_enum_value(b, "TWO", 6);
	btf__add_enum(b, "other", 4);
	btf__add_enum_value(b, "RUN", 0);
	btf__add_enum_value(b, "TWO", 2);
	btf__add_typedef(b, "task_t", task);
	tag = btf__add_type_tag(b, "user", btf__add_const(b, c));
	proto = btf__add_func_proto(b, i);
	btf__add_func_param(b, "t", ptr);
	btf__add_func_param(b, "name", proto + 1);
	btf__add_func_param(b, NULL, 0);
	assert_int_equal(btf__add_ptr(b, tag), proto + 1);
	btf__add_func(b, "wake", BTF_FUNC_GLOBAL, proto);
	btf__add_var(b, "init", BTF_VAR_GLOBAL_ALLOCATED, ptr);
	/* typedef loop -> typedef loop2 -> loop */
	btf__add_typedef(b, "loop", btf__type_cnt(b) + 1);
	btf__add_typedef(b, "loop2", btf__type_cnt(b) - 1);
	btf__add_fwd(b, "ext", BTF_FWD_STRUCT);
	btf__add_typedef(b, "ext_t", btf__type_cnt(b) - 1);
	/* what D has no name of its own for */
	btf__add_typedef(b, "wide",
			 btf__add_int(b, "__int128", 16, BTF_INT_SIGNED));
	btf__add_typedef(b, "uwide",
			 btf__add_int(b, "unsigned __int128", 16, 0));
	btf__add_typedef(b, "byte", btf__add_int(b, "u8", 1, BTF_INT_CHAR));
	btf__add_typedef(b, "truth", btf__add_int(b, "u8", 1, BTF_INT_BOOL));
	return b;
}

static inline int
made_setup(void **state)
{
	struct btf *k = made_kernel(), *m = btf__new_empty_split(k);
	int wake;

	if (mkdtemp(made_dir) == NULL)
		return -1;
	btf__add_struct(m, "ext", 8);
	btf__add_field(m, "t", made_union, 0, 0);
	wake = btf__find_by_name_kind(k, "wake", BTF_KIND_FUNC);
	btf__add_func(m, "ext_do", BTF_FUNC_GLOBAL,
		      (int)btf__type_by_id(k, (uint32_t)wake)->type);
	made_save(m, "ext");
	made_save(k, "vmlinux");
	btf__free(m);
	btf__free(k);
	return 0;
}

static inline int
made_teardown(void **state)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "rm -r %s", made_dir);
	return system(cmd);
}

#endif
