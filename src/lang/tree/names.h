/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * names.h - what names mean: identifiers, translators, providers, and the
 * tables of struct lang that hold them.
 */
#ifndef LANG_TREE_NAMES_H
#define LANG_TREE_NAMES_H

#include "lang/tree/compile.h"

enum ident_kind { ID_VAR, ID_INLINE, ID_EXTERN };
/* What a declared or first-used name means; in the lang's tables. */
struct ident {
	enum ident_kind kind;
	const char *name;
	struct type *type;	/* NULL: not yet known (first assignment
				   tells) */
	struct dif_uvar *var;	/* ID_VAR: scope, id, keys */
	struct type **keys;	/* assoc array: D types of the tuple, or NULL */
	uint32_t nkeys;
	bool assoc;
	bool library;		/* the D library declares it */
	struct node *expr;	/* ID_INLINE; keys are its parameters' types */
	struct src_loc loc;
	uint32_t version;	/* #pragma D binding: seen from this one on */
};
/* A translator; its trees are in an arena that lang keeps. */
struct xlator {
	struct xlator *next;
	struct type *out, *in;
	const struct xlator_member *members;
	uint32_t nmembers;
	uint32_t version; /* as of struct ident */
	struct src_loc loc;
};
/* A provider declared in a program. */
struct prov_decl {
	struct lang_provider pub;
	struct lang_probe_info *types; /* by probe */
};
struct agg_ident {
	struct dif_aggvar *agg;
	struct type **keys;
	struct src_loc loc;
};

/* ---- names.c ------------------------------------------------------------ */

/*
 * What a compile declares is seen by it at once and by later ones only after
 * commit.  commit may fail the compile (memory); begin and rollback do not.
 */
void names_begin(struct compile *cx);
void names_commit(struct compile *cx);
void names_rollback(struct compile *cx);
/* True if it names a D variable, builtin or inline, not a type.  For a text of
   the D library, programs' are none. */
bool names_is_variable(struct compile *cx, const char *name);
struct ident *names_find(struct compile *cx, enum dif_scope scope,
			 const char *name);
struct ident *names_add(struct compile *cx, enum dif_scope scope,
			enum ident_kind kind, const char *name,
			struct type *type, struct src_loc loc);
/* A translator of this compile, to be filled in. */
struct xlator *names_add_xlator(struct compile *cx);
void names_add_provider(struct compile *cx, struct prov_decl *d);
/* An identifier, if it is one, is not seen by versions before this. */
void names_bind(struct compile *cx, const char *name, uint32_t version);
/* Give a new ID_VAR ident its variable; keys: an associative array. */
void names_make_var(struct compile *cx, struct ident *id, enum dif_scope scope,
		    struct type **keys, uint32_t nkeys);
struct agg_ident *names_find_agg(struct compile *cx, const char *name);
struct agg_ident *names_add_agg(struct compile *cx, const char *name,
				uint32_t nkeys, struct src_loc loc);
/* True if there is such a name, seen by this version or not. */
bool names_exists(struct compile *cx, const char *name);
/* Constants every program knows: R_RIP, DTRACEFLT_BADADDR, NULL. */
bool names_constant(const char *name, int64_t *val);

/*
 * What is built in and seen by the program's version of D (since.def); NULL if
 * there is no such name or it came later.
 */
const struct dif_builtin_info *names_builtin(const struct compile *cx,
					     const char *name);
const struct dif_subr_info *names_subr(const struct compile *cx,
				       const char *name);
const struct dif_act_info *names_act(const struct compile *cx,
				     const char *name);
const struct dif_agg_info *names_aggfunc(const struct compile *cx,
					 const char *name);
/* True if the built-in name came with a later version than the program's. Then
   *version is that one. */
bool names_hidden(const struct compile *cx, const char *name,
		  uint32_t *version);
/* " (D has NAME since ...)" for a name that is hidden, else "". */
const char *names_later(struct compile *cx, const char *name);

#endif
