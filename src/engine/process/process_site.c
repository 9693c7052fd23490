/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_site.c - from the sites of an enabling to points: instructions and
 * what is to happen there.
 *
 * Each site of a probe is a group of points, which stand or fall together: a
 * return probe that misses one of a function's ways out would lie about it.
 * System calls have one point (or two) at every `syscall` instruction
 * (process_sys.c).
 *
 * Sites that run the same clauses on arguments found the same way are a class,
 * and share a handler.
 */
#include "engine/process/process_impl.h"

#include <stdlib.h>
#include <string.h>

#define SPARE_CELLS (1u << 18) /* bytes of a half, at most */

const char plan_gone[] = "no code of a file is there";
const char plan_other[] = "the process runs another program";

/* ---- functions ----------------------------------------------------------- */

static int
fn_analyse(struct engine *eng, struct plan_fn *f, uint64_t size, struct err *e)
{
	struct code_part part[8];
	uint32_t n = world_parts(f->obj, f->addr, size, part);
	struct err why = { 0 };

	if (n == 0) {
		f->why = "its size or where it is entered is not known";
		return 0;
	}
	if (code_fn_analyse(world_x86(f->obj), part, n, &f->fn, &why) == 0)
		return 0;
	if (why.tag == &ERR_NOMEM)
		return err_nomem(e);
	f->why = arena_strdup(eng->arena, why.msg);
	return f->why != NULL ? 0 : err_nomem(e);
}

int
plan_fn_get(struct engine *eng, struct world_obj *o, uint64_t addr,
	    uint64_t size, uint32_t *idx, struct err *e)
{
	struct plan *p = &eng->plan;
	uintptr_t at =
		(uintptr_t)hash_find(p->fn_by_addr, &addr, sizeof(addr));
	struct plan_fn f = { .addr = addr, .obj = o };

	if (at != 0) {
		*idx = (uint32_t)(at - 1);
		return 0;
	}
	if (!known_find(eng, &f)) {
		if (fn_analyse(eng, &f, size, e) != 0)
			return -1;
		known_add(eng, &f);
	}
	world_obj_note(o)->planned = true;
	*idx = (uint32_t)p->fns.n;
	if (!vec_push(&p->fns, f)) {
		code_fn_fini(&f.fn);
		return err_nomem(e);
	}
	if (hash_set(p->fn_by_addr, &addr, sizeof(addr),
		     (void *)((uintptr_t)*idx + 1)) != 0)
		return err_nomem(e);
	return 0;
}

/* ---- classes ------------------------------------------------------------- */

static const enum x86_at site_at[DIF_NSITES] = {
	[DIF_SITE_UENTRY] = X86_AT_ENTRY,
	[DIF_SITE_URETURN] = X86_AT_RETURN,
	[DIF_SITE_UINSN] = X86_AT_INSN,
	[DIF_SITE_SYSENTRY] = X86_AT_SYSENTRY,
	[DIF_SITE_SYSRETURN] = X86_AT_SYSRETURN,
};

/* The class of a site whose probe has the ECBs [ecb0, ecb0 + n). */
static int
class_get(struct engine *eng, const struct dif_site *s, uint32_t ecb0,
	  uint32_t n, uint32_t *idx, struct err *e)
{
	struct plan *p = &eng->plan;
	enum x86_at at = site_at[s->kind];
	struct buf key = BUF_INIT;
	uintptr_t i;

	buf_write(&key, &s->args, sizeof(s->args));
	buf_write(&key, &s->when, sizeof(s->when));
	buf_write(&key, &at, sizeof(at));
	for (uint32_t k = 0; k < n; k++)
		buf_write(&key, &eng->en->ecbs[ecb0 + k].clause,
			  sizeof(eng->en->ecbs->clause));
	if (key.failed) {
		buf_fini(&key);
		return err_nomem(e);
	}
	i = (uintptr_t)hash_find(p->class_by_key, key.p, key.n);
	*idx = (uint32_t)(i - 1);
	if (i == 0) {
		struct plan_class c = {
			.in = { eng->en, ecb0, n, s->args, at, s->when },
			.sys = at == X86_AT_SYSENTRY || at == X86_AT_SYSRETURN
		};
		*idx = (uint32_t)p->classes.n;
		if (!vec_push(&p->classes, c) ||
		    hash_set(p->class_by_key, key.p, key.n,
			     (void *)((uintptr_t)*idx + 1)) != 0) {
			buf_fini(&key);
			return err_nomem(e);
		}
	}
	buf_fini(&key);
	return 0;
}

