/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * proc_jit.c - names of code that a program has made, from its perf map
 * (linux/tools/perf/Documentation/jit-interface.txt): the file perf-PID.map in
 * its /tmp, by its own number, with lines "begin size name" in hexadecimal.
 *
 * It is the traced program's file, and its text is not trusted: it must be a
 * plain file of the process's own user, or root's; so much of it is read and no
 * more; what a terminal would obey in a name is replaced.
 *
 * Code moves, so a file has an address more than once: the later line holds.
 * Programs add to it as they run, and some write it anew (the JVM): where an
 * address is not found, or the file has changed, it is read on.  It is opened
 * when the process first shows up in a stack, and can be read after its end.
 */
#include "proc/proc_impl.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc/proc_fs.h"

#define JIT_TEXT_MAX (64u << 20)
#define JIT_NAME_MAX 1024u
#define JIT_BACK     64 /* lines with lower addresses that may contain one */
#define OPEN_NS	     20000000u
#define ASK_NS	     5000000000u

struct jit_sym {
	uint64_t lo, hi;
	uint32_t name; /* in the text */
	uint32_t nth;  /* line */
};

struct proc_jit {
	int fd; /* -1: not found yet */
	dev_t dev;
	ino_t ino;
	uint64_t next_open_ns, next_ask_ns;
	char *text; /* what was read, its newlines replaced by NULs */
	size_t n, cap;
	size_t parsed; /* of the text: whole lines */
	bool sorted;
	VEC(struct jit_sym) syms;
};

/* ---- the file ---------------------------------------------------------------- */

/* The process's effective user; false: it is gone. */
static bool
jit_user(pid_t pid, uint64_t *uid, uint64_t *nspid)
{
	struct proc_status st;
	uint64_t v[2];

	if (!proc_status_read(pid, 0, &st) ||
	    proc_status_numbers(&st, "Uid", v, 2, NULL) < 2)
		return false;
	*uid = v[1];
	return proc_status_numbers(&st, "NSpid", v, 1, nspid) != 0;
}

static int
jit_open_as(const char *path, uint64_t uid)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    (st.st_uid == uid || st.st_uid == 0))
		return fd;
	close(fd);
	return -1;
}

/* A command of ours that has ended had our /tmp, unless it took another. */
static int
jit_open_file(const struct proc *p)
{
	uint64_t uid, nspid = 0;
	char path[64];

	if (jit_user(p->pid, &uid, &nspid)) {
		snprintf(path, sizeof(path), "/proc/%d/root/tmp/perf-%llu.map",
			 (int)proc_face(p->pid), (unsigned long long)nspid);
		int fd = jit_open_as(path, uid);
		if (fd >= 0)
			return fd;
	}
	if (!p->child)
		return -1;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)p->pid);
	return jit_open_as(path, geteuid());
}

static void
jit_forget(struct proc_jit *j)
{
	j->n = j->parsed = 0;
	j->syms.n = 0;
}

/* Open it, or the one that has taken its place. */
static void
jit_open(const struct proc *p, struct proc_jit *j)
{
	uint64_t now = proc_now_ns();
	struct stat st;
	int fd;

	if (now < j->next_open_ns)
		return;
	j->next_open_ns = now + OPEN_NS;
	fd = jit_open_file(p);
	if (fd < 0)
		return;
	if (fstat(fd, &st) != 0 ||
	    (j->fd >= 0 && st.st_dev == j->dev && st.st_ino == j->ino)) {
		close(fd);
		return;
	}
	if (j->fd >= 0)
		close(j->fd);
	jit_forget(j);
	j->fd = fd;
	j->dev = st.st_dev;
	j->ino = st.st_ino;
}

/* Read what has come; true: there is more than before. */
static bool
jit_read(struct proc_jit *j)
{
	size_t before = j->n, size;
	struct stat st;
	ssize_t got;

	if (j->fd < 0 || fstat(j->fd, &st) != 0 || st.st_size < 0)
		return false;
	size = st.st_size < JIT_TEXT_MAX ? (size_t)st.st_size : JIT_TEXT_MAX;
	if (size < j->n) /* written anew */
		jit_forget(j);
	if (size == j->n ||
	    !vec_grow((void **)&j->text, &j->cap, size, 1))
		return j->n != before;
	while (j->n < size) {
		got = pread(j->fd, j->text + j->n, size - j->n, (off_t)j->n);
		if (got <= 0)
			break;
		j->n += (size_t)got;
	}
	return j->n != before;
}

