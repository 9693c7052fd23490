/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_engine.c - the life of an instance of the process engine; the
 * contract is in rt/engine.h, the steps in process_impl.h.
 *
 * An enabling whose clauses all fire in the consumer (BEGIN, END, tick,
 * profile) touches the target not at all: there are no regions then, and no
 * guardian.  So the target may be the consumer itself then.
 *
 * The target may end at any moment.  That is no error here: what it has left
 * in the shared memory is drained like anything else, and whoever waits for
 * the process hears of its end.
 */
#include "engine/process/process_impl.h"
#include "engine/process/inject_impl.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "rt/rt_assoc.h"
#include "unwind/unwind.h"

#define NS_MS	 1000000ull
#define SPARE_PATCHES (1u << 16) /* of code that is mapped later */
#define QUIET_MS 200u /* a firing takes microseconds, if its thread runs */
#define BESIDE_MS     5000u /* others' plans may be of large programs */
#define LEAVE_MS      300u /* to wait for the target when it is to be left */
#define REAP_NS	 (200 * NS_MS)
#define WATCH_NS (20 * NS_MS) /* exit() is noticed within that */
#define HURRY_NS (2 * NS_MS)  /* another program is being loaded */

/* ---- the target ---------------------------------------------------------- */

bool
engine_target_held(const struct engine *eng)
{
	return eng->opts.targets[0].held;
}

bool
engine_target_ended(const struct engine *eng)
{
	struct pollfd p = { .fd = eng->pidfd, .events = POLLIN };

	if (eng->pidfd < 0)
		return kill(eng->pid, 0) != 0 && errno == ESRCH;
	return poll(&p, 1, 0) > 0;
}

/*
 * The tracers may have changed since the last time: held at first, then not.
 * In the place of a guardian that was killed we put things right as we can.
 */
int
engine_target_stop(struct engine *eng, bool all, struct err *e)
{
	bool held = engine_target_held(eng);
	bool self = held || (eng->guard != NULL && !guard_lives(eng->guard));

	eng->in.held = held;
	inject_through(&eng->in, self ? NULL : eng->guard);
	return inject_stop(&eng->in, all, e);
}

int
engine_let_run(struct engine *eng, struct err *e)
{
	if (eng->in.n < 2)
		return 0;
	inject_resume(&eng->in);
	return engine_target_stop(eng, false, e);
}

static int
target_open(struct engine *eng, struct err *e)
{
	eng->pidfd = (int)syscall(SYS_pidfd_open, eng->pid, 0);
	if (eng->pidfd < 0 && errno == ESRCH)
		return inject_ended(eng->pid, e);
	if (inject_open(&eng->in, eng->pid, engine_target_held(eng), e) != 0)
		return -1;
	eng->opened = true;
	return 0;
}

bool
engine_follows(const struct engine *eng)
{
	return eng->sh != NULL && eng->opts.follow && !eng->foreign_pids;
}

bool
engine_several(const struct engine *eng)
{
	return engine_follows(eng) ||
	       (eng->root != NULL ? eng->root : eng)->opts.ntargets > 1;
}

bool
engine_begun(const struct engine *eng)
{
	return eng->root != NULL && !eng->joined && eng->world.fresh;
}

/* ---- load ---------------------------------------------------------------- */

static int
process_probe(struct err *e)
{
	return 0; /* what it needs, it needs of a process */
}

int
engine_target_look(struct engine *eng, struct err *e)
{
	const struct world *beside =
		eng->root != NULL ? &eng->root->world : NULL;
	const bool held = engine_target_held(eng);

	if (eng->pid != getpid() && (beside_begin(eng, BESIDE_MS, e) != 0 ||
				     inject_check(eng->pid, held, e) != 0))
		return -1;
	if (world_open(&eng->world, eng->pid, beside, e) != 0)
		return -1;
	eng->world.fresh = held && follow_threads(eng->pid) == 1;
	return 0;
}

