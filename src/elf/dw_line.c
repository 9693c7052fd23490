/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dw_line.c - source lines of an address, and the functions that were put into
 * others there.
 *
 * The line table has the innermost place.  Each inlined function around it says
 * where it was called: that is the place in the one around.
 */
#include <ctype.h>
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "elf/dw_impl.h"

#define DEPTH_MAX 64 /* of scopes */

/* Text of the file, cut, without what a terminal might act on. */
static void
line_text(char *to, size_t size, const char *s)
{
	size_t i;

	for (i = 0; i + 1 < size && s[i] != '\0'; i++)
		to[i] = isprint((unsigned char)s[i]) ? s[i] : '?';
	to[i] = '\0';
}

/* A path as it was given to the compiler, if it was below its directory. */
static void
line_file(struct dw_line *l, Dwarf_Die *unit, const char *path)
{
	const char *dir = dw_text(unit, DW_AT_comp_dir);
	size_t n = dir != NULL ? strlen(dir) : 0;

	if (n != 0 && strncmp(path, dir, n) == 0 && path[n] == '/')
		path += n + 1;
	line_text(l->file, sizeof(l->file), path);
}

static bool
line_innermost(Dwarf_Die *unit, uint64_t addr, struct dw_line *l)
{
	Dwarf_Line *at = dwarf_getsrc_die(unit, addr);
	const char *path = at != NULL ? dwarf_linesrc(at, NULL, NULL) : NULL;

	if (path == NULL || dwarf_lineno(at, &l->line) != 0)
		return false;
	line_file(l, unit, path);
	return true;
}

/* The place from which an inlined function was called. */
static bool
line_call(Dwarf_Die *unit, Dwarf_Die *die, struct dw_line *l)
{
	Dwarf_Attribute a;
	Dwarf_Word file, line;
	Dwarf_Files *files;
	const char *path;
	size_t n;

	if (dwarf_attr(die, DW_AT_call_file, &a) == NULL ||
	    dwarf_formudata(&a, &file) != 0 ||
	    dwarf_attr(die, DW_AT_call_line, &a) == NULL ||
	    dwarf_formudata(&a, &line) != 0 || line > INT32_MAX ||
	    dwarf_getsrcfiles(unit, &files, &n) != 0 || file >= n ||
	    (path = dwarf_filesrc(files, file, NULL, NULL)) == NULL)
		return false;
	l->line = (int)line;
	line_file(l, unit, path);
	return true;
}

/* The child of a scope that has the address and is a scope itself. */
static bool
scope_in(Dwarf_Die *of, uint64_t addr, Dwarf_Die *out)
{
	Dwarf_Die at;

	if (!dw_child(of, &at))
		return false;
	do {
		switch (dwarf_tag(&at)) {
		case DW_TAG_subprogram:
		case DW_TAG_lexical_block:
		case DW_TAG_inlined_subroutine:
			if (dwarf_haspc(&at, addr) <= 0)
				break;
			*out = at;
			return true;
		case DW_TAG_namespace:
			if (scope_in(&at, addr, out))
				return true;
			break;
		default:
			break;
		}
	} while (dw_next(&at));
	return false;
}

/* The name of an inlined function, as the linker would have it. */
static void
inline_name(Dwarf_Die *die, struct dw_line *l)
{
	Dwarf_Attribute a;
	const char *s = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &a) != NULL)
		s = dwarf_formstring(&a);
	if (s == NULL && dwarf_attr_integrate(die, DW_AT_name, &a) != NULL)
		s = dwarf_formstring(&a);
	line_text(l->func, sizeof(l->func), s != NULL ? s : "?");
}

size_t
dw_lines(struct dw *d, uint64_t addr, struct dw_line *v, size_t max)
{
	Dwarf_Die unit, top, scope, chain[DEPTH_MAX];
	size_t depth = 0, n = 0;

	if (!dw_unit(d, addr, &unit, &top) || max == 0 ||
	    !line_innermost(&unit, addr, &v[0]))
		return 0;
	scope = top;
	for (size_t i = 0; i < DEPTH_MAX && scope_in(&scope, addr, &scope); i++)
		if (dwarf_tag(&scope) == DW_TAG_inlined_subroutine)
			chain[depth++] = scope;
	for (; depth > 0 && n + 1 < max; n++) {
		inline_name(&chain[--depth], &v[n]);
		if (!line_call(&unit, &chain[depth], &v[n + 1]))
			return n + 1;
	}
	v[n].func[0] = '\0';
	return n + 1;
}
