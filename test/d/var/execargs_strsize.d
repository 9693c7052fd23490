/*
 * As many bytes of the arguments as a string may have.
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f -x strsize=12 -c 'true 0123456789abcdef'
 * @timeout: 60
 */
syscall::exit_group:entry
/pid == $target/
{
	printf("[%s] %d\n", execargs, strlen(execargs));
	exit(0);
}
