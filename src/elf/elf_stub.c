/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * elf_stub.c - names for the linker's stubs, by which an object calls functions
 * of others: "puts@plt".  No symbol says so.
 *
 * A stub jumps by a word of the object's data, and a relocation says which
 * symbol's address that word gets (System V ABI, AMD64 supplement, 5.2):
 *
 *	.plt, .plt.got	jmp *word(%rip) ...
 *	.plt.sec	endbr64; [bnd] jmp *word(%rip)
 *	.plt beside it	endbr64; push $index; jmp ...	index: in .rela.plt
 *
 * Linkers of GNU say in .eh_frame how stacks are walked from there; others
 * (lld, by which Rust links) do not.  elf_stub_rows() knows it of the
 * instructions.
 *
 * The first of .plt is nobody's.  A word for a function that is chosen at run
 * time (IRELATIVE) has no symbol but the address of who chooses, which has the
 * function's name.
 */
#include "elf/elf_impl.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define STUB_MOST     16u  /* bytes of the longest */
#define ENDBR64_FIRST 0xf3 /* byte of that instruction */
#define STUBS_MAX     (1u << 20) /* of an object */
#define RELAS_MAX     (1u << 24) /* that are read for them */

struct stub_rela {
	uint64_t word;
	const struct elf_sec *syms; /* by the section's link; NULL: none */
	uint32_t sym;
	uint64_t addend; /* IRELATIVE: who chooses */
	bool chosen;
};

struct stub_relas {
	struct stub_rela *v;
	size_t n, cap;
	const struct elf_sec *plt; /* .rela.plt */
	size_t read;		   /* relocations so far */
	size_t text;		   /* bytes of names */
};

/* ---- relocations --------------------------------------------------------- */

static bool
relas_add(struct elf_file *f, struct stub_relas *l, const struct elf_sec *s,
	  const Elf64_Rela *r)
{
	uint32_t type = (uint32_t)ELF64_R_TYPE(r->r_info);
	bool chosen = type == R_X86_64_IRELATIVE;

	if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && !chosen)
		return true;
	if (l->n == STUBS_MAX)
		return false;
	if (l->n == l->cap) {
		size_t cap = l->cap != 0 ? 2 * l->cap : 64;
		struct stub_rela *v = realloc(l->v, cap * sizeof(*v));
		if (v == NULL)
			return false;
		l->v = v;
		l->cap = cap;
	}
	l->v[l->n++] = (struct stub_rela){
		.word = r->r_offset,
		.syms = s->link < f->nsecs ? &f->secs[s->link] : NULL,
		.sym = (uint32_t)ELF64_R_SYM(r->r_info),
		.addend = (uint64_t)r->r_addend,
		.chosen = chosen,
	};
	return true;
}

static bool
relas_read(struct elf_file *f, struct stub_relas *l)
{
	for (size_t i = 1; i < f->nsecs; i++) {
		const struct elf_sec *s = &f->secs[i];
		const uint8_t *p = elf_at(f, s->off, s->size);
		Elf64_Rela r;

		if (s->type != SHT_RELA || p == NULL)
			continue;
		if (strcmp(s->name, ".rela.plt") == 0)
			l->plt = s;
		for (uint64_t at = 0; at + sizeof(r) <= s->size;
		     at += sizeof(r)) {
			if (++l->read > RELAS_MAX)
				return false;
			memcpy(&r, p + at, sizeof(r));
			if (!relas_add(f, l, s, &r))
				return false;
		}
	}
	if (l->n != 0)
		elf_sort(l->v, l->n, sizeof(*l->v),
			 offsetof(struct stub_rela, word));
	return true;
}

static const struct stub_rela *
rela_of_word(const struct stub_relas *l, uint64_t word)
{
	size_t lo = 0, hi = l->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (l->v[mid].word < word)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < l->n && l->v[lo].word == word ? &l->v[lo] : NULL;
}

