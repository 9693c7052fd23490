/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_code_x86_window.c - which instructions cannot be moved, and why the
 * bytes around one are no window.
 */
#include "code/test/little.h"

#include "base/test/fds.h"

#define FLAGS  "the flags there are those of who comes by"
#define SIGNAL "the return from a signal is known by its bytes"

/* ---- alone --------------------------------------------------------------- */

#define CODE(bytes) bytes, sizeof(bytes) - 1

/* The instruction behind the first `off` bytes; NULL: it may be moved. */
static const struct fixed {
	size_t off;
	const char *bytes;
	size_t n;
	const char *why;
} fixed[] = {
	{ 0, CODE("\x90"), NULL },
	{ 0, CODE("\x48\x89\xe5"), NULL },
	{ 0, CODE("\xcc"), "the instruction traps" },
	{ 0, CODE("\x0f\x0b"), "the instruction traps" },
	{ 0, CODE("\x06"), "there is no instruction" },
	{ 0, CODE("\xc7\xf8\x01\x01\x01\x01"),
	  "the instruction cannot be run elsewhere" }, /* xbegin */
	/* Flags are saved: by itself, next, behind others; not behind a call or
	   a jump, nor further than one looks. */
	{ 0, CODE("\x9c"), FLAGS },
	{ 0, CODE("\x90\x9c"), FLAGS },
	{ 0, CODE("\x48\x89\xe5\x55\x9c"), FLAGS },
	{ 1, CODE("\x9c\x90"), NULL },
	{ 0, CODE("\xe8\x01\x01\x01\x01\x9c"), NULL },
	{ 0, CODE("\x90\xeb\x01\x9c"), NULL },
	{ 0, CODE("\x90\x06\x9c"), NULL },
	{ 0, CODE("\xb8\x9c\x9c\x9c\x9c\x90\x90"), NULL }, /* of a number */
	{ 0, CODE("\x90\xb8\x9c\x9c\x9c\x9c\x9c"), FLAGS },
	{ 0, CODE("\x90\x90\x90\x90\x90\x90\x90\x9c"), FLAGS },
	{ 0, CODE("\x90\x90\x90\x90\x90\x90\x90\x90\x9c"), NULL },
	/* Flags were restored before: only pops are between, not too many. */
	{ 1, CODE("\x9d\xc3"), FLAGS },
	{ 4, CODE("\x9d\x58\x41\x5f\xc3"), FLAGS },
	{ 2, CODE("\x9d\x5f\xc3"), FLAGS },
	{ 2, CODE("\x9d\x57\xc3"), NULL }, /* a push */
	{ 2, CODE("\x9d\x90\xc3"), NULL },
	{ 2, CODE("\x9d\x60\xc3"), NULL },
	{ 1, CODE("\x9d\x90"), NULL }, /* no ret */
	{ 16,
	  CODE("\x9d\x58\x58\x58\x58\x58\x58\x58\x58\x58\x58\x58\x58\x58\x58"
	       "\x58\xc3"),
	  FLAGS },
	{ 17,
	  CODE("\x9d\x58\x58\x58\x58\x58\x58\x58\x58\x58\x58\x58\x58\x58\x58"
	       "\x58\x58"
	       "\xc3"),
	  NULL },
	/* Returns from signals, at either instruction. */
	{ 0, CODE("\x48\xc7\xc0\x0f\0\0\0\x0f\x05"), SIGNAL },
	{ 7, CODE("\x48\xc7\xc0\x0f\0\0\0\x0f\x05"), SIGNAL },
	{ 0, CODE("\xb8\x0f\0\0\0\x0f\x05"), SIGNAL },
	{ 5, CODE("\xb8\x0f\0\0\0\x0f\x05"), SIGNAL },
	{ 0, CODE("\xb8\x0e\0\0\0\x0f\x05"), NULL },
	{ 5, CODE("\xb8\x0e\0\0\0\x0f\x05"), NULL },
	{ 0, CODE("\xb8\x0f\0\0\0\x0f\x34"), NULL },
};

