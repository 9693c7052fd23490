/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_maps.c - the memory that probes and the consumer share.
 *
 *   rt    ARRAY, nslots        machine states, counters          mapped
 *   buf   ARRAY, nslots        principal buffers, if needed      mapped
 *   agg   ARRAY, nslots        aggregation buffers, if needed    mapped
 *   ctl   ARRAY, 1             struct rt_ctl, then the globals   mapped
 *   conf  ARRAY, 1, frozen     struct rt_conf: constants to the verifier
 *   str   ARRAY, 1             strings of programs and probe names, and
 *                              areas->str zeroes at its start
 *   sites ARRAY per program    who fired (struct bpf_site)
 *   wake  RINGBUF              poked when the consumer should look
 *   self  TASK_STORAGE         all self-> scalars of a thread
 *   one HASH per associative array
 *   those of walks along users' stacks: bpf_ustack.c
 *
 * rt and sites are one element where the kernel takes one so large: then their
 * address is a constant in programs, and nothing has to be looked up.
 *
 * Mapped arrays are fully allocated by the kernel.  An element may not exceed
 * what kmalloc() can give on older kernels, and all may be too much for the
 * machine: then sizes are halved until they fit, unless the user forbids it.
 *
 * A small program run once per slot stores the addresses of the elements into
 * them; see ADDRESSES in bpf_impl.h.
 */
#include "engine/bpf/bpf_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "base/hash.h"

#define ONCE_MAX 8192 /* elements of a map of values seen */
#define BUF_MIN  4096u
#define LATER_NAMES 64 /* bytes for the names of a probe that comes later */
#define ELEM_MAX (1u << 28) /* the verifier follows no larger offsets */
#define WAKE_LEN 4096u

static size_t
page_round(size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (n + page - 1) / page * page;
}

void
bpf_maps_close(struct bpf_map *m)
{
	if (m->mem != NULL)
		munmap(m->mem, m->len);
	if (m->fd >= 0)
		close(m->fd);
	*m = (struct bpf_map){ .fd = -1 };
}

int
bpf_maps_array(struct bpf_map *m, const char *name, uint32_t vsize, uint32_t n,
	       uint32_t flags)
{
	const struct sys_map sm = {
		.type = BPF_MAP_TYPE_ARRAY,
		.key_size = 4,
		.value_size = vsize,
		.max_entries = n,
		.flags = flags,
		.name = name,
	};

	*m = (struct bpf_map){ .vsize = vsize,
			       .n = n,
			       .stride = (vsize + 7) & ~7u };
	m->fd = sys_map_create(&sm);
	if (m->fd < 0)
		return -1;
	if ((flags & BPF_F_MMAPABLE) == 0)
		return 0;
	m->len = page_round(m->stride * n);
	void *p = mmap(NULL, m->len, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd,
		       0);
	if (p == MAP_FAILED)
		return -1;
	m->mem = p;
	return 0;
}

int
bpf_maps_flat(struct bpf_map *m, const char *name, uint32_t vsize, uint32_t n,
	      uint32_t flags)
{
	uint64_t stride = (vsize + 7) & ~7u;

	if (stride * n <= ELEM_MAX) {
		if (bpf_maps_array(m, name, (uint32_t)stride * n, 1, flags) ==
		    0) {
			m->vsize = vsize;
			m->n = n;
			m->stride = stride;
			m->flat = true;
			return 0;
		}
		bpf_maps_close(m);
	}
	return bpf_maps_array(m, name, vsize, n, flags);
}

void
bpf_maps_elem(struct em *em, const struct bpf_map *m, int tmp, uint32_t none)
{
	if (m->flat) {
		em_ji(em, BPF_JGE, R2, (int32_t)m->n, none);
		em_mapval(em, R0, m->fd, 0);
		if (m->n == 1)
			return;
		em_alui(em, BPF_MUL, R2, (int32_t)m->stride);
		em_alu(em, BPF_ADD, R0, R2);
		return;
	}
	em_st(em, BPF_W, FP, tmp, R2);
	em_map(em, R1, m->fd);
	em_lea(em, R2, FP, tmp);
	em_call(em, BPF_FUNC_map_lookup_elem);
	em_ji(em, BPF_JEQ, R0, 0, none);
}

