/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_elf_go.c - the table of Go's compiler: entries, where goroutines may
 * wait, and frames.  This program has such a table of its own, of functions of
 * 16 bytes.  It is built once for each version that is known; the oldest,
 * with addresses that are not relative, at a fixed address.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/test/fds.h"
#include "elf/elf_impl.h"
#include "elf/test/elf_self.h"

#if GO_VERSION == 16
#define MAGIC   "0xfffffffa"
#define TEXT    ""
#define CELL(v) ".quad " v "\n" /* an address */
#define FROM    ""              /* what it is relative to */
#define WHERE   ".quad "        /* an offset in the table of functions */
#define LINE    ""              /* what there is before the function's kind */
#define DATA    ".quad "        /* a FUNCDATA */
#define NO_DATA "0"
#define ALIGN   ".balign 8\n"
#define TABLE   56
#else
#define TEXT    ".quad go_text\n"
#define CELL(v) ".long " v "\n"
#define FROM    " - go_text"
#define WHERE   ".long "
#define DATA    ".long "
#define NO_DATA "0xffffffff"
#define ALIGN   ""
#define TABLE   64
#if GO_VERSION == 18
#define MAGIC "0xfffffff0"
#define LINE  ""
#else
#define MAGIC "0xfffffff1"
#define LINE  ".long 0\n"
#endif
#endif

/* A row of the table of functions, and the _func. */
#define ROW(id) CELL("go_" #id FROM) WHERE "gi_" #id " - go_table\n"
#define HEAD(id, defer, pcsp, npcdata, flag, nfuncdata)                        \
	"gi_" #id ":\n" CELL("go_" #id FROM) ".long gn_" #id " - go_names\n"   \
					     ".long 0," defer "," pcsp         \
					     ",0,0," npcdata ",0\n" LINE       \
					     ".byte 0," flag ",0," nfuncdata   \
					     "\n"
#define PCDATA(unsafe, inlined) ".long " unsafe ",0," inlined "\n"
#define LOCALS                                                                 \
	ALIGN DATA "0,"                                                        \
		   "1\n"

