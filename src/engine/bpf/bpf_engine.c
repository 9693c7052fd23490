/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_engine.c - the life of a kernel engine; the contract is in rt/engine.h.
 *
 * Activity is one word that every program looks at first, so starting and
 * stopping are stores.  BEGIN and END clauses are a program too, run by
 * BPF_PROG_TEST_RUN, and so share all state with the others.
 */
#include "engine/bpf/bpf_impl.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <unistd.h>

/* With more programs, the descriptors that a process may have by default are
   too few: each is one, and so is its link. */
#define PROGS_MANY 256

/* One more than the highest CPU number that may ever be. */
static unsigned
possible_cpus(void)
{
	char text[4096] = "";
	FILE *f = fopen("/sys/devices/system/cpu/possible", "re");
	unsigned max = 0;

	if (f != NULL) {
		if (fgets(text, sizeof(text), f) == NULL)
			text[0] = '\0';
		fclose(f);
	}
	for (char *p = text; *p != '\0';) {
		if (!isdigit((unsigned char)*p)) {
			p++;
			continue;
		}
		unsigned long n = strtoul(p, &p, 10);
		if (n > max && n < 65536)
			max = (unsigned)n;
	}
	return max + 1;
}

static int
kernel_probe(struct err *e)
{
	return bpf_feat_check(e);
}

static void
kernel_free(struct engine *eng)
{
	if (eng == NULL)
		return;
	if (eng->view.ctl != NULL)
		__atomic_store_n(&eng->view.ctl->activity, RT_ACT_STOPPED,
				 __ATOMIC_SEQ_CST);
	bpf_attach_undo(eng);
	vec_fini(&eng->links);
	vec_fini(&eng->uprobes);
	for (size_t i = 0; i < eng->progs.n; i++)
		if (eng->progs.v[i]->fd >= 0)
			close(eng->progs.v[i]->fd);
	if (eng->vtime_prog >= 0)
		close(eng->vtime_prog);
	if (eng->unw.keeper != NULL && eng->unw.keeper->fd >= 0)
		close(eng->unw.keeper->fd);
	bpf_ustack_free(eng);
	bpf_maps_free(eng);
	bpf_kfunc_free(eng);
	bpf_feat_btf_free(eng);
	bpf_site_fini(eng);
	arena_free(eng->arena);
	free(eng);
}

static void
no_maps(struct engine *eng)
{
	struct bpf_map *maps[] = { &eng->rt,   &eng->buf,  &eng->agg,
				   &eng->ctl,  &eng->conf, &eng->str,
				   &eng->wake, &eng->self, &eng->vtime,
				   &eng->unw.pool, &eng->unw.list,
				   &eng->unw.procs, &eng->unw.wants,
				   &eng->unw.py, &eng->unw.owed,
				   &eng->unw.kept };

	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++)
		maps[i]->fd = -1;
}

static struct engine *
engine_new(const struct dif_enabling *en, const struct engine_opts *opts)
{
	struct engine *eng = calloc(1, sizeof(*eng));

	if (eng == NULL)
		return NULL;
	no_maps(eng);
	eng->vtime_prog = -1;
	eng->en = en;
	eng->opts = *opts;
	eng->ncpus = possible_cpus();
	eng->nslots = eng->ncpus * RT_LEVELS;
	eng->arena = arena_new();
	if (eng->arena == NULL) {
		free(eng);
		return NULL;
	}
	return eng;
}

/* Bytes of the largest key: of an array's behind an aggregation's, too. */
static uint32_t
largest_key(const struct dif_tab *tab)
{
	uint32_t agg = 0, array = 0;

	for (uint32_t i = 0; i < tab->naggs; i++)
		if (tab->aggs[i]->keysize > agg)
			agg = tab->aggs[i]->keysize;
	for (uint32_t i = 0; i < tab->nvars; i++)
		if (tab->vars[i]->kind == DIF_VK_ARRAY &&
		    tab->vars[i]->keysize + 8 > array)
			array = tab->vars[i]->keysize + 8;
	return agg + array;
}

