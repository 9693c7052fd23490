/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * proc_maps.c - the objects of a process, from /proc/PID/maps (proc(5)).
 *
 * An object is a run of mappings of one file of which one is executable.  The
 * maps' text is hashed, so that reading it again when nothing has changed
 * costs two system calls and a pass over the text.  An object that is still
 * where it was keeps its struct; one that has gone is kept aside for the
 * addresses that were recorded while it was there.
 *
 * Files are opened through the process's own root directory, since it may
 * live in another mount namespace; when the path leads to another file there
 * (it was deleted or replaced), through /proc/PID/map_files, or, of the program
 * itself, /proc/PID/exe, which needs no privilege.
 */
#include "proc/proc_fs.h"
#include "proc/proc_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/utf8.h"

#define REFRESH_MIN_NS 20000000 /* of look-ups that find nothing */

/* By what files are known from each other, for sharing. */
struct file_key {
	uint64_t dev, ino, size, mtime_s, mtime_ns;
};

/* ---- the text ------------------------------------------------------- */

/* who: pid, or its proc_face(). */
static char *
maps_read_of(pid_t pid, pid_t who, size_t *len, struct err *e)
{
	char path[40], *buf = NULL;
	size_t cap = 0, n = 0;
	ssize_t got = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)who);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		goto fail;
	do {
		if (cap - n < 8192) {
			char *p = realloc(buf, cap = 2 * cap + 32768);

			if (p == NULL) {
				errno = ENOMEM;
				goto fail;
			}
			buf = p;
		}
		got = read(fd, buf + n, cap - n - 1);
		if (got > 0)
			n += (size_t)got;
	} while (got > 0);
	/* A process that ends while it is read gives ESRCH. */
	if (got < 0)
		goto fail;
	close(fd);
	buf[n] = '\0';
	*len = n;
	return buf;
fail:
	err_set(e, &ERR_GENERIC, errno, "failed to grab process %d: %s%s",
		(int)pid,
		errno == EACCES || errno == EPERM
			? "it is another user's, or set-uid, or does not let "
			  "itself be dumped, and CAP_SYS_PTRACE is needed: "
			: "",
		path);
	if (fd >= 0)
		close(fd);
	free(buf);
	return NULL;
}

static char *
maps_read(pid_t pid, size_t *len, struct err *e)
{
	struct err why = { 0 };
	char *text = maps_read_of(pid, pid, len, &why);
	pid_t face = text == NULL || *len == 0 ? proc_face(pid) : pid;

	if (face != pid) {
		free(text);
		return maps_read_of(pid, face, len, e);
	}
	if (text == NULL)
		*e = why;
	return text;
}

static bool
maps_same_file(const struct mrun *r, const struct proc_map *l)
{
	return r->ino == l->ino && r->devlen == l->devlen &&
	       memcmp(r->dev, l->dev, r->devlen) == 0 &&
	       strcmp(r->path, l->path) == 0;
}

/*
 * Add a line to the run it continues, or start one.  The same file mapped a
 * second time (a program that reads its own executable) starts over at a lower
 * offset, and so is a run of its own.
 */
static bool
maps_add(mruns *runs, const struct proc_map *l)
{
	struct mrun *r = runs->n != 0 ? &runs->v[runs->n - 1] : NULL;

	if (l->path[0] == '\0') {
		/* .bss; what can be executed is code that was made. */
		if (r != NULL && r->end == l->lo && !l->x)
			r->end = l->hi;
		return true;
	}
	if (r == NULL || !maps_same_file(r, l) || l->off < r->lastoff) {
		struct mrun fresh = { .start = l->lo,
				      .fstart = l->lo,
				      .fend = l->hi,
				      .dev = l->dev,
				      .devlen = l->devlen,
				      .ino = l->ino,
				      .path = l->path };

		if (!vec_push(runs, fresh))
			return false;
		r = &runs->v[runs->n - 1];
	}
	r->end = l->hi;
	r->lastoff = l->off;
	if (l->x && r->xend == 0) {
		r->xstart = l->lo;
		r->xend = l->hi;
		r->xoff = l->off;
	}
	return true;
}

