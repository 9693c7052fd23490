/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_bpf_user.c - what the kernel would be given for sites in the code of
 * this very process.  Nothing is attached.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <string.h>
#include <cmocka.h>

#include "elf/elf.h"
#include "engine/bpf/bpf_impl.h"

/* push %rbp; mov %rsp,%rbp; test %edi,%edi; je 1f; pop %rbp; ret; 1: ... */
__asm__(".text\n"
	".globl user_two_ways\n.type user_two_ways,@function\n"
	"user_two_ways:\n"
	"	push	%rbp\n	mov	%rsp,%rbp\n	test	%edi,%edi\n"
	"	je	1f\n	pop	%rbp\n	ret\n1:	pop	%rbp\n	ret\n"
	".size user_two_ways,.-user_two_ways\n");
extern char user_two_ways[];

/* lock incl (%rdi); ret: the kernel can have no probe at the first. */
__asm__(".text\n"
	".globl user_lock\n.type user_lock,@function\n"
	"user_lock:\n	lock incl (%rdi)\n	ret\n"
	".size user_lock,.-user_lock\n");
extern char user_lock[];

/* lea 8(%rsp),%rax; push %rbp; pop %rbp; ret: a probe may slide to the push,
   unless control may come in on the way. */
__asm__(".text\n"
	".globl user_slide\n.type user_slide,@function\n"
	"user_slide:\n	lea	8(%rsp),%rax\n	push	%rbp\n"
	"	pop	%rbp\n	ret\n"
	".size user_slide,.-user_slide\n");
extern char user_slide[];

/* test %edi,%edi; jmp user_slide: another function is its only way out. */
__asm__(".text\n"
	".globl user_tail\n.type user_tail,@function\n"
	"user_tail:\n	test	%edi,%edi\n	jmp	user_slide\n"
	".size user_tail,.-user_tail\n");
extern char user_tail[];

/* Two names of one function, of which the second is one that returns twice. */
__asm__(".text\n"
	".globl user_alias\n.type user_alias,@function\n"
	".globl __sigjmp_save\n.type __sigjmp_save,@function\n"
	"user_alias:\n__sigjmp_save:\n	test	%edi,%edi\n	je	1f\n"
	"	ret\n1:	ret\n"
	".size user_alias,.-user_alias\n"
	".size __sigjmp_save,.-__sigjmp_save\n");
extern char user_alias[];

/* It never returns. */
__asm__(".text\n"
	".globl user_never\n.type user_never,@function\n"
	"user_never:\n1:	jmp	1b\n"
	".size user_never,.-user_never\n");
extern char user_never[];

#define SELF "/proc/self/exe"
#define PID  77 /* nobody is asked */

static struct elf_file *self;
static uint64_t bias;
static struct engine eng;
static struct dif_clause clause, *clauses[] = { &clause };
static struct dif_site site;
static struct dif_probe probe = { .prov = "p", .mod = "m", .func = "f",
				  .name = "n", .sites = &site, .nsites = 1 };
static const struct dif_ecb ecb;
static const struct dif_enabling en = {
	.probes = &probe, .nprobes = 1, .clauses = clauses, .nclauses = 1,
	.ecbs = &ecb, .necbs = 1
};
static struct err err;
static unsigned nobjects; /* that the process seems to have mapped */

static struct elf_file *
files_open(void *arg, int32_t pid, const char *path, struct err *e)
{
	assert_int_equal(pid, PID);
	assert_string_equal(path, SELF);
	return self;
}

/* This program, which names pthread_exit() below. */
static bool
files_object(void *arg, int32_t pid, size_t i, struct engine_object *out)
{
	assert_int_equal(pid, PID);
	*out = (struct engine_object){ .name = "self", .path = SELF };
	return i < nobjects;
}

static const struct engine_files files = { NULL, files_open, files_object };

static int
setup_all(void **state)
{
	const struct elf_sym *s;

	self = elf_open(SELF, &err);
	s = self != NULL ? elf_sym_find(self, "user_two_ways") : NULL;
	if (s == NULL)
		return -1;
	bias = (uintptr_t)user_two_ways - s->addr;
	return 0;
}

