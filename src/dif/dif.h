/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dif.h - the door of the DIF room: the vocabulary that the compiler, the
 * engines and the consumer share.
 *
 * D text is compiled to programs: clauses made of statements made of
 * expressions, each expression a DIF object (a little program for a 64-bit
 * register machine with forward branches only).  The interpreter
 * (engine/interp) defines what DIF means.
 *
 *   struct dif_prog      what one compile yields: clauses
 *     struct dif_clause  probe description, predicate, statements, layout
 *       struct dif_stmt  one action or aggregating statement
 *         struct dif_expr  one value: DIF object, or a value engines know how
 *                          to make without DIF (stack, probe name)
 *   struct dif_tab       the variables and aggregations of a trace: one per
 *                        libdtrace handle, shared by all its programs
 *   struct dif_enabling  probes x clauses, what an engine is given to run
 *
 * Idea and numbers: the Dynamic Tracing Guide and the OpenDTrace
 * specification.
 */
#ifndef DIF_DIF_H
#define DIF_DIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

/* ---- the machine ------------------------------------------------------ */

typedef uint32_t dif_instr_t;

#define DIF_NREGS 8	/* r0 reads as 0 and is never written */
#define DIF_NTUPLE 8	/* entries of the tuple stack */
#define DIF_TEXT_MAX 65536
#define DIF_NARGS 12 /* arguments of a probe: args[], notes of static probes;
			arg0 .. arg9 are the first of them */

enum dif_op {
#define OP(num, NAME, mnem, fmt, scope, faults) DIF_OP_##NAME = num,
#include "dif/op.def"
#undef OP
	DIF_OP_MAX
};

enum dif_form {
	DIF_FMT_BAD,
	DIF_FMT_NONE, DIF_FMT_R3, DIF_FMT_R2, DIF_FMT_CMP, DIF_FMT_TST,
	DIF_FMT_BR, DIF_FMT_LD, DIF_FMT_ST, DIF_FMT_RET, DIF_FMT_SETX,
	DIF_FMT_SETS, DIF_FMT_LDV, DIF_FMT_STV, DIF_FMT_LDA, DIF_FMT_CALL,
	DIF_FMT_PUSH, DIF_FMT_XL
};

enum dif_scope {
	DIF_SCOPE_GLOBAL,
	DIF_SCOPE_THREAD,
	DIF_SCOPE_LOCAL,
	DIF_SCOPE_NONE
};

/* Whether an instruction can fault.  VAR: see the needs of its variable. */
enum dif_op_faults { DIF_FAULTS_NEVER, DIF_FAULTS_MAY, DIF_FAULTS_VAR };

struct dif_op_info {
	const char *mnem; /* NULL: no such opcode */
	enum dif_form fmt;
	enum dif_scope scope; /* of the variable it loads or stores */
	enum dif_op_faults faults;
};
extern const struct dif_op_info dif_op_info[256];
/* True if an instruction with that opcode writes its rd.  (Stores, compares and
   copys read it.) */
bool dif_op_writes_rd(unsigned op);

/*
 * Instruction fields, from the highest byte: the opcode, then, by its format
 * (op.def), two sources and a destination register (R), a label of 24 bits (B),
 * or an index of 16 bits and a destination register (W).
 */
#define DIF_OP(i) ((unsigned)(i) >> 24)
#define DIF_R1(i) (((i) >> 16) & 0xffu)
#define DIF_R2(i) (((i) >> 8) & 0xffu)
#define DIF_RD(i) ((i)&0xffu)
#define DIF_LABEL(i) ((i)&0xffffffu)
#define DIF_IDX(i) (((i) >> 8) & 0xffffu)
/* Of an instruction whose scope is not NONE: the variable's number. */
#define DIF_VARNUM(i) \
	(dif_op_info[DIF_OP(i)].fmt == DIF_FMT_LDA ? DIF_R1(i) : DIF_IDX(i))
#define DIF_INSTR_R(op, r1, r2, rd)                                    \
	((dif_instr_t)(((uint32_t)(op) << 24) | ((uint32_t)(r1) << 16) | \
		       ((uint32_t)(r2) << 8) | (uint32_t)(rd)))
#define DIF_INSTR_B(op, label) \
	((dif_instr_t)(((uint32_t)(op) << 24) | (uint32_t)(label)))
#define DIF_INSTR_W(op, idx, rd)                                        \
	((dif_instr_t)(((uint32_t)(op) << 24) | ((uint32_t)(idx) << 8) | \
		       (uint32_t)(rd)))

/* ---- built-in variables, subroutines, actions, aggregations, faults --- */

enum dif_engines {
	DIF_ENG_NONE = 0,
	DIF_ENG_I = 1,
	DIF_ENG_K = 2,
	DIF_ENG_P = 4,
	DIF_ENG_IK = 3,
	DIF_ENG_IP = 5,
	DIF_ENG_IKP = 7
};

