/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_x86_tramp.c - small functions, patched in this process: they compute
 * what they did, with all registers, flags and the red zone as they were, and
 * their probes are counted.  Handlers here are made by hand; one counts in
 * place, one is called and spoils every register it has saved.  System calls
 * go through the dispatchers to a table of this test, and the blob's functions
 * are counters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#include "engine/x86/test/x86_run.h"
#include "engine/x86/x86_emit.h"

#define TEXT 0x200010000000ull
#define REGION 0x200030000000ull
#define SIZE 65536u
#define ROUNDS 200
#define NSITES 8

static uint8_t *text, *region;
static uint64_t count[NSITES]; /* by site */
static struct x86_buf b;       /* of the region */
static struct x86_target target;
static struct rtn_shared shared;
static struct rtn_table table;
static struct rtn_sys *sys;
static struct rt *slot;
static uint64_t homes, sought, exited, execed, forks, forked, looked;

/* ---- what the room is given by others ------------------------------------ */

const struct rtn_image rtn_image = {
	.off = { [RTN_FN_home] = 0, [RTN_FN_home_look] = 64,
		 [RTN_FN_thread_exit] = 128, [RTN_FN_exec] = 192,
		 [RTN_FN_fork] = 256, [RTN_FN_forked] = 320,
		 [RTN_FN_look] = 384 }
};

/* inc qword [count + site * 8], by no register. */
void
x86_handler_inline(struct x86_buf *buf, const struct x86_target *t,
		   const struct x86_handler *h, uint32_t site)
{
	uint64_t at = (uint64_t)(uintptr_t)&count[site];

	if ((h->saves & X86_R(X86_RAX)) != 0) {
		x86_mov_ri(buf, X86_RAX, at);
		x86_inc_m(buf, 8, x86_m(X86_RAX, 0));
		return;
	}
	x86_push(buf, X86_RDX);
	x86_mov_ri(buf, X86_RDX, at);
	x86_inc_m(buf, 8, x86_m(X86_RDX, 0));
	x86_pop(buf, X86_RDX);
}

static struct x86_handler in_place = { .inl = true,
				       .inl_size = 32,
				       .saves = X86_R(X86_RAX) };
static struct x86_handler no_saves = { .inl = true, .inl_size = 32 };
static struct x86_handler called = { .saves = 0xffefu }; /* all but rsp */

/* A function of the blob: counts, and gives *result. */
static void
make_blob(enum rtn_fn fn, uint64_t *counter, uint64_t result)
{
	struct x86_buf f = b;

	f.n = rtn_image.off[fn];
	f.cap = f.n + 64;
	x86_mov_ri(&f, X86_RCX, (uint64_t)(uintptr_t)counter);
	x86_inc_m(&f, 8, x86_m(X86_RCX, 0));
	x86_mov_ri(&f, X86_RAX, result);
	x86_mov_ri(&f, X86_R10, 1);
	x86_mov_ri(&f, X86_R11, 2);
	x86_ret(&f);
	assert_false(f.full);
}

static uint64_t
fsbase(void)
{
	uint64_t v;

	__asm__("mov %%fs:0,%0" : "=r"(v));
	return v;
}

/* The home of this thread, as rt_native.h says. */
static struct rtn_home *
home(void)
{
	return &table.home[rtn_home_index(fsbase())];
}

/* Where another home with our slot is, as the blob says it. */
static uint64_t
home_apart(void)
{
	struct rtn_home *h = &table.home[rtn_home_index(fsbase()) ^ 1];

	h->rt = (uint64_t)(uintptr_t)slot;
	return (uint64_t)((char *)h - (char *)table.home) + 1;
}

