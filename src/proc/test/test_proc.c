/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_proc.c - processes made, grabbed, let go and left behind.  The test
 * runs itself with a word as argument where it needs a program that does
 * something.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <elf.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sendfile.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/test/fds.h"
#include "base/test/capable.h"
#include "proc/proc.h"
#include "proc/proc_impl.h"

static char self[4096];

int proc_test_here(void);
__attribute__((noinline, used)) int
proc_test_here(void)
{
	return 42;
}

static struct proc_set *
new_set(void)
{
	struct err e = { 0 };
	struct proc_set *ps = proc_set_new(&e);

	assert_non_null(ps);
	return ps;
}

static struct proc *
create(struct proc_set *ps, const char *a, const char *b,
       enum proc_evaltime when)
{
	char *argv[] = { (char *)(uintptr_t)a, (char *)(uintptr_t)b, NULL };
	struct err e = { 0 };
	struct proc *p = proc_create(ps, argv, NULL, when, &e);

	if (p == NULL)
		fail_msg("%s", e.msg);
	return p;
}

static int
wait_end(struct proc *p)
{
	struct pollfd pfd = { .fd = proc_fd(p), .events = POLLIN };
	int status = 0;

	assert_int_equal(poll(&pfd, 1, 300000), 1);
	assert_true(proc_ended(p, &status));
	return status;
}

static struct proc_obj *
obj_named(struct proc *p, const char *name)
{
	for (size_t i = 0; i < proc_nobjs(p); i++)
		if (strcmp(proc_obj_at(p, i)->name, name) == 0)
			return proc_obj_at(p, i);
	return NULL;
}

/* The state letter of /proc/PID/stat, 0 when there is no such process. */
static char
state_of(pid_t pid)
{
	char path[64], line[512], *s;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (f == NULL)
		return 0;
	s = fgets(line, sizeof(line), f);
	fclose(f);
	s = s != NULL ? strrchr(line, ')') : NULL;
	return s != NULL ? s[2] : 0;
}

static void
test_true(void **state)
{
	static const enum proc_evaltime when[] = { PROC_EVAL_EXEC,
						   PROC_EVAL_PREINIT,
						   PROC_EVAL_POSTINIT,
						   PROC_EVAL_MAIN };

	for (size_t i = 0; i < 4; i++) {
		struct proc_set *ps = new_set();
		struct proc *p = create(ps, "true", NULL, when[i]);
		struct err e = { 0 };
		int status;

		assert_true(proc_is_child(p));
		assert_false(proc_ended(p, &status));
		assert_int_equal(state_of(proc_pid(p)), 't');
		/* Libraries are there from preinit on. */
		assert_true((obj_named(p, "libc.so.6") != NULL) ==
			    (when[i] != PROC_EVAL_EXEC));
		assert_int_equal(proc_continue(p, &e), 0);
		assert_int_equal(wait_end(p), 0);
		proc_set_free(ps);
	}
}

/* The constructor of this program has not run at preinit and at postinit (it
   is the program's own), and has at main. */
static void
test_evaltime(void **state)
{
	static const enum proc_evaltime when[] = { PROC_EVAL_PREINIT,
						   PROC_EVAL_POSTINIT,
						   PROC_EVAL_MAIN };

	for (size_t i = 0; i < 3; i++) {
		struct proc_set *ps;
		struct proc *p;
		struct err e = { 0 };
		struct pollfd pfd;
		int fd[2];
		char num[16], c;

		assert_int_equal(pipe(fd), 0);
		snprintf(num, sizeof(num), "%d", fd[1]);
		setenv("PROC_TEST_FD", num, 1);
		ps = new_set();
		p = create(ps, self, "exit7", when[i]);
		close(fd[1]);
		pfd = (struct pollfd){ .fd = fd[0], .events = POLLIN };
		assert_int_equal(poll(&pfd, 1, 0), when[i] == PROC_EVAL_MAIN);
		assert_int_equal(proc_continue(p, &e), 0);
		assert_int_equal(read(fd[0], &c, 1), 1);
		assert_int_equal(WEXITSTATUS(wait_end(p)), 7);
		close(fd[0]);
		unsetenv("PROC_TEST_FD");
		proc_set_free(ps);
	}
}

