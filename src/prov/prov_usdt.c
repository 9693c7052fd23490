/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * prov_usdt.c - static probes of user programs: those that SystemTap's
 * <sys/sdt.h> and the headers of `dtrace -h` put into them (Dynamic Tracing
 * Guide, "Statically Defined Tracing for User Applications").
 *
 *	<provider><PID>:object:function:name	of one process
 *	<provider>*:object:function:name	of every process
 *
 * The notes in the files that a process maps say which there are; two
 * underscores in the name of a probe are a dash.  Nothing has to be registered
 * by anybody, and no process runs anything for it.
 *
 * Every process: a pattern that begins as a provider's name does is about all
 * that map a file with such notes, now or later.  What it makes is one probe
 * for each place in the file, whose provider is called by the name and a star;
 * the engine tells the process when it fires, and `probeprov` has its number.
 * Files that nobody maps when tracing begins have their probes when somebody
 * does (prov_ops.every).  A pattern that begins with a star is about the
 * processes that the trace has to do with (-c, -p).
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "prov/pid_fn.h"
#include "prov/prov.h"
#include "prov/usdt.h"

#define NAMELEN  64   /* of a provider or probe, with its '\0' */
#define AGAIN_MS 2000 /* after which all processes are looked at again */

/* One call of provide(). */
struct usdt_cx {
	struct prov *pv;
	const struct dif_pdesc *pd;
	struct err *e;
	struct proc *proc; /* whose objects are looked at */
	bool every;	   /* every process that maps them */
	char name[NAMELEN]; /* provider that is asked for; "": any that fits */
	char provpat[NAMELEN + 16]; /* pattern that its probes' match */
};

/* ---- names --------------------------------------------------------------- */

/* What can be part of a description, and is no pattern. */
static bool
name_ok(const char *s)
{
	size_t n = strnlen(s, NAMELEN);

	if (n == 0 || n >= NAMELEN - 11) /* a pid may follow */
		return false;
	for (; *s != '\0'; s++)
		if (!isalnum((unsigned char)*s) && strchr("_-.$", *s) == NULL)
			return false;
	return true;
}

/* query__start is query-start. */
static void
usdt_name(const char *note, char out[NAMELEN])
{
	size_t n = 0;

	for (; *note != '\0' && n < NAMELEN - 1; note++, n++) {
		bool dash = note[0] == '_' && note[1] == '_';

		out[n] = dash ? '-' : *note;
		note += dash;
	}
	out[n] = '\0';
}

/* The provider's part of a probe's name, for this call. */
static void
prov_name(const struct usdt_cx *cx, const char *note, char out[NAMELEN + 16])
{
	if (cx->every)
		snprintf(out, NAMELEN + 16, "%s*", note);
	else
		snprintf(out, NAMELEN + 16, "%s%d", note,
			 (int)proc_pid(cx->proc));
}

/* ---- making probes ------------------------------------------------------- */

/* True if the probe has this place already. */
static bool
has_place(const struct usdt_probe *up, const struct usdt_place *x)
{
	for (const struct usdt_place *pl = up->places; pl != NULL;
	     pl = pl->next)
		if (pl->note == x->note && pl->proc == x->proc &&
		    (x->proc == NULL || pl->obj == x->obj))
			return true;
	return false;
}

static int
add_place(struct usdt_cx *cx, struct probe *p, const struct usdt_place *x)
{
	struct usdt_data *d = cx->pv->data;
	struct usdt_probe *up = p->data;
	struct usdt_place *pl, **end;

	if (up == NULL) {
		up = p->data = arena_alloc(d->arena, sizeof(*up));
		if (up == NULL)
			return err_nomem(cx->e);
		up->decl = elf_probe_decl(x->elf, x->note->prov,
					  x->note->name);
		p->attr = usdt_attr(cx->pv, up->decl);
	}
	if (has_place(up, x))
		return 0;
	pl = arena_memdup(d->arena, x, sizeof(*x));
	if (pl == NULL)
		return err_nomem(cx->e);
	pl->path = cx->every ? pid_file_path(cx->pv->set, x->obj)
			     : probe_str(cx->pv->set, x->obj->open_path);
	if (pl->path == NULL)
		return err_nomem(cx->e);
	for (end = &up->places; *end != NULL; end = &(*end)->next)
		;
	*end = pl;
	return 0;
}

