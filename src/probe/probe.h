/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * probe.h - probes and their names, matching, and the contract of providers.
 *
 * A provider states facts: which probes exist, what their arguments are, where
 * they fire (sites) and where each argument is found (recipes).  It never
 * writes code for an engine.  Providers make probes lazily: provide() is told
 * what is being looked for and adds what could match, so that a program that
 * names a system call never pays for a list of kernel functions.
 * (doc/howto-provider.md shows how one is made.)
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
struct proc;
struct proc_set;

/* Stability of probes: for each part of the name and for the
   arguments name, data and class, as a manual writes them,
   Evolving/Evolving/ISA. */
struct prov_attr {
	const char *prov, *mod, *func, *name, *args; /* "E/E/C" */
};

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
	const struct prov_attr *attr; /* NULL: as all of its provider's */
};

/* Zeroed, but for map[n] = n, before a provider is asked. */
struct probe_args {
	struct type *type[DIF_NARGS]; /* NULL: untyped */
	/* As its author calls it; NULL: that is not known.  Lives as long as
	   the set, or as the types. */
	const char *name[DIF_NARGS];
	/* D text of the type that args[n] is translated to from type[n];
	   NULL: it is not.  Lives as long as the set. */
	const char *xlate[DIF_NARGS];
	uint8_t map[DIF_NARGS]; /* the raw argument that args[n] is made from */
	uint32_t nargs;
	uint32_t unread; /* bit n: no raw argument has args[n] */
	bool typed; /* args[] may be used */
	const char *why; /* !typed: for the message; NULL: nothing is known */
};

/* A probe that is made of others: see prov_ops.made. */
#define PROBE_MADE_TEXTS 4
struct probe_made {
	const char *text[PROBE_MADE_TEXTS]; /* D clauses; NULL: no more */
	/* Names one probe, of another provider; its prov is NULL: the probe
	   has sites of its own. */
	struct dif_pdesc base;
};

/* A growing list of sites; strings live as long as the probe set. */
struct site_list {
	struct dif_site *v;
	size_t n, cap;
};

/* args[n] of the probe is translated to that type: prov_ops.translated. */
typedef void probe_translated_fn(void *arg, const char *prov, const char *name,
				 const char *type);

/*
 * The contract of providers.
 *
 * A provider is a const struct of this kind and prov_<name>_init(), called once
 * for each handle, before anything else; it may set prov.data and must be
 * cheap: what is dear to learn waits until a description asks for it.  All
 * hooks run in the consumer's thread, never while a probe fires; they may
 * allocate, and read files.  None is entered again while it runs, and none may
 * call probe_match().
 *
 * A hook that can fail returns 0, or -1 with *e set: a message that names the
 * probe, what is missing, and the cure.  Strings in probes, sites and
 * probe_args must live as long as the set: literals, what probe_add() has
 * copied, what probe_str() gives.
 */
struct prov_ops {
	const char *name; /* for messages, and "there is no provider ..." */
	/* Stability of all its probes, but those that have their own. */
	struct prov_attr attr;
	/* -F shows its entry and return with => and <=: calls into another
	   world, as system calls are. */
	bool crosses;
	/* It has thousands of probes: it is not asked when a handle is opened
	   (probe_make_usual()), but when a description may be about them. */
	bool many;
	/* args() is dear: it is called only for clauses that use args[]. */
	bool args_late;
	/* Modules of the kernel bring probes of it: provide() finds those of
	   modules that have been loaded since it was last called. */
	bool modules;

	/*
	 * Overview   Make the probes that match a description and are not
	 *            there yet, with probe_add().
	 * pd         what is looked for, by anybody: any field may be empty, or
	 *            a pattern (probe_desc_match(), probe_glob()); pd->id is 0;
	 *            its strings live for the call alone.
	 * Returns    0, also where nothing matches or it is another provider's;
	 *            -1 if the description is this provider's and cannot be
	 *            served.  Errors of tags D_PROC_FUNC and D_PROC_LIB are
	 *            forgiven with -Z.
	 * Called     when a clause is compiled, once more when it is enabled,
	 *            for each description of a listing, and again whenever a
	 *            process under control has mapped something; so what has
	 *            been made once should be found quickly.
	 */
	int (*provide)(struct prov *pv, const struct dif_pdesc *pd,
		       struct err *e);