static int
map_need(struct bpf_map *m, const char *name, uint32_t vsize, uint32_t n,
	 uint32_t flags, struct err *e)
{
	if (bpf_maps_array(m, name, vsize, n, flags) == 0)
		return 0;
	return bpf_feat_error(e, errno, "cannot allocate kernel memory");
}

static int
map_flat(struct bpf_map *m, const char *name, uint32_t vsize, uint32_t n,
	 struct err *e)
{
	if (bpf_maps_flat(m, name, vsize, n, BPF_F_MMAPABLE) == 0)
		return 0;
	return bpf_feat_error(e, errno, "cannot allocate kernel memory");
}

/* An array with an element per slot, halved until it fits. */
static int
map_sized(struct engine *eng, struct bpf_map *m, const char *name,
	  uint64_t *size, uint64_t min, struct err *e)
{
	for (;;) {
		if (*size <= ELEM_MAX &&
		    bpf_maps_array(m, name, (uint32_t)*size, eng->nslots,
			      BPF_F_MMAPABLE) == 0)
			return 0;
		int sys = *size <= ELEM_MAX ? errno : E2BIG;
		bpf_maps_close(m);
		if (sys != E2BIG && sys != ENOMEM && sys != EINVAL)
			return bpf_feat_error(e, sys,
					      "cannot allocate buffers");
		if (eng->opts.bufresize_manual || *size / 2 < min)
			return err_set(e, &ERR_GENERIC, ENOMEM,
				       "cannot allocate %s of %llu bytes for "
				       "each of %u CPUs",
				       name[0] == 'b' ? "buffers"
						      : "aggregation buffers",
				       (unsigned long long)*size, eng->ncpus);
		*size /= 2;
	}
}

static uint64_t
maps_pow2(uint64_t n, uint64_t min)
{
	uint64_t p = min;

	while (p < n && p < (1ull << 40))
		p *= 2;
	return p;
}

/* ---- sizes -------------------------------------------------------------- */

static int
maps_buf(struct engine *eng, struct err *e)
{
	uint64_t size = maps_pow2(eng->opts.bufsize, BUF_MIN), min = BUF_MIN;

	if (!eng->buffers)
		return 0;
	for (uint32_t i = 0; i < eng->en->nclauses; i++)
		while (min < 2ull * eng->en->clauses[i]->recsize)
			min *= 2;
	if (size < min)
		return err_set(e, &ERR_GENERIC, 0,
			       "bufsize: a record needs a buffer of at least "
			       "%llu bytes",
			       (unsigned long long)min);
	return map_sized(eng, &eng->buf, "buf", &size, min, e);
}

static int
maps_agg(struct engine *eng, struct err *e)
{
	const struct dif_tab *tab = eng->en->tab;
	uint64_t size = maps_pow2(eng->opts.aggsize, 2 * BUF_MIN), need = 0;
	struct rt_agg_layout lay;
	uint32_t *fixed;

	if (tab->naggs == 0)
		return 0;
	fixed = arena_calloc(eng->arena, tab->naggs, sizeof(*fixed));
	if (fixed == NULL)
		return err_nomem(e);
	for (uint32_t i = 0; i < tab->naggs; i++)
		if (tab->aggs[i]->keysize != 0)
			need += sizeof(struct rt_agg_entry) +
				tab->aggs[i]->keysize + tab->aggs[i]->words * 8;
	rt_agg_layout(tab, BUF_MIN, fixed, &lay);
	need = 2 * (need ? need + lay.entries_off : lay.fixed_end);
	if (size < need)
		size = maps_pow2(need, BUF_MIN);
	if (map_sized(eng, &eng->agg, "agg", &size, need, e) != 0)
		return -1;
	rt_agg_layout(tab, size / 2, fixed, &lay);
	eng->view.agg_fixed = fixed;
	eng->view.agg_buckets_off = lay.buckets_off;
	eng->view.agg_nbuckets = lay.nbuckets;
	eng->view.agg_entries_off = lay.entries_off;
	return 0;
}