/* Which runs are objects: files, and the kernel's page of code. */
static bool
maps_is_object(const struct mrun *r)
{
	return r->xend != 0 &&
	       (r->path[0] == '/' || strcmp(r->path, "[vdso]") == 0);
}

bool
proc_maps_parse(char *text, mruns *runs)
{
	for (char *s = text, *nl; *s != '\0'; s = nl + 1) {
		struct proc_map l;

		nl = strchr(s, '\n');
		if (nl == NULL)
			break; /* every line of the kernel ends in one */
		*nl = '\0';
		if (proc_map_parse(s, &l) && !maps_add(runs, &l))
			return false;
	}
	return true;
}

/* What all objects of a process are asked with; read once for them, as there
   may be hundreds of processes with dozens each. */
struct maps_proc {
	pid_t pid;
	bool read; /* what follows */
	pid_t face;
	bool at_home;	 /* its names lead where ours do, but for odd mounts */
	bool has_exe;
	struct stat exe; /* of /proc/PID/exe */
	ssize_t nlink;	 /* its name; < 0: not to be read */
	char link[PATH_MAX];
};

/* False also if one of them cannot be looked at. */
static bool
same_inode(pid_t pid, const char *of, const char *ours)
{
	struct stat st, own;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, of);
	return stat(path, &st) == 0 && stat(ours, &own) == 0 &&
	       st.st_dev == own.st_dev && st.st_ino == own.st_ino;
}

static void
maps_proc_read(struct maps_proc *w)
{
	char exe[32];

	w->read = true;
	w->face = proc_face(w->pid);
	w->at_home = same_inode(w->face, "ns/mnt", "/proc/self/ns/mnt") &&
		     same_inode(w->face, "root", "/");
	snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)w->face);
	w->has_exe = stat(exe, &w->exe) == 0;
	w->nlink = readlink(exe, w->link, sizeof(w->link));
}

/* ---- files ---------------------------------------------------------- */

static bool
ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && strcmp(s + n - m, end) == 0;
}

/* The process engine's code and data are no program's file. */
static bool
path_is_ours(const char *path)
{
	return strcmp(path, "/memfd:dtrace (deleted)") == 0;
}

/* Of a file that is not looked at: which one it is, by what maps says. */
static void
stat_of_run(struct stat *st, const struct mrun *r)
{
	memset(st, 0, sizeof(*st));
	st->st_dev = (dev_t)hash_bytes(r->dev, r->devlen);
	st->st_ino = r->ino;
}

/*
 * A path by which this process can open the file of a run: its own name if
 * that leads to the same file here, since it stays good when the process has
 * ended.  The inode tells "the same"; device numbers of maps and of stat(2)
 * differ on some file systems.  On an overlay inodes may differ as well: then
 * the mapping itself is opened, or, without the right to, what has the name.
 */
static const char *
file_open_path(struct proc *p, const struct maps_proc *w, const struct mrun *r,
	       struct stat *st)
{
	char root[PATH_MAX + 64], map[96];
	pid_t pid = w->face;
	struct stat here;
	bool there;

	if (path_is_ours(r->path)) {
		stat_of_run(st, r);
		return arena_strdup(p->set->arena, r->path);
	}
	if (w->at_home && stat(r->path, st) == 0 && st->st_ino == r->ino)
		return arena_strdup(p->set->arena, r->path);
	snprintf(root, sizeof(root), "/proc/%d/root%s", (int)pid, r->path);
	there = stat(root, st) == 0;
	if (there && st->st_ino == r->ino) {
		if (stat(r->path, &here) == 0 && here.st_ino == st->st_ino &&
		    here.st_dev == st->st_dev)
			return arena_strdup(p->set->arena, r->path);
		return arena_strdup(p->set->arena, root);
	}
	snprintf(map, sizeof(map), "/proc/%d/map_files/%llx-%llx", (int)pid,
		 (unsigned long long)r->fstart, (unsigned long long)r->fend);
	if (stat(map, st) == 0)
		return arena_strdup(p->set->arena, map);
	/* That takes privilege; the program itself does not. */
	if (w->has_exe && w->exe.st_ino == r->ino) {
		*st = w->exe;
		return arena_printf(p->set->arena, "/proc/%d/exe", (int)pid);
	}
	/* The process is gone (proc_watch.c); its root may have been ours. */
	if (!there && stat(r->path, st) == 0 && st->st_ino == r->ino)
		return arena_strdup(p->set->arena, r->path);
	if (!there || stat(root, st) != 0)
		stat_of_run(st, r);
	return arena_strdup(p->set->arena, root);
}

