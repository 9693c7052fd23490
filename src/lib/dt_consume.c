/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_consume.c - records, in order of time over all slots, statement by
 * statement.
 *
 * Order: each slot's buffer is in order of time already, so the slots of all
 * engines are merged by a heap on the time stamp of their next record.  A probe
 * stamps its record before it publishes it; so that none is overtaken by one
 * published earlier but stamped later, records younger than ORDER_SLACK wait
 * for the next call, except in the last.
 *
 * Speculative records are set aside (dt_spec.c) until the merge comes to the
 * time at which their speculation was committed.
 *
 * Processes that have ended have their places among the records (structured
 * output).
 *
 * Without the option temporal, the slots of one CPU (or thread) are read after
 * those of the other.
 *
 * Under the policies fill and ring nothing is read before tracing has ended.
 *
 * A traced process can change a record while it is read.  So it is copied first
 * and all is done with the copy, of which only the clause and its size must be
 * what they were; its values may be any bytes.
 */
#include "lib/dt_impl.h"

#include <stdlib.h>
#include <string.h>

#define USER_MIN 65536u /* addresses of processes */
#define USER_MAX (UINT64_C(1) << 47)
#define ORDER_SLACK 2000000u /* ns: longest time a probe may take, nearly */

struct head {
	const struct rt_rec *rec; /* in the buffer; then the copy */
	uint64_t time;
	uint32_t epid, size; /* of rec, as they were first read */
	const struct dt_engine *de;
	const struct rt_view *v;
	unsigned slot; /* in v */
	size_t nr;     /* of all slots of all engines */
	uint64_t pos; /* after rec */
};

/* What has been read of a slot and not been given back. */
struct taken {
	const struct rt_view *v;
	unsigned slot, n;
	uint64_t pos;
};

struct merge {
	dtrace_hdl_t *dtp;
	struct head *heap;
	size_t n;
	struct taken *taken; /* by head.nr */
	size_t nslots;
	struct dt_spec_end *ends; /* of speculations, in order of time */
	size_t nends, end;	  /* the next one is ends[end] */
	uint8_t *copy;		  /* of the record at hand */
	size_t copy_cap;
	bool by_cpu;		  /* one CPU after the other */
	uint64_t limit;
	struct err e; /* of the buffers; callbacks may set the handle's */
	dtrace_consume_probe_f *pf;
	dtrace_consume_rec_f *rf;
	void *arg;
};

static uint32_t
record_size(void *arg, uint32_t epid)
{
	dtrace_hdl_t *dtp = arg;

	if (epid == RT_EPID_ERROR)
		return sizeof(struct rt_error_rec);
	if (epid == 0 || epid > dtp->necbs)
		return 0;
	return dtp->ecbs[epid - 1].clause->recsize;
}

/* The clause of a record that has been found whole, and its bytes; 0: it is
   not that any more. */
static uint32_t
record_epid(const struct rt_view *v, unsigned slot, const struct rt_rec *r,
	    dtrace_hdl_t *dtp, uint32_t *size)
{
	uint64_t off = (uint64_t)((const uint8_t *)r - v->buf[slot]);
	uint32_t epid = __atomic_load_n(&r->epid, __ATOMIC_RELAXED);

	*size = record_size(dtp, epid);
	return *size >= sizeof(*r) && *size <= v->bufsize - off ? epid : 0;
}

/* ---- the heap ------------------------------------------------------------ */

/* True if a is to be read before b. */
static bool
head_before(const struct merge *m, const struct head *a, const struct head *b)
{
	if (m->by_cpu && a->nr / RT_LEVELS != b->nr / RT_LEVELS)
		return a->nr < b->nr;
	return a->time < b->time;
}

static void
heap_down(struct merge *m, size_t i)
{
	for (;;) {
		size_t least = i;
		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < m->n; k++) {
			if (head_before(m, &m->heap[k], &m->heap[least]))
				least = k;
		}
		if (least == i)
			return;
		struct head t = m->heap[i];
		m->heap[i] = m->heap[least];
		m->heap[least] = t;
		i = least;
	}
}

