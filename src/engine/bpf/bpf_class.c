/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_class.c - the table of bpf_class.def, and the functions that its rows
 * name, but for those that attach (bpf_attach.c, bpf_kfunc.c, bpf_uprobe.c),
 * those that ask the kernel about its functions (bpf_kfunc.c), and those of
 * many tracepoints (bpf_tps.c).
 */
#include "engine/bpf/bpf_prog_impl.h"

#include <stdio.h>

#include "base/hash.h"

#define SYSCALLS_MAX 4096u /* numbers above are no system calls */

/* ---- the table ----------------------------------------------------------- */

#define AT(site) (1u << DIF_SITE_##site)
#define BY(place) (1u << BPF_AT_##place)
_Static_assert(BPF_NPLACES <= 32, "kinds of place are bits");

const struct bpf_class bpf_classes[] = {
#define CLASS(name_, sites_, type_, attach_type_, have_, event_, attach_,      \
	      find_, check_, place_, args_, regs_, frames_, runs_, ipl_)       \
	{                                                                      \
		.name = #name_,                                                \
		.sites = sites_,                                               \
		.type = BPF_PROG_TYPE_##type_,                                 \
		.attach_type = attach_type_,                                   \
		.have = bpf_have_##have_,                                      \
		.event = bpf_event_##event_,                                   \
		.attach = bpf_attach_##attach_,                                \
		.find = bpf_find_##find_,                                      \
		.check = bpf_check_##check_,                                   \
		.place = bpf_place_##place_,                                   \
		.args = bpf_args_##args_,                                      \
		.regs = BPF_REGS_##regs_,                                      \
		.frames = frames_,                                             \
		.runs = BPF_RUNS_##runs_,                                      \
		.ipl = BPF_IPL_##ipl_,                                         \
	},
#include "engine/bpf/bpf_class.def"
#undef CLASS
};

const struct bpf_class *
bpf_class_awake(const struct bpf_class *k)
{
	const uint32_t sites = k->sites;

	do
		k++;
	while (k->sites != sites || k->runs == BPF_RUNS_SLEEPS);
	return k;
}

/* ---- have: whether this kernel has it ------------------------------------ */

bool
bpf_have_always(struct engine *eng, const struct dif_site *s, uint32_t *btf_id)
{
	return true;
}

/* Typed tracepoints of system calls give the registers as a pointer. */
bool
bpf_have_typed_syscalls(struct engine *eng, const struct dif_site *s,
			uint32_t *btf_id)
{
	const struct bpf_ktypes *k = &eng->kt;
	struct err none = { 0 };

	/* Without types the check of the program will say so. */
	if (bpf_feat_ktypes(eng, &none) != 0)
		return false;
	*btf_id =
		s->kind == DIF_SITE_SYSENTRY ? k->enter_btf_id : k->exit_btf_id;
	return k->enter_btf_id != 0 && k->exit_btf_id != 0;
}

/* Arguments of a typed tracepoint are pointers whose members can be read. */
bool
bpf_have_typed_thread(struct engine *eng, const struct dif_site *s,
		      uint32_t *btf_id)
{
	*btf_id = s->thread.kind != DIF_RCP_NONE ? bpf_feat_tp_id(s->tp) : 0;
	return *btf_id != 0;
}

bool
bpf_have_current_thread(struct engine *eng, const struct dif_site *s,
			uint32_t *btf_id)
{
	return s == NULL || s->thread.kind == DIF_RCP_NONE; /* NULL: any */
}

bool
bpf_have_uprobe_multi(struct engine *eng, const struct dif_site *s,
		      uint32_t *btf_id)
{
	return bpf_feat_multi();
}

/* Where the kernel can wait for memory in uprobes. */
bool
bpf_have_uprobe_multi_sleeps(struct engine *eng, const struct dif_site *s,
			     uint32_t *btf_id)
{
	return bpf_feat_multi() && bpf_feat_sleeps(UAPI_TRACE_UPROBE_MULTI);
}

bool
bpf_have_uprobe_sleeps(struct engine *eng, const struct dif_site *s,
		       uint32_t *btf_id)
{
	return bpf_feat_sleeps(0);
}

/* ---- event: which sites share a program ---------------------------------- */

const char *
bpf_event_all(const struct dif_site *s)
{
	return "";
}

const char *
bpf_event_sys_enter(const struct dif_site *s)
{
	return "sys_enter";
}

const char *
bpf_event_sys_exit(const struct dif_site *s)
{
	return "sys_exit";
}

const char *
bpf_event_tp(const struct dif_site *s)
{
	return s->tp;
}

const char *
bpf_event_function(const struct dif_site *s)
{
	return s->tp;
}

/* ---- find: which element has fired --------------------------------------- */

/* Elements behind the last are nobody's. */
static void
find_bound(struct maker *m)
{
	em_ji(m->em, BPF_JGE, R2, (int32_t)m->c->sites.n, m->lb_out);
}

