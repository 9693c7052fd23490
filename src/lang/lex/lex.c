/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * lex.c - tokens of the C-like part of D, on demand.
 *
 * Called by the parser alone, inside a compile.  Blanks, comments and control
 * lines vanish here; literals are made by lex_lit.c, macros by lex_macro.c, and
 * the text between clauses is read by parse_spec.c straight from struct lex.
 *
 * The slash problem: inside a predicate a slash ends it when what follows is
 * the end of the text, `;`, `{`, another slash or a control line; otherwise it
 * divides.  Comments are looked through.  See "Types, Operators, and
 * Expressions" and "D Program Structure" of the Dynamic Tracing Guide.
 */
#include "lang/lex/lex_impl.h"

#include <stdio.h>
#include <string.h>

/* ---- keywords ------------------------------------------------------------ */

struct kw_row {
	const char *word;
	unsigned flags;
};

#define TYPE     KWF_TYPE
#define SOU      KWF_SOU
#define ITEM     KWF_ITEM
#define MEMBER   KWF_MEMBER
#define RESERVED KWF_RESERVED
static const struct kw_row kws[] = {
#define KW(word, flags) { #word, flags },
#include "lang/kw.def"
#undef KW
};
#undef TYPE
#undef SOU
#undef ITEM
#undef MEMBER
#undef RESERVED

int
kw_find(const char *s, size_t len)
{
	int lo = 0, hi = NKW - 1;

	while (lo <= hi) {
		int mid = (lo + hi) / 2;
		int c = strncmp(s, kws[mid].word, len);
		if (c == 0 && kws[mid].word[len] != '\0')
			c = -1;
		if (c == 0)
			return mid;
		if (c < 0)
			hi = mid - 1;
		else
			lo = mid + 1;
	}
	return -1;
}

unsigned
kw_flags(int kw)
{
	return kws[kw].flags;
}

const char *
kw_name(int kw)
{
	return kws[kw].word;
}

/* ---- operators ----------------------------------------------------------- */

/* Longer before shorter where one begins the other. */
static const struct {
	char text[4];
	int tok;
} ops[] = {
	{ "<<=", TOK_LSH_EQ }, { ">>=", TOK_RSH_EQ }, { "...", TOK_ELLIPSIS },
	{ "->", TOK_ARROW },   { "++", TOK_INC },     { "--", TOK_DEC },
	{ "<<", TOK_LSH },     { ">>", TOK_RSH },     { "<=", TOK_LE },
	{ ">=", TOK_GE },      { "==", TOK_EQ },      { "!=", TOK_NE },
	{ "&&", TOK_LAND },    { "||", TOK_LOR },     { "^^", TOK_LXOR },
	{ "+=", TOK_ADD_EQ },  { "-=", TOK_SUB_EQ },  { "*=", TOK_MUL_EQ },
	{ "/=", TOK_DIV_EQ },  { "%=", TOK_MOD_EQ },  { "&=", TOK_AND_EQ },
	{ "^=", TOK_XOR_EQ },  { "|=", TOK_OR_EQ },
};

/* How a token that is no word is written, for "expected ...". */
static const char *
tok_text(int tok, char buf[4])
{
	if (tok < 256) {
		buf[0] = (char)tok;
		buf[1] = '\0';
		return buf;
	}
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (ops[i].tok == tok)
			return ops[i].text;
	return tok == TOK_PRED_END ? "/" : NULL;
}

/* ---- states -------------------------------------------------------------- */

static struct lex *
lex_new(struct compile *cx, const char *text, size_t len, const char *file)
{
	static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8, by editors */
	struct lex *lx = arena_alloc(cx->arena, sizeof(*lx));
	const size_t skip = len >= sizeof(mark) - 1 &&
					    memcmp(text, mark,
						   sizeof(mark) - 1) == 0
				    ? sizeof(mark) - 1
				    : 0;

	lx->p = lx->line_start = text + skip;
	lx->end = text + len;
	lx->file = file;
	lx->line = 1;
	lx->bol = true;
	return lx;
}

