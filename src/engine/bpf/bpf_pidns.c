/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_pidns.c - numbers of processes and threads as the consumer knows them.
 *
 * The kernel's helper gives the number in the first PID namespace.  In that one
 * nothing else is done here.  In any other, a container say, that number would
 * be nobody's: not $target, not what ps(1) shows.  There the kernel's struct
 * pid is looked at, which has one number for each namespace that the process is
 * in, from the first to its own:
 *
 *	struct pid { level; numbers[level + 1] = { nr, ns } }
 *
 * numbers[l] is ours if l is the level of our namespace and ns is our
 * namespace.  A process that is not in it has no number there: 0.
 */
#include "engine/bpf/bpf_impl.h"

#include <sys/stat.h>
#include <unistd.h>

#include "engine/bpf/bpf_pidns.h"

#define TGID 1 /* enum pid_type: PIDTYPE_TGID */

/* R1 = size bytes at R1 + off, a kernel's address; through the 8 bytes at tmp
   of the stack. */
static void
fetch(struct em *em, uint32_t off, unsigned size, int tmp)
{
	em_lea(em, R3, R1, (int32_t)off);
	em_lea(em, R1, FP, tmp);
	em_imm(em, R2, (int32_t)size);
	em_call(em, BPF_FUNC_probe_read_kernel); /* 0 where it fails */
	em_ld(em, size == 8 ? BPF_DW : BPF_W, R1, FP, tmp);
}

/* R1 = the struct pid of the task in R1: of the process, or the thread. */
static void
pidns_pid(struct em *em, const struct rt_pidns *ns, bool process, int tmp)
{
	if (!process) {
		fetch(em, ns->task_thread_pid, 8, tmp);
		return;
	}
	fetch(em, ns->task_signal, 8, tmp);
	fetch(em, ns->signal_pids + TGID * 8, 8, tmp);
}

void
bpf_pidns_number(struct em *em, const struct rt_pidns *ns, bool process,
		 int tmp, int tmp2)
{
	uint32_t none = em_label(em), out = em_label(em);

	pidns_pid(em, ns, process, tmp);
	em_st(em, BPF_DW, FP, tmp2, R1);
	fetch(em, ns->pid_level, 4, tmp);
	em_ji(em, BPF_JLT, R1, (int32_t)ns->level, none);
	em_ld(em, BPF_DW, R1, FP, tmp2);
	fetch(em, ns->number + ns->upid_ns, 8, tmp);
	fetch(em, ns->ns_inum, 4, tmp);
	em_imm(em, R2, (int64_t)ns->inum);
	em_jr(em, BPF_JNE, R1, R2, none);
	em_ld(em, BPF_DW, R1, FP, tmp2);
	fetch(em, ns->number + ns->upid_nr, 4, tmp);
	em_mov(em, R0, R1);
	em_ja(em, out);
	em_place(em, none);
	em_imm(em, R0, 0);
	em_place(em, out);
}

/* numbers[level] */
void
bpf_pidns_innermost(struct em *em, const struct rt_pidns *ns, int tmp,
		    int tmp2)
{
	pidns_pid(em, ns, true, tmp);
	em_st(em, BPF_DW, FP, tmp2, R1);
	fetch(em, ns->pid_level, 4, tmp);
	em_alui(em, BPF_MUL, R1, (int32_t)ns->upid_size);
	em_ld(em, BPF_DW, R2, FP, tmp2);
	em_alu(em, BPF_ADD, R1, R2);
	fetch(em, ns->number + ns->upid_nr, 4, tmp);
	em_mov(em, R0, R1);
}

void
bpf_pidns_current(struct engine *eng, struct em *em, bool process, int tmp,
		  int tmp2)
{
	if (eng->rtconf.pidns.level == 0) {
		em_call(em, BPF_FUNC_get_current_pid_tgid);
		if (process)
			em_alui(em, BPF_RSH, R0, 32);
		else
			em_mov32(em, R0, R0);
		return;
	}
	em_call(em, BPF_FUNC_get_current_task);
	em_mov(em, R1, R0);
	bpf_pidns_number(em, &eng->rtconf.pidns, process, tmp, tmp2);
}

/* ---- our own ------------------------------------------------------------- */

/* The level of the calling thread's struct pid, which is its namespace's; -1
   with *e: not to be known. */
static int
level_run(const struct rt_pidns *ns, struct err *e)
{
	struct em em = { 0 };
	uint32_t ret = 0;
	int fd, rc = -1;

	em_call(&em, BPF_FUNC_get_current_task);
	em_mov(&em, R1, R0);
	pidns_pid(&em, ns, false, -8);
	fetch(&em, ns->pid_level, 4, -8);
	em_mov(&em, R0, R1);
	em_exit(&em);
	fd = bpf_feat_load(&em, "dtrace_pidns", e);
	if (fd >= 0) {
		uint64_t arg = 0;

		rc = sys_prog_run(fd, &arg, 1, -1, &ret);
		close(fd);
	}
	if (rc == 0)
		return (int)ret;
	return err_set(e, &ERR_GENERIC, 0,
		       "the numbers of this PID namespace cannot be had from "
		       "this kernel");
}

int
bpf_pidns_find(struct rt_pidns *ns, struct err *e)
{
	struct stat st;
	int level;

	*ns = (struct rt_pidns){ 0 };
	if (stat("/proc/self/ns/pid", &st) != 0 ||
	    st.st_ino == BPF_PIDNS_FIRST)
		return 0;
	ns->inum = (uint32_t)st.st_ino;
	if (bpf_feat_pidns(ns, e) != 0)
		return -1;
	level = level_run(ns, e);
	if (level < 0)
		return -1;
	ns->level = (uint32_t)level;
	ns->number += ns->level * ns->upid_size;
	return 0;
}

uint32_t
bpf_pidns_own(uint32_t *level)
{
	struct rt_pidns ns;
	struct err e = { 0 };

	if (bpf_pidns_find(&ns, &e) != 0)
		ns.level = 0;
	err_clear(&e);
	*level = ns.level;
	return ns.inum;
}
