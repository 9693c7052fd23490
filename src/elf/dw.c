/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dw.c - finding things in DWARF.
 *
 * A function is looked for in the units whose ranges have its address, so that
 * one function costs one unit.  A type may be in any: the first name that is
 * asked for makes a table of all.
 *
 * A separate unit (.dwo) is a file whose name the object says, which libdw
 * would open whatever it is: a pipe of that name would stop us for good.  So
 * units are taken without theirs first, and the name is looked at.
 */
#include "elf/dw_impl.h"

#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "elf/elf_impl.h"

#define DW_DEPTH_MAX 32         /* of namespaces */
#define DW_TYPES_MAX (1u << 22) /* names in the table */

struct dw {
	int fd;                 /* -1: none */
	struct elf_file *debug; /* the separate debug file, or NULL */
	Elf *elf;
	Dwarf *dbg;
	char *dir; /* of the file; "" where it has none */
	struct arena *arena;
	struct hash
		*types; /* namespace and name -> Dwarf_Die; NULL: not read */
	size_t ntypes;
	bool types_failed; /* not all are in the table: no memory */
};

/* ---- opening ------------------------------------------------------------- */

static bool
has_debug_info(const struct elf_file *f)
{
	return elf_sec_find(f, ".debug_info") != NULL ||
	       elf_sec_find(f, ".zdebug_info") != NULL;
}

/* A path as libdw wants it opened: with the fd it finds what lies beside. */
static int
dw_open_path(struct dw *d, const char *path, struct err *e)
{
	struct stat st;
	char real[PATH_MAX], *slash;

	d->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (d->fd < 0 || fstat(d->fd, &st) != 0 || !S_ISREG(st.st_mode))
		return -1;
	elf_version(EV_CURRENT);
	d->elf = elf_begin(d->fd, ELF_C_READ_MMAP, NULL);
	if (realpath(path, real) == NULL ||
	    (slash = strrchr(real, '/')) == NULL)
		return 0;
	slash[1] = '\0';
	d->dir = strdup(real);
	return d->dir != NULL ? 0 : err_nomem(e);
}

/* For objects that are bytes in memory; they are f's. */
static int
dw_open_bytes(struct dw *d, const struct elf_file *f)
{
	elf_version(EV_CURRENT);
	d->elf = elf_memory((char *)(uintptr_t)f->map, f->size);
	return 0;
}

/* NULL: it cannot be read, or, with *e, no memory. */
static struct dw *
dw_begin(const struct elf_file *f, struct err *e)
{
	struct dw *d = calloc(1, sizeof(*d));
	int rc;

	if (d == NULL) {
		err_nomem(e);
		return NULL;
	}
	d->fd = -1;
	rc = f->mapped ? dw_open_path(d, f->path, e) : dw_open_bytes(d, f);
	d->arena = arena_new();
	if (d->arena == NULL)
		err_nomem(e);
	if (rc == 0 && d->elf != NULL && d->arena != NULL)
		d->dbg = dwarf_begin_elf(d->elf, DWARF_C_READ, NULL);
	if (d->dbg != NULL)
		return d;
	dw_close(d);
	return NULL;
}

struct dw *
dw_open(struct elf_file *f, struct err *e)
{
	struct elf_file *debug = NULL;
	struct dw *d = NULL;
	bool has = has_debug_info(f);

	if (!has) {
		debug = elf_debug_open(f, e);
		has = debug != NULL && has_debug_info(debug);
	}
	if (has)
		d = dw_begin(debug != NULL ? debug : f, e);
	if (d != NULL) {
		d->debug = debug;
		return d;
	}
	elf_close(debug);
	if (err_is_set(e))
		return NULL;
	if (has)
		err_set(e, &ERR_GENERIC, 0,
			"%s: its debug information cannot be read", f->path);
	else
		err_set(e, &ERR_GENERIC, 0,
			"%s has no debug information: compile it with -g, or "
			"install the package of its debug symbols",
			f->path);
	return NULL;
}

void
dw_close(struct dw *d)
{
	if (d == NULL)
		return;
	hash_free(d->types);
	dwarf_end(d->dbg);
	elf_end(d->elf);
	elf_close(d->debug);
	if (d->fd >= 0)
		close(d->fd);
	arena_free(d->arena);
	free(d->dir);
	free(d);
}

/* ---- walking ------------------------------------------------------------- */

bool
dw_child(Dwarf_Die *of, Dwarf_Die *out)
{
	Dwarf_Die in = *of;

	return dwarf_child(&in, out) == 0;
}

