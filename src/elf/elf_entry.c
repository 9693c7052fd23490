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
	/* Most come sorted, and often more than once. */
	if (a->n != 0 && a->v[a->n - 1] == addr)
		return;
	if (a->n == a->cap) {
		size_t cap = a->cap + a->cap / 2 + 1024;
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

bool
elf_addrs_table(struct elf_addrs *a, uint64_t **v, size_t *n)
{
	size_t k = 0;

	*v = NULL;
	*n = 0;
	elf_sort(a->v, a->n, sizeof(*a->v), 0);
	for (size_t i = 0; i < a->n; i++)
		if (k == 0 || a->v[k - 1] != a->v[i])
			a->v[k++] = a->v[i];
	if (!a->failed)
		*v = realloc(a->v, (k + 1) * sizeof(*a->v));
	if (*v != NULL)
		*n = k;
	else
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
	struct elf_frames frames; /* no pointers to be jumped by */
	VEC(struct elf_slot) slots; /* those that a relocation fills */
};

static void
ptr_add(struct elf_file *f, struct elf_addrs *a, uint64_t addr)
{
	if (elf_is_code(f, addr))
		elf_addrs_add(a, addr);
}

/* The value of symbol number i of section `link`; 0: not defined here. */
static uint64_t
ptr_symbol(const struct elf_file *f, uint32_t link, uint32_t i)
{
	const struct elf_sec *sec = link < f->nsecs ? &f->secs[link] : NULL;
	uint64_t off = (uint64_t)i * sizeof(Elf64_Sym);
	const uint8_t *p;
	Elf64_Sym s;

	if (sec == NULL || sec->size < sizeof(s) ||
	    off > sec->size - sizeof(s) || sec->type == SHT_NOBITS ||
	    (p = elf_at(f, sec->off, sec->size)) == NULL)
		return 0;
	memcpy(&s, p + off, sizeof(s));
	return s.st_shndx != SHN_UNDEF ? s.st_value : 0;
}

/* The loader puts an address into 8 bytes of data. */
static void
slot_add(struct ptr_scan *s, uint64_t at, uint64_t to)
{
	const struct elf_slot x = { at, to };

	if (!elf_is_code(s->f, to) || elf_frames_has(&s->frames, at))
		return;
	elf_addrs_add(&s->ptrs, to);
	if (!vec_push(&s->slots, x))
		s->ptrs.failed = true;
}

/* The code address that a relocation puts somewhere, if it does. */
static void
ptr_of_rela(struct ptr_scan *s, const Elf64_Rela *r, uint32_t link)
{
	uint64_t sym;

	switch (ELF64_R_TYPE(r->r_info)) {
	case R_X86_64_RELATIVE:
	case R_X86_64_IRELATIVE:
		slot_add(s, r->r_offset, (uint64_t)r->r_addend);
		break;
	case R_X86_64_64:
		sym = ptr_symbol(s->f, link, (uint32_t)ELF64_R_SYM(r->r_info));
		if (sym != 0)
			slot_add(s, r->r_offset, sym + (uint64_t)r->r_addend);
		break;
	default:
		break;
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
   follow each other.  *where is the first of them. */
static void
ptrs_of_relr(struct ptr_scan *s, uint64_t v, uint64_t *where)
{
	if ((v & 1) == 0) {
		ptr_at(s, v);
		*where = v + 8;
		return;
	}
	for (unsigned bit = 1; bit < 64; bit++)
		if ((v >> bit & 1) != 0)
			ptr_at(s, *where + 8 * (bit - 1));
	*where += (uint64_t)63 * 8;
}

/* The addresses of executable segments: from the lowest to the highest. */
static void
code_range(const struct elf_file *f, uint64_t *lo, uint64_t *hi)
{
	*lo = UINT64_MAX;
	*hi = 0;
	for (size_t i = 0; i < f->nsegs; i++) {
		const struct elf_seg *g = &f->segs[i];

		if (!g->exec)
			continue;
		*lo = g->addr < *lo ? g->addr : *lo;
		*hi = g->addr + g->filesz > *hi ? g->addr + g->filesz : *hi;
	}
}

/* How the words of a section can hold code addresses. */
enum ptrs_in { PTRS_NONE, PTRS_RELA, PTRS_RELR, PTRS_WORDS };

/* The code pointers of a section. */
static void
ptrs_of_sec(struct ptr_scan *ps, const struct elf_sec *sec, enum ptrs_in in)
{
	struct elf_file *f = ps->f;
	struct elf_addrs *a = &ps->ptrs;
	const size_t size = in == PTRS_RELA ? sizeof(Elf64_Rela) : 8;
	uint64_t start = sec->off, end = sec->off + sec->size, off, v;
	uint64_t where = 0, lo, hi, budget = ELF_TABLE_MAX;
	struct elf_span s;
	Elf64_Rela r;

	if (elf_at(f, sec->off, sec->size) == NULL)
		return;
	if (in == PTRS_WORDS) /* those that are aligned in memory */
		start += -sec->addr & 7;
	code_range(f, &lo, &hi);
	for (off = start;
	     start < end && elf_data_next_of(f, off, end, start, size, &s);) {
		a->failed |= s.hi - s.lo > budget;
		if (a->failed)
			return;
		budget -= s.hi - s.lo;
		for (off = s.lo; off < s.hi; off += size) {
			if (in == PTRS_RELA) {
				memcpy(&r, f->map + off, sizeof(r));
				ptr_of_rela(ps, &r, sec->link);
				continue;
			}
			memcpy(&v, f->map + off, sizeof(v));
			if (in == PTRS_RELR)
				ptrs_of_relr(ps, v, &where);
			else if (v >= lo && v < hi &&
				 !elf_frames_has(&ps->frames, sec->addr +
							(off - sec->off)))
				ptr_add(f, a, v);
		}
	}
	elf_forget(f, sec->off, sec->size);
}

static bool
sec_is_data(const struct elf_sec *s)
{
	return (s->flags & SHF_ALLOC) != 0 && (s->flags & SHF_EXECINSTR) == 0 &&
	       (s->type == SHT_PROGBITS || s->type == SHT_INIT_ARRAY ||
		s->type == SHT_FINI_ARRAY || s->type == SHT_PREINIT_ARRAY);
}

static enum ptrs_in
ptrs_in_sec(const struct elf_file *f, const struct elf_sec *s)
{
	if ((s->flags & SHF_ALLOC) == 0)
		return PTRS_NONE;
	if (s->type == SHT_RELA)
		return PTRS_RELA;
	if (s->type == SHT_RELR)
		return PTRS_RELR;
	return !elf_is_pie(f) && sec_is_data(s) ? PTRS_WORDS : PTRS_NONE;
}

static void
ptrs_load(struct elf_file *f)
{
	struct ptr_scan s = { .f = f };

	elf_frames_find(f, &s.frames);
	for (size_t i = 1; i < f->nsecs; i++) {
		enum ptrs_in in = ptrs_in_sec(f, &f->secs[i]);

		if (in != PTRS_NONE)
			ptrs_of_sec(&s, &f->secs[i], in);
	}
	elf_sort(s.slots.v, s.slots.n, sizeof(*s.slots.v),
		 offsetof(struct elf_slot, at));
	if (s.slots.n != 0)
		f->slots = arena_memdup(f->arena, s.slots.v,
					s.slots.n * sizeof(*s.slots.v));
	f->nslots = f->slots != NULL ? s.slots.n : 0;
	s.ptrs.failed |= f->nslots != s.slots.n;
	vec_fini(&s.slots);
	vec_fini(&s.frames);
	elf_addrs_table(&s.ptrs, &f->ptrs, &f->nptrs);
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
 *
 * Code without an FDE is hand-made, or its object has none.  There functions
 * may begin that no symbol names, and whatever could lead to them counts:
 * jumps, calls, `lea`, and in an object that has a place of its own any four
 * bytes that are such an address.  What a function does to itself, in the
 * extent that its symbol says, is left out.
 */
struct jump_scan {
	struct elf_file *f;
	struct elf_addrs *out;
	struct elf_split *splits;
	const struct elf_fde *v; /* all, and the current one */
	size_t n, i;
};

/* Something at addr leads to `to`, where no FDE is. */
static void
bare_add(const struct jump_scan *s, uint64_t addr, uint64_t to)
{
	const struct elf_sym *y;

	if (!elf_is_code(s->f, to))
		return;
	y = elf_sym_at(s->f, to);
	if (y == NULL || y->guessed || addr - y->addr >= y->size)
		elf_addrs_add(s->out, to);
}

static uint64_t
rel32_to(const uint8_t *p, uint64_t addr)
{
	int32_t rel;

	memcpy(&rel, p, sizeof(rel));
	return addr + 4 + (uint64_t)(int64_t)rel;
}

/* The bytes at p, at addr, if they were a jump with its distance at p. */
static void
jump_at(struct jump_scan *s, const uint8_t *p, uint64_t addr)
{
	const struct elf_fde *d;
	uint64_t to = rel32_to(p, addr);

	bool in;

	while (s->i < s->n && s->v[s->i].addr + s->v[s->i].size <= addr)
		s->i++;
	in = s->i < s->n && addr >= s->v[s->i].addr;
	if (in && to - s->v[s->i].addr < s->v[s->i].size)
		return;
	d = elf_fde_at(s->f, to);
	if (d == NULL) {
		bare_add(s, addr, to);
		return;
	}
	elf_split_jump(s->splits, in ? (uint32_t)s->i : ELF_NO_FDE,
		       (uint32_t)(d - s->v), d->addr != to);
	if (d->addr != to)
		elf_addrs_add(s->out, to);
}

/* The same of a call or lea, or of an address as it is. */
static void
name_at(struct jump_scan *s, uint64_t addr, uint64_t to)
{
	const struct elf_fde *d;

	if (!elf_is_code(s->f, to))
		return;
	d = elf_fde_at(s->f, to);
	if (d == NULL)
		bare_add(s, addr, to);
	else if (d->addr == to)
		elf_split_named(s->splits, (uint32_t)(d - s->v));
}

/* Four bytes at p, at addr, after `before` others. */
static void
entries_at(struct jump_scan *s, const uint8_t *p, uint64_t before,
	   uint64_t addr)
{
	bool jmp = before > 0 && p[-1] == 0xe9;
	bool jcc = before > 1 && (p[-1] & 0xf0) == 0x80 && p[-2] == 0x0f;
	bool call = before > 0 && p[-1] == 0xe8;
	bool lea = before > 2 && (p[-1] & 0xc7) == 0x05 && p[-2] == 0x8d &&
		   (p[-3] & 0xf8) == 0x48;
	uint32_t v;

	if (jmp || jcc)
		jump_at(s, p, addr);
	if (call || lea)
		name_at(s, addr, rel32_to(p, addr));
	if (!elf_is_pie(s->f)) {
		memcpy(&v, p, sizeof(v));
		name_at(s, addr, v);
	}
}

/* The bytes of a segment from one offset to another, 4 of which may be behind
   it. */
static void
entries_between(struct jump_scan *s, const struct elf_seg *g,
		const struct elf_span *at)
{
	const uint8_t *p = s->f->map;
	uint64_t end = g->off + g->filesz;

	for (uint64_t o = at->lo; o < at->hi && end - o >= 4; o++)
		entries_at(s, p + o, o - g->off, g->addr + (o - g->off));
}

static void
entries_of_code(struct elf_file *f, struct elf_addrs *a)
{
	struct jump_scan s = { .f = f, .out = a };
	uint64_t budget = ELF_TABLE_MAX;
	struct elf_span at;

	s.v = elf_fdes(f, &s.n);
	s.splits = elf_splits_new(f);
	a->failed |= s.splits == NULL;
	for (size_t k = 0; k < f->nsegs; k++) {
		const struct elf_seg *g = &f->segs[k];
		uint64_t end = g->off + g->filesz;

		s.i = 0;
		for (uint64_t off = g->off;
		     g->exec && elf_data_next(f, off, end, &at); off = at.hi) {
			a->failed |= at.hi - at.lo > budget;
			if (a->failed)
				break;
			budget -= at.hi - at.lo;
			entries_between(&s, g, &at);
		}
	}
	if (a->failed)
		free(s.splits);
	else
		elf_splits_take(f, s.splits);
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
	size_t k, pads = ELF_PADS_MAX;

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
		a.failed |= !elf_pads_upto(f, &d[i], entry_add, &a, &pads);
	}
	p = elf_code_ptrs(f, &k);
	for (size_t i = 0; i < k; i++)
		elf_addrs_add(&a, p[i]);
	entries_of_code(f, &a);
	elf_entries_taken(f, &a);
	a.failed |= f->fdes_failed || f->syms_failed || p == NULL ||
		    !elf_entries_go(f, &a);
	elf_addrs_table(&a, &f->entries, &f->nentries);
out:
	*n = f->nentries;
	return f->entries;
}

static const struct {
	const char *name;
	uint64_t step;
} entry_stub_secs[] = {
	{ ".plt", 16 }, { ".plt.sec", 16 }, { ".plt.got", 8 }, { ".iplt", 16 }
};

bool
elf_stub_sec(struct elf_file *f, size_t i, const struct elf_sec **s,
	     uint64_t *step)
{
	const size_t n = sizeof(f->stubs) / sizeof(f->stubs[0]);

	if (i >= n)
		return false;
	if (!f->stubs_loaded) {
		for (size_t k = 0; k < n; k++)
			f->stubs[k] = elf_sec_find(f, entry_stub_secs[k].name);
		f->stubs_loaded = true;
	}
	*s = f->stubs[i];
	*step = entry_stub_secs[i].step;
	return true;
}

/* The section of the linker's stubs that holds addr, and how far apart these
   are; NULL: none does. */
static const struct elf_sec *
entry_stubs(struct elf_file *f, uint64_t addr, uint64_t *step)
{
	const struct elf_sec *s;

	for (size_t i = 0; elf_stub_sec(f, i, &s, step); i++)
		if (s != NULL && addr - s->addr < s->size)
			return s;
	return NULL;
}

bool
elf_is_stubs(struct elf_file *f, uint64_t addr)
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