/* clang-format off */
__asm__(".text\n.balign 16\ngo_text:\n"
	"go_plain: .fill 16,1,0x90\n"
	"go_top: .fill 16,1,0x90\n"
	"go_mstart: call go_top\nret\n.fill 10,1,0x90\n"
	"go_other: .fill 16,1,0x90\n"
	"go_runtime: .fill 16,1,0x90\n"
	"go_unsafe: .fill 16,1,0x90\n"
	"go_asm: .fill 16,1,0x90\n"
	"go_reflect: .fill 16,1,0x90\n"
	"go_internal: .fill 16,1,0x90\n"
	"go_nolocals: .fill 16,1,0x90\n"
	"go_short: .fill 16,1,0x90\n"
	"go_one: .fill 16,1,0x90\n"
	"go_runtimex: .fill 16,1,0x90\n"
	"go_gap: .fill 16,1,0x90\n"
	".section .gopclntab,\"aw\",@progbits\n.balign 16\n"
	"go_tab: .long " MAGIC "\n.byte 0,0,1,8\n"
	".quad 14,0\n" TEXT
	".quad go_names - go_tab,0,0,go_pc - go_tab,go_table - go_tab\n"
	"go_names: .byte 0\n"
	"gn_plain: .asciz \"main.plain\"\n"
	"gn_top: .asciz \"main.top\"\n"
	"gn_mstart: .asciz \"main.mstart\"\n"
	"gn_other: .asciz \"main.other\"\n"
	"gn_runtime: .asciz \"runtime.f\"\n"
	"gn_unsafe: .asciz \"main.unsafe\"\n"
	"gn_asm: .asciz \"main.asm\"\n"
	"gn_reflect: .asciz \"reflect.f\"\n"
	"gn_internal: .asciz \"runtime/internal/sys.f\"\n"
	"gn_nolocals: .asciz \"main.nolocals\"\n"
	"gn_short: .asciz \"main.short\"\n"
	"gn_one: .asciz \"main.one\"\n"
	"gn_runtimex: .asciz \"runtimex.f\"\n"
	"gn_gap: .asciz \"main.gap\"\n"
	"go_pc: .byte 0\n"
	/* 0, 200, 0 bytes of stack; one number is longer than it need be */
	"gp_deep: .byte 2,0x84,0,0x90,3,8,0x8f,3,4,0\n"
	/* 8 bytes of stack for 4 bytes, then fewer than none */
	"gp_less: .byte 0x12,4,0x13,4,2,4,0\n"
	/* 8 bytes for as many bytes as there are, and no end */
	"gp_long: .byte 0x12,100,2,4,0\n"
	/* 8 bytes, then a change that holds for nothing */
	"gp_zero: .byte 0x12,4,2,0,2,4,0\n"
	/* it may be preempted, may not, begins anew, may */
	"gp_unsafe: .byte 0,4,1,4,5,4,8,4,0\n"
	/* may not, and no more is said; what follows is another's */
	"gp_short: .byte 1,8,0,8,0\n"
	"gp_early: .byte 0x12,4,0,4,0\n"
	/* in the function itself, in one that is inlined */
	"gp_inl: .byte 0,8,2,8,0\n"
	".balign 16\n"
	"go_table:\n"
	ROW(plain) ROW(top) ROW(mstart) ROW(other) ROW(runtime) ROW(unsafe)
	ROW(asm) ROW(reflect) ROW(internal) ROW(nolocals) ROW(short)
	ROW(one) ROW(runtimex) ROW(gap)
	CELL("go_gap + 0x10000000" FROM) WHERE "gi_plain - go_table\n"
	".balign 8\n"
	HEAD(plain, "0", "gp_deep - go_pc", "3", "0", "2")
	PCDATA("0", "0") LOCALS
	".balign 8\n"
	HEAD(top, "0", "gp_deep - go_pc", "3", "1", "2")
	PCDATA("0", "0") LOCALS
	".balign 8\n"
	HEAD(mstart, "0", "gp_less - go_pc", "3", "1", "2")
	PCDATA("0", "0") LOCALS
	".balign 8\n"
	HEAD(other, "0", "gp_deep - go_pc", "3", "2", "2")
	PCDATA("0", "0") LOCALS
	".balign 8\n"
	HEAD(runtime, "0", "gp_long - go_pc", "3", "4", "2")
	PCDATA("0", "gp_inl - go_pc") LOCALS
	".balign 8\n"
	HEAD(unsafe, "6", "gp_zero - go_pc", "3", "0", "2")
	PCDATA("gp_unsafe - go_pc", "0") LOCALS
	".balign 8\n"
	HEAD(asm, "15", "0", "0", "0", "0")
	".balign 8\n"
	/* What could be its third PCDATA is a FUNCDATA. */
	HEAD(reflect, "0", "0x7fffffff", "2", "0", "2")
	".long 0,0\n" ALIGN DATA "gp_inl - go_pc,1\n"
	".balign 8\n"
	HEAD(internal, "0", "0", "3", "0", "2")
	PCDATA("0", "gp_inl - go_pc") LOCALS
	".balign 8\n"
	HEAD(short, "0", "gp_early - go_pc", "3", "0", "2")
	PCDATA("gp_short - go_pc", "0") LOCALS
	".balign 8\n"
	HEAD(one, "0", "0", "3", "0", "1")
	PCDATA("0", "0") LOCALS
	".balign 8\n"
	HEAD(runtimex, "0", "0", "3", "0", "2")
	PCDATA("0", "gp_inl - go_pc") LOCALS
	".balign 8\n"
	/* More than there is code. */
	HEAD(gap, "0", "gp_long - go_pc", "3", "0", "2")
	PCDATA("0", "0") LOCALS
	".balign 8\n"
	/* The last word of all is one of its. */
	HEAD(nolocals, "0", "0", "3", "0", "2")
	PCDATA("0", "0") ALIGN DATA "1," NO_DATA "\n"
	".previous\n");
/* clang-format on */

