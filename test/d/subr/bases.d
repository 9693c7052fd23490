/*
 * Numbers as text and back, to the limits.
 *
 * @needs: bpf
 * @engines: kernel process
 */

BEGIN
{
	lo = -9223372036854775807 - 1;
	hi = 9223372036854775807;
	printf("%s %s %s %s\n", lltostr(lo), lltostr(hi), lltostr(0),
	    lltostr(-0));
	printf("%s\n%s\n", lltostr(lo, 2), lltostr(-1, 2));
	printf("%s %s %s\n", lltostr(lo, 8), lltostr(lo, 16), lltostr(lo, 36));
	printf("%s %s %s\n", lltostr(-1, 3), lltostr(-1, 8), lltostr(-1, 35));
	printf("%s %s %s\n", lltostr(0, 2), lltostr(0, 8), lltostr(0, 16));
	printf("%d %d\n", strtoll(lltostr(lo)), strtoll(lltostr(hi)));
	printf("%d %d\n", strtoll("9223372036854775808"),
	    strtoll("-9223372036854775809"));
	printf("%x %x\n", strtoll("8000000000000000", 16),
	    strtoll("-zzzzzzzzzzzzzzzzzz", 36));
	printf("%d %d %d %d\n", strtoll("\t +12 3"), strtoll("-"),
	    strtoll("+-1"), strtoll(""));
	printf("%d %d %d %d\n", strtoll("0x1F", 16), strtoll("0X1f", 16),
	    strtoll("0x1f"), strtoll("0x", 16));
	printf("%d %d %d\n", strtoll("12", 2), strtoll("2", 2),
	    strtoll("-Zz", 36));
}

BEGIN { printf("base 1: "); trace(lltostr(1, 1)); }
BEGIN { printf("base 37: "); trace(lltostr(1, 37)); }
BEGIN { printf("base 0: "); trace(strtoll("1", 0)); }
BEGIN { printf("base -10: "); trace(strtoll("1", -10)); }
ERROR { printf("fault %d\n", arg4); }
BEGIN { exit(0); }