static int
teardown_all(void **state)
{
	elf_close(self);
	return 0;
}

static int
setup(void **state)
{
	eng = (struct engine){ .en = &en, .arena = arena_new() };
	eng.opts.files = &files;
	clause = (struct dif_clause){ .pdesc = { 0, "p", "m", "f", "n" } };
	nobjects = 0;
	err_clear(&err);
	return eng.arena == NULL;
}

static int
teardown(void **state)
{
	bpf_user_fini(&eng);
	arena_free(eng.arena);
	return 0;
}

/* The site of a kind that the function of n bytes has at byte `at`. */
static void
fact(enum dif_site_kind kind, const char *fn, uint64_t n, uint64_t at)
{
	site = (struct dif_site){ .kind = kind,
				  .path = SELF,
				  .pid = PID,
				  .bias = bias,
				  .fn = (uintptr_t)fn,
				  .fn_size = n,
				  .addr = (uintptr_t)fn + at };
	assert_true(elf_addr_to_off(self, site.addr - bias, &site.off));
}

/* The places of that site, which are so many, on `args` being used. */
static const struct bpf_place *
places(uint32_t args, size_t want)
{
	clause.args_used = args;
	eng.places.n = 0;
	err_clear(&err);
	if (bpf_user_places(&eng, &err) != 0)
		fail_msg("%s", err.msg);
	assert_int_equal(eng.places.n, want);
	assert_int_equal(eng.place0[0], 0);
	assert_int_equal(eng.place0[1], want);
	return eng.places.v;
}

static void
test_entry(void **state)
{
	const struct bpf_place *p;

	fact(DIF_SITE_UENTRY, user_two_ways, 12, 0);
	p = places(3, 1);
	assert_int_equal(p->kind, BPF_AT_UPROBE);
	assert_int_equal(p->off, site.off);
	assert_int_equal(p->addr, (uintptr_t)user_two_ways);
	assert_int_equal(p->slid, 0);
	fact(DIF_SITE_UENTRY, user_slide, 8, 0);
	p = places(3, 1);
	assert_int_equal(p->off, site.off + 5);
	assert_int_equal(p->addr, (uintptr_t)user_slide + 5);
	assert_int_equal(p->slid, 5);
	site.fn_next = site.fn + 4;
	assert_int_equal(places(3, 1)->off, site.off);
}

/* Two ways out: told apart if the offset is asked for. */
static void
test_return(void **state)
{
	const struct bpf_place *p;

	fact(DIF_SITE_URETURN, user_two_ways, 12, 0);
	p = places(3, 2);
	assert_int_equal(p[0].kind, BPF_AT_UPROBE);
	assert_int_equal(p[0].cookie, 9);
	assert_int_equal(p[0].off, site.off + 9);
	assert_int_equal(p[1].cookie, 0xb);
	assert_int_equal(p[1].addr, (uintptr_t)user_two_ways + 0xb);
	p = places(2, 1);
	assert_int_equal(p->kind, BPF_AT_URETPROBE);
	assert_int_equal(p->off, site.off);
	/* Where there is only one, the kernel's knows which. */
	fact(DIF_SITE_URETURN, user_slide, 8, 0);
	p = places(1, 1);
	assert_int_equal(p->kind, BPF_AT_URETPROBE);
	assert_int_equal(p->cookie, 7);
	fact(DIF_SITE_URETURN, user_tail, 4, 0);
	p = places(1, 1);
	assert_int_equal(p->kind, BPF_AT_URETPROBE);
	assert_int_equal(p->cookie, 2);
}

/* The one site without a place is noted, and the report has it. */
static void
left_is(enum bpf_left_what what, const char *why)
{
	struct buf b = BUF_INIT;

	assert_int_equal(eng.left.n, 1);
	assert_int_equal(eng.left.v[0].what, what);
	assert_string_equal(eng.left.v[0].why, why);
	assert_int_equal(bpf_user_left_out(&eng), what == BPF_LEFT_ALL);
	bpf_user_report(&eng, &b);
	assert_non_null(strstr(buf_str(&b), why));
	buf_fini(&b);
}

