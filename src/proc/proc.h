/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * proc.h - living processes and the running kernel: control, maps, symbols.
 *
 * CONTROL.  A process made by proc_create() runs under ptrace only until its
 * probes are in place: it is stopped when the dynamic linker has mapped and
 * relocated its libraries and before their constructors run (evaltime
 * preinit), or at exec, after constructors, or at main.  proc_continue()
 * detaches completely, so that a debugger may attach, and a killed consumer
 * leaves it running.  proc_grab() of a running process uses no ptrace at all.
 * Ends of processes are seen by pidfd.
 *
 * SYMBOLS.  Objects (executables, libraries) are opened through the process's
 * own root, shared between processes by (device, inode), and stay known after
 * the process is gone, so that ustack() of a finished -c command still prints
 * names.
 */
#ifndef PROC_PROC_H
#define PROC_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "elf/elf.h"

struct proc_set; /* all processes a handle knows */
struct proc;

struct proc_set *proc_set_new(struct err *e);
/* A set of its own processes, that shares the files of another, which lives
   longer.  Both are of one thread. */
struct proc_set *proc_set_beside(struct proc_set *other, struct err *e);
/* Detaches from everything; created processes not yet continued are killed,
   grabbed ones run on. */
void proc_set_free(struct proc_set *ps);

enum proc_evaltime { PROC_EVAL_EXEC, PROC_EVAL_PREINIT, PROC_EVAL_POSTINIT,
		     PROC_EVAL_MAIN };
/* Their words in that order, and NULL. */
extern const char *const proc_evaltimes[];

/*
 * Start argv[0] (searched in PATH) with that environment (NULL: ours), stopped
 * at the evaluation time.  NULL with *e: "failed to execute X: No such file or
 * directory".
 */
struct proc *proc_create(struct proc_set *ps, char *const argv[],
			 char *const envp[], enum proc_evaltime when,
			 struct err *e);
/*
 * Let a created process that is still held run on to a later evaluation time.
 * -1 + *e: it has come further already, or has ended.
 */
int proc_advance(struct proc *p, enum proc_evaltime when, struct err *e);
/*
 * Let a created process that is held run until it runs a program whose file's
 * name matches a pattern of the shell's (with a slash: its path), and there to
 * the evaluation time.  A link's name counts, too, a script's does not.  -1 +
 * *e: it has ended without, which names what it executed.
 */
int proc_await_program(struct proc *p, const char *pattern,
		       enum proc_evaltime when, struct err *e);
/* True if a process runs a program of such a name. */
bool proc_runs(pid_t pid, const char *pattern);
/*
 * The name of the program that a created process has executed since it was let
 * go, once that has run for a third of a second, or has ended; NULL: it has
 * executed none.  The last of several.  A name whose end is not known ends with
 * a star.
 */
const char *proc_executed(struct proc *p);
/* Take a running process. NULL + *e if it does not exist. */
struct proc *proc_grab(struct proc_set *ps, pid_t pid, struct err *e);
/* Let a created process run; nothing to do for a grabbed one. */
int proc_continue(struct proc *p, struct err *e);
/*
 * Kill a created process, held or running, and wait for its end.  Nothing
 * happens to a grabbed one, nor to one that has ended.
 */
void proc_kill(struct proc *p);
pid_t proc_pid(const struct proc *p);
bool proc_is_child(const struct proc *p); /* made by proc_create */
/* The command of such a one, if that is a script, which the program that was
   executed for it reads; NULL. */
const char *proc_script(const struct proc *p);
/* Of a created process in which something was not found: "; ...", the option
   with which one looks in a program that it executes, if its program calls a
   function of exec(3); else "". */
const char *proc_may_exec(struct proc *p);
/* A pidfd: polls readable when the process has ended. */
int proc_fd(const struct proc *p);
/*
 * True if the process has ended.  For children *status is the wait status (and
 * the zombie is reaped), for others -1.
 */
bool proc_ended(struct proc *p, int *status);

/* The process by pid if the set knows it, or NULL. */
struct proc *proc_find(struct proc_set *ps, pid_t pid);
/* The same, or a living process that is opened just for its symbols.  NULL if
   there is none. */
