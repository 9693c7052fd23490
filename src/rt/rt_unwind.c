/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_unwind.c - a walk along the user's stack by tables (rt_unwind.h).
 *
 *   pc ──cache──▶ rule ──▶ CFA ──▶ the words at CFA - 8, and where rbp is
 *     └─list──table─┘
 *
 * A frame costs a look into the cache and two words of the stack, which are in
 * a piece of it that was copied at once: a read of user memory costs as much as
 * all the rest of some frames.  The walk goes up only, but where a signal frame
 * leads to another stack; it ends after `max` frames in any case.
 *
 * Where there is no table (code made at run time, assembler), the frame pointer
 * is believed if it goes up and the word above it is an address behind a call.
 * Where a function has not built its frame yet, or has taken it down, it is its
 * caller's: the bytes at the first frame's pc show that (rt_unwind_bare.c).
 *
 * For the verifier: what changes from frame to frame lies in struct rt, so that
 * all frames look the same to it; searches have a fixed number of steps without
 * branches, each of which computes a mask from a sign.
 */
#include "rt/rt_unwind_impl.h"

/* All ones if a < b, else 0, without a branch; both below 2^63. */
RT_INLINE uint64_t
unw_less(uint64_t a, uint64_t b)
{
	uint64_t m = (uint64_t)((int64_t)(a - b) >> 63);

	RT_OPAQUE(m);
	return m;
}

/* ---- where tables and lists are ------------------------------------------ */

#ifdef __bpf__

/* Global functions, which the verifier checks on their own. */
#define UNW_CALL __attribute__((noinline))
uint64_t rt_unwind_find(struct rt *rt, uint64_t addr);
uint64_t rt_unwind_word(struct rt *rt, uint64_t addr);

struct unw_table {
	const uint32_t *pool;
	uint64_t mask;
};

RT_INLINE int
unw_table(struct rt *rt, struct unw_table *t)
{
	uint32_t zero = 0;

	t->pool = bpf_map_lookup_elem(&rt_map_unwpool, &zero);
	t->mask = RT_CONF(unw_words) - 1;
	return t->pool != 0;
}

/* All lists, and what keeps an index in them. */
#define UNW_LIST_MASK (RT_UNW_LISTS - 1)
RT_INLINE const struct rt_unw_map *
unw_maps(struct rt *rt)
{
	uint32_t zero = 0;

	return bpf_map_lookup_elem(&rt_map_unwlist, &zero);
}

#else

#define UNW_CALL static

struct unw_table {
	const uint32_t *pool;
	uint64_t mask;
};

RT_INLINE const struct rt_unw_area *
unw_area(struct rt *rt)
{
#ifdef RT_NATIVE
	return (const struct rt_unw_area *)RTN_SHARED(rt)->unw;
#else
	return RT_HOST(rt)->unw;
#endif
}

RT_INLINE int
unw_table(struct rt *rt, struct unw_table *t)
{
#ifdef RT_NATIVE
	t->pool = unw_area(rt)->pool;
#else
	t->pool = RT_HOST(rt)->pool;
#endif
	t->mask = RT_CONF(unw_words) - 1;
	return 1;
}

#define UNW_LIST_MASK RT_UNW_MAPS_MAX
RT_INLINE const struct rt_unw_map *
unw_maps(struct rt *rt)
{
	return unw_area(rt)->maps[rt->unw.id & 1];
}

#endif

/* ---- from an address to a rule ------------------------------------------- */

RT_INLINE uint64_t
unw_plain(uint32_t kind)
{
	const struct rt_unw_rule r = { .kind = (uint8_t)kind };

	return *(const uint64_t *)(const void *)&r;
}

