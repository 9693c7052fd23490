/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * nomem.h - allocations that fail: for a test that does something with the
 * first allocation failing, then with the second, and so on until it succeeds.
 *
 * The test's executable is linked with nomem_link_args (meson.build), so that
 * every allocation of this tree's code comes here; those that libraries make
 * do not.  One test, one thread: the state is of the whole program.
 */
#ifndef BASE_TEST_NOMEM_H
#define BASE_TEST_NOMEM_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);

static long nomem_left; /* allocations until one fails; 0: none will */
static bool nomem_failed;

/* Let the nth allocation from now on fail. */
static inline void
nomem_arm(long n)
{
	nomem_failed = false;
	nomem_left = n;
}

/* Let allocations succeed again; true if one has failed since nomem_arm(). */
static inline bool
nomem_disarm(void)
{
	nomem_left = 0;
	return nomem_failed;
}

/*
 * Which allocation to fail after the nth: each of the first thousand or so, and
 * then ever fewer, as what comes late is mostly the same again.
 */
static inline long
nomem_next(long n, long each)
{
	return n < each ? n + 1 : n + n / each;
}

static bool
nomem_fails(void)
{
	if (nomem_left == 0 || --nomem_left != 0)
		return false;
	nomem_failed = true;
	errno = ENOMEM; /* as the C library does */
	return true;
}

void *
__wrap_malloc(size_t n)
{
	return nomem_fails() ? NULL : __real_malloc(n);
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return nomem_fails() ? NULL : __real_calloc(n, size);
}

void *
__wrap_realloc(void *p, size_t n)
{
	return nomem_fails() ? NULL : __real_realloc(p, n);
}

char *
__wrap_strndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *p = __wrap_malloc(len + 1);

	if (p != NULL) {
		memcpy(p, s, len);
		p[len] = '\0';
	}
	return p;
}

char *
__wrap_strdup(const char *s)
{
	return __wrap_strndup(s, strlen(s));
}

#endif
