/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pragma.c - control lines: #line, #pragma D option and their like.
 *
 * A control line acts at the moment the lexer meets it, so an option holds for
 * the text below it.  The line is gathered first, with comments and continued
 * lines taken out, then split into words.  #if and #include mean something only
 * to the preprocessor; met here, they are errors.
 */
#include "lang/lex/lex_impl.h"
#include "lang/tree/names.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct ctl {
	struct src_loc loc; /* of the # */
	char *p;            /* the rest of the line */
	bool cut;           /* the text ends before the line does */
};

/* ---- words --------------------------------------------------------------- */

/* The next word, or NULL; a quoted string is one word, with its quotes. */
static char *
ctl_word(struct ctl *c)
{
	while (*c->p != '\0' && lex_isblank(*c->p))
		c->p++;
	if (*c->p == '\0')
		return NULL;
	char *w = c->p;
	if (*w == '"') {
		c->p += strcspn(w + 1, "\"") + 1;
		if (*c->p == '"')
			c->p++;
	}
	while (*c->p != '\0' && !lex_isblank(*c->p))
		c->p++;
	if (*c->p != '\0')
		*c->p++ = '\0';
	return w;
}

/* All that is left, without blanks around it. */
static char *
ctl_rest(struct ctl *c)
{
	while (*c->p != '\0' && lex_isblank(*c->p))
		c->p++;
	size_t n = strlen(c->p);
	while (n > 0 && lex_isblank(c->p[n - 1]))
		c->p[--n] = '\0';
	return c->p;
}

static char *
ctl_need(struct compile *cx, struct ctl *c, const char *pragma,
	 const char *what)
{
	char *w = ctl_word(c);

	if (w == NULL)
		lang_fail(cx, &D_PRAGMA_MALFORM, c->loc,
			  "malformed #pragma D %s: expected %s", pragma, what);
	return w;
}

static void
ctl_end(struct compile *cx, struct ctl *c, const char *pragma)
{
	const char *w = ctl_word(c);

	if (w != NULL)
		lang_fail(cx, &D_PRAGMA_MALFORM, c->loc,
			  "malformed #pragma D %s: unexpected \"%s\"", pragma,
			  w);
}

/* "text" without its quotes; anything else as it is. */
static char *
unquote(char *s)
{
	size_t n = strlen(s);

	if (n < 2 || s[0] != '"' || s[n - 1] != '"')
		return s;
	s[n - 1] = '\0';
	return s + 1;
}

/* ---- options ------------------------------------------------------------- */

/* Options that are compile flags: they hold from here on. */
static const struct {
	const char *name;
	unsigned flag;
} flag_options[] = {
	{ "argref", LANG_C_ARGREF },  { "defaultargs", LANG_C_DEFARG },
	{ "empty", LANG_C_EMPTY },    { "errtags", LANG_C_ETAGS },
	{ "knodefs", LANG_C_KNODEF }, { "pspec", LANG_C_PSPEC },
	{ "unodefs", LANG_C_UNODEF }, { "zdefs", LANG_C_ZDEFS },
};

static bool
is_no(const char *val)
{
	static const char *const no[] = { "0",     "no",      "off",
					  "false", "disable", "disabled" };

	for (size_t i = 0; val != NULL && i < sizeof(no) / sizeof(no[0]); i++)
		if (strcasecmp(val, no[i]) == 0)
			return true;
	return false;
}

static void
option_flag(struct compile *cx, const char *name, const char *val)
{
	const size_t n = sizeof(flag_options) / sizeof(flag_options[0]);

	if (strcmp(name, "kdefs") == 0)
		cx->cflags &= ~(unsigned)LANG_C_KNODEF;
	if (strcmp(name, "udefs") == 0)
		cx->cflags &= ~(unsigned)LANG_C_UNODEF;
	if (strcmp(name, "version") == 0 && val != NULL)
		(void)lang_version(val, &cx->version); /* the host checked */
	for (size_t i = 0; i < n; i++) {
		if (strcmp(name, flag_options[i].name) != 0)
			continue;
		if (is_no(val))
			cx->cflags &= ~flag_options[i].flag;
		else
			cx->cflags |= flag_options[i].flag;
	}
}

