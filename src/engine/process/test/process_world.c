/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * process_world.c - see process_world.h.  The target is a child of the test
 * that obeys commands from a pipe.
 */
#include "engine/process/test/process_world.h"

#include <dlfcn.h>
#include <fcntl.h>
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
	"test %rdi,%rdi\njs 7f\n"
	"target_scan_head:\n"
	"1: cmp %rsi,%rax\nje 2f\ninc %rax\njmp 1b\n"
	"2: test $1,%dil\njnz 4f\n3: ret\n"
	"4: or $-1,%rax\njmp 5f\n6: ret\n5: cmp $-1,%rax\nje 6b\n"
	"jmp 3b\n7: .rept 1000\nlea 8(%rsi,%rax),%rsi\n.endr\njmp 3b\n"
	".cfi_endproc\n.size target_scan,.-target_scan\n");
__asm__(".text\n.globl target_tiny,target_tiny2,target_tiny_ret\n"
	".type target_tiny,@function\ntarget_tiny:\n.cfi_startproc\n"
	"push %rdi\n1: dec %edi\ntest $3,%dil\njne 1b\npop %rax\n"
	"test %rdi,%rdi\njs 2f\ntarget_tiny_ret: 2: ret\n"
	".cfi_endproc\n.size target_tiny,.-target_tiny\n"
	".type target_tiny2,@function\ntarget_tiny2:\n.cfi_startproc\n"
	"push %rbp\nmov %rsp,%rbp\nlea 1(%rdi),%rax\npop %rbp\nret\n"
	".cfi_endproc\n.size target_tiny2,.-target_tiny2\n");
/* Too far from others for a jump of 2 bytes to the unused ones behind it. */
__asm__(".text\n.globl target_hop\n.skip 256,0xcc\n"
	".type target_hop,@function\ntarget_hop:\n.cfi_startproc\n"
	"mov %rdi,%rax\n1: dec %edi\ntest $3,%dil\njne 1b\nret\n"
	".cfi_endproc\n.size target_hop,.-target_hop\n"
	".skip 12,0x90\n.skip 256,0xcc\n");
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

const char *target_libs[2];
static void *libs_open[2];
static uint64_t (*lib_fns[2])(uint64_t);

static uint64_t
do_open(uint32_t n)
{
	libs_open[n] = dlopen(target_libs[n], RTLD_NOW);
	if (libs_open[n] == NULL)
		_exit(6);
	*(void **)&lib_fns[n] = dlsym(libs_open[n], "target_lib_fn");
	return (uint64_t)(uintptr_t)lib_fns[n];
}

/* By a way that leaves the mapping as it is. */
static uint64_t
do_spoil(uint32_t n)
{
	int fd = open("/proc/self/mem", O_WRONLY | O_CLOEXEC);

	if (pwrite(fd, "\x90", 1, (off_t)(uintptr_t)lib_fns[n]) != 1)
		_exit(6);
	close(fd);
	return 0;
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
	case T_HOP:
		for (uint64_t i = 0; i < n; i++)
			sum += target_hop(i);
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
	case T_OPEN:
		return do_open(n);
	case T_CLOSE:
		return (uint64_t)dlclose(libs_open[n]);
	case T_CALL:
		return lib_fns[n](7);
	case T_SPOIL:
		return do_spoil(n);
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
	const pid_t test = getpid();
	int to[2], from[2];

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	t->pid = fork();
	if (t->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* stays with an exec */
		if (getppid() != test)
			_exit(0);
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

/* ---- an enabling in it --------------------------------------------------- */

const struct dif_recipes entry_args = {
	.arg = { { DIF_RCP_UREG, DIF_R_RDI },
		 { DIF_RCP_UREG, DIF_R_RSI },
		 { DIF_RCP_UREG, DIF_R_RDX } },
};
const struct dif_recipes return_args = {
	.arg = { { DIF_RCP_COOKIE, 0 }, { DIF_RCP_UREG, DIF_R_RAX } },
};

struct test_world *
traced_new(void)
{
	struct test_world *w = world_new(&process_engine_ops);

	w->t = calloc(1, sizeof(*w->t));
	target_start(w->t);
	w->target.pid = w->t->pid;
	w->opts.targets = &w->target;
	w->opts.ntargets = 1;
	return w;
}

/* The engine first: it takes out of the process what it has put there. */
void
traced_free(struct test_world *w)
{
	struct target *t = w->t;

	world_free(w);
	target_end(t);
	free(t);
}

struct dif_site *
fn_probe(struct test_world *w, enum dif_site_kind kind, const void *fn,
	 unsigned mask)
{
	struct dif_site *s = probe(w, kind, 0, mask,
				   kind == DIF_SITE_URETURN ? &return_args :
							      &entry_args);

	s->addr = s->fn = (uint64_t)(uintptr_t)fn;
	return s;
}