static uint64_t
go_first(struct elf_file *f)
{
	const struct elf_sym *s;
	size_t n;
	uint64_t at = 0;

	s = elf_syms(f, &n);
	for (size_t i = 0; i < n; i++)
		if (strcmp(s[i].name, "go_plain") == 0)
			at = s[i].addr;
	assert_int_not_equal(at, 0);
	return at;
}

/* ---- entries ------------------------------------------------------------- */

static void
enters(void **state)
{
	struct elf_file *f = open_self();
	struct elf_addrs a = { 0 };
	uint64_t from = go_first(f);
	size_t n = 0;

	assert_true(elf_is_go(f));
	assert_true(elf_entries_go(f, &a));
	for (uint64_t k = 17; k < 32; k++) /* all of the top frame */
		assert_int_equal(a.v[n++] - from, k);
	for (uint64_t k = 33; k < 48; k++) /* and of the other */
		assert_int_equal(a.v[n++] - from, k);
	assert_int_equal(a.v[n++] - from, 5 * 16 + 6);
	assert_int_equal(a.v[n++] - from, 6 * 16 + 15);
	assert_int_equal(a.n, n);
	free(a.v);
	elf_close(f);
}

/* ---- where goroutines wait ----------------------------------------------- */

/* A byte of the functions each: 1, one may wait there. */
static const char *const waits[] = {
	"1111111111111111", "1111111111111111", /* plain, top */
	"1111111111111111", "1111111111111111", /* mstart, other */
	"0000000011111111", "1111000000001111", /* runtime, unsafe */
	"0000000000000000", "0000000000000000", /* asm, reflect */
	"0000000011111111", "0000000000000000", /* internal, nolocals */
	"0000000011111111", "0000000000000000", /* short, one */
	"1111111111111111", "1111111111111111", /* runtimex, gap */
};

static void
waits_where(void **state)
{
	struct elf_file *f = open_self();
	uint64_t from = go_first(f);

	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
		char is[17] = "";

		for (size_t k = 0; k < 16; k++)
			is[k] = elf_go_waits(f, from + 16 * i + k) ? '1' : '0';
		assert_string_equal(is, waits[i]);
	}
	assert_true(elf_go_waits(f, from + 13 * 16 + 0x0fffffff));
	assert_false(elf_go_waits(f, from + 13 * 16 + 0x10000000));
	assert_false(elf_go_waits(f, from - 1));
	assert_false(elf_go_waits(f, 0));
	elf_close(f);
}

/* ---- frames -------------------------------------------------------------- */

static const struct elf_cfi frames[] = {
	/* plain */
	{ .addr = 0, .end = 4, .cfa = ELF_CFA_RSP, .off = 8 },
	{ .addr = 4, .end = 12, .cfa = ELF_CFA_RSP, .off = 208 },
	{ .addr = 12, .end = 16, .cfa = ELF_CFA_RSP, .off = 8 },
	{ .addr = 16, .end = 32, .cfa = ELF_CFA_END },            /* top */
	{ .addr = 32, .end = 36, .cfa = ELF_CFA_RSP, .off = 16 }, /* mstart */
	{ .addr = 48, .end = 64, .cfa = ELF_CFA_UNKNOWN },        /* other */
	{ .addr = 64, .end = 80, .cfa = ELF_CFA_RSP, .off = 16 }, /* runtime */
	{ .addr = 80, .end = 84, .cfa = ELF_CFA_RSP, .off = 16 }, /* unsafe */
	{ .addr = 160, .end = 164, .cfa = ELF_CFA_RSP, .off = 16 }, /* short */
};
#define FRAMES (sizeof(frames) / sizeof(*frames))

struct rows {
	uint64_t from;
	size_t n, max;
};

static bool
row_is(void *arg, const struct elf_cfi *row)
{
	struct rows *r = arg;
	struct elf_cfi is = *row;

	is.addr -= r->from;
	is.end -= r->from;
	assert_true(r->n < FRAMES);
	if (is.cfa == ELF_CFA_RSP)
		assert_int_equal(is.rbp, ELF_RBP_LOST);
	is.rbp = frames[r->n].rbp;
	assert_memory_equal(&is, &frames[r->n], sizeof(is));
	return ++r->n < r->max;
}

