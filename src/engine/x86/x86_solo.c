/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * x86_solo.c - handlers that only count: count() under no key, or under keys
 * that are the same in every firing of the probe.
 *
 * They are what is put at many thousand places at once, where the size of code
 * is most of its price: the processor has to fetch it anew wherever the program
 * goes.  So nothing is done but to find the thread's machine and to add one to
 * a counter at a constant distance from it (rt_native.h, COUNTING):
 *
 *   fs base, its home        the thread's?  else call the region's stub
 *   is the trace active?
 *   machine from the home;  inc [machine + counter]
 *
 * The stub looks at further homes, and makes the thread known if it is not.  It
 * keeps all registers but rax, which is the home's place, and tells by ZF
 * whether there is one.
 *
 * At a system call rcx and r11 are the kernel's to destroy: they are enough, so
 * nothing is saved there and the stack is not used, but on the way to the stub.
 */
#include "engine/x86/x86_lower_impl.h"

#define COUNTS_MAX 8u /* statements of one handler: jumps are short */
#define BASE_SIZE  128u
#define COUNT_SIZE 8u

static const int32_t home_rt = offsetof(struct rtn_home, rt);

/* ---- which clauses ------------------------------------------------------- */

static bool
counts(const struct dif_enabling *en, const struct dif_stmt *st)
{
	return dif_stmt_counts(en->tab, st) &&
	       (st->nkeys == 0 || lower_agg_static(st));
}

bool
x86_solo(const struct dif_enabling *en, uint32_t ecb0, uint32_t necbs)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < necbs; i++) {
		const struct dif_clause *cl =
			en->clauses[en->ecbs[ecb0 + i].clause];
		if (cl->pred != NULL || cl->records)
			return false;
		for (uint32_t s = 0; s < cl->nstmts; s++, n++)
			if (!counts(en, &cl->stmts[s]))
				return false;
	}
	return n != 0 && n <= COUNTS_MAX;
}

/* ---- in place ------------------------------------------------------------ */

/* rt: the register that has the thread's machine. */
static void
count_all(struct x86_buf *b, const struct x86_target *t,
	  const struct x86_handler_in *in, uint32_t site, unsigned rt)
{
	const struct dif_enabling *en = in->en;
	uint32_t cell = t->sites[site].cells;

	for (uint32_t i = 0; i < in->necbs; i++) {
		const struct dif_clause *cl =
			en->clauses[en->ecbs[in->ecb0 + i].clause];
		for (uint32_t s = 0; s < cl->nstmts; s++) {
			const struct dif_stmt *st = &cl->stmts[s];
			uint32_t off = t->solo_fixed[st->agg];

			if (st->nkeys != 0) {
				off = cell;
				cell += 8;
			}
			x86_inc_m(b, 8, x86_m(rt, (int32_t)off));
		}
	}
}

/* The stub, from where nothing is saved: rax is the program's, and so is what
   lies below its stack pointer. */
static void
miss_at_syscall(struct x86_buf *b, const struct x86_target *t)
{
	x86_lea(b, X86_RSP, x86_m(X86_RSP, -LOWER_RED_ZONE));
	x86_push(b, X86_RAX);
	x86_call_to(b, t->solo_miss);
	x86_mov_rr(b, 8, X86_R11, X86_RAX);
	x86_pop(b, X86_RAX);
	x86_lea(b, X86_RSP, x86_m(X86_RSP, LOWER_RED_ZONE));
}

void
lower_solo_late(struct x86_buf *b, const struct x86_target *t,
		struct lower_late *late)
{
	x86_bind(b, &late->miss);
	if (late->syscall)
		miss_at_syscall(b, t);
	else
		x86_call_to(b, t->solo_miss);
	x86_jcc_label(b, X86_CC_E, &late->back);
	x86_jmp_label(b, &late->out);
}

static void
solo(struct x86_buf *b, const struct x86_target *t,
     const struct x86_handler *h, uint32_t site, struct lower_late *late)
{
	const unsigned at = late->syscall ? X86_R11 : X86_RAX;
	struct x86_mem home;

	/* Go's code leaves nothing there, and has little stack. */
	lower_fs_base(b, t, X86_RCX, late->syscall && t->sh->stacks == 0);
	lower_home(b, at, X86_RCX);
	x86_inc_r(b, 8, X86_RCX);
	home = lower_home_m(b, t, at, X86_RDX);
	x86_alu_mr(b, X86_CMP, 8, home, X86_RCX);
	x86_jcc_label(b, X86_CC_NE, &late->miss);
	x86_bind(b, &late->back);
	x86_alu_mi(b, X86_CMP, 4,
		   lower_ctl_m(b, t, offsetof(struct rt_ctl, activity),
			       X86_RCX),
		   RT_ACT_ACTIVE);
	x86_jcc_short(b, X86_CC_NE, &late->out);
	home.disp += home_rt;
	x86_load(b, 8, false, at, home);
	count_all(b, t, &h->in, site, at);
	x86_bind(b, &late->out);
}

