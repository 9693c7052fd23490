/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_link.c - generated functions and the bodies of rt/ become one program.
 *
 * The bodies come as an ELF object that clang made when dtrace was built
 * (rt_areas.h).  Only those that are called, directly or not, are taken.
 * Their references to rt_conf, rt_map_agg and rt_map_ctl are bound to the maps
 * of this trace.
 *
 * The kernel checks a global function on its own, for any arguments, and wants
 * to know their types from BTF.  The object's own BTF describes more than the
 * kernel needs, some of it unfinished (its maps), so a small one is made here:
 * struct rt is opaque but for its size.  Generated functions are static: they
 * are checked at their calls and need no types, but for those that take nothing
 * but numbers.
 */
#include "engine/bpf/bpf_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <gelf.h>

#define RELOC_64_64 1  /* R_BPF_64_64: a wide load */
#define RELOC_64_32 10 /* R_BPF_64_32: a call */

/* ---- units --------------------------------------------------------------- */

struct bpf_fn *
bpf_link_fn(struct bpf_unit *u, const char *name)
{
	struct bpf_fn *fn = calloc(1, sizeof(*fn));

	if (fn == NULL || !vec_push(&u->fns, fn)) {
		free(fn);
		return NULL;
	}
	snprintf(fn->name, sizeof(fn->name), "%s", name);
	fn->nargs = -1;
	return fn;
}

struct bpf_fn *
bpf_link_shared(struct bpf_unit *u, struct em *em, const char *name, int nargs)
{
	struct bpf_fn *fn;

	for (size_t i = 0; i < u->fns.n; i++)
		if (strcmp(u->fns.v[i]->name, name) == 0) {
			em_fn(em, u->fns.v[i]->name);
			return NULL;
		}
	fn = bpf_link_fn(u, name);
	if (fn == NULL) {
		em->nomem = true;
		return NULL;
	}
	fn->nargs = nargs;
	em_fn(em, fn->name);
	return fn;
}

void
bpf_link_done(struct bpf_fn *fn, struct em *em)
{
	struct err e = { 0 };

	if (em_finish(&fn->em, fn->name, &e) == 0)
		return;
	if (e.tag == &ERR_NOMEM)
		em->nomem = true;
	else
		em->failed = true;
}

void
bpf_link_keep(struct bpf_unit *u, size_t n)
{
	while (u->fns.n > n) {
		struct bpf_fn *fn = u->fns.v[--u->fns.n];
		em_fini(&fn->em);
		free(fn);
	}
}

void
bpf_link_fini(struct bpf_unit *u)
{
	bpf_link_keep(u, 0);
	vec_fini(&u->fns);
}

void
bpf_link_image_fini(struct bpf_image *img)
{
	if (img->btf_fd >= 0)
		close(img->btf_fd);
	img->btf_fd = -1;
	vec_fini(&img->code);
	vec_fini(&img->funcs);
	vec_fini(&img->fnname);
}

/* ---- the object ---------------------------------------------------------- */

struct body {
	const char *name;
	uint32_t start, n; /* instructions in .text */
	bool global, taken;
	uint32_t pos; /* in the image, once taken */
};

struct linker {
	struct engine *eng;
	struct bpf_unit *u;
	struct bpf_image *img;
	struct err *e;
	Elf *elf;
	const struct bpf_insn *text;
	uint32_t ntext;
	size_t text_shndx;
	Elf_Data *syms, *rels;
	size_t strndx, nsyms, nrels;
	struct body *bodies;
	uint32_t nbodies;
	uint32_t *order, norder; /* bodies as taken */
	uint32_t *unitpos;
	struct btf *objbtf;
};

static int
link_bad(struct linker *l, const char *what)
{
	return err_set(l->e, &ERR_GENERIC, 0,
		       "the built-in BPF object is broken: %s", what);
}

