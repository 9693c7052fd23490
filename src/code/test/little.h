/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * little.h - a little world for tests of functions assembled by hand: some
 * code, all int3 where nothing was put, and what is known of it.
 */
#ifndef CODE_TEST_LITTLE_H
#define CODE_TEST_LITTLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "code/code.h"

#define BASE       0x7f0000001000ull /* of the code */
#define BORDER     0x1000            /* a page ends there */
#define BYTES(...) ((const uint8_t[]){ __VA_ARGS__ })

struct little {
	uint8_t code[BORDER + 1024];
	uint64_t fns[4], entered[4]; /* offsets; entered 0: none */
	uint64_t taken, pinned;      /* offsets; 0: none */
	uint64_t waits, waits_later; /* the same */
	uint64_t ptr_at, ptr_to[4];  /* pointers that a loader fills in */
	struct code_world w;
	struct code_fn f;
};

/* Put code at an offset. */
#define PUT(l, off, ...)                                                       \
	memcpy((l)->code + (off), BYTES(__VA_ARGS__),                          \
	       sizeof((const uint8_t[]){ __VA_ARGS__ }))

void l_init(struct little *l);
/* Answers where somebody may wait: for w.waits. */
bool l_waits(void *arg, uint64_t addr, bool later);
/* Analyse `size` bytes at an offset as a function, into l->f. */
void analyse(struct little *l, uint64_t off, uint64_t size);
/* The window over the instruction at an offset is this one. */
void expect(struct little *l, uint64_t off, enum code_win_kind kind,
	    uint64_t start, uint32_t len);
/* Control may arrive there. */
bool is_target(const struct little *l, uint64_t off);

#endif
