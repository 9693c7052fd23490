/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * proc_watch.c - files that any process maps to execute, as they come.
 *
 * The kernel tells of each such mapping in a ring for each CPU
 * (perf_event_open(2), PERF_RECORD_MMAP2 of an event that counts nothing).  To
 * read the maps of all processes ten times a second would cost a CPU; this
 * costs a record of a hundred bytes for each mapping, and one look at a file
 * that has not been met before.
 *
 * A program may have ended before its record is read.  So a file is reported
 * as a process that has this file alone, made of the record: what is read of
 * it is read of the file, by its name if the process is gone.
 *
 * And what the last processes had mapped is kept, for stacks of those that
 * ended before anybody read their maps.  Of a process that executed once since
 * the watch began, that is: of any other nobody knows whether it is all, or
 * which program it was that a stack is of.
 */
#include "proc/proc_fs.h"
#include "proc/proc_impl.h"
#include "proc/proc_ring.h"

#include "base/buf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RING_PAGES  16    /* of each CPU; fewer where memory to lock is short */
#define FILES_MAX   65536 /* that are remembered */
#define SEEN_MAX    512	  /* processes whose mappings are */
#define SEEN_MAPS   256	  /* of each */

struct watch_map {
	uint64_t lo, hi, time;
	char *line; /* as that of maps, malloc'ed */
};
/* Its records may be in the rings of several CPUs. */
struct watch_seen {
	pid_t pid;
	unsigned execs; /* programs that it has executed */
	uint64_t since; /* the last of them */
	VEC(struct watch_map) maps;
};

struct proc_watch {
	struct proc_set *set;
	struct proc_ring *rings;
	unsigned nrings, at; /* the one that is read */
	struct hash *known;  /* struct watch_key: files that have been told
				of */
	size_t nknown;
	VEC(struct proc *) fresh; /* that have been read and not been given */
	struct hash *seen; /* pid_t -> its place in `last` */
	struct watch_seen last[SEEN_MAX]; /* a ring */
	size_t nlast; /* that were ever put there */
	bool lost;
	union proc_record rec;
};

/* PERF_RECORD_MMAP2, up to the name. */
struct watch_record {
	struct perf_event_header hd;
	uint32_t pid, tid;
	uint64_t addr, len, off;
	uint32_t maj, min;
	uint64_t ino, gen;
	uint32_t prot, flags;
	char path[];
};

/* PERF_RECORD_COMM, up to the name. */
struct watch_comm {
	struct perf_event_header hd;
	uint32_t pid, tid;
};

struct watch_key {
	uint64_t ino, gen;
	uint32_t maj, min;
};

/* ---- the watch ----------------------------------------------------------- */

struct proc_watch *
proc_watch_open(struct proc_set *ps, struct err *e)
{
	const struct perf_event_attr told = { .mmap = 1,
					      .mmap2 = 1,
					      .comm = 1,
					      .comm_exec = 1,
					      .sample_id_all = 1,
					      .sample_type = PERF_SAMPLE_TIME };
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct proc_watch *w = calloc(1, sizeof(*w));

	if (w != NULL) {
		w->set = ps;
		w->known = hash_new();
		w->seen = hash_new();
		w->rings = calloc((size_t)cpus, sizeof(*w->rings));
	}
	if (w == NULL || w->known == NULL || w->seen == NULL ||
	    w->rings == NULL) {
		proc_watch_close(w);
		err_nomem(e);
		return NULL;
	}
	for (int cpu = 0; cpu < cpus; cpu++) {
		if (proc_ring_open(&w->rings[w->nrings], &told, -1, cpu,
				   RING_PAGES) == 0) {
			w->nrings++;
		} else if (errno != ENODEV) { /* it is off */
			err_set(e, &ERR_GENERIC, errno, "perf_event_open");
			proc_watch_close(w);
			return NULL;
		}
	}
	ps->watch = w;
	return w;
}

static void
seen_forget(struct watch_seen *s)
{
	for (size_t i = 0; i < s->maps.n; i++)
		free(s->maps.v[i].line);
	vec_fini(&s->maps);
	*s = (struct watch_seen){ 0 };
}

void
proc_watch_close(struct proc_watch *w)
{
	if (w == NULL)
		return;
	if (w->set->watch == w)
		w->set->watch = NULL;
	for (unsigned i = 0; i < w->nrings; i++)
		proc_ring_close(&w->rings[i]);
	for (size_t i = 0; i < SEEN_MAX; i++)
		seen_forget(&w->last[i]);
	vec_fini(&w->fresh);
	hash_free(w->known);
	hash_free(w->seen);
	free(w->rings);
	free(w);
}

/* True if the file is met for the first time. */
static bool
watch_is_new(struct proc_watch *w, const struct watch_record *r)
{
	const struct watch_key k = { r->ino, r->gen, r->maj, r->min };

	if (hash_find(w->known, &k, sizeof(k)) != NULL)
		return false;
	if (w->nknown == FILES_MAX) {
		struct hash *none = hash_new();

		if (none == NULL)
			return true;
		hash_free(w->known);
		w->known = none;
		w->nknown = 0;
	}
	/* Without memory it is reported again. */
	if (hash_set(w->known, &k, sizeof(k), w) == 0)
		w->nknown++;
	return true;
}

/* As a line of maps says it; such lines are in the order of their addresses. */
static void
watch_line(const struct watch_record *r, char *text, size_t size)
{
	snprintf(text, size, "%016llx-%016llx r-xp %llx %02x:%02x %llu %s\n",
		 (unsigned long long)r->addr,
		 (unsigned long long)(r->addr + r->len),
		 (unsigned long long)r->off, r->maj, r->min,
		 (unsigned long long)r->ino, r->path);
}