/* walltimestamp - timestamp; the narrowest of some readings. */
static uint64_t
maps_wall(void)
{
	uint64_t best = 0, span = UINT64_MAX;

	for (int i = 0; i < 5; i++) {
		struct timespec a, w, b;
		clock_gettime(CLOCK_MONOTONIC, &a);
		clock_gettime(CLOCK_REALTIME, &w);
		clock_gettime(CLOCK_MONOTONIC, &b);
		uint64_t ta =
			(uint64_t)a.tv_sec * 1000000000u + (uint64_t)a.tv_nsec;
		uint64_t tb =
			(uint64_t)b.tv_sec * 1000000000u + (uint64_t)b.tv_nsec;
		uint64_t tw =
			(uint64_t)w.tv_sec * 1000000000u + (uint64_t)w.tv_nsec;
		if (tb - ta < span) {
			span = tb - ta;
			best = tw - (ta + span / 2);
		}
	}
	return best;
}

static int
maps_conf(struct engine *eng, struct err *e)
{
	struct rt_conf *c = &eng->rtconf;
	uint32_t zero = 0;

	*c = (struct rt_conf){
		.strsize = eng->en->sizes.strsize,
		.scratchsize = eng->en->sizes.scratchsize,
		.aggsize = eng->agg.vsize,
		.agg_halfsize = eng->agg.vsize / 2,
		.agg_buckets_off = eng->view.agg_buckets_off,
		.agg_nbuckets = eng->view.agg_nbuckets,
		.agg_entries_off = eng->view.agg_entries_off,
		.bufsize = eng->buf.vsize,
		.bufpolicy = eng->opts.bufpolicy,
		.nslots = eng->nslots,
		.task_real_parent = ~0u,
		.task_tgid = ~0u,
		.task_pid = ~0u,
		.task_cred = ~0u,
		.task_thread_info_status = ~0u,
		.unw_words = eng->unw.pool.vsize / 4,
		.wall_offset = maps_wall(),
	};
	if (bpf_pidns_find(&c->pidns, e) != 0)
		return -1;
	if (eng->needs & (DIF_NEED_TASKS | DIF_NEED_DPATH)) {
		if (bpf_feat_ktypes(eng, e) != 0)
			return -1;
		c->task_tgid = eng->kt.task_tgid;
		c->task_real_parent = eng->kt.task_real_parent;
		c->dpath = eng->kt.dpath;
	}
	if (eng->needs & DIF_NEED_CGROUP) {
		if (bpf_feat_ktypes(eng, e) != 0)
			return -1;
		c->cgroup = eng->kt.cgroup;
		c->cgroup.root = eng->opts.cgroup_root;
	}
	if (eng->unw.on) {
		if (bpf_feat_ktypes(eng, e) != 0)
			return -1;
		c->uret = eng->kt.uret;
		c->mm_arg_start = eng->kt.mm_arg_start;
		if (eng->kt.task_fsbase != ~0u)
			c->task_fsbase = eng->kt.task_fsbase;
	}
	bpf_absent_find(eng, &c->absent);
	c->absent.again = c->absent.known || eng->sleeps;
	for (uint32_t i = 0; i < eng->en->tab->naggs && i < 64; i++)
		c->agg_words[i] = eng->en->tab->aggs[i]->words;
	if (map_need(&eng->conf, "conf", sizeof(*c), 1, BPF_F_RDONLY_PROG, e))
		return -1;
	if (sys_map_update(eng->conf.fd, &zero, c) != 0 ||
	    sys_map_freeze(eng->conf.fd) != 0)
		return bpf_feat_error(e, errno, "cannot fill a BPF map");
	return 0;
}

/* ---- the smaller ones --------------------------------------------------- */

static int
maps_sites(struct engine *eng, struct bpf_prog *c, struct err *e)
{
	size_t len = sizeof(struct bpf_site) + c->nmask * 4;

	len = (len + 7) & ~7ul;
	if (c->sites.n == 0)
		return 0;
	if (map_flat(&c->map, "sites", (uint32_t)len, (uint32_t)c->sites.n,
		     e) != 0)
		return -1;
	for (size_t i = 0; i < c->sites.n; i++)
		if (c->sites.v[i] != NULL)
			memcpy(c->map.mem + i * c->map.stride, c->sites.v[i],
			       sizeof(struct bpf_site) + c->nmask * 4);
	return 0;
}

