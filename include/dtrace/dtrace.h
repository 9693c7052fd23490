/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dtrace.h - libdtrace: everything that dtrace(1) and other consumers use.
 *
 * The entry points, constants and structures keep their historical names, so
 * that consumers written for other systems read the same here.  The order of
 * calls is
 *
 *	dtrace_open  dtrace_setopt...  dtrace_proc_create / _grab
 *	dtrace_program_strcompile / _fcompile   dtrace_program_exec
 *	dtrace_go    dtrace_proc_continue
 *	{ dtrace_sleep  dtrace_work } until done    dtrace_stop
 *	dtrace_work  dtrace_aggregate_print  dtrace_close
 *
 * Unless said otherwise a function that returns int gives 0, or -1 with
 * dtrace_errno() set; a function that returns a pointer gives NULL for that.
 * A handle is used by one thread at a time.
 */
#ifndef DTRACE_DTRACE_H
#define DTRACE_DTRACE_H

#include <elf.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define DTRACE_API __attribute__((visibility("default")))
#else
#define DTRACE_API
#endif

#define DTRACE_VERSION 3

typedef struct dtrace_hdl dtrace_hdl_t;
typedef struct dtrace_prog dtrace_prog_t;
typedef uint32_t dtrace_id_t;
typedef uint32_t dtrace_epid_t;
typedef uint32_t dtrace_aggid_t;
typedef uint32_t dtrace_aggvarid_t;
typedef uint32_t processorid_t;

#define DTRACE_PROVNAMELEN 64
#define DTRACE_MODNAMELEN 64
#define DTRACE_FUNCNAMELEN 192
#define DTRACE_NAMELEN 64

/* ---- the handle ---------------------------------------------------------- */

#define DTRACE_O_NODEV 0x01 /* compile only: no kernel, no processes */
#define DTRACE_O_NOSYS 0x02 /* nor the kernel's symbols and types */
#define DTRACE_O_LP64 0x04
#define DTRACE_O_ILP32 0x08 /* refused: not built */

/* version: DTRACE_VERSION.  On failure *errp is an error for
   dtrace_errmsg(NULL, *errp). */
DTRACE_API dtrace_hdl_t *dtrace_open(int version, int flags, int *errp);

/* A symbol's names; the handle's, until dtrace_update() or its end. */
typedef struct dtrace_syminfo {
	const char *dts_object; /* "vmlinux", or a module */
	const char *dts_name;
	unsigned long dts_id; /* reserved: 0 */
} dtrace_syminfo_t;
/* A world of the consumer's own, in place of the running system. */
typedef struct dtrace_vector {
	/* Calls to a control device: Linux has none, must be NULL. */
	int (*dtv_ioctl)(void *arg, int cmd, void *data);
	/* As dtrace_lookup_by_addr(); not 0: unknown.  NULL: all are. */
	int (*dtv_lookup_by_addr)(void *arg, uint64_t addr, Elf64_Sym *symp,
				  dtrace_syminfo_t *sip);
	/* State of CPUs, system configuration: not asked for, may be NULL. */
	int (*dtv_status)(void *arg, processorid_t cpu);
	long (*dtv_sysconf)(void *arg, int name);
} dtrace_vector_t;
/* A handle that compiles and looks up names through *vector, which is copied;
   it can not trace.  vector NULL: dtrace_open(). */
DTRACE_API dtrace_hdl_t *dtrace_vopen(int version, int flags, int *errp,
				      const dtrace_vector_t *vector, void *arg);
/* Stops tracing, lets processes go, frees everything.  NULL is allowed. */
DTRACE_API void dtrace_close(dtrace_hdl_t *dtp);
DTRACE_API int dtrace_errno(dtrace_hdl_t *dtp);
/* Text of an error; of the last one also what went wrong in particular. */
DTRACE_API const char *dtrace_errmsg(dtrace_hdl_t *dtp, int error);
/* The tag of the last error ("D_SYNTAX", "EDT_NOPROBE"). */
DTRACE_API const char *dtrace_errtag(dtrace_hdl_t *dtp);
/*
 * The errors of a program that did not compile, in the order of their places:
 * how many (not more than ten), 0 if the last error is another or has no place.
 * They are the handle's, until it compiles again or is closed.
 */
typedef struct dtrace_errplace {
	const char *dtep_tag;  /* "D_SYNTAX" */
	const char *dtep_file; /* NULL: the text that was given */
	int dtep_line, dtep_column; /* from 1; column 0: not known */
	const char *dtep_msg;  /* what is wrong, without the place; NULL: no
				  memory was left for it */
	const char *dtep_text; /* the line; NULL: not known */
} dtrace_errplace_t;
DTRACE_API size_t dtrace_errplaces(dtrace_hdl_t *dtp,
				   const dtrace_errplace_t **places);
/* The descriptor of the control device: always -1, Linux has none. */
DTRACE_API int dtrace_ctlfd(dtrace_hdl_t *dtp);
/* Kernel modules may have come or gone: read symbols anew when asked next. */
DTRACE_API void dtrace_update(dtrace_hdl_t *dtp);
/* The interface version: "DTrace for Linux D 1.0". */
DTRACE_API extern const char _dtrace_version[];

