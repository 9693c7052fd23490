/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * coverage.c - at how many entries, returns and instructions of an ELF file the
 * process engine has places for probes, all at once:
 *
 *	ninja -C build probe-coverage && build/probe-coverage FILE...
 *
 * Programs are started and held when they have a heap, libraries are loaded into a
 * child, so that addresses are as in a process; nothing is
 * patched.  `returns` are those where all entries have probes too, `both` the two
 * together.  A return counts once for a function: all of its ways out, or none.
 * Functions are those of the unwind table and of the symbols, without the parts
 * that compilers split off and without the linker's stubs, which have a row in the
 * unwind table for all of them.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "elf/elf.h"
#include "engine/process/process_impl.h"

/* ---- a process that has the file mapped ---------------------------------- */

static void
child_program(const char *path)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, 0);
	dup2(null, 1);
	dup2(null, 2);
	if (ptrace(PTRACE_TRACEME, 0, 0, 0) == 0)
		execl(path, path, (char *)NULL);
	_exit(127);
}

static void
child_library(const char *path, int ready)
{
	if (dlopen(path, RTLD_LAZY) == NULL)
		fprintf(stderr, "%s\n", dlerror());
	else
		(void)!write(ready, "", 1);
	for (;;)
		pause();
}

/* Does it have a heap? */
static bool
has_heap(pid_t pid)
{
	char name[40], line[1024];
	bool found = false;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	f = fopen(name, "re");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		found |= strstr(line, "[heap]") != NULL;
	if (f != NULL)
		fclose(f);
	return found;
}

/* Until it has, or has made some calls: that is where addresses are. */
static void
run_a_little(pid_t pid)
{
	int status;

	waitpid(pid, &status, 0);
	for (int i = 0; i < 200 && !has_heap(pid) && WIFSTOPPED(status); i++) {
		ptrace(PTRACE_SYSCALL, pid, 0, 0);
		waitpid(pid, &status, 0);
	}
}

static pid_t
start(const char *path, bool program)
{
	int fd[2];
	char c;
	pid_t pid = pipe(fd) == 0 ? fork() : -1;

	if (pid == 0) {
		close(fd[0]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (program)
			child_program(path);
		child_library(path, fd[1]);
	}
	close(fd[1]);
	if (pid > 0 && program)
		run_a_little(pid);
	else if (pid > 0)
		(void)!read(fd[0], &c, 1);
	close(fd[0]);
	return pid;
}

/* ---- its functions ------------------------------------------------------- */

struct addrs {
	VEC(uint64_t) v;
};

/* The first of them is of no function. */
static bool
is_stubs(struct elf_file *f, const struct elf_fde *d)
{
	return elf_stub_at(f, d->addr) != NULL ||
	       (d->size > 16 && elf_stub_at(f, d->addr + 16) != NULL);
}

static void
functions(struct elf_file *f, struct addrs *a)
{
	size_t n;
	const struct elf_fde *d;
	const struct elf_sym *s;

	(void)elf_entries(f, &n); /* then all parts are known */
	d = elf_fdes(f, &n);
	for (size_t i = 0; i < n; i++)
		if (!d[i].fragment && !is_stubs(f, &d[i]))
			(void)vec_push(&a->v, d[i].addr + d[i].signal);
	s = elf_syms(f, &n);
	for (size_t i = 0; i < n; i++) {
		const struct elf_fde *in = elf_fde_at(f, s[i].addr);

		if (s[i].is_func && elf_code_left(f, s[i].addr) != 0 &&
		    (in == NULL || in->addr == s[i].addr))
			(void)vec_push(&a->v, s[i].addr);
	}
	code_addrs_sort(a->v.v, &a->v.n);
	for (size_t i = 0, k = 0; i <= a->v.n; i++) {
		const struct elf_sym *by =
			i < a->v.n ? elf_sym_at(f, a->v.v[i]) : NULL;

		if (i == a->v.n)
			a->v.n = k;
		else if (by == NULL || by->addr != a->v.v[i] ||
			 strstr(by->name, ".cold") == NULL)
			a->v.v[k++] = a->v.v[i];
	}
}

/* ---- plans --------------------------------------------------------------- */

struct sites {
	VEC(struct dif_site) v;
};

static void
site_push(struct sites *s, enum dif_site_kind kind, uint64_t addr, uint64_t fn)
{
	static const struct dif_recipes none;
	struct dif_site x = { .kind = kind, .addr = addr, .fn = fn,
			      .args = &none };

	if (!vec_push(&s->v, x))
		exit(1);
}

struct counts {
	size_t n, placed;
	struct land_counts land;
	double ms;
};

/* How many sites of a kind, or of all, have places if all have a probe. */
static struct counts
plan(pid_t pid, const struct sites *s, enum dif_site_kind kind, bool windows)
{
	struct dif_tab tab = { 0 };
	struct dif_clause c = { 0 }, *cp = &c;
	struct dif_ecb ecb = { 1, 0, 0 };
	struct dif_probe pr = { .id = 1, .prov = "", .mod = "", .func = "",
				.name = "", .sites = s->v.v,
				.nsites = (uint32_t)s->v.n };
	struct dif_enabling en = { .probes = &pr, .nprobes = 1,
				   .clauses = &cp, .nclauses = 1,
				   .ecbs = &ecb, .necbs = 1, .tab = &tab };
	struct engine *eng = calloc(1, sizeof(*eng));
	struct timespec t0, t1;
	struct counts r = { 0 };
	struct err e = { 0 };

	if (eng == NULL)
		exit(1);
	eng->en = &en;
	eng->pid = pid;
	eng->arena = arena_new();
	eng->opts.only_cpu = -1;
	eng->plan.windows_only = windows;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t0);
	if (world_open(&eng->world, pid, NULL, &e) != 0 || plan_make(eng, &e) != 0)
		fprintf(stderr, "# %s\n", e.msg);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t1);
	r.ms = (double)(t1.tv_sec - t0.tv_sec) * 1e3 +
	       (double)(t1.tv_nsec - t0.tv_nsec) / 1e6;
	for (size_t i = 0; i < eng->plan.groups.n; i++) {
		const struct plan_group *g = &eng->plan.groups.v[i];

		if (kind != DIF_NSITES && g->site->kind != kind)
			continue;
		r.n++;
		r.placed += g->why == NULL;
		if (g->why != NULL && getenv("COVERAGE_WHY") != NULL)
			printf("# 0x%llx: %s\n",
			       (unsigned long long)g->site->addr, g->why);
	}
	land_count(eng->plan.land, &r.land);
	plan_fini(&eng->plan);
	world_close(&eng->world);
	arena_free(eng->arena);
	free(eng);
	return r;
}

