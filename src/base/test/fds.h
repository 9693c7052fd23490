/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fds.h - for tests: what opens a descriptor closes it, and what maps memory
 * that has a descriptor (memfd_create(2)) unmaps it, also where it fails.
 * For cmocka_run_group_tests(tests, fds_note, fds_check), behind cmocka.h: the
 * tests leave as many of both as there were.
 */
#ifndef BASE_TEST_FDS_H
#define BASE_TEST_FDS_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fds_at_first, fds_mapped_at_first;

/* Say which are open, unless out is NULL; their number. */
static inline int
fds_open(FILE *out)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *de;
	int n = 0;

	while (d != NULL && (de = readdir(d)) != NULL) {
		char what[256] = "";

		if (de->d_name[0] == '.')
			continue;
		n++;
		if (out != NULL && readlinkat(dirfd(d), de->d_name, what,
					      sizeof(what) - 1) > 0)
			fprintf(out, "# descriptor %s: %s\n", de->d_name, what);
	}
	if (d != NULL)
		closedir(d);
	return n;
}

/* The number of mappings of such memory; they are said, too. */
static inline int
fds_mapped(FILE *out)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];
	int n = 0;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		if (strstr(line, " /memfd:") == NULL)
			continue;
		n++;
		if (out != NULL)
			fprintf(out, "# mapping %s", line);
	}
	if (f != NULL)
		fclose(f);
	return n;
}

static inline int
fds_note(void **state)
{
	fds_at_first = fds_open(NULL);
	fds_mapped_at_first = fds_mapped(NULL);
	return 0;
}

static inline int
fds_check(void **state)
{
	if (fds_open(NULL) == fds_at_first &&
	    fds_mapped(NULL) == fds_mapped_at_first)
		return 0;
	fds_open(stderr);
	fds_mapped(stderr);
	exit(1); /* cmocka says that a teardown failed, and ends with 0 */
}

#endif
