/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_run.c - the engines that run a trace: one instance of the kernel engine
 * at most, and one of the process engine for each process.
 *
 * go: the enabling of the whole trace, its components, their placement; then
 * instances, which are all loaded and attached before any begins.  When a
 * process turns out not to be had (a debugger holds it, its code cannot be
 * understood), it is noted as denied, everything is taken down, and placement
 * is done anew: what the kernel engine can serve goes there.  One that could be
 * had at some risk (ERR_RATHER) is had if the kernel engine cannot serve it.
 *
 * exit() in one instance ends the others as soon as the consumer sees it.  END
 * runs when all are silent and what they left has been consumed.
 */
#include "lib/dt_impl.h"
#include "lib/dt_probeapi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proc/proc_fs.h"
#ifdef DT_ENGINE_PROCESS /* not on every machine */
#include "engine/process/process.h"
#endif

/* ---- the world ----------------------------------------------------------- */

#ifdef DT_ENGINE_PROCESS
static const struct engine_ops *const process_ops = &process_engine_ops;
#else
static const struct engine_ops *const process_ops = NULL;
#endif

bool
dt_is_process(const struct dt_engine *de)
{
	return process_ops != NULL && de->ops == process_ops;
}

/* The option's words. */
enum { ENGINE_AUTO, ENGINE_KERNEL, ENGINE_PROCESS, ENGINE_TARGET };
enum { FOLLOW_ALL = 2 };

/* NULL: this engine can run here.  It is asked once for the handle: to be told
   costs the kernel engine some programs and maps. */
static const char *
world_missing(dtrace_hdl_t *dtp, const struct engine_ops *ops)
{
	struct dt_missing *m = &dtp->missing[ops == &bpf_engine_ops];
	struct err e;

	if (ops == NULL)
		return "has no " MACHINE_NAME " yet";
	if (m->asked)
		return m->why;
	err_clear(&e);
	m->asked = true;
	if (ops->probe(&e) != 0) {
		m->why = arena_strdup(dtp->arena, e.msg);
		if (m->why == NULL)
			m->why = "cannot be had, and there is no memory to "
				 "say why";
	}
	dt_debug(dtp, "the %s engine %s", ops->name,
		 m->why != NULL ? m->why : "can be had");
	return m->why;
}

/* True if what looks at one process alone is to be in that process. */
static bool
world_near(dtrace_hdl_t *dtp)
{
	const int64_t force = dtp->opt[DT_OPT_engine];

	if (process_ops == NULL || force == ENGINE_KERNEL)
		return false;
	return force != ENGINE_AUTO ||
	       world_missing(dtp, &bpf_engine_ops) != NULL;
}

static void
world_init(dtrace_hdl_t *dtp, struct dt_world *w)
{
	int64_t force = dtp->opt[DT_OPT_engine];

	*w = (struct dt_world){
		.force = force == ENGINE_KERNEL	 ? DIF_ENG_K :
			 force == ENGINE_PROCESS ? DIF_ENG_P : 0,
		.near = force == ENGINE_TARGET,
		.target = dt_proc_only(dtp), .self = (int32_t)getpid(),
		.denied = dtp->denied.v, .ndenied = dtp->denied.n,
	};
	w->no_tree = dtp->follow_given && dtp->opt[DT_OPT_follow] != FOLLOW_ALL;
	w->no_kernel = world_missing(dtp, &bpf_engine_ops);
	w->no_process = world_missing(dtp, process_ops);
	if (w->no_process == NULL && dtp->optstr[DT_OPT_cgroup] != NULL)
		w->no_process = "does not select processes (-x cgroup)";
}

/* ---- instances ----------------------------------------------------------- */

static const struct engine_ops *
ops_of(const struct dt_placed *pl)
{
	return pl->engine == DIF_ENG_K ? &bpf_engine_ops : process_ops;
}

/* The instance of an engine for a process, or NULL. */
static struct dt_engine *
engine_find(const dtrace_hdl_t *dtp, const struct engine_ops *ops, int32_t pid)
{
	for (uint32_t i = 0; i < dtp->nengines; i++) {
		struct dt_engine *de = &dtp->engines[i];
		if (de->ops == ops && de->target.pid == pid)
			return de;
	}
	return NULL;
}

