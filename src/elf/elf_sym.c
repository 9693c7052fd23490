/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * elf_sym.c - the symbols of an object, gathered, sorted and looked up.
 *
 * An object with .symtab has all its symbols there.  A stripped one has
 * .dynsym, to which those of .gnu_debugdata, or else of a separate debug file,
 * are added.  The table is made once, at the first question, and sorted by
 * address; symbols at one address are aliases, best name first.
 *
 *	syms    A........ B... b  C....... | D...  E..... F.
 *	maxend                           C |             E    end of the longest
 *						       so far, for each block
 *
 * maxend lets a look-up walk back over nested symbols and stop, at the latest
 * at the next end of a block, when no earlier one can reach the address.
 *
 * A table takes as much memory as the file has for its symbols, and while it
 * is made no more than that: it is filled in one pass and sorted where it is.
 * Names stay in the file.
 */
#include "elf/elf_impl.h"

#include <stdlib.h>
#include <string.h>

#define SYM_BLOCK 32u    /* symbols to a maxend */
#define SYM_CHUNK 65536u /* read before pages are given back */
#define WALK_MAX  65536u /* symbols that a look-up walks back over */
#define ALIASES                                                                \
	4096u                /* at one address, of which more than the best    \
				comes first */
#define PLAIN_MAX (4u << 20) /* bytes of names that are copied */

bool
elf_has_symtab(const struct elf_file *f, uint32_t type)
{
	for (size_t i = 1; i < f->nsecs; i++)
		if (f->secs[i].type == type)
			return true;
	return false;
}

bool
elf_is_stripped(const struct elf_file *f)
{
	return !elf_has_symtab(f, SHT_SYMTAB) && f->debug == NULL;
}

size_t
elf_syms_most(const struct elf_file *f)
{
	uint64_t bytes = 0;

	for (size_t i = 1; i < f->nsecs; i++)
		if (f->secs[i].type == SHT_SYMTAB ||
		    f->secs[i].type == SHT_DYNSYM)
			bytes += f->secs[i].size;
	return bytes / (f->eh.e_ident[EI_CLASS] == ELFCLASS64
				? sizeof(Elf64_Sym)
				: sizeof(Elf32_Sym));
}

/* ---- a symbol of the file -------------------------------------------- */

/* What a table of symbols is read with. */
struct sym_table {
	struct elf_file *f; /* whose table it is */
	const struct elf_sec *sec;
	uint64_t strs, nstrs; /* its names: where in the file, how many bytes */
	size_t entry;         /* bytes of a symbol */
	bool debug;           /* f is the debug file */
	const uint8_t *vers;  /* versions of its symbols, 2 bytes each; NULL */
	uint64_t nvers;
};

/* The versions of a table's symbols, if the linker has written some. */
static void
sym_versions(struct sym_table *t)
{
	for (size_t i = 1; i < t->f->nsecs; i++) {
		const struct elf_sec *s = &t->f->secs[i];

		if (s->type != SHT_GNU_versym || s->link >= t->f->nsecs ||
		    &t->f->secs[s->link] != t->sec)
			continue;
		t->vers = elf_at(t->f, s->off, s->size);
		t->nvers = t->vers != NULL ? s->size / 2 : 0;
	}
}

/* True if programs that are linked today do not get this symbol: it is there
   for old ones, as cfree() is. */
static bool
sym_is_old(const struct sym_table *t, uint64_t i, const char *name)
{
	const char *at = strchr(name, '@');
	uint16_t v = 0;

	if (at != NULL && at != name)
		return at[1] != '@';
	if (i < t->nvers)
		memcpy(&v, t->vers + 2 * i, sizeof(v));
	return (v & 0x8000) != 0;
}

