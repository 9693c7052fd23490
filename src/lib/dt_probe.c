/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_probe.c - probe descriptions and probes, for consumers and for the
 * compiler's questions.
 */
#include "lib/dt_impl.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What has room of a name.  By hand: there may be a hundred thousand of
   them. */
static void
probe_desc_field(char *to, size_t room, const char *name)
{
	size_t n = strnlen(name, room - 1);

	memcpy(to, name, n);
	to[n] = '\0';
}

void
dt_probe_desc(const struct probe *p, dtrace_probedesc_t *out)
{
	*out = (dtrace_probedesc_t){ .dtpd_id = p->id };
	probe_desc_field(out->dtpd_provider, sizeof(out->dtpd_provider),
			 p->prov);
	probe_desc_field(out->dtpd_mod, sizeof(out->dtpd_mod), p->mod);
	probe_desc_field(out->dtpd_func, sizeof(out->dtpd_func), p->func);
	probe_desc_field(out->dtpd_name, sizeof(out->dtpd_name), p->name);
}

/* ---- types of arguments over all matches ------------------------------- */

struct types_walk {
	dtrace_hdl_t *dtp;
	struct lang_probe_info *out;
	struct prov *last_owner;
	struct err *e;
	bool dear; /* ask those whose types are dear, too */
	bool failed;
};

static bool
same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool
types_agree(const struct lang_probe_info *a, const struct probe_args *b)
{
	if (a->typed != b->typed || a->nargs != b->nargs ||
	    a->unread != b->unread)
		return false;
	for (uint32_t i = 0; i < b->nargs && i < DIF_NARGS; i++) {
		if (a->map[i] != b->map[i] ||
		    !same_text(a->xlate[i], b->xlate[i]))
			return false;
		if (a->args[i] == b->type[i])
			continue;
		if (a->args[i] == NULL || b->type[i] == NULL ||
		    !type_compat(a->args[i], b->type[i]))
			return false;
	}
	return true;
}

/* What the provider says of the probe's arguments. 0 / -1. */
static int
probe_types(const struct probe *p, struct probe_args *pa, struct err *e)
{
	const struct prov_ops *ops = p->owner->ops;
	const struct type_space *ts = p->owner->env->types;
	size_t failed = type_space_failures(ts);
	int rc;

	*pa = (struct probe_args){ 0 };
	for (unsigned i = 0; i < DIF_NARGS; i++)
		pa->map[i] = (uint8_t)i;
	rc = ops->args == NULL ? 0 : ops->args(p->owner, p, pa, e);
	if (type_space_failures(ts) == failed)
		return rc;
	err_clear(e);
	return err_nomem(e); /* what it says may lack something */
}

static int
types_visit(void *arg, struct probe *p)
{
	struct types_walk *w = arg;
	bool made = p->owner->ops->made != NULL;
	struct probe_args pa;

	w->out->made_some |= w->out->nmatch > 0 && made != w->out->made;
	w->out->made |= made;
	if (w->out->nmatch++ > 0 && w->out->mixed)
		return 0;
	if (p->owner->ops->args_late && !w->dear) {
		w->out->later = true;
		return 0;
	}
	if (probe_types(p, &pa, w->e) != 0) {
		w->failed = true;
		return 1;
	}
	if (w->out->nmatch == 1) {
		w->out->typed = pa.typed;
		w->out->nargs = pa.nargs;
		w->out->unread = pa.unread;
		w->out->why = pa.why;
		memcpy(w->out->args, pa.type, sizeof(pa.type));
		memcpy(w->out->xlate, pa.xlate, sizeof(pa.xlate));
		memcpy(w->out->map, pa.map, sizeof(pa.map));
	} else if (!types_agree(w->out, &pa)) {
		w->out->mixed = true;
	}
	return 0;
}

/* True if the process lacks what was named.  Another target may have it. */
static bool
probe_is_absent(const struct err *e)
{
	return e->tag == &D_PROC_FUNC || e->tag == &D_PROC_LIB ||
	       e->tag == &D_PROC_OFF || e->tag == &D_PROC_ALIGN;
}

bool
dt_probe_absent(dtrace_hdl_t *dtp, struct err *e)
{
	if (!dtp->zdefs || (e->tag != &D_PROC_FUNC && e->tag != &D_PROC_LIB))
		return false;
	err_clear(e);
	return true;
}

static int
types_find(dtrace_hdl_t *dtp, const struct dif_pdesc *pd, bool dear,
	   struct lang_probe_info *out, struct err *e)
{
	struct types_walk w = { .dtp = dtp, .out = out, .dear = dear, .e = e };

	*out = (struct lang_probe_info){ 0 };
	if (probe_match(dtp->probes, pd, types_visit, &w, e) < 0) {
		out->absent = probe_is_absent(e);
		return dt_probe_absent(dtp, e) ? 0 : -1;
	}
	if (out->nmatch == 0) /* what may come */
		out->made = probe_desc_made(dtp->probes, pd);
	if (out->nmatch == 0 && !dtp->zdefs && !dtp->dlib.trying)
		out->hint = dt_near_probe(dtp, pd);
	if (out->later) /* of some: all are asked then */
		out->typed = out->mixed = false;
	return w.failed ? -1 : 0;
}

