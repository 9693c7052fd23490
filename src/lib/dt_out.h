/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_out.h - from recorded bytes to text: the printing half of libdtrace.
 *
 * It knows records, aggregation cells and formats, and nothing of the handle:
 * what it must ask (which symbol is at this address, what is this probe
 * called) goes through struct dt_syms, where its text goes is in struct
 * dt_out.  So all of it is tested without tracing anything.
 *
 *   dt_out.c       the stream; one statement of a record
 *   dt_val.c       a recorded field or key as a value (struct dt_val)
 *   dt_fmt.c       printf() and printa() formats
 *   dt_fmt_conv.c  the conversions
 *   dt_trace.c     values without a format, hex dumps
 *   dt_print.c     print(): values by their types
 *   dt_stack.c     stacks and symbols
 *   dt_flow.c      the indentation of -F
 *   dt_agg.c       the store of merged aggregation cells
 *   dt_aggval.c    what a cell is worth
 *   dt_aggsort.c   walking cells in order
 *   dt_aggprint.c  printing them
 *   dt_hist.c      quantize(), lquantize(), llquantize()
 *   dt_agghist.c   whole aggregations as pictures: agghist, aggpack
 *
 * The formats are those of the Dynamic Tracing Guide, "Output Formatting" and
 * "Aggregations".  Functions return 0, or -1 with *e.
 */
#ifndef LIB_DT_OUT_H
#define LIB_DT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "dif/dif.h"
#include "dif/dif_fmt.h"

/* ---- what printing asks of the world ----------------------------------- */

enum dt_sym_what {
	DT_SYM_NAME, /* module`symbol, never an offset: sym(), usym() */
	DT_SYM_MOD,  /* module alone: mod(), umod() */
	DT_SYM_OFF,  /* module`symbol+0xoff: stacks, uaddr(), %a, %A */
	DT_SYM_CALL, /* the same of what a call returns to: the symbol is that
			of the call, also if it is the function's end */
	DT_SYM_PLACE /* module:0xplace, the address as the module's file has
			it; of processes only */
};

/*
 * Every callback may be NULL.  One that writes nothing says "unknown"; then
 * the address is printed in hex.
 */
struct dt_syms {
	void *arg;
	void (*kaddr)(void *arg, uint64_t addr, enum dt_sym_what what,
		      struct buf *out);
	void (*uaddr)(void *arg, pid_t pid, uint64_t addr,
		      enum dt_sym_what what, struct buf *out);
	/* A frame of a program's stack, without indentation and end: the lines
	   of functions that were inlined there first.  first: the pc is not
	   behind a call. */
	void (*uframe)(void *arg, pid_t pid, uint64_t pc, bool first,
		       int indent, struct buf *out);
	/* What a word of a stack that is a frame of a language (rt_py_is())
	   has in keys.  NULL: itself. */
	uint64_t (*frame_key)(void *arg, pid_t pid, uint64_t pc);
	/* part: DIF_VAR_probeprov .. DIF_VAR_probename; NULL: no such probe. */
	const char *(*probe_name)(void *arg, uint32_t probe_id, uint32_t part);
	/*
	 * A process has just come up in a new aggregation key with addresses
	 * that will be printed later, perhaps after it is gone: a chance to
	 * learn its symbols.
	 */
	void (*pid_seen)(void *arg, pid_t pid);
};

/* ---- values ------------------------------------------------------------ */

enum dt_val_kind {
	DT_VAL_INT,    /* num, of `size` bytes as declared, is_signed */
	DT_VAL_FLOAT,  /* p, size 4, 8 or 16 */
	DT_VAL_STR,    /* p, n bytes before the NUL */
	DT_VAL_BYTES,  /* p, n: arrays, structures */
	DT_VAL_KSTACK, /* p: u64 pcs, n bytes */
	DT_VAL_USTACK, /* p: u64 pid, u64 pcs, n bytes */
	DT_VAL_SYM     /* p, n: the text */
};

