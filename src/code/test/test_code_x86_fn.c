/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_code_x86_fn.c - analysis of functions and placing of windows, on
 * functions assembled by hand.  test/x86/coverage.c checks the same on real
 * ones.
 */
#include "code/test/little.h"

/* ---- windows ------------------------------------------------------------- */

static void
test_forward(void **state)
{
	struct little l;

	l_init(&l);
	PUT(&l, 0x100, 0x55,        /* push %rbp */
	    0x48, 0x89, 0xe5,       /* mov %rsp,%rbp */
	    0x48, 0x83, 0xec, 0x10, /* sub $16,%rsp */
	    0xc9,                   /* leave */
	    0xc3);                  /* ret; then int3 up to the end */
	analyse(&l, 0x100, 10);
	assert_true(l.f.complete);
	assert_int_equal(l.f.insns.n, 5);
	assert_int_equal(l.f.outs.n, 1);
	assert_int_equal(l.f.outs.v[0].kind, CODE_OUT_RET);
	expect(&l, 0x100, CODE_WIN_JMP, 0x100, 8);
	expect(&l, 0x104, CODE_WIN_JMP, 0x104, 5);
	expect(&l, 0x109, CODE_WIN_JMP, 0x109, 5);  /* alpha */
	expect(&l, 0x102, CODE_WIN_NONE, 0x102, 0); /* inside an instruction */
	l.pinned = 0x102;
	expect(&l, 0x100, CODE_WIN_INT3, 0x100, 1);
	expect(&l, 0x101, CODE_WIN_NONE, 0x101, 0);
	code_fn_fini(&l.f);
}

/* The next function begins right after the ret. */
static void
test_beta(void **state)
{
	struct little l;

	l_init(&l);
	PUT(&l, 0x100, 0x31, 0xc0, /* xor %eax,%eax */
	    0x5b,                  /* pop %rbx */
	    0x41, 0x5c,            /* pop %r12 */
	    0x5d,                  /* pop %rbp */
	    0xc3,                  /* ret */
	    0x90);
	l.fns[0] = 0x107;
	analyse(&l, 0x100, 7);
	expect(&l, 0x106, CODE_WIN_JMP, 0x102, 5);
	/* A target among the pops. */
	code_fn_fini(&l.f);
	l.entered[0] = 0x103;
	analyse(&l, 0x100, 7);
	expect(&l, 0x106, CODE_WIN_INT3, 0x106, 1);
	/* A window may begin at a target. */
	code_fn_fini(&l.f);
	l.entered[0] = 0x102;
	analyse(&l, 0x100, 7);
	expect(&l, 0x106, CODE_WIN_JMP, 0x102, 5);
	code_fn_fini(&l.f);
}

static void
test_loop_at_top(void **state)
{
	struct little l;

	l_init(&l);
	PUT(&l, 0x100, 0x48, 0xff, 0xcf, /* 0: dec %rdi */
	    0x48, 0x85, 0xff,            /* 3: test %rdi,%rdi */
	    0x75, 0xfb,                  /* jne 3 */
	    0xc3);
	analyse(&l, 0x100, 9);
	assert_true(is_target(&l, 0x103));
	/* 3 bytes before the target, and padding after the ret. */
	expect(&l, 0x100, CODE_WIN_HOP, 0x100, 3);
	struct code_window win;
	code_fn_window(&l.w, &l.f, BASE + 0x100, &win);
	assert_true(win.hop >= BASE + 0x109);
	/* Somebody has taken the padding. */
	l.taken = 0x10b;
	expect(&l, 0x100, CODE_WIN_INT3, 0x100, 3);
	code_fn_fini(&l.f);
}

static void
test_call(void **state)
{
	struct little l;

	l_init(&l);
	PUT(&l, 0x100, 0x53,     /* push %rbx */
	    0xe8, 0x3a, 0, 0, 0, /* call 0x140 */
	    0x5b,                /* pop %rbx */
	    0xc3);
	l.fns[0] = 0x108;
	analyse(&l, 0x100, 8);
	assert_true(is_target(&l, 0x106));
	expect(&l, 0x100, CODE_WIN_JMP, 0x100, 6); /* the call is last */
	expect(&l, 0x107, CODE_WIN_INT3, 0x107, 1);
	code_fn_fini(&l.f);
}