/* The last mapping of the present list that begins at or below addr. */
RT_INLINE const struct rt_unw_map *
unw_map_search(struct rt *rt, const struct rt_unw_map *v, uint64_t addr)
{
	uint64_t first = rt->unw.first, n = rt->unw.n, at = 0, step, try, ok;

	RT_UNROLL
	for (step = (RT_UNW_MAPS_MAX + 1) / 2; step != 0; step /= 2) {
		try = at + step;
		ok = unw_less(try, n) &
		     ~unw_less(addr,
			       v[rt_bound(first + try, UNW_LIST_MASK)].lo);
		at += step & ok;
	}
	return &v[rt_bound(first + at, UNW_LIST_MASK)];
}

/* The rule of the last row of words [lo, hi) of the pool up to key. */
RT_INLINE uint64_t
unw_row_search(const struct unw_table *t, uint64_t lo, uint64_t hi,
	       uint64_t key)
{
	uint64_t at = lo, step, try, ok;
	const uint64_t *rules = (const uint64_t *)(const void *)t->pool;

	RT_UNROLL
	for (step = (RT_UNW_ROWS_MAX + 1) / 2; step != 0; step /= 2) {
		try = at + step;
		ok = unw_less(try, hi) &
		     ~unw_less(key, t->pool[rt_bound(try, t->mask)]);
		at += step & ok;
	}
	at = t->pool[rt_bound(at, t->mask)];
	return rules[rt_bound(at, RT_UNW_RULES - 1)];
}

/* The rule for an address, by the present list. */
UNW_CALL uint64_t
rt_unwind_find(struct rt *rt, uint64_t addr)
{
	const struct rt_unw_map *m;
	struct unw_table t;
	uint64_t at, lo, hi;

	if (!rt)
		return 0;
	m = unw_maps(rt);
	if (!m || !unw_table(rt, &t))
		return 0;
	m = unw_map_search(rt, m, addr);
	if (addr < m->lo || addr >= m->hi) {
		rt->unw.want = rt->unw.lost = 1;
		return unw_plain(RT_UNW_OUT);
	}
	at = addr + m->off;
	if (at >> RT_UNW_PAGE_BITS >= m->npages)
		return unw_plain(RT_UNW_NONE);
	lo = m->tab + (at >> RT_UNW_PAGE_BITS);
	hi = t.pool[rt_bound(lo + 1, t.mask)];
	lo = t.pool[rt_bound(lo, t.mask)];
	return unw_row_search(&t, lo, hi, (at & 0xffff) << 16 | 0xffff);
}

RT_INLINE uint64_t
unw_rule(struct rt *rt, uint64_t addr)
{
	struct rt_unw *u = &rt->unw;
	uint64_t at = addr | (uint64_t)u->id << 48;
	uint64_t i = rt_bound((at * UNW_HASH) >> 56, RT_UNW_CACHE - 1);
	uint64_t rule;

	if (u->cache[i].at == at)
		return u->cache[i].rule;
	rule = rt_unwind_find(rt, addr);
	/* A signal handler's walk may come in between: the address last. */
	u->cache[i].at = 0;
	RT_OPAQUE(rule);
	u->cache[i].rule = rule;
	u->cache[i].at = at;
	return rule;
}

/* ---- the stack ----------------------------------------------------------- */

/* Bytes of the stack from addr, at most a window, to W; how many. */
RT_INLINE uint64_t
unw_read(struct rt *rt, uint64_t addr)
{
#ifdef RT_NATIVE
	int64_t n = rtn_mem_some(rt, RT_W(rt), UNW_PAGE, addr);

	return n > 0 ? (uint64_t)n : 0;
#else
	uint64_t n = UNW_PAGE - addr % UNW_PAGE;

	if (rt_uread(rt, RT_W(rt), UNW_WINDOW, addr) == 0)
		return UNW_WINDOW;
	/* The stack ends there; a word may lie across the end of the page. */
	n = n < 8 ? 8 : n > UNW_WINDOW ? UNW_WINDOW : n;
	RT_OPAQUE(n);
	n &= 2 * UNW_WINDOW - 1;
	if (n > UNW_WINDOW || rt_uread(rt, RT_W(rt), (uint32_t)n, addr) != 0)
		return 0;
	return n;
#endif
}

