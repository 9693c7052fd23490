/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * type.h - C types as D sees them: made from declarations, imported from BTF,
 * laid out, compared, named.
 *
 * A struct type is immutable once it can be seen (struct types get their
 * members once, by type_sou_finish()) and is owned by its space.  Spaces form
 * a chain: a space that does not know a name asks its parent.  The order for a
 * D program: the program's own space, then the base space (basic C types and
 * D's typedefs), which may have the kernel's BTF attached (loaded at the first
 * name that only it can know, so that programs without kernel types never pay
 * for it).
 *
 * A program that is traced has types too: each of its files is a space of its
 * own (type_prog()), which a D program's space asks through type_space_ask().
 *
 * Model: x86-64 LP64.  Where BTF is read: libbpf's reader, through elf/btf.h;
 * DWARF: libdw, through elf/dw.h.
 */
#ifndef TYPE_TYPE_H
#define TYPE_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum type_kind {
	TYPE_VOID,
	TYPE_INT,    /* char, _Bool and all integers; bits says the width */
	TYPE_FLOAT,
	TYPE_ENUM,   /* size, enumerators */
	TYPE_PTR,    /* ref: pointee */
	TYPE_ARRAY,  /* ref: element; nelems, 0 unknown */
	TYPE_FUNC,   /* ref: result; params */
	TYPE_STRUCT,
	TYPE_UNION,
	TYPE_FWD,    /* declared, never defined; is_union in flags */
	TYPE_TYPEDEF, /* ref */
	TYPE_CONST, TYPE_VOLATILE, TYPE_RESTRICT, /* ref */
	TYPE_STRING, /* D's string; size 0: strsize */
	TYPE_DYN     /* D: value of a tracing function: stack(), @agg ... */
};

struct type_space;
struct type;

struct type_member {
	const char *name;  /* NULL: anonymous struct or union */
	struct type *type;
	uint64_t bit_off;  /* from the start of the struct */
	uint32_t bits;	   /* width of a bit-field; 0: not one */
};

struct type_enumerator {
	const char *name;
	int64_t val;
};

struct type_param {
	const char *name; /* or NULL */
	struct type *type;
};

struct type {
	enum type_kind kind;
	const char *name; /* tag, typedef name, basic name; NULL: anonymous */
	uint64_t size;	  /* bytes; 0 for void, func, fwd, incomplete */
	uint32_t align;   /* 0: not known yet, see type_align(); of a typedef:
			     its own, 0: that of its type */
	bool is_signed;	  /* TYPE_INT, TYPE_ENUM */
	bool is_char, is_bool; /* TYPE_INT */
	bool is_union;	  /* TYPE_FWD */
	bool variadic;	  /* TYPE_FUNC */
	bool user;	  /* TYPE_PTR: tagged as a user-space pointer */
	struct type *ref;
	uint64_t nelems;
	struct type_space *space; /* owner */
	uint32_t btf_id;  /* imported: its id; else 0 */
	/* For the room alone: members, enumerators and params are read
	   through the functions below, which import lazily. */
	void *detail;
};

/* ---- spaces ------------------------------------------------------------ */

/* The base space: basic C types, D's typedefs, cpuinfo_t. NULL + *e. */
struct type_space *type_space_base(struct err *e);
/* A space whose lookups fall back to parent (not owned). */
struct type_space *type_space_new(struct type_space *parent, struct err *e);
/* The lookups of ts fall back to below instead, whose parent is what that of ts
   was. */
void type_space_put_below(struct type_space *ts, struct type_space *below);
void type_space_free(struct type_space *ts);
/*
 * Let ts import from the running kernel's BTF (vmlinux, then modules when
 * named) on demand.  path NULL: /sys/kernel/btf.  Nothing is read yet.  -1: no
 * memory.
 */
int type_space_use_kernel(struct type_space *ts, const char *path);
/*
 * Ask fn for types that ts and its parents do not declare, before the kernel
 * is asked: the types of the program that a clause is about.  module as in
 * type_lookup(), name as C has it.  fn NULL: nobody.
 */
typedef struct type *type_ask_fn(void *arg, const char *module,
				 const char *name);
void type_space_ask(struct type_space *ts, type_ask_fn *fn, void *arg);
/*
 * How often memory has been short so far, in ts, its parents and what they
 * import.  A caller that has asked something between two different numbers must
 * not believe the answers: a name may not have been found, a list may be empty.
 * The same questions have the right answers when there is memory again.
 */
size_t type_space_failures(const struct type_space *ts);
/* Why the kernel's types could not be had, or NULL if not tried or fine. */
const char *type_space_kernel_error(struct type_space *ts);

/*
 * Look a type up by C name: "int", "unsigned long", "struct foo", "union u",
 * "enum e", "foo_t"; module NULL or "" searches all, else only that module
 * ("vmlinux", "ext4").  NULL when there is none.
 */
