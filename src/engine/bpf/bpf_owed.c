/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_owed.c - stacks that probes owe (rt_unwind.h): of processes that were met
 * for the first time, or have mapped code since.
 *
 * A probe cannot wait for the consumer to read the mappings of a process.  So
 * it keeps the registers and a piece of the stack, and the record has a number
 * where its frames belong.  The consumer is woken, walks that piece as soon as
 * it has the mappings, and keeps the frames by their number; whoever reads the
 * record, or the key of an aggregation, gets them in its place.
 *
 * The process has gone on meanwhile: of its memory only code is looked at,
 * which stays as it is.  If it has executed another program, or has ended and
 * nobody knows what it had mapped, the frames are those that frame pointers
 * lead to, as many as the probe has found to be behind calls.
 *
 * Bounded: so many stacks at once, and of one process, and so many frames kept
 * that nobody has read yet; a probe that finds no room walks as far as it can.
 * Decision 106.
 */
#include "engine/bpf/bpf_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/hash.h"
#include "rt/rt_mem.h"
#include "unwind/unwind.h"

#define KEPT_MAX (1u << 20) /* frames of all stacks: 8 MB */

#define STAY_MAX (1u << 12) /* stacks of threads that are not running */

/* Frames, once they are known. */
struct owed_paid {
	size_t n;
	bool stays; /* it may be asked for again (bpf_kept.c) */
	uint64_t pcs[];
};

struct bpf_owed {
	struct rt_host_mem mem;
	struct rt_unw_area *area; /* the mappings of `pid` */
	struct hash *paid;	  /* number -> struct owed_paid */
	size_t kept;		  /* frames in there, but of those that stay */
	uint64_t stay[STAY_MAX];  /* the last numbers of these, in a ring */
	size_t nstay;
	/* Of this process mappings have been read, in this round. */
	uint32_t pid;
	uint64_t arg_start; /* of the program that it was; 0: it has ended */
	bool had; /* then: what it had mapped is known */
	const struct rt_unw_owed *now; /* whose piece is walked */
	struct rt rt;
};

/* ---- what a walk reads --------------------------------------------------- */

static bool
owed_code(const struct rt_unw_area *a, uint64_t addr, uint64_t n)
{
	const struct rt_unw_map *v = a->maps[a->id & 1];

	for (uint32_t i = 0; i < a->n[a->id & 1]; i++)
		if (addr >= v[i].lo && addr < v[i].hi && n <= v[i].hi - addr)
			return true;
	return false;
}

/* rt_host_mem.read */
static int
owed_read(void *arg, uint64_t addr, void *dst, uint64_t n, bool user)
{
	const struct bpf_owed *k = arg;
	const struct rt_unw_owed *o = k->now;
	uint64_t off = addr - o->sp;
	struct iovec to = { dst, n };
	struct iovec from = { (void *)(uintptr_t)addr, n };

	if (!user)
		return -1;
	if (off < o->n && n <= o->n - off) {
		memcpy(dst, o->stack + off, n);
		return 0;
	}
	if (!owed_code(k->area, addr, n))
		return -1;
	return process_vm_readv((pid_t)o->pid, &to, 1, &from, 1, 0) ==
			       (ssize_t)n
		       ? 0
		       : -1;
}

/* ---- processes ----------------------------------------------------------- */

/* Where the arguments of a process's program begin; each program has them
   elsewhere.  0: the process has ended, or is not ours to look at. */
static uint64_t
owed_program(uint32_t pid)
{
	char path[64], text[1024], *p;
	uint64_t start = 0;
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", pid);
	f = fopen(path, "re");
	if (f != NULL) {
		n = fread(text, 1, sizeof(text) - 1, f);
		fclose(f);
	}
	text[n] = '\0';
	p = strrchr(text, ')'); /* ends field 2, the name */
	for (int field = 2; p != NULL && field < 48; field++)
		p = strchr(p + 1, ' ');
	if (p != NULL)
		start = strtoull(p, NULL, 10);
	return start;
}

/* The mappings of one that has ended, which has none any more while it waits to
   be reaped. */
