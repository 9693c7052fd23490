/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_user.c - from facts about the code of programs to what the kernel is
 * given: which instruction, and whether a breakpoint or a return probe.
 *
 * Entry: before the first instruction, or a little later where it is cheaper
 * (code_x86_slide.c).
 *
 * Return: if the offset of the instruction that returns (arg0) is not used, or
 * cannot differ, the kernel's return probe serves; else there is a probe on
 * each ret.  A tail call leaves too, but the value is not known at the jump: a
 * clause that uses arg1 of such a function gets the return probe, and then arg0
 * is 0.  So it is for functions whose ways out are not all known
 * (code_return.c): no return is missed.  Where a return probe would harm the
 * process (bpf_unwind.c), the ways out that are known have probes, whatever is
 * used.
 *
 * Instructions: the kernel cannot have probes at some (code_x86_allow.c).  A
 * site there has no place.  That is an error if a clause names the probe; of
 * what a pattern matches it is left out, unless nothing else is left.  What is
 * left out is noted with the reason (eng->left): engine_ops.left_out counts it,
 * and the report lists it.  A file that only processes had which have ended
 * meanwhile is no error anywhere, and not counted: a probe of every process may
 * have no process.  Nor is the return of a function that never returns.
 *
 * Decision 0006 has the reasons.
 */
#include "engine/bpf/bpf_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "code/code.h"
#include "elf/elf.h"

#define ARG_OFFSET 1u /* bits of args_used, for return */
#define ARG_VALUE  2u
#define INSN_MAX   16 /* bytes that show any instruction */

struct user_cx {
	struct engine *eng;
	struct err *e;
	struct hash *files; /* path -> struct elf_file */
	const char *path;   /* that of elf */
	struct elf_file *elf;
	int32_t pid; /* 0, or the one that `unwinds` is about */
	bool unwinds;
	bool idle; /* a site of this probe has no place, and wants none */
	uint32_t probe;
	const struct dif_site *site;
	struct code_body body; /* of the site's function */
	struct code_world around;
	uint32_t args_used;
	uint8_t *placed, *served; /* dif_not_left_out() */
};

static int
place_push(struct user_cx *cx, unsigned kind, uint64_t off, uint64_t cookie,
	   uint32_t slid)
{
	const struct dif_site *s = cx->site;
	struct bpf_place p = { .kind = kind,
			       .site = s,
			       .off = s->off + off,
			       .addr = s->addr + off,
			       .cookie = cookie,
			       .slid = slid };

	return vec_push(&cx->eng->places, p) ? 0 : err_nomem(cx->e);
}

static int
place_add(struct user_cx *cx, unsigned kind, uint64_t off, uint64_t cookie)
{
	return place_push(cx, kind, off, cookie, 0);
}

/* The site, or a part of it, has no place. */
static int
place_none(struct user_cx *cx, enum bpf_left_what what, const char *why)
{
	struct bpf_left l = { .probe = cx->probe, .what = what, .why = why };

	cx->idle |= what == BPF_LEFT_IDLE;
	return vec_push(&cx->eng->left, l) ? 0 : err_nomem(cx->e);
}

/* ---- files --------------------------------------------------------------- */

/* The file of a site: one that the consumer has open, or our own. */
static struct elf_file *
file_open(struct user_cx *cx, const struct dif_site *s)
{
	const struct engine_files *f = cx->eng->opts.files;
	struct elf_file *elf;

	if (f != NULL)
		return f->open(f->arg, s->pid, s->path, cx->e);
	elf = elf_open(s->path, cx->e);
	if (elf == NULL || vec_push(&cx->eng->files, elf))
		return elf;
	elf_close(elf);
	err_nomem(cx->e);
	return NULL;
}

static int
user_file_get(struct user_cx *cx, const struct dif_site *s)
{
	if (cx->path == s->path)
		return 0;
	cx->path = NULL;
	cx->elf = hash_find_str(cx->files, s->path);
	if (cx->elf == NULL) {
		cx->elf = file_open(cx, s);
		if (cx->elf == NULL)
			return -1;
		if (hash_set_str(cx->files, s->path, cx->elf) != 0)
			return err_nomem(cx->e);
	}
	cx->path = s->path;
	return 0;
}

/* No process has the file of a site of every process any more, and nobody can
   open it; the error is taken back then. */
static bool
file_gone(struct user_cx *cx, const struct dif_site *s)
{
	if (s->pid != 0 || !bpf_uprobe_gone(cx->e->sys))
		return false;
	err_clear(cx->e);
	cx->idle = true;
	return true;
}

/* cx->body: the function, or as much as an instruction where none is known. */
static int
body_get(struct user_cx *cx, const struct dif_site *s)
{
	struct code_body *b = &cx->body;
	uint64_t fn = s->fn != 0 ? s->fn : s->addr;
	uint64_t left;

	if (user_file_get(cx, s) != 0)
		return -1;
	b->addr = fn - s->bias;
	left = elf_code_left(cx->elf, b->addr);
	b->n = s->fn != 0 ? s->fn_size : INSN_MAX;
	if (b->n > left)
		b->n = left;
	b->next = s->fn_next != 0 ? s->fn_next - fn : SIZE_MAX;
	b->p = elf_bytes(cx->elf, b->addr, b->n);
	code_elf_world(cx->elf, &cx->around);
	b->w = &cx->around;
	return 0;
}

