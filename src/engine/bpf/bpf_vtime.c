/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_vtime.c - how long threads have run, for vtimestamp.
 *
 * The scheduler's own account (se.sum_exec_runtime) is brought up to date only
 * at ticks and switches, by a clock that BPF cannot read.  So, in programs
 * that use vtimestamp, a program at the switch tracepoint keeps for each
 * thread what it had run when it was last put on a CPU, and when that was:
 *
 *   struct { u64 run; u64 since; }	in task storage; since 0: not known yet
 *
 * vtimestamp = run + (now - since), read in bpf_builtin.c.  It only grows.
 */
#include "engine/bpf/bpf_impl.h"

#include <errno.h>

/* R0 = the element of the task in r8, made if need be; or to `none`. */
static void
vtime_element(struct engine *eng, struct em *em, uint32_t none)
{
	em_map(em, R1, eng->vtime.fd);
	em_mov(em, R2, R8);
	em_imm(em, R3, 0);
	em_imm(em, R4, BPF_LOCAL_STORAGE_GET_F_CREATE);
	em_call(em, BPF_FUNC_task_storage_get);
	em_ji(em, BPF_JEQ, R0, 0, none);
}

/* switch(preempt, prev, next, ...): r6 ctx, r7 now, r8 task */
static void
vtime_code(struct engine *eng, struct em *em)
{
	uint32_t in = em_label(em), out = em_label(em), new = em_label(em),
		 known = em_label(em);
	int sum = (int)eng->kt.task_sum_exec;

	em_mov(em, R6, R1);
	em_call(em, BPF_FUNC_ktime_get_ns);
	em_mov(em, R7, R0);
	em_ld(em, BPF_DW, R8, R6, 8); /* prev: run += now - since */
	vtime_element(eng, em, in);
	em_ld(em, BPF_DW, R1, R0, 8);
	em_ji(em, BPF_JEQ, R1, 0, new);
	em_mov(em, R2, R7);
	em_alu(em, BPF_SUB, R2, R1);
	em_ld(em, BPF_DW, R1, R0, 0);
	em_alu(em, BPF_ADD, R2, R1);
	em_st(em, BPF_DW, R0, 0, R2);
	em_st(em, BPF_DW, R0, 8, R7);
	em_ja(em, in);
	em_place(em, new);
	em_ld(em, BPF_DW, R1, R8, sum);
	em_st(em, BPF_DW, R0, 0, R1);
	em_st(em, BPF_DW, R0, 8, R7);
	em_place(em, in);
	em_ld(em, BPF_DW, R8, R6, 16); /* next: since = now */
	vtime_element(eng, em, out);
	em_ld(em, BPF_DW, R1, R0, 8);
	em_ji(em, BPF_JNE, R1, 0, known);
	em_ld(em, BPF_DW, R1, R8, sum);
	em_st(em, BPF_DW, R0, 0, R1);
	em_place(em, known);
	em_st(em, BPF_DW, R0, 8, R7);
	em_place(em, out);
	em_imm(em, R0, 0);
	em_exit(em);
}

int
bpf_vtime_make(struct engine *eng, struct err *e)
{
	struct em em = { 0 };
	int rc;

	if (bpf_feat_ktypes(eng, e) != 0)
		return -1;
	if (eng->kt.task_sum_exec == ~0u || eng->kt.switch_btf_id == 0)
		return err_set(e, &ERR_GENERIC, 0,
			       "vtimestamp: this kernel's scheduler is not "
			       "understood (types in BTF)");
	vtime_code(eng, &em);
	rc = em_finish(&em, "vtimestamp", e);
	if (rc == 0) {
		const struct sys_prog p = {
			.type = BPF_PROG_TYPE_TRACING,
			.attach_type = UAPI_TRACE_RAW_TP,
			.attach_btf_id = eng->kt.switch_btf_id,
			.name = "dt_vtime",
			.insns = em.code.v,
			.ninsns = (uint32_t)em.code.n,
		};
		eng->vtime_prog = sys_prog_load(&p);
		if (eng->vtime_prog < 0)
			rc = bpf_feat_error(e, errno,
					    "cannot load the program that "
					    "vtimestamp needs");
	}
	em_fini(&em);
	return rc;
}
