/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * export_mem.c - messages, and memory that is there or ends the program.
 */
#include "export/export.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void
say_line(const char *fmt, va_list ap)
{
	struct buf raw = BUF_INIT, text = BUF_INIT;

	/* Names in it come from what is traced, and from others' files. */
	buf_vprintf(&raw, fmt, ap);
	export_clean(&text, buf_str(&raw), raw.n);
	fprintf(stderr, "dtrace-export: %s\n",
		raw.failed || text.failed ? "memory allocation failure" :
					    buf_str(&text));
	buf_fini(&raw);
	buf_fini(&text);
}

void
export_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_line(fmt, ap);
	va_end(ap);
}

void
export_fatal(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_line(fmt, ap);
	va_end(ap);
	_exit(1); /* other threads may be at work; descriptors close */
}

static void
no_memory(void *arg)
{
	(void)arg;
	export_fatal("memory allocation failure");
}

struct arena *
export_arena(void)
{
	struct arena *a = arena_new();

	if (a == NULL)
		no_memory(NULL);
	arena_on_oom(a, no_memory, NULL);
	return a;
}
