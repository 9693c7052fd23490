/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_prog.c - programs: compiling text and files, what is said about them, and
 * asking for them to be enabled.
 */
#include "lib/dt_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void
prog_show(const struct dif_obj *o, const char *what)
{
	struct buf b = BUF_INIT;

	dif_disasm(o, &b);
	fprintf(stderr, "\n%s\n%s", what, buf_str(&b));
	buf_fini(&b);
}

static void
prog_type_text(const struct dif_obj *o, char *buf, size_t n)
{
	const struct dif_type *t = &o->rtype;

	if (t->kind == DIF_TYPE_STRING)
		snprintf(buf, n, "string (unknown) by ref (size %u)", t->size);
	else if (t->size == 0)
		snprintf(buf, n, "void");
	else
		snprintf(buf, n, "D type (%s) %s(size %u)",
			 t->flags & DIF_TF_BYREF ? "struct" : "integer",
			 t->flags & DIF_TF_BYREF ? "by ref " : "", t->size);
}

/* -S: every object of the program, in order of evaluation. */
static void
prog_disasm(const struct dif_prog *p)
{
	char type[80], what[128];

	for (uint32_t i = 0; i < p->nclauses; i++) {
		const struct dif_clause *c = &p->clauses[i];
		if (c->pred != NULL) {
			prog_type_text(c->pred, type, sizeof(type));
			snprintf(what, sizeof(what),
				 "DIFO %p (predicate) returns %s",
				 (void *)c->pred, type);
			prog_show(c->pred, what);
		}
		for (uint32_t s = 0; s < c->nstmts; s++) {
			const struct dif_stmt *st = &c->stmts[s];
			for (uint32_t x = 0; x < st->nexprs; x++) {
				const struct dif_obj *o = st->exprs[x].obj;
				if (o == NULL)
					continue;
				prog_type_text(o, type, sizeof(type));
				snprintf(what, sizeof(what),
					 "DIFO %p returns %s", (const void *)o,
					 type);
				prog_show(o, what);
			}
		}
	}
}

static bool
attr_below(dtrace_attribute_t a, dtrace_attribute_t least)
{
	return a.dtat_name < least.dtat_name || a.dtat_data < least.dtat_data ||
	       a.dtat_class < least.dtat_class;
}

/* The amin option: refuse what is less stable than that. */
static int
prog_stable(dtrace_hdl_t *dtp, const struct dif_prog *p)
{
	dtrace_attribute_t least;
	char have[64];

	if (dtp->optstr[DT_OPT_amin] == NULL)
		return 0;
	if (dtrace_str2attr(dtp->optstr[DT_OPT_amin], &least) != 0)
		return dt_set_err(dtp, EDT_BADOPTVAL,
				  "amin: %s is not name/data/class",
				  dtp->optstr[DT_OPT_amin]);
	for (uint32_t i = 0; i < p->nclauses; i++) {
		const struct dif_clause *c = &p->clauses[i];
		dtrace_attribute_t a = dt_attr_min(
			dt_attr_clause(dtp, c), dt_attr_desc(dtp, &c->pdesc));
		if (!attr_below(a, least))
			continue;
		return dt_set_err(dtp, EDT_ATTRMIN,
				  "%sline %d: attributes of the clause (%s) "
				  "are less than the minimum (%s)",
				  (dtp->cflags | dtp->src->cflags) &
						  DTRACE_C_ETAGS ?
					  "[D_ATTR_MIN] " : "",
				  c->loc.line,
				  dtrace_attr2str(a, have, sizeof(have)),
				  dtp->optstr[DT_OPT_amin]);
	}
	return 0;
}

static struct dif_prog *
prog_try(dtrace_hdl_t *dtp, struct lang_src *src)
{
	struct dif_prog *dif;

	err_clear(&dtp->err);
	dt_errplace_clear(dtp);
	probe_asks_new(dtp->probes);
	dtp->src = src;
	dif = dt_show_compile(dtp, src);
	dtp->src = NULL;
	return dif;
}

/*
 * A program that fails without some files of the D library is compiled once
 * more with all of them: one may have what the program lacks, or what a message
 * proposes.  *dif: the program, NULL: *src has errors.  0, or -1: the library
 * has.
 */