bool
dw_next(Dwarf_Die *at)
{
	Dwarf_Die next;

	/* DW_AT_sibling can lead backwards. */
	if (dwarf_siblingof(at, &next) != 0 ||
	    (uintptr_t)next.addr <= (uintptr_t)at->addr)
		return false;
	*at = next;
	return true;
}

const char *
dw_text(Dwarf_Die *die, unsigned int attr)
{
	Dwarf_Attribute a;

	return dwarf_attr(die, attr, &a) != NULL ? dwarf_formstring(&a) : NULL;
}

/* Where libdw would look for a file: dir before it unless it is absolute, and
   ours before that.  True unless something else than a file is there. */
static bool
split_may_open(const struct dw *d, const char *dir, const char *name)
{
	const char *ours = d->dir != NULL ? d->dir : "";
	char path[3 * PATH_MAX];
	struct stat st;

	if (name[0] == '/')
		ours = dir = "";
	else if (dir[0] == '/')
		ours = "";
	snprintf(path, sizeof(path), "%s%s/%s", ours, dir, name);
	return stat(path, &st) != 0 || S_ISREG(st.st_mode);
}

/* True if libdw may open the file of a split unit. */
static bool
split_is_file(const struct dw *d, Dwarf_Die *skel)
{
	const char *name = dw_text(skel, DW_AT_dwo_name);
	const char *dir = dw_text(skel, DW_AT_comp_dir);

	if (name == NULL)
		name = dw_text(skel, DW_AT_GNU_dwo_name);
	return name != NULL && strlen(name) < PATH_MAX &&
	       (dir == NULL || strlen(dir) < PATH_MAX) &&
	       split_may_open(d, "", name) &&
	       (dir == NULL || split_may_open(d, dir, name));
}

/* The DIE under which a unit's are: that of the .dwo for a skeleton. */
static bool
unit_die(const struct dw *d, Dwarf_CU *cu, uint8_t kind, Dwarf_Die *die)
{
	Dwarf_Die sub;

	if (kind != DW_UT_skeleton)
		return true;
	if (!split_is_file(d, die) ||
	    dwarf_cu_info(cu, NULL, NULL, NULL, &sub, NULL, NULL, NULL) != 0 ||
	    dwarf_tag(&sub) == DW_TAG_invalid)
		return false;
	*die = sub;
	return true;
}

/* ---- functions ----------------------------------------------------------- */

static bool
begins_at(Dwarf_Die *die, uint64_t addr)
{
	Dwarf_Addr base, lo, hi;

	if (dwarf_lowpc(die, &lo) == 0)
		return lo == addr;
	return dwarf_hasattr(die, DW_AT_ranges) &&
	       dwarf_ranges(die, 0, &base, &lo, &hi) > 0 && lo == addr;
}

static bool
func_under(Dwarf_Die *of, uint64_t addr, Dwarf_Die *out, int depth)
{
	Dwarf_Die at;

	if (depth > DW_DEPTH_MAX || !dw_child(of, &at))
		return false;
	do {
		switch (dwarf_tag(&at)) {
		case DW_TAG_subprogram:
			if (!begins_at(&at, addr))
				break;
			*out = at;
			return true;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type:
		case DW_TAG_enumeration_type:
			if (func_under(&at, addr, out, depth + 1))
				return true;
			break;
		default:
			break;
		}
	} while (dw_next(&at));
	return false;
}

bool
dw_func(struct dw *d, uint64_t addr, Dwarf_Die *out)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t kind;

	while (dwarf_get_units(d->dbg, cu, &cu, NULL, &kind, &die, NULL) == 0) {
		/* 0: not in its ranges; -1: it has none. */
		if (dwarf_haspc(&die, addr) != 0 &&
		    unit_die(d, cu, kind, &die) &&
		    func_under(&die, addr, out, 0))
			return true;
	}
	return false;
}

bool
dw_unit(struct dw *d, uint64_t addr, Dwarf_Die *unit, Dwarf_Die *top)
{
	Dwarf_CU *cu = NULL;
	uint8_t kind;

	while (dwarf_get_units(d->dbg, cu, &cu, NULL, &kind, unit, NULL) == 0) {
		*top = *unit;
		if (dwarf_haspc(unit, addr) > 0)
			return unit_die(d, cu, kind, top);
	}
	return false;
}

/* ---- types --------------------------------------------------------------- */

static int
ns_of(int tag)
{
	switch (tag) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		return DW_NS_STRUCT;
	case DW_TAG_union_type:
		return DW_NS_UNION;
	case DW_TAG_enumeration_type:
		return DW_NS_ENUM;
	case DW_TAG_typedef:
	case DW_TAG_base_type:
		return DW_NS_PLAIN;
	default:
		return 0;
	}
}

