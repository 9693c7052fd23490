/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_class.c - from an enabling to programs: sites are sorted into classes,
 * one BPF program each, and for each class it is found out which clauses its
 * sites run.  Also gathers all strings that probes may see.
 *
 * A clause has one function per class.  A site says by a bit mask which of
 * them it runs; where every site runs all (the usual case) no mask is tested.
 */
#include "engine/bpf/bpf_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define SYSCALLS_MAX 4096u /* numbers above are no system calls */

/* ---- strings ------------------------------------------------------------ */

static int
str_add(struct engine *eng, const void *p, uint32_t n, uint32_t *off)
{
	size_t cap = eng->capstr;

	if (n > (1u << 30) - eng->nstr ||
	    !vec_grow((void **)&eng->strtab, &cap, eng->nstr + n, 1))
		return -1;
	eng->capstr = (uint32_t)cap;
	if (p != NULL)
		memcpy(eng->strtab + eng->nstr, p, n);
	else
		memset(eng->strtab + eng->nstr, 0, n);
	*off = eng->nstr;
	eng->nstr += n;
	return 0;
}

/* Keys of objstr: strings with a leading 's', objects with their address. */
int
bpf_class_str(struct engine *eng, const char *s, uint32_t *off)
{
	uintptr_t at = (uintptr_t)hash_find_str(eng->objstr, s);

	if (at == 0) {
		if (str_add(eng, s, (uint32_t)strlen(s) + 1, off) != 0)
			return -1;
		return hash_set_str(eng->objstr, s,
				    (void *)(uintptr_t)(*off + 1));
	}
	*off = (uint32_t)(at - 1);
	return 0;
}

/* NUL cannot be in the name of a probe, so keys do not meet. */
struct obj_key {
	char nul[8];
	const struct dif_obj *o;
};

uint32_t
bpf_class_objstr(struct engine *eng, const struct dif_obj *o)
{
	struct obj_key k = { .o = o };

	return (uint32_t)((uintptr_t)hash_find(eng->objstr, &k, sizeof(k)) - 1);
}

/* ---- what objects need -------------------------------------------------- */

/* Can this instruction fault? */
static bool
op_faults(dif_instr_t i)
{
	switch (DIF_OP(i)) {
	case DIF_OP_OR:
	case DIF_OP_XOR:
	case DIF_OP_AND:
	case DIF_OP_SLL:
	case DIF_OP_SRL:
	case DIF_OP_SRA:
	case DIF_OP_SUB:
	case DIF_OP_ADD:
	case DIF_OP_MUL:
	case DIF_OP_NOT:
	case DIF_OP_MOV:
	case DIF_OP_CMP:
	case DIF_OP_TST:
	case DIF_OP_BA:
	case DIF_OP_BE:
	case DIF_OP_BNE:
	case DIF_OP_BG:
	case DIF_OP_BGU:
	case DIF_OP_BGE:
	case DIF_OP_BGEU:
	case DIF_OP_BL:
	case DIF_OP_BLU:
	case DIF_OP_BLE:
	case DIF_OP_BLEU:
	case DIF_OP_RET:
	case DIF_OP_NOP:
	case DIF_OP_SETX:
	case DIF_OP_SETS:
	case DIF_OP_LDTS:
	case DIF_OP_LDLS:
		return false;
	case DIF_OP_LDGS:
		return DIF_IDX(i) == DIF_VAR_execname ||
		       DIF_IDX(i) == DIF_VAR_execargs;
	default:
		return true;
	}
}

static void
class_ins(struct engine *eng, dif_instr_t i)
{
	uint32_t id = DIF_IDX(i);

	eng->buffers |= op_faults(i);
	if (DIF_OP(i) == DIF_OP_LDGS) {
		eng->uses_vtime |= id == DIF_VAR_vtimestamp;
		eng->uses_execargs |= id == DIF_VAR_execargs;
		eng->uses_ipl |= id == DIF_VAR_ipl;
	}
	if (DIF_OP(i) != DIF_OP_CALL)
		return;
	eng->uses_progeny |= id == DIF_SUBR_progenyof;
	eng->uses_dpath |= id == DIF_SUBR_d_path;
	eng->uses_copyout |=
		id == DIF_SUBR_copyout || id == DIF_SUBR_copyoutstr;
}

