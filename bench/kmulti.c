/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * kmulti.c - what the kernel itself takes to attach a program that does nothing
 * to functions, and to take it away: one kprobe_multi link, nothing else.
 *
 * usage: kmulti < names     one a line; those that the kernel refuses are left
 *                           out
 *
 * Prints how many were attached, the milliseconds of CPU time that attaching
 * them took, and those that detaching took.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

static double
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static int
empty_program(void)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, o,
		    .expected_attach_type = BPF_TRACE_KPROBE_MULTI);

	return bpf_prog_load(BPF_PROG_TYPE_KPROBE, "empty", "GPL", code, 2, &o);
}

static int
attach(int prog, const char **names, size_t n)
{
	LIBBPF_OPTS(bpf_link_create_opts, o, .kprobe_multi.syms = names,
		    .kprobe_multi.cnt = (unsigned)n);

	return bpf_link_create(prog, 0, BPF_TRACE_KPROBE_MULTI, &o);
}

/* The names that the kernel takes come to the front of good; how many. */
static size_t
taken(int prog, const char **names, size_t n, const char **good)
{
	int link = n > 0 ? attach(prog, names, n) : -1;

	if (link >= 0) {
		close(link);
		memcpy(good, names, n * sizeof(*names));
		return n;
	}
	if (n < 2)
		return 0;
	size_t first = taken(prog, names, n / 2, good);
	return first + taken(prog, names + n / 2, n - n / 2, good + first);
}

int
main(void)
{
	static const char *names[100000], *good[100000];
	int prog = empty_program(), link;
	char line[512];
	double t, took;
	size_t n = 0;

	while (n < 100000 && fgets(line, sizeof(line), stdin) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		names[n] = strdup(line);
		if (names[n++] == NULL)
			return 1;
	}
	n = prog < 0 ? 0 : taken(prog, names, n, good);
	if (n == 0) {
		perror("kmulti");
		return 1;
	}
	t = now();
	link = attach(prog, good, n);
	took = now() - t;
	t = now();
	close(link);
	printf("%zu %.1f %.1f\n", n, took, now() - t);
	return 0;
}
