/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * capable.h - what this machine lets a test do, asked of tools/capabilities.py
 * rather than of the product: a product that is broken would say "not
 * permitted", and its tests would be skipped.
 *
 * The build defines CAPABILITIES, the path of that program.
 */
#ifndef BASE_TEST_CAPABLE_H
#define BASE_TEST_CAPABLE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

/*
 * Ask for capabilities (words of tools/capabilities.py, separated by spaces).
 * Returns the status with which a test that needs them shall end: 0 when all
 * are there, so that it goes on; 77 (skip) or 1 (failure, as DTRACE_REQUIRE
 * demands what is not there) after a line with the reason on standard output.
 */
static inline int
capable(const char *words)
{
	char line[500], command[300];
	FILE *f;
	int status;

	/* LeakSanitizer, of tools/mutate, is for this program alone. */
	unsetenv("LD_PRELOAD");
	snprintf(command, sizeof(command), "%s %s", CAPABILITIES, words);
	f = popen(command, "r");
	if (f == NULL)
		return 1;
	while (fgets(line, sizeof(line), f) != NULL)
		printf("# %s", line);
	status = pclose(f);
	fflush(stdout);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/*
 * What main() of a program that writes TAP returns after capable() gave a
 * status other than 0: a skip is a plan without tests and the status 0 there,
 * as Meson takes any other status for an error.
 */
static inline int
capable_tap(int status)
{
	if (status != 77)
		return status;
	printf("1..0 # SKIP\n");
	return 0;
}

/*
 * capable() for one test of a cmocka group, which a missing capability makes
 * end at once: true when it may go on, false when it returns.  It fails the
 * test where the capability is required.  (cmocka's own skip() reads as a
 * failure in TAP; tools/check counts the line "# skip:" instead.)
 */
#define CAPABLE(words)                                          \
	__extension__({                                         \
		int capable_status = capable(words);            \
		if (capable_status != 0 && capable_status != 77) \
			fail_msg("%s", "see the line above");   \
		capable_status == 0;                            \
	})

#endif
