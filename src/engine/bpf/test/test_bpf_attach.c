/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_bpf_attach.c - each kind of site but functions of the kernel: probes
 * fire where they should, and arguments and conditions are what the site's
 * recipes say, on this kernel and on one that seems older.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <cmocka.h>

#include "base/test/fds.h"
#include "base/test/capable.h"
#include "elf/elf.h"
#include "engine/bpf/bpf_impl.h"
#include "engine/bpf/test/bpf_world.h"

static void
test_syscall(void **state)
{
	struct test_world *w = world_new(&bpf_engine_ops);
	const struct rt_rec *r;
	struct dif_clause *c = clause(w, my_pid());
	uint64_t t;

	agg(w, stmt(w, c, DIF_AGG_count, NULL, NULL, NULL), 0);
	c = clause(w, my_pid());
	stmt(w, c, DIF_ACT_TRACE, "ldgs arg0, %r1\nret %r1",
	     "ldgs arg1, %r1\nret %r1", "ldgs arg3, %r1\nret %r1");
	c = clause(w, my_pid());
	stmt(w, c, DIF_ACT_TRACE, "ldgs arg0, %r1\nret %r1",
	     "ldgs errno, %r1\nret %r1\n.ret int 4", NULL);
	probe(w, DIF_SITE_SYSENTRY, SYS_getppid, 1, &user_args);
	probe(w, DIF_SITE_SYSENTRY, SYS_dup3, 2, &user_args);
	probe(w, DIF_SITE_SYSRETURN, SYS_dup3, 4, &sysret_args);
	start(w);
	getppids(10);
	assert_int_equal(syscall(SYS_dup3, 54321, 7, 0), -1);
	stop(w);
	getppids(10);
	assert_int_equal(cells(w, 0, 0, NULL), 10);
	assert_int_equal(records(w, 2, &r), 1);
	t = ((const uint64_t *)(r + 1))[0];
	assert_int_equal(t, 54321);
	assert_int_equal(((const uint64_t *)(r + 1))[1], 7);
	assert_int_equal(((const int64_t *)(r + 1))[2], -3);
	assert_int_equal(records(w, 3, &r), 1);
	assert_int_equal(((const int64_t *)(r + 1))[0], -1);
	assert_int_equal(((const int32_t *)(r + 1))[2], 9); /* EBADF */
	world_free(w);
}

/* Of struct pt_regs: the first argument, read in several ways. */
#define ARG0(size, ...) { 1, { { 8 * DIF_R_SYSARG0, size, __VA_ARGS__ } } }
static const struct dif_path arg0 = ARG0(8, 0),
			     arg0_w = ARG0(4, .is_signed = true),
			     arg0_h = ARG0(2, 0), arg0_b = ARG0(1, 4, 3, true);
#define REGS(path) { DIF_RCP_TPARG, 0, path }
#define GETPPID	   { { DIF_RCP_TPARG, 1 }, 0, DIF_CMP_EQ, SYS_getppid }

/*
 * sys_enter(regs, number): an argument by each kind of load, a bad pointer; a
 * site that is tried after one that does not fire; values met once.
 */
