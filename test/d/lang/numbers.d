/*
 * Division, shifts, characters and constants at their limits.
 *
 * @needs: bpf
 * @engines: kernel process
 */
BEGIN
{
	i = -7;
	m = (int64_t)0x8000000000000000;
	k = -1;
	n = 65;
	printf("%d %d %d %d\n", i / 2, i % 2, -7 / 2, -7 % 3);
	printf("%u %u\n", (unsigned)-7 / 2, (unsigned)i % 10);
	printf("%d %d\n", m / k, m % k);
	printf("%d %d %u\n", -16 >> 2, i >> 1, (unsigned)-16 >> 28);
	printf("%d %d %d\n", 1 << n, 1L << 62, 1 << 31);
	printf("%d %x %d %d %x\n", 'a', 'ab', '\n', '\'', '\xff');
	printf("%d %u %x\n", 0x7fffffffffffffff, 0xffffffffffffffff,
	    18446744073709551615u);
	printf("%d %d %d\n", -9223372036854775807 - 1, 0777, 0xFFu);
	printf("%d %d %d\n", sizeof(2147483648), sizeof(0xffffffff),
	    sizeof('a'));
	printf("%d %d %d %d\n", (char)300, (uint8_t)-1, (short)70000,
	    (_Bool)256);
	exit(0);
}
