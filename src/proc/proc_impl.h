/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * proc_impl.h - what the files of the process room share.
 *
 *	struct proc_set ── procs by pid ──▶ struct proc ── now ──▶ struct mobj
 *	      │                                         └─ gone ──▶ struct mobj
 *	      └── files by (dev, ino, size, mtime) ──▶ struct mfile ◀──┘
 *
 * Everything is allocated from the set's arena, or owned by it, and lives as
 * long as the set: names and objects handed out stay valid after the process
 * has unmapped a library, or has ended.
 */
#ifndef PROC_PROC_IMPL_H
#define PROC_PROC_IMPL_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "proc/proc.h"

/* An object file, shared by all processes that map it. */
struct mfile {
	struct elf_file *elf; /* NULL: could not be opened */
	const char *why;      /* the message, then */
	struct mfile *next;   /* proc_set.files_list */
};

/* An object mapped by a process. */
struct mobj {
	struct proc_obj o; /* first: a struct proc_obj * is one of these */
	struct mfile *file;
	uint64_t seen; /* by which of proc.looks it was last found */
};

struct proc_execs;
struct proc_jit;
struct kfuncs;
struct ktext;
struct ksyms;

struct proc_set {
	struct arena *arena;
	struct hash *procs; /* pid_t -> struct proc */
	struct proc *list;  /* all that ever were */
	struct proc_set *beside; /* whose files these are; NULL: its own */
	struct hash *files; /* struct file_key -> struct mfile */
	struct mfile *files_list;
	uint64_t nfiles; /* that have been met */
	bool fs_checked; /* proc_check_fs() has found nothing */
	struct ksyms *ksyms; /* ksym.c's; NULL until asked for */
	struct ksyms *ksyms_old; /* before ksym_refresh() */
	struct kfuncs *kfuncs;	 /* kfunc.c's; NULL until asked for */
	bool only_names;	 /* kfunc_only_names() */
	struct ktext *ktext;	 /* ktext.c's; NULL until asked for */
	struct proc_watch *watch; /* that runs; NULL: none */
};

/* CREATED: traced and stopped; RUNNING: no ptrace relation; ENDED. */
enum proc_state { PROC_CREATED, PROC_RUNNING, PROC_ENDED };

struct proc {
	struct proc_set *set;
	struct proc *next;
	pid_t pid;
	int pidfd;	    /* -1: known for its symbols only */
	uint64_t starttime; /* ticks after boot: tells reused pids apart */
	enum proc_state state;
	bool child;
	const char *script; /* proc_script(); in the set's arena */
	enum proc_evaltime when; /* of a child that is held: where it is */
	bool reaped;
	int status;

	uint64_t maps_hash, generation;
	uint64_t looks; /* at maps that were others than before */
	uint64_t refreshed_ns;
	VEC(struct mobj *) now;	 /* by address */
	VEC(struct mobj *) gone; /* no longer mapped, oldest first */
	struct proc_jit *jit; /* proc_jit.c's; NULL until asked for */
	struct proc_execs *execs; /* proc_exec.c's; NULL: not watched */
};

/* proc_set.c */
struct proc *proc_new(struct proc_set *ps, pid_t pid, struct err *e);
/* 0 if /proc is that of our own PID namespace.  Else -1 + *e: its numbers would
   be those of other processes. */
int proc_check_fs(struct err *e);
/* The process's start time, and whether it runs.  False: it does not, or cannot
   be looked at; errno is for err_ended(). */
bool proc_started(pid_t pid, uint64_t *starttime);

/* proc_unrun.c: the program could not be executed, which failed with sys; *e
   says what is in the way.  Always -1. */
int proc_unrun(const char *file, int sys, struct err *e);

/* proc_exec.c: watch which programs a created process executes from now on.
   Without memory proc_executed() knows of none. */
void proc_execs_begin(struct proc *p);
/* It may be about to be waited for, after which nothing is known of it. */
void proc_execs_last(struct proc *p);
void proc_execs_end(struct proc *p);
/* The name of the file that a process runs, cut off to that size; false: it is
   gone. */
bool proc_program(pid_t pid, char *to, size_t size);

/* proc_await.c: a created process that stands still runs until one of its
   threads has executed a program, and stands there.  1: it has ended, *status;
   -1: errno. */
int proc_await_exec(struct proc *p, int *status);

/* proc_ctl.c: end a created process that was never let go. */
void proc_abandon(struct proc *p);

/* A run of lines of the maps that map one file. */
struct mrun {
	uint64_t start, end;         /* of all its mappings */
	uint64_t xstart, xend, xoff; /* of the first executable one */
	uint64_t fstart, fend;       /* of its first mapping: map_files' name */
	uint64_t lastoff;
	const char *dev; /* the device, as text */
	size_t devlen;
	uint64_t ino;
	char *path;
};
typedef VEC(struct mrun) mruns;

/* proc_maps.c: read the maps.  -1 + *e: they cannot be read. */
int proc_load_maps(struct proc *p, struct err *e);
/* The runs of a text of maps, which is changed, and into which they point.
   Lines that are none are left out.  False: no memory. */
bool proc_maps_parse(char *text, mruns *runs);
void proc_maps_fini(struct proc *p);
/* A process that is not in the set's table and whose objects are those of a
   text of maps, which is changed; as long as the set.  NULL: it has none, or no
   memory. */
struct proc *proc_of_maps(struct proc_set *ps, pid_t pid, char *text);
/* The object at an address: mapped now, else the last one that was there. */
struct mobj *proc_mobj_at(struct proc *p, uint64_t addr);

/* CLOCK_MONOTONIC_COARSE. */
uint64_t proc_now_ns(void);

/* proc_jit.c */
void proc_jit_fini(struct proc *p);

/* ksym.c */
void ksyms_free(struct ksyms *k);
/* The hexadecimal number at *ps, which is put behind it. */
uint64_t ksym_hex(char **ps);

/* kfunc.c */
void kfuncs_free(struct kfuncs *k);
void ktext_free(struct ktext *t);

#endif
