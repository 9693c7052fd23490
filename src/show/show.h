/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show.h - the door of this room: pictures made of structured output.
 *
 * dtrace-show(1) reads what `dtrace -O jsonl` writes (its shape:
 * doc/output.schema.json), and writes other formats.  `dtrace -O flame=FILE` is
 * that program at the other end of a pipe.  So no probe, no engine and no start
 * of dtrace knows of a picture.
 *
 *	show_read.c	text to records and rows; they are given to every format
 *	show_json.c	... by way of trees, which are small
 *	show_stack.c	rows with stacks as trees of frames
 *	show_flow.c	entry and return as slices of a thread's time
 *	show_loss.c	what was lost, for pictures to say
 *	show_out.c	the files; show_text.c: what bytes look like in them
 *	show_<name>.c	the formats, a row of show.def each
 *
 * What is read may be as long as one likes.  Every format either writes what
 * comes at once or keeps a summary whose size has a bound.
 *
 * This room is a program of its own: where there is no memory it ends, with a
 * line (show_die()).
 */
#ifndef SHOW_SHOW_H
#define SHOW_SHOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* ---- what is read ------------------------------------------------------- */

/* One line of a stack.  Strings are never NULL. */
struct show_frame {
	const char *symbol; /* as text output has it: module`name+0x1 */
	const char *module; /* "" unknown */
	const char *name;   /* "" unknown */
	uint64_t off;	    /* bytes behind the beginning of name */
	uint64_t place;	    /* without a name: the address in the module's
			       file; 0 unknown */
	uint64_t addr;
};

enum show_kind { SHOW_INT, SHOW_STR, SHOW_STACK, SHOW_USTACK };

/* A key of a row, or what a statement of a record gave. */
struct show_value {
	enum show_kind kind;
	int64_t num;	 /* INT; above INT64_MAX only str is right */
	const char *str; /* INT, STR: text without NUL, valid UTF-8 */
	struct show_frame *frames; /* stacks: the innermost first */
	size_t nframes;
};

enum show_flow { SHOW_NONE, SHOW_ENTRY, SHOW_RETURN };

/* A record: a clause that ran at a probe. */
struct show_rec {
	uint64_t time; /* ns */
	int cpu;
	const char *prov, *mod, *func, *name;
	enum show_flow flow; /* by the probe's name */
	bool has_who;	     /* the option who was on: */
	int64_t pid, tid;
	const char *execname;
	struct show_value *vals;
	size_t nvals;
};

/* The aggregation that rows are of. */
struct show_agg {
	const char *name;
	const char *func; /* "count", "quantize" ... */
	uint64_t time;
	bool partial; /* a look at it meanwhile: the final values come later */
	size_t nrows; /* rows given so far */
};

struct show_bucket {
	enum { SHOW_FROM, SHOW_BELOW, SHOW_NEARER } kind; /* value and up;
					under it; nearer to zero */
	int64_t value;
	int64_t count;
};

struct show_row {
	struct show_value *keys;
	size_t nkeys;
	int64_t value; /* histograms: the sum of their buckets */
	struct show_bucket *buckets;
	size_t nbuckets;
	bool hist;
};

/* Data that was lost and what helps against that, errors of probes, ends of
   processes. */
struct show_note {
	uint64_t time;
	const char *kind; /* "DROP", "HINT", "ERROR", "PROC" */
	const char *msg;
	const char *what; /* DROP: which kind, "AGGREGATION" ...; else "" */
	int64_t count;	  /* DROP: how many; 0: nobody knows */
};

/* ---- formats ------------------------------------------------------------ */

struct show_out; /* show_out.c */

/* What was asked for: NAME[=FILE][,agg=NAME][,before=FILE][,title=TEXT] */
struct show_opts {
	const char *file; /* NULL: the standard output */
	const char *agg;  /* NULL: the first that will do */
	const char *before; /* flame: an earlier run, folded */
	const char *title; /* NULL: none */
	bool quiet; /* at the end: what was read ends badly, which has been
		       told; nothing more is to be told */
};

