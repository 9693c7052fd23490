/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What processes, threads and signals do, once each, by the name of a case.
 * The target says on its standard output what it knows of it, a line each, in
 * the words of test/sys/proc, which compares them with what probes saw.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/sched.h>

extern char **environ;

static void
say(const char *fmt, long a, long b)
{
	printf(fmt, a, b);
	putchar('\n');
	fflush(stdout);
}

/* The child's end, in the words of siginfo. */
static void
reap(pid_t pid)
{
	siginfo_t si;

	memset(&si, 0, sizeof(si));
	if (waitid(P_PID, (id_t)pid, &si, WEXITED) != 0)
		abort();
	say("exit %ld %ld", pid, si.si_code);
}

static void *
nothing(void *arg)
{
	return arg;
}

static void
threads(int n)
{
	pthread_t t[16];

	for (int i = 0; i < n; i++)
		if (pthread_create(&t[i], NULL, nothing, NULL) != 0)
			abort();
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

static int
clone_child(void *arg)
{
	return *(int *)arg;
}

/* ---- cases --------------------------------------------------------------- */

static void
case_fork(void)
{
	char *const argv[] = { (char[]){ "true" }, NULL };
	static char stack[65536] __attribute__((aligned(16)));
	struct clone_args ca = { .exit_signal = SIGCHLD };
	int status = 0;
	pid_t pid;

	if ((pid = fork()) == 0)
		_exit(0);
	say("create %ld", pid, 0);
	reap(pid);
	if ((pid = vfork()) == 0)
		_exit(0);
	say("create %ld", pid, 0);
	reap(pid);
	pid = clone(clone_child, stack + sizeof(stack), SIGCHLD, &status);
	say("create %ld", pid, 0);
	reap(pid);
	pid = (pid_t)syscall(SYS_clone3, &ca, sizeof(ca));
	if (pid == 0)
		_exit(0);
	say("create %ld", pid, 0);
	reap(pid);
	if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ) != 0)
		abort();
	say("create %ld", pid, 0);
	reap(pid);
	threads(3);
	say("threads %ld", 3, 0);
}

static void
end_by(int sig)
{
	struct rlimit core = { RLIM_INFINITY, RLIM_INFINITY };

	if (sig == SIGABRT)
		setrlimit(RLIMIT_CORE, &core);
	raise(sig);
}

static void *
forever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* A group of threads ends: by exit(3), or each on its own. */
static void
end_group(bool at_once)
{
	pthread_t t;

	for (int i = 0; i < 12; i++)
		pthread_create(&t, NULL, at_once ? forever : nothing, NULL);
	if (at_once)
		_exit(4);
	pthread_exit(NULL);
}

static void
case_exit(void)
{
	for (int how = 0; how < 26; how++) {
		pid_t pid = fork();
		if (pid == 0) {
			switch (how) {
			case 0: _exit(0);
			case 1: _exit(3);
			case 2: end_by(SIGKILL); break;
			case 3: end_by(SIGTERM); break;
			case 4: end_by(SIGABRT); break;
			default: end_group(how % 2 == 0);
			}
			_exit(9);
		}
		reap(pid);
	}
}

static void
failed(const char *path, int rc)
{
	if (rc != 0)
		printf("exec-failure %s %d\n", path, errno);
	fflush(stdout);
}

static void
case_exec(void)
{
	char *const argv[] = { (char[]){ "echo" }, (char[]){ "exec-success" },
			       (char[]){ "in  two" }, NULL };

	failed("/no/such", execve("/no/such", argv, environ));
	failed("/etc/passwd", execve("/etc/passwd", argv, environ));
	failed("none", (int)syscall(SYS_execveat, AT_FDCWD, "none", argv,
				    environ, 0));
	puts("exec-success /bin/echo");
	fflush(stdout);
	execve("/bin/echo", argv, environ);
}

static void
handler(int sig)
{
}

static void
case_signal(void)
{
	struct timespec now = { 0, 0 };
	sigset_t set;
	pid_t pid;

	signal(SIGUSR1, handler);
	say("handler %ld", (long)(uintptr_t)handler, 0);
	raise(SIGUSR1);
	say("send %ld", SIGUSR1, 0);
	say("handle %ld", SIGUSR1, 0);
	signal(SIGUSR2, SIG_IGN);
	raise(SIGUSR2);
	say("send %ld", SIGUSR2, 0);
	say("discard %ld", SIGUSR2, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGHUP);
	say("send %ld", SIGHUP, 0);
	if (sigtimedwait(&set, NULL, &now) == SIGHUP)
		say("clear %ld", SIGHUP, 0);
	sigtimedwait(&set, NULL, &now); /* there is none: not cleared */
	pid = fork();
	if (pid == 0)
		for (;;)
			pause();
	kill(pid, 0); /* no signal */
	kill(pid, SIGTERM);
	say("send %ld", SIGTERM, 0);
	reap(pid);
	say("discard %ld", SIGCHLD, 0); /* nobody wants it */
}

static void
fault(int sig)
{
	static volatile int zero;
	volatile char *page;
	int fd;

	switch (sig) {
	case SIGSEGV: *(volatile int *)(uintptr_t)zero = 1; break;
#ifdef __x86_64__
	case SIGILL: __asm__ volatile("ud2"); break;
	case SIGTRAP: __asm__ volatile("int3"); break;
#else
	case SIGILL: __asm__ volatile(".inst 0"); break; /* udf */
	case SIGTRAP: __asm__ volatile("brk #0"); break;
#endif
	case SIGFPE: zero = 7 / zero; break;
	case SIGBUS:
		fd = memfd_create("empty", 0);
		page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
		(void)*page;
		break;
	}
}

static void
case_fault(void)
{
	static const struct {
		int sig, flt;
	} all[] = { { SIGSEGV, 6 }, { SIGILL, 1 }, { SIGTRAP, 3 },
		    { SIGFPE, 8 }, { SIGBUS, 5 } };

	for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++) {
		pid_t pid = fork();
		struct rlimit none = { 0, 0 };
		if (pid == 0) {
			setrlimit(RLIMIT_CORE, &none);
			fault(all[i].sig);
			_exit(9);
		}
		waitpid(pid, NULL, 0);
		say("fault %ld %ld", all[i].flt, all[i].sig);
	}
	/* The same signal from a process is no fault. */
	pid_t pid = fork();
	if (pid == 0)
		for (;;)
			pause();
	kill(pid, SIGSEGV);
	waitpid(pid, NULL, 0);
}

int
main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	if (strcmp(name, "fork") == 0)
		case_fork();
	else if (strcmp(name, "exit") == 0)
		case_exit();
	else if (strcmp(name, "exec") == 0)
		case_exec();
	else if (strcmp(name, "signal") == 0)
		case_signal();
	else if (strcmp(name, "fault") == 0)
		case_fault();
	else
		return 2;
	return 0;
}