/* No text has a NUL byte: it would end names and strings that it stands in. */
static void
refuse_nul(struct compile *cx)
{
	struct lex at = *cx->lex;
	const char *nul = memchr(at.p, '\0', (size_t)(at.end - at.p));
	const bool wide = nul != NULL && cx->src->len > 1 &&
			  (memcmp(cx->src->text, "\xff\xfe", 2) == 0 ||
			   memcmp(cx->src->text, "\xfe\xff", 2) == 0);

	if (nul == NULL)
		return;
	while ((at.p = memchr(at.p, '\n', (size_t)(nul - at.p))) != NULL)
		lex_newline(&at);
	at.p = nul;
	lang_fail(cx, &D_SYNTAX, lex_loc(&at), "a NUL byte%s",
		  wide ? ": the text is UTF-16, not UTF-8" : "");
}

void
lex_begin(struct compile *cx)
{
	const struct lang_src *src = cx->src;
	const char *file = src->file;

	cx->macro_used = arena_calloc(cx->arena, (size_t)src->argc + 1,
				      sizeof(*cx->macro_used));
	if (file != NULL)
		file = lang_file(cx, file);
	cx->lex = lex_new(cx, src->text, src->len, file);
	refuse_nul(cx);
}

struct lex *
lex_enter(struct compile *cx, const char *text, size_t len, struct src_loc loc)
{
	struct lex *saved = cx->lex;

	cx->lex = lex_new(cx, text, len, NULL);
	cx->lex->sub = true;
	cx->lex->fixed = loc;
	return saved;
}

void
lex_leave(struct compile *cx, struct lex *saved)
{
	cx->lex = saved;
}

struct src_loc
lex_loc(const struct lex *lx)
{
	if (lx->sub)
		return lx->fixed;
	return (struct src_loc){ .file = lx->file,
				 .line = lx->line,
				 .col = (int)(lx->p - lx->line_start) + 1 };
}

/* ---- blanks and comments ------------------------------------------------- */

void
lex_newline(struct lex *lx)
{
	lx->p++;
	lx->line++;
	lx->line_start = lx->p;
	lx->bol = true;
}

static size_t
lex_left(const struct lex *lx)
{
	return (size_t)(lx->end - lx->p);
}

static bool
lex_at(const struct lex *lx, const char *s)
{
	size_t n = strlen(s);

	return lex_left(lx) >= n && memcmp(lx->p, s, n) == 0;
}

static void
block_comment(struct compile *cx, struct lex *lx)
{
	struct src_loc loc = lex_loc(lx);
	bool bol = lx->bol;

	lx->p += 2;
	while (!lex_at(lx, "*/")) {
		if (lx->p == lx->end)
			lang_fail(cx, &D_SYNTAX, loc,
				  "comment is not closed: end of input before "
				  "the matching */");
		if (lex_at(lx, "/*"))
			lang_fail(cx, &D_SYNTAX, lex_loc(lx),
				  "/* inside a comment: comments do not nest");
		if (*lx->p == '\n')
			lex_newline(lx);
		else
			lx->p++;
	}
	lx->p += 2;
	lx->bol = bol;
}

bool
lex_comment(struct compile *cx)
{
	struct lex *lx = cx->lex;

	if (lex_at(lx, "/*")) {
		block_comment(cx, lx);
		return true;
	}
	if (!lex_at(lx, "//"))
		return false;
	/* In a predicate the first slash of these ends it. */
	if (lx->in_pred && (lex_at(lx, "///") || lex_at(lx, "//*")))
		return false;
	while (lx->p < lx->end && *lx->p != '\n')
		lx->p++;
	return true;
}

/* A backslash before a newline: the line goes on. */
static bool
lex_continued(struct lex *lx)
{
	if (!lex_at(lx, "\\\n") && !lex_at(lx, "\\\r\n"))
		return false;
	bool bol = lx->bol;
	lx->p += lx->p[1] == '\r' ? 2 : 1;
	lex_newline(lx);
	lx->bol = bol;
	return true;
}

