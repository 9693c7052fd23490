/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * x86_tramp.c - trampolines: where a patched window goes.
 *
 *   probes of the 1st instruction:  step over the red zone, save flags
 *                                   save registers
 *                                   body: in place, or mov eax, site; call
 *                                   put back
 *   the 1st instruction, moved
 *   probes of the 2nd ...
 *   jmp to the first byte after the window
 *
 * A conditional jump to another function is a way out only if it is taken:
 *
 *   jncc over;  probes of the way out;  jmp there;  over:
 *
 * At the entry of a function and at its ways out there is no red zone and no
 * live flag, by the ABI; the registers are all that is saved.  Elsewhere both
 * are taken for live, the flags unless the code that follows kills them.  What
 * lies on the stack below the saved registers is x86_frame_extra()'s affair.
 *
 * Flags are saved by lahf and seto: pushf and popf cost three times as much,
 * and no handler changes others than the arithmetic ones.
 *
 * What is seldom needed of handlers that only count is written last, so that
 * the usual way has no jump that is taken.
 *
 * SYSTEM CALLS.  rcx and r11 are the kernel's to destroy, so they are free
 * before and after a `syscall`, and whatever a dispatcher does is done with
 * them, until it must save others.  No stack may be in use while the kernel
 * works (vfork and clone come back on another one, or twice), and no register
 * survives that could hold the number; so where a return probe wants it the
 * number is kept in the thread's slot, with the stack pointer.  A signal
 * handler that makes system calls of its own overwrites them: then the stack
 * pointers differ, and the return of the interrupted call does not fire rather
 * than under a wrong name.  The same holds for the new thread of a clone().  A
 * child of vfork() leaves its last call to its parent, which may have made one
 * at the same depth: so the place of the call is kept too, and a return higher
 * on the stack, as that of vfork() is, forgets the call: it is over.  The slot
 * of a thread that is not found by its %fs base, which it may share with
 * others, is known to the blob.
 *
 * Such children, and threads that are made, come back from the `syscall` in the
 * trampoline as their makers do, on a stack that may be new and with another
 * %fs base: so nothing is taken from before the call but what is written in the
 * code.  While some thread makes a process, every return asks the blob first
 * whether who comes back is a guest in the memory (rtn_forked()); a thread that
 * nobody knows and that has 0 comes back from the call of that place that makes
 * threads, or that changes the %fs base.
 */
#include <assert.h>
#include <string.h>

#include "engine/x86/x86_tramp_impl.h"

#define POINT_SIZE 96 /* bytes of one point, without what is inlined */
#define PAGE       4096u
#define MAX_PROBES 8 /* homes looked at for a thread's slot */

#define OFF(field) ((int32_t)offsetof(struct rt, field))

/* ---- one place ----------------------------------------------------------- */

static void
push_mask(struct x86_buf *b, uint32_t mask)
{
	for (unsigned r = 0; r < 16; r++)
		if ((mask & X86_R(r)) != 0)
			x86_push(b, r);
}

static void
pop_mask(struct x86_buf *b, uint32_t mask)
{
	for (unsigned r = 16; r-- > 0;)
		if ((mask & X86_R(r)) != 0)
			x86_pop(b, r);
}

/*
 * Flags go into the highest word of the gap but one saved register: rax is
 * pushed below it (as the first of the saves, if it is one of them) and is
 * free while they are fetched.
 */
static void
save(struct x86_buf *b, uint32_t mask, uint32_t gap, bool flags)
{
	if (gap != 0)
		x86_lea(b, X86_RSP, x86_m(X86_RSP, -(int32_t)gap));
	if (flags) {
		x86_push(b, X86_RAX);
		x86_lahf(b);
		x86_setcc(b, X86_CC_O, X86_RAX);
		x86_store(b, 2, x86_m(X86_RSP, 8), X86_RAX);
		if ((mask & X86_R(X86_RAX)) == 0)
			x86_pop(b, X86_RAX);
		mask &= ~X86_R(X86_RAX);
	}
	push_mask(b, mask);
}

static void
restore(struct x86_buf *b, uint32_t mask, uint32_t gap, bool flags)
{
	if (!flags) {
		pop_mask(b, mask);
	} else {
		pop_mask(b, mask & ~X86_R(X86_RAX));
		if ((mask & X86_R(X86_RAX)) == 0)
			x86_push(b, X86_RAX);
		x86_load(b, 2, false, X86_RAX, x86_m(X86_RSP, 8));
		x86_alu_ri(b, X86_ADD, 1, X86_RAX, 0x7f); /* OF as it was */
		x86_sahf(b);
		x86_pop(b, X86_RAX);
	}
	if (gap != 0)
		x86_lea(b, X86_RSP, x86_m(X86_RSP, (int32_t)gap));
}

