/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_later.c - probes that come while tracing: those of modules that are
 * loaded then, and of files that processes map (engine_ops.extend).
 *
 * A program that is attached stays as it is, and so does its map of sites.  New
 * places get programs of their own, which share all other maps with those that
 * run: so their clauses see the same variables, buffers and aggregations.  They
 * are made as at the beginning (bpf_site.c, bpf_prog.c), of the rows of the
 * enabling that have come; meanwhile what the engine had is set aside.  The
 * names of the probes go to the end of the strings, where room was left for
 * them.
 *
 * No error here ends the trace: what cannot be had is left out, and the report
 * says why.
 */
#include "engine/bpf/bpf_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* What there was, while programs for more are made. */
struct aside {
	typeof(((struct engine *)NULL)->progs) progs;
	typeof(((struct engine *)NULL)->places) places;
	uint32_t *place0;
	struct hash *byevent[BPF_NCLASSES];
};

static void
aside_take(struct engine *eng, struct aside *a)
{
	a->progs = eng->progs;
	a->places = eng->places;
	a->place0 = eng->place0;
	memcpy(a->byevent, eng->byevent, sizeof(a->byevent));
	memset(&eng->progs, 0, sizeof(eng->progs));
	memset(&eng->places, 0, sizeof(eng->places));
	memset(eng->byevent, 0, sizeof(eng->byevent));
	eng->place0 = NULL;
}

/* The new programs go to the others, complete or not: they are freed there.
   Their places are in the arena. */
static int
aside_give(struct engine *eng, struct aside *a)
{
	int rc = 0;

	for (size_t i = 0; i < eng->progs.n && rc == 0; i++)
		rc = vec_push(&a->progs, eng->progs.v[i]) ? 0 : -1;
	vec_fini(&eng->progs);
	for (unsigned i = 0; i < BPF_NCLASSES; i++)
		hash_free(eng->byevent[i]);
	eng->progs = a->progs;
	eng->places = a->places;
	eng->place0 = a->place0;
	memcpy(eng->byevent, a->byevent, sizeof(a->byevent));
	return rc;
}

/* In order of probes.  place0 of the rows before says that they have none. */
static int
more_places(struct engine *eng, const struct engine_site *v, size_t n,
	    struct err *e)
{
	uint32_t nprobes = eng->en->nprobes;
	struct dif_site *sites =
		arena_calloc(eng->arena, n + 1, sizeof(*sites));
	struct bpf_place *pl;
	int rc;

	eng->place0 = arena_calloc(eng->arena, nprobes + (size_t)1,
				   sizeof(*eng->place0));
	if (sites == NULL || eng->place0 == NULL)
		return err_nomem(e);
	for (size_t i = 0; i < n; i++)
		sites[i] = v[i].site;
	rc = bpf_user_more(eng, v, sites, n, e);
	pl = arena_memdup(eng->arena, eng->places.v,
			  eng->places.n * sizeof(*pl));
	free(eng->places.v);
	eng->places.v = pl;
	eng->places.cap = eng->places.n;
	if (rc != 0 || (pl == NULL && eng->places.n != 0))
		return rc != 0 ? rc : err_nomem(e);
	for (uint32_t i = 0; i < nprobes; i++)
		eng->place0[i + 1] += eng->place0[i];
	return 0;
}

/* The names of the probes to where programs see them. */
static int
more_strings(struct engine *eng, uint32_t had, struct err *e)
{
	if (eng->nstr > eng->str.vsize) {
		eng->nstr = had;
		return err_set(e, &ERR_GENERIC, 0,
			       "there is no room for more names");
	}
	memcpy(eng->str.mem + had, eng->strtab + had, eng->nstr - had);
	return 0;
}

static int
more_progs(struct engine *eng, struct err *e)
{
	for (size_t i = 0; i < eng->progs.n; i++)
		if (bpf_maps_prog(eng, eng->progs.v[i], e) != 0 ||
		    bpf_prog_make(eng, eng->progs.v[i], e) != 0)
			return -1;
	return bpf_attach_progs(eng, e);
}

static int
more_make(struct engine *eng, const struct engine_site *v, size_t n,
	  struct err *e)
{
	uint32_t had = eng->nstr;

	for (size_t i = 0; i < n; i++)
		if (v[i].site.thread.kind != DIF_RCP_NONE && !eng->threads)
			return err_set(e, &ERR_GENERIC, 0,
				       "such a probe must be there when "
				       "tracing begins");
	if (more_places(eng, v, n, e) != 0 ||
	    bpf_site_more(eng, v[0].probe, e) != 0 ||
	    more_strings(eng, had, e) != 0)
		return -1;
	return more_progs(eng, e);
}

int
bpf_later_extend(struct engine *eng, const struct engine_site *v, size_t n,
		 struct err *e)
{
	const uint32_t none = bpf_user_left_out(eng);
	struct err why;
	struct aside a;
	int rc;

	if (n == 0)
		return 0;
	err_clear(&why);
	aside_take(eng, &a);
	rc = more_make(eng, v, n, &why);
	if (aside_give(eng, &a) != 0)
		return err_nomem(e);
	if (rc == 0)
		eng->later += (uint32_t)n - (bpf_user_left_out(eng) - none);
	eng->later_left += rc == 0 ? 0 : (uint32_t)n;
	if (rc != 0)
		snprintf(eng->later_why, sizeof(eng->later_why), "%.*s",
			 (int)strcspn(why.msg, "\n"), why.msg);
	return 0;
}

void
bpf_later_report(struct engine *eng, struct buf *out)
{
	if (eng->later != 0)
		buf_printf(out, "kernel: %u place%s of modules and files that "
				"came since\n", eng->later, BUF_S(eng->later));
	if (eng->later_left != 0)
		buf_printf(out, "kernel: places of modules and files that came "
				"since that are left out: %u: %s\n",
			   eng->later_left, eng->later_why);
}
