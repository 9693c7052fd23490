/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "proc/proc_ring.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static size_t
ring_page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

int
proc_ring_open(struct proc_ring *r, const struct perf_event_attr *told,
	       pid_t pid, int cpu, unsigned pages)
{
	struct perf_event_attr a = *told;
	void *p = MAP_FAILED;

	a.type = PERF_TYPE_SOFTWARE;
	a.size = sizeof(a);
	a.config = PERF_COUNT_SW_DUMMY;
	a.exclude_kernel = 1;
	a.exclude_hv = 1;
	a.watermark = 1;
	a.wakeup_watermark = 1u << 30; /* nobody waits for it */
	r->fd = (int)syscall(SYS_perf_event_open, &a, pid, cpu, -1,
			     PERF_FLAG_FD_CLOEXEC);
	if (r->fd < 0)
		return -1;
	for (; pages > 0 && p == MAP_FAILED; pages /= 2) {
		r->size = pages * ring_page_size();
		p = mmap(NULL, r->size + ring_page_size(),
			 PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	}
	if (p != MAP_FAILED) {
		r->page = p;
		return 0;
	}
	close(r->fd);
	r->fd = -1;
	return -1;
}

void
proc_ring_close(struct proc_ring *r)
{
	if (r->fd < 0)
		return;
	munmap(r->page, r->size + ring_page_size());
	close(r->fd);
	r->fd = -1;
}

void
proc_ring_copy(const struct perf_event_mmap_page *page, size_t size,
	       uint64_t at, void *to, size_t n)
{
	const char *data = (const char *)page + ring_page_size();
	size_t off = (size_t)(at % size);
	size_t first = n < size - off ? n : size - off;

	memcpy(to, data + off, first);
	memcpy((char *)to + first, data, n - first);
}

bool
proc_ring_take(struct proc_ring *r, union proc_record *rec, bool *lost)
{
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = r->page->data_tail;
	size_t n;

	if (head - tail < sizeof(rec->hd))
		return false;
	proc_ring_copy(r->page, r->size, tail, &rec->hd, sizeof(rec->hd));
	n = rec->hd.size;
	if (n < sizeof(rec->hd) || n >= sizeof(rec->bytes) || n > head - tail) {
		*lost = true;
		n = (size_t)(head - tail);
		rec->hd.type = 0;
	} else {
		proc_ring_copy(r->page, r->size, tail, rec->bytes, n);
		rec->bytes[n] = '\0';
	}
	__atomic_store_n(&r->page->data_tail, tail + n, __ATOMIC_RELEASE);
	return true;
}