static int
setup(void **state)
{
	uint64_t ignored_at;

	text = run_map(TEXT, SIZE);
	region = run_map(REGION, SIZE);
	sys = calloc(RTN_NSYS, sizeof(*sys));
	slot = calloc(1, sizeof(*slot));
	if (text == NULL || region == NULL || sys == NULL || slot == NULL)
		return -1;
	memset(region, 0xcc, SIZE);
	b = (struct x86_buf){ region, 448, SIZE, REGION, false };
	shared.self = (uint64_t)(uintptr_t)&shared;
	shared.table = (uint64_t)(uintptr_t)&table;
	shared.sys = (uint64_t)(uintptr_t)sys;
	target = (struct x86_target){ .sh = &shared, .blob = REGION };
	make_blob(RTN_FN_home, &homes, home_apart());
	make_blob(RTN_FN_home_look, &sought, 0);
	make_blob(RTN_FN_thread_exit, &exited, 0);
	make_blob(RTN_FN_exec, &execed, 0);
	make_blob(RTN_FN_fork, &forks, 0);
	make_blob(RTN_FN_forked, &forked, 0);
	make_blob(RTN_FN_look, &looked, 0);
	called.code = run_spoiler(&b, count);
	ignored_at = x86_here(&b);
	x86_sys_stubs(&b, &target);
	assert_true(x86_here(&b) - ignored_at <= X86_SYS_STUBS_SIZE);
	return b.full ? -1 : 0;
}

static int
teardown(void **state)
{
	free(sys);
	free(slot);
	return 0;
}

/* ---- patching ------------------------------------------------------------ */

struct subject {
	const char *bytes;
	uint32_t len;	 /* of all of it */
	uint32_t at, win; /* the window */
};

static struct x86_moved moved[X86_MOVED_MAX];
static size_t nmoved;

/* The subject at TEXT + 4096, and, patched, at TEXT. */
static void
patch(const struct subject *s, const struct x86_point *p, size_t np)
{
	struct err e = { 0 };
	size_t was = b.n;
	uint64_t to;

	memcpy(text + 4096, s->bytes, s->len);
	memcpy(text, s->bytes, s->len);
	to = x86_tramp(&b, &target, text + s->at, TEXT + s->at, s->win, p, np,
		       moved, &nmoved, &e);
	if (to == 0)
		fail_msg("%s", e.msg);
	assert_true(b.n - was <= x86_tramp_size(s->win, p, np));
	assert_true(x86_jmp(text + s->at, s->win, TEXT + s->at, to));
	memset(count, 0, sizeof(count));
}

static void
same(uint64_t seed)
{
	struct run_regs r, q;

	for (unsigned i = 0; i < ROUNDS; i++) {
		run_fill(&r, &seed);
		q = r;
		run_code(text + 4096, &r);
		run_code(text, &q);
		assert_memory_equal(&r, &q, sizeof(r));
	}
}

/* ---- functions ----------------------------------------------------------- */

/* push rbp; mov rbp, rsp; lea rax, [rdi + rsi]; pop rbp; ret; int3 ... */
static const struct subject plain = {
	"\x55\x48\x89\xe5\x48\x8d\x04\x37\x5d\xc3\xcc\xcc\xcc\xcc", 14, 0, 8
};

static void
test_entry(void **state)
{
	const struct x86_point p[] = {
		{ .at = 0, .h = &in_place, .site = 0, .kind = X86_AT_ENTRY },
		{ .at = 0, .h = &called, .site = 1, .kind = X86_AT_ENTRY },
		{ .at = 0, .h = &no_saves, .site = 2, .kind = X86_AT_ENTRY },
	};
	struct run_regs r = { .flags = 0x202 };
	uint64_t seed = 7;

	patch(&plain, p, 3);
	for (unsigned i = 0; i < ROUNDS; i++) {
		run_fill(&r, &seed);
		struct run_regs q = r;
		run_code(text, &r);
		q.r[X86_RAX] = q.r[X86_RDI] + q.r[X86_RSI];
		assert_memory_equal(q.r, r.r, sizeof(r.r));
	}
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(count[i], ROUNDS);
	assert_int_equal(nmoved, 3);
	assert_int_equal(moved[1].from, TEXT + 1);
	assert_int_equal(moved[2].from, TEXT + 4);
	assert_true(moved[1].to > moved[0].to);
}

static void
test_return(void **state)
{
	const struct x86_point p[] = {
		{ .at = 1, .h = &called, .site = 3, .kind = X86_AT_RETURN },
	};
	struct subject s = plain;
	struct run_regs r, q;
	uint64_t seed = 9;

	s.at = 8; /* pop rbp; ret; padding */
	s.win = 6;
	patch(&s, p, 1);
	for (unsigned i = 0; i < ROUNDS; i++) {
		run_fill(&r, &seed);
		q = r;
		run_code(text, &r);
		run_code(text + 4096, &q);
		assert_memory_equal(q.r, r.r, sizeof(r.r));
	}
	assert_int_equal(count[3], ROUNDS);
	assert_int_equal(nmoved, 2); /* and no more: the rest is padding */
}

