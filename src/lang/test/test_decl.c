/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Declarations to types: what each makes, its layout, what is refused. */
#include "lang_test.h"

static void
print_decl(struct compile *cx, const struct item *it, void *arg)
{
	static const char *const classes[] = { "", "typedef ", "extern ",
					       "self ", "this ", "static " };
	struct buf *b = arg;

	for (uint32_t i = 0; i < it->ndecls; i++) {
		const struct decl *d = &it->decls[i];
		buf_printf(b, "%s%s%s: %s%s", b->n > 0 ? "; " : "",
			   classes[d->cls], d->name,
			   lang_type_name(cx, d->type),
			   d->is_func ? " func" : "");
		for (uint32_t k = 0; k < d->nkeys; k++)
			buf_printf(b, "%s%s", k == 0 ? " by " : ", ",
				   lang_type_name(cx, d->keys[k]));
	}
}

/* What fn writes of the declarations of a text; an error, if it has one. */
static void
gives(const char *text, const char *want,
      void (*fn)(struct compile *cx, const struct item *it, void *arg))
{
	struct lt_src s = { .text = text, .file = "t.d",
			    .spec = LANG_SPEC_NAME };
	struct buf b = BUF_INIT;
	struct lt t;

	lt_open(&t);
	if (lt_parse(&t, &s, fn, &b) != NULL)
		buf_printf(&b, "%s: %s", t.e.tag->name, t.e.msg);
	if (strcmp(buf_str(&b), want) != 0)
		fail_msg("%s\n  gave %s\n  not  %s", text, buf_str(&b), want);
	buf_fini(&b);
	lt_close(&t);
}