/* The vdso is the same in every process: ours will do. */
static struct elf_file *
file_open_vdso(const struct mrun *r, struct err *e)
{
	const void *own = (const void *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);

	if (own == NULL) {
		err_set(e, &ERR_GENERIC, 0, "[vdso]: this process has none");
		return NULL;
	}
	return elf_open_mem(own, r->xend - r->xstart, "[vdso]", e);
}

static struct file_key
file_key_of(const struct stat *st)
{
	return (struct file_key){
		.dev = st->st_dev,
		.ino = st->st_ino,
		.size = (uint64_t)st->st_size,
		.mtime_s = (uint64_t)st->st_mtim.tv_sec,
		.mtime_ns = (uint64_t)st->st_mtim.tv_nsec,
	};
}

/* The set that has the files of p's. */
static struct proc_set *
files_of(const struct proc *p)
{
	return p->set->beside != NULL ? p->set->beside : p->set;
}

static struct mfile *
file_get(struct proc *p, const struct mrun *r, const char *path,
	 const struct stat *st)
{
	struct proc_set *ps = files_of(p);
	const struct file_key key = file_key_of(st);
	struct mfile *f = hash_find(ps->files, &key, sizeof(key));
	struct err e = { 0 };

	/* One that could not be opened may be reachable another way. */
	if (f != NULL && (f->elf != NULL || path_is_ours(r->path)))
		return f;
	f = arena_alloc(ps->arena, sizeof(*f));
	if (f == NULL)
		return NULL;
	if (path_is_ours(r->path))
		err_set(&e, &ERR_GENERIC, 0, "%s: code of ours", r->path);
	else if (path[0] == '[')
		f->elf = file_open_vdso(r, &e);
	else
		f->elf = elf_open(path, &e);
	if (f->elf == NULL && e.tag == &ERR_NOMEM)
		return NULL;
	if (f->elf == NULL && ends_with(path, " (deleted)"))
		f->why = arena_printf(ps->arena,
				      "%s: only root can read a deleted library "
				      "(CAP_CHECKPOINT_RESTORE)", r->path);
	else if (f->elf == NULL)
		f->why = arena_strdup(ps->arena, e.msg);
	f->next = ps->files_list;
	ps->files_list = f;
	ps->nfiles++;
	/* Without memory for the index the file is merely not shared. */
	(void)hash_set(ps->files, &key, sizeof(key), f);
	return f;
}

/* ---- objects -------------------------------------------------------- */

/*
 * The load bias: how far the file's addresses were moved.  The first
 * executable mapping holds the first executable segment, wherever a mapping
 * of it begins.
 */
static uint64_t
obj_bias(const struct mrun *r, struct elf_file *elf)
{
	uint64_t addr, size, off;

	if (elf == NULL || !elf_text(elf, &addr, &size) ||
	    !elf_addr_to_off(elf, addr, &off))
		return r->xstart - r->xoff;
	return r->xstart + (off - r->xoff) - addr;
}

/* True if this object is the program.  Its file, or its name, is
   /proc/PID/exe. */
static bool
obj_is_exec(const struct maps_proc *w, const struct mrun *r,
	    const struct stat *st)
{
	if (w->has_exe && w->exe.st_dev == st->st_dev &&
	    w->exe.st_ino == st->st_ino)
		return true;
	return w->nlink > 0 && (size_t)w->nlink == strlen(r->path) &&
	       memcmp(w->link, r->path, (size_t)w->nlink) == 0;
}