/* A note that cannot be understood is an error if its probe is asked for by
   name, else it is left out. */
static int
check_operands(struct usdt_cx *cx, const struct usdt_place *x,
	       const char *name, bool *ok)
{
	const struct usdt_where w = { x->elf, x->note->addr };
	struct dif_recipe r[DIF_NARGS];
	struct err why = { 0 };

	*ok = usdt_args(&w, x->note->args, r, &why) >= 0;
	if (*ok || !probe_is_exact(cx->pd->name))
		return 0;
	return err_set(cx->e, &D_PROC_NAME, 0, "%s:%s:%s: %s", x->note->prov,
		       x->obj->name, name, why.msg);
}

#define FUNCLEN 24

/* The name of the function that a note is in: of the symbol that contains it,
   or is in front of it and has no size; or by its place, 0x1139: where the
   function begins in the file's own addresses, as its unwind table has it, or
   without that the note. */
static const char *
note_func(struct elf_file *elf, uint64_t addr, const struct elf_sym *fn,
	  char text[FUNCLEN])
{
	const struct elf_sym *s = fn != NULL ? fn : elf_sym_before(elf, addr);
	const struct elf_fde *d;

	if (s != NULL)
		return s->name;
	d = elf_fde_at(elf, addr);
	snprintf(text, FUNCLEN, "0x%" PRIx64, d != NULL ? d->addr : addr);
	return text;
}

static int
note_probe(struct usdt_cx *cx, struct proc_obj *o, struct elf_file *elf,
	   const struct elf_probe *note)
{
	struct usdt_place x = { .proc = cx->every ? NULL : cx->proc,
				.obj = o, .elf = elf, .note = note };
	char prov[NAMELEN + 16], name[NAMELEN], place[FUNCLEN];
	const char *fn;
	struct probe *p;
	bool ok;

	if (!name_ok(note->prov) || !name_ok(note->name))
		return 0;
	usdt_name(note->name, name);
	prov_name(cx, note->prov, prov);
	if (!probe_glob(cx->provpat, prov) || !probe_glob(cx->pd->name, name))
		return 0;
	x.fn = elf_sym_at(elf, note->addr);
	if (x.fn != NULL && !x.fn->is_func)
		x.fn = NULL;
	fn = note_func(elf, note->addr, x.fn, place);
	if (!probe_glob(cx->pd->func, fn))
		return 0;
	if (check_operands(cx, &x, name, &ok) != 0)
		return -1;
	if (!ok)
		return 0;
	p = probe_add(cx->pv, prov, o->name, fn, name);
	return p != NULL ? add_place(cx, p, &x) : err_nomem(cx->e);
}

/* True if the process has notes of the provider asked for. */
static bool
has_provider(struct proc *proc, const char *name)
{
	for (size_t i = 0; i < proc_nobjs(proc); i++) {
		struct err e = { 0 };
		struct elf_file *elf = proc_obj_elf(proc_obj_at(proc, i), &e);
		const struct elf_probe *v;
		size_t n = 0;

		v = elf != NULL ? elf_probes(elf, &n) : NULL;
		for (size_t k = 0; k < n; k++)
			if (strcmp(v[k].prov, name) == 0)
				return true;
	}
	return false;
}

/* The probes of cx->proc. */
static int
provide_objects(struct usdt_cx *cx)
{
	/* Objects of every process have but their own names. */
	const char *mod = probe_is_exact(cx->pd->mod) && !cx->every
				  ? pid_mod_name(cx->proc, cx->pd->mod)
				  : NULL;

	for (size_t i = 0; i < proc_nobjs(cx->proc); i++) {
		struct proc_obj *o = proc_obj_at(cx->proc, i);
		struct err why = { 0 };
		struct elf_file *elf;
		const struct elf_probe *v;
		size_t n = 0;

		if (!pid_mod_is(o, cx->pd->mod, mod))
			continue;
		elf = proc_obj_elf(o, &why);
		v = elf != NULL ? elf_probes(elf, &n) : NULL;
		for (size_t k = 0; k < n; k++)
			if (note_probe(cx, o, elf, &v[k]) != 0)
				return -1;
	}
	return 0;
}