/* Options: names and values as in -x name=value; val NULL sets a flag. */
DTRACE_API int dtrace_setopt(dtrace_hdl_t *dtp, const char *opt,
			     const char *val);
#define DTRACEOPT_UNSET ((int64_t)-2)
/* Numeric value (sizes in bytes, rates in ns); DTRACEOPT_UNSET if unset. */
DTRACE_API int dtrace_getopt(dtrace_hdl_t *dtp, const char *opt,
			     int64_t *val);

/* ---- errors -------------------------------------------------------------- */

enum {
	EDT_VERSION = 1000, EDT_VERSINVAL, EDT_NOMEM, EDT_COMPILER,
	EDT_BADSPEC, EDT_NOPROBE, EDT_NOPROV, EDT_OVERSPEC, EDT_UNDERVAR,
	EDT_BADOPTNAME, EDT_BADOPTVAL, EDT_BADOPTCTX, EDT_ACTIVE,
	EDT_DESTRUCTIVE, EDT_ENABLE, EDT_PRIV, EDT_UNSUP, EDT_ERRABORT,
	EDT_DROPABORT, EDT_DIRABORT, EDT_BADAGGVAR, EDT_BADID, EDT_PROC,
	EDT_CPP, EDT_IO, EDT_NOTACTIVE, EDT_BADRVAL, EDT_NOREG, EDT_BUFSIZE,
	EDT_BADMODEL, EDT_ATTRMIN, EDT_NOSYM, EDT_NOSYMADDR, EDT_NOTYPE,
	EDT_NOMOD, EDT_FIRST = EDT_VERSION, EDT_LAST = EDT_NOMOD
};

/* ---- probes and stability ------------------------------------------------ */

typedef struct dtrace_probedesc {
	dtrace_id_t dtpd_id;
	char dtpd_provider[DTRACE_PROVNAMELEN];
	char dtpd_mod[DTRACE_MODNAMELEN];
	char dtpd_func[DTRACE_FUNCNAMELEN];
	char dtpd_name[DTRACE_NAMELEN];
} dtrace_probedesc_t;

typedef uint8_t dtrace_stability_t;
typedef uint8_t dtrace_class_t;
enum { DTRACE_STABILITY_INTERNAL, DTRACE_STABILITY_PRIVATE,
       DTRACE_STABILITY_OBSOLETE, DTRACE_STABILITY_EXTERNAL,
       DTRACE_STABILITY_UNSTABLE, DTRACE_STABILITY_EVOLVING,
       DTRACE_STABILITY_STABLE, DTRACE_STABILITY_STANDARD,
       DTRACE_STABILITY_MAX = DTRACE_STABILITY_STANDARD };
enum { DTRACE_CLASS_UNKNOWN, DTRACE_CLASS_CPU, DTRACE_CLASS_PLATFORM,
       DTRACE_CLASS_GROUP, DTRACE_CLASS_ISA, DTRACE_CLASS_COMMON,
       DTRACE_CLASS_MAX = DTRACE_CLASS_COMMON };

typedef struct dtrace_attribute {
	dtrace_stability_t dtat_name, dtat_data;
	dtrace_class_t dtat_class;
} dtrace_attribute_t;

typedef struct dtrace_probeinfo {
	dtrace_attribute_t dtp_attr;  /* of the probe description */
	dtrace_attribute_t dtp_arga;  /* of the arguments */
	int dtp_argc;		      /* number of typed arguments */
	char dtp_argv[12][128];	      /* their types as text */
} dtrace_probeinfo_t;

typedef enum { DTRACE_PROBESPEC_NONE = -1, DTRACE_PROBESPEC_PROVIDER,
	       DTRACE_PROBESPEC_MOD, DTRACE_PROBESPEC_FUNC,
	       DTRACE_PROBESPEC_NAME } dtrace_probespec_t;

typedef int dtrace_probe_f(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pdp,
			   void *arg);
/* Every probe that matches pdp (NULL: all), in order of id; func returns
   non-zero to stop, and that is returned.  No match: EDT_NOPROBE. */
DTRACE_API int dtrace_probe_iter(dtrace_hdl_t *dtp,
				 const dtrace_probedesc_t *pdp,
				 dtrace_probe_f *func, void *arg);
DTRACE_API int dtrace_probe_info(dtrace_hdl_t *dtp,
				 const dtrace_probedesc_t *pdp,
				 dtrace_probeinfo_t *pip);
/* What args[n] of the first probe that matches pdp is called by who wrote the
   function, the system call or the tracepoint: buf, at most len bytes with the
   terminator, or NULL if that is not known. */
DTRACE_API const char *dtrace_probe_argname(dtrace_hdl_t *dtp,
					    const dtrace_probedesc_t *pdp,
					    unsigned n, char *buf, size_t len);
/* "a:b:c:d" to fields; the right-most field is `spec`. */
DTRACE_API int dtrace_str2desc(dtrace_hdl_t *dtp, dtrace_probespec_t spec,
			       const char *s, dtrace_probedesc_t *pdp);
