/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * node.h - the tree: expressions, statements and top-level items, as the
 * parser makes them and the checker completes them.  All of it is in the
 * compile's arena.
 */
#ifndef LANG_TREE_NODE_H
#define LANG_TREE_NODE_H

#include "dif/dif.h"
#include "type/type.h"

/* Tokens; those that are operators stand for them in struct node.op. */
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

enum node_kind {
	/* expressions */
	NODE_INT,    /* ival, type */
	NODE_STR,    /* str */
	NODE_IDENT,  /* name: variable, builtin, inline, enumerator,
			subroutine */
	NODE_SYM,    /* `sym, mod`sym: mod, name */
	NODE_AGG,    /* @name[args]: name ("_" if bare), args */
	NODE_SELF,   /* self->name, with args if subscripted */
	NODE_THIS,   /* this->name */
	NODE_SUB,    /* a[args]: left, args (array, pointer, assoc. array) */
	NODE_CALL,   /* name(args): subroutine, action or aggregating
			function */
	NODE_MEMBER, /* left.name */
	NODE_ARROW,  /* left->name */
	NODE_UNARY,  /* op left: - + ! ~ * & ++x --x x++ x-- */
	NODE_BINARY, /* left op right */
	NODE_ASSIGN, /* left op right: = += ... */
	NODE_COND,   /* `cond ? left : right` */
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
	const char *raw;	/* the same as written; NULL: not in the text */
	size_t len;
	uint64_t ival;
	bool chars;		/* NODE_INT: written as a character constant */
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
	uint64_t bound;		/* an index, which must be below; 0: any */
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
	bool open;		/* name[]: an array without a dimension */
	struct type_attrs attrs;
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

/* ---- node.c: making and copying trees ------------------------------------ */

struct compile;

/* Zeroed but for these; height 1.  It does not fail: see lang_nomem(). */
struct node *node_new(struct compile *cx, enum node_kind kind,
		      struct src_loc loc);
/* A checked constant: val in the normal form of type. */
struct node *node_int(struct compile *cx, struct src_loc loc, uint64_t val,
		      struct type *type);
/* A copy of all nodes; names, types and what ident points to are shared. */
struct node *node_copy(struct compile *cx, const struct node *n);
/* The D variable that n is a part of, or NULL: n is reached by a pointer. */
struct node *node_part_of(struct node *n);
struct node **node_copy_list(struct compile *cx, struct node *const *v,
			     uint32_t n);
/* An operator as it is written; "?" for what is none. */
const char *op_name(int op);
/* Higher binds tighter, to 11; 0: not a binary operator. */
int op_binary_level(int op);

#endif
