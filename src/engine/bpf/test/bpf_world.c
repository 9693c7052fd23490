/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * bpf_world.c - see bpf_world.h.
 */
#include <stdio.h>
#include <unistd.h>
#include <sys/syscall.h>

#include "engine/bpf/test/bpf_world.h"

const struct dif_recipes user_args = {
	.arg = { { DIF_RCP_UREG, DIF_R_SYSARG0 },
		 { DIF_RCP_UREG, DIF_R_SYSARG1 },
		 { DIF_RCP_COOKIE, 0 },
		 { DIF_RCP_CONST, -3 } },
};
const char one[] = "setx 1, %r1\nret %r1\n.ret int 8";

const char *
my_pid(void)
{
	static char text[128];

	snprintf(text, sizeof(text),
		 "ldgs pid, %%r1\nsetx %d, %%r2\ncmp %%r1, %%r2\nbe yes\n"
		 "mov %%r0, %%r1\nret %%r1\nyes:\nsetx 1, %%r1\nret %%r1",
		 getpid());
	return text;
}

void
getppids(int n)
{
	while (n-- > 0)
		syscall(SYS_getppid);
}

