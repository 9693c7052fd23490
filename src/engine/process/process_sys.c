/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_sys.c - the points of system calls.
 *
 * They are put at every `syscall` instruction in a function that is known,
 * whatever the calls that are traced; which of them fires is found by number,
 * or seen in the code.
 */
#include "engine/process/process_impl.h"

#include <string.h>
#include <sys/syscall.h>

static int
sys_points(struct engine *eng, uint32_t fn, uint64_t addr, struct err *e)
{
	struct plan *p = &eng->plan;
	struct plan_point pt = { .addr = addr,
				 .fn = fn,
				 .group = PLAN_NONE,
				 .at = X86_AT_SYSENTRY };

	/* The entry stub always: it keeps the number for the return, and sees
	   threads end and programs change. */
	if (plan_point_add(p, &pt) != 0)
		return err_nomem(e);
	p->nsys++;
	pt.at = X86_AT_SYSRETURN;
	pt.after = true;
	if (p->sys_return && plan_point_add(p, &pt) != 0)
		return err_nomem(e);
	return 0;
}

/*
 * Calls after which another thread, another program or nobody goes on, and
 * those that the dispatcher itself has to see.
 */
static bool
sys_is_odd(uint32_t nr)
{
	static const uint32_t odd[] = {
		SYS_rt_sigreturn, SYS_clone,	  SYS_fork,	SYS_vfork,
		SYS_execve,	  SYS_exit,	  SYS_exit_group,
		SYS_execveat,	  SYS_clone3,
	};

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		if (odd[i] == nr)
			return true;
	return false;
}

/* The number of the only call that a `syscall` makes; RTN_NSYS: not known. */
static uint32_t
sys_number(const struct plan *p, const struct plan_point *pt)
{
	const struct plan_fn *f = &p->fns.v[pt->fn];
	const struct x86_world *w = world_x86(f->obj);
	const uint8_t *mov = w->bytes(w->arg, pt->addr - 5, 5);
	uint32_t nr;

	if (mov == NULL || mov[0] != 0xb8) /* mov $imm32,%eax */
		return RTN_NSYS;
	for (size_t i = 0; i < f->fn.targets.n; i++)
		if (f->fn.targets.v[i] > pt->addr - 5 &&
		    f->fn.targets.v[i] <= pt->addr)
			return RTN_NSYS;
	if (!plan_fn_insn(f, pt->addr - 5))
		return RTN_NSYS;
	memcpy(&nr, mov + 1, sizeof(nr));
	return nr;
}

/*
 * Where it can be read off the code which call is made, its handlers need no
 * dispatcher, nor the number at the return.  Only where both ends are so: the
 * dispatcher's halves belong together.
 */
void
plan_direct(struct plan *p)
{
	for (size_t i = 0; i < p->points.n; i++) {
		struct plan_point *pt = &p->points.v[i];
		bool ret = pt->at == X86_AT_SYSRETURN;
		uint32_t nr;

		if (pt->group != PLAN_NONE ||
		    (!ret && pt->at != X86_AT_SYSENTRY))
			continue;
		nr = sys_number(p, pt);
		if (nr >= RTN_NSYS || sys_is_odd(nr) ||
		    p->sys_group[nr][0] == PLAN_NONE ||
		    (p->sys_return && p->sys_group[nr][1] == PLAN_NONE))
			continue;
		pt->direct = p->sys_group[nr][ret];
		pt->site = (ret ? p->sys[nr].return_site :
				  p->sys[nr].entry_site) - 1;
	}
}

static int
sys_fn(struct engine *eng, struct world_obj *o, uint64_t addr, struct err *e)
{
	uint32_t fn;

	if (plan_fn_get(eng, o, addr, 0, &fn, e) != 0)
		return -1;
	if (eng->plan.fns.v[fn].why != NULL)
		return 0;
	for (size_t i = 0; i < eng->plan.fns.v[fn].fn.syscalls.n; i++)
		if (sys_points(eng, fn,
			       eng->plan.fns.v[fn].fn.syscalls.v[i], e) != 0)
			return -1;
	return 0;
}

/* All functions of an object that have the bytes of `syscall`, if wanted. */
static int
sys_each(struct engine *eng, struct world_obj *o,
	 bool (*want)(struct world_obj *o, uint64_t fn), struct err *e)
{
	uint64_t last = 0, at = 0;

	while ((at = world_syscall(o, at)) != 0) {
		uint64_t fn = world_fn_of(o, at);

		at++;
		if (fn == 0 || fn == last)
			continue;
		last = fn;
		if ((want == NULL || want(o, fn)) && sys_fn(eng, o, fn, e) != 0)
			return -1;
	}
	return 0;
}

int
plan_syscalls_of(struct engine *eng, struct world_obj *o, struct err *e)
{
	world_obj_note(o)->scanned = true;
	return sys_each(eng, o, NULL, e);
}

int
plan_syscalls(struct engine *eng, struct err *e)
{
	for (size_t i = 0; i < eng->world.objs.n; i++)
		if (plan_syscalls_of(eng, eng->world.objs.v[i], e) != 0)
			return -1;
	return 0;
}

/* Does a function have the number of exit(2) in it, as 32 bits? */
static bool
fn_exits(struct world_obj *o, uint64_t fn)
{
	static const uint8_t nr[4] = { 60 };
	const struct x86_world *w = world_x86(o);
	struct x86_part part[8];
	const uint8_t *p;

	if (world_parts(o, fn, 0, part) == 0)
		return false;
	p = w->bytes(w->arg, part[0].addr, part[0].size);
	return p != NULL &&
	       memmem(p, part[0].size, nr, sizeof(nr)) != NULL;
}

int
plan_exits(struct engine *eng, struct err *e)
{
	for (size_t i = 0; i < eng->world.objs.n; i++) {
		struct world_obj *o = eng->world.objs.v[i];

		if (world_obj_is_libc(o) && sys_each(eng, o, fn_exits, e) != 0)
			return -1;
	}
	return 0;
}
