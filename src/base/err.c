/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* err.c - setting and clearing the error object; the essay is in err.h. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

const struct err_tag ERR_GENERIC = { "ERR_GENERIC", 0 };
const struct err_tag ERR_PRIV = { "ERR_PRIV", 0 };
const struct err_tag ERR_RATHER = { "ERR_RATHER", 0 };
const struct err_tag ERR_NOMEM = { "ERR_NOMEM", 0 };

/* What the system says of an error, with the cure where there is one. */
static void
err_system(char *to, size_t size, int sys)
{
	struct rlimit r = { 0, 0 };

	if (sys == EMFILE && getrlimit(RLIMIT_NOFILE, &r) == 0)
		snprintf(to, size,
			 ": %s (no more than %llu; to have more: "
			 "ulimit -n)",
			 strerror(sys), (unsigned long long)r.rlim_cur);
	else
		snprintf(to, size, ": %s", strerror(sys));
}

static void
err_format(struct err *e, int sys, const char *fmt, va_list ap)
{
	int n = vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	if (n < 0)
		n = 0;
	if (sys != 0 && (size_t)n < sizeof(e->msg))
		err_system(e->msg + n, sizeof(e->msg) - (size_t)n, sys);
}

int
err_set(struct err *e, const struct err_tag *tag, int sys, const char *fmt, ...)
{
	va_list ap;

	if (err_is_set(e))
		return -1;
	e->tag = tag;
	e->loc = (struct src_loc){ 0 };
	e->sys = sys;
	va_start(ap, fmt);
	err_format(e, sys, fmt, ap);
	va_end(ap);
	return -1;
}

int
err_set_loc(struct err *e, const struct err_tag *tag, struct src_loc loc,
	    const char *fmt, ...)
{
	va_list ap;

	if (err_is_set(e))
		return -1;
	e->tag = tag;
	e->loc = loc;
	e->sys = 0;
	va_start(ap, fmt);
	err_format(e, 0, fmt, ap);
	va_end(ap);
	return -1;
}

int
err_nomem(struct err *e)
{
	return err_set(e, &ERR_NOMEM, 0, "memory allocation failure");
}

const struct err_tag *
err_refused(int sys)
{
	return sys == EPERM || sys == EACCES ? &ERR_PRIV : &ERR_GENERIC;
}

bool
err_short(int sys)
{
	return sys == EMFILE || sys == ENFILE || sys == ENOMEM;
}

int
err_ended(struct err *e, long pid, int sys)
{
	if (err_is_set(e))
		return -1;
	if (err_short(sys))
		return err_set(e, &ERR_GENERIC, sys,
			       "cannot look at process %ld", pid);
	err_set(e, &ERR_GENERIC, 0, "process %ld has ended", pid);
	e->sys = ESRCH;
	return -1;
}

void
err_clear(struct err *e)
{
	e->tag = NULL;
	e->loc = (struct src_loc){ 0 };
	e->sys = 0;
	e->msg[0] = '\0';
}
