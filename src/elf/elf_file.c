/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * elf_file.c - opening object files: headers, segments, sections, bytes.
 *
 * libelf decodes the headers (class and byte order); this file decides what of
 * them is true.  A file whose tables do not fit in it is refused with one
 * error.  A segment that says more than the file holds is cut to what is
 * there: separate debug files keep the program headers of the original.
 * Format: System V ABI, chapters 4 and 5.
 */
#include "elf/elf_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int
elf_fail(struct elf_file *f, struct err *e, const char *what)
{
	return err_set(e, &ERR_GENERIC, 0, "%s: %s", f->path, what);
}

/* Whether a table of n entries lies in the file. */
static bool
elf_table_fits(const struct elf_file *f, uint64_t off, uint64_t n,
	       uint64_t entsize)
{
	uint64_t bytes;

	return !__builtin_mul_overflow(n, entsize, &bytes) &&
	       elf_at(f, off, bytes) != NULL;
}

static int
elf_load_segs(struct elf_file *f, struct err *e)
{
	size_t n;

	if (elf_getphdrnum(f->elf, &n) != 0 ||
	    (n != 0 && !elf_table_fits(f, f->eh.e_phoff, n, f->eh.e_phentsize)))
		return elf_fail(f, e, "truncated program header table");
	if (n > ELF_PHDRS_MAX)
		return elf_fail(f, e, "too many program headers");
	f->segs = arena_calloc(f->arena, n, sizeof(*f->segs));
	if (f->segs == NULL)
		return err_nomem(e);
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;
		struct elf_seg *s = &f->segs[f->nsegs];

		if (gelf_getphdr(f->elf, (int)i, &ph) == NULL)
			return elf_fail(f, e, "bad program header");
		if (ph.p_type == PT_INTERP && ph.p_filesz > 1 &&
		    elf_at(f, ph.p_offset, ph.p_filesz) != NULL)
			f->interp = arena_strndup(
				f->arena, (const char *)f->map + ph.p_offset,
				ph.p_filesz - 1);
		if (ph.p_type != PT_LOAD ||
		    ph.p_vaddr + ph.p_memsz < ph.p_vaddr)
			continue;
		*s = (struct elf_seg){ .addr = ph.p_vaddr,
				       .memsz = ph.p_memsz,
				       .off = ph.p_offset,
				       .filesz = ph.p_filesz,
				       .exec = (ph.p_flags & PF_X) != 0 };
		if (s->off > f->size)
			s->off = f->size;
		if (s->filesz > f->size - s->off)
			s->filesz = f->size - s->off;
		if (s->filesz > s->memsz)
			s->filesz = s->memsz;
		f->nsegs++;
	}
	return 0;
}

/* A section's name, cut off by libelf's checks or by the longest that we use;
   sections of type NOBITS have an offset nobody reads. */
static const char *
elf_sec_name(struct elf_file *f, size_t shstr, size_t name)
{
	const char *s = elf_strptr(f->elf, shstr, name);

	return s != NULL && strnlen(s, ELF_NAME_MAX) < ELF_NAME_MAX ? s : "";
}

static int
elf_load_secs(struct elf_file *f, struct err *e)
{
	size_t n, shstr;

	/* libelf counts no sections when their table is outside the file:
	   the header itself must be asked. */
	if (f->eh.e_shoff != 0 && f->eh.e_shnum != 0 &&
	    !elf_table_fits(f, f->eh.e_shoff, f->eh.e_shnum, f->eh.e_shentsize))
		return elf_fail(f, e, "truncated section table");
	if (elf_getshdrnum(f->elf, &n) != 0 ||
	    (n != 0 && !elf_table_fits(f, f->eh.e_shoff, n, f->eh.e_shentsize)))
		return elf_fail(f, e, "truncated section table");
	if (n == 0)
		return 0;
	if (elf_getshdrstrndx(f->elf, &shstr) != 0)
		shstr = 0;
	f->secs = arena_calloc(f->arena, n, sizeof(*f->secs));
	if (f->secs == NULL)
		return err_nomem(e);
	f->nsecs = n;
	for (size_t i = 0; i < n; i++) {
		Elf_Scn *scn = elf_getscn(f->elf, i);
		GElf_Shdr sh;

		f->secs[i].name = "";
		if (scn == NULL || gelf_getshdr(scn, &sh) == NULL)
			return elf_fail(f, e, "bad section header");
		f->secs[i] = (struct elf_sec){
			.name = elf_sec_name(f, shstr, sh.sh_name),
			.addr = sh.sh_addr,
			.off = sh.sh_offset,
			.size = sh.sh_size,
			.type = sh.sh_type,
			.link = sh.sh_link,
			.flags = sh.sh_flags,
		};
	}
	return 0;
}

