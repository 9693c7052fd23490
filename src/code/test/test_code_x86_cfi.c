/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_code_x86_cfi.c - where the caller's frame is, in code as people and
 * generators write it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "code/code.h"

#define AT 0x1000u

struct text {
	char v[1024];
	size_t n;
};

/* "off rsp+8 =" or "off rbp+16 c-16": where, the CFA, the caller's rbp. */
static bool
row(void *arg, const struct elf_cfi *r)
{
	struct text *t = arg;
	const char *reg = r->cfa == ELF_CFA_RSP ? "rsp" :
			  r->cfa == ELF_CFA_RBP ? "rbp" :
						  "?";
	char rbp[32] = "=";

	if (r->rbp == ELF_RBP_AT_CFA)
		snprintf(rbp, sizeof(rbp), "c%ld", (long)r->rbp_off);
	else if (r->rbp == ELF_RBP_LOST)
		strcpy(rbp, "lost");
	t->n += (size_t)snprintf(t->v + t->n, sizeof(t->v) - t->n,
				 "%lx %s+%ld %s\n", (long)(r->addr - AT), reg,
				 (long)r->off, rbp);
	return true;
}

static void
says(const char *code, size_t n, const char *want)
{
	const struct code_body b = { .p = (const uint8_t *)code,
				     .n = n,
				     .addr = AT,
				     .next = SIZE_MAX };
	struct text t = { .n = 0 };

	assert_true(code_cfi(&b, row, &t));
	assert_string_equal(t.v, want);
}
#define SAYS(code, want) says(code, sizeof(code) - 1, want)

static void
test_frame(void **state)
{
	/* push %rbp; mov %rsp,%rbp; push %rsi; mov %rbp,%rsp; pop %rbp; ret */
	SAYS("\x55\x48\x89\xe5\x56\x48\x89\xec\x5d\xc3",
	     "0 rsp+8 =\n1 rsp+16 c-16\n4 rbp+16 c-16\n9 rsp+8 =\n");
	/* push %rbp; mov %rsp,%rbp; leave; ret */
	SAYS("\x55\x48\x89\xe5\xc9\xc3",
	     "0 rsp+8 =\n1 rsp+16 c-16\n4 rbp+16 c-16\n5 rsp+8 =\n");
}

static void
test_two_ways(void **state)
{
	/* je 1f; push %rbp; mov %rsp,%rbp; call .; leave; 1: ret */
	SAYS("\x74\x0a\x55\x48\x89\xe5\xe8\xfb\xff\xff\xff\xc9\xc3",
	     "0 rsp+8 =\n3 rsp+16 c-16\n6 rbp+16 c-16\nc rsp+8 =\n");
	/* je 1f; push %rax; 1: nop; ret: nobody knows */
	SAYS("\x74\x01\x50\x90\xc3",
	     "0 rsp+8 =\n3 ?+0 =\n4 rsp+8 =\n");
	/* ret; nothing leads to the nop */
	SAYS("\xc3\x90", "0 rsp+8 =\n");
}

static void
test_return_address(void **state)
{
	/* pop %r10; lea (%rsp,%rcx,8),%rsp; push %r10; ret */
	SAYS("\x41\x5a\x48\x8d\x24\xcc\x41\x52\xc3",
	     "0 rsp+8 =\n2 ?+0 =\n8 rsp+8 =\n");
	/* pop %rcx; mov %rax,%rcx; push %rcx; ret: that was another */
	SAYS("\x59\x48\x89\xc1\x51\xc3",
	     "0 rsp+8 =\n1 ?+0 =\n5 rsp+8 =\n");
	/* push %rdi; push 8(%rsp); mov %rax,16(%rsp); jmp away */
	SAYS("\x57\xff\x74\x24\x08\x48\x89\x44\x24\x10\xe9\x00\x10\x00\x00",
	     "0 rsp+8 =\n1 rsp+16 =\n5 rsp+8 =\n");
}

/* Room for more arguments: what is at rsp is moved down, by a loop that looks
   first where to end, or last. */
