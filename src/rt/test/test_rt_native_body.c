/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_rt_native_body.c - the bodies of the blob do what those of the host do:
 * subroutines, keys, aggregations; and variables and stacks, which the blob
 * has of its own.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

#include "rt/test/rt_cases.h"
#include "rt/test/rt_world.h"

#include "dif/dif.h"

_Static_assert(CASE_STRSIZE == WORLD_STRSIZE, "the cases are for these strings");

/* ---- subroutines --------------------------------------------------------- */

static subr_fn *
blob_subr(struct world *w, uint32_t id)
{
	return (subr_fn *)(uintptr_t)(w->code + rtn_image.subr[id]);
}

static uint32_t
subr_id(const char *name)
{
	const struct dif_subr_info *s = dif_subr_by_name(name);

	assert_non_null(s);
	return s->id;
}

static void
gives_the_cases(void **state)
{
	struct world *w = *state;
	struct rt *rt = world_enter(w);

	for (size_t i = 0; i < NCASES; i++) {
		fixture_reset(rt);
		case_push(rt, &rt_cases[i]);
		case_check(rt, &rt_cases[i],
			   blob_subr(w, subr_id(rt_cases[i].fn))(rt));
	}
}

static uint64_t
random_next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return *seed >> 33;
}

/* True if argument n is an address (of the prototype's text, or beyond it). */
static bool
wants_address(const char *proto, unsigned n)
{
	const char *p = strchr(proto, '(') + 1;

	while (n-- > 0 && (p = strchr(p, ',')) != NULL)
		p++;
	if (p == NULL)
		return false;
	size_t len = strcspn(p, ",)");
	return memchr(p, '*', len) != NULL || strncmp(p, "str", 3) == 0 ||
	       strncmp(p, " str", 4) == 0;
}

/* Random arguments for a subroutine: strings, small numbers. */
static void
random_push(struct rt *rt, const char *proto, uint64_t seed)
{
	static const char *const strings[] = {
		"", "a", "/", "a/b/../c", "//x//y/", "hello world", "0x1f",
		" -12", "aXbXc", "X", T60 "abcdef"
	};
	unsigned n = 1 + (unsigned)(random_next(&seed) % 4);

	fixture_reset(rt);
	memset(rt->locals, 0x5a, sizeof(rt->locals));
	memset(rt->scratch_mem, 0, sizeof(rt->scratch_mem));
	for (unsigned i = 0; i < 3; i++) {
		uint64_t r = random_next(&seed);

		if (!wants_address(proto, i) || r % 16 == 0)
			push_val(rt, r % 2 ? r % 40 : -(r % 40));
		else
			push_str(rt, strings[r % (sizeof(strings) /
						  sizeof(strings[0]))]);
	}
	rt->ntuple = n < 3 ? n : 3;
	if (n == 4) /* some scratch is taken */
		rt->scratch = (uint32_t)(random_next(&seed) % RT_SCRATCH) & ~7u;
}

/* A result in terms of the machine, so that two machines can be compared. */
static uint64_t
relative(const struct rt *rt, uint64_t v)
{
	return v - rt->self < sizeof(*rt) ? (v - rt->self) | 1ull << 62 : v;
}

/* User memory is read and written here without looking. */
static bool
may_touch_user(uint32_t id)
{
	return id == DIF_SUBR_copyin || id == DIF_SUBR_copyinstr ||
	       id == DIF_SUBR_copyinto || id == DIF_SUBR_copyout ||
	       id == DIF_SUBR_copyoutstr;
}

