/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The shapes of generated code, instruction by instruction.  That it computes
 * what C would is proved by running it: test_gen_run.c.
 */
#include "lang/test/check_test.h"

/* The instructions of an object, one per line, without words and comments. */
static void
listing(const struct dif_obj *o, struct buf *out)
{
	struct buf b = BUF_INIT;
	char *line, *save = NULL, *text;

	dif_disasm(o, &b);
	text = buf_detach(&b);
	assert_non_null(text);
	for (line = strtok_r(text, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save)) {
		char *end = strchr(line, '!');

		if (strlen(line) < 17 || line[2] != ':')
			continue;
		if (end == NULL)
			end = line + strlen(line);
		while (end > line && (end[-1] == ' ' || end[-1] == '\t'))
			end--;
		for (char *p = line + 16; p < end; p++)
			if (*p != ' ' || p[1] != ' ')
				buf_putc(out, *p);
		buf_putc(out, '\n');
	}
	free(text);
}

/* The last statement's first value of a program has this code. */
static void
expect(const char *text, const char *want)
{
	struct buf b = BUF_INIT;
	const struct dif_clause *c;
	struct dif_prog *p;
	struct ct t;

	ct_open(&t);
	p = ct_compile(&t, text);
	c = &p->clauses[p->nclauses - 1];
	listing(c->stmts[c->nstmts - 1].exprs[0].obj, &b);
	assert_string_equal(buf_str(&b), want);
	buf_fini(&b);
	dif_prog_free(p);
	ct_close(&t);
}

static void
constants_are_folded(void **state)
{
	expect("BEGIN{trace(2 * 3 + 1)}",
	       "setx DT_INTEGER[0], %r1\nret %r1\n");
	expect("BEGIN{trace(1 == 2)}", "ret %r0\n");
	expect("struct s { int a; }; BEGIN{trace(__has_member(struct s, a))}",
	       "setx DT_INTEGER[0], %r1\nret %r1\n");
	expect("struct s { int a; }; BEGIN{trace(__has_member(struct s, b))}",
	       "ret %r0\n");
	expect("BEGIN{trace(sizeof(int) == 4 ? pid : 0)}",
	       "ldgs DT_VAR(278), %r1\nret %r1\n");
}

/* So sums within sums take two registers. */
static void
what_wants_more_registers_comes_first(void **state)
{
	expect("BEGIN{trace(pid + (tid + uid))}",
	       "ldgs DT_VAR(279), %r1\nldgs DT_VAR(286), %r2\n"
	       "add %r1, %r2, %r1\nldgs DT_VAR(278), %r2\n"
	       "add %r2, %r1, %r2\nret %r2\n");
	expect("BEGIN{trace((pid + tid) + uid)}",
	       "ldgs DT_VAR(278), %r1\nldgs DT_VAR(279), %r2\n"
	       "add %r1, %r2, %r1\nldgs DT_VAR(286), %r2\n"
	       "add %r1, %r2, %r1\nret %r1\n");
	expect("BEGIN{trace(pid + tid * 4)}",
	       "ldgs DT_VAR(279), %r1\nsetx DT_INTEGER[0], %r2\n"
	       "mul %r1, %r2, %r1\nldgs DT_VAR(278), %r2\n"
	       "add %r2, %r1, %r2\nret %r2\n");
	/* The second index takes three, one of them for its bound. */
	expect("char c[4][4]; BEGIN{trace((pid + uid) + c[tid][ppid])}",
	       "ldgs DT_VAR(279), %r1\n"
	       "setx DT_INTEGER[0], %r2\n"
	       "bound %r1, %r2\n"
	       "setx DT_INTEGER[0], %r2\n"
	       "mul %r1, %r2, %r1\n"
	       "add %r0, %r1, %r1\n"
	       "ldgs DT_VAR(285), %r2\n"
	       "setx DT_INTEGER[0], %r3\n"
	       "bound %r2, %r3\n"
	       "add %r1, %r2, %r1\n"
	       "ldgs DT_VAR(1280), %r2\n"
	       "tst %r2\n"
	       "be 16\n"
	       "add %r2, %r1, %r1\n"
	       "ldsb [%r1], %r1\n"
	       "ba 17\n"
	       "mov %r0, %r1\n"
	       "ldgs DT_VAR(278), %r2\n"
	       "ldgs DT_VAR(286), %r3\n"
	       "add %r2, %r3, %r2\n"
	       "add %r2, %r1, %r2\n"
	       "ret %r2\n");
}

