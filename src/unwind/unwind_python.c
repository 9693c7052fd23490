/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * unwind_python.c - whether a file is CPython, and how its frames are laid out.
 *
 * The program, or libpython where the interpreter is a library, exports its
 * version, its state and the type of its code objects.  A thread's state is had
 * by a key of the C library, whose table glibc describes to debuggers
 * (_thread_db_pthread_specific); other C libraries do not, and their Pythons'
 * stacks are those of C alone.
 *
 * Layouts are those of the headers that each version comes with
 * (Include/cpython and Include/internal); they do not change within a version.
 * From 3.13 on the interpreter says them itself, to debuggers, in a table that
 * its state begins with (_Py_DebugOffsets): words of 64 bits, in an order that
 * each version has of its own.
 */
#include "unwind/unwind_impl.h"

#include <string.h>

struct python_layout {
	uint32_t version; /* 3.11: 0x030b */
	uint32_t tss;	  /* in _PyRuntime */
	struct rt_py py;
};

static const struct python_layout layouts[] = {
	{ .version = 0x030b,
	  .tss = 592,
	  .py = { .ts_cframe = 56, .cf_frame = 8, .cf_prev = 16,
		  .f_code = 32, .f_prev = 48, .f_instr = 56, .f_entry = 68,
		  .f_owner = 69, .c_line = 72, .c_file = 112, .c_qual = 128,
		  .c_lines = 136, .c_code = 184, .s_ascii = 48,
		  .s_other = 72 } },
	{ .version = 0x030c,
	  .tss = 1544,
	  .py = { .ts_cframe = 56, .cf_frame = 0, .cf_prev = 8,
		  .f_code = 0, .f_prev = 8, .f_instr = 56, .f_entry = 0,
		  .f_owner = 70, .c_line = 68, .c_file = 112, .c_qual = 128,
		  .c_lines = 136, .c_code = 192, .s_ascii = 40,
		  .s_other = 56 } },
};

/* Where words of the table are, by version; of a later one nothing is known. */
struct python_table {
	uint32_t version;
	uint8_t threads, ts_next, ts_frame, ts_thread;
	uint8_t f_prev, f_code, f_instr, f_owner;
	uint8_t c_file, c_qual, c_lines, c_line, c_code;
	uint8_t o_type; /* PyObject: which must be 8 */
};
static const struct python_table tables[] = {
	{ 0x030d, 9, 21, 23, 24, 29, 30, 31, 33, 35, 37, 38, 39, 43, 45 },
	{ 0x030e, 9, 24, 26, 27, 32, 33, 34, 36, 40, 42, 43, 44, 48, 51 },
	{ 0x030f, 9, 24, 26, 30, 40, 41, 42, 44, 48, 50, 51, 52, 56, 59 },
};
#define TABLE_COOKIE  "xdebugpy"
#define TABLE_WORDS   60u
#define TABLE_VERSION 1 /* words of it */
#define TABLE_FREE    2 /* not 0: threads without a lock, other layouts */
#define TABLE_HEAD    5 /* in _PyRuntime: the interpreters */
/* Of strings, since 3.12: the table has the first of them, too. */
#define STRING_ASCII 40
#define STRING_OTHER 56

/* Most files have none of these names: their strings are looked through, and
   symbols are read only of those that have. */
static bool
names(struct elf_file *f, const char *name)
{
	size_t size, len = strlen(name) + 1;
	const char *tab = elf_section(f, ".dynstr", &size, NULL);

	return tab != NULL && memmem(tab, size, name, len) != NULL;
}

uint64_t
unwind_symbol(struct elf_file *f, const char *name)
{
	const struct elf_sym *s = elf_sym_find(f, name);

	return s != NULL ? s->addr : 0;
}

static const struct python_layout *
layout_of(struct elf_file *f)
{
	uint64_t at = unwind_symbol(f, "Py_Version");
	const uint8_t *p = at != 0 ? elf_bytes(f, at, 4) : NULL;
	uint32_t v;

	if (p == NULL)
		return NULL;
	memcpy(&v, p, sizeof(v));
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if (layouts[i].version == v >> 16)
			return &layouts[i];
	return NULL;
}

/* Those that frames and code objects are read with lie where rt_python.c
   reads. */
static bool
table_fits(const uint64_t *w, const struct python_table *t)
{
	const uint8_t small[] = { t->ts_next, t->ts_frame, t->ts_thread,
				  t->c_code };
	const uint8_t frame[] = { t->f_prev, t->f_code, t->f_instr };
	const uint8_t code[] = { t->c_file, t->c_qual, t->c_lines, t->c_line };

	for (size_t i = 0; i < sizeof(small); i++)
		if (w[small[i]] > UINT8_MAX)
			return false;
	for (size_t i = 0; i < sizeof(frame); i++)
		if (w[frame[i]] > RT_PY_FRAME - 8)
			return false;
	for (size_t i = 0; i < sizeof(code); i++)
		if (w[code[i]] > RT_PY_CODE - 8)
			return false;
	/* The owner is a byte. */
	return w[t->f_owner] < RT_PY_FRAME && w[t->o_type] == 8 &&
	       w[t->threads] != 0 &&
	       w[t->threads] <= UINT32_MAX && w[TABLE_HEAD] <= UINT16_MAX;
}

