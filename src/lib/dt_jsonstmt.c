/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_jsonstmt.c - what one statement adds to the output of its record.
 *
 * What has a form of its own in JSON is given in it; what prints in any other
 * way gives its text as a message, so nothing that a program prints is lost.
 */
#include "lib/dt_json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* dt_out's write function while text is taken instead of written. */
static int
take_text(void *arg, const char *s, size_t n)
{
	struct buf *b = arg;

	buf_write(b, s, n);
	return b->failed ? -ENOMEM : 0;
}

/* What dt_out_stmt() would print. */
static int
stmt_text(struct dt_out *o, struct dt_aggs *as, const struct dif_stmt *st,
	  const uint8_t *rec, struct buf *text, struct err *e)
{
	int (*write)(void *, const char *, size_t) = o->write;
	void *arg = o->write_arg;
	struct buf kept = o->text;

	o->text = (struct buf)BUF_INIT;
	o->write = take_text;
	o->write_arg = text;
	int rv = dt_out_stmt(o, as, st, rec, e);
	buf_fini(&o->text);
	o->text = kept;
	o->write = write;
	o->write_arg = arg;
	return rv;
}

static void
json_values(struct dt_json *j, const struct dif_stmt *st, const uint8_t *rec,
	    void (*put)(struct dt_json *, const struct dt_val *))
{
	struct dt_val v;

	for (uint32_t i = 0; i < st->nexprs; i++) {
		dt_val_expr(&j->out->syms, &st->exprs[i], rec,
			    &j->out->scratch, &v);
		put(j, &v);
	}
}

/* The text of a printf(), and what it was made of. */
static int
json_printf(struct dt_json *j, const struct dif_stmt *st, const uint8_t *rec,
	    struct err *e)
{
	struct buf b = BUF_INIT;
	int rv = dt_out_format(j->out, st, rec, &b, e);

	dt_json_map(j);
	dt_json_key(j, "message");
	dt_json_str(j, buf_str(&b), b.n);
	dt_json_str_member(j, "format", st->fmt != NULL ? st->fmt : "");
	dt_json_key(j, "arguments");
	dt_json_array(j);
	json_values(j, st, rec, dt_json_value);
	dt_json_array_end(j);
	dt_json_map_end(j);
	buf_fini(&b);
	return rv;
}

static void
json_message(struct dt_json *j, const struct buf *text)
{
	if (text->n == 0)
		return;
	dt_json_map(j);
	dt_json_key(j, "message");
	dt_json_str(j, buf_str(text), text->n);
	dt_json_map_end(j);
}

/* The text, if a format was given, and the data of each aggregation. */
static int
json_printa(struct dt_json *j, struct dt_aggs *as, const struct dif_stmt *st,
	    const uint8_t *rec, struct err *e)
{
	struct buf b = BUF_INIT;
	int rv = 0;

	if (st->fmt != NULL)
		rv = stmt_text(j->out, as, st, rec, &b, e);
	json_message(j, &b);
	buf_fini(&b);
	for (uint32_t i = 0; i < st->naggs && rv == 0; i++) {
		dt_aggs_set_printed(as, st->aggs[i]);
		rv = dt_json_agg(j, as, st->aggs[i], e);
	}
	return rv;
}

static void
json_tracemem(struct dt_json *j, const struct dif_stmt *st, const uint8_t *rec)
{
	struct dt_val len;
	size_t n;

	if (st->nexprs == 0)
		return;
	n = st->exprs[0].size;
	if (st->nexprs > 1) { /* the run-time length, at most nbytes */
		dt_val_expr(&j->out->syms, &st->exprs[1], rec,
			    &j->out->scratch, &len);
		if (len.num < n)
			n = (size_t)len.num;
	}
	dt_json_bytes(j, rec + st->exprs[0].off, n);
}

static void
json_exit(struct dt_json *j, const struct dif_stmt *st, const uint8_t *rec)
{
	dt_json_map(j);
	dt_json_key(j, "exit-status");
	json_values(j, st, rec, dt_json_value);
	dt_json_map_end(j);
}

