/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * tp_list.c - the names of tracepoints, from the kernel's types, and their
 * groups, from tracefs (tp_list.h).
 *
 * The types are the truth about what can be attached to: tracefs lists events
 * that are no tracepoints (those of single system calls, of ftrace itself), and
 * leaves out tracepoints that have no event.
 */
#include "prov/tp_list.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"
#include "proc/proc.h"
#include "prov/tp_note.h"

#define KERNEL_BTF "/sys/kernel/btf" /* a file for each module with types */
#define MODULES	   "/sys/module"     /* a folder for each module */

struct tp_list {
	struct probe_set *set; /* keeps the strings */
	struct type_space *types;
	uint64_t seen; /* modules when it was read; 0: it was not */
	VEC(struct tp_name) all;
	struct tp_notes notes;
	char no_groups[160]; /* "": there are */
};

struct tp_list *
tp_list_new(struct probe_set *set, struct type_space *ts)
{
	struct tp_list *l = calloc(1, sizeof(*l));

	if (l != NULL) {
		l->set = set;
		l->types = ts;
	}
	return l;
}

void
tp_list_free(struct tp_list *l)
{
	if (l == NULL)
		return;
	vec_fini(&l->all);
	vec_fini(&l->notes.v);
	free(l);
}

const char *
tp_list_no_groups(const struct tp_list *l)
{
	return l->no_groups[0] != '\0' ? l->no_groups : NULL;
}

/* ---- groups -------------------------------------------------------------- */

/* Name -> group, of tracefs's lines "group:name"; empty where they cannot be
   read.  NULL: no memory. */
static struct hash *
groups_read(struct tp_list *l)
{
	struct err *e = calloc(1, sizeof(*e)); /* large for a stack */
	struct hash *groups = hash_new();
	FILE *f = e != NULL && groups != NULL
			  ? proc_tracefs_open("available_events", e)
			  : NULL;
	char line[256];
	bool ok = e != NULL && groups != NULL;

	l->no_groups[0] = '\0';
	if (ok && f == NULL)
		snprintf(l->no_groups, sizeof(l->no_groups), "%.150s", e->msg);
	while (f != NULL && ok && fgets(line, sizeof(line), f) != NULL) {
		char *name = strchr(line, ':');
		const char *group;

		if (name == NULL)
			continue;
		*name++ = '\0';
		name[strcspn(name, "\n")] = '\0';
		if (strcmp(line, "syscalls") == 0 || strcmp(line, "ftrace") == 0)
			continue;
		group = probe_str(l->set, line);
		ok = group != NULL &&
		     hash_set_str(groups, name, (void *)(uintptr_t)group) == 0;
	}
	if (f != NULL)
		fclose(f);
	free(e);
	if (ok)
		return groups;
	hash_free(groups);
	return NULL;
}

/* ---- names --------------------------------------------------------------- */

static int
tp_list_add(void *arg, const char *module, const char *name)
{
	struct tp_list *l = arg;
	struct tp_name n = { .name = name + strlen(TP_TYPEDEF),
			     .module = module };

	return vec_push(&l->all, n) ? 0 : -1;
}

const struct tp_note *
tp_list_note(const struct tp_list *l, const char *module, const char *name,
	     const struct tp_note *at)
{
	size_t i = at != NULL ? (size_t)(at - l->notes.v.v) + 1 : 0;

	for (; i < l->notes.v.n; i++)
		if (strcmp(l->notes.v.v[i].module, module) == 0 &&
		    strcmp(l->notes.v.v[i].probe, name) == 0)
			return &l->notes.v.v[i];
	return NULL;
}

/* Each probe once, however many places it has. */
static int
list_notes(struct tp_list *l)
{
	if (tp_notes_read(l->set, &l->notes) != 0)
		return -1;
	for (size_t i = 0; i < l->notes.v.n; i++) {
		const struct tp_note *t = &l->notes.v.v[i];
		struct tp_name n = { .name = t->probe, .module = t->module };

		if (tp_list_note(l, t->module, t->probe, NULL) == t &&
		    !vec_push(&l->all, n))
			return -1;
	}
	return 0;
}

static const char *
sort_group(const struct tp_name *n)
{
	return n->group != NULL ? n->group : n->module;
}

static int
cmp_names(const void *a, const void *b)
{
	const struct tp_name *x = a, *y = b;
	int c = strcmp(sort_group(x), sort_group(y));

	return c != 0 ? c : strcmp(x->name, y->name);
}

static int
tp_list_read(struct tp_list *l, struct err *e)
{
	struct hash *groups;
	const char *why;

	l->all.n = 0;
	if (type_kernel_typedefs(l->types, TP_TYPEDEF, true, tp_list_add, l) !=
		    0 || list_notes(l) != 0)
		return err_nomem(e);
	why = type_space_kernel_error(l->types);
	if (l->all.n == 0)
		return err_set(e, &ERR_GENERIC, 0, "%s",
			       why != NULL ? why
					   : "the types of this kernel have no "
					     "tracepoints");
	groups = groups_read(l);
	if (groups == NULL)
		return err_nomem(e);
	for (size_t i = 0; i < l->all.n; i++)
		if (tp_list_note(l, l->all.v[i].module, l->all.v[i].name,
				 NULL) == NULL)
			l->all.v[i].group = hash_find_str(
				groups, l->all.v[i].name);
	hash_free(groups);
	qsort(l->all.v, l->all.n, sizeof(*l->all.v), cmp_names);
	return 0;
}

/* The names in a directory as a number, in whatever order. */
static uint64_t
names_in(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *de;
	uint64_t sum = 1;

	while (d != NULL && (de = readdir(d)) != NULL) {
		uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */

		for (const char *s = de->d_name; *s != '\0'; s++)
			h = (h ^ (unsigned char)*s) * 0x100000001b3u;
		sum += h;
	}
	if (d != NULL)
		closedir(d);
	return sum;
}

const struct tp_name *
tp_list_all(struct tp_list *l, size_t *n, bool *fresh, struct err *e)
{
	uint64_t seen = names_in(KERNEL_BTF) ^ names_in(MODULES) << 1;

	*fresh = seen != l->seen;
	if (*fresh && tp_list_read(l, e) != 0)
		return NULL;
	l->seen = seen;
	*n = l->all.n;
	return l->all.v;
}

struct type *
tp_list_proto(struct type_space *ts, const char *module, const char *name)
{
	struct type *t;
	char text[128];

	snprintf(text, sizeof(text), TP_TYPEDEF "%s", name);
	t = type_lookup(ts, module, text);
	t = t != NULL ? type_resolve(t) : NULL;
	if (t == NULL || !type_is_ptr(t))
		return NULL;
	t = type_resolve(t->ref);
	return type_is_func(t) ? t : NULL;
}
