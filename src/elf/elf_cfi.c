/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * elf_cfi.c - how to find the caller's frame, from the unwind tables.
 *
 * The instructions of an FDE are run once from its first address to its last;
 * wherever an address is passed, what holds up to there is a row.  Only what a
 * walk along the stack needs is kept: how the canonical frame address (CFA) is
 * computed, and where the caller's rbp lies.  The return address is at CFA - 8
 * and the caller's rsp is the CFA, as the psABI has it; where a table says
 * otherwise the walk ends, but for signal frames, whose layout is the kernel's.
 *
 * Other callee-saved registers are not followed.  Compilers compute the CFA
 * from rsp or rbp; hand-written code that uses another register (0.3 % of the
 * bytes of libc, 7 % of libcrypto's) is a row that says "not known", and which
 * register that is: who asks elf_cfi_saved() where a function saves it can go
 * on from the calls of that function.
 *
 * See DWARF 5, section 6.4, and the Linux Standard Base for .eh_frame.
 */
#include "elf/elf_reader.h"

#include <stdlib.h>

#define CFI_DEPTH 8 /* of remembered states; compilers use one or two */

enum cfi_reg { CFI_RBX = 3, CFI_RBP = 6, CFI_RSP = 7, CFI_R12 = 12,
	       CFI_R15 = 15, CFI_RIP = 16 };

/* Where a register of the caller is. */
enum cfi_where { CFI_SAME, CFI_AT_CFA, CFI_AT_RBP, CFI_RESTORER, CFI_UNDEF,
		 CFI_LOST };

struct cfi_saved {
	enum cfi_where where;
	int64_t off;
};

struct cfi_state {
	struct elf_cfi cfa; /* only its CFA */
	uint64_t reg;	    /* the CFA's, where it is a register and off */
	struct cfi_saved rbp, ra, other;
};

struct cfi_run {
	const struct eh_cie *c;
	struct cfi_state now, first, kept[CFI_DEPTH];
	unsigned depth;
	uint64_t addr; /* now holds from here on */
	uint64_t end;
	bool lost; /* something is not understood: nothing is known from here */
	uint64_t only;	/* not 0: the function that begins there, no other */
	uint64_t other; /* 0, or the register that is followed besides */
	elf_cfi_fn *fn;
	void *arg;
};

/* ---- expressions --------------------------------------------------------- */

/* The bytes of an expression; the reader goes on behind them. */
static struct eh_reader
cfi_block(struct eh_reader *r)
{
	uint64_t n = eh_uleb(r);
	struct eh_reader x = *r;

	if (r->bad || n > (uint64_t)(r->end - r->p)) {
		r->bad = x.bad = true;
		return x;
	}
	x.end = r->p + n;
	r->p += n;
	r->addr += n;
	return x;
}

/*
 * The linker's stubs: rsp + 8, and 8 more behind the push, which is so many
 * bytes from the beginning of a stub:
 *	breg7 8; breg16 0; lit15; and; lit<n>; ge; lit3; shl; plus
 */
static bool
cfi_is_stub(struct eh_reader r, struct elf_cfi *out)
{
	static const uint8_t head[] = { DW_OP_breg7, 8, DW_OP_breg16, 0,
					DW_OP_lit15, DW_OP_and };
	static const uint8_t tail[] = { DW_OP_ge, DW_OP_lit3, DW_OP_shl,
					DW_OP_plus };
	const size_t nh = sizeof(head), nt = sizeof(tail);

	if (r.bad || (size_t)(r.end - r.p) != nh + 1 + nt ||
	    memcmp(r.p, head, nh) != 0 || memcmp(r.p + nh + 1, tail, nt) != 0 ||
	    r.p[nh] < DW_OP_lit0 || r.p[nh] > DW_OP_lit15)
		return false;
	*out = (struct elf_cfi){ .cfa = ELF_CFA_STUB,
				 .off = 8,
				 .add = r.p[nh] - DW_OP_lit0 };
	return true;
}

/* The word at rsp or rbp + off, and something added. */
static struct elf_cfi
cfi_expr(struct eh_reader r)
{
	struct elf_cfi out = { .cfa = ELF_CFA_UNKNOWN };
	uint8_t op;

	if (cfi_is_stub(r, &out))
		return out;
	op = (uint8_t)eh_fixed(&r, 1);
	if (op != DW_OP_breg6 && op != DW_OP_breg7)
		return out;
	int64_t off = eh_sleb(&r), add = 0;
	if (eh_fixed(&r, 1) != DW_OP_deref)
		return out;
	if (!r.bad && r.p < r.end) {
		if (eh_fixed(&r, 1) != DW_OP_plus_uconst)
			return out;
		add = (int64_t)eh_uleb(&r);
	}
	if (!r.bad && r.p == r.end)
		out = (struct elf_cfi){ .cfa = op == DW_OP_breg6
						       ? ELF_CFA_RBP_WORD
						       : ELF_CFA_RSP_WORD,
					.off = off,
					.add = add };
	return out;
}

/* Where a register is by an expression. */
static struct cfi_saved
cfi_saved_expr(struct eh_reader r)
{
	struct cfi_saved s = { .where = CFI_LOST };
	uint8_t op = (uint8_t)eh_fixed(&r, 1);

	s.off = eh_sleb(&r);
	if (r.bad || r.p != r.end)
		return s;
	if (op == DW_OP_breg6)
		s.where = CFI_AT_RBP;
	else if (op == DW_OP_breg7)
		s.where = CFI_RESTORER;
	return s;
}

/* ---- rows ---------------------------------------------------------------- */

/* A register by which the CFA is computed: what a row has of it. */
static uint8_t
cfi_kept_reg(const struct cfi_state *s)
{
	bool kept = s->reg == CFI_RBX ||
		    (s->reg >= CFI_R12 && s->reg <= CFI_R15);

	return s->cfa.cfa == ELF_CFA_UNKNOWN && kept ? (uint8_t)s->reg : 0;
}

/* What a state means to the walk. */
static struct elf_cfi
cfi_row(const struct cfi_run *x)
{
	const struct cfi_state *s = &x->now;
	struct elf_cfi row = s->cfa;

	if (x->lost)
		return (struct elf_cfi){ .cfa = ELF_CFA_UNKNOWN };
	if (x->c->signal)
		return (struct elf_cfi){ .cfa = ELF_CFA_SIGNAL };
	if (s->ra.where == CFI_UNDEF)
		return (struct elf_cfi){ .cfa = ELF_CFA_END };
	if (s->ra.where != CFI_AT_CFA || s->ra.off != -8)
		return (struct elf_cfi){ .cfa = ELF_CFA_UNKNOWN };
	switch (s->rbp.where) {
	case CFI_SAME:
		row.rbp = ELF_RBP_SAME;
		break;
	case CFI_AT_CFA:
		row.rbp = ELF_RBP_AT_CFA;
		break;
	case CFI_AT_RBP:
		row.rbp = ELF_RBP_AT_RBP;
		break;
	default:
		row.rbp = ELF_RBP_LOST;
		break;
	}
	row.rbp_off = s->rbp.off;
	row.reg = cfi_kept_reg(s);
	if (x->other != 0 && s->other.where == CFI_AT_CFA)
		row.saved = s->other.off;
	return row;
}

/* The present state holds up to `to`. */
static bool
cfi_advance(struct cfi_run *x, uint64_t to)
{
	struct elf_cfi row;

	if (to > x->end || to < x->addr)
		to = x->end;
	if (to == x->addr)
		return true;
	row = cfi_row(x);
	row.addr = x->addr;
	row.end = to;
	x->addr = to;
	return x->fn(x->arg, &row);
}

static struct cfi_saved *
cfi_saved_of(struct cfi_run *x, struct cfi_state *s, uint64_t reg)
{
	if (reg == CFI_RBP)
		return &s->rbp;
	if (reg == x->c->ra)
		return &s->ra;
	return reg == x->other && reg != 0 ? &s->other : NULL;
}

static void
cfi_save(struct cfi_run *x, uint64_t reg, enum cfi_where where, int64_t off)
{
	struct cfi_saved *s = cfi_saved_of(x, &x->now, reg);

	if (s != NULL)
		*s = (struct cfi_saved){ where, off };
}

static void
cfi_restore(struct cfi_run *x, uint64_t reg)
{
	struct cfi_saved *s = cfi_saved_of(x, &x->now, reg);

	if (s != NULL)
		*s = *cfi_saved_of(x, &x->first, reg);
}

static void
cfi_cfa(struct cfi_run *x, uint64_t reg, int64_t off)
{
	x->now.reg = reg;
	x->now.cfa = (struct elf_cfi){ .cfa = reg == CFI_RSP   ? ELF_CFA_RSP
					      : reg == CFI_RBP ? ELF_CFA_RBP
							: ELF_CFA_UNKNOWN,
				       .off = off };
}

/* ---- instructions -------------------------------------------------------- */

static int64_t
cfi_factored(const struct cfi_run *x, int64_t n)
{
	return (int64_t)((uint64_t)n * (uint64_t)x->c->data_align);
}

/* Those that say where a register is; false: it is another one. */
static bool
cfi_insn_save(struct cfi_run *x, uint8_t op, struct eh_reader *r)
{
	uint64_t reg;

	switch (op) {
	case DW_CFA_offset_extended:
		reg = eh_uleb(r);
		cfi_save(x, reg, CFI_AT_CFA,
			 cfi_factored(x, (int64_t)eh_uleb(r)));
		return true;
	case DW_CFA_offset_extended_sf:
		reg = eh_uleb(r);
		cfi_save(x, reg, CFI_AT_CFA, cfi_factored(x, eh_sleb(r)));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		reg = eh_uleb(r);
		cfi_save(x, reg, CFI_AT_CFA,
			 -cfi_factored(x, (int64_t)eh_uleb(r)));
		return true;
	case DW_CFA_restore_extended:
		cfi_restore(x, eh_uleb(r));
		return true;
	case DW_CFA_undefined:
		cfi_save(x, eh_uleb(r), CFI_UNDEF, 0);
		return true;
	case DW_CFA_same_value:
		cfi_save(x, eh_uleb(r), CFI_SAME, 0);
		return true;
	case DW_CFA_register:
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
		reg = eh_uleb(r);
		cfi_save(x, reg, CFI_LOST, 0);
		eh_uleb(r);
		return true;
	case DW_CFA_expression:
	case DW_CFA_val_expression: {
		reg = eh_uleb(r);
		struct cfi_saved s = cfi_saved_expr(cfi_block(r));
		if (op == DW_CFA_val_expression)
			s.where = CFI_LOST;
		cfi_save(x, reg, s.where, s.off);
		return true;
	}
	default:
		return false;
	}
}

/* Those that say how the CFA is computed; false: it is another one. */
static bool
cfi_insn_cfa(struct cfi_run *x, uint8_t op, struct eh_reader *r)
{
	uint64_t reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = eh_uleb(r);
		cfi_cfa(x, reg, (int64_t)eh_uleb(r));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = eh_uleb(r);
		cfi_cfa(x, reg, cfi_factored(x, eh_sleb(r)));
		return true;
	case DW_CFA_def_cfa_register:
		cfi_cfa(x, eh_uleb(r), x->now.cfa.off);
		return true;
	case DW_CFA_def_cfa_offset:
		cfi_cfa(x, x->now.reg, (int64_t)eh_uleb(r));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		cfi_cfa(x, x->now.reg, cfi_factored(x, eh_sleb(r)));
		return true;
	case DW_CFA_def_cfa_expression:
		x->now.cfa = cfi_expr(cfi_block(r));
		x->now.reg = CFI_RIP; /* none */
		return true;
	default:
		return false;
	}
}

