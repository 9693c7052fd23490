/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * check_name.c - what names refer to: built-in variables, D's variables of
 * the three scopes, inlines, enumerators, kernel symbols; subscripts and
 * members.
 *
 * D's variables come to be by their first assignment: check_implicit(), called
 * with the type of the value before the target itself is checked.  Programs
 * are read from top to bottom, so a variable must be assigned or declared
 * above its first use.
 */
#include "lang/check/check_impl.h"

#include <string.h>

#define BIT(n) (1u << (n))

static void use_scalar_var(struct compile *cx, struct node *n,
			   struct ident *id);

/* ---- built-in variables ------------------------------------------------- */

static void
check_builtin_served(struct compile *cx, const struct dif_builtin_info *b,
		     struct src_loc loc)
{
	if (b->engines == 0)
		lang_fail(cx, &D_VAR_UNSUP, loc,
			  "built-in variable %s is not supported: %s", b->name,
			  b->what);
	if ((b->engines & cx->lang->host.engines) == 0)
		lang_fail(cx, &D_VAR_UNSUP, loc,
			  "built-in variable %s is not supported here",
			  b->name);
}

/* this->NAME, where the clauses that make a probe have left a value. */
static struct node *
made_var(struct compile *cx, struct src_loc loc, const char *name)
{
	struct node *n = node_new(cx, NODE_THIS, loc);
	struct ident *id = names_find(cx, DIF_SCOPE_LOCAL, name);

	n->name = name;
	if (id == NULL) {
		id = names_add(cx, DIF_SCOPE_LOCAL, ID_VAR, name,
			       dtype_named(cx, "int64_t"), loc);
		names_make_var(cx, id, DIF_SCOPE_LOCAL, NULL, 0);
	}
	use_scalar_var(cx, n, id);
	return n;
}

struct node *
check_made_fires(struct compile *cx, struct src_loc loc)
{
	return made_var(cx, loc, "__fires");
}

static bool
is_made(struct compile *cx)
{
	const struct clause_cx *cl = clause_of(cx);

	return cl != NULL && cl->info != NULL && cl->info->made;
}

static struct node *
made_arg(struct compile *cx, struct src_loc loc, unsigned n)
{
	return made_var(cx, loc, arena_printf(cx->arena, "__arg%u", n));
}

/* Who asked for a variable that not all engines have: for their messages. */
static void
note_within(struct compile *cx, const struct dif_builtin_info *b)
{
	struct clause_cx *cl = clause_of(cx);
	const struct expansion *x = cx->expansion;

	if (cl == NULL || cl->within != NULL || x == NULL ||
	    b->engines == (DIF_ENG_K | DIF_ENG_P))
		return;
	while (x->up != NULL)
		x = x->up;
	cl->within = arena_printf(cx->out, "%s%s", x->name,
				  x->nargs != 0 ? "[]" : "");
	cl->within_var = b->id;
}

static void
name_builtin(struct compile *cx, struct node *n,
	     const struct dif_builtin_info *b)
{
	if (is_made(cx) && b->id >= DIF_VAR_arg0 && b->id <= DIF_VAR_arg9) {
		*n = *made_arg(cx, n->loc, b->id - DIF_VAR_arg0);
		return;
	}
	if (b->kind != DIF_BK_SCALAR)
		lang_fail(cx, &D_IDENT_BADREF, n->loc,
			  "array %s may not be used without an index%s",
			  b->name,
			  b->id == DIF_VAR_args ?
				  " (args[0], args[1] ...: dtrace -lvn PROBE "
				  "says which they are)" : "");
	check_builtin_served(cx, b, n->loc);
	note_within(cx, b);
	n->type = parse_type_text(cx, b->type);
	n->ref = REF_BUILTIN;
	n->ident = b;
	n->lvalue = true;
	n->user = type_is_user_ptr(n->type);
	if (b->id >= DIF_VAR_arg0 && b->id <= DIF_VAR_arg9 &&
	    clause_of(cx) != NULL)
		clause_of(cx)->args_used |= BIT(b->id - DIF_VAR_arg0);
}

static const char *
pdesc_text(struct compile *cx)
{
	const struct dif_pdesc *pd = clause_of(cx)->pdesc;

	return arena_printf(cx->arena, "%s:%s:%s:%s", pd->prov, pd->mod,
			    pd->func, pd->name);
}

