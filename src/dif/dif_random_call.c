/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dif_random_call.c - calls of subroutines in random programs: most with
 * arguments that mean something to them, some with bad ones.
 */
#include "dif/dif_random_impl.h"

/* ---- subroutines --------------------------------------------------------- */

/*
 * Arguments: s string, n number, o optional number, c character, b optional
 * base, f family of addresses, m MEM_BYTES bytes, z how many of them, j JSON,
 * p a path in that; x a bad address, h any number.  Result: s string, n
 * number, - what is not looked at.
 */
struct rnd_subr {
	enum dif_subr id;
	const char *args;
	char result;
};
static const struct rnd_subr rnd_subrs[] = {
	{ DIF_SUBR_strlen, "s", 'n' },	   { DIF_SUBR_strjoin, "ss", 's' },
	{ DIF_SUBR_basename, "s", 's' },   { DIF_SUBR_dirname, "s", 's' },
	{ DIF_SUBR_strchr, "sc", 's' },	   { DIF_SUBR_strrchr, "sc", 's' },
	{ DIF_SUBR_strstr, "ss", 's' },	   { DIF_SUBR_substr, "sno", 's' },
	{ DIF_SUBR_index, "sso", 'n' },	   { DIF_SUBR_rindex, "sso", 'n' },
	{ DIF_SUBR_toupper, "s", 's' },	   { DIF_SUBR_tolower, "s", 's' },
	{ DIF_SUBR_htons, "n", 'n' },	   { DIF_SUBR_htonl, "n", 'n' },
	{ DIF_SUBR_htonll, "n", 'n' },	   { DIF_SUBR_ntohs, "n", 'n' },
	{ DIF_SUBR_ntohl, "n", 'n' },	   { DIF_SUBR_ntohll, "n", 'n' },
	{ DIF_SUBR_getmajor, "n", 'n' },   { DIF_SUBR_getminor, "n", 'n' },
	{ DIF_SUBR_lltostr, "nb", 's' },   { DIF_SUBR_strtoll, "sb", 'n' },
	{ DIF_SUBR_cleanpath, "s", 's' },  { DIF_SUBR_strtok, "ss", 's' },
	{ DIF_SUBR_inet_ntop, "fm", 's' }, { DIF_SUBR_inet_ntoa, "m", 's' },
	{ DIF_SUBR_inet_ntoa6, "mo", 's' }, { DIF_SUBR_speculation, "", 'n' },
	{ DIF_SUBR_json, "jp", 's' },	   { DIF_SUBR_json, "jp", 's' },
	{ DIF_SUBR_json, "sp", 's' },	   { DIF_SUBR_memstr, "mcz", 's' },
	{ DIF_SUBR_link_ntop, "fm", 's' }, { DIF_SUBR_uuidtostr, "m", 's' },
	{ DIF_SUBR_bcopy, "mmz", '-' },
};
/* Most of these fault. */
static const struct rnd_subr rnd_hostile[] = {
	{ DIF_SUBR_alloca, "h", '-' },	     { DIF_SUBR_bcopy, "xmz", '-' },
	{ DIF_SUBR_bcopy, "mxz", '-' },	     { DIF_SUBR_bcopy, "mxh", '-' },
	{ DIF_SUBR_copyin, "xz", '-' },	     { DIF_SUBR_copyin, "xh", '-' },
	{ DIF_SUBR_copyinstr, "xo", 's' },   { DIF_SUBR_copyinto, "xzm", '-' },
	{ DIF_SUBR_copyinto, "xhx", '-' },   { DIF_SUBR_memstr, "xch", 's' },
	{ DIF_SUBR_inet_ntop, "fx", 's' },   { DIF_SUBR_inet_ntoa, "x", 's' },
	{ DIF_SUBR_inet_ntoa6, "xo", 's' },  { DIF_SUBR_uuidtostr, "x", 's' },
	{ DIF_SUBR_link_ntop, "fx", 's' },   { DIF_SUBR_strlen, "x", 'n' },
	{ DIF_SUBR_strjoin, "sx", 's' },     { DIF_SUBR_strtok, "sx", 's' },
	{ DIF_SUBR_strstr, "sx", 's' },	     { DIF_SUBR_json, "jx", 's' },
	{ DIF_SUBR_cleanpath, "x", 's' },    { DIF_SUBR_lltostr, "hh", 's' },
	{ DIF_SUBR_strtoll, "sh", 'n' },     { DIF_SUBR_substr, "shh", 's' },
	{ DIF_SUBR_index, "ssh", 'n' },	     { DIF_SUBR_rindex, "ssh", 'n' },
};
#define FAMILY_INET 2
#define FAMILY_INET6 10

