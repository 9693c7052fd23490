/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_cpu.c - where CPUs are, for curcpu: in which package and NUMA node, as
 * /sys/devices/system/cpu says.  Part of the consumer; engines ask when they
 * fill their memory, and the probe finds the answer there.
 */
#include "rt/engine.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
cpu_package(const char *dir, struct rt_cpu_place *p)
{
	char path[128];
	int id;

	snprintf(path, sizeof(path), "%s/topology/physical_package_id", dir);
	FILE *fp = fopen(path, "re");
	if (fp == NULL)
		return;
	/* -1: the machine does not say; then all are one */
	if (fscanf(fp, "%d", &id) == 1 && id > 0)
		p->chip = id;
	fclose(fp);
}

/* The directory of a CPU has a link to that of its node. */
static void
cpu_node(const char *dir, struct rt_cpu_place *p)
{
	const struct dirent *de;
	DIR *d = opendir(dir);

	if (d == NULL)
		return;
	while ((de = readdir(d)) != NULL) {
		if (strncmp(de->d_name, "node", 4) == 0)
			p->lgrp = atoi(de->d_name + 4);
	}
	closedir(d);
}

void
rt_cpu_places(const struct dif_enabling *en, struct rt_cpu_place *v, unsigned n)
{
	char dir[64];

	memset(v, 0, n * sizeof(*v));
	if ((dif_enabling_needs(en) & DIF_NEED_CPUS) == 0)
		return;
	for (unsigned i = 0; i < n; i++) {
		snprintf(dir, sizeof(dir), "/sys/devices/system/cpu/cpu%u", i);
		cpu_package(dir, &v[i]);
		cpu_node(dir, &v[i]);
	}
}
