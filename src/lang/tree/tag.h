/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * tag.h - the tags of the front end's errors: D_SYNTAX and so on are objects
 * (tag.c), one for each row of errtag.def.
 */
#ifndef LANG_TREE_TAG_H
#define LANG_TREE_TAG_H

#include "base/err.h"

enum lang_tag {
#define TAG(name, what) name##_IDX,
#include "lang/errtag.def"
#undef TAG
	LANG_NTAGS
};
/* D_SYNTAX and so on are struct err_tag objects. */
#define TAG(name, what) extern const struct err_tag name;
#include "lang/errtag.def"
#undef TAG

#endif
