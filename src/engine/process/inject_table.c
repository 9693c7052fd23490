/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * inject_table.c - several system calls that a thread makes by itself, with one
 * stop at the end.
 *
 * Only at the first instruction of a program that was executed: nothing of it
 *has run, so all below its stack pointer is free, no signal has a handler, and
 *it is neither in a restartable sequence nor in a call that is to be begun
 *again.  The calls are in a table there, and the code in the room of the stub:
 *
 *	entry:	syscall			the first, which opens the descriptor
 *that mov %rax, %r8		is the fifth argument of all others loop:
 *load the arguments, syscall, store the result (the second call fails without a
 *descriptor) next one, if the result is what it should be close(%r8)
 *		rt_sigprocmask(all but SIGURG)
 *	stop:	rt_sigprocmask(its own)	◀── here the tracer takes it out
 *		all registers, jmp *back
 *
 * The stop is made by a signal that is ignored by default: the tracer sends it
 * while all are blocked, and it comes when it is let through.  If nobody traces
 * the thread by then, the kernel drops the signal and the thread goes on with
 *its own work, as it does from inject_stub.c; nowhere does it wait for a tracer
 *that is dead.  No flag is changed.
 */
#include "engine/process/inject_impl.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/x86/x86_emit.h"

#define TABLE_CODE 192
#define RED_ZONE   128
#define NOT_MADE   INT64_MIN

/* A call; its fifth argument is the descriptor. */
struct table_call {
	int64_t nr;
	uint64_t arg[4], sixth;
	int64_t res;
	int64_t less; /* the result that it should have, negative */
};
/* %rbp is its address, and %rbx that of the next call. */
struct table {
	uint64_t kept[11];     /* registers, as in table_regs[] */
	uint64_t but_one, own; /* signal masks */
	int64_t fd;
	char text[sizeof(((struct inject_calls *)0)->text)];
	struct table_call v[INJECT_CALLS];
};

/* What the calls change; %rbp comes last. */
static const uint8_t table_regs[] = { X86_RAX, X86_RCX, X86_RDX, X86_RSI,
				      X86_RDI, X86_R8,  X86_R9,  X86_R10,
				      X86_R11, X86_RBX, X86_RBP };

static void
table_keep(struct table *t, const struct user_regs_struct *r)
{
	const uint64_t v[] = { r->rax, r->rcx, r->rdx, r->rsi, r->rdi, r->r8,
			       r->r9,  r->r10, r->r11, r->rbx, r->rbp };

	static_assert(sizeof(v) == sizeof(t->kept) &&
			      sizeof(v) / 8 == sizeof(table_regs),
		      "one for each");
	memcpy(t->kept, v, sizeof(v));
}

/* ---- the code ---------------------------------------------------------------
 */

static struct x86_mem
of_call(size_t off)
{
	return x86_m(X86_RBX, (int32_t)off);
}

static struct x86_mem
of_table(size_t off)
{
	return x86_m(X86_RBP, (int32_t)off);
}

static void
calls_loop(struct x86_buf *b)
{
	static const uint8_t to[] = { X86_RDI, X86_RSI, X86_RDX, X86_R10,
				      X86_R9 };
	uint8_t jrcxz[2] = { 0xe3 };
	const uint32_t loop = b->n;

	x86_load(b, 8, false, X86_RAX,
		 of_call(offsetof(struct table_call, nr)));
	for (size_t i = 0; i < sizeof(to); i++)
		x86_load(b, 8, false, to[i],
			 of_call(offsetof(struct table_call, arg) + 8 * i));
	x86_syscall(b);
	x86_store(b, 8, of_call(offsetof(struct table_call, res)), X86_RAX);
	x86_load(b, 8, false, X86_RCX,
		 of_call(offsetof(struct table_call, less)));
	x86_lea(b, X86_RCX, x86_mi(X86_RCX, X86_RAX, 1, 0));
	x86_lea(b, X86_RBX, of_call(sizeof(struct table_call)));
	jrcxz[1] = (uint8_t)(loop - (b->n + sizeof(jrcxz)));
	x86_bytes(b, jrcxz, sizeof(jrcxz));
}

static void
calls_mask(struct x86_buf *b, size_t mask)
{
	x86_mov_ri(b, X86_RAX, SYS_rt_sigprocmask);
	x86_lea(b, X86_RSI, of_table(mask));
	x86_syscall(b);
}

/* Behind the loop. */
static void
calls_end(struct x86_buf *b)
{
	x86_mov_ri(b, X86_RAX, SYS_close);
	x86_mov_rr(b, 8, X86_RDI, X86_R8);
	x86_syscall(b);
	x86_mov_ri(b, X86_RDI, SIG_SETMASK);
	x86_mov_ri(b, X86_RDX, 0);
	x86_mov_ri(b, X86_R10, sizeof(uint64_t));
	calls_mask(b, offsetof(struct table, but_one));
	calls_mask(b, offsetof(struct table, own));
	for (size_t i = 0; i < sizeof(table_regs); i++)
		x86_load(b, 8, false, table_regs[i],
			 of_table(offsetof(struct table, kept) + 8 * i));
	x86_jmp_m(b, x86_mrip(b->base + 8));
}

/* As all stubs it has two words first, of which this one needs one. */
static uint32_t
calls_code(struct x86_buf *b, uint64_t back)
{
	uint32_t entry;

	x86_u64(b, 0);
	x86_u64(b, back);
	entry = b->n;
	x86_syscall(b);
	x86_mov_rr(b, 8, X86_R8, X86_RAX);
	x86_store(b, 8, of_table(offsetof(struct table, fd)), X86_RAX);
	calls_loop(b);
	calls_end(b);
	return entry;
}

