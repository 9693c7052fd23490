/*
 * As many keys as one likes.
 * @needs: bpf
 * @engines: kernel process
 */
BEGIN
{
	@[1, 2, 3, 4, 5, 6, 7, 8, 9, "ten", 11, probename] = count();
	@[1, 2, 3, 4, 5, 6, 7, 8, 9, "ten", 11, probename] = count();
	printa("%d %d %d %d %d %d %d %d %d %s %d %s %@d\n", @);
	exit(0);
}
END { @e[1, 2, 3, 4, 5, 6, 7, 8, 9, 10] = count(); }
