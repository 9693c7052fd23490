/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The nth allocation fails, n = 1, 2, 3 ..., until the compile succeeds: each
 * time one error, nothing leaked, and the lang as good as before.
 */
#include "lang_test.h"

#include "base/test/nomem.h"
#include "base/test/fds.h"

static const char text[] =
	"# 3 \"other.d\"\n"
	"#pragma D option quiet\n"
	"#pragma D attributes Evolving/Evolving/Common k\n"
	"typedef struct s { int a : 3; struct s *next; char c[4]; } s_t;\n"
	"enum e { A, B = 4 };\n"
	"int k[int, string]; self s_t *p; this int t;\n"
	"inline int N = B + 1;\n"
	"int f(int, char *);\n"
	"inline int add[int x, int y] = x + y;\n"
	"struct o { int m; string n; };\n"
	"translator struct o < int I > { m = add(I, 1); n = \"x\"; };\n"
	"provider app { probe do__it(int a, char *b) : (int a); };\n"
	"#pragma D binding \"1.0\" add\n"
	"BEGIN, pid$1:a:b:c /N == 5/ { k[1, \"x\"] = $1; this->t = N;\n"
	"  self->p = (s_t *)arg0; @a[execname] = count();\n"
	"  printf(\"%d %s\\n\", this->t, execname);\n"
	"  self->o = xlate <struct o>(k[add(this->t++, 2), \"y\"]);\n"
	"  trace(xlate <struct o *>(3)->n); }\n";

static void
test_nth(void **state)
{
	static struct lang_more more;
	char *argv[] = { (char *)"x", (char *)"12" };
	struct lt t;
	struct lang_src src = { .text = text, .len = sizeof(text) - 1,
				.file = "t.d", .spec = LANG_SPEC_NAME,
				.argc = 2, .argv = argv, .more = &more };
	struct dif_prog *p = NULL;

	lt_open(&t);
	for (long n = 1; p == NULL; n++) {
		err_clear(&t.e);
		nomem_arm(n);
		p = lang_compile(t.lang, &src, &t.e);
		bool failed = nomem_disarm();
		if (p == NULL && !failed)
			fail_msg("%s", t.e.msg);
		assert_true(failed || p != NULL);
		if (p == NULL && t.e.tag != &ERR_NOMEM)
			fail_msg("n = %ld: %s: %s", n, t.e.tag->name,
				 t.e.msg);
		assert_true(n < 100000);
	}
	assert_int_equal(p->nclauses, 2);
	dif_prog_free(p);
	lt_close(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nth),
	};

	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
