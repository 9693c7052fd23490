/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_prov_pid.c - descriptions of the pid provider, on this very process.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <unistd.h>

#include "base/test/fds.h"
#include "base/test/nomem.h"
#include "probe/test/probe_exact.h"
#include "proc/proc.h"
#include "prov/prov.h"

#define EACH 200 /* allocations that fail one by one */

/* push %rbp; mov %rsp,%rbp; test %edi,%edi; je 1f; pop %rbp; ret; 1: ... */
__asm__(".text\n"
	".globl pid_test_fn\n.type pid_test_fn,@function\n"
	".globl pid_test_other_name\n.type pid_test_other_name,@function\n"
	"pid_test_fn:\npid_test_other_name:\n"
	"	push	%rbp\n	mov	%rsp,%rbp\n	test	%edi,%edi\n"
	"	je	1f\n	pop	%rbp\n	ret\n1:	pop	%rbp\n	ret\n"
	".size pid_test_fn,.-pid_test_fn\n"
	".size pid_test_other_name,.-pid_test_other_name\n");
extern char pid_test_fn[];

/* lock incl (%rdi); ret */
__asm__(".text\n"
	".globl pid_test_lock\n.type pid_test_lock,@function\n"
	"pid_test_lock:\n	lock incl (%rdi)\n	ret\n"
	".size pid_test_lock,.-pid_test_lock\n");
extern char pid_test_lock[];

static struct proc_set *procs;
static struct probe_set *probes;
static struct err err;
static char found[4096];

static int
setup(void **state)
{
	static struct prov_env env;

	err_clear(&err);
	procs = proc_set_new(&err);
	env.procs = procs;
	probes = probe_set_new(&env, &err);
	if (probe_set_add_prov(probes, &prov_uinstr_ops, prov_uinstr_init,
			       &err) != 0)
		return -1;
	return probe_set_add_prov(probes, &prov_pid_ops, prov_pid_init, &err);
}

static int
teardown(void **state)
{
	probe_set_free(probes);
	proc_set_free(procs);
	return 0;
}

static int
take(void *arg, struct probe *p)
{
	size_t n = strlen(found);

	snprintf(found + n, sizeof(found) - n, "%s%s:%s:%s", n ? " " : "",
		 p->mod, p->func, p->name);
	return 0;
}

static int
take_probe(void *arg, struct probe *p)
{
	*(struct probe **)arg = p;
	return 0;
}

/* The matches of pid<self>:mod:func:name, as text. */
static int
match(const char *mod, const char *func, const char *name)
{
	char prov[32];
	struct dif_pdesc pd = {
		.prov = prov, .mod = mod, .func = func, .name = name
	};

	snprintf(prov, sizeof(prov), "pid%d", (int)getpid());
	found[0] = '\0';
	err_clear(&err);
	return probe_match(probes, &pd, take, NULL, &err);
}

static void
matches(const char *mod, const char *func, const char *name, const char *want)
{
	if (match(mod, func, name) < 0)
		fail_msg("%s", err.msg);
	assert_string_equal(found, want);
}

static void
fails(const char *mod, const char *func, const char *name,
      const struct err_tag *tag)
{
	assert_int_equal(match(mod, func, name), -1);
	assert_ptr_equal(err.tag, tag);
}

static void
test_names(void **state)
{
	matches("test_prov_pid", "pid_test_fn", "entry",
		"test_prov_pid:pid_test_fn:entry");
	matches("a.out", "pid_test_fn", "return",
		"test_prov_pid:pid_test_fn:return");
	matches("", "pid_test_fn", "1", "test_prov_pid:pid_test_fn:1");
	matches("", "pid_test_fn", "00A", "test_prov_pid:pid_test_fn:a");
	matches("", "pid_test_fn", "0xa", "test_prov_pid:pid_test_fn:a");
	/* The other name finds the same probe, also by a pattern. */
	matches("", "pid_test_other_name", "entry",
		"test_prov_pid:pid_test_fn:entry");
	matches("", "pid_test_o*", "entry", "test_prov_pid:pid_test_fn:entry");
	matches("test_p*", "pid_test_f*", "e*ry",
		"test_prov_pid:pid_test_fn:entry");
}

