/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pid_site.c - where probes of the pid provider fire, and their arguments.
 *
 * Entry: before the first instruction, or a little later where it is cheaper
 * (code_x86_slide.c).  Arguments by the System V ABI for x86-64: six registers,
 * then the stack above the return address.
 *
 * Return: arg0 is the offset of the instruction that returns, arg1 the value.
 * If the offset is not used, or cannot differ, the kernel's return probe
 * serves; else there is a probe on each ret.  A tail call leaves too, but the
 * value is not known at the jump: a clause that uses arg1 of such a function
 * gets the return probe, and then arg0 is 0.  So it is for functions whose ways
 * out are not all known (code_return.c): no return is missed.  Where a return
 * probe would harm the process (pid_unwind.c), the ways out that are known
 * have probes, whatever is used.
 *
 * Offsets: before that instruction; no arguments, the registers are in uregs[].
 * The kernel cannot have probes at some instructions (code_x86_allow.c):
 * patterns leave them out, and to name one is an error.
 *
 * All that is about the kernel engine.  The process engine is told facts: the
 * function, and the instruction; it finds the ways out, and the places for its
 * jumps, by itself.
 */
#include <string.h>

#include "prov/pid_fn.h"

#define ARG_OFFSET 1u /* bits of args_used, for return */
#define ARG_VALUE  2u

static const struct dif_recipes recipes_entry = {
	.arg = { { DIF_RCP_UREG, DIF_R_RDI },
		 { DIF_RCP_UREG, DIF_R_RSI },
		 { DIF_RCP_UREG, DIF_R_RDX },
		 { DIF_RCP_UREG, DIF_R_RCX },
		 { DIF_RCP_UREG, DIF_R_R8 },
		 { DIF_RCP_UREG, DIF_R_R9 },
		 { DIF_RCP_USTACK, 8 },
		 { DIF_RCP_USTACK, 16 },
		 { DIF_RCP_USTACK, 24 },
		 { DIF_RCP_USTACK, 32 } },
};
static const struct dif_recipes recipes_return = {
	.arg = { { DIF_RCP_COOKIE, 0 }, { DIF_RCP_UREG, DIF_R_RAX } },
};
static const struct dif_recipes recipes_none;