/* Return addresses that must stay: of a process that may unwind, of one that
   nothing is known of, and of functions that keep theirs. */
static void
test_harmful(void **state)
{
	fact(DIF_SITE_URETURN, user_two_ways, 12, 0);
	nobjects = 1;
	assert_int_equal(places(0, 2)->kind, BPF_AT_UPROBE);
	nobjects = 0;
	assert_int_equal(places(0, 1)->kind, BPF_AT_URETPROBE);
	eng.opts.files = NULL;
	assert_int_equal(places(0, 2)->kind, BPF_AT_UPROBE);
	eng.opts.files = &files;
	fact(DIF_SITE_URETURN, user_alias, 6, 0);
	assert_int_equal(places(0, 2)->kind, BPF_AT_UPROBE);
	/* That it has no way out is no error, also where it is named. */
	nobjects = 1;
	fact(DIF_SITE_URETURN, user_never, 2, 0);
	eng.left.n = 0;
	places(0, 0);
	left_is(BPF_LEFT_IDLE, "it never returns");
}

/* What the kernel refuses is an error if it was named, else left out. */
static void
test_refused(void **state)
{
	fact(DIF_SITE_UINSN, user_lock, 4, 3);
	assert_int_equal(places(0, 1)->off, site.off);
	fact(DIF_SITE_UINSN, user_lock, 4, 0);
	/* A clause whose only probe cannot be placed, named or not; but the
	   clauses of a provider say nothing. */
	clause.pdesc.name = "[0-9]";
	eng.places.n = 0;
	assert_int_equal(bpf_user_places(&eng, &err), -1);
	clause.maker = true;
	clause.pdesc.name = "0";
	eng.left.n = 0;
	places(0, 0);
	left_is(BPF_LEFT_ALL, "it steps no such instruction (lock, AVX, trap)");
	clause.maker = false;
	assert_int_equal(bpf_user_places(&eng, &err), -1);
	assert_string_equal(err.msg,
			    "p:m:f:n: the kernel cannot place a probe there: "
			    "it steps no such instruction (lock, AVX, trap)");
	/* An address in no function that is known. */
	site.fn = site.fn_size = 0;
	clause.pdesc.name = "*";
	clause.maker = true;
	eng.left.n = 0;
	places(0, 0);
	left_is(BPF_LEFT_ALL, "it steps no such instruction (lock, AVX, trap)");
	clause.maker = false;
	fact(DIF_SITE_UINSN, user_lock, 0, 3);
	site.fn = 0;
	assert_int_equal(places(0, 1)->off, site.off);
	/* All sites of other kinds are their own places. */
	site = (struct dif_site){ .kind = DIF_SITE_BEGIN, .cookie = 5 };
	assert_int_equal(places(0, 1)->kind, DIF_SITE_BEGIN);
	assert_int_equal(eng.places.v[0].cookie, 5);
}

/* The file of a probe of every process may go with the last process that had
   it; that of a process may not. */
static void
test_gone(void **state)
{
	fact(DIF_SITE_UENTRY, user_slide, 8, 0);
	site.path = "/proc/self/no such file";
	eng.opts.files = NULL;
	assert_int_equal(bpf_user_places(&eng, &err), -1);
	assert_int_equal(err.sys, ENOENT);
	site.pid = 0;
	eng.left.n = 0;
	places(0, 0);
	assert_int_equal(bpf_user_left_out(&eng), 0);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_entry, setup, teardown),
		cmocka_unit_test_setup_teardown(test_return, setup, teardown),
		cmocka_unit_test_setup_teardown(test_harmful, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_gone, setup, teardown),
	};

	if (argc > 1)
		pthread_exit(NULL); /* what makes this program one that may */
	return cmocka_run_group_tests(tests, setup_all, teardown_all);
}
