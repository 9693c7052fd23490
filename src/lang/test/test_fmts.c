/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_fmts.c - which values go with which conversions of printf() and
 * printa(), each with each; and what is said of those that do not.
 */
#include "lang/test/check_test.h"
#include "base/test/fds.h"

#define DECLS                                                                  \
	"struct in6 { long hi, lo; }; enum e { E_ONE = 1 };"                   \
	"struct s { char text[8]; int ints[4]; struct in6 in; double d;"       \
	" float f; int i; enum e en; char *p; int none[3]; char big[300];"     \
	" string str; };"
#define S "((struct s *)arg0)->"

/* '+': taken, '-': refused for its type, '!': for something else. */
static char
is_taken(struct ct *t, const char *text)
{
	struct dif_prog *p = ct_try(t, text);

	if (p == NULL)
		return strcmp(t->e.tag->name, "D_PRINTF_ARG_TYPE") == 0 ? '-'
									: '!';
	dif_prog_free(p);
	return '+';
}

/* ---- printf ------------------------------------------------------------- */

static const char *const values[] = {
	"1",           "(char)1",
	"arg0",        "E_ONE", /* integers */
	"(int *)arg0", S "p",
	"&" S "i", /* pointers */
	"\"x\"",       S "text",
	S "str", /* strings */
	S "ints",      S "in",
	S "none",      "*(struct s *)arg0", /* wholes */
	S "d",         S "f",               /* floats */
	"stack()",     "ustack(3)",
	"sym(arg0)",   "usym(arg0)",
	"func(arg0)",  "umod(arg0)",
};
#define VALUES (sizeof(values) / sizeof(*values))

/* A conversion, and what becomes of the values, in their order. */
static const struct fits {
	const char *conv, *want;
} printfs[] = {
	{ "d", "++++------------------" },   { "i", "++++------------------" },
	{ "o", "++++------------------" },   { "u", "++++------------------" },
	{ "x", "++++------------------" },   { "X", "++++------------------" },
	{ "c", "++++------------------" },   { "C", "++++------------------" },
	{ "wc", "++++------------------" },  { "p", "+++++++-+-+-+---------" },
	{ "e", "--------------++------" },   { "E", "--------------++------" },
	{ "f", "--------------++------" },   { "g", "--------------++------" },
	{ "G", "--------------++------" },   { "s", "-----+-+++--------++++" },
	{ "S", "-----+-+++--------++++" },   { "ws", "-----+-++++-+-----++++" },
	{ "a", "+++++++-+-+-+-----++++" },   { "A", "+++++++-+-+-+-----++++" },
	{ "Y", "++++------------------" },   { "T", "++++------------------" },
	{ "k", "----------------++----" },   { "I", "+--+------++----------" },
	{ "P", "++++------------------" },   { "*d", "++++!!!!!!!!!!!!!!!!!!" },
	{ ".*d", "++++!!!!!!!!!!!!!!!!!!" },
};

static void
test_printf(void **state)
{
	bool good = true;

	for (size_t i = 0; i < sizeof(printfs) / sizeof(*printfs); i++) {
		char is[VALUES + 1] = "", text[512];

		for (size_t k = 0; k < VALUES; k++) {
			bool star = strchr(printfs[i].conv, '*') != NULL;
			struct ct t;

			ct_open(&t);
			snprintf(text, sizeof(text),
				 DECLS "BEGIN { printf(\"%%%s\", %s%s); }",
				 printfs[i].conv, values[k], star ? ", 1" : "");
			is[k] = is_taken(&t, text);
			ct_close(&t);
		}
		if (strcmp(is, printfs[i].want) != 0) {
			print_error("%%%s: \"%s\"\n", printfs[i].conv, is);
			good = false;
		}
	}
	assert_true(good);
}

/* ---- printa ------------------------------------------------------------- */

static const char *const keys[] = {
	"1",           "arg0",       "\"x\"",       "execname",
	"(int *)arg0", "stack()",    "ustack(3)",   "sym(arg0)",
	"mod(arg0)",   "usym(arg0)", "ufunc(arg0)",
};
#define KEYS (sizeof(keys) / sizeof(*keys))

static const struct fits printas[] = {
	{ "d", "++--+------" },     { "wc", "++--+------" },
	{ "p", "++--+--++++" },     { "f", "-----------" },
	{ "s", "--++---++++" },     { "S", "--++---++++" },
	{ "a", "++--+--++++" },     { "A", "++--+--++++" },
	{ "Y", "++--+------" },     { "k", "-----++----" },
	{ "I", "-----------" },     { "P", "-----------" },
	{ "*@d", "++!!+!!!!!!" },   { ".*@d", "++!!+!!!!!!" },
	{ "@d", "+++++++++++" },    { "@p", "+++++++++++" },
	{ "@s", "-----------" },    { "@Y", "+++++++++++" },
	{ "@f", "-----------" },    { "@a", "-----------" },
	{ "@k", "-----------" },    { "d%d", "!!--!------" },
	{ "@d%@d", "+++++++++++" },
};

