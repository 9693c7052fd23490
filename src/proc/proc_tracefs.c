/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * proc_tracefs.c - files of tracefs and debugfs, whether they are mounted or
 * not.
 *
 * Where one is not mounted, a mount is made that no directory shows and that is
 * gone with its last descriptor (fsmount(2)).  Nothing is left behind, and
 * nobody else sees it.
 */
#include "proc/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

/* The root of a mount of our own; -1 with errno. */
static int
tracefs_mount(const char *type)
{
	int fs = fsopen(type, FSOPEN_CLOEXEC), root = -1, sys;

	if (fs < 0)
		return -1;
	if (fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		root = fsmount(fs, FSMOUNT_CLOEXEC,
			       MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSUID |
				       MOUNT_ATTR_NOEXEC);
	sys = errno;
	close(fs);
	errno = sys;
	return root;
}

/* A file of that type of file system, which may be at one of two places. */
static FILE *
tracefs_file(const char *type, const char *const dirs[2], const char *path,
	     struct err *e)
{
	int fd = -1, root, sys;
	FILE *f;

	for (size_t i = 0; fd < 0 && i < 2; i++) {
		root = open(dirs[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (root < 0)
			continue;
		fd = openat(root, path, O_RDONLY | O_CLOEXEC);
		sys = errno;
		close(root);
		errno = sys;
	}
	if (fd < 0 && (root = tracefs_mount(type)) >= 0) {
		fd = openat(root, path, O_RDONLY | O_CLOEXEC);
		sys = errno;
		close(root);
		errno = sys;
	}
	f = fd >= 0 ? fdopen(fd, "re") : NULL;
	if (f == NULL) {
		err_set(e, &ERR_GENERIC, errno, "cannot open %s of %s", path,
			type);
		if (fd >= 0)
			close(fd);
	}
	return f;
}

/* A line like "none [integrity] confidentiality". */
enum proc_lockdown
proc_lockdown(void)
{
	static const char *const dirs[2] = { "/sys/kernel/security",
					     "/sys/kernel/security" };
	struct err none = { 0 };
	FILE *f = tracefs_file("securityfs", dirs, "lockdown", &none);
	char line[128] = "";

	if (f == NULL)
		return PROC_LOCKDOWN_NONE;
	if (fgets(line, sizeof(line), f) == NULL)
		line[0] = '\0';
	fclose(f);
	if (strstr(line, "[confidentiality]") != NULL)
		return PROC_LOCKDOWN_CONFIDENTIALITY;
	return strstr(line, "[integrity]") != NULL ? PROC_LOCKDOWN_INTEGRITY
						   : PROC_LOCKDOWN_NONE;
}

/* Where the kernel is locked down, that is why: with confidentiality tracefs is
   empty.  e->sys is 0 then. */
static void
tracefs_locked(const char *path, struct err *e)
{
	if (proc_lockdown() != PROC_LOCKDOWN_CONFIDENTIALITY)
		return;
	err_clear(e);
	err_set(e, &ERR_GENERIC, 0,
		"cannot open %s of tracefs: the kernel is locked down "
		"(lockdown=confidentiality)",
		path);
}

FILE *
proc_tracefs_open(const char *path, struct err *e)
{
	static const char *const dirs[2] = { "/sys/kernel/tracing",
					     "/sys/kernel/debug/tracing" };

	FILE *f = tracefs_file("tracefs", dirs, path, e);

	if (f == NULL && geteuid() == 0)
		tracefs_locked(path, e);
	return f;
}

FILE *
proc_debugfs_open(const char *path, struct err *e)
{
	static const char *const dirs[2] = { "/sys/kernel/debug", "/debug" };

	return tracefs_file("debugfs", dirs, path, e);
}