/* What an object is called: of the path what is behind the last slash, and '?'
   for control characters; NULL without memory. */
static const char *
obj_name(struct proc_set *ps, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;
	char *plain;

	if (utf8_is_plain(name))
		return name;
	plain = arena_strdup(ps->arena, name);
	if (plain != NULL)
		utf8_plain(plain);
	return plain;
}

static struct mobj *
obj_new(struct proc *p, const struct maps_proc *w, const struct mrun *r)
{
	struct arena *a = p->set->arena;
	struct mobj *m = arena_alloc(a, sizeof(*m));
	struct stat st = { 0 };
	char *path = arena_strdup(a, r->path);

	if (m == NULL || path == NULL)
		return NULL;
	m->o.open_path =
		r->path[0] == '[' ? path : file_open_path(p, w, r, &st);
	if (m->o.open_path == NULL)
		return NULL;
	/* The kernel's mark, unless a file is really called so. */
	if (ends_with(path, " (deleted)") &&
	    (st.st_nlink == 0 || !ends_with(m->o.open_path, " (deleted)")))
		path[strlen(path) - strlen(" (deleted)")] = '\0';
	m->file = file_get(p, r, m->o.open_path, &st);
	if (m->file == NULL)
		return NULL;
	m->o.path = path;
	m->o.name = obj_name(p->set, path);
	if (m->o.name == NULL)
		return NULL;
	if (m->file->elf != NULL)
		m->o.soname = elf_soname(m->file->elf);
	m->o.base = obj_bias(r, m->file->elf);
	m->o.start = r->start;
	m->o.end = r->end;
	m->o.dev = st.st_dev;
	m->o.ino = r->ino;
	m->o.is_exec = r->path[0] != '[' && obj_is_exec(w, r, &st);
	return m;
}

static bool
obj_is(const struct mobj *m, const struct mrun *r)
{
	return m->o.start == r->start && m->o.ino == r->ino &&
	       strncmp(m->o.path, r->path, strlen(m->o.path)) == 0;
}

/* True if the file is what it was when it was opened.  It may have been written
   anew in its place. */
static bool
obj_same_file(const struct proc *p, const struct mobj *m)
{
	struct stat st;

	if (stat(m->o.open_path, &st) != 0)
		return false;
	const struct file_key key = file_key_of(&st);
	return hash_find(files_of(p)->files, &key, sizeof(key)) == m->file;
}

/* The object of a run, if it is there already, or has been: a library that is
   loaded again is mostly put where it was. */
static struct mobj *
obj_known(struct proc *p, const struct mrun *r)
{
	for (size_t i = 0; i < p->now.n; i++)
		if (obj_is(p->now.v[i], r))
			return p->now.v[i];
	for (size_t i = p->gone.n; i-- > 0;) {
		struct mobj *m = p->gone.v[i];

		if (!obj_is(m, r) || !obj_same_file(p, m))
			continue;
		memmove(&p->gone.v[i], &p->gone.v[i + 1],
			(p->gone.n - i - 1) * sizeof(*p->gone.v));
		p->gone.n--;
		return m;
	}
	return NULL;
}

/* Replace the list of objects by that of the runs. */
static bool
objs_update(struct proc *p, struct maps_proc *w, const mruns *runs)
{
	VEC(struct mobj *) fresh = { 0 };
	const uint64_t look = ++p->looks;
	bool changed = false;

	for (size_t i = 0; i < runs->n; i++) {
		const struct mrun *r = &runs->v[i];
		struct mobj *m;

		if (!maps_is_object(r))
			continue;
		m = obj_known(p, r);
		if (m == NULL && !w->read)
			maps_proc_read(w);
		if (m == NULL)
			m = obj_new(p, w, r);
		if (m == NULL || !vec_push(&fresh, m)) {
			vec_fini(&fresh);
			return false;
		}
		if (!m->o.mapped) {
			m->o.mapped = changed = true;
			m->o.born = p->generation + 1;
		}
		m->o.end = r->end;
		m->seen = look;
	}
	for (size_t i = 0; i < p->now.n; i++) {
		if (p->now.v[i]->seen == look)
			continue;
		changed = true;
		p->now.v[i]->o.mapped = false;
		/* Without memory, only old addresses lose their names. */
		(void)vec_push(&p->gone, p->now.v[i]);
	}
	vec_fini(&p->now);
	p->now.v = fresh.v;
	p->now.n = fresh.n;
	p->now.cap = fresh.cap;
	p->generation += changed;
	return true;
}

