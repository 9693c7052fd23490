/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_every.c - probes that fire in every process that maps a file: pid*, and
 * providers of static probes by a pattern.
 *
 * Such a probe is one, however many processes there are or will be; its
 * provider is called by a name and a star, and probeprov is the name and the
 * number of the process.  The engine that fires it records DIF_EVERY() in place
 * of the probe's id; here is the table of names.
 */
#include "lib/dt_impl.h"

#include <stdlib.h>
#include <string.h>

/* True if it fires in every process.  One that is made of others (plockstat*)
   may do so in system calls. */
static bool
every_probe(const struct dif_probe *p, const struct dif_site *sites)
{
	return p->nsites != 0 && sites[0].pid == 0 &&
	       (dif_sites[sites[0].kind].where == DIF_AT_USER ||
		strchr(p->prov, '*') != NULL);
}

int
dt_every_set(dtrace_hdl_t *dtp, struct dif_probe *p)
{
	size_t i;

	if (!every_probe(p, p->sites))
		return 0;
	for (i = 0; i < dtp->every.n; i++)
		if (strcmp(dtp->every.v[i], p->prov) == 0)
			break;
	if (i == DIF_EVERY_MAX)
		return dt_set_err(dtp, EDT_ENABLE,
				  "more than %u providers by patterns",
				  DIF_EVERY_MAX);
	if (i == dtp->every.n && !vec_push(&dtp->every, p->prov))
		return dt_nomem(dtp);
	p->every = (uint32_t)i + 1;
	return 0;
}

const char *
dt_every_name(dtrace_hdl_t *dtp, uint32_t value)
{
	uint32_t i = DIF_EVERY_OF(value) - 1;
	char text[128];
	size_t n;

	if (i >= dtp->every.n)
		return NULL;
	n = strcspn(dtp->every.v[i], "*");
	snprintf(text, sizeof(text), "%.*s%u", (int)n, dtp->every.v[i],
		 DIF_EVERY_PID(value));
	return probe_str(dtp->probes, text);
}

struct elf_file *
dt_every_open(dtrace_hdl_t *dtp, const char *path, struct err *e)
{
	struct elf_file *f = elf_open(path, e);

	if (f == NULL || vec_push(&dtp->every_files, f))
		return f;
	elf_close(f);
	err_nomem(e);
	return NULL;
}

void
dt_every_fini(dtrace_hdl_t *dtp)
{
	for (size_t i = 0; i < dtp->every_files.n; i++)
		elf_close(dtp->every_files.v[i]);
	vec_fini(&dtp->every_files);
	vec_fini(&dtp->every);
}
