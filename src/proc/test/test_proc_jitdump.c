/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_proc_jitdump.c - jitdump files as programs write them, as they are while
 * they are written, and as nobody should write them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/test/fds.h"
#include "proc/proc_jit.h"

#define MAGIC      0x4a695444u
#define HEADER     40u   /* bytes of the file's head, */
#define RECORD     16u   /* of a record's, */
#define LOAD       40u   /* and of what follows it, but for the name */
#define NAME_MOST  1024u /* with the byte that ends it */
#define RECORDS    (1u << 20)
#define AT_A_TIME  (1u << 16)
#define CODE_BYTES "\x55\x48\x89\xe5\xc3"

enum { LOADED, MOVED, DEBUG_INFO, CLOSED, UNWINDING };

/* ---- a file ----------------------------------------------------------------
 */

static void
put32(struct buf *b, uint32_t v)
{
	buf_write(b, &v, sizeof(v));
}

static void
put64(struct buf *b, uint64_t v)
{
	buf_write(b, &v, sizeof(v));
}

static void
put_header(struct buf *b, uint32_t magic, uint32_t version, uint32_t size)
{
	put32(b, magic);
	put32(b, version);
	put32(b, size);
	put32(b, 62); /* EM_X86_64 */
	put32(b, 0);
	put32(b, 4711);
	put64(b, 1);
	put64(b, 0);
}

static void
put_record(struct buf *b, uint32_t id, uint32_t size)
{
	put32(b, id);
	put32(b, size);
	put64(b, 2);
}

/* The body of a load: n bytes of a name, with its end, and then others. */
static void
put_load(struct buf *b, uint64_t addr, uint64_t size, const char *name,
	 size_t n)
{
	put32(b, 4711);
	put32(b, 4712);
	put64(b, addr);
	put64(b, addr);
	put64(b, size);
	put64(b, 3);
	buf_write(b, name, n);
}

/* Code that is called so, and its bytes. */
static void
put_code(struct buf *b, uint64_t addr, uint64_t size, const char *name)
{
	const uint32_t n = (uint32_t)strlen(name) + 1;

	put_record(b, LOADED, RECORD + LOAD + n + sizeof(CODE_BYTES) - 1);
	put_load(b, addr, size, name, n);
	buf_puts(b, CODE_BYTES);
}

static void
put_move(struct buf *b, uint64_t from, uint64_t to, uint64_t size)
{
	put_record(b, MOVED, RECORD + 48);
	put32(b, 4711);
	put32(b, 4712);
	put64(b, to);
	put64(b, from);
	put64(b, to);
	put64(b, size);
	put64(b, 3);
}

/* A record of another kind, which is not for us. */
static void
put_other(struct buf *b, uint32_t id, uint32_t n)
{
	put_record(b, id, RECORD + n);
	for (uint32_t i = 0; i < n; i++)
		buf_putc(b, (char)i);
}

static struct buf
dump_new(void)
{
	struct buf b = BUF_INIT;

	put_header(&b, MAGIC, 1, HEADER);
	return b;
}

static struct jit_file
file_new(void)
{
	struct jit_file j = { .fd = memfd_create("jit", MFD_CLOEXEC) };

	assert_true(j.fd >= 0);
	return j;
}

/* The file has the first n bytes now; whether more is known then. */
static bool
read_upto(struct jit_file *j, const struct buf *b, size_t n)
{
	assert_int_equal(pwrite(j->fd, b->p, n, 0), n);
	assert_int_equal(ftruncate(j->fd, (off_t)n), 0);
	return jit_dump_read(j);
}

static struct jit_file
file_of(const struct buf *b)
{
	struct jit_file j = file_new();

	(void)read_upto(&j, b, b->n);
	return j;
}

/* What an address is called; "": nothing. */
static const char *
name_at(struct jit_file *j, uint64_t addr)
{
	const struct jit_sym *s = jit_find(j, addr);

	return s != NULL ? j->text + s->name : "";
}

static void
file_end(struct jit_file *j, struct buf *b)
{
	jit_file_fini(j);
	buf_fini(b);
}

/* ---- as they should be -----------------------------------------------------
 */

