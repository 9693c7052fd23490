/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * nomem_end.h - allocations that fail, for rooms that end the program then:
 * each try is a child of the test.  What it writes before it ends need not be
 * whole; where it does not end, it is what it is with memory.
 */
#ifndef BASE_TEST_NOMEM_END_H
#define BASE_TEST_NOMEM_END_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/test/nomem.h"

#define NOMEM_END_TEXT (1 << 17) /* bytes that are compared */

enum { NOMEM_END_NONE, NOMEM_END_DIED, NOMEM_END_WITHOUT };

/* What a child has written to a file in memory. */
static inline size_t
nomem_end_read(int fd, char *to)
{
	ssize_t n = pread(fd, to, NOMEM_END_TEXT, 0);

	assert_true(n >= 0 && n < NOMEM_END_TEXT);
	to[n] = '\0';
	close(fd);
	return (size_t)n;
}

/* Let a child do the work with its nth allocation failing, 0: none; which of
   the above it came to.  *out, *n: what it wrote. */
static inline int
nomem_end_try(long nth, void (*work)(int fd, void *arg), void *arg, char *out,
	      size_t *n)
{
	int fd = memfd_create("out", 0), said = memfd_create("said", 0);
	char text[NOMEM_END_TEXT];
	int status;
	pid_t pid;

	assert_true(fd >= 0 && said >= 0);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(said, STDERR_FILENO);
		nomem_arm(nth);
		work(fd, arg);
		_exit(nomem_disarm() ? 42 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	nomem_end_read(said, text);
	*n = nomem_end_read(fd, out);
	if (!WIFEXITED(status))
		fail_msg("allocation %ld: signal %d: %s", nth, WTERMSIG(status),
			 text);
	if (WEXITSTATUS(status) == 1 && nth != 0 &&
	    strstr(text, ": memory allocation failure\n") != NULL)
		return NOMEM_END_DIED;
	if (text[0] != '\0' ||
	    (WEXITSTATUS(status) != 42 && WEXITSTATUS(status) != 0))
		fail_msg("allocation %ld: status %d: %s", nth,
			 WEXITSTATUS(status), text);
	return WEXITSTATUS(status) == 42 ? NOMEM_END_WITHOUT : NOMEM_END_NONE;
}

/* The work with the first allocation failing, with the second, and so on; with
   `each` of them one by one. */
static inline void
nomem_end_tries(void (*work)(int fd, void *arg), void *arg, long each)
{
	static char want[NOMEM_END_TEXT], got[NOMEM_END_TEXT];
	size_t nwant, ngot;
	long n = 1;
	int how;

	assert_int_equal(nomem_end_try(0, work, arg, want, &nwant),
			 NOMEM_END_NONE);
	assert_true(nwant > 0);
	do {
		how = nomem_end_try(n, work, arg, got, &ngot);
		if (how != NOMEM_END_DIED &&
		    (ngot != nwant || memcmp(got, want, nwant) != 0))
			fail_msg("allocation %ld: other than with memory: %s",
				 n, got);
		n = nomem_next(n, each);
	} while (how != NOMEM_END_NONE);
	print_message("# about %ld allocations\n", n);
	assert_true(n > 10);
}

/* Linked with --wrap=exit: a child ends at once, as its parent's is the
   test. */
_Noreturn void __wrap_exit(int status);

_Noreturn void
__wrap_exit(int status)
{
	_exit(status);
}

#endif
