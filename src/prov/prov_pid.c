/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * prov_pid.c - the pid provider: every function and every instruction of a
 * process (Dynamic Tracing Guide, "pid Provider").
 *
 *	pid<PID>:object:function:entry|return|<hex offset>
 *	pid<PID>:object:-:<hex address>		(pid_address.c)
 *	pid*:object:function:...	in every process that maps the object,
 *					now or later
 *
 * Probes are made when a description asks for them, from the symbols of the
 * objects that the process has mapped at that time.  Making an entry or return
 * probe looks at no code; offsets decode the functions they are asked of.  The
 * process is grabbed, without stopping it, by the first description that names
 * it.  A field that names something exactly, and wrongly, is an error here,
 * since "no probe matches" would not say which field was wrong.  Every
 * instruction is a probe; that an engine can have none at some of them is said
 * when it is to place it.
 *
 * The provider instr of programs has the same instructions, under names that
 * tell what kind they are (prov_uinstr.c).
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "base/vec.h"
#include "prov/instr.h"
#include "prov/pid_fn.h"
#include "prov/prov.h"

/* More probes than any engine would attach, and less than memory. */
#define PROBES_MAX 2000000
#define FN_HINT_MAX 512

/* One call of provide(). */
struct pid_cx {
	struct prov *pv;
	const struct dif_pdesc *pd;
	struct err *e;
	struct proc *proc; /* NULL: every process that maps the objects */
	VEC(struct proc_obj *) objs; /* those that the description means */
	const char *mod;   /* canonical, or NULL for globs */
	const char *alias; /* the function was asked for by this name, which is
			      not its probes'; or NULL */
	bool name_glob;    /* entry, offsets and return, those that match */
	bool name_off;     /* a hex number, in off */
	uint64_t off;
	size_t nobjs, nfuncs, nprobes; /* found */
	size_t outside;                /* functions that end before off */
	char other[INSTR_NAME_MAX];    /* what an instruction at off is, not
					  what the name says; or "" */
	uint64_t since; /* not 0: it was served with the objects of before
			   this generation; only later ones matter */
};

