/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_x86_lower.c - handlers as a whole: who is fired, what it finds of the
 * interrupted thread, what it leaves as it was.  That clauses mean what the
 * interpreter says is test/diff's part.
 */
#include "engine/x86/test/x86_clauses.h"

/* ---- the interrupted thread ---------------------------------------------- */

/* Fire with a pattern in each register; the mask of those that changed. */
static uint64_t
changed_registers(struct trace *t, bool inl)
{
	struct x86_buf *b = &t->w->b;
	uint64_t (*fn)(void);

	x86_align(b, 16);
	fn = (uint64_t(*)(void))(uintptr_t)x86_here(b);
	for (unsigned r = 0; r < 16; r++)
		if (r != X86_RSP)
			x86_push(b, r);
	x86_push_imm(b, 0);
	for (unsigned r = 0; r < 16; r++)
		if (r != X86_RSP)
			x86_mov_ri(b, r, 0x1234567800000000u + r);
	world_fire(t->w, &t->h, 0, inl);
	for (unsigned r = 0; r < 16; r++) {
		struct x86_label same = { 0 };
		if (r == X86_RSP)
			continue;
		x86_push(b, r);
		x86_mov_ri(b, r, 0x1234567800000000u + r);
		x86_alu_rm(b, X86_CMP, 8, r, x86_m(X86_RSP, 0));
		x86_pop(b, r);
		x86_jcc_label(b, X86_CC_E, &same);
		x86_alu_mi(b, X86_OR, 4, x86_m(X86_RSP, 0), 1 << r);
		x86_bind(b, &same);
	}
	x86_load(b, 8, false, X86_RAX, x86_m(X86_RSP, 0));
	x86_store(b, 8, x86_m(X86_RSP, 8 * 15), X86_RAX); /* rax's place */
	x86_alu_ri(b, X86_ADD, 8, X86_RSP, 8);
	for (unsigned r = 16; r-- > 0;)
		if (r != X86_RSP)
			x86_pop(b, r);
	x86_ret(b);
	return fn();
}

static void
keeps_registers(void **state)
{
	struct trace *t = *state;
	struct dif_clause *cl = trace_print(t, ARG(0));

	trace_agg(t, cl, DIF_AGG_quantize, 0, ARG(1), ARG(0));
	trace_expr(t, trace_stmt(t, cl, DIF_ACT_PRINTF),
		   ".ret string 0\nsets \"abc\", %r7\npushtr DT_TYPE(1), %r0, %r7\n"
		   "call toupper, %r6\nflushts\nret %r6\n");
	trace_lower(t, X86_AT_ENTRY);
	for (int i = 0; i < 3; i++) /* the first takes the slow way */
		assert_int_equal(changed_registers(t, false), 0);
	assert_memory_equal((const uint8_t *)trace_rec(t, 2) + 24, "ABC", 4);
}