#define DIF_VAR_ARRAY_MAX 0xff	 /* ids of built-in arrays: 0..0xff */
#define DIF_VAR_USER_MIN 0x500	 /* ids of user variables, per scope */
#define DIF_VAR_MAX 0xffff

enum dif_var_kind { DIF_VK_ARRAY, DIF_VK_SCALAR };

/* What an engine must have ready before programs that use a variable or a
   subroutine run; a set. */
enum dif_needs {
	DIF_NEED_0 = 0,
	DIF_NEED_SCRATCH = 1, /* bytes of scratch: it may fault */
	DIF_NEED_ARGS = 2,    /* arguments of the process, to scratch */
	DIF_NEED_VTIME = 4,   /* how long threads have run */
	DIF_NEED_PREEMPT = 8, /* whether an interrupt is served */
	DIF_NEED_TASKS = 16,  /* parents of processes */
	DIF_NEED_DPATH = 32,  /* the kernel's names of files */
	DIF_NEED_COPYOUT = 64, /* writing to the process */
	DIF_NEED_SPEC = 128,  /* speculations */
	DIF_NEED_RAWARGS = 256, /* all arguments of the probe */
	DIF_NEED_UREGS = 512, /* user registers */
	DIF_NEED_USTACK = 1024, /* the user stack of what fires */
	DIF_NEED_KSTACK = 2048, /* its kernel stack */
	DIF_NEED_SYSERR = 4096, /* the error of a system call */
	DIF_NEED_CPUS = 8192, /* where CPUs are */
	DIF_NEED_USER = 16384, /* reading memory of the process */
	DIF_NEED_CGROUP = 32768, /* the path of its cgroup, to scratch */
	DIF_NEED_NSPID = 65536 /* numbers in the process's own namespace */
};

enum dif_builtin {
#define VAR(id, name, type, kind, bound, i, k, p, needs, stab, what) \
	DIF_VAR_##name = id,
#include "dif/var.def"
#undef VAR
};

enum dif_builtin_kind { DIF_BK_SCALAR, DIF_BK_ARRAY, DIF_BK_ARGS };
struct dif_builtin_info {
	uint32_t id;
	const char *name;
	const char *type; /* D text */
	enum dif_builtin_kind kind;
	uint32_t bound;
	unsigned engines; /* enum dif_engines */
	enum dif_needs needs;
	const char *stability;
	const char *what;
};
extern const struct dif_builtin_info dif_builtins[];
extern const size_t dif_nbuiltins;
const struct dif_builtin_info *dif_builtin_by_id(uint32_t id); /* or NULL */
const struct dif_builtin_info *dif_builtin_by_name(const char *name);
/* What the variable that an instruction loads, or the subroutine that it calls,
   needs; 0 for all others. */
unsigned dif_instr_needs(dif_instr_t i);

enum dif_subr {
#define SUBR(id, name, proto, eng, flags, needs) DIF_SUBR_##name = id,
#include "dif/subr.def"
#undef SUBR
};
#define DIF_SUBR_MAX 64
#define DIF_SUBR_F_DESTRUCTIVE 1u
struct dif_subr_info {
	uint32_t id;
	const char *name;
	const char *proto;
	unsigned engines;
	unsigned flags;
	enum dif_needs needs;
};
extern const struct dif_subr_info dif_subrs[];
extern const size_t dif_nsubrs;
const struct dif_subr_info *dif_subr_by_id(uint32_t id);
const struct dif_subr_info *dif_subr_by_name(const char *name);
/* Why Linux cannot have a subroutine of that name; NULL: none is known. */
const char *dif_subr_missing(const char *name);

enum dif_act_kind {
	DIF_ACT_NONE = 0, /* an expression for its side effect only */
#define ACT(code, NAME, name, class, proto, eng) DIF_ACT_##NAME = code,
#include "dif/act.def"
#undef ACT
#define AGG(code, name, words, map, shown, bounds, min, max, proto) \
	DIF_AGG_##name = code,
#include "dif/agg.def"
#undef AGG
};
#define DIF_ACT_IS_AGG(k) (((unsigned)(k) >> 8) == 0x07)

enum dif_act_class { DIF_AC_DATA, DIF_AC_CONSUMER, DIF_AC_CONTROL, DIF_AC_SPEC,
		     DIF_AC_DESTRUCTIVE, DIF_AC_KEY };
struct dif_act_info {
	uint32_t code;
	const char *name;
	enum dif_act_class cls;
	const char *proto;
	unsigned engines;
};
extern const struct dif_act_info dif_acts[];
extern const size_t dif_nacts;
const struct dif_act_info *dif_act_by_code(uint32_t code);
const struct dif_act_info *dif_act_by_name(const char *name);
/* Why the action of this name, known elsewhere, cannot exist here; NULL: it is
   not one of those. */
const char *dif_act_absent(const char *name);
/* Speculative actions have the id of their speculation as only expression. */
#define DIF_ACT_IS_SPEC(k) (((unsigned)(k) >> 8) == 0x06)
/* True if the expressions of such a statement have places in the clause's
   record. */
