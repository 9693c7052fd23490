/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_sys.c - the points of system calls.
 *
 * Every `syscall` instruction of every object is found by its bytes and then by
 * the function that it is an instruction of: what the unwind table knows as
 * one, a symbol, or the rest of a function that the table leaves out
 * (world_fn_of()).  Each one either has points or is counted as left alone,
 * with the reason; bytes inside another instruction are neither.
 *
 * Points at the return are wanted by return probes, and where a process can be
 * made that borrows its parent's memory, whoever fires there (rt_native.h,
 * BORROWED MEMORY).
 */
#include "engine/process/process_impl.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define NUMBER_NEAR 12 /* instructions before a call that set its number */

/*
 * Calls after which another thread, another program or nobody goes on, and
 * those that the dispatcher itself has to see.
 */
static bool
sys_is_odd(uint32_t nr)
{
	static const uint32_t odd[] = {
		SYS_rt_sigreturn, SYS_clone, SYS_fork,       SYS_vfork,
		SYS_execve,       SYS_exit,  SYS_exit_group, SYS_execveat,
		SYS_clone3,       SYS_prctl, SYS_seccomp, SYS_arch_prctl,
	};

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		if (odd[i] == nr)
			return true;
	return false;
}

/* True if a call there may make a process that shares our memory.  Always where
   it is not known which one it makes. */
static bool
sys_may_share(uint32_t nr)
{
	return nr >= RTN_NSYS || nr == SYS_vfork || nr == SYS_clone ||
	       nr == SYS_clone3;
}

void
plan_left(struct plan *p, const char *why)
{
	struct plan_left new = { why, 1 };

	p->nsys_refused++;
	for (size_t i = 0; i < p->left.n; i++) {
		if (strcmp(p->left.v[i].why, why) == 0) {
			p->left.v[i].n++;
			return;
		}
	}
	(void)!vec_push(&p->left, new);
}

/* Calls after which other things hold for our code (rt_native.h, RTN_SYS_*); in
   an object that is no C library, without the first one, for there are the ends
   of all threads but few. */
static const uint32_t sys_special[] = { SYS_exit,   SYS_vfork,  SYS_clone,
					SYS_clone3, SYS_prctl,  SYS_seccomp,
					SYS_execve, SYS_execveat,
					SYS_arch_prctl };
#define NSPECIAL (sizeof(sys_special) / sizeof(*sys_special))

/* The last three where programs are followed. */
static size_t
nspecial(const struct engine *eng)
{
	return eng->opts.follow == RTN_FOLLOW_ALL ? NSPECIAL : NSPECIAL - 3;
}

/* True if it is one of them, or it is not known which one it is. */
static bool
sys_may_be_special(const struct engine *eng, uint32_t nr)
{
	for (size_t i = 0; i < nspecial(eng); i++)
		if (sys_special[i] == nr)
			return true;
	return nr >= RTN_NSYS;
}

/* `all`: whatever is called there; else what we ourselves must see. */
static int
sys_points(struct engine *eng, uint32_t fn, uint64_t addr, bool all,
	   struct err *e)
{
	struct plan *p = &eng->plan;
	struct plan_point pt = { .addr = addr,
				 .fn = fn,
				 .group = PLAN_NONE,
				 .at = X86_AT_SYSENTRY };
	uint32_t nr = plan_sys_number(&p->fns.v[fn], addr);

	if (!all && !sys_may_be_special(eng, nr))
		return 0;
	pt.stack = plan_sys_stack(&p->fns.v[fn], addr, nr, false);
	if (eng->fs_self && pt.stack == X86_STACK_BARE) {
		plan_left(p, "a thread ends there that has given its memory "
			     "away");
		return 0;
	}
	p->nsys++;
	/* The entry stub always: it keeps the number for the return, and sees
	   threads end and programs change. */
	p->bare |= pt.stack == X86_STACK_BARE;
	if (plan_point_add(p, &pt) != 0)
		return err_nomem(e);
	pt.stack = plan_sys_stack(&p->fns.v[fn], addr, nr, true);
	pt.at = X86_AT_SYSRETURN;
	pt.after = true;
	if ((p->sys_return || sys_may_share(nr)) &&
	    plan_point_add(p, &pt) != 0)
		return err_nomem(e);
	return 0;
}

