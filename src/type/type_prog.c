/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * type_prog.c - types imported from a program's DWARF, one at a time.
 *
 * As with the kernel's BTF (type_btf.c) a type is made when it is first
 * reached, and the lists of structs, enums and functions are read when they are
 * looked at.  What DWARF calls a type and D has nothing like (a complex number,
 * a pointer to a member) is as many bytes.  A base class is a member without a
 * name, so its members are found.
 *
 * DWARF may be wrong, even circular: what leads deeper than TYPE_DEPTH_MAX is
 * no type, and a member that has none is left out.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#include "elf/dw.h"
#include "type/type_impl.h"

#define LIST_MAX (1u << 16) /* members that are read of a type */

struct type_prog {
	struct type_prog *next; /* of the base space */
	struct elf_file *elf;   /* whose; not owned */
	struct type_space *ts;  /* owned */
	struct dw *dw;          /* NULL: not opened, or not to be had */
	const char *error;      /* why; in ts->arena */
	struct hash *seen;      /* address of a DIE -> struct type */
};

static struct type *prog_import(struct type_prog *p, Dwarf_Die *die, int depth);

/* ---- programs ------------------------------------------------------------ */

struct type_prog *
type_prog(struct type_space *base, struct elf_file *f)
{
	struct err e = { 0 };
	struct type_prog *p;

	for (p = base->progs; p != NULL; p = p->next)
		if (p->elf == f)
			return p;
	p = calloc(1, sizeof(*p));
	if (p == NULL) {
		type_failed(base);
		return NULL;
	}
	p->elf = f;
	p->ts = type_space_new(base, &e);
	if (p->ts == NULL || type_hash(base, &p->seen) == NULL) {
		type_prog_free(p);
		return NULL;
	}
	p->ts->prog = p;
	p->next = base->progs;
	base->progs = p;
	return p;
}

void
type_prog_free(struct type_prog *p)
{
	while (p != NULL) {
		struct type_prog *next = p->next;

		hash_free(p->seen);
		dw_close(p->dw);
		type_space_free(p->ts);
		free(p);
		p = next;
	}
}

const char *
type_prog_error(struct type_prog *p)
{
	struct err *e;

	if (p->dw != NULL || p->error != NULL)
		return p->error;
	e = calloc(1, sizeof(*e)); /* large for a stack */
	if (e == NULL) {
		type_failed(p->ts);
		return "out of memory";
	}
	p->dw = dw_open(p->elf, e);
	if (p->dw == NULL && e->tag == &ERR_NOMEM)
		type_failed(p->ts); /* the next question tries again */
	else if (p->dw == NULL)
		p->error = arena_strdup(p->ts->arena, e->msg);
	free(e);
	return p->dw != NULL || p->error != NULL ? p->error : "out of memory";
}

struct dw *
type_prog_dw(struct type_prog *p)
{
	return type_prog_error(p) == NULL ? p->dw : NULL;
}

bool
type_is_prog(const struct type *t)
{
	for (int i = 0; i < TYPE_DEPTH_MAX; i++) {
		if (t->space != NULL && t->space->prog != NULL)
			return true;
		if (t->ref == NULL || t->kind == TYPE_FUNC)
			return false;
		t = t->ref;
	}
	return false;
}

/* ---- attributes ---------------------------------------------------------- */

/* Names are the file's: they go when it is closed. */
static const char *
die_name(struct type_prog *p, Dwarf_Die *die)
{
	Dwarf_Attribute a;
	const char *s;

	if (dwarf_attr_integrate(die, DW_AT_name, &a) == NULL ||
	    (s = dwarf_formstring(&a)) == NULL || s[0] == '\0')
		return NULL;
	return arena_strdup(p->ts->arena, s);
}

static bool
die_number(Dwarf_Die *die, unsigned int attr, uint64_t *v)
{
	Dwarf_Attribute a;
	Dwarf_Word w;

	if (dwarf_attr(die, attr, &a) == NULL || dwarf_formudata(&a, &w) != 0)
		return false;
	*v = w;
	return true;
}

/* Sizes that no object has are none. */
static uint64_t
die_size(Dwarf_Die *die)
{
	uint64_t v;

	return die_number(die, DW_AT_byte_size, &v) && v <= UINT32_MAX ? v : 0;
}

