/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_unwind.c - walks of this process's own stacks by tables, against the C
 * library's backtrace(3), which has another reader of the same tables.
 */
#include <execinfo.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

#include "rt/rt_mem.h"
#include "unwind/unwind_impl.h"

#define FRAMES 200

static struct rt *rt;
static struct rt_conf conf = { .unw_words = UNWIND_POOL_WORDS };
static struct rt_unw_area *area;
static struct unwind *uw;
static struct rt_host_mem host;

static int
read_self(void *arg, uint64_t addr, void *dst, uint64_t n, bool user)
{
	struct iovec to = { dst, n }, from = { (void *)(uintptr_t)addr, n };

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)n
		       ? 0
		       : -1;
}

static void
read_maps(void)
{
	struct unwind_maps m;

	assert_int_equal(unwind_maps(uw, getpid(), &m), 0);
	assert_true(m.n > 3 && m.exec_vm > 0 && m.stack_hi > m.stack_lo);
	area->id += 1 + (area->id & 1); /* stays odd: maps[1] */
	area->n[1] = (uint32_t)m.n;
	memcpy(area->maps[1], m.v, m.n * sizeof(*m.v));
	unwind_maps_fini(&m);
}

static int
setup(void **state)
{
	rt = calloc(1, sizeof(*rt));
	area = calloc(1, sizeof(*area) + 4 * UNWIND_POOL_WORDS);
	area->pool_words = UNWIND_POOL_WORDS;
	uw = unwind_new(area->pool, UNWIND_POOL_WORDS);
	host.read = read_self;
	host.conf = &conf;
	host.unw = area;
	host.pool = area->pool;
	rt->host = (uint64_t)(uintptr_t)&host;
	rt->self = (uint64_t)(uintptr_t)rt;
	void *warm[4];
	backtrace(warm, 4); /* maps libgcc */
	read_maps();
	return 0;
}

static int
teardown(void **state)
{
	unwind_free(uw);
	free(area);
	free(rt);
	return 0;
}

static uint64_t
walk(const ucontext_t *c, uint64_t max)
{
	return ~RT_UNWIND_WANT &
	       rt_unwind(rt, (uint64_t)c->uc_mcontext.gregs[REG_RIP],
			 (uint64_t)c->uc_mcontext.gregs[REG_RSP],
			 (uint64_t)c->uc_mcontext.gregs[REG_RBP], max);
}

/* The sanitizer's own backtrace() is a frame of what it finds. */
#ifdef __SANITIZE_ADDRESS__
#define MORE 1
#else
#define MORE 0
#endif

/* What both see; the innermost frame is this function's, at two places. */
static __attribute__((noinline)) void
compare(void)
{
	void *want[FRAMES];
	ucontext_t c;
	uint64_t n;
	int have;

	getcontext(&c);
	have = backtrace(want, FRAMES);
	n = walk(&c, FRAMES);
	assert_true(have > 4);
	assert_int_equal(n + MORE, have);
	for (int i = 1; i + MORE < have; i++)
		assert_int_equal(RT_FRAMES(rt)[i],
				 (uint64_t)(uintptr_t)want[i + MORE]);
}

static int
by_qsort(const void *a, const void *b)
{
	compare();
	return 0;
}

/* Stacks of changing sizes. */
static __attribute__((noinline)) int
deep(int n)
{
	size_t size = (size_t)(n % 7 * 24 + 8);
	char *room = __builtin_alloca(size);

	memset(room, n, size);
	__asm__ volatile("" ::"r"(room) : "memory");
	if (n == 0)
		compare();
	else
		deep(n - 1);
	return room[0];
}

static void
on_signal(int sig)
{
	compare();
}

/* ---- tests --------------------------------------------------------------- */

static void
test_plain(void **state)
{
	int v[2] = { 2, 1 };

	compare();
	qsort(v, 2, sizeof(*v), by_qsort);
	deep(30);
	deep(100);
}

static void
test_signal(void **state)
{
	struct sigaction sa = { .sa_handler = on_signal };
	static char alt[65536];
	stack_t ss = { .ss_sp = alt, .ss_size = sizeof(alt) };

	sigaction(SIGUSR1, &sa, NULL);
	raise(SIGUSR1);
	sigaltstack(&ss, NULL);
	sa.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &sa, NULL);
	raise(SIGUSR1);
	ss.ss_flags = SS_DISABLE;
	sigaltstack(&ss, NULL);
}

