/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Translators, inlines and providers where golden tests do not reach: texts of
 * the D library, translated args[], versions, the door for `dtrace -h`.
 */
#include "lang/test/check_test.h"

static struct ct t;

static int
setup(void **state)
{
	ct_open(&t);
	return 0;
}

static int
teardown(void **state)
{
	ct_close(&t);
	return 0;
}

/* Compile; false with t.e. */
static bool
text_at(const char *text, const char *file, bool library, uint32_t version)
{
	struct lang_src s = { .text = text, .len = strlen(text), .file = file,
			      .spec = LANG_SPEC_NAME, .library = library,
			      .version = version };
	struct dif_prog *p;

	err_clear(&t.e);
	p = lang_compile(t.lang, &s, &t.e);
	dif_prog_free(p);
	return p != NULL;
}

static void
library(const char *text)
{
	if (!text_at(text, "lib.d", true, 0))
		fail_msg("%s\n  gave %s: %s", text, t.e.tag->name, t.e.msg);
}

static void
program(const char *text)
{
	if (!text_at(text, NULL, false, 0))
		fail_msg("%s\n  gave %s: %s", text, t.e.tag->name, t.e.msg);
}

static void
refused(const char *text, const char *tag)
{
	if (text_at(text, NULL, false, 0))
		fail_msg("%s\n  compiles", text);
	if (t.e.tag == NULL || strcmp(t.e.tag->name, tag) != 0)
		fail_msg("%s\n  gave %s: %s, not %s", text,
			 t.e.tag ? t.e.tag->name : "nothing", t.e.msg, tag);
}

/* ---- the D library ------------------------------------------------------ */

static void
library_is_checked_when_used(void **state)
{
	library("typedef struct o { int a; int b; } o_t;\n"
		"translator o_t < struct task_struct *P > {\n"
		"	a = 1;\n"
		"	b = P->nothing;\n"
		"};\n"
		"inline int bad[int x] = nosuch + x;\n"
		"inline int *ptr = (struct far *)0 == 0 ? 0 : 0;\n");
	program("BEGIN{trace(xlate<o_t *>(curthread)->a)}");
	refused("BEGIN{trace(xlate<o_t *>(curthread)->b)}",
		"D_OP_INCOMPLETE");
	assert_non_null(strstr(t.e.msg, "(in b, lib.d line 4)"));
	assert_int_equal(t.e.loc.line, 1);
	assert_null(t.e.loc.file);
	refused("BEGIN{\n\ntrace(bad(1))}", "D_IDENT_UNDEF");
	assert_non_null(strstr(t.e.msg, "(in bad, lib.d line 6)"));
	assert_int_equal(t.e.loc.line, 3);
}

static void
library_holds_no_clauses(void **state)
{
	assert_false(text_at("BEGIN{exit(0)}", "lib.d", true, 0));
	assert_string_equal(t.e.tag->name, "D_SYNTAX");
	assert_true(text_at("", "lib.d", true, 0));
}

static void
library_may_depend(void **state)
{
	library("inline int before = 1;\n"
		"#pragma D depends_on module nosuch\n"
		"inline int after = 1; this is not read {{{\n");
	refused("BEGIN{trace(before)}", "D_IDENT_UNDEF");
	refused("BEGIN{trace(after)}", "D_IDENT_UNDEF");
	refused("#pragma D depends_on module nosuch\nBEGIN{}",
		"D_PRAGMA_DEPEND");
}

static void
mutual_recursion_is_refused(void **state)
{
	library("inline int f[int x] = g(x);\n"
		"inline int g[int x] = f[x];\n");
	refused("BEGIN{trace(f(1))}", "D_IDENT_BADREF");
}

static void
failed_compile_leaves_nothing(void **state)
{
	refused("struct o {int a;}; translator struct o <int I> {a = I;};"
		"inline int f[int x] = x; provider p { probe a(); };"
		"BEGIN{nosuch()}",
		"D_FUNC_UNDEF");
	assert_int_equal(lang_nproviders(t.lang), 0);
	program("struct o {int a;}; translator struct o <int I> {a = I;};"
		"inline int f[int x] = x; provider p { probe a(); };"
		"BEGIN{trace(xlate<struct o>(f(1)).a)}");
	assert_int_equal(lang_nproviders(t.lang), 1);
	/* And what a successful one leaves is used by others. */
	program("BEGIN{trace(xlate<struct o>(f(2)).a)}");
	refused("translator struct o <int I> {a = I;}; BEGIN{}",
		"D_XLATE_REDECL");
}