/* The word at addr: 1, or 0 where it cannot be read.  What is read at once
   begins with a few words below: rbp is saved there. */
UNW_CALL uint64_t
rt_unwind_word(struct rt *rt, uint64_t addr)
{
	struct rt_unw *u;
	uint64_t from;

	if (!rt)
		return 0;
	u = &rt->unw;
	if (addr - u->win + 8 > u->nwin || addr < u->win) {
		from = addr - u->sp < 64 ? u->sp : addr - 64;
		if (addr < u->sp)
			from = addr;
		u->direct = 0;
		u->win = from;
		u->nwin = unw_read(rt, from);
		if (addr - from + 8 > u->nwin) {
			u->win = addr;
			u->nwin = unw_read(rt, addr);
		}
		if (u->nwin < 8) {
			u->nwin = 0;
			return 0;
		}
	}
	rt->tmp[0] = *(uint64_t *)(void *)(RT_W(rt) +
					   rt_bound(addr - u->win,
						    UNW_WINDOW - 1));
	return 1;
}

#ifdef __bpf__
#define unw_word(rt, addr, val)                                                \
	(rt_unwind_word(rt, addr) != 0 && (*(val) = (rt)->tmp[0], 1))
#else
RT_INLINE int
unw_word(struct rt *rt, uint64_t addr, uint64_t *val)
{
	struct rt_unw *u = &rt->unw;

	if (addr < u->win || addr - u->win + 8 > u->nwin) {
		uint64_t kept = rt->tmp[0];
		uint64_t got = rt_unwind_word(rt, addr);
		rt->tmp[0] = kept;
		if (!got)
			return 0;
	}
	if (u->direct)
		*val = *(const uint64_t *)(uintptr_t)addr;
	else
		*val = *(const uint64_t *)(const void *)(RT_W(rt) +
							 (addr - u->win));
	return 1;
}
#endif

/* ---- frames -------------------------------------------------------------- */

/* Not 0 if the eight bytes in front of an address end with a call. */
RT_INLINE int
unw_is_call(uint64_t b)
{
	uint32_t last2 = (uint32_t)(b >> 48), last3 = (uint32_t)(b >> 40);
	uint32_t last6 = (uint32_t)(b >> 16), last7 = (uint32_t)(b >> 8);

	/* e8 rel32; ff /2 with a register or (register) */
	if ((b >> 24 & 0xff) == 0xe8)
		return 1;
	if ((last2 & 0xf8ff) == 0xd0ff || (last2 & 0xf8ff) == 0x10ff)
		return 1;
	/* with a displacement of 8 or 32 bits, rip among them; with a SIB */
	if ((last3 & 0xf8ff) == 0x50ff || (last3 & 0xffff) == 0x14ff)
		return 1;
	if ((last6 & 0xf8ff) == 0x90ff || (last6 & 0xffff) == 0x15ff)
		return 1;
	return (last7 & 0xf8ff) == 0x90ff || (last7 & 0xffff) == 0x14ff ||
	       ((b >> 32 & 0xffff) == 0x54ff);
}

/*
 * What HotSpot's interpreter has called returns to code that no call is in
 * front of: the interpreter pushes its address and jumps.  That code begins
 * with mov -16(%rbp),%rsp; movq $0,-16(%rbp); in newer JDKs, by their sources
 * (not tried), with mov -16(%rbp),%rcx; lea (%rbp,%rcx,8),%rsp.
 */
#define UNW_JVM    0xf045c748f0658b48ull
#define UNW_JVM_21 0xcd648d48f04d8b48ull

/* Not 0 if this is the address behind a call. */
RT_INLINE int
unw_returns(struct rt *rt, uint64_t ret)
{
	if (ret < UNW_PAGE || rt_uread(rt, &rt->tmp[1], 8, ret - 8) != 0)
		return 0;
	if (unw_is_call(rt->tmp[1]))
		return 1;
	return rt_uread(rt, &rt->tmp[1], 8, ret) == 0 &&
	       (rt->tmp[1] == UNW_JVM || rt->tmp[1] == UNW_JVM_21);
}