static int
prog_with_dlib(dtrace_hdl_t *dtp, struct lang_src *src, struct dif_prog **dif)
{
	struct dt_dlib *dl = &dtp->dlib;
	bool again;

	dl->trying = !(src->cflags & DTRACE_C_NOLIBS) && dt_dlib_left(dtp);
	*dif = prog_try(dtp, src);
	again = *dif == NULL && dl->trying && dtp->err.tag != &ERR_NOMEM;
	dl->trying = false;
	if (!again)
		return 0;
	if (dt_dlib_rest(dtp) != 0)
		return -1;
	*dif = prog_try(dtp, src);
	return 0;
}

/* Compiled, and as stable as it must be; NULL: an error. */
static struct dif_prog *
prog_make(dtrace_hdl_t *dtp, struct lang_src *src)
{
	struct dif_prog *dif;

	if (prog_with_dlib(dtp, src, &dif) != 0)
		return NULL;
	dtp->src = src;
	if (dif == NULL) {
		dt_errplace_keep(dtp, src);
		dt_fail(dtp, EDT_COMPILER);
	} else if (prog_stable(dtp, dif) != 0) {
		dif_prog_free(dif);
		dif = NULL;
	}
	dtp->src = NULL;
	return dif;
}

/* The handle's, who owns it from here on; NULL: no memory, and it is freed. */
static dtrace_prog_t *
prog_add(dtrace_hdl_t *dtp, struct dif_prog *dif, unsigned cflags)
{
	dtrace_prog_t *prog = calloc(1, sizeof(*prog));

	if (prog == NULL) {
		dif_prog_free(dif);
		dt_nomem(dtp);
		return NULL;
	}
	prog->dif = dif;
	prog->cflags = cflags;
	*dtp->progs_tail = prog;
	dtp->progs_tail = &prog->next;
	return prog;
}

static dtrace_prog_t *
prog_compile(dtrace_hdl_t *dtp, const char *text, size_t len, const char *file,
	     dtrace_probespec_t spec, unsigned cflags, int argc,
	     char *const argv[])
{
	struct lang_src src = {
		.text = text, .len = len, .file = file,
		.spec = (enum lang_spec)spec, .cflags = cflags | dtp->cflags,
		.argc = argc, .argv = argv,
		.limits = &dtp->limits, .more = &dtp->more,
	};
	if (dtp->opt[DT_OPT_version] != DTRACEOPT_UNSET)
		src.version = (uint32_t)dtp->opt[DT_OPT_version];

	if (!(src.cflags & DTRACE_C_NOLIBS) && dt_dlib_for(dtp, &src) != 0)
		return NULL;
	dtp->zdefs = (src.cflags & DTRACE_C_ZDEFS) != 0;
	struct dif_prog *dif = prog_make(dtp, &src);
	if (dif == NULL)
		return NULL;
	/* Pragmas may have added to the flags meanwhile. */
	dtrace_prog_t *prog = prog_add(dtp, dif, cflags | dtp->cflags);
	if (prog == NULL)
		return NULL;
	if ((prog->cflags & DTRACE_C_DIFV) &&
	    (dtp->opt[DT_OPT_disasm] & DT_DISASM_DIF))
		prog_disasm(dif);
	return prog;
}

dtrace_prog_t *
dt_prog_maker(dtrace_hdl_t *dtp, const char *text)
{
	struct lang_src src = { .text = text, .len = strlen(text),
				.spec = LANG_SPEC_NAME, .cflags = LANG_C_ZDEFS,
				.maker = true, .limits = &dtp->limits };
	struct dif_prog *dif = lang_compile(dtp->lang, &src, &dtp->err);

	if (dif == NULL) {
		dt_fail(dtp, EDT_COMPILER);
		return NULL;
	}
	return prog_add(dtp, dif, src.cflags);
}

dtrace_prog_t *
dtrace_program_strcompile(dtrace_hdl_t *dtp, const char *text,
			  dtrace_probespec_t spec, unsigned cflags, int argc,
			  char *const argv[])
{
	if ((cflags | dtp->cflags) & DTRACE_C_CPP) {
		size_t len;
		char *out = dt_cpp_run(dtp, text, strlen(text), NULL, &len);

		if (out == NULL)
			return NULL;
		dtrace_prog_t *p = prog_compile(dtp, out, len, NULL, spec,
						cflags, argc, argv);
		free(out);
		return p;
	}
	return prog_compile(dtp, text, strlen(text), NULL, spec, cflags, argc,
			    argv);
}