/* What is forgotten first is what has not been met for longest. */
static int
maps_once(struct bpf_prog *c, struct err *e)
{
	const struct sys_map sm = {
		.type = BPF_MAP_TYPE_LRU_HASH,
		.key_size = 16,
		.value_size = 4,
		.max_entries = ONCE_MAX,
		.name = "once",
	};
	bool any = false;

	for (size_t i = 0; i < c->whens.n; i++)
		any |= c->whens.v[i] != NULL &&
		       c->whens.v[i]->once.kind != DIF_RCP_NONE;
	if (!any)
		return 0;
	c->once.fd = sys_map_create(&sm);
	return c->once.fd >= 0 ? 0 :
				 bpf_feat_error(e, errno,
						"cannot allocate kernel "
						"memory");
}

static int
maps_wake(struct engine *eng, struct err *e)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const struct sys_map sm = {
		.type = BPF_MAP_TYPE_RINGBUF,
		.name = "wake",
		.max_entries = (uint32_t)page_round(WAKE_LEN),
	};

	eng->wake.fd = sys_map_create(&sm);
	if (eng->wake.fd < 0)
		return bpf_feat_error(e, errno, "cannot make a ring buffer");
	/* The consumer's position, then the producer's. */
	void *p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED,
		       eng->wake.fd, 0);
	if (p == MAP_FAILED)
		return bpf_feat_error(e, errno, "cannot map a ring buffer");
	eng->wake.mem = p;
	eng->wake.len = page;
	p = mmap(NULL, page, PROT_READ, MAP_SHARED, eng->wake.fd, (off_t)page);
	if (p == MAP_FAILED)
		return bpf_feat_error(e, errno, "cannot map a ring buffer");
	eng->wake_prod = p;
	return 0;
}

/* Task storage must say the type of its value; bytes will do. */
static int
storage_btf(uint32_t size, uint32_t *key, uint32_t *value)
{
	struct btf *b = btf__new_empty();
	const void *raw;
	uint32_t len;
	int fd = -1, byte;

	if (b == NULL)
		return -1;
	*key = (uint32_t)btf__add_int(b, "int", 4, BTF_INT_SIGNED);
	byte = btf__add_int(b, "char", 1, 0);
	*value = (uint32_t)btf__add_array(b, (int)*key, byte, size);
	raw = btf__raw_data(b, &len);
	if (raw != NULL)
		fd = sys_btf_load(raw, len, NULL, 0);
	btf__free(b);
	return fd;
}

static int
map_storage(struct bpf_map *m, const char *name, uint32_t size, struct err *e)
{
	struct sys_map sm = {
		.type = BPF_MAP_TYPE_TASK_STORAGE,
		.key_size = 4,
		.value_size = size,
		.flags = BPF_F_NO_PREALLOC,
		.name = name,
	};

	sm.btf_fd = storage_btf(size, &sm.btf_key, &sm.btf_value);
	if (sm.btf_fd < 0)
		return bpf_feat_error(e, errno, "cannot load types");
	m->fd = sys_map_create(&sm);
	int sys = errno;
	close(sm.btf_fd);
	m->vsize = size;
	if (m->fd >= 0)
		return 0;
	if (sys == E2BIG)
		return err_set(e, &ERR_GENERIC, 0,
			       "self-> variables take %u bytes in all: too "
			       "many for this kernel (lower strsize)",
			       size);
	return bpf_feat_error(e, sys,
			      "cannot make storage for self-> "
			      "variables");
}

static int
maps_assoc_one(struct engine *eng, struct bpf_assoc *a, uint64_t room,
	       struct err *e)
{
	const struct dif_uvar *v = a->var;
	struct sys_map sm = {
		.type = BPF_MAP_TYPE_HASH,
		.name = v->name,
		.key_size = v->keysize + (v->scope == DIF_SCOPE_THREAD ? 8 : 0),
		.value_size = v->size,
	};

	uint64_t n = room / (sm.key_size + sm.value_size);
	sm.max_entries = n < 1 ? 1 : n > (1u << 20) ? 1u << 20 : (uint32_t)n;
	if (v->size > eng->areas->str)
		return err_set(e, &ERR_GENERIC, 0,
			       "array %s: values of %u bytes are too large",
			       v->name, v->size);
	a->map.fd = sys_map_create(&sm);
	if (a->map.fd >= 0)
		return 0;
	if (errno == E2BIG || errno == EINVAL)
		return err_set(e, &ERR_GENERIC, errno,
			       "array %s: keys of %u bytes are too large for "
			       "this kernel (lower strsize)",
			       v->name, sm.key_size);
	return bpf_feat_error(e, errno, "cannot make an associative array");
}

