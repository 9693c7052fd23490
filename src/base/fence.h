/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fence.h - memory that is there and is nobody's: what vec.h has room for, and
 * what lies between two pieces of an arena.  In a build with the address
 * sanitizer a program that reads or writes it ends; in others these do nothing,
 * and take no room.
 */
#ifndef BASE_FENCE_H
#define BASE_FENCE_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__) /* GCC's way to say so */
#define FENCED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FENCED 1
#endif
#endif

#ifdef FENCED
#include <sanitizer/asan_interface.h>

#define FENCE_BYTES 16u /* behind a piece */

static inline void
fence_off(void *p, size_t n)
{
	__asan_poison_memory_region(p, n);
}
static inline void
fence_open(void *p, size_t n)
{
	__asan_unpoison_memory_region(p, n);
}
static inline bool
fence_is_at(const void *p)
{
	return __asan_address_is_poisoned(p) != 0;
}
#else
#define FENCE_BYTES 0u

static inline void
fence_off(void *p, size_t n)
{
	(void)p;
	(void)n;
}
static inline void
fence_open(void *p, size_t n)
{
	(void)p;
	(void)n;
}
static inline bool
fence_is_at(const void *p)
{
	(void)p;
	return false;
}
#endif

#endif