/* True if the instance is the one for a placement, or one of those. */
static bool
engine_serves(const dtrace_hdl_t *dtp, const struct dt_engine *de,
	      const struct dt_placed *pl)
{
	if (de->ops != ops_of(pl))
		return false;
	if (pl->pid == DT_PID_JOINED)
		return de->njoined != 0;
	if (pl->pid != DT_PID_SEVERAL)
		return de->target.pid == pl->pid;
	for (struct ps_prochandle *p = dtp->procs; p != NULL; p = p->next)
		if (proc_pid(p->target.proc) == de->target.pid)
			return true;
	return false;
}

/* The instance for a placement in one process, with its reason. */
static int
engine_want(dtrace_hdl_t *dtp, const struct dt_placed *pl, int32_t pid)
{
	const struct engine_ops *ops = ops_of(pl);
	struct dt_engine *de = engine_find(dtp, ops, pid);

	if (de == NULL) {
		de = &dtp->engines[dtp->nengines++];
		*de = (struct dt_engine){ .ops = ops, .why = pl->why };
		if (pid != 0)
			de->target = dt_proc_target(dtp, pid);
		return 0;
	}
	if (strstr(de->why, pl->why) != NULL)
		return 0;
	de->why = arena_printf(dtp->en_arena, "%s; %s", de->why, pl->why);
	return de->why != NULL ? 0 : dt_nomem(dtp);
}

struct joined {
	VEC(struct engine_target) v;
};

static int
joined_add(dtrace_hdl_t *dtp, struct joined *j, int32_t pid)
{
	for (size_t i = 0; i < j->v.n; i++)
		if (j->v.v[i].pid == pid)
			return 0;
	return vec_push(&j->v, dt_proc_target(dtp, pid)) ? 0 : dt_nomem(dtp);
}

/* The processes of the trace: its own, and those that probes name. */
static int
joined_find(dtrace_hdl_t *dtp, struct joined *j)
{
	const struct dif_enabling *en = &dtp->en;

	for (struct ps_prochandle *p = dtp->procs; p != NULL; p = p->next)
		if (joined_add(dtp, j, proc_pid(p->target.proc)) != 0)
			return -1;
	for (uint32_t p = 0; p < en->nprobes; p++)
		for (uint32_t s = 0; s < en->probes[p].nsites; s++) {
			const int32_t pid = en->probes[p].sites[s].pid;

			if (pid != 0 && joined_add(dtp, j, pid) != 0)
				return -1;
		}
	return 0;
}

/* One instance for all of them: that of the first. */
static int
engine_join(dtrace_hdl_t *dtp, const struct dt_placed *pl)
{
	struct joined j = { 0 };
	struct dt_engine *de;
	int rc = joined_find(dtp, &j);

	if (rc == 0)
		rc = engine_want(dtp, pl, j.v.v[0].pid);
	if (rc == 0) {
		de = engine_find(dtp, process_ops, j.v.v[0].pid);
		de->joined = arena_memdup(dtp->en_arena, j.v.v,
					  j.v.n * sizeof(*j.v.v));
		de->njoined = (uint32_t)j.v.n;
		rc = de->joined != NULL ? 0 : dt_nomem(dtp);
	}
	vec_fini(&j.v);
	return rc;
}

/* Make the instances of one engine, as placed; each with all its reasons. */
static int
engines_new(dtrace_hdl_t *dtp, const struct dt_placed *placed, uint32_t n,
	    unsigned engine)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct dt_placed *pl = &placed[i];
		if (pl->engine != engine)
			continue;
		if (pl->pid == DT_PID_JOINED) {
			if (engine_join(dtp, pl) != 0)
				return -1;
			continue;
		}
		if (pl->pid != DT_PID_SEVERAL) {
			if (engine_want(dtp, pl, pl->pid) != 0)
				return -1;
			continue;
		}
		for (struct ps_prochandle *p = dtp->procs; p != NULL;
		     p = p->next)
			if (engine_want(dtp, pl, proc_pid(p->target.proc)) != 0)
				return -1;
	}
	return 0;
}

/* A program that asks what becomes of processes, without a word about which,
   has all of the tree followed. */
