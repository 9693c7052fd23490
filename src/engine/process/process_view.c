/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_view.c - the shared memory as the consumer walks it: slots, when
 * they are quiet, and when their threads have gone.
 *
 * Slots 0 .. RTN_HOST_SLOTS - 1 are the consumer's own and have one level; the
 * second one is a machine that nothing ever uses.  Thread slots follow; the
 * view shows those that have ever been taken.
 */
#include "engine/process/process_impl.h"
#include "proc/proc_fs.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <linux/futex.h>
#include <linux/membarrier.h>

#define GRACE_MS 50u
#define NO_MEMBARRIER_US 30000u /* longer than a store stays in a CPU */
#define NS_MS 1000000ull

/* ---- the view ------------------------------------------------------------ */

static void
view_slots(struct engine *eng)
{
	const struct shared_lay *l = &eng->lay;
	struct rt_view *v = &eng->view;
	unsigned first = RTN_HOST_SLOTS * RT_LEVELS;

	for (unsigned i = 0; i < first; i++) {
		struct host_slot *s = host_slot(eng->host, i / RT_LEVELS);
		bool own = i % RT_LEVELS == 0;
		v->rt[i] = own ? s->rt : &eng->none[i / RT_LEVELS];
		v->buf[i] = own ? s->buf : NULL;
		v->agg[i] = own ? s->agg : eng->none_agg;
	}
	for (unsigned i = first; i < first + l->nthreads * RT_LEVELS; i++) {
		uint64_t n = i - first;
		v->rt[i] = (void *)(eng->map.mem + l->slots +
				    n * l->slot_stride);
		v->buf[i] = eng->map.mem + l->bufs + n * l->bufsize;
		v->agg[i] = eng->map.mem + l->aggs + n * l->aggsize;
	}
}

int
shared_view(struct engine *eng, struct err *e)
{
	struct rt_view *v = &eng->view;
	unsigned n = v->maxslots; /* as it was said when loaded */

	*v = (struct rt_view){
		.nslots = RTN_HOST_SLOTS * RT_LEVELS,
		.ncpus = 1,
		.maxslots = n,
		.thread_slots = true,
		.ns = clock_ns,
		.ns_arg = &eng->clock,
		.statics = eng->plan.statics.v,
		.nstatics = (uint32_t)eng->plan.statics.n,
		.solos = eng->plan.solos.v,
		.nsolos = (uint32_t)eng->plan.solos.n,
		.solo_seen = shared_solo_size(eng->plan.solos_max),
		.solo0 = RTN_HOST_SLOTS * RT_LEVELS,
		.damaged = &eng->damaged,
		.bufsize = eng->lay.bufsize,
		.bufpolicy = eng->opts.bufpolicy,
		.aggsize = eng->lay.aggsize,
		.ctl = &eng->sh->ctl,
		.agg_fixed = eng->agg_fixed,
		.agg_buckets_off = eng->agg.buckets_off,
		.agg_nbuckets = eng->agg.nbuckets,
		.agg_entries_off = eng->agg.entries_off,
	};
	v->rt = arena_calloc(eng->arena, n, sizeof(*v->rt));
	v->buf = arena_calloc(eng->arena, n, sizeof(*v->buf));
	v->agg = arena_calloc(eng->arena, n, sizeof(*v->agg));
	v->seen = arena_calloc(eng->arena, n, sizeof(*v->seen));
	v->stuck = eng->stuck = arena_calloc(eng->arena, n, sizeof(bool));
	eng->none = arena_calloc(eng->arena, RTN_HOST_SLOTS,
				 sizeof(*eng->none));
	if (v->rt == NULL || v->buf == NULL || v->agg == NULL ||
	    v->seen == NULL || eng->stuck == NULL || eng->none == NULL)
		return err_nomem(e);
	if (eng->lay.aggsize != 0) {
		void *p = mmap(NULL, eng->lay.aggsize, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			       0);
		if (p == MAP_FAILED)
			return err_nomem(e);
		eng->none_agg = p;
	}
	view_slots(eng);
	if (eng->lay.aggsize == 0)
		v->agg = NULL;
	return 0;
}

void
shared_view_fini(struct engine *eng)
{
	if (eng->none_agg != NULL)
		munmap(eng->none_agg, eng->lay.aggsize);
	eng->none_agg = NULL;
}

/* Slots taken since, and firings that found none: lost, and counted. */
const struct rt_view *
shared_view_now(struct engine *eng)
{
	struct rt_view *v = &eng->view;
	uint32_t used;
	uint64_t lost;

	if (eng->root != NULL)
		return shared_view_now(eng->root);
	if (eng->sh == NULL || v->rt == NULL)
		return v;
	used = __atomic_load_n(&eng->sh->nthreads_used, __ATOMIC_ACQUIRE);
	if (used > eng->lay.nthreads)
		used = eng->lay.nthreads;
	v->nslots = (RTN_HOST_SLOTS + used) * RT_LEVELS;
	lost = eng->sh->no_slot;
	eng->none->drops[RT_DROP_NESTED] +=
		rt_view_grown(v, eng->no_slot_seen, lost);
	eng->no_slot_seen = lost;
	return v;
}

