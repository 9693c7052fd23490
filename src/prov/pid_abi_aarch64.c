/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * pid_abi_aarch64.c - which raw argument a parameter is: Procedure Call
 * Standard for the Arm 64-bit Architecture, section 6.8.
 *
 * Integers and pointers take the next of eight registers, numbers of floating
 * point the next of eight others, then both the stack.  What comes behind an
 * object given by value is not known.  Go: its internal ABI, sixteen registers
 * of each kind, of which raw arguments have the first.
 */
#include "prov/pid_fn.h"

#define C_REGS 8 /* FNARG rows of conv_aarch64.def */
#define C_VECS 8

#define GO_ARG(n, REG) [n] = { DIF_RCP_UREG, DIF_R_##REG }
const struct dif_recipes pid_abi_go = {
	.arg = { GO_ARG(0, X0), GO_ARG(1, X1), GO_ARG(2, X2), GO_ARG(3, X3),
		 GO_ARG(4, X4), GO_ARG(5, X5), GO_ARG(6, X6), GO_ARG(7, X7),
		 GO_ARG(8, X8), GO_ARG(9, X9), GO_ARG(10, X10),
		 GO_ARG(11, X11) },
};
const struct dif_recipes pid_abi_go_stack = {
	.arg = { DIF_USTACK(8), DIF_USTACK(16), DIF_USTACK(24), DIF_USTACK(32),
		 DIF_USTACK(40), DIF_USTACK(48), DIF_USTACK(56), DIF_USTACK(64),
		 DIF_USTACK(72), DIF_USTACK(80), DIF_USTACK(88),
		 DIF_USTACK(96) },
};

bool
pid_abi_result(struct type *fn)
{
	return type_is_scalar(fn->ref) && type_size(fn->ref) <= 8;
}

uint32_t
pid_abi_args(struct type *fn, enum pid_lang lang, uint8_t map[DIF_NARGS],
	     uint32_t *unread)
{
	uint64_t regs = 0, vecs = 0, stack = 0;
	uint64_t most = lang == PID_LANG_C ? C_REGS : DIF_NARGS;
	size_t n;
	const struct type_param *v = type_params(fn, &n);
	uint32_t i;

	for (i = 0; i < n && i < DIF_NARGS; i++) {
		bool is_float = type_resolve(v[i].type)->kind == TYPE_FLOAT;
		uint64_t raw;

		if (lang == PID_LANG_GO_STACK || type_size(v[i].type) > 8 ||
		    (!is_float && !type_is_scalar(v[i].type)))
			return i;
		if (is_float && vecs < C_VECS) {
			vecs++;
			*unread |= 1u << i;
			continue;
		}
		raw = !is_float && regs < most ? regs++ : most + stack++;
		if (raw < DIF_NARGS)
			map[i] = (uint8_t)raw;
		else
			*unread |= 1u << i;
	}
	return i;
}
