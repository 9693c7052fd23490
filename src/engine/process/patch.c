/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * patch.c - the journal, and text written by it.
 *
 * Order makes it safe, since we may be killed between any two steps, and then
 * the threads run on with the text as it is:
 *
 *	1. an entry says SET before its bytes are written, and undoing compares
 *	   before it writes.  So an entry that was not written yet, or whose
 *	   library is gone, is passed over.
 *	2. a thread inside of a window is moved to the copy of its instruction
 *	   in the trampoline while the text is still as it was.  There it does
 *	   what it would have done, and comes back behind the window, whatever
 *	   the window holds by then.
 *	3. a landing, the unused bytes that a short jump leads to, is written
 *	   before the jump, and put back after it and after threads that stand
 *	   there have been moved on.
 *	4. the bytes of one patch come into the text together.  The kernel
 *	   writes page by page and looks between two pages whether we are
 *	   killed; so a patch lies in one page.
 *
 *	5. a punned jump is made of bytes that it does not write.  They are
 *	   looked at first.  Where another patch writes them, it lies in the
 *	   same page, and what is written of a page at a time is written at
 *	   once; if that patch is left out, so is the jump.
 *
 *	6. where another consumer's jump was before ours, what is put back is
 *	   looked up when it is: patch_over.c.  Landings of others are written
 *	   before any text, and put back after it; each leads to code that is
 *	   there at every moment.
 *
 * All writing is done while the process stands still, so neighbours may be
 * read, changed and written as one span; there may be ten thousand of them.
 *
 * PCs need to be moved only when windows are made: before a patch a thread may
 * stand at any instruction inside its bytes, afterwards at the first alone.  A
 * thread that a signal handler has interrupted there stands there too.
 */
#include "engine/process/inject_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define INT3 0xcc
#define SPAN 4096 /* a page; its bytes are read and written at once */

static size_t
journal_bytes(uint32_t cap)
{
	return sizeof(struct patch_journal) + cap * sizeof(struct patch);
}

/* fd -1: in memory that has no file. */
static struct patch_journal *
journal_make(pid_t pid, uint32_t cap, int fd, struct err *e)
{
	struct patch_journal *j =
		mmap(NULL, journal_bytes(cap), PROT_READ | PROT_WRITE,
		     MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);

	if (j == MAP_FAILED) {
		err_nomem(e);
		return NULL;
	}
	j->pid = pid;
	j->cap = cap;
	return j;
}

struct patch_journal *
patch_journal_new(pid_t pid, uint32_t cap, struct err *e)
{
	return journal_make(pid, cap, -1, e);
}

struct patch_journal *
patch_journal_file(pid_t pid, uint32_t cap, int *fd, struct err *e)
{
	struct patch_journal *j = NULL;

	*fd = (int)syscall(SYS_memfd_create, "dtrace-journal", MFD_CLOEXEC);
	if (*fd >= 0 && ftruncate(*fd, (off_t)journal_bytes(cap)) == 0)
		j = journal_make(pid, cap, *fd, e);
	else
		err_set(e, &ERR_GENERIC, errno, "cannot make a journal");
	if (j == NULL && *fd >= 0)
		close(*fd);
	return j;
}

struct patch_journal *
patch_journal_map(int fd)
{
	struct patch_journal *j;
	struct stat st;

	if (fstat(fd, &st) != 0 || (size_t)st.st_size < sizeof(*j))
		return NULL;
	j = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		 fd, 0);
	return j != MAP_FAILED ? j : NULL;
}

void
patch_journal_free(struct patch_journal *j)
{
	if (j != NULL)
		munmap(j, journal_bytes(j->cap));
}

/* ---- order --------------------------------------------------------------- */

