/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_tree.c - programs that processes of the tree execute, and targets
 * behind the first.
 *
 *	a thread asks (rtn_exec) ─▶ member ─▶ guardian: it is caught at the
 *	first instruction of the program ─▶ memory, patches ─▶ it runs
 *	                 │
 *	                 └─▶ execve fails, or it cannot be: it goes on; what is
 *	                     not followed is counted
 *
 * A MEMBER is a struct engine without what is the trace's: it has a process,
 * its world, places, regions and journal of its own, which the root's guardian
 * guards with the root's (guard_join()), and in the memory file a part of its
 * own (struct map.head); machines, buffers, variables and aggregations are the
 * root's, which the process maps like all others.  What the root has found out
 * of the enabling (classes, sites, cells) is copied.
 *
 *	file   │ shared: common │ the root's │ the rest │ regions │ head,
 *	       │                                        │         │ regions of a
 *	       │                                        │         │ member ...
 *	member │ common │ its head │ the rest │              its regions
 *
 * Children that a member's process forks have its head and its text.  So a
 * member stays until nobody has that head mapped any more (tree_gather()).
 *
 * Where the root's own process executes a program, that is a member as well;
 * the root goes on without a process.
 *
 * Another target is a member from the beginning, entered where it stands
 * (tree_join()).
 */
#include "engine/process/process_impl.h"
#include "engine/process/inject_impl.h"
#include "proc/proc_fs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define GATHER_NS    1000000000ull /* at least */
#define GATHER_SHARE 20            /* of the time is spent with that, at most */

/* ---- a member ------------------------------------------------------------ */

/* src's vector again, n elements of size. */
static bool
vec_again(const void *v, size_t n, size_t size, void **out)
{
	*out = calloc(n + 1, size);
	if (*out != NULL && n != 0)
		memcpy(*out, v, n * size);
	return *out != NULL;
}

#define AGAIN(to, from)                                                        \
	((to)->cap = (from)->n + 1, (to)->n = (from)->n,                       \
	 vec_again((from)->v, (from)->n, sizeof(*(from)->v),                   \
		   (void **)(void *)&(to)->v))

/* What the plan of the root says of the enabling; places are found anew. */
static int
plan_again_for(struct engine *m, const struct plan *from, struct err *e)
{
	struct plan *p = &m->plan;

	*p = *from;
	memset(&p->fns, 0, sizeof(p->fns));
	memset(&p->points, 0, sizeof(p->points));
	memset(&p->windows, 0, sizeof(p->windows));
	memset(&p->hops, 0, sizeof(p->hops));
	memset(&p->left, 0, sizeof(p->left));
	memset(&p->classes, 0, sizeof(p->classes));
	memset(&p->groups, 0, sizeof(p->groups));
	memset(&p->sites, 0, sizeof(p->sites));
	memset(&p->statics, 0, sizeof(p->statics));
	memset(&p->solos, 0, sizeof(p->solos));
	memset(&p->alone, 0, sizeof(p->alone));
	/* Of the root's landings none are here, and of system calls windows
	   serve nearly all. */
	p->land = NULL;
	p->windows_only = !m->joined && m->root->again.n == 0;
	p->fn_by_addr = hash_new();
	p->class_by_key = hash_new();
	return p->fn_by_addr != NULL && p->class_by_key != NULL &&
			       AGAIN(&p->classes, &from->classes) &&
			       AGAIN(&p->groups, &from->groups) &&
			       AGAIN(&p->sites, &from->sites)
		       ? 0
		       : err_nomem(e);
}

static void
member_free(struct engine *m)
{
	if (m == NULL)
		return;
	if (m->guard != NULL)
		guard_free(m->guard);
	map_member_free(m);
	engine_release(m);
}

/* By one of its own, where the root's was killed. */
static struct guard *
member_guard_own(struct engine *m, pid_t tid, struct err *e)
{
	struct guard *g = guard_new(m->journal, m->in.mem, m->pidfd, e);

	if (g == NULL || tid == 0)
		return g;
	m->shared_told = true;
	if (guard_shared(g, m->map.fd, m->map.head, e) == 0 &&
	    guard_catch(g, tid, e) == 0)
		return g;
	guard_free(g);
	return NULL;
}