static void
body(struct x86_buf *b, const struct x86_target *t,
     const struct x86_handler *h, uint32_t site)
{
	if (h->inl) {
		x86_handler_inline(b, t, h, site);
		return;
	}
	x86_mov_ri(b, X86_RAX, site);
	x86_call_to(b, h->code);
}

static bool
is_sys(const struct x86_point *p)
{
	return p->kind == X86_AT_SYSENTRY || p->kind == X86_AT_SYSRETURN;
}

/* True if two points of one instruction may share what is saved. */
static bool
together(const struct x86_point *p, const struct x86_point *q)
{
	return p->at == q->at && p->after == q->after && p->h != NULL &&
	       q->h != NULL && p->h->saves == q->h->saves &&
	       p->kind == q->kind && p->insn == q->insn;
}

/* One handler, where its registers are saved or, if it does nothing but count
   at a system call, need not be. */
static bool
count(struct x86_buf *b, const struct x86_target *t, const struct x86_point *p,
      struct x86_run *w, bool syscall)
{
	if (w->nlate == X86_LATE_MAX)
		return false;
	w->late[w->nlate] = (struct lower_late){ .syscall = syscall };
	if (!lower_solo_begin(b, t, p->h, p->site, &w->late[w->nlate]))
		return false;
	w->nlate++;
	return true;
}

void
x86_tramp_late(struct x86_buf *b, const struct x86_target *t,
	       struct x86_run *w)
{
	for (size_t i = 0; i < w->nlate; i++)
		lower_solo_late(b, t, &w->late[i]);
	w->nlate = 0;
}

/* Where the `syscall` is, where the stack is `gap` bytes below the thread's. */
static void
put_place(struct x86_buf *b, uint32_t gap, uint64_t at)
{
	int32_t off = (int32_t)gap - X86_SYS_PLACE;

	x86_store_imm(b, 4, x86_m(X86_RSP, off), (int32_t)(uint32_t)at);
	x86_store_imm(b, 4, x86_m(X86_RSP, off + 4), (int32_t)(at >> 32));
}

/* Points with the same saves, p[0..n-1], at a place where flags are dead or
   not. */
static void
fire(struct x86_buf *b, const struct x86_target *t, const struct x86_point *p,
     size_t n, struct x86_run *w, uint64_t addr, bool flags_dead)
{
	bool wide = p->insn || is_sys(p);
	enum x86_at at = is_sys(p) || !wide ? p->kind : X86_AT_INSN;
	uint32_t gap = wide ? x86_frame_extra(at) : 0;
	uint32_t mask = p->h->saves;

	while (n > 0 && is_sys(p) && flags_dead && count(b, t, p, w, true))
		p++, n--;
	if (n == 0)
		return;
	save(b, mask, gap, wide && !flags_dead);
	if (is_sys(p))
		put_place(b, gap + 8 * (uint32_t)__builtin_popcount(mask),
			  addr);
	for (size_t i = 0; i < n; i++)
		if (!count(b, t, &p[i], w, false))
			body(b, t, p[i].h, p[i].site);
	restore(b, mask, gap, wide && !flags_dead);
}

/* The dispatcher is called with the word of its return address already part
   of the gap. */
static void
dispatch(struct x86_buf *b, const struct x86_target *t,
	 const struct x86_point *p, uint64_t at, bool flags_dead)
{
	uint32_t gap = x86_frame_extra(p->kind) - 8;

	save(b, 0, gap, !flags_dead);
	put_place(b, gap, at);
	x86_call_to(b, p->kind == X86_AT_SYSENTRY ? t->sys_enter :
						    t->sys_return);
	restore(b, 0, gap, !flags_dead);
}

static int
check_point(const struct x86_target *t, const struct x86_point *p,
	    struct err *e)
{
	if (p->h == NULL) {
		if (is_sys(p) && t->sys_enter != 0 && t->sys_return != 0)
			return 0;
		return err_set(e, &ERR_GENERIC, 0,
			       "a probe has neither handler nor dispatcher");
	}
	if (!p->h->inl && (p->h->saves & X86_R(X86_RAX)) == 0)
		return err_set(e, &ERR_GENERIC, 0,
			       "a handler to be called does not save rax");
	return 0;
}

