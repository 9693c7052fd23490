/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_world.c - see process_world.h.  The target is a child of the test
 * that obeys commands from a pipe.
 */
#include "engine/process/test/process_world.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

/* ---- the target ---------------------------------------------------------- */

__attribute__((noinline)) uint64_t
target_leaf(uint64_t a)
{
	__asm__ volatile("" : "+r"(a));
	return a * 3 + 1;
}

__attribute__((noinline)) uint64_t
target_work(uint64_t a, uint64_t b)
{
	uint64_t sum = 0;

	__asm__ volatile("" : "+r"(a));
	if (a % 7 == 0)
		return b;
	for (uint64_t i = 0; i < 3; i++)
		sum += target_leaf(a + i);
	return sum + b;
}

/* *INDENT-OFF* */
__asm__(".text\n.globl target_scan,target_scan_head\n"
	".type target_scan,@function\ntarget_scan:\n.cfi_startproc\n"
	"mov %rdi,%rsi\nand $63,%esi\nmov $0,%eax\n"
	"target_scan_head:\n"
	"1: cmp %rsi,%rax\nje 2f\ninc %rax\njmp 1b\n"
	"2: test $1,%dil\njnz 4f\n3: ret\n"
	"4: or $-1,%rax\njmp 5f\n6: ret\n5: cmp $-1,%rax\nje 6b\n"
	"jmp 3b\n.cfi_endproc\n.size target_scan,.-target_scan\n");
__asm__(".text\n.globl target_tiny,target_tiny2,target_tiny_ret\n"
	".type target_tiny,@function\ntarget_tiny:\n.cfi_startproc\n"
	"push %rdi\n1: dec %edi\ntest $3,%dil\njne 1b\npop %rax\n"
	"test %rdi,%rdi\njs 2f\ntarget_tiny_ret: 2: ret\n"
	".cfi_endproc\n.size target_tiny,.-target_tiny\n"
	".type target_tiny2,@function\ntarget_tiny2:\n.cfi_startproc\n"
	"push %rbp\nmov %rsp,%rbp\nlea 1(%rdi),%rax\npop %rbp\nret\n"
	".cfi_endproc\n.size target_tiny2,.-target_tiny2\n");
/* *INDENT-ON* */

static uint64_t
do_scans(void)
{
	for (uint64_t a = 0;; a++)
		if (target_scan(a) !=
		    (a % 2 != 0 ? UINT64_MAX : a % 64))
			_exit(7);
}

static void *
thread_body(void *arg)
{
	uint64_t n = *(uint32_t *)arg, sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += target_work(i, i + 1);
	return (void *)(uintptr_t)sum;
}

static uint64_t
do_threads(uint32_t n, uint32_t calls, bool serial)
{
	pthread_t th[64];
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n && i < 64; i++) {
		void *r = NULL;
		if (pthread_create(&th[i], NULL, thread_body, &calls) != 0)
			_exit(9);
		if (serial && pthread_join(th[i], &r) == 0)
			sum += (uintptr_t)r;
	}
	for (uint32_t i = 0; !serial && i < n && i < 64; i++) {
		void *r = NULL;
		pthread_join(th[i], &r);
		sum += (uintptr_t)r;
	}
	return sum;
}

static uint64_t
do_forks(uint32_t n)
{
	uint64_t ok = 0;

	for (uint32_t i = 0; i < n; i++) {
		int status;
		pid_t pid = fork();
		if (pid == 0)
			_exit(target_work(1, 2) == 23 ? 0 : 1);
		if (waitpid(pid, &status, 0) == pid && status == 0)
			ok++;
	}
	return ok;
}

__attribute__((noinline)) static pid_t
one_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		(void)syscall(SYS_getppid);
		_exit(0);
	}
	return pid;
}

static uint64_t
do_vforks(uint32_t n)
{
	uint64_t ok = 0;

	for (uint32_t i = 0; i < n; i++) {
		pid_t pid = one_vfork();
		int status;

		if (waitpid(pid, &status, 0) == pid && status == 0)
			ok++;
	}
	return ok;
}

static int obey_from, obey_to;

