/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * elf_undef.c - symbols that elf_syms() leaves out as they are nowhere: those
 * that an object expects from others, and variables of which each thread has
 * its own.
 */
#include "elf/elf_impl.h"

#include <string.h>

static const char *
undef_in(struct elf_file *f, size_t section, const char *prefix)
{
	Elf_Scn *scn = elf_getscn(f->elf, section);
	Elf_Data *d = elf_getdata(scn, NULL);
	GElf_Shdr sh;
	GElf_Sym s;

	if (d == NULL || gelf_getshdr(scn, &sh) == NULL)
		return NULL;
	for (int k = 1; gelf_getsym(d, k, &s) != NULL; k++) {
		const char *name =
			s.st_shndx != SHN_UNDEF
				? NULL
				: elf_strptr(f->elf, sh.sh_link, s.st_name);

		if (name != NULL && strncmp(name, prefix, strlen(prefix)) == 0)
			return name;
	}
	return NULL;
}

const char *
elf_undef(struct elf_file *f, const char *prefix)
{
	const char *name = NULL;

	for (size_t i = 1; i < f->nsecs && name == NULL; i++)
		if (f->secs[i].type == SHT_SYMTAB ||
		    f->secs[i].type == SHT_DYNSYM)
			name = undef_in(f, i, prefix);
	return name;
}

static bool
tls_in(struct elf_file *f, size_t section, const char *name)
{
	Elf_Scn *scn = elf_getscn(f->elf, section);
	Elf_Data *d = elf_getdata(scn, NULL);
	const size_t len = strlen(name);
	GElf_Shdr sh;
	GElf_Sym s;

	if (d == NULL || gelf_getshdr(scn, &sh) == NULL)
		return false;
	for (int k = 1; gelf_getsym(d, k, &s) != NULL; k++) {
		const char *is =
			GELF_ST_TYPE(s.st_info) != STT_TLS
				? NULL
				: elf_strptr(f->elf, sh.sh_link, s.st_name);

		/* A version may stand behind it. */
		if (is != NULL && strncmp(is, name, len) == 0 &&
		    (is[len] == '\0' || is[len] == '@'))
			return true;
	}
	return false;
}

bool
elf_is_tls(struct elf_file *f, const char *name)
{
	for (size_t i = 1; i < f->nsecs; i++)
		if ((f->secs[i].type == SHT_SYMTAB ||
		     f->secs[i].type == SHT_DYNSYM) &&
		    tls_in(f, i, name))
			return true;
	return f->debug != NULL && elf_is_tls(f->debug, name);
}
