/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_impl.h - what the files of the kernel engine share.
 *
 *   bpf_engine.c   life of an instance (struct engine_ops)
 *   bpf_feat.c     what this kernel and this process can do
 *   bpf_class.c    what kinds of program there are (bpf_class.def)
 *   bpf_site.c     which clauses and sites go into which program
 *   bpf_maps.c     the shared memory
 *   bpf_link.c     functions + bodies of rt/ -> a program the kernel takes
 *   bpf_prog.c     a program: who fired, which clauses
 *                  (bpf_prog_impl.h: with bpf_arg.c, bpf_fault.c, bpf_load.c)
 *   bpf_clause.c   a clause: predicate, record, statements, faults
 *   bpf_part.c     a large one in several functions
 *   bpf_rec.c      room for records, and waking the consumer
 *   bpf_agg.c      an aggregating statement
 *   bpf_solo.c     counts without keys, and programs that do no more than count
 *   bpf_gen.c      a DIF object;  bpf_var.c its variables,
 *   bpf_assoc.c    its arrays, bpf_builtin.c its built-in variables
 *   bpf_attach.c   programs to their sites
 *   bpf_kfunc.c    programs to functions of the kernel
 *   bpf_tps.c      many tracepoints by few programs
 *   bpf_later.c    probes of modules that are loaded while tracing
 *   bpf_uprobe.c   uprobes, made and removed so that no signal interrupts it
 *   bpf_heir.c     who takes back what we leave when we are killed
 *   bpf_stack.c    stacks, and the variables that are read from them
 *   bpf_ustack.c   what walks along users' stacks read
 *   bpf_owed.c     stacks that are walked later
 *   bpf_kept.c     stacks of threads that are not running
 *   bpf_absent.c   how pages that a process has not touched are found
 *   bpf_sys.c bpf_emit.c  system calls; writing instructions
 *
 * ADDRESSES.  A DIF value is a plain 64-bit number, while the verifier knows
 * pointers.  The maps' memory is reached both ways: by pointer where the
 * offset is known, and by its kernel address as a number, which is learned
 * once, when the maps are made (bpf_maps.c), and put into the code as a
 * constant or read from rt->self.
 */
#ifndef ENGINE_BPF_BPF_IMPL_H
#define ENGINE_BPF_BPF_IMPL_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "dif/dif.h"
#include "engine/bpf/bpf_class.h"
#include "engine/bpf/bpf_emit.h"
#include "engine/bpf/bpf_sys.h"
#include "engine/bpf/bpf_user.h"
#include "rt/engine.h"
#include "rt/rt_areas.h"
#include "rt/rt_body.h"

struct btf;

/* An element of a program's site map; mask[] follows (bpf_prog.nmask words). */
struct bpf_site {
	uint32_t probe_id; /* 0: nothing is enabled here */
	uint32_t probe;	   /* index in dif_enabling.probes */
	uint32_t epid0;	   /* EPID of the probe's first ECB */
	uint32_t next;	   /* another site of the same event; 0: none */
	uint32_t first;	   /* no other of the same event leads here */
	int32_t pid;
	uint32_t recipes;  /* index in bpf_prog.recipes */
	uint32_t when;	   /* index in bpf_prog.whens */
	uint32_t every;	   /* DIF_EVERY(dif_probe.every, 0), or 0 */
	uint32_t anyone;   /* a tick: it fires whoever is on */
	uint64_t cookie;
	uint64_t left; /* by a return probe: the instruction that has returned,
			  or else the function */
	uint32_t name[4];  /* prov, mod, func, name: offsets in the strings */
	uint32_t alone;	   /* not within another firing: bpf_kfunc_alone() */
	uint32_t slid;	   /* as its bpf_place has it */
	uint32_t mask[];   /* bit n: clause bpf_prog.clauses[n] is enabled */
};

struct bpf_map {
	int fd;		/* -1: none */
	uint32_t vsize, n;
	bool flat;	/* to the kernel all n are one element */
	uint8_t *mem;	/* mapped; NULL: not */
	size_t len, stride;
};