struct type *type_lookup(struct type_space *ts, const char *module,
			 const char *name);
/* Only what ts itself declares, no parents, no BTF. */
struct type *type_lookup_local(struct type_space *ts, const char *name);
/*
 * An enumerator by name in the program's and base spaces, then (if kernel is
 * true) in BTF; false when unknown.  *type is NULL if the kernel has several of
 * the name, with different values.
 */
bool type_lookup_enumerator(struct type_space *ts, const char *name,
			    bool kernel, int64_t *val, struct type **type);
/*
 * The prototype of a kernel function, or the type of a kernel variable, as BTF
 * has it; NULL when BTF does not know the symbol.
 */
struct type *type_kernel_func(struct type_space *ts, const char *module,
			      const char *name);
struct type *type_kernel_var(struct type_space *ts, const char *module,
			     const char *name);

/*
 * Call fn for the typedefs of the kernel and of its modules whose names begin
 * with prefix, with the module ("vmlinux", "ext4") and the name; both live as
 * long as ts.  fn returns non-zero to stop, which is returned.  again: look for
 * modules that have come since.
 */
int type_kernel_typedefs(struct type_space *ts, const char *prefix, bool again,
			 int (*fn)(void *arg, const char *module,
				   const char *name),
			 void *arg);

/* ---- the types of programs: type_prog.c ---------------------------------- */

/*
 * What the debug information of an object file says, which is opened by the
 * first question.  Pointers are user pointers.  f must live as long as base;
 * one for each f.  NULL: no memory.
 */
struct elf_file;
struct type_prog;
struct type_prog *type_prog(struct type_space *base, struct elf_file *f);
/* Why it can answer nothing: it names the file, and the cure.  NULL: it can. */
const char *type_prog_error(struct type_prog *p);
/* Its DWARF, for who wants lines; NULL: there is none. */
struct dw;
struct dw *type_prog_dw(struct type_prog *p);
/* As type_lookup(), of the file alone; and the enum that has a constant is
   asked for as TYPE_ENUMERATOR and the constant's name. */
#define TYPE_ENUMERATOR "enumerator "
struct type *type_prog_lookup(struct type_prog *p, const char *name);
/* The type of a variable; NULL: nothing is known of it. */
struct type *type_prog_var(struct type_prog *p, const char *name);
/* The type of the function that begins at a link-time address; NULL: nothing is
   known of it. */
struct type *type_prog_func(struct type_prog *p, uint64_t addr);
/* True if C++ gives functions the address of such an object, where C would give
   the object. */
bool type_prog_by_ref(struct type *t);

/* ---- making types: all return NULL only when memory is short ------------ */

struct type *type_ptr(struct type_space *ts, struct type *to);
struct type *type_array(struct type_space *ts, struct type *elem, uint64_t n);
struct type *type_func(struct type_space *ts, struct type *ret,
		       const struct type_param *params, size_t n,
		       bool variadic);
struct type *type_qual(struct type_space *ts, enum type_kind q,
		       struct type *t); /* TYPE_CONST ... */
/* A pointer tagged as one to user memory. */
struct type *type_ptr_user(struct type_space *ts, struct type *to);
/* A struct or union known by its tag alone; see type_complete(). */
struct type *type_fwd(struct type_space *ts, bool is_union, const char *tag);
/*
 * The type of a short C text: a name as type_lookup() takes it, const and
 * volatile, any number of `*`.  A struct or union whose tag the spaces do not
 * hold becomes a TYPE_FWD: the kernel's BTF is not opened for it.  user: the
 * pointers are user pointers.  NULL: not such a text, or unknown; with errno
 * ENOMEM, no memory.
 */
struct type *type_from_text(struct type_space *ts, const char *text,
			    bool user);
/* Declare name as a typedef in ts (visible to type_lookup). */
struct type *type_typedef(struct type_space *ts, const char *name,
			  struct type *t);
/*
 * Declare struct/union tag (NULL: anonymous), incomplete until finished.
 * Returns the existing incomplete type if the tag is so declared.
 */
struct type *type_sou_new(struct type_space *ts, enum type_kind kind,
			  const char *tag);
/*
 * Give it its members: bit_off is computed (C layout, bit-fields as gcc does);
 * only name, type and bits of each are read.
 */
int type_sou_finish(struct type_space *ts, struct type *t,
		    const struct type_member *m, size_t n, struct err *e);
/* A struct or union that has no members yet, or an array of such: one
   that was declared only, or is being so. */
