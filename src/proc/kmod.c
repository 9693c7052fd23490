/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * kmod.c - which modules of the kernel are loaded, and which there are.
 */
#include "proc/proc.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#define MODULE_LINE 4096

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
	char line[MODULE_LINE], name[128], state[16], addr[32];
	uint64_t sum = 1;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "%127s %*s %*s %*s %15s %31s", name, state,
			   addr) == 3 && strcmp(state, "Live") == 0)
			sum += fnv(fnv(0xcbf29ce484222325u, name), addr);
	if (f != NULL)
		fclose(f);
	return sum;
}

/* Call fn with the beginning of each line of a file, up to one of the
   characters `end`, until it returns another value than 0.  That, or 0. */
static int
each_line(const char *path, const char *end,
	  int (*fn)(void *arg, const char *text), void *arg)
{
	FILE *f = fopen(path, "re");
	char line[MODULE_LINE];
	int rc = 0;

	while (f != NULL && rc == 0 && fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, end)] = '\0';
		rc = fn(arg, line);
	}
	if (f != NULL)
		fclose(f);
	return rc;
}

int
kmod_each(int (*fn)(void *arg, const char *name), void *arg)
{
	return each_line("/proc/modules", " \n", fn, arg);
}

static int
is_module(void *name, const char *loaded)
{
	return strcmp(name, loaded) == 0;
}

/* Files have '-' in some names that the kernel spells with '_'. */
static int
is_file_of(void *arg, const char *path)
{
	const char *s = strrchr(path, '/'), *name = arg;

	for (s = s != NULL ? s + 1 : path; *name != '\0'; name++, s++)
		if (*s != *name && (*s != '-' || *name != '_'))
			return 0;
	return strncmp(s, ".ko", 3) == 0 && !isalnum((unsigned char)s[3]);
}

/* True if a list in the folder of this kernel's modules has that one.  Lines
   begin with the path of a file. */
static bool
is_in_list(const char *list, const char *name)
{
	char path[512];
	struct utsname u;

	if (uname(&u) != 0)
		return false;
	snprintf(path, sizeof(path), "/lib/modules/%s/%s", u.release, list);
	return each_line(path, ":\n", is_file_of, (void *)(uintptr_t)name) != 0;
}

enum kmod_state
kmod_state(const char *name)
{
	if (kmod_each(is_module, (void *)(uintptr_t)name) != 0)
		return KMOD_LOADED;
	if (is_in_list("modules.builtin", name))
		return KMOD_BUILT_IN;
	return is_in_list("modules.dep", name) ? KMOD_ON_DISK : KMOD_UNKNOWN;
}
