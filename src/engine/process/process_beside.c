/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_beside.c - other consumers in the same process.
 *
 * WHERE THEIR JUMPS ARE.  A point whose instruction is under the jump of
 * another consumer is found by the head of the trampoline that the jump leads
 * to (patch_over.c).  At the first instruction of such a window we go over the
 * jump.  The others are run in his trampoline, which has rooms for some; those
 * without are refused.
 *
 *	   his window            ours
 *	[jmp T1        ]    [jmp T2        ]   T2: our probe; jmp T1
 *	 ^entry  ^ret        ^entry  ^ret: by a jump in T1
 *
 * WHAT HIS JUMPS ARE MADE OF.  A punned jump (process_pun.c) has bytes of the
 * code behind it, which look untouched.  So before anything is written the
 * bytes in front of it are looked at: what differs there from the file must be
 * a breakpoint or part of a jump with a head, whose end is known.  Where we go
 * over a punned jump that is made of another jump's bytes we go over that one
 * as well, with an empty trampoline if need be: the text of both is put back by
 * the last that is over them, and so never that of the second before that of
 * the first.
 *
 * ONE AT A TIME.  A consumer that makes a plan, or leaves, has a lock on the
 * process meanwhile, flock(2) of its /proc/PID/maps.  It goes with whoever is
 * killed.  It is waited for only for a while, as somebody may hold it without
 * need: what is written is compared before, while all threads stand still, so
 * the worst is a probe that is left out.
 */
#include "engine/process/process_impl.h"
#include "proc/proc_fs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NAP_NS  1000000
#define CHUNK   4096u
#define AROUND  (CHUNK + 2 * CODE_WIN_MAX)
#define INT3    0xcc
#define JMP32   5u
#define PAGE    4096u
#define HOP_MAX 256u /* as far as short jumps lead */

static const char name_of_all[] = "/memfd:dtrace";

struct beside {
	int lock; /* -1 */
	struct inject in; /* to read with */
	bool there;
	uint64_t at; /* of text; 0: none */
	uint8_t text[AROUND];
	uint32_t nover; /* windows over others' */
};

/* ---- the lock ------------------------------------------------------------ */

int
beside_lock(pid_t pid, unsigned ms)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)proc_face(pid));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && ms-- > 0)
		nanosleep(&(struct timespec){ 0, NAP_NS }, NULL);
	return fd;
}

void
beside_unlock(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* ---- is anybody there ---------------------------------------------------- */

/* The memory file of our own; false: it cannot be found out. */
static bool
own_file(const struct engine *eng, uint64_t *ino)
{
	const struct engine *root = eng->root != NULL ? eng->root : eng;
	struct stat own = { 0 };

	if (root->map.fd >= 0 && fstat(root->map.fd, &own) != 0)
		return false;
	*ino = own.st_ino;
	return true;
}

static bool
is_theirs(const struct proc_map *m, uint64_t own)
{
	return m->ino != own &&
	       strncmp(m->path, name_of_all, sizeof(name_of_all) - 1) == 0;
}

static bool
beside_there(const struct engine *eng)
{
	struct proc_maps it;
	struct proc_map m;
	bool there = false;
	uint64_t own;

	if (!own_file(eng, &own))
		return true;
	if (!proc_maps_open(&it, eng->pid))
		return false;
	while (!there && proc_maps_next(&it, &m))
		there = is_theirs(&m, own);
	proc_maps_close(&it);
	return there;
}

size_t
beside_code(const struct engine *eng, struct inject_span *v, size_t max)
{
	struct proc_maps it;
	struct proc_map m;
	uint64_t own;
	size_t n = 0;

	if (!own_file(eng, &own) || !proc_maps_open(&it, eng->pid))
		return max + 1;
	while (proc_maps_next(&it, &m)) {
		if (!is_theirs(&m, own) || !m.x)
			continue;
		if (n < max)
			v[n] = (struct inject_span){ m.lo, m.hi };
		n++;
	}
	proc_maps_close(&it);
	return n;
}

int
beside_begin(struct engine *eng, unsigned ms, struct err *e)
{
	struct beside *b = eng->beside;
	char path[32];

	if (b == NULL && (b = arena_calloc(eng->arena, 1, sizeof(*b))) == NULL)
		return err_nomem(e);
	eng->beside = b;
	b->lock = beside_lock(eng->pid, ms);
	b->there = beside_there(eng);
	b->at = 0;
	b->in.pid = eng->pid;
	b->in.mem = -1;
	if (!b->there)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)proc_face(eng->pid));
	b->in.mem = open(path, O_RDONLY | O_CLOEXEC);
	return 0;
}

