/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * x86_lower_user.c - what a firing learns of the thread that it interrupts:
 * registers, arguments by their recipes, the time, the CPU.
 *
 * A register that the trampoline has saved is read from the frame, for it may
 * have been written since; any other one still holds the thread's value.
 */
#include "engine/x86/x86_lower_impl.h"

#define USER_CS 0x33
#define USER_SS 0x2b
#define SYS_ERROR (-4096) /* results above it, unsigned, are errors */
#define STACK_NEAR 128	  /* bytes above the stack pointer that are there */

/* ---- registers ----------------------------------------------------------- */

/* Bytes from rsp to the first saved register. */
static int32_t
frame_size(const struct lower *l)
{
	return (int32_t)(lower_frame_size(l) + l->pushed + (l->inl ? 0 : 8));
}

/* dst = hardware register reg of the thread. */
void
lower_user_reg(struct lower *l, unsigned dst, unsigned reg)
{
	int above = __builtin_popcount(l->saves >> reg >> 1);

	if (reg == X86_RSP)
		x86_lea(l->b, dst,
			x86_m(X86_RSP,
			      frame_size(l) +
				      8 * __builtin_popcount(l->saves) +
				      (int32_t)x86_frame_extra(l->in->at)));
	else if ((l->saves & X86_R(reg)) != 0)
		x86_load(l->b, 8, false, dst,
			 x86_m(X86_RSP, frame_size(l) + 8 * above));
	else if (dst != reg)
		x86_mov_rr(l->b, 8, dst, reg);
}

#define NOT_GENERAL 0xff

/* Hardware numbers of uregs[] by index. */
static const uint8_t hardware[DIF_NUREGS] = {
	[DIF_R_R15] = 15,    [DIF_R_R14] = 14,
	[DIF_R_R13] = 13,    [DIF_R_R12] = 12,
	[DIF_R_RBP] = 5,     [DIF_R_RBX] = 3,
	[DIF_R_R11] = 11,    [DIF_R_R10] = 10,
	[DIF_R_R9] = 9,	     [DIF_R_R8] = 8,
	[DIF_R_RAX] = 0,     [DIF_R_RCX] = 1,
	[DIF_R_RDX] = 2,     [DIF_R_RSI] = 6,
	[DIF_R_RDI] = 7,     [DIF_R_ERR] = NOT_GENERAL,
	[DIF_R_RIP] = NOT_GENERAL, [DIF_R_CS] = NOT_GENERAL,
	[DIF_R_RFL] = NOT_GENERAL, [DIF_R_RSP] = 4,
	[DIF_R_SS] = NOT_GENERAL,
};

/* dst = where the thread is.  A site of a system call has no place of its own:
   its trampolines say.  The thread is behind it, as the kernel has it. */
static void
user_pc(struct lower *l, unsigned dst)
{
	if (l->in->at != X86_AT_SYSENTRY && l->in->at != X86_AT_SYSRETURN) {
		lower_site(l, 8, dst, offsetof(struct rtn_site, pc));
		return;
	}
	lower_user_reg(l, dst, X86_RSP);
	x86_load(l->b, 8, false, dst, x86_m(dst, -X86_SYS_PLACE));
	x86_lea(l->b, dst, x86_m(dst, 2)); /* syscall: 0f 05 */
}

/* dst = uregs[idx]. */
static void
user_ureg(struct lower *l, unsigned dst, uint64_t idx)
{
	if (idx < DIF_NUREGS && hardware[idx] != NOT_GENERAL)
		lower_user_reg(l, dst, hardware[idx]);
	else if (idx == DIF_R_RIP)
		user_pc(l, dst);
	else
		x86_mov_ri(l->b, dst,
			   idx == DIF_R_CS   ? USER_CS
			   : idx == DIF_R_SS ? USER_SS
					     : 0);
}

/* ---- arguments ----------------------------------------------------------- */

/* The result of a system call in dst: -1 for every error. */
static void
sys_result(struct lower *l, unsigned dst)
{
	struct x86_label good = { 0 };

	lower_user_reg(l, dst, X86_RAX);
	x86_alu_ri(l->b, X86_CMP, 8, dst, SYS_ERROR);
	x86_jcc_short(l->b, X86_CC_BE, &good);
	x86_mov_ri(l->b, dst, UINT64_MAX);
	x86_bind(l->b, &good);
}

