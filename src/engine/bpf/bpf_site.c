/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_site.c - from an enabling to programs: sites are sorted into programs by
 * class and event, and for each program it is found out which clauses its
 * sites run.  Also gathers all strings that probes may see.
 *
 * A clause has one function per program.  A site says by a bit mask which of
 * them it runs; where every site runs all (the usual case) no mask is tested.
 */
#include "engine/bpf/bpf_impl.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

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
bpf_site_str(struct engine *eng, const char *s, uint32_t *off)
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
bpf_site_objstr(struct engine *eng, const struct dif_obj *o)
{
	struct obj_key k = { .o = o };

	return (uint32_t)((uintptr_t)hash_find(eng->objstr, &k, sizeof(k)) - 1);
}

int
bpf_site_same_str(struct engine *eng, const struct dif_obj *o,
		  const struct dif_obj *as)
{
	struct obj_key k = { .o = o }, has = { .o = as };

	return hash_set(eng->objstr, &k, sizeof(k),
			hash_find(eng->objstr, &has, sizeof(has)));
}

/* ---- what objects need -------------------------------------------------- */

static void
scan_ins(struct engine *eng, dif_instr_t i)
{
	enum dif_op_faults f = dif_op_info[DIF_OP(i)].faults;
	unsigned needs = dif_instr_needs(i);

	eng->needs |= needs;
	eng->buffers |= f == DIF_FAULTS_MAY ||
			(f == DIF_FAULTS_VAR &&
			 (needs & (DIF_NEED_SCRATCH | DIF_NEED_ARGS |
				   DIF_NEED_CGROUP)) != 0);
	eng->assoc_uses +=
		DIF_OP(i) >= DIF_OP_LDGAA && DIF_OP(i) <= DIF_OP_STTAA;
}

static int
scan_strings(struct engine *eng, const struct dif_obj *o)
{
	struct obj_key k = { .o = o };
	uint32_t off;

	if (o == NULL || hash_find(eng->objstr, &k, sizeof(k)) != NULL)
		return 0;
	for (uint32_t i = 0; i < o->ntext; i++)
		scan_ins(eng, o->text[i]);
	if (str_add(eng, o->strtab, o->strlen, &off) != 0)
		return -1;
	return hash_set(eng->objstr, &k, sizeof(k),
			(void *)((uintptr_t)off + 1));
}

/* True if an object, or the recording of its value, reads the process's
   memory. */
static bool
expr_reads(const struct dif_obj *o, const struct dif_type *t)
{
	bool reads = t != NULL && (t->flags & DIF_TF_USER) != 0;

	for (uint32_t i = 0; o != NULL && i < o->ntext && !reads; i++) {
		unsigned op = DIF_OP(o->text[i]);
		reads = (op >= DIF_OP_ULDSB && op <= DIF_OP_ULDX) ||
			(dif_instr_needs(o->text[i]) & DIF_NEED_USER) != 0;
	}
	return reads;
}

static bool
clause_reads(const struct dif_clause *c)
{
	bool reads = expr_reads(c->pred, NULL);

	for (uint32_t s = 0; s < c->nstmts; s++)
		for (uint32_t i = 0; i < c->stmts[s].nexprs; i++)
			reads |= expr_reads(c->stmts[s].exprs[i].obj,
					    &c->stmts[s].exprs[i].type);
	return reads;
}

static int
scan_text(struct engine *eng, const struct dif_clause *c)
{
	eng->buffers |= c->recsize != 0;
	eng->unw.wanted |= dif_clause_walks(c);
	if (scan_strings(eng, c->pred) != 0)
		return -1;
	for (uint32_t s = 0; s < c->nstmts; s++) {
		/* stop() and the like record nothing, and may be refused. */
		eng->buffers |= dif_act_at_probe(c->stmts[s].kind);
		for (uint32_t i = 0; i < c->stmts[s].nexprs; i++) {
			const struct dif_expr *x = &c->stmts[s].exprs[i];
			/* By-reference values are read when recorded. */
			eng->buffers |= is_byref(&x->type);
			if (scan_strings(eng, x->obj) != 0)
				return -1;
		}
	}
	return 0;
}