static int
patch_cmp(const void *va, const void *vb)
{
	const struct patch *a = va, *b = vb;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

void
patch_sort(struct patch *p, size_t n)
{
	if (n > 1)
		qsort(p, n, sizeof(*p), patch_cmp);
}

/* ---- spans --------------------------------------------------------------- */

/* Patches [i, end) rise and are in one page. */
static size_t
span_end(const struct patch *p, size_t i, size_t n)
{
	size_t k = i + 1;

	while (k < n && p[k].addr >= p[k - 1].addr + p[k - 1].len &&
	       p[k].addr / SPAN == p[i].addr / SPAN)
		k++;
	return k;
}

static size_t
span_bytes(const struct patch *p, size_t i, size_t end)
{
	return (size_t)(p[end - 1].addr + p[end - 1].len - p[i].addr);
}

/* ---- texts that are read at once ----------------------------------------- */

#define AHEAD_MAX  512u /* spans */
#define AHEAD_SIZE (1u << 20)

/* The spans of a list, which stay as they are while it is worked on: one call
   instead of two for each.  n 0: they are read one by one. */
struct ahead {
	size_t n;
	struct iovec from[AHEAD_MAX], to[AHEAD_MAX]; /* by address */
	uint8_t *text;
};

static size_t
ahead_spans(struct ahead *a, const struct patch *p, size_t n)
{
	size_t bytes = 0;

	for (size_t i = 0, end; i < n; i = end) {
		end = span_end(p, i, n);
		if (a->n == AHEAD_MAX)
			return 0;
		a->from[a->n].iov_base = (void *)(uintptr_t)p[i].addr;
		a->from[a->n++].iov_len = span_bytes(p, i, end);
		bytes += span_bytes(p, i, end);
	}
	return bytes <= AHEAD_SIZE ? bytes : 0;
}

/* NULL: there is nothing ahead. */
static struct ahead *
ahead_new(const struct inject *in, const struct patch *p, size_t n)
{
	struct ahead *a = n > 1 ? malloc(sizeof(*a)) : NULL;
	size_t bytes, at = 0;

	if (a == NULL)
		return NULL;
	a->n = 0;
	bytes = ahead_spans(a, p, n);
	a->text = bytes != 0 ? malloc(bytes) : NULL;
	for (size_t i = 0; a->text != NULL && i < a->n; i++) {
		a->to[i] = (struct iovec){ a->text + at, a->from[i].iov_len };
		at += a->from[i].iov_len;
	}
	/* Not of pages that are not for reading; and a number of a process may
	   not do where its main thread has ended. */
	if (a->text == NULL ||
	    process_vm_readv(in->pid, a->to, a->n, a->from, a->n, 0) !=
		    (ssize_t)bytes)
		a->n = 0;
	return a;
}

static void
ahead_free(struct ahead *a)
{
	if (a != NULL)
		free(a->text);
	free(a);
}

/* The bytes at addr, which may be changed where they are; NULL: not there. */
static uint8_t *
ahead_at(const struct ahead *a, uint64_t addr, size_t n)
{
	size_t lo = 0, hi = a != NULL ? a->n : 0;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		uint64_t at = (uint64_t)(uintptr_t)a->from[mid].iov_base;

		if (addr < at)
			hi = mid;
		else if (addr - at >= a->from[mid].iov_len)
			lo = mid + 1;
		else
			return addr - at + n <= a->from[mid].iov_len
				       ? (uint8_t *)a->to[mid].iov_base +
						 (addr - at)
				       : NULL;
	}
	return NULL;
}

/* ---- each of a list ------------------------------------------------------ */

/* What is done to the patches of a span, on its bytes: true: write it. */
typedef bool span_fn(struct patch *p, uint8_t *text, void *arg);

/*
 * Each patch of p[0, n) is shown with its text.  A span that cannot be read as
 * a whole is done one by one; a patch whose text cannot be read is left out.
 * How many had true; -1: a write failed, errno says why.
 */
static long
each_span(struct inject *in, const struct ahead *a, struct patch *p, size_t n,
	  span_fn *fn, void *arg)
{
	uint8_t own[SPAN], *text;
	long hits = 0;

	for (size_t i = 0, end; i < n; i = end) {
		long was = hits;

		end = span_end(p, i, n);
		text = ahead_at(a, p[i].addr, span_bytes(p, i, end));
		if (text == NULL &&
		    inject_read(in, p[i].addr, text = own,
				span_bytes(p, i, end)) != 0) {
			if (end == i + 1)
				continue;
			end = i + 1;
			if (inject_read(in, p[i].addr, text, p[i].len) != 0)
				continue;
		}
		for (size_t k = i; k < end; k++)
			hits += fn(&p[k], text + (p[k].addr - p[i].addr), arg);
		if (hits != was &&
		    inject_write(in, p[i].addr, text, span_bytes(p, i, end)) !=
			    0)
			return -1;
	}
	return hits;
}

/* ---- writing ------------------------------------------------------------- */

