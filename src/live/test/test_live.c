/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_live.c - messages, rates, orders, what is drawn, and keys; without a
 * terminal and without dtrace.
 */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/test/fds.h"
#include "base/test/nomem.h"
#include "live/live_impl.h"
#include "live/live_wire.h"

/* ---- messages ------------------------------------------------------------ */

struct sample {
	const char *key;
	int64_t num, value;
};

static void
put_begin(struct buf *b, uint64_t seconds, uint64_t records)
{
	wire_put_u64(b, seconds * 1000000000);
	wire_put_u64(b, seconds * 1000000000);
	wire_put_u64(b, records);
	wire_put_u64(b, 7);
}

static void
put_rows(struct buf *b, const char *name, const struct sample *v, size_t n)
{
	wire_put_u8(b, 'A');
	wire_put_text(b, name);
	wire_put_text(b, "count");
	wire_put_u8(b, 0);
	for (size_t i = 0; i < n; i++) {
		wire_put_u8(b, 'R');
		wire_put_u32(b, 2);
		wire_put_u8(b, 1);
		wire_put_text(b, v[i].key);
		wire_put_u8(b, 0);
		wire_put_u64(b, (uint64_t)v[i].num);
		wire_put_u64(b, (uint64_t)v[i].value);
		wire_put_u64(b, (uint64_t)v[i].value);
	}
}

/* Buckets from 0, 10, 20 ..., of which the second and the fourth count. */
static void
put_hist(struct buf *b)
{
	wire_put_u8(b, 'A');
	wire_put_text(b, "lat");
	wire_put_text(b, "lquantize");
	wire_put_u8(b, 1);
	wire_put_u32(b, 6);
	for (uint64_t i = 0; i < 6; i++) {
		wire_put_u8(b, BOUND_FROM);
		wire_put_u64(b, i * 10);
	}
	wire_put_u8(b, 'R');
	wire_put_u32(b, 0);
	wire_put_u64(b, 12);
	wire_put_u64(b, 12);
	wire_put_u32(b, 2);
	wire_put_u32(b, 1);
	wire_put_u64(b, 8);
	wire_put_u32(b, 3);
	wire_put_u64(b, 4);
}

static void
put_end(struct buf *b)
{
	wire_put_u8(b, 'P');
	wire_put_text(b, "pid1:libc:read:entry");
	wire_put_u64(b, 5);
	wire_put_u8(b, '.');
}

static const struct sample first[] = {
	{ "read", 1, 10 }, { "\033[31mred\007", 2, 30 }, { "caf\xc3\xa9", 3, 20 },
};
/* In another order, one gone, one new, one cleared. */
static const struct sample second[] = {
	{ "caf\xc3\xa9", 3, 50 }, { "write", 9, 4 }, { "read", 1, 6 },
};

static void
put_message(struct buf *b, uint64_t seconds, const struct sample *v, size_t n)
{
	put_begin(b, seconds, seconds * 100);
	put_rows(b, "calls", v, n);
	put_hist(b);
	put_end(b);
}

static struct live_frame *
sample_frame(uint64_t seconds, const struct sample *v, size_t n,
	     const struct live_frame *before)
{
	struct buf b = BUF_INIT;

	put_message(&b, seconds, v, n);
	struct live_frame *f = frame_new(b.p, b.n, before);
	buf_fini(&b);
	return f;
}

/* A row is one of the aggregation before it. */
static void
test_row_of_nothing(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	put_begin(&b, 1, 1);
	wire_put_u8(&b, 'R');
	wire_put_u8(&b, '.');
	assert_null(frame_new(b.p, b.n, NULL));
	buf_fini(&b);
}

static void
test_frame(void **state)
{
	struct live_frame *f = sample_frame(1, first, 3, NULL);

	(void)state;
	assert_non_null(f);
	assert_int_equal(f->drops, 7);
	assert_true(f->record_rate < 0);
	assert_int_equal(f->aggs.n, 3);
	assert_string_equal(f->aggs.v[0].name, "calls");
	assert_int_equal(f->aggs.v[0].rows.n, 3);
	assert_int_equal(f->aggs.v[0].nkeys, 2);
	assert_int_equal(f->aggs.v[0].rows.v[2].value, 20);
	assert_true(f->aggs.v[0].rows.v[2].rate < 0);
	assert_true(f->aggs.v[1].hist);
	assert_int_equal(f->aggs.v[1].rows.v[0].counts[1].bucket, 3);
	assert_true(f->aggs.v[2].probes);
	assert_int_equal(f->aggs.v[2].rows.v[0].value, 5);
	frame_free(f);
}

