/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_proc_maps.c - a process's objects: lines of maps that are made here, and
 * children that have mapped files which are gone, are called oddly, or are
 * seen by nobody else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/test/capable.h"
#include "base/test/fds.h"
#include "proc/proc.h"
#include "proc/proc_impl.h"

/* ---- lines --------------------------------------------------------------- */

#define REST " 08:01 77                         /lib/a.so\n"

/* Lines, and what runs of files they are:
   "path start-end file's first mapping, code-its end @ its offset". */
static const struct {
	const char *text, *want;
} lines[] = {
	{ "", "" },
	{ "1000-2000 r--p 00000000" REST, "/lib/a.so 1000-2000 1000-2000;" },
	{ "1000-2000 r--p 00000000" REST "2000-3000 r-xp 00001000" REST
	  "3000-5000 rw-p 00002000" REST,
	  "/lib/a.so 1000-5000 1000-2000 2000-3000@1000;" },
	/* The first code counts. */
	{ "1000-2000 r-xp 00000000" REST "2000-3000 r-xp 00001000" REST,
	  "/lib/a.so 1000-3000 1000-2000 1000-2000@0;" },
	/* Behind it what has no name is its own, unless it is code. */
	{ "1000-2000 rw-p 00000000" REST "2000-3000 rw-p 00000000 00:00 0 \n",
	  "/lib/a.so 1000-3000 1000-2000;" },
	{ "1000-2000 rw-p 00000000" REST "2000-3000 rwxp 00000000 00:00 0 \n",
	  "/lib/a.so 1000-2000 1000-2000;" },
	{ "1000-2000 rw-p 00000000" REST "3000-4000 rw-p 00000000 00:00 0 \n",
	  "/lib/a.so 1000-2000 1000-2000;" },
	{ "0-1000 rw-p 00000000 00:00 0 \n"
	  "1000-2000 rw-p 00000000" REST,
	  "/lib/a.so 1000-2000 1000-2000;" },
	/* Mapped again from a lower offset, or the same; another file. */
	{ "1000-2000 r-xp 00002000" REST "2000-3000 r--p 00001000" REST,
	  "/lib/a.so 1000-2000 1000-2000 1000-2000@2000;"
	  "/lib/a.so 2000-3000 2000-3000;" },
	{ "1000-2000 r-xp 00002000" REST "2000-3000 r--p 00002000" REST,
	  "/lib/a.so 1000-3000 1000-2000 1000-2000@2000;" },
	{ "1000-2000 r--p 00000000 08:01 77 /a\n"
	  "2000-3000 r--p 00001000 08:01 78 /a\n"
	  "3000-4000 r--p 00002000 08:02 78 /a\n"
	  "4000-5000 r--p 00003000 08:02 78 /b\n"
	  "5000-6000 r--p 00004000 108:02 78 /b\n",
	  "/a 1000-2000 1000-2000;/a 2000-3000 2000-3000;"
	  "/a 3000-4000 3000-4000;/b 4000-5000 4000-5000;"
	  "/b 5000-6000 5000-6000;" },
	/* Names with blanks; what is none; a line that is cut. */
	{ "1000-2000 r--p 00000000 08:01 77      /a b (deleted)\n"
	  "2000-3000 r-xp 00000000 00:00 0       [vdso]\n",
	  "/a b (deleted) 1000-2000 1000-2000;"
	  "[vdso] 2000-3000 2000-3000 2000-3000@0;" },
	{ "nonsense\n1000-2000 r--p 00000000" REST "2000-3000 r--p 0000",
	  "/lib/a.so 1000-2000 1000-2000;" },
};

static void
test_lines(void **state)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		char *text = strdup(lines[i].text);
		struct buf b = BUF_INIT;
		mruns runs = { 0 };

		assert_true(proc_maps_parse(text, &runs));
		for (size_t k = 0; k < runs.n; k++) {
			const struct mrun *r = &runs.v[k];

			buf_printf(&b, "%s %llx-%llx %llx-%llx", r->path,
				   (unsigned long long)r->start,
				   (unsigned long long)r->end,
				   (unsigned long long)r->fstart,
				   (unsigned long long)r->fend);
			if (r->xend != 0)
				buf_printf(&b, " %llx-%llx@%llx",
					   (unsigned long long)r->xstart,
					   (unsigned long long)r->xend,
					   (unsigned long long)r->xoff);
			buf_putc(&b, ';');
		}
		assert_string_equal(buf_str(&b), lines[i].want);
		buf_fini(&b);
		vec_fini(&runs);
		free(text);
	}
}