static void
cfi_remember(struct cfi_run *x)
{
	if (x->depth == CFI_DEPTH)
		x->lost = true;
	else
		x->kept[x->depth++] = x->now;
}

/* Those that say where what follows holds; false: it is not understood. */
static bool
cfi_insn_place(struct cfi_run *x, uint8_t op, struct eh_reader *r, bool *go_on)
{
	uint64_t n = 0;

	switch (op) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_GNU_args_size:
		eh_uleb(r);
		return true;
	case DW_CFA_remember_state:
		cfi_remember(x);
		return true;
	case DW_CFA_restore_state:
		if (x->depth == 0)
			return false;
		x->now = x->kept[--x->depth];
		return true;
	case DW_CFA_set_loc:
		*go_on = cfi_advance(x, eh_addr(r, x->c->enc));
		return true;
	case DW_CFA_advance_loc1:
		n = eh_fixed(r, 1);
		break;
	case DW_CFA_advance_loc2:
		n = eh_fixed(r, 2);
		break;
	case DW_CFA_advance_loc4:
		n = eh_fixed(r, 4);
		break;
	default:
		return false;
	}
	*go_on = cfi_advance(x, x->addr + n * x->c->code_align);
	return true;
}

/* Run all instructions.  False: the caller wants no more rows. */
static bool
cfi_insns(struct cfi_run *x, struct eh_reader r)
{
	bool go_on = true;

	while (go_on && r.p < r.end && !x->lost) {
		uint8_t op = (uint8_t)eh_fixed(&r, 1), low = op & 0x3f;

		switch (op & 0xc0) {
		case DW_CFA_advance_loc:
			go_on = cfi_advance(x, x->addr +
						       low * x->c->code_align);
			break;
		case DW_CFA_offset:
			cfi_save(x, low, CFI_AT_CFA,
				 cfi_factored(x, (int64_t)eh_uleb(&r)));
			break;
		case DW_CFA_restore:
			cfi_restore(x, low);
			break;
		default:
			if (!cfi_insn_save(x, op, &r) &&
			    !cfi_insn_cfa(x, op, &r) &&
			    !cfi_insn_place(x, op, &r, &go_on))
				x->lost = true;
		}
		if (r.bad)
			x->lost = true;
	}
	return go_on;
}