/* ---- the window ---------------------------------------------------------- */

int
x86_tramp_moved(struct x86_run *w, uint64_t from, uint64_t to, struct err *e)
{
	if (w->nmoved == X86_MOVED_MAX)
		return err_set(e, &ERR_GENERIC, 0,
			       "too many instructions at 0x%jx",
			       (uintmax_t)w->addr);
	w->moved[w->nmoved++] = (struct x86_moved){ from, to };
	return 0;
}

static enum x86_when
point_when(const struct x86_point *p, uint8_t kind)
{
	if (p->after)
		return X86_AFTER;
	return kind == CODE_I_JCC && p->kind == X86_AT_RETURN ? X86_TAKEN
							      : X86_BEFORE;
}

int
x86_tramp_points(struct x86_buf *b, const struct x86_target *t,
		 struct x86_run *w, uint32_t at, uint8_t kind,
		 enum x86_when when, uint32_t next, struct err *e)
{
	bool dead =
		next < w->len &&
		code_flags_dead(w->bytes + next, w->len - next, w->addr + next);
	size_t n;

	for (size_t i = 0; i < w->npoints; i += n) {
		const struct x86_point *p = &w->points[i];
		struct x86_label over = { 0 };
		n = 1;
		if (p->at != at || point_when(p, kind) != when)
			continue;
		if (check_point(t, p, e) != 0)
			return -1;
		while (i + n < w->npoints && together(p, p + n))
			n++;
		x86_stack_begin(b, t, p->stack, dead, &over);
		if (p->h == NULL)
			dispatch(b, t, p, w->addr + at, dead);
		else
			fire(b, t, p, n, w, w->addr + at, dead);
		x86_stack_end(b, p->stack, &over);
	}
	return 0;
}

static bool
has_taken(const struct x86_run *w, uint32_t at)
{
	for (size_t i = 0; i < w->npoints; i++)
		if (w->points[i].at == at &&
		    point_when(&w->points[i], CODE_I_JCC) == X86_TAKEN)
			return true;
	return false;
}

bool
x86_tramp_cc(const uint8_t *p, const struct code_insn *in, enum x86_cc *cc)
{
	bool near = in->len >= 6 && p[in->len - 6] == 0x0f;
	uint8_t op = p[in->len - (near ? 5 : 2)];

	*cc = (enum x86_cc)(op & 15);
	return (op & 0xf0) != 0xe0;
}

/* Go on at `over` unless the conditional jump at p would be taken. */
static void
jump_not(struct x86_buf *b, const uint8_t *p, const struct code_insn *in,
	 struct x86_label *over)
{
	enum x86_cc cc;

	if (x86_tramp_cc(p, in, &cc)) { /* its neighbour is its opposite */
		x86_jcc_label(b, (enum x86_cc)(cc ^ 1), over);
		return;
	}
	/* loop, jrcxz: they have none */
	x86_bytes(b, p, in->len - 1u);
	x86_bytes(b, "\x05", 1); /* over the jmp */
	x86_jmp_label(b, over);
}

/* A conditional jump that is a way out. */
static int
leave(struct x86_buf *b, const struct x86_target *t, struct x86_run *w,
      uint32_t at, const struct code_insn *in, struct err *e)
{
	int64_t d = (int64_t)(in->target - (w->addr + at + 5));
	int32_t rel = (int32_t)d;
	struct x86_label over = { 0 };
	uint8_t jmp[5] = { 0xe9 };

	if (d != rel)
		return err_set(e, &ERR_GENERIC, 0,
			       "the jump at 0x%jx leads too far",
			       (uintmax_t)(w->addr + at));
	memcpy(jmp + 1, &rel, sizeof(rel));
	jump_not(b, w->bytes + at, in, &over);
	if (x86_tramp_points(b, t, w, at, in->kind, X86_TAKEN, w->len, e) !=
		    0 ||
	    x86_reloc_insn(b, jmp, sizeof(jmp), w->addr + at, e) != 0)
		return -1;
	x86_bind(b, &over);
	return 0;
}

