/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The providers that need nothing of the system to list their probes: dtrace,
 * profile, syscall, proc.  No kernel types are attached, so a type that only
 * BTF knows would fail here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <asm/unistd.h>

#include <cmocka.h>

#include "base/test/fds.h"
#include "base/test/capable.h"
#include "base/test/nomem.h"
#include "proc/proc.h"
#include "prov/prov.h"
#include "prov/tp_list.h"
#include "prov/tp_note.h"
#include "type/test/made_kernel.h"

static struct prov_env env;
static struct probe_set *ps;
static struct err e;

static int
setup(void **state)
{
	err_clear(&e);
	env.types = type_space_base(&e);
	ps = env.types != NULL ? probe_set_new(&env, &e) : NULL;
	if (ps == NULL ||
	    prov_register_all(ps, &e) != 0)
		return -1;
	return 0;
}

static int
teardown(void **state)
{
	probe_set_free(ps);
	type_space_free(env.types);
	return 0;
}

static int
keep_last(void *arg, struct probe *p)
{
	*(struct probe **)arg = p;
	return 0;
}

/* Number of matches; *last, if wanted, is the last one. */
static int
match(const char *text, struct probe **last)
{
	struct arena *a = arena_new();
	struct probe *p = NULL;
	struct dif_pdesc pd;
	int n;

	assert_int_equal(probe_parse_desc(a, text, 3, &pd, &e), 0);
	n = probe_match(ps, &pd, keep_last, &p, &e);
	arena_free(a);
	if (last != NULL)
		*last = p;
	return n;
}

static struct dif_site
site(const struct probe *p)
{
	struct site_list l = { 0 };
	struct dif_site s;

	assert_int_equal(p->owner->ops->sites(p->owner, p, &l, &e), 0);
	assert_int_equal(l.n, 1);
	s = l.v[0];
	free(l.v);
	assert_non_null(s.args);
	return s;
}

static void
test_dtrace(void **state)
{
	struct probe *p;

	assert_int_equal(match("BEGIN", &p), 1);
	assert_string_equal(p->mod, "");
	assert_int_equal(site(p).kind, DIF_SITE_BEGIN);
	assert_int_equal(match("dtrace:::ERROR", &p), 1);
	assert_int_equal(site(p).kind, DIF_SITE_ERROR);
	assert_int_equal(match("dtrace:::", NULL), 3);
	assert_int_equal(match("dtrace:x::", NULL), 0);
	assert_int_equal(match("begin", NULL), 0);
}

static void
period(const char *name, enum dif_site_kind kind, uint64_t ns)
{
	struct probe *p;
	struct dif_site s;

	if (match(name, &p) != 1)
		fail_msg("%s", name);
	s = site(p);
	assert_int_equal(s.kind, kind);
	assert_int_equal(s.num, ns);
	assert_int_equal(s.args->arg[0].kind, DIF_RCP_KPC);
	assert_int_equal(s.args->arg[1].kind, DIF_RCP_UPC);
	assert_string_equal(p->name, name);
}

static void
test_profile(void **state)
{
	static const char *const none[] = {
		"tick-5001",
		"profile-0",
		"tick-199us",
		"tick-1x",
		"tick-",
		"profile:::tick",
		"profile--1",
		"tick-199999ns",
		"tick-1 s",
		"tick-1Hz",
		"tick-99999999999999999999",
		"tick-9999999999d",
	};

	assert_int_equal(match("profile:::", NULL), 13);
	assert_int_equal(match("profile:::tick-*", NULL), 6);
	period("profile-97", DIF_SITE_PROFILE, 1000000000 / 97);
	period("tick-1sec", DIF_SITE_TICK, 1000000000);
	period("tick-1s", DIF_SITE_TICK, 1000000000);
	period("profile-101hz", DIF_SITE_PROFILE, 1000000000 / 101);
	period("tick-5000", DIF_SITE_TICK, 200000);
	period("tick-200us", DIF_SITE_TICK, 200000);
	period("tick-200000ns", DIF_SITE_TICK, 200000);
	period("tick-300000nsec", DIF_SITE_TICK, 300000);
	period("tick-500usec", DIF_SITE_TICK, 500000);
	period("profile-10ms", DIF_SITE_PROFILE, 10000000);
	period("tick-10msec", DIF_SITE_TICK, 10000000);
	period("tick-2m", DIF_SITE_TICK, 120000000000);
	period("tick-2min", DIF_SITE_TICK, 120000000000);
	period("tick-1h", DIF_SITE_TICK, 3600000000000);
	period("tick-1hour", DIF_SITE_TICK, 3600000000000);
	period("tick-1d", DIF_SITE_TICK, 86400000000000);
	period("tick-1day", DIF_SITE_TICK, 86400000000000);
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		if (match(none[i], NULL) != 0)
			fail_msg("%s", none[i]);
	assert_int_equal(match("syscall:::tick-7", NULL), 0);
	assert_int_equal(match("tick-7", NULL), 1);
	assert_int_equal(match("profile:vmlinux::tick-8", NULL), 0);
}

