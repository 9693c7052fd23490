/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_types.c - the types that a handle knows, as C text (-xctypes, -xdtypes).
 */
#include "lang/show/show_impl.h"

static void
types_of_d(const struct lang *l, struct type_writer *w, struct buf *out)
{
	buf_puts(out, "/* Types that D programs and libraries declare. */\n");
	for (size_t i = 0; i < l->spaces.n; i++)
		type_write_space(w, l->spaces.v[i], 0, out);
}

static void
types_of_c(const struct lang *l, struct type_writer *w, struct buf *out)
{
	buf_puts(out, "/* Types of D, and of the kernel's those that were "
		      "read. */\n");
	type_write_space(w, l->host.types, 0, out);
	type_write_kernel(w, l->host.types, out);
}

int
lang_write_types(const struct lang *l, enum lang_types which, struct buf *out,
		 struct err *e)
{
	struct type_writer *w = type_writer_new(l->types, true);

	if (w == NULL)
		return err_nomem(e);
	(which == LANG_TYPES_C ? types_of_c : types_of_d)(l, w, out);
	type_writer_free(w);
	return out->failed ? err_nomem(e) : 0;
}