static bool
owed_had(struct engine *eng, uint32_t pid, struct unwind_maps *m)
{
	const struct engine_files *f = eng->opts.files;
	struct buf text = BUF_INIT;
	bool had = f != NULL && f->had != NULL &&
		   f->had(f->arg, (int32_t)pid, &text) &&
		   unwind_maps_had(eng->unw.tables, &text, m) == 0;

	buf_fini(&text);
	return had;
}

static bool
owed_maps(struct engine *eng, uint32_t pid, struct unwind_maps *m)
{
	struct bpf_owed *k = eng->unw.debtor;
	bool read = unwind_maps(eng->unw.tables, (pid_t)pid, m) == 0;

	k->arg_start = owed_program(pid);
	if (k->arg_start != 0)
		return read;
	/* It may have ended amid that. */
	if (read)
		unwind_maps_fini(m);
	k->had = owed_had(eng, pid, m);
	return k->had;
}

/* Read the mappings of a process, once in a round. */
static void
owed_meet(struct engine *eng, uint32_t pid)
{
	struct bpf_owed *k = eng->unw.debtor;
	struct rt_unw_area *a = k->area;
	struct unwind_maps m;

	if (k->pid == pid)
		return;
	k->pid = pid;
	k->had = false;
	if (!owed_maps(eng, pid, &m)) {
		k->arg_start = 0;
		return;
	}
	a->id = 3 - a->id; /* 1 or 2 */
	a->n[a->id & 1] = (uint32_t)m.n;
	memcpy(a->maps[a->id & 1], m.v, m.n * sizeof(*m.v));
	memset(k->rt.unw.cache, 0, sizeof(k->rt.unw.cache));
	unwind_maps_fini(&m);
}

/* ---- walks --------------------------------------------------------------- */

/* Along frame pointers, as far as each leads to what was behind a call. */
static size_t
owed_by_fp(const struct rt_unw_owed *o, uint64_t *pcs, size_t max)
{
	uint64_t fp = o->fp, frame[2];
	size_t n = 0;

	pcs[n++] = o->pc;
	while (n < max && n <= o->by_fp && fp >= o->sp && fp - o->sp < o->n &&
	       o->n - (fp - o->sp) >= sizeof(frame)) {
		memcpy(frame, o->stack + (fp - o->sp), sizeof(frame));
		if (frame[1] == 0)
			break;
		pcs[n++] = frame[1];
		if (frame[0] <= fp)
			break;
		fp = frame[0];
	}
	return n;
}

static size_t
owed_walk(struct engine *eng, const struct rt_unw_owed *o, uint64_t *pcs,
	  size_t max)
{
	struct bpf_owed *k = eng->unw.debtor;
	uint64_t n = 0;

	owed_meet(eng, o->pid);
	k->now = o;
	if (k->had || (k->arg_start != 0 && k->arg_start == o->arg_start))
		n = rt_unwind(&k->rt, o->pc, o->sp, o->fp,
			      o->max | RT_UNWIND_BELOW) &
		    (RT_UNWIND_WANT - 1);
	if (n == 0)
		return owed_by_fp(o, pcs, max);
	n = n < max ? n : max;
	memcpy(pcs, RT_FRAMES(&k->rt), n * sizeof(*pcs));
	return n;
}

static void
owed_forget(struct bpf_owed *k, uint64_t number, struct owed_paid *p)
{
	if (p == NULL)
		return;
	(void)hash_set(k->paid, &number, sizeof(number), NULL);
	if (!p->stays)
		k->kept -= p->n;
	free(p);
}

/* One that nobody may ever read: the oldest makes room. */
static void
owed_stay(struct bpf_owed *k, uint64_t number)
{
	uint64_t *at = &k->stay[k->nstay % STAY_MAX];

	if (k->nstay >= STAY_MAX)
		owed_forget(k, *at, hash_find(k->paid, at, sizeof(*at)));
	*at = number;
	k->nstay++;
}