/* Way out by a conditional jump: probed if it is taken, and only then. */
static void
leaves(const char *jump, uint32_t len, const char *expect, uint32_t nexpect,
       unsigned reg, uint64_t taken, uint64_t not_taken)
{
	static const char after[] = "\x31\xc0\xc3\x90"; /* xor eax, eax; ret */
	struct x86_point p[] = {
		{ .at = 0, .h = &no_saves, .site = 4, .kind = X86_AT_RETURN },
		{ .at = 0, .h = &called, .site = 5, .kind = X86_AT_RETURN },
		{ .at = 0, .insn = true, .h = &called, .site = 6,
		  .kind = X86_AT_INSN },
	};
	struct run_regs r = { .flags = 0x202 };
	char bytes[16] = { 0 };
	const struct subject s = { bytes, 16, 0, len < 5 ? len + 3 : len };
	size_t first = b.n;

	memcpy(bytes, jump, len);
	memcpy(bytes + len, after, 4);
	memcpy(bytes + 11, "\x89\xf8\xc3", 3); /* mov eax, edi; ret */
	/* without the probe at the instruction: the bytes as they are to be */
	patch(&s, p, 1);
	assert_memory_equal(region + first, expect, nexpect);
	patch(&s, p, 3);
	r.flags = 0x202 | (reg == X86_NONE ? taken : 0);
	r.r[X86_RDI] = 77;
	if (reg != X86_NONE)
		r.r[reg] = taken;
	run_code(text, &r);
	assert_int_equal(r.r[X86_RAX], 77);
	assert_int_equal(count[4] + count[5], 2);
	r.flags = 0x202 | (reg == X86_NONE ? not_taken : 0);
	if (reg != X86_NONE)
		r.r[reg] = not_taken;
	run_code(text, &r);
	assert_int_equal(r.r[X86_RAX], 0);
	assert_int_equal(count[4] + count[5], 2);
	assert_int_equal(count[6], 2);
	assert_int_equal(moved[0].from, TEXT);
}

static void
test_leave(void **state)
{
	/* jz: jnz over; push rdx ... */
	leaves("\x74\x09", 2, "\x0f\x85", 2, X86_NONE, 0x40, 0);
	/* jnb, long */
	leaves("\x0f\x83\x05\0\0\0", 6, "\x0f\x82", 2, X86_NONE, 0, 1);
	/* jrcxz: jrcxz +5; jmp over; push rdx */
	leaves("\xe3\x09", 2, "\xe3\x05\xe9", 3, X86_RCX, 0, 1);
}

/* The same behind another instruction of the window:
   test edi, edi; jz 1f; xor eax, eax; ret ...; 1: push 7; pop rax; ret */
static void
test_leave_later(void **state)
{
	static const struct subject s = {
		"\x85\xff\x74\x07\x31\xc0\xc3\xc3\xc3\xc3\xc3"
		"\x6a\x07\x58\xc3",
		15, 0, 6
	};
	const struct x86_point p[] = {
		{ .at = 2, .h = &called, .site = 0, .kind = X86_AT_RETURN },
	};
	struct run_regs r = { .flags = 0x202 };

	patch(&s, p, 1);
	run_code(text, &r);
	assert_int_equal(r.r[X86_RAX], 7);
	assert_int_equal(count[0], 1);
	r.r[X86_RDI] = 1;
	run_code(text, &r);
	assert_int_equal(r.r[X86_RAX], 0);
	assert_int_equal(count[0], 1);
}

/*
 * Values in the red zone and flags are live across every instruction:
 * mov [rsp - 8], rdi; mov [rsp - 128], rsi; cmp rdi, rsi; mov rcx, rdx;
 * mov rax, [rsp - 8]; sbb rax, [rsp - 128]; ret
 */
static const struct subject zone = {
	"\x48\x89\x7c\x24\xf8\x48\x89\x74\x24\x80\x48\x39\xf7\x48\x89\xd1"
	"\x48\x8b\x44\x24\xf8\x48\x1b\x44\x24\x80\xc3",
	27, 5, 16
};

