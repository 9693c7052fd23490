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

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RING_PAGES  16    /* of each CPU; fewer where memory to lock is short */
#define FILES_MAX   65536 /* that are remembered */
#define RECORD_MAX  8192  /* more than any has */

struct watch_ring {
	int fd;
	struct perf_event_mmap_page *page;
	size_t size; /* of its data */
};

struct proc_watch {
	struct proc_set *set;
	struct watch_ring *rings;
	unsigned nrings, at; /* the one that is read */
	struct hash *known;  /* struct watch_key: files that have been told
				of */
	size_t nknown;
	bool lost;
	union {
		struct perf_event_header hd;
		char bytes[RECORD_MAX];
		uint64_t words; /* as its members are aligned */
	} rec;
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

/* ---- rings --------------------------------------------------------------- */

/* Zero pages: it is opened, and has no ring yet. */
static int
watch_ring_open(struct watch_ring *r, int cpu)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(a),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.mmap = 1,
		.mmap2 = 1,
		.watermark = 1,
		.wakeup_watermark = 1u << 30, /* nobody waits for it */
	};
	long page = sysconf(_SC_PAGESIZE);
	void *p = MAP_FAILED;

	r->fd = (int)syscall(SYS_perf_event_open, &a, -1, cpu, -1,
			     PERF_FLAG_FD_CLOEXEC);
	if (r->fd < 0)
		return -1;
	for (unsigned n = RING_PAGES; n > 0 && p == MAP_FAILED; n /= 2) {
		r->size = n * (size_t)page;
		p = mmap(NULL, r->size + (size_t)page, PROT_READ | PROT_WRITE,
			 MAP_SHARED, r->fd, 0);
	}
	if (p != MAP_FAILED) {
		r->page = p;
		return 0;
	}
	close(r->fd);
	return -1;
}

static void
watch_ring_close(struct watch_ring *r)
{
	munmap(r->page, r->size + (size_t)sysconf(_SC_PAGESIZE));
	close(r->fd);
}

static void
watch_ring_copy(const struct watch_ring *r, uint64_t at, void *to, size_t n)
{
	const char *data = (const char *)r->page + sysconf(_SC_PAGESIZE);
	size_t off = (size_t)(at % r->size);
	size_t first = n < r->size - off ? n : r->size - off;

	memcpy(to, data + off, first);
	memcpy((char *)to + first, data, n - first);
}

/* The next record, into w->rec, with a zero behind it; false: none is there. */
static bool
watch_ring_take(struct proc_watch *w, struct watch_ring *r)
{
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = r->page->data_tail;
	size_t n;

	if (head - tail < sizeof(w->rec.hd))
		return false;
	watch_ring_copy(r, tail, &w->rec.hd, sizeof(w->rec.hd));
	n = w->rec.hd.size;
	if (n < sizeof(w->rec.hd) || n >= sizeof(w->rec.bytes) ||
	    n > head - tail) {
		w->lost = true;
		n = (size_t)(head - tail);
		w->rec.hd.type = 0;
	} else {
		watch_ring_copy(r, tail, w->rec.bytes, n);
		w->rec.bytes[n] = '\0';
	}
	__atomic_store_n(&r->page->data_tail, tail + n, __ATOMIC_RELEASE);
	return true;
}

/* ---- the watch ----------------------------------------------------------- */

struct proc_watch *
proc_watch_open(struct proc_set *ps, struct err *e)
{
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
		if (watch_ring_open(&w->rings[w->nrings], cpu) == 0) {
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
		watch_ring_close(&w->rings[i]);
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
	char text[RECORD_MAX + 128];

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
		if (!watch_ring_take(w, &w->rings[w->at])) {
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
