/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A probe in an inline function that several units have. */
#ifndef USDT_TARGET_H
#define USDT_TARGET_H

#include "usdt.h"

#ifdef __cplusplus
extern "C"
#endif
int other(int n);

static __inline__ int
in_header(int n)
{
	TARGET_IN_HEADER(n);
	return n + 1;
}

#endif
