/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_x86_copy.c - functions copied as a whole and run: they compute what the
 * originals do, with all registers as they were, and their probes
 * fire as often as their instructions are reached.  Functions are written in
 * assembly, or at random.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "engine/x86/test/x86_run.h"
#include "engine/x86/x86_emit.h"

#define TEXT   0x200010000000ull /* what is patched; 8192 on: as it was */
#define SAFE   8192u
#define OTHER  4096u /* another function, in both */
#define REGION 0x200030000000ull
#define SIZE   (1u << 20)
#define ROUNDS 200
#define MAXPTS 2048

enum { S_ENTRY, S_RETURN, S_INSN, NSITES };

static uint8_t *text, *region;
static uint64_t count[NSITES]; /* by site */
static struct x86_buf b;       /* of the region */
static struct x86_target target;
static struct rtn_shared shared;
static uint64_t alien; /* where somebody else goes into; 0: nowhere */

/* ---- what the room is given by others ------------------------------------ */

const struct rtn_image rtn_image;

/* inc qword [count + site * 8] */
void
x86_handler_inline(struct x86_buf *buf, const struct x86_target *t,
		   const struct x86_handler *h, uint32_t site)
{
	x86_mov_ri(buf, X86_RAX, (uint64_t)(uintptr_t)&count[site]);
	x86_inc_m(buf, 8, x86_m(X86_RAX, 0));
}

static struct x86_handler in_place = { .inl = true,
				       .inl_size = 32,
				       .saves = X86_R(X86_RAX) };
static struct x86_handler called = { .saves = 0xffefu }; /* all but rsp */

static int
setup(void **state)
{
	text = run_map(TEXT, 2 * SAFE);
	region = run_map(REGION, SIZE);
	if (text == NULL || region == NULL)
		return -1;
	target = (struct x86_target){ .sh = &shared, .blob = REGION };
	return 0;
}

/* ---- the world ----------------------------------------------------------- */

static const uint8_t *
t_bytes(void *arg, uint64_t addr, size_t n)
{
	return addr - TEXT < SAFE && n <= SAFE - (addr - TEXT) ?
		       text + SAFE + (addr - TEXT) :
		       NULL;
}

static bool
t_is_fn(void *arg, uint64_t addr)
{
	return addr == TEXT || addr == TEXT + OTHER;
}

static bool
t_entered(void *arg, uint64_t lo, uint64_t hi, size_t i, uint64_t *addr)
{
	*addr = alien;
	return i == 0 && alien >= lo && alien < hi;
}

static const struct code_world world = { .bytes = t_bytes,
					 .is_fn = t_is_fn,
					 .entered = t_entered,
					 .knows_jumps = true };

/* ---- copying ------------------------------------------------------------- */

/* A function of the assembler's. */
#define CODE(name, text_)                                            \
	extern const char name[], name##_end[];                      \
	__asm__(".text\n.balign 16\n" #name ":\n" text_ #name "_end:\n" \
		"int3\n")
#define LEN(name) ((uint32_t)((name##_end) - (name)))

static struct x86_moved moved[X86_MOVED_MAX];
static size_t nmoved;
static struct x86_point points[MAXPTS];
static size_t npoints;
static struct code_fn fn;

/* The function at TEXT and, for good, at TEXT + SAFE; its analysis. */
static const char *
put(const void *code, uint32_t len)
{
	struct code_part part = { TEXT, len };
	struct err e = { 0 };

	memset(text, 0xcc, 2 * SAFE);
	memcpy(text, code, len);
	memcpy(text + OTHER, "\x89\xf8\xc3", 3); /* mov eax, edi; ret */
	memcpy(text + SAFE, text, SAFE);
	code_fn_fini(&fn);
	if (code_fn_analyse(&world, &part, 1, &fn, &e) != 0)
		fail_msg("%s", e.msg);
	return x86_copy_refused(&world, &fn);
}

