/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * inject_fd.c - a descriptor of ours handed to the target.
 *
 * The target may not be permitted to open our files by /proc, nor know us by
 * that number; but we may take descriptors out of it (pidfd_getfd(2)).  So it
 * makes a pair of sockets, we take one end, and send it what it shall have.
 *
 *	a page there:  [pair 8][cmsg 24][byte][iov 16][msghdr 56]
 *
 * Where it is known to have our number, and may open our files as a rule (a
 * program that one of our processes has executed), it is let try that first:
 * one call instead of six.
 *
 * Out of a thread of our own (inject_own.c), which has other descriptors than
 * the process, not every kernel lets us take one; that one has to open ours,
 * and we look whether it has found it.
 */
#include "engine/process/inject_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Younger than the headers of some systems. */
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

#define PAGE 4096

/* What lies in the page; pointers are the target's. */
struct parcel {
	int32_t pair[2];
	struct msghdr msg;
	struct iovec iov;
	uint64_t byte;
	union {
		struct cmsghdr h;
		uint8_t room[CMSG_SPACE(sizeof(int))];
	} c;
};

static int
fd_fail(const struct inject *in, int sys, struct err *e)
{
	return err_set(e, &ERR_GENERIC, sys,
		       "process %d: cannot hand it the shared memory",
		       (int)in->pid);
}

/* A call in the target; a negative result is an error too. */
static int
fd_call(struct inject *in, long nr, const uint64_t arg[6], int64_t *res,
	struct err *e)
{
	if (inject_syscall(in, nr, arg, res, e) != 0)
		return -1;
	return *res < 0 ? fd_fail(in, (int)-*res, e) : 0;
}

/* Our copy of a descriptor of the target. */
static int
fd_take(const struct inject *in, int fd, struct err *e)
{
	int pidfd = (int)syscall(SYS_pidfd_open, in->pid, 0), ours;

	if (pidfd < 0)
		return fd_fail(in, errno, e);
	ours = (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	if (ours < 0)
		fd_fail(in, errno, e);
	close(pidfd);
	return ours;
}

/* fd goes into a socket. */
static int
fd_send(int sock, int fd)
{
	struct parcel p = { .byte = 0 };
	ssize_t r;

	p.iov = (struct iovec){ &p.byte, 1 };
	p.msg.msg_iov = &p.iov;
	p.msg.msg_iovlen = 1;
	p.msg.msg_control = &p.c;
	p.msg.msg_controllen = sizeof(p.c);
	p.c.h.cmsg_level = SOL_SOCKET;
	p.c.h.cmsg_type = SCM_RIGHTS;
	p.c.h.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&p.c.h), &fd, sizeof(fd));
	do
		r = sendmsg(sock, &p.msg, MSG_NOSIGNAL);
	while (r < 0 && errno == EINTR);
	return r == 1 ? 0 : -1;
}

/* What it then finds at its end. */
static int
fd_receive(struct inject *in, uint64_t at, int sock, int *fd, struct err *e)
{
	const uint64_t arg[6] = { (uint64_t)sock,
				  at + offsetof(struct parcel, msg),
				  MSG_CMSG_CLOEXEC | MSG_DONTWAIT };
	struct parcel p = { .byte = 0 };
	int64_t res;

	p.iov.iov_base =
		(void *)(uintptr_t)(at + offsetof(struct parcel, byte));
	p.iov.iov_len = 1;
	p.msg.msg_iov = (void *)(uintptr_t)(at + offsetof(struct parcel, iov));
	p.msg.msg_iovlen = 1;
	p.msg.msg_control =
		(void *)(uintptr_t)(at + offsetof(struct parcel, c));
	p.msg.msg_controllen = sizeof(p.c);
	if (inject_write(in, at, &p, sizeof(p)) != 0)
		return fd_fail(in, errno, e);
	if (fd_call(in, SYS_recvmsg, arg, &res, e) != 0)
		return -1;
	if (inject_read(in, at, &p, sizeof(p)) != 0)
		return fd_fail(in, errno, e);
	/* The pair was the last that there was room for. */
	if ((p.msg.msg_flags & MSG_CTRUNC) != 0)
		return fd_fail(in, EMFILE, e);
	if (p.c.h.cmsg_type != SCM_RIGHTS ||
	    p.c.h.cmsg_len != CMSG_LEN(sizeof(int)))
		return fd_fail(in, EBADMSG, e);
	memcpy(fd, CMSG_DATA(&p.c.h), sizeof(*fd));
	return 0;
}

