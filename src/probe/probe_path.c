/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * probe_path.c - from the text of a member to the loads that reach it.
 *
 * Providers of kernel probes say where an argument is found as C would:
 * "signal->group_exit_code" of a task.  Where that is in this kernel its BTF
 * tells, now; engines get numbers.  An arrow is a load of a pointer, a dot adds
 * to the offset, and what the last member holds is loaded last.
 *
 * What a pointer leads to may have to be computed, as headers of packets are
 * found:
 *
 *	PATH+member	and the number that a member beside the last one holds
 *	PATH:tag	the same pointer, to a struct tag
 *	PATH:tag+m*n	and n times what its member m holds
 *	PATH:tag+n	and n times the size of the struct
 *	PATH>>n		at the end: what the last member holds, without its
 *	lowest n bits
 *
 * "head+network_header:iphdr+ihl*4:tcphdr->syn" of a struct sk_buff.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/probe_impl.h"

struct walk {
	struct probe_set *ps;
	const char *text;
	struct dif_path path;
	uint64_t bits;	   /* offset from where the last load leads */
	struct type *type; /* of what is there */
	struct type *beside; /* what has the last member */
	bool cast;         /* no: what the last pointer leads to, it is said */
	uint32_t width;	   /* of a bit-field; 0: it is none */
	struct err *e;
};

static int
walk_fail(const struct walk *w, const char *why)
{
	return err_set(w->e, &ERR_GENERIC, 0, "%s: %s", w->text, why);
}

/* Into member name[0..len) of the struct that w stands at. */
static int
walk_member(struct walk *w, const char *name, size_t len)
{
	const struct type_member *m;
	uint64_t off = 0;
	char one[128];

	if (len >= sizeof(one))
		return walk_fail(w, "a name is too long");
	memcpy(one, name, len);
	one[len] = '\0';
	w->type = type_resolve(type_complete(w->ps->env->types,
					     type_resolve(w->type)));
	m = type_is_sou(w->type) ? type_member(w->type, one, &off) : NULL;
	if (m == NULL)
		return err_set(w->e, &ERR_GENERIC, 0,
			       "%s: this kernel has no such member as %s",
			       w->text, one);
	w->bits += off;
	w->type = type_resolve(m->type);
	w->width = m->bits;
	return 0;
}

/* The step that takes what w stands at: the bytes that hold it. */
static int
walk_step(struct walk *w, enum dif_add add, uint32_t scale)
{
	struct dif_step s = { .size = (uint32_t)type_size(w->type),
			      .off = (uint32_t)(w->bits / 8),
			      .is_signed = type_is_signed(w->type),
			      .add = add,
			      .scale = scale };

	if (w->path.n == DIF_NSTEPS)
		return walk_fail(w, "too many loads");
	if (w->width != 0) {
		s.off -= s.off % s.size;
		s.shift = (uint32_t)(w->bits - s.off * (uint64_t)8);
		s.bits = w->width;
	}
	if ((s.size != 1 && s.size != 2 && s.size != 4 && s.size != 8) ||
	    s.shift + s.bits > s.size * 8)
		return walk_fail(w, "no number");
	w->path.step[w->path.n++] = s;
	w->bits = 0;
	return 0;
}

/* A member, perhaps of a member; *p is left after it. */
static int
walk_members(struct walk *w, const char **p)
{
	for (;;) {
		size_t len = strcspn(*p, ".-+*:>");
		if (walk_member(w, *p, len) != 0)
			return -1;
		*p += len;
		if (**p != '.')
			break;
		++*p;
	}
	return type_is_scalar(w->type) ? 0 : walk_fail(w, "no number");
}

/* ":tag": what the pointer leads to. */
static int
walk_cast(struct walk *w, const char **p)
{
	size_t len = strcspn(*p, "+-:");
	char name[96];
	struct type *t;

	snprintf(name, sizeof(name), "struct %.*s", (int)len, *p);
	t = type_lookup(w->ps->env->types, NULL, name);
	if (t == NULL)
		return err_set(w->e, &ERR_GENERIC, 0,
			       "%s: this kernel has no %s", w->text, name);
	t = type_complete(w->ps->env->types, type_resolve(t));
	w->type = type_ptr(w->ps->env->types, t);
	w->beside = t;
	w->cast = true;
	*p += len;
	return w->type != NULL ? 0 : err_nomem(w->e);
}

