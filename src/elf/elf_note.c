/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * elf_note.c - static probes of user programs, from the notes that headers have
 * compilers make:
 *
 *   .note.stapsdt   owner "stapsdt", type 3, one for each place: the address of
 *		     a nop, where .stapsdt.base was when the object was linked,
 *		     the address of a semaphore, and three strings: provider,
 *		     probe, operands ("8@%rdi -4@16(%rsp)")
 *   .note.dtrace    owner "DTrace", type 1, one for each probe of a header that
 *		     `dtrace -h` has made: types and stability as strings; see
 *		     doc/howto-usdt.md and src/lib/dt_usdt.c
 *
 * Whoever writes notes may lie.  A note whose strings do not end, whose probe
 * is not in code, or whose semaphore could not be counted is left out; the next
 * one is read.  What operands mean is not known here.
 *
 * The format: the SystemTap wiki, "UserSpaceProbeImplementation".
 */
#include "elf/elf_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define NOTES_MAX  (1u << 18) /* of a section, of any kind */
#define STAP_TYPE  3
#define DECL_TYPE  1
#define ADDR_BYTES 8

/* What is left of a description. */
struct desc {
	const uint8_t *p;
	size_t n;
};

/* The next string; NULL: it does not end. */
static const char *
desc_str(struct desc *d)
{
	const uint8_t *s = d->p, *end = memchr(s, '\0', d->n);

	if (end == NULL)
		return NULL;
	d->n -= (size_t)(end + 1 - s);
	d->p = end + 1;
	return (const char *)s;
}

static bool
desc_u64(struct desc *d, uint64_t *v)
{
	if (d->n < ADDR_BYTES)
		return false;
	memcpy(v, d->p, ADDR_BYTES);
	d->p += ADDR_BYTES;
	d->n -= ADDR_BYTES;
	return true;
}

/* ---- walking a section --------------------------------------------------- */

typedef bool note_fn(struct elf_file *f, struct desc d, void *out);

/* The bytes that a field of a note takes; SIZE_MAX: more than are left. */
static size_t
note_field(uint32_t n, size_t left)
{
	uint64_t padded = ((uint64_t)n + 3) & ~(uint64_t)3;

	/* The last one may end without padding. */
	if (padded > left)
		return n <= left ? left : SIZE_MAX;
	return (size_t)padded;
}

/*
 * Call fn for each note of that owner and type, until it returns false: there
 * is no memory.
 */
static bool
notes_each(struct elf_file *f, const char *section, const char *owner,
	   uint32_t type, note_fn *fn, void *out)
{
	size_t n = 0, ownerlen = strlen(owner) + 1;
	const uint8_t *p = elf_section(f, section, &n, NULL);

	for (uint32_t i = 0; p != NULL && n >= 12 && i < NOTES_MAX; i++) {
		uint32_t head[3];
		size_t name, desc;

		memcpy(head, p, sizeof(head));
		p += sizeof(head);
		n -= sizeof(head);
		name = note_field(head[0], n);
		if (name == SIZE_MAX)
			break;
		desc = note_field(head[1], n - name);
		if (desc == SIZE_MAX)
			break;
		if (head[2] == type && head[0] == ownerlen &&
		    memcmp(p, owner, ownerlen) == 0 &&
		    !fn(f, (struct desc){ p + name, head[1] }, out))
			return false;
		p += name + desc;
		n -= name + desc;
	}
	return true;
}

/* ---- places -------------------------------------------------------------- */

/* Prelink moves an object, and leaves its notes. */
static uint64_t
note_moved(struct elf_file *f, uint64_t base)
{
	const struct elf_sec *s = elf_sec_find(f, ".stapsdt.base");

	return s != NULL && base != 0 ? s->addr - base : 0;
}

static bool
sem_ok(const struct elf_file *f, uint64_t sem)
{
	uint64_t off;

	return sem == 0 || (sem % 2 == 0 && !elf_is_code(f, sem) &&
			    elf_addr_to_off(f, sem, &off));
}

static bool
add_probe(struct elf_file *f, struct desc d, void *out)
{
	struct elf_probes *all = out;
	struct elf_probe p = { 0 };
	uint64_t base, moved;

	if (!desc_u64(&d, &p.addr) || !desc_u64(&d, &base) ||
	    !desc_u64(&d, &p.sem))
		return true;
	p.prov = desc_str(&d);
	p.name = p.prov != NULL ? desc_str(&d) : NULL;
	p.args = p.name != NULL ? desc_str(&d) : NULL;
	if (p.args == NULL || p.prov[0] == '\0' || p.name[0] == '\0')
		return true;
	moved = note_moved(f, base);
	p.addr += moved;
	p.sem += p.sem != 0 ? moved : 0;
	if (!elf_is_code(f, p.addr) || !sem_ok(f, p.sem))
		return true;
	return vec_push(all, p);
}

const struct elf_probe *
elf_probes(struct elf_file *f, size_t *n)
{
	if (!f->probes_loaded && elf_is_native(f))
		(void)notes_each(f, ".note.stapsdt", "stapsdt", STAP_TYPE,
				 add_probe, &f->probes);
	f->probes_loaded = true;
	*n = f->probes.n;
	return f->probes.v;
}

/* ---- declarations -------------------------------------------------------- */

/* "2 1", "0": numbers up to the most arguments there can be; *s is behind it.
   False: it is none. */
static bool
decl_number(const char **s, uint32_t *v)
{
	char *end;
	unsigned long n;

	if (**s < '0' || **s > '9')
		return false;
	n = strtoul(*s, &end, 10);
	if (n > ELF_PROBE_ARGS || (*end != ' ' && *end != '\0'))
		return false;
	*v = (uint32_t)n;
	*s = *end == ' ' ? end + 1 : end;
	return true;
}

static bool
decl_args(struct desc *d, struct elf_probe_decl *p)
{
	const char *counts = desc_str(d);

	if (counts == NULL || !decl_number(&counts, &p->nargs) ||
	    !decl_number(&counts, &p->nxargs))
		return false;
	for (uint32_t i = 0; i < p->nargs; i++)
		if ((p->arg[i] = desc_str(d)) == NULL)
			return false;
	for (uint32_t i = 0; i < p->nxargs; i++) {
		const char *s = desc_str(d);

		if (s == NULL || !decl_number(&s, &p->map[i]) ||
		    p->map[i] >= p->nargs)
			return false;
		p->xarg[i] = s;
	}
	return true;
}

static bool
add_decl(struct elf_file *f, struct desc d, void *out)
{
	struct elf_probe_decls *all = out;
	struct elf_probe_decl p = { 0 };

	(void)f;
	p.prov = desc_str(&d);
	p.name = p.prov != NULL ? desc_str(&d) : NULL;
	p.attr = p.name != NULL ? desc_str(&d) : NULL;
	if (p.attr == NULL || !decl_args(&d, &p))
		return true;
	return vec_push(all, p);
}

const struct elf_probe_decl *
elf_probe_decl(struct elf_file *f, const char *prov, const char *name)
{
	if (!f->decls_loaded)
		(void)notes_each(f, ".note.dtrace", "DTrace", DECL_TYPE,
				 add_decl, &f->decls);
	f->decls_loaded = true;
	for (size_t i = 0; i < f->decls.n; i++)
		if (strcmp(f->decls.v[i].prov, prov) == 0 &&
		    strcmp(f->decls.v[i].name, name) == 0)
			return &f->decls.v[i];
	return NULL;
}

void
elf_notes_free(struct elf_file *f)
{
	vec_fini(&f->probes);
	vec_fini(&f->decls);
}
