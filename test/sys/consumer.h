/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * consumer.h - what the consumers of libdtrace that test it share: telling what
 * did not hold, and going on.
 */
#ifndef TEST_SYS_CONSUMER_H
#define TEST_SYS_CONSUMER_H

#include <dtrace/dtrace.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/base/test/capable.h"

static int failures; /* of the test that runs */

struct test {
	const char *name;
	void (*func)(void);
	bool traces;
};

#define CHECK(cond)                                                        \
	do {                                                               \
		if (!(cond)) {                                             \
			printf("# %s:%d: %s\n", __func__, __LINE__, #cond); \
			failures++;                                        \
		}                                                          \
	} while (0)

/* The call fails, with this number and its tag. */
#define REFUSED(dtp, call, edt)                                       \
	do {                                                          \
		CHECK((call) != 0);                                   \
		CHECK(dtrace_errno(dtp) == EDT_##edt);                \
		CHECK(strcmp(dtrace_errtag(dtp), "EDT_" #edt) == 0);  \
		CHECK(*dtrace_errmsg(dtp, dtrace_errno(dtp)) != '\0'); \
	} while (0)

static dtrace_hdl_t *
handle(int flags)
{
	int err = 0;
	dtrace_hdl_t *dtp = dtrace_open(DTRACE_VERSION, flags, &err);

	if (dtp == NULL) {
		printf("# cannot open: %s\n", dtrace_errmsg(NULL, err));
		exit(1);
	}
	return dtp;
}

/*
 * Run all tests that trace, or (unit) all that do not.  needs: what those that
 * trace need, in words of tools/capabilities.py.  The exit status: 77 is
 * skipped.
 */
static int
run_tests(const struct test *tests, size_t n, bool unit, const char *needs)
{
	int failed = unit ? 0 : capable(needs);

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (failed != 0)
		return failed;
	for (size_t i = 0; i < n; i++) {
		if (tests[i].traces == unit)
			continue;
		failures = 0;
		tests[i].func();
		printf("%s - %s\n", failures == 0 ? "ok" : "not ok",
		       tests[i].name);
		failed += failures != 0;
	}
	return failed != 0;
}

#endif