static struct proc *
watch_process(struct proc_watch *w, const struct watch_record *r)
{
	char text[PROC_RECORD_MAX + 128];

	watch_line(r, text, sizeof(text));
	return proc_of_maps(w->set, (pid_t)r->pid, text);
}

/* ---- what processes had mapped ------------------------------------------- */

static struct watch_seen *
seen_find(const struct proc_watch *w, pid_t pid)
{
	return hash_find(w->seen, &pid, sizeof(pid));
}

/* When the record was written: its last word. */
static uint64_t
watch_time(const union proc_record *rec)
{
	uint64_t t;

	memcpy(&t, rec->bytes + rec->hd.size - sizeof(t), sizeof(t));
	return t;
}

/* The process's; NULL: no memory, it is not known. */
static struct watch_seen *
seen_make(struct proc_watch *w, pid_t pid)
{
	struct watch_seen *s = seen_find(w, pid);

	if (s != NULL)
		return s;
	s = &w->last[w->nlast++ % SEEN_MAX];
	if (s->pid != 0)
		(void)hash_set(w->seen, &s->pid, sizeof(s->pid), NULL);
	seen_forget(s);
	if (hash_set(w->seen, &pid, sizeof(pid), s) != 0)
		return NULL;
	s->pid = pid;
	return s;
}

/* Take out what was mapped before a moment and lies in [lo, hi). */
static void
seen_drop(struct watch_seen *s, uint64_t lo, uint64_t hi, uint64_t before)
{
	size_t n = 0;

	for (size_t i = 0; i < s->maps.n; i++) {
		struct watch_map *m = &s->maps.v[i];

		if (m->hi > lo && m->lo < hi && m->time < before)
			free(m->line);
		else
			s->maps.v[n++] = *m;
	}
	s->maps.n = n;
}

static void
seen_exec(struct proc_watch *w, pid_t pid)
{
	struct watch_seen *s = seen_make(w, pid);
	uint64_t time = watch_time(&w->rec);

	if (s == NULL)
		return;
	s->execs++;
	s->since = time > s->since ? time : s->since;
	seen_drop(s, 0, UINT64_MAX, s->since);
}

static void
seen_map(struct proc_watch *w, const struct watch_record *r)
{
	struct watch_seen *s = seen_make(w, (pid_t)r->pid);
	struct watch_map m = { .lo = r->addr,
			       .hi = r->addr + r->len,
			       .time = watch_time(&w->rec) };
	char text[PROC_RECORD_MAX + 128];

	if (s == NULL || m.time < s->since || s->maps.n >= SEEN_MAPS)
		return;
	seen_drop(s, m.lo, m.hi, m.time);
	watch_line(r, text, sizeof(text));
	m.line = strdup(text);
	if (m.line != NULL && !vec_push(&s->maps, m))
		free(m.line);
}

static int
seen_order(const void *a, const void *b)
{
	const struct watch_map *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

/* ---- records ------------------------------------------------------------- */

/* A name of a file, or of the kernel's code in each process. */
static bool
watch_is_named(const struct watch_record *r)
{
	return r->hd.size > sizeof(*r) && strchr(r->path, '\n') == NULL &&
	       ((r->path[0] == '/' && r->path[1] != '/') ||
		strcmp(r->path, "[vdso]") == 0);
}

/* The record that was taken.  A file that is new: a process that has it; else
   NULL. */
static struct proc *
watch_record(struct proc_watch *w)
{
	const struct watch_record *r = (const void *)&w->rec;
	const struct watch_comm *c = (const void *)&w->rec;

	w->lost |= w->rec.hd.type == PERF_RECORD_LOST;
	if (w->rec.hd.type == PERF_RECORD_COMM &&
	    (w->rec.hd.misc & PERF_RECORD_MISC_COMM_EXEC) != 0)
		seen_exec(w, (pid_t)c->pid);
	if (w->rec.hd.type != PERF_RECORD_MMAP2 || !watch_is_named(r))
		return NULL;
	seen_map(w, r);
	return r->path[0] == '/' && watch_is_new(w, r) ? watch_process(w, r)
						       : NULL;
}

bool
proc_watch_maps(struct proc_watch *w, pid_t pid, struct buf *out)
{
	struct watch_seen *s;
	struct proc *p;

	for (unsigned i = 0; i < w->nrings; i++)
		while (proc_ring_take(&w->rings[i], &w->rec, &w->lost)) {
			p = watch_record(w);
			if (p != NULL && !vec_push(&w->fresh, p))
				w->lost = true;
		}
	s = seen_find(w, pid);
	if (s == NULL || s->execs != 1 || s->maps.n == 0)
		return false;
	qsort(s->maps.v, s->maps.n, sizeof(*s->maps.v), seen_order);
	for (size_t i = 0; i < s->maps.n; i++)
		buf_puts(out, s->maps.v[i].line);
	return !out->failed;
}

struct proc *
proc_watch_next(struct proc_watch *w, bool *lost)
{
	struct proc *p = NULL;

	if (w->fresh.n != 0)
		return w->fresh.v[--w->fresh.n];
	while (p == NULL && w->at < w->nrings) {
		if (proc_ring_take(&w->rings[w->at], &w->rec, &w->lost))
			p = watch_record(w);
		else
			w->at++;
	}
	if (p == NULL) {
		w->at = 0;
		*lost = w->lost;
		w->lost = false;
	}
	return p;
}