/* ---- too many names ------------------------------------------------------ */

static void
variables_run_out(void **state)
{
	const size_t n = DIF_VAR_MAX - DIF_VAR_USER_MIN + 2;
	char *text = malloc(n * 16), *p = text;

	assert_non_null(text);
	for (size_t i = 0; i < n; i++)
		p += sprintf(p, "int v%zu;", i);
	refused(text, "D_ID_OFLOW");
	/* One less will do. */
	p[-(int)strlen("int v00000;")] = '\0';
	program(text);
	free(text);
}

/* ---- args[] ------------------------------------------------------------- */

static void
args_are_translated(void **state)
{
	refused("xlated:::{trace(args[0]->o)}", "D_ARGS_XLATOR");
	assert_non_null(strstr(t.e.msg, "D library"));
	library("typedef struct info { int o; int raw; } info_t;");
	refused("xlated:::{trace(args[0]->o)}", "D_ARGS_XLATOR");
	library("translator info_t < char *S > { o = 5; raw = *S; };");
	program("xlated:::{trace(args[0]->o)}");
	program("xlated:::{trace(args[0]->raw); trace(args[1] + 1)}");
	refused("xlated:::{trace(args[1]->o)}", "D_OP_PTR");
	refused("xlated:::{trace(args[0]->nosuch)}", "D_TYPE_MEMBER");
	refused("xlated:::{trace(args[0])}", "D_CG_DYN");
	refused("xlated:::{trace(args[2])}", "D_ARGS_IDX");
}

static uint32_t
args_used(const char *text)
{
	struct dif_prog *p = ct_compile(&t, text);
	uint32_t used = p->clauses[0].args_used;

	dif_prog_free(p);
	return used;
}

static void
args_come_from_raw_ones(void **state)
{
	library("typedef struct info { int o; int raw; } info_t;"
		"translator info_t < char *S > { o = 5; raw = *S; };");
	assert_int_equal(args_used("xlated:::{trace(args[0]->raw)}"), 1 << 3);
	assert_int_equal(args_used("xlated:::{trace(args[1])}"), 1 << 1);
}

/* ---- versions ----------------------------------------------------------- */

static void
later_names_are_not_seen(void **state)
{
	const uint32_t v1_0 = 1u << 24, v1_2 = 1u << 24 | 2u << 12;

	library("typedef struct o { int a; } o_t;\n"
		"inline int old = 1;\n"
		"#pragma D binding \"1.0\" old\n"
		"inline int new = 2;\n"
		"#pragma D binding \"1.2\" new\n"
		"#pragma D binding \"1.2\" translator\n"
		"translator o_t < int I > { a = I; };\n");
	assert_true(text_at("BEGIN{trace(old)}", NULL, false, v1_0));
	assert_true(text_at("BEGIN{trace(new)}", NULL, false, v1_2));
	assert_false(text_at("BEGIN{trace(new)}", NULL, false, v1_0));
	assert_string_equal(t.e.tag->name, "D_IDENT_UNDEF");
	assert_false(text_at("BEGIN{trace(xlate<o_t>(1).a)}", NULL, false,
			     v1_0));
	assert_string_equal(t.e.tag->name, "D_XLATE_NONE");
	assert_true(text_at("BEGIN{trace(xlate<o_t>(1).a)}", NULL, false,
			    v1_2));
	program("BEGIN{trace(new + xlate<o_t>(1).a)}");
	/* For another version it may be declared again, and the newest of
	   those that are seen counts. */
	library("#pragma D binding \"1.4\" translator\n"
		"translator o_t < int I > { a = nosuch; };\n");
	assert_true(text_at("BEGIN{trace(xlate<o_t>(1).a)}", NULL, false,
			    v1_2));
	refused("BEGIN{trace(xlate<o_t>(1).a)}", "D_IDENT_UNDEF");
}

static void
versions_are_numbers(void **state)
{
	uint32_t v = 0;

	assert_true(lang_version("1.2.3", &v));
	assert_int_equal(v, 1u << 24 | 2u << 12 | 3);
	assert_true(lang_version("255.4095", &v));
	assert_int_equal(v, 0xfffff000);
	assert_false(lang_version("1", &v));
	assert_false(lang_version("1.2.3.4", &v));
	assert_false(lang_version("256.0", &v));
	assert_false(lang_version("1.4096", &v));
	assert_false(lang_version("1.x", &v));
	assert_false(lang_version("", &v));
}

