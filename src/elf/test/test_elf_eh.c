/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_elf_eh.c - functions, landing pads and code pointers of the test's own
 * executable (built with -fexceptions, so that cleanups have landing pads),
 * and what damage does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "base/test/capable.h"
#include "elf/test/elf_self.h"

#define LIBC "/lib/x86_64-linux-gnu/libc.so.6"

int elf_test_plain(int x);
__attribute__((noinline, used)) int
elf_test_plain(int x)
{
	return 3 * x + 1;
}

void elf_test_clean(int *x);
__attribute__((noinline, used)) void
elf_test_clean(int *x)
{
	printf("%d", *x);
}

int elf_test_cleanup(int (*fn)(int));
__attribute__((noinline, used)) int
elf_test_cleanup(int (*fn)(int))
{
	__attribute__((cleanup(elf_test_clean))) int x = fn(1);

	return fn(2) + fn(x);
}

/* A relocated pointer to code. */
int (*volatile elf_test_pointer)(int) = elf_test_plain;

static bool
has(const uint64_t *v, size_t n, uint64_t addr)
{
	for (size_t i = 0; i < n; i++)
		if (v[i] == addr)
			return true;
	return false;
}

static void
test_fdes(void **state)
{
	struct elf_file *f = open_self();
	const struct elf_sym *s = elf_sym_find(f, "elf_test_plain");
	size_t n;
	const struct elf_fde *v = elf_fdes(f, &n), *d;

	assert_non_null(s);
	assert_true(n > 5);
	for (size_t i = 1; i < n; i++)
		assert_true(v[i - 1].addr < v[i].addr);
	d = elf_fde_at(f, s->addr + 1);
	assert_non_null(d);
	assert_int_equal(d->addr, s->addr);
	assert_int_equal(d->size, s->size);
	assert_false(d->fragment || d->signal);
	assert_int_equal(d->lsda, 0);
	assert_null(elf_fde_at(f, 0));
	assert_null(elf_fde_at(f, UINT64_MAX));
	elf_close(f);
}

struct pads {
	const struct elf_fde *d;
	size_t n;
	uint64_t last;
};

static void
on_pad(void *arg, uint64_t addr)
{
	struct pads *p = arg;

	assert_true(addr > p->d->addr && addr < p->d->addr + p->d->size);
	p->n++;
	p->last = addr;
}

static void
test_pads(void **state)
{
	struct elf_file *f = open_self();
	const struct elf_sym *s = elf_sym_find(f, "elf_test_cleanup");
	struct pads p = { 0 };
	const uint64_t *v;
	size_t n;

	assert_non_null(s);
	p.d = elf_fde_at(f, s->addr);
	assert_non_null(p.d);
	assert_int_not_equal(p.d->lsda, 0);
	elf_landing_pads(f, p.d, on_pad, &p);
	assert_true(p.n >= 1);
	v = elf_entries(f, &n); /* control comes in there, too */
	assert_non_null(v);
	assert_true(has(v, n, p.last));
	elf_close(f);
}

static void
test_pointers(void **state)
{
	struct elf_file *f = open_self();
	const struct elf_sym *s = elf_sym_find(f, "elf_test_plain");
	size_t n;
	const uint64_t *v = elf_code_ptrs(f, &n);

	assert_non_null(v);
	assert_true(has(v, n, s->addr));
	for (size_t i = 1; i < n; i++)
		assert_true(v[i - 1] < v[i]);
	v = elf_entries(f, &n);
	assert_non_null(v);
	assert_true(has(v, n, s->addr));
	assert_true(has(v, n, elf_entry(f)));
	assert_false(has(v, n, s->addr + 1));
	elf_close(f);
}

