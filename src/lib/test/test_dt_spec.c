/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_dt_spec.c - the consumer's side of speculations: records and states
 * made by hand in the memory of an engine that does nothing, and what of them
 * comes out of the consumer, in which order, whatever is done to them
 * meanwhile.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/test/fds.h"
#include "lib/dt_impl.h"

#define NSLOTS	4 /* two CPUs */
#define BUFSIZE 4096u
#define NECBS	9
#define RECSIZE 32u

struct world {
	dtrace_hdl_t *dtp;
	struct dt_engine de;
	struct rt_ctl ctl;
	struct rt *rts[NSLOTS];
	uint8_t *bufs[NSLOTS];
	struct rt_view view;
	struct dif_clause clause;
	struct dt_ecb ecbs[NECBS];
	dtrace_eprobedesc_t desc[NECBS];
	dtrace_probedesc_t pdesc;
	uint64_t t0; /* long enough ago for everything to be read */
	char seen[64];
	size_t nseen;
};

static const struct rt_view *
world_view(struct engine *eng)
{
	return &((struct world *)(void *)eng)->view;
}

static const struct engine_ops ops = { .name = "none", .view = world_view };

static int
setup(void **state)
{
	struct world *w = test_calloc(1, sizeof(*w));
	int err;

	*state = w;
	w->dtp = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV | DTRACE_O_NOSYS,
			     &err);
	assert_non_null(w->dtp);
	for (unsigned i = 0; i < NSLOTS; i++) {
		w->rts[i] = test_calloc(1, sizeof(struct rt));
		w->bufs[i] = test_calloc(1, BUFSIZE);
	}
	w->view = (struct rt_view){ .nslots = NSLOTS, .maxslots = NSLOTS,
				    .ncpus = NSLOTS / RT_LEVELS, .rt = w->rts,
				    .buf = w->bufs, .bufsize = BUFSIZE,
				    .ctl = &w->ctl };
	w->de = (struct dt_engine){ .ops = &ops,
				    .eng = (struct engine *)(void *)w };
	w->clause.recsize = RECSIZE;
	for (unsigned i = 0; i < NECBS; i++) {
		w->desc[i].dtepd_epid = i + 1;
		w->ecbs[i] = (struct dt_ecb){ .clause = &w->clause,
					      .desc = &w->desc[i],
					      .pdesc = &w->pdesc };
	}
	assert_int_equal(dtrace_setopt(w->dtp, "nspec", "3"), 0);
	assert_int_equal(dtrace_setopt(w->dtp, "specsize", "64"), 0);
	w->dtp->engines = &w->de;
	w->dtp->nengines = 1;
	w->dtp->ecbs = w->ecbs;
	w->dtp->necbs = NECBS;
	w->t0 = dt_now() - 1000000000u;
	return dt_specs_init(w->dtp, &w->de);
}

static int
teardown(void **state)
{
	struct world *w = *state;

	dt_specs_free(&w->de);
	w->dtp->nengines = 0;
	w->dtp->engines = NULL;
	w->dtp->ecbs = NULL;
	w->dtp->necbs = 0;
	dtrace_close(w->dtp);
	for (unsigned i = 0; i < NSLOTS; i++) {
		test_free(w->rts[i]);
		test_free(w->bufs[i]);
	}
	test_free(w);
	return 0;
}

/* A record of clause `epid` at t0 + at. */
static void
put(struct world *w, unsigned slot, uint32_t epid, uint16_t spec, uint64_t at)
{
	struct rt *rt = w->rts[slot];
	struct rt_rec *r = (void *)(w->bufs[slot] + rt->head % BUFSIZE);

	*r = (struct rt_rec){ .epid = epid, .spec = spec, .time = w->t0 + at };
	rt->head += RECSIZE;
}

static void
end_spec(struct world *w, unsigned id, uint32_t state, uint64_t at)
{
	w->ctl.spec[id - 1] = (struct rt_spec){ .state = state,
						.time = w->t0 + at };
}

