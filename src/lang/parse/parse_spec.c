/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * parse_spec.c - outer scope: what begins here, and probe specifiers.
 *
 * Between items the text is not C-like: a run of characters such as
 * `pid$target:libc.so.6:mall*:entry` is one probe description.  Only the shape
 * of the text decides whether an item is a clause or a declaration; a word is
 * looked up as a type only if it is followed by what can follow a type.  So a
 * program that names no kernel types never reads them.
 *
 * See "D Program Structure" in the Dynamic Tracing Guide.
 */
#include "lang/parse/parse_impl.h"

#include <string.h>

static bool
spec_first(int c)
{
	return lex_idstart(c) || (c != '\0' && strchr("-$:.?*\\[]!", c));
}

/* Beyond the tradition's: what names of files (libstdc++.so.6, lib@1.so), of
   functions (free@plt, ~Node) and of units have, and nothing else begins with
   behind a description. */
static bool
spec_char(int c)
{
	return spec_first(c) || lex_isdigit(c) ||
	       (c != '\0' && strchr("`+@~%#", c) != NULL);
}

/* ---- declaration or clause ----------------------------------------------- */

/* The shape of `word [*...] next` at outer scope. */
struct shape {
	const char *word;
	size_t len;
	const char *tick; /* the last backquote in the word, or NULL */
	char glued;       /* the character right after the word */
	bool stars;
	char next; /* the first character after blanks and stars; 0: end */
};

static void
outer_shape(const struct lex *lx, struct shape *s)
{
	const char *p = lx->p;

	*s = (struct shape){ .word = p };
	while (p < lx->end && (lex_idchar(*p) || *p == '`')) {
		if (*p == '`')
			s->tick = p;
		p++;
	}
	s->len = (size_t)(p - s->word);
	s->glued = p < lx->end ? *p : '\0';
	for (;;) {
		p = lex_ahead(p, lx->end);
		if (p == lx->end || *p != '*')
			break;
		s->stars = true;
		p++;
	}
	s->next = p < lx->end ? *p : '\0';
}

/* A keyword of declarations: what it is here, that or the name of a probe. */
static enum outer_kind
keyword_kind(const struct shape *s, unsigned flags)
{
	if (s->glued != '*' && s->glued != '`' && s->glued != '\\' &&
	    spec_char(s->glued))
		return OUTER_SPEC;
	if (s->next == '{')
		return flags & KWF_SOU ? OUTER_DECL : OUTER_SPEC;
	if (lex_idstart(s->next) || s->next == '(' || s->next == '`')
		return OUTER_DECL;
	return s->next == ';' && !s->stars ? OUTER_DECL : OUTER_SPEC;
}

/*
 * `tcp*send` is a pattern unless what comes after looks like a declaration:
 * the stars touch both words, and neither `;` nor an array follows.
 */
static bool
is_pattern(const struct lex *lx, const struct shape *s)
{
	const char *p = s->word + s->len;

	while (p < lx->end && *p == '*')
		p++;
	if (s->glued != '*' || p == lx->end || !spec_char(*p))
		return false;
	while (p < lx->end && lex_idchar(*p))
		p++;
	p = lex_ahead(p, lx->end);
	return p == lx->end || strchr(";[=", *p) == NULL;
}

static bool
is_type_word(struct compile *cx, const struct shape *s)
{
	const char *name = s->tick == NULL ? s->word : s->tick + 1;
	size_t len = (size_t)(s->word + s->len - name);
	const char *mod = NULL;

	if (len == 0)
		return false;
	if (s->tick != NULL)
		mod = lang_intern(cx, s->word, (size_t)(s->tick - s->word));
	return type_lookup(cx->types, mod, lang_intern(cx, name, len)) != NULL;
}

