/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_world.c - the target's objects, as the analysis of their functions
 * asks about them: bytes, starts of functions, places entered from elsewhere.
 *
 * All comes from the files, at run-time addresses; whether the process's text
 * still is what its file says is looked at when it is overwritten.
 *
 * Compilers move what is rarely run out of a function (.cold); such a part is
 * found by the jumps and by the landing pads that lead to it, since the names
 * of two of them may be the same.
 *
 * An object of which it cannot be told where its code is entered has no
 * functions here: nothing of it may be patched.
 */
#include "engine/process/process_impl.h"

#include <stdlib.h>
#include <string.h>

#define SWEEP_MAX (1 << 20) /* bytes of a function that a symbol tells of */

struct world_obj {
	const struct proc_obj *o;
	struct elf_file *elf;
	struct x86_world x86;
	struct world *world;
	const uint64_t *entries; /* elf_entries(); link-time; NULL: unknown */
	size_t nentries;
	bool looked; /* at the entries */
	struct later_note note;
};

/* ---- what the analysis asks ---------------------------------------------- */

static const uint8_t *
obj_bytes(void *arg, uint64_t addr, size_t n)
{
	const struct world_obj *o = arg;

	return elf_bytes(o->elf, addr - o->o->base, n);
}

static bool
obj_is_fn(void *arg, uint64_t addr)
{
	const struct world_obj *o = arg;

	return elf_is_fn(o->elf, addr - o->o->base);
}

static bool
obj_known(struct world_obj *o)
{
	if (!o->looked)
		o->entries = elf_entries(o->elf, &o->nentries);
	o->looked = true;
	return o->entries != NULL;
}

