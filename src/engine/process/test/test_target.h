/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_target.h - processes to work on, for the tests of inject, patch and
 * guard: forked from the test, running one of the bodies below in threads, and
 * reporting through a shared page.
 */
#ifndef ENGINE_PROCESS_TEST_TARGET_H
#define ENGINE_PROCESS_TEST_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What target and test share. */
struct tgt_page {
	volatile uint32_t ready;  /* threads that run */
	volatile uint32_t end;	  /* set by the test: leave, status 0 */
	volatile uint32_t errors; /* something was not as untraced */
	volatile uint32_t what;	  /* line of the last error */
	volatile uint64_t rounds;
	volatile uint64_t user[8]; /* the body's */
};
struct tgt {
	pid_t pid;
	struct tgt_page *page;
};
typedef void tgt_body(struct tgt_page *page, unsigned thread);

#define TGT_ERROR(page)                                   \
	do {                                              \
		(page)->what = __LINE__;                  \
		__atomic_add_fetch(&(page)->errors, 1,    \
				   __ATOMIC_RELAXED);     \
	} while (0)

/* A body: five milliseconds of sleep, which nothing cuts short. */
tgt_body tgt_body_sleep;

/* nthreads threads (the first is the main one) call body over and over, until
   page->end.  Returns when all have begun. */
void tgt_start(struct tgt *t, tgt_body *body, unsigned nthreads);
/* End it in order; true if it saw nothing wrong. */
bool tgt_end(struct tgt *t);
/* Kill and reap. */
void tgt_kill(struct tgt *t);
/* rounds grows on: it is alive and runs. */
bool tgt_runs(struct tgt *t);
/* A field of /proc/PID/status as a number (base 10, or 16 for masks). */
uint64_t tgt_status(pid_t pid, const char *field, int base);
char tgt_state(pid_t pid);
uint64_t tgt_now_us(void);
void tgt_sleep_us(unsigned us);
/* Reap until nobody is left whom we began, at most ms. */
bool tgt_reap_all(unsigned ms);

#endif
