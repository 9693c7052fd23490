/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_class.h - what is known of a class of BPF programs: a row of
 * bpf_class.def, where the columns are explained.  No other file compares
 * classes; whatever they differ in is a column.
 */
#ifndef ENGINE_BPF_BPF_CLASS_H
#define ENGINE_BPF_BPF_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "dif/dif.h"

struct bpf_place;
struct bpf_prog;
struct bpf_site;
struct em;
struct engine;
struct maker;

enum bpf_regs { BPF_REGS_TASK, BPF_REGS_USER, BPF_REGS_WORD0, BPF_REGS_KERNEL };
enum bpf_runs {
	BPF_RUNS_CONSUMER,
	BPF_RUNS_ATOMIC,
	BPF_RUNS_PREEMPTED,
	BPF_RUNS_SLEEPS
};
enum bpf_ipl { BPF_IPL_0, BPF_IPL_1, BPF_IPL_LOOK };

struct bpf_class {
	const char *name;
	uint32_t sites; /* bit n: serves places of kind n (bpf_user.h) */
	uint32_t type, attach_type;
	/* *btf_id: what the program is for, where the kernel must be told. */
	bool (*have)(struct engine *, const struct dif_site *,
		     uint32_t *btf_id);
	const char *(*event)(const struct dif_site *);
	int (*attach)(struct engine *, const struct bpf_prog *, struct err *);
	/* R2 = element of the site map, or to lb_out; r7 is the context. */
	void (*find)(struct maker *);
	/* On, or to lb_next; -1 with the maker's error. */
	int (*check)(struct maker *);
	/* -1: no memory */
	int (*place)(struct bpf_prog *, struct bpf_site *,
		     const struct bpf_place *);
	/* R1 = the recipe's value, 0 if the context has none.  Register ctx is
	   the context, R1 or one that calls keep; R0 to R5 are used up, and the
	   8 bytes at tmp of the stack. */
	void (*args)(struct em *, unsigned ctx, const struct dif_recipe *,
		     int tmp);
	enum bpf_regs regs;
	unsigned frames;
	enum bpf_runs runs;
	enum bpf_ipl ipl;
};

enum {
#define CLASS(name, sites, type, attach_type, have, event, attach, find,       \
	      check, place, args, regs, frames, runs, ipl)                     \
	BPF_CLASS_##name,
#include "engine/bpf/bpf_class.def"
#undef CLASS
	BPF_NCLASSES
};

/* All rows; their order is the one of preference and of attachment. */
extern const struct bpf_class bpf_classes[BPF_NCLASSES];

/* The functions that rows name. */
#define CLASS(name, sites, type, attach_type, have, event, attach, find,       \
	      check, place, args, regs, frames, runs, ipl)                     \
	bool bpf_have_##have(struct engine *, const struct dif_site *,         \
			     uint32_t *);                                      \
	const char *bpf_event_##event(const struct dif_site *);                \
	int bpf_attach_##attach(struct engine *, const struct bpf_prog *,      \
				struct err *);                                 \
	void bpf_find_##find(struct maker *);                                  \
	int bpf_check_##check(struct maker *);                                 \
	int bpf_place_##place(struct bpf_prog *, struct bpf_site *,            \
			      const struct bpf_place *);                       \
	void bpf_args_##args(struct em *, unsigned, const struct dif_recipe *, \
			     int);
#include "engine/bpf/bpf_class.def"
#undef CLASS

/* The row for the same sites, of the same kind, that does not sleep. */
const struct bpf_class *bpf_class_awake(const struct bpf_class *k);

/* True if another task may run on the CPU in the middle of a program. */
static inline bool
bpf_class_preempted(const struct bpf_class *k)
{
	return k->runs == BPF_RUNS_PREEMPTED || k->runs == BPF_RUNS_SLEEPS;
}

/* True if the context's registers are those where the probe fired. */
static inline bool
bpf_class_walks_regs(const struct bpf_class *k)
{
	return k->regs == BPF_REGS_USER || k->regs == BPF_REGS_KERNEL;
}

#endif