/*
 * Behind a call that does not return: a jump to where the function ends goes
 * nowhere. Behind anything else, or to another place, it leaves the function.
 */
static void
test_jump_to_end(void **state)
{
	struct little l;

	l_init(&l);
	PUT(&l, 0x100, 0x74, 0x01,  /* je 0x103 */
	    0xc3,                   /* ret */
	    0xe8, 0x38, 0, 0, 0,    /* call 0x140 */
	    0xe9, 0x00, 0, 0, 0);   /* jmp 0x10d */
	analyse(&l, 0x100, 13);
	assert_true(l.f.complete);
	assert_int_equal(l.f.outs.n, 1);
	code_fn_fini(&l.f);
	l.code[0x109] = 1; /* jmp 0x10e */
	analyse(&l, 0x100, 13);
	assert_int_equal(l.f.outs.n, 2);
	code_fn_fini(&l.f);
	l.code[0x109] = 0;
	memcpy(l.code + 0x103, "\x0f\x1f\x44\0\0", 5); /* nop */
	analyse(&l, 0x100, 13);
	assert_int_equal(l.f.outs.n, 2);
	code_fn_fini(&l.f);
}

static void
test_syscall(void **state)
{
	struct little l;

	l_init(&l);
	PUT(&l, 0x100, 0xb8, 0x27, 0, 0, 0, /* mov $39,%eax */
	    0x0f, 0x05,                     /* syscall */
	    0xc3);
	PUT(&l, 0x200, 0x48, 0xc7, 0xc0, 15, 0, 0, 0, /* mov $15,%rax */
	    0x0f, 0x05);                              /* syscall */
	analyse(&l, 0x100, 8);
	assert_int_equal(l.f.syscalls.n, 1);
	assert_int_equal(l.f.syscalls.v[0], BASE + 0x105);
	expect(&l, 0x105, CODE_WIN_JMP, 0x105, 5); /* with ret and padding */
	code_fn_fini(&l.f);
	analyse(&l, 0x200, 9); /* the restorer */
	expect(&l, 0x200, CODE_WIN_NONE, 0x200, 0);
	expect(&l, 0x207, CODE_WIN_NONE, 0x207, 0);
	code_fn_fini(&l.f);
}

static void
test_refused(void **state)
{
	struct little l;

	l_init(&l);
	PUT(&l, 0x100, 0x90,           /* nop */
	    0xc7, 0xf8, 0x01, 0, 0, 0, /* xbegin 0x108 */
	    0x90, 0x0f, 0x0b);         /* ud2 */
	analyse(&l, 0x100, 10);
	expect(&l, 0x101, CODE_WIN_NONE, 0x101, 0);
	expect(&l, 0x108, CODE_WIN_NONE, 0x108, 0);
	expect(&l, 0x100, CODE_WIN_INT3, 0x100, 1);
	code_fn_fini(&l.f);
}

static void
test_union(void **state)
{
	struct little l;
	struct code_window a, b, u;

	l_init(&l);
	PUT(&l, 0x100, 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10, 0x48,
	    0x89, 0xfb, 0xc9, 0xc3);
	analyse(&l, 0x100, 13);
	code_fn_window(&l.w, &l.f, BASE + 0x100, &a);
	code_fn_window(&l.w, &l.f, BASE + 0x104, &b);
	assert_true(code_fn_window_union(&l.f, &a, &b, &u));
	assert_int_equal(u.kind, CODE_WIN_JMP);
	assert_int_equal(u.start, BASE + 0x100);
	assert_int_equal(u.len, 11);
	code_fn_window(&l.w, &l.f, BASE + 0x10c, &b);
	assert_false(code_fn_window_union(&l.f, &a, &b, &u));
	code_fn_fini(&l.f);
}

/* Where somebody waits who is not found, no jump is written; bytes behind the
   jump stay as they are. */
