/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * unwind_python.c - is a file CPython, and how are its frames laid out?
 *
 * The program, or libpython where the interpreter is a library, exports its
 * version, its state and the type of its code objects.  A thread's state is had
 * by a key of the C library, whose table glibc describes to debuggers
 * (_thread_db_pthread_specific); other C libraries do not, and their Pythons'
 * stacks are those of C alone.
 *
 * Layouts are those of the headers that each version comes with (Include/cpython
 * and Include/internal); they do not change within a version.
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

/* Most files have none of these names: their strings are looked through, and
   symbols are read only of those that have. */
static bool
names(struct elf_file *f, const char *name)
{
	size_t size, len = strlen(name) + 1;
	const char *tab = elf_section(f, ".dynstr", &size, NULL);

	return tab != NULL && memmem(tab, size, name, len) != NULL;
}

static uint64_t
symbol(struct elf_file *f, const char *name)
{
	const struct elf_sym *s = elf_sym_find(f, name);

	return s != NULL ? s->addr : 0;
}

static const struct python_layout *
layout_of(struct elf_file *f)
{
	uint64_t at = symbol(f, "Py_Version");
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

/* Where glibc says that struct pthread has pointers to blocks of 32 keys: bits,
   elements, offset. */
static uint32_t
specific(struct elf_file *f)
{
	uint64_t at = symbol(f, "_thread_db_pthread_specific");
	const uint8_t *p = at != 0 ? elf_bytes(f, at, 12) : NULL;
	uint32_t d[3];

	if (p == NULL)
		return 0;
	memcpy(d, p, sizeof(d));
	return d[0] != 0 && d[0] % 64 == 0 ? d[2] : 0;
}

void
unwind_python_file(struct elf_file *f, struct rt_py *py)
{
	const struct python_layout *l = NULL;

	*py = (struct rt_py){ 0 };
	if (names(f, "_thread_db_pthread_specific"))
		py->specific = specific(f);
	else if (names(f, "_PyRuntime") && names(f, "Py_Version"))
		l = layout_of(f);
	if (l == NULL)
		return;
	*py = l->py;
	py->tss = symbol(f, "_PyRuntime");
	py->code_type = symbol(f, "PyCode_Type");
	if (py->tss == 0 || py->code_type == 0)
		*py = (struct rt_py){ 0 };
	else
		py->tss += l->tss;
}

void
unwind_python_map(struct rt_py *all, const struct rt_py *file, uint64_t bias)
{
	uint32_t kept = all->specific;

	if (file->specific != 0)
		all->specific = file->specific;
	if (file->tss == 0 || all->tss != 0)
		return;
	*all = *file;
	all->specific = kept;
	all->tss += bias;
	all->code_type += bias;
}

void
unwind_python_done(struct rt_py *all)
{
	if (all->tss == 0 || all->specific == 0)
		*all = (struct rt_py){ 0 };
}