static void
agrees_with_the_host(void **state)
{
	struct fixture *f = fixture_new(CASE_STRSIZE);
	struct world *w = *state;
	struct rt *rt = world_enter(w);

	for (size_t i = 0; i < dif_nsubrs; i++) {
		const struct dif_subr_info *s = &dif_subrs[i];

		if (rtn_image.subr[s->id] == ~0u || may_touch_user(s->id) ||
		    s->id == DIF_SUBR_rand || s->id == DIF_SUBR_progenyof)
			continue;
		for (uint64_t seed = 0; seed < 400; seed++) {
			uint64_t a, b;

			random_push(&f->rt, s->proto, seed);
			random_push(rt, s->proto, seed);
			a = subr_by_name(s->name)(&f->rt);
			b = blob_subr(w, s->id)(rt);
			if (relative(&f->rt, a) != relative(rt, b) ||
			    f->rt.fault != rt->fault ||
			    relative(&f->rt, f->rt.fault_val) !=
				    relative(rt, rt->fault_val))
				fail_msg("%s, seed %llu: %llx/%u, host "
					 "%llx/%u", s->name,
					 (unsigned long long)seed,
					 (unsigned long long)b, rt->fault,
					 (unsigned long long)a, f->rt.fault);
			assert_int_equal(f->rt.scratch, rt->scratch);
			assert_memory_equal(f->rt.scratch_mem, rt->scratch_mem,
					    RT_SCRATCH);
		}
	}
	free(f);
}

static void
copies_user_memory(void **state)
{
	struct world *w = *state;
	struct rt *rt = world_enter(w);
	char *user = malloc(64);
	uint64_t at;

	strcpy(user, "from afar");
	fixture_reset(rt);
	push_val(rt, (uintptr_t)user);
	push_val(rt, 10);
	at = blob_subr(w, DIF_SUBR_copyin)(rt);
	assert_string_equal((char *)(uintptr_t)at, "from afar");
	fixture_reset(rt);
	push_val(rt, (uintptr_t)user);
	push_val(rt, 5);
	at = blob_subr(w, DIF_SUBR_copyinstr)(rt);
	assert_string_equal((char *)(uintptr_t)at, "from");
	fixture_reset(rt);
	push_str(rt, "to afar");
	push_val(rt, (uintptr_t)user);
	push_val(rt, 64);
	blob_subr(w, DIF_SUBR_copyoutstr)(rt);
	assert_string_equal(user, "to afar");
	rt->tuple[1].val = 16;
	blob_subr(w, DIF_SUBR_copyoutstr)(rt);
	assert_int_equal(rt->fault, RT_FAULT_BADADDR);
	free(user);
}

static void
knows_its_forebears(void **state)
{
	struct world *w = *state;
	struct rt *rt = world_enter(w);
	uint32_t pids[] = { w->sh->pid, 50, 40, 30 };
	uint64_t r = 0;

	memcpy(w->sh->ancestors, pids + 1, 12);
	for (int i = 0; i < 4; i++) {
		fixture_reset(rt);
		push_val(rt, pids[i]);
		assert_int_equal(blob_subr(w, DIF_SUBR_progenyof)(rt), 1);
	}
	rt->tuple[0].val = 20;
	assert_int_equal(blob_subr(w, DIF_SUBR_progenyof)(rt), 0);
	rt->tuple[0].val = 0;
	assert_int_equal(blob_subr(w, DIF_SUBR_progenyof)(rt), 0);
	for (int i = 0; i < 64; i++) {
		uint64_t v = blob_subr(w, DIF_SUBR_rand)(rt);

		assert_true(v == (uint64_t)(int64_t)(int32_t)v);
		r |= v;
	}
	assert_true((uint32_t)r > 0xff000000);
}

static void
compares_and_stores(void **state)
{
	struct world *w = *state;
	struct rt *rt = world_enter(w);
	uint64_t at;

	fixture_reset(rt);
	push_str(rt, "abc");
	assert_int_equal(CALL(w, rt_scmp, rt, rt->tuple[0].val,
			      (uintptr_t)"abd"), -1);
	at = CALL(w, rt_allocs, rt, 24);
	assert_int_equal(at, (uintptr_t)rt->scratch_mem);
	CALL(w, rt_store, rt, at + 8, 0x1122334455667788, 4);
	assert_int_equal(*(uint64_t *)(uintptr_t)(at + 8), 0x55667788);
	assert_int_equal(CALL(w, rt_copys, rt, (uintptr_t)"xyz", at, 4), at);
	assert_string_equal((char *)(uintptr_t)at, "xyz");
	CALL(w, rt_store, rt, at + 24, 0, 8);
	assert_int_equal(rt->fault, RT_FAULT_BADADDR);
}

/* ---- aggregations -------------------------------------------------------- */

