/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * type_lookup.c - types by name, and the few forms of type text that tables
 * use (the typedefs of the base space, prototypes of system calls).
 *
 * Declared names come first, space by space; then the program's that is traced,
 * if the space knows whom to ask; only when none knows the name is the
 * kernel's BTF asked, and so opened.  C's basic types are recognised by
 * their words in any order and never ask anything.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "type/type_impl.h"

/* ---- names taken apart ------------------------------------ */

/* Four bits count each word of a basic type. */
#define W_SIGNED   0x1u
#define W_UNSIGNED 0x10u
#define W_CHAR     0x100u
#define W_SHORT    0x1000u
#define W_INT      0x10000u
#define W_LONG     0x100000u
#define W_FLOAT    0x1000000u
#define W_DOUBLE   0x10000000u
#define W_BOOL     0x100000000u
#define W_VOID     0x1000000000u
#define W_STRING   0x10000000000u

static const struct {
	const char *word;
	uint64_t count;
} words[] = {
	{ "signed", W_SIGNED }, { "unsigned", W_UNSIGNED }, { "char", W_CHAR },
	{ "short", W_SHORT },   { "int", W_INT },           { "long", W_LONG },
	{ "float", W_FLOAT },   { "double", W_DOUBLE },     { "_Bool", W_BOOL },
	{ "void", W_VOID },     { "string", W_STRING },
};

/* After words_normal(). */
static const struct {
	uint64_t counts;
	enum type_basic basic;
} combinations[] = {
	{ W_VOID, TYPE_B_VOID },
	{ W_CHAR, TYPE_B_CHAR },
	{ W_SIGNED + W_CHAR, TYPE_B_SCHAR },
	{ W_UNSIGNED + W_CHAR, TYPE_B_UCHAR },
	{ W_SHORT, TYPE_B_SHORT },
	{ W_UNSIGNED + W_SHORT, TYPE_B_USHORT },
	{ W_INT, TYPE_B_INT },
	{ W_UNSIGNED, TYPE_B_UINT },
	{ W_LONG, TYPE_B_LONG },
	{ W_UNSIGNED + W_LONG, TYPE_B_ULONG },
	{ 2 * W_LONG, TYPE_B_LLONG },
	{ W_UNSIGNED + 2 * W_LONG, TYPE_B_ULLONG },
	{ W_BOOL, TYPE_B_BOOL },
	{ W_FLOAT, TYPE_B_FLOAT },
	{ W_DOUBLE, TYPE_B_DOUBLE },
	{ W_LONG + W_DOUBLE, TYPE_B_LDOUBLE },
	{ W_STRING, TYPE_B_STRING },
};

/* Drop the words that say nothing: "int" beside others, "signed". */
static uint64_t
words_normal(uint64_t w)
{
	const uint64_t ints = W_SIGNED + W_UNSIGNED + W_SHORT + 15 * W_LONG;

	if (w == W_SIGNED || w == W_SIGNED + W_INT)
		return W_INT;
	if ((w & W_INT) != 0 && (w & ints) != 0)
		w -= W_INT;
	if ((w & W_SIGNED) != 0 &&
	    (w == W_SIGNED + W_SHORT || w == W_SIGNED + W_LONG ||
	     w == W_SIGNED + 2 * W_LONG))
		w -= W_SIGNED;
	return w;
}

static bool
words_basic(uint64_t w, enum type_basic *out)
{
	w = words_normal(w);
	for (size_t i = 0; i < sizeof(combinations) / sizeof(*combinations);
	     i++) {
		if (combinations[i].counts == w) {
			*out = combinations[i].basic;
			return true;
		}
	}
	return false;
}

static const char *
skip_space(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

/* Length of the identifier at s; 0: there is none. */
static size_t
word_len(const char *s)
{
	size_t n = 0;

	if (isdigit((unsigned char)*s))
		return 0;
	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	return n;
}

static bool
word_is(const char *s, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(s, word, n) == 0;
}

static uint64_t
word_count(const char *s, size_t n)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (word_is(s, n, words[i].word))
			return words[i].count;
	return 0;
}

