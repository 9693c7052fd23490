/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * elf_go.c - where the runtime of Go enters code, and how its stacks are
 * walked, by its own table.
 *
 * Go has a table of all functions, .gopclntab, which its runtime walks stacks
 * by (go.dev/s/go12symtab; src/runtime/symtab.go, type _func).  It says
 * things that no instruction says:
 *
 *   deferreturn  the place of a function where a panic that was recovered goes
 *                on: the call of the deferred functions at its end
 *   TOPFRAME     a function that no code of Go has called: the last one of a
 *                stack.
 *                The runtime plants an address in its inside as a return
 *                address: runtime.goexit + 1 under every goroutine.  All of its
 *                bytes count as entered.
 *   SPWRITE      a function that goes to another stack: nobody can walk on
 *                from there
 *   pcsp         how much of the stack each instruction of a function has below
 *                its return address: pairs of a change of that and of an
 *                advance, both of variable length; a change of 0 ends them
 *
 *   PCDATA 0     where a thread must not be taken off a goroutine.  At any
 *                other instruction a signal may do that (UnsafePoint;
 *                src/runtime/preempt.go, isAsyncSafePoint()), and the goroutine
 *                waits with that address on its stack: whoever overwrites code
 *                under it must know (elf_go_waits()).
 *
 * A table of a version that is not known is a failure: nothing of such an
 * object may be overwritten, since the runtime might enter it anywhere.
 *
 *	header    magic, pad, quantum, pointer size; number of functions, of
 *		  files; from 1.18 on the address of the code; offsets of names,
 *		  units, files, pc tables, and of the functions' table
 *	function  address, offset of its _func from the table; one more address
 *		  at the end.  From 1.18 on 4 bytes each and relative to the
 *		  code's address, 8 bytes each before.
 *	_func     address, name, arguments, deferreturn, pcsp ... npcdata ...
 *		  flag, nfuncdata; then npcdata offsets of 4 bytes into the pc
 *		  tables and nfuncdata of FUNCDATA: of 4 bytes, ~0 for none,
 *		  from 1.18 on, pointers before
 *	pc table  pairs of varints: value up or down (zigzag), bytes of code for
 *		  which it holds; ends with an up of 0.  Values begin at -1.
 */
#include "elf/elf_reader.h"

#include <string.h>

#define TOP_FRAME 1u   /* bits of _func.flag */
#define SP_WRITE  2u
#define TOP_MAX   1024 /* bytes of such a function, at most */

/* What differs between versions; offsets in the header and in a _func.  That of
   the pc tables is in the 8 bytes before `table`, pcsp in the 4 after
   `defer`. */
static const struct go_version {
	uint32_t magic;
	uint32_t text, table; /* text 0: addresses are absolute */
	uint32_t cell;        /* bytes of an address in the table; a name's
				 offset follows one in a _func */
	uint32_t defer, npcdata, flag;
	uint32_t nfuncdata, size; /* of a _func */
} versions[] = {
	{ 0xfffffffa, 0, 56, 8, 16, 32, 41, 43, 44 },  /* 1.16 */
	{ 0xfffffff0, 24, 64, 4, 12, 28, 37, 39, 40 }, /* 1.18 */
	{ 0xfffffff1, 24, 64, 4, 12, 28, 41, 43, 44 }, /* 1.20 */
};

struct go_table {
	const struct go_version *ver;
	const uint8_t *p; /* the section */
	size_t n;
	uint64_t text, nfuncs, table, pctab, names;
};

/* A number of 4 or 8 bytes; 0 where there is none. */
static uint64_t
go_word(const struct go_table *t, uint64_t at, uint32_t size)
{
	uint64_t v = 0;

	if (at <= t->n && t->n - at >= size)
		memcpy(&v, t->p + at, size);
	return v;
}

static const uint8_t *
go_section(struct elf_file *f, size_t *n, uint64_t *addr)
{
	const uint8_t *p = elf_section(f, ".gopclntab", n, addr);

	return p != NULL ? p
			 : elf_section(f, ".data.rel.ro.gopclntab", n, addr);
}

bool
elf_is_go(struct elf_file *f)
{
	size_t n;

	return go_section(f, &n, NULL) != NULL;
}

/* false: not understood. */
static bool
go_open(struct elf_file *f, struct go_table *t, uint64_t addr)
{
	uint32_t magic = (uint32_t)go_word(t, 0, 4);
	size_t i = 0, nvers = sizeof(versions) / sizeof(versions[0]);

	while (i < nvers && versions[i].magic != magic)
		i++;
	if (i == nvers || t->n < 72 || t->p[7] != 8)
		return false;
	t->ver = &versions[i];
	t->nfuncs = go_word(t, 8, 8);
	t->table = go_word(t, t->ver->table, 8);
	t->pctab = go_word(t, t->ver->table - 8, 8);
	t->names = go_word(t, t->ver->table - 32, 8);
	if (t->ver->text != 0 &&
	    !elf_code_ptr(f, addr + t->ver->text, &t->text))
		t->text = go_word(t, t->ver->text, 8);
	/* Absolute addresses that the loader fills in are not in the file. */
	return (t->ver->text == 0 ? !elf_is_pie(f) : elf_is_code(f, t->text)) &&
	       t->table < t->n &&
	       t->nfuncs < (t->n - t->table) / (2 * t->ver->cell);
}

