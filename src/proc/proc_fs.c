/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * proc_fs.c - parsers of /proc/PID/stat, status and maps, and its directories.
 */
#include "proc/proc_fs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "proc/proc.h"

/* Files that the kernel writes in one go. */
static bool
comes_whole(const char *name)
{
	return strcmp(name, "stat") == 0 || strcmp(name, "status") == 0 ||
	       strcmp(name, "comm") == 0;
}

long
proc_read(pid_t pid, pid_t tid, const char *name, char *buf, size_t n)
{
	char path[80];
	ssize_t got = 0;
	size_t have = 0;
	int fd;

	if (tid != 0)
		snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)pid,
			 (int)tid, name);
	else
		snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	buf[0] = '\0';
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	while (have < n - 1 &&
	       (got = read(fd, buf + have, n - 1 - have)) > 0) {
		have += (size_t)got;
		if (have < n - 1 && comes_whole(name))
			break;
	}
	/* What ends while it is read gives ESRCH. */
	int sys = errno;
	close(fd);
	errno = sys;
	buf[have] = '\0';
	return got < 0 ? -1 : (long)have;
}

void
proc_comm(pid_t pid, char *buf, size_t n)
{
	long got = proc_read(pid, 0, "comm", buf, n);

	if (got > 0 && buf[got - 1] == '\n')
		buf[got - 1] = '\0';
	else if (got < 0)
		buf[0] = '\0';
}

void
proc_comm_plain(pid_t pid, char *buf, size_t n)
{
	proc_comm(pid, buf, n);
	utf8_plain(buf);
}

/* ---- stat ---------------------------------------------------------------- */

bool
proc_stat_parse(const char *text, struct proc_stat *st)
{
	/* The name, field 2, may have any bytes; nothing behind it has this. */
	const char *p = strrchr(text, ')');

	*st = (struct proc_stat){ .state = 'X' };
	if (p == NULL || p[1] != ' ' || !isalpha((unsigned char)p[2]))
		return false;
	st->state = p[2];
	p += 3;
	for (unsigned i = 4; i <= PROC_STAT_MAX; i++) {
		char *end;

		st->v[i] = strtoull(p, &end, 10);
		if (end == p)
			break;
		p = end;
	}
	return true;
}

bool
proc_stat_read(pid_t pid, pid_t tid, struct proc_stat *st)
{
	char text[2048];

	*st = (struct proc_stat){ .state = 'X' };
	return proc_read(pid, tid, "stat", text, sizeof(text)) > 0 &&
	       proc_stat_parse(text, st);
}

/* ---- status -------------------------------------------------------------- */

bool
proc_status_read(pid_t pid, pid_t tid, struct proc_status *st)
{
	return proc_read(pid, tid, "status", st->text, sizeof(st->text)) > 0;
}

const char *
proc_status_line(const struct proc_status *st, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = st->text; *p != '\0';) {
		if (strncmp(p, name, n) == 0 && p[n] == ':') {
			p += n + 1;
			return p + strspn(p, " \t");
		}
		p += strcspn(p, "\n");
		p += *p == '\n';
	}
	return NULL;
}

unsigned
proc_status_numbers(const struct proc_status *st, const char *name, uint64_t *v,
		    unsigned n, uint64_t *last)
{
	const char *p = proc_status_line(st, name);
	unsigned k = 0;
	char *end;

	memset(v, 0, n * sizeof(*v));
	if (last != NULL)
		*last = 0;
	for (; p != NULL && isdigit((unsigned char)*p); k++) {
		uint64_t x = strtoull(p, &end, 10);

		if (k < n)
			v[k] = x;
		if (last != NULL)
			*last = x;
		p = end + strspn(end, " \t");
	}
	return k;
}

uint64_t
proc_status_number(const struct proc_status *st, const char *name)
{
	uint64_t v;

	(void)proc_status_numbers(st, name, &v, 1, NULL);
	return v;
}

/* ---- maps ---------------------------------------------------------------- */

/* The kernel writes newlines in names as \012. */
static void
map_unescape(char *s)
{
	char *w = s;

	for (; *s != '\0'; s++) {
		if (strncmp(s, "\\012", 4) == 0) {
			*w++ = '\n';
			s += 3;
		} else {
			*w++ = *s;
		}
	}
	*w = '\0';
}

bool
proc_map_parse(char *s, struct proc_map *m)
{
	char *p;

	m->lo = strtoull(s, &p, 16);
	if (p == s || *p != '-')
		return false;
	m->hi = strtoull(p + 1, &p, 16);
	if (*p != ' ' || strnlen(p, 6) < 6)
		return false;
	m->r = p[1] == 'r';
	m->w = p[2] == 'w';
	m->x = p[3] == 'x';
	m->shared = p[4] == 's';
	m->off = strtoull(p + 6, &p, 16);
	if (*p != ' ')
		return false;
	m->dev = p + 1;
	m->devlen = strcspn(m->dev, " ");
	p += 1 + m->devlen;
	if (*p != ' ')
		return false;
	m->ino = strtoull(p + 1, &p, 10);
	p += strspn(p, " ");
	map_unescape(p);
	m->path = p;
	return true;
}

static bool
maps_open(struct proc_maps *it, pid_t pid)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	it->f = fopen(path, "re");
	if (it->f != NULL)
		(void)setvbuf(it->f, it->buf, _IOFBF, sizeof(it->buf));
	return it->f != NULL;
}

/* True if there is anything.  Of a process whose main thread has ended that
   thread has none. */
static bool
maps_any(struct proc_maps *it)
{
	int c = getc(it->f);

	return c != EOF && ungetc(c, it->f) != EOF;
}

bool
proc_maps_open(struct proc_maps *it, pid_t pid)
{
	pid_t face;

	if (!maps_open(it, pid))
		return (face = proc_face(pid)) != pid && maps_open(it, face);
	if (maps_any(it) || (face = proc_face(pid)) == pid)
		return true;
	fclose(it->f);
	return maps_open(it, face);
}

bool
proc_maps_next(struct proc_maps *it, struct proc_map *m)
{
	while (fgets(it->line, sizeof(it->line), it->f) != NULL) {
		it->line[strcspn(it->line, "\n")] = '\0';
		if (proc_map_parse(it->line, m))
			return true;
	}
	return false;
}

void
proc_maps_close(struct proc_maps *it)
{
	fclose(it->f);
}

/* ---- directories of numbers ---------------------------------------------- */

bool
proc_dir_open(struct proc_dir *it, pid_t pid, const char *name)
{
	char path[48] = "/proc";

	if (pid != 0)
		snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	it->d = opendir(path);
	return it->d != NULL;
}

long
proc_dir_next(struct proc_dir *it)
{
	struct dirent *de;

	while ((de = readdir(it->d)) != NULL)
		if (isdigit((unsigned char)de->d_name[0]))
			return strtol(de->d_name, NULL, 10);
	return -1;
}

void
proc_dir_close(struct proc_dir *it)
{
	closedir(it->d);
}