/* The same with macro variables and $1.. of argv replaced. */
DTRACE_API int dtrace_xstr2desc(dtrace_hdl_t *dtp, dtrace_probespec_t spec,
				const char *s, int argc, char *const argv[],
				dtrace_probedesc_t *pdp);
DTRACE_API char *dtrace_desc2str(const dtrace_probedesc_t *pdp, char *buf,
				 size_t len);
DTRACE_API int dtrace_id2desc(dtrace_hdl_t *dtp, dtrace_id_t id,
			      dtrace_probedesc_t *pdp);
DTRACE_API const char *dtrace_stability_name(dtrace_stability_t s);
DTRACE_API const char *dtrace_class_name(dtrace_class_t c);
DTRACE_API char *dtrace_attr2str(dtrace_attribute_t a, char *buf, size_t len);
DTRACE_API int dtrace_str2attr(const char *s, dtrace_attribute_t *a);
DTRACE_API const char *dtrace_faultstr(dtrace_hdl_t *dtp, int fault);
DTRACE_API const char *dtrace_subrstr(dtrace_hdl_t *dtp, int subr);

/* ---- programs ------------------------------------------------------------ */

#define DTRACE_C_DIFV 0x0001   /* print the DIF on stderr */
#define DTRACE_C_EMPTY 0x0002  /* an empty program is fine */
#define DTRACE_C_ZDEFS 0x0004  /* probes that match nothing are fine */
#define DTRACE_C_EATTR 0x0008  /* fail below the amin option */
#define DTRACE_C_CPP 0x0010    /* run the preprocessor first */
#define DTRACE_C_KNODEF 0x0020
#define DTRACE_C_UNODEF 0x0040
#define DTRACE_C_PSPEC 0x0080  /* ambiguous words are probe names */
#define DTRACE_C_ETAGS 0x0100  /* put [D_TAG] in messages */
#define DTRACE_C_SUGAR 0x0400  /* print the program as D without if */
#define DTRACE_C_ARGREF 0x0200 /* unused macro arguments are fine */
#define DTRACE_C_DEFARG 0x0800 /* missing macro arguments are 0 or "" */
#define DTRACE_C_NOLIBS 0x1000
#define DTRACE_C_CTL 0x2000
#define DTRACE_C_WHO 0x4000    /* records end with pid, tid and execname */

typedef struct dtrace_proginfo {
	dtrace_attribute_t dpi_descattr; /* minimum of probe descriptions */
	dtrace_attribute_t dpi_stmtattr; /* minimum of statements */
	unsigned dpi_aggregates;
	unsigned dpi_recgens;	   /* record-generating statements */
	unsigned dpi_matches;	   /* probes matched */
	unsigned dpi_speculations;
} dtrace_proginfo_t;

/* Programs are owned by the handle. */
DTRACE_API dtrace_prog_t *
dtrace_program_strcompile(dtrace_hdl_t *dtp, const char *text,
			  dtrace_probespec_t spec, unsigned cflags, int argc,
			  char *const argv[]);
/* argv[0] is the file's name for messages and $0. */
DTRACE_API dtrace_prog_t *dtrace_program_fcompile(dtrace_hdl_t *dtp, FILE *fp,
						  unsigned cflags, int argc,
						  char *const argv[]);
/*
 * For C and C++ programs that have probes of their own: write the header that
 * `dtrace -h` makes, with the probes of all providers that programs so far have
 * declared.  fname is the name it will have, for the guard against including it
 * twice.  EDT_NOPROV: none has been declared; EDT_UNSUP: C cannot have a probe
 * as it is declared.
 */
DTRACE_API int dtrace_program_header(dtrace_hdl_t *dtp, FILE *fp,
				     const char *fname);
/*
 * For objects compiled with such headers, which need it not, and with those of
 * SystemTap's dtrace, which do: write to `file` the object that `dtrace -G`
 * makes, with the semaphores of these probes.  objv: the objects, of which none
 * may wait for probes of other systems (EDT_UNSUP).  prog and flags: not used,
 * NULL and 0.
 */
DTRACE_API int dtrace_program_link(dtrace_hdl_t *dtp, dtrace_prog_t *prog,
				   unsigned flags, const char *file, int objc,
				   char *const objv[]);
/* Add the program to what dtrace_go() enables; info may be NULL. */
DTRACE_API int dtrace_program_exec(dtrace_hdl_t *dtp, dtrace_prog_t *prog,
				   dtrace_proginfo_t *info);
DTRACE_API void dtrace_program_info(dtrace_hdl_t *dtp, dtrace_prog_t *prog,
				    dtrace_proginfo_t *info);
typedef int dtrace_stmt_desc_f(dtrace_hdl_t *dtp, dtrace_prog_t *prog,
			       const dtrace_probedesc_t *pdp, void *arg);
/*
 * Where the program means another thing than its text would in C: lines
 * "FILE:LINE:COLUMN: what", FILE being "D" for text that came without a name.
 * "" if nowhere.  It lives as long as the program.
 */