/* A program: of one class, and of one of its events. */
struct bpf_prog {
	const struct bpf_class *class;
	const char *event; /* by class->event(); "": the class has only one */
	uint32_t btf_id;   /* as class->have() gave it */
	struct dif_recipe thread; /* as all its sites have it */
	VEC(uint32_t) clauses; /* indexes in dif_enabling.clauses, ascending */
	VEC(const struct dif_recipes *) recipes;
	VEC(const struct dif_whens *) whens; /* NULL among them: always */
	/* What the site map holds, and the place of each element. */
	VEC(struct bpf_site *) sites;
	VEC(const struct bpf_place *) places;
	struct hash *byfn; /* function -> its first element + 1 */
	uint32_t nmask;
	uint32_t chain;	       /* sites of one event, at most */
	bool uniform;	       /* every site runs every clause */
	bool gaps;	       /* some element is nobody's */
	bool any_pid;	       /* some site is for one process only */
	bool any_slid;	       /* some site is behind what is meant */
	bool alone;	       /* some site must not fire within a firing */
	struct bpf_map map;
	struct bpf_map once;   /* dif_whens.once: { value, pid } seen lately */
	int fd;		       /* -1: not loaded */
};

/* Facts about the running kernel; ~0u: not there. */
struct bpf_ktypes {
	bool known; /* looked for */
	uint32_t task_real_parent, task_tgid, task_start_time;
	/* Where sites have threads that are not the current one. */
	uint32_t task_pid, task_comm, task_cred, cred_uid, cred_gid;
	uint32_t cgroup_level, cgroup_ancestors; /* ~0: not there */
	uint32_t task_compat;
	uint32_t task_sum_exec;
	uint32_t task_flags, task_mm, mm_arg_start, mm_arg_end;
	uint32_t mm_exec_vm;
	uint32_t task_fsbase; /* 0: bpf_feat_fsbase() has not been asked */
	/* The per-CPU variable that has preempt_count, and where in it. */
	uint32_t preempt_var, preempt_off;
	struct rt_dpath dpath;
	struct rt_cgroup cgroup;
	struct rt_pidns pids; /* for nspid: offsets alone */
	struct rt_uret uret;
	/* Typedefs btf_trace_*; 0: none. */
	uint32_t switch_btf_id, enter_btf_id, exit_btf_id;
};

/* Walks along users' stacks by tables (bpf_ustack.c). */
struct bpf_ustack {
	bool wanted; /* some clause walks */
	bool on;     /* and this kernel can */
	struct bpf_map pool, list, procs, wants, py, owed;
	struct bpf_owed *debtor; /* bpf_owed.c's */
	uint32_t keeps; /* frames of the stacks of bpf_kept.c; 0: none are */
	struct bpf_map kept;
	struct bpf_prog *keeper;
	struct unwind *tables;
	uint32_t nlist; /* entries of the lists in use */
	uint32_t id;	/* of the last list */
};

/* A site of a probe that has no place, and why not. */
struct bpf_left {
	uint32_t probe; /* index in dif_enabling.probes */
	enum bpf_left_what {
		BPF_LEFT_ALL,
		BPF_LEFT_PART, /* some ways out have one */
		BPF_LEFT_IDLE, /* there is nothing that could fire */
	} what;
	const char *why;
};

struct bpf_assoc {
	const struct dif_uvar *var;
	struct bpf_map map;
};

struct engine {
	const struct dif_enabling *en;
	struct engine_opts opts;
	struct arena *arena;
	const struct rt_areas *areas; /* of its slots */
	unsigned ncpus, nslots;
	VEC(struct bpf_place) places; /* of all probes, in their order */
	uint32_t *place0; /* [nprobes + 1]: where those of each begin */
	VEC(struct bpf_left) left;    /* bpf_user.c's */
	VEC(struct elf_file *) files; /* opened by ourselves */
	VEC(struct bpf_prog *) progs; /* in the order of their classes */
	struct hash *byevent[BPF_NCLASSES]; /* event -> program */
	VEC(struct dif_ecb) errors; /* ECBs of the ERROR probe */
	uint32_t error_name[4];	    /* its names in the strings */
	bool buffers;		    /* something writes records */
	bool threads;		    /* some site has a thread (dif_site) */
	bool every;		    /* some probe is every process's */
	bool sleeps;		    /* some program may */
	bool *reads; /* [nclauses]: it reads memory of the process */
	unsigned needs; /* enum dif_needs of what clauses use */