static void
test_printa(void **state)
{
	bool good = true;

	for (size_t i = 0; i < sizeof(printas) / sizeof(*printas); i++) {
		char is[KEYS + 1] = "", text[512];

		for (size_t k = 0; k < KEYS; k++) {
			struct ct t;

			ct_open(&t);
			snprintf(text, sizeof(text),
				 "BEGIN { @[%s] = count(); printa(\"%%%s\", "
				 "@); }",
				 keys[k], printas[i].conv);
			is[k] = is_taken(&t, text);
			ct_close(&t);
		}
		if (strcmp(is, printas[i].want) != 0) {
			print_error("%%%s: \"%s\"\n", printas[i].conv, is);
			good = false;
		}
	}
	assert_true(good);
}

/* Side by side: each kind of key with each. */
static const char *const beside[KEYS] = {
	"++--+------", "++--+------", "--++-------", "--++-------",
	"++--+------", "-----+-----", "------+----", "-------+---",
	"--------+--", "---------+-", "----------+",
};

static void
test_beside(void **state)
{
	bool good = true;

	for (size_t i = 0; i < KEYS; i++) {
		char is[KEYS + 1] = "", text[512];

		for (size_t k = 0; k < KEYS; k++) {
			struct dif_prog *p;
			struct ct t;

			ct_open(&t);
			snprintf(text, sizeof(text),
				 "BEGIN { @a[%s] = count(); @b[%s] = sum(1);"
				 " printa(@a, @b); }",
				 keys[i], keys[k]);
			p = ct_try(&t, text);
			is[k] = p != NULL ? '+' : '-';
			if (p == NULL)
				assert_string_equal(t.e.msg,
						    "printa(): @a and @b have "
						    "different keys");
			dif_prog_free(p);
			ct_close(&t);
		}
		if (strcmp(is, beside[i]) != 0) {
			print_error("%s: \"%s\"\n", keys[i], is);
			good = false;
		}
	}
	assert_true(good);
}

/* ---- what is said ------------------------------------------------------- */

