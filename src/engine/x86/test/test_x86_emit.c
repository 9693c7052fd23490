/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * test_x86_emit.c - each form of the assembler: what Zydis' decoder reads in
 * its bytes is what was meant, and Zydis' encoder has no shorter way to say
 * it; labels in all directions; buffers that are too small.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <Zydis/Zydis.h>

#include "engine/x86/x86_emit.h"

#define BASE 0x400000u

static uint8_t code[512];
static struct x86_buf buf;

static struct x86_buf *
fresh(void)
{
	memset(code, 0, sizeof(code));
	buf = (struct x86_buf){ code, 0, sizeof(code), BASE, false, 0 };
	return &buf;
}

/* The buffer holds one instruction, which reads as `text`, and is no longer
   than Zydis' encoding of it. */
static void
reads(const char *text, int line)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction insn;
	ZydisEncoderRequest req;
	ZydisFormatter fmt;
	ZydisDecoder dec;
	char got[128];
	uint8_t other[16];
	ZyanUSize n = sizeof(other);

	ZydisDecoderInit(&dec, ZYDIS_MACHINE_MODE_LONG_64,
			 ZYDIS_STACK_WIDTH_64);
	ZydisFormatterInit(&fmt, ZYDIS_FORMATTER_STYLE_INTEL);
	ZydisFormatterSetProperty(&fmt, ZYDIS_FORMATTER_PROP_FORCE_SIZE, 1);
	if (buf.full ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&dec, code, buf.n, &insn,
						 ops)) ||
	    insn.length != buf.n)
		fail_msg("line %d: no instruction for %s", line, text);
	ZydisFormatterFormatInstruction(&fmt, &insn, ops,
					insn.operand_count_visible, got,
					sizeof(got), BASE, NULL);
	if (strcmp(got, text) != 0)
		fail_msg("line %d: %s, not %s", line, got, text);
	if (!ZYAN_SUCCESS(ZydisEncoderDecodedInstructionToEncoderRequest(
		    &insn, ops, insn.operand_count_visible, &req)) ||
	    !ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&req, other, &n)))
		fail_msg("line %d: Zydis cannot encode %s", line, text);
	if (n < buf.n)
		fail_msg("line %d: %s is too long", line, text);
}

#define READS(form, text)                     \
	do {                                  \
		struct x86_buf *b = fresh();  \
		form;                         \
		reads(text, __LINE__);        \
	} while (0)

