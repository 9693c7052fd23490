/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * interp_fire.c - a probe fires: its clauses run in order, and leave records,
 * aggregation cells and errors in the shared memory of rt.h.
 *
 * For each clause: is the trace in a state to run it; predicate; room for the
 * whole record; the statements; publish.  A fault abandons the clause and its
 * record (what it aggregated before stays), is recorded as an error, and fires
 * the ERROR probe; the clauses after it run.  speculate() of a speculation that
 * is not active abandons the clause and its record, and nothing else.  A fault
 * in an ERROR clause is only counted.
 */
#include "engine/interp/interp_impl.h"

#include <stdlib.h>
#include <string.h>

#include "rt/engine.h"
#include "rt/rt_rec.h"

struct fire {
	struct rt *rt;
	const struct rt_view *v;
	const struct dif_enabling *en;
	const struct dif_clause *cl;
};

static bool
faulted(const struct fire *f)
{
	return f->rt->fault != DIF_FAULT_NONE;
}

/* ---- the principal buffer ------------------------------------------------ */

/* Room for n bytes, *end being the head once they are written; or NULL. */
static uint8_t *
reserve(const struct fire *f, uint32_t n, uint64_t *end)
{
	uint8_t *p = rt_rec_room(f->rt, f->v->ctl,
				 f->v->buf != NULL ? f->v->buf[0] : NULL,
				 f->v->bufsize, f->v->bufpolicy, n);

	*end = f->rt->rec_end;
	return p;
}

/* The CPU of a record: where slots are CPUs, the slot says it. */
static uint32_t
record_cpu(const struct fire *f)
{
	return f->v->thread_slots ? f->rt->cpu : 0;
}

static void
publish(const struct fire *f, uint64_t end)
{
	__atomic_store_n(&f->rt->head, end, __ATOMIC_RELEASE);
}

/* ---- values -------------------------------------------------------------- */

static void
value_string(const struct fire *f, const struct dif_expr *e, uint64_t addr,
	     uint8_t *dst)
{
	long n = (e->type.flags & DIF_TF_USER) != 0
			 ? rt_uread_str(f->rt, dst, e->size, addr)
			 : rt_read_str(f->rt, dst, e->size, addr);

	if (n < 0)
		rt_fail(f->rt, DIF_FAULT_BADADDR, addr);
	else
		memset(dst + n, 0, e->size - (size_t)n);
}

static void
value_bytes(const struct fire *f, const struct dif_expr *e, uint64_t addr,
	    uint8_t *dst)
{
	long rc = (e->type.flags & DIF_TF_USER) != 0
			  ? rt_uread(f->rt, dst, e->size, addr)
			  : rt_read(f->rt, dst, e->size, addr);

	if (rc != 0)
		rt_fail(f->rt, DIF_FAULT_BADADDR, addr);
}

/* A scalar of its type's size, extended to the place it has. */
static void
interp_scalar(const struct dif_expr *e, uint64_t val, uint8_t *dst)
{
	if (e->type.size > 0 && e->type.size < 8) {
		unsigned drop = 64 - e->type.size * 8;
		val <<= drop;
		val = (e->type.flags & DIF_TF_SIGNED) != 0
			      ? (uint64_t)((int64_t)val >> drop)
			      : val >> drop;
	}
	memcpy(dst, &val, e->size < 8 ? e->size : 8);
}

static uint64_t
current_pid(const struct fire *f)
{
	return interp_var_load(f->rt, DIF_SCOPE_GLOBAL, DIF_VAR_pid);
}

/* e->arg frames from dst on; those that the host does not have stay zero. */
static void
value_stack(const struct fire *f, const struct dif_expr *e, bool user,
	    uint8_t *dst)
{
	struct rt_host *h = interp_host(f->rt);

	if (h->stack != NULL)
		h->stack(h->mem.arg, user, (uint64_t *)dst, e->arg);
}

/* Evaluate e and put it at dst (e->size bytes, zero before). */
static void
value_put(const struct fire *f, const struct dif_expr *e, uint8_t *dst)
{
	struct rt *rt = f->rt;
	uint64_t val = e->obj != NULL ? interp_run(rt, e->obj) : 0;
	uint64_t pid;

	if (faulted(f))
		return;
	switch (e->src) {
	case DIF_SRC_OBJ:
		if (e->type.kind == DIF_TYPE_STRING)
			value_string(f, e, val, dst);
		else if ((e->type.flags & DIF_TF_BYREF) != 0)
			value_bytes(f, e, val, dst);
		else
			interp_scalar(e, val, dst);
		break;
	case DIF_SRC_NAME:
		memcpy(dst, &rt->probe_id, 4);
		break;
	case DIF_SRC_STACK:
		value_stack(f, e, false, dst);
		break;
	case DIF_SRC_USTACK:
		pid = current_pid(f);
		memcpy(dst, &pid, 8);
		value_stack(f, e, true, dst + 8);
		break;
	case DIF_SRC_SYM:
		memcpy(dst, &val, 8);
		break;
	case DIF_SRC_USYM:
		pid = current_pid(f);
		memcpy(dst, &pid, 8);
		memcpy(dst + 8, &val, 8);
		break;
	}
}

