/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pid_fn.c - what descriptions of the pid provider mean: objects by their
 * several names, functions by theirs.
 */
#include "prov/pid_fn.h"

#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* ---- objects -------------------------------------------------------- */

/* True if text is all of s, up to a '.': "libc" and "libc.so" of
   "libc.so.6". */
static bool
mod_is_prefix(const char *text, const char *s)
{
	size_t n = strlen(text);

	return s != NULL && strncmp(text, s, n) == 0 && s[n] == '.';
}

static bool
mod_same(const char *text, const char *s)
{
	return s != NULL && strcmp(text, s) == 0;
}

/* True if text is a path, here, to the object's file. */
static bool
mod_is_path(const char *text, const struct proc_obj *o)
{
	struct stat st;

	if (text[0] != '/')
		return false;
	return strcmp(text, o->path) == 0 ||
	       (stat(text, &st) == 0 && st.st_dev == o->dev &&
		st.st_ino == o->ino);
}

/* How well text names an object: the ways, best first. */
#define MOD_WAYS 4
static bool
mod_names(const struct proc_obj *o, const char *text, int way)
{
	switch (way) {
	case 0:
		return mod_same(text, o->name) || mod_is_path(text, o);
	case 1:
		return mod_same(text, o->soname);
	case 2:
		return o->is_exec && strcmp(text, "a.out") == 0;
	default:
		return mod_is_prefix(text, o->name) ||
		       mod_is_prefix(text, o->soname);
	}
}

const char *
pid_mod_name(struct proc *p, const char *text)
{
	for (int way = 0; way < MOD_WAYS; way++)
		for (size_t i = 0; i < proc_nobjs(p); i++)
			if (mod_names(proc_obj_at(p, i), text, way))
				return proc_obj_at(p, i)->name;
	/* A program may have been executed by the name of a link to it. */
	for (size_t i = 0; i < proc_nobjs(p); i++)
		if (proc_obj_at(p, i)->is_exec && proc_runs(proc_pid(p), text))
			return proc_obj_at(p, i)->name;
	return NULL;
}

bool
pid_mod_is(const struct proc_obj *o, const char *text, const char *canon)
{
	if (o->path[0] != '/')
		return false; /* [vdso] is not in a file: no probe can be */
	if (canon == NULL)
		return probe_glob(text, o->name);
	/* A path means that file, not its namesakes. */
	return strcmp(o->name, canon) == 0 &&
	       (text[0] != '/' || mod_is_path(text, o));
}

static bool
fn_same_file(const struct stat *a, const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_dev == a->st_dev &&
	       st.st_ino == a->st_ino;
}

const char *
pid_file_path(struct probe_set *ps, const struct proc_obj *o)
{
	struct stat st;

	return probe_str(ps, stat(o->open_path, &st) == 0 &&
					     fn_same_file(&st, o->path)
				     ? o->path
				     : o->open_path);
}

/* ---- objects of every process ---------------------------------------- */

#define FILES_MS 2000

struct files_walk {
	const char *text, *mod;
	struct hash *seen; /* files */
	VEC(struct proc_obj *) objs;
};

/* Objects of one more process: each file once.  What is mapped and no program
   has no functions. */
static int
files_in(void *arg, struct proc *p)
{
	struct files_walk *w = arg;

	if (probe_is_exact(w->text)) {
		const char *mod = pid_mod_name(p, w->text);

		if (mod == NULL)
			return 0;
		w->mod = w->mod != NULL ? w->mod : mod;
	}
	for (size_t i = 0; i < proc_nobjs(p); i++) {
		struct proc_obj *o = proc_obj_at(p, i);
		struct err why = { 0 };
		struct elf_file *elf;

		if (!pid_mod_is(o, w->text, w->mod) ||
		    (elf = proc_obj_elf(o, &why)) == NULL ||
		    hash_find(w->seen, &elf, sizeof(elf)) != NULL)
			continue;
		if (hash_set(w->seen, &elf, sizeof(elf), elf) != 0 ||
		    !vec_push(&w->objs, o))
			return -1;
	}
	return 0;
}

