/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * elf_undef.c - what an object expects from others: undefined symbols, which
 * elf_syms() leaves out as they are nowhere.
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
