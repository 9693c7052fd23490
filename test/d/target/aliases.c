/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Functions of several names. */
int go(int n);
static int local(int n) __attribute__((noinline, used));
extern int _local(int n) __attribute__((weak, alias("local")));
extern int _go(int n) __attribute__((weak, alias("go")));
extern int __go2(int n) __attribute__((alias("go")));

__attribute__((noinline)) int
go(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

static int
local(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 2;
}

int
main(void)
{
	return go(1) + local(2) == 6 ? 0 : 1;
}