/* The first of v[0..n-1], sorted, that is not below addr. */
static size_t
addr_from(const uint64_t *v, size_t n, uint64_t addr)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (v[mid] < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool
obj_entered(void *arg, uint64_t lo, uint64_t hi, size_t i, uint64_t *addr)
{
	struct world_obj *o = arg;
	size_t at;

	if (!obj_known(o))
		return false; /* world_parts() has refused all of it */
	at = addr_from(o->entries, o->nentries, lo - o->o->base) + i;
	if (at >= o->nentries || o->entries[at] >= hi - o->o->base)
		return false;
	*addr = o->entries[at] + o->o->base;
	return true;
}

static uint64_t
obj_end_before(void *arg, uint64_t addr)
{
	const struct world_obj *o = arg;
	uint64_t base = o->o->base;
	size_t n, lo = 0, hi;
	const struct elf_fde *d = elf_fdes(o->elf, &n);

	for (hi = n; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;

		if (d[mid].addr < addr - base)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo == 0 ? 0 : d[lo - 1].addr + d[lo - 1].size + base;
}

static bool
obj_taken(void *arg, uint64_t addr, uint64_t n)
{
	const struct world *w = ((const struct world_obj *)arg)->world;

	return w->taken != NULL && w->taken(w->taken_arg, addr, n);
}

static bool
obj_pinned(void *arg, uint64_t addr, uint64_t n)
{
	const struct world_obj *o = arg;

	return elf_in_rseq(o->elf, addr - o->o->base, addr - o->o->base + n);
}

static bool
obj_pointer(void *arg, uint64_t addr, uint64_t *to)
{
	const struct world_obj *o = arg;

	if (!elf_code_ptr(o->elf, addr - o->o->base, to))
		return false;
	*to += o->o->base;
	return true;
}

static bool
obj_held(void *arg, uint64_t lo, uint64_t hi, size_t i, uint64_t *addr)
{
	const struct world_obj *o = arg;
	size_t n, at;
	const uint64_t *v = elf_code_ptrs(o->elf, &n);

	at = addr_from(v, n, lo - o->o->base) + i;
	if (at >= n || v[at] >= hi - o->o->base)
		return false;
	*addr = v[at] + o->o->base;
	return true;
}

const struct x86_world *
world_x86(struct world_obj *o)
{
	return &o->x86;
}

/* ---- objects ------------------------------------------------------------- */

/* All that the process has mapped, and is not known yet. */
static int
objs_add(struct world *w, struct err *e)
{
	const size_t known = w->objs.n;

	for (size_t i = 0; i < proc_nobjs(w->proc); i++) {
		struct proc_obj *po = proc_obj_at(w->proc, i);
		struct err why = { 0 };
		struct world_obj *o;
		size_t k = 0;

		while (k < known && w->objs.v[k]->o != po)
			k++;
		if (k < known || po->path[0] != '/' ||
		    proc_obj_elf(po, &why) == NULL || !elf_is_x86_64(po->elf))
			continue;
		o = arena_alloc(w->arena, sizeof(*o));
		if (o == NULL || !vec_push(&w->objs, o))
			return err_nomem(e);
		*o = (struct world_obj){ .o = po, .elf = po->elf, .world = w };
		o->x86 = (struct x86_world){
			o,           obj_bytes,      obj_is_fn,
			obj_entered, obj_end_before, obj_taken,
			obj_pinned,  obj_pointer,    obj_held
		};
	}
	return 0;
}

int
world_refresh(struct world *w, struct err *e)
{
	proc_refresh(w->proc);
	return objs_add(w, e);
}

bool
world_obj_mapped(const struct world_obj *o)
{
	return o->o->mapped;
}

bool
world_obj_is(const struct world_obj *o, const char *path, uint64_t bias)
{
	return path == NULL ||
	       (o->o->base == bias && strcmp(o->o->open_path, path) == 0);
}

struct inject_span
world_obj_span(const struct world_obj *o)
{
	return (struct inject_span){ o->o->start, o->o->end };
}

struct engine_fresh
world_obj_fresh(const struct world_obj *o)
{
	return (struct engine_fresh){ .lo = o->o->start,
				      .hi = o->o->end,
				      .base = o->o->base,
				      .ino = o->o->ino };
}

struct later_note *
world_obj_note(struct world_obj *o)
{
	return &o->note;
}

int
world_open(struct world *w, pid_t pid, struct err *e)
{
	struct err why = { 0 };

	w->arena = arena_new();
	w->procs = proc_set_new(e);
	if (w->procs == NULL)
		return -1;
	if (w->arena == NULL)
		return err_nomem(e);
	w->proc = proc_grab(w->procs, pid, &why);
	err_clear(&why);
	if (w->proc == NULL)
		return err_set(e, &ERR_GENERIC, 0, "process %d has ended",
			       (int)pid);
	return objs_add(w, e);
}

void
world_close(struct world *w)
{
	vec_fini(&w->objs);
	proc_set_free(w->procs);
	arena_free(w->arena);
	*w = (struct world){ 0 };
}

struct world_obj *
world_at(struct world *w, uint64_t addr)
{
	for (size_t i = 0; i < w->objs.n; i++) {
		const struct proc_obj *o = w->objs.v[i]->o;

		if (o->mapped && addr >= o->start && addr < o->end &&
		    elf_code_left(w->objs.v[i]->elf, addr - o->base) != 0)
			return w->objs.v[i];
	}
	return NULL;
}

bool
world_obj_is_libc(const struct world_obj *o)
{
	static const char *const names[] = { "libc.so.", "libc-",
					     "libpthread", "ld-musl-",
					     "libc.musl-" };

	if (o->o->is_exec && elf_interp(o->elf) == NULL)
		return true; /* a static program */
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(o->o->name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

bool
world_symbol(const struct world *w, const char *name, uint64_t *addr)
{
	for (size_t i = 0; i < w->objs.n; i++) {
		const struct world_obj *o = w->objs.v[i];
		const struct elf_sym *s =
			o->o->mapped ? elf_sym_find(o->elf, name) : NULL;

		if (s != NULL) {
			*addr = s->addr + o->o->base;
			return true;
		}
	}
	return false;
}

uint64_t
world_vdso_time(const struct world *w)
{
	for (size_t i = 0; i < proc_nobjs(w->proc); i++) {
		struct proc_obj *o = proc_obj_at(w->proc, i);
		struct err why = { 0 };
		const struct elf_sym *s;

		if (strcmp(o->path, "[vdso]") != 0 ||
		    proc_obj_elf(o, &why) == NULL)
			continue;
		s = elf_sym_find(o->elf, "__vdso_clock_gettime");
		return s != NULL ? s->addr + o->base : 0;
	}
	return 0;
}

/* ---- functions ----------------------------------------------------------- */

static bool
name_is_cold(const char *name)
{
	const char *s = strstr(name, ".cold");

	return s != NULL && (s[5] == '\0' || s[5] == '.');
}

/* The extent of the function (or part) that begins at a link-time address. */
static uint64_t
fn_size(struct world_obj *o, uint64_t at)
{
	const struct elf_fde *d = elf_fde_at(o->elf, at);
	const struct elf_sym *s;

	if (d != NULL && d->addr == at)
		return d->size;
	s = elf_sym_at(o->elf, at);
	return s != NULL && s->is_func && s->addr == at ? s->size : 0;
}

/* Is a link-time address the start of a part that was moved away? */
static bool
is_cold(struct world_obj *o, uint64_t at)
{
	const struct elf_fde *d = elf_fde_at(o->elf, at);
	const struct elf_sym *s = elf_sym_at(o->elf, at);

	if (s != NULL && s->addr == at && name_is_cold(s->name))
		return true;
	return d != NULL && d->addr == at && d->fragment;
}

static bool
part_known(const struct x86_part *part, uint32_t n, uint64_t addr)
{
	for (uint32_t i = 0; i < n; i++)
		if (addr >= part[i].addr && addr - part[i].addr < part[i].size)
			return true;
	return false;
}

struct parts {
	struct world_obj *o;
	struct x86_part *part;
	uint32_t n;
};

/* The part, not known yet, that begins at a link-time address. */
static void
part_add(struct parts *ps, uint64_t at)
{
	uint64_t addr = at + ps->o->o->base, size;

	if (ps->n == 8 || part_known(ps->part, ps->n, addr) ||
	    !is_cold(ps->o, at))
		return;
	size = fn_size(ps->o, at);
	if (size != 0)
		ps->part[ps->n++] = (struct x86_part){ addr, size };
}

/* A part that is there for exceptions alone may be entered anywhere. */
static void
part_of_pad(void *arg, uint64_t at)
{
	struct parts *ps = arg;
	const struct elf_fde *d = elf_fde_at(ps->o->elf, at);

	if (d != NULL)
		part_add(ps, d->addr);
}

/* Parts that code in `from` jumps to. */
static void
parts_of_jumps(struct parts *ps, const struct x86_part *from)
{
	const uint8_t *p = obj_bytes(ps->o, from->addr, from->size);
	struct x86_insn in;

	for (uint64_t off = 0; p != NULL && off < from->size; off += in.len) {
		x86_insn_decode(p + off, from->size - off, from->addr + off,
				&in);
		if (in.kind == X86_I_JMP || in.kind == X86_I_JCC)
			part_add(ps, in.target - ps->o->o->base);
	}
}

/* Does a sweep over the code from one link-time address meet another? */
static bool
sweep_meets(struct world_obj *o, uint64_t from, uint64_t at)
{
	const uint8_t *p = obj_bytes(o, from + o->o->base, at - from);
	struct x86_insn in;
	uint64_t off = 0;

	while (p != NULL && off < at - from) {
		/* what is cut off at the end leads past it, or is none */
		x86_insn_decode(p + off, at - from - off, from + off, &in);
		if (in.len == 0 || in.kind == X86_I_BAD)
			return false;
		off += in.len;
	}
	return off == at - from;
}

/*
 * A symbol may lie.  One into the middle of what the unwind table knows as a
 * piece is no start of a function: there flags may be in use, and who knows
 * what else.  Where only another symbol says that the code around it began
 * earlier, an instruction must begin there.
 */
static bool
may_begin(struct world_obj *o, uint64_t at)
{
	const struct elf_fde *d = elf_fde_at(o->elf, at);
	const struct elf_sym *s;

	if (d != NULL)
		return d->addr == at;
	s = at != 0 ? elf_sym_at(o->elf, at - 1) : NULL;
	if (s == NULL || !s->is_func || s->addr >= at ||
	    s->addr + s->size <= at || at - s->addr > SWEEP_MAX)
		return true;
	return sweep_meets(o, s->addr, at);
}

bool
world_obj_copies(const struct world_obj *o)
{
	return !elf_is_go(o->elf);
}

uint32_t
world_parts(struct world_obj *o, uint64_t addr, uint64_t size,
	    struct x86_part part[8])
{
	uint64_t at = addr - o->o->base, left = elf_code_left(o->elf, at);
	const struct elf_fde *d = elf_fde_at(o->elf, at);
	struct parts ps = { o, part, 1 };

	if (size == 0)
		size = fn_size(o, at);
	if (size > left)
		size = left;
	if (size == 0 || !obj_known(o) || !may_begin(o, at))
		return 0;
	part[0] = (struct x86_part){ addr, size };
	if (d != NULL && d->addr == at)
		elf_landing_pads(o->elf, d, part_of_pad, &ps);
	for (uint32_t i = 0; i < ps.n; i++)
		parts_of_jumps(&ps, &part[i]);
	return ps.n;
}

uint64_t
world_fn_of(struct world_obj *o, uint64_t addr)
{
	uint64_t at = addr - o->o->base;
	const struct elf_fde *d = elf_fde_at(o->elf, at);
	const struct elf_sym *s;

	if (d != NULL)
		return d->signal ? 0 : d->addr + o->o->base;
	s = elf_sym_at(o->elf, at);
	return s != NULL && s->is_func ? s->addr + o->o->base : 0;
}

uint64_t
world_syscall(struct world_obj *o, uint64_t addr)
{
	uint64_t from = addr > o->o->start ? addr : o->o->start;
	uint64_t at = elf_code_find(o->elf, from - o->o->base, "\x0f\x05", 2);

	return at != 0 && at + o->o->base < o->o->end ? at + o->o->base : 0;
}