/* Without memory for it, the stack is lost. */
static void
owed_pay(struct engine *eng, const struct rt_unw_owed *o)
{
	struct bpf_owed *k = eng->unw.debtor;
	uint64_t pcs[RT_UNWIND_MAX];
	size_t max = o->max & (RT_UNWIND_CALLER - 1), n;
	struct owed_paid *p;

	n = owed_walk(eng, o, pcs, max < RT_UNWIND_MAX ? max : RT_UNWIND_MAX);
	p = malloc(sizeof(*p) + n * sizeof(*pcs));
	if (p == NULL)
		return;
	p->n = n;
	p->stays = (o->max & RT_UNWIND_KEPT) != 0;
	memcpy(p->pcs, pcs, n * sizeof(*pcs));
	if (hash_set(k->paid, &o->number, sizeof(o->number), p) != 0)
		free(p);
	else if (p->stays)
		owed_stay(k, o->number);
	else
		k->kept += n;
}

void
bpf_owed_settle(struct engine *eng)
{
	struct bpf_owed *k = eng->unw.debtor;
	struct rt_unw_debts *d = (void *)eng->unw.owed.mem;

	if (k == NULL)
		return;
	k->pid = 0;
	for (size_t i = 0; i < RT_UNW_OWED_SLOTS; i++) {
		struct rt_unw_owed *o = &d->v[i];

		if (__atomic_load_n(&o->state, __ATOMIC_ACQUIRE) != RT_UNW_FULL)
			continue;
		owed_pay(eng, o);
		__atomic_store_n(&o->state, RT_UNW_FREE, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&d->closed, k->kept >= KEPT_MAX, __ATOMIC_RELAXED);
}

/* ---- who reads a record -------------------------------------------------- */

/* The frames of a number; NULL: they are not known. */
static struct owed_paid *
owed_find(struct engine *eng, uint64_t number)
{
	struct bpf_owed *k = eng->unw.debtor;
	struct owed_paid *p = hash_find(k->paid, &number, sizeof(number));

	if (p != NULL)
		return p;
	bpf_owed_settle(eng);
	return hash_find(k->paid, &number, sizeof(number));
}

/* In front of the tag is the first frame of the walk. */
void
bpf_owed_stack(struct engine *eng, uint64_t *pcs, size_t n)
{
	struct owed_paid *p;
	size_t at = 1, k;
	uint64_t number;

	if (eng->unw.debtor == NULL)
		return;
	while (at < n && at < RT_UNW_OWED_WITHIN && !rt_unw_is_owed(pcs[at]))
		at++;
	if (at >= n || at == RT_UNW_OWED_WITHIN)
		return;
	number = pcs[at] - RT_UNW_OWED;
	p = owed_find(eng, number);
	pcs[at] = 0;
	if (p == NULL)
		return;
	at--;
	k = p->n < n - at ? p->n : n - at;
	memcpy(pcs + at, p->pcs, k * sizeof(*pcs));
	if (!p->stays)
		owed_forget(eng->unw.debtor, number, p);
}

/* ---- making -------------------------------------------------------------- */

int
bpf_owed_make(struct engine *eng)
{
	struct bpf_ustack *x = &eng->unw;
	struct bpf_owed *k;

	if (bpf_maps_array(&x->owed, "unwowed", sizeof(struct rt_unw_debts), 1,
			   BPF_F_MMAPABLE) != 0)
		return -1;
	k = calloc(1, sizeof(*k));
	if (k == NULL)
		return -1;
	x->debtor = k;
	k->paid = hash_new();
	k->area = calloc(1, sizeof(*k->area));
	if (k->paid == NULL || k->area == NULL)
		return -1;
	k->area->id = 1;
	k->mem = (struct rt_host_mem){ .arg = k,
				       .read = owed_read,
				       .conf = &eng->rtconf,
				       .unw = k->area,
				       .pool = (const void *)x->pool.mem };
	k->rt.self = (uintptr_t)&k->rt;
	k->rt.host = (uintptr_t)&k->mem;
	return 0;
}

void
bpf_owed_free(struct engine *eng)
{
	struct bpf_owed *k = eng->unw.debtor;
	size_t pos = 0;
	void *p;

	bpf_maps_close(&eng->unw.owed);
	if (k == NULL)
		return;
	while (k->paid != NULL && hash_next(k->paid, &pos, NULL, NULL, &p))
		free(p);
	hash_free(k->paid);
	free(k->area);
	free(k);
	eng->unw.debtor = NULL;
}
