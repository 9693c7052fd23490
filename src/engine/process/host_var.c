/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * host_var.c - built-in variables of clauses that run in the consumer: those
 * that var.def says HOST of, each by host_var_<name>().
 *
 * They are of the sampled thread, or where nothing was sampled of the consumer
 * itself (host_impl.h, WHO IS IT?).  What the target is asked for in vain, as
 * it may have ended, is 0 or what is known of it from before.
 */
#include "engine/process/host_impl.h"
#include "proc/proc_fs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- whose --------------------------------------------------------------- */

uint64_t
host_parent_of(uint64_t pid)
{
	struct proc_stat st;

	return proc_stat_read((pid_t)pid, 0, &st) ? st.v[PROC_STAT_PPID] : 0;
}

uint64_t
host_pid(const struct host_ctx *c)
{
	return c->sample != NULL ? (uint64_t)host_subject(c) :
				   (uint64_t)getpid();
}

pid_t
host_subject(const struct host_ctx *c)
{
	return c->sample != NULL && c->sample->pid != 0 ? c->sample->pid :
							   c->h->in.pid;
}

uint32_t
host_tid(const struct host_ctx *c)
{
	return c->sample != NULL ? c->sample->tid
				 : (uint32_t)syscall(SYS_gettid);
}

/* ---- variables ----------------------------------------------------------- */

static uint64_t
host_var_execname(struct host_ctx *c)
{
	char buf[32];

	memset(c->execname, 0, sizeof(c->execname));
	if (c->sample == NULL)
		prctl(PR_GET_NAME, c->execname);
	else if (proc_read(host_subject(c), (pid_t)c->sample->tid, "comm", buf,
			   sizeof(buf)) > 0)
		memcpy(c->execname, buf, strnlen(buf, 15));
	else /* it has ended since */
		memcpy(c->execname,
		       c->sample->comm != NULL
			       ? c->sample->comm
			       : (const char *)c->h->in.sh->comm,
		       15);
	c->execname[strcspn(c->execname, "\n")] = '\0';
	return (uintptr_t)c->execname;
}

/* The arguments: of what rt_execargs.c reads in the process itself. */
static uint64_t
host_var_execargs(struct host_ctx *c)
{
	long n = proc_read((pid_t)host_pid(c), 0, "cmdline", c->execargs,
			   sizeof(c->execargs));

	while (n > 0 && c->execargs[n - 1] == '\0')
		n--;
	for (long i = 0; i < n; i++)
		if (c->execargs[i] == '\0')
			c->execargs[i] = ' ';
	c->execargs[n > 0 ? n : 0] = '\0';
	return (uintptr_t)c->execargs;
}

/* As the kernel engine has it where it cannot know. */
static uint64_t
host_var_cgroup(struct host_ctx *c)
{
	if (!proc_cgroup((pid_t)host_pid(c), c->cgroup, sizeof(c->cgroup)))
		strcpy(c->cgroup, "<unknown>");
	return (uintptr_t)c->cgroup;
}

static uint64_t
host_var_container(struct host_ctx *c)
{
	host_var_cgroup(c);
	proc_container(c->cgroup, c->container);
	return (uintptr_t)c->container;
}

static uint64_t
host_var_nspid(struct host_ctx *c)
{
	struct proc_status st;
	uint64_t v, last;

	return proc_status_read((pid_t)host_pid(c), 0, &st) &&
			       proc_status_numbers(&st, "NSpid", &v, 1, &last) ?
		       last : 0;
}

/* What a thread has run, ns. */
static uint64_t
host_var_vtimestamp(struct host_ctx *c)
{
	struct timespec ts;
	char buf[128];

	if (c->sample == NULL) {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
		return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
	}
	if (proc_read(host_subject(c), (pid_t)c->sample->tid, "schedstat", buf,
		      sizeof(buf)) <= 0)
		return 0;
	return strtoull(buf, NULL, 10);
}

/* ---- a line each --------------------------------------------------------- */

#define BUILTIN(name, value)                                                   \
	static uint64_t host_var_##name(struct host_ctx *c)                    \
	{                                                                      \
		return value;                                                  \
	}
BUILTIN(pid, host_pid(c))
BUILTIN(tid, host_tid(c))
BUILTIN(ppid, host_parent_of(host_pid(c)))
BUILTIN(uid, c->sample != NULL ? c->h->in.sh->uid : getuid())
BUILTIN(gid, c->sample != NULL ? c->h->in.sh->gid : getgid())

/* Those of stacks: 0 where none was seen. */
static const struct host_sample *
sample_of(const struct host_ctx *c)
{
	static const struct host_sample none;

	return c->sample != NULL ? c->sample : &none;
}
BUILTIN(ustackdepth, sample_of(c)->nustack)
BUILTIN(stackdepth, sample_of(c)->nkstack)
BUILTIN(ucaller, sample_of(c)->nustack > 1 ? c->sample->ustack[1] : 0)
BUILTIN(caller, sample_of(c)->nkstack > 1 ? c->sample->kstack[1] : 0)
#undef BUILTIN

/* ---- the rows ------------------------------------------------------------ */

uint64_t
host_var(void *arg, uint32_t id)
{
	static uint64_t (*const rows[DIF_VAR_USER_MIN])(struct host_ctx *) = {
#define ROW_HOST(id, name) [id] = host_var_##name,
#define ROW_RT(id, name)
#define ROW_OWN(id, name)
#define ROW_ZERO(id, name)
#define ROW_NO(id, name)
#define VAR(id, name, type, kind, bound, i, k, p, needs, stab, what)           \
	ROW_##i(id, name)
#include "dif/var.def"
#undef VAR
	};

	return id < DIF_VAR_USER_MIN && rows[id] != NULL ? rows[id](arg) : 0;
}