static uint64_t
files_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* In a process, or in all (p NULL), into f, which has mod already or NULL. */
static int
files_find(struct prov *pv, struct arena *a, const char *text, struct proc *p,
	   struct pid_files *f)
{
	struct files_walk w = { .text = text, .mod = f->mod };
	int rc = -1;

	w.seen = hash_new();
	if (w.seen != NULL)
		rc = p != NULL ? files_in(&w, p)
			       : proc_each(pv->env->procs, files_in, &w);
	f->n = rc == 0 ? w.objs.n : 0;
	if (f->n != 0)
		f->objs = arena_memdup(a, w.objs.v, f->n * sizeof(*f->objs));
	if (rc == 0 && w.mod != NULL)
		f->mod = probe_str(pv->set, w.mod);
	if ((f->n != 0 && f->objs == NULL) || (w.mod != NULL && f->mod == NULL))
		rc = -1;
	vec_fini(&w.objs);
	hash_free(w.seen);
	return rc;
}

/* What the cache has of a text, or nothing so far.  NULL: no memory. */
static struct pid_files *
files_entry(struct hash *cache, struct arena *a, const char *text)
{
	struct pid_files *f = hash_find_str(cache, text);

	if (f != NULL)
		return f;
	f = arena_alloc(a, sizeof(*f)); /* zeroed */
	return f != NULL && hash_set_str(cache, text, f) == 0 ? f : NULL;
}

const struct pid_files *
pid_files_get(struct prov *pv, struct hash *cache, struct arena *a,
	      const char *text, struct err *e)
{
	struct pid_files *f = files_entry(cache, a, text);
	const uint64_t asks = probe_asks(pv->set), now = files_now_ms();

	if (f == NULL)
		goto nomem;
	if (f->turn != 0 &&
	    (f->asks == asks || (f->n != 0 && now - f->ms < FILES_MS)))
		return f;
	f->mod = NULL;
	if (files_find(pv, a, text, NULL, f) != 0)
		goto nomem;
	f->asks = asks;
	f->ms = now;
	f->turn++;
	return f;
nomem:
	err_nomem(e);
	return NULL;
}

int
pid_files_of(struct prov *pv, struct hash *cache, struct arena *a,
	     const char *text, struct proc *p, struct pid_files *out,
	     struct err *e)
{
	struct pid_files *f = files_entry(cache, a, text);

	if (f == NULL)
		return err_nomem(e);
	*out = (struct pid_files){ .mod = f->mod };
	if (files_find(pv, a, text, p, out) != 0)
		return err_nomem(e);
	f->mod = out->mod;
	return 0;
}

/* ---- functions ------------------------------------------------------ */

/* The bytes of a function; false: it has none that could be probed. */
static bool
fn_body(struct elf_file *elf, const struct elf_sym *sym, uint64_t next,
	struct code_body *b)
{
	uint64_t left = elf_code_left(elf, sym->addr);

	/* A symbol may claim more than there is. */
	b->n = sym->size < left ? sym->size : left;
	b->addr = sym->addr;
	b->next = next != 0 ? next - sym->addr : SIZE_MAX;
	if (b->n == 0 || b->n > UINT32_MAX)
		return false;
	b->p = elf_bytes(elf, sym->addr, b->n);
	return b->p != NULL;
}

/* A symbol that the loader chooses a function for. */
struct fn_choice {
	const struct elf_sym *sym;
	struct code_chosen chosen;
};

/* One call of pid_each_fn(). */
struct fn_walk {
	struct proc_obj *obj;
	struct elf_file *elf;
	const char *func;
	bool glob;		 /* func is a pattern with wildcards */
	const struct elf_sym *s; /* of the object */
	size_t n;
	VEC(struct fn_choice) choices; /* all of them, once one is wanted */
	int (*fn)(void *arg, const struct pid_found *f);
	void *arg;
	struct err *e;
};