/* A recorded field or a key; points into the record, the cell or a buffer. */
struct dt_val {
	enum dt_val_kind kind;
	bool is_signed;
	bool is_sou;   /* BYTES: of a struct or union */
	uint32_t size; /* bytes of the value's type; widths depend on it */
	uint64_t num;  /* INT: extended; else 0 */
	const uint8_t *p;
	size_t n;
};

/*
 * The value of a field of a record.  Text of symbols is made in *scratch, and
 * is good until that is written again.
 */
void dt_val_expr(const struct dt_syms *syms, const struct dif_expr *x,
		 const uint8_t *rec, struct buf *scratch, struct dt_val *v);
/* The value of key i of an aggregation. */
void dt_val_key(const struct dt_syms *syms, const struct dif_aggvar *av,
		uint32_t i, const uint8_t *key, struct buf *scratch,
		struct dt_val *v);
/* True if the bytes are printable characters and white space, *len of them, and
   then nothing but NULs. */
bool dt_bytes_are_text(const uint8_t *p, size_t n, size_t *len);
/* The order of two keys. */
int dt_val_cmp(const struct dt_val *a, const struct dt_val *b);
/* Words of an address as text: 8 bytes may start anywhere. */
uint64_t dt_val_u64(const uint8_t *p);
/* A float, double or long double, by its size; false: it is none of them. */
bool dt_val_float(const uint8_t *p, size_t n, long double *out);

/* ---- the stream -------------------------------------------------------- */

enum dt_flow_kind { DT_FLOW_NONE, DT_FLOW_ENTRY, DT_FLOW_RETURN };

/* State of -F, by CPU; see dt_flow.c. */
struct dt_flow {
	struct dt_flow_cpu *cpu;
	size_t n, cap;
};

/* How to order rows, and which. */
struct dt_aggsort {
	bool nonzero;	 /* aggnonzero: not those that are all zero */
	bool bykey, rev; /* aggsortkey, aggsortrev */
	int keypos, pos; /* aggsortkeypos, aggsortpos */
};

/*
 * Where text goes and in what manner.  The owner sets the fields of the first
 * group at any time; dt_out_init() gives them their defaults.
 */
struct dt_out {
	FILE *fp; /* used if there is no write */
	/* 0, or a negative errno. */
	int (*write)(void *arg, const char *s, size_t n);
	void *write_arg;
	bool quiet, rawbytes, flowindent;
	uint32_t strsize; /* rawbytes: of what is shown of a string */
	int stackindent;
	uint64_t printsize; /* bytes print() shows of a value; 0: all */
	pid_t target; /* whose addresses %A of plain numbers are; 0: none */
	bool aggzoom;	  /* bars relative to the largest bucket */
	bool agghist, aggpack; /* aggregations as pictures (dt_agghist.c) */
	bool utf8; /* they may be drawn with more than ASCII */
	bool colour; /* escape sequences around bars */
	struct dt_aggsort sort;
	struct dt_syms syms;

	/* own state */
	struct buf text;    /* made, and not yet written */
	struct buf scratch; /* text of the symbol at hand */
	struct arena *arena; /* parsed formats */
	struct hash *fmts;   /* format text -> struct dif_fmt */
	struct dt_flow flow;
};

int dt_out_init(struct dt_out *o, struct err *e);
void dt_out_fini(struct dt_out *o);
/* Write o->text out; nothing is written before. */
int dt_out_flush(struct dt_out *o, struct err *e);

struct dt_aggs;

/* Results of dt_out_stmt() besides -1. */
#define DT_OUT_DONE 0
#define DT_OUT_OTHER 1 /* not printing: exit, system, freopen, setopt ... */

/*
 * Do what a statement asks with the fields of record rec (from its struct
 * rt_rec on): print them, or act on aggregations (printa, clear, trunc,
 * normalize, denormalize; the caller has brought *aggs up to date).  The text
 * is flushed.
 */