DTRACE_API const char *dtrace_program_notes(dtrace_hdl_t *dtp,
					    const dtrace_prog_t *prog);
/* The same of what is allowed, and probably not meant. */
DTRACE_API const char *dtrace_program_warnings(dtrace_hdl_t *dtp,
					       const dtrace_prog_t *prog);
/* Every clause's probe description, in program order. */
DTRACE_API int dtrace_stmt_iter(dtrace_hdl_t *dtp, dtrace_prog_t *prog,
				dtrace_stmt_desc_f *func, void *arg);

/* ---- processes ----------------------------------------------------------- */

struct ps_prochandle;
/* Start a program, stopped before its first instructions count; argv as for
   execvp, file is argv[0] or NULL.  func and arg: reserved, NULL; so are the
   flags of dtrace_proc_grab(), 0. */
DTRACE_API struct ps_prochandle *dtrace_proc_create(dtrace_hdl_t *dtp,
						    const char *file,
						    char *const *argv,
						    void *func, void *arg);
DTRACE_API struct ps_prochandle *dtrace_proc_grab(dtrace_hdl_t *dtp, pid_t pid,
						  int flags);
DTRACE_API void dtrace_proc_continue(dtrace_hdl_t *dtp,
				     struct ps_prochandle *p);
DTRACE_API void dtrace_proc_release(dtrace_hdl_t *dtp,
				    struct ps_prochandle *p);
DTRACE_API pid_t dtrace_proc_pid(struct ps_prochandle *p);
/* How it ended, as wait(2) tells; -1: it has not, or that is not known. */
DTRACE_API int dtrace_proc_wstatus(struct ps_prochandle *p);

/* ---- running ------------------------------------------------------------- */

typedef enum { DTRACE_STATUS_NONE, DTRACE_STATUS_OKAY, DTRACE_STATUS_EXITED,
	       DTRACE_STATUS_FILLED, DTRACE_STATUS_STOPPED } dtrace_status_t;
typedef enum { DTRACE_WORKSTATUS_ERROR = -1, DTRACE_WORKSTATUS_OKAY,
	       DTRACE_WORKSTATUS_DONE } dtrace_workstatus_t;

/* Put all programs in place, run BEGIN, start tracing. */
DTRACE_API int dtrace_go(dtrace_hdl_t *dtp);
/*
 * 1: the caller may end now, at any instruction: what has been changed in
 * traced processes is put right then, by the kernel or by a guardian of ours.
 * 0: such a guardian was killed, and only we can do it: let dtrace_go() return,
 * and stop.  For handlers of signals that come while dtrace_go() runs: safe
 * there, errno included.
 */
DTRACE_API int dtrace_guarded(dtrace_hdl_t *dtp);
/* Stop all probes.  The next dtrace_work() consumes what they left, runs END
   and consumes what that left. */
DTRACE_API int dtrace_stop(dtrace_hdl_t *dtp);
/* Wait until there is something to do, a signal, or the next period. */
DTRACE_API void dtrace_sleep(dtrace_hdl_t *dtp);
DTRACE_API int dtrace_status(dtrace_hdl_t *dtp);
/* The status given to exit(). */
DTRACE_API int dtrace_exit_status(dtrace_hdl_t *dtp);
/*
 * What runs where, and why: a line for each engine that dtrace_go() has put to
 * work, and lines of its own on what it could not place.  The handle's; valid
 * until the next call.
 */
DTRACE_API const char *dtrace_engines(dtrace_hdl_t *dtp);
/* After dtrace_go(): what a probe that is named, or an option, asks for and
   will not be seen, a line each; "" mostly.  dtrace_engines() has them too.
   The handle's; valid until the next call of either. */
DTRACE_API const char *dtrace_not_seen(dtrace_hdl_t *dtp);
/* After dtrace_go(): how many probes that patterns have matched have no place
   in their process, and do not fire; those of libraries that the process has
   opened since are counted as they come.  dtrace_engines() says why. */
DTRACE_API unsigned dtrace_left_out(dtrace_hdl_t *dtp);

/* ---- consuming ----------------------------------------------------------- */

typedef struct dtrace_recdesc {
	uint16_t dtrd_action; /* DTRACEACT_* */
	uint32_t dtrd_size;
	uint32_t dtrd_offset;
	uint16_t dtrd_alignment;
	const char *dtrd_format; /* printf-like actions; or NULL */
	uint64_t dtrd_arg;
} dtrace_recdesc_t;

typedef struct dtrace_eprobedesc {
	dtrace_epid_t dtepd_epid;
	dtrace_id_t dtepd_probeid;
	uint32_t dtepd_size;
	int dtepd_nrecs;
	const dtrace_recdesc_t *dtepd_rec; /* one a recorded value */
} dtrace_eprobedesc_t;

typedef enum { DTRACEFLOW_ENTRY, DTRACEFLOW_RETURN,
	       DTRACEFLOW_NONE } dtrace_flowkind_t;

