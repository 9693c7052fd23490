/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * type_name.c - a type as C would write it.
 *
 * C writes types inside out: what stands around the (missing) name grows while
 * the derivations are undone, and the basic type comes last and stands first.
 * So each step wraps the text so far and hands it on with the type below.
 */
#include "type/type_impl.h"

#define Q_CONST    1u
#define Q_VOLATILE 2u
#define Q_RESTRICT 4u

#define NAME_DEPTH_MAX 12 /* parameters of parameters of ... */

static void name_write(const struct type_how *how, struct type *t,
		       unsigned quals, const char *inner, struct buf *out,
		       int depth);

static void
name_quals(unsigned quals, struct buf *out)
{
	static const char *const text[] = { "const", "volatile", "restrict" };

	for (unsigned i = 0; i < 3; i++) {
		if (!(quals & (1u << i)))
			continue;
		if (out->n != 0 && out->p[out->n - 1] != '*' &&
		    out->p[out->n - 1] != '(' && out->p[out->n - 1] != ' ')
			buf_putc(out, ' ');
		buf_puts(out, text[i]);
	}
}

/* A type as most messages name it. */
static void
base_words(const struct type_how *how, struct type *t, struct buf *out)
{
	static const char *const tags[] = {
		[TYPE_ENUM] = "enum ",
		[TYPE_STRUCT] = "struct ",
		[TYPE_UNION] = "union ",
	};
	enum type_kind kind = t->kind;

	(void)how;
	if (kind == TYPE_FWD)
		kind = t->is_union ? TYPE_UNION : TYPE_STRUCT;
	if (kind < sizeof(tags) / sizeof(*tags) && tags[kind] != NULL)
		buf_puts(out, tags[kind]);
	buf_puts(out, t->name != NULL ? t->name : "(anonymous)");
}

static void
name_base(const struct type_how *how, struct type *t, unsigned quals,
	  const char *inner, struct buf *out)
{
	if (how->bare) {
		buf_puts(out, inner);
		return;
	}
	if (quals != 0) {
		name_quals(quals, out);
		buf_putc(out, ' ');
	}
	how->base(how, t, out);
	if (inner[0] != '\0') {
		buf_putc(out, ' ');
		buf_puts(out, inner);
	}
}

/* True if there is such a pointer between the name and the base. */
static bool
has_user_ptr(const struct type *t)
{
	for (; t != NULL; t = t->ref) {
		if (t->kind == TYPE_PTR && t->user)
			return true;
		if (t->kind == TYPE_TYPEDEF || t->kind == TYPE_ENUM)
			return false;
	}
	return false;
}

static void
name_whole(const struct type_how *how, struct type *t, const char *inner,
	   struct buf *out, int depth)
{
	if (how->userland && !how->bare && has_user_ptr(t))
		buf_puts(out, "userland ");
	name_write(how, t, 0, inner, out, depth);
}

static void
name_params(const struct type_how *how, struct type *t, struct buf *out,
	    int depth)
{
	struct type_how whole = *how;
	size_t n;
	const struct type_param *p = type_params(t, &n);

	whole.bare = false;

	buf_putc(out, '(');
	for (size_t i = 0; i < n; i++) {
		struct buf one = BUF_INIT;

		name_whole(&whole, p[i].type, "", &one, depth + 1);
		buf_printf(out, "%s%s", i != 0 ? ", " : "", buf_str(&one));
		out->failed |= one.failed;
		buf_fini(&one);
	}
	if (t->variadic)
		buf_puts(out, n != 0 ? ", ..." : "...");
	else if (n == 0)
		buf_puts(out, "void");
	buf_putc(out, ')');
}

/* "*inner", in parentheses if what is pointed to is written behind it. */
static void
name_ptr(struct type *t, unsigned quals, const char *inner, struct buf *b)
{
	enum type_kind below = t->ref->kind;
	bool paren = below == TYPE_ARRAY || below == TYPE_FUNC;

	buf_puts(b, paren ? "(*" : "*");
	name_quals(quals, b);
	if (quals != 0 && inner[0] != '\0' && inner[0] != '[' &&
	    inner[0] != '(')
		buf_putc(b, ' ');
	buf_puts(b, inner);
	if (paren)
		buf_putc(b, ')');
}

static void
name_array(const struct type_how *how, struct type *t, const char *inner,
	   struct buf *b)
{
	if (t->nelems != 0)
		buf_printf(b, "%s[%llu]", inner, (unsigned long long)t->nelems);
	else
		buf_printf(b, "%s[%s]", inner, how->c ? "0" : "");
}

/* C's functions return no arrays, which strings are. */
static void
name_func(const struct type_how *how, struct type *t, const char *inner,
	  struct buf *b, int depth)
{
	bool string = how->c && t->ref->kind == TYPE_STRING;

	buf_printf(b, "%s%s", string ? "*" : "", inner);
	name_params(how, t, b, depth);
}

static void
name_write(const struct type_how *how, struct type *t, unsigned quals,
	   const char *inner, struct buf *out, int depth)
{
	struct buf b = BUF_INIT;

	if (depth > NAME_DEPTH_MAX) {
		buf_puts(out, "...");
		return;
	}
	switch (t->kind) {
	case TYPE_CONST:
		name_write(how, t->ref, quals | Q_CONST, inner, out,
			   depth);
		return;
	case TYPE_VOLATILE:
		name_write(how, t->ref, quals | Q_VOLATILE, inner, out,
			   depth);
		return;
	case TYPE_RESTRICT:
		name_write(how, t->ref, quals | Q_RESTRICT, inner, out,
			   depth);
		return;
	case TYPE_PTR:
		name_ptr(t, quals, inner, &b);
		quals = 0;
		break;
	case TYPE_ARRAY: /* qualifiers are the element's */
		name_array(how, t, inner, &b);
		break;
	case TYPE_FUNC:
		name_func(how, t, inner, &b, depth);
		if (how->c && t->ref->kind == TYPE_STRING) {
			name_base(how, t->ref, quals, buf_str(&b), out);
			buf_fini(&b);
			return;
		}
		break;
	case TYPE_STRING:
		if (how->c)
			buf_printf(&b, "%s[%d]", inner, TYPE_STRING_MEMBER);
		name_base(how, t, quals, how->c ? buf_str(&b) : inner, out);
		buf_fini(&b);
		return;
	default:
		name_base(how, t, quals, inner, out);
		return;
	}
	name_write(how, t->ref, quals, buf_str(&b), out, depth);
	out->failed |= b.failed;
	buf_fini(&b);
}

void
type_text(const struct type_how *how, struct type *t, const char *inner,
	  struct buf *out)
{
	struct buf b = BUF_INIT;

	/* name_quals() looks at what is before it. */
	name_whole(how, t, inner, &b, 0);
	buf_puts(out, buf_str(&b));
	out->failed |= b.failed;
	buf_fini(&b);
}

void
type_name(struct type *t, struct buf *out)
{
	const struct type_how how = { .base = base_words };

	type_text(&how, t, "", out);
}
