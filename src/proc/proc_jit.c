/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * proc_jit.c - names of code that a program has made, from its perf map
 * (linux/tools/perf/Documentation/jit-interface.txt): the file perf-PID.map in
 * its /tmp, by its own number, with lines "begin size name" in hexadecimal; or
 * from its jitdump file (proc_jitdump.c).
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
#include "proc/proc_jit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc/proc_fs.h"

#define JIT_NAME_MAX 1024u
#define JIT_BACK     64 /* lines with lower addresses that may contain one */
#define OPEN_NS	     20000000u
#define DUMP_NS	     1000000000u /* of a process that is not known to have
				    one */
#define ASK_NS	     5000000000u
/* Between two times that a JVM is asked while the trace runs: so long, or as
   long as makes its share of the JVM's time small, up to the second. */
#define EARLY_NS     250000000u
#define EARLY_MAX_NS 2000000000u
#define EARLY_SHARE  20

struct proc_jit {
	struct jit_file map, dump;
	struct java_ask java;
	uint64_t asked_ns; /* when it was asked; 0: it is not */
	uint64_t next_open_ns, next_ask_ns, next_early_ns;
	uint64_t next_dump_ns, dump_wait_ns; /* looked for less and less
						often */
};

/* ---- the file ------------------------------------------------------------ */

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

int
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

void
jit_forget(struct jit_file *j)
{
	j->n = 0;
	j->parsed = 0;
	j->syms.n = 0;
	j->bad = false;
	hash_free(j->loaded);
	j->loaded = NULL;
}

