/*
 * @needs: bpf
 * @engines: kernel process
 */

BEGIN
{
	printf("%d %d %d\n", 7 / 2, -7 / 2, -7 % 3);
	printf("%d %d\n", 1 + 2 * 3 - 4, (1 + 2) * (3 - 4));
	printf("%x %x %x\n", 0xf0 | 0x0f, 0xff & 0x3c, 0xff ^ 0x0f);
	printf("%d %d %d\n", 1 << 10, -16 >> 2, ~5);
	printf("%d %d %d %d\n", 3 < 4, 4 <= 3, 5 == 5, 5 != 5);
	printf("%d %d %d %d\n", 1 && 0, 1 || 0, 1 ^^ 1, !7);
	printf("%d %d\n", 1 ? 10 : 20, 0 ? 10 : 20);
	printf("%d\n", (1, 2, 3));
	exit(0);
}