static void
test_moved_down(void **state)
{
	/* jle 2f; sub %r10,%rsp; xor %r11d,%r11d;
	   1: mov (%r8,%r11,8),%r10; mov %r10,(%rsp,%r11,8); inc %r11;
	   cmp %r9,%r11; jl 1b; 2: jmp *%rcx */
	SAYS("\x7e\x16\x4c\x29\xd4\x45\x31\xdb\x4f\x8b\x14\xd8\x4e\x89"
	     "\x14\xdc\x49\xff\xc3\x4d\x39\xcb\x7c\xf0\xff\xe1",
	     "0 rsp+8 =\n5 ?+0 =\n10 rsp+8 =\n");
	/* sub %r10,%rsp; xor %r12d,%r12d; jmp 2f;
	   1: mov (%r8,%r12,8),%r10; mov %r10,(%rsp,%r12,8); inc %r12;
	   2: cmp %rax,%r12; jle 1b; ret */
	SAYS("\x49\x2b\xe2\x45\x31\xe4\xeb\x0b\x4f\x8b\x14\xe0\x4e\x89"
	     "\x14\xe4\x49\xff\xc4\x4c\x3b\xe0\x7e\xf0\xc3",
	     "0 rsp+8 =\n3 ?+0 =\n10 rsp+8 =\n13 ?+0 =\n18 rsp+8 =\n");
	/* the same with another slot's writing: mov %r10,(%rdi,%r12,8) */
	SAYS("\x49\x2b\xe2\x45\x31\xe4\xeb\x0b\x4f\x8b\x14\xe0\x4e\x89"
	     "\x14\xe7\x49\xff\xc4\x4c\x3b\xe0\x7e\xf0\xc3",
	     "0 rsp+8 =\n3 ?+0 =\n18 rsp+8 =\n");
	/* push %rax; sub %r10,%rsp; mov %r10,(%rsp,%r12,8); ret */
	SAYS("\x50\x49\x2b\xe2\x4e\x89\x14\xe4\xc3",
	     "0 rsp+8 =\n1 rsp+16 =\n4 ?+0 =\n8 rsp+8 =\n");
}

static void
test_lost(void **state)
{
	/* sub %rcx,%rsp; nop; ret: there it is at rsp, however it came there */
	SAYS("\x48\x29\xcc\x90\xc3", "0 rsp+8 =\n3 ?+0 =\n4 rsp+8 =\n");
	/* sub $24,%rsp; add $24,%rsp; add $8,%rsp; jmp *%rax */
	SAYS("\x48\x83\xec\x18\x48\x83\xc4\x18\x48\x83\xc4\x08\xff\xe0",
	     "0 rsp+8 =\n4 rsp+32 =\n8 rsp+8 =\nc ?+0 =\n");
	/* xor %ebp,%ebp; ret */
	SAYS("\x31\xed\xc3", "0 rsp+8 =\n2 rsp+8 lost\n");
}

/* ---- each instruction ---------------------------------------------------- */

#define CODE(code) code, sizeof(code) - 1

struct insn {
	const char *code;
	size_t n;
	const char *want; /* behind it */
};

/* Behind sub $32,%rsp. */
static const struct insn by_rsp[] = {
	{ CODE("\x50"), "rsp+48 =" },                 /* push %rax */
	{ CODE("\x6a\x01"), "rsp+48 =" },             /* push $1 */
	{ CODE("\xff\x77\x08"), "rsp+48 =" },         /* push 8(%rdi) */
	{ CODE("\x58"), "rsp+32 =" },                 /* pop %rax */
	{ CODE("\x8f\x07"), "rsp+32 =" },             /* pop (%rdi) */
	{ CODE("\x9c"), "rsp+48 =" },                 /* pushf */
	{ CODE("\x9d"), "rsp+32 =" },                 /* popf */
	{ CODE("\x48\x83\xec\x08"), "rsp+48 =" },     /* sub $8,%rsp */
	{ CODE("\x48\x83\xc4\x10"), "rsp+24 =" },     /* add $16,%rsp */
	{ CODE("\x48\x8d\x64\x24\x08"), "rsp+32 =" }, /* lea 8(%rsp),%rsp */
	{ CODE("\x48\x8d\x64\x24\xf8"), "rsp+48 =" }, /* lea -8(%rsp),%rsp */
	{ CODE("\x48\x8d\x65\x08"), "?+0 =" },        /* lea 8(%rbp),%rsp */
	{ CODE("\x48\x8d\x60\x08"), "?+0 =" },        /* lea 8(%rax),%rsp */
	{ CODE("\x48\x8d\x24\x04"), "?+0 =" },        /* lea (%rsp,%rax),%rsp */
	{ CODE("\x48\x89\xc4"), "?+0 =" },            /* mov %rax,%rsp */
	{ CODE("\x89\xc4"), "?+0 =" },                /* mov %eax,%esp */
	{ CODE("\x48\x83\xe4\xf0"), "?+0 =" },        /* and $-16,%rsp */
	{ CODE("\x48\x29\xc4"), "?+0 =" },            /* sub %rax,%rsp */
	{ CODE("\xe8\xfb\xff\xff\xff"), "rsp+40 =" }, /* call . */
	{ CODE("\x48\x89\xe0"), "rsp+40 =" },         /* mov %rsp,%rax */
	{ CODE("\x48\x94"), "?+0 =" },                /* xchg %rax,%rsp */
	{ CODE("\x48\x8b\x04\x24"), "rsp+40 =" },     /* mov (%rsp),%rax */
	{ CODE("\xff\x74\x24\x20"),
	  "rsp+8 =" }, /* push 32(%rsp): the return address */
	{ CODE("\xff\x74\x24\x1f"), "rsp+48 =" }, /* push 31(%rsp) */
	{ CODE("\x48\x89\xfe"), "rsp+40 =" },     /* mov %rdi,%rsi */
	{ CODE("\x31\xed"), "rsp+40 lost" },      /* xor %ebp,%ebp */
	{ CODE("\x48\x89\xe5"), "rbp+40 lost" },  /* mov %rsp,%rbp */
	{ CODE("\x5d"), "rsp+32 lost" },          /* pop %rbp */
	{ CODE("\x55"), "rsp+48 c-48" },          /* push %rbp */
};

