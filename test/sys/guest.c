/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * guest.c - processes that live under filters and limits, or whose threads are
 * not those of the C library.
 *
 * guest MODE N M   come into the state MODE names; say "ready"; wait for a byte
 *                  on standard input, or its end; call work() in N threads, M
 * times in each, the main thread among them; say "ok" if all calls returned
 * what they must and all memory is what it was
 *
 * Modes:
 *   plain                 nothing
 *   kill, trap, errno     an allow-list filter with that action for the rest;
 *                         threads are made under it
 *   mixed                 a filter for the second thread only
 *   naps                  as kill, with a thread that sleeps again and again
 *   late-kill             the filter comes after "ready"
 *   forks-kill            under the filter, with children that call work(), too
 *   locked                mlockall(MCL_CURRENT | MCL_FUTURE)
 *   locked-late           mlockall(MCL_CURRENT) after "ready", which must not
 *                         take more than 64 MB of memory that is shared
 *   nofile, nofile-2      no free descriptor below the hard limit, or two
 *   space                 RLIMIT_AS leaves some megabytes
 *   raw                   threads by clone(2) that share one thread pointer
 *   raw-late              the same, made after "ready"
 *   raw-asks, raw-asks-late
 *                         the same, and each calls getppid(2) as often
 *   vfork                 waits for M seconds in the kernel, for its child
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STACK (64u << 10)
#define MOST  512

long work(long n);

/* Long enough for a jump, and known to the byte. */
__asm__(".text\n.p2align 4\n.globl work\n.type work,@function\n"
	"work: push %rbp\n mov %rsp,%rbp\n lea 1(%rdi,%rdi,2),%rax\n"
	" pop %rbp\n ret\n.size work,.-work\n.p2align 4\n");

static unsigned nthreads;
static long ncalls;
static volatile int begin, nended, bad;
static bool asks; /* work() and getppid(2) in turn */
static long parent;

static void
die(const char *what)
{
	perror(what);
	exit(2);
}

static void
say(const char *s)
{
	if (write(1, s, strlen(s)) < 0)
		_exit(3);
}

static long
bare_call(long nr)
{
	long res;

	__asm__ volatile("syscall"
			 : "=a"(res)
			 : "0"(nr)
			 : "rcx", "r11", "memory");
	return res;
}

static void
calls(void)
{
	for (long i = 0; i < ncalls; i++)
		if (work(i) != 3 * i + 1 ||
		    (asks && bare_call(SYS_getppid) != parent))
			bad = 1;
}

static void
wait_word(volatile int *p, int until)
{
	int is;

	while ((is = *p) != until)
		syscall(SYS_futex, p, FUTEX_WAIT, is, NULL, NULL, 0);
}

static void
wake_word(volatile int *p)
{
	syscall(SYS_futex, p, FUTEX_WAKE, MOST, NULL, NULL, 0);
}

static void
ended(void)
{
	__atomic_add_fetch(&nended, 1, __ATOMIC_SEQ_CST);
	wake_word(&nended);
}

static void *
thread(void *arg)
{
	wait_word(&begin, 1);
	calls();
	ended();
	return NULL;
}

static void
make_threads(unsigned n)
{
	pthread_attr_t a;
	pthread_t t;

	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, STACK);
	for (unsigned i = 0; i < n; i++) {
		if (pthread_create(&t, &a, thread, NULL) != 0)
			die("pthread_create");
		pthread_detach(t);
	}
}

/* ---- filters ------------------------------------------------------------- */

/* What this program itself needs, and nothing that a tracer might want. */
static const unsigned allowed[] = {
	SYS_read,           SYS_write,           SYS_exit,       SYS_exit_group,
	SYS_futex,          SYS_clone,           SYS_clone3,     SYS_mmap,
	SYS_mprotect,       SYS_munmap,          SYS_madvise,    SYS_brk,
	SYS_rt_sigprocmask, SYS_set_robust_list, 334 /* rseq */, SYS_wait4,
	SYS_getrandom,      SYS_rt_sigaction,    SYS_clock_nanosleep,
};
#define NALLOWED (sizeof(allowed) / sizeof(*allowed))

static void
filter(unsigned action)
{
	struct sock_filter f[NALLOWED + 3];
	struct sock_fprog p = { NALLOWED + 3, f };

	f[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					    offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < NALLOWED; i++)
		f[i + 1] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, allowed[i],
			(unsigned char)(NALLOWED - i), 0);
	f[NALLOWED + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
	f[NALLOWED + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
						       SECCOMP_RET_ALLOW);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p) != 0)
		die("seccomp");
}

static void
none(void)
{
}

static void
filter_kill(void)
{
	filter(SECCOMP_RET_KILL_PROCESS);
}

static void
filter_trap(void)
{
	filter(SECCOMP_RET_TRAP);
}

static void
filter_errno(void)
{
	filter(SECCOMP_RET_ERRNO | EPERM);
}

static void *
napper(void *arg)
{
	for (;;)
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
}

/* A thread that goes on sleeping by restart_syscall(2) when it was stopped. */
static void
naps(void)
{
	pthread_t t;

	filter_kill();
	if (pthread_create(&t, NULL, napper, NULL) != 0)
		die("pthread_create");
}

static void *
filtered_thread(void *arg)
{
	volatile int *is = arg;

	filter_kill();
	*is = 1;
	wake_word(is);
	return thread(NULL);
}

