/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_code_x86_outs.c - ways out of functions, and where indirect jumps lead,
 * on functions assembled by hand.
 */
#include "code/test/little.h"

/* ---- ways out ------------------------------------------------------------ */

static void
test_tails(void **state)
{
	struct little l;

	l_init(&l);
	l.fns[0] = 0x200;
	PUT(&l, 0x100, 0xe9, 0xfb, 0, 0, 0); /* jmp 0x200 */
	analyse(&l, 0x100, 5);
	assert_true(l.f.complete);
	assert_int_equal(l.f.outs.n, 1);
	assert_int_equal(l.f.outs.v[0].kind, CODE_OUT_TAIL);
	expect(&l, 0x100, CODE_WIN_JMP, 0x100, 5);
	code_fn_fini(&l.f);
	l.fns[0] = 0x200;
	PUT(&l, 0x100, 0x0f, 0x84, 0xfa, 0, 0, 0, 0xc3); /* je 0x200; ret */
	analyse(&l, 0x100, 7);
	assert_true(l.f.outs_all && l.f.complete);
	assert_int_equal(l.f.outs.n, 2);
	assert_int_equal(l.f.outs.v[0].kind, CODE_OUT_TAIL);
	assert_int_equal(l.f.outs.v[0].len, 6);
	expect(&l, 0x100, CODE_WIN_JMP, 0x100, 6);
	code_fn_fini(&l.f);
	PUT(&l, 0x100, 0x90, 0x90, 0x90); /* runs on */
	analyse(&l, 0x100, 2);
	assert_true(l.f.outs_all); /* padding to its end */
	code_fn_fini(&l.f);
}

/* Into the middle of other code, from where nothing leads back; or something
   does; or the way back is on the stack. */
static void
test_into_other(void **state)
{
	struct little l;

	l_init(&l);
	PUT(&l, 0x100, 0x31, 0xc0, 0xe9, 0xf9, 0, 0, 0); /* xor; jmp 0x200 */
	analyse(&l, 0x100, 7);
	assert_true(l.f.complete);
	assert_int_equal(l.f.outs.n, 1);
	assert_int_equal(l.f.outs.v[0].kind, CODE_OUT_TAIL);
	code_fn_fini(&l.f);
	l.entered[0] = 0x102;
	l.code[0x200] = 0xff; /* jmp *%rax */
	l.code[0x201] = 0xe0;
	analyse(&l, 0x100, 7);
	assert_true(l.f.closed);
	assert_false(l.f.outs_all || l.f.complete);
	assert_int_equal(l.f.outs.n, 0);
	code_fn_fini(&l.f);
	l.entered[0] = 0;
	l.code[0x100] = 0x90;
	l.code[0x101] = 0x50; /* push */
	analyse(&l, 0x100, 7);
	assert_false(l.f.outs_all);
	code_fn_fini(&l.f);
}

/* How often the function at 0x100, which jumps to 0x200 and is entered by
   others, is left by that, with this code at 0x200. */
#define AWAY(l, want, ...)                                                     \
	do {                                                                   \
		PUT(l, 0x200, __VA_ARGS__);                                    \
		analyse(l, 0x100, 7);                                          \
		assert_int_equal((l)->f.outs.n, want);                         \
		assert_int_equal((l)->f.outs_all, want);                       \
		code_fn_fini(&(l)->f);                                         \
	} while (0)