static int
process_make(struct engine *eng, struct err *e)
{
	if (eng->en->sizes.strsize < 1 || eng->en->sizes.strsize > RT_STR_MAX)
		return err_set(e, &ERR_GENERIC, 0,
			       "strsize: must be between 1 and %u", RT_STR_MAX);
	if (eng->en->tab->locals_size > RT_LOCALS)
		return err_set(e, &ERR_GENERIC, 0,
			       "this-> variables take %u bytes; the most is "
			       "%u (lower strsize)",
			       eng->en->tab->locals_size, RT_LOCALS);
	if (engine_target_look(eng, e) != 0)
		return -1;
	if (eng->opts.follow == RTN_FOLLOW_ALL)
		eng->known = hash_new();
	if (plan_make(eng, e) != 0 || map_plan(eng, e) != 0)
		return -1;
	if (eng->pid == getpid() && eng->map.nregions != 0)
		return inject_check(eng->pid, false, e);
	eng->view.maxslots =
		(RTN_HOST_SLOTS + eng->lay.nthreads) * RT_LEVELS;
	return 0;
}

static void process_free(struct engine *eng);

static struct engine *
process_load(const struct dif_enabling *en, const struct engine_opts *opts,
	    struct err *e)
{
	struct engine *eng;

	if (opts->ntargets == 0) {
		err_set(e, &ERR_GENERIC, 0,
			"the process engine works in processes: give them "
			"with -c or -p");
		return NULL;
	}
	eng = calloc(1, sizeof(*eng));
	if (eng == NULL || (eng->arena = arena_new()) == NULL) {
		free(eng);
		err_nomem(e);
		return NULL;
	}
	eng->en = en;
	eng->wants_place =
		(dif_enabling_needs(en) & DIF_NEED_CGROUP) != 0;
	eng->opts = *opts;
	eng->pid = opts->targets[0].pid;
	eng->pidfd = eng->wake = eng->map.fd = eng->in.mem = -1;
	if (process_make(eng, e) != 0) {
		process_free(eng);
		return NULL;
	}
	return eng;
}

/* True if the program has got its libraries. */
static bool
world_has_libc(const struct world *w)
{
	for (size_t i = 0; i < w->objs.n; i++)
		if (world_obj_is_libc(w->objs.v[i]))
			return true;
	return false;
}

/* ---- attach -------------------------------------------------------------- */

/* The guardian first: from then on we may die. */
static int
attach_guard(struct engine *eng, struct err *e)
{
	uint32_t n = 0;

	for (size_t i = 0; i < eng->plan.windows.n; i++) {
		const struct plan_window *pw = &eng->plan.windows.v[i];

		n += pw->w.kind == CODE_WIN_HOP ? 2 : 1;
		n += pw->rooms != 0 ? PATCH_ROOMS : 0;
	}
	for (size_t i = 0; i < eng->plan.groups.n; i++)
		n += eng->plan.groups.v[i].site->sem != 0;
	eng->journal = patch_journal_new(
		eng->pid, n + (later_wanted(eng) ? SPARE_PATCHES : 0), e);
	if (eng->journal == NULL)
		return -1;
	eng->guard = guard_new(eng->journal, eng->in.mem, eng->pidfd, e);
	return eng->guard != NULL ? 0 : -1;
}

/* All threads stand still, to learn how code may know them from each other. */
static int
attach_look(struct engine *eng, bool follow, struct err *e)
{
	if (threads_look(eng, e) != 0)
		return -1;
	/* What was measured without is too short for code with it. */
	eng->fs_self = inject_fs_self(&eng->in, eng->ids, eng->nids) &&
		       (eng->fs_self || !follow) && !eng->plan.bare;
	return threads_may_ask(eng, e);
}