static void
test_rates(void **state)
{
	struct live_frame *a = sample_frame(1, first, 3, NULL);
	struct live_frame *b = sample_frame(3, second, 3, a);

	(void)state;
	const struct live_row *r = b->aggs.v[0].rows.v;
	assert_true(r[0].rate == 15); /* 20 to 50 in two seconds */
	assert_true(r[1].rate == 2);  /* was not there */
	assert_true(r[2].rate == 3);  /* has less than it had */
	assert_true(b->record_rate == 100);
	assert_true(b->aggs.v[1].rows.v[0].rate == 0);
	frame_free(a);
	frame_free(b);
}

/* What ends too early, or has a number that cannot be, is no frame. */
static void
test_broken(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	put_message(&b, 1, first, 3);
	for (size_t n = 0; n < b.n; n++)
		assert_null(frame_new(b.p, n, NULL));
	for (size_t i = 32; i < b.n; i++) {
		char was = b.p[i];
		b.p[i] = (char)0xff;
		frame_free(frame_new(b.p, b.n, NULL)); /* and no crash */
		b.p[i] = was;
	}
	buf_fini(&b);
}

/* ---- text ---------------------------------------------------------------- */

static void
assert_clean(const char *p, size_t n, bool utf8, const char *want)
{
	struct buf b = BUF_INIT;

	clean_text(&b, p, n, utf8);
	assert_string_equal(buf_str(&b), want);
	buf_fini(&b);
}

static void
test_clean(void **state)
{
	(void)state;
	assert_clean("a\tb\nc", 5, true, "a b c");
	assert_clean("\033[2J\x7f", 5, true, "\\x1b[2J\\x7f");
	assert_clean("nul\0x", 5, true, "nul\\x00x");
	assert_clean("caf\xc3\xa9", 5, true, "caf\xc3\xa9");
	assert_clean("caf\xc3\xa9", 5, false, "caf\\xc3\\xa9");
	assert_clean("\xff\xc3", 2, true, "\\xff\\xc3");
	/* C1, the mark that turns the direction of text, one without width. */
	assert_clean("\xc2\x9b" "31m", 5, true, "\\xc2\\x9b31m");
	assert_clean("\xe2\x80\xae", 3, true, "\\xe2\\x80\\xae");
	assert_clean("\xcc\x81", 2, true, "\\xcc\\x81");
	assert_int_equal(clean_columns("a\xe4\xb8\xad" "b"), 4);
}

static void
test_stack_key(void **state)
{
	const char *s = "\n              libc`read+0x1\n"
			"              app`main+0x2\n";
	struct live_key k = { .is_text = true, .text = s, .n = strlen(s) };
	struct buf b = BUF_INIT;

	(void)state;
	clean_key(&b, &k, true);
	assert_string_equal(buf_str(&b), "libc`read+0x1 < app`main+0x2");
	buf_fini(&b);
}

static void
test_lines(void **state)
{
	struct live_text *t = text_new();
	char line[32];

	(void)state;
	text_add(t, 0, "one\ntw", 6);
	text_add(t, 1, "error\n", 6);
	text_add(t, 0, "o\n", 2);
	assert_int_equal(t->n, 3);
	assert_string_equal(text_line(t, 2)->p, "one");
	assert_string_equal(text_line(t, 1)->p, "error");
	assert_string_equal(text_line(t, 0)->p, "two");
	text_add(t, 0, "last", 4);
	text_end(t);
	assert_string_equal(text_line(t, 0)->p, "last");
	for (int i = 0; i < TEXT_LINES + 10; i++)
		text_add(t, 0, line, (size_t)snprintf(line, sizeof(line),
						      "%d\n", i));
	assert_int_equal(t->n, TEXT_LINES);
	assert_string_equal(text_line(t, TEXT_LINES - 1)->p, "10");
	assert_null(text_line(t, TEXT_LINES));
	text_free(t);
}

/* A line that never ends is cut into several. */
static void
test_long_line(void **state)
{
	struct live_text *t = text_new();

	(void)state;
	for (int i = 0; i < TEXT_LINE * 2 + 5; i++)
		text_add(t, 0, "x", 1);
	assert_int_equal(t->n, 2);
	text_end(t);
	assert_int_equal(text_line(t, 0)->n, 5);
	text_free(t);
}

/* ---- the view ------------------------------------------------------------ */

static void
view_begin(struct live_view *v, int rows, int cols)
{
	*v = (struct live_view){ .utf8 = true, .rows = rows, .cols = cols };
	v->text = text_new();
	text_add(v->text, 0, "hello\n\033[2Jevil\n", 15);
	struct live_frame *a = sample_frame(1, first, 3, NULL);
	struct live_frame *b = sample_frame(3, second, 3, a);
	frame_free(a);
	view_frame(v, b);
	assert_true(view_order(v));
}