static void
test_waits(void **state)
{
	struct little l;
	struct code_window win, b, u;

	l_init(&l);
	/* mov %rsp,%rbp; sub $16,%rsp; mov %rdi,%rbx; mov 8(%rsp),%rbp;
	   add $16,%rsp; ret */
	PUT(&l, 0x100, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10, 0x48, 0x89,
	    0xfb, 0x48, 0x8b, 0x6c, 0x24, 0x08, 0x48, 0x83, 0xc4, 0x10, 0xc3,
	    0x90);
	l.fns[0] = 0x115;
	analyse(&l, 0x100, 20);
	expect(&l, 0x100, CODE_WIN_JMP, 0x100, 7);
	expect(&l, 0x113, CODE_WIN_JMP, 0x10f, 5);
	l.w.waits = l_waits;
	l.waits = 0x103;
	expect(&l, 0x100, CODE_WIN_INT3, 0x100, 3);
	l.waits = 0x113;
	expect(&l, 0x113, CODE_WIN_JMP, 0x10a, 10);
	code_fn_window(&l.w, &l.f, BASE + 0x113, &win);
	assert_int_equal(code_fn_window_written(&win), 5);
	code_fn_window(&l.w, &l.f, BASE + 0x10a, &b);
	assert_true(code_fn_window_union(&l.f, &win, &b, &u));
	assert_int_equal(code_fn_window_written(&u), 5);
	code_fn_fini(&l.f);
	/* xor %eax,%eax; loop: dec %edi; jne loop; ret; 5 unused bytes */
	l_init(&l);
	PUT(&l, 0x100, 0x31, 0xc0, 0xff, 0xcf, 0x75, 0xfc, 0xc3, 0x90, 0x90,
	    0x90, 0x90, 0x90);
	l.fns[0] = 0x10c;
	analyse(&l, 0x100, 7);
	expect(&l, 0x100, CODE_WIN_HOP, 0x100, 2);
	l.w.waits = l_waits;
	l.waits_later = 0x107;
	expect(&l, 0x100, CODE_WIN_INT3, 0x100, 2);
	code_fn_fini(&l.f);
}

/* The jump alone must lie in one page; the instruction may lie in two. */
static void
test_border(void **state)
{
	struct little l;
	struct code_window win, b, u;

	l_init(&l);
	/* mov $14,%eax; syscall; cmp $-4095,%rax; ret */
	PUT(&l, BORDER - 6, 0xb8, 14, 0, 0, 0, 0x0f, 0x05, 0x48, 0x3d, 0x01,
	    0xf0, 0xff, 0xff, 0xc3);
	analyse(&l, BORDER - 6, 14);
	expect(&l, BORDER - 1, CODE_WIN_JMP, BORDER - 6, 7);
	code_fn_window(&l.w, &l.f, BASE + BORDER - 1, &win);
	assert_int_equal(code_fn_window_written(&win), 5);
	expect(&l, BORDER + 1, CODE_WIN_JMP, BORDER + 1, 6);
	code_fn_window(&l.w, &l.f, BASE + BORDER + 1, &b);
	assert_int_equal(code_fn_window_written(&b), 6);
	code_fn_fini(&l.f);
	/* push %rbx; mov %rdi,%rbx; push %rbp; mov %rsp,%rbp; ret: the border
	   is amid every long jump that would do for the first. */
	l_init(&l);
	PUT(&l, BORDER - 4, 0x53, 0x48, 0x89, 0xfb, 0x55, 0x48, 0x89, 0xe5,
	    0xc3);
	analyse(&l, BORDER - 4, 9);
	expect(&l, BORDER - 4, CODE_WIN_HOP, BORDER - 4, 4);
	expect(&l, BORDER, CODE_WIN_JMP, BORDER, 5);
	code_fn_fini(&l.f);
	/* Two of which the first alone crosses are one that does. */
	l_init(&l);
	PUT(&l, BORDER - 5, 0x55, 0x48, 0x89, 0xe5, 0x53, 0x48, 0x83, 0xec,
	    0x10, 0xc3);
	analyse(&l, BORDER - 5, 10);
	win = (struct code_window){ CODE_WIN_JMP, BASE + BORDER - 5, 5, 0,
				    NULL };
	b = (struct code_window){ CODE_WIN_JMP, BASE + BORDER - 1, 5, 0, NULL };
	assert_true(code_fn_window_union(&l.f, &win, &b, &u));
	assert_int_equal(u.len, 9);
	assert_int_equal(code_fn_window_written(&u), 5);
	code_fn_fini(&l.f);
}