static struct guard *
member_guard_by(struct engine *m, struct guard *with, int journal, pid_t tid,
		struct err *e)
{
	const int fd[] = { journal, m->in.mem, m->pidfd, m->map.fd };

	if (with == NULL || !guard_lives(with) || (tid != 0 && m->pidfd < 0))
		return member_guard_own(m, tid, e);
	if (tid == 0)
		return guard_join(with, m->journal, journal, m->in.mem,
				  m->pidfd, e);
	m->shared_told = true;
	return guard_join_exec(with, m->journal, fd, m->map.head, tid, e);
}

/* tid not 0: that thread is stopped, too. */
static int
member_guard(struct engine *m, pid_t tid, struct err *e)
{
	int fd;

	m->journal = patch_journal_file(m->pid, TREE_PATCHES, &fd, e);
	if (m->journal == NULL)
		return -1;
	m->guard = member_guard_by(m, m->root->guard, fd, tid, e);
	close(fd);
	return m->guard != NULL ? 0 : -1;
}

/* The process as it is before: its guardian, and nothing else yet. */
static int
member_open(struct engine *m, pid_t tid, struct err *e)
{
	const struct engine *root = m->root;

	m->pidfd = (int)syscall(SYS_pidfd_open, m->pid, 0);
	if (inject_open(&m->in, m->pid, false, e) != 0)
		return -1;
	m->opened = true;
	m->in.near = true; /* nothing in another PID namespace comes here */
	if (plan_again_for(m, &root->plan, e) != 0 ||
	    (tid != 0 && map_head(m, e) != 0))
		return -1;
	return member_guard(m, tid, e);
}

/* t NULL: a program that thread tid, stopped from then on, will execute; else
   another target. */
static struct engine *
member_new(struct engine *root, pid_t pid, const struct engine_target *t,
	   pid_t tid, struct err *e)
{
	struct engine *m = calloc(1, sizeof(*m));

	if (m == NULL || (m->arena = arena_new()) == NULL) {
		free(m);
		err_nomem(e);
		return NULL;
	}
	m->root = root;
	m->pid = pid;
	m->en = root->en;
	m->wants_place = root->wants_place;
	m->opts = root->opts;
	m->opts.spare_probes = 0;
	m->self = (struct engine_target){ .pid = pid };
	m->opts.targets = t != NULL ? t : &m->self;
	m->opts.ntargets = 1;
	m->joined = t != NULL;
	m->pidfd = m->wake = m->in.mem = -1;
	m->map.fd = root->map.fd;
	m->lay = root->lay;
	m->lay.unw = 0; /* frame pointers */
	m->agg_fixed = root->agg_fixed;
	m->agg = root->agg;
	m->assoc_lay = root->assoc_lay;
	m->nfollowed = 1; /* no program of the providers' */
	m->known = root->known;
	if (member_open(m, tid, e) == 0)
		return m;
	member_free(m);
	return NULL;
}

/* ---- entering the program ------------------------------------------------ */

static int
member_mem(struct engine *m, struct err *e)
{
	struct inject in;
	int rc;

	if (inject_open(&in, m->pid, false, e) != 0)
		return -1;
	rc = dup3(in.mem, m->in.mem, O_CLOEXEC);
	inject_close(&in);
	return rc >= 0 ? 0
		       : err_set(e, &ERR_GENERIC, errno,
				 "process %d: cannot open its memory",
				 (int)m->pid);
}

static int
member_enter(struct engine *m, struct err *e)
{
	if (member_mem(m, e) != 0 ||
	    world_open(&m->world, m->pid, &m->root->world, e) != 0)
		return -1;
	m->world.fresh = true;
	image_look(m);
	if ((m->adopts != NULL ? image_plan(m, e) : plan_follow(m, e)) != 0)
		return -1;
	if (m->adopts == NULL && m->plan.windows.n == 0)
		return err_set(e, &ERR_GENERIC, 0,
			       "it has no system call that can be probed");
	if (map_member(m, e) != 0 || engine_enter(m, true, e) != 0)
		return -1;
	if (m->adopts != NULL)
		image_adopted(m);
	else
		image_learn(m);
	return 0;
}

static struct rt *
slot_level(struct engine *root, uint32_t t, unsigned level)
{
	return root->view.rt[(RTN_HOST_SLOTS + t) * RT_LEVELS + level];
}