static void
test_cpc(void **state)
{
	static const struct {
		const char *probe, *why;
	} none[] = {
		{ "cpc:::cycles", "a name is an event" },
		{ "cpc:::cycles-all", "a name is an event" },
		{ "cpc:::cycles-all-", "a name is an event" },
		{ "cpc:::cycles-all-0", "a name is an event" },
		{ "cpc:::cycles-some-10000", "user, kernel or all" },
		{ "cpc:::cycles-all-0x41-10000", "r and a number, as perf" },
		{ "cpc:::-all-10000", "user, kernel or all" },
		{ "cpc:::all-10000", "user, kernel or all" },
		{ "cpc:::no_such-all-10000", "no such event" },
		{ "cpc:::r-all-10000", "no such event" },
		{ "cpc:::r12x-all-10000", "no such event" },
		{ "cpc:::r00112233445566778-all-10000", "no such event" },
		{ "cpc:::cycles-all-1x", "a name is an event" },
		{ "cpc:::cycles-all-99999999999999999999", "a name is an" },
		{ "cpc:::r1-all-9999", "10000 or more" },
	};
	struct probe *p;
	struct dif_site s;

	assert_int_equal(match("cpc:::branch-misses-kernel-20000", &p), 1);
	s = site(p);
	assert_int_equal(s.kind, DIF_SITE_COUNTER);
	assert_int_equal(s.num, 20000);
	assert_int_equal(s.counter.type, 0);   /* PERF_TYPE_HARDWARE */
	assert_int_equal(s.counter.config, 5); /* branch misses */
	assert_true(s.counter.kernel && !s.counter.user);
	assert_int_equal(match("page_faults-user-1", &p), 1);
	s = site(p);
	assert_true(s.counter.user && !s.counter.kernel);
	assert_int_equal(match("cpc:::r01C2-kernel-20000", &p), 1);
	s = site(p);
	assert_int_equal(s.counter.type, 4); /* PERF_TYPE_RAW */
	assert_int_equal(s.counter.config, 0x1c2);
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		err_clear(&e);
		if (match(none[i].probe, NULL) != -1 ||
		    strstr(e.msg, none[i].why) == NULL)
			fail_msg("%s: %s", none[i].probe, e.msg);
	}
	err_clear(&e);
	assert_int_equal(match("cpc:vmlinux::cycles-all-10000", NULL), 0);
	assert_int_equal(match("cycles-all-", NULL), 0);
	assert_int_equal(match("cpc:::cycles-all-9999", NULL), -1);
	assert_non_null(strstr(e.msg, "10000 or more"));
	err_clear(&e);
	/* Some are listed; counters of the kernel itself are everywhere. */
	assert_true(match("cpc:::*_faults-all-*", NULL) >= 3);
}

static void
types_are(const char *probe, const char *want)
{
	struct probe_args a = { 0 };
	struct buf b = BUF_INIT;
	struct probe *p;

	assert_int_equal(match(probe, &p), 1);
	assert_int_equal(p->owner->ops->args(p->owner, p, &a, &e), 0);
	assert_true(a.typed);
	for (uint32_t i = 0; i < a.nargs; i++) {
		buf_puts(&b, i != 0 ? ", " : "");
		type_name(a.type[i], &b);
		if (type_is_ptr(a.type[i]))
			assert_true(type_resolve(a.type[i])->user);
	}
	assert_string_equal(buf_str(&b), want);
	buf_fini(&b);
}