static void
engines_follow(dtrace_hdl_t *dtp, const struct dt_comps *comps,
	       const struct dt_placed *placed)
{
	for (uint32_t i = 0; i < comps->n; i++)
		if (comps->v[i].tree && placed[i].engine == DIF_ENG_P)
			dtp->opt[DT_OPT_follow] = FOLLOW_ALL;
}

static int
engines_part(dtrace_hdl_t *dtp, const struct dt_comps *comps,
	     const struct dt_placed *placed)
{
	bool *pick = arena_calloc(dtp->en_arena, dtp->en.nclauses + (size_t)1,
				  sizeof(*pick));

	if (pick == NULL)
		return dt_nomem(dtp);
	for (uint32_t i = 0; i < dtp->nengines; i++) {
		struct dt_engine *de = &dtp->engines[i];
		for (uint32_t c = 0; c < dtp->en.nclauses; c++)
			pick[c] = engine_serves(dtp, de,
						&placed[comps->of[c]]);
		if (dt_enabling_part(dtp, de, pick) != 0)
			return -1;
	}
	return 0;
}

/* What instances are made from. */
struct start {
	struct dt_world w;
	struct dt_comps comps;
};

/* From programs to instances that can be loaded. */
static int
engines_make(dtrace_hdl_t *dtp, struct start *st)
{
	struct dt_comps *comps = &st->comps;
	bool priv;

	dtp->ecbs = NULL;
	dtp->necbs = 0;
	if ((dt_narrow_may(dtp) && world_near(dtp) && dt_narrow(dtp) != 0) ||
	    dt_enabling_make(dtp) != 0)
		return -1;
	struct arena *a = dtp->en_arena;
	world_init(dtp, &st->w);
	if (dt_comps_make(a, &dtp->en, comps, &dtp->err) != 0)
		return dt_fail(dtp, EDT_NOMEM);
	struct dt_placed *placed = arena_calloc(a, comps->n + (size_t)1,
						sizeof(*placed));
	size_t most = comps->n + (size_t)1;
	for (struct ps_prochandle *p = dtp->procs; p != NULL; p = p->next)
		most++;
	dtp->engines = arena_calloc(a, most, sizeof(*dtp->engines));
	if (placed == NULL || dtp->engines == NULL)
		return dt_nomem(dtp);
	if (dt_place(a, comps, &st->w, placed, &priv, &dtp->err) != 0)
		return dt_fail(dtp, priv ? EDT_PRIV : EDT_ENABLE);
	engines_follow(dtp, comps, placed);
	/* The process engine first: it is the one that may be refused. */
	if (engines_new(dtp, placed, comps->n, DIF_ENG_P) != 0 ||
	    engines_new(dtp, placed, comps->n, DIF_ENG_K) != 0)
		return -1;
	return engines_part(dtp, comps, placed);
}

/* ---- starting ------------------------------------------------------------ */

/* Policy fill: buffers may be full when END comes, and are its alone then. */
static int
engine_end_fits(dtrace_hdl_t *dtp, const struct dt_engine *de)
{
	const struct dif_enabling *en = &de->en;
	uint64_t need = 0;

	for (uint32_t i = 0; i < en->necbs; i++) {
		const struct dif_probe *p = &en->probes[en->ecbs[i].probe];
		if (p->nsites > 0 && p->sites[0].kind == DIF_SITE_END)
			need += en->clauses[en->ecbs[i].clause]->recsize;
	}
	if (dtp->opt[DT_OPT_bufpolicy] != RT_BUF_FILL ||
	    need <= dt_view(de)->bufsize)
		return 0;
	return err_set(&dtp->err, &ERR_GENERIC, 0,
		       "END enablings exceed size of principal buffer");
}

/* What engines must know of control groups. */
static int
load_cgroups(dtrace_hdl_t *dtp, const struct dt_engine *de,
	     struct engine_opts *opts)
{
	const char *path = dtp->optstr[DT_OPT_cgroup];
	struct proc_cgroup_place p;

	if (path == NULL &&
	    (dif_enabling_needs(&de->en) & DIF_NEED_CGROUP) == 0)
		return 0;
	opts->cgroup_root = proc_cgroup_root(NULL, 0);
	if (path == NULL)
		return 0;
	if (proc_cgroup_find(path, &p, &dtp->err) != 0)
		return -1;
	opts->cgroup = (struct engine_cgroup){ .id = p.id, .level = p.level,
					       .last = p.last };
	return 0;
}