/* The string at `off` of section `sec`, which ends within it; NULL: none. */
static const char *
elf_string(const struct elf_file *f, uint32_t sec, uint64_t off)
{
	const struct elf_sec *s = sec < f->nsecs ? &f->secs[sec] : NULL;
	const char *p;
	size_t n;

	if (s == NULL || s->type != SHT_STRTAB || off >= s->size ||
	    s->off > UINT64_MAX - off)
		return NULL;
	n = s->size - off < ELF_NAME_MAX ? s->size - off : ELF_NAME_MAX;
	p = (const char *)elf_at(f, s->off + off, n);
	return p != NULL && memchr(p, '\0', n) != NULL ? p : NULL;
}

/* Objects of other classes or byte orders need none. */
static void
elf_load_soname(struct elf_file *f)
{
	const struct elf_sec *s = f->secs, *end;
	struct elf_span at = { 0 };
	Elf64_Dyn dyn;

	if (f->nsecs == 0)
		return;
	end = f->secs + f->nsecs;
	while (s < end && s->type != SHT_DYNAMIC)
		s++;
	if (s == end || f->eh.e_ident[EI_CLASS] != ELFCLASS64 ||
	    f->eh.e_ident[EI_DATA] != ELFDATA2LSB ||
	    !elf_data_next(f, s->off, s->off + s->size, &at) || at.lo != s->off)
		return;
	for (; at.hi - at.lo >= sizeof(dyn); at.lo += sizeof(dyn)) {
		memcpy(&dyn, f->map + at.lo, sizeof(dyn));
		if (dyn.d_tag == DT_NULL)
			return;
		if (dyn.d_tag != DT_SONAME)
			continue;
		f->soname = elf_string(f, s->link, dyn.d_un.d_val);
		if (f->soname != NULL && f->soname[0] == '\0')
			f->soname = NULL;
		return;
	}
}

/*
 * True if there are no more sections than are read.  Where they are too many
 * for the header, the first of them says how many there are.  libelf allocates
 * for all at once, so this must be known before it is asked.
 */
static bool
elf_few_secs(const struct elf_file *f)
{
	bool wide = f->size > EI_CLASS && f->map[EI_CLASS] == ELFCLASS64;
	bool big = f->size > EI_DATA && f->map[EI_DATA] == ELFDATA2MSB;
	const uint8_t *n;
	uint64_t shoff = 0, num = 0;
	Elf64_Ehdr h;
	Elf32_Ehdr h32;

	if (f->size < (wide ? sizeof(h) : sizeof(h32)))
		return true; /* and is refused */
	memcpy(&h, f->map, wide ? sizeof(h) : sizeof(h32));
	memcpy(&h32, &h, sizeof(h32));
	if ((wide ? h.e_shnum : h32.e_shnum) != 0)
		return true;
	shoff = wide ? h.e_shoff : h32.e_shoff;
	if (big)
		shoff = wide ? __builtin_bswap64(shoff)
			     : __builtin_bswap32((uint32_t)shoff);
	n = elf_at(f,
		   shoff + (wide ? offsetof(Elf64_Shdr, sh_size)
				 : offsetof(Elf32_Shdr, sh_size)),
		   wide ? 8 : 4);
	if (n == NULL || shoff == 0)
		return true;
	memcpy(&num, n, wide ? 8 : 4);
	if (big)
		num = wide ? __builtin_bswap64(num)
			   : __builtin_bswap32((uint32_t)num);
	return num <= ELF_SECS_MAX;
}

