/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * step_stacks [-v] STACKS PAUSE PROGRAM [ARG ...] - walks of a running
 * program's stack at every instruction, against who has called whom.
 *
 * The program runs for PAUSE milliseconds.  Then its first thread is led from
 * instruction to instruction, and a list is kept of the calls that are made and
 * not yet returned from; no table, symbol or frame pointer is asked.  So it
 * serves for code that no debugger can walk through: that of V8.
 *
 * A stack is `equal`: its first frames are those of the list; `early`: it has
 * fewer and these are right; else wrong.  What was called before the beginning
 * is in no list, and there nothing is compared.  Status 1: one was wrong, or
 * more than one in a hundred early; 77: there is no such program, or it cannot
 * be traced.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rt/rt_mem.h"
#include "unwind/unwind.h"

#define FRAMES	200u
#define CALLS	4096u
#define INSN	8 /* bytes of a call, at most */
#define SHOWN	20u
#define SKIPPED 77
#define STEPS	40 /* for each stack that is to be compared, at most */

struct call {
	uint64_t slot, ret;
};
struct list {
	struct call v[CALLS];
	size_t n;
	struct call held; /* taken from the stack by no ret; ret 0: none */
};
struct counts {
	unsigned equal, early, wrong, none;
};

static struct rt *rt;
static struct rt_conf conf = { .unw_words = UNWIND_POOL_WORDS };
static struct rt_unw_area *area;
static struct unwind *uw;
static struct rt_host_mem host;
static pid_t child;
static bool verbose;

static int
read_child(void *arg, uint64_t addr, void *dst, uint64_t n, bool user)
{
	struct iovec to = { dst, n }, from = { (void *)(uintptr_t)addr, n };

	return process_vm_readv(child, &to, 1, &from, 1, 0) == (ssize_t)n ? 0
									  : -1;
}

static void
read_maps(void)
{
	struct unwind_maps m;

	if (unwind_maps(uw, child, &m) != 0)
		return;
	area->id += 2 - (area->id & 1); /* odd: maps[1] */
	area->id |= 1;
	area->n[1] = (uint32_t)m.n;
	memcpy(area->maps[1], m.v, m.n * sizeof(*m.v));
	unwind_maps_fini(&m);
}

static bool
open_walker(void)
{
	rt = calloc(1, sizeof(*rt));
	area = calloc(1, sizeof(*area) + 4 * (size_t)UNWIND_POOL_WORDS);
	if (rt == NULL || area == NULL)
		return false;
	area->pool_words = UNWIND_POOL_WORDS;
	uw = unwind_new(area->pool, UNWIND_POOL_WORDS);
	host.read = read_child;
	host.conf = &conf;
	host.unw = area;
	host.pool = area->pool;
	rt->host = (uint64_t)(uintptr_t)&host;
	rt->self = (uint64_t)(uintptr_t)rt;
	return uw != NULL;
}

static size_t
walk(const struct user_regs_struct *r)
{
	uint64_t n = rt_unwind(rt, r->rip, r->rsp, r->rbp, FRAMES);

	if (n & RT_UNWIND_WANT) {
		read_maps();
		n = rt_unwind(rt, r->rip, r->rsp, r->rbp, FRAMES);
	}
	return n & (RT_UNWIND_WANT - 1);
}

/* ---- who has called whom ------------------------------------------------- */

static void
list_push(struct list *l, uint64_t slot, uint64_t ret)
{
	if (l->n < CALLS)
		l->v[l->n++] = (struct call){ slot, ret };
}

/* What an instruction has done: registers before and after. */
static void
list_step(struct list *l, const struct user_regs_struct *a,
	  const struct user_regs_struct *b)
{
	uint64_t word = 0;

	while (l->n != 0 && l->v[l->n - 1].slot < b->rsp) {
		l->held = l->v[--l->n];
		if (l->held.ret == b->rip)
			l->held.ret = 0; /* a return */
	}
	if (b->rsp != a->rsp - 8 || read_child(NULL, b->rsp, &word, 8, true))
		return;
	if (word > a->rip + 1 && word <= a->rip + INSN && b->rip != word) {
		list_push(l, b->rsp, word);
	} else if (l->held.ret != 0 && word == l->held.ret) {
		list_push(l, b->rsp, word);
		l->held.ret = 0;
	}
}

/* ---- comparing ----------------------------------------------------------- */

static void
tell(const struct list *l, const char *how, const struct user_regs_struct *r,
     size_t n)
{
	uint8_t b[16] = { 0 };

	(void)read_child(NULL, r->rip, b, sizeof(b), true);
	printf("%s at %llx:", how, r->rip);
	for (size_t i = 0; i < sizeof(b); i++)
		printf(" %02x", b[i]);
	printf("\n");
	for (size_t i = 0; i < SHOWN && (i < l->n || i + 1 < n); i++)
		printf("  %#18lx %#18lx\n",
		       i < l->n ? (unsigned long)l->v[l->n - 1 - i].ret : 0ul,
		       i + 1 < n ? (unsigned long)RT_FRAMES(rt)[i + 1] : 0ul);
}

