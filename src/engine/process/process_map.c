/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_map.c - where our memory lies in the target.
 *
 * Code must be within 2 GB of the text it serves, for a jump of five bytes to
 * reach it.  So windows are put together by where they are (the program, the
 * libraries), and each such cluster has a region in a gap nearby.  Addresses
 * are chosen from /proc/PID/maps before the target is stopped and asked for
 * with MAP_FIXED_NOREPLACE; if the target was quicker, we look again.
 * process_gap.c knows what is free.
 */
#include "engine/process/process_impl.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

#define PAGE	4096ull
#define TRIES	8
/* Where programs of a tree have the shared part, so that their code is the
   same: below all that the kernel places by itself, and above what sanitizers
   do. */
#define MEMBER_AT 0x7e9000000000ull
#define THREADS_LEAST  128u /* slots, where memory is short */

struct engine *
map_root(struct engine *eng)
{
	return eng->root != NULL ? eng->root : eng;
}

uint64_t
map_page_up(uint64_t n)
{
	return (n + PAGE - 1) & ~(PAGE - 1);
}

/* ---- where to ------------------------------------------------------------ */

static bool
map_choose_in(struct engine *eng, struct gaps *gs)
{
	struct map *m = &eng->map;
	bool ok = true;

	for (uint32_t i = 0; ok && i < m->nregions; i++) {
		struct map_region *r = &m->region[i];
		r->addr = gaps_near(gs, r->size, r->lo, r->hi);
		ok = r->addr != 0 && gaps_take(gs, r->addr, r->size);
	}
	if (ok) {
		const uint64_t n = map_page_up(sizeof(struct rtn_table));
		uint64_t low = gaps_low(gs, n + PAGE);
		m->ctl_low = low != 0 ? low + n : 0;
		m->table = low != 0 ? low : gaps_anywhere(gs, n);
		ok = m->table != 0 && gaps_take(gs, m->table, n + PAGE);
	}
	if (ok) {
		m->shared =
			eng->root != NULL && !eng->joined &&
					gaps_has(gs, MEMBER_AT, m->shared_len)
				? MEMBER_AT
				: gaps_anywhere(gs, m->shared_len);
		ok = m->shared != 0;
	}
	return ok;
}

/* Where punned jumps land is known already; if nothing else fits between that,
   some of them cannot be. */
static int
map_choose(struct engine *eng, struct err *e)
{
	struct gaps gs = { 0 };
	bool ok;

	if (eng->adopts != NULL)
		return 0; /* image_regions() */
	ok = gaps_read(eng, &gs, e) == 0 &&
		  land_reserve(eng->plan.land, &gs) &&
		  map_choose_in(eng, &gs);

	if (!ok && !err_is_set(e) && land_wants(eng->plan.land)) {
		gs.g.n = 0;
		ok = gaps_read(eng, &gs, e) == 0 && map_choose_in(eng, &gs);
	}
	vec_fini(&gs.g);
	if (!ok && !err_is_set(e))
		err_set(e, &ERR_GENERIC, 0,
			"process %d has no free addresses near its code",
			(int)eng->pid);
	return ok ? 0 : -1;
}

/* ---- how much ------------------------------------------------------------ */

#define SMALL_BUF (128u << 10)

/*
 * Half of everything where memory is short there: of the buffers as long as
 * they are large and may be halved (bufresize), then of the threads that may
 * have some.
 */
static int
map_halve(struct engine *eng, struct err *e)
{
	uint64_t was = eng->lay.bufsize + eng->lay.aggsize;
	bool sizes = !eng->opts.bufresize_manual;

	if (sizes && eng->lay.bufsize > SMALL_BUF)
		eng->opts.bufsize = eng->lay.bufsize / 2;
	if (sizes && eng->lay.aggsize > SMALL_BUF)
		eng->opts.aggsize = eng->lay.aggsize / 2;
	if (shared_layout(eng, e) != 0)
		return -1;
	if (eng->lay.bufsize + eng->lay.aggsize < was)
		return 0;
	if (eng->lay.nthreads < 2)
		return err_set(e, &ERR_GENERIC, ENOMEM,
			       "process %d: no memory for buffers",
			       (int)eng->pid);
	eng->lay.nthreads /= 2;
	return shared_layout(eng, e);
}

