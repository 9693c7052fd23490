/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_act.c - what a statement makes the consumer do when it reads its record:
 * print, or act on aggregations, run a command, redirect the output.
 */
#include "lib/dt_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/dt_json.h"

/* freopen(""): back to where the output went at first. */
int
dt_act_freopen(dtrace_hdl_t *dtp, const char *path)
{
	if (dtp->fp == NULL)
		return 0;
	fflush(dtp->fp);
	if (*path == '\0') {
		if (dtp->freopen_fd < 0)
			return 0;
		dup2(dtp->freopen_fd, fileno(dtp->fp));
		close(dtp->freopen_fd);
		dtp->freopen_fd = -1;
		return 0;
	}
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0)
		return dt_set_err(dtp, EDT_IO, "couldn't freopen() \"%s\": %s",
				  path, strerror(errno));
	if (dtp->freopen_fd < 0)
		dtp->freopen_fd = fcntl(fileno(dtp->fp), F_DUPFD_CLOEXEC, 3);
	dup2(fd, fileno(dtp->fp));
	close(fd);
	return 0;
}

int
dt_act_system(dtrace_hdl_t *dtp, const char *cmd)
{
	if (dtp->fp != NULL)
		fflush(dtp->fp);
	/* What the command does is its own affair, and its user's. */
	if (system(cmd) == -1)
		return dt_set_err(dtp, EDT_IO, "system(): %s",
				  strerror(errno));
	return 0;
}

/* freopen() in a program: what cannot be opened is a notice, and the output
   stays where it was. */
static int
act_freopen(dtrace_hdl_t *dtp, const char *path)
{
	char *why;
	int rv;

	if (dt_act_freopen(dtp, path) == 0) {
		dt_sink_options(dtp); /* a file has no colours */
		return 0;
	}
	why = strdup(dtrace_errmsg(dtp, dtrace_errno(dtp)));
	rv = why != NULL ? dt_notice_refused(dtp, why) : dt_nomem(dtp);
	free(why);
	return rv;
}

/* system() and freopen(): the text, then the act. */
static int
act_text(dtrace_hdl_t *dtp, const struct dif_stmt *st, const uint8_t *rec,
	 int (*fn)(dtrace_hdl_t *, const char *))
{
	struct buf b = BUF_INIT;
	int rv = dt_out_format(dtp->out, st, rec, &b, &dtp->err);

	rv = rv != 0 ? dt_fail(dtp, EDT_IO) : fn(dtp, buf_str(&b));
	buf_fini(&b);
	return rv;
}

/* ---- options ------------------------------------------------------------- */

static int
setopt_failed(dtrace_hdl_t *dtp, const char *name, const char *val)
{
	struct buf b = BUF_INIT;

	buf_printf(&b, "couldn't set option \"%s\" to \"%s\": %s", name, val,
		   dtrace_errmsg(dtp, dtrace_errno(dtp)));
	int rv =
		b.failed ? dt_nomem(dtp) : dt_notice_refused(dtp, buf_str(&b));
	buf_fini(&b);
	return rv;
}

/* Set the option, and tell the consumer, who may print by it. */
static int
act_setopt_to(dtrace_hdl_t *dtp, const char *name, const char *val)
{
	const dtrace_probedata_t *data = dtp->cur_data;
	dtrace_setoptdata_t d = { .dtsda_handle = dtp, .dtsda_option = name };

	if (data != NULL)
		d.dtsda_probe = data->dtpda_pdesc;
	if (dtrace_getopt(dtp, name, &d.dtsda_oldval) != 0 ||
	    dt_opt_set(dtp, name, val, true) != 0 ||
	    dtrace_getopt(dtp, name, &d.dtsda_newval) != 0)
		return setopt_failed(dtp, name, val);
	dt_sink_options(dtp);
	if (dtp->setopth != NULL &&
	    dtp->setopth(&d, dtp->setopth_arg) == DTRACE_HANDLE_ABORT)
		return dt_set_err(dtp, EDT_DIRABORT, "%s",
				  dtrace_errmsg(NULL, EDT_DIRABORT));
	return 0;
}

/* A recorded string, malloc'd; NULL: no memory. */
static char *
act_string(dtrace_hdl_t *dtp, const struct dif_expr *x, const uint8_t *rec)
{
	struct dt_val v;

	dt_val_expr(&dtp->out->syms, x, rec, &dtp->out->scratch, &v);
	return strndup((const char *)v.p, v.n);
}

static int
act_setopt(dtrace_hdl_t *dtp, const struct dif_stmt *st, const uint8_t *rec)
{
	char *name = act_string(dtp, &st->exprs[0], rec);
	char *val = st->nexprs > 1 ? act_string(dtp, &st->exprs[1], rec)
				   : strdup("1");
	int rv;

	if (name == NULL || val == NULL)
		rv = dt_nomem(dtp);
	else
		rv = act_setopt_to(dtp, name, val);
	free(name);
	free(val);
	return rv;
}

/* ftruncate(): what is not a file has nothing to be cut. */
static int
act_ftruncate(dtrace_hdl_t *dtp)
{
	struct stat st;

	if (dtp->fp == NULL)
		return 0;
	fflush(dtp->fp);
	if (fstat(fileno(dtp->fp), &st) != 0 || !S_ISREG(st.st_mode))
		return 0;
	if (ftruncate(fileno(dtp->fp), 0) != 0)
		return dt_set_err(dtp, EDT_IO, "ftruncate(): %s",
				  strerror(errno));
	rewind(dtp->fp);
	return 0;
}

/* ---- any statement ------------------------------------------------------- */

static bool
act_needs_aggs(uint32_t kind)
{
	return kind == DIF_ACT_PRINTA || kind == DIF_ACT_CLEAR ||
	       kind == DIF_ACT_TRUNC || kind == DIF_ACT_NORMALIZE ||
	       kind == DIF_ACT_DENORMALIZE;
}

int
dt_act_stmt(dtrace_hdl_t *dtp, const struct dif_stmt *st, const uint8_t *rec)
{
	if (act_needs_aggs(st->kind) && !dtp->aggs_fresh) {
		if (dtrace_aggregate_snap(dtp) != 0)
			return -1;
		dtp->aggs_fresh = true;
	}
	err_clear(&dtp->err);
	if (dtp->json != NULL && dt_json_takes(st))
		return dt_json_stmt(dtp->json, dtp->aggs, st, rec,
				    &dtp->err) == -1 ? dt_out_failed(dtp) : 0;
	if (st->kind == DIF_ACT_SYSTEM)
		return act_text(dtp, st, rec, dt_act_system);
	if (st->kind == DIF_ACT_FREOPEN)
		return act_text(dtp, st, rec, act_freopen);
	if (st->kind == DIF_ACT_SETOPT)
		return act_setopt(dtp, st, rec);
	if (st->kind == DIF_ACT_FTRUNCATE)
		return act_ftruncate(dtp);
	if (dt_out_stmt(dtp->out, dtp->aggs, st, rec, &dtp->err) == -1) {
		/* The other end of the output is gone: the consumer's loop
		   finds out by itself. */
		if (dtp->err.sys == EPIPE) {
			err_clear(&dtp->err);
			return 0;
		}
		return dt_out_failed(dtp);
	}
	return 0;
}
