/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * host_world.c - what clauses that run in the consumer see: the hooks of the
 * interpreter's struct rt_host, but for that of variables (host_var.c).
 *
 * MEMORY.  A D address is a number, and here two address spaces are behind it.
 * Ours are only the places that D itself has made: string constants, names of
 * probes, variables, elements of arrays, the machine.  These ranges are known
 * exactly; every other address is one of the target's.  Strings are read byte
 * by byte, so the last line of bytes read from the target is kept for the rest
 * of the firing.
 *
 * The target's memory is read with process_vm_readv(2), which sees it as the
 * target does, or where that is not permitted through /proc/PID/mem.
 */
#include "engine/process/host_impl.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "rt/rt_assoc.h"

/* ---- addresses that are ours --------------------------------------------- */

static int
own_add(struct host *h, const void *p, uint64_t n, struct err *e)
{
	uint64_t lo = (uintptr_t)p;
	struct host_range r = { lo, lo + n };

	if (p == NULL || n == 0)
		return 0;
	return vec_push(&h->own, r) ? 0 : err_nomem(e);
}

static int
own_obj(struct host *h, const struct dif_obj *o, struct err *e)
{
	return o == NULL ? 0 : own_add(h, o->strtab, o->strlen, e);
}

static int
own_clause(struct host *h, const struct dif_clause *cl, struct err *e)
{
	if (own_obj(h, cl->pred, e) != 0)
		return -1;
	for (uint32_t i = 0; i < cl->nstmts; i++)
		for (uint32_t k = 0; k < cl->stmts[i].nexprs; k++)
			if (own_obj(h, cl->stmts[i].exprs[k].obj, e) != 0)
				return -1;
	return 0;
}

static int
own_names(struct host *h, const struct dif_probe *p, struct err *e)
{
	const char *const name[] = { p->prov, p->mod, p->func, p->name };

	for (unsigned i = 0; i < 4; i++)
		if (name[i] != NULL &&
		    own_add(h, name[i], strlen(name[i]) + 1, e) != 0)
			return -1;
	return 0;
}

/* True if the probe fires here, in the consumer. */
static bool
is_host_probe(const struct dif_probe *p)
{
	bool host = false;

	for (uint32_t i = 0; i < p->nsites; i++)
		host |= dif_where_host(dif_sites[p->sites[i].kind].where);
	return host;
}