static void
type(struct live_view *v, const char *keys)
{
	for (; *keys != '\0'; keys++)
		keys_take(v, (unsigned char)*keys);
}

/* The row's text is this. */
static void
assert_drawn(const struct live_view *v, int row, const char *want)
{
	struct live_canvas c;
	struct buf b = BUF_INIT;

	assert_true(canvas_init(&c, v->rows, v->cols, v->utf8));
	draw_screen(v, &c);
	canvas_text(&c, row, &b);
	assert_string_equal(buf_str(&b), want);
	buf_fini(&b);
	canvas_fini(&c);
}

static void
test_picture(void **state)
{
	struct live_view v;

	(void)state;
	view_begin(&v, 14, 50);
	assert_drawn(&v, 0, "dtrace 00:00:03  drops 7  records 300, 100/s");
	assert_drawn(&v, 1, " @calls   @lat   probes");
	assert_drawn(&v, 2, "KEY       COUNT\u25be      /S");
	assert_drawn(&v, 3, "caf\u00e9   3     50       15");
	assert_drawn(&v, 4, "read   1      6        3");
	assert_drawn(&v, 5, "write  9      4        2");
	assert_drawn(&v, 11, "hello");
	assert_drawn(&v, 12, "\\x1b[2Jevil");
	type(&v, "2");
	assert_drawn(&v, 3, "(all)         12        0");
	assert_drawn(&v, 4, "            10 \u2502\u2588\u2588\u2588\u2588\u2588"
			    "\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588"
			    "\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588"
			    "\u2588\u2588 8");
	assert_drawn(&v, 5, "            20 \u2502                        0");
	type(&v, "\t");
	assert_drawn(&v, 2, "PROBE                 RECORDS\u25be      /S");
	assert_drawn(&v, 3, "pid1:libc:read:entry        5        0");
	view_fini(&v);
}

static void
test_ascii(void **state)
{
	struct live_view v;

	(void)state;
	view_begin(&v, 14, 70);
	v.utf8 = false;
	assert_true(view_order(&v));
	assert_drawn(&v, 2, "KEY             COUNTv      /S");
	assert_drawn(&v, 3, "caf\\xc3\\xa9  3     50       15  "
			    "######################################");
	view_fini(&v);
}

static void
test_sort(void **state)
{
	struct live_view v;

	(void)state;
	view_begin(&v, 14, 50);
	type(&v, "r");
	assert_drawn(&v, 3, "write  9      4        2");
	type(&v, "s"); /* by rate */
	assert_drawn(&v, 3, "caf\u00e9   3     50       15");
	type(&v, "s"); /* by the first key */
	assert_drawn(&v, 2, "KEY 1\u25b4    COUNT       /S");
	assert_drawn(&v, 5, "write  9      4        2");
	type(&v, "sr"); /* by the second, backwards */
	assert_drawn(&v, 3, "write  9      4        2");
	type(&v, "s"); /* by value again */
	assert_drawn(&v, 3, "caf\u00e9   3     50       15");
	view_fini(&v);
}

static void
test_filter(void **state)
{
	struct live_view v;

	(void)state;
	view_begin(&v, 14, 50);
	type(&v, "/wx\177");
	assert_drawn(&v, 13, "only: w_");
	type(&v, "\r");
	assert_int_equal(v.norder, 1);
	assert_drawn(&v, 1, " @calls   @lat   probes  only \"w\"");
	assert_drawn(&v, 3, "write  9      4        2");
	type(&v, "/zzz\r");
	assert_drawn(&v, 3, "(nothing has these letters)");
	type(&v, "/\025\r");
	assert_int_equal(v.norder, 3);
	type(&v, "/read\033"); /* forgotten */
	assert_int_equal(v.norder, 3);
	view_fini(&v);
}

/* What is shown stays shown when other aggregations come before it. */
static void
test_same_aggregation(void **state)
{
	struct live_view v;
	struct buf b = BUF_INIT;

	(void)state;
	view_begin(&v, 14, 50);
	type(&v, "2");
	put_begin(&b, 4, 0);
	put_rows(&b, "another", first, 1);
	put_rows(&b, "calls", first, 1);
	put_hist(&b);
	put_end(&b);
	view_frame(&v, frame_new(b.p, b.n, v.frame));
	assert_true(view_order(&v));
	assert_string_equal(view_agg(&v)->name, "lat");
	buf_fini(&b);
	view_fini(&v);
}

/* Text stays where it is while the picture is paused. */
static void
test_pause(void **state)
{
	struct live_view v;

	(void)state;
	view_begin(&v, 14, 50);
	type(&v, "p");
	text_add(v.text, 0, "new\n", 4);
	assert_drawn(&v, 12, "\\x1b[2Jevil");
	type(&v, "p");
	assert_drawn(&v, 12, "new");
	view_fini(&v);
}