static void
line(const char *what, pid_t pid, const struct sites *s,
     enum dif_site_kind kind)
{
	struct counts w = plan(pid, s, kind, true), p = plan(pid, s, kind, false);

	printf("  %-8s %8zu %9.3f %9.3f %7u %6u %8.0f\n", what, p.n,
	       100.0 * (double)w.placed / (double)(p.n + !p.n),
	       100.0 * (double)p.placed / (double)(p.n + !p.n), p.land.pages,
	       p.land.maps, p.ms);
	fflush(stdout);
}

static void
insns(pid_t pid, const struct addrs *fns, uint64_t base, struct sites *out)
{
	struct engine *eng = calloc(1, sizeof(*eng));
	struct err e = { 0 };
	uint32_t idx;

	if (eng == NULL || world_open(&eng->world, pid, NULL, &e) != 0)
		exit(1);
	eng->arena = arena_new();
	eng->plan.fn_by_addr = hash_new();
	for (size_t i = 0; i < fns->v.n; i++) {
		uint64_t fn = fns->v.v[i] + base;
		struct world_obj *o = world_at(&eng->world, fn);

		if (o == NULL || plan_fn_get(eng, o, fn, 0, &idx, &e) != 0)
			continue;
		for (size_t k = 0; k < eng->plan.fns.v[idx].fn.insns.n; k++)
			site_push(out, DIF_SITE_UINSN,
				  eng->plan.fns.v[idx].fn.insns.v[k], fn);
	}
	plan_fini(&eng->plan);
	world_close(&eng->world);
	arena_free(eng->arena);
	free(eng);
}

static bool
find_base(pid_t pid, const char *path, uint64_t *base)
{
	struct world w = { 0 };
	struct err e = { 0 };
	struct stat st;
	bool found = false;

	if (stat(path, &st) != 0 || world_open(&w, pid, NULL, &e) != 0)
		return false;
	for (size_t i = 0; i < w.objs.n && !found; i++) {
		struct engine_fresh f = world_obj_fresh(w.objs.v[i]);

		found = f.ino == st.st_ino;
		*base = f.base;
	}
	world_close(&w);
	return found;
}

static int
file(const char *path)
{
	struct err e = { 0 };
	struct elf_file *f = elf_open(path, &e);
	struct sites entries = { 0 }, all = { 0 };
	struct addrs a = { 0 };
	uint64_t base;
	pid_t pid;

	if (f == NULL) {
		fprintf(stderr, "%s: %s\n", path, e.msg);
		return 1;
	}
	pid = start(path, strstr(path, ".so") == NULL);
	if (pid < 0 || !find_base(pid, path, &base)) {
		fprintf(stderr, "%s: cannot be loaded\n", path);
		return 1;
	}
	functions(f, &a);
	for (size_t i = 0; i < a.v.n; i++)
		site_push(&entries, DIF_SITE_UENTRY, a.v.v[i] + base,
			  a.v.v[i] + base);
	printf("%s\n", path);
	line("entries", pid, &entries, DIF_SITE_UENTRY);
	for (size_t i = 0; i < a.v.n; i++)
		site_push(&entries, DIF_SITE_URETURN, a.v.v[i] + base,
			  a.v.v[i] + base);
	line("returns", pid, &entries, DIF_SITE_URETURN);
	line("both", pid, &entries, DIF_NSITES);
	if (getenv("COVERAGE_FAST") == NULL) {
		insns(pid, &a, base, &all);
		line("offsets", pid, &all, DIF_SITE_UINSN);
	}
	vec_fini(&a.v);
	vec_fini(&entries.v);
	vec_fini(&all.v);
	elf_close(f);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}

int
main(int argc, char **argv)
{
	int rc = 0;

	printf("%-10s %8s %9s %9s %7s %6s %8s\n", "", "places", "windows %",
	       "+ puns %", "pages", "maps", "ms");
	for (int i = 1; i < argc; i++)
		rc |= file(argv[i]);
	return rc;
}