static void
point(uint64_t addr, const struct x86_handler *h, enum x86_at kind,
      uint32_t site)
{
	assert_true(npoints < MAXPTS);
	points[npoints++] = (struct x86_point){ .at = (uint32_t)(addr - TEXT),
						.insn = kind == X86_AT_INSN,
						.h = h,
						.site = site,
						.kind = kind };
}

/* Probes of the entry and the ways out, and, if each, of all instructions. */
static void
probe(bool each)
{
	size_t o = 0;

	npoints = 0;
	point(TEXT, &called, X86_AT_ENTRY, S_ENTRY);
	for (size_t i = 0; i < fn.insns.n; i++) {
		uint64_t at = fn.insns.v[i];

		if (each)
			point(at, i % 2 != 0 ? &called : &in_place, X86_AT_INSN,
			      S_INSN);
		if (o < fn.outs.n && fn.outs.v[o].addr == at) {
			point(at, &in_place, X86_AT_RETURN, S_RETURN);
			o++;
		}
	}
	assert_int_equal(o, fn.outs.n);
}

/* Copy what put() has put, and lead its entry to the copy. */
static void
copy(bool each)
{
	uint32_t len = (uint32_t)fn.part[0].size;
	struct code_window w;
	struct err e = { 0 };
	uint64_t to;
	size_t was;

	memset(region, 0xcc, SIZE);
	b = (struct x86_buf){ region, 256, SIZE, REGION, false };
	called.code = run_spoiler(&b, count);
	probe(each);
	code_fn_window(&world, &fn, TEXT, &w);
	assert_int_equal(w.kind, CODE_WIN_JMP);
	was = b.n;
	to = x86_copy(&b, &target, text + SAFE, TEXT, len, w.len, points,
		      npoints, moved, &nmoved, &e);
	if (to == 0)
		fail_msg("%s", e.msg);
	assert_true(b.n - was <= x86_copy_size(text + SAFE, TEXT, len, points,
					       npoints));
	memset(text, 0xcc, len); /* nothing may come back */
	assert_true(x86_jmp(text, w.len, TEXT, to));
	memset(count, 0, sizeof(count));
}

/* Both with the same registers; `mask` leaves so much of rcx. */
static void
same(uint64_t seed, uint64_t mask)
{
	struct run_regs r, q;

	for (unsigned i = 0; i < ROUNDS; i++) {
		run_fill(&r, &seed);
		r.r[X86_RCX] &= mask;
		q = r;
		run_code(text + SAFE, &r);
		run_code(text, &q);
		assert_memory_equal(r.r, q.r, sizeof(r.r));
	}
}

static void
copied(const void *code, uint32_t len, uint64_t entries)
{
	for (int each = 0; each < 2; each++) {
		const char *why = put(code, len);

		if (why != NULL)
			fail_msg("%s", why);
		copy(each != 0);
		same(len + (unsigned)each, 31);
		if (entries != 0)
			assert_int_equal(count[S_ENTRY], entries);
		assert_int_equal(count[S_RETURN], ROUNDS);
		assert_true((count[S_INSN] != 0) == (each != 0));
	}
}

/* ---- functions ----------------------------------------------------------- */

/* Ways out alone between targets, as in string functions. */
CODE(scan, "mov %rdi,%rax\n and $15,%ecx\n xor %r8d,%r8d\n"
	   "1: test %ecx,%ecx\n jz 3f\n 2: add %rcx,%rax\n dec %ecx\n"
	   "cmp $7,%ecx\n je 4f\n adc $0,%r8\n jmp 1b\n"
	   "3: ret\n 4: ret\n");
/* Back to the entry itself, and by instructions without a negation. */
CODE(top, "lea 1(%rdx,%rcx),%rdx\n dec %rcx\n jns top\n ret\n"
	  ".balign 16\n");
CODE(loops, "and $15,%ecx\n mov $3,%eax\n jrcxz 2f\n"
	    ".balign 16\n 1: lea (%rax,%rax,2),%rax\n loop 1b\n"
	    "cmp %rdi,%rax\n jb 3f\n 2: ret\n 3: mov %rsi,%rcx\n ret\n");
