/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_open.c - making and ending a handle, and the world as the compiler sees
 * it through struct lang_host.
 *
 * Opening is cheap: types are read when a program names one, kernel symbols
 * when one is printed or named, and probes are made when they are asked for.
 */
#include "lib/dt_impl.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/bpf/bpf_pidns.h"
#include "elf/dw.h"
#include "lib/dt_demangle.h"
#include "lib/dt_lang.h"
#include "prov/prov.h"

const char _dtrace_version[] = "DTrace for Linux D " DT_D_VERSION_TEXT;

static int
host_probe_info(void *arg, const struct dif_pdesc *pd,
		struct lang_probe_info *out, struct err *e)
{
	return dt_probe_types(arg, pd, out, e);
}

static int
host_probe_args(void *arg, const struct dif_pdesc *pd,
		struct lang_probe_info *out, struct err *e)
{
	return dt_probe_args(arg, pd, out, e);
}

static struct type *
host_user_type(void *arg, const struct dif_pdesc *pds, uint32_t npds,
	       const char *module, const char *name, const char **why)
{
	return dt_user_type(arg, pds, npds, module, name, why);
}

static int
host_user_var(void *arg, const struct dif_pdesc *pds, uint32_t npds,
	      const char *module, const char *name, uint64_t *addr,
	      struct type **type, const char **why)
{
	return dt_user_var(arg, pds, npds, module, name, addr, type, why);
}

static int
host_ksym(void *arg, const char *module, const char *name, uint64_t *addr)
{
	dtrace_hdl_t *dtp = arg;

	if (dtp->flags & DTRACE_O_NOSYS)
		return -1;
	return ksym_by_name(dtp->env.procs, module, name, addr);
}

static const char *
host_ksym_hint(void *arg, const char *module, const char *name)
{
	dtrace_hdl_t *dtp = arg;

	return dtp->dlib.trying ? "" : dt_near_symbol(dtp, module, name);
}

static int
host_setopt(void *arg, const char *name, const char *val, struct err *e)
{
	dtrace_hdl_t *dtp = arg;

	if (dt_opt_set(dtp, name, val, true) == 0)
		return 0;
	return err_set(e, &ERR_GENERIC, 0, "%s",
		       dtrace_errmsg(dtp, dtp->errnum));
}

static bool
host_macro(void *arg, const char *name, int64_t *val)
{
	dtrace_hdl_t *dtp = arg;

	/* Without -c and -p it is 0, which is no process's. */
	if (strcmp(name, "target") == 0) {
		dtp->target_asked = true;
		*val = dtp->target;
		return true;
	}
	return dt_macro(dtp, name, val);
}

static int
open_rooms(dtrace_hdl_t *dtp)
{
	struct err *e = &dtp->err;

	dtp->types = type_space_base(e);
	if (dtp->types == NULL)
		return -1;
	if (!(dtp->flags & DTRACE_O_NOSYS) &&
	    type_space_use_kernel(dtp->types, NULL) != 0)
		return err_nomem(e);
	dtp->env.types = dtp->types;
	dtp->env.procs = proc_set_new(e);
	if (dtp->env.procs == NULL)
		return -1;
	dtp->probes = probe_set_new(&dtp->env, e);
	if (dtp->probes == NULL || prov_register_all(dtp->probes, e) != 0 ||
	    probe_make_usual(dtp->probes, e) != 0)
		return -1;
	const struct lang_host host = {
		.arg = dtp,
		.probe_info = host_probe_info,
		.probe_args = host_probe_args,
		.user_type = host_user_type,
		.user_var = host_user_var,
		.ksym = host_ksym,
		.ksym_hint = host_ksym_hint,
		.setopt = host_setopt,
		.depends = dt_dlib_depends,
		.macro = host_macro,
		.engines = DIF_ENG_K | DIF_ENG_P, /* placement decides */
		.types = dtp->types,
	};
	dtp->lang = lang_new(&host, e);
	return dtp->lang == NULL ? -1 : 0;
}

/* ---- what printing asks ------------------------------------------------ */