static void
fd_drop(struct inject *in, long nr, uint64_t a, uint64_t b)
{
	const uint64_t arg[6] = { a, b };
	struct err ignored = { 0 };
	int64_t res;

	inject_syscall(in, nr, arg, &res, &ignored);
}

/* By a pair of sockets, for which there is room at `at`. */
static int
fd_pass(struct inject *in, uint64_t at, int fd, int *target_fd, struct err *e)
{
	const uint64_t arg[6] = { AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, at };
	int32_t pair[2];
	int64_t res;
	int ours, rc = -1;

	if (fd_call(in, SYS_socketpair, arg, &res, e) != 0)
		return -1;
	if (inject_read(in, at, pair, sizeof(pair)) != 0)
		return fd_fail(in, errno, e);
	ours = fd_take(in, pair[0], e);
	if (ours >= 0) {
		if (fd_send(ours, fd) == 0)
			rc = fd_receive(in, at, pair[1], target_fd, e);
		else
			fd_fail(in, errno, e);
		close(ours);
	}
	fd_drop(in, SYS_close, (uint64_t)pair[0], 0);
	fd_drop(in, SYS_close, (uint64_t)pair[1], 0);
	return rc;
}

/* 1 if a descriptor of thread or process `who` is the same file as ours, 0 if
   it is another; -1: there is none. */
static int
fd_same(pid_t who, int64_t theirs, int ours)
{
	struct stat is, st;
	char path[48];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)who, (int)theirs);
	if (stat(path, &st) != 0)
		return -1;
	return fstat(ours, &is) == 0 && is.st_dev == st.st_dev &&
	       is.st_ino == st.st_ino;
}

static bool
fd_is(pid_t who, int64_t theirs, int ours)
{
	return fd_same(who, theirs, ours) == 1;
}

/* By its path. */
static int
fd_open(struct inject *in, uint64_t at, int fd, int *target_fd, struct err *e)
{
	int64_t res;

	if (inject_fd_by_path(in, at, fd, &res, e) != 0)
		return -1;
	if (res < 0)
		return fd_fail(in, (int)-res, e);
	if (!fd_is(in->own.tid, res, fd))
		return fd_fail(in, ESTALE, e);
	*target_fd = (int)res;
	return 0;
}

/* The same in one call; false: it is none of ours, or none at all. */
static bool
fd_open_near(struct inject *in, int fd, int *target_fd)
{
	struct inject_calls c = {
		.n = 1,
		.v[0] = { .nr = SYS_openat,
			  .arg = { (uint64_t)AT_FDCWD, 0,
				   O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK },
			  .text = 2 }
	};
	struct err ignored = { 0 };
	bool is;

	snprintf(c.text, sizeof(c.text), "/proc/%d/fd/%d", (int)getpid(), fd);
	if (inject_calls(in, &c, &ignored) != 0 || c.v[0].res < 0)
		return false;
	is = fd_is(in->pid, c.v[0].res, fd);
	if (!is)
		fd_drop(in, SYS_close, (uint64_t)c.v[0].res, 0);
	*target_fd = (int)c.v[0].res;
	return is;
}

bool
inject_fd_other(const struct inject *in, int theirs, int ours)
{
	pid_t who = in->own.tid != 0 ? in->own.tid : proc_face(in->pid);

	return fd_same(who, theirs, ours) == 0;
}

int
inject_fd(struct inject *in, int fd, int *target_fd, struct err *e)
{
	const uint64_t arg[6] = { 0,
				  PAGE,
				  PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS,
				  ~0ull };
	int64_t at;
	int rc;

	if (in->near && in->own.tid == 0 && fd_open_near(in, fd, target_fd))
		return 0;
	if (fd_call(in, SYS_mmap, arg, &at, e) != 0)
		return -1;
	rc = in->own.tid != 0 ? fd_open(in, (uint64_t)at, fd, target_fd, e)
			      : fd_pass(in, (uint64_t)at, fd, target_fd, e);
	fd_drop(in, SYS_munmap, (uint64_t)at, PAGE);
	return rc;
}
