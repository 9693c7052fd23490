/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_out.c - the files that pictures are written to.  The first write that
 * fails is remembered and the rest is not tried, so formats need not look.
 */
#include "show/show.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

struct show_out {
	FILE *fp;  /* one of the two is NULL */
	gzFile gz;
	int error; /* errno of the first failure */
	struct buf text;
};

struct show_out *
show_out_open(const char *file, bool gzip)
{
	int fd = file == NULL ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) :
				open(file, O_WRONLY | O_CREAT | O_TRUNC |
					     O_CLOEXEC, 0666);
	struct show_out *o;

	if (fd < 0)
		return NULL;
	o = show_alloc(1, sizeof(*o));
	if (gzip)
		o->gz = gzdopen(fd, "wb");
	else
		o->fp = fdopen(fd, "w");
	if (o->gz == NULL && o->fp == NULL)
		show_die("memory allocation failure");
	return o;
}

static void
gz_write(struct show_out *o, const char *p, size_t n)
{
	int code;

	while (n > 0 && o->error == 0) {
		unsigned k = n > 1u << 30 ? 1u << 30 : (unsigned)n;
		if (gzwrite(o->gz, p, k) != (int)k) {
			(void)gzerror(o->gz, &code);
			o->error = code == Z_ERRNO && errno != 0 ? errno : EIO;
		}
		p += k;
		n -= k;
	}
}

void
show_write(struct show_out *o, const void *p, size_t n)
{
	if (o->error != 0 || n == 0)
		return;
	if (o->gz != NULL)
		gz_write(o, p, n);
	else if (fwrite(p, 1, n, o->fp) != n)
		o->error = errno != 0 ? errno : EIO;
}

void
show_puts(struct show_out *o, const char *s)
{
	show_write(o, s, strlen(s));
}

/* Write what has been made in o->text. */
static void
write_text(struct show_out *o)
{
	if (o->text.failed)
		show_die("memory allocation failure");
	show_write(o, buf_str(&o->text), o->text.n);
	buf_reset(&o->text);
}

void
show_printf(struct show_out *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&o->text, fmt, ap);
	va_end(ap);
	write_text(o);
}

void
show_xml(struct show_out *o, const char *s)
{
	show_clean_xml(&o->text, s, strlen(s));
	write_text(o);
}

void
show_json(struct show_out *o, const char *s)
{
	show_clean_json(&o->text, s, strlen(s));
	write_text(o);
}

int
show_out_error(const struct show_out *o)
{
	return o->error;
}

int
show_out_close(struct show_out *o)
{
	int rv;

	errno = 0;
	if (o->gz != NULL) {
		rv = gzclose(o->gz);
		if (rv != Z_OK && o->error == 0)
			o->error = rv == Z_ERRNO && errno != 0 ? errno : EIO;
	} else if (fclose(o->fp) != 0 && o->error == 0) {
		o->error = errno;
	}
	rv = o->error;
	buf_fini(&o->text);
	free(o);
	return rv;
}