/* The same cells at the same places, made by both. */
static void
keeps_cells_like_the_host(void **state)
{
	struct fixture *f = fixture_new(CASE_STRSIZE);
	struct world *w = *state;
	struct rt *rt = world_enter(w);
	uint64_t seed = 7, at, cell;

	f->conf = w->sh->conf;
	for (int i = 0; i < 3000; i++) {
		uint64_t keysize = 8 * (1 + random_next(&seed) % 80);
		uint64_t agg = 1 + random_next(&seed) % 3;

		f->ctl.agg_half = w->sh->ctl.agg_half = i % 2;
		memset(rt->key, 0, keysize);
		*(uint64_t *)(void *)rt->key = random_next(&seed) % 20;
		rt->key[keysize - 1] = (uint8_t)(random_next(&seed) % 3);
		memcpy(f->rt.key, rt->key, keysize);
		at = rt_agg_cell(&f->rt, agg, keysize, 16);
		cell = CALL(w, rtn_agg_keyed, rt, agg, keysize,
			    (uint64_t)DIF_AGG_min << 32 | 2);
		assert_int_equal(at == 0, cell == 0);
		if (at == 0)
			continue;
		assert_int_equal(cell - rt->agg, (uint32_t)at);
		if (at & RT_AGG_NEW)
			*(uint64_t *)(void *)(f->agg + (uint32_t)at) =
				INT64_MAX;
		*(uint64_t *)(uintptr_t)cell -= 1;
		*(uint64_t *)(void *)(f->agg + (uint32_t)at) -= 1;
	}
	assert_memory_equal(f->agg, (void *)(uintptr_t)rt->agg, WORLD_AGG);
	assert_int_equal(rt->drops[RT_DROP_AGG], f->rt.drops[RT_DROP_AGG]);
	assert_true(rt->drops[RT_DROP_AGG] > 0);
	free(f);
}

/* What rt_agg_add.c says, in other words; functions that are new are compared
   with it itself, as the host has it. */
static void
expect_add(uint64_t *c, uint32_t func, uint64_t arg, int64_t v, uint64_t inc)
{
	static struct rt host;
	unsigned __int128 sum;

	switch (func) {
	case DIF_AGG_count: c[0]++; break;
	case DIF_AGG_sum: c[0] += (uint64_t)v; break;
	case DIF_AGG_min: if (v < (int64_t)c[0]) c[0] = (uint64_t)v; break;
	case DIF_AGG_max: if (v > (int64_t)c[0]) c[0] = (uint64_t)v; break;
	case DIF_AGG_stddev:
		sum = ((unsigned __int128)c[3] << 64 | c[2]) +
		      (unsigned __int128)((__int128)v * v);
		c[2] = (uint64_t)sum;
		c[3] = (uint64_t)(sum >> 64);
		/* fall through */
	case DIF_AGG_avg: c[0]++; c[1] += (uint64_t)v; break;
	case DIF_AGG_quantize: c[dif_quantize_bucket(v)] += inc; break;
	case DIF_AGG_lquantize: c[dif_lquantize_bucket(arg, v)] += inc; break;
	case DIF_AGG_llquantize:
		c[dif_llquantize_bucket(arg, v)] += inc;
		break;
	default:
		rt_agg_add(&host, (uintptr_t)c, (uint64_t)v,
			   &(struct rt_aggop){ func, arg, inc, 0 });
	}
}

