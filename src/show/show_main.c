/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_main.c - dtrace-show(1): structured output in, pictures out.
 *
 * dtrace(1) starts it with -r FD: a byte is written there when all files are
 * open, so that tracing does not begin if a picture cannot be written.  It is
 * the other end of the pipe that says when to end; a key that interrupts dtrace
 * must not end it, so signals from the terminal are not for it then.
 *
 * Exit status: 0; 1 for an error; 2 for bad usage.
 */
#include "show/show.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One picture. */
struct picture {
	struct show_opts opts;
	struct show_out *out;
	const char *shown; /* the file's name, for messages */
};

struct pictures {
	struct picture *v;
	struct show_sink *sinks;
	size_t n;
};

static void
show_usage(FILE *fp)
{
	fputs("Usage: dtrace-show FORMAT[=FILE][,agg=NAME][,before=FILE]"
	      "[,title=TEXT]... [INPUT]\n\n"
	      "\tINPUT is what dtrace -O jsonl has written; the standard input "
	      "without it\n\n", fp);
	for (size_t i = 0; show_formats[i] != NULL; i++)
		fprintf(fp, "\t%-12s%s\n", show_formats[i]->name,
			show_formats[i]->what);
}

static _Noreturn void
show_wrong(const char *what, const char *arg)
{
	if (*show_option != '\0')
		show_say("%s %s (as in -O flame=FILE.svg; dtrace-show(1) has "
			 "the formats and their words)", what, arg);
	else
		show_say("%s %s (dtrace-show --help lists formats)", what, arg);
	exit(2);
}

/* ---- arguments ---------------------------------------------------------- */

/* The last of ",agg=", ",before=", ",title=" in s is cut off and taken; a blank
   behind the comma does no harm. */
static bool
take_suffix(char *s, struct show_opts *o)
{
	const struct {
		const char *key;
		const char **to;
	} keys[] = {
		{ "agg=", &o->agg },
		{ "before=", &o->before },
		{ "title=", &o->title },
	};

	for (char *p = strrchr(s, ','); p != NULL;) {
		const char *word = p + 1 + strspn(p + 1, " ");
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			size_t n = strlen(keys[i].key);
			if (strncmp(word, keys[i].key, n) != 0)
				continue;
			*keys[i].to = word + n;
			*p = '\0';
			return true;
		}
		/* A comma of a file's name, or of a title. */
		while (p > s && *--p != ',')
			;
		if (p == s)
			return false;
	}
	return false;
}

/* A last ",word=" that is none of these: a mistake sooner than a file's
   name. */
static void
check_suffix(const char *s)
{
	const char *p = strrchr(s, ',');
	const char *word = p != NULL ? p + 1 + strspn(p + 1, " ") : "";
	size_t n = strspn(word, "abcdefghijklmnopqrstuvwxyz");

	if (n > 0 && word[n] == '=')
		show_wrong("there is no word (but agg, before and title) like",
			   word);
}

/* The name as the program has it, @ and all, or without. */
static const char *
agg_name(const char *name)
{
	if (name == NULL || *name != '@')
		return name;
	return name[1] != '\0' ? name + 1 : "_";
}

/* FORMAT[=FILE]... to a picture; false: it is no format. */
static bool
take_format(char *arg, struct picture *p, struct show_sink *sink)
{
	size_t n = strcspn(arg, "=,");

	sink->format = show_format_by_name(arg, n);
	if (sink->format == NULL)
		return false;
	while (take_suffix(arg + n, &p->opts))
		;
	check_suffix(arg + n);
	p->opts.agg = agg_name(p->opts.agg);
	if (p->opts.before != NULL && strcmp(sink->format->name, "flame") != 0)
		show_wrong("an earlier run is for flame graphs, not for", arg);
	if (arg[n] == '=')
		p->opts.file = arg + n + 1;
	else if (arg[n] != '\0')
		show_wrong("unknown words behind the format:", arg + n);
	if (p->opts.file != NULL && *p->opts.file == '\0')
		show_wrong("no file is named in", arg);
	p->shown = p->opts.file != NULL ? p->opts.file : "<stdout>";
	return true;
}