static void
test_anywhere(void **state)
{
	struct x86_point p[12];
	struct x86_handler *h[] = { &in_place, &called, &no_saves };
	static const uint32_t at[] = { 0, 5, 8, 11 };

	for (unsigned i = 0; i < 12; i++)
		p[i] = (struct x86_point){ .at = at[i / 3],
					   .insn = true,
					   .h = h[i % 3],
					   .site = i / 3,
					   .kind = X86_AT_INSN };
	patch(&zone, p, 12);
	same(11);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(count[i], 3 * ROUNDS);
}

/* Each flag alone survives: OF is the one that lahf does not take. */
static void
test_flags(void **state)
{
	static const struct subject nops = { "\x90\x90\x90\x90\x90\xc3", 6, 0,
					     5 };
	const struct x86_point p[] = {
		{ .at = 1, .insn = true, .h = &called, .kind = X86_AT_INSN },
	};

	patch(&nops, p, 1);
	same(13);
	for (uint64_t f = 1; f < 0x1000; f <<= 1) {
		struct run_regs r = { .flags = (f & RUN_FLAGS) | 0x202 };
		run_code(text, &r);
		assert_int_equal(r.flags & RUN_FLAGS, f & RUN_FLAGS);
	}
}

/* Points together need one save: flags once, registers once. */
static void
test_shared_save(void **state)
{
	const struct x86_point p[] = {
		{ .at = 0, .h = &in_place, .site = 0, .kind = X86_AT_ENTRY },
		{ .at = 0, .h = &in_place, .site = 1, .kind = X86_AT_ENTRY },
	};
	size_t was = b.n;

	patch(&plain, p, 2);
	for (size_t i = was + 1; i < b.n; i++) /* push rax, pop rax: once */
		assert_false(region[i] == 0x58 && region[i + 1] == 0x50);
	assert_int_equal(region[was], 0x50);
}

static void
test_call(void **state)
{
	/* call +3; nop; ret; nop; nop; f: mov rax, [rsp]; ret */
	static const struct subject call = {
		"\xe8\x04\0\0\0\x90\xc3\x90\x90\x48\x8b\x04\x24\xc3", 14, 0, 5
	};
	const struct x86_point p[] = {
		{ .at = 0, .h = &called, .site = 0, .kind = X86_AT_ENTRY },
	};
	struct run_regs r = { .flags = 0x202 };

	patch(&call, p, 1);
	run_code(text, &r);
	assert_int_equal(r.r[X86_RAX], TEXT + 5);
	assert_int_equal(count[0], 1);
}

static void
test_refused(void **state)
{
	struct x86_handler bad = { .code = REGION };
	struct x86_point p[] = { { .h = &bad, .kind = X86_AT_ENTRY } };
	struct x86_buf small = { text + 8192, 0, 8, TEXT + 8192, false };
	uint8_t bytes[8];
	struct err e = { 0 };

	assert_int_equal(x86_tramp(&b, &target,
				   (const uint8_t *)plain.bytes, TEXT, 8, p, 1,
				   moved, &nmoved, &e), 0);
	assert_true(err_is_set(&e));
	err_clear(&e);
	p[0].h = NULL;
	assert_int_equal(x86_tramp(&b, &target,
				   (const uint8_t *)plain.bytes, TEXT, 8, p, 1,
				   moved, &nmoved, &e), 0);
	assert_true(err_is_set(&e));
	err_clear(&e);
	assert_int_equal(x86_tramp(&small, &target,
				   (const uint8_t *)plain.bytes, TEXT, 8, NULL,
				   0, moved, &nmoved, &e), 0);
	assert_true(err_is_set(&e));
	assert_false(x86_jmp(bytes, 4, TEXT, REGION));
	assert_false(x86_jmp(bytes, 5, TEXT, TEXT + (1ull << 32)));
	assert_true(x86_jmp(bytes, 7, TEXT, TEXT + 16));
	assert_memory_equal(bytes, "\xe9\x0b\0\0\0\x66\x90", 7);
}

/* Rooms are before what jumps away or calls the kernel, unless it is the first
   instruction, and behind what calls the kernel; each in one page. */
