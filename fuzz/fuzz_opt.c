/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fuzz_opt.c - any bytes as options: NAME=VALUE lines are set on a handle that
 * compiles only, then read back.  Those that open a file to be written (ctypes,
 * dtypes) are left out: it could be any.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dtrace/dtrace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
set(dtrace_hdl_t *dtp, char *line)
{
	char *val = strchr(line, '=');
	int64_t got;

	if (val != NULL)
		*val++ = '\0';
	if (dtrace_setopt(dtp, line, val) != 0)
		dtrace_errmsg(dtp, dtrace_errno(dtp));
	else
		dtrace_getopt(dtp, line, &got);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *rest = text, *line;
	int err;
	dtrace_hdl_t *dtp = dtrace_open(DTRACE_VERSION,
					DTRACE_O_NODEV | DTRACE_O_NOSYS, &err);

	if (text == NULL || dtp == NULL)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	while ((line = strsep(&rest, "\n")) != NULL)
		if (strstr(line, "types") == NULL)
			set(dtp, line);
	dtrace_close(dtp);
	free(text);
	return 0;
}
