/*
 * A fault in the predicate of a clause behind one that has actions is the
 * predicate's.
 * @needs: bpf
 * @engines: kernel process
 * @stderr
 * @run: -qs %f -c /bin/true
 */
syscall::exit_group:entry
/pid == $target/
{
	trace("first ");
	trace("clause\n");
}

syscall::exit_group:entry
/pid == $target && 1 % (pid - $target)/
{
	trace("second clause\n");
}
