/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_ustack.c - what a walk along a user's stack reads in the kernel
 * (rt/rt_unwind.h), and how it comes there.
 *
 *   pool   ARRAY, 1     the tables of all files that were met; 8 MB, or less
 *                       where the kernel gives no more
 *   list   ARRAY, 1     mappings of processes, one list behind the other; 2 MB
 *   py     ARRAY, 1     code objects of Python that were met
 *   procs  HASH         by process number: which list, of which memory
 *   wants  HASH         processes that a probe has asked for
 *   owed   ARRAY, 1     what probes have kept of their stacks (bpf_owed.c)
 *
 * Probes do not wait: what is not known of a process is asked for, and this
 * stack is owed, or where that cannot be, walked by the kernel, along frame
 * pointers.  The consumer is woken (and looks ten times a second in any case),
 * reads the mappings, and makes tables of files that it has not met yet; later
 * stacks are walked by the probe.  A process is asked for again when it has
 * other memory (it executed a file) or a different amount of code.  Those that
 * probes are for are read before tracing begins.
 *
 * When the lists are full all are forgotten, and asked for anew.
 */
#include "engine/bpf/bpf_impl.h"

#include <errno.h>
#include <string.h>

#include "unwind/unwind.h"

#define PROCS_MAX  4096u
#define WANTS_MAX  256u
#define POOL_MIN   (1u << 18) /* words */
#define EACH_POLL  64 /* processes that are read at once */

/* ---- making -------------------------------------------------------------- */

static int
ustack_hash(struct bpf_map *m, const char *name, uint32_t vsize, uint32_t n)
{
	const struct sys_map sm = {
		.type = BPF_MAP_TYPE_HASH,
		.key_size = 4,
		.value_size = vsize,
		.max_entries = n,
		.name = name,
	};

	m->fd = sys_map_create(&sm);
	return m->fd < 0 ? -1 : 0;
}

/* Older kernels give no element that is as large as the whole pool. */
static int
ustack_pool(struct bpf_ustack *x)
{
	uint32_t words = UNWIND_POOL_WORDS;

	while (bpf_maps_array(&x->pool, "unwpool", 4 * words, 1,
			      BPF_F_MMAPABLE) != 0) {
		bpf_maps_close(&x->pool);
		words /= 2;
		if (words < POOL_MIN)
			return -1;
	}
	return 0;
}

static int
ustack_make_maps(struct engine *eng)
{
	struct bpf_ustack *x = &eng->unw;

	if (ustack_pool(x) != 0 ||
	    bpf_maps_array(&x->list, "unwlist",
			   RT_UNW_LISTS * sizeof(struct rt_unw_map), 1,
			   BPF_F_MMAPABLE) != 0 ||
	    bpf_maps_array(&x->py, "unwpy", sizeof(struct rt_py_area), 1,
			   BPF_F_MMAPABLE) != 0 ||
	    ustack_hash(&x->procs, "unwproc", sizeof(struct rt_unw_proc),
			PROCS_MAX) != 0 ||
	    ustack_hash(&x->wants, "unwwant", sizeof(struct rt_unw_want),
			WANTS_MAX) != 0)
		return -1;
	x->tables = unwind_new((uint32_t *)(void *)x->pool.mem,
			       x->pool.vsize / 4);
	return x->tables != NULL ? bpf_owed_make(eng) : -1;
}

/*
 * Tables are of x86-64 only; where the verifier lets nobody load the stack
 * pointer, the machine is another one.
 */
static bool
ustack_can(struct engine *eng)
{
	struct err e = { 0 };

	return !bpf_ureg_untyped(DIF_R_THE_SP) &&
	       bpf_feat_ktypes(eng, &e) == 0 && eng->kt.task_mm != ~0u &&
	       eng->kt.mm_exec_vm != ~0u && eng->kt.mm_arg_start != ~0u;
}

/* ---- lists --------------------------------------------------------------- */

static struct rt_unw_map *
ustack_list(struct bpf_ustack *x)
{
	return (struct rt_unw_map *)(void *)x->list.mem;
}

static void
ustack_forget(struct bpf_ustack *x)
{
	uint32_t pid;

	while (sys_map_next(x->procs.fd, NULL, &pid) == 0 &&
	       sys_map_delete(x->procs.fd, &pid) == 0)
		;
	x->nlist = 0;
}

/* A place for n mappings that no list has; the caller fills it before the
   process's entry leads there. */
