/*
 * Comparisons as keys behind others: code that branches, of which the keys
 * before it are to know nothing.
 * @needs: bpf
 * @engines: kernel process
 */
BEGIN
{
	x = 3;
	s = "b";
	@[x, x == 3, x < 3, s > "a"] = count();
	a[x, s == "b"] = 7;
	a[x, s < "b"] = 8;
	exit(0);
}

END
{
	printf("%d %d\n", a[3, 1], a[3, 0]);
	printa("%d %d %d %d %@d\n", @);
}
