/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_impl.h - inside libdtrace: the handle.
 *
 *   dt_open.c    the handle, and the host that the compiler asks
 *   dt_err.c     errors of the handle
 *   dt_opt.c     options (opt.def)
 *   dt_limit.c   those that change what this process may have
 *   dt_cpp.c     the preprocessor
 *   dt_prog.c    compiling programs
 *   dt_dlib*.c   the D library, of which what they need is compiled before
 *                them (dt_dlib.h)
 *   dt_probe.c   probe descriptions, iteration, types of arguments
 *   dt_lookup.c  symbols, types and modules for consumers
 *   dt_stab.c    stability
 *   dt_enable.c  programs x probes: the enabling of the whole trace
 *   dt_comp.c    components: clauses that must run together (dt_place.h)
 *   dt_place.c   which engine each component runs in (dt_place.h)
 *   dt_run.c     instances of engines: made, started, stopped; go and stop
 *   dt_text.c    others that write into the code of processes
 *   dt_later.c   probes in objects that processes map while they are traced
 *   dt_work.c    waiting, status, drops, the work loop's body
 *   dt_ecb.c     what consumers are given of a record
 *   dt_consume.c records in order of time, one statement after the other
 *   dt_act.c     actions that the consumer carries out
 *   dt_json.c    the same as JSON (dt_json.h)
 *   dt_aggwalk.c snapshots and walks of aggregations
 *   dt_aggrow.c  a row of them as consumers see it
 *   dt_aggvar.c  walks over all of them at once, and joined by key
 *   dt_fprintf.c formats for consumers
 *   dt_header.c  headers for programs with static probes (dt_header.h)
 *   dt_link.c    the object that dtrace -G has them link with
 *   dt_process.c processes of -c and -p
 *   dt_probeapi*.c <dtrace/probe.h>, a consumer like others (dt_probeapi.h)
 *   dt_out.h     printing (dt_fmt*.c, dt_trace.c, dt_agg*.c, dt_stack.c)
 */
#ifndef LIB_DT_IMPL_H
#define LIB_DT_IMPL_H

#include <signal.h>
#include <stdbool.h>
#include <time.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/vec.h"
#include "dif/dif.h"
#include "dtrace/dtrace.h"
#include "lang/lang.h"
#include "lib/dt_dlib.h"
#include "lib/dt_out.h"
#include "lib/dt_place.h"
#include "probe/probe.h"
#include "proc/proc.h"
#include "rt/engine.h"

enum dt_opt {
#define OPT(name, kind, class, def, arg, what) DT_OPT_##name,
#include "lib/opt.def"
#undef OPT
	DT_NOPT
};

#define EDT(name, text) extern const struct err_tag EDT_TAG_##name;
#include "lib/errtag.def"
#undef EDT

/* A compiled program; owned by the handle. */
struct dtrace_prog {
	struct dtrace_prog *next;
	struct dif_prog *dif;
	unsigned cflags;
	bool enabled; /* dtrace_program_exec() was called */
};

/* One (clause, probe) that has been asked for; ECBs are made from these. */
struct dt_enab {
	uint32_t clause; /* index in dtp->clauses */
	bool again;	 /* another one says the same */
	struct probe *probe;
};

/* What the consumer must know of an ECB to read its records. */
struct dt_ecb {
	const struct dif_clause *clause;
	struct probe *probe;
	dtrace_eprobedesc_t *desc; /* made when first needed */
	const dtrace_probedesc_t *pdesc;
};

struct dt_target {
	struct proc *proc;
	bool ended, continued;
	int wstatus; /* as wait(2) tells; -1: it has not ended, or is no
			child */
	uint64_t end_time; /* when that was seen */
	bool json_due;	   /* it has ended, and structured output lacks it */
	bool execs_told;   /* dt_follow_executed() */
};

struct ps_prochandle {
	struct dt_target target;
	struct ps_prochandle *next;
};

/* Last counters seen of a slot. */
struct dt_seen {
	uint64_t sum[RT_NDROP]; /* of what they have grown by */
	uint64_t drops[RT_NDROP];
};

struct dt_engine;

/* A speculation that a probe has ended. */
struct dt_spec_end {
	const struct dt_engine *de;
	uint32_t spec; /* its number, from 1 */
	bool commit;
	uint64_t time; /* no record of it is later */
};

