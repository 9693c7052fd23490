/*
 * @needs: bpf
 * @engines: kernel process
 */

BEGIN
{
	@["b", 2] = count();
	@["a", 1] = count();
	@["a", 1] = count();
	@["c", -1] = count(); @["c", -1] = count(); @["c", -1] = count();
	exit(0);
}
