/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * proc_fs.h - the second door of the room: what is read of /proc (proc(5)).
 *
 * One parser for each file.  A process may call itself, its threads and what it
 * maps anything: parentheses, blanks and newlines in names are its right.
 * Nothing here keeps what it has read.
 */
#ifndef PROC_PROC_FS_H
#define PROC_PROC_FS_H

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * All of a small file of the process, or of its thread tid (0: of the process),
 * as a string; what does not fit into n is left out.  Its length, -1: it cannot
 * be read (errno).
 */
long proc_read(pid_t pid, pid_t tid, const char *name, char *buf, size_t n);
/* What it calls itself, without the newline; "" if it cannot be read. */
void proc_comm(pid_t pid, char *buf, size_t n);
/* The same for a line that people read: control characters are '?'. */
void proc_comm_plain(pid_t pid, char *buf, size_t n);

/* ---- cgroup (proc_cgroup.c) ---------------------------------------------- */

/* The path of its control group of version 2, cut where n bytes are too few;
   false, and "": it has none, or is gone. */
bool proc_cgroup(pid_t pid, char *buf, size_t n);
/*
 * The number of the cgroup that is the root in our cgroup namespace, and in
 * dir, of n bytes, if that is not NULL, where it is mounted; 0: it is not
 * mounted whole anywhere.
 */
uint64_t proc_cgroup_root(char *dir, size_t n);
/* A cgroup by its path from there, or by its directory. */
struct proc_cgroup_place {
	uint64_t id;
	uint32_t level, last; /* how deep it is: from, to */
};
/* 0; -1 with *e: there is none of that path. */
int proc_cgroup_find(const char *path, struct proc_cgroup_place *p,
		     struct err *e);
/* The container that such a path names: to buf, PROC_CONTAINER bytes; "":
   none. */
#define PROC_CONTAINER 13
void proc_container(const char *cgroup, char *buf);

/* ---- stat ---------------------------------------------------------------- */

/* Numbers of fields, as in proc(5). */
enum proc_stat_field { PROC_STAT_PPID = 4, PROC_STAT_FLAGS = 9,
		       PROC_STAT_STARTTIME = 22,
		       PROC_STAT_CPU = 39, PROC_STAT_ARG_START = 48,
		       PROC_STAT_ARG_END = 49, PROC_STAT_EXIT_CODE = 52,
		       PROC_STAT_MAX = 52 };
struct proc_stat {
	char state; /* R S D Z T t X I */
	uint64_t v[PROC_STAT_MAX + 1]; /* by field; 0: the line ends before */
};
/* False: there is no such process, or its thread tid (0: the process). */
bool proc_stat_read(pid_t pid, pid_t tid, struct proc_stat *st);
/* The text of the file; false: it is none. */
bool proc_stat_parse(const char *text, struct proc_stat *st);
/* True if it has ended, though its parent or its other threads keep it. */
static inline bool
proc_stat_ended(const struct proc_stat *st)
{
	return st->state == 'Z' || st->state == 'X';
}

/* True if it is on its way to that.  Its memory goes before its state says
   so. */
#define PROC_STAT_EXITING 4u /* PF_EXITING of linux/sched.h */
static inline bool
proc_stat_exiting(const struct proc_stat *st)
{
	return (st->v[PROC_STAT_FLAGS] & PROC_STAT_EXITING) != 0;
}

/* True if it is a thread of the kernel, which has no program. */
#define PROC_STAT_KTHREAD 0x200000u /* PF_KTHREAD of linux/sched.h */
static inline bool
proc_stat_kernel(const struct proc_stat *st)
{
	return (st->v[PROC_STAT_FLAGS] & PROC_STAT_KTHREAD) != 0;
}

/* ---- status -------------------------------------------------------------- */

struct proc_status {
	char text[8192]; /* the kernel writes newlines in the name as \n */
};
/* As proc_stat_read(). */
bool proc_status_read(pid_t pid, pid_t tid, struct proc_status *st);
/* What stands behind "Name:" and blanks, to the newline; NULL: no such line. */
const char *proc_status_line(const struct proc_status *st, const char *name);
/* The numbers of a line: how many, and the first n of them in v (0 where there
   are fewer).  *last, if not NULL, is the last one. */
unsigned proc_status_numbers(const struct proc_status *st, const char *name,
			     uint64_t *v, unsigned n, uint64_t *last);
/* The first; 0: none. */
uint64_t proc_status_number(const struct proc_status *st, const char *name);

/* ---- maps ---------------------------------------------------------------- */

struct proc_map {
	uint64_t lo, hi, off, ino;
	bool r, w, x, shared;
	const char *dev; /* "fd:01", not terminated */
	size_t devlen;
	char *path; /* "" for anonymous memory; newlines as they are */
};
/* One line, without its newline; it is changed, and *m points into it.  False:
   it is none. */
bool proc_map_parse(char *line, struct proc_map *m);

struct proc_maps {
	FILE *f;
	char buf[4096]; /* the kernel gives no more at a time */
	char line[4 * PATH_MAX + 128]; /* a name of newlines is written so */
};
/* The mappings of a process (by its proc_face()), by address.  False: errno. */
bool proc_maps_open(struct proc_maps *it, pid_t pid);
/* The next; *m holds until the next call.  False: there is none. */
bool proc_maps_next(struct proc_maps *it, struct proc_map *m);
void proc_maps_close(struct proc_maps *it);

/* ---- directories of numbers ---------------------------------------------- */

struct proc_dir {
	DIR *d;
};
/* name is "task" or "fd"; pid 0: the processes, name is "".  False: errno. */
bool proc_dir_open(struct proc_dir *it, pid_t pid, const char *name);
/* The next number, in no order; -1: there is none. */
long proc_dir_next(struct proc_dir *it);
void proc_dir_close(struct proc_dir *it);

/* How a process that is no child has ended, as wait(2) tells; pidfd may be -1.
   -1: it is not known. */
int proc_end_status(int pidfd, pid_t pid);

#endif