/* Placement may still be done anew without that process: see engines_deny(). */
static bool
load_cautious(const dtrace_hdl_t *dtp, const struct dt_engine *de)
{
	for (size_t i = 0; i < dtp->denied.n; i++)
		if (dtp->denied.v[i].pid == de->target.pid)
			return false;
	return dtp->opt[DT_OPT_engine] == ENGINE_AUTO ||
	       dtp->opt[DT_OPT_engine] == ENGINE_TARGET;
}

static int
engine_load(dtrace_hdl_t *dtp, struct dt_engine *de)
{
	struct engine_opts opts = {
		.bufsize = (uint64_t)dtp->opt[DT_OPT_bufsize],
		.aggsize = (uint64_t)dtp->opt[DT_OPT_aggsize],
		.dynvarsize = (uint64_t)dtp->opt[DT_OPT_dynvarsize],
		.bufpolicy = (enum rt_policy)dtp->opt[DT_OPT_bufpolicy],
		.bufresize_manual = dtp->opt[DT_OPT_bufresize] == 1,
		.only_cpu = dtp->opt[DT_OPT_cpu] == DTRACEOPT_UNSET ?
				    -1 : (int)dtp->opt[DT_OPT_cpu],
		.destructive = dt_opt_on(dtp, DT_OPT_destructive),
		.debug = dt_opt_on(dtp, DT_OPT_debug) ||
			 ((dtp->cflags & DTRACE_C_DIFV) &&
			  (dtp->opt[DT_OPT_disasm] & DT_DISASM_CODE)),
		.targets = de->njoined != 0 ? de->joined : &de->target,
		.ntargets = de->njoined != 0 ? de->njoined :
					       de->target.pid != 0,
		.target_pid = (int32_t)dtp->target,
		.cautious = load_cautious(dtp, de),
		.kernel_may = world_missing(dtp, &bpf_engine_ops) == NULL,
		.follow = (uint32_t)dtp->opt[DT_OPT_follow],
		.execs_told = dt_follow_tells_execs(dtp, de->target.pid),
		.spare_probes = dt_is_process(de) ?
					dt_later_probes(de) :
					dt_later_kernel(dtp, de),
		.files = &de->files,
		.kin = dt_files_kin(dtp, de),
	};

	if (load_cgroups(dtp, de, &opts) != 0)
		return -1;
	dt_files_init(dtp, &de->files);
	de->eng = de->ops->load(&de->en, &opts, &dtp->err);
	if (de->eng == NULL)
		return -1;
	de->seen = calloc(dt_view(de)->maxslots + (size_t)1,
			  sizeof(*de->seen));
	return de->seen != NULL ? 0 : err_nomem(&dtp->err);
}

/* All loaded, then all attached.  -1: dtp->err, and *failed did not; NULL: it
   is no engine's fault. */
static int
engines_attach(dtrace_hdl_t *dtp, struct dt_engine **failed)
{
	for (uint32_t i = 0; i < dtp->nengines; i++) {
		struct dt_engine *de = *failed = &dtp->engines[i];
		if (engine_load(dtp, de) != 0)
			return -1;
		if (i > 0)
			de->flow0 = de[-1].flow0 +
				    dt_view(&de[-1])->maxslots / RT_LEVELS;
	}
	for (uint32_t i = 0; i < dtp->nengines; i++) {
		struct dt_engine *de = *failed = &dtp->engines[i];
		if (dt_text_attach(dtp, de) != 0)
			return -1;
		*failed = NULL; /* the other engine would not do better */
		if (engine_end_fits(dtp, de) != 0 ||
		    dt_specs_init(dtp, de) != 0)
			return -1;
	}
	return 0;
}

