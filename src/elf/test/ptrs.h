/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * ptrs.h - what ptrs.c holds.  For C and for the assembler.
 */
#pragma once

/* Words in a row, enough for some bit maps of packed relocations, and which of
   them are addresses: word i that of byte i. */
#define PTR_WORDS 300
#define PTR_IS(i) ((i * i + i / 7) % 3 < 1)

/* Other bytes that something has the address of. */
#define PTR_IN_CODE	  400
#define PTR_IN_FRAMES	  401
#define PTR_BEHIND_FRAMES 402
#define PTR_INIT	  403
#define PTR_FINI	  404
#define PTR_PREINIT	  405
#define PTR_NOT_LOADED	  406