static void
test_loaded(void **state)
{
	struct buf b = BUF_INIT;
	struct jit_file j;

	/* Of a header that is longer than ours the rest is passed over. */
	put_header(&b, MAGIC, 1, HEADER + 8);
	put64(&b, UINT64_MAX);
	put_code(&b, 0x1000, 0x40, "one");
	put_other(&b, DEBUG_INFO, 100);
	put_other(&b, UNWINDING, 0);
	put_code(&b, 0x2000, 1, "two");
	put_other(&b, CLOSED, 0);
	put_other(&b, 77, 3);
	put_code(&b, 0x1040, 0x40, "three");
	put_other(&b, CLOSED, 0);
	j = file_of(&b);
	assert_int_equal(j.syms.n, 3);
	assert_false(j.bad);
	assert_int_equal(j.parsed, b.n);
	assert_string_equal(name_at(&j, 0xfff), "");
	assert_string_equal(name_at(&j, 0x1000), "one");
	assert_string_equal(name_at(&j, 0x103f), "one");
	assert_string_equal(name_at(&j, 0x1040), "three");
	assert_string_equal(name_at(&j, 0x107f), "three");
	assert_string_equal(name_at(&j, 0x1080), "");
	assert_string_equal(name_at(&j, 0x2000), "two");
	assert_string_equal(name_at(&j, 0x2001), "");
	assert_false(jit_dump_read(&j)); /* nothing has come */
	file_end(&j, &b);
}

/* The code that came last is there, wherever what was there before ends. */
static void
test_in_place_of(void **state)
{
	struct buf b = dump_new();
	struct jit_file j;

	put_code(&b, 0x1000, 0x100, "old");
	put_code(&b, 0x1080, 0x100, "young");
	put_code(&b, 0x1000, 0x10, "youngest");
	j = file_of(&b);
	assert_string_equal(name_at(&j, 0x1000), "youngest");
	assert_string_equal(name_at(&j, 0x1010), "old");
	assert_string_equal(name_at(&j, 0x1080), "young");
	assert_string_equal(name_at(&j, 0x117f), "young");
	file_end(&j, &b);
}

static void
test_moved(void **state)
{
	struct buf b = dump_new();
	struct jit_file j;

	put_move(&b, 0x1000, 0x9000, 0x40); /* nobody knows what */
	put_code(&b, 0x1000, 0x40, "one");
	put_code(&b, 0x2000, 0x40, "two");
	put_move(&b, 0x1000, 0x3000, 0x40);
	put_move(&b, 0x3000, 0x4000, 0x20); /* and again, what is left of it */
	put_code(&b, 0x1000, 0x40, "three");
	put_move(&b, 0x2001, 0x5000, 0x40);      /* nothing begins there */
	put_move(&b, 0x2000, UINT64_MAX - 7, 8); /* no end */
	put_move(&b, 0x2000, 0x6000, 0);
	j = file_of(&b);
	assert_false(j.bad);
	assert_int_equal(j.parsed, b.n);
	assert_string_equal(name_at(&j, 0x9000), "");
	assert_string_equal(name_at(&j, 0x1000), "three");
	assert_string_equal(name_at(&j, 0x2000), "two");
	assert_string_equal(name_at(&j, 0x3000), "one");
	assert_string_equal(name_at(&j, 0x401f), "one");
	assert_string_equal(name_at(&j, 0x4020), "");
	assert_string_equal(name_at(&j, 0x5000), "");
	assert_string_equal(name_at(&j, UINT64_MAX - 7), "");
	assert_string_equal(name_at(&j, 0x6000), "");
	file_end(&j, &b);
}

/* ---- while they are written
 * -------------------------------------------------- */

static void
test_grows(void **state)
{
	static const char *const names[] = { "", "one", "one", "three" };
	static const uint64_t addrs[] = { 0, 0x1000, 0x2000, 0x3000 };
	struct buf b = dump_new();
	struct jit_file j = file_new();
	size_t end[4] = { b.n };

	put_code(&b, 0x1000, 0x40, "one");
	end[1] = b.n;
	put_move(&b, 0x1000, 0x2000, 0x40);
	end[2] = b.n;
	put_code(&b, 0x3000, 0x40, "three");
	end[3] = b.n;
	for (size_t n = 0, whole = 0; n <= b.n; n++) {
		bool more = whole < 3 && n == end[whole + 1];

		whole += more;
		assert_int_equal(read_upto(&j, &b, n), more);
		assert_false(j.bad);
		assert_int_equal(j.syms.n, whole);
		assert_int_equal(j.parsed, n < HEADER ? 0 : end[whole]);
		assert_string_equal(name_at(&j, addrs[whole]), names[whole]);
	}
	file_end(&j, &b);
}

