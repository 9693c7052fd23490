/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fuzz_show.c - any bytes as structured output, drawn in every format.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "show/show.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FORMATS_MAX 16

static bool
go_on(void *arg)
{
	return false;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct show_opts opts = { .title = "fuzz", .quiet = true };
	struct show_sink sinks[FORMATS_MAX];
	struct show_out *out[FORMATS_MAX];
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char err[256];
	size_t n = 0;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size ||
	    lseek(fd, 0, SEEK_SET) != 0)
		return 0;
	for (; show_formats[n] != NULL && n < FORMATS_MAX; n++) {
		out[n] = show_out_open("/dev/null", false);
		if (out[n] == NULL)
			return 0;
		sinks[n].format = show_formats[n];
		sinks[n].state = show_formats[n]->open(out[n], &opts);
	}
	show_read(fd, sinks, n, go_on, NULL, err, sizeof(err));
	for (size_t i = 0; i < n; i++) {
		sinks[i].format->close(sinks[i].state);
		show_out_close(out[i]);
	}
	close(fd);
	return 0;
}