/* ---- points -------------------------------------------------------------- */

int
plan_point_add(struct plan *p, const struct plan_point *pt)
{
	struct plan_point x = *pt;

	x.seq = (uint32_t)p->points.n;
	x.window = x.direct = PLAN_NONE;
	return vec_push(&p->points, x) ? 0 : -1;
}

void
plan_refuse(struct plan *p, uint32_t group, const char *why)
{
	if (p->groups.v[group].why == NULL)
		p->groups.v[group].why = why != NULL ? why : "no room";
}

static int
site_returns(struct engine *eng, const struct plan_point *pt, struct err *e)
{
	struct plan *p = &eng->plan;
	const struct plan_fn *f = &p->fns.v[pt->fn];

	if (!f->fn.outs_all)
		plan_refuse(p, pt->group,
			    f->fn.why != NULL ? f->fn.why :
						"not all of its ways out are "
						"known");
	for (size_t i = 0; f->fn.outs_all && i < f->fn.outs.n; i++) {
		struct plan_point x = *pt;
		x.addr = f->fn.outs.v[i].addr;
		x.cookie = x.addr - f->addr;
		if (f->fn.outs.v[i].kind != CODE_OUT_RET)
			x.cookie |= DIF_COOKIE_LEFT;
		x.after = f->fn.outs.v[i].kind == CODE_OUT_FALL;
		if (plan_point_add(p, &x) != 0)
			return err_nomem(e);
	}
	return 0;
}

static int
site_user(struct engine *eng, const struct dif_site *s, uint32_t group,
	  struct err *e)
{
	struct plan *p = &eng->plan;
	struct world_obj *o = world_at(&eng->world, s->addr);
	struct plan_point pt = { .addr = s->addr,
				 .group = group,
				 .at = site_at[s->kind],
				 .cookie = s->cookie };
	uint64_t fn = s->fn;

	if (o == NULL || !world_obj_is(o, s->path, s->bias)) {
		plan_refuse(p, group, plan_gone);
		return 0;
	}
	if (fn == 0)
		fn = world_fn_of(o, s->addr);
	if (fn == 0) {
		plan_refuse(p, group, "it is in no function that is known");
		return 0;
	}
	if (plan_fn_get(eng, o, fn, s->fn != 0 ? s->fn_size : 0, &pt.fn, e))
		return -1;
	if (p->fns.v[pt.fn].why != NULL) {
		plan_refuse(p, group, p->fns.v[pt.fn].why);
		return 0;
	}
	if (pt.at == X86_AT_INSN && plan_no_stack(&p->fns.v[pt.fn], pt.addr)) {
		plan_refuse(p, group, "the thread may have no stack there any "
				      "more");
		return 0;
	}
	if (s->kind == DIF_SITE_URETURN)
		return site_returns(eng, &pt, e);
	return plan_point_add(p, &pt) == 0 ? 0 : err_nomem(e);
}

static int
site_sys(struct engine *eng, const struct plan_group *g, struct err *e)
{
	struct plan *p = &eng->plan;
	bool ret = g->site->kind == DIF_SITE_SYSRETURN;
	uint32_t *at;

	if (g->site->num >= RTN_NSYS)
		return 0; /* no such call */
	/* In order of the enabling. */
	at = &p->sys_group[g->site->num][ret];
	while (*at != PLAN_NONE)
		at = &p->groups.v[*at].next;
	*at = (uint32_t)(g - p->groups.v);
	*(ret ? &p->sys_return : &p->sys_entry) = true;
	return 0;
}

bool
plan_elsewhere(const struct engine *eng, const struct dif_site *s)
{
	return s->pid != 0 && s->pid != eng->pid;
}