/* From each time to each other. */
static void
test_advance(void **state)
{
	for (int from = PROC_EVAL_EXEC; from <= PROC_EVAL_MAIN; from++)
		for (int to = PROC_EVAL_EXEC; to <= PROC_EVAL_MAIN; to++) {
			struct proc_set *ps = new_set();
			struct proc *p = create(ps, self, "exit7",
						(enum proc_evaltime)from);
			struct err e = { 0 };
			int rc = proc_advance(p, (enum proc_evaltime)to, &e);

			assert_int_equal(rc, to < from ? -1 : 0);
			if (to < from)
				assert_non_null(strstr(e.msg, "has been started"));
			assert_int_equal(state_of(proc_pid(p)), 't');
			assert_true((obj_named(p, "libc.so.6") != NULL) ==
				    (from > PROC_EVAL_EXEC ||
				     to > PROC_EVAL_EXEC));
			err_clear(&e);
			assert_int_equal(proc_continue(p, &e), 0);
			/* It runs: there is nothing to advance. */
			assert_int_equal(proc_advance(p, PROC_EVAL_EXEC, &e),
					 0);
			assert_int_equal(WEXITSTATUS(wait_end(p)), 7);
			proc_set_free(ps);
		}
}

static void
test_missing(void **state)
{
	struct proc_set *ps = new_set();
	char *argv[] = { (char *)(uintptr_t) "/no/such/program", NULL };
	struct err e = { 0 };

	assert_null(proc_create(ps, argv, NULL, PROC_EVAL_PREINIT, &e));
	assert_string_equal(e.msg, "failed to execute /no/such/program: "
				   "No such file or directory");
	err_clear(&e);
	argv[0] = (char *)(uintptr_t) "no-such-command";
	assert_null(proc_create(ps, argv, NULL, PROC_EVAL_PREINIT, &e));
	assert_string_equal(e.msg, "failed to execute no-such-command: "
				   "command not found");
	err_clear(&e);
	assert_null(proc_grab(ps, 0x7ffffff0, &e));
	assert_string_equal(e.msg, "failed to grab process 2147483632: "
				   "No such process");
	proc_set_free(ps);
}

/* Files that are there, and what keeps them from being executed. */
static void
test_unrun(void **state)
{
	static const struct {
		const char *text; /* NULL: a directory */
		mode_t mode;
		const char *why;
	} files[] = {
		{ NULL, 0755, "it is a directory" },
		{ "#!/bin/sh\n", 0644, "it is not executable (chmod +x)" },
		{ "#! /no/such -x\n", 0755,
		  "its interpreter /no/such is not there" },
		{ "#!/bin/sh\r\n", 0755,
		  "its interpreter /bin/sh\r is not there (its lines end in "
		  "carriage returns)" },
		{ "#!/dev/null\n", 0755,
		  "its interpreter /dev/null may not be executed" },
	};
	char dir[] = "/tmp/test_proc.XXXXXX", path[64], want[256];
	char *argv[] = { path, NULL };
	struct proc_set *ps = new_set();

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct err e = { 0 };

		if (files[i].text == NULL) {
			assert_int_equal(mkdir(path, files[i].mode), 0);
		} else {
			FILE *f = fopen(path, "w");
			assert_non_null(f);
			fputs(files[i].text, f);
			fclose(f);
			assert_int_equal(chmod(path, files[i].mode), 0);
		}
		assert_null(proc_create(ps, argv, NULL, PROC_EVAL_PREINIT, &e));
		snprintf(want, sizeof(want), "failed to execute %s: %s", path,
			 files[i].why);
		assert_string_equal(e.msg, want);
		assert_int_equal(remove(path), 0);
	}
	rmdir(dir);
	proc_set_free(ps);
}

static void *
thread_waits(void *tid)
{
	*(volatile pid_t *)tid = gettid();
	pause();
	return NULL;
}