void
bpf_find_first(struct maker *m)
{
	em_imm(m->em, R2, 0);
}

void
bpf_find_word0(struct maker *m)
{
	em_ld(m->em, BPF_DW, R2, R7, 0);
	find_bound(m);
}

void
bpf_find_word1(struct maker *m)
{
	em_ld(m->em, BPF_DW, R2, R7, 8);
	find_bound(m);
}

void
bpf_find_sysnr(struct maker *m)
{
	bpf_builtin_uregs(m->c, m->em, FR_CTX);
	bpf_builtin_ureg(m->c->class, m->em, R2, DIF_R_THE_SYSNR, FM(m, TMP));
	find_bound(m);
}

void
bpf_find_cookie(struct maker *m)
{
	em_mov(m->em, R1, R7);
	em_call(m->em, BPF_FUNC_get_attach_cookie);
	em_mov(m->em, R2, R0);
	find_bound(m);
}

/* ---- check: whether this site is meant ----------------------------------- */

int
bpf_check_none(struct maker *m)
{
	return 0;
}

/*
 * System calls of 32-bit programs, and those by int 0x80, have other numbers.
 * The code segment does not show the latter: the kernel's note in the thread
 * does.
 */
int
bpf_check_compat(struct maker *m)
{
#define COMPAT(member, mask) const int32_t compat_mask = mask;
#include "dif/conv.def"
	if (bpf_feat_ktypes(m->eng, m->e) != 0)
		return -1;
	if (m->eng->kt.task_compat == ~0u)
		return 0; /* a kernel without them */
	em_call(m->em, BPF_FUNC_get_current_task_btf);
	em_ld(m->em, BPF_W, R1, R0, (int)m->eng->kt.task_compat);
	em_ji(m->em, BPF_JSET, R1, compat_mask, m->lb_next);
	return 0;
}

/* ---- place: where the program will look ---------------------------------- */

/* An element of its own. */
int
bpf_place_each(struct bpf_prog *c, struct bpf_site *s,
	       const struct bpf_place *pl)
{
	return vec_push(&c->sites, s) && vec_push(&c->places, pl) ? 0 : -1;
}

/* At least n elements, empty if need be. */
static int
place_reserve(struct bpf_prog *c, uint32_t n)
{
	for (; c->sites.n < n; c->gaps = true)
		if (bpf_place_each(c, NULL, NULL) != 0)
			return -1;
	return 0;
}

/* Another site of the event whose first is element at. */
static int
place_behind(struct bpf_prog *c, uint32_t at, struct bpf_site *s,
	     const struct bpf_place *pl)
{
	struct bpf_site *last = c->sites.v[at];
	uint32_t chain;

	for (chain = 2; last->next != 0; chain++)
		last = c->sites.v[last->next];
	last->next = (uint32_t)c->sites.n;
	if (chain > c->chain)
		c->chain = chain;
	return bpf_place_each(c, s, pl);
}

/* All sites of a program are of its one event. */
int
bpf_place_chain(struct bpf_prog *c, struct bpf_site *s,
		const struct bpf_place *pl)
{
	return c->sites.n == 0 ? bpf_place_each(c, s, pl)
			       : place_behind(c, 0, s, pl);
}

/*
 * By the function, or the tracepoint: the kernel keeps one cookie for each of
 * a program, so its sites are one behind the other.
 */
int
bpf_place_function(struct bpf_prog *c, struct bpf_site *s,
		   const struct bpf_place *pl)
{
	char key[24 + BPF_KFUNC_MAX];
	uintptr_t at;

	if (c->byfn == NULL && (c->byfn = hash_new()) == NULL)
		return -1;
	snprintf(key, sizeof(key), "%s %llx", pl->site->tp,
		 (unsigned long long)pl->site->addr);
	at = (uintptr_t)hash_find_str(c->byfn, key);
	if (at != 0)
		return place_behind(c, (uint32_t)(at - 1), s, pl);
	s->first = 1;
	return hash_set_str(c->byfn, key, (void *)(c->sites.n + 1)) != 0
		       ? -1
		       : bpf_place_each(c, s, pl);
}

/* By the number of a system call. */
int
bpf_place_number(struct bpf_prog *c, struct bpf_site *s,
		 const struct bpf_place *pl)
{
	uint32_t at = (uint32_t)pl->site->num;

	if (pl->site->num >= SYSCALLS_MAX)
		return 0; /* no such system call: never fires */
	if (place_reserve(c, at + 1) != 0)
		return -1;
	if (c->sites.v[at] == NULL) {
		c->sites.v[at] = s;
		c->places.v[at] = pl;
		return 0;
	}
	/* Elements of a chain lie behind all numbers. */
	return place_reserve(c, SYSCALLS_MAX) != 0 ? -1
						   : place_behind(c, at, s, pl);
}

