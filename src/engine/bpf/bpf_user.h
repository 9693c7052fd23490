/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_user.h - places: where the kernel is to fire for a site.
 *
 * A site in the code of a program is a fact about a function or an instruction.
 * What the kernel can be given there is a breakpoint, or a probe at the return
 * of a function; bpf_user.c finds out which and where, and so a site has none,
 * one or several places.  A site of any other kind is its own one place.
 */
#ifndef ENGINE_BPF_BPF_USER_H
#define ENGINE_BPF_BPF_USER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "dif/dif.h"

struct engine;

/* The kinds of place: those of site.def, and what the kernel has for the code
   of programs. */
enum {
	BPF_AT_UPROBE = DIF_NSITES, /* before the instruction at off */
	BPF_AT_URETPROBE,	    /* when the function that off is in
				       returns */
	BPF_NPLACES
};

struct bpf_place {
	unsigned kind;
	const struct dif_site *site;
	uint64_t off;  /* U...: in the file */
	uint64_t addr; /* U...: in the process */
	uint64_t cookie;
	uint32_t slid; /* U...: bytes behind the instruction that is meant */
	/* Clauses there read the process's memory: set by bpf_site_more(). */
	bool reads;
};

/*
 * The places of all sites of the enabling, into eng->places, and where those
 * of each probe begin, into eng->place0.  A probe whose sites have none is not
 * fired; -1 + *e if a clause names it.
 */
int bpf_user_places(struct engine *eng, struct err *e);
void bpf_user_fini(struct engine *eng);
/* engine_ops.left_out: sites without a place, of patterns; and for -v, which
   and why. */
uint32_t bpf_user_left_out(struct engine *eng);
struct buf;
void bpf_user_report(const struct engine *eng, struct buf *out);
/* The places of sites that come while tracing, in order of their probes, whose
   numbers are v[i].probe; added to eng->places, and counted in
   eng->place0[probe + 1].  -1 + *e: no memory, or a file cannot be read. */
struct engine_site;
int bpf_user_more(struct engine *eng, const struct engine_site *v,
		  const struct dif_site *sites, size_t n, struct err *e);

/* bpf_unwind.c: true if the return address of the function at link-time
   address fn must not be replaced, or if that holds in all of process pid. */
struct elf_file;
bool bpf_unwind_odd(struct elf_file *elf, uint64_t fn);
bool bpf_unwind_process(const struct engine *eng, int32_t pid);

#endif
