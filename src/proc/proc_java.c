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
 */
#include "proc/proc_impl.h"

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

static void
jvm_path(const struct jvm *j, const char *name, char *path, size_t n)
{
	snprintf(path, n, "/proc/%d/root/tmp/.%s_pid%llu", (int)j->p->pid,
		 name, (unsigned long long)j->nspid);
}

/* True if it listens at its socket. */
static bool
jvm_listens(const struct jvm *j)
{
	char path[96];
	struct stat st;

	jvm_path(j, "java", path, sizeof(path));
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

/* Make it listen; false: it does not. */
static bool
jvm_wake(const struct jvm *j)
{
	const struct timespec nap = { .tv_nsec = 5000000 };
	char path[96];
	int fd;

	if (jvm_listens(j))
		return true;
	if (!j->catches)
		return false;
	jvm_path(j, "attach", path, sizeof(path));
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		  0600);
	if (fd < 0)
		return false;
	close(fd);
	if (jvm_signal(j) == 0)
		for (int i = 0; i < LISTEN_MS / 5 && !jvm_listens(j); i++)
			nanosleep(&nap, NULL);
	(void)unlink(path);
	return jvm_listens(j);
}

static int
jvm_connect(const struct jvm *j)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	const struct timeval tv = { .tv_sec = ANSWER_MS / 1000 };
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (s < 0)
		return -1;
	jvm_path(j, "java", to.sun_path, sizeof(to.sun_path));
	(void)setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	(void)setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
	if (connect(s, (const struct sockaddr *)&to, sizeof(to)) == 0)
		return s;
	close(s);
	return -1;
}

/* It answers when the file is there: with a line "0" first. */
static bool
jvm_command(const struct jvm *j)
{
	/* Version, command, three arguments; each ends with a NUL. */
	static const char ask[] = "1\0jcmd\0Compiler.perfmap\0\0";
	char answer[64];
	ssize_t n = -1;
	int s = jvm_connect(j);

	if (s < 0)
		return false;
	if (send(s, ask, sizeof(ask), MSG_NOSIGNAL) == (ssize_t)sizeof(ask))
		n = recv(s, answer, sizeof(answer), MSG_WAITALL);
	close(s);
	return n >= 2 && answer[0] == '0' && answer[1] == '\n';
}

bool
proc_java_ask(struct proc *p)
{
	struct jvm j = { .p = p };

	return p->state == PROC_RUNNING && is_jvm(p) && jvm_status(&j) &&
	       jvm_wake(&j) && jvm_command(&j);
}