/* True if there is one group, and no other, of that end of the call. */
static bool
sys_alone(const struct plan *p, uint32_t nr, bool ret)
{
	uint32_t g = p->sys_group[nr][ret];

	return g != PLAN_NONE && p->groups.v[g].next == PLAN_NONE;
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
		nr = plan_sys_number(&p->fns.v[pt->fn], pt->addr);
		if (nr >= RTN_NSYS || sys_is_odd(nr) || !sys_alone(p, nr, 0) ||
		    (p->sys_return && !sys_alone(p, nr, 1)))
			continue;
		pt->direct = p->sys_group[nr][ret];
		pt->site = (ret ? p->sys[nr].return_site :
				  p->sys[nr].entry_site) - 1;
	}
}

static void
sys_refuse(struct plan *p, uint32_t nr, const char *why)
{
	for (int ret = 0; nr < RTN_NSYS && ret < 2; ret++)
		for (uint32_t g = p->sys_group[nr][ret]; g != PLAN_NONE;
		     g = p->groups.v[g].next)
			plan_refuse(p, g, why);
}

/* The number that an instruction puts into the register for it; RTN_NSYS. */
static uint32_t
sys_number_set(const uint8_t *p)
{
	uint32_t nr = RTN_NSYS;

	if (p != NULL && p[0] == 0xb8) /* mov $imm32,%eax */
		memcpy(&nr, p + 1, sizeof(nr));
	else if (p != NULL && p[0] == 0x31 && p[1] == 0xc0)
		nr = 0; /* xor %eax,%eax */
	return nr;
}

/*
 * Calls of that number may be missed.  Where other instructions are between, it
 * is the number that was set last before; syscall(2) sets none, and only the
 * count of those left alone says so.
 */
void
plan_sys_missed(struct plan *p, const struct plan_point *pt, const char *why)
{
	const struct plan_fn *f = &p->fns.v[pt->fn];
	const struct code_world *w = world_x86(f->obj);
	size_t i = code_fn_lower(f->fn.insns.v, f->fn.insns.n, pt->addr);
	uint32_t nr = RTN_NSYS;

	for (int k = 0; k < NUMBER_NEAR && i > 0 && nr >= RTN_NSYS; k++)
		nr = sys_number_set(w->bytes(w->arg, f->fn.insns.v[--i], 5));
	sys_refuse(p, nr, why);
	p->sys_missed = why;
}

void
plan_sys_none(struct plan *p)
{
	bool has[2] = { false, false };

	for (size_t i = 0; i < p->points.n; i++) {
		has[0] |= p->points.v[i].at == X86_AT_SYSENTRY;
		has[1] |= p->points.v[i].at == X86_AT_SYSRETURN;
	}
	for (uint32_t g = 0; p->sys_missed != NULL && g < p->groups.n; g++)
		if (p->groups.v[g].site != NULL &&
		    p->classes.v[p->groups.v[g].cls].sys &&
		    !has[p->groups.v[g].site->kind == DIF_SITE_SYSRETURN])
			plan_refuse(p, g, p->sys_missed);
}

