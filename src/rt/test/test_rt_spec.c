/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_rt_spec.c - the life of speculations: which state allows what, what a
 * failure counts as, and ids that are no speculation's.
 */
#include "rt/test/rt_fixture.h"

#include <pthread.h>

static struct fixture *
start(uint32_t nspec)
{
	struct fixture *f = fixture_new(256);

	f->ctl.nspec = nspec;
	return f;
}

static void
life(void **state)
{
	struct fixture *f = start(2);
	uint64_t before = rt_clock(&f->rt);

	assert_int_equal(rt_subr_speculation(&f->rt), 1);
	assert_int_equal(rt_subr_speculation(&f->rt), 2);
	assert_int_equal(rt_spec_active(&f->rt, 1), 1);
	assert_int_equal(rt_spec_end(&f->rt, 1, RT_SPEC_COMMITTED), 1);
	assert_int_equal(rt_spec_end(&f->rt, 2, RT_SPEC_DISCARDED), 2);
	assert_int_equal(f->ctl.spec[0].state, RT_SPEC_COMMITTED);
	assert_int_equal(f->ctl.spec[1].state, RT_SPEC_DISCARDED);
	assert_true(f->ctl.spec[0].time >= before);
	assert_true(f->ctl.spec[1].time >= f->ctl.spec[0].time);
	assert_int_equal(f->ctl.spec[0].raw, 0);
	assert_int_equal(rt_spec_active(&f->rt, 1), 0);
	/* What has ended cannot end again. */
	assert_int_equal(rt_spec_end(&f->rt, 1, RT_SPEC_DISCARDED), 0);
	assert_int_equal(f->ctl.spec[0].state, RT_SPEC_COMMITTED);
	f->ctl.spec[0].state = RT_SPEC_INACTIVE;
	assert_int_equal(rt_subr_speculation(&f->rt), 1);
	free(f);
}

static void
failures(void **state)
{
	struct fixture *f = start(2);

	assert_int_equal(rt_subr_speculation(&f->rt), 1);
	assert_int_equal(rt_subr_speculation(&f->rt), 2);
	assert_int_equal(rt_subr_speculation(&f->rt), 0);
	assert_int_equal(f->rt.drops[RT_DROP_SPECUNAVAIL], 1);
	rt_spec_end(&f->rt, 2, RT_SPEC_DISCARDED);
	assert_int_equal(rt_subr_speculation(&f->rt), 0);
	assert_int_equal(f->rt.drops[RT_DROP_SPECBUSY], 1);
	assert_int_equal(f->rt.drops[RT_DROP_SPECUNAVAIL], 1);
	f->ctl.nspec = 0;
	assert_int_equal(rt_subr_speculation(&f->rt), 0);
	assert_int_equal(f->rt.drops[RT_DROP_SPECUNAVAIL], 2);
	free(f);
}

static void
strange_ids(void **state)
{
	static const uint64_t ids[] = { 0, 3, RT_NSPEC_MAX, RT_NSPEC_MAX + 1,
					(uint64_t)-1, 1ull << 32 | 1,
					INT64_MAX, 1ull << 63 };
	struct fixture *f = start(2);

	for (unsigned i = 0; i < RT_NSPEC_MAX; i++)
		f->ctl.spec[i].state = RT_SPEC_ACTIVE;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		assert_int_equal(rt_spec_active(&f->rt, ids[i]), 0);
		assert_int_equal(rt_spec_end(&f->rt, ids[i],
					     RT_SPEC_COMMITTED), 0);
	}
	f->ctl.nspec = UINT32_MAX; /* more than there can be */
	assert_int_equal(rt_spec_active(&f->rt, RT_NSPEC_MAX), RT_NSPEC_MAX);
	assert_int_equal(rt_spec_active(&f->rt, RT_NSPEC_MAX + 1), 0);
	assert_int_equal(rt_subr_speculation(&f->rt), 0);
	for (unsigned i = 0; i < RT_NSPEC_MAX; i++)
		assert_int_equal(f->ctl.spec[i].state, RT_SPEC_ACTIVE);
	f->host.ctl = NULL;
	assert_int_equal(rt_subr_speculation(&f->rt), 0);
	assert_int_equal(rt_spec_active(&f->rt, 1), 0);
	free(f);
}

/* ---- many machines ------------------------------------------------------ */

#define MACHINES 4
#define ROUNDS   20000

struct machine {
	struct fixture *f;
	struct rt rt;
	int *owners;
	uint64_t got;
	const char *wrong;
};

/* Nobody else may have what is mine. */
static void *
contend(void *arg)
{
	struct machine *m = arg;

	m->rt = m->f->rt;
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t id = rt_subr_speculation(&m->rt);
		if (id == 0)
			continue;
		m->got++;
		if (__atomic_fetch_add(&m->owners[id - 1], 1,
				       __ATOMIC_SEQ_CST) != 0 ||
		    rt_spec_active(&m->rt, id) != id)
			m->wrong = "two have one";
		__atomic_fetch_sub(&m->owners[id - 1], 1, __ATOMIC_SEQ_CST);
		if (rt_spec_end(&m->rt, id, RT_SPEC_COMMITTED) != id)
			m->wrong = "it was not active";
		__atomic_store_n(&m->f->ctl.spec[id - 1].state,
				 RT_SPEC_INACTIVE, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

static void
contention(void **state)
{
	struct machine *m = calloc(MACHINES, sizeof(*m));
	struct fixture *f = start(3);
	pthread_t threads[MACHINES];
	int owners[3] = { 0 };
	uint64_t got = 0;

	for (int i = 0; i < MACHINES; i++) {
		m[i].f = f;
		m[i].owners = owners;
		assert_int_equal(pthread_create(&threads[i], NULL, contend,
						&m[i]), 0);
	}
	for (int i = 0; i < MACHINES; i++) {
		pthread_join(threads[i], NULL);
		assert_null(m[i].wrong);
		got += m[i].got;
	}
	/* A thread that comes late to a processor may never find one free. */
	assert_true(got > 0);
	free(m);
	free(f);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(life),
		cmocka_unit_test(failures),
		cmocka_unit_test(strange_ids),
		cmocka_unit_test(contention),
	};

	return cmocka_run_group_tests_name("rt_spec", tests, NULL, NULL);
}