/* That of a number in .rela.plt. */
static const struct stub_rela *
rela_of_index(struct elf_file *f, const struct stub_relas *l, uint32_t index)
{
	const uint8_t *p =
		l->plt != NULL && (uint64_t)index + 1 <=
					  l->plt->size / sizeof(Elf64_Rela)
			? elf_at(f, l->plt->off + index * sizeof(Elf64_Rela),
				 sizeof(Elf64_Rela))
			: NULL;
	Elf64_Rela r;

	if (p == NULL)
		return NULL;
	memcpy(&r, p, sizeof(r));
	return rela_of_word(l, r.r_offset);
}

/* ---- names --------------------------------------------------------------- */

/* The name of a symbol of a table, NUL-terminated in the file; NULL: none. */
static const char *
name_of_sym(struct elf_file *f, const struct elf_sec *syms, uint32_t i)
{
	const struct elf_sec *str;
	const uint8_t *p, *name;
	Elf64_Sym s;

	if (syms == NULL || syms->link >= f->nsecs ||
	    (uint64_t)i >= syms->size / sizeof(s))
		return NULL;
	str = &f->secs[syms->link];
	p = elf_at(f, syms->off + i * sizeof(s), sizeof(s));
	if (p == NULL || elf_at(f, str->off, str->size) == NULL)
		return NULL;
	memcpy(&s, p, sizeof(s));
	if (s.st_name == 0 || s.st_name >= str->size)
		return NULL;
	name = f->map + str->off + s.st_name;
	if (memchr(name, '\0', str->size - s.st_name) == NULL)
		return NULL;
	return (const char *)name;
}

static const char *
name_of_rela(struct elf_file *f, const struct stub_rela *r)
{
	const struct elf_sym *s;

	if (r == NULL)
		return NULL;
	if (!r->chosen)
		return name_of_sym(f, r->syms, r->sym);
	s = elf_sym_at(f, r->addend);
	return s != NULL && s->addr == r->addend ? s->name : NULL;
}

/* ---- stubs --------------------------------------------------------------- */

static int32_t
disp_at(const uint8_t *p)
{
	int32_t d;

	memcpy(&d, p, sizeof(d));
	return d;
}

static const uint8_t endbr64[] = { ENDBR64_FIRST, 0x0f, 0x1e, 0xfa };

/* The relocation of the stub whose n bytes are there; NULL: not known. */
static const struct stub_rela *
stub_rela(struct elf_file *f, const struct stub_relas *l, uint64_t addr,
	  const uint8_t *p, size_t n)
{
	size_t at = 0;

	if (n >= sizeof(endbr64) && memcmp(p, endbr64, sizeof(endbr64)) == 0)
		at = sizeof(endbr64);
	if (at != 0 && at + 5 <= n && p[at] == 0x68) /* push $index */
		return rela_of_index(f, l, (uint32_t)disp_at(p + at + 1));
	if (at < n && p[at] == 0xf2) /* bnd */
		at++;
	if (at + 6 > n || p[at] != 0xff || p[at + 1] != 0x25)
		return NULL;
	return rela_of_word(l, addr + at + 6 +
				       (uint64_t)(int64_t)disp_at(p + at + 2));
}

/* Name the stubs of a section; false: no memory, or too many. */
static bool
stubs_of(struct elf_file *f, struct stub_relas *l, const struct elf_sec *s,
	 uint64_t step)
{
	for (uint64_t at = 0; at + step <= s->size && f->nstubs < STUBS_MAX;
	     at += step) {
		/* Those with endbr64 are 16 bytes long everywhere. */
		uint64_t n = s->size - at < STUB_MOST ? step : STUB_MOST;
		const uint8_t *p = elf_bytes(f, s->addr + at, n);
		const char *name;
		struct elf_sym *v;

		if (p == NULL)
			return true;
		name = name_of_rela(f, stub_rela(f, l, s->addr + at, p, n));
		if (name == NULL || strlen(name) >= ELF_NAME_MAX)
			continue;
		l->text += strlen(name);
		if (l->text > ELF_UNPACK_MAX)
			return false;
		v = realloc(f->stubsyms, (f->nstubs + 1) * sizeof(*v));
		if (v == NULL)
			return false;
		f->stubsyms = v;
		v += f->nstubs;
		*v = (struct elf_sym){
			.name = arena_printf(f->arena, "%s@plt", name),
			.addr = s->addr + at,
			.size = *p == ENDBR64_FIRST && n > step
					? STUB_MOST
					: (uint32_t)step,
			.is_func = true,
		};
		if (v->name == NULL)
			return false;
		f->nstubs++;
	}
	return true;
}

