/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * kinsn.c - the hooks of instr and kinst: instructions of the kernel and of its
 * modules, found by disassembling the running kernel's text.
 *
 * They serve those who name them: a description of every provider's probes is
 * not about millions of instructions, and instr of a process is another
 * provider's (prov_uinstr.c).  What must not be probed has no probe, and is not
 * tried: functions that ftrace cannot trace either (entry code, NMI), the
 * blacklist of kprobes, the path of BPF itself (kinsn.def), places that the
 * kernel rewrites, and instructions that trap.
 */
#include "prov/kinsn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "proc/proc.h"
#include "prov/instr.h"
#include "prov/kinsn_over.h"

#define PROBES_MAX 100000 /* that one description may mean: some 20 MB */
#define FN_MAX	   (1u << 20) /* bytes of a function */

struct kinsn {
	struct hash *made;   /* address -> struct probe */
	struct hash *served; /* description -> itself */
	const struct dif_recipes *none;
	uint8_t *text; /* of one function */
	size_t cap;
	struct kovers over;
};

/* One call of provide(). */
struct kinsn_cx {
	struct prov *pv;
	const struct dif_pdesc *pd;
	struct err *e;
	size_t nfuncs, nprobes;
	const char *left; /* why the last function was left out */
};

/* ---- errors -------------------------------------------------------------- */

static int
kinsn_fail(const struct kinsn_cx *cx, const struct err_tag *tag,
	   const char *why)
{
	const struct dif_pdesc *pd = cx->pd;

	return err_set(cx->e, tag, 0, "%s:%s:%s:%s: %s", pd->prov, pd->mod,
		       pd->func, pd->name, why);
}

/* ---- names --------------------------------------------------------------- */

static bool
kinsn_by_kind(const struct prov *pv)
{
	return strcmp(pv->ops->name, "instr") == 0;
}

static void
kinsn_name(const struct prov *pv, const struct code_body *b, uint64_t off,
	   char name[INSTR_NAME_MAX])
{
	if (kinsn_by_kind(pv))
		instr_name(b, off, name);
	else
		snprintf(name, INSTR_NAME_MAX, "%llu",
			 (unsigned long long)off);
}

static int
check_name(const struct kinsn_cx *cx)
{
	const char *name = cx->pd->name;
	uint64_t off;

	if (!kinsn_by_kind(cx->pv) && cx->pd->func[0] == '\0')
		return kinsn_fail(cx, &D_PROC_FUNC, "name a function");
	if (!probe_is_exact(name))
		return 0;
	if (kinsn_by_kind(cx->pv) && !instr_name_offset(name, &off))
		return kinsn_fail(cx, &D_PROC_NAME,
				  "a name is a kind and a hexadecimal offset, as "
				  "lock-1f; lock-* are all of a kind");
	if (!kinsn_by_kind(cx->pv) && name[strspn(name, "0123456789")] != '\0')
		return kinsn_fail(cx, &D_PROC_NAME,
				  "a name is the offset of an instruction, in "
				  "decimal");
	return 0;
}

/* ---- functions ----------------------------------------------------------- */

