/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cmd_hold.c - traces without a consumer: dtrace --hold, and dtrace -a, which
 * claims what such a one has.
 *
 *   dtrace --hold ...	forks; the child enables the programs, then the parent
 *   			ends, so that who waits for it knows that tracing goes
 *   			on.  The child holds: buffers fill by their policy,
 *   			and are not read.
 *   dtrace -a		connects to it, hands over its output and error output,
 *   			and waits.  The holder goes on as if it had been started
 *   			there; ^C is passed on to it as a message.
 *
 * They meet at a socket that root alone can reach.  What is sent: one packet
 * with the descriptors from the claimer, which is "e" (end at once) or "-",
 * then NAME=VALUE, each with a NUL, options to be set; from then on any packet,
 * or the end of the connection, is an interrupt.  The other way goes one int,
 * the exit status.
 */
#include "cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOLD_DIR    "/run/dtrace"
#define HOLD_SOCKET HOLD_DIR "/anonymous"
#define HOLD_LOOK   100	  /* ms between looks at buffers and modules */
#define HOLD_PACKET 16384 /* bytes of the first one */

static const struct sockaddr_un hold_addr = { .sun_family = AF_UNIX,
					      .sun_path = HOLD_SOCKET };

static int hold_conn = -1; /* to the claimer */

/* ---- the holder ---------------------------------------------------------- */

/* The parent's part: wait until the child holds, or has failed. */
static _Noreturn void
parent_wait(int fd, pid_t child)
{
	char ready;
	int status;

	if (read(fd, &ready, 1) == 1)
		_exit(0);
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		_exit(1);
	_exit(WEXITSTATUS(status));
}

/* Only one can be claimed, so only one can be. */
static int
hold_listen(struct cmd *c)
{
	const struct sockaddr *sa = (const void *)&hold_addr;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0)
		cmd_fatal(c, "--hold: %s", strerror(errno));
	if (mkdir(HOLD_DIR, 0755) != 0 && errno != EEXIST)
		cmd_fatal(c, "--hold: failed to create " HOLD_DIR ": %s",
			  strerror(errno));
	if (connect(fd, sa, sizeof(hold_addr)) == 0)
		cmd_fatal(c, "--hold: there is anonymous tracing already; "
			     "dtrace -a claims it");
	(void)unlink(HOLD_SOCKET); /* of one that was killed */
	mode_t was = umask(0177);
	int rc = bind(fd, sa, sizeof(hold_addr));
	umask(was);
	if (rc != 0 || listen(fd, 1) != 0)
		cmd_fatal(c, "--hold: " HOLD_SOCKET ": %s", strerror(errno));
	return fd;
}

void
cmd_hold_start(struct cmd *c)
{
	int ready[2];

	if (pipe2(ready, O_CLOEXEC) != 0)
		cmd_fatal(c, "--hold: %s", strerror(errno));
	pid_t child = fork();
	if (child < 0)
		cmd_fatal(c, "--hold: %s", strerror(errno));
	if (child > 0) {
		close(ready[1]);
		parent_wait(ready[0], child);
	}
	close(ready[0]);
	setsid();
	c->hold_ready = ready[1];
	c->hold_fd = hold_listen(c);
}

/* Nothing of ours goes to the descriptors that were there. */
static void
silence(struct cmd *c, int first)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		cmd_fatal(c, "--hold: %s", strerror(errno));
	for (int i = first; i < 3; i++)
		(void)dup2(fd, i);
	close(fd);
}

/* A mistake of who claims costs him an error, and not the trace. */
static void
refuse_claim(struct cmd *c, int conn, const char *opt)
{
	const int status = 1;

	cmd_error("failed to set -x %s: %s", opt,
		  dtrace_errmsg(c->dtp, dtrace_errno(c->dtp)));
	(void)send(conn, &status, sizeof(status), MSG_NOSIGNAL);
	silence(c, 1);
}

