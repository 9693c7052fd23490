/*
 * rawbytes: strings with all of their storage.
 * @needs: bpf
 * @engines: kernel process
 * @run: -x strsize=18 -x rawbytes -qs %f
 */
BEGIN
{
	trace("ab");
	trace(probename);
	@["cd"] = count();
	exit(0);
}