/* Slots of the program that was: of its threads none is left. */
static void
slots_of(struct engine *root, pid_t pid)
{
	for (uint32_t t = 0;
	     t < root->lay.nthreads && t < root->sh->nthreads_used; t++) {
		if (root->sh->owner[t] == 0 ||
		    (pid_t)slot_level(root, t, 0)->pid != pid)
			continue;
		for (unsigned l = 0; l < RT_LEVELS; l++)
			slot_level(root, t, l)->busy = 0;
		__atomic_store_n(&root->sh->owner[t], 0, __ATOMIC_RELEASE);
	}
}

/* The self-> variables of the thread, which waits to execute a program: it has
   them afterwards, too. */
static void
vars_save(struct engine *m, pid_t tid)
{
	const uint8_t *vars = shared_thread_of(m->root, (uint32_t)tid);
	const size_t n = m->root->en->tab->thread_size;

	if (vars == NULL || n == 0)
		return;
	m->self_vars = malloc(n);
	if (m->self_vars != NULL)
		memcpy(m->self_vars, vars, n);
}

/* A slot of the consumer's choice for the first thread of a program, which
   takes it when it first fires; nthreads: there is none. */
static uint32_t
slot_reserve(struct engine *root, pid_t pid)
{
	struct rtn_shared *sh = root->sh;
	uint32_t t = 0, none = 0;

	while (t < root->lay.nthreads &&
	       !__atomic_compare_exchange_n(&sh->owner[t], &none,
					    RTN_KEPT | (uint32_t)pid, false,
					    __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST)) {
		none = 0;
		t++;
	}
	for (uint32_t n = sh->nthreads_used; t < root->lay.nthreads && n <= t;)
		if (__atomic_compare_exchange_n(&sh->nthreads_used, &n, t + 1,
						false, __ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST))
			break;
	return t;
}

/* What fires when a program begins may set self-> variables, and there may be
   some: the slot of its thread must be there. */
static void
slot_make(struct engine *root, const struct engine *m)
{
	const size_t n = root->en->tab->thread_size;
	uint8_t *vars;
	uint32_t t;

	if (n == 0 || (!root->plan.tree && m->self_vars == NULL))
		return;
	t = slot_reserve(root, m->pid);
	if (t == root->lay.nthreads)
		return;
	for (unsigned l = 0; l < RT_LEVELS; l++) {
		slot_level(root, t, l)->tid = (uint32_t)m->pid;
		slot_level(root, t, l)->pid = (uint32_t)m->pid;
		slot_level(root, t, l)->busy = 0;
	}
	vars = root->map.mem + root->lay.threads + t * root->lay.thread_stride;
	memset(vars, 0, root->lay.thread_stride);
	if (m->self_vars != NULL)
		memcpy(vars, m->self_vars, n);
}

/* Another program is in the process: nothing of ours was left of these. */
static void
tree_replaced(struct engine *root, pid_t pid)
{
	if (root->pid == pid)
		root->gone = true;
	for (size_t i = 0; i < root->members.n; i++)
		if (root->members.v[i]->pid == pid)
			root->members.v[i]->gone = true;
	slots_of(root, pid);
}

static void
tree_lost(struct engine *root, const char *why)
{
	__atomic_fetch_add(&root->sh->nlost, 1, __ATOMIC_RELAXED);
	if (root->lost_why == NULL)
		root->lost_why = arena_strdup(root->arena, why);
}

/* ---- who is of it -------------------------------------------------------- */

static void
kin_seen(const struct engine *root, pid_t pid, pid_t like)
{
	if (root->opts.kin != NULL)
		root->opts.kin->seen(root->opts.kin->arg, pid, like);
}

/* Of more than the list holds the first ones stay unknown. */
static void
kin_children(const struct engine *root, struct engine *eng)
{
	uint32_t n = eng->sh->nchildren;

	if (n - eng->nchildren_seen > RTN_NCHILDREN)
		eng->nchildren_seen = n - RTN_NCHILDREN;
	for (; eng->nchildren_seen != n; eng->nchildren_seen++) {
		uint32_t i = eng->nchildren_seen % RTN_NCHILDREN;
		pid_t pid = (pid_t)eng->sh->children[i];

		if (pid == 0)
			return; /* not written yet */
		if (pid != eng->pid)
			kin_seen(root, pid, eng->pid);
	}
}

