/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * proc_ctl.c - making a process and holding it until its probes are in place.
 *
 *	fork ─▶ seized ─▶ execve stop ─▶ breakpoint ─▶ stopped ─▶ detached
 *	                  (exec)         (preinit, postinit, main)
 *
 * The child is seized with PTRACE_O_EXITKILL before it calls execve(2), so a
 * consumer that dies while it holds the child takes it along, and nothing
 * stays stopped.  Detaching ends the ptrace relation; what the process does
 * then does not depend on the consumer.
 *
 * Where to stop is found without the dynamic linker's help: preinit is the
 * call of _dl_debug_state() at which r_debug says RT_CONSISTENT, which comes
 * after relocation and before any constructor of a library (<link.h>, and
 * musl has the same); postinit is the program's entry point (AT_ENTRY), which
 * the linker jumps to after those; main is main() if the program has a symbol
 * for it.  A static program has no linker to wait for: preinit and postinit
 * are its entry point.  Breakpoints are one int3 written by ptrace and taken
 * out again before anybody else sees the process.  Constructors that fork
 * while a breakpoint at main is in place hand it on to their children; they
 * do not run main.
 *
 * ptrace(2) wants all its calls from one thread: proc_create() and
 * proc_continue() of a process must come from the same one.
 */
#include "proc/proc_fs.h"
#include "proc/proc_impl.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* A breakpoint: the word it was written into, as it was. */
struct bkpt {
	uint64_t addr; /* 0: not in place */
	long was;
};

static int
ctl_fail(const struct proc *p, int sys, const char *what, struct err *e)
{
	return err_set(e, &ERR_GENERIC, sys, "process %d: %s", (int)p->pid,
		       what);
}

/* ---- making it ------------------------------------------------------ */

/*
 * The child.  It waits on `gate` until it is seized, and reports through
 * `report` why it could not run the program; execve closes both.
 */
static void __attribute__((noreturn))
child_run(char *const argv[], char *const envp[], int gate, int report)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	sigset_t none;
	char c;
	int why;

	if (read(gate, &c, 1) != 1)
		_exit(127); /* the parent is gone */
	for (int sig = 1; sig < NSIG; sig++)
		(void)sigaction(sig, &dfl, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execvpe(argv[0], argv, envp);
	why = errno;
	if (write(report, &why, sizeof(why)) < 0)
		_exit(126);
	_exit(127);
}

static int
create_fail(const char *file, int sys, struct err *e)
{
	return err_set(e, &ERR_GENERIC, sys, "failed to execute %s", file);
}

/* Wait for the next stop or the end of the process. */
static int
ctl_wait(const struct proc *p, int *status, struct err *e)
{
	while (waitpid(p->pid, status, __WALL) < 0)
		if (errno != EINTR)
			return ctl_fail(p, errno, "cannot wait for it", e);
	return 0;
}

/*
 * Wait until the child has executed its program.  Signals that arrive before
 * are the child's; *report has the errno when execve failed.
 */
static int
create_wait_exec(struct proc *p, const char *file, int report, struct err *e)
{
	for (;;) {
		int status, why = 0;

		if (ctl_wait(p, &status, e) != 0)
			return -1;
		if (WIFEXITED(status) || WIFSIGNALED(status)) {
			p->state = PROC_ENDED;
			p->status = status;
			p->reaped = true;
			if (read(report, &why, sizeof(why)) != sizeof(why))
				return err_set(e, &ERR_GENERIC, 0,
					       "failed to execute %s: the "
					       "process was killed",
					       file);
			return proc_unrun(file, why, e);
		}
		if (status >> 8 == (SIGTRAP | (PTRACE_EVENT_EXEC << 8)))
			return 0;
		if (ptrace(PTRACE_CONT, p->pid, 0,
			   status >> 16 != 0 ? 0 : WSTOPSIG(status)) != 0 &&
		    errno != ESRCH)
			return ctl_fail(p, errno, "cannot continue it", e);
	}
}

/* The child cannot be seized: somebody has it, since dtrace's own children are
   theirs. */
static int
seize_fail(pid_t pid, const char *file, int sys, struct err *e)
{
	struct proc_status st;
	char who[32] = "?";
	pid_t tracer = 0;

	if (sys == EPERM && proc_status_read(pid, 0, &st))
		tracer = (pid_t)proc_status_number(&st, "TracerPid");
	if (tracer == 0)
		return create_fail(file, sys, e);
	proc_comm_plain(tracer, who, sizeof(who));
	return err_set(e, &ERR_GENERIC, 0,
		       "cannot start %s: it is being traced by process %d "
		       "(%s), as is all that dtrace starts, and only one can "
		       "do that", file, (int)tracer, who);
}