enum outer_kind
parse_outer_kind(struct compile *cx)
{
	const struct lex *lx = cx->lex;
	struct shape s;

	if (lx->p == lx->end)
		return OUTER_END;
	if (!lex_idstart(*lx->p) && *lx->p != '`')
		return OUTER_SPEC;
	outer_shape(lx, &s);
	int kw = kw_find(s.word, s.len);
	if (kw >= 0)
		return keyword_kind(&s, kw_flags(kw));
	if (cx->cflags & LANG_C_PSPEC)
		return OUTER_SPEC;
	if (s.glued != '*' && s.glued != '\\' && spec_char(s.glued))
		return OUTER_SPEC;
	if (!lex_idstart(s.next) && s.next != '(')
		return OUTER_SPEC;
	if (is_pattern(lx, &s))
		return OUTER_SPEC;
	return is_type_word(cx, &s) ? OUTER_DECL : OUTER_SPEC;
}

/* ---- one specifier ------------------------------------------------------- */

_Noreturn static void
bad_pdesc(struct compile *cx, struct src_loc loc, const char *text,
	  const char *why)
{
	lang_fail(cx, &D_PDESC_INVAL, loc,
		  "invalid probe description \"%s\": %s", text, why);
}

/* Only digits: a probe by its number. */
static bool
pdesc_id(struct compile *cx, const char *text, struct src_loc loc,
	 struct dif_pdesc *pd)
{
	uint64_t id = 0;

	if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0')
		return false;
	for (const char *p = text; *p != '\0' && id <= UINT32_MAX; p++)
		id = id * 10 + (uint64_t)(*p - '0');
	if (id == 0 || id > UINT32_MAX)
		bad_pdesc(cx, loc, text, "there is no probe of this number");
	pd->id = (uint32_t)id;
	return true;
}

/* "pid1:a.out:ns::D::f:entry": a function is named as the linker names it. */
static const char *
scoped_hint(struct compile *cx, const char *text)
{
	const char *mod = strchr(text, ':'), *end = strrchr(text, ':');
	const char *func = mod != NULL ? strchr(mod + 1, ':') : NULL, *part;
	char *glob;

	if (strncmp(text, "pid", 3) != 0 || func == NULL || ++func >= end ||
	    !lex_idchar(*func) ||
	    (part = strstr(func, "::")) == NULL || part + 2 > end)
		return "";
	glob = arena_strdup(cx->arena, "*");
	for (; (part = strstr(func, "::")) != NULL && part + 2 <= end;
	     func = part + 2)
		glob = arena_printf(cx->arena, "%s%.*s*", glob,
				    (int)(part - func), func);
	return arena_printf(cx->arena,
			    " (a function of C++ has its linker's name: "
			    "%s%.*s* matches that)",
			    glob, (int)(end - func), func);
}

/*
 * Split the text at its colons and hand the fields out from the right: the
 * last one is the field that spec names, and there may be no more than lie to
 * its left.
 */
static void
pdesc_split(struct compile *cx, const char *text, struct src_loc loc,
	    enum lang_spec spec, struct dif_pdesc *pd)
{
	static const char *const what[] = { "provider", "module", "function",
					    "name" };
	const char **field[] = { &pd->prov, &pd->mod, &pd->func, &pd->name };
	const char *end = text + strlen(text), *p = end;
	int last = spec == LANG_SPEC_NONE ? LANG_SPEC_NAME : (int)spec;

	for (int i = last; i >= 0; i--) {
		const char *start = p;
		while (start > text &&
		       (start[-1] != ':' ||
			(start - text > 1 && start[-2] == '\\')))
			start--;
		*field[i] = arena_strndup(cx->out, start, (size_t)(p - start));
		if (start == text)
			return;
		p = start - 1;
	}
	lang_fail(cx, &D_PDESC_INVAL, loc,
		  "overspecified probe description \"%s\": the %s is its last "
		  "field%s",
		  text, what[last], scoped_hint(cx, text));
}

static void
pdesc_set(struct compile *cx, const char *text, struct src_loc loc,
	  enum lang_spec spec, struct dif_pdesc *pd)
{
	*pd = (struct dif_pdesc){
		.prov = "", .mod = "", .func = "", .name = ""
	};
	if (text[0] == '\0')
		bad_pdesc(cx, loc, text, "it is empty");
	if (!pdesc_id(cx, text, loc, pd))
		pdesc_split(cx, text, loc, spec, pd);
}

