/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_python.c - CPython's frames, between those of the C functions that run
 * them (rt_python.h).
 *
 *   thread ──key──▶ PyThreadState ──▶ _PyCFrame ──previous──▶ _PyCFrame ──▶ ...
 *                                        │                       │
 *                                        ▼                       ▼
 *                                     frame ─▶ frame (entry)   frame (entry)
 *
 * The evaluation loop, a C function, has a _PyCFrame as a local variable, and
 * runs the chain of frames that hangs from it up to one that was entered from
 * C.  So when the walk along the C stack steps over the memory where a
 * _PyCFrame lies, the frames of that chain belong behind the C frame it has
 * just left: no symbol is asked, and the two chains cannot drift apart.
 *
 * From 3.13 on there is no _PyCFrame.  What the loop has as a local variable is
 * a frame that is none, which marks where C entered: its owner says so.
 *
 *   list of threads ──▶ PyThreadState ──▶ frame ─▶ frame ─▶ mark ─▶ frame ─▶
 * ... lies in the stack
 *
 * The mark that ends a chain is looked for when the chain in front of it
 * begins.
 *
 * Nothing there is believed: a frame whose code object is not of the type
 * PyCode_Type ends Python's part of the stack.
 */
#include "rt/rt_lang.h"

#define PY_OWNER_C 3 /* FRAME_OWNED_BY_CSTACK, of 3.12, and what came behind it
			later: no frame, a mark */
#define PY_THREADS 256u /* of a process: those behind have no frames */
#define PY_CHAIN   256u /* frames in front of a mark that are looked through */
#define PY_FAR	   1u	/* no address: the mark was not found */

/* ---- code objects -----------------------------------------------------------
 */

/* A string of Python's: its header is enough to know where its characters are;
   what is longer than there is room for loses its beginning, as paths can. */
RT_INLINE struct py_str
py_str(struct rt *rt, uint64_t addr)
{
	struct py_str s = { 0, 0, 1 };
	uint32_t state, head;
	uint64_t n;

	if (rt_uread(rt, rt->unw.buf, 40, addr) != 0)
		return s;
	state = py_half(rt, 32);
	s.kind = state >> 2 & 7;
	head = state >> 6 & 1 ? rt->unw.py.s_ascii : rt->unw.py.s_other;
	n = (py_word(rt, 16) & 0xffffff) * s.kind;
	if (n > RT_PY_NAME_MAX) {
		head += (uint32_t)n - (RT_PY_NAME_MAX & ~3u);
		n = RT_PY_NAME_MAX & ~3u;
	}
	s.at = addr + head;
	s.n = (uint32_t)n;
	return s;
}

RT_INLINE struct py_str
py_lines(struct rt *rt, uint64_t addr)
{
	struct py_str s = { addr + 32, 0, 1 };
	uint64_t n;

	if (rt_uread(rt, rt->unw.buf, 24, addr) != 0)
		return s;
	n = py_word(rt, 16);
	s.n = n < RT_PY_LINES_MAX ? (uint32_t)n : RT_PY_LINES_MAX;
	return s;
}

/* Copy what there is of a code object, whose words are in unw.buf. */
RT_INLINE uint32_t
py_fill(struct rt *rt, struct rt_py_area *a, struct rt_py_code *c)
{
	const struct rt_py *py = &rt->unw.py;
	uint64_t file = py_word(rt, py->c_file),
		 lines = py_word(rt, py->c_lines);
	struct py_str name, path, table;
	uint32_t at;

	c->line = py_half(rt, py->c_line);
	name = py_str(rt, py_word(rt, py->c_qual));
	path = py_str(rt, file);
	table = py_lines(rt, lines);
	at = py_room(a, name.n + path.n + table.n);
	if (at == RT_PY_TEXT)
		return RT_PY_NO_ROOM;
	c->text = at;
	c->name_kind = (uint8_t)name.kind;
	c->file_kind = (uint8_t)path.kind;
	c->nname = (uint16_t)py_copy(rt, a, at, &name, RT_PY_NAME_MAX);
	at += name.n;
	c->nfile = (uint16_t)py_copy(rt, a, at, &path, RT_PY_NAME_MAX);
	at += path.n;
	c->nlines = (uint16_t)py_copy(rt, a, at, &table, RT_PY_LINES_MAX);
	/* They must follow each other. */
	if (c->nname != name.n || c->nfile != path.n)
		c->nname = c->nfile = c->nlines = 0;
	return RT_PY_DONE;
}

/* A hash of what tells a code object from another at its address. */
RT_INLINE uint64_t
py_check(const struct rt *rt)
{
	const struct rt_py *py = &rt->unw.py;
	uint64_t h = py_word(rt, py->c_file);

	h = h * PY_HASH + py_word(rt, py->c_qual);
	h = h * PY_HASH + py_word(rt, py->c_lines);
	return h * PY_HASH + py_half(rt, py->c_line);
}

