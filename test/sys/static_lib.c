/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* static_lib.c - a library with a probe, which static_target.c opens late. */
#include "static.h"

int lib_call(int n);

int
lib_call(int n)
{
	if (SHOP_LIB_CALL_ENABLED())
		SHOP_LIB_CALL(n);
	return SHOP_LIB_CALL_ENABLED();
}
