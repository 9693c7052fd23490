/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * err.h - the one type that carries every failure upward.
 *
 * A function that can fail returns 0 or -1 (or NULL) and has set the err it
 * was given.  The message is made where the knowledge is; callers pass it up
 * unchanged; the first error wins; the commands print it.  The message lives
 * inside the struct, so that reporting "out of memory" needs no memory.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>
#include <stddef.h>

#define ERR_MSG_MAX 4096

/* A row of an errtag table: D_SYNTAX, EDT_NOPROBE ... */
struct err_tag {
	const char *name;
	int num;
};

/* A place in D text; line 0 means "not from source". */
struct src_loc {
	const char *file; /* NULL: text given on the command line */
	int line;	  /* from 1 */
	int col;	  /* from 1 */
};

struct err {
	const struct err_tag *tag; /* NULL: no error is set */
	struct src_loc loc;
	int sys; /* errno, or 0 */
	char msg[ERR_MSG_MAX];
};

/* The tag of errors that have no better one. */
extern const struct err_tag ERR_GENERIC;
/* Who has more privileges may. */
extern const struct err_tag ERR_PRIV;
/* Nothing is in the way, but another way is better: who has none may ask again
   and say so. */
extern const struct err_tag ERR_RATHER;
/* The tag of failed allocations. */
extern const struct err_tag ERR_NOMEM;

/*
 * Set *e unless an error is set already (the first wins).  sys is an errno
 * value or 0; where it is not 0, ": " and its text are appended.  Always
 * returns -1, so that "return err_set(...)" reads well.
 */
int err_set(struct err *e, const struct err_tag *tag, int sys,
	    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
int err_set_loc(struct err *e, const struct err_tag *tag, struct src_loc loc,
		const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* err_set() with ERR_NOMEM. */
int err_nomem(struct err *e);
/* The tag for what an errno value refused: ERR_PRIV where privileges are
   missing, else ERR_GENERIC. */
const struct err_tag *err_refused(int sys);
/* True for an errno value that says nothing of what was asked for: descriptors
   or memory are short. */
bool err_short(int sys);
/*
 * A process could not be looked at, which failed with sys (0: it was looked
 * at): "process N has ended", and e->sys is ESRCH; or what is short.  Always
 * -1.
 */
int err_ended(struct err *e, long pid, int sys);
/* Forget the error. */
void err_clear(struct err *e);

static inline bool
err_is_set(const struct err *e)
{
	return e->tag != NULL;
}

#endif
