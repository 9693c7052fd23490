/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_elf_syms.c - symbols of objects that are made here, of both classes:
 * which are known, in which order, under which names, and how large they are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/test/fds.h"
#include "elf/elf_impl.h"

/* ---- objects ------------------------------------------------------------- */

#define MOST 64
#define TEXT 1 /* sections: of 0x800 bytes at 0x1000 */
#define DATA 2 /* of 0x100 at 0x4000 */
#define NONE 9 /* there is no such section */

struct made {
	const char *name;
	unsigned type, bind, sec;
	uint64_t addr, size;
	uint16_t version; /* in .gnu.version */
};

/* Sections 3 to 5: symbols, names, versions. */
#define OBJECT(bits)                                                           \
	struct object##bits {                                                  \
		Elf##bits##_Ehdr eh;                                           \
		Elf##bits##_Phdr ph[2];                                        \
		Elf##bits##_Shdr sh[6];                                        \
		Elf##bits##_Sym sym[MOST];                                     \
		uint16_t vers[MOST];                                           \
		char strs[2048];                                               \
	};                                                                     \
	static void make##bits(struct object##bits *o, uint32_t type,          \
			       const struct made *m, size_t n)                 \
	{                                                                      \
		size_t at = 1;                                                 \
                                                                               \
		memset(o, 0, sizeof(*o));                                      \
		memcpy(o->eh.e_ident, ELFMAG, SELFMAG);                        \
		o->eh.e_ident[EI_CLASS] = ELFCLASS##bits;                      \
		o->eh.e_ident[EI_DATA] = ELFDATA2LSB;                          \
		o->eh.e_ident[EI_VERSION] = EV_CURRENT;                        \
		o->eh.e_type = ET_EXEC;                                        \
		o->eh.e_machine = bits == 64 ? EM_X86_64 : EM_386;             \
		o->eh.e_version = EV_CURRENT;                                  \
		o->eh.e_phoff = offsetof(struct object##bits, ph);             \
		o->eh.e_phnum = 2;                                             \
		o->eh.e_phentsize = sizeof(o->ph[0]);                          \
		o->eh.e_shoff = offsetof(struct object##bits, sh);             \
		o->eh.e_shnum = 6;                                             \
		o->eh.e_shentsize = sizeof(o->sh[0]);                          \
		o->eh.e_ehsize = sizeof(o->eh);                                \
		for (int i = 0; i < 2; i++) {                                  \
			o->ph[i].p_type = PT_LOAD;                             \
			o->ph[i].p_flags = i == 0 ? PF_R | PF_X : PF_R | PF_W; \
			o->ph[i].p_vaddr = i == 0 ? 0x1000 : 0x4000;           \
			o->ph[i].p_memsz = i == 0 ? 0x900 : 0x200;             \
			o->sh[1 + i].sh_type = SHT_NOBITS;                     \
			o->sh[1 + i].sh_addr = o->ph[i].p_vaddr;               \
			o->sh[1 + i].sh_size = o->ph[i].p_memsz - 0x100;       \
		}                                                              \
		o->sh[3].sh_type = type;                                       \
		o->sh[3].sh_link = 4;                                          \
		o->sh[3].sh_offset = offsetof(struct object##bits, sym);       \
		o->sh[3].sh_size = (n + 1) * sizeof(o->sym[0]);                \
		o->sh[3].sh_entsize = sizeof(o->sym[0]);                       \
		o->sh[4].sh_type = SHT_STRTAB;                                 \
		o->sh[4].sh_offset = offsetof(struct object##bits, strs);      \
		o->sh[4].sh_size = sizeof(o->strs);                            \
		o->sh[5].sh_type = SHT_GNU_versym;                             \
		o->sh[5].sh_link = 3;                                          \
		o->sh[5].sh_offset = offsetof(struct object##bits, vers);      \
		o->sh[5].sh_size = (n + 1) * sizeof(o->vers[0]);               \
		for (size_t i = 0; i < n; i++) {                               \
			o->sym[i + 1].st_name = (uint32_t)at;                  \
			o->sym[i + 1].st_info =                                \
				(uint8_t)ELF64_ST_INFO(m[i].bind, m[i].type);  \
			o->sym[i + 1].st_shndx = (uint16_t)m[i].sec;           \
			o->sym[i + 1].st_value = (Elf##bits##_Addr)m[i].addr;  \
			o->sym[i + 1].st_size = (Elf##bits##_Word)m[i].size;   \
			o->vers[i + 1] = m[i].version;                         \
			at += (size_t)snprintf(o->strs + at,                   \
					       sizeof(o->strs) - at, "%s",     \
					       m[i].name) +                    \
			      1;                                               \
		}                                                              \
	}
OBJECT(32)
OBJECT(64)

static union {
	struct object32 o32;
	struct object64 o64;
} object;

static struct elf_file *
make(int bits, uint32_t type, const struct made *m, size_t n)
{
	struct err e = { 0 };
	struct elf_file *f;

	assert_true(n < MOST);
	if (bits == 32)
		make32(&object.o32, type, m, n);
	else
		make64(&object.o64, type, m, n);
	f = elf_open_mem(&object,
			 bits == 32 ? sizeof(object.o32) : sizeof(object.o64),
			 "made", &e);
	if (f == NULL)
		fail_msg("%s", e.msg);
	assert_int_equal(elf_syms_most(f), type == SHT_PROGBITS ? 0 : n + 1);
	return f;
}

/* All symbols: name, address and size; f, i: a function, chosen when loaded;
   g, w: global, weak; ~: a size that was not said; o: an old version. */
static void
describe(struct elf_file *f, struct buf *b)
{
	size_t n;
	const struct elf_sym *s = elf_syms(f, &n);

	for (size_t i = 0; i < n; i++, s++)
		buf_printf(b, "%s %llx+%x%s%s%s%s%s%s\n", s->name,
			   (unsigned long long)s->addr, (unsigned)s->size,
			   s->is_func ? "f" : "", s->is_ifunc ? "i" : "",
			   s->is_global ? "g" : "", s->is_weak ? "w" : "",
			   s->guessed ? "~" : "", s->is_old ? "o" : "");
}

static void
symbols_are(uint32_t type, const struct made *m, size_t n, const char *want)
{
	for (int bits = 32; bits <= 64; bits += 32) {
		struct elf_file *f = make(bits, type, m, n);
		struct buf b = BUF_INIT;

		describe(f, &b);
		assert_string_equal(buf_str(&b), want);
		buf_fini(&b);
		elf_close(f);
	}
}

#define ARE(type, m, want) symbols_are(type, m, sizeof(m) / sizeof(*(m)), want)

#define F STT_FUNC
#define O STT_OBJECT
#define L STT_NOTYPE
#define G STB_GLOBAL
#define W STB_WEAK

/* ---- tests --------------------------------------------------------------- */

/* What names something in memory. */
static void
test_kinds(void **state)
{
	static const struct made m[] = {
		{ "func", F, G, TEXT, 0x1000, 8 },
		{ "local", F, STB_LOCAL, TEXT, 0x1010, 8 },
		{ "weak", F, W, TEXT, 0x1020, 8 },
		{ "chosen", STT_GNU_IFUNC, G, TEXT, 0x1030, 8 },
		{ "unique", O, STB_GNU_UNIQUE, DATA, 0x4000, 8 },
		{ "object", O, G, DATA, 0x4010, 8 },
		{ "label", L, STB_LOCAL, TEXT, 0x1040, 8 },
		{ ".Llabel", L, STB_LOCAL, TEXT, 0x1050, 8 },
		{ "$x", L, STB_LOCAL, TEXT, 0x1060, 8 },
		{ ".func", F, STB_LOCAL, TEXT, 0x1070, 8 },
		{ "tls", STT_TLS, G, DATA, 0x10, 8 },
		{ "file.c", STT_FILE, STB_LOCAL, SHN_ABS, 0, 0 },
		{ ".text", STT_SECTION, STB_LOCAL, TEXT, 0x1000, 0 },
		{ "undef", F, G, SHN_UNDEF, 0x1080, 8 },
		{ "abs", O, G, SHN_ABS, 0x1080, 8 },
		{ "common", O, G, SHN_COMMON, 0x1080, 8 },
		{ "", F, G, TEXT, 0x1090, 8 },
	};

	ARE(SHT_SYMTAB, m,
	    "func 1000+8fg\nlocal 1010+8f\nweak 1020+8fw\n"
	    "chosen 1030+8fig\nlabel 1040+8\n.func 1070+8f\n"
	    "unique 4000+8g\nobject 4010+8g\n");
	ARE(SHT_DYNSYM, m,
	    "func 1000+8fg\nlocal 1010+8f\nweak 1020+8fw\n"
	    "chosen 1030+8fig\nlabel 1040+8\n.func 1070+8f\n"
	    "unique 4000+8g\nobject 4010+8g\n");
	ARE(SHT_PROGBITS, m, "");
}

/* At one address: the best first; what is there twice is there once. */
static void
test_aliases(void **state)
{
	static const struct made m[] = {
		{ "label", L, G, TEXT, 0x1000, 8 },
		{ "local", F, STB_LOCAL, TEXT, 0x1000, 8 },
		{ "unsized", F, G, TEXT, 0x1000, 0 },
		{ "__two", F, G, TEXT, 0x1000, 8 },
		{ "_one", F, G, TEXT, 0x1000, 8 },
		{ "$dollar", F, G, TEXT, 0x1000, 8 },
		{ "larger", F, G, TEXT, 0x1000, 9 },
		{ "weak", F, W, TEXT, 0x1000, 8 },
		{ "longer", F, G, TEXT, 0x1000, 8 },
		{ "bb", F, G, TEXT, 0x1000, 8 },
		{ "aa", F, G, TEXT, 0x1000, 8 },
		{ "aa", F, G, TEXT, 0x1000, 8 },
		{ "aa", L, G, TEXT, 0x1000, 8 },
		{ "old@V1", F, G, TEXT, 0x1000, 8 },
	};

	ARE(SHT_SYMTAB, m,
	    "aa 1000+8fg\nbb 1000+8fg\nlonger 1000+8fg\nweak 1000+8fw\n"
	    "larger 1000+9fg\n_one 1000+8fg\n__two 1000+8fg\n"
	    "$dollar 1000+8fg\nold 1000+8fgo\nlocal 1000+8f\n"
	    "unsized 1000+0fg\naa 1000+8g\nlabel 1000+8g\n");
}

/* The default version is the new one; of .dynsym another section says it. */
static void
test_versions(void **state)
{
	static const struct made m[] = {
		{ "new@@V2", F, G, TEXT, 0x1000, 8, 0x8002 },
		{ "old@V1", F, G, TEXT, 0x1010, 8, 2 },
		{ "@sign", F, G, TEXT, 0x1020, 8, 2 },
		{ "hidden", F, G, TEXT, 0x1030, 8, 0x8003 },
		{ "shown", F, G, TEXT, 0x1040, 8, 0x7fff },
		{ "cut@", F, G, TEXT, 0x1050, 8, 2 },
	};

	ARE(SHT_DYNSYM, m,
	    "new 1000+8fg\nold 1010+8fgo\n@sign 1020+8fg\n"
	    "hidden 1030+8fgo\nshown 1040+8fg\ncut 1050+8fgo\n");
}

/* Sizes that are not said end at what comes next, others where their section
   does, or without that their segment. */
static void
test_sizes(void **state)
{
	static const struct made m[] = {
		{ "first", F, G, TEXT, 0x1000, 0 },
		{ "second", F, G, TEXT, 0x1010, 0x20 },
		{ "inside", L, G, TEXT, 0x1018, 0 },
		{ "third", F, G, TEXT, 0x1030, 0 },
		{ "third_too", F, G, TEXT, 0x1030, 0 },
		{ "beyond", F, G, TEXT, 0x17f0, 0x100 },
		{ "exactly", F, G, TEXT, 0x17f8, 8 },
		{ "end", L, G, TEXT, 0x1800, 0 },
		{ "segment", F, G, NONE, 0x1810, 0 },
		{ "segment_end", L, G, NONE, 0x1900, 0 },
		{ "data", O, G, DATA, 0x40f0, 0 },
		{ "nowhere", O, G, NONE, 0x9000, 5 },
		{ "nowhere_either", O, G, NONE, 0xa000, 0 },
	};

	ARE(SHT_SYMTAB, m,
	    "first 1000+10fg~\nsecond 1010+20fg\ninside 1018+0g\n"
	    "third 1030+7c0fg~\nthird_too 1030+0fg\nbeyond 17f0+10fg\n"
	    "exactly 17f8+8fg\nend 1800+0g\nsegment 1810+f0fg~\n"
	    "segment_end 1900+0g\ndata 40f0+10g~\nnowhere 9000+5g\n"
	    "nowhere_either a000+0g\n");
}

static void
at_is(struct elf_file *f, uint64_t addr, const char *in, const char *before)
{
	const struct elf_sym *s = elf_sym_at(f, addr);

	assert_string_equal(s != NULL ? s->name : "", in);
	s = elf_sym_before(f, addr);
	assert_string_equal(s != NULL ? s->name : "", before);
}

/* By address: the innermost that begins last, at its preferred name; what has
   no size contains nothing. */
static void
test_at(void **state)
{
	static const struct made m[] = {
		{ "outer", F, G, TEXT, 0x1000, 0x100 },
		{ "inner", F, G, TEXT, 0x1020, 0x10 },
		{ "inner_b", F, G, TEXT, 0x1020, 0x10 },
		{ "label", L, G, TEXT, 0x1080, 0 },
		{ "late", F, G, TEXT, 0x1200, 4 },
		{ "bare", L, G, NONE, 0x8000, 0 },
	};
	struct elf_file *f = make(64, SHT_SYMTAB, m, 6);

	at_is(f, 0xfff, "", "");
	at_is(f, 0x1000, "outer", "");
	at_is(f, 0x101f, "outer", "");
	at_is(f, 0x1020, "inner", "");
	at_is(f, 0x102f, "inner", "");
	at_is(f, 0x1030, "outer", "");
	at_is(f, 0x1080, "outer", "label");
	at_is(f, 0x10ff, "outer", "label");
	at_is(f, 0x1100, "", "label");
	at_is(f, 0x11ff, "", "label");
	at_is(f, 0x1203, "late", "");
	at_is(f, 0x1204, "", "");
	at_is(f, 0x7fff, "", "");
	at_is(f, 0x8000, "", "bare");
	at_is(f, UINT64_MAX, "", "bare");
	elf_close(f);
}

/* By name: each of that name, in the order of addresses. */
static void
test_find(void **state)
{
	static const struct made m[] = {
		{ "twice", F, G, TEXT, 0x1100, 8 },
		{ "other", F, G, TEXT, 0x1080, 8 },
		{ "twice", F, STB_LOCAL, TEXT, 0x1000, 8 },
		{ "twice", F, W, TEXT, 0x1200, 8 },
	};
	struct elf_file *f = make(64, SHT_SYMTAB, m, 4);
	const struct elf_sym *s = elf_sym_find(f, "twice");

	for (uint64_t addr = 0x1000; addr <= 0x1200; addr += 0x100) {
		assert_non_null(s);
		assert_int_equal(s->addr, addr);
		s = elf_sym_next(f, s);
	}
	assert_null(s);
	assert_null(elf_sym_find(f, "twic"));
	assert_null(elf_sym_find(f, ""));
	s = elf_sym_find(f, "other");
	assert_non_null(s);
	assert_null(elf_sym_next(f, s));
	elf_close(f);
}

/* With names that end nowhere, or with the other byte order, there is none. */
static void
test_damaged(void **state)
{
	static const struct made m[] = { { "func", F, G, TEXT, 0x1000, 8 } };

	for (int i = 0; i < 5; i++) {
		struct err e = { 0 };
		struct elf_file *f;
		size_t n;

		make64(&object.o64, SHT_SYMTAB, m, 1);
		if (i == 0)
			object.o64.sym[1].st_name = sizeof(object.o64.strs);
		if (i == 1)
			object.o64.sh[4].sh_size = 5; /* without the last NUL */
		if (i == 2)
			object.o64.sh[3].sh_link = 6;
		if (i == 3)
			object.o64.sh[4].sh_type = SHT_PROGBITS;
		if (i == 4)
			object.o64.sh[4].sh_offset = sizeof(object.o64);
		f = elf_open_mem(&object, sizeof(object.o64), "made", &e);
		if (f == NULL)
			fail_msg("%d: %s", i, e.msg);
		elf_syms(f, &n);
		assert_int_equal(n, 0);
		elf_close(f);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),    cmocka_unit_test(test_aliases),
		cmocka_unit_test(test_versions), cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_at),       cmocka_unit_test(test_find),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