static void
test_scroll(void **state)
{
	struct live_view v;

	(void)state;
	view_begin(&v, 7, 50); /* one row of the table */
	type(&v, "ooj"); /* no text: three */
	assert_drawn(&v, 3, "caf\u00e9   3     50       15");
	v.rows = 6;
	type(&v, "j");
	assert_drawn(&v, 3, "read   1      6        3");
	keys_take(&v, KEYCODE_END);
	assert_drawn(&v, 3, "read   1      6        3");
	keys_take(&v, KEYCODE_HOME); /* columns are as wide as what is seen */
	assert_drawn(&v, 3, "caf\u00e9  3     50       15");
	view_fini(&v);
}

/* All keys at terminals of all sizes: nothing is drawn beyond the edges. */
static void
test_sizes(void **state)
{
	static const int sizes[] = { 1, 2, 3, 5, 8, 20, 60, 200 };
	const int n = sizeof(sizes) / sizeof(sizes[0]);
	struct live_canvas c;

	(void)state;
	for (int i = 0; i < n * n; i++) {
		struct live_view v;
		view_begin(&v, sizes[i / n], sizes[i % n]);
		for (uint32_t k = 1; k <= KEYCODE_NONE;
		     k = k == 0xff ? KEYCODE_UP : k + 1) {
			if (k != 'w')
				keys_take(&v, k);
			assert_true(canvas_init(&c, v.rows, v.cols, k % 2));
			draw_screen(&v, &c);
			canvas_fini(&c);
		}
		view_fini(&v);
	}
}

static void
test_save(void **state)
{
	char dir[] = "/tmp/dt-live-XXXXXX", file[64], text[2000] = "";
	struct live_view v;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/picture", dir);
	view_begin(&v, 5, 30);
	type(&v, "w\025");
	type(&v, file);
	type(&v, "\r");
	assert_non_null(strstr(v.note, "saved as /tmp/"));
	FILE *fp = fopen(file, "r");
	assert_non_null(fp);
	assert_true(fread(text, 1, sizeof(text) - 1, fp) > 0);
	fclose(fp);
	assert_non_null(strstr(text, "\nread   1      6        3"));
	assert_non_null(strstr(text, "\nhello\n\\x1b[2Jevil\n"));
	save_view(&v, file); /* it is not written over */
	assert_non_null(strstr(v.note, "File exists"));
	unlink(file);
	rmdir(dir);
	view_fini(&v);
}

static void
test_short(void **state)
{
	static const struct {
		double v;
		const char *text;
	} t[] = { { 0, "0" }, { 0.25, "0.2" }, { 12, "12" },
		  { 99.95, "100" }, { 99.97, "100" }, { 99999, "99999" },
		  { 123456, "123k" }, { -5e9, "-5000M" }, { 1e18, "1000P" } };
	char out[24];

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		draw_short(out, t[i].v);
		assert_string_equal(out, t[i].text);
	}
}

/* Whatever allocation fails, there is a frame or none, and a picture or
   none. */
static void
test_nomem(void **state)
{
	struct buf b = BUF_INIT;
	struct live_view v;
	bool failed = true;

	(void)state;
	put_message(&b, 4, first, 3);
	for (long n = 1; failed; n++) {
		struct live_canvas c;
		view_begin(&v, 14, 50);
		nomem_arm(n);
		struct live_frame *f = frame_new(b.p, b.n, v.frame);
		if (f != NULL)
			view_frame(&v, f);
		text_add(v.text, 0, "more\n", 5);
		type(&v, "/a\rs2");
		if (canvas_init(&c, v.rows, v.cols, true))
			draw_screen(&v, &c);
		failed = nomem_disarm();
		canvas_fini(&c);
		assert_true(failed || f != NULL);
		view_fini(&v);
	}
	buf_fini(&b);
}

/* The same of a frame that has nothing but what probes have. */
static void
test_nomem_probes(void **state)
{
	struct buf b = BUF_INIT;
	bool failed = true;

	(void)state;
	put_begin(&b, 1, 1);
	put_end(&b);
	for (long n = 1; failed; n++) {
		nomem_arm(n);
		struct live_frame *f = frame_new(b.p, b.n, NULL);
		failed = nomem_disarm();
		assert_true(failed || f != NULL);
		frame_free(f);
	}
	buf_fini(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frame),
		cmocka_unit_test(test_row_of_nothing),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_stack_key),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_long_line),
		cmocka_unit_test(test_picture),
		cmocka_unit_test(test_ascii),
		cmocka_unit_test(test_sort),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_same_aggregation),
		cmocka_unit_test(test_pause),
		cmocka_unit_test(test_scroll),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_save),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_nomem),
		cmocka_unit_test(test_nomem_probes),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
