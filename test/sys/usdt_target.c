/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * usdt_target.c - a program with static probes; it is C and C++.  Its values
 * are those that test/sys/usdt expects.  What it was told of who listens is in
 * its last line.
 */
#include "usdt_target.h"

#include <stdio.h>

struct res {
	int id;
};

static void
widths(int n, char **v)
{
	char c = -1;
	signed char sc = -128;
	unsigned char uc = 200;
	short s = -300;
	unsigned short us = 65000;
	int i = -70000;
	unsigned int ui = 3000000000u;
	long l = -5000000000L;
	unsigned long ul = 18000000000000000000UL;

	/* Not all of it is known when it is compiled. */
	i += n;
	ul -= n == 1 ? 0 : 5;
	TARGET_WIDTHS(c, sc, uc, s, us, i, ui, l, ul, -6000000000L,
		      17000000000000000000UL, v);
}

static void
queries(int n, char **v)
{
	static const char from[] = "here";
	struct res r = { 42 };

	TARGET_QUERY_START(v[0], from, "literal", &r, &n, 1, v);
	TARGET_QUERY_DONE(&r, n + r.id);
}

int
main(int argc, char **argv)
{
	int listens;

	if (TARGET_NONE_ENABLED())
		puts("none is enabled");
	TARGET_NONE();
	widths(argc, argv);
	queries(argc, argv);
	TARGET_REAL(1.5, 2.5f, argc == 1);
	argc = in_header(argc);
	argc > 100 ? TARGET_NONE() : TARGET_IN_HEADER(argc);
	listens = TARGET_WIDTHS_ENABLED() ? 1 : 0;
	printf("%d %d\n", other(argc), listens);
	return 0;
}
