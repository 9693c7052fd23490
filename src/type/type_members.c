/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * type_members.c - the bodies of structs, unions and enums as text, laid out
 * as they are in memory.
 *
 * BTF says where members lie and not why: what was aligned or packed by an
 * attribute, and bit-fields without a name, are not in it (nor in ours).  So
 * the rules of type_layout.c are followed beside the members.  A gap that they
 * do not make is written as padding; where a member lies lower than they would
 * put it, the struct is packed, and then every gap is padding.
 */
#include <string.h>

#include "type/type_write.h"

struct place {
	uint64_t bits;	/* used so far */
	uint32_t align; /* bytes */
	bool packed;
};

static uint64_t
members_align_up(uint64_t v, uint64_t to)
{
	return (v + to - 1) / to * to;
}

/* ---- what the compiler would do ------------------------------------------ */

static bool is_packed(struct type *t);

/* The alignment of a type as it is written, which may be less than it has. */
static uint32_t
align_written(struct type *t)
{
	size_t n;
	const struct type_member *v;
	uint32_t align = 1;

	t = type_resolve(t);
	if (t->kind == TYPE_ARRAY)
		return align_written(t->ref);
	if (t->kind == TYPE_STRING)
		return 1;
	if (!type_is_sou(t))
		return type_align(t) != 0 ? type_align(t) : 1;
	if (is_packed(t))
		return 1;
	v = type_members(t, &n);
	for (size_t i = 0; i < n; i++) {
		uint32_t a = align_written(v[i].type);
		if (a > align)
			align = a;
	}
	return align;
}

/* Where the member goes if it comes next. */
static uint64_t
place_next(const struct place *p, const struct type_member *m)
{
	uint64_t unit = type_size(m->type) * 8;

	if (m->bits == 0)
		return members_align_up(p->bits, p->packed ? 8 :
					8 * (uint64_t)align_written(m->type));
	if (p->packed || unit == 0 ||
	    p->bits / unit == (p->bits + m->bits - 1) / unit)
		return p->bits;
	return members_align_up(p->bits, unit);
}

static void
place_take(struct place *p, const struct type_member *m)
{
	uint64_t size = m->bits != 0 ? m->bits :
				       type_member_size(m->type) * 8;
	uint32_t align = p->packed ? 1 : align_written(m->type);

	if (m->bit_off + size > p->bits)
		p->bits = m->bit_off + size;
	if (align > p->align)
		p->align = align;
}

static bool
is_packed(struct type *t)
{
	struct place p = { .align = 1 };
	size_t n;
	const struct type_member *v = type_members(t, &n);

	for (size_t i = 0; i < n; i++) {
		struct place here = { .bits = v[i].bit_off };

		if (place_next(&here, &v[i]) != v[i].bit_off)
			return true;
		place_take(&p, &v[i]);
	}
	return members_align_up(p.bits, 8 * (uint64_t)p.align) > t->size * 8;
}

/* ---- members ------------------------------------------------------------- */

/* From bit p->bits on to bit `to`. */
static void
write_padding(struct place *p, uint64_t to, struct buf *out)
{
	uint64_t bits = 8 - p->bits % 8, bytes;

	if (p->bits % 8 != 0) {
		bits = bits < to - p->bits ? bits : to - p->bits;
		buf_printf(out, "\tunsigned char : %u;\n", (unsigned)bits);
		p->bits += bits;
	}
	bytes = (to - p->bits) / 8;
	if (bytes >= 8) {
		buf_printf(out, "\tunsigned char __pad_%llu[%llu];\n",
			   (unsigned long long)p->bits / 8,
			   (unsigned long long)bytes);
		p->bits += bytes * 8;
	}
	for (; p->bits + 8 <= to; p->bits += 8)
		buf_puts(out, "\tunsigned char : 8;\n");
	if (p->bits < to)
		buf_printf(out, "\tunsigned char : %u;\n",
			   (unsigned)(to - p->bits));
	p->bits = to;
}

/* The anonymous type that a member's declarator is around, or NULL. */
static struct type *
anonymous_base(struct type *t)
{
	while (t->kind == TYPE_PTR || t->kind == TYPE_ARRAY ||
	       t->kind == TYPE_FUNC)
		t = t->ref;
	return t->name == NULL && (type_is_sou(t) || t->kind == TYPE_ENUM) ?
		       t : NULL;
}

/* Lines of a body that is inside another are indented once more. */
static void
write_indented(const char *s, struct buf *out)
{
	for (; *s != '\0'; s++) {
		buf_putc(out, *s);
		if (*s == '\n' && s[1] != '\0')
			buf_putc(out, '\t');
	}
}