static void
test_moves(void **state)
{
	READS(x86_mov_rr(b, 8, X86_RAX, X86_R15), "mov rax, r15");
	READS(x86_mov_rr(b, 4, X86_R8, X86_RDI), "mov r8d, edi");
	READS(x86_mov_rr(b, 1, X86_RSI, X86_RAX), "mov sil, al");
	READS(x86_mov_ri(b, X86_RAX, 7), "mov eax, 0x07");
	READS(x86_mov_ri(b, X86_R9, 0xffffffff), "mov r9d, 0xFFFFFFFF");
	READS(x86_mov_ri(b, X86_R9, -2ull), "mov r9, 0xFFFFFFFFFFFFFFFE");
	READS(x86_mov_ri(b, X86_RBP, 0x123456789a),
	      "mov rbp, 0x123456789A");
	READS(x86_load(b, 1, false, X86_RCX, x86_m(X86_RSP, 8)),
	      "movzx ecx, byte ptr [rsp+0x08]");
	READS(x86_load(b, 1, true, X86_RCX, x86_m(X86_RBP, 0)),
	      "movsx rcx, byte ptr [rbp]");
	READS(x86_load(b, 2, false, X86_R10, x86_m(X86_R13, 0)),
	      "movzx r10d, word ptr [r13]");
	READS(x86_load(b, 2, true, X86_R10, x86_m(X86_R12, -0x90)),
	      "movsx r10, word ptr [r12-0x90]");
	READS(x86_load(b, 4, true, X86_RDX, x86_mi(X86_RAX, X86_R9, 4, 16)),
	      "movsxd rdx, dword ptr [rax+r9*4+0x10]");
	READS(x86_load(b, 4, false, X86_RDX,
		       x86_mi(X86_NONE, X86_RCX, 8, 0x1000)),
	      "mov edx, dword ptr [rcx*8+0x1000]");
	READS(x86_load(b, 8, false, X86_R9, x86_mfs(0x28)),
	      "mov r9, qword ptr fs:[0x0000000000000028]");
	READS(x86_load(b, 8, false, X86_R11, x86_mrip(BASE + 0x1000)),
	      "mov r11, qword ptr [0x0000000000401000]");
	READS(x86_store(b, 1, x86_m(X86_R12, 0), X86_RDI),
	      "mov byte ptr [r12], dil");
	READS(x86_store(b, 2, x86_mi(X86_R13, X86_RAX, 1, 0), X86_RDI),
	      "mov word ptr [r13+rax*1], di");
	READS(x86_store(b, 8, x86_mrip(BASE - 8), X86_R8),
	      "mov qword ptr [0x00000000003FFFF8], r8");
	READS(x86_store_imm(b, 8, x86_mrip(BASE + 0x20), -1),
	      "mov qword ptr [0x0000000000400020], 0xFFFFFFFFFFFFFFFF");
	READS(x86_store_imm(b, 1, x86_m(X86_RBX, 1), 0x7f),
	      "mov byte ptr [rbx+0x01], 0x7F");
	READS(x86_store_imm(b, 2, x86_m(X86_RBX, 1), 0x1234),
	      "mov word ptr [rbx+0x01], 0x1234");
	READS(x86_lea(b, X86_RSP, x86_m(X86_RSP, -128)),
	      "lea rsp, [rsp-0x80]");
	READS(x86_lea(b, X86_R14, x86_mi(X86_R14, X86_R14, 8, 1)),
	      "lea r14, [r14+r14*8+0x01]");
	READS(x86_ext(b, 1, false, X86_RAX, X86_RSI), "movzx eax, sil");
	READS(x86_ext(b, 1, true, X86_RAX, X86_RCX), "movsx rax, cl");
	READS(x86_ext(b, 2, true, X86_RAX, X86_RCX), "movsx rax, cx");
	READS(x86_ext(b, 4, true, X86_RAX, X86_RCX), "movsxd rax, ecx");
	READS(x86_ext(b, 4, false, X86_RAX, X86_RCX), "mov eax, ecx");
	READS(x86_cmov(b, X86_CC_A, 8, X86_RAX, X86_R9), "cmovnbe rax, r9");
	READS(x86_setcc(b, X86_CC_O, X86_RAX), "seto al");
	READS(x86_setcc(b, X86_CC_E, X86_RDI), "setz dil");
	READS(x86_push(b, X86_RBP), "push rbp");
	READS(x86_push(b, X86_R12), "push r12");
	READS(x86_pop(b, X86_R15), "pop r15");
	READS(x86_push_imm(b, -1), "push 0xFFFFFFFFFFFFFFFF");
	READS(x86_push_imm(b, 0x12345678), "push 0x12345678");
	READS(x86_push_m(b, x86_m(X86_RAX, 8)), "push qword ptr [rax+0x08]");
	READS(x86_xchg_rr(b, 8, X86_RBX, X86_RCX), "xchg rbx, rcx");
	READS(x86_xchg_mr(b, 4, x86_m(X86_RDX, 0), X86_RSI),
	      "xchg dword ptr [rdx], esi");
	READS((x86_lock(b), x86_cmpxchg(b, 8, x86_m(X86_RDX, 0), X86_RSI)),
	      "lock cmpxchg qword ptr [rdx], rsi");
	READS((x86_lock(b), x86_xadd(b, 4, x86_m(X86_RDX, 0), X86_RSI)),
	      "lock xadd dword ptr [rdx], esi");
}

