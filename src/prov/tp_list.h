/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * tp_list.h - the tracepoints of the kernel and of its modules, by name.
 *
 * The kernel's types have a typedef btf_trace_NAME for each, which anybody can
 * read; modules bring others with notes (tp_note.h).  The group is tracefs's,
 * which only root can; a tracepoint that is no event of tracefs has none.
 */
#ifndef PROV_TP_LIST_H
#define PROV_TP_LIST_H

#include "probe/probe.h"

#define TP_TYPEDEF "btf_trace_"

struct tp_name {
	const char *name, *module; /* of the kernel: "vmlinux" */
	const char *group;	   /* NULL: none is known */
};

struct tp_note;
struct tp_list;
/* Nothing is read yet.  NULL: no memory. */
struct tp_list *tp_list_new(struct probe_set *set, struct type_space *ts);
void tp_list_free(struct tp_list *l);
/*
 * All of them, sorted by group and name; *n is how many.  Read at the first
 * call, and when modules have come since: then *fresh is set.  NULL with *e: no
 * memory, or no types of this kernel.
 */
const struct tp_name *tp_list_all(struct tp_list *l, size_t *n, bool *fresh,
				  struct err *e);
/* Why there are no groups; NULL: there are. */
const char *tp_list_no_groups(const struct tp_list *l);

/* The next place after at (NULL: the first) of a probe that a module brings
   with notes; NULL: there is no other, or it is no such probe. */
const struct tp_note *tp_list_note(const struct tp_list *l, const char *module,
				   const char *name, const struct tp_note *at);

/* The prototype of a tracepoint: a function whose first parameter is a cookie;
   NULL: there is no such tracepoint.  module NULL: any. */
struct type *tp_list_proto(struct type_space *ts, const char *module,
			   const char *name);

#endif