/* Clauses are told apart by a digit, their number; the library prints none. */
static int
on_probe(const dtrace_probedata_t *data, void *arg)
{
	struct world *w = arg;

	w->seen[w->nseen++] = (char)('0' + data->dtpda_edesc->dtepd_epid);
	return DTRACE_CONSUME_NEXT;
}

static void
consume(struct world *w, bool final, const char *want)
{
	memset(w->seen, 0, sizeof(w->seen));
	w->nseen = 0;
	assert_int_equal(dt_consume_all(w->dtp, final, NULL, on_probe, NULL,
					w), 0);
	assert_string_equal(w->seen, want);
}

/* ---- tests -------------------------------------------------------------- */

static void
held_until_commit(void **state)
{
	struct world *w = *state;

	put(w, 0, 1, 1, 10);
	put(w, 0, 2, 0, 20);
	put(w, 2, 3, 1, 15);
	w->ctl.spec[0].state = RT_SPEC_ACTIVE;
	consume(w, false, "2");
	consume(w, false, "");
	/* The buffers have been given back meanwhile. */
	assert_int_equal(w->rts[0]->tail, w->rts[0]->head);
	put(w, 2, 4, 0, 30);
	put(w, 0, 5, 0, 50);
	put(w, 0, 6, 1, 35);
	end_spec(w, 1, RT_SPEC_COMMITTED, 40);
	assert_true(dt_spec_ended(w->dtp));
	w->rts[0]->head -= 2 * RECSIZE; /* in order of time, rather */
	put(w, 0, 6, 1, 35);
	put(w, 0, 5, 0, 50);
	consume(w, false, "41365");
	assert_int_equal(w->ctl.spec[0].state, RT_SPEC_INACTIVE);
	assert_false(dt_spec_ended(w->dtp));
}

static void
discarded(void **state)
{
	struct world *w = *state;

	put(w, 0, 1, 2, 10);
	put(w, 0, 2, 1, 20);
	end_spec(w, 2, RT_SPEC_DISCARDED, 30);
	consume(w, false, "");
	assert_int_equal(w->ctl.spec[1].state, RT_SPEC_INACTIVE);
	/* Number 1 is not concerned, and 2 begins anew. */
	put(w, 0, 3, 2, 40);
	end_spec(w, 2, RT_SPEC_COMMITTED, 50);
	end_spec(w, 1, RT_SPEC_COMMITTED, 60);
	consume(w, false, "32");
}

/* Two ends come in order of time, not of number. */
static void
in_order(void **state)
{
	struct world *w = *state;

	put(w, 0, 1, 1, 10);
	put(w, 0, 2, 2, 11);
	put(w, 0, 3, 3, 12);
	put(w, 0, 4, 0, 25);
	end_spec(w, 1, RT_SPEC_COMMITTED, 30);
	end_spec(w, 2, RT_SPEC_COMMITTED, 20);
	end_spec(w, 3, RT_SPEC_DISCARDED, 5);
	consume(w, false, "241");
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(w->ctl.spec[i].state, RT_SPEC_INACTIVE);
}

/* What ended a moment ago may have records that are still on their way. */
static void
young_ends_wait(void **state)
{
	struct world *w = *state;

	put(w, 0, 1, 1, 10);
	end_spec(w, 1, RT_SPEC_COMMITTED, 0);
	w->ctl.spec[0].time = dt_now() + 1000000000u;
	consume(w, false, "");
	assert_int_equal(w->ctl.spec[0].state, RT_SPEC_COMMITTED);
	consume(w, true, "1");
	assert_int_equal(w->ctl.spec[0].state, RT_SPEC_INACTIVE);
}

static void
ending_is_not_ended(void **state)
{
	struct world *w = *state;

	put(w, 0, 1, 1, 10);
	end_spec(w, 1, RT_SPEC_ENDING, 0);
	assert_false(dt_spec_ended(w->dtp));
	consume(w, true, "");
	assert_int_equal(w->ctl.spec[0].state, RT_SPEC_ENDING);
}

