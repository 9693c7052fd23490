/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * lang.h - the door of the front end: D text in, DIF programs out.
 *
 * The compiler knows no provider, no engine and no kernel: what it must ask of
 * the world goes through struct lang_host, so that it runs and is fuzzed
 * without privilege.  A struct lang lives as long as the libdtrace handle and
 * holds what D programs of one trace share: variables, aggregations, inlines,
 * types, translators.  A failed compile leaves no trace in it.
 */
#ifndef LANG_LANG_H
#define LANG_LANG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "dif/dif.h"
#include "type/type.h"

/* What the world says about a probe description. */
struct lang_probe_info {
	uint32_t nmatch; /* probes that match now */
	/* Types of args[0..nargs-1], if all matches agree; entries may be
	   NULL: known to exist, untyped (uint64_t). Owned by the host. */
	struct type *args[DIF_NARGS];
	/* What args[n] is translated to, as D text ("psinfo_t *"), from a
	   value of type args[n]; NULL: it is not. Owned by the host. */
	const char *xlate[DIF_NARGS];
	/* The raw argument that args[n] is made from. */
	uint8_t map[DIF_NARGS];
	uint32_t nargs;
	uint32_t unread; /* bit n: no raw argument has args[n] */
	bool later;	 /* args[] has not been asked for: probe_args() */
	const char *why; /* !typed: the reason, if it is known */
	bool typed;	 /* args[] is meaningful for this description */
	bool mixed;	 /* matches disagree: args[] is D_ARGS_MULTI */
	/* They are made of other probes by clauses of the provider, which leave
	   arg0 .. in this->__arg0 .., and whether the probe fires in
	   this->__fires; made_some: some are, others not. */
	bool made, made_some;
	/* probe_info() failed because a process does not have what is named. */
	bool absent;
	/* Where nothing matches, for the message: " (did you mean ...)"; NULL:
	   nothing is known. Owned by the host. */
	const char *hint;
};

struct lang_host {
	void *arg;
	/*
	 * Probes that match (making them if the provider makes probes on
	 * demand).  0, or -1 with *e for an error better than "no match"
	 * (D_PROC_..., unknown process).  Zero matches is not an error here.
	 */
	int (*probe_info)(void *arg, const struct dif_pdesc *pd,
			  struct lang_probe_info *out, struct err *e);
	/* The same with types that are dear to learn: called where a clause
	   uses args[], if probe_info() said later.  NULL: never needed. */
	int (*probe_args)(void *arg, const struct dif_pdesc *pd,
			  struct lang_probe_info *out, struct err *e);
	/*
	 * A type of the program that a clause is about, before the kernel's of
	 * that name: pds are the clause's npds descriptions, NULL outside of
	 * clauses; module NULL or one of its objects ("a.out"); the name may be
	 * TYPE_ENUMERATOR and that of a constant.  NULL: there is none; or the
	 * hook is NULL.  *why is set, to what lives as long as
	 * the host, where there are several which differ.
	 */
	struct type *(*user_type)(void *arg, const struct dif_pdesc *pds,
				  uint32_t npds, const char *module,
				  const char *name, const char **why);
	/*
	 * A variable of the process that a clause is about, in one of its
	 * objects: 0 with its address there and its type (NULL: not known);
	 * -1: there is none, or *why says why it cannot be had.  1: it is
	 * there, and *why says why nobody can have it.  NULL: never.
	 */
	int (*user_var)(void *arg, const struct dif_pdesc *pds, uint32_t npds,
			const char *module, const char *name, uint64_t *addr,
			struct type **type, const char **why);
	/* Address of a kernel symbol; module "" searches all.  0 / -1. */
	int (*ksym)(void *arg, const char *module, const char *name,
		    uint64_t *addr);
	/* What a message about a symbol that ksym() does not know ends with: a
	   reason, or what was meant; "": nothing is known.  NULL: as "". */
	const char *(*ksym_hint)(void *arg, const char *module,
				 const char *name);
	/* #pragma D option. 0, or -1 with *e. */
	int (*setopt)(void *arg, const char *name, const char *val,
		      struct err *e);
	/* #pragma D depends_on: 1 if what it names is there, 0 if not, -1:
	   no memory.  NULL: none ever is. */
	int (*depends)(void *arg, const char *kind, const char *name);
	/* #pragma warn; NULL: not shown. */
	void (*warn)(void *arg, struct src_loc loc, const char *msg);
	/* Numeric value of $target and the like; false: undefined. */
	bool (*macro)(void *arg, const char *name, int64_t *val);
	/* Engines the program may run on: enum dif_engines bits. */
	unsigned engines;
	struct type_space *types; /* base space, with the kernel attached */
};

