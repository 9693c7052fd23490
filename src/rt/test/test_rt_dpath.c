/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_rt_dpath.c - d_path() on a small kernel of our own:
 *
 *   /            root mount, with /mnt and /deep/deep/...
 *   /mnt         another mount, whose root has a file "file"
 *
 * What the real kernel's structures give is test/d/subr/dpath.d's.
 */
#include <stddef.h>

#include "rt/test/rt_fixture.h"

#define STRSIZE 300

struct dentry {
	struct dentry *parent;
	struct {
		uint32_t hash, len;
		const char *name;
	} name;
	struct {
		void *next, *pprev;
	} hash;
};

struct vfsmount {
	void *other;
	struct dentry *root;
};

struct mount {
	struct mount *parent;
	struct dentry *mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

static const struct rt_dpath offsets = {
	.known = 1,
	.path_mnt = offsetof(struct path, mnt),
	.path_dentry = offsetof(struct path, dentry),
	.mount_mnt = offsetof(struct mount, mnt),
	.mount_parent = offsetof(struct mount, parent),
	.mount_mountpoint = offsetof(struct mount, mountpoint),
	.mnt_root = offsetof(struct vfsmount, root),
	.dentry_parent = offsetof(struct dentry, parent),
	.dentry_name = offsetof(struct dentry, name.name),
	.dentry_len = offsetof(struct dentry, name.len),
	.dentry_pprev = offsetof(struct dentry, hash.pprev),
};

static struct dentry root, mnt, inner, file, deep[300];
static struct mount top, second;

/* All memory is the kernel's, but for the first page. */
static int
read_kernel(void *arg, uint64_t addr, void *dst, uint64_t n, bool user)
{
	if (user || addr < 4096)
		return -1;
	memcpy(dst, (const void *)(uintptr_t)addr, n);
	return 0;
}

static void
set(struct dentry *d, const char *name, struct dentry *parent)
{
	d->parent = parent;
	d->name.name = name;
	d->name.len = (uint32_t)strlen(name);
	d->hash.pprev = d;
}

static struct fixture *
kernel_new(void)
{
	struct fixture *f = fixture_new(STRSIZE);

	f->host.read = read_kernel;
	f->conf.dpath = offsets;
	set(&root, "/", &root);
	set(&mnt, "mnt", &root);
	set(&inner, "/", &inner);
	set(&file, "file", &inner);
	for (size_t i = 0; i < 300; i++)
		set(&deep[i], "d", i ? &deep[i - 1] : &root);
	top = (struct mount){ &top, &root, { NULL, &root } };
	second = (struct mount){ &top, &mnt, { NULL, &inner } };
	return f;
}

static const char *
name_of(struct fixture *f, struct mount *m, struct dentry *d)
{
	struct path path = { &m->mnt, d };
	uint64_t res;

	fixture_reset(&f->rt);
	push_val(&f->rt, (uintptr_t)&path);
	res = rt_subr_d_path(&f->rt);
	assert_int_equal(f->rt.fault, RT_FAULT_NONE);
	return (const char *)&f->rt + (res - f->rt.self);
}

static void
goes_up_to_the_root(void **state)
{
	struct fixture *f = kernel_new();

	assert_string_equal(name_of(f, &top, &root), "/");
	assert_string_equal(name_of(f, &top, &mnt), "/mnt");
	assert_string_equal(name_of(f, &top, &deep[2]), "/d/d/d");
	assert_string_equal(name_of(f, &second, &inner), "/mnt");
	assert_string_equal(name_of(f, &second, &file), "/mnt/file");
	free(f);
}

static void
tells_what_is_deleted(void **state)
{
	struct fixture *f = kernel_new();

	file.hash.pprev = NULL;
	assert_string_equal(name_of(f, &second, &file), "/mnt/file (deleted)");
	/* roots are in no table */
	root.hash.pprev = inner.hash.pprev = NULL;
	assert_string_equal(name_of(f, &top, &root), "/");
	assert_string_equal(name_of(f, &second, &inner), "/mnt");
	free(f);
}

static void
does_not_know_what_has_no_name(void **state)
{
	static char longest[256];
	struct fixture *f = kernel_new();
	struct dentry pipe;

	set(&pipe, "", &pipe);
	assert_string_equal(name_of(f, &top, &pipe), "<unknown>");
	/* a parent that cannot be read; a name; a mount */
	file.parent = (struct dentry *)8;
	assert_string_equal(name_of(f, &second, &file), "<unknown>");
	file.parent = &inner;
	file.name.name = (const char *)8;
	assert_string_equal(name_of(f, &second, &file), "<unknown>");
	memset(longest, 'x', 255);
	file.name.name = longest;
	file.name.len = 255;
	assert_int_equal(strlen(name_of(f, &second, &file)), 260);
	file.name.len = 256;
	assert_string_equal(name_of(f, &second, &file), "<unknown>");
	second.parent = NULL;
	assert_string_equal(name_of(f, &second, &inner), "<unknown>");
	/* too many steps; but a long name is cut as any string is */
	assert_string_equal(name_of(f, &top, &deep[299]), "<unknown>");
	assert_int_equal(strlen(name_of(f, &top, &deep[200])), STRSIZE - 1);
	/* a kernel that does not describe itself */
	f->conf.dpath.known = 0;
	assert_string_equal(name_of(f, &top, &mnt), "<unknown>");
	free(f);
}

static void
faults_on_bad_addresses(void **state)
{
	struct fixture *f = kernel_new();

	fixture_reset(&f->rt);
	push_val(&f->rt, 64);
	assert_int_equal(rt_subr_d_path(&f->rt), 0);
	assert_int_equal(f->rt.fault, RT_FAULT_BADADDR);
	assert_int_equal(f->rt.fault_val, 64);
	free(f);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(goes_up_to_the_root),
		cmocka_unit_test(tells_what_is_deleted),
		cmocka_unit_test(does_not_know_what_has_no_name),
		cmocka_unit_test(faults_on_bad_addresses),
	};

	return cmocka_run_group_tests_name("rt_dpath", tests, NULL, NULL);
}
