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
 */
#include "proc/proc_fs.h"
#include "proc/proc_impl.h"
#include "proc/proc_ring.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RING_PAGES  16    /* of each CPU; fewer where memory to lock is short */
#define FILES_MAX   65536 /* that are remembered */

struct proc_watch {
	struct proc_set *set;
	struct proc_ring *rings;
	unsigned nrings, at; /* the one that is read */
	struct hash *known;  /* struct watch_key: files that have been told
				of */
	size_t nknown;
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

struct watch_key {
	uint64_t ino, gen;
	uint32_t maj, min;
};

/* ---- the watch ----------------------------------------------------------- */

struct proc_watch *
proc_watch_open(struct proc_set *ps, struct err *e)
{
	const struct perf_event_attr told = { .mmap = 1, .mmap2 = 1 };
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct proc_watch *w = calloc(1, sizeof(*w));

	if (w != NULL) {
		w->set = ps;
		w->known = hash_new();
		w->rings = calloc((size_t)cpus, sizeof(*w->rings));
	}
	if (w == NULL || w->known == NULL || w->rings == NULL) {
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
	return w;
}

void
proc_watch_close(struct proc_watch *w)
{
	if (w == NULL)
		return;
	for (unsigned i = 0; i < w->nrings; i++)
		proc_ring_close(&w->rings[i]);
	hash_free(w->known);
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

/* As a line of maps says it. */
static struct proc *
watch_process(struct proc_watch *w, const struct watch_record *r)
{
	char text[PROC_RECORD_MAX + 128];

	snprintf(text, sizeof(text), "%llx-%llx r-xp %llx %02x:%02x %llu %s\n",
		 (unsigned long long)r->addr,
		 (unsigned long long)(r->addr + r->len),
		 (unsigned long long)r->off, r->maj, r->min,
		 (unsigned long long)r->ino, r->path);
	return proc_of_maps(w->set, (pid_t)r->pid, text);
}

struct proc *
proc_watch_next(struct proc_watch *w, bool *lost)
{
	const struct watch_record *r = (const void *)&w->rec;
	struct proc *p = NULL;

	while (p == NULL && w->at < w->nrings) {
		if (!proc_ring_take(&w->rings[w->at], &w->rec, &w->lost)) {
			w->at++;
			continue;
		}
		w->lost |= w->rec.hd.type == PERF_RECORD_LOST;
		if (w->rec.hd.type == PERF_RECORD_MMAP2 &&
		    w->rec.hd.size > sizeof(*r) && r->path[0] == '/' &&
		    r->path[1] != '/' && strchr(r->path, '\n') == NULL &&
		    watch_is_new(w, r))
			p = watch_process(w, r);
	}
	if (p == NULL) {
		w->at = 0;
		*lost = w->lost;
		w->lost = false;
	}
	return p;
}
