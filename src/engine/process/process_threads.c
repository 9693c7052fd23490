/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_threads.c - what must be known of the target's threads before
 * anything fires in them, found while all of them stand still.
 *
 * BASES.  Code knows threads by their %fs base (rt_native.h).  Where two
 * threads have the same one, it is entered as shared, and the code asks the
 * kernel who it is in each firing of theirs.
 *
 * NUMBERS.  In a process under a seccomp filter nothing may be asked.  The C
 * library has noted the number of each thread in the thread's descriptor, at a
 * distance from the %fs base that glibc tells debuggers and that is known of
 * others; it is believed if it is right for all threads that are there.  Those
 * that are there are listed by base and number as well; without the library,
 * threads that come later do not fire, which is counted.
 * Where the target lives in another pid namespace, the list says what we call
 * those threads, too.
 */
#include "engine/process/process_impl.h"

#include <asm/hwcap2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/* Offsets to be tried where the library does not say them. */
static const int32_t known_offs[] = {
	0x2d0, /* glibc, as long as its headers are what they are since 2.4 */
	0x30,  /* musl */
};

/* ---- bases --------------------------------------------------------------- */

static int
by_base(const void *va, const void *vb)
{
	const struct inject_id *a = va, *b = vb;

	return a->fs_base < b->fs_base ? -1 : a->fs_base > b->fs_base;
}

/* More than there is room for: then all are taken for shared. */
static void
share(struct rtn_shared *sh, uint64_t base)
{
	uint32_t n = sh->nshared;

	if (n < RTN_NSHARED)
		sh->shared[n] = base;
	sh->nshared = n < RTN_NSHARED ? n + 1 : RTN_NSHARED + 1;
}

/* v is in order of bases. */
static void
find_shared(struct rtn_shared *sh, const struct inject_id *v, size_t n)
{
	sh->nshared = 0;
	for (size_t i = 1; i < n; i++)
		if (v[i].fs_base == v[i - 1].fs_base &&
		    (i == 1 || v[i - 2].fs_base != v[i].fs_base))
			share(sh, v[i].fs_base);
}

/* ---- numbers ------------------------------------------------------------- */

/* True if each thread's descriptor has the thread's number there.  A number of
   another pid namespace is another one. */
static bool
off_right(struct engine *eng, const struct inject_id *v, size_t n, int32_t off)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t is;

		if (v[i].fs_base == 0 ||
		    inject_read(&eng->in, v[i].fs_base + (uint64_t)off, &is,
				sizeof(is)) != 0 ||
		    is != follow_thread_number(eng->pid, v[i].tid))
			return false;
	}
	return n != 0;
}

/* As glibc tells libthread_db: bits, number of elements, offset; or 0. */
static int32_t
off_told(struct engine *eng)
{
	uint32_t field[3];
	uint64_t at;

	if (!world_symbol(&eng->world, "_thread_db_pthread_tid", &at) ||
	    inject_read(&eng->in, at, field, sizeof(field)) != 0 ||
	    field[0] != 32 || field[1] != 1 || field[2] > 1u << 16)
		return 0;
	return (int32_t)field[2];
}

/* A program that has only begun has no descriptors yet. */
static bool
no_bases(const struct inject_id *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].fs_base != 0)
			return false;
	return true;
}

static int32_t
find_off(struct engine *eng, const struct inject_id *v, size_t n)
{
	int32_t off = off_told(eng);

	if (off != 0 && (no_bases(v, n) || off_right(eng, v, n, off)))
		return off;
	for (size_t i = 0; i < sizeof(known_offs) / sizeof(*known_offs); i++)
		if (off_right(eng, v, n, known_offs[i]))
			return known_offs[i];
	return 0;
}

static void
list_known(struct engine *eng, const struct inject_id *v, size_t n)
{
	struct rtn_shared *sh = eng->sh;

	sh->nknown = 0;
	for (size_t i = 0; i < n && i < RTN_NTHREADS; i++) {
		sh->known[i].fsbase = v[i].fs_base;
		sh->known[i].own = engine_begun(eng) && !eng->foreign_pids
					   ? (uint32_t)v[i].tid
					   : follow_thread_number(eng->pid,
								  v[i].tid);
		sh->known[i].tid = (uint32_t)v[i].tid;
		sh->nknown++;
	}
}

/* ---- the door ------------------------------------------------------------ */

bool
threads_have_fsgsbase(void)
{
	return (getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE) != 0;
}

int
threads_may_ask(struct engine *eng, struct err *e)
{
	if (eng->fs_self || threads_have_fsgsbase() ||
	    !inject_under_seccomp(eng->pid))
		return 0;
	return err_set(e, &ERR_GENERIC, 0,
		       "process %d is under a seccomp filter, and without "
		       "FSGSBASE (of the CPU, and the kernel) its threads "
		       "cannot be told apart",
		       (int)eng->pid);
}

int
threads_look(struct engine *eng, struct err *e)
{
	size_t n = eng->in.n;
	struct inject_id *v = arena_calloc(eng->arena, n + 1, sizeof(*v));

	if (v == NULL)
		return err_nomem(e);
	if (engine_begun(eng) && n == 1) {
		/* execve(2) leaves one thread, and nothing in its registers. */
		*v = (struct inject_id){ .tid = eng->pid };
		eng->ids = v;
		eng->nids = n;
		return 0;
	}
	if (inject_ids(&eng->in, v, &n, e) != 0)
		return -1;
	qsort(v, n, sizeof(*v), by_base);
	eng->ids = v;
	eng->nids = n;
	return 0;
}

void
threads_fill(struct engine *eng)
{
	struct rtn_shared *sh = eng->sh;

	find_shared(sh, eng->ids, eng->nids);
	sh->tid_off = find_off(eng, eng->ids, eng->nids);
	list_known(eng, eng->ids, eng->nids);
}