	/*
	 * Overview   Say of what type the arguments are, and what args[n] is
	 *            translated to.  May be NULL: untyped, arg0 to arg9 alone.
	 * p          a probe of this provider
	 * out        zero, but for map[n] == n; types are of prov_env.types
	 * Returns    0; -1 if a type that must be there is not.
	 * Called     for each probe that matches a clause that uses args[], and
	 *            by listings with -v; perhaps never.
	 */
	int (*args)(struct prov *pv, const struct probe *p,
		    struct probe_args *out, struct err *e);

	/*
	 * Overview   Say to what type args[n] of a probe is translated, for
	 *            all probes and arguments that there may be: fn(arg, its
	 *            provider, its name, the type as D text).  May be NULL:
	 *            nothing is, or it is not known before args().
	 * Called     when a program is compiled, before it is looked at.
	 */
	void (*translated)(struct prov *pv, probe_translated_fn *fn, void *arg);

	/*
	 * Overview   Say where the probe fires, and how its arguments are had
	 *            there: facts, which know of no engine.
	 * p          a probe of this provider
	 * out        site_add() for each place; there may be others' before.
	 *            Recipes and conditions are those that probe_recipes() and
	 *            probe_whens() keep: engines compare the pointers.
	 * Returns    0; with no site the probe is left out.  -1 ends
	 *            dtrace_go(): this kernel, or the process, lacks something.
	 * Called     once when tracing starts, for enabled probes only, of
	 *            which there may be hundreds of thousands; again for probes
	 *            whose process has mapped something since.
	 */
	int (*sites)(struct prov *pv, const struct probe *p,
		     struct site_list *out, struct err *e);

	/*
	 * Overview   Say of which probes this one is made, and how.  May be
	 *            NULL: none of this provider's is.  Where it is not NULL,
	 *            all are.
	 * out        base: the probe at whose sites this one fires, with its
	 *            arguments; where there is none, those of its own sites().
	 *            text: clauses that are enabled in front of the
	 *            program's, once for each text.  Those for this probe leave
	 *            in this->__fires whether it fires, and in this->__arg0 ..
	 *            its arguments; those for others may remember what is not
	 *            known there any more, in variables of the thread.
	 * Returns    0; -1 if there is no such probe to make it of.
	 * Called     for each probe that a clause matches, when it is enabled;
	 *            again when tracing starts.
	 */
	int (*made)(struct prov *pv, const struct probe *p,
		    struct probe_made *out, struct err *e);

	/*
	 * Overview   Call fn with the text of made() of probes that pd has in
	 *            files to come.  May be NULL: probes in files that nobody
	 *            maps when tracing begins are left out.
	 * Returns    0; what fn returned when not 0; -1 + *e: no memory
	 * Called     when a clause is enabled.
	 */
	int (*ahead)(struct prov *pv, const struct dif_pdesc *pd,
		     int (*fn)(void *arg, const struct probe_made *m),
		     void *arg, struct err *e);

	/*
	 * Overview   Put the fields of a description that this provider knows
	 *            by other names into the words of its probes: the module
	 *            `libc` of a process is libc.so.6.  May be NULL.
	 * pd         a copy, whose fields may be replaced; one of another
	 *            provider is left alone
	 * Called     after each provide().
	 */
	void (*canon)(struct prov *pv, struct dif_pdesc *pd);

	/*
	 * Overview   Say whose code alone a description is about, even if
	 *            nothing of it is there yet.  May be NULL: nobody's.
	 * Returns    the number of the process; 0: it is not this provider's,
	 *            or not about a single process.
	 * Called     once when a clause is enabled.
	 */
	int32_t (*pid)(struct prov *pv, const struct dif_pdesc *pd);

	/*
	 * Overview   Make the probes of every process that a description has in
	 *            the files of one more process.  May be NULL: this provider
	 *            has no such probes.
	 * p          whose objects are looked at; NULL: nothing is made
	 * Returns    1: the description is this provider's, and about every
	 *            process; 0: it is not; -1 + *e: no memory
	 * Called     when tracing starts, with NULL; while tracing, for files
	 *            that nobody had mapped when it began.
	 */
	int (*every)(struct prov *pv, const struct dif_pdesc *pd,
		     struct proc *p, struct err *e);

