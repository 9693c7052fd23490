/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* parse_impl.h - what the parser's files share. */
#ifndef LANG_PARSE_PARSE_IMPL_H
#define LANG_PARSE_PARSE_IMPL_H

#include "lang/lex/lex.h"
#include "lang/parse/parse.h"
#include "lang/tree/names.h"

#define PARSE_MAX_DEPTH	 256  /* of the parser's recursion */
#define PARSE_MAX_HEIGHT 1000 /* of a tree: the passes recurse on it */

struct pending_enum {
	struct pending_enum *next;
	const char *name;
	int64_t val;
};

struct parser {
	unsigned depth;
	struct src_loc open; /* the innermost brace of a body */
	unsigned nclauses; /* seen so far: the first may have its own spec */
	bool in_members;   /* declarators may have names of KWF_MEMBER */
	bool lazy; /* of structs only the tag is wanted: ask no kernel */
	/* Names that are variables although the tables do not know them yet:
	   parameters of the inline or translator being read. */
	const char **params;
	uint32_t nparams;
	/* Enumerators of the enum being read. */
	struct pending_enum *enums;
	const struct parse_ask *ask;
	bool in_typedef; /* what is being declared is a type's name ... */
	bool vector;     /* ... of a vector of 16 bytes */
};

/* parse.c: the value of n, which fails the compile with the tag unless it is
   an integer constant; what names it in the message. */
int64_t parse_const(struct compile *cx, struct node *n,
		    const struct err_tag *tag, const char *what);

/* parse_expr.c */
void parse_deeper(struct compile *cx, struct src_loc loc);
void parse_shallower(struct compile *cx);
bool parse_is_variable(struct compile *cx, const char *name);

struct node *parse_expr(struct compile *cx);	    /* with commas */
struct node *parse_assign_expr(struct compile *cx); /* without */
struct node *parse_cond_expr(struct compile *cx);   /* constants */
/* All children are set: check the height. */
struct node *parse_seal(struct compile *cx, struct node *n);
/* The name after . or ->, or of a member. */
struct token parse_member_name(struct compile *cx);
bool parse_at_member_name(struct compile *cx);

/* parse_stmt.c */
/* { ... }, the opening brace included. */
void parse_block(struct compile *cx, struct node ***body, uint32_t *n);

/* parse_spec.c: outer scope */
enum outer_kind { OUTER_END, OUTER_DECL, OUTER_SPEC };
enum outer_kind parse_outer_kind(struct compile *cx);
void parse_specs(struct compile *cx, struct clause_node *c);

/* parse_item.c */
void parse_inline(struct compile *cx, struct item *it);
void parse_translator(struct compile *cx, struct item *it);
void parse_provider(struct compile *cx, struct item *it);

/* parse_decl.c */
struct declspec {
	struct src_loc loc;
	enum decl_class cls;
	struct type *type;
	bool defines; /* it declares something without a declarator: a tag,
			 enumerators */
	bool anon_sou; /* struct or union without a tag */
	bool user; /* userland */
	struct type_attrs attrs;
};
/* strict: a struct tag that nobody knows is an error, not a new one. */
void parse_declspec(struct compile *cx, struct declspec *ds, bool strict);
/* True if a type begins at the i-th token. */
bool parse_type_at(struct compile *cx, size_t i);
struct type *parse_type_name(struct compile *cx);
/* The same where a struct that nobody knows is not yet an error. */
struct type *parse_type_mention(struct compile *cx);
void parse_declarator(struct compile *cx, struct type *base, struct decl *d,
		      const char ***params);
/*
 * parse_attr.c: __attribute__ here, if there is one (or several), added to *a;
 * false if there is none.
 */
bool parse_attrs(struct compile *cx, struct type_attrs *a);
/* parse_attr.c: after `static` and its type, a function of a header, with its
   body, which is left out, or without.  False: it is no function. */
bool parse_static_function(struct compile *cx, struct declspec *ds);
/* A declaration at outer scope, to its semicolon. */
void parse_declaration(struct compile *cx, struct item *it);
/* The type of one parameter or key, and its name or NULL. */
struct type_param parse_param(struct compile *cx, struct src_loc *loc);
/* ( params ), the opening one taken already; types adjusted as in C.
   variadic NULL: no "...", and names may repeat. */
void parse_params(struct compile *cx, struct type_param **v, uint32_t *n,
		  bool *variadic);

/* parse_pasted.c: fail if the description that has been read up to here, with
   its macros replaced, goes on as names of C++, Rust and Go do. */
void parse_refuse_pasted(struct compile *cx, const char *text);

/* parse_declarator.c */
_Noreturn void decl_unknown(struct compile *cx, struct src_loc loc,
			    const char *name);
_Noreturn void decl_no_type(struct compile *cx, const struct token *t);

/* decl.c: struct, union, enum; after their keyword. */
struct type *decl_sou(struct compile *cx, enum type_kind kind,
		      struct src_loc loc, struct declspec *ds, bool strict);
struct type *decl_enum(struct compile *cx, struct src_loc loc,
		       struct declspec *ds);
void decl_typedef(struct compile *cx, const struct decl *d);
/* Rules for variables: void, incomplete, dimension missing ... */
void decl_object(struct compile *cx, const struct decl *d);
/* True if it is a struct without members yet, or an array of such. */
bool decl_incomplete(struct compile *cx, struct type *t);
/* A declared type of that name, or NULL: of programs and D libraries. */
struct type *decl_lookup_local(struct compile *cx, const char *name);
/* The same without the D library's, which a program's own types may hide. */
struct type *decl_lookup_own(struct compile *cx, const char *name);

#endif
