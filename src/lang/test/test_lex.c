/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Literals, macros, control lines, blanks: each value, type, tag and place. */
#include "lang_test.h"
#include "base/test/fds.h"

/* The first expression of `BEGIN { ... }`. */
struct first {
	struct node n;
	char str[64];
	size_t len;
	char type[64];
	int nstmts;
};

static void
take_first(struct compile *cx, const struct item *it, void *arg)
{
	struct first *f = arg;

	if (it->kind != ITEM_CLAUSE || it->clause.nbody == 0)
		return;
	const struct node *n = it->clause.body[0]->left;
	f->nstmts = (int)it->clause.nbody;
	f->n = *n;
	if (n->kind == NODE_UNARY)
		n = n->left;
	f->n.ival = n->ival;
	if (n->str != NULL) {
		assert_true(n->len < sizeof(f->str));
		memcpy(f->str, n->str, n->len);
		f->len = n->len;
	}
	if (n->type != NULL)
		snprintf(f->type, sizeof(f->type), "%s",
			 lang_type_name(cx, n->type));
	if (n->name != NULL)
		snprintf(f->str, sizeof(f->str), "%s%s%s",
			 n->mod ? n->mod : "", n->mod ? "`" : "", n->name);
}

static struct first
first_of(const char *expr, int argc, char **argv, unsigned cflags)
{
	struct lt t;
	struct first f = { 0 };
	char text[512];
	struct lt_src s = { .text = text, .spec = LANG_SPEC_NAME,
			    .argc = argc, .argv = argv, .cflags = cflags };

	snprintf(text, sizeof(text), "BEGIN { %s; }", expr);
	lt_open(&t);
	if (lt_parse(&t, &s, take_first, &f) != NULL)
		fail_msg("%s: %s", text, t.e.msg);
	lt_close(&t);
	return f;
}

static void
test_integers(void **state)
{
	static const struct {
		const char *text;
		uint64_t val;
		const char *type;
	} v[] = {
		{ "0", 0, "int" },
		{ "2147483647", 2147483647, "int" },
		{ "2147483648", 2147483648u, "long" },
		{ "0x80000000", 2147483648u, "unsigned int" },
		{ "020000000000", 2147483648u, "unsigned int" },
		{ "0xffffffff", 0xffffffffu, "unsigned int" },
		{ "0x100000000", 0x100000000u, "long" },
		{ "0xffffffffffffffff", UINT64_MAX, "unsigned long" },
		{ "9223372036854775807", INT64_MAX, "long" },
		{ "18446744073709551615u", UINT64_MAX, "unsigned long" },
		{ "1u", 1, "unsigned int" },
		{ "1l", 1, "long" },
		{ "1UL", 1, "unsigned long" },
		{ "1lu", 1, "unsigned long" },
		{ "1ll", 1, "long long" },
		{ "1LLU", 1, "unsigned long long" },
		{ "1ull", 1, "unsigned long long" },
		{ "0xFFFFFFFFFFFFFFFFll", UINT64_MAX, "unsigned long long" },
		{ "'a'", 'a', "int" },
		{ "'ab'", 0x6162, "int" },
		{ "'\\377'", UINT64_MAX, "int" },
		{ "'\\''", '\'', "int" },
		{ "'\\0'", 0, "int" },
		{ "'\\x41'", 0x41, "int" },
		{ "'abcdefgh'", 0x6162636465666768, "long" },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		struct first f = first_of(v[i].text, 0, NULL, 0);
		assert_int_equal(f.n.kind, NODE_INT);
		assert_true(f.n.ival == v[i].val);
		assert_string_equal(f.type, v[i].type);
	}
}

static void
test_strings(void **state)
{
	static const struct {
		const char *text, *val;
		size_t len;
	} v[] = {
		{ "\"\"", "", 0 },
		{ "\"a b\"", "a b", 3 },
		{ "\"\\a\\b\\f\\n\\r\\t\\v\\\\\\\"\"", "\a\b\f\n\r\t\v\\\"", 9 },
		{ "\"\\101\\0\\1018\"", "A\0A8", 4 },
		{ "\"\\x41\"", "A", 1 },
		{ "\"\\q\\%\"", "\\q\\%", 4 },
		{ "\"/* no */ // comment\"", "/* no */ // comment", 19 },
		{ "\"a\\\nb\"", "ab", 2 },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		struct first f = first_of(v[i].text, 0, NULL, 0);
		assert_int_equal(f.n.kind, NODE_STR);
		assert_int_equal(f.len, v[i].len);
		assert_memory_equal(f.str, v[i].val, v[i].len);
	}
}