static bool
id_set(struct type_id *out, enum type_ns ns, const char *s, size_t n)
{
	if (n == 0 || n + 2 > sizeof(out->key))
		return false;
	out->ns = ns;
	out->key[0] = (char)ns;
	memcpy(out->key + 1, s, n);
	out->key[n + 1] = '\0';
	return true;
}

/*
 * Take the name at *s, qualifiers before, between and after its words
 * included (*quals gets them: 1 const, 2 volatile); *s is left behind it.
 */
static bool
id_scan(const char **s, struct type_id *out, unsigned *quals)
{
	enum type_ns ns = TYPE_NS_PLAIN;
	bool named = false;
	uint64_t w = 0;

	for (;;) {
		const char *p = skip_space(*s);
		size_t n = word_len(p);
		uint64_t c = word_count(p, n);

		if (n == 0)
			break;
		if (word_is(p, n, "const"))
			*quals |= 1;
		else if (word_is(p, n, "volatile"))
			*quals |= 2;
		else if (c != 0 && !named && ns == TYPE_NS_PLAIN) {
			/* More than any combination has: and no carry. */
			if ((w / c & 15) == 15)
				return false;
			w += c;
		} else if (w != 0 || named)
			return false;
		else if (ns == TYPE_NS_PLAIN && word_is(p, n, "struct"))
			ns = TYPE_NS_STRUCT;
		else if (ns == TYPE_NS_PLAIN && word_is(p, n, "union"))
			ns = TYPE_NS_UNION;
		else if (ns == TYPE_NS_PLAIN && word_is(p, n, "enum"))
			ns = TYPE_NS_ENUM;
		else if (!(named = id_set(out, ns, p, n)))
			return false;
		*s = p + n;
	}
	if (w != 0) {
		out->ns = TYPE_NS_BASIC;
		return words_basic(w, &out->basic);
	}
	return named;
}

bool
type_id_parse(const char *text, struct type_id *out)
{
	unsigned quals = 0;

	return id_scan(&text, out, &quals) && *skip_space(text) == '\0' &&
	       quals == 0;
}

/* ---- looking up ------------------------------------ */

/* In the spaces of the chain; an incomplete type only if nothing better is. */
static struct type *
lookup_declared(struct type_space *ts, const struct type_id *id)
{
	struct type *incomplete = NULL;

	for (; ts != NULL; ts = ts->parent) {
		struct type *t = type_space_find(ts, id);

		if (t != NULL && !type_is_incomplete(t))
			return t;
		if (incomplete == NULL)
			incomplete = t;
	}
	return incomplete;
}

static struct type *
lookup_kernel(struct type_space *ts, const char *module,
	      const struct type_id *id)
{
	for (; ts != NULL; ts = ts->parent) {
		struct type *t;

		if (ts->kernel == NULL)
			continue;
		t = type_kernel_find(ts->kernel, module, id);
		if (t != NULL)
			return t;
	}
	return NULL;
}

/* Of the program that is traced. */
static struct type *
lookup_asked(struct type_space *ts, const char *module,
	     const struct type_id *id)
{
	const char *word = id->ns == TYPE_NS_STRUCT  ? "struct "
			   : id->ns == TYPE_NS_UNION ? "union "
			   : id->ns == TYPE_NS_ENUM  ? "enum "
						     : "";
	char name[TYPE_NAME_MAX + 8];

	if (ts->ask == NULL)
		return NULL;
	snprintf(name, sizeof(name), "%s%s", word, type_id_name(id));
	return ts->ask(ts->ask_arg, module, name);
}