static int
class_obj(struct engine *eng, const struct dif_obj *o)
{
	struct obj_key k = { .o = o };
	uint32_t off;

	if (o == NULL || hash_find(eng->objstr, &k, sizeof(k)) != NULL)
		return 0;
	for (uint32_t i = 0; i < o->ntext; i++)
		class_ins(eng, o->text[i]);
	if (str_add(eng, o->strtab, o->strlen, &off) != 0)
		return -1;
	return hash_set(eng->objstr, &k, sizeof(k),
			(void *)((uintptr_t)off + 1));
}

static int
class_clause(struct engine *eng, const struct dif_clause *c)
{
	eng->buffers |= c->recsize != 0;
	if (class_obj(eng, c->pred) != 0)
		return -1;
	for (uint32_t s = 0; s < c->nstmts; s++) {
		/* stop() and the like record nothing, and may be refused. */
		eng->buffers |= dif_act_at_probe(c->stmts[s].kind);
		for (uint32_t i = 0; i < c->stmts[s].nexprs; i++) {
			const struct dif_expr *x = &c->stmts[s].exprs[i];
			/* By-reference values are read when recorded. */
			eng->buffers |= is_byref(&x->type);
			if (class_obj(eng, x->obj) != 0)
				return -1;
		}
	}
	return 0;
}

/* ---- sites -------------------------------------------------------------- */

struct bpf_class *
bpf_class_nth(struct engine *eng, size_t n)
{
	if (n < BC_N)
		return &eng->cls[n];
	return n - BC_N < eng->tps.n ? eng->tps.v[n - BC_N] : NULL;
}

/* The class of a tracepoint, made when it is first met; NULL: no memory. */
static struct bpf_class *
class_tp(struct engine *eng, const char *tp)
{
	struct bpf_class *c;

	for (size_t i = 0; i < eng->tps.n; i++)
		if (strcmp(eng->tps.v[i]->tp, tp) == 0)
			return eng->tps.v[i];
	c = arena_alloc(eng->arena, sizeof(*c));
	if (c == NULL || !vec_push(&eng->tps, c))
		return NULL;
	c->kind = BC_RAWTP;
	c->tp = tp;
	c->prog = c->map.fd = c->once.fd = -1;
	return c;
}

/* *out NULL: sites of this kind have none.  -1: no memory. */
static int
site_class(struct engine *eng, const struct dif_site *s,
	   struct bpf_class **out)
{
	*out = NULL;
	switch (s->kind) {
	case DIF_SITE_BEGIN:
	case DIF_SITE_END: *out = &eng->cls[BC_DTRACE]; break;
	case DIF_SITE_PROFILE:
	case DIF_SITE_TICK: *out = &eng->cls[BC_TIMER]; break;
	case DIF_SITE_SYSENTRY: *out = &eng->cls[BC_SYSENTRY]; break;
	case DIF_SITE_SYSRETURN: *out = &eng->cls[BC_SYSRETURN]; break;
	case DIF_SITE_UPROBE: *out = &eng->cls[BC_UPROBE]; break;
	case DIF_SITE_URETPROBE: *out = &eng->cls[BC_URETPROBE]; break;
	case DIF_SITE_RAWTP:
		*out = class_tp(eng, s->tp);
		return *out != NULL ? 0 : -1;
	default: break;
	}
	return 0;
}

static bool
class_has(const struct bpf_class *c, uint32_t clause)
{
	for (size_t i = c->clauses.n; i-- > 0;)
		if (c->clauses.v[i] == clause)
			return true;
	return false;
}

static int
cmp_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* The ECBs [*first, *end) of a probe. */
static void
probe_ecbs(const struct dif_enabling *en, uint32_t probe, uint32_t *first,
	   uint32_t *end)
{
	while (*first < en->necbs && en->ecbs[*first].probe < probe)
		(*first)++;
	*end = *first;
	while (*end < en->necbs && en->ecbs[*end].probe == probe)
		(*end)++;
}

