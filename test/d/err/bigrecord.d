/*
 * A record that instructions of the kernel engine cannot reach.
 *
 * @run: -q -x strsize=4096 -b 16m -s %f
 * @needs: bpf
 * @status: 1
 * @stderr
 */
BEGIN
{
	printf("%s%s%s%s%s%s%s%s%s", execname, strjoin(execname, "a"),
	    strjoin(execname, "b"), strjoin(execname, "c"),
	    strjoin(execname, "d"), strjoin(execname, "e"),
	    strjoin(execname, "f"), strjoin(execname, "g"),
	    strjoin(execname, "h"));
	exit(0);
}