static void
test_all_offsets(void **state)
{
	matches("a.out", "pid_test_fn", "",
		"test_prov_pid:pid_test_fn:entry test_prov_pid:pid_test_fn:0 "
		"test_prov_pid:pid_test_fn:1 test_prov_pid:pid_test_fn:4 "
		"test_prov_pid:pid_test_fn:6 test_prov_pid:pid_test_fn:8 "
		"test_prov_pid:pid_test_fn:9 test_prov_pid:pid_test_fn:a "
		"test_prov_pid:pid_test_fn:b "
		"test_prov_pid:pid_test_fn:return");
}

/* The matches of prov:a.out:func:name, as text; "": an error, in err. */
static const char *
match_kind(const char *prov, const char *func, const char *name)
{
	char full[32];
	struct dif_pdesc pd = {
		.prov = full, .mod = "a.out", .func = func, .name = name
	};

	snprintf(full, sizeof(full), "%s%d", prov, (int)getpid());
	found[0] = '\0';
	err_clear(&err);
	return probe_match(probes, &pd, take, NULL, &err) < 0 ? "" : found;
}

static void
test_kinds(void **state)
{
	struct dif_pdesc pd = { .prov = "instr", .mod = "", .func = "",
				.name = "" };

	assert_string_equal(match_kind("instr", "pid_test_fn", "je-*"),
			    "test_prov_pid:pid_test_fn:je-6");
	assert_string_equal(match_kind("instr", "pid_test_other_name", "ret*"),
			    "test_prov_pid:pid_test_fn:ret-9 "
			    "test_prov_pid:pid_test_fn:ret-b");
	assert_string_equal(match_kind("instr", "pid_test_lock", ""),
			    "test_prov_pid:pid_test_lock:lock-0 "
			    "test_prov_pid:pid_test_lock:ret-3");
	assert_string_equal(match_kind("instr", "pid_test_lock", "lock-0"),
			    "test_prov_pid:pid_test_lock:lock-0");
	assert_string_equal(match_kind("instr", "pid_test_fn", "jne-6"), "");
	assert_ptr_equal(err.tag, &D_PROC_NAME);
	assert_non_null(strstr(err.msg, "called je-6"));
	match_kind("instr", "pid_test_fn", "je-7");
	assert_ptr_equal(err.tag, &D_PROC_ALIGN);
	match_kind("instr", "pid_test_fn", "je");
	assert_ptr_equal(err.tag, &D_PROC_NAME);
	match_kind("instr", "pid_test_fn", "entry");
	assert_ptr_equal(err.tag, &D_PROC_NAME);
	/* A pattern that begins otherwise is not about instructions. */
	assert_string_equal(match_kind("*", "pid_test_lock", "0"),
			    "test_prov_pid:pid_test_lock:0");
	/* The kernel's. */
	assert_int_equal(probe_match(probes, &pd, take, NULL, &err), 0);
}

static void
test_modules(void **state)
{
	static const char *const names[] = { "libc", "libc.so", "libc.so.6",
					     "lib?.so.6" };

	for (size_t i = 0; i < 4; i++)
		matches(names[i], "malloc", "entry", "libc.so.6:malloc:entry");
	assert_true(match("libc", "*", "entry") > 1000);
}

static void
test_errors(void **state)
{
	struct dif_pdesc pd = {
		.prov = "pid", .mod = "", .func = "main", .name = "entry"
	};
	char prov[32];

	fails("nolib", "main", "entry", &D_PROC_LIB);
	fails("a.out", "no_such_function", "entry", &D_PROC_FUNC);
	fails("", "pid_test_fn", "2", &D_PROC_ALIGN);
	fails("", "pid_test_fn", "1000", &D_PROC_OFF);
	fails("", "pid_test_fn", "enter", &D_PROC_NAME);
	fails("", "-", "10", &D_PROC_OFF);
	fails("", "-", "", &D_PROC_NAME);
	fails("", "-", "*", &D_PROC_NAME);
	matches("", "no_such_*", "entry", "");
	matches("no*lib", "main", "entry", "");
	err_clear(&err);
	assert_int_equal(probe_match(probes, &pd, take, NULL, &err), -1);
	assert_ptr_equal(err.tag, &D_PROC_BADPID);
	pd.prov = "pid1*";
	err_clear(&err);
	assert_int_equal(probe_match(probes, &pd, take, NULL, &err), -1);
	assert_ptr_equal(err.tag, &D_PROC_BADPID);
	pd.prov = "pid2147483632";
	err_clear(&err);
	assert_int_equal(probe_match(probes, &pd, take, NULL, &err), -1);
	assert_ptr_equal(err.tag, &D_PROC_GRAB);
	/* Other providers' descriptions. */
	pd.prov = "pidgin7";
	assert_int_equal(probe_match(probes, &pd, take, NULL, &err), 0);
	pd.prov = "*";
	assert_int_equal(probe_match(probes, &pd, take, NULL, &err), 0);
	/* A pattern with the number of a process that is known. */
	snprintf(prov, sizeof(prov), "p?d%d", (int)getpid());
	pd.prov = prov;
	assert_int_equal(probe_match(probes, &pd, take, NULL, &err), 1);
	snprintf(prov, sizeof(prov), "p*%d", (int)getppid());
	assert_int_equal(probe_match(probes, &pd, take, NULL, &err), 0);
}

