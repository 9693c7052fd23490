/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_proc_ring.c - records of a ring, at each place where its end may cut
 * them.  The ring is made here, as the kernel makes it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "proc/proc_ring.h"

static struct proc_ring ring;
static uint8_t *data;

static int
setup(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return -1;
	ring = (struct proc_ring){ .fd = -1, .page = p, .size = page };
	data = (uint8_t *)p + page;
	return 0;
}

static int
teardown(void **state)
{
	return munmap(ring.page, 2 * ring.size);
}

/* The kernel's side: n bytes. */
static void
put(const void *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		data[ring.page->data_head++ % ring.size] =
			((const uint8_t *)from)[i];
}

/* A record of so many bytes in all, which are counted from the first behind its
   header on. */
static void
put_record(uint32_t type, uint16_t size, uint8_t first)
{
	struct perf_event_header hd = { .type = type, .size = size };

	put(&hd, sizeof(hd));
	for (size_t i = sizeof(hd); i < size; i++, first++)
		put(&first, 1);
}

static void
is_record(uint32_t type, uint16_t size, uint8_t first)
{
	union proc_record rec;
	bool lost = false;

	memset(&rec, 0xff, sizeof(rec));
	assert_true(proc_ring_take(&ring, &rec, &lost));
	assert_false(lost);
	assert_int_equal(rec.hd.type, type);
	assert_int_equal(rec.hd.size, size);
	for (size_t i = sizeof(rec.hd); i < size; i++, first++)
		assert_int_equal((uint8_t)rec.bytes[i], first);
	assert_int_equal(rec.bytes[size], 0);
}

static void
is_empty(void)
{
	union proc_record rec;
	bool lost = false;

	assert_false(proc_ring_take(&ring, &rec, &lost));
	assert_false(lost);
	assert_int_equal(ring.page->data_tail, ring.page->data_head);
}

/* Beginnings and sizes such that the end of the ring is before, behind and at
   each byte of a record. */
static void
test_wraps(void **state)
{
	for (uint64_t from = ring.size - 32; from <= ring.size + 1; from++) {
		ring.page->data_head = ring.page->data_tail = from;
		is_empty();
		put_record(PERF_RECORD_COMM, 8, 0);
		put_record(PERF_RECORD_MMAP2, 24, 1);
		is_record(PERF_RECORD_COMM, 8, 0);
		assert_int_equal(ring.page->data_tail, from + 8);
		is_record(PERF_RECORD_MMAP2, 24, 1);
		is_empty();
	}
}

/* As many bytes as the ring has. */
static void
test_copies(void **state)
{
	static uint8_t to[2 + 65536];

	assert_true(ring.size <= sizeof(to) - 2);
	for (size_t i = 0; i < ring.size; i++)
		data[i] = (uint8_t)(i * 7 >> 3);
	for (size_t at = 0; at < ring.size; at += 511) {
		memset(to, 0xaa, sizeof(to));
		proc_ring_copy(ring.page, ring.size, 3 * ring.size + at, to + 1,
			       ring.size);
		assert_int_equal(to[0], 0xaa);
		assert_int_equal(to[1 + ring.size], 0xaa);
		assert_memory_equal(to + 1, data + at, ring.size - at);
		assert_memory_equal(to + 1 + ring.size - at, data, at);
	}
}

/* What there is ends with a record that cannot be: nothing of it is believed,
   and what comes later is read. */
static void
test_damaged(void **state)
{
	/* Smaller than a header, and longer than what was written. */
	static const uint16_t sizes[] = { 0, 7, 25, PROC_RECORD_MAX, 0xffff };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct perf_event_header hd = { .type = PERF_RECORD_COMM,
						.size = sizes[i] };
		union proc_record rec;
		bool lost = false;

		ring.page->data_head = ring.page->data_tail = ring.size - 16;
		put(&hd, sizeof(hd));
		put("abcdefghijklmnop", 16);
		assert_true(proc_ring_take(&ring, &rec, &lost));
		assert_true(lost);
		assert_int_equal(rec.hd.type, 0);
		is_empty();
		put_record(PERF_RECORD_COMM, 24, 9);
		is_record(PERF_RECORD_COMM, 24, 9);
		is_empty();
	}
}

/* A header that is not whole yet is waited for. */
static void
test_half(void **state)
{
	union proc_record rec;
	bool lost = false;

	ring.page->data_head = ring.page->data_tail = 16;
	put("abcdefg", 7);
	assert_false(proc_ring_take(&ring, &rec, &lost));
	assert_false(lost);
	assert_int_equal(ring.page->data_tail, 16);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_wraps, setup, teardown),
		cmocka_unit_test_setup_teardown(test_copies, setup, teardown),
		cmocka_unit_test_setup_teardown(test_damaged, setup, teardown),
		cmocka_unit_test_setup_teardown(test_half, setup, teardown),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