	struct bpf_map rt, buf, agg, ctl, conf, str, wake, self, vtime;
	struct bpf_ustack unw;
	struct bpf_assoc *assoc;
	uint32_t nassoc;
	uint32_t assoc_uses; /* loads and stores in all clauses */
	uint64_t globals_addr, str_addr; /* as the kernel sees them */
	uint64_t zero_addr; /* areas->str bytes of zeroes, among the strings */
	uint8_t *strtab;    /* what goes into str */
	uint32_t nstr, capstr;
	struct hash *objstr; /* dif_obj * -> offset + 1 of its strings */

	struct rt_conf rtconf;
	struct rt_view view;
	struct bpf_ktypes kt;
	struct btf *btf; /* bpf_feat.c's; NULL: not asked for */
	uint32_t *solo; /* [naggs]: bpf_solo.c's counters, from the machine;
			   0 */
	const uint64_t *wake_prod; /* the ring's producer position */
	VEC(int) links;	  /* closed by stop */
	VEC(int) uprobes; /* likewise: links of uprobes */
	bool slow_links;  /* these take the kernel long to remove */
	int vtime_prog;
	const char *absent; /* why such pages cannot be read; NULL: they can */
	int heir; /* bpf_heir.c's child; 0: none */
	/* bpf_tps.c's: whether tracepoints are many. */
	enum { BPF_TPS_UNKNOWN, BPF_TPS_FEW, BPF_TPS_MANY } tps;
	bool begun;	 /* and what was missed before that */
	uint64_t missed;
	struct bpf_kfunc *kfunc; /* bpf_kfunc.c's; NULL: not asked yet */
	uint32_t later, later_left; /* places that came while tracing */
	char later_why[200];	    /* why the last of those were left out */
};

/* ---- bpf_feat.c --------------------------------------------------------- */

/* 0, or -1 with what is missing (a capability, or the kernel's BPF). */
int bpf_feat_check(struct err *e);
/* Check that programs may write to user memory.  -1 with why not. */
int bpf_feat_copyout(struct err *e);
/* True if programs of uprobes, attached in this way, may wait for memory. */
bool bpf_feat_sleeps(uint32_t attach);
/* True if the kernel has uprobe_multi. */
bool bpf_feat_multi(void);
/*
 * A program for raw tracepoints from this code, which is finished and freed;
 * `name` is what the kernel shows of it, within 15 characters.  -1 with errno:
 * the kernel does not take it; -1 + *e, with errno 0: the code is no program.
 */
int bpf_feat_load(struct em *em, const char *name, struct err *e);
/* True if the kernel gives programs this variable of its own. */
bool bpf_feat_kvar(uint32_t btf_id);
/* True if a program of raw tracepoints can have a cookie (Linux 6.10). */
bool bpf_feat_tp_cookie(void);
/* Where the kernel's struct pid has what; level and inum are the caller's. */
int bpf_feat_pidns(struct rt_pidns *ns, struct err *e);
/* Our own PID namespace (bpf_pidns.c): all zero in the first one.  -1 + *e: we
   are in another, and its numbers cannot be had. */
int bpf_pidns_find(struct rt_pidns *ns, struct err *e);
/*
 * R0 = the number there, or 0, of the process, or the thread, that is the
 * kernel's task in R1, or the current one.  R1 to R5 and the 8 bytes at tmp and
 * at tmp2 of the stack are overwritten.
 */
void bpf_pidns_number(struct em *em, const struct rt_pidns *ns, bool process,
		      int tmp, int tmp2);
