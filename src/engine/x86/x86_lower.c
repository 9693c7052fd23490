/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * x86_lower.c - the clauses of a probe as native code: handlers.
 *
 * What a firing means is engine/interp/interp_fire.c; threads, slots and times
 * in a traced process are rt/rt_native.h; registers and frame of the code are
 * x86_lower_impl.h.  A handler exists in up to two forms: out of line, called
 * with the index of its site in eax, which can do everything; and, for short
 * ones that call nothing, in place, with the site's constants.  The second
 * hands whatever is out of the ordinary to the first before it has done
 * anything, so both save the same registers.
 */
#include "engine/x86/x86_lower_impl.h"

#include <stdlib.h>
#include <string.h>

#define INLINE_MAX 192u	      /* bytes of a handler in place */
#define SITE_USE_MAX 8u	      /* by which a site's constant may vary */
#define PASS_BYTES (4u << 20) /* at most, of a first pass */
#define PASS_SLOTS 64u	      /* frame of a first pass; any will do */
#define LAST_SIZE (1u << 30)  /* of a buffer: sizes are signed immediates */

/* ---- which clauses ------------------------------------------------------- */

/* True if the clause may end the trace.  Under policy fill a record that finds
   no room does; there lower_clause() looks itself. */
static bool
may_exit(const struct dif_clause *cl)
{
	for (uint32_t s = 0; s < cl->nstmts; s++)
		if (cl->stmts[s].kind == DIF_ACT_EXIT)
			return true;
	return false;
}

static void
handler_clauses(struct lower *l)
{
	const struct dif_enabling *en = l->in->en;

	for (uint32_t i = 0; i < l->in->necbs; i++) {
		const struct dif_ecb *ecb = &en->ecbs[l->in->ecb0 + i];
		l->epid = i;
		lower_clause(l, en->clauses[ecb->clause]);
		if (may_exit(en->clauses[ecb->clause]) &&
		    i + 1 < l->in->necbs)
			lower_if_active(l);
	}
}

static void
error_clauses(struct lower *l)
{
	const struct dif_enabling *en = l->in->en;

	for (uint32_t i = 0; i < en->necbs; i++) {
		const struct dif_ecb *ecb = &en->ecbs[i];
		if (!lower_is_error(en, i))
			continue;
		x86_store_imm(l->b, 4, RT_M(probe), (int32_t)ecb->probe);
		x86_store_imm(l->b, 4, RT_M(probe_id),
			      (int32_t)en->probes[ecb->probe].id);
		l->epid = ecb->epid;
		lower_clause(l, en->clauses[ecb->clause]);
	}
}

/* ---- a firing ------------------------------------------------------------ */

/* What clauses and bodies find in the machine. */
static void
firing_start(struct lower *l)
{
	if (l->want.now_zero || l->want.calls)
		x86_store_imm(l->b, 8, RT_M(now), 0);
	if (l->want.calls) {
		lower_site(l, 4, X86_RAX, offsetof(struct rtn_site, probe));
		x86_store(l->b, 4, RT_M(probe), X86_RAX);
		lower_site(l, 4, X86_RAX, offsetof(struct rtn_site, probe_id));
		x86_store(l->b, 4, RT_M(probe_id), X86_RAX);
	}
	lower_user_fill(l);
	if (l->want.locals)
		lower_zero(l, LOWER_RT, RT_DISP(locals),
			   l->in->en->tab->locals_size);
}

/* The index in eax becomes the address of the site, in the frame. */
static void
site_address(struct lower *l)
{
	_Static_assert(sizeof(struct rtn_site) == 32, "index << 5");
	l->site_slot = lower_slot(l);
	x86_sh_ri(l->b, X86_SHL, 8, X86_RAX, 5);
	x86_mov_ri(l->b, X86_RCX, l->t->sh->sites);
	x86_alu_rr(l->b, X86_ADD, 8, X86_RAX, X86_RCX);
	x86_store(l->b, 8, lower_slot_m(l, l->site_slot), X86_RAX);
}

static void
frame(struct lower *l, enum x86_alu op)
{
	if (lower_frame_size(l) != 0)
		x86_alu_ri(l->b, op, 8, X86_RSP,
			   (int32_t)lower_frame_size(l));
}