/* ---- a child that maps files --------------------------------------------- */

#define MANY 1500 /* mappings of one file: more text than one read has */

static char dir[] = "/tmp/test_proc_maps.XXXXXX";

static void
in_dir(char path[PATH_MAX], const char *name)
{
	snprintf(path, PATH_MAX, "%s/%s", dir, name);
}

/* This program, as a file of that name. */
static void
make_file(const char *name)
{
	char path[PATH_MAX];
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to;

	in_dir(path, name);
	to = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	if (self < 0 || to < 0)
		_exit(10);
	while (sendfile(to, self, NULL, 1 << 20) > 0)
		;
	close(self);
	close(to);
}

/* At an address, which leaves room between. */
static void
map_file(const char *name, int prot, uint64_t at)
{
	char path[PATH_MAX];
	int fd;

	in_dir(path, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (mmap((void *)(uintptr_t)at, 4096, prot,
		 MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0) == MAP_FAILED)
		_exit(11);
	close(fd);
}

#define FAR 0x200000000000ull /* nothing else is there */

/* Names that nobody else sees: behind a mount of its own. */
static void
go_apart(void)
{
	if (unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("tmpfs", dir, "tmpfs", 0, NULL) != 0)
		_exit(12);
}

static _Noreturn void
child_main(bool apart, int ready)
{
	const char *const names[] = { "plain", "gone", "odd (deleted)",
				      "a\033b" };
	char path[PATH_MAX];

	if (apart)
		go_apart();
	for (int i = 0; i < 4; i++) {
		make_file(names[i]);
		map_file(names[i], PROT_READ | PROT_EXEC,
			 FAR + 0x100000 * (uint64_t)i);
	}
	in_dir(path, "gone");
	unlink(path);
	make_file("many");
	for (int i = 0; i < MANY; i++)
		map_file("many", PROT_READ | (i == 0 ? PROT_EXEC : 0),
			 2 * FAR + 8192 * (uint64_t)i);
	if (write(ready, "", 1) != 1)
		_exit(13);
	for (;;)
		pause();
}

static pid_t
child_start(bool apart)
{
	int ready[2];
	char c;
	pid_t pid;

	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	assert_non_null(mkdtemp(dir));
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0)
		child_main(apart, ready[1]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return pid;
}

static void
child_end(pid_t pid)
{
	const char *const names[] = { "plain", "odd (deleted)", "a\033b",
				      "many" };
	char path[PATH_MAX];

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (int i = 0; i < 4; i++) {
		in_dir(path, names[i]);
		unlink(path);
	}
	assert_int_equal(rmdir(dir), 0);
}

static const struct proc_obj *
obj_at(struct proc *p, uint64_t start)
{
	for (size_t i = 0; i < proc_nobjs(p); i++)
		if (proc_obj_at(p, i)->start == start)
			return proc_obj_at(p, i);
	fail_msg("no object at %#llx", (unsigned long long)start);
	return NULL;
}

/* An object of the child's: its names, that it is there, and that it is the
   file which it is opened by. */
static void
obj_is_named(struct proc *p, int i, const char *file, const char *name,
	     const char *open_path)
{
	const struct proc_obj *o = obj_at(p, FAR + 0x100000 * (uint64_t)i);
	char path[PATH_MAX];
	struct stat st;
	struct err e = { 0 };

	in_dir(path, file);
	assert_string_equal(o->path, path);
	assert_string_equal(o->name, name);
	assert_string_equal(o->open_path, open_path);
	assert_int_equal(o->end - o->start, 4096);
	assert_false(o->is_exec);
	assert_int_equal(stat(open_path, &st), 0);
	assert_int_equal(o->ino, st.st_ino);
	assert_int_equal(o->dev, st.st_dev);
	assert_non_null(proc_obj_elf((struct proc_obj *)(uintptr_t)o, &e));
}

static struct proc *
grab(struct proc_set **ps, pid_t pid)
{
	struct err e = { 0 };
	struct proc *p;

	*ps = proc_set_new(&e);
	assert_non_null(*ps);
	p = proc_grab(*ps, pid, &e);
	if (p == NULL)
		fail_msg("%s", e.msg);
	return p;
}

/* One object is the program, by the name that it was executed by. */
static void
one_program(struct proc *p)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t found = 0;

	assert_true(n > 0);
	self[n] = '\0';
	for (size_t i = 0; i < proc_nobjs(p); i++) {
		const struct proc_obj *o = proc_obj_at(p, i);

		assert_int_equal(o->is_exec, strcmp(o->path, self) == 0);
		found += o->is_exec;
		assert_true(o->mapped);
		assert_true(o->start < o->end);
	}
	assert_int_equal(found, 1);
}

