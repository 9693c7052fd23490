/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * hard.c - processes that are hard to trace, and a sandbox to trace from.
 *
 * hard MODE MS       come into the state MODE names, say "ready", call work()
 *                    for about MS milliseconds, then say "ok" if all calls
 *                    returned what they must
 * hard exec PROG..   call work(), become PROG
 * hard become        become itself, again and again
 * hard sandbox CMD.. run CMD where bpf(2) and perf_event_open(2) are refused
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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

#define NTHREADS 64

long work(long n);

static long ncalls;

/* Long enough for a jump, and known to the byte. */
__asm__(".text\n.p2align 4\n.globl work\n.type work,@function\n"
	"work: push %rbp\n mov %rsp,%rbp\n lea 1(%rdi,%rdi,2),%rax\n"
	" pop %rbp\n ret\n.size work,.-work\n.p2align 4\n");

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

/* On the CPU: who waits for one must not take himself to be slow. */
static long
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void
call(long i)
{
	if (work(i) != 3 * i + 1)
		_exit(4);
	for (volatile int k = 0; k < 1000; k++)
		;
}

/* Without a system call, and without a clock: strict mode has neither. */
static void
run(void)
{
	for (long i = 0; i < ncalls; i++)
		call(i);
}

static void
measure(long ms)
{
	long end = now_ms() + 20, n = 0;

	while (now_ms() < end)
		for (int i = 0; i < 16; i++) /* the clock takes time, too */
			call(n++);
	ncalls = n * ms / 20;
}

/* Refuse the system calls with an error. */
static void
refuse(const unsigned *nr, size_t n)
{
	struct sock_filter f[16];
	size_t k = 0;

	f[k++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < n; i++) {
		f[k++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, nr[i], 0, 1);
		f[k++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
			SECCOMP_RET_ERRNO | EPERM);
	}
	f[k++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
					      SECCOMP_RET_ALLOW);
	struct sock_fprog p = { (unsigned short)k, f };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p) != 0)
		die("seccomp");
}

static void
sandbox(char **argv)
{
	static const unsigned nr[] = { SYS_bpf, SYS_perf_event_open };

	refuse(nr, 2);
	execv(argv[0], argv);
	die(argv[0]);
}

static void
no_maps(void)
{
	static const unsigned nr[] = { SYS_mmap, SYS_memfd_create, SYS_mprotect,
				       SYS_open, SYS_openat };

	refuse(nr, 5);
}

static void
strict(void)
{
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
		die("seccomp");
}

static void
no_space(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	if (f == NULL || fscanf(f, "%lu", &pages) != 1)
		die("statm");
	struct rlimit r = { pages * 4096, pages * 4096 };
	if (setrlimit(RLIMIT_AS, &r) != 0)
		die("setrlimit");
}

static void *
thread(void *arg)
{
	run();
	return NULL;
}

static void
threads(void)
{
	pthread_t t;

	ncalls /= NTHREADS / 4; /* each of them */
	for (int i = 0; i < NTHREADS; i++) {
		if (pthread_create(&t, NULL, thread, NULL) != 0)
			die("pthread_create");
		pthread_detach(t);
	}
}

/* Children come and go while it runs, and must do as it does. */
static void *
forker(void *arg)
{
	for (;;) {
		int st;
		pid_t pid = fork();

		if (pid == 0) {
			for (long i = 0; i < 1000; i++)
				if (work(i) != 3 * i + 1)
					_exit(4);
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, &st, 0) != pid || st != 0)
			_exit(5);
	}
}

static void *
loader(void *arg)
{
	for (;;) {
		void *lib = dlopen("libm.so.6", RTLD_NOW);
		double (*fn)(double) = NULL;

		if (lib != NULL)
			*(void **)&fn = dlsym(lib, "floor");
		if (fn == NULL || fn(2.5) != 2.0 || dlclose(lib) != 0)
			_exit(6);
		usleep(1000);
	}
}

static void
forks(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, forker, NULL) != 0)
		die("pthread_create");
}

static void
loads(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, loader, NULL) != 0)
		die("pthread_create");
}

static void
plain(void)
{
}