/* Note it; engine_load() or attach() has said why, in its first line. */
static bool
deny(dtrace_hdl_t *dtp, int32_t pid, uint32_t clause)
{
	struct dt_denied d = { .pid = pid,
			       .clause = clause,
			       .rather = dtp->err.tag == &ERR_RATHER };
	size_t n = strcspn(dtp->err.msg, "\n");

	if (n > 0 && dtp->err.msg[n] != '\0' && dtp->err.msg[n - 1] == ':')
		n--; /* the verifier's words follow */
	d.why = arena_strndup(dtp->arena, dtp->err.msg, n);
	return d.why != NULL && vec_push(&dtp->denied, d);
}

/* A clause of the component that the instance has refused; DT_NO_CLAUSE: that
   is not known. */
static uint32_t
refused_clause(const dtrace_hdl_t *dtp, const struct dt_engine *failed)
{
	const struct src_loc *at = &dtp->err.loc;

	for (uint32_t c = 0; at->line != 0 && c < dtp->en.nclauses; c++) {
		const struct src_loc *l = &dtp->en.clauses[c]->loc;
		if (failed->clause_of[c] != DT_NO_CLAUSE &&
		    l->line == at->line && l->col == at->col &&
		    l->file == at->file)
			return c;
	}
	return DT_NO_CLAUSE;
}

/* The option that would have worked. */
static void
refused_hint(dtrace_hdl_t *dtp, enum dt_other how)
{
	struct err *e = &dtp->err;
	size_t n = strlen(e->msg);
	char sep = memchr(e->msg, '\n', n) != NULL ? '\n' : ' ';

	if (how == DT_OTHER_ASKED)
		snprintf(e->msg + n, sizeof(e->msg) - n,
			 "%c(-x engine=process can)", sep);
	if (how == DT_OTHER_ALONE)
		snprintf(e->msg + n, sizeof(e->msg) - n,
			 "%c(-x engine=process can, where it looks at its "
			 "process alone)", sep);
}

/* The kernel engine has refused a component: true if the process engine is to
   have it, or others of which it is one. */
static bool
deny_kernel(dtrace_hdl_t *dtp, const struct dt_engine *failed,
	    const struct start *st)
{
	const uint32_t named = refused_clause(dtp, failed);
	enum dt_other best = DT_OTHER_NOT;
	bool any = false;

	for (uint32_t c = 0; c < dtp->en.nclauses; c++) {
		uint32_t i = st->comps.of[c];
		enum dt_other how;
		if (failed->clause_of[c] == DT_NO_CLAUSE ||
		    (named != DT_NO_CLAUSE && named != c))
			continue;
		how = dt_place_other(dtp->en_arena, &st->comps.v[i], &st->w);
		if (how == DT_OTHER_RUNS && !deny(dtp, 0, c))
			return false;
		any |= how == DT_OTHER_RUNS;
		best = how > best ? how : best;
	}
	if (!any)
		refused_hint(dtp, best);
	return any;
}

/*
 * True if placement may be done anew without what this instance could not have.
 * Then everything is taken down, and it is.
 */
static bool
engines_deny(dtrace_hdl_t *dtp, const struct dt_engine *failed,
	     const struct start *st)
{
	const bool rather = dtp->err.tag == &ERR_RATHER;
	int32_t pid = failed != NULL ? failed->target.pid : 0;

	if (failed == NULL || dtp->err.tag == &ERR_NOMEM)
		return false;
	if (pid == 0 ? !deny_kernel(dtp, failed, st) :
		       st->w.force != 0 ||
			       (st->w.no_kernel != NULL && !rather) ||
			       !deny(dtp, pid, DT_NO_CLAUSE))
		return false;
	dt_run_free(dtp);
	err_clear(&dtp->err);
	return true;
}

static int
engines_start(dtrace_hdl_t *dtp)
{
	struct dt_engine *failed = NULL;
	struct start st;

	do {
		if (engines_make(dtp, &st) != 0)
			return -1;
		if (engines_attach(dtp, &failed) == 0)
			return 0;
	} while (engines_deny(dtp, failed, &st));
	return dt_fail(dtp, EDT_ENABLE);
}

/* BEGIN in one instance after the other, until one calls exit(). */
static int
engines_begin(dtrace_hdl_t *dtp)
{
	for (uint32_t i = 0; i < dtp->nengines && !dt_exited(dtp); i++) {
		struct dt_engine *de = &dtp->engines[i];
		if (de->ops->begin(de->eng, &dtp->err) != 0)
			return dt_fail(dtp, EDT_ENABLE);
	}
	return 0;
}

