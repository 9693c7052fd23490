/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * x86_lower_frame.c - what generated code stands on: slots, calls of bodies,
 * cold parts, the way to the machine of the thread.  See x86_lower_impl.h for
 * the frame and the use of registers, rt_native.h for threads and slots.
 */
#include "engine/x86/x86_lower_impl.h"

#include <Zydis/Zydis.h>
#include <asm/prctl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/syscall.h>

int
lower_fail(struct lower *l, const char *what)
{
	l->failed = true;
	return err_set(l->e, &ERR_GENERIC, 0, "native code: %s", what);
}

int
lower_nomem(struct lower *l)
{
	l->failed = true;
	return err_nomem(l->e);
}

/* ---- slots --------------------------------------------------------------- */

uint32_t
lower_slot(struct lower *l)
{
	uint32_t slot = l->top++;

	if (l->top > l->f.nslots)
		l->f.nslots = l->top;
	return slot;
}

/* The handler uses the stack of its machine.  ERROR clauses are called there
   already. */
static bool
own_stack(const struct lower *l)
{
	return l->t->sh->stacks != 0 && !l->error;
}

uint32_t
lower_frame_size(const struct lower *l)
{
	return 8 * (own_stack(l) ? l->early : l->nslots);
}

struct x86_mem
lower_slot_m(const struct lower *l, uint32_t slot)
{
	if (own_stack(l) && slot >= l->early)
		return x86_m(LOWER_RT,
			     (int32_t)(l->t->sh->slot_stride - RTN_STACK +
				       slot * 8));
	return x86_m(X86_RSP, (int32_t)(slot * 8 + l->pushed));
}

/* ---- cold parts ---------------------------------------------------------- */

struct lower_cold *
lower_cold(struct lower *l, void (*emit)(struct lower *, struct lower_cold *))
{
	struct lower_cold *c = arena_calloc(l->a, 1, sizeof(*c));

	if (c == NULL) {
		lower_nomem(l);
		return &l->spare;
	}
	c->emit = emit;
	c->action = l->action;
	*l->coldp = c;
	l->coldp = &c->next;
	return c;
}

/* Cold parts may ask for more of them. */
void
lower_cold_emit(struct lower *l)
{
	for (struct lower_cold *c = l->cold; c != NULL; c = c->next) {
		x86_bind(l->b, &c->at);
		l->action = c->action;
		c->emit(l, c);
	}
	l->cold = NULL;
	l->coldp = &l->cold;
}

/* ---- calls --------------------------------------------------------------- */

/* A body, whose arguments are set. */
static void
lower_call_body(struct lower *l, uint64_t addr)
{
	const int32_t top = (int32_t)l->t->sh->slot_stride - RTN_STACK_TOP;

	if (own_stack(l)) {
		x86_store(l->b, 8, x86_m(LOWER_RT, top), X86_RSP);
		x86_lea(l->b, X86_RSP, x86_m(LOWER_RT, top));
	}
	x86_call_to(l->b, addr);
	if (own_stack(l))
		x86_pop(l->b, X86_RSP);
}

static void
lower_call_begin(struct lower *l)
{
	l->f.calls = l->f.epid = true;
	l->f.used |= LOWER_CALLER;
	if (l->now == NOW_NO)
		l->now = NOW_MAYBE;
	x86_mov_rr(l->b, 8, X86_RDI, LOWER_RT);
}

void
lower_call_at(struct lower *l, uint64_t addr)
{
	lower_call_begin(l);
	lower_call_body(l, addr);
}

void
lower_call_here(struct lower *l, enum rtn_fn fn)
{
	lower_call_begin(l);
	x86_call_to(l->b, l->t->blob + rtn_image.off[fn]);
}

void
lower_call(struct lower *l, enum rtn_fn fn)
{
	lower_call_at(l, l->t->blob + rtn_image.off[fn]);
}

/* All that a body may change, but for its result. */
static const uint8_t shielded[] = { X86_RCX, X86_RDX, X86_RSI, X86_RDI,
				    X86_R8,  X86_R9,  X86_R10, X86_R11 };

void
lower_shield(struct lower *l)
{
	void *p = arena_alloc(l->a, (l->nshields + 1) * sizeof(*l->shields));

	if (p == NULL) {
		lower_nomem(l);
		return;
	}
	for (size_t i = 0; i < l->nshields; i++)
		((typeof(l->shields))p)[i] = l->shields[i];
	l->shields = p;
	l->shields[l->nshields].from = l->b->n;
	for (size_t i = 0; i < sizeof(shielded); i++)
		x86_push(l->b, shielded[i]);
	l->pushed += sizeof(shielded) * 8;
}

