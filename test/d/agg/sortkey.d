/*
 * Order by the second key.
 * @needs: bpf
 * @engines: kernel process
 * @run: -q -x aggsortkey -x aggsortkeypos=1 -s %f
 */
BEGIN
{
	@a["x", 9] = sum(30); @a["y", 3] = sum(1); @a["z", 5] = sum(2);
	@a["a", 5] = sum(2);
	exit(0);
}