/* The slots' areas: small ones where the program does with them. */
static int
engine_areas(struct engine *eng, struct err *e)
{
	const struct dif_sizes *sz = &eng->en->sizes;
	const struct dif_tab *tab = eng->en->tab;

	if (sz->strsize < 1 || sz->strsize > RT_STR_MAX)
		return err_set(e, &ERR_GENERIC, 0,
			       "strsize: must be between 1 and %u", RT_STR_MAX);
	if (tab->locals_size > RT_LOCALS)
		return err_set(e, &ERR_GENERIC, 0,
			       "this-> variables take %u bytes; the most is "
			       "%u (lower strsize)",
			       tab->locals_size, RT_LOCALS);
	eng->areas = rt_areas_for(sz->strsize, largest_key(tab),
				  tab->locals_size, sz->scratchsize);
	if (eng->areas == NULL) /* a key that clauses are refused for */
		eng->areas = rt_areas_for(RT_STR_MAX, 0, 0, 0);
	return 0;
}

static int
kernel_make(struct engine *eng, struct err *e)
{
	if (bpf_feat_check(e) != 0)
		return -1;
	if (engine_areas(eng, e) != 0)
		return -1;
	if (bpf_site_build(eng, e) != 0)
		return -1;
	if ((eng->needs & DIF_NEED_COPYOUT) != 0 && bpf_feat_copyout(e) != 0)
		return -1;
	if (bpf_ustack_make(eng, e) != 0 || bpf_maps_make(eng, e) != 0)
		return -1;
	if ((eng->needs & DIF_NEED_VTIME) != 0 && bpf_vtime_make(eng, e) != 0)
		return -1;
	if (eng->unw.keeps != 0 && bpf_kept_make(eng, e) != 0)
		return -1;
	if (eng->progs.n > PROGS_MANY)
		bpf_attach_nofile();
	for (size_t i = 0; i < eng->progs.n; i++)
		if (bpf_prog_make(eng, eng->progs.v[i], e) != 0)
			return -1;
	bpf_feat_btf_free(eng);
	return 0;
}

static struct engine *
kernel_load(const struct dif_enabling *en, const struct engine_opts *opts,
	    struct err *e)
{
	struct engine *eng = engine_new(en, opts);

	if (eng == NULL) {
		err_nomem(e);
		return NULL;
	}
	if (kernel_make(eng, e) != 0) {
		kernel_free(eng);
		return NULL;
	}
	return eng;
}

