/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fuzz_jit.c - any bytes as a file in which a program names its code: a perf
 * map, and a jitdump file.  What is found lies in what was read, ends there,
 * and can be printed.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "proc/proc_jit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
names(struct jit_file *j)
{
	for (size_t i = 0; i < j->syms.n && i < 100; i++) {
		const struct jit_sym *s = jit_find(j, j->syms.v[i].lo);

		if (s == NULL || s->hi <= s->lo || s->name >= j->n)
			abort();
		for (const char *p = j->text + s->name; *p != '\0'; p++)
			if (p >= j->text + j->n || (unsigned char)*p < 0x20 ||
			    *p == 0x7f || *p == '`')
				abort();
	}
}

/* The file is there as a whole, or grows while it is read. */
static void
read_in(const uint8_t *data, size_t size, size_t first,
	bool (*read_more)(struct jit_file *j))
{
	struct jit_file j = { .fd = memfd_create("jit", MFD_CLOEXEC) };

	if (j.fd < 0 || write(j.fd, data, first) != (ssize_t)first)
		abort();
	(void)read_more(&j);
	if (write(j.fd, data + first, size - first) != (ssize_t)(size - first))
		abort();
	(void)read_more(&j);
	(void)read_more(&j);
	names(&j);
	jit_file_fini(&j);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_in(data, size, 0, jit_map_read);
	read_in(data, size, size / 2, jit_map_read);
	read_in(data, size, 0, jit_dump_read);
	read_in(data, size, size / 2, jit_dump_read);
	return 0;
}
