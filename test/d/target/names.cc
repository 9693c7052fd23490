/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* names.cc - functions of C++, with classes, overloads and an exception. */
#define FN __attribute__((noipa))

namespace shop {
class basket {
public:
	FN int add(int n);
	FN int add(const char *s);
	FN int pay(int have);
private:
	int total = 0;
};

int
basket::add(int n)
{
	return total += n;
}

int
basket::add(const char *s)
{
	return total += s[0];
}

int
basket::pay(int have)
{
	if (have < total)
		throw total - have;
	return have - total;
}
}

template <typename T> FN T
half(T x)
{
	return x / 2;
}

int
main()
{
	shop::basket b;

	b.add(5);
	b.add("A");
	try {
		b.pay(20);
	} catch (int missing) {
		b.add(half(missing));
	}
	return b.pay(1000) == 1000 - 70 - 25 ? 0 : 1;
}
