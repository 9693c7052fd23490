/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dif_prog.c - the life of a compiled program.  All of it, the struct itself
 * included, lives in the program's arena, so there is only one thing to free.
 */
#include "dif/dif.h"

void
dif_prog_free(struct dif_prog *p)
{
	if (p != NULL)
		arena_free(p->arena);
}
