/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cmd_errors.c - a program does not compile: what is printed, and how.
 *
 * Scripts that call dtrace have read one line for as long as there has been
 * one: "dtrace: failed to compile script x.d: line 3: ...".  That line stays
 * where standard error is no terminal, or is asked for (-x errfmt=classic).  A
 * person gets every error with the line that it is in and a mark under the
 * place.
 */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/plain.h"

#define TEXT_SHOWN 200 /* bytes of a program that are repeated */
#define WIDTH_LEAST 20	/* columns of a terminal that there always are */

enum errfmt { ERRFMT_AUTO, ERRFMT_CLASSIC, ERRFMT_FULL }; /* of the option */

bool
cmd_for_people(struct cmd *c)
{
	int64_t v;

	if (dtrace_getopt(c->dtp, "errfmt", &v) != 0 || v == ERRFMT_AUTO)
		return isatty(STDERR_FILENO);
	return v == ERRFMT_FULL;
}

bool
cmd_for_scripts(struct cmd *c)
{
	int64_t v;

	return dtrace_getopt(c->dtp, "errfmt", &v) == 0 && v == ERRFMT_CLASSIC;
}

/* ---- one line ------------------------------------------------------------ */

static _Noreturn void
fatal_classic(struct cmd *c, const struct cmd_prog *p)
{
	size_t n = strlen(p->text);

	if (p->is_file)
		cmd_dfatal(c, "failed to compile script %s", p->text);
	cmd_dfatal(c, "invalid probe specifier %.*s%s",
		   n > TEXT_SHOWN ? TEXT_SHOWN : (int)n, p->text,
		   n > TEXT_SHOWN ? "..." : "");
}

/* ---- with the place ------------------------------------------------------ */

static size_t
terminal_width(void)
{
	struct winsize w;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_col == 0)
		return 80;
	return w.ws_col < WIDTH_LEAST ? WIDTH_LEAST : w.ws_col;
}

/* Of a character of several bytes, one that is not the first. */
static bool
is_tail(char b)
{
	return ((unsigned char)b & 0xc0) == 0x80;
}

static void
error_text(const char *text, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		unsigned char b = (unsigned char)text[i];

		fputc(b == '\t' ? ' ' : plain_char(b), stderr);
	}
}

/* The line, or as much of it around the place as there is room for, and a mark
   below. */
static void
error_line(const char *text, size_t at)
{
	size_t n = strlen(text), room = terminal_width() - 6, from = 0, to = n;

	while (n > 0 && (text[n - 1] == '\r' || text[n - 1] == ' '))
		n--;
	at = at > n ? n : at;
	if (n > room) {
		from = at > room * 2 / 3 ? at - room * 2 / 3 : 0;
		to = from + room < n ? from + room : n;
	}
	while (from > 0 && is_tail(text[from]))
		from--;
	while (from == 0 && from < at && strchr(" \t", text[from]) != NULL)
		from++;
	while (to < n && is_tail(text[to]))
		to++;
	fputs("    ", stderr);
	error_text(text, from, to > n ? n : to);
	fputs("\n    ", stderr);
	for (size_t i = from; i < at; i++)
		if (!is_tail(text[i]))
			fputc(' ', stderr);
	fputs("^\n", stderr);
}

/* "x.d:3:14: " of a file; of the command line the option, and the line if
   there are several. */
static void
error_place(const struct cmd_prog *p, const dtrace_errplace_t *e)
{
	static const char *const options[] = {
		[DTRACE_PROBESPEC_PROVIDER] = "-P", [DTRACE_PROBESPEC_MOD] = "-m",
		[DTRACE_PROBESPEC_FUNC] = "-f", [DTRACE_PROBESPEC_NAME] = "-n",
	};
	const char *file = e->dtep_file;

	if (file == NULL)
		file = p->is_file ? p->text
		     : p->spec >= 0 ? options[p->spec] : "-i";
	plain_print(stderr, "%s: %s:", cmd_name, file);
	if (e->dtep_file != NULL || e->dtep_line > 1)
		fprintf(stderr, "%d:%d:", e->dtep_line, e->dtep_column);
	fputc(' ', stderr);
}

static void
error_put(struct cmd *c, const struct cmd_prog *p, const dtrace_errplace_t *e)
{
	int64_t tags;

	error_place(p, e);
	if (dtrace_getopt(c->dtp, "errtags", &tags) == 0 && tags == 1)
		fprintf(stderr, "[%s] ", e->dtep_tag);
	plain_print(stderr, "%s\n", e->dtep_msg != NULL ? e->dtep_msg : "");
	if (e->dtep_text != NULL && e->dtep_column > 0)
		error_line(e->dtep_text, (size_t)e->dtep_column - 1);
}

void
cmd_program_fatal(struct cmd *c, const struct cmd_prog *p)
{
	const dtrace_errplace_t *v;
	size_t n = dtrace_errplaces(c->dtp, &v);

	if (n == 0 || !cmd_for_people(c))
		fatal_classic(c, p);
	for (size_t i = 0; i < n; i++)
		error_put(c, p, &v[i]);
	cmd_quit(c, 1);
}