/*
 * An engine that runs a part of the trace: the components placed there.  Its
 * enabling has their probes and clauses alone, with indexes of its own; what
 * programs and the consumer see is the whole trace's: EPIDs, which go on from
 * the instance before, ids of probes, variables and aggregations.
 */
struct dt_engine {
	const struct engine_ops *ops;
	struct engine *eng;	     /* NULL: not loaded */
	struct engine_target target; /* of the process engine */
	struct engine_target *joined; /* this, and others that it is in, too */
	uint32_t njoined;	      /* 0: there are none */
	struct engine_files files;
	struct engine_kin kin;
	struct dif_enabling en;
	const char *why;      /* it, for -v */
	struct dt_seen *seen; /* [maxslots] */
	bool damage_told;     /* that rt_view.damaged is set */
	bool turn_missed, turn_told; /* proc_turn_take() */
	struct dt_spec *specs; /* [RT_NSPEC_MAX]: what is held back */
	VEC(struct dt_spec_end) ended; /* noted by dt_spec_note() */
	unsigned flow0;	      /* the number of its first slots for -F */
	/* dt_later.c: indexes in en of the whole trace's clauses, or
	   DT_NO_CLAUSE; how far the arrays of en may grow; its rows + 1 by
	   id of probe, made when first needed. */
	const uint32_t *clause_of;
	uint32_t probes_cap, ecbs_cap;
	struct hash *rows;
	uint32_t rows_max;  /* no more probes than that, with those of later */
	uint32_t rows_left; /* probes that were left out for that */
	VEC(const char *) later_why; /* why others have none, in words */
	struct hash *users; /* kernel engine: files that processes have had,
			       where clauses may get probes of more */
	struct proc_watch *watch; /* kernel engine: files that any process maps,
				     where clauses are about all; or NULL */
	const char *watch_why;    /* it could not be had; or NULL */
	bool watch_all; /* what they have mapped by now is to be looked at */
	bool modules_wanted; /* clauses may get probes of modules */
	uint64_t modules;    /* what kmod_seen() said when they last did */
};
#define DT_NO_CLAUSE UINT32_MAX

/* True if it is the one in the process, which not every machine has. */
bool dt_is_process(const struct dt_engine *de);
/* Ask anew before each walk: slots may have been added. */
static inline const struct rt_view *
dt_view(const struct dt_engine *de)
{
	return de->ops->view(de->eng);
}

/* Files that types are written to at the end. */
#define DT_NTYPEFILES 2

struct dtrace_hdl {
	struct arena *arena; /* lives as long as the handle */
	int flags;	     /* DTRACE_O_* */
	dtrace_vector_t vector; /* of dtrace_vopen(); all NULL: none */
	void *vector_arg;
	struct err err;
	int errnum;	     /* EDT_* or errno of the last failure */
	struct buf errtext;  /* what dtrace_errmsg() gives for it */
	struct lang_more more; /* of a program, after its first error */
	/* All of them, for who shows them (dt_errplace.c). */
	dtrace_errplace_t places[1 + LANG_NMORE];
	size_t nplaces;

	int64_t opt[DT_NOPT];
	bool follow_given; /* somebody has set opt[DT_OPT_follow] */
	const char *optstr[DT_NOPT];
	unsigned cflags; /* from options of kind CFLAG */
	const struct lang_src *src; /* what is compiled now; NULL: nothing */
	bool zdefs;	 /* of the program being compiled or enabled */
	struct lang_limits limits; /* iregs, tregs */
	VEC(char *) cppargs;
	VEC(char *) env_ops; /* of commands: name=value, or name: unset */

	struct type_space *types;
	struct prov_env env;
	struct probe_set *probes;
	struct lang *lang;
	struct dt_dlib dlib;
	FILE *type_files[DT_NTYPEFILES]; /* of ctypes, dtypes; or NULL */
	struct dtrace_prog *progs, **progs_tail;

	struct ps_prochandle *procs, **procs_tail;
	pid_t target; /* $target; 0: none */
	bool target_asked; /* by a program */
	uint32_t pid_level, pid_space; /* bpf_pidns_own() */

	VEC(struct dif_clause *) clauses; /* of enabled programs, in order */
	VEC(struct dt_enab) enabs;
	VEC(const char *) every; /* providers of every process: dt_every.c */
	VEC(struct elf_file *) every_files;
	VEC(const char *) made; /* clauses of providers: dt_made.c */

