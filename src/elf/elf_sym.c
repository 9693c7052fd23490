/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * elf_sym.c - the symbols of an object, gathered, sorted and looked up.
 *
 * An object with .symtab has all its symbols there.  A stripped one has
 * .dynsym, to which those of .gnu_debugdata, or else of a separate debug file,
 * are added.  The table is made once, at the first question, and sorted by
 * address; symbols at one address are aliases, best name first.
 *
 *	syms    A........ B... b  C.......... D...
 *	maxend  A         B    B  C           D     end of the longest so far
 *
 * maxend lets a look-up walk back over nested symbols and stop as soon as no
 * earlier one can reach the address.
 */
#include "elf/elf_impl.h"

#include <stdlib.h>
#include <string.h>

bool
elf_raws_add(struct elf_raws *r, const struct elf_raw *s)
{
	if (r->n == r->cap) {
		size_t cap = r->cap == 0 ? 4096 : 2 * r->cap;
		struct elf_raw *v = reallocarray(r->v, cap, sizeof(*v));

		if (v == NULL)
			return false;
		r->v = v;
		r->cap = cap;
	}
	r->v[r->n++] = *s;
	return true;
}

bool
elf_has_symtab(const struct elf_file *f, uint32_t type)
{
	for (size_t i = 1; i < f->nsecs; i++)
		if (f->secs[i].type == type)
			return true;
	return false;
}

/* Symbols that name something in memory. */
static bool
elf_sym_wanted(unsigned type, const char *name)
{
	switch (type) {
	case STT_NOTYPE:
		/* Compilers' and assemblers' own labels. */
		return name[0] != '.' && name[0] != '$';
	case STT_OBJECT:
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	default:
		return false;
	}
}

/* End of the section a symbol is in.  In debug files sections have lost their
   bytes but not their addresses. */
static uint64_t
elf_sec_end(const struct elf_file *f, const GElf_Sym *s)
{
	const struct elf_sec *sec;

	if (s->st_shndx >= f->nsecs)
		return 0;
	sec = &f->secs[s->st_shndx];
	if (s->st_value < sec->addr || s->st_value - sec->addr > sec->size)
		return 0;
	return sec->addr + sec->size;
}

/* Add the symbols of f's table of a type.  False: no memory. */
static bool
elf_table_syms(struct elf_file *f, uint32_t type, struct elf_raws *out)
{
	for (size_t i = 1; i < f->nsecs; i++) {
		Elf_Scn *scn;
		Elf_Data *d;
		GElf_Shdr sh;
		GElf_Sym s;

		if (f->secs[i].type != type)
			continue;
		scn = elf_getscn(f->elf, i);
		d = elf_getdata(scn, NULL);
		if (d == NULL || gelf_getshdr(scn, &sh) == NULL)
			continue;
		for (int k = 1; gelf_getsym(d, k, &s) != NULL; k++) {
			struct elf_raw r = { .addr = s.st_value,
					     .size = s.st_size,
					     .type = GELF_ST_TYPE(s.st_info),
					     .bind = GELF_ST_BIND(s.st_info) };

			if (s.st_shndx == SHN_UNDEF || s.st_shndx == SHN_ABS ||
			    s.st_shndx == SHN_COMMON)
				continue;
			r.name = elf_strptr(f->elf, sh.sh_link, s.st_name);
			if (r.name == NULL || r.name[0] == '\0' ||
			    !elf_sym_wanted(r.type, r.name))
				continue;
			r.limit = elf_sec_end(f, &s);
			if (!elf_raws_add(out, &r))
				return false;
		}
	}
	return true;
}

static bool
elf_gather(struct elf_file *f, struct elf_raws *out)
{
	size_t before;

	if (elf_has_symtab(f, SHT_SYMTAB))
		return elf_table_syms(f, SHT_SYMTAB, out);
	if (!elf_table_syms(f, SHT_DYNSYM, out))
		return false;
	before = out->n;
	if (!elf_debugdata_syms(f, out))
		return false;
	if (out->n != before)
		return true;
	f->debug = elf_debug_open(f);
	return f->debug == NULL || elf_table_syms(f->debug, SHT_SYMTAB, out);
}

/* ---- the table ------------------------------------------------------ */

static int
elf_bind_rank(unsigned bind)
{
	return bind == STB_GLOBAL || bind == STB_GNU_UNIQUE ? 0
	       : bind == STB_WEAK                           ? 1
							    : 2;
}

static bool
elf_raw_is_func(const struct elf_raw *r)
{
	return r->type == STT_FUNC || r->type == STT_GNU_IFUNC;
}

/* By address; aliases by preference: functions before labels, sized before
   unsized, global before weak before local, shorter name first. */
static int
elf_raw_cmp(const void *va, const void *vb)
{
	const struct elf_raw *a = va, *b = vb;
	size_t la, lb;
	int d;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	d = elf_raw_is_func(b) - elf_raw_is_func(a);
	if (d == 0)
		d = (b->size != 0) - (a->size != 0);
	if (d == 0)
		d = elf_bind_rank(a->bind) - elf_bind_rank(b->bind);
	if (d != 0)
		return d;
	la = strcspn(a->name, "@");
	lb = strcspn(b->name, "@");
	if (la != lb)
		return la < lb ? -1 : 1;
	d = memcmp(a->name, b->name, la);
	if (d != 0)
		return d;
	return a->size > b->size ? -1 : a->size < b->size;
}

/* Names may carry a version, "foo@@V1": the linker keeps it in .symtab. */
static const char *
elf_plain_name(struct elf_file *f, const char *name)
{
	const char *at = strchr(name, '@');

	if (at == NULL || at == name)
		return name;
	return arena_strndup(f->arena, name, (size_t)(at - name));
}