static void
keeps_registers_in_place(void **state)
{
	struct trace *t = *state;

	trace_agg(t, trace_clause(t), DIF_AGG_count, 0, NULL, NULL);
	trace_lower(t, X86_AT_ENTRY);
	assert_true(t->h.inl);
	assert_int_equal(__builtin_popcount(t->h.saves), 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(changed_registers(t, true), 0);
	assert_int_equal(trace_cell(t)[0], 3);
	assert_int_equal(t->w->rt[0]->firings, 3);
}

static void
sizes_the_form_in_place(void **state)
{
	struct trace *t = *state;
	size_t from;

	trace_agg(t, trace_clause(t), DIF_AGG_count, 0, NULL, NULL);
	trace_lower(t, X86_AT_ENTRY);
	from = t->w->b.n;
	x86_handler_inline(&t->w->b, &t->w->t, &t->h, 63);
	assert_true(t->w->b.n - from <= t->h.inl_size);
}

static void
finds_arguments(void **state)
{
	struct trace *t = *state;
	struct dif_stmt *st =
		trace_stmt(t, trace_clause(t), DIF_ACT_PRINTF);
	static const struct dif_recipes args = { .arg = {
		{ DIF_RCP_UREG, DIF_R_RDI }, { DIF_RCP_UREG, DIF_R_RSI },
		{ DIF_RCP_UREG, DIF_R_RDX }, { DIF_RCP_UREG, DIF_R_RCX },
		{ DIF_RCP_UREG, DIF_R_R8 }, { DIF_RCP_UREG, DIF_R_R9 },
		DIF_USTACK(8), { DIF_RCP_CONST, -5 },
		{ DIF_RCP_COOKIE, 0 }, { DIF_RCP_UPC, 0 },
	} };
	static const uint64_t want[] = { 11, 12, 13, 14, 15, 16, 17,
					 (uint64_t)-5, 100, 0x401000 };
	char text[64];

	t->args = args;
	for (int i = 0; i < 10; i++) {
		snprintf(text, sizeof(text), "ldgs arg%d, %%r1\nret %%r1\n", i);
		trace_expr(t, st, text);
	}
	trace_lower(t, X86_AT_ENTRY);
	trace_fn(t)(11, 12, 13, 14, 15, 16, 17);
	for (uint32_t i = 0; i < 10; i++)
		assert_int_equal(trace_word(t, 0, i), want[i]);
}

/* Parts of registers, memory that may not be there, vector registers. */
static void
finds_operands(void **state)
{
	struct trace *t = *state;
	struct dif_stmt *st =
		trace_stmt(t, trace_clause(t), DIF_ACT_PRINTF);
	static const int16_t mem[] = { 1, 2, -3, 4 };
	static const struct dif_recipes args = { .arg = {
		{ DIF_RCP_UREG, DIF_R_RSI, .size = 1, .shift = 8 },
		{ DIF_RCP_UREG, DIF_R_RSI, .size = 2, .is_signed = true },
		{ DIF_RCP_UREG, DIF_R_RDX, .size = 4, .is_signed = true },
		{ DIF_RCP_UMEM, 0, .size = 2, .is_signed = true,
		  .base = DIF_BASE(RDI), .index = DIF_BASE(RCX), .scale = 1 },
		{ DIF_RCP_UMEM, 2, .size = 2, .base = DIF_BASE(RDI) },
		{ DIF_RCP_UMEM, 16, .size = 4, .base = DIF_BASE(R8) },
		{ DIF_RCP_UVEC, 1 },
		{ DIF_RCP_UVEC, 9, .size = 4, .is_signed = true },
		{ DIF_RCP_UMEM, -8, .base = DIF_BASE(R8), .fs = true },
	}, .arg[11] = { DIF_RCP_CONST, 12 } };
	uint64_t self; /* the thread's block points to itself */

	__asm__("mov %%fs:0, %0" : "=r"(self));
	const uint64_t want[] = { 0x98, (uint64_t)-0x6789, (uint64_t)-2,
				  (uint64_t)-3, 2, 0, 0x0123456789abcdef,
				  (uint64_t)-7, self, 12, 0, 0x98 };
	world_fn *fn;
	char text[64];

	t->args = args;
	for (int i = 0; i < 9; i++) {
		snprintf(text, sizeof(text), "ldgs arg%d, %%r1\nret %%r1\n", i);
		trace_expr(t, st, text);
	}
	trace_expr(t, st, "setx 11, %r2\nldga args, %r2, %r1\nret %r1\n");
	trace_expr(t, st, "setx 12, %r2\nldga args, %r2, %r1\nret %r1\n");
	trace_expr(t, st, "setx 0, %r2\nldga args, %r2, %r1\nret %r1\n");
	trace_lower(t, X86_AT_ENTRY);
	fn = trace_fn(t);
	__asm__ volatile("movq %0, %%xmm1; movq %1, %%xmm9"
			 :
			 : "r"(0x0123456789abcdef), "r"(0x5fffffff9l)
			 : "xmm1", "xmm9");
	fn((uintptr_t)mem, 0x9877, 0xfffffffe, 2, 8, 0, 0);
	for (uint32_t i = 0; i < 12; i++)
		assert_int_equal(trace_word(t, 0, i), want[i]);
}

/* args[n], uregs[n] with n known only when it fires. */
static void
finds_elements(void **state)
{
	struct trace *t = *state;
	struct dif_stmt *st =
		trace_stmt(t, trace_clause(t), DIF_ACT_PRINTF);

	t->args.arg[0] = (struct dif_recipe){ DIF_RCP_UREG, DIF_R_RDI };
	t->args.arg[3] = (struct dif_recipe){ DIF_RCP_CONST, 33 };
	trace_expr(t, st, "ldgs arg0, %r2\nldga args, %r2, %r1\nret %r1\n");
	trace_expr(t, st, "setx 10, %r2\nldga args, %r2, %r1\nret %r1\n");
	trace_expr(t, st, "setx 14, %r2\nldga uregs, %r2, %r1\nret %r1\n");
	trace_expr(t, st, "setx 16, %r2\nldga uregs, %r2, %r1\nret %r1\n");
	trace_expr(t, st, "setx 25, %r2\nldga uregs, %r2, %r1\nret %r1\n");
	trace_lower(t, X86_AT_ENTRY);
	trace_fn(t)(3, 0, 0, 0, 0, 0, 0);
	assert_int_equal(trace_word(t, 0, 0), 33);
	assert_int_equal(trace_word(t, 0, 1), 0);
	assert_int_equal(trace_word(t, 0, 2), 3);
	assert_int_equal(trace_word(t, 0, 3), 0x401000);
	assert_int_equal(trace_word(t, 0, 4), 0);
}

static void
finds_results(void **state)
{
	struct trace *t = *state;

	t->args.arg[1] = (struct dif_recipe){ DIF_RCP_UREG, DIF_R_RAX };
	trace_print(t, ARG(1));
	trace_lower(t, X86_AT_RETURN);
	assert_int_equal(trace_fn(t)(77, 0, 0, 0, 0, 0, 0), 77);
	assert_int_equal(trace_word(t, 0, 0), 77);
}

/* The result of a system call is what rax holds after it. */
static void
sys_return(struct trace *t, uint64_t rax)
{
	struct x86_buf *b = &t->w->b;
	world_fn *fn;
	int32_t gap = (int32_t)x86_frame_extra(X86_AT_SYSRETURN);

	x86_align(b, 16);
	fn = (world_fn *)(uintptr_t)x86_here(b);
	x86_mov_rr(b, 8, X86_RAX, X86_RDI);
	x86_lea(b, X86_RSP, x86_m(X86_RSP, -gap));
	world_fire(t->w, &t->h, 0, false);
	x86_lea(b, X86_RSP, x86_m(X86_RSP, gap));
	x86_ret(b);
	assert_int_equal(fn(rax, 0, 0, 0, 0, 0, 0), rax);
}

static void
tells_errors_of_system_calls(void **state)
{
	static const int64_t rax[] = { 0, 5, -1, -13, -4095, -4096 };
	static const int64_t want[][2] = { { 0, 0 }, { 5, 0 }, { -1, 1 },
					   { -1, 13 }, { -1, 4095 },
					   { -4096, 0 } };
	struct trace *t = *state;
	struct dif_stmt *st =
		trace_stmt(t, trace_clause(t), DIF_ACT_PRINTF);

	t->args.arg[0] = (struct dif_recipe){ DIF_RCP_SYSRET, 0 };
	trace_expr(t, st, ARG(0));
	trace_expr(t, st, "ldgs errno, %r1\nret %r1\n");
	trace_expr(t, st, "setx 19, %r2\nldga uregs, %r2, %r1\nret %r1\n");
	trace_lower(t, X86_AT_SYSRETURN);
	for (uint32_t i = 0; i < 6; i++) {
		sys_return(t, (uint64_t)rax[i]);
		assert_int_equal(trace_word(t, i, 0), want[i][0]);
		assert_int_equal(trace_word(t, i, 1), want[i][1]);
	}
}

/* Whether a clause, which has left so many records, runs for a result. */
static void
sys_fires(struct trace *t, uint64_t rax, uint32_t before, bool fires)
{
	sys_return(t, rax);
	assert_int_equal(trace_rec(t, before) != NULL, fires);
	assert_int_equal(t->w->rt[0]->busy, 0);
}

static void
sys_trace(struct trace *t, const struct dif_whens *w)
{
	if (t->w != NULL)
		world_free(t->w);
	t->when = w;
	trace_lower(t, X86_AT_SYSRETURN);
}

static void
heeds_conditions(void **state)
{
	static const struct dif_whens failed = {
		.n = 1, .v = { { { DIF_RCP_SYSERR }, 0, DIF_CMP_NE, 0 } }
	};
	static const struct dif_whens several = {
		.n = 3, .v = { { { DIF_RCP_SYSRET }, 0, DIF_CMP_GT, -2 },
			       { { DIF_RCP_SYSRET }, 0, DIF_CMP_LT, 300 },
			       { { DIF_RCP_SYSRET }, 0xf0, DIF_CMP_EQ, 0x20 } }
	};
	static const struct dif_whens first = {
		.n = 1, .v = { { { DIF_RCP_PEER }, 0, DIF_CMP_EQ, 0 } }
	};
	struct trace *t = *state;

	trace_print(t, NUM(1));
	sys_trace(t, &failed);
	sys_fires(t, 0, 0, false);
	sys_fires(t, (uint64_t)-2, 0, true);
	sys_fires(t, (uint64_t)-4096, 1, false);
	sys_trace(t, &several);
	sys_fires(t, 0x12f, 0, false); /* 303 */
	sys_fires(t, 0x12b, 0, true);
	sys_fires(t, 0x2b, 1, true);
	sys_fires(t, 0x3b, 2, false);
	sys_fires(t, (uint64_t)-4096, 2, false);
	sys_trace(t, &first);
	sys_fires(t, 0, 0, t->w->rt[0]->pid == t->w->rt[0]->tid);
	t->w->rt[0]->tid++;
	sys_fires(t, 0, 1, false);
	t->w->rt[0]->pid++;
	sys_fires(t, 0, 1, true);
}

/* Strings may run backwards where an instruction is probed. */
static void
keeps_direction(void **state)
{
	static const uint8_t std[] = { 0xfd };
	struct trace *t = *state;
	int32_t gap = (int32_t)x86_frame_extra(X86_AT_INSN);
	struct x86_buf *b;
	world_fn *fn;

	trace_print(t, ".ret string 0\nsets \"abc\", %r1\nret %r1\n");
	trace_lower(t, X86_AT_INSN);
	b = &t->w->b;
	x86_align(b, 16);
	fn = (world_fn *)(uintptr_t)x86_here(b);
	x86_test_rr(b, 8, X86_RDI, X86_RDI);
	struct x86_label forwards = { 0 };
	x86_jcc_short(b, X86_CC_E, &forwards);
	x86_bytes(b, std, 1);
	x86_bind(b, &forwards);
	x86_lea(b, X86_RSP, x86_m(X86_RSP, -gap));
	world_fire(t->w, &t->h, 0, false);
	x86_lea(b, X86_RSP, x86_m(X86_RSP, gap));
	x86_pushfq(b);
	x86_pop(b, X86_RAX);
	x86_cld(b);
	x86_ret(b);
	for (uint32_t i = 0; i < 4; i++) {
		uint64_t flags = fn(i % 2, 0, 0, 0, 0, 0, 0);
		assert_int_equal(flags >> 10 & 1, i % 2);
		assert_memory_equal(trace_rec(t, i) + 1, "abc\0\0\0\0\0", 8);
	}
}

/* The function's own return address is the caller's first frame. */
static void
walks_the_stack(void **state)
{
	struct trace *t = *state;
	struct dif_expr *e;

	e = &trace_stmt(t, trace_clause(t), DIF_ACT_USTACK)->exprs[0];
	e->src = DIF_SRC_USTACK;
	t->cl[0].stmts[0].nexprs = 1;
	trace_lower(t, X86_AT_ENTRY);
	trace_fn(t)(0, 0, 0, 0, 0, 0, 0);
	assert_int_equal(trace_word(t, 0, 0), getpid());
	assert_int_equal(trace_word(t, 0, 1), 0x401000);
	uint64_t pc = trace_word(t, 0, 2);
	assert_true(pc > (uintptr_t)walks_the_stack &&
		    pc < (uintptr_t)walks_the_stack + 4096);
}

/* ---- firings ------------------------------------------------------------- */

static void
fires_only_when_active(void **state)
{
	struct trace *t = *state;
	world_fn *fn;

	trace_agg(t, trace_clause(t), DIF_AGG_count, 0, NULL, NULL);
	trace_lower(t, X86_AT_ENTRY);
	fn = trace_fn(t);
	t->w->sh->ctl.activity = RT_ACT_INACTIVE;
	fn(0, 0, 0, 0, 0, 0, 0);
	t->w->sh->ctl.activity = RT_ACT_ACTIVE;
	fn(0, 0, 0, 0, 0, 0, 0);
	t->w->sh->ctl.activity = RT_ACT_DRAINING;
	fn(0, 0, 0, 0, 0, 0, 0);
	assert_int_equal(trace_cell(t)[0], 1);
	assert_int_equal(t->w->rt[0]->busy, 0);
}

/* A signal handler that interrupts a firing has a level of its own; a third
   level there is not. */
static void
fires_nested(void **state)
{
	struct trace *t = *state;
	world_fn *fn;

	trace_agg(t, trace_clause(t), DIF_AGG_count, 0, NULL, NULL);
	trace_lower(t, X86_AT_ENTRY);
	fn = world_function(t->w, &t->h, 0, true);
	fn(0, 0, 0, 0, 0, 0, 0);
	t->w->rt[0]->busy = 1;
	fn(0, 0, 0, 0, 0, 0, 0);
	assert_int_equal(t->w->rt[1]->firings, 1);
	assert_int_equal(t->w->rt[1]->busy, 0);
	t->w->rt[1]->busy = 1;
	fn(0, 0, 0, 0, 0, 0, 0);
	assert_int_equal(t->w->rt[0]->drops[RT_DROP_NESTED], 1);
	t->w->rt[0]->busy = t->w->rt[1]->busy = 0;
	assert_int_equal(trace_cell(t)[0], 1);
}

static void
ends_at_exit(void **state)
{
	struct trace *t = *state;
	struct dif_clause *cl = trace_clause(t);

	trace_expr(t, trace_stmt(t, cl, DIF_ACT_EXIT),
		   ".ret int 4\n" NUM(42));
	trace_print(t, NUM(2));
	trace_lower(t, X86_AT_ENTRY);
	trace_fn(t)(0, 0, 0, 0, 0, 0, 0);
	assert_int_equal(trace_rec(t, 0)->epid, 1);
	assert_null(trace_rec(t, 1));
	assert_int_equal(t->w->sh->ctl.exit_status, 42);
	assert_int_equal(t->w->sh->ctl.activity, RT_ACT_DRAINING);
}

/* A fault ends its clause and fires ERROR, whose clauses may end the trace. */
static void
reports_faults(void **state)
{
	struct trace *t = *state;
	const struct rt_error_rec *r;

	trace_print(t, "setx 1, %r1\nudiv %r1, %r0, %r2\nret %r2\n");
	trace_print(t, NUM(2));
	trace_print(t, ARG(3));
	t->nerror = 1;
	trace_lower(t, X86_AT_ENTRY);
	trace_fn(t)(0, 0, 0, 0, 0, 0, 0);
	r = (const void *)trace_rec(t, 0);
	assert_int_equal(r->rec.epid, RT_EPID_ERROR);
	assert_int_equal(r->fault, DIF_FAULT_DIVZERO);
	assert_int_equal(r->action, 1);
	assert_int_equal(r->difoff, 1);
	assert_int_equal(trace_rec(t, 1)->epid, 3);
	assert_int_equal(trace_word(t, 1, 0), 1);
	assert_int_equal(trace_rec(t, 2)->epid, 2);
	assert_int_equal(t->w->rt[0]->errors, 1);
}

static void
ends_when_error_exits(void **state)
{
	struct trace *t = *state;

	trace_print(t, "setx 1, %r1\nudiv %r1, %r0, %r2\nret %r2\n");
	trace_print(t, NUM(2));
	trace_expr(t, trace_stmt(t, trace_clause(t), DIF_ACT_EXIT),
		   ".ret int 4\n" NUM(1));
	t->nerror = 1;
	trace_lower(t, X86_AT_ENTRY);
	trace_fn(t)(0, 0, 0, 0, 0, 0, 0);
	assert_int_equal(trace_rec(t, 1)->epid, 3);
	assert_null(trace_rec(t, 2));
}

/* ---- records ------------------------------------------------------------- */

/* A word and a time make 32 bytes. */
static void
wraps_and_drops(void **state)
{
	struct trace *t = *state;
	uint64_t each, fit;
	world_fn *fn;

	t->args.arg[0] = (struct dif_recipe){ DIF_RCP_UREG, DIF_R_RDI };
	trace_print(t, ARG(0));
	trace_expr(t, t->cl[0].stmts, ARG(0));
	trace_expr(t, t->cl[0].stmts, ARG(0));
	trace_lower(t, X86_AT_ENTRY);
	each = t->cl[0].recsize;
	assert_int_not_equal(TRACE_BUF % each, 0);
	fit = TRACE_BUF / each;
	fn = trace_fn(t);
	for (uint64_t i = 0; i < fit + 3; i++)
		fn(i, 0, 0, 0, 0, 0, 0);
	assert_int_equal(t->w->rt[0]->drops[RT_DROP_PRINCIPAL], 3);
	t->w->rt[0]->tail = 2 * each;
	fn(1000, 0, 0, 0, 0, 0, 0); /* behind a filler, at the start */
	assert_int_equal(trace_word(t, (uint32_t)fit - 2, 0), 1000);
	assert_int_equal(t->w->rt[0]->head, TRACE_BUF + each);
}

/* One firing has one time, in records and for D. */
static void
reads_the_time_once(void **state)
{
	struct trace *t = *state;

	trace_print(t, "ldgs timestamp, %r1\nret %r1\n");
	trace_print(t, "ldgs timestamp, %r1\nldgs timestamp, %r2\n"
		       "sub %r1, %r2, %r1\nret %r1\n");
	t->cl[1].pred = trace_obj(t, ARG(0));
	t->args.arg[0] = (struct dif_recipe){ DIF_RCP_UREG, DIF_R_RDI };
	trace_lower(t, X86_AT_ENTRY);
	world_fn *fn = trace_fn(t);
	fn(0, 0, 0, 0, 0, 0, 0);
	fn(1, 0, 0, 0, 0, 0, 0);
	assert_int_equal(trace_rec(t, 1)->time, trace_word(t, 1, 0));
	assert_int_equal(trace_rec(t, 2)->time, trace_rec(t, 1)->time);
	assert_int_equal(trace_word(t, 2, 0), 0);
	assert_true(trace_rec(t, 1)->time > trace_rec(t, 0)->time);
}

static void
converts_time(void **state)
{
	struct trace *t = *state;
	struct rtn_clock *c;

	trace_print(t, "ldgs timestamp, %r1\nret %r1\n");
	trace_lower(t, X86_AT_ENTRY);
	c = &t->w->sh->clock[3];
	t->w->sh->clock_idx = 3;
	c->tsc0 = INT64_MAX; /* the raw time lies before */
	c->ns0 = 1000;
	c->mult = 1ull << 31;
	trace_fn(t)(0, 0, 0, 0, 0, 0, 0);
	int64_t ticks = (int64_t)(trace_rec(t, 0)->time - c->tsc0);
	assert_int_equal(trace_word(t, 0, 0), 1000 + (ticks >> 1));
}

int
main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, trace_setup, trace_teardown)
	const struct CMUnitTest tests[] = {
		TEST(keeps_registers),
		TEST(keeps_registers_in_place),
		TEST(sizes_the_form_in_place),
		TEST(finds_arguments), TEST(finds_operands),
		TEST(finds_elements),
		TEST(finds_results),
		TEST(tells_errors_of_system_calls),
		TEST(heeds_conditions),
		TEST(keeps_direction),
		TEST(walks_the_stack),
		TEST(fires_only_when_active),
		TEST(fires_nested),
		TEST(ends_at_exit),
		TEST(reports_faults),
		TEST(ends_when_error_exits),
		TEST(wraps_and_drops),
		TEST(reads_the_time_once),
		TEST(converts_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
