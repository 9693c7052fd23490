/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * elf_entry.c - where an object's code may be entered.
 *
 * Whoever overwrites instructions must know where control can arrive other
 * than from the instruction before.  Code itself says most of it; this file
 * collects what only the object's tables know: symbols, functions of the
 * unwind table, landing pads, and addresses of code that data holds; what code
 * makes of addresses is in elf_taken.c, what Go's own table says in elf_go.c.
 * In an object that can be loaded anywhere, each of the latter has a
 * relocation.  In one that cannot, nothing marks them: there every aligned word
 * of the data that could be such an address is taken for one.  Too many only
 * make us more careful.
 */
#include "base/vec.h"
#include "elf/elf_impl.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#ifndef SHT_RELR
#define SHT_RELR 19 /* elf.h before glibc 2.36 */
#endif

/* ---- lists of addresses -------------------------------------------------- */

void
elf_addrs_add(struct elf_addrs *a, uint64_t addr)
{
	if (a->n == a->cap) {
		size_t cap = a->cap == 0 ? 1024 : 2 * a->cap;
		uint64_t *v = reallocarray(a->v, cap, sizeof(*v));

		if (v == NULL) {
			a->failed = true;
			return;
		}
		a->v = v;
		a->cap = cap;
	}
	a->v[a->n++] = addr;
}

static int
elf_addr_cmp(const void *va, const void *vb)
{
	uint64_t a = *(const uint64_t *)va, b = *(const uint64_t *)vb;

	return a < b ? -1 : a > b;
}

bool
elf_addrs_table(struct elf_file *f, struct elf_addrs *a, uint64_t **v,
		size_t *n)
{
	size_t k = 0;

	*v = NULL;
	*n = 0;
	if (a->n != 0)
		qsort(a->v, a->n, sizeof(*a->v), elf_addr_cmp);
	for (size_t i = 0; i < a->n; i++)
		if (k == 0 || a->v[k - 1] != a->v[i])
			a->v[k++] = a->v[i];
	if (!a->failed)
		*v = arena_memdup(f->arena, a->v, k * sizeof(*a->v));
	if (*v != NULL)
		*n = k;
	free(a->v);
	return *v != NULL;
}

/* ---- code pointers ------------------------------------------------------- */

/* 8 bytes of data that hold an address of code once the object is loaded. */
struct elf_slot {
	uint64_t at, to;
};

struct ptr_scan {
	struct elf_file *f;
	struct elf_addrs ptrs;
	VEC(struct elf_slot) slots; /* those that a relocation fills */
	bool failed;
};

static void
ptr_add(struct elf_file *f, struct elf_addrs *a, uint64_t addr)
{
	if (elf_is_code(f, addr))
		elf_addrs_add(a, addr);
}

/* The value of symbol number i of section `link`; 0: not defined here. */
static uint64_t
ptr_symbol(struct elf_file *f, uint32_t link, uint32_t i)
{
	Elf_Scn *scn = elf_getscn(f->elf, link);
	Elf_Data *d = scn != NULL ? elf_getdata(scn, NULL) : NULL;
	GElf_Sym s;

	if (d == NULL || i > INT32_MAX || gelf_getsym(d, (int)i, &s) == NULL ||
	    s.st_shndx == SHN_UNDEF)
		return 0;
	return s.st_value;
}

/* The loader puts an address into 8 bytes of data. */
static void
slot_add(struct ptr_scan *s, uint64_t at, uint64_t to)
{
	const struct elf_slot x = { at, to };

	if (!elf_is_code(s->f, to))
		return;
	elf_addrs_add(&s->ptrs, to);
	if (!vec_push(&s->slots, x))
		s->failed = true;
}

static void
ptrs_of_rela(struct ptr_scan *ps, size_t sec)
{
	struct elf_file *f = ps->f;
	const struct elf_sec *s = &f->secs[sec];
	const uint8_t *p = elf_at(f, s->off, s->size);
	Elf_Scn *scn = elf_getscn(f->elf, sec);
	GElf_Shdr sh;
	Elf64_Rela r;

	if (p == NULL || scn == NULL || gelf_getshdr(scn, &sh) == NULL)
		return;
	for (uint64_t at = 0; s->size - at >= sizeof(r); at += sizeof(r)) {
		uint64_t sym;

		memcpy(&r, p + at, sizeof(r));
		switch (ELF64_R_TYPE(r.r_info)) {
		case R_X86_64_RELATIVE:
		case R_X86_64_IRELATIVE:
			slot_add(ps, r.r_offset, (uint64_t)r.r_addend);
			break;
		case R_X86_64_64:
			sym = ptr_symbol(f, sh.sh_link,
					 (uint32_t)ELF64_R_SYM(r.r_info));
			if (sym != 0)
				slot_add(ps, r.r_offset,
					 sym + (uint64_t)r.r_addend);
			break;
		default:
			break;
		}
	}
}

