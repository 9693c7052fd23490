/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * elf_undef.c - symbols that elf_syms() leaves out as they are nowhere: those
 * that an object expects from others, and variables of which each thread has
 * its own.
 */
#include "elf/elf_impl.h"

#include <string.h>

/* Which symbols are looked for: of a kind, and by their names. */
struct want {
	bool (*is)(const GElf_Sym *s);
	bool (*named)(const char *name, const char *text);
	const char *text;
};

static const char *
sym_in(struct elf_file *f, size_t section, const struct want *w)
{
	Elf_Scn *scn = elf_getscn(f->elf, section);
	Elf_Data *d = elf_getdata(scn, NULL);
	GElf_Shdr sh;
	GElf_Sym s;

	if (d == NULL || gelf_getshdr(scn, &sh) == NULL)
		return NULL;
	for (int k = 1; gelf_getsym(d, k, &s) != NULL; k++) {
		const char *name =
			w->is(&s) ? elf_strptr(f->elf, sh.sh_link, s.st_name)
				  : NULL;

		if (name != NULL && w->named(name, w->text))
			return name;
	}
	return NULL;
}

/* The name of the first; NULL: there is none. */
static const char *
sym_first(struct elf_file *f, const struct want *w)
{
	const char *name = NULL;

	for (size_t i = 1; i < f->nsecs && name == NULL; i++)
		if (f->secs[i].type == SHT_SYMTAB ||
		    f->secs[i].type == SHT_DYNSYM)
			name = sym_in(f, i, w);
	return name;
}

static bool
sym_is_undef(const GElf_Sym *s)
{
	return s->st_shndx == SHN_UNDEF;
}

static bool
begins_with(const char *name, const char *prefix)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

const char *
elf_undef(struct elf_file *f, const char *prefix)
{
	const struct want w = { sym_is_undef, begins_with, prefix };

	return sym_first(f, &w);
}

static bool
sym_is_tls(const GElf_Sym *s)
{
	return GELF_ST_TYPE(s->st_info) == STT_TLS;
}

/* A version may stand behind it. */
static bool
is_called(const char *name, const char *text)
{
	const size_t len = strlen(text);

	return strncmp(name, text, len) == 0 &&
	       (name[len] == '\0' || name[len] == '@');
}

bool
elf_is_tls(struct elf_file *f, const char *name)
{
	const struct want w = { sym_is_tls, is_called, name };

	return sym_first(f, &w) != NULL ||
	       (f->debug != NULL && elf_is_tls(f->debug, name));
}