static int
elf_load(struct elf_file *f, struct err *e)
{
	if (f->size < SELFMAG || memcmp(f->map, ELFMAG, SELFMAG) != 0)
		return elf_fail(f, e, "not an ELF file");
	if (elf_version(EV_CURRENT) == EV_NONE)
		return elf_fail(f, e, elf_errmsg(-1));
	if (!elf_few_secs(f))
		return elf_fail(f, e, "too many sections");
	/* elf_memory() takes char *, but a file read this way is not written
	   to. */
	f->elf = elf_memory((char *)(uintptr_t)f->map, f->size);
	if (f->elf == NULL || elf_kind(f->elf) != ELF_K_ELF ||
	    gelf_getehdr(f->elf, &f->eh) == NULL)
		return elf_fail(f, e, "damaged ELF header");
	if (elf_load_segs(f, e) != 0 || elf_load_secs(f, e) != 0)
		return -1;
	elf_load_soname(f);
	return 0;
}

static struct elf_file *
elf_new(const char *path, struct err *e)
{
	struct arena *a = arena_new();
	struct elf_file *f;

	if (a == NULL) {
		err_nomem(e);
		return NULL;
	}
	f = arena_alloc(a, sizeof(*f));
	if (f == NULL || (f->path = arena_strdup(a, path)) == NULL) {
		arena_free(a);
		err_nomem(e);
		return NULL;
	}
	f->arena = a;
	return f;
}

/* The bytes of a file; MAP_FAILED: errno.  The kernel puts the breakpoints of
   uprobes into private mappings of the file, ours too, though nobody could
   execute it; into shared ones it does not, which not all file systems have. */
static void *
file_bytes(int fd, size_t n)
{
	void *p = mmap(NULL, n, PROT_READ, MAP_SHARED, fd, 0);

	return p != MAP_FAILED ? p
			       : mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
}

static int
elf_map(struct elf_file *f, struct err *e)
{
	struct stat st;
	void *p;
	char magic[SELFMAG];
	int fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return err_set(e, &ERR_GENERIC, errno, "%s", f->path);
	if (fstat(fd, &st) != 0) {
		err_set(e, &ERR_GENERIC, errno, "%s", f->path);
		close(fd);
		return -1;
	}
	if (!S_ISREG(st.st_mode) || st.st_size < (off_t)SELFMAG) {
		close(fd);
		return elf_fail(f, e, "not an ELF file");
	}
	p = file_bytes(fd, (size_t)st.st_size);
	if (p == MAP_FAILED) {
		err_set(e, &ERR_GENERIC, errno, "%s", f->path);
		close(fd);
		return -1;
	}
	f->map = p;
	f->size = (size_t)st.st_size;
	f->mapped = true;
	/* What is no ELF file has holes that nobody wants to know of: memory
	   files that are code. */
	if (pread(fd, magic, SELFMAG, 0) == SELFMAG &&
	    memcmp(magic, ELFMAG, SELFMAG) == 0)
		elf_find_holes(f, fd);
	close(fd);
	return 0;
}

struct elf_file *
elf_open(const char *path, struct err *e)
{
	struct elf_file *f = elf_new(path, e);

	if (f == NULL)
		return NULL;
	if (elf_map(f, e) != 0 || elf_load(f, e) != 0) {
		elf_close(f);
		return NULL;
	}
	/* Most files are opened to see that they are not the one: what was read
	   of them comes back if it is asked for. */
	(void)madvise((void *)(uintptr_t)f->map, f->size, MADV_DONTNEED);
	return f;
}

struct elf_file *
elf_open_mem(const void *p, size_t n, const char *name, struct err *e)
{
	struct elf_file *f = elf_new(name, e);

	if (f == NULL)
		return NULL;
	f->map = arena_memdup(f->arena, p, n);
	f->size = n;
	if (f->map == NULL) {
		err_nomem(e);
		elf_close(f);
		return NULL;
	}
	if (elf_load(f, e) != 0) {
		elf_close(f);
		return NULL;
	}
	return f;
}

