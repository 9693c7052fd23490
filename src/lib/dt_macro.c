/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* dt_macro.c - the values of macro variables: $pid, $target and others. */
#include "lib/dt_impl.h"

#include <string.h>
#include <unistd.h>

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
	};

	if (strcmp(name, "target") == 0) {
		*val = dtp->target;
		return dtp->target != 0;
	}
	for (size_t i = 0; i < sizeof(macros) / sizeof(macros[0]); i++) {
		if (strcmp(name, macros[i].name) == 0) {
			*val = macros[i].val;
			return true;
		}
	}
	return false;
}