/* Numbers that are meant as places in strings are mostly small. */
static unsigned
want_small(struct rnd *g)
{
	unsigned r = pick_dst(g);

	if (one_in(g, 4))
		return want_num(g);
	emit_setx(g, (uint64_t)rnd_below(g, 16) - 4, r);
	set_kind(g, r, RND_NUM);
	return r;
}

/* At least so many bytes: no address is longer that is read as text. */
#define MEM_BYTES 24
static unsigned
want_mem(struct rnd *g)
{
	unsigned r = pick(g, RND_MEM), n;

	if (r != 0 && g->r[r].own && g->r[r].size >= MEM_BYTES)
		return r;
	r = pick_dst(g);
	n = pick_other(g, r);
	emit_setx(g, MEM_BYTES, n);
	set_kind(g, n, RND_NUM);
	emit_r(g, DIF_OP_ALLOCS, n, 0, r);
	g->r[r] = (struct rnd_reg){ .kind = RND_MEM, .size = MEM_BYTES,
				    .own = true };
	return r;
}

/* A register with one of these. */
static unsigned
want_one_of(struct rnd *g, const int8_t *v, uint32_t n)
{
	unsigned r = pick_dst(g);

	emit_setx(g, (uint64_t)(int64_t)v[rnd_below(g, n)], r);
	set_kind(g, r, RND_NUM);
	return r;
}

/* ---- JSON ---------------------------------------------------------------- */

#define JSON_LONGEST 400u

static void
random_put_text(struct rnd *g, const char *s)
{
	while (*s != '\0')
		g->strs[g->nstr++] = *s++;
}

static void
put_one_of(struct rnd *g, const char *const *v, uint32_t n)
{
	random_put_text(g, v[rnd_below(g, n)]);
}

/* A value; begun at `start`, and no longer than fits there. */
static void
put_json(struct rnd *g, uint32_t start, unsigned depth)
{
	static const char *const leaf[] = {
		"0", "-12.5e3", "true", "null", "\"\"", "\"text\"",
		"12345678901",
		"\"a\\\"b\\\\\"", "\"\\u00e9\\u20ac\\ud83d\\ude00\"",
		"\"\\ud800\\n\\u0000\\udc00\\ud800\"", "\"[,]{}\"", "{}", "[]",
		"\"\\u00g0\"", " 7 ",
	};
	static const char *const names[] = { "\"a\":", "\"b\" : ", "\"\":",
					     "\"\\u0061b\":", "\"abc\":" };
	bool array = one_in(g, 2);

	if (depth == 4 || one_in(g, 3) || g->nstr - start > JSON_LONGEST) {
		put_one_of(g, leaf, sizeof(leaf) / sizeof(*leaf));
		return;
	}
	random_put_text(g, array ? "[" : "{");
	for (unsigned i = 0, n = rnd_below(g, 4); i < n; i++) {
		random_put_text(g, i == 0 ? "" : one_in(g, 2) ? ", " : ",");
		if (!array)
			put_one_of(g, names, 5);
		put_json(g, start, depth + 1);
	}
	random_put_text(g, array ? "]" : "}");
}

/* The text that was put since start ends here; it is what r has. */
static unsigned
text_done(struct rnd *g, uint32_t start, unsigned r)
{
	g->strs[g->nstr++] = '\0';
	emit(g, DIF_INSTR_W(DIF_OP_SETS, start, r));
	set_kind(g, r, RND_STR);
	g->r[r].size = g->nstr - start;
	return r;
}

