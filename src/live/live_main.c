/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * live_main.c - dtrace-live: messages and text in, a screen out, keys in.
 *
 * dtrace(1) starts it, with the terminal as standard output:
 *
 *	dtrace-live DATA OUT ERR READY COLOUR
 *
 * DATA, OUT and ERR are descriptors of pipes: messages (live_wire.h), and what
 * dtrace and its command print.  A byte goes to READY: '+'; or '-', the
 * terminal is none that one can draw on, and dtrace goes on without.  It is
 * ours from the first message on.
 *
 * Its end is the end of DATA, however dtrace ends; so signals of the terminal,
 * which dtrace gets too, are not for it, but the terminal's own end is.  The
 * key q is an interrupt for dtrace.  In the end the terminal is as it was, with
 * the last lines of text below.
 *
 * ^Z is dtrace's affair as well, which passes it on (SIGUSR1): the terminal is
 * given back first, then this program stops, then dtrace does, so that the
 * shell finds a terminal that it can use.  In the background, after `bg` or
 * `&`, nothing is drawn and no key is read; what comes in is read nevertheless.
 * Shells do not tell a job that is in the foreground again, so that is looked
 * at.
 */
#include "live/live_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "live/live_wire.h"

/* At most so often a picture is drawn because of text. */
#define TEXT_EVERY_NS 100000000
#define LEFT_LINES    1000 /* of text that are left on the terminal, at most */
/* Milliseconds between two looks whether the terminal is ours again. */
#define FRONT_EVERY_MS 200

enum { FROM_KEYS, FROM_DATA, FROM_OUT, FROM_ERR, NFROM };

struct live {
	struct live_view v;
	struct pollfd fds[NFROM];
	struct buf data; /* of a message that is not complete */
	pid_t dtrace;
	FILE *keyboard;
	bool begun; /* the first message has come */
	bool taken; /* the terminal has been, once */
	bool open;  /* it is ours, now */
	bool asked; /* dtrace has been told to end */
	bool dirty; /* what is drawn is not what there is */
	int64_t drawn; /* ns */
};

static volatile sig_atomic_t resized, stopping;

static void
live_on_signal(int sig)
{
	if (sig == SIGWINCH)
		resized = 1;
	else
		stopping = 1;
}

static int64_t
live_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static _Noreturn void
live_fail(const char *what)
{
	screen_close();
	fprintf(stderr, "dtrace-live: %s\n", what);
	exit(1);
}

/* ---- what comes in ------------------------------------------------------- */

/* Keys come from the terminal, whatever standard input is; without one there
   are none. */
static FILE *
live_keyboard(void)
{
	if (isatty(STDIN_FILENO))
		return stdin;
	FILE *fp = fopen("/dev/tty", "re");
	return fp != NULL ? fp : stdin;
}

static void
live_take(struct live *l)
{
	if (l->taken) {
		screen_return(&l->v);
	} else {
		l->keyboard = live_keyboard();
		if (!screen_open(stdout, l->keyboard, &l->v))
			live_fail("the terminal cannot be drawn on");
	}
	l->taken = l->open = l->dirty = true;
	l->drawn = 0;
	if (isatty(fileno(l->keyboard)))
		l->fds[FROM_KEYS].fd = fileno(l->keyboard);
}

static void
live_leave(struct live *l)
{
	screen_leave();
	l->fds[FROM_KEYS].fd = -1;
	l->open = false;
}

/* True if the terminal is for this job.  A terminal without jobs is. */
static bool
live_in_front(void)
{
	pid_t group = tcgetpgrp(STDOUT_FILENO);

	return group < 0 || group == getpgrp();
}

/* Stop, if dtrace is to be stopped; take or leave the terminal. */
static void
live_turn(struct live *l)
{
	if (stopping) {
		if (l->open)
			live_leave(l);
		(void)raise(SIGSTOP);
		stopping = 0;
	}
	bool ours = l->begun && live_in_front();
	if (ours && !l->open)
		live_take(l);
	if (!ours && l->open)
		live_leave(l);
}

/* A message. */
static void
live_frame(struct live *l, const char *p, size_t n)
{
	if (!l->begun) {
		l->begun = true;
		return;
	}
	if (l->v.paused)
		return;
	struct live_frame *f = frame_new(p, n, l->v.frame);
	if (f == NULL)
		live_fail("a message from dtrace is not understood, or no "
			  "memory is left for it");
	view_frame(&l->v, f);
	if (!view_order(&l->v))
		live_fail("memory allocation failure");
	size_t lines = draw_lines(&l->v);
	if (l->v.top >= lines)
		l->v.top = lines > 0 ? lines - 1 : 0;
	l->dirty = true;
	l->drawn = 0; /* at once */
}

/* Messages that are complete; what is left goes to the front. */
static void
live_messages(struct live *l)
{
	size_t at = 0;
	uint64_t size;

	while (l->data.n - at >= sizeof(size)) {
		memcpy(&size, l->data.p + at, sizeof(size));
		if (size > LIVE_MESSAGE_MAX)
			live_fail("a message from dtrace is too long");
		if (l->data.n - at - sizeof(size) < size)
			break;
		live_frame(l, l->data.p + at + sizeof(size), size);
		at += sizeof(size) + size;
	}
	memmove(l->data.p, l->data.p + at, l->data.n - at);
	l->data.n -= at;
}