/* ---- who has a slot ------------------------------------------------------ */

static bool
view_lives(const struct engine *eng, uint32_t tid)
{
	struct proc_stat st;

	if (eng->foreign_pids)
		return follow_find_thread(eng->pid, tid) != 0;
	/* Of any process: the kernel knows threads there too. */
	if (engine_several(eng))
		return proc_stat_read((pid_t)tid, 0, &st) &&
		       !proc_stat_ended(&st);
	return proc_stat_read(eng->pid, (pid_t)tid, &st);
}

static uint32_t
slot_owner(const struct engine *eng, unsigned slot)
{
	return eng->sh->owner[slot / RT_LEVELS - RTN_HOST_SLOTS] & ~RTN_KEPT;
}

/* ---- quiet --------------------------------------------------------------- */

static void
serialise(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) != 0)
		usleep(NO_MEMBARRIER_US);
}

static bool
slot_busy(const struct engine *eng, unsigned slot)
{
	if (eng->root != NULL)
		eng = eng->root;
	return __atomic_load_n(&eng->view.rt[slot]->busy, __ATOMIC_ACQUIRE) !=
	       0;
}

/* Nobody is left who could finish a firing. */
static bool
target_over(const struct engine *eng, unsigned slot)
{
	if (slot < RTN_HOST_SLOTS * RT_LEVELS)
		return false;
	if (engine_several(eng))
		return !view_lives(eng, slot_owner(eng, slot));
	return eng->gone || engine_target_ended(eng);
}

/*
 * Wait until each slot was seen idle once.  left[]: those that were not, as
 * often as they were looked at; NULL: nobody asks.
 */
static void
slots_wait(struct engine *eng, unsigned ms, bool *left)
{
	const struct rt_view *v = shared_view_now(eng);
	uint64_t end = clock_mono_ns() + ms * NS_MS;

	for (unsigned s = 0; s < v->nslots; s++) {
		bool busy = slot_busy(eng, s);

		for (unsigned i = 0; busy; i++) {
			if (i % 1024 == 1023) {
				if (clock_mono_ns() > end ||
				    target_over(eng, s))
					break;
				sched_yield();
			}
			busy = slot_busy(eng, s);
		}
		if (left != NULL)
			left[s] = busy && !target_over(eng, s);
	}
}

/*
 * A firing sets busy before it reads agg_half.  Having made all CPUs serialise
 * we see each busy that was set by one that may have read the old half.
 */
void
shared_grace(struct engine *eng)
{
	if (eng->sh == NULL || eng->view.rt == NULL)
		return;
	serialise();
	slots_wait(eng, GRACE_MS, eng->stuck);
}

/* The last time: what a thread has not finished by then, it will not; all that
   is there is to be drained. */
void
shared_quiet(struct engine *eng, unsigned ms)
{
	if (eng->sh == NULL || eng->view.rt == NULL)
		return;
	serialise();
	slots_wait(eng, ms, NULL);
	memset(eng->stuck, 0, eng->view.maxslots * sizeof(*eng->stuck));
}

bool
shared_idle(struct engine *eng)
{
	const struct rt_view *v = shared_view_now(eng);

	for (unsigned s = RTN_HOST_SLOTS * RT_LEVELS; s < v->nslots; s++)
		if (slot_busy(eng, s))
			return false;
	return true;
}

/* ---- threads that have gone ---------------------------------------------- */

static bool
table_copy(const struct engine *eng, pid_t pid, struct rtn_table *t)
{
	struct iovec l = { t, sizeof(*t) },
		     r = { (void *)(uintptr_t)eng->map.table, sizeof(*t) };

	return process_vm_readv(proc_face(pid), &l, 1, &r, 1, 0) ==
	       (ssize_t)sizeof(*t);
}

/* The thread's key leads nowhere from now on. */
static void
home_close(const struct engine *eng, pid_t pid, const struct rtn_table *t,
	   uint32_t thread)
{
	uint64_t rt = eng->sh->slots + /* as the process has it */
		      (uint64_t)thread * RT_LEVELS * eng->lay.slot_stride;
	uint64_t tomb = RTN_KEY_TOMB;

	for (uint32_t i = 0; i < RTN_NHOMES; i++) {
		struct iovec l = { &tomb, sizeof(tomb) }, r;
		if (t->home[i].rt != rt || t->home[i].key <= RTN_KEY_CLAIM)
			continue;
		r.iov_base = (void *)(uintptr_t)(
			eng->map.table +
			offsetof(struct rtn_table, home) +
			i * sizeof(struct rtn_home) +
			offsetof(struct rtn_home, key));
		r.iov_len = sizeof(tomb);
		(void)process_vm_writev(proc_face(pid), &l, 1, &r, 1, 0);
	}
}

