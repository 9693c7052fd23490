/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * jumps.c - what the jumps of a patch cost by themselves, with no tracer: the
 * limit of every tracer that changes the text to a jump.
 *
 * F functions are made in memory, and a caller that calls them in an order
 * drawn by lot, by direct calls.  Each function begins with an instruction of
 * five bytes and ends with five bytes that return, as a function does that has
 * a window at both ends.  They are run
 *   plain     as they are;
 *   jumps     with a jump at both ends to a copy of these bytes, which from the
 *             entry jumps back: three jumps a call, and nothing is done there;
 *   looks     besides, a byte is looked at at both ends: is tracing on?
 *   counts    besides, a counter of its own is incremented at both ends.
 * One line for each: name, nanoseconds a call (the least of ROUNDS), times
 * plain.
 *
 * usage: jumps [FUNCTIONS [MULTIPLICATIONS]]
 *   FUNCTIONS (2000), of which each does so many MULTIPLICATIONS (2), one
 *   waiting for the other.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum form {
	PLAIN,
	JUMPS,
	LOOKS,
	COUNTS,
	FORMS
};

#define ROUNDS	 40
#define CALLS	 8192		/* call instructions of the caller */
#define REPEATS	 40		/* times that they are gone through */
#define SIZE	 ((size_t)1 << 22) /* of functions, and of trampolines */
#define COUNTERS ((size_t)1 << 20)
#define OUT	 64 /* bytes of a trampoline, at most */

/* Code, trampolines and counters lie behind each other: offsets of 32 bits. */
static uint8_t *text, *out, *at, *counters;
static unsigned nfn = 2000, nmul = 2;

static void
put(const void *bytes, size_t n)
{
	memcpy(at, bytes, n);
	at += n;
}

/* An instruction that ends with the distance to a place. */
static void
put_to(const void *op, size_t n, const uint8_t *to)
{
	int32_t rel = (int32_t)(to - (at + n + 4));

	put(op, n);
	put(&rel, 4);
}

/* What is done in a trampoline for its probe. */
static void
put_probe(enum form form, unsigned counter)
{
	uint8_t *c = counters + 8 * (size_t)counter;

	if (form == LOOKS || form == COUNTS) {
		int32_t rel = (int32_t)(counters - (at + 7));

		put("\x80\x3d", 2); /* cmpb $0, rel(%rip) */
		put(&rel, 4);
		put("\0", 1);
		put("\x75\x07", 2); /* jne over the increment */
	}
	if (form == COUNTS)
		put_to("\x48\xff\x05", 3, c); /* incq */
	else if (form == LOOKS)
		put("\x0f\x1f\x80\0\0\0\0", 7); /* nopl: as many bytes */
}

static const char begin[] = "\x48\x8d\x44\x3f\x01"; /* lea 1(%rdi,%rdi),%rax */
static const char end[] = "\x48\x83\xc0\x01\xc3";   /* add $1,%rax; ret */

/* One of the two ends of function i: in place, or a jump and its copy. */
static void
put_end(enum form form, unsigned probe, const char *bytes, bool back)
{
	uint8_t *tramp = out + OUT * (size_t)probe, *next;

	if (form == PLAIN) {
		put(bytes, 5);
		return;
	}
	put_to("\xe9", 1, tramp);
	next = at;
	at = tramp;
	put_probe(form, probe + 1);
	put(bytes, 5);
	if (back)
		put_to("\xe9", 1, next);
	at = next;
}

static void
put_function(enum form form, unsigned i)
{
	put_end(form, 2 * i, begin, true);
	for (unsigned k = 0; k < nmul; k++)
		put("\x48\x6b\xc0\x05", 4); /* imul $5,%rax,%rax */
	put_end(form, 2 * i + 1, end, false);
	while ((uintptr_t)at % 16 != 0)
		put("\x90", 1);
}

/* Put functions and caller there; returns the caller. */
static uint8_t *
make(enum form form)
{
	uint8_t **fn = calloc(nfn, sizeof(*fn)), *caller;
	uint32_t lot = 1;

	if (fn == NULL)
		exit(1);
	at = text;
	for (unsigned i = 0; i < nfn; i++) {
		fn[i] = at;
		put_function(form, i);
	}
	caller = at;
	for (unsigned i = 0; i < CALLS; i++) {
		lot = lot * 1664525 + 1013904223;
		put_to("\xe8", 1, fn[(lot >> 8) % nfn]);
	}
	put("\xc3", 1);
	free(fn);
	return caller;
}

static double
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* Nanoseconds of a call. */
static double
measure(enum form form)
{
	void (*caller)(long);
	uint8_t *p = make(form);
	double t;

	memcpy(&caller, &p, sizeof(p));
	caller(1);
	t = now();
	for (int i = 0; i < REPEATS; i++)
		caller(i);
	return (now() - t) / ((double)REPEATS * CALLS);
}

int
main(int argc, char **argv)
{
	static const char *const names[FORMS] = { "plain", "jumps", "looks",
						  "counts" };
	double least[FORMS] = { 0 };

	if (argc > 1)
		nfn = (unsigned)atoi(argv[1]);
	if (argc > 2)
		nmul = (unsigned)atoi(argv[2]);
	if (nfn < 1 || nfn > SIZE / OUT / 2 || nmul > 100)
		return 2;
	text = mmap(NULL, 2 * SIZE + COUNTERS,
		    PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (text == MAP_FAILED)
		return 1;
	out = text + SIZE;
	counters = out + SIZE;
	for (int r = 0; r < ROUNDS; r++)
		for (int f = 0; f < FORMS; f++) {
			double v = measure((enum form)f);

			if (r == 0 || v < least[f])
				least[f] = v;
		}
	for (int f = 0; f < FORMS; f++)
		printf("%-8s %6.2f %5.2f\n", names[f], least[f],
		       least[f] / least[PLAIN]);
	return 0;
}
