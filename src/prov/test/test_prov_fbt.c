/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_prov_fbt.c - fbt and rawfbt on a kernel of a few functions that is
 * made here: names, twins, suffixes, sites, what is said where there are none,
 * and allocations that fail.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/test/fds.h"
#include "base/test/nomem.h"
#include "proc/proc.h"
#include "prov/prov.h"

static struct prov_env env;
static struct probe_set *ps;
static struct err e;
static bool none; /* this kernel has no list */
static bool seen_later;
static bool later; /* a module has been loaded since */

static const struct kfunc list[] = {
	{ "vfs_read", "vmlinux", 0x1000, false, 0 },
	{ "init_once", "vmlinux", 0x2000, true, 0 },
	{ "init_once", "vmlinux", 0x3000, true, 1 },
	{ "init_once", "ext4", 0x9000, true, 0 },
	{ "ext4_iget", "ext4", 0x9100, false, 0 },
	{ "finish_switch.isra.0", "vmlinux", 0x4000, false, 0 },
	{ "vfs_read.part.0", "vmlinux", 0x5000, false, 0 },
	{ "put_it.isra.0", "vmlinux", 0x6000, true, 0 },
	{ "put_it.isra.0", "vmlinux", 0x7000, true, 1 },
	{ "hello_read", "hello", 0xa000, false, 0 },
};
#define N (sizeof(list) / sizeof(*list) - 1) /* without the later one */

const struct kfunc *__wrap_kfunc_list(struct proc_set *p, size_t *n,
				      struct err *err);
int __wrap_kfunc_refresh(struct proc_set *p);
const char *__wrap_kfunc_other_name(struct proc_set *p, const char *name);
uint64_t __wrap_kfunc_addr(struct proc_set *p, const struct kfunc *f);
uint64_t __wrap_kfunc_begin(struct proc_set *p, const struct kfunc *f);
const char *__wrap_kfunc_why_not(struct proc_set *p, const char *module,
				 const char *name);

const struct kfunc *
__wrap_kfunc_list(struct proc_set *p, size_t *n, struct err *err)
{
	if (none) {
		err_set(err, &ERR_GENERIC, 0, "no list here");
		return NULL;
	}
	*n = N + seen_later;
	return list;
}

int
__wrap_kfunc_refresh(struct proc_set *p)
{
	seen_later = later;
	return 0;
}

const char *
__wrap_kfunc_other_name(struct proc_set *p, const char *name)
{
	return strcmp(name, "sys_read") == 0 ? "vfs_read" : NULL;
}

/* Of the third nobody knows where it is. */
uint64_t
__wrap_kfunc_addr(struct proc_set *p, const struct kfunc *f)
{
	return f == &list[2] ? 0 : f->addr;
}

/* Of the first of them, where it begins is known at once. */
uint64_t
__wrap_kfunc_begin(struct proc_set *p, const struct kfunc *f)
{
	return f == &list[0] ? 0xffc : 0;
}

const char *
__wrap_kfunc_why_not(struct proc_set *p, const char *module, const char *name)
{
	return strcmp(name, "do_nmi") == 0 ? "it is black" : NULL;
}

static int
setup(void **state)
{
	err_clear(&e);
	none = later = seen_later = false;
	env.types = type_space_base(&e);
	ps = env.types != NULL ? probe_set_new(&env, &e) : NULL;
	return ps == NULL || prov_register_all(ps, &e) != 0 ? -1 : 0;
}

static int
teardown(void **state)
{
	probe_set_free(ps);
	type_space_free(env.types);
	return 0;
}

struct found {
	struct probe *v[2 * N];
	int n;
};

static int
keep(void *arg, struct probe *p)
{
	struct found *f = arg;

	if (f->n < (int)(2 * N))
		f->v[f->n] = p;
	f->n++;
	return 0;
}

static int
match(const char *prov, const char *mod, const char *func, const char *name,
      struct found *f)
{
	struct dif_pdesc pd = { 0, prov, mod, func, name };

	*f = (struct found){ 0 };
	err_clear(&e);
	return probe_match(ps, &pd, keep, f, &e);
}