struct proc *proc_lookup(struct proc_set *ps, pid_t pid);
/* fn for every process there is, looked up; until it returns another value than
   0, which is returned. */
int proc_each(struct proc_set *ps, int (*fn)(void *arg, struct proc *p),
	      void *arg);
/*
 * A process that may end soon: what it has mapped is read (again) for its
 * symbols.  One that has ended before that had what `like` has, which it was
 * forked from.
 */
void proc_note(struct proc_set *ps, pid_t pid, pid_t like);
/* The processes under control, made or grabbed: the first (p NULL), and the one
   after p.  NULL: there are no more. */
struct proc *proc_next_held(struct proc_set *ps, const struct proc *p);
/* The same of all living processes that the set has looked at, for their
   symbols too. */
struct proc *proc_next_known(struct proc_set *ps, const struct proc *p);
/* Read the maps again if they may have changed (cheap when called often). */
void proc_refresh(struct proc *p);
/* A number that grows whenever proc_refresh() finds other objects. */
uint64_t proc_generation(const struct proc *p);
/* A number that grows whenever a file is met that no process of the set had. */
uint64_t proc_set_files(const struct proc_set *ps);

/*
 * A thread that stands for a process in /proc and in calls that reach its
 * memory: the process's own number, but where its main thread has ended before
 * the others, that of one that runs.  The main thread has no memory, files or
 * root directory then.  `pid` itself also if there is none.
 */
pid_t proc_face(pid_t pid);

/* ---- objects of a process ------------------------------------------------ */

struct proc_obj {
	const char *path;     /* as in maps */
	const char *open_path; /* what this process can open:
				  /proc/N/root/... */
	const char *name;     /* base name */
	const char *soname;   /* DT_SONAME or NULL */
	uint64_t base;	      /* load bias: address = base + st_value */
	uint64_t start, end;  /* lowest, highest mapped address */
	dev_t dev;
	ino_t ino;
	bool is_exec;	      /* the program itself: a.out */
	bool mapped;	      /* now; one that comes back as it was is the
				 same object again */
	uint64_t born;	      /* the generation it was last mapped in */
	struct elf_file *elf; /* opened on demand by proc_obj_elf() */
};
size_t proc_nobjs(struct proc *p);
struct proc_obj *proc_obj_at(struct proc *p, size_t i);
struct elf_file *proc_obj_elf(struct proc_obj *o, struct err *e);

/*
 * `object`symbol+0xoff` of a user address in the way of ustack(): object is
 * the base name; "object`0xaddr" without a symbol, "0xaddr" without an object.
 */
void proc_addr_text(struct proc_set *ps, pid_t pid, uint64_t addr,
		    struct buf *out);
/* The object that has a user address, and the address as the object's file has
   it, without looking for symbols; false: none has it. */
bool proc_addr_place(struct proc_set *ps, pid_t pid, uint64_t addr,
		     const char **obj, uint64_t *place);
/* The file of the object that has a user address, and the address as that has
   it; NULL: none has it, or it cannot be read. */
struct elf_file *proc_addr_elf(struct proc_set *ps, pid_t pid, uint64_t addr,
			       uint64_t *place);
/* True if it is in a file of code that is mapped there still.  Others that have
   the address may have been there before what it is about. */
bool proc_addr_is_file(struct proc_set *ps, pid_t pid, uint64_t addr);
/* The same as parts: any may be NULL. *off is addr - symbol. */
bool proc_addr_lookup(struct proc_set *ps, pid_t pid, uint64_t addr,
		      const char **obj, const char **sym, uint64_t *off);

/* ---- files that any process maps, as they come (proc_watch.c) ------------ */

struct proc_watch;
/* From now on.  NULL + *e: the kernel does not tell it, or not us. */
struct proc_watch *proc_watch_open(struct proc_set *ps, struct err *e);
void proc_watch_close(struct proc_watch *w);
/*
 * A file that is mapped to be executed, and was not before since the watch
 * began: as a process that has it alone, and lives as long as the set.  NULL:
 * there are no more now; *lost is then true if there were some of which nothing
 * is known.
 */
