/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_text.c - other writers of text: places where the kernel's breakpoints
 * would meet anything but the code of files are refused (proc_text.c says why).
 *
 * A breakpoint in one process: its code is looked at.  One in every process
 * that maps a file: that of all in which a consumer's jumps may be, which are
 * those that have memory of one mapped.  From that look until all is placed we
 * have the turn (proc_turn.c), so that no jump comes in between.
 */
#include "lib/dt_impl.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define TEXT_BEFORE 16 /* the longest patch that may reach a place */
#define TEXT_BEHIND 8
#define TEXT_WHYS   64 /* reasons that are kept */

struct text_cx {
	dtrace_hdl_t *dtp;
	const struct dt_engine *de;
	struct proc_text *text; /* of process pid */
	int32_t pid;
	VEC(struct proc *) entered; /* a consumer has memory there */
	bool looked;
	const char *path; /* of stat; NULL: of none */
	struct stat st;
};

/* 0 if the code of a process around a place, at addr there, is its file's; else
   -1, and the handle's error says what is there. */
static int
text_at(struct text_cx *cx, const struct engine_place *pl, int32_t pid,
	uint64_t addr)
{
	const struct dif_probe *p = &cx->de->en.probes[pl->probe];

	if (pid != cx->pid) {
		proc_text_close(cx->text);
		cx->text = proc_text_open(pid, &cx->dtp->err);
		cx->pid = pid;
	}
	if (cx->text == NULL)
		return -1;
	if (proc_text_same(cx->text, addr, pl->path, pl->off, TEXT_BEFORE,
			   TEXT_BEHIND))
		return 0;
	return err_set(&cx->dtp->err, &ERR_GENERIC, 0,
		       "%s:%s:%s:%s: the code of process %d there is not what "
		       "is in its file (another consumer has probes there, or "
		       "the program changes itself): a breakpoint would "
		       "destroy it (-x engine=target may have a place beside "
		       "it, for that process alone)", p->prov, p->mod, p->func, p->name,
		       (int)pid);
}

static void
text_fini(struct text_cx *cx)
{
	proc_text_close(cx->text);
	vec_fini(&cx->entered);
}

/* ---- every process ------------------------------------------------------- */

static bool
text_entered(struct proc *p)
{
	static const char ours[] = "/memfd:dtrace";

	proc_refresh(p);
	for (size_t i = 0; i < proc_nobjs(p); i++)
		if (strncmp(proc_obj_at(p, i)->path, ours, sizeof(ours) - 1) ==
		    0)
			return true;
	return false;
}

/* If files have been looked for in every process, all of them are in the
   set. */
static int
text_look(struct text_cx *cx)
{
	struct proc *p = NULL;

	while (!cx->looked &&
	       (p = proc_next_known(cx->dtp->env.procs, p)) != NULL)
		if (text_entered(p) && !vec_push(&cx->entered, p))
			return err_nomem(&cx->dtp->err);
	cx->looked = true;
	return 0;
}

static int
text_everywhere(struct text_cx *cx, const struct engine_place *pl)
{
	if (text_look(cx) != 0)
		return -1;
	if (cx->entered.n != 0 && cx->path != pl->path) {
		if (stat(pl->path, &cx->st) != 0)
			return 0; /* then nothing can be put there */
		cx->path = pl->path;
	}
	for (size_t i = 0; i < cx->entered.n; i++) {
		struct proc *p = cx->entered.v[i];

		for (size_t k = 0; k < proc_nobjs(p); k++) {
			const struct proc_obj *o = proc_obj_at(p, k);

			if (o->ino == cx->st.st_ino &&
			    o->dev == cx->st.st_dev &&
			    text_at(cx, pl, proc_pid(p), o->base + pl->addr) !=
				    0)
				return -1;
		}
	}
	return 0;
}

/* ---- the doors ----------------------------------------------------------- */

static int
text_place_check(void *arg, const struct engine_place *pl)
{
	return pl->pid != 0 ? text_at(arg, pl, pl->pid, pl->addr) :
			      text_everywhere(arg, pl);
}

static int
text_check(dtrace_hdl_t *dtp, const struct dt_engine *de)
{
	struct text_cx cx = { .dtp = dtp, .de = de };
	int rc = de->ops->places(de->eng, text_place_check, &cx);

	text_fini(&cx);
	return rc;
}

static int
text_any(void *arg, const struct engine_place *pl)
{
	return 1;
}

/* Who has had no turn looks once more: what has come in between is seen too
   late for who has met it, but not for all others. */
int
dt_text_attach(dtrace_hdl_t *dtp, struct dt_engine *de)
{
	struct proc_turn turn;
	int rc;

	if (de->ops->places == NULL ||
	    de->ops->places(de->eng, text_any, NULL) == 0)
		return de->ops->attach(de->eng, &dtp->err);
	de->turn_missed |= !proc_turn_take(&turn, true);
	rc = text_check(dtp, de);
	if (rc == 0)
		rc = de->ops->attach(de->eng, &dtp->err);
	if (rc == 0 && turn.fd < 0)
		rc = text_check(dtp, de);
	proc_turn_give(&turn);
	return rc;
}

/* Of v[0, n) those stay that may be placed; the others' reason is kept. */
static size_t
text_sites(dtrace_hdl_t *dtp, struct dt_engine *de, struct engine_site *v,
	   size_t n)
{
	struct text_cx cx = { .dtp = dtp, .de = de };
	size_t left = 0;
	const char *why;

	for (size_t i = 0; i < n; i++) {
		const struct dif_site *s = &v[i].site;
		const struct engine_place pl = { .probe = v[i].probe,
						 .pid = s->pid,
						 .addr = s->addr,
						 .off = s->off,
						 .path = s->path };

		if (dif_sites[s->kind].where != DIF_AT_USER ||
		    text_place_check(&cx, &pl) == 0) {
			v[left++] = v[i];
			continue;
		}
		why = de->later_why.n < TEXT_WHYS
			      ? arena_strdup(dtp->en_arena, dtp->err.msg)
			      : NULL;
		err_clear(&dtp->err);
		if (why != NULL)
			(void)vec_push(&de->later_why, why);
	}
	text_fini(&cx);
	return left;
}

int
dt_text_extend(dtrace_hdl_t *dtp, struct dt_engine *de, struct engine_site *v,
	       size_t n)
{
	struct proc_turn turn;
	int rc;

	if (n == 0)
		return de->ops->extend(de->eng, v, n, &dtp->err);
	de->turn_missed |= !proc_turn_take(&turn, true);
	n = text_sites(dtp, de, v, n);
	rc = de->ops->extend(de->eng, v, n, &dtp->err);
	proc_turn_give(&turn);
	return rc;
}