/* ---- its lines --------------------------------------------------------------- */

static void
jit_name_clean(char *s)
{
	if (strlen(s) > JIT_NAME_MAX)
		s[JIT_NAME_MAX] = '\0';
	for (; *s != '\0'; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f || *s == '`')
			*s = '?';
}

static bool
jit_line(struct proc_jit *j, char *line)
{
	char *p = line;
	struct jit_sym s = { .nth = (uint32_t)j->syms.n };

	s.lo = strtoull(p, &p, 16);
	s.hi = s.lo + strtoull(p, &p, 16);
	while (*p == ' ')
		p++;
	if (s.hi <= s.lo || *p == '\0')
		return true;
	jit_name_clean(p);
	s.name = (uint32_t)(p - j->text);
	j->sorted = false;
	return vec_push(&j->syms, s);
}

static void
jit_parse(struct proc_jit *j)
{
	while (j->parsed < j->n) {
		char *line = j->text + j->parsed;
		char *end = memchr(line, '\n', j->n - j->parsed);

		if (end == NULL)
			return;
		*end = '\0';
		j->parsed = (size_t)(end + 1 - j->text);
		if (!jit_line(j, line))
			return;
	}
}

static int
jit_order(const void *a, const void *b)
{
	const struct jit_sym *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	return x->nth < y->nth ? -1 : x->nth > y->nth;
}

static const struct jit_sym *
jit_find(struct proc_jit *j, uint64_t addr)
{
	const struct jit_sym *best = NULL;
	size_t lo = 0, hi = j->syms.n;

	if (!j->sorted && j->syms.n != 0)
		qsort(j->syms.v, j->syms.n, sizeof(*j->syms.v), jit_order);
	j->sorted = true;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (j->syms.v[mid].lo <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = 0; i < JIT_BACK && lo-- > 0; i++) {
		const struct jit_sym *s = &j->syms.v[lo];

		if (addr < s->hi && (best == NULL || s->nth > best->nth))
			best = s;
	}
	return best;
}

/* ---- the door ---------------------------------------------------------------- */

void
proc_jit_seen(struct proc *p)
{
	if (p->jit == NULL) {
		p->jit = calloc(1, sizeof(*p->jit));
		if (p->jit == NULL)
			return;
		p->jit->fd = -1;
	}
	if (p->jit->fd < 0)
		jit_open(p, p->jit);
}

/* The symbol, after a look at what has come. */
static const struct jit_sym *
jit_look(const struct proc *p, struct proc_jit *j, uint64_t addr)
{
	const struct jit_sym *s;

	if (jit_read(j))
		jit_parse(j);
	s = jit_find(j, addr);
	if (s != NULL)
		return s;
	jit_open(p, j);
	if (jit_read(j))
		jit_parse(j);
	return jit_find(j, addr);
}

bool
proc_jit_name(struct proc *p, uint64_t addr, bool ask, const char **name,
	      uint64_t *off)
{
	const struct jit_sym *s;
	struct proc_jit *j;

	proc_jit_seen(p);
	j = p->jit;
	if (j == NULL)
		return false;
	s = jit_look(p, j, addr);
	if (s == NULL && ask && proc_now_ns() >= j->next_ask_ns) {
		if (proc_java_ask(p)) {
			j->next_open_ns = 0;
			s = jit_look(p, j, addr);
		}
		j->next_ask_ns = proc_now_ns() + ASK_NS;
	}
	if (s == NULL)
		return false;
	*name = j->text + s->name;
	*off = addr - s->lo;
	return true;
}

void
proc_jit_fini(struct proc *p)
{
	if (p->jit == NULL)
		return;
	if (p->jit->fd >= 0)
		close(p->jit->fd);
	vec_fini(&p->jit->syms);
	free(p->jit->text);
	free(p->jit);
}
