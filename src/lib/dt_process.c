/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_process.c - the processes of -c and -p: $target, letting them go, and
 * noticing their ends.
 */
#include "lib/dt_impl.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAPS_RATE 50000000u /* ns between looks at what processes have mapped */

static struct ps_prochandle *
process_add(dtrace_hdl_t *dtp, struct proc *proc)
{
	struct ps_prochandle *p = calloc(1, sizeof(*p));

	if (p == NULL) {
		dt_nomem(dtp);
		return NULL;
	}
	p->target.proc = proc;
	p->target.wstatus = -1;
	*dtp->procs_tail = p;
	dtp->procs_tail = &p->next;
	if (dtp->target == 0)
		dtp->target = proc_pid(proc);
	return p;
}

/* Check that this handle may have processes and is asked only for what there
   is. */
static int
process_check(dtrace_hdl_t *dtp, bool served)
{
	if (dtp->flags & DTRACE_O_NODEV)
		return dt_set_err(dtp, EDT_UNSUP, "the handle was opened for "
						  "compiling only");
	if (!served)
		return dt_set_err(dtp, EDT_UNSUP, "reserved arguments must be "
						  "0, and file argv[0]");
	err_clear(&dtp->err);
	return 0;
}

/* ---- environments -------------------------------------------------------- */

bool
dt_process_env(dtrace_hdl_t *dtp, const char *text, bool set)
{
	const char *eq = text != NULL ? strchr(text, '=') : NULL;

	if (text == NULL || *text == '\0' || eq == text || set != (eq != NULL))
		return false;
	char *s = strdup(text);
	if (s != NULL && vec_push(&dtp->env_ops, s))
		return true;
	free(s);
	return false;
}

/* True if both have the same name before "=". */
static bool
env_same(const char *a, const char *b)
{
	size_t n = strcspn(a, "=");

	return strcspn(b, "=") == n && memcmp(a, b, n) == 0;
}

/* True if an option from that one on speaks of the variable. */
static bool
env_changed(const dtrace_hdl_t *dtp, const char *var, size_t from)
{
	for (size_t i = from; i < dtp->env_ops.n; i++)
		if (env_same(dtp->env_ops.v[i], var))
			return true;
	return false;
}

/* The environment of a command: ours, changed.  The caller's to free; NULL: no
   memory. */
static char **
env_make(const dtrace_hdl_t *dtp)
{
	size_t n = 0, k = 0;

	while (environ[n] != NULL)
		n++;
	char **v = calloc(n + dtp->env_ops.n + 1, sizeof(*v));
	for (size_t i = 0; v != NULL && i < n; i++)
		if (!env_changed(dtp, environ[i], 0))
			v[k++] = environ[i];
	/* The last option that names a variable counts. */
	for (size_t i = 0; v != NULL && i < dtp->env_ops.n; i++)
		if (strchr(dtp->env_ops.v[i], '=') != NULL &&
		    !env_changed(dtp, dtp->env_ops.v[i], i + 1))
			v[k++] = dtp->env_ops.v[i];
	return v;
}

/* The option program: a command goes on to where it runs that.  0; -1:
   dtp->err, and it has ended. */
static int
process_await(dtrace_hdl_t *dtp, struct proc *proc)
{
	const char *pattern = dtp->optstr[DT_OPT_program];

	if (pattern == NULL ||
	    proc_await_program(proc, pattern,
			       (enum proc_evaltime)dtp->opt[DT_OPT_evaltime],
			       &dtp->err) == 0)
		return 0;
	proc_kill(proc);
	return -1;
}

struct ps_prochandle *
dtrace_proc_create(dtrace_hdl_t *dtp, const char *file, char *const *argv,
		   void *func, void *arg)
{
	if (process_check(dtp, argv != NULL && argv[0] != NULL &&
				       func == NULL && arg == NULL &&
				       (file == NULL ||
					strcmp(file, argv[0]) == 0)) != 0)
		return NULL;
	char **envp = env_make(dtp);
	if (envp == NULL) {
		dt_nomem(dtp);
		return NULL;
	}
	struct proc *proc = proc_create(
		dtp->env.procs, argv, envp,
		(enum proc_evaltime)dtp->opt[DT_OPT_evaltime], &dtp->err);
	free(envp);
	if (proc == NULL || process_await(dtp, proc) != 0) {
		dt_fail(dtp, EDT_PROC);
		return NULL;
	}
	return process_add(dtp, proc);
}

int
dt_procs_advance(dtrace_hdl_t *dtp)
{
	enum proc_evaltime when =
		(enum proc_evaltime)dtp->opt[DT_OPT_evaltime];

	err_clear(&dtp->err);
	for (struct ps_prochandle *p = dtp->procs; p != NULL; p = p->next)
		if (p->target.continued)
			continue;
		else if (process_await(dtp, p->target.proc) != 0)
			return dt_fail(dtp, EDT_PROC);
		else if (proc_advance(p->target.proc, when, &dtp->err) != 0)
			return dt_fail(dtp, EDT_BADOPTCTX);
	return 0;
}

struct ps_prochandle *
dtrace_proc_grab(dtrace_hdl_t *dtp, pid_t pid, int flags)
{
	if (process_check(dtp, flags == 0) != 0)
		return NULL;
	struct proc *proc = proc_grab(dtp->env.procs, pid, &dtp->err);
	if (proc == NULL) {
		dt_fail(dtp, EDT_PROC);
		return NULL;
	}
	return process_add(dtp, proc);
}

