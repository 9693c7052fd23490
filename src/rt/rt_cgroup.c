/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_cgroup.c - cgroup and container, in the kernel: the path of a task's
 * control group, and the name of the container in it.
 *
 * A cgroup is a directory of kernfs.  The way goes up from its node to that
 * which is the root where the consumer is, or to the first one, and the names
 * are put down in W from its end to its start; nothing is locked.  The
 * hierarchy is that of version 2.  What cannot be followed is "<unknown>".
 *
 * The consumer reads the same for other engines of /proc (proc/proc_cgroup.c),
 * where it is told what the name of a container is.
 */
#include "rt/rt_impl.h"

#define CGROUP_STEPS  64u
#define CGROUP_NAME	 255u /* bytes of a name, at most */
#define CGROUP_END	 (RT_STR_MAX - 1) /* of the path in W */
#define CGROUP_LOST	 "<unknown>"
#define CGROUP_LOST_LEN	 9u
#define CONTAINER_DIGITS 64u
#define CONTAINER_SHOWN  12u

struct cgroup_walk {
	uint64_t node;
	uint64_t at;	/* where in W the path begins */
	uint64_t run;	/* hexadecimal digits that stand together */
	uint64_t found; /* where a container's name begins; 0: nowhere */
};
_Static_assert(sizeof(struct cgroup_walk) <= sizeof(((struct rt *)0)->tmp),
	       "the walk's state lies in rt->tmp");
#define CGROUP(rt) ((struct cgroup_walk *)(void *)(rt)->tmp)

enum { CGROUP_ON, CGROUP_ROOT, CGROUP_FAIL };

uint64_t rt_cgroup_name(struct rt *rt, uint64_t name);
uint64_t rt_cgroup_step(struct rt *rt);
uint64_t rt_cgroup_walk(struct rt *rt);
uint64_t rt_container_window(struct rt *rt, uint64_t from);

RT_INLINE uint64_t
cgroup_word(struct rt *rt, uint64_t addr)
{
	uint64_t p;

	return rt_read(rt, &p, sizeof(p), addr) < 0 ? 0 : p;
}

/* The name of a node and a slash, before what is there: 1, or 0. */
RT_GLOBAL uint64_t
rt_cgroup_name(struct rt *rt, uint64_t name)
{
	uint64_t at, n;
	long len;

	if (!rt)
		return 0;
	len = rt_read_str(rt, RT_V(rt), CGROUP_NAME + 1, name);
	if (len < 1)
		return 0;
	n = (uint64_t)len - 1;
	at = CGROUP(rt)->at;
	RT_OPAQUE(n);
	if (n > CGROUP_NAME || n >= at)
		return 0;
	at -= n;
	n = rt_bound(n, CGROUP_NAME);
	if (rt_read(rt, RT_WORK(RT_W(rt), at), (uint32_t)n, name) < 0)
		return 0;
	at--;
	*RT_WORK(RT_W(rt), at) = '/';
	CGROUP(rt)->at = at;
	return 1;
}

RT_GLOBAL uint64_t
rt_cgroup_step(struct rt *rt)
{
	uint64_t node, up, name;

	if (!rt)
		return CGROUP_FAIL;
	node = CGROUP(rt)->node;
	if (node == 0)
		return CGROUP_FAIL;
	up = cgroup_word(rt, node + RT_CONF(cgroup.node_parent));
	if (up == 0 || cgroup_word(rt, node + RT_CONF(cgroup.node_id)) ==
			       RT_CONF(cgroup.root))
		return CGROUP_ROOT;
	CGROUP(rt)->node = up;
	name = cgroup_word(rt, node + RT_CONF(cgroup.node_name));
	return rt_cgroup_name(rt, name) ? CGROUP_ON : CGROUP_FAIL;
}

/* The path of the cgroup of the task at rt->tmp[0] to W[at, CGROUP_END): at; 0:
   it is not known. */
RT_GLOBAL uint64_t
rt_cgroup_walk(struct rt *rt)
{
	uint64_t i, task, r = CGROUP_ON;

	if (!rt || !RT_CONF(cgroup.known))
		return 0;
	task = cgroup_word(rt, rt->tmp[0] + RT_CONF(cgroup.task_cgroups));
	task = cgroup_word(rt, task + RT_CONF(cgroup.set_cgroup));
	CGROUP(rt)->node = cgroup_word(rt, task + RT_CONF(cgroup.cgroup_node));
	CGROUP(rt)->at = CGROUP_END;
	*RT_WORK(RT_W(rt), CGROUP_END) = 0;
	RT_FOR(i, CGROUP_STEPS, 1, r == CGROUP_ON)
		r = rt_cgroup_step(rt);
	if (r != CGROUP_ROOT)
		return 0;
	if (CGROUP(rt)->at == CGROUP_END) /* the root itself */
		*RT_WORK(RT_W(rt), --CGROUP(rt)->at) = '/';
	return CGROUP(rt)->at;
}

RT_GLOBAL uint64_t
rt_cgroup(struct rt *rt)
{
	uint64_t at;

	if (!rt)
		return 0;
	at = rt_cgroup_walk(rt);
	if (at != 0)
		return rt_work_keep(rt, at, CGROUP_END - at);
	__builtin_memcpy(RT_W(rt), CGROUP_LOST, CGROUP_LOST_LEN);
	return rt_work_keep(rt, 0, CGROUP_LOST_LEN);
}

/* Look for digits in one window of the path and the NUL behind it. */
RT_GLOBAL uint64_t
rt_container_window(struct rt *rt, uint64_t from)
{
	uint64_t i, c;

	if (!rt)
		return 0;
	RT_FOR(i, RT_WINDOW, 1, from + i <= CGROUP_END) {
		c = *RT_WORK(RT_W(rt), from + i);
		if (c - '0' < 10 || c - 'a' < 6) {
			CGROUP(rt)->run++;
			continue;
		}
		if (CGROUP(rt)->run == CONTAINER_DIGITS)
			CGROUP(rt)->found = from + i - CONTAINER_DIGITS;
		CGROUP(rt)->run = 0;
	}
	return 0;
}

RT_GLOBAL uint64_t
rt_container(struct rt *rt)
{
	uint64_t i, at;

	if (!rt)
		return 0;
	at = rt_cgroup_walk(rt);
	CGROUP(rt)->run = CGROUP(rt)->found = 0;
	RT_FOR(i, RT_STR_MAX, RT_WINDOW, at != 0 && at + i <= CGROUP_END)
		rt_container_window(rt, at + i);
	at = CGROUP(rt)->found;
	if (at != 0)
		return rt_work_keep(rt, at, CONTAINER_SHOWN);
	*RT_W(rt) = 0;
	return rt_work_keep(rt, 0, 0);
}
