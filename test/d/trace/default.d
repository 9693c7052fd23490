/*
 * @needs: bpf
 * @engines: kernel process
 * @run: -s %f
 */

#pragma D option quiet
BEGIN
{
	trace(1);
	trace("s");
	trace((char)2);
	exit(0);
}