static inline bool
dif_act_records(uint32_t kind)
{
	return kind != DIF_ACT_NONE && !DIF_ACT_IS_AGG(kind) &&
	       !DIF_ACT_IS_SPEC(kind);
}
/* True if the action shows its values one after the other, each by its kind:
   trace(), stacks, symbols. */
bool dif_act_shows(uint32_t kind);
/* True if the action does all its work when the probe fires and leaves none to
   the consumer. */
static inline bool
dif_act_at_probe(uint32_t kind)
{
	return kind == DIF_ACT_STOP || kind == DIF_ACT_RAISE ||
	       kind == DIF_ACT_CHILL;
}

enum dif_aggword {
	DIF_AW_END,
#define AGGWORD(NAME, words, start, what) DIF_AW_##NAME,
#include "dif/aggword.def"
#undef AGGWORD
	DIF_NAGGWORDS
};
struct dif_aggword_info {
	uint32_t words;
	uint64_t start;
};
extern const struct dif_aggword_info dif_aggwords[DIF_NAGGWORDS];

#define DIF_AGG_NWORDS 4 /* most words of a cell that is no histogram's */
enum dif_agg_map { DIF_MAP_NO, DIF_MAP_RT, DIF_MAP_OWN };
struct dif_agg_info {
	uint32_t code;
	const char *name;
	/* What the cell is made of; DIF_AW_END is behind the last. */
	enum dif_aggword word[DIF_AGG_NWORDS];
	enum dif_agg_map map;
	bool hist, bounds;
	uint32_t values; /* run-time values before an increment: 0 or 1 */
	uint32_t min, max; /* arguments */
	const char *proto;
};
extern const struct dif_agg_info dif_aggfuncs[];
extern const size_t dif_naggfuncs;
const struct dif_agg_info *dif_agg_by_code(uint32_t code);
const struct dif_agg_info *dif_agg_by_name(const char *name);
/* True if a cell must get its start before the first value: zero is none. */
bool dif_agg_starts(uint32_t func);

/*
 * The packed bounds (struct dif_aggvar.arg):
 * lquantize: step<<48 | levels<<32 | (uint32_t)base.
 * llquantize: factor<<48 | low<<32 | high<<16 | steps.
 */
#define DIF_LQ_STEP(a) ((uint32_t)((a) >> 48))
#define DIF_LQ_LEVELS(a) ((uint32_t)(((a) >> 32) & 0xffff))
#define DIF_LQ_BASE(a) ((int32_t)(uint32_t)(a))
#define DIF_LLQ_FACTOR(a) ((uint32_t)((a) >> 48))
#define DIF_LLQ_LOW(a) ((uint32_t)(((a) >> 32) & 0xffff))
#define DIF_LLQ_HIGH(a) ((uint32_t)(((a) >> 16) & 0xffff))
#define DIF_LLQ_STEPS(a) ((uint32_t)((a)&0xffff))
/* 64-bit words of a cell of this function with these bounds. */
uint32_t dif_agg_words(uint32_t func, uint64_t arg);
/*
 * The bucket of a value: index into the cell (quantize 0..126, lquantize
 * 0..levels+1: 0 underflow, last overflow; llquantize 0..words-1, with that of
 * zero in the middle and those of negative numbers below it, as in a mirror).
 */
uint32_t dif_quantize_bucket(int64_t v);
uint32_t dif_lquantize_bucket(uint64_t arg, int64_t v);
uint32_t dif_llquantize_bucket(uint64_t arg, int64_t v);
/* The bucket of zero (llquantize: and of all below the lowest magnitude); by
   the function's code, 0 for those that have no buckets. */
uint32_t dif_quantize_zero(uint64_t arg);
uint32_t dif_lquantize_zero(uint64_t arg);
uint32_t dif_llquantize_zero(uint64_t arg);
uint32_t dif_agg_zero(uint32_t func, uint64_t arg);
/* What is in bucket i of a histogram with these bounds. */
struct dif_bucket {
	enum {
		DIF_BUCKET_FROM,   /* at and above v, up to the next bucket */
		DIF_BUCKET_LAST,   /* all at and above v */
		DIF_BUCKET_BELOW,  /* all below v */
		DIF_BUCKET_UPTO,   /* all at and below v */
		DIF_BUCKET_NEARER  /* all nearer to zero than v */
	} is;
	int64_t v;
};
struct dif_bucket dif_agg_bucket(uint32_t func, uint64_t arg, uint32_t i);
/* The least value of a bucket (llquantize: the one nearest to zero). */
int64_t dif_quantize_value(uint32_t bucket);
int64_t dif_lquantize_value(uint64_t arg, uint32_t bucket);
int64_t dif_llquantize_value(uint64_t arg, uint32_t bucket);

