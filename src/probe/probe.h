/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * probe.h - probes and their names, matching, and the contract of providers.
 *
 * A provider states facts: which probes exist, what their arguments are, where
 * they fire (sites) and where each argument is found (recipes).  It never
 * writes code for an engine.  Providers make probes lazily: provide() is told
 * what is being looked for and adds what could match, so that a program that
 * names a system call never pays for a list of kernel functions.
 */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "dif/dif.h"
#include "type/type.h"

/* D_PROC_GRAB and its like: raised by providers of processes. */
#define TAG(name, what) extern const struct err_tag name;
#include "probe/errtag.def"
#undef TAG

struct prov;
struct probe_set;

/* Another name of a probe's function, by which descriptions find it too. */
struct probe_alias {
	struct probe_alias *next;
	const char *func; /* interned in the set */
};

struct probe {
	uint32_t id; /* from 1, in order of creation */
	const char *prov, *mod, *func, *name; /* interned in the set */
	struct prov *owner;
	uint64_t num;	/* the provider's own */
	void *data;	/* the provider's own */
	uint32_t round; /* of the set, when its provider last named it */
	struct probe_alias *aliases;
};

/* Zeroed, but for map[n] = n, before a provider is asked. */
struct probe_args {
	struct type *type[DIF_NARGS]; /* NULL: untyped */
	/* D text of the type that args[n] is translated to from type[n];
	   NULL: it is not.  Lives as long as the set. */
	const char *xlate[DIF_NARGS];
	uint8_t map[DIF_NARGS]; /* the raw argument that args[n] is made from */
	uint32_t nargs;
	bool typed; /* args[] may be used */
};

/* A growing list of sites; strings live as long as the probe set. */
struct site_list {
	struct dif_site *v;
	size_t n, cap;
};

/* Stability of a provider's probes: for each part of the name and for the
   arguments name, data and class, as the manual of the provider has them. */
struct prov_attr {
	const char *prov, *mod, *func, *name, *args; /* "E/E/C" */
};

struct prov_ops {
	const char *name; /* for messages: "syscall", "pid" */
	struct prov_attr attr;
	/*
	 * Make the probes that match pd and are not there yet, with
	 * probe_add().  pd->id is 0.  Called often and with any description,
	 * also ones of other providers (pd->prov may be a glob: use
	 * probe_glob()).  0, or -1 with *e if the description is this
	 * provider's and cannot be served.
	 */
	int (*provide)(struct prov *pv, const struct dif_pdesc *pd,
		       struct err *e);
	/* Types of the arguments.  May be NULL: untyped. */
	int (*args)(struct prov *pv, const struct probe *p,
		    struct probe_args *out, struct err *e);
	/* Where the probe fires. */
	int (*sites)(struct prov *pv, const struct probe *p,
		     struct site_list *out, struct err *e);
	void (*fini)(struct prov *pv);
	/*
	 * May be NULL.  Put the fields of *pd that this provider knows by
	 * other names into the words of its probes (the module `libc` of a
	 * process is libc.so.6).  Called after provide(); descriptions of
	 * other providers are left alone; strings live as long as the set.
	 */
	void (*canon)(struct prov *pv, struct dif_pdesc *pd);
	/* May be NULL.  The process whose code alone a description is about;
	   0: it is not this provider's, or of no single process. */
	int32_t (*pid)(struct prov *pv, const struct dif_pdesc *pd);
};

/* What providers may use; owned by the handle, outlives them. */
struct proc_set;
struct prov_env {
	struct type_space *types;
	struct proc_set *procs; /* processes under control, symbols */
};

struct prov {
	const struct prov_ops *ops;
	struct probe_set *set;
	const struct prov_env *env;
	void *data; /* the provider's own */
};

/* ---- the set ------------------------------------------------------------- */

struct probe_set *probe_set_new(const struct prov_env *env, struct err *e);
void probe_set_free(struct probe_set *ps);
/* Register a provider; init (may be NULL) fills prov.data.  0 / -1. */
int probe_set_add_prov(struct probe_set *ps, const struct prov_ops *ops,
		       int (*init)(struct prov *, struct err *),
		       struct err *e);

/*
 * Add a probe; strings are copied.  If the tuple exists already, that probe is
 * returned.  NULL: no memory.
 */
struct probe *probe_add(struct prov *pv, const char *prov, const char *mod,
			const char *func, const char *name);
/* Let descriptions that name func, or match it, find the probe as well.  The
   string is copied.  0, or -1: no memory. */
int probe_add_alias(struct probe *p, const char *func);
struct probe *probe_by_id(struct probe_set *ps, uint32_t id);
struct probe *probe_find(struct probe_set *ps, const char *prov,
			 const char *mod, const char *func, const char *name);
uint32_t probe_count(struct probe_set *ps);
/* True if there is such a provider.  No probes are made to find out. */
bool probe_has_prov(struct probe_set *ps, const char *name);
/*
 * A new round: from now on providers that are asked (probe_match()) mark what
 * they have to say anew.  A probe whose round is this one has come, or has come
 * to more places, since.  The round's number.
 */
uint32_t probe_round(struct probe_set *ps);
/* A string that lives as long as the set. */
const char *probe_str(struct probe_set *ps, const char *s);

/*
 * Ask every provider for what pd describes, then call fn for each match in
 * order of id; fn returns non-zero to stop.  Returns the number of matches, or
 * -1 with *e.
 */
int probe_match(struct probe_set *ps, const struct dif_pdesc *pd,
		int (*fn)(void *arg, struct probe *p), void *arg,
		struct err *e);

/* The process whose code alone a description is about, by its provider, even if
   there is nothing of it yet; 0: none. */
int32_t probe_desc_pid(struct probe_set *ps, const struct dif_pdesc *pd);

/* ---- names --------------------------------------------------------------- */

/* True if these four names match pd's four fields.  (pd->id is not looked
   at.) */
bool probe_desc_match(const struct dif_pdesc *pd, const char *prov,
		      const char *mod, const char *func, const char *name);
/* Shell-style match of a whole field; pattern "" matches everything. */
bool probe_glob(const char *pattern, const char *s);
bool probe_is_glob(const char *pattern);
/*
 * Split "a:b:c:d" into fields, right-most is `spec` (0 provider .. 3 name, as
 * enum lang_spec); fields are copied to arena.  -1 with *e when overspecified.
 */
int probe_parse_desc(struct arena *a, const char *text, int spec,
		     struct dif_pdesc *out, struct err *e);

/* Append a site. 0, or -1 without memory. */
int site_add(struct site_list *l, const struct dif_site *s, struct err *e);
/*
 * What sites share, kept once each for as long as the set lives.  Paths in
 * recipes come from probe_path().  NULL: no memory.
 */
const struct dif_recipes *probe_recipes(struct probe_set *ps,
					const struct dif_recipes *r);
const struct dif_whens *probe_whens(struct probe_set *ps,
				    const struct dif_whens *w);
/*
 * The loads that C would do for a member of what `from` points to:
 * "signal->group_exit_code", "sa.sa_handler".  Kept as recipes are.  NULL and
 * *e: no such member in this kernel, or nothing that a register holds.
 */
const struct dif_path *probe_path(struct probe_set *ps, struct type *from,
				  const char *text, struct err *e);

#endif
