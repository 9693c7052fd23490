/*
 * The arm that a constant condition does not take is neither typed nor
 * resolved; the one it takes may be an action or an aggregation.
 *
 * @needs: bpf
 * @engines: kernel process
 */
inline int OPT = 0;
BEGIN
{
	OPT ? printf("no %d\n", nosuch) : 1;
	OPT == 0 ? printf("yes\n") : nosuch(3);
	!OPT ? @x = sum(4) : @y = sum(nosuch->member);
	1 ? (0 ? trace(1) : printf("inner\n")) : 1;
	x = OPT ? nosuch->foo : 5;
	y = sizeof(long) == 8 ? "right" : `no_symbol;
	z = pid ? 2 : x = 3;
	printf("%d %s %d\n", x, y, z);
	printa("%@d\n", @x);
	exit(0);
}