static int
obj_sections(struct linker *l)
{
	Elf_Scn *scn = NULL;
	size_t shstr;

	if (elf_getshdrstrndx(l->elf, &shstr) != 0)
		return link_bad(l, "no section names");
	while ((scn = elf_nextscn(l->elf, scn)) != NULL) {
		GElf_Shdr sh;
		if (gelf_getshdr(scn, &sh) == NULL)
			return link_bad(l, "section header");
		const char *name = elf_strptr(l->elf, shstr, sh.sh_name);
		Elf_Data *d = elf_getdata(scn, NULL);
		if (name == NULL || d == NULL)
			continue;
		if (strcmp(name, ".text") == 0) {
			l->text = d->d_buf;
			l->ntext = (uint32_t)(d->d_size / sizeof(*l->text));
			l->text_shndx = elf_ndxscn(scn);
		} else if (sh.sh_type == SHT_SYMTAB) {
			l->syms = d;
			l->strndx = sh.sh_link;
			l->nsyms =
				sh.sh_entsize ? sh.sh_size / sh.sh_entsize : 0;
		} else if (strcmp(name, ".rel.text") == 0) {
			l->rels = d;
			l->nrels =
				sh.sh_entsize ? sh.sh_size / sh.sh_entsize : 0;
		} else if (strcmp(name, ".BTF") == 0) {
			l->objbtf = btf__new(d->d_buf, (uint32_t)d->d_size);
			if (libbpf_get_error(l->objbtf))
				l->objbtf = NULL;
		}
	}
	if (l->text == NULL || l->syms == NULL || l->objbtf == NULL)
		return link_bad(l, "no .text, symbols or types");
	return 0;
}

static int
obj_bodies(struct linker *l)
{
	l->bodies = calloc(l->nsyms + 1, sizeof(*l->bodies));
	l->order = calloc(l->nsyms + 1, sizeof(*l->order));
	if (l->bodies == NULL || l->order == NULL)
		return err_nomem(l->e);
	for (size_t i = 0; i < l->nsyms; i++) {
		GElf_Sym s;
		if (gelf_getsym(l->syms, (int)i, &s) == NULL)
			return link_bad(l, "symbol");
		if (GELF_ST_TYPE(s.st_info) != STT_FUNC ||
		    s.st_shndx != l->text_shndx)
			continue;
		struct body *b = &l->bodies[l->nbodies++];
		b->name = elf_strptr(l->elf, l->strndx, s.st_name);
		b->start = (uint32_t)(s.st_value / sizeof(*l->text));
		b->n = (uint32_t)(s.st_size / sizeof(*l->text));
		b->global = GELF_ST_BIND(s.st_info) != STB_LOCAL;
		if (b->name == NULL || b->n > l->ntext ||
		    b->start > l->ntext - b->n)
			return link_bad(l, "function");
	}
	return 0;
}

static int
obj_open(struct linker *l)
{
	const struct rt_areas *a = l->eng->areas;

	elf_version(EV_CURRENT);
	l->elf = elf_memory((char *)(uintptr_t)a->obj, *a->obj_len);
	if (l->elf == NULL)
		return link_bad(l, "not an ELF file");
	return obj_sections(l) != 0 || obj_bodies(l) != 0 ? -1 : 0;
}

/* The symbol of the relocation at a .text instruction, if there is one. */
static bool
reloc_at(struct linker *l, uint32_t insn, GElf_Sym *sym, unsigned *type)
{
	for (size_t i = 0; i < l->nrels; i++) {
		GElf_Rel r;
		if (gelf_getrel(l->rels, (int)i, &r) == NULL ||
		    r.r_offset != insn * sizeof(*l->text))
			continue;
		*type = (unsigned)GELF_R_TYPE(r.r_info);
		return gelf_getsym(l->syms, (int)GELF_R_SYM(r.r_info), sym) !=
		       NULL;
	}
	return false;
}

/* ---- which bodies -------------------------------------------------------- */

static struct body *
body_by_name(struct linker *l, const char *name)
{
	for (uint32_t i = 0; i < l->nbodies; i++)
		if (strcmp(l->bodies[i].name, name) == 0)
			return &l->bodies[i];
	return NULL;
}

static bool
is_call(const struct bpf_insn *in)
{
	return in->code == (BPF_JMP | BPF_CALL) &&
	       in->src_reg == BPF_PSEUDO_CALL;
}

/* A wide load of the address of a function that a helper is to call. */
static bool
is_callback(struct linker *l, uint32_t insn)
{
	GElf_Sym sym;
	unsigned type;

	return l->text[insn].code == (BPF_LD | BPF_DW | BPF_IMM) &&
	       reloc_at(l, insn, &sym, &type) && type == RELOC_64_64 &&
	       sym.st_shndx == l->text_shndx;
}

static struct body *
body_at(struct linker *l, uint64_t insn)
{
	for (uint32_t i = 0; i < l->nbodies; i++)
		if (l->bodies[i].start == insn)
			return &l->bodies[i];
	return NULL;
}

