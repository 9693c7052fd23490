/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* test_rt_str.c - the string subroutines on the host. */
#include <arpa/inet.h>

#include "rt/test/rt_cases.h"

static void
gives_the_cases(void **state)
{
	struct fixture *f = fixture_new(CASE_STRSIZE);

	for (size_t i = 0; i < NCASES; i++) {
		fixture_reset(&f->rt);
		case_push(&f->rt, &rt_cases[i]);
		case_check(&f->rt, &rt_cases[i],
			   subr_by_name(rt_cases[i].fn)(&f->rt));
	}
	free(f);
}

static void
faults_on_bad_addresses(void **state)
{
	static const char *const fns[] = { "strlen",  "strjoin", "strchr",
					   "strrchr", "strstr",  "index",
					   "rindex",  "substr",  "basename",
					   "dirname", "toupper", "tolower" };
	struct fixture *f = fixture_new(CASE_STRSIZE);

	for (size_t i = 0; i < sizeof(fns) / sizeof(fns[0]); i++) {
		fixture_reset(&f->rt);
		push_val(&f->rt, 0x1230);
		push_str(&f->rt, "x");
		assert_int_equal(subr_by_name(fns[i])(&f->rt), 0);
		assert_int_equal(f->rt.fault, RT_FAULT_BADADDR);
		assert_int_equal(f->rt.fault_val, 0x1230);
		assert_int_equal(f->rt.scratch, 0);
	}
	free(f);
}

static void
faults_when_scratch_is_full(void **state)
{
	struct fixture *f = fixture_new(CASE_STRSIZE);
	unsigned n = 0;

	fixture_reset(&f->rt);
	push_str(&f->rt, T60);
	while (rt_subr_toupper(&f->rt))
		n++;
	assert_int_equal(n, RT_SCRATCH / 64);
	assert_int_equal(f->rt.fault, RT_FAULT_NOSCRATCH);
	/* What needs no scratch goes on. */
	f->rt.fault = RT_FAULT_NONE;
	assert_int_equal(rt_subr_strlen(&f->rt), 60);
	assert_int_equal(f->rt.fault, RT_FAULT_NONE);
	free(f);
}

static int
scmp(struct rt *rt, const char *a, const char *b)
{
	fixture_reset(rt);
	push_str(rt, a);
	push_str(rt, b);
	return (int)(int64_t)rt_scmp(rt, rt->tuple[0].val, rt->tuple[1].val);
}

static void
compares(void **state)
{
	struct fixture *f = fixture_new(CASE_STRSIZE);
	struct rt *rt = &f->rt;

	assert_int_equal(scmp(rt, "", ""), 0);
	assert_int_equal(scmp(rt, "a", ""), 1);
	assert_int_equal(scmp(rt, "", "a"), -1);
	assert_int_equal(scmp(rt, "abcdefgh", "abcdefgh"), 0);
	assert_int_equal(scmp(rt, "abcdefghi", "abcdefghj"), -1);
	assert_int_equal(scmp(rt, "abcdefgh", "abcdefghj"), -1);
	assert_int_equal(scmp(rt, "zb", "az"), 1);
	assert_int_equal(scmp(rt, "\xff", "a"), 1);
	/* beyond strsize nothing counts */
	assert_int_equal(scmp(rt, T60 "abcX", T60 "abcY"), 0);
	assert_int_equal(scmp(rt, T60 "abX", T60 "abY"), -1);
	/* what earlier strings left behind the NUL does not count */
	assert_int_equal(scmp(rt, "zzzzzzzzzzzz", "yyyyyyyyyyyyy"), 1);
	assert_int_equal(scmp(rt, "ab", "ab"), 0);
	assert_int_equal((int)rt_scmp(rt, rt->tuple[0].val, 64), 0);
	assert_int_equal(rt->fault, RT_FAULT_BADADDR);
	assert_int_equal(rt->fault_val, 64);
	free(f);
}

/* Searches against the C library, on strings of two letters. */
static void
agrees_with_libc(void **state)
{
	struct fixture *f = fixture_new(CASE_STRSIZE);
	struct rt *rt = &f->rt;
	unsigned seed = 20;
	char a[40], b[5];

	for (int i = 0; i < 20000; i++) {
		unsigned r, n, m;
		const char *p;

		r = (unsigned)rand_r(&seed);
		n = r % 40;
		m = r / 40 % 5;
		for (unsigned k = 0; k < n; k++)
			a[k] = rand_r(&seed) & 1 ? 'a' : 'b';
		for (unsigned k = 0; k < m; k++)
			b[k] = rand_r(&seed) & 1 ? 'a' : 'b';
		a[n ? n - 1 : 0] = 0;
		b[m ? m - 1 : 0] = 0;

		fixture_reset(rt);
		push_str(rt, a);
		push_str(rt, b);
		p = strstr(a, b);
		assert_int_equal((int)rt_subr_index(rt), p ? p - a : -1);

		const char *last = NULL;
		for (p = a; (p = strstr(p, b)) != NULL; p++) {
			last = p;
			if (!*p)
				break;
		}
		assert_int_equal((int)rt_subr_rindex(rt), last ? last - a : -1);
		int c = strcmp(a, b);
		assert_int_equal((int64_t)rt_scmp(rt, rt->tuple[0].val,
						  rt->tuple[1].val),
				 c < 0 ? -1 : c > 0);
	}
	free(f);
}

