/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * parse_decl.c - the words before a declarator, and declarations as items.
 *
 * C's grammar of declarations with D's additions: `string`, the storage
 * classes self and this, scoped type names.  As in the C of old, a storage
 * class alone means int: `self x;`.  What the words make together is decided at
 * their end, so that every order C allows reads the same.  Declarators are in
 * parse_declarator.c; structs, unions and enums in decl.c.
 */
#include "lang/parse/parse_impl.h"

#include <string.h>

/* What has been read of one list of specifiers. */
struct words {
	struct declspec *ds;
	bool strict;
	int longs, shorts, is_signed, is_unsigned;
	int base; /* KW_int, KW_char ...; -1: none */
	struct type *named;
	bool is_const, is_volatile, is_user;
	bool class_set;
};

static bool
words_any(const struct words *w)
{
	return w->longs || w->shorts || w->is_signed || w->is_unsigned ||
	       w->base >= 0 || w->named != NULL;
}

/* ---- known or not -------------------------------------------------------- */

_Noreturn void
decl_unknown(struct compile *cx, struct src_loc loc, const char *name)
{
	const char *why = type_space_kernel_error(cx->types);

	lang_fail(cx, &D_TYPE_ERR, loc, "unknown type %s%s%s%s", name,
		  why == NULL ? "" : " (no kernel types: ",
		  why == NULL ? "" : why, why == NULL ? "" : ")");
}

/* A word that no tag stands before, where only a type can stand. */
_Noreturn void
decl_no_type(struct compile *cx, const struct token *t)
{
	const char *why = type_space_kernel_error(cx->types);

	lang_fail(cx, &D_SYNTAX, t->loc,
		  "syntax error: %s%s%s is not the name of a type%s%s%s",
		  t->mod == NULL ? "" : t->mod, t->mod == NULL ? "" : "`",
		  t->name, why == NULL ? "" : " (no kernel types: ",
		  why == NULL ? "" : why, why == NULL ? "" : ")");
}

bool
parse_type_at(struct compile *cx, size_t i)
{
	struct token t = *lex_peek(cx, i);

	if (t.tok == TOK_KEYWORD)
		return (kw_flags(t.kw) & KWF_TYPE) != 0;
	if (t.tok != TOK_IDENT ||
	    (t.mod == NULL && parse_is_variable(cx, t.name)))
		return false;
	return type_lookup(cx->types, t.mod, t.name) != NULL;
}

/* From this compile back to the space of that number.  A library does not see
   programs' types. */
static struct type *
decl_lookup_declared(struct compile *cx, const char *name, size_t first)
{
	struct type *t = type_lookup_local(cx->types, name);
	const struct lang *l = cx->lang;
	size_t end = cx->src->library ? l->nlibspaces : l->spaces.n;

	for (size_t i = end; t == NULL && i > first; i--)
		t = type_lookup_local(l->spaces.v[i - 1], name);
	return t;
}

struct type *
decl_lookup_local(struct compile *cx, const char *name)
{
	return decl_lookup_declared(cx, name, 0);
}

struct type *
decl_lookup_own(struct compile *cx, const char *name)
{
	return decl_lookup_declared(
		cx, name, cx->src->library ? 0 : cx->lang->nlibspaces);
}

/* ---- one word ------------------------------------------------------------ */

static void
word_class(struct compile *cx, struct words *w, const struct token *t)
{
	if (w->class_set)
		lang_fail(cx, &D_DECL_CLASS, t->loc,
			  "only one storage class allowed, not %s as well",
			  kw_name(t->kw));
	w->class_set = true;
	w->ds->cls = t->kw == KW_typedef  ? DECL_TYPEDEF
		     : t->kw == KW_extern ? DECL_EXTERN
		     : t->kw == KW_self   ? DECL_SELF
		     : t->kw == KW_this   ? DECL_THIS
					  : DECL_STATIC;
}

/* True if the class, which stands alone, means that the type is int. */
static bool
class_alone(const struct words *w)
{
	return !words_any(w) &&
	       (w->ds->cls == DECL_SELF || w->ds->cls == DECL_THIS ||
		w->ds->cls == DECL_EXTERN);
}

static void
word_base(struct compile *cx, struct words *w, const struct token *t)
{
	if (w->base >= 0 || w->named != NULL)
		lang_fail(cx, &D_DECL_COMBO, t->loc,
			  "invalid combination of types: %s after another type",
			  kw_name(t->kw));
	w->base = t->kw;
}

