/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * ptrs.c - for test_elf_ptrs.c: data that holds addresses of code, in all ways
 * that there are; what stands for itself and for none has its own offset in
 * ptr_code.  Linked as a library with relocations of two kinds, and as a
 * program without any, which is not run.
 */
#include "elf/test/ptrs.h"

#define STRING_(x) #x
#define STRING(x)  STRING_(x)

/* clang-format off */
__asm__(".text\n.globl ptr_code\n.hidden ptr_code\n.type ptr_code,@function\n"
	"ptr_code: .fill 512,1,0x90\n.size ptr_code,512\n"
	".globl ptr_sym\n.type ptr_sym,@function\n"
	"ptr_sym: .fill 16,1,0x90\n.size ptr_sym,16\n"
	/* In code it is no data. */
	".balign 8\n.quad " STRING(PTR_IN_CODE) "\n"
	".section .data.rel,\"aw\",@progbits\n.balign 8\n"
	".globl ptr_data\n.hidden ptr_data\n.type ptr_data,@object\n"
	"ptr_data:\n.set i,0\n.rept " STRING(PTR_WORDS) "\n"
	".if " STRING(PTR_IS(i)) "\n.quad ptr_code + i\n"
	".else\n.quad i\n.endif\n"
	".set i,i+1\n.endr\n.size ptr_data,.-ptr_data\n"
	".globl ptr_more\n.hidden ptr_more\nptr_more:\n"
	".quad ptr_sym + 5, strlen, ptr_data\n"
	/* The collector of OCaml has addresses that nobody jumps to. */
	".type camlTest__frametable,@object\ncamlTest__frametable:\n"
	".quad ptr_code + " STRING(PTR_IN_FRAMES) "\n"
	".size camlTest__frametable,8\n"
	".quad ptr_code + " STRING(PTR_BEHIND_FRAMES) "\n"
	".section .init_array,\"aw\",@init_array\n.balign 8\n"
	".quad ptr_code + " STRING(PTR_INIT) "\n"
	".section .fini_array,\"aw\",@fini_array\n.balign 8\n"
	".quad ptr_code + " STRING(PTR_FINI) "\n"
#ifdef PTR_PROGRAM
	".section .preinit_array,\"aw\",@preinit_array\n.balign 8\n"
	".quad ptr_code + " STRING(PTR_PREINIT) "\n"
	/* What is not loaded holds nothing. */
	".section ptr_none,\"\",@progbits\n.balign 8\n"
	".quad ptr_code + " STRING(PTR_NOT_LOADED) "\n"
#endif
	".text\n");
/* clang-format on */

#ifdef PTR_PROGRAM
int
main(void)
{
	return 1;
}
#endif