static void
test_max(void **state)
{
	ucontext_t c;

	getcontext(&c);
	assert_int_equal(walk(&c, 3), 3);
	assert_int_equal(walk(&c, 1), 1);
}

/* Who aligns its stack, and finds its caller's by rbx, which those that it
   calls save: at once, as the dynamic linker has it, or not before a call. */
void saved_outer(void), saved_late_outer(void), saved_compare(void);
extern const char saved_back[], saved_inner[], saved_pushed[],
	saved_late_back[], saved_late_called[];
#define OUTER(name, calls)                                                     \
	#name "outer:\n.cfi_startproc\n"                                       \
	      "push %rbx\n.cfi_def_cfa_offset 16\n.cfi_offset rbx,-16\n"      \
	      "mov %rsp,%rbx\n.cfi_def_cfa_register rbx\n"                     \
	      "and $-64,%rsp\nsub $192,%rsp\ncall " #calls "\n" #name           \
	      "back:\n"                                                       \
	      "mov %rbx,%rsp\n.cfi_def_cfa rsp,16\n"                           \
	      "pop %rbx\n.cfi_def_cfa_offset 8\nret\n.cfi_endproc\n"
#define SAVE                                                                   \
	"push %r12\n.cfi_def_cfa_offset 16\n.cfi_offset r12,-16\n"            \
	"push %rbx\n.cfi_def_cfa_offset 24\n.cfi_offset rbx,-24\n"
#define RESTORE                                                                \
	"pop %rbx\n.cfi_def_cfa_offset 16\npop %r12\n.cfi_def_cfa_offset 8\n" \
	"ret\n.cfi_endproc\n"
__asm__(".text\n" OUTER(saved_, saved_inner) OUTER(saved_late_, saved_late)
	"saved_inner:\n.cfi_startproc\n" SAVE "saved_pushed:\n"
	"sub $8,%rsp\n.cfi_def_cfa_offset 32\n"
	"xor %ebx,%ebx\ncall saved_compare\n"
	"add $8,%rsp\n.cfi_def_cfa_offset 24\n" RESTORE
	"saved_late:\n.cfi_startproc\n"
	"push %rax\n.cfi_def_cfa_offset 16\ncall saved_compare\n"
	"saved_late_called:\n"
	"pop %rax\n.cfi_def_cfa_offset 8\n" SAVE RESTORE);

static bool saved_late_runs;

void
saved_compare(void)
{
	if (!saved_late_runs)
		compare();
}

/* How many frames there are from a place on with these words on its stack. */
static uint64_t
frames_at(const char *pc, uint64_t *sp)
{
	return ~RT_UNWIND_WANT & rt_unwind(rt, (uint64_t)(uintptr_t)pc,
					   (uint64_t)(uintptr_t)sp, 0, FRAMES);
}

static void
test_saved(void **state)
{
	uint64_t v[16] = { 0 }, *up = v + 8;

	up[1] = (uint64_t)(uintptr_t)saved_back;
	v[1] = (uint64_t)(uintptr_t)up;
	saved_outer();
	v[3] = (uint64_t)(uintptr_t)saved_back;
	/* It has been pushed: on to what was above the outer frame. */
	assert_int_equal(frames_at(saved_pushed, v + 1), 3);
	assert_int_equal(RT_FRAMES(rt)[2], up[1]);
	/* Not yet, and no longer: what is below rsp is not it. */
	assert_int_equal(frames_at(saved_inner, v + 3), 2);
	assert_int_equal(frames_at(saved_back, v + 4), 1);
	/* Not by whom it has called: nobody knows. */
	v[3] = (uint64_t)(uintptr_t)saved_late_back;
	assert_int_equal(frames_at(saved_late_called, v + 2), 2);
	saved_late_runs = true;
	saved_late_outer();
}

/* Registers that lead nowhere: few frames, no harm. */
static void
test_garbage(void **state)
{
	ucontext_t c;
	greg_t *r = c.uc_mcontext.gregs;

	getcontext(&c);
	r[REG_RSP] = 8;
	assert_int_equal(walk(&c, FRAMES), 1);
	r[REG_RSP] = -16;
	assert_int_equal(walk(&c, FRAMES), 1);
	r[REG_RIP] = 0;
	assert_int_equal(walk(&c, FRAMES), 0);
	r[REG_RIP] = (greg_t)(uintptr_t)rt; /* no code */
	assert_int_equal(walk(&c, FRAMES), 0);
}

