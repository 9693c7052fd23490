/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_live_send.c - what dtrace(1) sends to the screen, read again by the
 * screen's own reader; the library is a made one, with a row of three
 * aggregations.  And the nth allocation fails, n = 1, 2, 3 ...
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "base/test/nomem.h"
#include "live/live.h"
#include "live/live_impl.h"

/* ---- a library ----------------------------------------------------------- */

static const dtrace_aggdesc_t calls = { .dtagd_name = "calls",
					.dtagd_varid = 1,
					.dtagd_nkeys = 2,
					.dtagd_func = DTRACEAGG_COUNT };
static const dtrace_aggdesc_t mean = { .dtagd_name = "mean",
				       .dtagd_varid = 2,
				       .dtagd_func = DTRACEAGG_AVG };
static const dtrace_aggdesc_t sizes = { .dtagd_name = "sizes",
					.dtagd_varid = 3,
					.dtagd_func = DTRACEAGG_LQUANTIZE };

int
dtrace_aggregate_snap(dtrace_hdl_t *dtp)
{
	(void)dtp;
	return 0;
}

int
dtrace_aggregate_walk(dtrace_hdl_t *dtp, dtrace_aggregate_f *f, void *arg)
{
	static const dtrace_aggkey_t keys[] = {
		{ .dtak_is_string = 1, .dtak_str = "read" }, { .dtak_int = -3 }
	};
	static const int64_t one[] = { 12 }, two[] = { 4, 20 },
			     hist[] = { 0, 6, 4, 0 };
	const dtrace_aggdata_t rows[] = {
		{ .dtada_desc = &calls, .dtada_keys = keys, .dtada_cell = one,
		  .dtada_nwords = 1, .dtada_value = 12, .dtada_normal = 1 },
		{ .dtada_desc = &mean, .dtada_cell = two, .dtada_nwords = 2,
		  .dtada_value = 5, .dtada_normal = 1 },
		{ .dtada_desc = &sizes, .dtada_cell = hist, .dtada_nwords = 4,
		  .dtada_value = 10, .dtada_normal = 2 },
	};

	(void)dtp;
	for (int i = 0; i < 3; i++)
		assert_int_equal(f(&rows[i], arg), DTRACE_AGGWALK_NEXT);
	return 0;
}

/* From 0 in steps of ten, and what is below and above. */
int
dtrace_aggregate_bucket(dtrace_hdl_t *dtp, const dtrace_aggdata_t *data,
			uint32_t i, int64_t *low, int64_t *high)
{
	(void)dtp;
	*low = i == 0 ? INT64_MIN : ((int64_t)i - 1) * 10;
	*high = i + 1 == data->dtada_nwords ? INT64_MAX : (int64_t)i * 10 - 1;
	return 0;
}

char *
dtrace_desc2str(const dtrace_probedesc_t *pdp, char *buf, size_t len)
{
	if (pdp->dtpd_id != 0) /* is all there is then */
		snprintf(buf, len, "%u", (unsigned)pdp->dtpd_id);
	else
		snprintf(buf, len, "%s:::", pdp->dtpd_provider);
	return buf;
}

/* ---- what is sent -------------------------------------------------------- */

/* Two records of probe 2, one of probe 5, and a look; NULL: *rc says why. */
static struct live_frame *
look(struct live_send *s, int *rc)
{
	const dtrace_probedesc_t two = { .dtpd_id = 2, .dtpd_provider = "p2" },
				 five = { .dtpd_id = 5,
					  .dtpd_provider = "p5" };
	int fd = memfd_create("message", 0);
	struct live_frame *f = NULL;
	char text[4096];
	uint64_t size;
	ssize_t n;

	assert_true(fd >= 0);
	live_send_record(s, &two);
	live_send_record(s, &five);
	live_send_record(s, &two);
	live_send_drops(s, 7);
	*rc = live_send_look(s, NULL, fd);
	n = pread(fd, text, sizeof(text), 0);
	close(fd);
	if (*rc == 0) {
		long left = nomem_left;
		nomem_left = 0; /* the reader's are not meant */
		assert_true(n > (ssize_t)sizeof(size));
		memcpy(&size, text, sizeof(size));
		assert_int_equal(size, (size_t)n - sizeof(size));
		f = frame_new(text + sizeof(size), size, NULL);
		assert_non_null(f);
		nomem_left = left;
	} else {
		assert_int_equal(n, 0);
	}
	return f;
}