int
x86_tramp_insn(struct x86_buf *b, const struct x86_target *t, struct x86_run *w,
	       uint32_t at, const struct code_insn *in, struct err *e)
{
	if (in->kind == CODE_I_JCC && has_taken(w, at))
		return leave(b, t, w, at, in, e);
	return x86_reloc_insn(b, w->bytes + at, w->len - at, w->addr + at, e);
}

/* A room, if there may be one more; where a page would end in it, in the
   next. */
static void
tramp_room(struct x86_buf *b, struct x86_run *w, uint32_t at, bool after)
{
	uint32_t rest = PAGE - x86_here(b) % PAGE;

	if (w->rooms == NULL || w->rooms->n == X86_ROOMS)
		return;
	if (rest < X86_ROOM_SIZE)
		x86_nop(b, rest);
	w->rooms->v[w->rooms->n++] =
		(struct x86_room){ x86_here(b), at, after };
	x86_nop(b, X86_ROOM_SIZE);
}

static bool
has_room_before(const struct code_insn *in)
{
	return in->kind == CODE_I_SYSCALL || in->kind == CODE_I_RET ||
	       in->kind == CODE_I_JMP || in->kind == CODE_I_JMP_IND;
}

/* One instruction with its points. */
static int
tramp_step(struct x86_buf *b, const struct x86_target *t, struct x86_run *w,
     uint32_t at, const struct code_insn *in, bool after_syscall, struct err *e)
{
	uint32_t next = at + in->len;

	/* after a system call its successor's place is noted already */
	if (!after_syscall &&
	    x86_tramp_moved(w, w->addr + at, x86_here(b), e) != 0)
		return -1;
	if (x86_tramp_points(b, t, w, at, in->kind, X86_BEFORE,
			     in->kind == CODE_I_SYSCALL ? next : at, e) != 0)
		return -1;
	if (at != 0 && has_room_before(in))
		tramp_room(b, w, at, false);
	if (x86_tramp_insn(b, t, w, at, in, e) != 0)
		return -1;
	if (in->kind == CODE_I_SYSCALL &&
	    x86_tramp_moved(w, w->addr + next, x86_here(b), e) != 0)
		return -1;
	if (x86_tramp_points(b, t, w, at, in->kind, X86_AFTER, next, e) != 0)
		return -1;
	if (in->kind == CODE_I_SYSCALL)
		tramp_room(b, w, at, true);
	return 0;
}

static bool
ends(const struct code_insn *in)
{
	return in->kind == CODE_I_RET || in->kind == CODE_I_JMP ||
	       in->kind == CODE_I_JMP_IND || in->kind == CODE_I_CALL ||
	       in->kind == CODE_I_CALL_IND;
}

/* Every point is at the start of some instruction. */
static int
walk(struct x86_buf *b, const struct x86_target *t, struct x86_run *w,
     struct err *e)
{
	bool after_syscall = false;
	struct code_insn in;

	for (uint32_t at = 0; at < w->len; at += in.len) {
		code_insn_decode(w->bytes + at, w->len - at, w->addr + at, &in);
		if (tramp_step(b, t, w, at, &in, after_syscall, e) != 0)
			return -1;
		if (ends(&in))
			return 0;
		after_syscall = in.kind == CODE_I_SYSCALL;
	}
	x86_jmp_to(b, w->addr + w->len);
	return 0;
}

uint64_t
x86_tramp(struct x86_buf *b, const struct x86_target *t, const uint8_t *bytes,
	  uint64_t addr, uint32_t len, const struct x86_point *points,
	  size_t npoints, struct x86_moved *moved, size_t *nmoved,
	  struct err *e)
{
	return x86_tramp_rooms(b, t, bytes, addr, len, points, npoints, moved,
			       nmoved, NULL, e);
}

uint64_t
x86_tramp_rooms(struct x86_buf *b, const struct x86_target *t,
		const uint8_t *bytes, uint64_t addr, uint32_t len,
		const struct x86_point *points, size_t npoints,
		struct x86_moved *moved, size_t *nmoved,
		struct x86_rooms *rooms, struct err *e)
{
	struct x86_run w = { .bytes = bytes,
			     .addr = addr,
			     .len = len,
			     .points = points,
			     .npoints = npoints,
			     .moved = moved,
			     .rooms = rooms };
	uint64_t first = x86_here(b);

	if (rooms != NULL)
		rooms->n = 0;
	if (walk(b, t, &w, e) != 0)
		return 0;
	x86_tramp_late(b, t, &w);
	if (b->full) {
		err_set(e, &ERR_GENERIC, 0,
			"no room for the trampoline of 0x%jx",
			(uintmax_t)addr);
		return 0;
	}
	*nmoved = w.nmoved;
	return first;
}

