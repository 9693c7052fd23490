/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * code_x86_allow.c - instructions that a uprobe cannot be placed at.
 *
 * The kernel copies the probed instruction elsewhere and steps it there, and
 * refuses (ENOTSUPP) what it does not trust to survive that: encodings newer
 * than its tables (VEX, EVEX, XOP), segment prefixes that mean nothing in
 * 64-bit mode (also "notrack"), lock, and instructions that trap or need
 * privilege.  One refused site would fail all sites of its link, so such
 * places are known here.  The list was found by placing a probe at every
 * opcode of the one- and two-byte maps (6.18); it is is_prefix_bad() and
 * good_insns_64[] of arch/x86/kernel/uprobes.c.
 *
 * Some encodings it does not refuse, and should: with a VEX or EVEX prefix it
 * takes the opcode byte for one of the one-byte map.  vpbroadcastb (EVEX 7a)
 * is then emulated as `jp`, vzeroupper (VEX 77) as `ja`, and the program goes
 * on with wrong values: strchrnul() of glibc did (6.18).  So no probe is put
 * on any of them, whether the kernel would take it or not.
 *
 * A five-byte nop it rewrites into a call (6.18), whose return address is
 * written below the stack pointer: over the red zone, if the function uses it.
 * Before the first instruction that writes memory that is harmless
 * (code_x86_slide.c), elsewhere such a place is not used.
 */
#include <string.h>

#include "code/code_x86_impl.h"

static bool
allow_prefix(uint8_t p)
{
	switch (p) {
	case 0x26: /* es */
	case 0x2e: /* cs */
	case 0x36: /* ss */
	case 0x3e: /* ds, notrack */
	case 0xf0: /* lock */
		return false;
	default:
		return true;
	}
}

static bool
allow_opcode(uint8_t op)
{
	switch (op) {
	case 0x6c ... 0x6f: /* ins, outs */
	case 0xcc:          /* int3 */
	case 0xcd:          /* int n */
	case 0xcf:          /* iret */
	case 0xe4 ... 0xe7: /* in, out */
	case 0xec ... 0xef:
	case 0xf1: /* int1 */
	case 0xf4: /* hlt */
	case 0xfa: /* cli */
	case 0xfb: /* sti */
		return false;
	default:
		return true;
	}
}

/*
 * Instructions that the kernel takes and should not: a stepped syscall ends
 * the process with SIGSEGV (6.18), a stepped pushf saves the trap flag, and a
 * transaction or a trap cannot be stepped at all.
 */
static bool
allow_mnemonic(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_SYSCALL:
	case ZYDIS_MNEMONIC_SYSENTER:
	case ZYDIS_MNEMONIC_PUSHFQ:
	case ZYDIS_MNEMONIC_PUSHF:
	case ZYDIS_MNEMONIC_XBEGIN:
	case ZYDIS_MNEMONIC_XABORT:
	case ZYDIS_MNEMONIC_XEND:
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
		return false;
	default:
		return true;
	}
}

bool
code_is_nop5(const uint8_t *p, size_t len)
{
	static const uint8_t nop5[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

	return len == sizeof(nop5) && memcmp(p, nop5, len) == 0;
}

bool
code_allowed(const ZydisDecodedInstruction *in)
{
	if (in->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY ||
	    !allow_mnemonic(in->mnemonic))
		return false;
	for (uint8_t i = 0; i < in->raw.prefix_count; i++) {
		if (!allow_prefix(in->raw.prefixes[i].value))
			return false;
	}
	return in->opcode_map != ZYDIS_OPCODE_MAP_DEFAULT ||
	       allow_opcode(in->opcode);
}