static const struct said {
	const char *text, *want;
} said[] = {
	{ "printf(\"%d\", \"x\")",
	  "D_PRINTF_ARG_TYPE 22 printf(): argument #1 is incompatible "
	  "with %d: expected an integer, found string" },
	{ "printf(\"%d%p\", 1, \"x\")",
	  "D_PRINTF_ARG_TYPE 27 printf(): argument #2 is incompatible "
	  "with %p: expected a pointer or an integer, found string" },
	{ "printf(\"%s\", arg0)",
	  "D_PRINTF_ARG_TYPE 22 printf(): argument #1 is incompatible "
	  "with %s: expected a string, found int64_t (of an address, "
	  "copyinstr() makes the process's string and stringof() the "
	  "kernel's)" },
	{ "printf(\"%s\", 5)",
	  "D_PRINTF_ARG_TYPE 22 printf(): argument #1 is incompatible "
	  "with %s: expected a string, found int" },
	{ "printf(\"%s\", (int)arg0)",
	  "D_PRINTF_ARG_TYPE 27 printf(): argument #1 is incompatible "
	  "with %s: expected a string, found int" },
	{ "printf(stack())",
	  "D_PRINTF_ARG_FMT 16 printf(): the format must be a string "
	  "constant" },
	{ "printf(\"%*d\", stack(), 1)",
	  "D_PRINTF_DYN_TYPE 23 printf(): the width of %d must be an "
	  "integer, not stack()" },
	{ "printf(\"%.*d\", usym(arg0), 1)",
	  "D_PRINTF_DYN_TYPE 24 printf(): the precision of %d must be "
	  "an integer, not usym()" },
	{ "system(\"%*s\", sym(arg0), \"\")",
	  "D_PRINTF_DYN_TYPE 23 system(): the width of %s must be an "
	  "integer, not sym()" },
	{ "printa(stack(), @)",
	  "D_PRINTA_AGGARG 16 printa(): argument #1 must be a format "
	  "or an aggregation" },
	{ "printf(\"%ws\", 5)",
	  "D_PRINTF_ARG_TYPE 23 printf(): argument #1 is incompatible "
	  "with %ws: expected a string or an array of wide characters, "
	  "found int" },
	{ "printf(\"%f\", 5)",
	  "D_PRINTF_ARG_TYPE 22 printf(): argument #1 is incompatible "
	  "with %f: expected a floating-point number, found int" },
	{ "printf(\"%k\", 5)",
	  "D_PRINTF_ARG_TYPE 22 printf(): argument #1 is incompatible "
	  "with %k: expected stack() or ustack(), found int" },
	{ "printf(\"%I\", 5L)",
	  "D_PRINTF_ARG_TYPE 22 printf(): argument #1 is incompatible "
	  "with %I: expected an internet address of 4 or 16 bytes, "
	  "found long" },
	{ "printf(\"%P\", (int *)arg0)",
	  "D_PRINTF_ARG_TYPE 29 printf(): argument #1 is incompatible "
	  "with %P: expected an integer, found int *" },
	{ "printf(\"%d\", stack())",
	  "D_PRINTF_ARG_TYPE 22 printf(): argument #1, stack(), is "
	  "incompatible with %d" },
	{ "printf(\"%*d\", \"x\", 1)",
	  "D_PRINTF_DYN_TYPE 23 printf(): the width of %d must be an "
	  "integer, not string" },
	{ "printf(\"%.*d\", \"x\", 1)",
	  "D_PRINTF_DYN_TYPE 24 printf(): the precision of %d must be "
	  "an integer, not string" },
	{ "printf(\"%d %d\", 1)",
	  "D_PRINTF_ARG_PROTO 20 printf(): an argument is missing for "
	  "%d" },
	{ "printf(\"%*d\", 1)",
	  "D_PRINTF_ARG_PROTO 17 printf(): an argument is missing for "
	  "%d" },
	{ "printf(\"%*d\")",
	  "D_PRINTF_DYN_PROTO 17 printf(): an argument is missing for "
	  "width of %d" },
	{ "printf(\"%.*d\")",
	  "D_PRINTF_DYN_PROTO 17 printf(): an argument is missing for "
	  "precision of %d" },
	{ "printf(\"%d\", 1, 2, 3)",
	  "D_PRINTF_ARG_EXTRA 25 printf(): only 1 of 3 arguments are "
	  "used by the format" },
	{ "printf()", "D_PROTO_LEN 9 printf() needs a format" },
	{ "printf(1)",
	  "D_PRINTF_ARG_FMT 16 printf(): the format must be a string "
	  "constant" },
	{ "printf(\"%@d\", 1)",
	  "D_PRINTF_AGG_CONV 17 printf(): %@ may be used with printa() "
	  "only" },
	{ "freopen(\".\")",
	  "D_FREOPEN_INVALID 17 freopen(): \".\" is not a file; \"\" "
	  "is the first stream" },
	{ "system()", "D_PROTO_LEN 9 system() needs a format" },
	{ "printa()", "D_PROTO_LEN 9 printa() needs an aggregation" },
	{ "printa(1, @)",
	  "D_PRINTA_AGGARG 16 printa(): argument #1 must be a format "
	  "or an aggregation" },
	{ "printa(\"x\")", "D_PRINTA_PROTO 9 printa() needs an aggregation" },
	{ "printa(\"%d\", 1)",
	  "D_PRINTA_AGGARG 22 printa() needs an aggregation here" },
	{ "printa(@[1])",
	  "D_PRINTA_AGGPROTO 16 printa() takes aggregation @_ without "
	  "keys" },
	{ "@[1] = count(); printa(\"%d %d\", @)",
	  "D_PRINTF_ARG_PROTO 36 printa(): %d has no key left: @_ has 1" },
	{ "@[1] = count(); printa(\"%s\", @)",
	  "D_PRINTF_ARG_TYPE 33 printa(): key #1 of @_ is incompatible "
	  "with %s" },
	{ "@[1] = count(); printa(\"%d %*@d\", @)",
	  "D_PRINTF_DYN_PROTO 36 printa(): the width of %d has no key "
	  "left: @_ has 1" },
	{ "@[1] = count(); printa(\"%d %.*@d\", @)",
	  "D_PRINTF_DYN_PROTO 36 printa(): the precision of %d has no "
	  "key left: @_ has 1" },
	{ "@[\"\"] = count(); printa(\"%*@d\", @)",
	  "D_PRINTF_DYN_TYPE 34 printa(): key #1 of @_ is the width of "
	  "%d, so it must be an integer" },
	{ "@[\"\"] = count(); printa(\"%.*@d\", @)",
	  "D_PRINTF_DYN_TYPE 34 printa(): key #1 of @_ is the "
	  "precision of %d, so it must be an integer" },
	{ "@[1] = count(); printa(\"%d %@s\", @)",
	  "D_PRINTF_ARG_TYPE 36 printa(): %@s cannot print the value "
	  "of an aggregation" },
	{ "@a = count(); @b = count(); printa(\"%@d %@d %@d\", @a, @b)",
	  "D_PRINTF_ARG_PROTO 53 printa(): more %@ conversions than "
	  "aggregations" },
	{ "@a[1] = count(); @b = count(); printa(@a, @b)",
	  "D_PRINTA_AGGKEY 51 printa(): @a has 1 key, @b has 0" },
	{ "@a = count(); @b[1, 2] = count(); printa(@a, @b)",
	  "D_PRINTA_AGGKEY 54 printa(): @a has 0 keys, @b has 2" },
};

static void
test_said(void **state)
{
	bool good = true;

	for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++) {
		char text[4500];
		struct ct t;

		ct_open(&t);
		snprintf(text, sizeof(text), "BEGIN { %s; }", said[i].text);
		assert_null(ct_try(&t, text));
		snprintf(text, sizeof(text), "%s %u %s", t.e.tag->name,
			 t.e.loc.col, t.e.msg);
		if (strcmp(text, said[i].want) != 0) {
			print_error("%zu: \"%s\"\n", i, text);
			good = false;
		}
		ct_close(&t);
	}
	assert_true(good);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_printf),
		cmocka_unit_test(test_printa),
		cmocka_unit_test(test_beside),
		cmocka_unit_test(test_said),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