static void
ptr_at(struct ptr_scan *s, uint64_t slot)
{
	const uint8_t *p = elf_bytes(s->f, slot, 8);
	uint64_t v;

	if (p == NULL)
		return;
	memcpy(&v, p, sizeof(v));
	slot_add(s, slot, v);
}

/* Packed relative relocations: an address, then bit maps of the 63 words that
   follow each other. */
static void
ptrs_of_relr(struct ptr_scan *ps, size_t sec)
{
	const struct elf_sec *s = &ps->f->secs[sec];
	const uint8_t *p = elf_at(ps->f, s->off, s->size);
	uint64_t v, where = 0;

	if (p == NULL)
		return;
	for (uint64_t at = 0; s->size - at >= sizeof(v); at += sizeof(v)) {
		memcpy(&v, p + at, sizeof(v));
		if ((v & 1) == 0) {
			ptr_at(ps, v);
			where = v + 8;
			continue;
		}
		for (unsigned bit = 1; bit < 64; bit++)
			if ((v >> bit & 1) != 0)
				ptr_at(ps, where + 8 * (bit - 1));
		where += 63 * 8;
	}
}

/* Every aligned word of a section that could be an address of code. */
static void
ptrs_of_data(struct elf_file *f, size_t sec, struct elf_addrs *a)
{
	const struct elf_sec *s = &f->secs[sec];
	const uint8_t *p = elf_at(f, s->off, s->size);
	uint64_t lo = UINT64_MAX, hi = 0, v;

	if (p == NULL)
		return;
	for (size_t i = 0; i < f->nsegs; i++) {
		if (!f->segs[i].exec)
			continue;
		if (f->segs[i].addr < lo)
			lo = f->segs[i].addr;
		if (f->segs[i].addr + f->segs[i].filesz > hi)
			hi = f->segs[i].addr + f->segs[i].filesz;
	}
	for (uint64_t at = -s->addr & 7; at < s->size && s->size - at >= 8;
	     at += 8) {
		memcpy(&v, p + at, sizeof(v));
		if (v >= lo && v < hi)
			ptr_add(f, a, v);
	}
}

static bool
sec_is_data(const struct elf_sec *s)
{
	return (s->flags & SHF_ALLOC) != 0 && (s->flags & SHF_EXECINSTR) == 0 &&
	       (s->type == SHT_PROGBITS || s->type == SHT_INIT_ARRAY ||
		s->type == SHT_FINI_ARRAY || s->type == SHT_PREINIT_ARRAY);
}

static int
slot_cmp(const void *va, const void *vb)
{
	const struct elf_slot *a = va, *b = vb;

	return a->at < b->at ? -1 : a->at > b->at;
}

static void
ptrs_load(struct elf_file *f)
{
	struct ptr_scan s = { .f = f };

	for (size_t i = 1; i < f->nsecs; i++) {
		const struct elf_sec *sec = &f->secs[i];

		if ((sec->flags & SHF_ALLOC) == 0)
			continue;
		if (sec->type == SHT_RELA)
			ptrs_of_rela(&s, i);
		else if (sec->type == SHT_RELR)
			ptrs_of_relr(&s, i);
		else if (!elf_is_pie(f) && sec_is_data(sec))
			ptrs_of_data(f, i, &s.ptrs);
	}
	if (s.slots.n > 1)
		qsort(s.slots.v, s.slots.n, sizeof(*s.slots.v), slot_cmp);
	s.ptrs.failed |= s.failed;
	if (s.slots.n != 0)
		f->slots = arena_memdup(f->arena, s.slots.v,
					s.slots.n * sizeof(*s.slots.v));
	f->nslots = f->slots != NULL ? s.slots.n : 0;
	s.ptrs.failed |= f->nslots != s.slots.n;
	vec_fini(&s.slots);
	elf_addrs_table(f, &s.ptrs, &f->ptrs, &f->nptrs);
}

const uint64_t *
elf_code_ptrs(struct elf_file *f, size_t *n)
{
	if (!f->ptrs_loaded && elf_is_x86_64(f))
		ptrs_load(f);
	f->ptrs_loaded = true;
	*n = f->nptrs;
	return f->ptrs;
}