static int
maps_assoc(struct engine *eng, struct err *e)
{
	const struct dif_tab *tab = eng->en->tab;

	eng->assoc =
		arena_calloc(eng->arena, tab->nvars + 1, sizeof(*eng->assoc));
	if (eng->assoc == NULL)
		return err_nomem(e);
	for (uint32_t i = 0; i < tab->nvars; i++)
		if (tab->vars[i]->kind == DIF_VK_ARRAY)
			eng->assoc[eng->nassoc++] =
				(struct bpf_assoc){ .var = tab->vars[i],
						    .map.fd = -1 };
	for (uint32_t i = 0; i < eng->nassoc; i++)
		if (maps_assoc_one(eng, &eng->assoc[i],
				   eng->opts.dynvarsize / eng->nassoc, e) != 0)
			return -1;
	return 0;
}

struct bpf_assoc *
bpf_maps_assoc(struct engine *eng, const struct dif_uvar *v)
{
	for (uint32_t i = 0; i < eng->nassoc; i++)
		if (eng->assoc[i].var == v)
			return &eng->assoc[i];
	return NULL;
}

/* ---- addresses ---------------------------------------------------------- */

/*
 * raw_tp(args[0] = slot): rt[slot].self = &rt[slot]; ctl.globals_addr,
 * ctl.strtab_addr likewise.
 */
static void
setup_code(struct engine *eng, struct em *em)
{
	uint32_t out = em_label(em);

	em_ld(em, BPF_DW, R2, R1, 0);
	bpf_maps_elem(em, &eng->rt, -8, out);
	em_st(em, BPF_DW, R0, RT_OFF(self), R0);
	em_mapval(em, R1, eng->ctl.fd, 0);
	em_mapval(em, R2, eng->ctl.fd, CTL_GLOBALS);
	em_st(em, BPF_DW, R1, offsetof(struct rt_ctl, globals_addr), R2);
	em_mapval(em, R2, eng->str.fd, 0);
	em_st(em, BPF_DW, R1, offsetof(struct rt_ctl, strtab_addr), R2);
	em_place(em, out);
	em_imm(em, R0, 0);
	em_exit(em);
}

static int
setup_load(struct engine *eng, struct err *e)
{
	struct em em = { 0 };
	int fd;

	setup_code(eng, &em);
	fd = bpf_feat_load(&em, "dtrace_setup", e);
	if (fd < 0 && errno != 0)
		bpf_feat_error(e, errno, "cannot load a BPF program");
	return fd;
}

static void
setup_slot(struct engine *eng, unsigned slot, const struct rt_cpu_place *place)
{
	struct rt *rt = eng->view.rt[slot];

	rt->slot = slot;
	rt->cpu = slot / RT_LEVELS;
	rt->level = slot % RT_LEVELS;
	rt->cpu_id = (int32_t)rt->cpu;
	rt->cpu_chip = place->chip;
	rt->cpu_lgrp = place->lgrp;
	rt->fault = DIF_FAULT_NONE;
}

static int
maps_setup(struct engine *eng, struct err *e)
{
	const unsigned ncpus = eng->nslots / RT_LEVELS;
	struct rt_cpu_place *places = calloc(ncpus, sizeof(*places));
	int fd, rc = 0;

	if (places == NULL)
		return err_nomem(e);
	fd = setup_load(eng, e);
	if (fd < 0) {
		free(places);
		return -1;
	}
	rt_cpu_places(eng->en, places, ncpus);
	for (unsigned s = 0; s < eng->nslots && rc == 0; s++) {
		uint64_t arg = s;
		setup_slot(eng, s, &places[s / RT_LEVELS]);
		rc = sys_prog_run(fd, &arg, 1, -1, NULL);
	}
	if (rc != 0)
		bpf_feat_error(e, errno,
			       "cannot run a BPF program "
			       "(BPF_PROG_TEST_RUN)");
	free(places);
	close(fd);
	eng->globals_addr = eng->view.ctl->globals_addr;
	eng->str_addr = eng->view.ctl->strtab_addr;
	eng->zero_addr = eng->str_addr;
	return rc;
}

/* ---- all ---------------------------------------------------------------- */