/* The type that a DIE is of; void if it says none.  NULL: no type. */
static struct type *
die_type(struct type_prog *p, Dwarf_Die *die, int depth)
{
	Dwarf_Attribute a;
	Dwarf_Die of;

	if (dwarf_attr_integrate(die, DW_AT_type, &a) == NULL)
		return type_basic(p->ts, TYPE_B_VOID);
	return dwarf_formref_die(&a, &of) != NULL ? prog_import(p, &of, depth)
						  : NULL;
}

/* ---- kinds --------------------------------------------------------------- */

/* So many bytes, of which no more is known. */
static struct type *
prog_bytes(struct type_prog *p, Dwarf_Die *die)
{
	return type_array(p->ts, type_basic(p->ts, TYPE_B_UCHAR),
			  die_size(die));
}

/* Our own type of that name if it is the same in all respects. */
static struct type *
prog_same(struct type_prog *p, const char *name, uint64_t size,
	  enum type_kind kind, bool is_signed)
{
	struct type_id id;
	struct type *t;

	if (name == NULL || !type_id_parse(name, &id) || id.ns != TYPE_NS_BASIC)
		return NULL;
	t = type_basic(p->ts, id.basic);
	return t->kind == kind && t->size == size &&
			       (kind != TYPE_INT || t->is_signed == is_signed)
		       ? t
		       : NULL;
}

static struct type *
prog_number(struct type_prog *p, Dwarf_Die *die, enum type_kind kind,
	    uint64_t enc)
{
	const char *name = die_name(p, die);
	bool is_signed = enc == DW_ATE_signed || enc == DW_ATE_signed_char;
	uint64_t size = die_size(die);
	struct type *t = prog_same(p, name, size, kind, is_signed);

	if (t != NULL)
		return t;
	if (size == 0 || size > 16)
		return prog_bytes(p, die);
	t = type_new(p->ts, kind);
	if (t == NULL)
		return NULL;
	t->name = name != NULL ? name : "number";
	t->size = size;
	t->align = (uint32_t)size;
	t->is_signed = is_signed;
	t->is_char = enc == DW_ATE_signed_char || enc == DW_ATE_unsigned_char;
	/* Rust's u8 and i8 are bytes, not characters. */
	t->is_char = t->is_char && strchr(t->name, 'c') != NULL;
	t->is_bool = enc == DW_ATE_boolean;
	return t;
}

static struct type *
prog_base(struct type_prog *p, Dwarf_Die *die)
{
	uint64_t enc = 0;

	die_number(die, DW_AT_encoding, &enc);
	switch (enc) {
	case DW_ATE_float:
		return prog_number(p, die, TYPE_FLOAT, enc);
	case DW_ATE_address:
	case DW_ATE_boolean:
	case DW_ATE_signed:
	case DW_ATE_signed_char:
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		return prog_number(p, die, TYPE_INT, enc);
	default:
		return prog_bytes(p, die);
	}
}

static struct type *
prog_ptr(struct type_prog *p, Dwarf_Die *die, int depth)
{
	struct type *to = die_type(p, die, depth);

	/* What it points to may be beyond us: it is a pointer still. */
	if (to == NULL)
		to = type_basic(p->ts, TYPE_B_VOID);
	return type_ptr_user(p->ts, to);
}

static uint64_t
range_count(Dwarf_Die *range)
{
	uint64_t n;

	if (die_number(range, DW_AT_count, &n))
		return n <= UINT32_MAX ? n : 0;
	if (die_number(range, DW_AT_upper_bound, &n))
		return n < UINT32_MAX ? n + 1 : 0;
	return 0;
}

static struct type *
prog_array(struct type_prog *p, Dwarf_Die *die, int depth)
{
	struct type *t = die_type(p, die, depth);
	uint64_t n[TYPE_DEPTH_MAX];
	size_t dims = 0;
	Dwarf_Die at;

	if (dw_child(die, &at)) {
		do {
			if (dwarf_tag(&at) == DW_TAG_subrange_type &&
			    dims < TYPE_DEPTH_MAX)
				n[dims++] = range_count(&at);
		} while (dw_next(&at));
	}
	if (dims == 0)
		n[dims++] = 0;
	while (t != NULL && dims > 0)
		t = type_array(p->ts, t, n[--dims]);
	return t;
}