static bool
cfi_fde(void *arg, const struct elf_fde *d, const struct eh_cie *c,
	const struct eh_reader *insns)
{
	const struct cfi_run *to = arg;
	struct cfi_run x = { .c = c,
			     .other = to->other,
			     .fn = to->fn,
			     .arg = to->arg };
	struct eh_reader first = { .p = c->insns, .end = c->insns_end };

	if (to->only != 0 && d->addr != to->only)
		return true;
	/* What a CIE says holds at the first address: it advances nowhere. */
	x.now.cfa.cfa = ELF_CFA_UNKNOWN;
	(void)cfi_insns(&x, first);
	x.first = x.now;
	x.depth = 0;
	x.addr = d->addr;
	x.end = d->addr + d->size;
	return cfi_insns(&x, *insns) && cfi_advance(&x, x.end);
}

bool
elf_cfi_rows(struct elf_file *f, bool debug, elf_cfi_fn *fn, void *arg)
{
	struct cfi_run to = { .fn = fn, .arg = arg };
	struct eh_frame x;

	return eh_open(f, &x, debug) && eh_each(&x, cfi_fde, &to);
}

bool
elf_cfi_saved(struct elf_file *f, uint64_t addr, uint8_t reg, elf_cfi_fn *fn,
	      void *arg)
{
	struct cfi_run to = {
		.only = addr, .other = reg, .fn = fn, .arg = arg
	};
	struct eh_frame x;

	return eh_open(f, &x, false) && eh_each(&x, cfi_fde, &to);
}