/* The end of the section that holds an address, for symbols of which no more
   is known. */
static uint64_t
elf_limit_at(const struct elf_file *f, uint64_t addr)
{
	for (size_t i = 1; i < f->nsecs; i++) {
		const struct elf_sec *s = &f->secs[i];

		if ((s->flags & SHF_ALLOC) != 0 && addr >= s->addr &&
		    addr - s->addr < s->size)
			return s->addr + s->size;
	}
	return 0;
}

static bool
elf_same_sym(const struct elf_sym *s, const struct elf_raw *r, const char *name)
{
	return s->addr == r->addr && s->is_func == elf_raw_is_func(r) &&
	       strcmp(s->name, name) == 0;
}

/* Copy the sorted list, without repetitions, into the file's table. */
static bool
elf_fill_table(struct elf_file *f, const struct elf_raws *r)
{
	f->syms = arena_calloc(f->arena, r->n, sizeof(*f->syms));
	f->maxend = arena_calloc(f->arena, r->n, sizeof(*f->maxend));
	if (f->syms == NULL || f->maxend == NULL)
		return false;
	for (size_t i = 0; i < r->n; i++) {
		const struct elf_raw *s = &r->v[i];
		const char *name = elf_plain_name(f, s->name);
		uint64_t limit = s->limit, size = s->size;

		if (name == NULL)
			return false;
		/* The sizes of damaged tables must not reach beyond. */
		if (limit == 0)
			limit = elf_limit_at(f, s->addr);
		if (limit > s->addr && size > limit - s->addr)
			size = limit - s->addr;
		if (f->nsyms != 0 &&
		    elf_same_sym(&f->syms[f->nsyms - 1], s, name))
			continue;
		f->maxend[f->nsyms] = limit; /* for elf_fill_sizes() */
		f->syms[f->nsyms++] = (struct elf_sym){
			.name = name,
			.addr = s->addr,
			.size = s->addr + size < s->addr ? 0 : size,
			.is_func = elf_raw_is_func(s),
			.is_global = elf_bind_rank(s->bind) == 0,
			.is_weak = s->bind == STB_WEAK,
			.is_ifunc = s->type == STT_GNU_IFUNC,
		};
	}
	return true;
}

/*
 * Give symbols without a size one that ends at the next symbol or at the
 * section's end, but not to labels inside another symbol: those are places in
 * a function, not functions.  On entry maxend[] holds the sections' ends, on
 * return what it is for.
 */
static void
elf_fill_sizes(struct elf_file *f)
{
	uint64_t reach = 0;
	size_t next = 0; /* first symbol beyond the current address */

	for (size_t i = 0; i < f->nsyms; i++) {
		struct elf_sym *s = &f->syms[i];
		uint64_t limit = f->maxend[i];

		if (next <= i)
			next = i + 1;
		while (next < f->nsyms && f->syms[next].addr == s->addr)
			next++;
		if (s->size == 0 && s->addr >= reach && limit > s->addr) {
			if (next < f->nsyms && f->syms[next].addr < limit)
				limit = f->syms[next].addr;
			s->size = limit - s->addr;
			s->guessed = true;
		}
		if (s->addr + s->size > reach)
			reach = s->addr + s->size;
		f->maxend[i] = reach;
	}
}

/*
 * Without memory there are no symbols; addresses are then printed as numbers,
 * and a name that is asked for is reported as not found.
 */
static void
elf_load_syms(struct elf_file *f)
{
	struct elf_raws r = { 0 };

	if (f->syms_loaded)
		return;
	f->syms_loaded = true;
	if (elf_gather(f, &r)) {
		if (r.n != 0)
			qsort(r.v, r.n, sizeof(*r.v), elf_raw_cmp);
		if (elf_fill_table(f, &r))
			elf_fill_sizes(f);
		else
			f->nsyms = 0;
	}
	free(r.v);
}

const struct elf_sym *
elf_syms(struct elf_file *f, size_t *n)
{
	elf_load_syms(f);
	*n = f->nsyms;
	return f->syms;
}

/* Index of the first symbol above addr. */
static size_t
elf_sym_above(const struct elf_file *f, uint64_t addr)
{
	size_t lo = 0, hi = f->nsyms;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (f->syms[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct elf_sym *
elf_sym_at(struct elf_file *f, uint64_t addr)
{
	const struct elf_sym *best = NULL;
	size_t i;

	elf_load_syms(f);
	for (i = elf_sym_above(f, addr); i-- > 0 && f->maxend[i] > addr;) {
		const struct elf_sym *s = &f->syms[i];

		if (best != NULL && s->addr != best->addr)
			break;
		if (addr - s->addr < s->size)
			best = s;
	}
	return best;
}

static void
elf_index_names(struct elf_file *f)
{
	f->names = hash_new();
	if (f->names == NULL)
		return;
	for (size_t i = 0; i < f->nsyms; i++) {
		const char *name = f->syms[i].name;

		if (hash_find_str(f->names, name) != NULL)
			continue;
		if (hash_set_str(f->names, name, &f->syms[i]) != 0) {
			hash_free(f->names);
			f->names = NULL;
			return;
		}
	}
}

const struct elf_sym *
elf_sym_find(struct elf_file *f, const char *name)
{
	elf_load_syms(f);
	if (f->names == NULL)
		elf_index_names(f);
	if (f->names != NULL)
		return hash_find_str(f->names, name);
	for (size_t i = 0; i < f->nsyms; i++)
		if (strcmp(f->syms[i].name, name) == 0)
			return &f->syms[i];
	return NULL;
}
