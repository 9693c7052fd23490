/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_hold.c - a target that is open for calls.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "engine/process/test/test_hold.h"

void
hold_open(struct hold *h, pid_t pid, bool guard)
{
	*h = (struct hold){ 0 };
	assert_int_equal(inject_check(pid, false, &h->e), 0);
	assert_int_equal(inject_open(&h->in, pid, false, &h->e), 0);
	if (!guard)
		return;
	h->j = patch_journal_new(pid, 16, &h->e);
	assert_non_null(h->j);
	h->g = guard_new(h->j, h->in.mem, -1, &h->e);
	assert_non_null(h->g);
	inject_through(&h->in, h->g);
}

void
hold_close(struct hold *h)
{
	inject_close(&h->in);
	guard_free(h->g);
	patch_journal_free(h->j);
}

/* A thread of many on a busy machine may wait for its processor longer than is
   usually waited for it. */
#define HOLD_PATIENCE_MS 60000

void
hold_stop(struct hold *h, bool all)
{
	h->in.stop_ms = HOLD_PATIENCE_MS;
	if (inject_stop(&h->in, all, &h->e) != 0)
		fail_msg("%s", h->e.msg);
	h->in.stop_ms = 0;
}

void
hold_refused(pid_t pid, const char *why)
{
	struct err e = { 0 };

	assert_int_equal(inject_check(pid, false, &e), -1);
	if (strstr(e.msg, why) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", e.msg, why);
}