bool
elf_code_ptr(struct elf_file *f, uint64_t addr, uint64_t *to)
{
	size_t lo = 0, hi, n;
	const uint8_t *p;

	elf_code_ptrs(f, &n);
	for (hi = f->nslots; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;

		if (f->slots[mid].at < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < f->nslots && f->slots[lo].at == addr) {
		*to = f->slots[lo].to;
		return true;
	}
	p = elf_is_pie(f) ? NULL : elf_bytes(f, addr, 8);
	if (p == NULL)
		return false;
	memcpy(to, p, sizeof(*to));
	return elf_is_code(f, *to);
}

/* ---- jumps between functions --------------------------------------------- */

/*
 * A function's split-off part jumps back into its middle, and nothing else may
 * say so: the part can be reached by a landing pad only.  So all bytes of the
 * code that could be a jump with a 32-bit distance, and would lead from one
 * function into the middle of another, count as one.  About 1 in 250,000 bytes
 * is so by chance.
 */
struct jump_scan {
	struct elf_file *f;
	struct elf_addrs *out;
	const struct elf_fde *v; /* all, and the current one */
	size_t n, i;
};

/* The bytes at p, at addr, if they were a jump with its distance at p. */
static void
jump_at(struct jump_scan *s, const uint8_t *p, uint64_t addr)
{
	uint64_t to;
	int32_t rel;

	memcpy(&rel, p, sizeof(rel));
	to = addr + 4 + (uint64_t)(int64_t)rel;
	while (s->i < s->n && s->v[s->i].addr + s->v[s->i].size <= addr)
		s->i++;
	if (s->i < s->n && addr >= s->v[s->i].addr &&
	    to - s->v[s->i].addr < s->v[s->i].size)
		return;
	if (elf_is_inside(s->f, to))
		elf_addrs_add(s->out, to);
}

static void
entries_of_jumps(struct elf_file *f, struct elf_addrs *a)
{
	struct jump_scan s = { .f = f, .out = a };

	s.v = elf_fdes(f, &s.n);
	for (size_t k = 0; k < f->nsegs; k++) {
		const struct elf_seg *g = &f->segs[k];
		const uint8_t *p = elf_at(f, g->off, g->filesz);

		if (!g->exec || p == NULL)
			continue;
		s.i = 0;
		for (uint64_t at = 1; at + 4 <= g->filesz; at++) {
			bool jmp = p[at - 1] == 0xe9;
			bool jcc = (p[at - 1] & 0xf0) == 0x80 && at > 1 &&
				   p[at - 2] == 0x0f;

			if (jmp || jcc)
				jump_at(&s, p + at, g->addr + at);
		}
	}
}

/* ---- all entries --------------------------------------------------------- */

static void
entry_add(void *arg, uint64_t addr)
{
	elf_addrs_add(arg, addr);
}

const uint64_t *
elf_entries(struct elf_file *f, size_t *n)
{
	struct elf_addrs a = { 0 };
	const struct elf_fde *d;
	const struct elf_sym *s;
	const uint64_t *p;
	size_t k;

	if (f->entries_loaded)
		goto out;
	f->entries_loaded = true;
	ptr_add(f, &a, elf_entry(f));
	s = elf_syms(f, &k);
	for (size_t i = 0; i < k; i++)
		ptr_add(f, &a, s[i].addr);
	d = elf_fdes(f, &k);
	for (size_t i = 0; i < k; i++) {
		elf_addrs_add(&a, d[i].addr);
		elf_landing_pads(f, &d[i], entry_add, &a);
	}
	p = elf_code_ptrs(f, &k);
	for (size_t i = 0; i < k; i++)
		elf_addrs_add(&a, p[i]);
	entries_of_jumps(f, &a);
	elf_entries_taken(f, &a);
	a.failed |= f->fdes_failed || p == NULL || !elf_entries_go(f, &a);
	elf_addrs_table(f, &a, &f->entries, &f->nentries);
out:
	*n = f->nentries;
	return f->entries;
}

/* The section of the linker's stubs that holds addr, and how far apart these
   are; NULL: none does. */
static const struct elf_sec *
entry_stubs(const struct elf_file *f, uint64_t addr, uint64_t *step)
{
	static const struct {
		const char *name;
		uint64_t step;
	} secs[] = { { ".plt", 16 },
		     { ".plt.sec", 16 },
		     { ".plt.got", 8 },
		     { ".iplt", 16 } };

	for (size_t i = 0; i < sizeof(secs) / sizeof(secs[0]); i++) {
		const struct elf_sec *s = elf_sec_find(f, secs[i].name);

		*step = secs[i].step;
		if (s != NULL && addr - s->addr < s->size)
			return s;
	}
	return NULL;
}

bool
elf_is_stubs(const struct elf_file *f, uint64_t addr)
{
	uint64_t step;

	return entry_stubs(f, addr, &step) != NULL;
}

bool
elf_is_fn(struct elf_file *f, uint64_t addr)
{
	const struct elf_fde *d = elf_fde_at(f, addr);
	const struct elf_sym *s;
	const struct elf_sec *stubs;
	uint64_t step;

	if (d != NULL && d->addr == addr)
		return !d->fragment;
	s = elf_sym_at(f, addr);
	if (s != NULL && s->addr == addr && s->is_func)
		return true;
	stubs = entry_stubs(f, addr, &step);
	return stubs != NULL && (addr - stubs->addr) % step == 0;
}
