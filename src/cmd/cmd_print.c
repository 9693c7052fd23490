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

int
cmd_chewrec(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec,
	    void *arg)
{
	struct cmd *c = arg;

	if (rec == NULL) {
		/* The end of a record. */
		if (!c->quiet && !c->structured)
			cmd_out(c, "\n");
		return DTRACE_CONSUME_NEXT;
	}
	if (rec->dtrd_action == DTRACEACT_EXIT)
		memcpy(&c->status, data->dtpda_data + rec->dtrd_offset,
		       sizeof(c->status));
	return DTRACE_CONSUME_THIS;
}

static int
on_error(const dtrace_errdata_t *data, void *arg)
{
	fflush(((struct cmd *)arg)->out);
	cmd_error("%.*s", (int)strcspn(data->dteda_msg, "\n"),
		  data->dteda_msg);
	return DTRACE_HANDLE_OK;
}

static int
on_drop(const dtrace_dropdata_t *data, void *arg)
{
	fflush(((struct cmd *)arg)->out);
	cmd_error("%.*s", (int)strcspn(data->dtdda_msg, "\n"),
		  data->dtdda_msg);
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

void
cmd_handlers(struct cmd *c)
{
	if (dtrace_handle_err(c->dtp, on_error, c) != 0 ||
	    dtrace_handle_drop(c->dtp, on_drop, c) != 0 ||
	    dtrace_handle_proc(c->dtp, on_proc, c) != 0 ||
	    dtrace_handle_setopt(c->dtp, on_setopt, c) != 0)
		cmd_dfatal(c, "failed to set handlers");
}