int dt_out_stmt(struct dt_out *o, struct dt_aggs *aggs,
		const struct dif_stmt *st, const uint8_t *rec, struct err *e);
/* The statement's format with its fields, appended to *out: system, freopen,
   and whoever wants the text of a printf(). */
int dt_out_format(struct dt_out *o, const struct dif_stmt *st,
		  const uint8_t *rec, struct buf *out, struct err *e);

/* ---- flow (dt_flow.c) --------------------------------- */

struct dt_flow_rec { /* what -F must know of a record */
	uint32_t id;   /* probe */
	uint32_t epid;
	bool crosses; /* prov_ops.crosses */
	const char *func, *name;
};
struct dt_flow_text {
	enum dt_flow_kind kind;
	const char *prefix; /* " -> ", "| " ... */
	int indent;	    /* columns before it */
};
/*
 * Classify a record and keep its CPU's indentation.  next_id and next_epid are
 * those of the record that follows in the same buffer, 0 if there is none yet.
 */
int dt_flow_next(struct dt_flow *f, unsigned cpu, const struct dt_flow_rec *r,
		 uint32_t next_id, uint32_t next_epid, struct dt_flow_text *t,
		 struct err *e);

/* ---- printing into o->text (no flush) ---------------------------------- */

/* Default form of a value in trace(), and as key of an aggregation. */
void dt_print_trace(struct dt_out *o, const struct dt_val *v);
void dt_print_key(struct dt_out *o, const struct dt_val *v);
/* print(): the field, its type before it, and a newline. */
void dt_print_value(struct dt_out *o, const struct dif_expr *x,
		    const uint8_t *rec);
/* A hex dump. */
void dt_print_dump(struct dt_out *o, const uint8_t *p, size_t n);
/* A stack, indented. */
void dt_print_stack(struct dt_out *o, const struct dt_val *v, int indent);
/* What others call things stands in lines of ours: control characters in out,
   from there on, become '?'. */
void dt_sym_plain(struct buf *out, size_t from);
/* Text of a user or kernel address, hex if unknown, appended to *out. */
void dt_sym_kaddr(const struct dt_syms *s, uint64_t addr,
		  enum dt_sym_what what, struct buf *out);
void dt_sym_uaddr(const struct dt_syms *s, pid_t pid, uint64_t addr,
		  enum dt_sym_what what, struct buf *out);
/* Of a value that an address action recorded (sym, usym, umod ...). */
void dt_sym_action(const struct dt_syms *s, uint32_t act, pid_t pid,
		   uint64_t addr, struct buf *out);
/* The value as plain text without padding: stacks by frames, symbols... */
void dt_val_text(struct dt_out *o, const struct dt_val *v, struct buf *out);

/* At most 64 bits of a value from any bit on, lowest first. */
uint64_t dt_print_bits(const uint8_t *p, uint64_t bit_off, uint64_t bits);
/* The name that an enum of so many bits has for v; NULL: none. */
const char *dt_print_enumerator(const struct dif_print *t, uint64_t v,
				uint64_t bits);
/* A character as C writes it in a literal: its bytes in out, how many. */
size_t dt_escape(unsigned char ch, char out[8]);
/* The number that is given for `*` in fmt; -1 + *e if v is no int. */
int dt_fmt_star(const struct dt_val *v, const char *fmt, int *out,
		struct err *e);
/* A conversion whose width and precision have their numbers, which may be
   negative where they were given by `*`. */
int dt_fmt_conv(struct dt_out *o, const struct dif_conv *c, int width, int prec,
		const struct dt_val *v, struct err *e);
/* One conversion with its final width and precision. */
int dt_conv_print(struct dt_out *o, const struct dif_conv *c, int width,
		  int prec, const struct dt_val *v, struct err *e);
