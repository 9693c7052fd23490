/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_shared.c - the shared part laid out and filled.
 *
 *   struct rtn_shared | sites | system calls | names, strings | variables
 *   | globals | associative arrays | self-> areas | tables of stacks
 *   | machines | buffers
 *   | aggregation buffers
 *
 * The last ones are for as many threads as may ever fire at once; memory is
 * used where it is touched only.  Generated code takes much of struct
 * rtn_shared for constants, so all of that is filled before any code is made;
 * what native code changes begins as zeroes.
 */
#include "engine/process/process_impl.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <cpuid.h>

#include "rt/rt_assoc.h"
#include "proc/proc_fs.h"
#include "unwind/unwind.h"

#define BUF_MIN	 4096u
#define BUF_MAX	 (1ull << 31) /* rt_conf has 32 bits for it */
#define PAGE	 4096ull
#define LINE	 64ull
#define ASSOC_MIN (1u << 16)
#define SITES_EACH 4  /* places of a probe that comes later */
#define NAMES_EACH 64 /* bytes of its names */

static uint64_t
up(uint64_t n, uint64_t to)
{
	return (n + to - 1) & ~(to - 1);
}

static uint64_t
shared_pow2(uint64_t n, uint64_t min)
{
	uint64_t p = min;

	while (p < n && p < BUF_MAX)
		p *= 2;
	return p;
}

/* ---- sizes --------------------------------------------------------------- */

static int
size_buf(struct engine *eng, struct err *e)
{
	uint64_t min = BUF_MIN;

	for (uint32_t i = 0; i < eng->en->nclauses; i++)
		while (min < 2ull * eng->en->clauses[i]->recsize)
			min *= 2;
	if (eng->opts.bufsize > BUF_MAX && eng->opts.bufresize_manual)
		return err_set(e, &ERR_GENERIC, ENOMEM,
			       "bufsize: %llu bytes are more than a buffer can "
			       "have (%llu)",
			       (unsigned long long)eng->opts.bufsize,
			       (unsigned long long)BUF_MAX);
	/* As small as it may be, if memory was short. */
	eng->lay.bufsize = shared_pow2(eng->opts.bufsize, BUF_MIN);
	if (eng->lay.bufsize < min && eng->lay.end != 0)
		eng->lay.bufsize = min;
	if (eng->lay.bufsize < min)
		return err_set(e, &ERR_GENERIC, 0,
			       "bufsize: a record needs a buffer of at least "
			       "%llu bytes",
			       (unsigned long long)min);
	return 0;
}

static int
size_agg(struct engine *eng, struct err *e)
{
	const struct dif_tab *tab = eng->en->tab;
	uint64_t need = 0, size = shared_pow2(eng->opts.aggsize, 2 * BUF_MIN);

	if (tab->naggs == 0)
		return 0;
	for (uint32_t i = 0; i < tab->naggs; i++)
		if (tab->aggs[i]->keysize != 0)
			need += sizeof(struct rt_agg_entry) +
				tab->aggs[i]->keysize + tab->aggs[i]->words * 8;
	for (;; size *= 2) {
		rt_agg_layout_static(tab, size / 2, eng->plan.cells_size,
				     eng->agg_fixed, &eng->agg);
		if (eng->agg.entries_off + need <= size / 2)
			break;
		if (size >= BUF_MAX)
			return err_set(e, &ERR_GENERIC, 0,
				       "aggsize: the aggregations of so many "
				       "probes do not fit in %llu bytes",
				       (unsigned long long)BUF_MAX);
	}
	eng->lay.aggsize = size;
	return 0;
}

static bool
has_arrays(const struct dif_tab *tab)
{
	for (uint32_t i = 0; i < tab->nvars; i++)
		if (tab->vars[i]->kind == DIF_VK_ARRAY)
			return true;
	return false;
}

static void
size_vars(struct engine *eng)
{
	const struct dif_tab *tab = eng->en->tab;
	struct shared_lay *l = &eng->lay;

	for (uint32_t i = 0; i < tab->nvars; i++) {
		const struct dif_uvar *v = tab->vars[i];
		uint32_t n = v->id - RTN_VAR_MIN + 1;

		if (v->id >= RTN_VAR_MIN && l->nvars[v->scope] < n)
			l->nvars[v->scope] = n;
	}
}

/*
 * Names of probes as strings, one after the other; a name that is the same
 * string as the probe before has is written once.  p NULL: only measure.
 */
