/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_var.c - built-in variables that are the same for all engines: what var.def
 * says RT of.
 *
 * A function gives the variable's value for the firing of its machine.  It is
 * compiled for the consumer, for the kernel and for traced processes, under the
 * rules of rt_impl.h.  For a string it gives an address that the program may
 * read: in scratch, or of a constant.  A variable that costs more so than made
 * in place, or that each engine learns in its own way, has functions of the
 * engines instead; var.def says where.
 */
#include "rt/rt_impl.h"

RT_GLOBAL uint64_t
rt_var_walltimestamp(struct rt *rt)
{
	return rt ? rt_timestamp(rt) + RT_CONF(wall_offset) : 0;
}
