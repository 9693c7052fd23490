/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_out.c - the files that pictures are written to.  The first write that
 * fails is remembered and the rest is not tried, so formats need not look.
 *
 * A file that is there already loses its contents with the first write: where
 * there is nothing to show, the picture of an earlier run stays.  A plain file
 * that is empty at the end is removed, however the program ends.
 */
#include "show/show.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

struct show_out {
	FILE *fp;  /* one of the two; until the first write both are NULL */
	gzFile gz;
	int fd;	   /* of both, which are made at the first write; then -1 */
	bool gzip, named;
	int error; /* errno of the first failure */
	struct buf text;
};

static const char *named[64]; /* the files; more than one run has */
static size_t nnamed;

/* What was there before as anything but a plain file stays. */
static void
drop_empty(void)
{
	struct stat st;

	for (size_t i = 0; i < nnamed; i++)
		if (lstat(named[i], &st) == 0 && S_ISREG(st.st_mode) &&
		    st.st_size == 0)
			(void)unlink(named[i]);
}

static int
open_named(const char *file)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

	if (fd < 0)
		return -1;
	if (nnamed == 0)
		atexit(drop_empty);
	if (nnamed < sizeof(named) / sizeof(named[0]))
		named[nnamed++] = file;
	return fd;
}

struct show_out *
show_out_open(const char *file, bool gzip)
{
	int fd = file == NULL ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) :
				open_named(file);
	struct show_out *o;

	if (fd < 0)
		return NULL;
	o = show_alloc(1, sizeof(*o));
	o->fd = fd;
	o->gzip = gzip;
	o->named = file != NULL;
	return o;
}

/* Before the first write.  What is no plain file has no length to cut. */
static void
out_begin(struct show_out *o)
{
	if (o->fd < 0)
		return;
	if (o->named)
		(void)!ftruncate(o->fd, 0);
	if (o->gzip)
		o->gz = gzdopen(o->fd, "wb");
	else
		o->fp = fdopen(o->fd, "w");
	if (o->gz == NULL && o->fp == NULL)
		show_die("memory allocation failure");
	o->fd = -1;
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
	out_begin(o);
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

bool
show_out_kept(const struct show_out *o)
{
	struct stat st;

	return o->named && o->fd >= 0 && fstat(o->fd, &st) == 0 &&
	       S_ISREG(st.st_mode) && st.st_size > 0;
}

int
show_out_close(struct show_out *o)
{
	int rv;

	errno = 0;
	if (o->fd >= 0) {
		close(o->fd); /* nothing was written */
	} else if (o->gz != NULL) {
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