/* A document, now and then with something wrong in it. */
static unsigned
want_json(struct rnd *g)
{
	static const char wrong[] = "{}[],:\"\\ a1";
	uint32_t start = g->nstr;
	unsigned r = pick_dst(g);

	put_json(g, start, 0);
	if (one_in(g, 4))
		g->strs[start + rnd_below(g, g->nstr - start)] =
			wrong[rnd_below(g, sizeof(wrong) - 1)];
	return text_done(g, start, r);
}

static unsigned
want_path(struct rnd *g)
{
	static const char *const parts[] = { "a", "b", "", "ab", "abc", "[0]",
					     "[1]", "[2]", "[12", "[x]",
					     "[00000001]" };
	uint32_t start = g->nstr, n = 1 + rnd_below(g, 3);
	unsigned r = pick_dst(g);

	for (uint32_t i = 0; i < n; i++) {
		const char *p = parts[rnd_below(g, one_in(g, 6) ? 11 : 8)];
		if (i != 0 && (*p != '[' || one_in(g, 8)))
			random_put_text(g, ".");
		random_put_text(g, p);
	}
	return text_done(g, start, r);
}

/* ---- calls --------------------------------------------------------------- */

static unsigned
want_value_of(struct rnd *g, uint64_t v)
{
	unsigned r = pick_dst(g);

	emit_setx(g, v, r);
	set_kind(g, r, RND_NUM);
	return r;
}

/* The register of an argument. */
static unsigned
want_arg(struct rnd *g, char what)
{
	static const int8_t chars[] = { 'a', 'b', '/', ' ', '.', 'z', -1, 0 };
	static const int8_t bases[] = { 0, 2, 8, 10, 16, 36, 1, 37, -1 };
	static const int8_t families[] = { FAMILY_INET, FAMILY_INET6, 7, 1,
					   32 };

	switch (what) {
	case 's': return want_str(g);
	case 'j': return want_json(g);
	case 'p': return want_path(g);
	case 'c': return want_one_of(g, chars, 8);
	case 'b': return want_one_of(g, bases, 9);
	case 'f': return want_one_of(g, families, 5);
	case 'm': return want_mem(g);
	case 'z': return want_value_of(g, rnd_below(g, MEM_BYTES + 1));
	case 'x': return want_value_of(g, bad_address(g));
	case 'h': return want_value_of(g, rnd_value(g));
	default: return want_small(g);
	}
}

static bool
is_text(char what)
{
	return what == 's' || what == 'j' || what == 'p';
}

void
dif_random_call(struct rnd *g)
{
	uint32_t n = sizeof(rnd_subrs) / sizeof(*rnd_subrs);
	uint32_t hostile = sizeof(rnd_hostile) / sizeof(*rnd_hostile);
	const struct rnd_subr *s = one_in(g, 12)
					   ? &rnd_hostile[rnd_below(g, hostile)]
					   : &rnd_subrs[rnd_below(g, n)];
	const struct dif_subr_info *info = dif_subr_by_id(s->id);
	unsigned d;

	if (info == NULL || (info->engines & g->engines) != g->engines)
		return;
	for (const char *a = s->args; *a != '\0'; a++) {
		if ((*a == 'o' || *a == 'b') && one_in(g, 2))
			break;
		unsigned r = want_arg(g, *a);
		if (is_text(*a))
			emit_r(g, DIF_OP_PUSHTR, DIF_TYPE_STRING, 0, r);
		else
			emit_r(g, DIF_OP_PUSHTV, 0, 0, r);
	}
	d = pick_dst(g);
	emit(g, DIF_INSTR_W(DIF_OP_CALL, s->id, d));
	emit_r(g, DIF_OP_FLUSHTS, 0, 0, 0);
	if (s->result == 's')
		set_kind(g, d, RND_STR);
	else if (s->result == 'n')
		made_num(g, d);
	else
		set_kind(g, d, RND_JUNK);
}
