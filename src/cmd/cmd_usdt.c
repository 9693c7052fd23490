/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cmd_usdt.c - for programs that have probes of their own: dtrace -h, their
 * header, and dtrace -G, the object they link with.
 *
 * A header is opened when its text is complete, so that an error leaves the
 * one of before, and not half of one that make(1) takes to be up to date.
 */
#include "cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What -o says, or the script's base name with another suffix; otherwise, where
   there is such a thing, `other`.  The caller's. */
static char *
output_name(struct cmd *c, const char *suffix, const char *other)
{
	const struct cmd_prog *p = &c->progs[0];
	char *name;

	if (c->outname != NULL)
		return strdup(c->outname);
	bool one = c->nprogs == 1 && p->is_file && strcmp(p->text, "-") != 0;
	if (!one && other != NULL)
		return strdup(other);
	if (!one)
		cmd_fatal(c, "the output needs a name: -o, as it is not made "
			     "of one script");
	const char *slash = strrchr(p->text, '/');
	const char *base = slash != NULL ? slash + 1 : p->text;
	const char *dot = strrchr(base, '.');
	int n = dot != NULL && dot != base ? (int)(dot - base)
					   : (int)strlen(base);

	return asprintf(&name, "%.*s%s", n, base, suffix) < 0 ? NULL : name;
}

static void
write_file(struct cmd *c, const char *name, const char *text, size_t n)
{
	FILE *fp = fopen(name, "w");

	if (fp == NULL)
		cmd_fatal(c, "failed to open output file %s: %s", name,
			  strerror(errno));
	bool written = fwrite(text, 1, n, fp) == n;
	if (fclose(fp) != 0 || !written)
		cmd_fatal(c, "failed to write to %s: %s", name,
			  strerror(errno));
}

void
cmd_header(struct cmd *c)
{
	char *name = output_name(c, ".h", NULL), *text = NULL;
	size_t n = 0;
	FILE *fp = open_memstream(&text, &n);

	if (name == NULL || fp == NULL)
		cmd_fatal(c, "memory allocation failure");
	if (dtrace_program_header(c->dtp, fp, name) != 0)
		cmd_dfatal(c, "failed to create header file %s", name);
	if (fclose(fp) != 0)
		cmd_fatal(c, "memory allocation failure");
	write_file(c, name, text, n);
	free(text);
	free(name);
}

void
cmd_object(struct cmd *c)
{
	char *name = output_name(c, ".o", "d.out");

	if (name == NULL)
		cmd_fatal(c, "memory allocation failure");
	if (dtrace_program_link(c->dtp, NULL, 0, name, c->nobjects,
				c->objects) != 0)
		cmd_dfatal(c, "failed to create object file %s", name);
	if (c->verbose)
		cmd_error("%s has the semaphores of probes; objects compiled "
			  "with the header of -h need it not",
			  name);
	free(name);
}