static void
frames_are(void **state)
{
	struct elf_file *f = open_self();
	struct rows r = { .from = go_first(f), .max = FRAMES + 1 };

	assert_true(elf_go_rows(f, row_is, &r));
	assert_int_equal(r.n, FRAMES);
	/* It ends where it is told to: in the middle of a function, at its last
	   row, at one that has but one. */
	for (size_t max = 1; max <= 4; max++) {
		r.n = 0;
		r.max = max;
		assert_false(elf_go_rows(f, row_is, &r));
		assert_int_equal(r.n, max);
	}
	elf_close(f);
}

/* ---- tables that are not understood -------------------------------------- */

/* This program with other bytes in the table's header. */
static struct elf_file *
damaged(size_t at, uint64_t value, size_t size)
{
	char path[] = "/tmp/test_elf_go.XXXXXX";
	struct elf_file *f = open_self();
	struct buf b = { 0 };
	struct err e = { 0 };
	size_t n;
	const uint8_t *tab = elf_section(f, ".gopclntab", &n, NULL);
	uint8_t *p;
	FILE *in = fopen("/proc/self/exe", "r");
	int c, fd = mkstemp(path);

	assert_non_null(tab);
	assert_non_null(in);
	while ((c = getc(in)) != EOF)
		buf_putc(&b, (char)c);
	fclose(in);
	p = memmem(b.p, b.n, tab, n);
	assert_non_null(p);
	memcpy(p + at, &value, size);
	assert_int_equal(write(fd, b.p, b.n), b.n);
	close(fd);
	buf_fini(&b);
	elf_close(f);
	f = elf_open(path, &e);
	unlink(path);
	assert_non_null(f);
	return f;
}

static bool
row_none(void *arg, const struct elf_cfi *row)
{
	fail_msg("a row at %#llx", (unsigned long long)row->addr);
	return false;
}

static void
is_not_understood(void **state)
{
	/* Another magic, pointers of 4 bytes, a table behind the end, and one
	   function more than there is room for. */
	static const struct {
		size_t at;
		uint64_t value;
		size_t size;
	} cases[] = { { 0, 0xfffffff2, 4 },
		      { 7, 4, 1 },
		      { TABLE, 1 << 20, 8 },
		      { 8, 1 << 20, 8 },
		      { 8, UINT64_MAX, 8 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct elf_file *f =
			damaged(cases[i].at, cases[i].value, cases[i].size);
		struct elf_addrs a = { 0 };
		uint64_t at = go_first(f);

		assert_true(elf_is_go(f));
		assert_false(elf_entries_go(f, &a));
		assert_int_equal(a.n, 0);
		assert_true(elf_go_waits(f, at + 6 * 16));
		assert_true(elf_go_rows(f, row_none, NULL));
		elf_close(f);
	}
}

#if GO_VERSION == 18
/* The address of the code is what the loader will put there, not what there
   is. */
static void
is_relocated(void **state)
{
	struct elf_file *f = damaged(24, 0, 8);
	uint64_t at = go_first(f);

	assert_true(elf_go_waits(f, at));
	assert_false(elf_go_waits(f, at + 6 * 16));
	elf_close(f);
}
#endif

static void
nothing_of_go(void **state)
{
	struct err e = { 0 };
	struct elf_file *f = elf_open("/bin/sh", &e);
	struct elf_addrs a = { 0 };

	assert_non_null(f);
	assert_false(elf_is_go(f));
	assert_true(elf_entries_go(f, &a));
	assert_int_equal(a.n, 0);
	assert_false(elf_go_waits(f, elf_entry(f)));
	assert_true(elf_go_rows(f, row_none, NULL));
	elf_close(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(enters),
		cmocka_unit_test(waits_where),
		cmocka_unit_test(frames_are),
		cmocka_unit_test(is_not_understood),
#if GO_VERSION == 18
		cmocka_unit_test(is_relocated),
#endif
		cmocka_unit_test(nothing_of_go),
	};
	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
