/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_mem.c - messages, memory, and strings by number.  There is one consumer
 * of this room, a program that ends when there is no memory.
 */
#include "show/show.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

const char *show_typed = "dtrace-show", *show_option = "";

/* A line; kept, if it is not NULL, is the file that stays as it was. */
static void
say(const char *kept, const char *fmt, va_list ap)
{
	struct buf raw = BUF_INIT, text = BUF_INIT;

	/* Names in it come from what was traced. */
	buf_vprintf(&raw, fmt, ap);
	if (kept != NULL)
		buf_printf(&raw, "; %s stays as it was", kept);
	show_clean(&text, buf_str(&raw), raw.n);
	fprintf(stderr, "%s: %s\n", show_typed,
		raw.failed || text.failed ? "memory allocation failure" :
					    buf_str(&text));
	buf_fini(&raw);
	buf_fini(&text);
}

void
show_die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(NULL, fmt, ap);
	va_end(ap);
	exit(1);
}

void
show_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(NULL, fmt, ap);
	va_end(ap);
}

bool show_lacking;
const char *show_kept;

void
show_lack(const char *fmt, ...)
{
	va_list ap;

	show_lacking = true;
	va_start(ap, fmt);
	say(show_kept, fmt, ap);
	va_end(ap);
}

void *
show_alloc(size_t n, size_t size)
{
	void *p = calloc(n != 0 ? n : 1, size);

	if (p == NULL)
		show_die("memory allocation failure");
	return p;
}

char *
show_copy(const char *s)
{
	char *p = strdup(s);

	if (p == NULL)
		show_die("memory allocation failure");
	return p;
}

const char *
show_text(const struct buf *b)
{
	if (b->failed)
		show_die("memory allocation failure");
	return buf_str(b);
}

void
show_grow(void **v, size_t *cap, size_t n, size_t size)
{
	if (!vec_grow(v, cap, n, size))
		show_die("memory allocation failure");
}

/* ---- strings ------------------------------------------------------------ */

struct show_names {
	struct hash *ids; /* text to its number + 1 */
	char **v;
	size_t n, cap;
};

struct show_names *
show_names_new(void)
{
	struct show_names *s = show_alloc(1, sizeof(*s));

	s->ids = hash_new();
	if (s->ids == NULL)
		show_die("memory allocation failure");
	return s;
}

void
show_names_free(struct show_names *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
	hash_free(s->ids);
	free(s);
}

/* Say it once, whichever names they are. */
static void
names_full(void)
{
	static bool told;

	if (!told)
		show_say("there are more than %u different names: the rest of "
			 "them are \"" SHOW_OTHERS "\"", SHOW_NAMES_MAX - 1);
	told = true;
}

uint32_t
show_name_new(struct show_names *s, const char *text, bool *is_new)
{
	uintptr_t id = (uintptr_t)hash_find_str(s->ids, text);

	if (id == 0 && s->n >= SHOW_NAMES_MAX - 1) {
		names_full();
		text = SHOW_OTHERS;
		id = (uintptr_t)hash_find_str(s->ids, text);
	}
	*is_new = id == 0;
	if (id != 0)
		return (uint32_t)(id - 1);
	char *copy = show_copy(text);
	if (hash_set_str(s->ids, text, (void *)(uintptr_t)(s->n + 1)) != 0)
		show_die("memory allocation failure");
	show_push(s, copy);
	return (uint32_t)(s->n - 1);
}

uint32_t
show_name(struct show_names *s, const char *text)
{
	bool is_new;

	return show_name_new(s, text, &is_new);
}

const char *
show_name_text(const struct show_names *s, uint32_t id)
{
	return s->v[id];
}

size_t
show_names_count(const struct show_names *s)
{
	return s->n;
}