static struct type *
lookup_id(struct type_space *ts, const char *module, const struct type_id *id)
{
	struct type *t = NULL, *k;

	if (id->ns == TYPE_NS_BASIC)
		return type_basic(ts, id->basic);
	if (ts->prog != NULL)
		return type_prog_find(ts->prog, id);
	if (module == NULL || module[0] == '\0')
		t = lookup_declared(ts, id);
	if (t != NULL && !type_is_incomplete(t))
		return t;
	k = lookup_asked(ts, module, id);
	if (k == NULL)
		k = lookup_kernel(ts, module, id);
	return k != NULL ? k : t;
}

struct type *
type_lookup(struct type_space *ts, const char *module, const char *name)
{
	struct type_id id;

	return type_id_parse(name, &id) ? lookup_id(ts, module, &id) : NULL;
}

struct type *
type_lookup_local(struct type_space *ts, const char *name)
{
	struct type_id id;

	if (!type_id_parse(name, &id))
		return NULL;
	if (id.ns == TYPE_NS_BASIC)
		return ts->basic != NULL ? ts->basic[id.basic] : NULL;
	return type_space_find(ts, &id);
}

struct type *
type_complete(struct type_space *ts, struct type *t)
{
	struct type *r = type_resolve(t), *found;
	struct type_id id;

	if (r->name == NULL || !type_is_incomplete(r) || !type_is_sou(r))
		return t;
	if (!id_set(&id,
		    r->kind == TYPE_UNION || r->is_union ? TYPE_NS_UNION
							 : TYPE_NS_STRUCT,
		    r->name, strlen(r->name)))
		return t;
	found = lookup_id(ts, NULL, &id);
	return found != NULL && !type_is_incomplete(found) ? found : t;
}

bool
type_lookup_enumerator(struct type_space *ts, const char *name, bool kernel,
		       int64_t *val, struct type **type)
{
	for (struct type_space *s = ts; s != NULL; s = s->parent) {
		struct enum_ref *r =
			s->enums ? hash_find_str(s->enums, name) : NULL;

		if (r != NULL) {
			*val = r->val;
			*type = r->type;
			return true;
		}
	}
	for (; kernel && ts != NULL; ts = ts->parent)
		if (ts->kernel != NULL &&
		    type_kernel_enumerator(ts->kernel, name, val, type))
			return true;
	return false;
}

/* ---- type text ------------------------------------ */

/* The named part: what is not declared and has a tag need not be known. */
static struct type *
text_base(struct type_space *ts, const struct type_id *id)
{
	struct type *t;

	if (id->ns == TYPE_NS_BASIC)
		return type_basic(ts, id->basic);
	t = lookup_declared(ts, id);
	if (t != NULL)
		return t;
	if (id->ns == TYPE_NS_STRUCT || id->ns == TYPE_NS_UNION)
		return type_fwd(ts, id->ns == TYPE_NS_UNION, type_id_name(id));
	return lookup_kernel(ts, NULL, id);
}

struct type *
type_from_text(struct type_space *ts, const char *text, bool user)
{
	struct type_id id;
	unsigned quals = 0;
	struct type *t;

	errno = 0;
	if (!id_scan(&text, &id, &quals))
		return NULL;
	t = text_base(ts, &id);
	for (;;) {
		if (t != NULL && (quals & 1))
			t = type_qual(ts, TYPE_CONST, t);
		if (t != NULL && (quals & 2))
			t = type_qual(ts, TYPE_VOLATILE, t);
		text = skip_space(text);
		if (t == NULL || *text == '\0')
			return t;
		if (*text++ != '*')
			return NULL;
		t = user ? type_ptr_user(ts, t) : type_ptr(ts, t);
		quals = 0;
		for (size_t n; n = word_len(text = skip_space(text)), n != 0;
		     text += n) {
			if (word_is(text, n, "const"))
				quals |= 1;
			else if (word_is(text, n, "volatile"))
				quals |= 2;
			else
				return NULL;
		}
	}
}