/* A thread's number, when its process has another. */
static void
test_grab_thread(void **state)
{
	struct err e = { 0 };
	struct proc_set *ps = new_set();
	volatile pid_t *tid = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char want[80];
	pthread_t t;
	pid_t pid = fork();

	if (pid == 0) {
		pthread_create(&t, NULL, thread_waits, (void *)(uintptr_t)tid);
		for (;;)
			pause();
	}
	while (*tid == 0)
		usleep(1000);
	assert_null(proc_grab(ps, *tid, &e));
	snprintf(want, sizeof(want),
		 "failed to grab process %d: it is a "
		 "thread, not a process",
		 (int)*tid);
	assert_string_equal(e.msg, want);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	munmap((void *)(uintptr_t)tid, 4096);
	proc_set_free(ps);
}

/* A process that is grabbed is never stopped. */
static void
test_grab(void **state)
{
	struct proc_set *ps = new_set();
	struct err e = { 0 };
	pid_t pid = fork();
	struct proc *p;
	int status;

	if (pid == 0) {
		execl("/proc/self/exe", "test_proc", "sleep", (char *)NULL);
		_exit(1);
	}
	for (int i = 0; i < 200 && state_of(pid) != 'S'; i++)
		usleep(10000);
	usleep(20000);
	p = proc_grab(ps, pid, &e);
	assert_non_null(p);
	assert_ptr_equal(proc_grab(ps, pid, &e), p);
	assert_ptr_equal(proc_find(ps, pid), p);
	assert_false(proc_ended(p, &status));
	assert_int_equal(state_of(pid), 'S');
	assert_non_null(obj_named(p, "libc.so.6"));
	assert_true(obj_named(p, "test_proc")->is_exec);
	kill(pid, SIGKILL);
	for (int i = 0; i < 200 && state_of(pid) != 'Z'; i++)
		usleep(10000);
	assert_true(proc_ended(p, &status));
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	waitpid(pid, NULL, 0);
	proc_set_free(ps);
}

/* Names are known after the end; so is nothing that never was. */
static void
test_symbols(void **state)
{
	struct proc_set *ps = new_set();
	struct proc *p = create(ps, self, "exit7", PROC_EVAL_MAIN);
	struct buf b = BUF_INIT;
	struct err e = { 0 };
	struct proc_obj *o = obj_named(p, "test_proc");
	const struct elf_sym *s;
	uint64_t addr;
	pid_t pid = proc_pid(p);

	assert_non_null(o);
	assert_non_null(proc_obj_elf(o, &e));
	s = elf_sym_find(o->elf, "proc_test_here");
	assert_non_null(s);
	addr = o->base + s->addr;
	assert_int_equal(proc_continue(p, &e), 0);
	wait_end(p);
	proc_addr_text(ps, pid, addr, &b);
	assert_string_equal(buf_str(&b), "test_proc`proc_test_here");
	buf_reset(&b);
	proc_addr_text(ps, pid, addr + 1, &b);
	assert_string_equal(buf_str(&b), "test_proc`proc_test_here+0x1");
	buf_reset(&b);
	proc_addr_text(ps, pid, 0x10, &b);
	assert_string_equal(buf_str(&b), "0x10");
	buf_reset(&b);
	/* Our own symbols, by look-up alone. */
	proc_addr_text(ps, getpid(), (uint64_t)(uintptr_t)proc_test_here, &b);
	assert_string_equal(buf_str(&b), "test_proc`proc_test_here");
	buf_fini(&b);
	proc_set_free(ps);
}

#define SELDOM_FILE "/lib/x86_64-linux-gnu/" SELDOM
#define SELDOM "libanl.so.1" /* of the C library, and hardly ever used */

/* A library that is closed and opened again is the same object, if it comes to
   the same place. */