/* Files of the other byte order have no symbols: nothing here runs them. */
static bool
sym_table_open(struct sym_table *t, struct elf_file *f,
	       const struct elf_sec *sec, bool debug)
{
	const struct elf_sec *str =
		sec->link < f->nsecs ? &f->secs[sec->link] : NULL;

	*t = (struct sym_table){ .f = f, .sec = sec, .debug = debug };
	t->entry = f->eh.e_ident[EI_CLASS] == ELFCLASS64 ? sizeof(Elf64_Sym)
							 : sizeof(Elf32_Sym);
	if (str == NULL || str->type != SHT_STRTAB ||
	    f->eh.e_ident[EI_DATA] != ELFDATA2LSB ||
	    elf_at(f, sec->off, sec->size) == NULL ||
	    elf_at(f, str->off, str->size) == NULL)
		return false;
	t->strs = str->off;
	t->nstrs = str->size;
	sym_versions(t);
	return true;
}

/* The symbol at an offset of the file. */
static Elf64_Sym
sym_read(const struct sym_table *t, uint64_t off)
{
	Elf64_Sym s;
	Elf32_Sym n;

	if (t->entry == sizeof(s)) {
		memcpy(&s, t->f->map + off, sizeof(s));
		return s;
	}
	memcpy(&n, t->f->map + off, sizeof(n));
	return (Elf64_Sym){ .st_name = n.st_name,
			    .st_info = n.st_info,
			    .st_other = n.st_other,
			    .st_shndx = n.st_shndx,
			    .st_value = n.st_value,
			    .st_size = n.st_size };
}

/* A name, ending within its section and not too long; NULL: none. */
static const char *
sym_name(const struct sym_table *t, uint64_t at)
{
	const char *p;
	size_t n;

	if (at >= t->nstrs)
		return NULL;
	p = (const char *)t->f->map + t->strs + at;
	n = t->nstrs - at < ELF_NAME_MAX ? t->nstrs - at : ELF_NAME_MAX;
	return p[0] != '\0' && memchr(p, '\0', n) != NULL ? p : NULL;
}

/* Symbols that name something in memory. */
static bool
sym_wanted(unsigned type, const char *name)
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

/* ---- gathering ------------------------------------------------------- */

/* Names may carry a version, "foo@@V1": the linker keeps it in .symtab.  What
   is more than memory for copies keeps it. */
static const char *
sym_plain_name(struct elf_file *f, const char *name, size_t *copied)
{
	const char *at = strchr(name, '@'), *plain;
	size_t n = at != NULL ? (size_t)(at - name) : 0;

	if (n == 0 || n + *copied > PLAIN_MAX)
		return name;
	plain = arena_strndup(f->arena, name, n);
	*copied += n;
	return plain != NULL ? plain : name;
}

struct sym_list {
	struct elf_file *f; /* gets the table */
	size_t cap, copied;
};

/* Room for n more.  False: they are too many, or there is no memory. */
static bool
list_room(struct sym_list *l, uint64_t n)
{
	struct elf_file *f = l->f;
	struct elf_sym *v;

	if (n > ELF_SYMS_MAX - l->cap)
		return false;
	v = reallocarray(f->syms, l->cap + n + 1, sizeof(*v));
	if (v == NULL)
		return false;
	f->syms = v;
	l->cap += n;
	return true;
}

static void
list_add(struct sym_list *l, const struct sym_table *t, const Elf64_Sym *s,
	 uint64_t i)
{
	unsigned type = ELF64_ST_TYPE(s->st_info);
	unsigned bind = ELF64_ST_BIND(s->st_info);
	const char *name;

	if (s->st_shndx == SHN_UNDEF || s->st_shndx == SHN_ABS ||
	    s->st_shndx == SHN_COMMON)
		return;
	name = sym_name(t, s->st_name);
	if (name == NULL || !sym_wanted(type, name))
		return;
	l->f->syms[l->f->nsyms++] = (struct elf_sym){
		.name = sym_plain_name(l->f, name, &l->copied),
		.addr = s->st_value,
		.size = s->st_size < UINT32_MAX ? (uint32_t)s->st_size
						: UINT32_MAX,
		.sec = s->st_shndx,
		.is_func = type == STT_FUNC || type == STT_GNU_IFUNC,
		.is_global = bind == STB_GLOBAL || bind == STB_GNU_UNIQUE,
		.is_weak = bind == STB_WEAK,
		.is_ifunc = type == STT_GNU_IFUNC,
		.in_debug = t->debug,
		.is_old = sym_is_old(t, i, name),
	};
}