typedef struct dtrace_probedata {
	dtrace_hdl_t *dtpda_handle;
	const dtrace_eprobedesc_t *dtpda_edesc;
	const dtrace_probedesc_t *dtpda_pdesc;
	processorid_t dtpda_cpu;
	const char *dtpda_data; /* the record; add dtrd_offset */
	uint64_t dtpda_timestamp;
	dtrace_flowkind_t dtpda_flow;
	const char *dtpda_prefix; /* " -> " and so on with flowindent */
	int dtpda_indent;
} dtrace_probedata_t;

#define DTRACE_CONSUME_ERROR (-1)
#define DTRACE_CONSUME_THIS 0  /* let the library print it */
#define DTRACE_CONSUME_NEXT 1  /* handled: go on */
#define DTRACE_CONSUME_ABORT 2

/* Called once for a record (rec NULL in the second: end of the record). */
typedef int dtrace_consume_probe_f(const dtrace_probedata_t *data, void *arg);
/* Called once for each statement, with its first recorded value. */
typedef int dtrace_consume_rec_f(const dtrace_probedata_t *data,
				 const dtrace_recdesc_t *rec, void *arg);

/* Consume what is there, in order of time.  fp NULL: the buffered handler. */
DTRACE_API int dtrace_consume(dtrace_hdl_t *dtp, FILE *fp,
			      dtrace_consume_probe_f *pf,
			      dtrace_consume_rec_f *rf, void *arg);
/*
 * Instead of dtrace_work(), some ten times a second, as long as records are to
 * stay in their buffers for a consumer that comes later: processes and modules
 * are looked at, and aggregations taken in before their buffers overflow.
 * 0, or -1.
 */
DTRACE_API int dtrace_hold(dtrace_hdl_t *dtp);
/* Status, drops, aggregations, dtrace_consume(): what a loop should call. */
DTRACE_API dtrace_workstatus_t dtrace_work(dtrace_hdl_t *dtp, FILE *fp,
					   dtrace_consume_probe_f *pf,
					   dtrace_consume_rec_f *rf, void *arg);

/* Action codes, as in dtrd_action. */
#define DTRACEACT_NONE 0
#define DTRACEACT_DIFEXPR 1
#define DTRACEACT_EXIT 2
#define DTRACEACT_PRINTF 3
#define DTRACEACT_PRINTA 4
#define DTRACEACT_TRACEMEM 6
#define DTRACEACT_USTACK 0x0101
#define DTRACEACT_USYM 0x0103
#define DTRACEACT_UMOD 0x0104
#define DTRACEACT_UADDR 0x0105
#define DTRACEACT_SYSTEM 0x0203
#define DTRACEACT_FREOPEN 0x0204
#define DTRACEACT_STACK 0x0401
#define DTRACEACT_SYM 0x0402
#define DTRACEACT_MOD 0x0403

/* ---- aggregations -------------------------------------------------------- */

typedef struct dtrace_aggdesc {
	const char *dtagd_name; /* "_" for a bare @ */
	dtrace_aggvarid_t dtagd_varid;
	dtrace_aggid_t dtagd_id; /* the same */
	int dtagd_nkeys;
	uint32_t dtagd_func; /* DTRACEAGG_* */
	uint64_t dtagd_arg;
	uint32_t dtagd_size; /* of dtada_data */
	/* What is in dtada_data: the id, the keys (DTRACEACT_DIFEXPR, _STACK,
	   _USTACK; symbols are strings), the value (DTRACEAGG_*). */
	int dtagd_nrecs;
	const dtrace_recdesc_t *dtagd_rec;
} dtrace_aggdesc_t;

#define DTRACEAGG_COUNT 0x0701
#define DTRACEAGG_MIN 0x0702
#define DTRACEAGG_MAX 0x0703
#define DTRACEAGG_AVG 0x0704
#define DTRACEAGG_SUM 0x0705
#define DTRACEAGG_STDDEV 0x0706
#define DTRACEAGG_QUANTIZE 0x0707
#define DTRACEAGG_LQUANTIZE 0x0708
#define DTRACEAGG_LLQUANTIZE 0x0709

/* One key of an aggregation's row. */
typedef struct dtrace_aggkey {
	int dtak_is_string;
	const char *dtak_str; /* strings; stacks and symbols as text */
	int64_t dtak_int;
} dtrace_aggkey_t;

typedef struct dtrace_aggdata {
	dtrace_hdl_t *dtada_handle;
	const dtrace_aggdesc_t *dtada_desc;
	/*
	 * The row as bytes, for dtagd_rec.  The value is its function's words:
	 * count, sum, min, max one; avg count and sum; stddev count, sum, sum
	 * of squares (low, high); quantize its buckets; lquantize and
	 * llquantize their packed bounds, then their buckets.
	 */
	const char *dtada_data;
	size_t dtada_size;
	const dtrace_aggkey_t *dtada_keys; /* dtagd_nkeys of them */
	const int64_t *dtada_cell; /* merged words of the function */
	uint32_t dtada_nwords;
	int64_t dtada_value; /* count, sum, min, max; average, deviation;
				for histograms the sum of the buckets */
	uint64_t dtada_normal;
} dtrace_aggdata_t;

