/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * elf_reader.h - a reader of DWARF's numbers that cannot leave its bytes: what
 * is behind the end is 0, and `bad` says so; and one of the entries of unwind
 * tables.  For elf_eh.c and elf_cfi.c.
 */
#ifndef ELF_ELF_READER_H
#define ELF_ELF_READER_H

#include "elf/elf_impl.h"

#include <dwarf.h>
#include <string.h>
#include <elfutils/libdw.h>

struct eh_reader {
	const uint8_t *p, *end;
	uint64_t addr; /* of *p */
	bool bad;      /* has run out of bytes: all further values are 0 */
};

static inline uint64_t
eh_fixed(struct eh_reader *r, size_t n)
{
	uint64_t v = 0;

	if (r->bad || (size_t)(r->end - r->p) < n) {
		r->bad = true;
		return 0;
	}
	memcpy(&v, r->p, n); /* both are little-endian */
	r->p += n;
	r->addr += n;
	return v;
}

/* The bits of a LEB128 number; the last byte, and how many bits there were. */
static inline uint64_t
eh_leb(struct eh_reader *r, uint8_t *last, unsigned *bits)
{
	uint64_t v = 0;

	*bits = 0;
	do {
		*last = (uint8_t)eh_fixed(r, 1);
		if (*bits < 64)
			v |= (uint64_t)(*last & 0x7f) << *bits;
		*bits += 7;
	} while ((*last & 0x80) != 0);
	return v;
}

static inline uint64_t
eh_uleb(struct eh_reader *r)
{
	uint8_t last;
	unsigned bits;

	return eh_leb(r, &last, &bits);
}

static inline int64_t
eh_sleb(struct eh_reader *r)
{
	uint8_t last;
	unsigned bits;
	uint64_t v = eh_leb(r, &last, &bits);

	if (bits < 64 && (last & 0x40) != 0)
		v |= ~(uint64_t)0 << bits;
	return (int64_t)v;
}

/* A value in one of the formats of DW_EH_PE_*, without what it is added to. */
static inline uint64_t
eh_value(struct eh_reader *r, uint8_t enc)
{
	switch (enc & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return eh_fixed(r, 8);
	case DW_EH_PE_uleb128:
		return eh_uleb(r);
	case DW_EH_PE_sleb128:
		return (uint64_t)eh_sleb(r);
	case DW_EH_PE_udata2:
		return eh_fixed(r, 2);
	case DW_EH_PE_sdata2:
		return (uint64_t)(int16_t)eh_fixed(r, 2);
	case DW_EH_PE_udata4:
		return eh_fixed(r, 4);
	case DW_EH_PE_sdata4:
		return (uint64_t)(int32_t)eh_fixed(r, 4);
	default:
		r->bad = true;
		return 0;
	}
}

/* An address; 0 is kept as it is, it means "none". */
static inline uint64_t
eh_addr(struct eh_reader *r, uint8_t enc)
{
	uint64_t at = r->addr, v = eh_value(r, enc);

	if (v == 0 || r->bad)
		return 0;
	switch (enc & 0xf0) {
	case DW_EH_PE_absptr:
		return v;
	case DW_EH_PE_pcrel:
		return at + v;
	default: /* textrel, datarel, indirect: nobody makes them here */
		r->bad = true;
		return 0;
	}
}

/* ---- entries of unwind tables (elf_eh.c) --------------------------------- */

/* What an FDE must know of its CIE. */
struct eh_cie {
	Dwarf_Off off;
	bool ok;
	bool sized; /* 'z': FDEs say how long their augmentation is */
	bool signal;
	uint8_t enc, lsda_enc;
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra; /* the register that stands for the return address */
	const uint8_t *insns, *insns_end; /* what holds at first */
};

struct eh_frame {
	struct elf_file *f;
	Elf_Data data;
	uint64_t addr;     /* of the section */
	bool debug;	   /* it is .debug_frame */
	struct eh_cie cie; /* the last that was looked up */
};

/*
 * Open .eh_frame, or .debug_frame.  False: it is longer than is read.  One that
 * is not there is empty.
 */
bool eh_open(struct elf_file *f, struct eh_frame *x, bool debug);
/*
 * Call fn for each FDE whose range is in executable segments, in the section's
 * order, with its CIE and a reader of its instructions, until it returns false,
 * and return false then.
 */
typedef bool eh_fde_fn(void *arg, const struct elf_fde *d,
		       const struct eh_cie *c, const struct eh_reader *insns);
bool eh_each(struct eh_frame *x, eh_fde_fn *fn, void *arg);

#endif