size_t
x86_tramp_size(uint32_t len, const struct x86_point *p, size_t npoints)
{
	size_t n =
		(size_t)len * X86_INSN_ROOM + 8 + 2 * X86_ROOMS * X86_ROOM_SIZE;

	for (size_t i = 0; i < npoints; i++)
		n += POINT_SIZE +
		     (p[i].stack != X86_STACK_THERE ? X86_STACK_SIZE : 0) +
		     (p[i].h != NULL && p[i].h->inl ? p[i].h->inl_size : 0);
	return n;
}

bool
x86_jmp(uint8_t *out, uint32_t len, uint64_t from, uint64_t to)
{
	struct x86_buf b = { out, 0, len, from, false };
	int64_t d = (int64_t)(to - (from + 5));
	int32_t rel = (int32_t)d;

	if (d != rel || len < 5)
		return false;
	x86_bytes(&b, "\xe9", 1);
	x86_u32(&b, (uint32_t)rel);
	x86_nop(&b, len - 5);
	return true;
}

/* ---- system calls -------------------------------------------------------- */

void
x86_sys_thunk(struct x86_buf *b, const struct x86_target *t,
	      const struct x86_handler *h, uint32_t site, bool last)
{
	push_mask(b, h->saves);
	body(b, t, h, site);
	pop_mask(b, h->saves);
	if (last)
		x86_ret(b);
}

/* What the blob's functions, or C in general, may change; rcx, r11 are free. */
#define C_SAVES                                                                \
	(X86_R(X86_RAX) | X86_R(X86_RDX) | X86_R(X86_RSI) | X86_R(X86_RDI) |   \
	 X86_R(X86_R8) | X86_R(X86_R9) | X86_R(X86_R10))

/*
 * rcx = level 0 of the calling thread's slot, or on to `none`.  Changes rax,
 * rdx, r11.
 */
static void
find_slot(struct x86_buf *b, const struct x86_target *t,
	  struct x86_label *none)
{
	const int32_t key = offsetof(struct rtn_table, home);
	struct x86_label next = { 0 }, found = { 0 };

	lower_fs_base(b, t, X86_RDX, false);
	lower_home(b, X86_RCX, X86_RDX);
	x86_inc_r(b, 8, X86_RDX);
	x86_mov_ri(b, X86_R11, t->sh->table);
	x86_mov_ri(b, X86_RAX, MAX_PROBES);
	x86_bind(b, &next);
	x86_alu_mr(b, X86_CMP, 8, x86_mi(X86_R11, X86_RCX, 1, key), X86_RDX);
	x86_jcc_short(b, X86_CC_E, &found);
	x86_alu_mi(b, X86_CMP, 8, x86_mi(X86_R11, X86_RCX, 1, key),
		   RTN_KEY_FREE);
	x86_jcc_label(b, X86_CC_E, none);
	x86_alu_ri(b, X86_ADD, 4, X86_RCX, sizeof(struct rtn_home));
	x86_alu_ri(b, X86_AND, 4, X86_RCX,
		   (int32_t)(RTN_NHOMES * sizeof(struct rtn_home) - 1));
	x86_dec_r(b, 4, X86_RAX);
	x86_jcc_label(b, X86_CC_NE, &next);
	x86_jmp_label(b, none);
	x86_bind(b, &found);
	x86_load(b, 8, false, X86_RCX, x86_mi(X86_R11, X86_RCX, 1, key + 8));
}
static_assert(sizeof(struct rtn_sys) == 32, "shl 5");

void
x86_maps_stub(struct x86_buf *b, const struct x86_target *t,
	      struct x86_handler *h)
{
	x86_align(b, 16);
	*h = (struct x86_handler){ .code = x86_here(b),
				   .saves = C_SAVES | X86_R(X86_RCX) |
					    X86_R(X86_R11) };
	x86_mov_ri(b, X86_RDI, t->sh->self);
	x86_jmp_to(b, t->blob + rtn_image.off[RTN_FN_maps]);
}

/* r11 = the entry of sys[] for the number in rcx, which is below RTN_NSYS. */
static void
sys_entry(struct x86_buf *b, const struct x86_target *t)
{
	x86_sh_ri(b, X86_SHL, 4, X86_RCX, 5);
	x86_mov_ri(b, X86_R11, t->sh->sys);
	x86_alu_rr(b, X86_ADD, 8, X86_R11, X86_RCX);
}

