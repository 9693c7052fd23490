/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Another unit of usdt_target.c, which may be in a library. */
#include "usdt_target.h"

/* In C99's sense: it may call no static function. */
#ifndef __cplusplus
extern inline int twice(int n);
#endif
inline int
twice(int n)
{
	TARGET_OTHER(n);
	return 2 * n;
}

int
other(int n)
{
	if (TARGET_OTHER_ENABLED())
		n = -n;
	return twice(in_header(n));
}