static int
site_recipes(struct prov *pv, struct err *e)
{
	struct pid_data *d = pv->data;

	if (d->none != NULL)
		return 0;
	d->entry = probe_recipes(pv->set, &recipes_entry);
	d->ret = probe_recipes(pv->set, &recipes_return);
	d->none = probe_recipes(pv->set, &recipes_none);
	if (d->entry == NULL || d->ret == NULL || d->none == NULL)
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

/* A site at a link-time address of cx's object. */
static int
site_at(const struct site_cx *cx, enum dif_site_kind kind, uint64_t addr,
	uint64_t cookie, const struct dif_recipes *args)
{
	struct dif_site s = { .kind = kind,
			      .pid = proc_pid(cx->proc),
			      .addr = addr + cx->obj->base,
			      .cookie = cookie,
			      .args = args };

	s.path = probe_str(cx->pv->set, cx->obj->open_path);
	if (s.path == NULL)
		return err_nomem(cx->e);
	if (!elf_addr_to_off(cx->elf, addr, &s.off))
		return err_set(cx->e, &D_PROC_OFF, 0,
			       "%s: address 0x%llx is not in the file",
			       cx->obj->name, (unsigned long long)addr);
	return site_add(cx->out, &s, cx->e);
}

/* ---- returns ------------------------------------------------------------ */

static bool
name_is_part(const char *name)
{
	const char *s = strstr(name, ".cold");

	return s != NULL && (s[5] == '\0' || s[5] == '.');
}

/* struct code_around's question, about a function's object. */
static enum code_where
fn_where(void *arg, uint64_t addr, struct code_body *part)
{
	const struct pid_fn *f = arg;
	const struct elf_sym *s = elf_sym_at(f->elf, addr);

	if (s == NULL || !s->is_func)
		return CODE_W_ELSE;
	if (!name_is_part(s->name))
		return s->addr == addr ? CODE_W_FUNC : CODE_W_ELSE;
	part->addr = s->addr;
	part->n = s->size;
	part->p = elf_bytes(f->elf, s->addr, s->size);
	return part->p != NULL ? CODE_W_PART : CODE_W_ELSE;
}

static int
sites_each(const struct site_cx *cx, const struct pid_fn *f,
	   const uint32_t *offs, size_t n)
{
	const struct pid_data *d = cx->pv->data;

	for (size_t i = 0; i < n; i++)
		if (site_at(cx, DIF_SITE_UPROBE, f->body.addr + offs[i],
			    offs[i], d->ret) != 0)
			return -1;
	return 0;
}

/* Probes on every way out that was found. */
static int
sites_ways_out(const struct site_cx *cx, const struct pid_fn *f,
	       const struct code_returns *r)
{
	if (sites_each(cx, f, r->rets.v, r->rets.n) != 0)
		return -1;
	return sites_each(cx, f, r->tails.v, r->tails.n);
}

/* The kernel's return probe; its arg0 is the way out if there is only one. */
static int
site_uret(const struct site_cx *cx, const struct pid_fn *f,
	  const struct code_returns *r)
{
	const struct pid_data *d = cx->pv->data;
	uint64_t cookie = 0;

	if (r->rets.n == 1 && r->tails.n == 0)
		cookie = r->rets.v[0];
	else if (r->rets.n == 0 && r->tails.n == 1)
		cookie = r->tails.v[0];
	return site_at(cx, DIF_SITE_URETPROBE,
		       f->body.addr + code_slide(&f->body), cookie, d->ret);
}

static int
sites_return(const struct site_cx *cx, struct pid_fn *f, uint32_t args_used)
{
	const struct code_around w = { fn_where, f };
	bool harmful = pid_fn_is_odd(f) || pid_unwinds(cx->pv->data, cx->proc);
	struct code_returns r = { 0 };
	int rc;

	if (!harmful && (args_used & ARG_OFFSET) == 0)
		return site_uret(cx, f, &r);
	if (code_returns_find(&f->body, &w, &r) != 0)
		return err_nomem(cx->e);
	if (harmful || (r.exact && r.rets.n + r.tails.n > 1 &&
			(r.tails.n == 0 || (args_used & ARG_VALUE) == 0)))
		rc = sites_ways_out(cx, f, &r);
	else
		rc = site_uret(cx, f, &r);
	code_returns_fini(&r);
	return rc;
}

/* ---- offsets ------------------------------------------------------------ */

/*
 * Where f has instructions, and which of them the kernel takes, a bit per byte.
 * Of functions with one name, not all have one there.  Kept for all offsets: a
 * listing of a whole library asks hundreds of thousands of times.
 */
static bool
fn_places(const struct pid_data *d, struct pid_fn *f)
{
	struct code_insn in;
	size_t n = f->body.n / 8 + 1;

	if (f->places != NULL)
		return true;
	f->begins = arena_calloc(d->arena, n, 1);
	f->places = arena_calloc(d->arena, n, 1);
	if (f->begins == NULL || f->places == NULL)
		return false;
	for (size_t at = 0; code_insn_at(&f->body, at, &in); at += in.len) {
		f->begins[at / 8] |= (uint8_t)(1u << (at % 8));
		if (in.allowed)
			f->places[at / 8] |= (uint8_t)(1u << (at % 8));
	}
	return true;
}

static bool
bit_is_set(const uint8_t *map, uint64_t off)
{
	return (map[off / 8] >> (off % 8) & 1) != 0;
}

static int
site_offset(const struct site_cx *cx, struct pid_fn *f, uint64_t off)
{
	const struct pid_data *d = cx->pv->data;

	if (off >= f->body.n)
		return 0;
	if (!fn_places(d, f))
		return err_nomem(cx->e);
	if (!bit_is_set(f->places, off))
		return 0;
	return site_at(cx, DIF_SITE_UPROBE, f->body.addr + off, 0, d->none);
}

/* ---- the process engine -------------------------------------------------- */

/* A fact: an instruction (link-time address) of a function of n bytes. */
static int
fact_at(const struct site_cx *cx, enum dif_site_kind kind, uint64_t addr,
	uint64_t fn, uint64_t n, const struct dif_recipes *args)
{
	uint64_t bias = cx->obj->base;
	struct dif_site *s;

	if (site_at(cx, kind, addr, 0, args) != 0)
		return -1;
	s = &cx->out->v[cx->out->n - 1];
	s->addr = addr + bias;
	s->fn = n != 0 ? fn + bias : 0;
	s->fn_size = n;
	s->bias = bias;
	return 0;
}

static int
fact_fn(struct site_cx *cx, struct pid_fn *f, const struct pid_probe *pp)
{
	const struct pid_data *d = cx->pv->data;
	uint64_t fn = f->body.addr, n = f->body.n;

	switch (pp->what) {
	case PID_ENTRY:
		return fact_at(cx, DIF_SITE_UENTRY, fn, fn, n, d->entry);
	case PID_RETURN:
		return fact_at(cx, DIF_SITE_URETURN, fn, fn, n, d->ret);
	default:
		if (pp->off >= n)
			return 0;
		if (!fn_places(d, f))
			return err_nomem(cx->e);
		if (!bit_is_set(f->begins, pp->off))
			return 0;
		return fact_at(cx, DIF_SITE_UINSN, fn + pp->off, fn, n,
			       d->none);
	}
}

/* At an address: its function is the one whose symbol covers it. */
static int
fact_address(const struct site_cx *cx, uint64_t addr)
{
	const struct pid_data *d = cx->pv->data;
	const struct elf_sym *s = elf_sym_at(cx->elf, addr);
	uint64_t left;

	if (s == NULL || !s->is_func)
		return fact_at(cx, DIF_SITE_UINSN, addr, 0, 0, d->none);
	left = elf_code_left(cx->elf, s->addr);
	return fact_at(cx, DIF_SITE_UINSN, addr, s->addr,
		       s->size < left ? s->size : left, d->none);
}

/* ---- all ---------------------------------------------------------------- */

static int
sites_fn(struct site_cx *cx, struct pid_fn *f, const struct pid_probe *pp,
	 uint32_t args_used)
{
	const struct pid_data *d = cx->pv->data;

	/* Of functions with one name, some may have no place for it. */
	if (pp->what != PID_OFFSET && code_slide(&f->body) == CODE_NOWHERE)
		return 0;
	switch (pp->what) {
	case PID_ENTRY:
		return site_at(cx, DIF_SITE_UPROBE,
			       f->body.addr + code_slide(&f->body), 0,
			       d->entry);
	case PID_RETURN:
		return sites_return(cx, f, args_used);
	default:
		return site_offset(cx, f, pp->off);
	}
}

static int
sites_address(struct site_cx *cx, const struct pid_probe *pp,
	      enum dif_engines want)
{
	const struct pid_data *d = cx->pv->data;

	if (!pp->obj->mapped)
		return 0;
	cx->obj = pp->obj;
	cx->elf = proc_obj_elf(pp->obj, cx->e);
	if (cx->elf == NULL)
		return -1;
	if (want == DIF_ENG_P)
		return fact_address(cx, pp->off);
	if (pp->refused)
		return 0;
	return site_at(cx, DIF_SITE_UPROBE, pp->off, 0, d->none);
}

static int
sites_group(struct site_cx *cx, const struct pid_probe *pp, uint32_t args_used,
	    enum dif_engines want)
{
	for (struct pid_fn *f = pp->group->fns; f != NULL; f = f->next) {
		int rc;

		if (!f->obj->mapped)
			continue; /* it was once */
		cx->obj = f->obj;
		cx->elf = f->elf;
		rc = want == DIF_ENG_P ? fact_fn(cx, f, pp)
				       : sites_fn(cx, f, pp, args_used);
		if (rc != 0)
			return -1;
	}
	return 0;
}

int
pid_sites(struct prov *pv, const struct probe *p, uint32_t args_used,
	  enum dif_engines want, struct site_list *out, struct err *e)
{
	const struct pid_probe *pp = p->data;
	struct site_cx cx = { .pv = pv, .out = out, .e = e, .proc = pp->proc };
	size_t before = out->n;
	int rc;

	if (site_recipes(pv, e) != 0)
		return -1;
	rc = pp->what == PID_ABSOLUTE ? sites_address(&cx, pp, want)
				      : sites_group(&cx, pp, args_used, want);
	if (rc == 0 && out->n == before && pp->exact)
		return err_set(
			e, &D_PROC_NAME, 0,
			"%s:%s:%s:%s: the kernel cannot place a probe "
			"there: it steps no such instruction (lock, AVX, "
			"trap)",
			p->prov, p->mod, p->func, p->name);
	return rc;
}