/* A stack that leads to itself, of frames of a function with a table. */
static void
test_circle(void **state)
{
	static uint64_t words[1024];
	ucontext_t c;

	getcontext(&c);
	for (size_t i = 0; i < 1024; i++)
		words[i] = (uint64_t)c.uc_mcontext.gregs[REG_RIP];
	c.uc_mcontext.gregs[REG_RSP] = (greg_t)(uintptr_t)words;
	c.uc_mcontext.gregs[REG_RBP] = (greg_t)(uintptr_t)words;
	assert_true(walk(&c, 1000) <= RT_UNWIND_MAX);
}

/* Tables by any number of rules: the pool ends, and nothing else does. */
static void
test_small_pool(void **state)
{
	static uint32_t pool[1 << 16];
	struct unwind *u = unwind_new(pool, 1 << 16);
	struct unwind_maps m;
	struct buf b = { 0 };

	assert_int_equal(u->nleft, 0);
	u->used = u->words - 8;
	assert_int_equal(unwind_maps(u, getpid(), &m), 0);
	assert_true(u->used <= 1 << 16);
	assert_true(u->nleft > 0);
	unwind_report(u, &b);
	assert_non_null(strstr(buf_str(&b), "found no room in 256 KB"));
	buf_fini(&b);
	unwind_maps_fini(&m);
	unwind_free(u);
}

/* This process's maps as text, where another inode is said of every file if
   `others`: how many mappings have tables, of how many. */
static size_t
tables_by_text(bool others, size_t *all)
{
	struct unwind *u = unwind_new(calloc(4, UNWIND_POOL_WORDS),
				      UNWIND_POOL_WORDS);
	uint32_t *pool = u->pool;
	struct buf text = BUF_INIT;
	struct unwind_maps m;
	char line[4096];
	size_t n = 0;
	FILE *f = fopen("/proc/self/maps", "r");

	while (fgets(line, sizeof(line), f) != NULL) {
		char *ino = strchr(line, ':') + 4; /* minor in two digits */

		if (others && *ino > '0' && *ino <= '9')
			*ino = (char)(*ino == '9' ? '1' : *ino + 1);
		buf_puts(&text, line);
	}
	fclose(f);
	assert_int_equal(unwind_maps_had(u, &text, &m), 0);
	for (size_t i = 0; i < m.n; i++)
		n += m.v[i].npages != 0;
	*all = m.n;
	unwind_maps_fini(&m);
	buf_fini(&text);
	unwind_free(u);
	free(pool);
	return n;
}

/* What a process that has ended had: its files are met by their names, if they
   are these. */
static void
test_had(void **state)
{
	struct unwind_maps m;
	size_t n = 0, all;

	assert_int_equal(unwind_maps(uw, getpid(), &m), 0);
	for (size_t i = 0; i < m.n; i++)
		n += m.v[i].npages != 0;
	assert_true(n > 3);
	/* Some file systems say another device of a file than maps has. */
	if (tables_by_text(false, &all) <= 1)
		print_message("# skip: files are not where maps says\n");
	else
		assert_int_equal(tables_by_text(false, &all), n);
	assert_int_equal(tables_by_text(true, &all), 0);
	unwind_maps_fini(&m);
}

/* The line of /proc/self/maps that has this code. */
static void
own_line(char line[4096], uint64_t *lo, uint64_t *hi)
{
	FILE *f = fopen("/proc/self/maps", "r");
	uint64_t here = (uint64_t)(uintptr_t)own_line;

	do {
		assert_non_null(fgets(line, 4096, f));
		assert_int_equal(sscanf(line, "%" SCNx64 "-%" SCNx64, lo, hi),
				 2);
	} while (here < *lo || here >= *hi);
	fclose(f);
}

/* Lines behind that of this program, by numbers of pages from its end on: which
   of them are code that is kept. */
