/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_stab.c - stability: name/data/class triplets, their minimum over what a
 * program uses, and their names (the guide's chapter "Stability").
 */
#include "lib/dt_impl.h"

#include <string.h>
#include <strings.h>

static const char *const stability_names[] = {
	"Internal", "Private",	"Obsolete", "External",
	"Unstable", "Evolving", "Stable",   "Standard",
};
static const char *const class_names[] = {
	"Unknown", "CPU", "Platform", "Group", "ISA", "Common",
};

#define NELEM(a) (sizeof(a) / sizeof((a)[0]))

const char *
dtrace_stability_name(dtrace_stability_t s)
{
	return s < NELEM(stability_names) ? stability_names[s] : "Unknown";
}

const char *
dtrace_class_name(dtrace_class_t c)
{
	return c < NELEM(class_names) ? class_names[c] : "Unknown";
}

char *
dtrace_attr2str(dtrace_attribute_t a, char *buf, size_t len)
{
	snprintf(buf, len, "%s/%s/%s", dtrace_stability_name(a.dtat_name),
		 dtrace_stability_name(a.dtat_data),
		 dtrace_class_name(a.dtat_class));
	return buf;
}

/* The word's index in names; with abbrev, any prefix will do. */
static int
name_index(const char *s, size_t n, const char *const *names, size_t count,
	   bool abbrev)
{
	for (size_t i = 0; i < count; i++) {
		if (strncasecmp(s, names[i], n) == 0 &&
		    (abbrev || names[i][n] == '\0'))
			return (int)i;
	}
	return -1;
}

/* What is none leaves *a as it is. */
static int
attr_parse(const char *s, bool abbrev, dtrace_attribute_t *a)
{
	const char *p1 = strchr(s, '/');
	const char *p2 = p1 != NULL ? strchr(p1 + 1, '/') : NULL;

	if (p2 == NULL)
		return -1;
	int n = name_index(s, (size_t)(p1 - s), stability_names,
			   NELEM(stability_names), abbrev);
	int d = name_index(p1 + 1, (size_t)(p2 - p1 - 1), stability_names,
			   NELEM(stability_names), abbrev);
	int c = name_index(p2 + 1, strlen(p2 + 1), class_names,
			   NELEM(class_names), abbrev);
	if (n < 0 || d < 0 || c < 0)
		return -1;
	*a = (dtrace_attribute_t){ (dtrace_stability_t)n,
				   (dtrace_stability_t)d, (dtrace_class_t)c };
	return 0;
}

int
dtrace_str2attr(const char *s, dtrace_attribute_t *a)
{
	return attr_parse(s, false, a);
}

/* "E/E/C", "St/St/Common": as our tables abbreviate. */
dtrace_attribute_t
dt_attr_parse(const char *s)
{
	dtrace_attribute_t a = { 0 };
	char text[32];
	size_t n = 0;

	/* Alone, S is Stable, E Evolving, P Private (as a class, Platform), U
	   Unstable (as a class, Unknown), C Common. */
	for (; s != NULL && *s != '\0' && n + 4 < sizeof(text); s++) {
		text[n++] = *s;
		if (s[0] == 'S' && (s[1] == '/' || s[1] == '\0'))
			text[n++] = 't', text[n++] = 'a', text[n++] = 'b';
		else if (s[0] == 'E' && s[1] == '/')
			text[n++] = 'v';
		else if (s[0] == 'U' && (s[1] == '/' || s[1] == '\0') &&
			 strchr(s, '/') != NULL)
			text[n++] = 'n';
		else if (s[0] == 'C' && s[1] == '\0')
			text[n++] = 'o';
	}
	text[n] = '\0';
	(void)attr_parse(text, true, &a);
	return a;
}

dtrace_attribute_t
dt_attr_min(dtrace_attribute_t a, dtrace_attribute_t b)
{
#define LEAST(x, y) ((x) < (y) ? (x) : (y))
	return (dtrace_attribute_t){ LEAST(a.dtat_name, b.dtat_name),
				     LEAST(a.dtat_data, b.dtat_data),
				     LEAST(a.dtat_class, b.dtat_class) };
#undef LEAST
}

dtrace_attribute_t
dt_attr_probe(const struct prov_attr *a)
{
	/* Module and function are private everywhere; a description's
	   stability is that of the parts that name something. */
	return dt_attr_min(dt_attr_parse(a->prov), dt_attr_parse(a->name));
}

static dtrace_attribute_t
attr_object(dtrace_attribute_t a, const struct dif_obj *o)
{
	for (uint32_t i = 0; o != NULL && i < o->nvar; i++) {
		const struct dif_builtin_info *b =
			o->vartab[i].id < DIF_VAR_USER_MIN ?
				dif_builtin_by_id(o->vartab[i].id) : NULL;
		if (b != NULL)
			a = dt_attr_min(a, dt_attr_parse(b->stability));
	}
	return a;
}

dtrace_attribute_t
dt_attr_clause(dtrace_hdl_t *dtp, const struct dif_clause *c)
{
	dtrace_attribute_t a = attr_object(DT_ATTR_STABLE, c->pred);

	for (uint32_t s = 0; s < c->nstmts; s++) {
		for (uint32_t x = 0; x < c->stmts[s].nexprs; x++)
			a = attr_object(a, c->stmts[s].exprs[x].obj);
	}
	return a;
}

struct attr_walk {
	dtrace_attribute_t attr;
	const struct prov *last;
};

static int
attr_visit(void *arg, struct probe *p)
{
	struct attr_walk *w = arg;

	if (p->owner != w->last) {
		w->last = p->owner;
		w->attr = dt_attr_min(w->attr,
				      dt_attr_probe(probe_attr(p)));
	}
	return 0;
}

dtrace_attribute_t
dt_attr_desc(dtrace_hdl_t *dtp, const struct dif_pdesc *pd)
{
	struct attr_walk w = { .attr = DT_ATTR_STABLE };
	struct err e;

	err_clear(&e);
	/* A description that fails to match has been reported already. */
	(void)probe_match(dtp->probes, pd, attr_visit, &w, &e);
	return w.attr;
}
