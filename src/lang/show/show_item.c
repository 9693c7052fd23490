/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * show_item.c - declarations, inlines, translators and providers as D text.
 *
 * A declaration begins with the types that it declares.  The parser enters
 * them into the compile's space and does not keep them with the item: they are
 * what the space has more than before it.
 */
#include "lang/show/show_impl.h"

#include <string.h>

void
show_type(struct show *sh, struct type *t, const char *name)
{
	type_write(sh->types, t, name, false, sh->out);
}

/* ---- declarations -------------------------------------------------------- */

/* The name and the keys; names: of the keys, or NULL. */
static void
decl_inner(struct show *sh, const struct decl *d, const char *const *names,
	   struct buf *inner)
{
	struct buf *out = sh->out;

	buf_puts(inner, d->name);
	if (d->nkeys == 0)
		return;
	sh->out = inner;
	for (uint32_t i = 0; i < d->nkeys; i++) {
		buf_puts(inner, i == 0 ? "[" : ", ");
		show_type(sh, d->keys[i], names != NULL ? names[i] : NULL);
	}
	buf_putc(inner, ']');
	sh->out = out;
}

static void
show_declarator(struct show *sh, const struct decl *d,
		const char *const *names, bool more)
{
	struct buf inner = BUF_INIT;

	decl_inner(sh, d, names, &inner);
	type_write(sh->types, d->type, buf_str(&inner), more, sh->out);
	buf_fini(&inner);
}

static void
show_decls(struct show *sh, const struct item *it)
{
	static const char *const words[] = {
		[DECL_NONE] = "",	      [DECL_TYPEDEF] = "typedef ",
		[DECL_EXTERN] = "extern ",    [DECL_SELF] = "self ",
		[DECL_THIS] = "this ",	      [DECL_STATIC] = "",
	};

	for (uint32_t i = 0; i < it->ndecls; i++) {
		buf_puts(sh->out, i != 0 ? ", " : words[it->decls[0].cls]);
		show_declarator(sh, &it->decls[i], NULL, i != 0);
	}
	if (it->ndecls != 0)
		buf_puts(sh->out, ";\n");
}

static void
show_inline(struct show *sh, const struct item *it)
{
	buf_puts(sh->out, "inline ");
	show_declarator(sh, &it->decls[0], it->params, false);
	buf_puts(sh->out, " = ");
	show_expr(sh, it->expr, SHOW_COMMA);
	buf_puts(sh->out, ";\n");
}

/* ---- translators and providers ------------------------------------------- */

static void
show_translator(struct show *sh, const struct item *it)
{
	buf_puts(sh->out, "translator ");
	show_type(sh, it->outtype, NULL);
	buf_puts(sh->out, " < ");
	show_type(sh, it->intype, it->params[0]);
	buf_puts(sh->out, " > {\n");
	for (uint32_t i = 0; i < it->nmembers; i++) {
		buf_printf(sh->out, "\t%s = ", it->members[i].name);
		show_expr(sh, it->members[i].expr, SHOW_COMMA);
		buf_puts(sh->out, ";\n");
	}
	buf_puts(sh->out, "};\n");
}

static void
show_params(struct show *sh, const struct type_param *v, uint32_t n)
{
	buf_putc(sh->out, '(');
	for (uint32_t i = 0; i < n; i++) {
		if (i != 0)
			buf_puts(sh->out, ", ");
		show_type(sh, v[i].type, v[i].name);
	}
	buf_putc(sh->out, ')');
}

static void
show_provider(struct show *sh, const struct item *it)
{
	buf_printf(sh->out, "provider %s {\n", it->provider);
	for (uint32_t i = 0; i < it->nprobes; i++) {
		const struct provider_probe *p = &it->probes[i];
		buf_printf(sh->out, "\tprobe %s", p->name);
		show_params(sh, p->args, p->nargs);
		if (p->has_xargs) {
			buf_puts(sh->out, " : ");
			show_params(sh, p->xargs, p->nxargs);
		}
		buf_puts(sh->out, ";\n");
	}
	buf_puts(sh->out, "};\n");
}

/* ---- any ----------------------------------------------------------------- */

void
show_item(struct show *sh, struct type_space *types, const struct item *it)
{
	type_write_space(sh->types, types, sh->ntypes, sh->out);
	switch (it->kind) {
	case ITEM_DECL:
		show_decls(sh, it);
		break;
	case ITEM_INLINE:
		show_inline(sh, it);
		break;
	case ITEM_XLATOR:
		show_translator(sh, it);
		break;
	case ITEM_PROVIDER:
		show_provider(sh, it);
		break;
	case ITEM_CLAUSE:
	case ITEM_NONE:
		break;
	}
	type_write_rest(sh->types, sh->ntypes, sh->out);
	while (type_space_declared(types, sh->ntypes) != NULL)
		sh->ntypes++;
}