static void
test_objects(void **state)
{
	pid_t pid = child_start(false);
	char path[PATH_MAX], map[96];
	struct stat st;
	struct proc_set *ps;
	struct proc *p = grab(&ps, pid);

	one_program(p);
	in_dir(path, "plain");
	obj_is_named(p, 0, "plain", "plain", path);
	snprintf(map, sizeof(map), "/proc/%d/map_files/%llx-%llx", (int)pid,
		 FAR + 0x100000, FAR + 0x101000);
	if (stat(map, &st) == 0) /* that takes a capability */
		obj_is_named(p, 1, "gone", "gone", map);
	in_dir(path, "odd (deleted)");
	obj_is_named(p, 2, "odd (deleted)", "odd (deleted)", path);
	in_dir(path, "a\033b");
	obj_is_named(p, 3, "a\033b", "a?b", path);
	assert_int_equal(obj_at(p, 2 * FAR)->end,
			 2 * FAR + 8192ull * (MANY - 1) + 4096);
	child_end(pid);
	proc_set_free(ps);
}

/* There the kernel says names of mounts that only the child has as the host
   sees them. */
static bool
in_chroot(void)
{
	struct stat own, first;

	return stat("/", &own) == 0 && stat("/proc/1/root/", &first) == 0 &&
	       (own.st_ino != first.st_ino || own.st_dev != first.st_dev);
}

/* What stands under these names here is nothing, or something else. */
static void
test_apart(void **state)
{
	pid_t pid;
	char path[PATH_MAX], root[PATH_MAX + 32];
	struct proc_set *ps;
	struct proc *p;

	if (!CAPABLE("root pidns"))
		return;
	if (in_chroot()) {
		printf("# skip: in a chroot names are the host's\n");
		return;
	}
	pid = child_start(true);
	make_file("plain");
	p = grab(&ps, pid);
	one_program(p);
	in_dir(path, "plain");
	snprintf(root, sizeof(root), "/proc/%d/root%s", (int)pid, path);
	obj_is_named(p, 0, "plain", "plain", root);
	in_dir(path, "odd (deleted)");
	snprintf(root, sizeof(root), "/proc/%d/root%s", (int)pid, path);
	obj_is_named(p, 2, "odd (deleted)", "odd (deleted)", root);
	child_end(pid);
	proc_set_free(ps);
}

/* What is said to somebody who may not. */
static void
test_refused(void **state)
{
	pid_t pid;
	int status;

	if (!CAPABLE("root"))
		return;
	pid = fork();
	if (pid == 0) {
		struct err e = { 0 };
		struct proc_set *ps = proc_set_new(&e);
		char want[256];
		pid_t parent = getppid();

		if (setresgid(65534, 65534, 65534) != 0 ||
		    setresuid(65534, 65534, 65534) != 0 || ps == NULL)
			_exit(2);
		snprintf(want, sizeof(want),
			 "failed to grab process %d: it is another user's, or "
			 "set-uid, or does not let itself be dumped, and "
			 "CAP_SYS_PTRACE is needed: /proc/%d/maps: Permission "
			 "denied",
			 (int)parent, (int)parent);
		if (proc_grab(ps, parent, &e) != NULL)
			_exit(3);
		if (strcmp(e.msg, want) != 0) {
			print_error("%s\n", e.msg);
			_exit(4);
		}
		proc_set_free(ps);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_objects),
		cmocka_unit_test(test_apart),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