/* Symbols s[i..] at one address: the index behind the last. */
static size_t
walk_end(const struct fn_walk *w, size_t i)
{
	size_t end = i + 1;

	while (end < w->n && w->s[end].addr == w->s[i].addr)
		end++;
	return end;
}

static bool
walk_means(const struct fn_walk *w, const char *name)
{
	if (w->func[0] == '\0')
		return true;
	return w->glob ? probe_glob(w->func, name) : strcmp(w->func, name) == 0;
}

/* The first function of the aliases s[i..end-1] (that func means, but for
   any): one that a symbol is of, or that the loader chooses by it. */
static const struct elf_sym *
fn_choose(const struct fn_walk *w, size_t i, size_t end, bool any, bool chosen)
{
	for (const struct elf_sym *s = &w->s[i]; s < &w->s[end]; s++)
		if (s->is_func && s->size != 0 && s->is_ifunc == chosen &&
		    (any || walk_means(w, s->name)))
			return s;
	return NULL;
}

/* The functions s[i..end-1], which are one. */
static int
walk_plain(const struct fn_walk *w, size_t i, size_t end)
{
	struct pid_found f = { .obj = w->obj, .elf = w->elf };
	const struct elf_sym *sym, *asked;

	asked = fn_choose(w, i, end, false, false);
	sym = asked != NULL ? fn_choose(w, i, end, true, false) : NULL;
	if (sym == NULL ||
	    !fn_body(w->elf, sym, end < w->n ? w->s[end].addr : 0, &f.body))
		return 0;
	f.name = sym->name;
	f.asked = asked->name;
	return w->fn(w->arg, &f);
}

/* ---- names that the loader chooses for ------------------------------ */

static bool
chosen_is_fn(void *arg, uint64_t addr)
{
	return elf_is_fn(arg, addr);
}

/* What the loader may choose for a symbol. */
static int
chosen_find(const struct fn_walk *w, const struct elf_sym *s,
	    struct code_chosen *c)
{
	struct code_body b;

	*c = (struct code_chosen){ 0 };
	if (fn_body(w->elf, s, 0, &b) &&
	    code_chosen_find(&b, chosen_is_fn, w->elf, c) != 0)
		return err_nomem(w->e);
	return 0;
}

static bool
chosen_same(const struct code_chosen *a, const struct code_chosen *b)
{
	return a->all == b->all && a->fns.n == b->fns.n &&
	       (a->fns.n == 0 ||
		memcmp(a->fns.v, b->fns.v, a->fns.n * sizeof(*a->fns.v)) == 0);
}

/* By the number of leading underscores, the shorter one, by the alphabet. */
static bool
name_before(const char *a, const char *b)
{
	size_t ua = strspn(a, "_"), ub = strspn(b, "_");
	size_t na = strlen(a), nb = strlen(b);

	if (ua != ub)
		return ua < ub;
	return na != nb ? na < nb : strcmp(a, b) < 0;
}

/* Look at all of them, once in a walk. */
static int
choices_load(struct fn_walk *w)
{
	if (w->choices.n != 0)
		return 0;
	for (size_t i = 0, end; i < w->n; i = end) {
		struct fn_choice x = { 0 };

		end = walk_end(w, i);
		x.sym = fn_choose(w, i, end, true, true);
		if (x.sym == NULL)
			continue;
		if (chosen_find(w, x.sym, &x.chosen) != 0)
			return -1;
		if (!vec_push(&w->choices, x)) {
			code_chosen_fini(&x.chosen);
			return err_nomem(w->e);
		}
	}
	return 0;
}

/* That of the symbols at an address; there is one. */
static const struct fn_choice *
choice_at(const struct fn_walk *w, uint64_t addr)
{
	size_t i = 0;

	while (w->choices.v[i].sym->addr != addr)
		i++;
	return &w->choices.v[i];
}