static uint64_t
names_write(const struct dif_enabling *en, char *p, uint32_t (*names)[4])
{
	const char *last[4] = { NULL };
	uint32_t at[4] = { 0 }, off = 1; /* at 0: "" */

	for (uint32_t i = 0; i < en->nprobes; i++) {
		const struct dif_probe *pr = &en->probes[i];
		const char *s[4] = { pr->prov, pr->mod, pr->func, pr->name };

		for (int k = 0; k < 4; k++) {
			uint32_t n = (uint32_t)strlen(s[k]) + 1;
			if (s[k] != last[k]) {
				if (p != NULL)
					memcpy(p + off, s[k], n);
				last[k] = s[k];
				at[k] = off;
				off += n;
			}
			if (p != NULL)
				names[i][k] = at[k];
		}
	}
	return off;
}

/* Places of probes in other targets. */
static uint32_t
sites_elsewhere(const struct engine *eng)
{
	uint32_t n = 0;

	for (uint32_t p = 0; eng->opts.ntargets > 1 && p < eng->en->nprobes;
	     p++)
		for (uint32_t s = 0; s < eng->en->probes[p].nsites; s++)
			n += plan_elsewhere(eng, &eng->en->probes[p].sites[s]);
	return n;
}

/* The tables of probes, with room for those that come later. */
static void
size_later(struct engine *eng)
{
	const uint32_t spare = eng->opts.spare_probes;
	struct shared_lay *l = &eng->lay;

	l->nsites = (uint32_t)eng->plan.sites.n +
		    SITES_EACH * (spare + sites_elsewhere(eng));
	l->nprobes = eng->en->nprobes + spare;
	l->strtab_size = names_write(eng->en, NULL, NULL) +
			 (uint64_t)NAMES_EACH * spare;
}

static uint64_t
lay_take(uint64_t *at, uint64_t n, uint64_t align)
{
	uint64_t off = up(*at, align);

	*at = off + n;
	return off;
}

/* Twice that is behind each machine: counters, and what was seen of them. */
uint32_t
shared_solo_size(size_t n)
{
	return (uint32_t)up(n * 8, LINE);
}

int
shared_layout(struct engine *eng, struct err *e)
{
	const struct dif_enabling *en = eng->en;
	struct shared_lay *l = &eng->lay;
	uint64_t at = sizeof(struct rtn_shared), nslots;

	if (size_buf(eng, e) != 0 || size_agg(eng, e) != 0)
		return -1;
	size_vars(eng);
	nslots = (uint64_t)l->nthreads * RT_LEVELS;
	size_later(eng);
	l->sites = lay_take(&at, l->nsites * sizeof(struct rtn_site), LINE);
	l->sys = lay_take(&at, sizeof(eng->plan.sys), LINE);
	l->own_end = at = up(at, PAGE);
	l->names = lay_take(&at, l->nprobes * 16ull, LINE);
	l->strtab = lay_take(&at, l->strtab_size, LINE);
	for (int i = 0; i < 3; i++)
		l->vars[i] = lay_take(
			&at, l->nvars[i] * sizeof(struct rtn_var), LINE);
	l->globals_size = en->tab->globals_size;
	l->globals = lay_take(&at, l->globals_size + RT_STR_MAX, LINE);
	l->assoc_size = 0;
	if (has_arrays(en->tab))
		l->assoc_size = up(eng->opts.dynvarsize > ASSOC_MIN ?
					   eng->opts.dynvarsize :
					   ASSOC_MIN,
				   PAGE);
	l->assoc = lay_take(&at, l->assoc_size, PAGE);
	l->thread_stride = up(en->tab->thread_size + 8ull, LINE);
	l->threads = lay_take(&at, l->thread_stride * l->nthreads, PAGE);
	/* From the slots on memory is shut until a thread takes one. */
	l->unw = process_unwind_size(eng) == 0
			 ? 0
			 : lay_take(&at, process_unwind_size(eng), PAGE);
	l->slot_stride = up(SHARED_SOLO0 +
				    2ull * shared_solo_size(
						   eng->plan.solos_max) +
				    RTN_STACK,
			    PAGE);
	l->slots = lay_take(&at, l->slot_stride * nslots, PAGE);
	l->bufs = lay_take(&at, l->bufsize * nslots, PAGE);
	l->aggs = lay_take(&at, l->aggsize * nslots, PAGE);
	l->end = up(at, PAGE);
	return 0;
}

/* ---- constants ----------------------------------------------------------- */