/* Behind push %rbp; mov %rsp,%rbp; sub $32,%rsp. */
static const struct insn by_rbp[] = {
	{ CODE("\x31\xed"), "rsp+48 lost" },         /* xor %ebp,%ebp */
	{ CODE("\x48\x89\xc5"), "rsp+48 lost" },     /* mov %rax,%rbp */
	{ CODE("\x48\x8b\x6d\x00"), "rsp+48 =" },    /* mov (%rbp),%rbp */
	{ CODE("\x48\x8b\x6d\x08"), "rsp+48 lost" }, /* mov 8(%rbp),%rbp */
	{ CODE("\x48\x8b\x6c\x05\x00"),
	  "rsp+48 lost" }, /* mov (%rbp,%rax),%rbp */
	{ CODE("\x48\x8d\x64\x24\x10\x31\xed"),
	  "rsp+32 lost" }, /* lea 16(%rsp),%rsp; xor %ebp,%ebp */
	{ CODE("\x48\x8d\x65\xf0\x31\xed"),
	  "rsp+32 lost" }, /* lea -16(%rbp),%rsp; xor %ebp,%ebp */
	{ CODE("\x48\x8d\x64\x05\x00\x31\xed"),
	  "?+0 lost" }, /* lea (%rbp,%rax),%rsp; xor %ebp,%ebp */
	{ CODE("\x48\x89\xec\x31\xed"),
	  "rsp+16 lost" }, /* mov %rbp,%rsp; xor %ebp,%ebp */
	{ CODE("\x48\x89\xec\x5d"), "rsp+8 =" }, /* mov %rbp,%rsp; pop %rbp */
	{ CODE("\xc9"), "rsp+8 =" },             /* leave */
	{ CODE("\xe8\xfb\xff\xff\xff\x31\xed"),
	  "?+0 lost" },                          /* call .; xor %ebp,%ebp */
	{ CODE("\x5d"), "rsp+40 lost" },         /* pop %rbp */
	{ CODE("\x55\x31\xed"), "rsp+56 lost" }, /* push %rbp; xor %ebp,%ebp */
	{ CODE("\x48\x89\xe5"), "rbp+48 c-16" }, /* mov %rsp,%rbp */
};

/* The row of the last byte, a nop, is as it is wanted for each. */
static void
each_says(const char *before, size_t nbefore, const struct insn *v, size_t n)
{
	bool good = true;

	for (size_t i = 0; i < n; i++) {
		char code[64];
		const struct code_body b = { .p = (const uint8_t *)code,
					     .n = nbefore + v[i].n + 1,
					     .addr = AT,
					     .next = SIZE_MAX };
		struct text t = { .n = 0 };
		const char *last;

		memcpy(code, before, nbefore);
		memcpy(code + nbefore, v[i].code, v[i].n);
		code[nbefore + v[i].n] = (char)0x90;
		assert_true(code_cfi(&b, row, &t));
		t.v[t.n - 1] = '\0';
		last = strrchr(t.v, '\n');
		last = strchr(last != NULL ? last : t.v, ' ') + 1;
		if (strcmp(last, v[i].want) != 0) {
			print_error("%zu: \"%s\"\n", i, last);
			good = false;
		}
	}
	assert_true(good);
}

static void
test_each_by_rsp(void **state)
{
	each_says(CODE("\x48\x83\xec\x20"), by_rsp,
		  sizeof(by_rsp) / sizeof(*by_rsp));
}

static void
test_each_by_rbp(void **state)
{
	each_says(CODE("\x55\x48\x89\xe5\x48\x83\xec\x20"), by_rbp,
		  sizeof(by_rbp) / sizeof(*by_rbp));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frame),
		cmocka_unit_test(test_two_ways),
		cmocka_unit_test(test_return_address),
		cmocka_unit_test(test_moved_down),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_each_by_rsp),
		cmocka_unit_test(test_each_by_rbp),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