static void
test_syscall(void **state)
{
	struct probe *p;
	struct dif_site s;

	assert_int_equal(match("syscall::read:", NULL), 2);
	assert_int_equal(match("syscall::read:entry", &p), 1);
	assert_string_equal(p->mod, "vmlinux");
	s = site(p);
	assert_int_equal(s.kind, DIF_SITE_SYSENTRY);
	assert_int_equal(s.num, __NR_read);
	assert_int_equal(s.args->arg[3].kind, DIF_RCP_UREG);
	assert_int_equal(s.args->arg[3].val, DIF_R_SYSARG3);
	assert_int_equal(s.args->arg[6].kind, DIF_RCP_NONE);
	assert_int_equal(match("syscall:vmlinux:openat:return", &p), 1);
	s = site(p);
	assert_int_equal(s.kind, DIF_SITE_SYSRETURN);
	assert_int_equal(s.num, __NR_openat);
	assert_int_equal(s.args->arg[1].kind, DIF_RCP_SYSRET);
	assert_int_equal(match("syscall::no_such_call:", NULL), 0);
	assert_int_equal(match("syscall:ext4:read:", NULL), 0);
	types_are("syscall::read:entry", "unsigned int, char *, size_t");
	types_are("syscall::read:return", "ssize_t, ssize_t");
	types_are("syscall::fstat:entry", "unsigned int, struct stat *");
	types_are("syscall::getpid:entry", "");
	types_are("syscall::execve:entry",
		  "const char *, const char *const *, const char *const *");
}

/* Without memory for their types there are no arguments, and that is said. */
static void
test_syscall_nomem(void **state)
{
	static const char *const names[] = { "syscall::mmap:entry",
					     "syscall::mmap:return" };
	static const unsigned nargs[] = { 6, 2 };
	struct probe_args a;
	struct probe *p;
	bool failed;
	int rc;

	for (size_t i = 0; i < 2; i++) {
		long n = 0;
		do {
			a = (struct probe_args){ 0 };
			teardown(state);
			assert_int_equal(setup(state), 0);
			assert_int_equal(match(names[i], &p), 1);
			nomem_arm(++n);
			rc = p->owner->ops->args(p->owner, p, &a, &e);
			failed = nomem_disarm();
			if (rc != 0 && (!failed || e.tag != &ERR_NOMEM))
				fail_msg("allocation %ld: %s", n, e.msg);
			assert_true(rc != 0 || a.nargs == nargs[i]);
		} while (failed);
		assert_int_equal(rc, 0);
		assert_true(n > 1);
	}
}

/* Every row can be typed, has no more than six arguments and its own number. */
static int
check_row(void *arg, struct probe *p)
{
	struct probe_args a = { 0 };
	unsigned *seen = arg;
	struct dif_site s;

	if (p->owner->ops->args(p->owner, p, &a, &e) != 0)
		fail_msg("%s: %s", p->func, e.msg);
	assert_in_range(a.nargs, 0, 6);
	s = site(p);
	assert_in_range(s.num, 0, 511);
	assert_int_equal(seen[s.num] & (1u << s.kind), 0);
	seen[s.num] |= 1u << s.kind;
	return 0;
}

static void
test_table(void **state)
{
	struct dif_pdesc pd = { 0, "syscall", "", "", "" };
	unsigned seen[512] = { 0 };

	assert_true(probe_match(ps, &pd, check_row, seen, &e) > 700);
	assert_null(type_space_kernel_error(env.types));
}

/* Sites of proc:::name, or the error. */
static int
proc_sites(const char *name, struct site_list *l)
{
	struct probe *p;
	char text[64];

	snprintf(text, sizeof(text), "proc:vmlinux::%s", name);
	assert_int_equal(match(text, &p), 1);
	err_clear(&e);
	*l = (struct site_list){ 0 };
	return p->owner->ops->sites(p->owner, p, l, &e);
}

