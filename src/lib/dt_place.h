/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_place.h - which engine runs what: components of a trace, and their
 * placement.  Both are pure: an enabling and facts in, tables out.
 *
 * A COMPONENT is a set of clauses that must run in one engine, since they
 * share state that lives where clauses run: a global, self-> or associative
 * variable, or this-> between clauses of one probe.  Aggregations do not
 * connect: the consumer merges them.  An ERROR clause fires for a fault in any
 * clause, so where there is one, all clauses are one component.
 */
#ifndef LIB_DT_PLACE_H
#define LIB_DT_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "dif/dif.h"

/* Sets of enum dif_where, which each kind of site has in its row (site.def). */
#define DT_AT(where) (1u << DIF_AT_##where)
/* What happens all over the system, unless it is looked at in one process. */
#define DT_AT_WIDE (DT_AT(CPUS) | DT_AT(CALL) | DT_AT(KERNEL))

#define DT_PID_SEVERAL (-1)
/* All processes of the trace as one: what is in them shares variables. */
#define DT_PID_JOINED (-2)

struct dt_comp {
	unsigned engines;     /* DIF_ENG_K, _P: what its DIF, its actions and
				 its sites allow */
	const char *only_k;   /* what of it the process engine has not, or
				 NULL */
	const char *only_p;   /* what of it the kernel engine has not, or
				 NULL */
	const struct dif_probe *probe_k, *probe_p; /* where these are wanted */
	unsigned where;	      /* DT_AT() of all its sites */
	const struct dif_recipes *args; /* of its last site */
	int32_t pid;	      /* whose text its sites are in; 0: nobody's;
				 DT_PID_SEVERAL */
	int32_t bound;	      /* of what happens all over the system, and of
				 probes of every process, it looks at this
				 process alone; 0: nothing does;
				 DT_PID_SEVERAL: at others, too */
	const struct dif_probe *probe; /* one of its probes, for messages */
	bool wide;   /* somebody asks for what happens all over the system; a
			provider's probes of one process may be made of such */
	bool tree;   /* in a process it is about those that are followed */
	bool shared; /* its clauses in one process know of those in another */
	uint32_t nclauses, necbs;
};
struct dt_comps {
	struct dt_comp *v;
	uint32_t n;
	uint32_t *of; /* [nclauses]: each clause's component */
};

/*
 * The components of an enabling, in order of their first clauses.  Everything
 * is allocated in a; 0, or -1 + *e without memory.
 */
int dt_comps_make(struct arena *a, const struct dif_enabling *en,
		  struct dt_comps *out, struct err *e);

/*
 * who[en->nclauses] = the process that alone can let a clause pass its
 * predicate, as far as that is known of the clauses (their probes are not asked
 * for); DT_PID_SEVERAL: any can; 0: nobody ever.  Texts are allocated in a; 0,
 * or -1 + *e without memory.
 */
int dt_comps_who(struct arena *a, const struct dif_enabling *en, int32_t *who,
		 struct err *e);

/* Whether an engine can be had: kept in the handle once it has been asked. */
struct dt_missing {
	bool asked;
	const char *why; /* NULL: it can */
};

/*
 * What an engine cannot have after all: the process engine a process, the
 * kernel engine (pid is 0) the component of a clause.
 */
struct dt_denied {
	int32_t pid;
	uint32_t clause; /* its index in the enabling */
	const char *why;
	bool rather; /* it can, but should not where the kernel engine can */
};

struct dt_world {
	unsigned force;		/* DIF_ENG_K or _P: -x engine; 0: auto */
	bool near;		/* -x engine=target: what looks at the target
				   alone to the process engine */
	const char *no_kernel;	/* why that engine cannot run; NULL: it can */
	const char *no_process;
	bool no_tree;	/* processes are not to be followed (-x follow) */
	int32_t target; /* the process of -c or -p; 0: none; DT_PID_SEVERAL */
	int32_t self;	/* the consumer: where clauses of its own probes can be,
			   if there is nothing else; 0: nowhere */
	const struct dt_denied *denied;
	size_t ndenied;
};

struct dt_placed {
	unsigned engine; /* DIF_ENG_K or DIF_ENG_P */
	int32_t pid;	 /* P: the process it works in; DT_PID_SEVERAL: in each
			    of the trace's, by itself; DT_PID_JOINED */
	const char *why; /* for -v */
};

/*
 * Place every component: out[comps->n].  -1 + *e: a component can run nowhere;
 * the message names a probe of it, what is missing and the cure; *priv tells
 * whether privilege is (one of) what is missing.  Texts are allocated in a.
 */
int dt_place(struct arena *a, const struct dt_comps *comps,
	     const struct dt_world *w, struct dt_placed *out, bool *priv,
	     struct err *e);

/* What the process engine can do for a component that the kernel engine has
   refused when it was loaded. */
enum dt_other {
	DT_OTHER_NOT,
	DT_OTHER_RUNS,	/* it runs it, and nothing changes */
	DT_OTHER_ASKED, /* it would, with -x engine=process */
	DT_OTHER_ALONE	/* likewise, but would look at its process alone */
};
enum dt_other dt_place_other(struct arena *a, const struct dt_comp *c,
			     const struct dt_world *w);

#endif