static int
map_shrink(struct engine *eng, uint64_t most, struct err *e)
{
	while (eng->lay.nthreads > 1 && eng->lay.end > most)
		if (map_halve(eng, e) != 0)
			return -1;
	return 0;
}

/* Slots for the threads that are there, and as many again. */
static uint32_t
few_threads(const struct engine *eng)
{
	uint32_t n = 2 * follow_threads(eng->pid);

	n = n < THREADS_LEAST ? THREADS_LEAST : n;
	return n < RTN_NTHREADS ? n : RTN_NTHREADS;
}

/*
 * Less of it, if the target may not have so much (process_room.c).  Buffers are
 * halved as long as that helps, and then the threads that can have some.
 */
static int
map_fit(struct engine *eng, struct err *e)
{
	uint64_t budget = room_budget(eng->pid);
	uint64_t addresses = room_of_addresses(eng->pid);

	if (addresses != ROOM_ENDLESS && map_shrink(eng, addresses / 4, e) != 0)
		return -1;
	eng->map.touch = budget != ROOM_ENDLESS;
	if (!eng->map.touch)
		return 0;
	if (eng->lay.nthreads > few_threads(eng))
		eng->lay.nthreads = few_threads(eng);
	return shared_layout(eng, e) == 0 ? map_shrink(eng, budget, e) : -1;
}

static void
map_place(struct engine *eng)
{
	struct map *m = &eng->map;

	m->shared_len = map_page_up(eng->lay.end);
	m->len = m->shared_len;
	for (uint32_t i = 0; i < m->nregions; i++) {
		m->region[i].off = m->len;
		m->len += m->region[i].size;
	}
	m->file_len = m->len;
}

int
map_plan(struct engine *eng, struct err *e)
{
	struct map *m = &eng->map;

	m->fd = -1;
	eng->lay.nthreads = RTN_NTHREADS;
	if (regions_plan(eng, e) != 0 || shared_layout(eng, e) != 0)
		return -1;
	if (m->nregions != 0 && map_fit(eng, e) != 0)
		return -1;
	if (regions_measure(eng, e) != 0)
		return -1;
	map_place(eng);
	return 0;
}

/* ---- making -------------------------------------------------------------- */

static int
map_ours(struct engine *eng, struct err *e)
{
	struct map *m = &eng->map;
	void *p = mmap(NULL, m->len, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd,
		       0);

	if (p == MAP_FAILED)
		return err_set(e, &ERR_GENERIC, errno,
			       "cannot map %llu bytes of shared memory",
			       (unsigned long long)m->len);
	/* No guardian that is forked later is to have it. */
	(void)madvise(p, m->len, MADV_DONTFORK);
	m->mem = p;
	eng->sh = p;
	for (uint32_t i = 0; i < m->nregions; i++)
		m->region[i].mem = m->mem + m->region[i].off;
	return 0;
}

/* No code: the consumer's affair alone. */
static int
map_local(struct engine *eng, struct err *e)
{
	struct map *m = &eng->map;

	m->fd = memfd_create("dtrace", MFD_CLOEXEC);
	if (m->fd < 0 || ftruncate(m->fd, (off_t)m->len) != 0)
		return err_set(e, &ERR_GENERIC, errno, "cannot make shared "
						       "memory");
	return map_ours(eng, e);
}

static int
map_advise(struct engine *eng, uint64_t addr, uint64_t n, int advice,
	   struct err *e)
{
	const uint64_t arg[6] = { addr, n, (uint64_t)advice };
	int64_t res;

	if (inject_syscall(&eng->in, SYS_madvise, arg, &res, e) != 0)
		return -1;
	return res == 0 ? 0 :
			  err_set(e, &ERR_GENERIC, (int)-res,
				  "process %d: madvise(%d)", (int)eng->pid,
				  advice);
}

static int
map_call(struct engine *eng, long nr, uint64_t addr, uint64_t n, int prot,
	 struct err *e)
{
	const uint64_t arg[6] = { addr, n, (uint64_t)prot };
	int64_t res;