void
beside_end(struct engine *eng)
{
	struct beside *b = eng->beside;

	if (b == NULL)
		return;
	if (b->there && b->in.mem >= 0)
		close(b->in.mem);
	beside_unlock(b->lock);
	b->there = false;
	b->in.mem = b->lock = -1;
}

bool
beside_any(const struct engine *eng)
{
	return eng->beside != NULL && (eng->beside->there ||
				       eng->beside->nover != 0);
}

uint32_t
beside_count(const struct engine *eng)
{
	return eng->beside != NULL ? eng->beside->nover : 0;
}

/* ---- their jumps --------------------------------------------------------- */

/* n bytes at an address, CODE_WIN_MAX at most, as they are now; NULL. */
static const uint8_t *
text_now(struct beside *b, uint64_t addr, uint32_t n)
{
	uint64_t at = addr & ~(uint64_t)(CHUNK - 1);

	if (n > CODE_WIN_MAX)
		return NULL;
	if (b->at != at) {
		b->at = 0;
		/* What follows may be no text. */
		if (inject_read(&b->in, at, b->text, AROUND) != 0 &&
		    inject_read(&b->in, at, b->text, CHUNK) != 0)
			return NULL;
		b->at = at;
	}
	return b->text + (addr - at);
}

/* The trampoline that a jump of a consumer leads to, and its head; false: there
   is no such jump. */
static bool
leads_to(struct beside *b, uint64_t at, struct beside_jump *o,
	 struct patch_head *h)
{
	const uint8_t *p = text_now(b, at, PATCH_LEAD);

	o->start = at;
	o->land = 0;
	o->jump = JMP32;
	o->top = p != NULL ? patch_jump(p, at) : 0;
	if (o->top != 0 && patch_head_read(&b->in, at, o->top, h) &&
	    (patch_head_flags(h) & PATCH_HEAD_LANDED) == 0)
		return true;
	o->land = p != NULL ? patch_landed(p, at, &o->jump) : 0;
	o->room = o->jump >= JMP32 ? LAND_LEN : JMP32;
	o->top = o->land != 0 ? patch_landing(&b->in, o->land) : 0;
	return o->top != 0 && patch_head_read(&b->in, at, o->top, h) &&
	       (patch_head_flags(h) & PATCH_HEAD_LANDED) != 0;
}

/* The jump in unused bytes that a short one leads to: nothing that we could go
   over by itself. */
static bool
hop_jump(struct beside *b, uint64_t at, struct beside_jump *o)
{
	const uint8_t *p = text_now(b, at, JMP32);
	uint64_t to = p != NULL ? patch_jump(p, at) : 0;
	struct beside_jump from;
	struct patch_head h;

	if (to <= sizeof(h) ||
	    inject_read(&b->in, to - sizeof(h), &h, sizeof(h)) != 0 ||
	    patch_head_addr(&h) - at + HOP_MAX > 2 * HOP_MAX ||
	    !leads_to(b, patch_head_addr(&h), &from, &h) || from.land != at)
		return false;
	*o = (struct beside_jump){
		.start = at, .written = JMP32, .len = JMP32, .jump = JMP32
	};
	return true;
}

/* The jump at an address, if there is one of a consumer. */
static bool
over_at(struct beside *b, uint64_t at, struct beside_jump *o)
{
	struct patch_head h;

	if (!leads_to(b, at, o, &h))
		return hop_jump(b, at, o);
	o->written = patch_head_written(&h);
	o->len = patch_head_len(&h);
	o->copy = (patch_head_flags(&h) & PATCH_HEAD_COPY) != 0;
	if (o->jump < o->written)
		o->jump = o->written;
	o->low = patch_lowest(&b->in, at, o->top);
	o->next = patch_alive(&b->in, at, o->top, false);
	if (o->next == 0)
		o->next = o->top; /* somebody is just about to leave */
	return true;
}

