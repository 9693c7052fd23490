/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_prog_impl.h - a program while it is made.
 *
 *   bpf_prog.c   the program and its clauses
 *   bpf_solo.c   those that do no more than count
 *   bpf_arg.c    the arguments of a firing, the conditions of a site
 *   bpf_fault.c  what happens after a fault
 *   bpf_load.c   linking, loading, and what the verifier says
 */
#ifndef ENGINE_BPF_BPF_PROG_IMPL_H
#define ENGINE_BPF_BPF_PROG_IMPL_H

#include "engine/bpf/bpf_impl.h"

/* The frame has FR_CTX and FR_SITE at its top and these below what is there
   besides, which is all of a clause's frame where clauses are in line. */
enum {
	FM_KEY = 8,
	FM_RT0 = 16,   /* level 0 of this CPU */
	FM_STATE = 24, /* activity when it fired */
	FM_TMP = 32,
	FM_EPID = 40,
	FM_ONCE = 56, /* two words: a key of bpf_prog.once; a path's */
	FM_WAITS = 64, /* how often it may still wait */
	FM_PAGE = 72,  /* the address it is to wait for; 0: none */
	FM_LEFT = FM_WAITS, /* instead: sites of its event that may follow */
};
#define FM(m, slot) ((m)->frame - FM_##slot)

/* Where the code of the clauses stands. */
enum form {
	IN_MAIN,   /* in line, in the program's own function */
	IN_OWN,	   /* each in a function of its own */
	IN_GROUPS, /* in line, in functions of several */
};

struct clause_code {
	struct em em;      /* in line: its code */
	struct bpf_fn *fn; /* else: its function */
	struct bg g;
};

struct maker {
	struct engine *eng;
	struct bpf_prog *c;
	struct bpf_unit *u;
	struct em *em;
	struct err *e;
	uint32_t args; /* arguments that clauses use */
	bool locals;
	bool faults;            /* some clause can fault */
	struct clause_code *cc; /* [c->clauses.n] */
	enum form form;
	int frame;
	uint32_t lb_out, lb_release, lb_next;
};

/* bpf_prog.c: on, while tracing, else to lb_out; R1 is used up. */
void bpf_prog_active(struct maker *m);
/* R8 = the site whose element is in R2, enabled, for this process, and its
   conditions hold; else to lb_out or lb_next.  R7 is the context. */
int bpf_prog_site(struct maker *m);
/* R6 = the machine of a level that is this firing's now; else to lb_next. */
void bpf_prog_claim(struct maker *m);
/* bpf_solo.c: true if all clauses of the program only count, at every site the
   same.  And the function of such a program. */
bool bpf_solo_only(const struct maker *m);
int bpf_solo_main(struct maker *m, struct bpf_fn *fn);
/* bpf_arg.c: rt->arg[]; and on, if the conditions of the site in r8 hold, else
   to lb_next.  Both use FM_TMP and FM_ONCE. */
void bpf_arg_fill(struct maker *m);
void bpf_arg_when(struct maker *m);
/* bpf_fault.c: the function fault(ctx, rt). */
int bpf_fault_make(struct maker *m);
/* bpf_load.c: into m->c->fd */
int bpf_load_unit(struct maker *m);
/* The last lines of a verifier's log. */
const char *bpf_log_tail(const char *log, int lines);

#endif