static void
test_rooms(void **state)
{
	/* push %rbp; syscall; ret */
	static const uint8_t bytes[] = { 0x55, 0x0f, 0x05, 0xc3 };
	static const struct x86_room want[] = { { .at = 1 },
						{ .at = 1, .after = true },
						{ .at = 3 } };
	const uint64_t was = b.n;
	struct x86_rooms r;
	struct err e = { 0 };

	for (uint32_t k = 0; k < 16; k++) {
		b.n = ((was | 4095) + 1) - k;
		assert_int_not_equal(x86_tramp_rooms(&b, &target, bytes, TEXT,
						     sizeof(bytes), NULL, 0,
						     moved, &nmoved, &r, &e),
				     0);
		assert_int_equal(r.n, 3);
		for (size_t i = 0; i < r.n; i++) {
			uint64_t at = r.v[i].addr;

			assert_int_equal(r.v[i].at, want[i].at);
			assert_int_equal(r.v[i].after, want[i].after);
			assert_int_equal(at / 4096,
					 (at + X86_ROOM_SIZE - 1) / 4096);
			assert_memory_equal(b.p + (at - b.base),
					    "\x0f\x1f\x44\0\0", X86_ROOM_SIZE);
		}
	}
	assert_int_not_equal(x86_tramp_rooms(&b, &target, bytes + 3, TEXT, 1,
					     NULL, 0, moved, &nmoved, &r, &e),
			     0);
	assert_int_equal(r.n, 0);
	b.n = was;
}

/* ---- system calls -------------------------------------------------------- */

/* nop; nop; nop; syscall; ret */
static const struct subject call_kernel = { "\x90\x90\x90\x0f\x05\xc3", 6, 0,
					    5 };

static const struct x86_point dispatched[] = {
	{ .at = 3, .kind = X86_AT_SYSENTRY },
	{ .at = 3, .after = true, .kind = X86_AT_SYSRETURN },
};

/* A system call, with all registers looked at. */
static void
call_with(uint64_t nr, uint64_t rdi, uint64_t rsi, int64_t want)
{
	uint64_t seed = nr + 1;
	struct run_regs r, q;

	run_fill(&r, &seed);
	r.r[X86_RAX] = nr;
	r.r[X86_RDI] = rdi;
	r.r[X86_RSI] = rsi;
	r.r[X86_RDX] = (uint64_t)-1;
	q = r;
	run_code(text, &r);
	assert_int_equal((int64_t)r.r[X86_RAX], want);
	q.r[X86_RAX] = r.r[X86_RAX];
	q.r[X86_RCX] = r.r[X86_RCX];
	q.r[X86_R11] = r.r[X86_R11];
	assert_memory_equal(q.r, r.r, sizeof(q.r));
	assert_int_equal(q.flags & RUN_FLAGS, r.flags & RUN_FLAGS);
}

/* One that fails at once. */
static void
call_nr(uint64_t nr, int64_t want)
{
	call_with(nr, (uint64_t)-1, (uint64_t)-1, want);
}

/* Thunks for a number: sites are those of `count`. */
static void
serve(uint64_t nr, const struct x86_handler *h, int entry, int ret,
      uint32_t special)
{
	memset(&sys[nr], 0, sizeof(sys[nr]));
	sys[nr].special = special | (ret >= 0 ? RTN_SYS_RETURNS : 0);
	if (entry >= 0) {
		sys[nr].entry = x86_here(&b) - REGION;
		x86_sys_thunk(&b, &target, h, (uint32_t)entry, true);
	}
	if (ret >= 0) {
		sys[nr].ret = x86_here(&b) - REGION;
		x86_sys_thunk(&b, &target, h, (uint32_t)ret, true);
	}
}

