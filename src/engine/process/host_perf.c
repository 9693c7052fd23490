/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * host_perf.c - profile samples from the kernel's cpu-clock, an event on each
 * thread of the target for each profile site (perf_event_open(2)).
 *
 * It counts the time that the thread runs, so a thread that sleeps is never
 * sampled and costs nothing.  One's own processes may be sampled without
 * privilege, in user mode: then time that is spent in the kernel is not seen.
 *
 * An event is not inherited by new threads (that would need one for each CPU
 * and would follow into children): they are found by looking.  Once its ring is
 * mapped an event needs no descriptor: the mapping keeps it.
 *
 * A sample has the registers and a piece of the stack, where stacks are wanted
 * and there are tables (host_stack.c); as long as there is memory for rings
 * that take such, else the kernel's walk by frame pointers.
 *
 * The kernel writes samples at data_head of the ring, we take them up to there
 * and say so in data_tail.  No sample wakes us; host_timer.c looks in time.
 * All rings are emptied into one batch, which is fired in order of time.  A
 * ring that is read later must not give what is newer than the last of those
 * before it: what was written after a batch began waits for the next.  A sample
 * that its CPU shows us late all the same (it has its time before it is in the
 * ring, and a CPU of a guest may be stopped between) gets the time of the one
 * before it.
 */
#include "engine/process/host_impl.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <asm/perf_regs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "proc/proc_fs.h"
#include "proc/proc_ring.h"

#define RING_MIN       4096u
#define RING_MAX       262144u
#define PIECE          16384u /* bytes of the stack that a sample has */
#define PIECE_RING_MAX (1u << 20)
#define PIECES_MAX     (32u << 20) /* all rings with pieces */
#define RECORD_MAX     65536u
#define LATE_NS        20000000u /* so late we may come before any is lost */
#define DRAIN_NS       2000000u
#define DRAIN_ONE      10000u /* and for each ring */

#define REGS_MASK                                                              \
	((((uint64_t)1 << PERF_REG_X86_64_MAX) - 1) &                          \
	 ~((uint64_t)1 << PERF_REG_X86_DS | 1 << PERF_REG_X86_ES |             \
	   1 << PERF_REG_X86_FS | 1 << PERF_REG_X86_GS))

/* uregs[] index of each, in the order in which they come. */
static const uint8_t regs_order[] = {
	DIF_R_RAX, DIF_R_RBX, DIF_R_RCX, DIF_R_RDX, DIF_R_RSI,
	DIF_R_RDI, DIF_R_RBP, DIF_R_RSP, DIF_R_RIP, DIF_R_RFL,
	DIF_R_CS,  DIF_R_SS,  DIF_R_R8,  DIF_R_R9,  DIF_R_R10,
	DIF_R_R11, DIF_R_R12, DIF_R_R13, DIF_R_R14, DIF_R_R15,
};
#define NREGS (sizeof(regs_order) / sizeof(*regs_order))

struct ring {
	struct perf_event_mmap_page *page; /* NULL: none could be had */
	uint64_t size;                     /* of the data behind it */
	bool piece;                        /* samples have a piece of the
					      stack */
};

struct task {
	uint32_t tid;
	uint64_t seen;      /* the scan that saw it last */
	struct ring ring[]; /* of each profile site */
};

/* A sample in the batch. */
struct item {
	uint64_t time;
	size_t off; /* of its record */
	uint32_t site;
	bool piece;
};

struct host_perf {
	struct perf_event_attr attr, attr_piece;
	bool piece;         /* there is a use for pieces of stacks */
	uint64_t pieces;    /* bytes of rings with such */
	uint64_t unpieced;  /* rings that are without for want of memory */
	struct hash *tasks; /* by tid */
	uint64_t scan;      /* their number */
	uint64_t nrings;
	uint64_t unsampled; /* threads that no ring could be had for */
	struct buf batch;
	VEC(struct item) items;
	uint64_t fired; /* time of the last sample that was */
	uint8_t record[RECORD_MAX];
};

static long
page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

/* ---- the event ----------------------------------------------------------- */

static void
attr_init(struct perf_event_attr *a, const struct host_need *need)
{
	uint32_t frames = need->uframes + need->kframes;

	*a = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(*a),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		.exclude_hv = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	if (frames != 0) {
		a->sample_type |= PERF_SAMPLE_CALLCHAIN;
		a->sample_max_stack = (uint16_t)(frames > 127 ? 127 : frames);
		a->exclude_callchain_kernel = need->kframes == 0;
		a->exclude_callchain_user = need->uframes == 0;
	}
	if (need->uregs) {
		a->sample_type |= PERF_SAMPLE_REGS_USER;
		a->sample_regs_user = REGS_MASK;
	}
}

