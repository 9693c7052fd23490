/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fuzz_dwarf.c - any bytes as an object file with debug information: the types
 * of its functions, and those of some names, with all that they lead to, and
 * their lines.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/dw.h"
#include "elf/elf.h"
#include "type/type.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* All that a type leads to, down to some depth. */
static void
fz_type(struct type *t, int depth)
{
	struct buf b = BUF_INIT;
	size_t n;

	if (t == NULL || depth > 4)
		return;
	type_name(t, &b);
	buf_fini(&b);
	type_size(t);
	type_align(t);
	fz_type(t->ref, depth + 1);
	const struct type_member *m = type_members(t, &n);
	for (size_t i = 0; i < n && i < 8; i++) {
		if (m[i].type == NULL || m[i].bits > 64)
			abort();
		fz_type(m[i].type, depth + 1);
	}
	const struct type_param *p = type_params(t, &n);
	for (size_t i = 0; i < n && i < 8; i++)
		fz_type(p[i].type, depth + 1);
	const struct type_enumerator *e = type_enumerators(t, &n);
	for (size_t i = 0; i < n; i++)
		if (e[i].name == NULL)
			abort();
}

static void
fz_fn(struct type_prog *p, uint64_t addr)
{
	struct dw_line v[4];
	size_t n = dw_lines(type_prog_dw(p), addr + 4, v, 4);

	if (n > 4 || (n != 0 && strlen(v[n - 1].file) >= sizeof(v[0].file)))
		abort();
	fz_type(type_prog_func(p, addr), 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "struct pt", "struct file",
					     "union u", "enum color", "pt_t" };
	struct err e = { 0 };
	struct elf_file *f = elf_open_mem(data, size, "fuzz", &e);
	struct type_space *ts = f != NULL ? type_space_base(&e) : NULL;
	struct type_prog *p = ts != NULL ? type_prog(ts, f) : NULL;
	const struct elf_sym *s;
	size_t n;

	if (p != NULL && type_prog_error(p) == NULL) {
		s = elf_syms(f, &n);
		for (size_t i = 0; i < n && i < 50; i++)
			fz_fn(p, s[i].addr);
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			fz_type(type_prog_lookup(p, names[i]), 0);
	}
	type_space_free(ts);
	elf_close(f);
	return 0;
}