void
lower_unshield(struct lower *l)
{
	for (size_t i = sizeof(shielded); i-- > 0;)
		x86_pop(l->b, shielded[i]);
	l->pushed -= sizeof(shielded) * 8;
	if (!l->failed)
		l->shields[l->nshields++].to = l->b->n;
}

void
lower_call_cold(struct lower *l, enum rtn_fn fn)
{
	l->f.cold_calls = true;
	x86_mov_rr(l->b, 8, X86_RDI, LOWER_RT);
	lower_call_body(l, l->t->blob + rtn_image.off[fn]);
}

/* ---- the machine of the thread ------------------------------------------- */

/* dst = what the kernel says of the base; RTN_BASE_NONE under a filter, where
   nothing may be asked. */
static void
fs_base_asked(struct x86_buf *b, const struct x86_target *t, unsigned dst,
	      int32_t below)
{
	static const uint8_t kept[] = { X86_RAX, X86_RCX, X86_RDI, X86_RSI,
					X86_R11 };
	const int32_t answer = 8 * (int32_t)sizeof(kept);
	struct x86_label none = { 0 };

	x86_lea(b, X86_RSP, x86_m(X86_RSP, -below - 8));
	for (size_t i = 0; i < sizeof(kept); i++)
		x86_push(b, kept[i]);
	x86_mov_ri(b, X86_RAX, RTN_BASE_NONE);
	x86_store(b, 8, x86_m(X86_RSP, answer), X86_RAX);
	x86_mov_ri(b, X86_RAX,
		   t->sh->self + offsetof(struct rtn_shared, seccomp));
	x86_alu_mi(b, X86_CMP, 4, x86_m(X86_RAX, 0), 0);
	x86_jcc_short(b, X86_CC_NE, &none);
	x86_mov_ri(b, X86_RAX, SYS_arch_prctl);
	x86_mov_ri(b, X86_RDI, ARCH_GET_FS);
	x86_lea(b, X86_RSI, x86_m(X86_RSP, answer));
	x86_syscall(b);
	x86_bind(b, &none);
	for (size_t i = sizeof(kept); i-- > 0;)
		x86_pop(b, kept[i]);
	x86_load(b, 8, false, dst, x86_m(X86_RSP, 0));
	x86_lea(b, X86_RSP, x86_m(X86_RSP, below + 8));
}

void
lower_fs_base(struct x86_buf *b, const struct x86_target *t, unsigned dst,
	      bool red_zone)
{
	if (t->fs_self) /* the thread block points to itself */
		x86_load(b, 8, false, dst, x86_mfs(0));
	else if (t->sh->has_fsgsbase)
		x86_rdfsbase(b, dst);
	else
		fs_base_asked(b, t, dst, red_zone ? LOWER_RED_ZONE : 0);
}

void
lower_home(struct x86_buf *b, unsigned dst, unsigned fs_base)
{
	x86_imul_rri(b, 4, dst, fs_base, (int32_t)RTN_HOME_MUL);
	x86_sh_ri(b, X86_SHR, 4, dst, 32 - RTN_HOME_BITS - 4);
	x86_alu_ri(b, X86_AND, 4, dst, (int32_t)LOWER_HOMES_MASK);
}

/* Below 2 GB an address is as good as a displacement. */
static bool
is_low(uint64_t addr)
{
	return addr != 0 && addr < (1ull << 31) - sizeof(struct rtn_table);
}

struct x86_mem
lower_home_m(struct x86_buf *b, const struct x86_target *t, unsigned off,
	     unsigned tmp)
{
	uint64_t at = t->sh->table + offsetof(struct rtn_table, home);

	if (is_low(t->sh->table))
		return x86_m(off, (int32_t)at);
	x86_mov_ri(b, tmp, at);
	return x86_mi(tmp, off, 1, 0);
}

struct x86_mem
lower_ctl_m(struct x86_buf *b, const struct x86_target *t, size_t off,
	    unsigned tmp)
{
	if (is_low(t->sh->ctl_low))
		return x86_m(X86_NONE, (int32_t)(t->sh->ctl_low + off));
	x86_mov_ri(b, tmp,
		   t->sh->self + offsetof(struct rtn_shared, ctl) + off);
	return x86_m(tmp, 0);
}

bool
lower_is_low(const struct x86_target *t)
{
	return is_low(t->sh->table) && is_low(t->sh->ctl_low);
}