static uint64_t
clock_of(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* walltimestamp - timestamp; the narrowest of some readings. */
static uint64_t
shared_wall(void)
{
	uint64_t best = 0, span = UINT64_MAX;

	for (int i = 0; i < 5; i++) {
		uint64_t a = clock_of(CLOCK_MONOTONIC),
			 w = clock_of(CLOCK_REALTIME),
			 b = clock_of(CLOCK_MONOTONIC);
		if (b - a < span) {
			span = b - a;
			best = w - (a + span / 2);
		}
	}
	return best;
}

static void
fill_conf(const struct engine *eng, struct rt_conf *c)
{
	const struct dif_tab *tab = eng->en->tab;

	*c = (struct rt_conf){
		.strsize = eng->en->sizes.strsize,
		.scratchsize = eng->en->sizes.scratchsize,
		.aggsize = (uint32_t)eng->lay.aggsize,
		.agg_halfsize = (uint32_t)(eng->lay.aggsize / 2),
		.agg_buckets_off = eng->agg.buckets_off,
		.agg_nbuckets = eng->agg.nbuckets,
		.agg_entries_off = eng->agg.entries_off,
		.bufsize = (uint32_t)eng->lay.bufsize,
		.bufpolicy = eng->opts.bufpolicy,
		.only_cpu = (uint32_t)(eng->opts.only_cpu + 1),
		.unw_words = UNWIND_POOL_WORDS,
		.nslots = (RTN_HOST_SLOTS + eng->lay.nthreads) * RT_LEVELS,
		.task_real_parent = ~0u,
		.task_tgid = ~0u,
		.task_pid = ~0u,
		.task_cred = ~0u,
		.task_thread_info_status = ~0u,
		.wall_offset = shared_wall(),
	};
	for (uint32_t i = 0; i < tab->naggs && i < 64; i++)
		c->agg_words[i] = tab->aggs[i]->words;
}

static void
fill_ancestors(struct engine *eng, struct rtn_shared *sh)
{
	uint64_t pid = sh->ppid;

	const struct engine *root = eng->root;

	if (eng->forebears[0] == pid) {
		memcpy(sh->ancestors, eng->forebears, sizeof(sh->ancestors));
		return;
	}
	/* Most programs are executed by children of the target. */
	if (root != NULL && !root->gone && pid == (uint32_t)root->pid) {
		sh->ancestors[0] = (uint32_t)pid;
		memcpy(sh->ancestors + 1, root->forebears,
		       sizeof(sh->ancestors) - sizeof(sh->ancestors[0]));
		memcpy(eng->forebears, sh->ancestors, sizeof(eng->forebears));
		return;
	}
	for (int i = 0; i < RTN_NANCESTORS && pid != 0; i++) {
		struct proc_stat st;

		sh->ancestors[i] = (uint32_t)pid;
		if (!proc_stat_read((pid_t)pid, 0, &st))
			return;
		pid = st.v[PROC_STAT_PPID];
	}
	memcpy(eng->forebears, sh->ancestors, sizeof(eng->forebears));
}

/* Where its arguments are. */
static void
fill_args(struct engine *eng, struct rtn_shared *sh)
{
	struct proc_stat st;

	sh->args_at = sh->args_len = 0;
	if (!proc_stat_read(engine_begun(eng) ? eng->pid : proc_face(eng->pid),
			    0, &st) ||
	    st.v[PROC_STAT_ARG_END] <= st.v[PROC_STAT_ARG_START])
		return;
	sh->args_at = st.v[PROC_STAT_ARG_START];
	sh->args_len = st.v[PROC_STAT_ARG_END] - sh->args_at;
}

/* In a pid namespace depth - 1 below ours: what it calls itself, and its
   parent. */
static void
fill_numbers(struct rtn_shared *sh, unsigned depth, uint32_t own)
{
	struct proc_status st;
	uint64_t v, last;

	sh->own_pid = own;
	sh->own_ppid = 0;
	if (sh->ppid != 0 && proc_status_read((pid_t)sh->ppid, 0, &st) &&
	    proc_status_numbers(&st, "NSpid", &v, 1, &last) == depth)
		sh->own_ppid = (uint32_t)last;
}

/* Where it is, if clauses want to know. */
static void
fill_place(struct engine *eng, struct rtn_shared *sh)
{
	uint32_t other = (sh->place_now & 1) ^ 1;
	char *cgroup = sh->place[other].cgroup;

	if (!eng->wants_place)
		return;
	if (!proc_cgroup(eng->pid, cgroup, RTN_CGROUP))
		strcpy(cgroup, "<unknown>");
	proc_container(cgroup, sh->place[other].container);
	__atomic_store_n(&sh->place_now, other, __ATOMIC_RELEASE);
}

void
shared_place(struct engine *eng)
{
	fill_place(eng, eng->sh);
}

static void
fill_status(struct engine *eng, struct rtn_shared *sh)
{
	struct proc_status st;
	uint64_t v, own;
	unsigned depth;

	sh->pid = sh->own_pid = (uint32_t)eng->pid;
	if (!proc_status_read(eng->pid, 0, &st))
		return;
	sh->ppid = (uint32_t)proc_status_number(&st, "PPid");
	sh->uid = (uint32_t)proc_status_number(&st, "Uid");
	sh->gid = (uint32_t)proc_status_number(&st, "Gid");
	sh->seccomp = proc_status_number(&st, "Threads") == 1
			      ? proc_status_number(&st, "Seccomp") != 0
			      : inject_under_seccomp(eng->pid);
	/* It names its threads by other numbers than we do. */
	depth = proc_status_numbers(&st, "NSpid", &v, 1, &own);
	eng->foreign_pids = depth > 1;
	sh->foreign = eng->foreign_pids;
	if (eng->foreign_pids)
		fill_numbers(sh, depth, (uint32_t)own);
	proc_comm(eng->pid, sh->comm, sizeof(sh->comm));
	fill_ancestors(eng, sh);
	fill_args(eng, sh);
	fill_place(eng, sh);
}

static bool
shared_read(const struct engine *eng, uint64_t addr, void *dst, size_t n)
{
	struct iovec l = { dst, n }, r = { (void *)(uintptr_t)addr, n };

	return process_vm_readv(proc_face(eng->pid), &l, 1, &r, 1, 0) ==
	       (ssize_t)n;
}

/* Where the C library has registered struct rseq, from the thread pointer. */
static int64_t
rseq_offset(const struct engine *eng)
{
	uint64_t off_at, size_at;
	int64_t off;
	uint32_t size;

	if (engine_begun(eng)) /* it is registered later */
		return 0;
	if (!world_symbol(&eng->world, "__rseq_offset", &off_at) ||
	    !world_symbol(&eng->world, "__rseq_size", &size_at) ||
	    !shared_read(eng, off_at, &off, sizeof(off)) ||
	    !shared_read(eng, size_at, &size, sizeof(size)))
		return 0;
	return size != 0 ? off : 0;
}

/* The dynamic linker's r_debug.r_state: the C library exports the struct, or a
   pointer to it, which is relocated by the program's first instructions. */
static uint64_t
maps_state(const struct engine *eng)
{
	const uint64_t state = offsetof(struct r_debug, r_state);
	uint64_t at, base;

	if (eng->plan.maps_brk == 0)
		return 0;
	if (world_symbol(&eng->world, "_r_debug", &at))
		return at + state;
	if (!world_symbol_of(&eng->world, "_dl_debug_addr", &at, &base) ||
	    !shared_read(eng, at, &at, sizeof(at)) || at == 0)
		return 0;
	return at + state + (engine_begun(eng) ? base : 0);
}

static void
fill_machine(const struct engine *eng, struct rtn_shared *sh)
{
	unsigned a, b, c = 0, d;

	bool tsc;

	/* In a virtual machine it takes long to ask. */
	if (eng->root != NULL) {
		sh->has_rdpid = eng->root->sh->has_rdpid;
		tsc = eng->root->sh->vdso_time == 0;
	} else {
		if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
			sh->has_rdpid = (c >> 22) & 1;
		tsc = clock_tsc_good();
	}
	sh->has_fsgsbase = threads_have_fsgsbase();
	sh->fs_asked = !eng->fs_self && !sh->has_fsgsbase;
	sh->rseq_off = rseq_offset(eng);
	sh->maps_state = maps_state(eng);
	if (!tsc)
		sh->vdso_time = world_vdso_time(&eng->world);
}

void
shared_constants(struct engine *eng, struct rtn_shared *sh, uint64_t at,
		 uint64_t table, uint64_t ctl_low)
{
	const struct shared_lay *l = &eng->lay;

	sh->self = at;
	sh->table = table;
	sh->ctl_low = ctl_low;
	sh->sites = at + l->sites;
	sh->sys = at + l->sys;
	sh->globals = at + l->globals;
	sh->assoc = l->assoc_size != 0 ? at + l->assoc : 0;
	sh->strtab = at + l->strtab;
	sh->names = at + l->names;
	sh->slots = at + l->slots;
	sh->slot_stride = l->slot_stride;
	sh->stacks = world_short_stacks(&eng->world);
	sh->threads = at + l->threads;
	sh->thread_stride = l->thread_stride;
	sh->bufs = at + l->bufs;
	sh->aggs = at + l->aggs;
	sh->unw = l->unw != 0 ? at + l->unw : 0;
	sh->shared_size = l->end;
	sh->nthreads = l->nthreads;
	for (int i = 0; i < 3; i++) {
		sh->vars[i] = at + l->vars[i];
		sh->nvars[i] = l->nvars[i];
	}
	sh->nregions = eng->map.nregions;
	for (uint32_t i = 0; i < eng->map.nregions; i++) {
		sh->region[i].lo = eng->map.region[i].addr;
		sh->region[i].hi = sh->region[i].lo + eng->map.region[i].size;
	}
	if (eng->root == NULL) {
		sh->ctl.globals_addr = sh->globals;
		sh->ctl.strtab_addr = sh->strtab;
	}
	fill_conf(eng, &eng->conf);
	sh->conf = eng->conf;
	fill_status(eng, sh);
	fill_machine(eng, sh);
}

/* ---- tables -------------------------------------------------------------- */

static void
fill_vars(struct engine *eng)
{
	const struct dif_tab *tab = eng->en->tab;

	for (uint32_t i = 0; i < tab->nvars; i++) {
		const struct dif_uvar *v = tab->vars[i];
		struct rtn_var *to = (void *)(eng->map.mem +
					      eng->lay.vars[v->scope]);
		bool str = v->type.kind == DIF_TYPE_STRING;
		bool ref = str || (v->type.flags & DIF_TF_BYREF) != 0;

		if (v->id < RTN_VAR_MIN)
			continue;
		to[v->id - RTN_VAR_MIN] = (struct rtn_var){
			.off = v->kind == DIF_VK_ARRAY ? 0 : v->off,
			.size = v->size,
			.bytes = v->type.size,
			.flags = (v->kind == DIF_VK_ARRAY ? RTN_VAR_ARRAY :
							    RTN_VAR_SCALAR) |
				 (ref ? RTN_VAR_REF : 0) |
				 (str ? RTN_VAR_STR : 0),
		};
	}
}

/* Of which a place is kept. */
static unsigned
ncpus(void)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);

	return n < 0 ? 0 : n < RT_NCPUS_MAX ? (unsigned)n : RT_NCPUS_MAX;
}

