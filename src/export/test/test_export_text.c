/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Snapshots as text, byte for byte, and as protobuf.  Where promtool(1) is, it
 * reads hostile names, too (test/sys/export).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/test/fds.h"
#include "export/export.h"
#include "otlp.pb-c.h"

static void
is_text(const struct export_snap *s, bool om, const char *want)
{
	struct buf b = BUF_INIT;

	export_text(&b, s, om);
	assert_false(b.failed);
	assert_string_equal(buf_str(&b), want);
	buf_fini(&b);
}

static struct export_family *
family(struct export_snap *s, const char *name, enum export_kind kind,
       const char *label)
{
	struct export_family *f = export_family_new(s, name, "Help.", kind);

	f->nlabels = label != NULL;
	f->labels = arena_calloc(s->arena, 1, sizeof(char *));
	f->labels[0] = label;
	return f;
}

static struct export_row *
row(struct export_snap *s, struct export_family *f, const char *label,
    int64_t value)
{
	struct export_row *r = export_row_new(s, f);

	if (label != NULL)
		r->labels[0] = label;
	r->value = value;
	return r;
}

static void
numbers(void **state)
{
	struct export_snap *s = export_snap_new();
	struct export_family *f;

	f = family(s, "a", EXPORT_IS_COUNTER, "l");
	row(s, f, "x", 3);
	row(s, f, "y", INT64_MAX);
	f = family(s, "b", EXPORT_IS_GAUGE, NULL);
	row(s, f, NULL, INT64_MIN);
	f = family(s, "c", EXPORT_IS_GAUGE, NULL);
	f->divide = 1e9;
	row(s, f, NULL, 1500000007);
	family(s, "empty", EXPORT_IS_COUNTER, "l");
	is_text(s, false,
		"# HELP a_total Help.\n# TYPE a_total counter\n"
		"a_total{l=\"x\"} 3\na_total{l=\"y\"} 9223372036854775807\n"
		"# HELP b Help.\n# TYPE b gauge\nb -9223372036854775808\n"
		"# HELP c Help.\n# TYPE c gauge\nc 1.500000007\n"
		"# HELP empty_total Help.\n# TYPE empty_total counter\n");
	is_text(s, true,
		"# HELP a Help.\n# TYPE a counter\n"
		"a_total{l=\"x\"} 3\na_total{l=\"y\"} 9223372036854775807\n"
		"# HELP b Help.\n# TYPE b gauge\nb -9223372036854775808\n"
		"# HELP c Help.\n# TYPE c gauge\nc 1.500000007\n"
		"# HELP empty Help.\n# TYPE empty counter\n# EOF\n");
	export_snap_put(s);
}

static struct export_family *
hist(struct export_snap *s, int64_t first, bool sum)
{
	struct export_family *f = family(s, "h", EXPORT_IS_HIST, "l");
	struct export_row *r;

	f->nle = 2;
	f->le = arena_calloc(s->arena, 2, sizeof(*f->le));
	f->le[0] = first;
	f->le[1] = 7;
	r = row(s, f, "x", 0);
	r->upto[0] = 1;
	r->upto[1] = 4;
	r->upto[2] = 9;
	r->has_sum = sum;
	r->sum = 50;
	return f;
}

static void
histograms(void **state)
{
	struct export_snap *s = export_snap_new();
	struct export_family *f = hist(s, 0, true);

	is_text(s, false,
		"# HELP h Help.\n# TYPE h histogram\n"
		"h_bucket{l=\"x\",le=\"0\"} 1\nh_bucket{l=\"x\",le=\"7\"} 4\n"
		"h_bucket{l=\"x\",le=\"+Inf\"} 9\n"
		"h_sum{l=\"x\"} 50\nh_count{l=\"x\"} 9\n");
	f->divide = 1000;
	is_text(s, true,
		"# HELP h Help.\n# TYPE h histogram\n"
		"h_bucket{l=\"x\",le=\"0.0\"} 1\n"
		"h_bucket{l=\"x\",le=\"0.007\"} 4\n"
		"h_bucket{l=\"x\",le=\"+Inf\"} 9\n"
		"h_sum{l=\"x\"} 0.05\nh_count{l=\"x\"} 9\n# EOF\n");
	export_snap_put(s);
}

/* No sum: OpenMetrics wants no count then; nor a sum if some are negative. */
static void
histograms_without_sum(void **state)
{
	struct export_snap *s = export_snap_new();

	hist(s, 0, false);
	is_text(s, false,
		"# HELP h Help.\n# TYPE h histogram\n"
		"h_bucket{l=\"x\",le=\"0\"} 1\nh_bucket{l=\"x\",le=\"7\"} 4\n"
		"h_bucket{l=\"x\",le=\"+Inf\"} 9\nh_count{l=\"x\"} 9\n");
	export_snap_put(s);
	s = export_snap_new();
	hist(s, -8, true);
	is_text(s, true,
		"# HELP h Help.\n# TYPE h histogram\n"
		"h_bucket{l=\"x\",le=\"-8.0\"} 1\n"
		"h_bucket{l=\"x\",le=\"7.0\"} 4\n"
		"h_bucket{l=\"x\",le=\"+Inf\"} 9\n# EOF\n");
	export_snap_put(s);
}