static bool
thread_idle(const struct engine *eng, uint32_t thread)
{
	unsigned s = (RTN_HOST_SLOTS + thread) * RT_LEVELS;

	return !slot_busy(eng, s) && !slot_busy(eng, s + 1);
}

/* Close the homes of dead threads of one process, in its table; dead: as many
   as there are slots.  False: the table cannot be read. */
static bool
homes_close(const struct engine *eng, pid_t pid, const bool *dead)
{
	struct rtn_table *t = malloc(sizeof(*t));
	bool ok = t != NULL && table_copy(eng, pid, t);

	for (uint32_t i = 0; ok && i < eng->lay.nthreads; i++)
		if (dead[i])
			home_close(eng, pid, t, i);
	free(t);
	return ok;
}

/* The process that a slot's thread was of.  It is written there, where anybody
   can write: it is believed if it is one of ours. */
static pid_t
slot_pid(const struct engine *eng, uint32_t thread)
{
	unsigned s = (RTN_HOST_SLOTS + thread) * RT_LEVELS;
	pid_t pid = (pid_t) * (volatile uint32_t *)&eng->view.rt[s]->pid;

	if (!engine_several(eng) || (pid == eng->pid && !eng->gone))
		return eng->pid;
	return pid > 0 && tree_of(eng, pid) != NULL ? pid : 0;
}

/*
 * All dead threads of the process that the first one of them was of: their
 * homes are closed, done[] is set, and if it is not to be had they are kept for
 * the next time.
 */
static void
reap_process(const struct engine *eng, uint32_t first, bool *dead, bool *done)
{
	bool mine[RTN_NTHREADS] = { false };
	pid_t pid = slot_pid(eng, first);
	const struct engine *of;
	bool ok;

	for (uint32_t i = first; i < eng->lay.nthreads; i++) {
		mine[i] = dead[i] && !done[i] &&
			  (i == first || slot_pid(eng, i) == pid);
		done[i] |= mine[i];
	}
	/* Of a process that has ended nobody looks at homes. */
	of = engine_several(eng) ? tree_of(eng, pid) : eng;
	if (pid == 0 || of == NULL)
		return;
	ok = homes_close(of, pid, mine);
	for (uint32_t i = first; i < eng->lay.nthreads; i++)
		dead[i] &= ok || !mine[i];
}

/*
 * Threads that ended where we have no point see to it here.  First the key is
 * closed, for another thread may have come to the same place in memory and use
 * the slot as its own; it will take a new one.  Only when the slot is idle then
 * may it be given away.
 */
void
shared_reap(struct engine *eng)
{
	uint32_t n = eng->sh->nthreads_used;
	bool dead[RTN_NTHREADS] = { false }, done[RTN_NTHREADS] = { false };
	bool any = false;

	if ((eng->gone && !engine_several(eng)) || eng->map.nregions == 0)
		return;
	for (uint32_t i = 0; i < n && i < eng->lay.nthreads; i++) {
		uint32_t tid = eng->sh->owner[i] & ~RTN_KEPT;
		dead[i] = tid != 0 && !view_lives(eng, tid);
		any |= dead[i];
	}
	for (uint32_t i = 0; any && i < eng->lay.nthreads; i++)
		if (dead[i] && !done[i])
			reap_process(eng, i, dead, done);
	if (any)
		serialise();
	for (uint32_t i = 0; i < n && i < eng->lay.nthreads; i++)
		if (dead[i] && thread_idle(eng, i))
			__atomic_store_n(&eng->sh->owner[i], 0,
					 __ATOMIC_RELEASE);
}

void
shared_answer_tids(struct engine *eng)
{
	const unsigned first = RTN_HOST_SLOTS * RT_LEVELS;

	for (uint32_t t = 0; t < eng->lay.nthreads; t++) {
		uint32_t asked = RTN_TID_ASKED, tid;

		if (eng->sh->outer[t] != asked)
			continue;
		tid = (uint32_t)follow_find_thread(eng->pid,
						   eng->sh->owner[t]);
		__atomic_compare_exchange_n(&eng->sh->outer[t], &asked, tid,
					    false, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST);
		/* It may have begun without. */
		for (unsigned l = 0; l < RT_LEVELS; l++)
			eng->view.rt[first + t * RT_LEVELS + l]->tid = tid;
		syscall(SYS_futex, &eng->sh->outer[t], FUTEX_WAKE, INT_MAX,
			NULL, NULL, 0);
	}
}

uint8_t *
shared_thread_of(void *arg, uint32_t tid)
{
	const struct engine *eng = arg;

	for (uint32_t i = 0;
	     i < eng->sh->nthreads_used && i < eng->lay.nthreads; i++)
		if ((eng->foreign_pids ? eng->sh->outer[i] :
					 eng->sh->owner[i] & ~RTN_KEPT) == tid)
			return eng->map.mem + eng->lay.threads +
			       i * eng->lay.thread_stride;
	return NULL;
}
