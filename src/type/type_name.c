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

static void name_write(struct type *t, unsigned quals, const char *inner,
		       struct buf *out, int depth);

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

static void
name_base(struct type *t, unsigned quals, const char *inner, struct buf *out)
{
	static const char *const tags[] = {
		[TYPE_ENUM] = "enum ",
		[TYPE_STRUCT] = "struct ",
		[TYPE_UNION] = "union ",
	};
	enum type_kind kind = t->kind;

	if (kind == TYPE_FWD)
		kind = t->is_union ? TYPE_UNION : TYPE_STRUCT;
	if (quals != 0) {
		name_quals(quals, out);
		buf_putc(out, ' ');
	}
	if (kind < sizeof(tags) / sizeof(*tags) && tags[kind] != NULL)
		buf_puts(out, tags[kind]);
	buf_puts(out, t->name != NULL ? t->name : "(anonymous)");
	if (inner[0] != '\0') {
		buf_putc(out, ' ');
		buf_puts(out, inner);
	}
}

static void
name_params(struct type *t, struct buf *out, int depth)
{
	size_t n;
	const struct type_param *p = type_params(t, &n);

	buf_putc(out, '(');
	for (size_t i = 0; i < n; i++) {
		struct buf one = BUF_INIT;

		name_write(p[i].type, 0, "", &one, depth + 1);
		buf_printf(out, "%s%s", i != 0 ? ", " : "", buf_str(&one));
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
name_write(struct type *t, unsigned quals, const char *inner, struct buf *out,
	   int depth)
{
	struct buf b = BUF_INIT;

	if (depth > NAME_DEPTH_MAX) {
		buf_puts(out, "...");
		return;
	}
	switch (t->kind) {
	case TYPE_CONST:
		name_write(t->ref, quals | Q_CONST, inner, out, depth);
		return;
	case TYPE_VOLATILE:
		name_write(t->ref, quals | Q_VOLATILE, inner, out, depth);
		return;
	case TYPE_RESTRICT:
		name_write(t->ref, quals | Q_RESTRICT, inner, out, depth);
		return;
	case TYPE_PTR:
		name_ptr(t, quals, inner, &b);
		quals = 0;
		break;
	case TYPE_ARRAY: /* qualifiers are the element's */
		if (t->nelems != 0)
			buf_printf(&b, "%s[%llu]", inner,
				   (unsigned long long)t->nelems);
		else
			buf_printf(&b, "%s[]", inner);
		break;
	case TYPE_FUNC:
		buf_puts(&b, inner);
		name_params(t, &b, depth);
		break;
	default:
		name_base(t, quals, inner, out);
		return;
	}
	name_write(t->ref, quals, buf_str(&b), out, depth);
	buf_fini(&b);
}

void
type_name(struct type *t, struct buf *out)
{
	struct buf b = BUF_INIT;

	name_write(t, 0, "", &b, 0);
	buf_puts(out, buf_str(&b));
	buf_fini(&b);
}