/* The caller's frame by the frame pointer. */
RT_INLINE int
unw_by_fp(struct rt *rt)
{
	struct rt_unw *u = &rt->unw;
	uint64_t fp = u->fp, next, ret;

	if (fp < u->sp || fp - u->sp > UNW_FRAME_MAX || fp % 8 != 0)
		return 0;
	if (!unw_word(rt, fp, &next) || !unw_word(rt, fp + 8, &ret))
		return 0;
	if (!unw_returns(rt, ret))
		return 0;
	u->pc = ret;
	u->sp = fp + 16;
	u->fp = next;
	u->exact = 0;
	return 1;
}

/* struct ucontext lies at rsp when the handler has returned: uc_mcontext has
   its registers in the order of struct sigcontext, from byte 40 on. */
RT_INLINE int
unw_by_signal(struct rt *rt)
{
	struct rt_unw *u = &rt->unw;
	uint64_t at = u->sp + 40, fp, sp, pc;

	if (!unw_word(rt, at + 8 * 10, &fp) ||
	    !unw_word(rt, at + 8 * 15, &sp) || !unw_word(rt, at + 8 * 16, &pc))
		return 0;
	u->pc = pc;
	u->sp = u->low = sp;
	u->fp = fp;
	u->exact = 1;
	return 1;
}

/* Not 0 if rbp, which was saved at `at`, has been popped.  Tables have it there
   still, behind a pop or a leave, where in a process our own code may have
   written. */
RT_INLINE int
unw_popped(const struct rt_unw *u, uint64_t at)
{
#ifdef __bpf__
	return 0;
#else
	return u->below && at < u->sp;
#endif
}

/* The caller's frame from the CFA and where rbp is. */
RT_INLINE int
unw_by_cfa(struct rt *rt, uint64_t cfa, uint32_t flags, int64_t rbp)
{
	struct rt_unw *u = &rt->unw;
	uint64_t pc, fp = u->fp, at;

	if (cfa <= u->sp || cfa - u->sp > UNW_FRAME_MAX)
		return 0;
	if (!unw_word(rt, cfa - 8, &pc))
		return 0;
	if ((flags & RT_UNW_GUESS) && !unw_returns(rt, pc))
		return unw_by_fp(rt);
	if (rbp == RT_UNW_LOST) {
		fp = 0;
	} else if (rbp != 0 || (flags & RT_UNW_BY_RBP)) {
		at = ((flags & RT_UNW_BY_RBP) ? u->fp : cfa) + (uint64_t)rbp;
		if (!unw_popped(u, at) && !unw_word(rt, at, &fp))
			return 0;
	}
	u->pc = pc;
	u->sp = cfa;
	u->fp = fp;
	u->exact = 0;
	return 1;
}

/* The CFA by a rule; 0: there is none. */
RT_INLINE uint64_t
unw_cfa(struct rt *rt, uint64_t rule)
{
	const struct rt_unw *u = &rt->unw;
	uint64_t off = (uint64_t)(int64_t)(int32_t)rule;
	uint64_t kind = rule >> 48 & RT_UNW_KIND, add = rule >> 56, cfa;

	switch (kind) {
	case RT_UNW_RSP:
		return u->sp + off;
	case RT_UNW_RBP:
		return u->fp + off;
	case RT_UNW_STUB:
		return u->sp + off + ((u->pc & 15) >= add ? 8 : 0);
	case RT_UNW_RSP_WORD:
		cfa = u->sp + off;
		/* It was to be saved by who was called, and is not yet. */
		if (cfa < u->low)
			return 0;
		break;
	case RT_UNW_RBP_WORD:
		cfa = u->fp + off;
		break;
	default:
		return 0;
	}
	return unw_word(rt, cfa, &cfa) ? cfa + add : 0;
}

/* The caller's frame from code without a table, where we are exactly or that
   has called code where we are. */
