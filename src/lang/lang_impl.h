/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * lang_impl.h - inside the front end: tokens, the tree, the compile.
 *
 *   text ──lex/parse──▶ tree ──check──▶ typed tree ──gen──▶ DIF
 *
 * The tree of one top-level item is parsed, checked and generated before the
 * next item is parsed, because declarations, inlines and pragmas decide how
 * later text reads.  Everything a compile makes lives in its arena and dies
 * with it, but for what the struct lang keeps (declared names), which is made
 * in the lang's arena and entered into its tables only when the whole compile
 * has succeeded.
 *
 * Errors: lang_fail() does not return; it jumps to the one setjmp in
 * lang_compile().  It never crosses a callback, a room or the API.
 */
#ifndef LANG_LANG_IMPL_H
#define LANG_LANG_IMPL_H

#include <setjmp.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "lang/lang.h"

/* ---- tags --------------------------------------------------------------- */

enum lang_tag {
#define TAG(name, what) name##_IDX,
#include "lang/errtag.def"
#undef TAG
	LANG_NTAGS
};
/* D_SYNTAX and so on are struct err_tag objects. */
#define TAG(name, what) extern const struct err_tag name;
#include "lang/errtag.def"
#undef TAG

struct compile;
_Noreturn void lang_fail(struct compile *cx, const struct err_tag *tag,
			 struct src_loc loc, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* ---- the tree ------------------------------------------------------------ */

enum node_kind {
	/* expressions */
	NODE_INT,    /* ival, type */
	NODE_STR,    /* str */
	NODE_IDENT,  /* name: variable, builtin, inline, enumerator, subroutine */
	NODE_SYM,    /* `sym, mod`sym: mod, name */
	NODE_AGG,    /* @name[args]: name ("_" if bare), args */
	NODE_SELF,   /* self->name, with args if subscripted */
	NODE_THIS,   /* this->name */
	NODE_SUB,    /* a[args]: left, args (array, pointer, assoc. array) */
	NODE_CALL,   /* name(args): subroutine, action or aggregating function */
	NODE_MEMBER, /* left.name */
	NODE_ARROW,  /* left->name */
	NODE_UNARY,  /* op left: - + ! ~ * & ++x --x x++ x-- */
	NODE_BINARY, /* left op right */
	NODE_ASSIGN, /* left op right: = += ... */
	NODE_COND,   /* cond ? left : right */
	NODE_COMMA,  /* left , right */
	NODE_CAST,   /* (ctype) left */
	NODE_SIZEOF_TYPE,
	NODE_SIZEOF, /* sizeof left */
	NODE_OFFSETOF, /* offsetof(ctype, name) */
	NODE_HAS_MEMBER, /* __has_member(ctype, name) */
	NODE_STRINGOF, /* stringof left */
	NODE_XLATE,  /* xlate <ctype> (left); checked: ident is the xlator */
	NODE_PARAM,  /* parameter ival of the inline or translator around it */
	/* statements */
	NODE_EXPR_STMT, /* left */
	NODE_IF	     /* cond, body, orelse */
};

/* What a node's ident points to once the node is checked. */
enum node_ref {
	REF_NONE,
	REF_BUILTIN, /* struct dif_builtin_info: ldgs, or ldga of args[0] */
	REF_VAR,     /* struct ident, ID_VAR; args are the tuple if assoc */
	REF_SUBR     /* struct dif_subr_info */
};

/* Operators: tokens stand for them (enum tok below). */
struct node {
	enum node_kind kind;
	int op;			/* enum tok */
	struct src_loc loc;
	struct node *left, *right, *cond;
	struct node **args;
	uint32_t nargs;
	bool subscripted;	/* args came in [] */
	const char *name, *mod; /* interned */
	const char *str;	/* NODE_STR: bytes, NUL-terminated */
	size_t len;
	uint64_t ival;
	struct type *ctype;	/* NODE_CAST, SIZEOF_TYPE, OFFSETOF, XLATE */
	struct node **body, **orelse; /* NODE_IF */
	uint32_t nbody, norelse;

	/* Set by check. */
	struct type *type;	/* of the value */
	struct type *declared;	/* translated member: as its struct has it,
				   if type is another */
	bool lvalue;
	bool user;		/* value read from user memory */
	bool is_const;		/* ival is the value */
	bool unused;            /* nobody wants the value (generator) */
	uint32_t bits;		/* value is a bit-field of this width, else 0 */
	uint32_t bit_shift;	/* and its place in the loaded unit */
	const void *ident;	/* resolved: struct ident, dif_*_info ... */
	enum node_ref ref;	/* what ident is */
	uint8_t unit;		/* bit-field: bytes of the loaded unit */
	uint8_t nregs;		/* registers to evaluate; 0: not yet known */
	uint32_t height;	/* of the subtree; the parser keeps it small */
};

/* One `specs /pred/ { body }`. */
struct clause_node {
	struct src_loc loc;
	struct dif_pdesc *pdescs; /* fields filled, macros expanded */
	struct src_loc *plocs;
	uint32_t npdescs;
	struct node *pred; /* or NULL */
	struct node **body; /* statements */
	uint32_t nbody;
	bool has_body; /* {} was there */
};

/* Declarators as the parser hands them to decl.c. */
enum decl_class { DECL_NONE, DECL_TYPEDEF, DECL_EXTERN, DECL_SELF, DECL_THIS,
		  DECL_STATIC };
struct decl {
	struct src_loc loc;
	enum decl_class cls;
	const char *name;	/* NULL: abstract */
	struct type *type;	/* of the object; element type if assoc */
	bool assoc;		/* name[types]: associative array */
	struct type **keys;
	uint32_t nkeys;
	bool is_func;		/* a prototype */
	bool user;		/* userland: its pointers are to user memory */
};

enum item_kind { ITEM_CLAUSE, ITEM_DECL, ITEM_INLINE, ITEM_XLATOR,
		 ITEM_PROVIDER, ITEM_NONE /* only pragmas, ; */ };
struct xlator_member { const char *name; struct node *expr;
		       struct src_loc loc; };
/* One `probe name(args) : (xargs);` of a provider declaration. */
struct provider_probe {
	const char *name; /* as written: __ is not yet - */
	struct src_loc loc;
	struct type_param *args, *xargs;
	uint32_t nargs, nxargs;
	bool has_xargs; /* ": (...)" was there */
};
struct item {
	enum item_kind kind;
	struct src_loc loc;
	struct clause_node clause;
	struct decl *decls;	/* DECL, INLINE (one; keys are parameters) */
	uint32_t ndecls;
	struct node *expr;	/* INLINE */
	const char **params;	/* INLINE with parameters: names; XLATOR: one */
	/* XLATOR */
	struct type *outtype, *intype;
	struct xlator_member *members;
	uint32_t nmembers;
	const char *provider;	/* PROVIDER: name */
	struct provider_probe *probes;
	uint32_t nprobes;
};

/* ---- identifiers ---------------------------------------------------------- */

enum ident_kind { ID_VAR, ID_INLINE, ID_EXTERN };
/* What a declared or first-used name means; in the lang's tables. */
struct ident {
	enum ident_kind kind;
	const char *name;
	struct type *type;	/* NULL: not yet known (first assignment tells) */
	struct dif_uvar *var;	/* ID_VAR: scope, id, keys */
	struct type **keys;	/* assoc array: D types of the tuple, or NULL */
	uint32_t nkeys;
	bool assoc;
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

/* One `#pragma D attributes` or `binding`, kept for those who print them. */
struct lang_attr {
	struct lang_attr *next;
	const char *provider; /* NULL: of an identifier */
	const char *name;     /* identifier; or provider, module, function ... */
	uint8_t stab[3];      /* name, data (Internal 0 .. Standard 7), class
				 (Unknown 0 .. Common 5) */
	bool binding;	      /* version instead of stab */
	uint32_t version;     /* 8.12.12 bits */
	struct src_loc loc;
};

struct lang {
	struct lang_host host;
	struct arena *arena;
	/*
	 * The programs' own types.  Each successful compile adds its space in
	 * front (spaces[nspaces - 1] is types); a failed one drops it.
	 */
	struct type_space *types;
	VEC(struct type_space *) spaces;
	size_t nlibspaces;        /* the first so many are the D library's */
	VEC(struct arena *) kept; /* arenas of compiles that named trees */
	VEC(struct prov_decl *) providers; /* in order of declaration */
	struct hash *files;	  /* file names seen, for src_loc */
	struct lang_attr *attrs;
	struct hash *globals, *selfs, *thiss; /* name -> struct ident */
	struct hash *aggs;		      /* name -> struct agg_ident */
	struct xlator *xlators;		      /* newest first */
	struct dif_tab tab;
	uint32_t nid[3]; /* next variable id by enum dif_scope */
};

/* ---- a compile -------------------------------------------------------------- */

enum tok {
	TOK_EOF = 0,
	/* single characters stand for themselves below 256 */
	TOK_INT = 256, TOK_STR, TOK_CHAR, TOK_IDENT, TOK_AGG, TOK_PSPEC,
	TOK_KEYWORD, /* lexeme's kw says which */
	TOK_MACRO,   /* $name, $$name, $1: expanded by the lexer where it can */
	TOK_ARROW, TOK_INC, TOK_DEC, TOK_LSH, TOK_RSH, TOK_LE, TOK_GE, TOK_EQ,
	TOK_NE, TOK_LAND, TOK_LOR, TOK_LXOR, TOK_ELLIPSIS,
	TOK_ADD_EQ, TOK_SUB_EQ, TOK_MUL_EQ, TOK_DIV_EQ, TOK_MOD_EQ, TOK_AND_EQ,
	TOK_XOR_EQ, TOK_OR_EQ, TOK_LSH_EQ, TOK_RSH_EQ,
	TOK_PRED_END, /* the closing / of a predicate */
	/* operators without a token of their own, in struct node.op */
	TOK_POSTINC, TOK_POSTDEC, TOK_DEREF, TOK_ADDROF, TOK_NEG, TOK_POS
};

/*
 * The inlines and translators whose expressions are being checked, innermost
 * first: what their parameters stand for, and where they were used.
 */
struct expansion {
	const struct expansion *up;
	const void *what; /* an inline, or a member of a translator */
	const char *name;
	struct src_loc use;
	/* Checked arguments; NULL: a declaration is checked, and parameters
	   are values of those types. */
	struct node **args;
	struct type **types;
};

struct lex; /* lex.c */
struct compile {
	jmp_buf fail;
	struct err *err;
	struct lang *lang;
	const struct lang_src *src;
	struct arena *arena;	/* freed when the compile ends */
	struct arena *out;	/* the program's */
	struct hash *strings;	/* interned */
	struct lex *lex;
	struct type_space *types; /* this compile's; parent: lang->types */
	unsigned cflags; /* of src, and what pragmas have added since */
	uint32_t version; /* names bound to later ones are not seen */
	uint32_t xlator_version; /* that the next translator is bound to */
	bool skip; /* a library whose depends_on is not met: keep nothing */
	/* Set by names_commit(): lang keeps the arena, which holds trees that
	   declared names (inlines, translators) still need. */
	bool keep_arena;
	struct lang_attr *attrs; /* of this compile, newest first */
	VEC(struct dif_clause) clauses;
	uint32_t *macro_used;	/* by argument number */
	struct parser *parser;	/* parse_impl.h */
	struct show *show;	/* show.c; NULL: the text is not written back */
	const struct expansion *expansion; /* NULL: none */
	/* Height of the inlines being expanded, their number so far: bounded. */
	uint32_t inline_height, ninlined;
	/* Names made by this compile; see names.c for commit and roll-back. */
	void *names;
	/* The clause being checked; see check_impl parts. */
	void *clause;
};

/* A string interned for this compile: equality is ==. */
const char *lang_intern(struct compile *cx, const char *s, size_t len);

/* Memory is short: fails the compile with ERR_NOMEM. */
_Noreturn void lang_nomem(struct compile *cx);
/* The name of a type for a message, in the compile's arena. */
const char *lang_type_name(struct compile *cx, struct type *t);

/* parse.c: the next top-level item, or NULL at the end of the text. */
struct item *parse_item(struct compile *cx);
void parse_init(struct compile *cx);
void parse_fini(struct compile *cx);
/* parse_expr.c: higher binds tighter, to 11; 0: not a binary operator. */
int parse_binary_level(int tok);
/*
 * parse.c: parse a C type written as text ("const char *", "struct x"), for
 * prototypes of the tables; fails the compile if it is none.
 */
struct type *parse_type_text(struct compile *cx, const char *text);
/* parse.c: parse an expression that the compiler itself adds; loc is where
   messages say it stands. */
struct node *parse_expr_text(struct compile *cx, const char *text,
			     struct src_loc loc);
/* names.c: does this name a D variable, builtin, inline (not a type)? */
bool names_is_variable(struct compile *cx, const char *name);
/*
 * names.c: what a compile declares is seen by it at once and by later ones
 * only after commit.  commit may fail the compile (memory); begin and rollback
 * do not.
 */
void names_begin(struct compile *cx);
void names_commit(struct compile *cx);
void names_rollback(struct compile *cx);

/* pragma.c: the version that a `binding ... translator` gives the next one. */
uint32_t pragma_xlator_version(struct compile *cx);
/* check.c: handle one item: declare names, or compile a clause. */
void check_item(struct compile *cx, struct item *it);
/*
 * check.c: type an expression tree; fold constants.  After it every node has
 * its type.  For array bounds, bit-field widths and enumerators the parser
 * calls check_const(), which fails unless the value is an integer constant.
 */
void check_expr(struct compile *cx, struct node *n);
/* Is name a constant inline of this value? */
bool check_inline_equals(struct compile *cx, const char *name,
			 struct src_loc loc, int64_t val);
int64_t check_const(struct compile *cx, struct node *n,
		    const struct err_tag *tag, const char *what);

/*
 * show.c: the program as D text, written while it is compiled.  All do nothing
 * unless src->show asks for it.
 */
void show_begin(struct compile *cx);
void show_end(struct compile *cx);
void show_pragma(struct compile *cx, const char *line); /* after #pragma D */
void show_item(struct compile *cx, const struct item *it); /* not clauses */
void show_clause(struct compile *cx, const struct clause_node *c);
/* A part of a clause with if, before it is checked. */
void show_part(struct compile *cx, const struct dif_pdesc *pd,
	       const struct node *pred);
void show_stmt(struct compile *cx, const struct node *s);
void show_effect(struct compile *cx, const struct node *e);
void show_speculate(struct compile *cx, const struct node *id);
void show_part_end(struct compile *cx);
/* show_expr.c: n as D, in parentheses if it binds less than that. */
enum show_level { SHOW_COMMA, SHOW_ASSIGN, SHOW_COND, SHOW_BINARY,
		  SHOW_UNARY = SHOW_BINARY + 12, SHOW_POSTFIX };
void show_expr(struct show *sh, const struct node *n, unsigned level);
/* show_tree.c */
void show_tree_clause(struct compile *cx, const struct clause_node *c);
void show_tree_checked(struct compile *cx, const struct node *n);

/*
 * gen.c: code for a checked expression; the object is in cx->out.  use: the
 * whole value is wanted; only what its type keeps of it; nothing of it.
 */
enum gen_use { GEN_VALUE, GEN_RECORD, GEN_EFFECT };
struct dif_obj *gen_expr(struct compile *cx, struct node *n, enum gen_use use);
/* The DIF record of a D type (strings: size 0). */
struct dif_type gen_type(struct type *t);

#endif