bool
beside_find(struct engine *eng, uint64_t addr, struct beside_jump *o)
{
	struct beside *b = eng->beside;

	if (b == NULL || !b->there)
		return false;
	for (uint64_t k = 0; k < CODE_WIN_MAX; k++)
		if (over_at(b, addr - k, o) && k < o->len)
			return true;
	return false;
}

/* ---- points -------------------------------------------------------------- */

static const char under[] =
	"another consumer's jump is there, and has the instruction behind it";
static const char two_pages[] =
	"another consumer's jump leads to where it cannot be written over";
static const char in_copy[] = "another consumer runs a copy of the function";

/* The room of an instruction; PATCH_ROOMS: it has none. */
static uint32_t
room_of(const struct patch_rooms *r, uint64_t insn, bool after)
{
	uint32_t i = 0;

	while (i < PATCH_ROOMS && (r->v[i].off == 0 || r->v[i].insn != insn ||
				   (r->v[i].after != 0) != after))
		i++;
	return i;
}

/* The rooms for all points at the instruction of points[i], those behind it,
   too: false: there is not one for each. */
static bool
rooms_for(struct engine *eng, size_t i, const struct beside_jump *o,
	  uint8_t *rooms)
{
	const struct plan *p = &eng->plan;
	const struct plan_point *pt = p->points.v;
	const uint64_t at = pt[i].addr;
	struct patch_rooms r = { .mark = 0 };

	*rooms = 0;
	if (!patch_rooms_read(&eng->beside->in, o->start, o->low, &r))
		r = (struct patch_rooms){ .mark = 0 };
	while (i > 0 && pt[i - 1].addr == at)
		i--;
	for (; i < p->points.n && pt[i].addr == at; i++) {
		uint32_t k = room_of(&r, at - o->start, pt[i].after);

		if (at == o->start && !pt[i].after)
			continue; /* by the jump itself */
		if (k == PATCH_ROOMS)
			return false;
		*rooms |= (uint8_t)(1u << k);
	}
	return true;
}

/* A window over a jump, in a function of that object; NULL, or why not. */
static const char *
window_over(const struct beside_jump *o, uint32_t fn, struct plan_window *pw)
{
	*pw = (struct plan_window){
		.fn = fn,
		.w = { .kind = CODE_WIN_JMP,
		       .start = o->start,
		       .len = o->written },
		.end = o->start + 1,
		.over = o->top,
		.next = o->next,
		.over_land = o->land,
		.over_room = (uint8_t)o->room,
		.over_jump = (uint8_t)o->jump,
		.over_len = (uint8_t)o->len,
		.over_copy = o->copy,
	};
	if (o->top == 0)
		return under;
	if (o->jump > PATCH_MAX ||
	    (o->land != 0 && o->land / PAGE != (o->land + o->room - 1) / PAGE))
		return two_pages;
	return x86_jmp(pw->jmp, sizeof(pw->jmp), o->start, o->next) ? NULL
								    : under;
}

const char *
beside_window(struct engine *eng, size_t i, const struct beside_jump *o,
	      struct plan_window *pw)
{
	const struct plan_point *pt = &eng->plan.points.v[i];
	const char *why = window_over(o, pt->fn, pw);

	pw->end = pt->addr + 1;
	if (why == NULL && !rooms_for(eng, i, o, &pw->rooms))
		why = under;
	return why;
}

void
beside_note(struct engine *eng)
{
	eng->beside->nover++;
}

/* ---- jumps that their jumps are made of ---------------------------------- */

/* The first window of the plan that has bytes of [lo, hi); NULL: none has.  Of
   its windows n are in order. */
static struct plan_window *
plan_has(const struct plan *p, size_t n, uint64_t lo, uint64_t hi)
{
	size_t i = 0, end = n;

	while (i < end) {
		size_t mid = i + (end - i) / 2;
		const struct code_window *w = &p->windows.v[mid].w;

		if (w->start + w->len <= lo)
			i = mid + 1;
		else
			end = mid;
	}
	if (i < n && p->windows.v[i].w.start < hi)
		return &p->windows.v[i];
	for (i = n; i < p->windows.n; i++) {
		const struct code_window *w = &p->windows.v[i].w;

		if (w->start < hi && lo < w->start + w->len)
			return &p->windows.v[i];
	}
	return NULL;
}

