/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* fuzz_note.c - any text as the operands of a static probe: what is taken can
   be a site's recipes, and a refusal can be shown. */
#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "prov/usdt_arg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_taken(const struct dif_recipe *r, int n)
{
	struct dif_recipes all = { 0 };
	struct dif_site s = { .kind = DIF_SITE_UINSN, .path = "a",
			      .args = &all };

	memcpy(all.arg, r, (size_t)n * sizeof(*r));
	for (int i = 0; i < n; i++)
		if (r[i].scale > 3 || r[i].base > DIF_NUREGS ||
		    r[i].index > DIF_NUREGS || r[i].size > 8)
			abort();
	if (!dif_site_ok(&s))
		abort();
}

static void
check_refused(const struct err *e)
{
	if (strlen(e->msg) > 400)
		abort();
	for (const char *p = e->msg; *p != '\0'; p++)
		if (!isprint((unsigned char)*p))
			abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct elf_file *self;
	struct dif_recipe r[DIF_NARGS];
	struct err e = { 0 };
	char *text = malloc(size + 1);
	int n;

	if (self == NULL)
		self = elf_open("/proc/self/exe", &e);
	if (text == NULL || self == NULL)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	const struct usdt_where w = { self, 4096 };
	n = usdt_args(&w, text, r, &e);
	if (n > DIF_NARGS)
		abort();
	if (n >= 0)
		check_taken(r, n);
	else
		check_refused(&e);
	free(text);
	return 0;
}
