/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * coverage.c - how much of real programs the process engine can probe.
 *
 *	coverage [-c] [-v] FILE...
 *
 * For each object file: the number of functions, and of them, in percent:
 *
 *   entry    entries that a 5-byte jump fits over
 *   alpha    returns with a jump over the way out and padding after it
 *   fn-a     functions of which all ways out are so
 *   fn-ab    ... or with a jump that begins some instructions before it
 *   fn-abh   ... or with a short jump to a long one in padding
 *   copy     ... or where the function as a whole can be copied
 *   exact    functions whose ways out are all known
 *   closed   functions whose branch targets are all known
 *
 * then the microseconds a function takes.  -v says why functions fail.  -c
 * checks every window by another way: a slow and simple one, that decodes all
 * code of the object and looks whether anything leads into a window; it exits
 * with 1 if something does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "code/code.h"
#include "elf/elf.h"
#include "engine/x86/x86.h"

struct obj {
	struct elf_file *elf;
	const struct elf_fde *fdes;
	size_t nfdes;
	const uint64_t *entries;
	size_t nentries;
	VEC(struct code_window) windows;
	bool verbose, check;
};

struct sums {
	size_t fns, entry, entry_hop, rets, alpha;
	size_t fn_a, fn_ab, fn_abh, fn_copy, exact, closed;
	double seconds;
};

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- the world ----------------------------------------------------------- */

static const uint8_t *
cov_bytes(void *arg, uint64_t addr, size_t n)
{
	return elf_bytes(((struct obj *)arg)->elf, addr, n);
}

static bool
cov_is_fn(void *arg, uint64_t addr)
{
	return elf_is_fn(((struct obj *)arg)->elf, addr);
}

static bool
cov_entered(void *arg, uint64_t lo, uint64_t hi, size_t i, uint64_t *addr)
{
	const struct obj *o = arg;
	size_t at = code_fn_lower(o->entries, o->nentries, lo) + i;

	if (at >= o->nentries || o->entries[at] >= hi)
		return false;
	*addr = o->entries[at];
	return true;
}

