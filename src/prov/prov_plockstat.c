/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * prov_plockstat.c - the plockstat provider: locks between the threads of a
 * process (Dynamic Tracing Guide, "plockstat Provider").
 *
 *	plockstat<PID>:object:function:mutex-acquire ...
 *	plockstat*:object:function:...	in every process that maps the object
 *
 * The C library has no such probes.  They are made of entries and returns of
 * its functions, and of the system call by which these wait: plockstat.def.
 * Probes are made for the functions that a process has, whichever of its
 * objects has them: the C library, a libpthread of before, the program itself
 * if it is static.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "prov/pid_fn.h"
#include "prov/prov.h"

enum plock_base { ENTRY, RETURN, CALL, BACK };

enum plock_keep {
	KEEP_NONE,
#define KEEP(id, text) KEEP_##id,
#define PROBE(...)
#include "prov/plockstat.def"
	NKEEPS
};
static const char *const keeps[] = {
	[KEEP_NONE] = NULL,
#define KEEP(id, text) [KEEP_##id] = text,
#define PROBE(...)
#include "prov/plockstat.def"
};

struct plock_row {
	const char *name, *func;
	enum plock_base base;
	enum plock_keep keep[2];
	uint32_t nargs;
	const char *text;
};
#define K0 { KEEP_NONE }
#define K1(a) { KEEP_##a }
#define K2(a, b) { KEEP_##a, KEEP_##b }
static const struct plock_row rows[] = {
#define KEEP(...)
#define PROBE(...) { __VA_ARGS__ },
#include "prov/plockstat.def"
};
#define NROWS (sizeof(rows) / sizeof(*rows))

/* ---- text ---------------------------------------------------------------- */

/* Of one process and object. */
struct plock_cx {
	const char *pid; /* in words, or "*" */
	const char *mod;
	bool musl;
	const struct plock_row *row;
};
/* In probe.num, above the number of the row. */
#define MUSL_BIT 0x10000u

/* The number of a function's first row, from 1 on; 0: it has none. */
static unsigned
fn_number(const char *func)
{
	for (unsigned i = 0; i < NROWS; i++)
		if (strcmp(rows[i].func, func) == 0)
			return i + 1;
	return 0;
}

/* The same for all probes of a function of an object, and not 0: several
   objects may have the function (two C libraries, that of ASan), and a wait in
   the kernel is that of one. */
static unsigned
fn_of_object(const struct plock_cx *cx)
{
	unsigned h = 0;

	for (const char *s = cx->mod; *s != '\0'; s++)
		h = h * 31 + (unsigned char)*s;
	return (h & 0x3fffff) << 8 | fn_number(cx->row->func);
}

/* What glibc's pthread_spinlock_t is while nobody holds it. */
#ifdef __x86_64__
#define SPIN_FREE "1"
#else
#define SPIN_FREE "0"
#endif

static bool
named_as_musl(const char *mod)
{
	return strncmp(mod, "ld-musl", 7) == 0 || strcmp(mod, "libc.so") == 0;
}

/*
 * True if it is musl's code.  In a program that is linked statically a symbol
 * of its own says so; a library that is not glibc's, of today or with a
 * libpthread of before, is taken for musl's: Debian calls it libc.so, others
 * ld-musl-x86_64.so.1.
 */
static bool
is_musl(const struct pid_found *f)
{
	static const char *const glibc[] = { "gnu_get_libc_version",
					     "__nptl_create_event" };

	if (elf_sym_find(f->elf, "__pthread_mutex_trylock_owner") != NULL)
		return true;
	for (size_t i = 0; i < sizeof(glibc) / sizeof(*glibc); i++)
		if (elf_sym_find(f->elf, glibc[i]) != NULL)
			return false;
	return named_as_musl(f->obj->name);
}