/* Compile flags: DTRACE_C_* of <dtrace.h> have the same values. */
enum lang_cflags {
	LANG_C_DIFV = 0x01, LANG_C_EMPTY = 0x02, LANG_C_ZDEFS = 0x04,
	LANG_C_EATTR = 0x08, LANG_C_CPP = 0x10, LANG_C_KNODEF = 0x20,
	LANG_C_UNODEF = 0x40, LANG_C_PSPEC = 0x80, LANG_C_ETAGS = 0x100,
	LANG_C_ARGREF = 0x200, LANG_C_DEFARG = 0x800, LANG_C_NOLIBS = 0x1000,
	LANG_C_CTL = 0x2000, LANG_C_WHO = 0x4000
};

/* What the right-most field of a probe description in the text is. */
enum lang_spec { LANG_SPEC_NONE = -1, LANG_SPEC_PROVIDER, LANG_SPEC_MOD,
		 LANG_SPEC_FUNC, LANG_SPEC_NAME };

/* What the options iregs and tregs set, while a program is parsed too; 0: as
   many as DIF has. */
struct lang_limits {
	uint32_t iregs, tregs;
};

/* What a compile shows of the program; buffers are the caller's. */
enum lang_stages { LANG_TREE_PARSED = 1, LANG_TREE_CHECKED = 2 };
struct lang_show {
	struct buf *text; /* the program as D without if; NULL: not wanted */
	struct buf *tree; /* trees, a node a line */
	unsigned stages;  /* of enum lang_stages; 0: no trees */
};

/* Errors of a program after its first one, in the order in which they were
   found, n of them; the caller sets n to 0. */
#define LANG_NMORE 9
struct lang_more {
	struct err v[LANG_NMORE];
	uint32_t n;
};

struct lang_src {
	const char *text;
	size_t len;
	const char *file; /* NULL: text from the command line */
	enum lang_spec spec; /* NAME for files */
	unsigned cflags;
	int argc;	  /* $0.. */
	char *const *argv;
	/* A text of the D library: declarations only, checked when used. */
	bool library;
	/* A provider's, of which its probes are made: arg0 .. are those of the
	   probes below, and firings leave no records. */
	bool maker;
	/* Version of D the program is for: major << 24 | minor << 12 | micro.
	   Names bound to a later one are not seen.  0: the newest. */
	uint32_t version;
	const struct lang_limits *limits; /* NULL: DIF's own */
	struct lang_more *more; /* errors after the first; NULL: not looked
				   for */
	const struct lang_show *show; /* NULL: nothing */
};

/* A version of D as text, major.minor[.micro]; false: it is none. */
bool lang_version(const char *text, uint32_t *version);

struct lang;
struct lang *lang_new(const struct lang_host *host, struct err *e);
void lang_free(struct lang *l);

/*
 * Compile.  A program owned by the caller (dif_prog_free), or NULL with *e:
 * tag, place and message, without the "line N:" prefix (lib adds it).
 */
struct dif_prog *lang_compile(struct lang *l, const struct lang_src *src,
			      struct err *e);

/*
 * Write types as C text that compiles, with assertions of sizes and offsets:
 * D's own and what has been read of the kernel's, or those that programs have
 * declared, with all that these need.
 */
enum lang_types { LANG_TYPES_C, LANG_TYPES_D };
int lang_write_types(const struct lang *l, enum lang_types which,
		     struct buf *out, struct err *e);

/*
 * The words of a text, names and keywords, in order, each as often as it is
 * there, but not those in comments and strings.  They are not terminated.  For
 * any text, without a compile.
 */
typedef void lang_word_fn(void *arg, const char *word, size_t len);
void lang_words(const char *text, size_t len, lang_word_fn *fn, void *arg);

/* Variables and aggregations so far; owned by l, grows with each compile. */
struct dif_tab *lang_tab(struct lang *l);

/*
 * Providers declared in programs, as `dtrace -h` needs them: in order of
 * declaration, from 0 to lang_nproviders() - 1.  Owned by l; they live as long.
 */
struct lang_provider_arg {
	const char *type; /* as C writes it: "struct res *" */
	struct type *ctype; /* the type itself */
	const char *name; /* NULL: none was given */
};
struct lang_provider_probe {
	const char *name;  /* of the probe: query-start */
	const char *cname; /* as declared: query__start */
	struct lang_provider_arg *args; /* native */
	uint32_t nargs;
	/* What args[] is; the native ones again if not declared apart. */
	struct lang_provider_arg *xargs;
	const uint8_t *map; /* xargs[i] is made from args[map[i]] */
	uint32_t nxargs;
	struct src_loc loc;
};
struct lang_provider {
	const char *name;
	struct lang_provider_probe *probes;
	uint32_t nprobes;
	struct src_loc loc;
};
size_t lang_nproviders(const struct lang *l);
const struct lang_provider *lang_provider(const struct lang *l, size_t i);
/*
 * Stability of a part of it ("provider", "module", "function", "name",
 * "args"): name, data (Internal 0 .. Standard 7), class (Unknown 0 ..
 * Common 5); Private/Private/Unknown unless a pragma says otherwise.
 */
void lang_provider_stab(const struct lang *l, const struct lang_provider *p,
			const char *part, uint8_t stab[3]);

#endif