/* A format from the cache. */
const struct dif_fmt *dt_fmt_get(struct dt_out *o, const char *fmt,
				 struct err *e);
/* printf(): fields of a record. */
int dt_fmt_printf(struct dt_out *o, const struct dif_stmt *st,
		  const uint8_t *rec, struct err *e);

/* ---- the aggregate store ----------------------------------------------- */

/*
 * A cell: the merged value of one key of one aggregation.  Owned by the store;
 * lives until it is trunc'd or removed.
 */
struct dt_cell {
	uint32_t agg;	 /* index in dif_tab.aggs */
	uint32_t nkeys, nwords;
	bool empty;	 /* nothing added since clear(): prints as zero */
	uint64_t normal; /* 0: the aggregation's own factor */
	struct dt_val *keys;
	uint64_t *words;
	/* dt_aggs_set_percpu(): the same of each CPU that has given something;
	   others are NULL. */
	uint64_t **cpu;
	size_t ncpu, capcpu;
	uint8_t *id; /* canonical bytes of the keys: equal keys, equal id */
	size_t idlen;
};

/*
 * tab and syms are the caller's and outlive the store; tab may grow.
 */
struct dt_aggs *dt_aggs_new(const struct dif_tab *tab,
			    const struct dt_syms *syms, struct err *e);
void dt_aggs_free(struct dt_aggs *as);
/* Keep values by CPU too, from now on: dt_aggs_add_cell() is told the CPU. */
void dt_aggs_set_percpu(struct dt_aggs *as);
/*
 * Merge an engine's cell of aggregation index agg: key has aggs[agg]->keysize
 * bytes, cell aggs[agg]->words words.
 */
int dt_aggs_add(struct dt_aggs *as, uint32_t agg, const uint8_t *key,
		const uint64_t *cell, struct err *e);
/* The same as an rt_cell_fn: arg is the store; the error stays in it. */
int dt_aggs_add_cell(void *as, uint32_t agg, unsigned cpu, const uint8_t *key,
		     const uint64_t *cell);
const struct err *dt_aggs_err(const struct dt_aggs *as);
/* The actions; agg is an index. */
void dt_aggs_clear(struct dt_aggs *as, uint32_t agg);
int dt_aggs_trunc(struct dt_aggs *as, uint32_t agg, int64_t n, struct err *e);
int dt_aggs_normalize(struct dt_aggs *as, uint32_t agg, uint64_t factor,
		      struct err *e);
void dt_aggs_denormalize(struct dt_aggs *as, uint32_t agg);
/* Remove one cell (not while its row is still used). */
void dt_aggs_remove(struct dt_aggs *as, struct dt_cell *c);
void dt_cell_clear(struct dt_cell *c);

size_t dt_aggs_count(const struct dt_aggs *as, uint32_t agg); /* cells */
bool dt_aggs_printed(const struct dt_aggs *as, uint32_t agg);
void dt_aggs_set_printed(struct dt_aggs *as, uint32_t agg);
const struct dif_tab *dt_aggs_tab(const struct dt_aggs *as);
struct hash *dt_aggs_cells(const struct dt_aggs *as, uint32_t agg); /* NULL */
/* The factor values are divided by, never 0. */
uint64_t dt_aggs_normal(const struct dt_aggs *as, const struct dt_cell *c);

/* ---- values of cells (dt_aggval.c) ------------------------------------- */

/* The row of its function. */
const struct dif_agg_info *dt_agg_info(const struct dif_aggvar *av);
void dt_agg_merge(const struct dif_agg_info *f, uint64_t *into,
		  const uint64_t *from, uint32_t nwords);
/* What is shown: count, sum, min, max; average; deviation; histograms: the
   sum of the buckets.  Divided by normal. */
int64_t dt_agg_value(const struct dif_agg_info *f, const uint64_t *words,
		     uint32_t nwords, uint64_t normal);
