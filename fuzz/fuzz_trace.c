/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fuzz_trace.c - any bytes as what probes leave in the memory that they share
 * with the consumer: records, cells, states of speculations, counters, and
 * bytes written anywhere into all of that, as a hostile process would.  One
 * program, with a statement of each kind, says what they mean; they are read,
 * ordered, printed as text or as JSON, and the JSON must parse.
 *
 *   two bytes of switches, then orders: a byte, and its operands
 *
 * All areas are of their own, so that a sanitizer sees their ends.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check_json.h"
#include "lib/dt_impl.h"
#include "lib/dt_json.h"
#include "rt/rt_rec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NSLOTS	4
#define BUFSIZE 4096u
#define AGGSIZE 16384u
#define HALF	(AGGSIZE / 2)
#define NAGGS	32

static const char program[] =
	"struct s { int a; char b[5]; unsigned c : 3; int d : 7;"
	" struct { short x[2]; void *p; } e; enum { ON = 1, OFF } f;"
	" union { int64_t i; char c; } u; };\n"
	"BEGIN { trace(arg0); trace(execname); trace((char)arg1);"
	" trace(*(struct s *)arg0); print(*(struct s *)arg0); print(arg0);"
	" print(execname); }\n"
	"BEGIN { printf(\"%d|%5s|%-8x|%p|%a|%A|%Y|%T|%c|%wc|%S|%'i|%#o|%%\","
	" arg0, execname, arg1, arg2, arg3, arg4, walltimestamp, timestamp,"
	" (char)arg0, arg1, execname, arg2, arg3); }\n"
	"BEGIN { printf(\"%k%*d%.*s\", stack(3), (int)arg0, arg1, (int)arg2,"
	" execname); printf(\"%k\", ustack(3)); }\n"
	"BEGIN { tracemem(arg0, 20); tracemem(arg0, 20, (int)arg1); stack(3);"
	" ustack(3); jstack(2); sym(arg0); func(arg0); mod(arg0); usym(arg0);"
	" ufunc(arg0); umod(arg0); uaddr(arg0); exit(1); }\n"
	"BEGIN { @a = count(); @b[execname, probefunc] = sum(arg0);"
	" @c[ustack(3)] = min(arg0); @d[stack(2), arg0] = max(arg0);"
	" @e = avg(arg0); @f[sym(arg0), umod(arg1)] = stddev(arg0);"
	" @g[usym(arg0)] = quantize(arg0);"
	" @h[pid] = lquantize(arg0, -5, 100, 7);"
	" @i[\"x\"] = llquantize(arg0, 10, 0, 6, 20);"
	" @j[(char)arg0] = quantize(arg0); @k[execname] = count();"
	" @l[execname] = avg(arg0); }\n"
	"BEGIN { printa(@b); printa(\"%s %@x %s\\n\", @b);"
	" printa(\"%@d %@i\\n\", @a, @e); printa(\"%s %@u %@d\\n\", @k, @l);"
	" printa(@g); normalize(@e, arg0); trunc(@c, arg1); trunc(@k); }\n"
	"END { denormalize(@e); clear(@b); printa(@k, @l); printa(@j); }\n"
	"syscall::read:entry { trace(arg0); }\n"
	"syscall::read:return { self->s = speculation(); speculate(self->s);"
	" trace(execname); }\n"
	"END { commit(self->s); discard(self->s); }\n";

struct world {
	dtrace_hdl_t *dtp;
	struct dt_engine de;
	struct rt_ctl *ctl;
	struct rt *rt[NSLOTS];
	uint8_t *buf[NSLOTS], *agg[NSLOTS];
	struct rt_seen seen[NSLOTS];
	struct rt_view view;
	uint32_t fixed[NAGGS];
	struct rt_static_cell solo;
	uint8_t solo_key[64];
	uint64_t t0;
	struct buf text;
};

/* ---- an engine that does nothing ---------------------------------------- */

static const struct rt_view *
none_view(struct engine *eng)
{
	return &((struct world *)(void *)eng)->view;
}

static int
none_step(struct engine *eng, struct err *e)
{
	return 0;
}

static void
none_grace(struct engine *eng)
{
}

static const struct engine_ops none_ops = {
	.name = "none", .view = none_view, .grace = none_grace,
	.stop = none_step, .end = none_step,
};

static uint64_t
none_ns(void *arg, uint64_t raw)
{
	return raw / 3;
}

