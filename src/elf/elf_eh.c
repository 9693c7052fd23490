/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * elf_eh.c - functions and landing pads, from the unwind tables.
 *
 * .eh_frame has an entry (FDE) for every function of a compiled object, also
 * of a stripped one, and distinguishes a function's split-off part from a
 * function: a part begins with a frame on the stack.  libdw cuts the section
 * into entries; what is in them is read here, with a reader that cannot leave
 * its bytes.  An FDE may name a table of exceptions (LSDA, in
 * .gcc_except_table), whose landing pads are places that the unwinder jumps to.
 *
 * See the Linux Standard Base, "Exception Frames"; DWARF 5, section 6.4; and
 * for the LSDA the Itanium C++ ABI's exception tables.
 */
#include "elf/elf_reader.h"

#include <stdlib.h>
#include <string.h>
#include <elfutils/libdw.h>

/* ---- frame entries ------------------------------------------------------ */

static void
eh_cie_augment(struct eh_cie *c, const Dwarf_CIE *cie)
{
	const char *a = cie->augmentation;
	struct eh_reader r = { .p = cie->augmentation_data };

	*c = (struct eh_cie){
		.off = c->off,
		.lsda_enc = DW_EH_PE_omit,
		.code_align = cie->code_alignment_factor,
		.data_align = cie->data_alignment_factor,
		.ra = cie->return_address_register,
		.insns = cie->initial_instructions,
		.insns_end = cie->initial_instructions_end,
	};
	c->ok = true;
	if (a[0] != 'z') {
		c->ok = a[0] == '\0';
		return;
	}
	c->sized = true;
	if (r.p == NULL)
		return;
	r.end = r.p + cie->augmentation_data_size;
	for (a++; *a != '\0' && !r.bad; a++) {
		switch (*a) {
		case 'R':
			c->enc = (uint8_t)eh_fixed(&r, 1);
			break;
		case 'L':
			c->lsda_enc = (uint8_t)eh_fixed(&r, 1);
			break;
		case 'P':
			eh_value(&r, (uint8_t)eh_fixed(&r, 1));
			break;
		case 'S':
			c->signal = true;
			break;
		default: /* what follows is not understood */
			c->ok = false;
			return;
		}
	}
	c->ok = !r.bad;
}

static const struct eh_cie *
eh_cie_at(struct eh_frame *x, Dwarf_Off off)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	if (x->cie.off == off)
		return &x->cie;
	x->cie = (struct eh_cie){ .off = off };
	if (off < x->data.d_size &&
	    dwarf_next_cfi(x->f->eh.e_ident, &x->data, !x->debug, off, &next,
			   &entry) == 0 &&
	    dwarf_cfi_cie_p(&entry))
		eh_cie_augment(&x->cie, &entry.cie);
	return &x->cie;
}

/*
 * True if the frame holds more than the return address already before the first
 * instruction has run.  Rules for the first address come before the first
 * advance.
 */
static bool
eh_is_fragment(struct eh_reader r)
{
	while (!r.bad && r.p < r.end) {
		uint8_t op = (uint8_t)eh_fixed(&r, 1);

		if ((op & 0xc0) == DW_CFA_offset) {
			eh_uleb(&r);
			continue;
		}
		switch (op) {
		case DW_CFA_def_cfa: /* rsp + 8 is what functions begin with */
			if (eh_uleb(&r) != 7)
				return true;
			return eh_uleb(&r) != 8;
		case DW_CFA_def_cfa_offset:
			return eh_uleb(&r) != 8;
		case DW_CFA_def_cfa_register:
		case DW_CFA_def_cfa_expression:
			return true;
		case DW_CFA_nop:
		case DW_CFA_remember_state:
			break;
		case DW_CFA_GNU_args_size:
			eh_uleb(&r);
			break;
		default:
			return false;
		}
	}
	return false;
}

/* *insns becomes a reader of the instructions. */
static bool
eh_fde_read(struct eh_frame *x, const Dwarf_FDE *in, struct elf_fde *out,
	    struct eh_reader *insns)
{
	const uint8_t *base = x->data.d_buf;
	const struct eh_cie *c = eh_cie_at(x, in->CIE_pointer);
	struct eh_reader r = { .p = in->start, .end = in->end };
	uint64_t n;

	if (!c->ok)
		return false;
	r.addr = x->addr + (uint64_t)(in->start - base);
	*out = (struct elf_fde){ .addr = eh_addr(&r, c->enc),
				 .signal = c->signal };
	out->size = eh_value(&r, c->enc & 0x0f);
	if (c->sized) {
		n = eh_uleb(&r);
		if (n > (uint64_t)(r.end - r.p))
			return false;
		struct eh_reader aug = { r.p, r.p + n, r.addr, r.bad };
		if (c->lsda_enc != DW_EH_PE_omit && n != 0)
			out->lsda = eh_addr(&aug, c->lsda_enc);
		r.p += n;
		r.addr += n;
	}
	if (r.bad || out->size == 0 ||
	    out->size > elf_code_left(x->f, out->addr))
		return false;
	*insns = r;
	/* The linker's first stub is entered with more on the stack, too. */
	out->fragment = !out->signal && eh_is_fragment(r) &&
			!elf_is_stubs(x->f, out->addr);
	return true;
}

struct eh_list {
	struct elf_fde *v;
	size_t n, cap;
};

