/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * lex_macro.c - macro variables ($pid, $target) and arguments ($1, $$1).
 *
 * In expressions a macro becomes tokens: $name an integer from the host; $N an
 * integer if the argument is one, the tokens of a name or a type if it reads
 * as such, and a string otherwise; $$N and $$name always a string.  In probe
 * descriptions the text itself is put in.  Macros inside arguments are not
 * expanded, for an argument is the user's data; but $target in one that is put
 * into a probe description is.  Where there are several targets, a description
 * with $target is one for each: it is expanded as often (macro_ntargets()).
 *
 * See "Scripting" in the Dynamic Tracing Guide.
 */
#include "lang/lex/lex_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What stands after the $ or $$. */
struct macro {
	bool string; /* $$ */
	bool is_arg;
	bool undef; /* only where LANG_C_DEFARG allows it */
	uint32_t num;
	const char *name; /* without $; not terminated */
	size_t len;
	const char *arg; /* text of the argument */
	int64_t val;     /* of the variable */
};

/* Read it at p, the $; the end, or NULL if there is no name. */
static const char *
macro_read(const char *p, const char *end, struct macro *m)
{
	*m = (struct macro){ 0 };
	p++;
	if (p < end && *p == '$') {
		m->string = true;
		p++;
	}
	m->name = p;
	if (p < end && lex_isdigit(*p)) {
		m->is_arg = true;
		for (; p < end && lex_isdigit(*p); p++)
			if (m->num < UINT32_MAX / 16)
				m->num = m->num * 10 + (uint32_t)(*p - '0');
	} else if (p < end && lex_idstart(*p)) {
		while (p < end && lex_idchar(*p))
			p++;
	}
	m->len = (size_t)(p - m->name);
	return m->len == 0 ? NULL : p;
}

/* $target and a number. */
static bool
macro_is_nth(const struct macro *m)
{
	const size_t n = strlen("target");

	return !m->is_arg && m->len > n && memcmp(m->name, "target", n) == 0 &&
	       strspn(m->name + n, "0123456789") >= m->len - n;
}

/* Give it its value; what is not defined fails the compile. */
static void
macro_value(struct compile *cx, struct macro *m, struct src_loc loc,
	    const char *where)
{
	const struct lang_src *src = cx->src;
	const struct lang_host *h = &cx->lang->host;

	if (m->is_arg) {
		if (m->num < (uint32_t)src->argc) {
			m->arg = src->argv[m->num];
			cx->macro_used[m->num] = 1;
			return;
		}
		m->undef = true;
		m->arg = "";
		if (cx->cflags & LANG_C_DEFARG)
			return;
	} else {
		const char *name = lang_intern(cx, m->name, m->len);
		if (h->macro != NULL && h->macro(h->arg, name, &m->val))
			return;
	}
	const char *hint = "";
	if (macro_is_nth(m))
		hint = " (so many targets there are not: each -c or -p is one, "
		       "a process that is named twice too)";
	else if (!m->is_arg && *where == '\0')
		hint = arena_printf(cx->arena,
				    " (a variable of D has no $: %.*s, or "
				    "this->%.*s of a clause)",
				    (int)m->len, m->name, (int)m->len, m->name);
	lang_fail(cx, &D_MACRO_UNDEF, loc,
		  "macro %s $%s%.*s is not defined%s%s",
		  m->is_arg ? "argument" : "variable", m->string ? "$" : "",
		  (int)m->len, m->name, where, hint);
}

/* ---- in expressions ------------------------------------------------------ */

static void
push_string(struct compile *cx, struct token *t, const char *s, size_t len)
{
	t->tok = TOK_STR;
	t->str = s;
	t->len = len;
	lex_push(cx, t);
}

static void
push_op(struct compile *cx, struct token *t, char op)
{
	struct token o = *t;

	o.tok = op;
	lex_push(cx, &o);
}

