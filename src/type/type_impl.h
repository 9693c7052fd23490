/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * type_impl.h - inside the room of types: how a space keeps its names, and how
 * a type keeps the list it may have to import first.
 *
 * Nothing frees a type: all live in the arena of their space.  Types derived
 * from others (pointers, arrays, qualified types) are made once per space and
 * shared, so the same question asked often costs no memory.
 */
#ifndef TYPE_TYPE_IMPL_H
#define TYPE_TYPE_IMPL_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "type/type.h"

/* References deeper than this are refused: foreign BTF may be circular. */
#define TYPE_DEPTH_MAX 64

struct type_btf; /* type_btf.c: one BTF and what was imported from it */
struct type_prog; /* type_prog.c: what a program's debug information says */
struct type_kernel;

/*
 * The members, enumerators or parameters of a type.
 *
 *   src != NULL, !done    in BTF, not read yet
 *   die != NULL, !done    in DWARF, not read yet
 *   neither, !done        struct declared, not finished: incomplete
 *   done                  v[0..n) is the list
 */
struct type_list {
	struct type_btf *src;
	const void *die; /* a Dwarf_Die of the space's prog */
	bool done;
	uint32_t width; /* TYPE_INT made by type_bits(): its bits */
	size_t n;
	union {
		struct type_member *m;
		struct type_enumerator *e;
		struct type_param *p;
	};
};

struct type_space {
	struct arena *arena;
	struct type_space *parent; /* not owned */
	struct hash *names;   /* namespace letter and name -> struct type */
	struct hash *enums;   /* name -> struct enum_ref */
	struct hash *derived; /* struct derived_key -> struct type */
	struct type **basic;  /* [TYPE_NBASIC]; base spaces only */
	struct type_kernel *kernel; /* or NULL; owned */
	struct type_prog *prog; /* not NULL: the types of that program */
	struct type_prog *progs; /* of a base space: all there are; owned */
	size_t failed; /* allocations; of the base space: of all */
	type_ask_fn *ask; /* before the kernel is asked, or NULL */
	void *ask_arg;
	/* Typedefs, enums and structs in order of declaration; a struct again
	   when it has its members. */
	VEC(struct type *) declared;
};

/* What an enumerator's name leads to. */
struct enum_ref {
	struct type *type;
	int64_t val;
};

/*
 * A name taken apart.  The letter is the C name space it lives in, and the
 * first byte of its key in type_space.names.
 */
enum type_ns {
	TYPE_NS_STRUCT = 's',
	TYPE_NS_UNION = 'u',
	TYPE_NS_ENUM = 'e',
	TYPE_NS_PLAIN = 't',
	TYPE_NS_BASIC = 'b' /* basic says which; id is unused */
};
#define TYPE_NAME_MAX 256
struct type_id {
	enum type_ns ns;
	enum type_basic basic;
	char key[TYPE_NAME_MAX]; /* letter, then the identifier */
};
static inline const char *
type_id_name(const struct type_id *id)
{
	return id->key + 1;
}

/* type_lookup.c: false if the text is no name of a type. */
bool type_id_parse(const char *text, struct type_id *out);

/* type_space.c */
struct type *type_new(struct type_space *ts, enum type_kind kind);
/* A new type with an empty list. */
struct type *type_new_list(struct type_space *ts, enum type_kind kind);
int type_declare(struct type_space *ts, enum type_ns ns, const char *name,
		 struct type *t);
struct type *type_space_find(struct type_space *ts, const struct type_id *id);
/* t is a declaration of ts: type_space_declared(). */
int type_note(struct type_space *ts, struct type *t);
/* Memory was short: type_space_failures().  The arena of a space says so by
   itself; this is for all that is allocated elsewhere.  Returns -1. */
int type_failed(struct type_space *ts);
/* *h, made when it is first needed; NULL: no memory. */
struct hash *type_hash(struct type_space *ts, struct hash **h);
/* hash_set() in a table of ts. */
int type_hash_set(struct type_space *ts, struct hash *h, const void *key,
		  size_t len, void *val);

/* type_basic.c */
int type_basic_fill(struct type_space *ts);

struct type_list *type_list(struct type *t); /* filled if it can be */
bool type_list_read(struct type *t); /* has a list, and it has been read */

/* type_btf.c: fill the list of an imported type. */
void type_btf_fill(struct type *t);
/* type_layout.c: the alignment that the members of an imported type show. */
uint32_t type_layout_infer(struct type *t);
/* Bytes that a member of this type takes. */
uint64_t type_member_size(struct type *t);

/* type_name.c: how types are written. */
struct type_how {
	/* The words for what is not derived: "struct foo", "int". */
	void (*base)(const struct type_how *how, struct type *t,
		     struct buf *out);
	void *arg;
	bool userland;	 /* say which pointers are to user memory */
	bool c;		 /* a string is an array of char, [] is [0] */
	bool bare;	 /* without base and qualifiers: a declarator alone */
};
/* A declaration of inner, or of nothing (""), as t. */
void type_text(const struct type_how *how, struct type *t, const char *inner,
	       struct buf *out);

/* type_prog.c */
void type_prog_free(struct type_prog *p);
/* Fill the list of a type of a program. */
void type_prog_fill(struct type *t);
struct type *type_prog_find(struct type_prog *p, const struct type_id *id);
/* True if it is one of a program's own, or made from one. */
bool type_is_prog(const struct type *t);

/* type_kernel.c */
/* The i-th BTF that is open, NULL after the last. */
struct type_btf *type_kernel_btf(const struct type_kernel *k, size_t i);
/* The module that an imported type is of ("vmlinux"), or NULL. */
const char *type_kernel_module(const struct type *t);
void type_kernel_free(struct type_kernel *k);
struct type *type_kernel_find(struct type_kernel *k, const char *module,
			      const struct type_id *id);
bool type_kernel_enumerator(struct type_kernel *k, const char *name,
			    int64_t *val, struct type **type);

/* type_btf.c: one BTF */
struct btf_index;
struct type_btf *type_btf_new(struct type_space *ts, struct btf_index *bi,
			      struct type_btf *base, const char *module);
void type_btf_free(struct type_btf *tb);
const char *type_btf_module(const struct type_btf *tb);
struct btf_index *type_btf_index(struct type_btf *tb);
bool type_btf_owns(const struct type_btf *tb, const struct type *t);
/* The type of an id that has been imported; NULL: not so, or id too large,
   which *end says. */
struct type *type_btf_imported(const struct type_btf *tb, uint32_t i,
			       bool *end);
struct type *type_btf_import(struct type_btf *tb, uint32_t id);
struct type *type_btf_find(struct type_btf *tb, const struct type_id *id);
/* The type that a BTF_KIND_FUNC or BTF_KIND_VAR of that name has. */
struct type *type_btf_symbol(struct type_btf *tb, const char *name,
			     uint32_t kind);
/* type_kernel_typedefs(), of one BTF. */
int type_btf_typedefs(struct type_btf *tb, const char *prefix,
		      int (*fn)(void *arg, const char *module,
				const char *name),
		      void *arg);
bool type_btf_enumerator(struct type_btf *tb, const char *name, int64_t *val,
			 struct type **type);

#endif