/* The code object's number, or PY_NONE: it is none. */
RT_GLOBAL uint64_t
rt_python_code(struct rt *rt, uint64_t code)
{
	struct rt_py_area *a;
	uint64_t n;

	if (!rt)
		return PY_NONE;
	a = py_area(rt);
	if (!a || rt_uread(rt, rt->unw.buf, RT_PY_CODE, code) != 0 ||
	    py_word(rt, 8) != rt->unw.py.code_type)
		return PY_NONE;
	n = py_claim(a, code, py_check(rt), py_pid(rt));
	if (n & PY_MINE) {
		struct rt_py_code *c = &a->code[rt_bound(n, RT_PY_CODES - 1)];

		n = py_claimed(c, n, py_fill(rt, a, c));
	}
	return n;
}

/* ---- frames -----------------------------------------------------------------
 */

/* Find the mark behind the frame unw.py_next: its address to unw.py_cframe. */
RT_GLOBAL uint64_t
rt_python_mark(struct rt *rt)
{
	struct rt_unw *u;
	uint64_t at, i;

	if (!rt)
		return 0;
	u = &rt->unw;
	at = u->py_next;
	u->py_cframe = at != 0 ? PY_FAR : 0;
	RT_FOR(i, PY_CHAIN, 1, at != 0)
	{
		if (rt_uread(rt, u->buf, RT_PY_FRAME, at) != 0)
			return 0;
		if (py_byte(rt, u->py.f_owner) >= PY_OWNER_C) {
			u->py_cframe = at;
			return 0;
		}
		at = py_word(rt, u->py.f_prev);
	}
	return 0;
}

/* The thread of which we are, by the list of all. */
RT_GLOBAL uint64_t
rt_python_threads(struct rt *rt)
{
	struct rt_unw *u;
	uint64_t self, at, i;

	if (!rt)
		return 0;
	u = &rt->unw;
	self = py_thread(rt);
	at = py_load(rt, u->py.tss);
	at = at != 0 ? py_load(rt, at + u->py.threads) : 0;
	RT_FOR(i, PY_THREADS, 1, at != 0 && self != 0)
	{
		if (py_load(rt, at + u->py.ts_thread) == self) {
			u->py_next = py_load(rt, at + u->py.ts_frame);
			return 0;
		}
		at = py_load(rt, at + u->py.ts_next);
	}
	return 0;
}

RT_GLOBAL uint64_t
rt_python_begin(struct rt *rt)
{
	struct rt_unw *u;
	uint64_t self, key, at;

	if (!rt)
		return 0;
	u = &rt->unw;
	u->py_cframe = u->py_frame = 0;
	u->py_rest = 0;
	u->py_next = 0;
	if (u->py.tss == 0)
		return 0;
	if (u->py.threads != 0) {
		rt_python_threads(rt);
		rt_python_mark(rt);
		return 0;
	}
	self = py_thread(rt);
	key = py_load(rt, u->py.tss);
	if (self == 0 || (uint32_t)key == 0) /* not initialised */
		return 0;
	at = py_specific(rt, self, key >> 32);
	if (at != 0)
		u->py_cframe = py_load(rt, at + u->py.ts_cframe);
	return 0;
}

RT_GLOBAL uint64_t
rt_python_enter(struct rt *rt)
{
	struct rt_unw *u;

	if (!rt)
		return 0;
	u = &rt->unw;
	if (u->py.threads != 0) {
		u->py_frame = u->py_next;
		u->py_next = py_load(rt, u->py_cframe + u->py.f_prev);
		rt_python_mark(rt);
		return 0;
	}
	if (rt_uread(rt, u->buf, 24, u->py_cframe) != 0) {
		u->py_cframe = 0;
		return 0;
	}
	u->py_cframe = py_word(rt, u->py.cf_prev);
	u->py_frame = py_word(rt, u->py.cf_frame);
	return 0;
}

RT_GLOBAL uint64_t
rt_python_frame(struct rt *rt)
{
	struct rt_unw *u;
	uint64_t code, instr, next, n;

	if (!rt)
		return 0;
	u = &rt->unw;
	if (rt_uread(rt, u->buf, RT_PY_FRAME, u->py_frame) != 0)
		goto lost;
	u->py_frame = 0;
	if (u->py.f_entry == 0 && py_byte(rt, u->py.f_owner) >= PY_OWNER_C)
		return 0;
	/* From 3.14 on there are flags in its lowest bits. */
	code = py_word(rt, u->py.f_code) & ~7ull;
	instr = py_word(rt, u->py.f_instr);
	next = py_word(rt, u->py.f_prev);
	if (u->py.f_entry != 0 && py_byte(rt, u->py.f_entry) != 0)
		next = 0;
	n = rt_python_code(rt, code);
	if (n == PY_NONE)
		goto lost;
	u->py_frame = next;
	instr = (instr - code - u->py.c_code + 2) / 2;
	if (instr > RT_PY_AT_MAX)
		instr = RT_PY_AT_MAX;
	return RT_PY_TAG | PY_FROM | n << RT_PY_AT_BITS | instr;
lost:
	u->py_frame = u->py_cframe = u->py_next = 0;
	return 0;
}