/* dst = so many bytes of its own, from bit `shift` on, as a number. */
static void
arg_part(struct lower *l, const struct dif_recipe *r, unsigned dst)
{
	uint8_t drop = (uint8_t)(r->size != 0 ? 64 - 8 * r->size : 0);

	if (r->shift != 0)
		x86_sh_ri(l->b, X86_SHR, 8, dst, r->shift);
	if (drop == 0)
		return;
	x86_sh_ri(l->b, X86_SHL, 8, dst, drop);
	x86_sh_ri(l->b, r->is_signed ? X86_SAR : X86_SHR, 8, dst, drop);
}

/* dst = the low half of a vector register.  Nothing of ours uses those, so they
   are the thread's still. */
static void
arg_vector(struct lower *l, unsigned reg, unsigned dst)
{
	const uint8_t movq[] = {
		0x66,
		(uint8_t)(0x48 | (reg >= 8 ? 4 : 0) | (dst >= 8 ? 1 : 0)),
		0x0f,
		0x7e,
		(uint8_t)(0xc0 | (reg & 7) << 3 | (dst & 7)),
	};

	x86_bytes(l->b, movq, sizeof(movq));
}

/* True if the memory may not be there: all but the stack's top, where the
   arguments of a call are. */
static bool
arg_is_far(const struct dif_recipe *r)
{
	return r->kind == DIF_RCP_UMEM &&
	       (r->base != DIF_BASE(RSP) || r->index != 0 || r->fs ||
		r->val < 0 || r->val > STACK_NEAR);
}

/* rax = user memory, 0 where it cannot be read. */
static void
arg_far(struct lower *l, const struct dif_recipe *r)
{
	unsigned size = r->size != 0 ? r->size : 8;

	x86_mov_ri(l->b, X86_RSI, (uint64_t)r->val);
	if (r->base != 0) {
		user_ureg(l, X86_RAX, r->base - 1u);
		x86_alu_rr(l->b, X86_ADD, 8, X86_RSI, X86_RAX);
	}
	if (r->index != 0) {
		user_ureg(l, X86_RAX, r->index - 1u);
		if (r->scale != 0)
			x86_sh_ri(l->b, X86_SHL, 8, X86_RAX, r->scale);
		x86_alu_rr(l->b, X86_ADD, 8, X86_RSI, X86_RAX);
	}
	if (r->fs) {
		lower_fs_base(l->b, l->t, X86_RAX, false);
		x86_alu_rr(l->b, X86_ADD, 8, X86_RSI, X86_RAX);
	}
	x86_mov_ri(l->b, X86_RDX,
		   size | (r->is_signed ? RTN_LD_SIGNED : 0) | RTN_LD_USER);
	lower_call(l, RTN_FN_peek);
}

/* dst = what a recipe says, from the thread and the site alone. */
static void
lower_arg_value(struct lower *l, const struct dif_recipe *r, unsigned dst)
{
	switch (r->kind) {
	case DIF_RCP_CONST: x86_mov_ri(l->b, dst, (uint64_t)r->val); break;
	case DIF_RCP_COOKIE:
		lower_site(l, r->size != 0 ? r->size : 8, dst,
			   offsetof(struct rtn_site, cookie) + r->shift / 8);
		break;
	case DIF_RCP_UREG:
		user_ureg(l, dst, (uint64_t)r->val);
		arg_part(l, r, dst);
		break;
	case DIF_RCP_UVEC:
		arg_vector(l, (unsigned)r->val, dst);
		arg_part(l, r, dst);
		break;
	case DIF_RCP_UMEM:
		lower_user_reg(l, dst, X86_RSP);
		x86_load(l->b, r->size != 0 ? r->size : 8, r->is_signed, dst,
			 x86_m(dst, (int32_t)r->val));
		break;
	case DIF_RCP_SYSRET: sys_result(l, dst); break;
	case DIF_RCP_SYSERR:
		lower_errno(l);
		x86_mov_rr(l->b, 8, dst, X86_RAX);
		break;
	case DIF_RCP_PEER:
		x86_load(l->b, 4, false, dst, RT_M(tid));
		x86_alu_rm(l->b, X86_SUB, 4, dst, RT_M(pid));
		break;
	case DIF_RCP_UPC: user_pc(l, dst); break;
	default: x86_mov_ri(l->b, dst, 0); break;
	}
}