	if (inject_syscall(&eng->in, nr, arg, &res, e) != 0)
		return -1;
	return res == 0 ? 0
			: err_set(e, &ERR_GENERIC, (int)-res,
				  "process %d: cannot map memory",
				  (int)eng->pid);
}

/*
 * Map; *mapped, even if what follows fails.  In a process that locks all it
 * maps (mlockall(2), MCL_FUTURE) the kernel would at once put a page
 * everywhere; but not where nothing may be accessed.
 */
static int
map_raw(struct engine *eng, uint64_t addr, uint64_t n, int prot, int flags,
	int tfd, uint64_t off, bool *mapped, struct err *e)
{
	const struct map *m = &eng->map;

	*mapped = inject_mmap(&eng->in, addr, n, m->locks ? PROT_NONE : prot,
			      flags, tfd, off, e) == 0;
	if (!*mapped || !m->locks)
		return *mapped ? 0 : -1;
	if (map_call(eng, SYS_munlock, addr, n, 0, e) != 0)
		return -1;
	return map_call(eng, SYS_mprotect, addr, n, prot, e);
}

/* The same, and remember it for map_retract(). */
int
map_one(struct engine *eng, uint64_t addr, uint64_t n, int prot, int flags,
	int tfd, uint64_t off, struct err *e)
{
	struct map *m = &eng->map;
	bool mapped;
	int rc;

	if (m->ndone == sizeof(m->done) / sizeof(*m->done))
		return err_set(e, &ERR_GENERIC, 0, "its code is in too many "
						   "places");
	rc = map_raw(eng, addr, n, prot, flags, tfd, off, &mapped, e);
	if (!mapped)
		return rc;
	m->done[m->ndone].addr = addr;
	m->done[m->ndone++].n = n;
	return rc;
}

int
map_code(struct engine *eng, uint64_t addr, uint64_t n, int tfd, uint64_t off,
	 struct err *e)
{
	const uint64_t arg[6] = { addr, n };
	struct err why = { 0 };
	bool mapped;
	int64_t res;
	int rc = map_raw(eng, addr, n, PROT_READ | PROT_EXEC, MAP_PRIVATE, tfd,
			 off, &mapped, e);

	if (rc != 0 && mapped)
		inject_syscall(&eng->in, SYS_munmap, arg, &res, &why);
	else if (rc == 0 && n > PAGE) /* most of it holes */
		(void)map_advise(eng, addr, n, MADV_DONTDUMP, &why);
	return rc;
}

static int
map_table(struct engine *eng, struct err *e)
{
	const uint64_t alive = 1, n = map_page_up(sizeof(struct rtn_table));
	uint64_t locked = room_locked(eng->pid);

	eng->map.locks = false;
	if (map_one(eng, eng->map.table, n, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0, e) != 0 ||
	    map_advise(eng, eng->map.table, n, MADV_WIPEONFORK, e) != 0)
		return -1;
	if (inject_write(&eng->in,
			 eng->map.table + offsetof(struct rtn_table, alive),
			 &alive, sizeof(alive)) != 0)
		return err_set(e, &ERR_GENERIC, errno,
			       "process %d: cannot write its memory",
			       (int)eng->pid);
	eng->map.locks = room_locked(eng->pid) > locked;
	return 0;
}

/*
 * Slots are for many threads, of which few come.  Should the process lock its
 * memory (mlockall(2), MCL_CURRENT) the kernel would put a page everywhere; but
 * not where nothing may be accessed.  So each thread has to open its own, where
 * it may make system calls (slot_take() in rt_native_thread.c).
 */
static int
map_shut(struct engine *eng, struct err *e)
{
	const struct shared_lay *l = &eng->lay;

	eng->sh->shut = !inject_under_seccomp(eng->pid);
	return eng->sh->shut == 0
		       ? 0
		       : map_call(eng, SYS_mprotect, eng->map.shared + l->slots,
				  l->end - l->slots, PROT_NONE, e);
}

/* Probes must not ask for memory under a filter.  Before ours are in its text
   nobody sees one come: then they are opened here. */