/* Ask for types that are dear to learn. */
static void
args_ask(struct compile *cx, const struct node *n)
{
	const struct lang_host *h = &cx->lang->host;
	const struct dif_pdesc *pd = clause_of(cx)->pdesc;
	struct lang_probe_info *pi = clause_of(cx)->info;
	struct err e = { 0 };

	if (!pi->later || h->probe_args == NULL)
		return;
	if (h->probe_args(h->arg, pd, pi, &e) != 0)
		lang_fail(cx, e.tag != NULL ? e.tag : &D_PDESC_INVAL, n->loc,
			  "%s", e.msg);
	check_prov_types(cx, pd, pi);
}

/* args[i] is of type t and no value: what there is instead, as the end of a
   message. */
static const char *
args_instead(struct compile *cx, const struct lang_probe_info *pi, int64_t i,
	     struct type *t)
{
	if (t->kind == TYPE_FLOAT)
		return ": the processor's registers of floating point are "
		       "not read (what is in memory is: print(*(double "
		       "*)copyin(ADDRESS, 8)))";
	if (!type_is_sou(t) || (pi->unread >> i & 1) != 0 || pi->map[i] > 9 ||
	    strncmp(pdesc_text(cx), "pid", 3) != 0)
		return "";
	return arena_printf(cx->arena, " (its words begin at arg%u)",
			    pi->map[i]);
}

/* The type of args[i] of the probes being compiled for. */
static struct type *
args_type(struct compile *cx, struct node *n, int64_t i)
{
	const struct lang_probe_info *pi;
	struct type *t, *r;

	if (clause_of(cx) == NULL || clause_of(cx)->info == NULL)
		lang_fail(cx, &D_ARGS_NONE, n->loc,
			  "args[] may not be used outside a clause");
	args_ask(cx, n);
	pi = clause_of(cx)->info;
	if (pi->mixed)
		lang_fail(cx, &D_ARGS_MULTI, n->loc,
			  "args[] may not be used: the probes that match %s "
			  "have arguments of different types",
			  pdesc_text(cx));
	if (!pi->typed && pi->nmatch == 0) { /* zdefs: nobody knows */
		clause_of(cx)->args_unknown = true;
		return dtype_named(cx, "uint64_t");
	}
	if (!pi->typed)
		lang_fail(cx, &D_ARGS_IDX, n->loc,
			  "args[] may not be used: the arguments of %s have "
			  "no types%s%s (use arg0 to arg9)",
			  pdesc_text(cx), pi->why != NULL ? ": " : "",
			  pi->why != NULL ? pi->why : "");
	if (i < 0 || i >= (int64_t)pi->nargs || i >= DIF_NARGS)
		lang_fail(cx, &D_ARGS_IDX, n->loc,
			  "index %lld is out of range: %s has %u typed "
			  "arguments",
			  (long long)i, pdesc_text(cx), pi->nargs);
	t = pi->args[i];
	if (t == NULL)
		return dtype_named(cx, "uint64_t");
	r = type_resolve(t);
	if ((pi->unread >> i & 1) != 0 && type_is_scalar(r))
		lang_fail(cx, &D_ARGS_TYPE, n->loc,
			  "args[%lld], a %s, is not where tracing looks for "
			  "arguments: it lies too far up on the stack",
			  (long long)i, lang_type_name(cx, t));
	if ((pi->unread >> i & 1) != 0 ||
	    (!type_is_scalar(r) && r->kind != TYPE_FLOAT))
		lang_fail(cx, &D_ARGS_TYPE, n->loc,
			  "args[%lld] has type %s, which cannot be had by "
			  "value%s",
			  (long long)i, lang_type_name(cx, t),
			  args_instead(cx, pi, i, r));
	return t;
}

/* args[i]: made from a raw argument, and translated if the probe says so. */
static void
use_args(struct compile *cx, struct node *n, uint64_t i)
{
	const struct lang_probe_info *pi;
	struct node *idx = n->args[0];
	uint8_t raw;

	n->type = args_type(cx, n, (int64_t)i);
	n->user = type_is_user_ptr(n->type);
	pi = clause_of(cx)->info;
	raw = pi->map[i];
	if (is_made(cx)) {
		bool user = n->user;
		*n = *conv_to(cx, made_arg(cx, n->loc, raw), n->type);
		n->user = user;
	} else {
		clause_of(cx)->args_used |= BIT(raw);
		n->args[0] = node_int(cx, idx->loc, raw, idx->type);
	}
	if (pi->xlate[i] != NULL)
		check_xlate_args(cx, n, i, pi->xlate[i]);
}