static const struct dif_recipe *
arg_recipe(const struct lower *l, uint32_t n)
{
	static const struct dif_recipe none = { DIF_RCP_NONE, 0 };

	return l->in->args != NULL ? &l->in->args->arg[n] : &none;
}

void
lower_arg(struct lower *l, uint32_t n, unsigned dst)
{
	/* What a call had to read has been read before the clauses. */
	if (l->error || arg_is_far(arg_recipe(l, n)))
		x86_load(l->b, 8, false, dst,
			 x86_m(LOWER_RT, RT_DISP(arg) + (int32_t)n * 8));
	else
		lower_arg_value(l, arg_recipe(l, n), dst);
}

void
lower_when(struct lower *l)
{
	static const enum x86_cc unless[] = {
		[DIF_CMP_EQ] = X86_CC_NE,
		[DIF_CMP_NE] = X86_CC_E,
		[DIF_CMP_GT] = X86_CC_LE,
		[DIF_CMP_LT] = X86_CC_GE,
	};
	const struct dif_whens *w = l->in->when;

	for (uint32_t i = 0; w != NULL && i < w->n; i++) {
		if (arg_is_far(&w->v[i].what))
			arg_far(l, &w->v[i].what);
		else
			lower_arg_value(l, &w->v[i].what, X86_RAX);
		if (w->v[i].mask != 0) {
			x86_mov_ri(l->b, X86_RCX, w->v[i].mask);
			x86_alu_rr(l->b, X86_AND, 8, X86_RAX, X86_RCX);
		}
		x86_mov_ri(l->b, X86_RCX, (uint64_t)w->v[i].val);
		x86_alu_rr(l->b, X86_CMP, 8, X86_RAX, X86_RCX);
		x86_jcc_label(l->b, unless[w->v[i].cmp], &l->done);
	}
}

void
lower_errno(struct lower *l)
{
	struct x86_label good = { 0 };

	if (l->error) {
		x86_load(l->b, 8, false, X86_RAX,
			 x86_m(LOWER_RT, RT_DISP(ureg) + 8 * RTN_UREG_ERRNO));
		return;
	}
	x86_mov_ri(l->b, X86_RAX, 0);
	if (l->in->at != X86_AT_SYSRETURN)
		return;
	lower_user_reg(l, X86_RCX, X86_RAX);
	x86_alu_ri(l->b, X86_CMP, 8, X86_RCX, SYS_ERROR);
	x86_jcc_short(l->b, X86_CC_BE, &good);
	x86_alu_rr(l->b, X86_SUB, 8, X86_RAX, X86_RCX);
	x86_bind(l->b, &good);
}

/* ---- for those who read memory ------------------------------------------- */

static void
fill_ureg(struct lower *l, uint32_t idx)
{
	unsigned reg = hardware[idx];

	if (reg == NOT_GENERAL || reg == X86_RSP ||
	    (l->saves & X86_R(reg)) != 0) {
		user_ureg(l, X86_RAX, idx);
		reg = X86_RAX;
	}
	x86_store(l->b, 8, x86_m(LOWER_RT, RT_DISP(ureg) + (int32_t)idx * 8),
		  reg);
}

static void
fill_uregs(struct lower *l)
{
	bool ret = l->in->at == X86_AT_ENTRY || l->in->at == X86_AT_RETURN;

	if (l->want.uregs) {
		for (uint32_t i = 0; i < DIF_NUREGS; i++)
			fill_ureg(l, i);
	} else {
		fill_ureg(l, DIF_R_RIP);
		fill_ureg(l, DIF_R_RSP);
		fill_ureg(l, DIF_R_RBP);
	}
	x86_store_imm(l->b, 8,
		      x86_m(LOWER_RT, RT_DISP(ureg) + 8 * RTN_UREG_RET), ret);
	lower_errno(l);
	x86_store(l->b, 8,
		  x86_m(LOWER_RT, RT_DISP(ureg) + 8 * RTN_UREG_ERRNO),
		  X86_RAX);
}

