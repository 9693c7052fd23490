/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * parse_expr.c - expressions, by precedence climbing, into the tree of
 * node.h.
 *
 * The grammar is C's with D's operators (^^, stringof, xlate), and has C's one
 * ambiguity: (name) may be a cast.  It is one if name is no variable and a type
 * is so called; the type is looked up, which may read the kernel's, only where
 * a cast could stand.
 *
 * The parser recurses to PARSE_MAX_DEPTH, and no tree is higher than
 * PARSE_MAX_HEIGHT, so that the passes over it may recurse too.
 */
#include "lang/parse/parse_impl.h"

#include <string.h>

/* ---- nodes --------------------------------------------------------------- */

static void
height_of(struct node *n, const struct node *child)
{
	if (child != NULL && child->height >= n->height)
		n->height = child->height + 1;
}

struct node *
parse_seal(struct compile *cx, struct node *n)
{
	height_of(n, n->left);
	height_of(n, n->right);
	height_of(n, n->cond);
	for (uint32_t i = 0; i < n->nargs; i++)
		height_of(n, n->args[i]);
	for (uint32_t i = 0; i < n->nbody; i++)
		height_of(n, n->body[i]);
	for (uint32_t i = 0; i < n->norelse; i++)
		height_of(n, n->orelse[i]);
	if (n->height > PARSE_MAX_HEIGHT)
		lang_fail(cx, &D_SYNTAX, n->loc,
			  "expression is nested too deeply");
	return n;
}

static struct node *
unary_new(struct compile *cx, enum node_kind kind, int op, struct src_loc loc,
	  struct node *left)
{
	struct node *n = node_new(cx, kind, loc);

	n->op = op;
	n->left = left;
	return parse_seal(cx, n);
}

static struct node *
binary_new(struct compile *cx, enum node_kind kind, const struct token *op,
	   struct node *left, struct node *right)
{
	struct node *n = node_new(cx, kind, op->loc);

	n->op = op->tok;
	n->left = left;
	n->right = right;
	return parse_seal(cx, n);
}

static struct node *
named_new(struct compile *cx, enum node_kind kind, const struct token *t)
{
	struct node *n = node_new(cx, kind, t->loc);

	n->name = t->name;
	n->mod = t->mod;
	return n;
}

/* ---- helpers ------------------------------------------------------------- */

void
parse_deeper(struct compile *cx, struct src_loc loc)
{
	if (++cx->parser->depth > PARSE_MAX_DEPTH)
		lang_fail(cx, &D_SYNTAX, loc,
			  "expression is nested too deeply");
}

void
parse_shallower(struct compile *cx)
{
	cx->parser->depth--;
}

bool
parse_is_variable(struct compile *cx, const char *name)
{
	const struct parser *ps = cx->parser;

	for (uint32_t i = 0; i < ps->nparams; i++)
		if (ps->params[i] == name)
			return true;
	for (const struct pending_enum *e = ps->enums; e != NULL; e = e->next)
		if (e->name == name)
			return true;
	return names_is_variable(cx, name);
}

bool
parse_at_member_name(struct compile *cx)
{
	const struct token *t = lex_peek(cx, 0);

	return (t->tok == TOK_IDENT && t->mod == NULL) ||
	       (t->tok == TOK_KEYWORD && (kw_flags(t->kw) & KWF_MEMBER));
}

struct token
parse_member_name(struct compile *cx)
{
	if (lex_peek(cx, 0)->tok == TOK_STR)
		lex_syntax(cx, lex_peek(cx, 0),
			   "the name of a member (strings are joined by "
			   "strjoin(a, b))");
	if (!parse_at_member_name(cx))
		lex_syntax(cx, lex_peek(cx, 0), "the name of a member");
	return lex_next(cx);
}

/* Expressions to the closing token, at least one unless empty is true. */
static void
parse_call_args(struct compile *cx, struct node *n, int close, bool empty)
{
	if (empty && lex_accept(cx, close))
		return;
	do {
		struct node *arg = parse_assign_expr(cx);
		list_push(cx, n->args, n->nargs, arg);
	} while (lex_accept(cx, ','));
	lex_expect(cx, close);
}

/* ---- primaries ----------------------------------------------------------- */

static struct node *
int_new(struct compile *cx, struct src_loc loc, uint64_t val, struct type *type)
{
	struct node *n = node_new(cx, NODE_INT, loc);

	n->ival = val;
	n->type = type;
	return n;
}