static void
test_rawtp(void **state)
{
	static const struct dif_path bad = { 2, { { 8 * DIF_R_SYSARG0, 8 },
						  { 16, 4 } } };
	/* What arg0 is, twice its low half besides, 7, and arg1 three times. */
	static const struct dif_path sum = { 4, {
		{ 8 * DIF_R_SYSARG0, 8 },
		{ 8 * DIF_R_SYSARG0, 2, .add = DIF_ADD_BESIDE, .scale = 2 },
		{ 7, .add = DIF_ADD_OFF },
		{ 8 * DIF_R_SYSARG1, 4, .add = DIF_ADD_BESIDE, .scale = 3 },
	} }, below = { 1, {
		{ 8 * DIF_R_SYSARG1, 4, .add = DIF_ADD_BELOW, .scale = 5 },
	} };
	static const struct dif_recipes args = {
		.arg = { REGS(&arg0),
			 REGS(&arg0_w),
			 REGS(&arg0_h),
			 REGS(&arg0_b),
			 REGS(&bad),
			 { DIF_RCP_TPARG, 1 },
			 REGS(&sum),
			 REGS(&below),
			 { DIF_RCP_TPARG, 0 } },
	};
	static const struct dif_whens never = {
		2, { GETPPID, { REGS(&arg0_h), 0xff, DIF_CMP_NE, 0xee } }
	}, some = {
		4, { GETPPID, { REGS(&arg0_w), 0, DIF_CMP_LT, 0 },
		     { REGS(&arg0), 0, DIF_CMP_GT, INT64_MIN },
		     { REGS(&arg0_h), 0xff, DIF_CMP_EQ, 0xee } }
	}, once = { 1, { GETPPID }, REGS(&arg0_h) };
	struct test_world *w = world_new(&bpf_engine_ops);
	const struct rt_rec *r;
	const uint64_t *v;
	struct dif_clause *c = clause(w, my_pid());
	struct dif_site *s;

	stmt(w, c, DIF_ACT_TRACE, "ldgs arg0, %r1\nret %r1",
	     "ldgs arg1, %r1\nret %r1", "ldgs arg2, %r1\nret %r1");
	stmt(w, c, DIF_ACT_TRACE, "ldgs arg3, %r1\nret %r1",
	     "ldgs arg4, %r1\nret %r1", "ldgs arg5, %r1\nret %r1");
	stmt(w, c, DIF_ACT_TRACE, "ldgs arg6, %r1\nret %r1",
	     "ldgs arg7, %r1\nret %r1", "ldgs arg8, %r1\nret %r1");
	for (int i = 0; i < 3; i++) {
		s = probe(w, DIF_SITE_TP, 0, 1, &args);
		s->tp = "sys_enter";
		s->when = (const struct dif_whens *[]){ &never, &some,
							&once }[i];
	}
	start(w);
	for (int i = 0; i < 3; i++)
		syscall(SYS_getppid, -0x12L, 9L); /* 0xff...ee */
	stop(w);
	assert_int_equal(records(w, 1, &r), 0);
	assert_int_equal(records(w, 2, &r), 3);
	v = (const uint64_t *)(r + 1);
	assert_true(v[0] == (uint64_t)-0x12);
	assert_true(v[1] == (uint64_t)-0x12);
	assert_int_equal(v[2], 0xffee);
	assert_true(v[3] == (uint64_t)-2); /* bits 4 to 6 of 0xee */
	assert_int_equal(v[4], 0);
	assert_int_equal(v[5], SYS_getppid);
	assert_true(v[6] == (uint64_t)-0x12 + 2 * 0xffee + 7 + 3 * 9);
	assert_true(v[7] == v[8] + 5 * 9);
	assert_int_equal(records(w, 3, &r), 1);
	world_free(w);
}

/* Probes without arguments at the kernel's first n tracepoints. */
static void
other_tracepoints(struct test_world *w, struct btf *b, unsigned n)
{
	const size_t head = strlen("btf_trace_");
	unsigned had = 0;

	for (uint32_t i = 1; i < btf__type_cnt(b) && had < n; i++) {
		const struct btf_type *t = btf__type_by_id(b, i);
		const char *name = btf__name_by_offset(b, t->name_off);
		if (!btf_is_typedef(t) ||
		    strncmp(name, "btf_trace_", head) != 0 ||
		    strncmp(name + head, "sys_", 4) == 0)
			continue;
		probe(w, DIF_SITE_TP, 0, 1, NULL)->tp = name + head;
		had++;
	}
}

/*
 * More tracepoints than have a program each: those of this process's own system
 * calls fire with their arguments, also two sites of one; they read different
 * numbers of words.
 */