static const char *
why_fixed(struct little *l, size_t off)
{
	struct code_insn in;

	code_insn_decode(l->code + 0x100 + off, 15, BASE + 0x100 + off, &in);
	return code_fn_fixed(&l->w, BASE + 0x100 + off, &in);
}

static bool
is_signal(void *arg, uint64_t addr)
{
	return true;
}

static void
test_fixed(void **state)
{
	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++) {
		const struct fixed *x = &fixed[i];
		const char *why;
		struct little l;

		l_init(&l);
		memset(l.code + 0x100, 0x90, 64);
		memcpy(l.code + 0x100, x->bytes, x->n);
		why = why_fixed(&l, x->off);
		if ((why == NULL) != (x->why == NULL) ||
		    (why != NULL && strcmp(why, x->why) != 0))
			fail_msg("%zu: %s", i, why != NULL ? why : "it may");
		/* Who has a table for it needs no bytes. */
		l.w.signal = is_signal;
		if (x->why != NULL && strcmp(x->why, SIGNAL) == 0)
			assert_null(why_fixed(&l, x->off));
	}
}

/* A restartable sequence: each byte of the instruction counts. */
static void
test_pinned(void **state)
{
	struct little l;

	l_init(&l);
	PUT(&l, 0x100, 0x48, 0x89, 0xe5, 0x90);
	for (uint64_t at = 0xfe; at <= 0x104; at++) {
		bool in = at >= 0x100 && at < 0x103;

		l.pinned = at;
		assert_int_equal(why_fixed(&l, 0) != NULL, in);
		if (in)
			assert_string_equal(why_fixed(&l, 0),
					    "it is in a restartable sequence");
	}
}

/* ---- windows ------------------------------------------------------------- */

static void
why_is(struct little *l, uint64_t off, const char *why)
{
	struct code_window win;

	code_fn_window(&l->w, &l->f, BASE + off, &win);
	assert_true(win.kind == CODE_WIN_INT3 || win.kind == CODE_WIN_NONE);
	assert_string_equal(win.why, why);
}

/* A short function, and what stands in the way of a window over its start. */
static void
test_why(void **state)
{
	struct little l;

	l_init(&l);
	l.fns[0] = 0x107;
	PUT(&l, 0x100, 0x31, 0xc0, /* xor %eax,%eax */
	    0x31, 0xd2,            /* xor %edx,%edx */
	    0x31, 0xc9,            /* xor %ecx,%ecx */
	    0xc3, 0x55);
	analyse(&l, 0x100, 7);
	expect(&l, 0x100, CODE_WIN_JMP, 0x100, 6);
	expect(&l, 0x102, CODE_WIN_JMP, 0x102, 5);
	code_fn_fini(&l.f);
	l.entered[0] = 0x104;
	analyse(&l, 0x100, 7);
	why_is(&l, 0x100, "control may arrive within the next bytes");
	why_is(&l, 0x104, "too few bytes after the way out are unused");
	code_fn_fini(&l.f);
	l.entered[0] = 0x103;
	analyse(&l, 0x100, 7);
	why_is(&l, 0x102, "control may arrive within the instruction");
	code_fn_fini(&l.f);
	l.entered[0] = 0;
	l.waits = 0x104;
	l.w.waits = l_waits;
	analyse(&l, 0x100, 7);
	why_is(&l, 0x100, "a goroutine may wait within the next bytes");
	code_fn_fini(&l.f);
	l.w.waits = NULL;
	PUT(&l, 0x104, 0xff, 0xe0);             /* jmp *%rax */
	PUT(&l, 0x100, 0x48, 0xd1, 0xe0, 0x90); /* shl %rax; nop */
	analyse(&l, 0x100, 6);
	why_is(&l, 0x100, "where its jumps lead is not known");
	code_fn_fini(&l.f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixed),
		cmocka_unit_test(test_pinned),
		cmocka_unit_test(test_why),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