static struct node *
parse_name(struct compile *cx, const struct token *t)
{
	if (t->mod != NULL)
		return named_new(cx, NODE_SYM, t);
	for (const struct pending_enum *e = cx->parser->enums; e != NULL;
	     e = e->next)
		if (e->name == t->name)
			return int_new(cx, t->loc, (uint64_t)e->val,
				       type_basic(cx->types, TYPE_B_INT));
	for (uint32_t i = 0; i < cx->parser->nparams; i++)
		if (cx->parser->params[i] == t->name) {
			struct node *n = named_new(cx, NODE_PARAM, t);
			n->ival = i;
			return n;
		}
	return named_new(cx, NODE_IDENT, t);
}

static struct node *
parse_agg(struct compile *cx, const struct token *t)
{
	struct node *n = named_new(cx, NODE_AGG, t);

	if (lex_accept(cx, '[')) {
		n->subscripted = true;
		parse_call_args(cx, n, ']', false);
	}
	return parse_seal(cx, n);
}

/* self->x, self->x[keys], this->x. */
static struct node *
parse_scoped(struct compile *cx, const struct token *t)
{
	lex_expect(cx, TOK_ARROW);
	struct token name = parse_member_name(cx);
	struct node *n =
		named_new(cx, t->kw == KW_self ? NODE_SELF : NODE_THIS, &name);

	n->loc = t->loc;
	if (n->kind == NODE_SELF && lex_accept(cx, '[')) {
		n->subscripted = true;
		parse_call_args(cx, n, ']', false);
	}
	return parse_seal(cx, n);
}

/* offsetof(type, member), __has_member(type, member) */
static struct node *
parse_of_member(struct compile *cx, const struct token *t, enum node_kind kind)
{
	struct node *n = node_new(cx, kind, t->loc);
	bool lazy = cx->parser->lazy;

	lex_expect(cx, '(');
	/* Nobody need know a type that is only asked about. */
	cx->parser->lazy = lazy || kind == NODE_HAS_MEMBER;
	n->ctype = parse_type_mention(cx);
	cx->parser->lazy = lazy;
	lex_expect(cx, ',');
	n->name = parse_member_name(cx).name;
	lex_expect(cx, ')');
	return n;
}

static struct node *
parse_xlate(struct compile *cx, const struct token *t)
{
	struct node *n = node_new(cx, NODE_XLATE, t->loc);

	lex_expect(cx, '<');
	n->ctype = parse_type_name(cx);
	lex_expect(cx, '>');
	lex_expect(cx, '(');
	n->left = parse_expr(cx);
	lex_expect(cx, ')');
	return parse_seal(cx, n);
}

static struct node *
parse_keyword(struct compile *cx, const struct token *t)
{
	switch (t->kw) {
	case KW_self:
	case KW_this:
		return parse_scoped(cx, t);
	case KW_offsetof:
		return parse_of_member(cx, t, NODE_OFFSETOF);
	case KW___has_member:
		return parse_of_member(cx, t, NODE_HAS_MEMBER);
	case KW_xlate:
		return parse_xlate(cx, t);
	default:
		lex_syntax(cx, t, "an expression");
	}
}

struct src_loc
parse_str_loc(const struct node *str, size_t at)
{
	struct src_loc loc = str->loc;
	int n = str->raw != NULL ? lex_written(str->raw, at) : -1;

	if (n >= 0)
		loc.col += n + 1; /* behind the quote */
	return loc;
}

static struct node *
parse_primary(struct compile *cx)
{
	struct token t = lex_next(cx);
	struct node *n;

	switch (t.tok) {
	case TOK_INT:
	case TOK_CHAR:
		n = int_new(cx, t.loc, t.ival, t.type);
		n->chars = t.tok == TOK_CHAR;
		return n;
	case TOK_STR:
		n = node_new(cx, NODE_STR, t.loc);
		n->str = t.str;
		n->raw = t.raw;
		n->len = t.len;
		return n;
	case TOK_IDENT:
		return parse_name(cx, &t);
	case TOK_AGG:
		return parse_agg(cx, &t);
	case TOK_KEYWORD:
		return parse_keyword(cx, &t);
	case '(':
		n = parse_expr(cx);
		lex_expect(cx, ')');
		return n;
	default:
		lex_syntax(cx, &t, "an expression");
	}
}

/* ---- postfix ------------------------------------------------------------- */