static void
test_proc(void **state)
{
	struct probe_args pa = { 0 };
	struct site_list l;
	struct probe *p;

	assert_int_equal(match("proc:::", NULL), 14);
	assert_int_equal(match("proc:::signal-*", &p), 4);
	assert_string_equal(p->name, "signal-clear");
	assert_int_equal(match("proc:genunix::", NULL), 0);
	assert_int_equal(match("proc:::lwp-create", &p), 1);
	assert_int_equal(p->owner->ops->args(p->owner, p, &pa, &e), 0);
	assert_true(pa.typed);
	assert_int_equal(pa.nargs, 2);
	assert_string_equal(pa.xlate[0], "lwpsinfo_t *");
	assert_string_equal(pa.xlate[1], "psinfo_t *");

	/* Nothing of the kernel's types: system calls alone. */
	assert_int_equal(proc_sites("exec", &l), 0);
	assert_int_equal(l.n, 2);
	assert_null(l.v[0].when);
	assert_int_equal(l.v[1].num, __NR_execveat);
	assert_int_equal(l.v[1].args->arg[0].val, DIF_R_SYSARG1);
	free(l.v);
	assert_int_equal(proc_sites("exit", &l), -1);
	assert_non_null(strstr(e.msg, "proc:vmlinux:sched_process_exit:exit: "
				      "this kernel has no tracepoint "
				      "sched_process_exit"));
	assert_int_equal(proc_sites("start", &l), -1);
	assert_non_null(strstr(e.msg, "exit_signal"));
	free(l.v);
}

/* Of functions of locks those that the kernel has; if nobody knows, all. */
static void
test_lockstat(void **state)
{
	struct btf *b = btf__new_empty();
	struct probe *p;

	type_space_use_kernel(env.types, "/none");
	assert_true(match("lockstat:::adaptive-acquire", NULL) > 1);
	teardown(NULL);
	setup(NULL);
	assert_non_null(mkdtemp(made_dir));
	btf__add_func(b, "mutex_trylock", BTF_FUNC_GLOBAL,
		      btf__add_func_proto(b, 0));
	made_save(b, "vmlinux");
	btf__free(b);
	type_space_use_kernel(env.types, made_dir);
	assert_int_equal(match("lockstat:::adaptive-acquire", &p), 1);
	assert_string_equal(p->func, "mutex_trylock");
	assert_int_equal(match("lockstat:::adaptive-release", NULL), 0);
	assert_int_equal(match("lockstat:::adaptive-spin", NULL), 1);
	made_teardown(NULL);
}

static int
sites_or_name(void *arg, struct probe *p)
{
	struct probe_args pa = { 0 };
	struct site_list l = { 0 };
	char name[256];

	snprintf(name, sizeof(name), "%s:%s:%s:%s: ", p->prov, p->mod, p->func,
		 p->name);
	err_clear(&e);
	if (p->owner->ops->args(p->owner, p, &pa, &e) == 0 &&
	    p->owner->ops->sites(p->owner, p, &l, &e) == 0) {
		assert_true(l.n > 0);
		for (size_t i = 0; i < l.n; i++)
			assert_true(dif_site_ok(&l.v[i]));
	} else {
		assert_non_null(err_is_set(&e) ? e.msg : NULL);
		assert_memory_equal(e.msg, name, strlen(name));
	}
	free(l.v);
	return 0;
}

/* Every provider that is a table: each probe has types and sites, or says by
   its name what this kernel has not. */
static void
test_tables(void **state)
{
	static const char *const names[] = {
#define PROV(name)
#define TABLE(name) #name,
#include "prov/prov.def"
#undef PROV
	};
	struct dif_pdesc pd = { 0, "", "", "", "" };

	/* Names with a suffix are looked for among the kernel's symbols. */
	env.procs = proc_set_new(&e);
	assert_non_null(env.procs);
	if (CAPABLE("btf"))
		type_space_use_kernel(env.types, NULL);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		pd.prov = names[i];
		assert_true(probe_match(ps, &pd, sites_or_name, NULL, &e) > 0);
	}
	proc_set_free(env.procs);
	env.procs = NULL;
}