static void
test_comes_and_goes(void **state)
{
	struct proc_set *ps = new_set();
	struct proc *p = proc_lookup(ps, getpid());
	struct proc_obj *o, *again, *stays;
	uint64_t generation, born;
	void *h;

	assert_non_null(p);
	assert_null(obj_named(p, SELDOM));
	if (!CAPABLE(SELDOM_FILE))
		return;
	h = dlopen(SELDOM, RTLD_NOW);
	assert_non_null(h);
	generation = proc_generation(p);
	stays = obj_named(p, "libc.so.6");
	assert_non_null(stays);
	born = stays->born;
	proc_refresh(p);
	o = obj_named(p, SELDOM);
	assert_non_null(o);
	assert_true(o->mapped);
	assert_int_equal(o->born, generation + 1);
	assert_int_equal(proc_generation(p), generation + 1);
	dlclose(h);
	proc_refresh(p);
	assert_null(obj_named(p, SELDOM));
	assert_false(o->mapped);
	h = dlopen(SELDOM, RTLD_NOW);
	assert_non_null(h);
	proc_refresh(p);
	again = obj_named(p, SELDOM);
	assert_non_null(again);
	assert_true(again->mapped);
	assert_int_equal(again->born, generation + 3);
	proc_refresh(p); /* nothing has changed */
	assert_int_equal(proc_generation(p), generation + 3);
	assert_ptr_equal(obj_named(p, "libc.so.6"), stays);
	assert_true(stays->mapped);
	assert_int_equal(stays->born, born);
	assert_true(again == o || again->start != o->start);
	dlclose(h);
	proc_set_free(ps);
}

/* What goes behind a look that has found nothing but memory is gone as well,
   and the same again when it comes back. */
static void
comes_back(struct proc_set *ps)
{
	struct proc *p = proc_lookup(ps, getpid());
	struct proc_obj *o, *at;
	void *h, *more;

	assert_non_null(p);
	h = dlopen(SELDOM, RTLD_NOW);
	assert_non_null(h);
	/* The first look maps the file to read it, in this process perhaps
	   right below the library. */
	proc_refresh(p);
	proc_refresh(p);
	o = obj_named(p, SELDOM);
	assert_non_null(o);
	more = mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	assert_ptr_not_equal(more, MAP_FAILED);
	proc_refresh(p);
	assert_true(o->mapped);
	dlclose(h);
	proc_refresh(p);
	assert_false(o->mapped);
	assert_null(obj_named(p, SELDOM));
	h = dlopen(SELDOM, RTLD_NOW);
	assert_non_null(h);
	proc_refresh(p);
	at = obj_named(p, SELDOM);
	assert_non_null(at);
	assert_true(at->mapped);
	assert_true(at == o || at->start != o->start);
	munmap(more, 1 << 20);
	dlclose(h);
}

static void
test_comes_back(void **state)
{
	struct proc_set *ps = new_set(), *other;
	struct err e = { 0 };

	if (CAPABLE(SELDOM_FILE)) {
		comes_back(ps);
		/* As well in a set that has the files of another. */
		other = proc_set_beside(ps, &e);
		assert_non_null(other);
		comes_back(other);
		proc_set_free(other);
	}
	proc_set_free(ps);
}

/* A copy of the library at path, mapped as code. */
static void
map_copy(const char *path)
{
	int from = open(SELDOM_FILE, O_RDONLY | O_CLOEXEC);
	int to = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(from >= 0 && to >= 0);
	assert_true(sendfile(to, from, NULL, 1 << 20) > 0);
	assert_true(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, to,
			 0) != MAP_FAILED);
	close(from);
	close(to);
}

/* The kernel's mark is no part of a name, unless a file has that name. */
static void
test_deleted(void **state)
{
	char dir[] = "/tmp/test_procXXXXXX", gone[64], stays[64];
	struct proc_set *ps;
	struct proc *p;

	if (!CAPABLE(SELDOM_FILE))
		return;
	assert_non_null(mkdtemp(dir));
	snprintf(gone, sizeof(gone), "%s/gone.so", dir);
	snprintf(stays, sizeof(stays), "%s/stays.so (deleted)", dir);
	map_copy(gone);
	map_copy(stays);
	unlink(gone);
	ps = new_set();
	p = proc_lookup(ps, getpid());
	assert_non_null(p);
	assert_non_null(obj_named(p, "gone.so"));
	assert_non_null(obj_named(p, "stays.so (deleted)"));
	proc_set_free(ps);
	unlink(stays);
	rmdir(dir);
}

/* What the process engine has put there has no code to be probed, whatever else
   has no file. */
