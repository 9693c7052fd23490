/*
 * aggpercpu: behind each value that of every CPU which gave some.
 * @needs: bpf
 * @engines: kernel process
 * @run: -q -x aggpercpu -x aggsortkey -s %f
 */
BEGIN
{
	@a["x"] = sum(10); @a["y"] = sum(-30); @a["y"] = sum(5);
	@q["x"] = quantize(2);
	@gone["x"] = max(4);
	exit(0);
}
END
{
	clear(@gone);
	printa(@a);
	normalize(@a, 5);
	printa("%s %@d\n", @a);
	printa(@a);
	printa(@q);
	printa(@gone);
}