/* "ready", and calls go on, when the main thread is no more. */
static void *
rest(void *arg)
{
	char path[64], line[256];
	bool gone = false;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)getpid());
	while (!gone) {
		FILE *f = fopen(path, "r");

		if (f == NULL || fgets(line, sizeof(line), f) == NULL)
			die(path);
		fclose(f);
		gone = strstr(line, ") Z ") != NULL;
		usleep(1000);
	}
	say("ready\n");
	run();
	say("ok\n");
	_exit(0);
}

static void
no_leader(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, rest, NULL) != 0)
		die("pthread_create");
	pthread_exit(NULL);
}

/*
 * Writes into what it shares with its tracer: -2 into the counters of drops of
 * its own machine (struct rt), which is found by its thread's number.
 */
#define RT_DROPS 16  /* after head and tail: NDROPS counters */
#define NDROPS	 9
#define RT_TID	 124 /* and the machine's level 12 bytes before */

/* A slot begins a page; there are other tables that have threads in them. */
static bool
scribble_page(char *p)
{
	uint32_t tid, level;

	memcpy(&tid, p + RT_TID, 4);
	memcpy(&level, p + RT_TID - 12, 4);
	if (tid != (uint32_t)syscall(SYS_gettid) || level > 3)
		return false;
	for (int i = 0; i < NDROPS; i++)
		*(volatile uint64_t *)(void *)(p + RT_DROPS + 8 * i) =
			(uint64_t)-2;
	return true;
}

/* Of gigabytes only some pages are there. */
static bool
scribble_in(char *lo, char *hi)
{
	enum { PAGES = 65536 };
	static unsigned char is[PAGES];
	bool found = false;

	for (; lo < hi; lo += (size_t)PAGES * 4096) {
		size_t n = (size_t)(hi - lo) / 4096;

		if (n > PAGES)
			n = PAGES;
		if (mincore(lo, n * 4096, is) != 0)
			return found;
		for (size_t i = 0; i < n; i++)
			if ((is[i] & 1) != 0)
				found |= scribble_page(lo + i * 4096);
	}
	return found;
}

static void
scribble(void)
{
	char line[512];
	bool found = false;

	say("ready\n");
	for (int i = 0; i < 20000 && !found; i++) {
		FILE *f = fopen("/proc/self/maps", "r");

		call(i);
		while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
			uintptr_t lo, hi;

			if (strstr(line, "/memfd:dtrace") != NULL &&
			    sscanf(line, "%lx-%lx rw", &lo, &hi) == 2 &&
			    strstr(line, " rw-s ") != NULL)
				found |= scribble_in((char *)lo, (char *)hi);
		}
		if (f != NULL)
			fclose(f);
		usleep(1000);
	}
	if (!found)
		_exit(7);
	run();
	say("ok\n");
	_exit(0);
}

/* Becomes itself again and again; argv is what it was. */
static void
become(char **argv)
{
	for (volatile long i = 0; i < 300000; i++)
		;
	execv("/proc/self/exe", argv);
	die("/proc/self/exe");
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*enter)(void);
	} mode[] = {
		{ "plain", plain },       { "nomaps", no_maps },
		{ "strict", strict },     { "nospace", no_space },
		{ "threads", threads },   { "forks", forks },
		{ "loads", loads },       { "noleader", no_leader },
		{ "scribble", scribble },
	};

	if (argc > 2 && strcmp(argv[1], "sandbox") == 0)
		sandbox(argv + 2);
	if (argc > 1 && strcmp(argv[1], "become") == 0)
		become(argv);
	if (argc < 3)
		return 2;
	if (strcmp(argv[1], "exec") == 0) {
		work(1);
		execv(argv[2], argv + 2);
		die(argv[2]);
	}
	measure(atol(argv[2]));
	for (size_t i = 0; i < sizeof(mode) / sizeof(mode[0]); i++) {
		if (strcmp(mode[i].name, argv[1]) != 0)
			continue;
		mode[i].enter(); /* some do all that follows, and end */
		say("ready\n");
		run();
		say("ok\n");
		if (mode[i].enter == strict)
			syscall(SYS_exit, 0); /* all that it allows */
		_exit(0);
	}
	return 2;
}