int
map_filters_came(struct engine *eng, struct err *e)
{
	const struct shared_lay *l = &eng->lay;

	if (eng->sh->seccomp || !inject_under_seccomp(eng->pid))
		return 0;
	if (eng->sh->shut &&
	    map_call(eng, SYS_mprotect, eng->map.shared + l->slots,
		     l->end - l->slots, PROT_READ | PROT_WRITE, e) != 0)
		return -1;
	eng->sh->shut = 0;
	eng->sh->seccomp = 1;
	return 0;
}

/* The shared part.  A member has its own head in the midst of it. */
static int
map_shared(struct engine *eng, int tfd, struct err *e)
{
	const uint64_t own = eng->lay.own_end, at = eng->map.shared;
	const int rw = PROT_READ | PROT_WRITE;

	if (eng->map.head == 0)
		return map_one(eng, at, eng->map.shared_len, rw, MAP_SHARED,
			       tfd, 0, e);
	if (map_one(eng, at, RTN_OWN, rw, MAP_SHARED, tfd, 0, e) != 0 ||
	    map_one(eng, at + RTN_OWN, own - RTN_OWN, rw, MAP_SHARED, tfd,
		    eng->map.head, e) != 0)
		return -1;
	return map_one(eng, at + own, eng->map.shared_len - own, rw, MAP_SHARED,
		       tfd, own, e);
}

/* Everything at the chosen addresses; tfd is the file there.  The table first:
   it is small, and needed as a whole, so it may show whether memory is locked.
 */
static int
map_theirs(struct engine *eng, int tfd, struct err *e)
{
	struct map *m = &eng->map;
	struct err why = { 0 };

	if (map_table(eng, e) != 0 ||
	    map_shared(eng, tfd, e) != 0 || map_shut(eng, e) != 0)
		return -1;
	static_assert(offsetof(struct rtn_shared, ctl) == 0 &&
			      sizeof(struct rt_ctl) <= PAGE,
		      "its first page");
	if (m->ctl_low != 0 && map_one(eng, m->ctl_low, PAGE, PROT_READ,
				       MAP_SHARED, tfd, 0, e) != 0)
		return -1;
	/* A core file without it is as good. */
	(void)map_advise(eng, m->shared, m->shared_len, MADV_DONTDUMP, &why);
	for (uint32_t i = 0; i < m->nregions; i++) {
		const struct map_region *r = &m->region[i];
		if (map_one(eng, r->addr, r->size, PROT_READ | PROT_EXEC,
			    MAP_PRIVATE, tfd, r->off, e) != 0)
			return -1;
	}
	return 0;
}

void
map_retract(struct engine *eng)
{
	struct map *m = &eng->map;
	struct err why = { 0 };
	int64_t res;

	while (m->ndone > 0) {
		const uint64_t arg[6] = { m->done[m->ndone - 1].addr,
					  m->done[m->ndone - 1].n };
		inject_syscall(&eng->in, SYS_munmap, arg, &res, &why);
		m->ndone--;
	}
	land_unmap(eng->plan.land, eng);
}

/* Those that are not part of the mapping of all. */
static void
regions_close(struct map *m)
{
	for (uint32_t i = 0; i < m->nregions; i++) {
		struct map_region *r = &m->region[i];

		if (r->mem != NULL && r->off >= m->len)
			munmap(r->mem, r->size);
		r->mem = NULL;
	}
}

static void
map_close(struct engine *eng)
{
	struct map *m = &eng->map;

	regions_close(m);
	if (m->mem != NULL)
		munmap(m->mem, m->len);
	if (m->fd >= 0)
		close(m->fd);
	m->mem = NULL;
	eng->sh = NULL;
	m->fd = -1;
}

/* At addresses that are free, which `map` maps: again where others have come to
   be there meanwhile. */
static int
map_somewhere(struct engine *eng,
	      int (*map)(struct engine *eng, int tfd, struct err *e), int tfd,
	      struct err *e)
{
	int rc = -1;

	for (int i = 0; i < TRIES && rc != 0; i++) {
		err_clear(e);
		if (map_choose(eng, e) != 0)
			break;
		rc = map(eng, tfd, e);
		if (rc != 0)
			map_retract(eng);
		if (rc != 0 && e->sys != EEXIST)
			break;
	}
	return rc;
}