static uint32_t
ustack_place(struct bpf_ustack *x, size_t n)
{
	uint32_t first;

	if (x->nlist + n > RT_UNW_LISTS)
		ustack_forget(x);
	first = x->nlist;
	x->nlist += (uint32_t)n;
	return first;
}

static void
ustack_enter(struct bpf_ustack *x, uint32_t pid, const struct unwind_maps *m,
	     const struct rt_unw_want *w)
{
	struct rt_unw_proc p = { 0 };
	bool had = sys_map_lookup(x->procs.fd, &pid, &p) == 0;
	size_t size = m->n * sizeof(*m->v);

	p.mm = w != NULL ? w->mm : 0;
	p.exec_vm = w != NULL ? w->exec_vm : m->exec_vm;
	p.py = m->py;
	if (!had || p.n != m->n ||
	    memcmp(ustack_list(x) + p.first, m->v, size) != 0) {
		p.first = ustack_place(x, m->n);
		p.n = (uint32_t)m->n;
		x->id = x->id % 0xffff + 1;
		p.id = x->id;
		memcpy(ustack_list(x) + p.first, m->v, size);
	}
	if (sys_map_update(x->procs.fd, &pid, &p) != 0 && errno == E2BIG)
		ustack_forget(x);
}

/* A process that cannot be read has ended, or will be asked for again. */
static void
ustack_read(struct bpf_ustack *x, uint32_t pid, const struct rt_unw_want *w)
{
	struct unwind_maps m;

	if (unwind_maps(x->tables, (pid_t)pid, &m) != 0)
		return;
	ustack_enter(x, pid, &m, w);
	unwind_maps_fini(&m);
}

/* ---- all ----------------------------------------------------------------- */

static void
ustack_sites(struct engine *eng, const struct bpf_prog *c)
{
	struct rt_unw_proc p;

	for (size_t i = 0; i < c->sites.n; i++) {
		uint32_t pid = c->sites.v[i] != NULL
				       ? (uint32_t)c->sites.v[i]->pid
				       : 0;
		if (pid != 0 && sys_map_lookup(eng->unw.procs.fd, &pid, &p))
			ustack_read(&eng->unw, pid, NULL);
	}
}

int
bpf_ustack_make(struct engine *eng, struct err *e)
{
	eng->unw.keeps = bpf_kept_wanted(eng);
	if (!eng->unw.wanted || !ustack_can(eng))
		return 0;
	if (ustack_make_maps(eng) != 0)
		return bpf_feat_error(e, errno,
				      "cannot allocate kernel memory");
	if (eng->opts.target_pid != 0)
		ustack_read(&eng->unw, (uint32_t)eng->opts.target_pid, NULL);
	for (size_t i = 0; i < eng->progs.n; i++)
		ustack_sites(eng, eng->progs.v[i]);
	eng->unw.on = true;
	return 0;
}

void
bpf_ustack_free(struct engine *eng)
{
	bpf_owed_free(eng);
	unwind_free(eng->unw.tables);
	bpf_maps_close(&eng->unw.pool);
	bpf_maps_close(&eng->unw.list);
	bpf_maps_close(&eng->unw.py);
	bpf_maps_close(&eng->unw.procs);
	bpf_maps_close(&eng->unw.wants);
	bpf_maps_close(&eng->unw.kept);
}

bool
bpf_ustack_polls(const struct engine *eng)
{
	return eng->unw.on;
}

const struct rt_py_area *
bpf_ustack_python(const struct engine *eng)
{
	return eng->unw.on ? (const void *)eng->unw.py.mem : NULL;
}

int
bpf_ustack_poll(struct engine *eng, struct err *e)
{
	struct bpf_ustack *x = &eng->unw;
	struct rt_unw_want w;
	uint32_t pid;

	/* First: a process that is not wanted any more may owe again. */
	bpf_owed_settle(eng);
	for (int i = 0; x->on && i < EACH_POLL; i++) {
		if (sys_map_next(x->wants.fd, NULL, &pid) != 0)
			break;
		if (sys_map_lookup(x->wants.fd, &pid, &w) == 0)
			ustack_read(x, pid, &w);
		sys_map_delete(x->wants.fd, &pid);
	}
	return 0;
}

void
bpf_ustack_report(const struct engine *eng, struct buf *out)
{
	if (eng->unw.on)
		unwind_report(eng->unw.tables, out);
}
