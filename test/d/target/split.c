/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* split.c - a function and a part that the compiler has split off it. */
#define FN __attribute__((noipa))

FN int part(int n) __asm__("whole.cold");

int
part(int n)
{
	return n + 1;
}

FN int
whole(int n)
{
	return part(n) + 1;
}

int
main(void)
{
	return whole(1) == 3 ? 0 : 1;
}
