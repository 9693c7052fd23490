/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * check_call.c - calls of subroutines in expressions.
 *
 * The prototypes are D text in dif/subr.def:
 *
 *   string substr(str, int [, int])
 *
 * `str` accepts whatever is compatible with a string; after a [ parameters are
 * optional.  An integer parameter also takes a pointer, because addresses of
 * user memory are numbers to D.
 */
#include "lang/check/check_impl.h"

#include <string.h>

struct proto {
	struct type *ret;
	struct type *param[DIF_NTUPLE]; /* NULL: str */
	uint32_t min, n;
};

static const char *
trimmed(struct compile *cx, const char *s, const char *end)
{
	while (s < end && (*s == ' ' || *s == '[' || *s == ','))
		s++;
	while (end > s && (end[-1] == ' ' || end[-1] == '[' || end[-1] == ']'))
		end--;
	return arena_strndup(cx->arena, s, (size_t)(end - s));
}

static struct proto
parse_proto(struct compile *cx, const struct dif_subr_info *s)
{
	const char *paren = strchr(s->proto, '('), *p = paren + 1;
	const char *end = strrchr(s->proto, ')');
	const char *ret_end = paren - strlen(s->name);
	struct proto pr = { 0 };
	bool optional = false;

	pr.ret = parse_type_text(cx, trimmed(cx, s->proto, ret_end));
	while (p < end && pr.n < DIF_NTUPLE) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		const char *stop = comma != NULL ? comma : end;
		const char *text = trimmed(cx, p, stop);

		if (*text == '\0')
			break;
		if (strcmp(text, "str") != 0)
			pr.param[pr.n] = parse_type_text(cx, text);
		pr.n++;
		if (!optional)
			pr.min = pr.n;
		if (memchr(p, '[', (size_t)(stop - p)) != NULL)
			optional = true;
		p = comma != NULL ? comma + 1 : end;
	}
	return pr;
}

static struct node *
convert_arg(struct compile *cx, const struct dif_subr_info *s,
	    struct type *param, struct node *a, uint32_t i)
{
	const char *what = arena_printf(
		cx->arena, "argument #%u of %s() is incompatible with %s",
		i + 1, s->name, s->proto);

	if (param == NULL) {
		if (node_is_null(a))
			return conv_to(cx, a, dtype_basic(cx, TYPE_B_ULONG));
		if (!type_is_strcompat(a->type))
			lang_fail(cx, &D_PROTO_ARG, a->loc,
				  "%s: expected a string, found %s%s", what,
				  lang_type_name(cx, a->type),
				  conv_chars_hint(a));
		return conv_string(cx, a);
	}
	a = conv_decay(cx, a);
	if (type_is_integer(param) && type_is_ptr(a->type))
		return conv_to(cx, a, param);
	/* Subroutines take as much of a number as they need. */
	if (type_is_integer(param) && type_is_integer(a->type))
		return a;
	return conv_assign(cx, param, a, a->loc, &D_PROTO_ARG, what);
}

/* The name is no subroutine we can call: say what it is. */
static _Noreturn void
not_a_subr(struct compile *cx, struct node *n)
{
	struct ident *id = names_find(cx, DIF_SCOPE_GLOBAL, n->name);
	const char *why = dif_subr_missing(n->name);

	if (names_aggfunc(cx, n->name) != NULL)
		lang_fail(cx, &D_AGG_FUNC, n->loc,
			  "aggregating function %s() may only be assigned to "
			  "an aggregation",
			  n->name);
	if (id == NULL && names_builtin(cx, n->name) != NULL)
		lang_fail(cx, &D_FUNC_IDKIND, n->loc,
			  "%s is a variable of D, not a function: write %s",
			  n->name, n->name);
	if (id != NULL)
		lang_fail(cx, &D_FUNC_IDKIND, n->loc,
			  "%s is not a function of D: it may not be called",
			  n->name);
	if (why != NULL)
		lang_fail(cx, &D_FUNC_UNDEF, n->loc,
			  "function %s() is not supported: %s", n->name, why);
	lang_fail(cx, &D_FUNC_UNDEF, n->loc, "undefined function name: %s%s",
		  n->name, check_near_func(cx, n->name));
}

static const struct dif_subr_info *
find_subr(struct compile *cx, struct node *n)
{
	const struct dif_subr_info *s;

	if (n->name == NULL)
		lang_fail(cx, &D_FUNC_IDENT, n->loc,
			  "only a function's name may be called");
	s = names_subr(cx, n->name);
	if (s == NULL)
		not_a_subr(cx, n);
	if ((s->engines & cx->lang->host.engines) == 0)
		lang_fail(cx, &D_FUNC_UNDEF, n->loc,
			  "function %s() is not supported here", n->name);
	return s;
}

