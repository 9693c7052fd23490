/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * elf_write.c - the one kind of object that we make, for `dtrace -G`: words of
 * 16 bits with names, zero at first, that programs link with.
 *
 *	1 .probes	the words
 *	2 .symtab	a weak, hidden symbol for each
 *	3 .strtab	their names and those of sections
 *	4 .note.GNU-stack	nothing: the stack need not be executable
 *
 * Weak, since other objects may have the same words already.  libelf lays the
 * file out.
 */
#include "elf/elf_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/vec.h"

enum { SEC_WORDS = 1, SEC_SYMTAB, SEC_STRTAB, SEC_STACK };

struct words {
	struct buf strings, data;
	VEC(Elf64_Sym) syms;
	Elf *elf;
};

static uint32_t
add_string(struct words *w, const char *s)
{
	size_t at = w->strings.n;

	buf_write(&w->strings, s, strlen(s) + 1);
	return (uint32_t)at;
}

static bool
add_symbols(struct words *w, const char *const *names, size_t n)
{
	Elf64_Sym none = { 0 };

	if (!vec_push(&w->syms, none))
		return false;
	for (size_t i = 0; i < n; i++) {
		Elf64_Sym s = { .st_name = add_string(w, names[i]),
				.st_info = ELF64_ST_INFO(STB_WEAK, STT_OBJECT),
				.st_other = STV_HIDDEN,
				.st_shndx = SEC_WORDS,
				.st_value = i * sizeof(uint16_t),
				.st_size = sizeof(uint16_t) };
		const uint16_t zero = 0;

		buf_write(&w->data, &zero, sizeof(zero));
		if (!vec_push(&w->syms, s))
			return false;
	}
	return !w->data.failed && !w->strings.failed;
}

/* The next section; its bytes stay the caller's. */
static Elf64_Shdr *
add_section(struct words *w, uint32_t name, uint32_t type, Elf_Type bytes,
	    void *p, size_t n, size_t align)
{
	Elf_Scn *scn = elf_newscn(w->elf);
	Elf_Data *d = scn != NULL ? elf_newdata(scn) : NULL;
	Elf64_Shdr *sh = d != NULL ? elf64_getshdr(scn) : NULL;

	if (sh == NULL)
		return NULL;
	d->d_buf = p;
	d->d_size = n;
	d->d_type = bytes;
	d->d_align = align;
	d->d_version = EV_CURRENT;
	sh->sh_name = name;
	sh->sh_type = type;
	return sh;
}

static bool
write_sections(struct words *w)
{
	uint32_t words = add_string(w, ".probes");
	uint32_t symtab = add_string(w, ".symtab");
	uint32_t strtab = add_string(w, ".strtab");
	uint32_t stack = add_string(w, ".note.GNU-stack");
	Elf64_Ehdr *eh = elf64_newehdr(w->elf);
	Elf64_Shdr *sh;

	if (w->strings.failed || eh == NULL)
		return false;
	eh->e_ident[EI_DATA] = ELFDATA2LSB;
	eh->e_type = ET_REL;
	eh->e_machine = EM_X86_64;
	eh->e_version = EV_CURRENT;
	eh->e_shstrndx = SEC_STRTAB;
	sh = add_section(w, words, SHT_PROGBITS, ELF_T_BYTE, w->data.p,
			 w->data.n, sizeof(uint16_t));
	if (sh == NULL)
		return false;
	sh->sh_flags = SHF_ALLOC | SHF_WRITE;
	sh = add_section(w, symtab, SHT_SYMTAB, ELF_T_SYM, w->syms.v,
			 w->syms.n * sizeof(*w->syms.v), 8);
	if (sh == NULL)
		return false;
	sh->sh_link = SEC_STRTAB;
	sh->sh_info = 1; /* no symbol but the first is local */
	sh->sh_entsize = sizeof(Elf64_Sym);
	return add_section(w, strtab, SHT_STRTAB, ELF_T_BYTE, w->strings.p,
			   w->strings.n, 1) != NULL &&
	       add_section(w, stack, SHT_PROGBITS, ELF_T_BYTE, NULL, 0, 1) !=
		       NULL;
}

int
elf_write_words(const char *path, const char *const *names, size_t n,
		struct err *e)
{
	struct words w = { 0 };
	int fd = -1, rv = 0;

	buf_putc(&w.strings, '\0');
	if (!add_symbols(&w, names, n)) {
		rv = err_nomem(e);
		goto out;
	}
	fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0666);
	if (fd < 0) {
		rv = err_set(e, &ERR_GENERIC, errno, "%s: %s", path,
			     strerror(errno));
		goto out;
	}
	elf_version(EV_CURRENT);
	w.elf = elf_begin(fd, ELF_C_WRITE, NULL);
	if (w.elf == NULL || !write_sections(&w) ||
	    elf_update(w.elf, ELF_C_WRITE) < 0)
		rv = err_set(e, &ERR_GENERIC, 0, "%s: %s", path,
			     elf_errmsg(-1));
out:
	elf_end(w.elf);
	if (fd >= 0)
		close(fd);
	vec_fini(&w.syms);
	buf_fini(&w.data);
	buf_fini(&w.strings);
	return rv;
}