void
lower_solo_inline(struct x86_buf *b, const struct x86_target *t,
		  const struct x86_handler *h, uint32_t site)
{
	struct lower_late late = { .syscall = false };
	struct x86_label over = { 0 };

	solo(b, t, h, site, &late);
	x86_jmp_short(b, &over);
	lower_solo_late(b, t, &late);
	x86_bind(b, &over);
}

bool
lower_solo_begin(struct x86_buf *b, const struct x86_target *t,
		 const struct x86_handler *h, uint32_t site,
		 struct lower_late *late)
{
	if (!h->solo || (late->syscall && !lower_is_low(t)))
		return false;
	solo(b, t, h, site, late);
	return true;
}

static void
solo_print(const struct x86_target *t, const struct x86_handler *h)
{
	uint8_t code[BASE_SIZE + COUNTS_MAX * COUNT_SIZE];
	struct x86_buf b = { .p = code, .cap = sizeof(code),
			     .base = t->solo_miss };

	lower_solo_inline(&b, t, h, 0);
	lower_print(&b, 0, "handler in place");
}

void
lower_solo(const struct x86_target *t, const struct x86_handler_in *in,
	   struct x86_handler *out)
{
	*out = (struct x86_handler){
		.saves = X86_R(X86_RAX) | X86_R(X86_RCX) |
			 (lower_is_low(t) ? 0 : X86_R(X86_RDX)),
		.inl = true,
		.inl_size = BASE_SIZE + COUNTS_MAX * COUNT_SIZE,
		.in = *in,
		.solo = true,
	};
	if (t->debug)
		solo_print(t, out);
}

/* ---- the stub ------------------------------------------------------------ */

static const uint8_t saved[] = { X86_RCX, X86_RSI, X86_RDI, X86_R8,
				 X86_R9,  X86_R10 };

/* rax = the place of the home whose key is rcx, or on to `none`.  r11: where
   homes are; changes rdx. */
static void
find_home(struct x86_buf *b, struct x86_label *none)
{
	const struct x86_mem key = x86_mi(X86_R11, X86_RAX, 1, 0);
	struct x86_label next = { 0 }, found = { 0 };

	x86_lea(b, X86_RAX, x86_m(X86_RCX, -1));
	lower_home(b, X86_RAX, X86_RAX);
	x86_mov_ri(b, X86_RDX, RTN_NHOMES);
	x86_bind(b, &next);
	x86_alu_mr(b, X86_CMP, 8, key, X86_RCX);
	x86_jcc_short(b, X86_CC_E, &found);
	x86_alu_mi(b, X86_CMP, 8, key, RTN_KEY_FREE);
	x86_jcc_label(b, X86_CC_E, none);
	x86_alu_ri(b, X86_ADD, 4, X86_RAX, sizeof(struct rtn_home));
	x86_alu_ri(b, X86_AND, 4, X86_RAX, (int32_t)LOWER_HOMES_MASK);
	x86_dec_r(b, 4, X86_RDX);
	x86_jcc_label(b, X86_CC_NE, &next);
	x86_jmp_label(b, none);
	x86_bind(b, &found);
}

/* rax = the place of the thread's home, as rtn_home() finds or makes it; on to
   `no` if it may not fire. */
static void
make_known(struct x86_buf *b, const struct x86_target *t, struct x86_label *no)
{
	for (size_t i = 0; i < sizeof(saved); i++)
		x86_push(b, saved[i]);
	x86_mov_ri(b, X86_RDI, t->sh->self);
	x86_lea(b, X86_RSI, x86_m(X86_RCX, -1));
	x86_call_to(b, t->blob + rtn_image.off[RTN_FN_home]);
	for (size_t i = sizeof(saved); i-- > 0;)
		x86_pop(b, saved[i]);
	x86_test_rr(b, 8, X86_RAX, X86_RAX);
	x86_jcc_label(b, X86_CC_E, no);
	x86_dec_r(b, 8, X86_RAX);
}

void
x86_solo_stub(struct x86_buf *b, struct x86_target *t)
{
	struct x86_label unknown = { 0 }, found = { 0 }, no = { 0 },
			 out = { 0 };
	uint64_t homes = t->sh->table + offsetof(struct rtn_table, home);

	x86_align(b, 16);
	t->solo_miss = x86_here(b);
	x86_push(b, X86_RDX);
	x86_push(b, X86_R11);
	x86_mov_ri(b, X86_R11, homes);
	find_home(b, &unknown);
	x86_bind(b, &found);
	x86_alu_rr(b, X86_CMP, 4, X86_RAX, X86_RAX);
	x86_bind(b, &out);
	x86_pop(b, X86_R11);
	x86_pop(b, X86_RDX);
	x86_ret(b);
	x86_bind(b, &unknown);
	make_known(b, t, &no);
	x86_jmp_label(b, &found);
	x86_bind(b, &no);
	x86_test_rr(b, 8, X86_RSP, X86_RSP);
	x86_jmp_label(b, &out);
}
