/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a compile yields besides code: variables, statements, records, and
 * what it leaves behind when it fails.
 */
#include "lang/test/check_test.h"
#include "base/test/fds.h"

#include <stdio.h>

static const struct dif_uvar *
var_named(struct ct *t, const char *name, unsigned scope)
{
	struct dif_tab *tab = lang_tab(t->lang);

	for (uint32_t i = 0; i < tab->nvars; i++)
		if (tab->vars[i]->scope == scope &&
		    strcmp(tab->vars[i]->name, name) == 0)
			return tab->vars[i];
	fail_msg("no variable %s", name);
	return NULL;
}

static void
expect_var(struct ct *t, const char *name, unsigned scope, uint32_t size,
	   bool sign)
{
	const struct dif_uvar *v = var_named(t, name, scope);

	assert_int_equal(v->type.size, size);
	assert_int_equal((v->type.flags & DIF_TF_SIGNED) != 0, sign);
}

static void
first_assignment_declares(void **state)
{
	struct ct t;

	ct_open(&t);
	dif_prog_free(ct_compile(
		&t,
		"BEGIN{ i = 1; c = (char)2; self->u = 3UL; this->s = \"x\"; "
		"++n; m += 2; a[\"k\", 1] = 'x'; self->b[pid]++; "
		"p = (int *)arg0; t = timestamp; e = arg0 ? 1 : 2L }"));
	expect_var(&t, "i", DIF_SCOPE_GLOBAL, 4, true);
	expect_var(&t, "c", DIF_SCOPE_GLOBAL, 1, true);
	expect_var(&t, "u", DIF_SCOPE_THREAD, 8, false);
	expect_var(&t, "n", DIF_SCOPE_GLOBAL, 8, true);
	expect_var(&t, "m", DIF_SCOPE_GLOBAL, 8, true);
	expect_var(&t, "t", DIF_SCOPE_GLOBAL, 8, false);
	expect_var(&t, "e", DIF_SCOPE_GLOBAL, 8, true);
	expect_var(&t, "p", DIF_SCOPE_GLOBAL, 8, false);
	assert_int_equal(var_named(&t, "s", DIF_SCOPE_LOCAL)->type.kind,
			 DIF_TYPE_STRING);
	assert_int_equal(var_named(&t, "a", DIF_SCOPE_GLOBAL)->nkeys, 2);
	assert_int_equal(var_named(&t, "b", DIF_SCOPE_THREAD)->kind,
			 DIF_VK_ARRAY);
	ct_close(&t);
}

/* What should have come is written as one types it. */
static void
what_is_expected_is_said(void **state)
{
	static const struct {
		const char *text, *want;
	} v[] = {
		{ "BEGIN{trace((1 2)}", "near \"2\": expected \")\"" },
		{ "BEGIN{x[1}", "near \"}\": expected \"]\"" },
		{ "BEGIN{x = arg0 ? 1; 2}", "near \";\": expected \":\"" },
	};
	struct ct t;

	ct_open(&t);
	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		assert_null(ct_try(&t, v[i].text));
		assert_non_null(strstr(t.e.msg, v[i].want));
	}
	ct_close(&t);
}

/* A string and what may stand for one: a string. */
static void
choices_of_strings(void **state)
{
	static const char *const yes[] = {
		"arg0 ? execname : NULL", "arg0 ? NULL : execname",
		"arg0 ? execname : \"a\"", "arg0 ? \"a\" : execname",
		"arg0 ? execname : (char *)arg1",
		"arg0 ? (char *)arg1 : execname",
	};
	static const char *const no[] = {
		"arg0 ? execname : 1", "arg0 ? 1 : execname",
		"arg0 ? execname : (int *)arg1",
	};
	char text[128];
	struct ct t;

	ct_open(&t);
	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++) {
		snprintf(text, sizeof(text), "BEGIN{ s%zu = %s }", i, yes[i]);
		dif_prog_free(ct_compile(&t, text));
		snprintf(text, sizeof(text), "s%zu", i);
		assert_int_equal(var_named(&t, text, DIF_SCOPE_GLOBAL)
					 ->type.kind,
				 DIF_TYPE_STRING);
	}
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++) {
		snprintf(text, sizeof(text), "BEGIN{ n = %s }", no[i]);
		assert_null(ct_try(&t, text));
	}
	ct_close(&t);
}