/* ---- sites -------------------------------------------------------------- */

const struct bpf_prog *
bpf_site_own(const struct engine *eng)
{
	for (size_t i = 0; i < eng->progs.n; i++)
		if (eng->progs.v[i]->class->runs == BPF_RUNS_CONSUMER &&
		    eng->progs.v[i]->fd >= 0)
			return eng->progs.v[i];
	return NULL;
}

/* Put a new program among the others: behind those of its class. */
static int
site_prog_add(struct engine *eng, struct bpf_prog *c)
{
	size_t at;

	if (!vec_push(&eng->progs, c))
		return -1;
	for (at = eng->progs.n - 1;
	     at > 0 && eng->progs.v[at - 1]->class > c->class; at--)
		eng->progs.v[at] = eng->progs.v[at - 1];
	eng->progs.v[at] = c;
	return 0;
}

/* Stands for a program that this kernel cannot have: functions may be asked for
   by the ten thousand. */
static struct bpf_prog no_prog;

/* The program of class k for a site, which none has been asked for before;
   &no_prog if this kernel has none.  NULL: no memory. */
static struct bpf_prog *
prog_new(struct engine *eng, const struct bpf_class *k,
	 const struct dif_site *s)
{
	struct bpf_prog *c;
	uint32_t btf_id = 0;

	if (!k->have(eng, s, &btf_id))
		return &no_prog;
	c = arena_alloc(eng->arena, sizeof(*c));
	if (c == NULL)
		return NULL;
	c->btf_id = btf_id;
	c->class = k;
	c->event = k->event(s);
	c->thread = s->thread;
	c->fd = c->map.fd = c->once.fd = -1;
	eng->sleeps |= k->runs == BPF_RUNS_SLEEPS;
	return site_prog_add(eng, c) == 0 ? c : NULL;
}

/* Sites of one event and one thread have one program. */
struct event_key {
	uint32_t kind;
	int32_t val;
	char event[512];
};

/* *out: the program of class k for a site, made when its event is first met;
   NULL: this kernel has none.  -1: no memory. */
static int
class_prog(struct engine *eng, const struct bpf_class *k,
	   const struct dif_site *s, struct bpf_prog **out)
{
	struct hash **h = &eng->byevent[k - bpf_classes];
	struct event_key key = { (uint32_t)s->thread.kind,
				 (int32_t)s->thread.val, "" };
	const char *event = k->event(s);
	size_t len = strnlen(event, sizeof(key.event));

	if (*h == NULL && (*h = hash_new()) == NULL)
		return -1;
	memcpy(key.event, event, len);
	len += offsetof(struct event_key, event);
	*out = hash_find(*h, &key, len);
	if (*out == NULL) {
		*out = prog_new(eng, k, s);
		if (*out == NULL || hash_set(*h, &key, len, *out) != 0)
			return -1;
	}
	if (*out == &no_prog)
		*out = NULL;
	return 0;
}

/* True if any of the ECBs [first, end) reads the process's memory. */
static bool
ecbs_read(const struct engine *eng, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++)
		if (eng->reads[eng->en->ecbs[i].clause])
			return true;
	return false;
}

/* *out NULL: no program can serve this place.  -1: no memory. */
static int
place_prog(struct engine *eng, const struct bpf_place *pl,
	   struct bpf_prog **out)
{
	*out = NULL;
	for (unsigned i = 0; i < BPF_NCLASSES && *out == NULL; i++)
		if ((bpf_classes[i].sites & (1u << pl->kind)) != 0 &&
		    (pl->reads || bpf_classes[i].runs != BPF_RUNS_SLEEPS) &&
		    class_prog(eng, &bpf_classes[i], pl->site, out) != 0)
			return -1;
	return 0;
}

