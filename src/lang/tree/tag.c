/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* tag.c - the objects behind the tags of the front end's errors. */
#include "lang/tree/tag.h"

#define TAG(name, what) const struct err_tag name = { #name, name##_IDX };
#include "lang/errtag.def"
#undef TAG