/* Load the next record of a head's slot; false: nothing (more) to take. */
static bool
head_load(struct merge *m, struct head *h)
{
	uint64_t pos = h->pos;
	const struct rt_rec *r = rt_drain_next(h->v, h->slot, &pos, record_size,
					       m->dtp, &m->e);

	if (r == NULL)
		return false;
	h->time = __atomic_load_n(&r->time, __ATOMIC_RELAXED);
	if (h->time > m->limit)
		return false;
	h->rec = r;
	h->pos = pos;
	h->epid = record_epid(h->v, h->slot, r, m->dtp, &h->size);
	if (h->epid == 0)
		err_set(&m->e, &ERR_GENERIC, 0,
			"trace buffer: a record was changed while it was read");
	return h->epid != 0;
}

/* Copy the record, to which h->rec leads from now on. */
static int
head_copy(struct merge *m, struct head *h)
{
	struct rt_rec *r;

	if (!vec_grow((void **)&m->copy, &m->copy_cap, h->size, 1))
		return dt_nomem(m->dtp);
	memcpy(m->copy, h->rec, h->size);
	r = (struct rt_rec *)(void *)m->copy;
	r->epid = h->epid;
	r->time = h->time;
	h->rec = r;
	if (h->epid != RT_EPID_ERROR)
		dt_owed_record(h->de, m->dtp->ecbs[h->epid - 1].clause,
			       m->copy);
	return 0;
}

/* ---- one record ---------------------------------------------------------- */

static unsigned
head_cpu(const struct head *h)
{
	return h->v->thread_slots ? h->rec->cpu : h->slot / RT_LEVELS;
}

/* True if the object reads the process's memory. */
static bool
obj_reads_user(const struct dif_obj *o)
{
	for (uint32_t i = 0; o != NULL && i < o->ntext; i++) {
		unsigned op = DIF_OP(o->text[i]);

		if ((op >= DIF_OP_ULDSB && op <= DIF_OP_ULDX) ||
		    (op == DIF_OP_CALL &&
		     (DIF_IDX(o->text[i]) == DIF_SUBR_copyin ||
		      DIF_IDX(o->text[i]) == DIF_SUBR_copyinto ||
		      DIF_IDX(o->text[i]) == DIF_SUBR_copyinstr)))
			return true;
	}
	return false;
}

static bool
clause_reads_user(const struct dif_clause *c)
{
	if (obj_reads_user(c->pred))
		return true;
	for (uint32_t s = 0; s < c->nstmts; s++)
		for (uint32_t i = 0; i < c->stmts[s].nexprs; i++)
			if (obj_reads_user(c->stmts[s].exprs[i].obj))
				return true;
	return false;
}

/* The address is one of a process, and was read as the kernel's. */
static bool
fault_of_user(const struct head *h, const struct dt_ecb *ecb,
	      const struct rt_error_rec *er)
{
	return er->fault == DIF_FAULT_BADADDR && !dt_is_process(h->de) &&
	       er->val >= USER_MIN && er->val < USER_MAX && ecb != NULL &&
	       !clause_reads_user(ecb->clause);
}

static int
consume_error(struct merge *m, const struct head *h)
{
	const struct rt_error_rec *er = (const void *)h->rec;
	dtrace_hdl_t *dtp = m->dtp;
	dtrace_probedesc_t pd = { 0 };
	struct dt_ecb *ecb = NULL;
	struct buf b = BUF_INIT;

	if (er->epid > 0 && er->epid <= dtp->necbs) {
		ecb = &dtp->ecbs[er->epid - 1];
		dt_probe_desc(ecb->probe, &pd);
		if (ecb->desc == NULL &&
		    dt_ecb_describe(dtp, ecb, er->epid) != 0)
			return -1;
	}
	dt_notice_probe(&b, er->epid, &pd);
	buf_puts(&b, dif_fault_text(er->fault));
	if (dif_fault_value(er->fault) == DIF_FV_ADDR)
		buf_printf(&b, " (0x%llx)", (unsigned long long)er->val);
	else if (dif_fault_value(er->fault) == DIF_FV_INDEX)
		buf_printf(&b, " (%lld)", (long long)er->val);
	if (er->action == 0)
		buf_puts(&b, " in predicate");
	else
		buf_printf(&b, " in action #%u", er->action);
	if (er->difoff >= 0)
		buf_printf(&b, " at DIF offset %d", er->difoff);
	if (fault_of_user(h, ecb, er))
		buf_puts(&b, " (it is the process's: copyin() and copyinstr() "
			     "read there)");
	buf_putc(&b, '\n');
	const dtrace_errdata_t d = {
		.dteda_handle = dtp, .dteda_pdesc = &pd,
		.dteda_edesc = ecb != NULL ? ecb->desc : NULL,
		.dteda_epid = er->epid, .dteda_cpu = head_cpu(h),
		.dteda_action = (int)er->action, .dteda_offset = er->difoff,
		.dteda_fault = (int)er->fault, .dteda_addr = er->val,
		.dteda_msg = buf_str(&b),
	};
	int rv = dt_notice_error(dtp, &d, h->rec->time);
	buf_fini(&b);
	return rv;
}

