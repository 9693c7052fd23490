/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_lookup.c - what consumers may ask of the kernel: symbols, types, modules.
 *
 * Symbols are those of /proc/kallsyms, types those of BTF, modules those of
 * /proc/modules; each is read when first asked for.  A handle of
 * dtrace_vopen() asks its vector for symbols instead.
 */
#include "lib/dt_impl.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define VMLINUX "vmlinux"

/* ---- addresses as text ------------------------------------------------- */

static int
str_out(struct buf *b, char *buf, int len)
{
	int n = snprintf(buf, len < 0 ? 0 : (size_t)len, "%s", buf_str(b));

	buf_fini(b);
	return n;
}

bool
dt_ksym(dtrace_hdl_t *dtp, uint64_t addr, const char **mod, const char **name,
	uint64_t *off)
{
	Elf64_Sym sym = { 0 };
	dtrace_syminfo_t si = { 0 };

	if (dtp->vector.dtv_lookup_by_addr == NULL)
		return !(dtp->flags & DTRACE_O_NOSYS) &&
		       ksym_by_addr(dtp->env.procs, addr, mod, name, off);
	if (dtp->vector.dtv_lookup_by_addr(dtp->vector_arg, addr, &sym, &si) !=
		    0 || si.dts_object == NULL || si.dts_name == NULL)
		return false;
	*mod = si.dts_object;
	*name = si.dts_name;
	*off = addr - sym.st_value;
	return true;
}

int
dtrace_addr2str(dtrace_hdl_t *dtp, uint64_t addr, char *buf, int len)
{
	const char *mod, *name;
	struct buf b = BUF_INIT;
	uint64_t off;

	if (!dt_ksym(dtp, addr, &mod, &name, &off))
		buf_printf(&b, "0x%" PRIx64, addr);
	else if (off == 0)
		buf_printf(&b, "%s`%s", mod, name);
	else
		buf_printf(&b, "%s`%s+0x%" PRIx64, mod, name, off);
	return str_out(&b, buf, len);
}

int
dtrace_uaddr2str(dtrace_hdl_t *dtp, pid_t pid, uint64_t addr, char *buf,
		 int len)
{
	struct buf b = BUF_INIT;

	dt_uaddr_text(dtp, pid, addr, &b);
	return str_out(&b, buf, len);
}

/* ---- symbols ----------------------------------------------------------- */

/* What a handle that knows the kernel's symbols says of one at addr. */
static void
sym_fill(dtrace_hdl_t *dtp, uint64_t addr, Elf64_Sym *symp)
{
	char kind = '?';
	uint64_t size = 0;

	(void)ksym_at(dtp->env.procs, addr, &kind, &size);
	bool func = tolower((unsigned char)kind) == 't' ||
		    tolower((unsigned char)kind) == 'w';
	bool global = isupper((unsigned char)kind);
	*symp = (Elf64_Sym){
		.st_value = addr, .st_size = size,
		.st_info = ELF64_ST_INFO(global ? STB_GLOBAL : STB_LOCAL,
					 func ? STT_FUNC : STT_OBJECT),
		.st_shndx = SHN_ABS,
	};
}

/* A module's name, or NULL for the constants that mean any. */
static const char *
object_name(const char *object)
{
	return object == DTRACE_OBJ_EVERY || object == DTRACE_OBJ_KMODS ?
		       NULL : object;
}

int
dtrace_lookup_by_name(dtrace_hdl_t *dtp, const char *object, const char *name,
		      Elf64_Sym *symp, dtrace_syminfo_t *sip)
{
	dtrace_syminfo_t si = { 0 };
	uint64_t addr, off;

	if ((dtp->flags & DTRACE_O_NOSYS) ||
	    ksym_by_name(dtp->env.procs, object_name(object), name, &addr) !=
		    0) {
		const char *why = dtp->flags & DTRACE_O_NOSYS ?
					  NULL : ksym_why(dtp->env.procs);

		return dt_set_err(dtp, EDT_NOSYM,
				  "no kernel symbol named %s%s%s", name,
				  why != NULL ? ": " : "",
				  why != NULL ? why : "");
	}
	if (symp != NULL)
		sym_fill(dtp, addr, symp);
	if (sip == NULL)
		return 0;
	/* Several symbols may begin there: keep the name that was asked for. */
	if (!ksym_by_addr(dtp->env.procs, addr, &si.dts_object, &si.dts_name,
			  &off))
		return dt_nomem(dtp);
	si.dts_name = arena_strdup(dtp->arena, name);
	if (si.dts_name == NULL)
		return dt_nomem(dtp);
	*sip = si;
	return 0;
}

