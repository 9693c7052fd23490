/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * kmod.c - which modules of the kernel are loaded.
 */
#include "proc/proc.h"

#include <stdio.h>
#include <string.h>

static uint64_t
fnv(uint64_t h, const char *s)
{
	for (; *s != '\0'; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3u;
	return h;
}

/* Lines "name size uses users state address": the name, and the address, which
   is another when the module comes again; uses change all the time. */
uint64_t
kmod_seen(void)
{
	FILE *f = fopen("/proc/modules", "re");
	char line[4096], name[128], state[16], addr[32];
	uint64_t sum = 1;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "%127s %*s %*s %*s %15s %31s", name, state,
			   addr) == 3 && strcmp(state, "Live") == 0)
			sum += fnv(fnv(0xcbf29ce484222325u, name), addr);
	if (f != NULL)
		fclose(f);
	return sum;
}