enum dif_fault {
#define FAULT(num, NAME, text, addr) DIF_FAULT_##NAME = num,
#include "dif/fault.def"
#undef FAULT
	DIF_FAULT_NONE = 0xffff /* never a fault number */
};
/* "invalid address" ...; "unknown fault" for numbers not in the table. */
const char *dif_fault_text(uint32_t fault);
/* What comes with the fault; the last column of fault.def. */
enum dif_fault_value { DIF_FV_NONE, DIF_FV_ADDR, DIF_FV_INDEX };
enum dif_fault_value dif_fault_value(uint32_t fault);

/* ---- DIF objects ------------------------------------------------------- */

/* Type record: 8 bytes, as in DOF. */
struct dif_type {
	uint8_t kind;  /* DIF_TYPE_* */
	uint8_t ckind; /* enum dif_ckind, for the -S listing and printing */
	uint8_t flags; /* DIF_TF_* */
	uint8_t pad;
	uint32_t size; /* bytes; 0: void, or (string) the strsize option */
};
#define DIF_TYPE_CTF 0
#define DIF_TYPE_STRING 1
#define DIF_TF_BYREF 1u	 /* the register holds the value's address */
#define DIF_TF_USER 2u	 /* the address is a user one */
#define DIF_TF_SIGNED 4u /* integer is signed (recording, printing) */
enum dif_ckind { DIF_CK_VOID, DIF_CK_INT, DIF_CK_FLOAT, DIF_CK_PTR,
		 DIF_CK_ARRAY, DIF_CK_FUNC, DIF_CK_STRUCT, DIF_CK_UNION,
		 DIF_CK_ENUM, DIF_CK_STRING };

struct dif_var {
	uint32_t name; /* offset in strtab */
	uint32_t id;
	uint8_t kind;  /* enum dif_var_kind */
	uint8_t scope; /* enum dif_scope */
	uint16_t flags; /* DIF_VF_* */
	struct dif_type type;
};
#define DIF_VF_REF 1u
#define DIF_VF_MOD 2u

/* A DIF object.  Immutable once validated; owned by its program's arena. */
struct dif_obj {
	dif_instr_t *text;
	uint32_t ntext;
	uint64_t *inttab;
	uint32_t nint;
	char *strtab; /* offset 0 is "" */
	uint32_t strlen; /* bytes of strtab, final NUL included */
	struct dif_var *vartab;
	uint32_t nvar;
	struct dif_type rtype;
	bool destructive;
	bool kernel; /* names an address in the kernel: `symbol */
};

/*
 * Check everything that engines rely on; dif_validate.c lists it.  Returns 0,
 * or -1 with *e naming the rule and the offset.
 */
int dif_validate(const struct dif_obj *o, struct err *e);

/*
 * Write the object in the layout of `dtrace -S`: a heading line
 * "DIFO %p returns D type..." is the caller's; this writes
 * "OFF OPCODE      INSTRUCTION", one line per instruction with `!` comments
 * naming variables, integers and strings, and the table of variables.
 */
void dif_disasm(const struct dif_obj *o, struct buf *out);
/* A type as -S shows it: "D type (integer) (size 4)". */
void dif_type_text(const struct dif_type *t, struct buf *out);

/*
 * Assemble text (mnemonics as dif_disasm prints them, `label:` lines,
 * directives .int/.str/.var/.ret; see dif_asm.c) into an object in arena a.
 * NULL with *e on error.  For tests.
 */
struct dif_obj *dif_asm(struct arena *a, const char *text, struct err *e);

/*
 * A random valid object for differential tests: deterministic for a seed.
 * Uses registers, branches, integer and string operations, subroutines of
 * the engines given, variables of tab (it may use ids of *tab only).
 */
struct dif_tab;
struct dif_obj *dif_random(struct arena *a, uint64_t seed,
			   const struct dif_tab *tab, unsigned engines);

/* ---- programs ---------------------------------------------------------- */

/* A probe description; fields are never NULL, "" matches everything. */
struct dif_pdesc {
	uint32_t id; /* not 0: exactly this probe, the strings are not used */
	const char *prov, *mod, *func, *name;
};

/* True if a description names a probe (or its function and name), rather than
   matching what is there: then it is an error that it can have no place. */
bool dif_pdesc_names(const struct dif_pdesc *pd);

/* Where the value of an expression comes from. */
enum dif_src {
	DIF_SRC_OBJ,	/* run obj; the result is the value */
	DIF_SRC_NAME,	/* a part of the probe's name: record u32 probe id;
			   arg is DIF_VAR_probeprov..probename */
	DIF_SRC_STACK,	/* kernel stack: arg frames of u64 pc, zero filled */
	DIF_SRC_USTACK, /* u64 pid, then arg frames of u64 pc */
	DIF_SRC_SYM,	/* obj gives a kernel address; u64; arg is the action */
	DIF_SRC_USYM	/* obj gives a user address; u64 pid, u64 address */
};

