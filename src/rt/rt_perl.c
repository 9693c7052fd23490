/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_perl.c - Perl's frames, behind those of the C functions that run them.
 *
 *   thread ──key──▶ interpreter ──▶ COP              where it is
 *                        │
 *                        ▼
 *                     PERL_SI ──prev──▶ PERL_SI ──▶ ...
 *                        │                 │
 *                        ▼                 ▼
 *                   context context    context ...   the innermost last
 *
 * A context is a block, a loop, an eval or a sub; of a sub it has the CV, and
 * the COP from where it was called, whose file and line are its caller's.
 *
 * All of Perl's code is run by one C function (Perl_runops_standard), which
 * other C functions call again: sort, a tied variable, an overloaded operator.
 * So when the walk along the C stack leaves that function, contexts follow, up
 * to one that was entered from C:
 *
 *   - a sub without a place to return to, as call_sv() and sort make it, with
 * the eval that call_sv() has made for it, which has none either;
 *   - an eval whose JMPENV lies in the stack just above: docatch() has called
 * the function again, since somebody below must not be left by a longjmp().
 * Others that have a JMPENV there are known by their code (rt_pl.call);
 *   - the last of a PERL_SI.
 *
 * Names are copied where they are met first, as those of Python (rt_lang.h).
 */
#include "rt/rt_lang.h"

#define PL_KIND	    15u /* of a context's first byte */
#define PL_SUB	    9u	/* CXt_SUB, CXt_FORMAT, CXt_EVAL */
#define PL_FORMAT   10u
#define PL_EVAL	    11u
#define PL_FAKE     0x80u /* CXp_SUB_RE_FAKE: code in a regular expression */
#define PL_MAIN                                                                \
	1u /* in the place of a sub's address, as PL_FORMAT, PL_EVAL           \
	    */
#define PL_CV	    13u	 /* SVt_PVCV, SVt_PVFM: types of what a sub is */
#define PL_FM	    14u
#define PL_NAMED    0x8000u   /* CVf_NAMED: the name is there, without a GV */
#define PL_OOK	    0x2000000u /* SVf_OOK: a hash has a name */
#define PL_ENV	    512u /* docatch()'s JMPENV is so near */
#define PL_CONTEXTS 1024u
#define PL_INFOS    8u
#define PL_PIECE    255u /* bytes of a path that are read at once */

/* ---- names
 * ------------------------------------------------------------------- */

/* A key of a hash table. */
RT_INLINE struct py_str
perl_key(struct rt *rt, uint64_t hek)
{
	struct py_str s = { hek + 8, 0, RT_PY_UTF8 };
	int32_t n;

	if (hek == 0 || rt_uread(rt, rt->unw.buf, 8, hek) != 0)
		return s;
	n = (int32_t)py_half(rt, 4);
	if (n > 0)
		s.n = (uint32_t)n < RT_PY_NAME_MAX / 2 ? (uint32_t)n
						       : RT_PY_NAME_MAX / 2;
	return s;
}

/* The name of a package, from its table of symbols. */
RT_INLINE struct py_str
perl_package(struct rt *rt, uint64_t stash)
{
	const struct rt_pl *pl = &rt->unw.py.pl;
	uint64_t at, count;

	if (stash == 0 || rt_uread(rt, rt->unw.buf, 16, stash) != 0 ||
	    (py_half(rt, 12) & PL_OOK) == 0)
		return perl_key(rt, 0);
	at = py_word(rt, 0);
	if (rt_uread(rt, rt->unw.buf, RT_PL_STASH, at) != 0)
		return perl_key(rt, 0);
	at = py_word(rt, pl->hv_name);
	count = py_half(rt, pl->hv_count);
	return perl_key(rt, count != 0 ? py_load(rt, at) : at);
}

