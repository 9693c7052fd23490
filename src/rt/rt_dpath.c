/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_dpath.c - d_path(): the name of a file of the kernel, from the root that
 * the current process sees.
 *
 * A struct path of the kernel is a dentry and the mount it is seen in.  The
 * way goes up: from a dentry to its parent; from the root of a mount to the
 * place where that is mounted.  It ends at the root of the process, or at
 * that of the mount tree.  Names are put down in W from its end to its start.
 *
 * Nothing is locked, so a file that is being moved may get a name it never
 * had.  What has no name from a root (pipes, sockets, what is mounted nowhere,
 * more than DPATH_STEPS deep) is "<unknown>", and so is everything where the
 * kernel's structures are not known.
 */
#include "rt/rt_impl.h"

#define DPATH_STEPS  256u
#define NAME_LONGEST 255u
#define NAME_END     (RT_STR_MAX - 1) /* of the name in W */
#define DELETED      " (deleted)"     /* as the kernel's own d_path() has it */
#define DELETED_LEN  10u
#define UNKNOWN      "<unknown>"
#define UNKNOWN_LEN  9u

struct dpath {
	uint64_t dentry, mnt; /* struct vfsmount */
	uint64_t root_dentry, root_mnt;
	uint64_t at; /* where in W the name begins */
};
_Static_assert(sizeof(struct dpath) <= sizeof(((struct rt *)0)->tmp),
	       "the walk's state lies in rt->tmp");
#define DPATH(rt) ((struct dpath *)(void *)(rt)->tmp)

enum { DPATH_ON, DPATH_ROOT, DPATH_LOST };

uint64_t rt_dpath_name(struct rt *rt, uint64_t dentry);
uint64_t rt_dpath_step(struct rt *rt);
uint64_t rt_dpath_deleted(struct rt *rt);

/* A pointer of the kernel; 0 where it cannot be read. */
RT_INLINE uint64_t
dpath_ptr(struct rt *rt, uint64_t addr)
{
	uint64_t p;

	return rt_read(rt, &p, sizeof(p), addr) < 0 ? 0 : p;
}

/* The name of a dentry and a slash, before what is there: 1, or 0. */
RT_GLOBAL uint64_t
rt_dpath_name(struct rt *rt, uint64_t dentry)
{
	uint64_t at, name, n;
	uint32_t len;

	if (!rt)
		return 0;
	name = dpath_ptr(rt, dentry + RT_CONF(dpath.dentry_name));
	at = dentry + RT_CONF(dpath.dentry_len);
	if (rt_read(rt, &len, sizeof(len), at) < 0)
		return 0;
	at = DPATH(rt)->at;
	n = len;
	RT_OPAQUE(n);
	/* n + 1 > at is the same, but makes 6.12 forget how large n may be */
	if (n > NAME_LONGEST || n >= at)
		return 0;
	at -= n;
	n = rt_bound(n, NAME_LONGEST); /* some verifiers have forgotten it */
	if (rt_read(rt, RT_WORK(RT_W(rt), at), (uint32_t)n, name) < 0)
		return 0;
	at--;
	*RT_WORK(RT_W(rt), at) = '/';
	DPATH(rt)->at = at;
	return 1;
}

RT_GLOBAL uint64_t
rt_dpath_step(struct rt *rt)
{
	struct dpath *p;
	uint64_t dentry, mnt, mount, up;

	if (!rt)
		return DPATH_LOST;
	p = DPATH(rt);
	dentry = p->dentry;
	mnt = p->mnt;
	if (dentry == p->root_dentry && mnt == p->root_mnt)
		return DPATH_ROOT;
	if (dentry == dpath_ptr(rt, mnt + RT_CONF(dpath.mnt_root))) {
		mount = mnt - RT_CONF(dpath.mount_mnt);
		up = dpath_ptr(rt, mount + RT_CONF(dpath.mount_parent));
		if (up == mount)
			return DPATH_ROOT;
		p->dentry =
			dpath_ptr(rt, mount + RT_CONF(dpath.mount_mountpoint));
		p->mnt = up + RT_CONF(dpath.mount_mnt);
		return up ? DPATH_ON : DPATH_LOST;
	}
	up = dpath_ptr(rt, dentry + RT_CONF(dpath.dentry_parent));
	p->dentry = up;
	return up && up != dentry && rt_dpath_name(rt, dentry) ? DPATH_ON
							       : DPATH_LOST;
}