static void
failed_compile_leaves_no_trace(void **state)
{
	struct ct t;
	struct dif_tab *tab;

	ct_open(&t);
	dif_prog_free(ct_compile(&t, "BEGIN{ x = 1; @a = count() }"));
	tab = lang_tab(t.lang);
	assert_null(ct_try(&t, "inline int K = 3; int z; struct q { int a; };"
			       "BEGIN{ y = 1; self->y = 1; @b = sum(1); "
			       "@a = count(); nosuch() }"));
	assert_int_equal(tab->nvars, 1);
	assert_int_equal(tab->naggs, 1);
	/* The names are free again, of other kinds. */
	dif_prog_free(ct_compile(&t, "string K; string z; struct q { long b; };"
				     "struct q y;"
				     "BEGIN{ @b = max(1); self->y = \"s\" }"));
	assert_int_equal(var_named(&t, "K", DIF_SCOPE_GLOBAL)->id,
			 DIF_VAR_USER_MIN + 1);
	assert_int_equal(tab->naggs, 2);
	assert_int_equal(tab->aggs[1]->id, 2);
	/* What succeeded before is still there. */
	assert_null(ct_try(&t, "BEGIN{ x = \"s\" }"));
	assert_string_equal(t.e.tag->name, "D_OP_INCOMPAT");
	ct_close(&t);
}

static void
inlines_outlive_their_compile(void **state)
{
	struct dif_prog *p;
	struct ct t;

	ct_open(&t);
	dif_prog_free(ct_compile(
		&t, "inline int N = 2 * 3; inline string S = \"n=%d\";"
		    "inline int64_t D = arg0 + N;"));
	p = ct_compile(&t, "BEGIN{ printf(S, N); @a = lquantize(D, 0, N) }");
	assert_string_equal(p->clauses[0].stmts[0].fmt, "n=%d");
	assert_int_equal(p->clauses[0].args_used, 1);
	assert_int_equal(DIF_LQ_LEVELS(lang_tab(t.lang)->aggs[0]->arg), 6);
	dif_prog_free(p);
	ct_close(&t);
}

/* Who can fire a clause, as its predicate says; no more than that. */
static void
predicates_say_who_fires(void **state)
{
	static const struct {
		const char *pred;
		int32_t pid;
		bool self;
	} v[] = {
		{ "pid == 5", 5, false },
		{ "5 == pid", 5, false },
		{ "arg0 && pid == 2 + 3 && x++", 5, false },
		{ "execname == \"a\" && (uid == 0 && pid == 5)", 5, false },
		{ "this->q > 3 && -arg0 == 1 && pid == 5", 5, false },
		{ "self->y", 0, true },
		{ "arg0 < 3 && self->y != 0 && copyinstr(arg0) == \"\"", 0,
		  true },
		{ "self->y && pid == 5", 5, true },
		/* Not these. */
		{ "pid == 5 || arg0", 0, false },
		{ "pid != 5", 0, false },
		{ "!(pid == 5)", 0, false },
		{ "pid >= 5", 0, false },
		{ "pid == arg0", 0, false },
		{ "pid == -5", 0, false },
		{ "(char)pid == 5", 0, false },
		{ "ppid == 5", 0, false },
		{ "self->y == 0", 0, false },
		{ "!self->y", 0, false },
		{ "x && self->y", 0, false },
		{ "0 == 1 || pid == 5", 5, false },
		{ "self->y && (pid == 5 || 0)", 5, true },
		{ "x == 1 || pid == 5", 0, false },
		{ "1 || pid == 5", 0, false },
		/* What comes first would be noticed. */
		{ "x++ && pid == 5", 0, false },
		{ "1 / arg0 && pid == 5", 0, false },
		{ "copyinstr(arg0) == \"\" && pid == 5", 0, false },
		{ "(*(int *)arg0) && self->y", 0, false },
	};
	struct ct t;

	ct_open(&t);
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		char text[200];
		snprintf(text, sizeof(text),
			 "int x; self int y; this int q; BEGIN /%s/ {}",
			 v[i].pred);
		struct dif_prog *p = ct_compile(&t, text);
		if (p->clauses[0].only_pid != v[i].pid ||
		    (p->clauses[0].only_self != 0) != v[i].self)
			fail_msg("%s: %d, %u", v[i].pred,
				 (int)p->clauses[0].only_pid,
				 p->clauses[0].only_self);
		dif_prog_free(p);
	}
	ct_close(&t);
}