/* In place: the out-of-line form does all that is out of the ordinary. */
static void
enter_elsewhere(struct lower *l, struct lower_cold *c)
{
	const int32_t n = (int32_t)lower_frame_size(l);

	(void)c;
	if (n != 0)
		x86_alu_ri(l->b, X86_ADD, 8, X86_RSP, n);
	x86_mov_ri(l->b, X86_RAX, l->site);
	x86_call_to(l->b, l->code);
	if (n != 0)
		x86_alu_ri(l->b, X86_SUB, 8, X86_RSP, n);
	x86_jmp_label(l->b, &l->out);
}

void
lower_borrow(struct x86_buf *b, const struct rtn_shared *sh,
	     const struct lower_lent *of, unsigned at, unsigned tmp,
	     struct x86_label *none)
{
	const uint64_t first = sh->self + of->off;
	struct x86_label next = { 0 }, got = { 0 };

	x86_mov_ri(b, at, first);
	x86_bind(b, &next);
	x86_mov_ri(b, tmp, 1);
	x86_xchg_mr(b, 4, x86_m(at, 0), tmp);
	x86_test_rr(b, 4, tmp, tmp);
	x86_jcc_short(b, X86_CC_E, &got);
	x86_alu_ri(b, X86_ADD, 8, at, (int32_t)of->step);
	x86_mov_ri(b, tmp, first + (uint64_t)of->step * of->n);
	x86_alu_rr(b, X86_CMP, 8, at, tmp);
	x86_jcc_label(b, X86_CC_B, &next);
	x86_mov_ri(b, tmp, sh->self + offsetof(struct rtn_shared, no_slot));
	x86_lock(b);
	x86_inc_m(b, 8, x86_m(tmp, 0));
	x86_jmp_label(b, none);
	x86_bind(b, &got);
}

/* Where the thread's stack is short, not even its registers are saved there. */
static void
enter_on_loan(struct lower *l, struct lower_cold *c)
{
	const struct lower_lent loans = {
		.off = offsetof(struct rtn_shared, loan[0].lent),
		.step = RTN_LOAN,
		.n = RTN_NLOANS,
	};
	struct x86_buf *b = l->b;

	lower_borrow(b, l->t->sh, &loans, X86_RCX, X86_RAX, &l->out);
	x86_store(b, 8, x86_m(X86_RCX, -16), X86_RSP);
	x86_lea(b, X86_RSP, x86_m(X86_RCX, -16));
	lower_shield(l);
	x86_load(b, 8, false, X86_RDX, x86_m(X86_RCX, -16));
	lower_fs_base(b, l->t, X86_RSI, false);
	x86_mov_ri(b, X86_RDI, l->t->sh->self);
	x86_call_to(b, l->t->blob + rtn_image.off[RTN_FN_enter_at]);
	lower_unshield(l);
	x86_pop(b, X86_RSP);
	x86_store_imm(b, 4, x86_m(X86_RCX, 0), 0);
	x86_test_rr(b, 8, X86_RAX, X86_RAX);
	x86_jcc_label(b, X86_CC_E, &l->out);
	x86_mov_rr(b, 8, LOWER_RT, X86_RAX);
	x86_jmp_label(b, &c->back);
}

static void
enter_slow(struct lower *l, struct lower_cold *c)
{
	if (l->inl) {
		enter_elsewhere(l, c);
		return;
	}
	if (own_stack(l)) {
		enter_on_loan(l, c);
		return;
	}
	lower_shield(l);
	lower_fs_base(l->b, l->t, X86_RSI, false);
	x86_mov_ri(l->b, X86_RDI, l->t->sh->self);
	x86_call_to(l->b, l->t->blob + rtn_image.off[RTN_FN_enter]);
	lower_unshield(l);
	x86_test_rr(l->b, 8, X86_RAX, X86_RAX);
	x86_jcc_label(l->b, X86_CC_E, &l->out);
	x86_mov_rr(l->b, 8, LOWER_RT, X86_RAX);
	x86_jmp_label(l->b, &c->back);
}

void
lower_if_active(struct lower *l)
{
	x86_alu_mi(l->b, X86_CMP, 4,
		   lower_ctl_m(l->b, l->t, offsetof(struct rt_ctl, activity),
			       X86_RAX),
		   RT_ACT_ACTIVE);
	x86_jcc_label(l->b, X86_CC_NE, &l->done);
}

