/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_show_nomem.c - the nth allocation of each format fails, n = 1, 2, 3 ...:
 * the program ends and says why, or the picture is the one that it is with
 * memory; never one with an empty name in it.
 */
#include "base/test/nomem_end.h"

#include <time.h>

#include "show/show.h"
#include "base/test/fds.h"

#define EACH 60 /* allocations that fail one by one */

#define WHO(pid) "{\"pid\": " #pid ", \"tid\": 1, \"execname\": \"app\"}"
#define FRAME(name)                                                 \
	"{\"symbol\": \"app`" name "+0x1\", \"module\": \"app\", "  \
	"\"name\": \"" name "\", \"offset\": 1, \"address\": 16}"
#define STACK(a, b)                                                 \
	"{\"ustack-frames\": [" FRAME(a) ", " FRAME(b) "], \"pid\": 7}"
#define AT(time, func, name)                                        \
	"{\"timestamp\": " #time ", \"cpu\": 1, \"id\": 3, "        \
	"\"provider\": \"pid7\", \"module\": \"app\", \"function\": \"" \
	func "\", \"name\": \"" name "\", \"output\": ["
#define AGG(name, func, data)                                       \
	AT(9000, "INTERNAL", "AGGREGATION") "{\"aggregation-name\": \""  \
	name "\", \"function\": \"" func "\", \"aggregation-data\": [" data \
	"]}]}\n"

static const char input[] =
	AT(1000, "load", "entry") "{\"value\": 12}, " WHO(7) "]}\n"
	AT(1500, "parse", "entry") STACK("parse", "load") ", " WHO(7) "]}\n"
	AT(2500, "parse", "return") "{\"value\": \"caf\\u00e9<\"}, " WHO(7) "]}\n"
	AT(3000, "load", "return") "{\"type\": \"t\", \"value\": {\"x\": 1}}, "
	WHO(8) "]}\n"
	AGG("stacks", "count",
	    "{\"keys\": [" STACK("parse", "load") "], \"count\": 50}, "
	    "{\"keys\": [" STACK("read", "load") "], \"count\": 20}")
	AGG("sizes", "quantize",
	    "{\"keys\": [\"app\"], \"buckets\": [{\"value\": 4, \"count\": 3}, "
	    "{\"value\": 8, \"count\": 1}]}");

/* Profiles have the time of day in them. */
time_t __wrap_time(time_t *t);

time_t
__wrap_time(time_t *t)
{
	(void)t;
	return 1000000000;
}

static bool
go_on(void *arg)
{
	(void)arg;
	return false;
}

static void
draw(int fd, void *arg)
{
	const struct show_opts opts = { .title = "a title", .quiet = true };
	struct show_sink sink = { .format = arg };
	int in = memfd_create("in", 0);
	char err[256] = "", path[32];
	struct show_out *out;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (in < 0 || write(in, input, sizeof(input) - 1) < 0 ||
	    lseek(in, 0, SEEK_SET) != 0)
		_exit(2);
	out = show_out_open(path, false);
	if (out == NULL)
		_exit(3);
	sink.state = sink.format->open(out, &opts);
	if (show_read(in, &sink, 1, go_on, NULL, err, sizeof(err)) != 0)
		show_say("%s", err);
	sink.format->close(sink.state);
	if (show_out_close(out) != 0)
		_exit(4);
	close(in);
}

static void
test_formats(void **state)
{
	(void)state;
	for (size_t i = 0; show_formats[i] != NULL; i++) {
		print_message("# %s\n", show_formats[i]->name);
		nomem_end_tries(draw, (void *)(uintptr_t)show_formats[i], EACH);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