static bool
prog_has(const struct bpf_prog *c, uint32_t clause)
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

void
bpf_site_ecbs(const struct dif_enabling *en, uint32_t probe, uint32_t *first,
	      uint32_t *end)
{
	while (*first < en->necbs && en->ecbs[*first].probe < probe)
		(*first)++;
	*end = *first;
	while (*end < en->necbs && en->ecbs[*end].probe == probe)
		(*end)++;
}

/* Where a breakpoint of a program is. */
struct where_key {
	const char *path;
	uint64_t off;
	int64_t pid;
	uint64_t kind;
};

static struct where_key
where_of(const struct bpf_place *pl)
{
	return (struct where_key){ pl->site->path, pl->off, pl->site->pid,
				   pl->kind };
}

static bool
place_in_program(const struct bpf_place *pl)
{
	return dif_sites[pl->site->kind].where == DIF_AT_USER;
}

/* Probes of programs that share an instruction are of one kind of BPF program,
   or they would not fire in their order: if one reads, all do. */
static int
share_reads(struct engine *eng)
{
	struct hash *h = hash_new();
	int rc = h != NULL ? 0 : -1;

	for (size_t i = 0; rc == 0 && i < eng->places.n; i++) {
		const struct where_key k = where_of(&eng->places.v[i]);

		if (eng->places.v[i].reads &&
		    place_in_program(&eng->places.v[i]))
			rc = hash_set(h, &k, sizeof(k), h);
	}
	for (size_t i = 0; rc == 0 && i < eng->places.n; i++) {
		const struct where_key k = where_of(&eng->places.v[i]);

		if (place_in_program(&eng->places.v[i]))
			eng->places.v[i].reads |=
				hash_find(h, &k, sizeof(k)) != NULL;
	}
	hash_free(h);
	return rc;
}

static int
mark_reads(struct engine *eng, uint32_t from)
{
	const struct dif_enabling *en = eng->en;
	bool some[2] = { false, false };
	uint32_t first = 0, end;

	for (uint32_t p = from; p < en->nprobes; p++, first = end) {
		bool reads;

		bpf_site_ecbs(en, p, &first, &end);
		reads = ecbs_read(eng, first, end);
		for (uint32_t i = eng->place0[p]; i < eng->place0[p + 1]; i++) {
			eng->places.v[i].reads = reads;
			some[reads] |= place_in_program(&eng->places.v[i]);
		}
	}
	return some[0] && some[1] ? share_reads(eng) : 0;
}

/* The ECBs [first, end) fire at this place: where their clauses stand.
   *placed: DIF_PLACE_REFUSED, if there is no way in to a function. */
static int
sort_ecbs(struct engine *eng, const struct dif_probe *pr,
	  const struct bpf_place *pl, uint32_t first, uint32_t end,
	  uint8_t *placed, struct err *e)
{
	const struct dif_ecb *ecbs = eng->en->ecbs;
	struct bpf_prog *c;

	if (place_prog(eng, pl, &c) != 0)
		return err_nomem(e);
	*placed = DIF_PLACED;
	if (c == NULL && dif_sites[pl->site->kind].key == DIF_KEY_FUNCTION) {
		*placed = DIF_PLACE_REFUSED;
		return 0;
	}
	if (c == NULL && pl->kind != DIF_SITE_ERROR)
		return err_set(e, &ERR_GENERIC, 0,
			       "%s:%s:%s:%s: the kernel engine has no %s",
			       pr->prov, pr->mod, pr->func, pr->name,
			       dif_sites[pl->site->kind].text);
	for (uint32_t i = first; i < end; i++) {
		bool ok = true;
		if (c == NULL)
			ok = vec_push(&eng->errors, ecbs[i]);
		else if (!prog_has(c, ecbs[i].clause))
			ok = vec_push(&c->clauses, ecbs[i].clause);
		if (!ok)
			return err_nomem(e);
	}
	return 0;
}

