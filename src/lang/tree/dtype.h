/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * dtype.h - what D makes of C's types: in registers, in records.
 */
#ifndef LANG_TREE_DTYPE_H
#define LANG_TREE_DTYPE_H

#include "lang/tree/compile.h"

/* The DIF record of a D type (strings: size 0). */
struct dif_type dtype_dif(struct type *t);
/* True if a value of this type is represented by its address. */
bool dtype_by_address(struct type *t);
bool dtype_is_bool(struct type *t);
/* The normal form of a value in a type: cut to its width, then extended. */
uint64_t dtype_normal(struct type *t, uint64_t val);
struct type *dtype_basic(struct compile *cx, enum type_basic b);
/* A type of the base space by its name ("size_t"). */
struct type *dtype_named(struct compile *cx, const char *name);

#endif
