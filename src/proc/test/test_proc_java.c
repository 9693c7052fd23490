/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_proc_java.c - a JVM is asked for its perf map, step by step.  The JVM is
 * a child that maps a file of that name as code, catches the signal, and does
 * what it is told to, when it is told to: nothing here depends on who is fast.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "proc/proc_jit.h"

#define WHERE 0x123400u

static int sock[2];
static volatile sig_atomic_t told;

/* ---- the JVM ------------------------------------------------------------- */

static void
on_quit(int sig)
{
	told++;
}

static void
java_path(char *path, size_t n, const char *format, pid_t pid)
{
	snprintf(path, n, format, (int)pid);
}

static int
java_listen(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int s = socket(AF_UNIX, SOCK_STREAM, 0);

	java_path(at.sun_path, sizeof(at.sun_path), "/tmp/.java_pid%d",
		  getpid());
	if (bind(s, (const struct sockaddr *)&at, sizeof(at)) != 0 ||
	    listen(s, 5) != 0)
		_exit(1);
	return s;
}

/* The command has come: the map is written, and the answer. */
static void
java_serve(int s, const char *name)
{
	char path[64], ask[64];
	int c = accept(s, NULL, NULL);
	FILE *fp;

	if (c < 0 || read(c, ask, sizeof(ask)) < 2 || ask[0] != '1')
		_exit(2);
	java_path(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	fp = fopen(path, "w");
	if (fp == NULL)
		_exit(3);
	fprintf(fp, "%x 10 %s\n", WHERE, name);
	fclose(fp);
	if (write(c, "0\n", 2) != 2)
		_exit(4);
	close(c);
}

static void
java_run(int ctl, int lib)
{
	int s = -1;
	char c;

	signal(SIGQUIT, on_quit);
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, lib, 0) ==
	    MAP_FAILED)
		_exit(5);
	do {
		c = 'k';
		if (write(ctl, &c, 1) != 1 || read(ctl, &c, 1) != 1)
			_exit(6);
		if (c == 'l')
			s = java_listen();
		if (c == 'a')
			java_serve(s, "first");
		if (c == 'b')
			java_serve(s, "second");
	} while (c != 'q');
	_exit(told);
}

static pid_t
java_start(void)
{
	char dir[] = "/tmp/test_proc_java.XXXXXX", path[64];
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), lib;
	pid_t pid;
	char c;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/libjvm.so", dir);
	lib = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	assert_true(self >= 0 && lib >= 0);
	assert_true(sendfile(lib, self, NULL, 65536) > 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sock), 0);
	pid = fork();
	if (pid == 0)
		java_run(sock[1], lib);
	assert_true(pid > 0);
	assert_int_equal(read(sock[0], &c, 1), 1);
	close(self);
	close(lib);
	close(sock[1]);
	unlink(path);
	rmdir(dir);
	return pid;
}

/* Until it has done it. */
static void
java_tell(char what)
{
	char c;

	assert_int_equal(write(sock[0], &what, 1), 1);
	assert_int_equal(read(sock[0], &c, 1), 1);
}

/* It ends; it has been sent so many signals. */
static void
java_end(pid_t pid, int signals)
{
	char path[64], c = 'q';
	int status;

	assert_int_equal(write(sock[0], &c, 1), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), signals);
	close(sock[0]);
	java_path(path, sizeof(path), "/tmp/.java_pid%d", pid);
	unlink(path);
	java_path(path, sizeof(path), "/tmp/perf-%d.map", pid);
	unlink(path);
}

static bool
attach_file(pid_t pid)
{
	char path[64];

	java_path(path, sizeof(path), "/tmp/.attach_pid%d", pid);
	return access(path, F_OK) == 0;
}

/* ---- tests --------------------------------------------------------------- */

static void
name_is(struct proc *p, const char *want)
{
	const char *name;
	uint64_t off;

	assert_true(proc_jit_name(p, WHERE + 4, false, &name, &off));
	assert_string_equal(name, want);
	assert_int_equal(off, 4);
}

/* It, as the process that is traced. */
static struct proc *
java_grab(pid_t pid, struct proc_set **ps)
{
	struct err e = { 0 };
	struct proc *p;

	*ps = proc_set_new(&e);
	assert_non_null(*ps);
	p = proc_grab(*ps, pid, &e);
	assert_non_null(p);
	return p;
}

/* However slow it is, what was begun goes on, and is not begun twice; the names
   are there when it has ended. */
static void
test_slow(void **state)
{
	const pid_t pid = java_start();
	struct proc_set *ps;
	struct proc *p = java_grab(pid, &ps);
	const char *name;
	uint64_t off;

	for (int i = 0; i < 3; i++) {
		proc_jit_ask(p);
		assert_true(attach_file(pid));
	}
	java_tell('l');
	proc_jit_ask(p);
	assert_false(attach_file(pid));
	proc_jit_ask(p);
	assert_false(proc_jit_name(p, WHERE, false, &name, &off));
	java_tell('a');
	proc_jit_ask(p);
	java_end(pid, 1);
	name_is(p, "first");
	proc_set_free(ps);
}

/* What it has answered just before its end is read after it. */
static void
test_ended(void **state)
{
	const pid_t pid = java_start();
	struct proc_set *ps;
	struct proc *p = java_grab(pid, &ps);
	struct java_ask a = { 0 };

	java_tell('l');
	assert_int_equal(proc_java_step(p, &a), JAVA_LATER);
	java_tell('a');
	assert_int_equal(proc_java_step(p, &a), JAVA_WRITTEN);
	assert_int_equal(proc_java_step(p, &a), JAVA_LATER);
	java_tell('b');
	java_end(pid, 0);
	assert_int_equal(proc_java_step(p, &a), JAVA_WRITTEN);
	assert_int_equal(proc_java_step(p, &a), JAVA_CANNOT);
	proc_set_free(ps);
}

/* Who waits for the answer waits for the first, and asks no more. */
static void
test_asked(void **state)
{
	const pid_t pid = java_start();
	struct proc_set *ps;
	struct proc *p = java_grab(pid, &ps);
	struct java_ask a = { 0 };
	char c = 'a';

	java_tell('l');
	assert_int_equal(write(sock[0], &c, 1), 1);
	assert_int_equal(proc_java_ask(p, &a), JAVA_WRITTEN);
	assert_int_equal(read(sock[0], &c, 1), 1);
	java_end(pid, 0);
	assert_int_equal(proc_java_ask(p, &a), JAVA_CANNOT);
	proc_set_free(ps);
}

/* Nobody wants it any more while it has not answered: nothing is left. */
static void
test_left(void **state)
{
	const pid_t pid = java_start();
	struct proc_set *ps;
	struct proc *p = java_grab(pid, &ps);

	proc_jit_ask(p);
	assert_true(attach_file(pid));
	java_tell('l');
	proc_set_free(ps);
	assert_false(attach_file(pid));
	java_end(pid, 1);
}

/* One that ends before it listens leaves nothing, either. */
static void
test_deaf(void **state)
{
	const pid_t pid = java_start();
	struct proc_set *ps;
	struct proc *p = java_grab(pid, &ps);

	proc_jit_ask(p);
	assert_true(attach_file(pid));
	java_end(pid, 1);
	proc_set_free(ps);
	assert_false(attach_file(pid));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slow),  cmocka_unit_test(test_ended),
		cmocka_unit_test(test_asked), cmocka_unit_test(test_left),
		cmocka_unit_test(test_deaf),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
