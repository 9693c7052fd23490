/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cmd_beside.c - where this program is, and what lies beside it: its helpers
 * (dtrace-show, dtrace-live) and, in a tree that it was built in, the toolkit.
 */
#include "cmd.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

bool
cmd_self(char path[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);

	if (n == PATH_MAX) /* cut off, perhaps */
		errno = ENAMETOOLONG;
	if (n <= 0 || n == PATH_MAX)
		return false;
	path[n] = '\0';
	return true;
}

bool
cmd_beside(const char *name, char path[PATH_MAX])
{
	if (!cmd_self(path))
		return false;
	char *p = strrchr(path, '/') + 1; /* the kernel's paths are whole
					     ones */
	if (strlen(name) >= (size_t)(path + PATH_MAX - p)) {
		errno = ENAMETOOLONG;
		return false;
	}
	strcpy(p, name);
	return true;
}