/*
 * Other threads may run.  What was mapped is of our file if the number still is
 * that at the end: once it is another, it never is ours again.
 */
int
map_file_done(struct engine *eng, int tfd, int rc, struct err *e)
{
	const bool other =
		inject_fd_other(&eng->in, tfd, map_root(eng)->map.fd);
	const uint64_t arg[6] = { (uint64_t)tfd };
	struct err why = { 0 };
	int64_t res;

	if (!other)
		inject_syscall(&eng->in, SYS_close, arg, &res, &why);
	inject_own_end(&eng->in);
	if (!other || rc != 0)
		return rc;
	return err_set(e, &ERR_GENERIC, 0,
		       "process %d has closed a descriptor that was open there "
		       "for a moment for its probes: try again",
		       (int)eng->pid);
}

static int
map_file_try(struct engine *eng, int *ours, int *tfd, struct err *e)
{
	struct map *m = &eng->map;

	if (ours == NULL)
		return inject_fd(&eng->in, m->fd, tfd, e);
	*ours = inject_memfd(&eng->in, m->len, tfd, e);
	return *ours < 0 ? -1 : 0;
}

/*
 * A descriptor there: of a new file (*ours), or of the file that we have.  In a
 * process that has none left it is that of a thread of our own, which is there
 * until map_file_done().
 */
int
map_file_there(struct engine *eng, int *ours, int *tfd, struct err *e)
{
	int rc = map_file_try(eng, ours, tfd, e);

	if (rc == 0 || e->sys != EMFILE)
		return rc;
	err_clear(e);
	if (inject_own(&eng->in, e) != 0)
		return -1;
	rc = map_file_try(eng, ours, tfd, e);
	if (rc != 0)
		inject_own_end(&eng->in);
	return rc;
}

int
map_may_call(struct engine *eng, struct err *e)
{
	if (!eng->opts.cautious || !inject_may_suspend() ||
	    !inject_under_seccomp(eng->pid) || inject_filters_spare(&eng->in))
		return 0;
	return err_set(e, &ERR_RATHER, 0,
		       "process %d is under a seccomp filter that would end it "
		       "if the guardian were killed in the midst of a call "
		       "there (-x engine=process does without this care)",
		       (int)eng->pid);
}

/* The file, and all of its mappings there. */
static int
map_try(struct engine *eng, struct err *e)
{
	struct map *m = &eng->map;
	int tfd = -1, rc;

	if (map_file_there(eng, &m->fd, &tfd, e) != 0)
		return -1;
	rc = map_ours(eng, e);
	if (rc == 0)
		rc = map_somewhere(eng, map_theirs, tfd, e);
	if (rc == 0)
		land_map(eng->plan.land, eng, tfd);
	return map_file_done(eng, tfd, rc, e);
}

int
map_make(struct engine *eng, struct err *e)
{
	if (eng->map.nregions == 0)
		return map_local(eng, e);
	while (map_try(eng, e) != 0) {
		map_close(eng);
		/* EAGAIN: more than it may lock. */
		if ((e->sys != ENOMEM && e->sys != EAGAIN) ||
		    eng->opts.bufresize_manual)
			return -1;
		err_clear(e);
		if (map_halve(eng, e) != 0)
			return -1;
		map_place(eng);
	}
	return 0;
}

int
map_touch(struct engine *eng, struct err *e)
{
	const struct map *m = &eng->map;

	if (!m->touch || room_touch(m->mem, m->shared_len) == 0)
		return 0;
	return err_set(e, &ERR_GENERIC, errno,
		       "cannot have %llu bytes of shared memory",
		       (unsigned long long)m->shared_len);
}

/* ---- another program ----------------------------------------------------- */

/* n more bytes of the file; *off: where. */
int
map_file_grow(struct engine *eng, uint64_t n, uint64_t *off, struct err *e)
{
	struct map *m = &map_root(eng)->map;

	*off = m->file_len;
	if (ftruncate(m->fd, (off_t)(*off + n)) != 0)
		return err_set(e, &ERR_GENERIC, errno,
			       "shared memory cannot grow");
	m->file_len += n;
	return 0;
}

