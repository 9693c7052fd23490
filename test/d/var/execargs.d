/*
 * The arguments of a process, joined by blanks; those of ones of its own.
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f -c 'true  one two/three '
 * @timeout: 60
 */
syscall::exit_group:entry
/pid == $target/
{
	printf("[%s] %d %d\n", execargs, strlen(execargs), ipl);
	exit(0);
}