/* What a callback's answer means for the work: go on without printing, or end
   it with an error. */
static int
consume_answer(dtrace_hdl_t *dtp, int rv)
{
	int edt = rv == DTRACE_CONSUME_ABORT || rv == DTRACE_CONSUME_ERROR ?
			  EDT_DIRABORT : EDT_BADRVAL;

	if (rv == DTRACE_CONSUME_NEXT)
		return 0;
	return dt_set_err(dtp, edt, "%s", dtrace_errmsg(NULL, edt));
}

/* Call the consumer's rec function, and print unless it did. */
static int
consume_stmt(struct merge *m, const dtrace_probedata_t *data,
	     const dtrace_recdesc_t *rec, const struct dif_stmt *st)
{
	dtrace_hdl_t *dtp = m->dtp;
	int rv = m->rf != NULL ? m->rf(data, rec, m->arg) :
				 DTRACE_CONSUME_THIS;

	if (rv != DTRACE_CONSUME_THIS)
		return consume_answer(dtp, rv);
	dtp->cur_data = data;
	dtp->cur_rec = rec;
	rv = dt_act_stmt(dtp, st, (const uint8_t *)data->dtpda_data);
	if (rv == 0)
		rv = dt_flush(dtp, NULL);
	dtp->cur_data = NULL;
	dtp->cur_rec = NULL;
	return rv;
}

static int
consume_flow(struct merge *m, const struct head *h, const struct dt_ecb *ecb,
	     dtrace_probedata_t *data)
{
	dtrace_hdl_t *dtp = m->dtp;
	uint64_t pos = h->pos;
	struct err e;
	struct dt_flow_text t;
	uint32_t next_id = 0, next_epid = 0, size;

	err_clear(&e);
	const struct rt_rec *next = rt_drain_next(h->v, h->slot, &pos,
						  record_size, dtp, &e);
	if (next != NULL)
		next_epid = record_epid(h->v, h->slot, next, dtp, &size);
	if (next_epid == RT_EPID_ERROR)
		next_epid = 0;
	if (next_epid != 0)
		next_id = dtp->ecbs[next_epid - 1].probe->id;
	const struct dt_flow_rec r = { .id = ecb->probe->id,
				       .epid = h->rec->epid,
				       .crosses =
					       ecb->probe->owner->ops->crosses,
				       .func = ecb->probe->func,
				       .name = ecb->probe->name };
	/* Calls nest in a thread; where slots are CPUs, nearly so there. */
	if (dt_flow_next(&dtp->out->flow, h->de->flow0 + h->slot / RT_LEVELS,
			 &r, next_id, next_epid, &t, &dtp->err) != 0)
		return dt_fail(dtp, EDT_NOMEM);
	data->dtpda_flow = t.kind == DT_FLOW_ENTRY  ? DTRACEFLOW_ENTRY :
			   t.kind == DT_FLOW_RETURN ? DTRACEFLOW_RETURN :
						      DTRACEFLOW_NONE;
	data->dtpda_prefix = t.prefix;
	data->dtpda_indent = t.indent;
	return 0;
}

static int
consume_stmts(struct merge *m, const dtrace_probedata_t *data,
	      const struct dt_ecb *ecb)
{
	const struct dif_clause *c = ecb->clause;
	const dtrace_recdesc_t *rec = ecb->desc->dtepd_rec;

	for (uint32_t s = 0; s < c->nstmts; s++) {
		const struct dif_stmt *st = &c->stmts[s];
		if (!dt_stmt_consumed(st))
			continue;
		if (consume_stmt(m, data, rec, st) != 0)
			return -1;
		rec += st->nexprs > 0 ? st->nexprs : 1;
	}
	return 0;
}