/* A hop leaves a way out beside it the room for a window of its own. */
static void
test_hop_last(void **state)
{
	struct code_window win;
	struct little l;

	l_init(&l);
	PUT(&l, 0x100, 0x74, 0x05,  /* je 0x107 */
	    0x74, 0x01, 0x90,       /* je 0x105 */
	    0xc3, 0x90,             /* 0x105: ret */
	    0xc3);                  /* 0x107: ret, and padding */
	memset(l.code + 0x108, 0x90, 9);
	l.fns[0] = 0x111;
	analyse(&l, 0x100, 8);
	expect(&l, 0x107, CODE_WIN_JMP, 0x107, 5);
	expect(&l, 0x105, CODE_WIN_HOP, 0x105, 2);
	code_fn_window(&l.w, &l.f, BASE + 0x105, &win);
	assert_int_equal(win.hop, BASE + 0x10c);
	code_fn_fini(&l.f);
}

/* Where a function ends with a call that does not return, there is one byte of
   padding more before what a hop may have. */
static void
test_hop_call(void **state)
{
	struct code_window win;
	struct little l;

	l_init(&l);
	PUT(&l, 0x100, 0x48, 0xff, 0xcf, /* dec %rdi */
	    0x48, 0x85, 0xff,            /* 3: test %rdi,%rdi */
	    0x75, 0xfb,                  /* jne 3 */
	    0xe8, 0x33, 0, 0, 0);        /* call 0x140 */
	analyse(&l, 0x100, 13);
	for (uint64_t n = 5; n <= 7; n++) {
		l.fns[0] = 0x10d + n;
		l.code[0x10d + n] = 0x55; /* push %rbp */
		expect(&l, 0x100, n < 6 ? CODE_WIN_INT3 : CODE_WIN_HOP, 0x100,
		       3);
		code_fn_window(&l.w, &l.f, BASE + 0x100, &win);
		if (n >= 6)
			assert_int_equal(win.hop, BASE + 0x10d + n - 5);
		l.code[0x10d + n] = 0xcc;
	}
	code_fn_fini(&l.f);
}

/* ---- code that is not what it seems -------------------------------------- */

static void
test_odd(void **state)
{
	struct little l;

	l_init(&l);
	/* je over a lock prefix: 0: je 3; 2: lock incl (%rdi); ret */
	PUT(&l, 0x100, 0x74, 0x01, 0xf0, 0xff, 0x07, 0xc3);
	analyse(&l, 0x100, 6);
	assert_true(l.f.closed);
	expect(&l, 0x102, CODE_WIN_INT3, 0x102, 3);
	code_fn_fini(&l.f);
	/* A jump into an immediate. */
	PUT(&l, 0x100, 0x74, 0x03, 0xb8, 0x90, 0x90, 0x90, 0x31, 0xc3);
	analyse(&l, 0x100, 8);
	assert_false(l.f.closed);
	code_fn_fini(&l.f);
	/* Bytes that are none: push %es. */
	PUT(&l, 0x100, 0x90, 0x06, 0xc3);
	analyse(&l, 0x100, 3);
	assert_false(l.f.closed);
	code_fn_fini(&l.f);
}

/* The function before skips our first instruction. */
static void
test_neighbour(void **state)
{
	struct little l;

	l_init(&l);
	memset(l.code, 0x90, 0x100);
	PUT(&l, 0xfe, 0xeb, 0x03);       /* jmp 0x103 */
	PUT(&l, 0x100, 0x48, 0x89, 0xd2, /* mov %rdx,%rdx */
	    0x48, 0x89, 0xf8, 0xc3);     /* mov %rdi,%rax; ret */
	analyse(&l, 0x100, 7);
	assert_true(is_target(&l, 0x103));
	expect(&l, 0x100, CODE_WIN_HOP, 0x100, 3);
	code_fn_fini(&l.f);
}