/* regs[idx] or uregs[idx] is no register that there is here: say so. */
static _Noreturn void
no_register(struct compile *cx, const char *array, struct src_loc loc,
	    uint64_t idx)
{
	static const struct {
		uint64_t idx;
		const char *name, *why;
	} absent[] = {
#define REG(idx, NAME)
#define NOREG(idx, NAME, why) { idx, "R_" #NAME, why },
#include "dif/reg.def"
#undef REG
	};

	for (size_t i = 0; i < sizeof(absent) / sizeof(*absent); i++)
		if (absent[i].idx == idx)
			lang_fail(cx, &D_REGS_IDX, loc,
				  "register %s is not known here: %s",
				  absent[i].name, absent[i].why);
	lang_fail(cx, &D_REGS_IDX, loc, "index %lld is out of range for %s[]",
		  (long long)idx, array);
}

static void
check_builtin_array(struct compile *cx, struct node *n,
		    const struct dif_builtin_info *b)
{
	struct node *idx;

	check_builtin_served(cx, b, n->loc);
	if (n->nargs != 1)
		lang_fail(cx, &D_PROTO_LEN, n->loc,
			  "%s[] takes one index, not %u", b->name, n->nargs);
	idx = n->args[0] = check_rvalue(cx, n->args[0]);
	if (!type_is_integer(idx->type) ||
	    (b->kind == DIF_BK_ARGS && !idx->is_const))
		lang_fail(cx, &D_PROTO_ARG, idx->loc,
			  "the index of %s[] must be an integer%s", b->name,
			  b->kind == DIF_BK_ARGS ? " constant" : "");
	n->ref = REF_BUILTIN;
	n->ident = b;
	n->lvalue = true;
	if (b->kind == DIF_BK_ARGS) {
		use_args(cx, n, idx->ival);
		return;
	}
	if (idx->is_const && idx->ival >= DIF_NUREGS)
		no_register(cx, b->name, idx->loc, idx->ival);
	n->type = parse_type_text(cx, b->type);
	n->args[0] = conv_to(cx, idx, dtype_named(cx, "uint64_t"));
}

/* ---- D's variables ------------------------------------------------------ */

static void
use_var(struct compile *cx, struct node *n, struct ident *id)
{
	n->ref = REF_VAR;
	n->ident = id;
	n->type = id->type;
	n->lvalue = true;
	n->user = type_is_user_ptr(id->type);
	if (id->var->scope == DIF_SCOPE_LOCAL && clause_of(cx) != NULL)
		clause_of(cx)->uses_locals = true;
}

static const char *
scope_prefix(const struct node *n)
{
	if (n->kind == NODE_SELF)
		return "self->";
	return n->kind == NODE_THIS ? "this->" : "";
}

static void
use_scalar_var(struct compile *cx, struct node *n, struct ident *id)
{
	if (id->assoc)
		lang_fail(cx, &D_IDENT_BADREF, n->loc,
			  "associative array %s%s may not be used without an "
			  "index",
			  scope_prefix(n), n->name);
	use_var(cx, n, id);
}

/* True if a value of this type may be part of a tuple. */
static bool
is_key_type(struct type *t)
{
	return type_is_scalar(t) || type_is_strcompat(t) || type_is_sou(t);
}

void
check_key_xlate(struct compile *cx, const struct node *k, uint32_t i)
{
	if (k->kind == NODE_XLATE)
		lang_fail(cx, &D_KEY_TYPE, k->loc,
			  "key #%u is a translated value, which may not be a "
			  "key: use its members",
			  i + 1);
}

static void
check_keys(struct compile *cx, struct node *n)
{
	for (uint32_t i = 0; i < n->nargs; i++) {
		struct node *k = n->args[i];

		if (check_key_action(cx, k) != NULL)
			lang_fail(cx, &D_KEY_TYPE, k->loc,
				  "%s() may be a key of aggregations only",
				  k->name);
		check_expr(cx, k);
		check_key_xlate(cx, k, i);
		if (!is_key_type(k->type) &&
		    type_resolve(k->type)->kind != TYPE_ARRAY)
			lang_fail(cx, &D_KEY_TYPE, k->loc,
				  "key #%u has type %s, which may not be a key",
				  i + 1, lang_type_name(cx, k->type));
	}
}