static void
push_number(struct compile *cx, struct token *t, int64_t val)
{
	uint64_t mag = val < 0 ? -(uint64_t)val : (uint64_t)val;
	char text[24];

	if (val < 0)
		push_op(cx, t, '-');
	int n = snprintf(text, sizeof(text), "%" PRIu64, mag);
	t->tok = TOK_INT;
	if (lex_int_value(text, (size_t)n, &t->ival, cx->types, &t->type) !=
	    INT_OK)
		t->type = type_basic(cx->types, TYPE_B_ULONG);
	lex_push(cx, t);
}

/* A whole integer literal with an optional sign. */
static bool
push_int_arg(struct compile *cx, struct token *t, const char *s)
{
	char sign = *s == '-' || *s == '+' ? *s : 0;
	const char *digits = s + (sign != 0);

	switch (lex_int_value(digits, strlen(digits), &t->ival, cx->types,
			      &t->type)) {
	case INT_OK:
		break;
	case INT_BIG:
		lang_fail(cx, &D_MACRO_OFLOW, t->loc,
			  "macro argument %.*s does not fit in any integer "
			  "type: %s",
			  (int)t->textlen, t->text, s);
	case INT_NOT:
	case INT_BADDIGIT:
	default:
		return false;
	}
	if (sign != 0)
		push_op(cx, t, sign);
	t->tok = TOK_INT;
	lex_push(cx, t);
	return true;
}

/*
 * True if the text reads as a name or a type: a plain or scoped name with
 * stars, or words of which the first can only begin a type.
 */
static bool
is_name_or_type(const char *s)
{
	size_t n = 0, len = strlen(s);

	while (lex_idchar(s[n]) || s[n] == '`')
		n++;
	if (n == 0 || lex_isdigit(s[0]) || s[n - 1] == '`')
		return false;
	int kw = kw_find(s, n);
	const char *also = kw >= 0 && (kw_flags(kw) & KWF_TYPE)
				   ? "_` *0123456789abcdefghijklmnopqrstuvwxyz"
				     "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   : " *";
	return n + strspn(s + n, also) == len;
}

static void
push_text(struct compile *cx, const char *s, struct token *t)
{
	struct lex *outer = lex_enter(cx, s, strlen(s), t->loc);
	struct lex *sub = cx->lex;

	for (size_t i = 0; lex_peek(cx, i)->tok != TOK_EOF; i++)
		;
	lex_leave(cx, outer);
	for (size_t i = sub->head; sub->q[i].tok != TOK_EOF; i++)
		lex_push(cx, &sub->q[i]);
}

static void
push_arg(struct compile *cx, struct token *t, const struct macro *m)
{
	size_t len = strlen(m->arg);

	if (m->string) {
		push_string(cx, t, m->arg, len);
	} else if (m->undef) {
		push_number(cx, t, 0);
	} else if (len >= 2 && m->arg[0] == '"' && m->arg[len - 1] == '"') {
		len -= 2;
		const char *s = lex_unescape(cx, m->arg + 1, &len);
		push_string(cx, t, s, len);
	} else if (push_int_arg(cx, t, m->arg)) {
		return;
	} else if (is_name_or_type(m->arg)) {
		push_text(cx, m->arg, t);
	} else {
		push_string(cx, t, m->arg, len);
	}
}

void
lex_macro(struct compile *cx)
{
	struct lex *lx = cx->lex;
	struct token t = { .loc = lex_loc(lx), .text = lx->p };
	struct macro m;
	const char *e = macro_read(lx->p, lx->end, &m);

	t.textlen = e == NULL ? 1 : (size_t)(e - lx->p);
	if (e == NULL || lx->sub)
		lex_syntax(cx, &t, NULL);
	lx->p = e;
	macro_value(cx, &m, t.loc, "");
	if (m.is_arg) {
		push_arg(cx, &t, &m);
	} else if (m.string) {
		const char *s = arena_printf(cx->arena, "%" PRId64, m.val);
		push_string(cx, &t, s, strlen(s));
	} else {
		push_number(cx, &t, m.val);
	}
}

/* ---- in probe descriptions ----------------------------------------------- */