/* ---- what the consumer asks for ----------------------------------------- */

static void
some_name(void *arg, uint64_t addr, enum dt_sym_what what, struct buf *out)
{
	if (addr % 3 == 0)
		return;
	buf_printf(out, "m%c", (char)addr);
	if (what != DT_SYM_MOD)
		buf_printf(out, "`f%u+0x%x", (unsigned)addr % 7,
			   (unsigned)addr % 5);
}

static void
some_uname(void *arg, pid_t pid, uint64_t addr, enum dt_sym_what what,
	   struct buf *out)
{
	some_name(arg, addr + (uint64_t)pid, what, out);
}

static int
on_text(const dtrace_bufdata_t *d, void *arg)
{
	buf_puts(arg, d->dtbda_buffered);
	return DTRACE_HANDLE_OK;
}

static int
on_error(const dtrace_errdata_t *d, void *arg)
{
	return DTRACE_HANDLE_OK;
}

static int
on_drop(const dtrace_dropdata_t *d, void *arg)
{
	return DTRACE_HANDLE_OK;
}

/* ---- the world, once ---------------------------------------------------- */

static void
must(bool ok)
{
	if (!ok)
		abort();
}

static void
world_program(dtrace_hdl_t *dtp)
{
	static const char *const opts[][2] = {
		{ "nolibs", NULL },  { "strsize", "24" }, { "nspec", "4" },
		{ "specsize", "256" }, { "bufsize", "4k" },
	};
	dtrace_prog_t *p;

	for (size_t i = 0; i < sizeof(opts) / sizeof(*opts); i++)
		must(dtrace_setopt(dtp, opts[i][0], opts[i][1]) == 0);
	p = dtrace_program_strcompile(dtp, program, DTRACE_PROBESPEC_NAME, 0, 0,
				      NULL);
	must(p != NULL && dtrace_program_exec(dtp, p, NULL) == 0);
	must(dt_enabling_make(dtp) == 0);
	dtp->ecbs = arena_calloc(dtp->arena, dtp->enabs.n, sizeof(*dtp->ecbs));
	must(dtp->ecbs != NULL);
	for (size_t i = 0; i < dtp->enabs.n; i++)
		dtp->ecbs[dtp->necbs++] = (struct dt_ecb){
			.clause = dtp->clauses.v[dtp->enabs.v[i].clause],
			.probe = dtp->enabs.v[i].probe
		};
	dtp->speculates = true;
}

static void
world_view(struct world *w)
{
	struct rt_agg_layout lay;

	must(w->dtp->en.tab->naggs <= NAGGS);
	rt_agg_layout(w->dtp->en.tab, HALF, w->fixed, &lay);
	must(lay.entries_off < HALF);
	w->solo = (struct rt_static_cell){ .agg = 0, .key = w->solo_key,
					   .off = offsetof(struct rt, tmp) };
	w->view = (struct rt_view){
		.nslots = NSLOTS, .maxslots = NSLOTS, .ncpus = 1,
		.thread_slots = true, .ns = none_ns, .seen = w->seen,
		.solos = &w->solo, .nsolos = 1, .solo_seen = 8, .solo0 = 0,
		.rt = w->rt, .buf = w->buf, .agg = w->agg, .bufsize = BUFSIZE,
		.aggsize = AGGSIZE, .ctl = w->ctl, .agg_fixed = w->fixed,
		.agg_buckets_off = lay.buckets_off,
		.agg_nbuckets = lay.nbuckets,
		.agg_entries_off = lay.entries_off,
	};
	w->de = (struct dt_engine){ .ops = &none_ops,
				    .eng = (struct engine *)(void *)w };
	w->de.seen = calloc(NSLOTS, sizeof(*w->de.seen));
	must(w->de.seen != NULL);
	w->dtp->engines = &w->de;
	w->dtp->nengines = 1;
}

