/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * interp.c - the definition of DIF.
 *
 * One loop over the instructions of a validated object, one short case for
 * each opcode.  It is written to be read; it is used as the reference that
 * other engines are compared with, and for dry runs.
 *
 * The machine: eight 64-bit registers, all zero at the start (r0 stays so);
 * three condition codes that compare instructions set; a stack of tuple
 * entries, empty at the start, for keys and arguments.  Branches go forward
 * only, so every object ends.  A fault ends it at once: rt->fault says what,
 * rt->fault_off where, rt->fault_val which address, and the result is 0.
 *
 * What memory is, is the host's affair (rt_mem.h); strings, scratch and
 * subroutines are the bodies of rt/, the same that the kernel engine runs.
 */
#include "engine/interp/interp_impl.h"

#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

/* Condition codes.  There is no overflow code: DIF always clears it. */
struct flags {
	bool n, z, c;
};

struct machine {
	struct rt *rt;
	const struct dif_obj *o;
	uint64_t r[DIF_NREGS];
	struct flags f;
};

/* ---- compare and branch -------------------------------------------------- */

static void
cmp(struct machine *m, uint64_t a, uint64_t b)
{
	m->f.n = (int64_t)a < (int64_t)b;
	m->f.z = a == b;
	m->f.c = a < b;
}

static void
tst(struct machine *m, uint64_t a)
{
	m->f = (struct flags){ .z = a == 0 };
}

static void
scmp(struct machine *m, uint64_t a, uint64_t b)
{
	int64_t order = (int64_t)rt_scmp(m->rt, a, b);

	m->f = (struct flags){ .n = order < 0, .z = order == 0 };
}

static bool
taken(const struct flags *f, unsigned op)
{
	switch (op) {
	case DIF_OP_BE: return f->z;
	case DIF_OP_BNE: return !f->z;
	case DIF_OP_BG: return !(f->z || f->n);
	case DIF_OP_BGE: return !f->n;
	case DIF_OP_BL: return f->n;
	case DIF_OP_BLE: return f->z || f->n;
	case DIF_OP_BGU: return !(f->c || f->z);
	case DIF_OP_BGEU: return !f->c;
	case DIF_OP_BLU: return f->c;
	case DIF_OP_BLEU: return f->c || f->z;
	default: return true; /* ba */
	}
}

/* ---- arithmetic ---------------------------------------------------------- */

/* INT64_MIN / -1 wraps to INT64_MIN, its remainder is 0. */
static uint64_t
divide(struct machine *m, unsigned op, uint64_t a, uint64_t b)
{
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	if (b == 0)
		return rt_fail(m->rt, DIF_FAULT_DIVZERO, 0);
	switch (op) {
	case DIF_OP_SDIV: return sb == -1 ? -a : (uint64_t)(sa / sb);
	case DIF_OP_SREM: return sb == -1 ? 0 : (uint64_t)(sa % sb);
	case DIF_OP_UDIV: return a / b;
	default: return a % b;
	}
}

/* Shifts use the low six bits of the count. */
static uint64_t
alu(struct machine *m, unsigned op, uint64_t a, uint64_t b)
{
	switch (op) {
	case DIF_OP_OR: return a | b;
	case DIF_OP_XOR: return a ^ b;
	case DIF_OP_AND: return a & b;
	case DIF_OP_ADD: return a + b;
	case DIF_OP_SUB: return a - b;
	case DIF_OP_MUL: return a * b;
	case DIF_OP_SLL: return a << (b & 63);
	case DIF_OP_SRL: return a >> (b & 63);
	case DIF_OP_SRA: return (uint64_t)((int64_t)a >> (b & 63));
	default: return divide(m, op, a, b);
	}
}

/* ---- memory -------------------------------------------------------------- */

