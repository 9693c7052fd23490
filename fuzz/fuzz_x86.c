/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fuzz_x86.c - any bytes as foreign code: what is moved keeps within its
 * buffer, decodes again, and refers to what the original referred to.
 *
 * The first byte tells how far the copy is; the rest is code.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/x86/x86.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ADDR 0x555555554000ull
#define ROOM 64

/* A plain instruction and its copy are the same but for a displacement. */
static void
check_plain(const struct code_insn *in, const struct x86_buf *b)
{
	struct code_insn copy;

	if (in->kind != CODE_I_PLAIN)
		return;
	code_insn_decode(b->p, b->n, b->base, &copy);
	if (b->n != in->len || copy.len != in->len || copy.kind != in->kind ||
	    copy.pc_rel != in->pc_rel || copy.target != in->target)
		abort();
}

/* A jump goes where it went. */
static void
check_jump(const struct code_insn *in, const struct x86_buf *b)
{
	struct code_insn copy;

	if (in->kind != CODE_I_JMP)
		return;
	code_insn_decode(b->p, b->n, b->base, &copy);
	if (copy.kind != CODE_I_JMP || copy.target != in->target)
		abort();
}

/* Whatever was written is instructions, up to a call's literal. */
static void
check_code(const struct code_insn *in, const struct x86_buf *b)
{
	size_t end = b->n;
	struct code_insn i;

	if (in->kind == CODE_I_CALL || in->kind == CODE_I_CALL_IND)
		end -= 8;
	for (size_t at = 0; at < end; at += i.len) {
		code_insn_decode(b->p + at, end - at, b->base + at, &i);
		if (i.kind == CODE_I_BAD)
			abort();
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t room[ROOM];
	struct code_insn in;

	if (size < 2)
		return 0;
	for (size_t at = 1; at < size; at += in.len) {
		struct x86_buf b = { room, 0, ROOM,
				     ADDR + ((uint64_t)data[0] << 24), false };
		uint64_t addr = ADDR + at;
		struct err e = { 0 };
		code_insn_decode(data + at, size - at, addr, &in);
		if (in.len == 0 || in.len > size - at)
			abort();
		code_insn_is_nop(data + at, size - at);
		code_flags_dead(data + at, size - at, addr);
		if (x86_reloc_insn(&b, data + at, size - at, addr, &e) != 0)
			continue;
		if (b.full)
			abort();
		check_plain(&in, &b);
		check_jump(&in, &b);
		check_code(&in, &b);
	}
	return 0;
}