struct proc *proc_watch_next(struct proc_watch *w, bool *lost);
/*
 * What a process had mapped to be executed, as lines of maps, appended to *out.
 * False: it has not executed just one program since the watch began, is not one
 * of the last that have mapped something, or there is no memory.
 */
bool proc_watch_maps(struct proc_watch *w, pid_t pid, struct buf *out);
/* The same by the watch of the set; false also if there is none. */
bool proc_had_maps(struct proc_set *ps, pid_t pid, struct buf *out);

/* ---- code made at run time (proc_jit.c) ---------------------------------- */

/*
 * The name of code that the process has made, and how far into it addr is, by
 * the process's perf map or jitdump file; the name holds until the next call.
 * ask: a JVM that has no such file, or not this address in it, is made to write
 * one, at most every five seconds; that may take seven.  False: it has no name.
 */
bool proc_jit_name(struct proc *p, uint64_t addr, bool ask, const char **name,
		   uint64_t *off);
/*
 * While a trace with jstack() runs: a JVM is made to write its map now and
 * then, as nobody can ask it when it has ended.  Four times a second, or as
 * seldom as costs a twentieth of our time.
 */
void proc_jit_ask(struct proc *p);
/* The process has come up in a stack: a chance to open its file, so that it can
   be read when the process is gone. */
void proc_jit_seen(struct proc *p);

/* ---- the text of a process against its file (proc_text.c) ---------------- */

struct proc_text;
/* NULL + *e without memory; a process that cannot be read differs nowhere. */
struct proc_text *proc_text_open(pid_t pid, struct err *e);
void proc_text_close(struct proc_text *t);
/*
 * True if the bytes from `before` bytes in front of addr to n behind it are
 * those that lie around off in the file.  Single breakpoints do not count, nor
 * does what cannot be read.  path is kept: it must live as long as t.
 */
bool proc_text_same(struct proc_text *t, uint64_t addr, const char *path,
		    uint64_t off, unsigned before, unsigned n);

/* ---- whose turn it is to write to text (proc_turn.c) --------------------- */

struct proc_turn {
	int fd; /* -1: we have no lock */
};
/* From the last look at what is there until all is written: wait for the lock.
   alone: for breakpoints of the kernel.  False: it did not come, and
   proc_turn_missed is to be said. */
bool proc_turn_take(struct proc_turn *t, bool alone);
void proc_turn_give(struct proc_turn *t);
extern const char proc_turn_missed[]; /* a sentence without its end */

/* ---- the kernel's symbols (/proc/kallsyms), read when first asked -------- */

/* For who must not take a lack of memory for the lack of a symbol: read them
   all now, so that none is needed any more.  0, or -1 and *e: no memory. */
int ksym_load(struct proc_set *ps, struct err *e);
/* module "" or NULL: any; "vmlinux": the core. -1: unknown or hidden. */
int ksym_by_name(struct proc_set *ps, const char *module, const char *name,
		 uint64_t *addr);
/* Why a name may be unknown that the kernel has: its symbols are hidden from
   this process, or it keeps those of functions only.  NULL: neither. */
const char *ksym_why(struct proc_set *ps);
/* The addresses of the functions of that name, in order, the first cap of them
   into at; how many there are. */
size_t ksym_functions(struct proc_set *ps, const char *module, const char *name,
		      uint64_t *at, size_t cap);
/* false: no symbol at or below addr. */
bool ksym_by_addr(struct proc_set *ps, uint64_t addr, const char **module,
		  const char **name, uint64_t *off);
/*
 * Of the symbol that begins at addr: the letter that nm(1) has for its kind,
 * and how far the next symbol is (0: it is the last).  false: none begins
 * there.
 */
bool ksym_at(struct proc_set *ps, uint64_t addr, char *kind, uint64_t *size);
/*
 * All of them, in the order of their addresses, those of modules too: *i is 0
 * at first, and is counted up.  false: there are no more.
 */
struct ksym_info {
	uint64_t addr;
	const char *name, *module; /* as long as the set; "vmlinux": the core */
	char kind;		   /* as for ksym_at() */
};
bool ksym_each(struct proc_set *ps, size_t *i, struct ksym_info *out);
/* Read them anew when next asked; what was returned before stays valid. */
void ksym_refresh(struct proc_set *ps);