static void
pragma_option(struct compile *cx, struct ctl *c)
{
	const struct lang_host *h = &cx->lang->host;
	char *name = ctl_rest(c);
	char *val = strchr(name, '=');
	struct err e = { 0 };

	if (val != NULL) {
		char *end = val;
		*val++ = '\0';
		while (end > name && lex_isblank(end[-1]))
			*--end = '\0';
		while (lex_isblank(*val))
			val++;
		if (*val != '"' && strpbrk(val, " \t") != NULL)
			lang_fail(cx, &D_PRAGMA_MALFORM, c->loc,
				  "malformed #pragma D option: unexpected "
				  "\"%s\"",
				  strpbrk(val, " \t") + 1);
		val = unquote(val);
	}
	if (*name == '\0')
		lang_fail(cx, &D_PRAGMA_MALFORM, c->loc,
			  "malformed #pragma D option: expected "
			  "name or name=value");
	char *blank = strpbrk(name, " \t");
	if (blank != NULL)
		lang_fail(cx, &D_PRAGMA_MALFORM, c->loc,
			  "malformed #pragma D option: unexpected \"%s\"",
			  blank + 1);
	if (h->setopt == NULL)
		lang_fail(cx, &D_PRAGMA_OPTSET, c->loc,
			  "failed to set option \"%s\": there are no options "
			  "here",
			  name);
	int rc = h->setopt(h->arg, name, val, &e);
	if (rc != 0 && e.tag == &ERR_NOMEM)
		lang_nomem(cx);
	if (rc != 0)
		lang_fail(cx, &D_PRAGMA_OPTSET, c->loc,
			  "failed to set option \"%s\": %s", name, e.msg);
	option_flag(cx, name, val);
}

/* ---- stability and versions ---------------------------------------------- */

static int
stab_index(const char *w, size_t n, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(names[i]) == n && strncasecmp(w, names[i], n) == 0)
			return (int)i;
	return -1;
}

/* name/data/class in words: Evolving/Evolving/Common. */
static void
parse_stability(struct compile *cx, struct ctl *c, const char *w,
		uint8_t stab[3])
{
	static const char *const levels[] = { "Internal", "Private",
					      "Obsolete", "External",
					      "Unstable", "Evolving",
					      "Stable",   "Standard" };
	static const char *const classes[] = { "Unknown", "CPU", "Platform",
					       "Group",   "ISA", "Common" };
	const char *p = w;

	for (int i = 0; i < 3; i++) {
		size_t n = strcspn(p, "/");
		int k = i < 2 ? stab_index(p, n, levels, 8)
			      : stab_index(p, n, classes, 6);
		if (k < 0 || (p[n] == '/') != (i < 2))
			lang_fail(cx, &D_PRAGMA_INVAL, c->loc,
				  "invalid #pragma D attributes: \"%s\" is "
				  "not name/data/class stability",
				  w);
		stab[i] = (uint8_t)k;
		p += n + 1;
	}
}

static struct lang_attr *
attr_new(struct compile *cx, struct ctl *c, const char *pragma)
{
	if (!cx->lex->outer)
		lang_fail(cx, &D_PRAGMA_SCOPE, c->loc,
			  "#pragma D %s stands inside a declaration or a "
			  "clause",
			  pragma);
	/* Not from lang's arena until nothing can fail: see attr_keep(). */
	struct lang_attr *a = arena_alloc(cx->arena, sizeof(*a));
	a->loc = c->loc;
	return a;
}

/* The lang's arena has no failure handler: test what it gives. */
static void
attr_keep(struct compile *cx, const struct lang_attr *a)
{
	struct arena *la = cx->lang->arena;
	struct lang_attr *k = arena_memdup(la, a, sizeof(*a));

	if (k == NULL)
		lang_nomem(cx);
	k->name = arena_strdup(la, a->name);
	k->provider =
		a->provider == NULL ? NULL : arena_strdup(la, a->provider);
	if (k->name == NULL || (a->provider != NULL && k->provider == NULL))
		lang_nomem(cx);
	k->next = cx->attrs;
	cx->attrs = k;
}