void
tree_kin(struct engine *root)
{
	if (!engine_follows(root) || root->opts.kin == NULL)
		return;
	kin_children(root, root);
	for (size_t i = 0; i < root->members.n; i++)
		kin_children(root, root->members.v[i]);
}

/* ---- it is there --------------------------------------------------------- */

/* It stands at the first instruction. */
static void
tree_enter(struct engine *root, struct engine *m)
{
	struct err why = { 0 };

	tree_replaced(root, m->pid);
	slot_make(root, m);
	host_tree(root->host, DIF_SITE_BEGUN, 0, m->pid, NULL);
	if (member_enter(m, &why) == 0 && vec_push(&root->members, m)) {
		root->nprograms++;
		kin_seen(root, m->pid, m->pid);
		guard_release(m->guard);
		return;
	}
	guard_release(m->guard);
	if (!engine_target_ended(m))
		tree_lost(root, why.msg);
	if (m->patched && vec_push(&root->members, m))
		return; /* to be undone with the others */
	member_free(m);
}

/* ---- who asks ------------------------------------------------------------ */

/* Which process a thread is of; 0: it has ended. */
static pid_t
tgid_of(pid_t tid)
{
	struct proc_status st;

	return proc_status_read(tid, 0, &st)
		       ? (pid_t)proc_status_number(&st, "Tgid")
		       : 0;
}

static bool
let_exec(struct rtn_shared *sh, uint32_t i)
{
	uint32_t asks = RTN_EXEC_ASKS;
	bool was = __atomic_compare_exchange_n(
		&sh->execs[i].state, &asks, RTN_EXEC_GO, false,
		__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);

	syscall(SYS_futex, &sh->execs[i].state, FUTEX_WAKE, INT_MAX, NULL, NULL,
		0);
	return was;
}

/* The thread waits in sh->execs[i]; it is believed to be what it says if it has
   our memory. */
static void
tree_exec(struct engine *root, struct rtn_shared *sh, uint32_t i)
{
	pid_t tid = (pid_t)sh->execs[i].tid, pid = tgid_of(tid);
	struct err why = { 0 };
	struct engine *m = NULL;
	enum inject_caught c = INJECT_LOST;

	if (pid > 0 && follow_head(pid, follow_ino(root->map.fd, 1)) != 0)
		m = member_new(root, pid, NULL, tid, &why);
	if (m == NULL && err_is_set(&why))
		tree_lost(root, why.msg);
	if (m != NULL)
		vars_save(m, tid);
	let_exec(sh, i);
	if (m == NULL)
		return;
	c = guard_drive(m->guard, tid);
	if (c == INJECT_CAUGHT) {
		tree_enter(root, m);
		return;
	}
	member_free(m);
	if (c == INJECT_PRIVILEGED)
		tree_lost(root, "its file gives privileges (set-uid, set-gid "
				"or capabilities)");
	else if (c == INJECT_MISSED)
		tree_lost(root, "it was not seen to execute it");
}

static void
tree_asked(struct engine *root, struct rtn_shared *sh)
{
	for (uint32_t i = 0; i < RTN_NEXECS; i++)
		if (sh->execs[i].state == RTN_EXEC_ASKS)
			tree_exec(root, sh, i);
}

/* Who asks pokes after that; a child of one that has ended may have its head.
   Now and then it is looked without. */
static void
tree_asked_any(struct engine *root)
{
	uint32_t poke = __atomic_load_n(&root->sh->poke, __ATOMIC_SEQ_CST);

	if (root->exec_looked && poke == root->exec_poke)
		return;
	root->exec_looked = true;
	root->exec_poke = poke;
	tree_asked(root, root->sh);
	for (size_t i = 0; i < root->members.n; i++)
		tree_asked(root, root->members.v[i]->sh);
}

/* ---- who has ended ------------------------------------------------------- */

void
tree_ended(struct engine *root, const struct engine *m)
{
	int status;

	if (!root->plan.tree || m->gone)
		return;
	status = proc_end_status(m->pidfd, m->pid);
	if (status != -1 && WIFSIGNALED(status))
		host_tree(root->host, DIF_SITE_KILLED,
			  WCOREDUMP(status) ? 1 : 0, m->pid,
			  m->sh != NULL ? (const char *)m->sh->comm : NULL);
}