static uint64_t
cov_end_before(void *arg, uint64_t addr)
{
	const struct obj *o = arg;
	size_t lo = 0, hi = o->nfdes;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (o->fdes[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo == 0 ? 0 : o->fdes[lo - 1].addr + o->fdes[lo - 1].size;
}

static bool
cov_pointer(void *arg, uint64_t addr, uint64_t *to)
{
	return elf_code_ptr(((struct obj *)arg)->elf, addr, to);
}

static bool
cov_held(void *arg, uint64_t lo, uint64_t hi, size_t i, uint64_t *addr)
{
	size_t n;
	const uint64_t *v = elf_code_ptrs(((struct obj *)arg)->elf, &n);
	size_t at = code_fn_lower(v, n, lo) + i;

	if (at >= n || v[at] >= hi)
		return false;
	*addr = v[at];
	return true;
}

static bool
cov_pinned(void *arg, uint64_t addr, uint64_t n)
{
	return elf_in_rseq(((struct obj *)arg)->elf, addr, addr + n);
}

/* ---- parts --------------------------------------------------------------- */

static bool
is_part(struct obj *o, const struct elf_fde *d)
{
	const struct elf_sym *s = elf_sym_at(o->elf, d->addr);
	const char *cold = s != NULL && s->addr == d->addr
				   ? strstr(s->name, ".cold")
				   : NULL;

	return d->fragment ||
	       (cold != NULL && (cold[5] == '\0' || cold[5] == '.'));
}

static void
part_add(struct obj *o, uint64_t addr, struct code_part *part, uint32_t *n)
{
	const struct elf_fde *d = elf_fde_at(o->elf, addr);

	if (d == NULL || *n == 8 || !is_part(o, d))
		return;
	for (uint32_t i = 0; i < *n; i++)
		if (part[i].addr == d->addr)
			return;
	part[(*n)++] = (struct code_part){ d->addr, d->size };
}

struct pads {
	struct obj *o;
	struct code_part *part;
	uint32_t *n;
};

static void
pad_part(void *arg, uint64_t addr)
{
	struct pads *p = arg;

	part_add(p->o, addr, p->part, p->n);
}

/* A function's parts: those its jumps and its exceptions lead to. */
static uint32_t
parts_of(struct obj *o, const struct elf_fde *d, struct code_part part[8])
{
	uint32_t n = 1;
	struct pads pads = { o, part, &n };

	part[0] = (struct code_part){ d->addr, d->size };
	elf_landing_pads(o->elf, d, pad_part, &pads);
	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *p =
			elf_bytes(o->elf, part[i].addr, part[i].size);
		struct code_insn in;

		for (uint64_t at = 0; p != NULL && at < part[i].size;
		     at += in.len) {
			code_insn_decode(p + at, part[i].size - at,
					 part[i].addr + at, &in);
			if ((in.kind == CODE_I_JMP || in.kind == CODE_I_JCC) &&
			    in.target - part[0].addr >= part[0].size)
				part_add(o, in.target, part, &n);
		}
	}
	return n;
}

/* ---- counting ------------------------------------------------------------ */

static const char *const win_names[] = { "jmp", "hop", "int3", "none" };

static enum code_win_kind
window(struct obj *o, const struct code_world *w, const struct code_fn *f,
       uint64_t addr, const char *what, struct code_window *win)
{
	code_fn_window(w, f, addr, win);
	if (o->verbose && win->kind != CODE_WIN_JMP) {
		const struct elf_sym *s = elf_sym_at(o->elf, addr);

		printf("%s %s+0x%llx 0x%llx: %s, %s\n", what,
		       s != NULL ? s->name : "?",
		       s != NULL ? (unsigned long long)(addr - s->addr) : 0,
		       (unsigned long long)addr, win_names[win->kind],
		       win->why != NULL ? win->why : "");
	}
	if (o->check &&
	    (win->kind == CODE_WIN_JMP || win->kind == CODE_WIN_HOP))
		(void)vec_push(&o->windows, *win);
	if (o->check && win->kind == CODE_WIN_HOP) {
		/* Nothing may lead to its first byte either. */
		struct code_window hop = { .start = win->hop - 1, .len = 6 };

		(void)vec_push(&o->windows, hop);
	}
	return win->kind;
}

/* True if it could be copied as a whole. */
static bool
copies(struct obj *o, const struct code_world *w, const struct code_fn *f,
       bool entry)
{
	const char *why = x86_copy_refused(w, f);

	if (why == NULL && !entry)
		why = "its entry has no window";
	if (why != NULL && o->verbose)
		printf("copy 0x%llx: %s\n",
		       (unsigned long long)f->part[0].addr, why);
	return why == NULL;
}

/* entry: it has a window. */
static void
count_outs(struct obj *o, const struct code_world *w, const struct code_fn *f,
	   bool entry, struct sums *t)
{
	bool a = true, ab = true, abh = true;

	for (size_t i = 0; i < f->outs.n; i++) {
		struct code_window win;
		enum code_win_kind k =
			window(o, w, f, f->outs.v[i].addr, "return", &win);
		bool alpha =
			k == CODE_WIN_JMP && win.start == f->outs.v[i].addr;

		t->rets++;
		t->alpha += alpha;
		a &= alpha;
		ab &= k == CODE_WIN_JMP;
		abh &= k == CODE_WIN_JMP || k == CODE_WIN_HOP;
	}
	t->fn_a += a;
	t->fn_ab += ab;
	t->fn_abh += abh;
	t->fn_copy += abh || copies(o, w, f, entry);
}

static void
count_fn(struct obj *o, const struct code_world *w, const struct elf_fde *d,
	 struct sums *t)
{
	struct code_part part[8];
	struct code_window win;
	struct code_fn f;
	struct err e = { 0 };
	enum code_win_kind k;

	if (code_fn_analyse(w, part, parts_of(o, d, part), &f, &e) != 0) {
		fprintf(stderr, "0x%llx: %s\n", (unsigned long long)d->addr,
			e.msg);
		return;
	}
	if (o->verbose && !f.complete)
		printf("function %s 0x%llx: %s%s\n",
		       elf_sym_at(o->elf, d->addr) != NULL
			       ? elf_sym_at(o->elf, d->addr)->name
			       : "?",
		       (unsigned long long)d->addr,
		       f.closed ? "" : "not closed: ", f.why);
	t->fns++;
	t->exact += f.outs_all;
	t->closed += f.closed;
	k = window(o, w, &f, d->addr, "entry", &win);
	t->entry += k == CODE_WIN_JMP;
	t->entry_hop += k == CODE_WIN_JMP || k == CODE_WIN_HOP;
	count_outs(o, w, &f, k == CODE_WIN_JMP || k == CODE_WIN_HOP, t);
	code_fn_fini(&f);
}

/* ---- the check ----------------------------------------------------------- */

static int
win_cmp(const void *va, const void *vb)
{
	const struct code_window *a = va, *b = vb;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* The window that addr is inside of, not at its start.  Windows overlap: those
   that begin up to a window's size before are looked at. */
static const struct code_window *
win_around(const struct obj *o, uint64_t addr)
{
	size_t lo = 0, hi = o->windows.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (o->windows.v[mid].start < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo-- > 0 && addr - o->windows.v[lo].start < CODE_WIN_MAX;)
		if (addr - o->windows.v[lo].start < o->windows.v[lo].len)
			return &o->windows.v[lo];
	return NULL;
}

static size_t
complain(const struct obj *o, uint64_t to, uint64_t from, const char *what)
{
	const struct code_window *w = win_around(o, to);

	if (w == NULL)
		return 0;
	printf("BAD window 0x%llx+%u: %s from 0x%llx leads to 0x%llx\n",
	       (unsigned long long)w->start, w->len, what,
	       (unsigned long long)from, (unsigned long long)to);
	return 1;
}

/* Everything that leads anywhere, against all windows. */
static size_t
check_windows(struct obj *o)
{
	size_t bad = 0;

	if (o->windows.n != 0)
		qsort(o->windows.v, o->windows.n, sizeof(*o->windows.v),
		      win_cmp);
	for (size_t i = 0; i < o->nentries; i++)
		bad += complain(o, o->entries[i], 0, "a table");
	for (size_t i = 0; i < o->nfdes; i++) {
		const struct elf_fde *d = &o->fdes[i];
		const uint8_t *p = elf_bytes(o->elf, d->addr, d->size);
		struct code_insn in;

		for (uint64_t at = 0; p != NULL && at < d->size; at += in.len) {
			code_insn_decode(p + at, d->size - at, d->addr + at,
					 &in);
			if (in.kind == CODE_I_JMP || in.kind == CODE_I_JCC ||
			    in.kind == CODE_I_CALL)
				bad += complain(o, in.target, d->addr + at,
						"a branch");
			if (in.kind == CODE_I_CALL ||
			    in.kind == CODE_I_CALL_IND)
				bad += complain(o, d->addr + at + in.len,
						d->addr + at, "a call");
		}
	}
	return bad;
}

/* ---- all ----------------------------------------------------------------- */

static double
pct(size_t n, size_t of)
{
	return of != 0 ? 100.0 * (double)n / (double)of : 0;
}

static void
print_row(const char *path, const struct sums *t)
{
	const char *base = strrchr(path, '/');

	printf("%-22.22s %6zu %6.2f %6.2f %5.1f %5.1f %5.1f %5.1f %5.1f %6.2f "
	       "%6.2f %6.1f\n",
	       base != NULL ? base + 1 : path, t->fns, pct(t->entry, t->fns),
	       pct(t->entry_hop, t->fns), pct(t->alpha, t->rets),
	       pct(t->fn_a, t->fns), pct(t->fn_ab, t->fns),
	       pct(t->fn_abh, t->fns), pct(t->fn_copy, t->fns),
	       pct(t->exact, t->fns), pct(t->closed, t->fns),
	       t->seconds / (double)t->fns * 1e6);
}

static size_t
do_file(const char *path, bool verbose, bool check)
{
	struct err e = { 0 };
	struct obj o = { .elf = elf_open(path, &e),
			 .verbose = verbose,
			 .check = check };
	struct code_world w = { .arg = &o,
				.bytes = cov_bytes,
				.is_fn = cov_is_fn,
				.entered = cov_entered,
				.end_before = cov_end_before,
				.pinned = cov_pinned,
				.pointer = cov_pointer,
				.held = cov_held };
	struct sums t = { 0 };
	double start = now();
	size_t bad = 0;

	if (o.elf == NULL) {
		fprintf(stderr, "%s\n", e.msg);
		return 0;
	}
	o.fdes = elf_fdes(o.elf, &o.nfdes);
	o.entries = elf_entries(o.elf, &o.nentries);
	if (verbose)
		printf("tables: %.3f s, %zu entries\n", now() - start,
		       o.nentries);
	for (size_t i = 0; o.entries != NULL && i < o.nfdes; i++) {
		uint64_t at = o.fdes[i].addr;

		/* The linker's stubs are one FDE and many functions. */
		if (!is_part(&o, &o.fdes[i]) && !o.fdes[i].signal &&
		    !(elf_is_fn(o.elf, at + 16) && o.fdes[i].size > 16 &&
		      elf_fde_at(o.elf, at + 16) == &o.fdes[i] &&
		      elf_sym_at(o.elf, at + 16) == NULL))
			count_fn(&o, &w, &o.fdes[i], &t);
	}
	t.seconds = now() - start;
	print_row(path, &t);
	if (check) {
		bad = check_windows(&o);
		printf("%zu windows, %zu that something leads into\n",
		       o.windows.n, bad);
	}
	vec_fini(&o.windows);
	elf_close(o.elf);
	return bad;
}

int
main(int argc, char **argv)
{
	bool verbose = false, check = false;
	size_t bad = 0;
	int c;

	while ((c = getopt(argc, argv, "cv")) != -1) {
		if (c == '?')
			return 2;
		verbose |= c == 'v';
		check |= c == 'c';
	}
	printf("%-22s %6s %6s %6s %5s %5s %5s %6s %5s %6s %6s %6s\n", "file",
	       "fns", "entry", "+hop", "alpha", "fn-a", "fn-ab", "fn-abh",
	       "copy", "exact", "closed", "us/fn");
	for (; optind < argc; optind++)
		bad += do_file(argv[optind], verbose, check);
	return bad != 0;
}
