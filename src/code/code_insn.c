/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * code_insn.c - a function's body cut into instructions.
 *
 * Decoding is linear from the function's first byte.  Compilers put jump tables
 * in .rodata, not between instructions, so this is exact for their code;
 * hand-written assembly that is not so ends in bytes that do not decode, and
 * to whoever asks, the rest is unknown.
 */
#include "code/code_impl.h"

/* How far to look for the death of the flags. */
#define FLAGS_INSNS 8

void
code_insn_decode(const uint8_t *p, size_t n, uint64_t addr,
		 struct code_insn *out)
{
	code_machine.insn(p, n, addr, out);
}

bool
code_insn_is_nop(const uint8_t *p, size_t n)
{
	return code_machine.is_nop(p, n);
}

const char *
code_insn_name(const uint8_t *p, size_t n)
{
	return code_machine.name(p, n);
}

size_t
code_slide(const struct code_body *b)
{
	return code_machine.slide(b);
}

bool
code_cfi(const struct code_body *b, elf_cfi_fn *fn, void *arg)
{
	return code_machine.cfi == NULL || code_machine.cfi(b, fn, arg);
}

bool
code_insn_at(const struct code_body *b, size_t off, struct code_insn *out)
{
	if (off >= b->n)
		return false;
	code_insn_decode(b->p + off, b->n - off, b->addr + off, out);
	if (off != 0 && code_machine.harms_inside(b->p + off, out->len))
		out->allowed = false;
	return out->kind != CODE_I_BAD;
}

bool
code_insn_begins(const struct code_body *b, size_t off)
{
	struct code_insn in;
	size_t at = 0;

	while (at < off && code_insn_at(b, at, &in))
		at += in.len;
	return at == off && code_insn_at(b, at, &in);
}

size_t
code_insn_count(const struct code_body *b)
{
	struct code_insn in;
	size_t n = 0;

	for (size_t at = 0; code_insn_at(b, at, &in); at += in.len)
		n++;
	return n;
}

bool
code_flags_dead(const uint8_t *p, size_t n, uint64_t addr)
{
	struct code_insn in;
	size_t at = 0;

	for (int i = 0; i < FLAGS_INSNS && at < n; i++, at += in.len) {
		code_insn_decode(p + at, n - at, addr + at, &in);
		if (in.kind == CODE_I_BAD || in.flags_read)
			return false;
		if (in.flags_killed || in.kind == CODE_I_RET ||
		    in.kind == CODE_I_CALL || in.kind == CODE_I_CALL_IND)
			return true;
		if (in.kind == CODE_I_JMP || in.kind == CODE_I_JMP_IND ||
		    in.kind == CODE_I_JCC || in.kind == CODE_I_TRAP)
			return false;
	}
	return false;
}
