/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Children of the target that are cleaned, and what is said of a target that
 * executes something else or ends.  The text is a page of bytes that a target
 * and its child look at through a shared page.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "base/test/capable.h"
#include "engine/process/process_impl.h"

#define TEXT   0x234560000000ull
#define NTEXT  8192u
#define NPATCH 40u

static struct common {
	volatile pid_t child;
	volatile uint32_t fork, exec, rounds, child_rounds;
} * common;

/* ---- the target ---------------------------------------------------------- */

static void
child_main(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		common->child_rounds++;
		usleep(500);
	}
}

static void
target_main(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		common->rounds++;
		usleep(500);
		if (common->fork) {
			common->fork = 0;
			pid_t pid = fork();
			if (pid == 0)
				child_main();
			common->child = pid;
		}
		if (common->exec)
			execl("/bin/sleep", "sleep", "100", NULL);
	}
}

static void
wait_for(volatile uint32_t *what)
{
	uint32_t was = *what;

	for (unsigned i = 0; i < 20000 && *what == was; i++)
		usleep(1000);
	assert_true(*what != was);
}

static pid_t
target_start(void)
{
	memset(common, 0, sizeof(*common));
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		target_main();
	wait_for(&common->rounds);
	return pid;
}

static void
target_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* ---- a forked child ------------------------------------------------------ */

static void
patches(struct patch *p, const uint8_t *text)
{
	for (unsigned i = 0; i < NPATCH; i++) {
		p[i] = (struct patch){ .addr = TEXT + i * 200, .len = 5 };
		memcpy(p[i].was, text + i * 200, 5);
		memset(p[i].now, 0xe9, 5);
	}
}

static void
expect(pid_t pid, const uint8_t *want)
{
	uint8_t is[NTEXT];
	struct inject in;
	struct err e = { 0 };

	assert_int_equal(inject_open(&in, pid, false, &e), 0);
	assert_int_equal(inject_read(&in, TEXT, is, NTEXT), 0);
	assert_memory_equal(is, want, NTEXT);
	inject_close(&in);
}