/* A path; what is too long loses its beginning. */
RT_INLINE struct py_str
perl_path(struct rt *rt, uint64_t file)
{
	struct py_str s = { file, 0, RT_PY_UTF8 };
	long n = rt_uread_str(rt, rt->unw.buf, PL_PIECE + 1, file), more;

	if (n <= 0 || n > (long)PL_PIECE + 1)
		return s;
	s.n = (uint32_t)n - 1;
	if (s.n == PL_PIECE) {
		more = rt_uread_str(rt, rt->unw.buf, PL_PIECE + 1,
				    file + PL_PIECE);
		if (more > 0 && more <= (long)PL_PIECE + 1)
			s.n += (uint32_t)more - 1;
	}
	return s;
}

/* Up to eight characters. */
RT_INLINE void
perl_put(struct rt_py_area *a, uint32_t to, uint64_t text)
{
	uint64_t i;

	RT_UNROLL
	for (i = 0; i < 8; i++)
		a->text[rt_bound(to + i, RT_PY_TEXT - 1)] =
			(uint8_t)(text >> 8 * i);
}

#define PL_TEXT(a, b, c, d, e, f, g, h)                                        \
	((uint64_t)(a) | (uint64_t)(b) << 8 | (uint64_t)(c) << 16 |            \
	 (uint64_t)(d) << 24 | (uint64_t)(e) << 32 | (uint64_t)(f) << 40 |     \
	 (uint64_t)(g) << 48 | (uint64_t)(h) << 56)

struct perl_sub {
	uint64_t sub, gv, stash, named;
};

/* What is no sub: its name, of eight bytes at most. */
RT_INLINE uint32_t
perl_fill_other(struct rt *rt, struct rt_py_area *a, struct rt_py_code *c,
		uint64_t sub, const struct py_str *path)
{
	uint32_t at = py_room(a, 8 + path->n), n;

	if (at == RT_PY_TEXT)
		return RT_PY_NO_ROOM;
	n = sub == PL_MAIN ? 4 : sub == PL_EVAL ? 6 : 8;
	perl_put(a, at,
		 sub == PL_MAIN   ? PL_TEXT('m', 'a', 'i', 'n', 0, 0, 0, 0)
		 : sub == PL_EVAL ? PL_TEXT('(', 'e', 'v', 'a', 'l', ')', 0, 0)
		 : sub == PL_FORMAT
			 ? PL_TEXT('(', 'f', 'o', 'r', 'm', 'a', 't', ')')
			 : PL_TEXT('_', '_', 'A', 'N', 'O', 'N', '_', '_'));
	c->text = at;
	c->nname = (uint16_t)n;
	c->nfile = (uint16_t)py_copy(rt, a, at + n, path, RT_PY_NAME_MAX);
	return RT_PY_DONE;
}

/* Copy package::name and the path. */
RT_INLINE uint32_t
perl_fill(struct rt *rt, struct rt_py_area *a, struct rt_py_code *c,
	  const struct perl_sub *s, const struct py_str *path)
{
	const struct rt_pl *pl = &rt->unw.py.pl;
	uint64_t hek = s->gv, stash = s->stash, any;
	struct py_str package, name;
	uint32_t at, all;

	if (!s->named) {
		any = py_load(rt, s->gv);
		hek = py_load(rt, any + pl->gv_name);
		stash = py_load(rt, any + pl->gv_stash);
	}
	package = perl_package(rt, stash);
	name = perl_key(rt, hek);
	if (name.n == 0)
		return perl_fill_other(rt, a, c, PL_SUB, path);
	all = package.n + 2 + name.n;
	at = py_room(a, all + path->n);
	if (at == RT_PY_TEXT)
		return RT_PY_NO_ROOM;
	c->text = at;
	/* What comes later writes over what this does too much. */
	perl_put(a, at + package.n, PL_TEXT(':', ':', 0, 0, 0, 0, 0, 0));
	if (py_copy(rt, a, at, &package, RT_PY_NAME_MAX) == package.n &&
	    py_copy(rt, a, at + package.n + 2, &name, RT_PY_NAME_MAX) == name.n)
		c->nname = (uint16_t)all;
	c->nfile = (uint16_t)py_copy(rt, a, at + all, path, RT_PY_NAME_MAX);
	return RT_PY_DONE;
}

