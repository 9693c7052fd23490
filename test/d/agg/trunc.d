/*
 * trunc() at both ends, of ties and of everything.
 * @needs: bpf
 * @engines: kernel process
 */
BEGIN
{
	@a["x"] = sum(3); @a["y"] = sum(1); @a["z"] = sum(2);
	@b["x"] = sum(3); @b["y"] = sum(1); @b["z"] = sum(2);
	@c["x"] = sum(3);
	@k["k"] = count();
	exit(0);
}
END { trunc(@a, 2); trunc(@b, -1); trunc(@c); }