void
elf_close(struct elf_file *f)
{
	if (f == NULL)
		return;
	elf_names_free(f->names);
	elf_notes_free(f);
	free(f->syms);
	free(f->stubsyms);
	free(f->maxend);
	free(f->fdes);
	free(f->ptrs);
	free(f->entries);
	free(f->hits);
	elf_close(f->debug);
	if (f->elf != NULL)
		elf_end(f->elf);
	if (f->mapped)
		munmap((void *)(uintptr_t)f->map, f->size);
	arena_free(f->arena);
}

/* ---- facts ---------------------------------------------------------- */

bool
elf_is_x86_64(const struct elf_file *f)
{
	return f->eh.e_machine == EM_X86_64 &&
	       f->eh.e_ident[EI_CLASS] == ELFCLASS64;
}

bool
elf_is_native(const struct elf_file *f)
{
#ifdef MACHINE_AARCH64
	return f->eh.e_machine == EM_AARCH64 &&
	       f->eh.e_ident[EI_CLASS] == ELFCLASS64;
#else
	return elf_is_x86_64(f);
#endif
}

bool
elf_is_pie(const struct elf_file *f)
{
	return f->eh.e_type == ET_DYN;
}

uint64_t
elf_entry(const struct elf_file *f)
{
	return f->eh.e_entry;
}

const char *
elf_soname(struct elf_file *f)
{
	return f->soname;
}

const char *
elf_interp(struct elf_file *f)
{
	return f->interp;
}

/* ---- bytes ---------------------------------------------------------- */

/* The segment whose file-backed part holds addr. */
static const struct elf_seg *
elf_seg_at(const struct elf_file *f, uint64_t addr)
{
	for (size_t i = 0; i < f->nsegs; i++) {
		const struct elf_seg *s = &f->segs[i];

		if (addr >= s->addr && addr - s->addr < s->filesz)
			return s;
	}
	return NULL;
}

bool
elf_addr_to_off(const struct elf_file *f, uint64_t addr, uint64_t *off)
{
	const struct elf_seg *s = elf_seg_at(f, addr);

	if (s == NULL)
		return false;
	*off = s->off + (addr - s->addr);
	return true;
}

const uint8_t *
elf_bytes(struct elf_file *f, uint64_t addr, size_t n)
{
	const struct elf_seg *s = elf_seg_at(f, addr);

	if (s == NULL || n > s->filesz - (addr - s->addr))
		return NULL;
	return elf_at(f, s->off + (addr - s->addr), n);
}

const uint8_t *
elf_bytes_at(const struct elf_file *f, uint64_t off, size_t n)
{
	return elf_at(f, off, n);
}

uint64_t
elf_code_left(const struct elf_file *f, uint64_t addr)
{
	const struct elf_seg *s = elf_seg_at(f, addr);

	return s != NULL && s->exec ? s->filesz - (addr - s->addr) : 0;
}

bool
elf_text(const struct elf_file *f, uint64_t *addr, uint64_t *size)
{
	for (size_t i = 0; i < f->nsegs; i++) {
		if (!f->segs[i].exec)
			continue;
		*addr = f->segs[i].addr;
		*size = f->segs[i].filesz;
		return true;
	}
	return false;
}

const struct elf_sec *
elf_sec_find(const struct elf_file *f, const char *name)
{
	for (size_t i = 1; i < f->nsecs; i++)
		if (strcmp(f->secs[i].name, name) == 0)
			return &f->secs[i];
	return NULL;
}

const void *
elf_section(struct elf_file *f, const char *name, size_t *size, uint64_t *addr)
{
	const struct elf_sec *s = elf_sec_find(f, name);
	const void *p;

	if (s == NULL || s->type == SHT_NOBITS ||
	    (s->flags & SHF_COMPRESSED) != 0)
		return NULL;
	p = elf_at(f, s->off, s->size);
	if (p == NULL)
		return NULL;
	*size = s->size;
	if (addr != NULL)
		*addr = s->addr;
	return p;
}
