/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * prov_cpc.c - cpc: events that processors and the kernel count.
 *
 *	cpc:::<event>-<mode>-<count>
 *
 * fires on a CPU each time that the event has happened so many times there
 * while the CPU was in the mode: user, kernel, or all.  There are as many such
 * probes as counts: a usual one of each event is there to be listed, any other
 * comes to be when it is named.  Events are rows of cpc.def; perf_event_open(2)
 * is where they are documented.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "prov/prov.h"

/* Where the kernel shows that it drives counters of the processor. */
static const char *const pmus[] = {
	"/sys/bus/event_source/devices/cpu",
	"/sys/bus/event_source/devices/cpu_core",
	"/sys/bus/event_source/devices/armv8_pmuv3_0",
};

static const struct event {
	const char *name;
	uint32_t type;
	uint64_t config, usual, least;
} events[] = {
#define CPC(name, type, config, usual, least) \
	{ #name, PERF_TYPE_##type, config, usual, least },
#include "prov/cpc.def"
#undef CPC
};

#define NEVENTS (sizeof(events) / sizeof(*events))

static const struct mode {
	const char *name;
	bool user, kernel;
} modes[] = {
	{ "all", true, true },
	{ "user", true, false },
	{ "kernel", false, true },
};

/* ---- names --------------------------------------------------------------- */

/* A name taken apart. */
struct parsed {
	struct event event;
	const struct mode *mode; /* NULL: there is none in the name */
	uint64_t count; /* 0: none */
};

/* Words of the name are joined by - or _ alike. */
static bool
cpc_same(const char *name, size_t len, const char *event)
{
	if (strlen(event) != len)
		return false;
	for (size_t i = 0; i < len; i++)
		if (name[i] != event[i] && !(name[i] == '-' && event[i] == '_'))
			return false;
	return true;
}

/* "r" and the number that a model of processor has for an event and its mask,
   in hexadecimal, as perf(1) has it. */
static bool
raw_event(const char *name, size_t len, struct event *out)
{
	size_t digits = strspn(name + 1, "0123456789abcdefABCDEF");

	if (name[0] != 'r' || digits + 1 != len || digits == 0 || digits > 16)
		return false;
	*out = (struct event){ .name = "r", .type = PERF_TYPE_RAW,
			       .config = strtoull(name + 1, NULL, 16),
			       .least = 10000 };
	return true;
}

static bool
find_event(const char *name, size_t len, struct event *out)
{
	for (size_t i = 0; i < NEVENTS; i++)
		if (cpc_same(name, len, events[i].name)) {
			*out = events[i];
			return true;
		}
	return raw_event(name, len, out);
}

/* The number at the end, behind a -, whose place is the result; NULL: none that
   could be used. */
static const char *
parse_count(const char *name, uint64_t *n)
{
	const char *at = strrchr(name, '-');
	const char *p = at != NULL ? at + 1 : "";

	for (*n = 0; *p >= '0' && *p <= '9'; p++) {
		if (*n > INT64_MAX / 10 - 1)
			return NULL;
		*n = *n * 10 + (uint64_t)(*p - '0');
	}
	return *p == '\0' && *n != 0 ? at : NULL;
}

/* True if this is the name of an event, a mode and a count. */
static bool
cpc_parse(const char *name, struct parsed *out)
{
	const char *end = parse_count(name, &out->count);
	bool found = false;

	out->mode = NULL;
	if (end == NULL)
		out->count = 0;
	for (size_t i = 0; end != NULL && i < sizeof(modes) / sizeof(*modes);
	     i++) {
		size_t len = strlen(modes[i].name), all = (size_t)(end - name);

		if (all <= len + 1 || end[-(long)len - 1] != '-' ||
		    strncmp(end - len, modes[i].name, len) != 0)
			continue;
		out->mode = &modes[i];
		found = find_event(name, all - len - 1, &out->event);
	}
	return found;
}

/* What is wrong with a name that is none. */
static const char *
cpc_why(const struct parsed *n)
{
	if (n->count == 0)
		return "a name is an event, a mode and a count, as "
		       "cycles-user-100000";
	if (n->mode == NULL)
		return "before the count stands the mode: user, kernel or all; "
		       "an event with its mask is r and a number, as perf has "
		       "it: r01c2-user-100000";
	return "no such event is known; dtrace -lP cpc lists those of this "
	       "machine, and r and a number are one of its processor";
}

/* ---- probes -------------------------------------------------------------- */

static int
add_named(struct prov *pv, const struct dif_pdesc *pd, struct err *e)
{
	struct parsed n;

	if (!probe_desc_match(pd, "cpc", "", "", pd->name))
		return 0;
	if (!cpc_parse(pd->name, &n))
		return strcmp(pd->prov, "cpc") != 0
			       ? 0
			       : err_set(e, &D_PROC_NAME, 0, "cpc:::%s: %s",
					 pd->name, cpc_why(&n));
	if (n.count < n.event.least)
		return err_set(e, &ERR_GENERIC, 0,
			       "cpc:::%s: the count must be %llu or more",
			       pd->name, (unsigned long long)n.event.least);
	return probe_add(pv, "cpc", "", "", pd->name) != NULL ? 0
							     : err_nomem(e);
}

static bool
have_pmu(void)
{
	for (size_t i = 0; i < sizeof(pmus) / sizeof(*pmus); i++)
		if (access(pmus[i], F_OK) == 0)
			return true;
	return false;
}

static int
cpc_provide(struct prov *pv, const struct dif_pdesc *pd, struct err *e)
{
	bool pmu;

	if (!probe_glob(pd->prov, "cpc"))
		return 0;
	if (probe_is_exact(pd->name))
		return add_named(pv, pd, e);
	pmu = have_pmu();
	for (size_t i = 0; i < NEVENTS; i++) {
		char name[96];

		if (events[i].type != PERF_TYPE_SOFTWARE && !pmu)
			continue;
		snprintf(name, sizeof(name), "%s-all-%llu", events[i].name,
			 (unsigned long long)events[i].usual);
		if (probe_desc_match(pd, "cpc", "", "", name) &&
		    probe_add(pv, "cpc", "", "", name) == NULL)
			return err_nomem(e);
	}
	return 0;
}

static int
cpc_sites(struct prov *pv, const struct probe *p, struct site_list *out,
	  struct err *e)
{
	static const struct dif_recipes pcs = {
		.arg = { { DIF_RCP_KPC }, { DIF_RCP_UPC } },
	};
	struct dif_site s = { .kind = DIF_SITE_COUNTER,
			      .args = probe_recipes(pv->set, &pcs) };
	struct parsed n;

	if (s.args == NULL)
		return err_nomem(e);
	if (!cpc_parse(p->name, &n))
		return 0;
	s.num = n.count;
	s.counter = (struct dif_counter){ n.event.type, n.event.config,
					  n.mode->user, n.mode->kernel };
	return site_add(out, &s, e);
}

int
prov_cpc_init(struct prov *pv, struct err *e)
{
	return 0;
}

const struct prov_ops prov_cpc_ops = {
	.name = "cpc",
	.attr = { .prov = "Evolving/Evolving/Common",
		  .mod = "Unstable/Unstable/Unknown",
		  .func = "Private/Private/Unknown",
		  .name = "Evolving/Evolving/Common",
		  .args = "Evolving/Evolving/Common" },
	.provide = cpc_provide,
	.sites = cpc_sites,
};
