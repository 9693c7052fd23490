/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* static_lib.c - a library with a probe, which static_target.c opens late. */
#include "static.h"

int lib_call(int n);
int lib_listens(void);

int
lib_call(int n)
{
	/* One with an operand that is none. */
	__asm__ volatile("990: nop\n.pushsection .note.stapsdt,\"\",\"note\"\n"
			 ".balign 4\n.4byte 992f-991f,994f-993f,3\n"
			 "991: .asciz \"stapsdt\"\n992: .balign 4\n"
			 "993: .8byte 990b,0,0\n.asciz \"shop\"\n"
			 ".asciz \"lib__lies\"\n.asciz \"8@%zz9\"\n"
			 "994: .balign 4\n.popsection\n");
	if (SHOP_LIB_CALL_ENABLED())
		SHOP_LIB_CALL(n);
	return SHOP_LIB_CALL_ENABLED();
}

int
lib_listens(void)
{
	return SHOP_LIB_CALL_ENABLED();
}