	/* tracing */
	struct dt_missing missing[2]; /* of the process engine, the kernel's */
	struct arena *en_arena; /* enablings, instances and their tables */
	struct dif_enabling en; /* of the whole trace; its sites and EPIDs are
				   nobody's: instances have theirs */
	struct dt_engine *engines;
	uint32_t nengines;
	volatile sig_atomic_t freeing; /* engines: what a handler of signals
					  is not to look at */
	struct dt_ecb *ecbs; /* by epid - 1 */
	uint32_t necbs, ecbs_cap;
	VEC(struct dt_denied) denied; /* processes that engines refused */
	struct buf report;	      /* dtrace_engines() */
	bool jstack; /* some clause has one: JVMs may be asked for names */
	bool active, stopped;
	bool end_due; /* stopped, and END has not fired */
	bool speculates; /* some clause does */
	uint64_t last_switch, last_agg, last_status, last_drops, last_poll;
	uint64_t last_clean, last_maps;

	/* consuming */
	struct dt_out *out;
	struct dt_aggs *aggs;
	bool aggs_fresh; /* snapshot taken in this dtrace_work() */
	FILE *fp;	 /* of the dtrace_consume() that runs */
	struct dt_json *json; /* structured output; NULL: text */
	int freopen_fd;	 /* what fp was before freopen(); -1 */
	const dtrace_probedata_t *cur_data;
	const dtrace_recdesc_t *cur_rec;
	struct buf outbuf; /* for the buffered handler */

	dtrace_handle_err_f *errh;
	void *errh_arg;
	dtrace_handle_drop_f *droph;
	void *droph_arg;
	dtrace_handle_proc_f *proch;
	void *proch_arg;
	dtrace_handle_buffered_f *bufh;
	void *bufh_arg;
	dtrace_handle_setopt_f *setopth;
	void *setopth_arg;
};

/* True if it is the file of the program itself.  No file is, and so is <stdin>,
   as which the preprocessor reads it; others are what it includes. */