static int
consume_record(struct merge *m, const struct head *h)
{
	dtrace_hdl_t *dtp = m->dtp;
	struct dt_ecb *ecb = &dtp->ecbs[h->rec->epid - 1];

	if (ecb->desc == NULL && dt_ecb_describe(dtp, ecb, h->rec->epid) != 0)
		return -1;
	dtrace_probedata_t data = {
		.dtpda_handle = dtp, .dtpda_edesc = ecb->desc,
		.dtpda_pdesc = ecb->pdesc, .dtpda_cpu = head_cpu(h),
		.dtpda_data = (const char *)h->rec,
		.dtpda_timestamp = h->rec->time, .dtpda_flow = DTRACEFLOW_NONE,
	};
	if (dt_opt_on(dtp, DT_OPT_flowindent) &&
	    consume_flow(m, h, ecb, &data) != 0)
		return -1;
	int rv = m->pf != NULL ? m->pf(&data, m->arg) : DTRACE_CONSUME_THIS;
	if (rv != DTRACE_CONSUME_THIS)
		return consume_answer(dtp, rv);
	if (dtp->json != NULL)
		dt_json_record(dtp, &data);
	rv = consume_stmts(m, &data, ecb);
	if (dtp->json != NULL && dt_json_record_end(dtp, &data) != 0)
		rv = -1;
	if (rv != 0)
		return -1;
	if (m->rf != NULL && m->rf(&data, NULL, m->arg) ==
				     DTRACE_CONSUME_ABORT)
		return dt_set_err(dtp, EDT_DIRABORT, "%s",
				  dtrace_errmsg(NULL, EDT_DIRABORT));
	return 0;
}

/* ---- speculations -------------------------------------------------------- */

/* Print what was held of a committed speculation; forget it in any case. */
static int
consume_end(struct merge *m, const struct dt_spec_end *end)
{
	struct dt_held *h = dt_spec_take(end), *next;
	const struct rt_view *v = dt_view(end->de);
	int rv = 0;

	for (; h != NULL; h = next) {
		/* What came after it in its slot is past: at the end of all. */
		const struct head head = { .rec = &h->rec, .de = end->de,
					   .v = v, .slot = h->slot,
					   .pos = UINT64_MAX };
		next = h->next;
		if (end->commit && rv == 0)
			rv = consume_record(m, &head);
		free(h);
	}
	return rv;
}

/* The speculations that ended before a time. */
static int
consume_ends(struct merge *m, uint64_t time)
{
	int rv = 0;

	while (m->end < m->nends && m->ends[m->end].time < time && rv == 0)
		rv = consume_end(m, &m->ends[m->end++]);
	return rv;
}

/* ---- all records --------------------------------------------------------- */

/* How many records of a slot are read before their room is given back. */
#define PUBLISH_BATCH 256

static int
merge_record(struct merge *m, struct head *h)
{
	if (head_copy(m, h) != 0)
		return -1;
	if (h->epid == RT_EPID_ERROR)
		return consume_error(m, h);
	if (h->rec->spec != 0)
		return dt_spec_hold(m->dtp, h->de, h->slot, h->rec, h->size);
	return consume_record(m, h);
}

static int
merge_run(struct merge *m)
{
	int rv = 0;

	while (m->n > 0 && rv == 0) {
		struct head *h = &m->heap[0];
		if (m->end < m->nends &&
		    (rv = consume_ends(m, h->time)) != 0)
			break;
		if (!m->by_cpu && dt_procs_json(m->dtp, h->time) != 0) {
			rv = -1;
			break;
		}
		rv = merge_record(m, h);
		struct taken *t = &m->taken[h->nr];
		t->pos = h->pos;
		if (++t->n == PUBLISH_BATCH) {
			rt_drain_done(h->v, h->slot, t->pos);
			t->n = 0;
		}
		if (!head_load(m, h))
			m->heap[0] = m->heap[--m->n];
		heap_down(m, 0);
	}
	if (rv == 0 && !err_is_set(&m->e))
		rv = consume_ends(m, UINT64_MAX);
	if (rv == 0 && !err_is_set(&m->e))
		rv = dt_procs_json(m->dtp, m->limit);
	/* Also when a callback ended it: no record is given twice. */
	for (size_t i = 0; i < m->nslots; i++) {
		const struct taken *t = &m->taken[i];
		if (t->n > 0)
			rt_drain_done(t->v, t->slot, t->pos);
	}
	if (rv == 0 && err_is_set(&m->e)) {
		m->dtp->err = m->e;
		rv = dt_fail(m->dtp, EDT_ERRABORT);
	}
	return rv;
}