static struct world *
world_get(void)
{
	static struct world w;
	int err;

	if (w.dtp != NULL)
		return &w;
	w.dtp = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV | DTRACE_O_NOSYS,
			    &err);
	w.ctl = malloc(sizeof(*w.ctl));
	must(w.dtp != NULL && w.ctl != NULL);
	for (unsigned i = 0; i < NSLOTS; i++) {
		w.rt[i] = calloc(1, sizeof(struct rt));
		w.buf[i] = malloc(BUFSIZE);
		w.agg[i] = malloc(AGGSIZE);
		must(w.rt[i] != NULL && w.buf[i] != NULL && w.agg[i] != NULL);
	}
	world_program(w.dtp);
	world_view(&w);
	w.dtp->out->syms.kaddr = some_name;
	w.dtp->out->syms.uaddr = some_uname;
	w.dtp->out->syms.pid_seen = NULL;
	dtrace_handle_buffered(w.dtp, on_text, &w.text);
	dtrace_handle_err(w.dtp, on_error, NULL);
	dtrace_handle_drop(w.dtp, on_drop, NULL);
	w.t0 = dt_now() - 1000000000u;
	return &w;
}

/* ---- a trace begins and ends --------------------------------------------- */

static void
trace_begin(struct world *w, unsigned sw)
{
	static const enum dt_opt which[] = {
		DT_OPT_flowindent, DT_OPT_temporal, DT_OPT_quiet,
		DT_OPT_rawbytes, DT_OPT_agghist, DT_OPT_aggpack,
		DT_OPT_aggzoom, DT_OPT_aggsortkey, DT_OPT_aggsortrev,
		DT_OPT_aggsortpos, DT_OPT_aggnonzero
	};
	dtrace_hdl_t *dtp = w->dtp;

	memset(w->ctl, 0, sizeof(*w->ctl));
	memset(w->seen, 0, sizeof(w->seen));
	memset(w->de.seen, 0, NSLOTS * sizeof(*w->de.seen));
	for (unsigned i = 0; i < NSLOTS; i++) {
		memset(w->rt[i], 0, offsetof(struct rt, key));
		memset(w->buf[i], 0, BUFSIZE);
		memset(w->agg[i], 0, AGGSIZE);
		w->rt[i]->raw_time = sw >> 12 & 1;
	}
	for (size_t i = 0; i < sizeof(which) / sizeof(*which); i++)
		dtp->opt[which[i]] = sw >> (i + 2) & 1;
	dtp->opt[DT_OPT_oformat] = sw % 4 % 3;
	w->view.bufpolicy = sw >> 13 & 1 ? RT_BUF_RING : RT_BUF_SWITCH;
	dtp->opt[DT_OPT_bufpolicy] = w->view.bufpolicy;
	dtp->aggs = dt_aggs_new(dtp->en.tab, &dtp->out->syms, &dtp->err);
	must(dtp->aggs != NULL && dt_json_begin(dtp) == 0 &&
	     dt_specs_init(dtp, &w->de) == 0);
	if (sw >> 14 & 1)
		dt_aggs_set_percpu(dtp->aggs);
	dtp->active = true;
	dtp->stopped = dtp->end_due = false;
	buf_reset(&w->text);
}

static void
trace_end(struct world *w)
{
	dtrace_hdl_t *dtp = w->dtp;

	dt_specs_free(&w->de);
	memset(&w->de.ended, 0, sizeof(w->de.ended));
	dt_aggs_free(dtp->aggs);
	dtp->aggs = NULL;
	dt_json_free(dtp);
	free(dtp->out->flow.cpu);
	dtp->out->flow = (struct dt_flow){ 0 };
	buf_reset(&dtp->out->text);
	buf_reset(&dtp->outbuf);
	err_clear(&dtp->err);
}

static int
trace_work(struct world *w)
{
	w->dtp->last_switch = w->dtp->last_agg = w->dtp->last_drops = 0;
	w->dtp->last_poll = dt_now();
	return dtrace_work(w->dtp, NULL, NULL, NULL, NULL);
}

/* ---- orders -------------------------------------------------------------- */

struct input {
	const uint8_t *p;
	size_t left;
};

static void
take(struct input *in, void *dst, size_t n)
{
	size_t have = n < in->left ? n : in->left;

	memset(dst, 0, n);
	memcpy(dst, in->p, have);
	in->p += have;
	in->left -= have;
}

static unsigned
byte(struct input *in)
{
	uint8_t b;

	take(in, &b, 1);
	return b;
}

/* Some bytes anywhere in an area. */
static void
poke(struct input *in, uint8_t *area, size_t size)
{
	size_t off = byte(in), n;

	off = (off << 8 | byte(in)) % size;
	n = byte(in) % 16 + 1;
	take(in, area + off, n < size - off ? n : size - off);
}

