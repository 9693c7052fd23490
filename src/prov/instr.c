/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* instr.c - names of probes at instructions by kind. */
#include "prov/instr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
instr_name(const struct code_body *b, uint64_t off, char name[INSTR_NAME_MAX])
{
	const char *kind = off < b->n ? code_insn_name(b->p + off, b->n - off)
				      : NULL;

	name[0] = '\0';
	if (kind != NULL)
		snprintf(name, INSTR_NAME_MAX, "%s-%llx", kind,
			 (unsigned long long)off);
}

bool
instr_name_may(const char *pattern, const struct code_body *b, uint64_t off)
{
	const char *kind = off < b->n ? code_insn_name(b->p + off, b->n - off)
				      : NULL;
	size_t n = strcspn(pattern, "*?[\\-");

	return kind != NULL && strncmp(pattern, kind, n) == 0;
}

bool
instr_name_offset(const char *name, uint64_t *off)
{
	const char *hex = strchr(name, '-');
	size_t n;

	if (hex == NULL || hex == name)
		return false;
	n = strlen(++hex);
	if (n == 0 || n > 16 || strspn(hex, "0123456789abcdef") != n ||
	    (hex[0] == '0' && n > 1))
		return false;
	*off = strtoull(hex, NULL, 16);
	return true;
}
