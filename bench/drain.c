/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * drain.c - how fast a consumer of libdtrace takes records that it does not
 * print: runs `calls KIND N` under a clause that leaves 64 bytes per call, and
 * counts what arrives and what was dropped.
 *
 * usage: drain CALLS KIND N
 */
#include <stdio.h>
#include <stdlib.h>

#include "dtrace/dtrace.h"

static const char program[] =
	"pid$target:a.out:work:entry { trace(arg0); trace(arg1); "
	"trace(arg0 + 1); trace(arg1 + 1); trace(arg0 ^ arg1); trace(tid); }";

static int
on_record(const dtrace_probedata_t *data, void *arg)
{
	(void)data;
	(*(unsigned long long *)arg)++;
	return DTRACE_CONSUME_NEXT;
}

static int
on_drop(const dtrace_dropdata_t *data, void *arg)
{
	*(unsigned long long *)arg += data->dtdda_drops;
	return DTRACE_HANDLE_OK;
}

static int
on_end(struct ps_prochandle *p, const char *msg, void *arg)
{
	(void)p;
	(void)msg;
	*(int *)arg = 1;
	return DTRACE_HANDLE_OK;
}

static int
fail(dtrace_hdl_t *dtp)
{
	fprintf(stderr, "%s\n", dtrace_errmsg(dtp, dtrace_errno(dtp)));
	return 1;
}

int
main(int argc, char **argv)
{
	unsigned long long records = 0, drops = 0;
	int err, ended = 0;

	if (argc != 4)
		return 2;
	char *const cmd[] = { argv[1], argv[2], argv[3], NULL };
	dtrace_hdl_t *dtp = dtrace_open(DTRACE_VERSION, 0, &err);
	if (dtp == NULL)
		return 1;
	dtrace_setopt(dtp, "engine", "process");
	dtrace_setopt(dtp, "bufsize", "16m");
	dtrace_setopt(dtp, "switchrate", "1ms");
	dtrace_handle_drop(dtp, on_drop, &drops);
	dtrace_handle_proc(dtp, on_end, &ended);
	struct ps_prochandle *p =
		dtrace_proc_create(dtp, cmd[0], cmd, NULL, NULL);
	if (p == NULL)
		return fail(dtp);
	dtrace_prog_t *prog = dtrace_program_strcompile(
		dtp, program, DTRACE_PROBESPEC_NAME, 0, 0, NULL);
	if (prog == NULL || dtrace_program_exec(dtp, prog, NULL) != 0 ||
	    dtrace_go(dtp) != 0)
		return fail(dtp);
	dtrace_proc_continue(dtp, p);
	for (int done = 0; !done;) {
		if (!ended)
			dtrace_sleep(dtp);
		else if (dtrace_stop(dtp) != 0)
			return fail(dtp);
		switch (dtrace_work(dtp, NULL, on_record, NULL, &records)) {
		case DTRACE_WORKSTATUS_DONE:
			done = 1;
			break;
		case DTRACE_WORKSTATUS_OKAY:
			break;
		default:
			return fail(dtp);
		}
	}
	dtrace_close(dtp);
	printf("records %llu drops %llu\n", records, drops);
	return 0;
}
