/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_bpf_kfunc.c - functions of the kernel, by each way that a kernel may
 * have to them, and without any.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "base/test/capable.h"
#include "engine/bpf/bpf_impl.h"
#include "engine/bpf/test/bpf_world.h"

/* What this kernel seems to have: bits of its ways to a function. */
enum { FENTRY = 1, MULTI = 2, PERF = 4 };
static unsigned ways = FENTRY | MULTI | PERF;

#define WAY(name, bit)                                                       \
	bool __real_bpf_have_##name(struct engine *, const struct dif_site *, \
				    uint32_t *);                             \
	bool __wrap_bpf_have_##name(struct engine *, const struct dif_site *, \
				    uint32_t *);                             \
	bool __wrap_bpf_have_##name(struct engine *eng,                       \
				    const struct dif_site *s, uint32_t *id)  \
	{                                                                    \
		return (ways & (bit)) != 0 &&                                \
		       __real_bpf_have_##name(eng, s, id);                   \
	}
WAY(fentry, FENTRY)
WAY(kprobe_multi, MULTI)
WAY(kprobe, PERF)

/* The function gets the registers of the system call: its first argument, and
   the low half of that. */
#define GETSID_FN "__x64_sys_getsid"
static const struct dif_path arg0 = { 1, { { 8 * DIF_R_SYSARG0, 8 } } },
			     arg0_w = { 1, { { 8 * DIF_R_SYSARG0, 4,
					       .is_signed = true } } };

/* Two sites at the entry, of which one has a condition, and one at the return:
   each way gives the same arguments, and says which it was. */
static void
kfunc_by(unsigned by, const char *want)
{
	static const struct dif_recipes args = {
		.arg = { { DIF_RCP_KARG, 0, &arg0 }, { DIF_RCP_KARG, 9 },
			 { DIF_RCP_CONST, 5 } },
	}, ret = { .arg = { { DIF_RCP_KRET } } };
	static const struct dif_whens never = {
		1, { { { DIF_RCP_KARG, 0, &arg0_w }, 0, DIF_CMP_GT, 0 } }
	};
	struct test_world *w = world_new(&bpf_engine_ops);
	struct dif_clause *c = clause(w, my_pid());
	const struct rt_rec *r;
	struct buf out = { 0 };
	struct dif_site *s;

	stmt(w, c, DIF_ACT_TRACE, "ldgs arg0, %r1\nret %r1",
	     "ldgs arg2, %r1\nret %r1", NULL);
	s = probe(w, DIF_SITE_KENTRY, 0, 1, &args);
	s->tp = GETSID_FN;
	s->when = &never;
	probe(w, DIF_SITE_KENTRY, 0, 1, &args)->tp = GETSID_FN;
	probe(w, DIF_SITE_KRETURN, 0, 1, &ret)->tp = GETSID_FN;
	ways = by;
	start(w);
	for (int i = 0; i < 3; i++)
		syscall(SYS_getsid, -0x12L);
	bpf_engine_ops.report(w->eng, &out);
	stop(w);
	ways = FENTRY | MULTI | PERF;
	assert_string_equal(buf_str(&out), want);
	assert_int_equal(records(w, 1, &r), 0);
	assert_int_equal(records(w, 2, &r), 3);
	assert_true(((const int64_t *)(r + 1))[0] == -0x12);
	assert_int_equal(((const int64_t *)(r + 1))[1], 5);
	assert_int_equal(records(w, 3, &r), 3);
	assert_int_equal(((const int64_t *)(r + 1))[0], -ESRCH);
	buf_fini(&out);
	world_free(w);
}

/* Kernels with kprobes may be without it (Debian's 6.1). */
static bool
kfunc_has_multi(void)
{
	struct engine *eng = calloc(1, sizeof(*eng));
	uint32_t id;
	bool has = __real_bpf_have_kprobe_multi(eng, NULL, &id);

	bpf_kfunc_free(eng);
	free(eng);
	return has;
}