/* What there is now.  False: it has ended. */
static bool
live_read(struct live *l, int from)
{
	char text[65536];
	ssize_t n = read(l->fds[from].fd, text, sizeof(text));

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n == 0)
		return false;
	if (from == FROM_DATA) {
		buf_write(&l->data, text, (size_t)n);
		if (l->data.failed)
			live_fail("memory allocation failure");
		live_messages(l);
	} else {
		text_add(l->v.text, from == FROM_ERR, text, (size_t)n);
		l->dirty = true;
	}
	return true;
}

/* False: the terminal is gone. */
static bool
live_keys(struct live *l)
{
	uint32_t key;
	bool any = false;

	while ((key = screen_key()) != KEYCODE_NONE) {
		any = true;
		keys_take(&l->v, key);
		l->dirty = true;
		l->drawn = 0;
	}
	if (l->v.quit && !l->asked) {
		l->asked = true;
		kill(l->dtrace, SIGINT);
	}
	/* A terminal that is gone is readable, and has nothing. */
	return any || (l->fds[FROM_KEYS].revents & (POLLHUP | POLLERR)) == 0;
}

/* ---- the loop ------------------------------------------------------------ */

static void
live_draw(struct live *l)
{
	int64_t now = live_now_ns();

	if (resized) {
		resized = 0;
		screen_size(&l->v);
		l->dirty = true;
		l->drawn = 0;
	}
	if (!l->open || !l->dirty || now - l->drawn < TEXT_EVERY_NS)
		return;
	screen_draw(&l->v);
	l->dirty = false;
	l->drawn = now;
}

/* How long there is nothing to be done if nothing comes in; -1: for ever. */
static int
live_patience(const struct live *l)
{
	if (l->begun && !l->open)
		return FRONT_EVERY_MS;
	return l->open && l->dirty ? TEXT_EVERY_NS / 1000000 : -1;
}

/* Signals that mean something come while it waits, and at no other time. */
static int
live_wait(struct live *l)
{
	const int ms = live_patience(l);
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };
	sigset_t none;

	sigemptyset(&none);
	int n = ppoll(l->fds, NFROM, ms < 0 ? NULL : &t, &none);
	if (n < 0 && errno != EINTR)
		live_fail(strerror(errno));
	return n;
}

static void
live_loop(struct live *l)
{
	bool on = true;

	while (on) {
		live_turn(l);
		live_draw(l);
		int n = live_wait(l);
		for (int i = 0; i < NFROM && n > 0; i++) {
			if (l->fds[i].revents == 0)
				continue;
			bool more = i == FROM_KEYS ? live_keys(l) :
						     live_read(l, i);
			if (!more && (i == FROM_DATA || i == FROM_KEYS))
				on = false;
			else if (!more)
				l->fds[i].fd = -1;
		}
	}
	/* What has been printed before the end. */
	for (int i = FROM_OUT; i <= FROM_ERR; i++)
		while (l->fds[i].fd >= 0 && live_read(l, i) && errno != EAGAIN)
			errno = 0;
}

/* ---- beginning and end --------------------------------------------------- */

static void
live_left(const struct live_view *v)
{
	/* No more than fits; all, if there never was a screen. */
	int most = v->rows == 0 ? LEFT_LINES : v->rows > 2 ? v->rows - 2 : 1;
	struct buf b = BUF_INIT;

	for (int i = most; i-- > 0;) {
		const struct live_line *line = text_line(v->text, (size_t)i);
		if (line == NULL)
			continue;
		clean_text(&b, line->p, line->n, v->utf8);
		buf_putc(&b, '\n');
	}
	fputs(buf_str(&b), stdout);
	fflush(stdout);
	buf_fini(&b);
}

static void
live_signals(void)
{
	struct sigaction act = { .sa_handler = live_on_signal };
	sigset_t block;

	sigemptyset(&act.sa_mask);
	sigemptyset(&block);
	sigaddset(&block, SIGUSR1);
	sigaddset(&block, SIGWINCH);
	sigprocmask(SIG_BLOCK, &block, NULL);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	/* The terminal may be left or closed while another job has it. */
	signal(SIGTSTP, SIG_IGN);
	signal(SIGTTIN, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
	sigaction(SIGWINCH, &act, NULL);
	sigaction(SIGUSR1, &act, NULL);
}

static void
live_pipe(struct live *l, int from, const char *fd)
{
	l->fds[from] = (struct pollfd){ .fd = atoi(fd), .events = POLLIN };
	if (fcntl(l->fds[from].fd, F_SETFL, O_NONBLOCK) != 0)
		live_fail("it is dtrace --live that starts this program");
}

int
main(int argc, char **argv)
{
	static struct live l;

	if (argc != 6)
		live_fail("it is dtrace --live that starts this program");
	setlocale(LC_ALL, "");
	l.v.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	l.v.colour = strcmp(argv[5], "0") != 0;
	l.dtrace = getppid();
	l.v.text = text_new();
	if (l.v.text == NULL)
		live_fail("memory allocation failure");
	live_pipe(&l, FROM_DATA, argv[1]);
	live_pipe(&l, FROM_OUT, argv[2]);
	live_pipe(&l, FROM_ERR, argv[3]);
	live_signals();
	l.fds[FROM_KEYS] = (struct pollfd){ .fd = -1, .events = POLLIN };
	bool can = isatty(STDOUT_FILENO) && screen_known();
	if (write(atoi(argv[4]), can ? "+" : "-", 1) != 1 || !can)
		return 0;
	close(atoi(argv[4]));
	live_loop(&l);
	text_end(l.v.text);
	screen_close();
	live_left(&l.v);
	view_fini(&l.v);
	buf_fini(&l.data);
	return 0;
}