static void
values_are_cut_where_they_are_kept(void **state)
{
	/* A record keeps as many bytes as it has. */
	expect("BEGIN{trace((pid + 1) / 2)}", "ldgs DT_VAR(278), %r1\n"
					      "setx DT_INTEGER[0], %r2\n"
					      "add %r1, %r2, %r1\n"
					      "setx DT_INTEGER[1], %r2\n"
					      "sdiv %r1, %r2, %r1\n"
					      "ret %r1\n");
	expect("BEGIN{trace((unsigned char)arg0)}", "ldgs DT_VAR(262), %r1\n"
						    "ret %r1\n");
	/* A variable keeps what it is given. */
	expect("int x; BEGIN{x = pid + 1}", "ldgs DT_VAR(278), %r1\n"
					    "setx DT_INTEGER[0], %r2\n"
					    "add %r1, %r2, %r1\n"
					    "setx DT_INTEGER[1], %r2\n"
					    "sll %r1, %r2, %r1\n"
					    "sra %r1, %r2, %r1\n"
					    "stgs DT_VAR(1280), %r1\n"
					    "ret %r0\n");
	/* A cast to a narrower type cuts, one to a wider type does not. */
	expect("BEGIN{trace((unsigned char)arg0 / 2)}",
	       "ldgs DT_VAR(262), %r1\n"
	       "setx DT_INTEGER[0], %r2\n"
	       "and %r1, %r2, %r1\n"
	       "setx DT_INTEGER[1], %r2\n"
	       "sdiv %r1, %r2, %r1\n"
	       "ret %r1\n");
	expect("BEGIN{@ = sum((long)(pid + 1))}", "ldgs DT_VAR(278), %r1\n"
						  "setx DT_INTEGER[0], %r2\n"
						  "add %r1, %r2, %r1\n"
						  "ret %r1\n");
	/* 64 bits need nothing. */
	expect("BEGIN{trace(arg0 + arg1)}",
	       "ldgs DT_VAR(262), %r1\n"
	       "ldgs DT_VAR(263), %r2\n"
	       "add %r1, %r2, %r1\n"
	       "ret %r1\n");
}

static void
conditions_branch(void **state)
{
	expect("BEGIN{trace(arg0 && arg1 < 3)}",
	       "ldgs DT_VAR(262), %r1\n"
	       "tst %r1\n"
	       "be 9\n"
	       "ldgs DT_VAR(263), %r1\n"
	       "setx DT_INTEGER[0], %r2\n"
	       "cmp %r1, %r2\n"
	       "bge 9\n"
	       "setx DT_INTEGER[1], %r1\n"
	       "ba 10\n"
	       "mov %r0, %r1\n"
	       "ret %r1\n");
	expect("BEGIN{trace(execname == \"x\")}",
	       "ldgs DT_VAR(280), %r1\n"
	       "sets DT_STRING[10], %r2\n"
	       "scmp %r1, %r2\n"
	       "bne 6\n"
	       "setx DT_INTEGER[0], %r1\n"
	       "ba 7\n"
	       "mov %r0, %r1\n"
	       "ret %r1\n");
	/* A side that is a constant branches always, or not at all. */
	expect("BEGIN{trace(arg0 || 0)}",
	       "ldgs DT_VAR(262), %r1\n"
	       "tst %r1\n"
	       "bne 4\n"
	       "ba 6\n"
	       "setx DT_INTEGER[0], %r1\n"
	       "ba 7\n"
	       "mov %r0, %r1\n"
	       "ret %r1\n");
	expect("BEGIN{trace(arg0 && 1)}",
	       "ldgs DT_VAR(262), %r1\n"
	       "tst %r1\n"
	       "be 5\n"
	       "setx DT_INTEGER[0], %r1\n"
	       "ba 6\n"
	       "mov %r0, %r1\n"
	       "ret %r1\n");
	/* Unsigned operands, unsigned branch. */
	expect("BEGIN{trace(timestamp > 5 ? 1 : 2)}",
	       "ldgs DT_VAR(257), %r1\n"
	       "setx DT_INTEGER[0], %r2\n"
	       "cmp %r1, %r2\n"
	       "bleu 6\n"
	       "setx DT_INTEGER[1], %r1\n"
	       "ba 7\n"
	       "setx DT_INTEGER[2], %r1\n"
	       "ret %r1\n");
}

