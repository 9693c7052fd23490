/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_cpp.c - the preprocessor (-C): `cpp` reads the program on its standard
 * input and its output is read back through a pipe.
 */
#include "lib/dt_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const predefined[] = {
	"-D__linux",	    "-D__unix",	       "-D__SVR4",
	"-D__Linux",	    "-D__amd64",       "-D__x86_64",
	"-D__SUNW_D=1",	    "-D__SUNW_D_64",   "-D__SUNW_D_VERSION=0x0100d000",
	"-U__GNUC__",
};

/* The child: input from fp's file, output to the pipe. Does not return. */
static _Noreturn void
cpp_exec(dtrace_hdl_t *dtp, int in, int out)
{
	const char *path = dtp->optstr[DT_OPT_cpppath];
	size_t n = sizeof(predefined) / sizeof(predefined[0]);
	char **argv = calloc(n + dtp->cppargs.n + 4, sizeof(*argv));
	size_t argc = 0;

	if (argv == NULL)
		_exit(126);
	argv[argc++] = (char *)(path != NULL ? path : "cpp");
	for (size_t i = 0; i < n; i++)
		argv[argc++] = (char *)predefined[i];
	for (size_t i = 0; i < dtp->cppargs.n; i++)
		argv[argc++] = dtp->cppargs.v[i];
	argv[argc++] = (char *)"-";
	if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
		_exit(126);
	execvp(argv[0], argv);
	_exit(127);
}

static bool
cpp_read(int fd, struct buf *out)
{
	char chunk[16384];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n > 0)
			buf_write(out, chunk, (size_t)n);
		else if (errno != EINTR)
			return false;
	}
	return !out->failed;
}

/*
 * A copy of the program without its first line `#!...`, which cpp takes for a
 * wrong directive; the line's end stays, and with it the numbers of the others.
 * A copy, because cpp complains of files that begin anywhere but at 0.
 * Returns -1 if the program has no such line.
 */
static int
copy_without_hashbang(int from)
{
	char chunk[16384];
	bool in_text = false;
	off_t at = 0;
	ssize_t n;
	int fd;

	if (pread(from, chunk, 2, 0) != 2 || memcmp(chunk, "#!", 2) != 0)
		return -1;
	fd = memfd_create("dtrace-cpp", MFD_CLOEXEC);
	while (fd >= 0 && (n = pread(from, chunk, sizeof(chunk), at)) > 0) {
		const char *p = in_text ? chunk : memchr(chunk, '\n', (size_t)n);
		size_t left = p != NULL ? (size_t)(chunk + n - p) : 0;

		at += n;
		in_text = p != NULL;
		if (left > 0 && write(fd, p, left) != (ssize_t)left) {
			close(fd);
			fd = -1;
		}
	}
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

char *
dt_cpp_run(dtrace_hdl_t *dtp, FILE *fp, size_t *len)
{
	struct buf out = BUF_INIT;
	int fds[2], status;

	/* The stream may have been read ahead; the file position is ours. */
	if (lseek(fileno(fp), ftell(fp) < 0 ? 0 : ftell(fp), SEEK_SET) < 0 &&
	    errno != ESPIPE) {
		dt_set_err(dtp, EDT_IO, "cannot rewind the program: %s",
			   strerror(errno));
		return NULL;
	}
	if (pipe(fds) != 0) {
		dt_set_err(dtp, EDT_CPP, "pipe: %s", strerror(errno));
		return NULL;
	}
	int copy = ftell(fp) == 0 ? copy_without_hashbang(fileno(fp)) : -1;
	pid_t pid = fork();
	if (pid == 0) {
		close(fds[0]);
		cpp_exec(dtp, copy >= 0 ? copy : fileno(fp), fds[1]);
	}
	close(fds[1]);
	if (copy >= 0)
		close(copy);
	bool ok = pid > 0 && cpp_read(fds[0], &out);
	close(fds[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (!ok || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		const char *path = dtp->optstr[DT_OPT_cpppath];
		buf_fini(&out);
		if (ok && WIFEXITED(status) && WEXITSTATUS(status) == 127)
			dt_set_err(dtp, EDT_CPP,
				   "failed to run preprocessor %s: not found "
				   "(install cpp, or -x cpppath=FILE)",
				   path != NULL ? path : "cpp");
		else
			dt_set_err(dtp, EDT_CPP, "preprocessor %s failed",
				   path != NULL ? path : "cpp");
		return NULL;
	}
	*len = out.n;
	return buf_detach(&out);
}
