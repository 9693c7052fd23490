/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pytable_target.c - what a stack of CPython 3.13 or 3.14 (-DMINOR) looks like,
 * without Python: its state with the table of offsets, threads, frames, code
 * objects, and C functions that run frames.  The offsets are not CPython's own,
 * where they need not be: who believes the table finds them.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define PUBLIC __attribute__((visibility("default")))
#define HELD   __attribute__((noinline, noclone))

struct frame {
	uint64_t code;
	struct frame *prev;
	uint64_t other[5];
	const uint8_t *instr;
	uint8_t pad[10], owner; /* at 74, as 3.14 of Debian has it */
};
struct string {
	uint64_t refs, type, n, hash;
	uint32_t state, pad;
	char text[32];
};
struct bytes {
	uint64_t refs, type, n, hash;
	uint8_t v[8];
};
struct code {
	uint64_t refs;
	const void *type;
	uint64_t pad[5];
	uint32_t line, more;
	const struct string *file, *name;
	const struct bytes *lines;
	uint8_t text[32];
} __attribute__((aligned(16)));
struct thread {
	struct thread *next;
	struct frame *frame;
	uint64_t pad[3], id;
};
struct interp {
	uint8_t pad[1000];
	struct thread *threads;
};

PUBLIC uint32_t Py_Version = 3u << 24 | MINOR << 16;
PUBLIC int PyCode_Type;

#define AT(type, member) __builtin_offsetof(struct type, member)
PUBLIC struct {
	uint64_t table[72];
	struct interp *head;
} _PyRuntime = { .table = {
			 0x7970677562656478, /* "xdebugpy" */
#if MINOR == 13
			 [1] = 3u << 24 | 13u << 16,
			 [5] = 576,
			 [9] = AT(interp, threads),
			 [21] = AT(thread, next),
			 [23] = AT(thread, frame),
			 [24] = AT(thread, id),
			 [29] = AT(frame, prev),
			 [30] = AT(frame, code),
			 [31] = AT(frame, instr),
			 [33] = AT(frame, owner),
			 [35] = AT(code, file),
			 [37] = AT(code, name),
			 [38] = AT(code, lines),
			 [39] = AT(code, line),
			 [43] = AT(code, text),
			 [45] = 8,
#elif MINOR == 14
			 [1] = 3u << 24 | 14u << 16,
			 [5] = 576,
			 [9] = AT(interp, threads),
			 [24] = AT(thread, next),
			 [26] = AT(thread, frame),
			 [27] = AT(thread, id),
			 [32] = AT(frame, prev),
			 [33] = AT(frame, code),
			 [34] = AT(frame, instr),
			 [36] = AT(frame, owner),
			 [40] = AT(code, file),
			 [42] = AT(code, name),
			 [43] = AT(code, lines),
			 [44] = AT(code, line),
			 [48] = AT(code, text),
			 [51] = 8,
#else
			 [1] = 3u << 24 | 15u << 16,
			 [5] = 576,
			 [9] = AT(interp, threads),
			 [24] = AT(thread, next),
			 [26] = AT(thread, frame),
			 [30] = AT(thread, id),
			 [40] = AT(frame, prev),
			 [41] = AT(frame, code),
			 [42] = AT(frame, instr),
			 [44] = AT(frame, owner),
			 [48] = AT(code, file),
			 [50] = AT(code, name),
			 [51] = AT(code, lines),
			 [52] = AT(code, line),
			 [56] = AT(code, text),
			 [59] = 8,
#endif
		 } };

/* Compact, ASCII, of one byte. */
#define STATE	  (1 << 2 | 1 << 5 | 1 << 6)
#define STRING(s) { .n = sizeof(s) - 1, .state = STATE, .text = s }
static struct string file = STRING("prog.py"), names[] = {
	STRING("outer"), STRING("middle"), STRING("inner"), STRING("other"),
};
/* Units 0 to 3: the first line; the others: the next (kind 11, a byte more). */
static struct bytes lines = { .n = 4,
				    .v = { 0x80 | 10 << 3 | 3, 0,
					   0x80 | 11 << 3 | 7, 0 } };
static struct code codes[] = {
#define CODE(i) { .type = &PyCode_Type, .line = 10 * ((i) + 1), .file = &file, \
		  .name = &names[i], .lines = &lines }
	CODE(0), CODE(1), CODE(2), CODE(3),
};
static struct interp interp;
static struct thread threads[2];

HELD void
work(void)
{
	__asm__ volatile("" ::: "memory");
}

static void
begin(struct thread *t, struct frame *f, struct code *c, unsigned unit)
{
	/* 3.14 keeps flags in the lowest bits. */
	f->code = (uint64_t)(uintptr_t)c | (MINOR > 13);
	f->prev = t->frame;
	f->instr = c->text + 2 * unit;
	f->owner = 0;
	t->frame = f;
}

/* The evaluation loop: runs `n` functions of Python that call each other, and
   then C, which may come back. */
HELD void
loop(struct thread *t, struct code *c, unsigned n,
     void (*then)(struct thread *))
{
	struct frame mark = { .owner = 3, .prev = t->frame }, *f;

	f = calloc(n, sizeof(*f)); /* they lie in the heap */
	t->frame = &mark;
	for (unsigned i = 0; i < n; i++)
		begin(t, &f[i], c + i, i == 0 ? 1 : 5);
	then(t);
	t->frame = mark.prev;
	free(f);
}

static void
leaf(struct thread *t)
{
	work();
}

static void
back(struct thread *t)
{
	loop(t, &codes[2], 1, leaf);
}

static void *
second(void *arg)
{
	threads[1].id = (uint64_t)pthread_self();
	loop(&threads[1], &codes[3], 1, leaf);
	return NULL;
}

int
main(void)
{
	pthread_t p;

	/* Python has made them itself: they are in memory. */
	for (unsigned i = 0; i < 4; i++)
		names[i].refs = codes[i].refs = 1;
	file.refs = lines.refs = 1;
	_PyRuntime.head = &interp;
	interp.threads = &threads[1];
	threads[1].next = &threads[0];
	threads[0].id = (uint64_t)pthread_self();
	loop(&threads[0], &codes[0], 2, back);
	pthread_create(&p, NULL, second, NULL);
	pthread_join(p, NULL);
	return 0;
}