/* The same in the task's own PID namespace. */
void bpf_pidns_innermost(struct em *em, const struct rt_pidns *ns, int tmp,
			 int tmp2);
void bpf_pidns_current(struct engine *eng, struct em *em, bool process,
		       int tmp, int tmp2);
/* The type of a tracepoint of the kernel itself; 0: there is none. */
uint32_t bpf_feat_tp_id(const char *tp);
/* The kernel's types, read once while an engine is made; NULL with errno: they
   cannot be had.  Forget them. */
const struct btf *bpf_feat_btf(struct engine *eng);
void bpf_feat_btf_free(struct engine *eng);
/* Fill eng->kt once; -1 when the kernel has no BTF. */
int bpf_feat_ktypes(struct engine *eng, struct err *e);
/* Where a task_struct has its user's %fs base; ~0: it is not known. */
uint32_t bpf_feat_fsbase(struct engine *eng);
/* The byte offset of a struct's member, of an unnamed one in it too; ~0u: there
   is none. */
uint32_t bpf_feat_member(const struct btf *b, uint32_t type,
			 const char *member);
/* Make the message of a refused bpf(2) from errno: what, and why. */
int bpf_feat_error(struct err *e, int sys, const char *what);

/* ---- bpf_absent.c ------------------------------------------------------- */

/* What rt_absent.c must know, if clauses read memory of processes; unknown
   where it cannot be had.  It takes some milliseconds. */
void bpf_absent_find(struct engine *eng, struct rt_absent *a);
/* For -v: whether it is known. */
void bpf_absent_report(struct engine *eng, struct buf *out);

/* ---- bpf_kfunc.c -------------------------------------------------------- */

#define BPF_KFUNC_MAX 512 /* bytes of a function's name, as the kernel has it */

/* The error of a probe of a function where the kernel has no way in. */
int bpf_kfunc_refused(struct engine *eng, const struct dif_probe *pr,
		      struct err *e);
/* For -v: how functions are had. */
void bpf_kfunc_report(struct engine *eng, struct buf *out);
/* Count as drops what the kernel's guard against recursion has missed since
   the first call, in programs that serve functions or many tracepoints. */
void bpf_kfunc_misses(struct engine *eng);
void bpf_kfunc_free(struct engine *eng);
/* Attach those functions of the programs that are best attached last. */
int bpf_kfunc_last(struct engine *eng, struct err *e);
/* True if it is at a function that programs run within, when their maps are
   changed. */
bool bpf_kfunc_alone(const struct dif_site *s);

/* ---- bpf_site.c --------------------------------------------------------- */

/* Fill eng->progs: all but their maps and the loaded code. */
int bpf_site_build(struct engine *eng, struct err *e);
/* The same for probes from `from` on, which have come since; places are
   known. */
int bpf_site_more(struct engine *eng, uint32_t from, struct err *e);
/* The loaded program that the consumer itself runs; NULL: none. */
const struct bpf_prog *bpf_site_own(const struct engine *eng);
void bpf_site_fini(struct engine *eng);
/* The ECBs [*first, *end) of a probe; *first is where those of the one before
   ended. */
void bpf_site_ecbs(const struct dif_enabling *en, uint32_t probe,
		   uint32_t *first, uint32_t *end);
/* Offset of a string, or of an object's strings, in the string map. */
int bpf_site_str(struct engine *eng, const char *s, uint32_t *off);
uint32_t bpf_site_objstr(struct engine *eng, const struct dif_obj *o);
/* The object has the strings of another, which are there.  -1: no memory. */
int bpf_site_same_str(struct engine *eng, const struct dif_obj *o,
		      const struct dif_obj *as);

/* ---- bpf_later.c -------------------------------------------------------- */

/* engine_ops.extend; and for -v, what came of it. */
int bpf_later_extend(struct engine *eng, const struct engine_site *v, size_t n,
		     struct err *e);
void bpf_later_report(struct engine *eng, struct buf *out);