/* Begun anew: what was known is not so any more. */
static void
test_written_anew(void **state)
{
	struct buf b = dump_new(), c = dump_new();
	struct jit_file j;

	put_code(&b, 0x1000, 0x40, "one");
	put_code(&b, 0x2000, 0x40, "two");
	put_other(&b, DEBUG_INFO, 100);
	j = file_of(&b);
	assert_string_equal(name_at(&j, 0x2000), "two");
	put_move(&c, 0x2000, 0x4000, 0x40); /* of what that file had */
	put_code(&c, 0x3000, 0x40, "three");
	assert_in_range(c.n, 0, b.n - 1);
	assert_true(read_upto(&j, &c, c.n));
	assert_int_equal(j.syms.n, 1);
	assert_string_equal(name_at(&j, 0x2000), "");
	assert_string_equal(name_at(&j, 0x4000), "");
	assert_string_equal(name_at(&j, 0x3000), "three");
	buf_fini(&c);
	file_end(&j, &b);
}

/* What is no dump is not looked at again. */
static void
test_no_dump(void **state)
{
	struct buf b = dump_new(), c = BUF_INIT;
	struct jit_file j = file_new();

	put_header(&c, MAGIC + 1, 1, HEADER);
	assert_false(read_upto(&j, &c, c.n));
	assert_true(j.bad);
	put_code(&b, 0x1000, 0x40, "one");
	assert_false(read_upto(&j, &b, b.n));
	jit_forget(&j);
	assert_true(read_upto(&j, &b, b.n));
	assert_string_equal(name_at(&j, 0x1000), "one");
	buf_fini(&c);
	file_end(&j, &b);
}

static void
test_none(void **state)
{
	struct jit_file j = { .fd = -1 };

	assert_false(jit_dump_read(&j));
	assert_false(j.bad);
	jit_file_fini(&j);
}

/* ---- sizes that are not true
 * --------------------------------------------------- */

static void
test_headers(void **state)
{
	static const struct {
		uint32_t magic, version, size;
		bool bad;
	} v[] = {
		{ MAGIC, 1, HEADER, false },     { MAGIC, 1, 4096, false },
		{ MAGIC, 1, 4097, true },        { MAGIC, 1, HEADER - 1, true },
		{ MAGIC, 1, 0, true },           { MAGIC, 1, UINT32_MAX, true },
		{ MAGIC, 0, HEADER, true },      { MAGIC, 2, HEADER, true },
		{ MAGIC, HEADER, HEADER, true }, /* nor is it a record */
		{ 0x4454694a, 1, HEADER, true }, /* of the other byte order */
		{ 0, 1, HEADER, true },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		struct buf b = BUF_INIT;
		struct jit_file j;

		put_header(&b, v[i].magic, v[i].version, v[i].size);
		while (v[i].size <= 4096 && b.n < v[i].size)
			buf_putc(&b, 'x');
		put_code(&b, 0x1000, 0x40, "one");
		j = file_of(&b);
		assert_int_equal(j.bad, v[i].bad);
		assert_string_equal(name_at(&j, 0x1000), v[i].bad ? "" : "one");
		file_end(&j, &b);
	}
}

/* A header that says more than there is: more may come. */
static void
test_header_beyond(void **state)
{
	struct buf b = BUF_INIT;
	struct jit_file j = file_new();

	put_header(&b, MAGIC, 1, HEADER + 8);
	assert_false(read_upto(&j, &b, b.n));
	assert_false(j.bad);
	put64(&b, 0);
	put_code(&b, 0x1000, 0x40, "one");
	assert_true(read_upto(&j, &b, b.n));
	assert_string_equal(name_at(&j, 0x1000), "one");
	file_end(&j, &b);
}

