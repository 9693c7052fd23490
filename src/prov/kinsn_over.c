/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * kinsn_over.c - see kinsn_over.h.
 *
 * kprobe_table is an array of lists, by hashes of addresses, and is read as the
 * text is, from /proc/kcore, while the kernel may change it.  What is read then
 * may be anything: addresses are followed where there is memory, and no more
 * often than there can be kprobes; and kovers_undo() looks whether something is
 * written over there at all.
 */
#include "prov/kinsn_over.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "code/code.h"
#include "proc/proc.h"
#include "type/type.h"

#define HEADS	  64 /* KPROBE_TABLE_SIZE */
#define KOVERS	  (1u << 18) /* more are none */
#define OPTIMIZED 4 /* KPROBE_FLAG_OPTIMIZED: a jump, struct optimized_kprobe */
#define INT3	  0xcc
#define JMP	  0xe9
#define CALL	  0xe8

static bool
kover_word(struct proc_set *ps, uint64_t at, void *to, size_t n)
{
	struct err none = { 0 };

	return ktext_read(ps, at, to, n, &none) == 0;
}

/* One kprobe; false: it cannot be read. */
static bool
kover_read(struct proc_set *ps, uint64_t kp, const struct kover_layout *l,
	   struct kover *o)
{
	uint32_t flags;

	o->n = 1;
	if (!kover_word(ps, kp + l->addr, &o->addr, sizeof(o->addr)) ||
	    !kover_word(ps, kp + l->opcode, o->was, 1) ||
	    !kover_word(ps, kp + l->flags, &flags, sizeof(flags)))
		return false;
	if ((flags & OPTIMIZED) != 0 && l->copied != 0 &&
	    kover_word(ps, kp + l->copied, o->was + 1, KOVER_MAX - 1))
		o->n = KOVER_MAX;
	return true;
}

static int
kover_cmp(const void *va, const void *vb)
{
	const struct kover *a = va, *b = vb;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

int
kovers_walk(struct proc_set *ps, uint64_t table, const struct kover_layout *l,
	    struct kovers *v, struct err *e)
{
	uint64_t heads[HEADS], at;
	struct kover o;

	v->n = 0;
	if (!kover_word(ps, table, heads, sizeof(heads)))
		return 0;
	for (size_t i = 0; i < HEADS; i++)
		for (at = heads[i]; at != 0 && v->n < KOVERS;) {
			if (!kover_read(ps, at - l->next, l, &o))
				break;
			if (!vec_push(v, o))
				return err_nomem(e);
			if (!kover_word(ps, at, &at, sizeof(at)))
				break;
		}
	if (v->n > 1)
		qsort(v->v, v->n, sizeof(*v->v), kover_cmp);
	return 0;
}

/* Where a member is; false: there is none. */
static bool
kover_member(struct type *t, const char *name, uint64_t *off)
{
	uint64_t bits;

	if (t == NULL || type_member(t, name, &bits) == NULL)
		return false;
	*off = bits / 8;
	return true;
}

static bool
kover_layout(struct type_space *ts, struct kover_layout *l)
{
	struct type *t = type_lookup(ts, "vmlinux", "struct kprobe");
	struct type *opt = type_lookup(ts, "vmlinux", "struct optimized_kprobe");
	uint64_t insn, copied;

	*l = (struct kover_layout){ 0 };
	if (!kover_member(t, "hlist", &l->next) ||
	    !kover_member(t, "addr", &l->addr) ||
	    !kover_member(t, "opcode", &l->opcode) ||
	    !kover_member(t, "flags", &l->flags))
		return false;
	t = type_lookup(ts, "vmlinux", "struct arch_optimized_insn");
	if (kover_member(opt, "optinsn", &insn) &&
	    kover_member(t, "copied_insn", &copied))
		l->copied = insn + copied;
	return true;
}

int
kovers_read(const struct prov *pv, struct kovers *v, struct err *e)
{
	struct proc_set *ps = pv->env->procs;
	struct kover_layout l;
	uint64_t table;

	v->n = 0;
	if (ktext_machine(ps) != EM_X86_64 ||
	    ksym_by_name(ps, "vmlinux", "kprobe_table", &table) != 0 ||
	    !kover_layout(pv->env->types, &l))
		return 0;
	return kovers_walk(ps, table, &l, v, e);
}

/* The first that ends behind an address. */
static size_t
kovers_from(const struct kovers *v, uint64_t addr)
{
	size_t lo = 0, hi = v->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (v->v[mid].addr + KOVER_MAX <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The entry, behind endbr64 where there is one, or the nop that the kernel has
   made of that. */
static void
kover_entry(uint8_t *p, size_t n)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	static const uint8_t nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	const struct code_body b = { .p = p, .n = n, .next = SIZE_MAX };
	struct code_insn first;
	size_t at = 0;

	if (code_insn_at(&b, 0, &first) && first.len == sizeof(endbr) &&
	    (first.nop || memcmp(p, endbr, sizeof(endbr)) == 0))
		at = first.len;

	if (n >= at + sizeof(nop) && p[at] == CALL)
		memcpy(p + at, nop, sizeof(nop));
}

void
kovers_undo(const struct kovers *v, uint64_t addr, uint8_t *p, size_t n)
{
	for (size_t i = kovers_from(v, addr);
	     i < v->n && v->v[i].addr < addr + n; i++) {
		const struct kover *o = &v->v[i];
		const uint64_t at = o->addr - addr;

		if (o->addr < addr ||
		    !(p[at] == INT3 || (p[at] == JMP && o->n == KOVER_MAX)))
			continue;
		for (size_t k = 0; k < o->n && at + k < n; k++)
			p[at + k] = o->was[k];
	}
	kover_entry(p, n);
}