static void
test_arithmetic(void **state)
{
	READS(x86_alu_rr(b, X86_ADD, 8, X86_RAX, X86_R8), "add rax, r8");
	READS(x86_alu_rr(b, X86_ADC, 4, X86_RDX, X86_RAX), "adc edx, eax");
	READS(x86_alu_rr(b, X86_CMP, 1, X86_RDI, X86_RAX), "cmp dil, al");
	READS(x86_alu_ri(b, X86_SUB, 8, X86_RSP, 0x80), "sub rsp, 0x80");
	READS(x86_alu_ri(b, X86_AND, 8, X86_RSP, -16),
	      "and rsp, 0xFFFFFFFFFFFFFFF0");
	READS(x86_alu_ri(b, X86_CMP, 4, X86_RAX, 1024), "cmp eax, 0x400");
	READS(x86_alu_ri(b, X86_ADD, 1, X86_RAX, 0x7f), "add al, 0x7F");
	READS(x86_alu_ri(b, X86_XOR, 1, X86_RSI, 1), "xor sil, 0x01");
	READS(x86_alu_ri(b, X86_OR, 2, X86_RCX, 0x1234), "or cx, 0x1234");
	READS(x86_alu_rm(b, X86_CMP, 8, X86_RCX, x86_m(X86_RAX, 0)),
	      "cmp rcx, qword ptr [rax]");
	READS(x86_alu_mr(b, X86_ADD, 8, x86_m(X86_RAX, 0x100), X86_RCX),
	      "add qword ptr [rax+0x100], rcx");
	READS(x86_alu_mi(b, X86_ADD, 8, x86_mi(X86_RAX, X86_RDX, 8, 8), 1),
	      "add qword ptr [rax+rdx*8+0x08], 0x01");
	READS(x86_alu_mi(b, X86_CMP, 4, x86_mrip(BASE), 0x12345),
	      "cmp dword ptr [0x0000000000400000], 0x12345");
	READS(x86_alu_mi(b, X86_CMP, 1, x86_m(X86_RBX, 0), 1),
	      "cmp byte ptr [rbx], 0x01");
	READS(x86_test_rr(b, 8, X86_RAX, X86_RAX), "test rax, rax");
	READS(x86_test_ri(b, 4, X86_RAX, 0x100), "test eax, 0x100");
	READS(x86_test_ri(b, 1, X86_RDI, 1), "test dil, 0x01");
	READS(x86_test_mi(b, 1, x86_m(X86_RDI, 4), 1),
	      "test byte ptr [rdi+0x04], 0x01");
	READS(x86_un_r(b, X86_NOT, 8, X86_R9), "not r9");
	READS(x86_un_r(b, X86_NEG, 8, X86_RAX), "neg rax");
	READS(x86_un_r(b, X86_MUL, 8, X86_RDX), "mul rdx");
	READS(x86_un_r(b, X86_DIV, 8, X86_R12), "div r12");
	READS(x86_un_r(b, X86_IDIV, 8, X86_RCX), "idiv rcx");
	READS(x86_un_m(b, X86_MUL, 8, x86_m(X86_RCX, 16)),
	      "mul qword ptr [rcx+0x10]");
	READS(x86_inc_r(b, 8, X86_RAX), "inc rax");
	READS(x86_dec_r(b, 4, X86_R10), "dec r10d");
	READS(x86_inc_m(b, 8, x86_m(X86_RAX, 8)),
	      "inc qword ptr [rax+0x08]");
	READS(x86_dec_m(b, 4, x86_m(X86_RAX, 8)),
	      "dec dword ptr [rax+0x08]");
	READS(x86_imul_rr(b, 8, X86_RAX, X86_R9), "imul rax, r9");
	READS(x86_imul_rm(b, 8, X86_RAX, x86_m(X86_RDX, 0)),
	      "imul rax, qword ptr [rdx]");
	READS(x86_imul_rri(b, 8, X86_RAX, X86_RDX, 40), "imul rax, rdx, 0x28");
	READS(x86_imul_rri(b, 8, X86_RAX, X86_RDX, 400),
	      "imul rax, rdx, 0x190");
	READS(x86_cqo(b), "cqo");
	READS(x86_cdq(b), "cdq");
	READS(x86_bsr(b, 8, X86_RAX, X86_R9), "bsr rax, r9");
	READS(x86_bsf(b, 4, X86_RAX, X86_RCX), "bsf eax, ecx");
	READS(x86_bswap(b, 4, X86_RCX), "bswap ecx");
	READS(x86_bswap(b, 8, X86_R9), "bswap r9");
	READS(x86_sh_ri(b, X86_SHL, 8, X86_RAX, 3), "shl rax, 0x03");
	READS(x86_sh_ri(b, X86_SHR, 8, X86_R9, 1), "shr r9, 0x01");
	READS(x86_sh_ri(b, X86_ROL, 2, X86_RAX, 8), "rol ax, 0x08");
	READS(x86_sh_cl(b, X86_SAR, 8, X86_RDX), "sar rdx, cl");
	READS(x86_shd_ri(b, false, 8, X86_RAX, X86_RDX, 32),
	      "shrd rax, rdx, 0x20");
	READS(x86_shd_cl(b, true, 8, X86_RDX, X86_RAX), "shld rdx, rax, cl");
}