/* Behind a record that cannot be nothing is read; what came before stays. */
static void
sizes_lie(uint32_t id, uint32_t size, uint32_t n, bool bad)
{
	struct buf b = dump_new();
	struct jit_file j;
	size_t at;

	put_code(&b, 0x1000, 0x40, "one");
	at = b.n;
	put_record(&b, id, size);
	put_load(&b, 0x2000, 0x40, "a name", sizeof("a name"));
	while (b.n < at + n)
		buf_putc(&b, 'x');
	put_code(&b, 0x3000, 0x40, "three");
	j = file_of(&b);
	assert_int_equal(j.bad, bad);
	assert_int_equal(j.syms.n, 1);
	assert_string_equal(name_at(&j, 0x1000), "one");
	assert_string_equal(name_at(&j, 0x2000), "");
	assert_string_equal(name_at(&j, 0x3000), "");
	assert_false(jit_dump_read(&j));
	file_end(&j, &b);
}

static void
test_sizes(void **state)
{
	sizes_lie(LOADED, 0, 0, true);
	sizes_lie(LOADED, RECORD - 1, 0, true);
	sizes_lie(77, RECORD - 1, 0, true);
	sizes_lie(LOADED, RECORD, 0, true);
	sizes_lie(LOADED, RECORD + LOAD, 0, true); /* no name */
	sizes_lie(LOADED, RECORD + LOAD + 1, 0,
		  true); /* its end is not there */
	sizes_lie(LOADED, RECORD + LOAD + 6, 0, true);
	sizes_lie(MOVED, RECORD + 47, 0, true);
	sizes_lie(MOVED, RECORD, 0, true);
	/* What is not there may come. */
	sizes_lie(LOADED, UINT32_MAX, 0, false);
	sizes_lie(LOADED, 4096, 4000, false);
	sizes_lie(77, UINT32_MAX, 0, false);
}

/* Where a name ends with its record it is whole. */
static void
test_name_ends_record(void **state)
{
	struct buf b = dump_new();
	struct jit_file j;

	put_record(&b, LOADED, RECORD + LOAD + sizeof("name"));
	put_load(&b, 0x1000, 0x40, "name", sizeof("name"));
	put_record(&b, LOADED, RECORD + LOAD + 1);
	put_load(&b, 0x2000, 0x40, "", 1);
	put_code(&b, 0x3000, 0x40, "three");
	j = file_of(&b);
	assert_false(j.bad);
	assert_string_equal(name_at(&j, 0x1000), "name");
	assert_string_equal(name_at(&j, 0x2000), ""); /* it has none */
	assert_string_equal(name_at(&j, 0x3000), "three");
	file_end(&j, &b);
}

/* Code that is nowhere, and what follows it. */
static void
test_ranges(void **state)
{
	static const uint64_t v[][2] = { { 0x2000, 0 },
					 { UINT64_MAX, 1 },
					 { UINT64_MAX, UINT64_MAX },
					 { 0x2000, UINT64_MAX },
					 { 0x2000, 0ull - 0x2000 } };
	struct buf b = dump_new();
	struct jit_file j;

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++)
		put_code(&b, v[i][0], v[i][1], "nowhere");
	put_code(&b, UINT64_MAX - 1, 1, "last");
	put_code(&b, 0x3000, 0x40, "three");
	put_move(&b, UINT64_MAX, 0x4000, 0x40);
	j = file_of(&b);
	assert_false(j.bad);
	assert_int_equal(j.syms.n, 2);
	assert_string_equal(name_at(&j, 0x2000), "");
	assert_string_equal(name_at(&j, UINT64_MAX - 1), "last");
	assert_string_equal(name_at(&j, UINT64_MAX), "");
	assert_string_equal(name_at(&j, 0x3000), "three");
	assert_string_equal(name_at(&j, 0x4000), "");
	file_end(&j, &b);
}

/* ---- names
 * -------------------------------------------------------------------- */