/* Add the symbols of a section.  The first of all is none. */
static bool
list_add_table(struct sym_list *l, const struct sym_table *t)
{
	uint64_t off = t->sec->off, end = off + t->sec->size;
	struct elf_span s;

	while (elf_data_next_of(t->f, off, end, t->sec->off, t->entry, &s)) {
		if (s.hi - s.lo > SYM_CHUNK * t->entry)
			s.hi = s.lo + SYM_CHUNK * t->entry;
		if (!list_room(l, (s.hi - s.lo) / t->entry))
			return false;
		for (off = s.lo; off < s.hi; off += t->entry) {
			Elf64_Sym sym = sym_read(t, off);

			if (off != t->sec->off)
				list_add(l, t, &sym,
					 (off - t->sec->off) / t->entry);
		}
		l->cap = l->f->nsyms; /* those that were not wanted */
		elf_forget(t->f, s.lo, s.hi - s.lo);
		elf_forget(t->f, t->strs, t->nstrs);
	}
	return true;
}

/* Add the symbols of a file's tables of a type. */
static bool
list_add_file(struct sym_list *l, struct elf_file *f, uint32_t type, bool debug)
{
	struct sym_table t;

	for (size_t i = 1; i < f->nsecs; i++)
		if (f->secs[i].type == type &&
		    sym_table_open(&t, f, &f->secs[i], debug) &&
		    !list_add_table(l, &t))
			return false;
	return true;
}

static bool
sym_gather(struct elf_file *f)
{
	struct sym_list l = { .f = f };
	struct err e = { 0 };

	if (elf_has_symtab(f, SHT_SYMTAB))
		return list_add_file(&l, f, SHT_SYMTAB, false);
	if (!list_add_file(&l, f, SHT_DYNSYM, false))
		return false;
	f->debug = elf_debug_open(f, &e);
	if (f->debug == NULL)
		return !err_is_set(&e);
	return list_add_file(&l, f->debug, SHT_SYMTAB, true);
}

/* ---- the table ------------------------------------------------------ */

/* Local symbols last, then those that only old programs use, and names that
   begin with $ or with underscores. */
static int
sym_name_rank(const struct elf_sym *a, const struct elf_sym *b)
{
	int d = (b->is_global || b->is_weak) - (a->is_global || a->is_weak);

	if (d == 0)
		d = a->is_old - b->is_old;
	if (d == 0)
		d = (a->name[0] == '$') - (b->name[0] == '$');
	if (d == 0)
		d = (int)strspn(a->name, "_") - (int)strspn(b->name, "_");
	return d;
}

/* Aliases by preference: functions before labels, sized before unsized, then by
   name, by size (the smaller first), strong before weak, the shorter name and
   by the alphabet. */
#define NAME_CMP 4096
static int
sym_alias_cmp(const void *va, const void *vb)
{
	const struct elf_sym *a = va, *b = vb;
	int d;

	d = b->is_func - a->is_func;
	if (d == 0)
		d = (b->size != 0) - (a->size != 0);
	if (d == 0)
		d = sym_name_rank(a, b);
	if (d != 0)
		return d;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	d = a->is_weak - b->is_weak;
	if (d == 0)
		d = (int)strnlen(a->name, NAME_CMP) -
		    (int)strnlen(b->name, NAME_CMP);
	return d != 0 ? d : strcmp(a->name, b->name);
}

/* Put the best of n aliases first; the others too are sorted, if they are not
   more than an object of this world has. */
