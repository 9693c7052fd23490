/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_show.c - what is shown of programs and types on demand: programs written
 * back as D (dtrace -d), trees (-xtree), types as C (-xctypes, -xdtypes).
 */
#include "lib/dt_impl.h"

#include <errno.h>
#include <string.h>

/* ---- programs ------------------------------------------------------------ */

struct dif_prog *
dt_show_compile(dtrace_hdl_t *dtp, struct lang_src *src)
{
	struct buf text = BUF_INIT, tree = BUF_INIT;
	struct lang_show show = {
		.text = src->cflags & DTRACE_C_SUGAR ? &text : NULL,
		.tree = &tree,
	};

	if (dtp->opt[DT_OPT_tree] != DTRACEOPT_UNSET)
		show.stages = (unsigned)dtp->opt[DT_OPT_tree];
	src->show = &show;
	struct dif_prog *p = lang_compile(dtp->lang, src, &dtp->err);
	/* The trees of a program that fails are those one wants to see. */
	fputs(buf_str(&tree), stderr);
	if (p != NULL && (text.failed || tree.failed)) {
		dif_prog_free(p);
		p = NULL;
		err_nomem(&dtp->err);
	}
	if (p != NULL)
		fputs(buf_str(&text), stdout);
	buf_fini(&text);
	buf_fini(&tree);
	return p;
}

/* ---- types --------------------------------------------------------------- */

static const struct {
	enum dt_opt opt;
	enum lang_types which;
} type_files[DT_NTYPEFILES] = {
	{ DT_OPT_ctypes, LANG_TYPES_C },
	{ DT_OPT_dtypes, LANG_TYPES_D },
};

int
dt_show_open(dtrace_hdl_t *dtp, enum dt_opt o, const char *file)
{
	for (size_t i = 0; i < DT_NTYPEFILES; i++) {
		if (type_files[i].opt != o)
			continue;
		FILE *fp = fopen(file, "we");
		if (fp == NULL)
			return dt_set_err(dtp, EDT_IO, "%s: %s", file,
					  strerror(errno));
		if (dtp->type_files[i] != NULL)
			fclose(dtp->type_files[i]);
		dtp->type_files[i] = fp;
	}
	return 0;
}

/* Nobody is left to be given an error. */
static void
show_types(dtrace_hdl_t *dtp, size_t i)
{
	FILE *fp = dtp->type_files[i];
	struct buf b = BUF_INIT;
	struct err e = { 0 };
	bool ok = dtp->lang != NULL &&
		  lang_write_types(dtp->lang, type_files[i].which, &b, &e) == 0;

	ok = ok && fputs(buf_str(&b), fp) >= 0;
	if (fclose(fp) != 0 || !ok)
		fprintf(stderr, "failed to write types to %s: %s\n",
			dtp->optstr[type_files[i].opt],
			err_is_set(&e) ? e.msg : strerror(errno));
	buf_fini(&b);
}

void
dt_show_fini(dtrace_hdl_t *dtp)
{
	for (size_t i = 0; i < DT_NTYPEFILES; i++)
		if (dtp->type_files[i] != NULL)
			show_types(dtp, i);
}