int
dtrace_lookup_by_addr(dtrace_hdl_t *dtp, uint64_t addr, Elf64_Sym *symp,
		      dtrace_syminfo_t *sip)
{
	const char *mod, *name;
	Elf64_Sym sym = { 0 };
	uint64_t off;

	if (!dt_ksym(dtp, addr, &mod, &name, &off))
		return dt_set_err(dtp, EDT_NOSYMADDR,
				  "no kernel symbol at 0x%" PRIx64, addr);
	if (dtp->vector.dtv_lookup_by_addr != NULL)
		(void)dtp->vector.dtv_lookup_by_addr(dtp->vector_arg, addr,
						     &sym, NULL);
	else if (symp != NULL)
		sym_fill(dtp, addr - off, &sym);
	if (symp != NULL)
		*symp = sym;
	if (sip != NULL)
		*sip = (dtrace_syminfo_t){ .dts_object = mod,
					   .dts_name = name };
	return 0;
}

void
dtrace_update(dtrace_hdl_t *dtp)
{
	ksym_refresh(dtp->env.procs);
}

int
dtrace_ctlfd(dtrace_hdl_t *dtp)
{
	return -1;
}

/* ---- types ------------------------------------------------------------- */

static int
type_found(dtrace_hdl_t *dtp, size_t failed, const char *object,
	   const char *name, struct type *t, dtrace_typeinfo_t *tip)
{
	struct type *whole = t != NULL ? type_complete(dtp->types, t) : NULL;

	if (type_space_failures(dtp->types) != failed)
		return dt_nomem(dtp);
	if (whole == NULL || type_resolve(whole)->kind == TYPE_FWD)
		return dt_set_err(dtp, EDT_NOTYPE, "no type named %s", name);
	*tip = (dtrace_typeinfo_t){ .dtt_object = object, .dtt_type = whole };
	return 0;
}

int
dtrace_lookup_by_type(dtrace_hdl_t *dtp, const char *object, const char *name,
		      dtrace_typeinfo_t *tip)
{
	size_t failed = type_space_failures(dtp->types);

	object = object_name(object);
	return type_found(dtp, failed, object, name,
			  type_lookup(dtp->types, object, name), tip);
}

int
dtrace_type_strcompile(dtrace_hdl_t *dtp, const char *text,
		       dtrace_typeinfo_t *tip)
{
	size_t failed = type_space_failures(dtp->types);

	return type_found(dtp, failed, NULL, text,
			  type_from_text(dtp->types, text, false), tip);
}

int
dtrace_symbol_type(dtrace_hdl_t *dtp, const Elf64_Sym *symp,
		   const dtrace_syminfo_t *sip, dtrace_typeinfo_t *tip)
{
	size_t failed = type_space_failures(dtp->types);
	struct type *t;

	if (ELF64_ST_TYPE(symp->st_info) == STT_FUNC)
		t = type_kernel_func(dtp->types, sip->dts_object,
				     sip->dts_name);
	else
		t = type_kernel_var(dtp->types, sip->dts_object, sip->dts_name);
	if (t == NULL && type_space_failures(dtp->types) != failed)
		return dt_nomem(dtp);
	if (t == NULL)
		return dt_set_err(dtp, EDT_NOTYPE,
				  "the kernel does not say the type of %s`%s",
				  sip->dts_object, sip->dts_name);
	return type_found(dtp, failed, sip->dts_object, sip->dts_name, t, tip);
}

int
dtrace_type_name(dtrace_hdl_t *dtp, const dtrace_typeinfo_t *tip, char *buf,
		 size_t len)
{
	struct buf b = BUF_INIT;

	type_name(tip->dtt_type, &b);
	int n = snprintf(buf, len, "%s", buf_str(&b));
	buf_fini(&b);
	return n;
}