/* The bounds of cleanrate are historical. */
#define CLEAN_LEAST 200000	/* ns: 5000hz */
#define CLEAN_MOST  60000000000 /* once a minute */

/* Options say from now on what there is, which may be less than was asked for;
   who asked may compare. */
static void
go_sizes(dtrace_hdl_t *dtp)
{
	uint64_t buf = UINT64_MAX, agg = UINT64_MAX;

	for (uint32_t i = 0; i < dtp->nengines; i++) {
		const struct rt_view *v = dt_view(&dtp->engines[i]);
		if (v->buf != NULL && v->bufsize < buf)
			buf = v->bufsize;
		if (v->agg != NULL && v->aggsize < agg)
			agg = v->aggsize;
	}
	if (buf < (uint64_t)dtp->opt[DT_OPT_bufsize])
		dtp->opt[DT_OPT_bufsize] = (int64_t)buf;
	if (agg < (uint64_t)dtp->opt[DT_OPT_aggsize])
		dtp->opt[DT_OPT_aggsize] = (int64_t)agg;
	if (dtp->opt[DT_OPT_cleanrate] < CLEAN_LEAST)
		dtp->opt[DT_OPT_cleanrate] = CLEAN_LEAST;
	if (dtp->opt[DT_OPT_cleanrate] > CLEAN_MOST)
		dtp->opt[DT_OPT_cleanrate] = CLEAN_MOST;
}

static int
go_engines(dtrace_hdl_t *dtp)
{
	if (engines_start(dtp) != 0)
		return -1;
	go_sizes(dtp);
	dtp->aggs = dt_aggs_new(dtp->en.tab, &dtp->out->syms, &dtp->err);
	if (dtp->aggs == NULL)
		return dt_nomem(dtp);
	if (dt_opt_on(dtp, DT_OPT_aggpercpu))
		dt_aggs_set_percpu(dtp->aggs);
	return engines_begin(dtp);
}

int
dtrace_go(dtrace_hdl_t *dtp)
{
	if (dtp->active || dtp->stopped)
		return dt_set_err(dtp, EDT_ACTIVE, "%s",
				  dtrace_errmsg(NULL, EDT_ACTIVE));
	if (dtp->flags & DTRACE_O_NODEV)
		return dt_set_err(dtp, EDT_UNSUP, "the handle was opened for "
						  "compiling only");
	err_clear(&dtp->err);
	if (dt_limit_apply(dtp) != 0 || dt_json_begin(dtp) != 0)
		return -1;
	if (go_engines(dtp) != 0) {
		dt_json_free(dtp);
		dt_run_free(dtp);
		dt_aggs_free(dtp->aggs);
		dtp->aggs = NULL;
		return -1;
	}
	/* Programs and trampolines have symbols, which who read them before
	   does not know. */
	ksym_refresh(dtp->env.procs);
	dtp->active = true;
	dtp->last_switch = dtp->last_agg = dt_now();
	dtp->last_status = dtp->last_drops = dtp->last_switch;
	dtp->last_clean = dtp->last_switch;
	dtp->speculates = dt_specs_wanted(&dtp->en);
	return 0;
}

/* ---- running ------------------------------------------------------------- */

bool
dt_exited(const dtrace_hdl_t *dtp)
{
	for (uint32_t i = 0; i < dtp->nengines; i++) {
		const struct rt_ctl *ctl = dt_view(&dtp->engines[i])->ctl;
		if (__atomic_load_n(&ctl->exited, __ATOMIC_ACQUIRE) != 0)
			return true;
	}
	return false;
}

bool
dt_filled(const dtrace_hdl_t *dtp)
{
	for (uint32_t i = 0; i < dtp->nengines; i++) {
		const struct rt_ctl *ctl = dt_view(&dtp->engines[i])->ctl;
		if (ctl->filled != 0)
			return true;
	}
	return false;
}

int
dtrace_exit_status(dtrace_hdl_t *dtp)
{
	for (uint32_t i = 0; i < dtp->nengines; i++) {
		const struct rt_ctl *ctl = dt_view(&dtp->engines[i])->ctl;
		if (__atomic_load_n(&ctl->exited, __ATOMIC_ACQUIRE) != 0)
			return ctl->exit_status;
	}
	return 0;
}