static void
sym_sort_aliases(struct elf_sym *v, size_t n)
{
	if (n <= ALIASES) {
		qsort(v, n, sizeof(*v), sym_alias_cmp);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		if (sym_alias_cmp(&v[i], &v[0]) < 0) {
			struct elf_sym t = v[0];

			v[0] = v[i];
			v[i] = t;
		}
	}
}

static void
sym_sort(struct elf_file *f)
{
	size_t next;

	elf_sort(f->syms, f->nsyms, sizeof(*f->syms),
		 offsetof(struct elf_sym, addr));
	for (size_t i = 0; i < f->nsyms; i = next) {
		for (next = i + 1;
		     next < f->nsyms && f->syms[next].addr == f->syms[i].addr;)
			next++;
		if (next - i > 1)
			sym_sort_aliases(&f->syms[i], next - i);
	}
}

/* Leave out repetitions. */
static void
sym_unique(struct elf_file *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->nsyms; i++) {
		const struct elf_sym *s = &f->syms[i];
		const struct elf_sym *last = n != 0 ? &f->syms[n - 1] : NULL;

		if (last != NULL && last->addr == s->addr &&
		    last->is_func == s->is_func &&
		    strcmp(last->name, s->name) == 0)
			continue;
		f->syms[n++] = *s;
	}
	f->nsyms = n;
}

/* The end of what a symbol is in: its section, else its segment; 0: neither.
   In debug files sections have lost their bytes but not their addresses. */
static uint64_t
sym_limit(const struct elf_file *f, const struct elf_sym *s)
{
	const struct elf_file *from = s->in_debug ? f->debug : f;

	if (s->sec < from->nsecs) {
		const struct elf_sec *sec = &from->secs[s->sec];

		if (s->addr >= sec->addr && s->addr - sec->addr <= sec->size)
			return sec->addr + sec->size;
	}
	for (size_t i = 0; i < f->nsegs; i++)
		if (s->addr >= f->segs[i].addr &&
		    s->addr - f->segs[i].addr < f->segs[i].memsz)
			return f->segs[i].addr + f->segs[i].memsz;
	return 0;
}

/*
 * Cut sizes that reach beyond their section, and give symbols without a size
 * one that ends at the next symbol or at the section's end; but not labels
 * inside another symbol: those are places in a function, not functions.
 * Fill maxend.
 */
static void
sym_fill_sizes(struct elf_file *f)
{
	uint64_t reach = 0;
	size_t next = 0; /* first symbol beyond the current address */

	for (size_t i = 0; i < f->nsyms; i++) {
		struct elf_sym *s = &f->syms[i];
		uint64_t limit = sym_limit(f, s), left;

		if (next <= i)
			next = i + 1;
		while (next < f->nsyms && f->syms[next].addr == s->addr)
			next++;
		if (s->size == 0 && s->addr >= reach && limit > s->addr) {
			if (next < f->nsyms && f->syms[next].addr < limit)
				limit = f->syms[next].addr;
			left = limit - s->addr;
			s->size =
				left < UINT32_MAX ? (uint32_t)left : UINT32_MAX;
			s->guessed = true;
		}
		if (limit > s->addr && s->size > limit - s->addr)
			s->size = (uint32_t)(limit - s->addr);
		if (s->addr + s->size < s->addr)
			s->size = 0;
		if (s->addr + s->size > reach)
			reach = s->addr + s->size;
		f->maxend[i / SYM_BLOCK] = reach;
	}
}

static bool
sym_make_table(struct elf_file *f)
{
	if (!sym_gather(f))
		return false;
	sym_sort(f);
	sym_unique(f);
	f->maxend = calloc(f->nsyms / SYM_BLOCK + 1, sizeof(*f->maxend));
	if (f->maxend == NULL)
		return false;
	sym_fill_sizes(f);
	return true;
}

/*
 * Without memory there are no symbols; addresses are then printed as numbers,
 * and a name that is asked for is reported as not found.
 */
static void
elf_load_syms(struct elf_file *f)
{
	if (f->syms_loaded)
		return;
	f->syms_loaded = true;
	if (!sym_make_table(f)) {
		f->syms_failed = true;
		f->nsyms = 0;
	}
	elf_forget(f, 0, f->size); /* names were compared */
}