static void
test_many(void **state)
{
	static const struct dif_recipes nr = {
		.arg = { { DIF_RCP_TPARG, 1 } },
	}, first = { .arg = { REGS(&arg0) } };
	static const struct dif_whens ours = { 1, { GETPPID } };
	struct btf *b = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	struct test_world *w = world_new(&bpf_engine_ops);
	struct dif_clause *c = clause(w, my_pid());
	const struct rt_rec *r;
	struct dif_site *s;

	if (libbpf_get_error(b) != 0) {
		world_free(w);
		skip();
	}
	stmt(w, c, DIF_ACT_TRACE, "ldgs arg0, %r1\nret %r1", NULL, NULL);
	for (int i = 0; i < 3; i++) {
		s = probe(w, DIF_SITE_TP, 0, 1, i == 1 ? &first : &nr);
		s->tp = i == 2 ? "sys_exit" : "sys_enter";
		s->when = i == 2 ? NULL : &ours;
	}
	other_tracepoints(w, b, 70);
	start(w);
	for (int i = 0; i < 3; i++)
		syscall(SYS_getppid, -0x12L, 9L);
	if (w->eng->tps == BPF_TPS_MANY)
		assert_in_range(w->eng->progs.n, 1, 8);
	stop(w);
	assert_int_equal(records(w, 1, &r), 3);
	assert_int_equal(((const int64_t *)(r + 1))[0], SYS_getppid);
	assert_int_equal(records(w, 2, &r), 3);
	assert_true(((const int64_t *)(r + 1))[0] == -0x12);
	assert_true(records(w, 3, &r) >= 3);
	world_free(w);
	btf__free(b);
}

/* Enables many tracepoints; tells its heir, and waits to be killed. */
static void
many_enabled(int out)
{
	struct btf *b = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	struct test_world *w = world_new(&bpf_engine_ops);
	struct dif_clause *c = clause(w, my_pid());

	stmt(w, c, DIF_ACT_TRACE, "setx 1, %r1\nret %r1", NULL, NULL);
	other_tracepoints(w, b, 70);
	start(w);
	if (write(out, &w->eng->heir, sizeof(int)) == sizeof(int))
		pause();
	_exit(1);
}

/* Where the consumer is killed there is one who has its descriptors, and ends
   then; where it stops, that one is gone. */
static void
test_heir(void **state)
{
	struct btf *b = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	struct test_world *w = world_new(&bpf_engine_ops);
	struct dif_clause *c = clause(w, my_pid());
	int io[2], heir = 0, status;

	assert_int_equal(libbpf_get_error(b), 0);
	assert_int_equal(pipe(io), 0);
	pid_t pid = fork();
	if (pid == 0)
		many_enabled(io[1]);
	close(io[1]);
	assert_int_equal(read(io[0], &heir, sizeof(heir)), sizeof(heir));
	assert_true(heir > 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	/* Its descriptors are closed when the last who has them ends. */
	assert_int_equal(read(io[0], &heir, sizeof(heir)), 0);
	close(io[0]);

	stmt(w, c, DIF_ACT_TRACE, "setx 1, %r1\nret %r1", NULL, NULL);
	other_tracepoints(w, b, 70);
	start(w);
	heir = w->eng->heir;
	assert_int_equal(kill(heir, 0), 0);
	stop(w);
	assert_int_equal(kill(heir, 0), -1);
	world_free(w);
	btf__free(b);
}

static void
test_no_tracepoint(void **state)
{
	struct test_world *w = world_new(&bpf_engine_ops);
	struct dif_clause *c = clause(w, NULL);
	struct err e = { 0 };

	stmt(w, c, DIF_ACT_TRACE, "setx 1, %r1\nret %r1", NULL, NULL);
	probe(w, DIF_SITE_TP, 0, 1, NULL)->tp = "no_such";
	w->eng = try_load(w);
	assert_non_null(w->eng);
	assert_int_equal(bpf_engine_ops.attach(w->eng, &e), -1);
	assert_non_null(strstr(e.msg, "prov::func:name: this kernel has no "
				      "tracepoint no_such"));
	world_free(w);
}

static __attribute__((noinline)) int
traced_function(int a, int b)
{
	__asm__ volatile("" : "+r"(a));
	return a + b;
}

static __attribute__((noinline)) int
traced_operands(long i, long n, const volatile int16_t *v)
{
	__asm__ volatile("" : "+r"(i));
	return (int)(i + n + v[0]);
}

/* Offset in the file of an address of this program. */
static uint64_t
file_offset(const void *p)
{
	FILE *f = fopen("/proc/self/maps", "r");
	uint64_t at = (uint64_t)(uintptr_t)p, a, b, off, res = 0;
	char line[512];

	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx", &a, &b, &off) == 3 &&
		    at >= a && at < b)
			res = at - a + off;
	fclose(f);
	return res;
}

