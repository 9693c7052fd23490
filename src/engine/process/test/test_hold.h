/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_hold.h - a target (test_target.h) that is open for calls, by ourselves
 * or through a guardian.  Where one of these fails, the test does.
 */
#ifndef ENGINE_PROCESS_TEST_HOLD_H
#define ENGINE_PROCESS_TEST_HOLD_H

#include "engine/process/inject.h"
#include "engine/process/patch.h"
#include "engine/process/test/test_target.h"

struct hold {
	struct inject in;
	struct patch_journal *j; /* NULL without a guardian */
	struct guard *g;	 /* NULL without one */
	struct err e;
};

void hold_open(struct hold *h, pid_t pid, bool guard);
void hold_close(struct hold *h);
/* inject_stop(), however long the machine is busy. */
void hold_stop(struct hold *h, bool all);
/* The process is none to trace, for a reason that has these words. */
void hold_refused(pid_t pid, const char *why);

#endif