/* Seize the child and let it execute its program. */
static int
create_start(struct proc *p, const char *file, int gate, int report,
	     struct err *e)
{
	if (ptrace(PTRACE_SEIZE, p->pid, 0,
		   PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC) != 0)
		return seize_fail(p->pid, file, errno, e);
	if (write(gate, "", 1) != 1)
		return create_fail(file, errno, e);
	return create_wait_exec(p, file, report, e);
}

static int
create_fork(char *const argv[], char *const envp[], int gate[2],
	    int report[2], struct err *e)
{
	pid_t pid = fork();

	if (pid == 0) {
		close(gate[1]);
		close(report[0]);
		child_run(argv, envp, gate[0], report[1]);
	}
	if (pid < 0)
		create_fail(argv[0], errno, e);
	return pid;
}

/* ---- its registers and memory --------------------------------------- */

#if defined(MACHINE_X86_64)
#define BKPT_BYTES    0xccL
#define BKPT_MASK     0xffL
#define BKPT_PC_AFTER 1 /* the pc at the stop is past the int3 */
#define CTL_PC(r) ((r)->rip)
#elif defined(MACHINE_AARCH64)
#define BKPT_BYTES    0xd4200000L /* brk #0 */
#define BKPT_MASK     0xffffffffL
#define BKPT_PC_AFTER 0
#define CTL_PC(r) ((r)->pc)
#else
#error "breakpoints are not known for this machine"
#endif

static int
ctl_pc(const struct proc *p, uint64_t *pc, struct err *e)
{
	struct user_regs_struct r;
	struct iovec v = { &r, sizeof(r) };

	if (ptrace(PTRACE_GETREGSET, p->pid, NT_PRSTATUS, &v) != 0)
		return ctl_fail(p, errno, "cannot read its registers", e);
	*pc = CTL_PC(&r);
	return 0;
}

static int
ctl_set_pc(const struct proc *p, uint64_t pc, struct err *e)
{
	struct user_regs_struct r;
	struct iovec v = { &r, sizeof(r) };

	if (ptrace(PTRACE_GETREGSET, p->pid, NT_PRSTATUS, &v) != 0)
		return ctl_fail(p, errno, "cannot read its registers", e);
	CTL_PC(&r) = pc;
	if (ptrace(PTRACE_SETREGSET, p->pid, NT_PRSTATUS, &v) != 0)
		return ctl_fail(p, errno, "cannot write its registers", e);
	return 0;
}

static int
ctl_peek(const struct proc *p, uint64_t addr, long *word, struct err *e)
{
	errno = 0;
	*word = ptrace(PTRACE_PEEKTEXT, p->pid, addr, 0);
	if (errno != 0)
		return ctl_fail(p, errno, "cannot read its memory", e);
	return 0;
}

static int
bkpt_set(const struct proc *p, struct bkpt *b, uint64_t addr, struct err *e)
{
	if (ctl_peek(p, addr, &b->was, e) != 0)
		return -1;
	if (ptrace(PTRACE_POKETEXT, p->pid, addr,
		   (b->was & ~BKPT_MASK) | BKPT_BYTES) != 0)
		return ctl_fail(p, errno, "cannot set a breakpoint", e);
	b->addr = addr;
	return 0;
}

static int
bkpt_clear(const struct proc *p, struct bkpt *b, struct err *e)
{
	if (b->addr == 0)
		return 0;
	if (ptrace(PTRACE_POKETEXT, p->pid, b->addr, b->was) != 0)
		return ctl_fail(p, errno, "cannot remove a breakpoint", e);
	b->addr = 0;
	return 0;
}

/* ---- running it to a place ------------------------------------------ */

/* It ended while it was held. */
static int
ctl_ended(struct proc *p, int status, struct err *e)
{
	p->state = PROC_ENDED;
	p->status = status;
	p->reaped = true;
	if (WIFSIGNALED(status))
		return err_set(e, &ERR_GENERIC, 0,
			       "process %d was killed by signal %d before its "
			       "probes could be placed",
			       (int)p->pid, WTERMSIG(status));
	return err_set(e, &ERR_GENERIC, 0,
		       "process %d exited with status %d before its probes "
		       "could be placed",
		       (int)p->pid, WEXITSTATUS(status));
}

