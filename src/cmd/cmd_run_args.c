/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cmd_run_args.c - the arguments of a tool, held against its header before its
 * program is compiled: whoever has mistyped one learns that, and not what a
 * compiler makes of it.
 *
 * The paragraph "Args:" has an item for each, which begins with its name ($1)
 * and ends with its default in parentheses; one without a default must be
 * given.  Where the default is a number the argument is one.  Where the item
 * begins with words and a colon ("failed:", "call|process:") it is one of them.
 * "" always stands for the default.
 *
 * A tool with a usage for -p and none for -c looks at programs that a command
 * is not: with -c it would say nothing, and not why.
 */
#include "cmd.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define ITEM_MAX 512
#define ARGS_MAX 4096

/* The paragraph, in one line, with single spaces. */
static void
args_line(const char *header, char line[ARGS_MAX])
{
	const char *p = strstr(header, "\nArgs:");
	size_t n = 0;

	for (p = p != NULL ? p + 6 : ""; *p != '\0' && n < ARGS_MAX - 1; p++) {
		if (*p == '\n' && p[1] != ' ') /* the next paragraph */
			break;
		if (*p != '\n' && (*p != ' ' || (n > 0 && line[n - 1] != ' ')))
			line[n++] = *p;
		else if (*p == '\n' && n > 0 && line[n - 1] != ' ')
			line[n++] = ' ';
	}
	line[n] = '\0';
}

/* The item of argument n, without its name; false: there is none. */
static bool
item_find(const char *line, int n, char item[ITEM_MAX])
{
	char name[16];
	const char *p, *end;

	snprintf(name, sizeof(name), "$%d ", n);
	p = strstr(line, name);
	if (p == NULL)
		return false;
	p += strlen(name);
	snprintf(name, sizeof(name), " $%d ", n + 1);
	end = strstr(p, name);
	snprintf(item, ITEM_MAX, "%.*s",
		 end != NULL ? (int)(end - p) : (int)strlen(p), p);
	return true;
}

/* What its default is, without the parentheses; NULL: it has none. */
static const char *
item_default(char *item)
{
	size_t n = strlen(item);
	char *open = strrchr(item, '(');

	if (n == 0 || item[n - 1] != ')' || open == NULL)
		return NULL;
	item[n - 1] = '\0';
	return open + 1;
}

static bool
is_number(const char *s)
{
	char *end;

	(void)strtoll(s, &end, 0);
	return *s != '\0' && *end == '\0';
}

/* The words that it may be, "a|b"; their length, 0: any. */
static size_t
item_words(const char *item)
{
	size_t n = 0;

	while (islower((unsigned char)item[n]) || item[n] == '|')
		n++;
	return item[n] == ':' ? n : 0;
}

static bool
is_arg_word(const char *words, size_t n, const char *arg)
{
	const size_t len = strlen(arg);

	for (size_t i = 0; i < n;) {
		size_t word = strcspn(words + i, "|:");

		if (word == len && memcmp(words + i, arg, len) == 0)
			return true;
		i += word + 1;
	}
	return false;
}

static _Noreturn void
missing_arg(const char *tool, int n, const char *item)
{
	cmd_error("run %s: argument %d is missing: %s ('%s run -h %s' says "
		  "more)", tool, n, item, cmd_name, tool);
	exit(2);
}

static _Noreturn void
wrong_arg(const char *tool, int n, const char *is, int is_len, const char *arg)
{
	cmd_error("run %s: argument %d %.*s, not %s ('%s run -h %s' says what "
		  "it is)", tool, n, is_len, is, arg, cmd_name, tool);
	exit(2);
}

/* "is call or process"; of a number that should stand behind the word it says
   so. */
static _Noreturn void
wrong_word(const char *tool, int n, const char *words, size_t len,
	   const char *arg, bool number_next)
{
	char is[ITEM_MAX] = "is ";

	if (number_next && is_number(arg)) {
		cmd_error("run %s: argument %d is a word, and the number comes "
			  "behind it: '%s run %s %.*s %s'", tool, n, cmd_name,
			  tool, (int)strcspn(words, "|:"), words, arg);
		exit(2);
	}

	for (size_t i = 0; i < len; i++) {
		size_t at = strlen(is);
		snprintf(is + at, sizeof(is) - at, "%.*s",
			 words[i] == '|' ? 4 : 1,
			 words[i] == '|' ? " or " : words + i);
	}
	wrong_arg(tool, n, is, (int)strlen(is), arg);
}

/* True if the tool has a usage with this option. */
static bool
has_usage(const char *header, const char *option)
{
	const char *p = strstr(header, "\nUsage:");
	const char *end = p != NULL ? strstr(p + 1, "\nNeeds:") : NULL;
	const char *at = p != NULL ? strstr(p, option) : NULL;

	return at != NULL && (end == NULL || at < end);
}

/* True if the item of argument n is one whose default is a number. */
static bool
takes_number(const char *line, int n)
{
	char item[ITEM_MAX];
	const char *def = item_find(line, n, item) ? item_default(item) : NULL;

	return def != NULL && is_number(def);
}

/* True if each of its usages is one with a process. */
static bool
wants_target(const char *header)
{
	const char *p = strstr(header, "\nUsage:");

	for (; p != NULL && (p = strstr(p, "dtrace run ")) != NULL;) {
		size_t n = strcspn(p, "\n");
		const char *c = strstr(p, " -c "), *pid = strstr(p, " -p ");

		if ((c == NULL || c > p + n) && (pid == NULL || pid > p + n))
			return false;
		p += n;
		if (p[0] == '\0' || p[1] != ' ')
			return true;
	}
	return false;
}

void
cmd_run_args(const char *tool, const char *header, bool target, bool command,
	     char **args, int nargs)
{
	char line[ARGS_MAX], item[ITEM_MAX];
	int n = 1;

	if (!target && wants_target(header)) {
		cmd_error("run %s: it wants a process: -p PID, or -c CMD ('%s "
			  "run -h %s' says more)", tool, cmd_name, tool);
		exit(2);
	}
	if (command && has_usage(header, "-p ") && !has_usage(header, "-c ")) {
		cmd_error("run %s: it looks at programs that run already, -c "
			  "is not for it ('%s run -h %s' says more)", tool,
			  cmd_name, tool);
		exit(2);
	}
	if (strstr(header, "\nArgs:") == NULL) /* D says what is too much */
		return;
	args_line(header, line);
	for (; item_find(line, n, item); n++) {
		const char *arg = n <= nargs ? args[n - 1] : "";
		size_t words = item_words(item);
		const char *def = item_default(item);

		if (*arg == '\0' && def == NULL)
			missing_arg(tool, n, item);
		if (*arg == '\0')
			continue;
		if (words > 0 && !is_arg_word(item, words, arg))
			wrong_word(tool, n, item, words, arg,
				   takes_number(line, n + 1));
		if (def != NULL && is_number(def) && !is_number(arg))
			wrong_arg(tool, n, "is a number", 11, arg);
	}
	if (nargs < n)
		return;
	cmd_error("run %s: it has %d argument%s, not %d ('%s run -h %s' says "
		  "what they are)", tool, n - 1, n == 2 ? "" : "s", nargs,
		  cmd_name, tool);
	exit(2);
}