/* Memory in the target; nothing runs there yet. */
static int
attach_map(struct engine *eng, bool follow, struct err *e)
{
	int rc;

	if (eng->map.nregions == 0)
		return map_make(eng, e);
	if ((eng->root == NULL && attach_guard(eng, e) != 0) ||
	    engine_target_stop(eng, true, e) != 0)
		return -1;
	rc = attach_look(eng, follow, e);
	if (rc == 0 && engine_let_run(eng, e) != 0)
		return -1;
	if (rc == 0)
		rc = map_may_call(eng, e);
	if (rc == 0)
		rc = follow ? map_enter(eng, e) : map_make(eng, e);
	inject_resume(&eng->in);
	if (rc != 0 || eng->shared_told)
		return rc;
	return guard_shared(eng->guard, eng->map.fd,
			    eng->root != NULL ? eng->map.head : RTN_OWN, e);
}

static int
attach_host(struct engine *eng, struct err *e)
{
	const struct shared_lay *l = &eng->lay;
	const struct host_in in = {
		.en = &eng->host_en,
		.sh = eng->sh,
		.conf = eng->conf,
		.assoc_lay = eng->assoc_lay,
		.globals = eng->map.mem + l->globals,
		.assoc = l->assoc_size != 0 ?
				 (void *)(eng->map.mem + l->assoc) :
				 NULL,
		.bufsize = l->bufsize,
		.aggsize = l->aggsize,
		.agg_fixed = eng->agg_fixed,
		.pid = eng->pid,
		.mem = eng->in.mem,
		.unw = process_unwind_area(eng),
		.thread_of = shared_thread_of,
		.arg = eng,
	};

	eng->host_en = *eng->en;
	eng->host = host_new(&in, e);
	return eng->host != NULL ? shared_view(eng, e) : -1;
}

/* Attaching failed: the target is to be as it was. */
static void
attach_retract(struct engine *eng)
{
	struct err why = { 0 };

	if (eng->map.ndone == 0 || eng->patched ||
	    engine_target_stop(eng, false, &why) != 0)
		return;
	map_retract(eng);
	inject_resume(&eng->in);
}

/* Memory, code, patches; the target's memory is open. */
int
engine_enter(struct engine *eng, bool follow, struct err *e)
{
	if (attach_map(eng, follow, e) != 0)
		goto fail;
	if (follow)
		shared_follow(eng);
	else if (map_touch(eng, e) != 0 || shared_fill(eng, e) != 0)
		goto fail;
	eng->sh->early = eng->world.fresh && !world_has_libc(&eng->world);
	threads_fill(eng);
	process_unwind_look(eng, true);
	if ((eng->adopts != NULL ? image_code(eng, e) : code_make(eng, e)) != 0)
		goto fail;
	code_shown(eng);
	shared_fill_sys(eng);
	if ((!follow && attach_host(eng, e) != 0) || later_attach(eng, e) != 0)
		goto fail;
	return 0;
fail:
	attach_retract(eng);
	return -1;
}

/*
 * Attaching has failed.  Where the memory that it was to be done in is gone,
 * that is why, whatever could not be found or read first.
 */
static int
attach_failed(struct engine *eng, struct err *e)
{
	if (!eng->opened)
		return -1;
	switch (follow_look(eng->pid, eng->in.mem)) {
	case FOLLOW_ENDED:
		err_clear(e);
		return inject_ended(eng->pid, e);
	case FOLLOW_EXEC:
		err_clear(e);
		return err_set(e, &ERR_GENERIC, 0,
			       "process %d has executed another program while "
			       "its probes were placed: try again",
			       (int)eng->pid);
	default:
		return -1;
	}
}

static int
process_attach(struct engine *eng, struct err *e)
{
	int rc = target_open(eng, e) == 0 && engine_enter(eng, false, e) == 0 &&
				 later_lost(eng, e) == 0 ?
			 0 :
			 -1;

	beside_end(eng);
	if (rc == 0 && eng->opts.follow == RTN_FOLLOW_ALL)
		rc = again_note(eng, 0, e);
	if (rc == 0)
		rc = tree_join(eng, e);
	return rc == 0 ? 0 : attach_failed(eng, e);
}