/* With the types of the running kernel, where it has them. */
static void
test_proc_kernel(void **state)
{
	struct site_list l;

	if (!CAPABLE("btf"))
		return;
	type_space_use_kernel(env.types, NULL);
	assert_non_null(
		type_lookup(env.types, "vmlinux", "struct task_struct"));
	assert_int_equal(proc_sites("exit", &l), 0);
	/* Of one kind of kernel by reason, and of a tree. */
	assert_int_equal(l.n, 6);
	for (size_t i = 3; i < l.n; i++) {
		assert_int_equal(l.v[i].engines, DIF_ENG_P);
		assert_int_equal(l.v[i].args->arg[0].val, i - 2);
	}
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(l.v[i].engines, DIF_ENG_IK);
		assert_string_equal(l.v[i].tp, "sched_process_exit");
		assert_int_equal(l.v[i].args->arg[0].kind, DIF_RCP_CONST);
		assert_int_equal(l.v[i].args->arg[0].val, i + 1);
		assert_int_equal(l.v[i].when->n, i == 0 ? 2 : 3);
	}
	free(l.v);
	assert_int_equal(proc_sites("signal-handle", &l), 0);
	assert_int_equal(l.n, 1);
	assert_int_equal(l.v[0].args->arg[2].path->n, 1);
	assert_int_equal(l.v[0].args->arg[2].path->step[0].size, 8);
	free(l.v);
}

/* What comes in is seen at functions where there can be probes, else at the
   tracepoint; a packet at both would be counted twice. */
static void
test_substitutes(void **state)
{
	static const char *const names[] = { "tcp", "udp" };
	enum dif_site_kind want = kfunc_can_be_probed() ? DIF_SITE_KENTRY
							: DIF_SITE_TP;

	if (!CAPABLE("btf"))
		return;
	type_space_use_kernel(env.types, NULL);
	for (size_t i = 0; i < 2; i++) {
		struct site_list l = { 0 };
		struct probe *p;
		char text[32];

		snprintf(text, sizeof(text), "%s:vmlinux::receive", names[i]);
		assert_int_equal(match(text, &p), 1);
		assert_int_equal(p->owner->ops->sites(p->owner, p, &l, &e), 0);
		assert_int_equal(l.n, want == DIF_SITE_TP ? 3 : 2);
		for (size_t k = 0; k < l.n; k++)
			assert_int_equal(l.v[k].kind, want);
		free(l.v);
	}
}

/* Tracepoints are the kernel's: without its types there are none. */
static void
test_sdt(void **state)
{
	assert_int_equal(match("sdt:::", NULL), -1);
	assert_non_null(strstr(e.msg, "sdt: "));
	err_clear(&e);
	assert_int_equal(match(":::sched_switch", NULL), 0);
	assert_int_equal(match("BEGIN", NULL), 1);
}

static void
test_sdt_kernel(void **state)
{
	struct probe_args pa = { 0 };
	struct site_list l = { 0 };
	struct probe *p, *q;
	uint32_t id;

	if (!CAPABLE("btf"))
		return;
	type_space_use_kernel(env.types, NULL);
	assert_int_equal(match("sdt:::signal_generate", &p), 1);
	id = p->id;
	assert_int_equal(match("sdt:::signal_generate", &q), 1);
	assert_ptr_equal(p, q);
	assert_int_equal(match("rawtp:::signal_generate", &q), 1);
	assert_true(q->id > id);
	assert_int_equal(match("sdt::f:signal_generate", NULL), 0);
	assert_int_equal(match("sdt:::no_such_tracepoint", NULL), 0);

	assert_int_equal(p->owner->ops->args(p->owner, p, &pa, &e), 0);
	assert_true(pa.typed);
	assert_int_equal(pa.nargs, 5);
	assert_int_equal(p->owner->ops->sites(p->owner, p, &l, &e), 0);
	assert_int_equal(l.n, 1);
	assert_int_equal(l.v[0].kind, DIF_SITE_TP);
	assert_string_equal(l.v[0].tp, "signal_generate");
	/* int sig, struct kernel_siginfo *info */
	assert_int_equal(l.v[0].args->arg[0].size, 4);
	assert_true(l.v[0].args->arg[0].is_signed);
	assert_int_equal(l.v[0].args->arg[1].size, 0);
	assert_int_equal(l.v[0].args->arg[5].kind, DIF_RCP_NONE);
	free(l.v);
}