/* ---- the direction of strings -------------------------------------------- */

#define FLAG_DF 0x400
static const uint8_t std[] = { 0xfd };

static void
direction_set(struct lower *l, struct lower_cold *c)
{
	x86_cld(l->b);
	x86_store_imm(l->b, 8, lower_slot_m(l, c->slot), 1);
	x86_jmp_label(l->b, &c->back);
}

static void
direction_reset(struct lower *l, struct lower_cold *c)
{
	x86_bytes(l->b, std, sizeof(std));
	x86_jmp_label(l->b, &c->back);
}

/* At an arbitrary instruction strings may run backwards; bodies and we want
   them to run forwards.  slot: whether to turn them again. */
static void
direction_save(struct lower *l, uint32_t slot)
{
	struct lower_cold *c = lower_cold(l, direction_set);

	c->slot = slot;
	x86_store_imm(l->b, 8, lower_slot_m(l, slot), 0);
	x86_pushfq(l->b);
	x86_test_mi(l->b, 4, x86_m(X86_RSP, 0), FLAG_DF);
	x86_lea(l->b, X86_RSP, x86_m(X86_RSP, 8));
	x86_jcc_label(l->b, X86_CC_NE, &c->at);
	x86_bind(l->b, &c->back);
}

static void
direction_restore(struct lower *l, uint32_t slot)
{
	struct lower_cold *c = lower_cold(l, direction_reset);

	x86_alu_mi(l->b, X86_CMP, 8, lower_slot_m(l, slot), 0);
	x86_jcc_label(l->b, X86_CC_NE, &c->at);
	x86_bind(l->b, &c->back);
}

/* ---- a handler ----------------------------------------------------------- */

static bool
clause_signals(const struct dif_clause *c)
{
	for (uint32_t i = 0; i < c->nstmts; i++)
		if (c->stmts[i].kind == DIF_ACT_RAISE ||
		    c->stmts[i].kind == DIF_ACT_STOP)
			return true;
	return false;
}

/* True if a firing may ask for signals: in its clauses, or in those of
   ERROR. */
static bool
handler_signals(const struct lower *l)
{
	const struct dif_enabling *en = l->in->en;

	for (uint32_t i = 0; i < en->necbs; i++) {
		bool own = i >= l->in->ecb0 && i - l->in->ecb0 < l->in->necbs;

		if ((own || lower_is_error(en, i)) &&
		    clause_signals(en->clauses[en->ecbs[i].clause]))
			return true;
	}
	return false;
}

/* They are sent behind the end of the firing, which is the body's affair
   then.  A handler of the program comes in between, and probes fire in it: the
   machine's own stack is theirs. */
static void
signals_send(struct lower *l, struct lower_cold *c)
{
	x86_bind(l->b, &c->at);
	lower_call_here(l, RTN_FN_signals);
	x86_jmp_label(l->b, &l->out);
}

static void
firing_end(struct lower *l)
{
	/* In place nothing is called. */
	if (!l->inl && handler_signals(l)) {
		struct lower_cold *c = lower_cold(l, signals_send);

		x86_alu_mi(l->b, X86_CMP, 8, RT_M(signals), 0);
		x86_jcc_label(l->b, X86_CC_NE, &c->at);
	}
	x86_store_imm(l->b, 4, RT_M(busy), 0);
}

/* The option cpu: elsewhere nothing happens. */
static void
only_cpu(struct lower *l)
{
	uint32_t cpu = l->t->sh->conf.only_cpu;

	if (cpu == 0)
		return;
	lower_cpu(l);
	x86_alu_ri(l->b, X86_CMP, 4, X86_RAX, (int32_t)(cpu - 1));
	x86_jcc_label(l->b, X86_CC_NE, &l->done);
}

