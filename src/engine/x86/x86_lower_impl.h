/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * x86_lower_impl.h - what the files that lower clauses to native code share.
 *
 *   x86_lower.c       a handler as a whole: frame, both passes, in-place form
 *   x86_lower_frame.c finding the machine, calls, the cold parts
 *   x86_lower_user.c  the interrupted thread: registers, arguments, time, CPU
 *   x86_lower_dif.c   DIF objects: arithmetic, branches, memory, tuples
 *   x86_lower_var.c   DIF objects: variables
 *   x86_lower_rec.c   clauses, statements, records
 *   x86_lower_agg.c   aggregations
 *   x86_lower_scan.c  what clauses use, found before code is made
 *
 * REGISTERS
 *
 *   rbx            struct rt of the firing
 *   rbp            the record that is being written
 *   r12-r15, r9-11 DIF's r1 .. r7 (the last three are kept in the frame
 *                  across calls)
 *   rax rcx rdx    whatever is being computed; rdi rsi r8 too, near calls
 *
 * All registers are the interrupted thread's, and the trampoline saves only
 * what the handler names.  So code is generated several times: first as if all
 * were saved, to see which ones it writes; at last with just those.  What is
 * not saved still holds the thread's value, what is saved lies in the frame.
 *
 * FRAME, from rsp upwards
 *
 *   slots      8 bytes each, lower.nslots of them; where stacks are short
 *              (rtn_shared.stacks) the first lower.early, and the others lie
 *              at the lower end of the machine's own stack, on which bodies
 *              are called then
 *   return     only out of line
 *   registers  of lower.saves, the highest number lowest
 *   flags, red zone: the trampoline's
 *
 * COLD parts (faults, first use of a cell, a miss) are put behind the hot ones
 * in the order in which they were asked for.  A call in a cold part saves the
 * caller-saved registers itself, so that the hot path need not.
 */
#ifndef ENGINE_X86_X86_LOWER_IMPL_H
#define ENGINE_X86_X86_LOWER_IMPL_H

#include "base/arena.h"
#include "dif/dif.h"
#include "engine/x86/x86_emit.h"
#include "rt/engine.h"
#include "rt/rt_native_body.h"

#define LOWER_RT X86_RBX
#define LOWER_REC X86_RBP

#define LOWER_CALLER                                                        \
	(X86_R(X86_RAX) | X86_R(X86_RCX) | X86_R(X86_RDX) | X86_R(X86_RSI) | \
	 X86_R(X86_RDI) | X86_R(X86_R8) | X86_R(X86_R9) | X86_R(X86_R10) |   \
	 X86_R(X86_R11))
#define LOWER_CALLEE                                                         \
	(X86_R(X86_RBX) | X86_R(X86_RBP) | X86_R(X86_R12) | X86_R(X86_R13) | \
	 X86_R(X86_R14) | X86_R(X86_R15))

/* A field of struct rt as an operand. */
#define RT_M(field) x86_m(LOWER_RT, (int32_t)offsetof(struct rt, field))
#define RT_DISP(field) ((int32_t)offsetof(struct rt, field))

/* What is known of rt.now at a point of the code. */
enum lower_now { NOW_NO, NOW_MAYBE, NOW_YES };

/* Facts that one pass finds and the next one uses. */
struct lower_facts {
	uint32_t used;	/* registers written */
	uint32_t nslots;
	bool calls;	/* calls bodies that look at the firing, or faults */
	bool cold_calls; /* calls others, in cold parts */
	bool faults;	/* may fault */
	bool strings;	/* uses string instructions */
	bool now_zero;	/* rt.now must be 0 at the start */
	bool site;	/* reads its struct rtn_site */
	bool epid;	/* rt.epid must be set */
	/* what lower_scan() tells: rt.arg[], rt.ureg[], its part for stacks,
	   the error of a system call there; this-> */
	bool args_mem, uregs, stack, errno_mem, locals;
	uint32_t args; /* bit n: arg<n> is used */
};

struct lower;

/* A piece of code away from the main path: at .. jump to back. */
struct lower_cold {
	struct lower_cold *next;
	struct x86_label at, back;
	void (*emit)(struct lower *l, struct lower_cold *c);
	uint32_t off, action; /* of a fault */
	int32_t fault;	      /* enum dif_fault, or -1: rt.fault has it */
	struct x86_label *to; /* where a fault goes on */
	uint32_t slot;
	const struct dif_aggvar *agg;
	int32_t disp;
};

struct lower {
	struct x86_buf *b;
	const struct x86_target *t;
	const struct x86_handler_in *in;
	struct arena *a; /* of one pass */
	struct err *e;
	bool failed;

