/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_rt_verify.c - the bodies in the kernel.
 *
 * First each is loaded alone, for several strsizes, and what the verifier had
 * to look at is printed and bounded.  Then they run (BPF_PROG_TEST_RUN) on the
 * cases of rt_cases.h and on random arguments, and must do what the same
 * source does on the host: result, fault, scratch.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/test/capable.h"
#include "dif/dif.h"
#include "rt/test/rt_cases.h"
#include "rt/test/rt_probes_obj.h"

/* A program calls several of these, and the verifier gives up at a million. */
static const struct {
	uint32_t strsize;
	unsigned most_insns;
} limits[] = { { 256, 25000 }, { 4096, 25000 }, { RT_STR_MAX, 60000 } };

/* As the loader would take them from BTF. */
static uint32_t task_tgid, task_real_parent;

/* The host's machine is filled, pushed to the kernel, run, and read back. */
struct kernel {
	struct bpf_object *obj;
	int map_rt, map_agg, map_ctl;
	uint64_t self;
	struct rt rt;
};

static int
quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return 0;
}

/*
 * Some kernels let nobody write user memory (lockdown).  libbpf's own question
 * for a helper does not understand what newer kernels answer.
 */
static bool
may_write_user(void)
{
	static const struct bpf_insn insns[] = {
		{ BPF_ST | BPF_DW | BPF_MEM, 10, 0, -8, 0 },
		{ BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 0, 0 },
		{ BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0 },
		{ BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -8 },
		{ BPF_ALU64 | BPF_MOV | BPF_K, 3, 0, 0, 8 },
		{ BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_probe_write_user },
		{ BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0 },
		{ BPF_JMP | BPF_EXIT, 0, 0, 0, 0 },
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, NULL, "GPL", insns,
			       sizeof(insns) / sizeof(insns[0]), NULL);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* An object whose constants are set; nothing is loaded yet. */
static struct bpf_object *
open_object(uint32_t strsize)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "rt");
	struct fixture *f = fixture_new(strsize);
	struct bpf_object *obj;
	struct bpf_program *p;
	struct rt_conf *conf;
	struct bpf_map *m;
	size_t size;

	obj = bpf_object__open_mem(rt_probes_obj, rt_probes_obj_len, &opts);
	assert_non_null(obj);
	m = bpf_object__find_map_by_name(obj, "rt_map_agg");
	assert_non_null(m);
	assert_int_equal(bpf_map__set_value_size(m, f->conf.aggsize), 0);
	m = bpf_object__find_map_by_name(obj, "rt.rodata");
	assert_non_null(m);
	/* const in older libbpf, though it is there to be changed */
	conf = (struct rt_conf *)(uintptr_t)bpf_map__initial_value(m, &size);
	assert_int_equal(size, sizeof(*conf));
	*conf = f->conf;
	conf->task_tgid = task_tgid;
	conf->task_real_parent = task_real_parent;
	conf->absent.known = conf->absent.again = 1;
	conf->absent.page_size = 64;
	bpf_object__for_each_program(
		p, obj) if (strstr(bpf_program__name(p), "copyout") &&
			    !may_write_user())
		bpf_program__set_autoload(p, false);
	free(f);
	return obj;
}

static unsigned
verified_insns(int fd)
{
	struct bpf_prog_info info = { 0 };
	uint32_t len = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(fd, &info, &len), 0);
	return info.verified_insns;
}

static unsigned
load_alone(const char *name, uint32_t strsize)
{
	struct bpf_object *obj = open_object(strsize);
	struct bpf_program *p;
	unsigned n = 0;
	int rc;

	bpf_object__for_each_program(p, obj) bpf_program__set_autoload(
		p, strcmp(bpf_program__name(p), name) == 0);
	rc = bpf_object__load(obj);
	if (rc == 0)
		n = verified_insns(bpf_program__fd(
			bpf_object__find_program_by_name(obj, name)));
	bpf_object__close(obj);
	if (rc) /* once more, to see why */
		fail_msg("%s, strsize %u: %s", name, strsize, strerror(-rc));
	return n;
}

static void
verifier_accepts(void **state)
{
	struct bpf_object *names = open_object(256);
	struct bpf_program *p;

	bpf_object__for_each_program(p, names)
	{
		print_message("# %-28s", bpf_program__name(p));
		if (!bpf_program__autoload(p)) {
			print_message(" refused by this kernel\n");
			continue;
		}
		for (int i = 0; i < 3; i++) {
			unsigned n = load_alone(bpf_program__name(p),
						limits[i].strsize);

			print_message(" %8u", n);
			assert_in_range(n, 1, limits[i].most_insns);
		}
		print_message("\n");
	}
	bpf_object__close(names);
}