static void
attr_piece_init(struct perf_event_attr *a, const struct perf_event_attr *attr)
{
	*a = *attr;
	a->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	a->sample_regs_user = REGS_MASK;
	a->sample_stack_user = PIECE;
}

static int
event_open(const struct perf_event_attr *attr, uint32_t tid, uint64_t period)
{
	struct perf_event_attr a = *attr;

	a.sample_period = period;
	return (int)syscall(SYS_perf_event_open, &a, (pid_t)tid, -1, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

/* Bytes that all samples may take before we come; a power of two. */
static uint64_t
ring_size(const struct perf_event_attr *a, uint64_t period, uint64_t max)
{
	uint64_t one = 64 + 8ull * a->sample_max_stack + 8 * NREGS +
		       a->sample_stack_user;
	uint64_t n = (LATE_NS / period + 4) * one, size = RING_MIN;

	while (size < n && size < max)
		size *= 2;
	return size;
}

/* Of size bytes, or smaller where memory to lock is short, but at least
   `least`; false: not to be had. */
static bool
ring_map(struct ring *r, int fd, uint64_t size, uint64_t least)
{
	for (; size >= least; size /= 2) {
		void *m = mmap(NULL, (size_t)page_size() + size,
			       PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (m == MAP_FAILED)
			continue;
		*r = (struct ring){ .page = m, .size = size };
		return true;
	}
	return false;
}

/* Samples with pieces of the stack. */
static bool
ring_piece(struct host_perf *p, struct ring *r, uint32_t tid, uint64_t period)
{
	uint64_t size = ring_size(&p->attr_piece, period, PIECE_RING_MAX);
	int fd;

	if (!p->piece)
		return false;
	fd = p->pieces + size <= PIECES_MAX
		     ? event_open(&p->attr_piece, tid, period)
		     : -1;
	if (fd >= 0 && ring_map(r, fd, size, 4 * PIECE)) {
		r->piece = true;
		p->pieces += r->size;
	}
	if (fd >= 0)
		close(fd);
	p->unpieced += !r->piece;
	return r->piece;
}

/* A thread that has ended, and one for which there is no memory left, go
   without. */
static void
ring_open(struct host *h, struct task *t, uint32_t site)
{
	struct host_perf *p = h->perf;
	uint64_t period = h->profiles.v[site].period;
	struct ring *r = &t->ring[site];
	int fd;

	if (!ring_piece(p, r, t->tid, period)) {
		fd = event_open(&p->attr, t->tid, period);
		if (fd < 0) {
			p->unsampled += errno != ESRCH;
			return;
		}
		(void)ring_map(r, fd, ring_size(&p->attr, period, RING_MAX),
			       RING_MIN);
		close(fd);
	}
	p->nrings += r->page != NULL;
	p->unsampled += r->page == NULL;
}

/* ---- the threads --------------------------------------------------------- */

int
host_tasks(const struct host *h, void (*fn)(void *arg, uint32_t tid), void *arg)
{
	struct proc_dir it;
	long tid;

	if (!proc_dir_open(&it, h->in.pid, "task"))
		return -1;
	while ((tid = proc_dir_next(&it)) >= 0)
		fn(arg, (uint32_t)tid);
	proc_dir_close(&it);
	return 0;
}

static void
task_see(void *arg, uint32_t tid)
{
	struct host *h = arg;
	struct host_perf *p = h->perf;
	struct task *t = hash_find(p->tasks, &tid, sizeof(tid));

	if (t == NULL) {
		t = calloc(1, sizeof(*t) + h->profiles.n * sizeof(t->ring[0]));
		if (t == NULL ||
		    hash_set(p->tasks, &tid, sizeof(tid), t) != 0) {
			free(t);
			p->unsampled++;
			return;
		}
		t->tid = tid;
		for (uint32_t i = 0; i < h->profiles.n; i++)
			ring_open(h, t, i);
	}
	t->seen = p->scan;
}

static void
task_free(struct host *h, struct task *t)
{
	for (size_t i = 0; i < h->profiles.n; i++)
		if (t->ring[i].page != NULL) {
			munmap(t->ring[i].page,
			       (size_t)page_size() + t->ring[i].size);
			h->perf->nrings--;
			if (t->ring[i].piece)
				h->perf->pieces -= t->ring[i].size;
		}
	free(t);
}

/* Those that this scan has not seen have ended: what they left is fired. */
void
host_perf_scan(struct host *h)
{
	struct host_perf *p = h->perf;
	const void *key;
	size_t pos = 0, len;
	void *val;

	p->scan++;
	host_tasks(h, task_see, h);
	host_perf_drain(h);
	while (hash_next(p->tasks, &pos, &key, &len, &val)) {
		struct task *t = val;
		uint32_t tid = t->tid;
		if (t->seen == p->scan)
			continue;
		hash_set(p->tasks, &tid, sizeof(tid), NULL);
		task_free(h, t);
	}
}

uint64_t
host_perf_interval(const struct host *h)
{
	return DRAIN_NS + h->perf->nrings * DRAIN_ONE;
}

/* ---- the batch ----------------------------------------------------------- */

/* When a record of n bytes was written; 0: it does not say. */
static uint64_t
record_time(const void *record, uint64_t n)
{
	const struct perf_event_header *hd = record;
	const uint64_t *body = (const void *)(hd + 1); /* ip, tid, time, cpu */

	if (hd->type != PERF_RECORD_SAMPLE || n < sizeof(*hd) + 32)
		return 0;
	return body[2];
}

/* A whole record of a ring is in the batch at off. */
static void
batch_note(struct host *h, size_t off, uint32_t site, const struct ring *r)
{
	struct host_perf *p = h->perf;
	const struct perf_event_header *hd = (const void *)(p->batch.p + off);
	const uint64_t *body = (const void *)(hd + 1);
	uint64_t time = record_time(p->batch.p + off, hd->size);

	if (hd->type == PERF_RECORD_LOST && hd->size >= sizeof(*hd) + 16)
		h->ctx[1].slot.rt->drops[RT_DROP_PRINCIPAL] += body[1];
	if (time == 0)
		return;
	struct item it = {
		.time = time, .off = off, .site = site, .piece = r->piece
	};
	if (!vec_push(&p->items, it))
		h->ctx[1].slot.rt->drops[RT_DROP_PRINCIPAL]++;
}

/* What is in a ring and not newer than `until` goes into the batch. */
static void
ring_take(struct host *h, struct ring *r, uint32_t site, uint64_t until)
{
	struct host_perf *p = h->perf;
	uint64_t tail = r->page->data_tail;
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	size_t off = p->batch.n;
	uint64_t at;

	for (at = tail; at < head;) {
		struct perf_event_header hd;
		proc_ring_copy(r->page, r->size, at, &hd, sizeof(hd));
		if (hd.size < sizeof(hd) || hd.size > head - at) {
			at = head;
			break;
		}
		proc_ring_copy(r->page, r->size, at, p->record, hd.size);
		if (record_time(p->record, hd.size) > until)
			break;
		buf_write(&p->batch, p->record, hd.size);
		at += hd.size;
	}
	if (at == tail)
		return;
	__atomic_store_n(&r->page->data_tail, at, __ATOMIC_RELEASE);
	while (!p->batch.failed && off < p->batch.n) {
		const struct perf_event_header *hd =
			(const void *)(p->batch.p + off);
		batch_note(h, off, site, r);
		off += hd->size;
	}
}

/* ---- a sample ------------------------------------------------------------ */

/*
 * The parts of a callchain: addresses, with marks between that say whose
 * those behind them are.
 */
static void
parse_chain(struct host_sample *s, const uint64_t *v, uint64_t n)
{
	uint64_t mark = 0;

	for (uint64_t i = 0; i < n; i++) {
		if (v[i] >= (uint64_t)PERF_CONTEXT_MAX) {
			mark = v[i];
			continue;
		}
		if (mark == (uint64_t)PERF_CONTEXT_USER) {
			if (s->nustack++ == 0)
				s->ustack = &v[i];
		} else if (mark == (uint64_t)PERF_CONTEXT_KERNEL) {
			if (s->nkstack++ == 0)
				s->kstack = &v[i];
		}
	}
}

static void
parse_regs(struct host_sample *s, const uint64_t *v)
{
	for (size_t i = 0; i < NREGS; i++)
		s->ureg[regs_order[i]] = v[i];
}

/* | size | size bytes | how many of them are the stack's | */
static void
parse_piece(struct host_sample *s, const uint64_t *v, const uint64_t *end)
{
	uint64_t n;

	if (v == end)
		return;
	n = *v++;
	if (n % 8 != 0 || n == 0 || n / 8 >= (uint64_t)(end - v))
		return;
	s->piece = (const uint8_t *)v;
	s->npiece = v[n / 8] < n ? v[n / 8] : n;
}

/* The kernel wrote it, by what attr asks for: what is not there is 0. */
static void
parse(const struct perf_event_attr *a, const struct perf_event_header *hd,
      struct host_sample *s)
{
	const uint64_t *v = (const void *)(hd + 1);
	const uint64_t *end = (const void *)((const uint8_t *)hd + hd->size);
	unsigned mode = hd->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	*s = (struct host_sample){ .tid = (uint32_t)(v[1] >> 32),
				   .time = v[2],
				   .cpu = (uint32_t)v[3] };
	if (mode == PERF_RECORD_MISC_USER)
		s->upc = v[0];
	else
		s->kpc = v[0];
	v += 4;
	if ((a->sample_type & PERF_SAMPLE_CALLCHAIN) != 0 && v < end) {
		uint64_t n = *v++;
		if (n > (uint64_t)(end - v))
			return;
		parse_chain(s, v, n);
		v += n;
	}
	if ((a->sample_type & PERF_SAMPLE_REGS_USER) != 0 && v < end &&
	    *v++ != PERF_SAMPLE_REGS_ABI_NONE && (size_t)(end - v) >= NREGS) {
		parse_regs(s, v);
		v += NREGS;
	}
	if ((a->sample_type & PERF_SAMPLE_STACK_USER) != 0)
		parse_piece(s, v, end);
}

static int
item_cmp(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

void
host_perf_drain(struct host *h)
{
	struct host_perf *p = h->perf;
	uint64_t until = host_now();
	struct host_sample s;
	size_t pos = 0;
	void *val;

	buf_reset(&p->batch);
	p->items.n = 0;
	while (hash_next(p->tasks, &pos, NULL, NULL, &val)) {
		struct task *t = val;
		for (uint32_t i = 0; i < h->profiles.n; i++)
			if (t->ring[i].page != NULL)
				ring_take(h, &t->ring[i], i, until);
	}
	if (p->batch.failed)
		return;
	if (p->items.n > 1)
		qsort(p->items.v, p->items.n, sizeof(*p->items.v), item_cmp);
	for (size_t i = 0; i < p->items.n; i++) {
		const struct item *it = &p->items.v[i];
		const struct host_site *site = &h->profiles.v[it->site];
		parse(it->piece ? &p->attr_piece : &p->attr,
		      (const void *)(p->batch.p + it->off), &s);
		if (s.time < p->fired)
			s.time = p->fired;
		p->fired = s.time;
		if (s.piece != NULL)
			host_stack_walk(h, &s);
		host_fire(&h->ctx[1], site->probe, site->site, &s);
	}
}

/* ---- opening ------------------------------------------------------------- */

/* Check that sampling is permitted: with the kernel's time, or else without. */
static int
perf_try(struct host *h, struct host_perf *p, struct err *e)
{
	uint64_t period = h->profiles.v[0].period;
	int fd = event_open(&p->attr, (uint32_t)h->in.pid, period);

	if (fd < 0 && (errno == EACCES || errno == EPERM)) {
		p->attr.exclude_kernel = 1;
		fd = event_open(&p->attr, (uint32_t)h->in.pid, period);
	}
	if (fd < 0)
		return err_set(e, &ERR_GENERIC, errno, "perf_event_open");
	close(fd);
	return 0;
}

static const char *
perf_note(const struct host_perf *p)
{
	if (p->unsampled != 0)
		return ", but not of all threads: memory to lock is short "
		       "(kernel.perf_event_mlock_kb)";
	if (p->unpieced != 0 && p->attr.exclude_kernel)
		return ", user mode only (kernel.perf_event_paranoid), with "
		       "stacks of some threads by frame pointers: memory to "
		       "lock is short (kernel.perf_event_mlock_kb)";
	if (p->unpieced != 0)
		return ", with stacks of some threads by frame pointers: "
		       "memory "
		       "to lock is short (kernel.perf_event_mlock_kb)";
	if (p->attr.exclude_kernel)
		return ", user mode only (kernel.perf_event_paranoid)";
	return "";
}

int
host_perf_open(struct host *h, const char **note, struct err *e)
{
	struct host_perf *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return err_nomem(e);
	attr_init(&p->attr, &h->need);
	if (h->in.no_perf || perf_try(h, p, e) != 0) {
		free(p);
		return err_set(e, &ERR_GENERIC, 0, "perf events are not used");
	}
	p->tasks = hash_new();
	if (p->tasks == NULL) {
		free(p);
		return err_nomem(e);
	}
	h->perf = p;
	attr_piece_init(&p->attr_piece, &p->attr);
	p->piece = h->stack != NULL;
	host_perf_scan(h);
	*note = perf_note(p);
	return 0;
}

void
host_perf_close(struct host *h)
{
	struct host_perf *p = h->perf;
	size_t pos = 0;
	void *val;

	if (p == NULL)
		return;
	while (hash_next(p->tasks, &pos, NULL, NULL, &val))
		task_free(h, val);
	hash_free(p->tasks);
	buf_fini(&p->batch);
	vec_fini(&p->items);
	free(p);
	h->perf = NULL;
}