/* ---- the consumer's wake-up ---------------------------------------------- */

/*
 * Native code does not wake us: a store is all that it can afford.  So one
 * thread looks at ctl.wanted, and tells once until it was heard.  It lets
 * threads go that are about to exec, and then tells all the time.  A thread
 * that waits for probes in new objects wakes it.
 */
static void *
watch_run(void *arg)
{
	struct engine *eng = arg;
	const uint64_t one = 1;
	bool told = false;
	uint32_t poked = 0;

	while (!__atomic_load_n(&eng->watch_end, __ATOMIC_ACQUIRE)) {
		bool wanted = __atomic_load_n(&eng->sh->ctl.wanted,
					      __ATOMIC_ACQUIRE) != 0;
		struct timespec nap = { .tv_nsec = WATCH_NS };
		uint32_t poke = __atomic_load_n(&eng->sh->poke,
						__ATOMIC_SEQ_CST);

		exec_answer(eng);
		if (eng->foreign_pids)
			shared_answer_tids(eng);
		if (exec_hurry(eng)) {
			nap.tv_nsec = HURRY_NS;
			wanted = true;
			told = false;
		}
		if (poke != poked) { /* a thread waits: rtn_maps(),
					rtn_exec() */
			poked = poke;
			wanted = true;
			told = false;
		}
		if (wanted && !told)
			told = write(eng->wake, &one, sizeof(one)) ==
			       (ssize_t)sizeof(one);
		else if (!wanted)
			told = false;
		syscall(SYS_futex, &eng->sh->poke, FUTEX_WAIT, poke,
			&nap, NULL, 0);
	}
	return NULL;
}

static int
watch_start(struct engine *eng, struct err *e)
{
	sigset_t all, was;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	rc = pthread_create(&eng->watch, NULL, watch_run, eng);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	if (rc != 0)
		return err_set(e, &ERR_GENERIC, rc, "cannot create a thread");
	eng->watching = true;
	return 0;
}

static void
watch_stop(struct engine *eng)
{
	if (!eng->watching)
		return;
	__atomic_store_n(&eng->watch_end, true, __ATOMIC_RELEASE);
	pthread_join(eng->watch, NULL);
	eng->watching = false;
}

static int
process_wait_fd(struct engine *eng)
{
	return eng->wake;
}

static void
process_wait_clear(struct engine *eng)
{
	uint64_t n;

	if (read(eng->wake, &n, sizeof(n)) < 0)
		return; /* nobody has poked us */
	__atomic_store_n(&eng->sh->ctl.wanted, 0, __ATOMIC_SEQ_CST);
}

/* ---- running ------------------------------------------------------------- */