__attribute__((noreturn)) static void
do_again(void)
{
	char from[12], to[12];

	snprintf(from, sizeof(from), "%d", obey_from);
	snprintf(to, sizeof(to), "%d", obey_to);
	execl("/proc/self/exe", "again", "target", from, to, (char *)NULL);
	_exit(8);
}

static uint64_t
target_obey(enum target_cmd cmd, uint32_t n)
{
	/* Volatile: a pointer to code that the code counts up would be taken
	   for an address where somebody arrives. */
	const uint8_t *volatile at = (const uint8_t *)target_work;
	const uint8_t *text = at;
	uint64_t sum = 0;

	switch (cmd) {
	case T_WORK:
		for (uint64_t i = 0; i < n; i++)
			sum += target_work(i, i + 1);
		break;
	case T_LEAF:
		for (uint64_t i = 0; i < n; i++)
			sum += target_leaf(i);
		break;
	case T_SCAN:
		for (uint64_t i = 0; i < n; i++)
			sum += target_scan(i);
		break;
	case T_TINY:
		for (uint64_t i = 0; i < n; i++)
			sum += target_tiny(i) + target_tiny2(i);
		break;
	case T_GETPPID:
		for (uint32_t i = 0; i < n; i++)
			sum += (uint64_t)syscall(SYS_getppid);
		break;
	case T_THREADS:
		return do_threads(n, 1000, false);
	case T_SERIAL:
		return do_threads(n, 1, true);
	case T_FORK:
		return do_forks(n);
	case T_VFORK:
		return do_vforks(n);
	case T_EXEC:
		execl("/bin/sleep", "sleep", "30", (char *)NULL);
		_exit(8);
	case T_AGAIN:
		do_again();
	case T_SPIN:
		for (;;)
			sum += target_work(sum, sum + 1);
	case T_SCANS:
		return do_scans();
	case T_CHECK:
		for (unsigned i = 0; i < 16; i++)
			sum = sum * 31 + text[i];
		break;
	}
	return sum;
}

struct cmd {
	enum target_cmd cmd;
	uint32_t n;
};

static void
target_main(int from, int to)
{
	struct cmd c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	obey_from = from;
	obey_to = to;
	while (read(from, &c, sizeof(c)) == (ssize_t)sizeof(c)) {
		uint64_t r = target_obey(c.cmd, c.n);
		if (write(to, &r, sizeof(r)) != (ssize_t)sizeof(r))
			break;
	}
	_exit(0);
}

void
target_again(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "target") == 0)
		target_main(atoi(argv[2]), atoi(argv[3]));
}

void
target_start(struct target *t)
{
	int to[2], from[2];

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	t->pid = fork();
	if (t->pid == 0) {
		close(to[1]);
		close(from[0]);
		target_main(to[0], from[1]);
	}
	assert_true(t->pid > 0);
	close(to[0]);
	close(from[1]);
	t->to = to[1];
	t->from = from[0];
}

void
target_tell(struct target *t, enum target_cmd cmd, uint32_t n)
{
	const struct cmd c = { cmd, n };

	assert_int_equal(write(t->to, &c, sizeof(c)), sizeof(c));
}

uint64_t
target_do(struct target *t, enum target_cmd cmd, uint32_t n)
{
	uint64_t r = 0;

	target_tell(t, cmd, n);
	assert_int_equal(read(t->from, &r, sizeof(r)), sizeof(r));
	return r;
}

void
target_end(struct target *t)
{
	close(t->to);
	close(t->from);
	kill(t->pid, SIGKILL);
	waitpid(t->pid, NULL, 0);
}

/* ---- making -------------------------------------------------------------- */

const struct dif_recipes entry_args = {
	.arg = { { DIF_RCP_UREG, DIF_R_RDI },
		 { DIF_RCP_UREG, DIF_R_RSI },
		 { DIF_RCP_UREG, DIF_R_RDX } },
};
const struct dif_recipes return_args = {
	.arg = { { DIF_RCP_COOKIE, 0 }, { DIF_RCP_UREG, DIF_R_RAX } },
};
const struct dif_recipes sysret_args = {
	.arg = { { DIF_RCP_SYSRET, 0 } },
};