static void
members_are_loads(void **state)
{
	expect("struct s { char c; short h; unsigned b:3, d:5; };"
	       "BEGIN{trace(((struct s *)arg0)->h)}",
	       "ldgs DT_VAR(262), %r1\n"
	       "setx DT_INTEGER[0], %r2\n"
	       "add %r1, %r2, %r1\n"
	       "ldsh [%r1], %r1\n"
	       "ret %r1\n");
	expect("struct s { unsigned b:3, d:5; };"
	       "BEGIN{trace(((struct s *)arg0)->d)}",
	       "ldgs DT_VAR(262), %r1\n"
	       "ldub [%r1], %r1\n"
	       "setx DT_INTEGER[0], %r2\n"
	       "sll %r1, %r2, %r1\n"
	       "setx DT_INTEGER[1], %r2\n"
	       "srl %r1, %r2, %r1\n"
	       "ret %r1\n");
	/* A pointer tagged as one to user memory. */
	expect("typed:::{trace(args[1][1])}",
	       "setx DT_INTEGER[0], %r1\n"
	       "ldga DT_VAR(0), %r1, %r1\n"
	       "setx DT_INTEGER[0], %r2\n"
	       "add %r1, %r2, %r1\n"
	       "uldsb [%r1], %r1\n"
	       "ret %r1\n");
}

static void
user_strings_are_copied_in(void **state)
{
	expect("typed:::{printf(\"%s\", args[1])}",
	       "setx DT_INTEGER[0], %r1\n"
	       "ldga DT_VAR(0), %r1, %r1\n"
	       "pushtv DT_TYPE(0), %r0, %r1\n"
	       "call DIF_SUBR(9), %r1\n"
	       "flushts\n"
	       "ret %r1\n");
}

static void
tuples_do_not_nest(void **state)
{
	expect("BEGIN{a[1] = 1; a[2] = a[a[1]]}",
	       "setx DT_INTEGER[0], %r1\n"
	       "pushtv DT_TYPE(0), %r0, %r1\n"
	       "ldgaa DT_VAR(1280), %r1\n"
	       "flushts\n"
	       "pushtv DT_TYPE(0), %r0, %r1\n"
	       "ldgaa DT_VAR(1280), %r1\n"
	       "flushts\n"
	       "setx DT_INTEGER[1], %r2\n"
	       "pushtv DT_TYPE(0), %r0, %r2\n"
	       "stgaa DT_VAR(1280), %r1\n"
	       "flushts\n"
	       "ret %r0\n");
	expect("BEGIN{a[1, 2] = 1; trace(a[pid, !uid])}",
	       "ldgs DT_VAR(278), %r1\n"
	       "ldgs DT_VAR(286), %r2\n"
	       "tst %r2\n"
	       "bne 6\n"
	       "setx DT_INTEGER[0], %r2\n"
	       "ba 7\n"
	       "mov %r0, %r2\n"
	       "pushtv DT_TYPE(0), %r0, %r1\n"
	       "pushtv DT_TYPE(0), %r0, %r2\n"
	       "ldgaa DT_VAR(1280), %r1\n"
	       "flushts\n"
	       "ret %r1\n");
	/* What branches comes before all of them, what does not, in between. */
	expect("BEGIN{a[1, 2] = 1; trace(a[pid, -uid])}",
	       "ldgs DT_VAR(278), %r1\n"
	       "pushtv DT_TYPE(0), %r0, %r1\n"
	       "ldgs DT_VAR(286), %r1\n"
	       "sub %r0, %r1, %r1\n"
	       "setx DT_INTEGER[0], %r2\n"
	       "and %r1, %r2, %r1\n"
	       "pushtv DT_TYPE(0), %r0, %r1\n"
	       "ldgaa DT_VAR(1280), %r1\n"
	       "flushts\n"
	       "ret %r1\n");
}

static void
symbols_are_addresses(void **state)
{
	expect("BEGIN{trace(`jiffies)}",
	       "setx DT_INTEGER[0], %r1\nldx [%r1], %r1\nret %r1\n");
	expect("BEGIN{trace(&`anything)}",
	       "setx DT_INTEGER[0], %r1\nret %r1\n");
}

static void
parts_of_variables_go_through_a_copy(void **state)
{
	expect("struct s { int a, b; }; this struct s v;"
	       "BEGIN{this->v.b = arg0}",
	       "ldgs DT_VAR(262), %r1\n"
	       "setx DT_INTEGER[0], %r2\n"
	       "setx DT_INTEGER[1], %r3\n"
	       "ldls DT_VAR(1280), %r4\n"
	       "allocs %r3, %r5\n"
	       "tst %r4\n"
	       "be 8\n"
	       "copys %r4, %r3, %r5\n"
	       "add %r2, %r5, %r2\n"
	       "stw %r1, [%r2]\n"
	       "stls DT_VAR(1280), %r5\n"
	       "ret %r0\n");
}