/* ---- running ------------------------------------------------------------ */

static int
map_fd(struct bpf_object *obj, const char *name)
{
	return bpf_map__fd(bpf_object__find_map_by_name(obj, name));
}

static void
kernel_run(struct kernel *k, const char *name, const uint64_t *args)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args,
		    .ctx_size_in = 12 * sizeof(*args));
	char prog[64];
	uint32_t zero = 0;
	int fd;

	snprintf(prog, sizeof(prog), "probe_%s", name);
	fd = bpf_program__fd(bpf_object__find_program_by_name(k->obj, prog));
	assert_int_equal(bpf_map_update_elem(k->map_rt, &zero, &k->rt, 0), 0);
	assert_int_equal(bpf_prog_test_run_opts(fd, &opts), 0);
	assert_int_equal(bpf_map_lookup_elem(k->map_rt, &zero, &k->rt), 0);
}

static struct kernel *
kernel_new(uint32_t strsize)
{
	struct kernel *k = calloc(1, sizeof(*k));
	static const uint64_t none[12];
	char log[512];
	int rc;

	assert_non_null(k);
	k->obj = open_object(strsize);
	rc = bpf_object__load(k->obj);
	if (rc) {
		libbpf_strerror(rc, log, sizeof(log));
		fail_msg("load: %s", log);
	}
	k->map_rt = map_fd(k->obj, "rt_map_rt");
	k->map_agg = map_fd(k->obj, "rt_map_agg");
	k->map_ctl = map_fd(k->obj, "rt_map_ctl");
	kernel_run(k, "rt_subr_rand", none); /* sets self */
	k->self = k->rt.self;
	assert_int_not_equal(k->self, 0);
	fixture_reset(&k->rt);
	return k;
}

static void
kernel_free(struct kernel *k)
{
	bpf_object__close(k->obj);
	free(k);
}

static uint64_t
kernel_subr(struct kernel *k, const char *fn)
{
	static const uint64_t none[12];
	char name[64];

	snprintf(name, sizeof(name), "rt_subr_%s", fn);
	kernel_run(k, name, none);
	return k->rt.tmp[0];
}

static void
gives_the_cases(void **state)
{
	struct kernel *k = kernel_new(CASE_STRSIZE);

	for (size_t i = 0; i < NCASES; i++) {
		fixture_reset(&k->rt);
		case_push(&k->rt, &rt_cases[i]);
		uint64_t res = kernel_subr(k, rt_cases[i].fn);
		case_check(&k->rt, &rt_cases[i], res);
	}
	kernel_free(k);
}

/* Both machines have done the same, up to where they are. */
static void
same(const char *what, struct fixture *f, uint64_t hres, struct kernel *k,
     uint64_t kres)
{
	if (hres - f->rt.self < sizeof(struct rt))
		hres = hres - f->rt.self + k->self;
	if (hres != kres || f->rt.fault != k->rt.fault ||
	    f->rt.scratch != k->rt.scratch)
		fail_msg("%s: host %#llx fault %u scratch %u, "
			 "kernel %#llx fault %u scratch %u",
			 what, (unsigned long long)hres, f->rt.fault,
			 f->rt.scratch, (unsigned long long)kres, k->rt.fault,
			 k->rt.scratch);
	assert_memory_equal(f->rt.scratch_mem, k->rt.scratch_mem,
			    f->rt.scratch);
}

static void
random_string(char *s, unsigned *seed, unsigned max)
{
	static const char letters[] = "ab/.Zz";
	unsigned n = (unsigned)rand_r(seed) % max;

	for (unsigned i = 0; i < n; i++)
		s[i] = letters[(unsigned)rand_r(seed) % 6];
	s[n] = 0;
}