/* ---- aggregations -------------------------------------------------------- */

/* The cell without keys: a used word, then the words. */
static uint64_t *
interp_cell_fixed(const struct fire *f, const struct dif_aggvar *a,
		  uint32_t idx)
{
	uint64_t half = rt_view_half(f->v) * (f->v->aggsize / 2);
	uint64_t *p = (uint64_t *)(f->v->agg[0] + half + f->v->agg_fixed[idx]);

	if (*p == 0) {
		*p = 1;
		rt_agg_start(p + 1, a->func);
	}
	return p + 1;
}

/* The cell of the key that is staged; NULL after counting a drop. */
static uint64_t *
interp_cell_keyed(const struct fire *f, const struct dif_aggvar *a)
{
	struct interp *in = (struct interp *)f->rt;

	memcpy(in->rt.key, in->stage, a->keysize);
	uint64_t at = rt_agg_cell(&in->rt, a->id, a->keysize,
				  (uint64_t)a->words * 8);
	if (at == 0)
		return NULL;
	uint64_t *cell = (uint64_t *)(f->v->agg[0] + (uint32_t)at);
	if ((at & RT_AGG_NEW) != 0)
		rt_agg_start(cell, a->func);
	return cell;
}

/* Keys are staged: evaluating the next one may use rt->key. */
static void
agg_keys(const struct fire *f, const struct dif_stmt *st, uint32_t keysize)
{
	struct interp *in = (struct interp *)f->rt;

	if (keysize > sizeof(in->stage)) {
		rt_fail(f->rt, DIF_FAULT_NOSCRATCH, 0);
		return;
	}
	memset(in->stage, 0, keysize);
	for (uint32_t k = 0; k < st->nkeys && !faulted(f); k++)
		value_put(f, &st->exprs[k], in->stage + st->exprs[k].off);
}

static void
stmt_agg(const struct fire *f, const struct dif_stmt *st)
{
	const struct dif_aggvar *a = f->en->tab->aggs[st->agg];
	uint64_t v[2] = { 0, 1 }; /* value, increment */

	agg_keys(f, st, a->keysize);
	for (uint32_t i = st->nkeys; i < st->nexprs && !faulted(f); i++)
		if (i - st->nkeys < 2)
			v[i - st->nkeys] = interp_run(f->rt, st->exprs[i].obj);
	if (faulted(f))
		return;
	uint64_t *cell = a->keysize == 0 ? interp_cell_fixed(f, a, st->agg)
					 : interp_cell_keyed(f, a);
	if (cell == NULL)
		return;
	const struct rt_aggop op = { .func = a->func, .arg = a->arg,
				     .inc = v[1],
				     .zero = dif_agg_zero(a->func, a->arg) };
	rt_agg_add(f->rt, (uintptr_t)cell, v[0], &op);
}

/* ---- statements ---------------------------------------------------------- */

static void
interp_exit(const struct fire *f, const struct dif_expr *e, const uint8_t *rec)
{
	struct rt_ctl *ctl = f->v->ctl;
	int32_t status = 0;

	if (rec != NULL)
		memcpy(&status, rec + e->off, e->size < 4 ? e->size : 4);
	if (!ctl->exited)
		ctl->exit_status = status;
	__atomic_store_n(&ctl->exited, 1, __ATOMIC_RELEASE);
	ctl->wanted = 1;
	if (ctl->activity < RT_ACT_DRAINING)
		ctl->activity = RT_ACT_DRAINING;
}

/* What acts on the process that fires (only the host knows how), or waits. */
static void
act_at_probe(const struct fire *f, const struct dif_stmt *st, uint8_t *rec)
{
	struct rt_host *h = interp_host(f->rt);
	uint64_t val = 0;

	if (st->nexprs != 0)
		val = interp_run(f->rt, st->exprs[0].obj);
	if (faulted(f))
		return;
	if (st->nexprs != 0 && rec != NULL)
		interp_scalar(&st->exprs[0], val, rec + st->exprs[0].off);
	if (st->kind == DIF_ACT_CHILL)
		rt_chill(f->rt, val);
	else if (h->act != NULL && !h->act(h->mem.arg, st->kind, val))
		rt_fail(f->rt, DIF_FAULT_ILLOP, 0);
}