static void
adds(void **state)
{
	const uint64_t lq = 5ull << 48 | 20ull << 32 | (uint32_t)-30;
	const uint64_t llq = 10ull << 48 | 0ull << 32 | 6ull << 16 | 20;
	struct world *w = *state;
	struct rt *rt = world_enter(w);
	uint32_t off = 64;
	uint64_t seed = 3;

	for (size_t i = 0; i < dif_naggfuncs; i++, off += 2048) {
		uint32_t func = dif_aggfuncs[i].code;
		uint64_t arg = func == DIF_AGG_lquantize ? lq : llq;
		uint64_t expect[512] = { 0 };
		struct rt_aggop op = { .func = func,
					.arg = arg,
					.inc = 3,
					.zero = dif_llquantize_zero(llq) };
		uint64_t *c;

		for (int k = 0; k < 500; k++) {
			int64_t v = (int64_t)((random_next(&seed) << 33 ^
					       random_next(&seed)) *
					      0x9e3779b97f4a7c15ull) >>
				    random_next(&seed) % 64;

			c = (void *)CALL(w, rtn_agg_fixed, rt, off, func);
			assert_ptr_equal(c, rt->agg + off + 8);
			assert_int_equal(c[-1], 1);
			if (k == 0)
				expect[0] = c[0];
			CALL(w, rt_agg_add, rt, (uintptr_t)c, (uint64_t)v,
			     &op);
			expect_add(expect, func, arg, v, 3);
		}
		if (func == DIF_AGG_min)
			assert_true((int64_t)expect[0] < 0);
		assert_memory_equal(c, expect, dif_agg_words(func, arg) * 8);
	}
	w->sh->ctl.agg_half = 1;
	assert_int_equal(CALL(w, rtn_agg_fixed, rt, 64, DIF_AGG_max),
			 rt->agg + WORLD_AGG / 2 + 72);
	assert_int_equal(*(int64_t *)(uintptr_t)(rt->agg + WORLD_AGG / 2 + 72),
			 INT64_MIN);
	rt->agg = 0;
	assert_int_equal(CALL(w, rtn_agg_fixed, rt, 64, DIF_AGG_max), 0);
	assert_int_equal(CALL(w, rtn_agg_keyed, rt, 1, 8, 1), 0);
	assert_int_equal(rt->drops[RT_DROP_AGG], 2);
}

/* ---- variables ----------------------------------------------------------- */

enum { V_NUM, V_STR, V_DATA, V_ARRAY };

/* The same four in each scope; a string's mark is in front of it. */
static void
make_vars(struct world *w)
{
	static const struct rtn_var vars[4] = {
		[V_NUM] = { 0, 8, 0, RTN_VAR_SCALAR },
		[V_STR] = { 16, CASE_STRSIZE, 0,
			    RTN_VAR_SCALAR | RTN_VAR_REF | RTN_VAR_STR },
		[V_DATA] = { 24 + CASE_STRSIZE, 16, 12,
			     RTN_VAR_SCALAR | RTN_VAR_REF },
		[V_ARRAY] = { 0, CASE_STRSIZE, 0,
			      RTN_VAR_ARRAY | RTN_VAR_REF | RTN_VAR_STR },
	};

	for (int s = 0; s < 3; s++)
		memcpy(w->mem->vars[s], vars, sizeof(vars));
}

static uint64_t
var_load(struct world *w, struct rt *rt, uint64_t scope, uint64_t n)
{
	return CALL(w, rtn_var_load, rt, scope, RTN_VAR_MIN + n);
}

static void
var_store(struct world *w, struct rt *rt, uint64_t scope, uint64_t n,
	  const void *val)
{
	CALL(w, rtn_var_store, rt, scope, RTN_VAR_MIN + n, (uintptr_t)val);
}

static void
keeps_variables(void **state)
{
	struct world *w = *state;
	struct rt *rt = world_enter(w);

	assert_int_equal(RTN_VAR_MIN, DIF_VAR_USER_MIN);
	make_vars(w);
	for (uint64_t s = 0; s < 3; s++) {
		uint8_t *p;

		assert_int_equal(var_load(w, rt, s, V_NUM), 0);
		var_store(w, rt, s, V_NUM, (void *)~0ull);
		assert_int_equal(var_load(w, rt, s, V_NUM), ~0ull);
		p = (void *)var_load(w, rt, s, V_STR);
		if (s == DIF_SCOPE_THREAD)
			assert_null(p);
		else
			assert_string_equal((char *)p, "");
		var_store(w, rt, s, V_STR, "a string");
		p = (void *)var_load(w, rt, s, V_STR);
		assert_string_equal((char *)p, "a string");
		var_store(w, rt, s, V_STR, p);
		var_store(w, rt, s, V_STR, "b");
		assert_memory_equal(p, "b\0\0\0\0\0\0\0", 9);
		var_store(w, rt, s, V_STR, NULL);
		assert_int_equal(var_load(w, rt, s, V_STR), 0);
		var_store(w, rt, s, V_DATA, "0123456789abcdef");
		p = (void *)var_load(w, rt, s, V_DATA);
		assert_memory_equal(p, "0123456789ab\0\0\0\0", 16);
		assert_int_equal(rt->fault, RT_FAULT_NONE);
		var_store(w, rt, s, V_DATA, (void *)16);
		assert_int_equal(rt->fault, RT_FAULT_BADADDR);
		rt->fault = RT_FAULT_NONE;
	}
	assert_int_equal(*(uint64_t *)(void *)w->mem->globals, ~0ull);
	assert_int_equal(*(uint64_t *)(void *)w->mem->self[0], ~0ull);
	assert_int_equal(*(uint64_t *)(void *)rt->locals, ~0ull);
	var_load(w, rt, 0, V_ARRAY);
	assert_int_equal(rt->fault, RT_FAULT_ILLOP);
	rt->fault = RT_FAULT_NONE;
	var_load(w, rt, 1, 4);
	assert_int_equal(rt->fault, RT_FAULT_ILLOP);
}