static void
agrees_with_the_host(void **state)
{
	static const char *const fns[] = { "strlen",  "strjoin", "strchr",
					   "strrchr", "strstr",  "index",
					   "rindex",  "substr",  "basename",
					   "dirname", "toupper", "tolower" };
	struct fixture *f = fixture_new(40);
	struct kernel *k = kernel_new(40);
	unsigned seed = 11;
	char a[64], b[64];

	for (int i = 0; i < 3000; i++) {
		const char *fn = fns[i % 12];
		int64_t n1 = rand_r(&seed) % 60 - 30;
		int64_t n2 = rand_r(&seed) % 60 - 30;
		struct rt *rt[2] = { &f->rt, &k->rt };

		random_string(a, &seed, 60);
		random_string(b, &seed, i & 16 ? 4 : 60);
		for (int j = 0; j < 2; j++) {
			fixture_reset(rt[j]);
			push_str(rt[j], a);
			if (strcmp(fn, "substr") == 0)
				push_val(rt[j], (uint64_t)n1);
			else if (strstr(fn, "chr"))
				push_val(rt[j], 'a');
			else
				push_str(rt[j], b);
			if (i & 32)
				push_val(rt[j], (uint64_t)n2);
			if (i % 100 == 50)
				rt[j]->tuple[0].val = 0;
		}
		uint64_t hres = subr_by_name(fn)(&f->rt);
		same(fn, f, hres, k, kernel_subr(k, fn));
	}
	kernel_free(k);
	free(f);
}

static void
compares_as_the_host(void **state)
{
	struct fixture *f = fixture_new(40);
	struct kernel *k = kernel_new(40);
	uint64_t args[12] = { 0 };
	unsigned seed = 5;
	char a[64], b[64];

	for (int i = 0; i < 300; i++) {
		random_string(a, &seed, 60);
		strcpy(b, a);
		if (i & 1)
			b[rand_r(&seed) % 60] = (char)rand_r(&seed);
		b[63] = 0;
		fixture_reset(&f->rt);
		push_str(&f->rt, a);
		push_str(&f->rt, b);
		fixture_reset(&k->rt);
		push_str(&k->rt, a);
		push_str(&k->rt, b);
		args[0] = k->rt.tuple[0].val;
		args[1] = k->rt.tuple[1].val;
		kernel_run(k, "rt_scmp", args);
		same("scmp", f,
		     rt_scmp(&f->rt, f->rt.tuple[0].val, f->rt.tuple[1].val), k,
		     k->rt.tmp[0]);
	}
	kernel_free(k);
	free(f);
}

static void
reads_user_memory(void **state)
{
	struct kernel *k = kernel_new(64);
	static char big[9000];
	uint64_t a;

	/* Every page is touched: these programs cannot wait for one. */
	memset(big, 'x', sizeof(big));
	strcpy(big, "text of the user");
	push_val(&k->rt, (uintptr_t)big);
	push_val(&k->rt, sizeof(big));
	a = kernel_subr(k, "copyin");
	assert_int_equal(a, k->self + RT_SCRATCH_OFF);
	assert_memory_equal(k->rt.scratch_mem, big, sizeof(big));
	assert_int_equal(k->rt.scratch, sizeof(big));
	k->rt.ntuple = 1;
	a = kernel_subr(k, "copyinstr");
	assert_string_equal((char *)&k->rt + (a - k->self), big);
	/* user memory is not kernel memory, nor the other way round */
	kernel_subr(k, "strlen");
	assert_int_equal(k->rt.fault, RT_FAULT_BADADDR);
	assert_int_equal(k->rt.fault_val, (uintptr_t)big);
	k->rt.fault = RT_FAULT_NONE;
	k->rt.tuple[0].val = k->self;
	kernel_subr(k, "copyinstr");
	assert_int_equal(k->rt.fault, RT_FAULT_BADADDR);
	assert_int_equal(k->rt.fault_val, k->self);
	kernel_free(k);
}

static uint32_t
member(const struct btf *b, const char *name)
{
	const struct btf_type *t = btf__type_by_id(
		b, (uint32_t)btf__find_by_name_kind(b, "task_struct",
						    BTF_KIND_STRUCT));

	for (uint32_t i = 0; i < btf_vlen(t); i++)
		if (strcmp(btf__name_by_offset(b, btf_members(t)[i].name_off),
			   name) == 0)
			return btf_member_bit_offset(t, i) / 8;
	return ~0u;
}

/* True if numbers of processes here are those that the kernel uses itself: the
   first PID namespace's number in /proc is a constant (PROC_PID_INIT_INO). */
static bool
in_first_pidns(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 && st.st_ino == 0xeffffffcu;
}