/* ---- which process ------------------------------------------------------- */

static bool
exists(pid_t pid)
{
	return kill(pid, 0) == 0 || errno == EPERM;
}

/* True if a name is that of a provider of every process's, which no note has:
   to look for such notes would be in vain, once for each description. */
static bool
others_name(const char *s, size_t len)
{
	static const char *const names[] = { "pid", "plockstat" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == len && memcmp(s, names[i], len) == 0)
			return true;
	return false;
}

/*
 * The process that an exact provider field names: foo1234 is foo of process
 * 1234, or foo1 of 234.  What is there decides; the longest number first.
 * `need`: it must have such probes.  0: none is meant.
 */
static pid_t
exact_pid(const struct prov *pv, const char *s, bool need, char name[NAMELEN])
{
	size_t n = strlen(s), digits = 0;

	while (digits < n && isdigit((unsigned char)s[n - digits - 1]))
		digits++;
	if (n >= NAMELEN || digits == n || others_name(s, n - digits))
		return 0;
	for (const char *p = s + n - digits; *p != '\0'; p++) {
		long pid = strtol(p, NULL, 10);
		struct proc *proc;

		if (*p == '0' || pid > INT32_MAX || !exists((pid_t)pid))
			continue;
		snprintf(name, NAMELEN, "%.*s", (int)(p - s), s);
		proc = need ? proc_lookup(pv->env->procs, (pid_t)pid) : NULL;
		if (!need || (proc != NULL && has_provider(proc, name)))
			return (pid_t)pid;
	}
	return 0;
}

static int
provide_process(struct usdt_cx *cx, pid_t pid)
{
	struct err why = { 0 };

	cx->proc = proc_grab(cx->pv->env->procs, pid, &why);
	if (cx->proc == NULL)
		return err_set(cx->e, &D_PROC_GRAB, 0, "%s", why.msg);
	return provide_objects(cx);
}

/* Patterns that may be about processes of the trace: *$target, *. */
static int
provide_held(struct usdt_cx *cx)
{
	cx->proc = NULL;
	while ((cx->proc = proc_next_held(cx->pv->env->procs, cx->proc)) !=
	       NULL)
		if (provide_objects(cx) != 0)
			return -1;
	return 0;
}

static int
usdt_every(void *arg, struct proc *p)
{
	struct usdt_cx *cx = arg;

	cx->every = true;
	cx->proc = p;
	return provide_objects(cx);
}

/* ---- descriptions -------------------------------------------------------- */

static uint64_t
usdt_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000 + 1;
}

/* A pattern that is about every process has been served a moment ago: compiling
   and enabling a clause each ask. */
static bool
usdt_served(struct usdt_cx *cx)
{
	struct usdt_data *d = cx->pv->data;
	const struct dif_pdesc *pd = cx->pd;
	struct buf key = BUF_INIT;
	uint64_t now = usdt_now_ms(), had;

	buf_printf(&key, "%s\1%s\1%s\1%s", pd->prov, pd->mod, pd->func,
		   pd->name);
	had = (uintptr_t)hash_find_str(d->served, buf_str(&key));
	if (had == 0 || now - had > AGAIN_MS) {
		/* Without memory, it is served again. */
		if (!key.failed)
			(void)hash_set_str(d->served, buf_str(&key),
					   (void *)(uintptr_t)now);
		had = 0;
	}
	buf_fini(&key);
	return had != 0;
}

/* True if a pattern is about every process, rather than about those of the
   trace. */
static bool
about_every(const char *prov)
{
	return !probe_is_exact(prov) && isalpha((unsigned char)prov[0]) &&
	       !isdigit((unsigned char)prov[strlen(prov) - 1]);
}

/* prov_ops.every */
static int
usdt_one_more(struct prov *pv, const struct dif_pdesc *pd, struct proc *p,
	      struct err *e)
{
	struct usdt_cx cx = { .pv = pv, .pd = pd, .e = e, .proc = p,
			      .every = true };
	struct err why = { 0 };