uint64_t
dtrace_type_size(dtrace_hdl_t *dtp, const dtrace_typeinfo_t *tip)
{
	return type_size(tip->dtt_type);
}

/* ---- modules ----------------------------------------------------------- */

struct object {
	dtrace_objinfo_t info;
	char name[64], file[100];
};

static void
object_init(struct object *o, const char *name, unsigned flags)
{
	snprintf(o->name, sizeof(o->name), "%s", name);
	snprintf(o->file, sizeof(o->file), "/sys/kernel/btf/%s", o->name);
	o->info = (dtrace_objinfo_t){ .dto_name = o->name, .dto_file = o->file,
				      .dto_flags = flags |
						   DTRACE_OBJ_F_KERNEL };
}

/* The span between two symbols of the core kernel; zeros if it hides them. */
static void
object_span(dtrace_hdl_t *dtp, const char *from, const char *to, uint64_t *va,
	    uint64_t *size)
{
	uint64_t a, b;

	if (ksym_by_name(dtp->env.procs, VMLINUX, from, &a) != 0 ||
	    ksym_by_name(dtp->env.procs, VMLINUX, to, &b) != 0 || b < a)
		return;
	*va = a;
	*size = b - a;
}

static void
object_vmlinux(dtrace_hdl_t *dtp, struct object *o)
{
	dtrace_objinfo_t *i = &o->info;

	object_init(o, VMLINUX, DTRACE_OBJ_F_PRIMARY);
	object_span(dtp, "_stext", "_etext", &i->dto_text_va,
		    &i->dto_text_size);
	object_span(dtp, "_sdata", "_edata", &i->dto_data_va,
		    &i->dto_data_size);
	object_span(dtp, "__bss_start", "__bss_stop", &i->dto_bss_va,
		    &i->dto_bss_size);
}

/* A line of /proc/modules: name, size, users, their names, state, address. */
static bool
object_parse(const char *line, struct object *o)
{
	char name[64];
	unsigned long long size, addr = 0;

	if (sscanf(line, "%63s %llu %*s %*s %*s %llx", name, &size, &addr) < 2)
		return false;
	object_init(o, name, 0);
	o->info.dto_text_va = addr;
	o->info.dto_text_size = size;
	return true;
}

int
dtrace_object_iter(dtrace_hdl_t *dtp, dtrace_obj_f *func, void *arg)
{
	char line[4096];
	struct object o;
	int rv;

	if (dtp->flags & DTRACE_O_NOSYS)
		return 0;
	object_vmlinux(dtp, &o);
	rv = func(dtp, &o.info, arg);
	/* A kernel without modules has no such file. */
	FILE *fp = rv == 0 ? fopen("/proc/modules", "re") : NULL;
	while (rv == 0 && fp != NULL && fgets(line, sizeof(line), fp) != NULL)
		if (object_parse(line, &o))
			rv = func(dtp, &o.info, arg);
	if (fp != NULL)
		fclose(fp);
	return rv;
}

struct wanted {
	const char *name;
	dtrace_objinfo_t *out;
};

static int
object_wanted(dtrace_hdl_t *dtp, const dtrace_objinfo_t *dto, void *arg)
{
	struct wanted *w = arg;

	if (strcmp(dto->dto_name, w->name) != 0)
		return 0;
	*w->out = *dto;
	/* The names are the walk's. */
	w->out->dto_name = arena_strdup(dtp->arena, dto->dto_name);
	w->out->dto_file = arena_strdup(dtp->arena, dto->dto_file);
	if (w->out->dto_name == NULL || w->out->dto_file == NULL)
		return dt_nomem(dtp);
	return 1;
}

int
dtrace_object_info(dtrace_hdl_t *dtp, const char *object, dtrace_objinfo_t *dto)
{
	const char *name = object_name(object);
	struct wanted w = { name, dto };
	int rv = name != NULL ? dtrace_object_iter(dtp, object_wanted, &w) : 0;

	if (rv == 0)
		return dt_set_err(dtp, EDT_NOMOD, "no kernel module named %s",
				  name != NULL ? name : "like all of them");
	return rv < 0 ? -1 : 0;
}
