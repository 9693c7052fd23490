/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * proc_jitdump.c - names of code that a program has made, from its jitdump file
 * (linux/tools/perf/Documentation/jitdump-specification.txt):
 *
 *	header { magic, version, size, ... }
 *	record { id, size, time } body ...
 *
 * A code is loaded by a record with its address, its name and its bytes, and
 * may be moved by another one.  The program says that it writes such a file,
 * and where, by mapping a page of it as code: jit-PID.dump, by its own number.
 * V8 does so with --perf-prof.
 *
 * What is true of perf maps is true here: it is the traced program's file.
 * Heads of records and names are read, one after the other, and never the code,
 * so that its size is not ours; a record that cannot be ends it.
 */
#include "proc/proc_jit.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DUMP_MAGIC	 0x4a695444u /* "JiTD", in the writer's byte order */
#define DUMP_VERSION	 1u
#define DUMP_HEADER_MAX	 4096u
#define DUMP_NAME_MAX	 1024u
#define DUMP_RECORDS_MAX (1u << 20) /* codes of a file */
#define DUMP_LOOK	 (1u << 16) /* records at a time */

enum { DUMP_LOAD, DUMP_MOVE };

struct dump_header {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time, flags;
};
struct dump_record {
	uint32_t id, size;
	uint64_t time;
};
struct dump_load {
	uint32_t pid, tid;
	uint64_t vma, addr, size, index;
};
struct dump_move {
	uint32_t pid, tid;
	uint64_t vma, from, to, size, index;
};
static_assert(sizeof(struct dump_header) == 40 &&
		      sizeof(struct dump_record) == 16 &&
		      sizeof(struct dump_load) == 40 &&
		      sizeof(struct dump_move) == 48,
	      "as the file has them");

/* So many bytes of the file, or fewer at its end. */
static size_t
dump_bytes(const struct jit_file *j, uint64_t at, void *to, size_t n)
{
	ssize_t got;

	do
		got = pread(j->fd, to, n, (off_t)at);
	while (got < 0 && errno == EINTR);
	return got > 0 ? (size_t)got : 0;
}

static bool
dump_range(uint64_t addr, uint64_t size, uint64_t *end)
{
	*end = addr + size;
	return *end > addr;
}

static bool
dump_add(struct jit_file *j, uint64_t lo, uint64_t hi, size_t name)
{
	if (j->loaded == NULL)
		j->loaded = hash_new();
	return j->loaded != NULL &&
	       hash_set(j->loaded, &lo, sizeof(lo),
			(void *)(uintptr_t)(name + 1)) == 0 &&
	       jit_add(j, lo, hi, name);
}

/* The name behind the body of a record whose rest has `room` bytes. */
static bool
dump_load(struct jit_file *j, uint64_t at, uint64_t room)
{
	struct {
		struct dump_load l;
		char name[DUMP_NAME_MAX];
	} x;
	size_t want = room < sizeof(x) ? (size_t)room : sizeof(x), len;
	uint64_t end;

	if (want <= sizeof(x.l) || dump_bytes(j, at, &x, want) != want)
		return false;
	len = strnlen(x.name, want - sizeof(x.l));
	if (len == want - sizeof(x.l)) {
		if (want != sizeof(x))
			return false; /* it does not end in the record */
		x.name[--len] = '\0';
	}
	if (!dump_range(x.l.addr, x.l.size, &end))
		return true;
	if (j->n + len + 1 > JIT_TEXT_MAX ||
	    !vec_grow((void **)&j->text, &j->cap, j->n + len + 1, 1))
		return false;
	memcpy(j->text + j->n, x.name, len + 1);
	j->n += len + 1;
	return dump_add(j, x.l.addr, end, j->n - len - 1);
}

/* What was there is here now. */
static bool
dump_move(struct jit_file *j, uint64_t at, uint64_t room)
{
	struct dump_move m;
	uintptr_t was;
	uint64_t end;

	if (room < sizeof(m) || dump_bytes(j, at, &m, sizeof(m)) != sizeof(m))
		return false;
	was = j->loaded == NULL ? 0 :
	      (uintptr_t)hash_find(j->loaded, &m.from, sizeof(m.from));
	return was == 0 || !dump_range(m.to, m.size, &end) ||
	       dump_add(j, m.to, end, was - 1);
}

/* One record that is there as a whole; false: there is none, or nothing behind
   it is to be read. */
static bool
dump_record(struct jit_file *j, uint64_t size)
{
	struct dump_record r;
	uint64_t at = j->parsed + sizeof(r), room;
	bool ok = true;

	if (size - j->parsed < sizeof(r) ||
	    dump_bytes(j, j->parsed, &r, sizeof(r)) != sizeof(r))
		return false;
	if (r.size < sizeof(r) || j->syms.n >= DUMP_RECORDS_MAX) {
		j->bad = true;
		return false;
	}
	if (r.size > size - j->parsed)
		return false; /* it is being written */
	room = r.size - sizeof(r);
	if (r.id == DUMP_LOAD)
		ok = dump_load(j, at, room);
	else if (r.id == DUMP_MOVE)
		ok = dump_move(j, at, room);
	j->bad = !ok;
	j->parsed += r.size;
	return ok;
}

static bool
dump_header(struct jit_file *j, uint64_t size)
{
	struct dump_header h;

	if (size < sizeof(h) || dump_bytes(j, 0, &h, sizeof(h)) != sizeof(h))
		return false;
	if (h.magic != DUMP_MAGIC || h.version != DUMP_VERSION ||
	    h.size < sizeof(h) || h.size > DUMP_HEADER_MAX) {
		j->bad = true;
		return false;
	}
	j->parsed = h.size;
	return h.size <= size;
}

bool
jit_dump_read(struct jit_file *j)
{
	size_t before = j->syms.n;
	struct stat st;
	uint64_t size;

	if (j->fd < 0 || fstat(j->fd, &st) != 0 || st.st_size < 0)
		return false;
	size = (uint64_t)st.st_size;
	if (size < j->parsed) /* written anew */
		jit_forget(j);
	if (j->bad || (j->parsed == 0 && !dump_header(j, size)))
		return false;
	for (unsigned i = 0; i < DUMP_LOOK && j->parsed < size &&
			     dump_record(j, size); i++)
		;
	return j->syms.n != before;
}

/* ---- where it is --------------------------------------------------------- */

int
jit_dump_open(struct proc *p, uint64_t nspid, uint64_t uid)
{
	char name[40];
	int fd = -1;

	snprintf(name, sizeof(name), "jit-%llu.dump",
		 (unsigned long long)nspid);
	proc_refresh(p);
	for (size_t i = 0; fd < 0 && i < proc_nobjs(p); i++) {
		const struct proc_obj *o = proc_obj_at(p, i);
		struct stat st;

		if (!o->mapped || strcmp(o->name, name) != 0)
			continue;
		fd = jit_open_as(o->open_path, uid);
		/* Another may have its name by now. */
		if (fd >= 0 && (fstat(fd, &st) != 0 || st.st_ino != o->ino)) {
			close(fd);
			fd = -1;
		}
	}
	return fd;
}