static int
site_add(struct engine *eng, uint32_t probe, const struct dif_site *s,
	 uint32_t ecb0, uint32_t n, struct err *e)
{
	struct plan *p = &eng->plan;
	struct plan_group g = { .probe = probe, .site = s, .ecb0 = ecb0,
				.next = PLAN_NONE };
	const struct dif_probe *pr = &eng->en->probes[probe];
	const struct dif_site_info *info = &dif_sites[s->kind];

	if ((info->engines & DIF_ENG_P) == 0)
		return err_set(e, &ERR_GENERIC, 0,
			       "%s:%s:%s:%s: the process engine has no %s",
			       pr->prov, pr->mod, pr->func, pr->name,
			       info->text);
	p->tree |= info->where == DIF_AT_TREE;
	if (dif_where_host(info->where))
		return 0; /* fires in the consumer */
	if (plan_elsewhere(eng, s))
		return 0; /* plan_join() */
	if (class_get(eng, s, ecb0, n, &g.cls, e) != 0)
		return -1;
	if (!vec_push(&p->groups, g))
		return err_nomem(e);
	if (info->where == DIF_AT_CALL)
		return site_sys(eng, &p->groups.v[p->groups.n - 1], e);
	return site_user(eng, s, (uint32_t)p->groups.n - 1, e);
}

int
plan_sites(struct engine *eng, struct err *e)
{
	const struct dif_enabling *en = eng->en;
	uint32_t ecb = 0;

	for (uint32_t p = 0; p < en->nprobes; p++) {
		uint32_t ecb0;

		while (ecb < en->necbs && en->ecbs[ecb].probe < p)
			ecb++;
		ecb0 = ecb;
		while (ecb < en->necbs && en->ecbs[ecb].probe == p)
			ecb++;
		for (uint32_t s = 0; ecb > ecb0 && s < en->probes[p].nsites;
		     s++)
			if (site_add(eng, p, &en->probes[p].sites[s], ecb0,
				     ecb - ecb0, e) != 0)
				return -1;
	}
	return 0;
}

int
plan_sites_of(struct engine *eng, const struct engine_site *v, size_t n,
	      struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t end, ecb0 = dif_probe_ecbs(eng->en, v[i].probe, &end);

		if (end != ecb0 && site_add(eng, v[i].probe, &v[i].site, ecb0,
					    end - ecb0, e) != 0)
			return -1;
	}
	return 0;
}

/* ---- the dynamic linker -------------------------------------------------- */

/*
 * It calls an empty function, for debuggers, when its list of objects is about
 * to change and when that is done: before the new ones are relocated, and so
 * before anything of them runs.  Where it has no such function, or no room for
 * a probe in it, new objects are noticed some time later.
 */
int
plan_maps(struct engine *eng, struct err *e)
{
	struct plan_point pt = { .group = PLAN_NONE, .at = X86_AT_ENTRY };
	struct plan *p = &eng->plan;
	struct world_obj *o;

	p->maps_brk = 0;
	if (!world_symbol(&eng->world, "_dl_debug_state", &pt.addr) ||
	    (o = world_at(&eng->world, pt.addr)) == NULL)
		return 0;
	if (plan_fn_get(eng, o, pt.addr, 0, &pt.fn, e) != 0)
		return -1;
	if (p->fns.v[pt.fn].why != NULL)
		return 0;
	p->maps_brk = pt.addr;
	return plan_point_add(p, &pt) == 0 ? 0 : err_nomem(e);
}

/* ---- cells of constant keys ---------------------------------------------- */

/* Who has the cells: of programs and targets that came later, their root. */
static struct engine *
cells_owner(struct engine *eng)
{
	return eng->root != NULL ? eng->root : eng;
}

/* True if all its keys are names of the probe. */
static bool
stmt_static(const struct dif_stmt *s)
{
	if (!DIF_ACT_IS_AGG(s->kind) || s->nkeys == 0)
		return false;
	for (uint32_t k = 0; k < s->nkeys; k++)
		if (s->exprs[k].src != DIF_SRC_NAME)
			return false;
	return true;
}