/* The first symbol that means the same choice: memcpy and memmove are one
   function in most C libraries. */
static const struct elf_sym *
chosen_first(const struct fn_walk *w, const struct elf_sym *s,
	     const struct code_chosen *c)
{
	const struct elf_sym *best = s;

	for (size_t i = 0; i < w->choices.n; i++) {
		const struct fn_choice *x = &w->choices.v[i];

		if (chosen_same(c, &x->chosen) &&
		    name_before(x->sym->name, best->name))
			best = x->sym;
	}
	return best;
}

/*
 * A function that may be chosen; of a stripped object the unwind table alone
 * has its extent.  A pattern that means it by a name of its own finds it under
 * that.
 */
static int
chosen_one(const struct fn_walk *w, struct pid_found *f, uint64_t addr)
{
	size_t i = addr != 0 ? elf_syms_above(w->elf, addr - 1) : 0, end = i;
	const struct elf_sym *own = NULL;
	const struct elf_fde *d = elf_fde_at(w->elf, addr);
	struct elf_sym x = { .addr = addr };

	if (i < w->n && w->s[i].addr == addr) {
		end = walk_end(w, i);
		own = fn_choose(w, i, end, true, false);
	}
	if (own != NULL && !probe_is_exact(w->func) &&
	    fn_choose(w, i, end, false, false) != NULL)
		return 0;
	if (own != NULL)
		x.size = own->size;
	else if (d != NULL && d->addr == addr && d->size < UINT32_MAX)
		x.size = (uint32_t)d->size;
	if (x.size == 0 ||
	    !fn_body(w->elf, &x, end < w->n ? w->s[end].addr : 0, &f->body))
		return 0;
	return w->fn(w->arg, f);
}

/* A name, at s[i..end-1], that the loader chooses a function for. */
static int
walk_chosen(struct fn_walk *w, size_t i, size_t end)
{
	const struct elf_sym *asked = fn_choose(w, i, end, false, true);
	struct pid_found f = { .obj = w->obj, .elf = w->elf };
	const struct code_chosen *c;
	int rc = 0;

	if (asked == NULL)
		return 0;
	if (choices_load(w) != 0)
		return -1;
	c = &choice_at(w, asked->addr)->chosen;
	if (!c->all)
		return 0;
	f.name = chosen_first(w, asked, c)->name;
	f.asked = asked->name;
	for (size_t k = 0; rc == 0 && k < c->fns.n; k++)
		rc = chosen_one(w, &f, c->fns.v[k]);
	return rc;
}

/* ---- all functions -------------------------------------------------- */

/* False: the object cannot be read, *e. */
static bool
walk_begin(struct fn_walk *w)
{
	w->elf = proc_obj_elf(w->obj, w->e);
	if (w->elf != NULL)
		w->s = elf_syms(w->elf, &w->n);
	return w->elf != NULL;
}

static void
walk_fini(struct fn_walk *w)
{
	for (size_t i = 0; i < w->choices.n; i++)
		code_chosen_fini(&w->choices.v[i].chosen);
	vec_fini(&w->choices);
}

/* What is at s[i..end-1]. */
static int
walk_at(struct fn_walk *w, size_t i, size_t end)
{
	int rc = walk_plain(w, i, end);

	return rc == 0 ? walk_chosen(w, i, end) : rc;
}

/* All that have exactly this name, by the index over names: one object may be
   asked for dozens. */
static int
walk_named(struct fn_walk *w)
{
	const struct elf_sym *s = elf_sym_find(w->elf, w->func);
	size_t end = 0;
	int rc = 0;

	for (; rc == 0 && s != NULL; s = elf_sym_next(w->elf, s)) {
		size_t i = (size_t)(s - w->s);

		if (i < end)
			continue; /* one more of the address before */
		while (i > end && w->s[i - 1].addr == s->addr)
			i--;
		end = walk_end(w, i);
		rc = walk_at(w, i, end);
	}
	return rc;
}