static const char *
strtok_next(struct rt *rt, const char *s, const char *delims)
{
	uint64_t res;

	rt->ntuple = 0;
	if (s)
		push_str(rt, s);
	else
		push_val(rt, 0);
	push_str(rt, delims);
	res = rt_subr_strtok(rt);
	assert_int_equal(rt->fault, RT_FAULT_NONE);
	return res ? (const char *)rt + (res - rt->self) : NULL;
}

/* A call without a string, which faults. */
static void
strtok_faults(struct rt *rt, const char *delims)
{
	rt->ntuple = 0;
	push_val(rt, 0);
	push_str(rt, delims);
	assert_int_equal(rt_subr_strtok(rt), 0);
	assert_int_equal(rt->fault, RT_FAULT_BADADDR);
	rt->fault = RT_FAULT_NONE;
}

static void
cuts_tokens(void **state)
{
	struct fixture *f = fixture_new(CASE_STRSIZE);
	struct rt *rt = &f->rt;

	fixture_reset(rt);
	rt->firings = 3;
	strtok_faults(rt, ",");
	assert_string_equal(strtok_next(rt, ",;one,two;;three,", ",;"), "one");
	assert_string_equal(strtok_next(rt, NULL, ",;"), "two");
	/* the delimiters may change: what was one may be part of a token */
	assert_string_equal(strtok_next(rt, NULL, "e"), ";;thr");
	assert_string_equal(strtok_next(rt, NULL, "e"), ",");
	assert_null(strtok_next(rt, NULL, "e"));
	assert_null(strtok_next(rt, NULL, ""));
	assert_string_equal(strtok_next(rt, "a b", ""), "a b");
	assert_null(strtok_next(rt, "   ", " "));
	assert_string_equal(strtok_next(rt, T60 " a b", " "), T60);
	/* the next clause goes on, the next firing has its own */
	fixture_reset(rt);
	assert_string_equal(strtok_next(rt, NULL, " "), "a");
	rt->firings++;
	strtok_faults(rt, " ");
	free(f);
}

static void
refuses_bases(void **state)
{
	struct fixture *f = fixture_new(CASE_STRSIZE);

	for (int64_t base = -2; base < 40; base++) {
		fixture_reset(&f->rt);
		push_str(&f->rt, "1");
		push_val(&f->rt, (uint64_t)base);
		rt_subr_strtoll(&f->rt);
		assert_int_equal(f->rt.fault, base < 2 || base > 36
						      ? RT_FAULT_ILLOP
						      : RT_FAULT_NONE);
		f->rt.fault = RT_FAULT_NONE;
		rt_subr_lltostr(&f->rt);
		assert_int_equal(f->rt.fault, base < 2 || base > 36
						      ? RT_FAULT_ILLOP
						      : RT_FAULT_NONE);
	}
	free(f);
}

/* A provider of every process is called after the process. */
static void
names_every_provider(void **state)
{
	struct fixture *f = fixture_new(CASE_STRSIZE);
	struct rt *rt = &f->rt;
	uint64_t res;

	fixture_reset(rt);
	push_str(rt, "pid*");
	push_str(rt, "a*");
	res = rt_every_prov(rt, rt->tuple[0].val, 4194303);
	assert_string_equal((const char *)(uintptr_t)res, "pid4194303");
	res = rt_every_prov(rt, rt->tuple[1].val, 0);
	assert_string_equal((const char *)(uintptr_t)res, "a0");
	assert_int_equal(rt->fault, RT_FAULT_NONE);
	free(f);
}

/* The C library is right about addresses. */
static void
writes_addresses(void **state)
{
	struct fixture *f = fixture_new(CASE_STRSIZE);
	struct rt *rt = &f->rt;
	char want[INET6_ADDRSTRLEN];
	unsigned seed = 6;
	uint8_t a[16];
	uint64_t res;

	for (int i = 0; i < 5000; i++) {
		for (int k = 0; k < 16; k++)
			a[k] = (uint8_t)(rand_r(&seed) >> 8);
		for (int k = 0; k < 16; k += 2)
			if (rand_r(&seed) & 0x400)
				a[k] = a[k + 1] = 0;
		if (i % 50 == 0)
			memset(a, 0, 12);
		if (i % 100 == 0)
			a[10] = a[11] = 0xff;
		for (int af = AF_INET; af <= AF_INET6;
		     af += AF_INET6 - AF_INET) {
			fixture_reset(rt);
			push_val(rt, (uint64_t)af);
			push_ref(rt, a, 16);
			res = rt_subr_inet_ntop(rt);
			assert_int_equal(rt->fault, RT_FAULT_NONE);
			inet_ntop(af, a, want, sizeof(want));
			assert_string_equal((char *)rt + (res - rt->self),
					    want);
		}
	}
	rt->tuple[0].val = 3;
	assert_int_equal(rt_subr_inet_ntop(rt), 0);
	assert_int_equal(rt->fault, RT_FAULT_ILLOP);
	free(f);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_the_cases),
		cmocka_unit_test(faults_on_bad_addresses),
		cmocka_unit_test(faults_when_scratch_is_full),
		cmocka_unit_test(compares),
		cmocka_unit_test(agrees_with_libc),
		cmocka_unit_test(cuts_tokens),
		cmocka_unit_test(refuses_bases),
		cmocka_unit_test(names_every_provider),
		cmocka_unit_test(writes_addresses),
	};

	return cmocka_run_group_tests_name("rt_str", tests, NULL, NULL);
}