static void
test_literal_errors(void **state)
{
	static const struct lt_error v[] = {
		{ "BEGIN { x = 08; }", "D_INT_DIGIT", 1, 13 },
		{ "BEGIN { x = 1z; }", "D_INT_DIGIT", 1, 13 },
		{ "BEGIN { x = 0x; }", "D_INT_DIGIT", 1, 13 },
		{ "BEGIN { x = 1uu; }", "D_INT_DIGIT", 1, 13 },
		{ "BEGIN { x = 9223372036854775808; }", "D_INT_OFLOW", 1, 13 },
		{ "BEGIN { x = 0x1ffffffffffffffff; }", "D_INT_OFLOW", 1, 13 },
		{ "BEGIN {\n x = 1.5; }", "D_SYNTAX", 2, 6 },
		{ "BEGIN { x = 1e5; }", "D_SYNTAX", 1, 13 },
		{ "BEGIN { x = .5; }", "D_SYNTAX", 1, 13 },
		{ "BEGIN { x = \"a\nb\"; }", "D_STR_NL", 1, 13 },
		{ "BEGIN { x = \"a", "D_STR_NL", 1, 13 },
		{ "BEGIN { x = 'a\n'; }", "D_CHR_NL", 1, 13 },
		{ "BEGIN { x = ''; }", "D_CHR_NULL", 1, 13 },
		{ "BEGIN { x = '123456789'; }", "D_CHR_OFLOW", 1, 13 },
		{ "BEGIN { /* a /* b */ }", "D_SYNTAX", 1, 14 },
		{ "BEGIN {\n /* a", "D_SYNTAX", 2, 2 },
		{ "BEGIN { x = \\; }", "D_SYNTAX", 1, 13 },
		{ "BEGIN { x = \x80; }", "D_SYNTAX", 1, 13 },
		{ "BEGIN { x = a`; }", "D_SYNTAX", 1, 13 },
		{ "BEGIN { while (1) }", "D_SYNTAX", 1, 9 },
	};

	lt_expect_errors(v);
}

static void
test_names(void **state)
{
	struct first f = first_of("`jiffies", 0, NULL, 0);

	assert_int_equal(f.n.kind, NODE_SYM);
	assert_string_equal(f.str, "`jiffies");
	f = first_of("9p`x", 0, NULL, 0);
	assert_string_equal(f.str, "9p`x");
	f = first_of("LM1`libc`errno", 0, NULL, 0);
	assert_string_equal(f.str, "LM1`libc`errno");
	f = first_of("@", 0, NULL, 0);
	assert_int_equal(f.n.kind, NODE_AGG);
	assert_string_equal(f.str, "_");
	f = first_of("@x1", 0, NULL, 0);
	assert_string_equal(f.str, "x1");
	f = first_of("x // to the end\n", 0, NULL, 0);
	assert_string_equal(f.str, "x");
}

static void
test_macros(void **state)
{
	char *argv[] = { (char *)"dtrace", (char *)"12", (char *)"-0x10",
			 (char *)"name", (char *)"two words",
			 (char *)"\"quo\\ted\"", (char *)"a`b",
			 (char *)"12abc" };
	const int argc = 8;
	const unsigned ref = LANG_C_ARGREF;
	struct first f = first_of("$1", argc, argv, ref);

	assert_int_equal(f.n.kind, NODE_INT);
	assert_int_equal(f.n.ival, 12);
	f = first_of("$2", argc, argv, ref);
	assert_int_equal(f.n.kind, NODE_UNARY);
	assert_int_equal(f.n.op, TOK_NEG);
	assert_int_equal(f.n.ival, 16);
	f = first_of("$3", argc, argv, ref);
	assert_int_equal(f.n.kind, NODE_IDENT);
	assert_string_equal(f.str, "name");
	f = first_of("$4", argc, argv, ref);
	assert_int_equal(f.n.kind, NODE_STR);
	assert_string_equal(f.str, "two words");
	f = first_of("$5", argc, argv, ref);
	assert_string_equal(f.str, "quo\ted");
	f = first_of("$6", argc, argv, ref);
	assert_int_equal(f.n.kind, NODE_SYM);
	f = first_of("$7", argc, argv, ref);
	assert_int_equal(f.n.kind, NODE_STR);
	f = first_of("$$1", argc, argv, ref);
	assert_int_equal(f.n.kind, NODE_STR);
	assert_string_equal(f.str, "12");
	f = first_of("$pid", 0, NULL, 0);
	assert_int_equal(f.n.ival, 4242);
	f = first_of("$neg", 0, NULL, 0);
	assert_int_equal(f.n.op, TOK_NEG);
	f = first_of("$$pid", 0, NULL, 0);
	assert_string_equal(f.str, "4242");
	f = first_of("$9", 0, NULL, LANG_C_DEFARG);
	assert_int_equal(f.n.kind, NODE_INT);
	assert_int_equal(f.n.ival, 0);
	f = first_of("$$9", 0, NULL, LANG_C_DEFARG);
	assert_int_equal(f.n.kind, NODE_STR);
}