	bool dry;	 /* for its facts only */
	bool inl;	 /* in place, for `site` */
	bool error;	 /* ERROR clauses: a function of its own */
	uint32_t site;
	uint64_t code;	 /* in place: the out-of-line form */
	uint32_t saves;	 /* by the trampoline */
	uint32_t nslots, top; /* slots: as many as the frame has; in use */
	uint32_t early;	 /* the first ones, used before the machine is known */
	uint32_t pushed; /* bytes on the stack beyond the frame */
	struct lower_facts want; /* what the pass before found */
	struct lower_facts f;	 /* what this pass finds */
	enum lower_now now;
	struct lower_cold *cold, **coldp, spare;
	uint64_t *strtabs;	 /* addresses; in order of lower_each_obj() */

	struct x86_label done, out;

	/* the present clause: its fault part, whose `back` is its end */
	struct lower_cold *clause;
	enum lower_now skip_now; /* where it is left early */
	uint32_t action;
	uint32_t epid;	  /* counted from the probe's first; error: itself */
	uint32_t statics; /* offset of the next static cell */
	uint32_t site_slot;
	const struct dif_obj *const *objs; /* with string constants */
	uint32_t nobjs;

	/* code that keeps all registers: not looked at for `used` */
	struct {
		size_t from, to;
	} *shields;
	size_t nshields;
};

/* ---- x86_lower_frame.c --------------------------------------------------- */

/* The handler cannot be made, for the reason given: -1, and lower.failed. */
int lower_fail(struct lower *l, const char *what);
int lower_nomem(struct lower *l); /* likewise: there is no memory */
/* A fresh slot of the frame, until lower.top is set back. */
uint32_t lower_slot(struct lower *l);
/* Bytes of the frame that are on the thread's stack. */
uint32_t lower_frame_size(const struct lower *l);
struct x86_mem lower_slot_m(const struct lower *l, uint32_t slot);
/* A new cold part that `emit` will write; owned by the arena. */
struct lower_cold *
lower_cold(struct lower *l, void (*emit)(struct lower *, struct lower_cold *));
void lower_cold_emit(struct lower *l);
/* Call a body; arguments are in place but for rdi, which is set to rt. */
void lower_call(struct lower *l, enum rtn_fn fn);
void lower_call_at(struct lower *l, uint64_t addr);
/* The same on the thread's stack in any case: what the body does may outlast
   the firing. */
void lower_call_here(struct lower *l, enum rtn_fn fn);
/* Around a call in a cold part: all registers but rax stay as they are. */
void lower_shield(struct lower *l);
void lower_unshield(struct lower *l);
void lower_call_cold(struct lower *l, enum rtn_fn fn);
/* From the trampoline's state to a machine in rbx, busy; label out: none. */
void lower_enter(struct lower *l);
/* Leave the firing if the trace is not active any more; changes rax. */
void lower_if_active(struct lower *l);
#define LOWER_RED_ZONE 128 /* bytes below the stack pointer that code may use */
/* Stacks that can be borrowed: n of them, `step` bytes apart; `off`: of the
   first one's word that says whether it is, in struct rtn_shared. */
struct lower_lent {
	size_t off;
	uint32_t step, n;
};
/* `at` = the address of such a word of one that is ours from now on; changes
   tmp.  On to `none` if all are taken; then the firing is counted as lost. */
void lower_borrow(struct x86_buf *b, const struct rtn_shared *sh,
		  const struct lower_lent *of, unsigned at, unsigned tmp,
		  struct x86_label *none);
/* dst = the fs base, by which the thread is known.  Flags change.  red_zone:
   what lies below the stack pointer is still the program's. */
void lower_fs_base(struct x86_buf *b, const struct x86_target *t,
		   unsigned dst, bool red_zone);
/* The place of the thread's first home, in bytes from that of all; changes the
   flags. */
#define LOWER_HOMES_MASK ((RTN_NHOMES - 1) * sizeof(struct rtn_home))
void lower_home(struct x86_buf *b, unsigned dst, unsigned fs_base);
/* The home with that place in register off, and a field of ctl.  tmp: holds an
   address then, if none of 31 bits will do. */
struct x86_mem lower_home_m(struct x86_buf *b, const struct x86_target *t,
			    unsigned off, unsigned tmp);
struct x86_mem lower_ctl_m(struct x86_buf *b, const struct x86_target *t,
			   size_t off, unsigned tmp);
/* True if these need no tmp: what they name has addresses of 32 bits. */
bool lower_is_low(const struct x86_target *t);
/* Load 4 or 8 bytes of the site's struct. */
void lower_site(struct lower *l, unsigned size, unsigned dst, size_t off);
void lower_zero(struct lower *l, unsigned base, int32_t disp, uint32_t n);
/* Registers that code [from, to) writes, outside shields. */
uint32_t lower_written(const struct lower *l, size_t from, size_t to);
void lower_print(const struct x86_buf *b, size_t from, const char *what);

/* ---- x86_solo.c ---------------------------------------------------------- */

