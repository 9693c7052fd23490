/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rt_absent.c - user memory that the program could read, and whose page it has
 * not touched yet: constants, tables, files that are mapped.
 *
 * A program of the kernel may not wait, so its helpers fail where the processor
 * would: the page is not in the page table of the process.  What the
 * processor's fault would put there is mostly in memory all the same, in the
 * page cache of the file, and can be read where it lies.  So each page that
 * fails is looked up:
 *
 *   the mapping (struct vm_area_struct), by a helper that takes its lock if
 *   nobody changes the mappings just now
 *   the page table: of a private mapping a page may have been written to, and
 *   then be swapped out; only where nothing has ever been is the file's page
 *   the truth, or zeroes where there is no file
 *   the page cache (an xarray) of the file: the page, if it has been read
 *
 * and its address in the kernel's map of all memory is read.  No lock keeps the
 * page cache; so it is looked at again when the bytes have been copied: if the
 * page is still there and still the file's, they are what it had.
 *
 * Nothing is brought in: what would have to come from a disk or from swap is a
 * fault, as ever.  So is what belongs to a device, to huge pages, and to a
 * process that serves faults itself (userfaultfd).
 *
 * What is known of the kernel's structures (RT_CONF(absent)) bpf_absent.c has
 * found out, and tried.  Documentation: mm/page_tables.rst and
 * core-api/xarray.rst of the kernel.
 */
#include "rt/rt_impl.h"

#ifdef __bpf__

#define ABSENT_PAGE  4096u
#define ABSENT_PAGES (RT_STR_MAX / ABSENT_PAGE + 1)
#define PTE_PRESENT  1u
#define PTE_LARGE    0x80u
#define PTE_NOTHING  0x60u /* accessed, dirty: some processors set them */
#define XA_DEPTH     11
#define VM_READ      1u
#define VM_SHARED    8u
/* VM_UFFD_MISSING, VM_PFNMAP, VM_IO, VM_HUGETLB */
#define VM_NOT_OURS (0x200u | 0x400u | 0x4000u | 0x400000u)

/* Lies where frames are else: a user's stack is walked at another time. */
struct absent {
	volatile uint64_t vma;
	uint64_t start, flags, pgoff, file, ops;
	uint64_t mapping, slot, folio; /* folio 0: no file's */
	/* The loop over pages: from memory the verifier takes them for any
	   numbers, and follows each step once. */
	volatile uint64_t at, done, left;
};
#define ABSENT(rt) ((struct absent *)(void *)RT_FRAMES(rt))

struct absent_walk {
	struct rt *rt;
};

uint64_t rt_absent_page(struct rt *rt, uint64_t addr);
uint64_t rt_absent_never(struct rt *rt, uint64_t addr);
uint64_t rt_absent_entry(struct rt *rt, uint64_t index);

/* A word of the kernel; 0 where it cannot be read. */
RT_INLINE uint64_t
absent_word(uint64_t addr)
{
	uint64_t val = 0;

	return bpf_probe_read_kernel(&val, 8, (const void *)addr) == 0 ? val
								       : 0;
}

/* With the lock of the mappings held. */
static long
absent_vma(void *task, void *vma, struct absent_walk *w)
{
	struct absent *p = ABSENT(w->rt);
	uint64_t at;

	p->vma = (uint64_t)vma;
	at = p->vma; /* a number now */
	p->start = absent_word(at + RT_CONF(absent.vma_start));
	p->flags = absent_word(at + RT_CONF(absent.vma_flags));
	p->pgoff = absent_word(at + RT_CONF(absent.vma_pgoff));
	p->file = absent_word(at + RT_CONF(absent.vma_file));
	p->ops = absent_word(at + RT_CONF(absent.vma_ops));
	if (p->file != 0)
		p->mapping =
			absent_word(p->file + RT_CONF(absent.file_mapping));
	return 0;
}

/* Not 0 if there has never been anything at this address. */
RT_GLOBAL uint64_t
rt_absent_never(struct rt *rt, uint64_t addr)
{
	uint64_t i, e, table;

	if (!rt)
		return 0;
	table = absent_word(bpf_get_current_task() + RT_CONF(absent.task_mm));
	if (table == 0)
		return 0;
	table = absent_word(table + RT_CONF(absent.mm_pgd));
	RT_FOR(i, 5, 1, 1) {
		uint64_t at = table + (addr >> (48 - 9 * i) & 511) * 8;

		if (i + RT_CONF(absent.levels) < 5)
			continue;
		if (bpf_probe_read_kernel(&e, 8, (const void *)at) != 0)
			return 0;
		if ((e & ~(uint64_t)PTE_NOTHING) == 0)
			return 1;
		if ((e & PTE_PRESENT) == 0 || (e & PTE_LARGE) != 0)
			return 0;
		table = RT_CONF(absent.direct) + (e & RT_CONF(absent.phys));
	}
	return 0;
}