static int
walk_each(struct fn_walk *w)
{
	int rc = 0;

	for (size_t i = 0, end; rc == 0 && i < w->n; i = end) {
		end = walk_end(w, i);
		rc = walk_at(w, i, end);
	}
	return rc;
}

int
pid_each_fn(struct proc_obj *o, const char *func,
	    int (*fn)(void *arg, const struct pid_found *f), void *arg,
	    struct err *e)
{
	struct fn_walk w = { .obj = o,
			     .func = func,
			     .fn = fn,
			     .arg = arg,
			     .e = e,
			     .glob = probe_is_glob(func) };
	int rc;

	if (!walk_begin(&w))
		return -1;
	rc = func[0] != '\0' && !w.glob ? walk_named(&w) : walk_each(&w);
	walk_fini(&w);
	return rc;
}

bool
pid_chosen_unknown(struct proc_obj *o, const char *func)
{
	struct err e = { 0 };
	struct fn_walk w = { .obj = o, .e = &e };
	const struct elf_sym *s = NULL;
	struct code_chosen c = { 0 };
	bool unknown;

	if (walk_begin(&w))
		s = elf_sym_find(w.elf, func);
	unknown = s != NULL && s->is_ifunc && chosen_find(&w, s, &c) == 0 &&
		  !c.all;
	code_chosen_fini(&c);
	err_clear(&e);
	return unknown;
}

/* ---- groups --------------------------------------------------------- */

static struct pid_group *
group_get(struct prov *pv, struct proc *p, const char *mod, const char *func,
	  struct err *e)
{
	struct pid_data *d = pv->data;
	struct pid_group *g;
	char prov[32], key[8192];
	int n;

	if (p != NULL)
		snprintf(prov, sizeof(prov), "%s%d", pv->ops->name,
			 (int)proc_pid(p));
	else
		snprintf(prov, sizeof(prov), "%s*", pv->ops->name);
	n = snprintf(key, sizeof(key), "%s\1%s\1%s", prov, mod, func);
	if (n < 0 || (size_t)n >= sizeof(key)) {
		err_set(e, &ERR_GENERIC, 0,
			"%s: a symbol's name is longer "
			"than %zu bytes",
			mod, sizeof(key));
		return NULL;
	}
	g = hash_find(d->groups, key, (size_t)n);
	if (g != NULL)
		return g;
	g = arena_alloc(d->arena, sizeof(*g));
	if (g == NULL)
		goto nomem;
	g->proc = p;
	g->prov = probe_str(pv->set, prov);
	g->mod = probe_str(pv->set, mod);
	g->func = probe_str(pv->set, func);
	if (g->prov != NULL && g->mod != NULL && g->func != NULL &&
	    hash_set(d->groups, key, (size_t)n, g) == 0)
		return g;
nomem:
	err_nomem(e);
	return NULL;
}

struct pid_group *
pid_group_add(struct prov *pv, struct proc *p, const struct pid_found *f,
	      struct err *e)
{
	struct pid_data *d = pv->data;
	struct pid_group *g = group_get(pv, p, f->obj->name, f->name, e);
	struct pid_fn *fn, **end;

	if (g == NULL)
		return NULL;
	for (end = &g->fns; *end != NULL; end = &(*end)->next)
		if ((p == NULL || (*end)->obj == f->obj) &&
		    (*end)->elf == f->elf && (*end)->body.addr == f->body.addr)
			return g;
	fn = arena_alloc(d->arena, sizeof(*fn));
	if (fn == NULL) {
		err_nomem(e);
		return NULL;
	}
	*fn = (struct pid_fn){
		.obj = f->obj, .elf = f->elf, .name = g->func, .body = f->body
	};
	*end = fn;
	return g;
}