static struct elf_file *self;

static struct elf_file *
files_open(void *arg, int32_t pid, const char *path, struct err *e)
{
	if (self == NULL)
		self = elf_open(path, e);
	return self;
}

/* A process of no objects: none of them could unwind. */
static bool
files_object(void *arg, int32_t pid, size_t i, struct engine_object *out)
{
	return false;
}

static const struct engine_files files = { NULL, files_open, files_object };

static uint64_t
self_bias(void)
{
	struct err e = { 0 };
	const struct elf_sym *s;

	files_open(NULL, 0, "/proc/self/exe", &e);
	assert_non_null(self);
	s = elf_sym_find(self, "traced_function");
	assert_non_null(s);
	return (uintptr_t)traced_function - s->addr;
}

static void
test_uprobe(void **state)
{
	struct test_world *w = world_new(&bpf_engine_ops);
	const struct rt_rec *r;
	struct dif_clause *c = clause(w, NULL);
	struct dif_site *s;

	stmt(w, c, DIF_ACT_TRACE, "ldgs arg0, %r1\nret %r1",
	     "ldgs arg1, %r1\nret %r1", "ldgs arg2, %r1\nret %r1");
	w->opts.files = &files;
	s = probe(w, DIF_SITE_UENTRY, 0, 1, &user_args);
	s->path = "/proc/self/exe";
	s->off = file_offset((const void *)(uintptr_t)traced_function);
	s->pid = getpid();
	s->addr = s->fn = (uintptr_t)traced_function;
	s->bias = self_bias();
	s->fn_size = 4;
	s = probe(w, DIF_SITE_URETURN, 0, 1, &user_args);
	*s = w->sites[0];
	s->kind = DIF_SITE_URETURN;
	start(w);
	for (int i = 0; i < 3; i++)
		traced_function(i, 70 + i);
	stop(w);
	assert_int_equal(records(w, 1, &r), 3);
	assert_int_equal(((const uint64_t *)(r + 1))[0], 2);
	assert_int_equal(((const uint64_t *)(r + 1))[1], 72);
	assert_int_equal(((const uint64_t *)(r + 1))[2], 1000);
	assert_int_equal(records(w, 2, &r), 3);
	world_free(w);
}

/* The provider of a probe that is every process's is called after the process,
   that of another beside it is not; other parts of the name are the same. */