/* A type whose list is read later. */
static struct type *
prog_listed(struct type_prog *p, Dwarf_Die *die, enum type_kind kind)
{
	struct type *t = type_new_list(p->ts, kind);
	struct type_list *l = t != NULL ? t->detail : NULL;

	if (l == NULL ||
	    (l->die = arena_memdup(p->ts->arena, die, sizeof(*die))) == NULL)
		return NULL;
	if (kind == TYPE_FUNC)
		return t;
	t->name = die_name(p, die);
	t->size = die_size(die);
	return t;
}

static struct type *
prog_sou(struct type_prog *p, Dwarf_Die *die, enum type_kind kind)
{
	struct type *t;

	if (!dwarf_hasattr(die, DW_AT_declaration))
		return prog_listed(p, die, kind);
	t = type_new(p->ts, TYPE_FWD);
	if (t == NULL)
		return NULL;
	t->name = die_name(p, die);
	t->is_union = kind == TYPE_UNION;
	return t;
}

static struct type *
prog_enum(struct type_prog *p, Dwarf_Die *die, int depth)
{
	struct type *t = prog_listed(p, die, TYPE_ENUM);
	struct type *of = die_type(p, die, depth);

	if (t == NULL)
		return NULL;
	if (of != NULL && type_is_integer(of))
		t->is_signed = type_is_signed(of);
	if (t->size == 0 || t->size > 8)
		t->size = 4;
	t->align = (uint32_t)t->size;
	return t;
}

static struct type *
prog_func(struct type_prog *p, Dwarf_Die *die, int depth)
{
	struct type *ret = die_type(p, die, depth);
	struct type *t = ret != NULL ? prog_listed(p, die, TYPE_FUNC) : NULL;
	Dwarf_Die at;

	if (t == NULL)
		return NULL;
	t->ref = ret;
	if (!dw_child(die, &at))
		return t;
	do {
		if (dwarf_tag(&at) == DW_TAG_unspecified_parameters)
			t->variadic = true;
	} while (dw_next(&at));
	return t;
}

static struct type *
prog_typedef(struct type_prog *p, Dwarf_Die *die, int depth)
{
	struct type *ref = die_type(p, die, depth);
	struct type *t = ref != NULL ? type_new(p->ts, TYPE_TYPEDEF) : NULL;

	if (t == NULL)
		return NULL;
	t->name = die_name(p, die);
	t->ref = ref;
	t->size = ref->size;
	return t->name != NULL ? t : ref;
}

static struct type *
prog_qual(struct type_prog *p, Dwarf_Die *die, enum type_kind kind, int depth)
{
	struct type *ref = die_type(p, die, depth);

	return ref != NULL ? type_qual(p->ts, kind, ref) : NULL;
}

static struct type *
prog_import_make(struct type_prog *p, Dwarf_Die *die, int depth)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_base_type:
		return prog_base(p, die);
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return prog_ptr(p, die, depth);
	case DW_TAG_array_type:
		return prog_array(p, die, depth);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		return prog_sou(p, die, TYPE_STRUCT);
	case DW_TAG_union_type:
		return prog_sou(p, die, TYPE_UNION);
	case DW_TAG_enumeration_type:
		return prog_enum(p, die, depth);
	case DW_TAG_typedef:
	case DW_TAG_subrange_type:
		return prog_typedef(p, die, depth);
	case DW_TAG_const_type:
		return prog_qual(p, die, TYPE_CONST, depth);
	case DW_TAG_volatile_type:
		return prog_qual(p, die, TYPE_VOLATILE, depth);
	case DW_TAG_restrict_type:
		return prog_qual(p, die, TYPE_RESTRICT, depth);
	case DW_TAG_atomic_type:
		return die_type(p, die, depth);
	case DW_TAG_subroutine_type:
	case DW_TAG_subprogram:
		return prog_func(p, die, depth);
	case DW_TAG_unspecified_type:
		return type_basic(p->ts, TYPE_B_VOID);
	default:
		return die_size(die) != 0 ? prog_bytes(p, die) : NULL;
	}
}

static struct type *
prog_import(struct type_prog *p, Dwarf_Die *die, int depth)
{
	uintptr_t key = (uintptr_t)die->addr;
	struct type *t = hash_find(p->seen, &key, sizeof(key));
	size_t failed = type_space_failures(p->ts);

	if (t != NULL || depth > TYPE_DEPTH_MAX)
		return t;
	t = prog_import_make(p, die, depth + 1);
	/* Without memory it may lack its name, or be another. */
	if (type_space_failures(p->ts) != failed ||
	    (t != NULL &&
	     type_hash_set(p->ts, p->seen, &key, sizeof(key), t) != 0))
		return NULL;
	return t;
}