struct world_t *
world_new(void)
{
	struct world_t *w = calloc(1, sizeof(*w));

	w->a = arena_new();
	w->opts = (struct engine_opts){ .bufsize = 65536,
					.aggsize = 65536,
					.dynvarsize = 65536,
					.only_cpu = -1,
					.targets = &w->target,
					.ntargets = 1 };
	w->en.sizes = (struct dif_sizes){ .strsize = 256,
					  .stackframes = 20,
					  .ustackframes = 20 };
	target_start(&w->t);
	w->target.pid = w->t.pid;
	return w;
}

struct dif_obj *
obj(struct world_t *w, const char *text)
{
	struct dif_obj *o = dif_asm(w->a, text, &w->e);

	if (o == NULL || dif_validate(o, &w->e) != 0)
		fail_msg("%s", w->e.msg);
	return o;
}

struct dif_clause *
clause(struct world_t *w, const char *pred)
{
	struct dif_clause *c = &w->clauses[w->prog.nclauses];

	w->cptr[w->prog.nclauses++] = c;
	c->pred = pred ? obj(w, pred) : NULL;
	c->loc.line = (int)w->prog.nclauses;
	c->stmts = arena_calloc(w->a, MAX, sizeof(*c->stmts));
	return c;
}

struct dif_stmt *
stmt(struct world_t *w, struct dif_clause *c, uint32_t kind, const char *x0,
     const char *x1, const char *x2)
{
	struct dif_stmt *s = &c->stmts[c->nstmts++];
	const char *x[] = { x0, x1, x2 };

	s->kind = kind;
	s->exprs = arena_calloc(w->a, 3, sizeof(*s->exprs));
	for (int i = 0; i < 3 && x[i] != NULL; i++) {
		struct dif_obj *o = obj(w, x[i]);
		s->exprs[s->nexprs++] =
			(struct dif_expr){ .obj = o, .type = o->rtype };
	}
	if (kind != DIF_ACT_NONE && !DIF_ACT_IS_AGG(kind))
		c->records = true;
	return s;
}

void
agg(struct world_t *w, struct dif_stmt *s, uint32_t nkeys, bool byname)
{
	struct dif_aggvar *v = arena_alloc(w->a, sizeof(*v));

	v->name = "a";
	v->func = s->kind;
	v->nkeys = s->nkeys = nkeys;
	v->keys = arena_calloc(w->a, nkeys + 1, sizeof(*v->keys));
	v->keysrc = arena_alloc(w->a, nkeys + 1);
	v->keyarg = arena_calloc(w->a, nkeys + 1, sizeof(*v->keyarg));
	for (uint32_t i = 0; i < nkeys; i++)
		v->keys[i] = s->exprs[i].type;
	if (byname) {
		s->exprs[0].src = DIF_SRC_NAME;
		s->exprs[0].arg = DIF_VAR_probefunc;
		v->keysrc[0] = DIF_SRC_NAME;
		v->keyarg[0] = DIF_VAR_probefunc;
	}
	s->agg = w->tab.naggs;
	w->aggs[w->tab.naggs++] = v;
	v->id = w->tab.naggs;
}

void
var(struct world_t *w, uint32_t id, int scope, int kind)
{
	static struct dif_type key = { .size = 8 };
	struct dif_uvar *v = arena_alloc(w->a, sizeof(*v));

	*v = (struct dif_uvar){ .name = "v",
				.id = (uint16_t)id,
				.scope = (uint8_t)scope,
				.kind = (uint8_t)kind,
				.type = { .ckind = DIF_CK_INT, .size = 8 } };
	if (kind == DIF_VK_ARRAY) {
		v->keys = &key;
		v->nkeys = 1;
	}
	w->vars[w->tab.nvars++] = v;
}

struct dif_site *
probe(struct world_t *w, enum dif_site_kind kind, uint64_t num, unsigned mask,
      const struct dif_recipes *args)
{
	uint32_t p = w->en.nprobes++;

	w->sites[p] = (struct dif_site){ .kind = kind,
					 .num = num,
					 .args = args,
					 .pid = w->t.pid,
					 .cookie = 1000 + p };
	w->probes[p] = (struct dif_probe){
		.id = 100 + p,
		.prov = "prov",
		.mod = "",
		.func = "func",
		.name = "name",
		.sites = &w->sites[p],
		.nsites = 1,
	};
	for (uint32_t c = 0; c < w->prog.nclauses; c++)
		if (mask & (1u << c)) {
			uint32_t n = w->en.necbs++;
			w->ecbs[n] = (struct dif_ecb){ n + 1, p, c };
		}
	return &w->sites[p];
}