#define DIF_FRAMES_MAX 127u /* as many as the kernel walks */
/* Frames (dif_expr.arg) of stacks that leave them to an option, until
   dif_layout() has put its value there: the default, and jstack()'s. */
#define DIF_FRAMES_DEFAULT 0u
#define DIF_FRAMES_JSTACK 0xffffffffu

/*
 * What print() must know of a type to show a value of it: the type itself may
 * be gone when records are read.  Types that are met again are shared.
 */
struct dif_print {
	enum dif_ckind kind;
	const char *name; /* as C writes it; "struct" alone: it has none */
	uint64_t size;
	bool is_char; /* plain or signed; unsigned ones are numbers */
	bool is_signed;
	const struct dif_print *elem; /* ARRAY */
	uint64_t nelems;
	const struct dif_print_member *members; /* STRUCT, UNION */
	const struct dif_print_value *values;	/* ENUM */
	size_t n;				/* of either */
};
struct dif_print_member {
	const char *name; /* "": anonymous */
	const struct dif_print *type;
	uint64_t bit_off;
	uint32_t bits; /* 0: no bit-field */
};
struct dif_print_value {
	const char *name;
	int64_t val;
};

struct dif_expr {
	enum dif_src src;
	uint32_t arg;	     /* see enum dif_src */
	struct dif_obj *obj; /* NULL when src needs none */
	struct dif_type type; /* of the value, as recorded */
	const char *tname;   /* D type as text, for -v; or NULL */
	const struct dif_print *print; /* print(): how to show it; or NULL */
	bool jstack; /* a stack of jstack(): programs may be asked for names */
	/* Set by dif_layout(): place in the record, or in the key. */
	uint32_t off, size;
};

/* The values are pid, tid and execname, which the option who has added. */
#define DIF_TRACE_WHO 1

struct dif_stmt {
	uint32_t kind;	 /* enum dif_act_kind; NONE: exprs[0] for effect */
	uint32_t agg;	 /* aggregating: index in dif_tab.aggs */
	const char *fmt; /* printf, printa, freopen, system; NULL: default */
	uint64_t arg;	 /* tracemem: nbytes; trace: DIF_TRACE_WHO or 0;
			    others 0.  trunc/normalize have their number as
			    exprs[0] */
	/*
	 * Values, in order of evaluation.  Aggregating: nkeys keys, then the
	 * function's value (unless count()), then the increment if given.
	 * Others: all are recorded.
	 */
	struct dif_expr *exprs;
	uint32_t nexprs, nkeys;
	uint32_t *aggs; /* printa, clear, trunc ...: indexes in dif_tab.aggs */
	uint32_t naggs;
	int line;
};

struct dif_clause {
	struct dif_pdesc pdesc;
	struct dif_obj *pred; /* NULL: always */
	struct dif_stmt *stmts;
	uint32_t nstmts;
	struct src_loc loc; /* for messages: the clause's first line */
	const char *src;    /* name of the program for messages */
	bool records;	    /* a firing leaves a record (default action or
			       data) */
	bool uses_locals;   /* reads or writes this-> */
	bool maker;	    /* a provider's, of which its probes are made: it
			       names none on anybody's behalf */
	uint32_t args_used; /* bit n: argN or args[n] is used */
	/* A built-in variable that not all engines have, and the inline, the
	   program's or the library's, that asked for it: "cwd", "fds[]"; NULL:
	   there is none. */
	const char *within;
	uint32_t within_var;
	uint32_t before;    /* clauses in front of it in dif_prog.clauses that
			       the same text has given: it has several
			       descriptions, or ifs */
	/* Where this process does not fire it, or while this self-> variable is
	   0, its predicate is false, and nobody could see that it was looked
	   at; 0: nothing such is known. */
	int32_t only_pid;
	uint32_t only_self;
	bool only_zero; /* it wants the process 0, which $target is without -c
			   and -p */
	/* Set by who enables it: the process whose code alone pdesc is about,
	   even if nothing of it is there yet; 0: of no single one.  And: it is
	   about every process, and nothing of it is there yet. */
	int32_t pid;
	bool every;
	/* Set by dif_layout(): bytes of the record, header included, multiple
	   of 8; 0 when !records. */
	uint32_t recsize;
};

/* True if a clause names its probe, rather than match it
   (dif_pdesc_names()). */
bool dif_clause_names(const struct dif_clause *c);

/* What one compile yields.  Owned by the handle; freed by dif_prog_free(). */
struct dif_prog {
	struct arena *arena; /* owns this struct and everything below */
	struct dif_clause *clauses;
	uint32_t nclauses;
	const char *name; /* the description, or the file */
	/* What means another thing than in C, as lines "FILE:LINE:COL: ...";
	   the file is "D" for text that is none.  NULL: nothing. */
	const char *notes;
	const char *warnings; /* lines of what is probably not meant so; NULL */
};
/* True if it looks at the user's stack (ustack(), ucaller, ustackdepth). */
bool dif_clause_walks(const struct dif_clause *c);
void dif_prog_free(struct dif_prog *p);