static void
test_ours(void **state)
{
	struct proc_set *ps;
	struct proc_obj *ours, *vdso;
	struct proc *p;
	struct err e = { 0 };
	int fd = memfd_create("dtrace", MFD_CLOEXEC);
	void *at;

	assert_true(fd >= 0 && ftruncate(fd, 4096) == 0);
	at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_true(at != MAP_FAILED);
	ps = new_set();
	p = proc_lookup(ps, getpid());
	assert_non_null(p);
	ours = obj_named(p, "memfd:dtrace");
	vdso = obj_named(p, "[vdso]");
	assert_non_null(ours);
	assert_string_equal(ours->open_path, "/memfd:dtrace (deleted)");
	assert_null(proc_obj_elf(ours, &e));
	err_clear(&e);
	assert_true(vdso == NULL || proc_obj_elf(vdso, &e) != NULL);
	proc_set_free(ps);
	munmap(at, 4096);
	close(fd);
}

/* A created process that is never let go ends with the set. */
static void
test_abandon(void **state)
{
	struct proc_set *ps = new_set();
	pid_t pid = proc_pid(create(ps, self, "sleep", PROC_EVAL_PREINIT));

	assert_int_equal(state_of(pid), 't');
	proc_set_free(ps);
	assert_int_equal(state_of(pid), 0);
}

/*
 * kill -9 of the consumer: one that still holds its process takes it along,
 * one that has let it go leaves it running.
 */
static void
consumer_killed(bool let_go)
{
	int fd[2];
	pid_t consumer, target = 0;

	assert_int_equal(pipe(fd), 0);
	consumer = fork();
	if (consumer == 0) {
		struct proc_set *ps = new_set();
		struct proc *p = create(ps, self, "sleep", PROC_EVAL_MAIN);
		struct err e = { 0 };

		target = proc_pid(p);
		if (let_go)
			proc_continue(p, &e);
		if (write(fd[1], &target, sizeof(target)) < 0)
			_exit(1);
		pause();
	}
	assert_int_equal(read(fd[0], &target, sizeof(target)), sizeof(target));
	kill(consumer, SIGKILL);
	waitpid(consumer, NULL, 0);
	for (int i = 0; i < 200; i++) {
		char c = state_of(target);

		if (let_go ? c == 'S' : c == 0 || c == 'Z')
			break;
		usleep(10000);
	}
	if (let_go) {
		assert_int_equal(state_of(target), 'S');
		kill(target, SIGKILL);
	} else {
		assert_true(state_of(target) == 0 || state_of(target) == 'Z');
	}
	close(fd[0]);
	close(fd[1]);
}

static void
test_consumer_killed(void **state)
{
	consumer_killed(false);
	consumer_killed(true);
}

static void
test_ksym(void **state)
{
	struct proc_set *ps = new_set();
	const char *module, *name;
	uint64_t addr, off, last = 0;
	struct ksym_info info;
	size_t i = 0, n = 0;

	if (ksym_by_name(ps, "vmlinux", "schedule", &addr) != 0) {
		printf("# skip: the kernel hides its symbols from us\n");
		proc_set_free(ps);
		return;
	}
	assert_true(ksym_by_addr(ps, addr + 1, &module, &name, &off));
	assert_string_equal(module, "vmlinux");
	assert_string_equal(name, "schedule");
	assert_int_equal(off, 1);
	for (; ksym_each(ps, &i, &info); last = info.addr) {
		assert_true(info.addr >= last);
		n += info.addr == addr && strcmp(info.name, "schedule") == 0 &&
		     strcmp(info.module, "vmlinux") == 0 &&
		     (info.kind == 'T' || info.kind == 't');
	}
	assert_int_equal(n, 1);
	assert_true(i > 1000);
	assert_int_equal(ksym_by_name(ps, NULL, "no such", &addr), -1);
	assert_int_equal(ksym_by_name(ps, "nomod", "schedule", &addr), -1);
	assert_false(ksym_by_addr(ps, 1, &module, &name, &off));
	proc_set_free(ps);
}