/* The slots of one engine: those that have something go onto the heap. */
static void
merge_add(struct merge *m, const struct dt_engine *de, const struct rt_view *v,
	  unsigned nslots)
{
	for (unsigned s = 0; s < nslots; s++) {
		struct head h = { .de = de, .v = v, .slot = s,
				  .nr = m->nslots++,
				  .pos = v->rt[s]->tail };
		m->taken[h.nr] = (struct taken){ .v = v, .slot = s };
		if (head_load(m, &h))
			m->heap[m->n++] = h;
	}
}

/* The heap over the slots of all engines, as they are now. */
static int
merge_fill(struct merge *m)
{
	dtrace_hdl_t *dtp = m->dtp;
	size_t n = 0;

	for (uint32_t i = 0; i < dtp->nengines; i++)
		n += dt_view(&dtp->engines[i])->maxslots;
	m->heap = calloc(n + 1, sizeof(*m->heap));
	m->taken = calloc(n + 1, sizeof(*m->taken));
	if (m->heap == NULL || m->taken == NULL)
		return dt_nomem(dtp);
	for (uint32_t i = 0; i < dtp->nengines; i++) {
		const struct rt_view *v = dt_view(&dtp->engines[i]);
		if (v->buf != NULL)
			merge_add(m, &dtp->engines[i], v, v->nslots);
	}
	for (size_t i = m->n; i-- > 0;)
		heap_down(m, i);
	return 0;
}

/* Rings become ordinary buffers before they are read, and rings again. */
static int
consume_turn(struct merge *m, bool back)
{
	dtrace_hdl_t *dtp = m->dtp;

	for (uint32_t i = 0; i < dtp->nengines; i++) {
		const struct rt_view *v = dt_view(&dtp->engines[i]);
		unsigned n = v->buf != NULL && v->bufpolicy == RT_BUF_RING ?
				     v->nslots : 0;
		for (unsigned s = 0; s < n; s++) {
			if (back)
				rt_drain_reset(v, s);
			else if (rt_drain_turn(v, s, record_size, dtp,
					       &dtp->err) != 0)
				return dt_fail(dtp, EDT_ERRABORT);
		}
	}
	return 0;
}

int
dt_consume_all(dtrace_hdl_t *dtp, bool final, FILE *fp,
	       dtrace_consume_probe_f *pf, dtrace_consume_rec_f *rf, void *arg)
{
	struct merge m = { .dtp = dtp, .pf = pf, .rf = rf, .arg = arg };

	/* What a speculation's end prints is known in order of time only. */
	m.by_cpu = !dt_opt_on(dtp, DT_OPT_temporal) && !dtp->speculates;
	if (!final && dtp->opt[DT_OPT_bufpolicy] != RT_BUF_SWITCH)
		return 0;
	m.limit = final ? UINT64_MAX : dt_now() - ORDER_SLACK;
	err_clear(&m.e);
	dtp->fp = fp;
	dt_out_to(dtp, fp);
	dt_sink_options(dtp);
	/* First the ends: then all records before them are there. */
	int rv = dt_spec_ends(dtp, m.limit, &m.ends, &m.nends);
	if (rv == 0)
		rv = consume_turn(&m, false);
	if (rv == 0)
		rv = merge_fill(&m);
	if (rv == 0)
		rv = merge_run(&m);
	(void)consume_turn(&m, true);
	free(m.heap);
	free(m.copy);
	free(m.taken);
	free(m.ends);
	return rv;
}

int
dtrace_consume(dtrace_hdl_t *dtp, FILE *fp, dtrace_consume_probe_f *pf,
	       dtrace_consume_rec_f *rf, void *arg)
{
	if (!dtp->active)
		return dt_set_err(dtp, EDT_NOTACTIVE, "%s",
				  dtrace_errmsg(NULL, EDT_NOTACTIVE));
	return dt_consume_all(dtp, dtp->stopped, fp, pf, rf, arg);
}
