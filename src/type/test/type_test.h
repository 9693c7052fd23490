/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* type_test.h - for tests of types, behind cmocka.h. */
#ifndef TYPE_TEST_TYPE_TEST_H
#define TYPE_TEST_TYPE_TEST_H

#include "type/type.h"

static inline void
type_is(struct type *t, const char *name)
{
	struct buf b = BUF_INIT;

	assert_non_null(t);
	type_name(t, &b);
	assert_string_equal(buf_str(&b), name);
	buf_fini(&b);
}

#endif