/* ---- variables and aggregations of a trace ------------------------------ */

struct dif_uvar {
	const char *name;
	uint16_t id;   /* >= DIF_VAR_USER_MIN, dense per scope */
	uint8_t scope; /* enum dif_scope */
	uint8_t kind;  /* enum dif_var_kind: ARRAY is associative */
	struct dif_type type;
	struct dif_type *keys; /* ARRAY: types of the tuple */
	uint32_t nkeys;
	/* Set by dif_layout(): place in its scope's area; in bytes.  For
	   arrays: size of the value; keysize of the whole tuple.  Scalars
	   have size 8.  By-reference ones (not in arrays) have a mark of
	   DIF_VAR_MARK bytes in front of off, see dif_layout.c. */
	uint32_t off, size, keysize;
};

struct dif_aggvar {
	const char *name; /* "_" for a bare @ */
	uint32_t id;	  /* from 1, order of first use; index + 1 */
	uint32_t func;	  /* DIF_AGG_* */
	uint64_t arg;	  /* packed bounds */
	struct dif_type *keys; /* as recorded: engine-independent */
	uint8_t *keysrc;       /* enum dif_src of each key */
	uint32_t *keyarg;      /* dif_expr.arg of each key */
	uint32_t nkeys;
	int line;
	/* Set by dif_layout(): of each key in the key bytes. */
	uint32_t *keyoff, *keylen;
	uint32_t keysize; /* bytes of the key, multiple of 8; 0: no keys */
	uint32_t words;	  /* of the cell */
};

/* Pointers are stable: entries are allocated one by one in the owner's
   arena. */
struct dif_tab {
	struct dif_uvar **vars;
	uint32_t nvars;
	struct dif_aggvar **aggs;
	uint32_t naggs;
	/* Set by dif_layout(): bytes of all globals, of all self-> scalars, of
	   all this-> variables. */
	uint32_t globals_size, thread_size, locals_size;
};

/*
 * The u64 before a by-reference variable's bytes.  A self-> variable is null
 * (its load gives 0) while the mark is 0; a global or this-> variable is null
 * when the mark is not 0.
 */
#define DIF_VAR_MARK 8u
/* The variable of a user id, or NULL. */
struct dif_uvar *dif_uvar_find(const struct dif_tab *tab, unsigned scope,
			       uint32_t id);

/* Options that decide sizes. */
struct dif_sizes {
	uint32_t strsize, stackframes, ustackframes;
	uint32_t maxframes;    /* of any stack; 0: as many as are asked for */
	uint32_t jstackframes; /* 0: as ustackframes */
	uint32_t printsize;    /* bytes of a value for print(); 0: all */
	uint32_t scratchsize;  /* bytes a clause may take; 0: all there are */
};

/*
 * Give every recorded expression its place in its record, every key its place
 * in its key, every variable its place in its area.  Rules: a record starts
 * with struct rt_rec (16 bytes); fields are aligned to their size up to 8;
 * strings take their size, or strsize; scalars keep their size; keys are laid
 * out alike, but every scalar key takes 8 bytes (zero- or sign-extended), and
 * string keys are zero padded; variables are 8-aligned, strings take
 * strsize rounded up to 8.
 */
void dif_layout(struct dif_prog *const *progs, size_t nprogs,
		struct dif_tab *tab, const struct dif_sizes *sizes,
		struct arena *a);

/* ---- sites, recipes, enablings ------------------------------------------ */

/* Where a probe fires: site.def. */
enum dif_site_kind {
#define SITE(NAME, where, key, gives, eng, text) DIF_SITE_##NAME,
#include "dif/site.def"
#undef SITE
	DIF_NSITES
};
enum dif_where { DIF_AT_TRACE, DIF_AT_CPUS, DIF_AT_CALL, DIF_AT_TREE,
		 DIF_AT_KERNEL, DIF_AT_USER };
enum dif_site_key { DIF_KEY_NOTHING, DIF_KEY_PERIOD, DIF_KEY_NUMBER,
		    DIF_KEY_COUNT, DIF_KEY_NAME, DIF_KEY_FUNCTION,
		    DIF_KEY_PLACE };