/* Something leads to its inside, but nothing from where it jumps to. */
static void
test_stays_away(void **state)
{
	struct little l;

	l_init(&l);
	PUT(&l, 0x100, 0x31, 0xc0, 0xe9, 0xf9, 0, 0, 0); /* xor; jmp 0x200 */
	l.entered[0] = 0x102;
	AWAY(&l, 1, 0xc3);
	AWAY(&l, 1, 0x74, 0x01, 0xc3, 0xeb, 0xfb, 0xcc); /* je; ret; loop */
	AWAY(&l, 1, 0xe8, 0, 0, 0, 0, 0xc3);		 /* call; ret */
	AWAY(&l, 1, 0xe9, 0xfb, 0, 0, 0); /* jmp 0x300: a trap */
	AWAY(&l, 0, 0xe9, 0xfb, 0xfe, 0xff, 0xff);	 /* jmp 0x100 */
	AWAY(&l, 0, 0x0f, 0x85, 0xfc, 0xfe, 0xff, 0xff, 0xc3); /* jne 0x102 */
	AWAY(&l, 0, 0xff, 0xe0);			 /* jmp *%rax */
	AWAY(&l, 0, 0x06);				 /* none */
	/* Out of the file. */
	AWAY(&l, 0, 0xe9, 0, 0, 0, 0x10);
	/* Up to the function itself, without a jump. */
	PUT(&l, 0x100, 0x31, 0xc0, 0xe9, 0xf5, 0xff, 0xff, 0xff);
	l.code[0xfc] = l.code[0xfd] = l.code[0xfe] = l.code[0xff] = 0x90;
	analyse(&l, 0x100, 7);
	assert_false(l.f.outs_all);
	code_fn_fini(&l.f);
}

/* The same at its end: past a conditional jump, an instruction, padding. */
static void
test_runs_on(void **state)
{
	struct little l;

	l_init(&l);
	PUT(&l, 0x100, 0x31, 0xc0, 0x74, 0x01, 0xc3, 0x31, 0xdb, 0x90, 0x90);
	analyse(&l, 0x100, 9); /* je 0x105; ret; 0x105: xor; nops */
	assert_true(l.f.complete);
	assert_int_equal(l.f.outs.n, 2);
	assert_int_equal(l.f.outs.v[1].addr, BASE + 0x105);
	assert_int_equal(l.f.outs.v[1].kind, CODE_OUT_FALL);
	code_fn_fini(&l.f);
	l.code[0x103] = 0x03; /* je 0x107: past the last instruction */
	analyse(&l, 0x100, 9);
	assert_false(l.f.outs_all);
	code_fn_fini(&l.f);
	l.code[0x103] = 0x01;
	l.code[0x105] = 0x90;
	l.code[0x106] = 0x53; /* push: somebody takes it off */
	analyse(&l, 0x100, 9);
	assert_false(l.f.outs_all);
	code_fn_fini(&l.f);
	l.code[0x106] = 0x90;
	PUT(&l, 0x105, 0x74, 0xf9); /* je 0x100, at the end */
	analyse(&l, 0x100, 7);
	assert_int_equal(l.f.outs.n, 2);
	assert_int_equal(l.f.outs.v[1].kind, CODE_OUT_FALL);
	code_fn_fini(&l.f);
	l.entered[0] = 0x104;
	analyse(&l, 0x100, 7);
	assert_true(l.f.outs_all);
	code_fn_fini(&l.f);
	PUT(&l, 0x107, 0xeb, 0xf9); /* jmp 0x102 */
	analyse(&l, 0x100, 7);
	assert_false(l.f.outs_all);
	code_fn_fini(&l.f);
}

/* A function that calls itself last, its frame taken down, is left there; a
   loop around all of it is not. */
static void
test_recurs(void **state)
{
	struct little l;

	l_init(&l);
	PUT(&l, 0x100, 0x53,  /* push %rbx */
	    0x85, 0xff,       /* test %edi,%edi */
	    0x74, 0x05,       /* je +5 */
	    0xff, 0xcf,       /* dec %edi */
	    0x5b,             /* pop %rbx */
	    0xeb, 0xf6,       /* jmp to the start */
	    0x5b,             /* pop %rbx */
	    0xc3);            /* ret */
	analyse(&l, 0x100, 12);
	assert_true(l.f.complete && l.f.outs_all);
	assert_int_equal(l.f.outs.n, 2);
	assert_int_equal(l.f.outs.v[0].addr, BASE + 0x108);
	assert_int_equal(l.f.outs.v[0].kind, CODE_OUT_TAIL);
	assert_int_equal(l.f.outs.v[1].kind, CODE_OUT_RET);
	code_fn_fini(&l.f);
	PUT(&l, 0x100, 0x85, 0xff, /* test %edi,%edi */
	    0x74, 0x04,            /* je +4 */
	    0xff, 0xcf,            /* dec %edi */
	    0xeb, 0xf8,            /* jmp to the start */
	    0xc3);                 /* ret */
	analyse(&l, 0x100, 9);
	assert_true(l.f.outs_all);
	assert_int_equal(l.f.outs.n, 1);
	code_fn_fini(&l.f);
}