/* The match of pid*:mod:func:name; its one site. */
static int
match_every(const char *mod, const char *func, const char *name,
	    struct site_list *sites)
{
	struct dif_pdesc pd = {
		.prov = "pid*", .mod = mod, .func = func, .name = name
	};
	struct probe *p = NULL;
	int n;

	err_clear(&err);
	n = probe_match(probes, &pd, take_probe, &p, &err);
	if (n == 1) {
		assert_string_equal(p->prov, "pid*");
		assert_string_equal(p->mod, "test_prov_pid");
		assert_int_equal(p->owner->ops->sites(p->owner, p, sites,
						      &err), 0);
	}
	return n;
}

/* Every process: a fact about the file, for none of them alone. */
static void
test_every(void **state)
{
	struct site_list s = { 0 };

	assert_int_equal(match_every("test_prov_pid", "pid_test_fn", "entry",
				     &s), 1);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.v[0].pid, 0);
	assert_int_equal(s.v[0].bias, 0);
	assert_int_equal(s.v[0].kind, DIF_SITE_UENTRY);
	assert_null(strstr(s.v[0].path, "/proc/"));
	free(s.v);
	s = (struct site_list){ 0 };
	/* Numbers are written as probes have them there, too. */
	assert_int_equal(match_every("test_prov_pid", "pid_test_fn", "01", &s),
			 1);
	free(s.v);
	s = (struct site_list){ 0 };
	assert_int_equal(match_every("nolib", "f", "entry", &s), -1);
	assert_ptr_equal(err.tag, &D_PROC_LIB);
	assert_int_equal(match_every("test_prov_pid", "no_such", "entry", &s),
			 -1);
	assert_ptr_equal(err.tag, &D_PROC_FUNC);
	assert_int_equal(match_every("", "-", "10", &s), -1);
	assert_ptr_equal(err.tag, &D_PROC_NAME);
}

/* The sites of a probe that there must be. */
static struct site_list
sites(const char *func, const char *name)
{
	char prov[32];
	struct site_list l = { 0 };
	struct probe *p;

	snprintf(prov, sizeof(prov), "pid%d", (int)getpid());
	match("a.out", func, name);
	p = probe_exact(probes, prov, "test_prov_pid", func, name);
	assert_non_null(p);
	assert_int_equal(p->owner->ops->sites(p->owner, p, &l, &err), 0);
	return l;
}

/* The same, of one that is at one place. */
static struct dif_site
fact(const char *func, const char *name)
{
	struct site_list l = sites(func, name);
	struct dif_site s;

	assert_int_equal(l.n, 1);
	s = l.v[0];
	free(l.v);
	assert_int_equal(s.pid, getpid());
	assert_int_equal(s.cookie, 0);
	return s;
}

static void
test_facts(void **state)
{
	uint64_t fn = (uintptr_t)pid_test_fn;
	struct dif_site s = fact("pid_test_fn", "entry");

	assert_int_equal(s.kind, DIF_SITE_UENTRY);
	assert_true(s.addr == fn && s.fn == fn);
	assert_int_equal(s.fn_size, 12);
	assert_true(s.fn_next >= fn + 12);
	assert_int_equal(s.args->arg[1].val, DIF_R_FNARG1);
	s = fact("pid_test_fn", "return");
	assert_int_equal(s.kind, DIF_SITE_URETURN);
	assert_true(s.addr == fn && s.fn == fn);
	assert_int_equal(s.args->arg[0].kind, DIF_RCP_COOKIE);
	s = fact("pid_test_fn", "4");
	assert_int_equal(s.kind, DIF_SITE_UINSN);
	assert_true(s.addr == fn + 4 && s.fn == fn);
	s = fact("pid_test_lock", "0");
	assert_int_equal(s.addr, (uintptr_t)pid_test_lock);
}