/* A layout by the interpreter's own table; tss is 0 if there is none. */
static struct rt_py
table_layout(const uint64_t *w, const struct python_table *t, uint64_t runtime)
{
	if (w[TABLE_FREE] != 0 || !table_fits(w, t))
		return (struct rt_py){ 0 };
	return (struct rt_py){
		.tss = runtime + w[TABLE_HEAD],
		.threads = (uint32_t)w[t->threads],
		.ts_next = (uint8_t)w[t->ts_next],
		.ts_frame = (uint8_t)w[t->ts_frame],
		.ts_thread = (uint8_t)w[t->ts_thread],
		.f_prev = (uint8_t)w[t->f_prev],
		.f_code = (uint8_t)w[t->f_code],
		.f_instr = (uint8_t)w[t->f_instr],
		.f_owner = (uint8_t)w[t->f_owner],
		.c_file = (uint8_t)w[t->c_file],
		.c_qual = (uint8_t)w[t->c_qual],
		.c_lines = (uint8_t)w[t->c_lines],
		.c_line = (uint8_t)w[t->c_line],
		.c_code = (uint8_t)w[t->c_code],
		.s_ascii = STRING_ASCII,
		.s_other = STRING_OTHER,
	};
}

static struct rt_py
table_of(struct elf_file *f)
{
	uint64_t at = unwind_symbol(f, "_PyRuntime"), w[TABLE_WORDS];
	const uint8_t *p = at != 0 ? elf_bytes(f, at, sizeof(w)) : NULL;

	if (p == NULL || memcmp(p, TABLE_COOKIE, 8) != 0)
		return (struct rt_py){ 0 };
	memcpy(w, p, sizeof(w));
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if (tables[i].version == w[TABLE_VERSION] >> 16)
			return table_layout(w, &tables[i], at);
	return (struct rt_py){ 0 };
}

/* Where glibc says that struct pthread has pointers to blocks of 32 keys: bits,
   elements, offset. */
static uint32_t
specific(struct elf_file *f)
{
	uint64_t at = unwind_symbol(f, "_thread_db_pthread_specific");
	const uint8_t *p = at != 0 ? elf_bytes(f, at, 12) : NULL;
	uint32_t d[3];

	if (p == NULL)
		return 0;
	memcpy(d, p, sizeof(d));
	return d[0] != 0 && d[0] % 64 == 0 ? d[2] : 0;
}

/* What one of Python's own files says; tss is 0 if its version is not known. */
static struct rt_py
python_file(struct elf_file *f)
{
	const struct python_layout *l = layout_of(f);
	struct rt_py py;

	if (l != NULL) {
		py = l->py;
		py.tss = unwind_symbol(f, "_PyRuntime");
		py.tss += py.tss != 0 ? l->tss : 0;
	} else {
		py = table_of(f);
	}
	py.code_type = unwind_symbol(f, "PyCode_Type");
	return py.tss != 0 && py.code_type != 0 ? py : (struct rt_py){ 0 };
}

void
unwind_python_file(struct elf_file *f, struct rt_py *py)
{
	*py = (struct rt_py){ 0 };
	if (names(f, "_thread_db_pthread_specific"))
		py->specific = specific(f);
	else if (names(f, "_PyRuntime") && names(f, "Py_Version"))
		*py = python_file(f);
	else if (names(f, "PL_thr_key"))
		unwind_perl_file(f, &py->pl);
}

void
unwind_python_map(struct rt_py *all, const struct rt_py *file, uint64_t bias)
{
	uint32_t kept;
	struct rt_pl perl;

	unwind_perl_map(&all->pl, &file->pl, bias);
	if (file->specific != 0)
		all->specific = file->specific;
	kept = all->specific;
	perl = all->pl;
	if (file->tss == 0 || all->tss != 0)
		return;
	*all = *file;
	all->specific = kept;
	all->pl = perl;
	all->tss += bias;
	all->code_type += bias;
}

void
unwind_python_done(struct rt_py *all)
{
	struct rt_pl perl = all->pl;
	uint32_t kept = all->specific;

	if (all->tss != 0 && (kept != 0 || all->threads != 0))
		return;
	*all = (struct rt_py){ 0 };
	if (perl.key != 0 && kept != 0) {
		all->specific = kept;
		all->pl = perl;
	}
}