/* What system calls mean for us besides their probes. */
static void
fill_special(struct plan *p)
{
	static const uint32_t exits[] = { SYS_exit, SYS_exit_group };
	static const uint32_t execs[] = { SYS_execve, SYS_execveat };
	static const uint32_t looks[] = { SYS_clone, SYS_prctl, SYS_seccomp };
#define FRESH(i, n) [i] = (n),
	static const uint32_t fresh[RTN_NFRESH] = { RTN_FRESH(FRESH) };
#undef FRESH

	for (unsigned nr = 0; nr < RTN_NSYS; nr++)
		if (p->sys[nr].return_site != 0)
			p->sys[nr].special |= RTN_SYS_RETURNS;
	for (int i = 0; i < 2; i++) {
		/* It never returns: nobody knows whose number its slot would
		   keep. */
		p->sys[exits[i]].special = RTN_SYS_EXIT;
		p->sys[execs[i]].special |= RTN_SYS_EXEC;
	}
	for (int i = 0; i < RTN_NFRESH; i++)
		p->sys[fresh[i]].special |= RTN_SYS_FORK;
	p->sys[SYS_vfork].special |= RTN_SYS_FORK;
	for (int i = 0; i < 3; i++)
		p->sys[looks[i]].special |= RTN_SYS_LOOK;
}