/* The sub's words; 0: it is none. */
RT_INLINE int
perl_sub(struct rt *rt, struct perl_sub *s)
{
	const struct rt_pl *pl = &rt->unw.py.pl;
	uint32_t type;

	if (s->sub <= PL_EVAL)
		return 1;
	if (rt_uread(rt, rt->unw.buf, 16, s->sub) != 0)
		return 0;
	type = py_half(rt, 12) & 0xff;
	if (type != PL_CV && type != PL_FM)
		return 0;
	if (rt_uread(rt, rt->unw.buf, RT_PL_SUB, py_word(rt, 0)) != 0)
		return 0;
	s->gv = py_word(rt, pl->cv_gv);
	s->stash = py_word(rt, pl->cv_stash);
	s->named = py_half(rt, pl->cv_flags) & PL_NAMED;
	return 1;
}

/* The number of a sub, or of what is none, in a file; PY_NONE: that is not to
   be believed. */
RT_GLOBAL uint64_t
rt_perl_code(struct rt *rt, uint64_t sub, uint64_t file)
{
	struct perl_sub s = { sub, 0, 0, 0 };
	struct rt_py_area *a;
	uint64_t check, n;

	if (!rt)
		return PY_NONE;
	a = py_area(rt);
	if (!a || !perl_sub(rt, &s))
		return PY_NONE;
	check = ((s.gv * PY_HASH + s.stash) * PY_HASH + s.named) * PY_HASH +
		file;
	/* A sub may have code of several files. */
	n = py_claim(a, sub + file * 16, check, py_pid(rt));
	if (n & PY_MINE) {
		struct rt_py_code *c = &a->code[rt_bound(n, RT_PY_CODES - 1)];
		struct py_str path = perl_path(rt, file);

		c->name_kind = c->file_kind = RT_PY_UTF8;
		n = py_claimed(c, n,
			       sub <= PL_EVAL ?
				       perl_fill_other(rt, a, c, sub, &path) :
				       perl_fill(rt, a, c, &s, &path));
	}
	return n;
}

/* ---- frames
 * ------------------------------------------------------------------ */

/* Go to the contexts of the PERL_SI at `at`. */
RT_GLOBAL uint64_t
rt_perl_info(struct rt *rt, uint64_t at)
{
	const struct rt_pl *pl;
	struct rt_unw *u;
	uint64_t top;

	if (!rt)
		return 0;
	u = &rt->unw;
	pl = &u->py.pl;
	u->pl_info = 0;
	u->pl_n = 0;
	if (at == 0 || rt_uread(rt, u->buf, 40, at) != 0)
		return 0;
	u->pl_info = at;
	top = py_half(rt, pl->si_top);
	if (top < 1u << 24) { /* else it is negative: there are none */
		u->pl_n = (uint32_t)top + 1;
		u->pl_cx = py_word(rt, pl->si_cx) + top * pl->cx_size;
	}
	return 0;
}

RT_GLOBAL uint64_t
rt_perl_begin(struct rt *rt)
{
	struct rt_unw *u;
	uint64_t self, at;

	if (!rt)
		return 0;
	u = &rt->unw;
	u->pl_info = 0;
	u->pl_run = 0;
	u->pl_left = PL_CONTEXTS;
	self = py_thread(rt);
	if (u->py.pl.key == 0 || u->py.tss != 0 || self == 0)
		return 0;
	at = py_specific(rt, self, (uint32_t)py_load(rt, u->py.pl.key));
	if (at == 0)
		return 0;
	u->pl_cop = py_load(rt, at + u->py.pl.i_cop);
	rt_perl_info(rt, py_load(rt, at + u->py.pl.i_info));
	u->py_cframe = u->pl_info != 0;
	return 0;
}

RT_GLOBAL uint64_t
rt_perl_enter(struct rt *rt)
{
	const struct rt_pl *pl;
	struct rt_unw *u;
	uint64_t i, prev;

	if (!rt)
		return 0;
	u = &rt->unw;
	pl = &u->py.pl;
	u->py_frame = 1;
	u->pl_env = u->sp;
	for (i = 0; i < 3; i++)
		if (u->pc - 1 - pl->call[i] < pl->call_n[i])
			u->pl_env = 0;
	RT_FOR(i, PL_INFOS, 1, u->pl_n == 0)
	{
		prev = py_load(rt, u->pl_info + pl->si_prev);
		if (prev == 0)
			return 0;
		rt_perl_info(rt, prev);
	}
	return 0;
}