/* (L) of the text, behind a word that is a function of it: up to its end. */
static const char *
put_of_lock(const struct plock_cx *cx, char what, const char *s, struct buf *b)
{
	static const char words[] = "RWSAC", *const glibc[] = {
		"((*(int *)copyin(%s + 16, 4) & 3) == 1 && "
		"*(unsigned int *)copyin(%s + 4, 4) > 1)",
		"(*(int *)copyin(%s + 24, 4) != 0)",
		"(*(int *)copyin(%s, 4) != " SPIN_FREE ")",
		"((*(int *)copyin(%s + 16, 4) & 127) == 3 && "
		"*(int *)copyin(%s, 4) != 0)",
		"(int)*(short *)copyin(%s + 20, 2)",
	};
	static const char *const musl[] = {
		"((*(int *)copyin(%s, 4) & 15) == 1 && "
		"*(int *)copyin(%s + 20, 4) > 0)",
		"((*(int *)copyin(%s, 4) & 0x7fffffff) == 0x7fffffff)",
		"(*(int *)copyin(%s, 4) != 0)",
		"0",
		"0",
	};
	const char *end = strchr(s, ')');
	int n = (int)(end - s - 1);
	const char *t = (cx->musl ? musl : glibc)[strchr(words, what) - words];

	for (const char *p; (p = strstr(t, "%s")) != NULL; t = p + 2) {
		buf_write(b, t, (size_t)(p - t));
		buf_printf(b, "%.*s", n, s + 1);
	}
	buf_puts(b, t);
	return end + 1;
}

/* The name of an object, as part of a description: of what D would not take
   there, any character will do.  libc.so, which is musl's, would mean libc.so.6
   as well, but for a pattern. */
static void
put_mod(const char *mod, struct buf *b)
{
	const size_t n = strlen(mod);
	const bool so = n > 3 && strcmp(mod + n - 3, ".so") == 0;

	for (size_t i = 0; i < n; i++)
		buf_printf(b, "%c",
			   (isalnum((unsigned char)mod[i]) ||
			    strchr("_.+-", mod[i]) != NULL) &&
					   !(so && i == n - 1)
				   ? mod[i] : '?');
}

/* Of musl: true if it calls no other function of locks. */
static bool
calls_no_other(const char *func)
{
	return strstr(func, "_try") != NULL || strstr(func, "_unlock") != NULL;
}

/* D text with its ~words replaced. */
static void
plock_text(const struct plock_cx *cx, const char *s, struct buf *b)
{
	const char *p;

	for (; (p = strchr(s, '~')) != NULL; s = p + 2) {
		buf_write(b, s, (size_t)(p - s));
		switch (p[1]) {
		case 'P': buf_puts(b, cx->pid); break;
		case 'M': put_mod(cx->mod, b); break;
		case 'F': buf_puts(b, cx->row->func); break;
		case 'I': buf_printf(b, "%u", fn_of_object(cx)); break;
		case 'O':
			buf_puts(b, !cx->musl		   ? "1"
				    : calls_no_other(cx->row->func) ? "self->__pdeep == 0"
							     : "self->__pouter");
			break;
		case 'X':
			buf_puts(b, cx->musl ? "self->__pdeep == 0" : "1");
			break;
		default: p = put_of_lock(cx, p[1], p + 2, b) - 2;
		}
	}
	buf_puts(b, s);
}

/* The text, for as long as the set lives; NULL: no memory. */
static const char *
text_kept(struct prov *pv, struct buf *b)
{
	const char *s = b->failed ? NULL : probe_str(pv->set, buf_str(b));

	buf_fini(b);
	return s;
}

static const struct plock_row *
row_of(const struct probe *p)
{
	return &rows[p->num & (MUSL_BIT - 1)];
}

/* What must be remembered, into out->text. */
static int
made_keeps(struct prov *pv, const struct plock_cx *cx, struct probe_made *out,
	   struct err *e)
{
	const struct plock_row *r = cx->row;
	enum plock_keep keep[3] = { KEEP_NONE };
	unsigned n = 0;