void
lex_skip(struct compile *cx)
{
	struct lex *lx = cx->lex;

	while (lx->p < lx->end) {
		if (*lx->p == '\n')
			lex_newline(lx);
		else if (lex_isblank(*lx->p))
			lx->p++;
		else if (*lx->p == '#' && lx->bol && !lx->sub)
			pragma_line(cx);
		else if (!lex_continued(lx) && !lex_comment(cx))
			break;
	}
}

/* Behind the newline that ends the line; false: the text ends. */
static bool
lex_skip_line(struct lex *lx)
{
	lx->p = memchr(lx->p, '\n', (size_t)(lx->end - lx->p));
	if (lx->p == NULL) {
		lx->p = lx->end;
		return false;
	}
	lex_newline(lx);
	return true;
}

bool
lex_resume(struct compile *cx, const char *start)
{
	struct lex *lx = cx->lex;

	lx->head = lx->n = 0;
	lx->in_pred = false;
	lx->p = lx->line_start;
	lx->bol = true;
	do {
		if (lx->p == lx->end)
			return false;
		if (*lx->p == '#')
			lex_skip(cx);
	} while ((*lx->p != '}' || lx->p < start) && lex_skip_line(lx));
	if (lx->p == lx->end)
		return false;
	lx->p++;
	lx->bol = false;
	return true;
}

const char *
lex_ahead(const char *p, const char *end)
{
	bool bol = false;

	while (p < end) {
		if (lex_isblank(*p)) {
			bol = bol || *p == '\n';
			p++;
		} else if (*p == '#' && bol) {
			while (p < end && *p != '\n')
				p++;
		} else if (end - p >= 2 && p[0] == '/' && p[1] == '*') {
			for (p += 2; p < end; p++)
				if (end - p >= 2 && p[0] == '*' && p[1] == '/')
					break;
			p = end - p >= 2 ? p + 2 : end;
		} else if (end - p >= 2 && p[0] == '/' && p[1] == '/') {
			while (p < end && *p != '\n')
				p++;
		} else if (end - p >= 2 && p[0] == '\\' && p[1] == '\n') {
			p += 2;
		} else {
			break;
		}
	}
	return p;
}

/* ---- words and punctuation ----------------------------------------------- */

/* Behind a word: the end of the rest of an object's name, as ".so.6" and
   ".out" are, if a backquote follows; else NULL. */
static const char *
lex_object(const struct lex *lx)
{
	const char *p = lx->p;

	while (p < lx->end && (lex_idchar(*p) || *p == '.'))
		p++;
	return *lx->p == '.' && p < lx->end && *p == '`' ? p : NULL;
}

/*
 * Letters, digits and backquotes: a keyword, a name, or a scoped name.  Only
 * the module of a scoped name may begin with a digit, and have dots.
 */
static void
lex_word(struct compile *cx, struct token *t)
{
	struct lex *lx = cx->lex;
	const char *start = lx->p, *tick = NULL;

	while (lx->p < lx->end && (lex_idchar(*lx->p) || *lx->p == '`')) {
		if (*lx->p == '`')
			tick = lx->p;
		lx->p++;
		if (tick == NULL && lx->p < lx->end && lex_object(lx) != NULL)
			lx->p = lex_object(lx);
	}
	const char *name = tick == NULL ? start : tick + 1;
	size_t len = (size_t)(lx->p - name);
	if (len == 0 || !lex_idstart(*name))
		lang_fail(cx, &D_SYNTAX, t->loc,
			  "syntax error near \"%.*s\": expected a name after "
			  "the backquote",
			  (int)(lx->p - start), start);
	t->tok = TOK_IDENT;
	t->name = lang_intern(cx, name, len);
	if (tick != NULL) {
		t->mod = lang_intern(cx, start, (size_t)(tick - start));
		return;
	}
	t->kw = kw_find(name, len);
	if (t->kw >= 0)
		t->tok = TOK_KEYWORD;
}