#define DTRACE_AGGWALK_ERROR (-1)
#define DTRACE_AGGWALK_NEXT 0
#define DTRACE_AGGWALK_ABORT 1
#define DTRACE_AGGWALK_CLEAR 2
#define DTRACE_AGGWALK_NORMALIZE 3
#define DTRACE_AGGWALK_DENORMALIZE 4
#define DTRACE_AGGWALK_REMOVE 5
typedef int dtrace_aggregate_f(const dtrace_aggdata_t *data, void *arg);
typedef int dtrace_aggregate_walk_f(dtrace_hdl_t *dtp, dtrace_aggregate_f *f,
				    void *arg);
/*
 * A row of several aggregations with the same keys: data[0] has the keys,
 * data[1] to data[ndata - 1] are the aggregations in the order asked for;
 * where one has no such row, its words are zero.
 */
typedef int dtrace_aggregate_walk_joined_f(const dtrace_aggdata_t **data,
					   const int ndata, void *arg);

/* Bring the merged values up to date. */
DTRACE_API int dtrace_aggregate_snap(dtrace_hdl_t *dtp);
/* Print what printa() has not printed, in the order of one of the walks below;
   func NULL: as the options say.  fp NULL: the buffered handler. */
DTRACE_API int dtrace_aggregate_print(dtrace_hdl_t *dtp, FILE *fp,
				      dtrace_aggregate_walk_f *func);
DTRACE_API int dtrace_aggregate_walk(dtrace_hdl_t *dtp, dtrace_aggregate_f *f,
				     void *arg);
DTRACE_API int dtrace_aggregate_walk_sorted(dtrace_hdl_t *dtp,
					    dtrace_aggregate_f *f, void *arg);
DTRACE_API int dtrace_aggregate_walk_keysorted(dtrace_hdl_t *dtp,
					       dtrace_aggregate_f *f,
					       void *arg);
DTRACE_API int dtrace_aggregate_walk_valsorted(dtrace_hdl_t *dtp,
					       dtrace_aggregate_f *f,
					       void *arg);
DTRACE_API int dtrace_aggregate_walk_keyrevsorted(dtrace_hdl_t *dtp,
						  dtrace_aggregate_f *f,
						  void *arg);
DTRACE_API int dtrace_aggregate_walk_valrevsorted(dtrace_hdl_t *dtp,
						  dtrace_aggregate_f *f,
						  void *arg);
/*
 * The walks above go through one aggregation after the other.  These go
 * through the rows of all of them in one order: of keys, then aggregations;
 * of values, then aggregations; and backwards.
 */
DTRACE_API int dtrace_aggregate_walk_keyvarsorted(dtrace_hdl_t *dtp,
						  dtrace_aggregate_f *f,
						  void *arg);
DTRACE_API int dtrace_aggregate_walk_valvarsorted(dtrace_hdl_t *dtp,
						  dtrace_aggregate_f *f,
						  void *arg);
DTRACE_API int dtrace_aggregate_walk_keyvarrevsorted(dtrace_hdl_t *dtp,
						     dtrace_aggregate_f *f,
						     void *arg);
DTRACE_API int dtrace_aggregate_walk_valvarrevsorted(dtrace_hdl_t *dtp,
						     dtrace_aggregate_f *f,
						     void *arg);
/* Aggregations joined by key, in the order of the options; all have the same
   number of keys (else EDT_BADAGGVAR).  The walker answers _NEXT or _ABORT. */
DTRACE_API int dtrace_aggregate_walk_joined(dtrace_hdl_t *dtp,
					    dtrace_aggvarid_t *vars, int nvars,
					    dtrace_aggregate_walk_joined_f *f,
					    void *arg);
DTRACE_API int dtrace_aggregate_clear(dtrace_hdl_t *dtp);
/* The values that bucket i of a histogram counts: low <= value <= high, where
   dtada_cell[i] is how many there were.  EDT_BADAGGVAR: it is no histogram, or
   has no such bucket. */
DTRACE_API int dtrace_aggregate_bucket(dtrace_hdl_t *dtp,
				       const dtrace_aggdata_t *data, uint32_t i,
				       int64_t *low, int64_t *high);

/* ---- structured output --------------------------------------------------- */

/* Return non-zero if the output is structured (the option oformat).  Then a
   consumer that writes text of its own to the same stream spoils it. */
DTRACE_API int dtrace_oformat(dtrace_hdl_t *dtp);
/*
 * An element for a probe that is listed: its id and its four names, with args
 * not 0 its arguments as well.  pd NULL: none yet, but the document begins.  fp
 * as for dtrace_work().  Nothing is written where the output is text.  0 or -1.
 */
DTRACE_API int dtrace_oformat_probe(dtrace_hdl_t *dtp, FILE *fp,
				    const dtrace_probedesc_t *pd, int args);
/* The end of structured output: completes the document.  fp as for
   dtrace_work().  Nothing may be printed after it. */
DTRACE_API int dtrace_oformat_teardown(dtrace_hdl_t *dtp, FILE *fp);

/* ---- handlers ------------------------------------------------------------ */