/* Of the core kernel's symbols of one name the global one is meant. */
static void
test_ksym_global(void **state)
{
	struct proc_set *ps = new_set();
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[1024], name[512];
	uint64_t at, addr;
	char kind;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f) != NULL) {
		/* A module's line has one word more. */
		if (sscanf(line, "%" SCNx64 " %c %511s", &at, &kind, name) != 3 ||
		    strchr(line, '[') != NULL || kind != 'T' || at == 0)
			continue;
		assert_int_equal(ksym_by_name(ps, "vmlinux", name, &addr), 0);
		if (addr != at)
			fail_msg("%s is at %" PRIx64 ", not %" PRIx64, name,
				 at, addr);
	}
	fclose(f);
	proc_set_free(ps);
}

/* Whoever may read the kernel's text finds the kernel's own words in it. */
static void
test_ktext(void **state)
{
	struct proc_set *ps = new_set();
	char banner[64] = "", version[64] = "";
	FILE *f = fopen("/proc/version", "re");
	struct err e = { 0 };
	uint64_t addr;

	assert_non_null(f);
	assert_non_null(fgets(version, sizeof(version), f));
	fclose(f);
	if (access("/proc/kcore", R_OK) != 0) {
		assert_int_equal(ktext_read(ps, 0, banner, 1, &e), -1);
		assert_non_null(strstr(e.msg, "text of this kernel"));
		assert_non_null(strstr(e.msg, "/proc/kcore"));
	} else if (ksym_by_name(ps, "vmlinux", "linux_banner", &addr) == 0 &&
		   ktext_read(ps, addr, banner, sizeof(banner) - 1, &e) == 0) {
		assert_string_equal(banner, version);
		assert_int_equal(ktext_read(ps, 1, banner, 1, &e), -1);
#ifdef __x86_64__
		assert_int_equal(ktext_machine(ps), EM_X86_64);
#endif
	}
	proc_set_free(ps);
}

static void
poke(const struct proc *p, uint64_t addr, const char *bytes, size_t n)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)proc_pid(p));
	int fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, n, (off_t)addr), n);
	close(fd);
}

/* True if the text around an address is still the file's. */
static bool
text_same(const struct proc *p, const struct proc_obj *o, uint64_t addr,
	  uint64_t off)
{
	struct err e = { 0 };
	struct proc_text *t = proc_text_open(proc_pid(p), &e);

	assert_non_null(t);
	bool same = proc_text_same(t, addr, o->open_path, off, 16, 8);
	proc_text_close(t);
	return same;
}

/* Code of the process engine is no file, and not the vdso, which has no name
   either. */
static void
test_code_of_ours(void **state)
{
	int fd = memfd_create("dtrace", MFD_CLOEXEC);
	struct proc_set *ps = new_set();
	struct err e = { 0 };
	struct proc_obj *o;
	struct proc *p;
	void *at;

	p = proc_grab(ps, getpid(), &e);
	assert_non_null(p);
	assert_non_null(proc_obj_elf(obj_named(p, "[vdso]"), &e));
	assert_int_equal(ftruncate(fd, 4096), 0);
	at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(at, MAP_FAILED);
	proc_refresh(p);
	o = obj_named(p, "memfd:dtrace");
	assert_int_equal(o->start, (uint64_t)(uintptr_t)at);
	assert_null(proc_obj_elf(o, &e));
	proc_set_free(ps);
	munmap(at, 4096);
	close(fd);
}

static void
test_text(void **state)
{
	struct proc_set *ps = new_set();
	struct proc *p = create(ps, self, "sleep", PROC_EVAL_PREINIT);
	struct proc_obj *o = NULL;
	struct err e = { 0 };
	uint64_t off = 0, addr;

	for (size_t i = 0; i < proc_nobjs(p) && (o == NULL || !o->is_exec); i++)
		o = proc_obj_at(p, i);
	const struct elf_sym *s = elf_sym_find(proc_obj_elf(o, &e), "main");
	assert_non_null(s);
	assert_true(elf_addr_to_off(proc_obj_elf(o, &e), s->addr, &off));
	addr = o->base + s->addr;
	assert_true(text_same(p, o, addr, off));
	/* A breakpoint is the kernel's affair. */
	poke(p, addr, "\xcc", 1);
	assert_true(text_same(p, o, addr, off));
	/* A jump is somebody else's: found from its ends, and not beyond. */
	poke(p, addr, "\xe9\x01\x02\x03\x04", 5);
	assert_false(text_same(p, o, addr, off));
	assert_false(text_same(p, o, addr + 4, off + 4));
	assert_true(text_same(p, o, addr + 5 + 16, off + 5 + 16));
	assert_true(text_same(p, o, addr - 8, off - 8));
	/* What cannot be read differs nowhere. */
	assert_true(text_same(p, o, 16, off));
	proc_set_free(ps);
}