/* v / normal, towards zero. */
int64_t dt_agg_normal(int64_t v, uint64_t normal);
/* The bucket of a histogram that 0 goes to. */
uint32_t dt_agg_zero_bucket(const struct dif_aggvar *av);
/* By what cells are ordered. */
struct dt_weight {
	long double w;
	int64_t zero; /* histograms: the zero bucket, for ties */
};
struct dt_weight dt_agg_weight(const struct dif_aggvar *av,
			       const struct dt_cell *c); /* NULL: missing */

/* ---- walking (dt_aggsort.c) -------------------------------------------- */

/* A row: one key, and its cell in each of the aggregations (NULL: none). */
struct dt_row {
	const struct dt_val *keys;
	uint32_t nkeys, ncells;
	struct dt_cell *const *cell;
};
/* Not 0 ends the walk, which returns it. */
typedef int dt_row_fn(void *arg, const struct dt_row *row);
/*
 * Rows of naggs aggregations joined by key, in order.  sort NULL: the order of
 * first appearance.  fn may clear cells and remove the row's own.
 */
int dt_aggs_walk(struct dt_aggs *as, const uint32_t *aggs, uint32_t naggs,
		 const struct dt_aggsort *sort, dt_row_fn *fn, void *arg,
		 struct err *e);

/* ---- printing aggregations (dt_aggprint.c, dt_hist.c) ------------------ */

/*
 * printa(): fmt NULL gives a newline and then the default form.  Marks the
 * aggregations as printed.  Flushes.
 */
int dt_aggs_printa(struct dt_out *o, struct dt_aggs *as, const uint32_t *aggs,
		   uint32_t naggs, const char *fmt, struct err *e);
/*
 * What is printed at the end: every aggregation that has not been printed, in
 * order of id.  No newline before or between.  Flushes each row and then calls
 * after (may be NULL), which ends the printing by not returning 0.
 */
int dt_aggs_print_rest(struct dt_out *o, struct dt_aggs *as, dt_row_fn *after,
		       void *arg, struct err *e);
/* One row in default form into o->text. */
void dt_aggs_print_row(struct dt_out *o, struct dt_aggs *as,
		       const uint32_t *aggs, const struct dt_row *row);
/* The histogram of one cell into o->text. */
void dt_hist_print(struct dt_out *o, const struct dif_aggvar *av,
		   const uint64_t *words, uint64_t normal);
/* The value of bucket i as histograms show it: "< 0", "8". */
/* The rows of a histogram in which nothing is. */
void dt_hist_around_zero(const struct dif_aggvar *av, uint32_t *first,
			 uint32_t *last);
void dt_hist_label(const struct dif_aggvar *av, uint32_t i, char *out,
		   size_t n);
/* The first and the last bucket that is not zero; false: all are. */
bool dt_hist_range(const uint64_t *words, uint32_t n, uint32_t *first,
		   uint32_t *last);

/* Bars of forty columns: all values are added, then put one by one. */
struct dt_bars {
	long double total; /* what forty columns stand for */
	bool positive, negative;
	bool colour;
};
void dt_bars_add(struct dt_bars *b, int64_t count, bool zoom);
void dt_bars_put(const struct dt_bars *b, int64_t count, struct buf *out);

/* A whole aggregation as one picture, a line a row (dt_agghist.c). */
struct dt_pict {
	bool on;
	const struct dif_aggvar *av;
	struct dt_bars bars;	/* agghist */
	uint32_t first, last;	/* aggpack: buckets shown */
};
/*
 * Prepare to show the aggregation as a picture, if the options and its function
 * say so.  Then *p is made from its present cells, and the heading is printed.
 */
void dt_pict_begin(struct dt_out *o, struct dt_aggs *as, uint32_t agg,
		   struct dt_pict *p);
void dt_pict_row(struct dt_out *o, struct dt_aggs *as, const struct dt_pict *p,
		 const struct dt_row *row);

#endif
