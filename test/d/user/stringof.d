/*
 * stringof() of a process's address in the kernel engine: the fault says what reads
 * there.
 * @needs: bpf
 * @run: -x engine=kernel -qs %f -c "sh -c 'exec < /dev/null'"
 * @stderr
 */
syscall::openat:entry
/pid == $target && n++ < 1/
{
	printf("%s\n", stringof((char *)arg1));
}

ERROR
{
	exit(0);
}