#define DTRACE_HANDLE_ABORT (-1)
#define DTRACE_HANDLE_OK 0

/* dteda_fault: no fault of a probe; the library could not do what a record asks
   for. */
#define DTRACEFLT_LIBRARY 1000

typedef struct dtrace_errdata {
	dtrace_hdl_t *dteda_handle;
	const dtrace_eprobedesc_t *dteda_edesc; /* NULL: of no known clause */
	const dtrace_probedesc_t *dteda_pdesc;
	dtrace_epid_t dteda_epid;
	processorid_t dteda_cpu;
	int dteda_action; /* 0: predicate */
	int dteda_offset; /* -1: unknown */
	int dteda_fault;
	uint64_t dteda_addr;
	const char *dteda_msg; /* ready to print, with newline */
} dtrace_errdata_t;
typedef int dtrace_handle_err_f(const dtrace_errdata_t *data, void *arg);

typedef enum {
	DTRACEDROP_PRINCIPAL, DTRACEDROP_AGGREGATION, DTRACEDROP_DYNAMIC,
	DTRACEDROP_SPEC, DTRACEDROP_NESTED, DTRACEDROP_DBLERROR,
	DTRACEDROP_SPECBUSY, DTRACEDROP_SPECUNAVAIL, DTRACEDROP_MISSED
} dtrace_dropkind_t;
typedef struct dtrace_dropdata {
	dtrace_hdl_t *dtdda_handle;
	processorid_t dtdda_cpu;
	dtrace_dropkind_t dtdda_kind;
	uint64_t dtdda_drops; /* since the last notice */
	uint64_t dtdda_total;
	const char *dtdda_msg; /* ready to print, with newline */
} dtrace_dropdata_t;
typedef int dtrace_handle_drop_f(const dtrace_dropdata_t *data, void *arg);

/* A process has ended: dtrace_proc_wstatus().  msg: NULL, or a sentence for the
   user: it died of a signal that the probes in it may be the reason of. */
typedef int dtrace_handle_proc_f(struct ps_prochandle *p, const char *msg,
				 void *arg);

typedef struct dtrace_bufdata {
	dtrace_hdl_t *dtbda_handle;
	const char *dtbda_buffered; /* the text */
	const dtrace_probedata_t *dtbda_probe; /* NULL: not from a record */
	const dtrace_recdesc_t *dtbda_recdesc;
	const dtrace_aggdata_t *dtbda_aggdata;
	uint32_t dtbda_flags; /* DTRACE_BUFDATA_* */
} dtrace_bufdata_t;
/* With dtbda_aggdata: the text is a whole row, keys and value, by a format or
   not, and the last of it. */
#define DTRACE_BUFDATA_AGGKEY 0x0001
#define DTRACE_BUFDATA_AGGVAL 0x0002
#define DTRACE_BUFDATA_AGGFORMAT 0x0004
#define DTRACE_BUFDATA_AGGLAST 0x0008
typedef int dtrace_handle_buffered_f(const dtrace_bufdata_t *data, void *arg);

typedef struct dtrace_setoptdata {
	dtrace_hdl_t *dtsda_handle;
	const dtrace_probedesc_t *dtsda_probe;
	const char *dtsda_option;
	int64_t dtsda_oldval, dtsda_newval;
} dtrace_setoptdata_t;
typedef int dtrace_handle_setopt_f(const dtrace_setoptdata_t *data, void *arg);

/* One handler of each kind; a second is refused (EDT_ACTIVE). */
DTRACE_API int dtrace_handle_err(dtrace_hdl_t *dtp, dtrace_handle_err_f *f,
				 void *arg);
DTRACE_API int dtrace_handle_drop(dtrace_hdl_t *dtp, dtrace_handle_drop_f *f,
				  void *arg);
DTRACE_API int dtrace_handle_proc(dtrace_hdl_t *dtp, dtrace_handle_proc_f *f,
				  void *arg);
DTRACE_API int dtrace_handle_buffered(dtrace_hdl_t *dtp,
				      dtrace_handle_buffered_f *f, void *arg);
DTRACE_API int dtrace_handle_setopt(dtrace_hdl_t *dtp,
				    dtrace_handle_setopt_f *f, void *arg);

/* ---- names and text ------------------------------------------------------ */

/* A kernel address as module`symbol+0xoff; the length as snprintf. */
DTRACE_API int dtrace_addr2str(dtrace_hdl_t *dtp, uint64_t addr, char *buf,
			       int len);
DTRACE_API int dtrace_uaddr2str(dtrace_hdl_t *dtp, pid_t pid, uint64_t addr,
				char *buf, int len);
/* Objects, where one is asked for: a module's name, or any. */
#define DTRACE_OBJ_EVERY ((const char *)-1)
#define DTRACE_OBJ_KMODS ((const char *)-2) /* the kernel and its modules */

/*
 * A symbol of the kernel (Elf64_Sym is what libelf calls GElf_Sym): address,
 * size as far as the next symbol, kind.  symp and sip may be NULL.  Unknown:
 * EDT_NOSYM, EDT_NOSYMADDR.
 */