/*
 * A format.  open() makes its state, the others are given that; all but open()
 * and close() may be NULL.  Strings and arrays are the caller's and gone when
 * the function returns.  close() writes what is missing and frees the state.
 * That writing failed is show_out's to remember.
 */
struct show_format {
	const char *name;
	const char *what;	/* for the list of --help */
	bool binary;		/* no text: gzip or protobuf */
	void *(*open)(struct show_out *o, const struct show_opts *opts);
	void (*record)(void *state, const struct show_rec *r);
	/* Once before the rows of an aggregation, which may have none. */
	void (*agg)(void *state, const struct show_agg *a);
	void (*row)(void *state, const struct show_agg *a,
		    const struct show_row *r);
	void (*note)(void *state, const struct show_note *n);
	void (*close)(void *state);
};

/* One row of show.def each; ends with a NULL name. */
extern const struct show_format *const show_formats[];
const struct show_format *show_format_by_name(const char *name, size_t n);

/* ---- reading ------------------------------------------------------------ */

/* A format at work. */
struct show_sink {
	const struct show_format *format;
	void *state;
};

/*
 * Read lines (or one document) from fd to their end and give all to the sinks.
 * 0; 1: dtrace has failed, which it has told itself; or -1: what is there is no
 * structured output, or ends in the middle; what came before has been given,
 * and err (of size n) tells what is wrong.
 * stop() is asked between two pieces: true ends the reading, as their end does.
 */
int show_read(int fd, const struct show_sink *sinks, size_t nsinks,
	      bool (*stop)(void *arg), void *arg, char *err, size_t n);

/* ---- show_out.c --------------------------------------------------------- */

/*
 * Open the file that opts name (NULL: the standard output); gzip: what is
 * written is compressed.  What is in the file stays until something is written.
 * file is to live as long as the program.  NULL: failed, errno says why.
 */
struct show_out *show_out_open(const char *file, bool gzip);
/* Writes do nothing after one has failed. */
void show_write(struct show_out *o, const void *p, size_t n);
void show_puts(struct show_out *o, const char *s);
void show_printf(struct show_out *o, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Escaped, see below. */
void show_xml(struct show_out *o, const char *s);
void show_json(struct show_out *o, const char *s);
/* 0, or the errno of the first write that failed. */
int show_out_error(const struct show_out *o);
/* True if nothing has been written and what an earlier run has written there
   stays. */
bool show_out_kept(const struct show_out *o);
/* Flush and close; 0, or the errno of the first write that failed. */
int show_out_close(struct show_out *o);

/* ---- show_text.c -------------------------------------------------------- */

/*
 * Text from n bytes of anything, appended: what is no UTF-8, no character of
 * XML 1.0, a control character or one that turns the direction of text becomes
 * \xNN.  Tabs and newlines stay.
 */
void show_clean(struct buf *b, const char *s, size_t n);
/* The same for XML and HTML, in text and attributes. */
void show_clean_xml(struct buf *b, const char *s, size_t n);
/* The same as a JSON string with its quotes, which HTML may enclose: no '<'. */
void show_clean_json(struct buf *b, const char *s, size_t n);
/* A frame's label: module`name, without the offset; where that is unknown,
   module`+0xplace, which is the same in every run, or the text of the
   address. */
void show_frame_label(struct buf *b, const struct show_frame *f);
/* A key or a value as one line of text; stacks: the innermost frame. */
void show_value_text(struct buf *b, const struct show_value *v);
/* provider:module:function:name */
void show_probe_text(struct buf *b, const struct show_rec *r);

/* a + b, or the nearest number there is. */
int64_t show_add(int64_t a, int64_t b);

/* ---- show_loss.c -------------------------------------------------------- */

/* What was lost, by kind; zeroed, nothing.  Further kinds are left out. */
#define SHOW_LOSSES_MAX 10
#define SHOW_HINTS_MAX	6
struct show_losses {
	struct {
		char what[16];
		int64_t count;
	} v[SHOW_LOSSES_MAX];
	size_t n;
	char hints[SHOW_HINTS_MAX][120];
	size_t nhints;
};
/* Add a notice; those of nothing that was lost do nothing. */
void show_loss_note(struct show_losses *l, const struct show_note *n);
/* A line for people, appended to b, and the text of b: "Incomplete: drops
   (aggregation 12); to lose less, raise ..."; "" if nothing was lost. */
const char *show_loss_text(struct buf *b, const struct show_losses *l);

/* ---- show_mem.c --------------------------------------------------------- */

/* Messages begin with the command that was typed, and words of its own stand
   as there: dtrace-show and FORMAT=FILE, or dtrace and -O FORMAT=FILE. */
extern const char *show_typed; /* "dtrace-show" or "dtrace" */
extern const char *show_option; /* "" or "-O " */

/* A line on standard error, and the end of the program with status 1. */
_Noreturn void show_die(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));
/* A line on standard error. */
void show_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same where what was asked for is not in what was read: files are written
   all the same, and the program ends with status 1. */
