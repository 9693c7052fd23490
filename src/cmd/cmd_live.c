/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cmd_live.c - --live: a screen of what is traced, by dtrace-live, which lies
 * beside dtrace (src/live).
 *
 * As long as there is a screen, standard output and error are pipes to it.  The
 * commands of -c get these too; and no standard input, where that is the
 * terminal: keys are the screen's.  The end comes as it always does, by ^C, by
 * the key q, which is the same, or by the program's own; then the terminal is
 * what it was, and what is printed at the end goes there.
 *
 * ^Z reaches all of a job, and the shell goes on as soon as dtrace has stopped:
 * so dtrace stops after dtrace-live, which gives the terminal back.
 */
#include "cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "live/live.h"

enum { END_READ, END_WRITE };

struct cmd_live {
	struct live_send *send;
	int text[2][2];	   /* pipes of standard output and error */
	int had[3];	   /* what the first descriptors were; -1: they are */
	int data;	   /* to dtrace-live; -1: it does not run */
	pid_t pid;
	bool stops;	   /* SIGTSTP is ours */
	struct termios tty; /* as it was, for when dtrace-live is killed */
	bool has_tty;
};

static bool
live_wanted(struct cmd *c)
{
	int64_t v;

	return dtrace_getopt(c->dtp, "live", &v) == 0 && v == 1;
}

/* What is no terminal, or none that can be drawn on, gets text. */
static void
live_without(const char *why)
{
	cmd_error("--live: %s, so there is text as ever", why);
}

/* ---- descriptors --------------------------------------------------------- */