/* A dispatcher has n bytes pushed: its word for the place of the call. */
static struct x86_mem
sys_place(uint32_t n)
{
	return x86_m(X86_RSP, (int32_t)(n + 16));
}

/*
 * A function of the blob (shared, fs base, rax, the place of the system call),
 * called by a dispatcher that has nothing pushed; all registers but rcx and
 * r11 preserved, rcx = its result.
 */
static void
call_blob(struct x86_buf *b, const struct x86_target *t, enum rtn_fn fn)
{
	push_mask(b, C_SAVES);
	x86_load(b, 4, false, X86_RCX,
		 sys_place(8u * (uint32_t)__builtin_popcount(C_SAVES)));
	x86_mov_rr(b, 8, X86_RDX, X86_RAX);
	x86_mov_ri(b, X86_RDI, t->sh->self);
	lower_fs_base(b, t, X86_RSI, false);
	x86_call_to(b, t->blob + rtn_image.off[fn]);
	x86_mov_rr(b, 8, X86_RCX, X86_RAX);
	pop_mask(b, C_SAVES);
}

/* Go to the thunk whose offset is in rcx; 0: return. */
static void
jump_thunk(struct x86_buf *b, const struct x86_target *t,
	   struct x86_label *out)
{
	x86_test_rr(b, 8, X86_RCX, X86_RCX);
	x86_jcc_label(b, X86_CC_E, out);
	x86_lea(b, X86_R11, x86_mrip(t->blob));
	x86_alu_rr(b, X86_ADD, 8, X86_RCX, X86_R11);
	x86_jmp_r(b, X86_RCX);
}

/* rcx = the slot of the thread, from what rtn_home() says of it in rcx; on to
   `none` if that is 0. */
static void
home_slot(struct x86_buf *b, const struct x86_target *t, struct x86_label *none)
{
	const int32_t rt = offsetof(struct rtn_table, home) +
			   offsetof(struct rtn_home, rt);

	x86_test_rr(b, 8, X86_RCX, X86_RCX);
	x86_jcc_label(b, X86_CC_E, none);
	x86_mov_ri(b, X86_R11, t->sh->table);
	x86_load(b, 8, false, X86_RCX, x86_mi(X86_R11, X86_RCX, 1, rt - 1));
}

/*
 * Keep the number in eax for the return probe.  A thread that has no slot yet
 * gets one.
 */
static void
keep_number(struct x86_buf *b, const struct x86_target *t)
{
	struct x86_label none = { 0 }, kept = { 0 }, keep = { 0 };

	x86_push(b, X86_RAX);
	x86_push(b, X86_RDX);
	find_slot(b, t, &none);
	x86_pop(b, X86_RDX);
	x86_pop(b, X86_RAX);
	x86_bind(b, &keep);
	x86_store(b, 8, x86_m(X86_RCX, OFF(sys_sp)), X86_RSP);
	x86_load(b, 4, false, X86_R11, sys_place(0));
	x86_store(b, 4, x86_m(X86_RCX, OFF(sys_at)), X86_R11);
	x86_mov_rr(b, 4, X86_R11, X86_RAX);
	x86_inc_r(b, 4, X86_R11);
	x86_store(b, 8, x86_m(X86_RCX, OFF(sysno)), X86_R11);
	x86_jmp_label(b, &kept);
	x86_bind(b, &none);
	x86_pop(b, X86_RDX);
	x86_pop(b, X86_RAX);
	call_blob(b, t, RTN_FN_home);
	home_slot(b, t, &kept);
	x86_jmp_label(b, &keep);
	x86_bind(b, &kept);
}

/*
 * The last call of a thread, or of a program: its entry probe, then what the
 * blob must do.  The thunk has to find the stack as ever, one return address
 * above the gap; so ours waits in the spare word of the gap.
 */