/* ---- bpf_maps.c --------------------------------------------------------- */

int bpf_maps_make(struct engine *eng, struct err *e);
void bpf_maps_free(struct engine *eng);
/* The maps of one program. */
int bpf_maps_prog(struct engine *eng, struct bpf_prog *c, struct err *e);
/* An array, and its memory mapped if flags ask for it.  -1 with errno; what was
   made by then is to be closed. */
int bpf_maps_array(struct bpf_map *m, const char *name, uint32_t vsize,
		   uint32_t n, uint32_t flags);
/* The same, as one element if the kernel takes one of that size. */
int bpf_maps_flat(struct bpf_map *m, const char *name, uint32_t vsize,
		  uint32_t n, uint32_t flags);
/* R0 = the map's element of the index in R2; or to label none.  R1 to R5 and
   the 8 bytes at tmp of the stack are used up. */
void bpf_maps_elem(struct em *em, const struct bpf_map *m, int tmp,
		   uint32_t none);
void bpf_maps_close(struct bpf_map *m);
struct bpf_assoc *bpf_maps_assoc(struct engine *eng,
				 const struct dif_uvar *v);

/* ---- bpf_link.c --------------------------------------------------------- */

/* A function to be linked; the first of a program is its entry. */
struct bpf_fn {
	char name[32];
	struct em em;
	int nargs;	    /* of a global one: so many numbers; -1: static */
	struct src_loc loc; /* of the clause, for messages */
};
struct bpf_unit {
	VEC(struct bpf_fn *) fns; /* owned */
};
/* A new, empty function; NULL: no memory. */
struct bpf_fn *bpf_link_fn(struct bpf_unit *u, const char *name);
/*
 * A function that several call: NULL if the unit has it, or there is no memory
 * (em->failed), else a new, empty one, which takes nargs numbers and is checked
 * on its own.  The call is put into em; R1 and so on are the arguments.
 */
struct bpf_fn *bpf_link_shared(struct bpf_unit *u, struct em *em,
			       const char *name, int nargs);
/* Its code is complete; what is wrong with it is noted in em. */
void bpf_link_done(struct bpf_fn *fn, struct em *em);
/* Free all functions but the first n. */
void bpf_link_keep(struct bpf_unit *u, size_t n);
void bpf_link_fini(struct bpf_unit *u);

/* What the linker made; .v etc. are malloc'd. */
struct bpf_image {
	VEC(struct bpf_insn) code;
	VEC(struct bpf_func_info) funcs;
	VEC(const char *) fnname; /* of each funcs[]; in the unit or rt */
	int btf_fd; /* -1: none needed */
};
int bpf_link_image(struct engine *eng, struct bpf_unit *u,
		   struct bpf_image *img, struct err *e);
void bpf_link_image_fini(struct bpf_image *img);

/* ---- generating --------------------------------------------------------- */

struct bg_stub {
	uint32_t label;
	bool body; /* a body has set fault and fault_val */
	uint32_t fault, action;
	int32_t off;
	int val; /* DIF register whose value is the address; -1: none */
};

/*
 * One clause while its function is made.  BPF registers:
 *
 *   r6 rt   r9 the record, if there is one   r7 r8 (r9) DIF registers
 *
 * The stack, downwards from the frame pointer:
 */
enum {
	FR_CTX = -8,	 /* the program's context */
	FR_SITE = -16,	 /* struct bpf_site * */
	FR_AGG = -24,	 /* the present half of the aggregation buffer */
	FR_CMP_A = -32,	 /* operands of the last compare */
	FR_CMP_B = -40,
	FR_REG = -48,	 /* DIF registers without a BPF one, downwards */
	FR_TMP = -96,
	FR_TMP2 = -104,
	FR_VAL = -112,	 /* value and increment of an aggregation */
	FR_INC = -120,
	FR_HEAD = -128,	 /* the buffer's head behind the record */
	FR_SELF = -136,	 /* the thread's element, once looked up; 0: not yet */
	FR_REC = -144,	 /* the record's place in the buffer, for parts */
	FR_ELEM = -152,	 /* the aggregation buffer: both halves */
	FR_LAST = FR_ELEM,
};

