/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * compile.h - what all layers of the front end share: a compile, and how it
 * fails.
 *
 *   text ──lex──▶ tokens ──parse──▶ tree ──check──▶ typed tree ──gen──▶ DIF
 *
 * The tree of one top-level item is parsed, checked and generated before the
 * next item is parsed, because declarations, inlines and pragmas decide how
 * later text reads.  Everything a compile makes lives in its arena and dies
 * with it, but for what the struct lang keeps (declared names), which is made
 * in the lang's arena and entered into its tables only when the whole compile
 * has succeeded.
 *
 * The layers are folders: tree, lex, parse, check, gen, clause; show beside
 * them.  Each knows those before it and none after it (tools/rooms.txt), and
 * lang.c, which knows all, runs them.  What a lower layer must ask of a higher
 * one is one table of callbacks (struct parse_ask); what the writer must know
 * of the others is noted in struct shown.  See
 * doc/decisions/0053-layers-inside-rooms.md.
 *
 * Errors: lang_fail() does not return; it jumps to the step that is tried
 * (compile_try()), else to the setjmp in lang_compile().  It never crosses a
 * callback, a room or the API.
 */
#ifndef LANG_TREE_COMPILE_H
#define LANG_TREE_COMPILE_H

#include <setjmp.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "lang/lang.h"
#include "lang/tree/node.h"
#include "lang/tree/tag.h"

struct compile;
_Noreturn void lang_fail(struct compile *cx, const struct err_tag *tag,
			 struct src_loc loc, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Do one step of a compile so that those after it are tried even if it fails:
 * step(cx, arg).  False: it has failed, the error is kept, and what the compile
 * was in the midst of is as it was before.  Where no more errors are wanted, or
 * there are enough, or memory is short, this does not return.
 *
 * names says whether the step may declare variables: if it fails, what later
 * text lacks may be for that reason, and is not reported.
 */
bool compile_try(struct compile *cx, bool names,
		 void (*step)(struct compile *cx, void *arg), void *arg);

/* One `#pragma D attributes` or `binding`, kept for those who print them. */
struct lang_attr {
	struct lang_attr *next;
	const char *provider; /* NULL: of an identifier */
	const char *name;     /* identifier; or provider, module, function
				 ... */
	uint8_t stab[3];      /* name, data (Internal 0 .. Standard 7), class
				 (Unknown 0 .. Common 5) */
	bool binding;	      /* version instead of stab */
	uint32_t version;     /* 8.12.12 bits */
	struct src_loc loc;
};

struct prov_decl; /* names.h, as are struct ident and its like */
struct xlator;
struct lang {
	struct lang_host host;
	struct arena *arena;
	/*
	 * The programs' own types.  Each successful compile adds its space in
	 * front (spaces[nspaces - 1] is types); a failed one drops it.  That of
	 * a text of the D library goes behind those of programs, so that these
	 * do not meet names of theirs in it, whenever it is compiled.
	 */
	struct type_space *types;
	VEC(struct type_space *) spaces;
	/* The first so many are the D library's: at least the one that every
	   program begins with, which is empty. */
	size_t nlibspaces;
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

/* ---- a compile ----------------------------------------------------------- */

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
	uint32_t nargs; /* of an inline */
	struct type **types;
};

/*
 * What the compile has made of the program's clauses, kept for the writer
 * (show) alone; copies, since checking changes trees.
 */
struct part { /* of a clause with if: a clause of its own */
	const struct dif_pdesc *pdesc;
	const struct node *pred, *spec; /* NULL: none; spec: of speculate() */
	struct node **stmts; /* expressions */
	uint32_t nstmts;
};
struct shown {
	const char **lines; /* after #pragma D */
	uint32_t nlines;
	struct part *parts;
	uint32_t nparts;
	struct node **checked; /* as the generator got them */
	uint32_t nchecked;
};

/* What means another thing than in C, there (check_c.c). */
struct lang_note {
	struct lang_note *next;
	struct src_loc loc;
	const char *text;
	bool loud; /* said without -v: it is probably not meant so */
};

/* A loud one, once a place; text lives as long as the compile. */
void compile_warn(struct compile *cx, struct src_loc loc, const char *text);

struct compile {
	jmp_buf *fail;
	struct err *err; /* the first; those after it go to src->more */
	struct type *beside; /* of an operand whose enumerators the other may
				name; or NULL */
	bool unsure;	 /* a name may be missing because of an error before */
	struct lang *lang;
	const struct lang_src *src;
	struct arena *arena;	/* freed when the compile ends */
	struct arena *out;	/* the program's */
	struct hash *strings;	/* interned */
	struct lex *lex;
	struct type_space *types; /* this compile's; parent: lang->types */
	size_t types_failed; /* type_space_failures() at the beginning */
	/* The descriptions of the clause that is parsed, or NULL: whose types
	   its names mean. */
	const struct dif_pdesc *about;
	uint32_t nabout;
	const char *type_why; /* a name of a type means several; NULL: no */
	unsigned cflags; /* of src, and what pragmas have added since */
	uint32_t version; /* names bound to later ones are not seen */
	uint32_t xlator_version; /* that the next translator is bound to */
	bool skip; /* a library whose depends_on is not met: keep nothing */
	/* Set by names_commit(): lang keeps the arena, which holds trees that
	   declared names (inlines, translators) still need. */
	bool keep_arena;
	struct lang_attr *attrs; /* of this compile, newest first */
	VEC(struct dif_clause) clauses;
	size_t first; /* of those: the first of the present text */
	uint32_t *macro_used;	/* by argument number */
	struct hash *providers; /* declared in this compile; NULL: none */
	struct parser *parser;	/* parse_impl.h */
	struct lang_note *notes; /* in the order in which they were found */
	struct shown shown;
	struct show *show;	/* show.c; NULL: the text is not written back */
	const struct expansion *expansion; /* NULL: none */
	/* Height of the inlines being expanded, their number so far:
	   bounded. */
	uint32_t inline_height, ninlined;
	/* Names made by this compile; see names.c for commit and roll-back. */
	void *names;
	/* The clause being checked: clause_of(), check.h. */
	void *clause;
};

/* A string interned for this compile: equality is ==. */
const char *lang_intern(struct compile *cx, const char *s, size_t len);

/* Memory is short: fails the compile with ERR_NOMEM. */
_Noreturn void lang_nomem(struct compile *cx);
/* The same if memory was short for what was asked of types: what was answered
   may be wrong (type_space_failures()). */
void compile_check_types(struct compile *cx);
/* The name of a type for a message, in the compile's arena. */
const char *lang_type_name(struct compile *cx, struct type *t);

/* The same name for as long as the lang lives. */
const char *lang_file(struct compile *cx, const char *name);

/* Lists in the compile's arena: T *v; uint32_t n; grown in powers of two. */
#define list_push(cx, v, n, x)                                                \
	do {                                                                  \
		(v) = list_room((cx), (v), (n), sizeof(*(v)));                \
		(v)[(n)++] = (x);                                             \
	} while (0)
void *list_room(struct compile *cx, void *v, size_t n, size_t size);

/* True if the program is written back as D.  Then cx->shown has lines and
   parts. */
static inline bool
shown_text_wanted(const struct compile *cx)
{
	return cx->src->show != NULL && cx->src->show->text != NULL;
}

/*
 * The frame of a compile, without the setjmp; tests use it as well.  0, or -1
 * with *e, and compile_fini() is due in both cases.  The caller sets cx->fail.
 */
int compile_init(struct compile *cx, struct lang *l, const struct lang_src *src,
		 struct err *e);
void compile_fini(struct compile *cx);

#endif
