/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * proc_java.c - a JVM is asked to write its perf map, by what jcmd(1) does:
 *
 *   .attach_pidN in its /tmp, SIGQUIT  ->  it listens at .java_pidN there
 *   "1", "jcmd", "Compiler.perfmap"    ->  it writes /tmp/perf-N.map
 *
 * JDK 17 and later have that command.  The signal would end a JVM that does not
 * handle it (-Xrs), so it is sent only where the kernel says that it is caught;
 * the file and the socket must be those of the JVM's user, as the JVM itself
 * wants ours to be.
 *
 * A busy JVM takes seconds for each of these, and the consumer has buffers to
 * read meanwhile: so it is done in steps, none of which waits, and what was
 * begun goes on at the next call.  The file stays until the JVM listens, for
 * without it the signal means that the JVM prints the stacks of its threads.
 */
#include "proc/proc_jit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "proc/proc_fs.h"

#define ANSWER_MS 5000
#define LISTEN_MS 2000

struct jvm {
	const struct proc *p;
	struct java_ask *a;
	uint64_t uid, nspid;
	bool catches; /* SIGQUIT */
};

static bool
is_jvm(const struct proc *p)
{
	for (size_t i = 0; i < p->now.n; i++)
		if (strcmp(p->now.v[i]->o.name, "libjvm.so") == 0)
			return true;
	return false;
}

static bool
jvm_status(struct jvm *j)
{
	struct proc_status st;
	const char *caught;
	uint64_t v[2];

	if (!proc_status_read(j->p->pid, 0, &st) ||
	    proc_status_numbers(&st, "Uid", v, 2, NULL) < 2 ||
	    proc_status_numbers(&st, "NSpid", &j->nspid, 1, &j->nspid) == 0)
		return false;
	j->uid = v[1];
	caught = proc_status_line(&st, "SigCgt");
	j->catches = caught != NULL && (strtoull(caught, NULL, 16) >>
					(SIGQUIT - 1) & 1) != 0;
	return true;
}

/* Its socket. */
static void
jvm_path(const struct jvm *j, char *path, size_t n)
{
	snprintf(path, n, "/proc/%d/root/tmp/.java_pid%llu", (int)j->p->pid,
		 (unsigned long long)j->nspid);
}

/* True if it listens at its socket. */
static bool
jvm_listens(const struct jvm *j)
{
	char path[96];
	struct stat st;

	jvm_path(j, path, sizeof(path));
	return lstat(path, &st) == 0 && S_ISSOCK(st.st_mode) &&
	       st.st_uid == j->uid;
}

static int
jvm_signal(const struct jvm *j)
{
	int fd = j->p->pidfd, rc;
	uint64_t start;

	if (fd < 0)
		fd = (int)syscall(SYS_pidfd_open, j->p->pid, 0);
	if (fd < 0)
		return -1;
	rc = !proc_started(j->p->pid, &start) || start != j->p->starttime
		     ? -1
		     : (int)syscall(SYS_pidfd_send_signal, fd, SIGQUIT, NULL,
				    0);
	if (fd != j->p->pidfd)
		close(fd);
	return rc;
}

/* ---- the steps ----------------------------------------------------------- */

/* The file of ours is not needed any more; its place is known, also where the
   JVM has ended. */
static void
ask_woken(struct java_ask *a)
{
	(void)unlinkat(a->dir, a->name, 0);
	close(a->dir);
	a->state = JAVA_IDLE;
}

static enum java_now
ask_over(struct java_ask *a, enum java_now how)
{
	if (a->state == JAVA_WOKEN)
		ask_woken(a);
	if (a->state == JAVA_ASKED)
		close(a->sock);
	a->state = JAVA_IDLE;
	return how;
}

/* The file, and the signal: it will listen. */
static enum java_now
jvm_wake(const struct jvm *j)
{
	struct java_ask *a = j->a;
	char path[64];
	int fd;

	if (!j->catches)
		return JAVA_CANNOT;
	snprintf(path, sizeof(path), "/proc/%d/root/tmp", (int)j->p->pid);
	snprintf(a->name, sizeof(a->name), ".attach_pid%llu",
		 (unsigned long long)j->nspid);
	a->dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (a->dir < 0)
		return JAVA_CANNOT;
	fd = openat(a->dir, a->name,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0) {
		close(a->dir);
		return JAVA_CANNOT;
	}
	close(fd);
	a->state = JAVA_WOKEN;
	return jvm_signal(j) == 0 ? JAVA_LATER : ask_over(a, JAVA_CANNOT);
}

/* It listens: the command. */
static enum java_now
jvm_command(const struct jvm *j)
{
	/* Version, command, three arguments; each ends with a NUL. */
	static const char ask[] = "1\0jcmd\0Compiler.perfmap\0\0";
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (s < 0)
		return JAVA_CANNOT;
	jvm_path(j, to.sun_path, sizeof(to.sun_path));
	if (connect(s, (const struct sockaddr *)&to, sizeof(to)) != 0 ||
	    send(s, ask, sizeof(ask), MSG_NOSIGNAL) != (ssize_t)sizeof(ask)) {
		close(s);
		return JAVA_CANNOT;
	}
	j->a->sock = s;
	j->a->got = 0;
	j->a->state = JAVA_ASKED;
	return JAVA_LATER;
}

/* It answers when the file is there: with a line "0" first. */
static enum java_now
jvm_answer(struct java_ask *a)
{
	ssize_t n;

	while (a->got < sizeof(a->answer) &&
	       (n = recv(a->sock, a->answer + a->got,
			 sizeof(a->answer) - a->got, MSG_DONTWAIT)) != 0) {
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return JAVA_LATER;
		if (n < 0)
			break;
		a->got += (size_t)n;
	}
	return ask_over(a, a->got >= 2 && a->answer[0] == '0' &&
					   a->answer[1] == '\n'
				   ? JAVA_WRITTEN
				   : JAVA_CANNOT);
}

enum java_now
proc_java_step(struct proc *p, struct java_ask *a)
{
	struct jvm j = { .p = p, .a = a };

	/* What it has answered can be read when it has ended. */
	if (a->state == JAVA_ASKED)
		return jvm_answer(a);
	if (p->state != PROC_RUNNING || !is_jvm(p) || !jvm_status(&j))
		return ask_over(a, JAVA_CANNOT);
	if (!jvm_listens(&j))
		return a->state == JAVA_WOKEN ? JAVA_LATER : jvm_wake(&j);
	if (a->state == JAVA_WOKEN)
		ask_woken(a);
	return jvm_command(&j);
}

enum java_now
proc_java_ask(struct proc *p, struct java_ask *a)
{
	const struct timespec nap = { .tv_nsec = 5000000 };
	enum java_now now = proc_java_step(p, a);

	for (int i = 0; i < ANSWER_MS / 5 && now == JAVA_LATER; i++) {
		nanosleep(&nap, NULL);
		now = proc_java_step(p, a);
	}
	return now;
}

void
proc_java_leave(struct proc *p, struct java_ask *a)
{
	const struct timespec nap = { .tv_nsec = 5000000 };
	struct jvm j = { .p = p, .a = a };

	for (int i = 0;
	     i < LISTEN_MS / 5 && a->state == JAVA_WOKEN &&
	     p->state == PROC_RUNNING && jvm_status(&j) && !jvm_listens(&j);
	     i++)
		nanosleep(&nap, NULL);
	(void)ask_over(a, JAVA_CANNOT);
}
