/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * absent_target FILE MODE - give hit() addresses of pages that have not been
 * touched.  Page n of FILE, which is made here, begins with "page n" and ends
 * with 96 letters.
 *
 *   each     one call for each kind of page (test/sys/absent knows them), then
 *	      open() of paths in pages that have not been touched
 *   cold     calls and open()s with pages that are not in memory at all; says
 *	      "cold" if they were not
 *   threads  eight threads with 64 calls each, of cold pages
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE    4096u
#define NPAGES  1024u
#define THREADS 8u
#define HITS    64u
#define APART   2u /* pages: nothing is read ahead by a fault */

void hit(const char *s, long which);

__attribute__((noinline)) void
hit(const char *s, long which)
{
	__asm__ volatile("" : : "r"(s), "r"(which) : "memory");
}

static void
die(const char *what)
{
	perror(what);
	exit(2);
}

static int
make_file(const char *path)
{
	char page[PAGE];
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (fd < 0)
		die(path);
	for (unsigned i = 0; i < NPAGES; i++) {
		memset(page, 0, sizeof(page));
		snprintf(page, sizeof(page), "page %u", i);
		memset(page + PAGE - 96, 'a' + (int)(i % 26), 96);
		if (write(fd, page, sizeof(page)) != (ssize_t)sizeof(page))
			die("write");
	}
	return fd;
}

static char *
map_file(int fd, int prot, int flags)
{
	char *p = mmap(NULL, NPAGES * PAGE, prot, flags, fd, 0);

	if (p == MAP_FAILED || madvise(p, NPAGES * PAGE, MADV_RANDOM) != 0)
		die("mmap");
	return p;
}

static void
opens(const char *p)
{
	for (unsigned i = 100; i < 103; i++) {
		int fd = open(p + i * PAGE, O_RDONLY);
		if (fd >= 0)
			close(fd);
	}
}

static void
each(int fd)
{
	char *r = map_file(fd, PROT_READ, MAP_PRIVATE);
	char *w = map_file(fd, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	char *s = map_file(fd, PROT_READ | PROT_WRITE, MAP_SHARED);
	char *none = map_file(fd, PROT_NONE, MAP_PRIVATE);
	char *zero = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	w[PAGE] = 'W';
	w[2 * PAGE] = 'W';
	madvise(w + 2 * PAGE, PAGE, MADV_DONTNEED);
	hit(r + 1 * PAGE, 1);
	hit(r + 3 * PAGE - 96, 2); /* on into the next page */
	hit(w + PAGE, 3);          /* written to */
	hit(w + 2 * PAGE, 4);      /* and given back */
	hit(w + 3 * PAGE, 5);      /* beside it */
	hit(s + 4 * PAGE, 6);
	hit(zero, 7);
	hit(none + 5 * PAGE, 8);
	opens(r);
}

/* Out of memory; false: the file system does not let go of it. */
static int
evict(int fd, char *p)
{
	unsigned char there[NPAGES];
	unsigned n = 0;

	if (fsync(fd) != 0 ||
	    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0 ||
	    mincore(p, NPAGES * PAGE, there) != 0)
		die("evict");
	for (unsigned i = 0; i < NPAGES; i++)
		n += there[i] & 1;
	return n == 0;
}

static void
cold(int fd)
{
	char *r = map_file(fd, PROT_READ, MAP_PRIVATE);

	if (evict(fd, r))
		puts("cold");
	fflush(stdout);
	hit(r + 10 * PAGE, 10);
	hit(r + 13 * PAGE - 96, 11);
	opens(r);
}

struct part {
	pthread_t thread;
	const char *from;
	unsigned first; /* page */
};

static void *
run(void *arg)
{
	const struct part *p = arg;

	for (unsigned i = 0; i < HITS; i++)
		hit(p->from + i * APART * PAGE, (long)(p->first + i * APART));
	return NULL;
}

static void
threads(int fd)
{
	char *r = map_file(fd, PROT_READ, MAP_PRIVATE);
	struct part part[THREADS];

	if (evict(fd, r))
		puts("cold");
	fflush(stdout);
	for (unsigned i = 0; i < THREADS; i++) {
		part[i].first = i * HITS * APART;
		part[i].from = r + part[i].first * PAGE;
		if (pthread_create(&part[i].thread, NULL, run, &part[i]) != 0)
			die("thread");
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(part[i].thread, NULL);
}

int
main(int argc, char **argv)
{
	int fd;

	if (argc != 3)
		return 2;
	fd = make_file(argv[1]);
	if (strcmp(argv[2], "each") == 0)
		each(fd);
	else if (strcmp(argv[2], "cold") == 0)
		cold(fd);
	else if (strcmp(argv[2], "threads") == 0)
		threads(fd);
	unlink(argv[1]);
	return 0;
}