/* ---- the table --------------------------------------------------------------
 */

/* A mapping is to be where it was asked for; others have 0.  The last one ends
   the loop whatever it has. */
static void
table_fill(struct table *t, const struct inject_calls *c)
{
	memcpy(t->text, c->text, sizeof(t->text));
	for (uint32_t i = 1; i < c->n; i++) {
		const struct inject_call *from = &c->v[i];
		struct table_call *to = &t->v[i - 1];

		to->nr = from->nr;
		memcpy(to->arg, from->arg, sizeof(to->arg));
		to->sixth = from->arg[5];
		to->res = NOT_MADE;
		if (i + 1 == c->n)
			to->less = INT64_MAX / 2;
		else if (from->nr == SYS_mmap)
			to->less = -(int64_t)from->arg[0];
	}
}

static void
table_results(const struct table *t, struct inject_calls *c)
{
	c->v[0].res = t->fd;
	for (c->done = c->v[0].res >= 0; c->done != 0 && c->done < c->n;
	     c->done++) {
		struct inject_call *to = &c->v[c->done];

		to->res = t->v[c->done - 1].res;
		if (to->res == NOT_MADE)
			to->res = -ECANCELED;
		if (to->res < 0 && !to->may_fail)
			break;
	}
}

static int
table_fail(const struct inject *in, struct err *e)
{
	return err_set(e, &ERR_GENERIC, 0,
		       "process %d: it cannot make calls by itself",
		       (int)in->pid);
}

/* ---- the run ----------------------------------------------------------------
 */

/* Run to the signal.  0; 1: it faulted, and stands; -1: it is gone. */
static int
table_wait(struct inject_thread *t)
{
	long sig = 0;
	int st;

	for (;;) {
		if (ptrace(PTRACE_CONT, t->tid, 0, sig) != 0 ||
		    inject_wait(t->tid, false, &st) <= 0 || !WIFSTOPPED(st))
			return -1;
		sig = st >> 16 == 0 ? WSTOPSIG(st) : 0;
		if (sig == SIGURG)
			return 0;
		if (sig != 0 && sig != SIGSTOP)
			return 1;
	}
}

/* From the moment its registers are set it comes back by itself.  As
   table_wait(); 2: it was not let run. */
static int
table_run(const struct inject *in, struct inject_thread *t, uint64_t entry,
	  uint64_t at, const struct inject_call *first)
{
	struct user_regs_struct r = t->regs;
	uint64_t all = ~0ull;

	r.rip = entry;
	r.orig_rax = ~0ull;
	r.rax = (uint64_t)first->nr;
	r.rdi = first->arg[0];
	r.rsi = at + offsetof(struct table, text);
	r.rdx = first->arg[2];
	r.r10 = first->arg[3];
	r.rbx = at + offsetof(struct table, v);
	r.rbp = at;
	if (ptrace(PTRACE_SETREGS, t->tid, 0, &r) != 0 ||
	    ptrace(PTRACE_SETSIGMASK, t->tid, 8, &all) != 0)
		return -1;
	if (syscall(SYS_tgkill, in->pid, t->tid, SIGURG) != 0)
		return 2;
	return table_wait(t);
}

/* The thread is out of it: its signals and registers are its own again. */
static int
table_back(struct inject_thread *t, const uint64_t *mask)
{
	if (inject_settle(t, 0) != 0 ||
	    ptrace(PTRACE_SETSIGMASK, t->tid, 8, mask) != 0)
		return -1;
	return inject_regs_set(t);
}

static int
table_put(struct inject *in, const struct inject_thread *th, uint64_t at,
	  const struct table *t, uint64_t *entry, struct err *e)
{
	uint8_t code[TABLE_CODE];
	struct x86_buf b = { .p = code, .cap = sizeof(code) };

	if (inject_stub_place(in, e) != 0)
		return -1;
	b.base = in->stub;
	*entry = in->stub + calls_code(&b, th->regs.rip);
	if (b.full || inject_write(in, at, t, sizeof(*t)) != 0 ||
	    inject_stub_write(in, code, b.n) != 0)
		return table_fail(in, e);
	return 0;
}

int
inject_table(struct inject *in, struct inject_calls *c, struct err *e)
{
	static const struct table none;
	struct inject_thread *th = inject_first(in);
	struct table t = { .but_one = ~(1ull << (SIGURG - 1)) };
	uint64_t entry, at;
	int rc;

	if (th == NULL)
		return inject_ended(in->pid, e);
	if (!in->begun || in->n != 1 || c->n < 3 || c->n > INJECT_CALLS)
		return table_fail(in, e);
	at = (th->regs.rsp - RED_ZONE - sizeof(t)) & ~63ull;
	table_keep(&t, &th->regs);
	table_fill(&t, c);
	if (ptrace(PTRACE_GETSIGMASK, th->tid, 8, &t.own) != 0)
		return inject_ended(in->pid, e);
	if (table_put(in, th, at, &t, &entry, e) != 0)
		return -1;
	rc = table_run(in, th, entry, at, &c->v[0]);
	if (rc == 0 && inject_read(in, at, &t, sizeof(t)) != 0)
		rc = 1;
	if (rc < 0 || table_back(th, &t.own) != 0) {
		inject_forget(in, th);
		return inject_ended(in->pid, e);
	}
	inject_write(in, at, &none, sizeof(none));
	if (rc != 0)
		return table_fail(in, e);
	table_results(&t, c);
	return 0;
}
