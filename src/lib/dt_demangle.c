/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_demangle.c - names of functions as their source has them, by libiberty.
 *
 * A name is text of a foreign file, and one of a few bytes can stand for
 * gigabytes.  The library writes in small pieces: when there are more than
 * DEMANGLED_MAX bytes, we leave it by longjmp(), which loses nothing, as the
 * functions with a callback have all they use on the stack.
 */
#include "lib/dt_demangle.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <libiberty/demangle.h>

#define MANGLED_MAX   4096
#define DEMANGLED_MAX 4096

struct demangled {
	jmp_buf full;
	size_t n;
	char text[DEMANGLED_MAX];
};

static void
demangle_more(const char *s, size_t n, void *arg)
{
	struct demangled *d = arg;

	if (n > sizeof(d->text) - d->n)
		longjmp(d->full, 1);
	memcpy(d->text + d->n, s, n);
	d->n += n;
}

/* Legacy names of Rust are names of C++, too: they come first. */
static bool
demangle_name(const char *name, struct demangled *d)
{
	int how = DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP;

	d->n = 0;
	if (setjmp(d->full) != 0)
		return false;
	if (rust_demangle_callback(name, how, demangle_more, d) != 0)
		return d->n != 0;
	d->n = 0;
	return cplus_demangle_v3_callback(name, how, demangle_more, d) != 0 &&
	       d->n != 0;
}

void
dt_demangle(const char *name, struct buf *out)
{
	size_t n = strcspn(name, "@"); /* _Z3foov@plt */
	char own[MANGLED_MAX];
	struct demangled d;

	if ((strncmp(name, "_Z", 2) != 0 && strncmp(name, "_R", 2) != 0) ||
	    n >= sizeof(own)) {
		buf_puts(out, name);
		return;
	}
	memcpy(own, name, n);
	own[n] = '\0';
	if (demangle_name(own, &d)) {
		buf_printf(out, "%.*s%s", (int)d.n, d.text, name + n);
		return;
	}
	buf_puts(out, name);
}

void
dt_demangle_type(const char *name, size_t n, struct buf *out)
{
	char own[MANGLED_MAX];
	struct demangled d;
	size_t star = n != 0 && name[0] == '*'; /* it is known in one file
						   alone */

	d.n = 0;
	if (n - star < sizeof(own)) {
		memcpy(own, name + star, n - star);
		own[n - star] = '\0';
		if (setjmp(d.full) == 0 &&
		    cplus_demangle_v3_callback(own, DMGL_PARAMS | DMGL_ANSI |
					       DMGL_TYPES, demangle_more,
					       &d) != 0 && d.n != 0) {
			buf_write(out, d.text, d.n);
			return;
		}
	}
	buf_write(out, name, n);
}