/* The word for a sub, or what is none, that is at this place of the source. */
RT_INLINE uint64_t
perl_word(struct rt *rt, uint64_t sub, uint64_t cop)
{
	struct rt_unw *u = &rt->unw;
	uint64_t file = 0, line = 0, n;

	if (rt_uread(rt, u->buf, RT_PL_COP, cop) == 0) {
		file = py_word(rt, u->py.pl.cop_file);
		line = py_half(rt, u->py.pl.cop_line);
	}
	n = rt_perl_code(rt, sub, file);
	if (n == PY_NONE) {
		u->py_frame = u->py_cframe = 0;
		return 0;
	}
	if (line > RT_PY_AT_MAX)
		line = 0;
	return RT_PY_TAG | PY_FROM | RT_PY_LINE | n << RT_PY_AT_BITS | line;
}

/* Behind the outermost context of a PERL_SI. */
RT_INLINE uint64_t
perl_bottom(struct rt *rt)
{
	struct rt_unw *u = &rt->unw;

	u->py_frame = 0;
	if (py_load(rt, u->pl_info + u->py.pl.si_prev) != 0)
		return 0;
	u->py_cframe = 0;
	return perl_word(rt, PL_MAIN, u->pl_cop);
}

/* Read the next context, and go to the one behind it: its first byte, its kind.
 */
RT_INLINE uint32_t
perl_next(struct rt *rt)
{
	struct rt_unw *u = &rt->unw;

	if (rt_uread(rt, u->buf, RT_PL_CONTEXT, u->pl_cx) != 0) {
		u->py_frame = u->py_cframe = 0;
		return 0;
	}
	u->pl_cx -= u->py.pl.cx_size;
	u->pl_n--;
	return py_byte(rt, 0);
}

/* Not 0 if what comes next belongs to the same call from C: the eval of
   call_sv(), and the code in a regular expression, whose last instruction a sub
   returns to. */
RT_INLINE int
perl_same_call(struct rt *rt)
{
	struct rt_unw *u = &rt->unw;
	uint32_t type;

	if (u->pl_n == 0 ||
	    rt_uread(rt, u->buf, RT_PL_CONTEXT, u->pl_cx) != 0)
		return 0;
	type = py_byte(rt, 0);
	if ((type & PL_KIND) == PL_EVAL)
		return py_word(rt, u->py.pl.cx_retop) == 0;
	return (type & PL_KIND) == PL_SUB && (type & PL_FAKE) != 0;
}

RT_GLOBAL uint64_t
rt_perl_frame(struct rt *rt)
{
	const struct rt_pl *pl;
	struct rt_unw *u;
	uint64_t kind, cop, sub, retop, env;
	uint32_t type;

	if (!rt)
		return 0;
	u = &rt->unw;
	pl = &u->py.pl;
	if (u->pl_left == 0) {
		u->py_frame = u->py_cframe = 0;
		return 0;
	}
	u->pl_left--;
	if (u->pl_n == 0)
		return perl_bottom(rt);
	type = perl_next(rt);
	kind = type & PL_KIND;
	if (kind < PL_SUB || kind > PL_EVAL)
		return 0;
	retop = py_word(rt, pl->cx_retop);
	env = py_word(rt, pl->cx_env);
	sub = kind == PL_SUB ? py_word(rt, pl->cx_cv) : kind;
	cop = u->pl_cop;
	if (kind != PL_SUB || (type & PL_FAKE) == 0)
		u->pl_cop = py_word(rt, pl->cx_cop);
	if (retop == 0 ? kind != PL_SUB || !perl_same_call(rt)
		       : kind == PL_EVAL && u->pl_env != 0 &&
				 env - u->pl_env < PL_ENV)
		u->py_frame = 0;
	return kind == PL_SUB && (type & PL_FAKE) ? 0 : perl_word(rt, sub, cop);
}
