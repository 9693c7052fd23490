/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * prov_lockstat.c - the lockstat provider: locks of the kernel, who has them
 * and who waits for them (Dynamic Tracing Guide, "lockstat Provider").
 *
 *	lockstat:vmlinux:contention_end:spin-spin
 *	lockstat:vmlinux:mutex_lock:adaptive-acquire ...
 *
 * Its probes and their sites are rows, on the machinery of tp_table.c.  What a
 * wait took is not known at any one place: the probes are made (prov_ops.made),
 * and clauses remember when it began: lockstat.def.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "prov/prov.h"
#include "prov/tp_table.h"

#define ABSENT(...)
#define LOCK(...)
#define SITE(...)
enum lock_keep {
	KEEP_NONE,
#define KEEP(id, text) KEEP_##id,
#include "prov/lockstat.def"
};

#define ABSENT(...)
#define LOCK(...)
#define SITE(...)
static const char *const keeps[] = {
	[KEEP_NONE] = NULL,
#define KEEP(id, text) [KEEP_##id] = text,
#include "prov/lockstat.def"
};

#define ABSENT(...)
#define KEEP(...)
#define SITE(...)
enum lock_probe {
#define LOCK(id, ...) LOCK_##id,
#include "prov/lockstat.def"
	NLOCKS
};

#define ABSENT(...)
#define KEEP(...)
#define SITE(...)
static const struct tp_probe probes[NLOCKS] = {
#define LOCK(id, f, n, keep, text, ...) \
	[LOCK_##id] = { f, n, { __VA_ARGS__ } },
#include "prov/lockstat.def"
};

#define ABSENT(...)
#define KEEP(...)
#define SITE(...)
static const struct lock_made {
	enum lock_keep keep;
	const char *text;
} mades[NLOCKS] = {
#define LOCK(id, f, n, keep, text, ...) [LOCK_##id] = { keep, text },
#include "prov/lockstat.def"
};

#define ABSENT(...)
#define KEEP(...)
#define LOCK(...)
static const struct tp_site sites[] = {
#define SITE(id, at, args, when) { .probe = LOCK_##id, at, args, when },
#include "prov/lockstat.def"
};

#define KEEP(...)
#define LOCK(...)
#define SITE(...)
static const struct tp_absent absent[] = {
#define ABSENT(name, why) { name, why },
#include "prov/lockstat.def"
};

static_assert(sizeof(sites) / sizeof(*sites) == NLOCKS, "one site a probe");

static const struct tp_table table = {
	.prov = "lockstat",
	.probes = probes,
	.nprobes = NLOCKS,
	.sites = sites,
	.nsites = sizeof(sites) / sizeof(*sites),
	.absent = absent,
	.nabsent = sizeof(absent) / sizeof(*absent),
};

/* True if this kernel has the function of the row.  Some have spin locks'
   inlined.  Where that is not known, that is said when the probe is enabled. */
static bool
kernel_has(struct prov *pv, const struct tp_probe *row, enum dif_site_kind kind)
{
	struct type_space *ts = pv->env->types;

	return kind == DIF_SITE_TP ||
	       type_kernel_func(ts, "vmlinux", row->func) != NULL ||
	       type_space_kernel_error(ts) != NULL;
}

/* Rows of probes and of sites stand in the same order, one for one. */
static int
lock_provide(struct prov *pv, const struct dif_pdesc *pd, struct err *e)
{
	for (unsigned i = 0; i < NLOCKS; i++) {
		const struct tp_probe *row = &probes[i];
		struct probe *p;

		if (!probe_desc_match(pd, "lockstat", "vmlinux", row->func,
				      row->name) ||
		    !kernel_has(pv, row, sites[i].kind))
			continue;
		p = probe_add(pv, "lockstat", "vmlinux", row->func, row->name);
		if (p == NULL)
			return err_nomem(e);
		p->num = i;
	}
	return tp_table_absent(&table, pd, e);
}

static int
lock_made(struct prov *pv, const struct probe *p, struct probe_made *out,
	  struct err *e)
{
	const struct lock_made *r = &mades[p->num];
	struct buf b = BUF_INIT;
	unsigned n = 0;

	*out = (struct probe_made){ 0 };
	if (keeps[r->keep] != NULL)
		out->text[n++] = keeps[r->keep];
	buf_printf(&b, "%s:%s:%s:%s { %s }", p->prov, p->mod, p->func, p->name,
		   r->text);
	out->text[n] = b.failed ? NULL : probe_str(pv->set, buf_str(&b));
	buf_fini(&b);
	return out->text[n] != NULL ? 0 : err_nomem(e);
}

int
prov_lockstat_init(struct prov *pv, struct err *e)
{
	pv->data = (void *)(uintptr_t)&table;
	return 0;
}

const struct prov_ops prov_lockstat_ops = {
	.name = "lockstat",
	.attr = { .prov = "Evolving/Evolving/Common",
		  .mod = "Private/Private/Unknown",
		  .func = "Private/Private/Unknown",
		  .name = "Evolving/Evolving/Common",
		  .args = "Evolving/Evolving/Common" },
	/* Which functions there are takes the kernel's types. */
	.many = true,
	.provide = lock_provide,
	.args = tp_table_args,
	.sites = tp_table_sites,
	.made = lock_made,
};