/* speculate(), commit(), discard(): true if the clause goes on. */
static bool
interp_spec(const struct fire *f, const struct dif_stmt *st, uint8_t *rec)
{
	uint64_t id = interp_run(f->rt, st->exprs[0].obj);

	if (faulted(f))
		return true;
	if (st->kind != DIF_ACT_SPECULATE) {
		rt_spec_end(f->rt, id,
			    st->kind == DIF_ACT_COMMIT ? RT_SPEC_COMMITTED
						       : RT_SPEC_DISCARDED);
		return true;
	}
	if (rt_spec_active(f->rt, id) == 0)
		return false;
	if (rec != NULL)
		((struct rt_rec *)rec)->spec = (uint16_t)id;
	return true;
}

/* false: a speculation that is not active; the clause ends silently. */
static bool
stmt_run(const struct fire *f, const struct dif_stmt *st, uint8_t *rec)
{
	if (DIF_ACT_IS_AGG(st->kind)) {
		stmt_agg(f, st);
		return true;
	}
	if (DIF_ACT_IS_SPEC(st->kind))
		return interp_spec(f, st, rec);
	if (dif_act_at_probe(st->kind)) {
		act_at_probe(f, st, rec);
		return true;
	}
	for (uint32_t i = 0; i < st->nexprs && !faulted(f); i++) {
		if (st->kind == DIF_ACT_NONE || rec == NULL)
			interp_run(f->rt, st->exprs[i].obj);
		else
			value_put(f, &st->exprs[i], rec + st->exprs[i].off);
	}
	if (st->kind == DIF_ACT_EXIT && !faulted(f))
		interp_exit(f, st->nexprs == 0 ? NULL : st->exprs,
			 st->nexprs == 0 ? NULL : rec);
	return true;
}

static void
clause_run(const struct fire *f)
{
	struct rt *rt = f->rt;
	const struct dif_clause *cl = f->cl;
	uint64_t end = 0;
	uint8_t *rec = NULL;

	rt->fault = DIF_FAULT_NONE;
	rt->fault_action = 0;
	rt->scratch = 0;
	if (cl->pred != NULL && (interp_run(rt, cl->pred) == 0 || faulted(f)))
		return;
	if (cl->recsize != 0) {
		rec = reserve(f, cl->recsize, &end);
		if (rec == NULL)
			return;
		memset(rec, 0, cl->recsize);
		*(struct rt_rec *)rec = (struct rt_rec){
			.epid = rt->epid, .cpu = (uint16_t)record_cpu(f),
			.time = rt_timestamp(rt)
		};
	}
	for (uint32_t i = 0; i < cl->nstmts && !faulted(f); i++) {
		rt->fault_action = i + 1;
		if (!stmt_run(f, &cl->stmts[i], rec))
			return;
	}
	if (rec != NULL && !faulted(f))
		publish(f, end);
}

/* ---- which clauses run --------------------------------------------------- */

static bool
may_run(const struct fire *f, const struct dif_probe *p)
{
	uint32_t now = f->v->ctl->activity;

	switch (p->nsites == 0 ? DIF_NSITES : p->sites[0].kind) {
	case DIF_SITE_BEGIN:
		return now == RT_ACT_INACTIVE;
	case DIF_SITE_END:
		return now == RT_ACT_DRAINING;
	case DIF_SITE_ERROR:
		return true;
	default:
		return now == RT_ACT_ACTIVE;
	}
}

static void fault_report(struct fire *f);

static void
probe_run(struct fire *f, uint32_t probe)
{
	struct rt *rt = f->rt;
	const struct dif_probe *p = &f->en->probes[probe];
	uint32_t end;

	rt->probe = probe;
	rt->probe_id = p->id;
	for (uint32_t i = dif_probe_ecbs(f->en, probe, &end); i < end; i++) {
		const struct dif_ecb *ecb = &f->en->ecbs[i];
		if (!may_run(f, p))
			continue;
		f->cl = f->en->clauses[ecb->clause];
		rt->epid = ecb->epid;
		clause_run(f);
		if (faulted(f))
			fault_report(f);
	}
}

/* ---- faults -------------------------------------------------------------- */