static void
handler_code(struct lower *l)
{
	/* in place nothing runs over strings, or it is not done in place */
	bool strings = !l->inl && l->in->at == X86_AT_INSN;
	uint32_t slot = strings ? lower_slot(l) : 0;
	struct x86_label end = { 0 };

	l->early = strings + (!l->inl && l->want.site);
	frame(l, X86_SUB);
	if (strings)
		direction_save(l, slot);
	if (!l->inl && l->want.site)
		site_address(l);
	lower_enter(l);
	only_cpu(l);
	lower_when(l);
	firing_start(l);
	handler_clauses(l);
	x86_bind(l->b, &l->done);
	firing_end(l);
	x86_bind(l->b, &l->out);
	if (strings)
		direction_restore(l, slot);
	frame(l, X86_ADD);
	if (l->inl)
		x86_jmp_label(l->b, &end);
	else
		x86_ret(l->b);
	lower_cold_emit(l);
	x86_bind(l->b, &end);
}

static const uint8_t callee[] = { X86_RBX, X86_RBP, X86_R12,
				  X86_R13, X86_R14, X86_R15 };

/* An ordinary function of the machine in rdi. */
static void
error_code(struct lower *l)
{
	for (size_t i = 0; i < sizeof(callee); i++)
		x86_push(l->b, callee[i]);
	frame(l, X86_SUB);
	x86_mov_rr(l->b, 8, LOWER_RT, X86_RDI);
	l->now = NOW_MAYBE;
	error_clauses(l);
	x86_bind(l->b, &l->done);
	x86_bind(l->b, &l->out);
	frame(l, X86_ADD);
	for (size_t i = sizeof(callee); i-- > 0;)
		x86_pop(l->b, callee[i]);
	x86_ret(l->b);
	lower_cold_emit(l);
}

/* ---- passes -------------------------------------------------------------- */

/* One pass over *l, which says what to make and where. */
static int
pass(struct lower *l)
{
	const uint32_t open = l->b->open;
	size_t from;

	l->a = arena_new();
	if (l->a == NULL)
		return err_nomem(l->e);
	l->coldp = &l->cold;
	if (lower_strtabs(l) == 0) {
		if (!l->inl)
			x86_align(l->b, 16);
		from = l->b->n;
		l->code = l->inl ? l->code : x86_here(l->b);
		if (l->error)
			error_code(l);
		else
			handler_code(l);
		if (l->b->full)
			lower_fail(l, "no room for more code");
		else if (l->b->open != open)
			lower_fail(l, "a label has no place");
		else if (l->dry)
			l->f.used |= lower_written(l, from, l->b->n);
	}
	arena_free(l->a);
	l->a = NULL;
	return l->failed ? -1 : 0;
}

/* What the clauses, and the ERROR clauses a fault of theirs runs, use. */
static void
scan(struct lower *l)
{
	const struct dif_enabling *en = l->in->en;

	for (uint32_t i = 0; i < l->in->necbs; i++)
		lower_scan(en->clauses[en->ecbs[l->in->ecb0 + i].clause],
			   &l->want);
	l->want.errno_mem = false;
	for (uint32_t i = 0; l->want.faults && i < en->necbs; i++)
		if (lower_is_error(en, i))
			lower_scan(en->clauses[en->ecbs[i].clause], &l->want);
	l->want.stack |= l->want.errno_mem;
}

/* A pass into memory that is thrown away, for its facts and its size. */
static int
dry_pass(const struct lower *model, struct lower_facts *f, size_t *n)
{
	const struct x86_buf *to = model->b;
	size_t room = to->cap - to->n;
	struct x86_buf b = { .cap = room < PASS_BYTES ? room : PASS_BYTES,
			     .base = x86_here(to) };
	struct lower l = *model;
	int rc;

	b.p = malloc(b.cap + 1);
	if (b.p == NULL)
		return err_nomem(l.e);
	l.b = &b;
	l.dry = true;
	scan(&l);
	rc = pass(&l);
	if (b.full && b.cap == room && !l.inl)
		model->b->full = true; /* with more room there it would do */
	*f = l.f;
	*n = b.n;
	free(b.p);
	return rc;
}

#define DRY_PASSES 3
#define ALL_BUT_RSP (0xffffu & ~X86_R(X86_RSP))

