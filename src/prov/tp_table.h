/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * tp_table.h - providers whose probes are rows: probes made from the kernel's
 * tracepoints, its functions and system calls, by conditions and recipes.
 *
 * A provider of this kind is a .def file and no code.  It has rows of two
 * kinds: a probe with the types of its arguments, and a place where a probe
 * fires. What a row says in text (a member of a kernel struct, a tracepoint) is
 * looked up in the kernel's BTF when the probe is enabled, never for a listing.
 */
#ifndef PROV_TP_TABLE_H
#define PROV_TP_TABLE_H

#include "probe/probe.h"

/* An argument as D sees it: a C type, NULL: there is none. */
struct tp_arg {
	const char *type;  /* as the kernel has it */
	const char *xlate; /* what args[n] is translated to, or NULL */
	bool user;	   /* it points to user memory */
};

struct tp_probe {
	const char *func; /* the one place it comes from; "": there are more */
	const char *name;
	struct tp_arg arg[DIF_NARGS];
};

/* Where a number is: a recipe, and the path on from there, as C has it, or
   NULL.  The recipe's own path is made of it. */
struct tp_value {
	struct dif_recipe from;
	const char *path;
};
#define TP_ARG(n)    { { DIF_RCP_TPARG, n }, NULL }
#define TP_PATH(n, path) { { DIF_RCP_TPARG, n }, path }
#define TP_TASK(path) { { DIF_RCP_CURTHREAD }, path }
/* Where a function of the kernel is entered, and where it returns. */
#define FN_ARG(n)    { { DIF_RCP_KARG, n }, NULL }
#define FN_PATH(n, path) { { DIF_RCP_KARG, n }, path }
#define FN_RET	     { { DIF_RCP_KRET }, NULL }
#define FN_RETPATH(path) { { DIF_RCP_KRET }, path }
#define TP_CONST(v)  { { DIF_RCP_CONST, v }, NULL }
#define TP_SYSARG(n) { { DIF_RCP_UREG, DIF_R_SYSARG##n }, NULL }
#define TP_SYSRET    { { DIF_RCP_SYSRET }, NULL }
#define TP_SYSERR    { { DIF_RCP_SYSERR }, NULL }
#define TP_PEER	     { { DIF_RCP_PEER }, NULL }
/* Any other recipe (recipe.def), its members written out. */
#define TP_RECIPE(...) { { __VA_ARGS__ }, NULL }

struct tp_when {
	struct tp_value what;
	uint64_t mask; /* 0: all bits */
	enum dif_cmp cmp;
	int64_t val;
};

struct tp_site {
	unsigned probe; /* row of the probes */
	enum dif_site_kind kind; /* TP, a function or a system call */
	const char *tp; /* the tracepoint, or the function */
	uint64_t num;	/* the system call */
	/* Only for kernels where the tracepoint (the function) has at least (at
	   most) so many arguments; 0: it does not matter. */
	unsigned least, most;
	bool suffixed; /* the function may have a suffix of the compiler's */
	struct tp_value arg[DIF_NARGS];
	struct tp_when when[DIF_NWHEN];
	unsigned nwhen;
	struct tp_value once; /* dif_whens.once */
	struct dif_recipe thread; /* dif_site.thread */
	struct dif_counter counter; /* COUNTER */
	/* As the process engine sees it in a tree of processes; the rows of the
	   probe without that are other engines'. */
	bool tree;
	bool others; /* left out where this kernel has it not, if the probe has
			another site */
	/* Left out, too, where no function of this kernel can be probed. */
	bool probed;
	/* Only for kernels that have no tracepoints of these names, and no
	   functions that can be probed. */
	const char *without[2];
};

/*
 * The words of a row SITE(probe, where, arguments, conditions), of which
 * prov_table.c.in makes initializers of a struct tp_site; see proc.def.
 */
#define AT_TP(name)	     .kind = DIF_SITE_TP, .tp = name
#define AT_TP_LEAST(name, n) AT_TP(name), .least = n
#define AT_TP_MOST(name, n, what) AT_TP(name), .most = n, .once = what
/* A function of the kernel, as its BTF has it; or one that BTF need not have,
   as the compiler has given it other arguments and a name with a suffix. */
