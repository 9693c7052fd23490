/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pid_site.c - where probes of the pid provider fire, and their arguments.
 *
 * Entry: before the first instruction.  Arguments as the machine's functions
 * have them (conv.def): in registers, then on the stack; those of Go in its
 * own registers (pid_abi_<machine>.c).
 *
 * Return: at every way out; arg0 is the offset of the instruction that returns,
 * arg1 the value.  Where the function is left by a jump to another one, whose
 * value it gives, there is none yet: arg2 is 1 then.
 *
 * Offsets: before that instruction; no arguments, the registers are in uregs[].
 * Of functions with one name, not all have an instruction there.
 *
 * These are facts.  Where a breakpoint or a jump can be put, and which ways out
 * there are, each engine finds out by itself.
 */
#include <string.h>

#include "prov/pid_fn.h"

static const struct dif_recipes recipes_entry = {
	.arg = {
#define FNARG(n, REG)   [n] = { DIF_RCP_UREG, DIF_R_##REG },
#define FNSTACK(n, off) [n] = DIF_USTACK(off),
#include "dif/conv.def"
	},
};
static const struct dif_recipes recipes_return = {
	.arg = { { DIF_RCP_COOKIE, .size = 4 },
		 { DIF_RCP_UREG, DIF_R_THE_VALUE },
		 { DIF_RCP_COOKIE, .size = 4, .shift = 32 } },
};
static const struct dif_recipes recipes_none;

static int
site_recipes(struct prov *pv, struct err *e)
{
	struct pid_data *d = pv->data;

	if (d->none != NULL)
		return 0;
	d->entry = probe_recipes(pv->set, &recipes_entry);
	d->go = probe_recipes(pv->set, &pid_abi_go);
	d->go_stack = probe_recipes(pv->set, &pid_abi_go_stack);
	d->ret = probe_recipes(pv->set, &recipes_return);
	d->none = probe_recipes(pv->set, &recipes_none);
	if (d->entry == NULL || d->go == NULL || d->go_stack == NULL ||
	    d->ret == NULL || d->none == NULL)
		return err_nomem(e);
	return 0;
}

struct site_cx {
	struct prov *pv;
	struct site_list *out;
	struct err *e;
	struct proc *proc;
	struct proc_obj *obj;
	struct elf_file *elf;
};

/* A site at a link-time address of cx's object, in function fn; NULL: in none
   that is known. */
static int
site_at(const struct site_cx *cx, enum dif_site_kind kind, uint64_t addr,
	const struct code_body *fn, const struct dif_recipes *args)
{
	uint64_t bias = cx->proc != NULL ? cx->obj->base : 0;
	struct dif_site s = { .kind = kind,
			      .pid = cx->proc != NULL ? proc_pid(cx->proc) : 0,
			      .bias = bias,
			      .addr = addr + bias,
			      .args = args };

	s.path = cx->proc != NULL
			 ? probe_str(cx->pv->set, cx->obj->open_path)
			 : pid_file_path(cx->pv->set, cx->obj);
	if (s.path == NULL)
		return err_nomem(cx->e);
	if (!elf_addr_to_off(cx->elf, addr, &s.off))
		return err_set(cx->e, &D_PROC_OFF, 0,
			       "%s: address 0x%llx is not in the file",
			       cx->obj->name, (unsigned long long)addr);
	if (fn != NULL) {
		s.fn = fn->addr + bias;
		s.fn_size = fn->n;
		s.fn_next = fn->next != SIZE_MAX ? s.fn + fn->next : 0;
	}
	return site_add(cx->out, &s, cx->e);
}

/* ---- functions ------------------------------------------------------------
 */

/* Kept for all offsets: who names them by a pattern asks thousands of times. */
static bool
fn_begins(const struct pid_data *d, struct pid_fn *f)
{
	struct code_insn in;

	if (f->begins != NULL)
		return true;
	f->begins = arena_calloc(d->arena, f->body.n / 8 + 1, 1);
	if (f->begins == NULL)
		return false;
	for (size_t at = 0; code_insn_at(&f->body, at, &in); at += in.len)
		f->begins[at / 8] |= (uint8_t)(1u << (at % 8));
	return true;
}

static int
site_offset(const struct site_cx *cx, struct pid_fn *f, uint64_t off)
{
	const struct pid_data *d = cx->pv->data;

	if (off >= f->body.n)
		return 0;
	if (!fn_begins(d, f))
		return err_nomem(cx->e);
	if ((f->begins[off / 8] >> (off % 8) & 1) == 0)
		return 0;
	return site_at(cx, DIF_SITE_UINSN, f->body.addr + off, &f->body,
		       d->none);
}

static const struct dif_recipes *
entry_recipes(const struct pid_data *d, const struct pid_fn *f)
{
	switch (pid_fn_lang(f)) {
	case PID_LANG_GO:
		return d->go;
	case PID_LANG_GO_STACK:
		return d->go_stack;
	default:
		return d->entry;
	}
}

static int
site_fn(const struct site_cx *cx, struct pid_fn *f, const struct pid_probe *pp)
{
	const struct pid_data *d = cx->pv->data;

	switch (pp->what) {
	case PID_ENTRY:
		return site_at(cx, DIF_SITE_UENTRY, f->body.addr, &f->body,
			       entry_recipes(d, f));
	case PID_RETURN:
		return site_at(cx, DIF_SITE_URETURN, f->body.addr, &f->body,
			       d->ret);
	default:
		return site_offset(cx, f, pp->off);
	}
}

static int
sites_group(struct site_cx *cx, const struct pid_probe *pp)
{
	for (struct pid_fn *f = pp->group->fns; f != NULL; f = f->next) {
		if (!f->obj->mapped && cx->proc != NULL)
			continue; /* it was once */
		cx->obj = f->obj;
		cx->elf = f->elf;
		if (site_fn(cx, f, pp) != 0)
			return -1;
	}
	return 0;
}

/* ---- addresses ------------------------------------------------------------
 */

/* Its function is the one whose symbol covers it. */
static int
sites_address(struct site_cx *cx, const struct pid_probe *pp)
{
	const struct pid_data *d = cx->pv->data;
	struct code_body fn = { .next = SIZE_MAX };
	const struct elf_sym *s;
	uint64_t left;

	if (!pp->obj->mapped)
		return 0;
	cx->obj = pp->obj;
	cx->elf = proc_obj_elf(pp->obj, cx->e);
	if (cx->elf == NULL)
		return -1;
	s = elf_sym_at(cx->elf, pp->off);
	if (s == NULL || !s->is_func)
		return site_at(cx, DIF_SITE_UINSN, pp->off, NULL, d->none);
	left = elf_code_left(cx->elf, s->addr);
	fn.addr = s->addr;
	fn.n = s->size < left ? s->size : left;
	return site_at(cx, DIF_SITE_UINSN, pp->off, &fn, d->none);
}

int
pid_sites(struct prov *pv, const struct probe *p, struct site_list *out,
	  struct err *e)
{
	const struct pid_probe *pp = p->data;
	struct site_cx cx = { .pv = pv, .out = out, .e = e, .proc = pp->proc };

	if (site_recipes(pv, e) != 0)
		return -1;
	return pp->what == PID_ABSOLUTE ? sites_address(&cx, pp)
					: sites_group(&cx, pp);
}