static void
test_plain(void **state)
{
	READS(x86_pushfq(b), "pushfq");
	READS(x86_popfq(b), "popfq");
	READS(x86_lahf(b), "lahf");
	READS(x86_sahf(b), "sahf");
	READS(x86_cld(b), "cld");
	READS(x86_rdtsc(b), "rdtsc");
	READS(x86_rdtscp(b), "rdtscp");
	READS(x86_rdpid(b, X86_RCX), "rdpid rcx");
	READS(x86_rdfsbase(b, X86_R9), "rdfsbase r9");
	READS(x86_syscall(b), "syscall");
	READS(x86_ret(b), "ret");
	READS(x86_int3(b), "int3");
	READS(x86_ud2(b), "ud2");
	READS(x86_jmp_r(b, X86_R11), "jmp r11");
	READS(x86_jmp_m(b, x86_mrip(BASE + 16)),
	      "jmp qword ptr [0x0000000000400010]");
	READS(x86_call_r(b, X86_RAX), "call rax");
	READS(x86_call_m(b, x86_m(X86_RAX, 8)), "call qword ptr [rax+0x08]");
	READS(x86_jmp_to(b, BASE - 100), "jmp 0x00000000003FFF9C");
	READS(x86_jmp_to(b, BASE - 1000), "jmp 0x00000000003FFC18");
	READS(x86_jcc_to(b, X86_CC_NE, BASE + 2), "jnz 0x0000000000400002");
	READS(x86_jcc_to(b, X86_CC_G, BASE + 0x200), "jnle 0x0000000000400200");
	READS(x86_call_to(b, BASE), "call 0x0000000000400000");
	for (uint32_t n = 1; n < 10; n++) {
		ZydisDecodedInstruction insn;
		ZydisDecoder dec;
		x86_nop(fresh(), n);
		ZydisDecoderInit(&dec, ZYDIS_MACHINE_MODE_LONG_64,
				 ZYDIS_STACK_WIDTH_64);
		assert_true(ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
			&dec, NULL, code, n, &insn)));
		assert_int_equal(insn.length, n);
		assert_int_equal(insn.mnemonic, ZYDIS_MNEMONIC_NOP);
	}
}

/* All registers in all places. */
static void
test_operands(void **state)
{
	static const char *const name[] = {
		"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
		"r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15",
	};
	static const struct {
		int32_t disp;
		const char *text;
	} disps[] = { { 0, "" }, { 8, "+0x08" }, { -8, "-0x08" },
		      { 0x1000, "+0x1000" } };

	for (unsigned base = 0; base < 16; base++)
		for (unsigned index = 0; index < 16; index++)
			for (unsigned i = 0; i < 4; i++) {
				char text[80];
				struct x86_buf *b = fresh();
				if (index == X86_RSP)
					continue;
				snprintf(text, sizeof(text),
					 "mov %s, qword ptr [%s+%s*2%s]",
					 name[base ^ 5], name[base],
					 name[index], disps[i].text);
				x86_load(b, 8, false, base ^ 5,
					 x86_mi(base, index, 2, disps[i].disp));
				reads(text, __LINE__);
			}
}

