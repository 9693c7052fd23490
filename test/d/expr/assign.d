/*
 * @needs: bpf
 * @engines: kernel process
 */

BEGIN
{
	x = 10; x += 5; x -= 3; x *= 4; x /= 6; x %= 5;
	printf("%d\n", x);
	y = 0xff; y &= 0x3c; y |= 1; y ^= 0xf; y <<= 2; y >>= 1;
	printf("%x\n", y);
	i = 5;
	printf("%d %d %d %d\n", i++, ++i, i--, --i);
	this->a = this->b = 7;
	printf("%d %d\n", this->a, this->b);
	exit(0);
}