int
dt_probe_types(dtrace_hdl_t *dtp, const struct dif_pdesc *pd,
	       struct lang_probe_info *out, struct err *e)
{
	return types_find(dtp, pd, false, out, e);
}

int
dt_probe_args(dtrace_hdl_t *dtp, const struct dif_pdesc *pd,
	      struct lang_probe_info *out, struct err *e)
{
	return types_find(dtp, pd, true, out, e);
}

/* ---- iteration ----------------------------------------------------------- */

struct iter_walk {
	dtrace_hdl_t *dtp;
	dtrace_probe_f *func;
	void *arg;
	int rv;
};

static int
iter_visit(void *arg, struct probe *p)
{
	struct iter_walk *w = arg;
	dtrace_probedesc_t d;

	dt_probe_desc(p, &d);
	w->rv = w->func(w->dtp, &d, w->arg);
	return w->rv;
}

static struct dif_pdesc
pdesc_of(const dtrace_probedesc_t *pdp)
{
	return (struct dif_pdesc){ .id = pdp->dtpd_id,
				   .prov = pdp->dtpd_provider,
				   .mod = pdp->dtpd_mod,
				   .func = pdp->dtpd_func,
				   .name = pdp->dtpd_name };
}

int
dtrace_probe_iter(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pdp,
		  dtrace_probe_f *func, void *arg)
{
	static const dtrace_probedesc_t all;
	struct dif_pdesc pd = pdesc_of(pdp != NULL ? pdp : &all);
	struct iter_walk w = { .dtp = dtp, .func = func, .arg = arg };

	err_clear(&dtp->err);
	probe_asks_new(dtp->probes);
	kfunc_only_names(dtp->env.procs);
	int n = probe_make_listed(dtp->probes, &pd, &dtp->err);
	if (n == 0)
		n = probe_match(dtp->probes, &pd, iter_visit, &w, &dtp->err);
	if (n < 0)
		return dt_fail(dtp, EDT_BADSPEC);
	if (n == 0) {
		const char *hint = dt_near_probe(dtp, &pd);

		return dt_set_err(dtp, EDT_NOPROBE, "%s%s",
				  dtrace_errmsg(NULL, EDT_NOPROBE),
				  hint != NULL ? hint : "");
	}
	return w.rv;
}

static int
first_visit(void *arg, struct probe *p)
{
	*(struct probe **)arg = p;
	return 1;
}

/* The first probe that matches, and its arguments; NULL: the error is set. */
static struct probe *
info_probe(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pdp,
	   struct probe_args *pa)
{
	struct dif_pdesc pd = pdesc_of(pdp);
	struct probe *p = NULL;

	err_clear(&dtp->err);
	if (probe_match(dtp->probes, &pd, first_visit, &p, &dtp->err) < 0) {
		dt_fail(dtp, EDT_BADSPEC);
		return NULL;
	}
	if (p == NULL) {
		dt_set_err(dtp, EDT_NOPROBE, "%s",
			   dtrace_errmsg(NULL, EDT_NOPROBE));
		return NULL;
	}
	if (probe_types(p, pa, &dtp->err) != 0) {
		dt_fail(dtp, EDT_BADSPEC);
		return NULL;
	}
	return p;
}

const char *
dtrace_probe_argname(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pdp,
		     unsigned n, char *buf, size_t len)
{
	struct probe_args pa;

	if (info_probe(dtp, pdp, &pa) == NULL || n >= DIF_NARGS ||
	    pa.name[n] == NULL || pa.name[n][0] == '\0')
		return NULL;
	snprintf(buf, len, "%s", pa.name[n]);
	return buf;
}

int
dtrace_probe_info(dtrace_hdl_t *dtp, const dtrace_probedesc_t *pdp,
		  dtrace_probeinfo_t *pip)
{
	struct probe_args pa;
	struct probe *p = info_probe(dtp, pdp, &pa);

	if (p == NULL)
		return -1;
	const struct prov_attr *attr = probe_attr(p);
	*pip = (dtrace_probeinfo_t){ .dtp_attr = dt_attr_probe(attr),
				     .dtp_arga = dt_attr_parse(attr->args),
				     .dtp_argc = (int)pa.nargs };
	_Static_assert(sizeof(pip->dtp_argv) / sizeof(*pip->dtp_argv) ==
			       DIF_NARGS, "a type for each argument");
	for (uint32_t i = 0; i < pa.nargs && i < DIF_NARGS; i++) {
		struct buf b = BUF_INIT;
		if (pa.xlate[i] != NULL)
			buf_puts(&b, pa.xlate[i]);
		else if (pa.type[i] != NULL)
			type_name(pa.type[i], &b);
		snprintf(pip->dtp_argv[i], sizeof(pip->dtp_argv[i]), "%s",
			 b.n > 0 ? buf_str(&b) : "uint64_t");
		buf_fini(&b);
	}
	return 0;
}