static void
last_call(struct x86_buf *b, const struct x86_target *t)
{
	struct x86_label fired = { 0 }, exec = { 0 }, back = { 0 };

	x86_pop(b, X86_RCX);
	x86_store(b, 8, x86_m(X86_RSP, 16), X86_RCX);
	x86_load(b, 8, false, X86_RCX,
		 x86_m(X86_R11, offsetof(struct rtn_sys, entry)));
	x86_call_label(b, &fired);
	/* here again after the thunk, which has kept rax alone */
	x86_mov_rr(b, 4, X86_RCX, X86_RAX);
	sys_entry(b, t);
	x86_test_mi(b, 4, x86_m(X86_R11, offsetof(struct rtn_sys, special)),
		    RTN_SYS_EXEC);
	x86_jcc_label(b, X86_CC_NE, &exec);
	call_blob(b, t, RTN_FN_thread_exit);
	x86_jmp_label(b, &back);
	x86_bind(b, &exec);
	call_blob(b, t, RTN_FN_exec);
	x86_bind(b, &back);
	x86_push_m(b, x86_m(X86_RSP, 16));
	x86_ret(b);
	x86_bind(b, &fired);
}

/* rtn_look() with the call that is about to be made; its number is in rax, and
   its registers stay as they are. */
static void
look(struct x86_buf *b, const struct x86_target *t)
{
	push_mask(b, C_SAVES);
	x86_mov_rr(b, 8, X86_RCX, X86_RSI);
	x86_mov_rr(b, 8, X86_RDX, X86_RDI);
	x86_mov_rr(b, 4, X86_RSI, X86_RAX);
	lower_fs_base(b, t, X86_R8, false);
	x86_mov_ri(b, X86_RDI, t->sh->self);
	x86_call_to(b, t->blob + rtn_image.off[RTN_FN_look]);
	pop_mask(b, C_SAVES);
}

/*
 * rax is the number.  Ordinary calls take the straight way: table, thunk.
 */
static uint64_t
sys_enter(struct x86_buf *b, const struct x86_target *t)
{
	const struct x86_mem special =
		x86_m(X86_R11, offsetof(struct rtn_sys, special));
	const struct x86_mem entry =
		x86_m(X86_R11, offsetof(struct rtn_sys, entry));
	struct x86_label out = { 0 }, slow = { 0 }, go = { 0 }, last = { 0 };
	struct x86_label kept = { 0 }, seen = { 0 }, single = { 0 };
	uint64_t at = x86_here(b);

	x86_mov_rr(b, 4, X86_RCX, X86_RAX);
	x86_alu_ri(b, X86_CMP, 4, X86_RCX, RTN_NSYS);
	x86_jcc_label(b, X86_CC_AE, &out);
	sys_entry(b, t);
	x86_alu_mi(b, X86_CMP, 4, special, 0);
	x86_jcc_label(b, X86_CC_NE, &slow);
	x86_load(b, 8, false, X86_RCX, entry);
	x86_bind(b, &go);
	jump_thunk(b, t, &out);
	x86_bind(b, &slow);
	x86_test_mi(b, 4, special, RTN_SYS_LOOK);
	x86_jcc_label(b, X86_CC_E, &seen);
	look(b, t);
	x86_mov_rr(b, 4, X86_RCX, X86_RAX);
	sys_entry(b, t);
	x86_bind(b, &seen);
	x86_test_mi(b, 4, special, RTN_SYS_FORK);
	x86_jcc_label(b, X86_CC_E, &single);
	call_blob(b, t, RTN_FN_fork);
	x86_mov_rr(b, 4, X86_RCX, X86_RAX);
	sys_entry(b, t);
	x86_bind(b, &single);
	x86_test_mi(b, 4, special, RTN_SYS_RETURNS);
	x86_jcc_label(b, X86_CC_E, &kept);
	keep_number(b, t);
	x86_mov_rr(b, 4, X86_RCX, X86_RAX);
	sys_entry(b, t);
	x86_bind(b, &kept);
	x86_test_mi(b, 4, special, RTN_SYS_EXIT | RTN_SYS_EXEC);
	x86_jcc_label(b, X86_CC_NE, &last);
	x86_load(b, 8, false, X86_RCX, entry);
	x86_jmp_label(b, &go);
	x86_bind(b, &last);
	last_call(b, t);
	x86_jmp_label(b, &go);
	x86_bind(b, &out);
	x86_ret(b);
	return at;
}

/* ecx = the number of the call that a thread nobody knows comes back from,
   where one of those was made that make such; else on to `out`. */
static void
fresh_thread(struct x86_buf *b, const struct x86_target *t,
	     struct x86_label *out)
{
	static const uint32_t nr[RTN_NFRESH] = {
#define FRESH(i, n) [i] = (n),
		RTN_FRESH(FRESH)
#undef FRESH
	};
	struct x86_label known = { 0 };