static void
knows_its_ancestors(void **state)
{
	struct btf *b = btf__load_vmlinux_btf();
	struct kernel *k;

	if (!b) {
		printf("# skip: this kernel has no BTF\n");
		return;
	}
	if (!in_first_pidns()) {
		btf__free(b);
		printf("# skip: processes have other numbers in the kernel\n");
		return;
	}
	task_tgid = member(b, "tgid");
	task_real_parent = member(b, "real_parent");
	btf__free(b);
	k = kernel_new(64);
	push_val(&k->rt, (uint64_t)getpid());
	assert_int_equal(kernel_subr(k, "progenyof"), 1);
	k->rt.tuple[0].val = (uint64_t)getppid();
	assert_int_equal(kernel_subr(k, "progenyof"), 1);
	k->rt.tuple[0].val = 0; /* the idle process, above all */
	assert_int_equal(kernel_subr(k, "progenyof"), 1);
	k->rt.tuple[0].val = 2; /* kthreadd */
	assert_int_equal(kernel_subr(k, "progenyof"), 0);
	kernel_free(k);
	task_tgid = ~0u;
	k = kernel_new(64);
	push_val(&k->rt, 1);
	kernel_subr(k, "progenyof");
	assert_int_equal(k->rt.fault, RT_FAULT_ILLOP);
	kernel_free(k);
}

static void
writes_user_memory(void **state)
{
	struct kernel *k = kernel_new(64);
	static char to[9000];

	if (!bpf_program__autoload(bpf_object__find_program_by_name(
		    k->obj, "probe_rt_subr_copyout"))) {
		kernel_free(k);
		assert_false(CAPABLE("write-user"));
		return;
	}
	memset(to, 'x', sizeof(to)); /* pages that are there */
	push_str(&k->rt, "text");
	push_val(&k->rt, (uintptr_t)to);
	push_val(&k->rt, 100);
	kernel_subr(k, "copyoutstr");
	assert_string_equal(to, "text");
	k->rt.tuple[0].val = k->self;
	k->rt.tuple[2].val = sizeof(to);
	kernel_subr(k, "copyout");
	assert_int_equal(k->rt.fault, RT_FAULT_NONE);
	assert_memory_equal(to + __builtin_offsetof(struct rt, self), &k->self,
			    8);
	kernel_free(k);
}

/* Texts of the bodies that keep state or take addresses. */
static void
cuts_tokens_and_writes_addresses(void **state)
{
	static const char *const tokens[] = { "a", "bc", "d" };
	uint8_t addr[16] = { 0x20, 1, 0xd, 0xb8, [15] = 1 };
	struct kernel *k = kernel_new(64);
	uint64_t a;

	for (int i = 0; i < 4; i++) {
		k->rt.ntuple = 0;
		if (i == 0)
			push_str(&k->rt, "a,bc;;d");
		else
			push_val(&k->rt, 0);
		push_str(&k->rt, ",;");
		a = kernel_subr(k, "strtok");
		if (i == 3)
			assert_int_equal(a, 0);
		else
			assert_string_equal((char *)&k->rt + (a - k->self),
					    tokens[i]);
	}
	k->rt.ntuple = 0;
	push_ref(&k->rt, addr, 16);
	a = kernel_subr(k, "inet_ntoa6");
	assert_string_equal((char *)&k->rt + (a - k->self), "2001:db8::1");
	a = kernel_subr(k, "inet_ntoa");
	assert_string_equal((char *)&k->rt + (a - k->self), "32.1.13.184");
	kernel_free(k);
}

static void
writes_scratch_as_the_host(void **state)
{
	struct fixture *f = fixture_new(64);
	struct kernel *k = kernel_new(64);
	uint64_t args[12] = { 13 }, h;

	memset(k->rt.scratch_mem, 0xee, sizeof(k->rt.scratch_mem));
	h = rt_allocs(&f->rt, 13);
	kernel_run(k, "rt_allocs", args);
	same("allocs", f, h, k, k->rt.tmp[0]);
	for (int i = 0; i < 4; i++) {
		uint64_t off = RT_SCRATCH_OFF + 6 + (uint64_t)i;

		args[0] = k->self + off;
		args[1] = 0x123456789abcdef0;
		args[2] = 1u << i;
		kernel_run(k, "rt_store", args);
		h = rt_store(&f->rt, f->rt.self + off, args[1], args[2]);
		same("store", f, h, k, k->rt.tmp[0]);
		f->rt.fault = k->rt.fault = RT_FAULT_NONE;
	}
	args[0] = 9000;
	kernel_run(k, "rt_allocs", args);
	rt_allocs(&f->rt, 9000);
	args[0] = k->self;
	args[1] = k->self + RT_SCRATCH_OFF + 24;
	args[2] = 4097;
	kernel_run(k, "rt_copys", args);
	assert_int_equal(k->rt.fault, RT_FAULT_NONE);
	assert_int_equal(k->rt.tmp[0], args[1]);
	assert_memory_equal(k->rt.scratch_mem + 24 +
				    __builtin_offsetof(struct rt, self),
			    &k->self, 8);
	args[2] = 9009;
	kernel_run(k, "rt_copys", args);
	assert_int_equal(k->rt.fault, RT_FAULT_BADADDR);
	kernel_free(k);
	free(f);
}