DTRACE_API int dtrace_lookup_by_name(dtrace_hdl_t *dtp, const char *object,
				     const char *name, Elf64_Sym *symp,
				     dtrace_syminfo_t *sip);
DTRACE_API int dtrace_lookup_by_addr(dtrace_hdl_t *dtp, uint64_t addr,
				     Elf64_Sym *symp, dtrace_syminfo_t *sip);

/* A type; the handle's. */
typedef struct dtrace_typeinfo {
	const char *dtt_object; /* where it was looked for; NULL: anywhere */
	struct type *dtt_type;	/* dtrace_type_*() tell of it */
	unsigned dtt_flags;	/* reserved: 0 */
} dtrace_typeinfo_t;
/* By C name ("struct file", "size_t"), of the kernel or D's own; EDT_NOTYPE. */
DTRACE_API int dtrace_lookup_by_type(dtrace_hdl_t *dtp, const char *object,
				     const char *name, dtrace_typeinfo_t *tip);
/* By a type's text, with any number of '*'. */
DTRACE_API int dtrace_type_strcompile(dtrace_hdl_t *dtp, const char *text,
				      dtrace_typeinfo_t *tip);
/* Of the symbol that a lookup has found. */
DTRACE_API int dtrace_symbol_type(dtrace_hdl_t *dtp, const Elf64_Sym *symp,
				  const dtrace_syminfo_t *sip,
				  dtrace_typeinfo_t *tip);
/* Its text; the length as snprintf. */
DTRACE_API int dtrace_type_name(dtrace_hdl_t *dtp,
				const dtrace_typeinfo_t *tip, char *buf,
				size_t len);
/* Its bytes; 0: it has no size. */
DTRACE_API uint64_t dtrace_type_size(dtrace_hdl_t *dtp,
				     const dtrace_typeinfo_t *tip);

/* The kernel, or a module of it. */
typedef struct dtrace_objinfo {
	const char *dto_name;
	const char *dto_file; /* that its types are read from */
	int dto_id;	      /* reserved: 0 */
	unsigned dto_flags;   /* DTRACE_OBJ_F_* */
	/* 0 where the kernel does not tell; all of a module counts as text. */
	uint64_t dto_text_va, dto_text_size;
	uint64_t dto_data_va, dto_data_size;
	uint64_t dto_bss_va, dto_bss_size;
} dtrace_objinfo_t;
#define DTRACE_OBJ_F_KERNEL 0x1
#define DTRACE_OBJ_F_PRIMARY 0x2 /* vmlinux */
typedef int dtrace_obj_f(dtrace_hdl_t *dtp, const dtrace_objinfo_t *dto,
			 void *arg);
/* Each of them; func returns non-zero to stop, and that is returned. */
DTRACE_API int dtrace_object_iter(dtrace_hdl_t *dtp, dtrace_obj_f *func,
				  void *arg);
/* One; EDT_NOMOD. */
DTRACE_API int dtrace_object_info(dtrace_hdl_t *dtp, const char *object,
				  dtrace_objinfo_t *dto);

/* ---- formats ------------------------------------------------------------- */

/* A format as printf() or printa() takes it; the handle's, or NULL. */
DTRACE_API void *dtrace_printf_create(dtrace_hdl_t *dtp, const char *format);
DTRACE_API void *dtrace_printa_create(dtrace_hdl_t *dtp, const char *format);
/* The text of a format; the length as snprintf. */
DTRACE_API size_t dtrace_printf_format(dtrace_hdl_t *dtp, void *fmtdata,
				       char *buf, size_t len);
/*
 * For callbacks of dtrace_work(): what a statement does, with a format of the
 * consumer's.  rec is the statement's first of nrecs in data->dtpda_edesc, buf
 * of len bytes is data->dtpda_data; fmtdata NULL: the statement's format.
 * They return how many of the records they used, or -1.
 */
DTRACE_API int dtrace_fprintf(dtrace_hdl_t *dtp, FILE *fp, void *fmtdata,
			      const dtrace_probedata_t *data,
			      const dtrace_recdesc_t *rec, unsigned nrecs,
			      const void *buf, size_t len);
DTRACE_API int dtrace_fprinta(dtrace_hdl_t *dtp, FILE *fp, void *fmtdata,
			      const dtrace_probedata_t *data,
			      const dtrace_recdesc_t *rec, unsigned nrecs,
			      const void *buf, size_t len);
/* Run the text as a command. */
DTRACE_API int dtrace_system(dtrace_hdl_t *dtp, FILE *fp, void *fmtdata,
			     const dtrace_probedata_t *data,
			     const dtrace_recdesc_t *rec, unsigned nrecs,
			     const void *buf, size_t len);
/* Append fp to the file of that name; "": back to where it went at first. */
DTRACE_API int dtrace_freopen(dtrace_hdl_t *dtp, FILE *fp, void *fmtdata,
			      const dtrace_probedata_t *data,
			      const dtrace_recdesc_t *rec, unsigned nrecs,
			      const void *buf, size_t len);

#ifdef __cplusplus
}
#endif

#endif