	x86_test_rr(b, 8, X86_RAX, X86_RAX);
	x86_jcc_label(b, X86_CC_NE, out);
	x86_mov_ri(b, X86_R11,
		   t->sh->self + offsetof(struct rtn_shared, fresh_at));
	for (unsigned i = 0; i < RTN_NFRESH; i++) {
		struct x86_label next = { 0 };

		x86_load(b, 4, false, X86_RCX, sys_place(0));
		x86_alu_rm(b, X86_CMP, 4, X86_RCX,
			   x86_m(X86_R11, (int32_t)(i * sizeof(uint32_t))));
		x86_jcc_label(b, X86_CC_NE, &next);
		x86_mov_ri(b, X86_RCX, nr[i]);
		x86_jmp_label(b, &known);
		x86_bind(b, &next);
	}
	x86_jmp_label(b, out);
	x86_bind(b, &known);
}

/* If somebody may be a guest in the memory, the blob sees to it. */
static void
guests(struct x86_buf *b, const struct x86_target *t)
{
	struct x86_label none = { 0 };

	x86_mov_ri(b, X86_R11,
		   t->sh->self + offsetof(struct rtn_shared, nforks));
	x86_alu_mi(b, X86_CMP, 4, x86_m(X86_R11, 0), 0);
	x86_jcc_label(b, X86_CC_E, &none);
	call_blob(b, t, RTN_FN_forked);
	x86_bind(b, &none);
}

/* rax is the result. */
static uint64_t
sys_return(struct x86_buf *b, const struct x86_target *t)
{
	struct x86_label none = { 0 }, other = { 0 }, out = { 0 },
			 unknown = { 0 }, found = { 0 }, known = { 0 },
			 fresh = { 0 };
	uint64_t at = x86_here(b);

	guests(b, t);
	if (t->no_returns) {
		x86_ret(b);
		return at;
	}
	x86_push(b, X86_RAX);
	x86_push(b, X86_RDX);
	find_slot(b, t, &unknown);
	x86_bind(b, &known);
	x86_lea(b, X86_RDX, x86_m(X86_RSP, 16));
	x86_alu_rm(b, X86_CMP, 8, X86_RDX, x86_m(X86_RCX, OFF(sys_sp)));
	x86_jcc_label(b, X86_CC_NE, &other);
	x86_load(b, 4, false, X86_RDX, sys_place(16));
	x86_alu_rm(b, X86_CMP, 4, X86_RDX, x86_m(X86_RCX, OFF(sys_at)));
	x86_jcc_label(b, X86_CC_NE, &none);
	x86_load(b, 4, false, X86_RDX, x86_m(X86_RCX, OFF(sysno)));
	x86_store_imm(b, 8, x86_m(X86_RCX, OFF(sysno)), 0);
	x86_alu_ri(b, X86_SUB, 4, X86_RDX, 1);
	x86_jcc_label(b, X86_CC_B, &none);
	x86_mov_rr(b, 4, X86_RCX, X86_RDX);
	x86_pop(b, X86_RDX);
	x86_pop(b, X86_RAX);
	x86_bind(b, &found);
	sys_entry(b, t);
	x86_load(b, 8, false, X86_RCX,
		 x86_m(X86_R11, offsetof(struct rtn_sys, ret)));
	jump_thunk(b, t, &out);
	x86_bind(b, &unknown);
	x86_pop(b, X86_RDX);
	x86_pop(b, X86_RAX);
	call_blob(b, t, RTN_FN_home_look);
	home_slot(b, t, &fresh);
	x86_push(b, X86_RAX);
	x86_push(b, X86_RDX);
	x86_jmp_label(b, &known);
	x86_bind(b, &fresh);
	fresh_thread(b, t, &out);
	x86_jmp_label(b, &found);
	x86_bind(b, &other);
	x86_jcc_label(b, X86_CC_B, &none);
	x86_store_imm(b, 8, x86_m(X86_RCX, OFF(sysno)), 0);
	x86_bind(b, &none);
	x86_pop(b, X86_RDX);
	x86_pop(b, X86_RAX);
	x86_bind(b, &out);
	x86_ret(b);
	return at;
}

void
x86_sys_stubs(struct x86_buf *b, struct x86_target *t)
{
	x86_align(b, 16);
	t->sys_enter = sys_enter(b, t);
	x86_align(b, 16);
	t->sys_return = sys_return(b, t);
}