/* Mark those whose text is as expected; nothing is written. */
static bool
span_expect(struct patch *p, uint8_t *text, void *arg)
{
	if (p->sem || memcmp(text, p->was, p->len) == 0)
		p->state = PATCH_SET;
	return false;
}

/* True if the text that a patch looks at, and does not write, differs from what
   is expected, or comes from one of p[i + 1 ...] that is left out. */
static bool
looks_wrong(struct inject *in, const struct patch *p, size_t n, size_t i)
{
	uint64_t end = p[i].addr + p[i].look;
	uint8_t is[PATCH_MAX];

	if (patch_over_landing(&p[i]) && !patch_land_expected(in, &p[i]))
		return true;
	if (p[i].nlead != 0 &&
	    (inject_read(in, p[i].addr - p[i].nlead, is, p[i].nlead) != 0 ||
	     memcmp(is, p[i].lead, p[i].nlead) != 0))
		return true;
	if (p[i].look <= p[i].len)
		return false;
	if (inject_read(in, p[i].addr, is, p[i].look) != 0 ||
	    memcmp(is, p[i].was, p[i].look) != 0)
		return true;
	for (size_t k = i + 1; k < n && p[k].addr < end; k++)
		if (p[k].state != PATCH_SET)
			return true;
	return false;
}

/* The patch that covers an address; NULL: none does. */
static const struct patch *
patch_at(const struct patch *p, size_t n, uint64_t addr)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (addr < p[mid].addr)
			hi = mid;
		else if (addr >= p[mid].addr + p[mid].len)
			lo = mid + 1;
		else
			return &p[mid];
	}
	return NULL;
}

/* True if the patch of that text is to be written. */
static bool
is_set(const struct patch *p, size_t n, uint64_t addr)
{
	const struct patch *at = patch_at(p, n, addr);

	return at != NULL && at->state == PATCH_SET;
}

/* Which of them are to be written. */
static void
expect_all(struct inject *in, const struct ahead *a, struct patch *p, size_t n)
{
	each_span(in, a, p, n, span_expect, NULL);
	for (size_t i = n; i-- > 0;)
		if (p[i].state == PATCH_SET && looks_wrong(in, p, n, i))
			p[i].state = PATCH_NONE;
	for (size_t i = 0; i < n; i++)
		if (p[i].of != 0 && !is_set(p, n, p[i].of))
			p[i].state = PATCH_NONE;
}

/* *arg, a bool: the landings or the others. */
static bool
span_set(struct patch *p, uint8_t *text, void *arg)
{
	if (p->state != PATCH_SET || p->sem || patch_over_landing(p) ||
	    p->landing != *(const bool *)arg)
		return false;
	memcpy(text, p->now, p->len);
	return true;
}

struct undoing {
	struct inject *in;
	bool landing; /* those, or the others */
	bool child;   /* in a forked child */
	uint32_t under; /* struct patch_journal */
};

/* True if the text leads through the code of a patch whose jump it is not. */
static bool
leads_under(struct inject *in, const struct patch *p, const uint8_t *text)
{
	uint64_t mine = patch_jump(p->now, p->addr);

	return mine != 0 && p->len >= 5 &&
	       patch_leads(in, p->addr, patch_jump(text, p->addr), mine);
}

/* True if the kernel has put a breakpoint of somebody else's (a uprobe) on the
   first byte of our jump.  No debugger has: we hold all threads, and only one
   can. */
static bool
under_uprobe(const struct patch *p, const uint8_t *text)
{
	return text[0] == INT3 && p->now[0] != INT3 && !p->landing &&
	       (!p->over || p->land != 0) &&
	       memcmp(text + 1, p->now + 1, (size_t)p->len - 1) == 0;
}

/* True if the text of a jump to a landing has to stay: another's trampoline is
   in front of ours, or behind it one that is alive. */
static bool
text_stays(struct undoing *u, const struct patch *p)
{
	uint64_t to;

	if (p->land == 0)
		return false;
	to = patch_landing(u->in, p->land);
	if (to != 0 && to != p->mine) {
		u->under += !p->over; /* else patch_lands_undo() counts it */
		return true;
	}
	return p->over && patch_alive(u->in, p->addr, p->next, u->child) != 0;
}

/* What the file has in its place. */
static const uint8_t *
text_file(const struct patch *p)
{
	return p->over ? p->back : p->was;
}

