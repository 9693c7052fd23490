/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * static_made.S - a library as libstapsdt and its like make them while a program
 * runs: probes are functions of four nops, whose symbols have neither type nor
 * size, and nothing says how a stack is walked there.
 */
	.text
	.balign 16
	.globl	made_first, made_second
made_first:
	nop; nop; nop; nop
	ret
made_second:
	nop; nop; nop; nop
	ret

	.section .stapsdt.base, "a"
base:	.byte	0

	.macro	note name, fn, args
	.section .note.stapsdt, "", "note"
	.balign	4
	.4byte	992f - 991f, 994f - 993f, 3
991:	.asciz	"stapsdt"
992:	.balign	4
993:	.8byte	\fn, base, 0
	.asciz	"made"
	.asciz	"\name"
	.asciz	"\args"
994:	.balign	4
	.endm

	note	first, made_first, "8@%rdi -4@%esi"
	note	second, made_second, "8@%rdi"
	.section .note.GNU-stack, "", "progbits"
