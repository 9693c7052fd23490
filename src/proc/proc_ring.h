/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * proc_ring.h - what the kernel says of processes, in rings of perf events that
 * count nothing: files that are mapped, programs that are executed.
 */
#ifndef PROC_RING_H
#define PROC_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROC_RECORD_MAX 8192 /* more than any has */

struct proc_ring {
	int fd; /* -1: there is none */
	struct perf_event_mmap_page *page;
	size_t size; /* of its data */
};

union proc_record {
	struct perf_event_header hd;
	char bytes[PROC_RECORD_MAX];
	uint64_t words; /* as its members are aligned */
};

/* Open a ring for a process (cpu -1) or for all processes of a CPU (pid -1);
   TOLD has the bits of what is wanted (mmap2, comm_exec, ...), the rest is set
   here.  It has PAGES pages, a power of two, or fewer where memory to lock is
   short.  -1 with errno, and no ring, if the kernel does not let us. */
int proc_ring_open(struct proc_ring *r, const struct perf_event_attr *told,
		   pid_t pid, int cpu, unsigned pages);

/* A ring that is not there may be closed. */
void proc_ring_close(struct proc_ring *r);

/* Take the next record, with a zero behind it; false: none is there.  What the
   kernel does not write (a size that cannot be) ends what the ring has: then
   the record is of type 0, and *LOST is set. */
bool proc_ring_take(struct proc_ring *r, union proc_record *rec, bool *lost);

/* Copy N bytes, at most SIZE, that begin at a position of any ring's data (SIZE
   bytes behind the page that says where data begins and ends). */
void proc_ring_copy(const struct perf_event_mmap_page *page, size_t size,
		    uint64_t at, void *to, size_t n);

#endif
