/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_err.c - the handle's error: a number for programs, a text for people.
 *
 * Rooms below fill dtp->err; dt_fail() files it under an EDT_* number (under
 * EDT_NOMEM for want of memory and EDT_PRIV for want of privileges, whatever
 * was being done) and makes the text:
 * "[D_TAG] line 3: what" for compile errors of files (tags only under
 * -xerrtags), the bare message for others.
 */
#include "lib/dt_impl.h"

#include <string.h>
#include <time.h>

#define EDT(name, text) \
	const struct err_tag EDT_TAG_##name = { "EDT_" #name, EDT_##name };
#include "lib/errtag.def"
#undef EDT

static const char *const edt_text[] = {
#define EDT(name, text) [EDT_##name - EDT_FIRST] = text,
#include "lib/errtag.def"
#undef EDT
};

/* What it is filed under: some errors are of one kind whatever was done. */
static int
fail_number(const struct err *e, int edt)
{
	if (e->tag == &ERR_NOMEM)
		return EDT_NOMEM;
	return e->tag == &ERR_PRIV ? EDT_PRIV : edt;
}

int
dt_fail(dtrace_hdl_t *dtp, int edt)
{
	unsigned cflags =
		dtp->cflags | (dtp->src != NULL ? dtp->src->cflags : 0);
	const struct err *e = &dtp->err;
	struct buf *b = &dtp->errtext;

	buf_reset(b);
	if ((cflags & DTRACE_C_ETAGS) && e->tag != NULL &&
	    strncmp(e->tag->name, "D_", 2) == 0)
		buf_printf(b, "[%s] ", e->tag->name);
	if (e->loc.line > 0 && dtp->src != NULL &&
	    !dt_is_program(dtp->src, e->loc.file))
		buf_printf(b, "\"%s\", line %d: ", e->loc.file, e->loc.line);
	else if (e->loc.line > 0 && (e->loc.file != NULL || e->loc.line > 1))
		buf_printf(b, "line %d: ", e->loc.line);
	buf_puts(b, e->msg);
	if (e->loc.line > 0 && e->loc.col > 0)
		buf_printf(b, " (column %d)", e->loc.col);
	dtp->errnum = fail_number(e, edt);
	return -1;
}

int
dt_set_err(dtrace_hdl_t *dtp, int edt, const char *fmt, ...)
{
	va_list ap;

	buf_reset(&dtp->errtext);
	va_start(ap, fmt);
	buf_vprintf(&dtp->errtext, fmt, ap);
	va_end(ap);
	dtp->errnum = edt;
	err_clear(&dtp->err);
	return -1;
}

int
dt_nomem(dtrace_hdl_t *dtp)
{
	return dt_set_err(dtp, EDT_NOMEM, "%s",
			  edt_text[EDT_NOMEM - EDT_FIRST]);
}

int
dtrace_errno(dtrace_hdl_t *dtp)
{
	return dtp->errnum;
}

const char *
dtrace_errmsg(dtrace_hdl_t *dtp, int error)
{
	if (dtp != NULL && error == dtp->errnum && dtp->errtext.n > 0)
		return buf_str(&dtp->errtext);
	if (error >= EDT_FIRST && error <= EDT_LAST)
		return edt_text[error - EDT_FIRST];
	return strerror(error);
}

const char *
dtrace_errtag(dtrace_hdl_t *dtp)
{
	static const char *const names[] = {
#define EDT(name, text) [EDT_##name - EDT_FIRST] = "EDT_" #name,
#include "lib/errtag.def"
#undef EDT
	};

	/* What has failed without a tag of its own has the library's. */
	if (err_is_set(&dtp->err) && dtp->err.tag != &ERR_GENERIC &&
	    dtp->err.tag != &ERR_PRIV)
		return dtp->err.tag->name;
	if (dtp->errnum >= EDT_FIRST && dtp->errnum <= EDT_LAST)
		return names[dtp->errnum - EDT_FIRST];
	return "";
}

void
dt_debug(const dtrace_hdl_t *dtp, const char *fmt, ...)
{
	va_list ap;

	if (!dt_opt_on(dtp, DT_OPT_debug))
		return;
	fprintf(stderr, "libdtrace DEBUG %lld: ", (long long)time(NULL));
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

dtrace_errdata_t
dt_err_refused(dtrace_hdl_t *dtp, const dtrace_probedata_t *data,
	       const char *msg)
{
	return (dtrace_errdata_t){
		.dteda_handle = dtp,
		.dteda_pdesc = data->dtpda_pdesc,
		.dteda_edesc = data->dtpda_edesc,
		.dteda_epid = data->dtpda_edesc->dtepd_epid,
		.dteda_cpu = data->dtpda_cpu,
		.dteda_offset = -1,
		.dteda_fault = DTRACEFLT_LIBRARY,
		.dteda_msg = msg,
	};
}