/* The body whose address the load at a .text instruction takes: relative to
   the section where it is a static one. */
static struct body *
body_taken(struct linker *l, uint32_t insn)
{
	GElf_Sym sym;
	unsigned type;

	if (!reloc_at(l, insn, &sym, &type))
		return NULL;
	return body_at(l, (sym.st_value + (uint32_t)l->text[insn].imm) /
				  sizeof(*l->text));
}

/* The body that the call at a .text instruction leads to. */
static struct body *
body_called(struct linker *l, uint32_t insn)
{
	int64_t to = (int64_t)insn + 1 + l->text[insn].imm;
	GElf_Sym sym;
	unsigned type;

	if (reloc_at(l, insn, &sym, &type)) {
		if (type != RELOC_64_32 || sym.st_shndx != l->text_shndx)
			return NULL;
		to = (int64_t)(sym.st_value / sizeof(*l->text));
		if (GELF_ST_TYPE(sym.st_info) == STT_SECTION)
			to += l->text[insn].imm + 1;
	}
	return to >= 0 ? body_at(l, (uint64_t)to) : NULL;
}

static void
take(struct linker *l, struct body *b)
{
	if (b->taken)
		return;
	b->taken = true;
	l->order[l->norder++] = (uint32_t)(b - l->bodies);
}

static int
unit_index(const struct bpf_unit *u, const char *name)
{
	for (size_t i = 0; i < u->fns.n; i++)
		if (strcmp(u->fns.v[i]->name, name) == 0)
			return (int)i;
	return -1;
}

/* Drop what is called by nothing that stays: the kernel refuses dead code, and
   a call may have stood where no way led.  The first function is the entry. */
static int
drop_uncalled(struct linker *l)
{
	struct bpf_unit *u = l->u;
	uint8_t *called = calloc(u->fns.n, 1);
	uint32_t *todo = calloc(u->fns.n, sizeof(*todo)), n = 0;
	size_t kept = 0;

	if (called == NULL || todo == NULL) {
		free(called);
		free(todo);
		return err_nomem(l->e);
	}
	called[0] = 1;
	for (todo[n++] = 0; n > 0;) {
		const struct em *em = &u->fns.v[todo[--n]]->em;
		for (size_t k = 0; k < em->ref.n; k++) {
			int to = unit_index(u, em->ref.v[k].fn);
			if (to < 0 || called[to])
				continue;
			called[to] = 1;
			todo[n++] = (uint32_t)to;
		}
	}
	for (size_t i = 0; i < u->fns.n; i++) {
		struct bpf_fn *fn = u->fns.v[i];
		if (called[i]) {
			u->fns.v[kept++] = fn;
			continue;
		}
		em_fini(&fn->em);
		free(fn);
	}
	u->fns.n = kept;
	free(called);
	free(todo);
	return 0;
}

static int
link_take_all(struct linker *l)
{
	for (size_t i = 0; i < l->u->fns.n; i++) {
		const struct em *em = &l->u->fns.v[i]->em;
		for (size_t k = 0; k < em->ref.n; k++) {
			const char *name = em->ref.v[k].fn;
			struct body *b;
			if (unit_index(l->u, name) >= 0)
				continue;
			b = body_by_name(l, name);
			if (b == NULL)
				return link_bad(l, name);
			take(l, b);
		}
	}
	for (uint32_t i = 0; i < l->norder; i++) {
		const struct body *b = &l->bodies[l->order[i]];
		for (uint32_t k = b->start; k < b->start + b->n; k++) {
			bool back = is_callback(l, k);
			if (!back && !is_call(&l->text[k]))
				continue;
			struct body *to = back ? body_taken(l, k)
					       : body_called(l, k);
			if (to == NULL)
				return link_bad(l, "call to nowhere");
			take(l, to);
		}
	}
	return 0;
}

/* ---- the image ----------------------------------------------------------- */

static int
place_all(struct linker *l)
{
	uint32_t pos = 0;

	l->unitpos = calloc(l->u->fns.n + 1, sizeof(*l->unitpos));
	if (l->unitpos == NULL)
		return err_nomem(l->e);
	for (size_t i = 0; i < l->u->fns.n; i++) {
		l->unitpos[i] = pos;
		pos += (uint32_t)l->u->fns.v[i]->em.code.n;
	}
	for (uint32_t i = 0; i < l->norder; i++) {
		l->bodies[l->order[i]].pos = pos;
		pos += l->bodies[l->order[i]].n;
	}
	return 0;
}