/* The run of characters here, macros still in it. */
static size_t
spec_run(const struct lex *lx)
{
	const char *p = lx->p;

	if (p < lx->end && !spec_first(*p) && !lex_isdigit(*p))
		return 0;
	while (p < lx->end && spec_char(*p)) {
		if (*p == '\\' && lx->end - p > 1) {
			if (p[1] == '\n' || p[1] == '\r')
				break;
			p++;
		}
		p++;
	}
	return (size_t)(p - lx->p);
}

static void
bad_outer(struct compile *cx, const char *expected)
{
	struct lex *lx = cx->lex;
	struct token t = { .loc = lex_loc(lx), .text = lx->p };
	size_t n = spec_run(lx);

	t.textlen = n == 0 ? 1 : n;
	if (lx->p == lx->end)
		t.tok = TOK_EOF;
	else
		t.tok = TOK_PSPEC;
	lex_syntax(cx, &t, expected);
}

/* A word of SystemTap with an argument, kernel.function("vfs_read").return:
   what it is in D; NULL: it is none. */
static const char *
tap_probe(struct compile *cx, const char *word)
{
	const struct lex *lx = cx->lex;
	const char *arg = lx->p + 1, *end = arg;
	size_t n;

	if (lx->p == lx->end || *lx->p != '(')
		return NULL;
	if (arg < lx->end && *arg == '"')
		end = ++arg;
	while (end < lx->end && (lex_idchar(*end) || strchr("*?", *end)))
		end++;
	n = (size_t)(end - arg);
	while (end < lx->end && (*end == '"' || *end == ')'))
		end++;
	if (strcmp(word, "kernel.function") == 0)
		return arena_printf(cx->arena, "fbt::%.*s:%s", (int)n, arg,
				    lx->end - end > 7 &&
						    memcmp(end, ".return", 7) ==
							    0
					    ? "return" : "entry");
	if (strcmp(word, "process") == 0)
		return "pid$target:OBJECT:FUNCTION:entry, with -c or -p";
	if (strncmp(word, "timer.", 6) == 0)
		return arena_printf(cx->arena, "tick-%.*s%s", (int)n, arg,
				    word + 6);
	return NULL;
}

/* After `name`, neither body nor predicate: perhaps it should be a type. */
static void
bad_after(struct compile *cx, const struct clause_node *c)
{
	const struct dif_pdesc *pd = &c->pdescs[0];
	const char *p = pd->name, *tap = tap_probe(cx, pd->name);

	if (tap != NULL)
		bad_outer(cx, arena_printf(cx->arena,
					   "a predicate or a clause body (in "
					   "D: %s)", tap));
	while (lex_idchar(*p))
		p++;
	if (c->npdescs == 1 && strcmp(pd->name, "global") == 0)
		bad_outer(cx, "a predicate or a clause body (variables of D are "
			      "global, and need no declaration but for their "
			      "type: int x;)");
	if (c->npdescs == 1 && strcmp(pd->name, "function") == 0)
		bad_outer(cx, "a predicate or a clause body (D has no functions "
			      "of one's own, but inline TYPE NAME[TYPE "
			      "PARAMETER] = EXPRESSION;)");
	if (c->npdescs == 1 && pd->func[0] == '\0' && pd->mod[0] == '\0' &&
	    pd->prov[0] == '\0' && *p == '\0' && *cx->lex->p != '}')
		bad_outer(cx, arena_printf(cx->arena,
					   "a predicate or a clause body (or "
					   "is %s meant as a type? it is none)",
					   pd->name));
	bad_outer(cx, "a predicate or a clause body");
}

/*
 * "uprobe:/bin/bash:readline", as other tracers write it: a slash follows the
 * colon, or a dot that does, and what it begins ends with a colon, too.  A
 * predicate after an empty name, "syscall:::/pid/", does not.
 */
