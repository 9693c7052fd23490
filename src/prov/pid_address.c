/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pid_address.c - the instruction that an address means (pid<PID>:object:-:N).
 *
 * It is one of the process, as ustack() and debuggers print it; or, of an
 * object that is named, one as it was linked, as nm(1) and objdump(1) print it.
 * Only in programs that are linked for a fixed place are these the same;
 * elsewhere no number is both, for nothing is mapped where files have their
 * addresses.
 */
#include "prov/pid_fn.h"

#include <stdio.h>

#define NEAR_MAX 512

/* ---- what is near -------------------------------------------------------- */

/* The functions in front of a link-time address and behind it; NULL: none. */
static void
functions_near(struct elf_file *elf, uint64_t addr,
	       const struct elf_sym *near[2])
{
	size_t n;
	const struct elf_sym *s = elf_syms(elf, &n);

	near[0] = near[1] = NULL;
	for (size_t i = 0; i < n; i++) {
		if (!s[i].is_func || elf_code_left(elf, s[i].addr) == 0)
			continue;
		if (s[i].addr <= addr &&
		    (near[0] == NULL || s[i].addr > near[0]->addr))
			near[0] = &s[i];
		if (s[i].addr > addr &&
		    (near[1] == NULL || s[i].addr < near[1]->addr))
			near[1] = &s[i];
	}
}

/* Of an address that is no code: where code is, and what stands nearest. */
static int
not_code(const struct proc_obj *o, struct elf_file *elf, uint64_t v,
	 struct err *e)
{
	const struct elf_sym *near[2];
	uint64_t lo = 0, size = 0;
	char text[NEAR_MAX] = "";
	size_t n = 0;

	functions_near(elf, v, near);
	for (unsigned i = 0; i < 2; i++)
		if (near[i] != NULL && n < sizeof(text))
			n += (size_t)snprintf(
				text + n, sizeof(text) - n,
				"%s%.150s at 0x%llx",
				n == 0 ? "; nearest: " : ", ", near[i]->name,
				(unsigned long long)near[i]->addr);
	(void)elf_text(elf, &lo, &size);
	return err_set(e, &D_PROC_OFF, 0,
		       "address 0x%llx is not in the code of %s, which is "
		       "linked to 0x%llx up to 0x%llx%s",
		       (unsigned long long)v, o->name, (unsigned long long)lo,
		       (unsigned long long)(lo + size), text);
}

/* Of one within an instruction: that one and the next; the function is known,
   or nobody could say so. */
static int
not_begin(const struct pid_address *a, const struct elf_sym *s, uint64_t v,
	  struct err *e)
{
	struct code_body b = { .addr = s->addr };
	const uint64_t by = v - a->addr; /* how the caller counts */
	struct code_insn in;
	uint64_t at = 0, left = elf_code_left(a->elf, s->addr);

	b.n = a->addr - s->addr + 16 < left ? a->addr - s->addr + 16 : left;
	b.p = elf_bytes(a->elf, b.addr, b.n);
	while (b.p != NULL && code_insn_at(&b, at, &in) &&
	       s->addr + at + in.len <= a->addr)
		at += in.len;
	if (b.p == NULL || !code_insn_at(&b, at, &in))
		return err_set(e, &D_PROC_ALIGN, 0,
			       "address 0x%llx is not the start of an "
			       "instruction: what stands there is none (in %s)",
			       (unsigned long long)v, s->name);
	return err_set(e, &D_PROC_ALIGN, 0,
		       "address 0x%llx is not the start of an instruction: "
		       "the nearest are 0x%llx (%s+0x%llx) and 0x%llx",
		       (unsigned long long)v,
		       (unsigned long long)(s->addr + at + by), s->name,
		       (unsigned long long)at,
		       (unsigned long long)(s->addr + at + in.len + by));
}

/* ---- finding it ---------------------------------------------------------- */

/*
 * 0 if there is an instruction at the link-time address.  Where a symbol covers
 * it, that is certain; where none does, the caller's word is taken for where an
 * instruction begins, if the bytes can be one.
 */
static int
address_check(const struct pid_address *a, uint64_t v, struct err *e)
{
	const struct elf_sym *s = elf_sym_at(a->elf, a->addr);
	uint64_t left = elf_code_left(a->elf, a->addr);
	struct code_body b = { .addr = a->addr, .n = left < 16 ? left : 16 };
	uint64_t at = 0;

	if (s != NULL && s->is_func && elf_code_left(a->elf, s->addr) != 0) {
		b.addr = s->addr;
		at = a->addr - s->addr;
		b.n = at + b.n;
	} else {
		s = NULL;
	}
	b.p = elf_bytes(a->elf, b.addr, b.n);
	if (b.p != NULL && code_insn_begins(&b, at))
		return 0;
	if (s != NULL)
		return not_begin(a, s, v, e);
	return err_set(e, &D_PROC_ALIGN, 0,
		       "address 0x%llx is not the start of an instruction",
		       (unsigned long long)v);
}

/* The object that the address is in, of those that the module field means; or
   else the one that it names. */
static struct proc_obj *
address_obj(struct proc *p, const char *pattern, const char *mod, uint64_t v,
	    bool *linked)
{
	struct proc_obj *named = NULL;

	for (size_t i = 0; i < proc_nobjs(p); i++) {
		struct proc_obj *o = proc_obj_at(p, i);

		if (!pid_mod_is(o, pattern, mod))
			continue;
		*linked = false;
		if (v >= o->start && v < o->end)
			return o;
		if (mod != NULL && named == NULL)
			named = o;
	}
	*linked = true;
	return named;
}

int
pid_address_find(struct proc *p, const char *pattern, const char *mod,
		 uint64_t v, struct pid_address *a, struct err *e)
{
	bool linked = false;

	a->obj = address_obj(p, pattern, mod, v, &linked);
	if (a->obj == NULL)
		return err_set(e, &D_PROC_OFF, 0,
			       "address 0x%llx is not in the code of the "
			       "process: one as nm(1) prints it is of an "
			       "object, as in pid%d:a.out:-:1139",
			       (unsigned long long)v, (int)proc_pid(p));
	a->elf = proc_obj_elf(a->obj, e);
	if (a->elf == NULL)
		return -1;
	a->addr = linked ? v : v - a->obj->base;
	if (elf_code_left(a->elf, a->addr) == 0)
		return not_code(a->obj, a->elf, v, e);
	return address_check(a, v, e);
}
