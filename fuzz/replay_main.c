/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * replay_main.c - a fuzz target without libFuzzer: every file that is named,
 * and every file in a directory that is named, goes through it once.  So the
 * corpus, and with it every past crash, is an ordinary test.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct buf b = BUF_INIT;
	char block[4096];
	size_t n;

	if (f == NULL) {
		perror(path);
		return -1;
	}
	while ((n = fread(block, 1, sizeof(block), f)) > 0)
		buf_write(&b, block, n);
	fclose(f);
	/* Told before, so that a crash names its file. */
	printf("# %s\n", path);
	fflush(stdout);
	LLVMFuzzerTestOneInput((const uint8_t *)buf_str(&b), b.n);
	buf_fini(&b);
	return 0;
}

static int
replay_dir(const char *path)
{
	struct dirent **v;
	int n = scandir(path, &v, NULL, alphasort), rc = 0;

	if (n < 0) {
		perror(path);
		return -1;
	}
	for (int i = 0; i < n; i++) {
		char *file = NULL;
		if (v[i]->d_name[0] != '.' &&
		    asprintf(&file, "%s/%s", path, v[i]->d_name) > 0)
			rc |= replay_file(file);
		free(file);
		free(v[i]);
	}
	free(v);
	return rc;
}

int
main(int argc, char **argv)
{
	struct stat st;
	int rc = 0;

	for (int i = 1; i < argc; i++) {
		if (stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode))
			rc |= replay_dir(argv[i]);
		else
			rc |= replay_file(argv[i]);
	}
	return rc == 0 ? 0 : 1;
}