/* All parts of a clause with if statements are fired by whom the first is. */
static void
parts_say_who_fires(void **state)
{
	struct dif_prog *p;
	struct ct t;

	ct_open(&t);
	p = ct_compile(&t, "BEGIN /pid == 5/ { if (arg0) { trace(1); } else "
			   "{ trace(2); } trace(3); }");
	assert_true(p->nclauses > 3);
	for (uint32_t i = 0; i < p->nclauses; i++)
		assert_int_equal(p->clauses[i].only_pid, 5);
	dif_prog_free(p);
	ct_close(&t);
}

static void
statements_say_what_they_record(void **state)
{
	struct dif_prog *p;
	const struct dif_stmt *s;
	struct ct t;

	ct_open(&t);
	p = ct_compile(&t, "BEGIN{ printf(\"%s %s %*d %k\", execname, "
			   "probefunc, 5, (short)arg1, stack(4)); "
			   "tracemem(arg0, 32); stack(); usym(ucaller); "
			   "trace(probename); exit(3) }");
	assert_true(p->clauses[0].records);
	assert_int_equal(p->clauses[0].nstmts, 6);
	s = p->clauses[0].stmts;
	assert_int_equal(s[0].nexprs, 5);
	assert_int_equal(s[0].exprs[0].type.size, 16); /* execname's bound */
	assert_int_equal(s[0].exprs[1].src, DIF_SRC_NAME);
	assert_int_equal(s[0].exprs[1].arg, DIF_VAR_probefunc);
	assert_int_equal(s[0].exprs[3].type.size, 2);
	assert_int_equal(s[0].exprs[3].type.flags, DIF_TF_SIGNED);
	assert_int_equal(s[0].exprs[4].src, DIF_SRC_STACK);
	assert_int_equal(s[0].exprs[4].arg, 4);
	assert_int_equal(s[1].arg, 32);
	assert_int_equal(s[2].exprs[0].arg, 0); /* the option's */
	assert_int_equal(s[3].exprs[0].src, DIF_SRC_USYM);
	assert_int_equal(s[3].exprs[0].arg, DIF_ACT_USYM);
	assert_int_equal(s[4].exprs[0].src, DIF_SRC_NAME);
	assert_int_equal(s[5].kind, DIF_ACT_EXIT);
	dif_prog_free(p);
	ct_close(&t);
}

static void
only_actions_leave_records(void **state)
{
	static const struct {
		const char *text;
		bool records;
	} v[] = {
		{ "BEGIN", true },
		{ "BEGIN{}", true },
		{ "BEGIN/pid/{}", true },
		{ "BEGIN{x = 1}", false },
		{ "BEGIN{@ = count()}", false },
		{ "BEGIN{exit(0)}", true },
		{ "BEGIN{1 ? trace(1) : 1}", true },
		{ "BEGIN{0 ? trace(1) : 1}", false },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		struct dif_prog *p;
		struct ct t;

		ct_open(&t);
		p = ct_compile(&t, v[i].text);
		assert_int_equal(p->nclauses, 1);
		assert_int_equal(p->clauses[0].records, v[i].records);
		dif_prog_free(p);
		ct_close(&t);
	}
}

static void
keys_agree_between_programs(void **state)
{
	struct dif_aggvar *v;
	struct dif_prog *p;
	struct ct t;

	ct_open(&t);
	dif_prog_free(ct_compile(&t, "BEGIN{ @[probefunc, 1] = count() }"));
	v = lang_tab(t.lang)->aggs[0];
	assert_string_equal(v->name, "_");
	assert_int_equal(v->keysrc[0], DIF_SRC_NAME);
	assert_int_equal(v->keys[1].size, 4);
	/* The first use decides how wide the key is ... */
	p = ct_compile(&t, "BEGIN{ @[execname, arg0] = count() }");
	assert_int_equal(v->keys[1].size, 4);
	assert_int_equal(p->clauses[0].stmts[0].exprs[1].type.size, 4);
	dif_prog_free(p);
	/* ... unless its compile fails. */
	assert_null(ct_try(&t, "BEGIN{ @c[arg0] = count(); nosuch() }"));
	dif_prog_free(ct_compile(&t, "BEGIN{ @c[1] = count() }"));
	assert_int_equal(lang_tab(t.lang)->aggs[1]->keys[0].size, 4);
	assert_int_equal(lang_tab(t.lang)->naggs, 2);
	ct_close(&t);
}