static struct node *
parse_call(struct compile *cx, struct node *callee, const struct token *t)
{
	if (callee->kind != NODE_IDENT)
		lang_fail(cx, &D_FUNC_IDENT, t->loc,
			  "call of something that is not the name of a "
			  "function");
	struct node *n = node_new(cx, NODE_CALL, callee->loc);
	n->name = callee->name;
	parse_call_args(cx, n, ')', true);
	return parse_seal(cx, n);
}

static struct node *
parse_member(struct compile *cx, struct node *left, const struct token *t)
{
	struct node *n =
		node_new(cx, t->tok == '.' ? NODE_MEMBER : NODE_ARROW, t->loc);

	n->left = left;
	n->name = parse_member_name(cx).name;
	return parse_seal(cx, n);
}

static struct node *
parse_postfix(struct compile *cx)
{
	struct node *n = parse_primary(cx);

	for (;;) {
		struct token t = *lex_peek(cx, 0);
		switch (t.tok) {
		case '[': {
			lex_next(cx);
			struct node *sub = node_new(cx, NODE_SUB, t.loc);
			sub->left = n;
			sub->subscripted = true;
			parse_call_args(cx, sub, ']', false);
			n = parse_seal(cx, sub);
			break;
		}
		case '(':
			lex_next(cx);
			n = parse_call(cx, n, &t);
			break;
		case '.':
		case TOK_ARROW:
			lex_next(cx);
			n = parse_member(cx, n, &t);
			break;
		case TOK_INC:
		case TOK_DEC:
			lex_next(cx);
			n = unary_new(cx, NODE_UNARY,
				      t.tok == TOK_INC ? TOK_POSTINC
						       : TOK_POSTDEC,
				      t.loc, n);
			break;
		default:
			return n;
		}
	}
}

/* ---- casts --------------------------------------------------------------- */

/* True if an operand may begin with this token, so that (name) before it is a
   cast. */
static bool
begins_operand(const struct token *t)
{
	switch (t->tok) {
	case TOK_INT:
	case TOK_CHAR:
	case TOK_STR:
	case TOK_IDENT:
	case TOK_AGG:
	case TOK_INC:
	case TOK_DEC:
		return true;
	case TOK_KEYWORD:
		return t->kw == KW_self || t->kw == KW_this ||
		       t->kw == KW_sizeof || t->kw == KW_offsetof ||
		       t->kw == KW___has_member || t->kw == KW_stringof ||
		       t->kw == KW_xlate;
	default:
		return t->tok < 256 && t->tok != 0 &&
		       strchr("(*&-+~!", t->tok) != NULL;
	}
}

/* After (name ) what can only be an operand: the name should be a type. */
static bool
needs_cast(const struct token *t)
{
	return begins_operand(t) && t->tok != TOK_INC && t->tok != TOK_DEC &&
	       (t->tok >= 256 || strchr("~!", t->tok) != NULL);
}

/* Where only a type can stand, a name that is none gets the better error. */
static bool
type_or_fail(struct compile *cx, bool sure)
{
	const struct token *t = lex_peek(cx, 1);

	if (parse_type_at(cx, 1))
		return true;
	if (sure && !(t->mod == NULL && parse_is_variable(cx, t->name)))
		decl_no_type(cx, t);
	return false;
}

/* Past the stars and qualifiers from the i-th token on. */
static size_t
skip_stars(struct compile *cx, size_t i)
{
	for (;; i++) {
		const struct token *t = lex_peek(cx, i);
		if (t->tok != '*' &&
		    !(t->tok == TOK_KEYWORD &&
		      (t->kw == KW_const || t->kw == KW_volatile ||
		       t->kw == KW_restrict)))
			return i;
	}
}

/*
 * At a (: true if this is a type in parentheses.  The shapes that a cast by
 * name can have are (name), (name * ...) and (name (*)...).  strict: what
 * follows the closing one must be an operand.
 */
static bool
at_paren_type(struct compile *cx, bool strict)
{
	const struct token *t = lex_peek(cx, 1);
	size_t i;

	if (t->tok == TOK_KEYWORD)
		return (kw_flags(t->kw) & KWF_TYPE) != 0;
	if (t->tok != TOK_IDENT)
		return false;
	if (lex_peek(cx, 2)->tok == '(') {
		i = skip_stars(cx, 3);
		return i > 3 && lex_peek(cx, i)->tok == ')' &&
		       type_or_fail(cx, false);
	}
	i = skip_stars(cx, 2);
	if (lex_peek(cx, i)->tok != ')')
		return false;
	if (i > 2)
		return type_or_fail(cx, true);
	if (strict && !begins_operand(lex_peek(cx, 3)))
		return false;
	return type_or_fail(cx, strict && needs_cast(lex_peek(cx, 3)));
}

