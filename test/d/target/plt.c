/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* plt.c - addresses in the linker's stubs, given to here(). */
#include <unistd.h>

/* A function that is called and whose address is taken has its stub in
   .plt.got. */
static pid_t (*volatile taken)(void) = getppid;

__attribute__((noipa)) void
here(const char *stub, const char *other, const char *none)
{
	__asm__ volatile("" : : "r"(stub), "r"(other), "r"(none));
}

int
main(void)
{
	const char *stub, *other;

	__asm__("leaq getpgrp@PLT(%%rip), %0" : "=r"(stub));
	__asm__("leaq getppid@PLT(%%rip), %0" : "=r"(other));
	here(stub, other, (const char *)main);
	return taken() + getppid() + getpgrp() == 0;
}
