/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_json.h - structured output: what is printed as text otherwise, as JSON
 * (the option oformat; doc/output.schema.json describes the shape).
 *
 *   dt_json.c      elements: records, aggregations at the end, drops, errors,
 *                  ends of processes; the document around them
 *   dt_jsonstmt.c  what one statement gives
 *   dt_jsonval.c   tokens; values, stacks, symbols
 *   dt_jsonprint.c values of print(), by their types
 *   dt_jsonagg.c   aggregations
 *
 * Tokens are made by libyajl's generator, which keeps no tree, so that a trace
 * may go on for days.  They go to dt_out.text and from there wherever text
 * goes.  An element is written out when it is whole and ends with a newline;
 * a document is an object around the array of them, lines are the elements
 * alone.
 */
#ifndef LIB_DT_JSON_H
#define LIB_DT_JSON_H

#include "lib/dt_out.h"

struct yajl_gen_t;

/* Values of the option oformat. */
enum dt_oformat { DT_OFORMAT_TEXT, DT_OFORMAT_JSON, DT_OFORMAT_JSONL };

/* Owned by the handle. */
struct dt_json {
	struct yajl_gen_t *gen;
	struct dt_out *out;
	enum dt_oformat form;
	bool open;	/* the document has begun */
	bool in_record; /* between dt_json_record() and its end */
	bool failed;	/* the generator refused: nested too deep */
	/* Notices about the record at hand, each with its NUL, for when it is
	   whole. */
	struct buf held;
};

/* ---- tokens and values (dt_jsonval.c, dt_jsonagg.c, dt_jsonprint.c) ---- */

void dt_json_map(struct dt_json *j);
void dt_json_map_end(struct dt_json *j);
void dt_json_array(struct dt_json *j);
void dt_json_array_end(struct dt_json *j);
void dt_json_key(struct dt_json *j, const char *key);
void dt_json_int(struct dt_json *j, int64_t v);
void dt_json_uint(struct dt_json *j, uint64_t v);
/* Bytes as a string: what is no UTF-8 is written \xNN. */
void dt_json_str(struct dt_json *j, const void *p, size_t n);
/* A member of the map at hand. */
void dt_json_int_member(struct dt_json *j, const char *key, int64_t v);
void dt_json_uint_member(struct dt_json *j, const char *key, uint64_t v);
void dt_json_str_member(struct dt_json *j, const char *key, const char *s);

/* A value where one is asked for: number, string, or a map that says what it
   is: bytes, stack-frames, ustack-frames, sym. */
void dt_json_value(struct dt_json *j, const struct dt_val *v);
/* The same as an element of an output: numbers and strings become maps with
   the key "value". */
void dt_json_element(struct dt_json *j, const struct dt_val *v);
/* A floating-point number of n bytes. */
void dt_json_float(struct dt_json *j, const uint8_t *p, size_t n);
/* print(): the type's name, and the value by members: an element. */
void dt_json_print(struct dt_json *j, const struct dif_expr *x,
		   const uint8_t *rec);
/* Bytes, in hex: an element. */
void dt_json_bytes(struct dt_json *j, const uint8_t *p, size_t n);
/* An aggregation with all its rows: an element. */
int dt_json_agg(struct dt_json *j, struct dt_aggs *as, uint32_t agg,
		struct err *e);

/* ---- statements (dt_jsonstmt.c) ---------------------------------------- */

/*
 * Add what the statement gives to the output of the record at hand, in place
 * of dt_out_stmt().  system() is run, and what it says becomes an element.
 */
int dt_json_stmt(struct dt_json *j, struct dt_aggs *as,
		 const struct dif_stmt *st, const uint8_t *rec, struct err *e);
/* True if the statement is one for dt_json_stmt().  Others print nothing and
   act. */
bool dt_json_takes(const struct dif_stmt *st);
/* True if the statement redirects the output.  Then it would tear a
   document. */
bool dt_json_tears(const struct dif_stmt *st);

#endif