/* a[k1, k2] of an associative array: keys converted to its signature. */
static void
use_assoc(struct compile *cx, struct node *n, struct ident *id)
{
	if (n->nargs != id->nkeys)
		lang_fail(cx, &D_PROTO_LEN, n->loc,
			  "associative array %s takes %u key%s, not %u",
			  id->name, id->nkeys, id->nkeys == 1 ? "" : "s",
			  n->nargs);
	for (uint32_t i = 0; i < n->nargs; i++)
		n->args[i] = conv_assign(
			cx, id->keys[i], n->args[i], n->args[i]->loc,
			&D_PROTO_ARG,
			arena_printf(cx->arena, "key #%u of %s is incompatible",
				     i + 1, id->name));
	use_var(cx, n, id);
}

/*
 * The type of a key of an array that is made by use: strings as strings, and
 * every integer in 64 bits, so that later uses lose nothing.
 */
static struct type *
implicit_key(struct compile *cx, struct node *k)
{
	if (type_is_strcompat(k->type) && !type_is_ptr(k->type))
		return dtype_basic(cx, TYPE_B_STRING);
	if (type_is_integer(k->type))
		return dtype_named(cx, type_is_signed(k->type) ||
						      type_size(k->type) < 8
					      ? "int64_t"
					      : "uint64_t");
	return type_unqual(conv_decay(cx, k)->type);
}

uint32_t
check_keys_max(const struct compile *cx)
{
	const struct lang_limits *lim = cx->src->limits;

	return lim != NULL && lim->tregs != 0 ? lim->tregs : DIF_NTUPLE;
}

static struct ident *
make_assoc(struct compile *cx, struct node *n, enum dif_scope scope,
	   const char *name, struct type *type)
{
	struct type **keys = arena_calloc(cx->arena, n->nargs, sizeof(*keys));
	struct ident *id;

	if (n->nargs > check_keys_max(cx) - (scope == DIF_SCOPE_THREAD))
		lang_fail(cx, &D_PROTO_LEN, n->loc,
			  "associative array %s has too many keys", name);
	for (uint32_t i = 0; i < n->nargs; i++)
		keys[i] = implicit_key(cx, n->args[i]);
	id = names_add(cx, scope, ID_VAR, name, type, n->loc);
	names_make_var(cx, id, scope, keys, n->nargs);
	return id;
}

static struct ident *
make_scalar(struct compile *cx, struct node *n, enum dif_scope scope,
	    struct type *type)
{
	struct ident *id = names_add(cx, scope, ID_VAR, n->name, type, n->loc);

	names_make_var(cx, id, scope, NULL, 0);
	return id;
}

static bool
is_known_name(struct compile *cx, const char *name)
{
	struct type *t;
	int64_t val;

	return names_is_variable(cx, name) || names_constant(name, &val) ||
	       type_lookup_enumerator(cx->types, name, false, &val, &t);
}

bool
check_implicit(struct compile *cx, struct node *n, struct type *type)
{
	enum dif_scope scope = DIF_SCOPE_GLOBAL;

	if (n->kind == NODE_SELF || n->kind == NODE_THIS) {
		scope = n->kind == NODE_SELF ? DIF_SCOPE_THREAD
					     : DIF_SCOPE_LOCAL;
		if (names_find(cx, scope, n->name) != NULL)
			return false;
		if (n->kind == NODE_SELF && n->nargs > 0) {
			check_keys(cx, n);
			use_assoc(cx, n,
				  make_assoc(cx, n, scope, n->name, type));
		} else {
			use_var(cx, n, make_scalar(cx, n, scope, type));
		}
		return true;
	}
	if (n->kind == NODE_IDENT) {
		if (is_known_name(cx, n->name))
			return false;
		use_var(cx, n, make_scalar(cx, n, scope, type));
		return true;
	}
	if (n->left->kind == NODE_THIS &&
	    names_find(cx, DIF_SCOPE_LOCAL, n->left->name) == NULL)
		lang_fail(cx, &D_ARR_LOCAL, n->loc,
			  "this->%s may not be an associative array: "
			  "clause-local variables cannot",
			  n->left->name);
	if (n->left->kind != NODE_IDENT || is_known_name(cx, n->left->name))
		return false;
	check_keys(cx, n);
	use_assoc(cx, n, make_assoc(cx, n, scope, n->left->name, type));
	return true;
}