/* Files in which the trace's processes name the code that they make are found
   while they run: stacks are often printed when they have ended. */
static void
poll_names(dtrace_hdl_t *dtp)
{
	struct proc *p = NULL;
	bool walks = false;

	for (uint32_t c = 0; c < dtp->en.nclauses && !walks; c++)
		walks = dif_clause_walks(dtp->en.clauses[c]);
	while (walks && (p = proc_next_held(dtp->env.procs, p)) != NULL)
		if (dtp->jstack)
			proc_jit_ask(p);
		else
			proc_jit_seen(p);
}

int
dt_run_poll(dtrace_hdl_t *dtp)
{
	err_clear(&dtp->err);
	poll_names(dtp);
	for (uint32_t i = 0; i < dtp->nengines; i++) {
		struct dt_engine *de = &dtp->engines[i];
		if (de->ops->poll != NULL &&
		    de->ops->poll(de->eng, &dtp->err) != 0)
			return dt_fail(dtp, EDT_ENABLE);
		if (dt_later_poll(dtp, de) != 0 ||
		    dt_later_users_poll(dtp, de) != 0 ||
		    dt_later_every_poll(dtp, de) != 0 ||
		    dt_later_modules_poll(dtp, de) != 0)
			return -1;
	}
	return 0;
}

/* ---- the end ------------------------------------------------------------- */

/* Silence what runs at once: to detach takes its time. */
static void
engines_silence(dtrace_hdl_t *dtp)
{
	for (uint32_t i = 0; i < dtp->nengines; i++) {
		struct rt_ctl *ctl = dt_view(&dtp->engines[i])->ctl;
		uint32_t was = RT_ACT_ACTIVE;
		__atomic_compare_exchange_n(&ctl->activity, &was,
					    RT_ACT_DRAINING, false,
					    __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST);
	}
}

/* How the targets ended may be a firing, the last one. */
static void
engines_last_look(dtrace_hdl_t *dtp)
{
	struct err why = { 0 };

	for (uint32_t i = 0; i < dtp->nengines; i++)
		if (dt_is_process(&dtp->engines[i]))
			(void)dtp->engines[i].ops->poll(dtp->engines[i].eng,
							&why);
}

static bool
clause_has_stack(const struct dif_clause *c)
{
	for (uint32_t s = 0; s < c->nstmts; s++)
		for (uint32_t x = 0; x < c->stmts[s].nexprs; x++)
			if (c->stmts[s].exprs[x].src == DIF_SRC_STACK)
				return true;
	return false;
}

/* Stacks of the kernel lead through trampolines of its own, whose symbols go
   with what is attached: they are read before.  Without memory they are not. */
static void
stacks_named(dtrace_hdl_t *dtp)
{
	struct err none = { 0 };

	for (size_t i = 0; i < dtp->clauses.n; i++)
		if (clause_has_stack(dtp->clauses.v[i])) {
			(void)ksym_load(dtp->env.procs, &none);
			return;
		}
}

int
dtrace_stop(dtrace_hdl_t *dtp)
{
	struct err e;
	int rv = 0;

	if (!dtp->active || dtp->stopped)
		return 0;
	err_clear(&dtp->err);
	dtp->stopped = dtp->end_due = true;
	if (dt_procs_all_ended(dtp))
		engines_last_look(dtp);
	engines_silence(dtp);
	stacks_named(dtp);
	/* One that fails keeps no other from being stopped; the first error
	   is the one reported. */
	for (uint32_t i = 0; i < dtp->nengines; i++) {
		struct dt_engine *de = &dtp->engines[i];
		err_clear(&e);
		if (de->ops->stop(de->eng, &e) == 0 || rv != 0)
			continue;
		dtp->err = e;
		rv = dt_fail(dtp, EDT_ENABLE);
	}
	return rv;
}

bool
dt_engines_left(const dtrace_hdl_t *dtp)
{
	for (uint32_t i = 0; i < dtp->nengines; i++) {
		const struct dt_engine *de = &dtp->engines[i];

		if (de->eng != NULL && de->ops->left != NULL &&
		    de->ops->left(de->eng))
			return true;
	}
	return false;
}