static void
body_is_compiled_per_description(void **state)
{
	struct dif_prog *p;
	struct ct t;

	ct_open(&t);
	p = ct_compile(&t, "typed:::a, typed:::b, BEGIN { trace(arg2) }");
	assert_int_equal(p->nclauses, 3);
	assert_string_equal(p->clauses[1].pdesc.name, "b");
	assert_int_equal(p->clauses[2].args_used, 4);
	dif_prog_free(p);
	p = ct_compile(&t, "typed:::a { x = args[3]; trace(args[1]) }");
	assert_int_equal(p->clauses[0].args_used, 0xa);
	expect_var(&t, "x", DIF_SCOPE_GLOBAL, 1, false);
	dif_prog_free(p);
	/* One description without types spoils the clause. */
	assert_null(ct_try(&t, "typed:::a, BEGIN { trace(args[0]) }"));
	assert_string_equal(t.e.tag->name, "D_ARGS_IDX");
	ct_close(&t);
}

static void
if_splits_the_clause(void **state)
{
	struct dif_prog *p;
	struct ct t;

	ct_open(&t);
	p = ct_compile(&t, "BEGIN/pid/{ x = 1; if (arg0) { trace(1); "
			   "if (arg1) trace(2) } else trace(3); x = 2 }");
	/* clear; x and C; trace(1) and C2; trace(2); trace(3); x */
	assert_int_equal(p->nclauses, 6);
	assert_null(p->clauses[0].pred);
	assert_int_equal(p->clauses[0].nstmts, 2);
	assert_false(p->clauses[0].records);
	assert_non_null(p->clauses[1].pred);
	assert_true(p->clauses[2].records);
	assert_false(p->clauses[5].records);
	for (size_t i = 0; i < 6; i++)
		assert_true(p->clauses[i].uses_locals);
	dif_prog_free(p);
	ct_close(&t);
}

static void
unmatched_descriptions_pass_with_zdefs(void **state)
{
	struct lang_src s = { .text = "none:::x{}",
			      .len = 10,
			      .spec = LANG_SPEC_NAME,
			      .cflags = LANG_C_ZDEFS };
	struct dif_prog *p;
	struct ct t;

	ct_open(&t);
	p = lang_compile(t.lang, &s, &t.e);
	assert_non_null(p);
	assert_int_equal(p->nclauses, 1);
	dif_prog_free(p);
	ct_close(&t);
}

/* ---- several targets ----------------------------------------------------- */

/* How many there are, and which of them lack what is named: bit n, that of
   $target's n-th. */
static struct targets {
	struct ct t;
	int n;
	unsigned lacking;
} targets;

static bool
targets_macro(void *arg, const char *name, int64_t *val)
{
	int n = 1;

	if (strcmp(name, "target") != 0 && sscanf(name, "target%d", &n) != 1)
		return false;
	*val = 10 * n;
	return n <= targets.n;
}

static int
targets_probe_info(void *arg, const struct dif_pdesc *pd,
		   struct lang_probe_info *out, struct err *e)
{
	int pid;

	if (sscanf(pd->prov, "pid%d", &pid) != 1)
		return ct_probe_info(arg, pd, out, e);
	out->nmatch = (targets.lacking & 1u << pid / 10) == 0;
	return 0;
}