/* name(a, b) of an inline with parameters. */
static bool
check_inline_call(struct compile *cx, struct node *n)
{
	struct ident *id;

	id = n->name != NULL ? names_find(cx, DIF_SCOPE_GLOBAL, n->name) : NULL;
	if (id == NULL || id->kind != ID_INLINE || id->nkeys == 0)
		return false;
	check_inline_use(cx, n, id);
	return true;
}

/* ---- actions as values --------------------------------------------------- */

const struct dif_act_info *
check_key_action(struct compile *cx, struct node *n)
{
	const struct dif_act_info *act;

	if (n->kind != NODE_CALL || n->name == NULL)
		return NULL;
	act = names_act(cx, n->name);
	return act != NULL && act->cls == DIF_AC_KEY ? act : NULL;
}

/* How many arguments the prototype asks for.  What is in brackets is optional;
   "...": any number. */
static void
act_nargs(const struct dif_act_info *act, uint32_t *min, uint32_t *max)
{
	const char *p = strchr(act->proto, '(') + 1;
	uint32_t depth = 0;
	bool word = false, optional = false;

	*min = *max = 0;
	for (;; p++) {
		if (*p == ',' || *p == ')') {
			*max += word;
			*min += word && !optional;
			word = false;
		} else if (*p == '.') {
			*max = UINT32_MAX;
			return;
		} else if (*p == '[') {
			depth++;
		} else if (*p == ']') {
			depth--;
		} else if (*p != ' ') {
			optional = word ? optional : depth != 0;
			word = true;
		}
		if (*p == ')')
			return;
	}
}

/* True if n is the call of an action as a value.  Then that is of type void. */
static bool
act_value(struct compile *cx, struct node *n)
{
	const struct dif_act_info *act =
		n->name != NULL ? names_act(cx, n->name) : NULL;
	uint32_t min, max;

	if (act == NULL || names_subr(cx, n->name) != NULL)
		return false;
	act_nargs(act, &min, &max);
	if (n->nargs < min || n->nargs > max)
		lang_fail(cx, &D_PROTO_LEN, n->loc,
			  "wrong number of arguments: %s", act->proto);
	n->type = dtype_basic(cx, TYPE_B_VOID);
	return true;
}

void
check_call(struct compile *cx, struct node *n)
{
	const struct dif_subr_info *s;
	struct proto pr;

	if (check_inline_call(cx, n) || act_value(cx, n))
		return;
	s = find_subr(cx, n);
	if ((s->flags & DIF_SUBR_F_DESTRUCTIVE) != 0 && clause_of(cx) != NULL &&
	    clause_of(cx)->speculated)
		lang_fail(cx, &D_ACT_SPEC, n->loc,
			  "%s() may not follow speculate()", s->name);
	pr = parse_proto(cx, s);
	if (n->nargs < pr.min || n->nargs > pr.n)
		lang_fail(cx, &D_PROTO_LEN, n->loc,
			  "%s() takes %s%u argument%s, not %u: %s", n->name,
			  pr.min == pr.n ? "" : "at least ", pr.min,
			  pr.min == 1 ? "" : "s", n->nargs, s->proto);
	for (uint32_t i = 0; i < n->nargs; i++) {
		check_expr(cx, n->args[i]);
		n->args[i] = convert_arg(cx, s, pr.param[i], n->args[i], i);
	}
	n->ref = REF_SUBR;
	n->ident = s;
	n->type = pr.ret;
}

struct node *
check_subr(struct compile *cx, struct src_loc loc, enum dif_subr id,
	   struct node *a, struct node *b)
{
	const struct dif_subr_info *s = dif_subr_by_id(id);
	struct node *n = node_new(cx, NODE_CALL, loc);
	struct proto pr = parse_proto(cx, s);

	n->name = s->name;
	if ((s->engines & cx->lang->host.engines) == 0)
		lang_fail(cx, &D_FUNC_UNDEF, loc,
			  "function %s() is not supported here: user memory "
			  "cannot be read",
			  s->name);
	n->ref = REF_SUBR;
	n->ident = s;
	n->type = pr.ret;
	n->args = arena_calloc(cx->arena, 2, sizeof(*n->args));
	n->args[n->nargs++] = convert_arg(cx, s, pr.param[0], a, 0);
	if (b != NULL)
		n->args[n->nargs++] = convert_arg(cx, s, pr.param[1], b, 1);
	return n;
}
