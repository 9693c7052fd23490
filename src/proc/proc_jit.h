/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * proc_jit.h - what the readers of the two kinds of files share in which
 * programs name the code that they make.
 *
 *	proc_jit.c	perf maps, and looking a name up
 *	proc_jitdump.c	jitdump files
 *	proc_java.c	a JVM is asked for its perf map
 */
#ifndef PROC_PROC_JIT_H
#define PROC_PROC_JIT_H

#include "base/hash.h"
#include "proc/proc_impl.h"

#define JIT_TEXT_MAX (64u << 20)

struct jit_sym {
	uint64_t lo, hi;
	uint32_t name; /* in the text */
	uint32_t nth;  /* line, or record */
};

/* A file, and what has been read of it. */
struct jit_file {
	int fd; /* -1: not found yet */
	dev_t dev;
	ino_t ino;
	char *text; /* names, NUL-terminated, among what else a perf map has */
	size_t n, cap;
	uint64_t parsed; /* bytes of the file */
	bool sorted;
	bool bad; /* it is none, or damaged from here on: not read any more */
	VEC(struct jit_sym) syms;
	/* A dump's: where a name is in the text, + 1, by address: what is moved
	   has its again. */
	struct hash *loaded;
};

/* proc_jit.c */
void jit_forget(struct jit_file *j);
void jit_file_fini(struct jit_file *j);
/* [lo, hi) is called what stands at `name` of the text; made safe to print.  An
   empty range or name is none.  False: no memory. */
bool jit_add(struct jit_file *j, uint64_t lo, uint64_t hi, size_t name);
const struct jit_sym *jit_find(struct jit_file *j, uint64_t addr);
/* Open a file that may be of the user `uid`, or of root's; -1: it is not to be
   trusted, or not there. */
int jit_open_as(const char *path, uint64_t uid);
/* Read what has come since; true: there is more than before. */
bool jit_map_read(struct jit_file *j);

/* proc_jitdump.c: the same. */
bool jit_dump_read(struct jit_file *j);
/* A file of this name that p maps as code.  -1: there is none. */
int jit_dump_open(struct proc *p, uint64_t nspid, uint64_t uid);

/* ---- proc_java.c --------------------------------------------------------- */

/* How far a JVM has been asked; all zero at the beginning.  The names' owner
   has one for each process, and leaves it at last. */
struct java_ask {
	enum { JAVA_IDLE, JAVA_WOKEN, JAVA_ASKED } state;
	int dir; /* JAVA_WOKEN: its /tmp, and our file there */
	char name[40];
	int sock; /* JAVA_ASKED: */
	size_t got;
	char answer[64];
};

enum java_now {
	JAVA_CANNOT, /* it is none, or does not do it */
	JAVA_LATER,  /* it has been asked, and has not answered yet */
	JAVA_WRITTEN /* its map is complete */
};

/* Go on with asking p for its perf map, as far as that is possible without
   waiting. */
enum java_now proc_java_step(struct proc *p, struct java_ask *a);
/* The same, and wait for its answer, for some seconds. */
enum java_now proc_java_ask(struct proc *p, struct java_ask *a);
/* Nobody will ask any more. */
void proc_java_leave(struct proc *p, struct java_ask *a);

#endif
