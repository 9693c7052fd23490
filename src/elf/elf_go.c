/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * elf_go.c - where the runtime of Go enters code, by its own table.
 *
 * Go has a table of all functions, .gopclntab, which its runtime walks stacks
 * by (go.dev/s/go12symtab; src/runtime/symtab.go, type _func).  It says two
 * things that no instruction says:
 *
 *   deferreturn  the place of a function where a panic that was recovered goes
 *                on: the call of the deferred functions at its end
 *   TOPFRAME     a function that nothing has called: the last one of a stack.
 *                The runtime plants an address in its inside as a return
 *                address: runtime.goexit + 1 under every goroutine.  All of its
 *                bytes count as entered.
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
 *	_func     address, name, arguments, deferreturn ... flag
 */
#include "elf/elf_impl.h"

#include <string.h>

#define TOP_FRAME 1u   /* a bit of _func.flag */
#define TOP_MAX   1024 /* bytes of such a function, at most */

/* What differs between versions; offsets in the header and in a _func. */
static const struct go_version {
	uint32_t magic;
	uint32_t text, table; /* text 0: addresses are absolute */
	uint32_t cell;        /* bytes of an address in the table */
	uint32_t defer, flag;
} versions[] = {
	{ 0xfffffffa, 0, 56, 8, 16, 41 },  /* 1.16 */
	{ 0xfffffff0, 24, 64, 4, 12, 37 }, /* 1.18 */
	{ 0xfffffff1, 24, 64, 4, 12, 41 }, /* 1.20 */
};

struct go_table {
	const struct go_version *ver;
	const uint8_t *p; /* the section */
	size_t n;
	uint64_t text, nfuncs, table;
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
	if (t->ver->text != 0 &&
	    !elf_code_ptr(f, addr + t->ver->text, &t->text))
		t->text = go_word(t, t->ver->text, 8);
	/* Absolute addresses that the loader fills in are not in the file. */
	return (t->ver->text == 0 ? !elf_is_pie(f) : elf_is_code(f, t->text)) &&
	       t->table < t->n &&
	       t->nfuncs < (t->n - t->table) / (2 * t->ver->cell);
}

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
