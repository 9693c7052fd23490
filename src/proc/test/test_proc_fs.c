/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What is read of /proc, with names that a process may give itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "proc/proc_fs.h"

#define STAT_REST                                                              \
	" S 7 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654321 4096 10 "  \
	"18446744073709551615 1 2 3 4 5 6 7 8 9 0 0 0 17 3 0 0 0 0 0 11 12 13 " \
	"140000 140020 15 16 256\n"

static void
test_stat_names(void **state)
{
	static const char *const names[] = { "cat",	"a b",	 ") (",
					     ") Z 1 (", "x\ny",	 "))))",
					     "",	") R 1" };
	char text[1024];
	struct proc_stat st;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(text, sizeof(text), "42 (%s)" STAT_REST, names[i]);
		assert_true(proc_stat_parse(text, &st));
		assert_int_equal(st.state, 'S');
		assert_false(proc_stat_ended(&st));
		assert_false(proc_stat_exiting(&st));
		assert_int_equal(st.v[PROC_STAT_PPID], 7);
		assert_int_equal(st.v[PROC_STAT_FLAGS], 4194560);
		assert_int_equal(st.v[PROC_STAT_STARTTIME], 987654321);
		assert_int_equal(st.v[PROC_STAT_CPU], 3);
		assert_int_equal(st.v[PROC_STAT_ARG_START], 140000);
		assert_int_equal(st.v[PROC_STAT_ARG_END], 140020);
		assert_int_equal(st.v[PROC_STAT_EXIT_CODE], 256);
	}
}

static void
test_stat_short(void **state)
{
	struct proc_stat st;

	assert_false(proc_stat_parse("", &st));
	assert_false(proc_stat_parse("42 (cat", &st));
	assert_false(proc_stat_parse("42 (cat)", &st));
	assert_false(proc_stat_parse("42 (cat) 1", &st));
	assert_true(proc_stat_parse("42 (cat) Z 9", &st));
	assert_true(proc_stat_ended(&st));
	assert_int_equal(st.v[PROC_STAT_PPID], 9);
	assert_int_equal(st.v[PROC_STAT_EXIT_CODE], 0);
	assert_true(proc_stat_parse("42 (cat) R 9 9 9 0 -1 4194308", &st));
	assert_true(proc_stat_exiting(&st));
	assert_false(proc_stat_ended(&st));
}

static void
test_status(void **state)
{
	static const struct proc_status st = {
		"Name:\tUid: 9\\nPPid:\t8\n"
		"State:\tT (tracing stop)\n"
		"NSpid:\t4711\t12\t1\n"
		"Uid:\t0\t1\t2\t3\n"
		"VmLck:\t      64 kB\n"
		"CapEff:\t00000000a80425fb\n"
		"Groups:\t\n"
	};
	uint64_t v[4], last;

	assert_int_equal(*proc_status_line(&st, "State"), 'T');
	assert_null(proc_status_line(&st, "PPid")); /* it is in the name */
	assert_int_equal(proc_status_number(&st, "PPid"), 0);
	assert_int_equal(proc_status_numbers(&st, "NSpid", v, 1, &last), 3);
	assert_int_equal(v[0], 4711);
	assert_int_equal(last, 1);
	assert_int_equal(proc_status_numbers(&st, "Uid", v, 4, NULL), 4);
	assert_int_equal(v[0], 0);
	assert_int_equal(v[3], 3);
	assert_int_equal(proc_status_number(&st, "VmLck"), 64);
	assert_int_equal(proc_status_numbers(&st, "Groups", v, 4, &last), 0);
	assert_int_equal(last, 0);
	assert_null(proc_status_line(&st, "Vm"));
}

static void
test_map_names(void **state)
{
	static const struct {
		const char *written, *path;
	} v[] = {
		{ "/lib/x.so", "/lib/x.so" },
		{ "", "" },
		{ "/tmp/a b  c", "/tmp/a b  c" },
		{ "/tmp/a\\012b", "/tmp/a\nb" },
		{ "/tmp/x (deleted)", "/tmp/x (deleted)" },
		{ "/tmp/00400000-00500000 r-xp 0 fd:01 5", NULL },
		{ "[stack]", "[stack]" },
	};
	struct proc_map m;
	char line[256];

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		snprintf(line, sizeof(line),
			 "7f0012340000-7f0012345000 rw-s 0001c000 fd:01 123456 "
			 "                    %s",
			 v[i].written);
		assert_true(proc_map_parse(line, &m));
		assert_int_equal(m.lo, 0x7f0012340000);
		assert_int_equal(m.hi, 0x7f0012345000);
		assert_int_equal(m.off, 0x1c000);
		assert_int_equal(m.ino, 123456);
		assert_int_equal(m.devlen, 5);
		assert_memory_equal(m.dev, "fd:01", 5);
		assert_true(m.r && m.w && !m.x && m.shared);
		assert_string_equal(m.path, v[i].path != NULL ? v[i].path
							      : v[i].written);
	}
}

static void
test_map_not(void **state)
{
	static const char *const v[] = { "",
					 "7f00",
					 "7f00-7f01",
					 "7f00-7f01 r-",
					 "7f00-7f01 r-xp",
					 "7f00-7f01 r-xp 0",
					 "7f00-7f01 r-xp 0 fd:01",
					 "rest of a name" };
	struct proc_map m;
	char line[64];

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		snprintf(line, sizeof(line), "%s", v[i]);
		assert_false(proc_map_parse(line, &m));
	}
}