/*
 * The home of the thread, by the hash of its fs base; then whether this firing
 * is the only one of the thread, and last whether firings are wanted: the
 * consumer, when it has made all CPUs serialise after it said that they are
 * not, sees busy, or is seen.
 */
void
lower_enter(struct lower *l)
{
	struct lower_cold *slow = lower_cold(l, enter_slow);
	struct x86_buf *b = l->b;
	struct x86_mem home;

	lower_fs_base(b, l->t, LOWER_RT, false);
	lower_home(b, X86_RCX, LOWER_RT);
	x86_inc_r(b, 8, LOWER_RT);
	home = lower_home_m(b, l->t, X86_RCX, X86_RAX);
	x86_alu_mr(b, X86_CMP, 8, home, LOWER_RT);
	x86_jcc_label(b, X86_CC_NE, &slow->at);
	home.disp += offsetof(struct rtn_home, rt);
	x86_load(b, 8, false, LOWER_RT, home);
	x86_alu_mi(b, X86_CMP, 4, RT_M(busy), 0);
	x86_jcc_label(b, X86_CC_NE, &slow->at);
	x86_lea(b, X86_RCX, x86_m(X86_RSP, RTN_BUSY(0)));
	x86_store(b, 4, RT_M(busy), X86_RCX);
	lower_if_active(l);
	x86_inc_m(b, 8, RT_M(firings));
	x86_bind(b, &slow->back);
}

void
lower_site(struct lower *l, unsigned size, unsigned dst, size_t off)
{
	const uint8_t *p = (const uint8_t *)&l->t->sites[l->site] + off;

	l->f.site = true;
	if (l->inl) {
		x86_mov_ri(l->b, dst,
			   size == 4 ? *(const uint32_t *)(const void *)p
				     : *(const uint64_t *)(const void *)p);
		return;
	}
	x86_load(l->b, 8, false, dst, lower_slot_m(l, l->site_slot));
	x86_load(l->b, size, false, dst, x86_m(dst, (int32_t)off));
}

#define ZERO_INLINE 128u

/* n, a multiple of 8, bytes; changes rax, rcx, rdi where they are many. */
void
lower_zero(struct lower *l, unsigned base, int32_t disp, uint32_t n)
{
	if (n > ZERO_INLINE) {
		x86_lea(l->b, X86_RDI, x86_m(base, disp));
		x86_mov_ri(l->b, X86_RAX, 0);
		x86_mov_ri(l->b, X86_RCX, n / 8);
		x86_rep_stosq(l->b);
		l->f.strings = true;
		return;
	}
	for (uint32_t i = 0; i < n; i += 8)
		x86_store_imm(l->b, 8, x86_m(base, disp + (int32_t)i), 0);
}

/* ---- looking at what was generated --------------------------------------- */

static uint32_t
insn_written(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops)
{
	uint32_t mask = 0;

	for (unsigned i = 0; i < in->operand_count; i++) {
		const ZydisDecodedOperand *op = &ops[i];
		if (op->type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) == 0)
			continue;
		ZydisRegister r = ZydisRegisterGetLargestEnclosing(
			ZYDIS_MACHINE_MODE_LONG_64, op->reg.value);
		if (ZydisRegisterGetClass(r) == ZYDIS_REGCLASS_GPR64)
			mask |= X86_R((unsigned)ZydisRegisterGetId(r));
	}
	return mask;
}

uint32_t
lower_written(const struct lower *l, size_t from, size_t to)
{
	ZydisDecoder d;
	ZydisDecodedInstruction in;
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	uint32_t mask = 0;
	size_t s = 0;

	ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64,
			 ZYDIS_STACK_WIDTH_64);
	for (size_t at = from; at < to; at += in.length) {
		while (s < l->nshields && l->shields[s].to <= at)
			s++;
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&d, l->b->p + at,
							 to - at, &in, ops)))
			return ~0u;
		if (s >= l->nshields || at < l->shields[s].from)
			mask |= insn_written(&in, ops);
	}
	return mask & ~X86_R(X86_RSP);
}

void
lower_print(const struct x86_buf *b, size_t from, const char *what)
{
	ZydisDisassembledInstruction in;

	fprintf(stderr, "%s, %zu bytes:\n", what, b->n - from);
	for (size_t at = from; at < b->n; at += in.info.length) {
		if (!ZYAN_SUCCESS(ZydisDisassembleIntel(
			    ZYDIS_MACHINE_MODE_LONG_64, b->base + at, b->p + at,
			    b->n - at, &in)))
			break;
		fprintf(stderr, "  %" PRIx64 "  %s\n", b->base + at, in.text);
	}
}