bool type_is_incomplete(struct type *t);
/* What __attribute__ says of a member, or of a whole struct or union. */
struct type_attrs {
	bool packed;
	uint32_t align; /* bytes, at least; 0: not said */
};
/* The same with attributes: of each member (n, or NULL), and of the whole. */
int type_sou_finish_attrs(struct type_space *ts, struct type *t,
			  const struct type_member *m,
			  const struct type_attrs *ma, size_t n,
			  const struct type_attrs *whole, struct err *e);
struct type *type_enum_new(struct type_space *ts, const char *tag,
			   const struct type_enumerator *v, size_t n);
/* A bit-field's own type: an integer of `bits` bits. */
struct type *type_bits(struct type_space *ts, struct type *base,
		       uint32_t bits);

/* Well-known types of the base space. */
enum type_basic { TYPE_B_VOID, TYPE_B_CHAR, TYPE_B_SCHAR, TYPE_B_UCHAR,
		  TYPE_B_SHORT, TYPE_B_USHORT, TYPE_B_INT, TYPE_B_UINT,
		  TYPE_B_LONG, TYPE_B_ULONG, TYPE_B_LLONG, TYPE_B_ULLONG,
		  TYPE_B_BOOL, TYPE_B_FLOAT, TYPE_B_DOUBLE, TYPE_B_LDOUBLE,
		  TYPE_B_STRING, TYPE_B_DYN, TYPE_NBASIC };
struct type *type_basic(struct type_space *ts, enum type_basic b);

/* Bytes that a D string takes as a member of a struct. */
#define TYPE_STRING_MEMBER 256

/* ---- asking ------------------------------------------------------------ */

/* Without typedefs and qualifiers. */
struct type *type_resolve(struct type *t);
/* A forward declaration completed by name if that is possible; else t. */
struct type *type_complete(struct type_space *ts, struct type *t);
bool type_is_integer(struct type *t); /* int, enum, bit-field; not pointers */
bool type_is_arith(struct type *t);   /* integer or float */
bool type_is_scalar(struct type *t);  /* integer or pointer */
bool type_is_ptr(struct type *t);     /* pointer (not array) */
bool type_is_sou(struct type *t);
bool type_is_string(struct type *t);  /* D string */
/* string, char *, char [n]: what string operations accept. */
bool type_is_strcompat(struct type *t);
bool type_is_void(struct type *t);
bool type_is_func(struct type *t);
bool type_is_dyn(struct type *t);
bool type_is_signed(struct type *t); /* integers; false for pointers */
uint64_t type_size(struct type *t);
/* Alignment in bytes; read this, not .align: it is found when first asked. */
uint32_t type_align(struct type *t);
/* The width of a type made by type_bits(); 0 for others. */
uint32_t type_bit_width(struct type *t);
/* Same type but for typedefs and qualifiers; structs by name and size. */
bool type_compat(struct type *a, struct type *b);
/* Of two programs: the same, with members of the same names, places and types;
   so is what pointers in them lead to, a few steps far. */
bool type_same(struct type *a, struct type *b);
/*
 * Find a member by name, descending into anonymous members.  On success
 * *bit_off is from the start of t.
 */
const struct type_member *type_member(struct type *t, const char *name,
				      uint64_t *bit_off);
/* All members in order; *n is set.  NULL for none. */
const struct type_member *type_members(struct type *t, size_t *n);
const struct type_enumerator *type_enumerators(struct type *t, size_t *n);
const struct type_param *type_params(struct type *t, size_t *n);

/* The i-th declaration of ts itself: typedefs, enums, structs and unions,
   which come again when they have members.  NULL after the last. */
struct type *type_space_declared(const struct type_space *ts, size_t i);

/* The type as C would write it: "struct foo *", "int [4]", "char *". */
void type_name(struct type *t, struct buf *out);

/* ---- declarations as text: type_write.c --------------------------------- */

/*
 * Writes types as text to be compiled: as D, for a program that is written
 * back, or as C, with the types that those need and with assertions of what
 * sizes and offsets are.  A type is written once.  NULL: no memory.
 *
 * D: ts is the program's space; other types are known without being written.
 */
struct type_writer;
struct type_writer *type_writer_new(struct type_space *ts, bool c);
void type_writer_free(struct type_writer *w);
/*
 * `t name`, without an end; name NULL: the type alone.  more: it follows
 * another declarator of the same declaration, so only the declarator.
 */
void type_write(struct type_writer *w, struct type *t, const char *name,
		bool more, struct buf *out);
/* What ts declares, from its i-th declaration on; D: but for typedefs. */
void type_write_space(struct type_writer *w, const struct type_space *ts,
		      size_t i, struct buf *out);
/* D: enums without a tag that no declaration has written. */
void type_write_rest(struct type_writer *w, size_t i, struct buf *out);
/* C: of the kernel's types those that have been read. */
void type_write_kernel(struct type_writer *w, const struct type_space *ts,
		       struct buf *out);

#endif