#define AT_FN(name)	     .kind = DIF_SITE_KENTRY, .tp = name
#define AT_FN_LEAST(name, n) AT_FN(name), .least = n
#define AT_FN_MOST(name, n)  AT_FN(name), .most = n
#define AT_FN_RETURN(name)   .kind = DIF_SITE_KRETURN, .tp = name
/* ... with the arguments of its entry; where the kernel has fexit. */
#define AT_FN_EXIT(name)     .kind = DIF_SITE_KEXIT, .tp = name
#define AT_FN_SUFFIXED(name) AT_FN(name), .suffixed = true
#define AT_FN_SUFFIXED_RETURN(name) AT_FN_RETURN(name), .suffixed = true
/* One of several names that the function has had: at least one must be
   there. */
#define AT_FN_OR(name)	     AT_FN(name), .others = true
#define AT_TP_OR(name)	     AT_TP(name), .others = true
/* ... that counts where neither of two better ones is there. */
#define AT_FN_RETURN_OR(name, ...)                                        \
	AT_FN_RETURN(name), .others = true, .without = { __VA_ARGS__ }
/* A function that tells more, and another function or the tracepoint for
   kernels that have no such function, or where none can be probed. */
#define AT_FN_OR_TP(name)    AT_FN_OR(name), .probed = true
#define AT_FN_FOR(name, ...)                                              \
	AT_FN(name), .others = true, .without = { __VA_ARGS__ }
#define AT_TP_FOR(name, ...) AT_TP(name), .without = { __VA_ARGS__ }
/* Each so many events of the kernel's own counters (perf_event_open(2)). */
#define AT_SOFTWARE(event, n)                                             \
	.kind = DIF_SITE_COUNTER, .num = n,                               \
	.counter = { PERF_TYPE_SOFTWARE, event, true, true }
/* Argument n is the thread that the probe is about (dif_site.thread). */
#define AT_TP_OF(name, n)    AT_TP(name), .thread = { DIF_RCP_TPARG, n }
#define AT_ENTRY(nr)	     .kind = DIF_SITE_SYSENTRY, .num = nr
#define AT_RETURN(nr)	     .kind = DIF_SITE_SYSRETURN, .num = nr
#define IN_TREE(where)	     where, .tree = true
/* A program begins; it is ended by a signal (with a core, or without). */
#define AT_BEGUN	     .kind = DIF_SITE_BEGUN
#define AT_KILLED(core)	     .kind = DIF_SITE_KILLED, .num = core
#define NONE		     .arg = { { { DIF_RCP_NONE }, NULL } }
#define ARGS(...)	     .arg = { __VA_ARGS__ }
#define ALWAYS		     .nwhen = 0
#define WHEN(...)                                                         \
	.when = { __VA_ARGS__ },                                          \
	.nwhen = sizeof((struct tp_when[]){ __VA_ARGS__ }) /              \
		 sizeof(struct tp_when)

/* A probe of other systems that is not here, and is not listed. */
struct tp_absent {
	const char *name, *why;
};

struct tp_table {
	const char *prov;
	const struct tp_probe *probes;
	size_t nprobes;
	const struct tp_site *sites;
	size_t nsites;
	const struct tp_absent *absent;
	size_t nabsent;
};

/* If the clause names a probe that Linux has not: -1, and *e says why; else
   0. */
int tp_table_absent(const struct tp_table *t, const struct dif_pdesc *pd,
		    struct err *e);

/* What the hooks of struct prov_ops do, for the table in pv->data. */
int tp_table_provide(struct prov *pv, const struct dif_pdesc *pd,
		     struct err *e);
int tp_table_args(struct prov *pv, const struct probe *p,
		  struct probe_args *out, struct err *e);
void tp_table_translated(struct prov *pv, probe_translated_fn *fn, void *arg);
int tp_table_sites(struct prov *pv, const struct probe *p,
		   struct site_list *out, struct err *e);

#endif