static int
cmp_addr(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static bool
fn_calls_kernel(const struct code_fn *f, uint64_t at)
{
	return f->syscalls.n != 0 &&
	       bsearch(&at, f->syscalls.v, f->syscalls.n, sizeof(at),
		       cmp_addr) != NULL;
}

static int
sys_left(struct engine *eng, const char *why)
{
	eng->plan.nsys++;
	plan_left(&eng->plan, why);
	return 0;
}

/* The bytes of `syscall` at `at`, in the function at fn; 0: in none. */
static int
sys_hit(struct engine *eng, struct world_obj *o, uint64_t at, uint64_t fn,
	bool all, struct err *e)
{
	struct plan *p = &eng->plan;
	uint32_t i;

	if (fn == 0 && !world_may_begin(o, at)) {
		world_syscall_drop(o, at);
		return 0;
	}
	if (fn == 0)
		return sys_left(eng, "it is in no function that is known");
	if (plan_fn_get(eng, o, fn, 0, &i, e) != 0)
		return -1;
	if (p->fns.v[i].why != NULL)
		return sys_left(eng, p->fns.v[i].why);
	if (!fn_calls_kernel(&p->fns.v[i].fn, at))
		return 0; /* bytes of another instruction */
	return sys_points(eng, i, at, all, e);
}

/* All `syscall` instructions of an object, in functions that are wanted. */
static int
sys_each(struct engine *eng, struct world_obj *o,
	 bool (*want)(const struct engine *eng, struct world_obj *o,
		      uint64_t fn),
	 struct err *e)
{
	uint64_t at = 0;

	for (; (at = world_syscall(o, at)) != 0; at++) {
		uint64_t fn = world_fn_of(o, at);

		if (fn != 0 && !world_insn_at(o, fn, at)) {
			world_syscall_drop(o, at);
			continue;
		}
		if ((want == NULL || (fn != 0 && want(eng, o, fn))) &&
		    sys_hit(eng, o, at, fn, want == NULL, e) != 0)
			return -1;
	}
	return 0;
}

static int
syscalls_of(struct engine *eng, struct world_obj *o, struct err *e)
{
	world_obj_note(o)->scanned = true;
	return sys_each(eng, o, NULL, e);
}

int
plan_syscalls(struct engine *eng, struct err *e)
{
	for (size_t i = 0; i < eng->world.objs.n; i++)
		if (syscalls_of(eng, eng->world.objs.v[i], e) != 0)
			return -1;
	for (uint32_t n = world_vdso_syscalls(&eng->world); n > 0; n--)
		sys_left(eng, "it is in the kernel's own code, the vdso, for "
			      "what that cannot answer itself");
	return 0;
}

/* True if a function has the number of one of sys_special in it, as 32 bits. */
static bool
fn_is_special(const struct engine *eng, struct world_obj *o, uint64_t fn)
{
	const struct code_world *w = world_x86(o);
	uint64_t size = world_extent(o, fn, 0);
	const uint8_t *p = size != 0 ? w->bytes(w->arg, fn, size) : NULL;

	for (size_t i = !world_obj_is_libc(o); p != NULL && i < nspecial(eng);
	     i++)
		if (memmem(p, size, &sys_special[i], sizeof(*sys_special)) !=
		    NULL)
			return true;
	return false;
}

/* syscall(2) of a C library, whose callers have the number. */
static int
sys_any(struct engine *eng, struct world_obj *o, struct err *e)
{
	uint64_t fn, at;

	if (!world_symbol(&eng->world, "syscall", &fn) ||
	    world_at(&eng->world, fn) != o || fn_is_special(eng, o, fn))
		return 0; /* or it has its points */
	for (at = fn;
	     (at = world_syscall(o, at)) != 0 && world_fn_of(o, at) == fn; at++)
		if (sys_hit(eng, o, at, fn, false, e) != 0)
			return -1;
	return 0;
}

/* The system calls of an object that we must see ourselves. */
static int
special_of(struct engine *eng, struct world_obj *o, struct err *e)
{
	world_obj_note(o)->scanned = true;
	if (sys_each(eng, o, fn_is_special, e) != 0)
		return -1;
	return world_obj_is_libc(o) ? sys_any(eng, o, e) : 0;
}

int
plan_calls_of(struct engine *eng, struct world_obj *o, struct err *e)
{
	return eng->plan.sys_entry || eng->plan.sys_return ?
		       syscalls_of(eng, o, e) :
		       special_of(eng, o, e);
}

int
plan_special(struct engine *eng, struct err *e)
{
	for (size_t i = 0; i < eng->world.objs.n; i++)
		if (special_of(eng, eng->world.objs.v[i], e) != 0)
			return -1;
	return 0;
}
