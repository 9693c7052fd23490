/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cmd_explain.c - --explain: what an error means, an example, and what to do.
 *
 * The texts are those of explain.def, put together with the tables of tags by
 * tools/explain.py, which makes the page dtrace-errors(7) of them too.
 */
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/near.h"
#include "cmd/cmd.h"

#define EXPLAIN_WIDTH 79 /* where there is no terminal that has one */

static const struct explained {
	const char *tag, *what, *title, *why, *example, *cure;
} explained[] = {
#define EXPLAINED(tag, what, title, why, example, cure) \
	{ tag, what, title, why, example, cure },
#include "explain_rows.h"
#undef EXPLAINED
};
#define NEXPLAINED (sizeof(explained) / sizeof(explained[0]))

static size_t
explain_width(void)
{
	struct winsize w;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_col < 30)
		return EXPLAIN_WIDTH;
	return w.ws_col > EXPLAIN_WIDTH + 1 ? EXPLAIN_WIDTH :
					      w.ws_col - 1u;
}

/* Lines of words. */
static void
explain_paragraph(const char *s)
{
	size_t width = explain_width(), at = 0;

	if (*s == '\0')
		return;
	while (*s != '\0') {
		size_t n = strcspn(s, " ");
		if (at > 0 && at + 1 + n > width) {
			putchar('\n');
			at = 0;
		}
		if (at > 0)
			putchar(' ');
		at += n + (at > 0);
		fwrite(s, 1, n, stdout);
		s += n;
		s += strspn(s, " ");
	}
	putchar('\n');
}

static void
explain_example(const char *s)
{
	putchar('\n');
	for (size_t n; *s != '\0'; s += n + (s[n] == '\n')) {
		n = strcspn(s, "\n");
		printf("    %.*s\n", (int)n, s);
	}
	putchar('\n');
}

static const struct explained *
explain_find(const char *tag)
{
	for (size_t i = 0; i < NEXPLAINED; i++)
		if (strcasecmp(explained[i].tag, tag) == 0)
			return &explained[i];
	return NULL;
}

static int
explain_unknown(const char *tag)
{
	char hint[NEAR_HINT_MAX];
	struct near n;

	near_init(&n, tag);
	for (size_t i = 0; i < NEXPLAINED; i++)
		near_try(&n, explained[i].tag);
	/* The first that has the text somewhere, if none is near. */
	for (size_t i = 0; near_best(&n) == NULL && i < NEXPLAINED; i++)
		if (*tag != '\0' && strcasestr(explained[i].tag, tag) != NULL) {
			n.best = explained[i].tag;
			break;
		}
	if (near_best(&n) == NULL && strpbrk(tag, " :") != NULL)
		cmd_error("--explain: a tag is expected, which -x errtags "
			  "prints before an error; dtrace --explain lists them");
	else
		cmd_error("--explain: there is no error with the tag %s%s; "
			  "dtrace --explain lists them", tag,
			  near_hint(&n, hint));
	return 1;
}

static void
explain_list(void)
{
	for (size_t i = 0; i < NEXPLAINED; i++)
		printf("%-22s %s\n", explained[i].tag, explained[i].what);
}

int
cmd_explain(const char *tag)
{
	const struct explained *e = tag != NULL ? explain_find(tag) : NULL;

	if (tag != NULL && e == NULL)
		return explain_unknown(tag);
	if (e != NULL) {
		printf("%s\n\n", e->tag);
		explain_paragraph(e->title);
		explain_paragraph(e->why);
		explain_example(e->example);
		explain_paragraph(e->cure);
	} else {
		explain_list();
	}
	return cmd_written(stdout, 0);
}