	/*
	 * Overview   Say in which files a probe of every process is: what their
	 *            debug information calls so is what a type's name means in
	 *            its clauses.  May be NULL: this provider has no such
	 *            probes.
	 * n          from 0 on; files may come more than once
	 * path       of the file, for messages
	 * Returns    the n-th, for as long as the handle; NULL: there are no
	 *            more, or the probe is one process's.
	 * Called     when a clause with such a name is compiled.
	 */
	struct elf_file *(*file)(const struct probe *p, size_t n,
				 const char **path);

	/* Free prov.data, when the set is freed.  May be NULL. */
	void (*fini)(struct prov *pv);
};

/* What providers may use; owned by the handle, outlives them. */
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
/* The same, but another probe with the same tuple: what has one name may be
   several things.  The provider keeps it, as nothing else finds it again. */
struct probe *probe_add_twin(struct prov *pv, const char *prov, const char *mod,
			     const char *func, const char *name);
/* Let descriptions that name func, or match it, find the probe as well.  The
   string is copied.  0, or -1: no memory. */
int probe_add_alias(struct probe *p, const char *func);
/* The probe's stability: its own, or its provider's. */
const struct prov_attr *probe_attr(const struct probe *p);
struct probe *probe_by_id(struct probe_set *ps, uint32_t id);
/* True if there is such a provider.  No probes are made to find out. */
bool probe_has_prov(struct probe_set *ps, const char *name);
/* What prov_ops.translated of each provider says. */
void probe_translated(struct probe_set *ps, probe_translated_fn *fn, void *arg);
/* True if the provider of this name in prov.def makes probes of processes,
   whose providers have a process id in their name (prov_ops.pid). */
bool probe_prov_of_processes(struct probe_set *ps, const char *name);
/* True if modules of the kernel may bring probes that match. */
bool probe_desc_modules(struct probe_set *ps, const struct dif_pdesc *pd);
/*
 * A new round: from now on providers that are asked (probe_match()) mark what
 * they have to say anew.  A probe whose round is this one has come, or has come
 * to more places, since.  The round's number.
 */
uint32_t probe_round(struct probe_set *ps);
/*
 * Whoever asks for probes, for a program or a listing, may do so of hundreds of
 * descriptions; what providers have found out for one of them holds for all, as
 * long as the number is the same.  New: from now on it is another.
 */
uint64_t probe_asks(const struct probe_set *ps);
void probe_asks_new(struct probe_set *ps);
/* A string that lives as long as the set. */
const char *probe_str(struct probe_set *ps, const char *s);

/*
 * Make the probes that every trace can have, always in the same order, so that
 * ids mean the same from run to run: all but those of providers of very many,
 * which come behind them.  0 / -1.
 */
int probe_make_usual(struct probe_set *ps, struct err *e);

/*
 * Before a listing of what pd describes: if it names a provider of very many,
 * make all of that one's and of those before it, so that ids are those of a
 * listing of everything, which can be enabled by them.  0 / -1.
 */
int probe_make_listed(struct probe_set *ps, const struct dif_pdesc *pd,
		      struct err *e);

/*
 * Ask every provider for what pd describes (of an id that nobody has, the
 * providers of very many for all of theirs, in the order of a listing), then
 * call fn for each match in order of id; fn returns non-zero to stop.  Returns
 * the number of matches, or -1 with *e.
 */
int probe_match(struct probe_set *ps, const struct dif_pdesc *pd,
		int (*fn)(void *arg, struct probe *p), void *arg,
		struct err *e);

/*
 * The same of probes that fire in every process: those that pd has in the files
 * of p are made, and fn (may be NULL) is called for all that there are.  p
 * NULL: for none.
 * 1: pd is about every process; 0: it is not; -1 + *e: no memory.
 */
int probe_match_every(struct probe_set *ps, const struct dif_pdesc *pd,
		      struct proc *p, int (*fn)(void *arg, struct probe *p),
		      void *arg, struct err *e);

/* True if what pd describes, of which nothing need be there, is made of other
   probes. */
bool probe_desc_made(struct probe_set *ps, const struct dif_pdesc *pd);
/* prov_ops.ahead() of all providers. */
int probe_ahead(struct probe_set *ps, const struct dif_pdesc *pd,
		int (*fn)(void *arg, const struct probe_made *m), void *arg,
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
/* True if a field of a description names something, alone. */
bool probe_is_exact(const char *field);
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