/* ---- providers ---------------------------------------------------------- */

static void
providers_are_told(void **state)
{
	const struct lang_provider *p;
	uint8_t stab[3];

	program("typedef struct info { int i; } info_t; struct raw { int r; };"
		"translator info_t < struct raw *R > { i = R->r; };\n"
		"provider app {\n"
		"	probe query__start(char *sql, int conn);\n"
		"	probe done(struct raw *r, int n) :\n"
		"	    (int n, info_t *r, int n);\n"
		"	probe none();\n"
		"};\n"
		"#pragma D attributes Evolving/Stable/ISA provider app args\n");
	assert_int_equal(lang_nproviders(t.lang), 1);
	p = lang_provider(t.lang, 0);
	assert_string_equal(p->name, "app");
	assert_int_equal(p->nprobes, 3);
	assert_string_equal(p->probes[0].name, "query-start");
	assert_string_equal(p->probes[0].cname, "query__start");
	assert_int_equal(p->probes[0].nargs, 2);
	assert_string_equal(p->probes[0].args[0].type, "char *");
	assert_string_equal(p->probes[0].args[0].name, "sql");
	assert_int_equal(p->probes[0].nxargs, 2);
	assert_int_equal(p->probes[1].nxargs, 3);
	assert_string_equal(p->probes[1].xargs[1].type, "info_t *");
	assert_int_equal(p->probes[1].map[0], 1);
	assert_int_equal(p->probes[1].map[1], 0);
	assert_int_equal(p->probes[1].map[2], 1);
	assert_int_equal(p->probes[2].nargs, 0);
	lang_provider_stab(t.lang, p, "args", stab);
	assert_int_equal(stab[0], 5);
	assert_int_equal(stab[1], 6);
	assert_int_equal(stab[2], 4);
	lang_provider_stab(t.lang, p, "name", stab);
	assert_int_equal(stab[0], 1);
	assert_int_equal(stab[2], 0);
	/* They type the arguments of probes that are not there yet. */
	program("app12:::query-start{trace(args[1] + 1);"
		" trace(copyinstr((uintptr_t)args[0]))}");
	program("app*:::done{trace(args[0] + 1); trace(args[1]->i)}");
	refused("app12:::done{trace(args[3])}", "D_ARGS_IDX");
	refused("app12:::other{trace(args[0])}", "D_ARGS_IDX");
}

static void
providers_are_checked(void **state)
{
	static const struct {
		const char *tag, *text;
	} rows[] = {
		{ "D_PROV_BADNAME", "provider app1 { probe a(); };" },
		{ "D_PROV_PRDUP",
		  "provider app { probe a(); probe a(int); };" },
		{ "D_PROV_PRARGLEN",
		  "provider app { probe a(int, int, int, int, int, int, int,"
		  "int, int, int, int, int, int, int, int, int, int, int, int,"
		  "int, int, int, int, int, int, int, int, int, int, int, int,"
		  "int, int); };" },
		{ "D_PROV_PRXLATOR",
		  "provider app { probe a(int i) : (string i); };" },
		{ "D_PROV_PRXLATOR",
		  "provider app { probe a(int i) : (int k); };" },
		{ "D_PROV_PRXLATOR",
		  "struct o {int a;};"
		  "provider app { probe a(int i) : (struct o *i); };" },
		{ "D_PROV_INCOMPAT",
		  "provider app { probe a(int); };"
		  "provider app { probe a(long); };" },
		{ "D_PROV_INCOMPAT",
		  "provider app { probe a(int); };"
		  "provider app { probe b(int); };" },
		{ "D_DECL_PROTO_VARARGS",
		  "provider app { probe a(int, ...); };" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		refused(rows[i].text, rows[i].tag);
	program("provider app { probe a(int); }; provider app { probe a(int);"
		"};");
	assert_int_equal(lang_nproviders(t.lang), 1);
}

int
main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(library_is_checked_when_used),
		TEST(library_holds_no_clauses),
		TEST(library_may_depend),
		TEST(mutual_recursion_is_refused),
		TEST(failed_compile_leaves_nothing),
		TEST(variables_run_out),
		TEST(args_are_translated),
		TEST(args_come_from_raw_ones),
		TEST(later_names_are_not_seen),
		TEST(versions_are_numbers),
		TEST(providers_are_told),
		TEST(providers_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
