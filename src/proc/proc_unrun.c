/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * proc_unrun.c - a program could not be executed: what was in the way.
 *
 * The kernel's word is often not enough.  It says "No such file" also of a file
 * that is there, if the interpreter that it names is not; "Permission denied" of
 * a directory; and that is execvp(3)'s word for a command that is nowhere, if
 * one of the directories of PATH may not be searched.
 */
#include "proc/proc_impl.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

struct unrun {
	const char *file; /* as it is printed */
	int sys;	  /* what execve(2) said */
	struct err *e;
};

/* It could not be executed, for this reason; always -1. */
static int __attribute__((format(printf, 2, 3)))
unrun_say(const struct unrun *u, const char *fmt, ...)
{
	char why[2 * PATH_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	err_set(u->e, &ERR_GENERIC, 0, "failed to execute %s: %s", u->file,
		why);
	u->e->sys = u->sys;
	return -1;
}

/* For the kernel's reason. */
static int
unrun_plain(const struct unrun *u)
{
	return err_set(u->e, &ERR_GENERIC, u->sys, "failed to execute %s",
		       u->file);
}

/* The first file of that name in a directory of PATH; false: there is none. */
static bool
path_search(const char *name, char path[PATH_MAX])
{
	const char *p = getenv("PATH");
	struct stat st;
	size_t n;

	if (p == NULL)
		p = "/bin:/usr/bin"; /* as execvp(3) */
	for (;; p += n + 1) {
		n = strcspn(p, ":");
		snprintf(path, PATH_MAX, "%.*s%s%s", (int)n, p,
			 n != 0 ? "/" : "", name);
		if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
			return true;
		if (p[n] == '\0')
			return false;
	}
}

/* What the first line of a script names; false: it is none. */
static bool
script_interp(const char *path, char to[PATH_MAX])
{
	char line[PATH_MAX];
	FILE *f = fopen(path, "re");
	bool is = f != NULL && fgets(line, sizeof(line), f) != NULL &&
		  line[0] == '#' && line[1] == '!';

	if (f != NULL)
		fclose(f);
	if (is) {
		const char *p = line + 2 + strspn(line + 2, " \t");

		snprintf(to, PATH_MAX, "%.*s", (int)strcspn(p, " \t\n"), p);
	}
	return is;
}

/* What loads a program; false: nothing does, or it is none. */
static bool
program_interp(const char *path, char to[PATH_MAX])
{
	struct err ignored = { 0 };
	struct elf_file *f = elf_open(path, &ignored);
	const char *interp = f != NULL ? elf_interp(f) : NULL;

	if (interp != NULL)
		snprintf(to, PATH_MAX, "%s", interp);
	elf_close(f);
	return interp != NULL;
}

/* Nothing is wrong with the file itself. */
static int
unrun_interp(const struct unrun *u, const char *path)
{
	char interp[PATH_MAX];
	size_t n;

	if (!script_interp(path, interp) && !program_interp(path, interp))
		return unrun_plain(u);
	n = strlen(interp);
	if (access(interp, F_OK) != 0 && errno != EACCES)
		return unrun_say(u, "its interpreter %s is not there%s", interp,
				 n != 0 && interp[n - 1] == '\r'
					 ? " (its lines end in carriage returns)"
					 : "");
	if (eaccess(interp, X_OK) != 0)
		return unrun_say(u, "its interpreter %s may not be executed",
				 interp);
	return unrun_plain(u);
}

int
proc_unrun(const char *file, int sys, struct err *e)
{
	struct unrun u = { file, sys, e };
	char path[PATH_MAX];
	struct statvfs fs;
	struct stat st;

	if (sys != ENOENT && sys != EACCES)
		return unrun_plain(&u);
	if (file[0] != '\0' && strchr(file, '/') == NULL) {
		if (!path_search(file, path))
			return unrun_say(&u, "command not found");
		u.file = file = path;
	}
	if (stat(file, &st) != 0)
		return unrun_plain(&u);
	if (S_ISDIR(st.st_mode))
		return unrun_say(&u, "it is a directory");
	if (!S_ISREG(st.st_mode))
		return unrun_say(&u, "it is not a file");
	if ((st.st_mode & 0111) == 0)
		return unrun_say(&u, "it is not executable (chmod +x)");
	if (statvfs(file, &fs) == 0 && (fs.f_flag & ST_NOEXEC) != 0)
		return unrun_say(&u, "its file system is mounted noexec");
	if (eaccess(file, X_OK) != 0)
		return unrun_plain(&u);
	return unrun_interp(&u, file);
}