static void
write_member(struct type_writer *w, const struct type_member *m, bool more,
	     struct buf *out)
{
	struct buf one = BUF_INIT;

	type_write(w, m->type, m->name, more, &one);
	buf_puts(out, more ? ", " : "\t");
	write_indented(buf_str(&one), out);
	if (m->bits != 0)
		buf_printf(out, " : %u", m->bits);
	buf_fini(&one);
}

static void
write_sou_members(struct type_writer *w, struct type *t, bool packed,
		  struct buf *out)
{
	struct place p = { .align = 1, .packed = packed };
	bool is_union = t->kind == TYPE_UNION;
	struct type *last = NULL;
	size_t n;
	const struct type_member *v = type_members(t, &n);

	for (size_t i = 0; i < n; i++) {
		struct type *anon = anonymous_base(v[i].type);
		bool more = last != NULL && anon == last;

		if (i != 0 && !more)
			buf_puts(out, ";\n");
		if (!is_union && place_next(&p, &v[i]) < v[i].bit_off) {
			if (more)
				buf_puts(out, ";\n");
			more = false;
			write_padding(&p, v[i].bit_off, out);
		}
		write_member(w, &v[i], more, out);
		place_take(&p, &v[i]);
		last = v[i].name != NULL ? anon : NULL;
	}
	if (n != 0)
		buf_puts(out, ";\n");
	if (members_align_up(p.bits, 8 * (uint64_t)p.align) >= t->size * 8)
		return;
	if (is_union)
		p.bits = 0;
	write_padding(&p, t->size * 8, out);
}

/* ---- enums --------------------------------------------------------------- */

static void
write_value(const struct type *t, int64_t val, struct buf *out)
{
	if (t->is_signed || val >= 0)
		buf_printf(out, "%lld%s", (long long)val,
			   val > INT32_MAX || val < INT32_MIN ? "LL" : "");
	else
		buf_printf(out, "%lluULL", (unsigned long long)val);
}

static void
write_enumerators(struct type_writer *w, struct type *t, struct buf *out)
{
	size_t n;
	const struct type_enumerator *v = type_enumerators(t, &n);

	for (size_t i = 0; i < n; i++) {
		const char *name = v[i].name;
		if (w->c)
			name = type_write_unique(w, 't', name, t);
		buf_printf(out, "\t%s = ", name);
		write_value(t, v[i].val, out);
		buf_puts(out, i + 1 < n ? ",\n" : "\n");
	}
	if (n == 0) /* declared only */
		buf_printf(out, "\t%s\n",
			   type_write_unique(w, 't', "__none", t));
}

/* What the size is if it is not what the values ask for. */
static const char *
enum_mode(const struct type *t)
{
	switch (t->size) {
	case 1:
		return " __attribute__((mode(QI)))";
	case 2:
		return " __attribute__((mode(HI)))";
	case 8:
		return " __attribute__((mode(DI)))";
	default:
		return "";
	}
}

/* ---- bodies -------------------------------------------------------------- */

void
type_write_body(struct type_writer *w, struct type *t, struct buf *out)
{
	bool packed = t->kind != TYPE_ENUM && is_packed(t);

	type_write_mark(w, t)->state = TYPE_DEFINED;
	buf_puts(out, t->kind == TYPE_ENUM    ? "enum " :
		      t->kind == TYPE_STRUCT ? "struct " :
					       "union ");
	if (t->name != NULL)
		buf_printf(out, "%s ", type_write_tag(w, t));
	buf_puts(out, "{\n");
	if (t->kind == TYPE_ENUM)
		write_enumerators(w, t, out);
	else
		write_sou_members(w, t, packed, out);
	buf_putc(out, '}');
	if (packed)
		buf_puts(out, " __attribute__((packed))");
	if (w->c && t->kind == TYPE_ENUM)
		buf_puts(out, enum_mode(t));
}

void
type_write_asserts(struct type_writer *w, struct type *t, struct buf *out)
{
	const char *words = t->kind == TYPE_UNION ? "union" : "struct";
	size_t n;
	const struct type_member *v = type_members(t, &n);
	const char *tag = type_write_tag(w, t);

	if (!w->c)
		return;
	buf_printf(out, "_Static_assert(sizeof(%s %s) == %llu, \"%s\");\n",
		   words, tag, (unsigned long long)t->size, tag);
	for (size_t i = 0; i < n; i++) {
		if (v[i].name == NULL || v[i].bits != 0)
			continue;
		buf_printf(out,
			   "_Static_assert(__builtin_offsetof(%s %s, %s) == "
			   "%llu, \"%s.%s\");\n",
			   words, tag, v[i].name,
			   (unsigned long long)v[i].bit_off / 8, tag,
			   v[i].name);
	}
}