RT_INLINE int
unw_by_bytes(struct rt *rt)
{
	struct rt_unw *u = &rt->unw;
	uint64_t off = rt_unwind_bare(rt), ret;

	if (off == UNW_HIDDEN)
		return 0;
	if (off == UNW_FRAMED || !unw_word(rt, u->sp + off, &ret) ||
	    !unw_returns(rt, ret))
		return unw_by_fp(rt);
	u->pc = ret;
	u->sp += off + 8;
	u->exact = 0;
	return 1;
}

/* From the present frame to its caller's; 0: there is none to be found. */
RT_INLINE int
unw_step(struct rt *rt, uint64_t rule)
{
	struct rt_unw *u = &rt->unw;
	uint64_t kind = rule >> 48 & RT_UNW_KIND, cfa;
	uint32_t bytes = u->exact | u->inner;

	u->inner = u->exact;
	if (kind == RT_UNW_NONE)
		return bytes ? unw_by_bytes(rt) : unw_by_fp(rt);
	if (kind == RT_UNW_SIGNAL)
		return unw_by_signal(rt);
	cfa = unw_cfa(rt, rule);
	return cfa != 0 && unw_by_cfa(rt, cfa, (uint32_t)(rule >> 48) & 0xff,
				      (int16_t)(rule >> 32));
}

#ifdef __bpf__

#define UNW_URETS 64 /* return probes of a thread; the kernel has no more */

RT_INLINE uint64_t
unw_kernel_word(uint64_t addr)
{
	uint64_t val = 0;

	return bpf_probe_read_kernel(&val, 8, (const void *)addr) == 0 ? val
								     : 0;
}

uint64_t rt_unwind_uret(struct rt *rt, uint64_t slot);

/* The return address for which the kernel has put its own at `slot` of the
   stack; 0: it has not. */
UNW_CALL uint64_t
rt_unwind_uret(struct rt *rt, uint64_t slot)
{
	uint64_t at;

	if (!rt || !RT_CONF(uret.known))
		return 0;
	at = unw_kernel_word(bpf_get_current_task() + RT_CONF(uret.task_utask));
	at = at != 0 ? unw_kernel_word(at + RT_CONF(uret.first)) : 0;
	for (int i = 0; i < UNW_URETS && at != 0; i++) {
		if (unw_kernel_word(at + RT_CONF(uret.stack)) == slot)
			return unw_kernel_word(at + RT_CONF(uret.orig));
		at = unw_kernel_word(at + RT_CONF(uret.next));
	}
	return 0;
}

/* The rule of the caller that a return probe hides; or *rule as it is. */
RT_INLINE uint64_t
unw_behind_probe(struct rt *rt, uint64_t rule, uint32_t want)
{
	struct rt_unw *u = &rt->unw;
	uint64_t pc = rt_unwind_uret(rt, u->sp - 8);

	if (pc == 0)
		return rule;
	u->pc = pc;
	u->want = want;
	u->lost = 0;
	return unw_rule(rt, pc - 1);
}

#else

RT_INLINE uint64_t
unw_behind_probe(struct rt *rt, uint64_t rule, uint32_t want)
{
	return rule;
}

#endif

/* Go to the frames of Python, or of Perl, that come next. */
RT_INLINE void
unw_enter(struct rt *rt)
{
	if (rt->unw.pl_info != 0)
		rt_perl_enter(rt);
	else
		rt_python_enter(rt);
}

/* Note the present one of these and go to the next; 1: it was the last of
   all. */
RT_INLINE long
unw_python(struct rt *rt)
{
	struct rt_unw *u = &rt->unw;
	uint64_t pc = u->pl_info != 0 ? rt_perl_frame(rt) : rt_python_frame(rt);

	if (pc != 0)
		unw_note(rt, pc);
	if (u->have >= u->max)
		return 1;
	if (u->py_frame == 0 && u->py_rest && u->py_cframe != 0)
		unw_enter(rt);
	return u->py_rest && u->py_frame == 0;
}

/* Behind a C function whose stack was [low, sp): the frames of Python, or of
   Perl, that it runs.  1: there are none, and the stack ends. */
