/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * cmd.h - inside dtrace(1): what its files share.  The command sees libdtrace
 * through its public header only.
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "dtrace/dtrace.h"

enum cmd_mode { MODE_RUN, MODE_LIST, MODE_CHECK /* -e */,
		MODE_HEADER /* -h */, MODE_OBJECT /* -G */,
		MODE_SAVE /* -A */ };

/* One -n, -P, -m, -f, -i or -s. */
struct cmd_prog {
	const char *desc; /* "description" or "script" */
	const char *text; /* program text, or the file's name */
	char *name;	  /* for notices: the text up to its predicate or
			     body */
	bool is_file;
	dtrace_probespec_t spec;
	dtrace_prog_t *prog;
	dtrace_proginfo_t info;
};

/* Pictures that can be made in one run. */
#define CMD_PICTURES_MAX 16

struct cmd {
	dtrace_hdl_t *dtp;
	enum cmd_mode mode;
	struct cmd_prog *progs;
	int nprogs;
	char **args; /* $0, $1 ... */
	int nargs;
	char **objects; /* of -G, which has no arguments but these */
	int nobjects;
	unsigned cflags;
	bool quiet, flowindent, verbose, heading;
	bool line_ended; /* by what a record has printed last */
	bool buffered; /* -B: text comes through a handler */
	const char *format; /* of -O, that is no picture; NULL: none */
	bool structured; /* -O: all output is the library's */
	int live; /* -c and -p processes that run */
	int nprocs;
	int status; /* of exit() */
	bool failed; /* an error has been told that ends the command */
	bool died;  /* a target did, and the probes in it may be why; or the
		       screen did */
	FILE *out;
	const char *outname;
	/* Pictures (cmd_show.c): what was asked for, and of what kinds. */
	char *pictures[CMD_PICTURES_MAX];
	int npictures;
	bool picture_who, picture_time, picture_stdout;
	pid_t show_pid;	   /* dtrace-show; 0: there is none */
	int64_t next_look; /* ns: when aggregations are looked at again */
	struct cmd_live *screen; /* --live (cmd_live.c); NULL: there is none */
	unsigned matches;  /* probes that programs match */
	uint64_t records;  /* that have been consumed */
	int64_t began, told; /* s: cmd_patience_look()'s */
	bool said_silence;
	unsigned left_out; /* probes without a place, as has been reported */
	unsigned drop_hints; /* kinds of drops whose cure has been told, as
				bits */
	bool hold;	   /* --hold */
	int hold_ready;	   /* for the byte that says that tracing goes on */
	int hold_fd;	   /* where it is claimed; 0: nowhere yet */
};

/* One -c or -p. */
struct cmd_target {
	char *arg;
	bool is_pid;
};

struct cmd_targets {
	struct cmd_target *v; /* as they were given: the first is $target */
	int n;
	/* What to do instead of tracing: -A, -G, -h, -l, -V; they exclude
	   each other. */
	char instead, instead_too;
};

extern const char *cmd_name; /* "dtrace" */

