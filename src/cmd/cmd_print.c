/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cmd_print.c - what dtrace(1) prints around the data: headings, the columns
 * of a record, notices of errors, drops and ends of processes.
 */
#include "cmd.h"

#include <string.h>
#include <sys/wait.h>

static void
print_heading(struct cmd *c)
{
	if (c->heading)
		return;
	c->heading = true;
	if (c->flowindent)
		cmd_out(c, "%3s %-41s\n", "CPU", "FUNCTION");
	else if (!c->quiet)
		cmd_out(c, "%3s %6s %32s\n", "CPU", "ID", "FUNCTION:NAME");
}

int
cmd_chew(const dtrace_probedata_t *data, void *arg)
{
	const dtrace_probedesc_t *pd = data->dtpda_pdesc;
	struct cmd *c = arg;
	char name[DTRACE_FUNCNAMELEN + DTRACE_NAMELEN + 200];

	c->records++;
	cmd_live_record(c, pd);
	if (c->structured)
		return DTRACE_CONSUME_THIS;
	print_heading(c);
	if (c->flowindent) {
		snprintf(name, sizeof(name), "%*s%s%s%s%s",
			 data->dtpda_indent > 150 ? 150 : data->dtpda_indent,
			 "", data->dtpda_prefix != NULL ? data->dtpda_prefix :
							  "",
			 pd->dtpd_func,
			 data->dtpda_flow == DTRACEFLOW_NONE ? ":" : "",
			 data->dtpda_flow == DTRACEFLOW_NONE ? pd->dtpd_name :
							       "");
		cmd_out(c, "%3d %-41s ", (int)data->dtpda_cpu, name);
	} else if (!c->quiet) {
		snprintf(name, sizeof(name), "%s:%s", pd->dtpd_func,
			 pd->dtpd_name);
		cmd_out(c, "%3d %6u %32s ", (int)data->dtpda_cpu, pd->dtpd_id,
			name);
	}
	return DTRACE_CONSUME_THIS;
}

/* True if what is printed in this format ends with a newline. */
static bool
ends_line(const char *format)
{
	size_t n = format != NULL ? strlen(format) : 0;

	return n > 0 && format[n - 1] == '\n';
}

int
cmd_chewrec(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec,
	    void *arg)
{
	struct cmd *c = arg;

	if (rec == NULL) {
		/* The end of a record.  With -F and -q its columns are there
		   and want an end of their line, which printf() may be. */
		if (!c->structured &&
		    (!c->quiet || (c->flowindent && !c->line_ended)))
			cmd_out(c, "\n");
		c->line_ended = false;
		return DTRACE_CONSUME_NEXT;
	}
	c->line_ended = ends_line(rec->dtrd_format);
	if (rec->dtrd_action == DTRACEACT_EXIT)
		memcpy(&c->status, data->dtpda_data + rec->dtrd_offset,
		       sizeof(c->status));
	return DTRACE_CONSUME_THIS;
}

/* ---- options as text ----------------------------------------------------- */

static int64_t
option_value(struct cmd *c, const char *name)
{
	int64_t v;

	return dtrace_getopt(c->dtp, name, &v) == 0 ? v : DTRACEOPT_UNSET;
}

static void
size_text(char *text, size_t n, int64_t v)
{
	static const char suffix[] = "\0kmgt";
	int i = 0;

	for (; v != 0 && v % 1024 == 0 && i < 4; i++)
		v /= 1024;
	snprintf(text, n, "%lld%.1s", (long long)v, &suffix[i]);
}

/* ---- notices ------------------------------------------------------------- */

static int
on_error(const dtrace_errdata_t *data, void *arg)
{
	fflush(((struct cmd *)arg)->out);
	cmd_error("%.*s", (int)strcspn(data->dteda_msg, "\n"),
		  data->dteda_msg);
	return DTRACE_HANDLE_OK;
}

/* What helps against a kind of drops: an option, and what else. */
static const struct {
	const char *option, *or_else;
} cures[] = {
	[DTRACEDROP_PRINCIPAL] = { "bufsize", "; or record less, by a "
				   "predicate" },
	[DTRACEDROP_AGGREGATION] = { "aggsize", "; or use fewer keys" },
	[DTRACEDROP_DYNAMIC] = { "dynvarsize", "; or assign 0 to variables "
				 "that are not needed any more" },
	[DTRACEDROP_SPEC] = { "specsize", "" },
	[DTRACEDROP_SPECBUSY] = { "nspec", ", or -x cleanrate" },
	[DTRACEDROP_SPECUNAVAIL] = { "nspec", "; or end speculations that are "
				     "not needed by discard()" },
};