/* ---- notes of modules ---------------------------------------------------- */

/* A note as the compiler lays it out; its length. */
static size_t
note_put(char *v, const char *owner, uint32_t type, const char *desc,
	 uint32_t descsz)
{
	uint32_t head[3] = { (uint32_t)strlen(owner) + 1, descsz, type };
	size_t n = sizeof(head);

	memcpy(v, head, n);
	strcpy(v + n, owner);
	n += (head[0] + 3) & ~3u;
	memcpy(v + n, desc, descsz);
	return n + ((descsz + 3) & ~3u);
}

static void
test_notes(void **state)
{
	static const char desc[] = "read__done\0m.f.read__done.1\0struct file *"
				   "\0int";
	static const char open[] = { 'a', 0, 'b' };
	struct tp_notes t = { 0 };
	char v[512] = "";
	size_t n = 0, whole;

	n += note_put(v + n, "GNU", 1, "x", 2);
	n += note_put(v + n, "dtrace", 2, desc, sizeof(desc));
	n += note_put(v + n, "dtrace", 1, open, sizeof(open)); /* no 0 */
	n += note_put(v + n, "dtrace", 1, desc, sizeof(desc));
	assert_int_equal(tp_notes_parse(ps, "m", v, n, &t), 0);
	assert_int_equal(t.v.n, 1);
	assert_string_equal(t.v.v[0].module, "m");
	assert_string_equal(t.v.v[0].probe, "read-done");
	assert_string_equal(t.v.v[0].tp, "m.f.read__done.1");
	assert_int_equal(t.v.v[0].nargs, 2);
	assert_string_equal(t.v.v[0].type[0], "struct file *");
	assert_string_equal(t.v.v[0].type[1], "int");
	/* Cut anywhere: the whole one or none; nothing past the end is read. */
	whole = n - (-sizeof(desc) & 3);
	for (size_t cut = 0; cut <= n; cut++) {
		char *copy = malloc(cut + 1);

		assert_non_null(copy);
		memcpy(copy, v, cut);
		t.v.n = 0;
		assert_int_equal(tp_notes_parse(ps, "m", copy, cut, &t), 0);
		assert_int_equal(t.v.n, cut >= whole ? 1 : 0);
		free(copy);
	}
	/* Lengths that nobody can have meant. */
	memset(v, 0xff, 12);
	t.v.n = 0;
	assert_int_equal(tp_notes_parse(ps, "m", v, n, &t), 0);
	assert_int_equal(t.v.n, 0);
	vec_fini(&t.v);
}

/* What lists tracepoints closes the folders that it has looked at. */
static void
test_tp_list(void **state)
{
	struct tp_list *l = tp_list_new(ps, env.types);
	bool fresh;
	size_t n;

	assert_non_null(l);
	type_space_use_kernel(env.types, NULL);
	if (tp_list_all(l, &n, &fresh, &e) == NULL)
		skip(); /* no types of the kernel */
	assert_true(n > 0 && fresh);
	assert_non_null(tp_list_all(l, &n, &fresh, &e));
	assert_false(fresh);
	tp_list_free(l);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_dtrace, setup, teardown),
		cmocka_unit_test_setup_teardown(test_profile, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cpc, setup, teardown),
		cmocka_unit_test_setup_teardown(test_syscall, setup, teardown),
		cmocka_unit_test_setup_teardown(test_syscall_nomem, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_table, setup, teardown),
		cmocka_unit_test_setup_teardown(test_proc, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lockstat, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sdt, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sdt_kernel, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_notes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_tables, setup, teardown),
		cmocka_unit_test_setup_teardown(test_substitutes, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_proc_kernel, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_tp_list, setup, teardown),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