struct bg {
	struct engine *eng;
	struct em *em;
	struct err *e;
	const struct bpf_prog *c;
	bool error; /* the clause is of the ERROR probe */
	uint32_t epid; /* error: of the ECB */
	const struct dif_clause *cl;
	uint32_t lb_fault, lb_done, lb_out; /* exits: 1, 0 and publish, 0 */
	bool inlined; /* it ends by falling off its end, r6 is rt already */
	unsigned depth; /* functions of the program that are on the stack */
	uint32_t at_ctx, at_site; /* the stores of the prologue */
	bool use_ctx, use_site;
	bool rec, agg_base;
	bool split; /* its statements are in parts */
	bool keep_self; /* several uses of self->: FR_SELF is used */
	bool keeps; /* bpf_kept.c's: a stack may be read more than once */
	bool can_fault, can_exit; /* found out while generating */
	uint32_t keybase; /* bytes of rt->key taken by a key being made */
	uint32_t action;
	VEC(struct bg_stub) stubs;
	struct bpf_unit *u; /* of the program */

	/* of a part (bpf_part.c): its clause's, and its two beginnings */
	struct bg *outer;
	struct bpf_fn *part;
	uint32_t head[3];

	/* the present object */
	const struct dif_obj *o;
	struct bg_ins *ins; /* [o->ntext] what is known of each */
	uint32_t lb_end;
	uint32_t at; /* instruction */
	bool konst[DIF_NREGS];
	uint64_t kval[DIF_NREGS];
};

/* Facts about a DIF instruction, from one forward and one backward pass. */
struct bg_ins {
	uint32_t label;	 /* where a branch leads here; 0: none */
	bool reached;
	uint8_t defined; /* registers surely written before */
	int8_t depth;	 /* of the tuple stack; -1: not known yet */
	bool flags_live; /* a later instruction reads the compare's result
			    from its place in the frame */
};

