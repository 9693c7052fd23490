/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * prov_profile.c - profile-N, which fires on every CPU, and tick-N, which
 * fires on one, N being a rate or an interval.
 *
 * There are as many such probes as numbers.  A few usual ones are there to be
 * listed; any other comes to be when it is named.  A name keeps its spelling,
 * so that tick-1s and tick-1sec are two probes, as they always were.  A rate
 * beyond 5000 a second is no probe's name.  (Dynamic Tracing Guide, "profile
 * Provider".)
 */
#include <stdio.h>
#include <string.h>

#include "prov/prov.h"

#define NSEC          1000000000u
#define PERIOD_MIN_NS 200000u

/* What follows the number; ns 0: the number is a rate. */
static const struct {
	const char *suffix;
	uint64_t ns;
} units[] = {
	{ "", 0 },
	{ "hz", 0 },
	{ "ns", 1 },
	{ "nsec", 1 },
	{ "us", 1000 },
	{ "usec", 1000 },
	{ "ms", 1000000 },
	{ "msec", 1000000 },
	{ "s", NSEC },
	{ "sec", NSEC },
	{ "m", 60ull * NSEC },
	{ "min", 60ull * NSEC },
	{ "h", 3600ull * NSEC },
	{ "hour", 3600ull * NSEC },
	{ "d", 86400ull * NSEC },
	{ "day", 86400ull * NSEC },
};

static const char *const ready[] = {
	"profile-97",   "profile-199",  "profile-499",  "profile-997",
	"profile-1999", "profile-4001", "profile-4999", "tick-1",
	"tick-10",      "tick-100",     "tick-500",     "tick-1000",
	"tick-5000",
};

/* The number at *s; false if there is none, or none that could be used. */
static bool
parse_number(const char **s, uint64_t *n)
{
	const char *p = *s;

	for (*n = 0; *p >= '0' && *p <= '9'; p++)
		if (*n > INT64_MAX / 10 - 1)
			return false;
		else
			*n = *n * 10 + (uint64_t)(*p - '0');
	if (p == *s || *n == 0)
		return false;
	*s = p;
	return true;
}

static bool
period_of(uint64_t n, const char *suffix, uint64_t *ns)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(units[i].suffix, suffix) != 0)
			continue;
		if (units[i].ns == 0)
			*ns = NSEC / n;
		else if (__builtin_mul_overflow(n, units[i].ns, ns))
			return false;
		return *ns >= PERIOD_MIN_NS && *ns <= INT64_MAX;
	}
	return false;
}

/* True if this is the name of such a probe; *kind and *ns are then set from
   it. */
static bool
profile_parse(const char *name, enum dif_site_kind *kind, uint64_t *ns)
{
	uint64_t n;

	if (strncmp(name, "profile-", 8) == 0) {
		*kind = DIF_SITE_PROFILE;
		name += 8;
	} else if (strncmp(name, "tick-", 5) == 0) {
		*kind = DIF_SITE_TICK;
		name += 5;
	} else {
		return false;
	}
	return parse_number(&name, &n) && period_of(n, name, ns);
}

const char *
prov_profile_why_not(const char *name)
{
	enum dif_site_kind kind;
	uint64_t ns;
	size_t skip = strncmp(name, "profile-", 8) == 0 ? 8
		      : strncmp(name, "tick-", 5) == 0	? 5
							: 0;

	if (strcmp(name, "profile") == 0 || strcmp(name, "tick") == 0)
		return "how often is said behind it, as in profile-97 and "
		       "tick-10s";
	if (skip == 0 || strpbrk(name, "*?[") != NULL ||
	    profile_parse(name, &kind, &ns))
		return NULL;
	if (name[skip] < '0' || name[skip] > '9')
		return "a rate or an interval is a number and a unit, as in "
		       "profile-97 and tick-10s";
	skip += strspn(name + skip, "0123456789");
	if (name[skip] == '.')
		return "numbers are whole: 500ms is written for 0.5s";
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(units[i].suffix, name + skip) == 0)
			return "rates are 1 to 5000 a second, intervals 200us "
			       "or longer";
	return "units are hz, ns, us, ms, s, m, h, d, and none for a rate";
}

static int
profile_add(struct prov *pv, const char *name, struct err *e)
{
	enum dif_site_kind kind;
	uint64_t ns;
	struct probe *p;

	if (!profile_parse(name, &kind, &ns))
		return 0;
	p = probe_add(pv, "profile", "", "", name);
	if (p == NULL)
		return err_nomem(e);
	p->num = ns;
	return 0;
}

static int
profile_provide(struct prov *pv, const struct dif_pdesc *pd, struct err *e)
{
	/* A name made of nothing but itself may be any number's. */
	if (probe_is_exact(pd->name)) {
		if (!probe_desc_match(pd, "profile", "", "", pd->name))
			return 0;
		return profile_add(pv, pd->name, e);
	}
	for (size_t i = 0; i < sizeof(ready) / sizeof(*ready); i++)
		if (probe_desc_match(pd, "profile", "", "", ready[i]) &&
		    profile_add(pv, ready[i], e) != 0)
			return -1;
	return 0;
}

static int
profile_sites(struct prov *pv, const struct probe *p, struct site_list *out,
	      struct err *e)
{
	static const struct dif_recipes pcs = {
		.arg = { { DIF_RCP_KPC }, { DIF_RCP_UPC } },
	};
	struct dif_site s = { .args = probe_recipes(pv->set, &pcs) };

	if (s.args == NULL)
		return err_nomem(e);
	profile_parse(p->name, &s.kind, &s.num);
	return site_add(out, &s, e);
}

int
prov_profile_init(struct prov *pv, struct err *e)
{
	return 0;
}

const struct prov_ops prov_profile_ops = {
	.name = "profile",
	.attr = { .prov = "Evolving/Evolving/Common",
		  .mod = "Unstable/Unstable/Unknown",
		  .func = "Private/Private/Unknown",
		  .name = "Evolving/Evolving/Common",
		  .args = "Evolving/Evolving/Common" },
	.provide = profile_provide,
	.sites = profile_sites,
};
