/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_absent.c - what rt_absent.c must know of this kernel.
 *
 * Where members are, BTF says.  Where the kernel maps all memory, and where it
 * keeps the structures of pages, it says nowhere that all kernels have: it is
 * found out on ourselves, with a file in memory that has one page.  We know
 * what is in it; through our own page table its physical address; and through
 * the page cache its structure.  So what is not as we think is noticed here,
 * and then nothing is known, rather than something wrong.
 *
 * Memory is read by a small program that we run ourselves, a word at a time.
 * An entry of a page table that has not the bits of one ends a try, so that
 * nothing but memory is read.
 */
#include "engine/bpf/bpf_impl.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#define GIB       (1ull << 30)
#define PAGE      4096u
#define NWORDS    8
#define TABLE     0x27u /* present, writable, user's, accessed */
#define PRESENT   1u
#define LARGE     0x80u
#define XA_NODE   2u
#define XA_CHUNKS 11 /* levels of an xarray, at most */

/* ---- facts from BTF -------------------------------------------------------
 */

/* What we try it on. */
struct own {
	int fd;             /* a file of one page */
	uint64_t *words;    /* mapped: NWORDS random ones */
	uint64_t task, pgd; /* our own, in the kernel */
	uint64_t most;      /* no physical address is larger */
	uint32_t task_files, files_fdt, fdt_fd;
};

struct fact {
	const char *type, *member;
	uint32_t *to;
};

static uint32_t
enumerator(const struct btf *b, const char *type, const char *name)
{
	int id = btf__find_by_name_kind(b, type, BTF_KIND_ENUM);
	const struct btf_type *t =
		id > 0 ? btf__type_by_id(b, (uint32_t)id) : NULL;

	for (unsigned i = 0; t != NULL && i < btf_vlen(t); i++) {
		const struct btf_enum *en = &btf_enum(t)[i];
		const char *s = btf__name_by_offset(b, en->name_off);
		if (s != NULL && strcmp(s, name) == 0)
			return (uint32_t)en->val;
	}
	return ~0u;
}

/* The number of elements of xa_node.slots; 0: not known. */
static uint32_t
xa_slots(const struct btf *b)
{
	int id = btf__find_by_name_kind(b, "xa_node", BTF_KIND_STRUCT);
	const struct btf_type *t =
		id > 0 ? btf__type_by_id(b, (uint32_t)id) : NULL;

	for (unsigned i = 0; t != NULL && i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];
		const char *s = btf__name_by_offset(b, m->name_off);
		if (s == NULL || strcmp(s, "slots") != 0)
			continue;
		t = btf__type_by_id(b, m->type);
		return t != NULL && btf_is_array(t) ? btf_array(t)->nelems : 0;
	}
	return 0;
}

/* False: some member is not there. */
static bool
absent_members(const struct btf *b, struct rt_absent *a, struct own *o)
{
	uint32_t head = ~0u;
	const struct fact facts[] = {
		{ "task_struct", "mm", &a->task_mm },
		{ "task_struct", "files", &o->task_files },
		{ "mm_struct", "pgd", &a->mm_pgd },
		{ "files_struct", "fdt", &o->files_fdt },
		{ "fdtable", "fd", &o->fdt_fd },
		{ "vm_area_struct", "vm_start", &a->vma_start },
		{ "vm_area_struct", "vm_flags", &a->vma_flags },
		{ "vm_area_struct", "vm_pgoff", &a->vma_pgoff },
		{ "vm_area_struct", "vm_file", &a->vma_file },
		{ "vm_area_struct", "vm_ops", &a->vma_ops },
		{ "file", "f_mapping", &a->file_mapping },
		{ "address_space", "i_pages", &a->mapping_head },
		{ "xarray", "xa_head", &head },
		{ "xa_node", "shift", &a->xa_shift },
		{ "xa_node", "slots", &a->xa_slots },
		{ "folio", "mapping", &a->folio_mapping },
		{ "folio", "index", &a->folio_index },
		{ "folio", "flags", &a->folio_flags },
	};

	int id = 0;
	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++) {
		/* each search costs about a millisecond */
		if (i == 0 || strcmp(facts[i].type, facts[i - 1].type) != 0)
			id = btf__find_by_name_kind(b, facts[i].type,
						    BTF_KIND_STRUCT);
		*facts[i].to = id > 0 ? bpf_feat_member(b, (uint32_t)id,
							facts[i].member)
				      : ~0u;
		if (*facts[i].to == ~0u)
			return false;
	}
	a->mapping_head += head;
	return true;
}

