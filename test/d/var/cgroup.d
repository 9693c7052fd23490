/*
 * Where a process is, and what it calls itself.
 * @needs: bpf
 * @engines: kernel process
 * @run: -qs %f -c 'true'
 * @timeout: 60
 */
BEGIN
{
	printf("%s %d %d\n", substr(cgroup, 0, 1), nspid == pid,
	    strlen(container) % 12);
}

syscall::exit_group:entry
/pid == $target && strlen(cgroup) > 0/
{
	printf("%s %d %d\n", substr(cgroup, 0, 1), nspid > 0,
	    strlen(container) % 12);
	exit(0);
}
