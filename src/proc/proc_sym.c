/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * proc_sym.c - user addresses as names: object, symbol, offset.  Called when
 * records are printed, often long after the probe fired.
 */
#include "proc/proc_impl.h"

/* The object of a process that has the address, or NULL. */
static struct mobj *
addr_mobj(struct proc_set *ps, pid_t pid, uint64_t addr)
{
	struct proc *p = proc_find(ps, pid);

	if (p == NULL)
		p = proc_lookup(ps, pid);
	return p != NULL ? proc_mobj_at(p, addr) : NULL;
}

bool
proc_addr_place(struct proc_set *ps, pid_t pid, uint64_t addr, const char **obj,
		uint64_t *place)
{
	struct mobj *m = addr_mobj(ps, pid, addr);

	if (m == NULL)
		return false;
	*obj = m->o.name;
	*place = addr - m->o.base;
	return true;
}

struct elf_file *
proc_addr_elf(struct proc_set *ps, pid_t pid, uint64_t addr, uint64_t *place)
{
	struct mobj *m = addr_mobj(ps, pid, addr);

	if (m == NULL)
		return NULL;
	*place = addr - m->o.base;
	return m->file->elf;
}

bool
proc_addr_is_file(struct proc_set *ps, pid_t pid, uint64_t addr)
{
	const struct mobj *m = addr_mobj(ps, pid, addr);

	return m != NULL && m->o.mapped && m->file->elf != NULL;
}

bool
proc_addr_lookup(struct proc_set *ps, pid_t pid, uint64_t addr,
		 const char **obj, const char **sym, uint64_t *off)
{
	const struct elf_sym *s = NULL;
	struct mobj *m = addr_mobj(ps, pid, addr);

	if (m == NULL)
		return false;
	if (m->file->elf != NULL) {
		s = elf_stub_at(m->file->elf, addr - m->o.base);
		if (s == NULL)
			s = elf_sym_at(m->file->elf, addr - m->o.base);
	}
	if (obj != NULL)
		*obj = m->o.name;
	if (sym != NULL)
		*sym = s != NULL ? s->name : NULL;
	if (off != NULL)
		*off = s != NULL ? addr - m->o.base - s->addr : 0;
	return true;
}

void
proc_addr_text(struct proc_set *ps, pid_t pid, uint64_t addr, struct buf *out)
{
	const char *obj, *sym;
	uint64_t off;

	if (!proc_addr_lookup(ps, pid, addr, &obj, &sym, &off))
		buf_printf(out, "0x%llx", (unsigned long long)addr);
	else if (sym == NULL)
		buf_printf(out, "%s`0x%llx", obj, (unsigned long long)addr);
	else if (off == 0)
		buf_printf(out, "%s`%s", obj, sym);
	else
		buf_printf(out, "%s`%s+0x%llx", obj, sym,
			   (unsigned long long)off);
}