static bool
objs_read(struct proc *p, const mruns *runs)
{
	struct maps_proc *w = malloc(sizeof(*w));
	bool ok;

	if (w == NULL)
		return false;
	w->pid = p->pid;
	w->read = false;
	ok = objs_update(p, w, runs);
	free(w);
	return ok;
}

uint64_t
proc_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int
proc_load_maps(struct proc *p, struct err *e)
{
	mruns runs = { 0 };
	uint64_t hash;
	size_t n;
	char *text = maps_read(p->pid, &n, e);
	bool ok = true;

	if (text == NULL)
		return -1;
	p->refreshed_ns = proc_now_ns();
	hash = hash_bytes(text, n);
	/* Empty: the process is ending.  What was known stays known. */
	if (n != 0 && hash != p->maps_hash) {
		ok = proc_maps_parse(text, &runs) && objs_read(p, &runs);
		if (ok)
			p->maps_hash = hash;
	}
	vec_fini(&runs);
	free(text);
	return ok ? 0 : err_nomem(e);
}

struct proc *
proc_of_maps(struct proc_set *ps, pid_t pid, char *text)
{
	struct proc *p = arena_alloc(ps->arena, sizeof(*p));
	mruns runs = { 0 };
	bool ok;

	if (p == NULL)
		return NULL;
	p->set = ps;
	p->pid = pid;
	p->pidfd = -1;
	p->state = PROC_ENDED; /* it is not read again */
	p->next = ps->list;
	ps->list = p;
	ok = proc_maps_parse(text, &runs) && objs_read(p, &runs);
	vec_fini(&runs);
	return ok && p->now.n != 0 ? p : NULL;
}

void
proc_refresh(struct proc *p)
{
	struct err e = { 0 };

	/* What cannot be read any more is what we had. */
	if (p->state != PROC_ENDED)
		(void)proc_load_maps(p, &e);
}

void
proc_maps_fini(struct proc *p)
{
	vec_fini(&p->now);
	vec_fini(&p->gone);
}

size_t
proc_nobjs(struct proc *p)
{
	return p->now.n;
}

struct proc_obj *
proc_obj_at(struct proc *p, size_t i)
{
	return &p->now.v[i]->o;
}

struct elf_file *
proc_obj_elf(struct proc_obj *o, struct err *e)
{
	struct mfile *f = ((struct mobj *)o)->file;

	o->elf = f->elf;
	if (f->elf == NULL)
		err_set(e, &ERR_GENERIC, 0, "%s", f->why);
	return o->elf;
}

static struct mobj *
objs_find(struct mobj *const *v, size_t n, uint64_t addr)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (v[mid]->o.start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo != 0 && addr < v[lo - 1]->o.end ? v[lo - 1] : NULL;
}

struct mobj *
proc_mobj_at(struct proc *p, uint64_t addr)
{
	struct mobj *m = objs_find(p->now.v, p->now.n, addr);

	if (m != NULL)
		return m;
	if (p->state == PROC_RUNNING &&
	    proc_now_ns() - p->refreshed_ns > REFRESH_MIN_NS) {
		proc_refresh(p);
		m = objs_find(p->now.v, p->now.n, addr);
		if (m != NULL)
			return m;
	}
	for (size_t i = p->gone.n; i-- > 0;) {
		m = p->gone.v[i];
		if (addr >= m->o.start && addr < m->o.end)
			return m;
	}
	return NULL;
}