extern bool show_lacking;
extern const char *show_kept; /* the file that stays as it was, which the line
				 says; NULL: there is none */
void show_lack(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* n elements of a size, zeroed.  The caller frees them. */
void *show_alloc(size_t n, size_t size);
/* A copy of a string, which the caller frees. */
char *show_copy(const char *s);
/* What is in b, "" if nothing; half of a text is none. */
const char *show_text(const struct buf *b);
/* Room for n elements in *v, as vec_grow(). */
void show_grow(void **v, size_t *cap, size_t n, size_t size);
#define show_push(vec, x)                                            \
	(show_grow((void **)&(vec)->v, &(vec)->cap, (vec)->n + 1,    \
		   sizeof(*(vec)->v)),                               \
	 (void)((vec)->v[(vec)->n++] = (x)))

/* Strings, each once, by number from 0.  Where there are too many, those that
   come then are all SHOW_OTHERS, whose name says so: show_name_text(). */
#define SHOW_NAMES_MAX (1u << 19)
#define SHOW_OTHERS    "others"
struct show_names;
struct show_names *show_names_new(void);
void show_names_free(struct show_names *s);
uint32_t show_name(struct show_names *s, const char *text);
/* The number, and whether it is new. */
uint32_t show_name_new(struct show_names *s, const char *text, bool *is_new);
const char *show_name_text(const struct show_names *s, uint32_t id);
size_t show_names_count(const struct show_names *s);

/* ---- show_stack.c ------------------------------------------------------- */

/*
 * A tree of frames with numbers: where each stack is a path from the root.
 * Node 0 is the root.  At most SHOW_NODES_MAX nodes, in all trees of a format:
 * what would need more is counted in its nearest ancestor.
 */
#define SHOW_NODES_MAX (4u << 20)
/* Frames of a path: the rest is cut off.  Drawing recurses so deep. */
#define SHOW_DEPTH_MAX 2000
/* Trees of a format: what further probes and aggregations have is in the last,
   which is SHOW_OTHERS. */
#define SHOW_TREES_MAX 64
struct show_node {
	uint32_t name; /* in the tree's names */
	uint32_t parent, child, next; /* 0: none */
	int64_t self, total;	      /* total: after show_tree_sum() */
	int64_t before_self, before;  /* of the earlier run, if there is one */
};

struct show_tree {
	struct show_names *names;
	struct show_node *v;
	size_t n, cap;
	uint32_t *index; /* hash of (parent, name) to nodes; 0: free */
	size_t nindex;
	size_t cut;	 /* stacks that were cut short */
	size_t *used;	 /* nodes of all trees of the format, NULL: of this */
};

/* Trees of every aggregation that has stacks, in the order they came; and of
   records. */
#define SHOW_RECORDS "records" /* of several probes: the name */
struct show_stacks {
	struct show_stack_agg {
		char *name, *func;
		struct show_tree tree;
	} **v;
	size_t n, cap;
	size_t used; /* nodes */
	struct show_stack_agg *records; /* of all probes; NULL: there is none */
};

void show_tree_init(struct show_tree *t);
void show_tree_fini(struct show_tree *t);
/* The child of that name, made if need be. */
uint32_t show_tree_child(struct show_tree *t, uint32_t parent,
			 const char *name);
/* Sum up totals, and put children in order of their names. */
void show_tree_sum(struct show_tree *t);
/* Read lines of "a;b;c 12" as the earlier run; -1: not folded stacks, or errno
   if the file cannot be read (0 otherwise). */
int show_tree_before(struct show_tree *t, const char *file, int *error);

void show_stacks_init(struct show_stacks *s);
void show_stacks_fini(struct show_stacks *s);
/* True if the keys of a row, or the values of a record, have a stack. */
bool show_has_stack(const struct show_value *v, size_t n);
/* For a format's row and record functions; partial rows are left out. */
void show_stacks_row(struct show_stacks *s, const struct show_agg *a,
		     const struct show_row *r);
/* A stack in a record counts as one.  Those of all probes are one tree, which
   is called as the probe while there is one; agg: of that probe alone, unless
   it is NULL or SHOW_RECORDS. */
void show_stacks_record(struct show_stacks *s, const struct show_rec *r,
			const char *agg);
/* True if those of this probe count, where that is asked for. */
bool show_stacks_asked(const char *probe, const char *agg);
/* The same, with a tree for each probe. */
void show_stacks_by_probe(struct show_stacks *s, const struct show_rec *r);
/* The aggregation by name, or NULL the first; NULL: there is none. */
struct show_stack_agg *show_stacks_find(const struct show_stacks *s,
					const char *name);
/* The one that opts ask for, after the end, with a line on standard error where
   it is missing or one of several. */
struct show_stack_agg *show_stacks_pick(const struct show_stacks *s,
					const struct show_opts *opts,
					const char *format);
/*
 * Call fn with each frame of a row, outermost first: keys before the first
 * stack, user frames, kernel frames, the other keys.  f is NULL for keys.
 */
void show_stack_walk(const struct show_value *v, size_t n,
		     void (*fn)(void *arg, const struct show_frame *f,
				bool kernel, const char *label),
		     void *arg);

/* ---- show_flow.c -------------------------------------------------------- */

/*
 * Entries and returns of each thread as slices that nest.  A return ends its
 * own slice and those above it, which have left some other way; a return
 * without an entry is an instant.  Several clauses at one firing are one event.
 */
enum show_event { SHOW_BEGIN, SHOW_END, SHOW_INSTANT };
struct show_thread {
	uint64_t id; /* from 1 in the order they came */
	int64_t pid, tid; /* without the option who: 0, and the CPU */
	const char *execname;
	bool is_cpu;
	uint64_t time;	 /* of the last event */
	uint32_t *open;	 /* names of open slices */
	size_t nopen, cap;
	char *last;	 /* probe of the last record */
	uint64_t last_time;
	void *user;	 /* the format's; freed with the thread */
};
struct show_flows;
typedef void show_flow_f(void *arg, struct show_thread *t, enum show_event e,
			 const char *name, const struct show_rec *r);
struct show_flows *show_flows_new(show_flow_f *fn, void *arg);
void show_flows_record(struct show_flows *f, const struct show_rec *r);
/* Each thread, in order. */
void show_flows_each(struct show_flows *f,
		     void (*fn)(void *arg, struct show_thread *t), void *arg);
void show_flows_free(struct show_flows *f);

/* ---- show_flame.c ------------------------------------------------------- */

/* The picture of a tree as an svg element, for a page or, with what was lost
   (not NULL), as a file of its own. */
void show_flame_svg(struct show_out *o, const struct show_tree *t,
		    const char *title, const char *unit, bool diff,
		    const struct show_losses *lost);
/* Its style and its program, for pages. */
void show_flame_style(struct show_out *o);
void show_flame_script(struct show_out *o);

#endif