static void
word_tagged(struct compile *cx, struct words *w, const struct token *t)
{
	if (w->base >= 0 || w->named != NULL)
		lang_fail(cx, &D_DECL_COMBO, t->loc,
			  "invalid combination of types: %s after another type",
			  kw_name(t->kw));
	if (t->kw == KW_enum)
		w->named = decl_enum(cx, t->loc, w->ds);
	else
		w->named = decl_sou(
			cx, t->kw == KW_union ? TYPE_UNION : TYPE_STRUCT,
			t->loc, w->ds, w->strict);
}

static bool
is_class(int kw)
{
	return kw == KW_typedef || kw == KW_extern || kw == KW_self ||
	       kw == KW_this || kw == KW_auto || kw == KW_register ||
	       kw == KW_static;
}

/* Take the word if it belongs to the specifiers. */
static bool
word_keyword(struct compile *cx, struct words *w, const struct token *t)
{
	/* After a type, `string`, self and the like can only be names. */
	if (words_any(w) && (kw_flags(t->kw) & KWF_MEMBER))
		return false;
	if (!is_class(t->kw) && !(kw_flags(t->kw) & KWF_TYPE))
		return false;
	if (kw_flags(t->kw) & KWF_RESERVED)
		lex_syntax(cx, t, NULL);
	lex_next(cx);
	switch (t->kw) {
	case KW_const:
		w->is_const = true;
		break;
	case KW_volatile:
		w->is_volatile = true;
		break;
	case KW_restrict: /* says nothing that D could use */
		break;
	case KW_userland:
		w->is_user = true;
		break;
	case KW_long:
		w->longs++;
		break;
	case KW_short:
		w->shorts++;
		break;
	case KW_signed:
		w->is_signed++;
		break;
	case KW_unsigned:
		w->is_unsigned++;
		break;
	case KW_struct:
	case KW_union:
	case KW_enum:
		word_tagged(cx, w, t);
		break;
	default:
		if (is_class(t->kw))
			word_class(cx, w, t);
		else
			word_base(cx, w, t);
	}
	return true;
}

static bool
word_ident(struct compile *cx, struct words *w, const struct token *t)
{
	if (words_any(w))
		return false;
	w->named = type_lookup(cx->types, t->mod, t->name);
	if (w->named == NULL && class_alone(w) && t->mod == NULL)
		return false;
	if (w->named == NULL)
		decl_no_type(cx, t);
	lex_next(cx);
	return true;
}

/* ---- what the words make ------------------------------------------------- */

/* Refuse words that break C's rules for combining, by the rule that is
   broken. */
static void
words_check(struct compile *cx, const struct words *w)
{
	struct src_loc loc = w->ds->loc;
	bool sized = w->longs || w->shorts;
	bool attr = sized || w->is_signed || w->is_unsigned;
	bool is_int = w->named == NULL && (w->base < 0 || w->base == KW_int);

	if (w->base == KW_void && attr)
		lang_fail(cx, &D_DECL_VOIDATTR, loc,
			  "void may not be signed, unsigned, short or long");
	if (w->base == KW_char && sized)
		lang_fail(cx, &D_DECL_CHARATTR, loc,
			  "char may not be short or long");
	if ((w->is_signed || w->is_unsigned) && !is_int && w->base != KW_char)
		lang_fail(cx, &D_DECL_SIGNINT, loc,
			  "signed and unsigned are for integer types only");
	if (w->is_signed + w->is_unsigned > 1)
		lang_fail(cx, &D_DECL_COMBO, loc,
			  "invalid combination of signed and unsigned");
	if (w->shorts > 1 || (w->shorts && w->longs))
		lang_fail(cx, &D_UNKNOWN, loc,
			  "invalid combination of short and long");
	if (w->longs > 2 || (w->longs > 1 && !is_int) ||
	    (sized && !is_int && !(w->base == KW_double && !w->shorts)))
		lang_fail(cx, &D_DECL_LONGINT, loc,
			  "short, long and long long are for integer types "
			  "only (and long for double)");
}

static enum type_basic
words_int(const struct words *w)
{
	bool u = w->is_unsigned;

	if (w->base == KW_char)
		return u              ? TYPE_B_UCHAR
		       : w->is_signed ? TYPE_B_SCHAR
				      : TYPE_B_CHAR;
	if (w->shorts)
		return u ? TYPE_B_USHORT : TYPE_B_SHORT;
	if (w->longs == 2)
		return u ? TYPE_B_ULLONG : TYPE_B_LLONG;
	if (w->longs == 1)
		return u ? TYPE_B_ULONG : TYPE_B_LONG;
	return u ? TYPE_B_UINT : TYPE_B_INT;
}