static bool
eh_list_add(struct eh_list *l, const struct elf_fde *d)
{
	if (l->n == l->cap) {
		size_t cap = l->cap + l->cap / 2 + 1024;
		struct elf_fde *v = reallocarray(l->v, cap, sizeof(*v));

		if (v == NULL)
			return false;
		l->v = v;
		l->cap = cap;
	}
	l->v[l->n++] = *d;
	return true;
}

bool
eh_each(struct eh_frame *x, eh_fde_fn *fn, void *arg)
{
	Dwarf_Off off = 0, next = 0;
	Dwarf_CFI_Entry entry;
	struct eh_reader insns;
	struct elf_fde d;
	int rc;

	while (off < x->data.d_size) {
		next = off;
		rc = dwarf_next_cfi(x->f->eh.e_ident, &x->data, !x->debug, off,
				    &next, &entry);
		if (rc > 0 || next <= off || next > x->data.d_size)
			return true;
		if (rc == 0 && !dwarf_cfi_cie_p(&entry) &&
		    eh_fde_read(x, &entry.fde, &d, &insns) &&
		    !fn(arg, &d, &x->cie, &insns))
			return false;
		off = next;
	}
	return true;
}

bool
eh_open(struct elf_file *f, struct eh_frame *x, bool debug)
{
	size_t size;
	const void *p;

	*x = (struct eh_frame){ .f = f,
				.debug = debug,
				.cie.off = (Dwarf_Off)-1 };
	if (!elf_is_x86_64(f))
		return true;
	p = elf_section(f, debug ? ".debug_frame" : ".eh_frame", &size,
			&x->addr);
	if (p == NULL)
		return true;
	if (elf_data_bytes(f, p, size) > ELF_TABLE_MAX)
		return false;
	x->data.d_buf = (void *)(uintptr_t)p;
	x->data.d_size = size;
	x->data.d_type = ELF_T_BYTE;
	x->data.d_version = EV_CURRENT;
	x->data.d_align = 1;
	return true;
}

static bool
eh_gather(void *arg, const struct elf_fde *d, const struct eh_cie *c,
	  const struct eh_reader *insns)
{
	return eh_list_add(arg, d);
}

/* The sorted list without repetitions becomes the file's. */
static void
eh_table(struct elf_file *f, struct eh_list *l)
{
	size_t n = 0;

	elf_sort(l->v, l->n, sizeof(*l->v), offsetof(struct elf_fde, addr));
	for (size_t i = 0; i < l->n; i++)
		if (n == 0 || l->v[n - 1].addr != l->v[i].addr)
			l->v[n++] = l->v[i];
	f->fdes = l->v;
	f->nfdes = n;
}

const struct elf_fde *
elf_fdes(struct elf_file *f, size_t *n)
{
	struct eh_frame x;
	struct eh_list l = { 0 };

	if (!f->fdes_loaded) {
		f->fdes_loaded = true;
		f->fdes_failed = !eh_open(f, &x, false) ||
				 !eh_each(&x, eh_gather, &l);
		eh_table(f, &l);
	}
	*n = f->nfdes;
	return f->fdes;
}

const struct elf_fde *
elf_fde_at(struct elf_file *f, uint64_t addr)
{
	size_t n, lo = 0, hi;
	const struct elf_fde *v = elf_fdes(f, &n);

	for (hi = n; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;

		if (v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo != 0 && addr - v[lo - 1].addr < v[lo - 1].size ? &v[lo - 1]
								 : NULL;
}

/* ---- landing pads ------------------------------------------------------- */

/* A reader from addr to the end of its segment's bytes. */
static bool
eh_reader_at(struct elf_file *f, uint64_t addr, struct eh_reader *r)
{
	for (size_t i = 0; i < f->nsegs; i++) {
		const struct elf_seg *s = &f->segs[i];
		uint64_t at = addr - s->addr;

		if (at >= s->filesz)
			continue;
		r->p = elf_at(f, s->off + at, s->filesz - at);
		r->end = r->p + (s->filesz - at);
		r->addr = addr;
		r->bad = r->p == NULL;
		return !r->bad;
	}
	return false;
}

bool
elf_pads_upto(struct elf_file *f, const struct elf_fde *d,
	      void (*fn)(void *arg, uint64_t addr), void *arg, size_t *most)
{
	struct eh_reader r = { 0 };
	uint64_t start = d->addr, n;
	uint8_t enc;

	if (d->lsda == 0 || !eh_reader_at(f, d->lsda, &r))
		return true;
	enc = (uint8_t)eh_fixed(&r, 1);
	if (enc != DW_EH_PE_omit)
		start = eh_addr(&r, enc);
	if (eh_fixed(&r, 1) != DW_EH_PE_omit)
		eh_uleb(&r);
	enc = (uint8_t)eh_fixed(&r, 1);
	n = eh_uleb(&r);
	if (r.bad || n > (uint64_t)(r.end - r.p))
		return true;
	for (r.end = r.p + n; r.p < r.end;) {
		eh_value(&r, enc & 0x0f); /* the call site: start, size */
		eh_value(&r, enc & 0x0f);
		uint64_t pad = eh_value(&r, enc & 0x0f);
		eh_uleb(&r); /* what is done there */
		if (r.bad)
			return true;
		if ((*most)-- == 0)
			return false;
		if (pad != 0 && elf_is_code(f, start + pad))
			fn(arg, start + pad);
	}
	return true;
}

void
elf_landing_pads(struct elf_file *f, const struct elf_fde *d,
		 void (*fn)(void *arg, uint64_t addr), void *arg)
{
	size_t most = SIZE_MAX;

	(void)elf_pads_upto(f, d, fn, arg, &most);
}