/* Bytes of a key, and the label's value in the text. */
static const char *const hostile[][2] = {
	{ "a\"b", "a\\\"b" },
	{ "a\\b", "a\\\\b" },
	{ "a\nb", "a\\nb" },
	{ "\"} 1\nevil 2", "\\\"} 1\\nevil 2" },
	{ "\x01\x1b[31m\x7f", "\\\\x01\\\\x1b[31m\\\\x7f" },
	{ "\xe2\x80\xaegpj.sh", "\\\\xe2\\\\x80\\\\xaegpj.sh" },
	{ "\xe2\x81\xa6\xd8\x9c\xe2\x81\xa5", "\\\\xe2\\\\x81\\\\xa6\\\\xd8\\\\x9c\xe2\x81\xa5" },
	{ "\xc2\x9b" "31m\xc2\xa0", "\\\\xc2\\\\x9b31m\xc2\xa0" },
	{ "\xff\xc0\x80", "\\\\xff\\\\xc0\\\\x80" },
	{ "\\xff", "\\\\x5cxff" }, /* not the same as the byte */
	{ "\\", "\\\\" },
	{ "\xc3\xa9\xf0\x9f\x98\x80", "\xc3\xa9\xf0\x9f\x98\x80" },
	{ "\xed\xa0\x80", "\\\\xed\\\\xa0\\\\x80" }, /* half a pair */
	{ "\ttab", "\ttab" },
	{ "", "" },
};

static void
hostile_labels(void **state)
{
	for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
		struct export_snap *s = export_snap_new();
		struct export_family *f = family(s, "a", EXPORT_IS_GAUGE, "l");
		struct buf clean = BUF_INIT;
		char want[256];

		export_clean(&clean, hostile[i][0], strlen(hostile[i][0]));
		row(s, f, buf_str(&clean), 1);
		snprintf(want, sizeof(want), "# HELP a Help.\n# TYPE a gauge\n"
			 "a{l=\"%s\"} 1\n", hostile[i][1]);
		is_text(s, false, want);
		export_snap_put(s);
		buf_fini(&clean);
	}
}

static void
hostile_help(void **state)
{
	struct export_snap *s = export_snap_new();

	export_family_new(s, "a", "x\n\"y\" \\", EXPORT_IS_GAUGE);
	is_text(s, false,
		"# HELP a x\\n\"y\" \\\\\n# TYPE a gauge\n");
	is_text(s, true,
		"# HELP a x\\n\\\"y\\\" \\\\\n# TYPE a gauge\n# EOF\n");
	export_snap_put(s);
}

/* What libprotobuf-c reads again. */
static void
otlp(void **state)
{
	struct export_snap *s = export_snap_new();
	struct export_family *f = family(s, "a", EXPORT_IS_COUNTER, "l");
	const Otlp__ScopeMetrics *sm;
	const Otlp__HistogramPoint *h;
	Otlp__Request *r;
	uint8_t *bytes;
	size_t n;

	row(s, f, "x", 3);
	hist(s, 0, true)->divide = 10;
	row(s, family(s, "g", EXPORT_IS_GAUGE, NULL), NULL, -4);
	bytes = export_otlp_encode(s, &n);
	r = otlp__request__unpack(NULL, n, bytes);
	assert_non_null(r);
	sm = r->resource_metrics[0]->scope_metrics[0];
	assert_int_equal(sm->n_metrics, 3);
	assert_string_equal(sm->metrics[0]->name, "a");
	assert_true(sm->metrics[0]->sum->is_monotonic);
	assert_int_equal(sm->metrics[0]->sum->data_points[0]->as_int, 3);
	assert_string_equal(sm->metrics[0]->sum->data_points[0]->
			    attributes[0]->value->string_value, "x");
	h = sm->metrics[1]->histogram->data_points[0];
	assert_int_equal(h->count, 9);
	assert_true(h->sum == 5);
	assert_int_equal(h->n_bucket_counts, 3);
	assert_int_equal(h->bucket_counts[1], 3);
	assert_int_equal(h->bucket_counts[2], 5);
	assert_int_equal(h->n_explicit_bounds, 2);
	assert_true(h->explicit_bounds[1] == 0.7);
	assert_int_equal(sm->metrics[2]->gauge->data_points[0]->as_int, -4);
	otlp__request__free_unpacked(r, NULL);
	free(bytes);
	export_snap_put(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(histograms),
		cmocka_unit_test(histograms_without_sum),
		cmocka_unit_test(hostile_labels),
		cmocka_unit_test(hostile_help),
		cmocka_unit_test(otlp),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