int
map_follow(struct engine *eng, struct err *e)
{
	struct map *m = &eng->map;

	regions_close(m);
	memset(m->region, 0, sizeof(m->region));
	m->nregions = m->ndone = 0;
	if (eng->adopts != NULL) {
		image_regions(eng);
	} else if (regions_plan(eng, e) != 0 || regions_measure(eng, e) != 0) {
		return -1;
	}
	for (uint32_t i = 0; i < m->nregions; i++)
		if (region_grow(eng, &m->region[i], e) != 0)
			return -1;
	return 0;
}

/* Our view of it, as the process will have it. */
static int
member_ours(struct engine *eng, struct err *e)
{
	struct map *m = &eng->map;
	const uint64_t own = eng->lay.own_end, n = m->shared_len;
	const int rw = PROT_READ | PROT_WRITE, flags = MAP_SHARED | MAP_FIXED;
	uint8_t *p = mmap(NULL, n, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return err_nomem(e);
	m->mem = p;
	m->len = n;
	eng->sh = (void *)p;
	if (mmap(p, RTN_OWN, rw, flags, m->fd, 0) == MAP_FAILED ||
	    mmap(p + RTN_OWN, own - RTN_OWN, rw, flags, m->fd,
		 (off_t)m->head) == MAP_FAILED ||
	    mmap(p + own, n - own, rw, flags, m->fd, (off_t)own) == MAP_FAILED)
		return err_set(e, &ERR_GENERIC, errno,
			       "cannot map shared memory");
	(void)madvise(p, n, MADV_DONTFORK);
	return 0;
}

int
map_head(struct engine *eng, struct err *e)
{
	return map_file_grow(eng, eng->lay.own_end - RTN_OWN, &eng->map.head,
			     e);
}

int
map_member(struct engine *eng, struct err *e)
{
	struct map *m = &eng->map;

	m->shared_len = eng->root->map.shared_len;
	if ((m->head == 0 && map_head(eng, e) != 0) || member_ours(eng, e) != 0)
		return -1;
	return map_follow(eng, e);
}

void
map_punch(int fd, uint64_t off, uint64_t n)
{
	(void)fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			(off_t)off, (off_t)n);
}

/* Nobody has it mapped any more, or will run anything of it. */
void
map_member_free(struct engine *eng)
{
	struct map *m = &eng->map;

	if (m->mem == NULL) { /* it came to nothing: nothing is in its head */
		if (m->head != 0 &&
		    map_root(eng)->map.file_len ==
			    m->head + eng->lay.own_end - RTN_OWN)
			map_root(eng)->map.file_len = m->head;
		m->fd = -1;
		return;
	}
	if (eng->gone) {
		for (uint32_t i = 0; i < m->nregions; i++)
			map_punch(m->fd, m->region[i].off, m->region[i].size);
		map_punch(m->fd, m->head, eng->lay.own_end - RTN_OWN);
		land_punch(eng->plan.land, m->fd);
	}
	m->fd = -1; /* the root's */
	map_close(eng);
}

/* ---- a program that has only begun: all of it in one go ------------------ */

static struct inject_call *
once_add(struct inject_calls *c, long nr, uint64_t addr, uint64_t n,
	 uint64_t third)
{
	struct inject_call *k = &c->v[c->n++];

	*k = (struct inject_call){ .nr = nr, .arg = { addr, n, third } };
	return k;
}

/* Of the file tfd from off on; tfd -1: of none.  Code is private: map_code().
 */
static void
once_map(struct inject_calls *c, uint64_t addr, uint64_t n, int prot, int tfd,
	 uint64_t off)
{
	struct inject_call *k = once_add(c, SYS_mmap, addr, n, (uint64_t)prot);

	k->arg[3] =
		MAP_FIXED_NOREPLACE | (tfd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS
				       : (prot & PROT_EXEC) != 0 ? MAP_PRIVATE
								 : MAP_SHARED);
	k->arg[4] = (uint64_t)tfd;
	k->arg[5] = off;
}