/* What has become of each probe from `from` on, which is noted; those before it
   have been traced for some time. */
static int
sort_probes(struct engine *eng, uint32_t from, uint8_t *placed, struct err *e)
{
	const struct dif_enabling *en = eng->en;
	uint32_t first = 0, end;

	memset(placed, DIF_PLACED, from);
	for (uint32_t p = from; p < en->nprobes; p++, first = end) {
		const struct dif_probe *pr = &en->probes[p];
		bpf_site_ecbs(en, p, &first, &end);
		for (uint32_t i = eng->place0[p]; i < eng->place0[p + 1]; i++)
			if (sort_ecbs(eng, pr, &eng->places.v[i], first, end,
				      &placed[p], e) != 0)
				return -1;
	}
	return 0;
}

/* First pass: which clauses are in which program. */
static int
sort_clauses(struct engine *eng, uint32_t from, struct err *e)
{
	const struct dif_enabling *en = eng->en;
	uint8_t *placed = calloc(en->nprobes + (size_t)1, 1);
	uint8_t *served = calloc(en->nclauses + (size_t)1, 1);
	uint32_t bad = UINT32_MAX;
	int rc;

	if (placed == NULL || served == NULL)
		rc = err_nomem(e);
	else
		rc = sort_probes(eng, from, placed, e);
	if (rc == 0)
		bad = dif_not_left_out(en, placed, served);
	free(placed);
	free(served);
	return bad != UINT32_MAX ? bpf_kfunc_refused(eng, &en->probes[bad], e)
				 : rc;
}

static int
prog_recipes(struct bpf_prog *c, const struct dif_recipes *r, uint32_t *idx)
{
	for (*idx = 0; *idx < c->recipes.n; (*idx)++)
		if (c->recipes.v[*idx] == r)
			return 0;
	return vec_push(&c->recipes, r) ? 0 : -1;
}

static int
prog_when(struct bpf_prog *c, const struct dif_whens *w, uint32_t *idx)
{
	for (*idx = 0; *idx < c->whens.n; (*idx)++)
		if (c->whens.v[*idx] == w)
			return 0;
	return vec_push(&c->whens, w) ? 0 : -1;
}