static void
test_lines(void **state)
{
	static const struct {
		uint64_t at, end;
		const char *perms;
		bool kept;
	} lines[] = {
		{ 1, 3, "r-xp", true },  { 2, 4, "r-xp", false },
		{ 3, 5, "rwxp", true },  { 5, 6, "rw-p", false },
		{ 6, 7, "r--p", false }, { 4, 5, "--xp", false },
		{ 8, 12, "--xs", true },
	};
	struct unwind_maps m;
	struct buf text = BUF_INIT;
	char line[4096];
	uint64_t lo, hi;
	size_t n = 1;

	own_line(line, &lo, &hi);
	buf_puts(&text, line);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		buf_printf(&text,
			   "%" PRIx64 "-%" PRIx64 " %s 00000000 00:00 0 \n",
			   hi + lines[i].at * 4096, hi + lines[i].end * 4096,
			   lines[i].perms);
	buf_puts(&text, "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0"
			"                          [stack]\n"
			"not a line\n"
			"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 "
			"0                  [vsyscall]\n");
	assert_int_equal(unwind_maps_had(uw, &text, &m), 0);
	if (m.n == 0) {
		print_message("# skip: files are not where maps says\n");
		goto out;
	}
	assert_int_equal(m.v[0].lo, lo);
	assert_int_equal(m.v[0].hi, hi);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		if (!lines[i].kept)
			continue;
		assert_true(n < m.n);
		assert_int_equal(m.v[n].lo, hi + lines[i].at * 4096);
		assert_int_equal(m.v[n].hi, hi + lines[i].end * 4096);
		assert_int_equal(m.v[n++].npages, 0);
	}
	assert_int_equal(m.n, n);
	/* What can be written may be code that is made. */
	assert_int_equal(m.exec_vm, (hi - lo) / 4096 + 2 + 4);
	assert_int_equal(m.stack_lo, 0x7ffc00000000);
	assert_int_equal(m.stack_hi, 0x7ffc00021000);
out:
	unwind_maps_fini(&m);
	buf_fini(&text);
}

/* As many as there is room for; and none of a program without tables. */
static void
test_many_lines(void **state)
{
	struct unwind_maps m;
	struct buf text = BUF_INIT, alone = BUF_INIT;
	char line[4096];
	uint64_t lo, hi;

	own_line(line, &lo, &hi);
	buf_puts(&text, line);
	for (uint64_t i = 0; i < RT_UNW_MAPS_MAX + 5; i++) {
		snprintf(line, sizeof(line),
			 "%" PRIx64 "-%" PRIx64 " r-xp 00000000 00:00 0 \n",
			 hi + i * 8192, hi + i * 8192 + 4096);
		buf_puts(&text, line);
		buf_puts(&alone, line);
	}
	assert_int_equal(unwind_maps_had(uw, &text, &m), 0);
	if (m.n != 0) {
		assert_int_equal(m.n, RT_UNW_MAPS_MAX);
		assert_int_equal(m.v[m.n - 1].lo, hi + (m.n - 2) * 8192);
		assert_int_equal(m.exec_vm, (hi - lo) / 4096 + m.n - 1);
	}
	unwind_maps_fini(&m);
	assert_int_equal(unwind_maps_had(uw, &alone, &m), 0);
	assert_int_equal(m.n, 0);
	unwind_maps_fini(&m);
	buf_fini(&text);
	buf_fini(&alone);
}

