/*
 * A key that is the probe's name here, and a string there.
 * @needs: bpf
 * @engines: kernel process
 */
BEGIN
{
	@a[probename] = count();
	@a["text"] = count();
	exit(0);
}
