/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * D text, compiled and run by the interpreter.  SAME() gives one and the same
 * expression to the D compiler and to ours: D's arithmetic is C's.  SAYS() and
 * GIVES() are for what C does not have.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "engine/interp/interp.h"
#include "lang/lang.h"

struct run {
	struct type_space *base;
	struct lang *lang;
	struct dif_prog *prog;
	struct arena *arena;
	struct rt_host host;
	struct rt *rt;
	uint64_t result; /* of the last traced value */
	char text[256];  /* and as a string, if it is one */
	bool traced;
};

static int
any_probe(void *arg, const struct dif_pdesc *pd, struct lang_probe_info *out,
	  struct err *e)
{
	out->nmatch = 1;
	return 0;
}

static void
run_compile(struct run *r, const char *text)
{
	struct lang_host h = { .probe_info = any_probe, .engines = DIF_ENG_IK };
	struct lang_src s = { .text = text,
			      .len = strlen(text),
			      .spec = LANG_SPEC_NAME };
	struct err e = { 0 };

	memset(r, 0, sizeof(*r));
	r->base = h.types = type_space_base(&e);
	r->lang = lang_new(&h, &e);
	assert_non_null(r->lang);
	r->prog = lang_compile(r->lang, &s, &e);
	if (r->prog == NULL)
		fail_msg("%s\n  gave %s: %s", text, e.tag->name, e.msg);
}

static void
run_value(struct run *r, const struct dif_stmt *st, const struct dif_expr *x)
{
	uint64_t v = interp_run(r->rt, x->obj);

	if (r->rt->fault != DIF_FAULT_NONE || st->kind != DIF_ACT_TRACE)
		return;
	r->traced = true;
	r->result = v;
	if (x->type.kind == DIF_TYPE_STRING)
		snprintf(r->text, sizeof(r->text), "%s",
			 v == 0 ? "(null)" : (const char *)(uintptr_t)v);
}

static void
run_clause(struct run *r, const struct dif_clause *c)
{
	r->rt->fault = DIF_FAULT_NONE;
	if (c->pred != NULL && interp_run(r->rt, c->pred) == 0)
		return;
	for (uint32_t i = 0; i < c->nstmts; i++)
		for (uint32_t k = 0; k < c->stmts[i].nexprs; k++) {
			run_value(r, &c->stmts[i], &c->stmts[i].exprs[k]);
			if (r->rt->fault != DIF_FAULT_NONE)
				return;
		}
}

/* All clauses in order, as if one probe fired. */
static void
run_open(struct run *r, const char *text)
{
	run_compile(r, text);
	r->arena = arena_new();
	r->host.tab = lang_tab(r->lang);
	r->host.sizes = (struct dif_sizes){ .strsize = 256,
					    .stackframes = 20,
					    .ustackframes = 20 };
	dif_layout(&r->prog, 1, lang_tab(r->lang), &r->host.sizes, r->arena);
	r->host.globals = calloc(1, r->host.tab->globals_size + 1);
	r->host.thread = calloc(1, r->host.tab->thread_size + 1);
	r->rt = interp_rt_new(&r->host);
	assert_non_null(r->rt);
	for (uint32_t i = 0; i < RT_NARGS; i++)
		r->rt->arg[i] = i * 100;
	for (uint32_t i = 0; i < r->prog->nclauses; i++)
		run_clause(r, &r->prog->clauses[i]);
}

static void
run_close(struct run *r)
{
	interp_assoc_free(&r->host);
	interp_rt_free(r->rt);
	free(r->host.globals);
	free(r->host.thread);
	arena_free(r->arena);
	dif_prog_free(r->prog);
	lang_free(r->lang);
	type_space_free(r->base);
}

static void
gives(const char *text, int64_t want)
{
	struct run r;

	run_open(&r, text);
	if (!r.traced || (int64_t)r.result != want)
		fail_msg("%s\n  gave %" PRId64 " (%s), not %" PRId64, text,
			 (int64_t)r.result, dif_fault_text(r.rt->fault), want);
	run_close(&r);
}

static void
says(const char *text, const char *want)
{
	struct run r;

	run_open(&r, text);
	assert_true(r.traced);
	assert_string_equal(r.text, want);
	run_close(&r);
}

static void
faults(const char *text, uint32_t fault)
{
	struct run r;

	run_open(&r, text);
	assert_int_equal(r.rt->fault, fault);
	run_close(&r);
}

#define DECLARE                                                                \
	"signed char c; unsigned char uc; short h; unsigned short uh;"         \
	"int i; unsigned int u; long l; unsigned long ul; _Bool b; int *p;"