/* The address of a label is taken. */
static void
test_label(void **state)
{
	struct little l;

	l_init(&l);
	PUT(&l, 0x100, 0x48, 0x8d, 0x05, 0x02, 0, 0, 0, /* lea 2(%rip),%rax */
	    0x31, 0xc0, 0x31, 0xdb, 0xc3);
	analyse(&l, 0x100, 12);
	assert_true(is_target(&l, 0x109));
	code_fn_fini(&l.f);
}

/* A nop in front of what somebody returns to, who was never called. */
static void
test_planted(void **state)
{
	struct little l;

	l_init(&l);
	PUT(&l, 0x100, 0x90, 0xe8, 0xfa, 0x00, 0, 0, 0x90); /* call 0x200 */
	analyse(&l, 0x100, 7);
	assert_true(is_target(&l, 0x101) && is_target(&l, 0x106));
	expect(&l, 0x100, CODE_WIN_INT3, 0x100, 1);
	code_fn_fini(&l.f);
	/* Room for a patch is none. */
	PUT(&l, 0x100, 0x90, 0x90, 0x90, 0x90, 0x90, 0x31, 0xc0, 0xc3);
	analyse(&l, 0x100, 8);
	expect(&l, 0x100, CODE_WIN_JMP, 0x100, 5);
	code_fn_fini(&l.f);
}

/* A switch as gcc writes it without optimization. */
static void
test_switch_plain(void **state)
{
	const int32_t off[] = { 0x121 - 0x300, 0x122 - 0x300, 0x7fffffff };
	struct little l;

	l_init(&l);
	memcpy(l.code + 0x300, off, sizeof(off));
	PUT(&l, 0x100, 0x48, 0x8d, 0x14, 0x85, 0, 0, 0, 0, /* lea 0(,%rax,4) */
	    0x48, 0x8d, 0x05, 0xf1, 0x01, 0, 0, /* lea 0x300(%rip),%rax */
	    0x8b, 0x04, 0x02,                   /* mov (%rdx,%rax,1),%eax */
	    0x48, 0x98,                         /* cltq */
	    0x48, 0x8d, 0x15, 0xe5, 0x01, 0, 0, /* lea 0x300(%rip),%rdx */
	    0x48, 0x01, 0xd0,                   /* add %rdx,%rax */
	    0xff, 0xe0,                         /* jmp *%rax */
	    0x90, 0xc3, 0xc3);
	analyse(&l, 0x100, 0x23);
	assert_true(l.f.complete);
	assert_true(is_target(&l, 0x121) && is_target(&l, 0x122));
	assert_int_equal(l.f.outs.n, 2);
	code_fn_fini(&l.f);
}

/*
 * A computed goto without a frame, whose table only the loader fills in; in a
 * loop the table's address is in a register that was written elsewhere.
 */
static void
test_goto_table(void **state)
{
	struct little l;

	l_init(&l);
	l.ptr_at = 0x300;
	l.ptr_to[0] = 0x10b;
	l.ptr_to[1] = 0x10f;
	PUT(&l, 0x100, 0x48, 0x8d, 0x0d, 0xf9, 0x01, 0, 0, /* lea 0x300,%rcx */
	    0xff, 0x24, 0xd1, 0x90, /* jmp *(%rcx,%rdx,8); nop */
	    0x31, 0xd2,             /* xor %edx,%edx */
	    0xeb, 0x02,             /* jmp 0x111 */
	    0xc3, 0x90,             /* ret; nop */
	    0xff, 0x24, 0xd1);      /* jmp *(%rcx,%rdx,8) */
	analyse(&l, 0x100, 0x14);
	assert_true(l.f.complete);
	assert_int_equal(l.f.outs.n, 1);
	assert_int_equal(l.f.outs.v[0].addr, BASE + 0x10f);
	code_fn_fini(&l.f);
	/* The caller may have passed the address of a table in rcx, if it is
	   not written first: then nothing is known of where the jumps lead. */
	PUT(&l, 0x100, 0x85, 0xd2, 0x74, 0x0d, 0x90, 0x90, 0x90);
	l.ptr_to[0] = 0x10f;
	analyse(&l, 0x100, 0x14);
	assert_true(l.f.closed);
	assert_false(l.f.outs_all);
	code_fn_fini(&l.f);
}