/* bpf_gen.c: run an object; its result is in R0.  0 or -1 with g->e. */
int bg_obj(struct bg *g, const struct dif_obj *o);
/* A BPF register with the value of DIF register r: its own, or tmp. */
unsigned bg_get(struct bg *g, unsigned r, unsigned tmp);
/* The BPF register to compute DIF register r in: its own, or tmp. */
unsigned bg_dst(struct bg *g, unsigned r, unsigned tmp);
/* Done: what bg_dst() gave holds the value. */
void bg_put(struct bg *g, unsigned r, unsigned reg);
/* A label to jump to on a fault; reg: DIF register with the address, or -1. */
uint32_t bg_fault(struct bg *g, uint32_t fault, int reg);
/* After the call of a body: on if it faulted. */
void bg_check_body(struct bg *g);
void bg_stubs(struct bg *g);
int bg_refuse(struct bg *g, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* dst (a register with a map value) = n zero bytes; clobbers R0..R5. */
void bg_zero(struct bg *g, unsigned base, int32_t off, uint32_t n);
/* R1 = dst pointer made, R3 = address: copy n bytes; R0 < 0 if bad. */
void bg_copy(struct bg *g, uint32_t n, bool str, bool user);
/* After bg_copy() of user memory, where it may have failed: if the page has not
   been touched, the same bytes from elsewhere; reg: the DIF register with the
   address, or -2: it is in FR_TMP.  base + off is where they go. */
void bg_copy_absent(struct bg *g, uint32_t n, bool str, int reg, unsigned base,
		    int32_t off);
/* R0 = timestamp of the firing. */
void bg_now(struct bg *g);
/* reg holds a map value pointer: reg = its address as a number. */
void bg_number(struct bg *g, unsigned reg);

/* bpf_var.c */
/* A variable of the user; NULL with g->e: there is none of this kind. */
const struct dif_uvar *bg_var_find(struct bg *g, unsigned scope, uint32_t id,
				   enum dif_var_kind kind);
/* Bytes at R1 = what DIF register rs is the address of; or it faults. */
void bg_var_copy(struct bg *g, const struct dif_uvar *v, unsigned rs);
/* Count that there was no room for a variable. */
void bg_var_dropped(struct bg *g);
int bg_var_load(struct bg *g, unsigned scope, uint32_t id, unsigned rd);
int bg_var_store(struct bg *g, unsigned scope, uint32_t id, unsigned rs);
/* bpf_assoc.c */
int bg_assoc_load(struct bg *g, unsigned scope, uint32_t id, unsigned rd);
int bg_assoc_store(struct bg *g, unsigned scope, uint32_t id, unsigned rs);

/* bpf_builtin.c: R0 = the variable. */
int bg_builtin(struct bg *g, uint32_t id);
int bg_array(struct bg *g, uint32_t id, unsigned ri, unsigned rd);
/* R1 = the program's context. */
void bg_ctx(struct bg *g);
/* R0 = the struct task_struct of the firing's thread, as a pointer that the
   verifier knows; ctx_slot: where the context is.  R1 to R5 are used up. */
void bpf_builtin_task(const struct bpf_prog *c, struct em *em, int ctx_slot);
void bg_task(struct bg *g);
/* 16 bytes at base + off = the name of the firing's thread. */
void bg_comm(struct bg *g, unsigned base, int32_t off);
/* True if the firing's thread is another than the current one. */
bool bg_of_other_thread(const struct bg *g);
/* R0 = the number of the firing's process, or thread. */
void bg_number_of(struct bg *g, bool process);
/* True if the context leads to the user's registers. */
bool bpf_uregs_in_ctx(const struct bpf_class *k);
/* R0 = struct pt_regs of the user side. */
void bpf_builtin_uregs(const struct bpf_prog *c, struct em *em, int ctx_slot);
/* True if the verifier does not let a register be loaded by its type: then
   bpf_builtin_ureg() calls a helper, and R0 is lost. */
bool bpf_ureg_untyped(unsigned reg);
/* R2 = what tells by ctx, struct pt_regs, whether the processor was in user
   mode: it was if that is the value returned. */
int32_t bpf_user_mode(struct em *em, unsigned ctx);
/* dst = one of them; R0 is what bpf_builtin_uregs() gave; tmp: frame slot. */
void bpf_builtin_ureg(const struct bpf_class *k, struct em *em, unsigned dst,
		      unsigned reg, int tmp);

/* bpf_stack.c: frames u64 program counters to R1 (an area of zeroes); R0: bytes
   or < 0.  owed: a user's stack may be (rt_unwind.h); the consumer gets it to
   read. */
void bg_stack(struct bg *g, uint32_t frames, bool user, bool owed);

/* bpf_clause.c: something that lasts has been done. */
void bg_effect(struct bg *g);

/* bpf_solo.c */
/* Plan the counters; *size: what they take behind each machine, which is of
   `size` bytes before. */
int bpf_solo_plan(struct engine *eng, uint32_t *size, struct err *e);
/* Count a statement in its counter; false: it has none. */
bool bg_solo(struct bg *g, const struct dif_stmt *st);

/* bpf_agg.c */
int bg_agg(struct bg *g, const struct dif_stmt *st);

/* bpf_clause.c */
int bg_value(struct bg *g, const struct dif_expr *x, unsigned base,
	      int32_t off, uint32_t size, bool key);
/* Fill g->em; it is not finished yet.  With g->inlined R0 is the result. */
int bpf_clause_make(struct bg *g);

/* bpf_part.c: the statements, which stmts() writes, in functions that are
   called; between two of them, or two values, stmts() calls bg_break(), which
   goes on with another function when one is long enough.  0 or -1 with g->e. */
int bg_parts(struct bg *g, int (*stmts)(struct bg *));
int bg_break(struct bg *g);

/* bpf_rec.c */
void bpf_rec_wake(struct engine *eng, struct bpf_unit *u, struct em *em);
void bpf_rec_wake_once(struct engine *eng, struct bpf_unit *u, struct em *em);
/* Room for n bytes in the principal buffer: R9, and R3 where it is in there;
   else to label drop.  FR_HEAD: head after it. */
void bpf_rec_reserve(struct engine *eng, struct bpf_unit *u, struct em *em,
		     uint32_t n, uint32_t drop);
void bpf_rec_publish(struct engine *eng, struct bpf_unit *u, struct em *em);
/* R6 = the machine of the slot that R1 has, and R9 = its buffer, if wanted,
   at the beginning of a shared function; or to label none. */
void bpf_rec_slot(struct engine *eng, struct em *em, bool buf, uint32_t none);

/* bpf_prog.c */
int bpf_prog_make(struct engine *eng, struct bpf_prog *c, struct err *e);

/* bpf_ustack.c */
/* Make the maps, and tables of the processes that probes are for.  Without
   them users' stacks are walked by frame pointers.  -1: no memory. */
int bpf_ustack_make(struct engine *eng, struct err *e);
void bpf_ustack_free(struct engine *eng);
/* Read what has been asked for. */
bool bpf_ustack_polls(const struct engine *eng);
const struct rt_py_area *bpf_ustack_python(const struct engine *eng);
int bpf_ustack_poll(struct engine *eng, struct err *e);
void bpf_ustack_report(const struct engine *eng, struct buf *out);

/* ---- bpf_owed.c --------------------------------------------------------- */

/* -1: no memory. */
int bpf_owed_make(struct engine *eng);
void bpf_owed_free(struct engine *eng);
/* Walk the stacks that are owed. */
void bpf_owed_settle(struct engine *eng);
/* engine_ops.stack */
void bpf_owed_stack(struct engine *eng, uint64_t *pcs, size_t n);

/* bpf_kept.c */
/* How many frames of threads that are not running are made use of. */
uint32_t bpf_kept_wanted(const struct engine *eng);
int bpf_kept_make(struct engine *eng, struct err *e);

/* bpf_vtime.c */
int bpf_vtime_make(struct engine *eng, struct err *e);

/* bpf_attach.c */
/* As many descriptors as we may have. */
void bpf_attach_nofile(void);
int bpf_attach_all(struct engine *eng, struct err *e);
/* Those of eng->progs alone. */
int bpf_attach_progs(struct engine *eng, struct err *e);
void bpf_attach_undo(struct engine *eng);
/* The first CPUs of a list like 0-3,8, lo to hi; what follows them, or NULL if
   the list is at its end. */
const char *bpf_cpus_next(const char *list, int *lo, int *hi);
/* True if this errno says that a file is gone with the processes that had
   it. */
bool bpf_uprobe_gone(int sys);
/* Remove all uprobes.  bpf_uprobe.c */
void bpf_uprobe_undo(struct engine *eng);
/* A child as fork() makes it, which takes no signals and only makes system
   calls; nobody else waits for it.  And wait for it. */
int bpf_child_new(unsigned long flags);
void bpf_child_wait(int pid);
/* If there are many probes of the kernel: who takes them back if we are killed.
   When they are: nobody is needed any more.  bpf_heir.c */
void bpf_heir_make(struct engine *eng);
void bpf_heir_end(struct engine *eng);

/* Where ERROR clauses find arg0..arg5. */
#define ERROR_ARGS 2
#define RT_ERR_ARG(n) (RT_OFF(tmp) + 8 * (ERROR_ARGS + (int)(n)))
/* A part of rt->key that nothing keeps anything in. */
#define RT_AREA(g) (RT_OFF(key) + (int)(g)->eng->areas->key)

#define RT_OFF(field) ((int)offsetof(struct rt, field))
#define CTL_GLOBALS ((uint32_t)sizeof(struct rt_ctl))

static inline bool
is_byref(const struct dif_type *t)
{
	return t->kind == DIF_TYPE_STRING || (t->flags & DIF_TF_BYREF) != 0;
}

#endif