static void
keeps_arrays(void **state)
{
	struct world *w = *state;
	struct rt *rt = world_enter(w);
	const uint64_t id = RTN_VAR_MIN + V_ARRAY;
	uint64_t at;

	make_vars(w);
	for (uint64_t s = 0; s < 2; s++) {
		fixture_reset(rt);
		push_str(rt, "key");
		assert_int_equal(CALL(w, rtn_assoc_load, rt, s, id), 0);
		CALL(w, rtn_assoc_store, rt, s, id, (uintptr_t)"value");
		at = CALL(w, rtn_assoc_load, rt, s, id);
		assert_string_equal((char *)(uintptr_t)at, "value");
		rt->tid++; /* another thread's */
		at = CALL(w, rtn_assoc_load, rt, s, id);
		assert_int_equal(at == 0, s == DIF_SCOPE_THREAD);
		rt->tid--;
		CALL(w, rtn_assoc_store, rt, s, id, 0);
		assert_int_equal(CALL(w, rtn_assoc_load, rt, s, id), 0);
	}
	assert_int_equal(rt->fault, RT_FAULT_NONE);
	assert_int_equal(rt->drops[RT_DROP_DYNVAR], 0);
}

static uint64_t
builtin(struct world *w, struct rt *rt, uint64_t id)
{
	return CALL(w, rtn_var_load, rt, DIF_SCOPE_GLOBAL, id);
}

static void
gives_the_builtins(void **state)
{
	struct world *w = *state;
	struct rt *rt = world_enter(w);
	uint64_t a, b, at;

	assert_int_equal(builtin(w, rt, DIF_VAR_ppid), getppid());
	assert_int_equal(builtin(w, rt, DIF_VAR_uid), getuid());
	assert_int_equal(builtin(w, rt, DIF_VAR_gid), getgid());
	pthread_setname_np(pthread_self(), "a-name");
	at = builtin(w, rt, DIF_VAR_execname);
	assert_string_equal((char *)(uintptr_t)at, "a-name");
	assert_int_equal(rt->scratch, 16);
	a = builtin(w, rt, DIF_VAR_vtimestamp);
	b = builtin(w, rt, DIF_VAR_vtimestamp);
	assert_true(a != 0 && a <= b);
	memcpy(w->mem->strtab, "\0prov\0mod\0func\0name", 20);
	memcpy(w->mem->names[1], (uint32_t[]){ 1, 6, 10, 15 }, 16);
	rt->probe = 1;
	assert_string_equal((char *)builtin(w, rt, DIF_VAR_probeprov), "prov");
	assert_string_equal((char *)builtin(w, rt, DIF_VAR_probemod), "mod");
	assert_string_equal((char *)builtin(w, rt, DIF_VAR_probefunc), "func");
	assert_string_equal((char *)builtin(w, rt, DIF_VAR_probename), "name");
	assert_int_equal(rt->fault, RT_FAULT_NONE);
	rt->scratch = RT_SCRATCH - 8;
	builtin(w, rt, DIF_VAR_execname);
	assert_int_equal(rt->fault, RT_FAULT_NOSCRATCH);
}