int
dt_run_end(dtrace_hdl_t *dtp)
{
	err_clear(&dtp->err);
	for (uint32_t i = 0; i < dtp->nengines; i++) {
		struct dt_engine *de = &dtp->engines[i];
		if (de->ops->end(de->eng, &dtp->err) != 0)
			return dt_fail(dtp, EDT_ENABLE);
	}
	return 0;
}

int
dtrace_guarded(dtrace_hdl_t *dtp)
{
	const int keep = errno;
	bool all = !dtp->freeing;

	for (uint32_t i = 0; all && i < dtp->nengines; i++) {
		const struct dt_engine *de = &dtp->engines[i];
		const struct engine *eng =
			__atomic_load_n(&de->eng, __ATOMIC_ACQUIRE);
		all = eng == NULL || de->ops->guarded == NULL ||
		      de->ops->guarded(eng);
	}
	errno = keep;
	return all;
}

void
dt_run_free(dtrace_hdl_t *dtp)
{
	dtp->freeing = 1;
	for (uint32_t i = dtp->nengines; i-- > 0;) {
		struct dt_engine *de = &dtp->engines[i];
		if (de->eng != NULL)
			de->ops->free(de->eng);
		free(de->seen);
		hash_free(de->rows);
		vec_fini(&de->later_why);
		hash_free(de->users);
		proc_watch_close(de->watch);
		dt_specs_free(de);
	}
	dtp->nengines = 0;
	dtp->freeing = 0;
}

/* ---- what runs where ----------------------------------------------------- */

static void
report_process(struct buf *b, const char *before, pid_t pid)
{
	char comm[32];

	proc_comm_plain(pid, comm, sizeof(comm));
	buf_printf(b, "%s %d (%s)", before, (int)pid,
		   comm[0] != '\0' ? comm : "?");
}

static void
report_engine(dtrace_hdl_t *dtp, const struct dt_engine *de)
{
	struct buf *b = &dtp->report;

	buf_printf(b, "engine %s: %u clause%s, %u probe%s", de->ops->name,
		   de->en.nclauses, de->en.nclauses == 1 ? "" : "s",
		   de->en.nprobes, de->en.nprobes == 1 ? "" : "s");
	for (uint32_t i = 0; i < de->njoined; i++)
		report_process(b, i == 0 ? " in processes" : ",",
			       de->joined[i].pid);
	if (de->njoined == 0 && de->target.pid != 0)
		report_process(b, " in process", de->target.pid);
	buf_printf(b, ": %s\n", de->why);
	if (de->ops->report != NULL)
		de->ops->report(de->eng, b);
	dt_later_report(de, b);
	dt_follow_report(dtp, de, b);
}

/* `pid == $target` without a target: nobody's clause. */
static void
tell_no_target(dtrace_hdl_t *dtp)
{
	bool zero = false;

	for (uint32_t c = 0; c < dtp->en.nclauses; c++)
		zero |= dtp->en.clauses[c]->only_zero;
	if (zero && dtp->target_asked && dtp->target == 0)
		buf_printf(&dtp->report,
			   "$target is 0, as there is no process of -c or -p: "
			   "what is for pid == $target alone will not fire\n");
}

const char *
dtrace_engines(dtrace_hdl_t *dtp)
{
	buf_reset(&dtp->report);
	tell_no_target(dtp);
	for (uint32_t i = 0; i < dtp->nengines; i++)
		report_engine(dtp, &dtp->engines[i]);
	return buf_str(&dtp->report);
}

const char *
dtrace_not_seen(dtrace_hdl_t *dtp)
{
	buf_reset(&dtp->report);
	tell_no_target(dtp);
	for (uint32_t i = 0; i < dtp->nengines; i++)
		dt_follow_tell(dtp, &dtp->engines[i], &dtp->report);
	return buf_str(&dtp->report);
}

unsigned
dtrace_left_out(dtrace_hdl_t *dtp)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < dtp->nengines; i++) {
		const struct dt_engine *de = &dtp->engines[i];
		if (de->ops->left_out != NULL)
			n += de->ops->left_out(de->eng);
		n += dt_later_left(de);
	}
	return n;
}