static void
types_set(struct dw *d, int ns, const char *name, const Dwarf_Die *die)
{
	char key[ELF_NAME_MAX];
	size_t n = strnlen(name, sizeof(key));
	Dwarf_Die *copy;

	if (n == 0 || n + 1 >= sizeof(key) || d->ntypes >= DW_TYPES_MAX)
		return;
	key[0] = (char)ns;
	memcpy(key + 1, name, n);
	if (hash_find(d->types, key, n + 1) != NULL)
		return;
	copy = arena_alloc(d->arena, sizeof(*copy));
	if (copy != NULL)
		*copy = *die;
	if (copy == NULL || hash_set(d->types, key, n + 1, copy) != 0)
		d->types_failed = true;
	else
		d->ntypes++;
}

/* Of C++, Go and Rust a struct is known by its plain name, too; a name of Go
   (main.pt) without its package, which D cannot spell. */
static void
types_note(struct dw *d, Dwarf_Die *die, bool c)
{
	int ns = ns_of(dwarf_tag(die));
	const char *name = ns != 0 ? dw_text(die, DW_AT_name) : NULL;

	if (name == NULL || dwarf_hasattr(die, DW_AT_declaration))
		return;
	if (!c && strrchr(name, '.') != NULL)
		name = strrchr(name, '.') + 1;
	types_set(d, ns, name, die);
	if (!c && ns != DW_NS_PLAIN)
		types_set(d, DW_NS_PLAIN, name, die);
}

/* An enum need not have a name for its constants to be known. */
static void
enumerators_note(struct dw *d, Dwarf_Die *of)
{
	const char *name;
	Dwarf_Die at;

	if (dwarf_tag(of) != DW_TAG_enumeration_type || !dw_child(of, &at))
		return;
	do {
		name = dwarf_tag(&at) == DW_TAG_enumerator ?
			       dw_text(&at, DW_AT_name) : NULL;
		if (name != NULL)
			types_set(d, DW_NS_ENUMERATOR, name, of);
	} while (dw_next(&at));
}

/* Its name may be that of the declaration that it completes. */
static void
variable_note(struct dw *d, Dwarf_Die *die)
{
	Dwarf_Attribute a;
	const char *name;

	if (dwarf_tag(die) != DW_TAG_variable ||
	    !dwarf_hasattr(die, DW_AT_location) ||
	    dwarf_attr_integrate(die, DW_AT_name, &a) == NULL)
		return;
	name = dwarf_formstring(&a);
	if (name != NULL)
		types_set(d, DW_NS_VAR, name, die);
}

static void
types_under(struct dw *d, Dwarf_Die *of, bool c, int depth)
{
	Dwarf_Die at;

	if (depth > DW_DEPTH_MAX || !dw_child(of, &at))
		return;
	do {
		int tag = dwarf_tag(&at);

		if (tag == DW_TAG_namespace || tag == DW_TAG_module)
			types_under(d, &at, c, depth + 1);
		else
			types_note(d, &at, c);
		enumerators_note(d, &at);
		variable_note(d, &at);
	} while (dw_next(&at));
}

static bool
unit_is_c(Dwarf_Die *die)
{
	switch (dwarf_srclang(die)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
		return true;
	default:
		return false;
	}
}

static void
types_read(struct dw *d, Dwarf *dbg)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t kind;

	while (dwarf_get_units(dbg, cu, &cu, NULL, &kind, &die, NULL) == 0)
		if (unit_die(d, cu, kind, &die))
			types_under(d, &die, unit_is_c(&die), 0);
}

/* The table of types.  In half of one another type of the name would be found:
   it goes. */
static bool
types_make(struct dw *d)
{
	if (d->types != NULL)
		return true;
	d->types = hash_new();
	if (d->types == NULL)
		return false;
	d->types_failed = false;
	d->ntypes = 0;
	types_read(d, d->dbg);
	if (dwarf_getalt(d->dbg) != NULL)
		types_read(d, dwarf_getalt(d->dbg));
	if (!d->types_failed)
		return true;
	hash_free(d->types);
	d->types = NULL;
	return false;
}

bool
dw_type(struct dw *d, enum dw_ns ns, const char *name, Dwarf_Die *out)
{
	char key[512];
	size_t n = strlen(name);
	const Dwarf_Die *die;

	if (!types_make(d)) {
		errno = ENOMEM;
		return false;
	}
	errno = 0;
	if (n + 2 > sizeof(key))
		return false;
	key[0] = (char)ns;
	memcpy(key + 1, name, n);
	die = hash_find(d->types, key, n + 1);
	if (die != NULL)
		*out = *die;
	return die != NULL;
}