RT_INLINE long
unw_between(struct rt *rt, uint64_t low, long last)
{
	struct rt_unw *u = &rt->unw;

	if (u->py_cframe == 0)
		return last;
	u->py_rest = last != 0;
	if (last || (u->pl_info != 0 ? u->pl_run != 0
				     : u->py_cframe - low < u->sp - low))
		unw_enter(rt);
	return last && u->py_frame == 0;
}

/* Note the present frame and go to its caller's; 1: it was the last. */
RT_INLINE long
unw_frame(struct rt *rt)
{
	struct rt_unw *u = &rt->unw;
	uint64_t rule, kind, low = u->sp;
	uint32_t i = u->have, want = u->want;

	if (u->py_frame != 0)
		return unw_python(rt);
	if (u->pc == 0 || (u->pc >> 47 != 0 && i == 0))
		return unw_between(rt, low, 1);
	/* No program's code is so high.  With five levels of page tables the
	   kernel's own for return probes is. */
	rule = u->pc >> 47 != 0 ? unw_plain(RT_UNW_OUT) :
				  unw_rule(rt, u->pc - !u->exact);
	kind = rule >> 48 & RT_UNW_KIND;
	if (kind == RT_UNW_OUT && i != 0) {
		rule = unw_behind_probe(rt, rule, want);
		kind = rule >> 48 & RT_UNW_KIND;
	}
	/* No code is there: what led here was wrong.  And where the first frame
	   is at a probe, its bytes are not the program's: the caller of this
	   knows more than the frame pointer. */
	if (i == 0 && (kind == RT_UNW_OUT ||
		       (kind == RT_UNW_NONE && (u->placed || !u->exact))))
		return 1;
	if (kind == RT_UNW_OUT)
		return unw_between(rt, low, 1);
	unw_note(rt, u->pc);
	u->pl_run = u->pc - !u->exact - u->py.pl.run < u->py.pl.run_n;
	return i + 1 >= u->max || unw_between(rt, low, !unw_step(rt, rule));
}

/* ---- the walk ------------------------------------------------------------ */

#ifdef __bpf__

/* For one step of bpf_loop().  `u` is its rt's: its members are too far from
   the beginning of rt to be within reach of one instruction. */
struct unw_walk {
	struct rt *rt;
	struct rt_unw *u;
};

static long
unw_each(uint32_t i, struct unw_walk *w)
{
	const struct rt_unw *u = w->u;

	/* Neither the first frame, nor the last, nor among those of Perl. */
	if (!u->exact && u->have != 0 && (u->py_frame | u->pl_info) == 0 &&
	    unw_quick_some(w->rt, w->u))
		return 0;
	return unw_frame(w->rt);
}

RT_INLINE void
unw_run(struct rt *rt, uint64_t max)
{
	struct unw_walk w = { rt, &rt->unw };

	bpf_loop(RT_UNWIND_MAX, (void *)unw_each, &w, 0);
}

/* The list of the current process; not there, or not its own: it is wanted. */
RT_INLINE int
unw_list(struct rt *rt)
{
	struct rt_unw *u = &rt->unw;
	uint32_t pid = (uint32_t)rt_subr_current(rt);
	struct rt_unw_proc *p = bpf_map_lookup_elem(&rt_map_unwproc, &pid);

	u->id = 0;
	u->want = pid != 0;
	if (!p || !pid)
		return 0;
	if (p->mm == 0)
		p->mm = rt->unw_mm;
	if (p->mm != rt->unw_mm)
		return 0;
	u->want = p->exec_vm != rt->unw_exec_vm;
	u->first = p->first;
	u->n = p->n;
	u->id = p->id;
	u->py = p->py;
	return p->n != 0;
}

