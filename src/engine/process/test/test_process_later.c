/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_process_later.c - libraries (target_lib.c) that the target opens and
 * closes while it is traced, with this test as the consumer that is asked which
 * probes there are in them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "elf/elf.h"
#include "engine/process/process_impl.h"
#include "engine/process/test/process_world.h"

enum { ANSWER = 7 * 5 + 3 }; /* of target_lib_fn(7) */

static bool
is_lib(uint64_t ino)
{
	struct stat st;

	for (int i = 0; i < 2; i++)
		if (stat(target_libs[i], &st) == 0 && st.st_ino == ino)
			return true;
	return false;
}

/* Where target_lib_fn() is in its library. */
static uint64_t
lib_addr(void)
{
	struct err e = { 0 };
	struct elf_file *f = elf_open(target_libs[0], &e);
	const struct elf_sym *s;
	uint64_t addr;

	assert_non_null(f);
	s = elf_sym_find(f, "target_lib_fn");
	assert_non_null(s);
	addr = s->addr;
	elf_close(f);
	return addr;
}

/* Counts calls of target_work(), and of what comes later. */
static struct test_world *
counting(void)
{
	struct test_world *w = traced_new();
	struct dif_clause *c = clause(w, NULL);

	agg(w, stmt(w, c, DIF_AGG_count, NULL, NULL, NULL), 0);
	w->opts.spare_probes = 64;
	return w;
}

static unsigned new_libs; /* that serve() has seen */

/* Look whether objects have come or gone, though it is not time yet, and put
   the probe into what is new.  False: there was nothing to do. */
