/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * probe_path.c - from the text of a member to the loads that reach it.
 *
 * Providers of kernel probes say where an argument is found as C would:
 * "signal->group_exit_code" of a task.  Where that is in this kernel its BTF
 * tells, now; engines get numbers.  An arrow is a load of a pointer, a dot adds
 * to the offset, and what the last member holds is loaded last.
 */
#include <errno.h>
#include <string.h>

#include "probe/probe_impl.h"

struct walk {
	struct probe_set *ps;
	const char *text;
	struct dif_path path;
	uint64_t bits;	   /* offset from where the last load leads */
	struct type *type; /* of what is there */
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

/* Load what w stands at: the bytes that hold it. */
static int
walk_load(struct walk *w)
{
	struct dif_step s = { .size = (uint32_t)type_size(w->type),
			      .off = (uint32_t)(w->bits / 8),
			      .is_signed = type_is_signed(w->type) };

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

static int
walk_path(struct walk *w)
{
	const char *p = w->text;

	for (;;) {
		size_t len = strcspn(p, ".-");

		if (walk_member(w, p, len) != 0)
			return -1;
		p += len;
		if (*p == '.') {
			p++;
			continue;
		}
		if (!type_is_scalar(w->type))
			return walk_fail(w, "no number");
		if (walk_load(w) != 0)
			return -1;
		if (*p == '\0')
			return 0;
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
	}
	kept = probe_keep(ps, &key, sizeof(key));
	if (kept == NULL)
		err_nomem(e);
	return kept;
}