static void
live_swap(struct cmd *c, int fd, int by)
{
	struct cmd_live *l = c->screen;

	l->had[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (l->had[fd] < 0 || dup2(by, fd) < 0)
		cmd_fatal(c, "failed to copy a descriptor: %s",
			  strerror(errno));
}

void
cmd_live_unhide(struct cmd *c)
{
	struct cmd_live *l = c->screen;

	fflush(stdout);
	fflush(stderr);
	for (int fd = 0; l != NULL && fd < 3; fd++) {
		if (l->had[fd] < 0)
			continue;
		(void)dup2(l->had[fd], fd);
		close(l->had[fd]);
		l->had[fd] = -1;
	}
}

void
cmd_live_hide(struct cmd *c)
{
	struct cmd_live *l = c->screen;

	if (l == NULL)
		return;
	fflush(stdout);
	if (isatty(STDIN_FILENO)) {
		int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			cmd_fatal(c, "failed to open /dev/null: %s",
				  strerror(errno));
		live_swap(c, STDIN_FILENO, fd);
		close(fd);
	}
	live_swap(c, STDOUT_FILENO, l->text[0][END_WRITE]);
	live_swap(c, STDERR_FILENO, l->text[1][END_WRITE]);
}

/* ---- the other program --------------------------------------------------- */

/* As for histograms; what the terminal can do dtrace-live sees itself. */
static bool
live_coloured(struct cmd *c)
{
	int64_t v;

	return dtrace_getopt(c->dtp, "color", &v) == 0 && v > 0;
}

/* In the child. */
static _Noreturn void
live_exec(struct cmd *c, const char *path, int data, int ready)
{
	struct cmd_live *l = c->screen;
	const int fds[] = { data, l->text[0][END_READ], l->text[1][END_READ],
			    ready };
	char number[4][12];

	for (int i = 0; i < 4; i++) {
		snprintf(number[i], sizeof(number[i]), "%d", fds[i]);
		fcntl(fds[i], F_SETFD, 0);
	}
	execl(path, "dtrace-live", number[0], number[1], number[2], number[3],
	      live_coloured(c) ? "1" : "0", NULL);
	cmd_error("failed to start %s: %s", path, strerror(errno));
	_exit(1);
}

/* What it says: '+', '-', or 0: it has ended, and has said why. */
static char
live_answer(int fd)
{
	char byte;
	ssize_t n;

	do
		n = read(fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	close(fd);
	return n == 1 ? byte : 0;
}

static void
live_forget(struct cmd *c)
{
	struct cmd_live *l = c->screen;

	for (int i = 0; i < 2; i++) {
		if (l->text[i][END_READ] >= 0)
			close(l->text[i][END_READ]);
		close(l->text[i][END_WRITE]);
	}
	live_send_free(l->send);
	free(l);
	c->screen = NULL;
}

static struct cmd_live *
live_new(struct cmd *c)
{
	struct cmd_live *l = calloc(1, sizeof(*l));

	if (l == NULL || (l->send = live_send_new()) == NULL)
		cmd_fatal(c, "memory allocation failure");
	l->had[0] = l->had[1] = l->had[2] = l->data = -1;
	for (int i = 0; i < 2; i++)
		if (pipe2(l->text[i], O_CLOEXEC) != 0)
			cmd_fatal(c, "failed to make a pipe: %s",
				  strerror(errno));
	l->has_tty = tcgetattr(STDOUT_FILENO, &l->tty) == 0;
	return l;
}

/* Start dtrace-live, which sees whether the terminal can be drawn on. */
static void
live_run(struct cmd *c)
{
	struct cmd_live *l = c->screen = live_new(c);
	char path[PATH_MAX];
	int data[2], ready[2];

	if (!cmd_beside("dtrace-live", path))
		cmd_fatal(c, "dtrace-live cannot be found: %s",
			  strerror(errno));
	if (pipe2(data, O_CLOEXEC) != 0 || pipe2(ready, O_CLOEXEC) != 0)
		cmd_fatal(c, "failed to make a pipe: %s", strerror(errno));
	fflush(stdout);
	l->pid = fork();
	if (l->pid < 0)
		cmd_fatal(c, "failed to start %s: %s", path, strerror(errno));
	if (l->pid == 0)
		live_exec(c, path, data[END_READ], ready[END_WRITE]);
	close(data[END_READ]);
	close(ready[END_WRITE]);
	l->data = data[END_WRITE];
	for (int i = 0; i < 2; i++) {
		close(l->text[i][END_READ]);
		l->text[i][END_READ] = -1;
	}
	char answer = live_answer(ready[END_READ]);
	if (answer == 0)
		cmd_quit(c, 1);
	if (answer == '+')
		return;
	(void)cmd_live_end(c);
	live_without("terminfo does not know how to draw on this terminal");
}

void
cmd_live_options(struct cmd *c)
{
	const char *term = getenv("TERM");

	if (!live_wanted(c))
		return;
	if (c->mode != MODE_RUN)
		cmd_fatal(c, "--live: options -A, -e, -G, -h, -l and -V trace "
			     "nothing that could be shown");
	if (c->hold || c->npictures > 0 || dtrace_oformat(c->dtp))
		cmd_fatal(c, "--live: nothing is left to be shown with --hold "
			     "or -O");
	if (!isatty(STDOUT_FILENO)) {
		live_without("standard output is no terminal");
		return;
	}
	if (term == NULL || *term == '\0' || strcmp(term, "dumb") == 0) {
		live_without("TERM names no terminal that can be drawn on");
		return;
	}
	live_run(c);
}

/* Of live_on_stop(), which is called when there is one. */
static volatile pid_t live_pid;

static void live_catch_stop(void);

/*
 * ^Z.  Everything here may be called where a signal has come.  dtrace-live is
 * stopped by a signal that is never ignored; we are not where nobody could
 * continue us (an orphaned process group), and then both go on.
 */
static void
live_on_stop(int sig)
{
	int had = errno;
	siginfo_t info;
	sigset_t stop;

	kill(live_pid, SIGUSR1);
	(void)waitid(P_PID, (id_t)live_pid, &info,
		     WSTOPPED | WEXITED | WNOWAIT);
	signal(SIGTSTP, SIG_DFL);
	raise(sig);
	sigemptyset(&stop);
	sigaddset(&stop, sig);
	pthread_sigmask(SIG_UNBLOCK, &stop, NULL); /* here we are stopped */
	pthread_sigmask(SIG_BLOCK, &stop, NULL);
	live_catch_stop();
	kill(live_pid, SIGCONT);
	errno = had;
}

static void
live_catch_stop(void)
{
	struct sigaction act = { .sa_handler = live_on_stop,
				 .sa_flags = SA_RESTART };

	sigemptyset(&act.sa_mask);
	sigaction(SIGTSTP, &act, NULL);
}

void
cmd_live_start(struct cmd *c)
{
	struct sigaction old;
	const uint64_t begin = 0;

	if (c->screen == NULL)
		return;
	if (write(c->screen->data, &begin, sizeof(begin)) !=
	    (ssize_t)sizeof(begin))
		cmd_quit(c, 1);
	live_pid = c->screen->pid;
	c->screen->stops = sigaction(SIGTSTP, NULL, &old) == 0 &&
			   old.sa_handler != SIG_IGN;
	if (c->screen->stops)
		live_catch_stop();
	cmd_live_hide(c);
}

/* A killed dtrace-live could not leave the terminal as it was. */
static void
live_repair(const struct cmd_live *l)
{
	if (l->has_tty)
		tcsetattr(STDOUT_FILENO, TCSANOW, &l->tty);
	(void)!write(STDOUT_FILENO, "\033[?1049l\033[?25h\033[0m\r\n", 20);
}

bool
cmd_live_end(struct cmd *c)
{
	struct cmd_live *l = c->screen;
	bool fine = true;
	int status = 0;

	if (l == NULL)
		return true;
	cmd_live_unhide(c);
	if (l->stops)
		signal(SIGTSTP, SIG_DFL);
	if (l->data >= 0) {
		close(l->data);
		while (waitpid(l->pid, &status, 0) < 0 && errno == EINTR)
			;
		fine = WIFEXITED(status) && WEXITSTATUS(status) == 0;
	}
	if (WIFSIGNALED(status)) {
		live_repair(l);
		cmd_error("dtrace-live was ended by signal %d",
			  WTERMSIG(status));
	}
	live_forget(c);
	return fine;
}

/* ---- what is sent -------------------------------------------------------- */

void
cmd_live_look(struct cmd *c)
{
	struct cmd_live *l = c->screen;

	if (l == NULL || l->data < 0)
		return;
	int rc = live_send_look(l->send, c->dtp, l->data);
	if (rc == EPIPE) { /* the terminal is gone, or dtrace-live: as ^C */
		cmd_interrupted = 1;
		return;
	}
	if (rc > 0)
		cmd_fatal(c, "failed to write to dtrace-live: %s",
			  strerror(rc));
	if (rc < 0)
		cmd_dfatal(c, "failed to read aggregations");
}

void
cmd_live_record(struct cmd *c, const dtrace_probedesc_t *pd)
{
	if (c->screen != NULL)
		live_send_record(c->screen->send, pd);
}

void
cmd_live_drops(struct cmd *c, uint64_t n)
{
	if (c->screen != NULL)
		live_send_drops(c->screen->send, n);
}