/* ---- lists --------------------------------------------------------------- */

/* How many children there may be in a list. */
static size_t
list_count(Dwarf_Die *of)
{
	Dwarf_Die at;
	size_t n = 0;

	if (!dw_child(of, &at))
		return 0;
	do {
		n++;
	} while (n < LIST_MAX && dw_next(&at));
	return n;
}

/* The place of a member in bytes.  DWARF 2 says it as "add n". */
static bool
member_byte(Dwarf_Die *die, uint64_t *byte)
{
	Dwarf_Attribute a;
	Dwarf_Op *op;
	size_t n;

	*byte = 0;
	if (dwarf_attr(die, DW_AT_data_member_location, &a) == NULL ||
	    die_number(die, DW_AT_data_member_location, byte))
		return *byte <= UINT32_MAX;
	if (dwarf_getlocation(&a, &op, &n) != 0 || n != 1 ||
	    op->atom != DW_OP_plus_uconst)
		return false; /* of a virtual base class it is computed */
	*byte = op->number;
	return *byte <= UINT32_MAX;
}

/* Where a member lies.  false: nowhere that is the same for all objects. */
static bool
member_place(Dwarf_Die *die, struct type_member *m)
{
	uint64_t byte, bit, bits = 0, size;

	if (!member_byte(die, &byte))
		return false;
	m->bit_off = byte * 8;
	if (!die_number(die, DW_AT_bit_size, &bits) || bits == 0)
		return true;
	if (bits > 64)
		return false;
	m->bits = (uint32_t)bits;
	if (die_number(die, DW_AT_data_bit_offset, &bit)) {
		m->bit_off = bit;
		return bit <= UINT32_MAX;
	}
	/* Until DWARF 4 they were counted from the highest bit of the unit. */
	size = die_size(die);
	if (size == 0)
		size = type_size(m->type);
	if (!die_number(die, DW_AT_bit_offset, &bit))
		return true;
	if (size > 8 || bit + bits > size * 8)
		return false;
	m->bit_off += size * 8 - bit - bits;
	return true;
}

static bool
member_read(struct type_prog *p, Dwarf_Die *die, struct type_member *m)
{
	int tag = dwarf_tag(die);

	*m = (struct type_member){ 0 };
	/* A static member of a class is a variable. */
	if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
	    dwarf_hasattr(die, DW_AT_external))
		return false;
	m->type = die_type(p, die, 0);
	if (tag == DW_TAG_member)
		m->name = die_name(p, die);
	return m->type != NULL && !type_is_void(m->type) &&
	       !type_is_func(m->type) && member_place(die, m) &&
	       (m->name != NULL || type_is_sou(m->type));
}

static bool
enumerator_read(struct type_prog *p, Dwarf_Die *die, bool is_signed,
		struct type_enumerator *v)
{
	Dwarf_Attribute a;
	Dwarf_Sword s;
	Dwarf_Word u;

	if (dwarf_tag(die) != DW_TAG_enumerator ||
	    (v->name = die_name(p, die)) == NULL ||
	    dwarf_attr(die, DW_AT_const_value, &a) == NULL)
		return false;
	if (!is_signed && dwarf_formudata(&a, &u) == 0)
		v->val = (int64_t)u;
	else if (dwarf_formsdata(&a, &s) == 0)
		v->val = s;
	else
		return false;
	return true;
}

/* Go has what a function returns among its parameters. */
static bool
is_result(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	bool out = false;

	return dwarf_attr(die, DW_AT_variable_parameter, &a) != NULL &&
	       dwarf_formflag(&a, &out) == 0 && out;
}

/* One that is not known keeps its place, as a void. */
static bool
param_read(struct type_prog *p, Dwarf_Die *die, struct type_param *v)
{
	if (dwarf_tag(die) != DW_TAG_formal_parameter || is_result(die))
		return false;
	v->name = die_name(p, die);
	v->type = die_type(p, die, 0);
	if (v->type == NULL)
		v->type = type_basic(p->ts, TYPE_B_VOID);
	return v->type != NULL;
}