static void
clean_child(void **state)
{
	struct patch p[NPATCH];
	struct inject in;
	struct err e = { 0 };
	uint8_t patched[NTEXT];
	uint8_t *text =
		mmap((void *)TEXT, NTEXT, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	assert_true(text == (void *)TEXT);
	for (unsigned i = 0; i < NTEXT; i++)
		text[i] = (uint8_t)(i * 7);
	memcpy(patched, text, NTEXT);
	patches(p, text);
	for (unsigned i = 0; i < NPATCH; i++)
		memcpy(patched + i * 200, p[i].now, 5);

	pid_t pid = target_start();
	struct patch_journal *j = patch_journal_new(pid, NPATCH, &e);
	assert_non_null(j);
	assert_int_equal(inject_open(&in, pid, false, &e), 0);
	assert_int_equal(inject_stop(&in, true, &e), 0);
	assert_int_equal(patch_apply(j, &in, p, NPATCH, NULL, 0, &e), 0);
	inject_resume(&in);
	expect(pid, patched);

	common->fork = 1;
	wait_for(&common->child_rounds);
	while (common->child == 0)
		usleep(1000);
	expect(common->child, patched);
	assert_int_equal(follow_clean_child(j, common->child, &e), 0);
	expect(common->child, text);
	wait_for(&common->child_rounds); /* it goes on */

	/* The target and the journal are as they were. */
	expect(pid, patched);
	assert_int_equal(j->p[0].state, PATCH_SET);
	wait_for(&common->rounds);

	/* Twice does no harm; one that is gone needs nothing. */
	assert_int_equal(follow_clean_child(j, common->child, &e), 0);
	kill(common->child, SIGKILL); /* a zombie: nobody reaps it */
	usleep(20000);
	assert_int_equal(follow_clean_child(j, common->child, &e), 0);
	target_end(pid);
	assert_int_equal(follow_clean_child(j, pid, &e), 0);
	assert_false(err_is_set(&e));
	inject_close(&in);
	patch_journal_free(j);
	munmap(text, NTEXT);
}

/* ---- exec and end -------------------------------------------------------- */

static int
mem_open(pid_t pid)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static void
await_state(pid_t pid, int mem, enum follow_state want)
{
	for (unsigned i = 0; i < 20000 && follow_look(pid, mem) != want; i++)
		usleep(1000);
	assert_int_equal(follow_look(pid, mem), want);
}

static void
looks(void **state)
{
	pid_t pid = target_start();
	int mem = mem_open(pid), mem2;

	assert_int_equal(follow_look(pid, mem), FOLLOW_SAME);
	assert_int_equal(follow_look(pid, -1), FOLLOW_SAME);
	common->exec = 1;
	await_state(pid, mem, FOLLOW_EXEC);
	mem2 = mem_open(pid);
	assert_int_equal(follow_look(pid, mem2), FOLLOW_SAME);
	kill(pid, SIGKILL);
	await_state(pid, mem2, FOLLOW_ENDED); /* a zombie */
	assert_int_equal(follow_look(pid, mem), FOLLOW_ENDED);
	waitpid(pid, NULL, 0);
	assert_int_equal(follow_look(pid, mem2), FOLLOW_ENDED);
	assert_int_equal(follow_look(pid, -1), FOLLOW_ENDED);
	close(mem);
	close(mem2);
}

/* One with so much memory that its end takes a while: without memory, and not
   dead yet, it has executed nothing. */
static void
end_takes_time(void **state)
{
	const size_t len = 256u << 20;
	enum follow_state st;
	pid_t pid;
	int mem;

	common->rounds = 0;
	pid = fork();
	if (pid == 0) {
		char *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (p == MAP_FAILED || madvise(p, len, MADV_NOHUGEPAGE) != 0)
			_exit(1);
		for (size_t i = 0; i < len; i += 4096)
			p[i] = 1;
		common->rounds = 1;
		for (;;)
			pause();
	}
	for (unsigned i = 0; i < 20000 && common->rounds == 0; i++)
		usleep(1000);
	assert_int_equal(common->rounds, 1);
	mem = mem_open(pid);
	kill(pid, SIGKILL);
	while ((st = follow_look(pid, mem)) == FOLLOW_SAME)
		;
	assert_int_equal(st, FOLLOW_ENDED);
	waitpid(pid, NULL, 0);
	close(mem);
}

/* The first process of a new pid namespace, with a file mapped as ours is. */
static void
far_main(void)
{
	int fd = memfd_create("dtrace", 0);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (fd < 0 || ftruncate(fd, 4096) != 0 ||
	    mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
		_exit(1);
	common->rounds = 1;
	for (;;)
		pause();
}

static pid_t
far_start(void)
{
	pid_t pid;

	if (unshare(CLONE_NEWPID) != 0 &&
	    unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0)
		return 0;
	pid = fork();
	if (pid == 0)
		far_main();
	return pid;
}

/* Numbers of another namespace: 1 there, and something else here. */
static void
numbers(void **state)
{
	pid_t mid, pid;

	if (!CAPABLE("pidns"))
		return;
	common->child = 0;
	common->rounds = 0;
	mid = fork();
	if (mid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pid = far_start();
		common->child = pid;
		if (pid > 0)
			waitpid(pid, NULL, 0);
		_exit(0);
	}
	/* The far process may be there before its maker has said its number. */
	for (int i = 0;
	     i < 60000 && (common->rounds == 0 || common->child == 0); i++) {
		usleep(1000);
		if (waitpid(mid, NULL, WNOHANG) == mid)
			fail_msg("the far process could not be made");
	}
	pid = common->child;
	assert_true(pid > 1 && common->rounds == 1);
	assert_int_equal(follow_child(1, true), pid);
	assert_int_equal(follow_child(1, false), 0); /* not init */
	assert_int_equal(follow_child((uint32_t)pid, false), 0);
	assert_int_equal(follow_find_thread(pid, 1), pid);
	assert_int_equal(follow_find_thread(pid, (uint32_t)pid), 0);
	assert_int_equal(follow_find_thread(getpid(), (uint32_t)getpid()),
			 getpid());
	assert_int_equal(follow_threads(pid), 1);
	assert_int_equal(follow_thread_number(pid, pid), 1);
	kill(pid, SIGKILL);
	waitpid(mid, NULL, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clean_child),
		cmocka_unit_test(looks),
		cmocka_unit_test(end_takes_time),
		cmocka_unit_test(numbers),
	};

	common = mmap(NULL, sizeof(*common), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