/* Where the next counter is, from the machine. */
static uint32_t
solo_next(const struct plan *p)
{
	return SHARED_SOLO0 + (uint32_t)p->solos.n * 8;
}

static int
static_add(struct engine *eng, uint32_t probe, const struct dif_stmt *s,
	   bool solo, struct err *e)
{
	const struct dif_aggvar *a = eng->en->tab->aggs[s->agg];
	struct engine *own = cells_owner(eng);
	uint8_t *key = arena_alloc(own->arena, a->keysize);
	struct plan *p = &own->plan;
	struct rt_static_cell c = { .agg = s->agg,
				    .off = p->cells_next,
				    .key = key };

	if (solo)
		c.off = solo_next(p);
	else
		p->cells_next += 8 + a->words * 8;
	if (key == NULL ||
	    !(solo ? vec_push(&p->solos, c) : vec_push(&p->statics, c)))
		return err_nomem(e);
	for (uint32_t k = 0; k < s->nkeys; k++)
		memcpy(key + s->exprs[k].off, &eng->en->probes[probe].id, 4);
	return 0;
}

/* The counter of an aggregation without keys, which all handlers share. */
static int
solo_fixed(struct engine *eng, const struct dif_stmt *s, struct err *e)
{
	struct plan *p = &cells_owner(eng)->plan;
	struct rt_static_cell c = { .agg = s->agg,
				    .off = solo_next(p),
				    .key = (const uint8_t *)"" };

	if (p->solo_fixed[s->agg] != 0)
		return 0;
	p->solo_fixed[s->agg] = c.off;
	return vec_push(&p->solos, c) ? 0 : err_nomem(e);
}

/* True if there is room for what a group's clauses may take. */
static bool
static_room(struct engine *eng, const struct plan_group *g)
{
	const struct plan *p = &cells_owner(eng)->plan;
	const struct x86_handler_in *in = &eng->plan.classes.v[g->cls].in;
	bool solo = in->when == NULL &&
		    x86_solo(eng->en, g->ecb0, in->necbs);
	uint32_t bytes = 0, words = 0;

	if (p->cells[g->probe] != 0)
		return true; /* it has them */

	for (uint32_t i = 0; i < in->necbs; i++) {
		const struct dif_clause *c =
			eng->en->clauses[eng->en->ecbs[g->ecb0 + i].clause];
		for (uint32_t k = 0; k < c->nstmts; k++)
			if (solo)
				words++;
			else if (stmt_static(&c->stmts[k]))
				bytes += 8 + eng->en->tab->aggs[c->stmts[k].agg]
						     ->words * 8;
	}
	return p->cells_next + bytes <= p->cells_max &&
	       p->solos.n + words <= p->solos_max;
}

/* Handlers that only count never look where they are. */
static bool
counts_only(const struct engine *eng, const struct plan_group *g)
{
	const struct x86_handler_in *in = &eng->plan.classes.v[g->cls].in;

	return eng->opts.only_cpu < 0 && in->when == NULL &&
	       x86_solo(eng->en, g->ecb0, in->necbs);
}

/* Cells of the probe of a group, if it has none yet. */
static int
static_probe(struct engine *eng, const struct plan_group *g, struct err *e)
{
	const struct x86_handler_in *in = &eng->plan.classes.v[g->cls].in;
	bool solo = counts_only(eng, g);
	const struct plan *p = &cells_owner(eng)->plan;
	uint32_t first = 0;

	if (p->cells[g->probe] != 0)
		return 0;
	for (uint32_t i = 0; i < in->necbs; i++) {
		const struct dif_clause *c =
			eng->en->clauses[eng->en->ecbs[g->ecb0 + i].clause];
		for (uint32_t k = 0; k < c->nstmts; k++) {
			const struct dif_stmt *s = &c->stmts[k];
			uint32_t at = solo ? solo_next(p) : p->cells_next;

			if (stmt_static(s)) {
				first = first != 0 ? first : at;
				if (static_add(eng, g->probe, s, solo, e))
					return -1;
			}
		}
	}
	p->cells[g->probe] = first;
	return 0;
}