static void
pragma_attributes(struct compile *cx, struct ctl *c)
{
	static const char *const parts[] = { "provider", "module", "function",
					     "name", "args" };
	struct lang_attr *a;
	uint8_t stab[3];

	parse_stability(cx, c, ctl_need(cx, c, "attributes", "a stability"),
			stab);
	a = attr_new(cx, c, "attributes");
	memcpy(a->stab, stab, sizeof(stab));
	a->name = ctl_need(cx, c, "attributes", "a name");
	if (strcmp(a->name, "provider") == 0) {
		a->provider = ctl_need(cx, c, "attributes", "a provider");
		a->name = ctl_need(cx, c, "attributes",
				   "provider, module, function, name or args");
		if (stab_index(a->name, strlen(a->name), parts, 5) < 0)
			lang_fail(cx, &D_PRAGMA_MALFORM, c->loc,
				  "malformed #pragma D attributes: \"%s\" is "
				  "not a part of a provider",
				  a->name);
	}
	ctl_end(cx, c, "attributes");
	attr_keep(cx, a);
}

bool
lang_version(const char *s, uint32_t *version)
{
	uint32_t v[3] = { 0 };

	for (int i = 0; i < 3; i++) {
		if (!lex_isdigit(*s))
			return false;
		for (; lex_isdigit(*s); s++) {
			v[i] = v[i] * 10 + (uint32_t)(*s - '0');
			if (v[i] > (i == 0 ? 255u : 4095u))
				return false;
		}
		if (*s == '\0' && i >= 1) {
			*version = v[0] << 24 | v[1] << 12 | v[2];
			return true;
		}
		if (*s++ != '.')
			return false;
	}
	return false;
}

/* `binding "1.2" name` stands after the name, `... translator` before it. */
static void
pragma_binding(struct compile *cx, struct ctl *c)
{
	struct lang_attr *a = attr_new(cx, c, "binding");
	char *ver = unquote(ctl_need(cx, c, "binding", "a version"));

	if (!lang_version(ver, &a->version))
		lang_fail(cx, &D_PRAGMA_MALFORM, c->loc,
			  "malformed #pragma D binding: \"%s\" is not a "
			  "version",
			  ver);
	a->binding = true;
	a->name = ctl_need(cx, c, "binding", "a name");
	ctl_end(cx, c, "binding");
	if (strcmp(a->name, "translator") == 0)
		cx->xlator_version = a->version;
	else
		names_bind(cx, a->name, a->version);
	attr_keep(cx, a);
}

/* ---- dependencies -------------------------------------------------------- */

static bool
depends_met(struct compile *cx, struct ctl *c, const char **kind,
	    const char **name)
{
	const struct lang_host *h = &cx->lang->host;

	*kind = ctl_need(cx, c, "depends_on", "module, provider or library");
	*name = ctl_need(cx, c, "depends_on", "a name");
	ctl_end(cx, c, "depends_on");
	if (strcmp(*kind, "module") != 0 && strcmp(*kind, "provider") != 0 &&
	    strcmp(*kind, "library") != 0)
		lang_fail(cx, &D_PRAGMA_INVAL, c->loc,
			  "invalid #pragma D depends_on: \"%s\" is not module, "
			  "provider or library",
			  *kind);
	int met = h->depends != NULL ? h->depends(h->arg, *kind, *name) : 0;
	if (met < 0)
		lang_nomem(cx);
	return met != 0;
}

static void
pragma_depends(struct compile *cx, struct ctl *c)
{
	const char *kind, *name;
	bool met = depends_met(cx, c, &kind, &name);

	if (!cx->src->library && strcmp(kind, "library") == 0)
		lang_fail(cx, &D_PRAGMA_DEPEND, c->loc,
			  "only a library may depend on library %s: all "
			  "libraries are there for a program",
			  name);
	if (met)
		return;
	if (!cx->src->library)
		lang_fail(cx, &D_PRAGMA_DEPEND, c->loc,
			  "program requires %s %s, which is not there", kind,
			  name);
	cx->skip = true;
	cx->lex->p = cx->lex->end;
}