/* Have the jump o in the plan, for one that is made of it; *why not, or NULL.
   false: no memory. */
static bool
need_jump(struct plan *p, size_t n, const struct beside_jump *o, uint32_t fn,
	  const char **why)
{
	struct plan_window *by =
		plan_has(p, n, o->start, o->start + o->written);
	struct plan_window pw;

	*why = NULL;
	if (by != NULL && by->over != 0 && by->w.start == o->start) {
		by->needed = true;
		return true;
	}
	*why = by != NULL ? "other probes are too close"
			  : window_over(o, fn, &pw);
	pw.needed = true;
	return *why != NULL || vec_push(&p->windows, pw);
}

/* The same for all that windows[i] is made of.  false: no memory. */
static bool
need_all(struct engine *eng, size_t n, size_t i)
{
	struct plan *p = &eng->plan;
	const struct plan_window pw = p->windows.v[i];
	const char *why = NULL;
	struct beside_jump o;

	for (uint32_t k = pw.w.len; why == NULL && k < pw.over_jump; k++)
		if (beside_find(eng, pw.w.start + k, &o) &&
		    !need_jump(p, n, &o, pw.fn, &why))
			return false;
	if (why == NULL)
		return true;
	p->windows.v[i].dead = true;
	p->windows.v[i].why = why;
	return true;
}

static int
cmp_start(const void *va, const void *vb)
{
	const struct plan_window *a = va, *b = vb;

	return a->w.start < b->w.start ? -1 : a->w.start > b->w.start;
}

int
beside_needs(struct engine *eng, struct err *e)
{
	struct plan *p = &eng->plan;
	const size_t n = p->windows.n;

	/* Those that are added have their turn as well. */
	for (size_t i = 0; i < p->windows.n; i++)
		if (p->windows.v[i].over_land != 0 && !need_all(eng, n, i))
			return err_nomem(e);
	if (p->windows.n != n)
		qsort(p->windows.v, p->windows.n, sizeof(*p->windows.v),
		      cmp_start);
	return 0;
}

bool
beside_holds(struct engine *eng, const struct plan_window *pw)
{
	struct beside_jump o;

	for (uint32_t k = pw->w.len; k < pw->over_jump; k++) {
		const struct plan_window *by;

		if (!beside_find(eng, pw->w.start + k, &o))
			continue;
		by = plan_has(&eng->plan, eng->plan.windows.n, o.start,
			      o.start + 1);
		if (by == NULL || by->dead || by->over == 0)
			return false;
	}
	return true;
}

/* ---- points that they deny ----------------------------------------------- */

const char *
beside_denies(struct engine *eng, const struct plan_point *pt)
{
	struct plan_fn *f = &eng->plan.fns.v[pt->fn];
	struct beside_jump o;

	if (eng->beside == NULL || !eng->beside->there || pt->addr == f->addr)
		return NULL;
	if (f->beside == 0)
		f->beside = over_at(eng->beside, f->addr, &o) && o.copy ? 2 : 1;
	return f->beside == 2 ? in_copy : NULL;
}

/* ---- bytes that their jumps are made of ---------------------------------- */

int
beside_lead(struct engine *eng, const struct code_world *w, struct patch *p,
	    struct err *e)
{
	struct beside *b = eng->beside;
	struct beside_jump o;
	const uint8_t *is, *was;

	if (b == NULL || !b->there)
		return 0;
	is = text_now(b, p->addr - PATCH_LEAD, PATCH_LEAD);
	if (is == NULL)
		return 0; /* nothing is mapped before it */
	p->nlead = PATCH_LEAD;
	memcpy(p->lead, is, PATCH_LEAD);
	for (uint32_t i = 0; i < PATCH_LEAD; i++) {
		uint64_t at = p->addr - PATCH_LEAD + i;

		was = w->bytes(w->arg, at, 1);
		if (was == NULL || *was == p->lead[i] || p->lead[i] == INT3)
			continue;
		if (!beside_find(eng, at, &o) || o.start + o.jump > p->addr)
			return err_set(e, &ERR_GENERIC, 0,
				       "another consumer's jump may be made of "
				       "its bytes");
	}
	return 0;
}