/* Run a command, and take what it writes. */
static int
run_command(const char *cmd, struct buf *said, int *status, struct err *e)
{
	char chunk[4096];
	size_t n;
	FILE *fp;

	fflush(NULL);
	fp = popen(cmd, "re");
	if (fp == NULL)
		return err_set(e, &ERR_GENERIC, errno, "system()");
	while ((n = fread(chunk, 1, sizeof(chunk), fp)) > 0)
		buf_write(said, chunk, n);
	*status = pclose(fp);
	return 0;
}

/* What a command writes to its standard output would stand in the middle of
   ours. */
static int
json_system(struct dt_json *j, const struct dif_stmt *st, const uint8_t *rec,
	    struct err *e)
{
	struct buf cmd = BUF_INIT, said = BUF_INIT;
	int status = -1;
	int rv = dt_out_format(j->out, st, rec, &cmd, e);

	if (rv == 0)
		rv = run_command(buf_str(&cmd), &said, &status, e);
	dt_json_map(j);
	dt_json_key(j, "command");
	dt_json_str(j, buf_str(&cmd), cmd.n);
	dt_json_key(j, "printed");
	dt_json_str(j, buf_str(&said), said.n);
	if (WIFEXITED(status))
		dt_json_int_member(j, "status", WEXITSTATUS(status));
	else if (WIFSIGNALED(status))
		dt_json_int_member(j, "signal", WTERMSIG(status));
	dt_json_map_end(j);
	j->failed |= said.failed;
	buf_fini(&cmd);
	buf_fini(&said);
	return rv;
}

/* All else that prints. */
static int
json_other(struct dt_json *j, struct dt_aggs *as, const struct dif_stmt *st,
	   const uint8_t *rec, struct err *e)
{
	struct buf b = BUF_INIT;
	int rv = stmt_text(j->out, as, st, rec, &b, e);

	json_message(j, &b);
	buf_fini(&b);
	return rv;
}

/* What the option who has added: whose the record is. */
static void
json_who(struct dt_json *j, const struct dif_stmt *st, const uint8_t *rec)
{
	static const char *const keys[] = { "pid", "tid", "execname" };
	struct dt_val v;

	dt_json_map(j);
	for (uint32_t i = 0; i < 3 && i < st->nexprs; i++) {
		dt_val_expr(&j->out->syms, &st->exprs[i], rec,
			    &j->out->scratch, &v);
		dt_json_key(j, keys[i]);
		dt_json_value(j, &v);
	}
	dt_json_map_end(j);
}

int
dt_json_stmt(struct dt_json *j, struct dt_aggs *as, const struct dif_stmt *st,
	     const uint8_t *rec, struct err *e)
{
	if (st->kind == DIF_ACT_TRACE && st->arg == DIF_TRACE_WHO) {
		json_who(j, st, rec);
		return 0;
	}
	if (dif_act_shows(st->kind)) {
		json_values(j, st, rec, dt_json_element);
		return 0;
	}
	switch (st->kind) {
	case DIF_ACT_TRACEMEM:
		json_tracemem(j, st, rec);
		return 0;
	case DIF_ACT_PRINT:
		for (uint32_t i = 0; i < st->nexprs; i++)
			dt_json_print(j, &st->exprs[i], rec);
		return 0;
	case DIF_ACT_EXIT:
		json_exit(j, st, rec);
		return 0;
	case DIF_ACT_PRINTF:
		return json_printf(j, st, rec, e);
	case DIF_ACT_PRINTA:
		return json_printa(j, as, st, rec, e);
	case DIF_ACT_SYSTEM:
		return json_system(j, st, rec, e);
	default:
		return json_other(j, as, st, rec, e);
	}
}

bool
dt_json_takes(const struct dif_stmt *st)
{
	return !dt_json_tears(st) && st->kind != DIF_ACT_SETOPT;
}

bool
dt_json_tears(const struct dif_stmt *st)
{
	return st->kind == DIF_ACT_FREOPEN || st->kind == DIF_ACT_FTRUNCATE;
}
