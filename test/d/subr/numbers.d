/*
 * @needs: bpf
 * @engines: kernel process
 */

BEGIN
{
	printf("%s %s %s %s\n", lltostr(-42), lltostr(255, 16),
	    lltostr(8, 8), lltostr(5, 2));
	printf("%d %d %d %d\n", strtoll(" -42 apples"), strtoll("0xff", 16),
	    strtoll("101", 2), strtoll("none"));
	printf("%x %x %x\n", htons(0x1234), htonl(0x12345678),
	    ntohll(0x1122334455667788));
	printf("%d %d\n", getmajor(8 << 20 | 17), getminor(8 << 20 | 17));
	printf("%d\n", sizeof(rand()));
	exit(0);
}