/* As a probe would write it, with any fields. */
static void
record(struct world *w, struct input *in)
{
	dtrace_hdl_t *dtp = w->dtp;
	unsigned slot = byte(in) % NSLOTS, nr = byte(in) % (dtp->necbs + 1);
	struct rt_error_rec er = { 0 };
	uint8_t *p;
	size_t n;

	n = nr == dtp->necbs ? sizeof(er) : dtp->ecbs[nr].clause->recsize;
	if (n == 0)
		return; /* none of its statements leaves anything */
	if ((w->rt[slot]->head & 7) != 0)
		return; /* no probe could write here any more */
	p = rt_rec_room(w->rt[slot], w->ctl, w->buf[slot], BUFSIZE,
			w->view.bufpolicy, n);
	if (p == NULL)
		return;
	er.rec.epid = nr == dtp->necbs ? RT_EPID_ERROR : nr + 1;
	er.rec.spec = (uint16_t)(byte(in) % 6);
	er.rec.cpu = (uint16_t)(byte(in) * 257);
	er.rec.time = w->t0 + byte(in);
	take(in, p, n);
	memcpy(p, &er.rec, sizeof(er.rec));
	w->rt[slot]->head = w->rt[slot]->rec_end;
}

static void
cell(struct world *w, struct input *in)
{
	const struct dif_tab *tab = w->dtp->en.tab;
	uint8_t *half = w->agg[byte(in) % NSLOTS] +
			(w->ctl->agg_half % 2) * HALF;
	uint32_t i = byte(in) % tab->naggs;
	const struct dif_aggvar *av = tab->aggs[i];
	struct rt_agg_half *h = (void *)half;
	struct rt_agg_entry en = { .agg = i + 1, .keysize = av->keysize };
	size_t words = (size_t)av->words * 8;

	if (w->fixed[i] != 0) {
		take(in, half + w->fixed[i], 8 + words);
		return;
	}
	if (h->used < w->view.agg_entries_off)
		h->used = w->view.agg_entries_off;
	if (h->used > HALF || sizeof(en) + av->keysize + words > HALF - h->used)
		return;
	memcpy(half + h->used, &en, sizeof(en));
	h->used += sizeof(en);
	take(in, half + h->used, av->keysize + words);
	h->used += av->keysize + (uint32_t)words;
}

static void
spec(struct world *w, struct input *in)
{
	struct rt_spec *s = &w->ctl->spec[byte(in) % 5];

	s->state = byte(in) % 6;
	s->time = w->t0 + byte(in);
}

/* False: reading what there is failed. */
static bool
order(struct world *w, struct input *in)
{
	unsigned what = byte(in) % 16, slot;

	switch (what) {
	case 0:
		slot = byte(in) % NSLOTS;
		poke(in, w->buf[slot], BUFSIZE);
		return true;
	case 1:
		slot = byte(in) % NSLOTS;
		poke(in, (uint8_t *)w->rt[slot], offsetof(struct rt, key));
		return true;
	case 2:
		slot = byte(in) % NSLOTS;
		poke(in, w->agg[slot], AGGSIZE);
		return true;
	case 3:
		poke(in, (uint8_t *)w->ctl, sizeof(*w->ctl));
		return true;
	case 4:
	case 5:
		return trace_work(w) != DTRACE_WORKSTATUS_ERROR;
	case 6:
	case 7:
		spec(w, in);
		return true;
	case 8:
	case 9:
	case 10:
		cell(w, in);
		return true;
	default:
		record(w, in);
		return true;
	}
}

/* ---- what comes out ------------------------------------------------------ */

/* The last of it; whole unless something was refused. */
static void
finish(struct world *w, bool ok)
{
	dtrace_hdl_t *dtp = w->dtp;

	dtrace_stop(dtp);
	ok = ok && trace_work(w) != DTRACE_WORKSTATUS_ERROR;
	if (dtrace_aggregate_print(dtp, NULL, NULL) != 0)
		ok = false;
	dtrace_oformat_teardown(dtp, NULL);
	if (ok && dtp->json != NULL)
		check_json(buf_str(&w->text), w->text.n);
	dtp->active = false;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct world *w = world_get();
	struct input in = { data, size };
	unsigned sw = byte(&in);
	bool ok = true;

	sw |= byte(&in) << 8;
	trace_begin(w, sw);
	while (ok && in.left > 0)
		ok = order(w, &in);
	finish(w, ok);
	trace_end(w);
	return 0;
}