/* SET to UNDONE, where the text still is ours.  A uprobe stays, with the bytes
   behind it that its owner thinks are there: he puts back the first byte of the
   instruction that the file has, and no jump. */
static bool
span_undo(struct patch *p, uint8_t *text, void *arg)
{
	struct undoing *u = arg;

	if (p->state != PATCH_SET || p->sem || p->gone ||
	    p->landing != u->landing)
		return false;
	if (p->roomy)
		u->under += patch_rooms_used(u->in, p->addr, p->mine);
	if (under_uprobe(p, text)) {
		if (text_stays(u, p))
			return false;
		memcpy(text + 1, text_file(p) + 1, (size_t)p->len - 1);
		return true;
	}
	if (memcmp(text, p->now, p->len) != 0) {
		u->under += leads_under(u->in, p, text);
		return false;
	}
	if (text_stays(u, p))
		return false;
	if (p->over && p->land == 0)
		patch_over_undo(u->in, p, u->child, text);
	else
		memcpy(text, text_file(p), p->len);
	return true;
}

static int
set_all(struct inject *in, const struct ahead *a, struct patch *p, size_t n)
{
	bool landing = true, any = false;

	if (patch_lands_set(in, p, n) != 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		any |= p[i].landing;
	if (any && each_span(in, a, p, n, span_set, &landing) < 0)
		return -1;
	landing = false;
	return each_span(in, a, p, n, span_set, &landing) < 0 ? -1 : 0;
}

/* Text only.  How many were put back; -1: a write failed, errno says why.
   *under: struct patch_journal. */
static long
undo_text(struct inject *in, struct patch *p, size_t n, bool child,
	  uint32_t *under)
{
	struct undoing u = { .in = in, .child = child };
	long jumps = each_span(in, NULL, p, n, span_undo, &u), landings, over;

	if (jumps < 0)
		return -1;
	u.landing = true;
	landings = each_span(in, NULL, p, n, span_undo, &u);
	if (landings < 0)
		return -1;
	over = patch_lands_undo(in, p, n, child, &u.under);
	*under = u.under;
	return over < 0 ? -1 : jumps + landings + over;
}

static int
patch_fail(const struct patch_journal *j, int sys, const char *what,
	   struct err *e)
{
	return err_set(e, &ERR_GENERIC, sys, "process %d: %s", (int)j->pid,
		       what);
}

static bool
patch_in_page(const struct patch *p)
{
	return p->addr / SPAN == (p->addr + p->len - 1) / SPAN &&
	       (!patch_over_landing(p) ||
		p->land / SPAN == (p->land + p->land_len - 1) / SPAN);
}

/* In order, of sane length, each in a page; all are NONE from here on. */
static int
check_list(const struct patch_journal *j, struct patch *p, size_t n,
	   struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i].len == 0 || p[i].len > PATCH_MAX ||
		    p[i].look > PATCH_MAX ||
		    (i > 0 && p[i].addr < p[i - 1].addr + p[i - 1].len))
			return patch_fail(j, 0, "patches are out of order", e);
		if (!patch_in_page(&p[i]))
			return patch_fail(j, 0, "a patch crosses pages", e);
		p[i].state = PATCH_NONE;
	}
	return 0;
}

/* Entries that are undone make room.  Nobody else looks meanwhile. */
static void
compact(struct patch_journal *j)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < j->n; i++)
		if (j->p[i].state == PATCH_SET)
			j->p[n++] = j->p[i];
	__atomic_store_n(&j->n, n, __ATOMIC_RELEASE);
}

/* Enter those that are to be written, from *first on; none if they do not all
   fit. */
static int
enter(struct patch_journal *j, const struct patch *p, size_t n,
      uint32_t *first, struct err *e)
{
	uint32_t at;

	if (j->n + n > j->cap)
		compact(j);
	at = *first = j->n;
	for (size_t i = 0; i < n; i++) {
		if (p[i].state != PATCH_SET)
			continue;
		if (at == j->cap)
			return patch_fail(j, 0, "too many patches", e);
		j->p[at++] = p[i];
	}
	__atomic_store_n(&j->n, at, __ATOMIC_RELEASE);
	return 0;
}

static int
move_cmp(const void *key, const void *elem)
{
	uint64_t pc = *(const uint64_t *)key;
	uint64_t from = ((const struct patch_move *)elem)->from;

	return pc < from ? -1 : pc > from;
}