static void
test_parts(void **state)
{
	struct little l;
	const struct code_part p[] = { { BASE + 0x200, 9 },
				       { BASE + 0x100, 7 } };
	struct err e = { 0 };

	l_init(&l);
	PUT(&l, 0x200, 0x85, 0xff,               /* test %edi,%edi */
	    0x0f, 0x84, 0xf8, 0xfe, 0xff, 0xff); /* je 0x100 */
	PUT(&l, 0x100, 0x31, 0xc0,               /* xor %eax,%eax */
	    0xe9, 0xf9, 0, 0, 0);                /* jmp 0x200 */
	l.code[0x208] = 0xc3;
	assert_int_equal(code_fn_analyse(&l.w, p, 2, &l.f, &e), 0);
	assert_int_equal(l.f.outs.n, 1); /* between parts is not out */
	assert_true(is_target(&l, 0x100) && is_target(&l, 0x200));
	for (size_t i = 1; i < l.f.insns.n; i++)
		assert_true(l.f.insns.v[i - 1] < l.f.insns.v[i]);
	code_fn_fini(&l.f);
	assert_int_equal(code_fn_analyse(&l.w, p, 0, &l.f, &e), -1);
}

/* ---- indirect jumps ------------------------------------------------------ */

/* cmp $2,%edi; ja 0x11e; lea table(%rip),%rdx; movslq (%rdx,%rdi,4),%rax;
   add %rdx,%rax; jmp *%rax */
static void
put_switch(struct little *l)
{
	static const int32_t table[] = { 0x116 - 0x180, 0x118 - 0x180,
					 0x11b - 0x180, 0x7777 };

	PUT(l, 0x100, 0x83, 0xff, 0x02, 0x77, 0x19, 0x48, 0x8d, 0x15, 0x74, 0,
	    0, 0, 0x48, 0x63, 0x04, 0xba, 0x48, 0x01, 0xd0, 0xff, 0xe0, 0x90);
	PUT(l, 0x116, 0xeb, 0x06, /* jmp 0x11e */
	    0x31, 0xc0, 0xc3,     /* xor %eax,%eax; ret */
	    0x31, 0xdb, 0xc3,     /* xor %ebx,%ebx; ret */
	    0xc3);                /* ret */
	memcpy(l->code + 0x180, table, sizeof(table));
}

static void
test_switch(void **state)
{
	struct little l;

	l_init(&l);
	put_switch(&l);
	analyse(&l, 0x100, 0x1f);
	assert_true(l.f.complete);
	assert_true(is_target(&l, 0x116) && is_target(&l, 0x118) &&
		    is_target(&l, 0x11b) && is_target(&l, 0x11e));
	assert_int_equal(l.f.outs.n, 3);
	/* The ret at 0x11a is in front of a case. */
	expect(&l, 0x11a, CODE_WIN_HOP, 0x118, 3);
	code_fn_fini(&l.f);
	/* No table there: nobody knows where it goes. */
	memset(l.code + 0x180, 0x77, 16);
	analyse(&l, 0x100, 0x1f);
	assert_false(l.f.closed || l.f.complete);
	assert_non_null(l.f.why);
	expect(&l, 0x105, CODE_WIN_JMP, 0x105, 7); /* one instruction */
	expect(&l, 0x10c, CODE_WIN_HOP, 0x10c, 4); /* also one */
	expect(&l, 0x11a, CODE_WIN_INT3, 0x11a, 1);
	code_fn_fini(&l.f);
}