static void
member_look(struct engine *root, struct engine *m)
{
	if (m->gone || !engine_target_ended(m))
		return;
	tree_ended(root, m);
	m->gone = true;
}

/* ---- members that nobody needs ------------------------------------------- */

/* Mark those whose head another process has mapped; all, where that cannot be
 * read. */
static void
heads_mark(struct engine *root, bool *used)
{
	uint64_t ino = follow_ino(root->map.fd, 1);
	struct proc_dir it;
	long n;

	if (!proc_dir_open(&it, 0, "task")) {
		memset(used, 1, root->members.n);
		return;
	}
	while ((n = proc_dir_next(&it)) >= 0) {
		uint64_t head = n != getpid() ? follow_head((pid_t)n, ino) : 0;

		for (size_t i = 0; head != 0 && i < root->members.n; i++)
			used[i] |= root->members.v[i]->map.head == head;
	}
	proc_dir_close(&it);
}

static void
tree_gather(struct engine *root)
{
	bool any = false, *used;
	size_t k = 0;

	for (size_t i = 0; i < root->members.n; i++) {
		struct engine *m = root->members.v[i];

		member_look(root, m);
		any |= m->gone;
	}
	used = any ? calloc(root->members.n, sizeof(*used)) : NULL;
	if (used == NULL)
		return;
	heads_mark(root, used);
	for (size_t i = 0; i < root->members.n; i++) {
		struct engine *m = root->members.v[i];

		if (m->gone && !used[i])
			member_free(m);
		else
			root->members.v[k++] = m;
	}
	root->members.n = k;
	free(used);
}

/* Objects that it has mapped since. */
static void
member_extend(struct engine *m)
{
	struct again_list v = { 0 };
	struct engine_fresh *fresh;
	struct err why = { 0 };
	size_t n;

	if (m->gone || !engine_mapped(m, &fresh, &n))
		return;
	/* A thread waits, whatever becomes of it. */
	if (again_sites(m, true, &v, &why) != 0)
		v.n = 0;
	/* Before it goes on: it may end at once. */
	kin_seen(m->root, m->pid, m->pid);
	engine_extend(m, v.v, v.n, &why);
	vec_fini(&v);
}

/* ---- other targets ------------------------------------------------------- */

/* Of other numbers of processes and threads only the root's can be found
   out. */
static int
join_near(pid_t pid, struct err *e)
{
	struct proc_status st;
	uint64_t v, own;

	if (proc_status_read(pid, 0, &st) &&
	    proc_status_numbers(&st, "NSpid", &v, 1, &own) > 1)
		return err_set(e, &ERR_GENERIC, 0,
			       "process %d is in another PID namespace, and "
			       "cannot share variables with others", (int)pid);
	return 0;
}

static int
join_enter(struct engine *m, struct err *e)
{
	if (engine_target_look(m, e) != 0 || plan_join(m, e) != 0)
		return -1;
	if (m->plan.windows.n == 0)
		return 0; /* nothing happens there that is wanted */
	return map_member(m, e) != 0 ? -1 : engine_enter(m, true, e);
}

static int
join(struct engine *root, const struct engine_target *t, struct err *e)
{
	struct engine *m;
	int rc;

	if (join_near(t->pid, e) != 0)
		return -1;
	m = member_new(root, t->pid, t, 0, e);
	if (m == NULL)
		return -1;
	rc = join_enter(m, e);
	beside_end(m);
	if (rc == 0 && m->sh == NULL) {
		member_free(m);
		return 0;
	}
	if ((rc == 0 || m->patched) && vec_push(&root->members, m))
		return rc;
	member_free(m);
	return rc == 0 ? err_nomem(e) : rc;
}

int
tree_join(struct engine *root, struct err *e)
{
	struct err why = { 0 };

	if (root->opts.ntargets > 1 && join_near(root->pid, e) != 0)
		return -1;
	for (uint32_t i = 1; i < root->opts.ntargets; i++)
		if (join(root, &root->opts.targets[i], e) != 0) {
			(void)tree_undo(root, &why);
			return -1;
		}
	return 0;
}