/* "+n" after a cast: so many structs further. */
static int
walk_further(struct walk *w, const char **p)
{
	char *end;
	unsigned long n = strtoul(*p, &end, 10);

	*p = end;
	if (!w->cast)
		return walk_fail(w, "no struct to go past");
	if (w->path.n == DIF_NSTEPS)
		return walk_fail(w, "too many loads");
	w->path.step[w->path.n++] = (struct dif_step){
		.add = DIF_ADD_OFF,
		.off = (uint32_t)(n * type_size(w->beside)),
	};
	return 0;
}

/* "+member" and "+member*n": the pointer and what the member holds. */
static int
walk_add(struct walk *w, const char **p)
{
	struct type *pointer = w->type;
	unsigned long scale = 1;
	char *end;

	if (isdigit((unsigned char)**p))
		return walk_further(w, p);
	w->type = w->beside;
	w->bits = 0;
	if (walk_members(w, p) != 0)
		return -1;
	if (**p == '*') {
		scale = strtoul(*p + 1, &end, 10);
		*p = end;
	}
	if (walk_step(w, w->cast ? DIF_ADD_BELOW : DIF_ADD_BESIDE,
		      (uint32_t)scale) != 0)
		return -1;
	w->type = pointer;
	return 0;
}

/* ">>n" and the end: the number that was loaded last, shifted. */
static int
walk_shift(struct walk *w, const char *p)
{
	struct dif_step *s = &w->path.step[w->path.n - 1];
	char *end;
	unsigned long n = strtoul(p, &end, 10);

	if (*end != '\0' || n == 0 || s->bits != 0 || n >= s->size * 8)
		return walk_fail(w, "no number to shift by");
	s->shift = (uint32_t)n;
	s->bits = s->size * 8 - (uint32_t)n;
	return 0;
}

static int
walk_path(struct walk *w)
{
	const char *p = w->text;

	for (;;) {
		w->beside = w->type;
		w->cast = false;
		if (walk_members(w, &p) != 0 ||
		    walk_step(w, DIF_ADD_NONE, 1) != 0)
			return -1;
		while (*p == '+' || *p == ':') {
			if (!type_is_ptr(w->type))
				return walk_fail(w,
						 "no pointer to compute with");
			if ((*p++ == ':' ? walk_cast(w, &p)
					 : walk_add(w, &p)) != 0)
				return -1;
		}
		if (*p == '\0')
			return 0;
		if (strncmp(p, ">>", 2) == 0)
			return walk_shift(w, p + 2);
		if (strncmp(p, "->", 2) != 0 || !type_is_ptr(w->type))
			return walk_fail(w, "no pointer where an arrow is");
		w->type = w->type->ref;
		p += 2;
	}
}

const struct dif_path *
probe_path(struct probe_set *ps, struct type *from, const char *text,
	   struct err *e)
{
	struct walk w = { .ps = ps, .text = text, .e = e };
	const struct dif_path *kept;
	struct dif_path key;

	from = type_resolve(from);
	if (!type_is_ptr(from)) {
		walk_fail(&w, "no member of a number");
		return NULL;
	}
	w.type = from->ref;
	if (walk_path(&w) != 0)
		return NULL;
	/* Field by field: the padding must not make a difference. */
	memset(&key, 0, sizeof(key));
	key.n = w.path.n;
	for (uint32_t i = 0; i < key.n; i++) {
		key.step[i].off = w.path.step[i].off;
		key.step[i].size = w.path.step[i].size;
		key.step[i].shift = w.path.step[i].shift;
		key.step[i].bits = w.path.step[i].bits;
		key.step[i].is_signed = w.path.step[i].is_signed;
		key.step[i].add = w.path.step[i].add;
		key.step[i].scale = w.path.step[i].scale;
	}
	kept = probe_keep(ps, &key, sizeof(key));
	if (kept == NULL)
		err_nomem(e);
	return kept;
}
