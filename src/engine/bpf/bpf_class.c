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
		return DIF_IDX(i) == DIF_VAR_execname;
	default:
		return true;
	}
}

static void
class_ins(struct engine *eng, dif_instr_t i)
{
	uint32_t id = DIF_IDX(i);

	eng->buffers |= op_faults(i);
	if (DIF_OP(i) == DIF_OP_LDGS)
		eng->uses_vtime |= id == DIF_VAR_vtimestamp;
	if (DIF_OP(i) != DIF_OP_CALL)
		return;
	eng->uses_progeny |= id == DIF_SUBR_progenyof;
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
	for (uint32_t s = 0; s < c->nstmts; s++)
		for (uint32_t i = 0; i < c->stmts[s].nexprs; i++) {
			const struct dif_expr *x = &c->stmts[s].exprs[i];
			/* By-reference values are read when recorded. */
			eng->buffers |= is_byref(&x->type);
			if (class_obj(eng, x->obj) != 0)
				return -1;
		}
	return 0;
}

/* ---- sites -------------------------------------------------------------- */

static int
site_class(const struct dif_site *s)
{
	switch (s->kind) {
	case DIF_SITE_BEGIN:
	case DIF_SITE_END:
		return BC_DTRACE;
	case DIF_SITE_PROFILE:
	case DIF_SITE_TICK:
		return BC_TIMER;
	case DIF_SITE_SYSENTRY:
		return BC_SYSENTRY;
	case DIF_SITE_SYSRETURN:
		return BC_SYSRETURN;
	case DIF_SITE_UPROBE:
		return BC_UPROBE;
	case DIF_SITE_URETPROBE:
		return BC_URETPROBE;
	default:
		return -1;
	}
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

/* First pass: which clauses are in which class. */
static int
class_clauses(struct engine *eng, struct err *e)
{
	const struct dif_enabling *en = eng->en;
	uint32_t first = 0, end;

	for (uint32_t p = 0; p < en->nprobes; p++, first = end) {
		const struct dif_probe *pr = &en->probes[p];
		probe_ecbs(en, p, &first, &end);
		for (uint32_t s = 0; s < pr->nsites; s++) {
			int k = site_class(&pr->sites[s]);
			if (k < 0 && pr->sites[s].kind != DIF_SITE_ERROR)
				return err_set(
					e, &ERR_GENERIC, 0,
					"%s:%s:%s:%s: the kernel engine "
					"cannot serve this kind of probe",
					pr->prov, pr->mod, pr->func, pr->name);
			for (uint32_t i = first; i < end; i++) {
				bool ok = true;
				if (k < 0)
					ok = vec_push(&eng->errors,
						      en->ecbs[i]);
				else if (!class_has(&eng->cls[k],
						    en->ecbs[i].clause))
					ok = vec_push(&eng->cls[k].clauses,
						      en->ecbs[i].clause);
				if (!ok)
					return err_nomem(e);
			}
		}
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

/* Put a site where the program will look for it. */
static int
site_place(struct bpf_class *c, enum bpf_cls k, struct bpf_site *s,
	   const struct dif_site *ds)
{
	uint32_t at = (uint32_t)ds->num, chain = 1;

	if (k == BC_SYSENTRY || k == BC_SYSRETURN) {
		if (ds->num >= SYSCALLS_MAX)
			return 0; /* no such system call: never fires */
		while (c->sites.n <= at)
			if (!vec_push(&c->sites, (struct bpf_site *)NULL) ||
			    !vec_push(&c->dsites, (struct dif_site *)NULL))
				return -1;
		if (c->sites.v[at] == NULL) {
			c->sites.v[at] = s;
			c->dsites.v[at] = ds;
			return 0;
		}
		/* Elements of a chain lie behind all numbers. */
		while (c->sites.n < SYSCALLS_MAX)
			if (!vec_push(&c->sites, (struct bpf_site *)NULL) ||
			    !vec_push(&c->dsites, (struct dif_site *)NULL))
				return -1;
		struct bpf_site *last = c->sites.v[at];
		for (chain = 2; last->next != 0; chain++)
			last = c->sites.v[last->next];
		last->next = (uint32_t)c->sites.n;
		if (chain > c->chain)
			c->chain = chain;
	}
	return vec_push(&c->sites, s) && vec_push(&c->dsites, ds) ? 0 : -1;
}

static int
class_site(struct engine *eng, uint32_t p, const struct dif_site *ds,
	   uint32_t first, uint32_t end)
{
	const struct dif_probe *pr = &eng->en->probes[p];
	int k = site_class(ds);
	struct bpf_class *c = &eng->cls[k < 0 ? 0 : k];
	const char *names[4] = { pr->prov, pr->mod, pr->func, pr->name };
	struct bpf_site *s;

	if (first == end)
		return 0;
	if (k < 0) {
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
	if (class_recipes(c, ds->args, &s->recipes) != 0)
		return -1;
	c->any_pid |= ds->pid != 0;
	site_mask(c, s, &eng->en->ecbs[first], end - first);
	return site_place(c, (enum bpf_cls)k, s, ds);
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
	uint32_t zeroes;

	eng->objstr = hash_new();
	if (eng->objstr == NULL || str_add(eng, NULL, RT_STR_MAX, &zeroes) != 0)
		return err_nomem(e);
	for (uint32_t i = 0; i < en->nclauses; i++)
		if (class_clause(eng, en->clauses[i]) != 0)
			return err_nomem(e);
	if (class_clauses(eng, e) != 0)
		return -1;
	for (int k = 0; k < BC_N; k++) {
		struct bpf_class *c = &eng->cls[k];
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
	for (int k = 0; k < BC_N; k++) {
		vec_fini(&eng->cls[k].clauses);
		vec_fini(&eng->cls[k].recipes);
		vec_fini(&eng->cls[k].sites);
		vec_fini(&eng->cls[k].dsites);
	}
	vec_fini(&eng->errors);
	free(eng->strtab);
	hash_free(eng->objstr);
}
