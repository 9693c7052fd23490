/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_beside.c - other consumers in the same process.
 *
 * WHERE THEIR JUMPS ARE.  A point whose instruction is under the jump of
 * another consumer is found by the head of the trampoline that the jump leads
 * to (patch_over.c).  At the first instruction of such a window we go over the
 * jump.  The others are run in his trampoline, where we have nothing, and are
 * refused.
 *
 *	   his window            ours
 *	[jmp T1        ]    [jmp T2        ]   T2: our probe; jmp T1
 *	 ^entry  ^ret        ^entry: yes  ^ret: refused
 *
 * WHAT HIS JUMPS ARE MADE OF.  A punned jump (process_pun.c) has bytes of the
 * code behind it, which look untouched.  So before anything is written the
 * bytes in front of it are looked at: what differs there from the file must be
 * a breakpoint or part of a jump with a head, whose end is known.
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

#define NAP_NS	1000000
#define CHUNK	4096u
#define AROUND	(CHUNK + 2 * CODE_WIN_MAX)
#define INT3	0xcc
#define JMP32	5u

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

static bool
beside_there(const struct engine *eng)
{
	const struct engine *root = eng->root != NULL ? eng->root : eng;
	struct stat own = { 0 };
	struct proc_maps it;
	struct proc_map m;
	bool there = false;

	if (root->map.fd >= 0 && fstat(root->map.fd, &own) != 0)
		return true;
	if (!proc_maps_open(&it, eng->pid))
		return false;
	while (!there && proc_maps_next(&it, &m))
		there = m.ino != own.st_ino &&
			strncmp(m.path, name_of_all,
				sizeof(name_of_all) - 1) == 0;
	proc_maps_close(&it);
	return there;
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

/* The jump at an address, if there is one of a consumer. */
static bool
over_at(struct beside *b, uint64_t at, struct beside_jump *o)
{
	const uint8_t *p = text_now(b, at, JMP32);
	struct patch_head h;

	o->top = p != NULL ? patch_jump(p, at) : 0;
	if (o->top == 0 || !patch_head_read(&b->in, at, o->top, &h))
		return false;
	o->start = at;
	o->written = patch_head_written(&h);
	o->len = patch_head_len(&h);
	o->copy = patch_head_copy(&h);
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
static const char in_copy[] =
	"another consumer runs a copy of the function";

/* Behind the call there is nothing that we could have. */
static bool
comes_back(const struct plan *p, size_t i)
{
	const struct plan_point *pt = p->points.v;
	uint64_t at = pt[i].addr;

	while (i > 0 && pt[i - 1].addr == at)
		i--;
	for (; i < p->points.n && pt[i].addr == at; i++)
		if (pt[i].after)
			return true;
	return false;
}

const char *
beside_window(struct engine *eng, size_t i, const struct beside_jump *o,
	      struct plan_window *pw)
{
	const struct plan *p = &eng->plan;

	*pw = (struct plan_window){
		.fn = p->points.v[i].fn,
		.w = { .kind = CODE_WIN_JMP,
		       .start = o->start,
		       .len = o->written },
		.end = o->start + 1,
		.over = o->top,
		.next = o->next,
		.over_len = (uint8_t)o->len,
		.over_copy = o->copy,
	};
	if (p->points.v[i].addr != o->start || comes_back(p, i) ||
	    !x86_jmp(pw->jmp, sizeof(pw->jmp), o->start, o->next))
		return under;
	eng->beside->nover++;
	return NULL;
}

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
		if (!beside_find(eng, at, &o) || at >= o.start + o.written)
			return err_set(e, &ERR_GENERIC, 0,
				       "another consumer's jump may be made of "
				       "its bytes");
	}
	return 0;
}
