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
 *                                                            ... lies in the
 *                                                            stack
 *
 * The mark that ends a chain is looked for when the chain in front of it
 * begins.
 *
 * Nothing there is believed: a frame whose code object is not of the type
 * PyCode_Type ends Python's part of the stack.
 */
#include "rt/rt_impl.h"

#define PY_OWNER_C 3 /* FRAME_OWNED_BY_CSTACK, of 3.12, and what came behind it
			later: no frame, a mark */
#define PY_PROBES  8u
#define PY_THREADS 256u /* of a process: those behind have no frames */
#define PY_CHAIN   256u /* frames in front of a mark that are looked through */
#define PY_FAR	   1u	/* no address: the mark was not found */
#define PY_NONE	   (~0ull)
#define PY_HASH	   0x9e3779b97f4a7c15ull

RT_INLINE uint64_t
py_word(const struct rt *rt, uint64_t off)
{
	return *(const uint64_t *)(const void *)(rt->unw.buf +
						 rt_bound(off, 0xf8));
}

RT_INLINE uint32_t
py_half(const struct rt *rt, uint64_t off)
{
	return *(const uint32_t *)(const void *)(rt->unw.buf +
						 rt_bound(off, 0xfc));
}

RT_INLINE uint32_t
py_byte(const struct rt *rt, uint64_t off)
{
	return rt->unw.buf[rt_bound(off, 0xff)];
}

/* The word at addr; 0: it cannot be read. */
RT_INLINE uint64_t
py_load(struct rt *rt, uint64_t addr)
{
	return rt_uread(rt, rt->unw.buf, 8, addr) == 0 ? py_word(rt, 0) : 0;
}

/* ---- what differs by where we run ---------------------------------------- */

#ifdef __bpf__

#define PY_FROM 0

RT_INLINE uint64_t
py_thread(struct rt *rt)
{
	uint64_t val = 0, off = RT_CONF(task_fsbase);

	if (off == 0)
		return 0;
	return bpf_probe_read_kernel(&val, 8,
				     (const void *)(bpf_get_current_task() +
						    off)) == 0
		       ? val
		       : 0;
}

RT_INLINE uint32_t
py_pid(struct rt *rt)
{
	return (uint32_t)rt_subr_current(rt);
}

RT_INLINE struct rt_py_area *
py_area(struct rt *rt)
{
	uint32_t zero = 0;

	return bpf_map_lookup_elem(&rt_map_unwpy, &zero);
}

#else

#define PY_FROM RT_PY_PROCESS

RT_INLINE uint64_t
py_thread(struct rt *rt)
{
#ifndef RT_NATIVE
	return RT_HOST(rt)->thread;
#else
	uint64_t self = 0;

#ifdef __x86_64__
	if (RTN_SHARED(rt)->has_fsgsbase) {
		__asm__ volatile("rdfsbase %0" : "=r"(self));
		return self;
	}
	__asm__ volatile("mov %%fs:0, %0" : "=r"(self));
#endif
	return self;
#endif
}

RT_INLINE uint32_t
py_pid(struct rt *rt)
{
	return 0;
}

RT_INLINE struct rt_py_area *
py_area(struct rt *rt)
{
#ifdef RT_NATIVE
	return &((struct rt_unw_area *)RTN_SHARED(rt)->unw)->py;
#else
	return &RT_HOST(rt)->unw->py;
#endif
}

#endif

/* ---- code objects -------------------------------------------------------- */

struct py_str {
	uint64_t at;
	uint32_t n, kind;
};

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

RT_INLINE uint32_t
py_copy(struct rt *rt, struct rt_py_area *a, uint32_t to,
	const struct py_str *s, uint32_t max)
{
	uint8_t *dst = a->text + rt_bound(to, RT_PY_TEXT - 1);
	uint32_t n = (uint32_t)rt_bound(s->n, max);

	return n != 0 && rt_uread(rt, dst, n, s->at) == 0 ? n : 0;
}

/* Room for n bytes of text; RT_PY_TEXT: there is none. */
RT_INLINE uint32_t
py_room(struct rt_py_area *a, uint32_t n)
{
	uint32_t at;

	if (*(volatile uint32_t *)&a->used >= RT_PY_TEXT)
		return RT_PY_TEXT;
	at = __sync_fetch_and_add(&a->used, n);
	return at < RT_PY_TEXT && n <= RT_PY_TEXT - at ? at : RT_PY_TEXT;
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
	struct rt_py_code *c;
	uint64_t check, at, i;
	uint32_t pid;

	if (!rt)
		return PY_NONE;
	a = py_area(rt);
	if (!a || rt_uread(rt, rt->unw.buf, RT_PY_CODE, code) != 0 ||
	    py_word(rt, 8) != rt->unw.py.code_type)
		return PY_NONE;
	pid = py_pid(rt);
	check = py_check(rt);
	at = ((code >> 4) + pid) * PY_HASH >> 40;
	RT_FOR(i, PY_PROBES, 1, 1)
	{
		uint64_t n = rt_bound(at + i, RT_PY_CODES - 1);

		c = &a->code[n];
		if (n == RT_PY_UNKNOWN)
			continue;
		if (c->state >= RT_PY_DONE) {
			if (c->code == code && c->check == check &&
			    c->pid == pid)
				return c->state == RT_PY_DONE ? n
							      : RT_PY_UNKNOWN;
		} else if (__sync_val_compare_and_swap(&c->state, RT_PY_FREE,
						       RT_PY_BUSY) ==
			   RT_PY_FREE) {
			uint32_t state;

			c->code = code;
			c->check = check;
			c->pid = pid;
			state = py_fill(rt, a, c);
			__sync_val_compare_and_swap(&c->state, RT_PY_BUSY,
						    state);
			return state == RT_PY_DONE ? n : RT_PY_UNKNOWN;
		}
	}
	return RT_PY_UNKNOWN;
}

/* ---- frames -------------------------------------------------------------- */

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
	key >>= 32;
	at = py_load(rt, self + u->py.specific + key / 32 * 8);
	if (at != 0)
		at = py_load(rt, at + key % 32 * 16 + 8);
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