/* The process of target nth; false: there are fewer. */
static bool
nth_target(struct compile *cx, uint32_t nth, int64_t *val)
{
	const struct lang_host *h = &cx->lang->host;
	char name[24];

	snprintf(name, sizeof(name), "target%" PRIu32, nth);
	return h->macro != NULL && h->macro(h->arg, name, val);
}

static bool
macro_is_target(const struct macro *m)
{
	return !m->is_arg && m->len == strlen("target") &&
	       memcmp(m->name, "target", m->len) == 0;
}

/* The value in a description that is expanded for target nth. */
static void
macro_spec_value(struct compile *cx, struct macro *m, uint32_t nth,
		 struct src_loc at)
{
	macro_value(cx, m, at, " (in a probe description)");
	if (!macro_is_target(m))
		return;
	if (m->val == 0)
		lang_fail(cx, &D_MACRO_UNDEF, at,
			  "macro variable $target is 0: there is no process of "
			  "-c or -p that could have the probe");
	if (nth > 1)
		(void)nth_target(cx, nth, &m->val);
}

static const char *
value_text(struct compile *cx, const struct macro *m)
{
	return arena_printf(cx->arena, "%" PRId64, m->val);
}

/* An argument as it is, but for $target: who names a probe to a script cannot
   know the number of what -c starts. */
static const char *
arg_text(struct compile *cx, const struct macro *arg, uint32_t nth,
	 struct src_loc at)
{
	const char *p = strstr(arg->arg, "$target"), *e;
	struct macro m;

	if (p == NULL)
		return arg->arg;
	e = macro_read(p, p + strlen(p), &m);
	if (e == NULL || m.len != strlen("target"))
		return arg->arg;
	macro_spec_value(cx, &m, nth, at);
	return arena_printf(cx->arena, "%.*s%s%s", (int)(p - arg->arg), arg->arg,
			    value_text(cx, &m), e);
}

const char *
macro_expand_text(struct compile *cx, const char *text, size_t len,
		  uint32_t nth, struct src_loc loc)
{
	const char *end = text + len, *start = text, *out = "";

	for (const char *p = text; p < end;) {
		if (*p != '$') {
			p++;
			continue;
		}
		struct macro m;
		struct src_loc at = loc;
		const char *e = macro_read(p, end, &m);

		at.col += (int)(p - text);
		if (e == NULL)
			lang_fail(cx, &D_SYNTAX, at,
				  "syntax error near \"$\": expected the name "
				  "of a macro");
		macro_spec_value(cx, &m, nth, at);
		out = arena_printf(cx->arena, "%s%.*s%s", out, (int)(p - start),
				   start,
				   m.is_arg ? arg_text(cx, &m, nth, at) :
					      value_text(cx, &m));
		p = start = e;
	}
	return arena_printf(cx->arena, "%s%.*s", out, (int)(end - start),
			    start);
}

uint32_t
macro_ntargets(struct compile *cx, const char *text, size_t len)
{
	uint32_t n = 1;
	struct macro m;
	int64_t val;
	bool named = false;

	for (const char *p = text; p < text + len; p++) {
		if (*p != '$' || macro_read(p, text + len, &m) == NULL)
			continue;
		if (m.is_arg && m.num < (uint32_t)cx->src->argc)
			named |= strstr(cx->src->argv[m.num], "$target") != NULL;
		named |= macro_is_target(&m);
	}
	while (named && nth_target(cx, n + 1, &val))
		n++;
	return n;
}

/* ---- at the end ---------------------------------------------------------- */

void
macro_check_unused(struct compile *cx)
{
	struct src_loc loc = { .file = cx->src->file };

	if (cx->cflags & (LANG_C_ARGREF | LANG_C_CTL))
		return;
	for (int i = 1; i < cx->src->argc; i++)
		if (!cx->macro_used[i])
			lang_fail(cx, &D_MACRO_UNUSED, loc,
				  "extraneous argument \"%s\": $%d is not "
				  "used%s",
				  cx->src->argv[i], i,
				  strchr("/{", cx->src->argv[i][0]) != NULL &&
						  *cx->src->argv[i] != '\0'
					  ? " (predicate and body go into the "
					    "same argument as the probe)"
					  : "");
}