static bool
absent_types(struct engine *eng, struct rt_absent *a, struct own *o)
{
	const struct btf *b = bpf_feat_btf(eng);
	const struct btf_type *page;
	int id;

	if (b == NULL)
		return false;
	id = btf__find_by_name_kind(b, "page", BTF_KIND_STRUCT);
	page = id > 0 ? btf__type_by_id(b, (uint32_t)id) : NULL;
	a->page_size = page != NULL ? page->size : 0;
	a->uptodate = enumerator(b, "pageflags", "PG_uptodate");
	a->xa_mask = xa_slots(b) - 1;
	return absent_members(b, a, o) && a->page_size != 0 &&
	       a->uptodate < 64 && a->xa_mask < 64 &&
	       enumerator(b, "bpf_func_id", "BPF_FUNC_find_vma") ==
		       BPF_FUNC_find_vma;
}

/* ---- reading the kernel ---------------------------------------------------
 */

struct peek {
	int prog;
	struct bpf_map map; /* word 0: what was read */
	bool failed;
};

/* raw_tp(addr): the word there, or the address of the current task for 0. */
static void
peek_code(struct em *em, int map)
{
	uint32_t task = em_label(em), out = em_label(em);

	em_ld(em, BPF_DW, R6, R1, 0);
	em_ji(em, BPF_JEQ, R6, 0, task);
	em_sti(em, BPF_DW, FP, -8, 0);
	em_lea(em, R1, FP, -8);
	em_imm(em, R2, 8);
	em_mov(em, R3, R6);
	em_call(em, BPF_FUNC_probe_read_kernel);
	em_ld(em, BPF_DW, R2, FP, -8);
	em_mapval(em, R1, map, 0);
	em_st(em, BPF_DW, R1, 0, R2);
	em_ja(em, out);
	em_place(em, task);
	em_call(em, BPF_FUNC_get_current_task);
	em_mapval(em, R1, map, 0);
	em_st(em, BPF_DW, R1, 0, R0);
	em_imm(em, R0, 0);
	em_place(em, out);
	em_exit(em);
}

static void
peek_close(struct peek *p)
{
	close(p->prog);
	bpf_maps_close(&p->map);
}

static bool
peek_open(struct peek *p)
{
	struct em em = { 0 };
	struct err e = { 0 };

	*p = (struct peek){ .prog = -1 };
	if (bpf_maps_array(&p->map, "peek", 8, 1, BPF_F_MMAPABLE) != 0) {
		bpf_maps_close(&p->map);
		return false;
	}
	peek_code(&em, p->map.fd);
	p->prog = bpf_feat_load(&em, "dtrace_peek", &e);
	if (p->prog < 0)
		bpf_maps_close(&p->map);
	return p->prog >= 0;
}

/* 0 and p->failed where it cannot be read. */
static uint64_t
peek_word(struct peek *p, uint64_t addr)
{
	uint32_t ret = 0;

	if (p->failed || sys_prog_run(p->prog, &addr, 1, -1, &ret) != 0 ||
	    ret != 0) {
		p->failed = true;
		return 0;
	}
	return *(volatile uint64_t *)(void *)p->map.mem;
}

/* ---- memory by its physical address ---------------------------------------
 */

/* The physical address of a page of ours; 0: the table is not what it is
   taken for. */
static uint64_t
our_page(struct peek *p, const struct rt_absent *a, const struct own *o,
	 uint64_t addr)
{
	uint64_t table = o->pgd, e;

	for (uint32_t l = a->levels; l > 0; l--) {
		unsigned shift = 3 + 9 * l;
		e = peek_word(p, table + (addr >> shift & 511) * 8);
		if (p->failed || (e & PRESENT) == 0 || (e & a->phys) > o->most)
			return 0;
		if (l == 1)
			return e & a->phys;
		if ((e & LARGE) != 0 || (e & TABLE) != TABLE)
			return 0;
		table = a->direct + (e & a->phys);
	}
	return 0;
}

static bool
is_ours(struct peek *p, const struct rt_absent *a, const struct own *o)
{
	uint64_t at = our_page(p, a, o, (uintptr_t)o->words);

	for (unsigned i = 0; at != 0 && i < NWORDS; i++)
		if (peek_word(p, a->direct + at + 8 * i) != o->words[i] ||
		    p->failed)
			return false;
	return at != 0;
}

/* The kernel's map of memory begins at a multiple of 1 GB below our own page
   table, which lies in it. */
static bool
find_direct(struct peek *p, struct rt_absent *a, const struct own *o)
{
	/* Where memory is encrypted, a bit of an entry is no address. */
	static const unsigned bits[] = { 52, 51, 47 };

	for (uint64_t back = 0; back <= o->most / GIB; back++)
		for (unsigned i = 0; i < 2 * sizeof(bits) / sizeof(*bits);
		     i++) {
			a->direct = (o->pgd & ~(GIB - 1)) - back * GIB;
			a->levels = 4 + i % 2;
			a->phys = ((1ull << bits[i / 2]) - 1) & ~(PAGE - 1ull);
			p->failed = false;
			if (is_ours(p, a, o))
				return true;
		}
	return false;
}