static void
test_every(void **state)
{
	struct test_world *w = world_new(&bpf_engine_ops);
	const struct rt_rec *r;
	const uint32_t *v;
	struct dif_clause *c = clause(w, my_pid());
	struct dif_stmt *s = stmt(w, c, DIF_ACT_TRACE, one, one, NULL);

	for (unsigned i = 0; i < 2; i++) {
		s->exprs[i].src = DIF_SRC_NAME;
		s->exprs[i].arg =
			i == 0 ? DIF_VAR_probeprov : DIF_VAR_probefunc;
		s->exprs[i].type.kind = DIF_TYPE_STRING;
	}
	probe(w, DIF_SITE_SYSENTRY, SYS_getppid, 1, NULL);
	probe(w, DIF_SITE_SYSENTRY, SYS_getuid, 1, NULL);
	w->probes[0].every = 3;
	start(w);
	getppids(1);
	syscall(SYS_getuid);
	stop(w);
	assert_int_equal(records(w, 1, &r), 1);
	v = (const uint32_t *)(r + 1);
	assert_int_equal(v[0], DIF_EVERY(3u, (uint32_t)getpid()));
	assert_int_equal(v[1], 100);
	assert_int_equal(records(w, 2, &r), 1);
	v = (const uint32_t *)(r + 1);
	assert_int_equal(v[0], 101);
	assert_int_equal(v[1], 101);
	world_free(w);
}

/* What a static probe's note may name: parts of registers, memory, and a
   semaphore, which is not 0 while anybody listens. */
static volatile uint16_t traced_semaphore
	__attribute__((section(".probes"))) = 0;

static void
test_operands(void **state)
{
	static const struct dif_recipes args = { .arg = {
		{ DIF_RCP_UREG, DIF_R_FNARG1, .size = 1, .shift = 8 },
		{ DIF_RCP_UREG, DIF_R_FNARG1, .size = 2, .is_signed = true },
		{ DIF_RCP_UMEM, 0, .size = 2, .is_signed = true,
		  .base = DIF_BASE(FNARG2), .index = DIF_BASE(FNARG0),
		  .scale = 1 },
		{ DIF_RCP_UMEM, 2, .size = 2, .base = DIF_BASE(FNARG2) },
		{ DIF_RCP_UMEM, 16, .size = 4, .base = DIF_BASE(FNARG0) },
		{ DIF_RCP_UMEM, -2, .base = DIF_BASE(FNARG0), .fs = true },
	}, .arg[11] = { DIF_RCP_CONST, 12 } };
	static const struct dif_whens when = {
		.n = 1,
		.v = { { { DIF_RCP_UMEM, 4, .size = 2, .is_signed = true,
			   .base = DIF_BASE(FNARG2) },
			 .cmp = DIF_CMP_LT } },
	};
	static volatile int16_t mem[] = { 1, 2, -3, 4 };
	struct test_world *w = world_new(&bpf_engine_ops);
	const struct rt_rec *r;
	struct dif_clause *c = clause(w, NULL);
	struct dif_site *s;
	const uint64_t *got;

	stmt(w, c, DIF_ACT_TRACE, "ldgs arg0, %r1\nret %r1",
	     "ldgs arg1, %r1\nret %r1", "ldgs arg2, %r1\nret %r1");
	stmt(w, c, DIF_ACT_TRACE, "ldgs arg3, %r1\nret %r1",
	     "ldgs arg4, %r1\nret %r1",
	     "setx 11, %r2\nldga args, %r2, %r1\nret %r1");
	stmt(w, c, DIF_ACT_TRACE, "ldgs arg5, %r1\nret %r1", NULL, NULL);
	w->opts.files = &files;
	s = probe(w, DIF_SITE_UENTRY, 0, 1, &args);
	s->path = "/proc/self/exe";
	s->off = file_offset((const void *)(uintptr_t)traced_operands);
	s->pid = getpid();
	s->addr = s->fn = (uintptr_t)traced_operands;
	s->bias = self_bias();
	s->fn_size = 4;
	s->sem = file_offset((const void *)(uintptr_t)&traced_semaphore);
	s->when = &when;
	assert_int_equal(traced_semaphore, 0);
	start(w);
	assert_true(traced_semaphore > 0);
	traced_operands(2, 0x9877, mem);
	mem[2] = 3; /* not below 0 any more */
	traced_operands(2, 0x9877, mem);
	mem[2] = -3;
	stop(w);
	assert_int_equal(traced_semaphore, 0);
	assert_int_equal(records(w, 1, &r), 1);
	got = (const uint64_t *)(r + 1);
	assert_int_equal(got[0], 0x98);
	assert_int_equal(got[1], (uint64_t)-0x6789);
	assert_int_equal(got[2], (uint64_t)-3);
	assert_int_equal(got[3], 2);
	assert_int_equal(got[4], 0);
	assert_int_equal(got[5], 12);
#ifdef __x86_64__
	uint64_t block; /* the thread's block points to itself */
	__asm__("mov %%fs:0, %0" : "=r"(block));
	assert_int_equal(got[6], block);
#endif
	world_free(w);
}