static void
test_names(void **state)
{
	struct found f;

	assert_int_equal(match("fbt", "", "vfs_read", "entry", &f), 1);
	assert_string_equal(f.v[0]->mod, "vmlinux");
	assert_int_equal(match("fbt", "", "vfs_*", "", &f), 4);
	assert_int_equal(match("fbt", "ext4", "", "return", &f), 2);
	assert_int_equal(match("fbt", "", "", "", &f), 2 * N);
	assert_int_equal(match("fbt", "", "", "", &f), 2 * N); /* once each */
	assert_int_equal(match("rawfbt", "", "ext4_iget", "entry", &f), 1);
	assert_int_equal(match("fbt", "", "vfs_read", "exit", &f), 0);
	assert_int_equal(match("", "", "ext4_iget", "entry", &f), 2);
}

/* A module that is loaded later has its probes then, and the others keep
   theirs. */
static void
test_later(void **state)
{
	struct found f;
	struct probe *was;

	assert_int_equal(match("fbt", "", "vfs_read", "entry", &f), 1);
	was = f.v[0];
	assert_int_equal(match("fbt", "hello", "", "", &f), 0);
	later = true;
	assert_int_equal(match("fbt", "hello", "", "", &f), 2);
	assert_string_equal(f.v[0]->func, "hello_read");
	assert_int_equal(match("fbt", "", "vfs_read", "entry", &f), 1);
	assert_ptr_equal(f.v[0], was);
}

/* By a name that ftrace does not have for it, as often as it is asked for. */
static void
test_other_name(void **state)
{
	struct found f;

	for (int i = 0; i < 3; i++) {
		assert_int_equal(match("fbt", "", "sys_read", "entry", &f), 1);
		assert_string_equal(f.v[0]->func, "vfs_read");
	}
	assert_int_equal(match("fbt", "", "sys_read", "", &f), 2);
	assert_int_equal(match("fbt", "ext4", "sys_read", "", &f), 0);
	assert_int_equal(match("fbt", "", "vfs_read", "", &f), 2);
}

/* A copy with other arguments is found by its function's name; a part of a
   function is not the function. */
static void
test_suffixes(void **state)
{
	struct found f;

	assert_int_equal(match("fbt", "", "finish_switch", "entry", &f), 1);
	assert_string_equal(f.v[0]->func, "finish_switch.isra.0");
	assert_int_equal(match("fbt", "", "finish_switch.isra.0", "", &f), 2);
	assert_int_equal(match("fbt", "", "vfs_read", "", &f), 2);
	assert_int_equal(match("fbt", "", "vfs_read.part.0", "", &f), 2);
}

/* Each is a probe, with its own place, or none where that is not known. */
static void
test_twins(void **state)
{
	struct site_list l = { 0 };
	struct found f;

	assert_int_equal(match("fbt", "", "init_once", "entry", &f), 3);
	assert_int_not_equal(f.v[0]->id, f.v[1]->id);
	for (int i = 0; i < 3; i++)
		assert_int_equal(f.v[i]->owner->ops->sites(f.v[i]->owner,
							   f.v[i], &l, &e),
				 0);
	assert_int_equal(l.n, 2);
	assert_int_equal(l.v[0].addr, 0x2000);
	assert_true(l.v[0].twins);
	assert_null(l.v[0].mod);
	assert_int_equal(l.v[1].addr, 0x9000);
	assert_string_equal(l.v[1].mod, "ext4");
	free(l.v);
}