static void
test_dispatch(void **state)
{
	patch(&call_kernel, dispatched, 2);
	memset(home(), 0, sizeof(*home()));
	homes = sought = 0;
	serve(SYS_getppid, &in_place, 0, -1, 0);
	serve(SYS_close, &called, 1, 2, 0);
	serve(SYS_dup, &called, -1, 3, 0);
	call_nr(SYS_getppid, getppid());
	call_nr(SYS_getpid, getpid());
	call_nr(SYS_close, -9);
	assert_int_equal(count[0], 1);
	assert_int_equal(count[1], 1);
	assert_int_equal(homes, 1);    /* not found by its base, */
	assert_int_equal(sought, 3);   /* nor otherwise when it came back */
	assert_int_equal(count[2], 0);
	make_blob(RTN_FN_home_look, &sought, home_apart());
	call_nr(SYS_close, -9);
	assert_int_equal(homes, 2);
	assert_int_equal(sought, 4);
	assert_int_equal(count[1], 2);
	assert_int_equal(count[2], 1);
	make_blob(RTN_FN_home_look, &sought, 0);
	*home() = (struct rtn_home){ fsbase() + 1,
				     (uint64_t)(uintptr_t)slot };
	call_nr(SYS_close, -9);
	call_nr(SYS_dup, -9);
	call_nr(SYS_getppid, getppid());
	call_nr(100000, -38);
	assert_int_equal(homes, 2);
	assert_int_equal(sought, 4);
	assert_int_equal(count[0], 2);
	assert_int_equal(count[1], 3);
	assert_int_equal(count[2], 2);
	assert_int_equal(count[3], 1);
	assert_int_equal(nmoved, 5);
	assert_int_equal(moved[4].from, TEXT + 5);
	/* two bytes before where such a thread goes on is its system call */
	assert_memory_equal(region + (moved[4].to - REGION) - 2, "\x0f\x05", 2);
}

/* A call that was overtaken by another one does not return by its name. */
static void
test_overtaken(void **state)
{
	patch(&call_kernel, dispatched, 2);
	serve(SYS_close, &called, 1, 2, 0);
	*home() = (struct rtn_home){ fsbase() + 1,
				     (uint64_t)(uintptr_t)slot };
	slot->sysno = SYS_close + 1;
	slot->sys_sp = 0x1234;
	call_nr(SYS_getppid, getppid());
	assert_int_equal(count[2], 0);
	call_nr(SYS_close, -9);
	assert_int_equal(count[2], 1);
	assert_int_equal(slot->sysno, 0);
}

static void
test_last(void **state)
{
	patch(&call_kernel, dispatched, 2);
	exited = execed = 0;
	serve(SYS_execve, &called, 1, 2, RTN_SYS_EXEC);
	serve(SYS_execveat, &called, -1, -1, RTN_SYS_EXEC);
	/* its number stands for one that would end the test */
	serve(SYS_close, &called, 3, -1, RTN_SYS_EXIT);
	call_nr(SYS_execve, -14);
	call_nr(SYS_execveat, -14);
	call_nr(SYS_close, -9);
	assert_int_equal(execed, 2);
	assert_int_equal(exited, 1);
	assert_int_equal(count[1], 1);
	assert_int_equal(count[2], 1);
	assert_int_equal(count[3], 1);
}

/* Calls that make somebody, and who comes back from them. */
static void
test_made(void **state)
{
	patch(&call_kernel, dispatched, 2);
	memset(home(), 0, sizeof(*home()));
	memset(count, 0, sizeof(count));
	serve(SYS_clone, &called, 0, 1, RTN_SYS_FORK);
	forks = forked = 0;
	call_nr(SYS_clone, -22);
	assert_int_equal(forks, 1);
	assert_int_equal(forked, 0);
	assert_int_equal(count[0], 1);
	/* A thread that nobody knows, with 0, at a place of such a call. */
	call_nr(SYS_sched_yield, 0);
	assert_int_equal(count[1], 0);
	shared.fresh_at[1] = (uint32_t)(TEXT + 3);
	call_nr(SYS_sched_yield, 0);
	call_nr(SYS_getppid, getppid());
	assert_int_equal(count[1], 1);
	*home() = (struct rtn_home){ fsbase() + 1,
				     (uint64_t)(uintptr_t)slot };
	slot->sysno = 0;
	call_nr(SYS_sched_yield, 0);
	assert_int_equal(count[1], 1);
	shared.nforks = 1;
	call_nr(SYS_sched_yield, 0);
	assert_int_equal(forked, 1);
	shared.nforks = 0;
	shared.fresh_at[1] = 0;
}

