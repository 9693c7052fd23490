/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dt_header.h - inside libdtrace: what `dtrace -h` is made of.
 *
 *   dt_header.c   the header: its frame, macros and checks of names
 *   dt_usdt.c     what the header's functions have the compiler write
 *   dt_ctype.c    types of arguments as C has them
 */
#ifndef LIB_DT_HEADER_H
#define LIB_DT_HEADER_H

#include <stdbool.h>

#include "base/buf.h"
#include "lang/lang.h"
#include "type/type.h"

struct dtrace_hdl;

/* ---- dt_header.c --------------------------------------------------------- */

/* True if what has been compiled is a program, and no provider, or nothing. */
bool dt_header_none(const struct dtrace_hdl *dtp);

/* ---- dt_ctype.c ---------------------------------------------------------- */

/* An argument of a probe. */
struct dt_carg {
	struct buf type; /* in C: "struct res const *"; the caller's to free */
	unsigned size;	 /* bytes: 1, 2, 4 or 8 */
	bool is_signed, is_float;
};
/* false: C can not give it (a struct by value, a function). */
bool dt_carg(struct type *t, struct dt_carg *out);
/* The struct or union that a pointer leads to, "struct res"; false: none. */
bool dt_carg_tag(struct type *t, struct buf *out);

/* ---- dt_usdt.c ----------------------------------------------------------- */

/* Before and behind all probes. */
void dt_usdt_begin(struct buf *out);
void dt_usdt_end(struct buf *out);
/* The two functions of a probe; args: [p->nargs]. */
void dt_usdt_probe(const struct lang *l, const struct lang_provider *pv,
		   const struct lang_provider_probe *p,
		   const struct dt_carg *args, struct buf *out);

#endif