/* How many stacks of the process are owed since it was wanted. */
RT_INLINE uint64_t
unw_want(struct rt *rt)
{
	uint32_t pid = (uint32_t)rt_subr_current(rt);
	struct rt_unw_want w = { rt->unw_mm, rt->unw_exec_vm, 1 };
	struct rt_unw_want *had = bpf_map_lookup_elem(&rt_map_unwwant, &pid);

	if (had && had->mm == w.mm && had->exec_vm == w.exec_vm)
		return __sync_fetch_and_add(&had->owed, 1);
	bpf_map_update_elem(&rt_map_unwwant, &pid, &w, 0);
	return 0;
}

/* As much of the stack as there is, page by page. */
RT_INLINE void
unw_keep(struct rt *rt, struct rt_unw_owed *o)
{
	uint64_t n = 0, len;

	for (uint32_t i = 0; i <= RT_UNW_OWED_STACK / UNW_PAGE &&
			     n < RT_UNW_OWED_STACK; i++) {
		len = UNW_PAGE - (o->sp + n) % UNW_PAGE;
		RT_OPAQUE(len);
		len &= 2 * UNW_PAGE - 1;
		if (len > UNW_PAGE ||
		    rt_uread(rt, o->stack + rt_bound(n, RT_UNW_OWED_STACK - 1),
			     (uint32_t)len, o->sp + n) != 0)
			break;
		n += len;
	}
	o->n = n;
}

uint64_t rt_unwind_owe(struct rt *rt, uint64_t pc, uint64_t sp, uint64_t fp,
		       uint64_t max);

static long
unw_each_fp(uint32_t i, struct unw_walk *w)
{
	struct rt *rt = w->rt;

	if (!unw_by_fp(rt))
		return 1;
	rt->unw.have = i + 1;
	return 0;
}

/* How many callers frame pointers lead to. */
RT_INLINE uint64_t
unw_count_fp(struct rt *rt, uint64_t sp, uint64_t fp)
{
	struct unw_walk w = { rt, 0 };
	struct rt_unw *u = &rt->unw;

	u->sp = sp;
	u->fp = fp;
	u->win = u->nwin = 0;
	u->direct = 0;
	u->have = 0;
	bpf_loop(RT_UNW_OWED_BY_FP, (void *)unw_each_fp, &w, 0);
	return u->have;
}

static long
unw_each_call(uint32_t i, struct unw_walk *w)
{
	struct rt *rt = w->rt;
	struct rt_unw *u = &rt->unw;

	if (u->have >= u->max ||
	    !unw_returns(rt, *(uint64_t *)(void *)
				 ((uint8_t *)RT_FRAMES(rt) +
				  rt_bound((uint64_t)u->have * 8,
					   RT_UNWIND_MAX * 8 - 8))))
		return 1;
	u->have++;
	return 0;
}

RT_GLOBAL uint64_t
rt_unwind_calls(struct rt *rt, uint64_t n)
{
	struct unw_walk w = { rt, 0 };

	if (!rt)
		return 0;
	rt->unw.max = n < RT_UNWIND_MAX ? (uint32_t)n : RT_UNWIND_MAX;
	rt->unw.have = 1;
	bpf_loop(RT_UNWIND_MAX, (void *)unw_each_call, &w, 0);
	return rt->unw.have;
}

/* Keep what a walk needs, for the consumer: its number, and the tag; 0: there
   is no room. */
UNW_CALL uint64_t
rt_unwind_owe(struct rt *rt, uint64_t pc, uint64_t sp, uint64_t fp,
	      uint64_t max)
{
	uint32_t zero = 0;
	struct rt_unw_debts *d = bpf_map_lookup_elem(&rt_map_unwowed, &zero);
	struct rt_unw_owed *o;
	uint64_t number;

	if (!rt || !d || d->closed != 0)
		return 0;
	number = __sync_fetch_and_add(&d->next, 1);
	o = &d->v[rt_bound(number, RT_UNW_OWED_SLOTS - 1)];
	if (__sync_val_compare_and_swap(&o->state, RT_UNW_FREE, RT_UNW_TAKEN) !=
	    RT_UNW_FREE)
		return 0;
	o->pid = (uint32_t)rt_subr_current(rt);
	o->number = number;
	o->pc = pc;
	o->sp = sp;
	o->fp = fp;
	o->max = max;
	o->mm = rt->unw_mm;
	o->arg_start = unw_kernel_word(rt->unw_mm + RT_CONF(mm_arg_start));
	unw_keep(rt, o);
	o->by_fp = unw_count_fp(rt, sp, fp);
	/* All of it is there before that is said. */
	__sync_val_compare_and_swap(&o->state, RT_UNW_TAKEN, RT_UNW_FULL);
	return RT_UNW_OWED | number;
}