/* fd, which is not kept if it is the file that is open. */
static void
jit_take(struct jit_file *j, int fd)
{
	struct stat st;

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

static void
jit_open_dump(struct proc *p, struct proc_jit *j, uint64_t now)
{
	uint64_t uid, nspid = 0;

	if (j->dump.fd >= 0 || now < j->next_dump_ns)
		return;
	j->dump_wait_ns = j->dump_wait_ns == 0 ? OPEN_NS :
			  j->dump_wait_ns < DUMP_NS ? 2 * j->dump_wait_ns :
						      DUMP_NS;
	j->next_dump_ns = now + j->dump_wait_ns;
	if (p->state != PROC_ENDED && jit_user(p->pid, &uid, &nspid))
		jit_take(&j->dump, jit_dump_open(p, nspid, uid));
}

/* Open them, or those that have taken their place. */
static void
jit_open(struct proc *p, struct proc_jit *j)
{
	uint64_t now = proc_now_ns();

	jit_open_dump(p, j, now);
	if (now < j->next_open_ns)
		return;
	j->next_open_ns = now + OPEN_NS;
	jit_take(&j->map, jit_open_file(p));
}

/* The text that has come; true: there is more than before. */
static bool
jit_read(struct jit_file *j)
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

/* ---- its lines ----------------------------------------------------------- */

static void
jit_name_clean(char *s)
{
	if (strlen(s) > JIT_NAME_MAX)
		s[JIT_NAME_MAX] = '\0';
	for (; *s != '\0'; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f || *s == '`')
			*s = '?';
}

bool
jit_add(struct jit_file *j, uint64_t lo, uint64_t hi, size_t name)
{
	const struct jit_sym s = { .lo = lo,
				   .hi = hi,
				   .name = (uint32_t)name,
				   .nth = (uint32_t)j->syms.n };

	if (hi <= lo || j->text[name] == '\0')
		return true;
	jit_name_clean(j->text + name);
	j->sorted = false;
	return vec_push(&j->syms, s);
}

static bool
jit_line(struct jit_file *j, char *line)
{
	char *p = line;
	uint64_t lo = strtoull(p, &p, 16);
	uint64_t hi = lo + strtoull(p, &p, 16);

	while (*p == ' ')
		p++;
	return jit_add(j, lo, hi, (size_t)(p - j->text));
}

static void
jit_parse(struct jit_file *j)
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

bool
jit_map_read(struct jit_file *j)
{
	size_t before = j->syms.n;

	if (jit_read(j))
		jit_parse(j);
	return j->syms.n != before;
}

static int
jit_order(const void *a, const void *b)
{
	const struct jit_sym *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	return x->nth < y->nth ? -1 : x->nth > y->nth;
}

const struct jit_sym *
jit_find(struct jit_file *j, uint64_t addr)
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

/* ---- the door ------------------------------------------------------------ */

void
proc_jit_seen(struct proc *p)
{
	if (p->jit == NULL) {
		p->jit = calloc(1, sizeof(*p->jit));
		if (p->jit == NULL)
			return;
		p->jit->map.fd = p->jit->dump.fd = -1;
	}
	if (p->jit->map.fd < 0)
		jit_open(p, p->jit);
}

/* In one of them, after a look at what has come; *in is which. */
static const struct jit_sym *
jit_known(struct proc_jit *j, uint64_t addr, struct jit_file **in)
{
	const struct jit_sym *s;

	(void)jit_map_read(&j->map);
	*in = &j->map;
	s = jit_find(*in, addr);
	if (s != NULL)
		return s;
	(void)jit_dump_read(&j->dump);
	*in = &j->dump;
	return jit_find(*in, addr);
}

/* The symbol, also in files that are there only now. */
static const struct jit_sym *
jit_look(struct proc *p, struct proc_jit *j, uint64_t addr,
	 struct jit_file **in)
{
	const struct jit_sym *s = jit_known(j, addr, in);

	if (s != NULL)
		return s;
	jit_open(p, j);
	return jit_known(j, addr, in);
}

/* The JVM has written its map.  It truncates the file and writes it anew, so
   all of it is to be read again. */
static void
jit_again(struct proc *p, struct proc_jit *j)
{
	j->next_open_ns = 0;
	jit_open(p, j);
	jit_forget(&j->map);
	(void)jit_map_read(&j->map);
}

/* What was asked has an end: when it may be asked again. */
static void
jit_asked(struct proc *p, struct proc_jit *j, enum java_now how)
{
	uint64_t now = proc_now_ns(), wait = (now - j->asked_ns) * EARLY_SHARE;

	if (how == JAVA_LATER)
		return;
	if (how == JAVA_WRITTEN)
		jit_again(p, j);
	if (wait > EARLY_MAX_NS)
		wait = EARLY_MAX_NS;
	/* One that does not listen yet may at the next look. */
	if (how == JAVA_WRITTEN && wait < EARLY_NS)
		wait = EARLY_NS;
	j->next_early_ns = now + wait;
	j->asked_ns = 0;
}

void
proc_jit_ask(struct proc *p)
{
	uint64_t now = proc_now_ns();
	struct proc_jit *j;

	proc_jit_seen(p);
	j = p->jit;
	if (j == NULL || (j->asked_ns == 0 && now < j->next_early_ns))
		return;
	if (j->asked_ns == 0)
		j->asked_ns = now;
	jit_asked(p, j, proc_java_step(p, &j->java));
}

/* Ask and wait.  An answer to what was asked before may not have the address.
 */
static const struct jit_sym *
jit_ask_for(struct proc *p, struct proc_jit *j, uint64_t addr,
	    struct jit_file **in)
{
	const struct jit_sym *s = NULL;

	for (int i = 0; i < 2 && s == NULL; i++) {
		const bool before = j->asked_ns != 0;
		enum java_now how;

		if (!before)
			j->asked_ns = proc_now_ns();
		how = proc_java_ask(p, &j->java);
		jit_asked(p, j, how);
		if (how == JAVA_WRITTEN)
			s = jit_look(p, j, addr, in);
		if (how == JAVA_LATER || !before)
			break;
	}
	j->next_ask_ns = proc_now_ns() + ASK_NS;
	return s;
}

bool
proc_jit_name(struct proc *p, uint64_t addr, bool ask, const char **name,
	      uint64_t *off)
{
	const struct jit_sym *s;
	struct jit_file *in;
	struct proc_jit *j;

	proc_jit_seen(p);
	j = p->jit;
	if (j == NULL)
		return false;
	s = jit_look(p, j, addr, &in);
	if (s == NULL && ask && proc_now_ns() >= j->next_ask_ns)
		s = jit_ask_for(p, j, addr, &in);
	if (s == NULL)
		return false;
	*name = in->text + s->name;
	*off = addr - s->lo;
	return true;
}

void
jit_file_fini(struct jit_file *j)
{
	if (j->fd >= 0)
		close(j->fd);
	vec_fini(&j->syms);
	hash_free(j->loaded);
	free(j->text);
}

void
proc_jit_fini(struct proc *p)
{
	if (p->jit == NULL)
		return;
	proc_java_leave(p, &p->jit->java);
	jit_file_fini(&p->jit->map);
	jit_file_fini(&p->jit->dump);
	free(p->jit);
}
