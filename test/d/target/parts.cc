/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* parts.cc - functions whose names the compiler has made of others. */
#define FN __attribute__((noipa))

extern "C" {
FN int fact(int n) __asm__("fact.constprop.0");
FN int many_0(int n) __asm__("many.part.0");
FN int many_1(int n) __asm__("many.isra.1");
}

int
fact(int n)
{
	return n < 2 ? 1 : n * fact(n - 1);
}

int
many_0(int n)
{
	return n + 1;
}

int
many_1(int n)
{
	return n + 2;
}

namespace shop {
FN int
add(int n)
{
	return n + 3;
}

FN int
add(long n)
{
	return (int)n + 4;
}

FN int
pay(int n)
{
	return n + 5;
}
}

int
main()
{
	return fact(3) + many_0(1) + many_1(1) + shop::add(1) + shop::add(2L) +
		       shop::pay(1) == 6 + 2 + 3 + 4 + 6 + 6
		       ? 0
		       : 1;
}