/* The walk has not found all: how many frames there are now. */
RT_INLINE uint64_t
unw_owed(struct rt *rt, uint64_t pc, uint64_t sp, uint64_t fp, uint64_t max)
{
	struct rt_unw *u = &rt->unw;
	uint64_t had = unw_want(rt), tag;

	if ((max & RT_UNWIND_OWED) == 0 || had >= RT_UNW_OWED_EACH ||
	    (u->have != 0 && u->lost == 0))
		return u->have;
	tag = rt_unwind_owe(rt, pc, sp, fp, max);
	if (tag == 0)
		return u->have;
	u->have = 0;
	unw_note(rt, pc);
	unw_note(rt, tag);
	return u->have;
}

#else

/* Structures of a language may be a ring: there is an end in any case. */
#define UNW_STEPS (4 * RT_UNWIND_MAX)

RT_INLINE void
unw_run(struct rt *rt, uint64_t max)
{
	for (uint32_t i = 0; i < UNW_STEPS && !unw_frame(rt); i++)
		;
}

RT_INLINE int
unw_list(struct rt *rt)
{
	const struct rt_unw_area *a = unw_area(rt);
	struct rt_unw *u = &rt->unw;

	u->id = a != 0 ? a->id : 0;
	u->want = 0;
	u->first = 0;
	u->n = u->id != 0 ? a->n[u->id & 1] : 0;
	if (u->n != 0)
		u->py = a->python;
	return u->n != 0;
}

RT_INLINE uint64_t
unw_owed(struct rt *rt, uint64_t pc, uint64_t sp, uint64_t fp, uint64_t max)
{
	return rt->unw.have;
}

#endif

/*
 * In a traced process: the main thread's stack is there from its stack pointer
 * up to its end, whatever the program does, and needs no checked copy.  It was
 * so when the consumer last looked, and grows downwards only.
 */
RT_INLINE void
unw_first_piece(struct rt *rt, uint64_t sp)
{
	struct rt_unw *u = &rt->unw;

	u->direct = 0;
	u->win = u->nwin = 0;
#ifdef RT_NATIVE
	const struct rt_unw_area *a = unw_area(rt);

	if (sp >= a->stack_lo && sp < a->stack_hi) {
		u->direct = 1;
		u->win = sp;
		u->nwin = a->stack_hi - sp;
	}
#endif
}

RT_GLOBAL uint64_t
rt_unwind(struct rt *rt, uint64_t pc, uint64_t sp, uint64_t fp, uint64_t max)
{
	struct rt_unw *u;
	uint64_t most;

	if (!rt)
		return 0;
	u = &rt->unw;
	u->have = u->lost = 0;
	if (unw_list(rt)) {
		u->pc = pc;
		u->sp = u->low = sp;
		u->fp = fp;
		unw_first_piece(rt, sp);
		u->exact = (max & RT_UNWIND_CALLER) == 0;
		u->inner = 0;
		u->below = (max & RT_UNWIND_BELOW) != 0;
		u->placed = (max & RT_UNWIND_PLACED) != 0;
		most = max & (RT_UNWIND_CALLER - 1);
		u->max = most < RT_UNWIND_MAX ? (uint32_t)most : RT_UNWIND_MAX;
		rt_python_begin(rt);
		rt_perl_begin(rt);
		unw_run(rt, most);
	}
	if (u->want == 0)
		return u->have;
	return unw_owed(rt, pc, sp, fp, max) | RT_UNWIND_WANT;
}