/* Once for each kind, where the drop itself is told and into pictures. */
static void
tell_cure(struct cmd *c, dtrace_dropkind_t kind)
{
	char now[40], text[120];

	if (kind >= sizeof(cures) / sizeof(cures[0]) ||
	    cures[kind].option == NULL || (c->drop_hints & 1u << kind) != 0 ||
	    cmd_for_scripts(c))
		return;
	c->drop_hints |= 1u << kind;
	size_text(now, sizeof(now), option_value(c, cures[kind].option));
	snprintf(text, sizeof(text), "to lose less, raise -x %s (now %s)%s",
		 cures[kind].option, now, cures[kind].or_else);
	cmd_error("%s", text);
	cmd_show_hint(c, text);
}

static int
on_drop(const dtrace_dropdata_t *data, void *arg)
{
	cmd_live_drops(arg, data->dtdda_drops);
	fflush(((struct cmd *)arg)->out);
	cmd_error("%.*s", (int)strcspn(data->dtdda_msg, "\n"),
		  data->dtdda_msg);
	tell_cure(arg, data->dtdda_kind);
	return DTRACE_HANDLE_OK;
}

static int
on_proc(struct ps_prochandle *p, const char *msg, void *arg)
{
	struct cmd *c = arg;
	int pid = (int)dtrace_proc_pid(p), wstatus = dtrace_proc_wstatus(p);

	c->live--;
	if (wstatus != -1 && WIFSIGNALED(wstatus))
		cmd_notice(c, "pid %d terminated by SIG%s", pid,
			   sigabbrev_np(WTERMSIG(wstatus)) != NULL ?
				   sigabbrev_np(WTERMSIG(wstatus)) : "?");
	else if (wstatus != -1 && WIFEXITED(wstatus) &&
		 WEXITSTATUS(wstatus) != 0)
		cmd_notice(c, "pid %d exited with status %d", pid,
			   WEXITSTATUS(wstatus));
	else
		cmd_notice(c, "pid %d has exited", pid);
	if (msg != NULL) {
		fflush(c->out);
		cmd_error("%s", msg);
		c->died = true;
	}
	return DTRACE_HANDLE_OK;
}

static int
on_setopt(const dtrace_setoptdata_t *data, void *arg)
{
	struct cmd *c = arg;

	if (strcmp(data->dtsda_option, "quiet") == 0)
		c->quiet = data->dtsda_newval != DTRACEOPT_UNSET;
	else if (strcmp(data->dtsda_option, "flowindent") == 0)
		c->flowindent = data->dtsda_newval != DTRACEOPT_UNSET;
	return DTRACE_HANDLE_OK;
}

static int
on_text(const dtrace_bufdata_t *data, void *arg)
{
	cmd_out(arg, "%s", data->dtbda_buffered);
	return DTRACE_HANDLE_OK;
}

void
cmd_handlers(struct cmd *c)
{
	if (c->buffered && dtrace_handle_buffered(c->dtp, on_text, c) != 0)
		cmd_dfatal(c, "failed to set handlers");
	if (dtrace_handle_err(c->dtp, on_error, c) != 0 ||
	    dtrace_handle_drop(c->dtp, on_drop, c) != 0 ||
	    dtrace_handle_proc(c->dtp, on_proc, c) != 0 ||
	    dtrace_handle_setopt(c->dtp, on_setopt, c) != 0)
		cmd_dfatal(c, "failed to set handlers");
}

/* ---- options that came out otherwise ------------------------------------- */

static const struct {
	const char *option, *what;
	bool rate; /* the value is a period in ns */
} adjusted[CMD_NADJUSTED] = {
	{ "bufsize", "buffer size", false },
	{ "aggsize", "aggregation size", false },
	{ "cleanrate", "cleaning rate", true },
};

void
cmd_asked(struct cmd *c, int64_t asked[CMD_NADJUSTED])
{
	for (int i = 0; i < CMD_NADJUSTED; i++)
		asked[i] = option_value(c, adjusted[i].option);
}

static void
rate_text(char *text, size_t n, int64_t ns)
{
	if (ns <= 1000000000)
		snprintf(text, n, "%lldhz", 1000000000ll / ns);
	else
		snprintf(text, n, "%lldsec", (long long)ns / 1000000000);
}

void
cmd_adjusted(struct cmd *c, const int64_t asked[CMD_NADJUSTED])
{
	if (option_value(c, "quietresize") == 1)
		return;
	for (int i = 0; i < CMD_NADJUSTED; i++) {
		int64_t is = option_value(c, adjusted[i].option);
		char text[40];
		if (is == asked[i])
			continue;
		if (adjusted[i].rate)
			rate_text(text, sizeof(text), is);
		else
			size_text(text, sizeof(text), is);
		cmd_error("%s %s to %s", adjusted[i].what,
			  !adjusted[i].rate ? "lowered" :
			  is > asked[i]	    ? "reduced" : "increased", text);
	}
}
