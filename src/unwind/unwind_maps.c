/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * unwind_maps.c - what a process can execute, from /proc/PID/maps (proc(5)).
 *
 * A file is opened through /proc/PID/map_files, which leads to the very file
 * that is mapped whatever has become of its name; where that is not allowed, by
 * its name under the process's own root.  The vdso is the same in all processes
 * of a kernel, so our own is read.
 */
#include "unwind/unwind_impl.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define KPAGE 4096u

/* A line: what is mapped to be executed. */
struct maps_line {
	uint64_t lo, hi, off;
	uint64_t dev[2], ino;
	bool write;
	char path[PATH_MAX]; /* "": none */
};

/* ---- the file of a mapping ----------------------------------------------- */

static struct elf_file *
open_vdso(const struct maps_line *l)
{
	uint64_t own = getauxval(AT_SYSINFO_EHDR);
	struct err e = { 0 };

	if (own == 0)
		return NULL;
	return elf_open_mem((const void *)(uintptr_t)own, l->hi - l->lo,
			    "[vdso]", &e);
}

static struct elf_file *
open_file(pid_t pid, const struct maps_line *l)
{
	char name[PATH_MAX + 64];
	struct err e = { 0 };
	struct elf_file *f;
	struct stat st;

	snprintf(name, sizeof(name),
		 "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid, l->lo,
		 l->hi);
	f = elf_open(name, &e);
	if (f != NULL)
		return f;
	snprintf(name, sizeof(name), "/proc/%d/exe", (int)pid);
	if (stat(name, &st) != 0 || st.st_ino != l->ino)
		snprintf(name, sizeof(name), "/proc/%d/root%s", (int)pid,
			 l->path);
	return elf_open(name, &e);
}

/* Of a process that has ended: by the name that it had, if that leads to the
   file still. */
static struct elf_file *
open_by_name(const struct maps_line *l)
{
	struct err e = { 0 };
	struct stat st;

	if (stat(l->path, &st) != 0 || st.st_ino != l->ino ||
	    major(st.st_dev) != l->dev[0] || minor(st.st_dev) != l->dev[1])
		return NULL;
	return elf_open(l->path, &e);
}

/* True if the process has ended, though it may wait to be reaped. */
static bool
maps_ended(pid_t pid)
{
	char name[64];
	struct stat st;

	snprintf(name, sizeof(name), "/proc/%d/root", (int)pid);
	return stat(name, &st) != 0 && (errno == ENOENT || errno == ESRCH);
}

/* *ended: the process has, pid 0 or not. */
static struct elf_file *
open_line(pid_t pid, const struct maps_line *l, bool *ended)
{
	struct elf_file *f = NULL;

	*ended = pid == 0;
	if (strcmp(l->path, "[vdso]") == 0)
		return open_vdso(l);
	if (pid != 0) {
		f = open_file(pid, l);
		*ended = f == NULL && maps_ended(pid);
	}
	return *ended ? open_by_name(l) : f;
}

/* The table of what is mapped there; false: no memory. */
static bool
line_table(struct unwind *u, pid_t pid, const struct maps_line *l,
	   struct unwind_table *t)
{
	const uint64_t key[] = { l->dev[0], l->dev[1], l->ino };
	bool vdso = strcmp(l->path, "[vdso]") == 0;
	struct unwind_table *kept;
	struct elf_file *f;
	bool ok = true, ended;

	*t = (struct unwind_table){ 0 };
	if (l->path[0] != '/' && !vdso)
		return true;
	kept = hash_find(u->byfile, key, sizeof(key));
	if (kept != NULL) {
		*t = *kept;
		return true;
	}
	f = open_line(pid, l, &ended);
	/* Other processes may have the file still. */
	if (f == NULL && ended)
		return true;
	if (f != NULL)
		ok = unwind_file(u, f, t);
	elf_close(f);
	kept = malloc(sizeof(*kept));
	if (kept == NULL)
		return false;
	*kept = *t;
	if (hash_set(u->byfile, key, sizeof(key), kept) == 0)
		return ok;
	free(kept);
	return false;
}

