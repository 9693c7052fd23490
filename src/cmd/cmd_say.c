/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cmd_say.c - what dtrace(1) says: messages, its output, and its end, which
 * comes with a message or without.
 */
#include "cmd.h"
#include "plain.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

const char *cmd_name = "dtrace";

void
cmd_vmessage(const char *fmt, va_list ap)
{
	fprintf(stderr, "%s: ", cmd_name);
	plain_vprint(stderr, fmt, ap);
}

void
cmd_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	cmd_vmessage(fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

void
cmd_notice(const struct cmd *c, const char *fmt, ...)
{
	va_list ap;

	if (c->quiet)
		return;
	va_start(ap, fmt);
	cmd_vmessage(fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

/* Let processes go and leave nothing attached, whatever happened. */
void
cmd_quit(struct cmd *c, int status)
{
	if (!cmd_live_end(c) && status == 0)
		status = 1;
	if (c->dtp != NULL) {
		/* Whatever happened, what was written can be read. */
		(void)dtrace_oformat_teardown(c->dtp, c->out);
		fflush(c->out);
	}
	dtrace_close(c->dtp);
	for (int i = 0; i < c->nprogs; i++)
		free(c->progs[i].name);
	free(c->progs);
	free(c->args);
	exit(cmd_hold_end(c, cmd_show_end(c, status)));
}

void
cmd_fatal(struct cmd *c, const char *fmt, ...)
{
	va_list ap;

	(void)cmd_live_end(c);
	va_start(ap, fmt);
	cmd_vmessage(fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	c->failed = true;
	cmd_quit(c, 1);
}

bool
cmd_option_on(struct cmd *c, const char *name)
{
	int64_t v;

	return dtrace_getopt(c->dtp, name, &v) == 0 &&
	       v != DTRACEOPT_UNSET && v != 0;
}

const char *
cmd_error_tag(struct cmd *c)
{
	static char text[40];
	const char *tag = dtrace_errtag(c->dtp);

	if (tag == NULL || !cmd_option_on(c, "errtags") ||
	    dtrace_errmsg(c->dtp, dtrace_errno(c->dtp))[0] == '[')
		return "";
	snprintf(text, sizeof(text), "[%s] ", tag);
	return text;
}

void
cmd_dfatal(struct cmd *c, const char *fmt, ...)
{
	va_list ap;

	(void)cmd_live_end(c);
	va_start(ap, fmt);
	cmd_vmessage(fmt, ap);
	va_end(ap);
	plain_print(stderr, "%s%s%s\n", *fmt != '\0' ? ": " : "",
		    cmd_error_tag(c),
		    dtrace_errmsg(c->dtp, dtrace_errno(c->dtp)));
	c->failed = true;
	cmd_quit(c, 1);
}

void
cmd_output_failed(struct cmd *c, int err)
{
	if (err == EPIPE)
		cmd_quit(c, 0);
	cmd_fatal(c, "failed to write to %s: %s",
		  c->outname != NULL ? c->outname : "<stdout>", strerror(err));
}

int
cmd_written(FILE *fp, int status)
{
	if (fflush(fp) == 0)
		return status;
	if (errno == EPIPE)
		return 0;
	cmd_error("failed to write to %s: %s",
		  fp == stdout ? "<stdout>" : "<stderr>", strerror(errno));
	return 1;
}

/*
 * A file of our own must not come to stand where standard output would be, and
 * be written to.  What is opened here instead refuses all that is not asked of
 * a closed descriptor either: EBADF.
 */
void
cmd_std_files(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

bool
cmd_output_closed(const struct cmd *c)
{
	struct pollfd fd = { .fd = fileno(c->out) };

	return poll(&fd, 1, 0) > 0 && (fd.revents & POLLERR) != 0;
}

void
cmd_out(struct cmd *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int n = vfprintf(c->out, fmt, ap);
	va_end(ap);
	if (n < 0)
		cmd_output_failed(c, errno);
}

void
cmd_put(struct cmd *c, const char *text, size_t n)
{
	if (fwrite(text, 1, n, c->out) != n)
		cmd_output_failed(c, errno);
}