struct moves {
	const struct patch *p;
	size_t n;
	const struct patch_move *move;
	size_t nmoves;
};

/* False: what was there is there still. */
static bool
move_pc(const struct moves *mv, uint64_t *pc)
{
	const struct patch_move *m = bsearch(pc, mv->move, mv->nmoves,
					     sizeof(*m), move_cmp);
	const struct patch *at;

	if (m == NULL)
		return false;
	at = patch_at(mv->p, mv->n, *pc);
	if (at != NULL && at->state != PATCH_SET)
		return false;
	*pc = m->to;
	return true;
}

/* Where threads stand, and where they will when their handlers return. */
static void
move_pcs(struct inject *in, const struct moves *mv,
	 const struct inject_frames *frames)
{
	for (size_t i = 0; i < in->n; i++) {
		struct inject_thread *t = &in->threads[i];
		uint64_t pc = t->regs.rip;

		if (!t->stopped || !move_pc(mv, &pc))
			continue;
		t->regs.rip = pc;
		inject_regs_set(t);
	}
	for (size_t i = 0; i < frames->frame.n; i++) {
		const struct inject_frame *f = &frames->frame.v[i];
		uint64_t pc = f->pc;

		if (move_pc(mv, &pc))
			inject_write(in, f->at, &pc, sizeof(pc));
	}
}

/* Entries [from, n) are undone, whatever became of their text. */
static void
mark_undone(struct patch_journal *j, uint32_t from)
{
	for (uint32_t i = from; i < j->n; i++)
		if (j->p[i].state == PATCH_SET)
			j->p[i].state = PATCH_UNDONE;
}

/* Move and write those that have been entered from `first` on. */
static int
write_entered(struct patch_journal *j, struct inject *in,
	      const struct ahead *a, uint32_t first, const struct moves *mv,
	      const struct inject_frames *frames, struct err *e)
{
	struct patch *p = &j->p[first];
	size_t n = j->n - first;
	uint32_t under;
	int sys;

	if (mv->nmoves != 0)
		move_pcs(in, mv, frames);
	if (set_all(in, a, p, n) == 0) {
		patch_sems_set(in, p, n);
		return 0;
	}
	sys = errno;
	undo_text(in, p, n, false, &under);
	mark_undone(j, first);
	return patch_fail(j, sys, "cannot write its text", e);
}

int
patch_apply(struct patch_journal *j, struct inject *in, struct patch *p,
	    size_t n, const struct patch_move *moves, size_t nmoves,
	    struct err *e)
{
	const struct moves mv = { p, n, moves, nmoves };
	struct inject_frames frames = { 0 };
	struct ahead *a = NULL;
	uint32_t first;
	int rc;

	if (check_list(j, p, n, e) != 0)
		return -1;
	if (inject_by_guard(in))
		return guard_patch(in->guard, p, n, moves, nmoves,
				   in->lets_go, e);
	rc = nmoves == 0 ? 0 : inject_frames_find(in, &frames, e);
	if (rc == 0) {
		a = ahead_new(in, p, n);
		expect_all(in, a, p, n);
		rc = enter(j, p, n, &first, e);
	}
	if (rc == 0)
		rc = write_entered(j, in, a, first, &mv, &frames, e);
	ahead_free(a);
	inject_frames_fini(&frames);
	if (rc != 0)
		for (size_t i = 0; i < n; i++)
			p[i].state = PATCH_NONE;
	return rc;
}

/* ---- undoing ------------------------------------------------------------- */

/* True if these bytes are there. */
static bool
bytes_stand(struct inject *in, uint64_t addr, const uint8_t *now, uint8_t len)
{
	uint8_t is[PATCH_MAX];

	return inject_read(in, addr, is, len) == 0 && memcmp(is, now, len) == 0;
}

/* Where the landing of a patch is, of those in unused bytes of the text, and
   what it leads to; false: it has none, or that is not there any more. */
static bool
landing_stands(struct inject *in, const struct patch *p, struct patch_move *m)
{
	if (p->state != PATCH_SET)
		return false;
	if (patch_over_landing(p) && p->land_len != PATCH_LAND) {
		*m = (struct patch_move){ p->land, p->mine };
		return bytes_stand(in, p->land, p->land_now, p->land_len);
	}
	*m = (struct patch_move){ p->addr, patch_jump(p->now, p->addr) };
	return p->landing && bytes_stand(in, p->addr, p->now, p->len);
}