/* specsize is two records here, for each CPU. */
static void
no_more_than_specsize(void **state)
{
	struct world *w = *state;

	for (uint64_t at = 0; at < 5; at++)
		put(w, 0, 1, 1, at);
	put(w, 1, 2, 1, 5); /* the other level of the same CPU */
	put(w, 2, 3, 1, 6);
	put(w, 0, 4, 2, 7); /* another speculation */
	end_spec(w, 1, RT_SPEC_COMMITTED, 8);
	end_spec(w, 2, RT_SPEC_COMMITTED, 9);
	consume(w, false, "1134");
	assert_int_equal(w->rts[0]->drops[RT_DROP_SPEC], 3);
	assert_int_equal(w->rts[1]->drops[RT_DROP_SPEC], 1);
	assert_int_equal(w->rts[2]->drops[RT_DROP_SPEC], 0);
	/* All room is there again. */
	put(w, 0, 5, 1, 10);
	put(w, 0, 6, 1, 11);
	end_spec(w, 1, RT_SPEC_COMMITTED, 12);
	consume(w, false, "56");
}

/* What a traced process writes there is not believed. */
static void
nonsense(void **state)
{
	struct world *w = *state;

	w->view.thread_slots = true;
	w->ctl.nspec = UINT32_MAX;
	for (unsigned i = 0; i < RT_NSPEC_MAX; i++)
		w->ctl.spec[i].state = 77;
	put(w, 0, 1, UINT16_MAX, 1);
	((struct rt_rec *)(void *)w->bufs[0])->cpu = UINT16_MAX;
	consume(w, true, "");
	assert_false(dt_spec_ended(w->dtp));
}

/* As a process might that is traced: all is written over while it is read. */
static int
on_probe_spoilt(const dtrace_probedata_t *data, void *arg)
{
	const struct rt_rec *rec = (const void *)data->dtpda_data;
	struct world *w = arg;

	for (unsigned i = 0; i < NSLOTS; i++)
		memset(w->bufs[i], 0xee, BUFSIZE);
	((struct rt_rec *)(void *)w->bufs[2])->spec = 0;
	w->seen[w->nseen++] = (char)('0' + rec->epid);
	assert_int_equal(rec->time, data->dtpda_timestamp);
	return DTRACE_CONSUME_NEXT;
}

static void
spoilt(void **state)
{
	struct world *w = *state;

	put(w, 0, 1, 0, 10);
	put(w, 0, 2, 0, 20);
	put(w, 2, 3, 0, 15);
	/* The third had been found, the second not yet: that is unknown. */
	assert_int_equal(dt_consume_all(w->dtp, true, NULL, on_probe_spoilt,
					NULL, w), -1);
	assert_string_equal(w->seen, "13");
	assert_int_equal(dtrace_errno(w->dtp), EDT_ERRABORT);
	/* It is not read again. */
	assert_int_equal(w->rts[2]->tail, w->rts[2]->head);
}

static uint64_t
halved(void *arg, uint64_t raw)
{
	(void)arg;
	return raw / 2;
}

static void
raw_time(void **state)
{
	struct world *w = *state;

	w->view.ns = halved;
	put(w, 0, 1, 1, 10);
	put(w, 0, 2, 0, 20);
	end_spec(w, 1, RT_SPEC_COMMITTED, 0);
	w->ctl.spec[0].time = 2 * (w->t0 + 15);
	w->ctl.spec[0].raw = 1;
	consume(w, false, "12");
}

static void
wanted(void **state)
{
	struct dif_stmt st = { .kind = DIF_ACT_TRACE };
	struct dif_clause c = { .stmts = &st, .nstmts = 1 };
	struct dif_clause *clauses[] = { &c };
	struct dif_enabling en = { .clauses = clauses, .nclauses = 1 };

	assert_false(dt_specs_wanted(&en));
	st.kind = DIF_ACT_DISCARD;
	assert_true(dt_specs_wanted(&en));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(held_until_commit),   TEST(discarded),
		TEST(in_order),		   TEST(young_ends_wait),
		TEST(ending_is_not_ended), TEST(no_more_than_specsize),
		TEST(nonsense),		   TEST(spoilt),
		TEST(raw_time),
		cmocka_unit_test(wanted),
	};

	return cmocka_run_group_tests_name("dt_spec", tests, fds_note, fds_check);
}