static void
test_kfunc(void **state)
{
	if (!CAPABLE("kprobe btf"))
		return;
	kfunc_by(FENTRY | MULTI | PERF,
		 "functions of the kernel: 1 by fexit, 1 by fentry\n");
	if (kfunc_has_multi())
		kfunc_by(MULTI | PERF,
			 "functions of the kernel: 1 by kretprobe_multi, "
			 "1 by kprobe_multi\n");
	kfunc_by(PERF, "functions of the kernel: 1 by kretprobe, 1 by kprobe\n");
}

/* What it returns and the registers that it was given, by fexit alone. */
static void
test_kfunc_exit(void **state)
{
	static const struct dif_recipes args = {
		.arg = { { DIF_RCP_KARG, 0, &arg0 }, { DIF_RCP_KRET } },
	};
	struct test_world *w = world_new(&bpf_engine_ops);
	struct dif_clause *c = clause(w, my_pid());
	const struct rt_rec *r;
	bool kprobe = CAPABLE("kprobe btf");

	c->pdesc = (struct dif_pdesc){ 0, "prov", "", "func", "name" };
	stmt(w, c, DIF_ACT_TRACE, "ldgs arg0, %r1\nret %r1",
	     "ldgs arg1, %r1\nret %r1", NULL);
	probe(w, DIF_SITE_KEXIT, 0, 1, &args)->tp = GETSID_FN;
	if (kprobe) {
		start(w);
		syscall(SYS_getsid, -0x12L);
		stop(w);
		assert_int_equal(records(w, 1, &r), 1);
		assert_true(((const int64_t *)(r + 1))[0] == -0x12);
		assert_int_equal(((const int64_t *)(r + 1))[1], -ESRCH);
		world_free(w);
		return;
	}
	ways = MULTI | PERF;
	assert_null(try_load(w));
	ways = FENTRY | MULTI | PERF;
	assert_non_null(strstr(w->e.msg, "prov::func:name: arguments at the "
					 "return of a function take fexit"));
	arena_free(w->a), free(w);
}

/* ---- many at once -------------------------------------------------------- */

static bool fake_links; /* a kernel that has kprobe_multi, and takes what it
			   may */
static struct {
	uint32_t n;
	bool by_name;
	char first[32];
} asked[64];
static unsigned nasked;

int __real_sys_link_kprobes(int prog, const struct sys_kprobes *k);
int __wrap_sys_link_kprobes(int prog, const struct sys_kprobes *k);

/* Functions have the addresses 0x1000, 0x1010, ...; but 0x6660 is no place. */
int
__wrap_sys_link_kprobes(int prog, const struct sys_kprobes *k)
{
	if (!fake_links)
		return __real_sys_link_kprobes(prog, k);
	if (k->n == 0) {
		errno = EINVAL;
		return -1;
	}
	if (nasked < sizeof(asked) / sizeof(*asked)) {
		asked[nasked].n = k->n;
		asked[nasked].by_name = k->syms != NULL;
		snprintf(asked[nasked++].first, sizeof(asked->first), "%s",
			 k->syms != NULL ? k->syms[0] : "");
	}
	for (uint32_t i = 0; k->syms == NULL && i < k->n; i++)
		if (k->addrs[i] == 0x6660) {
			errno = EINVAL;
			return -1;
		}
	return dup(0);
}

/* More than a few: first those that the kernel does not run meanwhile, by
   address where it is known; an address that the kernel does not take is no
   reason to do without the function. */