/* ---- which line is it ---------------------------------------------------- */

static _Noreturn void
pragma_error(struct compile *cx, struct ctl *c)
{
	lang_fail(cx, &D_PRAGERR, c->loc, "#error: %s", ctl_rest(c));
}

static void
pragma_d(struct compile *cx, struct ctl *c)
{
	static const struct {
		const char *name;
		void (*fn)(struct compile *cx, struct ctl *c);
	} pragmas[] = {
		{ "option", pragma_option },
		{ "attributes", pragma_attributes },
		{ "binding", pragma_binding },
		{ "depends_on", pragma_depends },
	};
	const char *line = shown_text_wanted(cx) ? arena_strdup(cx->arena, c->p)
					    : NULL;
	const char *w = ctl_word(c);

	if (w == NULL)
		lang_fail(cx, &D_PRAGMA_MALFORM, c->loc,
			  "malformed #pragma D: expected option, attributes, "
			  "binding or depends_on");
	if (strcmp(w, "error") == 0)
		pragma_error(cx, c);
	for (size_t i = 0; i < sizeof(pragmas) / sizeof(pragmas[0]); i++) {
		if (strcmp(w, pragmas[i].name) == 0) {
			pragmas[i].fn(cx, c);
			if (line != NULL)
				list_push(cx, cx->shown.lines, cx->shown.nlines,
					  line);
			return;
		}
	}
	lang_fail(cx, &D_PRAGMA_INVAL, c->loc, "invalid #pragma D: \"%s\"", w);
}

/* #pragma: only those with D are ours; #pragma once and others are not. */
static void
pragma_pragma(struct compile *cx, struct ctl *c)
{
	const struct lang_host *h = &cx->lang->host;
	const char *w = ctl_word(c);

	if (c->cut)
		lang_fail(cx, &D_SYNTAX, c->loc,
			  "syntax error: end of file in control line");
	if (w == NULL || strcmp(w, "ident") == 0)
		return;
	if (strcmp(w, "D") == 0)
		pragma_d(cx, c);
	else if (strcmp(w, "error") == 0)
		pragma_error(cx, c);
	else if (strcmp(w, "warn") == 0 && h->warn != NULL)
		h->warn(h->arg, c->loc, ctl_rest(c));
}

/* #line n "file" and cpp's # n "file" flags: the next line is n. */
static void
pragma_position(struct compile *cx, struct ctl *c, const char *num)
{
	if (num == NULL || num[strspn(num, "0123456789")] != '\0' ||
	    strlen(num) > 9)
		lang_fail(cx, &D_PRAGCTL_INVAL, c->loc,
			  "invalid #line: expected a line number");
	unsigned long n = strtoul(num, NULL, 10);
	char *file = ctl_word(c);
	if (file != NULL) {
		size_t len = strlen(file);
		if (len < 2 || file[0] != '"' || file[len - 1] != '"')
			lang_fail(cx, &D_PRAGCTL_INVAL, c->loc,
				  "invalid #line: %s is not a \"file\"", file);
		cx->lex->file = lang_file(cx, unquote(file));
	}
	cx->lex->line = (int)n - 1; /* the newline is still to come */
}

static void
ctl_run(struct compile *cx, struct ctl *c)
{
	char *w = ctl_word(c);

	if (w == NULL)
		return;
	if (lex_isdigit(*w))
		pragma_position(cx, c, w);
	else if (strcmp(w, "line") == 0)
		pragma_position(cx, c, ctl_word(c));
	else if (strcmp(w, "pragma") == 0)
		pragma_pragma(cx, c);
	else if (strcmp(w, "error") == 0)
		pragma_error(cx, c);
	else if (strcmp(w, "ident") != 0)
		lang_fail(cx, &D_PRAGCTL_INVAL, c->loc,
			  "invalid control line: #%s (is the preprocessor "
			  "option, -C, missing?)",
			  w);
}

/* ---- gathering ----------------------------------------------------------- */

/*
 * The text from the # to the newline.  A comment in it becomes a blank even if
 * it has newlines, as in C.
 */