static void
test_types(void **state)
{
	static const struct {
		const char *text, *want;
	} v[] = {
		{ "int x;", "x: int" },
		{ "long unsigned int long x, *y;",
		  "x: unsigned long long; y: unsigned long long *" },
		{ "short x; unsigned y; signed char z; char c;",
		  "x: short; y: unsigned int; z: signed char; c: char" },
		{ "long double d; _Bool b; float f;",
		  "d: long double; b: _Bool; f: float" },
		{ "string s; string *t;", "s: string; t: string *" },
		{ "uint8_t a[4][2];", "a: uint8_t [4][2]" },
		{ "int a[2 * 3 - 1];", "a: int [5]" },
		{ "int *a[3]; int (*b)[3];", "a: int *[3]; b: int (*)[3]" },
		{ "int *(*f[3])(char, void *);",
		  "f: int *(*[3])(char, void *)" },
		{ "const char *s; char *const t;",
		  "s: const char *; t: char *const" },
		{ "int a[string, int]; self char *b[pid_t];",
		  "a: int by string, int; self b: char * by pid_t" },
		{ "this int x; self string y;", "this x: int; self y: string" },
		{ "self a, *b; this c; extern d;",
		  "self a: int; self b: int *; this c: int; extern d: int" },
		{ "struct t { int a; }; union t { char c; }; enum t { A };"
		  "struct t x; union t y; enum t z;",
		  "x: struct t; y: union t; z: enum t" },
		{ "char *restrict p; const char *const restrict restrict q;",
		  "p: char *; q: const char *const" },
		{ "extern int f(...); int g(char buf[restrict]);",
		  "extern f: int (...) func; g: int (char *) func" },
		{ "extern int v[]; extern int *w;",
		  "extern v: int []; extern w: int *" },
		{ "int f(void); int g(); int h(int a, ...);",
		  "f: int (void) func; g: int (void) func; "
		  "h: int (int, ...) func" },
		{ "int f(int a[3], int g(char));",
		  "f: int (int *, int (*)(char)) func" },
		{ "typedef struct q q_t; q_t *p; struct q { int a; }; q_t v;",
		  "typedef q_t: struct q; p: q_t *; v: q_t" },
		{ "struct { int a; } x;", "x: struct (anonymous)" },
		{ "enum e { A, B = 5, C, } x; int y[C];",
		  "x: enum e; y: int [6]" },
		{ "enum e { A = 2, B = A << 2, C = (A) -1 }; int y[B], z[C];",
		  "y: int [8]; z: int [1]" },
		{ "int (x); int ((*y));", "x: int; y: int *" },
		{ "typedef int t; t(*x); t (y);", "typedef t: int; x: t *; "
						  "y: t" },
		{ "typedef int t; typedef int t; t x;",
		  "typedef t: int; typedef t: int; x: t" },
		{ "int a[sizeof(int *) + sizeof(int [3])];", "a: int [20]" },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		gives(v[i].text, v[i].want, print_decl);
}

/* size / offset of a and of b in bits: the last declaration's struct. */
static void
print_layout(struct compile *cx, const struct item *it, void *arg)
{
	struct buf *b = arg;
	struct type *t = it->decls[it->ndecls - 1].type;
	uint64_t off;

	buf_printf(b, "%llu", (unsigned long long)type_size(t));
	for (const char *p = "abcd"; *p != '\0'; p++) {
		char name[2] = { *p, 0 };
		if (type_member(t, name, &off) != NULL)
			buf_printf(b, " %llu", (unsigned long long)off);
	}
}

static void
test_layout(void **state)
{
	static const struct {
		const char *text, *want;
	} v[] = {
		{ "struct { char a; int b; } x;", "8 0 32" },
		{ "union { char a; int b; } x;", "4 0 0" },
		{ "struct { int a : 3, b : 5; int c; } x;", "8 0 3 32" },
		{ "struct { int a : 3; int : 7; int b : 2; } x;", "4 0 10" },
		{ "struct { int a : 3; int : 0; int b : 2; } x;", "8 0 32" },
		{ "struct { char a; struct { int b; union { char c; "
		  "long d; }; }; } x;", "24 0 64 128 128" },
		{ "struct { int a; char b[]; } x;", "4 0 32" },
		{ "struct s { struct s *a; char b[0]; } x;", "8 0 64" },
		{ "struct { int a, counter, self; char string; int b; } x;",
		  "20 0 128" },
		/* such names also behind parameters, which may not have them */
		{ "struct { int (*a)(int), self, b; } x;", "16 0 96" },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		gives(v[i].text, v[i].want, print_layout);
}

static void
test_specifier_errors(void **state)
{
	static const struct lt_error v[] = {
		{ "short char x;", "D_DECL_CHARATTR", 1, 1 },
		{ "unsigned void x;", "D_DECL_VOIDATTR", 1, 1 },
		{ "signed float x;", "D_DECL_SIGNINT", 1, 1 },
		{ "unsigned _Bool x;", "D_DECL_SIGNINT", 1, 1 },
		{ "long long long x;", "D_DECL_LONGINT", 1, 1 },
		{ "short float x;", "D_DECL_LONGINT", 1, 1 },
		{ "long long double x;", "D_DECL_LONGINT", 1, 1 },
		{ "int char x;", "D_DECL_COMBO", 1, 5 },
		{ "int struct cpuinfo x;", "D_DECL_COMBO", 1, 5 },
		{ "short long x;", "D_UNKNOWN", 1, 1 },
		{ "long struct s { int a; } x;", "D_DECL_LONGINT", 1, 1 },
		{ "unsigned struct s { int a; } x;", "D_DECL_SIGNINT", 1, 1 },
		{ "signed unsigned x;", "D_DECL_COMBO", 1, 1 },
		{ "extern nosuch x;", "D_SYNTAX", 1, 15 },
		{ "typedef nosuch x;", "D_SYNTAX", 1, 9 },
		{ "const x;", "D_SYNTAX", 1, 7 },
		{ "extern typedef int x;", "D_DECL_CLASS", 1, 8 },
		{ "struct s { self int x; };", "D_DECL_CLASS", 1, 12 },
		{ "static int x;", "D_DECL_BADCLASS", 1, 1 },
		{ "register int x;", "D_DECL_BADCLASS", 1, 1 },
		{ "auto int x;", "D_DECL_BADCLASS", 1, 1 },
		{ "int f(static int x);", "D_DECL_PARMCLASS", 1, 7 },
		{ "self int f(int);", "D_DECL_BADCLASS", 1, 10 },
		{ "int f(extern int x);", "D_DECL_PARMCLASS", 1, 7 },
		{ "int;", "D_DECL_USELESS", 1, 1 },
		{ "struct { int a; };", "D_DECL_USELESS", 1, 1 },
		{ "int x = 1;", "D_SYNTAX", 1, 7 },
		{ "int x y;", "D_SYNTAX", 1, 7 },
		{ "int x", "D_SYNTAX", 1, 6 },
		{ "_Complex x;", "D_SYNTAX", 1, 1 },
		{ "int `x;", "D_DECL_SCOPE", 1, 5 },
		{ "struct m`s { int a; };", "D_DECL_SCOPE", 1, 8 },
	};

	lt_expect_errors(v);
}

static void
test_object_errors(void **state)
{
	static const struct lt_error v[] = {
		{ "void x;", "D_DECL_VOIDOBJ", 1, 6 },
		{ "void x[3];", "D_DECL_VOIDOBJ", 1, 7 },
		{ "struct s { void x; };", "D_DECL_VOIDOBJ", 1, 17 },
		{ "struct s x;", "D_DECL_INCOMPLETE", 1, 10 },
		{ "struct s x[2];", "D_DECL_INCOMPLETE", 1, 11 },
		{ "struct s { struct s x; };", "D_DECL_INCOMPLETE", 1, 21 },
		{ "int x[];", "D_DECL_ARRNULL", 1, 5 },
		{ "struct s { int x[]; int y; };", "D_DECL_ARRNULL", 1, 25 },
		{ "extern int x[2][];", "D_DECL_ARRNULL", 1, 13 },
		{ "int x[0];", "D_DECL_ARRSUB", 1, 7 },
		{ "int x[-1];", "D_DECL_ARRSUB", 1, 7 },
		{ "int x[int][int];", "D_DECL_ARRSUB", 1, 11 },
		{ "int x[3][int];", "D_DECL_ARRSUB", 1, 9 },
		{ "struct s { int x[int]; };", "D_DECL_ARRSUB", 1, 16 },
		{ "typedef int t[int];", "D_DECL_ARRSUB", 1, 13 },
		{ "extern int t[int];", "D_DECL_ARRSUB", 1, 12 },
		{ "int x[3000000000];", "D_DECL_ARRBIG", 1, 7 },
		{ "int x[600000000];", "D_DECL_ARRBIG", 1, 6 },
		{ "string x[3];", "D_DECL_DYNOBJ", 1, 9 },
		{ "this int x[int];", "D_DECL_LOCASSC", 1, 10 },
		{ "typedef int t; typedef char t;", "D_DECL_IDRED", 1, 29 },
		{ "struct s { int a; }; struct s { int a; };", "D_DECL_TYPERED",
		  1, 29 },
		{ "struct s { int a; }; struct s { int a; };", "D_DECL_TYPERED",
		  1, 29 },
		{ "enum s { A }; enum s { B };", "D_DECL_TYPERED", 1, 20 },
		{ "typedef int pid;", "D_DECL_IDRED", 1, 13 },
		{ "enum e { A, A };", "D_UNKNOWN", 1, 13 },
		{ "enum e { A }; enum f { A };", "D_DECL_IDRED", 1, 24 },
		{ "enum e { A = 0x80000000 };", "D_DECL_ENOFLOW", 1, 10 },
		{ "enum e { A = 0x7fffffff, B };", "D_DECL_ENOFLOW", 1, 26 },
		{ "enum e { A = \"x\" };", "D_DECL_ENCONST", 1, 14 },
		{ "enum nosuch x;", "D_TYPE_ERR", 1, 6 },
		{ "struct s { int a; int a; };", "D_UNKNOWN", 1, 23 },
		{ "struct s { int; };", "D_DECL_MNAME", 1, 12 },
		{ "struct s { int *; };", "D_DECL_MNAME", 1, 16 },
		{ "struct s { int a : 33; };", "D_DECL_BFSIZE", 1, 20 },
		{ "struct s { int a : 0; };", "D_DECL_BFCONST", 1, 20 },
		{ "struct s { char *a : 1; };", "D_DECL_BFTYPE", 1, 22 },
		{ "struct s { int a : \"x\"; };", "D_DECL_BFCONST", 1, 20 },
		{ "struct s { };", "D_SYNTAX", 1, 12 },
		{ "int x[\"a\"];", "D_DECL_ARRSUB", 1, 7 },
	};

	lt_expect_errors(v);
}

static void
test_prototype_errors(void **state)
{
	static const struct lt_error v[] = {
		{ "int f(..., int);", "D_DECL_PROTO_VARARGS", 1, 7 },
		{ "int a[...];", "D_DECL_PROTO_VARARGS", 1, 6 },
		{ "int f(int, ..., int);", "D_DECL_PROTO_VARARGS", 1, 12 },
		{ "int f(void, int);", "D_DECL_PROTO_VOID", 1, 7 },
		{ "int f(void x);", "D_DECL_PROTO_NAME", 1, 7 },
		{ "int f(void x, int);", "D_DECL_PROTO_NAME", 1, 7 },
		{ "int f(int a, int a);", "D_DECL_PROTO_NAME", 1, 14 },
		{ "int f(a, b);", "D_DECL_PROTO_FORM", 1, 7 },
		{ "int f(int a[int]);", "D_DECL_PROTO_TYPE", 1, 7 },
		{ "int x[void, char];", "D_DECL_PROTO_TYPE", 1, 7 },
		{ "int f(int)[3];", "D_DECL_COMBO", 1, 6 },
		{ "int f(int)(int);", "D_DECL_COMBO", 1, 6 },
		{ "int f[3](int);", "D_DECL_COMBO", 1, 6 },
		{ "struct s { int f(int); };", "D_DECL_VOIDOBJ", 1, 16 },
		{ "int f[int](int);", "D_DECL_ARRSUB", 1, 5 },
	};

	lt_expect_errors(v);
}

static void
test_depth(void **state)
{
	static const char *const v[] = { "int %s x;*", "int %s x;(",
					 "%s;struct { ", "int x%s;[1]",
					 "int f%s;(int a(int b", "enum %s;{A=" };

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		struct lt t;
		struct buf b = BUF_INIT;
		struct lt_src s = { .file = "t.d", .spec = LANG_SPEC_NAME };
		const char *rep = strchr(v[i], ';') + 1;
		const char *pct = strstr(v[i], "%s");
		buf_write(&b, v[i], (size_t)(pct - v[i]));
		for (int k = 0; k < 5000; k++)
			buf_puts(&b, rep);
		buf_write(&b, pct + 2, (size_t)(rep - pct - 2));
		s.text = buf_str(&b);
		lt_open(&t);
		assert_non_null(lt_parse(&t, &s, NULL, NULL));
		lt_close(&t);
		buf_fini(&b);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_specifier_errors),
		cmocka_unit_test(test_object_errors),
		cmocka_unit_test(test_prototype_errors),
		cmocka_unit_test(test_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