static void
interp_fault_record(const struct fire *f)
{
	struct rt *rt = f->rt;
	uint64_t end;
	struct rt_error_rec *r = (void *)reserve(f, sizeof(*r), &end);

	if (r == NULL)
		return;
	*r = (struct rt_error_rec){
		.rec = { .epid = RT_EPID_ERROR, .cpu = (uint16_t)record_cpu(f),
			 .time = rt_timestamp(rt) },
		.epid = rt->epid,
		.action = rt->fault_action,
		.difoff = rt->fault_off,
		.fault = rt->fault,
		.val = rt->fault_val,
	};
	publish(f, end);
}

/* The ERROR clauses run as a firing within the firing. */
static void
interp_fault_clauses(const struct fire *f)
{
	struct rt *rt = f->rt;
	struct fire inner = *f;
	struct rt_faulted outer;

	rt_fault_begin(rt, &outer);
	for (uint32_t p = 0; p < f->en->nprobes; p++)
		if (f->en->probes[p].nsites > 0 &&
		    f->en->probes[p].sites[0].kind == DIF_SITE_ERROR)
			probe_run(&inner, p);
	rt_fault_end(rt, &outer);
}

static void
fault_report(struct fire *f)
{
	struct rt *rt = f->rt;

	if (rt->in_error) {
		rt->drops[RT_DROP_DBLERROR]++;
		return;
	}
	rt->errors++;
	if (dif_fault_value(rt->fault) == DIF_FV_NONE)
		rt->fault_val = 0;
	interp_fault_record(f);
	interp_fault_clauses(f);
	rt->fault = DIF_FAULT_NONE;
}

void
interp_fire(struct rt *rt, const struct rt_view *v, uint32_t probe)
{
	struct fire f = { .rt = rt, .v = v, .en = interp_host(rt)->en };

	rt->firings++;
	rt->now = interp_host(rt)->time;
	rt->in_error = 0;
	memset(rt->locals, 0, f.en->tab->locals_size);
	probe_run(&f, probe);
}

/* ---- a view of one slot -------------------------------------------------- */

static int
view_aggs(struct rt_view *v, struct interp *in, struct err *e)
{
	const struct dif_tab *tab = interp_host(&in->rt)->tab;
	struct rt_agg_layout lay;
	uint32_t *fixed = calloc(tab->naggs + 1, sizeof(*fixed));

	if (fixed == NULL)
		return err_nomem(e);
	v->agg_fixed = fixed;
	rt_agg_layout(tab, v->aggsize / 2, fixed, &lay);
	if (lay.entries_off > v->aggsize / 2)
		return err_set(e, &ERR_GENERIC, 0,
			       "aggregation buffer is too small: %u bytes are "
			       "needed, aggsize is %llu", lay.entries_off * 2,
			       (unsigned long long)v->aggsize);
	v->agg_buckets_off = in->conf.agg_buckets_off = lay.buckets_off;
	v->agg_nbuckets = in->conf.agg_nbuckets = lay.nbuckets;
	v->agg_entries_off = in->conf.agg_entries_off = lay.entries_off;
	in->conf.aggsize = (uint32_t)v->aggsize;
	in->conf.agg_halfsize = (uint32_t)(v->aggsize / 2);
	return 0;
}

int
interp_view_init(struct rt_view *v, struct rt *rt, uint64_t bufsize,
		 uint64_t aggsize, struct err *e)
{
	struct interp *in = (struct interp *)rt;
	struct rt_host *h = interp_host(rt);

	*v = (struct rt_view){ .nslots = 1, .ncpus = 1, .bufsize = bufsize,
			       .aggsize = aggsize };
	v->rt = calloc(1, sizeof(*v->rt));
	v->buf = calloc(1, sizeof(*v->buf));
	v->agg = calloc(1, sizeof(*v->agg));
	v->ctl = calloc(1, sizeof(*v->ctl));
	if (v->rt == NULL || v->buf == NULL || v->agg == NULL ||
	    v->ctl == NULL || (v->buf[0] = calloc(1, bufsize)) == NULL ||
	    (v->agg[0] = calloc(1, aggsize)) == NULL) {
		interp_view_fini(v);
		return err_nomem(e);
	}
	if (view_aggs(v, in, e) != 0) {
		interp_view_fini(v);
		return -1;
	}
	v->rt[0] = rt;
	h->mem.conf = &in->conf;
	h->mem.ctl = v->ctl;
	h->mem.agg = v->agg;
	return 0;
}

void
interp_view_fini(struct rt_view *v)
{
	if (v->buf != NULL)
		free(v->buf[0]);
	if (v->agg != NULL)
		free(v->agg[0]);
	free(v->rt);
	free(v->buf);
	free(v->agg);
	free(v->ctl);
	free((void *)(uintptr_t)v->agg_fixed);
	*v = (struct rt_view){ 0 };
}