/* The providers of the clauses that a text makes; "" with an error. */
static void
targets_are(const char *text, unsigned cflags, const char *want)
{
	struct lang_host h = { .arg = &targets.t,
			       .probe_info = targets_probe_info,
			       .ksym = ct_ksym,
			       .macro = targets_macro,
			       .engines = DIF_ENG_IK };
	struct lang_src s = { .text = text,
			      .len = strlen(text),
			      .spec = LANG_SPEC_NAME,
			      .cflags = cflags };
	struct dif_prog *p;
	struct err e = { 0 };
	char is[128] = "";

	h.types = targets.t.base = type_space_base(&e);
	targets.t.lang = lang_new(&h, &e);
	assert_non_null(targets.t.lang);
	p = lang_compile(targets.t.lang, &s, &e);
	for (uint32_t i = 0; p != NULL && i < p->nclauses; i++)
		snprintf(is + strlen(is), sizeof(is) - strlen(is), "%s ",
			 p->clauses[i].pdesc.prov);
	if (p == NULL)
		snprintf(is, sizeof(is), "%.100s", e.msg);
	assert_string_equal(is, want);
	dif_prog_free(p);
	ct_close(&targets.t);
}

/* A description with $target is one for each; those that lack what it names are
   left out, but the last if all do, for the message. */
static void
each_target_has_its_description(void **state)
{
	static const struct {
		int n;
		unsigned lacking;
		const char *want;
	} cases[] = {
		{ 1, 0, "pid10 " },
		{ 3, 0, "pid10 pid20 pid30 " },
		{ 3, 1 << 1, "pid20 pid30 " },
		{ 3, 1 << 2, "pid10 pid30 " },
		{ 3, 1 << 3, "pid10 pid20 " },
		{ 3, 1 << 1 | 1 << 2, "pid30 " },
		{ 3, 1 << 2 | 1 << 3, "pid10 " },
		{ 3, 1 << 1 | 1 << 3, "pid20 " },
		{ 1, 1 << 1,
		  "probe description pid10:a:f:entry does not match any "
		  "probes" },
		{ 3, 1 << 1 | 1 << 2 | 1 << 3,
		  "probe description pid30:a:f:entry does not match any "
		  "probes" },
	};
	static const char text[] = "pid$target:a:f:entry { x = 1 }";

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		targets.n = cases[i].n;
		targets.lacking = cases[i].lacking;
		targets_are(text, 0, cases[i].want);
	}
	/* Who takes what does not match takes all. */
	targets_are(text, LANG_C_ZDEFS, "pid10 pid20 pid30 ");
	/* Others of the clause are none of theirs. */
	targets_are(
		"BEGIN, pid$target:a:f:entry, END { x = 1 }", 0,
		"probe description pid30:a:f:entry does not match any probes");
	targets.lacking = 1 << 1 | 1 << 3;
	targets_are("BEGIN, pid$target:a:f:entry, END { x = 1 }", 0,
		    " pid20  ");
	/* Without $target there is one, whoever has it. */
	targets_are("pid20:a:f:entry { x = 1 }", 0, "pid20 ");
}

/* Every row names something that D has, or it would be silent. */
static void
words_of_other_tracers_have_a_hint(void **state)
{
	static const char *const rows[][2] = {
#define FOREIGN(word, name, write) { #word, write },
#include "lang/check/foreign.def"
#undef FOREIGN
	};
	struct ct t;
	char text[256];

	ct_open(&t);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		for (int call = 0; call < 2; call++) {
			snprintf(text, sizeof(text), "BEGIN{ trace(%s%s) }",
				 rows[i][0], call ? "()" : "");
			assert_null(ct_try(&t, text));
			snprintf(text, sizeof(text), "(in D: %s)", rows[i][1]);
			assert_non_null(strstr(t.e.msg, text));
		}
	}
	ct_close(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_assignment_declares),
		cmocka_unit_test(what_is_expected_is_said),
		cmocka_unit_test(choices_of_strings),
		cmocka_unit_test(failed_compile_leaves_no_trace),
		cmocka_unit_test(inlines_outlive_their_compile),
		cmocka_unit_test(predicates_say_who_fires),
		cmocka_unit_test(parts_say_who_fires),
		cmocka_unit_test(statements_say_what_they_record),
		cmocka_unit_test(only_actions_leave_records),
		cmocka_unit_test(keys_agree_between_programs),
		cmocka_unit_test(body_is_compiled_per_description),
		cmocka_unit_test(if_splits_the_clause),
		cmocka_unit_test(unmatched_descriptions_pass_with_zdefs),
		cmocka_unit_test(each_target_has_its_description),
		cmocka_unit_test(words_of_other_tracers_have_a_hint),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