/* Calls that others must know of are made, and probed, all the same. */
static void
test_look(void **state)
{
	patch(&call_kernel, dispatched, 2);
	*home() = (struct rtn_home){ fsbase() + 1, (uint64_t)(uintptr_t)slot };
	looked = 0;
	serve(SYS_close, &called, 1, 2, RTN_SYS_LOOK);
	serve(SYS_getppid, &called, -1, -1, RTN_SYS_LOOK);
	call_nr(SYS_close, -9);
	call_nr(SYS_getppid, getppid());
	assert_int_equal(looked, 2);
	assert_int_equal(count[1], 1);
	assert_int_equal(count[2], 1);
}

/* Handlers of one number, without the table. */
static void
test_direct(void **state)
{
	const struct x86_point p[] = {
		{ .at = 3, .h = &called, .site = 0, .kind = X86_AT_SYSENTRY },
		{ .at = 3, .after = true, .h = &in_place, .site = 1,
		  .kind = X86_AT_SYSRETURN },
	};

	patch(&call_kernel, p, 2);
	call_nr(SYS_getppid, getppid());
	assert_int_equal(count[0], 1);
	assert_int_equal(count[1], 1);
}

/* Without a look at the flags: who ends needs none. */
static void
call_getppid(void)
{
	uint64_t seed = 1;
	struct run_regs r;

	run_fill(&r, &seed);
	r.r[X86_RAX] = SYS_getppid;
	run_code(text, &r);
	assert_int_equal(r.r[X86_RAX], getppid());
}

/* Where the thread may have no stack its probe has one of ours. */
static void
test_stack_gone(void **state)
{
	struct x86_point p = { .at = 3,
			       .h = &called,
			       .site = 0,
			       .kind = X86_AT_SYSENTRY,
			       .stack = X86_STACK_GONE };

	patch(&call_kernel, &p, 1);
	memset(shared.last, 0, sizeof(shared.last));
	shared.last[0].lent = 1;
	shared.no_slot = 0;
	call_getppid();
	assert_int_equal(count[0], 1);
	assert_int_equal(shared.last[1].lent, 0);
	assert_int_not_equal(shared.last[1].sp, 0);
	assert_int_equal(shared.last[2].sp, 0);
	assert_int_equal(shared.no_slot, 0);
	for (int i = 0; i < RTN_NLAST; i++)
		shared.last[i].lent = 1;
	call_getppid();
	assert_int_equal(count[0], 1);
	assert_int_equal(shared.no_slot, 1);
	memset(shared.last, 0, sizeof(shared.last));
	p.stack = X86_STACK_BARE;
	patch(&call_kernel, &p, 1);
	shared.seccomp = 1;
	call_getppid();
	shared.seccomp = 0;
	assert_int_equal(count[0], 0);
	call_getppid();
	assert_int_equal(count[0], 1);
}

/* The return from munmap(2), which does not fire if it took the stack. */
static void
test_stack_unmapped(void **state)
{
	const struct x86_point p = { .at = 3,
				     .after = true,
				     .h = &called,
				     .site = 0,
				     .kind = X86_AT_SYSRETURN,
				     .stack = X86_STACK_UNMAPPED };
	/* Near enough to say that it was: these calls unmap nothing. */
	const uint64_t sp = (uintptr_t)__builtin_frame_address(0);
	const uint64_t big = 1 << 20;

	patch(&call_kernel, &p, 1);
	call_with(SYS_getppid, sp - big, 2 * big, getppid());
	call_with(SYS_getppid, sp - big, big - 4096, getppid());
	assert_int_equal(count[0], 0);
	call_with(SYS_getppid, sp - big, big / 2, getppid());
	call_with(SYS_getppid, sp + big, big, getppid());
	assert_int_equal(count[0], 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entry),
		cmocka_unit_test(test_return),
		cmocka_unit_test(test_leave),
		cmocka_unit_test(test_leave_later),
		cmocka_unit_test(test_anywhere),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_shared_save),
		cmocka_unit_test(test_call),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_dispatch),
		cmocka_unit_test(test_overtaken),
		cmocka_unit_test(test_last),
		cmocka_unit_test(test_made),
		cmocka_unit_test(test_look),
		cmocka_unit_test(test_direct),
		cmocka_unit_test(test_rooms),
		cmocka_unit_test(test_stack_gone),
		cmocka_unit_test(test_stack_unmapped),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