void
check_thread_or_local(struct compile *cx, struct node *n)
{
	enum dif_scope scope =
		n->kind == NODE_SELF ? DIF_SCOPE_THREAD : DIF_SCOPE_LOCAL;
	struct ident *id = names_find(cx, scope, n->name);
	struct node *base;

	if (id == NULL)
		lang_fail(cx, &D_VAR_UNDEF, n->loc,
			  "%s%s has not yet been declared or assigned%s",
			  scope_prefix(n), n->name,
			  check_near_var(cx, scope, n->name));
	if (n->nargs == 0) {
		use_scalar_var(cx, n, id);
		return;
	}
	if (id->assoc) {
		check_keys(cx, n);
		use_assoc(cx, n, id);
		return;
	}
	/* An ordinary subscript of a pointer or array kept per thread. */
	base = node_copy(cx, n);
	base->args = NULL;
	base->nargs = 0;
	n->kind = NODE_SUB;
	n->left = base;
	check_subscript(cx, n);
}

/* ---- plain identifiers -------------------------------------------------- */

/* What nobody knows of the kernel may be a variable of a program. */
static const char *
program_hint(struct compile *cx, const char *mod, const char *name)
{
	const struct lang_host *h = &cx->lang->host;
	const struct clause_cx *cl = clause_of(cx);
	struct type *t = NULL;
	const char *why = NULL;
	uint64_t addr;
	int rc = -1;

	if (strchr(mod, '.') != NULL)
		return " (a program's variables are had in clauses on probes of "
		       "its process)";
	if (mod[0] == '\0' && cl != NULL && h->user_var != NULL)
		rc = h->user_var(h->arg, cl->pdesc, 1, "a.out", name, &addr, &t,
				 &why);
	if (rc == 0)
		return arena_printf(cx->arena, " (the program's: a.out`%s)",
				    name);
	if (rc > 0)
		return arena_printf(cx->arena, " (the program has one: %s)",
				    why);
	return h->ksym_hint != NULL ? h->ksym_hint(h->arg, mod, name) : "";
}

static void
use_symbol_at(struct compile *cx, struct node *n, const char *mod,
	      const char *name, struct type *t)
{
	const struct lang_host *h = &cx->lang->host;
	uint64_t addr;

	if (h->ksym == NULL || h->ksym(h->arg, mod, name, &addr) != 0)
		lang_fail(cx, &D_IDENT_UNDEF, n->loc,
			  "failed to resolve %s`%s: unknown symbol%s", mod,
			  name, program_hint(cx, mod, name));
	n->kind = NODE_SYM;
	n->ival = addr;
	n->type = t;
	n->lvalue = true;
}

static bool
use_enumerator(struct compile *cx, struct node *n, bool kernel)
{
	struct type *t;
	int64_t val;

	if (!type_lookup_enumerator(cx->types, n->name, kernel, &val, &t))
		return false;
	if (t == NULL)
		lang_fail(cx, &D_IDENT_AMBIG, n->loc,
			  "enumerator %s has several values in the kernel: "
			  "compare it with, or cast it to, the type of one",
			  n->name);
	*n = *node_int(cx, n->loc, (uint64_t)val, t);
	return true;
}

/* What may have been meant; a name that is compared with text is perhaps text
   without its quotes. */
static const char *
name_hint(struct compile *cx, const char *name)
{
	const char *near = check_near_var(cx, DIF_SCOPE_GLOBAL, name);

	if (*near != '\0' || cx->beside == NULL || !type_is_string(cx->beside))
		return near;
	return arena_printf(cx->arena, " (text is written in quotes: \"%s\")",
			    name);
}

/* n becomes the constant, if the type has it. */
static void
check_enumerator_of(struct compile *cx, struct node *n, struct type *type)
{
	const struct type_enumerator *v;
	size_t k;

	v = type_enumerators(type, &k);
	for (size_t i = 0; i < k; i++)
		if (strcmp(v[i].name, n->name) == 0) {
			*n = *node_int(cx, n->loc, (uint64_t)v[i].val, type);
			return;
		}
}

void
check_enumerator(struct compile *cx, struct node *n, struct type *type)
{
	if (n->kind == NODE_IDENT && !names_is_variable(cx, n->name))
		check_enumerator_of(cx, n, type);
}

/* One of the program that the clause is about, or of its object mod. */
static bool
use_user_enumerator(struct compile *cx, struct node *n, const char *mod)
{
	const struct lang_host *h = &cx->lang->host;
	const struct clause_cx *cl = clause_of(cx);
	const char *why = NULL;
	struct type *t;

	if (h->user_type == NULL)
		return false;
	t = h->user_type(h->arg, cl != NULL ? cl->pdesc : NULL, cl != NULL,
			 mod,
			 arena_printf(cx->arena, TYPE_ENUMERATOR "%s", n->name),
			 &why);
	if (why != NULL)
		lang_fail(cx, &D_IDENT_AMBIG, n->loc, "enumerator %s", why);
	if (t != NULL)
		check_enumerator_of(cx, n, t);
	return t != NULL && n->kind == NODE_INT;
}