/* The same of a living process: this one. */
static void
test_ourselves(void **state)
{
	char comm[16], was[16];
	struct proc_status ps;
	struct proc_stat st;
	struct proc_maps it;
	struct proc_dir dir;
	struct proc_map m;
	bool found = false;
	long tid;

	prctl(PR_GET_NAME, was);
	prctl(PR_SET_NAME, ") Z 1\n(x");
	proc_comm(getpid(), comm, sizeof(comm));
	assert_string_equal(comm, ") Z 1\n(x");
	assert_true(proc_stat_read(getpid(), 0, &st));
	assert_int_equal(st.state, 'R');
	assert_int_equal(st.v[PROC_STAT_PPID], getppid());
	assert_true(proc_status_read(getpid(), 0, &ps));
	assert_int_equal(proc_status_number(&ps, "PPid"), getppid());
	prctl(PR_SET_NAME, was);
	assert_true(proc_dir_open(&dir, getpid(), "task"));
	while ((tid = proc_dir_next(&dir)) >= 0)
		found |= tid == syscall(SYS_gettid);
	proc_dir_close(&dir);
	assert_true(found);

	int fd = (int)syscall(SYS_memfd_create, "a\nb c", 0);
	void *p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	found = false;
	assert_true(proc_maps_open(&it, getpid()));
	while (!found && proc_maps_next(&it, &m))
		found = m.lo == (uint64_t)(uintptr_t)p;
	assert_true(found);
	assert_string_equal(m.path, "/memfd:a\nb c (deleted)");
	assert_true(m.r && !m.w && !m.x && m.shared);
	proc_maps_close(&it);
	munmap(p, 4096);
	close(fd);
}

static void
test_nobody(void **state)
{
	struct proc_status ps;
	struct proc_stat st;
	struct proc_maps it;
	struct proc_dir dir;
	char buf[16];

	assert_false(proc_stat_read(0x7ffffff0, 0, &st));
	assert_true(proc_stat_ended(&st));
	assert_false(proc_status_read(0x7ffffff0, 0, &ps));
	assert_false(proc_maps_open(&it, 0x7ffffff0));
	assert_false(proc_dir_open(&dir, 0x7ffffff0, "task"));
	assert_int_equal(proc_read(0x7ffffff0, 0, "comm", buf, sizeof(buf)), -1);
	proc_comm(0x7ffffff0, buf, sizeof(buf));
	assert_string_equal(buf, "");
}

/* Until the file ends, or the room does; what is there ends with a NUL. */
static void
test_pieces(void **state)
{
	char all[65536], some[8];
	long n = proc_read(getpid(), 0, "limits", all, sizeof(all));

	assert_true(n > 8 && n < (long)sizeof(all));
	assert_int_equal(strlen(all), n);
	assert_int_equal(proc_read(getpid(), 0, "limits", some, sizeof(some)),
			 7);
	all[7] = '\0';
	assert_string_equal(some, all);
}

#define HEX64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER "f123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void
test_containers(void **state)
{
	static const char *const names[][2] = {
		{ "", "" }, { "/", "" }, { "/user.slice/a.scope", "" },
		{ "/docker/" HEX64, "0123456789ab" },
		{ "/docker-" HEX64 ".scope", "0123456789ab" },
		{ "/k.slice/cri-containerd-" HEX64 ".scope", "0123456789ab" },
		{ "/libpod_parent/libpod-" HEX64 "/container", "0123456789ab" },
		{ "/docker/" HEX64 "/docker/" OTHER, "f123456789ab" },
		{ "/" HEX64 "0", "" }, { "/0" HEX64, "" },
	};
	char buf[PROC_CONTAINER];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		proc_container(names[i][0], buf);
		assert_string_equal(buf, names[i][1]);
	}
	assert_false(proc_cgroup(0x7ffffff0, buf, sizeof(buf)));
	assert_string_equal(buf, "");
}

/* How deep a control group is: of the root, and of one in it, if there is any,
   also as the file system names it. */
static void
test_cgroup_level(void **state)
{
	struct proc_cgroup_place at;
	struct err e = { 0 };
	char root[512], path[1024];
	struct dirent *d;
	DIR *dir;

	if (proc_cgroup_root(root, sizeof(root)) == 0)
		skip(); /* they are not mounted */
	assert_int_equal(proc_cgroup_find("/", &at, &e), 0);
	assert_int_equal(at.level, 0);
	assert_int_equal(proc_cgroup_find(root, &at, &e), 0);
	assert_int_equal(at.level, 0);
	dir = opendir(root);
	assert_non_null(dir);
	while ((d = readdir(dir)) != NULL)
		if (d->d_type == DT_DIR && d->d_name[0] != '.')
			break;
	if (d != NULL) {
		snprintf(path, sizeof(path), "%s/%s/", root, d->d_name);
		if (proc_cgroup_find(path, &at, &e) == 0)
			assert_int_equal(at.level, 1);
	}
	closedir(dir);
	err_clear(&e);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stat_names),
		cmocka_unit_test(test_stat_short),
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_map_names),
		cmocka_unit_test(test_map_not),
		cmocka_unit_test(test_ourselves),
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_cgroup_level),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_containers),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
