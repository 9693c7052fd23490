/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_format.c - the table of formats, from show.def.
 */
#include "show/show.h"

#include <string.h>

#define SHOW(name) extern const struct show_format show_format_##name;
#include "show/show.def"
#undef SHOW

const struct show_format *const show_formats[] = {
#define SHOW(name) &show_format_##name,
#include "show/show.def"
#undef SHOW
	NULL
};

const struct show_format *
show_format_by_name(const char *name, size_t n)
{
	for (size_t i = 0; show_formats[i] != NULL; i++)
		if (strlen(show_formats[i]->name) == n &&
		    memcmp(show_formats[i]->name, name, n) == 0)
			return show_formats[i];
	return NULL;
}