static void
test_sites(void **state)
{
	struct site_list l = { 0 };
	struct probe_args a = { 0 };
	struct found f;

	assert_int_equal(match("fbt", "", "vfs_read", "", &f), 2);
	for (int i = 0; i < 2; i++)
		assert_int_equal(f.v[i]->owner->ops->sites(f.v[i]->owner,
							   f.v[i], &l, &e),
				 0);
	assert_int_equal(l.n, 2);
	assert_int_equal(l.v[0].kind, DIF_SITE_KENTRY);
	assert_int_equal(l.v[0].args->arg[9].kind, DIF_RCP_KARG);
	assert_int_equal(l.v[0].args->arg[9].val, 9);
	assert_int_equal(l.v[1].kind, DIF_SITE_KRETURN);
	assert_int_equal(l.v[1].args->arg[0].kind, DIF_RCP_CONST);
	assert_int_equal(l.v[1].args->arg[1].kind, DIF_RCP_KRET);
	assert_string_equal(l.v[1].tp, "vfs_read");
	assert_int_equal(l.v[1].addr, 0); /* the kernel knows it by name */
	assert_int_equal(l.v[1].fn, 0xffc);
	free(l.v);
	/* Nothing of the kernel's types is there: numbers only. */
	assert_int_equal(f.v[0]->owner->ops->args(f.v[0]->owner, f.v[0], &a,
						  &e),
			 0);
	assert_false(a.typed);
}

/* When all have been made, what is asked for next finds them. */
static void
test_all(void **state)
{
	struct found f;

	assert_int_equal(match("fbt", "", "", "", &f), 2 * N);
	assert_int_equal(match("fbt", "", "vfs_*", "", &f), 4);
	assert_int_equal(match("fbt", "", "finish_switch", "", &f), 2);
	assert_int_equal(match("fbt", "", "sys_read", "entry", &f), 1);
	assert_int_equal(match("fbt", "", "do_nmi", "entry", &f), -1);
	later = true;
	assert_int_equal(match("fbt", "hello", "", "", &f), 2);
}

static void
test_none(void **state)
{
	struct found f;

	assert_int_equal(match("fbt", "", "do_nmi", "entry", &f), -1);
	assert_string_equal(e.msg, "fbt::do_nmi:entry: cannot be traced: "
				   "it is black");
	assert_ptr_equal(e.tag, &D_PROC_FUNC);
	assert_int_equal(match("fbt", "", "no_such", "entry", &f), 0);
	assert_int_equal(match("fbt", "", "do_nm*", "entry", &f), 0);
	none = true;
	assert_int_equal(match("fbt", "", "vfs_read", "entry", &f), -1);
	assert_string_equal(e.msg, "fbt::vfs_read:entry: no list here");
	assert_int_equal(match("", "", "no_such", "entry", &f), 0);
}

/* What descriptions of all kinds match: in `want`, if nothing fails. */
static bool
match_all(int want[4])
{
	struct found f;
	bool ok = true;

	want[0] = match("fbt", "", "put_it", "", &f);
	ok &= want[0] >= 0 || e.tag == &ERR_NOMEM;
	want[1] = match("fbt", "", "sys_read", "", &f);
	ok &= want[1] >= 0 || e.tag == &ERR_NOMEM;
	want[2] = match("fbt", "ext4", "", "entry", &f);
	ok &= want[2] >= 0 || e.tag == &ERR_NOMEM;
	want[3] = match("fbt", "", "", "", &f);
	return ok && (want[3] >= 0 || e.tag == &ERR_NOMEM);
}

/* Whatever allocation fails, that is said; then each probe is there once, by
   all its names. */
static void
test_prov_nomem(void **state)
{
	const int want[4] = { 4, 2, 2, 2 * N };
	bool failed = true;
	int got[4];

	for (long n = 1; failed; n++) {
		assert_int_equal(setup(state), 0);
		nomem_arm(n);
		assert_true(match_all(got));
		failed = nomem_disarm();
		for (int i = 0; i < 4; i++)
			assert_true(got[i] == want[i] ||
				    (failed && got[i] == -1));
		assert_true(match_all(got));
		assert_memory_equal(got, want, sizeof(want));
		teardown(state);
		assert_true(n < 10000);
	}
	assert_int_equal(setup(state), 0); /* as teardown() expects */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_later, setup, teardown),
		cmocka_unit_test_setup_teardown(test_other_name, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_suffixes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_twins, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sites, setup, teardown),
		cmocka_unit_test_setup_teardown(test_all, setup, teardown),
		cmocka_unit_test_setup_teardown(test_none, setup, teardown),
		cmocka_unit_test_teardown(test_prov_nomem, teardown),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
