/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * code_fn.c - a function analysed: its instructions, the places where control
 * may arrive, the ways out.
 *
 * Instructions are found by a linear sweep over each part.  Compilers put no
 * data between them, so this is exact for their code; where it is not, the
 * sweep contradicts the flow of control somewhere: bytes that are no
 * instruction, or a branch into the middle of one.  Then the function is not
 * `closed`, and nobody may put more than one instruction into a window.
 *
 * Control may arrive (a target) where direct branches lead, where a table of a
 * switch leads, where an address of the function's code is taken (lea, or an
 * immediate where addresses are small), after a call, and where the world
 * says: landing pads, symbols, addresses that data holds or other functions
 * make, branches from other functions (short ones are found here).  Too many
 * targets cost a window; one too few costs the process.  So tables are read as
 * far as they make sense, not as far as they are said to reach, and of a jump
 * that goes through a pointer it is enough to know that such a pointer must be
 * in the data, or have been made by the code: then it is a target already.
 *
 * Ways out are ret, and jumps, conditional ones too, to the start of another
 * function.  A jump elsewhere, or code that runs off the end, leaves in a way
 * that cannot be probed: `outs_all` is then false.
 */
#include "code/code_impl.h"

#include <stdlib.h>
#include <string.h>

/* ---- small questions ----------------------------------------------------- */

bool
code_fn_has(const struct code_fn *f, uint64_t addr)
{
	for (uint32_t i = 0; i < f->nparts; i++)
		if (addr - f->part[i].addr < f->part[i].size)
			return true;
	return false;
}