/* ---- entries ------------------------------------------------------------- */

/* Function i of the table: its address, and what its _func says. */
static void
go_func(struct elf_file *f, const struct go_table *t, uint64_t i,
	struct elf_addrs *a)
{
	const uint32_t cell = t->ver->cell;
	uint64_t at = t->table + i * 2 * cell;
	uint64_t addr = go_word(t, at, cell) + t->text;
	uint64_t end = go_word(t, at + 2 * cell, cell) + t->text;
	uint64_t info = t->table + go_word(t, at + cell, cell);
	uint64_t defer = go_word(t, info + t->ver->defer, 4);

	if (defer != 0 && elf_is_code(f, addr + defer))
		elf_addrs_add(a, addr + defer);
	if ((go_word(t, info + t->ver->flag, 1) & TOP_FRAME) == 0)
		return;
	for (uint64_t k = 1;
	     k < TOP_MAX && addr + k < end && elf_is_code(f, addr + k); k++)
		elf_addrs_add(a, addr + k);
}

bool
elf_entries_go(struct elf_file *f, struct elf_addrs *a)
{
	struct go_table t = { 0 };
	uint64_t addr;

	t.p = go_section(f, &t.n, &addr);
	if (t.p == NULL)
		return true;
	if (!go_open(f, &t, addr))
		return false;
	for (uint64_t i = 0; i < t.nfuncs; i++)
		go_func(f, &t, i, a);
	return true;
}

/* ---- where goroutines wait ----------------------------------------------- */

/* PCDATA: may it be preempted; which inlined function is there. */
#define UNSAFE_POINT 0
#define INLINED      2
/* FUNCDATA that code in assembly has not; without it nobody is preempted. */
#define LOCALS_POINTERS 1
/* Values: of any PCDATA where its table says nothing; of UNSAFE_POINT. */
#define NONE    -1
#define UNSAFE  -2
#define RESTART -5 /* it goes on at the start of its function */

static bool
go_varint(const struct go_table *t, uint64_t *at, uint32_t *v)
{
	*v = 0;
	for (unsigned shift = 0; shift < 32 && *at < t->n; shift += 7) {
		uint8_t b = t->p[(*at)++];

		*v |= (uint32_t)(b & 0x7f) << shift;
		if ((b & 0x80) == 0)
			return true;
	}
	return false;
}

/* A PCDATA of a function at `pc` bytes from its start. */
static int32_t
go_pc_value(const struct go_table *t, uint64_t info, uint32_t i, uint64_t pc)
{
	uint32_t value = (uint32_t)NONE, up, len;
	uint64_t end = 0, at = go_word(t, info + t->ver->size + 4 * i, 4);

	if (at == 0 || go_word(t, info + t->ver->npcdata, 4) <= i)
		return NONE;
	at += t->pctab;
	for (bool first = true; go_varint(t, &at, &up); first = false) {
		if (up == 0 && !first)
			break;
		value += (up >> 1) ^ -(up & 1);
		if (!go_varint(t, &at, &len))
			break;
		end += len;
		if (pc < end)
			return (int32_t)value;
	}
	return NONE;
}