static void
test_exact(void **state)
{
	static const uint8_t want[] = {
		0x48, 0x8d, 0x64, 0x24, 0x80,	/* lea rsp, [rsp - 128] */
		0x50,				/* push rax */
		0x9f,				/* lahf */
		0x0f, 0x90, 0xc0,		/* seto al */
		0xb8, 0x05, 0, 0, 0,		/* mov eax, 5 */
		0xe8, 0xec, 0x0f, 0, 0,		/* call 0x401000 */
		0x04, 0x7f,			/* add al, 127 */
		0x9e,				/* sahf */
		0x58,				/* pop rax */
		0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
	};
	struct x86_buf *b = fresh();

	x86_lea(b, X86_RSP, x86_m(X86_RSP, -128));
	x86_push(b, X86_RAX);
	x86_lahf(b);
	x86_setcc(b, X86_CC_O, X86_RAX);
	x86_mov_ri(b, X86_RAX, 5);
	x86_call_to(b, BASE + 0x1000);
	x86_alu_ri(b, X86_ADD, 1, X86_RAX, 127);
	x86_sahf(b);
	x86_pop(b, X86_RAX);
	x86_align(b, 32);
	assert_int_equal(b->n, sizeof(want));
	assert_memory_equal(code, want, sizeof(want));
}

static void
test_labels(void **state)
{
	static const uint8_t want[] = {
		0xe9, 0x0e, 0, 0, 0,		/* 0: jmp 19 */
		0x0f, 0x84, 8, 0, 0, 0,		/* 5: je 19 */
		0x75, 6,			/* 11: jne 19 */
		0xeb, 4,			/* 13: jmp 19 */
		0xeb, 2,			/* 15: jmp 19 */
		0x90, 0x90,			/* 17 */
		0xeb, 0xfe,			/* 19: jmp 19 */
		0x74, 0xfc,			/* 21: je 19 */
		0x48, 0x8d, 0x05, 0xf5, 0xff, 0xff, 0xff, /* 23: lea rax, 19 */
	};
	struct x86_label l = { 0 };
	struct x86_buf *b = fresh();

	x86_jmp_label(b, &l);
	x86_jcc_label(b, X86_CC_E, &l);
	x86_jcc_short(b, X86_CC_NE, &l);
	x86_jmp_short(b, &l);
	x86_jmp_short(b, &l);
	x86_bytes(b, "\x90\x90", 2);
	assert_int_equal(b->open, 5);
	x86_bind(b, &l);
	assert_int_equal(b->open, 0);
	x86_jmp_label(b, &l);
	x86_jcc_label(b, X86_CC_E, &l);
	x86_lea_label(b, X86_RAX, &l);
	assert_int_equal(b->open, 0);
	assert_int_equal(b->n, sizeof(want));
	assert_memory_equal(code, want, sizeof(want));

	l = (struct x86_label){ 0 };
	b = fresh();
	x86_lea_label(b, X86_R9, &l);
	x86_bind(b, &l);
	b->n = 7;
	reads("lea r9, [0x0000000000400007]", __LINE__);
}

static void
test_full(void **state)
{
	struct x86_label l = { 0 };
	struct x86_buf *b = fresh();

	b->cap = 4;
	x86_mov_ri(b, X86_RAX, 1);
	assert_true(b->full);
	assert_int_equal(b->n, 0);
	x86_ret(b);
	assert_int_equal(b->n, 0);
	x86_jmp_label(b, &l); /* what is not written is not waited for */
	x86_jmp_short(b, &l);
	assert_int_equal(b->open, 0);

	b = fresh();
	x86_jmp_short(b, &l);
	for (int i = 0; i < 130; i++)
		x86_int3(b);
	x86_bind(b, &l);
	assert_true(b->full);

	b = fresh();
	x86_jmp_to(b, BASE + (1ull << 31) + 100);
	assert_true(b->full);
	b = fresh();
	x86_load(b, 8, false, X86_RAX, x86_mrip(BASE - (1ull << 31) - 100));
	assert_true(b->full);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moves),
		cmocka_unit_test(test_arithmetic),
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
