/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cmd_args.c - the arguments of dtrace(1): options are set, in one pass, so
 * that their order among the programs does not matter; programs and processes
 * are remembered; what is no option is $1, $2 ... of every program.
 */
#include "cmd.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char optstring[] =
	"+:-:3:6:aAb:Bc:CdD:ef:FGhHi:I:lL:m:n:o:O:p:P:qs:SU:vVwx:X:Z";

void
cmd_set_option(struct cmd *c, const char *name, const char *val)
{
	if (dtrace_setopt(c->dtp, name, val) != 0)
		cmd_dfatal(c, "failed to set -x %s", name);
}

static void
set_x(struct cmd *c, char *arg)
{
	char *val = strchr(arg, '=');

	if (val != NULL)
		*val++ = '\0';
	cmd_set_option(c, arg, val);
	if (strcmp(arg, "verbose") == 0)
		c->cflags |= DTRACE_C_DIFV;
}

static void
add_prog(struct cmd *c, const char *desc, const char *text, bool is_file,
	 dtrace_probespec_t spec)
{
	struct cmd_prog *p = &c->progs[c->nprogs++];

	*p = (struct cmd_prog){ .desc = desc, .text = text, .spec = spec,
				.is_file = is_file };
}

/* Options of the first pass that stand for themselves. */
static bool
parse_simple(struct cmd *c, int opt, char *arg)
{
	switch (opt) {
	case 'b':
		if (dtrace_setopt(c->dtp, "bufsize", arg) != 0)
			cmd_dfatal(c, "failed to set -b %s", arg);
		return true;
	case 'B':
		c->buffered = true;
		return true;
	case 'C':
		c->cflags |= DTRACE_C_CPP;
		return true;
	case 'd':
		c->cflags |= DTRACE_C_SUGAR;
		return true;
	case 'D':
		cmd_set_option(c, "define", arg);
		return true;
	case 'F':
		cmd_set_option(c, "flowindent", NULL);
		return true;
	case 'H':
		cmd_set_option(c, "cpphdrs", NULL);
		return true;
	case 'I':
		cmd_set_option(c, "incdir", arg);
		return true;
	case 'L':
		cmd_set_option(c, "libdir", arg);
		return true;
	case 'O':
		if (cmd_show_takes(c, arg))
			return true;
		if (c->format != NULL && strcmp(c->format, arg) != 0)
			cmd_usage(c, "-O %s and -O %s: a run writes one of "
				     "them", c->format, arg);
		c->format = arg;
		if (strncmp(arg, "json", 4) == 0 && strchr(arg, '=') != NULL)
			cmd_usage(c, "-O %s: the file is given by -o, as in "
				     "-O %.*s -o %s", arg,
				  (int)strcspn(arg, "="), arg,
				  strchr(arg, '=') + 1);
		if (dtrace_setopt(c->dtp, "oformat", arg) != 0)
			cmd_usage(c, "-O %s: there is no such format: json and "
				     "jsonl are text, pictures %s, as in -O "
				     "flame=FILE.svg", arg, cmd_show_names);
		return true;
	case 'q':
		cmd_set_option(c, "quiet", NULL);
		return true;
	case 'S':
		c->cflags |= DTRACE_C_DIFV;
		return true;
	case 'U':
		cmd_set_option(c, "undef", arg);
		return true;
	case 'v':
		c->verbose = true;
		return true;
	case 'w':
		cmd_set_option(c, "destructive", NULL);
		return true;
	case 'x':
		set_x(c, arg);
		return true;
	case 'X':
		cmd_set_option(c, "stdc", arg);
		return true;
	case 'Z':
		c->cflags |= DTRACE_C_ZDEFS;
		return true;
	default:
		return false;
	}
}

static void
parse_model(struct cmd *c, const char *model)
{
	if (strcmp(model, "32") == 0)
		cmd_fatal(c, "-32: only the 64-bit data model is built");
	if (strcmp(model, "64") != 0)
		cmd_usage(c, "invalid data model -%s", model);
}

static const struct {
	int opt;
	dtrace_probespec_t spec;
} specs[] = {
	{ 'P', DTRACE_PROBESPEC_PROVIDER }, { 'm', DTRACE_PROBESPEC_MOD },
	{ 'f', DTRACE_PROBESPEC_FUNC },	    { 'n', DTRACE_PROBESPEC_NAME },
	{ 'i', DTRACE_PROBESPEC_NAME },
};