static void
site_mask(struct bpf_prog *c, struct bpf_site *s, const struct dif_ecb *ecbs,
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
sort_site(struct engine *eng, uint32_t p, const struct bpf_place *pl,
	  uint32_t first, uint32_t end)
{
	const struct dif_site *ds = pl->site;
	const struct dif_probe *pr = &eng->en->probes[p];
	struct bpf_prog *c;
	const char *names[4] = { pr->prov, pr->mod, pr->func, pr->name };
	struct bpf_site *s;

	if (place_prog(eng, pl, &c) != 0)
		return -1;
	if (c == NULL && pl->kind != DIF_SITE_ERROR)
		return 0; /* left out */
	if (c == NULL) {
		for (int i = 0; i < 4; i++)
			if (bpf_site_str(eng, names[i], &eng->error_name[i]))
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
	s->anyone = ds->kind == DIF_SITE_TICK;
	s->alone = bpf_kfunc_alone(ds);
	c->alone |= s->alone != 0;
	s->left = ds->addr + pl->cookie;
	s->every = pr->every != 0 ? DIF_EVERY(pr->every, 0) : 0;
	eng->every |= pr->every != 0;
	s->cookie = pl->cookie;
	s->slid = pl->slid;
	for (int i = 0; i < 4; i++)
		if (bpf_site_str(eng, names[i], &s->name[i]) != 0)
			return -1;
	if (prog_recipes(c, ds->args, &s->recipes) != 0 ||
	    prog_when(c, ds->when, &s->when) != 0)
		return -1;
	c->any_pid |= ds->pid != 0;
	c->any_slid |= pl->slid != 0;
	site_mask(c, s, &eng->en->ecbs[first], end - first);
	return c->class->place(c, s, pl);
}

static int
sort_sites(struct engine *eng, uint32_t from)
{
	const struct dif_enabling *en = eng->en;
	uint32_t first = 0, end;

	for (uint32_t p = from; p < en->nprobes; p++, first = end) {
		bpf_site_ecbs(en, p, &first, &end);
		for (uint32_t i = eng->place0[p]; i < eng->place0[p + 1]; i++)
			if (sort_site(eng, p, &eng->places.v[i], first, end) !=
			    0)
				return -1;
	}
	return 0;
}

/* Members of a task that is not the current one are read by their offsets. */
static int
find_threads(struct engine *eng, struct err *e)
{
	const struct bpf_ktypes *k = &eng->kt;

	for (size_t i = 0; i < eng->places.n; i++)
		eng->threads |=
			eng->places.v[i].site->thread.kind != DIF_RCP_NONE;
	if (!eng->threads)
		return 0;
	if (bpf_feat_ktypes(eng, e) != 0)
		return -1;
	if (k->task_pid == ~0u || k->task_tgid == ~0u || k->task_comm == ~0u ||
	    k->task_cred == ~0u || k->cred_uid == ~0u || k->cred_gid == ~0u)
		return err_set(e, &ERR_GENERIC, 0,
			       "this kernel's struct task_struct is not "
			       "understood");
	return 0;
}

int
bpf_site_more(struct engine *eng, uint32_t from, struct err *e)
{
	if (mark_reads(eng, from) != 0)
		return err_nomem(e);
	if (sort_clauses(eng, from, e) != 0)
		return -1;
	for (size_t k = 0; k < eng->progs.n; k++) {
		struct bpf_prog *c = eng->progs.v[k];
		if (c->clauses.n > 1)
			qsort(c->clauses.v, c->clauses.n, sizeof(*c->clauses.v),
			      cmp_u32);
		c->nmask = (uint32_t)(c->clauses.n + 31) / 32;
		c->uniform = true;
		c->chain = 1;
	}
	return sort_sites(eng, from) != 0 ? err_nomem(e) : 0;
}

int
bpf_site_build(struct engine *eng, struct err *e)
{
	const struct dif_enabling *en = eng->en;
	uint32_t zeroes;

	eng->objstr = hash_new();
	if (eng->objstr == NULL || 
	    str_add(eng, NULL, eng->areas->str, &zeroes) != 0)
		return err_nomem(e);
	eng->reads = arena_calloc(eng->arena, en->nclauses + 1,
				  sizeof(*eng->reads));
	if (eng->reads == NULL)
		return err_nomem(e);
	for (uint32_t i = 0; i < en->nclauses; i++) {
		if (scan_text(eng, en->clauses[i]) != 0)
			return err_nomem(e);
		eng->reads[i] = clause_reads(en->clauses[i]);
		eng->needs |= eng->reads[i] ? DIF_NEED_USER : 0;
	}
	if (bpf_user_places(eng, e) != 0 || find_threads(eng, e) != 0)
		return -1;
	return bpf_site_more(eng, 0, e);
}

void
bpf_site_fini(struct engine *eng)
{
	for (size_t k = 0; k < eng->progs.n; k++) {
		struct bpf_prog *c = eng->progs.v[k];
		vec_fini(&c->clauses);
		vec_fini(&c->recipes);
		vec_fini(&c->whens);
		vec_fini(&c->sites);
		vec_fini(&c->places);
		hash_free(c->byfn);
	}
	vec_fini(&eng->progs);
	vec_fini(&eng->errors);
	bpf_user_fini(eng);
	free(eng->strtab);
	hash_free(eng->objstr);
	for (unsigned i = 0; i < BPF_NCLASSES; i++)
		hash_free(eng->byevent[i]);
}