static void
stubs_load(struct elf_file *f)
{
	struct stub_relas l = { 0 };
	const struct elf_sec *s;
	uint64_t step;

	f->stubsyms_loaded = true;
	if (!elf_is_x86_64(f))
		return;
	if (relas_read(f, &l))
		for (size_t i = 0; elf_stub_sec(f, i, &s, &step); i++)
			if (s != NULL && !stubs_of(f, &l, s, step))
				break;
	free(l.v);
	if (f->nstubs != 0)
		elf_sort(f->stubsyms, f->nstubs, sizeof(*f->stubsyms),
			 offsetof(struct elf_sym, addr));
}

const struct elf_sym *
elf_stub_at(struct elf_file *f, uint64_t addr)
{
	size_t lo = 0, hi;

	if (!elf_is_stubs(f, addr))
		return NULL;
	if (!f->stubsyms_loaded)
		stubs_load(f);
	for (hi = f->nstubs; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;
		if (f->stubsyms[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0 || addr - f->stubsyms[lo - 1].addr >=
			       f->stubsyms[lo - 1].size)
		return NULL;
	return &f->stubsyms[lo - 1];
}

/* ---- stacks -------------------------------------------------------------- */

/* How the caller of the stub at s + at is found, into v[0, 2): how many rows;
   0: it is none that is known. */
static size_t
stub_rows(struct elf_file *f, const struct elf_sec *s, uint64_t at,
	  uint64_t step, struct elf_cfi v[2])
{
	const uint8_t *p = elf_bytes(f, s->addr + at, STUB_MOST);
	struct elf_cfi row = { .addr = s->addr + at,
			       .end = s->addr + at + step,
			       .cfa = ELF_CFA_RSP,
			       .off = 8 };
	size_t n = 0;

	if (p == NULL)
		return 0;
	v[0] = v[1] = row;
	if (at == 0 && p[0] == 0xff && p[1] == 0x35) { /* push; jmp */
		v[0].end = v[1].addr = row.addr + 6;
		v[0].off = 16; /* the index of whose stub it was is there */
		v[1].off = 24;
		return 2;
	}
	if (memcmp(p, endbr64, sizeof(endbr64)) == 0)
		n = sizeof(endbr64);
	n += p[n] == 0xf2;
	if (p[n] == 0xff && p[n + 1] == 0x25)
		n += 6;
	if (n == 0)
		return 0;
	if (step == STUB_MOST && row.addr % STUB_MOST == 0 &&
	    n + 5 < STUB_MOST && p[n] == 0x68) { /* push $index */
		v[0].cfa = ELF_CFA_STUB;
		v[0].add = (int64_t)n + 5;
	}
	return 1;
}

bool
elf_stub_rows(struct elf_file *f, elf_cfi_fn *fn, void *arg)
{
	const struct elf_sec *s;
	uint64_t step;

	for (size_t i = 0; elf_is_x86_64(f) && elf_stub_sec(f, i, &s, &step);
	     i++)
		for (uint64_t at = 0; s != NULL && at + step <= s->size &&
				      at / step < STUBS_MAX;
		     at += step) {
			struct elf_cfi v[2];
			size_t n = stub_rows(f, s, at, step, v);

			for (size_t k = 0; k < n; k++)
				if (!fn(arg, &v[k]))
					return false;
		}
	return true;
}
