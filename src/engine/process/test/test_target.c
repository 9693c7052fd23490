/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_target.c - processes to work on.
 */
#include "engine/process/test/test_target.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct thread_arg {
	struct tgt_page *page;
	tgt_body *body;
	unsigned index;
};

uint64_t
tgt_now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

void
tgt_sleep_us(unsigned us)
{
	nanosleep(&(struct timespec){ us / 1000000, us % 1000000 * 1000l },
		  NULL);
}

void
tgt_body_sleep(struct tgt_page *page, unsigned thread)
{
	struct timespec t = { 0, 5000000 };

	if (nanosleep(&t, NULL) != 0)
		TGT_ERROR(page);
}

static void *
run_thread(void *arg)
{
	struct thread_arg *a = arg;

	__atomic_add_fetch(&a->page->ready, 1, __ATOMIC_SEQ_CST);
	while (!a->page->end) {
		a->body(a->page, a->index);
		__atomic_add_fetch(&a->page->rounds, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void __attribute__((noreturn))
run_target(struct tgt_page *page, tgt_body *body, unsigned n)
{
	struct thread_arg arg[64];
	pthread_t th[64];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned i = 0; i < n; i++) {
		arg[i] = (struct thread_arg){ page, body, i };
		if (i > 0 &&
		    pthread_create(&th[i], NULL, run_thread, &arg[i]) != 0)
			_exit(2);
	}
	run_thread(&arg[0]);
	for (unsigned i = 1; i < n; i++)
		pthread_join(th[i], NULL);
	_exit(page->errors != 0);
}

void
tgt_start(struct tgt *t, tgt_body *body, unsigned nthreads)
{
	t->page = mmap(NULL, sizeof(*t->page), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (t->page == MAP_FAILED)
		abort();
	fflush(NULL);
	t->pid = fork();
	if (t->pid == 0)
		run_target(t->page, body, nthreads);
	while (t->page->ready < nthreads)
		tgt_sleep_us(200);
}

static void
forget(struct tgt *t)
{
	munmap(t->page, sizeof(*t->page));
	t->page = NULL;
}

bool
tgt_end(struct tgt *t)
{
	int st = -1;

	t->page->end = 1;
	waitpid(t->pid, &st, 0);
	if (st != 0)
		fprintf(stderr, "target: status %#x, %u errors, line %u\n",
			(unsigned)st, t->page->errors, t->page->what);
	forget(t);
	return st == 0;
}

void
tgt_kill(struct tgt *t)
{
	kill(t->pid, SIGKILL);
	waitpid(t->pid, NULL, 0);
	forget(t);
}

bool
tgt_runs(struct tgt *t)
{
	uint64_t was = t->page->rounds;

	for (int i = 0; i < 2000; i++) {
		if (t->page->rounds > was + 1)
			return true;
		tgt_sleep_us(1000);
	}
	return false;
}

uint64_t
tgt_status(pid_t pid, const char *field, int base)
{
	char path[64], line[256];
	uint64_t v = ~0ull;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, field, strlen(field)) == 0)
			v = strtoull(line + strlen(field) + 1, NULL, base);
	if (f != NULL)
		fclose(f);
	return v;
}

char
tgt_state(pid_t pid)
{
	char path[64], line[256], c = 'X';
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "State: %c", &c) == 1)
			break;
	if (f != NULL)
		fclose(f);
	return c;
}

bool
tgt_reap_all(unsigned ms)
{
	for (unsigned i = 0; i < ms; i++) {
		pid_t r;

		while ((r = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (r < 0)
			return true;
		tgt_sleep_us(1000);
	}
	return false;
}