static bool
serve(struct test_world *w)
{
	struct engine_site v[2];
	struct engine_fresh *fresh;
	size_t n = 0, k = 0;

	w->eng->next_maps_ns = 0;
	if (!process_engine_ops.mapped(w->eng, &fresh, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		fresh[i].agreed = true;
		if (!is_lib(fresh[i].ino))
			continue;
		assert_in_range(k, 0, 1);
		new_libs++;
		v[k] = (struct engine_site){ .site = w->sites[0] };
		v[k].site.addr = v[k].site.fn = fresh[i].base + lib_addr();
		k++;
	}
	assert_int_equal(process_engine_ops.extend(w->eng, v, k, &w->e), 0);
	return true;
}

/* Have the target do something for which its linker may wait for us. */
static uint64_t
served(struct test_world *w, enum target_cmd cmd, uint32_t lib)
{
	struct pollfd p = { .fd = w->t->from, .events = POLLIN };
	uint64_t r = 0;

	target_tell(w->t, cmd, lib);
	while (poll(&p, 1, 1) == 0)
		serve(w);
	assert_int_equal(read(w->t->from, &r, sizeof(r)), sizeof(r));
	/* It has not waited where it could not know of us. */
	(void)serve(w);
	assert_false(serve(w)); /* and that was all */
	return r;
}

static void
test_comes_and_goes(void **state)
{
	struct test_world *w = counting();
	uint64_t at, before;
	unsigned places = 1;

	new_libs = 0;
	fn_probe(w, DIF_SITE_UENTRY, target_work, 1);
	start(w);
	assert_true(serve(w)); /* what it has that has no probe so far */
	assert_false(serve(w));
	at = served(w, T_OPEN, 0);
	assert_int_equal(target_do(w->t, T_CALL, 0), ANSWER);
	assert_int_equal(served(w, T_CLOSE, 0), 0);
	/* Where it was it gets what it had; elsewhere, all anew. */
	for (int i = 0; i < 3; i++) {
		before = at;
		at = served(w, T_OPEN, 0);
		places += at != before;
		assert_int_equal(target_do(w->t, T_CALL, 0), ANSWER);
		assert_int_equal(served(w, T_CLOSE, 0), 0);
	}
	assert_in_range(new_libs, 1, places);
	assert_int_not_equal(served(w, T_OPEN, 1), 0);
	target_do(w->t, T_WORK, 2);
	assert_int_equal(target_do(w->t, T_CALL, 1), ANSWER);
	stop(w);
	assert_int_equal(cells(w, 0, 0, NULL), 4 + 1 + 2);
	assert_int_equal(target_do(w->t, T_CALL, 1), ANSWER);
	traced_free(w);
}

/* A thread that waits for us has us woken. */
static void
test_wakes(void **state)
{
	struct test_world *w = counting();
	struct pollfd p = { .events = POLLIN };
	uint64_t at;

	fn_probe(w, DIF_SITE_UENTRY, target_work, 1);
	start(w);
	assert_true(serve(w));
	p.fd = process_engine_ops.wait_fd(w->eng);
	assert_int_equal(poll(&p, 1, 0), 0);
	for (int i = 0; i < 3; i++) {
		target_tell(w->t, T_OPEN, 0);
		do { /* it may still be of what was before */
			assert_int_equal(poll(&p, 1, 60000), 1);
			process_engine_ops.wait_clear(w->eng);
		} while (!serve(w));
		assert_int_equal(read(w->t->from, &at, sizeof(at)), sizeof(at));
		assert_int_equal(served(w, T_CLOSE, 0), 0);
	}
	stop(w);
	traced_free(w);
}

/* Whoever asks although nothing is new is answered, and waits no more. */
static void
test_nothing_new(void **state)
{
	struct test_world *w = counting();
	struct rtn_shared *sh;

	fn_probe(w, DIF_SITE_UENTRY, target_work, 1);
	start(w);
	sh = w->eng->sh;
	assert_true(serve(w));
	__atomic_add_fetch(&sh->maps_asked, 1, __ATOMIC_SEQ_CST);
	assert_false(serve(w));
	assert_int_equal(sh->maps_answered, sh->maps_asked);
	stop(w);
	traced_free(w);
}

static enum patch_state
state_at(struct test_world *w, uint64_t addr)
{
	struct world_obj *o = world_at(&w->eng->world, addr);

	assert_non_null(o);
	assert_int_equal(world_obj_note(o)->np, 1);
	return world_obj_note(o)->p[0].state;
}

/* Both are open where they have been before with their probes, and we have not
   looked: their linker waits for us for a while, and goes on. */
static void
open_again(struct test_world *w, uint64_t at[2])
{
	bool same = false;

	for (int i = 0; !same && i < 10; i++) {
		for (uint32_t k = 0; k < 2; k++)
			at[k] = served(w, T_OPEN, k);
		for (uint32_t k = 0; k < 2; k++)
			served(w, T_CLOSE, k);
		same = target_do(w->t, T_OPEN, 0) == at[0];
		same &= target_do(w->t, T_OPEN, 1) == at[1];
		for (uint32_t k = 0; !same && k < 2; k++)
			served(w, T_CLOSE, k);
	}
	assert_true(same);
}

/* What becomes of the patches of one library says nothing about another's: text
   that has changed in the meantime is not written to. */
static void
test_states(void **state)
{
	struct test_world *w = counting();
	uint64_t at[2];
	unsigned low;

	fn_probe(w, DIF_SITE_UENTRY, target_work, 1);
	start(w);
	open_again(w, at);
	low = at[1] < at[0];
	target_do(w->t, T_SPOIL, low);
	assert_true(serve(w));
	assert_int_equal(state_at(w, at[low]), PATCH_NONE);
	assert_int_equal(state_at(w, at[!low]), PATCH_SET);
	assert_int_equal(target_do(w->t, T_CALL, !low), ANSWER);
	stop(w);
	assert_int_equal(cells(w, 0, 0, NULL), 1);
	traced_free(w);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_comes_and_goes),
		cmocka_unit_test(test_wakes),
		cmocka_unit_test(test_nothing_new),
		cmocka_unit_test(test_states),
	};

	target_again(argc, argv);
	if (argc < 3)
		return 1;
	target_libs[0] = argv[1];
	target_libs[1] = argv[2];
	return cmocka_run_group_tests_name("process_later", tests, fds_note,
					   fds_check);
}