/* The ECBs [first, end) fire at this site: where their clauses stand. */
static int
class_ecbs(struct engine *eng, const struct dif_probe *pr,
	   const struct dif_site *s, uint32_t first, uint32_t end,
	   struct err *e)
{
	const struct dif_ecb *ecbs = eng->en->ecbs;
	struct bpf_class *c;

	if (site_class(eng, s, &c) != 0)
		return err_nomem(e);
	if (c == NULL && s->kind != DIF_SITE_ERROR)
		return err_set(e, &ERR_GENERIC, 0,
			       "%s:%s:%s:%s: the kernel engine cannot serve "
			       "this kind of probe",
			       pr->prov, pr->mod, pr->func, pr->name);
	for (uint32_t i = first; i < end; i++) {
		bool ok = true;
		if (c == NULL)
			ok = vec_push(&eng->errors, ecbs[i]);
		else if (!class_has(c, ecbs[i].clause))
			ok = vec_push(&c->clauses, ecbs[i].clause);
		if (!ok)
			return err_nomem(e);
	}
	return 0;
}

/* First pass: which clauses are in which class. */
static int
class_clauses(struct engine *eng, struct err *e)
{
	const struct dif_enabling *en = eng->en;
	uint32_t first = 0, end;

	for (uint32_t p = 0; p < en->nprobes; p++, first = end) {
		const struct dif_probe *pr = &en->probes[p];
		probe_ecbs(en, p, &first, &end);
		for (uint32_t s = 0; s < pr->nsites; s++)
			if (class_ecbs(eng, pr, &pr->sites[s], first, end,
				       e) != 0)
				return -1;
	}
	return 0;
}

static int
class_recipes(struct bpf_class *c, const struct dif_recipes *r, uint32_t *idx)
{
	for (*idx = 0; *idx < c->recipes.n; (*idx)++)
		if (c->recipes.v[*idx] == r)
			return 0;
	return vec_push(&c->recipes, r) ? 0 : -1;
}

static int
class_when(struct bpf_class *c, const struct dif_whens *w, uint32_t *idx)
{
	for (*idx = 0; *idx < c->whens.n; (*idx)++)
		if (c->whens.v[*idx] == w)
			return 0;
	return vec_push(&c->whens, w) ? 0 : -1;
}

static void
site_mask(struct bpf_class *c, struct bpf_site *s, const struct dif_ecb *ecbs,
	  uint32_t n)
{
	uint32_t bits = 0;

	for (uint32_t i = 0; i < c->clauses.n; i++)
		for (uint32_t k = 0; k < n; k++)
			if (ecbs[k].clause == c->clauses.v[i]) {
				s->mask[i / 32] |= 1u << (i % 32);
				bits++;
				break;
			}
	if (bits != c->clauses.n)
		c->uniform = false;
}

static int
site_push(struct bpf_class *c, struct bpf_site *s, const struct dif_site *ds)
{
	return vec_push(&c->sites, s) && vec_push(&c->dsites, ds) ? 0 : -1;
}

/* At least n elements, empty if need be. */
static int
site_reserve(struct bpf_class *c, uint32_t n)
{
	while (c->sites.n < n)
		if (site_push(c, NULL, NULL) != 0)
			return -1;
	return 0;
}

/* Another site of the event whose first is element at. */
static int
site_chain(struct bpf_class *c, uint32_t at, struct bpf_site *s,
	   const struct dif_site *ds)
{
	struct bpf_site *last = c->sites.v[at];
	uint32_t chain;

	for (chain = 2; last->next != 0; chain++)
		last = c->sites.v[last->next];
	last->next = (uint32_t)c->sites.n;
	if (chain > c->chain)
		c->chain = chain;
	return site_push(c, s, ds);
}