/* ---- tracefs and debugfs (proc_tracefs.c) -------------------------------- */

/*
 * A file of tracefs to read, by its path there ("available_events").  Where
 * tracefs is not mounted, a mount that nobody sees is made for it.  NULL with
 * *e: no such file, no privilege, or no tracefs.  The caller closes it.
 */
FILE *proc_tracefs_open(const char *path, struct err *e);
/* The same of debugfs ("kprobes/blacklist"). */
FILE *proc_debugfs_open(const char *path, struct err *e);

/* What the kernel refuses to root, too (kernel_lockdown(7)): to change it; and
   to read it. */
enum proc_lockdown {
	PROC_LOCKDOWN_NONE,
	PROC_LOCKDOWN_INTEGRITY,
	PROC_LOCKDOWN_CONFIDENTIALITY,
};
enum proc_lockdown proc_lockdown(void);

/* ---- modules of the kernel (kmod.c) -------------------------------------- */

/* A number that is another when a module has been loaded, or unloaded. */
uint64_t kmod_seen(void);
/* Call fn with the name of each module that is loaded, until it returns another
   value than 0.  That value, or 0. */
int kmod_each(int (*fn)(void *arg, const char *name), void *arg);
enum kmod_state {
	KMOD_LOADED,
	KMOD_ON_DISK,  /* this kernel has it, not loaded */
	KMOD_BUILT_IN, /* it is a part of the kernel itself */
	KMOD_UNKNOWN,  /* as far as can be seen, there is none of that name */
};
enum kmod_state kmod_state(const char *name);

/* ---- functions of the kernel that can be traced (kfunc.c) ---------------- */

struct kfunc {
	const char *name, *module; /* as long as the set; "vmlinux": the core */
	uint64_t addr;		   /* of ftrace's place in it; 0: not told, or
				      not asked for yet (kfunc_begin()) */
	bool twins;		   /* others have its name */
	uint32_t nth, of;	   /* of those of its name in its module */
};
/* True if this kernel has kprobes, so that its functions can be probed at all.
   Tells nothing of any one of them, and reads no list. */
bool kfunc_can_be_probed(void);
/* As far as is known, names alone will be asked for: such a list is read
   faster.  Where it has been read already, nothing changes. */
void kfunc_only_names(struct proc_set *ps);
/* All of them, read when first asked; *n is set.  NULL + *e: this kernel, or
   this user, has no such list. */
const struct kfunc *kfunc_list(struct proc_set *ps, size_t *n, struct err *e);
/*
 * The kernel's own function of that name is not in the list, but has another
 * name, which is: system calls without arguments have three.  That name, as
 * long as the set; NULL: it has none.
 */
const char *kfunc_other_name(struct proc_set *ps, const char *name);
/* Functions of modules that have been loaded since come to its end; the list
   may move.  0, or -1: no memory. */
int kfunc_refresh(struct proc_set *ps);
/* Where one of the list's begins, by the kernel's text alone, so that it costs
   little; 0: that does not say it. */
uint64_t kfunc_begin(struct proc_set *ps, const struct kfunc *f);
/* The same by all that there is; 0: not known. */
uint64_t kfunc_addr(struct proc_set *ps, const struct kfunc *f);
/*
 * Overview   Read the text of the running kernel, or of a module.
 * Returns    0; -1 and *e: who asks may not, this kernel has no /proc/kcore, or
 *            it has nothing at that address.
 */
int ktext_read(struct proc_set *ps, uint64_t addr, void *buf, size_t n,
	       struct err *e);
/* Whose instructions they are, EM_X86_64; EM_NONE: that is not known. */
unsigned ktext_machine(struct proc_set *ps);
/* 1 if no kprobe must be at an instruction: it is in the blacklist, or
   rewritten by the kernel itself.  0 if one may; -1 and *e: no memory. */
int ktext_bad(struct proc_set *ps, uint64_t addr, struct err *e);
/* Why a function is not in the list, after "cannot be traced: "; NULL: the
   kernel has none of that name.  module as for ksym_by_name(). */
const char *kfunc_why_not(struct proc_set *ps, const char *module,
			  const char *name);

#endif