static bool
copy_unit(struct linker *l)
{
	for (size_t i = 0; i < l->u->fns.n; i++) {
		const struct em *em = &l->u->fns.v[i]->em;
		uint32_t base = (uint32_t)l->img->code.n;
		for (size_t k = 0; k < em->code.n; k++)
			if (!vec_push(&l->img->code, em->code.v[k]))
				return false;
		for (size_t k = 0; k < em->ref.n; k++) {
			uint32_t at = base + em->ref.v[k].at;
			int to = unit_index(l->u, em->ref.v[k].fn);
			uint32_t pos =
				to >= 0 ? l->unitpos[to]
					: body_by_name(l, em->ref.v[k].fn)->pos;
			l->img->code.v[at].imm = (int32_t)(pos - at - 1);
		}
	}
	return true;
}

/* A wide load of the address of something outside the functions. */
static int
bind_data(struct linker *l, uint32_t insn, struct bpf_insn *in,
	  struct bpf_insn *next)
{
	const struct engine *eng = l->eng;
	GElf_Sym sym;
	unsigned type;

	if (!reloc_at(l, insn, &sym, &type))
		return 0; /* a plain constant */
	if (is_callback(l, insn)) {
		in->src_reg = BPF_PSEUDO_FUNC;
		in->imm = (int32_t)body_taken(l, insn)->pos -
			  (int32_t)l->img->code.n - 1;
		return 0;
	}
	const char *name = elf_strptr(l->elf, l->strndx, sym.st_name);
	if (name == NULL || type != RELOC_64_64)
		return link_bad(l, "relocation");
	if (strcmp(name, "rt_conf") == 0) {
		next->imm = in->imm;
		in->src_reg = BPF_PSEUDO_MAP_VALUE;
		in->imm = eng->conf.fd;
		return 0;
	}
	const struct {
		const char *name;
		int fd;
	} maps[] = {
		{ "rt_map_agg", eng->agg.fd },
		{ "rt_map_ctl", eng->ctl.fd },
		{ "rt_map_unwpool", eng->unw.pool.fd },
		{ "rt_map_unwlist", eng->unw.list.fd },
		{ "rt_map_unwproc", eng->unw.procs.fd },
		{ "rt_map_unwwant", eng->unw.wants.fd },
		{ "rt_map_unwpy", eng->unw.py.fd },
		{ "rt_map_unwowed", eng->unw.owed.fd },
	};
	in->src_reg = BPF_PSEUDO_MAP_FD;
	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++)
		if (strcmp(name, maps[i].name) == 0) {
			in->imm = maps[i].fd;
			return 0;
		}
	return link_bad(l, name);
}

static int
copy_body(struct linker *l, const struct body *b)
{
	for (uint32_t k = 0; k < b->n; k++) {
		struct bpf_insn in = l->text[b->start + k], next;
		bool wide = in.code == (BPF_LD | BPF_DW | BPF_IMM);
		if (is_call(&in))
			in.imm = (int32_t)(body_called(l, b->start + k)->pos -
					   (b->pos + k) - 1);
		if (wide) {
			if (k + 1 >= b->n)
				return link_bad(l, "cut instruction");
			next = l->text[b->start + k + 1];
			if (bind_data(l, b->start + k, &in, &next) != 0)
				return -1;
		}
		if (!vec_push(&l->img->code, in))
			return err_nomem(l->e);
		if (wide) {
			k++;
			if (!vec_push(&l->img->code, next))
				return err_nomem(l->e);
		}
	}
	return 0;
}

/* ---- types --------------------------------------------------------------- */

struct types {
	struct btf *b;
	int u64, rt_ptr;
};

static int
types_start(struct types *t, uint32_t size)
{
	int rt;

	t->b = btf__new_empty();
	if (t->b == NULL)
		return -1;
	t->u64 = btf__add_int(t->b, "uint64_t", 8, 0);
	rt = btf__add_struct(t->b, "rt", size);
	t->rt_ptr = btf__add_ptr(t->b, rt);
	return t->u64 > 0 && rt > 0 && t->rt_ptr > 0 ? 0 : -1;
}