/* Put a site where the program will look for it. */
static int
site_place(struct bpf_class *c, struct bpf_site *s, const struct dif_site *ds)
{
	uint32_t at = (uint32_t)ds->num;

	if (c->kind == BC_RAWTP)
		return c->sites.n == 0 ? site_push(c, s, ds)
				       : site_chain(c, 0, s, ds);
	if (c->kind != BC_SYSENTRY && c->kind != BC_SYSRETURN)
		return site_push(c, s, ds);
	if (ds->num >= SYSCALLS_MAX)
		return 0; /* no such system call: never fires */
	if (site_reserve(c, at + 1) != 0)
		return -1;
	if (c->sites.v[at] == NULL) {
		c->sites.v[at] = s;
		c->dsites.v[at] = ds;
		return 0;
	}
	/* Elements of a chain lie behind all numbers. */
	return site_reserve(c, SYSCALLS_MAX) != 0 ? -1
						   : site_chain(c, at, s, ds);
}

static int
class_site(struct engine *eng, uint32_t p, const struct dif_site *ds,
	   uint32_t first, uint32_t end)
{
	const struct dif_probe *pr = &eng->en->probes[p];
	struct bpf_class *c;
	const char *names[4] = { pr->prov, pr->mod, pr->func, pr->name };
	struct bpf_site *s;

	if (first == end)
		return 0;
	if (site_class(eng, ds, &c) != 0)
		return -1;
	if (c == NULL) {
		for (int i = 0; i < 4; i++)
			if (bpf_class_str(eng, names[i], &eng->error_name[i]))
				return -1;
		return 0;
	}
	s = arena_alloc(eng->arena, sizeof(*s) + c->nmask * 4);
	if (s == NULL)
		return -1;
	s->probe_id = pr->id;
	s->probe = p;
	s->epid0 = eng->en->ecbs[first].epid;
	s->pid = ds->pid;
	s->cookie = ds->cookie;
	for (int i = 0; i < 4; i++)
		if (bpf_class_str(eng, names[i], &s->name[i]) != 0)
			return -1;
	if (class_recipes(c, ds->args, &s->recipes) != 0 ||
	    class_when(c, ds->when, &s->when) != 0)
		return -1;
	c->any_pid |= ds->pid != 0;
	site_mask(c, s, &eng->en->ecbs[first], end - first);
	return site_place(c, s, ds);
}

static int
class_sites(struct engine *eng)
{
	const struct dif_enabling *en = eng->en;
	uint32_t first = 0, end;

	for (uint32_t p = 0; p < en->nprobes; p++, first = end) {
		probe_ecbs(en, p, &first, &end);
		for (uint32_t s = 0; s < en->probes[p].nsites; s++)
			if (class_site(eng, p, &en->probes[p].sites[s], first,
				       end) != 0)
				return -1;
	}
	return 0;
}

int
bpf_class_build(struct engine *eng, struct err *e)
{
	const struct dif_enabling *en = eng->en;
	struct bpf_class *c;
	uint32_t zeroes;

	eng->objstr = hash_new();
	if (eng->objstr == NULL || str_add(eng, NULL, RT_STR_MAX, &zeroes) != 0)
		return err_nomem(e);
	for (uint32_t i = 0; i < en->nclauses; i++)
		if (class_clause(eng, en->clauses[i]) != 0)
			return err_nomem(e);
	if (class_clauses(eng, e) != 0)
		return -1;
	for (size_t k = 0; (c = bpf_class_nth(eng, k)) != NULL; k++) {
		if (c->clauses.n > 1)
			qsort(c->clauses.v, c->clauses.n, sizeof(*c->clauses.v),
			      cmp_u32);
		c->nmask = (uint32_t)(c->clauses.n + 31) / 32;
		c->uniform = true;
		c->chain = 1;
	}
	return class_sites(eng) != 0 ? err_nomem(e) : 0;
}

void
bpf_class_fini(struct engine *eng)
{
	struct bpf_class *c;

	for (size_t k = 0; (c = bpf_class_nth(eng, k)) != NULL; k++) {
		vec_fini(&c->clauses);
		vec_fini(&c->recipes);
		vec_fini(&c->whens);
		vec_fini(&c->sites);
		vec_fini(&c->dsites);
	}
	vec_fini(&eng->tps);
	vec_fini(&eng->errors);
	free(eng->strtab);
	hash_free(eng->objstr);
}
