/*
 * Operators bind as in C, and ^^ between && and ||.
 * @needs: bpf
 * @engines: kernel process
 */
BEGIN
{
	printf("%d %d %d\n", 1 < 2 < 3, 1 | 2 ^ 3 & 4, 5 & 3 == 3);
	printf("%d %d %d\n", 1 ? 2 : 0 ? 3 : 4, 2 + 3 << 1, -1 >> 1 == -1);
	printf("%d %d %d\n", 1 || 1 ^^ 1, 0 && 1 ^^ 1, !!5 + ~0);
	x = 5;
	printf("%d\n", x -= -3); printf("%d\n", x /= 2);
	printf("%d\n", x *= -1); printf("%d\n", x %= 3);
	printf("%d\n", x >>= 1); printf("%d\n", x &= 6);
	y = z = x++ + ++x;
	printf("%d %d %d\n", x, y, z);
	0 && (x = 100);
	1 || (x = 200);
	printf("%d\n", x);
	exit(0);
}