/* Fixed ones are all before, so that those of a probe are together. */
static int
solo_fixed_all(struct engine *eng, const struct plan_group *g, struct err *e)
{
	uint32_t n = eng->plan.classes.v[g->cls].in.necbs;

	if (!counts_only(eng, g))
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct dif_clause *c =
			eng->en->clauses[eng->en->ecbs[g->ecb0 + i].clause];
		for (uint32_t k = 0; k < c->nstmts; k++)
			if (c->stmts[k].nkeys == 0 &&
			    solo_fixed(eng, &c->stmts[k], e) != 0)
				return -1;
	}
	return 0;
}

int
plan_statics_of(struct engine *eng, uint32_t first, struct err *e)
{
	struct plan *p = &eng->plan;

	for (size_t i = first; i < p->groups.n; i++)
		if (p->groups.v[i].why == NULL &&
		    !static_room(eng, &p->groups.v[i]))
			plan_refuse(p, (uint32_t)i,
				    "there is no room left for the cells of "
				    "its aggregations");
	for (size_t i = first; i < p->groups.n; i++)
		if (p->groups.v[i].why == NULL &&
		    solo_fixed_all(eng, &p->groups.v[i], e) != 0)
			return -1;
	for (size_t i = first; i < p->groups.n; i++)
		if (p->groups.v[i].why == NULL &&
		    static_probe(eng, &p->groups.v[i], e) != 0)
			return -1;
	if (eng->root != NULL)
		shared_cells_seen(eng->root);
	return 0;
}

/* Probes that come later: those of what is mapped, and those whose places are
   in other targets, which have the same memory. */
static uint32_t
probes_to_come(const struct engine *eng)
{
	const struct dif_enabling *en = eng->en;
	uint32_t n = eng->opts.spare_probes;

	for (uint32_t p = 0; eng->opts.ntargets > 1 && p < en->nprobes; p++)
		for (uint32_t s = 0; s < en->probes[p].nsites; s++) {
			if (en->probes[p].sites[s].pid == eng->pid)
				continue;
			n++;
			break;
		}
	return n;
}

/* Room for the cells of probes that come later, as all clauses could take. */
static uint32_t
static_spare(const struct engine *eng)
{
	uint64_t each = 0;

	for (uint32_t i = 0; i < eng->en->nclauses; i++)
		for (uint32_t k = 0; k < eng->en->clauses[i]->nstmts; k++) {
			const struct dif_stmt *s =
				&eng->en->clauses[i]->stmts[k];
			if (stmt_static(s))
				each += 8 + eng->en->tab->aggs[s->agg]->words *
						    8ull;
		}
	each *= probes_to_come(eng);
	return each < SPARE_CELLS ? (uint32_t)each : SPARE_CELLS;
}

int
plan_statics(struct engine *eng, struct err *e)
{
	struct plan *p = &eng->plan;
	const struct dif_tab *tab = eng->en->tab;
	struct rt_agg_layout lay;

	p->cells = arena_calloc(eng->arena,
				eng->en->nprobes + eng->opts.spare_probes + 1ul,
				sizeof(*p->cells));
	eng->agg_fixed = arena_calloc(eng->arena, tab->naggs + 1,
				      sizeof(*eng->agg_fixed));
	p->solo_fixed = arena_calloc(eng->arena, tab->naggs + 1,
				     sizeof(*p->solo_fixed));
	if (p->cells == NULL || eng->agg_fixed == NULL ||
	    p->solo_fixed == NULL)
		return err_nomem(e);
	rt_agg_layout(tab, 4096, eng->agg_fixed, &lay);
	p->cells_next = lay.fixed_end;
	p->cells_max = p->solos_max = UINT32_MAX;
	if (plan_statics_of(eng, 0, e) != 0)
		return -1;
	p->cells_max = p->cells_next + static_spare(eng);
	p->cells_size = p->cells_max - lay.fixed_end;
	p->solos_max = (uint32_t)p->solos.n + probes_to_come(eng);
	return 0;
}