int
dtrace_id2desc(dtrace_hdl_t *dtp, dtrace_id_t id, dtrace_probedesc_t *pdp)
{
	struct probe *p = probe_by_id(dtp->probes, id);

	if (p == NULL)
		return dt_set_err(dtp, EDT_BADID, "%s",
				  dtrace_errmsg(NULL, EDT_BADID));
	dt_probe_desc(p, pdp);
	return 0;
}

/* ---- text ---------------------------------------------------------------- */

/* Fields that a description cannot hold would name something else. */
static int
desc_fill(dtrace_hdl_t *dtp, const struct dif_pdesc *pd,
	  dtrace_probedesc_t *out)
{
	const struct {
		const char *from;
		char *to;
		size_t size;
	} f[] = {
		{ pd->prov, out->dtpd_provider, sizeof(out->dtpd_provider) },
		{ pd->mod, out->dtpd_mod, sizeof(out->dtpd_mod) },
		{ pd->func, out->dtpd_func, sizeof(out->dtpd_func) },
		{ pd->name, out->dtpd_name, sizeof(out->dtpd_name) },
	};

	*out = (dtrace_probedesc_t){ .dtpd_id = pd->id };
	for (size_t i = 0; i < sizeof(f) / sizeof(f[0]); i++) {
		if (strlen(f[i].from) >= f[i].size)
			return dt_set_err(dtp, EDT_BADSPEC,
					  "a field of the probe description "
					  "is longer than %zu bytes",
					  f[i].size - 1);
		strcpy(f[i].to, f[i].from);
	}
	return 0;
}

int
dtrace_str2desc(dtrace_hdl_t *dtp, dtrace_probespec_t spec, const char *s,
		dtrace_probedesc_t *pdp)
{
	struct dif_pdesc pd = { 0 };
	int rv;

	if (spec < DTRACE_PROBESPEC_PROVIDER || spec > DTRACE_PROBESPEC_NAME)
		return dt_set_err(dtp, EDT_BADSPEC, "%s",
				  dtrace_errmsg(NULL, EDT_BADSPEC));
	struct arena *a = arena_new();
	if (a == NULL)
		return dt_nomem(dtp);
	err_clear(&dtp->err);
	if (probe_parse_desc(a, s, spec, &pd, &dtp->err) != 0)
		rv = dt_fail(dtp, EDT_OVERSPEC);
	else
		rv = desc_fill(dtp, &pd, pdp);
	arena_free(a);
	return rv;
}

/* Append the value of $name or $N (the text after '$') to out. */
static int
probe_macro_text(dtrace_hdl_t *dtp, const char *name, size_t n, int argc,
		 char *const argv[], struct buf *out)
{
	char key[64];
	int64_t val;

	snprintf(key, sizeof(key), "%.*s", (int)n, name);
	if (isdigit((unsigned char)key[0])) {
		long i = strtol(key, NULL, 10);
		if (i < argc && argv[i] != NULL)
			buf_puts(out, argv[i]);
		else if (!(dtp->cflags & DTRACE_C_DEFARG))
			return -1;
		return 0;
	}
	if (!dt_macro(dtp, key, &val))
		return -1;
	buf_printf(out, "%lld", (long long)val);
	return 0;
}

int
dtrace_xstr2desc(dtrace_hdl_t *dtp, dtrace_probespec_t spec, const char *s,
		 int argc, char *const argv[], dtrace_probedesc_t *pdp)
{
	struct buf b = BUF_INIT;
	int rv = 0;

	for (const char *p = s; *p != '\0' && rv == 0;) {
		if (*p != '$') {
			buf_putc(&b, *p++);
			continue;
		}
		p += 1 + (p[1] == '$');
		bool digits = isdigit((unsigned char)*p);
		size_t n = 0;
		while (digits ? isdigit((unsigned char)p[n]) :
				isalnum((unsigned char)p[n]) || p[n] == '_')
			n++;
		rv = probe_macro_text(dtp, p, n, argc, argv, &b);
		p += n;
	}
	if (rv != 0)
		dt_set_err(dtp, EDT_UNDERVAR, "%s",
			   dtrace_errmsg(NULL, EDT_UNDERVAR));
	else
		rv = dtrace_str2desc(dtp, spec, buf_str(&b), pdp);
	buf_fini(&b);
	return rv;
}

char *
dtrace_desc2str(const dtrace_probedesc_t *pdp, char *buf, size_t len)
{
	if (pdp->dtpd_id != 0)
		snprintf(buf, len, "%u", pdp->dtpd_id);
	else
		snprintf(buf, len, "%s:%s:%s:%s", pdp->dtpd_provider,
			 pdp->dtpd_mod, pdp->dtpd_func, pdp->dtpd_name);
	return buf;
}

/* ---- names of numbers ---------------------------------------------------- */

const char *
dtrace_faultstr(dtrace_hdl_t *dtp, int fault)
{
	if (fault == DTRACEFLT_LIBRARY)
		return "library-level fault";
	return dif_fault_text((uint32_t)fault);
}

const char *
dtrace_subrstr(dtrace_hdl_t *dtp, int subr)
{
	const struct dif_subr_info *s = dif_subr_by_id((uint32_t)subr);

	return s == NULL ? "unknown" : s->name;
}
