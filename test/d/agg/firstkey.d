/*
 * The first use of an aggregation says how wide its keys are; later ones are
 * converted to that.
 * @needs: bpf
 * @engines: kernel process
 * @stderr
 */
BEGIN
{
	@[(int)1, 2] = count();
	@[(long)1, 2] = count();
	@[1 << 32 | 1, 2] = count();
	@b[(char)3] = sum(1);
	@b[256 + 3] = sum(2);
	@c[(long)-1] = sum(1);
	@c[-1] = sum(1);
	exit(0);
}