	if (cx->musl && (r->base == ENTRY || r->base == RETURN))
		keep[n++] = KEEP_MUSL;
	for (unsigned i = 0; i < 2 && r->keep[i] != KEEP_NONE; i++)
		keep[n++] = r->keep[i];
	for (unsigned i = 0; i < n; i++) {
		struct buf k = BUF_INIT;

		plock_text(cx, keeps[keep[i]], &k);
		out->text[i] = text_kept(pv, &k);
		if (out->text[i] == NULL)
			return err_nomem(e);
	}
	return 0;
}

static int
plock_made(struct prov *pv, const struct probe *p, struct probe_made *out,
	   struct err *e)
{
	const struct plock_row *r = row_of(p);
	struct plock_cx cx = { .pid = p->prov + strlen("plockstat"),
			       .mod = p->mod, .musl = (p->num & MUSL_BIT) != 0,
			       .row = r };
	struct buf b = BUF_INIT, mod = BUF_INIT;
	unsigned n = 0;

	*out = (struct probe_made){ 0 };
	put_mod(p->mod, &mod);
	out->base.func = p->func;
	out->base.mod = text_kept(pv, &mod);
	if (out->base.mod == NULL)
		return err_nomem(e);
	if (made_keeps(pv, &cx, out, e) != 0)
		return -1;
	while (out->text[n] != NULL)
		n++;
	buf_printf(&b, "%s:", p->prov);
	put_mod(p->mod, &b);
	buf_printf(&b, ":%s:%s { ", p->func, p->name);
	plock_text(&cx, r->text, &b);
	buf_puts(&b, " }");
	out->text[n] = text_kept(pv, &b);
	if (out->text[n] == NULL)
		return err_nomem(e);
	out->base.name = r->base == ENTRY || r->base == CALL ? "entry"
							     : "return";
	if (r->base == CALL || r->base == BACK) {
		out->base.prov = "syscall";
		out->base.mod = "";
		out->base.func = "futex";
		return 0;
	}
	buf_printf(&b, "pid%s", cx.pid);
	out->base.prov = text_kept(pv, &b);
	return out->base.prov != NULL ? 0 : err_nomem(e);
}

/* prov.data */
struct plock_data {
	struct arena *arena;
	struct hash *files; /* struct pid_files, by module field */
};

/* The process that a description is about; 0: it is not ours. */
static pid_t
plock_pid(const char *s)
{
	size_t n = strlen("plockstat");
	char *end;
	long v;

	if (strncmp(s, "plockstat", n) != 0 || s[n] < '1' || s[n] > '9')
		return 0;
	v = strtol(s + n, &end, 10);
	return *end == '\0' && v < INT32_MAX ? (pid_t)v : 0;
}

/* ---- of objects to come -------------------------------------------------- */

/* The C libraries that programs bring which begin later: glibc's, and musl's as
   Debian and as others call it. */
static const char *const libraries[] = { "libc.so.6", "libc.so",
					 "ld-musl-x86_64.so.1",
					 "ld-musl-aarch64.so.1" };
#define NLIBRARIES (sizeof(libraries) / sizeof(*libraries))

struct plock_ahead {
	struct prov *pv;
	const struct dif_pdesc *pd;
	int (*fn)(void *arg, const struct probe_made *m);
	void *arg;
	struct err *e;
};

static int
ahead_in(const struct plock_ahead *x, const char *mod)
{
	const unsigned musl = named_as_musl(mod) ? MUSL_BIT : 0;

	for (unsigned i = 0; i < NROWS; i++) {
		const struct probe p = { .prov = x->pd->prov, .mod = mod,
					 .func = rows[i].func,
					 .name = rows[i].name,
					 .num = i | musl };
		struct probe_made m;
		int rc;

		if (!probe_glob(x->pd->func, p.func) ||
		    !probe_glob(x->pd->name, p.name))
			continue;
		rc = plock_made(x->pv, &p, &m, x->e);
		if (rc == 0)
			rc = x->fn(x->arg, &m);
		if (rc != 0)
			return rc;
	}
	return 0;
}

