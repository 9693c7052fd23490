/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Trees, written as lists: (+ 1 (* 2 3)).  Clauses print as their
 * descriptions in angle brackets, predicate after /, statements in braces.
 */
#include "lang_test.h"

static void dump(struct compile *cx, const struct node *n, struct buf *b);

static void
dump_list(struct compile *cx, struct node *const *v, uint32_t n, struct buf *b)
{
	for (uint32_t i = 0; i < n; i++) {
		buf_puts(b, " ");
		dump(cx, v[i], b);
	}
}

static const char *
dump_op(int op)
{
	static char text[2];
	static const struct { int op; const char *s; } v[] = {
		{ TOK_LSH, "<<" }, { TOK_RSH, ">>" }, { TOK_LE, "<=" },
		{ TOK_GE, ">=" }, { TOK_EQ, "==" }, { TOK_NE, "!=" },
		{ TOK_LAND, "&&" }, { TOK_LOR, "||" }, { TOK_LXOR, "^^" },
		{ TOK_ADD_EQ, "+=" }, { TOK_SUB_EQ, "-=" },
		{ TOK_MUL_EQ, "*=" }, { TOK_DIV_EQ, "/=" },
		{ TOK_MOD_EQ, "%=" }, { TOK_AND_EQ, "&=" },
		{ TOK_XOR_EQ, "^=" }, { TOK_OR_EQ, "|=" },
		{ TOK_LSH_EQ, "<<=" }, { TOK_RSH_EQ, ">>=" },
		{ TOK_INC, "++x" }, { TOK_DEC, "--x" },
		{ TOK_POSTINC, "x++" }, { TOK_POSTDEC, "x--" },
		{ TOK_DEREF, "deref" }, { TOK_ADDROF, "addr" },
		{ TOK_NEG, "neg" }, { TOK_POS, "pos" },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		if (v[i].op == op)
			return v[i].s;
	text[0] = (char)op;
	return text;
}

static void
dump_op_node(struct compile *cx, const char *op, const struct node *n,
	     struct buf *b)
{
	buf_printf(b, "(%s", op);
	if (n->ctype != NULL)
		buf_printf(b, " <%s>", lang_type_name(cx, n->ctype));
	const struct node *v[] = { n->cond, n->left, n->right };
	for (int i = 0; i < 3; i++) {
		if (v[i] == NULL)
			continue;
		buf_puts(b, " ");
		dump(cx, v[i], b);
	}
	if (n->kind == NODE_OFFSETOF || n->kind == NODE_HAS_MEMBER ||
	    n->kind == NODE_ARROW || n->kind == NODE_MEMBER)
		buf_printf(b, " %s", n->name);
	dump_list(cx, n->args, n->nargs, b);
	buf_puts(b, ")");
}

static void
dump_name(struct compile *cx, const char *prefix, const struct node *n,
	  struct buf *b)
{
	buf_printf(b, "%s%s", prefix, n->name);
	if (n->subscripted) {
		buf_puts(b, "[");
		dump_list(cx, n->args, n->nargs, b);
		buf_puts(b, " ]");
	}
}

static void
dump_if(struct compile *cx, const struct node *n, struct buf *b)
{
	buf_puts(b, "(if ");
	dump(cx, n->cond, b);
	buf_puts(b, " {");
	dump_list(cx, n->body, n->nbody, b);
	buf_puts(b, " }");
	if (n->norelse > 0) {
		buf_puts(b, " {");
		dump_list(cx, n->orelse, n->norelse, b);
		buf_puts(b, " }");
	}
	buf_puts(b, ")");
}

static void
dump(struct compile *cx, const struct node *n, struct buf *b)
{
	switch (n->kind) {
	case NODE_INT:
		buf_printf(b, "%lld", (long long)n->ival);
		break;
	case NODE_STR:
		buf_printf(b, "\"%s\"", n->str);
		break;
	case NODE_IDENT:
	case NODE_PARAM:
		buf_puts(b, n->name);
		break;
	case NODE_SYM:
		buf_printf(b, "%s`%s", n->mod, n->name);
		break;
	case NODE_AGG:
		dump_name(cx, "@", n, b);
		break;
	case NODE_SELF:
		dump_name(cx, "self.", n, b);
		break;
	case NODE_THIS:
		dump_name(cx, "this.", n, b);
		break;
	case NODE_SUB:
		dump_op_node(cx, "[]", n, b);
		break;
	case NODE_CALL:
		dump_op_node(cx, n->name, n, b);
		break;
	case NODE_MEMBER:
		dump_op_node(cx, ".", n, b);
		break;
	case NODE_ARROW:
		dump_op_node(cx, "->", n, b);
		break;
	case NODE_CAST:
		dump_op_node(cx, "cast", n, b);
		break;
	case NODE_SIZEOF:
	case NODE_SIZEOF_TYPE:
		dump_op_node(cx, "sizeof", n, b);
		break;
	case NODE_OFFSETOF:
		dump_op_node(cx, "offsetof", n, b);
		break;
	case NODE_HAS_MEMBER:
		dump_op_node(cx, "__has_member", n, b);
		break;
	case NODE_STRINGOF:
		dump_op_node(cx, "stringof", n, b);
		break;
	case NODE_XLATE:
		dump_op_node(cx, "xlate", n, b);
		break;
	case NODE_COMMA:
	case NODE_COND:
	case NODE_UNARY:
	case NODE_BINARY:
	case NODE_ASSIGN:
		dump_op_node(cx, dump_op(n->op), n, b);
		break;
	case NODE_EXPR_STMT:
		dump(cx, n->left, b);
		break;
	case NODE_IF:
		dump_if(cx, n, b);
		break;
	}
}

static void
dump_clause(struct compile *cx, const struct clause_node *c, struct buf *b)
{
	for (uint32_t i = 0; i < c->npdescs; i++) {
		const struct dif_pdesc *p = &c->pdescs[i];
		if (p->id != 0)
			buf_printf(b, "<%u>", p->id);
		else
			buf_printf(b, "<%s:%s:%s:%s>", p->prov, p->mod,
				   p->func, p->name);
	}
	if (c->pred != NULL) {
		buf_puts(b, " / ");
		dump(cx, c->pred, b);
		buf_puts(b, " /");
	}
	if (c->has_body) {
		buf_puts(b, " {");
		dump_list(cx, c->body, c->nbody, b);
		buf_puts(b, " }");
	}
}

static void
dump_item(struct compile *cx, const struct item *it, void *arg)
{
	struct buf *b = arg;

	if (b->n > 0)
		buf_puts(b, "\n");
	switch (it->kind) {
	case ITEM_CLAUSE:
		dump_clause(cx, &it->clause, b);
		break;
	case ITEM_DECL:
		buf_printf(b, "decl %u", it->ndecls);
		break;
	case ITEM_INLINE:
		buf_printf(b, "inline %s %s", it->decls[0].name,
			   lang_type_name(cx, it->decls[0].type));
		for (uint32_t i = 0; i < it->decls[0].nkeys; i++)
			buf_printf(b, " [%s %s]",
				   lang_type_name(cx, it->decls[0].keys[i]),
				   it->params[i]);
		buf_puts(b, " = ");
		dump(cx, it->expr, b);
		break;
	case ITEM_XLATOR:
		buf_printf(b, "translator %s < %s %s >",
			   lang_type_name(cx, it->outtype),
			   lang_type_name(cx, it->intype), it->params[0]);
		for (uint32_t i = 0; i < it->nmembers; i++) {
			buf_printf(b, " %s=", it->members[i].name);
			dump(cx, it->members[i].expr, b);
		}
		break;
	case ITEM_PROVIDER:
		buf_printf(b, "provider %s", it->provider);
		for (uint32_t i = 0; i < it->nprobes; i++)
			buf_printf(b, " %s/%u/%d/%u", it->probes[i].name,
				   it->probes[i].nargs,
				   it->probes[i].has_xargs,
				   it->probes[i].nxargs);
		break;
	case ITEM_NONE:
		break;
	}
}

static void
expect_src(const struct lt_src *s, const char *want)
{
	struct lt t;
	struct buf b = BUF_INIT;

	lt_open(&t);
	if (lt_parse(&t, s, dump_item, &b) != NULL)
		buf_printf(&b, "%s: %s", t.e.tag->name, t.e.msg);
	if (strcmp(buf_str(&b), want) != 0)
		fail_msg("%s\n  gave %s\n  not  %s", s->text, buf_str(&b),
			 want);
	buf_fini(&b);
	lt_close(&t);
}

struct pair {
	const char *text, *want;
};

static void
test_expressions(void **state)
{
	static const struct pair v[] = {
		{ "1+2*3", "(+ 1 (* 2 3))" },
		{ "(1+2)*3", "(* (+ 1 2) 3)" },
		{ "a-b-c", "(- (- a b) c)" },
		{ "a=b=c", "(= a (= b c))" },
		{ "a=b,c+=1", "(, (= a b) (+= c 1))" },
		{ "a||b^^c&&d|e^f&g==h<i<<j+k*l",
		  "(|| a (^^ b (&& c (| d (^ e (& f (== g (< h (<< i "
		  "(+ j (* k l)))))))))))" },
		{ "a?b:c?d:e", "(? a b (? c d e))" },
		{ "a?b,c:d", "(? a (, b c) d)" },
		{ "x=a?b:c", "(= x (? a b c))" },
		{ "-a*~b", "(* (neg a) (~ b))" },
		{ "!*p++", "(! (deref (x++ p)))" },
		{ "++x- --y", "(- (++x x) (--x y))" },
		{ "&a[1]", "(addr ([] a 1))" },
		{ "a[1,2]", "([] a 1 2)" },
		{ "a->b.c[0]", "([] (. (-> a b) c) 0)" },
		{ "a->self->string", "(-> (-> a self) string)" },
		{ "p->refs.counter", "(. (-> p refs) counter)" },
		{ "self->x", "self.x" },
		{ "self->x[1,2]", "self.x[ 1 2 ]" },
		{ "this->x[1]", "([] this.x 1)" },
		{ "@=count()", "(= @_ (count))" },
		{ "@a[1,x]=sum(y)", "(= @a[ 1 x ] (sum y))" },
		{ "printf(\"x\", 1, (a, b))",
		  "(printf \"x\" 1 (, a b))" },
		{ "m`s+`t", "(+ m`s `t)" },
		{ "x /= 2 / y", "(/= x (/ 2 y))" },
		{ "a<<=1", "(<<= a 1)" },
		{ "sizeof(int)+1", "(+ (sizeof <int>) 1)" },
		{ "sizeof x", "(sizeof x)" },
		{ "sizeof(x)", "(sizeof x)" },
		{ "sizeof(pid_t)", "(sizeof <pid_t>)" },
		{ "offsetof(struct cpuinfo, cpu_id)",
		  "(offsetof <struct cpuinfo> cpu_id)" },
		{ "stringof(x)", "(stringof x)" },
		{ "stringof x->y", "(stringof (-> x y))" },
		{ "xlate <struct cpuinfo *>(x)->cpu_id",
		  "(-> (xlate <struct cpuinfo *> x) cpu_id)" },
		{ "(int)x", "(cast <int> x)" },
		{ "(unsigned char *)x+1", "(+ (cast <unsigned char *> x) 1)" },
		{ "(string)x", "(cast <string> x)" },
		{ "(uint64_t)x", "(cast <uint64_t> x)" },
		{ "(uint64_t)-x", "(cast <uint64_t> (neg x))" },
		{ "(size_t)", "size_t" },
		{ "(size_t)*2", "(cast <size_t> (deref 2))" },
		{ "(pid)-1", "(- pid 1)" },
		{ "(x)-1", "(- x 1)" },
		{ "(uintptr_t *)x", "(cast <uintptr_t *> x)" },
		{ "(const char *)arg0", "(cast <const char *> arg0)" },
		{ "(int (*)(int))x", "(cast <int (*)(int)> x)" },
		{ "a/b/c", "(/ (/ a b) c)" },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		char text[512], want[512];
		struct lt_src s = { .text = text, .spec = LANG_SPEC_NAME,
				    .file = "t.d" };
		snprintf(text, sizeof(text), "a:b:c:d { %s; }", v[i].text);
		snprintf(want, sizeof(want), "<a:b:c:d> { %s }", v[i].want);
		expect_src(&s, want);
	}
}

static void
test_clauses(void **state)
{
	static const struct pair v[] = {
		{ "BEGIN{}", "<:::BEGIN> { }" },
		{ "BEGIN,END{;;x=1}", "<:::BEGIN><:::END> { (= x 1) }" },
		{ "read:entry {a;b}", "<::read:entry> { a b }" },
		{ "a::: {}", "<a:::> { }" },
		{ ":::\n{}", "<:::> { }" },
		{ "::read*:,\n ?[a-z]\\*! {}", "<::read*:><:::?[a-z]\\*!> { }" },
		{ "17 {}", "<17> { }" },
		{ "tick-5s {}", "<:::tick-5s> { }" },
		{ "pid$pid:libc.so.6:m\\:x:entry {}",
		  "<pid4242:libc.so.6:m\\:x:entry> { }" },
		{ "BEGIN /x/ {}", "<:::BEGIN> / x / { }" },
		{ "BEGIN /a / b/ {}", "<:::BEGIN> / (/ a b) / { }" },
		{ "BEGIN /a / /* c */ b/ /* d */ {}",
		  "<:::BEGIN> / (/ a b) / { }" },
		{ "BEGIN /a/// c\n{}", "<:::BEGIN> / a / { }" },
		{ "BEGIN /a //c\n == 1/ {}", "<:::BEGIN> / (== a 1) / { }" },
		{ "BEGIN/*c*//x/{}", "<:::BEGIN> / x / { }" },
		{ "BEGIN /x/\n#pragma D option quiet\n{}",
		  "<:::BEGIN> / x / { }" },
		{ "BEGIN // c\n/x == \"/\"/ { y / 2 }",
		  "<:::BEGIN> / (== x \"/\") / { (/ y 2) }" },
		{ "return {} int {}", "<:::return> { }\n<:::int> { }" },
		{ "tcp*send {} read* {}",
		  "<:::tcp*send> { }\n<:::read*> { }" },
		{ "BEGIN { if (x) y; else if (z) { a; b } c }",
		  "<:::BEGIN> { (if x { y } { (if z { a b }) }) c }" },
		{ "BEGIN { if (x) {} else {} ; if (y) z }",
		  "<:::BEGIN> { (if x { }) (if y { z }) }" },
		{ "int x; BEGIN {} pid_t *p;",
		  "decl 1\n<:::BEGIN> { }\ndecl 1" },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		struct lt_src s = { .text = v[i].text, .file = "t.d",
				    .spec = LANG_SPEC_NAME };
		expect_src(&s, v[i].want);
	}
}

#define PASTED(name, how, is)                                                  \
	"D_PDESC_INVAL: " name " is no name that a probe "                     \
	"description can have (" how ": " is " matches that)"
#define CPP(name, is)                                                          \
	PASTED(name, "a function of C++ or Rust has its linker's name", is)
#define GO(name, is)                                                           \
	PASTED(name, "with ? for the characters that it cannot have", is)

static void
test_specs(void **state)
{
	char *argv[] = { (char *)"x", (char *)"syscall::read" };
	static const struct {
		enum lang_spec spec;
		const char *text, *want;
	} v[] = {
		{ LANG_SPEC_NONE, "BEGIN", "<:::BEGIN>" },
		{ LANG_SPEC_NAME, "$1:entry", "<syscall::read:entry>" },
		{ LANG_SPEC_PROVIDER, "syscall{x} BEGIN{y}",
		  "<syscall:::> { x }\n<:::BEGIN> { y }" },
		{ LANG_SPEC_MOD, "a:b/x/{}", "<a:b::> / x / { }" },
		{ LANG_SPEC_MOD, "ext4, nfs;", "<:ext4::><:nfs::>" },
		{ LANG_SPEC_FUNC, "read", "<::read:>" },
		{ LANG_SPEC_FUNC, "a:b:c", "<a:b:c:>" },
		{ LANG_SPEC_NAME, "a:libstdc++.so:~x@1%#:e/x/{}",
		  "<a:libstdc++.so:~x@1%#:e> / x / { }" },
		{ LANG_SPEC_NAME, "c++x:f:e", "<:c++x:f:e>" },
		{ LANG_SPEC_PROVIDER, "a:b",
		  "D_PDESC_INVAL: overspecified probe description \"a:b\": "
		  "the provider is its last field" },
		{ LANG_SPEC_NAME, "a:b:c:d:e",
		  "D_PDESC_INVAL: overspecified probe description "
		  "\"a:b:c:d:e\": the name is its last field" },
		/* Names of functions as stacks show them. */
		{ LANG_SPEC_NAME, "pid1:a.out:ns::f(int):entry{}",
		  CPP("ns::f(int)", "*ns*f*") },
		{ LANG_SPEC_NAME,
		  "pid1::ns::D<int, ns::E<char> >::~D():entry{}",
		  CPP("ns::D<int, ns::E<char> >::~D()", "*ns*D*D?Ev") },
		{ LANG_SPEC_NAME,
		  "instr*:a:ns::D::operator==(ns::D const&) const:lock-*{}",
		  CPP("ns::D::operator==(ns::D const&) const", "*ns*D*") },
		{ LANG_SPEC_NAME, "pid1:a:<T as c::fmt::Debug>::fmt:return{}",
		  CPP("<T as c::fmt::Debug>::fmt", "*fmt*") },
		{ LANG_SPEC_NAME, "pid1:a.out:main.(*T[...]).Method:entry{}",
		  GO("main.(*T[...]).Method", "main.??T?...??.Method") },
		{ LANG_SPEC_NAME, "pid*:p:example.com/x/sub.F:entry/pid/{}",
		  GO("example.com/x/sub.F", "example.com?x?sub.F") },
		{ LANG_SPEC_NAME, "pid1:a.out:f:/arg0?1:0/{}",
		  "<pid1:a.out:f:> / (? arg0 1 0) / { }" },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		struct lt_src s = { .text = v[i].text, .spec = v[i].spec,
				    .argc = 2, .argv = argv,
				    .cflags = LANG_C_ARGREF };
		expect_src(&s, v[i].want);
	}
}

static void
test_items(void **state)
{
	static const struct pair v[] = {
		{ "inline int N = 3 * 4;", "inline N int = (* 3 4)" },
		{ "inline string f[int a, string b] = (a) -1 ? b : \"\";",
		  "inline f string [int a] [string b] = "
		  "(? (- a 1) b \"\")" },
		{ "translator struct cpuinfo < int *I > {\n"
		  " cpu_id = *I; counter = (I) + 1; };",
		  "translator struct cpuinfo < int * I > "
		  "cpu_id=(deref I) counter=(+ I 1)" },
		{ "provider app { probe q__start(char *s, int);\n"
		  "probe done(struct r *r) : (int); probe e(void); };",
		  "provider app q__start/2/0/0 done/1/1/1 e/0/0/0" },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		struct lt_src s = { .text = v[i].text, .file = "t.d",
				    .spec = LANG_SPEC_NAME };
		expect_src(&s, v[i].want);
	}
}

static void
test_errors(void **state)
{
	static const struct lt_error v[] = {
		{ "BEGIN", "D_SYNTAX", 1, 6 },
		{ "BEGIN;", "D_SYNTAX", 1, 6 },
		{ "BEGIN /x/", "D_SYNTAX", 1, 10 },
		{ "BEGIN /x/;", "D_SYNTAX", 1, 10 },
		{ "BEGIN /x {}", "D_SYNTAX", 1, 10 },
		{ "BEGIN /(x/ {}", "D_SYNTAX", 1, 10 },
		{ "BEGIN /a[x/ {}", "D_SYNTAX", 1, 11 },
		{ "BEGIN {", "D_SYNTAX", 1, 8 },
		{ "BEGIN { x", "D_SYNTAX", 1, 10 },
		{ "BEGIN { x y }", "D_SYNTAX", 1, 11 },
		{ "BEGIN { x + }", "D_SYNTAX", 1, 13 },
		{ "BEGIN { int x; }", "D_SYNTAX", 1, 9 },
		{ "BEGIN { } }", "D_SYNTAX", 1, 11 },
		{ "BEGIN { self }", "D_SYNTAX", 1, 14 },
		{ "BEGIN { self->3 }", "D_SYNTAX", 1, 15 },
		{ "BEGIN { @a[] }", "D_SYNTAX", 1, 12 },
		{ "BEGIN { `f(1) }", "D_FUNC_IDENT", 1, 11 },
		{ "BEGIN { counter = 1 }", "D_SYNTAX", 1, 9 },
		{ "BEGIN { (struct nosuch *)x }", "D_TYPE_ERR", 1, 17 },
		{ "BEGIN { (nosuch_t)x }", "D_SYNTAX", 1, 10 },
		{ "BEGIN { (nosuch_t *)x }", "D_SYNTAX", 1, 10 },
		{ "BEGIN { sizeof(nosuch_t *) }", "D_SYNTAX", 1, 16 },
		{ "BEGIN { offsetof(nosuch_t, a) }", "D_SYNTAX", 1, 18 },
		{ "BEGIN { (pid) x }", "D_SYNTAX", 1, 15 },
		{ "nosuch_t x;", "D_SYNTAX", 1, 10 },
		{ "BEGIN foo {}", "D_SYNTAX", 1, 7 },
		{ "\n  a:b:c:d:e {}", "D_PDESC_INVAL", 2, 3 },
		{ "0 {}", "D_PDESC_INVAL", 1, 1 },
		{ "4294967296 {}", "D_PDESC_INVAL", 1, 1 },
		{ "BEGIN, {}", "D_SYNTAX", 1, 8 },
		{ "&x {}", "D_SYNTAX", 1, 1 },
		{ "provider p1 { };", "D_PROV_BADNAME", 1, 10 },
		{ "provider p { probe a(); probe a(); };", "D_PROV_PRDUP", 1,
		  31 },
		{ "provider p { probe a(int,int,int,int,int,int,int,int,"
		  "int,int,int,int,int); };",
		  "D_PROV_PRARGLEN", 1, 20 },
		{ "provider p { foo(); };", "D_SYNTAX", 1, 14 },
		{ "translator struct cpuinfo < int > { };", "D_SYNTAX", 1, 33 },
		{ "translator struct cpuinfo < int i > { a = 1; }\nBEGIN {}",
		  "D_SYNTAX", 2, 1 },
		{ "inline int f[int] = 1;", "D_DECL_PROTO_NAME", 1, 12 },
		{ "inline int f[int a, int a] = 1;", "D_DECL_PROTO_NAME", 1,
		  12 },
		{ "inline int f(int a) = 1;", "D_SYNTAX", 1, 12 },
		{ "inline int f;", "D_SYNTAX", 1, 13 },
	};

	lt_expect_errors(v);
}

/* Deep or long text must fail or pass, not overflow the stack. */
static void
test_depth(void **state)
{
	static const char *const opens[] = { "(", "-", "x[", "x?", "x=", "f(",
					     "(int)", "sizeof ", "x?y:",
					     "if(1)", "x+", "x,", "x->" };

	for (size_t i = 0; i < sizeof(opens) / sizeof(opens[0]); i++) {
		struct lt t;
		struct buf b = BUF_INIT;
		struct lt_src s = { .file = "t.d", .spec = LANG_SPEC_NAME };
		buf_puts(&b, "BEGIN { ");
		for (int k = 0; k < 20000; k++)
			buf_puts(&b, opens[i]);
		buf_puts(&b, "x");
		s.text = buf_str(&b);
		lt_open(&t);
		assert_string_equal(lt_parse(&t, &s, NULL, NULL), "D_SYNTAX");
		assert_non_null(strstr(t.e.msg, "nested too deeply"));
		lt_close(&t);
		buf_fini(&b);
	}
}

static void
test_empty(void **state)
{
	struct lt t;
	struct lang_src src = { .text = " ;\n", .len = 3,
				.spec = LANG_SPEC_NAME };

	lt_open(&t);
	assert_null(lang_compile(t.lang, &src, &t.e));
	assert_string_equal(t.e.tag->name, "D_EMPTY");
	err_clear(&t.e);
	src.cflags = LANG_C_EMPTY;
	struct dif_prog *p = lang_compile(t.lang, &src, &t.e);
	assert_non_null(p);
	assert_int_equal(p->nclauses, 0);
	dif_prog_free(p);
	/* Dependencies are told, the rest is not read. */
	src.text = "#pragma D depends_on library x\n$$$ \"\n@@";
	src.len = strlen(src.text);
	src.cflags = LANG_C_CTL;
	p = lang_compile(t.lang, &src, &t.e);
	assert_non_null(p);
	dif_prog_free(p);
	lt_close(&t);
}

/* Types of a failed compile are gone; those of a good one stay. */
static void
test_trace(void **state)
{
	struct lt t;
	struct lang_src src = { .spec = LANG_SPEC_NAME, .file = "t.d" };

	lt_open(&t);
	src.text = "typedef int foo_t; struct s { int a; }; %";
	src.len = strlen(src.text);
	assert_null(lang_compile(t.lang, &src, &t.e));
	assert_null(type_lookup(t.lang->types, NULL, "foo_t"));
	src.len -= 1;
	err_clear(&t.e);
	struct dif_prog *p = lang_compile(t.lang, &src, &t.e);
	assert_non_null(p);
	dif_prog_free(p);
	assert_non_null(type_lookup(t.lang->types, NULL, "foo_t"));
	assert_null(lang_compile(t.lang, &src, &t.e));
	assert_string_equal(t.e.tag->name, "D_DECL_TYPERED");
	lt_close(&t);
}

static void
test_whole(void **state)
{
	struct lt t;
	struct lang_src src = { .spec = LANG_SPEC_NAME };

	src.text = "BEGIN { x = 1; } END { x++; }";
	src.len = strlen(src.text);
	lt_open(&t);
	struct dif_prog *p = lang_compile(t.lang, &src, &t.e);
	if (p == NULL)
		fail_msg("%s", t.e.msg);
	assert_int_equal(p->nclauses, 2);
	assert_string_equal(p->name, "BEGIN");
	assert_string_equal(p->clauses[1].pdesc.name, "END");
	dif_prog_free(p);
	lt_close(&t);
}

/* Behind the brace where reading goes on after an error, a line does not
   begin: a # there is none of the preprocessor's. */
static void
test_resume(void **state)
{
	static const char text[] = "BEGIN\n{ trace(1;\n} # 50 \"o.d\"\n"
				   "END\n{ trace(1 +);\n}\n"
				   "END\n{ trace(2;\n}\n";
	static struct lang_more more;
	struct lt t;
	struct lang_src src = { .text = text, .len = sizeof(text) - 1,
				.file = "t.d", .spec = LANG_SPEC_NAME,
				.more = &more };

	(void)state;
	lt_open(&t);
	assert_null(lang_compile(t.lang, &src, &t.e));
	assert_int_equal(t.e.loc.line, 2);
	assert_int_equal(more.n, 2);
	assert_string_equal(more.v[0].loc.file, "t.d");
	assert_int_equal(more.v[0].loc.line, 3);
	assert_int_equal(more.v[1].loc.line, 8);
	lt_close(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resume),
		cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_clauses),
		cmocka_unit_test(test_specs),
		cmocka_unit_test(test_items),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_trace),
		cmocka_unit_test(test_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