static int
move_order(const void *va, const void *vb)
{
	const struct patch_move *a = va, *b = vb;

	return a->from < b->from ? -1 : a->from > b->from;
}

/*
 * A thread may stand at the jump in a landing, between the one that led there
 * and the trampoline; or will, when a signal handler returns.  It goes to the
 * trampoline now: soon there is no jump any more.
 */
static int
leave_landings(const struct patch_journal *j, struct inject *in,
	       struct err *e)
{
	VEC(struct patch_move) m = { 0 };
	struct inject_frames frames = { 0 };
	int rc = 0;

	for (uint32_t i = 0; i < j->n && rc == 0; i++) {
		struct patch_move to;

		if (landing_stands(in, &j->p[i], &to) && !vec_push(&m, to))
			rc = err_nomem(e);
	}
	if (rc == 0 && m.n != 0)
		rc = inject_frames_find(in, &frames, e);
	if (rc == 0 && m.n != 0) {
		qsort(m.v, m.n, sizeof(*m.v), move_order);
		move_pcs(in, &(struct moves){ .move = m.v, .nmoves = m.n },
			 &frames);
	}
	inject_frames_fini(&frames);
	vec_fini(&m);
	return rc;
}

int
patch_undo_all(struct patch_journal *j, struct inject *in, struct err *e)
{
	uint32_t under = 0;

	if (inject_by_guard(in))
		return guard_undo(in->guard, e);
	if (leave_landings(j, in, e) != 0)
		return -1;
	patch_sems_undo(in, j->p, j->n);
	if (undo_text(in, j->p, j->n, false, &under) < 0)
		return patch_fail(j, errno, "cannot put back its text", e);
	j->under = under;
	mark_undone(j, 0);
	return 0;
}

/* True if the text there is what the file has, and no jump of ours or of others
   has bytes of it. */
static bool
text_is_back(const struct patch_journal *j, struct inject *in, uint64_t addr)
{
	for (uint32_t i = 0; i < j->n; i++) {
		const struct patch *p = &j->p[i];

		if (addr >= p->addr && addr <= p->addr + p->look &&
		    (p->over || !bytes_stand(in, p->addr, p->was, p->len)))
			return false;
	}
	return true;
}

void
patch_back(const struct patch_journal *j, struct inject *in,
	   const struct patch_move *moves, size_t nmoves)
{
	if (inject_by_guard(in)) {
		guard_back(in->guard, moves, nmoves);
		return;
	}
	for (size_t i = 0; i < in->n && j->under == 0; i++) {
		struct inject_thread *t = &in->threads[i];
		size_t k = t->stopped ? 0 : nmoves;

		while (k < nmoves && moves[k].to != t->regs.rip)
			k++;
		if (k == nmoves ||
		    !text_is_back(j, in, moves[k].from))
			continue;
		t->regs.rip = moves[k].from;
		inject_regs_set(t);
	}
}

int
patch_undo_in(const struct patch_journal *j, struct inject *in)
{
	struct err ignored = { 0 };
	uint32_t under;
	long n;

	if (leave_landings(j, in, &ignored) != 0)
		return 0;
	patch_sems_undo(in, j->p, j->n);
	/* The journal is not written to. */
	n = undo_text(in, (struct patch *)(uintptr_t)j->p, j->n, true, &under);
	return n < 0 ? 0 : (int)n;
}

struct patch_journal *
patch_journal_copy(const struct patch_journal *j)
{
	size_t n = sizeof(*j) + j->n * sizeof(j->p[0]);
	struct patch_journal *c = malloc(n);

	if (c == NULL)
		return NULL;
	memcpy(c, j, n);
	for (uint32_t i = 0; i < c->n; i++)
		if (c->p[i].state == PATCH_UNDONE)
			c->p[i].state = PATCH_SET;
	return c;
}

void
patch_forget(struct patch_journal *j, uint64_t lo, uint64_t hi)
{
	for (uint32_t i = 0; i < j->n; i++) {
		struct patch *p = &j->p[i];

		if (p->state != PATCH_SET || p->addr < lo || p->addr >= hi)
			continue;
		if (patch_over_landing(p))
			p->gone = true; /* the landing leads to us still */
		else
			p->state = PATCH_UNDONE;
	}
}