/* What a terminal would obey, and what parts an object from a name. */
static void
test_hostile_names(void **state)
{
	static const char *const v[][2] = {
		{ "\x1b[31mred", "?[31mred" },
		{ "a\nb\rc\td", "a?b?c?d" },
		{ "\x01\x1f\x20\x7e\x7f", "?? ~?" },
		{ "libc.so.6`malloc", "libc.so.6?malloc" },
		{ "%s%n\\x", "%s%n\\x" },
		{ "gr\xc3\xbc\xc3\x9f \x80\xff",
		  "gr\xc3\xbc\xc3\x9f \x80\xff" },
		{ "`", "?" },
	};
	struct buf b = dump_new();
	struct jit_file j;

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++)
		put_code(&b, 0x1000 * (i + 1), 0x40, v[i][0]);
	j = file_of(&b);
	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++)
		assert_string_equal(name_at(&j, 0x1000 * (i + 1)), v[i][1]);
	file_end(&j, &b);
}

/* A long name is cut, also one that has no end at all. */
static void
test_long_names(void **state)
{
	static char name[2 * NAME_MOST];
	struct buf b = dump_new();
	struct jit_file j;

	memset(name, 'n', sizeof(name));
	for (uint32_t n = NAME_MOST - 1; n <= NAME_MOST + 1; n++) {
		name[n - 1] = '\0';
		put_record(&b, LOADED, RECORD + LOAD + n);
		put_load(&b, 0x1000 * n, 0x40, name, n);
		name[n - 1] = 'n';
	}
	put_record(&b, LOADED, RECORD + LOAD + sizeof(name));
	put_load(&b, 0x1000, 0x40, name, sizeof(name));
	/* One that the record ends, before a name may. */
	put_record(&b, LOADED, RECORD + LOAD + NAME_MOST - 1);
	put_load(&b, 0x2000, 0x40, name, NAME_MOST - 1);
	j = file_of(&b);
	for (uint32_t n = NAME_MOST - 1; n <= NAME_MOST + 1; n++)
		assert_int_equal(strlen(name_at(&j, 0x1000 * n)),
				 n < NAME_MOST ? n - 1 : NAME_MOST - 1);
	assert_int_equal(strlen(name_at(&j, 0x1000)), NAME_MOST - 1);
	assert_string_equal(name_at(&j, 0x2000), "");
	assert_true(j.bad);
	file_end(&j, &b);
}

/* ---- too much
 * ------------------------------------------------------------------ */

/* Code with a name of n bytes. */
static void
put_long(struct buf *b, uint64_t addr, uint64_t size, uint32_t n)
{
	static char name[NAME_MOST];

	memset(name, 'n', n - 1);
	name[n - 1] = '\0';
	put_record(b, LOADED, RECORD + LOAD + n);
	put_load(b, addr, size, name, n);
}

/* A dump of so many codes, each of a page and with a name of n bytes. */
static struct buf
many(uint32_t count, uint32_t n)
{
	struct buf b = dump_new();

	for (uint32_t i = 0; i < count; i++)
		put_long(&b, 0x1000 * (1 + (uint64_t)i), 0x1000, n);
	return b;
}

static void
read_all(struct jit_file *j)
{
	while (jit_dump_read(j))
		;
}

/* 64 MB of names are read, and not a byte more. */
static void
test_much_text(void **state)
{
	const uint32_t n = JIT_TEXT_MAX / NAME_MOST;
	struct buf b = many(n - 1, NAME_MOST);
	struct jit_file j;

	assert_int_equal(n * NAME_MOST, JIT_TEXT_MAX);
	put_long(&b, 0x100, 1, NAME_MOST - 2);
	put_code(&b, 0x200, 1, "a"); /* there is just room */
	put_code(&b, 0x300, 1, "b");
	put_code(&b, 0x400, 1, "c");
	j = file_of(&b);
	read_all(&j);
	assert_int_equal(j.syms.n, n + 1);
	assert_int_equal(j.n, JIT_TEXT_MAX);
	assert_true(j.bad);
	assert_int_equal(strlen(name_at(&j, 0x1000)), NAME_MOST - 1);
	assert_int_equal(strlen(name_at(&j, 0x100)), NAME_MOST - 3);
	assert_string_equal(name_at(&j, 0x200), "a");
	assert_string_equal(name_at(&j, 0x300), "");
	assert_string_equal(name_at(&j, 0x400), "");
	file_end(&j, &b);
}