static void
test_kfunc_parts(void **state)
{
	enum { N = 1024 };
	static char names[N][16];
	struct test_world *w = world_new(&bpf_engine_ops);
	struct dif_clause *c = clause(w, my_pid());
	unsigned of_name = 0;

	stmt(w, c, DIF_ACT_TRACE, one, NULL, NULL);
	for (unsigned i = 0; i < N; i++) {
		struct dif_site *s = probe(w, DIF_SITE_KENTRY, 0, 1, NULL);
		snprintf(names[i], sizeof(names[i]),
			 i % 512 == 0 ? "_raw_spin_x%u" : "f%u", i);
		s->tp = names[i];
		s->fn = i == 700 ? 0 : 0x1000 + 16 * i;
		if (i == 1000)
			s->fn = 0x6660;
	}
	fake_links = true;
	nasked = 0;
	start(w);
	stop(w);
	fake_links = false;
	/* One did not go by its address; how often it was tried counts not. */
	assert_true(nasked > 4);
	assert_int_equal(asked[0].n, N - 3);
	assert_false(asked[0].by_name);
	for (unsigned i = 0; i < nasked; i++)
		of_name += asked[i].by_name;
	assert_int_equal(of_name, 2); /* that one, and the one without */
	assert_int_equal(asked[nasked - 1].n, 2);
	assert_false(asked[nasked - 1].by_name);
	assert_string_equal(asked[nasked - 2].first, "f700");
	world_free(w);
}

/* So many that the kernel would be kept busy for too long at once. */
static void
test_kfunc_stretches(void **state)
{
	enum { N = 12345, MOST = 12000 };
	static char names[N][16];
	struct test_world *w = world_new(&bpf_engine_ops);
	struct dif_clause *c = clause(w, my_pid());

	stmt(w, c, DIF_ACT_TRACE, one, NULL, NULL);
	for (unsigned i = 0; i < N; i++) {
		struct dif_site *s = probe(w, DIF_SITE_KENTRY, 0, 1, NULL);

		snprintf(names[i], sizeof(names[i]), "f%u", i);
		s->tp = names[i];
		s->fn = 0x10000 + 16 * i;
	}
	fake_links = true;
	nasked = 0;
	start(w);
	stop(w);
	fake_links = false;
	assert_int_equal(nasked, 2);
	assert_int_equal(asked[0].n, MOST);
	assert_int_equal(asked[1].n, N - MOST);
	world_free(w);
}

/* A kernel without any way, and a function that is none. */
static void
test_kfunc_refused(void **state)
{
	static const struct {
		unsigned ways;
		const char *msg;
	} v[] = {
		{ 0, "prov::func:name: functions of this kernel cannot be "
		     "traced: it has no kprobes" },
		{ MULTI, "prov::func:name: the kernel refuses its function "
			 "no_such_fn: there is none" },
		{ PERF, "prov::func:name: the kernel refuses its function "
			"no_such_fn: there is none" },
	};
	bool kprobe = CAPABLE("kprobe"), multi = kfunc_has_multi();

	for (size_t i = 0; i < (kprobe ? 3 : 1); i++) {
		if (v[i].ways == MULTI && !multi)
			continue;
		struct test_world *w = world_new(&bpf_engine_ops);
		struct dif_clause *c = clause(w, NULL);

		c->pdesc = (struct dif_pdesc){ 0, "prov", "", "func", "name" };
		stmt(w, c, DIF_ACT_TRACE, one, NULL, NULL);
		probe(w, DIF_SITE_KENTRY, 0, 1, NULL)->tp = "no_such_fn";
		ways = v[i].ways;
		if (try_load(w) != NULL)
			assert_int_equal(
				bpf_engine_ops.attach(w->eng, &w->e), -1);
		ways = FENTRY | MULTI | PERF;
		assert_true(err_is_set(&w->e));
		if (strncmp(w->e.msg, v[i].msg, strlen(v[i].msg)) != 0)
			fail_msg("%s", w->e.msg);
		if (w->eng != NULL)
			world_free(w);
		else
			arena_free(w->a), free(w);
	}
}

int
main(void)
{
	int status = capable("bpf");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kfunc),
		cmocka_unit_test(test_kfunc_exit),
		cmocka_unit_test(test_kfunc_parts),
		cmocka_unit_test(test_kfunc_stretches),
		cmocka_unit_test(test_kfunc_refused),
	};

	if (status != 0)
		return capable_tap(status);
	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