/* An engine may take hold of it again. */
static void
target_runs(struct dt_engine *de, pid_t pid)
{
	if (de->target.pid == pid)
		de->target.held = false;
	for (uint32_t i = 0; i < de->njoined; i++)
		if (de->joined[i].pid == pid)
			de->joined[i].held = false;
}

void
dtrace_proc_continue(dtrace_hdl_t *dtp, struct ps_prochandle *p)
{
	struct err e;

	err_clear(&e);
	/* A process that is gone already is noticed by its pidfd. */
	(void)proc_continue(p->target.proc, &e);
	p->target.continued = true;
	for (uint32_t i = 0; i < dtp->nengines; i++)
		target_runs(&dtp->engines[i], proc_pid(p->target.proc));
}

void
dtrace_proc_release(dtrace_hdl_t *dtp, struct ps_prochandle *p)
{
	for (struct ps_prochandle **pp = &dtp->procs; *pp != NULL;
	     pp = &(*pp)->next) {
		if (*pp != p)
			continue;
		*pp = p->next;
		if (dtp->procs_tail == &p->next)
			dtp->procs_tail = pp;
		break;
	}
	if (!p->target.continued)
		dtrace_proc_continue(dtp, p);
	free(p);
}

pid_t
dtrace_proc_pid(struct ps_prochandle *p)
{
	return proc_pid(p->target.proc);
}

int
dtrace_proc_wstatus(struct ps_prochandle *p)
{
	return p->target.wstatus;
}

/* A process has died.  What engines that had probes in it say of that. */
static void
procs_died(dtrace_hdl_t *dtp, pid_t pid, int status, struct buf *why)
{
	if (status == -1 || !WIFSIGNALED(status))
		return;
	for (uint32_t i = 0; i < dtp->nengines; i++) {
		struct dt_engine *de = &dtp->engines[i];

		if (de->eng != NULL && de->ops->died != NULL &&
		    de->ops->died(de->eng, pid, WTERMSIG(status), why))
			return;
	}
}

/* Tell the consumer that a process has ended. */
static int
procs_tell(dtrace_hdl_t *dtp, struct ps_prochandle *p)
{
	struct buf why = BUF_INIT;
	int rv;

	if (dtp->proch == NULL)
		return 0;
	procs_died(dtp, dtrace_proc_pid(p), p->target.wstatus, &why);
	rv = dtp->proch(p, why.n != 0 && !why.failed ? buf_str(&why) : NULL,
			dtp->proch_arg);
	buf_fini(&why);
	if (rv == DTRACE_HANDLE_ABORT)
		return dt_set_err(dtp, EDT_DIRABORT, "%s",
				  dtrace_errmsg(NULL, EDT_DIRABORT));
	return 0;
}

int
dt_procs_poll(dtrace_hdl_t *dtp)
{
	uint64_t now = dt_now();
	bool look = now - dtp->last_maps >= MAPS_RATE;

	if (look)
		dtp->last_maps = now;
	for (struct ps_prochandle *p = dtp->procs; p != NULL; p = p->next) {
		int status = -1;
		if (p->target.ended)
			continue;
		if (!proc_ended(p->target.proc, &status)) {
			/* New libraries, for ustack() after its end. */
			if (look)
				proc_refresh(p->target.proc);
			continue;
		}
		p->target.ended = true;
		p->target.wstatus = status;
		p->target.end_time = dt_now();
		p->target.json_due = dtp->json != NULL;
		if (procs_tell(dtp, p) != 0)
			return -1;
	}
	return 0;
}

/* The one of those that are due that ended first, before a time; NULL: none. */
static struct ps_prochandle *
procs_due(const dtrace_hdl_t *dtp, uint64_t before)
{
	struct ps_prochandle *first = NULL;

	for (struct ps_prochandle *p = dtp->procs; p != NULL; p = p->next)
		if (p->target.json_due && p->target.end_time < before &&
		    (first == NULL ||
		     p->target.end_time < first->target.end_time))
			first = p;
	return first;
}

int
dt_procs_json(dtrace_hdl_t *dtp, uint64_t before)
{
	struct ps_prochandle *p;

	if (dtp->json == NULL)
		return 0;
	while ((p = procs_due(dtp, before)) != NULL) {
		p->target.json_due = false;
		if (dt_json_proc(dtp, p->target.end_time, dtrace_proc_pid(p),
				 p->target.wstatus) != 0)
			return -1;
	}
	return 0;
}

bool
dt_procs_all_ended(const dtrace_hdl_t *dtp)
{
	for (struct ps_prochandle *p = dtp->procs; p != NULL; p = p->next) {
		if (!p->target.ended)
			return false;
	}
	return dtp->procs != NULL;
}

struct engine_target
dt_proc_target(const dtrace_hdl_t *dtp, pid_t pid)
{
	struct engine_target t = { .pid = pid };

	for (struct ps_prochandle *p = dtp->procs; p != NULL; p = p->next)
		if (proc_pid(p->target.proc) == pid)
			t.held = proc_is_child(p->target.proc) &&
				 !p->target.continued;
	return t;
}

int32_t
dt_proc_only(const dtrace_hdl_t *dtp)
{
	if (dtp->procs == NULL)
		return 0;
	return dtp->procs->next == NULL ? proc_pid(dtp->procs->target.proc) :
					  DT_PID_SEVERAL;
}
