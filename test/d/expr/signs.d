/*
 * @needs: bpf
 * @engines: kernel process
 */

BEGIN
{
	a = (unsigned char)-1;
	b = (char)0xff;
	c = (unsigned short)0x12345;
	d = (short)0x8000;
	printf("%d %d %d %d\n", a, b, c, d);
	u = (uint32_t)-1;
	printf("%u %d\n", u, u > 0);
	l = -1;
	printf("%d %d\n", l < 1u, (int64_t)l < (int64_t)1);
	printf("%u\n", (unsigned long)-1 / 2);
	printf("%d\n", (int)-1 >> 1);
	printf("%x\n", (unsigned int)-1 >> 4);
	exit(0);
}