static bool
list_read(struct type_prog *p, struct type *t, Dwarf_Die *die,
	  struct type_list *l, size_t i)
{
	switch (t->kind) {
	case TYPE_FUNC:
		return param_read(p, die, &l->p[i]);
	case TYPE_ENUM:
		return enumerator_read(p, die, t->is_signed, &l->e[i]);
	default:
		return member_read(p, die, &l->m[i]);
	}
}

static bool
prog_list_room(struct type_prog *p, const struct type *t, struct type_list *l,
	       size_t n)
{
	size_t size = t->kind == TYPE_FUNC   ? sizeof(*l->p)
		      : t->kind == TYPE_ENUM ? sizeof(*l->e)
					     : sizeof(*l->m);
	void *v = arena_calloc(p->ts->arena, n, size);

	if (t->kind == TYPE_FUNC)
		l->p = v;
	else if (t->kind == TYPE_ENUM)
		l->e = v;
	else
		l->m = v;
	return v != NULL;
}

void
type_prog_fill(struct type *t)
{
	struct type_list *l = t->detail;
	struct type_prog *p = t->space->prog;
	Dwarf_Die die = *(const Dwarf_Die *)l->die, at;
	size_t n = list_count(&die), failed = type_space_failures(p->ts);

	l->done = true; /* first: a member may lead back here */
	if (n != 0 && prog_list_room(p, t, l, n) && dw_child(&die, &at)) {
		do {
			if (list_read(p, t, &at, l, l->n))
				l->n++;
		} while (--n != 0 && dw_next(&at));
	}
	if (type_space_failures(p->ts) == failed)
		return;
	l->n = 0; /* some may be missing: it is read again */
	l->done = false;
}

/* ---- questions ----------------------------------------------------------- */

static struct type *
prog_named(struct type_prog *p, enum dw_ns ns, const char *name)
{
	Dwarf_Die die;

	if (type_prog_error(p) != NULL)
		return NULL;
	if (dw_type(p->dw, ns, name, &die))
		return prog_import(p, &die, 0);
	if (errno == ENOMEM)
		type_failed(p->ts);
	return NULL;
}

struct type *
type_prog_find(struct type_prog *p, const struct type_id *id)
{
	/* enum dw_ns has the letters of enum type_ns. */
	return id->ns != TYPE_NS_BASIC
		       ? prog_named(p, (enum dw_ns)id->ns, type_id_name(id))
		       : NULL;
}

struct type *
type_prog_lookup(struct type_prog *p, const char *name)
{
	static const char enumerator[] = TYPE_ENUMERATOR;
	struct type_id id;

	if (strncmp(name, enumerator, sizeof(enumerator) - 1) == 0)
		return prog_named(p, DW_NS_ENUMERATOR,
				  name + sizeof(enumerator) - 1);
	return type_id_parse(name, &id) ? type_prog_find(p, &id) : NULL;
}

bool
type_prog_by_ref(struct type *t)
{
	const struct type_list *l;
	Dwarf_Die die;
	uint64_t how;

	t = type_resolve(t);
	l = t->detail;
	if (!type_is_sou(t) || l == NULL || l->die == NULL)
		return false;
	die = *(const Dwarf_Die *)l->die;
	return die_number(&die, DW_AT_calling_convention, &how) &&
	       how == DW_CC_pass_by_reference;
}

/* The DIE that has a function's parameters: an instance of one that is also
   inlined elsewhere refers to it, and may lack some. */
static void
func_abstract(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	Dwarf_Die of;

	if (dwarf_attr(die, DW_AT_abstract_origin, &a) != NULL &&
	    dwarf_formref_die(&a, &of) != NULL &&
	    dwarf_tag(&of) == DW_TAG_subprogram)
		*die = of;
}

struct type *
type_prog_var(struct type_prog *p, const char *name)
{
	Dwarf_Die die;
	struct type *t;

	if (type_prog_error(p) != NULL ||
	    !dw_type(p->dw, DW_NS_VAR, name, &die))
		return NULL;
	t = die_type(p, &die, 0);
	return t != NULL && !type_is_void(t) ? t : NULL;
}

struct type *
type_prog_func(struct type_prog *p, uint64_t addr)
{
	Dwarf_Die die;

	if (type_prog_error(p) != NULL || !dw_func(p->dw, addr, &die))
		return NULL;
	func_abstract(&die);
	return prog_import(p, &die, 0);
}