/* ---- args: what only the context can say --------------------------------- */

void
bpf_args_none(struct em *em, unsigned ctx, const struct dif_recipe *r,
	      int tmp)
{
	em_imm(em, R1, 0);
}

/* The arguments of a tracepoint are the words of the context. */
void
bpf_args_words(struct em *em, unsigned ctx, const struct dif_recipe *r,
	      int tmp)
{
	if (r->kind == DIF_RCP_TPARG)
		em_ld(em, BPF_DW, R1, ctx, 8 * (int)r->val);
	else
		em_imm(em, R1, 0);
}

/* The result of a system call, -1 if it failed; or its error, else 0. */
void
bpf_args_sysreturn(struct em *em, unsigned ctx, const struct dif_recipe *r,
	      int tmp)
{
	uint32_t good = em_label(em);
	bool error = r->kind == DIF_RCP_SYSERR;

	if (!error && r->kind != DIF_RCP_SYSRET) {
		em_imm(em, R1, 0);
		return;
	}
	em_ld(em, BPF_DW, error ? R2 : R1, ctx, 8);
	if (error)
		em_imm(em, R1, 0);
	em_ji(em, BPF_JLT, error ? R2 : R1, -4095, good);
	if (error)
		em_alu(em, BPF_SUB, R1, R2);
	else
		em_imm(em, R1, (uint64_t)-1);
	em_place(em, good);
}

/* The interrupted pc if the kernel (user) was interrupted, else 0. */
void
bpf_args_interrupted(struct em *em, unsigned ctx, const struct dif_recipe *r,
	      int tmp)
{
	uint32_t other = em_label(em), end = em_label(em);
	bool user = r->kind == DIF_RCP_UPC;

	if (!user && r->kind != DIF_RCP_KPC) {
		em_imm(em, R1, 0);
		return;
	}
	em_ji(em, user ? BPF_JNE : BPF_JEQ, R2, bpf_user_mode(em, ctx), other);
	em_ld(em, BPF_DW, R1, ctx, 8 * DIF_R_THE_PC);
	em_ja(em, end);
	em_place(em, other);
	em_imm(em, R1, 0);
	em_place(em, end);
}

/* A typed program asks the kernel for what the trampoline has saved. */
static void
args_saved(struct em *em, unsigned ctx, int helper, int n, int tmp)
{
	em_sti(em, BPF_DW, FP, tmp, 0);
	em_mov(em, R1, ctx);
	if (n >= 0)
		em_imm(em, R2, (uint64_t)n);
	em_lea(em, n >= 0 ? R3 : R2, FP, tmp);
	em_call(em, helper);
	em_ld(em, BPF_DW, R1, FP, tmp);
}

void
bpf_args_fentry(struct em *em, unsigned ctx, const struct dif_recipe *r,
		int tmp)
{
	if (r->kind == DIF_RCP_KARG)
		args_saved(em, ctx, BPF_FUNC_get_func_arg, (int)r->val, tmp);
	else
		em_imm(em, R1, 0);
}

/* What a void function leaves is nobody's. */
void
bpf_args_fexit(struct em *em, unsigned ctx, const struct dif_recipe *r,
	       int tmp)
{
	if (r->kind == DIF_RCP_KRET)
		args_saved(em, ctx, BPF_FUNC_get_func_ret, -1, tmp);
	else
		bpf_args_fentry(em, ctx, r, tmp);
}

/* R1 = argument n of a function, at its entry, where the context is its
   registers. */
static void
args_stacked(struct em *em, unsigned ctx, int n, int tmp)
{
	int off = -1;

#define FNSTACK(num, at) \
	if (n == num)    \
		off = at;
#include "dif/conv.def"
	if (off < 0) {
		em_imm(em, R1, 0);
		return;
	}
	em_ld(em, BPF_DW, R3, ctx, 8 * DIF_R_THE_SP);
	em_alui(em, BPF_ADD, R3, off);
	em_lea(em, R1, FP, tmp);
	em_imm(em, R2, 8);
	em_call(em, BPF_FUNC_probe_read_kernel);
	em_ld(em, BPF_DW, R1, FP, tmp);
}

void
bpf_args_kregs(struct em *em, unsigned ctx, const struct dif_recipe *r,
	       int tmp)
{
	static const uint8_t in[] = {
#define FNARG(n, REG) [n] = DIF_R_##REG,
#include "dif/conv.def"
	};

	if (r->kind == DIF_RCP_KRET)
		em_ld(em, BPF_DW, R1, ctx, 8 * DIF_R_THE_VALUE);
	else if (r->kind != DIF_RCP_KARG)
		em_imm(em, R1, 0);
	else if ((size_t)r->val < sizeof(in))
		em_ld(em, BPF_DW, R1, ctx, 8 * in[r->val]);
	else
		args_stacked(em, ctx, (int)r->val, tmp);
}
