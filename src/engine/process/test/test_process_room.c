/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_process_room.c - what limits of memory leave, of files of /proc and of
 * control groups that are made here: fopen() finds these, and no others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/process/process_impl.h"

#define PID 77

struct file {
	const char *path, *text;
};
static const struct file *files; /* up to one without a path */

FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode);

FILE *
__wrap_fopen(const char *path, const char *mode)
{
	for (const struct file *f = files; f->path != NULL; f++)
		if (strcmp(f->path, path) == 0)
			return fmemopen((void *)(uintptr_t)f->text,
					strlen(f->text), "r");
	return NULL;
}

/* What fopen() is called where files may be large. */
FILE *
__wrap_fopen64(const char *path, const char *mode)
{
	return __wrap_fopen(path, mode);
}

static void
leaves(const struct file *made, uint64_t want)
{
	files = made;
	assert_int_equal(room_in_cgroup(PID), want);
}

#define V2(root) \
	{ "/proc/self/mountinfo", \
	  "22 1 0:21 / /proc rw - proc proc rw\n" \
	  "30 1 0:26 " root " /cg rw - cgroup2 cgroup2 rw\n" }

/* Its own limit and those around it, up to the mount. */
static void
test_v2(void **state)
{
	static const struct file made[] = {
		V2("/"),
		{ "/proc/77/cgroup", "0::/a/b\n" },
		{ "/cg/a/b/memory.max", "max\n" },
		{ "/cg/a/b/memory.current", "10\n" },
		{ "/cg/a/memory.max", "1000\n" },
		{ "/cg/a/memory.current", "300\n" },
		{ 0 }
	};
	static const struct file none[] = {
		V2("/"), { "/proc/77/cgroup", "0::/\n" }, { 0 }
	};

	leaves(made, 700);
	leaves(none, ROOM_ENDLESS);
}

/* A container has a part of the tree: what it is called in the whole tree is
   not what it is called there. */
static void
test_part(void **state)
{
	static const struct file made[] = {
		V2("/box/1"),
		{ "/proc/77/cgroup", "0::/box/1/a\n" },
		{ "/cg/a/memory.max", "1000\n" },
		{ "/cg/a/memory.current", "1\n" },
		{ "/cg/memory.max", "5000\n" },
		{ "/cg/memory.current", "20\n" },
		{ 0 }
	};
	/* Its own names, where it has a namespace of them. */
	static const struct file own[] = {
		V2("/box/1"),
		{ "/proc/77/cgroup", "0::/a\n" },
		{ "/cg/a/memory.max", "1000\n" },
		{ "/cg/a/memory.current", "1\n" },
		{ 0 }
	};
	static const struct file outside[] = {
		V2("/"),
		{ "/proc/77/cgroup", "0::/../x\n" },
		{ "/cg/memory.max", "5000\n" },
		{ "/cg/memory.current", "6000\n" },
		{ "/cg/../x/memory.max", "3\n" },
		{ 0 }
	};

	leaves(made, 999);
	leaves(own, 999);
	leaves(outside, 0);
}

/* One tree for memory among others; a huge number is none. */
static void
test_v1(void **state)
{
	static const struct file made[] = {
		{ "/proc/self/mountinfo",
		  "30 1 0:26 / /cpu rw - cgroup cgroup rw,cpu\n"
		  "31 1 0:27 / /mem rw - cgroup cgroup rw,memory\n" },
		{ "/proc/77/cgroup", "4:cpu:/x\n3:hugetlb,memory:/a\n" },
		{ "/mem/a/memory.limit_in_bytes", "4096\n" },
		{ "/mem/a/memory.usage_in_bytes", "96\n" },
		{ "/mem/memory.limit_in_bytes", "9223372036854771712\n" },
		{ "/mem/x/memory.limit_in_bytes", "1\n" },
		{ 0 }
	};

	leaves(made, 4000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_v2),
		cmocka_unit_test(test_part),
		cmocka_unit_test(test_v1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