int
shared_fill(struct engine *eng, struct err *e)
{
	uint8_t *mem = eng->map.mem;
	const struct shared_lay *l = &eng->lay;
	uint64_t at = eng->map.shared;

	shared_constants(eng, eng->sh, at, eng->map.table, eng->map.ctl_low);
	if (eng->plan.sites.n != 0)
		memcpy(mem + l->sites, eng->plan.sites.v,
		       eng->plan.sites.n * sizeof(*eng->plan.sites.v));
	names_write(eng->en, (char *)mem + l->strtab,
		    (uint32_t(*)[4])(void *)(mem + l->names));
	fill_vars(eng);
	if (engine_follows(eng))
		eng->sh->follow = eng->opts.follow;
	eng->sh->consumer = (uint32_t)getpid();
	rt_cpu_places(eng->en, eng->sh->cpu_place, ncpus());
	if (l->assoc_size != 0 &&
	    (rt_assoc_lay(&eng->assoc_lay, l->assoc_size) != 0 ||
	     rt_assoc_init((struct rt_assoc *)(void *)(mem + l->assoc),
			   l->assoc_size) != 0))
		return err_set(e, &ERR_GENERIC, 0,
			       "dynvarsize: %llu bytes are too few",
			       (unsigned long long)l->assoc_size);
	clock_start(&eng->clock, eng->sh);
	return 0;
}