/* All passes of the code that *l describes; l->f are the facts. */
static int
lower_passes(struct lower *l)
{
	struct lower model = *l;
	struct lower_facts f;
	size_t n;

	model.saves = ALL_BUT_RSP;
	model.nslots = PASS_SLOTS;
	memset(&model.want, 0, sizeof(model.want));
	model.want.calls = model.want.faults = model.want.now_zero = true;
	model.want.site = model.want.epid = true;
	/* What is prepared only for calls may in turn be all that needs the
	   site, and that a slot: look again until nothing falls away. */
	for (unsigned i = 0; i < DRY_PASSES; i++) {
		if (dry_pass(&model, &f, &n) != 0)
			return -1;
		model.want = f;
	}
	l->want = f;
	l->nslots = f.nslots;
	l->saves = f.used | X86_R(X86_RAX);
	scan(l);
	return pass(l);
}

static int
check_sizes(const struct x86_target *t, struct err *e)
{
	if (t->sh->conf.bufsize > LAST_SIZE ||
	    t->sh->conf.agg_halfsize > LAST_SIZE)
		return err_set(e, &ERR_GENERIC, 0,
			       "native code: buffers of more than %u bytes",
			       LAST_SIZE);
	return 0;
}

/* ---- the forms ----------------------------------------------------------- */

/* Find out whether the handler can be written in place, and how large it is
   then. */
static void
try_inline(const struct lower *out_of_line, struct x86_handler *h)
{
	struct lower l = *out_of_line;
	struct lower_facts f;
	struct err ignored = { 0 };
	size_t n;

	if (l.f.calls || l.f.cold_calls || l.f.strings)
		return;
	l.inl = true;
	l.code = h->code;
	l.e = &ignored;
	if (dry_pass(&l, &f, &n) != 0 || (f.used & ~h->saves) != 0)
		return;
	h->inl_size = (uint32_t)n + 4 * SITE_USE_MAX;
	h->inl = n <= INLINE_MAX;
	h->nslots = l.nslots;
	h->now_zero = l.want.now_zero;
}

int
x86_lower(struct x86_buf *b, const struct x86_target *t,
	  const struct x86_handler_in *in, struct x86_handler *out,
	  struct err *e)
{
	struct lower l = { .b = b, .t = t, .in = in, .e = e };
	struct lower fresh = l;
	size_t from = b->n;

	if (t->solo_miss != 0 && t->sh->conf.only_cpu == 0 &&
	    in->when == NULL && x86_solo(in->en, in->ecb0, in->necbs)) {
		lower_solo(t, in, out);
		return 0;
	}
	if (check_sizes(t, e) != 0 || lower_passes(&l) != 0)
		return -1;
	*out = (struct x86_handler){ .code = l.code, .saves = l.saves,
				     .in = *in };
	fresh.want = l.want;
	fresh.nslots = l.nslots;
	fresh.saves = l.saves;
	fresh.f = l.f;
	try_inline(&fresh, out);
	if (t->debug)
		lower_print(b, from, "handler");
	return 0;
}

void
x86_handler_inline(struct x86_buf *b, const struct x86_target *t,
		   const struct x86_handler *h, uint32_t site)
{
	struct err ignored = { 0 };
	struct lower l = { .b = b, .t = t, .in = &h->in, .e = &ignored,
			   .inl = true, .site = site, .code = h->code,
			   .saves = h->saves, .nslots = h->nslots };

	if (h->solo) {
		lower_solo_inline(b, t, h, site);
		return;
	}
	l.want.now_zero = h->now_zero;
	scan(&l);
	if (pass(&l) != 0)
		b->full = true;
}

uint64_t
x86_lower_error(struct x86_buf *b, const struct x86_target *t,
		const struct dif_enabling *en, struct err *e)
{
	struct x86_handler_in in = { .en = en, .necbs = en->necbs,
				     .at = X86_AT_ERROR };
	struct lower l = { .b = b, .t = t, .in = &in, .e = e, .error = true };
	bool any = false;
	size_t from = b->n;

	for (uint32_t i = 0; i < en->necbs; i++)
		any |= lower_is_error(en, i);
	if (!any)
		return 0;
	if (check_sizes(t, e) != 0 || lower_passes(&l) != 0)
		return 0;
	if (t->debug)
		lower_print(b, from, "ERROR clauses");
	return l.code;
}