/* ---- returns ------------------------------------------------------------- */

/* True if the function's return address must stay what it is. */
static bool
return_harmful(struct user_cx *cx, const struct dif_site *s)
{
	if (elf_is_go(cx->elf) || bpf_unwind_odd(cx->elf, cx->body.addr) ||
	    s->pid == 0)
		return true;
	if (cx->pid != s->pid) {
		cx->unwinds = bpf_unwind_process(cx->eng, s->pid);
		cx->pid = s->pid;
	}
	return cx->unwinds;
}

/* Which of its ways out have no place, where each has a probe of its own. */
static int
return_missing(struct user_cx *cx, const struct code_returns *r)
{
	if (r->rets.n + r->tails.n != 0)
		return r->exact ? 0
				: place_none(cx, BPF_LEFT_PART,
					     "some of its ways out are not "
					     "known");
	if (r->exact)
		return place_none(cx, BPF_LEFT_IDLE, "it never returns");
	return place_none(cx, BPF_LEFT_ALL,
			  "its ways out are not known, and the kernel's own "
			  "return probe would harm the process");
}

/* Probes on every way out that was found. */
static int
return_each(struct user_cx *cx, const struct code_returns *r)
{
	if (return_missing(cx, r) != 0)
		return -1;
	for (size_t i = 0; i < r->rets.n; i++)
		if (place_add(cx, BPF_AT_UPROBE, r->rets.v[i], r->rets.v[i]))
			return -1;
	for (size_t i = 0; i < r->tails.n; i++)
		if (place_add(cx, BPF_AT_UPROBE, r->tails.v[i],
			      r->tails.v[i] | DIF_COOKIE_LEFT))
			return -1;
	return 0;
}

/* The kernel's return probe; its arg0 is the way out if there is only one. */
static int
return_probe(struct user_cx *cx, const struct code_returns *r)
{
	uint64_t cookie = 0;

	if (r->rets.n == 1 && r->tails.n == 0)
		cookie = r->rets.v[0];
	else if (r->rets.n == 0 && r->tails.n == 1)
		cookie = r->tails.v[0];
	return place_add(cx, BPF_AT_URETPROBE, code_slide(&cx->body), cookie);
}

static int
place_return(struct user_cx *cx, const struct dif_site *s)
{
	bool harmful = return_harmful(cx, s);
	struct code_returns r = { 0 };
	int rc;

	if (!harmful && (cx->args_used & ARG_OFFSET) == 0)
		return return_probe(cx, &r);
	if (code_returns_find(&cx->body, &cx->around, &r) != 0)
		return err_nomem(cx->e);
	if (harmful || (r.exact && r.rets.n + r.tails.n > 1 &&
			(r.tails.n == 0 || (cx->args_used & ARG_VALUE) == 0)))
		rc = return_each(cx, &r);
	else
		rc = return_probe(cx, &r);
	code_returns_fini(&r);
	return rc;
}

/* ---- sites --------------------------------------------------------------- */

static int
place_insn(struct user_cx *cx, const struct dif_site *s)
{
	uint64_t at = s->fn != 0 ? s->addr - s->fn : 0;
	struct code_insn in;

	if (!code_insn_at(&cx->body, at, &in))
		return place_none(cx, BPF_LEFT_ALL, "no instruction is there");
	if (!in.allowed)
		return place_none(cx, BPF_LEFT_ALL,
				  "it steps no such instruction (lock, "
				  "AVX, trap)");
	return place_add(cx, BPF_AT_UPROBE, 0, s->cookie);
}

static int
place_user(struct user_cx *cx, const struct dif_site *s)
{
	size_t slide;

	if (body_get(cx, s) != 0)
		return file_gone(cx, s) ? 0 : -1;
	if (cx->body.p == NULL)
		return place_none(cx, BPF_LEFT_ALL,
				  "no code of its file is there");
	if (s->kind == DIF_SITE_UINSN)
		return place_insn(cx, s);
	slide = code_slide(&cx->body);
	if (slide == CODE_NOWHERE)
		return place_none(cx, BPF_LEFT_ALL,
				  "it steps none of its first "
				  "instructions (lock, AVX, trap)");
	return s->kind == DIF_SITE_URETURN
		       ? place_return(cx, s)
		       : place_push(cx, BPF_AT_UPROBE, slide, s->cookie,
				    (uint32_t)slide);
}

static int
user_place(struct user_cx *cx, const struct dif_site *s)
{
	cx->site = s;
	if (dif_sites[s->kind].where == DIF_AT_USER)
		return place_user(cx, s);
	return place_add(cx, s->kind, 0, s->cookie);
}

/* ---- probes -------------------------------------------------------------- */

