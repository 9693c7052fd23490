/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * labels.c - an interpreter by computed goto.  Compilers make of it functions
 * with one indirect jump for each operation, through a table of labels that
 * lies in data; built at four levels of optimisation.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

uint64_t run(const uint8_t *code, uint64_t a, uint64_t n);
uint64_t leaf(unsigned op, uint64_t a);

/* Threaded code: each operation jumps to the next one. */
__attribute__((noinline)) uint64_t
run(const uint8_t *code, uint64_t a, uint64_t n)
{
	static const void *const op[] = { &&add, &&mul,	 &&rot,
					  &&xor, &&back, &&end };
	const uint8_t *pc = code;

#define NEXT goto *op[*pc++]
	NEXT;
add:
	a += n;
	NEXT;
mul:
	a *= 0x9e3779b97f4a7c15u;
	NEXT;
rot:
	a = a << 13 | a >> 51;
	NEXT;
xor:
	a ^= n << 7;
	NEXT;
back:
	if (n-- != 0)
		pc = code;
	NEXT;
end:
	return a;
}

/* No call, no frame: ways out between the labels. */
__attribute__((noinline)) uint64_t
leaf(unsigned op, uint64_t a)
{
	static const void *const to[] = { &&one, &&two, &&three, &&four };

	goto *to[op & 3];
one:
	return a + 1;
two:
	a *= 3;
	goto *to[(a >> 5 & 1) * 3];
three:
	return a ^ a >> 9;
four:
	return ~a;
}

int
main(int argc, char **argv)
{
	static const uint8_t code[] = { 0, 1, 2, 3, 2, 1, 4, 5 };
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 0) : 100000, a = 1;

	for (uint64_t i = 0; i < n; i++)
		a = leaf((unsigned)(a >> 11), run(code, a, i % 50));
	printf("%llx\n", (unsigned long long)a);
	return 4;
}