/* True if the description names an object that is mapped already. */
static bool
ahead_there(const struct plock_ahead *x)
{
	const struct plock_data *d = x->pv->data;
	const pid_t pid = plock_pid(x->pd->prov);
	struct proc *p = pid != 0 ? proc_find(x->pv->env->procs, pid) : NULL;
	const struct pid_files *f = hash_find_str(d->files, x->pd->mod);

	return pid != 0 ? p != NULL && pid_mod_name(p, x->pd->mod) != NULL
			: f != NULL && f->n != 0;
}

static int
plock_ahead(struct prov *pv, const struct dif_pdesc *pd,
	    int (*fn)(void *arg, const struct probe_made *m), void *arg,
	    struct err *e)
{
	const struct plock_ahead x = { pv, pd, fn, arg, e };
	int rc = 0;

	if (strcmp(pd->prov, "plockstat*") != 0 && plock_pid(pd->prov) == 0)
		return 0;
	/* An object by its name may be any; a process has its C library from
	   the beginning. */
	if (pd->mod[0] != '\0' && probe_is_exact(pd->mod))
		return ahead_there(&x) ? 0 : ahead_in(&x, pd->mod);
	for (size_t i = 0; i < NLIBRARIES && pd->prov[9] == '*' && rc == 0; i++)
		if (probe_glob(pd->mod, libraries[i]))
			rc = ahead_in(&x, libraries[i]);
	return rc;
}

/* ---- making -------------------------------------------------------------- */

struct plock_find {
	struct prov *pv;
	const char *prov; /* plockstat<PID>, plockstat* */
	const struct dif_pdesc *pd;
	const char *func;
	struct err *e;
};

/* An object has the function: its probes that are asked for. */
static int
found(void *arg, const struct pid_found *f)
{
	const struct plock_find *x = arg;
	const unsigned musl = is_musl(f) ? MUSL_BIT : 0;

	for (unsigned i = 0; i < NROWS; i++) {
		struct probe *p;

		if (strcmp(rows[i].func, x->func) != 0 ||
		    !probe_glob(x->pd->name, rows[i].name))
			continue;
		p = probe_add(x->pv, x->prov, f->obj->name, x->func,
			      rows[i].name);
		if (p == NULL)
			return err_nomem(x->e);
		p->num = i | musl;
	}
	return 0;
}

/* The rows of a function stand together or not; each function once. */
static int
find_in(struct plock_find *x, struct proc_obj *o)
{
	for (unsigned i = 0; i < NROWS; i++) {
		if (fn_number(rows[i].func) != i + 1 ||
		    !probe_glob(x->pd->func, rows[i].func))
			continue;
		x->func = rows[i].func;
		if (pid_each_fn(o, x->func, found, x, x->e) != 0)
			return -1;
	}
	return 0;
}

static int
find_all(struct plock_find *x, struct proc_obj *const *objs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (find_in(x, objs[i]) != 0)
			return -1;
	return 0;
}

static int
provide_proc(struct plock_find *x, struct proc *p)
{
	const char *mod = probe_is_exact(x->pd->mod)
				  ? pid_mod_name(p, x->pd->mod)
				  : NULL;
	struct err why = { 0 };

	for (size_t i = 0; i < proc_nobjs(p); i++) {
		struct proc_obj *o = proc_obj_at(p, i);

		/* What is mapped and no program has no functions. */
		if (pid_mod_is(o, x->pd->mod, mod) &&
		    proc_obj_elf(o, &why) != NULL && find_in(x, o) != 0)
			return -1;
	}
	return 0;
}

/* In all processes, each file once. */
static int
plock_every(struct plock_find *x)
{
	const struct plock_data *d = x->pv->data;
	const struct pid_files *f =
		pid_files_get(x->pv, d->files, d->arena, x->pd->mod, x->e);

	return f != NULL ? find_all(x, f->objs, f->n) : -1;
}