/* Threads of the program that was there: whatever they were doing is over. */
static void
slots_abandon(struct engine *eng)
{
	const unsigned first = RTN_HOST_SLOTS * RT_LEVELS;

	for (uint32_t i = 0; i < eng->lay.nthreads * RT_LEVELS; i++) {
		struct rt *rt = eng->view.rt[first + i];

		if (i / RT_LEVELS >= eng->sh->nthreads_used)
			break;
		if (rt->busy != 0 && eng->lay.assoc_size != 0)
			rt_assoc_abandon(rt,
					 (void *)(eng->map.mem +
						  eng->lay.assoc),
					 &eng->assoc_lay);
		rt->fork_at = 0;
		__atomic_store_n(&rt->busy, 0, __ATOMIC_RELEASE);
		if (i % RT_LEVELS == RT_LEVELS - 1)
			eng->sh->owner[i / RT_LEVELS] = 0;
	}
}

/* A member's tables are written into the file: each page that it has mapped for
   itself would be a fault. */
static void
own_write(struct engine *eng, uint64_t at, const void *v, size_t n)
{
	const struct map *m = &eng->map;

	if (eng->root == NULL || at < RTN_OWN || at + n > eng->lay.own_end ||
	    pwrite(m->fd, v, n, (off_t)(m->head + at - RTN_OWN)) != (ssize_t)n)
		memcpy(m->mem + at, v, n);
}

void
shared_follow(struct engine *eng)
{
	if (eng->root == NULL)
		slots_abandon(eng);
	else if (eng->plan.sites.n != 0)
		own_write(eng, eng->lay.sites, eng->plan.sites.v,
			  eng->plan.sites.n * sizeof(*eng->plan.sites.v));
	memset(eng->sh->comm, 0, sizeof(eng->sh->comm));
	memset(eng->sh->ancestors, 0, sizeof(eng->sh->ancestors));
	shared_constants(eng, eng->sh, eng->map.shared, eng->map.table,
			 eng->map.ctl_low);
	eng->sh->exec_wait = eng->sh->nforks = 0;
}

void
shared_fill_sys(struct engine *eng)
{
	fill_special(&eng->plan);
	own_write(eng, eng->lay.sys, eng->plan.sys, sizeof(eng->plan.sys));
}

/* ---- probes that come later ---------------------------------------------- */

bool
shared_has_room(const struct engine *eng, size_t n)
{
	const struct shared_lay *l = &eng->lay;

	return eng->plan.sites.n + n <= l->nsites &&
	       eng->en->nprobes <= l->nprobes &&
	       names_write(eng->en, NULL, NULL) <= l->strtab_size;
}

/* What is there already is written as it is. */
void
shared_more(struct engine *eng, size_t first)
{
	const struct plan *p = &eng->plan;
	uint8_t *mem = eng->map.mem;

	if (p->sites.n > first)
		memcpy(mem + eng->lay.sites + first * sizeof(*p->sites.v),
		       p->sites.v + first,
		       (p->sites.n - first) * sizeof(*p->sites.v));
	names_write(eng->en, (char *)mem + eng->lay.strtab,
		    (uint32_t(*)[4])(void *)(mem + eng->lay.names));
	shared_cells_seen(eng);
}

void
shared_cells_seen(struct engine *eng)
{
	const struct plan *p = &eng->plan;

	eng->view.statics = p->statics.v;
	eng->view.nstatics = (uint32_t)p->statics.n;
	eng->view.solos = p->solos.v;
	eng->view.nsolos = (uint32_t)p->solos.n;
}