static void
refuse_path(struct compile *cx, const char *word)
{
	const struct lex *lx = cx->lex;
	const char *p = lx->p, *base = p + 1, *func;
	const char *last = strrchr(word, ':');
	bool ret = strncmp(word, "uretprobe:", 10) == 0;

	if (p == lx->end || *p != '/' || last == NULL ||
	    (last[1] != '\0' && strcmp(last + 1, ".") != 0 &&
	     strcmp(last + 1, "..") != 0))
		return;
	for (; p < lx->end && (lex_idchar(*p) || strchr("/.-+@", *p)); p++)
		if (*p == '/')
			base = p + 1;
	if (p == lx->end || *p != ':')
		return;
	func = p + 1;
	for (p = func; p < lx->end && spec_char(*p); p++)
		;
	if (!ret && strncmp(word, "uprobe:", 7) != 0)
		lang_fail(cx, &D_PDESC_INVAL, lex_loc(lx),
			  "a probe description has no paths: an object is "
			  "named by the last part of its path, %.*s",
			  (int)(func - 1 - base), base);
	lang_fail(cx, &D_PDESC_INVAL, lex_loc(lx),
		  "a probe description has no paths (in D: pid$target:%.*s:"
		  "%.*s:%s, with -c or -p)",
		  (int)(func - 1 - base), base, (int)(p - func), func,
		  ret ? "return" : "entry");
}

/* True if its target lacks what it names, which another may have. */
static bool
target_lacks(struct compile *cx, const struct dif_pdesc *pd)
{
	const struct lang_host *h = &cx->lang->host;
	struct lang_probe_info pi = { 0 };
	struct err e = { 0 };
	int rc;

	if (h->probe_info == NULL || (cx->cflags & LANG_C_ZDEFS) != 0)
		return false;
	rc = h->probe_info(h->arg, pd, &pi, &e);
	err_clear(&e);
	return rc == 0 ? pi.nmatch == 0 : pi.absent;
}

/*
 * A description with $target is one for each of several.  Those of targets that
 * lack what it names are left out, so that nobody asks what types mean there;
 * but the last stays if all do, for the message.
 */
static void
parse_one_spec(struct compile *cx, struct clause_node *c, size_t len,
	       enum lang_spec spec)
{
	struct lex *lx = cx->lex;
	struct src_loc loc = lex_loc(lx);
	const char *run = lx->p;
	uint32_t n = macro_ntargets(cx, run, len), first = c->npdescs;

	lx->p += len;
	lx->bol = false;
	for (uint32_t i = 0; i < n; i++) {
		const char *text = macro_expand_text(cx, run, len, i + 1, loc);
		struct dif_pdesc pd;
		uint32_t nlocs = c->npdescs;

		refuse_path(cx, text);
		parse_refuse_pasted(cx, text);
		pdesc_set(cx, text, loc, spec, &pd);
		if (n > 1 && (i + 1 < n || c->npdescs > first) &&
		    target_lacks(cx, &pd))
			continue;
		list_push(cx, c->pdescs, c->npdescs, pd);
		list_push(cx, c->plocs, nlocs, loc);
	}
}

void
parse_specs(struct compile *cx, struct clause_node *c)
{
	struct lex *lx = cx->lex;
	enum lang_spec spec = LANG_SPEC_NAME;

	if (cx->src->file == NULL && cx->parser->nclauses == 0)
		spec = cx->src->spec;
	c->loc = lex_loc(lx);
	for (;;) {
		size_t n = spec_run(lx);
		if (n == 0)
			bad_outer(cx, "a probe description");
		parse_one_spec(cx, c, n, spec);
		lex_skip(cx);
		if (lx->p == lx->end || *lx->p != ',')
			break;
		lx->p++;
		lex_skip(cx);
	}
	if (lx->p < lx->end && strchr("{/;", *lx->p) == NULL)
		bad_after(cx, c);
}