/* The aggregations are these; probes may be missing, as no memory is not worth
   the end of the trace for them. */
static void
check_aggs(const struct live_frame *f)
{
	const struct live_row *r;

	assert_true(f->aggs.n >= 3);
	assert_int_equal(f->records, 3);
	assert_int_equal(f->drops, 7);
	r = &f->aggs.v[0].rows.v[0];
	assert_string_equal(f->aggs.v[0].name, "calls");
	assert_string_equal(f->aggs.v[0].func, "count");
	assert_int_equal(f->aggs.v[0].rows.n, 1);
	assert_int_equal(r->nkeys, 2);
	assert_string_equal(r->keys[0].text, "read");
	assert_int_equal(r->keys[1].num, -3);
	assert_int_equal(r->value, 12);
	assert_int_equal(r->events, 12);
	r = &f->aggs.v[1].rows.v[0];
	assert_int_equal(r->value, 5);
	assert_int_equal(r->events, 4); /* of an average: how many values */
	r = &f->aggs.v[2].rows.v[0];
	assert_true(f->aggs.v[2].hist);
	assert_int_equal(f->aggs.v[2].nbuckets, 4);
	assert_int_equal(f->aggs.v[2].buckets[0].bound, BOUND_BELOW);
	assert_int_equal(f->aggs.v[2].buckets[0].value, 0);
	assert_int_equal(f->aggs.v[2].buckets[1].bound, BOUND_FROM);
	assert_int_equal(f->aggs.v[2].buckets[2].value, 10);
	assert_int_equal(f->aggs.v[2].buckets[3].bound, BOUND_LAST);
	assert_int_equal(f->aggs.v[2].buckets[3].value, 20);
	assert_int_equal(r->ncounts, 2);
	assert_int_equal(r->counts[0].bucket, 1);
	assert_int_equal(r->counts[0].count, 3); /* normalized by 2 */
	assert_int_equal(r->counts[1].count, 2);
}

static void
test_look(void **state)
{
	struct live_send *s = live_send_new();
	const struct live_agg *probes;
	struct live_frame *f;
	int rc, fd;

	(void)state;
	assert_non_null(s);
	f = look(s, &rc);
	assert_int_equal(rc, 0);
	check_aggs(f);
	assert_int_equal(f->aggs.n, 4);
	probes = &f->aggs.v[3];
	assert_true(probes->probes);
	assert_int_equal(probes->rows.n, 2);
	assert_string_equal(probes->rows.v[0].keys[0].text, "p2:::");
	assert_int_equal(probes->rows.v[0].value, 2);
	assert_string_equal(probes->rows.v[1].keys[0].text, "p5:::");
	assert_int_equal(probes->rows.v[1].value, 1);
	frame_free(f);
	/* Too early for another, as a rule: that is no failure. */
	fd = memfd_create("message", 0);
	assert_int_equal(live_send_look(s, NULL, fd), 0);
	close(fd);
	live_send_free(s);
}

static void
test_send_nomem(void **state)
{
	bool failed = true;
	long n;

	(void)state;
	for (n = 1; failed; n++) {
		struct live_frame *f = NULL;
		struct live_send *s;
		int rc = ENOMEM;

		nomem_arm(n);
		s = live_send_new();
		if (s != NULL)
			f = look(s, &rc);
		failed = nomem_disarm();
		assert_true(rc == 0 || (failed && rc == ENOMEM));
		if (f != NULL)
			check_aggs(f);
		frame_free(f);
		live_send_free(s);
	}
	assert_true(n > 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_look),
		cmocka_unit_test(test_send_nomem),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