/* Values in the red zone. */
CODE(zone, "mov %rdi,-8(%rsp)\n and $7,%ecx\n mov %rsi,-128(%rsp)\n"
	   "1: add %rcx,-8(%rsp)\n dec %ecx\n jg 1b\n jl 2f\n"
	   "mov -8(%rsp),%rax\n sbb -128(%rsp),%rax\n ret\n"
	   "2: ret\n");

static void
test_rets(void **state)
{
	copied(scan, LEN(scan), ROUNDS);
	copied(zone, LEN(zone), ROUNDS);
}

/* The probe is at the instruction, however it is reached. */
static void
test_top(void **state)
{
	uint64_t n = 0, seed;
	struct run_regs r;

	assert_null(put(top, LEN(top)));
	copy(false);
	seed = 5;
	same(seed, 7);
	for (unsigned i = 0; i < ROUNDS; i++) {
		run_fill(&r, &seed);
		n += (r.r[X86_RCX] & 7) + 1;
	}
	assert_int_equal(count[S_ENTRY], n);
	assert_int_equal(count[S_RETURN], ROUNDS);
}

static void
test_loops(void **state)
{
	copied(loops, LEN(loops), ROUNDS);
}

/* A way out by a conditional jump, and one by a jump, to another function. */
CODE(leaves, "test $1,%cl\n .byte 0x0f,0x84\n .long 4096-(1f-leaves)\n"
	     "1: test $2,%cl\n jz 2f\n ret\n"
	     "2: test $4,%cl\n jz 4f\n .byte 0xe9\n .long 4096-(3f-leaves)\n"
	     "3:\n 4: ret\n");

static void
test_leaves(void **state)
{
	copied(leaves, LEN(leaves), ROUNDS);
}

/* ---- at random ----------------------------------------------------------- */

#define BLOCKS 12

static void
random_alu(struct x86_buf *f, uint64_t *seed)
{
	static const uint8_t regs[] = { X86_RAX, X86_RDX, X86_RBX, X86_RSI,
					X86_RDI, X86_R8,  X86_R12 };
	static const uint8_t ops[] = { X86_ADD, X86_SUB, X86_AND,
				       X86_OR,	X86_XOR, X86_CMP };
	uint64_t v = run_random(seed);
	unsigned d = regs[v % 7], s = regs[(v >> 8) % 7];

	switch ((v >> 16) % 4) {
	case 0:
		x86_alu_ri(f, ops[(v >> 24) % 6], 8, d, (int8_t)(v >> 32));
		break;
	case 1:
		x86_lea(f, d, x86_mi(s, d, 2, (int8_t)(v >> 32)));
		break;
	default:
		x86_alu_rr(f, ops[(v >> 24) % 6], 8, d, s);
		break;
	}
}

/*
 * Blocks that go on to any other, forth, or back as often as rcx allows.
 */
static uint32_t
random_fn(uint8_t *out, size_t cap, uint64_t *seed)
{
	struct x86_buf f = { out, 0, cap, TEXT, false };
	struct x86_label block[BLOCKS + 1] = { { 0 } };

	x86_alu_rr(&f, X86_XOR, 8, X86_RAX, X86_RDI); /* for the window */
	x86_alu_rr(&f, X86_ADD, 8, X86_RDX, X86_RSI);
	for (unsigned i = 0; i < BLOCKS; i++) {
		uint64_t v = run_random(seed);
		unsigned to = i + 1 + (unsigned)((v >> 8) % (BLOCKS - i));

		x86_bind(&f, &block[i]);
		for (unsigned k = 0; k < (v >> 40) % 4; k++)
			random_alu(&f, seed);
		switch (v % 5) {
		case 0:
			x86_jmp_label(&f, &block[to]);
			break;
		case 1:
			x86_ret(&f);
			break;
		case 2:
			x86_dec_r(&f, 8, X86_RCX);
			x86_jcc_label(&f, X86_CC_G,
				      &block[(v >> 16) % (i + 1)]);
			break;
		default:
			x86_jcc_label(&f, (enum x86_cc)((v >> 24) % 16),
				      &block[to]);
			break;
		}
	}
	x86_bind(&f, &block[BLOCKS]);
	x86_ret(&f);
	assert_false(f.full);
	return (uint32_t)f.n;
}