static void
open_picture(struct picture *p, struct show_sink *sink)
{
	if (p->opts.file == NULL && sink->format->binary &&
	    isatty(STDOUT_FILENO))
		show_die("%s is no text: a file is needed, %s%s=FILE",
			 sink->format->name, show_option, sink->format->name);
	p->out = show_out_open(p->opts.file,
			       strcmp(sink->format->name, "pprof") == 0);
	if (p->out == NULL)
		show_die("failed to open output file %s: %s", p->shown,
			 strerror(errno));
	sink->state = sink->format->open(p->out, &p->opts);
}

static void
open_all(struct pictures *ps)
{
	size_t out = 0;

	for (size_t i = 0; i < ps->n; i++)
		out += ps->v[i].opts.file == NULL;
	if (out > 1)
		show_die("only one picture can be written to the standard "
			 "output: name files, %sFORMAT=FILE", show_option);
	for (size_t i = 0; i < ps->n; i++)
		open_picture(&ps->v[i], &ps->sinks[i]);
}

/* ---- the work ----------------------------------------------------------- */

/* True if a file cannot be written: then there is no use in reading on. */
static bool
out_failed(void *arg)
{
	const struct pictures *ps = arg;

	for (size_t i = 0; i < ps->n; i++)
		if (show_out_error(ps->v[i].out) != 0)
			return true;
	return false;
}

static int
close_all(struct pictures *ps)
{
	int status = 0;

	for (size_t i = 0; i < ps->n; i++) {
		show_kept = show_out_kept(ps->v[i].out) ? ps->v[i].shown : NULL;
		ps->sinks[i].format->close(ps->sinks[i].state);
		int e = show_out_close(ps->v[i].out);
		/* Whoever read it needs no more: that is no error. */
		if (e == 0 || (e == EPIPE && ps->v[i].opts.file == NULL))
			continue;
		show_say("failed to write to %s: %s", ps->v[i].shown,
			 strerror(e));
		status = 1;
	}
	return status;
}

static int
show_run(struct pictures *ps, const char *input, int ready)
{
	int fd = input == NULL || strcmp(input, "-") == 0 ?
			 STDIN_FILENO : open(input, O_RDONLY | O_CLOEXEC);
	char err[256];
	int status;

	if (fd < 0)
		show_die("failed to open %s: %s", input, strerror(errno));
	open_all(ps);
	if (ready >= 0) {
		signal(SIGINT, SIG_IGN);
		signal(SIGTERM, SIG_IGN);
		signal(SIGHUP, SIG_IGN);
		if (write(ready, "r", 1) != 1)
			show_die("dtrace does not answer: %s", strerror(errno));
		close(ready);
	}
	int rv = show_read(fd, ps->sinks, ps->n, out_failed, ps, err,
			   sizeof(err));
	if (rv < 0)
		show_say("cannot read %s: %s",
			 input != NULL ? input : "the input", err);
	for (size_t i = 0; i < ps->n; i++)
		ps->v[i].opts.quiet = rv != 0 || out_failed(ps);
	status = close_all(ps);
	return rv != 0 || show_lacking ? 1 : status;
}

int
main(int argc, char **argv)
{
	struct pictures ps = { 0 };
	const char *input = NULL;
	int ready = -1, i = 1;

	if (argc == 2 && (strcmp(argv[1], "--help") == 0 ||
			  strcmp(argv[1], "-h") == 0)) {
		show_usage(stdout);
		return fflush(stdout) != 0;
	}
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* writes say so themselves */
	if (argc > 2 && strcmp(argv[1], "-r") == 0) {
		ready = atoi(argv[2]);
		show_typed = "dtrace";
		show_option = "-O ";
		i = 3;
	}
	ps.v = show_alloc((size_t)argc, sizeof(*ps.v));
	ps.sinks = show_alloc((size_t)argc, sizeof(*ps.sinks));
	for (; i < argc; i++) {
		if (take_format(argv[i], &ps.v[ps.n], &ps.sinks[ps.n]))
			ps.n++;
		else if (i == argc - 1 && ps.n > 0)
			input = argv[i];
		else
			show_wrong("no such format:", argv[i]);
	}
	if (ps.n == 0)
		show_wrong("no format was given,", "so nothing can be shown");
	int status = show_run(&ps, input, ready);
	free(ps.v);
	free(ps.sinks);
	return status;
}