void
lower_user_fill(struct lower *l)
{
	if (l->want.uregs || l->want.stack)
		fill_uregs(l);
	for (uint32_t i = 0; i < RT_NARGS; i++) {
		const struct dif_recipe *r = arg_recipe(l, i);
		bool far = arg_is_far(r);

		if (!l->want.args_mem && !(far && (l->want.args >> i & 1) != 0))
			continue;
		if (far)
			arg_far(l, r);
		else
			lower_arg_value(l, r, X86_RAX);
		x86_store(l->b, 8,
			  x86_m(LOWER_RT, RT_DISP(arg) + (int32_t)i * 8),
			  X86_RAX);
	}
}

/* ---- time and place ------------------------------------------------------ */

static void
now_read(struct lower *l)
{
	if (l->t->sh->vdso_time != 0) {
		lower_call(l, RTN_FN_now);
		return;
	}
	x86_rdtsc(l->b);
	x86_sh_ri(l->b, X86_SHL, 8, X86_RDX, 32);
	x86_alu_rr(l->b, X86_OR, 8, X86_RAX, X86_RDX);
	x86_store(l->b, 8, RT_M(now), X86_RAX);
}

/* Once for a firing: afterwards rt.now has it. */
void
lower_now(struct lower *l)
{
	enum lower_now now = l->now;
	struct x86_label have = { 0 };

	l->now = NOW_YES;
	if (now == NOW_NO) {
		now_read(l);
		return;
	}
	x86_load(l->b, 8, false, X86_RAX, RT_M(now));
	if (now == NOW_YES)
		return;
	l->f.now_zero = true;
	x86_test_rr(l->b, 8, X86_RAX, X86_RAX);
	x86_jcc_label(l->b, X86_CC_NE, &have);
	now_read(l);
	x86_bind(l->b, &have);
	l->now = NOW_YES;
}

/* ns0 + (((raw - tsc0) * mult) >> 32) by the clock that holds at present. */
void
lower_timestamp(struct lower *l)
{
	const uint64_t idx = offsetof(struct rtn_shared, clock_idx);
	const uint64_t clk = offsetof(struct rtn_shared, clock);
	struct x86_buf *b = l->b;

	_Static_assert(sizeof(struct rtn_clock) == 24, "index * 3 * 8");
	lower_now(l);
	x86_mov_ri(b, X86_RCX, l->t->sh->self + idx);
	x86_load(b, 4, false, X86_RDX, x86_m(X86_RCX, 0));
	x86_lea(b, X86_RDX, x86_mi(X86_RDX, X86_RDX, 2, 0));
	x86_lea(b, X86_RCX,
		x86_mi(X86_RCX, X86_RDX, 8, (int32_t)(clk - idx)));
	x86_alu_rm(b, X86_SUB, 8, X86_RAX,
		   x86_m(X86_RCX, offsetof(struct rtn_clock, tsc0)));
	x86_un_m(b, X86_IMUL, 8, /* it may lie before tsc0 */
		 x86_m(X86_RCX, offsetof(struct rtn_clock, mult)));
	x86_shd_ri(b, false, 8, X86_RAX, X86_RDX, 32);
	x86_alu_rm(b, X86_ADD, 8, X86_RAX,
		   x86_m(X86_RCX, offsetof(struct rtn_clock, ns0)));
}

#define RSEQ_CPU_ID 4	 /* offset in struct rseq; negative: not registered */
#define CPU_SEGMENT 0x7b /* its limit, and TSC_AUX: CPU below, node above */
#define CPU_MASK 0xfff

static void
cpu_by_segment(struct lower *l)
{
	static const uint8_t lsl[] = { 0x0f, 0x03, 0xc0 }; /* eax, eax */

	if (l->t->sh->has_rdpid) {
		x86_rdpid(l->b, X86_RAX);
	} else {
		x86_mov_ri(l->b, X86_RAX, CPU_SEGMENT);
		x86_bytes(l->b, lsl, sizeof(lsl));
	}
	x86_alu_ri(l->b, X86_AND, 4, X86_RAX, CPU_MASK);
}

void
lower_cpu(struct lower *l)
{
	const struct rtn_shared *sh = l->t->sh;
	struct x86_label good = { 0 };

	if (sh->rseq_off != 0) {
		x86_load(l->b, 4, false, X86_RAX,
			 x86_mfs((int32_t)sh->rseq_off + RSEQ_CPU_ID));
		x86_test_rr(l->b, 4, X86_RAX, X86_RAX);
		x86_jcc_short(l->b, X86_CC_NS, &good);
	}
	cpu_by_segment(l);
	x86_bind(l->b, &good);
}