static bool
use_constant(struct compile *cx, struct node *n)
{
	int64_t val;

	if (!names_constant(n->name, &val))
		return false;
	*n = *node_int(cx, n->loc, (uint64_t)val, dtype_basic(cx, TYPE_B_INT));
	return true;
}

void
check_ident(struct compile *cx, struct node *n)
{
	const struct dif_builtin_info *b = names_builtin(cx, n->name);
	struct ident *id = names_find(cx, DIF_SCOPE_GLOBAL, n->name);

	if (b != NULL) {
		name_builtin(cx, n, b);
		return;
	}
	if (id != NULL && id->kind == ID_VAR) {
		use_scalar_var(cx, n, id);
		return;
	}
	if (id != NULL && id->kind == ID_INLINE) {
		if (id->nkeys != 0)
			lang_fail(cx, &D_ARR_BADREF, n->loc,
				  "inline %s may not be used without arguments",
				  n->name);
		check_inline_use(cx, n, id);
		return;
	}
	if (id != NULL) {
		use_symbol_at(cx, n, "", id->name, id->type);
		return;
	}
	if (use_enumerator(cx, n, false) || use_constant(cx, n))
		return;
	if (names_subr(cx, n->name) != NULL || names_act(cx, n->name) != NULL ||
	    names_aggfunc(cx, n->name) != NULL)
		lang_fail(cx, &D_IDENT_BADREF, n->loc,
			  "%s is a function: write %s()", n->name, n->name);
	if (use_user_enumerator(cx, n, NULL))
		return;
	if (use_enumerator(cx, n, true)) /* the kernel's, as the last resort */
		return;
	lang_fail(cx, &D_IDENT_UNDEF, n->loc,
		  "failed to resolve %s: unknown variable name%s", n->name,
		  name_hint(cx, n->name));
}

/* ---- kernel symbols ----------------------------------------------------- */

static struct type *
known_symbol_type(struct compile *cx, const char *name)
{
	static const struct {
		const char *name, *type;
	} known[] = {
#define KSYM(name, type) { #name, type },
#include "lang/ksymtype.def"
#undef KSYM
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strcmp(known[i].name, name) == 0)
			return parse_type_text(cx, known[i].type);
	return NULL;
}

/* A variable of the process that the clause is about: *ADDRESS, which is user
   memory.  false: it is none. */
static bool
use_user_var(struct compile *cx, struct node *n, bool address_only)
{
	const struct lang_host *h = &cx->lang->host;
	const struct clause_cx *cl = clause_of(cx);
	const char *why = NULL;
	struct type *t = NULL;
	uint64_t addr;

	if (h->user_var == NULL || cl == NULL)
		return false;
	if (h->user_var(h->arg, cl->pdesc, 1, n->mod, n->name, &addr, &t,
			&why) != 0) {
		if (why != NULL)
			lang_fail(cx, &D_IDENT_UNDEF, n->loc,
				  "failed to resolve %s`%s: %s", n->mod,
				  n->name, why);
		return false;
	}
	if (t == NULL && !address_only)
		lang_fail(cx, &D_SYM_NOTYPES, n->loc,
			  "no type is known for %s`%s: only its address, "
			  "&%s`%s, may be used (debug information says the "
			  "types of variables)",
			  n->mod, n->name, n->mod, n->name);
	n->ival = addr;
	n->lvalue = true;
	if (t == NULL)
		return true;
	n->kind = NODE_UNARY;
	n->op = TOK_DEREF;
	n->left = node_int(cx, n->loc, addr, type_ptr_user(cx->types, t));
	n->left->user = true;
	deref_pointer(cx, n);
	return true;
}

/* address_only: the operand of &, which needs no type. */
void
check_symbol(struct compile *cx, struct node *n, bool address_only)
{
	const char *mod = n->mod != NULL ? n->mod : "";
	struct type *t;

	if (!address_only && n->mod != NULL && mod[0] != '\0' &&
	    use_user_enumerator(cx, n, mod))
		return;
	if (mod[0] != '\0' && use_user_var(cx, n, address_only))
		return;
	use_symbol_at(cx, n, mod, n->name, NULL);
	t = type_kernel_var(cx->types, mod, n->name);
	if (t == NULL)
		t = known_symbol_type(cx, n->name);
	if (t == NULL)
		t = type_kernel_func(cx->types, mod, n->name);
	if (t == NULL && !address_only)
		lang_fail(cx, &D_SYM_NOTYPES, n->loc,
			  "no type is known for kernel symbol %s`%s: only its "
			  "address, &%s`%s, may be used",
			  mod, n->name, mod, n->name);
	n->type = t;
}

