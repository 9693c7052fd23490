/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cmd_usage.c - what is printed of the options of dtrace(1): all of them, and
 * how they go together where somebody has given them wrongly.
 */
#include "cmd.h"

#include <string.h>
#include <unistd.h>

static void
print_synopsis(FILE *fp)
{
	fprintf(fp,
"Usage: %s [-64] [-aABCdeFGhHlqSvVwZ] [-b bufsz] [-c cmd] [-D name[=def]]\n"
"\t[-I path] [-L path] [-o output] [-O format] [-p pid] [-s script]\n"
"\t[-U name] [-x opt[=val]] [-X a|c|s|t]\n"
"\t[-P provider [[ predicate ] action ]]\n"
"\t[-m [ provider: ] module [[ predicate ] action ]]\n"
"\t[-f [[ provider: ] module: ] func [[ predicate ] action ]]\n"
"\t[-n [[[ provider: ] module: ] func: ] name [[ predicate ] action ]]\n"
"\t[-i probe-id [[ predicate ] action ]] [ args ... ]\n\n"
"\tpredicate -> '/' D-expression '/'\n"
"\t   action -> '{' D-statements '}'\n", cmd_name);
}

void
cmd_print_usage(FILE *fp)
{
	print_synopsis(fp);
	fputs("\n"
"\t-a  claim anonymous tracing state\n"
"\t-A  save what is to be traced from the next boot on\n"
"\t-b  set trace buffer size\n"
"\t-B  take output through the handler of buffered output\n"
"\t-c  run specified command and exit upon its completion\n"
"\t-C  run cpp(1) preprocessor on script files\n"
"\t-d  print programs as D with clauses for if and else\n"
"\t-D  define symbol when invoking preprocessor\n"
"\t-e  exit after compiling request but prior to enabling probes\n"
"\t-f  enable or list probes matching the specified function name\n"
"\t-F  coalesce trace output by function\n"
"\t-G  generate an object file for programs with static probes\n"
"\t-h  generate a header file with definitions for static probes\n"
"\t-H  print included files when invoking preprocessor\n"
"\t-i  enable or list probes matching the specified probe id\n"
"\t-I  add include directory to preprocessor search path\n"
"\t-l  list probes matching specified criteria\n"
"\t-L  add library directory to library search path\n"
"\t-m  enable or list probes matching the specified module name\n"
"\t-n  enable or list probes matching the specified probe name\n"
"\t-o  set output file\n"
"\t-O  write json, jsonl, or a picture: folded, flame=file, pprof=file,\n"
"\t    speedscope=file, perfetto=file, html=file\n"
"\t-p  grab specified process-ID and cache its symbol tables\n"
"\t-P  enable or list probes matching the specified provider name\n"
"\t-q  set quiet mode (only output explicitly traced data)\n"
"\t-s  enable or list probes according to the specified D script\n"
"\t-S  print D compiler intermediate code\n"
"\t-U  undefine symbol when invoking preprocessor\n"
"\t-v  set verbose mode (report stability attributes, arguments)\n"
"\t-V  report DTrace API version\n"
"\t-w  permit destructive actions\n"
"\t-x  enable or modify compiler and tracing options\n"
"\t-X  specify ISO C conformance settings for preprocessor\n"
"\t-Z  permit probe descriptions that match zero probes\n"
"\t--color[=never|auto|always]\n"
"\t    colours in histograms\n"
"\t--explain [tag]\n"
"\t    what an error means and what to do, or which errors there are\n"
"\t--hold\n"
"\t    trace in the background, until dtrace -a claims it\n"
"\t--live\n"
"\t    show what is traced on a screen\n", fp);
	fprintf(fp, "\n\t%s run -l lists tools that are ready made\n",
		cmd_name);
}

void
cmd_usage(struct cmd *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	cmd_vmessage(fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	print_synopsis(stderr);
	fprintf(stderr, "\n\t%s --help says what the options mean\n",
		cmd_name);
	cmd_quit(c, 2);
}

void
cmd_no_probes(struct cmd *c)
{
	if (c->nargs > 2 && strcmp(c->args[1], "run") == 0)
		cmd_usage(c, "no probes specified (a tool is run with run as "
			     "the first word: %s run %s)",
			  cmd_name, c->args[2]);
	if (c->nargs > 1 && strncmp(c->args[1], "trace=", 6) == 0)
		cmd_usage(c, "no probes specified (what strace -e %s shows: -n "
			     "'syscall::%s:entry' -c COMMAND)",
			  c->args[1], c->args[1] + 6);
	if (c->nargs > 1 && access(c->args[1], R_OK) == 0)
		cmd_usage(c, "no probes specified (a script is run with -s %s)",
			  c->args[1]);
	for (int i = 1; i < c->nargs && i <= 2; i++)
		if (cmd_run_is_tool(c->args[i]))
			cmd_usage(c, "no probes specified (a tool is run by "
				     "its name: %s run %s)",
				  cmd_name, c->args[i]);
	cmd_usage(c, "no probes specified");
}