static void
test_is_fn(void **state)
{
	struct elf_file *f = open_self();
	const struct elf_sym *s = elf_sym_find(f, "elf_test_plain");
	size_t size;
	uint64_t plt;

	assert_true(elf_is_fn(f, s->addr));
	assert_false(elf_is_fn(f, s->addr + 1));
	assert_false(elf_is_fn(f, 0));
	if (elf_section(f, ".plt", &size, &plt) != NULL && size >= 32) {
		assert_true(elf_is_fn(f, plt + 16));
		assert_false(elf_is_fn(f, plt + 17));
	}
	elf_close(f);
}

/* A sequence from 1 to 2, with its signature in front of 4. */
__asm__(".text\n.globl elf_test_rseq\n.type elf_test_rseq,@function\n"
	"elf_test_rseq:\n	nop\n"
	"1:	nop\n	nop\n2:	ret\n"
	"	.long 0x53053053\n4:	ret\n"
	".size elf_test_rseq,.-elf_test_rseq\n"
	".pushsection __rseq_cs,\"aw\"\n	.balign 32\n"
	"	.long 0, 0\n	.quad 1b, 2b - 1b, 4b\n.popsection\n");

static void
test_rseq(void **state)
{
	struct elf_file *f = open_self();
	const struct elf_sym *s = elf_sym_find(f, "elf_test_rseq");
	static const bool want[] = { 0, 1, 1, 0, 1, 1, 1, 1, 0, 0 };

	assert_non_null(s);
	for (size_t i = 0; i < sizeof(want); i++)
		assert_int_equal(elf_in_rseq(f, s->addr + i, s->addr + i + 1),
				 want[i]);
	assert_true(elf_in_rseq(f, s->addr, s->addr + 2));
	elf_close(f);
}

/* The restorer of signals and the parts of functions, where libraries have
   them. */
static void
test_libc(void **state)
{
	struct err e = { 0 };
	struct elf_file *f;
	size_t n, signals = 0, fragments = 0;
	const struct elf_fde *v;

	if (!CAPABLE(LIBC))
		return;
	f = elf_open(LIBC, &e);
	assert_non_null(f);
	v = elf_fdes(f, &n);
	assert_true(n > 1000);
	for (size_t i = 0; i < n; i++) {
		signals += v[i].signal;
		fragments += v[i].fragment;
	}
	assert_true(signals >= 1 && signals < 10);
	assert_true(fragments < n / 2);
	elf_close(f);
}

/* Bytes of the unwind tables overwritten, one after the other: whatever comes
   out, nothing is read outside. */
static void
test_damage(void **state)
{
	struct err e = { 0 };
	struct elf_file *self = open_self(), *f;
	FILE *in = fopen("/proc/self/exe", "rb");
	uint64_t addr, off;
	size_t size, n;
	uint8_t *copy;
	long len;

	assert_non_null(in);
	assert_non_null(elf_section(self, ".eh_frame", &size, &addr));
	assert_true(elf_addr_to_off(self, addr, &off));
	fseek(in, 0, SEEK_END);
	len = ftell(in);
	rewind(in);
	copy = malloc((size_t)len);
	assert_non_null(copy);
	assert_int_equal(fread(copy, 1, (size_t)len, in), len);
	fclose(in);
	for (size_t at = 0; at < size && at < 2000; at += 7) {
		uint8_t was = copy[off + at];

		copy[off + at] = (uint8_t)(at * 37 + 0x80);
		f = elf_open_mem(copy, (size_t)len, "damaged", &e);
		assert_non_null(f);
		const struct elf_fde *v = elf_fdes(f, &n);
		for (size_t i = 0; i < n; i++)
			assert_true(elf_code_left(f, v[i].addr) >= v[i].size);
		assert_non_null(elf_entries(f, &n));
		elf_close(f);
		copy[off + at] = was;
	}
	free(copy);
	elf_close(self);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fdes),     cmocka_unit_test(test_pads),
		cmocka_unit_test(test_pointers), cmocka_unit_test(test_is_fn),
		cmocka_unit_test(test_rseq),     cmocka_unit_test(test_libc),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
