/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_sink.c - where printing goes, and by which options.
 */
#include "lib/dt_impl.h"

#include <errno.h>
#include <unistd.h>

/* dt_out's write functions for consumers with a buffered handler... */
static int
sink_buffer(void *arg, const char *s, size_t n)
{
	dtrace_hdl_t *dtp = arg;

	buf_write(&dtp->outbuf, s, n);
	return dtp->outbuf.failed ? -ENOMEM : 0;
}

/* ... and for those that said neither where nor how. */
static int
sink_nowhere(void *arg, const char *s, size_t n)
{
	return -EBADF;
}

/* Only what is asked for; what a terminal knows of colours is the consumer's to
   find out. */
static bool
sink_colours(const dtrace_hdl_t *dtp)
{
	enum { NEVER, AUTO, ALWAYS };
	int64_t when = dtp->opt[DT_OPT_color];

	return when == ALWAYS ||
	       (when == AUTO && dtp->out->fp != NULL &&
		isatty(fileno(dtp->out->fp)));
}

void
dt_out_to(dtrace_hdl_t *dtp, FILE *fp)
{
	struct dt_out *o = dtp->out;

	o->fp = fp;
	o->write = fp != NULL ? NULL :
		   dtp->bufh != NULL ? sink_buffer : sink_nowhere;
	o->write_arg = dtp;
	o->colour = sink_colours(dtp);
}

int
dt_out_failed(dtrace_hdl_t *dtp)
{
	if (dtp->out->write == sink_nowhere && dtp->err.sys == EBADF)
		return dt_set_err(dtp, EDT_IO, "nowhere to print to: no stream "
					       "and no buffered handler");
	return dt_fail(dtp, EDT_IO);
}

int
dt_flush(dtrace_hdl_t *dtp, const dtrace_aggdata_t *agg)
{
	if (dtp->bufh == NULL || dtp->outbuf.n == 0)
		return 0;
	const dtrace_bufdata_t d = {
		.dtbda_handle = dtp, .dtbda_buffered = buf_str(&dtp->outbuf),
		.dtbda_probe = dtp->cur_data, .dtbda_recdesc = dtp->cur_rec,
		.dtbda_aggdata = agg,
		.dtbda_flags = agg == NULL ? 0 :
					     DTRACE_BUFDATA_AGGKEY |
						     DTRACE_BUFDATA_AGGVAL |
						     DTRACE_BUFDATA_AGGLAST,
	};
	int rv = dtp->bufh(&d, dtp->bufh_arg);
	buf_reset(&dtp->outbuf);
	if (rv == DTRACE_HANDLE_ABORT)
		return dt_set_err(dtp, EDT_DIRABORT, "%s",
				  dtrace_errmsg(NULL, EDT_DIRABORT));
	return 0;
}

void
dt_sink_options(dtrace_hdl_t *dtp)
{
	dtp->out->quiet = dt_opt_on(dtp, DT_OPT_quiet);
	dtp->out->rawbytes = dt_opt_on(dtp, DT_OPT_rawbytes);
	dtp->out->strsize = (uint32_t)dtp->opt[DT_OPT_strsize];
	dtp->out->flowindent = dt_opt_on(dtp, DT_OPT_flowindent);
	dtp->out->stackindent = (int)dtp->opt[DT_OPT_stackindent];
	dtp->out->printsize = (uint64_t)dtp->opt[DT_OPT_printsize];
	dtp->out->target = dtp->target;
	dtp->out->agghist = dt_opt_on(dtp, DT_OPT_agghist);
	dtp->out->aggpack = dt_opt_on(dtp, DT_OPT_aggpack);
	dtp->out->utf8 = dt_opt_on(dtp, DT_OPT_encoding);
	dtp->out->colour = sink_colours(dtp);
	dtp->out->aggzoom = dt_opt_on(dtp, DT_OPT_aggzoom);
	dt_agg_sort(dtp, &dtp->out->sort);
}

void
dt_agg_sort(const dtrace_hdl_t *dtp, struct dt_aggsort *s)
{
	*s = (struct dt_aggsort){
		.bykey = dt_opt_on(dtp, DT_OPT_aggsortkey),
		.rev = dt_opt_on(dtp, DT_OPT_aggsortrev),
		.keypos = (int)dtp->opt[DT_OPT_aggsortkeypos],
		.pos = (int)dtp->opt[DT_OPT_aggsortpos],
		.nonzero = dt_opt_on(dtp, DT_OPT_aggnonzero),
	};
}