/* "dtrace: text" on stderr, without the end of a line. */
void cmd_vmessage(const char *fmt, va_list ap);
/* "dtrace: text" on stderr. */
void cmd_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same unless quiet. */
void cmd_notice(const struct cmd *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* cmd_error(), stop everything, exit 1. */
_Noreturn void cmd_fatal(struct cmd *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* What stands before the library's last error with -x errtags, "[EDT_PROC] ";
   "": nothing.  Errors of programs have theirs from the compiler. */
const char *cmd_error_tag(struct cmd *c);
/* cmd_fatal() with the library's last error after the text. */
_Noreturn void cmd_dfatal(struct cmd *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Let processes go, leave nothing attached, exit. */
_Noreturn void cmd_quit(struct cmd *c, int status);
/* True if the option is set, and not to 0. */
bool cmd_option_on(struct cmd *c, const char *name);
/* Writing failed with that errno: a closed pipe ends the command quietly; for
   all else there is a message. */
_Noreturn void cmd_output_failed(struct cmd *c, int err);
/* Before main() ends, for what was written without cmd_out(): the status, or 1
   where it could not be written, which has been said. */
int cmd_written(FILE *fp, int status);
/* At first: descriptors 0 to 2 are somebody's, also where they were closed. */
void cmd_std_files(void);
/* True if nobody is left who could read the output.  Then there is no use in
   tracing on. */
bool cmd_output_closed(const struct cmd *c);
/* Write to the output; a failure to write is fatal. */
void cmd_out(struct cmd *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The same of n bytes of text. */
void cmd_put(struct cmd *c, const char *text, size_t n);

/* Make c->out the file of -o, if there is one. */
void cmd_open_output(struct cmd *c);
/* Not 0: the user has said that tracing is to end. */
extern volatile sig_atomic_t cmd_interrupted;
/* Say so, in a handler of a signal too; again, and not just now, is the end at
   once. */
void cmd_interrupt(void);

/*
 * cmd_usage.c.  print: all options.  usage(): what is wrong with those that
 * were given, how they go together, and exit 2.  no_probes(): usage() where
 * there is no program, which may have been meant by another argument.
 */
void cmd_print_usage(FILE *fp);
_Noreturn void cmd_usage(struct cmd *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
_Noreturn void cmd_no_probes(struct cmd *c);

/* cmd_args.c: set an option of -x; one that does not exist, or not with that
   value, is fatal.  val may be NULL. */
void cmd_set_option(struct cmd *c, const char *name, const char *val);
/* Take all arguments; what is wrong with them ends the command.  c->progs,
   c->args and t->v have room for argc. */
void cmd_parse_args(struct cmd *c, int argc, char **argv,
		    struct cmd_targets *t);
/*
 * The next option as getopt(3) gives it; -1: there is none.  What is no option
 * goes to args, which has room for argc.  Begin with optind 0.
 */
int cmd_getopt(int argc, char **argv, char **args, int *nargs);

/* cmd_print.c */
void cmd_handlers(struct cmd *c);
/* What the options say before and after tracing has been made ready, so that a
   notice can tell where there is less than was asked for. */
#define CMD_NADJUSTED 3
void cmd_asked(struct cmd *c, int64_t asked[CMD_NADJUSTED]);
void cmd_adjusted(struct cmd *c, const int64_t asked[CMD_NADJUSTED]);
int cmd_chew(const dtrace_probedata_t *data, void *arg);
int cmd_chewrec(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec,
		void *arg);

/* cmd_errors.c: true if messages may be longer than scripts expect them: on a
   terminal, or as -x errfmt says. */
bool cmd_for_people(struct cmd *c);
/* True if errors are to be printed as they have always been, whoever reads
   them. */
bool cmd_for_scripts(struct cmd *c);
/* Print why the program does not compile, and exit 1. */
_Noreturn void cmd_program_fatal(struct cmd *c, const struct cmd_prog *p);

/* cmd_show.c: "folded, flame ...". */
extern const char cmd_show_names[];
/* The argument of -O is a picture: remember it. */
bool cmd_show_takes(struct cmd *c, char *arg);
/* The options that pictures need, before programs are compiled. */
void cmd_show_options(struct cmd *c);
/* Start dtrace-show; from now on c->out is the pipe to it. */
void cmd_show_start(struct cmd *c);
/* For pictures over time: print aggregations, if it is time for that. */
void cmd_show_look(struct cmd *c);
/* What helps against a drop, for pictures to say; text needs no escape in
   JSON. */
void cmd_show_hint(struct cmd *c, const char *text);
/* No more output: wait for dtrace-show.  The exit status, which was to be
   `status`. */
int cmd_show_end(struct cmd *c, int status);

/*
 * cmd_live.c: --live.  options() before processes are started: if there is a
 * terminal that can be drawn on, c->screen is there.  hide() and unhide()
 * around starting them, so that what commands print goes to the screen.
 * start() when programs have been compiled; from then on standard output and
 * error are the screen's, until end(), which gives the terminal back: it may be
 * called at any time, and again; false: the screen was lost, and a message
 * has said so.
 */
void cmd_live_options(struct cmd *c);
void cmd_live_hide(struct cmd *c);
void cmd_live_unhide(struct cmd *c);
void cmd_live_start(struct cmd *c);
bool cmd_live_end(struct cmd *c);
/* Send what there is, if it is time for that. */
void cmd_live_look(struct cmd *c);
/* A record, and data that was lost. */
void cmd_live_record(struct cmd *c, const dtrace_probedesc_t *pd);
void cmd_live_drops(struct cmd *c, uint64_t n);

/* cmd_list.c */
void cmd_list_all(struct cmd *c);
/* Before a program that is to be listed is compiled, which makes only what it
   describes: have ids as in a listing of everything. */
void cmd_list_before(struct cmd *c, const struct cmd_prog *p);
void cmd_list_prog(struct cmd *c, const struct cmd_prog *p);
void cmd_stability(struct cmd *c, const struct cmd_prog *p);

/*
 * cmd_patience.c: between the two, a line at the terminal tells what takes so
 * long, if it takes long.  NULL, which end() takes: there will be none.
 */
struct cmd_patience;
struct cmd_patience *cmd_patience_begin(const char *what, int seconds);
void cmd_patience_end(struct cmd_patience *w);
/* In the loop: say at the terminal that it runs, where nothing else says so. */
void cmd_patience_look(struct cmd *c);

/*
 * cmd_anon.c: -A.  args() before options are looked at: those of the unit,
 * which the caller frees.  save() when the programs have been compiled: with
 * none, what was saved is removed.
 */
char *cmd_anon_args(struct cmd *c, int argc, char **argv);
void cmd_anon_save(struct cmd *c, const char *args);

/*
 * cmd_hold.c: --hold.  start() before the library is opened: what returns is
 * the process that holds.  wait() when tracing goes on: returns when it has
 * been claimed, and c->out is the claimer's.  end(): tell the claimer `status`,
 * which it returns; nothing is held then.
 */
void cmd_hold_start(struct cmd *c);
void cmd_hold_wait(struct cmd *c);
int cmd_hold_end(struct cmd *c, int status);
/* -a: claim what is held; the exit status of it. */
int cmd_hold_claim(struct cmd *c, int argc, char **argv);

/*
 * cmd_run.c: `dtrace run NAME ...` becomes `dtrace -s FILE ...`, in argv.
 * Lists, help and errors end the program.
 */
void cmd_run(int argc, char **argv);
/* True if there is a tool of this name. */
bool cmd_run_is_tool(const char *name);
/* If a tool is running, check its arguments; ends with status 2 if one is
   missing, superfluous or none that it knows, or if the processes are not what
   it wants. */
void cmd_run_check(const struct cmd_targets *t, char **args, int nargs);
/* cmd_run_args.c: the same for a tool with this header; target: there is a
   process, command: one of -c. */
void cmd_run_args(const char *tool, const char *header, bool target,
		  bool command, char **args, int nargs);

/* cmd_explain.c: print what the error with that tag is, NULL: which there are.
   The exit status. */
int cmd_explain(const char *tag);

/* cmd_beside.c: the path of this program, and that of what lies beside it, be
   it there or not.  False: it cannot be had; errno says why. */
bool cmd_self(char path[PATH_MAX]);
bool cmd_beside(const char *name, char path[PATH_MAX]);

/* cmd_usdt.c: programs are compiled. */
void cmd_header(struct cmd *c);
void cmd_object(struct cmd *c);

#endif