/* With the reason of its last site. */
static int
probe_refused(const struct user_cx *cx, uint32_t probe)
{
	const struct dif_probe *pr = &cx->eng->en->probes[probe];
	const char *why = "it has no place";

	for (size_t i = 0; i < cx->eng->left.n; i++)
		if (cx->eng->left.v[i].probe == probe)
			why = cx->eng->left.v[i].why;
	return err_set(cx->e, &ERR_GENERIC, 0,
		       "%s:%s:%s:%s: the kernel cannot place a probe there: %s",
		       pr->prov, pr->mod, pr->func, pr->name, why);
}

/* What the clauses of ECBs [first, end) want of a place. */
static void
place_uses(struct user_cx *cx, uint32_t first, uint32_t end)
{
	const struct dif_enabling *en = cx->eng->en;

	cx->args_used = 0;
	for (uint32_t i = first; i < end; i++) {
		const struct dif_clause *c = en->clauses[en->ecbs[i].clause];

		cx->args_used |= c->args_used;
		if (dif_clause_walks(c))
			cx->args_used |= ARG_OFFSET; /* the first frame */
	}
}

/* The places of probe number p, whose ECBs are [first, end). */
static int
place_probe(struct user_cx *cx, uint32_t p, uint32_t first, uint32_t end)
{
	const struct dif_enabling *en = cx->eng->en;
	const struct dif_probe *pr = &en->probes[p];
	size_t before = cx->eng->places.n;

	cx->idle = false;
	cx->probe = p;
	place_uses(cx, first, end);
	for (uint32_t s = 0; first < end && s < pr->nsites; s++)
		if (user_place(cx, &pr->sites[s]) != 0)
			return -1;
	if (pr->nsites != 0)
		cx->placed[p] = cx->idle || cx->eng->places.n != before
					? DIF_PLACED
					: DIF_PLACE_REFUSED;
	return 0;
}

static int
place_probes(struct user_cx *cx)
{
	struct engine *eng = cx->eng;
	uint32_t first = 0, end, bad;

	for (uint32_t p = 0; p < eng->en->nprobes; p++, first = end) {
		bpf_site_ecbs(eng->en, p, &first, &end);
		if (place_probe(cx, p, first, end) != 0)
			return -1;
		eng->place0[p + 1] = (uint32_t)eng->places.n;
	}
	bad = dif_not_left_out(eng->en, cx->placed, cx->served);
	return bad != UINT32_MAX ? probe_refused(cx, bad) : 0;
}

int
bpf_user_places(struct engine *eng, struct err *e)
{
	struct user_cx cx = { .eng = eng, .e = e, .files = hash_new() };
	const struct dif_enabling *en = eng->en;
	int rc;

	eng->place0 = arena_calloc(eng->arena, en->nprobes + (size_t)1,
				   sizeof(*eng->place0));
	cx.placed = calloc(en->nprobes + (size_t)1, 1);
	cx.served = calloc(en->nclauses + (size_t)1, 1);
	if (cx.files == NULL || eng->place0 == NULL || cx.placed == NULL ||
	    cx.served == NULL)
		rc = err_nomem(e);
	else
		rc = place_probes(&cx);
	free(cx.placed);
	free(cx.served);
	hash_free(cx.files);
	return rc;
}

int
bpf_user_more(struct engine *eng, const struct engine_site *v,
	      const struct dif_site *sites, size_t n, struct err *e)
{
	struct user_cx cx = { .eng = eng, .e = e, .files = hash_new() };
	uint32_t first = 0, end;
	int rc = 0;

	if (cx.files == NULL)
		return err_nomem(e);
	for (size_t i = 0; i < n && rc == 0; i++) {
		size_t before = eng->places.n;

		bpf_site_ecbs(eng->en, v[i].probe, &first, &end);
		place_uses(&cx, first, end);
		cx.probe = v[i].probe;
		rc = user_place(&cx, &sites[i]);
		eng->place0[v[i].probe + 1] +=
			(uint32_t)(eng->places.n - before);
	}
	hash_free(cx.files);
	return rc;
}

uint32_t
bpf_user_left_out(struct engine *eng)
{
	uint32_t n = 0;

	for (size_t i = 0; i < eng->left.n; i++)
		n += eng->left.v[i].what == BPF_LEFT_ALL;
	return n;
}

void
bpf_user_report(const struct engine *eng, struct buf *out)
{
	static const char *const words[] = {
		[BPF_LEFT_ALL] = "left out",
		[BPF_LEFT_PART] = "left out in part",
		[BPF_LEFT_IDLE] = "does not fire",
	};

	for (size_t i = 0; i < eng->left.n; i++) {
		const struct bpf_left *l = &eng->left.v[i];
		const struct dif_probe *pr = &eng->en->probes[l->probe];

		buf_printf(out, "kernel: %s: %s:%s:%s:%s: %s\n", words[l->what],
			   pr->prov, pr->mod, pr->func, pr->name, l->why);
	}
}

void
bpf_user_fini(struct engine *eng)
{
	for (size_t i = 0; i < eng->files.n; i++)
		elf_close(eng->files.v[i]);
	vec_fini(&eng->files);
	vec_fini(&eng->places);
	vec_fini(&eng->left);
}
