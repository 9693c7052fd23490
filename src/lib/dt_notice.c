/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_notice.c - notices of errors that records bring or ask for: to the
 * consumer's handler, and to structured output.
 */
#include "lib/dt_impl.h"

#include <string.h>

void
dt_notice_probe(struct buf *b, dtrace_epid_t epid, const dtrace_probedesc_t *pd)
{
	buf_printf(b,
		   "error on enabled probe ID %u (ID %u: %s:%s:%s:%s): ", epid,
		   pd->dtpd_id, pd->dtpd_provider, pd->dtpd_mod, pd->dtpd_func,
		   pd->dtpd_name);
}

int
dt_notice_error(dtrace_hdl_t *dtp, const dtrace_errdata_t *d, uint64_t time)
{
	if (dtp->json != NULL && dt_json_error(dtp, d, time) != 0)
		return -1;
	if (dtp->errh == NULL)
		return dt_set_err(dtp, EDT_ERRABORT, "%s: %.*s",
				  dtrace_errmsg(NULL, EDT_ERRABORT),
				  (int)strcspn(d->dteda_msg, "\n"),
				  d->dteda_msg);
	if (dtp->errh(d, dtp->errh_arg) == DTRACE_HANDLE_ABORT)
		return dt_set_err(dtp, EDT_ERRABORT, "%s",
				  dtrace_errmsg(NULL, EDT_ERRABORT));
	return 0;
}

int
dt_notice_refused(dtrace_hdl_t *dtp, const char *why)
{
	const dtrace_probedata_t *data = dtp->cur_data;
	struct buf b = BUF_INIT;

	dt_notice_probe(&b, data->dtpda_edesc->dtepd_epid, data->dtpda_pdesc);
	buf_printf(&b, "%s\n", why);
	const dtrace_errdata_t d =
		dt_err_refused(dtp, data, buf_str(&b));
	int rv = dt_notice_error(dtp, &d, data->dtpda_timestamp);
	buf_fini(&b);
	return rv;
}
