/*
 * Order of several aggregations.
 * @needs: bpf
 * @engines: kernel process
 * @run: -q -x aggsortpos=1 -x aggsortrev -s %f
 */
BEGIN
{
	@a["x", 1] = sum(30); @a["y", -3] = sum(1); @a["z", 2] = sum(2);
	@b["x", 1] = sum(1); @b["y", -3] = sum(5); @b["z", 2] = sum(3);
	printa("%s %d %@d %@d\n", @a, @b);
	printa(@a);
	exit(0);
}