/* A million codes are, in several looks. */
static void
test_many_codes(void **state)
{
	struct buf b = many(RECORDS, 2);
	struct jit_file j;
	unsigned looks = 1;

	put_code(&b, 0x100, 1, "a");
	j = file_of(&b);
	assert_int_equal(j.syms.n, AT_A_TIME);
	while (jit_dump_read(&j))
		looks++;
	assert_int_equal(looks, RECORDS / AT_A_TIME);
	assert_int_equal(j.syms.n, RECORDS);
	assert_true(j.bad);
	assert_string_equal(name_at(&j, 0x1000 * (uint64_t)RECORDS), "n");
	assert_string_equal(name_at(&j, 0x100), "");
	file_end(&j, &b);
}

/* ---- where it is
 * ----------------------------------------------------------------- */

/* A file of ours with a dump in it, mapped as code. */
static void *
dump_mapped(const char *path, const struct buf *b)
{
	FILE *f = fopen(path, "w+");
	void *at;

	assert_non_null(f);
	assert_int_equal(fwrite(b->p, 1, b->n, f), b->n);
	assert_int_equal(fflush(f), 0);
	at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f), 0);
	assert_ptr_not_equal(at, MAP_FAILED);
	fclose(f);
	return at;
}

/* Whether a dump is found that this process maps, if it is a user's and has the
   number `as`. */
static bool
dump_found(uint64_t as, uint64_t uid)
{
	struct err e = { 0 };
	struct proc_set *ps = proc_set_new(&e);
	struct proc *p = proc_grab(ps, getpid(), &e);
	int fd;

	assert_non_null(p);
	fd = jit_dump_open(p, as, uid);
	if (fd >= 0)
		close(fd);
	proc_set_free(ps);
	return fd >= 0;
}

static void
test_where(void **state)
{
	const uint64_t pid = (uint64_t)getpid();
	char dir[] = "/tmp/jitdump.XXXXXX", path[64], other[80];
	struct buf b = dump_new();
	void *at;

	put_code(&b, 0x1000, 0x40, "one");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/jit-%d.dump", dir, (int)getpid());
	snprintf(other, sizeof(other), "%s.new", path);
	assert_false(dump_found(pid, geteuid()));
	at = dump_mapped(path, &b);
	assert_true(dump_found(pid, geteuid()));
	assert_false(dump_found(pid + 1, geteuid()));
	/* Root's is everybody's; that of others is nobody's. */
	assert_int_equal(dump_found(pid, 4711), geteuid() == 0);
	if (geteuid() == 0) {
		assert_int_equal(chown(path, 4711, 4711), 0);
		assert_true(dump_found(pid, 4711));
		assert_false(dump_found(pid, 0));
		assert_int_equal(chown(path, 0, 0), 0);
	}
	/* Another file has its name. */
	munmap(dump_mapped(other, &b), 4096);
	assert_int_equal(rename(other, path), 0);
	assert_false(dump_found(pid, geteuid()));
	munmap(at, 4096);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
	buf_fini(&b);
}

/* By the door that consumers use. */
static void
test_names_of_process(void **state)
{
	char dir[] = "/tmp/jitdump.XXXXXX", path[64];
	struct buf b = dump_new();
	struct err e = { 0 };
	struct proc_set *ps = proc_set_new(&e);
	struct proc *p = proc_grab(ps, getpid(), &e);
	const char *name = NULL;
	uint64_t off = 0;
	void *at;

	assert_non_null(p);
	put_code(&b, 0x1000, 0x40, "one");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/jit-%d.dump", dir, (int)getpid());
	at = dump_mapped(path, &b);
	assert_true(proc_jit_name(p, 0x1004, false, &name, &off));
	assert_string_equal(name, "one");
	assert_int_equal(off, 4);
	assert_false(proc_jit_name(p, 0x1040, false, &name, &off));
	proc_set_free(ps);
	munmap(at, 4096);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
	buf_fini(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loaded),
		cmocka_unit_test(test_in_place_of),
		cmocka_unit_test(test_moved),
		cmocka_unit_test(test_grows),
		cmocka_unit_test(test_written_anew),
		cmocka_unit_test(test_no_dump),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_header_beyond),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_name_ends_record),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_much_text),
		cmocka_unit_test(test_many_codes),
		cmocka_unit_test(test_where),
		cmocka_unit_test(test_names_of_process),
	};

	return cmocka_run_group_tests_name("proc_jitdump", tests, fds_note,
					   fds_check);
}