/* Tell test_evaltime() when constructors run. */
static void __attribute__((constructor)) say_constructed(void)
{
	const char *num = getenv("PROC_TEST_FD");

	if (num != NULL && write(atoi(num), "c", 1) != 1)
		_exit(1);
}

/* A file that is mapped a second time, at once behind the first, is a run of
   its own: its offsets start over. */
static void
test_runs(void **state)
{
	char text[] = "10000-11000 r--p 00000000 08:01 7 /a\n"
		      "11000-12000 r-xp 00001000 08:01 7 /a\n"
		      "12000-13000 rw-p 00000000 00:00 0 \n"
		      "13000-14000 r--p 00000000 08:01 7 /a\n"
		      "14000-16000 r-xp 00001000 08:01 7 /a\n";
	mruns runs = { 0 };

	assert_true(proc_maps_parse(text, &runs));
	assert_int_equal(runs.n, 2);
	assert_int_equal(runs.v[0].start, 0x10000);
	assert_int_equal(runs.v[0].end, 0x13000); /* with its .bss */
	assert_int_equal(runs.v[0].xend, 0x12000);
	assert_int_equal(runs.v[1].start, 0x13000);
	assert_int_equal(runs.v[1].xstart, 0x14000);
	assert_int_equal(runs.v[1].end, 0x16000);
	vec_fini(&runs);
}

/* The objects of this name that a watch tells of now. */
static unsigned
watch_names(struct proc_watch *w, const char *name)
{
	bool lost = false;
	unsigned n = 0;
	struct proc *p;

	while ((p = proc_watch_next(w, &lost)) != NULL) {
		struct proc_obj *o = obj_named(p, name);
		struct err e = { 0 };

		assert_int_equal(proc_nobjs(p), 1);
		assert_null(proc_find(p->set, proc_pid(p)));
		n += o != NULL && proc_obj_elf(o, &e) != NULL;
	}
	return n;
}

/* A file is reported once, also if its process has ended before; another of its
   name, again. */
static void
test_watch(void **state)
{
	struct err e = { 0 };
	struct proc_watch *w;
	struct proc_set *ps;
	char dir[] = "/tmp/dt-watch-XXXXXX", path[64], cmd[4400];

	if (!CAPABLE("root perf"))
		return;
	ps = new_set();
	w = proc_watch_open(ps, &e);
	assert_non_null(w);
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/met_once", dir);
	for (int round = 0; round < 2; round++) {
		snprintf(cmd, sizeof(cmd), "cp %s %s.new && mv %s.new %s && %s exit7",
			 self, path, path, path, path);
		assert_int_equal(WEXITSTATUS(system(cmd)), 7);
		assert_int_equal(watch_names(w, "met_once"), 1);
		/* The last of its commands, again. */
		assert_int_equal(WEXITSTATUS(system(strrchr(cmd, '&') + 1)), 7);
		assert_int_equal(watch_names(w, "met_once"), 0);
	}
	/* A second one does not end with the first; behind the last there is
	   none. */
	struct proc_watch *second = proc_watch_open(ps, &e);

	assert_non_null(second);
	proc_watch_close(w);
	assert_ptr_equal(ps->watch, second);
	proc_watch_close(second);
	assert_null(ps->watch);
	unlink(path);
	rmdir(dir);
	proc_set_free(ps);
}

/* A process whose script executes this program; script has its place as %s. */
static struct proc *
create_shell(struct proc_set *ps, const char *script)
{
	static char text[4400];
	char *argv[] = { (char *)(uintptr_t)"sh", (char *)(uintptr_t)"-c", text,
			 NULL };
	struct err e = { 0 };
	struct proc *p;

	snprintf(text, sizeof(text), script, self);
	p = proc_create(ps, argv, NULL, PROC_EVAL_PREINIT, &e);
	assert_non_null(p);
	return p;
}