static void
aggregates_as_the_host(void **state)
{
	struct fixture *f = fixture_new(40);
	struct kernel *k = kernel_new(40);
	uint64_t args[12] = { 0 }, h;
	uint32_t zero = 0;
	uint8_t *agg = malloc(sizeof(f->agg));
	unsigned seed = 9;
	char s[64];

	for (int i = 0; i < 1500; i++) {
		random_string(s, &seed, 3);
		args[1] = args[0] = 0;
		fixture_reset(&f->rt);
		fixture_reset(&k->rt);
		push_val(&f->rt, (uint64_t)i % 5);
		push_val(&k->rt, (uint64_t)i % 5);
		push_str(&f->rt, s);
		push_str(&k->rt, s);
		h = rt_tuple_key(&f->rt, 0);
		kernel_run(k, "rt_tuple_key", args);
		same("tuple_key", f, h, k, k->rt.tmp[0]);
		assert_memory_equal(f->rt.key, k->rt.key, h);

		f->ctl.agg_half = i >= 750;
		assert_int_equal(
			bpf_map_update_elem(k->map_ctl, &zero, &f->ctl, 0), 0);
		args[0] = 1 + (uint64_t)i % 2;
		args[1] = h;
		args[2] = 127 * 8;
		h = rt_agg_cell(&f->rt, args[0], args[1], args[2]);
		kernel_run(k, "rt_agg_cell", args);
		same("agg_cell", f, h, k, k->rt.tmp[0]);
	}
	assert_int_equal(f->rt.drops[RT_DROP_AGG], k->rt.drops[RT_DROP_AGG]);
	assert_int_equal(bpf_map_lookup_elem(k->map_agg, &zero, agg), 0);
	assert_memory_equal(f->agg, agg, sizeof(f->agg));
	free(agg);
	kernel_free(k);
	free(f);
}

static void
buckets_as_the_host(void **state)
{
	struct fixture *f = fixture_new(40);
	struct kernel *k = kernel_new(40);
	uint64_t args[12] = { 0 };

	for (int i = 0; i < 128; i++) {
		args[0] = (1ull << i / 2) - (i & 1);
		if (i % 3 == 0)
			args[0] = -args[0];
		args[1] = args[0];
		kernel_run(k, "rt_agg_quantize", args);
		assert_int_equal(k->rt.tmp[0],
				 rt_agg_quantize(&f->rt, 0, args[1], 0));
		args[0] = 7ull << 48 | 50ull << 32 | (uint32_t)-99;
		kernel_run(k, "rt_agg_lquantize", args);
		assert_int_equal(k->rt.tmp[0],
				 rt_agg_lquantize(&f->rt, args[0], args[1], 0));
		args[0] = i % 2 ? 10ull << 48 | 1ull << 32 | 8 << 16 | 20
				: 12ull << 48 | 4 << 16 | 96;
		args[2] = dif_llquantize_zero(args[0]);
		kernel_run(k, "rt_agg_llquantize", args);
		assert_int_equal(k->rt.tmp[0],
				 rt_agg_llquantize(&f->rt, args[0], args[1],
						   args[2]));
	}
	kernel_free(k);
	free(f);
}

int
main(void)
{
	int status = capable("bpf");
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(verifier_accepts),
		cmocka_unit_test(gives_the_cases),
		cmocka_unit_test(agrees_with_the_host),
		cmocka_unit_test(compares_as_the_host),
		cmocka_unit_test(reads_user_memory),
		cmocka_unit_test(knows_its_ancestors),
		cmocka_unit_test(writes_user_memory),
		cmocka_unit_test(cuts_tokens_and_writes_addresses),
		cmocka_unit_test(writes_scratch_as_the_host),
		cmocka_unit_test(aggregates_as_the_host),
		cmocka_unit_test(buckets_as_the_host),
	};

	if (status != 0)
		return capable_tap(status);
	if (!getenv("RT_VERIFY_LOG"))
		libbpf_set_print(quiet);
	return cmocka_run_group_tests_name("rt_verify", tests, NULL, NULL);
}