/* The _func of the function that holds addr, and where that begins; 0: none. */
static uint64_t
go_func_at(const struct go_table *t, uint64_t addr, uint64_t *start)
{
	const uint32_t cell = t->ver->cell;
	uint64_t lo = 0, hi = t->nfuncs;

	while (lo < hi) {
		uint64_t mid = lo + (hi - lo) / 2;

		if (go_word(t, t->table + mid * 2 * cell, cell) + t->text <=
		    addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)
		return 0;
	lo = t->table + (lo - 1) * 2 * cell;
	*start = go_word(t, lo, cell) + t->text;
	if (addr >= go_word(t, lo + 2 * cell, cell) + t->text)
		return 0; /* behind the last one: of another language */
	return t->table + go_word(t, lo + cell, cell);
}

/* True if its code has the FUNCDATA without which it is never preempted. */
static bool
go_has_locals(const struct go_table *t, uint64_t info)
{
	const uint32_t size = t->ver->text != 0 ? 4 : 8;
	uint64_t at =
		info + t->ver->size + 4 * go_word(t, info + t->ver->npcdata, 4);

	if (go_word(t, info + t->ver->nfuncdata, 1) <= LOCALS_POINTERS)
		return false;
	at = (at + size - 1) & ~(uint64_t)(size - 1);
	at = go_word(t, at + (uint64_t)LOCALS_POINTERS * size, size);
	return at != (size == 4 ? UINT32_MAX : 0);
}

/* True if it is a function of packages in which nobody is preempted. */
static bool
go_is_runtime(const struct go_table *t, uint64_t info)
{
	static const char *const packages[] = { "runtime.", "runtime/internal/",
						"reflect." };
	uint64_t at = t->names + go_word(t, info + t->ver->cell, 4);

	for (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++) {
		size_t n = strlen(packages[i]);

		if (at < t->n && n < t->n - at &&
		    memcmp(t->p + at, packages[i], n) == 0)
			return true;
	}
	return false;
}

bool
elf_go_waits(struct elf_file *f, uint64_t addr)
{
	struct go_table t = { 0 };
	uint64_t at, info, start = 0;
	int32_t v;

	t.p = go_section(f, &t.n, &at);
	if (t.p == NULL)
		return false;
	if (!go_open(f, &t, at))
		return true;
	info = go_func_at(&t, addr, &start);
	if (info == 0 || !go_has_locals(&t, info))
		return false;
	if (go_is_runtime(&t, info) &&
	    go_pc_value(&t, info, INLINED, addr - start) == NONE)
		return false;
	v = go_pc_value(&t, info, UNSAFE_POINT, addr - start);
	return v != UNSAFE && v != RESTART;
}

/* ---- frames -------------------------------------------------------------- */

/* A change: its lowest bit is the sign. */
static int64_t
go_change(struct eh_reader *r)
{
	uint64_t v = eh_uleb(r);

	return (int64_t)((v >> 1) ^ (0 - (v & 1)));
}

/* The rows of a function in [addr, end) by its pairs. */
static bool
go_pairs(struct eh_reader r, uint64_t addr, uint64_t end, uint64_t quantum,
	 elf_cfi_fn *fn, void *arg)
{
	struct elf_cfi row = { .cfa = ELF_CFA_RSP, .rbp = ELF_RBP_LOST };
	int64_t deep = -1, change;

	for (bool first = true; addr < end; first = false) {
		change = go_change(&r);
		if (r.bad || (change == 0 && !first))
			return true;
		deep = (int64_t)((uint64_t)deep + (uint64_t)change);
		row.addr = addr;
		uint64_t n = eh_uleb(&r) * quantum;
		addr = n < end - addr ? addr + n : end;
		row.end = addr;
		row.off = deep + 8;
		if (r.bad || deep < 0 || n == 0)
			return true;
		if (!fn(arg, &row))
			return false;
	}
	return true;
}

/* True if the function is a call and a ret: mstart(), with which a thread
   begins that clone() has made, and which has been called by it. */
static bool
go_is_called(struct elf_file *f, uint64_t addr)
{
	const uint8_t *p = elf_bytes(f, addr, 6);

	return p != NULL && p[0] == 0xe8 && p[5] == 0xc3;
}

static bool
go_rows(struct elf_file *f, const struct go_table *t, uint64_t i,
	elf_cfi_fn *fn, void *arg)
{
	const uint32_t cell = t->ver->cell;
	uint64_t at = t->table + i * 2 * cell;
	uint64_t addr = go_word(t, at, cell) + t->text;
	uint64_t end = go_word(t, at + 2 * cell, cell) + t->text;
	uint64_t info = t->table + go_word(t, at + cell, cell);
	uint64_t flag = go_word(t, info + t->ver->flag, 1);
	uint64_t pcsp = go_word(t, info + t->ver->defer + 4, 4);
	uint64_t from = go_word(t, t->ver->table - 8, 8);
	struct elf_cfi row = { .addr = addr, .end = end };

	if (addr >= end || end - addr > elf_code_left(f, addr))
		return true;
	if ((flag & TOP_FRAME) && go_is_called(f, addr))
		flag = 0;
	if (flag & TOP_FRAME)
		row.cfa = ELF_CFA_END;
	if (flag & (TOP_FRAME | SP_WRITE))
		return fn(arg, &row);
	if (pcsp == 0 || from > t->n || pcsp >= t->n - from)
		return true;
	struct eh_reader r = { .p = t->p + from + pcsp, .end = t->p + t->n };
	return go_pairs(r, addr, end, t->p[6], fn, arg);
}

bool
elf_go_rows(struct elf_file *f, elf_cfi_fn *fn, void *arg)
{
	struct go_table t = { 0 };
	uint64_t addr;

	t.p = go_section(f, &t.n, &addr);
	if (t.p == NULL || !go_open(f, &t, addr))
		return true;
	for (uint64_t i = 0; i < t.nfuncs; i++)
		if (!go_rows(f, &t, i, fn, arg))
			return false;
	return true;
}
