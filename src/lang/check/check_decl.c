/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * check_decl.c - what declarations declare: may they, and what then.
 *
 * Types have been declared by the parser, in the compile's space; here it is
 * variables, external objects, inlines, translators and providers.
 */
#include "lang/check/check_impl.h"

static enum dif_scope
decl_scope(const struct decl *d)
{
	if (d->cls == DECL_SELF)
		return DIF_SCOPE_THREAD;
	return d->cls == DECL_THIS ? DIF_SCOPE_LOCAL : DIF_SCOPE_GLOBAL;
}

static bool
same_keys(const struct ident *id, const struct decl *d)
{
	if (id->assoc != d->assoc || id->nkeys != d->nkeys)
		return false;
	for (uint32_t i = 0; i < id->nkeys; i++)
		if (!type_compat(id->keys[i], d->keys[i]))
			return false;
	return true;
}

/* True if it is the name of a subroutine, an action or an aggregating
   function. */
static bool
is_function_of_d(const struct compile *cx, const char *name)
{
	return names_subr(cx, name) != NULL || names_act(cx, name) != NULL ||
	       names_aggfunc(cx, name) != NULL;
}

bool
check_declare(struct compile *cx, const struct decl *d, enum ident_kind kind)
{
	enum dif_scope scope = decl_scope(d);
	struct ident *id = names_find(cx, scope, d->name);

	if (scope == DIF_SCOPE_GLOBAL && (names_builtin(cx, d->name) != NULL ||
					  is_function_of_d(cx, d->name)))
		lang_fail(cx, &D_DECL_IDRED, d->loc,
			  "identifier redeclared: %s is built in", d->name);
	if (id == NULL)
		return false;
	if (id->kind == kind && kind != ID_INLINE &&
	    type_compat(id->type, d->type) && same_keys(id, d))
		return true;
	lang_fail(cx, &D_DECL_IDRED, d->loc, "identifier redeclared: %s",
		  d->name);
}

void
check_object_type(struct compile *cx, const struct decl *d)
{
	struct type *t = type_complete(cx->types, type_resolve(d->type));

	if (t->kind == TYPE_VOID)
		lang_fail(cx, &D_DECL_VOIDOBJ, d->loc,
			  "%s may not have type void", d->name);
	if (t->kind == TYPE_DYN)
		lang_fail(cx, &D_DECL_DYNOBJ, d->loc,
			  "%s may not have a dynamic type", d->name);
	if (!type_is_string(t) && type_size(t) == 0)
		lang_fail(cx, &D_DECL_INCOMPLETE, d->loc,
			  "%s has incomplete type %s", d->name,
			  lang_type_name(cx, d->type));
}

static void
check_key_types(struct compile *cx, const struct decl *d)
{
	if (d->nkeys > check_keys_max(cx))
		lang_fail(cx, &D_PROTO_LEN, d->loc,
			  "associative array %s has more than %u keys", d->name,
			  check_keys_max(cx));
	for (uint32_t i = 0; i < d->nkeys; i++)
		if (!type_is_scalar(d->keys[i]) &&
		    !type_is_string(d->keys[i]) &&
		    !(type_is_sou(d->keys[i]) && type_size(d->keys[i]) != 0))
			lang_fail(cx, &D_KEY_TYPE, d->loc,
				  "key #%u of %s has type %s, which may not be "
				  "a key",
				  i + 1, d->name,
				  lang_type_name(cx, d->keys[i]));
}

static void
check_decl(struct compile *cx, const struct decl *d)
{
	enum dif_scope scope = decl_scope(d);
	struct ident *id;

	if (d->name == NULL || d->cls == DECL_TYPEDEF)
		return; /* types have been declared by the parser */
	/* <signal.h> has a raise(), which changes nothing about D's. */
	if (d->is_func && is_function_of_d(cx, d->name))
		return;
	if (d->cls == DECL_EXTERN || d->is_func || type_is_func(d->type)) {
		if (!check_declare(cx, d, ID_EXTERN))
			names_add(cx, DIF_SCOPE_GLOBAL, ID_EXTERN, d->name,
				  d->type, d->loc);
		return;
	}
	if (d->assoc && scope == DIF_SCOPE_LOCAL)
		lang_fail(cx, &D_DECL_LOCASSC, d->loc,
			  "this->%s may not be an associative array", d->name);
	check_object_type(cx, d);
	if (d->assoc)
		check_key_types(cx, d);
	if (check_declare(cx, d, ID_VAR))
		return;
	id = names_add(cx, scope, ID_VAR, d->name, d->type, d->loc);
	names_make_var(cx, id, scope, d->assoc ? d->keys : NULL, d->nkeys);
}

void
check_decl_item(struct compile *cx, const struct item *it)
{
	switch (it->kind) {
	case ITEM_DECL:
		for (uint32_t i = 0; i < it->ndecls; i++)
			check_decl(cx, &it->decls[i]);
		break;
	case ITEM_INLINE:
		check_inline(cx, it);
		break;
	case ITEM_XLATOR:
		check_xlator(cx, it);
		break;
	case ITEM_PROVIDER:
		check_provider(cx, it);
		break;
	case ITEM_CLAUSE:
	case ITEM_NONE:
		break;
	}
}