char *
dt_prog_slurp(dtrace_hdl_t *dtp, FILE *fp, size_t *len)
{
	struct buf b = BUF_INIT;
	char chunk[16384];
	size_t n;

	while ((n = fread(chunk, 1, sizeof(chunk), fp)) > 0)
		buf_write(&b, chunk, n);
	if (ferror(fp)) {
		dt_set_err(dtp, EDT_IO, "cannot read D text: %s",
			   strerror(errno));
		buf_fini(&b);
		return NULL;
	}
	*len = b.n;
	char *s = buf_detach(&b);
	if (s == NULL)
		dt_nomem(dtp);
	return s;
}

dtrace_prog_t *
dtrace_program_fcompile(dtrace_hdl_t *dtp, FILE *fp, unsigned cflags, int argc,
			char *const argv[])
{
	size_t len;
	char *text = dt_prog_slurp(dtp, fp, &len);
	const char *file = argc > 0 && argv != NULL ? argv[0] : "<stdin>";

	if (text != NULL && ((cflags | dtp->cflags) & DTRACE_C_CPP)) {
		char *out = dt_cpp_run(dtp, text, len, file, &len);
		free(text);
		text = out;
	}
	if (text == NULL)
		return NULL;
	dtrace_prog_t *p = prog_compile(dtp, text, len, file,
					DTRACE_PROBESPEC_NAME, cflags, argc,
					argv);
	free(text);
	return p;
}

static bool
stmt_records(const struct dif_stmt *st)
{
	return st->kind != DIF_ACT_NONE && !DIF_ACT_IS_AGG(st->kind);
}

void
dtrace_program_info(dtrace_hdl_t *dtp, dtrace_prog_t *prog,
		    dtrace_proginfo_t *info)
{
	*info = (dtrace_proginfo_t){ .dpi_descattr = DT_ATTR_STABLE,
				     .dpi_stmtattr = DT_ATTR_STABLE };
	for (uint32_t i = 0; i < prog->dif->nclauses; i++) {
		const struct dif_clause *c = &prog->dif->clauses[i];
		info->dpi_descattr = dt_attr_min(info->dpi_descattr,
						 dt_attr_desc(dtp, &c->pdesc));
		info->dpi_stmtattr = dt_attr_min(info->dpi_stmtattr,
						 dt_attr_clause(dtp, c));
		for (uint32_t s = 0; s < c->nstmts; s++) {
			info->dpi_aggregates +=
				DIF_ACT_IS_AGG(c->stmts[s].kind);
			info->dpi_recgens += stmt_records(&c->stmts[s]);
		}
		if (c->nstmts == 0)
			info->dpi_recgens++;
	}
}

const char *
dtrace_program_notes(dtrace_hdl_t *dtp, const dtrace_prog_t *prog)
{
	return prog->dif->notes != NULL ? prog->dif->notes : "";
}

const char *
dtrace_program_warnings(dtrace_hdl_t *dtp, const dtrace_prog_t *prog)
{
	return prog->dif->warnings != NULL ? prog->dif->warnings : "";
}

int
dtrace_stmt_iter(dtrace_hdl_t *dtp, dtrace_prog_t *prog,
		 dtrace_stmt_desc_f *func, void *arg)
{
	for (uint32_t i = 0; i < prog->dif->nclauses; i++) {
		const struct dif_pdesc *pd = &prog->dif->clauses[i].pdesc;
		dtrace_probedesc_t d = { .dtpd_id = pd->id };
		snprintf(d.dtpd_provider, sizeof(d.dtpd_provider), "%s",
			 pd->prov);
		snprintf(d.dtpd_mod, sizeof(d.dtpd_mod), "%s", pd->mod);
		snprintf(d.dtpd_func, sizeof(d.dtpd_func), "%s", pd->func);
		snprintf(d.dtpd_name, sizeof(d.dtpd_name), "%s", pd->name);
		int rv = func(dtp, prog, &d, arg);
		if (rv != 0)
			return rv;
	}
	return 0;
}