static int
plock_provide(struct prov *pv, const struct dif_pdesc *pd, struct err *e)
{
	struct plock_find x = { .pv = pv, .prov = pd->prov, .pd = pd, .e = e };
	pid_t pid = plock_pid(pd->prov);
	struct err why = { 0 };
	struct proc *p;

	if (strcmp(pd->prov, "plockstat*") == 0)
		return plock_every(&x);
	if (pid == 0)
		return 0;
	p = proc_grab(pv->env->procs, pid, &why);
	if (p == NULL)
		return err_set(e, &D_PROC_GRAB, 0, "%s", why.msg);
	return provide_proc(&x, p);
}

/* prov_ops.every */
static int
plock_more(struct prov *pv, const struct dif_pdesc *pd, struct proc *p,
	   struct err *e)
{
	struct err why = { 0 };
	struct plock_find x = { .pv = pv, .prov = pd->prov, .pd = pd,
				.e = &why };
	const struct plock_data *d = pv->data;
	struct pid_files f;

	if (strcmp(pd->prov, "plockstat*") != 0)
		return 0;
	if (p == NULL)
		return 1;
	if (pid_files_of(pv, d->files, d->arena, pd->mod, p, &f, &why) == 0)
		(void)find_all(&x, f.objs, f.n);
	return why.tag == &ERR_NOMEM ? err_nomem(e) : 1;
}

static int
plock_args(struct prov *pv, const struct probe *p, struct probe_args *out,
	   struct err *e)
{
	static const char *const types[] = { "uintptr_t", "int", "int" };

	out->typed = true;
	out->nargs = row_of(p)->nargs;
	for (uint32_t i = 0; i < out->nargs; i++)
		out->type[i] = type_from_text(pv->env->types, types[i], false);
	if (strncmp(p->name, "cond", 4) == 0)
		out->type[1] = out->type[0];
	else if (strcmp(p->name, "spin-acquire") == 0)
		out->type[1] = NULL; /* nanoseconds */
	return 0;
}

static void
plock_canon(struct prov *pv, struct dif_pdesc *pd)
{
	pid_t pid = plock_pid(pd->prov);
	struct proc *p = pid != 0 ? proc_find(pv->env->procs, pid) : NULL;
	const struct plock_data *d = pv->data;
	const struct pid_files *f;
	const char *mod = NULL;

	if (!probe_is_exact(pd->mod))
		return;
	if (p != NULL)
		mod = pid_mod_name(p, pd->mod);
	else if (strcmp(pd->prov, "plockstat*") == 0 &&
		 (f = hash_find_str(d->files, pd->mod)) != NULL)
		mod = f->mod;
	if (mod != NULL && (mod = probe_str(pv->set, mod)) != NULL)
		pd->mod = mod;
}

static int32_t
plock_of(struct prov *pv, const struct dif_pdesc *pd)
{
	return plock_pid(pd->prov);
}

/* It has no places of its own: see made(). */
static int
plock_sites(struct prov *pv, const struct probe *p, struct site_list *out,
	    struct err *e)
{
	return 0;
}

static void
plock_fini(struct prov *pv)
{
	struct plock_data *d = pv->data;

	hash_free(d->files);
	arena_free(d->arena);
}

int
prov_plockstat_init(struct prov *pv, struct err *e)
{
	struct arena *a = arena_new();
	struct plock_data *d = a != NULL ? arena_alloc(a, sizeof(*d)) : NULL;

	if (d == NULL) {
		arena_free(a);
		return err_nomem(e);
	}
	d->arena = a;
	d->files = hash_new();
	pv->data = d;
	if (d->files != NULL)
		return 0;
	plock_fini(pv);
	return err_nomem(e);
}

const struct prov_ops prov_plockstat_ops = {
	.name = "plockstat",
	.attr = { .prov = "Evolving/Evolving/ISA",
		  .mod = "Private/Private/Unknown",
		  .func = "Private/Private/Unknown",
		  .name = "Evolving/Evolving/ISA",
		  .args = "Evolving/Evolving/ISA" },
	.provide = plock_provide,
	.args = plock_args,
	.sites = plock_sites,
	.made = plock_made,
	.ahead = plock_ahead,
	.every = plock_more,
	.fini = plock_fini,
	.canon = plock_canon,
	.pid = plock_of,
};