static int
process_begin(struct engine *eng, struct err *e)
{
	uint32_t was = RT_ACT_INACTIVE;

	eng->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (eng->wake < 0)
		return err_set(e, &ERR_GENERIC, errno, "eventfd");
	host_begin(eng->host);
	if (!__atomic_compare_exchange_n(&eng->sh->ctl.activity, &was,
					 RT_ACT_ACTIVE, false,
					 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		return 0;
	if (watch_start(eng, e) != 0)
		return -1;
	return host_start(eng->host, &eng->how, e);
}

/* Children of the target that have announced themselves. */
static void
poll_children(struct engine *eng)
{
	uint32_t n = eng->sh->nchildren;

	if (engine_follows(eng))
		return; /* they fire: tree_kin() */
	if (n > RTN_NCHILDREN)
		n = RTN_NCHILDREN; /* the others are silent all the same */
	for (; eng->nchildren_seen < n; eng->nchildren_seen++) {
		uint32_t told = eng->sh->children[eng->nchildren_seen];
		struct err why = { 0 };
		pid_t pid;

		if (told == 0)
			return; /* not written yet */
		pid = eng->journal != NULL ?
			      follow_child(told, eng->foreign_pids) :
			      0;
		if (pid != 0 && pid != eng->pid)
			follow_clean_child(eng->journal, pid, &why);
	}
}

bool
engine_changed(struct engine *eng)
{
	enum follow_state st = follow_look(eng->pid, eng->in.mem);

	if (st == FOLLOW_SAME)
		return false;
	if (st == FOLLOW_ENDED)
		exec_ended(eng);
	eng->gone = true;
	eng->exec_ns = 0;
	/* What is to be undone in children is of the program that was. */
	if (st == FOLLOW_EXEC && eng->root == NULL &&
	    eng->opts.follow != RTN_FOLLOW_ALL)
		tree_undo_children(eng);
	/* It executes one program after the other: see exec_poll(). */
	if (st == FOLLOW_EXEC && !engine_target_held(eng) &&
	    !(engine_follows(eng) && eng->opts.follow == RTN_FOLLOW_ALL) &&
	    (eng->plan.sys_entry || eng->plan.sys_return))
		__atomic_store_n(&eng->follow_ns, clock_mono_ns(),
				 __ATOMIC_RELEASE);
	else if (st == FOLLOW_EXEC)
		exec_functions_gone(eng);
	for (uint32_t i = 0; st == FOLLOW_EXEC && eng->journal != NULL &&
			     i < eng->journal->n;
	     i++)
		eng->journal->p[i].state = PATCH_UNDONE;
	return true;
}

static int
engine_poll(struct engine *eng, struct err *e)
{
	uint64_t now = clock_mono_ns();

	if (eng->sh == NULL ||
	    (eng->gone && eng->follow_ns == 0 && !engine_several(eng)))
		return 0;
	clock_adjust(&eng->clock);
	tree_kin(eng);
	tree_poll(eng, now);
	if (engine_target_ended(eng)) {
		exec_ended(eng);
		tree_ended(eng, eng);
		eng->gone = true;
		eng->follow_ns = 0;
		if (engine_several(eng) && now >= eng->next_reap_ns) {
			eng->next_reap_ns = now + REAP_NS;
			shared_reap(eng);
		}
		return 0;
	}
	if (eng->follow_ns != 0)
		exec_poll(eng, now);
	if (eng->gone)
		return 0;
	process_unwind_look(eng, false);
	if (eng->map.nregions == 0)
		return 0;
	poll_children(eng);
	if ((now < eng->next_reap_ns && !exec_hurry(eng)) ||
	    engine_changed(eng) || now < eng->next_reap_ns)
		return 0;
	eng->next_reap_ns = now + REAP_NS;
	shared_reap(eng);
	shared_place(eng);
	return 0;
}

/* ---- stop ---------------------------------------------------------------- */

/*
 * Nobody comes into our code any more, but some threads were there still when
 * the text was put back.  Those that run are out of it in no time, or come to
 * wait in a system call, from which they are taken out.
 */
static void
target_leave(struct engine *eng)
{
	/* Longer and longer, for those that wait for a processor. */
	static const uint8_t wait_ms[] = { 1, 10, 40 };
	struct err why = { 0 };

	for (size_t i = 0; i < sizeof(wait_ms) && eng->map.ndone != 0; i++) {
		nanosleep(&(struct timespec){ .tv_nsec = wait_ms[i] *
							 (long)NS_MS },
			  NULL);
		if (engine_target_stop(eng, true, &why) != 0)
			return;
		later_back(eng);
		map_leave(eng);
		inject_resume(&eng->in);
	}
}

/*
 * Text put back.  Where that cannot be done now (a debugger has come to hold
 * the target), the guardian is left to do it as soon as it can.
 */
int
engine_undo(struct engine *eng, struct err *e)
{
	struct err why = { 0 };
	int rc, lock;

	if (!eng->patched || eng->gone || engine_changed(eng))
		return 0;
	lock = beside_lock(eng->pid, LEAVE_MS);
	rc = engine_target_stop(eng, true, &why);
	if (rc != 0)
		beside_unlock(lock);
	if (rc != 0) {
		if (engine_target_ended(eng))
			return 0;
		return err_set(e, why.tag, 0, "%s", why.msg);
	}
	rc = patch_undo_all(eng->journal, &eng->in, &why);
	if (rc == 0) {
		later_back(eng);
		map_leave(eng);
	}
	inject_resume(&eng->in);
	beside_unlock(lock);
	if (rc == 0)
		target_leave(eng);
	if (rc != 0 && !engine_target_ended(eng))
		return err_set(e, why.tag, 0, "%s", why.msg);
	eng->patched = false;
	return 0;
}

/* One that was killed has a successor, if that may trace: of us, whom Yama
   would let, it is a child, and a stranger to the target. */
static bool
guard_tries_on(struct engine *eng)
{
	struct err why = { 0 };

	if (eng->guard == NULL)
		return false;
	return guard_lives(eng->guard) ||
	       ((geteuid() == 0 || inject_yama() == 0) &&
		guard_renew(eng->guard, eng->in.mem, eng->pidfd, &why) == 0);
}

void
engine_guard_end(struct engine *eng, bool undone)
{
	if (eng->guard == NULL)
		return;
	if (undone || !guard_tries_on(eng))
		guard_free(eng->guard);
	else
		guard_leave(eng->guard);
	eng->guard = NULL;
}

static bool
process_guarded(const struct engine *eng)
{
	const struct guard *g = __atomic_load_n(&eng->guard, __ATOMIC_ACQUIRE);

	return g == NULL || guard_lives(g);
}

static int
process_stop(struct engine *eng, struct err *e)
{
	int rc;

	host_stop(eng->host);
	__atomic_store_n(&eng->sh->ctl.activity, RT_ACT_DRAINING,
			 __ATOMIC_SEQ_CST);
	watch_stop(eng);
	if (engine_target_ended(eng)) {
		exec_ended(eng);
		eng->gone = true;
	}
	shared_quiet(eng, QUIET_MS);
	eng->in.stop_ms = LEAVE_MS;
	rc = tree_undo(eng, e);
	tree_kin(eng);
	poll_children(eng);
	if (rc == 0 || !guard_tries_on(eng))
		return rc;
	/* What was traced is complete; the guardian goes on trying. */
	eng->undo_why = arena_strdup(eng->arena, e->msg);
	err_clear(e);
	return 0;
}

static int
process_end(struct engine *eng, struct err *e)
{
	host_end(eng->host);
	__atomic_store_n(&eng->sh->ctl.activity, RT_ACT_STOPPED,
			 __ATOMIC_SEQ_CST);
	return 0;
}

void
engine_release(struct engine *eng)
{
	if (eng->journal != NULL)
		patch_journal_free(eng->journal);
	if (eng->opened)
		inject_close(&eng->in);
	if (eng->pidfd >= 0)
		close(eng->pidfd);
	if (eng->wake >= 0)
		close(eng->wake);
	vec_fini(&eng->patches);
	vec_fini(&eng->moves);
	vec_fini(&eng->fresh);
	vec_fini(&eng->again);
	vec_fini(&eng->texts);
	if (eng->begun != NULL)
		vec_fini(eng->begun);
	free(eng->self_vars);
	plan_fini(&eng->plan);
	world_close(&eng->world);
	arena_free(eng->arena);
	free(eng);
}

static void
process_free(struct engine *eng)
{
	struct err why = { 0 };

	if (eng == NULL)
		return;
	if (eng->sh != NULL)
		__atomic_store_n(&eng->sh->ctl.activity, RT_ACT_STOPPED,
				 __ATOMIC_SEQ_CST);
	if (eng->host != NULL)
		host_stop(eng->host);
	watch_stop(eng);
	beside_end(eng);
	if (eng->undo_why == NULL)
		(void)engine_undo(eng, &why);
	tree_free(eng);
	engine_guard_end(eng, !err_is_set(&why) && eng->undo_why == NULL);
	host_free(eng->host);
	shared_view_fini(eng);
	unwind_free(eng->unwind);
	map_free(eng);
	engine_release(eng);
}

/* ---- the consumer's side ------------------------------------------------- */

static const struct rt_view *
process_view(struct engine *eng)
{
	return shared_view_now(eng);
}

static bool
engine_left(const struct engine *eng)
{
	return eng->undo_why != NULL;
}

static void
report_member(const struct engine *m, struct buf *out)
{
	uint32_t places = plan_places(m);

	buf_printf(out, "process %d: probes at %u place%s\n", (int)m->pid,
		   places, BUF_S(places));
}

/* Also what another tracer was quicker at, between our look and our write. */
static uint32_t
engine_left_out(struct engine *eng)
{
	return plan_left_out(eng) + eng->nlost;
}

static void
engine_report(struct engine *eng, struct buf *out)
{
	plan_report(eng, out);
	for (size_t i = 0; i < eng->members.n; i++)
		if (eng->members.v[i]->joined)
			report_member(eng->members.v[i], out);
	if (eng->lay.nthreads < RTN_NTHREADS)
		buf_printf(out,
			   "process %d: memory is short there: at most %u "
			   "threads can fire\n",
			   (int)eng->pid, eng->lay.nthreads);
	if (eng->nlost != 0)
		buf_printf(out, "process %d: places that had changed since they "
				"were looked at (another tracer's probes?), "
				"and were left alone: %u\n",
			   (int)eng->pid, eng->nlost);
	if (eng->nlater != 0)
		buf_printf(out, "process %d: objects mapped since: %u\n",
			   (int)eng->pid, eng->nlater);
	if (eng->later_why != NULL)
		buf_printf(out,
			   "process %d: probes in objects mapped since were "
			   "left out: %s\n",
			   (int)eng->pid, eng->later_why);
	if (eng->nfollowed != 0)
		buf_printf(out,
			   "process %d: other programs executed: %u; what each "
			   "did before its C library was there was not seen\n",
			   (int)eng->pid, eng->nfollowed);
	tree_report(eng, out);
	if (engine_follows(eng) && eng->sh->nfollowed != 0)
		buf_printf(out, "process %d: forked children that fired: %u\n",
			   (int)eng->pid, eng->sh->nfollowed);
	if (eng->left != NULL)
		buf_printf(out,
			   "process %d: runs another program, and cannot be "
			   "traced there: %s\n",
			   (int)eng->pid, eng->left);
	if (eng->undo_why != NULL)
		buf_printf(out, "process %d: its text is put back later: %s\n",
			   (int)eng->pid, eng->undo_why);
	if (eng->how != NULL)
		buf_printf(out, "process %d: %s\n", (int)eng->pid, eng->how);
	if (eng->unwind != NULL) {
		buf_printf(out, "process %d: ", (int)eng->pid);
		unwind_report(eng->unwind, out);
	}
	tail_report(eng, out);
	died_report(eng, out);
}

static const char *
engine_notice(struct engine *eng)
{
	const char *say = tail_notice(eng);

	if (say == NULL)
		say = exec_notice(eng);
	if (say == NULL && eng->turn_missed && !eng->turn_told) {
		eng->turn_told = true;
		say = proc_turn_missed;
	}
	return say;
}

const struct engine_ops process_engine_ops = {
	.name = "process",
	.probe = process_probe,
	.load = process_load,
	.attach = process_attach,
	.begin = process_begin,
	.stop = process_stop,
	.end = process_end,
	.free = process_free,
	.view = process_view,
	.wait_fd = process_wait_fd,
	.wait_clear = process_wait_clear,
	.grace = shared_grace,
	.poll = engine_poll,
	.mapped = engine_mapped,
	.extend = engine_extend,
	.left_out = engine_left_out,
	.report = engine_report,
	.guarded = process_guarded,
	.left = engine_left,
	.python = process_unwind_python,
	.died = process_died,
	.notice = engine_notice,
};
