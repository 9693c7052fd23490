/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cmd_show.c - pictures: -O flame=FILE and its kin.
 *
 * dtrace-show(1), which lies beside dtrace, makes them of structured output.
 * It is started when the programs have been compiled; all output goes into a
 * pipe to it.  Tracing does not begin before it has said that it could open its
 * files.  At the end the pipe is closed, and its status is ours unless we have
 * one: exit()'s, or an error's.  After an error of ours the last line in the
 * pipe says so, {"failed":true}: it does not complain then that there is
 * nothing.
 */
#include "cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Least time between two looks at aggregations, and how many times longer than
   a look that is, so that looking takes a twentieth of the time at most. */
#define LOOK_EVERY_NS 1000000000
#define LOOK_SHARE    20

static const struct {
	const char *name;
	bool who;  /* it draws threads */
	bool time; /* it draws aggregations over time */
} pictures[] = {
	{ "folded", false, false }, { "flame", false, false },
	{ "pprof", false, false },  { "speedscope", true, false },
	{ "perfetto", true, false }, { "html", true, true },
};

const char cmd_show_names[] =
	"folded, flame, pprof, speedscope, perfetto, html";

bool
cmd_show_takes(struct cmd *c, char *arg)
{
	size_t n = strcspn(arg, "=,");

	for (size_t i = 0; i < sizeof(pictures) / sizeof(pictures[0]); i++) {
		if (strlen(pictures[i].name) != n ||
		    strncmp(pictures[i].name, arg, n) != 0)
			continue;
		if (c->npictures == CMD_PICTURES_MAX)
			cmd_fatal(c, "no more than %d pictures can be made at "
				     "once", CMD_PICTURES_MAX);
		c->pictures[c->npictures++] = arg;
		c->picture_who |= pictures[i].who;
		c->picture_time |= pictures[i].time;
		c->picture_stdout |= arg[n] != '=';
		return true;
	}
	return false;
}

void
cmd_show_options(struct cmd *c)
{
	if (c->npictures == 0)
		return;
	if (dtrace_oformat(c->dtp))
		cmd_fatal(c, "-O %s: structured output is what the picture is "
			     "made of, it cannot be written as well",
			  c->pictures[0]);
	if (c->outname != NULL && !c->picture_stdout)
		cmd_fatal(c, "-o %s: nothing would be written there, each "
			     "picture has a file of its own", c->outname);
	if (dtrace_setopt(c->dtp, "oformat", "jsonl") != 0 ||
	    (c->picture_who && dtrace_setopt(c->dtp, "who", NULL) != 0))
		cmd_dfatal(c, "failed to set -O %s", c->pictures[0]);
}

/* In the child. */
static _Noreturn void
show_exec(struct cmd *c, const char *path, int data, int out, int ready)
{
	char *argv[CMD_PICTURES_MAX + 4], number[16];
	int n = 0;

	snprintf(number, sizeof(number), "%d", ready);
	argv[n++] = (char *)(uintptr_t)"dtrace-show";
	argv[n++] = (char *)(uintptr_t)"-r";
	argv[n++] = number;
	for (int i = 0; i < c->npictures; i++)
		argv[n++] = c->pictures[i];
	argv[n] = NULL;
	if (dup2(data, STDIN_FILENO) >= 0 &&
	    (out == STDOUT_FILENO || dup2(out, STDOUT_FILENO) >= 0) &&
	    fcntl(ready, F_SETFD, 0) == 0)
		execv(path, argv);
	cmd_error("failed to start %s: %s", path, strerror(errno));
	_exit(1);
}

void
cmd_show_start(struct cmd *c)
{
	char path[PATH_MAX], byte;
	int data[2], ready[2];

	if (c->npictures == 0)
		return;
	if (!cmd_beside("dtrace-show", path))
		cmd_fatal(c, "dtrace-show cannot be found: %s",
			  strerror(errno));
	if (pipe2(data, O_CLOEXEC) != 0 || pipe2(ready, O_CLOEXEC) != 0)
		cmd_fatal(c, "failed to make a pipe: %s", strerror(errno));
	fflush(c->out);
	c->show_pid = fork();
	if (c->show_pid < 0)
		cmd_fatal(c, "failed to start %s: %s", path, strerror(errno));
	if (c->show_pid == 0)
		show_exec(c, path, data[0], fileno(c->out), ready[1]);
	close(data[0]);
	close(ready[1]);
	ssize_t n;
	do
		n = read(ready[0], &byte, 1);
	while (n < 0 && errno == EINTR);
	close(ready[0]);
	FILE *fp = fdopen(data[1], "w");
	if (fp == NULL)
		cmd_fatal(c, "memory allocation failure");
	c->out = fp;
	c->outname = "dtrace-show";
	if (n != 1) /* it has said why */
		cmd_quit(c, 1);
}

/* What dtrace-show ended with, where we have no status of our own; its 2, for
   words of -O that it does not take, comes before anything is traced. */
static int
show_status(int wstatus, int status)
{
	if (WIFEXITED(wstatus) && WEXITSTATUS(wstatus) == 2)
		return 2;
	if (status == 0 && (!WIFEXITED(wstatus) || WEXITSTATUS(wstatus) != 0))
		return 1;
	return status;
}

int
cmd_show_end(struct cmd *c, int status)
{
	int wstatus;

	if (c->show_pid <= 0 || c->out == stdout)
		return status;
	if (c->failed || c->died) /* then that is the message to give */
		fputs("{\"failed\":true}\n", c->out);
	fclose(c->out);
	c->out = stdout;
	while (waitpid(c->show_pid, &wstatus, 0) < 0)
		if (errno != EINTR)
			return 1;
	if (WIFSIGNALED(wstatus))
		cmd_error("dtrace-show was ended by signal %d",
			  WTERMSIG(wstatus));
	return show_status(wstatus, status);
}

void
cmd_show_hint(struct cmd *c, const char *text)
{
	if (c->show_pid > 0)
		cmd_out(c, "{\"id\":-1,\"name\":\"HINT\",\"msg\":\"%s\"}\n",
			text);
}

static int64_t
show_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void
cmd_show_look(struct cmd *c)
{
	int64_t now = show_now_ns();

	if (!c->picture_time || now < c->next_look)
		return;
	if (c->next_look != 0) {
		cmd_out(c, "{\"partial\":true}\n");
		if (dtrace_aggregate_snap(c->dtp) != 0 ||
		    dtrace_aggregate_print(c->dtp, c->buffered ? NULL : c->out,
					   NULL) != 0)
			cmd_dfatal(c, "failed to print aggregations");
		cmd_out(c, "{\"partial\":false}\n");
	}
	int64_t took = (show_now_ns() - now) * LOOK_SHARE;
	c->next_look = now + (took > LOOK_EVERY_NS ? took : LOOK_EVERY_NS);
}
