/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * executed.c - notes which blocks of a program are executed, for tools/mutate.
 *
 * tools/executed-cc compiles the product so that each basic block begins with a
 * call of __sanitizer_cov_trace_pc(), and links this to each program and library.
 * The note is a file in the directory EXECUTED with a byte for each byte of the
 * module's code, 1 behind each call that was made.  It is mapped, so what a
 * process has noted is there when it is killed.  Nothing is noted without EXECUTED,
 * or where the file cannot be made.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/* By the linker: where the module begins, and where its code ends. */
extern char __ehdr_start[] __attribute__((visibility("hidden")));
extern char etext[] __attribute__((visibility("hidden")));

static unsigned char *seen;
static uintptr_t length; /* of what is noted; 0: nothing is */

void __sanitizer_cov_trace_pc(void) __attribute__((visibility("hidden")));

void
__sanitizer_cov_trace_pc(void)
{
	uintptr_t at = (uintptr_t)__builtin_return_address(0) -
		       (uintptr_t)__ehdr_start;

	if (at < length)
		seen[at] = 1;
}

/* The path of this module; returns false where it is not known. */
static int
module_path(char path[PATH_MAX])
{
	uintptr_t head = (uintptr_t)getauxval(AT_PHDR) & ~(uintptr_t)4095;
	Dl_info info;
	ssize_t n;

	if (head != (uintptr_t)__ehdr_start)
		return dladdr(__ehdr_start, &info) != 0 &&
		       realpath(info.dli_fname, path) != NULL;
	n = readlink("/proc/self/exe", path, PATH_MAX - 1);
	path[n < 0 ? 0 : n] = '\0';
	return n > 0;
}

__attribute__((constructor(101))) static void
begin(void)
{
	const char *dir = getenv("EXECUTED");
	size_t size = (size_t)(etext - __ehdr_start);
	char path[PATH_MAX], name[2 * PATH_MAX];
	void *p;
	int fd;

	if (dir == NULL || !module_path(path))
		return;
	for (char *c = path; *c != '\0'; c++)
		if (*c == '/')
			*c = '!';
	snprintf(name, sizeof(name), "%s/%s", dir, path);
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return;
	p = ftruncate(fd, (off_t)size) != 0 ?
		MAP_FAILED :
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return;
	seen = p;
	length = size;
}