/* By the name of its file, by a pattern, by the whole path, and by the name of
   a link; it stands before main() there, and runs to its end. */
static void
test_await_program(void **state)
{
	char dir[] = "/tmp/dt-await-XXXXXX", linkname[64], cmd[200];
	const char *patterns[] = { "test_proc", "test_[p]roc", self, "linked_*" };

	assert_non_null(mkdtemp(dir));
	snprintf(linkname, sizeof(linkname), "%s/linked_here", dir);
	assert_int_equal(symlink(self, linkname), 0);
	snprintf(cmd, sizeof(cmd), "exec env %s exit7", linkname);
	for (size_t i = 0; i < 4; i++) {
		struct proc_set *ps = new_set();
		struct proc *p =
			create_shell(ps, i == 3 ? cmd : "exec env %s exit7");
		struct err e = { 0 };

		assert_int_equal(proc_await_program(p, patterns[i],
						    PROC_EVAL_MAIN, &e), 0);
		assert_int_equal(state_of(proc_pid(p)), 't');
		assert_non_null(obj_named(p, "test_proc"));
		assert_non_null(obj_named(p, "libc.so.6"));
		/* It is there: to wait for it is nothing. */
		assert_int_equal(proc_await_program(p, patterns[i],
						    PROC_EVAL_MAIN, &e), 0);
		assert_int_equal(proc_continue(p, &e), 0);
		assert_int_equal(WEXITSTATUS(wait_end(p)), 7);
		assert_null(proc_executed(p)); /* none since */
		proc_set_free(ps);
	}
	unlink(linkname);
	rmdir(dir);
}

/* The script's own children are not meant, and what came instead is named. */
static void
test_await_nothing(void **state)
{
	struct proc_set *ps = new_set();
	struct proc *p = create_shell(ps, "%s exit7; exec env sh -c 'exit 3'");
	struct err e = { 0 };

	assert_int_equal(proc_await_program(p, "test_proc", PROC_EVAL_MAIN, &e),
			 -1);
	assert_non_null(strstr(e.msg, "exited with status 3"));
	assert_non_null(strstr(e.msg, "env"));
	assert_null(strstr(e.msg, "but test_proc"));
	proc_set_free(ps);
}

/* The last program, and none for one that executes none. */
static void
test_executed(void **state)
{
	static const struct {
		const char *text, *name;
	} rows[] = {
		{ "exec env %s exit7", "test_proc" },
		{ "%s exit7; exit 7", NULL },
	};

	for (size_t i = 0; i < 2; i++) {
		struct proc_set *ps = new_set();
		struct proc *p = create_shell(ps, rows[i].text);
		struct err e = { 0 };
		const char *name;

		assert_null(proc_executed(p)); /* it has not been let go */
		assert_int_equal(proc_continue(p, &e), 0);
		assert_int_equal(WEXITSTATUS(wait_end(p)), 7);
		name = proc_executed(p);
		assert_true((name != NULL) == (rows[i].name != NULL));
		if (name != NULL)
			assert_string_equal(name, rows[i].name);
		proc_set_free(ps);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_true),
		cmocka_unit_test(test_evaltime),
		cmocka_unit_test(test_advance),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_unrun),
		cmocka_unit_test(test_grab),
		cmocka_unit_test(test_grab_thread),
		cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_comes_and_goes),
		cmocka_unit_test(test_comes_back),
		cmocka_unit_test(test_deleted),
		cmocka_unit_test(test_ours),
		cmocka_unit_test(test_abandon),
		cmocka_unit_test(test_consumer_killed),
		cmocka_unit_test(test_ksym),
		cmocka_unit_test(test_ksym_global),
		cmocka_unit_test(test_ktext),
		cmocka_unit_test(test_code_of_ours),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_watch),
		cmocka_unit_test(test_await_program),
		cmocka_unit_test(test_await_nothing),
		cmocka_unit_test(test_executed),
	};

	if (argc > 1 && strcmp(argv[1], "exit7") == 0)
		return 7;
	if (argc > 1 && strcmp(argv[1], "sleep") == 0) {
		sleep(60);
		return 0;
	}
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 1;
	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