/* ---- subscripts and members --------------------------------------------- */

static void
check_bounds(struct compile *cx, struct node *n, const struct node *idx)
{
	struct type *t = type_resolve(n->left->type);

	if (t->kind != TYPE_ARRAY || !idx->is_const || t->nelems == 0)
		return;
	if (idx->ival >= t->nelems)
		lang_fail(cx, &D_ARR_BOUNDS, n->loc,
			  "index %lld is out of range for %s",
			  (long long)idx->ival, lang_type_name(cx, t));
}

/* An array of the program is as long as it was declared, and an index of it
   that is not known now is looked at when it is.  Those of others end in arrays
   that are longer than they say. */
static void
own_bounds(struct node *n, struct node *idx)
{
	struct type *t = type_resolve(n->left->type);

	if (t->kind == TYPE_ARRAY && !idx->is_const &&
	    node_part_of(n->left) != NULL)
		idx->bound = t->nelems;
}

static struct node *
string_address(struct compile *cx, struct node *s)
{
	struct node *c = node_new(cx, NODE_CAST, s->loc);

	c->left = conv_string(cx, s);
	c->type = c->ctype = type_ptr(cx->types, dtype_basic(cx, TYPE_B_CHAR));
	return c;
}

/* a[i] of pointers and arrays: *(a + i). */
static void
check_index(struct compile *cx, struct node *n)
{
	struct node *sum = node_new(cx, NODE_BINARY, n->loc);
	struct node *idx;

	if (n->nargs != 1)
		lang_fail(cx, &D_ARR_BADREF, n->loc,
			  "an array takes one index, not %u", n->nargs);
	idx = n->args[0] = check_rvalue(cx, n->args[0]);
	if (!type_is_integer(idx->type))
		lang_fail(cx, &D_OP_INT, n->loc,
			  "an index must be an integer, not %s",
			  lang_type_name(cx, idx->type));
	check_bounds(cx, n, idx);
	own_bounds(n, idx);
	sum->op = '+';
	if (type_is_string(n->left->type)) /* a character of a string */
		sum->left = string_address(cx, n->left);
	else
		sum->left = conv_decay(cx, n->left);
	if (!type_is_ptr(sum->left->type))
		lang_fail(cx, &D_OP_PTR, n->loc,
			  "operator [] needs an array or a pointer, not %s",
			  lang_type_name(cx, n->left->type));
	sum->type = sum->left->type;
	sum->user = sum->left->user;
	sum->right = check_scale(cx, sum->left, idx, n->loc, '+');
	n->kind = NODE_UNARY;
	n->op = TOK_DEREF;
	n->args = NULL;
	n->nargs = 0;
	n->ref = REF_NONE;
	n->left = sum;
	deref_pointer(cx, n);
}

void
check_subscript(struct compile *cx, struct node *n)
{
	const struct dif_builtin_info *b;
	struct ident *id;

	if (n->left->kind == NODE_IDENT) {
		b = names_builtin(cx, n->left->name);
		id = names_find(cx, DIF_SCOPE_GLOBAL, n->left->name);
		if (b != NULL && b->kind != DIF_BK_SCALAR) {
			check_builtin_array(cx, n, b);
			return;
		}
		if (id != NULL && id->assoc) {
			check_keys(cx, n);
			use_assoc(cx, n, id);
			return;
		}
		if (id != NULL && id->kind == ID_INLINE && id->nkeys != 0) {
			check_inline_use(cx, n, id);
			return;
		}
		if (!is_known_name(cx, n->left->name))
			lang_fail(cx, &D_VAR_UNDEF, n->loc,
				  "%s[] has not yet been declared or assigned",
				  n->left->name);
	}
	if (n->left->kind == NODE_THIS &&
	    names_find(cx, DIF_SCOPE_LOCAL, n->left->name) == NULL)
		lang_fail(cx, &D_VAR_UNDEF, n->loc,
			  "this->%s has not yet been declared or assigned",
			  n->left->name);
	check_expr(cx, n->left);
	check_index(cx, n);
}