/* ---- signals ------------------------------------------------------------- */

static struct world *storm;
static volatile uint64_t storm_fired;

/* A firing with a key, a cell and an element; whether there was a level. */
static bool
fire(struct world *w, uint64_t key)
{
	static const struct rt_aggop count = { .func = DIF_AGG_count };
	struct rt *rt = world_enter(w);
	uint64_t cell;

	if (rt == NULL)
		return false;
	fixture_reset(rt);
	push_val(rt, key);
	CALL(w, rtn_assoc_store, rt, DIF_SCOPE_GLOBAL, RTN_VAR_MIN + V_ARRAY,
	     key % 3 ? (uintptr_t)w->sh->comm : 0);
	CALL(w, rt_tuple_key, rt, 0);
	cell = CALL(w, rtn_agg_keyed, rt, 1, 8, (uint64_t)DIF_AGG_count << 32 |
		    1);
	CALL(w, rt_agg_add, rt, cell, 0, &count);
	CALL(w, rtn_leave, rt);
	return true;
}

static void
fire_from_handler(int sig)
{
	storm_fired += fire(storm, storm_fired % 8);
}

/* The counts in the cells of one slot. */
static uint64_t
cells_sum(const struct rt_conf *c, const uint8_t *agg)
{
	uint32_t used = ((const struct rt_agg_half *)(const void *)agg)->used;
	uint64_t sum = 0;

	for (uint32_t off = c->agg_entries_off; off < used; off += 16 + 8 + 8)
		sum += *(const uint64_t *)(const void *)(agg + off + 24);
	return sum;
}

/* Interrupted anywhere by handlers that fire, no firing is lost or doubled. */
static void
survives_signals(void **state)
{
	const struct itimerval often = { { 0, 50 }, { 0, 50 } }, never = { 0 };
	struct world *w = *state;
	uint64_t fired = 0;

	make_vars(w);
	storm = w;
	storm_fired = 0;
	signal(SIGALRM, fire_from_handler);
	setitimer(ITIMER_REAL, &often, NULL);
	for (uint64_t i = 0; i < 300000; i++)
		fired += fire(w, i % 8);
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_IGN);
	assert_int_equal(fired, 300000);
	assert_true(storm_fired > 0);
	assert_int_equal(cells_sum(&w->sh->conf, w->mem->agg[0]) +
				 cells_sum(&w->sh->conf, w->mem->agg[1]) +
				 cells_sum(&w->sh->conf, w->mem->agg[2]) +
				 cells_sum(&w->sh->conf, w->mem->agg[3]),
			 fired + storm_fired);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(w->mem->rt[i].busy, 0);
		assert_int_equal(w->mem->rt[i].drops[RT_DROP_NESTED], 0);
	}
}

static void *
come_and_go(void *arg)
{
	struct world *w = arg;
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGUSR1);
	for (int i = 0; i < 2000; i++) {
		pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
		for (int k = 0; k < 3; k++)
			fire(w, 1);
		pthread_sigmask(SIG_BLOCK, &alarm, NULL);
		CALL(w, rtn_thread_exit, w->sh, world_fsbase());
	}
	return NULL;
}

/* A handler that fires while its thread takes a slot. */
static void
gives_all_slots_back(void **state)
{
	struct world *w = *state;
	pthread_t t[2];
	sigset_t usr1;

	make_vars(w);
	storm = w;
	signal(SIGUSR1, fire_from_handler);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &usr1, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, come_and_go, w);
	for (int i = 0; i < 3000; i++) {
		pthread_kill(t[i % 2], SIGUSR1);
		if (i % 16 == 0)
			sched_yield();
	}
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	for (unsigned i = 0; i < WORLD_THREADS; i++)
		assert_int_equal(w->sh->owner[i], 0);
	assert_int_equal(w->sh->no_slot, 0);
	pthread_sigmask(SIG_UNBLOCK, &usr1, NULL);
	signal(SIGUSR1, SIG_DFL);
}

/* ---- stacks -------------------------------------------------------------- */