/* The process of a description is known before anything of it is there. */
static void
test_pid(void **state)
{
	struct dif_pdesc pd = {
		.prov = "pid7", .mod = "x", .func = "", .name = ""
	};

	assert_int_equal(probe_desc_pid(probes, &pd), 7);
	pd.prov = "pid7x";
	assert_int_equal(probe_desc_pid(probes, &pd), 0);
	pd.prov = "pid";
	assert_int_equal(probe_desc_pid(probes, &pd), 0);
	pd.prov = "syscall";
	assert_int_equal(probe_desc_pid(probes, &pd), 0);
	pd = (struct dif_pdesc){ 1, "pid7", "", "", "" };
	assert_int_equal(probe_desc_pid(probes, &pd), 0);
}

static void
test_address(void **state)
{
	char name[32], want[64];

	snprintf(name, sizeof(name), "%lx", (unsigned long)pid_test_fn + 4);
	snprintf(want, sizeof(want), "test_prov_pid:-:%s", name);
	matches("", "-", name, want);
	matches("a.out", "-", name, want);
	snprintf(name, sizeof(name), "%lx", (unsigned long)pid_test_fn + 2);
	fails("", "-", name, &D_PROC_ALIGN);
	fails("", "-", "entry", &D_PROC_NAME);
}

/* What is linked to nowhere in particular stands elsewhere than the file says;
   the file's own addresses mean it too, and with 0x. */
static void
test_address_linked(void **state)
{
	extern char __executable_start[];
	const unsigned long at =
		(unsigned long)(pid_test_fn - __executable_start);
	char name[32], want[64];

	snprintf(name, sizeof(name), "%lx", at + 4);
	snprintf(want, sizeof(want), "test_prov_pid:-:%s", name);
	matches("a.out", "-", name, want);
	assert_int_equal(fact("-", name).addr, (uintptr_t)pid_test_fn + 4);
	snprintf(name, sizeof(name), "0x%lX", at + 4);
	matches("test_prov_pid", "-", name, want);
	fails("", "-", name, &D_PROC_OFF);
	assert_non_null(strstr(err.msg, "a.out:-:"));
	/* What is near, in the numbers that were asked with. */
	snprintf(name, sizeof(name), "%lx", at + 2);
	fails("a.out", "-", name, &D_PROC_ALIGN);
	snprintf(want, sizeof(want), "0x%lx (pid_test_fn+0x1) and 0x%lx",
		 at + 1, at + 4);
	if (strstr(err.msg, want) == NULL)
		fail_msg("%s: no %s", err.msg, want);
	snprintf(name, sizeof(name), "%lx", (unsigned long)pid_test_fn + 2);
	fails("a.out", "-", name, &D_PROC_ALIGN);
	snprintf(want, sizeof(want), "0x%lx (pid_test_fn+0x1)",
		 (unsigned long)pid_test_fn + 1);
	assert_non_null(strstr(err.msg, want));
	fails("a.out", "-", "0", &D_PROC_OFF);
	assert_non_null(strstr(err.msg, "; nearest: "));
}

/* All probes are found, or it is said that there is no memory, whichever
   allocation fails; later ones more and more rarely. */
static void
test_nomem(void **state)
{
	const int want = match("a.out", "*", "return");
	bool more = true;

	assert_true(want > 100);
	for (long n = 1; more; n = nomem_next(n, EACH)) {
		int got;

		teardown(state);
		assert_int_equal(setup(state), 0);
		nomem_arm(n);
		got = match("a.out", "*", "return");
		more = nomem_disarm();
		if (got != want && (!more || got != -1))
			fail_msg("allocation %ld: %d probes of %d", n, got,
				 want);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_all_offsets, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_kinds, setup, teardown),
		cmocka_unit_test_setup_teardown(test_modules, setup, teardown),
		cmocka_unit_test_setup_teardown(test_errors, setup, teardown),
		cmocka_unit_test_setup_teardown(test_facts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_every, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pid, setup, teardown),
		cmocka_unit_test_setup_teardown(test_address, setup, teardown),
		cmocka_unit_test_setup_teardown(test_address_linked, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_nomem, setup, teardown),
	};
	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