/* An index that the compiler knew: movslq table(%rip),%rax; lea
   table(%rip),%rsi; add %rsi,%rax; jmp *%rax. */
static void
test_one_case(void **state)
{
	int32_t off = 0x113 - 0x180;
	struct little l;

	l_init(&l);
	PUT(&l, 0x100, 0x48, 0x63, 0x05, 0x79, 0, 0, 0, 0x48, 0x8d, 0x35, 0x72,
	    0, 0, 0, 0x48, 0x01, 0xf0, 0xff, 0xe0, 0x31, 0xc0, 0xc3);
	memcpy(l.code + 0x180, &off, sizeof(off));
	analyse(&l, 0x100, 0x16);
	assert_true(l.f.complete);
	assert_true(is_target(&l, 0x113));
	assert_int_equal(l.f.outs.n, 1);
	code_fn_fini(&l.f);
	off++; /* into the xor */
	memcpy(l.code + 0x180, &off, sizeof(off));
	analyse(&l, 0x100, 0x16);
	assert_false(l.f.closed);
	code_fn_fini(&l.f);
}

/* How deep the stack is where a table leads is known when the table is. */
static void
test_late(void **state)
{
	static const int32_t table[] = { 0x116 - 0x180, 0x11b - 0x180,
					 0x11b - 0x180, 0x7777 };
	struct little l;

	l_init(&l);
	PUT(&l, 0x100, 0x53, 0x83, 0xff, 0x02, 0x77, 0x1a, /* push; ja 0x120 */
	    0x48, 0x8d, 0x15, 0x73, 0, 0, 0, 0x48, 0x63, 0x04, 0xba, 0x48, 0x01,
	    0xd0, 0xff, 0xe0,		    /* jmp *table[%rdi] */
	    0x48, 0x8b, 0x07, 0xff, 0xe0,   /* mov (%rdi),%rax; jmp *%rax */
	    0x5b, 0xc3, 0x90, 0x90, 0x90,   /* pop; ret */
	    0x5b, 0xc3);
	memcpy(l.code + 0x180, table, sizeof(table));
	l.entered[0] = 0x11b;
	analyse(&l, 0x100, 0x22);
	assert_true(l.f.complete);
	assert_int_equal(l.f.outs.n, 2);
	code_fn_fini(&l.f);
	l.code[0x100] = 0x90; /* no push: out, or along the table again */
	analyse(&l, 0x100, 0x22);
	assert_false(l.f.outs_all);
	code_fn_fini(&l.f);
}

/* Nobody comes back from exit(2). */
static void
test_exits(void **state)
{
	struct little l;

	l_init(&l);
	PUT(&l, 0x100, 0xb8, 60, 0, 0, 0, 0x0f, 0x05);
	analyse(&l, 0x100, 7);
	assert_true(l.f.complete);
	assert_int_equal(l.f.outs.n, 0);
	code_fn_fini(&l.f);
	l.code[0x101] = 231; /* exit_group */
	analyse(&l, 0x100, 7);
	assert_int_equal(l.f.outs.n, 0);
	code_fn_fini(&l.f);
	l.code[0x101] = 39; /* getpid: it runs on */
	analyse(&l, 0x100, 7);
	assert_int_equal(l.f.outs.n, 1);
	code_fn_fini(&l.f);
}

