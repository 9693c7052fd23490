/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process.h - the door of the process engine: D inside the traced process.
 *
 *   process_engine.c  engine_ops: the life of an instance, in steps
 *   process_plan.c    sites -> functions -> windows -> points; classes
 *   process_map.c     memory: the shared file, its mappings, gaps to put them
 *                     in
 *   process_region.c  regions of code: what each serves, and those that come
 *                     later
 *   process_code.c    regions filled: blob, handlers, trampolines
 *   process_shared.c  rtn_shared filled; rt_view; clock; grace
 *   inject.c          stop all threads, system calls in the target, its memory
 *   patch.c           the journal of patches: write, undo
 *   guard.c           the guardian process
 *   host.c            what fires in the consumer: BEGIN, END, tick, profile
 *   process_later.c   objects that come and go
 *   process_exec.c    another program
 *   process_tree.c    programs that the tree executes, with process_known.c
 *   follow.c          children that forked, what became of the process
 *
 * The engine is agentless: the target gets mappings and patched bytes, no
 * library, no thread, no open file, no ptrace relation.
 */
#ifndef ENGINE_PROCESS_PROCESS_H
#define ENGINE_PROCESS_PROCESS_H

#include "rt/engine.h"

/* process_engine_ops is declared in rt/engine.h. */

#endif