/* A stack of frames of 64 bytes, the first at its start. */
static uint64_t *
make_stack(uint64_t n)
{
	uint64_t *s = calloc(n * 8 + 2, 8);

	assert_non_null(s);
	for (uint64_t i = 0; i < n; i++) {
		s[i * 8] = (uintptr_t)&s[i * 8 + 8];
		s[i * 8 + 1] = 0x1000 + i;
	}
	s[n * 8 - 8] = 0;
	return s;
}

static void
walks_the_stack(void **state)
{
	struct world *w = *state;
	struct rt *rt = world_enter(w);
	uint64_t *s = make_stack(300), out[402];

	memset(out, 0xff, sizeof(out));
	rt->ureg[DIF_R_RIP] = 0x42;
	rt->ureg[DIF_R_RSP] = rt->ureg[DIF_R_RBP] = (uintptr_t)s;
	CALL(w, rtn_put_ustack, rt, (uintptr_t)out, 400);
	assert_int_equal(out[0], getpid());
	assert_int_equal(out[1], 0x42);
	for (uint64_t i = 0; i < 300; i++)
		assert_int_equal(out[2 + i], 0x1000 + i);
	for (uint64_t i = 302; i < 401; i++)
		assert_int_equal(out[i], 0);
	assert_int_equal(out[401], ~0ull);
	assert_int_equal(builtin(w, rt, DIF_VAR_ustackdepth), 127);
	assert_int_equal(builtin(w, rt, DIF_VAR_ucaller), 0x1000);
	/* at an entry */
	rt->ureg[RTN_UREG_RET] = 1;
	rt->ureg[DIF_R_RSP] = (uintptr_t)&s[1];
	rt->ureg[DIF_R_RBP] = (uintptr_t)&s[8];
	CALL(w, rtn_put_ustack, rt, (uintptr_t)out, 3);
	assert_int_equal(out[2], 0x1000);
	assert_int_equal(out[3], 0x1001);
	assert_int_equal(builtin(w, rt, DIF_VAR_ucaller), 0x1000);
	free(s);
}

static void
stops_where_the_stack_makes_no_sense(void **state)
{
	struct world *w = *state;
	struct rt *rt = world_enter(w);
	uint64_t *s = make_stack(10), out[12];
	static const uint64_t bad[] = { 0, 8, ~0ull, 1ull << 47 };

	rt->ureg[DIF_R_RSP] = rt->ureg[DIF_R_RBP] = (uintptr_t)s;
	for (int i = 0; i < 7; i++) {
		s[16] = i < 4 ? bad[i]
		      : i == 4 ? (uintptr_t)&s[8] /* back */
		      : i == 5 ? (uintptr_t)&s[16] /* itself */
			       : (uintptr_t)&s[24] + 4;
		CALL(w, rtn_put_ustack, rt, (uintptr_t)out, 11);
		assert_int_equal(out[4], 0x1002);
		assert_int_equal(out[5], 0);
		assert_int_equal(builtin(w, rt, DIF_VAR_ustackdepth), 4);
	}
	rt->ureg[DIF_R_RSP] = 0;
	rt->ureg[RTN_UREG_RET] = 1;
	assert_int_equal(builtin(w, rt, DIF_VAR_ustackdepth), 1);
	assert_int_equal(builtin(w, rt, DIF_VAR_ucaller), 0);
	assert_int_equal(rt->fault, RT_FAULT_NONE);
	free(s);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		WORLD_TEST(gives_the_cases),
		WORLD_TEST(agrees_with_the_host),
		WORLD_TEST(copies_user_memory),
		WORLD_TEST(knows_its_forebears),
		WORLD_TEST(compares_and_stores),
		WORLD_TEST(keeps_cells_like_the_host),
		WORLD_TEST(adds),
		WORLD_TEST(keeps_variables),
		WORLD_TEST(keeps_arrays),
		WORLD_TEST(gives_the_builtins),
		WORLD_TEST(survives_signals),
		WORLD_TEST(gives_all_slots_back),
		WORLD_TEST(walks_the_stack),
		WORLD_TEST(stops_where_the_stack_makes_no_sense),
	};

	return cmocka_run_group_tests_name("rt_native_body", tests, NULL,
					   NULL);
}