/* The claimer's packet; false: it was none. */
static bool
take_claim(struct cmd *c, int conn, char text[HOLD_PACKET + 1])
{
	char space[CMSG_SPACE(2 * sizeof(int))];
	struct iovec io = { text, HOLD_PACKET };
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1,
			    .msg_control = space,
			    .msg_controllen = sizeof(space) };
	ssize_t n = recvmsg(conn, &m, MSG_CMSG_CLOEXEC);
	struct cmsghdr *h = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
	int fds[2];

	if (h == NULL || h->cmsg_type != SCM_RIGHTS ||
	    h->cmsg_len != CMSG_LEN(sizeof(fds)))
		return false;
	text[n] = text[n - 1] = '\0';
	memcpy(fds, CMSG_DATA(h), sizeof(fds));
	if (dup2(fds[0], STDOUT_FILENO) < 0 || dup2(fds[1], STDERR_FILENO) < 0)
		cmd_fatal(c, "--hold: %s", strerror(errno));
	close(fds[0]);
	close(fds[1]);
	for (char *s = text; s < text + n; s += strlen(s) + 1) {
		char *val = strchr(s, '=');
		if (s == text || *s == '\0')
			continue; /* "e", the end */
		if (val != NULL)
			*val = '\0';
		if (dtrace_setopt(c->dtp, s, val != NULL ? val + 1 : NULL) !=
		    0) {
			refuse_claim(c, conn, s);
			return false;
		}
		s = val != NULL ? val + 1 : s;
	}
	return true;
}

static void
on_packet(int sig)
{
	int was = errno;
	char text[16];

	(void)sig;
	if (recv(hold_conn, text, sizeof(text), MSG_DONTWAIT) >= 0)
		cmd_interrupt();
	errno = was;
}

/* From now on what comes there interrupts. */
static void
watch_claimer(struct cmd *c)
{
	struct sigaction act = { .sa_handler = on_packet,
				 .sa_flags = SA_RESTART };

	sigemptyset(&act.sa_mask);
	sigaction(SIGIO, &act, NULL);
	if (fcntl(hold_conn, F_SETOWN, getpid()) != 0 ||
	    fcntl(hold_conn, F_SETFL, O_ASYNC) != 0)
		cmd_fatal(c, "--hold: %s", strerror(errno));
	on_packet(SIGIO); /* what has come before */
}

/* Let go of the place where we were started. */
static void
detach(struct cmd *c)
{
	if (chdir("/") != 0)
		cmd_fatal(c, "--hold: %s", strerror(errno));
	silence(c, 0);
	if (write(c->hold_ready, "", 1) != 1)
		cmd_fatal(c, "--hold: %s", strerror(errno));
	close(c->hold_ready);
}

void
cmd_hold_wait(struct cmd *c)
{
	char text[HOLD_PACKET + 1];
	bool claimed = false;

	detach(c);
	while (!claimed) {
		struct pollfd fd = { .fd = c->hold_fd, .events = POLLIN };
		int n = poll(&fd, 1, HOLD_LOOK);
		if (cmd_interrupted) /* nobody wants it */
			cmd_quit(c, 0);
		if (dtrace_hold(c->dtp) != 0)
			cmd_quit(c, 1);
		if (n <= 0)
			continue;
		hold_conn = accept4(c->hold_fd, NULL, NULL, SOCK_CLOEXEC);
		claimed = hold_conn >= 0 && take_claim(c, hold_conn, text);
		if (!claimed && hold_conn >= 0)
			close(hold_conn);
	}
	(void)unlink(HOLD_SOCKET);
	close(c->hold_fd);
	if (text[0] == 'e')
		cmd_interrupt();
	watch_claimer(c);
}

int
cmd_hold_end(struct cmd *c, int status)
{
	if (!c->hold)
		return status;
	if (hold_conn >= 0)
		(void)send(hold_conn, &status, sizeof(status), MSG_NOSIGNAL);
	else if (c->hold_fd > 0)
		(void)unlink(HOLD_SOCKET);
	return status;
}

/* ---- the claimer --------------------------------------------------------- */

static volatile sig_atomic_t signals;