static struct node *
parse_cast(struct compile *cx)
{
	struct token t = lex_next(cx);
	struct node *n = node_new(cx, NODE_CAST, t.loc);

	n->ctype = parse_type_name(cx);
	lex_expect(cx, ')');
	return n;
}

static struct node *parse_unary(struct compile *cx);

static struct node *
parse_sizeof(struct compile *cx, const struct token *t)
{
	if (lex_is(cx, '(') && at_paren_type(cx, false)) {
		struct node *n = parse_cast(cx);
		n->kind = NODE_SIZEOF_TYPE;
		n->loc = t->loc;
		return n;
	}
	return unary_new(cx, NODE_SIZEOF, 0, t->loc, parse_unary(cx));
}

static int
unary_op(int tok)
{
	switch (tok) {
	case '-':
		return TOK_NEG;
	case '+':
		return TOK_POS;
	case '*':
		return TOK_DEREF;
	case '&':
		return TOK_ADDROF;
	case '!':
	case '~':
	case TOK_INC:
	case TOK_DEC:
		return tok;
	default:
		return 0;
	}
}

static struct node *
parse_unary_inner(struct compile *cx)
{
	struct token t = *lex_peek(cx, 0);
	int op = unary_op(t.tok);

	if (op != 0) {
		lex_next(cx);
		return unary_new(cx, NODE_UNARY, op, t.loc, parse_unary(cx));
	}
	if (lex_accept_kw(cx, KW_sizeof))
		return parse_sizeof(cx, &t);
	if (lex_accept_kw(cx, KW_stringof))
		return unary_new(cx, NODE_STRINGOF, 0, t.loc, parse_unary(cx));
	if (t.tok == '(' && at_paren_type(cx, true)) {
		struct node *n = parse_cast(cx);
		n->left = parse_unary(cx);
		return parse_seal(cx, n);
	}
	return parse_postfix(cx);
}

static struct node *
parse_unary(struct compile *cx)
{
	parse_deeper(cx, lex_peek(cx, 0)->loc);
	struct node *n = parse_unary_inner(cx);
	parse_shallower(cx);
	return n;
}

/* ---- binary operators ---------------------------------------------------- */

static struct node *
parse_binary(struct compile *cx, int min)
{
	struct node *left = parse_unary(cx);

	for (;;) {
		struct token op = *lex_peek(cx, 0);
		int level = op_binary_level(op.tok);
		if (level == 0 || level < min)
			return left;
		lex_next(cx);
		struct node *right = parse_binary(cx, level + 1);
		left = binary_new(cx, NODE_BINARY, &op, left, right);
	}
}

struct node *
parse_cond_expr(struct compile *cx)
{
	struct node *cond = parse_binary(cx, 1);
	struct token t = *lex_peek(cx, 0);

	if (!lex_accept(cx, '?'))
		return cond;
	struct node *n = node_new(cx, NODE_COND, t.loc);
	n->cond = cond;
	n->op = '?';
	parse_deeper(cx, t.loc);
	n->left = parse_expr(cx);
	lex_expect(cx, ':');
	/* As in C++: what is to be assigned could not be a ?: anyway. */
	n->right = parse_assign_expr(cx);
	parse_shallower(cx);
	return parse_seal(cx, n);
}

struct node *
parse_assign_expr(struct compile *cx)
{
	struct node *left = parse_cond_expr(cx);
	struct token op = *lex_peek(cx, 0);

	if (op.tok != '=' && (op.tok < TOK_ADD_EQ || op.tok > TOK_RSH_EQ))
		return left;
	lex_next(cx);
	parse_deeper(cx, op.loc);
	struct node *right = parse_assign_expr(cx);
	parse_shallower(cx);
	return binary_new(cx, NODE_ASSIGN, &op, left, right);
}

struct node *
parse_expr(struct compile *cx)
{
	struct node *n = parse_assign_expr(cx);

	while (lex_is(cx, ',')) {
		struct token op = lex_next(cx);
		struct node *right = parse_assign_expr(cx);
		n = binary_new(cx, NODE_COMMA, &op, n, right);
	}
	return n;
}