/*
 * Resume by `request` and wait for a SIGTRAP stop that is not a signal of its
 * own, a breakpoint or a step.  Its signals are delivered; a stop by job
 * control is honoured until SIGCONT.
 */
static int
ctl_resume(struct proc *p, int request, struct err *e)
{
	long sig = 0;
	int status;

	for (;;) {
		if (ptrace(request, p->pid, 0, sig) != 0 && errno != ESRCH)
			return ctl_fail(p, errno, "cannot continue it", e);
		if (ctl_wait(p, &status, e) != 0)
			return -1;
		if (WIFEXITED(status) || WIFSIGNALED(status))
			return ctl_ended(p, status, e);
		sig = 0;
		if (request == (int)PTRACE_LISTEN)
			request = PTRACE_CONT;
		if (status >> 16 == PTRACE_EVENT_STOP) {
			if (WSTOPSIG(status) != SIGTRAP)
				request = PTRACE_LISTEN;
		} else if (status >> 16 == 0 && WSTOPSIG(status) == SIGTRAP) {
			return 0;
		} else if (status >> 16 == 0) {
			sig = WSTOPSIG(status);
		}
	}
}

/* Which of the breakpoints it stopped at; sets the pc back onto it.  Another
   SIGTRAP is the program's affair and kills it, as it would untraced. */
static struct bkpt *
ctl_hit(struct proc *p, struct bkpt *b, size_t n, struct err *e)
{
	uint64_t pc = 0;

	if (ctl_pc(p, &pc, e) != 0)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (b[i].addr != 0 && b[i].addr + BKPT_PC_AFTER == pc)
			return ctl_set_pc(p, b[i].addr, e) == 0 ? &b[i] : NULL;
	ctl_fail(p, 0, "unexpected trap before its probes could be placed", e);
	return NULL;
}

/* Run over the instruction a breakpoint stands on, and put it back. */
static int
bkpt_step(struct proc *p, struct bkpt *b, struct err *e)
{
	uint64_t addr = b->addr;

	if (bkpt_clear(p, b, e) != 0 ||
	    ctl_resume(p, PTRACE_SINGLESTEP, e) != 0)
		return -1;
	return bkpt_set(p, b, addr, e);
}

/* ---- where ---------------------------------------------------------- */

struct auxinfo {
	uint64_t entry, base; /* AT_ENTRY; AT_BASE: the linker, 0: static */
};

static int
ctl_auxv(const struct proc *p, struct auxinfo *aux, struct err *e)
{
	char path[32];
	uint64_t v[2];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)p->pid);
	f = fopen(path, "re");
	if (f == NULL)
		return ctl_fail(p, errno, "cannot read its auxiliary vector",
				e);
	*aux = (struct auxinfo){ 0 };
	while (fread(v, sizeof(v), 1, f) == 1 && v[0] != AT_NULL) {
		if (v[0] == AT_ENTRY)
			aux->entry = v[1];
		else if (v[0] == AT_BASE)
			aux->base = v[1];
	}
	fclose(f);
	return 0;
}

/* The run-time address of a symbol of an object; 0: it has none. */
static uint64_t
obj_sym_addr(struct mobj *m, const char *name)
{
	const struct elf_sym *s;

	if (m == NULL || m->file->elf == NULL)
		return 0;
	s = elf_sym_find(m->file->elf, name);
	return s != NULL ? m->o.base + s->addr : 0;
}

static struct mobj *
ctl_exec_obj(struct proc *p)
{
	for (size_t i = 0; i < p->now.n; i++)
		if (p->now.v[i]->o.is_exec)
			return p->now.v[i];
	return NULL;
}

/* Set *yes if the linker has finished.  Read at a call of _dl_debug_state(). */
static int
ctl_consistent(const struct proc *p, uint64_t rdebug, bool *yes, struct err *e)
{
	long word;

	if (ctl_peek(p, rdebug + offsetof(struct r_debug, r_state), &word, e) !=
	    0)
		return -1;
	*yes = (int)word == RT_CONSISTENT;
	return 0;
}

/* The linker's r_debug: glibc exports it, musl exports a pointer to it. */
static int
ctl_rdebug(const struct proc *p, struct mobj *ld, uint64_t *addr, struct err *e)
{
	uint64_t ptr;
	long word;

	*addr = obj_sym_addr(ld, "_r_debug");
	ptr = obj_sym_addr(ld, "_dl_debug_addr");
	if (*addr != 0 || ptr == 0)
		return 0;
	if (ctl_peek(p, ptr, &word, e) != 0)
		return -1;
	*addr = (uint64_t)word;
	return 0;
}