/* A function with the parameters that the object says it has; its id. */
static int
types_body(struct types *t, struct linker *l, const struct body *b)
{
	int id = btf__find_by_name_kind(l->objbtf, b->name, BTF_KIND_FUNC);
	const struct btf_type *f, *p;
	int proto;

	f = id > 0 ? btf__type_by_id(l->objbtf, (uint32_t)id) : NULL;
	p = f != NULL ? btf__type_by_id(l->objbtf, f->type) : NULL;
	if (p == NULL || !btf_is_func_proto(p))
		return -1;
	proto = btf__add_func_proto(t->b, t->u64);
	if (proto < 0)
		return -1;
	for (unsigned i = 0; i < btf_vlen(p); i++) {
		const struct btf_type *pt =
			btf__type_by_id(l->objbtf, btf_params(p)[i].type);
		char name[8];
		snprintf(name, sizeof(name), "a%u", i);
		if (btf__add_func_param(t->b, name,
					pt != NULL && btf_is_ptr(pt)
						? t->rt_ptr
						: t->u64) != 0)
			return -1;
	}
	return btf__add_func(t->b, b->name,
			     b->global ? BTF_FUNC_GLOBAL : BTF_FUNC_STATIC,
			     proto);
}

/* A static function needs no parameters. */
static int
types_unit(struct types *t, const struct bpf_fn *fn)
{
	int proto = btf__add_func_proto(t->b, t->u64);

	for (int i = 0; i < fn->nargs && proto >= 0; i++) {
		char name[16];
		snprintf(name, sizeof(name), "a%d", i);
		if (btf__add_func_param(t->b, name, t->u64) != 0)
			return -1;
	}
	return proto < 0 ? -1
			 : btf__add_func(t->b, fn->name,
					 fn->nargs >= 0 ? BTF_FUNC_GLOBAL
							: BTF_FUNC_STATIC,
					 proto);
}

static bool
add_func(struct linker *l, uint32_t pos, int type, const char *name)
{
	struct bpf_func_info fi = { .insn_off = pos,
				    .type_id = (uint32_t)type };

	return type >= 0 && vec_push(&l->img->funcs, fi) &&
	       vec_push(&l->img->fnname, name);
}

static int
types_all(struct linker *l, struct types *t)
{
	bool ok = types_start(t, l->eng->areas->size) == 0;

	for (size_t i = 0; ok && i < l->u->fns.n; i++)
		ok = add_func(l, l->unitpos[i], types_unit(t, l->u->fns.v[i]),
			      l->u->fns.v[i]->name);
	for (uint32_t i = 0; ok && i < l->norder; i++) {
		const struct body *b = &l->bodies[l->order[i]];
		ok = add_func(l, b->pos, types_body(t, l, b), b->name);
	}
	/* The object is whole, as the tests show: memory is wanting. */
	return ok ? 0 : err_nomem(l->e);
}

static int
types_load(struct linker *l)
{
	struct types t = { 0 };
	char log[1024] = "";
	const void *raw;
	uint32_t size;
	int rc = types_all(l, &t);

	if (rc == 0) {
		raw = btf__raw_data(t.b, &size);
		l->img->btf_fd =
			raw == NULL ? -1 : sys_btf_load(raw, size, NULL, 0);
		if (l->img->btf_fd < 0) {
			int sys = errno;
			if (!err_short(sys))
				sys_btf_load(raw, size, log, sizeof(log));
			rc = err_set(l->e, &ERR_GENERIC, sys,
				     "cannot load types into the kernel%s%s",
				     log[0] ? ": " : "", log);
		}
	}
	btf__free(t.b);
	return rc;
}

static int
link_run(struct linker *l)
{
	if (obj_open(l) != 0 || drop_uncalled(l) != 0 ||
	    link_take_all(l) != 0 || place_all(l) != 0)
		return -1;
	if (!copy_unit(l))
		return err_nomem(l->e);
	for (uint32_t i = 0; i < l->norder; i++)
		if (copy_body(l, &l->bodies[l->order[i]]) != 0)
			return -1;
	return types_load(l);
}

int
bpf_link_image(struct engine *eng, struct bpf_unit *u, struct bpf_image *img,
	       struct err *e)
{
	struct linker l = { .eng = eng, .u = u, .img = img, .e = e };
	int rc;

	*img = (struct bpf_image){ .btf_fd = -1 };
	rc = link_run(&l);
	/* Names of bodies outlive the reader: they lie in the object. */
	btf__free(l.objbtf);
	elf_end(l.elf);
	free(l.bodies);
	free(l.order);
	free(l.unitpos);
	return rc;
}