static void
lex_agg(struct compile *cx, struct token *t)
{
	struct lex *lx = cx->lex;
	const char *start = ++lx->p;

	if (lx->p < lx->end && lex_idstart(*lx->p))
		while (lx->p < lx->end && lex_idchar(*lx->p))
			lx->p++;
	t->tok = TOK_AGG;
	t->name = lx->p == start
			  ? lang_intern(cx, "_", 1)
			  : lang_intern(cx, start, (size_t)(lx->p - start));
}

/* At a slash, in a predicate: true if the predicate ends here. */
static bool
lex_pred_ends(const struct lex *lx)
{
	const char *q = lx->p + 1;

	if (q < lx->end && *q == '/' && !lex_at(lx, "//*"))
		return true;
	q = lex_ahead(q, lx->end);
	return q == lx->end || strchr(";{/#", *q) != NULL;
}

static void
lex_op(struct compile *cx, struct token *t)
{
	struct lex *lx = cx->lex;

	if (*lx->p == '/' && lx->in_pred && lex_pred_ends(lx)) {
		t->tok = TOK_PRED_END;
		lx->in_pred = false;
		lx->p++;
		return;
	}
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (lex_at(lx, ops[i].text)) {
			t->tok = ops[i].tok;
			lx->p += strlen(ops[i].text);
			return;
		}
	}
	unsigned char c = (unsigned char)*lx->p;
	if (c == '\0' || strchr("(){}[]<>,;:?.=+-*/%&|^!~", c) == NULL) {
		if (c > 0x20 && c < 0x7f)
			lang_fail(cx, &D_SYNTAX, t->loc,
				  "syntax error near \"%c\"", c);
		lang_fail(cx, &D_SYNTAX, t->loc,
			  "syntax error near byte 0x%02x: not ASCII text%s", c,
			  lex_at(lx, "\xe2\x80")
				  ? " (a quote or dash of a word processor?)"
				  : "");
	}
	t->tok = c;
	lx->p++;
}

static bool
lex_scoped_digit(const struct lex *lx)
{
	const char *p = lx->p;

	while (p < lx->end && lex_idchar(*p))
		p++;
	return p < lx->end && *p == '`';
}

static void
lex_token(struct compile *cx, struct token *t)
{
	struct lex *lx = cx->lex;
	char c = *lx->p;

	if (lex_idstart(c) || c == '`')
		lex_word(cx, t);
	else if (lex_isdigit(c) && lex_scoped_digit(lx))
		lex_word(cx, t);
	else if (lex_isdigit(c) ||
		 (c == '.' && lex_left(lx) > 1 && lex_isdigit(lx->p[1])))
		lex_number(cx, t);
	else if (c == '"')
		lex_string(cx, t);
	else if (c == '\'')
		lex_char(cx, t);
	else if (c == '@')
		lex_agg(cx, t);
	else
		lex_op(cx, t);
}

/* ---- the queue ----------------------------------------------------------- */

void
lex_push(struct compile *cx, const struct token *t)
{
	struct lex *lx = cx->lex;

	if (lx->head == lx->n)
		lx->head = lx->n = 0;
	if (lx->n == lx->cap) {
		size_t cap = lx->cap == 0 ? 16 : lx->cap * 2;
		struct token *q = arena_calloc(cx->arena, cap, sizeof(*q));
		if (lx->n > 0)
			memcpy(q, lx->q, lx->n * sizeof(*q));
		lx->q = q;
		lx->cap = cap;
	}
	lx->q[lx->n++] = *t;
}

/* Read on by at least one token. */
static void
lex_fill(struct compile *cx)
{
	struct lex *lx = cx->lex;
	struct token t = { 0 };

	lex_skip(cx);
	t.loc = lex_loc(lx);
	t.text = lx->p;
	if (lx->p == lx->end) {
		t.tok = TOK_EOF;
	} else if (*lx->p == '$') {
		lx->bol = false;
		lex_macro(cx);
		return;
	} else {
		lx->bol = false;
		lex_token(cx, &t);
	}
	t.textlen = (size_t)(lx->p - t.text);
	lex_push(cx, &t);
}

