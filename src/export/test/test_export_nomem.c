/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_export_nomem.c - the nth allocation fails, n = 1, 2, 3 ..., from the
 * comments of a program to what scrapers and collectors are given: the exporter
 * ends and says why, or what it gives is what it is with memory.
 */
#include "base/test/nomem_end.h"

#include <stdlib.h>

#include "export/export.h"
#include "base/test/fds.h"

#define EACH 200 /* allocations that fail one by one */

static const char program[] =
	"/* export @q read_seconds{execname, fd} divide=1e9 sum=@s le=0..4096 "
	"help=\"How long\"\n * export @n calls_total{func} help=\"How many\" */\n"
	"BEGIN { @q[1] = quantize(1); @s[1] = sum(1); @n[1] = count(); }";

/* A family of the metric that a program's comment makes of an aggregation. */
static struct export_row *
add_row(struct export_snap *s, const struct export_metric *m,
	enum export_kind kind)
{
	struct export_family *f = export_family_new(s, m->name, m->help, kind);
	struct export_row *r;

	f->nlabels = m->labels.n;
	f->labels = arena_calloc(s->arena, m->labels.n, sizeof(char *));
	memcpy(f->labels, m->labels.v, m->labels.n * sizeof(char *));
	f->divide = m->divide;
	if (kind == EXPORT_IS_HIST) {
		f->nle = 1;
		f->le = arena_calloc(s->arena, 1, sizeof(*f->le));
		f->le[0] = 1500000000;
	}
	r = export_row_new(s, f);
	for (size_t i = 0; i < f->nlabels; i++) {
		struct buf b = BUF_INIT;
		export_clean(&b, "caf\xc3\xa9\xff", 6);
		if (b.failed)
			export_fatal("memory allocation failure");
		r->labels[i] = arena_strdup(s->arena, buf_str(&b));
		buf_fini(&b);
	}
	return r;
}

static struct export_snap *
make_snap(struct export_spec *spec)
{
	struct export_snap *s = export_snap_new();
	struct export_row *r = add_row(s, export_spec_find(spec, "q"),
				       EXPORT_IS_HIST);

	s->start_ns = s->time_ns = 1000000000;
	r->upto[0] = 3;
	r->upto[1] = 4;
	r->has_sum = true;
	r->sum = 4000000000;
	add_row(s, export_spec_find(spec, "n"), EXPORT_IS_COUNTER)->value = 12;
	return s;
}

static void
give(int fd, const void *p, size_t n)
{
	if (write(fd, p, n) != (ssize_t)n)
		_exit(2);
}

static void
serve(int fd, void *arg)
{
	struct export_spec spec;
	char err[256] = "";
	struct buf b = BUF_INIT;
	size_t n;

	(void)arg;
	export_spec_init(&spec);
	if (export_spec_read(&spec, "x.d", program, err, sizeof(err)) != 0 ||
	    export_spec_check(&spec, err, sizeof(err)) != 0)
		export_fatal("%s", err);
	struct export_snap *s = make_snap(&spec);
	for (int om = 0; om < 2; om++)
		export_text(&b, s, om);
	if (b.failed) /* the server gives nothing then: export_http.c */
		export_fatal("memory allocation failure");
	give(fd, b.p, b.n);
	uint8_t *bytes = export_otlp_encode(s, &n);
	give(fd, bytes, n);
	free(bytes);
	buf_fini(&b);
	export_snap_put(s);
	export_spec_fini(&spec);
}

static void
test_serve(void **state)
{
	(void)state;
	nomem_end_tries(serve, NULL, EACH);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_serve),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