/* ---- structures of pages --------------------------------------------------
 */

/* The folio of the only page of a file. */
static uint64_t
only_folio(struct peek *p, const struct rt_absent *a, uint64_t mapping)
{
	uint64_t e = peek_word(p, mapping + a->mapping_head);

	for (int i = 0; i < XA_CHUNKS && (e & 3) == XA_NODE && e > PAGE; i++)
		e = peek_word(p, e - XA_NODE + a->xa_slots);
	return p->failed || (e & 3) != 0 ? 0 : e;
}

static uint64_t
file_mapping(struct peek *p, const struct rt_absent *a, const struct own *o)
{
	uint64_t at = peek_word(p, o->task + o->task_files);

	at = peek_word(p, at + o->files_fdt);
	at = peek_word(p, at + o->fdt_fd);
	at = peek_word(p, at + 8 * (uint64_t)o->fd);
	return peek_word(p, at + a->file_mapping);
}

/* The array of their structures: that of our page is its number away. */
static bool
find_pages(struct peek *p, struct rt_absent *a, const struct own *o)
{
	uint64_t mapping = file_mapping(p, a, o),
		 folio = only_folio(p, a, mapping),
		 at = our_page(p, a, o, (uintptr_t)o->words);

	if (p->failed || folio == 0 || at == 0 ||
	    peek_word(p, folio + a->folio_mapping) != mapping ||
	    peek_word(p, folio + a->folio_index) != 0 ||
	    (peek_word(p, folio + a->folio_flags) >> a->uptodate & 1) == 0)
		return false;
	a->pages = folio - at / PAGE * a->page_size;
	return !p->failed && a->pages % PAGE == 0;
}

static bool
absent_try(struct peek *p, struct rt_absent *a, struct own *o)
{
	o->task = peek_word(p, 0);
	o->pgd = peek_word(p, peek_word(p, o->task + a->task_mm) + a->mm_pgd);
	/* Holes make addresses go further than there is memory. */
	o->most = 2 * (uint64_t)sysconf(_SC_PHYS_PAGES) * PAGE + 16 * GIB;
	return !p->failed && o->pgd % PAGE == 0 && o->pgd >> 63 != 0 &&
	       find_direct(p, a, o) && find_pages(p, a, o);
}

/* A file in memory, of one page that nobody else has. */
static bool
own_open(struct own *o)
{
	o->words = MAP_FAILED;
	o->fd = memfd_create("dtrace", MFD_CLOEXEC);
	if (o->fd < 0 || ftruncate(o->fd, PAGE) != 0)
		return false;
	o->words =
		mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, o->fd, 0);
	return o->words != MAP_FAILED &&
	       getrandom(o->words, NWORDS * sizeof(*o->words), 0) ==
		       (ssize_t)(NWORDS * sizeof(*o->words));
}

static void
own_close(struct own *o)
{
	if (o->words != MAP_FAILED)
		munmap(o->words, PAGE);
	if (o->fd >= 0)
		close(o->fd);
}

/* ---- the door --------------------------------------------------------------
 */

void
bpf_absent_find(struct engine *eng, struct rt_absent *a)
{
	struct own o;
	struct peek p;

	*a = (struct rt_absent){ 0 };
	eng->absent = "not on this machine";
#ifndef MACHINE_X86_64
	return;
#endif
	if ((eng->needs & DIF_NEED_USER) == 0 || sysconf(_SC_PAGESIZE) != PAGE)
		return;
	eng->absent = "the kernel's structures are not understood";
	if (own_open(&o) && peek_open(&p)) {
		if (absent_types(eng, a, &o) && absent_try(&p, a, &o)) {
			a->known = 1;
			eng->absent = NULL;
		}
		peek_close(&p);
	}
	own_close(&o);
}

void
bpf_absent_report(struct engine *eng, struct buf *out)
{
	size_t n = 0;

	if ((eng->needs & DIF_NEED_USER) == 0)
		return;
	for (size_t i = 0; i < eng->progs.n; i++)
		n += eng->progs.v[i]->class->runs == BPF_RUNS_SLEEPS;
	if (n != 0)
		buf_printf(out, "user memory: probes in processes wait for "
				"pages that have to be brought in\n");
	if (eng->absent == NULL)
		buf_printf(out, "user memory: pages that a process has not "
				"touched are read from the page cache\n");
	else
		buf_printf(out,
			   "user memory: pages that a process has not "
			   "touched cannot be read: %s\n",
			   eng->absent);
}