/* A dentry that no directory knows any more, and that is no root. */
RT_GLOBAL uint64_t
rt_dpath_deleted(struct rt *rt)
{
	uint64_t dentry, pprev;

	if (!rt)
		return 0;
	dentry = DPATH(rt)->dentry;
	if (rt_read(rt, &pprev, sizeof(pprev),
		    dentry + RT_CONF(dpath.dentry_pprev)) < 0)
		return 0;
	return pprev == 0 &&
	       dpath_ptr(rt, dentry + RT_CONF(dpath.dentry_parent)) != dentry;
}

/*
 * Where the way of the path at addr ends: the root of the current process,
 * where there is one.  The root itself, asked for by its own struct path, has
 * its name from that of the mount tree; it would always be "/".
 */
RT_INLINE void
dpath_root(struct rt *rt, uint64_t addr)
{
	struct dpath *p = DPATH(rt);

	p->root_dentry = p->root_mnt = 0;
#ifdef __bpf__
	uint64_t fs =
		dpath_ptr(rt, bpf_get_current_task() + RT_CONF(dpath.task_fs)) +
		RT_CONF(dpath.fs_root);

	if (addr == fs)
		return;
	p->root_dentry = dpath_ptr(rt, fs + RT_CONF(dpath.path_dentry));
	p->root_mnt = dpath_ptr(rt, fs + RT_CONF(dpath.path_mnt));
#endif
}

/* From struct path at addr: 1, or 0 after a fault. */
RT_INLINE uint64_t
dpath_begin(struct rt *rt, uint64_t addr)
{
	struct dpath *p = DPATH(rt);

	p->dentry = dpath_ptr(rt, addr + RT_CONF(dpath.path_dentry));
	p->mnt = dpath_ptr(rt, addr + RT_CONF(dpath.path_mnt));
	if (p->dentry == 0 || p->mnt == 0)
		return rt_fail(rt, RT_FAULT_BADADDR, addr);
	dpath_root(rt, addr);
	p->at = NAME_END;
	*RT_WORK(RT_W(rt), NAME_END) = 0;
	if (rt_dpath_deleted(rt)) {
		p->at -= DELETED_LEN;
		__builtin_memcpy(RT_W(rt) + NAME_END - DELETED_LEN, DELETED,
				 DELETED_LEN);
	}
	return 1;
}

RT_INLINE uint64_t
dpath_unknown(struct rt *rt)
{
	__builtin_memcpy(RT_W(rt), UNKNOWN, UNKNOWN_LEN);
	return rt_work_keep(rt, 0, UNKNOWN_LEN);
}

RT_GLOBAL uint64_t
rt_subr_d_path(struct rt *rt)
{
	uint64_t i, at, r = DPATH_ON;

	if (!rt)
		return 0;
	if (!RT_CONF(dpath.known))
		return dpath_unknown(rt);
	if (!dpath_begin(rt, rt->tuple[0].val))
		return 0;
	at = DPATH(rt)->at;
	RT_FOR(i, DPATH_STEPS, 1, r == DPATH_ON)
		r = rt_dpath_step(rt);
	if (r != DPATH_ROOT)
		return dpath_unknown(rt);
	if (DPATH(rt)->at == at) /* the root itself */
		*RT_WORK(RT_W(rt), --DPATH(rt)->at) = '/';
	at = DPATH(rt)->at;
	return rt_work_keep(rt, at, NAME_END - at);
}