static enum type_basic
spec_words_basic(const struct words *w)
{
	switch (w->base) {
	case KW_void:
		return TYPE_B_VOID;
	case KW__Bool:
		return TYPE_B_BOOL;
	case KW_float:
		return TYPE_B_FLOAT;
	case KW_double:
		return w->longs ? TYPE_B_LDOUBLE : TYPE_B_DOUBLE;
	case KW_string:
		return TYPE_B_STRING;
	default:
		return words_int(w);
	}
}

static struct type *
spec_need(struct compile *cx, struct type *t)
{
	if (t == NULL)
		lang_nomem(cx);
	return t;
}

static void
words_finish(struct compile *cx, struct words *w)
{
	struct type *t = w->named;

	words_check(cx, w);
	if (t == NULL)
		t = spec_need(cx, type_basic(cx->types, spec_words_basic(w)));
	if (w->is_const)
		t = spec_need(cx, type_qual(cx->types, TYPE_CONST, t));
	if (w->is_volatile)
		t = spec_need(cx, type_qual(cx->types, TYPE_VOLATILE, t));
	w->ds->type = t;
	w->ds->user = w->is_user;
}

void
parse_declspec(struct compile *cx, struct declspec *ds, bool strict)
{
	struct words w = { .ds = ds, .strict = strict, .base = -1 };
	struct token t;

	*ds = (struct declspec){ .loc = lex_peek(cx, 0)->loc };
	for (;;) {
		parse_attrs(cx, &ds->attrs);
		t = *lex_peek(cx, 0);
		/* C's `static inline`; alone the word is D's. */
		if (ds->cls == DECL_STATIC && lex_accept_kw(cx, KW_inline))
			continue;
		if (t.tok == TOK_KEYWORD ? !word_keyword(cx, &w, &t)
		    : t.tok == TOK_IDENT ? !word_ident(cx, &w, &t)
					 : true)
			break;
	}
	if (!words_any(&w) && !class_alone(&w))
		lex_syntax(cx, &t, "a type");
	words_finish(cx, &w);
}

/* ---- uses ---------------------------------------------------------------- */

static struct type *
named_type(struct compile *cx, bool strict)
{
	struct declspec ds;
	struct decl d = { 0 };

	parse_declspec(cx, &ds, strict);
	if (ds.cls != DECL_NONE)
		lang_fail(cx, &D_DECL_CLASS, ds.loc,
			  "a storage class has no place in a type name");
	d.loc = lex_peek(cx, 0)->loc;
	d.user = ds.user;
	parse_declarator(cx, ds.type, &d, NULL);
	if (d.name != NULL || d.assoc)
		lang_fail(cx, &D_SYNTAX, d.loc,
			  "syntax error: expected the name of a type alone");
	return d.type;
}

struct type *
parse_type_name(struct compile *cx)
{
	return named_type(cx, true);
}

struct type *
parse_type_mention(struct compile *cx)
{
	return named_type(cx, false);
}

static void
declare_one(struct compile *cx, const struct declspec *ds, struct item *it)
{
	struct decl d = { .cls = ds->cls,
			  .user = ds->user,
			  .attrs = ds->attrs,
			  .loc = lex_peek(cx, 0)->loc };

	cx->parser->in_typedef = ds->cls == DECL_TYPEDEF;
	cx->parser->vector = false;
	parse_declarator(cx, ds->type, &d, NULL);
	cx->parser->in_typedef = false;
	if (d.name == NULL)
		lex_syntax(cx, lex_peek(cx, 0), "a name");
	if (cx->parser->vector)
		d.type = spec_need(cx, type_basic(cx->types, TYPE_B_LDOUBLE));
	if (ds->cls == DECL_TYPEDEF)
		decl_typedef(cx, &d);
	else
		decl_object(cx, &d);
	list_push(cx, it->decls, it->ndecls, d);
}

void
parse_declaration(struct compile *cx, struct item *it)
{
	struct declspec ds;

	it->kind = ITEM_DECL;
	parse_declspec(cx, &ds, false);
	if (ds.cls == DECL_STATIC && parse_static_function(cx, &ds))
		return;
	if (ds.cls == DECL_STATIC)
		lang_fail(cx, &D_DECL_BADCLASS, ds.loc,
			  "storage classes static, auto and register do not "
			  "exist in D");
	if (lex_accept(cx, ';')) {
		if (!ds.defines || ds.cls != DECL_NONE)
			lang_fail(cx, &D_DECL_USELESS, ds.loc,
				  "useless declaration: it declares no name");
		return;
	}
	do {
		declare_one(cx, &ds, it);
	} while (lex_accept(cx, ','));
	if (lex_is(cx, '='))
		lex_syntax(cx, lex_peek(cx, 0),
			   "\";\"; declarations take no initial value, assign "
			   "in a BEGIN clause");
	lex_expect(cx, ';');
}