static int pid_fail(const struct pid_cx *cx, const struct err_tag *tag,
		    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static int
pid_fail(const struct pid_cx *cx, const struct err_tag *tag, const char *fmt,
	 ...)
{
	char why[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return err_set(cx->e, tag, 0, "%s", why);
}

/* Names are KIND-OFFSET (instr), not offsets. */
static bool
by_kind(const struct prov *pv)
{
	return pv->ops == &prov_uinstr_ops;
}

/* ---- making probes -------------------------------------------------- */

static int
pid_make(struct pid_cx *cx, const struct pid_group *g, enum pid_what what,
	 uint64_t off, const char *name)
{
	struct pid_data *d = cx->pv->data;
	struct probe *p = probe_add(cx->pv, g->prov, g->mod, g->func, name);
	struct pid_probe *pp;

	if (p == NULL ||
	    (cx->alias != NULL && probe_add_alias(p, cx->alias) != 0))
		return err_nomem(cx->e);
	cx->nprobes++;
	if (p->data != NULL)
		return 0;
	pp = arena_alloc(d->arena, sizeof(*pp));
	if (pp == NULL)
		return err_nomem(cx->e);
	*pp = (struct pid_probe){ .what = what,
				  .off = off,
				  .group = g,
				  .proc = cx->proc };
	p->data = pp;
	p->num = off;
	return 0;
}

static void
offset_name(const struct prov *pv, const struct code_body *b, uint64_t off,
	    char name[INSTR_NAME_MAX])
{
	if (by_kind(pv))
		instr_name(b, off, name);
	else
		snprintf(name, INSTR_NAME_MAX, "%llx", (unsigned long long)off);
}

/* The offsets of all instructions, where they match the name. */
static int
make_offsets(struct pid_cx *cx, const struct pid_group *g,
	     const struct code_body *b)
{
	struct code_insn in;
	char name[INSTR_NAME_MAX];

	for (size_t at = 0; code_insn_at(b, at, &in); at += in.len) {
		offset_name(cx->pv, b, at, name);
		if (probe_glob(cx->pd->name, name) &&
		    pid_make(cx, g, PID_OFFSET, at, name) != 0)
			return -1;
	}
	return 0;
}

static int
make_offset(struct pid_cx *cx, const struct pid_group *g,
	    const struct code_body *b)
{
	char name[INSTR_NAME_MAX];

	if (cx->off >= b->n) {
		cx->outside++;
		return 0;
	}
	if (!code_insn_begins(b, cx->off))
		return 0;
	offset_name(cx->pv, b, cx->off, name);
	if (by_kind(cx->pv) && strcmp(name, cx->pd->name) != 0) {
		snprintf(cx->other, sizeof(cx->other), "%s", name);
		return 0;
	}
	return pid_make(cx, g, PID_OFFSET, cx->off, name);
}

static int
make_fn(void *arg, const struct pid_found *f)
{
	struct pid_cx *cx = arg;
	struct pid_group *g;
	const char *name = cx->pd->name;
	/* Nobody calls a part, and a pattern does not mean it; a name does. */
	bool part = elf_name_is_cold(f->name) &&
		    strstr(cx->pd->func, ".cold") == NULL;

	cx->nfuncs++;
	cx->alias = strcmp(f->asked, f->name) != 0 ? f->asked : NULL;
	g = pid_group_add(cx->pv, cx->proc, f, cx->e);
	if (g == NULL)
		return -1;
	if (cx->name_off)
		return make_offset(cx, g, &f->body);
	if (by_kind(cx->pv))
		return make_offsets(cx, g, &f->body);
	if (!part && probe_glob(name, "entry") &&
	    pid_make(cx, g, PID_ENTRY, 0, "entry") != 0)
		return -1;
	if (cx->name_glob && make_offsets(cx, g, &f->body) != 0)
		return -1;
	if (!part && probe_glob(name, "return") &&
	    pid_make(cx, g, PID_RETURN, 0, "return") != 0)
		return -1;
	return 0;
}

/* The instructions of a function that match. */
static size_t
count_kind(const struct pid_cx *cx, const struct code_body *b)
{
	char name[INSTR_NAME_MAX];
	struct code_insn in;
	size_t n = 0;

	for (size_t at = 0; code_insn_at(b, at, &in); at += in.len) {
		instr_name(b, at, name);
		n += probe_glob(cx->pd->name, name);
	}
	return n;
}

/* How many probes make_fn() would make, at most. */
static int
count_fn(void *arg, const struct pid_found *f)
{
	struct pid_cx *cx = arg;

	cx->nprobes += 2 + (by_kind(cx->pv) ? count_kind(cx, &f->body)
					    : code_insn_count(&f->body));
	return cx->nprobes > PROBES_MAX;
}

/* Call fn for the functions of all objects that the description means. */
static int
each_fn(struct pid_cx *cx, int (*fn)(void *, const struct pid_found *))
{
	for (size_t i = 0; i < cx->objs.n; i++) {
		struct proc_obj *o = cx->objs.v[i];
		struct err why = { 0 };
		int rc;

		cx->nobjs++;
		if (o->born < cx->since)
			continue;
		/* An object that cannot be read matters if it was named. */
		if (proc_obj_elf(o, &why) == NULL) {
			if (cx->mod != NULL)
				return pid_fail(cx, &D_PROC_LIB, "%s", why.msg);
			continue;
		}
		rc = pid_each_fn(o, cx->pd->func, fn, cx, cx->e);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int
check_count(struct pid_cx *cx)
{
	int rc;

	if (!cx->name_glob)
		return 0;
	rc = each_fn(cx, count_fn);
	if (rc > 0)
		return pid_fail(cx, &D_PROC_NAME,
				"more than %d probes; name a function, an "
				"object, or %s",
				PROBES_MAX,
				by_kind(cx->pv) ? "a kind of instructions"
						: "entry or return");
	cx->nprobes = 0;
	return rc;
}

static int
have_fn(void *arg, const struct pid_found *f)
{
	return 1;
}

/* The object that was named, if none of its functions has a name. */
static struct proc_obj *
stripped_obj(struct pid_cx *cx)
{
	for (size_t i = 0; cx->mod != NULL && i < cx->objs.n; i++) {
		struct proc_obj *o = cx->objs.v[i];
		struct err e = { 0 };

		if (pid_each_fn(o, "", have_fn, cx, &e) == 0)
			return o;
		err_clear(&e);
	}
	return NULL;
}

/* What a name that no function has was meant to be. */
struct near_fns {
	struct near near;
	const char *want;
	size_t len;
	char part[160];     /* "4work": want as a part of a C++ or Rust name */
	const char *clone;  /* "work.constprop.0"; the first of nclones */
	const char *scoped; /* "_ZN2ns4workEi"; the first of nscoped */
	size_t nclones, nscoped;
};

static int
near_fn(void *arg, const struct pid_found *f)
{
	struct near_fns *n = arg;
	const char *name = f->asked, *part;

	if (elf_name_is_cold(name))
		return 0;
	near_try(&n->near, name);
	if (strncmp(name, n->want, n->len) == 0 && name[n->len] == '.' &&
	    n->nclones++ == 0)
		n->clone = name;
	part = name[0] == '_' && (name[1] == 'Z' || name[1] == 'R')
		       ? strstr(name, n->part)
		       : NULL;
	if (part != NULL && !isdigit((unsigned char)part[-1]) &&
	    n->nscoped++ == 0)
		n->scoped = name;
	return 0;
}

/* Names that the loader chooses functions for, which have others. */
static void
near_chosen(struct near *near, struct proc_obj *o)
{
	struct err e = { 0 };
	struct elf_file *elf = proc_obj_elf(o, &e);
	size_t n = 0;
	const struct elf_sym *s = elf != NULL ? elf_syms(elf, &n) : NULL;

	for (size_t i = 0; i < n; i++)
		if (s[i].is_ifunc)
			near_try(near, s[i].name);
	err_clear(&e);
}

/* " (...)", what to write for a function that was misspelt, or "". */
static const char *
fn_hint(struct pid_cx *cx, char hint[FN_HINT_MAX])
{
	struct near_fns n = { .want = cx->pd->func,
			      .len = strlen(cx->pd->func) };

	snprintf(n.part, sizeof(n.part), "%zu%s", n.len, n.want);
	near_init(&n.near, n.want);
	for (size_t i = 0; i < cx->objs.n; i++) {
		struct err e = { 0 };

		if (pid_each_fn(cx->objs.v[i], "", near_fn, &n, &e) != 0)
			err_clear(&e);
		near_chosen(&n.near, cx->objs.v[i]);
	}
	if (n.nclones != 0)
		snprintf(hint, FN_HINT_MAX,
			 n.nclones == 1 ? " (the compiler has made %s of it)"
					: " (the compiler has made %s and "
					  "others of it: %s.* matches them)",
			 n.clone, n.want);
	else if (n.nscoped != 0)
		snprintf(hint, FN_HINT_MAX,
			 n.nscoped == 1
				 ? " (its linker's name is perhaps %s)"
				 : " (%2$zu functions have it in their linker's "
				   "names, such as %1$s: *%3$s* matches them)",
			 n.scoped, n.nscoped, n.part);
	else
		near_hint(&n.near, hint);
	return hint;
}

/* "; ...", what is to be known of the process's program, or "": it is not what
   the command's name says, or has no symbols. */
static const char *
program_note(struct pid_cx *cx, char note[FN_HINT_MAX])
{
	const char *script = proc_script(cx->proc);
	struct proc_obj *exec = NULL;
	struct err e = { 0 };

	note[0] = '\0';
	for (size_t i = 0; exec == NULL && i < cx->objs.n; i++)
		if (cx->objs.v[i]->is_exec)
			exec = cx->objs.v[i];
	if (exec == NULL)
		return note;
	if (script != NULL)
		snprintf(note, FN_HINT_MAX,
			 "; %.160s is a script, and what is traced is the "
			 "program that runs it, %.160s", script, exec->name);
	else if (pid_each_fn(exec, "", have_fn, cx, &e) == 0)
		snprintf(note, FN_HINT_MAX,
			 "; %.160s, its program, has no symbols of functions "
			 "(it is stripped)", exec->name);
	else if (proc_obj_elf(exec, &e) != NULL && elf_is_stripped(exec->elf))
		snprintf(note, FN_HINT_MAX,
			 "; %.160s, its program, has the names of what it "
			 "exports only (it is stripped)", exec->name);
	err_clear(&e);
	return note;
}

static int
chosen_unknown(struct pid_cx *cx, const struct proc_obj *o)
{
	return pid_fail(cx, &D_PROC_FUNC,
			"what %s of %s is, code chooses when a program begins "
			"(an IFUNC), and it does not show all that it may "
			"choose: that may be the kernel's own code (the vdso), "
			"which can have no probes",
			cx->pd->func, o->name);
}

static int
no_functions(struct pid_cx *cx)
{
	const struct proc_obj *o = stripped_obj(cx);
	char hint[FN_HINT_MAX], note[FN_HINT_MAX];

	if (o != NULL && cx->proc == NULL)
		return pid_fail(cx, &D_PROC_FUNC,
				"%s has no symbols of functions (it is "
				"stripped)",
				o->name);
	if (o != NULL)
		return pid_fail(cx, &D_PROC_FUNC,
				"%s of process %d has no symbols of functions "
				"(it is stripped): its code has probes by "
				"address only (pid%d:%s:-:<hex address>), and "
				"what it calls in libraries has its names%s",
				o->name, (int)proc_pid(cx->proc),
				(int)proc_pid(cx->proc), o->name,
				proc_may_exec(cx->proc));
	if (!probe_is_exact(cx->pd->func))
		return 0;
	for (size_t i = 0; i < cx->objs.n; i++)
		if (pid_chosen_unknown(cx->objs.v[i], cx->pd->func))
			return chosen_unknown(cx, cx->objs.v[i]);
	if (cx->proc == NULL)
		return pid_fail(cx, &D_PROC_FUNC,
				"no function named %s in %s of any process%s",
				cx->pd->func,
				cx->mod != NULL ? cx->mod : "any object",
				fn_hint(cx, hint));
	fn_hint(cx, hint);
	return pid_fail(cx, &D_PROC_FUNC,
			"no function named %s in %s of process %d%s%s%s",
			cx->pd->func,
			cx->mod != NULL ? cx->mod : "any object",
			(int)proc_pid(cx->proc), hint,
			program_note(cx, note),
			*hint == '\0' ? proc_may_exec(cx->proc) : "");
}

static int
provide_funcs(struct pid_cx *cx)
{
	if (check_count(cx) != 0 || each_fn(cx, make_fn) != 0)
		return -1;
	if (cx->nobjs == 0 || cx->since != 0)
		return 0;
	if (cx->nfuncs == 0)
		return no_functions(cx);
	if (!probe_is_exact(cx->pd->func))
		return 0;
	if (!cx->name_off || cx->nprobes != 0)
		return 0;
	if (cx->other[0] != '\0')
		return pid_fail(cx, &D_PROC_NAME,
				"the instruction at offset 0x%llx of %s is "
				"called %s",
				(unsigned long long)cx->off, cx->pd->func,
				cx->other);
	if (cx->outside == cx->nfuncs)
		return pid_fail(cx, &D_PROC_OFF,
				"offset 0x%llx is outside function %s",
				(unsigned long long)cx->off, cx->pd->func);
	return pid_fail(cx, &D_PROC_ALIGN,
			"offset 0x%llx of %s is not the start of an "
			"instruction",
			(unsigned long long)cx->off, cx->pd->func);
}

/* ---- absolute addresses --------------------------------------------- */

static int
provide_address(struct pid_cx *cx)
{
	struct pid_data *d = cx->pv->data;
	struct pid_address a;
	struct pid_probe *pp;
	struct probe *p;
	char prov[32], name[24];

	if (by_kind(cx->pv))
		return pid_fail(cx, &D_PROC_NAME,
				"an instruction by its address is of the pid "
				"provider: pid%d:%s:-:<hex address>",
				(int)proc_pid(cx->proc), cx->pd->mod);
	if (!cx->name_off)
		return pid_fail(cx, &D_PROC_NAME,
				"with function -, the name is a hexadecimal "
				"address");
	if (pid_address_find(cx->proc, cx->pd->mod, cx->mod, cx->off, &a,
			     cx->e) != 0)
		return -1;
	snprintf(prov, sizeof(prov), "pid%d", (int)proc_pid(cx->proc));
	snprintf(name, sizeof(name), "%llx", (unsigned long long)cx->off);
	p = probe_add(cx->pv, prov, a.obj->name, "-", name);
	pp = arena_alloc(d->arena, sizeof(*pp));
	if (p == NULL || pp == NULL)
		return err_nomem(cx->e);
	*pp = (struct pid_probe){ .what = PID_ABSOLUTE,
				  .off = a.addr,
				  .proc = cx->proc,
				  .obj = a.obj };
	p->data = pp;
	return 0;
}

/* ---- descriptions --------------------------------------------------- */

/* The number that a text is; 0: it is none of a process. */
static pid_t
pid_number(const char *s)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(s, &end, 10);
	return errno == 0 && *end == '\0' && n > 0 && n <= INT32_MAX ? (pid_t)n
								     : 0;
}

/*
 * p*d123 is of process 123, if it is one that the trace has to do with.  Other
 * patterns are not of every process there is, nor of none: 0.
 */
static bool
glob_pid(const struct prov *pv, const char *s, pid_t *pid)
{
	size_t n = strlen(s);
	char name[32];

	while (n > 0 && isdigit((unsigned char)s[n - 1]))
		n--;
	*pid = pid_number(s + n);
	snprintf(name, sizeof(name), "pid%d", (int)*pid);
	return *pid != 0 && probe_glob(s, name) &&
	       proc_find(pv->env->procs, *pid) != NULL;
}

/*
 * The process a provider field names: 1 and *pid (0: every process), 0 if it is
 * not this provider's, -1 + *e if it is and is wrong.
 */
static int
desc_pid(const struct prov *pv, const struct dif_pdesc *pd, pid_t *pid,
	 struct err *e)
{
	const char *s = pd->prov, *name = pv->ops->name;

	if (!by_kind(pv) && probe_is_glob(s) && glob_pid(pv, s, pid))
		return 1;
	if (strncmp(s, name, strlen(name)) != 0)
		return 0;
	s += strlen(name);
	if (by_kind(pv) && s[0] == '\0')
		return 0; /* the kernel's */
	if (strcmp(s, "*") == 0) {
		*pid = 0;
		return 1;
	}
	if (s[0] == '\0' || (probe_is_glob(s) && !isalpha((unsigned char)*s)))
		return err_set(e, &D_PROC_BADPID, 0,
			       "%s: the %s provider needs the number of a "
			       "process, as in %s$target or %s123, or a "
			       "star for all (%s*)%s",
			       pd->prov, name, name, name, name,
			       s[0] == '\0' ? "; in double quotes the shell "
					      "has replaced $target by nothing"
					    : "");
	if (!isdigit((unsigned char)s[0]))
		return 0; /* USDT of a program called pid... */
	if (s[strspn(s, "0123456789")] != '\0')
		return 0;
	*pid = pid_number(s);
	return *pid != 0 ? 1
			 : err_set(e, &D_PROC_BADPID, 0,
				   "%s: not a valid process id", pd->prov);
}

/* A hexadecimal number, with 0x in front or without. */
static bool
desc_hex(const char *s, uint64_t *v)
{
	const bool x = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	size_t n = strlen(s += x ? 2 : 0);
	char *end;

	if (n == 0 || n > 16 || strspn(s, "0123456789abcdefABCDEF") != n)
		return false;
	*v = strtoull(s, &end, 16);
	return true;
}

static int
desc_kind(struct pid_cx *cx)
{
	const char *name = cx->pd->name;

	cx->name_off = !cx->name_glob && instr_name_offset(name, &cx->off);
	if (cx->name_off || cx->name_glob)
		return 0;
	return pid_fail(cx, &D_PROC_NAME,
			"%s is not a name of an instr probe: a kind and a "
			"hexadecimal offset, as lock-1f; lock-* are all of a "
			"kind",
			name);
}

static int
desc_name(struct pid_cx *cx)
{
	const char *name = cx->pd->name;

	cx->name_glob = !probe_is_exact(name);
	if (by_kind(cx->pv))
		return desc_kind(cx);
	if (cx->name_glob || strcmp(name, "entry") == 0 ||
	    strcmp(name, "return") == 0)
		return 0;
	cx->name_off = desc_hex(name, &cx->off);
	if (cx->name_off)
		return 0;
	return pid_fail(cx, &D_PROC_NAME,
			"%s is not a name of a pid probe: entry, return, or a "
			"hexadecimal offset",
			name);
}

static int
desc_mod(struct pid_cx *cx)
{
	char hint[FN_HINT_MAX];
	const char *near;
	struct near n;

	if (!probe_is_exact(cx->pd->mod))
		return 0;
	cx->mod = pid_mod_name(cx->proc, cx->pd->mod);
	if (cx->mod != NULL)
		return 0;
	near_init(&n, cx->pd->mod);
	for (size_t i = 0; i < proc_nobjs(cx->proc); i++)
		near_try(&n, proc_obj_at(cx->proc, i)->name);
	near = near_hint(&n, hint);
	if (*near == '\0')
		near = proc_may_exec(cx->proc);
	return pid_fail(cx, &D_PROC_LIB, "no object named %s in process %d%s",
			cx->pd->mod, (int)proc_pid(cx->proc),
			*near != '\0' ? near : " yet (-Z waits for it)");
}

/* The objects that it means. */
static int
desc_objs(struct pid_cx *cx)
{
	for (size_t i = 0; i < proc_nobjs(cx->proc); i++) {
		struct proc_obj *o = proc_obj_at(cx->proc, i);

		if (pid_mod_is(o, cx->pd->mod, cx->mod) &&
		    !vec_push(&cx->objs, o))
			return err_nomem(cx->e);
	}
	return 0;
}

static struct proc *
desc_grab(const struct pid_cx *cx, pid_t pid)
{
	struct err why = { 0 };
	struct proc *p = proc_grab(cx->pv->env->procs, pid, &why);

	if (p == NULL)
		pid_fail(cx, &D_PROC_GRAB, "%s", why.msg);
	return p;
}

/*
 * True if this description has been served already, with the objects as they
 * are.  Compiling and enabling a clause each ask, and listing all functions of
 * a large program twice would be felt.  If it was with the objects as they
 * were, only those that came since are looked at.
 */
static bool
desc_served(struct pid_cx *cx, struct buf *key)
{
	const struct pid_data *d = cx->pv->data;
	uintptr_t gen = (uintptr_t)proc_generation(cx->proc) + 1;

	buf_printf(key, "%p\1%s\1%s\1%s", (void *)cx->proc, cx->pd->mod,
		   cx->pd->func, cx->pd->name);
	cx->since = (uintptr_t)hash_find_str(d->served, buf_str(key));
	return cx->since == gen;
}

static int
provide_desc(struct pid_cx *cx)
{
	struct pid_data *d = cx->pv->data;
	struct buf key = BUF_INIT;
	int rc = 0;

	if (desc_served(cx, &key))
		goto out;
	rc = desc_name(cx);
	if (rc == 0)
		rc = desc_mod(cx);
	if (rc == 0)
		rc = desc_objs(cx);
	if (rc == 0)
		rc = strcmp(cx->pd->func, "-") == 0 ? provide_address(cx)
						    : provide_funcs(cx);
	/* Without memory to remember, it is served again. */
	if (rc == 0 && !key.failed)
		(void)hash_set_str(
			d->served, buf_str(&key),
			(void *)(uintptr_t)(proc_generation(cx->proc) + 1));
out:
	buf_fini(&key);
	return rc;
}

/* ---- every process -------------------------------------------------- */

/* The module by which probes of every process call what a description calls
   `text`; NULL: nothing has been found so. */
static const char *
every_mod(const struct pid_data *d, const char *text)
{
	const struct pid_files *f = hash_find_str(d->files, text);

	return f != NULL ? f->mod : NULL;
}

/* The probes of functions in those objects. */
static int
every_funcs(struct pid_cx *cx, const struct pid_files *f)
{
	cx->mod = f->mod;
	for (size_t i = 0; i < f->n; i++)
		if (!vec_push(&cx->objs, f->objs[i]))
			return err_nomem(cx->e);
	return provide_funcs(cx);
}

/* Compiling and enabling a clause each ask: what has been served with the same
   objects is. */
static int
provide_every(struct pid_cx *cx)
{
	struct pid_data *d = cx->pv->data;
	const struct pid_files *f;
	struct buf key = BUF_INIT;
	int rc = 0;

	if (strcmp(cx->pd->func, "-") == 0)
		return pid_fail(cx, &D_PROC_NAME,
				"an address is one process's: name it, as in "
				"pid123");
	if (strcmp(cx->pd->mod, "a.out") == 0)
		return pid_fail(cx, &D_PROC_NAME,
				"a.out is the program of one process, as of "
				"pid$target: name its file");
	if (desc_name(cx) != 0)
		return -1;
	f = pid_files_get(cx->pv, d->files, d->arena, cx->pd->mod, cx->e);
	if (f == NULL)
		return -1;
	if (f->n == 0 && probe_is_exact(cx->pd->mod))
		return pid_fail(cx, &D_PROC_LIB,
				"no process maps a file named %s at the moment "
				"(-Z waits for one)",
				cx->pd->mod);
	buf_printf(&key, "every\1%s\1%s\1%s", cx->pd->mod, cx->pd->func,
		   cx->pd->name);
	if ((uintptr_t)hash_find_str(d->served, buf_str(&key)) != f->turn) {
		rc = every_funcs(cx, f);
		/* Without memory to remember, they are asked again. */
		if (rc == 0 && !key.failed)
			(void)hash_set_str(d->served, buf_str(&key),
					   (void *)(uintptr_t)f->turn);
	}
	buf_fini(&key);
	return rc;
}

/* The probes in the objects of one more process. */
static int
every_more(struct pid_cx *cx, struct proc *p)
{
	struct pid_data *d = cx->pv->data;
	struct pid_files f;

	if (desc_name(cx) != 0 ||
	    pid_files_of(cx->pv, d->files, d->arena, cx->pd->mod, p, &f,
			 cx->e) != 0)
		return -1;
	return f.n != 0 ? every_funcs(cx, &f) : 0;
}

int
pid_every(struct prov *pv, const struct dif_pdesc *pd, struct proc *p,
	  struct err *e)
{
	struct err why = { 0 };
	/* All objects were born since: that they lack a function is no
	   error. */
	struct pid_cx cx = { .pv = pv, .pd = pd, .e = &why, .since = 1 };
	pid_t pid;
	int rc = desc_pid(pv, pd, &pid, &why);

	if (rc <= 0 || pid != 0 || strcmp(pd->func, "-") == 0)
		return 0;
	if (p != NULL)
		(void)every_more(&cx, p);
	vec_fini(&cx.objs);
	return why.tag == &ERR_NOMEM ? err_nomem(e) : 1;
}

int
pid_provide(struct prov *pv, const struct dif_pdesc *pd, struct err *e)
{
	struct pid_cx cx = { .pv = pv, .pd = pd, .e = e };
	pid_t pid;
	int rc = desc_pid(pv, pd, &pid, e);

	if (rc <= 0)
		return rc;
	if (pid == 0) {
		rc = provide_every(&cx);
	} else {
		cx.proc = desc_grab(&cx, pid);
		rc = cx.proc != NULL ? provide_desc(&cx) : -1;
	}
	vec_fini(&cx.objs);
	return rc;
}

/* The words of a description that probes say otherwise: an object by another
   of its names, a number with 0x, leading zeros or capital letters. */
void
pid_canon(struct prov *pv, struct dif_pdesc *pd)
{
	struct err e = { 0 };
	struct proc *p;
	const char *mod;
	char name[24];
	uint64_t v;
	pid_t pid;

	if (desc_pid(pv, pd, &pid, &e) <= 0)
		return;
	p = pid != 0 ? proc_find(pv->env->procs, pid) : NULL;
	if (p == NULL && pid != 0)
		return;
	if (probe_is_exact(pd->mod) &&
	    (mod = p != NULL ? pid_mod_name(p, pd->mod)
			     : every_mod(pv->data, pd->mod)) != NULL &&
	    (mod = probe_str(pv->set, mod)) != NULL)
		pd->mod = mod;
	if (!by_kind(pv) && desc_hex(pd->name, &v)) {
		snprintf(name, sizeof(name), "%llx", (unsigned long long)v);
		mod = probe_str(pv->set, name);
		if (mod != NULL)
			pd->name = mod;
	}
}

int32_t
pid_of(struct prov *pv, const struct dif_pdesc *pd)
{
	struct err e = { 0 };
	pid_t pid;

	return desc_pid(pv, pd, &pid, &e) > 0 ? pid : 0;
}

/* ---- the provider --------------------------------------------------- */

void
pid_fini(struct prov *pv)
{
	struct pid_data *d = pv->data;

	hash_free(d->groups);
	hash_free(d->served);
	hash_free(d->files);
	arena_free(d->arena);
}

int
pid_init(struct prov *pv, struct err *e)
{
	struct arena *a = arena_new();
	struct pid_data *d = a != NULL ? arena_alloc(a, sizeof(*d)) : NULL;

	if (d == NULL) {
		arena_free(a);
		return err_nomem(e);
	}
	d->arena = a;
	d->groups = hash_new();
	d->served = hash_new();
	d->files = hash_new();
	pv->data = d;
	if (d->groups != NULL && d->served != NULL && d->files != NULL)
		return 0;
	pid_fini(pv);
	return err_nomem(e);
}

int
prov_pid_init(struct prov *pv, struct err *e)
{
	return pid_init(pv, e);
}

struct elf_file *
pid_file(const struct probe *p, size_t n, const char **path)
{
	const struct pid_probe *pp = p->data;
	const struct pid_group *g = pp->what != PID_ABSOLUTE ? pp->group : NULL;
	const struct pid_fn *f = g != NULL && g->proc == NULL ? g->fns : NULL;

	for (; f != NULL && n > 0; n--)
		f = f->next;
	if (f == NULL)
		return NULL;
	*path = f->obj->path;
	return f->elf;
}

const struct prov_ops prov_pid_ops = {
	.name = "pid",
	.attr = { .prov = "Evolving/Evolving/ISA",
		  .mod = "Private/Private/Unknown",
		  .func = "Private/Private/Unknown",
		  .name = "Evolving/Evolving/ISA",
		  .args = "Private/Private/Unknown" },
	.provide = pid_provide,
	.args = pid_args,
	.args_late = true,
	.sites = pid_sites,
	.fini = pid_fini,
	.canon = pid_canon,
	.pid = pid_of,
	.every = pid_every,
	.file = pid_file,
};