bool dt_is_program(const struct lang_src *src, const char *file);
/* A compile begins, and has failed: dtrace_errplaces(). */
void dt_errplace_clear(dtrace_hdl_t *dtp);
void dt_errplace_keep(dtrace_hdl_t *dtp, const struct lang_src *src);
/* dt_err.c: set the handle's error; always -1. */
int dt_set_err(dtrace_hdl_t *dtp, int edt, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The error in dtp->err (from a room below), filed under edt; always -1. */
int dt_fail(dtrace_hdl_t *dtp, int edt);
int dt_nomem(dtrace_hdl_t *dtp);

/* dt_opt.c */
void dt_opt_init(dtrace_hdl_t *dtp);
/* Those that the environment sets, as DTRACE_OPT_<NAME>. 0 / -1. */
int dt_opt_environ(dtrace_hdl_t *dtp);
int dt_opt_set(dtrace_hdl_t *dtp, const char *name, const char *val,
	       bool from_program);
static inline bool
dt_opt_on(const dtrace_hdl_t *dtp, enum dt_opt o)
{
	return dtp->opt[o] != DTRACEOPT_UNSET && dtp->opt[o] != 0;
}

/* The newest version of D, as lang_version() gives it. */
#define DT_D_VERSION	  (1u << 24 | 13u << 12)
#define DT_D_VERSION_TEXT "1.13"

/* dt_show.c: compile, and show of the program what is asked for. */
struct dif_prog *dt_show_compile(dtrace_hdl_t *dtp, struct lang_src *src);
/* If the option is a file of types: open it. 0 / -1. */
int dt_show_open(dtrace_hdl_t *dtp, enum dt_opt o, const char *file);
/* Write and close such files. */
void dt_show_fini(dtrace_hdl_t *dtp);

/* Bits of the option disasm: what -S prints. */
#define DT_DISASM_DIF  1
#define DT_DISASM_CODE 2

/* dt_err.c: a line on standard error if the option debug is set. */
void dt_debug(const dtrace_hdl_t *dtp, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* dt_limit.c */
void dt_limit_core(bool on);
/* 0 if there are no more CPUs than everything here has room for, else -1. */
int dt_limit_cpus(dtrace_hdl_t *dtp, long ncpus);
/* Before tracing starts: cpu, lockmem, preallocate. 0 / -1. */
int dt_limit_apply(dtrace_hdl_t *dtp);

/* dt_open.c: the value of the macro variable $name; false: there is none. */
bool dt_macro(const dtrace_hdl_t *dtp, const char *name, int64_t *val);

/*
 * dt_cpp.c: what the preprocessor makes of the n bytes of a program, malloc'd,
 * its length in *len; NULL on failure.  file is what messages call the program,
 * NULL if nothing.
 */
char *dt_cpp_run(dtrace_hdl_t *dtp, const char *text, size_t n,
		 const char *file, size_t *len);

/* dt_prog.c: all there is to read, malloc'd; NULL on failure. */
char *dt_prog_slurp(dtrace_hdl_t *dtp, FILE *fp, size_t *len);
/* Compile clauses of a provider, of which its probes are made.  The
   handle's. */
dtrace_prog_t *dt_prog_maker(dtrace_hdl_t *dtp, const char *text);
/* dtrace_program_exec() of what belongs to a program that is being enabled. */
int dt_prog_enable(dtrace_hdl_t *dtp, dtrace_prog_t *prog,
		   dtrace_proginfo_t *info);

/* dt_dlib.c */
/* Compile those files of the D library that are wanted and have not been
   compiled. 0 / -1. */
int dt_dlib_load(dtrace_hdl_t *dtp);
/* -L: one more directory of it; false: no memory. */
bool dt_dlib_add_dir(dtrace_hdl_t *dtp, const char *dir);
/* lang_host.depends */
int dt_dlib_depends(void *arg, const char *kind, const char *name);
/* dt_dlib_read.c: the texts of all files, once. 0 / -1. */
int dt_dlib_read(dtrace_hdl_t *dtp);
/* dt_dlib_want.c: those that a program may name something of are compiled.
   0 / -1. */
int dt_dlib_for(dtrace_hdl_t *dtp, const struct lang_src *src);
/* True if files have not been compiled. */
bool dt_dlib_left(const dtrace_hdl_t *dtp);
/* All the rest is compiled. 0 / -1. */
int dt_dlib_rest(dtrace_hdl_t *dtp);
void dt_dlib_fini(dtrace_hdl_t *dtp);

/* dt_probe.c */
/*
 * True if the error only says that something named is not there (a function, an
 * object), which zdefs allows.  Then it is forgotten.
 */
bool dt_probe_absent(dtrace_hdl_t *dtp, struct err *e);
void dt_probe_desc(const struct probe *p, dtrace_probedesc_t *out);
/* dt_near.c: what a description that matches nothing may be meant to be:
   " (did you mean ...)", or NULL; in dtp's arena. */
const char *dt_near_probe(dtrace_hdl_t *dtp, const struct dif_pdesc *pd);
/* The same of a symbol of the kernel that is not known, or why it may not be;
   "": nothing is. */
const char *dt_near_symbol(dtrace_hdl_t *dtp, const char *mod,
			   const char *name);
int dt_probe_types(dtrace_hdl_t *dtp, const struct dif_pdesc *pd,
		   struct lang_probe_info *out, struct err *e);
/* The same, with those types that are dear to learn. */
int dt_probe_args(dtrace_hdl_t *dtp, const struct dif_pdesc *pd,
		  struct lang_probe_info *out, struct err *e);
/* dt_utype.c: struct lang_host's user_type. */
struct type *dt_user_type(dtrace_hdl_t *dtp, const struct dif_pdesc *pds,
			  uint32_t npds, const char *module, const char *name,
			  const char **why);
/* Its user_var. */
int dt_user_var(dtrace_hdl_t *dtp, const struct dif_pdesc *pds, uint32_t npds,
		const char *module, const char *name, uint64_t *addr,
		struct type **type, const char **why);

/* dt_open.c: a user address as ustack() shows it: "obj`name+0xoff". */
void dt_uaddr_text(dtrace_hdl_t *dtp, pid_t pid, uint64_t addr,
		   struct buf *out);

/* dt_lookup.c: the kernel's symbol at or below addr; false: there is none. */
bool dt_ksym(dtrace_hdl_t *dtp, uint64_t addr, const char **mod,
	     const char **name, uint64_t *off);

/* dt_stab.c */
dtrace_attribute_t dt_attr_parse(const char *s); /* "E/E/C" */
dtrace_attribute_t dt_attr_min(dtrace_attribute_t a, dtrace_attribute_t b);
dtrace_attribute_t dt_attr_probe(const struct prov_attr *a);
dtrace_attribute_t dt_attr_clause(dtrace_hdl_t *dtp,
				  const struct dif_clause *c);
/* The least of the providers of what a description matches. */
dtrace_attribute_t dt_attr_desc(dtrace_hdl_t *dtp, const struct dif_pdesc *pd);
#define DT_ATTR_STABLE                                           \
	((dtrace_attribute_t){ DTRACE_STABILITY_STABLE,          \
			       DTRACE_STABILITY_STABLE,          \
			       DTRACE_CLASS_COMMON })

/* dt_files.c: what engines may ask about processes under control. */
void dt_files_init(dtrace_hdl_t *dtp, struct engine_files *f);
/* Who is to hear of processes of the tree: NULL, if no clause of the engine's
   names user addresses. */
const struct engine_kin *dt_files_kin(dtrace_hdl_t *dtp, struct dt_engine *de);

/* dt_every.c: probes of every process. */
/* Give a probe that is one, and has its sites, its number. 0, -1. */
int dt_every_set(dtrace_hdl_t *dtp, struct dif_probe *p);
/* The name of the provider that a DIF_EVERY() stands for; NULL: none. */
const char *dt_every_name(dtrace_hdl_t *dtp, uint32_t value);
/* A file that processes map, open as long as the handle.  NULL + *e. */
struct elf_file *dt_every_open(dtrace_hdl_t *dtp, const char *path,
			       struct err *e);
void dt_every_fini(dtrace_hdl_t *dtp);

/* dt_enable.c */
/* Options are final: lay out records and variables, and make dtp->en. */
int dt_enabling_make(dtrace_hdl_t *dtp);
/*
 * Have a clause that is enabled be about the probes of another description,
 * whose texts live as long as the handle: 1; 0: there are none, and nothing has
 * changed (unless they may come later); -1 with the handle's error.
 */
int dt_clause_narrow(dtrace_hdl_t *dtp, uint32_t clause,
		     const struct dif_pdesc *pd, bool later);
/*
 * The part of the trace that the components of clauses with pick[clause] true
 * are, into de->en, its EPIDs from dtp->necbs + 1 on; the ECBs are entered
 * into dtp->ecbs.
 */
int dt_enabling_part(dtrace_hdl_t *dtp, struct dt_engine *de, const bool *pick);

/* Pairs in the order in which they become ECBs, by probe, then by clause;
   without those that would run a clause twice for two names of one function.
   How many there are then. */
size_t dt_enabs_settle(const dtrace_hdl_t *dtp, struct dt_enab *v, size_t n);

/* dt_narrow.c */
/* True if a clause is about every process, and the trace has one of its own. */
bool dt_narrow_may(dtrace_hdl_t *dtp);
/* Clauses about every process that want one process of the trace alone become
   clauses about that one.  0, or -1 with the handle's error. */
int dt_narrow(dtrace_hdl_t *dtp);

/* dt_made.c */
/* The clauses of which the probes that pd matches are made, if they are, and
   have not been enabled yet: compiled and enabled. */
int dt_made_enable(dtrace_hdl_t *dtp, const struct dif_pdesc *pd);
/* 0 if the probe may be enabled while tracing: the clauses that it is made of
   are there.  Else -1 + *e, the reason. */
int dt_made_ready(dtrace_hdl_t *dtp, struct probe *p, struct err *e);
/* The probe below a made one has the places that one more process has. */
int dt_made_every(struct probe *p, struct proc *proc, struct err *e);
/* What the probe's provider says of its places; a made probe's are those of the
   probe below it. */
int dt_made_sites(struct probe *p, struct site_list *l, struct err *e);

/* dt_later.c */
/* How many probes may come later to this instance's process. */
uint32_t dt_later_probes(const struct dt_engine *de);
/* Look whether the engine's process has mapped anything.  Then it gets its
   probes. */
int dt_later_poll(dtrace_hdl_t *dtp, struct dt_engine *de);
/* How many probes modules of the kernel, and files that processes map, may
   bring to an instance of the kernel engine; and look whether they have.  Then
   it gets them. */
uint32_t dt_later_kernel(dtrace_hdl_t *dtp, struct dt_engine *de);
int dt_later_modules_poll(dtrace_hdl_t *dtp, struct dt_engine *de);
int dt_later_users_poll(dtrace_hdl_t *dtp, struct dt_engine *de);
int dt_later_every_poll(dtrace_hdl_t *dtp, struct dt_engine *de);
/* How many probes of what came later have been left out, as far as the engine
   does not say; and which, for -v. */
uint32_t dt_later_left(const struct dt_engine *de);
void dt_later_report(const struct dt_engine *de, struct buf *out);
/* dt_follow.c: what is not seen of the processes that an instance's target
   makes: all; and what is said without being asked for. */
void dt_follow_report(const dtrace_hdl_t *dtp, const struct dt_engine *de,
		      struct buf *out);
void dt_follow_tell(const dtrace_hdl_t *dtp, const struct dt_engine *de,
		    struct buf *out);
/* True if that tells what becomes of the functions of a process when it
   executes another program. */
bool dt_follow_tells_execs(const dtrace_hdl_t *dtp, pid_t pid);
/* Of a command with probes in its functions that has executed another program,
   once; false: there is nothing to be said. */
bool dt_follow_executed(const dtrace_hdl_t *dtp, struct dt_target *t,
			struct buf *out);

/* dt_text.c */
/* Attach an instance that is loaded.  -1: dtp->err; where that says that the
   kernel must not write to some text, it has not, or does not any more. */
int dt_text_attach(dtrace_hdl_t *dtp, struct dt_engine *de);
/* Places that come while tracing, to an instance of the kernel engine; those
   where it must not write are left out.  -1: dtp->err. */
int dt_text_extend(dtrace_hdl_t *dtp, struct dt_engine *de,
		   struct engine_site *v, size_t n);

/* dt_run.c */
/* True if any clause has called exit(). */
bool dt_exited(const dtrace_hdl_t *dtp);
/* True if a buffer has been full, under policy fill. */
bool dt_filled(const dtrace_hdl_t *dtp);
/* The END clauses, all of them. */
int dt_run_end(dtrace_hdl_t *dtp);
/* Let engines look at what became of their processes. */
int dt_run_poll(dtrace_hdl_t *dtp);
/* All instances end, from any state. */
void dt_run_free(dtrace_hdl_t *dtp);

/* dt_spec.c */
/* A speculative record that waits for the end of its speculation. */
struct dt_held {
	struct dt_held *next;
	unsigned slot;	  /* of its engine */
	uint32_t size;	  /* of the record */
	struct rt_rec rec; /* and what follows it */
};
/* Once the instance is attached, before it begins. */
int dt_specs_init(dtrace_hdl_t *dtp, struct dt_engine *de);
void dt_specs_free(struct dt_engine *de);
/* True if any clause of the trace speculates. */
bool dt_specs_wanted(const struct dif_enabling *en);
/* Hold a copy of the record back, or count a drop if that were too much. */
int dt_spec_hold(dtrace_hdl_t *dtp, const struct dt_engine *de, unsigned slot,
		 const struct rt_rec *rec, uint32_t size);
/* True if a speculation has been ended that the consumer has not seen. */
bool dt_spec_ended(const dtrace_hdl_t *dtp);
/*
 * Where records are read at the end only: note those that have, so that they
 * can be used again.  A record belongs to the first end of its number that is
 * not earlier.
 */
int dt_spec_note(dtrace_hdl_t *dtp);
/*
 * Those that have, not later than limit, in order of time; *ends is the
 * caller's to free.  0, or -1: no memory.
 */
int dt_spec_ends(dtrace_hdl_t *dtp, uint64_t limit, struct dt_spec_end **ends,
		 size_t *n);
/*
 * Its records, in the order in which they came, for the caller to free one by
 * one; from now on the speculation may be used again.
 */
struct dt_held *dt_spec_take(const struct dt_spec_end *end);

/* dt_ecb.c */
/* True if a statement leaves values in the record, or acts when it is read. */
bool dt_stmt_consumed(const struct dif_stmt *st);
/* Make ecb->desc and ecb->pdesc. */
int dt_ecb_describe(dtrace_hdl_t *dtp, struct dt_ecb *ecb, uint32_t epid);

/* dt_owed.c */
struct dt_owed {
	const struct dt_engine *de;
	const struct dif_tab *tab;
	struct dt_aggs *aggs;
};
/* The stacks in a copy of a record of this clause. */
void dt_owed_record(const struct dt_engine *de, const struct dif_clause *c,
		    uint8_t *rec);
/* dt_aggs_add_cell() with the stacks in the key completed; arg is a struct
   dt_owed. */
int dt_owed_cell(void *arg, uint32_t agg, unsigned cpu, const uint8_t *key,
		 const uint64_t *cell);

/* dt_consume.c */
int dt_consume_all(dtrace_hdl_t *dtp, bool final, FILE *fp,
		   dtrace_consume_probe_f *pf, dtrace_consume_rec_f *rf,
		   void *arg);

/* dt_sink.c */
/* Let printing go by the options as they are now. */
void dt_sink_options(dtrace_hdl_t *dtp);
/* Flush text printed so far to the buffered handler, if that is where it
   goes. 0, or -1 if the handler said abort. */
int dt_flush(dtrace_hdl_t *dtp, const dtrace_aggdata_t *agg);
/* Where printing goes: fp, or without one the buffered handler. */
void dt_out_to(dtrace_hdl_t *dtp, FILE *fp);
/* File the error that printing left in dtp->err; always -1. */
int dt_out_failed(dtrace_hdl_t *dtp);

/* dt_notice.c */
/* The beginning of a notice: which probe, by the number of its clause. */
void dt_notice_probe(struct buf *b, dtrace_epid_t epid,
		     const dtrace_probedesc_t *pd);
/* Give an error to the consumer's handler; -1 if it ends the trace. */
int dt_notice_error(dtrace_hdl_t *dtp, const dtrace_errdata_t *d,
		    uint64_t time);
/*
 * What a record asks for could not be done: give the consumer's handler a
 * notice of why, with the probe of the record at hand.  0: go on.
 */
int dt_notice_refused(dtrace_hdl_t *dtp, const char *why);
/* dt_err.c: that as an error of the record at hand; msg stays the caller's. */
dtrace_errdata_t dt_err_refused(dtrace_hdl_t *dtp,
				const dtrace_probedata_t *data,
				const char *msg);

/* dt_act.c: what a statement makes the consumer do. 0 / -1. */
int dt_act_stmt(dtrace_hdl_t *dtp, const struct dif_stmt *st,
		const uint8_t *rec);

/* dt_json.c: structured output, where dtp->json is not NULL. */
/* If the option asks for it; options and clauses are final. */
int dt_json_begin(dtrace_hdl_t *dtp);
void dt_json_free(dtrace_hdl_t *dtp);
/* A record, around its statements (dt_act_stmt()). */
void dt_json_record(dtrace_hdl_t *dtp, const dtrace_probedata_t *data);
int dt_json_record_end(dtrace_hdl_t *dtp, const dtrace_probedata_t *data);
int dt_json_error(dtrace_hdl_t *dtp, const dtrace_errdata_t *d,
		  uint64_t time);
/* kind: the tag of the drop. */
int dt_json_drop(dtrace_hdl_t *dtp, const dtrace_dropdata_t *d,
		 const char *kind, bool per_cpu);
int dt_json_proc(dtrace_hdl_t *dtp, uint64_t time, pid_t pid, int wstatus);
/* The aggregations that printa() has not printed. */
int dt_json_aggs(dtrace_hdl_t *dtp);

/* Run a command; append the output to a file, or give it back (""). */
int dt_act_system(dtrace_hdl_t *dtp, const char *cmd);
int dt_act_freopen(dtrace_hdl_t *dtp, const char *path);

/* dt_aggwalk.c: the sorting options. */
void dt_agg_sort(const dtrace_hdl_t *dtp, struct dt_aggsort *s);

/* dt_process.c */
/* For commands to be created: text is name=value, or a name that is to be
   unset; false: it is not, or no memory. */
bool dt_process_env(dtrace_hdl_t *dtp, const char *text, bool set);
/* The option evaltime or program has been set: those that wait go on to it.
   0 / -1. */
int dt_procs_advance(dtrace_hdl_t *dtp);
int dt_procs_poll(dtrace_hdl_t *dtp); /* notice ends; -1 if the handler
					 aborts */
/* Structured output has those that ended before a time. */
int dt_procs_json(dtrace_hdl_t *dtp, uint64_t before);
bool dt_procs_all_ended(const dtrace_hdl_t *dtp); /* there were some */
/* What the process engine must know of a process. */
struct engine_target dt_proc_target(const dtrace_hdl_t *dtp, pid_t pid);
/* The process of -c or -p; 0: none, DT_PID_SEVERAL. */
int32_t dt_proc_only(const dtrace_hdl_t *dtp);

static inline uint64_t
dt_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

#endif