/*
 * Run until the linker is done, or at the latest to the entry point: a linker
 * that says nothing leaves that.
 */
static int
run_preinit(struct proc *p, const struct auxinfo *aux, struct bkpt b[2],
	    struct err *e)
{
	struct mobj *ld = aux->base != 0 ? proc_mobj_at(p, aux->base) : NULL;
	uint64_t brk = obj_sym_addr(ld, "_dl_debug_state");

	if (bkpt_set(p, &b[0], aux->entry, e) != 0 ||
	    (brk != 0 && bkpt_set(p, &b[1], brk, e) != 0))
		return -1;
	for (;;) {
		struct bkpt *hit;
		uint64_t rdebug;
		bool done = false;

		if (ctl_resume(p, PTRACE_CONT, e) != 0 ||
		    (hit = ctl_hit(p, b, 2, e)) == NULL)
			return -1;
		if (hit == &b[0])
			return 0;
		if (ctl_rdebug(p, ld, &rdebug, e) != 0 ||
		    (rdebug != 0 && ctl_consistent(p, rdebug, &done, e) != 0))
			return -1;
		if (done)
			return 0;
		if (bkpt_step(p, &b[1], e) != 0)
			return -1;
	}
}

static int
run_to(struct proc *p, uint64_t addr, struct bkpt *b, struct err *e)
{
	if (bkpt_set(p, b, addr, e) != 0 || ctl_resume(p, PTRACE_CONT, e) != 0)
		return -1;
	return ctl_hit(p, b, 1, e) != NULL ? 0 : -1;
}

/* From the stop at exec, or at an earlier time, to the evaluation time. */
static int
ctl_advance(struct proc *p, enum proc_evaltime when, struct err *e)
{
	struct bkpt b[2] = { 0 };
	struct mobj *exe = ctl_exec_obj(p);
	struct auxinfo aux = { 0 };
	uint64_t stop;
	int rc;

	if (when == PROC_EVAL_EXEC)
		return 0;
	if (exe != NULL && exe->file->elf != NULL &&
	    !elf_is_native(exe->file->elf))
		return ctl_fail(p, 0,
				"its program is not a 64-bit one of this "
				"machine",
				e);
	if (ctl_auxv(p, &aux, e) != 0)
		return -1;
	stop = aux.entry;
	if (when == PROC_EVAL_MAIN && obj_sym_addr(exe, "main") != 0)
		stop = obj_sym_addr(exe, "main");
	rc = when == PROC_EVAL_PREINIT ? run_preinit(p, &aux, b, e)
				       : run_to(p, stop, b, e);
	if (p->state == PROC_ENDED)
		return -1;
	if (bkpt_clear(p, &b[0], e) != 0 || bkpt_clear(p, &b[1], e) != 0)
		return -1;
	return rc;
}

/* ---- the door ------------------------------------------------------- */

void
proc_abandon(struct proc *p)
{
	kill(p->pid, SIGKILL);
	while (waitpid(p->pid, &p->status, __WALL) < 0 && errno == EINTR)
		;
	p->state = PROC_ENDED;
	p->reaped = true;
}

/* A script's first argument is the program that reads it. */
static void
script_note(struct proc *p, const char *file)
{
	char first[4096];

	if (proc_read(p->pid, 0, "cmdline", first, sizeof(first)) > 0 &&
	    strcmp(first, file) != 0)
		p->script = arena_strdup(p->set->arena, file);
}

static int
create_control(struct proc *p, char *const argv[], enum proc_evaltime when,
	       int gate, int report, struct err *e)
{
	if (create_start(p, argv[0], gate, report, e) != 0)
		return -1;
	script_note(p, argv[0]);
	p->pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	if (p->pidfd < 0)
		return ctl_fail(p, errno, "pidfd_open", e);
	if (!proc_started(p->pid, &p->starttime))
		return err_ended(e, p->pid, errno);
	if (proc_load_maps(p, e) != 0 || ctl_advance(p, when, e) != 0)
		return -1;
	p->when = when;
	return proc_load_maps(p, e);
}

const char *const proc_evaltimes[] = { "exec", "preinit", "postinit", "main",
				       NULL };