/* x86_lower() and x86_handler_inline() of handlers that only count. */
void lower_solo(const struct x86_target *t, const struct x86_handler_in *in,
		struct x86_handler *out);
void lower_solo_inline(struct x86_buf *b, const struct x86_target *t,
		       const struct x86_handler *h, uint32_t site);
/*
 * The same, with what seldom runs left for later: lower_solo_late() writes it,
 * behind code that does not go on there.  late->syscall, set by the caller:
 * before or after a system call, where flags are dead; saves nothing, changes
 * rcx and r11.  False, and nothing written: h, or this target, is not for it.
 */
struct lower_late {
	struct x86_label miss, back, out;
	bool syscall;
};
bool lower_solo_begin(struct x86_buf *b, const struct x86_target *t,
		      const struct x86_handler *h, uint32_t site,
		      struct lower_late *late);
void lower_solo_late(struct x86_buf *b, const struct x86_target *t,
		     struct lower_late *late);

/* ---- x86_lower_user.c ---------------------------------------------------- */

void lower_user_reg(struct lower *l, unsigned dst, unsigned reg);
void lower_arg(struct lower *l, uint32_t n, unsigned dst);
void lower_errno(struct lower *l); /* to rax; also rcx */
/* Past the clauses, unless the conditions of the site hold. */
void lower_when(struct lower *l);
/* Fill rt.arg[], rt.ureg[] as the clauses want them. */
void lower_user_fill(struct lower *l);
void lower_now(struct lower *l);       /* raw time to rax; also rdx */
/* ns to rax; also rcx, rdx; where raw times are ticks */
void lower_timestamp(struct lower *l);
void lower_cpu(struct lower *l);       /* to eax */

/* ---- x86_lower_dif.c ----------------------------------------------------- */

/* The object's value to rax; a fault leaves the clause. */
void lower_obj(struct lower *l, const struct dif_obj *o);
/* Jump there if rt.fault is set: the fault's offset, or -1. */
void lower_check_fault(struct lower *l, uint32_t off);
/* Fault at this place: a label to jump to. */
struct x86_label *lower_fault_label(struct lower *l, int32_t fault,
				    uint32_t off);

struct lower_dif {
	const struct dif_obj *o;
	uint32_t pc;
	struct x86_label *label; /* [ntext] */
	uint8_t *target, *known; /* [ntext]; known: registers written */
	struct x86_label end;
	bool early_ret;	    /* something jumps to end */
	bool lazy;	    /* flags are kept as two numbers in slots */
	uint32_t fa, fb;    /* those slots */
	uint32_t spill;	    /* DIF registers to keep across calls */
	uint32_t spill_slot[3];
	enum lower_now now;
};
/* The machine register of DIF register n, not 0. */
unsigned lower_reg(unsigned n);
/* The register that holds n's value: tmp, zeroed, for r0. */
unsigned lower_src(struct lower *l, unsigned n, unsigned tmp);
void lower_obj_call(struct lower *l, struct lower_dif *lo, enum rtn_fn fn);
void lower_obj_call_at(struct lower *l, struct lower_dif *lo, uint64_t addr);

/* ---- x86_lower_var.c ----------------------------------------------------- */

void lower_ldv(struct lower *l, struct lower_dif *lo, unsigned scope,
	       uint32_t id, unsigned rd);
void lower_stv(struct lower *l, struct lower_dif *lo, unsigned scope,
	       uint32_t id, unsigned rs);
/* args[idx], uregs[idx]. */
void lower_lda(struct lower *l, struct lower_dif *lo, uint32_t id,
	       unsigned idx, unsigned rd);
void lower_assoc(struct lower *l, struct lower_dif *lo, unsigned scope,
		 uint32_t id, unsigned reg, bool store);

/* ---- x86_lower_rec.c ----------------------------------------------------- */

void lower_clause(struct lower *l, const struct dif_clause *cl);
/* Evaluate e and put it at [base + disp]. */
void lower_value(struct lower *l, const struct dif_expr *e, unsigned base,
		 int32_t disp);

/* ---- x86_lower_agg.c ----------------------------------------------------- */

void lower_agg(struct lower *l, const struct dif_stmt *st);
bool lower_agg_static(const struct dif_stmt *st);

/* ---- x86_lower_scan.c ---------------------------------------------------- */

/* Facts that the objects of a clause tell, added to *f. */
void lower_scan(const struct dif_clause *cl, struct lower_facts *f);
bool lower_obj_has(const struct dif_obj *o, unsigned op);
/* Objects of the clauses that have string constants, in order. */
int lower_strtabs(struct lower *l);
/* The address of the object's string table in the code. */
uint64_t lower_strtab(const struct lower *l, const struct dif_obj *o);
/* True if the i-th ECB of the enabling is an ERROR probe's. */
bool lower_is_error(const struct dif_enabling *en, uint32_t ecb);

#endif
