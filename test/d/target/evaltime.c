/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A system call before main(), and two in it. */
#include <unistd.h>

__attribute__((constructor)) static void
before(void)
{
	(void)getppid();
}

int
main(void)
{
	return getppid() != getppid();
}
