/*
 * A function's argument has its type; the place and the name.
 * @needs: bpf kprobe
 * @run: -qs %f -c '/bin/sh -c "exit 3"'
 */
fbt::do_exit:entry
/pid == $target/
{
	printf("%s %s %s %d %d\n", probemod, probefunc, probename,
	    args[0] >> 8, arg0 == args[0]);
	stack(1);
}