struct dif_site *
fn_probe(struct world_t *w, enum dif_site_kind kind, const void *fn,
	 unsigned mask)
{
	struct dif_site *s = probe(w, kind, 0, mask,
				   kind == DIF_SITE_URETURN ? &return_args :
							      &entry_args);

	s->addr = s->fn = (uint64_t)(uintptr_t)fn;
	return s;
}

/* ---- running ------------------------------------------------------------- */

struct engine *
try_load(struct world_t *w)
{
	w->prog.clauses = w->clauses;
	w->progs[0] = &w->prog;
	w->tab.vars = w->vars;
	w->tab.aggs = w->aggs;
	dif_layout(w->progs, 1, &w->tab, &w->en.sizes, w->a);
	w->en.probes = w->probes;
	w->en.clauses = w->cptr;
	w->en.nclauses = w->prog.nclauses;
	w->en.ecbs = w->ecbs;
	w->en.tab = &w->tab;
	w->eng = process_engine_ops.load(&w->en, &w->opts, &w->e);
	return w->eng;
}

void
start(struct world_t *w)
{
	if (try_load(w) == NULL)
		fail_msg("load: %s", w->e.msg);
	if (process_engine_ops.attach(w->eng, &w->e) != 0 ||
	    process_engine_ops.begin(w->eng, &w->e) != 0)
		fail_msg("%s", w->e.msg);
	w->v = process_engine_ops.view(w->eng);
}

void
stop(struct world_t *w)
{
	if (process_engine_ops.stop(w->eng, &w->e) != 0 ||
	    process_engine_ops.end(w->eng, &w->e) != 0)
		fail_msg("%s", w->e.msg);
	w->v = process_engine_ops.view(w->eng);
}

void
world_free(struct world_t *w)
{
	if (w->eng != NULL)
		process_engine_ops.free(w->eng);
	target_end(&w->t);
	arena_free(w->a);
	free(w);
}

/* ---- looking ------------------------------------------------------------- */

static uint32_t
recsize(void *arg, uint32_t epid)
{
	struct world_t *w = arg;

	return epid <= w->en.necbs ? w->cptr[w->ecbs[epid - 1].clause]->recsize
				   : 0;
}

unsigned
take(struct world_t *w, uint32_t epid, const struct rt_rec **last)
{
	unsigned n = 0;

	for (unsigned s = 0; s < w->v->nslots; s++) {
		uint64_t pos = w->v->rt[s]->tail;
		const struct rt_rec *r;
		while ((r = rt_drain_next(w->v, s, &pos, recsize, w, &w->e)))
			if (r->epid == epid) {
				n++;
				if (last != NULL)
					*last = r;
			}
		if (err_is_set(&w->e))
			fail_msg("%s", w->e.msg);
	}
	return n;
}

struct cell_sum {
	struct world_t *w;
	uint32_t agg;
	unsigned n;
	uint64_t sum;
};

static int
cell_add(void *arg, uint32_t a, unsigned cpu, const uint8_t *key,
	 const uint64_t *cell)
{
	struct cell_sum *c = arg;

	if (a == 0)
		c->w->sum0 += cell[0];
	if (a == c->agg) {
		c->n++;
		c->sum += cell[0];
	}
	return 0;
}

uint64_t
cells(struct world_t *w, uint32_t a, unsigned half, unsigned *n)
{
	struct cell_sum c = { .w = w, .agg = a };

	w->v = process_engine_ops.view(w->eng);
	rt_drain_aggs(w->v, &w->tab, half, cell_add, &c);
	if (n != NULL)
		*n = c.n;
	return c.sum;
}

uint64_t
dropped(struct world_t *w, enum rt_drop d)
{
	uint64_t n = 0;

	w->v = process_engine_ops.view(w->eng);
	for (unsigned s = 0; s < w->v->nslots; s++)
		n += w->v->rt[s]->drops[d];
	return n;
}