/* How often the last statement's value writes a variable. */
static unsigned
stores(const char *text)
{
	const struct dif_clause *c;
	const struct dif_obj *o;
	struct dif_prog *p;
	unsigned n = 0;
	struct ct t;

	ct_open(&t);
	p = ct_compile(&t, text);
	c = &p->clauses[p->nclauses - 1];
	o = c->stmts[c->nstmts - 1].exprs[0].obj;
	for (uint32_t i = 0; i < o->ntext; i++)
		n += DIF_OP(o->text[i]) == DIF_OP_STGS;
	dif_prog_free(p);
	ct_close(&t);
	return n;
}

/* An argument that does something is worked out once, wherever in it that
   is. */
static void
effects_come_once(void **state)
{
	static const char *const arg[] = {
		"y++", "++y", "y = 3", "1 + y++", "y++ + 1", "-(y++)",
		"arg0 ? y++ : 2", "arg0 ? 2 : y++", "y++ ? 1 : 2",
		"strlen(y++ ? \"a\" : \"b\")",
	};
	char text[128];

	for (size_t i = 0; i < sizeof(arg) / sizeof(*arg); i++) {
		snprintf(text, sizeof(text),
			 "inline int twice[int x] = x + x; int y;"
			 "BEGIN{trace(twice[%s])}", arg[i]);
		assert_int_equal(stores(text), 1);
	}
}

/* As many bytes as there are are taken: of a text its length and NUL, of what a
   translator makes its size. */
static void
sizes_are_set(void **state)
{
	expect("BEGIN{*(string *)arg0 = \"abc\"}",
	       "sets DT_STRING[1], %r1\n"
	       "ldgs DT_VAR(262), %r2\n"
	       "pushtr DT_TYPE(1), %r0, %r1\n"
	       "call DIF_SUBR(12), %r3\n"
	       "flushts\n"
	       "setx DT_INTEGER[0], %r4\n"
	       "add %r3, %r4, %r3\n"
	       "setx DT_INTEGER[1], %r4\n"
	       "cmp %r3, %r4\n"
	       "bleu 11\n"
	       "mov %r4, %r3\n"
	       "copys %r1, %r3, %r2\n"
	       "ret %r0\n");
	expect("struct i { int a; }; struct o { int x, y; };"
	       "translator struct o < struct i *I > { x = I->a; };"
	       "BEGIN{print(xlate <struct o> ((struct i *)arg0))}",
	       "setx DT_INTEGER[0], %r1\n"
	       "allocs %r1, %r2\n"
	       "ldgs DT_VAR(262), %r1\n"
	       "ldsw [%r1], %r1\n"
	       "add %r2, %r0, %r3\n"
	       "stw %r1, [%r3]\n"
	       "ret %r2\n");
}

/* A string constant whose end no instruction can name. */
static void
constants_run_out(void **state)
{
	struct buf b = BUF_INIT;
	struct dif_prog *p;
	struct ct t;

	for (int len = 0xfff0; len <= 0x10010; len += 0x20) {
		buf_reset(&b);
		buf_puts(&b, "BEGIN { trace(\"");
		for (int i = 0; i < len; i++)
			buf_putc(&b, 'a');
		buf_puts(&b, "\"); }");
		ct_open(&t);
		p = ct_try(&t, buf_str(&b));
		if (len < 0xffff)
			assert_non_null(p);
		else
			assert_string_equal(t.e.tag->name, "D_UNKNOWN");
		dif_prog_free(p);
		ct_close(&t);
	}
	buf_fini(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constants_are_folded),
		cmocka_unit_test(what_wants_more_registers_comes_first),
		cmocka_unit_test(values_are_cut_where_they_are_kept),
		cmocka_unit_test(conditions_branch),
		cmocka_unit_test(members_are_loads),
		cmocka_unit_test(user_strings_are_copied_in),
		cmocka_unit_test(tuples_do_not_nest),
		cmocka_unit_test(symbols_are_addresses),
		cmocka_unit_test(parts_of_variables_go_through_a_copy),
		cmocka_unit_test(effects_come_once),
		cmocka_unit_test(sizes_are_set),
		cmocka_unit_test(constants_run_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