/* What map_theirs() does, of one that locks nothing; what may fail comes last,
   and first what fails without the file. */
static void
once_list(struct engine *eng, int tfd, struct inject_calls *c)
{
	const uint64_t n = map_page_up(sizeof(struct rtn_table));
	const struct shared_lay *l = &eng->lay;
	const struct map *m = &eng->map;
	const int rw = PROT_READ | PROT_WRITE;

	once_map(c, m->shared, RTN_OWN, rw, tfd, 0);
	once_map(c, m->shared + RTN_OWN, l->own_end - RTN_OWN, rw, tfd,
		 m->head);
	once_map(c, m->shared + l->own_end, m->shared_len - l->own_end, rw, tfd,
		 l->own_end);
	once_map(c, m->table, n, rw, -1, 0);
	once_add(c, SYS_madvise, m->table, n, MADV_WIPEONFORK);
	once_add(c, SYS_mprotect, m->shared + l->slots, l->end - l->slots,
		 PROT_NONE);
	if (m->ctl_low != 0)
		once_map(c, m->ctl_low, PAGE, PROT_READ, tfd, 0);
	for (uint32_t i = 0; i < m->nregions; i++)
		once_map(c, m->region[i].addr, m->region[i].size,
			 PROT_READ | PROT_EXEC, tfd, m->region[i].off);
	once_add(c, SYS_madvise, m->shared, m->shared_len, MADV_DONTDUMP)
		->may_fail = 1;
}

#define ONCE_OTHERS 10 /* calls, besides those for regions */

/* What has been made is noted as done. */
static int
once_make(struct engine *eng, struct inject_calls *c, struct err *e)
{
	struct map *m = &eng->map;

	if (inject_calls(&eng->in, c, e) != 0)
		return -1;
	for (uint32_t i = 0; i < c->done; i++)
		if (c->v[i].nr == SYS_mmap) {
			m->done[m->ndone].addr = c->v[i].arg[0];
			m->done[m->ndone++].n = c->v[i].arg[1];
		}
	return c->done == c->n ? 0
			       : err_set(e, &ERR_GENERIC,
					 (int)-c->v[c->done].res,
					 "process %d: cannot map memory",
					 (int)eng->pid);
}

static int
once_run(struct engine *eng, int tfd, struct err *e)
{
	struct inject_calls c = { .n = 0 };

	once_list(eng, tfd, &c);
	once_add(&c, SYS_close, (uint64_t)tfd, 0, 0);
	return once_make(eng, &c, e);
}

/* True if the target has mapped our file.  What we write into it shows
   there. */
static bool
once_ours(struct engine *eng)
{
	const uint64_t at = eng->map.shared + offsetof(struct rtn_shared, self);
	uint64_t is = 0;

	eng->sh->self = clock_mono_ns();
	return inject_read(&eng->in, at, &is, sizeof(is)) == 0 &&
	       is == eng->sh->self;
}

/* The same with the file that it opens itself, all by itself. */
static int
once_alone(struct engine *eng, int unused, struct err *e)
{
	struct inject_calls c = { .n = 0, .alone = 1 };
	struct inject_call *k = once_add(&c, SYS_openat, (uint64_t)AT_FDCWD, 0,
					 O_RDWR | O_CLOEXEC | O_NOCTTY |
						 O_NONBLOCK);

	(void)unused;
	k->text = 2;
	snprintf(c.text, sizeof(c.text), "/proc/%d/fd/%d", (int)getpid(),
		 eng->map.fd);
	once_list(eng, 0, &c);
	if (once_make(eng, &c, e) != 0)
		return -1;
	return once_ours(eng) ? 0
			      : err_set(e, &ERR_GENERIC, ESTALE,
					"process %d does not find our file",
					(int)eng->pid);
}

/* All of it, with the end of tfd: map_file_done(). */
static int
map_at_once(struct engine *eng, int tfd, struct err *e)
{
	int rc = map_somewhere(eng, once_run, tfd, e);

	return rc != 0 ? map_file_done(eng, tfd, rc, e) : 0;
}