/* ---- older kernels ------------------------------------------------------- */

/* While it is set, this kernel seems to have neither uprobe_multi nor types
   for the tracepoints of system calls: the rows behind theirs are taken. */
static bool old_kernel;
static unsigned denied; /* how often */

bool __real_bpf_feat_multi(void);
bool __wrap_bpf_feat_multi(void);
int __real_bpf_feat_ktypes(struct engine *, struct err *);
int __wrap_bpf_feat_ktypes(struct engine *, struct err *);

bool
__wrap_bpf_feat_multi(void)
{
	denied += old_kernel;
	return !old_kernel && __real_bpf_feat_multi();
}

int
__wrap_bpf_feat_ktypes(struct engine *eng, struct err *e)
{
	int rc = __real_bpf_feat_ktypes(eng, e);

	denied += old_kernel;
	if (old_kernel)
		eng->kt.enter_btf_id = eng->kt.exit_btf_id = 0;
	return rc;
}

static void
test_older(void **state)
{
	old_kernel = true;
	denied = 0;
	test_uprobe(state);
	assert_int_equal(denied, 2); /* entry and return */
	test_operands(state);
	test_syscall(state);
	assert_true(denied > 2);
	old_kernel = false;
}

/* Whatever a kernel lacks: each kind of site that is served at all has a last
   row that needs nothing special, but for the kernel's own functions. */
static void
test_rows(void **state)
{
	for (unsigned kind = 0; kind < BPF_NPLACES; kind++) {
		const struct bpf_class *last = NULL;
		uint32_t id = 0;
		for (unsigned i = 0; i < BPF_NCLASSES; i++)
			if (bpf_classes[i].sites & (1u << kind))
				last = &bpf_classes[i];
		if (last == NULL || (kind < DIF_NSITES &&
				     dif_sites[kind].key == DIF_KEY_FUNCTION))
			continue;
		assert_true(last->have(NULL, NULL, &id));
		assert_int_equal(id, 0);
	}
}

/* Lists of CPUs as the kernel writes them. */
static void
test_cpus(void **state)
{
	static const struct {
		const char *list;
		int n, sum; /* CPUs, and their numbers added */
	} t[] = { { "0\n", 1, 0 },	 { "0-3\n", 4, 6 },
		  { "0,2\n", 2, 2 },	 { "0-1,4-6,9\n", 6, 25 },
		  { "8,10-11\n", 3, 29 }, { "", 0, 0 }, { "\n", 0, 0 } };

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		const char *p = t[i].list;
		int n = 0, sum = 0, lo, hi;

		while ((p = bpf_cpus_next(p, &lo, &hi)) != NULL)
			for (; lo <= hi; lo++, n++)
				sum += lo;
		assert_int_equal(n, t[i].n);
		assert_int_equal(sum, t[i].sum);
	}
}

int
main(void)
{
	int status = capable("bpf");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_syscall),
		cmocka_unit_test(test_rawtp),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_heir),
		cmocka_unit_test(test_no_tracepoint),
		cmocka_unit_test(test_uprobe),
		cmocka_unit_test(test_every),
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_older),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_cpus),
	};

	if (status != 0)
		return capable_tap(status);
	return cmocka_run_group_tests(tests, fds_note, fds_check);
}