static void
test_random(void **state)
{
	uint8_t code[1024];
	uint64_t seed = 1;
	unsigned refused = 0;

	for (unsigned i = 0; i < 400; i++) {
		uint32_t len = random_fn(code, sizeof(code), &seed);
		const char *why = put(code, len);

		/* The byte before a way out may be that of popf. */
		if (why != NULL && strstr(why, "flags") != NULL)
			refused++;
		else
			copied(code, len, ROUNDS);
	}
	assert_true(refused < 20);
}

/* ---- places -------------------------------------------------------------- */

/* PCs are moved out of the window, and from nowhere else. */
static void
test_moved(void **state)
{
	assert_null(put(scan, LEN(scan)));
	copy(false);
	assert_int_equal(nmoved, 2); /* mov; and */
	assert_int_equal(moved[0].from, TEXT);
	assert_int_equal(moved[1].from, TEXT + 3);
	assert_true(moved[1].to > moved[0].to);
}

/* Aligned heads of loops stay so. */
static void
test_align(void **state)
{
	const uint8_t *p;

	assert_null(put(loops, LEN(loops)));
	copy(false);
	p = memmem(region, b.n, "\x48\x8d\x04\x40", 4); /* lea */
	assert_non_null(p);
	assert_int_equal((uintptr_t)p % 16, 0);
}

/* ---- refusals ------------------------------------------------------------ */

CODE(calls, "push %rax\n call *%rdi\n pop %rcx\n ret\n");
CODE(own, "lea own(%rip),%rax\n ret\n");
CODE(sys, "mov $39,%eax\n syscall\n ret\n");
CODE(trap, "test %edi,%edi\n jz 1f\n ret\n 1: ud2\n");
CODE(away, "test %rdi,%rdi\n jz 1f\n jmp *%rdi\n 1: ret\n");
/* The same, with targets of its own that are not in order. */
CODE(away3, "test %rdi,%rdi\n jz 3f\n js 1f\n jp 2f\n jmp *%rdi\n"
	    "1: inc %eax\n 2: inc %eax\n 3: ret\n");
CODE(far_, "push %rcx\n jmp far_+4100\n");
CODE(on, "test %rdi,%rdi\n jz 1f\n ret\n 1: xor %eax,%eax\n");

static void
refused(const char *code, uint32_t len, const char *expect)
{
	const char *why = put(code, len);

	assert_non_null(why);
	if (strstr(why, expect) == NULL)
		fail_msg("%s", why);
}

static void
test_refused(void **state)
{
	refused(calls, LEN(calls), "calls");
	refused(sys, LEN(sys), "system calls");
	refused(own, LEN(own), "address of its own");
	refused(trap, LEN(trap), "traps");
	refused(far_, LEN(far_), "other code");
	refused(on, LEN(on), "runs on");
	assert_null(put(away, LEN(away)));
	assert_null(put(away3, LEN(away3)));
}

/* Code that enters it elsewhere stays in the original; but then a pointer may
   be one to its inside. */
static void
test_entered(void **state)
{
	alien = TEXT + 8;
	assert_null(put(scan, LEN(scan)));
	alien = TEXT + LEN(away) - 1;
	refused(away, LEN(away), "pointer");
	alien = 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rets),	cmocka_unit_test(test_top),
		cmocka_unit_test(test_loops),	cmocka_unit_test(test_leaves),
		cmocka_unit_test(test_random),	cmocka_unit_test(test_moved),
		cmocka_unit_test(test_align),	cmocka_unit_test(test_refused),
		cmocka_unit_test(test_entered),
	};
	int rc = cmocka_run_group_tests_name("x86_copy", tests, setup, NULL);

	code_fn_fini(&fn);
	return rc;
}
