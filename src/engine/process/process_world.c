/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_world.c - the target's objects, as the analysis of their functions
 * asks about them: bytes, starts of functions, places entered from elsewhere.
 *
 * All comes from the files, at run-time addresses; whether the process's text
 * still is what its file says is looked at when it is overwritten.
 *
 * A function is what the unwind table says, and what control runs into or jumps
 * to behind that, where the table says nothing: hand-made code ends its entry
 * before the instruction from which on unwinding would be wrong (clone(2) in C
 * libraries).
 *
 * Compilers move what is rarely run out of a function (.cold); such a part is
 * found by the jumps and by the landing pads that lead to it, since the names
 * of two of them may be the same.
 *
 * An object of which it is not known where its code is entered has no
 * functions here: nothing of it may be patched.
 */
#include "engine/process/process_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define REST_MAX  4096	    /* bytes of a function behind its FDE */
#define SWEEP_MAX (1 << 20) /* bytes of a function that has a symbol */

struct world_obj {
	const struct proc_obj *o;
	struct elf_file *elf;
	struct code_world x86;
	struct world *world;
	const uint64_t *entries; /* elf_entries(); link-time; NULL: unknown */
	size_t nentries;
	bool looked; /* at the entries */
	uint64_t swept; /* sweep_synced() has come so far; link-time */
	uint64_t stepped_fn, stepped; /* fn_steps_to() has, from there */
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
world_known(struct world_obj *o)
{
	if (!o->looked)
		o->entries = elf_entries(o->elf, &o->nentries);
	o->looked = true;
	return o->entries != NULL;
}

static bool
obj_entered(void *arg, uint64_t lo, uint64_t hi, size_t i, uint64_t *addr)
{
	struct world_obj *o = arg;
	size_t at;

	if (!world_known(o))
		return false; /* world_parts() has refused all of it */
	at = code_fn_lower(o->entries, o->nentries, lo - o->o->base) + i;
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
obj_signal(void *arg, uint64_t addr)
{
	const struct world_obj *o = arg;
	const struct elf_fde *d = elf_fde_at(o->elf, addr - o->o->base);

	return d != NULL && d->signal;
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

	at = code_fn_lower(v, n, lo - o->o->base) + i;
	if (at >= n || v[at] >= hi - o->o->base)
		return false;
	*addr = v[at] + o->o->base;
	return true;
}

static bool
obj_waits(void *arg, uint64_t addr, bool later)
{
	const struct world_obj *o = arg;

	return (later || !o->world->fresh) &&
	       elf_go_waits(o->elf, addr - o->o->base);
}

const struct code_world *
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
		o->x86 = (struct code_world){
			.arg = o,
			.bytes = obj_bytes,
			.is_fn = obj_is_fn,
			.entered = obj_entered,
			.knows_jumps = true,
			.end_before = obj_end_before,
			.taken = obj_taken,
			.pinned = obj_pinned,
			.signal = obj_signal,
			.pointer = obj_pointer,
			.held = obj_held,
			.waits = elf_is_go(o->elf) ? obj_waits : NULL,
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

const void *
world_obj_file(const struct world_obj *o, uint64_t *base)
{
	*base = o->o->base;
	return o->elf;
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
world_open(struct world *w, pid_t pid, const struct world *beside,
	   struct err *e)
{
	struct err why = { 0 };

	w->arena = arena_new();
	w->procs = beside != NULL ? proc_set_beside(beside->procs, e) :
				    proc_set_new(e);
	if (w->procs == NULL)
		return -1;
	if (w->arena == NULL)
		return err_nomem(e);
	w->proc = proc_grab(w->procs, pid, &why);
	if (w->proc != NULL)
		return objs_add(w, e);
	/* It was there, and had a program, when the probes were looked for. */
	if (why.tag == &ERR_GENERIC && why.sys == ESRCH)
		return inject_ended(pid, e);
	*e = why;
	return -1;
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
	uint64_t base;

	return world_symbol_of(w, name, addr, &base);
}

bool
world_symbol_of(const struct world *w, const char *name, uint64_t *addr,
		uint64_t *base)
{
	for (size_t i = 0; i < w->objs.n; i++) {
		const struct world_obj *o = w->objs.v[i];
		const struct elf_sym *s =
			o->o->mapped ? elf_sym_find(o->elf, name) : NULL;

		if (s != NULL) {
			*base = o->o->base;
			*addr = s->addr + *base;
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

/* The last FDE that begins at or before a link-time address; NULL: none.
   *next: where the one after it begins. */
static const struct elf_fde *
fde_before(struct world_obj *o, uint64_t at, uint64_t *next)
{
	size_t n, lo = 0, hi;
	const struct elf_fde *d = elf_fdes(o->elf, &n);

	for (hi = n; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;

		if (d[mid].addr <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	*next = lo < n ? d[lo].addr : UINT64_MAX;
	return lo == 0 ? NULL : &d[lo - 1];
}

/* A sweep, at link-time addresses. */
struct sweep {
	struct world_obj *o;
	uint64_t lim; /* jumps to below it are of interest */
	uint64_t far; /* the furthest of them */
	bool falls;   /* the last instruction goes on to the next one */
	uint64_t first; /* another function's start ends it, but for this */
};

/* Over the n bytes at addr, until control cannot go on; where that is. */
static uint64_t
sweep_over(struct sweep *s, const uint8_t *p, uint64_t addr, uint64_t n,
	   bool all)
{
	struct code_insn in;

	for (uint64_t at = 0; at < n; at += in.len) {
		if (!all && ((!s->falls && addr + at > s->far) ||
			     (addr + at != s->first &&
			      elf_is_fn(s->o->elf, addr + at))))
			return addr + at;
		code_insn_decode(p + at, n - at, addr + at, &in);
		if (in.kind == CODE_I_BAD && !all)
			return addr + at;
		s->falls = in.kind == CODE_I_PLAIN || in.kind == CODE_I_JCC ||
			   in.kind == CODE_I_SYSCALL ||
			   (!all && (in.kind == CODE_I_CALL ||
				     in.kind == CODE_I_CALL_IND));
		if ((in.kind == CODE_I_JMP || in.kind == CODE_I_JCC) &&
		    in.target >= addr && in.target < s->lim &&
		    in.target > s->far && !elf_is_fn(s->o->elf, in.target))
			s->far = in.target;
	}
	return addr + n;
}

/* What a function has behind its FDE, in bytes: code that control falls into,
   or that it jumps to, before the next FDE or symbol. */
static uint64_t
fde_rest(struct world_obj *o, const struct elf_fde *d)
{
	uint64_t end = d->addr + d->size, next, n = elf_code_left(o->elf, end);
	const uint8_t *code = elf_bytes(o->elf, d->addr, d->size), *rest;
	struct sweep s = { .o = o };

	(void)fde_before(o, d->addr, &next);
	if (next - end < n)
		n = next - end;
	if (n > REST_MAX)
		n = REST_MAX;
	rest = n != 0 && code != NULL ? elf_bytes(o->elf, end, n) : NULL;
	if (rest == NULL || code_insn_is_nop(rest, n) || elf_is_fn(o->elf, end))
		return 0;
	s.lim = end + n;
	s.far = end - 1;
	sweep_over(&s, code, d->addr, d->size, true);
	return sweep_over(&s, rest, end, n, false) - end;
}

/* True if a sweep over the code from one link-time address meets another. */
static bool
sweep_meets(struct world_obj *o, uint64_t from, uint64_t at)
{
	const uint8_t *p = obj_bytes(o, from + o->o->base, at - from);
	struct code_insn in;
	uint64_t off = 0;

	while (p != NULL && off < at - from) {
		/* what is cut off at the end leads past it, or is none */
		code_insn_decode(p + off, at - from - off, from + off, &in);
		if (in.len == 0 || in.kind == CODE_I_BAD)
			return false;
		off += in.len;
	}
	return off == at - from;
}

/* The same, going on from where the last one has ended; objects of which no
   table says anything may be large, and are asked about in order. */
static bool
sweep_synced(struct world_obj *o, uint64_t from, uint64_t at)
{
	uint64_t pos = o->swept >= from && o->swept <= at ? o->swept : from;
	uint64_t n = elf_code_left(o->elf, pos);
	const uint8_t *p = elf_bytes(o->elf, pos, n);
	struct code_insn in;

	for (; p != NULL && pos < at; p += in.len, n -= in.len, pos += in.len) {
		code_insn_decode(p, n, pos, &in);
		o->swept = pos;
	}
	return pos == at;
}

/*
 * Functions that no table gives an extent: what control reaches from an entry
 * in a straight line and by jumps forward.
 */
static uint64_t
bare_size(struct world_obj *o, uint64_t at)
{
	uint64_t next, n = elf_code_left(o->elf, at);
	const uint8_t *p;
	struct sweep s = { .o = o, .falls = true };

	(void)fde_before(o, at, &next);
	if (next - at < n)
		n = next - at;
	if (n > SWEEP_MAX)
		n = SWEEP_MAX;
	p = n != 0 ? elf_bytes(o->elf, at, n) : NULL;
	if (p == NULL)
		return 0;
	s.lim = at + n;
	s.far = s.first = at;
	return sweep_over(&s, p, at, n, false) - at;
}

static bool
size_is_guessed(struct world_obj *o, uint64_t at)
{
	const struct elf_sym *s = elf_sym_at(o->elf, at);

	return elf_fde_at(o->elf, at) == NULL && s != NULL && s->guessed;
}

/* From where on instructions are known to follow each other: the end of the
   last symbol or FDE of a said size before at, or the section's beginning. */
static uint64_t
bare_from(struct world_obj *o, uint64_t at)
{
	uint64_t next, from = 0, text, size;
	const struct elf_fde *d = fde_before(o, at, &next);
	size_t n, lo = 0, hi;
	const struct elf_sym *s = elf_syms(o->elf, &n);

	for (hi = n; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;

		if (s[mid].addr <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	while (lo > 0 && (!s[lo - 1].is_func))
		lo--;
	if (lo > 0)
		from = s[lo - 1].addr;
	if (d != NULL && d->addr > from)
		from = d->addr;
	if (from == 0 && elf_section(o->elf, ".text", &size, &text) != NULL &&
	    at - text < size)
		from = text;
	return from;
}

/*
 * The function, known by no table, that has the instruction at a link-time
 * address: from the nearest entry before it that reaches it.  An entry may be
 * one by chance, in the middle of an instruction; so a sweep that has begun
 * well before it must meet it too.
 */
static uint64_t
bare_fn(struct world_obj *o, uint64_t at)
{
	uint64_t from = bare_from(o, at);

	if (from == 0 || !world_known(o))
		return 0;
	for (size_t i = code_fn_lower(o->entries, o->nentries, at + 1);
	     i-- > 0;) {
		uint64_t e = o->entries[i];

		if (at - e > REST_MAX || e < from)
			break;
		if (at - e < bare_size(o, e) && sweep_meets(o, e, at) &&
		    sweep_synced(o, from, e))
			return e;
	}
	return 0;
}

/* The C library's return from a signal: its FDE begins one byte before it, for
   unwinders, which look for what lies before a return address. */
#define SIGNAL_LEAD 1u

static bool
fde_begins(const struct elf_fde *d, uint64_t at)
{
	return d->addr + (d->signal ? SIGNAL_LEAD : 0) == at;
}

/* The extent of the function (or part) that begins at a link-time address. */
static uint64_t
fn_size(struct world_obj *o, uint64_t at)
{
	const struct elf_fde *d = elf_fde_at(o->elf, at);
	const struct elf_sym *s;

	if (d != NULL && fde_begins(d, at))
		return d->addr + d->size - at + fde_rest(o, d);
	s = elf_sym_at(o->elf, at);
	if (s != NULL && s->is_func && s->addr == at && !s->guessed)
		return s->size;
	return bare_size(o, at);
}

/* True if a link-time address is the start of a part that was moved away. */
static bool
is_cold(struct world_obj *o, uint64_t at)
{
	const struct elf_fde *d = elf_fde_at(o->elf, at);
	const struct elf_sym *s = elf_sym_at(o->elf, at);

	if (s != NULL && s->addr == at && elf_name_is_cold(s->name))
		return true;
	return d != NULL && d->addr == at && d->fragment;
}

static bool
part_known(const struct code_part *part, uint32_t n, uint64_t addr)
{
	for (uint32_t i = 0; i < n; i++)
		if (addr >= part[i].addr && addr - part[i].addr < part[i].size)
			return true;
	return false;
}

struct parts {
	struct world_obj *o;
	struct code_part *part;
	uint32_t n;
};

/* The part, not known yet, that begins at a link-time address. */
static void
world_part_add(struct parts *ps, uint64_t at)
{
	uint64_t addr = at + ps->o->o->base, size;

	if (ps->n == 8 || part_known(ps->part, ps->n, addr) ||
	    !is_cold(ps->o, at))
		return;
	size = fn_size(ps->o, at);
	if (size != 0)
		ps->part[ps->n++] = (struct code_part){ addr, size };
}

/* A part that is there for exceptions alone may be entered anywhere. */
static void
part_of_pad(void *arg, uint64_t at)
{
	struct parts *ps = arg;
	const struct elf_fde *d = elf_fde_at(ps->o->elf, at);

	if (d != NULL)
		world_part_add(ps, d->addr);
}

/* Code jumps there, perhaps into the middle of a part. */
static void
part_of_jump(struct parts *ps, uint64_t at)
{
	const struct elf_fde *d = elf_fde_at(ps->o->elf, at);

	world_part_add(ps, d != NULL && d->fragment ? d->addr : at);
}

/* Parts that code in `from` jumps to. */
static void
parts_of_jumps(struct parts *ps, const struct code_part *from)
{
	const uint8_t *p = obj_bytes(ps->o, from->addr, from->size);
	struct code_insn in;

	for (uint64_t off = 0; p != NULL && off < from->size; off += in.len) {
		code_insn_decode(p + off, from->size - off, from->addr + off,
				 &in);
		if (in.kind == CODE_I_JMP || in.kind == CODE_I_JCC)
			part_of_jump(ps, in.target - ps->o->o->base);
	}
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
		return fde_begins(d, at);
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

bool
world_short_stacks(const struct world *w)
{
	for (size_t i = 0; i < w->objs.n; i++)
		if (elf_is_go(w->objs.v[i]->elf))
			return true;
	return false;
}

uint64_t
world_extent(struct world_obj *o, uint64_t addr, uint64_t size)
{
	uint64_t at = addr - o->o->base, left = elf_code_left(o->elf, at);

	if (size == 0 || size_is_guessed(o, at))
		size = fn_size(o, at);
	if (size > left)
		size = left;
	return size != 0 && may_begin(o, at) ? size : 0;
}

uint32_t
world_parts(struct world_obj *o, uint64_t addr, uint64_t size,
	    struct code_part part[8])
{
	uint64_t at = addr - o->o->base;
	const struct elf_fde *d = elf_fde_at(o->elf, at);
	struct parts ps = { o, part, 1 };

	size = world_extent(o, addr, size);
	if (size == 0 || !world_known(o))
		return 0;
	part[0] = (struct code_part){ addr, size };
	if (d != NULL && d->addr == at)
		elf_landing_pads(o->elf, d, part_of_pad, &ps);
	for (uint32_t i = 0; i < ps.n; i++)
		parts_of_jumps(&ps, &part[i]);
	return ps.n;
}

uint64_t
world_fn_of(struct world_obj *o, uint64_t addr)
{
	uint64_t base = o->o->base, at = addr - base, next;
	const struct elf_fde *d = fde_before(o, at, &next);
	const struct elf_sym *s;

	if (d != NULL && d->signal && at == d->addr)
		return 0;
	if (d != NULL && at < d->addr + d->size)
		return d->addr + (d->signal ? SIGNAL_LEAD : 0) + base;
	s = elf_sym_at(o->elf, at);
	if (s != NULL && s->is_func && !s->guessed)
		return s->addr + base;
	if (d != NULL && at < d->addr + d->size + fde_rest(o, d))
		return d->addr + base;
	at = bare_fn(o, at);
	return at != 0 ? at + base : 0;
}

/*
 * True if an instruction of a function begins at a link-time address in it, as
 * its analysis would find: step by step from its start.  True also where bytes
 * before it are no instruction, since data may be amid the code.  Goes on from
 * where it has ended, for addresses that come in order.
 */
static bool
fn_steps_to(struct world_obj *o, uint64_t fn, uint64_t at)
{
	bool on = o->stepped_fn == fn && o->stepped >= fn && o->stepped <= at;
	uint64_t pos = on ? o->stepped : fn, n = elf_code_left(o->elf, pos);
	const uint8_t *p = elf_bytes(o->elf, pos, n);
	struct code_insn in;

	for (; p != NULL && n != 0 && pos < at;
	     p += in.len, n -= in.len, pos += in.len) {
		code_insn_decode(p, n, pos, &in);
		if (in.kind == CODE_I_BAD)
			return true;
		o->stepped_fn = fn;
		o->stepped = pos;
	}
	return p == NULL || n == 0 || pos == at;
}

bool
world_insn_at(struct world_obj *o, uint64_t fn, uint64_t addr)
{
	return fn_steps_to(o, fn - o->o->base, addr - o->o->base);
}

void
world_syscall_drop(struct world_obj *o, uint64_t addr)
{
	elf_code_drop(o->elf, addr - o->o->base);
}

/* Sweeps that begin anywhere before an instruction are soon in step with the
   code, and meet it. */
#define STEP_LEAD 64u
#define STEP_TRIES 16u

bool
world_may_begin(struct world_obj *o, uint64_t addr)
{
	uint64_t at = addr - o->o->base, from = at - STEP_LEAD;

	for (uint64_t k = 0; k < STEP_TRIES; k++)
		if (sweep_meets(o, from + k, at))
			return true;
	return obj_bytes(o, from + o->o->base, STEP_LEAD) == NULL;
}

uint64_t
world_syscall(struct world_obj *o, uint64_t addr)
{
	uint64_t from = addr > o->o->start ? addr : o->o->start;
	uint64_t at = elf_code_find(o->elf, from - o->o->base, "\x0f\x05", 2);

	return at != 0 && at + o->o->base < o->o->end ? at + o->o->base : 0;
}

uint32_t
world_vdso_syscalls(const struct world *w)
{
	uint32_t n = 0;

	for (size_t i = 0; i < proc_nobjs(w->proc); i++) {
		struct world_obj o = { .o = proc_obj_at(w->proc, i) };
		struct err why = { 0 };

		if (strcmp(o.o->path, "[vdso]") != 0)
			continue;
		o.elf = proc_obj_elf(proc_obj_at(w->proc, i), &why);
		for (uint64_t at = 0;
		     o.elf != NULL && (at = world_syscall(&o, at)) != 0; at++)
			n += world_may_begin(&o, at);
		err_clear(&why);
	}
	return n;
}
