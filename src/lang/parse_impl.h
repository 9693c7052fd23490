/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * parse_impl.h - what the lexer and the parser's files share.
 *
 * The lexer works on demand, because D reads differently by place: at outer
 * scope runs of characters are probe descriptions, inside a predicate a slash
 * may end it, and control lines act when they are met.  So tokens are made no
 * earlier than the parser asks, and the parser never looks past the end of a
 * top-level item: between items the queue of tokens is empty.
 */
#ifndef LANG_PARSE_IMPL_H
#define LANG_PARSE_IMPL_H

#include "lang/lang_impl.h"

enum kw {
#define KW(word, flags) KW_##word,
#include "lang/kw.def"
#undef KW
	NKW
};
enum kw_flags {
	KWF_TYPE = 1, KWF_SOU = 2, KWF_ITEM = 4, KWF_MEMBER = 8,
	KWF_RESERVED = 16
};
/* The keyword, or -1. */
int kw_find(const char *s, size_t len);
unsigned kw_flags(int kw);
const char *kw_name(int kw);

struct token {
	int tok; /* enum tok, or a character */
	int kw;	 /* TOK_KEYWORD: enum kw */
	struct src_loc loc;
	const char *text; /* as written, for messages; not terminated */
	size_t textlen;
	const char *name; /* IDENT, AGG; KEYWORD: its spelling */
	const char *mod;  /* IDENT: before the last backquote; NULL: none */
	const char *str;  /* STR */
	size_t len;
	uint64_t ival;	   /* INT, CHAR */
	struct type *type; /* of those */
};

/* lang.c: the frame of a compile, without the setjmp; tests use it as well. */
int compile_init(struct compile *cx, struct lang *l, const struct lang_src *src,
		 struct err *e);
void compile_fini(struct compile *cx);
/* lang.c: the same name for as long as the lang lives. */
const char *lang_file(struct compile *cx, const char *name);

/* ---- lex.c --------------------------------------------------------------- */

struct lex {
	const char *p, *end; /* what is still to be read */
	const char *line_start;
	const char *file;
	int line;
	bool bol;     /* only blanks so far on this line */
	bool in_pred; /* a slash may end the predicate */
	bool sub;     /* text of a macro argument or of a table: no control
			 lines, no macros, and every place is fixed */
	struct src_loc fixed;
	struct token *q; /* tokens looked at but not taken: q[head..n) */
	size_t head, n, cap;
};

struct lex *lex_new(struct compile *cx, const char *text, size_t len,
		    const char *file);
/* Read other text for a while, every token of it at loc; and go back. */
struct lex *lex_enter(struct compile *cx, const char *text, size_t len,
		      struct src_loc loc);
void lex_leave(struct compile *cx, struct lex *saved);

/* The i-th token from here, without taking it. */
const struct token *lex_peek(struct compile *cx, size_t i);
struct token lex_next(struct compile *cx);
bool lex_accept(struct compile *cx, int tok);
bool lex_accept_kw(struct compile *cx, int kw);
struct token lex_expect(struct compile *cx, int tok);
/* "syntax error near ...", with what was expected, if there is a word for it */
_Noreturn void lex_syntax(struct compile *cx, const struct token *t,
			  const char *expected);
bool lex_is(struct compile *cx, int tok);
bool lex_is_kw(struct compile *cx, int kw);

/* For the parts of the lexer and for the outer scope. */
struct src_loc lex_loc(const struct lex *lx);
void lex_push(struct compile *cx, const struct token *t);
/* Blanks, comments and control lines. */
void lex_skip(struct compile *cx);
void lex_newline(struct lex *lx); /* at a newline: step over it */
bool lex_comment(struct compile *cx); /* at one: step over it */
/* Step over blanks and comments without effect. */
const char *lex_ahead(const char *p, const char *end);
static inline bool
lex_idstart(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static inline bool
lex_isdigit(int c)
{
	return c >= '0' && c <= '9';
}
static inline bool
lex_idchar(int c)
{
	return lex_idstart(c) || lex_isdigit(c);
}
static inline bool
lex_isblank(int c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* ---- lex_lit.c ----------------------------------------------------------- */

void lex_number(struct compile *cx, struct token *t);
void lex_string(struct compile *cx, struct token *t);
void lex_char(struct compile *cx, struct token *t);
/* Value of text[0..len) as a C integer literal without sign. */
enum int_status { INT_OK, INT_NOT, INT_BIG, INT_BADDIGIT };
enum int_status lex_int_value(const char *text, size_t len, uint64_t *val,
			      struct type_space *ts, struct type **type);
/* The bytes a string literal's inside stands for; *len is changed. */
const char *lex_unescape(struct compile *cx, const char *s, size_t *len);

/* ---- lex_macro.c --------------------------------------------------------- */

/* At a $ in the text: push the tokens it stands for. */
void lex_macro(struct compile *cx);
/* Append text[0..len) to out with macros replaced: probe specifiers. */
const char *macro_expand_text(struct compile *cx, const char *text, size_t len,
			      struct src_loc loc);
/* At the end: arguments given and not used are an error. */
void macro_check_unused(struct compile *cx);

/* ---- pragma.c ------------------------------------------------------------ */

/* At the # of a control line: do what it says; the newline stays. */
void pragma_line(struct compile *cx);
/* Dependencies only (LANG_C_CTL). */
void pragma_scan(struct compile *cx);
/* At the end: attributes of names that do not exist are an error. */
void pragma_check_unused(struct compile *cx);

/* ---- the parser ---------------------------------------------------------- */

#define PARSE_MAX_DEPTH	 256  /* of the parser's recursion */
#define PARSE_MAX_HEIGHT 1000 /* of a tree: the passes recurse on it */

struct pending_enum {
	struct pending_enum *next;
	const char *name;
	int64_t val;
};

struct parser {
	unsigned depth;
	unsigned nclauses; /* seen so far: the first may have its own spec */
	bool outer;	   /* between items */
	bool in_members;   /* declarators may have names of KWF_MEMBER */
	bool lazy; /* of structs only the tag is wanted: ask no kernel */
	/* Names that are variables although the tables do not know them yet:
	   parameters of the inline or translator being read. */
	const char **params;
	uint32_t nparams;
	/* Enumerators of the enum being read. */
	struct pending_enum *enums;
	struct hash *providers; /* declared in this compile */
};

/* Lists in the compile's arena: T *v; uint32_t n; grown in powers of two. */
#define list_push(cx, v, n, x)                                                \
	do {                                                                  \
		(v) = list_room((cx), (v), (n), sizeof(*(v)));                \
		(v)[(n)++] = (x);                                             \
	} while (0)
void *list_room(struct compile *cx, void *v, size_t n, size_t size);

void parse_deeper(struct compile *cx, struct src_loc loc);
void parse_shallower(struct compile *cx);
bool parse_is_variable(struct compile *cx, const char *name);

/* parse_expr.c */
struct node *parse_expr(struct compile *cx);	    /* with commas */
struct node *parse_assign_expr(struct compile *cx); /* without */
struct node *parse_cond_expr(struct compile *cx);   /* constants */
struct node *node_new(struct compile *cx, enum node_kind kind,
		      struct src_loc loc);
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
/* A declaration at outer scope, to its semicolon. */
void parse_declaration(struct compile *cx, struct item *it);
/* The type of one parameter or key, and its name or NULL. */
struct type_param parse_param(struct compile *cx, struct src_loc *loc);
/* ( params ), the opening one taken already; types adjusted as in C.
   variadic NULL: no "...", and names may repeat. */
void parse_params(struct compile *cx, struct type_param **v, uint32_t *n,
		  bool *variadic);

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