static const struct load {
	uint8_t size;
	bool sign, user;
} loads[256] = {
/* From kernel memory, the same restricted to one's own, from user memory. */
#define LOAD(NAME, size, sign)                   \
	[DIF_OP_##NAME] = { size, sign, false }, \
	[DIF_OP_R##NAME] = { size, sign, false }, \
	[DIF_OP_U##NAME] = { size, sign, true }
	LOAD(LDSB, 1, true), LOAD(LDSH, 2, true), LOAD(LDSW, 4, true),
	LOAD(LDUB, 1, false), LOAD(LDUH, 2, false), LOAD(LDUW, 4, false),
	LOAD(LDX, 8, false),
#undef LOAD
};

static uint64_t
load(struct machine *m, unsigned op, uint64_t addr)
{
	const struct load *l = &loads[op];
	unsigned drop = 64 - l->size * 8u;
	uint64_t v = 0;
	long rc = l->user ? rt_uread(m->rt, &v, l->size, addr)
			  : rt_read(m->rt, &v, l->size, addr);

	if (rc != 0)
		return rt_fail(m->rt, DIF_FAULT_BADADDR, addr);
	return l->sign ? (uint64_t)((int64_t)(v << drop) >> drop) : v;
}

/* ---- the tuple stack ----------------------------------------------------- */

static void
interp_push(struct machine *m, const struct rt_tuple *t)
{
	if (m->rt->ntuple == DIF_NTUPLE)
		rt_fail(m->rt, DIF_FAULT_TUPOFLOW, 0);
	else
		m->rt->tuple[m->rt->ntuple++] = *t;
}

static void
pushtr(struct machine *m, unsigned type, uint64_t size, uint64_t addr)
{
	interp_push(m, &(struct rt_tuple){ .val = addr,
					   .size = size,
					   .isref = 1,
					   .isstr = type == DIF_TYPE_STRING });
}

static void
pushtv(struct machine *m, uint64_t val)
{
	interp_push(m, &(struct rt_tuple){ .val = val });
}

static void
popts(struct machine *m)
{
	if (m->rt->ntuple > 0)
		m->rt->ntuple--;
}

static uint64_t
interp_call(struct machine *m, uint32_t subr)
{
/* Rows that no engine serves have no body; the validator refuses them. */
#define CALL_IK(name) return rt_subr_##name(m->rt)
#define CALL_IKP(name) CALL_IK(name)
#define CALL_I(name) CALL_IK(name)
#define CALL_NONE(name) break
	switch (subr) {
#define SUBR(id, name, proto, eng, flags, needs) \
	case id:                          \
		CALL_##eng(name);
#include "dif/subr.def"
#undef SUBR
	}
	return rt_fail(m->rt, DIF_FAULT_ILLOP, 0);
}

/* ---- the loop ------------------------------------------------------------ */

/*
 * Run the instruction i; the index of the next one, or 0 for ret (0 is never
 * a branch target).
 */
static uint32_t
interp_step(struct machine *m, uint32_t pc, dif_instr_t i)
{
	struct rt *rt = m->rt;
	uint64_t *r = m->r;
	unsigned op = DIF_OP(i);
	unsigned r1 = DIF_R1(i), r2 = DIF_R2(i), rd = DIF_RD(i);
	uint32_t idx = DIF_IDX(i);

	switch (op) {
	case DIF_OP_OR: case DIF_OP_XOR: case DIF_OP_AND: case DIF_OP_SLL:
	case DIF_OP_SRL: case DIF_OP_SRA: case DIF_OP_SUB: case DIF_OP_ADD:
	case DIF_OP_MUL: case DIF_OP_SDIV: case DIF_OP_UDIV: case DIF_OP_SREM:
	case DIF_OP_UREM:
		r[rd] = alu(m, op, r[r1], r[r2]);
		break;
	case DIF_OP_NOT: r[rd] = ~r[r1]; break;
	case DIF_OP_MOV: r[rd] = r[r1]; break;

	case DIF_OP_BOUND:
		if (r[r1] >= r[r2])
			rt_fail(rt, DIF_FAULT_BADINDEX, r[r1]);
		break;
	case DIF_OP_CMP: cmp(m, r[r1], r[r2]); break;
	case DIF_OP_TST: tst(m, r[r1]); break;
	case DIF_OP_SCMP: scmp(m, r[r1], r[r2]); break;
	case DIF_OP_BA: case DIF_OP_BE: case DIF_OP_BNE: case DIF_OP_BG:
	case DIF_OP_BGU: case DIF_OP_BGE: case DIF_OP_BGEU: case DIF_OP_BL:
	case DIF_OP_BLU: case DIF_OP_BLE: case DIF_OP_BLEU:
		return taken(&m->f, op) ? DIF_LABEL(i) : pc + 1;
	case DIF_OP_RET: r[0] = r[rd]; return 0;
	case DIF_OP_NOP: break;

	case DIF_OP_LDSB: case DIF_OP_LDSH: case DIF_OP_LDSW: case DIF_OP_LDUB:
	case DIF_OP_LDUH: case DIF_OP_LDUW: case DIF_OP_LDX:
	case DIF_OP_ULDSB: case DIF_OP_ULDSH: case DIF_OP_ULDSW:
	case DIF_OP_ULDUB: case DIF_OP_ULDUH: case DIF_OP_ULDUW:
	case DIF_OP_ULDX:
	case DIF_OP_RLDSB: case DIF_OP_RLDSH: case DIF_OP_RLDSW:
	case DIF_OP_RLDUB: case DIF_OP_RLDUH: case DIF_OP_RLDUW:
	case DIF_OP_RLDX:
		r[rd] = load(m, op, r[r1]);
		break;
	case DIF_OP_STB: rt_store(rt, r[rd], r[r1], 1); break;
	case DIF_OP_STH: rt_store(rt, r[rd], r[r1], 2); break;
	case DIF_OP_STW: rt_store(rt, r[rd], r[r1], 4); break;
	case DIF_OP_STX: rt_store(rt, r[rd], r[r1], 8); break;
	case DIF_OP_ALLOCS: r[rd] = rt_allocs(rt, r[r1]); break;
	case DIF_OP_COPYS: rt_copys(rt, r[r1], r[rd], r[r2]); break;

	case DIF_OP_SETX: r[rd] = m->o->inttab[idx]; break;
	case DIF_OP_SETS: r[rd] = (uintptr_t)m->o->strtab + idx; break;

	case DIF_OP_LDGS:
		r[rd] = interp_var_load(rt, DIF_SCOPE_GLOBAL, idx);
		break;
	case DIF_OP_LDTS:
		r[rd] = interp_var_load(rt, DIF_SCOPE_THREAD, idx);
		break;
	case DIF_OP_LDLS:
		r[rd] = interp_var_load(rt, DIF_SCOPE_LOCAL, idx);
		break;
	case DIF_OP_STGS:
		interp_var_store(rt, DIF_SCOPE_GLOBAL, idx, r[rd]);
		break;
	case DIF_OP_STTS:
		interp_var_store(rt, DIF_SCOPE_THREAD, idx, r[rd]);
		break;
	case DIF_OP_STLS:
		interp_var_store(rt, DIF_SCOPE_LOCAL, idx, r[rd]);
		break;
	case DIF_OP_LDGA: r[rd] = interp_array_load(rt, r1, r[r2]); break;
	case DIF_OP_LDGAA:
		r[rd] = interp_assoc_load(rt, DIF_SCOPE_GLOBAL, idx);
		break;
	case DIF_OP_LDTAA:
		r[rd] = interp_assoc_load(rt, DIF_SCOPE_THREAD, idx);
		break;
	case DIF_OP_STGAA:
		interp_assoc_store(rt, DIF_SCOPE_GLOBAL, idx, r[rd]);
		break;
	case DIF_OP_STTAA:
		interp_assoc_store(rt, DIF_SCOPE_THREAD, idx, r[rd]);
		break;

	case DIF_OP_PUSHTR: pushtr(m, r1, r[r2], r[rd]); break;
	case DIF_OP_PUSHTV: pushtv(m, r[rd]); break;
	case DIF_OP_POPTS: popts(m); break;
	case DIF_OP_FLUSHTS: rt->ntuple = 0; break;
	case DIF_OP_CALL: r[rd] = interp_call(m, idx); break;

	default: rt_fail(rt, DIF_FAULT_ILLOP, 0); break;
	}
	return pc + 1;
}

uint64_t
interp_run(struct rt *rt, const struct dif_obj *o)
{
	struct machine m = { .rt = rt, .o = o };
	uint32_t pc = 0, next;

	rt->fault = DIF_FAULT_NONE;
	rt->fault_val = 0;
	rt->fault_off = -1;
	rt->ntuple = 0;
	for (;;) {
		next = interp_step(&m, pc, o->text[pc]);
		if (rt->fault != DIF_FAULT_NONE)
			break;
		if (next == 0)
			return m.r[0];
		pc = next;
	}
	rt->fault_off = (int32_t)pc;
	return 0;
}

/* ---- machines ------------------------------------------------------------ */

int
interp_read_self(void *arg, uint64_t addr, void *dst, uint64_t n, bool user)
{
	struct iovec to = { .iov_base = dst, .iov_len = n };
	struct iovec from = { .iov_base = (void *)(uintptr_t)addr,
			      .iov_len = n };

	/* Unlike a plain copy this survives bad addresses. */
	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)n
		       ? 0
		       : -1;
}

struct rt *
interp_rt_new(struct rt_host *host)
{
	struct interp *in = calloc(1, sizeof(*in));

	if (in == NULL)
		return NULL;
	in->rt.self = (uintptr_t)&in->rt;
	in->rt.host = (uintptr_t)host;
	in->rt.fault = DIF_FAULT_NONE;
	in->conf.strsize = host->sizes.strsize;
	in->conf.scratchsize = host->sizes.scratchsize;
	in->conf.nslots = 1;
	if (host->mem.conf == NULL)
		host->mem.conf = &in->conf;
	if (host->mem.read == NULL)
		host->mem.read = interp_read_self;
	return &in->rt;
}

void
interp_rt_free(struct rt *rt)
{
	struct interp *in = (struct interp *)rt;

	if (rt == NULL)
		return;
	if (interp_host(rt)->mem.conf == &in->conf)
		interp_host(rt)->mem.conf = NULL;
	free(in);
}