const struct elf_sym *
elf_syms(struct elf_file *f, size_t *n)
{
	elf_load_syms(f);
	*n = f->nsyms;
	return f->syms;
}

size_t
elf_syms_above(const struct elf_file *f, uint64_t addr)
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
	size_t from;

	elf_load_syms(f);
	from = elf_syms_above(f, addr);
	for (size_t i = from; i-- > 0 && from - i <= WALK_MAX;) {
		const struct elf_sym *s = &f->syms[i];

		if (best != NULL && s->addr != best->addr)
			break;
		if (addr - s->addr < s->size)
			best = s;
		/* nothing below reaches as far */
		if (i % SYM_BLOCK == 0 && i != 0 && best == NULL &&
		    f->maxend[i / SYM_BLOCK - 1] <= addr)
			break;
	}
	return best;
}

const struct elf_sym *
elf_sym_before(struct elf_file *f, uint64_t addr)
{
	size_t i;

	elf_load_syms(f);
	i = elf_syms_above(f, addr);
	return i != 0 && f->syms[i - 1].size == 0 ? &f->syms[i - 1] : NULL;
}

/* ---- names ----------------------------------------------------------- */

/* An index over names: for each hash the first symbol that has it, for each
   symbol the next; numbers are one more than the symbol's. */
struct elf_names {
	uint32_t *next, mask;
	uint32_t first[];
};

void
elf_names_free(struct elf_names *x)
{
	if (x != NULL)
		free(x->next);
	free(x);
}

/* Names that differ only far behind share a chain. */
static uint32_t
name_hash(const char *name)
{
	return (uint32_t)hash_bytes(name, strnlen(name, 1024));
}

/* From the last to the first: so the first comes first in its chain. */
static void
names_fill(struct elf_file *f, struct elf_names *x)
{
	for (size_t i = f->nsyms; i-- > 0;) {
		uint32_t *first =
			&x->first[name_hash(f->syms[i].name) & x->mask];

		x->next[i] = *first;
		*first = (uint32_t)i + 1;
	}
	elf_forget(f, 0, f->size);
}

/* Without memory there is none, and names are searched one by one. */
static void
names_make(struct elf_file *f)
{
	uint32_t n = 16;
	struct elf_names *x;

	while (n < f->nsyms)
		n *= 2;
	x = calloc(1, sizeof(*x) + n * sizeof(*x->first));
	if (x == NULL)
		return;
	x->mask = n - 1;
	x->next = calloc(f->nsyms + 1, sizeof(*x->next));
	if (x->next == NULL) {
		free(x);
		return;
	}
	names_fill(f, x);
	f->names = x;
}

/* The first of that name among the symbols from number `from` on, by the
   index's chain; without an index all are looked at. */
static const struct elf_sym *
name_from(struct elf_file *f, const char *name, size_t from, uint32_t chain)
{
	if (f->names == NULL) {
		for (size_t i = from; i < f->nsyms; i++)
			if (strcmp(f->syms[i].name, name) == 0)
				return &f->syms[i];
		return NULL;
	}
	for (uint32_t i = chain; i != 0; i = f->names->next[i - 1])
		if (strcmp(f->syms[i - 1].name, name) == 0)
			return &f->syms[i - 1];
	return NULL;
}

const struct elf_sym *
elf_sym_find(struct elf_file *f, const char *name)
{
	uint32_t chain = 0;

	elf_load_syms(f);
	if (f->names == NULL)
		names_make(f);
	if (f->names != NULL)
		chain = f->names->first[name_hash(name) & f->names->mask];
	return name_from(f, name, 0, chain);
}

const struct elf_sym *
elf_sym_next(struct elf_file *f, const struct elf_sym *s)
{
	size_t i = (size_t)(s - f->syms);

	return name_from(f, s->name, i + 1,
			 f->names != NULL ? f->names->next[i] : 0);
}
