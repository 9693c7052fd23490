/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* gen.h - the door of the generator: code for checked expressions. */
#ifndef LANG_GEN_GEN_H
#define LANG_GEN_GEN_H

#include "lang/tree/compile.h"

/*
 * The object is in cx->out.  use: the whole value is wanted; only what its
 * type keeps of it; nothing of it.
 */
enum gen_use { GEN_VALUE, GEN_RECORD, GEN_EFFECT };
struct dif_obj *gen_expr(struct compile *cx, struct node *n, enum gen_use use);

#endif
