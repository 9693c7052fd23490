/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * header.cc - the public headers are C++ too: a consumer in C++ compiles,
 * links, and runs what needs no tracing.
 */
#include <dtrace/dtrace.h>
#include <dtrace/probe.h>

#include <cstdio>
#include <string>

static int
count(dtrace_hdl_t *, const dtrace_probedesc_t *pdp, void *arg)
{
	static_cast<std::string *>(arg)->assign(pdp->dtpd_name);
	return 1;
}

int
main()
{
	int err = 0;
	std::string name;
	dtrace_hdl_t *dtp = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &err);
	dtrace_probedesc_t pd{};

	if (dtp == nullptr) {
		std::fprintf(stderr, "%s\n", dtrace_errmsg(nullptr, err));
		return 1;
	}
	bool ok = dtrace_str2desc(dtp, DTRACE_PROBESPEC_NAME, "dtrace:::END",
				  &pd) == 0 &&
		  dtrace_probe_iter(dtp, &pd, count, &name) == 1 &&
		  name == "END";
	dtrace_close(dtp);
	return ok ? 0 : 1;
}