static int
engine_places(struct engine *eng,
	      int (*fn)(void *arg, const struct engine_place *p), void *arg)
{
	uint32_t probe = 0;

	for (uint32_t i = 0; i < eng->places.n; i++) {
		const struct bpf_place *pl = &eng->places.v[i];
		struct engine_place p = { .pid = pl->site->pid,
					  .addr = pl->addr,
					  .off = pl->off,
					  .path = pl->site->path };
		int rc;

		while (eng->place0[probe + 1] <= i)
			probe++;
		p.probe = probe;
		if (dif_sites[pl->site->kind].where != DIF_AT_USER)
			continue;
		rc = fn(arg, &p);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int
kernel_attach(struct engine *eng, struct err *e)
{
	return bpf_attach_all(eng, e);
}

/* Run the BEGIN or END clauses. */
static int
run_dtrace(struct engine *eng, enum dif_site_kind kind, struct err *e)
{
	const struct bpf_prog *c = bpf_site_own(eng);

	for (uint64_t i = 0; c != NULL && i < c->sites.n; i++)
		if (c->places.v[i]->kind == kind &&
		    sys_prog_run(c->fd, &i, 1, eng->opts.only_cpu, NULL) != 0)
			return bpf_feat_error(e, errno,
					      "cannot run the BEGIN "
					      "or END clauses");
	return 0;
}

static int
kernel_begin(struct engine *eng, struct err *e)
{
	uint32_t was = RT_ACT_INACTIVE;

	if (run_dtrace(eng, DIF_SITE_BEGIN, e) != 0)
		return -1;
	bpf_kfunc_misses(eng);
	__atomic_compare_exchange_n(&eng->view.ctl->activity, &was,
				    RT_ACT_ACTIVE, false, __ATOMIC_SEQ_CST,
				    __ATOMIC_SEQ_CST);
	return 0;
}

/* ---- grace --------------------------------------------------------------- */

/* Wait for each claimed slot to be given back. */
static void
grace_slots(const struct rt_view *v)
{
	for (unsigned s = 0; s < v->nslots; s++) {
		uint64_t n = v->rt[s]->firings;
		while (v->rt[s]->busy && v->rt[s]->firings == n)
			sched_yield();
	}
}

/*
 * Without membarrier() for all: an interrupt on each CPU makes what it has
 * claimed so far visible; then wait for each claimed slot.
 */
static void
grace_by_hand(struct engine *eng)
{
	const struct rt_view *v = &eng->view;
	const struct bpf_prog *c = bpf_site_own(eng);
	const uint64_t none = UINT64_MAX; /* no such site: runs nothing */

	for (unsigned cpu = 0; c != NULL && cpu < v->ncpus; cpu++)
		sys_prog_run(c->fd, &none, 1, (int)cpu, NULL);
	if (c == NULL)
		usleep(20000);
	grace_slots(v);
}

/* Nothing runs but what we run ourselves, and wait for: of BEGIN and END. */
static bool
never_attached(const struct engine *eng)
{
	return eng->links.cap == 0 && eng->uprobes.cap == 0;
}

/* The kernel's grace period takes some milliseconds.  It does not wait for
   programs that may sleep; these have no slot while they do. */
static void
engine_grace(struct engine *eng)
{
	if (never_attached(eng))
		return;
	if (sys_grace() != 0)
		grace_by_hand(eng);
	else if (eng->sleeps)
		grace_slots(&eng->view);
}

static int
kernel_stop(struct engine *eng, struct err *e)
{
	__atomic_store_n(&eng->view.ctl->activity, RT_ACT_DRAINING,
			 __ATOMIC_SEQ_CST);
	bpf_attach_undo(eng);
	engine_grace(eng);
	bpf_kfunc_misses(eng);
	return 0;
}

static int
kernel_end(struct engine *eng, struct err *e)
{
	int rc = run_dtrace(eng, DIF_SITE_END, e);

	__atomic_store_n(&eng->view.ctl->activity, RT_ACT_STOPPED,
			 __ATOMIC_SEQ_CST);
	return rc;
}

/* ---- the consumer's side ------------------------------------------------- */

static const struct rt_view *
kernel_view(struct engine *eng)
{
	return &eng->view;
}

static int
kernel_wait_fd(struct engine *eng)
{
	return eng->wake.fd;
}

/*
 * Consume all pokes: the consumer's position is the producer's.  Only then may
 * probes that have dropped something poke again: else a poke from between
 * would be lost, and no other would follow.
 */
static void
kernel_wait_clear(struct engine *eng)
{
	uint64_t *cons = (uint64_t *)(void *)eng->wake.mem;

	__atomic_store_n(cons,
			 __atomic_load_n(eng->wake_prod, __ATOMIC_ACQUIRE),
			 __ATOMIC_RELEASE);
	__atomic_store_n(&eng->view.ctl->wanted, 0, __ATOMIC_SEQ_CST);
}

static void
kernel_report(struct engine *eng, struct buf *out)
{
	bpf_kfunc_report(eng, out);
	bpf_later_report(eng, out);
	bpf_user_report(eng, out);
	bpf_absent_report(eng, out);
	bpf_ustack_report(eng, out);
}

const struct engine_ops bpf_engine_ops = {
	.name = "kernel",
	.probe = kernel_probe,
	.load = kernel_load,
	.places = engine_places,
	.attach = kernel_attach,
	.begin = kernel_begin,
	.stop = kernel_stop,
	.end = kernel_end,
	.free = kernel_free,
	.view = kernel_view,
	.wait_fd = kernel_wait_fd,
	.wait_clear = kernel_wait_clear,
	.grace = engine_grace,
	.poll = bpf_ustack_poll,
	.polls = bpf_ustack_polls,
	.extend = bpf_later_extend,
	.left_out = bpf_user_left_out,
	.report = kernel_report,
	.python = bpf_ustack_python,
	.stack = bpf_owed_stack,
};