static void
test_pointers(void **state)
{
	struct little l;

	l_init(&l);
	PUT(&l, 0x100, 0x48, 0x8b, 0x07, /* mov (%rdi),%rax */
	    0xff, 0x60, 0x10);           /* jmp *16(%rax) */
	analyse(&l, 0x100, 6);
	assert_true(l.f.complete);
	assert_int_equal(l.f.outs.n, 1);
	code_fn_fini(&l.f);
	/* With a frame on the stack it is a goto. */
	PUT(&l, 0x100, 0x53, 0x48, 0x8b, 0x07, 0xff, 0x60, 0x10);
	analyse(&l, 0x100, 7);
	assert_true(l.f.complete);
	assert_int_equal(l.f.outs.n, 0);
	code_fn_fini(&l.f);
	/* A frame that was taken down. */
	PUT(&l, 0x100, 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x20, 0x48,
	    0x8b, 0x07, 0xc9, 0xff, 0xe0); /* ... leave; jmp *%rax */
	analyse(&l, 0x100, 14);
	assert_int_equal(l.f.outs.n, 1);
	code_fn_fini(&l.f);
	/* One that was not: lea -8(%rbp),%rsp leaves two words there. */
	PUT(&l, 0x100, 0x55, 0x48, 0x89, 0xe5, 0x41, 0x54, 0x48, 0x8d, 0x65,
	    0xf8, 0x48, 0x8b, 0x07, 0xff, 0xe0);
	analyse(&l, 0x100, 15);
	assert_int_equal(l.f.outs.n, 0);
	code_fn_fini(&l.f);
	/* Arithmetic: lea (%r11,%rcx,8),%r11; jmp *%r11. */
	PUT(&l, 0x100, 0x4d, 0x8d, 0x1c, 0xcb, 0x41, 0xff, 0xe3);
	analyse(&l, 0x100, 7);
	assert_false(l.f.closed);
	code_fn_fini(&l.f);
}

/* A handler of OCaml's exceptions: its address is pushed, and no jump goes
   there, so that what goes through a pointer is a tail call. */
static void
test_handler(void **state)
{
	struct little l;

	l_init(&l);
	PUT(&l, 0x100, 0x48, 0x83, 0xec, 0x08,	      /* sub $8,%rsp */
	    0x4c, 0x8d, 0x1d, 0x18, 0, 0, 0,	      /* lea 0x123,%r11 */
	    0x41, 0x53, 0x41, 0xff, 0x76, 0x10,	      /* push both */
	    0xe8, 0x2a, 0, 0, 0,		      /* call */
	    0x41, 0x8f, 0x46, 0x10,		      /* pop 16(%r14) */
	    0x48, 0x83, 0xc4, 0x08, 0x48, 0x83, 0xc4, 0x08, 0xc3,
	    0x48, 0x8b, 0x3b,			      /* 0x123 */
	    0x48, 0x83, 0xc4, 0x08, 0xff, 0xe7); /* add; jmp *%rdi */
	analyse(&l, 0x100, 0x2c);
	assert_true(l.f.complete);
	assert_int_equal(l.f.outs.n, 2);
	assert_true(is_target(&l, 0x123));
	code_fn_fini(&l.f);
	l.code[0x10c] = 0x54; /* push %r12: the address may go anywhere */
	analyse(&l, 0x100, 0x2c);
	assert_false(l.f.outs_all);
	code_fn_fini(&l.f);
}

/* jmp *table(,%rdi,8), in an object that is not relocated. */
static void
test_table8(void **state)
{
	struct little l;
	const uint64_t to[] = { BASE + 0x108, BASE + 0x10b, 0 };
	const uint8_t code[] = { 0x49, 0xba, 0x80, 0x11, 0, 0, 0, 0x7f, 0, 0 };

	l_init(&l);
	/* movabs $table,%r10; push %rbx; jmp *(%r10,%rdi,8); nops, rets */
	memcpy(l.code + 0xf8, code, sizeof(code));
	PUT(&l, 0x102, 0x53, 0x41, 0xff, 0x24, 0xfa, 0x90, 0x31, 0xc0, 0xc3,
	    0x5b, 0xc3);
	memcpy(l.code + 0x180, to, sizeof(to));
	analyse(&l, 0xf8, 0x15);
	assert_true(l.f.complete);
	assert_true(is_target(&l, 0x108) && is_target(&l, 0x10b));
	code_fn_fini(&l.f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tails),
		cmocka_unit_test(test_into_other),
		cmocka_unit_test(test_stays_away),
		cmocka_unit_test(test_runs_on),
		cmocka_unit_test(test_recurs),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_switch),
		cmocka_unit_test(test_one_case),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_exits),
		cmocka_unit_test(test_pointers),
		cmocka_unit_test(test_handler),
		cmocka_unit_test(test_table8),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