/* ---- lines --------------------------------------------------------------- */

static bool
line_parse(const char *s, struct maps_line *l)
{
	char perms[5] = "";

	l->path[0] = '\0';
	if (sscanf(s,
		   "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %" SCNx64
		   ":%" SCNx64 " %" SCNu64 " %4095[^\n]",
		   &l->lo, &l->hi, perms, &l->off, &l->dev[0], &l->dev[1],
		   &l->ino, l->path) < 7)
		return false;
	l->write = perms[1] == 'w';
	return perms[2] == 'x';
}

/* false: no memory. */
static bool
maps_line_add(struct unwind *u, pid_t pid, const struct maps_line *l,
	 struct unwind_maps *m)
{
	struct rt_unw_map *x = &m->v[m->n];
	struct unwind_table t;

	if (m->n == RT_UNW_MAPS_MAX || (m->n != 0 && l->lo < x[-1].hi))
		return true;
	if (!line_table(u, pid, l, &t))
		return false;
	if (!l->write)
		m->exec_vm += (l->hi - l->lo) / KPAGE;
	*x = (struct rt_unw_map){
		.lo = l->lo,
		.hi = l->hi,
		.off = l->off - l->lo -
		       ((uint64_t)t.first << RT_UNW_PAGE_BITS),
		.tab = t.tab,
		.npages = t.npages,
	};
	m->n++;
	/* Its bias: code of a file is mapped as a whole. */
	unwind_python_map(&m->py, &t.py,
			  l->lo - l->off + t.code_off - t.code_at);
	if (t.npages != 0 && strcmp(l->path, "[vdso]") != 0)
		m->known = true;
	return true;
}

static int
maps_lines(struct unwind *u, pid_t pid, FILE *f, struct unwind_maps *m)
{
	struct maps_line *l = malloc(sizeof(*l));
	char *text = NULL;
	size_t cap = 0;
	int rc = l != NULL ? 0 : -1;

	while (rc == 0 && getline(&text, &cap, f) > 0) {
		bool exec = line_parse(text, l);

		if (strcmp(l->path, "[stack]") == 0) {
			m->stack_lo = l->lo;
			m->stack_hi = l->hi;
		}
		/* The kernel's own page of old, above all users' code. */
		if (exec && l->hi >> 47 == 0 && !maps_line_add(u, pid, l, m))
			rc = -1;
	}
	/* A program of 32 bits, whose vdso is not ours. */
	if (!m->known)
		m->n = 0;
	unwind_python_done(&m->py);
	free(text);
	free(l);
	return rc != 0 || ferror(f) ? -1 : 0;
}

int
unwind_maps(struct unwind *u, pid_t pid, struct unwind_maps *m)
{
	char name[64];
	FILE *f;
	int rc = -1;

	*m = (struct unwind_maps){ 0 };
	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	f = fopen(name, "re");
	m->v = calloc(RT_UNW_MAPS_MAX, sizeof(*m->v));
	if (f != NULL && m->v != NULL)
		rc = maps_lines(u, pid, f, m);
	if (f != NULL)
		fclose(f);
	if (rc != 0)
		unwind_maps_fini(m);
	return rc;
}

int
unwind_maps_had(struct unwind *u, struct buf *text, struct unwind_maps *m)
{
	FILE *f = fmemopen(text->p, text->n, "r");
	int rc = -1;

	*m = (struct unwind_maps){ 0 };
	m->v = calloc(RT_UNW_MAPS_MAX, sizeof(*m->v));
	if (f != NULL && m->v != NULL)
		rc = maps_lines(u, 0, f, m);
	if (f != NULL)
		fclose(f);
	if (rc != 0)
		unwind_maps_fini(m);
	return rc;
}

void
unwind_maps_fini(struct unwind_maps *m)
{
	free(m->v);
	*m = (struct unwind_maps){ 0 };
}