static void
mixed(void)
{
	static volatile int is;
	pthread_t t;

	if (pthread_create(&t, NULL, filtered_thread, (void *)&is) != 0)
		die("pthread_create");
	wait_word(&is, 1);
	nthreads--;
}

static void
child(void)
{
	pid_t pid = fork();
	int st;

	if (pid == 0) {
		calls();
		_exit(bad);
	}
	if (pid < 0 || waitpid(pid, &st, 0) != pid || st != 0)
		bad = 2;
}

/* ---- limits -------------------------------------------------------------- */

static void
locked(void)
{
	if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
		die("mlockall");
}

static void
locked_late(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	unsigned long kb = ~0ul;
	char line[256];

	if (mlockall(MCL_CURRENT) != 0)
		die("mlockall");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "RssShmem: %lu", &kb) == 1)
			break;
	if (kb > 64 << 10)
		bad = 4;
}

static void
nofile(void)
{
	struct rlimit r = { 64, 64 };

	if (setrlimit(RLIMIT_NOFILE, &r) != 0)
		die("setrlimit");
	while (dup(0) >= 0)
		;
}

static void
nofile_2(void)
{
	nofile();
	close(60);
	close(61);
}

static void
space(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	if (f == NULL || fscanf(f, "%lu", &pages) != 1)
		die("statm");
	struct rlimit r = { pages * 4096 + (64u << 20),
			    pages * 4096 + (64u << 20) };
	if (setrlimit(RLIMIT_AS, &r) != 0)
		die("setrlimit");
}

/* ---- threads without a thread pointer -------------------------------------
 */

/* No C library here: errno is its maker's. */
static int
raw_thread(void *arg)
{
	while (begin == 0)
		__builtin_ia32_pause();
	calls();
	__atomic_add_fetch(&nended, 1, __ATOMIC_SEQ_CST);
	return 0;
}

/* clone(2) by its bare instruction, with a new stack that begins with what the
   thread calls. */
static long
raw_clone(void *stack)
{
	const long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
			   CLONE_THREAD | CLONE_SYSVSEM;
	void **top = (void **)((char *)stack + STACK) - 2;
	long res;

	top[0] = (void *)(uintptr_t)raw_thread;
	__asm__ volatile("mov %[nr], %%eax\n"
			 "xor %%edx, %%edx\n"
			 "xor %%r10d, %%r10d\n"
			 "xor %%r8d, %%r8d\n"
			 "syscall\n"
			 "test %%rax, %%rax\n"
			 "jnz 1f\n"
			 "pop %%rax\n"
			 "call *%%rax\n"
			 "mov $60, %%eax\n"
			 "xor %%edi, %%edi\n"
			 "syscall\n"
			 "1:"
			 : "=a"(res)
			 : [nr] "i"(SYS_clone), "D"(flags), "S"(top)
			 : "rcx", "r11", "rdx", "r10", "r8", "r9", "memory");
	return res;
}

static void
raw(void)
{
	for (unsigned i = 1; i < nthreads; i++)
		if (raw_clone(mmap(NULL, STACK, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) < 0)
			die("clone");
}

/* ---- where nothing reaches it ---------------------------------------------
 */

static void
wait_for_child(void)
{
	pid_t pid;

	if (work(1) != 4)
		bad = 1;
	say("waits\n");
	pid = vfork();
	if (pid == 0) {
		sleep((unsigned)ncalls);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		bad = 3;
}

static void
raw_asks(void)
{
	asks = true;
	raw();
}

/* -------------------------------------------------------------------------- */

struct mode {
	const char *name;
	void (*before)(void); /* "ready" */
	void (*after)(void);
	bool raw, forks;
};
static const struct mode modes[] = {
	{ "plain", none, none, false, false },
	{ "kill", filter_kill, none },
	{ "trap", filter_trap, none },
	{ "errno", filter_errno, none },
	{ "naps", naps, none },
	{ "mixed", mixed, none },
	{ "late-kill", none, filter_kill },
	{ "forks-kill", filter_kill, none, .forks = true },
	{ "locked", locked, none },
	{ "locked-late", none, locked_late },
	{ "nofile", nofile, none },
	{ "nofile-2", nofile_2, none },
	{ "space", space, none },
	{ "raw", raw, none, .raw = true },
	{ "raw-late", none, raw, .raw = true },
	{ "raw-asks", raw_asks, none, .raw = true },
	{ "raw-asks-late", none, raw_asks, .raw = true },
	{ "vfork", none, wait_for_child },
};

static void
run(const struct mode *m)
{
	unsigned all = nthreads;
	char go;

	m->before();
	say("ready\n");
	if (read(0, &go, 1) < 0)
		_exit(5);
	m->after();
	if (!m->raw)
		make_threads(nthreads - 1);
	begin = 1;
	wake_word(&begin);
	if (m->after != wait_for_child)
		calls();
	if (m->forks)
		child();
	ended();
	while (nended != (int)all)
		if (m->raw)
			__builtin_ia32_pause();
		else
			wait_word(&nended, (int)all);
	say(bad != 0 ? "bad\n" : "ok\n");
	_exit(bad);
}

int
main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	nthreads = (unsigned)atoi(argv[2]);
	ncalls = atol(argv[3]);
	parent = getppid();
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (strcmp(modes[i].name, argv[1]) == 0)
			run(&modes[i]);
	return 2;
}