const struct token *
lex_peek(struct compile *cx, size_t i)
{
	struct lex *lx = cx->lex;

	while (lx->n - lx->head <= i)
		lex_fill(cx);
	return &lx->q[lx->head + i];
}

struct token
lex_next(struct compile *cx)
{
	struct token t = *lex_peek(cx, 0);

	cx->lex->head++;
	return t;
}

bool
lex_is(struct compile *cx, int tok)
{
	return lex_peek(cx, 0)->tok == tok;
}

bool
lex_is_kw(struct compile *cx, int kw)
{
	const struct token *t = lex_peek(cx, 0);

	return t->tok == TOK_KEYWORD && t->kw == kw;
}

bool
lex_accept(struct compile *cx, int tok)
{
	if (!lex_is(cx, tok))
		return false;
	lex_next(cx);
	return true;
}

bool
lex_accept_kw(struct compile *cx, int kw)
{
	if (!lex_is_kw(cx, kw))
		return false;
	lex_next(cx);
	return true;
}

struct token
lex_expect(struct compile *cx, int tok)
{
	const struct token *t = lex_peek(cx, 0);
	char buf[4], quoted[16];

	if (t->tok == tok)
		return lex_next(cx);
	if (tok == TOK_IDENT)
		lex_syntax(cx, t, "a name");
	snprintf(quoted, sizeof(quoted), "\"%s\"", tok_text(tok, buf));
	lex_syntax(cx, t, quoted);
}

/* Words of C that a body cannot have, and what D has instead. */
static const char *
reserved_why(int kw)
{
	switch (kw) {
	case KW_for: case KW_while: case KW_do: case KW_break: case KW_continue:
		return ", and D has no loops: a clause runs once for each "
		       "firing, those of tick-1s as often as time passes";
	case KW_switch: case KW_case:
		return ": D has if and else, ? and :, and predicates";
	case KW_return:
		return ": nothing leaves a clause before its end: D has "
		       "predicates, and if";
	default:
		return "";
	}
}

/* What other tracers write there, and D does not; "": nothing known. */
static const char *
foreign_syntax(const struct compile *cx, const struct token *t)
{
	static const struct { const char *word, *hint; } words[] = {
		{ "probe", " (in D a probe's name is all: BEGIN, "
			   "syscall::read:entry)" },
		{ "in", " (D has no foreach: printa() prints all keys of an "
			"aggregation)" },
	};
	const char *p = t->text;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (t->textlen == strlen(words[i].word) &&
		    memcmp(p, words[i].word, t->textlen) == 0)
			return words[i].hint;
	if (t->textlen == 1 && *p == '<' && !cx->lex->sub && t->loc.col > 2 &&
	    p[-1] == '<' && p[-2] == '<')
		return " (in D a function aggregates: @x = sum(VALUE), "
		       "quantize(VALUE) ...)";
	return "";
}

_Noreturn void
lex_syntax(struct compile *cx, const struct token *t, const char *expected)
{
	const char *sep = expected == NULL ? "" : ": expected ";

	if (expected == NULL)
		expected = "";
	if (t->tok == TOK_EOF)
		lang_fail(cx, &D_SYNTAX, t->loc,
			  "syntax error near end of input%s%s", sep, expected);
	if (t->tok == TOK_PRED_END && strchr("\")]", expected[0]) != NULL &&
	    expected[0] != '\0' && strchr(")]", expected[1]) != NULL)
		lang_fail(cx, &D_SYNTAX, t->loc,
			  "syntax error near \"/\": the predicate ends, but "
			  "%s is missing",
			  expected);
	if (t->tok == TOK_KEYWORD && (kw_flags(t->kw) & KWF_RESERVED))
		lang_fail(cx, &D_SYNTAX, t->loc,
			  "syntax error near \"%s\": the word is reserved%s",
			  kw_name(t->kw), reserved_why(t->kw));
	int len = t->textlen > 60 ? 60 : (int)t->textlen;
	lang_fail(cx, &D_SYNTAX, t->loc, "syntax error near \"%.*s\"%s%s%s",
		  len, t->text, sep, expected, foreign_syntax(cx, t));
}
