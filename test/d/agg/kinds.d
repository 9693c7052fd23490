/*
 * @needs: bpf
 * @engines: kernel process
 */

BEGIN
{
	@c = count(); @s = sum(5); @a = avg(10); @mi = min(-3); @ma = max(7);
	@sd = stddev(4);
}
BEGIN
{
	@c = count(); @s = sum(-2); @a = avg(5); @mi = min(9); @ma = max(1);
	@sd = stddev(8);
	exit(0);
}
END
{
	printa("%@d\n", @c); printa("%@d\n", @s); printa("%@d\n", @a);
	printa("%@d\n", @mi); printa("%@d\n", @ma); printa("%@d\n", @sd);
}