/* The aligned unit from which a bit-field is read: 1, 2, 4 or 8 bytes. */
static void
bit_unit(struct compile *cx, struct node *n, uint64_t bit_off, uint32_t bits)
{
	for (unsigned size = 1; size <= 8; size *= 2) {
		uint64_t unit = bit_off / (size * 8);

		if ((bit_off + bits - 1) / (size * 8) != unit)
			continue;
		n->unit = (uint8_t)size;
		n->ival = unit * size;
		n->bit_shift = (uint32_t)(bit_off - unit * size * 8);
		n->bits = bits;
		return;
	}
	lang_fail(cx, &D_TYPE_ERR, n->loc,
		  "bit-field %s crosses a 64-bit boundary", n->name);
}

void
check_place_bits(struct compile *cx, struct node *n,
		 const struct type_member *m, uint64_t bit_off)
{
	if (m->bits != 0)
		bit_unit(cx, n, bit_off, m->bits);
	else
		n->ival = bit_off / 8;
}

/* No members: if the kernel's types are out of reach, that is why. */
static _Noreturn void
member_unknown(struct compile *cx, const struct node *n, const char *op,
	       struct type *t)
{
	const char *why = type_space_kernel_error(cx->lang->host.types);

	lang_fail(cx, &D_OP_INCOMPLETE, n->loc,
		  "operator %s cannot be applied to %s: its members are not "
		  "known%s%s",
		  op, lang_type_name(cx, t), why != NULL ? ": " : "",
		  why != NULL ? why : "");
}

/* True for arg0 to arg9, which are numbers. */
static bool
is_argn(const struct node *n)
{
	return n->kind == NODE_IDENT && n->ref == REF_BUILTIN &&
	       strncmp(n->name, "arg", 3) == 0 && n->name[3] >= '0' &&
	       n->name[3] <= '9';
}

static void
arrow_fail(struct compile *cx, const struct node *n)
{
	struct type *t = n->left->type;

	if (cx->clause != NULL && clause_of(cx)->args_unknown)
		lang_fail(cx, &D_OP_PTR, n->loc,
			  "operator -> needs a pointer, not %s: no probe "
			  "matches %s yet, so its args[] have no types (cast "
			  "them, or trace when what has the probe is there)",
			  lang_type_name(cx, t), pdesc_text(cx));
	lang_fail(cx, &D_OP_PTR, n->loc,
		  "operator -> needs a pointer, not %s%s",
		  lang_type_name(cx, t),
		  type_is_sou(type_resolve(t)) ? " (use .)" :
		  is_argn(n->left) ? " (cast it, or use args[])" : "");
}

/* p->m becomes (*p).m. */
static void
arrow_base(struct compile *cx, struct node *n)
{
	struct node *d = node_new(cx, NODE_UNARY, n->loc);
	struct type *t;

	d->left = conv_decay(cx, n->left);
	if (!type_is_ptr(d->left->type))
		arrow_fail(cx, n);
	t = type_resolve(d->left->type)->ref;
	d->op = TOK_DEREF;
	d->type = t;
	d->lvalue = true;
	d->user = d->left->user;
	n->left = d;
	n->kind = NODE_MEMBER;
}

void
check_member(struct compile *cx, struct node *n)
{
	const char *op = n->kind == NODE_ARROW ? "->" : ".";
	const struct type_member *m;
	struct type *t;
	uint64_t off;

	check_expr(cx, n->left);
	if (check_xlate_member(cx, n))
		return;
	if (n->kind == NODE_ARROW)
		arrow_base(cx, n);
	t = type_complete(cx->types, type_resolve(n->left->type));
	if (is_incomplete(t))
		member_unknown(cx, n, op, t);
	if (!type_is_sou(t))
		lang_fail(cx, &D_OP_SOU, n->loc,
			  "operator %s needs a struct or union, not %s%s", op,
			  lang_type_name(cx, t),
			  type_is_ptr(t) ? " (use ->)" : "");
	m = type_member(t, n->name, &off);
	if (m == NULL)
		lang_fail(cx, &D_TYPE_MEMBER, n->loc,
			  "%s is not a member of %s%s", n->name,
			  lang_type_name(cx, t),
			  check_near_member(cx, t, n->name));
	n->type = m->type;
	n->lvalue = n->left->lvalue;
	n->user = type_is_user_ptr(m->type) ||
		  (node_in_user(n) && !type_is_integer(m->type));
	check_place_bits(cx, n, m, off);
}