static int
maps_view(struct engine *eng, struct err *e)
{
	struct rt_view *v = &eng->view;
	unsigned n = eng->nslots;

	v->nslots = v->maxslots = n;
	v->ncpus = eng->ncpus;
	v->bufsize = eng->buf.vsize;
	v->bufpolicy = eng->opts.bufpolicy;
	v->aggsize = eng->agg.vsize;
	v->ctl = (struct rt_ctl *)(void *)eng->ctl.mem;
	v->rt = arena_calloc(eng->arena, n, sizeof(*v->rt));
	v->buf = arena_calloc(eng->arena, n, sizeof(*v->buf));
	v->agg = arena_calloc(eng->arena, n, sizeof(*v->agg));
	if (v->rt == NULL || v->buf == NULL || v->agg == NULL)
		return err_nomem(e);
	for (unsigned i = 0; i < n; i++) {
		v->rt[i] =
			(struct rt *)(void *)(eng->rt.mem + i * eng->rt.stride);
		if (eng->buf.mem != NULL)
			v->buf[i] = eng->buf.mem + i * eng->buf.stride;
		if (eng->agg.mem != NULL)
			v->agg[i] = eng->agg.mem + i * eng->agg.stride;
	}
	if (eng->buf.mem == NULL)
		v->buf = NULL;
	if (eng->agg.mem == NULL)
		v->agg = NULL;
	return 0;
}

static int
maps_fixed(struct engine *eng, struct err *e)
{
	const struct dif_tab *tab = eng->en->tab;
	const uint32_t later = eng->opts.spare_probes * LATER_NAMES;
	uint32_t size = eng->areas->size;

	if (bpf_solo_plan(eng, &size, e) != 0 ||
	    map_flat(&eng->rt, "rt", size, eng->nslots, e) != 0 ||
	    map_need(&eng->ctl, "ctl", CTL_GLOBALS + tab->globals_size + 8,
		     1, /* never empty: its address is taken */
		     BPF_F_MMAPABLE, e) != 0 ||
	    map_need(&eng->str, "str", eng->nstr + later, 1, BPF_F_MMAPABLE,
		     e) != 0)
		return -1;
	memcpy(eng->str.mem, eng->strtab, eng->nstr);
	return 0;
}

int
bpf_maps_prog(struct engine *eng, struct bpf_prog *c, struct err *e)
{
	return maps_sites(eng, c, e) != 0 ? -1 : maps_once(c, e);
}

int
bpf_maps_make(struct engine *eng, struct err *e)
{
	uint32_t self = eng->en->tab->thread_size;

	if (maps_fixed(eng, e) != 0 || maps_buf(eng, e) != 0 ||
	    maps_agg(eng, e) != 0 || maps_conf(eng, e) != 0 ||
	    maps_view(eng, e) != 0 || maps_wake(eng, e) != 0 ||
	    maps_setup(eng, e) != 0 || maps_assoc(eng, e) != 0)
		return -1;
	for (size_t i = 0; i < eng->progs.n; i++)
		if (bpf_maps_prog(eng, eng->progs.v[i], e) != 0)
			return -1;
	if (self != 0 && map_storage(&eng->self, "self", self, e) != 0)
		return -1;
	if ((eng->needs & DIF_NEED_VTIME) != 0 &&
	    map_storage(&eng->vtime, "vtime", 16, e) != 0)
		return -1;
	if (eng->unw.keeps != 0 &&
	    map_storage(&eng->unw.kept, "kept", 8 + 8 * eng->unw.keeps, e) != 0)
		return -1;
	return 0;
}

void
bpf_maps_free(struct engine *eng)
{
	struct bpf_map *all[] = { &eng->rt,   &eng->buf,  &eng->agg,
				  &eng->ctl,  &eng->conf, &eng->str,
				  &eng->wake, &eng->self, &eng->vtime };

	if (eng->wake_prod != NULL)
		munmap((void *)(uintptr_t)eng->wake_prod,
		       (size_t)sysconf(_SC_PAGESIZE));
	eng->wake_prod = NULL;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		bpf_maps_close(all[i]);
	for (size_t i = 0; i < eng->progs.n; i++) {
		bpf_maps_close(&eng->progs.v[i]->map);
		bpf_maps_close(&eng->progs.v[i]->once);
	}
	for (uint32_t i = 0; i < eng->nassoc; i++)
		bpf_maps_close(&eng->assoc[i].map);
}