#define ASSIGN                                                                 \
	"BEGIN { c = -5; uc = 250; h = -300; uh = 65535; i = -2000000000;"     \
	"u = 4000000000; l = -5000000000; ul = -1; b = 7; p = 0; }"

/* The value of an expression, as a number of 64 bits. */
static void
arithmetic_is_in_64_bits(void **state)
{
	static const struct {
		const char *expr;
		int64_t want;
	} v[] = {
		{ "c + uc", 245 },
		{ "uc + uc", 244 },
		{ "uc * c", 30 },
		{ "(unsigned char)(uc + uc)", 244 },
		{ "c < uc", 0 },
		{ "i < u", 0 },
		{ "c < ul", 1 },
		{ "l < u", 1 },
		{ "h / 7", -42 },
		{ "h % 7", -6 },
		{ "u / -3", 0 },
		{ "ul / 3", 6148914691236517205ll },
		{ "l >> 3", -625000000 },
		{ "ul >> 3", 2305843009213693951ll },
		{ "u >> 3", 500000000 },
		{ "c >> 1", -3 },
		{ "(unsigned int)i >> 4", 143435456 },
		{ "u + 1000000000", 705032704 },
		{ "u * 2ul", 8000000000ll },
		{ "~u", 294967295 },
		{ "~uc", 5 },
		{ "-u", 294967296 },
		{ "-ul", 1 },
		{ "!i + !0", 1 },
		{ "b + b", 2 },
		{ "(_Bool)300", 1 },
		{ "(signed char)u", 0 },
		{ "(short)(uh + 2)", 1 },
		{ "(unsigned short)c", 65531 },
		{ "(unsigned int)c", 4294967291ll },
		{ "(unsigned long)c", -5 },
		{ "(int)l", -705032704 },
		{ "i < 0 ? c : u", 4294967291ll },
		{ "i > 0 && 1 / b || c", 1 },
		{ "uc & 0x0f | 0x100 ^ uh", 65279 },
		{ "1u << 31 >> 31", 1 },
		{ "0xffffffff + 1", 0 },
		{ "4294967295 + 1", 4294967296ll },
		{ "-1 > 1u", 1 },
		{ "sizeof(c + uc)", 1 },
		{ "sizeof(long) - 9 > 0", 1 },
		{ "&p[3] - p", 3 },
		{ "(long)(p + 3)", 12 },
		{ "p + 1 > p", 1 },
		{ "i * 4", -8000000000ll },
		{ "i * 4 / 4", -2000000000 },
		{ "(i + i) / 2", -2000000000 },
		{ "h * 1000 / 1000", -300 },
		{ "1 << 40", 1099511627776ll },
		{ "(char)(i * 4)", 0 },
		{ "(int)(l * 2) + 0l", -1410065408 },
		{ "u == -1", 0 },
		{ "(long)(u - 4000000001u)", 4294967295ll },
	};
	char text[512];

	for (size_t k = 0; k < sizeof(v) / sizeof(*v); k++) {
		snprintf(text, sizeof(text),
			 DECLARE ASSIGN "BEGIN { trace((int64_t)(%s)) }",
			 v[k].expr);
		gives(text, v[k].want);
	}
}

static void
assignments_convert_and_have_values(void **state)
{
	gives("char c; BEGIN { trace(c = 300) }", 44);
	gives("unsigned char c; BEGIN { c = 250; c += 10; trace(c) }", 4);
	gives("unsigned char c; BEGIN { c = 255; trace(c++ + 1000 * c) }", 255);
	gives("short s; BEGIN { s = 32767; trace(++s) }", -32768);
	gives("BEGIN { x = 5; x <<= 3; x |= 1; x ^= 3; x %= 9; trace(x) }", 6);
	gives("BEGIN { trace(n++); trace(n++); trace(--n) }", 1);
	gives("int *p; BEGIN { p = 0; p += 3; p++; trace((long)p--) }", 16);
	gives("BEGIN { x = y = 7; trace(x + y) }", 14);
	gives("BEGIN { x = (1, 2); trace(x ^^ 0) }", 1);
	gives("int x; BEGIN { x = -7; x /= 2u; trace(x) }", -4);
}