static const char *
left_out(const char *func)
{
	static const struct {
		const char *pattern, *why;
	} rows[] = {
#define LEFT(pattern, why) { pattern, why },
#include "prov/kinsn.def"
#undef LEFT
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (probe_glob(rows[i].pattern, func))
			return rows[i].why;
	return NULL;
}

/* The bytes of a function, up to the next symbol.  1; 0: it is not to be
   had. */
static int
kinsn_body(struct kinsn_cx *cx, const struct kfunc *f, struct code_body *b)
{
	struct proc_set *ps = cx->pv->env->procs;
	struct kinsn *t = cx->pv->data;
	uint64_t addr = kfunc_addr(ps, f), size;
	char kind;

	if (addr == 0 || !ksym_at(ps, addr, &kind, &size) || size == 0 ||
	    size > FN_MAX)
		return 0;
	if (!vec_grow((void **)&t->text, &t->cap, size, 1))
		return err_nomem(cx->e);
	if (ktext_read(ps, addr, t->text, size, cx->e) != 0)
		return -1;
	kovers_undo(&t->over, addr, t->text, size);
	*b = (struct code_body){
		.p = t->text, .n = size, .addr = addr, .next = SIZE_MAX
	};
	return 1;
}

static int
insn_make(struct kinsn_cx *cx, const struct kfunc *f, uint64_t addr,
	  uint64_t off, const char *name)
{
	struct kinsn *t = cx->pv->data;
	const char *prov = cx->pv->ops->name;
	struct probe *p;

	if (++cx->nprobes > PROBES_MAX)
		return kinsn_fail(cx, &D_PROC_NAME,
				  "more than 100000 instructions: name "
				  "functions, or a kind of instructions");
	if (hash_find(t->made, &addr, sizeof(addr)) != NULL)
		return 0;
	p = f->nth == 0
		    ? probe_add(cx->pv, prov, f->module, f->name, name)
		    : probe_add_twin(cx->pv, prov, f->module, f->name, name);
	if (p == NULL || hash_set(t->made, &addr, sizeof(addr), p) != 0)
		return err_nomem(cx->e);
	p->num = off;
	p->data = (void *)(uintptr_t)addr;
	return 0;
}

/* The instruction at an offset, if it matches. */
static int
insn_try(struct kinsn_cx *cx, const struct kfunc *f, const struct code_body *b,
	 size_t at)
{
	char name[INSTR_NAME_MAX];
	int bad;

	if (kinsn_by_kind(cx->pv) && !instr_name_may(cx->pd->name, b, at))
		return 0;
	kinsn_name(cx->pv, b, at, name);
	if (!probe_glob(cx->pd->name, name))
		return 0;
	bad = ktext_bad(cx->pv->env->procs, b->addr + at, cx->e);
	if (bad == 0)
		return insn_make(cx, f, b->addr + at, at, name);
	cx->left = "the kernel changes that instruction itself, or has it in "
		   "its blacklist of kprobes";
	return bad < 0 ? -1 : 0;
}

/* Those of a function that match.  Nops behind its last instruction are
   padding: they count when something follows. */
static int
insns_make(struct kinsn_cx *cx, const struct kfunc *f,
	   const struct code_body *b)
{
	struct code_insn in, nop;
	size_t nops = 0; /* the first that nothing has followed yet */

	for (size_t at = 0; code_insn_at(b, at, &in); at += in.len) {
		if (in.nop || in.kind == CODE_I_TRAP)
			continue;
		for (; nops < at; nops += nop.len)
			if (!code_insn_at(b, nops, &nop) ||
			    (nop.nop && insn_try(cx, f, b, nops) != 0))
				return -1;
		if (insn_try(cx, f, b, at) != 0)
			return -1;
		nops = at + in.len;
	}
	return 0;
}

static int
func_make(struct kinsn_cx *cx, const struct kfunc *f)
{
	struct code_body b;
	const char *why;
	int rc;

	if (!probe_glob(cx->pd->mod, f->module) ||
	    !probe_glob(cx->pd->func, f->name))
		return 0;
	cx->nfuncs++;
	why = left_out(f->name);
	if (why != NULL) {
		cx->left = why;
		return 0;
	}
	rc = kinsn_body(cx, f, &b);
	return rc > 0 ? insns_make(cx, f, &b) : rc;
}

/* ---- descriptions -------------------------------------------------------- */

/* What was named exactly, and is not there. */
static int
check_found(const struct kinsn_cx *cx)
{
	const struct dif_pdesc *pd = cx->pd;
	const char *why;
	char line[512];

	if (cx->nprobes != 0 || !probe_is_exact(pd->func))
		return 0;
	why = cx->nfuncs != 0 ? cx->left
			      : kfunc_why_not(cx->pv->env->procs, pd->mod,
					      pd->func);
	if (why != NULL) {
		snprintf(line, sizeof(line), "cannot be probed: %s", why);
		return kinsn_fail(cx, &D_PROC_FUNC, line);
	}
	if (cx->nfuncs != 0 && probe_is_exact(pd->name))
		return kinsn_fail(cx, &D_PROC_ALIGN,
				  "no such instruction begins there");
	return 0;
}

static int
provide_all(struct kinsn_cx *cx)
{
	struct kinsn *t = cx->pv->data;
	size_t n;
	const struct kfunc *v = kfunc_list(cx->pv->env->procs, &n, cx->e);
	char first;

	if (v == NULL) {
		const struct err_tag *tag = cx->e->tag;
		char why[sizeof(cx->e->msg)];

		if (tag == &ERR_NOMEM)
			return -1;
		snprintf(why, sizeof(why), "%s", cx->e->msg);
		err_clear(cx->e);
		return kinsn_fail(cx, tag, why);
	}
	/* A user who may not read it is told so before any function is looked
	   for. */
	if (n != 0 && ktext_read(cx->pv->env->procs,
				 kfunc_addr(cx->pv->env->procs, &v[0]), &first,
				 1, cx->e) != 0)
		return -1;
	if (kovers_read(cx->pv, &t->over, cx->e) != 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (func_make(cx, &v[i]) != 0)
			return -1;
	return check_found(cx);
}

int
kinsn_provide(struct prov *pv, const struct dif_pdesc *pd, struct err *e)
{
	struct kinsn_cx cx = { .pv = pv, .pd = pd, .e = e };
	struct kinsn *t = pv->data;
	char key[1024];
	int n, rc;

	if (strcmp(pd->prov, pv->ops->name) != 0)
		return 0;
	n = snprintf(key, sizeof(key), "%s\1%s\1%s", pd->mod, pd->func,
		     pd->name);
	if (n < 0 || (size_t)n >= sizeof(key))
		return kinsn_fail(&cx, &D_PROC_NAME, "it is too long");
	/* Compiling and enabling a clause each ask. */
	if (hash_find_str(t->served, key) != NULL)
		return 0;
	rc = check_name(&cx);
	if (rc == 0)
		rc = provide_all(&cx);
	if (rc == 0 && hash_set_str(t->served, key, t) != 0)
		rc = err_nomem(e);
	return rc;
}

/* ---- sites --------------------------------------------------------------- */

int
kinsn_sites(struct prov *pv, const struct probe *p, struct site_list *out,
	    struct err *e)
{
	static const struct dif_recipes none;
	struct kinsn *t = pv->data;
	struct dif_site s = { .kind = DIF_SITE_KINSN,
			      .tp = p->func,
			      .off = p->num,
			      .addr = (uintptr_t)p->data };

	if (t->none == NULL)
		t->none = probe_recipes(pv->set, &none);
	if (t->none == NULL)
		return err_nomem(e);
	s.args = t->none;
	if (strcmp(p->mod, "vmlinux") != 0)
		s.mod = p->mod;
	return site_add(out, &s, e);
}

/* ---- life ---------------------------------------------------------------- */

void
kinsn_fini(struct prov *pv)
{
	struct kinsn *t = pv->data;

	hash_free(t->made);
	hash_free(t->served);
	free(t->text);
	free(t->over.v);
	free(t);
}

int
kinsn_init(struct prov *pv, struct err *e)
{
	struct kinsn *t = pv->data = calloc(1, sizeof(*t));

	if (t == NULL)
		return err_nomem(e);
	t->made = hash_new();
	t->served = hash_new();
	if (t->made != NULL && t->served != NULL)
		return 0;
	kinsn_fini(pv);
	return err_nomem(e);
}