static void
syms_kaddr(void *arg, uint64_t addr, enum dt_sym_what what, struct buf *out)
{
	dtrace_hdl_t *dtp = arg;
	const char *mod, *name;
	uint64_t off;

	if (!dt_ksym(dtp, addr, &mod, &name, &off))
		return;
	if (what == DT_SYM_CALL && off == 0 &&
	    dt_ksym(dtp, addr - 1, &mod, &name, &off))
		off++;
	buf_puts(out, mod);
	if (what == DT_SYM_MOD)
		return;
	buf_printf(out, "`%s", name);
	if ((what == DT_SYM_OFF || what == DT_SYM_CALL) && off != 0)
		buf_printf(out, "+0x%llx", (unsigned long long)off);
}

/* The object and the place in it; nothing looks for a symbol. */
static void
syms_place(dtrace_hdl_t *dtp, pid_t pid, uint64_t addr, enum dt_sym_what what,
	   struct buf *out)
{
	const char *obj;
	uint64_t place;

	if (!proc_addr_place(dtp->env.procs, pid, addr, &obj, &place))
		return;
	buf_puts(out, obj);
	if (what != DT_SYM_MOD)
		buf_printf(out, ":0x%llx", (unsigned long long)place);
}

static void
syms_name(const dtrace_hdl_t *dtp, const char *sym, struct buf *out)
{
	if (dt_opt_on(dtp, DT_OPT_demangle))
		dt_demangle(sym, out);
	else
		buf_puts(out, sym);
}

/* A call of what does not return may be the last of its function: then what it
   would return to is the first of another, or of none. */
static void
syms_call(dtrace_hdl_t *dtp, pid_t pid, uint64_t addr, const char **obj,
	  const char **sym, uint64_t *off)
{
	const char *o = NULL, *s = NULL;
	uint64_t n;

	(void)proc_addr_lookup(dtp->env.procs, pid, addr - 1, &o, &s, &n);
	if (s == NULL)
		return;
	*obj = o;
	*sym = s;
	*off = n + 1;
}

static void
syms_text(dtrace_hdl_t *dtp, pid_t pid, uint64_t addr, bool call,
	  struct buf *out)
{
	const char *obj = NULL, *sym = NULL;
	uint64_t off = 0;

	if (dt_lang_text(dtp, pid, addr, DT_LANG_LINE, out))
		return;
	if (dt_lang_made(dtp, pid, addr, DT_LANG_LINE, out))
		return;
	(void)proc_addr_lookup(dtp->env.procs, pid, addr, &obj, &sym, &off);
	if (call && (sym == NULL || off == 0))
		syms_call(dtp, pid, addr, &obj, &sym, &off);
	if (sym == NULL) {
		proc_addr_text(dtp->env.procs, pid, addr, out);
		return;
	}
	buf_printf(out, "%s`", obj);
	syms_name(dtp, sym, out);
	if (off != 0)
		buf_printf(out, "+0x%llx", (unsigned long long)off);
}

void
dt_uaddr_text(dtrace_hdl_t *dtp, pid_t pid, uint64_t addr, struct buf *out)
{
	size_t before = out->n;

	syms_text(dtp, pid, addr, false, out);
	dt_sym_plain(out, before);
}

static void
syms_uaddr(void *arg, pid_t pid, uint64_t addr, enum dt_sym_what what,
	   struct buf *out)
{
	dtrace_hdl_t *dtp = arg;
	const char *obj, *sym;
	uint64_t off;

	enum dt_lang_what lang = what == DT_SYM_MOD  ? DT_LANG_MOD :
				 what == DT_SYM_NAME ? DT_LANG_NAME :
						       DT_LANG_LINE;

	if (dt_lang_text(dtp, pid, addr, lang, out))
		return;
	if (what == DT_SYM_PLACE || dt_opt_on(dtp, DT_OPT_noresolve)) {
		syms_place(dtp, pid, addr, what, out);
		return;
	}
	if (what == DT_SYM_OFF || what == DT_SYM_CALL) {
		syms_text(dtp, pid, addr, what == DT_SYM_CALL, out);
		return;
	}
	if (dt_lang_made(dtp, pid, addr, lang, out) ||
	    !proc_addr_lookup(dtp->env.procs, pid, addr, &obj, &sym, &off) ||
	    obj == NULL)
		return;
	buf_puts(out, obj);
	if (what == DT_SYM_MOD)
		return;
	buf_putc(out, '`');
	if (sym != NULL)
		syms_name(dtp, sym, out);
	else
		buf_printf(out, "0x%llx", (unsigned long long)addr);
}