static bool
in_register(const struct user_regs_struct *r, uint64_t val)
{
	const unsigned long long v[] = { r->rax, r->rbx, r->rcx, r->rdx,
					 r->rsi, r->rdi, r->r8,	 r->r9,
					 r->r10, r->r11, r->r12, r->r13,
					 r->r14, r->r15 };

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++)
		if (v[i] == val)
			return true;
	return false;
}

static void
compare(const struct list *l, const struct user_regs_struct *r,
	struct counts *c)
{
	size_t n, i = 0, held = l->held.ret != 0;
	bool lost = false;

	if (l->n == 0) {
		c->none++;
		return;
	}
	n = walk(r);
	/* One that no register has is of a frame that was given up. */
	if (held && n > 1 && RT_FRAMES(rt)[1] != l->held.ret) {
		lost = in_register(r, l->held.ret);
		held = 0;
	}
	while (i + 1 + held < n && i < l->n &&
	       RT_FRAMES(rt)[i + 1 + held] == l->v[l->n - 1 - i].ret)
		i++;
	if (i == l->n && !lost) {
		c->equal++;
	} else if (i + 1 + held >= n && !lost) {
		c->early++;
		if (verbose)
			tell(l, "early", r, n);
	} else {
		if (c->wrong++ < SHOWN || verbose)
			tell(l, "wrong", r, n);
	}
}

/* ---- the program --------------------------------------------------------- */

static bool
stopped(int *status)
{
	return waitpid(child, status, __WALL) == child && WIFSTOPPED(*status);
}

static bool
begin(char **argv, unsigned pause_ms)
{
	int status;

	child = fork();
	if (child == 0) {
		(void)!freopen("/dev/null", "w", stdout);
		execvp(argv[0], argv);
		_exit(SKIPPED);
	}
	usleep(pause_ms * 1000);
	return child > 0 && ptrace(PTRACE_SEIZE, child, NULL, NULL) == 0 &&
	       ptrace(PTRACE_INTERRUPT, child, NULL, NULL) == 0 &&
	       stopped(&status);
}

static bool
step(struct user_regs_struct *r)
{
	int status, sig = 0;

	if (ptrace(PTRACE_SINGLESTEP, child, NULL, sig) != 0 ||
	    !stopped(&status))
		return false;
	while (WSTOPSIG(status) != SIGTRAP) {
		sig = WSTOPSIG(status);
		if (ptrace(PTRACE_SINGLESTEP, child, NULL, sig) != 0 ||
		    !stopped(&status))
			return false;
	}
	return ptrace(PTRACE_GETREGS, child, NULL, r) == 0;
}

/* Some of V8's builtins have the return address in a register for long, and the
   dynamic linker has its frame by one, so how many end early depends on where
   the program is met: none in most runs of 4,000 stacks, 160 in some. */
#define EARLY 10

static bool
run(unsigned long stacks, struct counts *c)
{
	static struct list l;
	struct user_regs_struct a, b;

	if (ptrace(PTRACE_GETREGS, child, NULL, &a) != 0)
		return false;
	read_maps();
	for (unsigned long i = 0; i < STEPS * stacks; i++, a = b) {
		if (c->equal + c->early + c->wrong == stacks)
			break;
		if (!step(&b))
			return false;
		list_step(&l, &a, &b);
		compare(&l, &b, c);
	}
	return true;
}

int
main(int argc, char **argv)
{
	struct counts c = { 0 };
	unsigned all;
	bool ok;

	if (argc > 1 && strcmp(argv[1], "-v") == 0) {
		verbose = true;
		argv++;
		argc--;
	}
	if (argc < 4 || !open_walker()) {
		fprintf(stderr, "usage: step_stacks [-v] STACKS PAUSE PROGRAM\n");
		return 2;
	}
	if (!begin(argv + 3, (unsigned)strtoul(argv[2], NULL, 10))) {
		printf("%s: cannot be run and traced\n", argv[3]);
		return SKIPPED;
	}
	ok = run(strtoul(argv[1], NULL, 10), &c);
	kill(child, SIGKILL);
	all = c.equal + c.early + c.wrong;
	printf("%s: %u stacks: %u equal, %u early, %u wrong (%u not known)%s\n",
	       argv[3], all, c.equal, c.early, c.wrong, c.none,
	       ok ? "" : "; it ended");
	return !ok || all == 0 || c.wrong != 0 || c.early > all / EARLY;
}