/* A mapping without a name, behind the stack, is not the stack. */
static void
test_stack_alone(void **state)
{
	struct unwind_maps was, is;
	uint64_t here = (uint64_t)(uintptr_t)&was, page;
	void *p;

	assert_int_equal(unwind_maps(uw, getpid(), &was), 0);
	assert_true(was.stack_lo <= here && here < was.stack_hi);
	page = was.stack_hi;
	p = mmap((void *)(uintptr_t)page, 4096, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (p == MAP_FAILED) {
		print_message("# skip: something lies behind the stack\n");
	} else {
		assert_int_equal(unwind_maps(uw, getpid(), &is), 0);
		assert_int_equal(is.stack_hi, page);
		assert_true(is.stack_lo <= here);
		unwind_maps_fini(&is);
		munmap(p, 4096);
	}
	unwind_maps_fini(&was);
}

/* Code made at run time, whose caller has no frame yet either. */
static const uint8_t made[] = {
	0xe9, 0x1b, 0, 0, 0,		     /* 0x00: jmp 0x20 */
	[0x20] = 0x55, 0x48, 0x89, 0xe5,     /* push %rbp; mov %rsp,%rbp */
	[0x40] = 0xbb, 0, 0, 0, 0, 0x49, 0xbc, 0, 0, 0, 0, 0, 0, 0, 0,
	0xe8, 0, 0, 0, 0,		     /* 0x4f: call; 0x54 */
	[0x60] = 0x90, 0x90, 0x55, 0x48, 0x89, 0xe5,
	[0x80] = 0xe8, 0, 0, 0, 0,	     /* 0x85: the caller */
	[0xa0] = 0xe8, 0, 0, 0, 0,	     /* 0xa5: by its frame pointer */
};

static void
test_made(void **state)
{
	uint8_t *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t at = (uint64_t)(uintptr_t)(p + 64), st[8] = { 0 };
	uint64_t sp = (uint64_t)(uintptr_t)st, fp = sp + 32;
	const uint64_t *f = RT_FRAMES(rt);

	assert_true(p != MAP_FAILED);
	memcpy(p + 64, made, sizeof(made));
	read_maps();
	st[0] = at + 0x85;
	st[5] = at + 0xa5;
	assert_true((rt_unwind(rt, at, sp, fp, 3) & ~RT_UNWIND_WANT) == 3);
	assert_true(f[1] == at + 0x85 && f[2] == at + 0xa5);
	st[0] = at + 0x54;
	st[1] = at + 0x85;
	assert_true((rt_unwind(rt, at + 0x60, sp, fp, 4) & ~RT_UNWIND_WANT) ==
		    4);
	assert_true(f[1] == at + 0x54 && f[2] == at + 0x85 &&
		    f[3] == at + 0xa5);
	munmap(p, 4096);
}

/* Code is read where a gap of some size is in the rows, and only there. */
static bool
count_row(void *arg, const struct elf_cfi *row)
{
	++*(unsigned *)arg;
	return true;
}

static unsigned
rows_of_code(struct elf_file *f, uint64_t end, uint64_t begin)
{
	struct unwind_row v[] = { { 0, end, 1 }, { begin, UINT64_MAX, 1 } };
	struct unwind_rows r = { .f = f, .first = 2 };
	unsigned n = 0;

	r.list.v = v;
	r.list.n = 2;
	unwind_code(&r, count_row, &n);
	return n;
}

/* The same with one row. */
static unsigned
rows_between(struct elf_file *f, uint64_t lo, uint64_t hi)
{
	struct unwind_row v = { lo, hi, 1 };
	struct unwind_rows r = { .f = f, .first = 1 };
	unsigned n = 0;

	r.list.v = &v;
	r.list.n = 1;
	unwind_code(&r, count_row, &n);
	return n;
}

static void
test_gaps(void **state)
{
	struct err e = { 0 };
	struct elf_file *f = elf_open("/proc/self/exe", &e);
	const struct elf_sym *s;
	uint64_t off;

	assert_non_null(f);
	s = elf_sym_find(f, "test_gaps");
	assert_non_null(s);
	assert_true(elf_addr_to_off(f, s->addr, &off));
	assert_true(rows_of_code(f, off, off + 4096) > 0);
	assert_int_equal(rows_of_code(f, off, off + 1024), 0);
	assert_int_equal(rows_of_code(f, off, off), 0);
	/* And where the rows end long before the code does, or begin so. */
	assert_true(rows_between(f, 0, off) > 0);
	assert_true(rows_between(f, off, UINT64_MAX) > 0);
	assert_int_equal(rows_between(f, 0, UINT64_MAX), 0);
	elf_close(f);
}

/* No row is spent on what fills up to the next function. */
static void
test_padding(void **state)
{
	struct err e = { 0 };
	struct unwind_rows r = { .u = uw };
	const struct unwind_row *v;
	size_t code = 0;

	r.f = elf_open("/proc/self/exe", &e);
	assert_non_null(r.f);
	assert_true(unwind_rows(&r));
	v = r.list.v;
	for (size_t i = 0; i + 1 < r.list.n; i++) {
		const uint8_t *p = elf_bytes_at(r.f, v[i].hi, 1);

		assert_non_null(p);
		assert_true(v[i].hi == v[i + 1].lo ||
			    v[i + 1].lo - v[i].hi >= 64 || *p != 0x90);
		code += v[i].hi == v[i + 1].lo;
	}
	assert_true(code > 100);
	assert_null(elf_bytes_at(r.f, UINT64_MAX, 1));
	vec_fini(&r.list);
	elf_close(r.f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_signal),
		cmocka_unit_test(test_max),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_made),
		cmocka_unit_test(test_saved),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_circle),
		cmocka_unit_test(test_small_pool),
		cmocka_unit_test(test_had),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_many_lines),
		cmocka_unit_test(test_stack_alone),
		cmocka_unit_test(test_padding),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
