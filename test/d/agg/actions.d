/*
 * @needs: bpf
 * @engines: kernel process
 */

BEGIN
{
	@a["x"] = sum(10); @a["y"] = sum(30); @a["z"] = sum(20);
	exit(0);
}
END
{
	normalize(@a, 10);
	printa("%s %@d\n", @a);
	denormalize(@a);
	trunc(@a, 2);
	printa("%s %@d\n", @a);
	clear(@a);
	printa("%s %@d\n", @a);
}