static bool
parse_spec(struct cmd *c, int opt, char *arg)
{
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		if (specs[i].opt != opt)
			continue;
		if (opt == 'i' && !isdigit((unsigned char)arg[0]))
			cmd_fatal(c, "invalid probe identifier %s", arg);
		add_prog(c, "description", arg, false, specs[i].spec);
		return true;
	}
	if (opt != 's')
		return false;
	add_prog(c, "script", arg, true, DTRACE_PROBESPEC_NONE);
	return true;
}

static void
set_instead(struct cmd_targets *t, char opt)
{
	if (t->instead == '\0')
		t->instead = opt;
	else if (t->instead != opt)
		t->instead_too = opt;
}

int
cmd_getopt(int argc, char **argv, char **args, int *nargs)
{
	while (optind < argc) {
		int opt = getopt(argc, argv, optstring);
		if (opt != -1)
			return opt;
		if (optind < argc && strcmp(argv[optind - 1], "--") != 0) {
			args[(*nargs)++] = argv[optind++];
			continue;
		}
		while (optind < argc)
			args[(*nargs)++] = argv[optind++];
	}
	return -1;
}

/* Words that main() takes where they stand as it wants them, and how that
   is. */
static const struct alone {
	const char *word, *how;
} alone[] = {
	{ "explain", "dtrace --explain [TAG], without other options" },
	{ "help", "dtrace --help, without other options" },
	{ "hold", "dtrace --hold, before other options" },
	{ "version", "dtrace --version, without other options" },
};

/* --live, --color=WHEN: options of -x under other names. */
static void
parse_long(struct cmd *c, char *arg)
{
	for (size_t i = 0; i < sizeof(alone) / sizeof(alone[0]); i++)
		if (strncmp(arg, alone[i].word, strcspn(arg, "=")) == 0 &&
		    alone[i].word[strcspn(arg, "=")] == '\0')
			cmd_usage(c, "option --%s is given as %s",
				  alone[i].word, alone[i].how);
	if (strcmp(arg, "live") == 0)
		cmd_set_option(c, "live", NULL);
	else if (strncmp(arg, "color=", 6) == 0)
		cmd_set_option(c, "color", arg + 6);
	else if (strcmp(arg, "color") == 0)
		cmd_set_option(c, "color", "always");
	else
		cmd_usage(c, "illegal option --%s (there are --color, "
			     "--explain, --help, --hold, --live and --version)",
			  arg);
}

void
cmd_parse_args(struct cmd *c, int argc, char **argv, struct cmd_targets *t)
{
	int opt;

	c->args[c->nargs++] = argv[0];
	optind = 0; /* anew: cmd_anon_args() may have been here */
	while ((opt = cmd_getopt(argc, argv, c->args, &c->nargs)) != -1) {
		if (parse_simple(c, opt, optarg) || parse_spec(c, opt, optarg))
			continue;
		switch (opt) {
		case '-':
			parse_long(c, optarg);
			break;
		case '3':
		case '6':
			parse_model(c, argv[optind - 1] + 1);
			break;
		case 'A':
			set_instead(t, 'A');
			c->mode = MODE_SAVE;
			break;
		case 'c':
		case 'p':
			t->v[t->n].arg = optarg;
			t->v[t->n++].is_pid = opt == 'p';
			break;
		case 'e':
			if (c->mode == MODE_RUN)
				c->mode = MODE_CHECK;
			break;
		case 'G':
			set_instead(t, 'G');
			c->mode = MODE_OBJECT;
			c->cflags |= DTRACE_C_ZDEFS | DTRACE_C_EMPTY;
			break;
		case 'h':
			set_instead(t, 'h');
			c->mode = MODE_HEADER;
			c->cflags |= DTRACE_C_ZDEFS | DTRACE_C_EMPTY;
			break;
		case 'l':
			set_instead(t, 'l');
			c->mode = MODE_LIST;
			c->cflags |= DTRACE_C_ZDEFS;
			break;
		case 'o':
			c->outname = optarg;
			break;
		case 'V':
			set_instead(t, 'V');
			break;
		case ':':
			cmd_usage(c, "option requires an argument -- %c",
				  optopt);
		case '?':
			cmd_usage(c, "illegal option -- %c%s", optopt,
			      isdigit(optopt) ? " (arguments that begin with - "
						"go behind --)" : "");
		default:
			cmd_usage(c, "illegal option -- %c", opt);
		}
	}
}