/* The entry for a page of the file, and where it stands; 0: none. */
RT_GLOBAL uint64_t
rt_absent_entry(struct rt *rt, uint64_t index)
{
	uint64_t i, e, mask = RT_CONF(absent.xa_mask);
	struct absent *p;

	if (!rt)
		return 0;
	p = ABSENT(rt);
	p->slot = p->mapping + RT_CONF(absent.mapping_head);
	e = absent_word(p->slot);
	if ((e & 3) != 2 && index != 0)
		return 0;
	RT_FOR(i, XA_DEPTH, 1, (e & 3) == 2) {
		uint64_t node = e - 2, n;
		uint8_t shift = 0;

		if (e <= ABSENT_PAGE)
			return 0;
		bpf_probe_read_kernel(
			&shift, 1,
			(const void *)(node + RT_CONF(absent.xa_shift)));
		n = index >> (shift & 63);
		if (i == 0 && n > mask)
			return 0;
		node += RT_CONF(absent.xa_slots);
		p->slot = node + (n & mask) * 8;
		e = absent_word(p->slot);
		if ((e & 3) == 2 && e < (mask << 2 | 2)) {
			/* the same as an entry before it: a large folio's */
			p->slot = node + (e >> 2) * 8;
			e = absent_word(p->slot);
		}
	}
	return (e & 3) == 0 ? e : 0;
}

/* Not 0 if the folio is still where it was found. */
RT_INLINE int
absent_still(struct absent *p)
{
	return p->folio == 0 ||
	       (absent_word(p->slot) == p->folio &&
		absent_word(p->folio + RT_CONF(absent.folio_mapping)) ==
			p->mapping &&
		(absent_word(p->folio + RT_CONF(absent.folio_flags)) >>
			 RT_CONF(absent.uptodate) &
		 1) != 0);
}

/* Where zeroes are. */
RT_INLINE uint64_t
absent_zeroes(void)
{
	uint32_t zero = 0;
	struct rt_ctl *ctl = bpf_map_lookup_elem(&rt_map_ctl, &zero);

	return ctl ? ctl->strtab_addr : 0;
}

/* The address in the kernel of what a fault at addr would bring; 0: unknown. */
RT_GLOBAL uint64_t
rt_absent_page(struct rt *rt, uint64_t addr)
{
	struct absent_walk w = { rt };
	struct absent *p;
	uint64_t index, at, first;

	if (!rt || !RT_CONF(absent.known))
		return 0;
	p = ABSENT(rt);
	p->vma = p->mapping = p->folio = 0;
	if (bpf_find_vma(bpf_get_current_task_btf(), addr, (void *)absent_vma,
			 &w, 0) != 0)
		return 0;
	if (p->vma == 0 || (p->flags & VM_READ) == 0 ||
	    (p->flags & VM_NOT_OURS) != 0)
		return 0;
	if ((p->file == 0 || (p->flags & VM_SHARED) == 0) &&
	    !rt_absent_never(rt, addr))
		return 0;
	if (p->file == 0)
		return p->ops == 0 ? absent_zeroes() : 0;
	if (p->mapping == 0)
		return 0;
	index = ((addr - p->start) / ABSENT_PAGE) + p->pgoff;
	p->folio = rt_absent_entry(rt, index);
	if (p->folio == 0 || !absent_still(p))
		return 0;
	first = absent_word(p->folio + RT_CONF(absent.folio_index));
	at = (p->folio - RT_CONF(absent.pages)) / RT_CONF(absent.page_size);
	return RT_CONF(absent.direct) + (at + index - first) * ABSENT_PAGE +
	       (addr & (ABSENT_PAGE - 1));
}

/* What is wanted of the page at p->at, to V: 1, or 0. */
RT_INLINE int
absent_part(struct rt *rt)
{
	struct absent *p = ABSENT(rt);
	uint64_t at, addr = p->at, n = ABSENT_PAGE - (addr & (ABSENT_PAGE - 1));
	uint32_t size;
	uint8_t *to = RT_WORK(RT_V(rt), p->done);

	if (n > p->left)
		n = p->left;
	size = (uint32_t)rt_bound(n - 1, ABSENT_PAGE - 1) + 1;
	if (bpf_probe_read_user(to, size, (const void *)addr) != 0) {
		at = rt_absent_page(rt, addr);
		if (at == 0 ||
		    bpf_probe_read_kernel(to, size, (const void *)at) != 0 ||
		    !absent_still(p))
			return 0;
	}
	p->at += n;
	p->done += n;
	p->left -= n;
	return 1;
}

/* Not 0 if V has a NUL among its first n bytes.  One is put behind them. */
RT_INLINE int
absent_ends(struct rt *rt, uint64_t n)
{
	uint32_t size = (uint32_t)rt_bound(n, RT_STR_MAX - 1) + 1;

	*RT_WORK(RT_V(rt), n) = 0;
	return rt_read_str(rt, RT_V(rt), size, rt->self + RT_V_OFF) !=
	       (long)n + 1;
}

RT_GLOBAL uint64_t
rt_absent(struct rt *rt, uint64_t addr, uint64_t n, uint64_t str)
{
	struct absent *p;
	uint64_t i;

	if (!rt)
		return 0;
	rt->absent_at = 0;
	if (n > RT_STR_MAX)
		return 0;
	p = ABSENT(rt);
	p->at = addr;
	p->done = 0;
	p->left = n;
	RT_FOR(i, ABSENT_PAGES, 1, p->left != 0)
		if (!absent_part(rt))
			break;
	if (p->left != 0 && (!str || !absent_ends(rt, p->done))) {
		rt->absent_at = p->at;
		return 0;
	}
	return rt->self + RT_V_OFF;
}

#endif
