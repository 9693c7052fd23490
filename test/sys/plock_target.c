/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * plock_target.c - takes locks a known number of times, and waits for each kind
 * once: the other thread holds it until this one sleeps.
 *
 * usage: plock_target [fork]	fork: a child does, and its parent waits for it
 *	  plock_target hammer	two threads want one adaptive mutex, a second
 *	  long
 *	  plock_target knock	takes the mutex `knock` until there is input,
 *	  says when all is done, and waits for the end of the input
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TIMES 100

pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t twice, adaptive;
pthread_mutex_t wanted = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t timed = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t read_wanted = PTHREAD_RWLOCK_INITIALIZER;
pthread_rwlock_t write_wanted = PTHREAD_RWLOCK_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
pthread_spinlock_t spin, spun;
pthread_mutex_t knock = PTHREAD_MUTEX_INITIALIZER;
static int ready;
static volatile pid_t waiter;

static void
must(int rc)
{
	if (rc != 0) {
		fprintf(stderr, "plock_target: %s\n", strerror(rc));
		exit(1);
	}
}

/* Until the other thread sleeps. */
static void
until_asleep(void)
{
	char path[64], line[256];
	const char *p = NULL;

	while (waiter == 0)
		usleep(1000);
	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", (int)waiter);
	do {
		FILE *fp = fopen(path, "r");
		usleep(2000);
		p = fp != NULL ? fgets(line, sizeof(line), fp) : NULL;
		if (fp != NULL)
			fclose(fp);
	} while (p == NULL || atoi(line) != SYS_futex);
	waiter = 0;
}

/* Until the other thread spins: it has counted itself in the lock.  Where that
   cannot be seen, it is given time. */
static void
until_spins(void)
{
	while (waiter == 0)
		usleep(1000);
#if defined(__GLIBC__) && defined(__x86_64__)
	while (spun >= 0)
		usleep(1000);
#else
	usleep(200000);
#endif
}

static void
mark(void)
{
	waiter = (pid_t)syscall(SYS_gettid);
}

static void
mutex_of_type(pthread_mutex_t *m, int type)
{
	pthread_mutexattr_t a;

	must(pthread_mutexattr_init(&a));
	must(pthread_mutexattr_settype(&a, type));
	must(pthread_mutex_init(m, &a));
	must(pthread_mutexattr_destroy(&a));
}

static void *
hammers(void *arg)
{
	time_t end = time(NULL) + 2;

	while (time(NULL) < end)
		for (int i = 0; i < TIMES; i++) {
			must(pthread_mutex_lock(&adaptive));
			must(pthread_mutex_unlock(&adaptive));
		}
	return arg;
}

static __attribute__((noinline)) void *
waits(void *arg)
{
	struct timespec t;

	mark();
	must(pthread_mutex_lock(&wanted));
	must(pthread_mutex_unlock(&wanted));
	mark();
	must(pthread_mutex_lock(&adaptive));
	must(pthread_mutex_unlock(&adaptive));
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += 20000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	if (pthread_mutex_timedlock(&timed, &t) != ETIMEDOUT)
		exit(1);
	mark();
	must(pthread_rwlock_rdlock(&read_wanted));
	must(pthread_rwlock_unlock(&read_wanted));
	mark();
	must(pthread_rwlock_wrlock(&write_wanted));
	must(pthread_rwlock_unlock(&write_wanted));
	must(pthread_mutex_lock(&guard));
	mark();
	while (!ready)
		must(pthread_cond_wait(&changed, &guard));
	must(pthread_mutex_unlock(&guard));
	mark();
	must(pthread_spin_lock(&spun));
	must(pthread_spin_unlock(&spun));
	return arg;
}

static __attribute__((noinline)) void
alone(void)
{
	must(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE));
	must(pthread_spin_lock(&spin));
	must(pthread_spin_unlock(&spin));
	must(pthread_spin_init(&spun, PTHREAD_PROCESS_PRIVATE));
	for (int i = 0; i < TIMES; i++) {
		must(pthread_mutex_lock(&plain));
		if (pthread_mutex_trylock(&plain) != EBUSY)
			exit(1);
		must(pthread_mutex_unlock(&plain));
		must(pthread_mutex_lock(&twice));
		must(pthread_mutex_lock(&twice));
		must(pthread_mutex_unlock(&twice));
		must(pthread_mutex_unlock(&twice));
	}
}

/* Take and release a lock until whoever reads what the tracer prints says that
   the tracing is there. */
static void
knocks(void)
{
	struct pollfd in = { .fd = 0, .events = POLLIN };

	while (poll(&in, 1, 10) == 0) {
		must(pthread_mutex_lock(&knock));
		must(pthread_mutex_unlock(&knock));
	}
}

/* Its symbols are read while it lives. */
static void
is_done(void)
{
	char c;

	(void)!write(1, "done\n", 5);
	while (read(0, &c, 1) > 0)
		;
}

int
main(int argc, char **argv)
{
	int status = 0;
	pthread_t t;

	mutex_of_type(&twice, PTHREAD_MUTEX_RECURSIVE);
#ifdef __GLIBC__
	mutex_of_type(&adaptive, PTHREAD_MUTEX_ADAPTIVE_NP);
#else
	mutex_of_type(&adaptive, PTHREAD_MUTEX_NORMAL);
#endif
	if (argc > 1 && strcmp(argv[1], "hammer") == 0) {
		must(pthread_create(&t, NULL, hammers, NULL));
		hammers(NULL);
		must(pthread_join(t, NULL));
		return 0;
	}
	if (argc > 1 && strcmp(argv[1], "knock") == 0)
		knocks();
	else if (argc > 1 && fork() != 0)
		return wait(&status) < 0 || status != 0;
	alone();
	must(pthread_spin_lock(&spun));
	must(pthread_mutex_lock(&wanted));
	must(pthread_mutex_lock(&adaptive));
	must(pthread_mutex_lock(&timed));
	must(pthread_rwlock_wrlock(&read_wanted));
	must(pthread_rwlock_rdlock(&write_wanted));
	must(pthread_create(&t, NULL, waits, NULL));
	until_asleep();
	must(pthread_mutex_unlock(&wanted));
	until_asleep();
	must(pthread_mutex_unlock(&adaptive));
	until_asleep();
	must(pthread_rwlock_unlock(&read_wanted));
	until_asleep();
	must(pthread_rwlock_unlock(&write_wanted));
	until_asleep();
	must(pthread_mutex_lock(&guard));
	ready = 1;
	must(pthread_cond_signal(&changed));
	must(pthread_mutex_unlock(&guard));
	until_spins();
	must(pthread_spin_unlock(&spun));
	must(pthread_join(t, NULL));
	if (argc > 1 && strcmp(argv[1], "knock") == 0)
		is_done();
	return 0;
}