static void
macro_error(const char *text, int argc, char **argv, const char *tag)
{
	struct lt t;
	struct lt_src s = { .text = text, .spec = LANG_SPEC_NAME,
			    .argc = argc, .argv = argv };

	lt_open(&t);
	assert_string_equal(lt_parse(&t, &s, NULL, NULL), tag);
	lt_close(&t);
}

static void
test_macro_errors(void **state)
{
	char *argv[] = { (char *)"dtrace", (char *)"99999999999999999999",
			 (char *)"x" };

	macro_error("BEGIN { x = $1; }", 1, argv, "D_MACRO_UNDEF");
	macro_error("BEGIN { x = $nosuch; }", 1, argv, "D_MACRO_UNDEF");
	macro_error("pid$nosuch:::entry", 1, argv, "D_MACRO_UNDEF");
	macro_error("BEGIN { x = $1; }", 2, argv, "D_MACRO_OFLOW");
	macro_error("BEGIN { x = $$1; }", 3, argv, "D_MACRO_UNUSED");
	macro_error("BEGIN { x = $; }", 1, argv, "D_SYNTAX");
}

static void
test_control_lines(void **state)
{
	struct lt t;
	struct lt_src s = { .file = "t.d", .spec = LANG_SPEC_NAME };

	lt_open(&t);
	s.text = "#!/usr/sbin/dtrace -s\n"
		 "  #  pragma D option strsize = 1k /* a */ // b\n"
		 "#pragma D option defaultargs\n"
		 "#ident \"x\"\n#pragma once\n#\n"
		 "BEGIN { x = $1;\n"
		 "#! a comment\n"
		 "#pragma D option quiet\n"
		 "# 40 \"other.d\" 1 2\n"
		 " y = 08; }";
	assert_string_equal(lt_parse(&t, &s, NULL, NULL), "D_INT_DIGIT");
	assert_string_equal(t.opt, "quiet");
	assert_string_equal(t.e.loc.file, "other.d");
	assert_int_equal(t.e.loc.line, 40);
	assert_int_equal(t.e.loc.col, 6);
	s.text = "#pragma D option strsize=\"1k\"\n"
		 "#pragma D depends_on module there\n"
		 "#pragma D attributes Evolving/Private/ISA provider p args\n"
		 "#pragma D binding \"1.6.3\" pid\n"
		 "provider p { probe a(); };\n";
	assert_null(lt_parse(&t, &s, NULL, NULL));
	assert_string_equal(t.opt, "strsize=1k");
	lt_close(&t);
}

static void
test_control_errors(void **state)
{
	static const struct lt_error v[] = {
		{ "\n #error why", "D_PRAGERR", 2, 2 },
		{ "#pragma error why\n", "D_PRAGERR", 1, 1 },
		{ "#pragma D error \"why\"\n", "D_PRAGERR", 1, 1 },
		{ "#pragma D option quiet", "D_SYNTAX", 1, 1 },
		{ "#pragma D option nspec=2 * 3\n", "D_PRAGMA_MALFORM", 1, 1 },
		{ " #!/usr/sbin/dtrace -s\n", "D_PRAGCTL_INVAL", 1, 2 },
		{ "#pragma D depends_on library there\n", "D_PRAGMA_DEPEND", 1,
		  1 },
		{ "BEGIN {\n#pragma D attributes nonsense f\n}",
		  "D_PRAGMA_INVAL", 2, 1 },
		{ "#include <x>", "D_PRAGCTL_INVAL", 1, 1 },
		{ "#line x", "D_PRAGCTL_INVAL", 1, 1 },
		{ "#line 3 x", "D_PRAGCTL_INVAL", 1, 1 },
		{ "#pragma D\n", "D_PRAGMA_MALFORM", 1, 1 },
		{ "#pragma D option\n", "D_PRAGMA_MALFORM", 1, 1 },
		{ "#pragma D option a b\n", "D_PRAGMA_MALFORM", 1, 1 },
		{ "#pragma D nonsense\n", "D_PRAGMA_INVAL", 1, 1 },
		{ "#pragma D option nosuch\n", "D_PRAGMA_OPTSET", 1, 1 },
		{ "#pragma D depends_on library x\n", "D_PRAGMA_DEPEND", 1, 1 },
		{ "#pragma D depends_on thing x\n", "D_PRAGMA_INVAL", 1, 1 },
		{ "#pragma D attributes a/b/c x\n", "D_PRAGMA_INVAL", 1, 1 },
		{ "#pragma D attributes Stable/Stable/ISA x\n",
		  "D_PRAGMA_UNUSED", 1, 1 },
		{ "#pragma D binding \"1\" x\n", "D_PRAGMA_MALFORM", 1, 1 },
		{ "BEGIN {\n#pragma D attributes Stable/Stable/ISA x\n}",
		  "D_PRAGMA_SCOPE", 2, 1 },
	};

	lt_expect_errors(v);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_literal_errors),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_macros),
		cmocka_unit_test(test_macro_errors),
		cmocka_unit_test(test_control_lines),
		cmocka_unit_test(test_control_errors),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