size_t
code_fn_lower(const uint64_t *v, size_t n, uint64_t addr)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (v[mid] < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool
code_fn_in(const uint64_t *v, size_t n, uint64_t addr)
{
	size_t i = code_fn_lower(v, n, addr);

	return i < n && v[i] == addr;
}

static void
scan_open(struct code_scan *s, const char *why)
{
	s->fn->closed = s->fn->outs_all = false;
	if (s->fn->why == NULL)
		s->fn->why = why;
}

static void
scan_leak(struct code_scan *s, const char *why)
{
	s->fn->outs_all = false;
	if (s->fn->why == NULL)
		s->fn->why = why;
}

void
code_scan_target(struct code_scan *s, uint64_t addr)
{
	if (code_fn_has(s->fn, addr) && !vec_push(&s->fn->targets, addr))
		s->nomem = true;
}

/* True if control goes on to the next instruction. */
static bool
kind_falls(uint8_t kind)
{
	return kind != CODE_I_RET && kind != CODE_I_JMP &&
	       kind != CODE_I_JMP_IND && kind != CODE_I_TRAP &&
	       kind != CODE_I_BAD;
}

/* ---- the sweep ----------------------------------------------------------- */

void
code_scan_label(struct code_scan *s, uint64_t addr)
{
	if (addr != s->fn->part[0].addr && code_fn_has(s->fn, addr) &&
	    !vec_push(&s->labels, addr))
		s->nomem = true;
}

static void
step_targets(struct code_scan *s, const struct code_step *t)
{
	switch (t->in.kind) {
	case CODE_I_CALL:
	case CODE_I_CALL_IND:
		code_scan_target(s, t->addr + t->in.len);
		if (t->in.kind == CODE_I_CALL)
			code_scan_target(s, t->in.target);
		break;
	case CODE_I_JMP:
	case CODE_I_JCC:
		code_scan_target(s, t->in.target);
		break;
	case CODE_I_SYSCALL:
		if (!vec_push(&s->fn->syscalls, t->addr))
			s->nomem = true;
		break;
	default:
		break;
	}
	code_machine.refs(s, t);
}

/* A call at the end is to a function that does not return. */
static bool
step_ends(const struct code_scan *s, size_t i)
{
	switch (s->steps.v[i].in.kind) {
	case CODE_I_CALL:
	case CODE_I_CALL_IND:
		return true;
	case CODE_I_SYSCALL:
		return code_machine.exits != NULL && code_machine.exits(s, i);
	default:
		return !kind_falls(s->steps.v[i].in.kind);
	}
}

/* If what stands at the end of a part runs on into what follows it: note it. */
static void
end_note(struct code_scan *s, size_t first)
{
	for (size_t i = s->steps.n; i-- > first;) {
		const struct code_step *t = &s->steps.v[i];

		if (code_insn_is_nop(t->p, t->in.len))
			continue;
		if (!step_ends(s, i) && !vec_push(&s->ends, i))
			s->nomem = true;
		return;
	}
}

static int
scan_part(struct code_scan *s, const struct code_part *part)
{
	const uint8_t *p = s->w->bytes(s->w->arg, part->addr, part->size);
	size_t first = s->steps.n;

	if (p == NULL)
		return -1;
	for (uint64_t at = 0; at < part->size;) {
		struct code_step t = { .addr = part->addr + at, .p = p + at };

		code_insn_decode(t.p, part->size - at, t.addr, &t.in);
		if (t.in.kind == CODE_I_BAD)
			scan_open(s, "there are bytes that are no instruction");
		if (!vec_push(&s->steps, t) ||
		    !vec_push(&s->fn->insns, t.addr)) {
			s->nomem = true;
			return 0;
		}
		step_targets(s, &t);
		at += t.in.len;
	}
	if (!code_fn_has(s->fn, part->addr + part->size))
		end_note(s, first);
	return 0;
}

static int
addr_cmp(const void *va, const void *vb)
{
	uint64_t a = *(const uint64_t *)va, b = *(const uint64_t *)vb;

	return a < b ? -1 : a > b;
}

void
code_addrs_sort(uint64_t *v, size_t *n)
{
	size_t k = 0;

	for (size_t i = 1; i < *n; i++) {
		if (v[i] < v[i - 1]) {
			qsort(v, *n, sizeof(*v), addr_cmp);
			break;
		}
	}
	for (size_t i = 0; i < *n; i++)
		if (k == 0 || v[k - 1] != v[i])
			v[k++] = v[i];
	*n = k;
}

/*
 * A function that begins with a nop (of one byte on x86-64) has it for what
 * follows: somebody plants the address behind it as a return address, and
 * unwinders, which look at the byte before, shall find this function there
 * (Go's goexit, restorers of signals).  Control may then arrive anywhere in it.
 */
static void
scan_planted(struct code_scan *s)
{
	const struct code_step *t = s->steps.v;
	size_t i = 0, n = s->steps.n;

	while (i < n && t[i].addr != s->fn->part[0].addr)
		i++;
	if (i + 1 >= n || !code_machine.is_plant(&t[i]) ||
	    code_insn_is_nop(t[i + 1].p, t[i + 1].in.len))
		return;
	while (++i < n)
		code_scan_target(s, t[i].addr);
}

/* ---- ways out ------------------------------------------------------------ */

static void
scan_out(struct code_scan *s, const struct code_step *t,
	 enum code_out_kind kind)
{
	struct code_out o = { t->addr, t->in.len, (uint8_t)kind };

	if (!vec_push(&s->fn->outs, o))
		s->nomem = true;
}

/*
 * Behind a call that does not return a compiler may end a part with a jump to
 * the end of another, where there is nothing: nobody gets there.
 */
static bool
jumps_to_end(const struct code_scan *s, const struct code_step *t)
{
	const struct code_fn *f = s->fn;
	const bool called = t > s->steps.v && t[-1].in.kind == CODE_I_CALL &&
			    t[-1].addr + t[-1].in.len == t->addr;

	for (uint32_t i = 0; called && i < f->nparts; i++)
		if (t->in.kind == CODE_I_JMP &&
		    t->in.target == f->part[i].addr + f->part[i].size)
			return true;
	return false;
}

/*
 * Whoever goes from steps[i] to addr, which is not the function's, does not
 * come back: nothing leads to the inside, or nothing from there; and nothing
 * that could is on the stack.  Functions of one family share their code like
 * this (mempcpy and memmove).
 */
static bool
for_good(struct code_scan *s, size_t i, uint64_t addr)
{
	return s->w->knows_jumps && code_machine.bare != NULL &&
	       code_machine.bare(s, i) &&
	       (!s->entered || code_stays_away(s, addr));
}

/* A direct jump out of all parts. */
static void
out_jump(struct code_scan *s, size_t i)
{
	const struct code_step *t = &s->steps.v[i];

	if (jumps_to_end(s, t))
		return;
	if (!s->w->is_fn(s->w->arg, t->in.target) &&
	    !for_good(s, i, t->in.target))
		scan_leak(s, "it jumps into the middle of other code");
	else
		scan_out(s, t, CODE_OUT_TAIL);
}

/* A part that runs on behind its last instruction, past which no jump leads. */
static void
out_end(struct code_scan *s, size_t i)
{
	const struct code_step *t = &s->steps.v[i];
	bool past = false;

	for (size_t k = i + 1; k < s->steps.n && !past; k++)
		for (size_t n = 0; n < s->fn->targets.n && !past; n++)
			past = s->fn->targets.v[n] == s->steps.v[k].addr;
	if (past || !for_good(s, i, t->addr + t->in.len))
		scan_leak(s, "it runs on into the code after it");
	else
		scan_out(s, t, CODE_OUT_FALL);
}

static const char leads_back[] =
	"it jumps through a pointer that may lead to itself";

static void
out_indirect(struct code_scan *s, size_t i)
{
	switch (code_machine.jump(s, i)) {
	case CODE_GO_TABLE:
		break;
	case CODE_GO_INSIDE:
		s->fn->closed = false;
		if (s->fn->why == NULL)
			s->fn->why = "it has a jump that cannot be followed";
		break;
	case CODE_GO_AWAY:
		scan_out(s, &s->steps.v[i], CODE_OUT_TAIL);
		break;
	case CODE_GO_BARE:
		/* What a table has led to may go on through the same. */
		if (s->again)
			scan_leak(s, leads_back);
		else if (!vec_push(&s->bare, i))
			s->nomem = true;
		break;
	case CODE_GO_POINTER:
		if (s->again)
			scan_leak(s, leads_back);
		else if (!vec_push(&s->late, i))
			s->nomem = true;
		break;
	case CODE_GO_UNKNOWN:
		scan_open(s, "it has a jump that cannot be followed");
		break;
	}
}

/* True if data hold an address in a part that is in no table of a jump. */
static bool
part_loose(const struct code_scan *s, const struct code_part *p)
{
	const struct code_fn *f = s->fn;
	uint64_t a;

	for (size_t i = 0;
	     s->w->held != NULL &&
	     s->w->held(s->w->arg, p->addr, p->addr + p->size, i, &a);
	     i++)
		if (a != f->part[0].addr &&
		    code_fn_in(f->insns.v, f->insns.n, a) &&
		    !code_fn_in(s->tabled.v, s->tabled.n, a))
			return true;
	return false;
}

/*
 * True if there is a pointer to an instruction of the function, not its first,
 * in data or in its own code, that is in none of the tables that jumps were
 * found to use.  Then any jump may use it.
 */
static bool
scan_loose(struct code_scan *s)
{
	const struct code_fn *f = s->fn;

	code_addrs_sort(s->tabled.v, &s->tabled.n);
	for (size_t i = 0; i < s->labels.n; i++)
		if (code_fn_in(f->insns.v, f->insns.n, s->labels.v[i]) &&
		    !code_fn_in(s->tabled.v, s->tabled.n, s->labels.v[i]))
			return true;
	for (uint32_t k = 0; k < f->nparts; k++)
		if (part_loose(s, &f->part[k]))
			return true;
	return false;
}

/* When the tables of all others are known. */
static void
outs_bare(struct code_scan *s)
{
	if (s->bare.n != 0 && scan_loose(s)) {
		scan_leak(s, leads_back);
		return;
	}
	for (size_t i = 0; i < s->bare.n; i++)
		scan_out(s, &s->steps.v[s->bare.v[i]], CODE_OUT_TAIL);
}

/* Tables lead to code of which it is known now how much it has on the stack. */
static void
outs_late(struct code_scan *s)
{
	s->again = true;
	if (s->edges.n != 0) {
		free(s->depths);
		s->depths = NULL;
	}
	for (size_t i = 0; i < s->late.n; i++)
		out_indirect(s, s->late.v[i]);
}

static void
scan_outs(struct code_scan *s)
{
	for (size_t i = 0; i < s->steps.n; i++) {
		const struct code_step *t = &s->steps.v[i];

		switch (t->in.kind) {
		case CODE_I_RET:
			scan_out(s, t, CODE_OUT_RET);
			break;
		case CODE_I_JMP:
			if (t->in.target == s->fn->part[0].addr &&
			    code_machine.recurs != NULL &&
			    code_machine.recurs(s, i)) {
				scan_out(s, t, CODE_OUT_TAIL);
				break;
			}
			/* fallthrough */
		case CODE_I_JCC:
			if (!code_fn_has(s->fn, t->in.target))
				out_jump(s, i);
			break;
		case CODE_I_JMP_IND:
			if (!t->in.fixed) /* xabort */
				out_indirect(s, i);
			break;
		default:
			break;
		}
	}
	outs_late(s);
	outs_bare(s);
	for (size_t i = 0; i < s->ends.n; i++)
		out_end(s, s->ends.v[i]);
}

static int
out_cmp(const void *va, const void *vb)
{
	const struct code_out *a = va, *b = vb;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

/* ---- targets ------------------------------------------------------------- */

static void
scan_entered(struct code_scan *s)
{
	uint64_t a;

	for (uint32_t k = 0; k < s->fn->nparts; k++) {
		const struct code_part *p = &s->fn->part[k];
		size_t n;

		code_scan_target(s, p->addr);
		n = s->fn->targets.n;
		if (code_machine.near != NULL)
			code_machine.near(s, p);
		for (size_t i = 0; s->w->entered(s->w->arg, p->addr,
						 p->addr + p->size, i, &a);
		     i++)
			code_scan_target(s, a);
		for (; n < s->fn->targets.n; n++)
			s->entered |= s->fn->targets.v[n] != p->addr;
	}
}

/*
 * A branch into the middle of an instruction.  Past a prefix is well known
 * (jump over `lock`): the rest then ends where the whole does.
 */
static bool
target_resyncs(const struct code_scan *s, const struct code_step *t)
{
	const struct code_fn *f = s->fn;
	const uint8_t *p = s->w->bytes(s->w->arg, t->in.target, 1);
	size_t i = code_fn_lower(f->insns.v, f->insns.n, t->in.target);
	uint64_t end = i < f->insns.n ? f->insns.v[i] : t->in.target;
	struct code_insn in;

	if (p == NULL || end <= t->in.target || end - t->in.target > 15)
		return false;
	p = s->w->bytes(s->w->arg, t->in.target, end - t->in.target);
	if (p == NULL)
		return false;
	code_insn_decode(p, end - t->in.target, t->in.target, &in);
	return in.kind != CODE_I_BAD && t->in.target + in.len == end;
}

static void
scan_check(struct code_scan *s)
{
	const struct code_fn *f = s->fn;

	for (size_t i = 0; i < s->steps.n; i++) {
		const struct code_step *t = &s->steps.v[i];

		if ((t->in.kind != CODE_I_JMP && t->in.kind != CODE_I_JCC &&
		     t->in.kind != CODE_I_CALL) ||
		    !code_fn_has(f, t->in.target) ||
		    code_fn_in(f->insns.v, f->insns.n, t->in.target))
			continue;
		if (!target_resyncs(s, t))
			scan_open(s, "it jumps into the middle of an "
				     "instruction");
	}
}

/* ---- all ----------------------------------------------------------------- */

/* The part that follows p by address; NULL: the first. */
static const struct code_part *
part_after(const struct code_fn *f, const struct code_part *p)
{
	const struct code_part *best = NULL;

	for (uint32_t i = 0; i < f->nparts; i++) {
		const struct code_part *q = &f->part[i];

		if ((p == NULL || q->addr > p->addr) &&
		    (best == NULL || q->addr < best->addr))
			best = q;
	}
	return best;
}

static int
scan_all(struct code_scan *s)
{
	struct code_fn *f = s->fn;

	const struct code_part *p = NULL;

	/* In order of address, so that steps and insns are sorted. */
	while ((p = part_after(f, p)) != NULL)
		if (scan_part(s, p) != 0)
			return -1;
	code_addrs_sort(f->syscalls.v, &f->syscalls.n);
	scan_check(s);
	scan_entered(s);
	scan_outs(s);
	scan_planted(s);
	code_addrs_sort(f->targets.v, &f->targets.n);
	if (f->outs.n > 1)
		qsort(f->outs.v, f->outs.n, sizeof(*f->outs.v), out_cmp);
	f->complete = f->closed && f->outs_all;
	return 0;
}

int
code_fn_analyse(const struct code_world *w, const struct code_part *parts,
		uint32_t nparts, struct code_fn *out, struct err *e)
{
	struct code_scan s = { .w = w, .fn = out };
	int rc;

	*out = (struct code_fn){ .closed = true, .outs_all = true };
	if (nparts == 0 || nparts > sizeof(out->part) / sizeof(out->part[0]))
		return err_set(e, &ERR_GENERIC, 0,
			       "a function of %u parts cannot be analysed",
			       nparts);
	memcpy(out->part, parts, nparts * sizeof(*parts));
	out->nparts = nparts;
	rc = scan_all(&s);
	vec_fini(&s.steps);
	vec_fini(&s.labels);
	vec_fini(&s.tabled);
	vec_fini(&s.bare);
	vec_fini(&s.ends);
	vec_fini(&s.edges);
	vec_fini(&s.late);
	free(s.depths);
	free(s.consts);
	if (rc == 0 && !s.nomem)
		return 0;
	code_fn_fini(out);
	if (s.nomem)
		return err_nomem(e);
	return err_set(e, &ERR_GENERIC, 0,
		       "the code at 0x%llx is not in its object's file",
		       (unsigned long long)parts[0].addr);
}

void
code_fn_fini(struct code_fn *f)
{
	vec_fini(&f->outs);
	vec_fini(&f->targets);
	vec_fini(&f->insns);
	vec_fini(&f->syscalls);
}
