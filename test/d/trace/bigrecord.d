/*
 * A record with parts that no one instruction of the kernel reaches.
 *
 * @run: -q -x strsize=4096 -b 16m -s %f
 * @needs: bpf
 * @engines: kernel process
 */
BEGIN
{
	printf("%s %s %s %s %s %s %s %s %d %s", probename,
	    strjoin(probename, "a"), strjoin(probename, "b"),
	    strjoin(probename, "c"), strjoin(probename, "d"),
	    strjoin(probename, "e"), strjoin(probename, "f"),
	    strjoin(probename, "g"), cpu < 0, strjoin(probename, "h"));
	exit(0);
}