#define INLINED_MAX 16

/*
 * With ustacklines, behind each frame its place in the source.  A pc that is
 * returned to belongs to the call before it.
 */
static void
syms_uframe(void *arg, pid_t pid, uint64_t pc, bool first, int indent,
	    struct buf *out)
{
	dtrace_hdl_t *dtp = arg;
	struct dw_line v[INLINED_MAX];
	struct elf_file *f = NULL;
	struct type_prog *tp = NULL;
	struct dw *d = NULL;
	uint64_t place = 0;
	size_t n = 0, behind;

	if (dt_opt_on(dtp, DT_OPT_ustacklines))
		f = proc_addr_elf(dtp->env.procs, pid, pc, &place);
	if (f != NULL)
		tp = type_prog(dtp->types, f);
	if (tp != NULL)
		d = type_prog_dw(tp);
	if (d != NULL)
		n = dw_lines(d, place - !first, v, INLINED_MAX);
	for (size_t i = 0; i + 1 < n; i++) {
		size_t before = out->n;

		syms_name(dtp, v[i].func, out);
		buf_printf(out, " [inlined] (%s:%d)", v[i].file, v[i].line);
		dt_sym_plain(out, before);
		buf_printf(out, "\n%*s", indent, "");
	}
	dt_sym_uaddr(&dtp->out->syms, pid, pc,
		     first ? DT_SYM_OFF : DT_SYM_CALL, out);
	behind = out->n;
	if (n != 0)
		buf_printf(out, " (%s:%d)", v[n - 1].file, v[n - 1].line);
	if (dt_opt_on(dtp, DT_OPT_ustacklines))
		(void)dt_lang_text(dtp, pid, pc, DT_LANG_SOURCE, out);
	dt_sym_plain(out, behind);
}

static uint64_t
syms_frame_key(void *arg, pid_t pid, uint64_t pc)
{
	return dt_lang_key(arg, pid, pc);
}

static const char *
syms_probe_name(void *arg, uint32_t id, uint32_t part)
{
	dtrace_hdl_t *dtp = arg;
	const struct probe *p;

	if (DIF_EVERY_OF(id) != 0)
		return dt_every_name(dtp, id);
	p = probe_by_id(dtp->probes, id);
	if (p == NULL)
		return NULL;
	switch (part) {
	case DIF_VAR_probeprov:
		return p->prov;
	case DIF_VAR_probemod:
		return p->mod;
	case DIF_VAR_probefunc:
		return p->func;
	default:
		return p->name;
	}
}

static void
syms_pid_seen(void *arg, pid_t pid)
{
	dtrace_hdl_t *dtp = arg;

	struct proc *p = proc_lookup(dtp->env.procs, pid);

	if (p != NULL)
		proc_jit_seen(p);
}

static int
dt_open_output(dtrace_hdl_t *dtp)
{
	dtp->out = calloc(1, sizeof(*dtp->out));
	if (dtp->out == NULL || dt_out_init(dtp->out, &dtp->err) != 0)
		return -1;
	dtp->out->syms = (struct dt_syms){ .arg = dtp,
					   .kaddr = syms_kaddr,
					   .uaddr = syms_uaddr,
					   .uframe = syms_uframe,
					   .frame_key = syms_frame_key,
					   .probe_name = syms_probe_name,
					   .pid_seen = syms_pid_seen };
	return 0;
}

#define OPEN_FLAGS \
	(DTRACE_O_NODEV | DTRACE_O_NOSYS | DTRACE_O_LP64 | DTRACE_O_ILP32)

static dtrace_hdl_t *
open_fail(int *errp, int edt)
{
	if (errp != NULL)
		*errp = edt;
	return NULL;
}