	if (strlen(pd->prov) >= sizeof(cx.provpat) || pv->env->procs == NULL ||
	    !about_every(pd->prov))
		return 0;
	strcpy(cx.provpat, pd->prov);
	cx.e = &why;
	/* A probe whose note is not understood is left out. */
	if (p == NULL || provide_objects(&cx) == 0 || why.tag != &ERR_NOMEM)
		return 1;
	return err_nomem(e);
}

static int
usdt_provide(struct prov *pv, const struct dif_pdesc *pd, struct err *e)
{
	struct usdt_cx cx = { .pv = pv, .pd = pd, .e = e };
	pid_t pid;

	if (strlen(pd->prov) >= sizeof(cx.provpat) || pv->env->procs == NULL)
		return 0;
	strcpy(cx.provpat, pd->prov);
	if (probe_is_exact(pd->prov)) {
		pid = exact_pid(pv, pd->prov, true, cx.name);
		return pid != 0 ? provide_process(&cx, pid) : 0;
	}
	if (!about_every(pd->prov))
		return provide_held(&cx);
	return usdt_served(&cx) ? 0
				: proc_each(pv->env->procs, usdt_every, &cx);
}

/* An object by another of its names; a probe as it is written in the program:
   query__start. */
static void
usdt_canon(struct prov *pv, struct dif_pdesc *pd)
{
	char name[NAMELEN], prov[NAMELEN];
	struct proc *proc;
	const char *s;
	pid_t pid;

	if (!probe_is_exact(pd->prov) ||
	    (pid = exact_pid(pv, pd->prov, true, prov)) == 0 ||
	    (proc = proc_find(pv->env->procs, pid)) == NULL)
		return;
	s = probe_is_exact(pd->mod) ? pid_mod_name(proc, pd->mod) : NULL;
	if (s != NULL && (s = probe_str(pv->set, s)) != NULL)
		pd->mod = s;
	if (strlen(pd->name) >= NAMELEN)
		return;
	usdt_name(pd->name, name);
	s = probe_str(pv->set, name);
	if (s != NULL)
		pd->name = s;
}

static int32_t
usdt_pid(struct prov *pv, const struct dif_pdesc *pd)
{
	char name[NAMELEN];

	return probe_is_exact(pd->prov) ? exact_pid(pv, pd->prov, false, name)
				     : 0;
}

static struct elf_file *
usdt_file(const struct probe *p, size_t n, const char **path)
{
	const struct usdt_probe *up = p->data;

	for (const struct usdt_place *pl = up->places; pl != NULL;
	     pl = pl->next) {
		if (pl->proc != NULL || n-- > 0)
			continue;
		*path = pl->path;
		return pl->elf;
	}
	return NULL;
}

/* ---- the provider -------------------------------------------------------- */

static void
usdt_fini(struct prov *pv)
{
	struct usdt_data *d = pv->data;

	hash_free(d->served);
	arena_free(d->arena);
}

int
prov_usdt_init(struct prov *pv, struct err *e)
{
	struct arena *a = arena_new();
	struct usdt_data *d = a != NULL ? arena_alloc(a, sizeof(*d)) : NULL;

	if (d == NULL) {
		arena_free(a);
		return err_nomem(e);
	}
	d->arena = a;
	d->served = hash_new();
	pv->data = d;
	if (d->served != NULL)
		return 0;
	usdt_fini(pv);
	return err_nomem(e);
}

const struct prov_ops prov_usdt_ops = {
	.name = "usdt",
	.attr = { .prov = "Unstable/Unstable/Unknown",
		  .mod = "Private/Private/Unknown",
		  .func = "Private/Private/Unknown",
		  .name = "Unstable/Unstable/Unknown",
		  .args = "Unstable/Unstable/Unknown" },
	.provide = usdt_provide,
	.args = usdt_args_types,
	.sites = usdt_sites,
	.fini = usdt_fini,
	.canon = usdt_canon,
	.pid = usdt_pid,
	.every = usdt_one_more,
	.file = usdt_file,
};