int
proc_advance(struct proc *p, enum proc_evaltime when, struct err *e)
{
	if (!p->child || p->state != PROC_CREATED || when == p->when)
		return 0;
	if (when < p->when)
		return err_set(e, &ERR_GENERIC, 0,
			       "evaltime: the command has been started and "
			       "waits at %s: give -x evaltime=%s",
			       proc_evaltimes[p->when], proc_evaltimes[when]);
	if (ctl_advance(p, when, e) != 0)
		return -1;
	p->when = when;
	return proc_load_maps(p, e);
}

/* Add the name of the program that it runs to those that it has run. */
static void
await_name(const struct proc *p, struct buf *names)
{
	char name[64];

	if (proc_program(p->pid, name, sizeof(name)))
		buf_printf(names, "%s%s", names->n != 0 ? ", " : "", name);
}

/* It has ended, or cannot be held any longer, as why says. */
static int
await_failed(struct proc *p, const char *pattern, const struct buf *names,
	     const struct err *why, struct err *e)
{
	if (p->state != PROC_ENDED)
		return err_set(e, why->tag, why->sys, "%s", why->msg);
	return err_set(e, &ERR_GENERIC, 0,
		       "program=%s: the command has %s %d, and has executed no "
		       "such program, but %s", pattern,
		       WIFSIGNALED(p->status) ? "been killed by signal" :
						"exited with status",
		       WIFSIGNALED(p->status) ? WTERMSIG(p->status) :
						WEXITSTATUS(p->status),
		       buf_str(names));
}

/* From one program that it runs to the next. */
static int
await_next_program(struct proc *p, struct err *e)
{
	int status, rc = proc_await_exec(p, &status);

	if (rc > 0)
		return ctl_ended(p, status, e);
	return rc == 0 ? 0 : ctl_fail(p, errno, "cannot wait for it", e);
}

int
proc_await_program(struct proc *p, const char *pattern,
		   enum proc_evaltime when, struct err *e)
{
	struct buf names = BUF_INIT;
	struct err why = { 0 };
	int rc = 0;

	if (!p->child || p->state != PROC_CREATED ||
	    proc_runs(p->pid, pattern))
		return 0;
	do {
		await_name(p, &names);
		rc = await_next_program(p, &why);
	} while (rc == 0 && !proc_runs(p->pid, pattern));
	if (rc != 0)
		await_failed(p, pattern, &names, &why, e);
	buf_fini(&names);
	p->script = NULL;
	if (rc != 0 || proc_load_maps(p, e) != 0 ||
	    ctl_advance(p, when, e) != 0)
		return -1;
	p->when = when;
	return proc_load_maps(p, e);
}

struct proc *
proc_create(struct proc_set *ps, char *const argv[], char *const envp[],
	    enum proc_evaltime when, struct err *e)
{
	int gate[2] = { -1, -1 }, report[2] = { -1, -1 };
	struct proc *p = NULL;
	pid_t pid;
	int rc = -1;

	if (proc_check_fs(e) != 0)
		return NULL;
	if (pipe2(gate, O_CLOEXEC) != 0 || pipe2(report, O_CLOEXEC) != 0) {
		create_fail(argv[0], errno, e);
		goto out;
	}
	pid = create_fork(argv, envp != NULL ? envp : environ, gate, report,
			  e);
	if (pid < 0)
		goto out;
	p = proc_new(ps, pid, e);
	if (p == NULL) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		goto out;
	}
	p->child = true;
	p->state = PROC_CREATED;
	close(report[1]);
	report[1] = -1;
	rc = create_control(p, argv, when, gate[1], report[0], e);
	if (rc != 0 && p->state == PROC_CREATED)
		proc_abandon(p);
	if (rc != 0)
		hash_set(ps->procs, &pid, sizeof(pid), NULL);
out:
	for (int i = 0; i < 2; i++) {
		if (gate[i] >= 0)
			close(gate[i]);
		if (report[i] >= 0)
			close(report[i]);
	}
	return rc == 0 ? p : NULL;
}

void
proc_kill(struct proc *p)
{
	if (p->child && !proc_ended(p, NULL))
		proc_abandon(p);
}

int
proc_continue(struct proc *p, struct err *e)
{
	if (p->state != PROC_CREATED)
		return 0;
	if (p->child)
		proc_execs_begin(p);
	/* Something may have killed it while it was held. */
	if (ptrace(PTRACE_DETACH, p->pid, 0, 0) != 0 && errno != ESRCH)
		return ctl_fail(p, errno, "cannot let it run", e);
	p->state = PROC_RUNNING;
	return 0;
}