/* The same jump through a table of other functions is a tail call. */
static void
test_calls_table(void **state)
{
	struct little l;

	l_init(&l);
	l.ptr_at = 0x300;
	l.ptr_to[0] = l.fns[0] = 0x200;
	PUT(&l, 0x100, 0x48, 0x8d, 0x0d, 0xf9, 0x01, 0, 0, /* lea 0x300,%rcx */
	    0xff, 0x24, 0xd1);
	analyse(&l, 0x100, 10);
	assert_true(l.f.complete);
	assert_int_equal(l.f.outs.n, 1);
	assert_int_equal(l.f.outs.v[0].kind, CODE_OUT_TAIL);
	code_fn_fini(&l.f);
}

/* Labels on the function's stack, and one that data holds without a table. */
static void
test_goto_bare(void **state)
{
	struct little l;

	l_init(&l);
	PUT(&l, 0x100, 0x48, 0x8d, 0x05, 0x09, 0, 0, 0, /* lea 0x110,%rax */
	    0x48, 0x89, 0x44, 0x24, 0xf8,               /* mov %rax,-8(%rsp) */
	    0xff, 0x64, 0xd4, 0xf8, /* jmp *-8(%rsp,%rdx,8) */
	    0xc3);
	analyse(&l, 0x100, 0x11);
	assert_true(l.f.complete);
	assert_int_equal(l.f.outs.n, 1);
	code_fn_fini(&l.f);
	l_init(&l);
	PUT(&l, 0x100, 0xff, 0x27, 0x90, 0xc3); /* jmp *(%rdi); nop; ret */
	analyse(&l, 0x100, 4);
	assert_true(l.f.complete);
	assert_int_equal(l.f.outs.n, 2);
	code_fn_fini(&l.f);
	l.ptr_at = 0x300;
	l.ptr_to[0] = 0x103;
	analyse(&l, 0x100, 4);
	assert_true(l.f.closed);
	assert_false(l.f.outs_all);
	code_fn_fini(&l.f);
}

static void
alone_is(struct little *l, uint64_t off, uint32_t before, uint32_t after,
	 uint64_t start, uint32_t len)
{
	struct code_window win;

	code_fn_alone(&l->w, &l->f, BASE + off, before, after, &win);
	assert_int_equal(win.kind, len != 0 ? CODE_WIN_PUN : CODE_WIN_NONE);
	if (len == 0)
		return;
	assert_int_equal(win.start, BASE + start);
	assert_int_equal(win.len, len);
	assert_in_range(code_fn_window_written(&win), 1, len < 5 ? len : 5);
}

/* An instruction by itself, and with those that are not arrived at. */
static void
test_alone(void **state)
{
	/* push %rdi; 1: dec %edi; jne 1b; pop %rax; ret; nop; nop */
	static const uint8_t code[] = { 0x57, 0xff, 0xcf, 0x75, 0xfc,
					0x58, 0xc3, 0x90, 0x90 };
	struct little l;

	l_init(&l);
	memcpy(l.code + 0x100, code, sizeof(code));
	l.fns[0] = 0x100;
	l.fns[1] = 0x109;
	analyse(&l, 0x100, 7);
	alone_is(&l, 0x100, 0, 0, 0x100, 1);
	alone_is(&l, 0x100, 0, 1, 0, 0); /* the loop's head is behind */
	alone_is(&l, 0x101, 0, 1, 0x101, 4);
	alone_is(&l, 0x101, 1, 0, 0, 0);
	alone_is(&l, 0x105, 0, 1, 0x105, 4); /* with padding */
	alone_is(&l, 0x106, 1, 0, 0x105, 4);
	alone_is(&l, 0x106, 0, 0, 0x106, 3);
	alone_is(&l, 0x106, 0, 1, 0, 0); /* a way out ends it */
	alone_is(&l, 0x102, 0, 0, 0, 0); /* no instruction begins there */
	l.pinned = 0x106;
	alone_is(&l, 0x106, 0, 0, 0, 0);
	alone_is(&l, 0x105, 0, 0, 0x105, 1);
	code_fn_fini(&l.f);
}