/* What recipes may ask of a site; a set. */
enum dif_from {
	DIF_FROM_NOTHING = 0, /* what is known without it */
	DIF_FROM_REGS = 1,    /* the registers of the traced program */
	DIF_FROM_PCS = 2,     /* where the CPU was */
	DIF_FROM_SYS = 4,     /* how a system call ended */
	DIF_FROM_TP = 8,      /* the arguments of a tracepoint */
	DIF_FROM_MEM = 16,    /* the memory of the traced program */
	DIF_FROM_VECS = 32,   /* its vector registers, still live */
	DIF_FROM_KARGS = 64,  /* the arguments of a function of the kernel */
	DIF_FROM_KRET = 128   /* and what it returns */
};
struct dif_site_info {
	const char *name, *text;
	enum dif_where where;
	enum dif_site_key key;
	unsigned gives;	  /* enum dif_from */
	unsigned engines; /* enum dif_engines */
};
extern const struct dif_site_info dif_sites[DIF_NSITES];
/* True if it is the consumer of the process engine that fires there. */
static inline bool
dif_where_host(enum dif_where w)
{
	return w == DIF_AT_TRACE || w == DIF_AT_CPUS || w == DIF_AT_TREE;
}
struct dif_site;
/* True if an engine is to look at the site. */
bool dif_site_for(const struct dif_site *s, enum dif_engines engine);
/* True if the site has its key, and gives all that its recipes ask for. */
bool dif_site_ok(const struct dif_site *s);

/* User registers, by their uregs[] index. */
enum dif_reg {
#define REG(idx, NAME) DIF_R_##NAME = idx,
#include "dif/reg.def"
#undef REG
	DIF_NUREGS
};
/* The same, by what they are used for. */
enum {
#define FNARG(n, REG) DIF_R_FNARG##n = DIF_R_##REG,
#define SYSARG(n, REG) DIF_R_SYSARG##n = DIF_R_##REG,
#define ROLE(ROLE, REG) DIF_R_THE_##ROLE = DIF_R_##REG,
#include "dif/conv.def"
};

/* How an argument is had when the site fires: recipe.def. */
enum dif_recipe_kind {
#define RCP(NAME, from, eng, text) DIF_RCP_##NAME,
#include "dif/recipe.def"
#undef RCP
	DIF_NRECIPES
};
struct dif_recipe_info {
	const char *text;
	enum dif_from from;
	unsigned engines; /* enum dif_engines */
};
extern const struct dif_recipe_info dif_recipe_info[DIF_NRECIPES];

/*
 * From a pointer into the kernel's memory to a number: loads, each from where
 * the one before leads.  Where one fails the number is 0.  A step may also add
 * to what there is: a header's place in a packet is one of the packet's
 * numbers.
 */
#define DIF_NSTEPS 6
enum dif_add {
	DIF_ADD_NONE,	/* a load */
	DIF_ADD_BESIDE, /* a load from where the last DIF_ADD_NONE was, times
			   scale, is added to what that gave */
	DIF_ADD_BELOW,	/* the same, from where the pointer itself leads */
	DIF_ADD_OFF	/* off is added; nothing is loaded */
};
struct dif_step {
	uint32_t off;  /* bytes from where the last one leads */
	uint32_t size; /* bytes loaded: 1, 2, 4 or 8 */
	uint32_t shift, bits; /* a bit-field in them; bits 0: it is none */
	bool is_signed;
	enum dif_add add;
	uint32_t scale;
};
struct dif_path {
	uint32_t n;
	struct dif_step step[DIF_NSTEPS];
};
struct dif_recipe {
	enum dif_recipe_kind kind;
	int64_t val;
	const struct dif_path *path; /* NULL: the value itself */
	/* UREG, UVEC, UMEM, TPARG: bytes, 1, 2, 4 or 8; 0: 8 */
	uint8_t size;
	bool is_signed; /* ... of a signed number */
	uint8_t shift;	/* UREG: bits of the register below: 8 for %ah */
	/* UMEM: DIF_BASE() of registers, 0: none; a shift of the index. */
	uint8_t base, index, scale;
	bool fs; /* UMEM: and from where the thread's %fs begins */
};
#define DIF_BASE(reg) ((uint8_t)(DIF_R_##reg + 1))
/* A word of the user's stack, n bytes above its pointer. */
#define DIF_USTACK(n) { DIF_RCP_UMEM, n, .base = DIF_BASE(THE_SP) }
/* The part of a register's value that a recipe means. */
uint64_t dif_recipe_part(const struct dif_recipe *r, uint64_t reg);
/* Shared between the sites that have the same; compared by pointer. */
struct dif_recipes {
	struct dif_recipe arg[DIF_NARGS];
};

/* The site fires where all of these hold. */
#define DIF_NWHEN 8
enum dif_cmp { DIF_CMP_EQ, DIF_CMP_NE, DIF_CMP_GT, DIF_CMP_LT }; /* signed */
struct dif_when {
	struct dif_recipe what;
	uint64_t mask; /* of its bits; 0: all count */
	enum dif_cmp cmp;
	int64_t val;
};
/* Shared and compared by pointer, as recipes are. */
struct dif_whens {
	uint32_t n;
	struct dif_when v[DIF_NWHEN];
	/* Not NONE: and only the first time that this process has this value,
	   which two threads may have at once. */
	struct dif_recipe once;
};

/* Events that perf counts, as perf_event_open(2) calls them. */
struct dif_counter {
	uint32_t type;
	uint64_t config;
	bool user, kernel; /* those that happen while a CPU is there */
};
/* In the cookie of a way out: the function is left by a jump to another one, so
   that the result is not known yet. */