static char *
ctl_gather(struct compile *cx)
{
	struct lex *lx = cx->lex;
	char *out = NULL;
	size_t n = 0, cap = 0;
	bool quoted = false;

	lx->p++;
	for (;;) {
		char c = lx->p == lx->end ? '\n' : *lx->p;
		if (c == '\n')
			break;
		if (n + 2 > cap) {
			char *bigger = arena_alloc(cx->arena, cap * 2 + 64);
			if (n > 0)
				memcpy(bigger, out, n);
			out = bigger;
			cap = cap * 2 + 64;
		}
		if (c == '\\' && lx->end - lx->p > 1 && lx->p[1] == '\n') {
			lx->p++;
			lex_newline(lx);
			c = ' ';
		} else if (!quoted && c == '/' && lex_comment(cx)) {
			c = ' ';
		} else {
			lx->p++;
		}
		if (c == '"')
			quoted = !quoted;
		out[n++] = c == '\0' ? ' ' : c;
	}
	if (out == NULL)
		return arena_strdup(cx->arena, "");
	out[n] = '\0';
	return out;
}

void
pragma_line(struct compile *cx)
{
	struct lex *lx = cx->lex;
	struct ctl c = { .loc = lex_loc(lx) };

	/* #!/usr/sbin/dtrace -s: a comment, at the start of any line */
	if (lx->end - lx->p > 1 && lx->p[1] == '!' && lx->p == lx->line_start) {
		while (lx->p < lx->end && *lx->p != '\n')
			lx->p++;
		return;
	}
	bool in_pred = lx->in_pred;
	lx->in_pred = false;
	c.p = ctl_gather(cx);
	c.cut = lx->p == lx->end;
	lx->in_pred = in_pred;
	ctl_run(cx, &c);
}

/* ---- only dependencies --------------------------------------------------- */

static void
scan_line(struct compile *cx)
{
	struct ctl c = { .loc = lex_loc(cx->lex) };
	const char *kind, *name, *w;

	if (cx->lex->end - cx->lex->p > 1 && cx->lex->p[1] == '!')
		return;
	c.p = ctl_gather(cx);
	if ((w = ctl_word(&c)) == NULL || strcmp(w, "pragma") != 0 ||
	    (w = ctl_word(&c)) == NULL || strcmp(w, "D") != 0 ||
	    (w = ctl_word(&c)) == NULL || strcmp(w, "depends_on") != 0)
		return;
	/* The host orders its libraries by what it hears; met or not. */
	(void)depends_met(cx, &c, &kind, &name);
}

void
pragma_scan(struct compile *cx)
{
	struct lex *lx = cx->lex;
	bool quoted = false;

	while (lx->p < lx->end) {
		char c = *lx->p;
		if (c == '#' && lx->bol)
			scan_line(cx);
		if (lx->p == lx->end)
			break;
		if (!quoted && lex_comment(cx))
			continue;
		c = *lx->p;
		if (c == '\n') {
			quoted = false;
			lex_newline(lx);
			continue;
		}
		if (!lex_isblank(c))
			lx->bol = false;
		if (c == '"')
			quoted = !quoted;
		if (c == '\\' && lx->end - lx->p > 1 && lx->p[1] != '\n')
			lx->p++;
		lx->p++;
	}
}

/* ---- at the end ---------------------------------------------------------- */

void
pragma_check_unused(struct compile *cx)
{
	for (const struct lang_attr *a = cx->attrs; a != NULL; a = a->next) {
		const char *what = a->binding ? "binding" : "attributes";
		bool known;

		if (a->provider != NULL)
			known = cx->providers != NULL &&
				hash_find_str(cx->providers, a->provider) !=
					NULL;
		else
			known = strcmp(a->name, "translator") == 0 ||
				names_exists(cx, a->name);
		if (!known)
			lang_fail(cx, &D_PRAGMA_UNUSED, a->loc,
				  "unused #pragma D %s: there is no %s \"%s\"",
				  what,
				  a->provider != NULL ? "provider"
						      : "identifier",
				  a->provider != NULL ? a->provider : a->name);
	}
}