dtrace_hdl_t *
dtrace_open(int version, int flags, int *errp)
{
	if (version > DTRACE_VERSION || version < 1)
		return open_fail(errp, version < 1 ? EDT_VERSINVAL :
						     EDT_VERSION);
	if (flags & ~OPEN_FLAGS)
		return open_fail(errp, EDT_UNSUP);
	if (flags & DTRACE_O_ILP32)
		return open_fail(errp, EDT_BADMODEL);
	dtrace_hdl_t *dtp = calloc(1, sizeof(*dtp));
	if (dtp == NULL || (dtp->arena = arena_new()) == NULL) {
		free(dtp);
		return open_fail(errp, EDT_NOMEM);
	}
	dtp->flags = flags;
	dtp->freopen_fd = -1;
	dtp->progs_tail = &dtp->progs;
	dtp->procs_tail = &dtp->procs;
	dtp->pid_space = bpf_pidns_own(&dtp->pid_level);
	dt_opt_init(dtp);
	if (open_rooms(dtp) != 0 ||
	    dt_open_output(dtp) != 0) {
		dtrace_close(dtp);
		return open_fail(errp, EDT_NOMEM);
	}
	if (dt_opt_environ(dtp) != 0) {
		int edt = dtp->errnum;
		dtrace_close(dtp);
		return open_fail(errp, edt);
	}
	return dtp;
}

dtrace_hdl_t *
dtrace_vopen(int version, int flags, int *errp, const dtrace_vector_t *vector,
	     void *arg)
{
	if (vector == NULL)
		return dtrace_open(version, flags, errp);
	if (vector->dtv_ioctl != NULL)
		return open_fail(errp, EDT_UNSUP);
	dtrace_hdl_t *dtp = dtrace_open(
		version, flags | DTRACE_O_NODEV | DTRACE_O_NOSYS, errp);
	if (dtp != NULL) {
		dtp->vector = *vector;
		dtp->vector_arg = arg;
	}
	return dtp;
}

static void
close_progs(dtrace_hdl_t *dtp)
{
	for (struct dtrace_prog *p = dtp->progs, *next; p != NULL; p = next) {
		next = p->next;
		dif_prog_free(p->dif);
		free(p);
	}
}

static void
close_procs(dtrace_hdl_t *dtp)
{
	for (struct ps_prochandle *p = dtp->procs, *next; p != NULL; p = next) {
		next = p->next;
		proc_kill(p->target.proc);
		free(p);
	}
	proc_set_free(dtp->env.procs);
}

void
dtrace_close(dtrace_hdl_t *dtp)
{
	if (dtp == NULL)
		return;
	dt_run_free(dtp);
	dt_json_free(dtp);
	dt_aggs_free(dtp->aggs);
	if (dtp->out != NULL)
		dt_out_fini(dtp->out);
	free(dtp->out);
	close_progs(dtp);
	dt_show_fini(dtp);
	dt_dlib_fini(dtp);
	if (dtp->lang != NULL)
		lang_free(dtp->lang);
	if (dtp->probes != NULL)
		probe_set_free(dtp->probes);
	if (dtp->env.procs != NULL)
		close_procs(dtp);
	if (dtp->types != NULL)
		type_space_free(dtp->types);
	for (size_t i = 0; i < dtp->cppargs.n; i++)
		free(dtp->cppargs.v[i]);
	vec_fini(&dtp->cppargs);
	for (size_t i = 0; i < dtp->env_ops.n; i++)
		free(dtp->env_ops.v[i]);
	vec_fini(&dtp->env_ops);
	vec_fini(&dtp->clauses);
	vec_fini(&dtp->enabs);
	dt_every_fini(dtp);
	vec_fini(&dtp->made);
	if (dtp->freopen_fd >= 0)
		close(dtp->freopen_fd);
	buf_fini(&dtp->errtext);
	dt_errplace_clear(dtp);
	buf_fini(&dtp->outbuf);
	buf_fini(&dtp->report);
	vec_fini(&dtp->denied);
	arena_free(dtp->en_arena);
	arena_free(dtp->arena);
	free(dtp);
}