#define DIF_COOKIE_LEFT (1ull << 32)

/*
 * One place where a probe fires: a fact, which every engine understands.  How
 * an engine gets there is its own affair.  Which members are set besides kind,
 * cookie, args and when is the kind's KEY.
 */
struct dif_site {
	enum dif_site_kind kind;
	uint64_t num;	/* PERIOD in ns; NUMBER of a system call; a COUNT */
	struct dif_counter counter; /* COUNT: of which events */
	const char *tp; /* NAME of a tracepoint of the kernel, or FUNCTION */
	/*
	 * FUNCTION: of which module, NULL: the kernel's own; its address, in
	 * addr, or 0: the engine goes by the name; others have its name, so
	 * that nothing but the address tells which one it is.  Where its name
	 * would do, but is found slower than its address, that one is in fn.
	 */
	const char *mod;
	bool twins;
	/*
	 * PLACE: an instruction in a file.  Addresses are those in the process,
	 * `bias` above what the file says; without a process the bias is 0.
	 */
	const char *path; /* one that the consumer can open */
	uint64_t off;	  /* of the instruction, in the file; KINSN: in the
			     function */
	int32_t pid;	  /* only this process; 0: any */
	uint64_t bias;
	uint64_t addr;	  /* of the instruction */
	uint64_t fn;	  /* of its function; 0: none is known */
	uint64_t fn_size; /* its bytes */
	uint64_t fn_next; /* the next symbol after fn: control may come in
			     there; 0: none */
	uint64_t sem;	  /* where in the file 16 bits count who listens:
			     programs ask them whether to fire; 0: none */
	uint64_t sem_addr; /* those in the process */
	uint64_t cookie;
	/*
	 * TP: the argument that is the struct task_struct * of the thread that
	 * the probe is about, where that is not the one that runs: what says
	 * something of the current thread (pid, execname, curthread, self->
	 * ...) says it of that one.  NONE: the current thread.
	 */
	struct dif_recipe thread;
	const struct dif_recipes *args;
	const struct dif_whens *when; /* NULL: it always fires */
	/* Not 0: only these engines look at it (enum dif_engines), for the
	   others the same event is another site of the probe. */
	unsigned engines;
};

struct dif_probe {
	uint32_t id;
	const char *prov, *mod, *func, *name;
	const struct dif_site *sites;
	uint32_t nsites;
	/* Not 0: it fires in every process, and its provider is called after
	   that in each; what stands for that name in records is DIF_EVERY(this,
	   number of the process), which is never the id of a probe. */
	uint32_t every;
};
#define DIF_EVERY_MAX  511u /* names of providers */
#define DIF_EVERY_PIDS (1u << 22) /* as many as Linux has */
#define DIF_EVERY(every, pid) (1u << 31 | (every) << 22 | (pid))
#define DIF_EVERY_OF(v) ((v) >> 31 != 0 ? ((v) >> 22) & 511u : 0)
#define DIF_EVERY_PID(v) ((v) & (DIF_EVERY_PIDS - 1))

/* One clause applied to one probe. */
struct dif_ecb {
	uint32_t epid;	 /* from 1: index + 1 in dif_enabling.ecbs */
	uint32_t probe;	 /* index in probes */
	uint32_t clause; /* index in clauses */
};

struct dif_enabling {
	const struct dif_probe *probes;
	uint32_t nprobes;
	struct dif_clause *const *clauses; /* program order */
	uint32_t nclauses;
	/* Sorted by probe, then clause: the ECBs of one probe are adjacent. */
	const struct dif_ecb *ecbs;
	uint32_t necbs;
	const struct dif_tab *tab;
	struct dif_sizes sizes;
};
/* What all its clauses need: of enum dif_needs. */
unsigned dif_enabling_needs(const struct dif_enabling *en);
/* The ECBs of a probe, which stand together: the first's index; *end: behind
   the last. */
uint32_t dif_probe_ecbs(const struct dif_enabling *en, uint32_t probe,
			uint32_t *end);
/* True if the statement is a count() that adds one, whatever its keys. */
bool dif_stmt_counts(const struct dif_tab *tab, const struct dif_stmt *st);
/* True if a clause names the probe, rather than match it. */
bool dif_probe_named(const struct dif_enabling *en, uint32_t probe);
/* What has become of a probe: it wants no place, or may get one later; it has
   one; it has none, for a reason. */
enum dif_placed { DIF_PLACE_NONE, DIF_PLACED, DIF_PLACE_REFUSED };
/*
 * The first probe that is refused and may not be left out: a clause names it,
 * or has no other probe with a place.  UINT32_MAX: there is none.  placed: enum
 * dif_placed of each probe; served: a zeroed byte for each clause, which is
 * written.
 */
uint32_t dif_not_left_out(const struct dif_enabling *en, const uint8_t *placed,
			  uint8_t *served);

#endif
