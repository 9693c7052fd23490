/*
 * A process and its first thread begin in this order, with what their parent
 * knows of them; another's probes tell of themselves.  Processes of other PID
 * namespaces are 0, as the variable is before there is a child.
 * @needs: bpf
 * @run: -qs %f -c '/bin/sh -c "/bin/true; :"'
 */
proc:::lwp-create
/pid == $target/
{
	child = args[1]->pr_pid;
	printf("%s %d %d %d %s\n", probename, args[0]->pr_lwpid == child,
	    args[1]->pr_ppid == pid, arg0 == arg1, args[1]->pr_fname);
}

proc:::create
/pid == $target/
{
	printf("%s %d %d\n", probename, args[0]->pr_pid == child,
	    arg0 == args[0]->pr_addr);
}

proc:::start, proc:::lwp-start, proc:::lwp-exit, proc:::exit
/child != 0 && pid == child/
{
	printf("%s %d %d\n", probename, tid == child, ppid == $target);
}
