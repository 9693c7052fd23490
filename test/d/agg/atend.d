/*
 * What is not printed is printed at the end, in order of first use; what was
 * cleared is there with zeros, what was truncated is not.
 * @needs: bpf
 * @engines: kernel process
 */
BEGIN
{
	@second["b"] = count(); @first["a"] = count(); @shown["c"] = count();
	@cleared["d"] = sum(7); @emptied["e"] = sum(8); @["bare"] = max(-1);
	@scaled["f"] = sum(100); @twice["g"] = sum(100); @some[1] = sum(3);
	@some[2] = sum(1); @some[3] = sum(2); @some[4] = sum(2);
	@down[1] = sum(3); @down[2] = sum(1); @down[3] = sum(2);
	exit(0);
}
END
{
	printa("%s %@d\n", @shown);
	clear(@cleared);
	trunc(@emptied);
	normalize(@scaled, 30);
	normalize(@twice, 3); normalize(@twice, 7);
	trunc(@some, 3);
	trunc(@down, -2);
	trunc(@first, 100);
}
END { printa("%@d\n", @emptied); denormalize(@second); }
