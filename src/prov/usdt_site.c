/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * usdt_site.c - where static probes of user programs fire, what their arguments
 * are, and of what type.
 *
 * A place is the nop that the note names; the operands are recipes.  Those
 * that a header of `dtrace -h` has made have a declaration as well, by which
 * args[] are typed and translated; others have arg0 to arg9 alone.
 */
#include <stdio.h>
#include <string.h>

#include "prov/usdt.h"

/* ---- types --------------------------------------------------------------- */

/* The type that a text of a file names; NULL: it is not known here. */
static struct type *
text_type(struct prov *pv, const char *text)
{
	return strlen(text) < 256 ? type_from_text(pv->env->types, text, true)
				  : NULL;
}

int
usdt_args_types(struct prov *pv, const struct probe *p, struct probe_args *out,
		struct err *e)
{
	const struct usdt_probe *up = p->data;
	const struct elf_probe_decl *d = up->decl;

	(void)e;
	if (d == NULL)
		return 0;
	out->typed = true;
	out->nargs = d->nxargs;
	for (uint32_t i = 0; i < d->nxargs; i++) {
		const char *native = d->arg[d->map[i]];

		out->map[i] = (uint8_t)d->map[i];
		out->type[i] = text_type(pv, native);
		if (strcmp(native, d->xarg[i]) != 0)
			out->xlate[i] = probe_str(pv->set, d->xarg[i]);
	}
	return 0;
}

/* One of three words between slashes. */
static bool
attr_ok(const char *s, size_t n)
{
	return n > 4 && n < 40 &&
	       strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			 "/") >= n;
}

const struct prov_attr *
usdt_attr(struct prov *pv, const struct elf_probe_decl *decl)
{
	struct usdt_data *d = pv->data;
	struct prov_attr *a = decl != NULL ? arena_alloc(d->arena, sizeof(*a))
					   : NULL;
	const char *s = decl != NULL ? decl->attr : "";

	if (a == NULL)
		return NULL;
	const char **part[] = { &a->prov, &a->mod, &a->func, &a->name,
				&a->args };
	for (size_t i = 0; i < 5; i++) {
		size_t n = strcspn(s, " ");
		char text[40];

		if (!attr_ok(s, n))
			return NULL;
		snprintf(text, sizeof(text), "%.*s", (int)n, s);
		*part[i] = probe_str(pv->set, text);
		if (*part[i] == NULL)
			return NULL;
		s += n + (s[n] == ' ');
	}
	return a;
}

/* ---- places -------------------------------------------------------------- */

static const struct dif_recipes *
place_recipes(struct prov *pv, const struct usdt_place *pl, struct err *e)
{
	const struct usdt_where w = { pl->elf, pl->note->addr };
	struct dif_recipes r = { 0 };
	const struct dif_recipes *kept;

	if (usdt_args(&w, pl->note->args, r.arg, e) < 0)
		return NULL;
	kept = probe_recipes(pv->set, &r);
	if (kept == NULL)
		err_nomem(e);
	return kept;
}

static int
usdt_place_fail(const struct usdt_place *pl, const char *what, struct err *e)
{
	return err_set(e, &D_PROC_OFF, 0, "%s: the %s of probe %s is not in "
		       "the file", pl->obj->name, what, pl->note->name);
}

/* What is known of the function that a place is in. */
static void
place_fn(const struct usdt_place *pl, uint64_t bias, struct dif_site *s)
{
	uint64_t left;

	if (pl->fn == NULL)
		return;
	left = elf_code_left(pl->elf, pl->fn->addr);
	s->fn = pl->fn->addr + bias;
	s->fn_size = pl->fn->size < left ? pl->fn->size : left;
}

static int
usdt_place_site(struct prov *pv, const struct usdt_place *pl,
		struct site_list *out, struct err *e)
{
	uint64_t bias = pl->proc != NULL ? pl->obj->base : 0;
	struct dif_site s = { .kind = DIF_SITE_UINSN,
			      .path = pl->path,
			      .pid = pl->proc != NULL ? proc_pid(pl->proc) : 0,
			      .bias = bias,
			      .addr = pl->note->addr + bias };

	s.args = place_recipes(pv, pl, e);
	if (s.args == NULL)
		return -1;
	if (!elf_addr_to_off(pl->elf, pl->note->addr, &s.off))
		return usdt_place_fail(pl, "address", e);
	if (pl->note->sem != 0) {
		if (!elf_addr_to_off(pl->elf, pl->note->sem, &s.sem))
			return usdt_place_fail(pl, "semaphore", e);
		s.sem_addr = pl->note->sem + bias;
	}
	place_fn(pl, bias, &s);
	return site_add(out, &s, e);
}

int
usdt_sites(struct prov *pv, const struct probe *p, struct site_list *out,
	   struct err *e)
{
	const struct usdt_probe *up = p->data;

	for (const struct usdt_place *pl = up->places; pl != NULL;
	     pl = pl->next) {
		if (pl->proc != NULL && !pl->obj->mapped)
			continue; /* it was once */
		if (usdt_place_site(pv, pl, out, e) != 0)
			return -1;
	}
	return 0;
}
