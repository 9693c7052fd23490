/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * proc_exec.c - which program a process runs, by name, and the programs that a
 * created process executes once it has been let go.
 *
 * The kernel tells of them in a ring of the process's own
 * (perf_event_open(2), PERF_RECORD_COMM of an event that counts nothing), so
 * that one is not missed that ends before anybody looks.  Where it tells us
 * nothing (perf_event_paranoid), the file that the process runs is looked at,
 * and a program that is over by then is missed.
 */
#include "proc/proc_fs.h"
#include "proc/proc_impl.h"
#include "proc/proc_ring.h"

#include <elf.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/utf8.h"

#define RING_PAGES 4
#define SETTLED_NS 300000000u /* what runs that long is no wrapper */
#define COMM_MAX   15         /* longer names are cut off */

struct proc_execs {
	struct proc_ring ring; /* none: the kernel tells nothing */
	struct stat exe;       /* what it runs, as far as is known */
	uint64_t at_ns; /* when it was last seen to execute one; 0: never */
	char comm[32], name[64];
};

/* ---- names --------------------------------------------------------------- */

static const char *
exec_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* The name of the file that execve(2) was given, in the process's memory; 0:
   not known. */
static uint64_t
exec_fn_addr(pid_t pid)
{
	uint64_t v[2], addr = 0;
	char path[32];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)pid);
	f = fopen(path, "re");
	while (f != NULL && addr == 0 && fread(v, sizeof(v), 1, f) == 1 &&
	       v[0] != AT_NULL)
		if (v[0] == AT_EXECFN)
			addr = v[1];
	if (f != NULL)
		fclose(f);
	return addr;
}

/* That name.  False: it cannot be read. */
static bool
exec_fn(pid_t pid, char *to, size_t size)
{
	uint64_t addr = exec_fn_addr(pid);
	char path[32];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = addr != 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd >= 0) {
		n = pread(fd, to, size - 1, (off_t)addr);
		close(fd);
	}
	to[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* True if that name leads to the file that runs: a script's does not. */
static bool
exec_fn_runs(pid_t pid, const char *fn)
{
	char path[PATH_MAX + 64];
	struct stat a, b;

	snprintf(path, sizeof(path), "/proc/%d/%s/%s", (int)pid,
		 fn[0] == '/' ? "root" : "cwd", fn);
	if (stat(path, &a) != 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return stat(path, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* The path of the file that a process runs, links followed; false: not
   known. */
static bool
exec_exe(pid_t pid, char *to, size_t size)
{
	char path[32];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	n = readlink(path, to, size - 1);
	to[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* A pattern with a slash is for the whole path. */
static bool
exec_matches(const char *pattern, const char *path)
{
	return fnmatch(pattern,
		       strchr(pattern, '/') != NULL ? path : exec_base(path),
		       0) == 0;
}

bool
proc_runs(pid_t pid, const char *pattern)
{
	char path[PATH_MAX];

	if (exec_exe(pid, path, sizeof(path)) && exec_matches(pattern, path))
		return true;
	return exec_fn(pid, path, sizeof(path)) &&
	       exec_matches(pattern, path) && exec_fn_runs(pid, path);
}

bool
proc_program(pid_t pid, char *to, size_t size)
{
	char path[PATH_MAX];

	if (!exec_exe(pid, path, sizeof(path)))
		return false;
	snprintf(to, size, "%s", exec_base(path));
	utf8_plain(to);
	return true;
}

/* ---- what the kernel tells ----------------------------------------------- */

/* Take a record: pid, tid, name. */
static void
exec_take(struct proc_execs *x, const union proc_record *rec)
{
	size_t at = sizeof(rec->hd) + 2 * sizeof(uint32_t);

	snprintf(x->comm, sizeof(x->comm), "%s",
		 rec->hd.size > at ? rec->bytes + at : "");
}

/* True if a program has been executed since. */
static bool
exec_read(struct proc_execs *x)
{
	union proc_record rec;
	bool seen = false, lost = false;

	while (proc_ring_take(&x->ring, &rec, &lost)) {
		if (rec.hd.type != PERF_RECORD_COMM ||
		    (rec.hd.misc & PERF_RECORD_MISC_COMM_EXEC) == 0)
			continue;
		exec_take(x, &rec);
		seen = true;
	}
	return seen;
}

/* ---- the door ------------------------------------------------------------ */

static uint64_t
exec_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static bool
exec_file(pid_t pid, struct stat *st)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return stat(path, st) == 0;
}

void
proc_execs_begin(struct proc *p)
{
	const struct perf_event_attr told = { .comm = 1, .comm_exec = 1 };
	struct proc_execs *x = arena_calloc(p->set->arena, 1, sizeof(*x));

	if (x == NULL)
		return; /* nothing will be said */
	x->ring.fd = -1;
	if (!exec_file(p->pid, &x->exe))
		return;
	proc_comm(p->pid, x->comm, sizeof(x->comm));
	proc_ring_open(&x->ring, &told, p->pid, -1, RING_PAGES);
	p->execs = x;
}

void
proc_execs_end(struct proc *p)
{
	struct proc_execs *x = p->execs;

	if (x != NULL)
		proc_ring_close(&x->ring);
}

/* Without the kernel's word: the file that it runs is looked at.  A process
   that has ended runs none, and has the name that it had. */
void
proc_execs_last(struct proc *p)
{
	struct proc_execs *x = p->execs;
	char comm[sizeof(x->comm)];
	struct stat st;

	if (x == NULL || x->ring.fd >= 0)
		return;
	proc_comm(p->pid, comm, sizeof(comm));
	if (exec_file(p->pid, &st)) {
		if (st.st_dev == x->exe.st_dev && st.st_ino == x->exe.st_ino)
			return;
		x->exe = st;
	} else if (comm[0] == '\0' || strcmp(comm, x->comm) == 0) {
		return;
	}
	memcpy(x->comm, comm, sizeof(comm));
	x->at_ns = exec_now();
}

/* What it is called now: as long as it runs its file says that, later the name
   that it had, of which the end may be missing. */
static const char *
exec_name(struct proc_execs *x, const struct proc *p)
{
	if (p->state == PROC_ENDED ||
	    !proc_program(p->pid, x->name, sizeof(x->name)))
		snprintf(x->name, sizeof(x->name), "%s%s", x->comm,
			 strlen(x->comm) == COMM_MAX ? "*" : "");
	return x->name;
}

const char *
proc_executed(struct proc *p)
{
	struct proc_execs *x = p->execs;
	uint64_t now = exec_now();

	if (x == NULL)
		return NULL;
	if (x->ring.fd >= 0 && exec_read(x))
		x->at_ns = now;
	if (x->at_ns == 0 ||
	    (p->state != PROC_ENDED && now - x->at_ns < SETTLED_NS))
		return NULL;
	return exec_name(x, p);
}