static void
variables_have_scopes(void **state)
{
	gives("BEGIN { x = 1; self->x = 2; this->x = 4 }"
	      "BEGIN { trace(x + self->x + this->x) }",
	      7);
	gives("BEGIN { a[1, \"k\"] = 5; a[1, \"k\"]++; a[2, \"k\"] = 1;"
	      "trace(a[1, \"k\"] * 10 + a[2, \"k\"] + a[3, \"z\"]) }",
	      61);
	gives("BEGIN { a[1] = 2; a[2] = 3; a[a[1]] += a[a[1]]; trace(a[2]) }",
	      6);
	gives("BEGIN { self->m[4] = 9; trace(self->m[4]--); "
	      "trace(self->m[4]) }",
	      8);
	says("BEGIN { s[1] = \"one\"; s[1] = strjoin(s[1], \"!\"); "
	     "trace(s[1]) }",
	     "one!");
	says("BEGIN { self->s = \"a\"; self->s = 0; trace(self->s) }",
	     "(null)");
	gives("BEGIN { a[(char)-1] = 3; trace(a[-1L]) }", 3);
}

static void
strings_are_values(void **state)
{
	says("BEGIN { s = \"ab\"; t = s; s = \"cd\"; trace(strjoin(s, t)) }",
	     "cdab");
	gives("BEGIN { s = \"ab\"; trace((s < \"b\") + (s == \"ab\") * 2 + "
	      "(\"\" >= s) * 4) }",
	      3);
	gives("BEGIN { trace(strlen(strjoin(\"abc\", \"de\")) + "
	      "index(\"hello\", \"l\")) }",
	      7);
	gives("BEGIN { trace(strstr(\"abc\", \"z\") == NULL) }", 1);
	says("BEGIN { trace(arg1 == 100 ? \"yes\" : \"no\") }", "yes");
	says("char b[8]; BEGIN { b[0] = 'h'; b[1] = 'i'; trace(stringof(b)) }",
	     "hi");
}

#define S                                                                      \
	"struct in { short p; int q; };"                                       \
	"struct s { int a:3; unsigned b:7; long x; struct in n; int v[4]; };"

static void
structs_are_values(void **state)
{
	gives(S "this struct s v; BEGIN { this->v.a = 5; trace(this->v.a) }",
	      -3);
	gives(S "this struct s v; BEGIN { this->v.b = 200; trace(this->v.b) }",
	      72);
	gives(S "self struct s v; BEGIN { self->v.b = 127; self->v.b++;"
		"self->v.a--; trace(self->v.b * 10 + self->v.a) }",
	      -1);
	gives(S "struct s v, w; BEGIN { v.n.q = 4; v.v[2] = 3; w = v;"
		"v.n.q = 5; w.v[w.v[2]] = 9; trace(w.n.q * 10 + w.v[3]) }",
	      49);
	gives(S "struct s a[int]; BEGIN { a[1].x = 6; a[1].x += 1; "
		"a[2] = a[1]; trace(a[2].x + a[1].n.p) }",
	      7);
	gives(S "BEGIN { this->p = (struct s *)alloca(sizeof(struct s));"
		"this->p->n.p = -2; this->p->a = 1; this->p[0].v[1] = 8;"
		"trace(this->p->n.p * this->p->v[this->p->a]) }",
	      -16);
	gives(S "BEGIN { trace(offsetof(struct s, n) + sizeof(struct s)) }",
	      16 + 40);
}

static void
if_chooses(void **state)
{
	says("BEGIN { if (arg1 > 5) trace(\"big\"); else trace(\"small\") }",
	     "big");
	says("BEGIN { if (arg0) { trace(\"x\") } else if (arg1 == 100) "
	     "{ if (arg2 != 200) trace(\"y\"); else trace(\"z\") } }",
	     "z");
	gives("BEGIN / arg0 == 0 / { x = 1; if (x) { x = 2 } x += 10; "
	      "trace(x) }",
	      12);
	gives("BEGIN { trace(1) } BEGIN / arg0 / { if (1) { trace(2) } "
	      "trace(3) }",
	      1);
}

static void
bad_things_fault(void **state)
{
	faults("BEGIN { trace(5 / arg0) }", DIF_FAULT_DIVZERO);
	faults("BEGIN { x = 3; x %= arg0 }", DIF_FAULT_DIVZERO);
	faults("BEGIN { *(int *)arg1 = 1 }", DIF_FAULT_BADADDR);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arithmetic_is_in_64_bits),
		cmocka_unit_test(assignments_convert_and_have_values),
		cmocka_unit_test(variables_have_scopes),
		cmocka_unit_test(strings_are_values),
		cmocka_unit_test(structs_are_values),
		cmocka_unit_test(if_chooses),
		cmocka_unit_test(bad_things_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