static int
host_range_cmp(const void *a, const void *b)
{
	const struct host_range *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

int
host_world_own(struct host *h, struct err *e)
{
	const struct dif_enabling *en = h->in.en;

	if (own_add(h, h->in.globals, en->tab->globals_size, e) != 0 ||
	    own_add(h, h->in.assoc, h->in.assoc != NULL ? h->in.assoc_lay.size :
							  0, e) != 0)
		return -1;
	for (uint32_t i = 0; i < en->nclauses; i++)
		if (own_clause(h, en->clauses[i], e) != 0)
			return -1;
	for (uint32_t i = 0; i < en->nprobes; i++)
		if (is_host_probe(&en->probes[i]) &&
		    own_names(h, &en->probes[i], e) != 0)
			return -1;
	if (h->own.n > 1)
		qsort(h->own.v, h->own.n, sizeof(*h->own.v), host_range_cmp);
	return 0;
}

/* True if the last range that begins at or below addr has all n bytes. */
static bool
own_has(const struct host *h, uint64_t addr, uint64_t n)
{
	size_t lo = 0, hi = h->own.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (h->own.v[mid].lo <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > 0 && addr < h->own.v[lo - 1].hi &&
	       n <= h->own.v[lo - 1].hi - addr;
}

static bool
host_within(uint64_t addr, uint64_t n, const void *p, uint64_t size)
{
	uint64_t off = addr - (uintptr_t)p;

	return p != NULL && off < size && n <= size - off;
}

static bool
host_is_ours(const struct host_ctx *c, uint64_t addr, uint64_t n)
{
	return host_within(addr, n, c->execname, sizeof(c->execname)) ||
	       host_within(addr, n, c->execargs, sizeof(c->execargs)) ||
	       host_within(addr, n, c->cgroup, sizeof(c->cgroup)) ||
	       host_within(addr, n, c->container, sizeof(c->container)) ||
	       host_within(addr, n, c->world.thread,
		      c->h->in.en->tab->thread_size) ||
	       own_has(c->h, addr, n);
}

/* ---- the target's memory ------------------------------------------------- */

static int
host_read(const struct host_ctx *c, uint64_t addr, void *dst, uint64_t n)
{
	const struct host *h = c->h;
	pid_t pid = host_subject(c);
	struct iovec to = { .iov_base = dst, .iov_len = n };
	struct iovec from = { .iov_base = (void *)(uintptr_t)addr,
			      .iov_len = n };
	ssize_t got = process_vm_readv(pid, &to, 1, &from, 1, 0);

	/* ESRCH: its main thread has ended, others run. */
	if (got < 0 &&
	    (errno == EPERM || errno == ENOSYS || errno == ESRCH) &&
	    pid == h->in.pid && h->in.mem >= 0 && addr <= INT64_MAX)
		got = pread(h->in.mem, dst, n, (off_t)addr);
	return got == (ssize_t)n ? 0 : -1;
}

int
host_target_read(struct host_ctx *c, uint64_t addr, void *dst, uint64_t n)
{
	uint64_t line = addr & ~(uint64_t)(HOST_LINE - 1);

	if (n > HOST_LINE - (addr - line))
		return host_read(c, addr, dst, n);
	if (!c->line_ok || c->line_addr != line) {
		c->line_ok = host_read(c, line, c->line, HOST_LINE) == 0;
		c->line_addr = line;
	}
	if (!c->line_ok)
		return -1;
	memcpy(dst, c->line + (addr - line), n);
	return 0;
}

/* rt_host_mem.read */
static int
world_read(void *arg, uint64_t addr, void *dst, uint64_t n, bool user)
{
	struct host_ctx *c = arg;

	if (!user && host_is_ours(c, addr, n)) {
		memcpy(dst, (const void *)(uintptr_t)addr, n);
		return 0;
	}
	return host_target_read(c, addr, dst, n);
}

/* rt_host_mem.write; unlike the memory file it heeds protections. */
static int
world_write(void *arg, uint64_t addr, const void *src, uint64_t n)
{
	struct host_ctx *c = arg;
	struct iovec from = { .iov_base = (void *)(uintptr_t)src,
			      .iov_len = n };
	struct iovec to = { .iov_base = (void *)(uintptr_t)addr, .iov_len = n };

	c->line_ok = false;
	return process_vm_writev(proc_face(host_subject(c)), &from, 1, &to, 1,
				 0) == (ssize_t)n
		       ? 0
		       : -1;
}

/* ---- processes ----------------------------------------------------------- */

/* rt_host_mem.progeny */
static bool
world_progeny(void *arg, uint64_t pid)
{
	uint64_t p = host_pid(arg);

	/* Bounded: pids may be taken again while we climb. */
	for (unsigned i = 0; i < 1000 && p != 0; i++) {
		if (p == pid)
			return true;
		p = host_parent_of(p);
	}
	return false;
}

/* ---- stacks, arrays, signals --------------------------------------------- */

/* rt_host.stack */
static uint32_t
world_stack(void *arg, bool user, uint64_t *pcs, uint32_t n)
{
	struct host_ctx *c = arg;

	if (c->sample == NULL)
		return 0;
	uint32_t have = user ? c->sample->nustack : c->sample->nkstack;
	if (n > have)
		n = have;
	if (n != 0)
		memcpy(pcs, user ? c->sample->ustack : c->sample->kstack,
		       n * sizeof(*pcs));
	return n;
}

static struct rtn_var
array_facts(const struct dif_uvar *v)
{
	bool str = v->type.kind == DIF_TYPE_STRING;
	bool ref = str || (v->type.flags & DIF_TF_BYREF) != 0;

	return (struct rtn_var){
		.size = v->size,
		.bytes = v->type.size,
		.flags = RTN_VAR_ARRAY | (ref ? RTN_VAR_REF : 0) |
			 (str ? RTN_VAR_STR : 0),
	};
}

static struct rt_assoc_ref
array_ref(struct host_ctx *c, const struct dif_uvar *v,
	  const struct rtn_var *facts)
{
	return (struct rt_assoc_ref){
		.store = c->h->in.assoc,
		.lay = &c->h->in.assoc_lay,
		.var = facts,
		.scope = v->scope,
		.id = v->id,
		.tid = v->scope == DIF_SCOPE_THREAD ? host_tid(c) : 0,
	};
}

static uint64_t
world_assoc_load(void *arg, struct rt *rt, const struct dif_uvar *v)
{
	const struct rtn_var facts = array_facts(v);
	const struct rt_assoc_ref ref = array_ref(arg, v, &facts);

	return rt_assoc_load(rt, &ref);
}

static void
world_assoc_store(void *arg, struct rt *rt, const struct dif_uvar *v,
		  uint64_t val)
{
	const struct rtn_var facts = array_facts(v);
	const struct rt_assoc_ref ref = array_ref(arg, v, &facts);

	rt_assoc_store(rt, &ref, val);
}

/* rt_host.act: on the sampled thread.  In BEGIN, END and tick nothing of the
   target is running that could be meant. */
static bool
world_act(void *arg, uint32_t kind, uint64_t val)
{
	struct host_ctx *c = arg;

	if (c->sample == NULL)
		return false;
	if (kind == DIF_ACT_STOP)
		kill(host_subject(c), SIGSTOP);
	else
		syscall(SYS_tgkill, host_subject(c), c->sample->tid, (int)val);
	return true;
}

/* ---- a firing ------------------------------------------------------------ */

void
host_world_enter(struct host_ctx *c, const struct host_sample *s)
{
	const struct host_in *in = &c->h->in;

	c->sample = s;
	c->line_ok = false;
	c->world.time = s != NULL ? s->time : 0;
	if (s == NULL)
		c->world.thread = c->self;
	else if (in->thread_of != NULL)
		c->world.thread = in->thread_of(in->arg, s->tid);
	else
		c->world.thread = NULL;
	if (c->world.thread == NULL)
		c->world.thread = c->nobody;
}

/* What was stored for a thread without a slot is lost. */
void
host_world_leave(struct host_ctx *c)
{
	uint32_t n = c->h->in.en->tab->thread_size;

	if (c->world.thread == c->nobody)
		for (uint32_t i = 0; i < n; i++)
			if (c->nobody[i] != 0) {
				c->slot.rt->drops[RT_DROP_DYNVAR]++;
				memset(c->nobody, 0, n);
				break;
			}
	c->sample = NULL;
}

int
host_world_init(struct host *h, struct host_ctx *c, struct err *e)
{
	const struct dif_enabling *en = h->in.en;

	c->self = calloc(1, en->tab->thread_size + 8);
	c->nobody = calloc(1, en->tab->thread_size + 8);
	if (c->self == NULL || c->nobody == NULL)
		return err_nomem(e);
	c->world = (struct rt_host){
		.mem = { .arg = c,
			 .read = world_read,
			 .write = world_write,
			 .progeny = world_progeny,
			 .conf = &h->in.conf,
			 .ctl = &h->in.sh->ctl,
			 .rand_state = host_now() ^ (uintptr_t)c },
		.builtin = host_var,
		.stack = world_stack,
		.act = world_act,
		.en = en,
		.tab = en->tab,
		.sizes = en->sizes,
		.globals = h->in.globals,
	};
	if (h->in.assoc != NULL) {
		c->world.assoc_load = world_assoc_load;
		c->world.assoc_store = world_assoc_store;
	}
	c->slot.rt = interp_rt_new(&c->world);
	return c->slot.rt == NULL ? err_nomem(e) : 0;
}

void
host_world_fini(struct host_ctx *c)
{
	if (c->slot.rt != NULL) {
		interp_assoc_free(&c->world);
		interp_rt_free(c->slot.rt);
	}
	free(c->self);
	free(c->nobody);
}
