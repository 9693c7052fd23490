/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* dt_macro.c - the values of macro variables: $pid, $target and others. */
#include "lib/dt_impl.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "proc/proc.h"

/* $target1, $target2 ...: the processes of -c and -p, as they were given. */
static bool
macro_target(const dtrace_hdl_t *dtp, const char *digits, int64_t *val)
{
	const struct ps_prochandle *p = dtp->procs;
	char *end;
	unsigned long n = strtoul(digits, &end, 10);

	if (digits[0] < '1' || digits[0] > '9' || *end != '\0')
		return false;
	for (; p != NULL && n > 1; n--)
		p = p->next;
	if (p == NULL)
		return false;
	*val = proc_pid(p->target.proc);
	return true;
}

/* How often the clock of the kernel ticks, each second: how coarse its coarse
   clocks are. */
static int64_t
macro_hz(void)
{
	struct timespec t;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &t) != 0 || t.tv_nsec <= 0)
		return 250;
	return (1000000000 + t.tv_nsec / 2) / t.tv_nsec;
}

bool
dt_macro(const dtrace_hdl_t *dtp, const char *name, int64_t *val)
{
	const struct {
		const char *name;
		int64_t val;
	} macros[] = {
		{ "egid", (int64_t)getegid() },	 { "euid", (int64_t)geteuid() },
		{ "gid", (int64_t)getgid() },	 { "uid", (int64_t)getuid() },
		{ "pid", (int64_t)getpid() },	 { "pgid", (int64_t)getpgid(0) },
		{ "ppid", (int64_t)getppid() },	 { "sid", (int64_t)getsid(0) },
		{ "projid", 0 },		 { "taskid", 0 },
		/* the D library's own */
		{ "__pidlevel", dtp->pid_level },
		{ "__pidspace", dtp->pid_space },
		{ "__hz", macro_hz() },
	};

	if (strcmp(name, "target") == 0) {
		*val = dtp->target;
		return dtp->target != 0;
	}
	if (strncmp(name, "target", 6) == 0)
		return macro_target(dtp, name + 6, val);
	for (size_t i = 0; i < sizeof(macros) / sizeof(macros[0]); i++) {
		if (strcmp(name, macros[i].name) == 0) {
			*val = macros[i].val;
			return true;
		}
	}
	return false;
}