static int
once_alive(struct engine *eng, struct err *e)
{
	const uint64_t alive = 1,
		       at = eng->map.table + offsetof(struct rtn_table, alive);

	if (inject_write(&eng->in, at, &alive, sizeof(alive)) == 0)
		return 0;
	return err_set(e, &ERR_GENERIC, errno,
		       "process %d: cannot write its memory", (int)eng->pid);
}

/* With tfd, which is closed. */
static int
map_enter_slowly(struct engine *eng, int tfd, struct err *e)
{
	int rc = map_somewhere(eng, map_theirs, tfd, e);

	if (rc == 0)
		land_map(eng->plan.land, eng, tfd);
	return map_file_done(eng, tfd, rc, e);
}

/* Of a program that has begun: by the thread itself; where that fails, whatever
   the reason, call by call.  -1 + *e; 1: its memory may not be shut, as it is
   under a filter. */
static int
map_begun(struct engine *eng, struct err *e)
{
	int tfd;

	if (inject_under_seccomp(eng->pid))
		return 1;
	eng->map.locks = false; /* execve(2) has ended that */
	eng->sh->shut = 1;
	if (map_somewhere(eng, once_alone, -1, e) == 0)
		return once_alive(eng, e);
	err_clear(e);
	if (map_file_there(eng, NULL, &tfd, e) != 0)
		return -1;
	if (eng->in.own.tid != 0)
		return map_enter_slowly(eng, tfd, e);
	return map_at_once(eng, tfd, e) == 0 ? once_alive(eng, e) : -1;
}

int
map_enter(struct engine *eng, struct err *e)
{
	int tfd, rc = 1;

	if (eng->root != NULL && !eng->joined && !land_wants(eng->plan.land) &&
	    eng->map.nregions + ONCE_OTHERS <= INJECT_CALLS)
		rc = map_begun(eng, e);
	if (rc <= 0)
		return rc;
	if (map_file_there(eng, NULL, &tfd, e) != 0)
		return -1;
	return map_enter_slowly(eng, tfd, e);
}

/* ---- after --------------------------------------------------------------- */

static int
cmp_map_span(const void *va, const void *vb)
{
	const struct inject_span *a = va, *b = vb;

	return a->lo < b->lo ? -1 : a->lo > b->lo;
}

/*
 * Whoever is in our code has an address of it in his registers or on his stack.
 * That of a thread which the program itself has put aside, in a signal handler
 * that switched stacks in the midst of our code, we would not find; programs
 * that schedule threads of their own in this way look first where they were.
 */
void
map_leave(struct engine *eng)
{
	struct inject_span code[INJECT_SPANS];
	const struct map *m = &eng->map;
	struct err why = { 0 };
	bool unused = false;
	size_t n;

	static_assert(INJECT_SPANS > RTN_NREGIONS, "all of them fit");
	if (eng->journal != NULL && eng->journal->under != 0)
		return; /* other consumers' trampolines lead to ours */
	n = m->nregions;
	for (size_t i = 0; i < n; i++)
		code[i] = (struct inject_span){
			m->region[i].addr,
			m->region[i].addr + m->region[i].size
		};
	n += land_spans(eng->plan.land, true, code + n, INJECT_SPANS - n);
	if (eng->sh->led != 0 && n < INJECT_SPANS)
		n += beside_code(eng, code + n, INJECT_SPANS - n);
	if (n > INJECT_SPANS)
		return; /* they stay */
	qsort(code, n, sizeof(*code), cmp_map_span);
	if (m->ndone != 0 && shared_idle(eng) &&
	    inject_unused(&eng->in, code, n, &unused, &why) == 0 && unused &&
	    engine_let_run(eng, &why) == 0 && map_may_call(eng, &why) == 0)
		map_retract(eng);
}

/*
 * What the target keeps mapped, for a thread may be in our code still, has
 * buffers that nothing looks at any more: their pages need not stay.
 */
void
map_free(struct engine *eng)
{
	struct map *m = &eng->map;

	if (m->fd >= 0 && m->nregions != 0 && eng->lay.end > eng->lay.bufs)
		(void)fallocate(m->fd,
				FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				(off_t)eng->lay.bufs,
				(off_t)(eng->lay.end - eng->lay.bufs));
	map_close(eng);
}