/* What it executes is another program, and not followed unless all are. */
static void
join_poll(struct engine *root, struct engine *m)
{
	if (m->gone)
		return;
	exec_answer(m);
	if (engine_changed(m)) {
		m->follow_ns = 0;
		slots_of(root, m->pid);
	}
}

/* ---- the door ------------------------------------------------------------ */

void
tree_poll(struct engine *root, uint64_t now)
{
	const bool all = root->opts.follow == RTN_FOLLOW_ALL;
	uint64_t took;

	if ((!all && root->members.n == 0) || root->sh == NULL)
		return;
	if (all)
		tree_asked_any(root);
	for (size_t i = 0; i < root->members.n; i++) {
		struct engine *m = root->members.v[i];

		if (m->joined && !all)
			join_poll(root, m);
		member_look(root, m);
		member_extend(m);
	}
	if (now < root->next_gather_ns)
		return;
	root->exec_looked = false;
	tree_gather(root);
	took = clock_mono_ns() - now;
	root->next_gather_ns =
		now + (took * GATHER_SHARE > GATHER_NS ? took * GATHER_SHARE
						       : GATHER_NS);
}

const struct engine *
tree_of(const struct engine *root, pid_t pid)
{
	uint64_t head = follow_head(pid, follow_ino(root->map.fd, 1));

	if (head == RTN_OWN)
		return root;
	for (size_t i = 0; head != 0 && i < root->members.n; i++)
		if (root->members.v[i]->map.head == head)
			return root->members.v[i];
	return NULL;
}

/* ---- the end ------------------------------------------------------------- */

static uint64_t
head_of(const struct engine *eng)
{
	return eng->root != NULL ? eng->map.head : RTN_OWN;
}

/* What was written into the programs of the root and of n members; to be asked
   before it is undone.  NULL: there are no children. */
static struct follow_image *
images_new(const struct engine *root, size_t n)
{
	struct follow_image *v;

	if (!engine_follows(root) || root->map.fd < 0)
		return NULL;
	v = calloc(n + 1, sizeof(*v));
	for (size_t i = 0; v != NULL && i <= n; i++) {
		const struct engine *m = i == 0 ? root : root->members.v[i - 1];

		v[i].head = head_of(m);
		if (m->journal != NULL)
			v[i].j = patch_journal_copy(m->journal);
	}
	return v;
}

static void
images_clean(const struct engine *root, struct follow_image *v, size_t n)
{
	if (v == NULL)
		return;
	follow_clean_tree(v, n + 1, follow_ino(root->map.fd, 1));
	for (size_t i = 0; i <= n; i++)
		free(v[i].j);
	free(v);
}

void
tree_undo_children(struct engine *root)
{
	images_clean(root, images_new(root, 0), 0);
}

int
tree_undo(struct engine *root, struct err *e)
{
	size_t n = root->members.n;
	struct follow_image *v = images_new(root, n);
	int rc = engine_undo(root, e);

	for (size_t i = 0; i < n; i++) {
		struct engine *m = root->members.v[i];
		struct err why = { 0 };

		m->in.stop_ms = root->in.stop_ms;
		m->gone |= engine_target_ended(m);
		if (engine_undo(m, &why) != 0)
			m->undo_why = arena_strdup(m->arena, why.msg);
	}
	images_clean(root, v, n);
	return rc;
}

/* At the very end.  What could not be undone is left to its guardian. */
void
tree_free(struct engine *root)
{
	for (size_t i = 0; i < root->members.n; i++) {
		struct engine *m = root->members.v[i];

		engine_guard_end(m, m->undo_why == NULL);
		member_free(m);
	}
	vec_fini(&root->members);
	images_free(root);
	known_free(root);
}

void
tree_report(const struct engine *root, struct buf *out)
{
	uint32_t nlost = root->sh != NULL ? root->sh->nlost : 0;

	if (root->nprograms != 0)
		buf_printf(out,
			   "process %d: programs executed and followed: %u, "
			   "%u of them laid out as others before\n",
			   (int)root->pid, root->nprograms, root->nalike);
	if (nlost != 0)
		buf_printf(out,
			   "process %d: programs executed that were not "
			   "followed: %u%s%s\n",
			   (int)root->pid, nlost,
			   root->lost_why != NULL ? "; the first: " : "",
			   root->lost_why != NULL ? root->lost_why : "");
}
