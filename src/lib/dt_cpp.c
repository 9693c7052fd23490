/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_cpp.c - the preprocessor (-C): `cpp` reads the program on its standard
 * input, a file in memory, and its output is read back through a pipe.
 *
 * Programs include headers of the system.  What D cannot read of those, cpp is
 * asked to leave out (see `predefined`); what they declare and D has already is
 * for the compiler to see: a prototype of one of D's functions changes nothing,
 * an enumerator may repeat an inline, a type hides one of the D library.
 */
#include "lib/dt_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * What cpp is given before the arguments of the user.  It reads headers as C99
 * for a compiler that is not gcc: then those of glibc declare functions and
 * define none.  The words of gcc that are left become what D has for them.
 */
static const char *const predefined[] = {
	"-D__linux",
	"-D__unix",
	"-D__SVR4",
	"-D__Linux",
#if defined(MACHINE_X86_64)
	"-D__amd64",
	"-D__x86_64",
#else
	"-D__" MACHINE_NAME,
#endif
	"-D__SUNW_D=1",
	"-D__SUNW_D_64",
	"-D__SUNW_D_VERSION=0x0100d000",
	"-U__GNUC__",
	"-std=c99",
	"-D_DEFAULT_SOURCE",
	"-U__SIZEOF_INT128__",
	/* No inline functions, but attributes, which cdefs.h would leave
	   away; no parameters as dimensions. */
	"-D__clang__=1",
	"-D__STDC_NO_VLA__=1",
	/* No number for D, but of the same size and alignment. */
	"-D__int128_t=long double",
	/* Two files that are nothing but inline functions. */
	"-D_BITS_BYTESWAP_H=1",
	"-D_BITS_UINTN_IDENTITY_H=1",
	"-D__signed__=signed",
	"-D__const=const",
	"-D__volatile__=volatile",
	"-D__inline=",
	"-D__inline__=",
	"-D__extension__=",
};

/* The child: from the file to the pipe.  It does not return. */
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
 * The program as cpp is to see it: before it a line that says what it is
 * called, so that messages name it, and without the text of lines that begin
 * with `#!`, which cpp takes for wrong directives; their ends stay, and with
 * them the numbers of the others.  file NULL: the program has no name.
 */
static void
cpp_input(const char *text, size_t len, const char *file, struct buf *out)
{
	const char *end = text + len;

	if (file != NULL) {
		buf_puts(out, "# 1 \"");
		for (; *file != '\0'; file++) {
			if (*file == '"' || *file == '\\')
				buf_write(out, "\\", 1);
			buf_write(out, file, 1);
		}
		buf_puts(out, "\"\n");
	}
	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		const char *next = nl != NULL ? nl + 1 : end;

		if (end - text >= 2 && memcmp(text, "#!", 2) == 0)
			text = nl != NULL ? nl : end;
		buf_write(out, text, (size_t)(next - text));
		text = next;
	}
}

/* A file in memory that holds it, to be read from its start; -1: errno. */
static int
cpp_file(const char *text, size_t len, const char *file)
{
	struct buf b = BUF_INIT;
	size_t done = 0;
	int fd = memfd_create("dtrace-cpp", MFD_CLOEXEC);

	cpp_input(text, len, file, &b);
	while (fd >= 0 && !b.failed && done < b.n) {
		ssize_t n = write(fd, b.p + done, b.n - done);
		if (n < 0 && errno != EINTR)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0 && (b.failed || done < b.n)) {
		close(fd);
		fd = -1;
	}
	buf_fini(&b);
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

static void
cpp_failed(dtrace_hdl_t *dtp, bool not_found)
{
	const char *path = dtp->optstr[DT_OPT_cpppath];

	if (path == NULL)
		path = "cpp";
	if (not_found)
		dt_set_err(dtp, EDT_CPP,
			   "failed to run preprocessor %s: not found "
			   "(install cpp, or -x cpppath=FILE)",
			   path);
	else
		dt_set_err(dtp, EDT_CPP, "preprocessor %s failed", path);
}

char *
dt_cpp_run(dtrace_hdl_t *dtp, const char *text, size_t textlen,
	   const char *file, size_t *len)
{
	struct buf out = BUF_INIT;
	int fds[2], status = 0;
	int in = cpp_file(text, textlen, file);

	if (in < 0 || pipe(fds) != 0) {
		dt_set_err(dtp, EDT_CPP,
			   "cannot give the program to the "
			   "preprocessor: %s",
			   strerror(errno));
		if (in >= 0)
			close(in);
		return NULL;
	}
	pid_t pid = fork();
	if (pid == 0) {
		close(fds[0]);
		cpp_exec(dtp, in, fds[1]);
	}
	close(fds[1]);
	close(in);
	bool ok = pid > 0 && cpp_read(fds[0], &out);
	close(fds[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (!ok || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		buf_fini(&out);
		cpp_failed(dtp, ok && WIFEXITED(status) &&
					WEXITSTATUS(status) == 127);
		return NULL;
	}
	*len = out.n;
	return buf_detach(&out);
}