static bool
starts_at_page(void *arg, uint64_t addr)
{
	return (addr & 0xfff) == 0;
}

/* What n bytes at addr may choose: a list, and whether it is all. */
static void
chooses(uint64_t addr, const uint8_t *p, size_t n, bool all, size_t nfns,
	uint64_t a, uint64_t b)
{
	const struct code_body body = { .p = p, .n = n, .addr = addr };
	struct code_chosen c;

	assert_int_equal(code_chosen_find(&body, starts_at_page, NULL, &c), 0);
	assert_int_equal(c.all, all);
	assert_int_equal(c.fns.n, nfns);
	if (nfns > 0)
		assert_int_equal(c.fns.v[0], a);
	if (nfns > 1)
		assert_int_equal(c.fns.v[1], b);
	code_chosen_fini(&c);
}
#define CHOOSES(addr, all, nfns, a, b, ...)                                    \
	chooses(addr, BYTES(__VA_ARGS__), sizeof(BYTES(__VA_ARGS__)), all,     \
		nfns, a, b)

static void
test_chosen(void **state)
{
	const uint64_t at = 0x7f0000001000ull;

	/* lea 0x...3000,%rax; lea 0x...2000,%rdx; the same; cmove; ret */
	CHOOSES(at, true, 2, at + 0x1000, at + 0x2000, 0x48, 0x8d, 0x05, 0xf9,
		0x1f, 0, 0, 0x48, 0x8d, 0x15, 0xf2, 0x0f, 0, 0, 0x48, 0x8d,
		0x0d, 0xeb, 0x0f, 0, 0, 0x48, 0x0f, 0x44, 0xc2, 0xc3);
	/* Its own address; one that is amid a function; a load. */
	CHOOSES(at, false, 0, 0, 0, 0x48, 0x8d, 0x05, 0xf9, 0xff, 0xff, 0xff,
		0x48, 0x8d, 0x05, 0xf3, 0x1f, 0, 0, 0x48, 0x8b, 0x05, 0xeb,
		0x1f, 0, 0, 0xc3);
	/* call *(%rax), jmp far away: the address may come from there */
	CHOOSES(at, false, 1, at + 0x2000, 0, 0x48, 0x8d, 0x05, 0xf9, 0x1f, 0,
		0, 0xff, 0x10, 0xc3);
	CHOOSES(at, false, 1, at + 0x2000, 0, 0x48, 0x8d, 0x05, 0xf9, 0x1f, 0,
		0, 0xe9, 0x00, 0x10, 0, 0);
	/* A call of a function that looks at the processor; a branch. */
	CHOOSES(at, true, 1, at + 0x2000, 0, 0xe8, 0xfb, 0x0f, 0, 0, 0x74, 0x07,
		0x48, 0x8d, 0x05, 0xf2, 0x1f, 0, 0, 0xc3);
	/* mov $0x402000,%eax, where addresses are small */
	CHOOSES(0x401000, true, 1, 0x402000, 0, 0xb8, 0x00, 0x20, 0x40, 0x00,
		0xc3);
	CHOOSES(at, false, 0, 0, 0, 0xb8, 0x00, 0x20, 0x40, 0x00, 0xc3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forward),
		cmocka_unit_test(test_beta),
		cmocka_unit_test(test_loop_at_top),
		cmocka_unit_test(test_call),
		cmocka_unit_test(test_jump_to_end),
		cmocka_unit_test(test_syscall),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_union),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_border),
		cmocka_unit_test(test_hop_last),
		cmocka_unit_test(test_hop_call),
		cmocka_unit_test(test_odd),
		cmocka_unit_test(test_neighbour),
		cmocka_unit_test(test_label),
		cmocka_unit_test(test_planted),
		cmocka_unit_test(test_switch_plain),
		cmocka_unit_test(test_goto_table),
		cmocka_unit_test(test_calls_table),
		cmocka_unit_test(test_goto_bare),
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_chosen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