static void
on_interrupt(int sig)
{
	(void)sig;
	signals++;
}

struct claim {
	char text[HOLD_PACKET];
	size_t n;
	const char *outname;
};

static void
claim_option(struct cmd *c, struct claim *cl, const char *opt)
{
	size_t n = strlen(opt) + 1;

	if (cl->n + n > sizeof(cl->text))
		cmd_fatal(c, "-a: too many options");
	memcpy(cl->text + cl->n, opt, n);
	cl->n += n;
}

static void
claim_args(struct cmd *c, int argc, char **argv, struct claim *cl)
{
	int opt, nargs = 0;

	claim_option(c, cl, "-");
	while ((opt = cmd_getopt(argc, argv, c->args, &nargs)) != -1) {
		if (opt == 'a')
			continue;
		if (opt == 'e')
			cl->text[0] = 'e';
		else if (opt == 'o')
			cl->outname = optarg;
		else if (opt == 'q')
			claim_option(c, cl, "quiet");
		else if (opt == 'F')
			claim_option(c, cl, "flowindent");
		else if (opt == 'x')
			claim_option(c, cl, optarg);
		else
			cmd_fatal(c, "-%c has no meaning with -a, which claims "
				     "what dtrace -A has had traced: -e, -F, "
				     "-o, -q and -x have",
				  opt == '?' || opt == ':' ? optopt : opt);
	}
	if (nargs > 0)
		cmd_fatal(c, "%s: -a takes no arguments, those of programs are "
			     "given to -A", c->args[0]);
}

static void
claim_send(struct cmd *c, int fd, struct claim *cl)
{
	char space[CMSG_SPACE(2 * sizeof(int))] = { 0 };
	struct iovec io = { cl->text, cl->n };
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1,
			    .msg_control = space,
			    .msg_controllen = sizeof(space) };
	struct cmsghdr *h = CMSG_FIRSTHDR(&m);
	const int fds[2] = { fileno(c->out), STDERR_FILENO };

	h->cmsg_level = SOL_SOCKET;
	h->cmsg_type = SCM_RIGHTS;
	h->cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(h), fds, sizeof(fds));
	if (sendmsg(fd, &m, MSG_NOSIGNAL) < 0)
		cmd_fatal(c, "could not claim anonymous tracing: %s",
			  strerror(errno));
}

/* Until the holder has printed all. */
static int
claim_wait(struct cmd *c, int fd)
{
	struct sigaction act = { .sa_handler = on_interrupt };
	int status, passed = 0;
	ssize_t n;

	sigemptyset(&act.sa_mask);
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGHUP, &act, NULL);
	do {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		while (passed < signals && passed++ < 2)
			(void)send(fd, "i", 1, MSG_NOSIGNAL);
		/* A signal before poll() is seen by the next look. */
		n = poll(&p, 1, HOLD_LOOK) > 0 ?
			    recv(fd, &status, sizeof(status), 0) : -1;
	} while (n < 0 && signals < 2);
	if (n == (ssize_t)sizeof(status))
		return status;
	if (n == 0)
		cmd_error("the process that held the trace has ended");
	(void)c;
	return 1;
}

int
cmd_hold_claim(struct cmd *c, int argc, char **argv)
{
	struct claim cl = { .n = 0 };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	claim_args(c, argc, argv, &cl);
	c->outname = cl.outname;
	cmd_open_output(c);
	if (fd < 0)
		cmd_fatal(c, "-a: %s", strerror(errno));
	if (connect(fd, (const void *)&hold_addr, sizeof(hold_addr)) != 0) {
		if (errno == ENOENT || errno == ECONNREFUSED)
			cmd_fatal(c, "could not claim anonymous tracing: there "
				     "is none (dtrace -A has it begin with the "
				     "next boot)");
		cmd_fatal(c, "could not claim anonymous tracing: %s%s",
			  strerror(errno),
			  errno == EACCES ? " (it is root's)" : "");
	}
	claim_send(c, fd, &cl);
	return claim_wait(c, fd);
}
